/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/collector.h"

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
