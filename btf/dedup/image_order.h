/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The order of records for long chains of references. The kernel goes through the ids and follows,
 * from each, at most 32 references that it has not followed before: a chain of 100 typedefs passes
 * only if their targets come first. Nothing else needs that, and the order of names, in which the
 * kernel searches faster, is lost.
 */
#ifndef BTFENC_BTF_DEDUP_IMAGE_ORDER_H
#define BTFENC_BTF_DEDUP_IMAGE_ORDER_H

#include "btf/dedup/node_table.h"

/*
 * Permutes the records, whose ids ascend from first_id: each comes after what the kernel follows
 * from it, but for cycles. Ids by node and tag; those below first_id are in a base. Linear.
 */
void put_targets_first(struct node_ref *records, size_t count, uint32_t first_id,
		       const struct node_table *table, const uint32_t *node_ids,
		       const uint32_t *tag_ids);

#endif
