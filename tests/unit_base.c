/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Split BTF: the index over a base, which types of a module are found in it, and the image that is
 * left; against expected types written out by hand, and against the slow reference on random texts.
 *
 * usage: unit_base [PROGRAMS [FIRST_SEED]]
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tests/random_types.h"
#include "tests/reference_match.h"
#include "tests/seeds.h"
#include "tests/split_types.h"

static uint32_t random_programs = 3000;
static uint32_t first_seed;

static const uint32_t masks[] = { UINT32_MAX, 3, 0 };	/* of hashes: 0 makes all collide */

/* ---- the index ---- */

/* Of all strings of a pool, by an index of all and by one for this pool. */
static uint32_t base_name(const struct base_types *types, const char *text)
{
	struct string_pool pool;
	struct node_table none;
	struct btf_base lazy;
	uint32_t offset = 0;

	string_pool_init(&pool);
	string_pool_add(&pool, "another");
	string_pool_add(&pool, text);
	node_table_init(&none);
	btf_base_index_for(&lazy, &types->lazy, &none, &pool);
	for (uint32_t id = 0; id < pool.strings.count; id++) {
		offset = btf_base_string(&types->base, &pool, (struct pool_id){ id });
		assert_int_equal(btf_base_string(&lazy, &pool, (struct pool_id){ id }), offset);
	}
	btf_base_release(&lazy);
	node_table_release(&none);
	string_pool_release(&pool);
	return offset;
}

static uint32_t first_of_name(const struct btf_base *base, const char *text)
{
	struct pool_string name = pool_string(text);
	uint32_t at = 0;

	return btf_base_next_of_name(base, &at, &name);
}

static uint32_t find_type(const struct btf_reader *btf, enum btf_kind kind, const char *name)
{
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);

		if (btf_info_kind(words[BTF_WORD_INFO]) == kind &&
		    strcmp(btf_reader_string(btf, words[BTF_WORD_NAME]), name) == 0)
			return id;
	}
	return 0;
}

static uint32_t find_content(const struct btf_base *base, const uint32_t *words)
{
	struct pool_string name = pool_string(btf_reader_string(base->reader, words[0]));
	bool by_name = *name.text && btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO]));
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]), at = 0, id, hashed[64];

	memcpy(hashed, words, count * sizeof(*words));
	btf_each_name(word, words) {
		const char *text = btf_reader_string(base->reader, words[word]);

		hashed[word] = *text ? pool_string(text).hash : 0;
	}
	do {
		id = by_name ? btf_base_next_of_name(base, &at, &name)
			     : btf_base_next_like(base, &at, hash_words(hashed, count));
	} while (id && (btf_reader_type(base->reader, id)[BTF_WORD_INFO] != words[BTF_WORD_INFO] ||
			memcmp(btf_reader_type(base->reader, id), words,
			       btf_record_words(words[BTF_WORD_INFO]) * sizeof(*words)) != 0));
	return id;
}

/* Each type is found by its content: itself, or an equal one before it. */
static void check_contents(const struct btf_base *base)
{
	for (uint32_t id = 1; id < base->end_id; id++) {
		enum btf_kind kind = btf_info_kind(btf_reader_type(base->reader,
								   id)[BTF_WORD_INFO]);
		const uint32_t *record = btf_reader_type(base->reader, id);
		size_t bytes = btf_record_words(record[BTF_WORD_INFO]) * sizeof(*record);
		uint32_t words[64], found;

		memcpy(words, record, bytes);
		found = find_content(base, words);
		if (kind == BTF_FUNC || kind == BTF_VAR || kind == BTF_DATASEC) {
			assert_int_equal(found, 0);
			continue;
		}
		assert_in_range(found, 1, id);
		assert_memory_equal(words, btf_reader_type(base->reader, found), bytes);
		words[BTF_WORD_SIZE] += 1000;
		assert_int_equal(find_content(base, words), 0);
	}
}

TEST(test_index)
{
	for (size_t m = 0; m < LENGTH(masks); m++) {
		struct base_types types;
		uint32_t words[3] = { 0, btf_info(BTF_PTR, 0, false), 0 };

		hash_mask = masks[m];
		base_types_init(&types, "sa:i,q.Psa sa1:u Psa +Psa Psb ma:1 =fFi =vi =si Td e");
		check_contents(&types.base);
		words[BTF_WORD_TYPE] = find_type(&types.reader, BTF_STRUCT, "a");
		assert_int_equal(words[BTF_WORD_TYPE], 3);	/* after INT and PTR */
		assert_int_equal(find_content(&types.base, words), 2);
		words[BTF_WORD_TYPE] = 0;
		assert_int_equal(find_content(&types.base, words), 0);
		/* Names of types, members, enumerators and parameters. */
		assert_int_not_equal(base_name(&types, "a"), 0);
		assert_int_not_equal(base_name(&types, "q"), 0);
		assert_int_not_equal(base_name(&types, "x"), 0);
		assert_int_not_equal(base_name(&types, "p"), 0);
		assert_int_equal(base_name(&types, "missing"), 0);
		assert_int_equal(base_name(&types, "nt"), 0);
		assert_int_equal(base_name(&types, ""), 0);
		assert_null(btf_reader_type(types.base.reader, UINT32_MAX));
		assert_null(btf_reader_type(types.base.reader, 0));
		base_types_release(&types);
	}
	hash_mask = UINT32_MAX;
}

