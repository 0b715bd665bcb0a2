/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* x86-64 */

	.macro	pointer value:vararg
	.quad	\value
	.endm

/* KASAN's shadow of the stack is reached by the stack's address: job.sh places both. */
	.section .truth_stack, "aw", @nobits
	.balign	4096
	.skip	0x100000
stack_end:
	.skip	0x20000

	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movq	$stack_end, %rsp
	call	truth_main
	xorl	%edi, %edi
	movl	$60, %eax
	syscall
	hlt
	.size	_start, . - _start

/* Poison: 0xbad0bad0bad0ba00 + number of the register, 0xbad1... below the stack pointer. */
	.globl	truth_trash
	.type	truth_trash, @function
truth_trash:
	movabsq	$0xbad1bad1bad1bad1, %rax
	leaq	-1024(%rsp), %rdi
	movl	$128, %ecx
	cld
	rep stosq
	movabsq	$0xbad0bad0bad0ba00, %rax
	leaq	1(%rax), %rcx
	leaq	2(%rax), %rdx
	leaq	6(%rax), %rsi
	leaq	7(%rax), %rdi
	leaq	8(%rax), %r8
	leaq	9(%rax), %r9
	leaq	10(%rax), %r10
	leaq	11(%rax), %r11
	movq	%rax, %xmm0
	punpcklqdq %xmm0, %xmm0
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqa	%xmm0, %xmm\n
	.endr
	ret
	.size	truth_trash, . - truth_trash

	.macro	nothing name
	.globl	\name
	.type	\name, @function
\name:
	ret
	.size	\name, . - \name
	.endm
	nothing	truth_touch
	nothing	truth_cold
	nothing	__fentry__
	nothing	mcount
	nothing	__x86_return_thunk
	.irp	reg, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	.globl	__x86_indirect_thunk_\reg
	.type	__x86_indirect_thunk_\reg, @function
__x86_indirect_thunk_\reg:
	jmp	*%\reg
	.endr

/* clang's kcfi looks for a hash of the prototype before what it calls through a pointer. */
	.macro	callback name
	.weak	__kcfi_typeid_\name
	.globl	\name
	.type	\name, @function
	.balign	16, 0x90
	.skip	12, 0x90
	.long	__kcfi_typeid_\name
\name:
	movl	%edi, %eax
	ret
	.size	\name, . - \name
	.endm
	callback truth_callback_a
	callback truth_callback_b
