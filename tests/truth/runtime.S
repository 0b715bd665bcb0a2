/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What the generated programs stand on: no C library, nothing that an optimizer can look into. */

	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	andq	$-16, %rsp
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

	.globl	memcpy, memmove, memset, memcmp
	.type	memcpy, @function
	.type	memmove, @function
memmove:
memcpy:
	movq	%rdi, %rax
	movq	%rdx, %rcx
	cmpq	%rsi, %rdi
	ja	1f
	rep movsb
	ret
1:	leaq	-1(%rdi,%rdx), %rdi
	leaq	-1(%rsi,%rdx), %rsi
	std
	rep movsb
	cld
	ret
	.type	memset, @function
memset:
	movq	%rdi, %r8
	movl	%esi, %eax
	movq	%rdx, %rcx
	rep stosb
	movq	%r8, %rax
	ret
	.type	memcmp, @function
memcmp:
	movq	%rdx, %rcx
	xorl	%eax, %eax
	cmpq	%rax, %rcx
	repe cmpsb
	setne	%al
	ret

/* ---- data ---- */

	.bss
	.balign	64
	.globl	truth_expect, truth_called, truth_nonce, truth_sink, truth_never
	.type	truth_expect, @object
	.type	truth_called, @object
truth_expect:
	.skip	2048 * 48 * 8
	.size	truth_expect, . - truth_expect
truth_called:
	.skip	8
	.size	truth_called, . - truth_called
truth_nonce:
	.skip	8
truth_sink:
	.skip	8
truth_never:
	.skip	8
	.globl	truth_left, truth_left_by
truth_left_by:
	.skip	8
truth_left:
	.skip	16

	.data
	.balign	64
	.globl	truth_nodes, truth_ints, truth_text, truth_data
	.type	truth_nodes, @object
/* struct node: what is read from it looks like a tag. */
truth_nodes:
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8
	.quad	0x7afff00000000000 + \n * 0x10204081
	.long	0x6b810000 + \n * 0x1021
	.short	0x4300 + \n * 0x123
	.byte	0x40 + \n * 5
	.byte	1
	.quad	truth_nodes + (\n - 1) * 40
	.quad	0x40f0000000000000 + \n * 0x1000000000
	.long	0x6b820000 + \n * 0x3123, 0x6b830000 + \n * 0x5321
	.endr
	.size	truth_nodes, . - truth_nodes
truth_ints:
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8
	.long	0x6b840000 + \n * 0x1357
	.endr
	.globl	truth_poison
truth_poison:
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	.quad	0xbad0bad0bad0ba20 + \n
	.endr
truth_text:
	.irp	n, 1, 2, 3, 4
	.ascii	"sixteen letters.\n"
	.endr
	.balign	8
truth_data:
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
	.quad	\n * 0x0102030405060709
	.endr

	.section .note.GNU-stack, "", @progbits
