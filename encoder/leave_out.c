/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What becomes of types that the kernel would reject: they cost the units that have them, not the
 * whole file. From the verifier's findings back to shapes, and from these to groups of units.
 */
#include <stdio.h>

#include "encoder/program.h"

struct blame {
	struct program *program;
	bool *shapes;		/* of the merged table: guilty */
	bool *groups;		/* of units: have a guilty shape */
	uint32_t group_count;
};

static void blame_group(struct blame *blame, uint32_t group)
{
	if (group < blame->program->groups.groups.count && !blame->groups[group]) {
		blame->groups[group] = true;
		blame->group_count++;
	}
}

/*
 * The shape behind a finding. For a FUNC it is the prototype, which stands in its units; what was
 * made later (a resolved copy of an ambiguous type, a VAR) is only known by its first group.
 */
static void blame_type(struct blame *blame, const struct btf_image *image, uint32_t type_id)
{
	const struct shape_table *table = &blame->program->table;
	shape_ref ref;

	if (type_id < image->first_id || type_id - image->first_id >= image->type_count)
		return;
	ref = image->shapes[type_id - image->first_id];
	if (ref_is_tag(ref))
		return;
	if (shape_kind(table, ref) == BTF_FUNC)
		ref = shape_words(table, ref)[BTF_WORD_TYPE];
	blame->shapes[ref] = true;
	blame_group(blame, (uint32_t)(table->shapes.data[ref].birth >> 32));
}

static void blame_source(struct blame *blame, const struct merge_source *source)
{
	const struct collector *collector = source->collector;

	for (size_t g = 0; g < collector->groups.count; g++) {
		const struct group_record *group = &collector->groups.data[g];
		bool guilty = false;
		struct definition entry;
		struct entry_walk walk;

		entry_walk_start(&walk, collector, group, NULL);
		while (entry_walk_next(&walk, &entry))
			guilty |= blame->shapes[source->map.shapes[entry.shape]];
		if (guilty)
			blame_group(blame, group->group);
	}
}

static void blame_all(struct blame *blame, const struct btf_image *image,
		      const struct btf_findings *findings)
{
	const struct instances *instances = &blame->program->instances;

	for (size_t i = 0; i < findings->count; i++)
		blame_type(blame, image, findings->data[i].type_id);
	for (unsigned int i = 0; i < blame->program->options->jobs; i++)
		blame_source(blame, &blame->program->sources[i]);
	for (size_t i = 0; i < instances->functions.count; i++) {
		shape_ref prototype = instances->functions.data[i].prototype;

		if (!ref_is_tag(prototype) && blame->shapes[prototype])
			blame_group(blame, instances->functions.data[i].group);
	}
}

bool program_leave_out(struct program *program, const struct btf_image *image,
		       const struct btf_reader *reader, const struct btf_findings *findings,
		       struct encode_report *report, struct error *err)
{
	const char *path = program->options->path;
	struct blame blame = { .program = program };
	bool good;
	char text[400];

	btf_finding_text(reader, &findings->data[0], text, sizeof(text));
	error_at(err, path,
		 "the kernel would reject the BTF: %s (%llu errors in all); the DWARF is damaged, "
		 "or this is a bug of btfenc: please report it",
		 text, (unsigned long long)findings->errors);
	if (program->options->strict)
		return false;
	blame.shapes = memory_zeroed(program->table.shapes.count, sizeof(bool));
	blame.groups = memory_zeroed(program->groups.groups.count, sizeof(bool));
	blame_all(&blame, image, findings);
	for (uint32_t g = 0; g < program->groups.groups.count; g++) {
		const struct unit_group *group = &program->groups.groups.data[g];

		if (!blame.groups[g])
			continue;
		program->left_out[g] = true;
		report->left_out += group->count;
		fprintf(stderr,
			"btfenc: warning: %s: unit 0x%llx: has a type that the kernel would "
			"reject, "
			"for instance %s; skipped\n",
			path, (unsigned long long)group->begin, text);
	}
	good = blame.group_count > 0;
	free(blame.shapes);
	free(blame.groups);
	return good;
}
