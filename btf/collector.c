/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/collector.h"

#include <string.h>

#include "base/hash.h"

void collector_init(struct collector *collector, size_t types)
{
	*collector = (struct collector){ 0 };
	shape_table_init(&collector->table);
	array_reserve(&collector->roots, types);
	array_reserve(&collector->definitions, types / 2);
}

void collector_release(struct collector *collector)
{
	shape_table_release(&collector->table);
	array_release(&collector->roots);
	array_release(&collector->definitions);
	array_release(&collector->groups);
}

void collector_begin_group(struct collector *collector, uint32_t group)
{
	struct group_record record = {
		.group = group,
		.first_root = (uint32_t)collector->roots.count,
		.first_definition = (uint32_t)collector->definitions.count,
	};

	array_push(&collector->groups, record);
}

void collector_end_group(struct collector *collector)
{
	struct group_record *record = &collector->groups.data[collector->groups.count - 1];

	record->root_count = (uint32_t)collector->roots.count - record->first_root;
	record->definition_count =
		(uint32_t)collector->definitions.count - record->first_definition;
	for (uint32_t i = 0; i < record->root_count; i++)
		collector->table.shapes.data[collector->roots.data[record->first_root + i]]
			.is_root = true;
	for (uint32_t i = 0; i < record->definition_count; i++) {
		const struct definition *definition =
			&collector->definitions.data[record->first_definition + i];
		struct tag *tag = &collector->table.tags.data[definition->tag];

		collector->table.shapes.data[definition->shape].is_root = true;
		if (!tag->definition)
			tag->definition = definition->shape;
		else if (tag->definition != definition->shape)
			tag->ambiguous = true;
	}
}

/* Shapes that only this group had stay interned, but are no roots of anything that is written. */
void collector_drop_group(struct collector *collector)
{
	const struct group_record *record = &collector->groups.data[collector->groups.count - 1];

	collector->roots.count = record->first_root;
	collector->definitions.count = record->first_definition;
}

void collector_add_root(struct collector *collector, uint32_t shape)
{
	array_push(&collector->roots, shape);
}

void collector_add_definition(struct collector *collector, uint32_t tag, uint32_t shape)
{
	array_push(&collector->definitions, ((struct definition){ tag, shape }));
}

/* Name key -> pool id, filled on demand; open addressing on the key. */
struct name_cache {
	uint32_t (*slots)[2];
	uint32_t mask;
	uint32_t used;
	struct string_pool *pool;
	const struct merge_source *source;
};

static void name_cache_init(struct name_cache *cache, struct string_pool *pool,
			    const struct merge_source *source)
{
	*cache = (struct name_cache){ .mask = (1u << 18) - 1, .pool = pool, .source = source };
	cache->slots = memory_zeroed((size_t)cache->mask + 1, sizeof(*cache->slots));
}

static uint32_t name_slot(const struct name_cache *cache, uint32_t key)
{
	uint32_t at = (key * 0x9e3779b1u >> 8) & cache->mask;

	while (cache->slots[at][0] && cache->slots[at][0] != key)
		at = (at + 1) & cache->mask;
	return at;
}

static void name_cache_grow(struct name_cache *cache)
{
	uint32_t (*old)[2] = cache->slots;
	uint32_t old_mask = cache->mask;

	cache->mask = cache->mask * 2 + 1;
	cache->slots = memory_zeroed((size_t)cache->mask + 1, sizeof(*cache->slots));
	for (uint32_t i = 0; i <= old_mask; i++) {
		uint32_t at;

		if (!old[i][0])
			continue;
		at = name_slot(cache, old[i][0]);
		cache->slots[at][0] = old[i][0];
		cache->slots[at][1] = old[i][1];
	}
	free(old);
}

static uint32_t pool_name(struct name_cache *cache, uint32_t key)
{
	uint32_t at, id;

	if (!key)
		return 0;
	at = name_slot(cache, key);
	if (cache->slots[at][0])
		return cache->slots[at][1];
	id = string_pool_add(cache->pool, cache->source->name_text(cache->source->names, key));
	cache->slots[at][0] = key;
	cache->slots[at][1] = id;
	if (++cache->used * 2 > cache->mask)
		name_cache_grow(cache);
	return id;
}

static void translate(uint32_t *words, struct name_cache *cache, const struct merge_map *map)
{
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = &btf_kinds[btf_info_kind(info)];
	uint32_t names = btf_name_count(info);
	uint32_t refs = btf_ref_count(info);

	for (uint32_t i = 0; i < names; i++) {
		uint32_t *name = &words[btf_name_word(kind, i)];

		*name = pool_name(cache, *name);
	}
	for (uint32_t i = 0; i < refs; i++) {
		uint32_t *ref = &words[btf_ref_word(kind, i)];

		*ref = merge_map_ref(map, *ref);
	}
}

