/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Equal keys are equal names, but two keys of a source may be one name, too: an *alias* (inline in
 * one place, in .debug_str in another). A source without aliases can be renamed in place: that is
 * one to one, so its shapes stay distinct and its references as they are. So the largest source
 * gives its table away, unless it has aliases; the shapes of all others are interned one by one.
 *
 * Results do not depend on whose table it was: the merged table is the same set of shapes, and
 * what orders them, birth and marks, is the smallest and the union of what the sources have.
 */
#include "btf/dedup/merge.h"

#include <string.h>

/* ---- names ---- */

typedef uint32_t (*rename_function)(struct name_map *names, uint32_t name);

/* 185,000 names in 540,000 words of a kernel: 2 ms to number them, and 0.4 to replace them. */
static inline __attribute__((always_inline)) void
rename_table(struct shape_table *table, struct name_map *names, rename_function rename)
{
	uint32_t *next = table->words.data, *end = next + table->words.count;

	while (next < end) {
		uint32_t *words = next + 1;
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);

		next = words + btf_record_words(info);
		words[BTF_WORD_NAME] = rename(names, words[BTF_WORD_NAME]);
		if (kind->element_name_word == BTF_NO_WORD)
			continue;
		for (words += btf_name_word(kind, 1); words < next; words += kind->element_words)
			*words = rename(names, *words);
	}
	for (size_t t = 0; t < table->tags.count; t++)
		table->tags.data[t].name = rename(names, table->tags.data[t].name);
}

static inline uint32_t id_of_number(struct name_map *names, uint32_t number)
{
	return names->ids.data[number].index;
}

/* A kernel has a name per shape: room for so many. */
void merge_prepare(struct merge_source *source)
{
	struct shape_table *table = &source->collector->table;

	name_map_init(&source->numbered, table->shapes.count);
	rename_table(table, &source->numbered, name_map_number);
	name_map_measure(&source->numbered, source->names, source->name_text);
}

static void make_map(struct merge_map *map, const struct shape_table *from)
{
	map->shape_count = from->shapes.count;
	map->tag_count = from->tags.count;
	map->shapes = memory_alloc(map->shape_count * sizeof(uint32_t));
	map->tags = memory_alloc(map->tag_count * sizeof(uint32_t));
}

/* The numbers become ids of the pool. */
static void add_names(struct merge_source *source, struct string_pool *pool)
{
	struct name_map *names = &source->numbered;

	if (!names->keys.count)
		merge_prepare(source);
	name_map_add(names, pool);
	if (!names->is_identity)
		rename_table(&source->collector->table, names, id_of_number);
	source->has_aliases = names->has_aliases;
	name_map_release(names);
	make_map(&source->map, &source->collector->table);
}

/* ---- the table that is given away ---- */

static struct merge_source *largest(struct merge_source *sources, size_t count)
{
	struct merge_source *found = sources;

	for (size_t i = 1; i < count; i++) {
		if (sources[i].collector->table.shapes.count >
		    found->collector->table.shapes.count)
			found = &sources[i];
	}
	return found;
}

static void map_to_itself(uint32_t *ids, size_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ids[i] = i;
}

static void give_away(struct shape_table *table, struct merge_source *source)
{
	shape_table_release(table);
	*table = source->collector->table;
	source->collector->table = (struct shape_table){ 0 };
	shape_table_reindex(table);
	map_to_itself(source->map.shapes, source->map.shape_count);
	map_to_itself(source->map.tags, source->map.tag_count);
}

/* ---- the others ---- */

/*
 * One group may have one name under two keys and define it under both: then these are two
 * definitions, and the second key's tag becomes a variant. Across groups it does not matter: there
 * the name is what counts.
 */
static void split_keys(struct shape_table *table, struct merge_source *source)
{
	const struct collector *from = source->collector;
	uint32_t *group_of = memory_alloc(table->tags.count * sizeof(uint32_t));
	uint32_t *tag_of = memory_alloc(table->tags.count * sizeof(uint32_t));
	size_t known = table->tags.count;

	memset(group_of, 0xff, known * sizeof(uint32_t));
	for (size_t g = 0; g < from->groups.count; g++) {
		struct definition entry;
		struct entry_walk walk;

		entry_walk_start(&walk, from, &from->groups.data[g], NULL);
		while (entry_walk_next(&walk, &entry)) {
			uint32_t local = entry.tag;
			uint32_t tag = local == TAG_NONE ? TAG_NONE : source->map.tags[local];

			if (tag >= known)
				continue;	/* a root, or split already */
			if (group_of[tag] == g && tag_of[tag] != local) {
				struct tag like = table->tags.data[tag];

				source->map.tags[local] = shape_table_tag(
					table, (enum btf_kind)like.kind, like.name,
					TAG_VARIANT_KEYS | local);
				continue;
			}
			group_of[tag] = (uint32_t)g;
			tag_of[tag] = local;
		}
	}
	free(group_of);
	free(tag_of);
}

