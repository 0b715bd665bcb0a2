/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/call_frame.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"

/* Not in the dwarf.h of 2022. */
#ifndef DW_CFA_AARCH64_negate_ra_state_with_pc
#define DW_CFA_AARCH64_negate_ra_state_with_pc 0x2c
#endif

/* An instruction with one of the upper two bits set has an operand in the lower six. */
#define PACKED_BITS 0xc0u

/* Compilers remember one row around an epilogue in the middle of a function. */
#define MAX_REMEMBERED 16

/* Entries that are looked at for one pc: one, or two where both sections have it. */
#define MAX_TRIED 64

enum cfa_rule {
	CFA_NOT_SAID,
	CFA_REGISTER,		/* reg + offset */
	CFA_EXPRESSION,
};

/* A row of the table that instructions describe (DWARF 5 section 6.4): of it the CFA's column. */
struct cfa_row {
	enum cfa_rule rule;
	uint64_t reg;
	int64_t offset;
};

struct cfa_run {
	const struct frame_section *section;
	const struct frame_common *common;
	bool has_code;		/* false: the instructions are the CIE's */
	uint64_t pc;
	uint64_t location;	/* above pc: the row is that of pc */
	struct cfa_row row;
	uint32_t remembered;
	struct cfa_row stack[MAX_REMEMBERED];
};

enum operand {
	NUMBER_1 = 1,		/* numbers of so many bytes */
	NUMBER_2 = 2,
	NUMBER_4 = 4,
	NUMBER_8 = 8,
	NOTHING,
	PACKED,			/* in the lower six bits of the instruction */
	UNSIGNED,		/* LEB128 */
	SIGNED,
	BLOCK,
	ADDRESS,
};

/* The operands of each instruction. */
static const struct instruction_rule {
	uint8_t first;		/* enum operand; 0: unknown */
	uint8_t second;
} instruction_rules[] = {
	[DW_CFA_advance_loc] = { PACKED, NOTHING },
	[DW_CFA_offset] = { PACKED, UNSIGNED },
	[DW_CFA_restore] = { PACKED, NOTHING },
	[DW_CFA_nop] = { NOTHING, NOTHING },
	[DW_CFA_set_loc] = { ADDRESS, NOTHING },
	[DW_CFA_advance_loc1] = { NUMBER_1, NOTHING },
	[DW_CFA_advance_loc2] = { NUMBER_2, NOTHING },
	[DW_CFA_advance_loc4] = { NUMBER_4, NOTHING },
	[DW_CFA_offset_extended] = { UNSIGNED, UNSIGNED },
	[DW_CFA_restore_extended] = { UNSIGNED, NOTHING },
	[DW_CFA_undefined] = { UNSIGNED, NOTHING },
	[DW_CFA_same_value] = { UNSIGNED, NOTHING },
	[DW_CFA_register] = { UNSIGNED, UNSIGNED },
	[DW_CFA_remember_state] = { NOTHING, NOTHING },
	[DW_CFA_restore_state] = { NOTHING, NOTHING },
	[DW_CFA_def_cfa] = { UNSIGNED, UNSIGNED },
	[DW_CFA_def_cfa_register] = { UNSIGNED, NOTHING },
	[DW_CFA_def_cfa_offset] = { UNSIGNED, NOTHING },
	[DW_CFA_def_cfa_expression] = { BLOCK, NOTHING },
	[DW_CFA_expression] = { UNSIGNED, BLOCK },
	[DW_CFA_offset_extended_sf] = { UNSIGNED, SIGNED },
	[DW_CFA_def_cfa_sf] = { UNSIGNED, SIGNED },
	[DW_CFA_def_cfa_offset_sf] = { SIGNED, NOTHING },
	[DW_CFA_val_offset] = { UNSIGNED, UNSIGNED },
	[DW_CFA_val_offset_sf] = { UNSIGNED, SIGNED },
	[DW_CFA_val_expression] = { UNSIGNED, BLOCK },
	[DW_CFA_MIPS_advance_loc8] = { NUMBER_8, NOTHING },
	[DW_CFA_AARCH64_negate_ra_state_with_pc] = { NOTHING, NOTHING },
	[DW_CFA_GNU_window_save] = { NOTHING, NOTHING },	/* arm64: negate_ra_state */
	[DW_CFA_GNU_args_size] = { UNSIGNED, NOTHING },
	[DW_CFA_GNU_negative_offset_extended] = { UNSIGNED, UNSIGNED },
};

