/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The last question about parameters of which the callee's DWARF says nothing and which it does not
 * read: does some caller, anywhere in the image, leave junk in the register? Asked of instructions
 * only, for instances that have open_registers and no reason yet; GCC's kernels have none.
 *
 * And of a struct in memory that the callee does not look at: does a caller exist that LTO has
 * told so? What such a caller stores of it, if anything, is not asked.
 */
#ifndef BTFENC_ENCODER_DISTANT_CALLERS_H
#define BTFENC_ENCODER_DISTANT_CALLERS_H

#include "encoder/program.h"

/* Adds REASON(PARAM_UNSET) to instances in program->instances. */
void distant_callers_ask(struct program *program);

#endif
