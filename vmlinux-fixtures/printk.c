/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The variadic functions that the other units call on their cold paths. A va_list is an array of
 * a struct that the compiler invents (__va_list_tag) on some architectures, a pointer on others.
 */
#include "kernel.h"

typedef __builtin_va_list va_list;

struct printk_buffer {
	char text[128];
	u32 used;
};

static struct printk_buffer printk_buffer;

static noinline void vprintk(struct printk_buffer *buffer, const char *fmt, va_list args)
{
	for (; *fmt; fmt++) {
		char c = *fmt == '%' ? (char)__builtin_va_arg(args, int) : *fmt;

		buffer->text[buffer->used++ & 127] = c;
	}
}

__visible void printk(const char *fmt, ...)
{
	va_list args;

	__builtin_va_start(args, fmt);
	vprintk(&printk_buffer, fmt, args);
	__builtin_va_end(args);
}

__visible void panic(const char *fmt, ...)
{
	va_list args;

	__builtin_va_start(args, fmt);
	vprintk(&printk_buffer, fmt, args);
	__builtin_va_end(args);
	for (;;)
		barrier();
}
