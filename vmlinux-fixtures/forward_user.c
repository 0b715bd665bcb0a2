/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Forward declarations, the unit that sees nothing complete: see include/forward.h for what must
 * become of each of them.
 */
#include "forward.h"
#include "kernel.h"

struct blob;

struct blob_holder {
	struct blob *blob;
};

__visible struct route_table user_routes;

__visible int ticket_check(const struct ticket *ticket)
{
	return ticket->nobody && ticket->session && !ticket->next;
}

__visible const struct route *route_lookup(const struct route_table *table, u32 key)
{
	const struct route_entry *entry = table->buckets[key & 7];

	return entry ? entry->route : table->fallback;
}

__visible struct blob *blob_of(struct blob_holder *holder, struct never_defined **nobody)
{
	return *nobody ? holder->blob : NULL;
}
