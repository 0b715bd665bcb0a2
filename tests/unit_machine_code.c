/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Machine code as bytes: the pad at an entry, direct calls, constants, and the limits of each
 * question. unit_code_flow.c asks about registers, unit_code_stack.c about stack arguments.
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/code/code_image.h"
#include "tests/machine_image.h"

/* ---- byte patterns ---- */

TEST(test_bytes)
{
	struct machine_image image;
	size_t size;

	machine_image_with(&image, EM_X86_64, BYTES("\x90"));
	assert_int_equal(code_image_text(image.code.image, TEXT, &size)[0], 0x90);
	assert_int_equal(size, TEXT_BYTES);
	assert_non_null(code_image_text(image.code.image, TEXT + TEXT_BYTES - 1, &size));
	assert_int_equal(size, 1);
	assert_null(code_image_text(image.code.image, TEXT + TEXT_BYTES, &size));
	assert_null(code_image_text(image.code.image, TEXT - 1, &size));
	/* Data, and text that the file does not have. */
	assert_null(code_image_text(image.code.image, TABLES, &size));
	assert_null(code_image_text(image.code.image, NO_BYTES, &size));
	assert_int_equal(size, 0);
	machine_image_close(&image);
}

TEST(test_entry_pad)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint16_t machine;
		uint32_t pad;
	} rows[] = {
		{ BYTES("\x55"), EM_X86_64, 0 },
		{ BYTES("\xf3\x0f\x1e\xfa\x55"), EM_X86_64, 4 },
		{ BYTES("\xf3\x0f\x1e\xfb\x55"), EM_X86_64, 0 },
		/* __fentry__, and mcount */
		{ BYTES("\xf3\x0f\x1e\xfa\xe8\xb7\x08\x00\x00\x55"), EM_X86_64, 9 },
		{ BYTES("\xf3\x0f\x1e\xfa\xe8\xbf\x08\x00\x00\x55"), EM_X86_64, 9 },
		/* A variable that is named mcount. */
		{ BYTES("\xf3\x0f\x1e\xfa\xe8\xff\xff\x00\x00\x55"), EM_X86_64, 4 },
		{ BYTES("\xf3\x0f\x1e\xfa\xe8\xb8\x08\x00\x00\x55"), EM_X86_64, 4 },
		{ BYTES("\x0f\x1f\x44\x00\x00\x55"), EM_X86_64, 5 },
		{ BYTES("\x0f\x1f\x00\x0f\x1f\x40\x00\x90\x66\x90\x55"), EM_X86_64, 10 },
		{ BYTES("\x66\x2e\x0f\x1f\x84\x00\x00\x02\x00\x00\x55"), EM_X86_64, 10 },
		{ BYTES("\x66\x55"), EM_X86_64, 0 },
		{ BYTES("\xf3\x90\x55"), EM_X86_64, 0 },	/* pause */
		{ BYTES("\x5f\x24\x03\xd5\x00\x00\x00\x00"), EM_AARCH64, 4 },	/* bti c */
		{ BYTES("\x3f\x23\x03\xd5\x1f\x20\x03\xd5\x00\x00\x00\x00"), EM_AARCH64, 8 },
		/* mov x9, x30; bl __fentry__ */
		{ BYTES("\xe9\x03\x1e\xaa\x2f\x02\x00\x94\x00\x00\x00\x00"), EM_AARCH64, 8 },
		{ BYTES("\xe9\x03\x1e\xaa\x00\x02\x00\x94\x00\x00\x00\x00"), EM_AARCH64, 4 },
		{ BYTES("\xe9\x03\x1e\x2a\x00\x00\x00\x00"), EM_AARCH64, 0 },
		/* A jump there is not a call. */
		{ BYTES("\x30\x02\x00\x14\x00\x00\x00\x00"), EM_AARCH64, 0 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct machine_image image;
		uint32_t pad;

		machine_image_with(&image, rows[i].machine, rows[i].bytes, rows[i].size);
		pad = machine_code_entry_pad(&image.code, TEXT);
		if (pad != rows[i].pad)
			fail_msg("row %zu: %u", i, pad);
		assert_int_equal(machine_code_entry_pad(&image.code, NO_BYTES), 0);
		machine_image_close(&image);
	}
}