/* A name's chain: all of it by ascending id, FUNC and TYPEDEF not among them. */
TEST(test_name_chain)
{
	struct base_types types;
	struct pool_string name = pool_string("a");
	uint32_t last = 0, count = 0, at = 0, id;

	base_types_init(&types, "sa:i na:i ma:1 sa1:u Psa? Tsa =vi");
	while ((id = btf_base_next_of_name(&types.base, &at, &name))) {
		assert_true(id > last);
		last = id;
		count++;
	}
	assert_int_equal(count, 5);
	assert_int_equal(first_of_name(&types.base, "t"), 0);
	assert_int_equal(first_of_name(&types.base, "v"), 0);
	base_types_release(&types);
}

TEST(test_distinct)
{
	static const struct {
		const char *text;
		enum btf_kind kind;
		bool distinct;
	} rows[] = {
		{ "sa:i", BTF_STRUCT, true },
		{ "sa:i sb:i", BTF_STRUCT, true },
		{ "sa:i sa1:u", BTF_STRUCT, false },
		{ "sa:i sa1:u,u", BTF_STRUCT, true },
		{ "sa:i na:i", BTF_STRUCT, false },
		{ "sa:i na:i", BTF_UNION, false },
		{ "sa:i na:i,i", BTF_UNION, true },
		{ "sa:i ma:1", BTF_STRUCT, true },
		{ "sa#4:i ma:1", BTF_ENUM, false },
		{ "sa:i ma:1L", BTF_ENUM64, false },
		{ "sa:i Psa?", BTF_STRUCT, false },
		{ "sa:i Psa?", BTF_FWD, false },
		{ "Psa", BTF_FWD, true },
		{ "Psa Pna", BTF_FWD, false },
		{ "sa:i Tsa", BTF_STRUCT, true },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct base_types types;
		uint32_t id;

		base_types_init(&types, rows[i].text);
		id = find_type(&types.reader, rows[i].kind, "a");
		assert_int_not_equal(id, 0);
		if (btf_base_is_distinct(&types.base, id) != rows[i].distinct)
			fail_msg("%s: %s", rows[i].text, btf_kinds[rows[i].kind].name);
		base_types_release(&types);
	}
}

/* ---- the split image against a match ---- */

struct expectation {
	const struct type_text *module;
	const struct btf_base_match *match;
	const struct split_types *split;
	bool *is_written;	/* by node; then by tag */
};

static void fail_with(const char *base, const char *module, const char *what)
{
	fail_msg("%s\n  base:   %s\n  module: %s", what, base, module);
}

/* A definition in place of its tag. */
static uint32_t record_of(const struct node_table *table, uint32_t ref)
{
	struct node_ref node = ref_of_word(ref);
	uint32_t definition = ref_is_tag(node) ? table->tags.data[ref_tag(node)].definition : 0;

	return definition ? definition : ref;
}

static uint32_t match_of(const struct expectation *e, uint32_t ref)
{
	return ref_is_tag(ref_of_word(ref)) ? e->match->tags[ref_tag(ref_of_word(ref))]
					    : e->match->nodes[ref];
}

static uint32_t expected_id(const struct expectation *e, uint32_t ref)
{
	const struct btf_image *image = &e->split->image;
	uint32_t record = record_of(&e->module->table, ref);

	if (ref == 0)
		return 0;
	if (match_of(e, ref))
		return match_of(e, ref);
	for (uint32_t i = 0; i < image->type_count; i++) {
		if (image->nodes[i].word == record)
			return image->first_id + i;
	}
	return UINT32_MAX;
}

static bool mark(const struct expectation *e, uint32_t ref)
{
	uint32_t record = record_of(&e->module->table, ref);
	bool *mark = &e->is_written[ref_is_tag(ref_of_word(record))
				     ? e->module->table.nodes.count + ref_tag(ref_of_word(record))
				     : record];

	if (ref == 0 || match_of(e, ref) || *mark)
		return false;
	*mark = true;
	return true;
}

