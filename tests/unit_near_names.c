/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Names that are near one, against the whole table of edit distances. */
#include "tests/cmocka_all.h"

#include <string.h>

#include "base/near_names.h"
#include "tests/mutate.h"

#define ROUNDS 20000

static struct random dice = { 1 };

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t reference_distance(const char *a, const char *b)
{
	static uint32_t table[NEAR_LENGTH_MAX + 1][NEAR_LENGTH_MAX + 1];
	size_t a_length = strlen(a), b_length = strlen(b);

	for (size_t i = 0; i <= a_length; i++) {
		for (size_t k = 0; k <= b_length; k++) {
			uint32_t best = i ? k ? UINT32_MAX : (uint32_t)i : (uint32_t)k;

			if (i && k) {
				best = least(table[i - 1][k], table[i][k - 1]) + 1;
				best = least(best, table[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			}
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				best = least(best, table[i - 2][k - 2] + 1);
			table[i][k] = best;
		}
	}
	return table[a_length][b_length];
}

/* Some letters are removed, added, changed and exchanged; not all that are said need be. */
static void mistype(char *name)
{
	for (size_t edits = random_below(&dice, 5); edits > 0; edits--) {
		size_t length = strlen(name), at = random_below(&dice, length);
		char letter = (char)("abcdef\xe9"[random_below(&dice, 7)]);

		switch (random_below(&dice, 4)) {
		case 0: memmove(name + at, name + at + 1, length - at); break;
		case 1:
			if (length < NEAR_LENGTH_MAX) {
				memmove(name + at + 1, name + at, length - at + 1);
				name[at] = letter;
			}
			break;
		case 2: name[at] = letter; break;
		default:
			if (name[at + 1]) {
				letter = name[at];
				name[at] = name[at + 1];
				name[at + 1] = letter;
			}
		}
		if (!*name)
			strcpy(name, "a");
	}
}

TEST(test_distance)
{
	uint32_t near_ones = 0, far_ones = 0;

	for (int round = 0; round < ROUNDS; round++) {
		size_t length = 1 + random_below(&dice, round % 4 ? 12 : NEAR_LENGTH_MAX);
		uint32_t limit = length < 4 ? 1 : length < 9 ? 2 : 3, wanted_distance;
		char wanted[NEAR_LENGTH_MAX + 1] = "", name[NEAR_LENGTH_MAX + 1];
		struct near_names near;

		for (size_t i = 0; i < length; i++)
			wanted[i] = (char)('a' + random_below(&dice, 5));
		memcpy(name, wanted, sizeof(name));
		mistype(name);
		wanted_distance = reference_distance(wanted, name);
		near_names_init(&near, wanted);
		near_names_offer(&near, name, NULL);
		if (wanted_distance <= limit) {
			assert_int_equal(near.count, 1);
			assert_int_equal(near.names[0].distance, wanted_distance);
			near_ones++;
		} else {
			assert_true(!near.count || near.names[0].distance >= 100);
			far_ones++;
		}
		near_names_release(&near);
	}
	assert_true(near_ones > ROUNDS / 4 && far_ones > ROUNDS / 20);
}

/* Names of the greatest length, and one that is longer. */
TEST(test_long)
{
	char wanted[NEAR_LENGTH_MAX + 2] = "", name[NEAR_LENGTH_MAX + 2];
	struct near_names near;

	memset(wanted, 'a', NEAR_LENGTH_MAX);
	memcpy(name, wanted, sizeof(name));
	name[0] = name[NEAR_LENGTH_MAX - 1] = 'b';
	near_names_init(&near, wanted);
	near_names_offer(&near, name, NULL);
	name[NEAR_LENGTH_MAX] = 'c';
	near_names_offer(&near, name, NULL);
	assert_int_equal(near.count, 1);
	assert_int_equal(near.names[0].distance, 2);
	near_names_release(&near);
	memset(wanted, 'a', NEAR_LENGTH_MAX + 1);
	near_names_init(&near, wanted);
	near_names_offer(&near, wanted, NULL);
	assert_int_equal(near.count, 0);
	near_names_release(&near);
}

/* Of a name in several folders, the first folder's is kept, whichever is offered first. */
TEST(test_folders)
{
	static const char *const orders[][4] = { { "c", "a", "b", NULL }, { NULL, "b", "c", "a" } };
	struct near_names near;

	for (size_t i = 0; i < 2; i++) {
		near_names_init(&near, "begun");
		for (size_t k = 0; k < 4; k++)
			near_names_offer_in(&near, orders[i][k], "begin", NULL);
		near_names_offer_in(&near, "a", "begur", NULL);
		assert_int_equal(near.count, 3);
		assert_string_equal(near.names[0].name, "a:begin");
		assert_string_equal(near.names[1].name, "a:begur");
		assert_string_equal(near.names[2].name, "begin");
		near_names_release(&near);
	}
}
