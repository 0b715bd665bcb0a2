/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of parameters that are not read. GCC changes calls only where it makes a copy with a
 * suffix. Clang passes nothing for a parameter that a function does not read at all direct calls
 * that it sees together with the function (DeadArgumentElimination); DWARF says nothing of it,
 * least of all DW_CC_nocall. See `call unread_here` in unread_run(): %edi and %edx are set, %esi
 * is not.
 *
 *	unread_none()				accepted: reads all
 *	unread_here()				clang: rejected
 *	unread_first()				clang: rejected, and %edi is what the call before
 *						has left
 *	unread_elsewhere()			accepted: called from another unit; clang's LTO:
 *						rejected
 *	unread_pointer_only()			accepted: static, only called through a pointer
 *	unread_global_pointer_only()		accepted: the same, global
 *	unread_pointer_and_here()		clang: rejected for the sake of the direct calls
 *	unread_static_pointer_and_here()	clang: the same, static; GCC makes no copy:
 *						accepted
 *	unread_static()				rejected: GCC makes .constprop.0, clang says
 *						DW_CC_nocall
 *	unread_late()				accepted: clang finds out too late that this is
 *						what is called, and sets %esi; clang's LTO, which
 *						looks once more: rejected
 *	unread_distant()			clang: rejected: the only call, in another unit,
 *						leaves %esi as it is
 *	unread_left()				clang: rejected, though inline assembler writes
 *						%esi before each call
 */
#include "kernel.h"

__visible u32 unread_sink;

u32 unread_elsewhere(u32 value, u32 unused, u32 more);
u32 unread_distant(u32 value, u32 unused);

/* Called from here. */
__visible noinline u32 unread_here(u32 value, u32 unused, u32 more)
{
	barrier();
	return value * more;
}

/* The same, all read. */
__visible noinline u32 unread_none(u32 value, u32 used, u32 more)
{
	barrier();
	return value * more + used;
}

/* The address is taken, all calls go through the pointer. */
static noinline u32 unread_pointer_only(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 2;
}

__visible noinline u32 unread_global_pointer_only(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 3;
}

/* The address is taken, and it is called directly, too. */
__visible noinline u32 unread_pointer_and_here(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 4;
}

static noinline u32 unread_static_pointer_and_here(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 5;
}

/* Static, the address never leaves: the parameter goes. */
static noinline u32 unread_static(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 6;
}

/* It is not called from here: see trap_unread_caller.c. */
__visible noinline u32 unread_elsewhere(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 7;
}

/* A first parameter, so that what a caller leaves in its register is what a call returned. */
__visible noinline u32 unread_first(u32 unused, u32 value)
{
	barrier();
	return value * 9;
}

/* Called through a pointer that becomes a constant after all passes that look at calls. */
__visible noinline u32 unread_late(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 8;
}

/* Before each call something else is left in the register. */
__visible noinline u32 unread_left(u32 value, u32 unused, u32 more)
{
	barrier();
	return value + more * 12;
}

static inline void needs_a_register(void)
{
#ifdef __x86_64__
	__asm__ volatile("movl $7, %%esi" ::: "esi", "memory");
#endif
}

/* It is not called from here, either. */
__visible noinline u32 unread_distant(u32 value, u32 unused)
{
	barrier();
	return value * 11;
}

typedef u32 unread_t(u32 value, u32 second, u32 more);

__visible unread_t *unread_pointers[] = {
	unread_pointer_only, unread_global_pointer_only, unread_pointer_and_here,
	unread_static_pointer_and_here,
};

__visible u32 unread_run(u32 a, u32 b, u32 c)
{
	u32 sum = 0, i;

	for (i = 0; i < 4; i++)
		sum += hide_pointer(unread_pointers[i])(a, b + i, c);
	barrier();
	sum += unread_here(a, b * 3, sum) + unread_here(c, sum * 5, 4);
	sum += unread_none(a, b * 3, sum) + unread_none(c, sum * 5, 4);
	sum += unread_pointer_and_here(a, b * 3, sum) + unread_pointer_and_here(c, sum * 5, 4);
	sum += unread_static_pointer_and_here(a, b * 3, sum);
	sum += unread_static_pointer_and_here(c, sum * 5, 4);
	sum += unread_static(a, b * 3, sum) + unread_static(c, sum * 5, 4);
	sum += unread_first(b * 3, sum) + unread_first(sum * 5, 4);
	sum += (__builtin_constant_p(a) ? unread_none : unread_late)(c, sum * 5, 4);
	needs_a_register();
	sum += unread_left(a, b * 3, sum);
	needs_a_register();
	sum += unread_left(c, sum * 5, 4);
	unread_sink = sum;
	return sum;
}
