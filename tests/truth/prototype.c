/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "prototype.h"

#include <stdio.h>

#include "machine.h"

void prototype_place(const struct machine *machine, const struct prototype *prototype,
		     struct placement *placements)
{
	static const struct value address = { .size = 8, .scalar_count = 1,
					      .scalars = { { .size = 8 } } };
	struct cursor next = { .machine = machine };
	struct placement first = { 0 };

	/* The address of a result in memory comes first. */
	if (prototype->result.size && machine->returned_in_memory(&prototype->result) &&
	    !machine->result_address_apart) {
		struct value pointer = address;

		pointer.size = pointer.scalars[0].size = machine->word_bytes;
		machine->place(&next, &pointer, &first);
	}
	for (unsigned int i = 0; i < prototype->parameter_count; i++) {
		placements[i] = (struct placement){ 0 };
		machine->place(&next, &prototype->parameters[i], &placements[i]);
	}
}

bool prototype_place_result(const struct machine *machine, const struct prototype *prototype,
			    struct placement *placement)
{
	struct cursor next = { .machine = machine };

	*placement = (struct placement){ 0 };
	if (!prototype->result.size || machine->returned_in_memory(&prototype->result))
		return false;
	machine->place(&next, &prototype->result, placement);
	for (unsigned int i = 0; !machine->emulator && i < placement->count; i++) {
		if (placement->pieces[i].place.kind == PLACE_INTEGER)
			placement->pieces[i].place.kind = PLACE_RESULT;
	}
	return true;
}

const char *place_name(const struct machine *machine, struct place place, char *text, size_t size)
{
	switch (place.kind) {
	case PLACE_INTEGER:
		return machine->integer_names[place.index];
	case PLACE_FLOAT:
		snprintf(text, size, machine->floating_name,
			 machine->floating_first + machine->floating_name_step * place.index);
		return text;
	case PLACE_STACK:
		snprintf(text, size, "%u(%s)",
			 machine->stack_start + machine->word_bytes * place.index,
			 machine->stack_name);
		return text;
	case PLACE_RESULT:
		return place.index ? "%rdx" : "%rax";
	case PLACE_NOWHERE:
		break;
	}
	return "nowhere";
}
