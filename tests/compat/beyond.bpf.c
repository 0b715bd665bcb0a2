/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What only one of the two kernels has by its number or type. */
#define SEC(name) __attribute__((section(name), used))

typedef unsigned long long u64;

/* The newer one has two arguments. */
SEC("tp_btf/file_end") int second(u64 *context)
{
	return (int)context[1];
}

SEC("kretprobe/do_exit") int returned(void *context)
{
	return 0;
}

SEC("kprobe/read_file+4") int inside(void *context)
{
	return 0;
}

SEC("kretprobe/read_file+4") int returned_inside(void *context)
{
	return 0;
}

SEC("raw_tp/sys_enter_thing") int of_system_call(u64 *context)
{
	return 0;
}

SEC("ksyscall/lost") int of_lost_call(void *context)
{
	return 0;
}

SEC("tp/files/file_end") int behind_event(u64 *context)
{
	return (int)context[1];
}

SEC("tp/syscalls/sys_exit_thing") int behind_call(u64 *context)
{
	return (int)context[3];
}

SEC("tracepoint/syscalls/sys_exit_thing") int before_event(u64 *context)
{
	return (int)context[0];
}

SEC("tp/syscalls/sys_enter_thing") int in_call(u64 *context)
{
	return (int)context[1];
}

SEC("kprobe/tell") int behind_registers(u64 *context)
{
	return (int)context[30];
}

SEC("kprobe/read_file") int in_registers(u64 *context)
{
	return (int)context[15];
}

SEC("uprobe") int behind_others_registers(u64 *context)
{
	return (int)context[30];
}

SEC("raw_tp/file_end") int behind_all(u64 *context)
{
	return (int)context[12];
}

SEC("raw_tp.w/file_end") int writes(u64 *context)
{
	return *(volatile int *)context[0];
}

SEC("raw_tracepoint.w/file_end") int writes_not(void *context)
{
	return 0;
}

struct queue_ops {
	int (*push)(int value);
};

SEC("struct_ops/push") int on_push(u64 *context)
{
	return (int)context[0];
}

SEC(".struct_ops") struct queue_ops queue = { .push = (void *)on_push };

char license_text[] SEC("license") = "GPL";
