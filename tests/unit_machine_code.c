/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Questions about registers and machine code. Each row is a function at TEXT, its assembly text as
 * its name; its callees follow it in the same image (tests/machine_image.c).
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/machine_image.h"

/* ---- byte patterns ---- */

static void test_bytes(void **state)
{
	struct machine_image image;
	size_t size;

	(void)state;
	machine_image_with(&image, EM_X86_64, BYTES("\x90"));
	assert_int_equal(machine_code_bytes(&image.code, TEXT, &size)[0], 0x90);
	assert_int_equal(size, TEXT_BYTES);
	assert_non_null(machine_code_bytes(&image.code, TEXT + TEXT_BYTES - 1, &size));
	assert_int_equal(size, 1);
	assert_null(machine_code_bytes(&image.code, TEXT + TEXT_BYTES, &size));
	assert_null(machine_code_bytes(&image.code, TEXT - 1, &size));
	/* Data, and text that the file does not have. */
	assert_null(machine_code_bytes(&image.code, TABLES, &size));
	assert_null(machine_code_bytes(&image.code, NO_BYTES, &size));
	assert_int_equal(size, 0);
	machine_image_close(&image);
}

static void test_entry_pad(void **state)
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
		/* A jump there is no call. */
		{ BYTES("\x30\x02\x00\x14\x00\x00\x00\x00"), EM_AARCH64, 0 },
	};

	(void)state;
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

static void test_may_hold_zero(void **state)
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

	(void)state;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct machine_image image;
		bool may;

		machine_image_with(&image, rows[i].machine, rows[i].bytes, rows[i].size);
		may = machine_code_may_hold_zero(&image.code, TEXT, TEXT + rows[i].size,
						 rows[i].reg);
		if (may != rows[i].may)
			fail_msg("row %zu: %d", i, may);
		/* Of code that is not there. */
		assert_int_equal(machine_code_may_hold_zero(&image.code, 0, 0, rows[i].reg),
				 rows[i].machine == EM_AARCH64 || !DECODES_X86);
		assert_int_equal(machine_code_may_hold_zero(&image.code, NO_BYTES, NO_BYTES + 8,
							    rows[i].reg),
				 rows[i].machine == EM_AARCH64 || !DECODES_X86);
		machine_image_close(&image);
	}
}

static void test_direct_call(void **state)
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

	(void)state;
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
static void test_short_jumps(void **state)
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

	(void)state;
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
static void test_find_calls_x86(void **state)
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

	(void)state;
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

static void test_find_calls_arm64(void **state)
{
	static const uint64_t targets[] = { TEXT + 0x100 };
	direct_call_array calls = { 0 };
	struct machine_image image;

	(void)state;
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

/* ---- registers ---- */

struct code_row {
	const char *text;
	const char *bytes;
	size_t size;
	uint32_t site;			/* offset of the call or, for what follows it, of its end */
	unsigned int reg;
	int answer;			/* enum reaching_definition or register_use */
};

struct stack_row {
	const char *text;
	const char *bytes;
	size_t size;
	int64_t offset;
	uint64_t slot_size;
	bool is_read;
};

static int reaching_at_call(const struct machine_code *code, const struct code_row *row)
{
	return machine_code_reaching_at_call(code, TEXT, TEXT + row->size,
					      TEXT + row->site, row->reg);
}

static int use_at_entry(const struct machine_code *code, const struct code_row *row)
{
	return machine_code_entry_use(code, TEXT, TEXT + row->size, row->reg);
}

static int use_after_call(const struct machine_code *code, const struct code_row *row)
{
	return machine_code_use_after(code, TEXT, TEXT + row->size, TEXT + row->site, row->reg);
}

/* unknown: the answer where instructions are not decoded. */
static void check_rows(uint16_t machine, const struct code_row *rows, size_t count,
		       int (*ask)(const struct machine_code *code, const struct code_row *row),
		       int unknown)
{
	for (size_t i = 0; i < count; i++) {
		int expected = machine == EM_X86_64 && !DECODES_X86 ? unknown : rows[i].answer;
		struct machine_image image;
		int answer;

		machine_image_with(&image, machine, rows[i].bytes, rows[i].size);
		answer = ask(&image.code, &rows[i]);
		if (answer != expected)
			fail_msg("%s: register %u: %d, not %d", rows[i].text, rows[i].reg, answer,
				 expected);
		machine_image_close(&image);
	}
}

static void check_stack(const struct stack_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool expected = rows[i].is_read && DECODES_X86;
		struct machine_image image;

		machine_image_with(&image, EM_X86_64, rows[i].bytes, rows[i].size);
		if (machine_code_reads_stack(&image.code, TEXT, TEXT + rows[i].size,
					     rows[i].offset, rows[i].slot_size, true) != expected)
			fail_msg("%s: offset %d: not %d", rows[i].text, (int)rows[i].offset,
				 expected);
		machine_image_close(&image);
	}
}

