// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
/*
 * Functions that are inlined twice each, and others that the compiler changes. They are called with
 * the values of inlined.h when something is written to the parameter "run". The compiler knows some
 * of these, and not those that are made of `zero`.
 */
#include <linux/module.h>

#include "inlined.h"

struct inlined_pair {
	u64 first, second;
};

static volatile u64 zero, sum;

noinline __attribute__((noipa)) u64 inlined_mix(u64 one, u64 two);
u64 inlined_mix(u64 one, u64 two)
{
	return one * 31 + two;
}

#define FUNCTIONS(n)                                                                               \
	static __always_inline u64 inner_##n(int small, u64 wide, u8 byte,                         \
					     struct inlined_pair pair, s16 negative)               \
	{                                                                                          \
		u64 mixed = inlined_mix(small, wide);                                              \
												   \
		mixed = inlined_mix(mixed, pair.first + byte);                                     \
		if (mixed & 1)                                                                     \
			mixed += inlined_mix(pair.second, negative);                               \
		return mixed + small + wide + byte + pair.second + negative;                       \
	}                                                                                          \
												   \
	static noinline u64 changed_##n(u64 unused, const struct inlined_pair *pair, u64 used)     \
	{                                                                                          \
		return inlined_mix(pair->first, used) * n; /* or all are folded into one */        \
	}                                                                                          \
												   \
	static noinline u64 outer_##n(u64 seed)                                                    \
	{                                                                                          \
		struct inlined_pair one = { INLINED_FIRST(n, 1) + seed, INLINED_SECOND(n, 1) };    \
		struct inlined_pair two = { INLINED_FIRST(n, 2), INLINED_SECOND(n, 2) + seed };    \
		u64 result = changed_##n(n, &one, INLINED_WIDE(n, 1) + seed);                      \
												   \
		result += inner_##n(INLINED_SMALL(n, 1) + seed, INLINED_WIDE(n, 1) + seed,         \
				    INLINED_BYTE(n, 1), one, INLINED_NEGATIVE(n, 1) + seed);       \
		result += changed_##n(result, &two, INLINED_WIDE(n, 2) + seed);                    \
		result += inner_##n(INLINED_SMALL(n, 2), INLINED_WIDE(n, 2) + seed,                \
				    INLINED_BYTE(n, 2) + seed, two, INLINED_NEGATIVE(n, 2));       \
		return result;                                                                     \
	}

INLINED_ALL(FUNCTIONS)

static int run(const char *value, const struct kernel_param *param)
{
#define CALL(n) sum += outer_##n(zero);
	INLINED_ALL(CALL)
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run,
};
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("Functions for probes at inline sites");
MODULE_LICENSE("Dual BSD/GPL");
