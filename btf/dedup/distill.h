/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A distilled base (.BTF.base): as much of a base BTF as it takes to find the same types in the
 * base of another kernel build, by name, kind and size.
 *
 * It has INT, FLOAT and FWD as they are, STRUCT and UNION without their members, ENUM and ENUM64 as
 * an ENUM of that size without values; all with names, in the order of their ids in the base. The
 * format is libbpf's (btf__distill_base()), which the kernel fits to its own BTF when a module is
 * loaded.
 */
#ifndef BTFENC_BTF_DEDUP_DISTILL_H
#define BTFENC_BTF_DEDUP_DISTILL_H

#include "btf/dedup/base.h"

struct btf_distilled {
	uint32_t *ids;			/* by id in the base; 0: not there */
	uint32_t *offset_of_name;	/* by id in base->names; 0: not there */
	uint32_t type_count;
	uint32_t string_bytes;
	uint8_t *data;			/* the BTF, of this size */
	size_t size;
};

/*
 * Makes one of the types of `base` for which wanted[id] is set; each of them has a name and is of a
 * kind that btf_base_has_chain().
 */
void btf_distill(struct btf_distilled *out, const struct btf_base *base, const bool *wanted,
		 bool swap);
void btf_distilled_release(struct btf_distilled *distilled);

#endif
