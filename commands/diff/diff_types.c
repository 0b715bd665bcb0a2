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
#define LINE_COST	64		/* looking at a member costs 1, a type's text its length */
/* Of all walks, and more for each byte of BTF: 6.1 for 686 and 7.3 take a quarter of it. */
#define BUDGET		(1u << 24)
#define BUDGET_OF_BYTE	4

static const char *const rank_keywords[RANK_COUNT] = { "enum", "struct", "typedef", "union" };

struct side {
	const struct btf_reader *btf;
	uint32_t pointer_bytes;
	struct type_names names;
	size_t next;				/* of the items */
	struct layout layouts[DEFINITIONS_MAX];	/* of the name that is looked at */
	uint32_t layout_count;
};

struct differ {
	struct side old;
	struct side new;
	struct type_diff *diff;
	const char *module;			/* NULL: of the files themselves */
	type_change_lines lines;		/* of the pair of definitions */
	uint64_t budget;
	struct text line;		/* that is being written */
	bool cut;			/* somewhere there is more than is looked at */
};

static bool spend(struct differ *d, uint64_t cost)
{
	return layout_spend(&d->budget, cost);
}

/* ---- text ---- */

#define put(d, ...) text_add_format(&(d)->line, __VA_ARGS__)

/* To be freed. A line that is too long loses its end. */
static char *take_line(struct differ *d)
{
	if (d->line.count >= LINE_BYTES_MAX)
		d->line.count = LINE_BYTES_MAX - 1;
	return text_finish(&d->line);
}

static void end_line(struct differ *d)
{
	char *line = take_line(d), *text = c_spelling(line);

	free(line);
	if (spend(d, LINE_COST + strlen(text)))
		array_push(&d->lines, text);
	else
		free(text);
}

