/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Functions with a tracer's hook that nobody is to use: a program there may hang the machine. */
#ifndef BTFENC_KERNEL_ATTACH_DENIED_FUNCTIONS_H
#define BTFENC_KERNEL_ATTACH_DENIED_FUNCTIONS_H

#include "kernel/attach/attach_image.h"

/* Why a BPF program on the function is refused or may hang; NULL: nothing known. */
const char *denied_why(const struct attach_image *kernel, const char *name);

#endif
