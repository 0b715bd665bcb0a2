/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/evidence/evidence.h"

const struct code_text parameter_state_texts[] = { PARAMETER_STATE_LIST(LIST_CODE_TEXT) };

/*
 * A whole value in one register. One that passes no arguments is where the function keeps the
 * parameter: GCC gives up following variables in large functions, and then says only that.
 */
static enum parameter_state compare_register(const struct abi *abi,
					     const struct abi_location *expected, unsigned int reg,
					     uint8_t *missing)
{
	bool in_register = expected->kind == ABI_REGISTERS || expected->kind == ABI_SPLIT;

	if (in_register && expected->registers[0] == reg) {
		*missing = (uint8_t)((1u << expected->register_count) - 2);
		return *missing ? PARAMETER_PARTLY : PARAMETER_IN_PLACE;
	}
	if (abi_passes_integers(abi, reg) ||
	    (in_register && !abi_passes_integers(abi, expected->registers[0])))
		return PARAMETER_ELSEWHERE;
	return PARAMETER_STORED;
}

/* `offset` from the stack pointer at the entry. */
static enum parameter_state compare_stack(const struct abi *abi,
					  const struct abi_location *expected,
					  int64_t offset)
{
	bool by_caller = offset >= abi->entry_cfa_offset;

	switch ((enum abi_location_kind)expected->kind) {
	case ABI_STACK:
		return expected->stack_offset == offset ? PARAMETER_IN_PLACE
		       : by_caller			? PARAMETER_ELSEWHERE
							: PARAMETER_STORED;
	case ABI_REGISTERS:
	case ABI_REFERENCE:
		/*
		 * Below the CFA is the function's own frame: where its prologue puts the argument.
		 * Above it is the caller's, or (s390x, ppc64le) room that the caller left for that.
		 */
		return by_caller && abi->entry_cfa_offset ? PARAMETER_ELSEWHERE : PARAMETER_STORED;
	default: return PARAMETER_STORED;
	}
}

static enum parameter_state compare_memory(const struct abi *abi,
					   const struct abi_location *expected,
					   const struct location *found)
{
	if (found->kind == LOCATION_CFA)
		return compare_stack(abi, expected, found->offset + abi->entry_cfa_offset);
	if (found->kind == LOCATION_FRAME)
		return PARAMETER_STORED;
	/* After the prologue's push, nothing can be compared with the stack pointer any more. */
	if (found->reg == abi->stack_register)
		return PARAMETER_STORED;
	if (expected->kind == ABI_REFERENCE)
		return found->offset == 0 && found->reg == expected->registers[0]
			       ? PARAMETER_IN_PLACE : PARAMETER_ELSEWHERE;
	return abi_passes_integers(abi, found->reg) ? PARAMETER_SCALARIZED : PARAMETER_STORED;
}

/* Kinds of pieces that arrive, or may. */
static const bool is_present[LOCATION_OTHER + 1] = {
	[LOCATION_REGISTER] = true, [LOCATION_REGISTER_VALUE] = true,
	[LOCATION_ENTRY_VALUE] = true, [LOCATION_MEMORY] = true,
	[LOCATION_FRAME] = true, [LOCATION_CFA] = true,
	[LOCATION_FRAME_VALUE] = true, [LOCATION_CFA_VALUE] = true,
	[LOCATION_OTHER] = true,
};

/* A struct of floats has a register for each, whatever their size (arm64, ppc64le). */
static enum parameter_state compare_members(const struct abi_location *expected,
					    const struct location *found)
{
	bool compared = true;

	for (uint32_t i = 0; i < found->piece_count; i++) {
		const struct location_piece *piece = &found->pieces[i];

		if (piece->kind != LOCATION_REGISTER)
			compared = false;
		else if (piece->reg != expected->registers[i])
			return PARAMETER_ELSEWHERE;
	}
	return compared ? PARAMETER_IN_PLACE : PARAMETER_NOT_COMPARED;
}

/*
 * A value in parts. A part that begins a word must be in that word's register; a smaller one that
 * shares a word with others cannot be compared.
 */
static enum parameter_state compare_pieces(const struct abi *abi,
					   const struct abi_location *expected,
					   const struct location *found, uint8_t *missing)
{
	bool in_register = expected->kind == ABI_REGISTERS;
	uint32_t at = 0, words = 0;
	bool compared = false;

	*missing = 0;
	if (in_register && found->piece_count == expected->register_count &&
	    found->pieces[0].size_bytes < abi->word_bytes &&
	    !abi_passes_integers(abi, expected->registers[0]))
		return compare_members(expected, found);
	for (uint32_t i = 0; i < found->piece_count; i++) {
		const struct location_piece *piece = &found->pieces[i];
		uint32_t word = at / abi->word_bytes;
		bool whole = at % abi->word_bytes == 0;

		if (word < ABI_MAX_REGISTERS && !is_present[piece->kind]) {
			if (whole && piece->size_bytes >= abi->word_bytes)
				words |= 1u << word;
		} else if (in_register && whole && word < expected->register_count &&
			   (piece->kind == LOCATION_REGISTER ||
			    piece->kind == LOCATION_ENTRY_VALUE)) {
			if (piece->reg != expected->registers[word])
				return PARAMETER_ELSEWHERE;
			compared = true;
		}
		at += piece->size_bytes;
	}
	/* LLVM leaves out the pieces at the end that are not there. */
	for (uint32_t word = (at + abi->word_bytes - 1) / abi->word_bytes;
	     in_register && word < expected->register_count; word++)
		words |= 1u << word;
	*missing = (uint8_t)words;
	if (words)
		return PARAMETER_PARTLY;
	return compared ? PARAMETER_IN_PLACE : PARAMETER_NOT_COMPARED;
}

enum parameter_state parameter_compare(const struct abi *abi, const struct abi_location *expected,
				       const struct location *found,
				       uint8_t *missing_words)
{
	switch ((enum location_kind)found->kind) {
	case LOCATION_NONE: return PARAMETER_ABSENT;
	case LOCATION_REGISTER:
	case LOCATION_REGISTER_BIT:
		return compare_register(abi, expected, found->reg, missing_words);
	case LOCATION_REGISTER_VALUE:
	case LOCATION_ENTRY_VALUE:
		/* A value computed from another parameter says nothing of this one's register. */
		return found->offset || found->first_byte
			       ? PARAMETER_NOT_COMPARED
			       : compare_register(abi, expected, found->reg, missing_words);
	case LOCATION_MEMORY:
	case LOCATION_FRAME:
	case LOCATION_CFA: return compare_memory(abi, expected, found);
	case LOCATION_PIECES: return compare_pieces(abi, expected, found, missing_words);
	case LOCATION_CONSTANT:
	case LOCATION_ADDRESS_VALUE: return PARAMETER_CONSTANT;
	case LOCATION_IMPLICIT_POINTER:
	case LOCATION_MEMORY_VALUE: return PARAMETER_SCALARIZED;
	case LOCATION_PARAMETER_REF: return PARAMETER_REMOVED;
	case LOCATION_FRAME_VALUE:
	case LOCATION_CFA_VALUE:
	case LOCATION_ADDRESS:
	case LOCATION_OTHER: break;
	}
	return PARAMETER_NOT_COMPARED;
}
