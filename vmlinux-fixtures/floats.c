/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Floating point, as in the kernel's few units that may use it: the Makefile lets this one (and
 * only this one) use the registers. Members, parameters in vector registers between ones in
 * integer registers, and struct arguments that are split over both classes. _Complex is in
 * without_kind.c.
 */
#include "kernel.h"

struct floats {
	float f;
	double d;
	long double ld;
	float grid[2][2];
};

struct point {
	double x, y;
};

struct tagged {
	u64 tag;
	double value;
};

__visible struct floats floats_global;

__visible double float_mix(int a, double x, struct floats *p, float y, long b)
{
	return x + y + a + b + p->d;
}

__visible double float_structs(struct point at, int n, struct tagged value)
{
	return at.x * n + value.value + (double)(u32)value.tag;
}

__visible void float_out(struct floats *out, const long double *in)
{
	out->ld = *in;
	out->f = 0;
}
