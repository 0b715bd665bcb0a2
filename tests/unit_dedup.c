/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Deduplication: node table, collectors, resolver and image together, against expected types
 * written out by hand, and against the slow reference on random programs; with the groups spread
 * over collectors in every way, in other orders, and with hashes that collide.
 *
 * usage: unit_dedup [PROGRAMS [FIRST_SEED]]
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "btf/dedup/resolve.h"
#include "tests/mutate.h"
#include "tests/reference_dedup.h"
#include "tests/seeds.h"

static uint32_t random_programs = 2000;
static uint32_t first_seed;

/* ---- one program, every way ---- */

static void fail_with(const struct reference_program *program, const char *what)
{
	print_error("%s\n", what);
	for (uint32_t g = 0; g < program->group_count; g++)
		print_error("  group %u: %s\n", g, program->groups[g]);
	fail();
}

static void open_image(struct btf_reader *reader, const struct btf_image *image)
{
	btf_open(reader, image->data, image->size, NULL);
	assert_true(reader->complete);
}

/* Anonymous types first, then by name. */
static bool is_sorted(const struct btf_reader *btf)
{
	const char *last = "";

	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const char *name = btf_reader_string(btf, btf_reader_type(btf, id)[BTF_WORD_NAME]);

		if (strcmp(last, name) > 0)
			return false;
		last = name;
	}
	return true;
}

static void encode(const struct reference_program *program, const uint32_t *owner,
		   uint32_t collectors, struct btf_image *image)
{
	struct error err;

	if (!reference_encode(program, owner, collectors, image, &err))
		fail_with(program, err.text);
}

static void check_order(const struct reference_program *program, const struct btf_reader *wanted,
			struct random *random)
{
	struct reference_program moved = *program;
	const uint32_t owner[REFERENCE_GROUPS] = { 0 };
	struct btf_image image;
	struct btf_reader reader;
	char why[200];

	for (uint32_t i = moved.group_count; i > 1; i--) {
		uint32_t k = (uint32_t)random_below(random, i);
		const char *group = moved.groups[i - 1];

		moved.groups[i - 1] = moved.groups[k];
		moved.groups[k] = group;
	}
	encode(&moved, owner, 1, &image);
	open_image(&reader, &image);
	if (!reference_same(wanted, &reader, why, sizeof(why)))
		fail_with(&moved, why);
	btf_reader_release(&reader);
	btf_image_release(&image);
}

/* Returns the image of one collector. */
static void check_program(const struct reference_program *program, uint64_t seed,
			  struct btf_image *image)
{
	struct random random = { seed };
	uint32_t owner[REFERENCE_GROUPS] = { 0 };
	struct btf_blob wanted_blob = reference_btf(program);
	struct btf_reader wanted, reader;
	char why[200];

	btf_open(&wanted, wanted_blob.data, wanted_blob.bytes, NULL);
	assert_true(wanted.complete);
	encode(program, owner, 1, image);
	open_image(&reader, image);
	if (!reference_same(&wanted, &reader, why, sizeof(why)))
		fail_with(program, why);
	if (!is_sorted(&reader))
		fail_with(program, "the types are not sorted");
	for (uint32_t collectors = 1; collectors <= 4; collectors++) {
		struct btf_image other;

		for (uint32_t g = 0; g < program->group_count; g++)
			owner[g] = (uint32_t)random_below(&random, collectors);
		encode(program, owner, collectors, &other);
		if (other.size != image->size || memcmp(other.data, image->data, other.size) != 0)
			fail_with(program, "other bytes with other collectors");
		btf_image_release(&other);
	}
	check_order(program, &wanted, &random);
	btf_reader_release(&reader);
	btf_reader_release(&wanted);
	btf_blob_release(&wanted_blob);
}

/* ---- by hand ---- */

