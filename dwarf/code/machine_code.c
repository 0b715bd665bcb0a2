/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/machine_code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/sort.h"
#include "dwarf/code/code_behind.h"
#include "dwarf/code/code_flow.h"
#include "dwarf/code/code_image.h"
#include "dwarf/code_pad.h"
#include "dwarf/code/code_slot.h"
#include "dwarf/code/code_stack.h"

struct code_reader {
	struct code_graph graph;
	struct code_callees callees;
	struct code_flow flow;
};

static struct code_reader *reader_new(const struct code_image *image)
{
	struct code_reader *reader = memory_zeroed(1, sizeof(*reader));

	if (!code_graph_init(&reader->graph, image)) {
		free(reader);
		return NULL;
	}
	code_callees_init(&reader->callees, &reader->graph);
	code_flow_init(&reader->flow, &reader->graph, &reader->callees);
	return reader;
}

static void reader_free(struct code_reader *reader)
{
	if (!reader)
		return;
	code_flow_release(&reader->flow);
	code_graph_release(&reader->graph);
	free(reader);
}

void machine_code_open(struct machine_code *code, const struct object *object)
{
	*code = (struct machine_code){ .object = object };
	code->image = memory_zeroed(1, sizeof(*code->image));
	code_image_open(code->image, object);
	code->machine = code->image->machine;
	code->reader = reader_new(code->image);
}

void machine_code_share(struct machine_code *code, const struct machine_code *first)
{
	*code = *first;
	code->image_is_shared = true;
	code->reader = reader_new(code->image);
}

void machine_code_close(struct machine_code *code)
{
	reader_free(code->reader);
	if (code->image && !code->image_is_shared) {
		code_image_close(code->image);
		free(code->image);
	}
	*code = (struct machine_code){ 0 };
}

const uint8_t *machine_code_bytes(const struct machine_code *code, uint64_t address, size_t *size)
{
	return code_image_text(code->image, address, size);
}

/* Instructions are little-endian on both machines, whatever the data are. */
static uint32_t load_word(const uint8_t *bytes)
{
	return bytes_load_u32(bytes, HOST_IS_BIG_ENDIAN);
}

static uint64_t load_rel32(const uint8_t *bytes)
{
	return (uint64_t)(int64_t)(int32_t)load_word(bytes);
}

/* ---- the entry ---- */

static size_t x86_pad_length(const struct code_image *image, const uint8_t *bytes, size_t size,
			     uint64_t address)
{
	if (size >= 4 && memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0)
		return 4;
	if (size >= 5 && bytes[0] == 0xe8 &&
	    code_image_is_hook(image, address + 5 + load_rel32(bytes + 1)))
		return 5;
	return code_pad_length(EM_X86_64, bytes, size);
}

static uint64_t arm64_branch_target(uint64_t address, uint32_t word)
{
	return address + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
}

static size_t arm64_pad_length(const struct code_image *image, const uint8_t *bytes, size_t size,
			       uint64_t address)
{
	uint32_t word;

	if (size < 4)
		return 0;
	word = load_word(bytes);
	if (word == 0xaa1e03e9)		/* mov x9, x30 */
		return 4;
	if (word >> 26 == 0x25 && code_image_is_hook(image, arm64_branch_target(address, word)))
		return 4;
	return code_pad_length(EM_AARCH64, bytes, size);
}

uint32_t machine_code_entry_pad(const struct machine_code *code, uint64_t entry)
{
	size_t size, length;
	const uint8_t *bytes = machine_code_bytes(code, entry, &size);
	uint32_t pad = 0;

	while (bytes && size && pad < CODE_PADS_MAX) {
		length = code->machine == EM_X86_64 ?
				 x86_pad_length(code->image, bytes, size, entry + pad) :
				 arm64_pad_length(code->image, bytes, size, entry + pad);
		if (!length)
			break;
		bytes += length;
		size -= length;
		pad += (uint32_t)length;
	}
	return pad;
}

/* ---- one call ---- */

static bool x86_call_before(const uint8_t *bytes, uint64_t length, uint64_t return_pc,
			    struct direct_call *call)
{
	const uint8_t *end = bytes + length;
	uint64_t instruction_bytes = 5;

	if (length >= 5 && (end[-5] & 0xfe) == 0xe8) {
		call->is_jump = end[-5] == 0xe9;
	} else if (length >= 6 && end[-6] == 0x0f && (end[-5] & 0xf0) == 0x80) {
		call->is_jump = true;
		instruction_bytes = 6;
	} else {
		return false;
	}
	call->address = return_pc - instruction_bytes;
	call->target = return_pc + load_rel32(end - 4);
	return true;
}

static bool arm64_call_before(const uint8_t *bytes, uint64_t length, uint64_t return_pc,
			      struct direct_call *call)
{
	uint32_t word;

	if (length < 4)
		return false;
	word = load_word(bytes + length - 4);
	call->address = return_pc - 4;
	call->is_jump = !(word >> 31);
	call->target = arm64_branch_target(call->address, word);
	return (word & 0x7c000000) == 0x14000000;
}

