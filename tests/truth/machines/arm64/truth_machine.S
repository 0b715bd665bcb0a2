/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* arm64 */

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
	mov	x29, #0
	adrp	x18, shadow_stack
	add	x18, x18, :lo12:shadow_stack
	bl	truth_main
	mov	x0, #0
	mov	x8, #93
	svc	#0

/* x18 is the platform's: the shadow call stack, if the program has one. */
	.bss
	.balign	16
shadow_stack:
	.skip	65536
	.text

/* Poison: 0xbad0bad0bad0ba00 + number of the register. */
	function truth_trash
	movz	x0, #0xbad0, lsl #48
	movk	x0, #0xbad0, lsl #32
	movk	x0, #0xbad0, lsl #16
	movk	x0, #0xba00
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	dup	v\n\().2d, x0
	.endr
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	add	x\n, x0, #\n
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

