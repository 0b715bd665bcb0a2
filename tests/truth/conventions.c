/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The location that each machine's psABI gives a value, after those that `next` has seen. Only what
 * the types of the generated programs need: no vectors, no long double, no _Complex.
 */
#include <stdlib.h>

#include "machine.h"

/* ---- what a value is ---- */

/* 1 of what is packed: the tests' own packed types all have a size that shows it. */
static unsigned int alignment(const struct value *value)
{
	unsigned int largest = 1;

	for (unsigned int i = 0; i < value->scalar_count; i++) {
		if (value->scalars[i].size > largest)
			largest = value->scalars[i].size;
	}
	return value->size % largest ? 1 : largest;
}

/* The number of floats of one size that it consists of; 0: it has something else, or more. */
static unsigned int homogeneous(const struct value *value, unsigned int most)
{
	for (unsigned int i = 0; i < value->scalar_count; i++) {
		if (!value->scalars[i].is_float || value->scalars[i].size != value->scalars[0].size)
			return 0;
	}
	return value->scalar_count <= most ? value->scalar_count : 0;
}

static unsigned int words_of(const struct cursor *next, const struct value *value)
{
	return (value->size + next->machine->word_bytes - 1) / next->machine->word_bytes;
}

static unsigned int integers_left(const struct cursor *next)
{
	return next->machine->integer_count - next->integer;
}

/* ---- pieces ---- */

static void add(struct placement *placement, struct piece piece)
{
	if (placement->count == PIECES_MAX)
		abort();
	placement->pieces[placement->count++] = piece;
}

/* The word of a value that starts at `offset` goes to the next integer register. */
static void take_integer(struct cursor *next, const struct value *value, unsigned int offset,
			 struct placement *placement)
{
	unsigned int word = next->machine->word_bytes, size = value->size - offset;

	if (size > word)
		size = word;
	add(placement, (struct piece){ .offset = offset, .size = size,
				       .place = { PLACE_INTEGER, next->integer++ },
				       .at = next->machine->big_endian ? word - size : 0 });
}

static void take_integers(struct cursor *next, const struct value *value,
			  struct placement *placement)
{
	for (unsigned int i = 0; i < value->size; i += next->machine->word_bytes)
		take_integer(next, value, i, placement);
}

static void take_float(struct cursor *next, const struct scalar *scalar,
		       struct placement *placement)
{
	add(placement, (struct piece){ .offset = scalar->offset, .size = scalar->size,
				       .place = { PLACE_FLOAT, next->floating++ } });
}

/* All of a value from `offset` on; align: in words. */
static void take_stack(struct cursor *next, const struct value *value, unsigned int offset,
		       unsigned int align, struct placement *placement)
{
	unsigned int word = next->machine->word_bytes, size = value->size - offset;

	next->stack += (align - next->stack % align) % align;
	add(placement, (struct piece){ .offset = offset, .size = size,
				       .place = { PLACE_STACK, next->stack },
				       .at = next->machine->big_endian && size < word ?
						     word - size : 0 });
	next->stack += (size + word - 1) / word;
}

static void take_reference(struct cursor *next, const struct value *value,
			   struct placement *placement)
{
	struct place place = { PLACE_INTEGER, next->integer };

	if (integers_left(next))
		next->integer++;
	else
		place = (struct place){ PLACE_STACK, next->stack++ };
	add(placement, (struct piece){ .size = value->size, .place = place, .by_reference = true });
}

/* ---- x86-64: System V ABI, section 3.2.3 ---- */

enum class {
	CLASS_NONE,
	CLASS_SSE,
	CLASS_INTEGER,
	CLASS_MEMORY,
};

/* Classifies both words; a value of more than 16 bytes, or one with a field that is not aligned, is
 * in memory. */
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

bool in_memory_x86_64(const struct value *value)
{
	enum class classes[2];

	classify(value, classes);
	return classes[0] == CLASS_MEMORY;
}

void place_x86_64(struct cursor *next, const struct value *value, struct placement *placement)
{
	enum class classes[2];
	unsigned int integers = 0, floats = 0;

	classify(value, classes);
	for (unsigned int i = 0; i < 2; i++) {
		integers += classes[i] == CLASS_INTEGER;
		floats += classes[i] == CLASS_SSE;
	}
	/* All of it in registers, or nothing. */
	if (classes[0] == CLASS_MEMORY || integers > integers_left(next) ||
	    floats > next->machine->floating_count - next->floating) {
		take_stack(next, value, 0, alignment(value) == 16 ? 2 : 1, placement);
		return;
	}
	for (unsigned int i = 0; i < 2; i++) {
		struct scalar word = { .offset = 8 * i, .size = value->size - 8 * i };

		if (word.size > 8)
			word.size = 8;
		if (classes[i] == CLASS_INTEGER)
			take_integer(next, value, 8 * i, placement);
		else if (classes[i] == CLASS_SSE)
			take_float(next, &word, placement);
	}
}