/* All roots that the base does not have, and what they lead to. Returns how many. */
static uint32_t mark_written(const struct expectation *e)
{
	const struct node_table *table = &e->module->table;
	uint32_t count = 0;
	bool changed = true;

	for (uint32_t s = 1; s < table->nodes.count; s++) {
		if (table->nodes.data[s].is_root && !e->match->inside[s])
			count += mark(e, s);
	}
	while (changed) {
		changed = false;
		for (uint32_t s = 1; s < table->nodes.count; s++) {
			const uint32_t *words = node_words(table, s);

			if (!e->is_written[s])
				continue;
			btf_each_ref(word, words) {
				bool is_new = mark(e, words[word]);

				count += is_new;
				changed |= is_new;
			}
		}
	}
	return count;
}

static const char *wrong_record(const struct expectation *e, uint32_t node, uint32_t id)
{
	const uint32_t *wanted = node_words(&e->module->table, node);
	const uint32_t *found = btf_reader_type(&e->split->reader, id);
	bool is_number[64];

	if (found[BTF_WORD_INFO] != wanted[BTF_WORD_INFO])
		return "a record of another kind or length";
	assert_true(btf_record_words(wanted[BTF_WORD_INFO]) <= LENGTH(is_number));
	memset(is_number, true, sizeof(is_number));
	btf_each_name(word, wanted) {
		is_number[word] = false;
		if (strcmp(string_pool_word_text(&e->module->pool, wanted[word]),
			   btf_reader_string(&e->split->reader, found[word])) != 0)
			return "another name";
	}
	btf_each_ref(word, wanted) {
		is_number[word] = false;
		if (found[word] != expected_id(e, wanted[word]))
			return "another reference";
	}
	for (uint32_t word = 0; word < btf_record_words(wanted[BTF_WORD_INFO]); word++) {
		if (is_number[word] && found[word] != wanted[word])
			return "another number";
	}
	return NULL;
}

static const char *wrong_forward(const struct expectation *e, uint32_t t, uint32_t id)
{
	const uint32_t *found = btf_reader_type(&e->split->reader, id);
	const struct tag *tag = &e->module->table.tags.data[t];
	uint32_t info = tag->kind == BTF_ENUM ? btf_info(BTF_ENUM, 0, false)
					      : btf_info(BTF_FWD, 0, tag->kind == BTF_UNION);

	if (found[BTF_WORD_INFO] != info ||
	    strcmp(btf_reader_string(&e->split->reader, found[BTF_WORD_NAME]),
		   string_pool_word_text(&e->module->pool, tag->name)) != 0)
		return "another declaration";
	return NULL;
}

/* The error in the split's records, according to the match; NULL: none. */
static const char *wrong_split(struct expectation *e)
{
	const struct node_table *table = &e->module->table;
	const struct btf_image *image = &e->split->image;
	const char *wrong = NULL;

	e->is_written = memory_zeroed(table->nodes.count + table->tags.count, sizeof(bool));
	if (mark_written(e) != image->type_count)
		wrong = "another number of types";
	for (uint32_t i = 0; i < image->type_count && !wrong; i++) {
		struct node_ref what = image->nodes[i];

		if (!e->is_written[ref_is_tag(what) ? table->nodes.count + ref_tag(what)
						    : ref_node(what)])
			wrong = "a type that the base has";
		else if (ref_is_tag(what))
			wrong = wrong_forward(e, ref_tag(what), image->first_id + i);
		else
			wrong = wrong_record(e, what.word, image->first_id + i);
	}
	free(e->is_written);
	return wrong;
}

/* The split's own strings: none that the base has as a name, none twice. */
static const char *wrong_strings(const struct base_types *base, const struct btf_reader *split)
{
	const char *end = split->strings + split->string_bytes;

	if (split->first_string != btf_reader_end_string(&base->reader))
		return "the strings begin elsewhere";
	/* Without any, the empty one is there. */
	for (const char *a = split->strings; a < end && split->string_bytes > 1;
	     a += strlen(a) + 1) {
		if (!*a || base_name(base, a))
			return "a string of the base";
		for (const char *b = a + strlen(a) + 1; b < end; b += strlen(b) + 1) {
			if (strcmp(a, b) == 0)
				return "a string twice";
		}
	}
	return NULL;
}

