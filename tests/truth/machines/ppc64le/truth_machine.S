/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* ppc64le */

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
	bcl	20, 31, 1f
1:	mflr	12
	addis	2, 12, .TOC. - 1b@ha
	addi	2, 2, .TOC. - 1b@l
	stdu	1, -128(1)
	bl	truth_main
	nop
	li	3, 0
	li	0, 1
	sc

/* Poison: 0xbad0bad0bad0ba00 + number of the register. */
	function truth_trash
	lis	3, 0xbad0
	ori	3, 3, 0xbad0
	sldi	3, 3, 32
	oris	3, 3, 0xbad0
	ori	3, 3, 0xba00
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
	mtvsrd	\n, 3
	.endr
	.irp	n, 4, 5, 6, 7, 8, 9, 10, 11, 12
	addi	\n, 3, \n
	.endr
	blr
	.size	truth_trash, . - truth_trash

	function truth_touch
	function truth_cold
	blr


/* -mprofile-kernel: the address that the function returns to is in r0. */
	function _mcount
	mflr	12
	mtctr	12
	mtlr	0
	bctr

	.macro	callback name
	function \name
	blr
	.size	\name, . - \name
	.endm
	callback truth_callback_a
	callback truth_callback_b

