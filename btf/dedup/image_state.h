/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What the two halves of the image builder share: image.c says which records there are, in which
 * order, with which ids; image_write.c writes them. Nobody else includes this.
 */
#ifndef BTFENC_BTF_DEDUP_IMAGE_STATE_H
#define BTFENC_BTF_DEDUP_IMAGE_STATE_H

#include "btf/dedup/distill.h"
#include "btf/dedup/image.h"

/* Where something is written: what both need stands in the image. */
enum part {
	PART_NONE,
	PART_EXTRA,
	PART_MAIN,
};

/* A record to be written: a shape, or a forward declaration of a tag. */
struct record {
	uint64_t birth;
	shape_ref what;
	struct pool_id name;
};

struct builder {
	const struct shape_table *table;
	const struct string_pool *pool;
	const struct btf_image_options *options;
	struct btf_base_match match;	/* ids in options->base; NULL arrays without one */
	struct btf_distilled distilled;
	uint8_t *wanted;		/* by shape: enum part */
	uint8_t *wanted_tags;		/* by tag without definition, the same */
	struct record *records;		/* until they are sorted: by shape, filled from its end */
	size_t record_count;
	size_t main_count;		/* of these in the image, the first ones once sorted */
	uint32_t *shape_ids;
	uint32_t *tag_ids;		/* before: where in `records` its forward stands */
	uint32_t *string_offsets;	/* pool id -> offset + 1; 0: not used yet */
	ARRAY_OF(uint32_t) strings;	/* pool ids in the order of their offsets */
	uint64_t first_string;		/* offset of the first of them */
	uint64_t end_string;
};

static inline enum btf_kind forward_kind(const struct tag *tag)
{
	return tag->kind == BTF_ENUM ? BTF_ENUM : BTF_FWD;
}

/*
 * Writes the image and, if there is one, the extra image: ids are final. False: a limit of the
 * format is exceeded.
 */
bool btf_image_write(struct builder *b, struct btf_image *image, struct error *err);

#endif
