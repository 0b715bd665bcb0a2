/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of DIEs that are not the function, and of parameters that are stored.
 *
 *	pieces_outlined()	GCC: only .part.0 is left, whose DIE has the function as its
 *				abstract origin. Clang inlines all of it
 *	pieces_both()		accepted: GCC makes a .part.0, too, but the entry is there
 *	pieces_variadic()	accepted, and variadic: inlined at one call, out of line for a
 *				pointer. Clang's abstract DIE lacks DW_TAG_unspecified_parameters
 *	pieces_fixed()		accepted: the same with two parameters
 *	pieces_stored()		accepted: the address of the struct is taken, so the prologue
 *				stores it, and DWARF only says where (DW_OP_fbreg)
 *	pieces_stored_static()	accepted: the same, static
 *	pieces_stored_scalar()	accepted: the same with an integer
 *	pieces_stored_beside()	`unused` is gone: what is stored comes from %rdi and %rsi
 */
#include "kernel.h"

struct pieces_table {
	u32 used, size;
	u32 *slots;
};

struct pieces_value {
	u64 a, b;
};

__visible u32 pieces_sink;

/* Only .part.0 is left: the test is inlined at each call. */
static int pieces_outlined(struct pieces_table *table, u32 want)
{
	u32 i, j;

	if (likely(table->size >= want))
		return 0;
	for (i = 0; i < want; i++) {
		for (j = i; j < table->size; j++)
			table->slots[i] ^= table->slots[j] + pieces_sink;
		if (table->slots[i] == want)
			printk("table %u of %u\n", i, want);
		pieces_sink += table->slots[i];
	}
	table->size = want;
	return (int)pieces_sink;
}

/* The same and global: the entry is there, too, and calls or contains the fragment. */
__visible int pieces_both(struct pieces_table *table, u32 want)
{
	u32 i, j;

	if (likely(table->size >= want))
		return 0;
	for (i = 0; i < want; i++) {
		for (j = i; j < table->size; j++)
			table->slots[i] += table->slots[j] ^ pieces_sink;
		if (table->slots[i] == want)
			printk("table %u of %u\n", i, want);
		pieces_sink -= table->slots[i];
	}
	table->size = want;
	return (int)pieces_sink;
}

/* Inlined at one call, out of line at another: what is out of line has an abstract origin. */
static inline int pieces_variadic(int count, ...)
{
	barrier();
	return count * 3;
}

static inline int pieces_fixed(int count, int second)
{
	barrier();
	return count * 5 + second;
}

__visible int (*const pieces_variadic_pointer)(int count, ...) = pieces_variadic;
__visible int (*const pieces_fixed_pointer)(int count, int second) = pieces_fixed;

/* A struct that the prologue stores, since its address is taken: it still arrives in registers. */
__visible noinline u64 pieces_stored(u64 first, struct pieces_value value, u64 last)
{
	struct pieces_value *p = hide_pointer(&value);

	barrier();
	return p->a * first + p->b * last;
}

static noinline u64 pieces_stored_static(u64 first, struct pieces_value value, u64 last)
{
	struct pieces_value *p = hide_pointer(&value);

	barrier();
	return p->a * first - p->b * last;
}

/* The same after a parameter that is not passed. */
static noinline u64 pieces_stored_beside(u64 unused, struct pieces_value value, u64 last)
{
	struct pieces_value *p = hide_pointer(&value);

	barrier();
	return p->a ^ (p->b * last);
}

/* A scalar whose address is taken. */
static noinline u64 pieces_stored_scalar(u64 first, u64 second)
{
	u64 *p = hide_pointer(&second);

	barrier();
	return *p * first;
}

__visible int pieces_run(struct pieces_table *table, u32 a, u32 b)
{
	struct pieces_value value = { a * 3, b }, other = { b * 5, a };
	u64 sum = 0;

	if (pieces_outlined(table, a))
		return -1;
	if (pieces_both(table, a))
		return -2;
	barrier();
	if (pieces_outlined(table, b * 3))
		return -3;
	if (pieces_both(table, b * 5))
		return -4;
	sum += (u64)pieces_variadic(3, a) + (u64)pieces_fixed(4, (int)b);
	sum += pieces_stored(a, value, sum) + pieces_stored(b, other, 3);
	sum += pieces_stored_static(a, value, sum) + pieces_stored_static(b, other, 3);
	sum += pieces_stored_beside(a, value, sum) + pieces_stored_beside(sum, other, 3);
	sum += pieces_stored_scalar(a, sum) + pieces_stored_scalar(sum, b);
	return (int)sum;
}
