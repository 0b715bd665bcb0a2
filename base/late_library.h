/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Libraries that are loaded when they are needed, because few runs do: a kernel build encodes each
 * module in a process of its own, and libdw with what it needs takes a quarter of a millisecond,
 * capstone more than all that is done for a small module.
 *
 *	#define FUNCTIONS(X) X(cs_open) X(cs_close)
 *
 *	LATE_LIBRARY(capstone, FUNCTIONS);
 *
 *	if (LATE_LOAD(capstone, FUNCTIONS, "libcapstone.so.4"))
 *		capstone.cs_open(...)
 */
#ifndef BTFENC_BASE_LATE_LIBRARY_H
#define BTFENC_BASE_LATE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#define LATE_MEMBER(function) __typeof__(function) *function;
#define LATE_NAME(function)   #function,

/* The functions of a library, NULL before they are loaded. */
#define LATE_LIBRARY(library, functions)                                                           \
	static struct {                                                                            \
		functions(LATE_MEMBER)                                                             \
	} library

/* False: the library or one of its functions is missing (dlerror() says which); all are NULL. */
#define LATE_LOAD(library, functions, file)                                                        \
	late_library_load(file, (const char *const[]){ functions(LATE_NAME) NULL }, &library)

/* Writes a pointer for each name up to NULL. Only one thread may load a library. */
bool late_library_load(const char *file, const char *const *names, void *functions);

#endif
