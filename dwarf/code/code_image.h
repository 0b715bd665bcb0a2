/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The executable part of an image, and what it says about ways through its code that instructions
 * do not show: static branches (a NOP that becomes a jump), faults that continue elsewhere,
 * thunks.
 *
 * Found by the names of sections and symbols. What is missing is missing: then there are fewer
 * edges and thunks. Read-only after opening. Knows no instruction.
 */
#ifndef BTFENC_DWARF_CODE_CODE_IMAGE_H
#define BTFENC_DWARF_CODE_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "elf/object.h"

struct code_section {
	uint64_t address;
	uint64_t size;
	const uint8_t *bytes;
};

/* Control may go from the instruction at `from` to `to`. */
struct code_edge {
	uint64_t from;
	uint64_t to;
};

struct code_image {
	const struct object *object;
	uint16_t machine;		/* EM_X86_64, EM_AARCH64; 0: another one */
	bool swap;			/* of data; instructions are little-endian always */
	ARRAY_OF(struct code_section) text;	/* executable, with bytes; by address */
	ARRAY_OF(struct code_section) data;	/* not executable, with bytes; by address */
	ARRAY_OF(struct code_edge) edges;	/* by `from` */
	ARRAY_OF(uint64_t) thunks;	/* __x86_indirect_*: calls of a pointer; ascending */
	uint64_t return_thunk;		/* a jump there is a return; 0: none */
	ARRAY_OF(uint64_t) hooks;	/* __fentry__, _mcount, mcount: a tracer's; ascending */
};

void code_image_open(struct code_image *image, const struct object *object);
void code_image_close(struct code_image *image);

/* The bytes from an address to the end of its section; NULL outside. */
const uint8_t *code_image_text(const struct code_image *image, uint64_t address, size_t *size);
const uint8_t *code_image_data(const struct code_image *image, uint64_t address, size_t *size);

bool code_image_is_thunk(const struct code_image *image, uint64_t address);
bool code_image_is_hook(const struct code_image *image, uint64_t address);

/* Index of the first edge whose `from` is not below the address. */
size_t code_image_first_edge(const struct code_image *image, uint64_t address);

#endif
