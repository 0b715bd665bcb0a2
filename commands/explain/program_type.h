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
 * Why the program that was asked for is refused, though others are taken; NULL: it is not. The
 * first reason that is certain, or else the first, with MAYBE in front. Of an LSM hook or iterator
 * the point has nothing.
 */
const char *explain_why_not_asked(const struct explanation *explanation,
				  const struct probe_point *point);

/*
 * The same, because there is no hook at the entry; NULL: there may be one. `is_single`: of a
 * program that is attached to one function.
 */
const char *explain_no_hook(const struct probe_point *point, bool is_single);

/*
 * Why fmod_ret is refused: the kernel's check_attach_modify_return() and, of programs that read the
 * result, btf_ctx_access(). NULL: it is taken.
 */
const char *explain_why_no_change(const struct explanation *explanation, const char *name,
				  const struct probe_point *point, uint32_t prototype);

/*
 * The section that was asked for by its name, "fentry.s", if the lines do not have it anyway, and
 * the kernel is known to take such programs at the point, or at the LSM hook or iterator that was
 * asked for; else NULL.
 */
const char *advise_section(const struct explanation *explanation, const struct probe_point *point);

#endif
