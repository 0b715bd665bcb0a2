/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* riscv64 */

	.macro	pointer value:vararg
	.quad	\value
	.endm

	.macro	function name
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.text
	function _start
	.option	push
	.option	norelax
	la	gp, __global_pointer$
	.option	pop
	andi	sp, sp, -16
	call	truth_main
	li	a0, 0
	li	a7, 93
	ecall

/* Poison: 0xbad0bad0bad0ba00 + number of the register. */
	function truth_trash
	li	t0, 0xbad0bad0bad0ba00
	.irp	n, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	addi	x\n, t0, \n
	.endr
	ret
	.size	truth_trash, . - truth_trash

	function truth_touch
	function truth_cold
	function _mcount
	ret


	.macro	callback name
	function \name
	ret
	.size	\name, . - \name
	.endm
	callback truth_callback_a
	callback truth_callback_b

