/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Per-CPU variables, second unit: defines runqueue, which percpu.h declares (DWARF then has a
 * declaration and a definition that refers to it), and its own static cpu_private.
 */
#include "kernel.h"
#include "percpu.h"

__visible unsigned long __per_cpu_offset[NR_CPUS];

DEFINE_PER_CPU(struct runqueue, runqueue);
DEFINE_STATIC_PER_CPU(struct list_head *, cpu_private);

__visible int percpu_b_run(int cpu)
{
	per_cpu(cpu_private, cpu) = NULL;
	return (int)per_cpu(runqueue, cpu).nr_running;
}