static void check_match(const char *base_text, const char *text, bool distilled, bool lazy,
			uint32_t *matched)
{
	struct base_types base;
	struct type_text module;
	struct btf_base_match wanted, found;
	struct btf_base own;

	base_types_init(&base, base_text);
	type_text_read(&module, text);
	reference_match(&wanted, &base.reader, &module, distilled);
	btf_base_index_for(&own, &base.lazy, &module.table, &module.pool);
	btf_base_match(&found, lazy ? &own : &base.base, &module.table, &module.pool, distilled);
	btf_base_release(&own);
	for (uint32_t s = 1; s < module.table.nodes.count; s++) {
		if (wanted.nodes[s] != found.nodes[s]) {
			print_error("node %u, a %s: %u, expected %u\n", s,
				    btf_kinds[node_kind(&module.table, s)].name, found.nodes[s],
				    wanted.nodes[s]);
			fail_with(base_text, text, distilled ? "distilled" : "split");
		}
		*matched += found.nodes[s] != 0;
	}
	for (uint32_t t = 0; t < module.table.tags.count; t++) {
		if (wanted.tags[t] != found.tags[t]) {
			print_error("tag %u '%s': %u, expected %u\n", t,
				    string_pool_word_text(&module.pool,
							  module.table.tags.data[t].name),
				    found.tags[t], wanted.tags[t]);
			fail_with(base_text, text, distilled ? "distilled" : "split");
		}
	}
	btf_base_match_release(&wanted);
	btf_base_match_release(&found);
	type_text_release(&module);
	base_types_release(&base);
}

/* Match and image of one module; *line (if not NULL): the new types, see below. */
static void check_module(const char *base_text, const char *text, uint32_t *matched, char *line,
			 size_t line_bytes)
{
	struct base_types base;
	struct type_text module;
	struct split_types split;
	struct btf_base_match match;
	struct expectation e = { &module, &match, &split, NULL };
	const char *wrong;
	size_t n = 0;

	for (int lazy = 0; lazy < 2; lazy++) {
		uint32_t found = 0;

		check_match(base_text, text, true, lazy, &found);
		found = 0;
		check_match(base_text, text, false, lazy, &found);
		*matched += lazy ? 0 : found;
	}
	base_types_init(&base, base_text);
	type_text_read(&module, text);
	btf_base_match(&match, &base.base, &module.table, &module.pool, false);
	split_types_init(&split, &base, &module, false);
	wrong = wrong_split(&e);
	if (!wrong)
		wrong = wrong_strings(&base, &split.reader);
	if (wrong)
		fail_with(base_text, text, wrong);
	for (uint32_t i = 0; line && i < split.image.type_count; i++) {
		const uint32_t *words = btf_reader_type(&split.reader, split.image.first_id + i);
		const char *name = btf_reader_string(&split.reader, words[BTF_WORD_NAME]);

		n += (size_t)snprintf(line + n, line_bytes - n, "%s%s%s%s", i ? ", " : "",
				      btf_kinds[btf_info_kind(words[BTF_WORD_INFO])].name,
				      *name ? " " : "", name);
	}
	split_types_release(&split);
	btf_base_match_release(&match);
	type_text_release(&module);
	base_types_release(&base);
}

/* ---- by hand ---- */

