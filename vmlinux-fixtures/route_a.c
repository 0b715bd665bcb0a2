/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Ambiguous forward declaration, first definition: struct route is this here, something else in
 * route_b.c, and only declared in forward_user.c, all in the same containers.
 */
#include "forward.h"

struct route {
	int metric;
	struct route_table *table;
};

__visible int route_metric(const struct route_table *table)
{
	return table->buckets[0]->route->metric + table->fallback->metric;
}
