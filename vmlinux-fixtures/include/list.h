/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Static inline functions that each unit has a copy of. inline_always.c inlines all of them,
 * inline_address.c takes addresses and so gets them out of line, inline_mixed.c does both: the
 * same name then has an instance in some units and only inline sites in others.
 */
#ifndef FIXTURE_LIST_H
#define FIXTURE_LIST_H

#include "types.h"

static inline void list_init(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static __always_inline void __list_add(struct list_head *entry, struct list_head *prev,
				       struct list_head *next)
{
	next->prev = entry;
	entry->next = next;
	entry->prev = prev;
	prev->next = entry;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	__list_add(entry, head, head->next);
}

static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
	list_init(entry);
}

static inline int list_count(const struct list_head *head)
{
	const struct list_head *pos;
	int count = 0;

	for (pos = head->next; pos != head; pos = pos->next)
		count++;
	return count;
}

#endif
