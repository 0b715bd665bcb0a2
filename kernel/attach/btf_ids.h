/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Sets of functions that a kernel has as BTF ids, by the symbols of these: encoder/kfuncs.h. */
#ifndef BTFENC_KERNEL_ATTACH_BTF_IDS_H
#define BTFENC_KERNEL_ATTACH_BTF_IDS_H

#include "kernel/attach/attach_image.h"

#define BTF_ID_SET "__BTF_ID__set__"

/* Is the function in the set of that symbol? UNKNOWN: it is NULL, or the set has no ids. */
enum attach_answer btf_ids_set_has(const struct symbol_table *symbols, const struct symbol *set,
				   const char *function);

/* In that of a name: BTF_ID_SET "btf_id_deny". */
enum attach_answer btf_ids_have(const struct symbol_table *symbols, const char *set,
				const char *function);

#endif
