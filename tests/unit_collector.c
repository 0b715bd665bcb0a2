/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A worker's collection: nodes that are taken back (node_table_truncate()), against a table that
 * never had them; and entries of groups, with links that run in circles, dropped and restarted
 * groups, against plain lists.
 *
 * usage: unit_collector [ROUNDS [FIRST_SEED]]
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "btf/dedup/collector.h"
#include "tests/mutate.h"
#include "tests/seeds.h"

static uint32_t rounds = 200;
static uint32_t first_seed;

#define MAX_RECORD_WORDS (BTF_HEAD_WORDS + 3 * 3)

/* Record `number` of a seed: a typedef or a struct of up to three members. */
static void make_record(uint32_t number, uint32_t words[MAX_RECORD_WORDS])
{
	uint32_t members = number % 5 < 3 ? number % 5 + 1 : 0;

	memset(words, 0, MAX_RECORD_WORDS * sizeof(*words));
	words[BTF_WORD_NAME] = number;
	words[BTF_WORD_INFO] =
		members ? btf_info(BTF_STRUCT, members, false) : BTF_INFO(BTF_TYPEDEF);
	for (uint32_t i = 0; i < members; i++)
		words[BTF_HEAD_WORDS + 3 * i] = number ^ i;
}

static uint32_t intern(struct node_table *table, uint32_t number)
{
	uint32_t words[MAX_RECORD_WORDS];

	make_record(number, words);
	return node_table_intern(table, words, number);
}

/* ---- taking nodes back ---- */

static size_t used_slots(const struct node_table *table)
{
	size_t used = 0;

	for (uint32_t i = 0; i <= table->by_words.mask; i++)
		used += table->by_words.slots[i] != 0;
	return used;
}

static void check_same_tables(const struct node_table *a, const struct node_table *b)
{
	assert_int_equal(a->nodes.count, b->nodes.count);
	assert_int_equal(a->starts.count, b->starts.count);
	assert_int_equal(a->words.count, b->words.count);
	assert_memory_equal(a->words.data, b->words.data, a->words.count * sizeof(uint32_t));
	assert_memory_equal(a->starts.data, b->starts.data, a->starts.count * sizeof(uint32_t));
	for (size_t i = 0; i < a->nodes.count; i++) {
		assert_int_equal(a->nodes.data[i].first_seen, b->nodes.data[i].first_seen);
		assert_int_equal(a->nodes.data[i].word_count, b->nodes.data[i].word_count);
	}
	assert_int_equal(used_slots(a), a->nodes.count - 1);
}

/* A record whose home is one of the last slots: what collides there goes on at the first ones. */
static uint32_t number_at_end(struct random *random, const struct node_table *table)
{
	uint32_t words[MAX_RECORD_WORDS], number, home;

	do {
		number = (uint32_t)random_next(random);
		make_record(number, words);
		home = hash_words(words, btf_record_words(words[BTF_WORD_INFO])) & 0xffff;
	} while (home < (table->by_words.mask & 0xff00));
	return number;
}

/*
 * `kept` nodes stay, of `taken_back` more none; then both tables get all of them. One of
 * `at_end` nodes has its home at the slots' end (0: none).
 */
static void check_truncate(struct random *random, uint32_t kept, uint32_t taken_back,
			   uint32_t at_end)
{
	uint32_t count = kept + taken_back;
	uint32_t *numbers = memory_alloc(count * sizeof(*numbers));
	struct node_table table, wanted;

	node_table_init(&table);
	node_table_init(&wanted);
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = at_end && i % at_end == 0 ? number_at_end(random, &table)
						       : (uint32_t)random_below(random, 2 * count);
	for (uint32_t i = 0; i < kept; i++)
		assert_int_equal(intern(&table, numbers[i]), intern(&wanted, numbers[i]));
	for (uint32_t i = kept; i < count; i++)
		intern(&table, numbers[i]);
	node_table_truncate(&table, (uint32_t)wanted.nodes.count);
	check_same_tables(&table, &wanted);
	for (uint32_t i = 0; i < kept; i++)
		assert_int_equal(intern(&table, numbers[i]), intern(&wanted, numbers[i]));
	for (uint32_t i = count; i-- > 0;)
		assert_int_equal(intern(&table, numbers[i]), intern(&wanted, numbers[i]));
	check_same_tables(&table, &wanted);
	node_table_release(&table);
	node_table_release(&wanted);
	free(numbers);
}

