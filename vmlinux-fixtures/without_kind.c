/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * _Complex and _Atomic, which BTF has no kinds for. Only in the variants called *-without-kind:
 * there are encoders that refuse a whole image because of either, and the other variants are
 * there to be compared. (DWARF 4 and older has no DW_TAG_atomic_type: an _Atomic int is an int
 * there.)
 */
#include "kernel.h"

struct complexes {
	int before;
	_Complex float cf;
	_Complex double cd;
	int after;
};

struct atomics {
	_Atomic int number;
	_Atomic(struct list_head *) pointer;
	const _Atomic(u64) *to_const;
	int after;
};

struct point {
	s32 x, y;
};

struct atomic_struct {
	_Atomic(struct point) at;	/* the type itself, in BTF */
	struct point *to;
};

__visible struct complexes complexes_global;
__visible _Complex double *complex_pointer;
__visible struct atomics atomics_global;

__visible int atomic_struct_around(const struct atomic_struct *a)
{
	return a->to->x;
}

__visible int complex_around(const struct complexes *c, const _Complex float *in)
{
	return c->before + c->after + !in;
}

__visible int atomic_around(const struct atomics *a, _Atomic(int) *in, int last)
{
	return a->after + !in + last;
}
