/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Base types and what qualifies them: the three chars, bool, every integer width, 128 bits,
 * chains of const, volatile and restrict in several orders, typedef chains, pointers to pointers
 * of all mixtures, and vectors (only ever in memory: kernel flags forbid the registers).
 */
#include "kernel.h"

typedef u64 stage1_t;
typedef stage1_t stage2_t;
typedef const stage2_t stage3_t;
typedef volatile stage3_t *stage4_t;

typedef int v4si __attribute__((vector_size(16)));
typedef short v8hi __attribute__((vector_size(16)));

struct scalars {
	char c;
	signed char sc;
	unsigned char uc;
	_Bool flag;
	short s;
	unsigned short us;
	long l;
	unsigned long ul;
	long long ll;
	unsigned long long ull;
#ifdef __SIZEOF_INT128__
	__int128 wide;
	unsigned __int128 uwide;
#endif
	stage4_t staged;
};

struct vectors {
	v4si four;
	v8hi eight[2];
};

struct qualified {
	const int ci;
	volatile int vi;
	const volatile int cvi;
	const char *to_const;
	char *const const_to;
	const char *const const_to_const;
	char *const *volatile volatile_to_const_to;
	const volatile void *anything;
	const struct list_head *const *const *deep;
	void *const volatile *restrict chain;
};

__visible struct scalars scalars_global;
__visible struct vectors vectors_global;
__visible const volatile u32 jiffies_const = 3;
__visible void *anything_global;

__visible long scalar_mix(char c, signed char sc, unsigned char uc, _Bool flag, short s, long l)
{
	return flag ? c + sc + uc : s + l;
}

__visible u64 qualifier_mix(const struct qualified *const q, char *restrict to,
			    const char *restrict from, const volatile u64 *const *reg)
{
	*to = *from;
	return **reg + (u64)q->cvi;
}

#ifdef __SIZEOF_INT128__
/* Takes two register pairs, one of them after an odd number of registers. */
__visible __int128 wide_add(int first, __int128 a, unsigned __int128 *b)
{
	return a + (__int128)*b + first;
}
#endif