static uint32_t count_types(const struct btf_image *image, enum btf_kind kind, const char *name)
{
	struct btf_reader reader;
	uint32_t count = 0;

	open_image(&reader, image);
	for (uint32_t id = 1; id < btf_reader_end_id(&reader); id++) {
		const uint32_t *record = btf_reader_type(&reader, id);

		count += btf_info_kind(record[BTF_WORD_INFO]) == kind &&
			 strcmp(btf_reader_string(&reader, record[BTF_WORD_NAME]), name) == 0;
	}
	btf_reader_release(&reader);
	return count;
}

struct expected_count {
	enum btf_kind kind;
	const char *name;
	uint32_t count;
};

static const struct {
	const char *what;
	struct reference_program program;
	struct expected_count counts[7];
} cases[] = {
	{ "the same struct twice is one",
	  { { "sa:i,Psa", "sa:i,Psa" }, 2 },
	  { { BTF_STRUCT, "a", 1 }, { BTF_PTR, "", 1 } } },
	{ "int a[2], b[2] and int a[2], unsigned b[2]",
	  { { "sa:Ai,Ai", "sa:Ai,Au" }, 2 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_ARRAY, "", 2 } } },
	{ "each user points to its own",
	  { { "sa:Ai,Ai sb:Psa", "sa:Ai,Au sb:Psa", "sa:Ai,Ai sb:Psa" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_STRUCT, "b", 2 }, { BTF_PTR, "", 2 } } },
	{ "different through one pointer",
	  { { "sa:i sb:Psa", "sa:u sb:Psa" }, 2 },
	  { { BTF_STRUCT, "b", 2 } } },
	{ "through two containers",
	  { { "sa:i sb:Psa sc:Psb", "sa:u sb:Psa sc:Psb" }, 2 },
	  { { BTF_STRUCT, "c", 2 }, { BTF_STRUCT, "b", 2 } } },
	{ "through five",
	  { { "sa:i sb:Psa sc:Psb sd:Tsc se:PCsd sf:PTXse",
	      "sa:u sb:Psa sc:Psb sd:Tsc se:PCsd sf:PTXse" },
	    2 },
	  { { BTF_STRUCT, "f", 2 },
	    { BTF_STRUCT, "e", 2 },
	    { BTF_TYPEDEF, "t", 4 },
	    { BTF_CONST, "", 2 },
	    { BTF_STRUCT, "", 2 } } },
	{ "what does not lead there stays one",
	  { { "sa:i sb:Psa sz:i", "sa:u sb:Psa sz:i" }, 2 },
	  { { BTF_STRUCT, "z", 1 }, { BTF_STRUCT, "b", 2 } } },
	{ "a FWD with one definition elsewhere",
	  { { "sb:Psa", "sa:i" }, 2 },
	  { { BTF_STRUCT, "a", 1 }, { BTF_FWD, "a", 0 }, { BTF_STRUCT, "b", 1 } } },
	{ "a FWD that is never defined", { { "sb:Psa", "sc:Psa,i" }, 2 }, { { BTF_FWD, "a", 1 } } },
	{ "struct and union of one name are two",
	  { { "sb:Psa,Pna", "sa:i" }, 2 },
	  { { BTF_STRUCT, "a", 1 }, { BTF_FWD, "a", 1 } } },
	{ "a FWD with two definitions stays",
	  { { "sb:Psa", "sa:i", "sa:u" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 1 }, { BTF_STRUCT, "b", 1 } } },
	{ "a FWD bound by its place",
	  { { "sb:Psa", "sb:Psa sa:i", "sa:u" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 0 }, { BTF_STRUCT, "b", 1 } } },
	{ "opaque: declared to one, two meanings to others",
	  { { "sb:Psa", "sb:Psa sa:i", "sb:Psa sa:u" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 1 }, { BTF_STRUCT, "b", 1 } } },
	{ "two meanings, and not declared to any",
	  { { "sb:Psa sa:i", "sb:Psa sa:u", "sc:Psb Psa" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 1 }, { BTF_STRUCT, "b", 2 },
	    { BTF_STRUCT, "c", 1 }, { BTF_FWD, "b", 1 } } },
	{ "nor by another place",
	  { { "sb:Psa,i", "sc:Psa sa:i", "sa:u" }, 3 },
	  { { BTF_FWD, "a", 1 }, { BTF_STRUCT, "b", 1 }, { BTF_STRUCT, "c", 1 } } },
	{ "a chain of bindings",
	  { { "sc:Psb", "sc:Psb sb:Psa", "sb:Psa sa:i", "sa:u" }, 4 },
	  { { BTF_STRUCT, "a", 2 },
	    { BTF_STRUCT, "b", 1 },
	    { BTF_STRUCT, "c", 1 },
	    { BTF_FWD, "a", 0 },
	    { BTF_FWD, "b", 0 } } },
	{ "a cycle through FWDs",
	  { { "sa:Psb", "sb:Psa", "sa:Psb sb:Psa" }, 3 },
	  { { BTF_STRUCT, "a", 1 },
	    { BTF_STRUCT, "b", 1 },
	    { BTF_FWD, "a", 0 },
	    { BTF_FWD, "b", 0 } } },
	{ "a cycle through FWDs with a difference",
	  { { "sa:Psb,Psc", "sb:Psa", "sa:Psb,Psc sb:Psa sc:i", "sc:u" }, 4 },
	  { { BTF_STRUCT, "a", 1 }, { BTF_STRUCT, "b", 1 }, { BTF_STRUCT, "c", 2 } } },
	{ "FWDs in one cycle, each defined in some groups only",
	  { { "sa:Psb,Psc,Psx sb:Psa,Psc", "sa:Psb,Psc,Psx sb:Psa,Psc sc:Psa,Psb",
	      "sa:Psb,Psc,Psx sc:Psa,Psb", "sx:i", "sx:u" },
	    5 },
	  { { BTF_STRUCT, "a", 1 },
	    { BTF_STRUCT, "b", 1 },
	    { BTF_STRUCT, "c", 1 },
	    { BTF_FWD, "b", 0 },
	    { BTF_FWD, "c", 0 } } },
	{ "what is seen tells apart before what is not: the third is the first",
	  { { "sc:Psa,Psb sa:i sb:i", "sc:Psa,Psb sa:u sb:u", "sc:Psa,Psb sb:i" }, 3 },
	  { { BTF_STRUCT, "c", 2 }, { BTF_FWD, "a", 0 } } },
	{ "an opaque member makes no copies of what leads there",
	  { { "sd:Psc sc:Psb,Psa sa:i sb:i", "sd:Psc sc:Psb,Psa sa:u sb:i", "sc:Psb,Psa",
	      "sd:Psc" }, 4 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_STRUCT, "c", 1 }, { BTF_STRUCT, "d", 1 },
	    { BTF_FWD, "a", 1 }, { BTF_FWD, "b", 0 }, { BTF_FWD, "c", 0 } } },
	{ "what is opaque in a struct is known outside of it",
	  { { "sb:Psa", "sb:Psa sa:i Psa", "sb:Psa sa:u Psa" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_STRUCT, "b", 1 }, { BTF_PTR, "", 3 } } },
	{ "a root means what the definitions of its group take the name for",
	  { { "sb:Psa Psa", "sb:Psa sa:i", "sa:u" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 0 }, { BTF_STRUCT, "b", 1 } } },
	{ "without any, or where they disagree, its FWD stays",
	  { { "Psa", "sb:Psa sc:Psa Psa", "sb:Psa sa:i", "sc:Psa sa:u" }, 4 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 1 }, { BTF_STRUCT, "b", 1 },
	    { BTF_STRUCT, "c", 1 }, { BTF_PTR, "", 3 } } },
	{ "a struct that contains itself",
	  { { "sa:Psa", "sa:Psa", "sa:Psa,i" }, 3 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_PTR, "", 2 } } },
	{ "two that contain each other",
	  { { "sa:Psb sb:Psa", "sb:Psa sa:Psb" }, 2 },
	  { { BTF_STRUCT, "a", 1 }, { BTF_STRUCT, "b", 1 } } },
	{ "a cycle split deep inside",
	  { { "sa:Psb sb:Psc sc:Psd sd:Psa,i", "sa:Psb sb:Psc sc:Psd sd:Psa,u" }, 2 },
	  { { BTF_STRUCT, "a", 2 },
	    { BTF_STRUCT, "b", 2 },
	    { BTF_STRUCT, "c", 2 },
	    { BTF_STRUCT, "d", 2 } } },
	{ "variants in one group",
	  { { "sa:i sa1:u sb:Psa,Psa1" }, 1 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_STRUCT, "b", 1 }, { BTF_PTR, "", 2 } } },
	{ "the same variants in another order",
	  { { "sa:i sa1:u", "sa:u sa1:i" }, 2 },
	  { { BTF_STRUCT, "a", 2 } } },
	{ "a declaration and variants",
	  { { "sa:i sa1:u sb:Psa?", "sa:i" }, 2 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 1 } } },
	{ "variants that are the same, in one struct",
	  { { "sa:Psb sa1:Psb? sb:i sb1:u sc:Psa,Psa1", "sa:Psb sc:Psa,Psa", "sx:i", "sx:u" }, 4 },
	  { { BTF_STRUCT, "a", 1 }, { BTF_STRUCT, "c", 1 } } },
	{ "variants that differ, in one struct",
	  { { "sa:i sa1:u sb:Psa,Psa1,Psa", "sa:i sb:Psa,Psa,Psa", "sa:u sa1:i sb:Psa1,Psa,Psa1",
	      "sa:i sa1:u sb:Psa,Psa,Psa1", "sa:i sa1:u sb:Psa,Psa1,Psa?" },
	    5 },
	  { { BTF_STRUCT, "b", 4 }, { BTF_FWD, "a", 1 } } },
	{ "one group with an opaque member (LTO)",
	  { { "sa:i sa1:u sb:Psa sb1:Psa1 sb2:Psa? sc:Psb sc1:Psb1 sc2:Psb2" }, 1 },
	  { { BTF_STRUCT, "a", 2 }, { BTF_FWD, "a", 1 }, { BTF_STRUCT, "b", 1 },
	    { BTF_STRUCT, "c", 1 }, { BTF_PTR, "", 2 } } },
	{ "variants that refer to each other, in one class",
	  { { "sa:i,i sd:Psa", "sa:i,i sa1:Psa,Psb sd:Psa1",
	      "sb:i sb1:u sa:Psa,Psb sa1:Psa,Psb1 sd:Psa1" },
	    3 },
	  { { BTF_STRUCT, "a", 4 }, { BTF_STRUCT, "d", 3 } } },
	{ "nothing at all", { { "", "" }, 2 }, { { BTF_PTR, "", 0 } } },
};