TEST(test_may_hold_zero)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint16_t machine;
		unsigned int reg;
		bool may;
	} rows[] = {
		{ BYTES("\xf4\x03\x1f\x2a"), EM_AARCH64, 20, true },	/* mov w20, wzr */
		{ BYTES("\xf4\x03\x1f\xaa"), EM_AARCH64, 20, true },	/* mov x20, xzr */
		{ BYTES("\x14\x00\x80\x52"), EM_AARCH64, 20, true },	/* mov w20, #0 */
		{ BYTES("\x34\x00\x80\x52"), EM_AARCH64, 20, false },	/* mov w20, #1 */
		{ BYTES("\xf4\x03\x1f\x2a"), EM_AARCH64, 21, false },
		{ BYTES("\x14\x00\x02\x0a"), EM_AARCH64, 20, false },	/* and w20, w0, w2 */
		/* mov w21, w20; mov w20, wzr: in a loop */
		{ BYTES("\xf5\x03\x14\x2a\xf4\x03\x1f\x2a"), EM_AARCH64, 21, true },
		{ BYTES("\xf5\x03\x13\x2a\xf4\x03\x1f\x2a"), EM_AARCH64, 21, false },
		{ BYTES("\x31\xdb"), EM_X86_64, RBX, !DECODES_X86 },	/* xor ebx, ebx */
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct machine_image image;
		bool may;

		machine_image_with(&image, rows[i].machine, rows[i].bytes, rows[i].size);
		may = machine_code_may_hold_zero(&image.code, TEXT, TEXT + rows[i].size,
						 rows[i].reg);
		if (may != rows[i].may)
			fail_msg("row %zu: %d", i, may);
		/* There is no code at these addresses. */
		assert_int_equal(machine_code_may_hold_zero(&image.code, 0, 0, rows[i].reg),
				 rows[i].machine == EM_AARCH64 || !DECODES_X86);
		assert_int_equal(machine_code_may_hold_zero(&image.code, NO_BYTES, NO_BYTES + 8,
							    rows[i].reg),
				 rows[i].machine == EM_AARCH64 || !DECODES_X86);
		machine_image_close(&image);
	}
}

TEST(test_direct_call)
{
	static const struct {
		const char *bytes;	/* they end at the address that is asked for */
		size_t size;
		uint16_t machine;
		bool good;
		struct direct_call call;
	} rows[] = {
		{ BYTES("\xe8\x10\x00\x00\x00"), EM_X86_64, true, { TEXT, TEXT + 0x15, false } },
		{ BYTES("\xe9\xf0\xff\xff\xff"), EM_X86_64, true, { TEXT, TEXT - 0xb, true } },
		{ BYTES("\x0f\x84\x10\x00\x00\x00"), EM_X86_64, true, { TEXT, TEXT + 0x16, true } },
		{ BYTES("\x0f\x94\x10\x00\x00\x00"), EM_X86_64, false, { 0 } },
		{ BYTES("\x10\x00\x00\x00"), EM_X86_64, false, { 0 } },
		{ BYTES("\xff\xd0"), EM_X86_64, false, { 0 } },
		{ BYTES("\x04\x00\x00\x94"), EM_AARCH64, true, { TEXT, TEXT + 0x10, false } },
		{ BYTES("\xff\xff\xff\x17"), EM_AARCH64, true, { TEXT, TEXT - 4, true } },
		{ BYTES("\x00\x00\x3f\xd6"), EM_AARCH64, false, { 0 } },	/* blr */
		{ BYTES("\x00\x94"), EM_AARCH64, false, { 0 } },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct machine_image image;
		struct direct_call call;
		bool good;

		machine_image_with(&image, rows[i].machine, rows[i].bytes, rows[i].size);
		good = machine_code_direct_call(&image.code, TEXT + rows[i].size, &call);
		if (good != rows[i].good)
			fail_msg("row %zu: %d", i, good);
		assert_int_equal(machine_code_call_at(&image.code, TEXT, &call),
				 good ? rows[i].size : 0);
		if (good) {
			assert_int_equal(call.address, rows[i].call.address);
			assert_int_equal(call.target, rows[i].call.target);
			assert_int_equal(call.is_jump, rows[i].call.is_jump);
		}
		assert_false(machine_code_direct_call(&image.code, TEXT, &call));
		assert_false(machine_code_direct_call(&image.code, NO_BYTES + 8, &call));
		machine_image_close(&image);
	}
}