static uint64_t read_operand(const struct cfa_run *run, struct byte_cursor *code,
			     uint8_t instruction, uint8_t kind)
{
	switch ((enum operand)kind) {
	case NUMBER_1:
	case NUMBER_2:
	case NUMBER_4:
	case NUMBER_8: return cursor_number(code, kind);
	case PACKED: return instruction & ~PACKED_BITS;
	case UNSIGNED: return cursor_uleb(code);
	case SIGNED: return (uint64_t)cursor_sleb(code);
	case BLOCK: cursor_block(code, 0); return 0;
	case ADDRESS: return frame_address(run->section, run->common, code);
	default: return 0;
	}
}

/* False: it makes no sense here. */
static bool apply_instruction(struct cfa_run *run, uint8_t instruction, uint64_t a, uint64_t b)
{
	struct cfa_row *row = &run->row;

	switch (instruction) {
	case DW_CFA_set_loc:
		if (!run->has_code || a < run->location)
			return false;
		run->location = a;
		return true;
	case DW_CFA_advance_loc:
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
	case DW_CFA_MIPS_advance_loc8:
		return run->has_code &&
		       !__builtin_mul_overflow(a, run->common->code_alignment, &a) &&
		       !__builtin_add_overflow(run->location, a, &run->location);
	case DW_CFA_remember_state:
		if (run->remembered == MAX_REMEMBERED)
			return false;
		run->stack[run->remembered++] = *row;
		return true;
	case DW_CFA_restore_state:
		if (!run->remembered)
			return false;
		*row = run->stack[--run->remembered];
		return true;
	/*
	 * Keeps the offset. Where there is none it is 0: so GNU as begins each CIE for RISC-V, and
	 * all unwinders read it.
	 */
	case DW_CFA_def_cfa_register:
		if (row->rule == CFA_EXPRESSION)
			return false;
		*row = (struct cfa_row){ CFA_REGISTER, a, row->offset };
		return true;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		if (row->rule != CFA_REGISTER)
			return false;
		b = a;
		a = row->reg;
		__attribute__((fallthrough));
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		*row = (struct cfa_row){ CFA_REGISTER, a, (int64_t)b };
		/* Signed offsets are in units of data_alignment. */
		if (instruction == DW_CFA_def_cfa_sf || instruction == DW_CFA_def_cfa_offset_sf)
			return !__builtin_mul_overflow((int64_t)b, run->common->data_alignment,
						       &row->offset);
		return b <= INT64_MAX;
	case DW_CFA_def_cfa_expression: row->rule = CFA_EXPRESSION; return true;
	default: return true;	/* of another register */
	}
}

/* False: damage before the row for pc. Instructions after that are not read. */
static bool run_instructions(struct cfa_run *run, struct byte_cursor code)
{
	while (code.p < code.end && run->location <= run->pc) {
		uint8_t byte = (uint8_t)cursor_number(&code, 1);
		uint8_t instruction = byte & PACKED_BITS ? byte & PACKED_BITS : byte;
		const struct instruction_rule *rule = &instruction_rules[instruction];
		uint64_t a, b;

		if (!rule->first)
			return false;
		a = read_operand(run, &code, byte, rule->first);
		b = read_operand(run, &code, byte, rule->second);
		if (code.is_bad || !apply_instruction(run, instruction, a, b))
			return false;
	}
	return true;
}

static bool cfa_of_entry(const struct frame_section *section, uint64_t offset, uint64_t pc,
			 struct cfa_row *row)
{
	struct frame_common common;
	struct frame_entry entry;
	struct frame_head head;
	struct cfa_run run;

	/* All three have been read once, when the index was made of them. */
	if (!frame_head_read(section, offset, &head) ||
	    !frame_common_read(section, head.common, &common) ||
	    !frame_entry_read(section, &head, &common, &entry) ||
	    !object_share(section->object, section->id,
			  (uint64_t)(entry.instructions.end - entry.instructions.p)))
		return false;
	run.section = section;
	run.common = &common;
	run.has_code = false;
	run.pc = pc;
	run.location = entry.begin;
	run.row = (struct cfa_row){ 0 };
	run.remembered = 0;
	if (!run_instructions(&run, common.instructions))
		return false;
	run.has_code = true;
	if (!run_instructions(&run, entry.instructions))
		return false;
	*row = run.row;
	return row->rule == CFA_REGISTER;
}

