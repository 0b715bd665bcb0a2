/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

#define NOTHING(name, section) SEC(section) int name(void *context) { return 0; }

NOTHING(several, "kprobe.multi/rcu_nmi_*")
NOTHING(one, "kprobe.multi/vfs_read")
NOTHING(no_trace, "kprobe.multi/rcu_nmi_enter")
NOTHING(fentry_pattern, "fentry/vfs_*")
NOTHING(kprobe_pattern, "kprobe/vfs_*")
NOTHING(tracepoint_pattern, "raw_tp/sched_*")
NOTHING(other_group, "tp/irq/sched_switch")
NOTHING(system_call, "ksyscall/read")
