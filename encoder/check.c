/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that reads the finished image back. What C has and BTF cannot say is repaired
 * (repair.c). Other types that the kernel would reject cost the units that have them, not the whole
 * file: findings of the verifier lead back to nodes, and these to groups of units.
 */
#include <stdio.h>
#include <string.h>

#include "btf/verify/verify.h"
#include "encoder/passes.h"

/*
 * Marks the groups that have a type with a finding as left out. `is_bad` is by merged node. Of a
 * FUNC it is the prototype, which the units have; what was made later (a resolved copy of an
 * ambiguous type, a VAR) is only known by its first group.
 */
static enum attempt leave_out(struct program *program, const struct btf_image *image,
			      const struct btf_reader *reader,
			      const struct btf_findings *findings, struct encode_report *report,
			      struct error *err)
{
	const struct node_table *table = &program->table;
	const struct instances *instances = &program->instances;
	const char *path = program->options->path;
	size_t group_count = program->groups.groups.count;
	enum attempt result = ATTEMPT_FAILED;
	bool *is_bad, *is_left_out;
	char text[400];

	btf_finding_text(reader, &findings->data[0], text, sizeof(text));
	error_at(err, path,
		 "the kernel would reject the BTF: %s (%llu errors in all); the DWARF is damaged, "
		 "or this is a bug of btfenc: please report it",
		 text, (unsigned long long)findings->errors);
	if (program->options->strict)
		return ATTEMPT_FAILED;
	is_bad = memory_zeroed(table->nodes.count, sizeof(bool));
	is_left_out = memory_zeroed(group_count, sizeof(bool));
	for (size_t i = 0; i < findings->count; i++) {
		uint32_t number = findings->data[i].type_id - image->first_id, node;

		if (findings->data[i].type_id < image->first_id || number >= image->all_types ||
		    ref_is_tag(image->nodes[number]))
			continue;
		node = ref_node(image->nodes[number]);
		if (node_kind(table, node) == BTF_FUNC)
			node = node_words(table, node)[BTF_WORD_TYPE];
		is_bad[node] = true;
		if (table->nodes.data[node].first_seen >> 32 < group_count)
			is_left_out[table->nodes.data[node].first_seen >> 32] = true;
	}
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct merge_source *source = &program->sources[i];

		array_each(const struct group_record, group, &source->collector->groups) {
			struct definition entry;
			struct entry_walk walk;

			entry_walk_start(&walk, source->collector, group, NULL);
			while (entry_walk_next(&walk, &entry))
				is_left_out[group->group.index] |=
					is_bad[source->map.nodes[entry.node]];
		}
	}
	array_each(const struct function_instance, instance, &instances->functions) {
		if (!ref_is_tag(instance->prototype))
			is_left_out[instance->group.index] |= is_bad[ref_node(instance->prototype)];
	}
	for (uint32_t g = 0; g < group_count; g++) {
		const struct unit_group *group = &program->groups.groups.data[g];

		if (!is_left_out[g])
			continue;
		result = ATTEMPT_AGAIN;
		program->left_out[g] = true;
		report->left_out += group->own_count;
		print_warning("%s: unit 0x%llx: has a type that the kernel would reject, for "
			      "instance %s; its types are missing", path,
			      (unsigned long long)group->begin, text);
	}
	free(is_bad);
	free(is_left_out);
	return result;
}

/* More rounds than legal C needs: each may show what the one before has hidden. */
#define MAX_REPAIRS 16

/* Every rule, on the finished bytes. */
static enum attempt check_reader(struct program *program, const struct btf_image *image,
				 enum btf_dialect dialect, const struct btf_reader *reader,
				 struct encode_report *report, struct error *err)
{
	const struct btf_verify_options options = {
		.pointer_bytes = program->object.address_bytes,
		.layout = true, .errors_only = true, .dialect = dialect,
		.two_threads = program->options->jobs > 1 };
	enum attempt result = ATTEMPT_DONE;
	struct btf_findings findings;
	uint32_t losses;

	btf_verify(reader, &options, &findings);
	if (findings.errors && program->repairs < MAX_REPAIRS &&
	    program_repair(program, image, reader, &findings, &losses)) {
		/* Without the id, which is another type's when the rest is numbered again. */
		if (losses && !*report->loss) {
			char text[sizeof(report->loss)], *type;

			btf_finding_text(reader, &findings.data[0], text, sizeof(text));
			type = strstr(text, "] ");
			snprintf(report->loss, sizeof(report->loss), "%s", type ? type + 2 : text);
		}
		report->inexpressible += losses;
		program->repairs++;
		result = ATTEMPT_REPAIRED;
	} else if (findings.errors) {
		result = leave_out(program, image, reader, &findings, report, err);
	}
	btf_findings_release(&findings);
	return result;
}

/* Each image is read on top of those below: what stays of the base, the image, its parts. */
enum attempt program_check(struct program *program, const struct btf_image *image,
			   struct encode_report *report, struct error *err)
{
	const struct btf_base *base = program->options->base;
	const char *path = program->options->path;
	bool has_sites = program->options->features.feature_inline &&
			 !program->options->split_inline;
	const struct { const uint8_t *data; size_t size; enum btf_dialect dialect; } images[] = {
		{ image->base_data, image->base_size, BTF_DIALECT_CLASSIC },
		{ image->data, image->size, has_sites ? BTF_DIALECT_INLINE : BTF_DIALECT_CLASSIC },
		{ image->parts[BTF_PART_INLINE].data, image->parts[BTF_PART_INLINE].size,
		  BTF_DIALECT_INLINE },
		{ image->parts[BTF_PART_EXTRA].data, image->parts[BTF_PART_EXTRA].size,
		  BTF_DIALECT_EXTRA },
	};
	const struct btf_reader *below = base && !image->base_data ? base->reader : NULL;
	struct btf_reader readers[2 + BTF_PART_COUNT];
	enum attempt result = ATTEMPT_DONE;
	uint32_t count = 0;

	if (!image->type_count && !base) {
		error_at(err, path, "nothing in its DWARF goes into BTF; were the units that have "
			 "types left out (--lang, --lang-exclude)?");
		return ATTEMPT_FAILED;
	}
	for (size_t i = 0; i < 2 + BTF_PART_COUNT && result == ATTEMPT_DONE; i++) {
		if (!images[i].data)
			continue;
		if (!btf_reader_from_memory(&readers[count], images[i].data, images[i].size, path,
					    below, err)) {
			result = ATTEMPT_FAILED;
			break;
		}
		below = &readers[count++];
		/* A distilled base only repeats what the base has. */
		if (images[i].data != image->base_data)
			result = check_reader(program, image, images[i].dialect, below, report,
					      err);
	}
	while (count)
		btf_reader_release(&readers[--count]);
	return result;
}
