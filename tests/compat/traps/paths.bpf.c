/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

#define KEEP_LOOP _Pragma("clang loop unroll(disable)")

const volatile u32 flag = 0, first = 0, second = 0, table[4] = { 0 };

extern const void vfs_read KSYM;

PROGRAM string_length(u64 *context)
{
	char buffer[16];

	return ((long (*)(void *, u32, const void *))115)(buffer, 16, (void *)context[0]) > 16
		       ? read_nope() : 0;
}

PROGRAM in_a_table(u64 *context)
{
	KEEP_LOOP
	for (u32 i = 0; i < 4; i++) {
		if (table[i])
			return read_nope();
	}
	return 0;
}

PROGRAM one_of_two(u64 *context)
{
	const volatile u32 *chosen = context[0] ? &first : &second;

	HIDE(chosen);
	return *chosen ? read_nope() : 0;
}

PROGRAM out_of_a_loop(u64 *context)
{
	KEEP_LOOP
	for (u32 i = 0; i < 8; i++) {
		if (get_random() == 3)
			return 1;
		if (flag)
			return read_nope();
	}
	return 0;
}

static int call_back(u32 i, void *unused)
{
	return read_nope();
}

PROGRAM not_called_back(u64 *context)
{
	loop(flag, call_back, 0, 0);
	return 0;
}

PROGRAM address(u64 *context)
{
	return (u64)&vfs_read > 4096 ? read_nope() : 0;
}

struct path {
	u64 dentry, mnt;	/* the kernel has them the other way round */
} CORE;

PROGRAM other_offset(u64 *context)
{
	struct path path, *pointer = &path;

	((volatile u64 *)&path)[0] = 0;
	((volatile u64 *)&path)[1] = 1;
	HIDE(pointer);
	return pointer->dentry ? read_nope() : 0;
}
