/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Brings the workers' site shapes (encoder/sites/sites.h) into the merged table, and what refers to them
 * to their places there. Between merging and resolving: prototypes may refer to tags whose meaning
 * has yet to be found. What is a type, too, stays what it is; all else is born behind all types.
 */
#include <string.h>

#include "encoder/program.h"

struct site_merging {
	struct program *program;
	uint32_t worker;
	shape_ref *shapes;		/* site shape -> merged shape */
};

/* Prototypes have names, and refer to the worker's types; lists of places to site shapes. */
static void translate(const struct site_merging *merging, uint32_t *words)
{
	struct program *program = merging->program;
	const struct name_table *names = &program->workers[merging->worker].reader.names;
	const struct merge_map *map = &program->sources[merging->worker].map;
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);
	bool is_prototype = btf_info_kind(info) == BTF_FUNC_PROTO;

	for (uint32_t i = 1, n = btf_name_count(info); i < n; i++) {
		uint32_t *name = &words[btf_name_word(kind, i)];

		*name = string_pool_add(&program->pool, name_table_text(names, *name)).index;
	}
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t *ref = &words[btf_ref_word(kind, i)];

		*ref = is_prototype ? merge_map_ref(map, *ref) : merging->shapes[*ref];
	}
}

/* Which worker met a shape first must not matter: its birth is the earliest. */
static void merge_shapes(struct site_merging *merging, struct shape_table *from)
{
	struct shape_table *table = &merging->program->table;

	merging->shapes = memory_zeroed(from->shapes.count, sizeof(*merging->shapes));
	for (uint32_t i = 1; i < from->shapes.count; i++) {
		uint32_t *words = from->words.data + from->starts.data[i];
		uint64_t birth = from->shapes.data[i].birth;
		struct shape *merged;

		translate(merging, words);
		merging->shapes[i] = shape_table_intern(table, words, birth);
		merged = &table->shapes.data[merging->shapes[i]];
		if (birth < merged->birth)
			merged->birth = birth;
	}
}

static void refer(const struct site_merging *merging, struct unit_worker *worker)
{
	struct site_list *list = &worker->sites.list;

	for (size_t i = 0; i < list->functions.count; i++)
		list->functions.data[i].prototype =
			merging->shapes[list->functions.data[i].prototype];
	for (size_t i = 0; i < list->sites.count; i++)
		list->sites.data[i].places = merging->shapes[list->sites.data[i].places];
	for (size_t i = 0; i < list->pieces.count; i++)
		list->pieces.data[i].site.places =
			merging->shapes[list->pieces.data[i].site.places];
	for (size_t i = 0; i < worker->instances.functions.count; i++) {
		struct collected_function *collected = &worker->instances.functions.data[i];

		collected->instance.places = merging->shapes[collected->places];
	}
}

void program_merge_sites(struct program *program)
{
	for (uint32_t i = 0; i < program->options->jobs; i++) {
		struct site_merging merging = { .program = program, .worker = i };
		struct unit_worker *worker = &program->workers[i];

		if (!worker->sites.known)
			continue;
		merge_shapes(&merging, &worker->sites.shapes);
		refer(&merging, worker);
		shape_table_release(&worker->sites.shapes);
		free(merging.shapes);
	}
}
