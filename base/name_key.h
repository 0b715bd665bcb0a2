/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The name of something in DWARF, as the name table of one reader has it (dwarf/name_table.h).
 * Equal keys are equal names; two keys may be the same name. 0 is no name. Keys of two readers are
 * not related, and none is an id of a string pool (btf/string_pool.h).
 */
#ifndef BTFENC_BASE_NAME_KEY_H
#define BTFENC_BASE_NAME_KEY_H

#include <stdint.h>

struct name_key {
	uint32_t value;
};

#endif