TEST(test_cases)
{
	static const uint32_t masks[] = { UINT32_MAX, 3, 0 };

	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (size_t m = 0; m < LENGTH(masks); m++) {
			struct btf_image image;

			hash_mask = masks[m];
			check_program(&cases[i].program, i, &image);
			for (const struct expected_count *c = cases[i].counts; c->name; c++) {
				uint32_t count = count_types(&image, c->kind, c->name);

				if (count == c->count)
					continue;
				print_error("%s: %u of kind %s '%s', expected %u\n", cases[i].what,
					    count, btf_kinds[c->kind].name, c->name, c->count);
				fail_with(&cases[i].program, "");
			}
			btf_image_release(&image);
		}
	}
	hash_mask = UINT32_MAX;
}

/* ---- at random ---- */

static size_t add_chain(struct random *random, char *out)
{
	static const char wrappers[] = "PPPPCAXT";
	static const char names[] = "aabbc";
	size_t n = 0;

	/* A tag that no pointer leads to may be a struct in itself: no node minds. */
	while (n < 4 && random_below(random, 5) > (n ? 2u : 1u))
		out[n++] = wrappers[random_below(random, sizeof(wrappers) - 1)];
	if (random_below(random, 4)) {
		out[n++] = random_below(random, 8) ? 's' : 'n';
		out[n++] = names[random_below(random, sizeof(names) - 1)];
		if (!random_below(random, 12))
			out[n++] = random_below(random, 2) ? '1' : '?';
	} else {
		out[n++] = "iuv"[random_below(random, 3)];
	}
	return n;
}

