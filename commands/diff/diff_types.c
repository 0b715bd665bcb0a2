/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The definitions of either side are sorted by name and keyword and then joined. Two of them are
 * compared by what they are flattened to: a list of members, each with path, offset, size and
 * type. Nearly all lists are equal item by item, which one pass over both says; only the others
 * are matched by path, and only their lines are ever written.
 *
 * A typedef is compared as the type that it names: a struct, union or enum without a name, or any
 * other type, by its text.
 *
 * Not compared are the names of parameters, two spellings of one integer type, the order of members
 * at equal offsets, how often a definition is repeated, and the inside of types without a name
 * that a pointer leads to.
 *
 * The input may be damaged. Nothing recurses, each walk has a limit, and all walks together have a
 * budget; where either ends, only the sizes are compared.
 */
#define _GNU_SOURCE	/* qsort_r */
#include "commands/diff/diff_types.h"
#include "commands/diff/diff_layout.h"
#include "kernel/c_spelling.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "btf/dedup/c_declaration.h"

#define DEFINITIONS_MAX 64		/* of one name on one side */
#define LINE_BYTES_MAX	4096
#define NO_NAME		"(anon)"
#define LINE_COST	64		/* looking at a member costs 1, a type's text its length */
/* Of all walks, and more for each byte of BTF: 6.1 for 686 and 7.3 take a quarter of it. */
#define BUDGET		(1u << 24)
#define BUDGET_OF_BYTE	4

static const char *const rank_keywords[RANK_COUNT] = { "enum", "struct", "typedef", "union" };

struct side {
	struct type_group group;		/* that is looked at */
	struct layout layouts[DEFINITIONS_MAX];	/* of its definitions */
	uint32_t layout_count;
};

struct differ {
	struct side old;
	struct side new;
	struct type_diff *diff;
	type_change_lines lines;	/* of the pair of groups */
	uint64_t budget;
	bool cut;			/* somewhere there is more than is looked at */
};

static bool spend(struct differ *d, uint64_t cost)
{
	return layout_spend(&d->budget, cost);
}

/* ---- text ---- */

/* A line about the whole group. There are few of them: they cost nothing. */
#define add_group_line(d, ...) array_push(&(d)->lines, text_format(__VA_ARGS__))

/* A line about members. One that is too long loses its end. */
__attribute__((format(printf, 2, 3)))
static void add_line(struct differ *d, const char *format, ...)
{
	struct text text = { 0 };
	char *written, *line;
	va_list arguments;

	va_start(arguments, format);
	text_add_vformat(&text, format, arguments);
	va_end(arguments);
	if (text.count >= LINE_BYTES_MAX)
		text.count = LINE_BYTES_MAX - 1;
	written = text_finish(&text);
	line = c_spelling(written);
	free(written);
	if (spend(d, LINE_COST + strlen(line)))
		array_push(&d->lines, line);
	else
		free(line);
}

struct path {
	char text[PATH_BYTES_MAX + BTF_NAME_BYTES_MAX];
};

/* A control character in a name must not forge a line. */
static struct path path_of(const struct layout *layout, const struct member *member,
			   const char *without_name)
{
	const char *prefix = layout->prefixes.data + member->prefix;
	struct path path;

	snprintf(path.text, sizeof(path.text), "%s%.*s", *member->name ? prefix : without_name,
		 BTF_NAME_BYTES_MAX - 1, member->name);
	text_clean(path.text, strlen(path.text));
	return path;
}

/* A type as C, to be freed; a mark of what is left out when the budget is spent. */
static char *type_text(struct differ *d, const struct layout *layout, uint32_t type,
		       const char *name)
{
	struct text text = { 0 };

	if (d->budget)
		spend(d, c_declaration_add_btf(&text, layout->btf, type, name));
	else
		text_add_string(&text, C_DECLARATION_CUT);
	return text_finish(&text);
}

struct number {
	char text[48];
};

/* Where a member is: bytes, and the bits that are left over. The value of an enumerator. */
static struct number place_of(const struct layout *layout, uint64_t offset)
{
	struct number number;

