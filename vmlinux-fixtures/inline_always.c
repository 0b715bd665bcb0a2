/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Static inline functions of list.h, first unit: all of them are inlined, none exists out of
 * line.
 */
#include "kernel.h"
#include "list.h"

static struct list_head always_list;

__visible int inline_always_run(void)
{
	struct list_head entry;

	list_init(&always_list);
	list_add(hide_pointer(&entry), &always_list);
	list_del(hide_pointer(&entry));
	return list_count(&always_list);
}