bool machine_code_direct_call(const struct machine_code *code, uint64_t return_pc,
			      struct direct_call *call)
{
	const struct code_section *section = NULL;
	uint64_t length;

	*call = (struct direct_call){ 0 };
	for (size_t i = 0; i < code->image->text.count; i++)
		if (return_pc - 1 - code->image->text.data[i].address <
		    code->image->text.data[i].size)
			section = &code->image->text.data[i];
	if (!section)
		return false;
	length = return_pc - section->address;
	return code->machine == EM_X86_64 ?
		       x86_call_before(section->bytes, length, return_pc, call) :
		       arm64_call_before(section->bytes, length, return_pc, call);
}

/* ---- all calls of a set ---- */

#define FILTER_BITS (1u << 17)

/*
 * `filter` has a bit for each target by its low bits, which differ more than the rest: with a few
 * thousand targets 98 of 100 others end there.
 */
struct target_set {
	const uint64_t *targets;
	size_t count;
	uint64_t filter[FILTER_BITS / 64];
};

static size_t filter_bit(uint64_t target)
{
	return (size_t)(target ^ target >> 13) % FILTER_BITS;
}

static void fill_filter(struct target_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		size_t bit = filter_bit(set->targets[i]);

		set->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

static bool is_target(const struct target_set *set, uint64_t target)
{
	size_t bit = filter_bit(target);
	size_t at;

	if (!(set->filter[bit / 64] >> bit % 64 & 1))
		return false;
	at = lower_bound(i, set->count, set->targets[i] < target);
	return at < set->count && set->targets[at] == target;
}

static void found(direct_call_array *calls, uint64_t address, uint64_t target, bool is_jump)
{
	struct direct_call call = { address, target, is_jump };

	array_push(calls, call);
}

/* Branches over a few bytes: who may reach a target so is near it, in both directions. */
static void x86_find_near(const struct code_section *section, const struct target_set *set,
			  direct_call_array *calls)
{
	uint64_t next = section->address;
	uint64_t section_end = section->address + section->size;

	for (size_t i = 0; i < set->count; i++) {
		uint64_t target = set->targets[i];
		uint64_t from, to;

		if (target < section->address || target >= section_end)
			continue;
		from = target - section->address > 129 ? target - 129 : section->address;
		to = section_end - target > 126 + 2 ? target + 126 + 2 : section_end;
		from = from < next ? next : from;
		for (uint64_t at = from; at + 1 < to; at++) {
			const uint8_t *bytes = section->bytes + (at - section->address);
			uint64_t goal = at + 2 + (uint64_t)(int64_t)(int8_t)bytes[1];

			if ((bytes[0] == 0xeb || (bytes[0] & 0xf0) == 0x70) && is_target(set, goal))
				found(calls, at, goal, true);
			next = at + 1;
		}
	}
}

/*
 * 0x80 in each byte of `word` that equals the byte in all of `pattern`, but for bits in `ignored`.
 */
static uint64_t equal_bytes(uint64_t word, uint64_t pattern, uint64_t ignored)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t difference = (word ^ pattern) & ~ignored;

	return ~(((difference & low) + low) | difference | low);
}

static void x86_try(const struct code_section *section, const struct target_set *set, size_t at,
		    direct_call_array *calls)
{
	const uint8_t *bytes = section->bytes + at;
	size_t length = 5;
	uint64_t target;

	if (bytes[0] == 0x0f) {
		if (at + 6 > section->size || (bytes[1] & 0xf0) != 0x80)
			return;
		length = 6;
	}
	target = section->address + at + length + load_rel32(bytes + length - 4);
	if (is_target(set, target))
		found(calls, section->address + at, target, bytes[0] != 0xe8);
}

/*
 * The hot loop: it sees of eight bytes at once which begin like a call or jump, 1 of 23. The 15 MB
 * of Debian's 6.1 kernel take 15 ms for 50 targets (the least of 40 runs); a byte at a time 19 ms.
 */
static void x86_find_far(const struct code_section *section, const struct target_set *set,
			 direct_call_array *calls)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t at = 0;

	for (; at + 8 + 5 <= section->size; at += 8) {
		uint64_t word = bytes_load_u64(section->bytes + at, HOST_IS_BIG_ENDIAN);
		uint64_t hits = equal_bytes(word, ones * 0xe8, ones) |
				equal_bytes(word, ones * 0x0f, 0);

		for (; hits; hits &= hits - 1)
			x86_try(section, set, at + (size_t)__builtin_ctzll(hits) / 8, calls);
	}
	for (; at + 5 <= section->size; at++)
		if ((section->bytes[at] & 0xfe) == 0xe8 || section->bytes[at] == 0x0f)
			x86_try(section, set, at, calls);
}

