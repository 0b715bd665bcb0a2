/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Kernel functions callable from BPF programs, as the kernel's .BTF_ids section lists them.
 *
 * include/linux/btf_ids.h: a BTF_SET8 is a symbol __BTF_ID__set8__NAME on { u32 count; u32 flags;
 * { u32 id; u32 flags; } pairs[]; }, each pair under a symbol __BTF_ID__func__FUNCTION__UNIQUE.
 * The set's flags say whether it holds kfuncs; kernels before 6.9 do not say so, and get no tags.
 * Some sets are of functions whose result programs may modify (fmod_ret); nothing calls these, and
 * some of the sets have the flag nevertheless. Which set is registered for what is in code, so the
 * name has to do: they are called bpf_mptcp_fmodret_ids, bpf_test_modify_return_ids and the like.
 */
#ifndef BTFENC_ENCODER_KFUNCS_H
#define BTFENC_ENCODER_KFUNCS_H

#include "btf/reader.h"
#include "elf/object.h"
#include "kallsyms/symbol_table.h"

struct kfunc {
	char *name;
	uint32_t flags;		/* KF_* of include/linux/btf.h, and the id, of the pair at its */
	uint32_t id;		/* symbol, until kfuncs_find_flags() */
	bool has_flags;		/* then: these are its own */
	const char *set;	/* "bpf_rstat_kfunc_ids", of the symbols */
	uint64_t set_address;
	bool is_tagged;		/* its set says that it holds kfuncs */
	bool is_callable;	/* the set is one of kfuncs, by what it says and its name */
	bool is_repeated;	/* one before it has the same name */
	bool is_lost;		/* no FUNC has its name: program_add_functions() */
};

#define KFUNC_FASTCALL	 (1u << 12)	/* KF_FASTCALL */
#define KFUNC_ARENA_RET	 (1u << 13)	/* KF_ARENA_RET: the result points into an arena */
#define KFUNC_ARENA_ARG1 (1u << 14)	/* KF_ARENA_ARG1: so does the first parameter */
#define KFUNC_ARENA_ARG2 (1u << 15)	/* KF_ARENA_ARG2: and the second */

/* A call of register_btf_kfunc_id_set(), by its call site in DWARF. */
struct kfunc_registration {
	uint64_t set;		/* address of the struct btf_kfunc_id_set; 0: not known */
	uint64_t program_type;	/* enum bpf_prog_type */
};

struct kfunc_list {
	ARRAY_OF(struct kfunc) kfuncs;	/* in the order of their addresses; names may repeat */
	bool may_have_ids;	/* resolve_btfids has filled them in: they are 0 until then */
};

/* A file without .BTF_ids gives an empty list. */
bool kfuncs_read(struct kfunc_list *list, const struct object *object,
		 const struct symbol_table *symbols, struct error *err);
void kfuncs_release(struct kfunc_list *list);

/*
 * Flags go with the ids, and resolve_btfids has sorted these: with `btf`, to which they belong,
 * they come to their functions. Where it is NULL, or another BTF, which gives the set other names
 * than its symbols do, they are 0 and not known. (By symbols __bpf_trap was bpf_fastcall in 7.2.)
 */
void kfuncs_find_flags(struct kfunc_list *list, const struct btf_reader *btf);

/* By the symbol of a set: are its functions for fmod_ret? */
bool kfuncs_are_for_fmod_ret(const char *set);

#endif
