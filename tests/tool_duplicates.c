/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_duplicates [--doubled] FILE
 *
 * Looks for types of raw BTF that mean the same: it starts with every type that looks the same
 * from outside (kind, name, size, members) in one class and splits the classes by the classes of
 * what the types refer to, until nothing changes. Two types left in one class cannot be told apart
 * by any path through the graph, so one of them is too many. That is the textbook definition,
 * without a thought of speed, and with libbpf's reader instead of ours.
 *
 * Variables are left alone: two static ones may well have the same name and type.
 *
 * --doubled appends the file's types to themselves first: everything has to be found.
 * Exit status: 0 none, 1 duplicates, which are listed, 2 FILE cannot be read.
 */
#include <bpf/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/file_bytes.h"

enum { LISTED = 20 };

struct graph {
	struct btf *btf;
	uint32_t count;			/* types, with void as 0 */
	uint64_t *classes;		/* of each type, in this round */
	uint64_t *next;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static uint64_t mix_name(const struct graph *graph, uint64_t hash, uint32_t name_offset)
{
	for (const char *c = btf__name_by_offset(graph->btf, name_offset); c && *c; c++)
		hash = mix(hash, (uint64_t)*c + 256);
	return mix(hash, 1);
}

/* A reference counts with the class of what it leads to; in the first round all are alike. */
static uint64_t mix_type(const struct graph *graph, uint64_t hash, uint32_t id)
{
	return mix(hash, id < graph->count ? graph->classes[id] : UINT64_MAX);
}

static uint64_t mix_members(const struct graph *graph, uint64_t hash, const struct btf_type *type)
{
	for (int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = btf_members(type) + i;

		hash = mix_name(graph, hash, member->name_off);
		hash = mix_type(graph, hash, member->type);
		hash = mix(hash, member->offset);
	}
	return hash;
}

static uint64_t mix_values(const struct graph *graph, uint64_t hash, const struct btf_type *type)
{
	for (int i = 0; i < btf_vlen(type); i++) {
		if (btf_is_enum64(type)) {
			const struct btf_enum64 *value = btf_enum64(type) + i;

			hash = mix_name(graph, hash, value->name_off);
			hash = mix(mix(hash, value->val_lo32), value->val_hi32);
		} else {
			hash = mix_name(graph, hash, btf_enum(type)[i].name_off);
			hash = mix(hash, (uint32_t)btf_enum(type)[i].val);
		}
	}
	return hash;
}

static uint64_t mix_parameters(const struct graph *graph, uint64_t hash,
			       const struct btf_type *type)
{
	for (int i = 0; i < btf_vlen(type); i++) {
		hash = mix_name(graph, hash, btf_params(type)[i].name_off);
		hash = mix_type(graph, hash, btf_params(type)[i].type);
	}
	return hash;
}

static uint64_t class_of(const struct graph *graph, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(graph->btf, id);
	uint64_t hash = mix_name(graph, mix(0, type->info), type->name_off);

	switch (btf_kind(type)) {
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
		return mix(hash, id);
	case BTF_KIND_INT:
		return mix(mix(hash, type->size), *(const uint32_t *)(type + 1));
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD:
		return mix(hash, type->size);
	case BTF_KIND_ARRAY:
		hash = mix_type(graph, hash, btf_array(type)->type);
		hash = mix_type(graph, hash, btf_array(type)->index_type);
		return mix(hash, btf_array(type)->nelems);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return mix_members(graph, mix(hash, type->size), type);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return mix_values(graph, mix(hash, type->size), type);
	case BTF_KIND_FUNC_PROTO:
		return mix_parameters(graph, mix_type(graph, hash, type->type), type);
	case BTF_KIND_DECL_TAG:
		hash = mix(hash, (uint32_t)btf_decl_tag(type)->component_idx);
		return mix_type(graph, hash, type->type);
	default:
		return mix_type(graph, hash, type->type);
	}
}

static int by_class(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static uint32_t count_classes(const uint64_t *classes, uint32_t count)
{
	uint64_t *sorted = malloc(count * sizeof(*sorted));
	uint32_t distinct = 0;

	memcpy(sorted, classes, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_class);
	for (uint32_t i = 0; i < count; i++)
		distinct += i == 0 || sorted[i] != sorted[i - 1];
	free(sorted);
	return distinct;
}

/* A round only ever splits classes: when their number stays, they stay. */
static uint32_t refine(struct graph *graph)
{
	uint32_t before = 0;
	uint32_t distinct = 1;

	while (distinct != before) {
		uint64_t *swap = graph->classes;

		before = distinct;
		for (uint32_t id = 1; id < graph->count; id++)
			graph->next[id] = mix(graph->classes[id], class_of(graph, id));
		graph->classes = graph->next;
		graph->next = swap;
		graph->classes[0] = graph->next[0];
		distinct = count_classes(graph->classes, graph->count);
	}
	return graph->count - distinct;
}

struct entry {
	uint64_t class;			/* first, for by_class() */
	uint32_t id;
};

static void list(const struct graph *graph)
{
	struct entry *entries = malloc(graph->count * sizeof(*entries));
	int listed = 0;

	for (uint32_t id = 0; id < graph->count; id++)
		entries[id] = (struct entry){ graph->classes[id], id };
	qsort(entries, graph->count, sizeof(*entries), by_class);
	for (uint32_t i = 1; i < graph->count && listed < LISTED; i++) {
		const struct btf_type *type = btf__type_by_id(graph->btf, entries[i].id);

		if (entries[i].class != entries[i - 1].class)
			continue;
		printf("%u and %u are the same: kind %u '%s'\n", entries[i - 1].id, entries[i].id,
		       btf_kind(type), btf__name_by_offset(graph->btf, type->name_off));
		listed++;
	}
	free(entries);
}

int main(int argc, char **argv)
{
	int doubled = argc == 3 && strcmp(argv[1], "--doubled") == 0;
	const char *path = argc == 2 + doubled ? argv[1 + doubled] : "FILE";
	size_t bytes = 0;
	void *data = argc == 2 + doubled ? file_bytes(path, &bytes) : NULL;
	struct graph graph = { .btf = data ? btf__new(data, (__u32)bytes) : NULL };
	struct btf *again = doubled && data ? btf__new(data, (__u32)bytes) : NULL;
	uint32_t duplicates;

	free(data);
	if (!graph.btf || (doubled && (!again || btf__add_btf(graph.btf, again) < 0))) {
		fprintf(stderr, "tool_duplicates: cannot read %s\n", path);
		return 2;
	}
	graph.count = btf__type_cnt(graph.btf);
	graph.classes = calloc(graph.count, sizeof(*graph.classes));
	graph.next = calloc(graph.count, sizeof(*graph.next));
	duplicates = refine(&graph);
	if (duplicates) {
		printf("%u of %u types are duplicates\n", duplicates, graph.count - 1);
		list(&graph);
	}
	free(graph.classes);
	free(graph.next);
	btf__free(again);
	btf__free(graph.btf);
	return duplicates != 0;
}
