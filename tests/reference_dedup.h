/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A slow and obvious version of the deduplication, after the rules at the heads of
 * btf/dedup/resolve.c and btf/dedup/refine.c, on programs that are written as text.
 *
 * A type is a chain of letters, read from left to right:
 *	P pointer   C const   A array of 2   X anonymous struct with one member   T typedef "t"
 * and at the end
 *	i int   u unsigned   v void   sN struct N   nN union N   (N: one letter, a to z)
 * A tag may be followed by a variant: sa1 is the second struct "a" of its group, sa? one of which
 * only a declaration is known in a group with several.
 *
 * A definition is a tag and the types of its members: "sa:i,Psb". A group is a list of definitions
 * and of further types of its own ("roots"), separated by blanks:
 *	"sa:i,Psb nb: Tsa"
 */
#ifndef BTFENC_TESTS_REFERENCE_DEDUP_H
#define BTFENC_TESTS_REFERENCE_DEDUP_H

#include "base/error.h"
#include "btf/dedup/image.h"
#include "btf/reader.h"
#include "tests/btf_blob.h"

#define REFERENCE_GROUPS 8

struct reference_program {
	const char *groups[REFERENCE_GROUPS];
	uint32_t group_count;
};

/* The expected types as BTF in which types may occur more than once. Release the blob. */
struct btf_blob reference_btf(const struct reference_program *program);

/* The image that the real passes make of it. `owner`: which collector gets each group. */
bool reference_encode(const struct reference_program *program, const uint32_t *owner,
		      uint32_t collectors, struct btf_image *image, struct error *err);

/*
 * Do both hold the same types by meaning, and `b` none twice? If not, *why names a type.
 */
bool reference_same(const struct btf_reader *a, const struct btf_reader *b, char *why,
		    size_t bytes);

#endif
