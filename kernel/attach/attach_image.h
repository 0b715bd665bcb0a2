/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What there is of a kernel or module that a tracer is to attach to, and its bytes. */
#ifndef BTFENC_KERNEL_ATTACH_ATTACH_IMAGE_H
#define BTFENC_KERNEL_ATTACH_ATTACH_IMAGE_H

#include "kernel/attach/running_kernel.h"
#include "dwarf/abi/abi.h"
#include "elf/object.h"
#include "kallsyms/kernel_version.h"
#include "kallsyms/symbol_table.h"

struct attach_tables;
struct func_names;

/* A kernel image, a module, or what a list of symbols says of them. */
struct attach_image {
	const struct object *object;	/* whose addresses the symbols have; NULL: there is none */
	const struct symbol_table *symbols;
	const struct abi *abi;		/* NULL: not known */
	bool is_module;
	const char *module;		/* as kallsyms has it; NULL: a kernel, or not known */
	struct kernel_version version;	/* by its release */
	struct kernel_identity identity;
	enum attach_answer built_in;	/* by trampoline_built_in() */
	struct running_kernel *running;	/* whose symbols these are; NULL: not known to run */
	const struct attach_tables *tables;
	const struct func_names *kernel_funcs;	/* of a module: its kernel's; NULL: not known */
};

/* What is between two symbols, or a section of a module; nothing where there are none. */
struct attach_span {
	uint64_t first, last;
	const uint8_t *words;	/* of the machine; NULL: not in the file */
};

/* The section that holds the address in its memory image, or NULL. */
const struct section_header *attach_section_at(const struct object *object, uint64_t address);

/* The bytes from an address to the end of its section; NULL: they are not in the file. */
const uint8_t *attach_bytes(const struct object *object, uint64_t address, size_t *size);

/* A word of the machine in a section with contents; false when there is none. */
bool attach_word(const struct object *object, uint64_t address, uint64_t *word);

/* A string of the image, NULL when no terminated one is there. */
const char *attach_string(const struct object *object, uint64_t address);

/* The type of "base + addend": psABI of each machine. */
uint32_t attach_relative_type(uint16_t machine);

/* Of the file that has the contents. */
Elf *attach_elf(const struct object *object);

#endif
