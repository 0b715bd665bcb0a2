/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Programs that attach to what kernel.c has, or not. */
#define PROGRAM(name, target)                                                                      \
	__attribute__((section(target), used)) int name(void *context) { return 0; }

PROGRAM(many, "kprobe.multi/read_*")
PROGRAM(many_or_no_hook, "kprobe.multi/*_file")
PROGRAM(none_has_a_hook, "kprobe.multi/unhooked_*")
PROGRAM(no_match, "kprobe.multi/nothing_*")
PROGRAM(by_session, "kprobe.session/read_*")
PROGRAM(one_by_many, "kprobe.multi/read_file")
PROGRAM(all_have_hooks, "fentry.multi/write_*")
PROGRAM(one_has_none, "fentry.multi/*_file")
PROGRAM(no_entry_matches, "fentry.multi/nothing_*")
PROGRAM(entry_pattern, "fentry/read_*")
PROGRAM(probe_pattern, "kprobe/read_*")
PROGRAM(raw_pattern, "raw_tp/file_*")
PROGRAM(event, "tp/files/file_end")
PROGRAM(other_group, "tp/sched/file_end")
PROGRAM(no_group, "tp/file_end")
PROGRAM(call, "ksyscall/thing")
PROGRAM(call_end, "kretsyscall/thing")
PROGRAM(call_event, "tp/syscalls/sys_enter_thing")
PROGRAM(hook, "lsm/file_open")
PROGRAM(change, "fmod_ret/security_file_open")
PROGRAM(own, "fentry/vmlinux:read_file")
PROGRAM(of_module, "fentry/some_module:read_file")
