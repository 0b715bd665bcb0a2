/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Where a program attaches, on one kernel. */
#ifndef BTFENC_COMMANDS_COMPAT_COMPAT_ATTACH_H
#define BTFENC_COMMANDS_COMPAT_COMPAT_ATTACH_H

#include "btf/own_btf.h"
#include "commands/compat/compat.h"

/* `functions`: the FUNCs of the kernel's BTF. */
void compat_attach(struct compat_answer *answer, const struct kernel *kernel,
		   const struct func_names *functions, const struct compat_program *program);

#endif
