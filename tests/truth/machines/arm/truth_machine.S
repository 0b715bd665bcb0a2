/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* arm */

	.macro	pointer value:vararg
	.long	\value, 0
	.endm

	.macro	function name
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.text
	.syntax	unified
	.arm
	function _start
	bic	sp, sp, #7
	bl	truth_main
	mov	r0, #0
	mov	r7, #1
	svc	#0

/* Poison: 0xbad0ba00 + number of the register. */
	function truth_trash
	movw	r0, #0xba00
	movt	r0, #0xbad0
	.irp	n, 1, 2, 3, 12
	add	r\n, r0, #\n
	.endr
	bx	lr
	.size	truth_trash, . - truth_trash

	function truth_touch
	function truth_cold
	function raise		/* of libgcc's division */
	bx	lr


/* Its caller has pushed lr. */
	function __gnu_mcount_nc
	mov	ip, lr
	pop	{lr}
	bx	ip

	.macro	callback name
	function \name
	bx	lr
	.size	\name, . - \name
	.endm
	callback truth_callback_a
	callback truth_callback_b

