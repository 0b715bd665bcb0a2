/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

extern int LINUX_KERNEL_VERSION __attribute__((section(".kconfig")));

PROGRAM stable_release(void *context)
{
	return LINUX_KERNEL_VERSION >= (6 << 16) + (1 << 8) + 50 ? read_nope() : 0;
}

PROGRAM before_it(void *context)
{
	return LINUX_KERNEL_VERSION < (6 << 16) + (1 << 8) + 50 ? read_nope() : 0;
}
