/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Static inline functions of list.h, second unit: their addresses are taken, so they exist out of
 * line, under the names that inline_mixed.c has them, too.
 */
#include "kernel.h"
#include "list.h"

struct list_ops {
	void (*add)(struct list_head *entry, struct list_head *head);
	void (*del)(struct list_head *entry);
	int (*count)(const struct list_head *head);
};

__visible const struct list_ops list_ops = {
	.add = list_add,
	.del = list_del,
	.count = list_count,
};

static struct list_head address_list;

__visible int inline_address_run(void)
{
	const struct list_ops *ops = hide_pointer(&list_ops);
	struct list_head entry;

	ops->add(hide_pointer(&entry), &address_list);
	ops->del(hide_pointer(&entry));
	return ops->count(&address_list);
}
