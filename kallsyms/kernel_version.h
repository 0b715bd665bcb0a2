/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which release a kernel image or a module is of, by what it carries itself. */
#ifndef BTFENC_KALLSYMS_KERNEL_VERSION_H
#define BTFENC_KALLSYMS_KERNEL_VERSION_H

#include "elf/build_id.h"

struct kernel_version {
	uint16_t major;		/* 0: not known */
	uint16_t minor;
};

/* The number at the start of a release: 6.1 of "6.1.0-50-s390x". */
struct kernel_version kernel_version_parse(const char *release);

/* Negative, 0, positive: `a` is older, the same, newer. Both are known. */
int kernel_version_compare(struct kernel_version a, struct kernel_version b);

static inline bool kernel_version_is_from(struct kernel_version version, uint16_t major,
					  uint16_t minor)
{
	return kernel_version_compare(version, (struct kernel_version){ major, minor }) >= 0;
}

/* "6.1.0-50-s390x", as `uname -r` prints it: __NEW_UTS_LEN and a NUL. */
#define KERNEL_RELEASE_BYTES 65

/*
 * A kernel has it in linux_banner (.rodata), a module in its vermagic (.modinfo). Not known where
 * neither is there: false, and "". Calls libelf, which is not for two threads at once.
 */
bool kernel_release_of_image(const struct object *object, char release[KERNEL_RELEASE_BYTES]);
struct kernel_version kernel_version_of_image(const struct object *object);

/* The first text that a module has for a key in its .modinfo ("name", "vermagic"); NULL: none. */
const char *object_modinfo(const struct object *object, const char *key);

/* Which build of which release; "" for what is not known. Of a module the id is its own. */
struct kernel_identity {
	char release[KERNEL_RELEASE_BYTES];
	char build_id[BUILD_ID_TEXT_BYTES];
};

/* The same. */
struct kernel_identity kernel_identity_of_image(const struct object *object);

#endif
