/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types of a dwarf_model as the ABI sees them: size, alignment, scalars inside.
 *
 * Nothing recurses; what is too deep, too laborious
 * or not known is refused, not guessed. One layout per worker.
 */
#ifndef BTFENC_DWARF_TYPE_LAYOUT_H
#define BTFENC_DWARF_TYPE_LAYOUT_H

#include "dwarf/abi/abi.h"
#include "dwarf/unit_model.h"

/* A type of more scalars has no list of them: no ABI here passes it in registers. */
#define TYPE_LAYOUT_MAX_LEAVES 256

#define TYPE_LAYOUT_MAX_DEPTH 64	/* of records and arrays inside each other */
#define TYPE_LAYOUT_MAX_STEPS 65536	/* members and elements looked at for one type */
#define TYPE_LAYOUT_MEMO      64

/* A record or array that is being laid out. */
struct layout_frame {
	uint32_t type;			/* index in the model */
	uint32_t next;			/* member; of an array: 1 when its element is done */
	uint64_t offset_bytes;		/* from the start of the whole type */
	size_t first_leaf;
	uint32_t alignment_bytes;	/* of the members so far, as their types are declared */
	bool is_packed;			/* some member is where its alignment forbids */
	bool is_wrapper;		/* its last member is a scalar or a wrapper */
};

struct layout_memo {
	uint32_t link;			/* 0: empty */
	bool known;
	struct abi_type type;
};

struct layout_block {
	struct abi_leaf leaves[4 * TYPE_LAYOUT_MAX_LEAVES];
};

struct type_layout {
	const struct dwarf_model *model;
	uint8_t address_bytes;
	bool big_endian;			/* to be set after the init: how DWARF 2 to 4 count
						   the bits of bitfields depends on it */
	ARRAY_OF(struct layout_block *) blocks;	/* finished leaves; they never move */
	size_t block;				/* the one that is being filled, and how far */
	size_t block_used;
	size_t scratch_count;			/* leaves of the type being laid out */
	struct abi_leaf scratch[TYPE_LAYOUT_MAX_LEAVES];
	struct layout_frame frames[TYPE_LAYOUT_MAX_DEPTH];
	struct layout_memo memo[TYPE_LAYOUT_MEMO];
};

void type_layout_init(struct type_layout *layout, uint8_t address_bytes);
void type_layout_reset(struct type_layout *layout, const struct dwarf_model *model);
void type_layout_release(struct type_layout *layout);

/*
 * The layout of the type after a link (0: void). False: its size or its members are not known
 * (a declaration, an unknown encoding, a damaged file). type->leaves are good until the next reset,
 * so the types of a whole prototype may be gathered.
 *
 * An array that is not a member is a GNU vector: C has no parameters of array type. One that is a
 * member has DW_AT_GNU_vector.
 *
 * alignment_bytes of a record is its DW_AT_alignment, natural_bytes what follows from its members.
 * DWARF does not show that a record is packed when all its members are aligned by chance. An
 * attribute of a single member or of its typedef is known only as GCC tells it, by the record that
 * it is in, which makes both alignments differ; clang writes it at the member, which is not read.
 */
bool type_layout_of(struct type_layout *layout, uint32_t link, struct abi_type *type);

#endif
