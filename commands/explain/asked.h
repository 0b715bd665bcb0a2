/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A name as tracers write it: "fentry/vfs_read", "kprobe:ext4:ext4_sync_file",
 * "sched:sched_switch", "lsm/file_open", "kprobe/vfs_read+4". The words before the name say what
 * kind of hook is meant.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_ASKED_H
#define BTFENC_COMMANDS_EXPLAIN_ASKED_H

#include <stdbool.h>
#include <stdint.h>

enum asked_kind {
	ASKED_ANY,		/* a lone name */
	ASKED_FUNCTION,		/* fentry, kprobe and the like */
	ASKED_TRACEPOINT,	/* tp_btf, raw_tp, tracepoint */
	ASKED_SYSTEM_CALL,	/* ksyscall, syscalls */
	ASKED_LSM,
	ASKED_ITERATOR,
	ASKED_EVENT,		/* WORD:NAME: of a folder of events, or a function of a module */
};

/* What a function needs for the program that was asked for. */
#define ASKED_PROBE  1		/* a kprobe at it */
#define ASKED_RETURN 2		/* that it returns, */
#define ASKED_CHANGE 4		/* a result that programs may set */
#define ASKED_TRACE_EVENT 16	/* or a tracepoint: that tracefs has it */
/* Of a section: the folder is a module, of a tracepoint, too; and it is for many functions. */
#define ASKED_IN_MODULE 32
#define ASKED_MANY 64

struct asked {
	enum asked_kind kind;
	char *folder;		/* the module, or the events' folder; NULL: none is given */
	/*
	 * To look for: of a system call the event, "sys_enter_openat"; of LSM and iterators the
	 * function that BPF programs attach to, "bpf_lsm_file_open", "bpf_iter_task".
	 */
	char *name;
	char *word;		/* in front, "fmod_ret.s"; NULL: none that is known */
	uint8_t needs;		/* bits ASKED_PROBE to ASKED_MANY */
};

/*
 * The name in a line of a stack trace, "vfs_read+0x4/0x80 [module]", or of a call, "vfs_read()",
 * of "struct sock *", or the type of "current", with a warning; else the text. To be freed.
 */
char *asked_plain(const char *text);

/* False: that word is not about the kernel's functions ("uprobe"). Release it in any case. */
bool asked_parse(struct asked *asked, const char *text);
void asked_release(struct asked *asked);

/*
 * As libbpf reads SEC("fentry/vfs_read"), which is not as lenient: of a section that takes a
 * target. ASKED_ANY: it has none, or none of the kernel's. A name may be "". Release it, too.
 */
void asked_of_section(struct asked *asked, const char *section);

/* Is it a name with words before it, and not a type, as "struct_ops/tcp_congestion_ops" is? */
bool asked_is_hook(const char *text);

#endif