static const struct {
	const char *what;
	const char *base;
	const char *module;
	const char *new_types;	/* in the image's order: nameless ones first, then by name */
} cases[] = {
	{ "the same", "sa:i,Pu Psa Tsa", "sa:i,Pu Psa Tsa", "" },
	{ "nothing in common", "sa:i", "sb:u", "STRUCT b, INT unsigned" },
	{ "the base's int", "sa:i", "sb:i", "STRUCT b" },
	{ "a list", "sa:Psa", "sa:Psa Psa", "" },
	{ "two that contain each other", "sa:Psb sb:Psa,i", "sb:Psa,i sa:Psb PPsb", "PTR" },
	{ "a longer list", "sa:Psa", "sa:Psa,Psa", "PTR, STRUCT a" },
	{ "a difference beyond a pointer", "sa:i sb:Psa", "sa:u sb:Psa",
	  "PTR, STRUCT a, STRUCT b, INT unsigned" },
	{ "at the end of a chain", "sa:i sb:Psa sc:Psb sd:Psc se:Psd sz:i",
	  "sa:i,i sb:Psa sc:Psb sd:Psc se:Psd sz:i",
	  "PTR, PTR, PTR, PTR, STRUCT a, STRUCT b, STRUCT c, STRUCT d, STRUCT e" },
	{ "at the end of a chain, in the other order", "se:Psd sd:Psc sc:Psb sb:Psa sa:i sz:Psz",
	  "se:Psd sd:Psc sc:Psb sb:Psa sa:i,i sz:Psz",
	  "PTR, PTR, PTR, PTR, STRUCT a, STRUCT b, STRUCT c, STRUCT d, STRUCT e" },
	{ "a chain of enums, typedefs, arrays and prototypes",
	  "ma:1 sb:TPma sc:Asb sd:PFsc se:PCVsd", "ma:2 sb:TPma sc:Asb sd:PFsc se:PCVsd",
	  "PTR, ARRAY, FUNC_PROTO, PTR, VOLATILE, CONST, PTR, ENUM a, STRUCT b, STRUCT c, "
	  "STRUCT d, STRUCT e, TYPEDEF t" },
	{ "a difference in a cycle", "sa:Psb sb:Psc sc:Psa,i", "sa:Psb sb:Psc sc:Psa,u",
	  "PTR, PTR, PTR, STRUCT a, STRUCT b, STRUCT c, INT unsigned" },
	{ "another size", "sa:i", "sa#16:i", "STRUCT a" },
	{ "another member", "sa:q.i", "sa:r.i", "STRUCT a" },
	{ "a member's name that the base does not have", "sa:_.Xi", "sa:r.Xi", "STRUCT a" },
	{ "a member without a name", "sa:r.Xi", "sa:_.Xi", "STRUCT a" },
	{ "names have other ids in the base", "sa:a.i", "sa:r.i", "STRUCT a" },
	{ "another kind_flag", "sa!:i", "sa:i", "STRUCT a" },
	{ "a member less", "sa:i,i", "sa#16:i", "STRUCT a" },
	{ "another kind", "sa:i", "na:i", "UNION a" },
	{ "struct and union of one name", "sa:i na:u", "na:u sa:i Pna", "PTR" },
	{ "the second of two in the base", "sa:i sa1:u Psa1", "sa:u Psa", "" },
	{ "neither of two in the base", "sa:i sa1:u", "sa:d", "STRUCT a, FLOAT double" },
	{ "both", "sa:i sa1:u", "sa:u sa1:i", "" },
	{ "the third, by what it leads to", "sb:i sb1:u sb2:d sa:Psb sa1:Psb1 sa2:Psb2",
	  "sb:d sa:Psb Psa", "PTR" },
	{ "a declaration, one definition in the base", "sa:i Psa", "Psa", "" },
	{ "a declaration inside", "sa:i sb:Psa", "sb:Psa", "" },
	{ "a declaration, none in the base", "sb:i", "Psa", "PTR, FWD a" },
	{ "a declaration in both", "sb:Psa", "sb:Psa PPsa", "PTR" },
	{ "a declaration, only one of the other kind", "na:i", "Psa", "PTR, FWD a" },
	{ "a declaration, two definitions", "sa:i sa1:u", "Psa", "PTR, FWD a" },
	{ "a declaration inside, two definitions", "sa:i sa1:u sb:Psa", "sb:Psa", "" },
	{ "a declaration inside, two containers", "sa:i sa1:u sb:Psa sb1:Psa1", "sb:Psa Psb",
	  "PTR, PTR, FWD a, STRUCT b" },
	{ "outside as inside", "sa:i sa1:u sb:Psa1 Psa1", "sb:Psa Psa", "" },
	{ "different ones inside, none outside", "sa:i sa1:u sb:Psa sc:Psa1", "sb:Psa sc:Psa Psa",
	  "PTR, FWD a" },
	{ "a declaration inside, a third definition in the module", "sa:i sa1:u sb:Psa",
	  "sb:Psa? sa:d sa1:d,i", "PTR, STRUCT a, STRUCT a, FWD a, STRUCT b, FLOAT double" },
	{ "a declaration, two definitions and a declaration", "sa:i sa1:u Psa?", "Psa", "" },
	{ "a declaration, one definition in the base, others in the module", "sa:d sb:Psa",
	  "sa:i sa1:u sb:Psa? Psa?", "PTR, STRUCT a, STRUCT a, FWD a, STRUCT b, INT int, "
	  "INT unsigned" },
	{ "a declaration of a union", "na:i Pna", "Pna", "" },
	{ "a declaration in the base, a definition in the module", "sb:Psa", "sb:Psa sa:i",
	  "STRUCT a, INT int" },
	{ "and a pointer to that", "sb:Psa", "sb:Psa sa:i Psa", "PTR, STRUCT a, INT int" },
	{ "and the other way round", "sb:Psa sa:i", "sb:Psa", "" },
	{ "a declaration in the base, deeper", "sb:Psa sc:Psb", "sc:Psb sb:Psa sa:Psc,i",
	  "PTR, STRUCT a, INT int" },
	{ "a container of the definition after one of the declaration",
	  "sb:Pma? sb1:Pma ma:2 Psb1", "sb:Pma ma:2 Psb", "" },
	{ "containers of a declaration and two definitions",
	  "sb:Psa? sb1:Psa sb2:Psa1 sa:i sa1:u Psb Psb1 Psb2", "sb:Psa sa:u Psb PPsb", "PTR" },
	{ "containers of a definition and a declaration, a module's of a declaration",
	  "sa:i sb:Psa sb1:Psa? Psb1", "sb:Psa Psb", "" },
	{ "an enum that is only declared", "ma:2 Pma", "Pma", "" },
	{ "an enum that is only declared, in both", "Pma", "Pma", "" },
	{ "an enum that is only declared in the base", "sb:Pma", "sb:Pma ma:2", "ENUM a" },
	{ "an enum declared and defined", "ma:2 sb:Pma?", "Pma sb:Pma", "PTR" },
	{ "an anonymous struct", "sb:Xi", "sb:Xi PXi", "PTR" },
	{ "an anonymous union", "sb:Xi", "sb:Ui", "UNION, STRUCT b" },
	{ "an anonymous struct that leads to a new type", "sb:XPsa sa:i", "sb:XPsa sa:u",
	  "PTR, STRUCT, STRUCT a, STRUCT b, INT unsigned" },
	{ "an anonymous struct with a pointer to what the base declares", "sb:XPsa",
	  "sb:XPsa sa:i XPsa", "STRUCT a, INT int" },
	{ "the same where something new refers to it", "sb:XPsa", "sb:XPsa sa:i PXPsa",
	  "PTR, STRUCT, PTR, STRUCT a, INT int" },
	{ "one of two anonymous structs", "sa:PXu,PXi", "sa:PXi,PXi", "STRUCT a" },
	{ "the other of two", "sa:PXi,PXu", "sa:PXi,PXi", "STRUCT a" },
	{ "an anonymous enum", "sb:e", "sc:e", "STRUCT c" },
	{ "an array", "sb:Ai", "sc:Ai,Au", "ARRAY, STRUCT c, INT unsigned" },
	{ "a prototype", "PFi", "sb:PFi,PFv", "FUNC_PROTO, PTR, STRUCT b" },
	{ "a typedef", "Ti", "Ti Tu sb:Ti", "STRUCT b, TYPEDEF t, INT unsigned" },
	{ "one of two typedefs of a name", "Ti Tu", "sb:Tu", "STRUCT b" },
	{ "ENUM and ENUM64", "ma:2", "ma:2L", "ENUM64 a" },
	{ "ENUM64 and ENUM", "ma:2L", "ma:2", "ENUM a" },
	{ "ENUM64 in both", "ma:2L", "ma:2L Pma", "PTR" },
	{ "another INT of that name", "i", "j Pj", "PTR, INT int" },
	{ "two INTs of a name", "i j Pj", "Pj", "" },
	{ "a FLOAT", "d", "Pd", "PTR" },
	{ "functions and variables", "sa:i =fFi =vi =si", "=fFi =vsa =si sa:i",
	  "DATASEC .data, FUNC f, VAR v, VAR v" },
	{ "a FUNC with a tag", "=fFi", "=fFi PFi", "PTR, FUNC f" },
	{ "a DECL_TAG on a type of the base", "sa:i", "sa:i =gsa", "DECL_TAG g" },
	{ "a DECL_TAG that the base has", "sa:i =gsa", "=gsa sa:i", "" },
	{ "a DECL_TAG on a new type", "sa:i =gsa", "=gsa sa:u",
	  "STRUCT a, DECL_TAG g, INT unsigned" },
	{ "an empty module", "sa:i", "", "" },
	{ "an empty base", "", "sa:Psa", "PTR, STRUCT a" },
	{ "the first of two equal types", "sa:i Psa +Psa", "PPsa Psa", "PTR" },
};

