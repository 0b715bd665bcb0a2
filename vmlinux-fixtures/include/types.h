/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The types that every unit shares: fixed-width integers through two levels of typedef, as in the
 * kernel, and lists, which refer to themselves. Deduplication must bring them down to one copy.
 */
#ifndef FIXTURE_TYPES_H
#define FIXTURE_TYPES_H

#include "compiler.h"

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;

typedef __s8 s8;
typedef __u8 u8;
typedef __s16 s16;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;

typedef _Bool bool;
typedef unsigned long size_t;
typedef u32 gfp_t;

enum { false, true };

#define NULL ((void *)0)

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

/* A typedef of an anonymous struct: it has no other name. */
typedef struct {
	int counter;
} atomic_t;

typedef struct spinlock {
	atomic_t owner;
#ifdef DEBUG_SPINLOCK
	const char *name;
#endif
} spinlock_t;

/* Without lock debugging this is empty, here and in the kernel. */
struct lock_class_key {
};

#define offsetof(type, member)	__builtin_offsetof(type, member)
#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif
