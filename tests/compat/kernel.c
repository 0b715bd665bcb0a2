/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Two releases of a kernel that has what needs.bpf.c and attach.bpf.c need of one; NEW is the
 * second, BARE one that is built without kprobes and without fentry at many functions.
 */
enum bpf_prog_type {
	BPF_PROG_TYPE_KPROBE = 2, BPF_PROG_TYPE_XDP = 6, BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
	BPF_PROG_TYPE_TRACING = 26,
	BPF_PROG_TYPE_STRUCT_OPS = 27,
};
enum bpf_attach_type {
	BPF_TRACE_RAW_TP = 23, BPF_TRACE_FENTRY = 24, BPF_TRACE_FEXIT = 25,
#ifdef NEW
	BPF_TRACE_KPROBE_MULTI = 42, BPF_TRACE_FENTRY_MULTI = 59,
#endif
};
enum bpf_map_type { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2 };
enum bpf_func_id {
	BPF_FUNC_map_lookup_elem = 1, BPF_FUNC_ktime_get_ns = 5, BPF_FUNC_get_current_task = 35,
	BPF_FUNC_probe_read_kernel = 113,
#ifdef NEW
	BPF_FUNC_loop = 181,
#endif
	__BPF_FUNC_MAX_ID,
};

struct file {
	int f_mode;
#ifdef NEW
	long f_pos;
#endif
};

struct task_struct {
#ifdef NEW
	unsigned int __state;
#else
	long state;
#endif
	struct file *file;
	int pid;
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
};

struct queue_ops {
#ifdef NEW
	int (*push)(long value, int place);
	int (*pop)(void);
	unsigned int limit;
#else
	int (*push)(int value);
#endif
};

struct bpf_struct_ops_queue_ops {
	int common;
	struct queue_ops data;
};

#ifdef NEW
const char linux_banner[] = "Linux version 6.18.0-test (a test) #1";
#else
const char linux_banner[] = "Linux version 6.5.0-test (a test) #1";
#endif

#define KEEP __attribute__((noinline, noclone, used))

volatile int sink;
struct bpf_struct_ops_queue_ops queue;
enum bpf_prog_type prog_type;
enum bpf_attach_type attach_type;
enum bpf_map_type map_type;
enum bpf_func_id func_id;
struct pt_regs regs;

/* Tracepoints: DEFINE_TRACE() of include/linux/tracepoint.h. */
#ifdef NEW
typedef void (*btf_trace_file_end)(void *data, _Bool is_last, struct file *file);
#else
typedef void (*btf_trace_file_end)(void *data, struct file *file);
#endif
btf_trace_file_end file_end;
struct { int key; } __tracepoint_file_end, event_file_end;
struct { const char *system; } event_class_file_end = { "files" };
struct trace_event_raw_file_end { int ent; } record;
char event_enter__thing, event_exit__thing;
typedef void (*btf_trace_sys_enter)(void *data, struct pt_regs *regs, long id);
btf_trace_sys_enter sys_enter;
struct { int key; } __tracepoint_sys_enter;

/* What fentry needs of a kernel. */
__attribute__((no_instrument_function)) void __fentry__(void)
{
}

KEEP void register_ftrace_direct(void)
{
}

KEEP void arch_prepare_bpf_trampoline(void)
{
}

/* And what else. */
KEEP void rest_init(void)
{
}

#ifndef BARE
KEEP void register_kprobe(void)
{
}

KEEP void register_fprobe_ips(void)
{
}

KEEP void bpf_trampoline_multi_attach(void)
{
}

#ifdef NEW
KEEP void count_symbols(void)
{
}

KEEP void trace_call_bpf_faultable(void)
{
}
#endif
#endif

KEEP long __x64_sys_thing(const struct pt_regs *regs)
{
	return (long)regs->di;
}

long (*const sys_call_table[])(const struct pt_regs *regs) = { __x64_sys_thing };
union security_list_options { int (*file_open)(struct file *file); } options;

KEEP int bpf_lsm_file_open(struct file *file)
{
	return !file;
}

KEEP int security_file_open(struct file *file)
{
	return bpf_lsm_file_open(file) + 1;
}

/* Without a hook. */
KEEP __attribute__((no_instrument_function)) int unhooked_file(struct file *file)
{
	return file->f_mode + 2;
}

KEEP int read_file(struct file *file, long count)
{
	sink = file->f_mode;
	return (int)count;
}

#ifdef NEW
KEEP int write_file(long count, struct file *file)
#else
KEEP int write_file(struct file *file, long count)
#endif
{
	sink = file->f_mode;
	return (int)count;
}

#ifdef NEW
__attribute__((always_inline)) static inline
#else
KEEP
#endif
int close_file(struct file *file)
{
	return file->f_mode + sink;
}

KEEP void do_exit(long code)
{
	for (;;)
		sink = (int)code;
}

/* Of a system call that has no number. */
KEEP long __x64_sys_lost(struct pt_regs *registers)
{
	return (long)registers->di + sink;
}

/* namesakes.c has others of these names. */
KEEP static int twin(struct file *file)
{
	return file->f_mode + 3;
}

KEEP int shadowed(struct file *file)
{
	return twin(file) + 4;
}

KEEP int tell(struct task_struct *task)
{
	return close_file(task->file) + task->pid;
}

/* What calls it with 3 calls a clone in the newer one. */
#ifdef NEW
__attribute__((noinline))
#else
KEEP
#endif
int scale(int value, int factor)
{
	for (int i = 0; i < factor; i++)
		sink += value * i % factor;
	return sink;
}

KEEP int scale_all(int value)
{
	return scale(value, 3) + scale(value + sink, 3);
}

KEEP int bpf_always(int value)
{
	return value + sink;
}

#ifdef NEW
KEEP int bpf_new(int value)
{
	return value - sink;
}
#endif

/* prog_type and so on are used: their enums are in the DWARF. */
int main(void)
{
	return (int)prog_type + (int)attach_type + (int)map_type + (int)func_id + queue.common;
}
