/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * DW_AT_producer: which compiler wrote a unit. It matters because compilers differ in when they
 * change how a function is called without saying so.
 */
#ifndef BTFENC_DWARF_PRODUCER_H
#define BTFENC_DWARF_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum producer_family {
	PRODUCER_UNKNOWN,
	PRODUCER_GCC,
	PRODUCER_CLANG,		/* LLVM with a C or C++ front end */
	PRODUCER_RUSTC,
	PRODUCER_ASSEMBLER,
};

struct producer {
	const char *text;	/* borrowed; NULL: the unit does not say */
	size_t name_length;	/* of the text without the command line: "GNU C11 12.2.0" */
	uint16_t version;	/* major; 0: not known */
	uint8_t family;		/* enum producer_family */
};

/* `text` may be NULL. */
struct producer producer_parse(const char *text);

/* x86-64: an __int128 for which one register is left is passed as the ABI says. */
bool producer_keeps_int128_whole(const struct producer *producer);

#endif
