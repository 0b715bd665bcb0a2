/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Build ids, which linkers write into notes (NT_GNU_BUILD_ID): the same in a debug file. */
#ifndef BTFENC_ELF_BUILD_ID_H
#define BTFENC_ELF_BUILD_ID_H

#include "elf/object.h"

/* In hex, of 64 bytes at most, as gdb has them, and a NUL. */
#define BUILD_ID_TEXT_BYTES 129

/* What is longer is cut. */
void build_id_text(const uint8_t *id, size_t bytes, char text[BUILD_ID_TEXT_BYTES]);

/* That of a file, or what a supplementary file has for it; NULL: none. Calls libelf. */
const uint8_t *object_find_build_id(const struct object *object, size_t *bytes);

/* The same as a text, "": none. */
void object_build_id(const struct object *object, char text[BUILD_ID_TEXT_BYTES]);

/* Of notes in host order, as the running kernel has them. */
void build_id_of_notes(const void *notes, size_t size, char text[BUILD_ID_TEXT_BYTES]);

#endif