	if (!layout_is_enum(layout))
		snprintf(number.text, sizeof(number.text),
			 offset % 8 ? "%" PRIu64 ":%" PRIu64 : "%" PRIu64, offset / 8, offset % 8);
	else
		snprintf(number.text, sizeof(number.text),
			 btf_info_kind_flag(layout->record[BTF_WORD_INFO]) ? "%" PRId64
									   : "%" PRIu64, offset);
	return number;
}

/* In bits for a bit field, else in bytes. */
static uint64_t units_of(const struct member *member)
{
	return member->is_bitfield ? member->size_bits : member->size_bits / 8;
}

static const char *unit_of(const struct member *member)
{
	if (member->is_bitfield)
		return member->size_bits == 1 ? "bit" : "bits";
	return member->size_bits == 8 ? "byte" : "bytes";
}

/* ---- matching ---- */

static int member_order(const struct layout *a_layout, const struct member *a,
			const struct layout *b_layout, const struct member *b)
{
	int order = 0;

	if (a->prefix || b->prefix)
		order = strcmp(a_layout->prefixes.data + a->prefix,
			       b_layout->prefixes.data + b->prefix);
	return order ? order : layout_name_order(a->name, b->name);
}

/* The texts decide where layout_same_type() gave up; unless they are cut. */
static bool same_type_text(struct differ *d, const struct layout *old, uint32_t a,
			   const struct layout *new, uint32_t b)
{
	char *x, *y;
	bool same;

	if (!spend(d, LINE_COST))
		return true;
	x = type_text(d, old, a, "");
	y = type_text(d, new, b, "");
	same = c_spelling_is_same(x, y);
	d->cut |= same && strstr(x, C_DECLARATION_CUT);
	free(x);
	free(y);
	return same;
}

static int compare_members(const void *a, const void *b, void *of)
{
	const struct layout *layout = of;
	const uint32_t *x = a, *y = b;
	int order = member_order(layout, &layout->members.data[*x], layout,
				 &layout->members.data[*y]);

	return order ? order : order_of(*x, *y);
}

/* Indices of its members by path, to be freed. All are matched with none. */
static uint32_t *sort_members(struct layout *layout)
{
	uint32_t *sorted = memory_alloc(layout->members.count * sizeof(*sorted));

	for (uint32_t i = 0; i < layout->members.count; i++) {
		sorted[i] = i;
		layout->members.data[i].match = NO_MEMBER;
	}
	qsort_r(sorted, layout->members.count, sizeof(*sorted), compare_members, layout);
	return sorted;
}

/* By path; of several with one path the first with the first. */
static void match_members(struct layout *old, struct layout *new)
{
	uint32_t *a = sort_members(old), *b = sort_members(new);

	for (size_t i = 0, j = 0; i < old->members.count && j < new->members.count;) {
		struct member *x = &old->members.data[a[i]], *y = &new->members.data[b[j]];
		int order = member_order(old, x, new, y);

		if (order == 0) {
			x->match = b[j];
			y->match = a[i];
		}
		i += order <= 0;
		j += order >= 0;
	}
	free(a);
	free(b);
}

/* ---- what is different ---- */

/* Members that follow each other and were moved by the same distance, and nothing else. */
struct run {
	uint32_t first;		/* in the new layout */
	uint32_t count;
	uint64_t distance_bits;	/* modulo 2^64 */
};

static void flush_run(struct differ *d, const struct layout *old, const struct layout *new,
		      struct run *run)
{
	uint64_t distance = run->distance_bits;
	bool is_back = (int64_t)distance < 0;
	const struct member *first;

	if (!run->count)
		return;
	first = &new->members.data[run->first];
	if (run->count == 1)
		add_line(d, "%s moved %s -> %s", path_of(new, first, NO_NAME).text,
			 place_of(old, old->members.data[first->match].offset_bits).text,
			 place_of(new, first->offset_bits).text);
	else
		add_line(d, "%s .. %s (%u members) moved by %c%s",
			 path_of(new, first, NO_NAME).text,
			 path_of(new, first + run->count - 1, NO_NAME).text, run->count,
			 is_back ? '-' : '+', place_of(new, is_back ? -distance : distance).text);
	run->count = 0;
}

