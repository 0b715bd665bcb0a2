/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Functions whose signature stays, in all shapes: weak, aliased, variadic, in .init.text and
 * .ref.text, with more arguments than registers, with unused parameters, with structs by value of
 * one register, two registers and in memory, returning such structs through a hidden pointer,
 * with nameless parameters, and never returning.
 */
#include "kernel.h"

struct one_register {
	u32 a;
	u16 b;
};

struct two_registers {
	const char *a;
	u32 b;
};

struct in_memory {
	u64 a, b, c;
};

struct empty {
};

__visible int __weak arch_setup(const char *command_line, int flags)
{
	return command_line[0] + flags;
}

__visible noinline long real_function(long value, void *context)
{
	barrier();
	return context ? value : -value;
}

long other_name(long value, void *context) __alias("real_function");
long weak_name(long value, void *context) __weak __alias("real_function");

__visible int sum_variadic(int count, ...)
{
	__builtin_va_list args;
	int sum = 0;

	__builtin_va_start(args, count);
	while (count--)
		sum += __builtin_va_arg(args, int);
	__builtin_va_end(args);
	return sum;
}

static int __init early_setup(u32 memory)
{
	sum_variadic(2, 3, memory);
	return arch_setup("quiet", (int)memory);
}

__visible int __init functions_init(u32 memory)
{
	return early_setup(memory) + 1;
}

__visible __section(".ref.text") int from_other_section(int a)
{
	return a + 1;
}

__visible noinline int eight_arguments(int a, long b, char c, void *d, u8 e, s16 f, u64 g,
				       const char *h)
{
	barrier();
	return a + (int)b + c + !d + e + f + (int)g + h[0];
}

__visible noinline int unused_parameters(struct one_register *one, int unused, const char *text)
{
	barrier();
	return text[0];
}

__visible noinline u64 structs_by_value(struct one_register one, struct two_registers two,
					struct in_memory memory, int after)
{
	barrier();
	return one.a + two.b + memory.c + (u64)after;
}

/* The two-register struct no longer fits the one register that is left, the int still does. */
__visible noinline u64 struct_overflow(long a, long b, long c, long d, long e,
				       struct two_registers two, int last)
{
	barrier();
	return (u64)(a + b + c + d + e) + (u64)two.a + (u64)last;
}

__visible noinline struct in_memory returns_memory(u64 seed, int count)
{
	struct in_memory result = { seed, seed + 1, (u64)count };

	barrier();
	return result;
}

__visible noinline int empty_argument(struct empty nothing, int value)
{
	barrier();
	return value;
}

__visible noinline int bool_and_narrow(bool flag, u8 byte, s16 half, char letter)
{
	barrier();
	return flag ? byte : half + letter;
}

__visible noinline int pointer_to_pointer(struct in_memory **where,
					  const struct in_memory *const *from)
{
	barrier();
	*where = NULL;
	return !*from;
}

/* Legal C, and a FUNC that the kernel rejects when it is taken literally: a typedef of void. */
typedef void nothing;

__visible noinline nothing returns_typedef_of_void(struct one_register *one)
{
	barrier();
	one->a = 0;
}

__visible int functions_run(int argument)
{
	struct one_register one = { 1, 2 };
	struct two_registers two = { "3", 4 };
	struct in_memory memory = returns_memory(5, argument);
	struct empty empty;

	return (int)real_function(argument, &one) + (int)other_name(argument, NULL) +
	       (int)weak_name(1, &two) + eight_arguments(1, 2, 3, &one, 5, 6, 7, "8") +
	       unused_parameters(&one, 1, "x") + (int)structs_by_value(one, two, memory, argument) +
	       (int)struct_overflow(1, 2, 3, 4, 5, two, 6) + empty_argument(empty, argument) +
	       bool_and_narrow(true, 1, 2, 'c');
}
