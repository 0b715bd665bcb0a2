/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/instruction_decoder.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "dwarf/code/x86_opcode.h"

void instruction_memo_release(struct instruction_memo *memo)
{
	free(memo->slots);
	free(memo->accesses);
	*memo = (struct instruction_memo){ 0 };
}

/* ---- leading bytes ---- */

#define LEAD_BYTES_MAX 8

/* One-byte opcodes with a ModRM byte, and opcodes after 0f without one. */
static const uint16_t has_modrm[16] = { 0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0, 0, 0x0a08, 0,
					0xffff, 0, 0, 0, 0x00c3, 0xff0f, 0, 0xc0c0 };
static const uint16_t no_modrm_0f[16] = { [0x0] = 0x4fe0, [0x3] = 0x00ff, [0x7] = 0x0080,
					  [0x8] = 0xffff, [0xa] = 0x0707, [0xc] = 0xff00 };

/*
 * Depend on more: VEX, EVEX and XOP; and, or of the accumulator with an immediate, see below;
 * addresses of 32 bits (67), which also cut targets. After 0f: maps of three bytes, 3DNow! whose
 * opcode comes last, and UD1, which is something else to capstone where its operand does not fit.
 */
static const uint16_t depends_on_more[16] = { [0x0] = 0x3000, [0x2] = 0x0030, [0x6] = 0x0084,
					      [0x8] = 0x8004, [0xc] = 0x0030 };
static const uint16_t depends_on_more_0f[16] = { [0x0] = 0x8000, [0x3] = 0x0500, [0xb] = 0x0200 };

/*
 * Where an immediate decides what is read: and with 0, or with -1 of a register make a constant;
 * `rest` is what comes after ModRM. And where a displacement is the address of a jump table.
 */
static bool depends_on_rest(uint8_t opcode, uint8_t modrm, const uint8_t *rest, size_t size)
{
	unsigned int operation = modrm >> 3 & 7;
	size_t immediate = opcode == 0x83 ? 1 : 4;
	uint8_t special = operation == 1 ? 0xff : 0;

	if (opcode != 0x81 && opcode != 0x83)
		return opcode == 0xff && modrm < 0x40 && (modrm & 7) == 4;
	if (modrm < 0xc0 || (operation != 1 && operation != 4))
		return false;
	if (size < immediate)
		return true;
	for (size_t i = 0; i < immediate; i++) {
		if (rest[i] != special)
			return false;
	}
	return true;
}

bool instruction_lead_find(const uint8_t *bytes, size_t size, struct instruction_lead *lead)
{
	size_t limit = size < LEAD_BYTES_MAX ? size : LEAD_BYTES_MAX;
	size_t at = 0;
	uint8_t first;
	bool modrm;

	*lead = (struct instruction_lead){ 0 };
	while (at < limit && x86_opcode_in(x86_prefixes, bytes[at]))
		at++;
	if (at >= limit)
		return false;
	first = bytes[at];
	if (first != 0x0f) {
		if (x86_opcode_in(depends_on_more, first))
			return false;
		modrm = x86_opcode_in(has_modrm, first);
	} else {
		if (++at >= limit || x86_opcode_in(depends_on_more_0f, bytes[at]))
			return false;
		modrm = !x86_opcode_in(no_modrm_0f, bytes[at]);
	}
	at++;
	if (modrm) {
		uint8_t byte;

		if (at >= limit)
			return false;
		byte = bytes[at++];
		if (depends_on_rest(first, byte, bytes + at, size - at))
			return false;
		if (byte < 0xc0 && (byte & 7) == 4 && at++ >= limit)
			return false;
		lead->displacement_bytes = x86_displacement_bytes(byte, bytes[at - 1]);
	}
	for (size_t i = at; i-- > 0;)
		lead->bytes = lead->bytes << 8 | bytes[i];
	lead->count = (uint8_t)at;
	return lead->bytes;
}

/* ---- what is remembered ---- */

static size_t slot_of(const struct instruction_lead *lead)
{
	return hash_mix(lead->bytes, 0) % INSTRUCTION_MEMO_SLOTS;
}

static bool is_direct(const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_CALL || insn->kind == INSTRUCTION_JUMP ||
	       insn->kind == INSTRUCTION_BRANCH;
}