static void test_reaching_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "mov edi, 1; site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_SET },
		{ "mov dil, 1; site: call f",
		  BYTES("\x40\xb7\x01\xe8\xf8\x08\x00\x00"), 0x3, RDI, REACHING_SET },
		{ "xor edi, edi; site: call f",
		  BYTES("\x31\xff\xe8\xf9\x08\x00\x00"), 0x2, RDI, REACHING_SET },
		{ "test edi, 0x1000; site: call f",
		  BYTES("\xf7\xc7\x00\x10\x00\x00\xe8\xf5\x08\x00\x00"), 0x6, RDI, REACHING_ENTRY },
		{ "cmp rdi, 3; site: call f",
		  BYTES("\x48\x83\xff\x03\xe8\xf7\x08\x00\x00"), 0x4, RDI, REACHING_ENTRY },
		{ "push rdi; site: call f",
		  BYTES("\x57\xe8\xfa\x08\x00\x00"), 0x1, RDI, REACHING_ENTRY },
		{ "call nonleaf; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call nonleaf; pop rdi; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x5f\xe8\xf5\x08\x00\x00"), 0x6, RDI, REACHING_SET },
		{ "call nonleaf; mov rdi, rax; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x48\x89\xc7\xe8\xf3\x08\x00\x00"),
		  0x8, RDI, REACHING_SET },
		{ "call nonleaf; mov rdi, rax; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x48\x89\xc7\xe8\xf3\x08\x00\x00"),
		  0x8, RSI, REACHING_UNSET },
		{ "call nonleaf; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RBX, REACHING_ENTRY },
		{ "call nonleaf; site: jmp f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe9\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call nonleaf; test eax, eax; site: je f",
		  BYTES("\xe8\xfb\x07\x00\x00\x85\xc0\x0f\x84\xf3\x08\x00\x00"),
		  0x7, RDI, REACHING_UNSET },
		{ "call fentry; site: call f",
		  BYTES("\xe8\xbb\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_ENTRY },
		{ "call rax; site: call f",
		  BYTES("\xff\xd0\xe8\xf9\x08\x00\x00"), 0x2, RDI, REACHING_UNSET },
		{ "call [rax + 8]; site: call f",
		  BYTES("\xff\x50\x08\xe8\xf8\x08\x00\x00"), 0x3, RDI, REACHING_UNSET },
		{ "call thunk; site: call f",
		  BYTES("\xe8\xdb\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call leaf; site: call f",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNKNOWN },
		{ "call saver; site: call f",
		  BYTES("\xe8\x5b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNKNOWN },
		{ "call saver; site: call f",
		  BYTES("\xe8\x5b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RSI, REACHING_UNSET },
		{ "call getter; site: call f",
		  BYTES("\xe8\x7b\x08\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDX, REACHING_UNKNOWN },
		{ "call trasher; site: call f",
		  BYTES("\xe8\x5b\x0a\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call trasher; site: call f",
		  BYTES("\xe8\x5b\x0a\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDX, REACHING_UNKNOWN },
		{ "call traced; site: call f",
		  BYTES("\xe8\x3b\x09\x00\x00\xe8\xf6\x08\x00\x00"), 0x5, RDI, REACHING_UNSET },
		{ "call [0x20000]; site: call f",
		  BYTES("\xff\x14\x25\x00\x00\x02\x00\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "mov edi, 1; call leaf; site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\xe8\x36\x08\x00\x00\xe8\xf1\x08\x00\x00"),
		  0xa, RDI, REACHING_UNKNOWN },
		{ "call nonleaf; call leaf; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe8\x36\x08\x00\x00\xe8\xf1\x08\x00\x00"),
		  0xa, RDI, REACHING_UNSET },
		{ "test esi, esi; je 1f; mov edi, 1; 1: site: call f",
		  BYTES("\x85\xf6\x74\x05\xbf\x01\x00\x00\x00\xe8\xf2\x08\x00\x00"),
		  0x9, RDI, REACHING_ENTRY },
		{ "mov dil, 2; jrcxz 1f; mov dil, 1; 1: site: call f",
		  BYTES("\x40\xb7\x02\xe3\x03\x40\xb7\x01\xe8\xf3\x08\x00\x00"),
		  0x8, RDI, REACHING_SET },
		{ "call nonleaf; jrcxz 1f; mov dil, 1; 1: site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xe3\x03\x40\xb7\x01\xe8\xf1\x08\x00\x00"),
		  0xa, RDI, REACHING_UNKNOWN },
		{ "1: site: call f; test eax, eax; jne 1b; ret",
		  BYTES("\xe8\xfb\x08\x00\x00\x85\xc0\x75\xf7\xc3"), 0x0, RDI, REACHING_UNSET },
		{ "1: mov rdi, rbx; site: call f; test eax, eax; jne 1b; ret",
		  BYTES("\x48\x89\xdf\xe8\xf8\x08\x00\x00\x85\xc0\x75\xf4\xc3"),
		  0x3, RDI, REACHING_SET },
		{ "test esi, esi; je 1f; call nonleaf; 1: site: call f",
		  BYTES("\x85\xf6\x74\x05\xe8\xf7\x07\x00\x00\xe8\xf2\x08\x00\x00"),
		  0x9, RDI, REACHING_UNKNOWN },
		{ "test esi, esi; je 1f; call nonleaf; nop; nop; 1: site: call f",
		  BYTES("\x85\xf6\x74\x07\xe8\xf7\x07\x00\x00\x90\x90\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_UNKNOWN },
		{ "mov edi, 1; test esi, esi; je 1f; ud2; 1: site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\x85\xf6\x74\x02\x0f\x0b\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_SET },
		{ "call nonleaf; ud2; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x0f\x0b\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "ret; call nonleaf; site: call f",
		  BYTES("\xc3\xe8\xfa\x07\x00\x00\xe8\xf5\x08\x00\x00"),
		  0x6, RDI, REACHING_UNKNOWN },
		{ "ret; mov edi, 1; site: call f",
		  BYTES("\xc3\xbf\x01\x00\x00\x00\xe8\xf5\x08\x00\x00"), 0x6, RDI, REACHING_SET },
		{ "jmp rax; call nonleaf; site: call f",
		  BYTES("\xff\xe0\xe8\xf9\x07\x00\x00\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "test esi, esi; je 1f; jmp rax; 1: call nonleaf; site: call f",
		  BYTES("\x85\xf6\x74\x02\xff\xe0\xe8\xf5\x07\x00\x00\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_UNKNOWN },
		{ "test esi, esi; je 1f; jmp rax; 1: mov edi, 1; site: call f",
		  BYTES("\x85\xf6\x74\x02\xff\xe0\xbf\x01\x00\x00\x00\xe8\xf0\x08\x00\x00"),
		  0xb, RDI, REACHING_SET },
		{ "jrcxz 1f; mov rax, [rsi]; jmp rax; 1: call nonleaf; nop; site: call f",
		  BYTES("\xe3\x05\x48\x8b\x06\xff\xe0\xe8\xf4\x07\x00\x00\x90\xe8\xee\x08\x00\x00"),
		  0xd, RDI, REACHING_UNSET },
		{ "jrcxz 1f; mov eax, [rsi + rax * 8]; jmp rax; 1: call nonleaf; site: call f",
		  BYTES("\xe3\x05\x8b\x04\xc6\xff\xe0\xe8\xf4\x07\x00\x00\xe8\xef\x08\x00\x00"),
		  0xc, RDI, REACHING_UNKNOWN },
		{ "call nonleaf; jmp [table + rax * 8]; ud2; nop; nop; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\xff\x24\xc5\x00\x00\x02\x00\x0f\x0b\x90\x90\xe8\xeb"
		  "\x08\x00\x00"), 0x10, RDI, REACHING_UNSET },
		{ "call nonleaf; test eax, eax; je outside; site: call f",
		  BYTES("\xe8\xfb\x07\x00\x00\x85\xc0\x0f\x84\xf3\x09\x00\x00\xe8\xee\x08\x00\x00"),
		  0xd, RDI, REACHING_UNKNOWN },
		{ "mov edi, 1; call f; site: ret",
		  BYTES("\xbf\x01\x00\x00\x00\xe8\xf6\x08\x00\x00\xc3"),
		  0xa, RDI, REACHING_NO_CALL },
		{ ".byte 0xb8; site: call f",
		  BYTES("\xb8\xe8\xfa\x08\x00\x00"), 0x1, RDI, REACHING_NO_CALL },
		{ "mov edi, 1; .byte 0x62, 0x62; site: call f",
		  BYTES("\xbf\x01\x00\x00\x00\x62\x62\xe8\xf4\x08\x00\x00"),
		  0x7, RDI, REACHING_UNKNOWN },
		{ "cpuid; site: call f",
		  BYTES("\x0f\xa2\xe8\xf9\x08\x00\x00"), 0x2, RCX, REACHING_SET },
		{ "rep movsb; site: call f",
		  BYTES("\xf3\xa4\xe8\xf9\x08\x00\x00"), 0x2, RSI, REACHING_SET },
		{ "rdmsr; site: call f",
		  BYTES("\x0f\x32\xe8\xf9\x08\x00\x00"), 0x2, RDX, REACHING_SET },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), reaching_at_call, REACHING_UNKNOWN);
}

static void test_uses_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "movss [rdi], xmm0; ret",
		  BYTES("\xf3\x0f\x11\x07\xc3"), 0, 17, USE_UNKNOWN },
		{ "mov eax, [rdi]; ret", BYTES("\x8b\x07\xc3"), 0, RDI, USE_READ },
		{ "mov rax, [rsi + rdi]; ret", BYTES("\x48\x8b\x04\x3e\xc3"), 0, RDI, USE_READ },
		{ "xor edi, edi; mov eax, edi; ret",
		  BYTES("\x31\xff\x89\xf8\xc3"), 0, RDI, USE_DEAD },
		{ "sbb edi, edi; ret", BYTES("\x19\xff\xc3"), 0, RDI, USE_DEAD },
		{ "xor edi, esi; ret", BYTES("\x31\xf7\xc3"), 0, RDI, USE_READ },
		{ "or edi, -1; ret", BYTES("\x83\xcf\xff\xc3"), 0, RDI, USE_DEAD },
		{ "or edi, 1; ret", BYTES("\x83\xcf\x01\xc3"), 0, RDI, USE_READ },
		{ "nop dword ptr [rdi + rax]; ret",
		  BYTES("\x0f\x1f\x04\x07\xc3"), 0, RDI, USE_DEAD },
		{ "test edi, 0x1000; ret",
		  BYTES("\xf7\xc7\x00\x10\x00\x00\xc3"), 0, RDI, USE_READ },
		{ "push rdi; xor edi, edi; call f; pop rdi; ret",
		  BYTES("\x57\x31\xff\xe8\xf8\x08\x00\x00\x5f\xc3"), 0, RDI, USE_UNKNOWN },
		{ "push [rdi]; pop rax; ret", BYTES("\xff\x37\x58\xc3"), 0, RDI, USE_READ },
		{ "ret", BYTES("\xc3"), 0, RDI, USE_DEAD },
		{ "call f; ret", BYTES("\xe8\xfb\x08\x00\x00\xc3"), 0, RDI, USE_PASSED },
		{ "xor edi, edi; call f; ret",
		  BYTES("\x31\xff\xe8\xf9\x08\x00\x00\xc3"), 0, RDI, USE_DEAD },
		{ "jmp f", BYTES("\xe9\xfb\x08\x00\x00"), 0, RDI, USE_PASSED },
		{ "jmp return_thunk", BYTES("\xe9\x9b\x08\x00\x00"), 0, RDI, USE_DEAD },
		{ "call fentry; ret", BYTES("\xe8\xbb\x08\x00\x00\xc3"), 0, RDI, USE_DEAD },
		{ "call fentry; mov eax, edi; ret",
		  BYTES("\xe8\xbb\x08\x00\x00\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ "test esi, esi; je 1f; mov eax, edi; 1: ret",
		  BYTES("\x85\xf6\x74\x02\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ "test esi, esi; je f; ret",
		  BYTES("\x85\xf6\x0f\x84\xf8\x08\x00\x00\xc3"), 0, RDI, USE_PASSED },
		{ "call fentry; test esi, esi; je outside; ret",
		  BYTES("\xe8\xbb\x08\x00\x00\x85\xf6\x0f\x84\xf3\x09\x00\x00\xc3"),
		  0, RDX, USE_READ },
		{ "call f; mov eax, edi; ret",
		  BYTES("\xe8\xfb\x08\x00\x00\x89\xf8\xc3"), 0, RDI, USE_PASSED },
		{ "call leaf; mov eax, edi; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x89\xf8\xc3"), 0, RDI, USE_UNKNOWN },
		{ "call rdi; ret", BYTES("\xff\xd7\xc3"), 0, RDI, USE_READ },
		{ "jmp rax", BYTES("\xff\xe0"), 0, RDI, USE_UNKNOWN },
		{ "mov rax, [rsi]; jmp rax", BYTES("\x48\x8b\x06\xff\xe0"), 0, RDI, USE_PASSED },
		{ "jmp [rax + 8]", BYTES("\xff\x60\x08"), 0, RDI, USE_PASSED },
		{ "vmcall; ret", BYTES("\x0f\x01\xc1\xc3"), 0, RDI, USE_UNKNOWN },
		{ "test esi, esi; je 1f; mov edi, 1; jmp 2f; 1: ud2; 2: mov eax, edi; ret",
		  BYTES("\x85\xf6\x74\x07\xbf\x01\x00\x00\x00\xeb\x02\x0f\x0b\x89\xf8\xc3"),
		  0, RDI, USE_UNKNOWN },
		{ "ud2; mov eax, edi; ret", BYTES("\x0f\x0b\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ ".byte 0x67, 0x0f, 0xb9, 0x40, 0x05; mov eax, edi; ret",
		  BYTES("\x67\x0f\xb9\x40\x05\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ ".byte 0x62, 0x62; ret", BYTES("\x62\x62\xc3"), 0, RDI, USE_UNKNOWN },
		/* Neither capstone 4 nor 5 knows it. */
		{ "rdpru; ret", BYTES("\x0f\x01\xfd\xc3"), 0, RDX, USE_UNKNOWN },
		{ "test esi, esi; cmove edi, edx; mov eax, edi; ret",
		  BYTES("\x85\xf6\x0f\x44\xfa\x89\xf8\xc3"), 0, RDI, USE_READ },
		{ "rep stosb; ret", BYTES("\xf3\xaa\xc3"), 0, RCX, USE_READ },
		{ "xor edi, edi; nop; jmp 1f; 1: mov eax, edi; ret",
		  BYTES("\x31\xff\x90\xeb\x00\x89\xf8\xc3"), 0, RDI, USE_DEAD },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), use_at_entry, USE_UNKNOWN);
}

static void test_reaching_arm64(void **state)
{
	static const struct code_row rows[] = {
		{ "mov w0, #1; site: bl f",
		  BYTES("\x20\x00\x80\x52\x3f\x02\x00\x94"), 0x4, 0, REACHING_SET },
		{ "movk w0, #1; site: bl f",
		  BYTES("\x20\x00\x80\x72\x3f\x02\x00\x94"), 0x4, 0, REACHING_SET },
		{ "bl nonleaf; site: bl f",
		  BYTES("\x00\x02\x00\x94\x3f\x02\x00\x94"), 0x4, 0, REACHING_UNKNOWN },
		{ "bl nonleaf; site: bl f",
		  BYTES("\x00\x02\x00\x94\x3f\x02\x00\x94"), 0x4, 1, REACHING_UNSET },
		{ "bl nonleaf; ldp x2, x1, [sp, #16]; site: bl f",
		  BYTES("\x00\x02\x00\x94\xe2\x07\x41\xa9\x3e\x02\x00\x94"), 0x8, 1, REACHING_SET },
		{ "bl nonleaf; mov x2, x1; site: b f",
		  BYTES("\x00\x02\x00\x94\xe2\x03\x01\xaa\x3e\x02\x00\x14"),
		  0x8, 1, REACHING_UNSET },
		{ "bl nonleaf; site: bl f",
		  BYTES("\x00\x02\x00\x94\x3f\x02\x00\x94"), 0x4, 19, REACHING_ENTRY },
		{ "cmp w0, #3; b.eq f; site: bl f",
		  BYTES("\x1f\x0c\x00\x71\xe0\x47\x00\x54\x3e\x02\x00\x94"),
		  0x8, 0, REACHING_ENTRY },
		{ "cbz x1, 1f; mov x0, x2; 1: site: bl f",
		  BYTES("\x41\x00\x00\xb4\xe0\x03\x02\xaa\x3e\x02\x00\x94"),
		  0x8, 0, REACHING_ENTRY },
		{ "cbz x1, 1f; bl nonleaf; 1: site: bl f",
		  BYTES("\x41\x00\x00\xb4\xff\x01\x00\x94\x3e\x02\x00\x94"),
		  0x8, 2, REACHING_UNKNOWN },
		{ "cbz x1, 1f; br x3; 1: bl nonleaf; nop; site: bl f",
		  BYTES("\x41\x00\x00\xb4\x60\x00\x1f\xd6\xfe\x01\x00\x94\x1f\x20\x03\xd5\x3c\x02"
		  "\x00\x94"), 0x10, 2, REACHING_UNKNOWN },
		{ "cbz x1, 1f; ldr x3, [x1]; br x3; 1: bl nonleaf; nop; site: bl f",
		  BYTES("\x61\x00\x00\xb4\x23\x00\x40\xf9\x60\x00\x1f\xd6\xfd\x01\x00\x94\x1f\x20"
		  "\x03\xd5\x3b\x02\x00\x94"), 0x14, 2, REACHING_UNSET },
		{ "mrs x4, sp_el0; site: bl f",
		  BYTES("\x04\x41\x38\xd5\x3f\x02\x00\x94"), 0x4, 4, REACHING_SET },
		{ "ldr x0, [x1, #8]!; site: bl f",
		  BYTES("\x20\x8c\x40\xf8\x3f\x02\x00\x94"), 0x4, 1, REACHING_SET },
		{ "hvc #0; site: bl f",
		  BYTES("\x02\x00\x00\xd4\x3f\x02\x00\x94"), 0x4, 2, REACHING_SET },
		{ "blr x8; site: bl f",
		  BYTES("\x00\x01\x3f\xd6\x3f\x02\x00\x94"), 0x4, 1, REACHING_UNSET },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), reaching_at_call, REACHING_UNKNOWN);
}

static void test_uses_arm64(void **state)
{
	static const struct code_row rows[] = {
		{ "mov w0, #3; ret", BYTES("\x60\x00\x80\x52\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "movk w0, #3; ret", BYTES("\x60\x00\x80\x72\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "add w0, w0, #3; ret",
		  BYTES("\x00\x0c\x00\x11\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "stp x0, x1, [sp, #-16]!; ret",
		  BYTES("\xe0\x07\xbf\xa9\xc0\x03\x5f\xd6"), 0, 1, USE_READ },
		{ "ldp x0, x1, [x2]; ret",
		  BYTES("\x40\x04\x40\xa9\xc0\x03\x5f\xd6"), 0, 1, USE_DEAD },
		{ "str x0, [x1, x2, lsl #3]; ret",
		  BYTES("\x20\x78\x22\xf8\xc0\x03\x5f\xd6"), 0, 2, USE_READ },
		{ "cbz w0, 1f; 1: ret", BYTES("\x20\x00\x00\x34\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "tbnz w1, #3, 1f; 1: ret",
		  BYTES("\x21\x00\x18\x37\xc0\x03\x5f\xd6"), 0, 1, USE_READ },
		{ "eor x0, x0, x0; ret",
		  BYTES("\x00\x00\x00\xca\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "eor x0, x0, x1; ret",
		  BYTES("\x00\x00\x01\xca\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "bfi x0, x1, #3, #4; ret",
		  BYTES("\x20\x0c\x7d\xb3\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "ubfx x0, x1, #3, #4; ret",
		  BYTES("\x20\x18\x43\xd3\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "csel x0, x1, x2, eq; ret",
		  BYTES("\x20\x00\x82\x9a\xc0\x03\x5f\xd6"), 0, 2, USE_READ },
		{ "ccmp x1, #3, #0, eq; ret",
		  BYTES("\x20\x08\x43\xfa\xc0\x03\x5f\xd6"), 0, 3, USE_DEAD },
		{ "ldadd x1, x2, [x3]; ret",
		  BYTES("\x62\x00\x21\xf8\xc0\x03\x5f\xd6"), 0, 2, USE_DEAD },
		{ "casp x0, x1, x2, x3, [x4]; ret",
		  BYTES("\x82\x7c\x20\x48\xc0\x03\x5f\xd6"), 0, 1, USE_READ },
		{ "madd x0, x1, x2, x3; ret",
		  BYTES("\x20\x0c\x02\x9b\xc0\x03\x5f\xd6"), 0, 3, USE_READ },
		{ "msr daif, x3; ret", BYTES("\x23\x42\x1b\xd5\xc0\x03\x5f\xd6"), 0, 3, USE_READ },
		{ "mrs x3, sp_el0; ret",
		  BYTES("\x03\x41\x38\xd5\xc0\x03\x5f\xd6"), 0, 3, USE_DEAD },
		{ "ldr x0, 1f; 1: ret", BYTES("\x20\x00\x00\x58\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "fmov d0, x0; ret", BYTES("\x00\x00\x67\x9e\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "fmov x0, d0; ret", BYTES("\x00\x00\x66\x9e\xc0\x03\x5f\xd6"), 0, 0, USE_DEAD },
		{ "prfm pldl1keep, [x0]; ret",
		  BYTES("\x00\x00\x80\xf9\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "paciasp; bti c; nop; ret",
		  BYTES("\x3f\x23\x03\xd5\x5f\x24\x03\xd5\x1f\x20\x03\xd5\xc0\x03\x5f\xd6"),
		  0, 0, USE_DEAD },
		{ "bl f; ret", BYTES("\x40\x02\x00\x94\xc0\x03\x5f\xd6"), 0, 0, USE_PASSED },
		{ "b f", BYTES("\x40\x02\x00\x14"), 0, 0, USE_PASSED },
		{ "br x0", BYTES("\x00\x00\x1f\xd6"), 0, 0, USE_READ },
		{ "brk #0x800; mov x1, x0; ret",
		  BYTES("\x00\x00\x21\xd4\xe1\x03\x00\xaa\xc0\x03\x5f\xd6"), 0, 0, USE_READ },
		{ "hvc #0; ret", BYTES("\x02\x00\x00\xd4\xc0\x03\x5f\xd6"), 0, 1, USE_UNKNOWN },
		{ "ptrue p0.b; mov x0, #0; ret",
		  BYTES("\xe0\xe3\x18\x25\x00\x00\x80\xd2\xc0\x03\x5f\xd6"), 0, 0, USE_UNKNOWN },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), use_at_entry, USE_UNKNOWN);
}

/* Of a vector register it is known at most that it is read. */
static void test_vectors_arm64(void **state)
{
	enum { V0 = 64 };
	static const struct code_row rows[] = {
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fadd s0, s1, s2; ret",
		  BYTES("\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 3, USE_UNKNOWN },
		{ "fmadd d0, d1, d2, d3; ret",
		  BYTES("\x20\x0c\x42\x1f\xc0\x03\x5f\xd6"), 0, V0 + 3, USE_READ },
		{ "fcmp s0, s1; ret",
		  BYTES("\x00\x20\x21\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "fcmp s0, s1; ret",
		  BYTES("\x00\x20\x21\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcmp s1, #0.0; ret",
		  BYTES("\x28\x20\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcmp s1, #0.0; ret",
		  BYTES("\x28\x20\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fccmp s0, s1, #0, eq; ret",
		  BYTES("\x00\x04\x21\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcsel s0, s1, s2, eq; ret",
		  BYTES("\x20\x0c\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "fcsel s0, s1, s2, eq; ret",
		  BYTES("\x20\x0c\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fcvt d0, s1; ret",
		  BYTES("\x20\xc0\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcvt d0, s1; ret",
		  BYTES("\x20\xc0\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fcvtzs w0, s1; ret",
		  BYTES("\x20\x00\x38\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcvtzs w0, s1; ret",
		  BYTES("\x20\x00\x38\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fcvtzu x0, d1, #3; ret",
		  BYTES("\x20\xf4\x59\x9e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fcvtzu x0, d1, #3; ret",
		  BYTES("\x20\xf4\x59\x9e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "scvtf s1, w0; ret",
		  BYTES("\x01\x00\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "scvtf s1, w0; ret",
		  BYTES("\x01\x00\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "scvtf s0, w1, #3; ret",
		  BYTES("\x20\xf4\x02\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "fmov w0, s1; ret",
		  BYTES("\x20\x00\x26\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fmov w0, s1; ret",
		  BYTES("\x20\x00\x26\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s1, w0; ret",
		  BYTES("\x01\x00\x27\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s0, #1.0; ret",
		  BYTES("\x00\x10\x2e\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s0, s1; ret",
		  BYTES("\x20\x40\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fmov s0, s1; ret",
		  BYTES("\x20\x40\x20\x1e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "movi v0.2d, #0; ret",
		  BYTES("\x00\xe4\x00\x6f\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "str s0, [x1]; ret",
		  BYTES("\x20\x00\x00\xbd\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "str s0, [x1]; ret",
		  BYTES("\x20\x00\x00\xbd\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "str q1, [x0, x2]; ret",
		  BYTES("\x01\x68\xa2\x3c\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "str q1, [x0, x2]; ret",
		  BYTES("\x01\x68\xa2\x3c\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "stur h0, [x1, #1]; ret",
		  BYTES("\x20\x10\x00\x7c\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "stp s0, s1, [x2]; ret",
		  BYTES("\x40\x04\x00\x2d\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "stp s0, s1, [x2]; ret",
		  BYTES("\x40\x04\x00\x2d\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "ldr s1, [x0], #4; ret",
		  BYTES("\x01\x44\x40\xbc\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "ldp d0, d1, [x2]; ret",
		  BYTES("\x40\x04\x40\x6d\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "st1 {v0.4s}, [x0]; ret",
		  BYTES("\x00\x78\x00\x4c\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "mov v0.s[1], v1.s[0]; ret",
		  BYTES("\x20\x04\x0c\x6e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "mov v0.s[1], v1.s[0]; ret",
		  BYTES("\x20\x04\x0c\x6e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "mov w0, v0.s[1]; ret",
		  BYTES("\x00\x3c\x0c\x0e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "mov s0, v1.s[1]; ret",
		  BYTES("\x20\x04\x0c\x5e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "mov s0, v1.s[1]; ret",
		  BYTES("\x20\x04\x0c\x5e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "dup v0.4s, v1.s[0]; ret",
		  BYTES("\x20\x04\x04\x4e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "dup v0.4s, v1.s[0]; ret",
		  BYTES("\x20\x04\x04\x4e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "dup v1.4s, w0; ret",
		  BYTES("\x01\x0c\x04\x4e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "mov v1.16b, v0.16b; ret",
		  BYTES("\x01\x1c\xa0\x4e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "eor v0.16b, v0.16b, v0.16b; ret",
		  BYTES("\x00\x1c\x20\x6e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "sub d0, d0, d0; ret",
		  BYTES("\x00\x84\xe0\x7e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fadd v0.2s, v0.2s, v1.2s; ret",
		  BYTES("\x00\xd4\x21\x0e\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_READ },
		{ "fadd v0.2s, v0.2s, v1.2s; ret",
		  BYTES("\x00\xd4\x21\x0e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "scvtf s0, s1; ret",
		  BYTES("\x20\xd8\x21\x5e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "faddp s0, v1.2s; ret",
		  BYTES("\x20\xd8\x30\x7e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "shl v0.2s, v1.2s, #3; ret",
		  BYTES("\x20\x54\x23\x0f\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "shl v0.2s, v1.2s, #3; ret",
		  BYTES("\x20\x54\x23\x0f\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmul v0.2s, v1.2s, v2.s[0]; ret",
		  BYTES("\x20\x90\x82\x0f\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "fmul v0.2s, v1.2s, v2.s[0]; ret",
		  BYTES("\x20\x90\x82\x0f\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_UNKNOWN },
		{ "smull v0.2d, v1.2s, v2.2s; ret",
		  BYTES("\x20\xc0\xa2\x0e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_READ },
		{ "smull v0.2d, v1.2s, v2.2s; ret",
		  BYTES("\x20\xc0\xa2\x0e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "ext v0.16b, v0.16b, v1.16b, #4; ret",
		  BYTES("\x00\x20\x01\x6e\xc0\x03\x5f\xd6"), 0, V0 + 1, USE_UNKNOWN },
		{ "add x0, x0, x1; ret",
		  BYTES("\x00\x00\x01\x8b\xc0\x03\x5f\xd6"), 0, V0 + 0, USE_UNKNOWN },
		{ "fmov s1, w0; fadd s0, s1, s2; ret",
		  BYTES("\x01\x00\x27\x1e\x20\x28\x22\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 1, USE_UNKNOWN },
		{ "fmov s1, w0; fadd s0, s1, s2; ret",
		  BYTES("\x01\x00\x27\x1e\x20\x28\x22\x1e\xc0\x03\x5f\xd6"), 0, V0 + 2, USE_READ },
		{ "ld1 {v1.4s}, [x0]; fadd s0, s1, s2; ret",
		  BYTES("\x01\x78\x40\x4c\x20\x28\x22\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 2, USE_UNKNOWN },
		{ "bl f; fadd s0, s1, s8; ret",
		  BYTES("\x40\x02\x00\x94\x20\x28\x28\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 1, USE_UNKNOWN },
		{ "bl f; fadd s0, s1, s8; ret",
		  BYTES("\x40\x02\x00\x94\x20\x28\x28\x1e\xc0\x03\x5f\xd6"), 0, V0 + 8, USE_READ },
		{ "cbz x0, 1f; fmov s1, w0; 1: fneg s0, s1; ret",
		  BYTES("\x40\x00\x00\xb4\x01\x00\x27\x1e\x20\x40\x21\x1e\xc0\x03\x5f\xd6"),
		  0, V0 + 1, USE_READ },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), use_at_entry, USE_UNKNOWN);
}

static void test_after_x86(void **state)
{
	static const struct code_row rows[] = {
		{ "call leaf; site: test al, al; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x84\xc0\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: mov eax, 1; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xb8\x01\x00\x00\x00\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x31\xc0\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: setne al; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x95\xc0\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xc3"), 0x5, RAX, USE_PASSED },
		{ "call leaf; site: jmp empty",
		  BYTES("\xe8\x3b\x08\x00\x00\xe9\x96\x08\x00\x00"), 0x5, RAX, USE_PASSED },
		{ "call leaf; site: mov rbx, rdx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x48\x89\xd3\xc3"), 0x5, RDX, USE_UNKNOWN },
		{ "call leaf; site: mov rbx, rax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x48\x89\xc3\xc3"), 0x5, RDX, USE_PASSED },
		{ "call leaf; site: test edi, edi; je 1f; mov ebx, eax; 1: xor eax, eax; "
		  "ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x74\x02\x89\xc3\x31\xc0\xc3"),
		  0x5, RAX, USE_READ },
		{ "call leaf; site: test edi, edi; je 1f; mov eax, 1; 1: ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x74\x05\xb8\x01\x00\x00\x00\xc3"),
		  0x5, RAX, USE_PASSED },
		{ "call leaf; site: test edi, edi; je 1f; xor eax, eax; ret; "
		  "1: mov eax, 1; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x74\x03\x31\xc0\xc3\xb8\x01\x00\x00\x00"
			"\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "1: call leaf; site: dec ebx; jne 1b; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xcb\x75\xf7\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "1: mov ecx, eax; call leaf; site: dec ebx; jne 1b; xor eax, eax; ret",
		  BYTES("\x89\xc1\xe8\x39\x08\x00\x00\xff\xcb\x75\xf5\x31\xc0\xc3"),
		  0x7, RAX, USE_READ },
		{ "call leaf; site: call traced; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x36\x09\x00\x00\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: call fentry; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xb6\x08\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: call fentry; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xb6\x08\x00\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_READ },
		{ "call leaf; site: call empty; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x96\x08\x00\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: call keeper; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x16\x0a\x00\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: call keeper; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x16\x0a\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: call getter; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x76\x08\x00\x00\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: call trapper; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x36\x0a\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: call trapper; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\x36\x0a\x00\x00\xc3"),
		  0x5, RDX, USE_UNKNOWN },
		{ "call leaf; site: call thunk; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xe8\xd6\x08\x00\x00\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: call rax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xd0\xc3"), 0x5, RAX, USE_READ },
		{ "call leaf; site: call rbx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xd3\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: call rbx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xd3\xc3"), 0x5, RDX, USE_UNKNOWN },
		{ "call leaf; site: call [0x20000]; test eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\x14\x25\x00\x00\x02\x00\x85\xc0\xc3"),
		  0x5, RAX, USE_DEAD },
		{ "call leaf; site: push rax; call traced; pop rcx; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x50\xe8\x35\x09\x00\x00\x59\xc3"),
		  0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: ud2",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x0b"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: ud2; mov ebx, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x0b\x89\xc3\xc3"), 0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: ud2; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x0f\x0b\x31\xc0\xc3"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: jmp leaf",
		  BYTES("\xe8\x3b\x08\x00\x00\xe9\x36\x08\x00\x00"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: jmp getter",
		  BYTES("\xe8\x3b\x08\x00\x00\xe9\x76\x08\x00\x00"), 0x5, RAX, USE_READ },
		{ "call leaf; site: test edi, edi; je getter; xor eax, eax; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x85\xff\x0f\x84\x73\x08\x00\x00\x31\xc0\xc3"),
		  0x5, RAX, USE_READ },
		{ "call leaf; site: jmp [rbx]",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\x23"), 0x5, RAX, USE_PASSED },
		{ "call leaf; site: jmp rbx",
		  BYTES("\xe8\x3b\x08\x00\x00\xff\xe3"), 0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site: .byte 0x62, 0x62; ret",
		  BYTES("\xe8\x3b\x08\x00\x00\x62\x62\xc3"), 0x5, RAX, USE_UNKNOWN },
		{ "call leaf; site:",
		  BYTES("\xe8\x3b\x08\x00\x00"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: nop; nop",
		  BYTES("\xe8\x3b\x08\x00\x00\x90\x90"), 0x5, RAX, USE_DEAD },
		{ "call leaf; site: mov ebx, 1",
		  BYTES("\xe8\x3b\x08\x00\x00\xbb\x01\x00\x00\x00"), 0x5, RAX, USE_PASSED },
		{ "jmp leaf; site:",
		  BYTES("\xe9\x3b\x08\x00\x00"), 0x5, RAX, USE_PASSED },
		{ "jmp 1f; site: nop; 1: ret",
		  BYTES("\xeb\x01\x90\xc3"), 0x2, RAX, USE_UNKNOWN },
		{ "nop; site: test eax, eax; ret",
		  BYTES("\x90\x85\xc0\xc3"), 0x1, RAX, USE_UNKNOWN },
	};

	(void)state;
	check_rows(EM_X86_64, rows, LENGTH(rows), use_after_call, USE_UNKNOWN);
}

static void test_after_arm64(void **state)
{
	static const struct code_row rows[] = {
		{ "bl f; site: cbz w0, 1f; 1: ret",
		  BYTES("\x40\x02\x00\x94\x20\x00\x00\x34\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_READ },
		{ "bl f; site: mov w0, #1; ret",
		  BYTES("\x40\x02\x00\x94\x20\x00\x80\x52\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_DEAD },
		{ "bl f; site: ret",
		  BYTES("\x40\x02\x00\x94\xc0\x03\x5f\xd6"), 0x4, 0, USE_PASSED },
		{ "bl f; site: bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xff\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_UNKNOWN },
		{ "bl f; site: mov x0, x19; bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xe0\x03\x13\xaa\xfe\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 0, USE_DEAD },
		{ "bl f; site: mov x0, x19; bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xe0\x03\x13\xaa\xfe\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 1, USE_UNKNOWN },
		{ "bl f; site: mov x2, x1; bl nonleaf; ret",
		  BYTES("\x40\x02\x00\x94\xe2\x03\x01\xaa\xfe\x01\x00\x94\xc0\x03\x5f\xd6"),
		  0x4, 1, USE_READ },
		{ "b f; site:",
		  BYTES("\x40\x02\x00\x14"), 0x4, 0, USE_PASSED },
		{ "bl f; site: brk #0x800",
		  BYTES("\x40\x02\x00\x94\x00\x00\x21\xd4"), 0x4, 0, USE_DEAD },
	};

	(void)state;
	check_rows(EM_AARCH64, rows, LENGTH(rows), use_after_call, USE_UNKNOWN);
}

static void test_stack_x86(void **state)
{
	static const struct stack_row rows[] = {
		{ "ret",
		  BYTES("\xc3"), 8, 8, false },
		{ "mov eax, [rsp + 8]; ret",
		  BYTES("\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "mov eax, [rsp + 8]; ret",
		  BYTES("\x8b\x44\x24\x08\xc3"), 16, 8, false },
		{ "mov al, [rsp + 15]; ret",
		  BYTES("\x8a\x44\x24\x0f\xc3"), 8, 8, true },
		{ "mov rax, [rsp]; ret",
		  BYTES("\x48\x8b\x04\x24\xc3"), 8, 8, false },
		{ "mov rax, [rsp + 1]; ret",
		  BYTES("\x48\x8b\x44\x24\x01\xc3"), 8, 8, true },
		{ "mov rax, [rsp + 72]; ret",
		  BYTES("\x48\x8b\x44\x24\x48\xc3"), 8, 65, true },
		{ "mov rax, [rsp + 72]; ret",
		  BYTES("\x48\x8b\x44\x24\x48\xc3"), 8, 64, false },
		{ "mov eax, gs:[rsp + 8]; ret",
		  BYTES("\x65\x8b\x44\x24\x08\xc3"), 8, 8, false },
		{ "mov [rsp + 8], eax; ret",
		  BYTES("\x89\x44\x24\x08\xc3"), 8, 8, false },
		{ "cmp [rsp + 8], eax; ret",
		  BYTES("\x39\x44\x24\x08\xc3"), 8, 8, true },
		{ "call [rsp + 8]; ret",
		  BYTES("\xff\x54\x24\x08\xc3"), 8, 8, true },
		{ "movups [rsp + 8], xmm0; ret",
		  BYTES("\x0f\x11\x44\x24\x08\xc3"), 8, 8, false },
		{ "movsd [rsp + 8], xmm0; ret",
		  BYTES("\xf2\x0f\x11\x44\x24\x08\xc3"), 8, 8, false },
		{ "fld tbyte ptr [rsp + 8]; ret",
		  BYTES("\xdb\x6c\x24\x08\xc3"), 16, 8, true },
		{ "nop dword ptr [rsp + 8]; ret",
		  BYTES("\x0f\x1f\x44\x24\x08\xc3"), 8, 8, false },
		{ "prefetcht0 [rsp + 8]; ret",
		  BYTES("\x0f\x18\x4c\x24\x08\xc3"), 8, 8, false },
		{ "mov [rsp + 8], rdi; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"), 8, 8, false },
		{ "mov [rsp + 8], edi; mov rax, [rsp + 8]; ret",
		  BYTES("\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "mov [rsp + 8], rdi; mov rax, [rsp + 16]; ret",
		  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x10\xc3"), 8, 16, true },
		{ "mov [rsp + 8], rdi; 1: mov rax, [rsp + 8]; dec edi; jne 1b; ret",
		  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xff\xcf\x75\xf7\xc3"),
		  8, 8, false },
		{ "push rbx; mov rax, [rsp + 8]; pop rbx; ret",
		  BYTES("\x53\x48\x8b\x44\x24\x08\x5b\xc3"), 8, 8, false },
		{ "push rbx; mov rax, [rsp + 16]; pop rbx; ret",
		  BYTES("\x53\x48\x8b\x44\x24\x10\x5b\xc3"), 8, 8, true },
		{ "push rbx; pop rbx; mov rax, [rsp + 8]; ret",
		  BYTES("\x53\x5b\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "push rsp; pop rbx; mov rax, [rsp + 8]; ret",
		  BYTES("\x54\x5b\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "pushfq; mov rax, [rsp + 16]; popfq; ret",
		  BYTES("\x9c\x48\x8b\x44\x24\x10\x9d\xc3"), 8, 8, true },
		{ "sub rsp, 24; mov rax, [rsp + 24]; add rsp, 24; ret",
		  BYTES("\x48\x83\xec\x18\x48\x8b\x44\x24\x18\x48\x83\xc4\x18\xc3"),
		  8, 8, false },
		{ "sub rsp, 24; mov rax, [rsp + 32]; add rsp, 24; ret",
		  BYTES("\x48\x83\xec\x18\x48\x8b\x44\x24\x20\x48\x83\xc4\x18\xc3"),
		  8, 8, true },
		{ "sub rsp, -128; add rsp, -128; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x83\xec\x80\x48\x83\xc4\x80\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		{ "push rbp; mov rbp, rsp; push rbx; mov rax, [rbp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x53\x48\x8b\x45\x10\xc9\xc3"), 8, 8, true },
		{ "push rbp; mov rbp, rsp; push rbx; leave; mov rax, [rsp + 8]; ret",
		  BYTES("\x55\x48\x89\xe5\x53\xc9\x48\x8b\x44\x24\x08\xc3"), 8, 8, true },
		{ "push rbp; mov rbp, rsp; push rbx; lea rsp, [rbp - 8]; pop rbx; pop rbp; "
		  "mov rax, [rsp + 8]; ret",
		  BYTES("\x55\x48\x89\xe5\x53\x48\x8d\x65\xf8\x5b\x5d\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		{ "push rbp; mov rbp, rsp; sub rsp, rdi; mov rax, [rsp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x29\xfc\x48\x8b\x44\x24\x10\xc9\xc3"),
		  8, 8, false },
		{ "push rbp; mov rbp, rsp; sub rsp, rdi; mov rax, [rbp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x29\xfc\x48\x8b\x45\x10\xc9\xc3"),
		  8, 8, true },
		{ "push rbp; mov rbp, rsp; mov rax, rsp; sub rax, rdi; mov rsp, rax; "
		  "mov rax, [rsp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x89\xe0\x48\x29\xf8\x48\x89\xc4\x48\x8b\x44\x24"
			"\x10\xc9\xc3"),
		  8, 8, false },
		{ "push rbp; mov rbp, rsp; and rsp, -32; mov rax, [rsp + 40]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x8b\x44\x24\x28\xc9\xc3"),
		  8, 8, false },
		{ "push rbp; mov rbp, rsp; and rsp, -32; mov rax, [rbp + 16]; leave; ret",
		  BYTES("\x55\x48\x89\xe5\x48\x83\xe4\xe0\x48\x8b\x45\x10\xc9\xc3"),
		  8, 8, true },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; call leaf; mov r10, [rbp - 8]; leave; "
		  "lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\xe8\x28\x08\x00\x00\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"),
		  8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov eax, [r10 + 8]; mov r10, [rbp - 8]; leave; "
		  "lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x41\x8b\x42\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"),
		  16, 8, true },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov eax, [r10 + 8]; mov r10, [rbp - 8]; leave; "
		  "lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x41\x8b\x42\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62\xf8\xc3"),
		  8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov rcx, [rbp - 8]; mov eax, [rcx + 8]; "
		  "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x48\x8b\x4d\xf8\x8b\x41\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62"
			"\xf8\xc3"),
		  8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov rcx, [rbp - 16]; mov eax, [rcx + 8]; "
		  "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x48\x8b\x4d\xf0\x8b\x41\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62"
			"\xf8\xc3"),
		  16, 8, false },
		{ "mov rsp, [rdi]; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x8b\x27\x48\x8b\x44\x24\x08\xc3"), 8, 8, false },
		{ "1: sub rsp, 16; dec edi; jne 1b; mov rax, [rsp + 8]; ret",
		  BYTES("\x48\x83\xec\x10\xff\xcf\x75\xf8\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, false },
		{ "test edi, edi; je 1f; push rax; call nonleaf; 1: mov rax, [rsp + 8]; ret",
		  BYTES("\x85\xff\x74\x06\x50\xe8\xf6\x07\x00\x00\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		{ "test edi, edi; je 1f; push rax; call nonleaf; 1: mov rax, [rsp + 8]; ret",
		  BYTES("\x85\xff\x74\x06\x50\xe8\xf6\x07\x00\x00\x48\x8b\x44\x24\x08\xc3"),
		  16, 8, false },
		{ "vmovdqu [rsp + 8], ymm0; ret",
		  BYTES("\xc5\xfe\x7f\x44\x24\x08\xc3"), 8, 8, false },
		{ "movsxd rax, dword ptr [rsp + 8]; ret",
		  BYTES("\x48\x63\x44\x24\x08\xc3"), 8, 8, true },
		{ "movdqa [rsp + 8], xmm1; ret",
		  BYTES("\x66\x0f\x7f\x4c\x24\x08\xc3"), 8, 8, false },
		{ "lea rdi, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 8, 8, true },
		{ "lea rdi, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 16, 8, false },
		{ "lea rdi, [rsp + 16]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\x10\xe8\x36\x08\x00\x00\xc3"), 8, 8, false },
		{ "lea rdi, [rsp - 16]; call leaf; ret",
		  BYTES("\x48\x8d\x7c\x24\xf0\xe8\x36\x08\x00\x00\xc3"), 8, 8, false },
		{ "lea rbx, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8d\x5c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 8, 8, false },
		{ "lea rdi, [rsp + 8]; jmp leaf",
		  BYTES("\x48\x8d\x7c\x24\x08\xe9\x36\x08\x00\x00"), 8, 8, true },
		{ "lea rax, [rsp + 8]; mov [rdi], rax; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x89\x07\xc3"), 8, 8, true },
		{ "lea rax, [rsp + 8]; mov ecx, [rax + 8]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x8b\x48\x08\xc3"), 8, 8, false },
		{ "lea rax, [rsp + 8]; mov rdx, rax; add rdx, 16; mov ecx, [rdx - 8]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x89\xc2\x48\x83\xc2\x10\x8b\x4a\xf8\xc3"),
		  16, 8, true },
		{ "lea rax, [rsp + 8]; mov [rax], rdi; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x89\x38\xc3"), 8, 8, false },
		{ "lea rdi, [rsp + 8]; rep stosb; ret",
		  BYTES("\x48\x8d\x7c\x24\x08\xf3\xaa\xc3"), 8, 8, false },
		{ "lea rax, [rsp + 8]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
		  40, 8, false },
		{ "lea rax, [rsp + 16]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
		  BYTES("\x48\x8d\x44\x24\x10\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
		  8, 8, false },
		{ "mov eax, [rsp + rdi * 4 + 8]; ret",
		  BYTES("\x8b\x44\xbc\x08\xc3"), 8, 8, true },
		{ "mov eax, [rsp + rdi * 4 + 8]; ret",
		  BYTES("\x8b\x44\xbc\x08\xc3"), 16, 8, false },
		{ "mov eax, [rsp + rdi * 4 + 16]; ret",
		  BYTES("\x8b\x44\xbc\x10\xc3"), 8, 8, false },
		{ "mov eax, [rsp + rdi * 4]; ret",
		  BYTES("\x8b\x04\xbc\xc3"), 8, 8, false },
		{ "mov eax, [rsp + rdi * 4 - 88]; ret",
		  BYTES("\x8b\x44\xbc\xa8\xc3"), 8, 8, false },
		{ "mov [rsp + rdi * 4 + 8], eax; ret",
		  BYTES("\x89\x44\xbc\x08\xc3"), 8, 8, false },
		{ "mov rax, [rsp + 8]; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8b\x44\x24\x08\x50\xe8\x35\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "push [rsp + 8]; call leaf; pop rcx; ret",
		  BYTES("\xff\x74\x24\x08\xe8\x37\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "lea rax, [rsp + 8]; mov rax, [rax + 8]; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x8b\x40\x08\x50\xe8\x31\x08\x00\x00"
			"\x59\xc3"),
		  8, 24, false },
		{ "mov rcx, [rsp + 8]; push rcx; call leaf; pop rcx; ret",
		  BYTES("\x48\x8b\x4c\x24\x08\x51\xe8\x35\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "mov rcx, [rsp + 8]; call leaf; ret",
		  BYTES("\x48\x8b\x4c\x24\x08\xe8\x36\x08\x00\x00\xc3"), 8, 8, true },
		{ "push rbx; mov rbx, [rsp + 16]; call leaf; push rbx; call leaf; pop rcx; "
		  "pop rbx; ret",
		  BYTES("\x53\x48\x8b\x5c\x24\x10\xe8\x35\x08\x00\x00\x53\xe8\x2f\x08\x00"
			"\x00\x59\x5b\xc3"),
		  8, 8, true },
		{ "mov rax, [rsp + 8]; mov [rdi], rax; ret",
		  BYTES("\x48\x8b\x44\x24\x08\x48\x89\x07\xc3"), 8, 8, true },
		{ "mov rax, [rsp + 8]; add rax, rdi; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8b\x44\x24\x08\x48\x01\xf8\x50\xe8\x32\x08\x00\x00\x59\xc3"),
		  8, 8, true },
		{ "movups xmm0, [rsp + 8]; sub rsp, 24; movups [rsp], xmm0; call leaf; "
		  "add rsp, 24; ret",
		  BYTES("\x0f\x10\x44\x24\x08\x48\x83\xec\x18\x0f\x11\x04\x24\xe8\x2e\x08"
			"\x00\x00\x48\x83\xc4\x18\xc3"),
		  8, 16, false },
		{ "jmp leaf",
		  BYTES("\xe9\x3b\x08\x00\x00"), 8, 8, false },
		{ "mov [rsp + 8], rdi; jmp leaf",
		  BYTES("\x48\x89\x7c\x24\x08\xe9\x36\x08\x00\x00"), 8, 8, false },
		{ "mov [rsp + 8], rdi; jmp leaf",
		  BYTES("\x48\x89\x7c\x24\x08\xe9\x36\x08\x00\x00"), 8, 16, false },
		{ "test edi, edi; je leaf; ret",
		  BYTES("\x85\xff\x0f\x84\x38\x08\x00\x00\xc3"), 8, 8, false },
		{ "jmp [rdi]",
		  BYTES("\xff\x27"), 8, 8, false },
		{ "push rbx; jmp rax; mov rcx, [rsp + 16]; pop rbx; ret",
		  BYTES("\x53\xff\xe0\x48\x8b\x4c\x24\x10\x5b\xc3"), 16, 8, false },
		{ "jmp rax",
		  BYTES("\xff\xe0"), 8, 8, false },
		{ "ret; mov eax, [rdi]; ret",
		  BYTES("\xc3\x8b\x07\xc3"), 8, 8, false },
		{ ".byte 0x62, 0x62; ret",
		  BYTES("\x62\x62\xc3"), 8, 8, false },
		{ "add [rsp + 8], eax; ret",
		  BYTES("\x01\x44\x24\x08\xc3"), 8, 8, true },
		{ "test edi, edi; je 1f; mov [rsp + 8], rdi; 1: mov rax, [rsp + 8]; ret",
		  BYTES("\x85\xff\x74\x05\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\xc3"),
		  8, 8, true },
		/* Read, but this is not followed. */
		{ "push [rsp + 8]; pop rax; ret",
		  BYTES("\xff\x74\x24\x08\x58\xc3"), 8, 8, false },
		{ "movups xmm0, [rsp + 8]; ret",
		  BYTES("\x0f\x10\x44\x24\x08\xc3"), 16, 8, false },
		{ "movsd xmm0, [rsp + 8]; ret",
		  BYTES("\xf2\x0f\x10\x44\x24\x08\xc3"), 8, 8, false },
		{ "lea r10, [rsp + 8]; and rsp, -32; push [r10 - 8]; push rbp; "
		  "mov rbp, rsp; push r10; mov rcx, [rbp - 8]; mov eax, [rcx + 8]; "
		  "mov r10, [rbp - 8]; leave; lea rsp, [r10 - 8]; ret",
		  BYTES("\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8\x55\x48\x89\xe5"
			"\x41\x52\x48\x8b\x4d\xf8\x8b\x41\x08\x4c\x8b\x55\xf8\xc9\x49\x8d\x62"
			"\xf8\xc3"),
		  16, 8, false },
		{ "vmovdqu ymm0, [rsp + 8]; ret",
		  BYTES("\xc5\xfe\x6f\x44\x24\x08\xc3"), 32, 8, false },
		{ "lea rax, [rsp + 8]; push rax; call leaf; pop rcx; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x50\xe8\x35\x08\x00\x00\x59\xc3"),
		  8, 8, false },
		{ "lea rsi, [rsp + 8]; rep movsb; ret",
		  BYTES("\x48\x8d\x74\x24\x08\xf3\xa4\xc3"), 8, 8, false },
		{ "lea rax, [rsp + 8]; test edi, edi; cmove rax, rsi; mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x85\xff\x48\x0f\x44\xc6\x8b\x00\xc3"),
		  8, 8, false },
		{ "lea rax, [rsp + 8]; test edi, edi; je 1f; mov rax, rsi; "
		  "1: mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x85\xff\x74\x03\x48\x89\xf0\x8b\x00\xc3"),
		  8, 8, false },
		{ "lea rax, [rsp + 8]; 1: mov ecx, [rax]; add rax, 8; dec edi; jne 1b; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x8b\x08\x48\x83\xc0\x08\xff\xcf\x75\xf6\xc3"),
		  8, 40, false },
		{ "lea rax, [rsp + 8]; add rax, rdi; mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\x24\x08\x48\x01\xf8\x8b\x00\xc3"), 8, 8, false },
		{ "lea rax, [rsp + rdi * 4 + 8]; mov eax, [rax]; ret",
		  BYTES("\x48\x8d\x44\xbc\x08\x8b\x00\xc3"), 8, 8, false },
		{ "movups xmm0, [rsp + 8]; movups [rdi], xmm0; ret",
		  BYTES("\x0f\x10\x44\x24\x08\x0f\x11\x07\xc3"), 8, 16, false },
		{ "push rbx; jmp rax; mov rcx, [rsp + 16]; pop rbx; ret",
		  BYTES("\x53\xff\xe0\x48\x8b\x4c\x24\x10\x5b\xc3"), 8, 8, false },
	};

	(void)state;
	check_stack(rows, LENGTH(rows));
}

/*
 * ldr w3, [x1]; ret; mov w1, w0; ret. The second half is reached by a fault, or by a static
 * branch.
 */
static void test_hidden_ways(void **state)
{
	static const char body[] = "\x23\x00\x40\xb9\xc0\x03\x5f\xd6\xe1\x03\x00\x2a"
				   "\xc0\x03\x5f\xd6";

	(void)state;
	for (int way = 0; way < 3; way++) {
		struct machine_image image;
		enum register_use use;

		machine_image_init(&image, EM_AARCH64);
		memcpy(image.text, body, sizeof(body) - 1);
		if (way == 1) {
			image.has_faults = true;
			put_le32(image.faults, TEXT - (TABLES + 0x100));
			put_le32(image.faults + 4, TEXT + 8 - (TABLES + 0x104));
		} else if (way == 2) {
			put_le32(image.tables + 0x40, TEXT - (TABLES + 0x40));
			put_le32(image.tables + 0x44, TEXT + 8 - (TABLES + 0x44));
		}
		machine_image_open(&image);
		use = machine_code_entry_use(&image.code, TEXT, TEXT + 16, 0);
		assert_int_equal(use, way ? USE_READ : USE_DEAD);
		machine_image_close(&image);
	}
}

static void test_limits(void **state)
{
	struct machine_code other;
	struct machine_image image;

	(void)state;
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

/* A callee that is one jump after the other: the walk over it ends. */
static void test_chain_of_jumps(void **state)
{
	static const uint8_t call[] = { 0xe8, 0x03, 0x00, 0x00, 0x00, 0x89, 0xf8, 0xc3 };
	struct machine_image image;

	(void)state;
	machine_image_init(&image, EM_X86_64);
	memcpy(image.text, call, sizeof(call));	/* call TEXT + 8; mov %edi, %eax; ret */
	for (size_t i = 8; i + 1 < TEXT_BYTES; i += 2)
		image.text[i] = 0xeb;		/* jmp to the next one */
	for (size_t i = 9; i < TEXT_BYTES; i += 2)
		image.text[i] = 0;
	machine_image_open(&image);
	assert_int_equal(machine_code_reaching_at_call(&image.code, TEXT, TEXT + 8, TEXT, 5),
			 DECODES_X86 ? REACHING_ENTRY : REACHING_UNKNOWN);
	assert_int_equal(machine_code_entry_use(&image.code, TEXT, TEXT + 8, 5), USE_UNKNOWN);
	assert_int_equal(machine_code_use_after(&image.code, TEXT, TEXT + 8, TEXT + 5, 0),
			 DECODES_X86 ? USE_DEAD : USE_UNKNOWN);
	machine_image_close(&image);
}

/* Every answer, with any bytes: none may read outside of the text or go on for ever. */
static void test_any_bytes(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct machine_image image;

		machine_image_init(&image, round & 1 ? EM_X86_64 : EM_AARCH64);
		for (size_t i = 0; i < TEXT_BYTES; i++) {
			random = random * 1664525 + 1013904223;
			image.text[i] = (uint8_t)(random >> 24);
			/* Many short jumps. */
			if (round & 2 && i % 5 == 0)
				image.text[i] = round & 1 ? 0x74 : 0x54;
		}
		machine_image_open(&image);
		for (uint64_t at = TEXT; at < TEXT + TEXT_BYTES; at += 64) {
			machine_code_entry_use(&image.code, at, TEXT + TEXT_BYTES, 1);
			machine_code_reads_stack(&image.code, at, TEXT + TEXT_BYTES, 8, 40, true);
			for (uint64_t call = at; call < at + 64; call++) {
				machine_code_reaching_at_call(&image.code, at,
					TEXT + TEXT_BYTES, call,
							  1);
				machine_code_use_after(&image.code, at, TEXT + TEXT_BYTES, call,
							1);
			}
		}
		machine_image_close(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_entry_pad),
		cmocka_unit_test(test_may_hold_zero),
		cmocka_unit_test(test_direct_call),
		cmocka_unit_test(test_short_jumps),
		cmocka_unit_test(test_find_calls_x86),
		cmocka_unit_test(test_find_calls_arm64),
		cmocka_unit_test(test_reaching_x86),
		cmocka_unit_test(test_uses_x86),
		cmocka_unit_test(test_reaching_arm64),
		cmocka_unit_test(test_uses_arm64),
		cmocka_unit_test(test_vectors_arm64),
		cmocka_unit_test(test_after_x86),
		cmocka_unit_test(test_after_arm64),
		cmocka_unit_test(test_stack_x86),
		cmocka_unit_test(test_hidden_ways),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_chain_of_jumps),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
