/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of hot and cold parts. GCC moves what is unlikely to .text.unlikely and gives a function
 * in two parts DW_AT_ranges and no DW_AT_low_pc: its entry is the range whose start carries its
 * symbol. Suffixes must not get lost on the way: split_reduced.isra.0 has a cold part, too.
 *
 *	split_global()		accepted: has a .cold
 *	split_kept()		accepted: static, has a .cold
 *	split_all_cold()	accepted: one range, in .text.unlikely
 *	split_reduced()		GCC: only .isra.0 (%edi is state->limit: `cmp %esi,%edi`) and
 *				.isra.0.cold; clang -O2 leaves it alone (`mov 0x4(%rdi),%edx`),
 *				clang -O3 and LTO change it under its name (`add %edi,%eax`)
 *
 * Clang splits nothing without a profile: there the neighbours differ in the last point only.
 */
#include "kernel.h"

struct split_state {
	u32 used, limit;
	u64 reserved[4];
};

__visible u32 split_sink;

__visible noinline int split_global(struct split_state *state, u32 want)
{
	split_sink += state->used;
	if (unlikely(want > state->limit)) {
		printk("split_global: %u of %u\n", want, state->limit);
		split_sink ^= want;
		return -1;
	}
	return (int)(state->used + want);
}

static noinline int split_kept(struct split_state *state, u32 want)
{
	state->used += want;
	if (unlikely(want > state->limit)) {
		printk("split_kept: %u of %u\n", want, state->limit);
		state->reserved[0] ^= want;
		return -1;
	}
	return (int)(state->used + want);
}

static noinline int split_reduced(const struct split_state *state, u32 want)
{
	u32 limit = state->limit;

	barrier();
	split_sink += limit;
	if (unlikely(want > limit)) {
		printk("split_reduced: %u of %u\n", want, limit);
		split_sink ^= want;
		return -1;
	}
	return (int)(split_sink + want);
}

/* Nothing but a cold path: all of it is in .text.unlikely, and so is its symbol. */
__visible noinline __cold int split_all_cold(struct split_state *state, u32 want)
{
	printk("split_all_cold: %u of %u\n", want, state->limit);
	return (int)want;
}

__visible int split_run(struct split_state *a, struct split_state *b)
{
	return split_global(a, 1) + split_kept(a, 2) + split_kept(b, a->used) +
	       split_reduced(a, 3) + split_reduced(b, a->used) + split_all_cold(b, 4);
}
