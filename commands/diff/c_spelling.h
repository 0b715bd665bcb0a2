/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One spelling of types that compilers spell differently: GCC's DWARF says `long unsigned int`,
 * clang's `unsigned long`; only clang's has the kernel's annotations of pointers (`__user`).
 */
#ifndef BTFENC_COMMANDS_DIFF_C_SPELLING_H
#define BTFENC_COMMANDS_DIFF_C_SPELLING_H

#include <stdbool.h>

/* A copy of a line of C in the one way. */
char *c_spelling(const char *line);

/* Are two lines the same C, however they are written? */
bool c_spelling_is_same(const char *a, const char *b);

#endif
