/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Programs that read a field which no kernel has where a certain value is not 0: whether kernels
 * refuse them shows what their verifiers know of that value. compat_oracle.sh asks.
 */
#define SEC(name) __attribute__((section(name), used))
#define CORE __attribute__((preserve_access_index))
#define exists(field) __builtin_preserve_field_info(field, 2)
#define enumerator_exists(type, name) __builtin_preserve_enum_value(*(type *)name, 0)
#define NOINLINE __attribute__((noinline))
#define KSYM __attribute__((section(".ksyms")))
#define WEAK_KSYM __attribute__((section(".ksyms"), weak))
#define PROGRAM SEC("raw_tp/sched_switch") int
#define HIDE(value) asm volatile("" : "+r"(value))

typedef unsigned int u32;
typedef unsigned long long u64;

struct task_struct {
	int pid, nope;
} CORE;

enum bpf_func_id { BPF_FUNC_trace_printk = 6, BPF_FUNC_nope = 9999 };

static u64 (*const get_time)(void) = (void *)5;
static u64 (*const get_random)(void) = (void *)7;
static struct task_struct *(*const get_task)(void) = (void *)35;
static long (*const read_kernel)(void *, u32, const void *) = (void *)113;
static long (*const loop)(u32, void *, void *, u64) = (void *)181;

static inline __attribute__((always_inline)) int read_nope(void)
{
	int value;

	read_kernel(&value, 4, &get_task()->nope);
	return value;
}

#define HAS_NOPE exists(((struct task_struct *)context)->nope)

char license_text[] SEC("license") = "GPL";