TEST(test_truncate)
{
	static const uint32_t masks[] = { UINT32_MAX, 0xff, 3, 0 };

	for (uint32_t i = 0; i < rounds; i++) {
		struct random random = { first_seed + i };

		hash_mask = masks[i % LENGTH(masks)];
		check_truncate(&random, (uint32_t)random_below(&random, 60),
			       (uint32_t)random_below(&random, 60), 0);
	}
	hash_mask = UINT32_MAX;
}

/*
 * The slots grow at 32768 nodes: before, during and after what is taken back. Growing goes over
 * the slots in order, so where a run of them continues at the first slot, younger nodes come to
 * come before older ones: only then is there something to move when the younger ones go.
 */
TEST(test_truncate_large)
{
	static const struct {
		uint32_t kept, taken_back, mask, at_end;
	} cases[] = {
		{ 38000, 8000, UINT32_MAX, 0 },	  { 38000, 8000, 0xfffc, 0 },
		{ 60000, 10000, 0xfffc, 0 },	  { 0, 60000, 0xfffc, 0 },
		{ 36000, 20000, UINT32_MAX, 60 }, { 20000, 40000, UINT32_MAX, 60 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct random random = { first_seed + i };

		hash_mask = cases[i].mask;
		check_truncate(&random, cases[i].kept, cases[i].taken_back, cases[i].at_end);
	}
	hash_mask = UINT32_MAX;
}

/* ---- entries ---- */

#define TAGS	    4
#define HEADERS	    6
#define HEADER_MAX  12
#define MAX_ENTRIES 400
#define GROUPS	    24

struct entry_list {
	struct definition entries[MAX_ENTRIES];
	uint32_t count;
};

/* A collector, what it should hold, and sequences of entries that groups have in common. */
struct trial {
	struct random random;
	struct collector collector;
	struct entry_list lists[GROUPS];
	struct entry_list headers[HEADERS];
	uint32_t tags[TAGS];
	uint32_t next_record;
};

/* Mostly the tag that this node always has; a circle comes from a node that occurs twice. */
static struct definition random_entry(struct trial *t)
{
	uint32_t count = (uint32_t)t->collector.table.nodes.count;
	uint32_t node = 1 + (uint32_t)random_below(&t->random, count - 1);
	uint32_t tag = node % (2 * TAGS);

	if (random_below(&t->random, 8) == 0)
		tag = (uint32_t)random_below(&t->random, 2 * TAGS);
	return (struct definition){ tag < TAGS ? t->tags[tag] : TAG_NONE, node };
}

static void add(struct trial *t, struct entry_list *list, struct definition entry)
{
	collector_add(&t->collector, entry.tag, entry.node);
	list->entries[list->count++] = entry;
}

static void add_node(struct trial *t)
{
	intern(&t->collector.table, t->next_record++);
}

static void fill_group(struct trial *t, struct entry_list *list)
{
	uint32_t parts = (uint32_t)random_below(&t->random, 12);

	for (uint32_t i = 0; i < parts; i++) {
		const struct entry_list *header = &t->headers[random_below(&t->random, HEADERS)];

		if (random_below(&t->random, 4) == 0)
			add_node(t);
		if (random_below(&t->random, 3) == 0)
			add(t, list, random_entry(t));
		for (uint32_t k = 0; k < header->count; k++)
			add(t, list, header->entries[k]);
	}
}

static void add_group(struct trial *t, uint32_t group)
{
	uint32_t nodes = (uint32_t)t->collector.table.nodes.count;
	struct entry_list *list = &t->lists[group];

	collector_begin_group(&t->collector, (struct group_id){ group });
	fill_group(t, list);
	if (random_below(&t->random, 4) == 0) {
		collector_restart_group(&t->collector, nodes);
		assert_int_equal(t->collector.table.nodes.count, nodes);
		list->count = 0;
		fill_group(t, list);
	}
	if (random_below(&t->random, 5) == 0) {
		collector_restart_group(&t->collector,
					(uint32_t)t->collector.table.nodes.count);
		list->count = 0;
	}
	collector_end_group(&t->collector);
}

static void start_trial(struct trial *t, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	t->random.state = seed;
	collector_init(&t->collector);
	for (uint32_t i = 0; i < TAGS; i++)
		t->tags[i] = node_table_tag(&t->collector.table, BTF_STRUCT, i + 1, 0);
	for (uint32_t i = 0; i < 30; i++)
		add_node(t);
	for (uint32_t h = 0; h < HEADERS; h++) {
		struct entry_list *header = &t->headers[h];

		header->count = 1 + (uint32_t)random_below(&t->random, HEADER_MAX);
		for (uint32_t i = 0; i < header->count; i++)
			header->entries[i] = random_entry(t);
	}
}

static void check_walk(struct trial *t, uint32_t group, const bool *marked,
		       const struct entry_filter *filter)
{
	const struct entry_list *list = &t->lists[group];
	const struct entry_link *links = t->collector.links.data;
	struct definition entry;
	struct entry_walk walk;

	entry_walk_start(&walk, &t->collector, &t->collector.groups.data[group], filter);
	for (uint32_t i = 0; i < list->count; i++) {
		struct definition wanted = list->entries[i];

		if (marked && !marked[wanted.node] &&
		    links[wanted.node].defines == wanted.tag + 1)
			continue;
		assert_true(entry_walk_next(&walk, &entry));
		assert_int_equal(entry.tag, wanted.tag);
		assert_int_equal(entry.node, wanted.node);
	}
	assert_false(entry_walk_next(&walk, &entry));
}

static void check_walks(struct trial *t)
{
	size_t count = t->collector.links.count;
	bool *marked = memory_zeroed(count + 1, sizeof(*marked));

	for (uint32_t g = 0; g < GROUPS; g++)
		check_walk(t, g, NULL, NULL);
	/* None, few, many, all. */
	for (uint32_t often = 0; often <= 6; often += 2) {
		struct entry_filter filter;

		for (size_t s = 1; s < count; s++)
			marked[s] = random_below(&t->random, 6) < often;
		entry_filter_init(&filter, &t->collector, marked);
		for (uint32_t g = 0; g < GROUPS; g++)
			check_walk(t, g, marked, &filter);
		entry_filter_release(&filter);
	}
	free(marked);
}

/* The answers about tags and nodes agree with the lists. */
static void check_definitions(const struct trial *t)
{
	const struct node_table *table = &t->collector.table;
	uint32_t first[TAGS] = { 0 };
	bool ambiguous[TAGS] = { false };
	bool *is_root = memory_zeroed(table->nodes.count, sizeof(*is_root));

	for (uint32_t g = 0; g < GROUPS; g++) {
		for (uint32_t i = 0; i < t->lists[g].count; i++) {
			const struct definition *entry = &t->lists[g].entries[i];

			is_root[entry->node] = true;
			for (uint32_t k = 0; k < TAGS; k++) {
				if (entry->tag != t->tags[k])
					continue;
				if (!first[k])
					first[k] = entry->node;
				ambiguous[k] |= first[k] != entry->node;
			}
		}
	}
	for (uint32_t k = 0; k < TAGS; k++) {
		const struct tag *tag = &table->tags.data[t->tags[k]];

		assert_int_equal(tag->definition, first[k]);
		assert_int_equal(tag->ambiguous, ambiguous[k]);
		assert_true(!first[k] || tag->start == table->starts.data[first[k]]);
	}
	for (size_t s = 1; s < table->nodes.count; s++)
		assert_int_equal(table->nodes.data[s].is_root, is_root[s]);
	free(is_root);
}

TEST(test_entries)
{
	static struct trial t;

	for (uint32_t i = 0; i < rounds; i++) {
		hash_mask = i % 4 == 3 ? 3 : UINT32_MAX;
		start_trial(&t, first_seed + i);
		for (uint32_t g = 0; g < GROUPS; g++)
			add_group(&t, g);
		check_walks(&t);
		check_definitions(&t);
		collector_release(&t.collector);
	}
	hash_mask = UINT32_MAX;
}

int main(int argc, char **argv)
{
	seeds_read(argc, argv, &rounds, &first_seed);
	return test_list_run(NULL, NULL);
}
