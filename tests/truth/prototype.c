/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "prototype.h"

#include <stdio.h>

enum class {
	CLASS_NONE,
	CLASS_SSE,
	CLASS_INTEGER,
	CLASS_MEMORY,
};

/* Of both words; a value of more than 16 bytes, or one with a field that is not aligned, is in
 * memory. */
static void classify(const struct value *value, enum class classes[2])
{
	classes[0] = classes[1] = CLASS_NONE;
	if (value->size > 16) {
		classes[0] = CLASS_MEMORY;
		return;
	}
	for (unsigned int i = 0; i < value->scalar_count; i++) {
		const struct scalar *scalar = &value->scalars[i];
		enum class class = scalar->is_float ? CLASS_SSE : CLASS_INTEGER;

		if (scalar->offset % scalar->size) {
			classes[0] = CLASS_MEMORY;
			return;
		}
		for (unsigned int word = scalar->offset / 8;
		     word <= (scalar->offset + scalar->size - 1) / 8; word++) {
			if (classes[word] < class)
				classes[word] = class;
		}
	}
}

static unsigned int alignment(const struct value *value)
{
	for (unsigned int i = 0; i < value->scalar_count; i++) {
		if (value->scalars[i].size == 16)
			return 2;
	}
	return 1;
}

struct cursor {
	unsigned int integer, sse, stack;
};

static void place_value(const struct value *value, struct cursor *next, struct placement *placement)
{
	enum class classes[2];
	unsigned int words = (value->size + 7) / 8, integers = 0, floats = 0;

	classify(value, classes);
	for (unsigned int i = 0; i < 2; i++) {
		integers += classes[i] == CLASS_INTEGER;
		floats += classes[i] == CLASS_SSE;
	}
	/* All of it in registers, or nothing. */
	if (classes[0] != CLASS_MEMORY && next->integer + integers <= INTEGER_REGISTERS &&
	    next->sse + floats <= SSE_REGISTERS) {
		for (unsigned int i = 0; i < words; i++) {
			if (classes[i] == CLASS_INTEGER)
				placement->words[i] =
					(struct place){ PLACE_INTEGER, next->integer++ };
			else if (classes[i] == CLASS_SSE)
				placement->words[i] = (struct place){ PLACE_SSE, next->sse++ };
		}
		return;
	}
	next->stack += next->stack % alignment(value);
	for (unsigned int i = 0; i < words && i < VALUE_BYTES_MAX / 8; i++)
		placement->words[i] = (struct place){ PLACE_STACK, next->stack + i };
	next->stack += words;
}

void prototype_place(const struct prototype *prototype, struct placement *placements)
{
	struct cursor next = { 0 };
	enum class classes[2];

	/* The address of a result in memory comes first. */
	classify(&prototype->result, classes);
	next.integer = classes[0] == CLASS_MEMORY;
	for (unsigned int i = 0; i < prototype->parameter_count; i++) {
		placements[i] = (struct placement){ 0 };
		place_value(&prototype->parameters[i], &next, &placements[i]);
	}
}

bool prototype_place_result(const struct prototype *prototype, struct placement *placement)
{
	unsigned int integer = 0, sse = 0;
	enum class classes[2];

	*placement = (struct placement){ 0 };
	classify(&prototype->result, classes);
	if (!prototype->result.size || classes[0] == CLASS_MEMORY)
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		if (classes[i] == CLASS_INTEGER)
			placement->words[i] = (struct place){ PLACE_RESULT, integer++ };
		else if (classes[i] == CLASS_SSE)
			placement->words[i] = (struct place){ PLACE_SSE, sse++ };
	}
	return true;
}

const char *place_name(struct place place, char *text, size_t size)
{
	static const char *const integer[] = { "%rdi", "%rsi", "%rdx", "%rcx", "%r8", "%r9" };

	switch (place.kind) {
	case PLACE_INTEGER:
		return integer[place.index];
	case PLACE_SSE:
		snprintf(text, size, "%%xmm%u", place.index);
		return text;
	case PLACE_STACK:
		snprintf(text, size, "%u(%%rsp)", 8 + 8 * place.index);
		return text;
	case PLACE_RESULT:
		return place.index ? "%rdx" : "%rax";
	case PLACE_NOWHERE:
		break;
	}
	return "nowhere";
}