/* With the dimensions of each array multiplied: int[3][5] becomes int[15]. To be freed. */
static char *flattened(const char *declaration)
{
	struct text flat = { 0 };

	while (*declaration) {
		uint64_t elements = 1;
		size_t length = strcspn(declaration, "[");

		text_add(&flat, declaration, length);
		declaration += length;
		if (!*declaration)
			break;
		while (*declaration == '[') {
			char *end;

			elements *= strtoull(declaration + 1, &end, 10);
			declaration = *end == ']' ? end + 1 : end;
		}
		text_add_format(&flat, "[%" PRIu64 "]", elements);
	}
	return text_finish(&flat);
}

/* "old type -> new type", to be freed. */
static char *retyped_text(struct differ *d, const struct layout *old, uint32_t old_type,
			  const struct layout *new, uint32_t new_type)
{
	char *x = type_text(d, old, old_type, ""), *y = type_text(d, new, new_type, "");
	char *flat_x = flattened(x), *flat_y = flattened(y), *text;

	/*
	 * Do they differ only in the dimensions of arrays? Encoders before pahole 1.32 flatten
	 * int[3][5] to int[15], and a program compiled for one does not load on the other.
	 */
	text = text_format("%s -> %s%s", x, y, c_spelling_is_same(flat_x, flat_y)
			   ? " (the same elements; CO-RE matches only one shape)" : "");
	free(x);
	free(y);
	free(flat_x);
	free(flat_y);
	return text;
}

static void compare_matched(struct differ *d, const struct layout *old, const struct layout *new,
			    uint32_t at, struct run *run)
{
	const struct member *b = &new->members.data[at];
	const struct member *a = &old->members.data[b->match];
	uint64_t distance = b->offset_bits - a->offset_bits;
	bool resized = a->size_bits != b->size_bits;
	bool retyped = !resized && !layout_same_type(old, a->type, new, b->type) &&
		       !same_type_text(d, old, a->type, new, b->type);
	char *what;

	if (run->count && (resized || retyped || distance != run->distance_bits))
		flush_run(d, old, new, run);
	if (!resized && !retyped) {
		if (distance && !run->count++)
			*run = (struct run){ at, 1, distance };
		return;
	}
	if (resized) {
		bool is_other_unit = a->is_bitfield != b->is_bitfield;

		what = text_format(" resized %" PRIu64 "%s%s -> %" PRIu64 " %s", units_of(a),
				   is_other_unit ? " " : "", is_other_unit ? unit_of(a) : "",
				   units_of(b), unit_of(b));
	} else {
		what = retyped_text(d, old, a->type, new, b->type);
	}
	add_line(d, distance ? "%s%s%s, moved %s -> %s" : "%s%s%s", path_of(new, b, NO_NAME).text,
		 resized ? "" : ": ", what, place_of(old, a->offset_bits).text,
		 place_of(new, b->offset_bits).text);
	free(what);
}

/* A member or enumerator that was added or removed. */
static void add_one_sided(struct differ *d, char sign, const struct layout *layout, uint32_t at)
{
	const struct member *member = &layout->members.data[at];
	struct number place = place_of(layout, member->offset_bits);
	char *declaration;

	if (layout_is_enum(layout)) {
		add_line(d, "%c %s = %s", sign, path_of(layout, member, NO_NAME).text, place.text);
		return;
	}
	declaration = type_text(d, layout, member->type, path_of(layout, member, "").text);
	add_line(d, "%c %s at %s, %" PRIu64 " %s", sign, declaration, place.text, units_of(member),
		 unit_of(member));
	free(declaration);
}

/* The members from `at` on that are only in the old layout. */
static void add_removed(struct differ *d, const struct layout *old, const struct layout *new,
			uint32_t at, struct run *run)
{
	for (; at < old->members.count && old->members.data[at].match == NO_MEMBER; at++) {
		flush_run(d, old, new, run);
		add_one_sided(d, '-', old, at);
	}
}

