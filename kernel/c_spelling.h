/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* One spelling of what C has several for: "long unsigned int" is "unsigned long". */
#ifndef BTFENC_KERNEL_C_SPELLING_H
#define BTFENC_KERNEL_C_SPELLING_H

#include <ctype.h>
#include <stdbool.h>

/* A byte that is not ASCII is a letter: no character is cut. */
static inline bool c_is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/*
 * A copy of a line in one spelling of types that compilers spell differently: GCC's DWARF says
 * `long unsigned int`, clang's `unsigned long`; only clang's has the kernel's annotations of
 * pointers (`__user`).
 */
char *c_spelling(const char *line);

/* Are two lines the same C, however they are written? */
bool c_spelling_is_same(const char *a, const char *b);

#endif
