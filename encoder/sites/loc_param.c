/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/sites/loc_param.h"

const struct code_text loc_param_texts[] = { LOC_PARAM_LIST(LIST_CODE_TEXT) };

/* ---- records ---- */

static void set_record(const struct loc_param_type *type, uint32_t words[LOC_PARAM_WORDS],
		       uint32_t flags, uint32_t count)
{
	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_LOC_PARAM, count, false);
	words[BTF_WORD_SIZE] = type->size_bytes;
	words[BTF_HEAD_WORDS] = flags;
}

static enum loc_param_kind in_register(const struct loc_param_type *type,
				       uint32_t words[LOC_PARAM_WORDS], uint8_t reg)
{
	set_record(type, words, BTF_LOC_REG, 1);
	words[BTF_HEAD_WORDS + 1] = reg;
	return LOC_PARAM_REGISTER;
}

/* Register and offset; `flags` says whether something is read there. */
static enum loc_param_kind at_offset(const struct loc_param_type *type,
				     uint32_t words[LOC_PARAM_WORDS], uint32_t flags, uint32_t reg,
				     int64_t offset)
{
	if (offset < INT32_MIN || offset > INT32_MAX)
		return LOC_PARAM_COMPUTED;
	/* The CFA's number and the slot's may add up to nothing. */
	if (!flags && !offset && reg != BTF_LOC_FRAME_BASE)
		return in_register(type, words, (uint8_t)reg);
	set_record(type, words, BTF_LOC_REG | BTF_LOC_OFFSET | flags, 2);
	words[BTF_HEAD_WORDS + 1] = reg;
	words[BTF_HEAD_WORDS + 2] = (uint32_t)offset;
	if (reg == BTF_LOC_FRAME_BASE)
		return LOC_PARAM_FRAME;
	return flags & BTF_LOC_DEREF ? LOC_PARAM_MEMORY : LOC_PARAM_SUM;
}

/* Readers take the second word when the size is above 4. */
static enum loc_param_kind constant(const struct loc_param_type *type,
				    uint32_t words[LOC_PARAM_WORDS], uint32_t flags, uint64_t value)
{
	uint32_t unused = type->size_bytes < 8 ? 64 - 8 * type->size_bytes : 0;
	uint32_t count = type->size_bytes > 4 ? 2 : 1;
	bool is_negative = type->is_signed && (int64_t)(value << unused) < 0;

	/* A 16-byte constant would need four words, of which DWARF has two. */
	if (type->size_bytes > 8)
		return LOC_PARAM_NARROWED;
	/* Only where it matters, so that equal values are equal records. */
	set_record(type, words, BTF_LOC_CONST | flags | (is_negative ? BTF_LOC_SIGNED : 0), count);
	value = value << unused >> unused;
	words[BTF_HEAD_WORDS + 1] = (uint32_t)value;
	if (count == 2)
		words[BTF_HEAD_WORDS + 2] = (uint32_t)(value >> 32);
	return flags & BTF_LOC_ADDR ? LOC_PARAM_ADDRESS : LOC_PARAM_CONSTANT;
}

enum loc_param_kind loc_param_of_constant(const struct loc_param_type *type, uint64_t value,
					  uint32_t words[LOC_PARAM_WORDS])
{
	return type->size_bytes ? constant(type, words, 0, value) : LOC_PARAM_NARROWED;
}

/* ---- locations ---- */

/* Only `bytes` low bytes are known; 0: all of a word. */
static bool is_narrow(const struct loc_param_type *type, uint8_t bytes)
{
	return bytes && bytes < type->size_bytes;
}

/* A general register holds a word; what is larger is not all there. */
static enum loc_param_kind value_of_register(const struct loc_param_site *site,
					     const struct loc_param_type *type,
					     const struct location *location,
					     uint32_t words[LOC_PARAM_WORDS])
{
	if (type->size_bytes > site->word_bytes &&
	    (!site->abi || abi_register_name(site->abi, location->reg)))
		return LOC_PARAM_PIECES;
	if (location->first_byte || is_narrow(type, location->value_bytes))
		return LOC_PARAM_NARROWED;
	return location->offset ? at_offset(type, words, 0, location->reg, location->offset)
				: in_register(type, words, location->reg);
}

/* At the frame base or the CFA: a register's, where that can be told. */
static enum loc_param_kind in_frame(const struct loc_param_site *site,
				    const struct loc_param_type *type,
				    const struct location *location, uint32_t flags,
				    uint32_t words[LOC_PARAM_WORDS])
{
	bool by_cfa = location->kind == LOCATION_CFA || location->kind == LOCATION_CFA_VALUE;
	int64_t base = 0;
	uint8_t reg = site->frame_register;

	if (site->is_frame_wrong)
		return LOC_PARAM_FRAME_WRONG;
	if (!flags && type->size_bytes > site->word_bytes)
		return LOC_PARAM_NARROWED;
	/* At the entry there is no frame yet, only what the caller has put above it. */
	if (site->is_entry && flags && (!by_cfa || location->offset < 0))
		return LOC_PARAM_LATER;
	if (by_cfa && site->is_entry) {
		if (!site->abi)
			return LOC_PARAM_COMPUTED;
		reg = site->abi->stack_register;
		base = site->abi->entry_cfa_offset;
	} else if (by_cfa ? !site->find_cfa(site->context, &reg, &base)
			  : site->frame_base != FRAME_BASE_REGISTER || site->is_entry) {
		/* What DW_OP_call_frame_cfa says without a frame base has no name. */
		if (by_cfa && site->frame_base != FRAME_BASE_CFA)
			return LOC_PARAM_COMPUTED;
		return at_offset(type, words, flags, BTF_LOC_FRAME_BASE, location->offset);
	}
	/* A damaged offset may be any number. */
	return at_offset(type, words, flags, reg,
			 (int64_t)((uint64_t)base + (uint64_t)location->offset));
}

