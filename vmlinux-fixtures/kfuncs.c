/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * kfuncs and their sets in .BTF_ids: a set of kfuncs with flags, a set8 that is not of kfuncs
 * (its functions must get no tag), a list of ids, a function that looks like a kfunc but is in no
 * set, and pointers into an arena.
 */
#include "btf_ids.h"
#include "kernel.h"

struct fixture_task {
	atomic_t refs;
	int pid;
	struct fixture_task *parent;
};

__bpf_kfunc struct fixture_task *bpf_fixture_acquire(struct fixture_task *task);
__bpf_kfunc void bpf_fixture_release(struct fixture_task *task);
__bpf_kfunc int bpf_fixture_sum(int a, u64 b, const char *name__str);
__bpf_kfunc u32 bpf_fixture_cpu(void);
__bpf_kfunc int bpf_fixture_unlisted(int a);
__bpf_kfunc void *bpf_fixture_arena_alloc(void *map, void *address, u32 pages);
__bpf_kfunc void bpf_fixture_arena_free(struct fixture_task __rcu *task, u32 pages);

__bpf_kfunc struct fixture_task *bpf_fixture_acquire(struct fixture_task *task)
{
	task->refs.counter++;
	return task->pid ? task : NULL;
}

__bpf_kfunc void bpf_fixture_release(struct fixture_task *task)
{
	task->refs.counter--;
}

__bpf_kfunc int bpf_fixture_sum(int a, u64 b, const char *name__str)
{
	return a + (int)(b >> 32 | b) + name__str[0];
}

__bpf_kfunc u32 bpf_fixture_cpu(void)
{
	barrier();
	return 1;
}

__bpf_kfunc int bpf_fixture_unlisted(int a)
{
	barrier();
	return a;
}

__bpf_kfunc void *bpf_fixture_arena_alloc(void *map, void *address, u32 pages)
{
	barrier();
	return map && pages ? address : NULL;
}

__bpf_kfunc void bpf_fixture_arena_free(struct fixture_task __rcu *task, u32 pages)
{
	task->pid = (int)pages;
}

__visible noinline int fixture_hook(struct fixture_task *task, int mode)
{
	barrier();
	return task->pid & mode;
}

BTF_KFUNCS_START(fixture_kfuncs);
BTF_ID_FLAGS(func, bpf_fixture_acquire, KF_ACQUIRE | KF_RET_NULL);
BTF_ID_FLAGS(func, bpf_fixture_release, KF_RELEASE);
BTF_ID_FLAGS(func, bpf_fixture_sum, KF_TRUSTED_ARGS);
BTF_ID_FLAGS(func, bpf_fixture_cpu, KF_FASTCALL);
BTF_ID_FLAGS(func, bpf_fixture_arena_alloc, KF_ARENA_RET | KF_ARENA_ARG2);
BTF_ID_FLAGS(func, bpf_fixture_arena_free, KF_ARENA_ARG1);
BTF_KFUNCS_END(fixture_kfuncs);

BTF_SET8_START(fixture_hooks);
BTF_ID_FLAGS(func, fixture_hook, 0);
BTF_SET8_END(fixture_hooks);

BTF_ID_LIST(fixture_ids);
BTF_ID(struct, fixture_task);
BTF_ID(func, fixture_hook);

static const struct btf_kfunc_id_set fixture_kfunc_set = {
	.set = &fixture_kfuncs,
};

__visible int kfuncs_register(void)
{
	const struct btf_kfunc_id_set *set = hide_pointer(&fixture_kfunc_set);

	return (int)(set->set->cnt + fixture_hooks.cnt + fixture_ids[0]);
}