TEST(test_cases)
{
	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (size_t m = 0; m < LENGTH(masks); m++) {
			uint32_t matched = 0;
			char line[400] = "";

			hash_mask = masks[m];
			check_module(cases[i].base, cases[i].module, &matched, line, sizeof(line));
			if (strcmp(line, cases[i].new_types) == 0)
				continue;
			print_error("new: %s\nnot: %s\n", line, cases[i].new_types);
			fail_with(cases[i].base, cases[i].module, cases[i].what);
		}
	}
	hash_mask = UINT32_MAX;
}

/*
 * A struct whose name BTF cannot say (encoder/repair.c) is the base's without a name if only one
 * can be meant, also when there are more of its form than are compared.
 */
TEST(test_lost_names)
{
	static const struct {
		const char *base;
		bool is_found;
	} lost[] = {
		{ "sa:i sa1:u XPsa", true },
		{ "sa:i sa1:u XPsb XPsc XPsa XPsd", true },
		{ "sa:i sa1:u XPsa XPsa1", false },
		{ "sa:i sa1:u XPsa XPsb XPsc XPsd XPse XPsf XPsg XPsh XPsi XPsj XPsk XPsl XPsm "
		  "XPsn XPso XPsp XPsa1", false },
		/* One more after those that are too many. */
		{ "sa:i sa1:u XPsa XPsb XPsc XPsd XPse XPsf XPsg XPsh XPsi XPsj XPsk XPsl XPsm "
		  "XPsn XPso XPsp XPsq XPsa1", false },
	};

	for (size_t i = 0; i < LENGTH(lost); i++) {
		for (int distilled = 0; distilled < 2; distilled++) {
			struct base_types base;
			struct type_text module;
			struct btf_base_match match;
			struct btf_base own;
			uint32_t tag, node;

			base_types_init(&base, lost[i].base);
			type_text_read(&module, "sz:Psa");
			tag = type_text_tag(&module, "sz");
			node = module.table.tags.data[tag].definition;
			((uint32_t *)(uintptr_t)node_words(&module.table, node))[BTF_WORD_NAME] = 0;
			btf_base_index_for(&own, &base.lazy, &module.table, &module.pool);
			btf_base_match(&match, &own, &module.table, &module.pool, distilled);
			btf_base_release(&own);
			assert_int_equal(match.tags[tag] != 0, lost[i].is_found && !distilled);
			assert_int_equal(match.nodes[node], match.tags[tag]);
			btf_base_match_release(&match);
			type_text_release(&module);
			base_types_release(&base);
		}
	}
}

