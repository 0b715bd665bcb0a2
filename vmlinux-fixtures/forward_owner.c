/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Forward declarations, the unit that defines: struct session and enum later are complete only
 * here, and reached through the same struct ticket as in forward_user.c.
 */
#include "forward.h"
#include "kernel.h"

enum later { LATER_TODAY, LATER_TOMORROW, LATER_NEVER = 100 };

struct session {
	u32 id;
	enum later when;
	struct ticket *tickets;
	struct session *peer;
	struct {
		struct session *parent;
		int depth;
	};
};

__visible struct session *session_find(struct ticket *ticket)
{
	if (*ticket->when == LATER_NEVER)
		return ticket->session->peer;
	return ticket->next ? ticket->next->session : ticket->session;
}
