/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What makes BTF large: bytes by kind, the largest types, the longest strings. */
#ifndef BTFENC_COMMANDS_STATS_BTF_SIZES_H
#define BTFENC_COMMANDS_STATS_BTF_SIZES_H

#include <jansson.h>

#include "btf/reader.h"

/*
 * Of the BTF alone, without its base: "all", "header", "types" and "strings" in bytes, and the rows
 * "by_kind", "largest_types", "longest_strings", and "repeated": several structs, unions or enums
 * of one name, with the bytes of all of them. Each list has the largest first, at most 10 but for
 * kinds.
 */
json_t *btf_sizes(const struct btf_reader *btf);

#endif
