/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Types of BTF as a calling convention and a probe see them: size, sign, the scalars inside. */
#ifndef BTFENC_COMMANDS_RECORDS_RECORD_LAYOUT_H
#define BTFENC_COMMANDS_RECORDS_RECORD_LAYOUT_H

#include "commands/records/records.h"

/* What a value of a type is, without names and qualifiers. */
struct value_type {
	enum btf_kind kind;	/* BTF_VOID: void, or nothing that is known */
	bool is_void;
	bool is_signed;
	uint32_t size_bytes;
	const uint32_t *words;	/* its record; NULL: BTF_VOID */
};

struct value_type record_value_type(const struct records *records, uint32_t id);

bool record_is_scalar(struct value_type type);

/* How many scalars one value may have inside. */
#define RECORD_MAX_LEAVES 16

/*
 * Fills *out and leaves[0..RECORD_MAX_LEAVES), to which it points. False: the convention for it
 * cannot be told, as BTF does not say how types are aligned: a struct of more than a word (on
 * x86-64 two), one with bitfields, or packed.
 */
bool record_abi_type(const struct records *records, uint32_t id, struct abi_type *out,
		     struct abi_leaf *leaves);

#endif
