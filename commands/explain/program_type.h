/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Programs that were asked for by their kind, "fmod_ret.s": does the kernel take them? */
#ifndef BTFENC_COMMANDS_EXPLAIN_PROGRAM_TYPE_H
#define BTFENC_COMMANDS_EXPLAIN_PROGRAM_TYPE_H

#include "commands/explain/explanation.h"

/*
 * The head of a BPF program in C on `section`, fentry or lsm and the like:
 * `int BPF_PROG(on_vfs_read, struct file *file)`. True: the last parameter is the function's
 * result, or what the programs before have returned.
 */
bool explain_add_signature(struct text *out, const struct explanation *explanation,
			   const char *section, const char *name, uint32_t prototype);

/*
 * Is the program taken that was asked for, though others are? The first answer that is NO, or else
 * the first that is not YES. Of an LSM hook or iterator the point has nothing.
 */
struct asked_answer {
	struct answer answer;
	bool by_trampoline, by_hook;	/* it is that of fentry, or of the hook at the entry */
	bool never_returns;		/* or of a program that runs when the function returns */
};

/* Does the kernel load programs of the type at all? */
struct answer explain_kernel_takes(const struct explanation *explanation);

struct asked_answer explain_takes_asked(const struct explanation *explanation,
					const struct probe_point *point);

/* Is there a hook at the entry? `is_single`: for a program that is attached to one function. */
struct answer explain_has_hook(const struct probe_point *point, bool is_single);

/*
 * Is fmod_ret taken? By the kernel's check_attach_modify_return() and, of programs that read the
 * result, btf_ctx_access().
 */
struct answer explain_takes_change(const struct explanation *explanation, const char *name,
				   const struct probe_point *point, uint32_t prototype);

/*
 * The section that was asked for by its name, "fentry.s", if the lines do not have it anyway, and
 * the kernel is known to take such programs at the point, or at the LSM hook or iterator that was
 * asked for; else NULL.
 */
const char *advise_section(const struct explanation *explanation, const struct probe_point *point);

#endif
