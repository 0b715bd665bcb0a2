/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Makes BTF as long as the room that it has to fill. The kernel takes all of .BTF between two
 * symbols of the linker and refuses bytes that belong to no section of it, so the string section,
 * which is last, grows: by empty strings that nothing refers to.
 */
#ifndef BTFENC_BTF_PADDING_H
#define BTFENC_BTF_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A padded copy of `bytes` bytes of BTF in either byte order, owned by the caller. NULL: this is
 * not BTF that ends with its strings, or they would get longer than names can be addressed.
 */
void *btf_padded(const void *data, size_t bytes, size_t wanted_bytes);

/*
 * A copy of split BTF, intact, for when its base has been padded by so many bytes: its own strings,
 * which began with offset `first`, have moved. Owned by the caller.
 */
void *btf_moved(const void *data, size_t bytes, uint32_t first, size_t padding_bytes);

#endif
