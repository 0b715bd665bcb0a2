/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Ambiguous forward declaration, second definition: compare route_a.c.
 */
#include "forward.h"

struct route {
	u64 gateway[2];
	u8 prefix;
	struct route *next;
};

__visible u64 route_gateway(const struct route_table *table)
{
	return table->buckets[1]->route->gateway[0] + table->fallback->prefix;
}