/* Tail calls: only their address is known, not where they end. */
TEST(test_short_jumps)
{
	static const struct {
		const char *bytes;
		size_t size;
		uint64_t target;
	} rows[] = {
		{ BYTES("\xeb\x02"), TEXT + 4 },
		{ BYTES("\x74\xfe\x90"), TEXT },
		{ BYTES("\x90\xeb"), 0 },
		{ BYTES("\x0f\x94"), 0 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct machine_image image;
		struct direct_call call;

		machine_image_with(&image, EM_X86_64, rows[i].bytes, rows[i].size);
		assert_int_equal(machine_code_call_at(&image.code, TEXT, &call),
				 rows[i].target ? 2 : 0);
		assert_true(!rows[i].target || (call.target == rows[i].target && call.is_jump));
		assert_false(machine_code_direct_call(&image.code, TEXT + 2, &call));
		machine_image_close(&image);
	}
}

/* A call of `to` at each offset, the forms in turn; short jumps in between. */
TEST(test_find_calls_x86)
{
	static const uint64_t targets[] = { TEXT - 0x40, TEXT + 0x200, TEXT + 0x900 };
	static const struct {
		uint32_t at;
		const char *bytes;
		size_t size;
		bool is_found;
		bool is_jump;
	} rows[] = {
		{ 0x000, BYTES("\xe8\xfb\x01\x00\x00"), true, false },	/* 0x200 */
		{ 0x00d, BYTES("\xe9\xee\x01\x00\x00"), true, true },
		{ 0x016, BYTES("\x0f\x85\xe4\x01\x00\x00"), true, true },
		{ 0x020, BYTES("\xe8\xda\x01\x00\x00"), false, false },	/* 0x1ff */
		{ 0x02e, BYTES("\xe8\x8d\xff\xff\xff"), true, false },	/* -0x40 */
		{ 0x17f, BYTES("\xeb\x7f"), true, true },
		{ 0x1f0, BYTES("\x74\x0e"), true, true },
		{ 0x1f8, BYTES("\xeb\x05"), false, true },
		{ 0x200, BYTES("\xeb\xfe"), true, true },
		{ 0x27e, BYTES("\x7f\x80"), true, true },
		{ 0x300, BYTES("\xe8\xfb\x05\x00\x00"), true, false },	/* 0x900 */
		{ 0xff7, BYTES("\xe8\x04\xf9\xff\xff"), true, false },
	};
	direct_call_array calls = { 0 };
	struct machine_image image;
	size_t found = 0;

	machine_image_init(&image, EM_X86_64);
	memset(image.text, 0x90, sizeof(image.text));
	for (size_t i = 0; i < LENGTH(rows); i++)
		memcpy(image.text + rows[i].at, rows[i].bytes, rows[i].size);
	machine_image_open(&image);
	machine_code_find_calls(&image.code, targets, 0, &calls);
	assert_int_equal(calls.count, 0);
	machine_code_find_calls(&image.code, targets, LENGTH(targets), &calls);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (!rows[i].is_found)
			continue;
		assert_true(found < calls.count);
		assert_int_equal(calls.data[found].address, TEXT + rows[i].at);
		assert_int_equal(calls.data[found].is_jump, rows[i].is_jump);
		found++;
	}
	assert_int_equal(found, calls.count);
	array_release(&calls);
	machine_image_close(&image);
}

TEST(test_find_calls_arm64)
{
	static const uint64_t targets[] = { TEXT + 0x100 };
	direct_call_array calls = { 0 };
	struct machine_image image;

	machine_image_init(&image, EM_AARCH64);
	put_le32(image.text, 0x94000040);
	put_le32(image.text + 4, 0x1400003f);
	put_le32(image.text + 8, 0x9400003f);
	put_le32(image.text + 0xffc, 0x97fffc41);
	machine_image_open(&image);
	machine_code_find_calls(&image.code, targets, 1, &calls);
	assert_int_equal(calls.count, 3);
	assert_int_equal(calls.data[0].address, TEXT);
	assert_false(calls.data[0].is_jump);
	assert_true(calls.data[1].is_jump);
	assert_int_equal(calls.data[2].address, TEXT + 0xffc);
	array_release(&calls);
	machine_image_close(&image);
}

/* ---- any code ---- */

