/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The NOPs of each machine: the bytes are what GCC 12, clang 19 and clang 22 emit. */
#include "dwarf/code_pad.h"

#include <elf.h>
#include <string.h>

#include "tests/cmocka_all.h"
#include "tests/machine_image.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

TEST(test_nops)
{
	static const struct {
		uint16_t machine;
		const char *bytes;
		size_t size, length;
	} rows[] = {
		{ EM_X86_64, BYTES("\x90\xc3"), 1 },
		{ EM_X86_64, BYTES("\x66\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), 11 },
		{ EM_386, BYTES("\x0f\x1f\x44\x00\x00"), 5 },
		{ EM_X86_64, BYTES("\x0f\x1f\x84"), 0 },		/* cut off */
		{ EM_X86_64, BYTES("\xf3\x0f\x1e\xfa"), 0 },		/* endbr64 is not a NOP */
		{ EM_AARCH64, BYTES("\x1f\x20\x03\xd5"), 4 },
		{ EM_AARCH64, BYTES("\x5f\x24\x03\xd5"), 4 },		/* bti c */
		{ EM_AARCH64, BYTES("\x3f\x23\x03\xd5"), 4 },		/* paciasp */
		{ EM_AARCH64, BYTES("\xe9\x03\x1e\xaa"), 0 },		/* mov x9, x30 */
		{ EM_AARCH64, BYTES("\x1f\x20\x03"), 0 },
		{ EM_RISCV, BYTES("\x01\x00\x01\x00"), 2 },
		{ EM_RISCV, BYTES("\x13\x00\x00\x00"), 4 },
		{ EM_RISCV, BYTES("\x13\x05\x00\x00"), 0 },		/* li a0, 0 */
		{ EM_PPC64, BYTES("\x00\x00\x00\x60"), 4 },
		{ EM_PPC64, BYTES("\xc2\x00\x4c\x3c"), 4 },		/* addis r2, r12, 194 */
		{ EM_PPC64, BYTES("\xc2\x00\x6c\x3c"), 0 },		/* addis r3, r12, 194 */
		{ EM_PPC64, BYTES("\x00\x00\x63\x60"), 0 },		/* ori r3, r3, 0 */
		{ EM_S390, BYTES("\xc0\x04\x00\x00\x00\x00"), 6 },	/* jgnop */
		{ EM_S390, BYTES("\x47\x00\x00\x00"), 4 },
		{ EM_S390, BYTES("\x07\x00"), 2 },
		{ EM_S390, BYTES("\x07\xfe"), 0 },			/* br %r14 */
		{ EM_S390, BYTES("\xc0\x05\x00\x00\x00\x00"), 6 },	/* brasl %r0: the hook */
		{ EM_S390, BYTES("\xc0\xe5\x00\x00\x00\x00"), 0 },	/* brasl */
		{ EM_LOONGARCH, BYTES("\x00\x00\x40\x03"), 4 },
		{ EM_ARM, BYTES("\x00\xf0\x20\xe3"), 4 },
		{ EM_ARM, BYTES("\x00\x00\xa0\xe1"), 4 },
		{ EM_ARM, BYTES("\x00\xbf\x70\x47"), 2 },		/* Thumb, before bx lr */
		{ EM_ARM, BYTES("\xaf\xf3\x00\x80"), 4 },
		{ EM_ARM, BYTES("\x70\x47"), 0 },
		{ EM_MIPS, BYTES("\x00\x00\x00\x00"), 0 },		/* no row */
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		assert_int_equal(code_pad_length(rows[i].machine, (const uint8_t *)rows[i].bytes,
						 rows[i].size),
				 rows[i].length);
}

TEST(test_end)
{
	static const char text[] = "\x1f\x20\x03\xd5\x1f\x20\x03\xd5\xc0\x03\x5f\xd6";
	struct machine_image image;
	struct code_pads pads;
	uint32_t section = 0;

	machine_image_with(&image, EM_AARCH64, text, sizeof(text) - 1);
	code_pads_open(&pads, &image.object);
	for (uint32_t i = 1; i < image.object.header_count; i++)
		section = image.object.headers[i].address == TEXT ? i : section;
	assert_int_equal(code_pads_end(&pads, section, TEXT, TEXT + 64), TEXT + 8);
	assert_int_equal(code_pads_end(&pads, section, TEXT, TEXT + 8), TEXT + 8);
	assert_int_equal(code_pads_end(&pads, section, TEXT, TEXT + 4), TEXT + 4);
	/* A limit inside of a NOP is passed, so it is not reached. */
	assert_int_equal(code_pads_end(&pads, section, TEXT, TEXT + 6), TEXT + 8);
	assert_int_equal(code_pads_end(&pads, section, TEXT + 8, TEXT + 64), TEXT + 8);
	assert_int_equal(code_pads_end(&pads, section, TEXT, TEXT), TEXT);
	/* Outside of the section, of the table, and in a section that is not code. */
	assert_int_equal(code_pads_end(&pads, section, TABLES, TABLES + 8), TABLES);
	assert_int_equal(code_pads_end(&pads, UINT32_MAX, TEXT, TEXT + 8), TEXT);
	assert_int_equal(code_pads_end(&pads, 0, TEXT, TEXT + 8), TEXT);
	code_pads_close(&pads);
	machine_image_close(&image);
}