/* Where members are; values of enumerators, as far as both sides have them. */
static bool at_one_place(const struct layout *old, const struct member *a, const struct layout *new,
			 const struct member *b)
{
	bool is_cut = layout_is_enum(old) && layout_is_enum(new) &&
		      (btf_enum_is_cut(old->btf, old->record) ||
		       btf_enum_is_cut(new->btf, new->record));

	return is_cut ? (uint32_t)a->offset_bits == (uint32_t)b->offset_bits
		      : a->offset_bits == b->offset_bits;
}

/* In the order of the new layout; a removed member follows the member that it followed before. */
static void compare_matches(struct differ *d, const struct layout *old, const struct layout *new)
{
	struct run run = { 0 };

	add_removed(d, old, new, 0, &run);
	for (uint32_t i = 0; i < new->members.count; i++) {
		const struct member *member = &new->members.data[i];
		uint32_t match = member->match;

		if (match == NO_MEMBER) {
			flush_run(d, old, new, &run);
			add_one_sided(d, '+', new, i);
			continue;
		}
		if (!layout_is_enum(new)) {
			compare_matched(d, old, new, i, &run);
		} else if (!at_one_place(old, &old->members.data[match], new, member)) {
			add_line(d, "%s %s -> %s", path_of(new, member, NO_NAME).text,
				 place_of(old, old->members.data[match].offset_bits).text,
				 place_of(new, member->offset_bits).text);
		}
		add_removed(d, old, new, match + 1, &run);
	}
	flush_run(d, old, new, &run);
}

/* Of as many. */
static bool have_same_members(const struct layout *old, const struct layout *new)
{
	for (size_t i = 0; i < old->members.count; i++) {
		const struct member *a = &old->members.data[i], *b = &new->members.data[i];

		if (!at_one_place(old, a, new, b) || a->size_bits != b->size_bits ||
		    member_order(old, a, new, b) != 0 ||
		    !layout_same_type(old, a->type, new, b->type))
			return false;
	}
	return true;
}

/*
 * Adds the lines of two definitions, none if they are equal. A member that has not moved ends a run
 * of members that have, because the distances differ then.
 */
static void compare_layouts(struct differ *d, struct layout *old, struct layout *new)
{
	size_t count = old->members.count;
	enum rank rank = layout_rank(old->record);

	if (old->bytes != new->bytes)
		add_group_line(d, "size %" PRIu64 " -> %" PRIu64, old->bytes, new->bytes);
	if (rank == RANK_COUNT || rank != layout_rank(new->record)) {
		bool same_kind = !old->record == !new->record;
		char *what;

		if (layout_same_type(old, old->id, new, new->id) ||
		    (same_kind && same_type_text(d, old, old->id, new, new->id)))
			return;
		what = retyped_text(d, old, old->id, new, new->id);
		add_line(d, "%s", what);
		free(what);
		return;
	}
	if (old->is_cut || new->is_cut || !spend(d, count + new->members.count))
		return;
	if (count == new->members.count && have_same_members(old, new))
		return;
	match_members(old, new);
	compare_matches(d, old, new);
}

/* ---- several definitions ---- */

static bool are_equal(struct differ *d, struct layout *a, struct layout *b)
{
	size_t before = d->lines.count;
	bool equal;

	if (a->bytes != b->bytes || !a->record != !b->record ||
	    (!a->is_cut && !b->is_cut && a->members.count != b->members.count))
		return false;
	compare_layouts(d, a, b);
	equal = d->lines.count == before;
	array_free_from(&d->lines, before);
	return equal;
}

/* By the contents of the definitions, so that their order in the BTF does not matter. */
static int layout_order(struct differ *d, const struct layout *a, const struct layout *b)
{
	int order = order_of(a->bytes, b->bytes);

	order = order ? order : order_of(a->members.count, b->members.count);
	for (size_t i = 0; !order && i < a->members.count && spend(d, 1); i++) {
		const struct member *x = &a->members.data[i], *y = &b->members.data[i];

		order = member_order(a, x, b, y);
		order = order ? order : order_of(x->offset_bits, y->offset_bits);
		order = order ? order : order_of(x->size_bits, y->size_bits);
	}
	return order;
}