/* The distance of a direct branch is what is at its end. */
static uint64_t branch_target(const struct instruction_memo_entry *entry, const uint8_t *bytes,
			      uint64_t address)
{
	const uint8_t *distance = bytes + entry->length - entry->branch_bytes;
	int32_t bytes_on = entry->branch_bytes == 1
				   ? (int8_t)*distance
				   : (int32_t)bytes_load_u32(distance, HOST_IS_BIG_ENDIAN);

	return address + entry->length + (uint64_t)(int64_t)bytes_on;
}

bool instruction_memo_find(const struct instruction_memo *memo,
			   const struct instruction_lead *lead, const uint8_t *bytes, size_t size,
			   struct instruction *out)
{
	const struct instruction_memo_entry *entry = &memo->slots[slot_of(lead)];

	if (entry->lead != lead->bytes || entry->length > size)
		return false;
	*out = (struct instruction){
		.address = out->address,
		.target = entry->branch_bytes ? branch_target(entry, bytes, out->address) : 0,
		.reads = entry->reads, .writes = entry->writes,
		.maybe_reads = entry->maybe_reads,
		.saves = entry->saves, .restores = entry->restores,
		.kind = entry->kind, .length = entry->length,
		.loads_pointer = entry->loads_pointer };
	return true;
}

/* Of branches of 16 bits (66) capstone cuts the target, or processors do. */
static bool has_short_operands(const struct instruction_lead *lead)
{
	for (uint64_t bytes = lead->bytes; bytes; bytes >>= 8) {
		if ((bytes & 0xff) == 0x66)
			return true;
	}
	return false;
}

void instruction_memo_add(struct instruction_memo *memo, const struct instruction_lead *lead,
			  const struct instruction *insn)
{
	uint8_t branch_bytes = is_direct(insn) ? (uint8_t)(insn->length - lead->count) : 0;

	/* What reads anything, as a hypercall does, does not fit, and is rare. */
	if (insn->kind == INSTRUCTION_BAD || (!is_direct(insn) && insn->target) ||
	    (insn->reads | insn->writes | insn->maybe_reads) > UINT16_MAX)
		return;
	if (is_direct(insn) &&
	    ((branch_bytes != 1 && branch_bytes != 4) || has_short_operands(lead)))
		return;
	memo->slots[slot_of(lead)] = (struct instruction_memo_entry){
		.lead = lead->bytes,
		.reads = (uint16_t)insn->reads, .writes = (uint16_t)insn->writes,
		.maybe_reads = (uint16_t)insn->maybe_reads,
		.saves = (uint16_t)insn->saves, .restores = (uint16_t)insn->restores,
		.kind = insn->kind, .length = insn->length,
		.loads_pointer = insn->loads_pointer, .branch_bytes = branch_bytes };
}

/* ---- accesses ---- */

bool instruction_memo_find_access(const struct instruction_memo *memo,
				  const struct instruction_lead *lead, const uint8_t *bytes,
				  struct instruction_access *out)
{
	const struct access_memo_entry *entry =
		memo->accesses ? &memo->accesses[slot_of(lead)] : NULL;
	const uint8_t *at = bytes + lead->count;

	if (!entry || entry->lead != lead->bytes)
		return false;
	out->displacement = entry->displacement;
	if (entry->base != NO_REGISTER && lead->displacement_bytes)
		out->displacement = lead->displacement_bytes == 1
			? (int8_t)*at : (int32_t)bytes_load_u32(at, HOST_IS_BIG_ENDIAN);
	out->size = entry->size;
	out->access = entry->access;
	out->base = entry->base;
	out->index = entry->index;
	out->is_move = entry->is_move;
	out->target = entry->target;
	out->source = entry->source;
	out->constant = entry->adds_displacement ? out->displacement : entry->constant;
	return true;
}

void instruction_memo_add_access(struct instruction_memo *memo,
				 const struct instruction_lead *lead,
				 const struct instruction_access *access, bool adds_displacement)
{
	if (!memo->accesses)
		memo->accesses =
			memory_zeroed(INSTRUCTION_MEMO_SLOTS, sizeof(*memo->accesses));
	memo->accesses[slot_of(lead)] = (struct access_memo_entry){
		.lead = lead->bytes,
		.size = access->size, .access = access->access,
		.base = access->base, .index = access->index, .is_move = access->is_move,
		.target = access->target, .source = access->source,
		.displacement = (int8_t)access->displacement,
		.constant = (int8_t)access->constant,
		.adds_displacement = adds_displacement };
}
