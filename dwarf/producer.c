/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/unit_model.h"

#include <stdlib.h>
#include <string.h>

/* Where the version is: the first number that a space precedes. */
static uint16_t first_number(const char *text)
{
	for (const char *space = strchr(text, ' '); space; space = strchr(space + 1, ' ')) {
		if (space[1] >= '0' && space[1] <= '9') {
			unsigned long number = strtoul(space + 1, NULL, 10);

			return number <= UINT16_MAX ? (uint16_t)number : 0;
		}
	}
	return 0;
}

/*
 * GCC: "GNU C11 12.2.0 -mno-sse ... -O2", with LTO "GNU GIMPLE 12.2.0 ...". LLVM: "clang version
 * 19.1.7 (...)", "Debian clang version 22.1.8", "clang LLVM (rustc version 1.78.0)". Binutils:
 * "GNU AS 2.40".
 */
struct producer producer_parse(const char *text)
{
	struct producer producer = { .text = text };
	const char *options;

	if (!text)
		return producer;
	options = strstr(text, " -");
	producer.name_length = options ? (size_t)(options - text) : strlen(text);
	producer.version = first_number(text);
	if (strstr(text, "rustc version"))
		producer.family = PRODUCER_RUSTC;
	else if (strstr(text, "clang"))
		producer.family = PRODUCER_CLANG;
	else if (strncmp(text, "GNU AS ", 7) == 0)
		producer.family = PRODUCER_ASSEMBLER;
	else if (strncmp(text, "GNU ", 4) == 0)
		producer.family = PRODUCER_GCC;
	return producer;
}

/*
 * With one integer register left the ABI puts all of it on the stack, and the register goes to the
 * next argument; so does GCC. LLVM before 18 put the low half into the register; then it left the
 * register empty, until its change "[X86] Fix ABI for passing after i128" of January 2025
 * (github.com/llvm/llvm-project/pull/124134), which is in 21. What code a link that optimizes
 * generates for units of an older clang depends on the linker.
 */
bool producer_keeps_int128_whole(const struct producer *producer)
{
	return producer->family == PRODUCER_GCC ||
	       (producer->family == PRODUCER_CLANG && producer->version >= 21);
}
