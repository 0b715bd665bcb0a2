/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

struct rq {
	int cpu;
};

extern const struct rq runqueues WEAK_KSYM;
extern const int bpf_prog_active WEAK_KSYM;
extern const void schedule_tail WEAK_KSYM;

PROGRAM typed_struct(void *context)
{
	return &runqueues ? 1 : read_nope();
}

PROGRAM typed_number(void *context)
{
	return &bpf_prog_active ? 1 : read_nope();
}

PROGRAM untyped(void *context)
{
	return &schedule_tail ? 1 : read_nope();
}

PROGRAM of_context(void *context)
{
	HIDE(context);
	return context ? 1 : read_nope();
}

PROGRAM of_stack(void *context)
{
	volatile u64 value = 0, *pointer = &value;

	HIDE(pointer);
	return pointer ? 1 : read_nope();
}
