/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A slow and obvious version of btf_base_match(), after the rules in btf/dedup/base.h. */
#ifndef BTFENC_TESTS_REFERENCE_MATCH_H
#define BTFENC_TESTS_REFERENCE_MATCH_H

#include "btf/dedup/base.h"
#include "tests/type_text.h"

/* Release it with btf_base_match_release(). */
void reference_match(struct btf_base_match *match, const struct btf_reader *base,
		     const struct type_text *module, bool distilled);

#endif
