/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The entry, in .init.text: calls into the other units, so that link-time optimization has
 * something to inline across units. It takes the assembler function's address, too.
 */
#include "bus.h"
#include "kernel.h"

long asm_identity(long value);

__visible __init void start_kernel(void)
{
	int sum = clones_run() + functions_run(3) + inline_always_run() + inline_address_run() +
		  inline_mixed_run() + percpu_a_run(0) + percpu_b_run(1) + samename_a_run(1) +
		  samename_b_run(2) + kfuncs_register();

	if (asm_identity(sum) != sum)
		panic("%d\n", sum);
	for (;;)
		barrier();
}
