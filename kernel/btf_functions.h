/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The functions of a BTF and its parts, .BTF.inline and .BTF.extra, with counts of their sites. */
#ifndef BTFENC_KERNEL_BTF_FUNCTIONS_H
#define BTFENC_KERNEL_BTF_FUNCTIONS_H

#include "base/memory.h"
#include "btf/reader.h"

/* Counts of the inline sites of a name. */
struct function_sites {
	uint32_t count;
	uint32_t parameters;
	uint32_t locations;		/* how many of these have one */
};

/* A FUNC. */
struct btf_function {
	const char *symbol;		/* its name; not "" */
	uint32_t id;
	uint32_t prototype;		/* id, 0: none */
	uint32_t entry_prototype;	/* of an entry in a DATASEC of functions; 0: none */
	struct function_sites sites;	/* of LOCSECs: they are inline sites for certain */
	uint32_t entries;		/* in DATASECs of functions: instances and inline sites */
	struct function_sites located;	/* of these: with a LOC, as inline sites have */
	bool is_global;
	bool is_kfunc;
	bool is_part;			/* it is not in .BTF */
	bool is_extra;			/* it is in .BTF.extra */
};

struct btf_functions {
	const struct btf_reader *btf;	/* the highest: it finds all ids */
	ARRAY_OF(struct btf_function) items;	/* by id; to be released */
	bool has_sites;			/* there is a LOCSEC */
	bool has_entries;		/* there is a DATASEC of functions */
	bool has_inline_entries;	/* in which there are inline sites */
};

/*
 * Not those of the base: a module's functions are its own. `parts` are on top of the BTF and each
 * other, and nothing of it is damaged. All is borrowed.
 */
void btf_functions_read(struct btf_functions *functions, const struct btf_reader *btf,
			const struct btf_reader *parts, uint32_t part_count);

/* Has a FUNC of that name, in BTF or its bases, the tag bpf_kfunc? `btf` may be NULL. */
bool btf_has_kfunc_tag(const struct btf_reader *btf, const char *function);

#endif
