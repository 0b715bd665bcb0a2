/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Gives every ELF section that the program reads a heap block of exactly its size, so that an
 * address sanitizer sees a read just past its end; in the file mapping the next section follows.
 * Works by replacing two functions of the shared libraries: include this in one file of a program.
 */
#ifndef BTFENC_TESTS_EXACT_SECTIONS_H
#define BTFENC_TESTS_EXACT_SECTIONS_H

#include <dlfcn.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

static ARRAY_OF(Elf_Data *) exact_copies;

Elf_Data *elf_rawdata(Elf_Scn *scn, Elf_Data *data)
{
	static Elf_Data *(*real)(Elf_Scn *, Elf_Data *);
	Elf_Data *from, *copy;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "elf_rawdata");
	from = real(scn, data);
	if (!from || !from->d_buf || !from->d_size)
		return from;
	copy = malloc(sizeof(*copy));
	*copy = *from;
	copy->d_buf = malloc(from->d_size);
	memcpy(copy->d_buf, from->d_buf, from->d_size);
	array_push(&exact_copies, copy);
	return copy;
}

/* The copies are not a file mapping: giving their pages back would lose them. */
int madvise(void *address, size_t length, int advice)
{
	(void)address;
	(void)length;
	(void)advice;
	return 0;
}

/* To be called when the file has been closed. */
static void exact_sections_release(void)
{
	for (size_t i = 0; i < exact_copies.count; i++) {
		free(exact_copies.data[i]->d_buf);
		free(exact_copies.data[i]);
	}
	array_release(&exact_copies);
}

#endif
