/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

struct cpumask {
	unsigned long bits[1];
} CORE;

static long (*const no_helper)(void) = (void *)999;

/* libbpf refuses it, which is nothing to the others: it is not loaded. */
SEC("?raw_tp/sched_switch") int refused(void *context)
{
	return __builtin_preserve_field_info(((struct cpumask *)context)->bits[0], 3);
}

PROGRAM other(void *context)
{
	return 0;
}

PROGRAM guarded_helper(void *context)
{
	return HAS_NOPE ? (int)no_helper() : 0;
}
