/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of names: which code does a name mean? trap_names_other.c is the other unit.
 *
 *	names_twice()		rejected: static in both units, with one prototype, at two
 *				addresses
 *	names_once()		accepted: static in both, but in the other all calls are inlined
 *	names_beside_copy()	GCC accepted: the other one is left as .constprop.0 only. Clang
 *				changes the other one under its name
 *	names_weak_strong()	accepted: weak here, strong there; the code here has no symbol
 *	names_weak_alone()	accepted
 *	names_real()		accepted: three symbols at one address
 *	names_prefixed()	accepted, although names of padding in front of it end like it
 *	names_init_kept()	accepted, in .init.text
 *	names_init_reduced()	rejected there as anywhere: `unused` is gone, c is in %esi
 */
#include "kernel.h"

__visible u32 names_sink;

/* trap_names_other.c has another one with the same prototype, at another address. */
static noinline u32 names_twice(u32 a, u32 b)
{
	barrier();
	return a * 3 + b;
}

/* There, all calls of it are inlined: this is the only one. */
static noinline u32 names_once(u32 a, u32 b)
{
	barrier();
	return a * 5 + b;
}

/* There, it only exists as a copy with a suffix. */
static noinline u32 names_beside_copy(u32 a, u32 b)
{
	barrier();
	return a * 7 + b;
}

/* Overridden there: the code here has no name any more. */
__visible __weak u32 names_weak_strong(u32 a)
{
	barrier();
	return a * 11;
}

/* It is not overridden. */
__visible __weak u32 names_weak_alone(u32 a)
{
	barrier();
	return a * 13;
}

/* One address with three names. */
__visible noinline u32 names_real(u32 a, u32 b)
{
	barrier();
	return a * 17 + b;
}

u32 names_alias(u32 a, u32 b) __alias("names_real");
u32 names_weak_alias(u32 a, u32 b) __weak __alias("names_real");

/*
 * Symbols of other names in front of a function, as objtool (__pfx_) and clang -fsanitize=kcfi
 * (__cfi_) make them.
 */
__visible noinline u32 names_prefixed(u32 a, u32 b)
{
	barrier();
	return a * 19 + b;
}

#if !defined(__s390x__)
__asm__(".type __pfx_names_prefixed, %function\n"
	".set __pfx_names_prefixed, names_prefixed - 16\n"
	".size __pfx_names_prefixed, 16\n"
	".type __cfi_names_prefixed, %function\n"
	".set __cfi_names_prefixed, names_prefixed - 16\n"
	".size __cfi_names_prefixed, 16\n");
#endif

/* All in .init.text: judged like others. */
static noinline __init u32 names_init_kept(u32 a, u32 b, u32 c)
{
	barrier();
	return a * 23 + b * c;
}

static noinline __init u32 names_init_reduced(u32 a, u32 unused, u32 c)
{
	barrier();
	return a * 29 + c;
}

__visible __init u32 names_init(u32 a, u32 b)
{
	return names_init_kept(a, b, 3) + names_init_kept(b, 4, a) +
	       names_init_reduced(a, b, 3) + names_init_reduced(b, 4, a);
}

__visible u32 names_run(u32 a, u32 b)
{
	names_sink = a;
	return names_twice(a, b) + names_twice(b, 3) + names_once(a, b) + names_once(b, 3) +
	       names_beside_copy(a, b) + names_beside_copy(b, 3) + names_weak_strong(a) +
	       names_weak_alone(b) + names_real(a, b) + names_alias(b, 3) +
	       names_weak_alias(a, 4) + names_prefixed(a, b);
}
