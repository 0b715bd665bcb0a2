/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The one error shape of the program.
 *
 * A function that can fail for a reason outside the program (bad input, I/O) takes a struct error
 * and returns false after filling it, where the failure is found. Exactly one line is printed for
 * it, by main(): "btfenc: FILE: WHERE: WHAT; WHAT TO DO".
 *
 * Not errors: a function that cannot be promised (a verdict), a broken invariant (assert), no
 * memory (base/memory.h).
 */
#ifndef BTFENC_BASE_ERROR_H
#define BTFENC_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define ERROR_TEXT_BYTES 768

/* What to do where there is neither BTF nor DWARF; README.md says more. */
#define DEBUG_PACKAGES                                                                             \
	"give that of the kernel's debug package, linux-image-RELEASE-dbg, -dbgsym or "            \
	"kernel-debuginfo"

struct error {
	char text[ERROR_TEXT_BYTES];
};

/* Exit statuses of the program (docs: man/btfenc.1). */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_ANSWER_NO = 1,	/* check found errors */
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,	/* input or output failure; nothing was written */
};

/* Fills err and returns false, so that a caller can write `return error_set(err, ...)`. */
__attribute__((format(printf, 2, 3)))
bool error_set(struct error *err, const char *format, ...);

/* The same, with "PREFIX" (a file name, "file: unit 0x10") and ": " in front. */
__attribute__((format(printf, 3, 4)))
bool error_at(struct error *err, const char *prefix, const char *format, ...);

/* Prints "btfenc: warning: TEXT" on stderr, for what does not fail. */
__attribute__((format(printf, 1, 2)))
void print_warning(const char *format, ...);

/* This thread's warnings go there, to be printed when it is their turn; NULL: no more. */
void warnings_keep(FILE *file);

#endif
