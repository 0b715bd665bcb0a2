/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Per-CPU variables live in .data..percpu, which the x86-64 image links at address 0: their
 * symbols are offsets, as in kernels before 6.15. The shared ones: runqueue is declared here,
 * defined in percpu_b.c and used by percpu_a.c.
 */
#ifndef FIXTURE_PERCPU_H
#define FIXTURE_PERCPU_H

#include "types.h"

#define NR_CPUS 4

#define DECLARE_PER_CPU(type, name)	\
	extern __percpu __section(".data..percpu") __typeof__(type) name
#define DEFINE_PER_CPU(type, name)	\
	__visible __percpu __section(".data..percpu") __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name)	\
	__visible __percpu __section(".data..percpu..shared_aligned") __aligned(64) \
	__typeof__(type) name
#define DEFINE_STATIC_PER_CPU(type, name)	\
	static __used __percpu __section(".data..percpu") __typeof__(type) name

extern unsigned long __per_cpu_offset[NR_CPUS];

#define per_cpu(name, cpu)	\
	(*(__typeof__(&(name)))((unsigned long)hide_pointer(&(name)) + __per_cpu_offset[cpu]))

struct runqueue {
	spinlock_t lock;
	unsigned int nr_running;
	struct list_head tasks;
	u64 clock[2];
};

DECLARE_PER_CPU(struct runqueue, runqueue);

#endif