static void swap_layouts(struct layout *a, struct layout *b)
{
	struct layout kept = *a;

	*a = *b;
	*b = kept;
}

/* Flattens and sorts the definitions; repeated ones are left out. */
static void take_definitions(struct differ *d, struct side *side)
{
	const struct type_group *group = &side->group;
	const struct sort_item *items = group->names.items.data + group->first;

	side->layout_count = 0;
	d->cut |= group->count > DEFINITIONS_MAX;
	for (size_t i = 0; i < group->count && side->layout_count < DEFINITIONS_MAX; i++) {
		struct layout *layouts = side->layouts;
		uint32_t at = side->layout_count, same = 0;

		layout_flatten(&layouts[at], group->names.btf, group->pointer_bytes,
			       items[i].value, &d->budget);
		d->cut |= layouts[at].is_cut || layouts[at].is_deep;
		while (same < at && !are_equal(d, &layouts[same], &layouts[at]))
			same++;
		if (same < at)
			continue;
		for (; at && layout_order(d, &layouts[at], &layouts[at - 1]) < 0; at--)
			swap_layouts(&layouts[at], &layouts[at - 1]);
		side->layout_count++;
	}
}

/* Moves a definition after the others of its side, and forgets it. */
static void drop_layout(struct side *side, uint32_t at)
{
	for (; at + 1 < side->layout_count; at++)
		swap_layouts(&side->layouts[at], &side->layouts[at + 1]);
	side->layout_count--;
}

/* ---- names ---- */

static const uint32_t *record_at(const struct type_names *names, size_t item)
{
	return btf_reader_type(names->btf, names->items.data[item].value);
}

/* By name and keyword. */
static int order_at(const struct type_names *a, size_t i, const struct type_names *b, size_t j)
{
	const uint32_t *x = record_at(a, i), *y = record_at(b, j);
	int order = layout_name_order(btf_type_name(a->btf, x), btf_type_name(b->btf, y));

	return order ? order : (int)layout_rank(x) - (int)layout_rank(y);
}

/* An empty group, which is the end of its file's, comes after all others. */
static int group_order(const struct type_group *a, const struct type_group *b)
{
	return a->count && b->count ? order_at(&a->names, a->first, &b->names, b->first)
				    : !a->count - !b->count;
}

static bool has_name(const struct type_names *names, const struct type_group *of)
{
	size_t i = lower_bound(k, names->items.count,
			       order_at(names, k, &of->names, of->first) < 0);

	return i < names->items.count && !order_at(names, i, &of->names, of->first);
}

/* The group that follows in the file; the first one follows an empty one. */
static void take_next(struct type_group *group)
{
	const struct type_names *names = &group->names;
	size_t first = group->first += group->count, end = first;

	while (end < names->items.count && !order_at(names, end, names, first))
		end++;
	group->count = end - first;
}

/* Names are compared as far as any tool reads them. */
static uint64_t name_prefix(const void *context, uint32_t id, size_t skip)
{
	const struct btf_reader *btf = context;
	const char *name =
		btf_reader_string(btf, btf_reader_type(btf, id)[BTF_WORD_NAME]) + skip;
	uint64_t prefix = 0;

	for (size_t i = 0; i < 8; i++) {
		bool is_end = !*name || skip + i >= BTF_NAME_BYTES_MAX - 1;

		prefix = prefix << 8 | (is_end ? 0 : (uint8_t)*name++);
	}
	return prefix;
}

/* Sorting keeps the order of equal names: they are put in rank by rank. */
static void collect(struct type_group *group, const struct btf_reader *btf, uint32_t first)
{
	struct type_names *names = &group->names;

	names->btf = btf;
	for (enum rank rank = 0; rank < RANK_COUNT; rank++) {
		for (uint32_t id = first; id < btf_reader_end_id(btf); id++) {
			const uint32_t *record = btf_reader_type(btf, id);

			if (layout_rank(record) == rank && *btf_type_name(btf, record))
				array_push(&names->items, ((struct sort_item){ .value = id }));
		}
	}
	sort_by_prefix(names->items.data, names->items.count, name_prefix, btf);
}