/* ---- arm64: AAPCS64, section 6.8.2 ---- */

bool in_memory_arm64(const struct value *value)
{
	return value->size > 16 && !homogeneous(value, 4);
}

void place_arm64(struct cursor *next, const struct value *value, struct placement *placement)
{
	unsigned int floats = homogeneous(value, 4), wide = alignment(value) == 16 ? 2 : 1;

	if (floats && next->floating + floats <= next->machine->floating_count) {
		for (unsigned int i = 0; i < floats; i++)
			take_float(next, &value->scalars[i], placement);
		return;
	}
	if (floats) {
		next->floating = next->machine->floating_count;
		take_stack(next, value, 0, 1, placement);
		return;
	}
	if (value->size > 16) {
		take_reference(next, value, placement);
		return;
	}
	next->integer += next->integer % wide;
	if (words_of(next, value) <= integers_left(next)) {
		take_integers(next, value, placement);
		return;
	}
	next->integer = next->machine->integer_count;
	take_stack(next, value, 0, wide, placement);
}

/* ---- arm: AAPCS32, section 6.5, base standard ---- */

bool in_memory_arm(const struct value *value)
{
	return value->is_aggregate ? value->size > 4 : value->size > 8;
}

void place_arm(struct cursor *next, const struct value *value, struct placement *placement)
{
	unsigned int wide = alignment(value) == 8 ? 2 : 1, offset = 0;

	next->integer += next->integer % wide;
	if (next->integer > next->machine->integer_count)
		next->integer = next->machine->integer_count;
	/* It may begin in registers only as long as the stack has nothing. */
	if (words_of(next, value) <= integers_left(next) || !next->stack) {
		for (; offset < value->size && integers_left(next); offset += 4)
			take_integer(next, value, offset, placement);
	}
	if (offset >= value->size)
		return;
	next->integer = next->machine->integer_count;
	take_stack(next, value, offset, wide, placement);
}

/* ---- riscv64: psABI, section 2.1, integer calling convention ---- */

bool in_memory_riscv64(const struct value *value)
{
	return value->size > 16;
}

void place_riscv64(struct cursor *next, const struct value *value, struct placement *placement)
{
	unsigned int offset = 0, wide = alignment(value) == 16 ? 2 : 1;

	if (value->size > 16) {
		take_reference(next, value, placement);
		return;
	}
	for (; offset < value->size && integers_left(next); offset += 8)
		take_integer(next, value, offset, placement);
	if (offset < value->size)
		take_stack(next, value, offset, offset ? 1 : wide, placement);
}

/* ---- s390x: ELF Application Binary Interface s390x Supplement, section 1.2.3 ---- */

bool in_memory_s390x(const struct value *value)
{
	return value->is_aggregate || value->size > 8;
}

void place_s390x(struct cursor *next, const struct value *value, struct placement *placement)
{
	bool is_float = homogeneous(value, 1);

	if (is_float && next->floating < next->machine->floating_count)
		take_float(next, &value->scalars[0], placement);
	else if (value->size > 8 || (value->size & (value->size - 1)))
		take_reference(next, value, placement);
	else if (!is_float && integers_left(next))
		take_integers(next, value, placement);
	else
		take_stack(next, value, 0, 1, placement);
}

/* ---- ppc64le: 64-Bit ELF V2 ABI, sections 2.2.3.3 and 2.2.3.5 ---- */

bool in_memory_ppc64le(const struct value *value)
{
	return value->size > 16 && !homogeneous(value, 8);
}

/*
 * Every argument has its words in the parameter save area (`stack` counts them), of which the first
 * eight are passed in r3 to r10 instead.
 */
static void take_saved(struct cursor *next, const struct value *value, unsigned int offset,
		       unsigned int size, struct placement *placement)
{
	unsigned int word = next->stack + offset / 8;
	struct place place = { PLACE_INTEGER, word };

	if (word >= next->machine->integer_count)
		place.kind = PLACE_STACK;
	if (size > value->size - offset)
		size = value->size - offset;
	add(placement, (struct piece){ .offset = offset, .size = size, .place = place,
				       .at = offset % 8 });
}

void place_ppc64le(struct cursor *next, const struct value *value, struct placement *placement)
{
	unsigned int floats = homogeneous(value, 8);

	for (unsigned int i = 0; i < floats; i++) {
		const struct scalar *scalar = &value->scalars[i];

		if (next->floating < next->machine->floating_count)
			take_float(next, scalar, placement);
		else
			take_saved(next, value, scalar->offset, scalar->size, placement);
	}
	for (unsigned int offset = 0; !floats && offset < value->size; offset += 8)
		take_saved(next, value, offset, 8, placement);
	next->stack += words_of(next, value);
}
