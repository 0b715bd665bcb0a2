/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Alternatives of each machine and layout, and what kprobes find where they are. */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "kernel/attach/attach.h"
#include "tests/elf_blob.h"
#include "tests/scratch.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/* In the only section: code that is patched, code in its place, a function of arm64, the table. */
enum { CODE, OTHER = 16, FUNCTION = 32, TABLE = 48, SECTION_BYTES = 512 };

struct layout {
	uint16_t machine;
	uint8_t bytes, size_at, sizes;
};

static const struct layout x86_12 = { EM_X86_64, 12, 10, 2 }, x86_13 = { EM_X86_64, 13, 10, 2 },
			   x86_14 = { EM_X86_64, 14, 12, 2 }, i386_12 = { EM_386, 12, 10, 2 },
			   arm64_12 = { EM_AARCH64, 12, 10, 2 },
			   loongarch_12 = { EM_LOONGARCH, 12, 10, 2 },
			   s390_11 = { EM_S390, 11, 10, 1 }, s390_12 = { EM_S390, 12, 10, 2 },
			   s390_13 = { EM_S390, 13, 12, 1 }, riscv_16 = { EM_RISCV, 16, 10, 1 };

static struct attach_image image;
static struct object object;
static struct symbol_table symbols;
static struct patches patches;
static uint64_t start;

static void put_entry(uint8_t *section, size_t at, const struct layout *layout, uint16_t feature,
		      size_t place, size_t size, size_t other, size_t other_size)
{
	bool is_big = layout->machine == EM_S390;

	bytes_store_number(section + at, 4, is_big, place - at);
	bytes_store_number(section + at + 4, 4, is_big, other - (at + 4));
	bytes_store_number(section + at + 8, 2, is_big, feature);
	section[at + layout->size_at] = (uint8_t)size;
	if (layout->sizes == 2)
		section[at + layout->size_at + 1] = (uint8_t)other_size;
}

/* `count` entries, of which all but the first are of the code in front of the table. */
static void open_image(const struct layout *layout, const char *code, size_t size,
		       const char *other, size_t other_size, uint16_t feature, size_t count)
{
	uint8_t section[SECTION_BYTES] = { 0 };
	bool is_big = layout->machine == EM_S390;
	const struct elf_blob_section sections[] = {
		{ .name = ".text", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR,
		  .data = section, .bytes = sizeof(section) } };
	struct attach_span span, none = { 0 };
	struct error err;
	uint8_t *blob;
	size_t bytes;

	memcpy(section + CODE, code, size);
	memcpy(section + OTHER, other, other_size);
	for (size_t i = 0; i < count; i++)
		put_entry(section, TABLE + i * layout->bytes, layout, feature, i ? FUNCTION : CODE,
			  i ? 4 : size, other_size ? OTHER : FUNCTION, i ? 4 : other_size);
	/* Whose machine it says that it is does not matter here. */
	blob = elf_blob((struct elf_blob_shape){ true, is_big, ET_REL }, sections, 1, 0, false,
			&bytes);
	scratch_write("image", blob, bytes);
	free(blob);
	if (!object_open_bare(&object, scratch_path("image"), &err))
		fail_msg("%s", err.text);
	start = object.headers[1].address;
	span = (struct attach_span){ start + TABLE, start + TABLE + count * layout->bytes, NULL };
	span.words = attach_bytes(&object, span.first, &bytes);
	image = (struct attach_image){ .object = &object, .symbols = &symbols, .version = { 7, 2 },
				       .abi = abi_find(layout->machine,
						       layout->machine == EM_386 ? 4 : 8, is_big) };
	assert_non_null(image.abi);
	patches_read(&patches, &image, &span, &none);
}

static void close_image(void)
{
	array_release(&patches);
	object_close(&object);
}

/* y: a kprobe is taken; n: it is refused; ?: that is not known. */
static char ask(size_t at)
{
	size_t size;
	const uint8_t *code = attach_bytes(&object, start, &size);

	return "?ny"[patched_code_is_taken(&patches, &image, start + at, code, OTHER, at).is];
}

#define CALL "\xff\x15\x01\x02\x03\x04"		/* call *memory */
#define MOV "\x48\x89\xf8\x90\x90\x90"
#define UD2 "\x0f\x0b\x90\x90\x90\x90"
#define ALWAYS 117

