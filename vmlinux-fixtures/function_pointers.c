/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Function types: pointers with and without a typedef, a typedef of the function type itself,
 * functions that return function pointers, that take them, variadic ones, ones that take and
 * return structs by value, ones without a prototype (K&R), and a function pointer that takes
 * itself.
 */
#include "kernel.h"

struct small_value {
	int a, b;
};

struct big_value {
	u64 words[6];
};

typedef int handler_fn(struct list_head *node, void *arg);
typedef handler_fn *handler_ptr;
typedef void (*notify_t)(const char *fmt, ...);
typedef handler_ptr (*chooser_t)(int which);

struct callbacks {
	handler_fn *handler;
	handler_ptr table[4];
	notify_t notify;
	chooser_t choose;
	int (*(*nested)(int which))(struct callbacks *self, const char *name);
	void (*oldstyle)();
	struct small_value (*by_value)(struct small_value in, struct big_value big);
	int (*const fixed)(void);
	void (*takes_itself)(struct callbacks self, void (*done)(struct callbacks *self));
	int (*array_arg)(int values[3], u8 (*rows)[4]);
};

static int handle_first(struct list_head *node, void *arg)
{
	return node->next == arg;
}

static int handle_second(struct list_head *node, void *arg)
{
	return node->prev == arg;
}

__visible handler_ptr choose_handler(int which)
{
	return which ? handle_first : handle_second;
}

__visible int (*choose_plain(int which, chooser_t chooser))(struct list_head *, void *)
{
	return chooser(which);
}

__visible const struct callbacks callbacks_global = {
	.handler = handle_first,
	.table = { handle_first, handle_second },
	.choose = choose_handler,
};

__visible int callbacks_call(const struct callbacks *c, struct list_head *node)
{
	c->notify("%d\n", 1);
	return c->handler(node, NULL) + c->nested(3)((struct callbacks *)c, "x");
}
