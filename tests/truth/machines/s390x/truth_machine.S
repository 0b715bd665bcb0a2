/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* s390x */

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
	aghi	%r15, -160
	brasl	%r14, truth_main
	lghi	%r2, 0
	svc	1

/* Poison: 0xbad0bad0bad0ba00 + number of the register. */
	function truth_trash
	llihf	%r0, 0xbad0bad0
	iilf	%r0, 0xbad0ba00
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	ldgr	%f\n, %r0
	.endr
	.irp	n, 1, 2, 3, 4, 5, 6
	lgr	%r\n, %r0
	aghi	%r\n, \n
	.endr
	br	%r14
	.size	truth_trash, . - truth_trash

	function truth_touch
	function truth_cold
	br	%r14


/* Its return address is in %r0. */
	function __fentry__
	lgr	%r1, %r0
	br	%r1

	.macro	callback name
	function \name
	br	%r14
	.size	\name, . - \name
	.endm
	callback truth_callback_a
	callback truth_callback_b