/* Takes the lines. */
static void add_change(struct differ *d, enum diff_class class, const struct type_group *group)
{
	const uint32_t *record = record_at(&group->names, group->first);
	const char *name = btf_type_name(group->names.btf, record);
	struct type_change change = {
		.class = class, .keyword = rank_keywords[layout_rank(record)],
		.name = memory_string(name, strnlen(name, BTF_NAME_BYTES_MAX - 1)),
		.module = group->module,
		.details = d->lines,
	};

	d->lines = (type_change_lines){ 0 };
	array_push(&d->diff->changes, change);
}

/* Adds the lines of the two groups of definitions. */
static void compare_groups(struct differ *d)
{
	struct side *old = &d->old, *new = &d->new;
	uint32_t old_total, pairs, gone, more;
	bool several;

	take_definitions(d, old);
	take_definitions(d, new);
	old_total = old->layout_count;
	several = old->layout_count > 1 || new->layout_count > 1;
	/* Definitions that both sides have are dropped. */
	for (uint32_t i = 0; several && i < old->layout_count;) {
		uint32_t k = 0;

		while (k < new->layout_count && !are_equal(d, &old->layouts[i], &new->layouts[k]))
			k++;
		if (k == new->layout_count) {
			i++;
			continue;
		}
		drop_layout(old, i);
		drop_layout(new, k);
	}
	pairs = old->layout_count < new->layout_count ? old->layout_count : new->layout_count;
	for (uint32_t i = 0; i < pairs; i++) {
		if (i)
			add_group_line(d, "another definition:");
		compare_layouts(d, &old->layouts[i], &new->layouts[i]);
	}
	gone = old->layout_count - pairs;
	more = new->layout_count - pairs;
	if (gone == 1)
		add_group_line(d, "one definition of %u is gone", old_total);
	else if (gone)
		add_group_line(d, "%u definitions of %u are gone", gone, old_total);
	if (more)
		add_group_line(d, more == 1 ? "one more definition" : "%u more definitions", more);
}

/* Pointers that only one side has are taken to be as long on the other one. */
static void match_pointers(struct differ *d)
{
	uint32_t *old = &d->old.group.pointer_bytes, *new = &d->new.group.pointer_bytes;

	*old = *old ? *old : *new ? *new : 8;
	*new = *new ? *new : *old;
}

static void end_comparing(struct differ *d)
{
	d->diff->incomplete |= !d->budget || d->cut;
	array_release(&d->lines);
	for (uint32_t i = 0; i < DEFINITIONS_MAX; i++) {
		layout_release(&d->old.layouts[i]);
		layout_release(&d->new.layouts[i]);
	}
}

/* A module may have a type of its own that its kernel has, too; that one is compared. */
static void add_lone(struct type_diff *diff, int side, const struct type_group *group)
{
	if (!group->module || !has_name(&diff->names.data[0], group) ||
	    !has_name(&diff->names.data[1], group))
		array_push(&diff->lone[side], *group);
}

void type_diff_add(struct type_diff *diff, const char *module, const struct btf_reader *old_btf,
		   uint32_t old_pointer_bytes, const struct btf_reader *new_btf,
		   uint32_t new_pointer_bytes)
{
	const struct btf_reader *const btfs[2] = { old_btf, new_btf };
	const uint32_t pointer_bytes[2] = { old_pointer_bytes, new_pointer_bytes };
	struct differ d = { .diff = diff, .budget = BUDGET };
	struct type_group *const groups[2] = { &d.old.group, &d.new.group };

	for (int i = 0; i < 2; i++) {
		const struct btf_reader *btf = btfs[i];

		groups[i]->module = module;
		if (!btf)
			continue;
		groups[i]->pointer_bytes = pointer_bytes[i] ? pointer_bytes[i]
							    : btf_pointer_bytes(btf);
		collect(groups[i], btf, module ? btf->first_id : 1);
		d.budget += BUDGET_OF_BYTE * (uint64_t)btf->data_bytes;
		take_next(groups[i]);
	}
	match_pointers(&d);
	while (groups[0]->count || groups[1]->count) {
		int order = group_order(groups[0], groups[1]);

		if (order) {
			add_lone(diff, order > 0, groups[order > 0]);
		} else {
			compare_groups(&d);
			diff->compared++;
		}
		if (d.lines.count)
			add_change(&d, DIFF_TYPE_CHANGED, groups[1]);
		if (order <= 0)
			take_next(groups[0]);
		if (order >= 0)
			take_next(groups[1]);
	}
	end_comparing(&d);
	for (int i = 0; i < 2; i++)
		array_push(&diff->names, groups[i]->names);
}

