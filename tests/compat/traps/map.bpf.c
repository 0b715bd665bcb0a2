/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

struct {
	int (*type)[200];
	int (*key)[4], (*value)[4], (*max_entries)[1];
} counts SEC(".maps");

PROGRAM other(void *context)
{
	return 0;
}
