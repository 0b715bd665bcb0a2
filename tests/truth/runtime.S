/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The runtime of the generated programs: no C library, nothing that an optimizer can look into. */

/* The machine's own part: _start, truth_trash, functions that do nothing, the macro `pointer`. */
#include "truth_machine.S"

/*
 * What compilers call on their own when they check or count: nothing here, but like the real ones it
 * may clobber any register that a call may.
 */
	.macro	hook name
	.globl	\name
	.type	\name, %function
	.set	\name, truth_trash
	.endm
	.irp	name, __stack_chk_fail, __sanitizer_cov_trace_pc, __asan_loadN_noabort, \
		__asan_storeN_noabort, __asan_handle_no_return, __tsan_init, __tsan_func_entry, \
		__tsan_func_exit, __tsan_read_range, __tsan_write_range, __gcov_init, __gcov_exit
	hook	\name
	.endr
	.irp	size, 1, 2, 4, 8, 16
	hook	__asan_load\size\()_noabort
	hook	__asan_store\size\()_noabort
	.endr
	.irp	access, read, write, read_write, volatile_read, volatile_write, unaligned_read, \
		unaligned_write, unaligned_read_write, unaligned_volatile_read, \
		unaligned_volatile_write
	.irp	size, 1, 2, 4, 8, 16
	hook	__tsan_\access\size
	.endr
	.endr

/* ---- data ---- */

	.bss
	.balign	64
	.globl	truth_expect, truth_called, truth_nonce, truth_sink, truth_never
	.type	truth_expect, %object
	.type	truth_called, %object
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
	.globl	__stack_chk_guard, __gcov_merge_add
__stack_chk_guard:
__gcov_merge_add:
	.skip	8
	.globl	truth_left, truth_left_by
truth_left_by:
	.skip	8
truth_left:
	.skip	16

/*
 * Objects whose addresses the program passes: job.sh places them, so that the addresses are the
 * same in all builds.
 */
	.section .truth_objects, "aw", %progbits
	.balign	64
	.globl	truth_nodes, truth_ints, truth_text, truth_data
	.type	truth_nodes, %object
/* struct node: what is read from it looks like a tag. */
truth_nodes:
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8
	.quad	0x7afff00000000000 + \n * 0x10204081
	.long	0x6b810000 + \n * 0x1021
	.short	0x4300 + \n * 0x123
	.byte	0x40 + \n * 5
	.byte	1
	pointer	truth_nodes + (\n - 1) * 40
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

	.section .note.GNU-stack, "", %progbits