struct call_frame_range {
	uint64_t begin, end;	/* addresses */
	uint64_t reach;		/* the highest end of this one and all before it */
	uint32_t offset;	/* of the FDE in its section */
	uint32_t section;
};

typedef ARRAY_OF(struct call_frame_range) range_array;

static void add_ranges(range_array *ranges, const struct frame_section *section, uint32_t number)
{
	uint64_t known_offset = UINT64_MAX;
	struct frame_common common;
	bool is_known = false;
	struct frame_head head;

	for (uint64_t at = 0; at <= UINT32_MAX && frame_head_read(section, at, &head);
	     at = head.next) {
		struct frame_entry entry;

		if (head.kind != FRAME_ENTRY)
			continue;
		/* Most are after the CIE that they name. */
		if (head.common != known_offset)
			is_known = frame_common_read(section, head.common, &common);
		known_offset = head.common;
		if (is_known && frame_entry_read(section, &head, &common, &entry))
			array_push(ranges, ((struct call_frame_range){
				.begin = entry.begin, .end = entry.end,
				.offset = (uint32_t)at, .section = number }));
	}
}

void call_frames_open_sections(struct call_frames *frames,
			       const struct frame_section sections[CALL_FRAME_SECTIONS])
{
	range_array ranges = { 0 };
	struct sort_item *items;
	uint64_t reach = 0;

	*frames = (struct call_frames){ 0 };
	memcpy(frames->sections, sections, sizeof(frames->sections));
	for (uint32_t i = 0; i < CALL_FRAME_SECTIONS; i++)
		add_ranges(&ranges, &sections[i], i);
	items = memory_alloc((ranges.count + 1) * sizeof(*items));
	for (size_t i = 0; i < ranges.count; i++)
		items[i] = (struct sort_item){ ranges.data[i].begin, (uint32_t)i };
	sort_by_key(items, ranges.count);
	frames->ranges = memory_alloc((ranges.count + 1) * sizeof(*frames->ranges));
	frames->count = ranges.count;
	for (size_t i = 0; i < ranges.count; i++) {
		struct call_frame_range *range = &frames->ranges[i];

		*range = ranges.data[items[i].value];
		reach = range->end > reach ? range->end : reach;
		range->reach = reach;
	}
	free(items);
	array_release(&ranges);
}

void call_frames_open(struct call_frames *frames, struct object *object)
{
	static const enum section_id ids[CALL_FRAME_SECTIONS] = { SECTION_FRAME, SECTION_EH_FRAME };
	struct frame_section sections[CALL_FRAME_SECTIONS];

	for (int i = 0; i < CALL_FRAME_SECTIONS; i++) {
		size_t size;
		const uint8_t *data = object_late_bytes(object, ids[i], &size);

		sections[i] = (struct frame_section){
			.object = object,
			.id = ids[i],
			.data = data,
			.size = size,
			.address = object->headers[object->sections[ids[i]].header].address,
			.address_bytes = object->address_bytes,
			.is_eh = ids[i] == SECTION_EH_FRAME,
			.swap = object->swap,
		};
	}
	call_frames_open_sections(frames, sections);
}

void call_frames_close(struct call_frames *frames)
{
	free(frames->ranges);
	*frames = (struct call_frames){ 0 };
}

/*
 * From the last range that begins at or below pc back to where none reaches it any more. Ranges
 * overlap only where both sections are there, or in damage; then all that cover pc must agree.
 */
bool call_frames_cfa(const struct call_frames *frames, uint64_t pc, uint8_t *reg, int64_t *offset)
{
	struct cfa_row found = { 0 };
	uint32_t tried = 0;
	size_t until = lower_bound(i, frames->count, frames->ranges[i].begin <= pc);

	for (size_t i = until; i > 0 && frames->ranges[i - 1].reach > pc; i--) {
		const struct call_frame_range *range = &frames->ranges[i - 1];
		struct cfa_row row;

		if (tried++ == MAX_TRIED)
			return false;
		if (range->end <= pc)
			continue;
		if (!cfa_of_entry(&frames->sections[range->section], range->offset, pc, &row))
			return false;
		if (found.rule == CFA_REGISTER &&
		    (found.reg != row.reg || found.offset != row.offset))
			return false;
		found = row;
	}
	if (found.rule != CFA_REGISTER || found.reg > UINT8_MAX)
		return false;
	*reg = (uint8_t)found.reg;
	*offset = found.offset;
	return true;
}
