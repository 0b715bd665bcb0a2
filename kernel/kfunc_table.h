/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The kfuncs of a kernel or module, as far as its image shows them: which sets a function is in,
 * its flags there (include/linux/btf.h), and the types of programs that the set is registered for.
 * These are in code alone, register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &set), where DWARF tells
 * the values of a call. BTF alone has a tag on kfuncs, and nothing else of them.
 */
#ifndef BTFENC_KERNEL_KFUNC_TABLE_H
#define BTFENC_KERNEL_KFUNC_TABLE_H

#include "encoder/result.h"
#include "kernel/attach/attach.h"
#include "kernel/type_source.h"

/* A function in a set. */
struct kfunc_row {
	const char *name;
	const char *set;	/* "tcp_cubic_check_kfunc_ids" */
	uint64_t set_address;
	uint64_t program_types;	/* a bit for each of enum bpf_prog_type; 0: not known. Bit 0,
				   BPF_PROG_TYPE_UNSPEC, is for programs of all types */
	bool has_filter;	/* a function of the kernel decides for each program, too */
	uint32_t flags;
	bool has_flags;		/* else these are not known */
	bool is_callable;	/* false: the set is for fmod_ret */
};

struct kfunc_table {
	ARRAY_OF(struct kfunc_row) rows;	/* by name and set */
	bool lacks_calls;	/* some register what is not known: sets may be for more types */
	struct kfunc_list list;			/* has the names */
	const struct type_source *types;
};

/*
 * Empty where the image has no .BTF_ids or no symbols. `program`: with keep_registrations for the
 * types of programs; NULL: there is none. All is borrowed.
 */
void kfunc_table_read(struct kfunc_table *table, const struct attach_image *image,
		      const struct type_source *types, const struct program *program);
void kfunc_table_release(struct kfunc_table *table);

/* The rows of a function; NULL: there are none. */
const struct kfunc_row *kfunc_table_find(const struct kfunc_table *table, const char *name,
					 size_t *count);

/* "KF_ACQUIRE"; NULL: a flag that is not known here. */
const char *kfunc_flag_name(unsigned int bit);

/* "BPF_PROG_TYPE_XDP", by the types' enum; NULL: it has none. */
const char *kfunc_program_type(const struct type_source *types, uint64_t type);

#endif
