/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Makes the list of functions (commands/stats/function_list.h) from BTF and its .BTF.extra: names
 * with a FUNC and their prototypes, clones, counts of inline sites. BTF does not tell why other
 * functions have no FUNC.
 */
#ifndef BTFENC_COMMANDS_DIFF_FUNCTION_LIST_BTF_H
#define BTFENC_COMMANDS_DIFF_FUNCTION_LIST_BTF_H

#include "base/text.h"
#include "commands/records/btf_input.h"

/* Opens .BTF.extra, or the file INPUT.extra, where there is one. Adds to *out. */
bool function_list_of_btf(struct btf_input *input, struct text *out, struct error *err);

#endif
