/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The functions of a linked test program as this project sees them: prototypes from DWARF through
 * the unit reader and the type layout, places from the calling convention.
 */
#ifndef BTFENC_TESTS_ABI_PROTOTYPES_H
#define BTFENC_TESTS_ABI_PROTOTYPES_H

#include <elfutils/libdw.h>

#include "dwarf/abi/abi.h"
#include "dwarf/type_layout.h"
#include "dwarf/unit_reader.h"

#define MAX_PARAMETERS 32

struct program {
	struct object object;
	struct unit_list units;
	struct unit_reader reader;
	struct dwarf_model model;
	struct type_layout layout;
	const struct abi *abi;
	Dwarf *dwarf;
};

struct prototype {
	const char *name;
	Dwarf_Die die;
	struct abi_type result;
	struct abi_type parameters[MAX_PARAMETERS];
	struct abi_prototype prototype;
	struct abi_call call;
	struct abi_location places[MAX_PARAMETERS];
};

/* Leaves the process with a message when the file cannot be read. */
void program_open(struct program *program, const char *path);
void program_close(struct program *program);

/*
 * The n-th function of the model: 1 known, 0 refused by the layout or the convention, -1 not one of
 * the generated ones.
 */
int program_prototype(struct program *program, size_t index, struct prototype *prototype);

#endif
