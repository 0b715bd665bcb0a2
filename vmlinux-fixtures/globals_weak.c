/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The weak definition of a variable that globals.c defines, too: the linker keeps one, and the
 * DWARF of both units has its address.
 */
#include "kernel.h"

__visible unsigned long config_fallback __weak;

__visible unsigned long globals_weak_value(void)
{
	return config_fallback;
}