TEST(test_limits)
{
	struct machine_code other;
	struct machine_image image;

	machine_image_with(&image, EM_AARCH64, BYTES("\xc0\x03\x5f\xd6"));
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 4, 0), USE_DEAD);
	/* No function, one that ends outside of its section, no bytes, no such register. */
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT, 0), USE_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT + 4, TEXT, 0), USE_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + TEXT_BYTES + 4, 0),
			 USE_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, NO_BYTES, NO_BYTES + 4, 0),
			 USE_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 4, 31), USE_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 4, 64), USE_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 4, 96), USE_UNKNOWN);
	assert_int_equal(machine_code_reaching_at_call(&image.code, TEXT, TEXT + 4, TEXT + 8, 0),
			 REACHING_NO_CALL);
	assert_int_equal(machine_code_use_after(&image.code, TEXT, TEXT, TEXT, 0), USE_UNKNOWN);
	assert_int_equal(machine_code_use_after(&image.code, TEXT, TEXT + 4, TEXT, 0),
			 USE_UNKNOWN);
	assert_int_equal(machine_code_use_after(&image.code, TEXT, TEXT + 4, TEXT + 4, 64),
			 USE_UNKNOWN);
	machine_code_share(&other, &image.code);
	assert_int_equal(machine_code_entry_use(&other, TEXT, TEXT + 4, 0), USE_DEAD);
	machine_code_close(&other);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 4, 0), USE_DEAD);
	machine_image_close(&image);
}

/* What a function of any bytes answers, and each byte of its first 64 as a call. */
struct answers {
	enum register_use entry_use;
	bool reads, reads_uncopied;
	struct {
		enum reaching_definition reaching;
		enum register_use use_after;
		bool keeps_entry;
	} at[64];
};

static void ask_all(const struct machine_code *code, uint64_t begin, uint64_t end,
		    struct answers *answers)
{
	memset(answers, 0, sizeof(*answers));
	answers->entry_use = machine_code_entry_use(code, begin, end, 1);
	answers->reads = machine_code_reads_stack(code, begin, end, 8, 40, false);
	answers->reads_uncopied = machine_code_reads_stack(code, begin, end, 8, 40, true);
	for (uint64_t i = 0; i < LENGTH(answers->at); i++) {
		answers->at[i].reaching =
			machine_code_reaching_at_call(code, begin, end, begin + i, 1);
		answers->at[i].use_after = machine_code_use_after(code, begin, end, begin + i, 1);
		answers->at[i].keeps_entry =
			machine_code_keeps_entry(code, begin, end, begin + i, 1);
	}
}

struct answer_counts {
	uint32_t entry_use[USE_DEAD + 1];
	uint32_t use_after[USE_DEAD + 1];
	uint32_t reaching[REACHING_NO_CALL + 1];
	uint32_t reads, keeps_entry;
};

/* What no two answers about one function may say together. */
static void check_answers(const struct machine_code *code, uint64_t begin,
			  const struct answers *answers, struct answer_counts *counts)
{
	assert_in_range(answers->entry_use, USE_UNKNOWN, USE_DEAD);
	counts->entry_use[answers->entry_use]++;
	counts->reads += answers->reads_uncopied;
	/* What is a read even where copies do not count is one where they do. */
	assert_true(answers->reads || !answers->reads_uncopied);
	for (size_t i = 0; i < LENGTH(answers->at); i++) {
		enum reaching_definition reaching = answers->at[i].reaching;
		struct direct_call call;
		bool is_call = machine_code_call_at(code, begin + i, &call) && !call.is_jump;

		assert_in_range(reaching, REACHING_UNKNOWN, REACHING_NO_CALL);
		assert_in_range(answers->at[i].use_after, USE_UNKNOWN, USE_DEAD);
		counts->reaching[reaching]++;
		counts->use_after[answers->at[i].use_after]++;
		counts->keeps_entry += answers->at[i].keeps_entry;
		if (answers->at[i].keeps_entry)
			assert_true(reaching != REACHING_SET && reaching != REACHING_UNSET);
		if (is_call && reaching == REACHING_ENTRY)
			assert_int_not_equal(answers->entry_use, USE_DEAD);
		/* Of arm64 all know where instructions are. */
		if (code->machine == EM_AARCH64 && i % 4)
			assert_true(reaching == REACHING_NO_CALL || reaching == REACHING_UNKNOWN);
		else if (code->machine == EM_AARCH64 && is_call)
			assert_int_not_equal(reaching, REACHING_NO_CALL);
	}
}

static uint8_t random_byte(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return (uint8_t)(*random >> 24);
}

