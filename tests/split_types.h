/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A base and a module on it, both from texts (tests/type_text.h), and the module's BTF. */
#ifndef BTFENC_TESTS_SPLIT_TYPES_H
#define BTFENC_TESTS_SPLIT_TYPES_H

#include "btf/dedup/base.h"
#include "btf/dedup/image.h"
#include "tests/type_text.h"

struct base_types {
	struct type_text text;
	struct btf_blob blob;
	struct btf_reader reader;
	struct btf_base base;		/* with an index of everything */
	struct btf_base lazy;		/* with an index for each module */
};

struct split_types {
	struct btf_image image;
	struct btf_reader distilled;	/* of image.base_data, if there is one */
	struct btf_reader reader;	/* of the image on its base */
};

void base_types_init(struct base_types *types, const char *text);
void base_types_release(struct base_types *types);

/* Of a reader that is open already. */
void base_types_index(struct base_types *types);

/* Both bases give the same bytes. The texts and all it refers to must outlive it. */
void split_types_init(struct split_types *split, const struct base_types *base,
		      const struct type_text *module, bool distill);
void split_types_release(struct split_types *split);

#endif