static bool is_defined(const char *text, const char *definition)
{
	const char *found = text;

	while ((found = strstr(found, definition))) {
		if (found == text || found[-1] == ' ')
			return true;
		found++;
	}
	return false;
}

/* A variant that its group does not define, or a "?" without variants, is a plain reference. */
static void drop_false_variants(char *text)
{
	for (char *c = text; *c; c++) {
		char head[8];

		if ((*c != '1' && *c != '?') || c[1] == ':')
			continue;
		snprintf(head, sizeof(head), "%c%c1:", c[-2], c[-1]);
		if (!is_defined(text, head)) {
			memmove(c, c + 1, strlen(c));
			c--;
		}
	}
}

/* Few names and few nodes, so that nearly everything is a near miss of something else. */
static void random_group(struct random *random, char *text, size_t bytes)
{
	uint32_t words = (uint32_t)random_below(random, 6);
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t w = 0; w < words && used + 64 < bytes; w++) {
		char word[64] = "", head[8];
		size_t n;

		if (random_below(random, 4)) {
			uint32_t members = (uint32_t)random_below(random, 3);

			snprintf(head, sizeof(head), "%c%c:", random_below(random, 8) ? 's' : 'n',
				 "abc"[random_below(random, 3)]);
			/* A second definition of a name is a variant. */
			if (is_defined(text, head))
				snprintf(head + 2, sizeof(head) - 2, "1:");
			if (is_defined(text, head))
				continue;
			n = (size_t)snprintf(word, sizeof(word), "%s", head);
			for (uint32_t m = 0; m < members; m++) {
				if (m)
					word[n++] = ',';
				n += add_chain(random, word + n);
			}
		} else {
			n = add_chain(random, word);
		}
		word[n] = '\0';
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " " : "", word);
	}
	drop_false_variants(text);
}

