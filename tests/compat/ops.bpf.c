/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A struct of operations for kernel.c, as MEMBER and so on make it. */
#define SEC(name) __attribute__((section(name), used))
typedef unsigned long long u64;

#ifndef MEMBER
#define MEMBER unsigned int limit
#endif
#ifndef SECTION
#define SECTION ".struct_ops"
#endif

struct queue_ops {
	int (*push)(long value, int place);
	int (*pop)(void);
	MEMBER;
};

SEC("struct_ops/push") int on_push(u64 *context)
{
	return 0;
}

#ifdef ALONE
SEC(ALONE) int on_pop(u64 *context)
{
	return 0;
}
#endif

SEC(SECTION) struct queue_ops queue = { .push = (void *)on_push,
#ifdef POP
	.pop = (void *)POP,
#endif
};
/* The last one counts no more than others. */
SEC(SECTION) struct queue_ops other = { .push = (void *)on_push };

char license_text[] SEC("license") = "GPL";
