/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

struct nowhere {
	int x;
};

extern const struct nowhere bpf_prog_active WEAK_KSYM;

PROGRAM other_type(void *context)
{
	return &bpf_prog_active ? 1 : 0;
}