SCRATCH_TEST(test_answers)
{
	static const struct {
		const struct layout *layout;
		uint16_t feature;
		const char *code;
		size_t size;
		const char *other;
		size_t other_size, at;
		char answer;
	} rows[] = {
#define ROW(layout, feature, code, other, at, answer)                                              \
	{ &(layout), feature, code, sizeof(code) - 1, other, sizeof(other) - 1, at, answer }
		ROW(x86_12, 7, CALL, MOV, 0, '?'), ROW(x86_13, 7, CALL, MOV, 0, '?'),
		ROW(x86_14, 7, CALL, MOV, 0, '?'), ROW(i386_12, 7, CALL, MOV, 0, '?'),
		ROW(x86_14, 7, MOV, CALL, 0, '?'), ROW(x86_14, 7, CALL, "", 0, '?'),
		ROW(x86_14, 7, MOV, MOV, 0, 'y'), ROW(x86_14, 7, CALL, UD2, 0, 'n'),
		/* What is there whatever the processor. */
		ROW(x86_12, ALWAYS, CALL, MOV, 0, 'y'), ROW(x86_13, ALWAYS, CALL, MOV, 0, 'y'),
		ROW(x86_14, ALWAYS, CALL, "", 0, 'y'), ROW(x86_14, ALWAYS, MOV, UD2, 0, 'n'),
		ROW(arm64_12, ALWAYS, "\x02\x00\x00\xd4", "\x00\x00\x80\xd2", 0, '?'),
		/* Inside, and after it. */
		ROW(x86_14, 7, MOV, MOV, 3, '?'), ROW(x86_14, 7, MOV, CALL, 6, 'y'),
		/* hvc and a constant, the second of two instructions */
		ROW(arm64_12, 7, "\0\0\x80\xd2\0\0\x80\xd2", "\0\0\x80\xd2\x02\0\0\xd4", 0, 'y'),
		ROW(arm64_12, 7, "\0\0\x80\xd2\0\0\x80\xd2", "\0\0\x80\xd2\x02\0\0\xd4", 4, '?'),
		ROW(arm64_12, 7, "\x02\0\0\xd4", "\x03\0\0\xd4", 0, 'n'),
		/* ldxr in front */
		ROW(arm64_12, 7, "\x04\x7c\x5f\x88\0\0\x80\xd2",
		    "\x04\x7c\x5f\x88\0\0\x80\xd2", 4, 'n'),
		/* After stxr, in the place of which may be a NOP after ldxr. */
		ROW(arm64_12, 7, "\x04\x7c\x5f\x88\x04\x7c\x03\x88",
		    "\x04\x7c\x5f\x88\x1f\x20\x03\xd5", 8, '?'),
		/* Made by a function that is not known. */
		ROW(arm64_12, 7, "\0\0\x80\xd2", "", 0, '?'),
		ROW(loongarch_12, 7, "\0\0\x40\x03", "\x8c\x01\0\x20", 0, '?'),	/* nop; ll.w */
		ROW(riscv_16, 7, "\x13\0\0\0", "\x0f\0\x30\x03", 0, '?'),	/* nop; fence */
		/* bcr and stosm */
		ROW(s390_11, 7, "\x07\0\x07\0", "\xad\x03\xf1\x30", 0, '?'),
		ROW(s390_12, 7, "\x07\0\x07\0", "\xad\x03\xf1\x30", 0, '?'),
		ROW(s390_13, 7, "\x07\0\x07\0", "\xad\x03\xf1\x30", 0, '?'),
		ROW(s390_11, 7, "\x07\0\x07\0", "\x07\0\x07\0", 2, '?'),
#undef ROW
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		/* As many as could be of x86's shorter layout, too. */
		size_t count = rows[i].layout->bytes == 14 ? 6 : 7;
		char answer;

		open_image(rows[i].layout, rows[i].code, rows[i].size, rows[i].other,
			   rows[i].other_size, rows[i].feature, count);
		answer = ask(rows[i].at);
		if (patches.count != count || answer != rows[i].answer)
			fail_msg("row %zu: %zu entries, '%c' and not '%c'", i, patches.count,
				 answer, rows[i].answer);
		close_image();
	}
}

/* arm64: the function that makes NOPs has a name. */
SCRATCH_TEST(test_function)
{
	open_image(&arm64_12, "\x00\x00\x80\xd2", 4, "", 0, 7, 1);
	assert_int_equal(ask(0), '?');
	array_push(&symbols.symbols, ((struct symbol){ .name = "alt_cb_patch_nops", .size = 16,
						       .address = start + FUNCTION,
						       .type = STT_FUNC }));
	symbol_table_index(&symbols);
	close_image();
	open_image(&arm64_12, "\x00\x00\x80\xd2", 4, "", 0, 7, 1);
	assert_int_equal(ask(0), 'y');
	close_image();
	symbol_table_release(&symbols);
	symbols = (struct symbol_table){ 0 };
}

/* Entries that lead nowhere, and a table that is no whole number of them. */
SCRATCH_TEST(test_damage)
{
	struct attach_span span = { 0 }, none = { 0 };
	size_t size;

	open_image(&x86_14, CALL, 6, MOV, 6, ALWAYS, 2);
	array_release(&patches);
	for (uint64_t bytes = 1; bytes < 60; bytes++) {
		span = (struct attach_span){ start + TABLE + 1, start + TABLE + 1 + bytes, NULL };
		span.words = attach_bytes(&object, span.first, &size);
		patches_read(&patches, &image, &span, &none);
		assert_int_equal(patches.count, 0);
	}
	close_image();
}

SCRATCH_TEST(test_nop)
{
	static const struct {
		const struct layout *layout;
		const char *code, *other;
		size_t size, other_size;
		bool may_be;
	} rows[] = {
		{ &x86_14, "\xe9\0\0\0\0", "", 5, 0, true },
		{ &x86_14, "\xf3\x0f\x1e\xfa\xe9\0\0\0\0", "", 9, 0, false },
		{ &x86_14, "\xe9\0\0\0\0", "\xeb\0\0\0\0", 5, 5, false },
		{ &x86_14, "\x90\x90\x90\x90\x90", "\xe8\0\0\0\0", 5, 5, true },
		{ &x86_14, "\x90\x90\x90\x90\x90\x90", "\xe8\0\0\0\0\x90", 6, 6, false },
		{ &i386_12, "\xe9\0\0\0\0", "", 5, 0, false },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		open_image(rows[i].layout, rows[i].code, rows[i].size, rows[i].other,
			   rows[i].other_size, 7, 1);
		assert_int_equal(patches.count, 1);
		assert_int_equal(patches_make_nop(&patches, &image, start), rows[i].may_be);
		close_image();
	}
	/* After endbr64. */
	open_image(&x86_14, "\xf3\x0f\x1e\xfa\xe9\0\0\0\0", 9, "", 0, 7, 1);
	patches.data[0].address += 4;
	patches.data[0].size = 5;
	assert_true(patches_make_nop(&patches, &image, start));
	close_image();
}