/* A line about the whole definition. There are few of them: they cost nothing. */
static void end_definition_line(struct differ *d)
{
	array_push(&d->lines, take_line(d));
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

static void put_path(struct differ *d, const struct layout *layout, const struct member *member)
{
	put(d, "%s", path_of(layout, member, "(anon)").text);
}

/* A declaration, until the budget is spent. */
static void add_declaration(struct differ *d, struct text *text, const struct layout *layout,
			    uint32_t type, const char *name)
{
	if (d->budget)
		spend(d, c_declaration_add_btf(text, layout->btf, type, name));
	else
		text_add_string(text, C_DECLARATION_CUT);
}

/* A type as C, to be freed. */
static char *type_text(struct differ *d, const struct layout *layout, uint32_t type)
{
	struct text text = { 0 };

	add_declaration(d, &text, layout, type, "");
	return text_finish(&text);
}

/* Bytes, and the bits that are left over. */
static void put_offset(struct differ *d, uint64_t bits)
{
	put(d, "%" PRIu64, bits / 8);
	if (bits % 8)
		put(d, ":%" PRIu64, bits % 8);
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

static void put_move(struct differ *d, const struct member *old, const struct member *new)
{
	put(d, "moved ");
	put_offset(d, old->offset_bits);
	put(d, " -> ");
	put_offset(d, new->offset_bits);
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
	x = type_text(d, old, a);
	y = type_text(d, new, b);
	same = c_spelling_is_same(x, y);
	d->cut |= same && strstr(x, C_DECLARATION_CUT);
	free(x);
	free(y);
	return same;
}

struct sorted_member {
	const struct layout *layout;
	uint32_t index;
};

static int sorted_order(const void *a, const void *b)
{
	const struct sorted_member *x = a, *y = b;
	int order = member_order(x->layout, &x->layout->members.data[x->index], y->layout,
				 &y->layout->members.data[y->index]);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Its members by path, matched with none. */
static struct sorted_member *sort_members(struct layout *layout)
{
	struct sorted_member *sorted = memory_alloc(layout->members.count * sizeof(*sorted));

	for (uint32_t i = 0; i < layout->members.count; i++) {
		sorted[i] = (struct sorted_member){ layout, i };
		layout->members.data[i].match = NO_MEMBER;
	}
	qsort(sorted, layout->members.count, sizeof(*sorted), sorted_order);
	return sorted;
}

/* By path; of several with one path the first with the first. */
static void match_members(struct layout *old, struct layout *new)
{
	struct sorted_member *a = sort_members(old), *b = sort_members(new);

	for (size_t i = 0, j = 0; i < old->members.count && j < new->members.count;) {
		struct member *x = &old->members.data[a[i].index];
		struct member *y = &new->members.data[b[j].index];
		int order = member_order(old, x, new, y);

		if (order == 0) {
			x->match = b[j].index;
			y->match = a[i].index;
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
	put_path(d, new, first);
	if (run->count == 1) {
		put(d, " ");
		put_move(d, &old->members.data[first->match], first);
	} else {
		put(d, " .. ");
		put_path(d, new, first + run->count - 1);
		put(d, " (%u members) moved by %c", run->count, is_back ? '-' : '+');
		put_offset(d, is_back ? -distance : distance);
	}
	end_line(d);
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

/* Adds "old type -> new type" to the line. */
static void put_retyped(struct differ *d, const struct layout *old, uint32_t old_type,
			const struct layout *new, uint32_t new_type)
{
	char *x = type_text(d, old, old_type), *y = type_text(d, new, new_type);
	char *flat_x = flattened(x), *flat_y = flattened(y);

	/*
	 * Do they differ only in the dimensions of arrays? Encoders before pahole 1.32 flatten
	 * int[3][5] to int[15], and a program compiled for one does not load on the other.
	 */
	put(d, "%s -> %s%s", x, y, c_spelling_is_same(flat_x, flat_y)
		? " (the same elements; CO-RE matches only one shape)" : "");
	free(x);
	free(y);
	free(flat_x);
	free(flat_y);
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

	if (run->count && (resized || retyped || distance != run->distance_bits))
		flush_run(d, old, new, run);
	if (!resized && !retyped) {
		if (distance && !run->count++)
			*run = (struct run){ at, 1, distance };
		return;
	}
	put_path(d, new, b);
	if (resized) {
		put(d, " resized %" PRIu64 "%s%s -> %" PRIu64 " %s", units_of(a),
			a->is_bitfield != b->is_bitfield ? " " : "",
			a->is_bitfield != b->is_bitfield ? unit_of(a) : "", units_of(b),
			unit_of(b));
	} else {
		put(d, ": ");
		put_retyped(d, old, a->type, new, b->type);
	}
	if (distance) {
		put(d, ", ");
		put_move(d, a, b);
	}
	end_line(d);
}

static void put_value(struct differ *d, const struct layout *layout, const struct member *member)
{
	if (btf_info_kind_flag(layout->record[BTF_WORD_INFO]))
		put(d, "%" PRId64, (int64_t)member->offset_bits);
	else
		put(d, "%" PRIu64, member->offset_bits);
}

/* A member or enumerator that was added or removed. */
static void add_one_sided(struct differ *d, char sign, const struct layout *layout, uint32_t at)
{
	const struct member *member = &layout->members.data[at];

	put(d, "%c ", sign);
	if (layout_is_enum(layout)) {
		put_path(d, layout, member);
		put(d, " = ");
		put_value(d, layout, member);
	} else {
		add_declaration(d, &d->line, layout, member->type,
				path_of(layout, member, "").text);
		put(d, " at ");
		put_offset(d, member->offset_bits);
		put(d, ", %" PRIu64 " %s", units_of(member), unit_of(member));
	}
	end_line(d);
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
			put_path(d, new, member);
			put(d, " ");
			put_value(d, old, &old->members.data[match]);
			put(d, " -> ");
			put_value(d, new, member);
			end_line(d);
		}
		add_removed(d, old, new, match + 1, &run);
	}
	flush_run(d, old, new, &run);
}

/*
 * Adds the lines of two definitions, none if they are equal. A member that has not moved ends a run
 * of members that have, because the distances differ then.
 */
static void compare_layouts(struct differ *d, struct layout *old, struct layout *new)
{
	size_t count = old->members.count, equal = 0;

	if (old->bytes != new->bytes) {
		put(d, "size %" PRIu64 " -> %" PRIu64, old->bytes, new->bytes);
		end_definition_line(d);
	}
	if (!old->record || !new->record ||
	    layout_rank(old->record) != layout_rank(new->record)) {
		bool same_kind = !old->record == !new->record;

		if (layout_same_type(old, old->id, new, new->id) ||
		    (same_kind && same_type_text(d, old, old->id, new, new->id)))
			return;
		put_retyped(d, old, old->id, new, new->id);
		end_line(d);
		return;
	}
	if (old->is_cut || new->is_cut || !spend(d, count + new->members.count))
		return;
	if (count == new->members.count) {
		for (; equal < count; equal++) {
			const struct member *a = &old->members.data[equal];
			const struct member *b = &new->members.data[equal];

			if (!at_one_place(old, a, new, b) || a->size_bits != b->size_bits ||
			    member_order(old, a, new, b) != 0 ||
			    !layout_same_type(old, a->type, new, b->type))
				break;
		}
		if (equal == count)
			return;
	}
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
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	if (a->members.count != b->members.count)
		return a->members.count < b->members.count ? -1 : 1;
	for (size_t i = 0; i < a->members.count && spend(d, 1); i++) {
		const struct member *x = &a->members.data[i], *y = &b->members.data[i];
		int order = member_order(a, x, b, y);

		if (order)
			return order;
		if (x->offset_bits != y->offset_bits)
			return x->offset_bits < y->offset_bits ? -1 : 1;
		if (x->size_bits != y->size_bits)
			return x->size_bits < y->size_bits ? -1 : 1;
	}
	return 0;
}

static void swap_layouts(struct layout *a, struct layout *b)
{
	struct layout kept = *a;

	*a = *b;
	*b = kept;
}

/* Flattens and sorts the definitions; repeated ones are left out. */
static void take_definitions(struct differ *d, struct side *side, size_t count)
{
	const struct sort_item *items = side->names.items.data + side->next;

	side->layout_count = 0;
	d->cut |= count > DEFINITIONS_MAX;
	for (size_t i = 0; i < count && side->layout_count < DEFINITIONS_MAX; i++) {
		struct layout *layouts = side->layouts;
		uint32_t at = side->layout_count, same = 0;

		layout_flatten(&layouts[at], side->btf, side->pointer_bytes, items[i].value,
			       &d->budget);
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

static const char *name_at(const struct type_names *names, size_t item)
{
	return btf_type_name(names->btf,
			     btf_reader_type(names->btf, names->items.data[item].value));
}

static enum rank rank_at(const struct type_names *names, size_t item)
{
	return layout_rank(btf_reader_type(names->btf, names->items.data[item].value));
}

static int order_at(const struct type_names *a, size_t i, const struct type_names *b, size_t j)
{
	int order = layout_name_order(name_at(a, i), name_at(b, j));

	return order ? order : (int)rank_at(a, i) - (int)rank_at(b, j);
}

/* Is there a type of the name and rank of that of `of`? */
static bool has_name(const struct type_names *names, const struct side *of)
{
	size_t i = lower_bound(k, names->items.count,
			       order_at(names, k, &of->names, of->next) < 0);

	return i < names->items.count && !order_at(names, i, &of->names, of->next);
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
static void collect(struct side *side, const struct btf_reader *btf, uint32_t pointer_bytes,
		    uint32_t first)
{
	if (!btf)
		return;
	side->btf = side->names.btf = btf;
	side->pointer_bytes = pointer_bytes ? pointer_bytes : btf_pointer_bytes(btf);
	for (enum rank rank = 0; rank < RANK_COUNT; rank++) {
		for (uint32_t id = first; id < btf_reader_end_id(btf); id++) {
			const uint32_t *record = btf_reader_type(btf, id);

			if (layout_rank(record) == rank && *btf_type_name(btf, record))
				array_push(&side->names.items, ((struct sort_item){ .value = id }));
		}
	}
	sort_by_prefix(side->names.items.data, side->names.items.count, name_prefix, btf);
}

/* How many items from the next on have its name and rank. */
static size_t group_size(const struct side *side)
{
	size_t end = side->next + 1;

	while (end < side->names.items.count &&
	       !order_at(&side->names, end, &side->names, side->next))
		end++;
	return end - side->next;
}

/* Takes the lines. */
static void add_change(struct differ *d, enum diff_class class, const struct side *named)
{
	const char *name = name_at(&named->names, named->next);
	struct type_change change = {
		.class = class, .keyword = rank_keywords[rank_at(&named->names, named->next)],
		.name = memory_string(name, strnlen(name, BTF_NAME_BYTES_MAX - 1)),
		.module = d->module,
		.details = d->lines,
	};

	d->lines = (type_change_lines){ 0 };
	array_push(&d->diff->changes, change);
}

/* Adds the lines of two groups of definitions. */
static void compare_group(struct differ *d, size_t old_count, size_t new_count)
{
	struct side *old = &d->old, *new = &d->new;
	uint32_t old_total, pairs;
	bool several;

	take_definitions(d, old, old_count);
	take_definitions(d, new, new_count);
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
		if (i) {
			put(d, "another definition:");
			end_definition_line(d);
		}
		compare_layouts(d, &old->layouts[i], &new->layouts[i]);
	}
	if (old->layout_count == pairs + 1)
		put(d, "one definition of %u is gone", old_total);
	else if (old->layout_count > pairs)
		put(d, "%u definitions of %u are gone", old->layout_count - pairs, old_total);
	else if (new->layout_count == pairs + 1)
		put(d, "one more definition");
	else if (new->layout_count > pairs)
		put(d, "%u more definitions", new->layout_count - pairs);
	if (d->line.count)
		end_definition_line(d);
}

/* Pointers that only one side has are taken to be as long on the other one. */
static void match_pointers(struct side *old, struct side *new)
{
	if (!old->pointer_bytes)
		old->pointer_bytes = new->pointer_bytes ? new->pointer_bytes : 8;
	if (!new->pointer_bytes)
		new->pointer_bytes = old->pointer_bytes;
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
static void add_lone(const struct differ *d, int number, const struct side *side, size_t count)
{
	struct type_diff *diff = d->diff;

	if (d->module && has_name(&diff->kernel[0], side) && has_name(&diff->kernel[1], side))
		return;
	array_push(&diff->lone[number], ((struct lone_type){
		.names = side->names, .first = side->next, .count = count,
		.module = d->module, .pointer_bytes = side->pointer_bytes }));
}

void type_diff_add(struct type_diff *diff, const char *module, const struct btf_reader *old_btf,
		   uint32_t old_pointer_bytes, const struct btf_reader *new_btf,
		   uint32_t new_pointer_bytes)
{
	struct differ d = { .diff = diff, .module = module, .budget = BUDGET };
	struct side *old = &d.old, *new = &d.new;

	collect(old, old_btf, old_pointer_bytes, module && old_btf ? old_btf->first_id : 1);
	collect(new, new_btf, new_pointer_bytes, module && new_btf ? new_btf->first_id : 1);
	for (int i = 0; i < 2; i++) {
		const struct btf_reader *btf = i ? new_btf : old_btf;

		d.budget += btf ? BUDGET_OF_BYTE * (uint64_t)btf->data_bytes : 0;
	}
	match_pointers(old, new);
	while (old->next < old->names.items.count || new->next < new->names.items.count) {
		size_t old_count, new_count;
		int order;

		if (old->next == old->names.items.count || new->next == new->names.items.count)
			order = old->next == old->names.items.count ? 1 : -1;
		else
			order = order_at(&old->names, old->next, &new->names, new->next);
		old_count = order <= 0 ? group_size(old) : 0;
		new_count = order >= 0 ? group_size(new) : 0;
		if (order < 0)
			add_lone(&d, 0, old, old_count);
		else if (order > 0)
			add_lone(&d, 1, new, new_count);
		else
			compare_group(&d, old_count, new_count);
		diff->compared += order == 0;
		if (d.lines.count)
			add_change(&d, DIFF_TYPE_CHANGED, new);
		old->next += old_count;
		new->next += new_count;
	}
	end_comparing(&d);
	for (int i = 0; i < 2; i++) {
		struct type_names *names = i ? &new->names : &old->names;

		if (module)
			array_push(&diff->names, *names);
		else
			diff->kernel[i] = *names;
	}
}

/* ---- types in another file ---- */

static int compare_names(const struct lone_type *a, const struct lone_type *b)
{
	return order_at(&a->names, a->first, &b->names, b->first);
}

/* By name and keyword; then the kernel itself, and its modules by name. */
static int compare_lone(const void *a, const void *b)
{
	const struct lone_type *x = a, *y = b;
	int order = compare_names(x, y);

	if (order || !x->module || !y->module)
		return order ? order : (x->module != NULL) - (y->module != NULL);
	return strcmp(x->module, y->module);
}

static void look_at(struct side *side, const struct lone_type *lone)
{
	side->btf = lone->names.btf;
	side->names = lone->names;
	side->next = lone->first;
	side->pointer_bytes = lone->pointer_bytes;
}

static void put_files(struct differ *d, const struct lone_type *lone, size_t count)
{
	put(d, "%s", lone->module ? lone->module : "vmlinux");
	if (count > 1)
		put(d, " and %zu more", count - 1);
}

/*
 * Is it one type, which moved? The kernel's names are one for all; in two modules a name may be
 * that of two types, unless they are equal.
 */
static bool add_moved(struct differ *d, const struct lone_type *olds, size_t old_count,
		      const struct lone_type *news, size_t new_count)
{
	if (!old_count || !new_count)
		return false;
	look_at(&d->old, olds);
	look_at(&d->new, news);
	match_pointers(&d->old, &d->new);
	put_files(d, olds, old_count);
	put(d, " -> ");
	put_files(d, news, new_count);
	end_definition_line(d);
	compare_group(d, olds->count, news->count);
	if (d->lines.count > 1 && olds->module && news->module) {
		array_free_from(&d->lines, 0);
		return false;
	}
	d->module = news->module;
	d->diff->compared++;
	add_change(d, d->lines.count > 1 ? DIFF_TYPE_CHANGED : DIFF_TYPE_MOVED, &d->new);
	return true;
}

/* The lone types of a side that have the name of this one. */
static size_t count_lone(const struct lone_types *lone, size_t from, const struct lone_type *named)
{
	size_t end = from;

	while (end < lone->count && !compare_names(&lone->data[end], named))
		end++;
	return end - from;
}

void type_diff_finish(struct type_diff *diff)
{
	static const enum diff_class classes[] = { DIFF_TYPE_GONE, DIFF_TYPE_NEW };
	struct differ d = { .diff = diff, .budget = BUDGET };
	const struct lone_types *lone = diff->lone;
	size_t at[2] = { 0, 0 }, counts[2];

	array_sort(&lone[0], compare_lone);
	array_sort(&lone[1], compare_lone);
	while (at[0] < lone[0].count || at[1] < lone[1].count) {
		const struct lone_type *was = NULL, *is = NULL;
		bool is_new, moved;

		if (at[0] < lone[0].count)
			was = &lone[0].data[at[0]];
		if (at[1] < lone[1].count)
			is = &lone[1].data[at[1]];
		is_new = !was || (is && compare_names(is, was) < 0);
		for (int i = 0; i < 2; i++)
			counts[i] = count_lone(&lone[i], at[i], is_new ? is : was);
		moved = add_moved(&d, was, counts[0], is, counts[1]);
		for (int i = 0; i < 2; at[i] += counts[i], i++) {
			for (size_t k = 0; k < counts[i] && !moved; k++) {
				look_at(&d.old, &lone[i].data[at[i] + k]);
				d.module = lone[i].data[at[i] + k].module;
				add_change(&d, classes[i], &d.old);
			}
		}
	}
	end_comparing(&d);
}

void type_diff_release(struct type_diff *diff)
{
	for (int i = 0; i < 2; i++) {
		array_release(&diff->kernel[i].items);
		array_release(&diff->lone[i]);
	}
	for (size_t i = 0; i < diff->names.count; i++)
		array_release(&diff->names.data[i].items);
	array_release(&diff->names);
	for (size_t i = 0; i < diff->changes.count; i++) {
		struct type_change *change = &diff->changes.data[i];

		array_free_from(&change->details, 0);
		array_release(&change->details);
		free(change->name);
	}
	array_release(&diff->changes);
}
