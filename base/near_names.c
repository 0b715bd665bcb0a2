/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/near_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NOT_NEAR UINT32_MAX

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Of letters, 32 kinds of them. One edit changes two counts by one at most. */
static void count_letters(int16_t counts[NEAR_LETTERS], const char *name, size_t length,
			  int16_t sign)
{
	for (size_t i = 0; i < length; i++)
		counts[(unsigned char)name[i] % NEAR_LETTERS] += sign;
}

static bool has_other_letters(const struct near_names *near, const char *name, size_t length,
			      uint32_t limit)
{
	int16_t counts[NEAR_LETTERS];
	uint32_t differences = 0;

	memcpy(counts, near->letters, sizeof(counts));
	count_letters(counts, name, length, -1);
	for (size_t i = 0; i < NEAR_LETTERS; i++)
		differences += (uint32_t)abs(counts[i]);
	return differences > 2 * limit;
}

/*
 * Edit distance with neighbours exchanged as one step; NOT_NEAR above `limit`. Three rows of the
 * usual table, of which only the band around the diagonal can be that near.
 */
static uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
			      uint32_t limit)
{
	uint32_t rows[3][NEAR_LENGTH_MAX + 2];
	uint32_t *before = rows[0], *last = rows[1], *row = rows[2];

	for (uint32_t k = 0; k <= b_length + 1; k++)
		last[k] = k;
	for (uint32_t i = 1; i <= a_length; i++) {
		uint32_t first = i > limit ? i - limit : 1;
		uint32_t end = least(i + limit, (uint32_t)b_length);
		uint32_t best = row[first - 1] = first == 1 ? i : limit + 1, *spare;

		for (uint32_t k = first; k <= end; k++) {
			uint32_t change = last[k - 1] + (a[i - 1] != b[k - 1]);

			row[k] = least(least(last[k], row[k - 1]) + 1, change);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
			best = least(best, row[k]);
		}
		if (best > limit)
			return NOT_NEAR;
		/* The next row's band ends there. */
		row[end + 1] = limit + 1;
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[b_length] <= limit ? last[b_length] : NOT_NEAR;
}

/* Typing errors come first, then names that begin with this one, then those that contain it. */
static uint32_t distance(const struct near_names *near, const char *name)
{
	const char *wanted = near->wanted;
	size_t wanted_length = near->wanted_length, length = strnlen(name, NEAR_LENGTH_MAX + 1);
	/* A third of the letters may be wrong, but not more than three. */
	uint32_t limit = wanted_length < 4 ? 1 : wanted_length < 9 ? 2 : 3, edits = NOT_NEAR;
	uint32_t extra = (uint32_t)(length > wanted_length ? length - wanted_length : 0);

	if (!length || length > NEAR_LENGTH_MAX || wanted_length > NEAR_LENGTH_MAX)
		return NOT_NEAR;
	if (length <= wanted_length + limit && wanted_length <= length + limit &&
	    !has_other_letters(near, name, length, limit))
		edits = edit_distance(wanted, wanted_length, name, length, limit);
	if (edits != NOT_NEAR)
		return edits;
	if (wanted_length >= 4 && extra && strncmp(name, wanted, wanted_length) == 0)
		return 100 + extra;
	if (wanted_length >= 5 && extra && strstr(name, wanted))
		return 200 + extra;
	if (length >= 5 && length < wanted_length && strncmp(name, wanted, length) == 0)
		return 300 + (uint32_t)(wanted_length - length);
	return NOT_NEAR;
}

void near_names_init(struct near_names *near, const char *wanted)
{
	*near = (struct near_names){ .wanted = wanted, .wanted_length = strlen(wanted),
				     .lock = PTHREAD_MUTEX_INITIALIZER };
	if (near->wanted_length <= NEAR_LENGTH_MAX)
		count_letters(near->letters, wanted, near->wanted_length, 1);
}

static void drop_at(struct near_names *near, uint32_t at)
{
	free(near->names[at].name);
	memmove(&near->names[at], &near->names[at + 1],
		(--near->count - at) * sizeof(*near->names));
}

/* Of a name in several folders, one is kept. */
static bool is_again(const struct near_name *known, const char *name, bool in_folder)
{
	if (!in_folder || !known->in_folder)
		return strcmp(known->name, name) == 0;
	return strcmp(strchr(known->name, ':'), strchr(name, ':')) == 0;
}

static void add(struct near_names *near, const char *name, const char *what, uint32_t far,
		bool in_folder)
{
	uint32_t at;

	for (uint32_t i = 0; i < near->count; i++) {
		if (!is_again(&near->names[i], name, in_folder))
			continue;
		if (strcmp(near->names[i].name, name) <= 0)
			return;
		drop_at(near, i);
	}
	at = near->count;
	while (at > 0 && (near->names[at - 1].distance > far ||
			  (near->names[at - 1].distance == far &&
			   strcmp(near->names[at - 1].name, name) > 0)))
		at--;
	if (at == NEAR_NAMES)
		return;
	if (near->count == NEAR_NAMES)
		drop_at(near, NEAR_NAMES - 1);
	memmove(&near->names[at + 1], &near->names[at],
		(near->count - at) * sizeof(*near->names));
	near->names[at] = (struct near_name){ memory_copy(name), what, far, in_folder };
	near->count++;
}

void near_names_add(struct near_names *near, const char *name, const char *what, uint32_t far)
{
	add(near, name, what, far, false);
}

void near_names_offer_in(struct near_names *near, const char *folder, const char *name,
			 const char *what)
{
	uint32_t far = distance(near, name);
	char *whole;

	if (far == NOT_NEAR)
		return;
	whole = text_format("%s%s%s", folder ? folder : "", folder ? ":" : "", name);
	pthread_mutex_lock(&near->lock);
	add(near, whole, what, far, folder);
	pthread_mutex_unlock(&near->lock);
	free(whole);
}

void near_names_offer(struct near_names *near, const char *name, const char *what)
{
	near_names_offer_in(near, NULL, name, what);
}

void near_names_add_text(struct text *out, const struct near_names *near)
{
	for (uint32_t i = 0; i < near->count; i++) {
		const char *what = near->names[i].what ? near->names[i].what : "";

		text_add_clean_in(out, i ? ", " : "; near ", i ? "" : near->wanted,
				  i ? "" : near->count == 1 ? " is " : " are ");
		text_add_clean_in(out, what, *what ? " " : "", near->names[i].name);
	}
}

void near_names_release(struct near_names *near)
{
	while (near->count)
		free(near->names[--near->count].name);
}