/*
 * One group may have one name under two keys (inline in one place, in .debug_str in another), and
 * define it under both: then these are two definitions, and the second key's tag becomes a variant.
 * Across groups it does not matter: there the name is what counts.
 */
static void split_keys(struct shape_table *table, struct merge_source *source)
{
	const struct collector *from = source->collector;
	uint32_t *group_of = memory_alloc(table->tags.count * sizeof(uint32_t));
	uint32_t *tag_of = memory_alloc(table->tags.count * sizeof(uint32_t));
	size_t known = table->tags.count;

	memset(group_of, 0xff, known * sizeof(uint32_t));
	for (size_t g = 0; g < from->groups.count; g++) {
		const struct group_record *group = &from->groups.data[g];

		for (uint32_t d = 0; d < group->definition_count; d++) {
			uint32_t local =
				from->definitions.data[group->first_definition + d].tag;
			uint32_t tag = source->map.tags[local];

			if (tag >= known)
				continue;	/* split already */
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

static void merge_tags(struct shape_table *table, struct name_cache *cache,
		       struct merge_source *source)
{
	const struct shape_table *from = &source->collector->table;
	bool *seen, repeated = false;

	for (uint32_t i = 0; i < from->tags.count; i++) {
		const struct tag *tag = &from->tags.data[i];

		source->map.tags[i] = shape_table_tag(table, (enum btf_kind)tag->kind,
						      pool_name(cache, tag->name), tag->variant);
	}
	seen = memory_zeroed(table->tags.count, sizeof(bool));
	for (uint32_t i = 0; i < from->tags.count; i++) {
		repeated |= seen[source->map.tags[i]];
		seen[source->map.tags[i]] = true;
	}
	free(seen);
	if (repeated)
		split_keys(table, source);
}

/* In order of ids, so that what a shape refers to has been mapped before it. */
static void merge_shapes(struct shape_table *table, struct name_cache *cache,
			 struct merge_source *source)
{
	const struct shape_table *from = &source->collector->table;
	ARRAY_OF(uint32_t) words = { 0 };

	source->map.shapes[0] = SHAPE_VOID;
	for (uint32_t i = 1; i < from->shapes.count; i++) {
		const struct shape *shape = &from->shapes.data[i];
		struct shape *merged;
		uint32_t id;

		words.count = 0;
		array_reserve(&words, shape->word_count);
		memcpy(words.data, shape_words(from, i), shape->word_count * sizeof(uint32_t));
		translate(words.data, cache, &source->map);
		id = shape_table_intern(table, words.data, shape->birth);
		merged = &table->shapes.data[id];
		merged->is_root |= shape->is_root;
		if (shape->birth < merged->birth)
			merged->birth = shape->birth;
		source->map.shapes[i] = id;
	}
	array_release(&words);
}

static void merge_definition(struct shape_table *table, uint32_t tag, uint32_t shape)
{
	struct tag *merged = &table->tags.data[tag];

	if (!merged->definition)
		merged->definition = shape;
	else if (merged->definition != shape)
		merged->ambiguous = true;
}

static void merge_definitions(struct shape_table *table, const struct merge_source *source)
{
	const struct collector *from = source->collector;
	bool some_ambiguous = false;

	for (uint32_t i = 0; i < from->table.tags.count; i++) {
		const struct tag *tag = &from->table.tags.data[i];

		some_ambiguous |= tag->ambiguous;
		if (tag->definition)
			merge_definition(table, source->map.tags[i],
					 source->map.shapes[tag->definition]);
	}
	/* Ambiguous by key need not be ambiguous by name: look at each definition again. */
	for (size_t i = 0; some_ambiguous && i < from->definitions.count; i++) {
		const struct definition *definition = &from->definitions.data[i];

		if (from->table.tags.data[definition->tag].ambiguous)
			merge_definition(table, source->map.tags[definition->tag],
					 source->map.shapes[definition->shape]);
	}
}

void collectors_merge(struct shape_table *table, struct string_pool *pool,
		      struct merge_source *sources, size_t source_count)
{
	for (size_t i = 0; i < source_count; i++) {
		struct merge_source *source = &sources[i];
		const struct shape_table *from = &source->collector->table;
		struct name_cache cache;

		source->map.shapes = memory_alloc(from->shapes.count * sizeof(uint32_t));
		source->map.tags = memory_alloc(from->tags.count * sizeof(uint32_t));
		name_cache_init(&cache, pool, source);
		merge_tags(table, &cache, source);
		merge_shapes(table, &cache, source);
		merge_definitions(table, source);
		free(cache.slots);
	}
}

void merge_map_release(struct merge_map *map)
{
	free(map->shapes);
	free(map->tags);
	*map = (struct merge_map){ 0 };
}
