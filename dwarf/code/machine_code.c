/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/machine_code.h"

#include <elf.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/sort.h"
#include "dwarf/code/code_reader.h"
#include "dwarf/code_pad.h"

static struct code_reader *reader_new(const struct code_image *image)
{
	struct code_reader *reader = memory_zeroed(1, sizeof(*reader));

	if (!code_graph_init(&reader->graph, image)) {
		free(reader);
		return NULL;
	}
	reader->callees.graph = &reader->graph;
	return reader;
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

bool machine_code_lacks_decoder(const struct machine_code *code)
{
	return code->machine == EM_X86_64 && !code->reader;
}

void machine_code_close(struct machine_code *code)
{
	for (int level = 0; code->reader && level < FLOW_LEVELS; level++) {
		array_release(&code->reader->levels[level].in);
		array_release(&code->reader->levels[level].vectors);
	}
	if (code->reader)
		code_graph_release(&code->reader->graph);
	free(code->reader);
	if (code->image && !code->image_is_shared) {
		code_image_close(code->image);
		free(code->image);
	}
	*code = (struct machine_code){ 0 };
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

static uint64_t arm64_branch_target(uint64_t address, uint32_t word)
{
	return address + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
}

uint32_t machine_code_entry_pad(const struct machine_code *code, uint64_t entry)
{
	bool is_x86 = code->machine == EM_X86_64;
	size_t size, length;
	const uint8_t *bytes = code_image_text(code->image, entry, &size);
	uint32_t pad = 0;

	for (; bytes && size && pad < CODE_PADS_MAX; bytes += length, size -= length) {
		uint32_t word = size >= 4 ? load_word(bytes) : 0;
		uint64_t address = entry + pad;

		if (word == (is_x86 ? 0xfa1e0ff3 : 0xaa1e03e9))	/* endbr64; mov x9, x30 */
			length = 4;
		else if (is_x86 && size >= 5 && bytes[0] == 0xe8 &&
			 code_image_is_hook(code->image, address + 5 + load_rel32(bytes + 1)))
			length = 5;
		else if (!is_x86 && word >> 26 == 0x25 &&
			 code_image_is_hook(code->image, arm64_branch_target(address, word)))
			length = 4;
		else
			length = code_pad_length(is_x86 ? EM_X86_64 : EM_AARCH64, bytes, size);
		if (!length)
			break;
		pad += (uint32_t)length;
	}
	return pad;
}

/* ---- one call ---- */

uint32_t machine_code_call_at(const struct machine_code *code, uint64_t address,
			      struct direct_call *call)
{
	size_t size;
	const uint8_t *bytes = code_image_text(code->image, address, &size);
	bool is_far = bytes && size >= 5 && (bytes[0] & 0xfe) == 0xe8;
	bool is_condition = bytes && size >= 6 && bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80;
	uint32_t length = is_condition ? 6 : 5;

	*call = (struct direct_call){ .address = address };
	if (code->machine != EM_X86_64) {
		uint32_t word = bytes && size >= 4 ? load_word(bytes) : 0;

		call->target = arm64_branch_target(address, word);
		call->is_jump = !(word >> 31);
		return (word & 0x7c000000) == 0x14000000 ? 4 : 0;
	}
	if (is_far || is_condition) {
		call->target = address + length + load_rel32(bytes + length - 4);
		call->is_jump = bytes[0] != 0xe8;
		return length;
	}
	if (!bytes || size < 2 || (bytes[0] != 0xeb && (bytes[0] & 0xf0) != 0x70))
		return 0;
	call->target = address + 2 + (uint64_t)(int64_t)(int8_t)bytes[1];
	call->is_jump = true;
	return 2;
}

bool machine_code_direct_call(const struct machine_code *code, uint64_t return_pc,
			      struct direct_call *call)
{
	/* A call of five bytes may end like a jump of two. */
	for (uint32_t length = 4; length <= 6; length++)
		if (machine_code_call_at(code, return_pc - length, call) == length)
			return true;
	return false;
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
	uint32_t *callers;		/* by target, to be counted; NULL: calls are collected */
	uint64_t filter[FILTER_BITS / 64];
};

static size_t filter_bit(uint64_t target)
{
	return (size_t)(target ^ target >> 13) % FILTER_BITS;
}

/* Is the call to a target, and wanted? */
static bool is_target(const struct target_set *set, uint64_t target)
{
	size_t bit = filter_bit(target);
	size_t at;

	if (!(set->filter[bit / 64] >> bit % 64 & 1))
		return false;
	at = lower_bound(i, set->count, set->targets[i] < target);
	if (at == set->count || set->targets[at] != target)
		return false;
	if (set->callers)
		set->callers[at]++;
	return !set->callers;
}

/* Branches over a few bytes: those that may reach a target are near it, in both directions. */
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
				array_push(calls, ((struct direct_call){ at, goal, true }));
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
		array_push(calls, ((struct direct_call){ section->address + at, target,
							 bytes[0] != 0xe8 }));
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
			array_push(calls, ((struct direct_call){ section->address + i, target,
								 !(word >> 31) }));
	}
}

/* Counts callers, or collects calls; the other is NULL. */
static void find_calls(const struct machine_code *code, const uint64_t *targets, size_t count,
		       uint32_t *callers, direct_call_array *calls)
{
	struct target_set *set = memory_zeroed(1, sizeof(*set));

	set->targets = targets;
	set->count = count;
	set->callers = callers;
	for (size_t i = 0; i < count; i++) {
		size_t bit = filter_bit(targets[i]);

		set->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	array_each(const struct code_section, section, &code->image->text) {
		if (code->machine != EM_X86_64)
			arm64_find(section, set, calls);
		else
			x86_find_far(section, set, calls);
		if (code->machine == EM_X86_64 && calls)
			x86_find_near(section, set, calls);
	}
	free(set);
}

void machine_code_count_callers(const struct machine_code *code, const uint64_t *targets,
				size_t count, uint32_t *callers)
{
	find_calls(code, targets, count, callers, NULL);
}

void machine_code_find_calls(const struct machine_code *code, const uint64_t *targets,
			     size_t count, direct_call_array *calls)
{
	size_t before = calls->count;

	find_calls(code, targets, count, NULL, calls);
	/* The two searches of x86 each ascend; together they are put into order. */
	if (calls->count > before)
		qsort(calls->data + before, calls->count - before, sizeof(*calls->data),
		      compare_u64);
}

bool machine_code_may_hold_zero(const struct machine_code *code, uint64_t begin, uint64_t end,
				unsigned int reg)
{
	size_t available;
	const uint8_t *bytes = code_image_text(code->image, begin, &available);
	uint32_t zeros = 1u << 31, before;	/* wzr */

	if (code->machine != EM_AARCH64 || !code->reader)
		return !code->reader;
	if (begin >= end || !bytes || end - begin > available || reg >= 31)
		return true;
	do {
		before = zeros;
		for (uint64_t at = 0; at + 4 <= end - begin; at += 4) {
			uint32_t word = load_word(bytes + at);
			bool is_move = (word & 0x7fe0ffe0) == 0x2a0003e0;
			bool is_zero = (word & 0x7fffffe0) == 0x52800000;	/* movz */

			if (is_zero || (is_move && zeros >> (word >> 16 & 31) & 1))
				zeros |= 1u << (word & 31);
		}
	} while (zeros != before);
	return zeros >> reg & 1;
}