/* ---- types in another file ---- */

/* The kernel itself, and its modules by name. */
static int compare_lone(const void *a, const void *b)
{
	const struct type_group *x = a, *y = b;
	int order = group_order(x, y);

	if (order || !x->module || !y->module)
		return order ? order : (x->module != NULL) - (y->module != NULL);
	return strcmp(x->module, y->module);
}

/* "vmlinux and 2 more", to be freed. */
static char *files_text(const struct type_group *lone, size_t count)
{
	return text_format(count > 1 ? "%s and %zu more" : "%s",
			   lone->module ? lone->module : "vmlinux", count - 1);
}

/*
 * Is it one type, which moved? The kernel's names are one for all; in two modules a name may be
 * that of two types, unless they are equal.
 */
static bool add_moved(struct differ *d, const struct type_group *olds, size_t old_count,
		      const struct type_group *news, size_t new_count)
{
	char *from, *to;

	if (!old_count || !new_count)
		return false;
	d->old.group = *olds;
	d->new.group = *news;
	match_pointers(d);
	from = files_text(olds, old_count);
	to = files_text(news, new_count);
	add_group_line(d, "%s -> %s", from, to);
	free(from);
	free(to);
	compare_groups(d);
	if (d->lines.count > 1 && olds->module && news->module) {
		array_free_from(&d->lines, 0);
		return false;
	}
	d->diff->compared++;
	add_change(d, d->lines.count > 1 ? DIFF_TYPE_CHANGED : DIFF_TYPE_MOVED, news);
	return true;
}

void type_diff_finish(struct type_diff *diff)
{
	static const enum diff_class classes[] = { DIFF_TYPE_GONE, DIFF_TYPE_NEW };
	static const struct type_group end = { 0 };
	struct differ d = { .diff = diff, .budget = BUDGET };
	const struct type_groups *lone = diff->lone;
	size_t at[2] = { 0, 0 }, counts[2];

	array_sort(&lone[0], compare_lone);
	array_sort(&lone[1], compare_lone);
	while (at[0] < lone[0].count || at[1] < lone[1].count) {
		const struct type_group *next[2], *first;
		bool moved;

		for (int i = 0; i < 2; i++)
			next[i] = at[i] < lone[i].count ? &lone[i].data[at[i]] : &end;
		first = next[group_order(next[0], next[1]) > 0];
		/* The groups of a side that have this name. */
		for (int i = 0; i < 2; i++) {
			counts[i] = 0;
			while (at[i] + counts[i] < lone[i].count &&
			       !group_order(next[i] + counts[i], first))
				counts[i]++;
		}
		moved = add_moved(&d, next[0], counts[0], next[1], counts[1]);
		for (int i = 0; i < 2; at[i] += counts[i], i++) {
			for (size_t k = 0; k < counts[i] && !moved; k++)
				add_change(&d, classes[i], next[i] + k);
		}
	}
	end_comparing(&d);
}

void type_diff_release(struct type_diff *diff)
{
	for (int i = 0; i < 2; i++)
		array_release(&diff->lone[i]);
	for (size_t i = 0; i < diff->names.count; i++)
		array_release(&diff->names.data[i].items);
	array_release(&diff->names);
	array_each(struct type_change, change, &diff->changes) {
		array_free(&change->details);
		free(change->name);
	}
	array_release(&diff->changes);
}
