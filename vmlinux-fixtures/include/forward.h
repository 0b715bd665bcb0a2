/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Forward declarations, and identical containers that reach them. What becomes of each:
 *
 *	struct never_defined	defined nowhere: stays a FWD
 *	union never_union	the same for a union
 *	struct session		defined in forward_owner.c only: every FWD is that one
 *	struct route		defined twice, differently (route_a.c, route_b.c), and only declared
 *				in forward_user.c: its FWD must not be taken for either
 *	struct blob		a struct that is declared only; blob_union.c has a union of that
 *				name, which no struct FWD may be resolved to
 *	enum later		an enum that is declared ahead (a GNU extension) and defined in
 *				forward_owner.c
 */
#ifndef FIXTURE_FORWARD_H
#define FIXTURE_FORWARD_H

#include "types.h"

struct never_defined;
union never_union;
struct session;
struct route;
enum later;

struct ticket {
	struct never_defined *nobody;
	union never_union *nothing;
	struct session *session;
	enum later *when;
	struct ticket *next;
};

struct route_entry {
	struct route *route;
	struct route_entry *next;
};

struct route_table {
	struct route_entry *buckets[8];
	const struct route *fallback;
};

int ticket_check(const struct ticket *ticket);
struct session *session_find(struct ticket *ticket);

#endif
