/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Per-CPU variables, first unit: an integer, a struct, arrays, a pointer, one of zero size, and a
 * static one that has a namesake of another type in percpu_b.c. On x86-64 one of them sits at
 * address 0.
 */
#include "kernel.h"
#include "percpu.h"

struct cpu_stats {
	u64 events[4];
	struct {
		u32 in, out;
	} traffic;
};

DEFINE_PER_CPU(int, cpu_number);
DEFINE_PER_CPU(struct cpu_stats, cpu_stats);
DEFINE_PER_CPU(u32[8], cpu_samples);
DEFINE_PER_CPU(struct list_head[2][2], cpu_lists);
DEFINE_PER_CPU(struct cpu_stats *, cpu_stats_pointer);
DEFINE_PER_CPU(struct lock_class_key, cpu_empty);
DEFINE_PER_CPU_ALIGNED(struct cpu_stats, cpu_stats_aligned);
DEFINE_STATIC_PER_CPU(u32, cpu_private);

__visible int percpu_a_run(int cpu)
{
	per_cpu(cpu_private, cpu)++;
	per_cpu(cpu_stats, cpu).events[1]++;
	per_cpu(runqueue, cpu).nr_running++;
	return per_cpu(cpu_number, cpu) + (int)per_cpu(cpu_samples, cpu)[3];
}
