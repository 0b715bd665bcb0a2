/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Does a function surely read an argument on the stack?
 *
 * Asked of structs in memory that LLVM may have stopped to pass. Only "yes" is an answer: there is
 * no claim that an argument is not read. docs/functions.md says how rarely it is asked.
 */
#ifndef BTFENC_DWARF_CODE_CODE_STACK_H
#define BTFENC_DWARF_CODE_CODE_STACK_H

#include "dwarf/code/code_graph.h"

/*
 * True: some of the bytes [offset, offset + size) above the stack pointer at the entry are read
 * before they are written, or their address is passed on. With may_be_copied it is no read to copy
 * them into the function's own frame, where the arguments of its calls are.
 */
bool code_stack_is_read(struct code_graph *graph, uint64_t begin, uint64_t end, int64_t offset,
			uint64_t size, bool may_be_copied);

#endif
