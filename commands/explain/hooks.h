/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What else sees the function or what it does: tracepoints, LSM hooks, iterators, callees. */
#ifndef BTFENC_COMMANDS_EXPLAIN_HOOKS_H
#define BTFENC_COMMANDS_EXPLAIN_HOOKS_H

#include "commands/explain/explanation.h"

/* Something else that sees the function's calls, or what it does: commands/explain/hooks.c. */
enum hook_kind {
	HOOK_TRACEPOINT,	/* its code calls the tracepoint */
	HOOK_SYSTEM_CALL,	/* it is the entry of the system call */
	HOOK_LSM,		/* it calls the LSM hook, which BPF programs attach to; or is it */
	HOOK_ITERATOR,		/* programs that iterate attach to it */
	HOOK_CALLEE,		/* it is inlined everywhere, and that calls the function */
	HOOK_KINDS,
};

extern const char *const hook_kinds[HOOK_KINDS];	/* "system-call" */

struct hook {
	uint8_t kind;			/* enum hook_kind */
	char *name;			/* "block_io_start", "sys_enter_openat", "file_open" */
	size_t points;			/* of a tracepoint and a callee: at how many of the
					   explanation's hook_points */
	struct tracepoint *tracepoint;	/* of a tracepoint or system call */
	uint32_t prototype;		/* of a LSM hook or a callee; 0: not known */
	struct answer taken;		/* are programs? `why` is to be freed, and of UNKNOWN begins
					   with ", unless "; NULL: there is nothing to say */
	enum attach_answer sleepable;	/* or sleepable ones, lsm.s */
	uint32_t callers;		/* of a callee: places in the code; 0: not known */
	struct probe_point callee;
};

/* After instances and sites: fills the hooks. */
void hooks_find(struct explanation *explanation);
void hooks_release(struct explanation *explanation);

/* May programs set the function's result, by what register_btf_fmodret_id_set() gets? */
enum attach_answer hooks_modifiable(const struct explanation *explanation, const char *function);

/* Are they more useful than the function's own? */
bool hooks_come_first(const struct explanation *explanation);

/* Is the function one of a LSM hook or iterator, bpf_lsm_NAME() or bpf_iter_NAME()? */
bool hooks_are_own(const struct explanation *explanation);

/* And that is what was asked about. */
bool hooks_are_asked(const struct explanation *explanation);

#endif