static void merge_tags(struct shape_table *table, struct merge_source *source)
{
	const struct shape_table *from = &source->collector->table;

	for (uint32_t i = 0; i < from->tags.count; i++) {
		const struct tag *tag = &from->tags.data[i];

		source->map.tags[i] = shape_table_tag(table, (enum btf_kind)tag->kind, tag->name,
						      tag->variant);
	}
	if (source->has_aliases)
		split_keys(table, source);
}

static void map_references(uint32_t *words, const struct merge_map *map)
{
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t *ref = &words[btf_ref_word(kind, i)];

		*ref = merge_map_ref(map, *ref);
	}
}

/* In order of ids, so that what a shape refers to has been mapped before it. */
static void merge_shapes(struct shape_table *table, struct merge_source *source)
{
	struct shape_table *from = &source->collector->table;

	source->map.shapes[0] = SHAPE_VOID;
	for (uint32_t i = 1; i < from->shapes.count; i++) {
		const struct shape *shape = &from->shapes.data[i];
		uint32_t *words = from->words.data + from->starts.data[i];
		struct shape *merged;
		uint32_t id;

		map_references(words, &source->map);
		id = shape_table_intern(table, words, shape->birth);
		merged = &table->shapes.data[id];
		merged->is_root |= shape->is_root;
		if (shape->birth < merged->birth)
			merged->birth = shape->birth;
		source->map.shapes[i] = id;
	}
}

static void merge_definition(struct shape_table *table, uint32_t tag, uint32_t shape)
{
	struct tag *merged = &table->tags.data[tag];

	if (!merged->definition)
		merged->definition = shape;
	else if (merged->definition != shape)
		merged->ambiguous = true;
}

/* With aliases, what is ambiguous by key need not be so by name: look at each of them again. */
static void merge_definitions(struct shape_table *table, const struct merge_source *source)
{
	const struct collector *from = source->collector;
	bool look_again = false;

	for (uint32_t i = 0; i < from->table.tags.count; i++) {
		const struct tag *tag = &from->table.tags.data[i];

		if (!tag->definition)
			continue;
		merge_definition(table, source->map.tags[i], source->map.shapes[tag->definition]);
		if (tag->ambiguous && source->has_aliases)
			look_again = true;
		else if (tag->ambiguous)
			table->tags.data[source->map.tags[i]].ambiguous = true;
	}
	for (size_t g = 0; look_again && g < from->groups.count; g++) {
		struct definition entry;
		struct entry_walk walk;

		entry_walk_start(&walk, from, &from->groups.data[g], NULL);
		while (entry_walk_next(&walk, &entry)) {
			if (entry.tag != TAG_NONE && from->table.tags.data[entry.tag].ambiguous)
				merge_definition(table, source->map.tags[entry.tag],
						 source->map.shapes[entry.shape]);
		}
	}
}

static void absorb(struct shape_table *table, struct merge_source *source)
{
	merge_tags(table, source);
	merge_shapes(table, source);
	merge_definitions(table, source);
	shape_table_release(&source->collector->table);
}

/* The largest source comes first, so that its numbers are ids where the pool was empty. */
void collectors_merge(struct shape_table *table, struct string_pool *pool,
		      struct merge_source *sources, size_t source_count)
{
	struct merge_source *first = largest(sources, source_count);

	add_names(first, pool);
	if (first->has_aliases)
		absorb(table, first);
	else
		give_away(table, first);
	for (struct merge_source *source = sources; source < sources + source_count; source++) {
		if (source == first)
			continue;
		add_names(source, pool);
		absorb(table, source);
	}
}

void merge_source_release(struct merge_source *source)
{
	name_map_release(&source->numbered);
	free(source->map.shapes);
	free(source->map.tags);
	source->map = (struct merge_map){ 0 };
}
