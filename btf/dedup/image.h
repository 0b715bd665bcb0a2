/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From resolved nodes to the bytes of a BTF section: which nodes are written, in which order,
 * with which ids and string offsets.
 *
 * Order: types without a name first, in the order in which the DWARF first has them; then those
 * with a name, by strcmp, kind and first occurrence. libbpf and recent kernels search the named
 * part by bisection. Strings are unique and in the order of their first use; none is the tail of
 * another's bytes, which some readers cannot stand.
 *
 * A split BTF holds what its base does not have (btf/dedup/base.h); ids and string offsets go on
 * after the base's, and strings of the base are used where they are.
 *
 * With the image there may be others, its parts, each split from the one before (docs/format.md):
 * the roots that were added last, and what only they need.
 */
#ifndef BTFENC_BTF_DEDUP_IMAGE_H
#define BTFENC_BTF_DEDUP_IMAGE_H

#include "base/error.h"
#include "btf/dedup/base.h"
#include "btf/dedup/node_table.h"

struct btf_image {
	uint8_t *data;
	size_t size;
	uint8_t *base_data;	/* the distilled base that it is split from, or NULL */
	size_t base_size;
	struct btf_image_part {
		uint8_t *data;	/* NULL: there is none */
		size_t size;
	} parts[BTF_PART_COUNT];	/* what is split from the image itself */
	uint32_t end_strings[BTF_PART_COUNT];	/* offset where the strings below a part end */
	uint32_t first_id;	/* 1, or after the base's */
	uint32_t all_types;	/* with those of the parts */
	uint32_t type_count;	/* from here on: without them */
	uint32_t type_bytes;
	uint32_t string_bytes;
	uint32_t kind_counts[BTF_KIND_COUNT];
	struct node_ref *nodes;	/* by id - first_id: what the type was, in the table */
};

struct btf_image_options {
	bool swap;			/* the target's byte order is not the host's */
	bool layout;			/* with a layout section, unless it is split */
	const struct btf_base *base;	/* what it leaves to a base; NULL: it is not split */
	bool distill;			/* the base is not `base` but a distilled copy of it */
	/* Roots from this node on, up to the next part's, make the part; 0: it is not wanted. */
	uint32_t part_from[BTF_PART_COUNT];
	bool targets_first;		/* ids are in an order for long chains of references */
};

/*
 * Writes all roots of the table and what they refer to. The table must be resolved: a tag without
 * a definition becomes a FWD (an empty ENUM for an enum). Fails when a limit of the format is
 * exceeded.
 */
bool btf_image_build(struct btf_image *image, const struct node_table *table,
		     const struct string_pool *pool, const struct btf_image_options *options,
		     struct error *err);
void btf_image_release(struct btf_image *image);

/* ---- image_order.c ---- */

/*
 * The order of records for long chains of references. The kernel goes through the ids and follows,
 * from each, at most 32 references that it has not followed before: a chain of 100 typedefs passes
 * only if their targets come first. Nothing else needs that, and the order of names, in which the
 * kernel searches faster, is lost.
 *
 * Permutes the records, whose ids ascend from first_id: each comes after what the kernel follows
 * from it, but for cycles. Ids by node and tag; those below first_id are in a base. Linear.
 */
void put_targets_first(struct node_ref *records, size_t count, uint32_t first_id,
		       const struct node_table *table, const uint32_t *node_ids,
		       const uint32_t *tag_ids);

#endif
