/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The list of functions (commands/stats/function_list.h) that BTF and its .BTF.extra can tell: which names
 * have a FUNC with which prototype, which copies there are, how often something was inlined. Why
 * others have no FUNC is not in BTF.
 */
#ifndef BTFENC_COMMANDS_DIFF_FUNCTION_LIST_BTF_H
#define BTFENC_COMMANDS_DIFF_FUNCTION_LIST_BTF_H

#include "base/text.h"
#include "commands/records/btf_input.h"

/* Opens .BTF.extra, or the file INPUT.extra, where there is one. Adds to *out. */
bool function_list_of_btf(struct btf_input *input, struct text *out, struct error *err);

#endif