/*
 * A few headers that all groups share: structs that point to each other in cycles, some of them
 * with a second body. A group defines some of them, only declares others, by pointing there, and
 * does not know the rest.
 */
struct headers {
	char body[2][6][40];
};

static void random_headers(struct random *random, struct headers *headers)
{
	static const char *const ends[] = { ",i", ",u", "", ",Tv" };

	for (uint32_t h = 0; h < 6; h++) {
		char *first = headers->body[0][h], *second = headers->body[1][h];
		uint32_t members = 1 + (uint32_t)random_below(random, 3);

		*first = '\0';
		while (members--)
			sprintf(first + strlen(first), "%sPs%c", *first ? "," : "",
				"abcdef"[random_below(random, 6)]);
		sprintf(second, "%s%s", first, random_below(random, 4) ? "" : ends[h % 4]);
	}
}

static void group_of_headers(struct random *random, const struct headers *headers, char *text)
{
	const char (*bodies)[40] = headers->body[random_below(random, 3) ? 0 : 1];

	*text = '\0';
	for (uint32_t h = 0; h < 6; h++) {
		if (random_below(random, 5) > 1)
			text += sprintf(text, "s%c:%s ", "abcdef"[h], bodies[h]);
		else if (!random_below(random, 4))
			text += sprintf(text, "Ps%c ", "abcdef"[h]);
	}
}

