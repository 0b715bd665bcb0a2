/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf_prototypes.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct btf_type *skip_names(const struct btf *btf, uint32_t *id)
{
	const struct btf_type *type = btf__type_by_id(btf, *id);

	while (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type)) {
		*id = type->type;
		type = btf__type_by_id(btf, *id);
	}
	return type;
}

static void add_scalar(struct value *value, unsigned int offset, unsigned int size, bool is_float)
{
	/* More than any register could hold is in memory, whatever it is. */
	if (value->scalar_count < SCALARS_MAX)
		value->scalars[value->scalar_count++] = (struct scalar){ offset, size, is_float };
}

/* The tests' own types nest a few levels deep: this may recurse. */
static void add_scalars(const struct btf *btf, uint32_t id, unsigned int offset,
			struct value *value)
{
	const struct btf_type *type = skip_names(btf, &id);

	if (btf_is_composite(type)) {
		for (uint32_t i = 0; i < btf_vlen(type); i++) {
			uint32_t bits = btf_member_bit_offset(type, i);
			uint32_t width = btf_member_bitfield_size(type, i);

			if (width)
				add_scalar(value, offset + bits / 8, 1, false);
			else
				add_scalars(btf, btf_members(type)[i].type, offset + bits / 8,
					    value);
		}
	} else if (btf_is_array(type)) {
		const struct btf_array *array = btf_array(type);
		unsigned int size = (unsigned int)btf__resolve_size(btf, array->type);

		for (uint32_t i = 0; i < array->nelems; i++)
			add_scalars(btf, array->type, offset + i * size, value);
	} else {
		add_scalar(value, offset, (unsigned int)btf__resolve_size(btf, id),
			   btf_is_float(type));
	}
}

static void read_value(const struct btf *btf, uint32_t id, struct value *value)
{
	*value = (struct value){ 0 };
	if (!id)
		return;
	value->size = (unsigned int)btf__resolve_size(btf, id);
	value->is_aggregate = btf_is_composite(skip_names(btf, &id));
	add_scalars(btf, id, 0, value);
}

static void read_prototype(const struct btf *btf, uint32_t id, struct prototype *prototype)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	uint32_t result = type->type;

	*prototype = (struct prototype){ 0 };
	read_value(btf, result, &prototype->result);
	for (uint32_t i = 0; i < btf_vlen(type) && i < PARAMETERS_MAX; i++) {
		const struct btf_param *parameter = &btf_params(type)[i];
		struct value *value = &prototype->parameters[prototype->parameter_count];

		/* The parameter "..." has neither type nor name. */
		if (!parameter->type)
			break;
		read_value(btf, parameter->type, value);
		snprintf(value->name, sizeof(value->name), "%s",
			 btf__name_by_offset(btf, parameter->name_off));
		prototype->parameter_count++;
	}
}

struct btf *btf_open(const char *path, size_t pointer_bytes)
{
	struct btf *btf = btf__parse_raw(path);

	if (!btf) {
		fprintf(stderr, "%s: libbpf cannot read it\n", path);
		exit(2);
	}
	btf__set_pointer_size(btf, pointer_bytes);
	return btf;
}

bool btf_prototype(const struct btf *btf, const char *name, struct prototype *prototype,
		   unsigned int *count)
{
	*count = 0;
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (!btf_is_func(type) ||
		    strcmp(btf__name_by_offset(btf, type->name_off), name) != 0)
			continue;
		if (!(*count)++)
			read_prototype(btf, type->type, prototype);
	}
	return *count == 1;
}
