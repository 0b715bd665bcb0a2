/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The name of a module, which its file need not have. */
#ifndef BTFENC_KERNEL_MODULE_NAME_H
#define BTFENC_KERNEL_MODULE_NAME_H

#include "elf/object.h"

/*
 * As kallsyms has it: "nf_tables" of "net/nf-tables.ko.xz". Letters, digits and _ are all that the
 * build of a kernel puts there; it is printed in lines for shells. To be freed.
 */
char *module_name_of_path(const char *path);

/* That of .modinfo, whatever the file is called, else by the path. `object` may be NULL. */
char *module_name_of(const struct object *object, const char *path);

/* The same of a file with the struct module that the kernel's build adds; NULL: it has none. */
char *module_name_of_object(const struct object *object);

#endif
