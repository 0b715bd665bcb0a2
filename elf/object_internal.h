/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What the parts of object.h share: object.c, object_join.c. */
#ifndef BTFENC_ELF_OBJECT_INTERNAL_H
#define BTFENC_ELF_OBJECT_INTERNAL_H

#include "elf/object.h"

extern const char *const object_section_names[SECTION_COUNT];

/* Has a section this name, in its plain or its GNU compressed form (.zdebug_*)? */
bool object_is_named(const char *name, const char *known);

/* A section's bytes, decompressed and relocated. */
bool object_read_section(struct object *object, size_t index, struct section *section,
			 struct error *err);

/*
 * object_open_bare(), or of a file that another one names. What is empty is not read then, and of
 * procfs all files are that: reading /proc/kmsg waits, and takes from others what it reads.
 */
bool object_open_named(struct object *object, const char *path, bool is_named, struct error *err);

#endif