static void arm64_find(const struct code_section *section, const struct target_set *set,
		       direct_call_array *calls)
{
	for (size_t i = 0; i + 4 <= section->size; i += 4) {
		uint32_t word = load_word(section->bytes + i);
		uint64_t target = arm64_branch_target(section->address + i, word);

		if ((word & 0x7c000000) == 0x14000000 && is_target(set, target))
			found(calls, section->address + i, target, !(word >> 31));
	}
}

/* The two searches of x86 each ascend; together they are put into order. */
static void order_calls(direct_call_array *calls, size_t from)
{
	size_t count = calls->count - from;
	struct sort_item *items = memory_zeroed(count + 1, sizeof(*items));
	struct direct_call *old = memory_zeroed(count + 1, sizeof(*old));

	for (size_t i = 0; i < count; i++) {
		items[i] = (struct sort_item){ calls->data[from + i].address, (uint32_t)i };
		old[i] = calls->data[from + i];
	}
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++)
		calls->data[from + i] = old[items[i].value];
	free(items);
	free(old);
}

void machine_code_find_calls(const struct machine_code *code, const uint64_t *targets,
			     size_t count, direct_call_array *calls)
{
	struct target_set *set = memory_zeroed(1, sizeof(*set));
	size_t before = calls->count;

	set->targets = targets;
	set->count = count;
	fill_filter(set);
	for (size_t i = 0; i < code->image->text.count; i++) {
		const struct code_section *section = &code->image->text.data[i];

		if (code->machine == EM_X86_64) {
			x86_find_far(section, set, calls);
			x86_find_near(section, set, calls);
		} else {
			arm64_find(section, set, calls);
		}
	}
	if (calls->count > before)
		order_calls(calls, before);
	free(set);
}

/* ---- registers ---- */

enum register_fate machine_code_fate_at_call(const struct machine_code *code, uint64_t begin,
					     uint64_t end, uint64_t call, unsigned int reg)
{
	unsigned int holds;

	if (!code->reader)
		return FATE_UNKNOWN;
	for (int level = FLOW_CONVENTION; level < FLOW_LEVELS; level++) {
		switch (code_flow_at_call(&code->reader->flow, (enum flow_level)level, begin, end,
					  call, reg, &holds)) {
		case FLOW_UNKNOWN: return FATE_UNKNOWN;
		case FLOW_NO_CALL: return FATE_NO_CALL;
		case FLOW_KNOWN: break;
		}
		if (holds == HOLDS_VALUE)
			return FATE_SET;
		if (holds & HOLDS_ENTRY && !(holds & (HOLDS_CLOBBERED | HOLDS_UNSURE)))
			return FATE_ENTRY;
		/* Only a claim that it is not set is worth a look at the callees before. */
		if (!(holds & HOLDS_CLOBBERED) || holds & (HOLDS_VALUE | HOLDS_UNSURE))
			return FATE_UNKNOWN;
	}
	return FATE_UNSET;
}

bool machine_code_keeps_entry(const struct machine_code *code, uint64_t begin, uint64_t end,
			      uint64_t pc, unsigned int reg)
{
	return code->reader &&
	       code_flow_keeps_entry(&code->reader->flow, begin, end, pc, reg);
}

bool machine_code_fills_slot(const struct machine_code *code, uint64_t pc, unsigned int base,
			     int64_t offset, uint64_t size, bool *fills)
{
	if (!code->reader ||
	    (base >= 31 && base != instruction_stack_pointer(code->reader->graph.decoder)))
		return false;
	*fills = code_slot_is_filled(&code->reader->graph, pc, base, offset, size);
	return true;
}

enum register_use machine_code_entry_use(const struct machine_code *code, uint64_t begin,
					 uint64_t end, unsigned int reg)
{
	struct flow_entry_use use;

	if (!code->reader || reg >= 31)
		return USE_UNKNOWN;
	code_flow_entry_use(&code->reader->flow, FLOW_CONVENTION, begin, end, &use);
	if (use.read >> reg & 1)
		return USE_READ;
	if (!code_flow_entry_use(&code->reader->flow, FLOW_SCRUTINY, begin, end, &use) ||
	    use.maybe_read >> reg & 1)
		return USE_UNKNOWN;
	return use.passed >> reg & 1 ? USE_PASSED : USE_DEAD;
}

static enum register_use use_of(enum code_use use)
{
	switch (use) {
	case CODE_READ: return USE_READ;
	case CODE_PASSED: return USE_PASSED;
	case CODE_DEAD: return USE_DEAD;
	default: return USE_UNKNOWN;
	}
}

enum register_use machine_code_use_behind(const struct machine_code *code, uint64_t begin,
					  uint64_t end, uint64_t return_pc, unsigned int reg)
{
	if (!code->reader || reg >= 31)
		return USE_UNKNOWN;
	return use_of(code_use_behind(&code->reader->callees, begin, end, return_pc, reg));
}

bool machine_code_reads_stack(const struct machine_code *code, uint64_t begin, uint64_t end,
			      int64_t offset, uint64_t size, bool may_be_copied)
{
	return code->reader && code_stack_is_read(&code->reader->graph, begin, end, offset, size,
						  may_be_copied);
}