/* A chain of N structs, of which the last is different: as many rounds as links. */
TEST(test_long_chain)
{
	char base[400] = "sa:i", module[400] = "sa:u", line[800];
	uint32_t matched = 0;
	size_t n = 4;

	for (int letter = 'b'; letter <= 'z'; letter++)
		n += (size_t)sprintf(base + n, " s%c:Ps%c", letter, letter - 1);
	memcpy(module + 4, base + 4, n - 3);
	check_module(base, module, &matched, line, sizeof(line));
	assert_int_equal(matched, 0);
	module[3] = 'i';
	line[0] = '\0';
	check_module(base, module, &matched, line, sizeof(line));
	assert_string_equal(line, "");
}

/* ---- a base of a base ---- */

TEST(test_base_of_base)
{
	struct base_types base;
	struct type_text middle, module;
	struct split_types first, second;
	struct base_types both;

	base_types_init(&base, "sa:i,Psa Tsa");
	type_text_read(&middle, "sa:i,Psa sb:Psa,r.u");
	split_types_init(&first, &base, &middle, false);
	assert_int_equal(first.image.type_count, 2);		/* unsigned, struct b */
	both = (struct base_types){ .reader = first.reader };
	base_types_index(&both);
	check_contents(&both.base);
	assert_int_equal(both.base.end_id, base.base.end_id + 2);
	assert_int_not_equal(base_name(&both, "a"), 0);		/* of the lower one */
	assert_int_not_equal(base_name(&both, "r"), 0);
	assert_int_equal(find_type(&first.reader, BTF_STRUCT, "a"),
			 first_of_name(&both.base, "a"));
	type_text_read(&module, "sa:i,Psa sb:Psa,r.u sc:Psb,Psa,z.Tsa");
	split_types_init(&second, &both, &module, false);
	assert_int_equal(second.image.type_count, 2);		/* PTR to struct b, struct c */
	assert_int_equal(second.image.first_id, both.base.end_id);
	assert_memory_equal(second.reader.strings, "c\0z", 4);
	assert_int_equal(second.reader.string_bytes, 4);
	split_types_release(&second);
	type_text_release(&module);
	btf_base_release(&both.base);
	split_types_release(&first);
	type_text_release(&middle);
	base_types_release(&base);
}

/* ---- strings ---- */

/*
 * The same BTF whose strings are at odd places. `copies`: each has a copy, and every other name is
 * the copy; else each is the end of a longer string. No encoder writes such BTF, but it is valid.
 */
static struct btf_blob move_names(const struct btf_reader *btf, bool copies)
{
	uint32_t *words = memory_alloc(btf->word_count * sizeof(*words));
	ARRAY_OF(char) strings = { 0 };
	uint32_t moved = 0;
	struct btf_blob blob;

	memcpy(words, btf->words, btf->word_count * sizeof(*words));
	for (uint32_t at = 0; copies && at < btf->string_bytes; at++)
		array_push(&strings, btf->strings[at]);
	array_push(&strings, '\0');
	for (uint32_t i = 0; i < btf->type_count; i++) {
		uint32_t *record = words + btf->positions[i];

		btf_each_name(word, record) {
			const char *text = btf_reader_string(btf, record[word]);

			if (!*text || (copies && moved++ % 2))
				continue;
			if (!copies)
				array_push(&strings, 'x');
			record[word] = (uint32_t)strings.count;
			do
				array_push(&strings, *text);
			while (*text++);
		}
	}
	blob = btf_blob_make(words, btf->word_count, strings.data, strings.count);
	array_release(&strings);
	free(words);
	return blob;
}