static void fill_with_bytes(struct machine_image *image, uint32_t *random, bool many_short_jumps)
{
	bool is_x86 = image->machine == EM_X86_64;

	for (size_t i = 0; i < TEXT_BYTES; i++) {
		image->text[i] = random_byte(random);
		if (many_short_jumps && i % 5 == 0)
			image->text[i] = is_x86 ? 0x74 : 0x54;
	}
}

/* Few answers to mere bytes say more than "unknown": these use register 1 and the stack. */
static void fill_with_instructions(struct machine_image *image, uint32_t *random)
{
	static const struct {
		const char *bytes;
		size_t size;
	} x86[] = {
		{ BYTES("\x31\xd2") },			/* xor edx, edx */
		{ BYTES("\x89\xd0") },			/* mov eax, edx */
		{ BYTES("\x48\x8b\x4c\x24\x08") },	/* mov rcx, [rsp + 8] */
		{ BYTES("\x51") },			/* push rcx */
		{ BYTES("\xff\xd0") },			/* call rax */
		{ BYTES("\xe8\x10\0\0\0") },		/* call */
		{ BYTES("\x74\x08") },			/* je */
		{ BYTES("\xeb\x04") },			/* jmp */
		{ BYTES("\xc3") },			/* ret */
		{ BYTES("\x90\x90\x90\x90") },
	}, arm64[] = {
		{ BYTES("\xe1\x03\x02\xaa") },		/* mov x1, x2 */
		{ BYTES("\xe0\x03\x01\xaa") },		/* mov x0, x1 */
		{ BYTES("\xe3\x07\x40\xf9") },		/* ldr x3, [sp, #8] */
		{ BYTES("\xe3\x0f\x1f\xf8") },		/* str x3, [sp, #-16]! */
		{ BYTES("\x00\x01\x3f\xd6") },		/* blr x8 */
		{ BYTES("\x06\x00\x00\x94") },		/* bl */
		{ BYTES("\x60\x00\x00\x54") },		/* b.eq */
		{ BYTES("\x03\x00\x00\x14") },		/* b */
		{ BYTES("\xc0\x03\x5f\xd6") },		/* ret */
		{ BYTES("\x1f\x20\x03\xd5") },		/* nop */
	};

	memset(image->text, 0, TEXT_BYTES);
	for (size_t at = 0; at + 8 < TEXT_BYTES;) {
		size_t i = random_byte(random) % LENGTH(x86);
		bool is_x86 = image->machine == EM_X86_64;
		size_t size = is_x86 ? x86[i].size : arm64[i].size;

		memcpy(image->text + at, is_x86 ? x86[i].bytes : arm64[i].bytes, size);
		at += size;
	}
}

/*
 * Every answer, with any bytes: none may read outside of the text or go on for ever, they agree
 * with each other, and what was asked before changes none of them.
 */
TEST(test_any_bytes)
{
	struct answer_counts counts = { 0 };
	static struct answers answers[TEXT_BYTES / 64];
	uint32_t random = 1;

	for (int round = 0; round < 60; round++) {
		struct machine_image image;
		struct machine_code other;

		machine_image_init(&image, round & 1 ? EM_X86_64 : EM_AARCH64);
		if (round & 4)
			fill_with_instructions(&image, &random);
		else
			fill_with_bytes(&image, &random, round & 2);
		machine_image_open(&image);
		for (uint32_t i = 0; i < LENGTH(answers); i++) {
			uint64_t begin = TEXT + 64 * i;

			ask_all(&image.code, begin, round & 4 ? begin + 64 : TEXT + TEXT_BYTES,
				&answers[i]);
			check_answers(&image.code, begin, &answers[i], &counts);
		}
		machine_code_share(&other, &image.code);
		for (uint32_t i = LENGTH(answers); i-- > 0;) {
			uint64_t begin = TEXT + 64 * i;
			struct answers again;

			ask_all(&other, begin, round & 4 ? begin + 64 : TEXT + TEXT_BYTES, &again);
			assert_memory_equal(&again, &answers[i], sizeof(again));
		}
		machine_code_close(&other);
		machine_image_close(&image);
	}
	/* Each answer is there often enough, on arm64 alone. */
	for (size_t i = 0; i <= USE_DEAD; i++)
		assert_true(counts.entry_use[i] > 50 && counts.use_after[i] > 50);
	for (size_t i = 0; i <= REACHING_NO_CALL; i++)
		assert_true(counts.reaching[i] > 50);
	assert_true(counts.reads > 50 && counts.keeps_entry > 50);
}
