/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Programs that need something of each kind; kernel.c has it, or its newer release. */
#define SEC(name) __attribute__((section(name), used))
#define CORE __attribute__((preserve_access_index))
#define exists(field) __builtin_preserve_field_info(field, 2)
#define HELPER(type, id) ((type (*)())(id))

typedef unsigned long long u64;

struct file {
	int f_mode;
	long f_pos;
} CORE;

struct task_struct {
	unsigned int __state;
	struct file *file;
	int pid;
} CORE;

struct task_struct___old {
	long state;
} CORE;

enum bpf_func_id___new { BPF_FUNC_loop___new = 181 };

extern int bpf_always(int value) __attribute__((section(".ksyms")));
extern int bpf_new(int value) __attribute__((section(".ksyms"), weak));

volatile const int wanted = 0;

struct {
	int (*type)[1];
	int (*key)[4], (*value)[4];
} counts SEC(".maps");

static struct task_struct *current(void)
{
	return (struct task_struct *)HELPER(u64, 35)();
}

/* Fields of either release, each guarded. */
SEC("fentry/read_file") int guarded(u64 *context)
{
	struct task_struct *task = (struct task_struct *)context[0];
	struct task_struct___old *old = (struct task_struct___old *)context[0];

	if (exists(task->__state))
		return (int)task->__state;
	return exists(old->state) ? (int)old->state : 0;
}

/* Its arguments change places. */
SEC("fentry/write_file") int by_position(u64 *context)
{
	return ((struct file *)context[0])->f_mode;
}

SEC("kprobe/write_file") int by_register(unsigned long *context)
{
	return ((struct file *)context[14])->f_mode;
}

SEC("tp_btf/file_end") int of_tracepoint(u64 *context)
{
	return ((struct file *)context[0])->f_mode;
}

/* This reads another argument. */
SEC("fexit/write_file") int of_result(u64 *context)
{
	return (int)context[2];
}

/* A clone of it is called. */
SEC("fentry/scale") int cloned(u64 *context)
{
	return (int)context[0];
}

/* Inlined in the newer one. */
SEC("fentry/close_file") int inlined(u64 *context)
{
	return (int)context[0];
}

/* Only in the newer one. */
SEC("kprobe/tell") int unguarded(void *context)
{
	return (int)current()->file->f_pos;
}

/* The loader decides. */
SEC("kprobe/tell") int decided(void *context)
{
	return wanted ? (int)current()->file->f_pos : 0;
}

SEC("kprobe.multi/t*l") int multi(void *context)
{
	return 0;
}

SEC("xdp") int helper(void *context)
{
	if (__builtin_preserve_enum_value(*(enum bpf_func_id___new *)BPF_FUNC_loop___new, 0))
		return HELPER(int, 181)(1);
	return bpf_always(2);
}

SEC("?xdp") int calls(void *context)
{
	return bpf_new ? bpf_new(1) : HELPER(int, 181)(1);
}

SEC("fentry") int no_target(u64 *context)
{
	return 0;
}

struct queue_ops {
	int (*push)(int value);
	int (*pop)(void);
};

SEC("struct_ops/push") int on_push(u64 *context)
{
	return 0;
}

SEC("struct_ops/pop") int on_pop(u64 *context)
{
	return 0;
}

SEC(".struct_ops") struct queue_ops queue = { .push = (void *)on_push, .pop = (void *)on_pop };

char license_text[] SEC("license") = "GPL";
