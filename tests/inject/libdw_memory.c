/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A library for LD_PRELOAD: libdw gets no memory from its INJECT_AT-th malloc (from 1) on. Built
 * against glibc, whose own malloc has a second name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
	static unsigned long calls;
	const char *at = getenv("INJECT_AT");
	Dl_info caller;

	if (at && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
	    strstr(caller.dli_fname, "libdw") && ++calls >= strtoul(at, NULL, 10))
		return NULL;
	return __libc_malloc(size);
}
