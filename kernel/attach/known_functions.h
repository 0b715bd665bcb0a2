/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What lists say of functions by their names: one of this program, and sets of a kernel. */
#ifndef BTFENC_KERNEL_ATTACH_KNOWN_FUNCTIONS_H
#define BTFENC_KERNEL_ATTACH_KNOWN_FUNCTIONS_H

#include "kernel/attach/attach_image.h"

/* Why a BPF program on the function is refused or may hang; NULL: nothing known. */
const char *denied_why(const struct attach_image *kernel, const char *name);

/* Is the word said of the function in kernel/attach/known_functions.txt? */
bool function_is(const char *word, const char *name);

/* ---- sets that a kernel has as BTF ids, by the symbols of these: encoder/kfuncs.h ---- */

#define BTF_ID_SET "__BTF_ID__set__"

/* Is the function in the set of that symbol? UNKNOWN: it is NULL, or the set has no ids. */
enum attach_answer btf_ids_set_has(const struct symbol_table *symbols, const struct symbol *set,
				   const char *function);

/* In that of a name: BTF_ID_SET "btf_id_deny". */
enum attach_answer btf_ids_have(const struct symbol_table *symbols, const char *set,
				const char *function);

#endif
