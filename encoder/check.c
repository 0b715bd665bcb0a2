/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that reads the finished image back. Types that the kernel would reject cost
 * the units that have them, not the whole file: from the verifier's findings back to nodes, and
 * from these to groups of units.
 */
#include <stdio.h>

#include "btf/verify/verify.h"
#include "encoder/passes.h"

/* ---- what is left out ---- */

struct blame {
	struct program *program;
	bool *nodes;		/* of the merged table: guilty */
	bool *groups;		/* of units: have a guilty node */
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
 * The node behind a finding. For a FUNC it is the prototype, which stands in its units; what was
 * made later (a resolved copy of an ambiguous type, a VAR) is only known by its first group.
 */
static void blame_type(struct blame *blame, const struct btf_image *image, uint32_t type_id)
{
	const struct node_table *table = &blame->program->table;
	struct node_ref ref;
	uint32_t node;

	if (type_id < image->first_id || type_id - image->first_id >= image->type_count)
		return;
	ref = image->nodes[type_id - image->first_id];
	if (ref_is_tag(ref))
		return;
	node = ref_node(ref);
	if (node_kind(table, node) == BTF_FUNC)
		node = node_words(table, node)[BTF_WORD_TYPE];
	blame->nodes[node] = true;
	blame_group(blame, (uint32_t)(table->nodes.data[node].first_seen >> 32));
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
			guilty |= blame->nodes[source->map.nodes[entry.node]];
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
		struct node_ref prototype = instances->functions.data[i].prototype;

		if (!ref_is_tag(prototype) && blame->nodes[ref_node(prototype)])
			blame_group(blame, instances->functions.data[i].group);
	}
}

static enum attempt leave_out(struct program *program, const struct btf_image *image,
			      const struct btf_reader *reader,
			      const struct btf_findings *findings, struct encode_report *report,
			      struct error *err)
{
	const char *path = program->options->path;
	struct blame blame = { .program = program };
	char text[400];

	btf_finding_text(reader, &findings->data[0], text, sizeof(text));
	error_at(err, path,
		 "the kernel would reject the BTF: %s (%llu errors in all); the DWARF is damaged, "
		 "or this is a bug of btfenc: please report it",
		 text, (unsigned long long)findings->errors);
	if (program->options->strict)
		return ATTEMPT_FAILED;
	blame.nodes = memory_zeroed(program->table.nodes.count, sizeof(bool));
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
			"reject, for instance %s; skipped\n",
			path, (unsigned long long)group->begin, text);
	}
	free(blame.nodes);
	free(blame.groups);
	return blame.group_count ? ATTEMPT_AGAIN : ATTEMPT_FAILED;
}

/* ---- reading back ---- */

/* Every rule, on the finished bytes. */
static enum attempt check_reader(struct program *program, const struct btf_image *image,
				 enum btf_dialect dialect, const struct btf_reader *reader,
				 struct encode_report *report, struct error *err)
{
	const struct btf_verify_options options = {
		.pointer_bytes = program->object.address_bytes, .limit = 10000,
		.layout = true, .errors_only = true, .dialect = dialect,
		.two_threads = program->options->jobs > 1 };
	enum attempt result = ATTEMPT_DONE;
	struct btf_findings findings;

	btf_verify(reader, &options, &findings);
	if (findings.errors)
		result = leave_out(program, image, reader, &findings, report, err);
	btf_findings_release(&findings);
	return result;
}

/* The image, and the extra one on top of it; `base` as for btf_reader_from_memory(). */
static enum attempt check_on(struct program *program, const struct btf_image *image,
			     const struct btf_reader *base, struct encode_report *report,
			     struct error *err)
{
	const char *path = program->options->path;
	enum btf_dialect dialect = program->options->features.feature_inline
					   ? BTF_DIALECT_INLINE : BTF_DIALECT_CLASSIC;
	struct btf_reader reader, extra;
	enum attempt result;

	if (!btf_reader_from_memory(&reader, image->data, image->size, path, base, err))
		return ATTEMPT_FAILED;
	result = check_reader(program, image, dialect, &reader, report, err);
	if (result == ATTEMPT_DONE && image->extra_data) {
		if (btf_reader_from_memory(&extra, image->extra_data, image->extra_size, path,
					   &reader, err)) {
			result = check_reader(program, image, BTF_DIALECT_EXTRA, &extra, report,
					      err);
			btf_reader_release(&extra);
		} else {
			result = ATTEMPT_FAILED;
		}
	}
	btf_reader_release(&reader);
	return result;
}

enum attempt program_check(struct program *program, const struct btf_image *image,
			   struct encode_report *report, struct error *err)
{
	const struct btf_base *base = program->options->base;
	struct btf_reader distilled;
	enum attempt result;

	if (!image->type_count && !base) {
		error_at(err, program->options->path, "nothing in its DWARF goes into BTF; were "
			 "the units that have types left out (--lang, --lang-exclude)?");
		return ATTEMPT_FAILED;
	}
	if (!image->base_data)
		return check_on(program, image, base ? base->reader : NULL, report, err);
	if (!btf_reader_from_memory(&distilled, image->base_data, image->base_size,
				    program->options->path, NULL, err))
		return ATTEMPT_FAILED;
	result = check_on(program, image, &distilled, report, err);
	btf_reader_release(&distilled);
	return result;
}
