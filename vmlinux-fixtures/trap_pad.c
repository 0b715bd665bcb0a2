/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of the pad at the entry. With -pg -mfentry clang lets locations begin after `call
 * __fentry__`, at low_pc + 5; with -fpatchable-function-entry after the NOPs, with -fcf-
 * protection after endbr64. This is tolerated, and only this.
 *
 *	pad_all()	accepted, with every pad
 *	pad_genuine()	accepted: its first instruction is a call of something else
 *	pad_impostor()	the same, but `value` is only written: what clang says of it from low_pc +
 *			5 on (%eax) is not what it was called with. GCC: accepted, callers set
 *			%edi. Clang: `call pad_all; call pad_impostor` without a write to %edi:
 *			rejected
 */
#include "kernel.h"

#if defined(__x86_64__)
__asm__(".pushsection .text,\"ax\",@progbits\n"
	".globl __fentry__\n"
	".type __fentry__, @function\n"
	"__fentry__:\n"
	"	ret\n"
	".size __fentry__, . - __fentry__\n"
	".globl pad_hook\n"
	".type pad_hook, @function\n"
	"pad_hook:\n"
	"	ret\n"
	".size pad_hook, . - pad_hook\n"
	".popsection\n");
#define PAD_HOOK "call pad_hook"
#define PAD_RESULT "=a"
#else
#define PAD_HOOK ""
#define PAD_RESULT "=r"
#endif

__visible u32 pad_sink;

__visible noinline u32 pad_all(u32 *where, u32 what, u32 how)
{
	*where = what;
	barrier();
	return how;
}

/*
 * The first instruction is a call, as long as that of the tracer's hook, and after it the
 * parameter has a value: not the caller's.
 */
__visible noinline u32 pad_impostor(u32 value)
{
	__asm__ __volatile__(PAD_HOOK : PAD_RESULT(value) : : "memory");
	return value;
}

__visible noinline u32 pad_genuine(u32 value)
{
	u32 more;

	__asm__ __volatile__(PAD_HOOK : PAD_RESULT(more) : : "memory");
	return value + more;
}

__visible u32 pad_run(u32 a, u32 b)
{
	u32 sum = pad_all(&pad_sink, 2, b);

	barrier();
	sum += pad_impostor(sum * 3);
	barrier();
	sum += pad_impostor(sum * 5);
	sum += pad_genuine(sum * 7);
	return sum + pad_genuine(a);
}
