/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The DWARF of a file as libdw reads it: the other side of the differential tests. A relocatable
 * object is relocated by libdwfl, which asks only at which addresses the project has put sections.
 */
#ifndef BTFENC_TESTS_LIBDW_FILE_H
#define BTFENC_TESTS_LIBDW_FILE_H

#include <elfutils/libdwfl.h>

#include "elf/object.h"

struct libdw_file {
	int fd;
	Dwarf *dwarf;		/* NULL: libdw does not like the file */
	Dwfl *dwfl;		/* of a relocatable object */
	/*
	 * libdw's backend of the machine knows its registers. Without one there are no rules of
	 * frames, and a relocatable object has no DWARF.
	 */
	bool has_backend;
};

/* An exit status: there is nothing to compare with, and the output says why. */
#define EXIT_NOT_JUDGED 77

void libdw_file_open(struct libdw_file *file, const struct object *object);
/* "libdw 0.188 has no backend for machine 258" */
void libdw_file_print_no_backend(const struct object *object);
void libdw_file_close(struct libdw_file *file);

/* The symbol table for libelf; NULL: none. */
Elf_Scn *libdw_file_symbols(const struct object *object);

/* The parameters of a function in their order; -1: more than `limit`. */
int libdw_parameters(Dwarf_Die *function, Dwarf_Die *parameters, int limit, bool *is_variadic);

#endif
