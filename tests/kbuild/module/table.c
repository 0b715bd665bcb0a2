/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A module whose BTF has no names that vmlinux has not, as crypto/cast_common.c. */
#include <linux/module.h>

MODULE_DESCRIPTION("A function in a table");
MODULE_LICENSE("GPL");

const u32 btfenc_table[2] = { 1, 2 };
EXPORT_SYMBOL_GPL(btfenc_table);
