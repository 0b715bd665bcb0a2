/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of parameters on the stack. x86-64 passes six integers in registers: g and h of these
 * functions are at 8(%rsp) and 16(%rsp). GCC 12 describes one that is not passed any more by
 * DW_OP_GNU_parameter_ref (0xfa, only in DWARF 4 and 5), clang by no location at all.
 *
 *	stack_all()		accepted: all are read
 *	stack_drop_last()	h is gone; callers store g only
 *	stack_drop_first()	g is gone, h is at 8(%rsp)
 *	stack_move_up()		f is gone, g arrives in %r9: `lea (%r8,%r9,1),%rax`
 *	stack_global()		GCC accepted; clang's calls in this unit store g at (%rsp) and
 *				leave 8(%rsp) as it is
 *	stack_global_apart()	accepted: the same, but it is not called
 *	stack_beside_address()	h is not read, though the address of g is taken: clang's calls leave
 *				it as it is
 *	stack_weak()		accepted: a linker may replace it by one that reads h
 */
#include "kernel.h"

__visible u64 stack_sink;

/* All read. */
static noinline u64 stack_all(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	stack_sink = a + b;
	return c + d + e + f + g * h;
}

/* The last one, on the stack, is not read. */
static noinline u64 stack_drop_last(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	stack_sink = a - b;
	return c + d + e + f + g;
}

/* The first one on the stack is not read: the second moves into its place. */
static noinline u64 stack_drop_first(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	stack_sink = a ^ b;
	return c + d + e + f + h;
}

/* The sixth register is dropped: what was on the stack moves up into it. */
static noinline u64 stack_move_up(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g)
{
	barrier();
	stack_sink = a | b;
	return c + d + e + g;
}

/* Global: GCC passes everything to it. */
__visible noinline u64 stack_global(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	stack_sink = a & b;
	return c + d + e + f + g;
}

/* The same, but this unit does not call it. */
__visible noinline u64 stack_global_apart(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	stack_sink = a & ~b;
	return c + d + e + f + g;
}

__visible u64 *stack_address;

__visible noinline u64 stack_beside_address(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	stack_address = &g;
	barrier();
	stack_sink = a | b;
	stack_address = 0;
	return c + d + e + f + g;
}

/* The same, weak: what it reads says nothing of the one that may be linked instead. */
__weak noinline u64 stack_weak(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	barrier();
	stack_sink = ~a & b;
	return c + d + e + f + g;
}

__visible u64 stack_run(u64 x, u64 y)
{
	return stack_all(x, y, 3, 4, 5, 6, 7, y) + stack_all(y, x, 1, 2, 3, 4, x, 6) +
	       stack_drop_last(x, y, 3, 4, 5, 6, 7, y) + stack_drop_last(y, x, 1, 2, 3, 4, x, 6) +
	       stack_drop_first(x, y, 3, 4, 5, 6, 7, y) +
	       stack_drop_first(y, x, 1, 2, 3, 4, x, 6) +
	       stack_move_up(x, y, 3, 4, 5, 6, y) + stack_move_up(y, x, 1, 2, 3, 4, x) +
	       stack_global(x, y, 3, 4, 5, 6, 7, y) + stack_global(y, x, 1, 2, 3, 4, x, 6) +
	       stack_beside_address(x, y, 3, 4, 5, 6, 7, y) +
	       stack_beside_address(y, x, 1, 2, 3, 4, x, 6) +
	       stack_weak(x, y, 3, 4, 5, 6, 7, y) + stack_weak(y, x, 1, 2, 3, 4, x, 6);
}
