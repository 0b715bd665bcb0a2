// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
/*
 * A module outside the kernel's tree. Its functions are called with the arguments that
 * fentry_args.c expects when something is written to its parameter "run". None but the last may be
 * changed by the compiler.
 */
#include <linux/fs.h>
#include <linux/module.h>

#ifdef __clang__
#define AS_WRITTEN noinline __attribute__((optnone))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif

struct promise_pair {
	long first, second;
};

AS_WRITTEN int promise_six(int one, long two, u8 three, struct inode *four, short five, u64 six);
AS_WRITTEN long promise_pair(int before, struct promise_pair pair, int after);
AS_WRITTEN int promise_unread(int unread, int read);
AS_WRITTEN long promise_untyped(int before, const void *untyped);
AS_WRITTEN long promise_stack(int one, long two, u8 three, short four, u64 five, int six,
			      long seven, struct promise_pair split, u8 nine, long ten);

static volatile long sum;

AS_WRITTEN int promise_six(int one, long two, u8 three, struct inode *four, short five, u64 six)
{
	return one + two + three + (long)four + five + six;
}

AS_WRITTEN long promise_pair(int before, struct promise_pair pair, int after)
{
	return before + pair.first + pair.second + after;
}

AS_WRITTEN int promise_unread(int unread, int read)
{
	return read;
}

AS_WRITTEN long promise_untyped(int before, const void *untyped)
{
	return before + (long)untyped;
}

/* The pair does not fit into the last register of arm64. */
AS_WRITTEN long promise_stack(int one, long two, u8 three, short four, u64 five, int six,
			      long seven, struct promise_pair split, u8 nine, long ten)
{
	return one + two + three + four + five + six + seven + split.first + split.second + nine +
	       ten;
}

/* The first argument is no longer passed: under this name nothing can be promised. */
static noinline int promise_removed(int removed, int kept)
{
	sum += kept;
	return kept;
}

static int run(const char *value, const struct kernel_param *param)
{
	sum += promise_six(-1, 2, 3, (struct inode *)4, -5, 0x600000006);
	sum += promise_pair(11, (struct promise_pair){ 12, 13 }, 14);
	sum += promise_unread(21, 22);
	sum += promise_untyped(41, (const void *)42);
	sum += promise_stack(51, 52, 53, 54, 55, 56, 57, (struct promise_pair){ 58, 158 }, 59, 60);
	sum += promise_removed(31, sum);
	sum += promise_removed(32, sum);
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run,
};
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("Functions for fentry programs");
MODULE_LICENSE("Dual BSD/GPL");
