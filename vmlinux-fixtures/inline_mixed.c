/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Static inline functions of list.h, third unit: list_count() is inlined here and has an
 * instance, too. There are also functions that are inlined into each other in three levels, one of
 * them with a constant argument, and a static function that is inlined into its only caller.
 */
#include "kernel.h"
#include "list.h"

static struct list_head mixed_list;

static inline int level_three(int value, int times)
{
	return value * times;
}

static inline int level_two(int value)
{
	barrier();
	return level_three(value, 12) + 1;
}

static inline int level_one(const struct list_head *head)
{
	return level_two(list_count(head));
}

static int called_once(struct list_head *entry, int depth)
{
	list_add(entry, &mixed_list);
	return depth + level_one(entry);
}

__visible int (*const mixed_counter)(const struct list_head *head) = list_count;

__visible int inline_mixed_run(void)
{
	struct list_head entry;

	return called_once(hide_pointer(&entry), 4) + list_count(&mixed_list);
}