static bool is_whole_register(const struct location_piece *piece)
{
	return piece->kind == LOCATION_REGISTER ||
	       (piece->kind == LOCATION_REGISTER_VALUE && !piece->offset && !piece->first_byte &&
		(!piece->value_bytes || piece->value_bytes >= piece->size_bytes));
}

/* All but pieces. */
static enum loc_param_kind in_one(const struct loc_param_site *site,
				  const struct loc_param_type *type,
				  const struct location *location, uint32_t words[LOC_PARAM_WORDS])
{
	switch ((enum location_kind)location->kind) {
	case LOCATION_NONE: return LOC_PARAM_NOT_HERE;
	case LOCATION_REGISTER:
	case LOCATION_REGISTER_VALUE: return value_of_register(site, type, location, words);
	case LOCATION_ENTRY_VALUE:
		return site->is_entry || site->keeps_entry(site->context, location->reg)
			       ? value_of_register(site, type, location, words)
			       : LOC_PARAM_ENTRY_LOST;
	case LOCATION_MEMORY:
		return at_offset(type, words, BTF_LOC_DEREF, location->reg, location->offset);
	case LOCATION_MEMORY_VALUE:
		if (is_narrow(type, location->value_bytes) ||
		    (site->big_endian && type->size_bytes != location->value_bytes))
			return LOC_PARAM_NARROWED;
		return at_offset(type, words, BTF_LOC_DEREF, location->reg, location->offset);
	case LOCATION_FRAME:
	case LOCATION_CFA: return in_frame(site, type, location, BTF_LOC_DEREF, words);
	case LOCATION_FRAME_VALUE:
	case LOCATION_CFA_VALUE: return in_frame(site, type, location, 0, words);
	case LOCATION_CONSTANT:
		return is_narrow(type, location->value_bytes)
			       ? LOC_PARAM_NARROWED
			       : constant(type, words, 0, location->constant);
	case LOCATION_ADDRESS_VALUE:
		if (!site->has_image_base || location->constant < site->image_base ||
		    location->constant > site->image_end)
			return LOC_PARAM_FIXED;
		return type->size_bytes == site->word_bytes
			       ? constant(type, words, BTF_LOC_ADDR,
					  location->constant - site->image_base)
			       : LOC_PARAM_NARROWED;
	case LOCATION_REGISTER_BIT: return LOC_PARAM_NARROWED;
	case LOCATION_ADDRESS: return LOC_PARAM_FIXED;
	case LOCATION_IMPLICIT_POINTER: return LOC_PARAM_POINTEE;
	case LOCATION_PARAMETER_REF: return LOC_PARAM_CALLER;
	case LOCATION_PIECES:
	case LOCATION_OTHER: break;
	}
	return LOC_PARAM_COMPUTED;
}

/* A value of up to two words in two registers; or a single piece that is all of it. */
static enum loc_param_kind in_pieces(const struct loc_param_site *site,
				     const struct loc_param_type *type,
				     const struct location *location,
				     uint32_t words[LOC_PARAM_WORDS])
{
	const struct location_piece *pieces = location->pieces;
	struct location whole = { .kind = pieces[0].kind, .reg = pieces[0].reg,
				  .value_bytes = pieces[0].value_bytes,
				  .first_byte = pieces[0].first_byte,
				  .offset = pieces[0].offset, .constant = pieces[0].constant };

	if (location->piece_count == 1 && pieces[0].size_bytes >= type->size_bytes)
		return in_one(site, type, &whole, words);
	if (location->piece_count != 2 || !is_whole_register(&pieces[0]) ||
	    !is_whole_register(&pieces[1]) || pieces[0].size_bytes != site->word_bytes ||
	    pieces[0].size_bytes + pieces[1].size_bytes < type->size_bytes ||
	    type->size_bytes <= site->word_bytes)
		return LOC_PARAM_PIECES;
	set_record(type, words, BTF_LOC_REG, 2);
	words[BTF_HEAD_WORDS + 1] = pieces[0].reg;
	words[BTF_HEAD_WORDS + 2] = pieces[1].reg;
	return LOC_PARAM_TWO_REGISTERS;
}

enum loc_param_kind loc_param_of(const struct loc_param_site *site,
				 const struct loc_param_type *type, const struct location *location,
				 uint32_t words[LOC_PARAM_WORDS])
{
	if (location->kind != LOCATION_NONE && !type->size_bytes)
		return LOC_PARAM_NARROWED;
	return location->kind == LOCATION_PIECES ? in_pieces(site, type, location, words)
						 : in_one(site, type, location, words);
}
