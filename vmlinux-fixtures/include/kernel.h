/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The interfaces between the units: the functions of printk.c and string.c, and one entry per
 * unit that main.c calls, so that link-time optimization sees one connected program.
 */
#ifndef FIXTURE_KERNEL_H
#define FIXTURE_KERNEL_H

#include "types.h"

void printk(const char *fmt, ...) __printf(1, 2) __cold;
void panic(const char *fmt, ...) __printf(1, 2) __cold __noreturn;

void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);

int clones_run(void);
int functions_run(int argument);
int inline_always_run(void);
int inline_address_run(void);
int inline_mixed_run(void);
int percpu_a_run(int cpu);
int percpu_b_run(int cpu);
int samename_a_run(int value);
int samename_b_run(int value);
int kfuncs_register(void);

#endif
