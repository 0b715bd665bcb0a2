/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/abi/prototypes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/unit.h"

static void die_of_error(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(3);
}

void program_open(struct program *program, const char *path)
{
	struct dwarf_model *model = &program->model;
	struct error err = { "" };
	uint64_t language;

	memset(program, 0, sizeof(*program));
	if (!object_open(&program->object, path, &err) ||
	    !unit_list_read(&program->units, &program->object, &err))
		die_of_error(err.text);
	unit_reader_init(&program->reader, &program->object, &program->units);
	program->reader.names.intern_all = true;
	dwarf_model_reset(model, 0, program->object.sections[SECTION_INFO].size);
	for (size_t i = 0; i < program->units.count; i++) {
		if (!unit_reader_open(&program->reader, &program->units.data[i], &language, &err) ||
		    !unit_reader_read(&program->reader, model, &err))
			die_of_error(err.text);
	}
	program->abi = abi_of(&program->object);
	if (!program->abi)
		die_of_error("no convention for this machine");
	type_layout_init(&program->layout, program->object.address_bytes);
	program->layout.big_endian = program->object.big_endian;
	program->dwarf = dwarf_begin(program->object.fd, DWARF_C_READ);
	if (!program->dwarf)
		die_of_error(dwarf_errmsg(-1));
}

void program_close(struct program *program)
{
	dwarf_end(program->dwarf);
	type_layout_release(&program->layout);
	unit_reader_release(&program->reader);
	dwarf_model_release(&program->model);
	unit_list_release(&program->units);
	object_close(&program->object);
}

static bool layout_of(struct program *program, uint32_t reference, struct abi_type *type)
{
	uint32_t link = 0;

	if (reference)
		link = offset_index_find(&program->model.type_index, reference) + 1;
	return type_layout_of(&program->layout, link, type);
}

int program_prototype(struct program *program, size_t index, struct prototype *prototype)
{
	const struct dwarf_function *function = &program->model.functions.data[index];
	bool known;

	memset(prototype, 0, sizeof(*prototype));
	if (!function->entry_count || function->parameter_count > MAX_PARAMETERS ||
	    !dwarf_offdie(program->dwarf, function->offset, &prototype->die))
		return -1;
	prototype->name = dwarf_diename(&prototype->die);
	if (!prototype->name || prototype->name[0] != 'f')
		return -1;
	type_layout_reset(&program->layout, &program->model);
	known = layout_of(program, function->type, &prototype->result);
	for (uint32_t i = 0; i < function->parameter_count && known; i++) {
		const struct dwarf_parameter *parameter =
			&program->model.parameters.data[function->first_parameter + i];

		known = layout_of(program, parameter->type, &prototype->parameters[i]);
	}
	prototype->prototype = (struct abi_prototype){
		.result = &prototype->result,
		.parameters = prototype->parameters,
		.parameter_count = function->parameter_count,
		.is_variadic = function->flags & FUNCTION_VARIADIC,
		.is_int128_whole = producer_keeps_int128_whole(
			&program->model.units.data[function->unit].producer),
	};
	if (!known || !abi_assign(program->abi, &prototype->prototype, &prototype->call,
				  prototype->places))
		return 0;
	return 1;
}
