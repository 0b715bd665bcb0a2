/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A union of the name that forward_user.c declares as a struct: the tags share a name but are of
 * different kinds, so the FWD stays one. The holder differs in the kind of what it points to,
 * too.
 */
#include "types.h"

union blob {
	u32 word;
	u8 bytes[4];
};

struct blob_holder {
	union blob *blob;
};

__visible u32 blob_word(const struct blob_holder *holder)
{
	return holder->blob->word;
}
