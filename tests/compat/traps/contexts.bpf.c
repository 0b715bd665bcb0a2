/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Programs that read what is in their contexts, and what is not. */
#include "traps.h"

#define READS(name, section, word)                                                                 \
	SEC(section) int name(u64 *context) { return context[word] != 0; }

READS(last_register, "kprobe/vfs_read", 20)
READS(no_register, "kprobe/vfs_write", 21)
READS(no_register_of_others, "uprobe", 21)
READS(no_perf_event, "perf_event", 40)
READS(last_field, "tp/sched/sched_switch", 7)
READS(no_field, "tracepoint/sched/sched_switch", 8)
READS(before_fields, "tp/sched/sched_wakeup", 0)
READS(last_argument, "tp/syscalls/sys_enter_close", 2)
READS(no_argument, "tracepoint/syscalls/sys_enter_close", 3)
READS(no_argument_at_all, "tp/syscalls/sys_enter_getpid", 2)
READS(call_result, "tp/syscalls/sys_exit_close", 2)
READS(no_call_result, "tracepoint/syscalls/sys_exit_close", 3)
READS(no_raw_argument, "raw_tp/sched_switch", 11)
READS(no_raw_argument_ever, "raw_tp/sched_wakeup", 12)
READS(writable_number, "raw_tp.w/sched_switch", 1)
SEC("raw_tp.w/sched_wakeup") int not_writable(u64 *context)
{
	return *(volatile char *)context[0];
}
