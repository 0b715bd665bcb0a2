/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An assembler unit with DWARF of its own: no types, no parameters; GNU as describes the
 * functions as subprograms, LLVM as labels. asm_identity() has a C prototype in main.c, asm_local
 * is not global.
 */
	.section .text, "ax", %progbits

	.globl	asm_identity
	.type	asm_identity, %function
asm_identity:
#if defined(__x86_64__)
	movq	%rdi, %rax
	ret
#elif defined(__i386__)
	ret				/* regparm(3): the argument already is in %eax */
#elif defined(__s390x__)
	br	%r14			/* the argument already is in %r2 */
#elif defined(__powerpc64__)
	blr				/* and in r3 */
#elif defined(__arm__)
	bx	lr			/* and in r0 */
#elif defined(__aarch64__) || defined(__riscv)
	ret				/* and in x0, a0 */
#else
#error "asm_identity is not written for this architecture"
#endif
	.size	asm_identity, . - asm_identity

	.type	asm_local, %function
asm_local:
	nop
#if defined(__s390x__)
	br	%r14
#elif defined(__powerpc64__)
	blr
#elif defined(__arm__)
	bx	lr
#else
	ret
#endif
	.size	asm_local, . - asm_local

	.section .note.GNU-stack, "", %progbits