static void random_program(struct random *random, struct reference_program *program,
			   char text[REFERENCE_GROUPS][400])
{
	bool have_headers = random_below(random, 2);
	struct headers headers;

	random_headers(random, &headers);
	program->group_count = 1 + (uint32_t)random_below(random, have_headers ? 8 : 6);
	for (uint32_t g = 0; g < program->group_count; g++) {
		/* Often the same as another group, or nearly. */
		if (have_headers)
			group_of_headers(random, &headers, text[g]);
		else if (g && random_below(random, 3) == 0)
			memcpy(text[g], text[random_below(random, g)], sizeof(text[g]));
		else
			random_group(random, text[g], sizeof(text[g]));
		program->groups[g] = text[g];
	}
}

TEST(test_random)
{
	char text[REFERENCE_GROUPS][400];
	uint64_t types = 0;

	for (uint32_t i = 0; i < random_programs; i++) {
		struct random random = { first_seed + i };
		struct reference_program program;
		struct btf_image image;

		random_program(&random, &program, text);
		hash_mask = i % 4 == 3 ? 3 : UINT32_MAX;
		check_program(&program, first_seed + i, &image);
		types += image.type_count;
		btf_image_release(&image);
	}
	hash_mask = UINT32_MAX;
	/* The programs are not all empty. */
	assert_true(types > (uint64_t)random_programs * 4);
}

/* ---- the tables by themselves ---- */

TEST(test_node_table)
{
	static const uint32_t masks[] = { UINT32_MAX, 3 };

	for (size_t m = 0; m < LENGTH(masks); m++) {
		struct node_table table;
		uint32_t count = masks[m] == UINT32_MAX ? 100000 : 300;
		uint32_t words[3] = { 0, btf_info(BTF_PTR, 0, false), 0 };

		hash_mask = masks[m];
		node_table_init(&table);
		for (uint32_t again = 0; again < 2; again++) {
			for (uint32_t i = 0; i < count; i++) {
				words[BTF_WORD_TYPE] = i;
				assert_int_equal(node_table_intern(&table, words, again), i + 1);
				assert_int_equal(node_table_tag(&table, BTF_STRUCT, i + 1, 0), i);
			}
		}
		/* The first first_seen stays. */
		assert_true(table.nodes.data[count].first_seen == 0);
		assert_int_equal(node_kind(&table, count), BTF_PTR);
		/* Kind, name and variant make a tag; a variant knows its base. */
		assert_int_equal(node_table_tag(&table, BTF_UNION, 1, 0), count);
		assert_int_equal(node_table_tag(&table, BTF_STRUCT, 1, 7), count + 1);
		assert_int_equal(table.tags.data[count + 1].base, 0);
		assert_int_equal(table.tags.data[count].base, count);
		assert_int_equal(node_table_tag(&table, BTF_ENUM, count + 9, 2), count + 2);
		assert_int_equal(table.tags.data[count + 2].base, count + 3);
		assert_int_equal(node_table_append(&table, words, 5), count + 1);
		assert_int_equal(node_table_intern(&table, words, 5), count);
		node_table_release(&table);
	}
	hash_mask = UINT32_MAX;
}

static const char *plain_name(const void *names, uint32_t key)
{
	return ((const char *const *)names)[key];
}