TEST(test_moved_names)
{
	static const char text[] = "sa:i,q.Psb sb:Psa,r.u,AUi ma:2 Tsa Tu FPsa PFi Xi CPsc";

	for (int copies = 0; copies < 2; copies++) {
		struct base_types types;
		struct type_text module;
		struct split_types split;
		struct base_types moved = { 0 };

		base_types_init(&types, text);
		moved.blob = move_names(&types.reader, copies);
		btf_open(&moved.reader, moved.blob.data, moved.blob.bytes, NULL);
		base_types_index(&moved);
		if (copies)
			assert_int_equal(base_name(&moved, "b"), base_name(&types, "b"));
		type_text_read(&module, text);
		split_types_init(&split, &moved, &module, false);
		assert_int_equal(split.image.type_count, 0);
		split_types_release(&split);
		type_text_release(&module);
		btf_base_release(&moved.base);
		btf_reader_release(&moved.reader);
		btf_blob_release(&moved.blob);
		base_types_release(&types);
	}
}

/* ---- at random ---- */

TEST(test_random)
{
	char base[RANDOM_TEXT_BYTES], module[RANDOM_TEXT_BYTES];
	uint32_t matched = 0;

	for (uint32_t i = 0; i < random_programs; i++) {
		struct random random = { first_seed + i };

		hash_mask = i % 4 == 3 ? 3 : UINT32_MAX;
		random_types(&random, base);
		random_module(&random, base, module);
		check_module(base, module, &matched, NULL, 0);
	}
	hash_mask = UINT32_MAX;
	/* The texts are neither all the same nor all different. */
	assert_true(matched > random_programs * 3);
}

/* ---- a damaged base ---- */

static void flip_bytes(struct random *random, struct btf_blob *blob)
{
	for (uint64_t left = 1 + random_below(random, 4); left; left--) {
		uint8_t *byte = &blob->data[random_below(random, blob->bytes)];

		*byte = (uint8_t)(random_below(random, 2) ? *byte ^ 1u << random_below(random, 8)
							  : random_below(random, 12));
	}
}

/* It may be taken for another base; reading outside of it is what sanitizers look for. */
static bool encode_on_damaged(const struct btf_blob *blob, const struct type_text *module)
{
	struct btf_reader reader;
	struct btf_base base;
	struct error err;

	if (!btf_reader_from_memory(&reader, blob->data, blob->bytes, "damaged", NULL, &err))
		return false;
	btf_base_init(&base, &reader);
	for (int distill = 0; distill < 2; distill++) {
		const struct btf_image_options options = { .base = &base, .distill = distill };
		struct btf_image image;

		assert_true(btf_image_build(&image, &module->table, &module->pool, &options,
					    &err));
		btf_image_release(&image);
	}
	btf_base_release(&base);
	btf_reader_release(&reader);
	return true;
}

TEST(test_damaged)
{
	char base[RANDOM_TEXT_BYTES], text[RANDOM_TEXT_BYTES];
	uint32_t opened = 0;

	for (uint32_t i = 0; i < random_programs; i++) {
		struct random random = { first_seed + i };
		struct type_text types, module;
		struct btf_blob blob;

		random_types(&random, base);
		random_module(&random, base, text);
		type_text_read(&types, base);
		type_text_read(&module, text);
		blob = type_text_btf(&types);
		flip_bytes(&random, &blob);
		opened += encode_on_damaged(&blob, &module);
		btf_blob_release(&blob);
		type_text_release(&module);
		type_text_release(&types);
	}
	assert_true(opened > random_programs / 2);
}

/* Then the image's strings begin with the empty one, for which there was no room. */
TEST(test_base_without_strings)
{
	struct btf_blob blob = btf_blob_make(NULL, 0, "", 0);
	struct btf_image_options options = { 0 };
	struct btf_reader reader, split;
	struct type_text module;
	struct btf_image image;
	struct btf_base base;
	struct error err;

	btf_open(&reader, blob.data, blob.bytes, NULL);
	assert_int_equal(btf_reader_end_string(&reader), 0);
	btf_base_init(&base, &reader);
	options.base = &base;
	type_text_read(&module, "sa:i");
	assert_true(btf_image_build(&image, &module.table, &module.pool, &options, &err));
	btf_open(&split, image.data, image.size, &reader);
	assert_string_equal(split.strings, "");
	assert_int_equal(split.strings[split.string_bytes - 1], 0);
	assert_true(find_type(&split, BTF_STRUCT, "a") > 0);
	btf_reader_release(&split);
	btf_image_release(&image);
	type_text_release(&module);
	btf_base_release(&base);
	btf_reader_release(&reader);
	btf_blob_release(&blob);
}

int main(int argc, char **argv)
{
	seeds_read(argc, argv, &random_programs, &first_seed);
	return test_list_run(NULL, NULL);
}
