/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

struct bpf_key;

extern void bpf_rcu_read_lock(int, int, int) WEAK_KSYM;
extern void bpf_rcu_read_lock___plain(void) WEAK_KSYM;
extern void bpf_rcu_read_unlock(void) WEAK_KSYM;
extern void schedule(void) WEAK_KSYM;
extern struct bpf_key *bpf_lookup_user_key(u32 serial, u64 flags) WEAK_KSYM;

PROGRAM other_prototype(void *context)
{
	if (bpf_rcu_read_lock) {
		bpf_rcu_read_lock(1, 2, 3);
		bpf_rcu_read_unlock();
	}
	return 0;
}

PROGRAM flavour(void *context)
{
	if (bpf_rcu_read_lock___plain) {
		bpf_rcu_read_lock___plain();
		bpf_rcu_read_unlock();
	}
	return 0;
}

PROGRAM no_kfunc(void *context)
{
	if (schedule)
		schedule();
	return 0;
}

/* Before 6.4 programs cannot have the address of a kfunc that is there. */
PROGRAM address(void *context)
{
	return bpf_lookup_user_key ? 1 : 0;
}