/* The types of a dropped group are neither roots nor definitions; those that others share stay. */
TEST(test_dropped_group)
{
	static const char *const names[] = { "", "a", "b" };
	uint32_t a[] = { 1, btf_info(BTF_STRUCT, 0, false), 1 };
	uint32_t a_other[] = { 1, btf_info(BTF_STRUCT, 0, false), 2 };
	uint32_t b[] = { 2, btf_info(BTF_STRUCT, 0, false), 1 };
	struct collector collector;
	struct merge_source source = { .collector = &collector, .names = names,
				       .name_text = plain_name };
	struct node_table table;
	struct string_pool pool;
	struct resolver *resolver;
	struct btf_image image;
	struct error err;

	collector_init(&collector);
	for (uint32_t group = 0; group < 2; group++) {
		uint32_t *own = group ? a : a_other;

		collector_begin_group(&collector, (struct group_id){ group });
		collector_add(&collector,
					 node_table_tag(&collector.table, BTF_STRUCT, 1, 0),
					 node_table_intern(&collector.table, own, group));
		collector_add(&collector,
					 node_table_tag(&collector.table, BTF_STRUCT, 2, 0),
					 node_table_intern(&collector.table, b, group));
		if (!group)
			collector_restart_group(&collector,
						(uint32_t)collector.table.nodes.count);
		collector_end_group(&collector);
	}
	node_table_init(&table);
	string_pool_init(&pool);
	collectors_merge(&table, &pool, &source, 1);
	resolver = resolver_new(&table, &source, 1, 2);
	assert_int_equal(resolver_counts(resolver)->ambiguous_tags, 0);
	assert_true(btf_image_build(&image, &table, &pool, &(struct btf_image_options){ 0 }, &err));
	assert_int_equal(image.type_count, 2);
	assert_int_equal(count_types(&image, BTF_STRUCT, "a"), 1);
	assert_int_equal(count_types(&image, BTF_STRUCT, "b"), 1);
	btf_image_release(&image);
	resolver_free(resolver);
	merge_source_release(&source);
	node_table_release(&table);
	string_pool_release(&pool);
	collector_release(&collector);
}

/* ---- many types ---- */

/* The names are numbers: struct 1, 2, ... */
static const char *number_name(const void *names, uint32_t key)
{
	return (const char *)names + (size_t)key * 8;
}

/*
 * A chain, or ring, of structs that each point to the next, and an int or unsigned at its end. A
 * group has one of `variants`, and defines all but every `hole`-th struct (0: all).
 */
static void add_chain_group(struct collector *collector, uint32_t group, uint32_t length,
			    bool is_ring, uint32_t variant, uint32_t hole)
{
	struct node_table *table = &collector->table;
	uint32_t number[] = { length + 1 + variant, btf_info(BTF_INT, 0, false), 4, 32 };
	uint32_t last = node_table_intern(table, number, group);

	collector_begin_group(collector, (struct group_id){ group });
	for (uint32_t i = length; i >= 1; i--) {
		uint32_t next = i < length ? i + 1 : 1;
		uint32_t pointer[] = { 0, btf_info(BTF_PTR, 0, false), 0 };
		uint32_t words[] = { i, btf_info(BTF_STRUCT, 1 + (i == length), false), 16, 0, 0, 0,
				     0, last, 64 };

		pointer[BTF_WORD_TYPE] =
			ref_to_tag(node_table_tag(table, BTF_STRUCT, next, 0)).word;
		words[4] = i < length || is_ring ? node_table_intern(table, pointer, group) : last;
		if (!hole || i % hole)
			collector_add(collector, node_table_tag(table, BTF_STRUCT, i, 0),
				      node_table_intern(table, words, group));
	}
	collector_end_group(collector);
}

static const struct {
	bool is_ring;
	uint32_t hole;		/* of the third group */
	uint32_t classes;
} chains[] = {
	{ false, 0, 40000 },
	{ true, 0, 40000 },
	/* The third group only knows every other name: what points to these is opaque there. */
	{ false, 2, 20001 },
};

/* 20,000 names that all have two meanings: the work must not grow with the square. */
TEST(test_long_chains)
{
	enum { LENGTH_OF_CHAIN = 20000 };
	char *names = calloc(LENGTH_OF_CHAIN + 3, 8);

	assert_non_null(names);
	for (uint32_t i = 1; i < LENGTH_OF_CHAIN + 3; i++)
		snprintf(names + 8 * (size_t)i, 8, "n%u", i);
	for (size_t c = 0; c < LENGTH(chains); c++) {
		struct collector collector;
		struct merge_source source = { .collector = &collector, .names = names,
					       .name_text = number_name };
		struct node_table table;
		struct string_pool pool;
		struct resolver *resolver;

		collector_init(&collector);
		for (uint32_t g = 0; g < 3; g++)
			add_chain_group(&collector, g, LENGTH_OF_CHAIN, chains[c].is_ring, g == 1,
					g == 2 ? chains[c].hole : 0);
		node_table_init(&table);
		string_pool_init(&pool);
		collectors_merge(&table, &pool, &source, 1);
		resolver = resolver_new(&table, &source, 1, 3);
		assert_int_equal(resolver_counts(resolver)->classes, chains[c].classes);
		resolver_free(resolver);
		merge_source_release(&source);
		node_table_release(&table);
		string_pool_release(&pool);
		collector_release(&collector);
	}
	free(names);
}

/* The other byte order is the same image swapped; too many types are refused. */
TEST(test_image)
{
	uint32_t words[] = { 0, btf_info(BTF_PTR, 0, false), 0 };
	struct btf_reader reader, swapped;
	struct btf_image image, other;
	struct node_table table;
	struct string_pool pool;
	struct error err;

	node_table_init(&table);
	string_pool_init(&pool);
	words[BTF_WORD_TYPE] = node_table_intern(&table, words, 1);
	table.nodes.data[node_table_intern(&table, words, 2)].is_root = true;
	assert_true(btf_image_build(&image, &table, &pool, &(struct btf_image_options){ 0 }, &err));
	assert_true(btf_image_build(&other, &table, &pool,
				    &(struct btf_image_options){ .swap = true }, &err));
	open_image(&reader, &image);
	open_image(&swapped, &other);
	assert_int_equal(image.type_count, 2);
	assert_int_equal(image.kind_counts[BTF_PTR], 2);
	assert_false(reader.swapped);
	assert_true(swapped.swapped);
	assert_int_equal(reader.word_count, swapped.word_count);
	assert_memory_equal(reader.words, swapped.words, reader.word_count * 4);
	btf_reader_release(&reader);
	btf_reader_release(&swapped);
	btf_image_release(&image);
	btf_image_release(&other);
	for (uint32_t i = (uint32_t)table.nodes.count; i <= BTF_TYPE_ID_MAX + 1; i++) {
		words[BTF_WORD_TYPE] = i - 1;
		node_table_append(&table, words, i);
		table.nodes.data[i].is_root = true;
	}
	assert_false(btf_image_build(&image, &table, &pool, &(struct btf_image_options){ 0 },
				     &err));
	assert_non_null(strstr(err.text, "1048576 types are more than BTF can number (1048575)"));
	node_table_release(&table);
	string_pool_release(&pool);
}

/* Kernels take it of modules (make check-system); only BPF_BTF_LOAD refuses it. */
TEST(test_image_above_16_mib)
{
	static uint32_t words[BTF_HEAD_WORDS + 2 * BTF_VLEN_MAX];
	struct node_table table;
	struct btf_image image;
	struct string_pool pool;
	struct error err;

	node_table_init(&table);
	string_pool_init(&pool);
	words[BTF_WORD_INFO] = btf_info(BTF_ENUM, BTF_VLEN_MAX, false);
	words[BTF_WORD_SIZE] = 4;
	for (uint32_t i = 1; (size_t)i * sizeof(words) <= BTF_MAX_SIZE + sizeof(words); i++) {
		words[BTF_HEAD_WORDS + 1] = i;
		node_table_append(&table, words, i);
		table.nodes.data[i].is_root = true;
	}
	assert_true(btf_image_build(&image, &table, &pool, &(struct btf_image_options){ 0 }, &err));
	assert_true(image.size > BTF_MAX_SIZE);
	btf_image_release(&image);
	node_table_release(&table);
	string_pool_release(&pool);
}

int main(int argc, char **argv)
{
	seeds_read(argc, argv, &random_programs, &first_seed);
	return test_list_run(NULL, NULL);
}
