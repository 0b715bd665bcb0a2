/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The parts of explaining by records: opening, declarations, and the header for others. */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "kernel/records.h"
#include "kernel/type_source.h"
#include "include/btfenc/btf_extra.h"
#include "tests/records_blob.h"
#include "tests/scratch.h"

/* ---- opening ---- */

static char kernel[256], symbols[256], running[256];

static void write_files(const char *map, const char *kallsyms)
{
	struct records_blobs blobs;

	records_blobs_make(&blobs);
	scratch_write("kernel", blobs.btf.data, blobs.btf.bytes);
	scratch_write("kernel.extra", blobs.extra.data, blobs.extra.bytes);
	scratch_write("inlined", blobs.inlined.data, blobs.inlined.bytes);
	scratch_write("map", map, strlen(map));
	scratch_write("kallsyms", kallsyms, strlen(kallsyms));
	records_blobs_release(&blobs);
	snprintf(kernel, sizeof(kernel), "%s", scratch_path("kernel"));
	snprintf(symbols, sizeof(symbols), "%s", scratch_path("map"));
	snprintf(running, sizeof(running), "%s", scratch_path("kallsyms"));
}

SCRATCH_TEST(test_sections)
{
	struct records_options options = { .path = kernel, .symbols = symbols,
					   .running = running };
	struct records records;
	struct error err;

	write_files(records_system_map, records_kallsyms);
	assert_true(records_open(&records, &options, &err));
	assert_int_equal(records.sections.count, 2);
	assert_string_equal(records.sections.data[0].name, ".text");
	assert_int_equal(records.sections.data[0].address, RECORDS_TEXT);
	assert_int_equal(records.sections.data[0].running, RECORDS_TEXT + RECORDS_SHIFT);
	/* copied.isra.0, parted.part.0, caller, assembled, copied.cold; whole has two sites. */
	assert_int_equal(records.sections.data[0].anchors.count, 5);
	assert_int_equal(records.sections.data[0].anchors.agreeing, 5);
	assert_int_equal(records.sections.data[1].address, RECORDS_INIT_TEXT);
	assert_int_equal(records.sections.data[1].running, RECORDS_INIT_TEXT + RECORDS_SHIFT);
	assert_string_equal(records.abi->name, "x86-64");
	records_release(&records);
}

/* A build in which code is elsewhere, and one that has nothing of it. */
SCRATCH_TEST(test_other_kernel)
{
	static const char *const maps[] = {
		"ffffffff81000000 T _stext\nffffffff81000100 t copied.isra.0\n"
		"ffffffff81000140 t parted.part.0\nffffffff81000200 T caller\n"
		"ffffffff810002f0 T assembled\nffffffff82000010 t starter\n",
	};
	struct records_options options = { .path = kernel, .symbols = symbols };
	struct records records;
	struct error err;

	for (size_t i = 0; i < LENGTH(maps); i++) {
		write_files(maps[i], records_kallsyms);
		assert_false(records_open(&records, &options, &err));
		assert_non_null(strstr(err.text, "these symbols belong to another kernel: "));
		records_release(&records);
	}
}

static bool has_text(const struct btf_reader *btf, const char *text)
{
	if (text < btf->strings || text >= btf->strings + btf->string_bytes)
		return btf->base && has_text(btf->base, text);
	return memchr(text, '\0', (size_t)(btf->strings + btf->string_bytes - text)) != NULL;
}

/*
 * Names are strings of the BTF, and .text, which has several symbols, is where it is: an offset
 * that does not fit them shows the records to be another kernel's.
 */
static void check_records(const struct records *records)
{
	for (size_t i = 0; i < records->sections.count; i++) {
		const struct record_section *section = &records->sections.data[i];

		assert_true(!*section->name || has_text(records->btf, section->name));
		if (section->anchors.count > 1)
			assert_true(section->is_known && section->address == RECORDS_TEXT &&
				    10 * section->anchors.agreeing >= 9 * section->anchors.count);
	}
	for (size_t i = 0; i < records->entries.count; i++) {
		const struct record_site *entry = &records->entries.data[i];
		const char *name = records_function_name(records, entry->function);

		assert_true(!*name || has_text(records->btf, name));
		assert_in_range(entry->section, 0, records->sections.count - 1);
	}
}

/* Any byte of the records may be wrong. */
SCRATCH_TEST(test_damage)
{
	struct records_options options = { .path = kernel, .symbols = symbols };
	uint32_t opened = 0, refused = 0;
	struct records_blobs blobs;
	struct records records;
	struct error err;

	write_files(records_system_map, records_kallsyms);
	records_blobs_make(&blobs);
	for (size_t i = 0; i < blobs.extra.bytes; i++) {
		blobs.extra.data[i] ^= 0xff;
		scratch_write("kernel.extra", blobs.extra.data, blobs.extra.bytes);
		if (records_open(&records, &options, &err)) {
			check_records(&records);
			opened++;
		} else {
			if (strncmp(err.text, kernel, strlen(kernel)) != 0 &&
			    strncmp(err.text, symbols, strlen(symbols)) != 0)
				fail_msg("byte %zu: %s", i, err.text);
			refused++;
		}
		records_release(&records);
		blobs.extra.data[i] ^= 0xff;
	}
	assert_true(opened > 20 && refused > 100);
	records_blobs_release(&blobs);
}

/* ---- declarations ---- */

static void expect_declaration(const struct btf_reader *btf, uint32_t id, const char *wanted)
{
	struct text out = { 0 };
	char *text;

	c_declaration_add_btf(&out, btf, id, "f");
	text = text_finish(&out);
	if (strncmp(text, wanted, strlen(wanted)) != 0)
		fail_msg("%s instead of %s", text, wanted);
	free(text);
}

TEST(test_declarations)
{
	static const uint32_t words[] = {
		BLOB_TYPE(BTF_INT, 0, 0, 1, 4), 32,		/* 1 int */
		BLOB_TYPE(BTF_PTR, 0, 0, 0, 2),			/* 2 points to itself */
		BLOB_TYPE(BTF_PTR, 0, 0, 0, 99),		/* 3 to nothing */
		BLOB_TYPE(BTF_TYPEDEF, 0, 0, 999, 4),		/* 4 a name that is not there */
		BLOB_TYPE(BTF_FUNC_PROTO, 2, 0, 0, 3), 5, 8, 0, 0,	/* 5 int (int a[2], ...) */
		BLOB_TYPE(BTF_FUNC_PROTO, 1, 0, 0, 1), 5, 7,	/* 6 takes itself */
		BLOB_TYPE(BTF_PTR, 0, 0, 0, 6),			/* 7 */
		BLOB_TYPE(BTF_ARRAY, 0, 0, 0, 0), 1, 1, 2,	/* 8 int [2] */
		BLOB_TYPE(BTF_STRUCT, 0, 0, 7, 0),		/* 9 struct s */
		BLOB_TYPE(BTF_CONST, 0, 0, 0, 9),		/* 10 */
	};
	static const char strings[] = "\0int\0a\0s";
	struct btf_blob blob = btf_blob_make(words, LENGTH(words), strings, sizeof(strings));
	struct btf_reader btf;

	btf_open(&btf, blob.data, blob.bytes, NULL);
	expect_declaration(&btf, 0, "void f");
	expect_declaration(&btf, 1, "int f");
	expect_declaration(&btf, 2, "/* ... */ *");
	expect_declaration(&btf, 3, "? *f");
	expect_declaration(&btf, 4, "? f");
	expect_declaration(&btf, 5, "? *f(int a[2], ...)");
	expect_declaration(&btf, 6, "int f(int (*a)(int (*a)(");
	expect_declaration(&btf, 10, "const struct s f");
	expect_declaration(&btf, 77, "? f");
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

/* ---- values ---- */

/* `int` as type 1 and a struct of one `int` as type 2, with x86-64's convention. */
struct value_types {
	struct btf_blob blob;
	struct btf_reader btf;
	struct type_source source;
};

static void value_types_open(struct value_types *types, uint32_t struct_bytes, uint32_t info_flag,
			     uint32_t offset_bits)
{
	static const char strings[] = "\0int\0s\0m";
	const uint32_t words[] = {
		BLOB_TYPE(BTF_INT, 0, 0, 1, 4), 32,
		BLOB_TYPE(BTF_STRUCT, 1, info_flag, 5, struct_bytes), 7, 1, offset_bits,
	};

	*types = (struct value_types){
		.blob = btf_blob_make(words, LENGTH(words), strings, sizeof(strings)),
		.source = { .word_bytes = 8, .btf = &types->btf },
	};
	for (size_t i = 0; !types->source.abi; i++)
		types->source.abi = strcmp(abi_at(i)->name, "x86-64") ? NULL : abi_at(i);
	btf_open(&types->btf, types->blob.data, types->blob.bytes, NULL);
}

/* A struct that has them where each machine has (arch/ARCH/include/asm/ptrace.h). */
TEST(test_argument_word)
{
	static const char strings[] = "\0long\0pt_regs\0regs\0gprs\0gpr\0di\0a0";
	const uint32_t words[] = {
		BLOB_TYPE(BTF_INT, 0, 0, 1, 8), 64,
		BLOB_TYPE(BTF_STRUCT, 5, 0, 6, 256), 14, 1, 0, 19, 1, 3 * 64, 24, 1, 0, 28, 1,
			14 * 64, 31, 1, 10 * 64,
	};
	static const struct { const char *machine; unsigned int n; int word; } wanted[] = {
		{ "x86-64", 0, 14 }, { "x86-64", 1, -1 }, { "arm64", 7, 7 }, { "s390x", 0, 5 },
		{ "ppc64le", 1, 4 }, { "riscv64", 0, 10 }, { "loongarch64", 0, 4 },
		{ "arm64", 8, -1 },
	};
	struct btf_blob blob = btf_blob_make(words, LENGTH(words), strings, sizeof(strings));
	struct btf_reader btf;
	struct type_source source = { .word_bytes = 8, .btf = &btf };

	btf_open(&btf, blob.data, blob.bytes, NULL);
	for (size_t i = 0; i < LENGTH(wanted); i++) {
		for (size_t k = 0; abi_at(k); k++) {
			if (strcmp(abi_at(k)->name, wanted[i].machine) == 0)
				source.abi = abi_at(k);
		}
		assert_int_equal(type_argument_word(&source, wanted[i].n), wanted[i].word);
	}
	source.abi = NULL;
	assert_int_equal(type_argument_word(&source, 0), -1);
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

static void value_types_close(struct value_types *types)
{
	btf_reader_release(&types->btf);
	btf_blob_release(&types->blob);
}

/* No convention has registers for members outside of their struct. */
TEST(test_members_outside)
{
	static const struct {
		uint32_t struct_bytes, info_flag, offset_bits;
		bool is_known;
	} rows[] = {
		{ 16, 0, 0, true },
		{ 16, 0, 96, true },
		{ 16, 0, 112, false },
		{ 16, 0, 128, false },
		{ 16, 0, 8 << 20, false },
		{ 16, 1, 3u << 24 | 125, true },
		{ 16, 1, 3u << 24 | 126, false },
		{ 8, 1, 3u << 24 | 126, false },
		{ 8, 0, 32, true },
		{ 8, 0, 64, false },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct abi_leaf leaves[VALUE_MAX_LEAVES];
		struct abi_type result = { 0 }, type;
		struct abi_prototype prototype = { .parameter_count = 1, .result = &result,
						   .parameters = &type };
		struct value_types types;
		struct abi_location place;
		struct abi_call call;

		value_types_open(&types, rows[i].struct_bytes, rows[i].info_flag,
				 rows[i].offset_bits);
		if (value_abi_type(&types.source, 2, false, &type, leaves) != rows[i].is_known)
			fail_msg("row %zu", i);
		if (rows[i].is_known)
			assert_true(abi_assign(types.source.abi, &prototype, &call, &place) ||
				    rows[i].offset_bits);
		value_types_close(&types);
	}
}

/* A result of over 16 bytes is in memory, and its address is passed as the first argument. */
TEST(test_large_results)
{
	static const struct {
		uint32_t bytes;
		bool is_result;
		bool is_known;
	} rows[] = {
		{ 36, true, true }, { 36, false, false },
		{ 24, true, true }, { 128, true, true },
		/* A vector is an array in BTF, and it is returned in a register. */
		{ 32, true, false }, { 64, true, false },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct abi_leaf leaves[2][VALUE_MAX_LEAVES];
		struct abi_type result, parameter;
		struct abi_prototype prototype = { .parameter_count = 1, .result = &result,
						   .parameters = &parameter };
		struct value_types types;
		struct abi_location place;
		struct abi_call call;

		value_types_open(&types, rows[i].bytes, 0, 0);
		if (value_abi_type(&types.source, 2, rows[i].is_result, &result, leaves[0]) !=
		    rows[i].is_known)
			fail_msg("row %zu", i);
		if (rows[i].is_known) {
			assert_true(value_abi_type(&types.source, 1, false, &parameter, leaves[1]));
			assert_true(abi_assign(types.source.abi, &prototype, &call, &place));
			assert_int_equal(place.kind, ABI_REGISTERS);
			assert_string_equal(abi_register_name(types.source.abi, place.registers[0]),
					    "si");
		}
		value_types_close(&types);
	}
}

/* ---- the header for others ---- */

/* The id after the types of the made-up kernel. */
#define FIRST_EXTRA_ID 13

/* Everything handed out lies within the blob. */
static void check_inside(const void *data, size_t bytes, const void *part, size_t part_bytes)
{
	const uint8_t *begin = data, *at = part;

	assert_true(at >= begin && at <= begin + bytes &&
		    part_bytes <= (size_t)(begin + bytes - at));
}

static void check_text(const struct btf_extra *extra, uint32_t offset, const void *data,
		       size_t bytes)
{
	const char *text = btf_extra_string(extra, offset);
	size_t room;

	if (!text)
		return;
	check_inside(data, bytes, text, 1);
	room = (size_t)((const char *)data + bytes - text);
	assert_non_null(memchr(text, '\0', room));
}

static void walk_blob(const struct records_blobs *blobs, const void *data, size_t bytes,
		      uint32_t *types, uint32_t *sites)
{
	struct btf_extra extra;
	const struct btf_extra_type *type = NULL;
	uint32_t base_strings = btf_extra_string_bytes(blobs->btf.data, blobs->btf.bytes);

	*types = *sites = 0;
	if (btf_extra_open(&extra, data, bytes, FIRST_EXTRA_ID, base_strings) != 0)
		return;
	while ((type = btf_extra_next(&extra, type))) {
		const struct btf_extra_site *found;
		const uint32_t *places;
		uint32_t count;

		check_inside(data, bytes, type, sizeof(*type));
		check_inside(extra.types, (size_t)(extra.types_end - extra.types), type,
			     sizeof(*type) + btf_extra_words(type) * sizeof(uint32_t));
		check_text(&extra, type->name_off, data, bytes);
		places = btf_extra_locations(type, &count);
		for (uint32_t i = 0; i < count; i++)
			check_text(&extra, places[i], data, bytes);
		assert_ptr_equal(btf_extra_type_by_id(&extra, FIRST_EXTRA_ID + *types), type);
		found = btf_extra_sites(type, &count);
		if (found)
			check_inside(data, bytes, found, count * sizeof(*found));
		*sites += count;
		++*types;
	}
}

TEST(test_header)
{
	struct records_blobs blobs;
	uint32_t types, sites, opened = 0;

	records_blobs_make(&blobs);
	walk_blob(&blobs, blobs.extra.data, blobs.extra.bytes, &types, &sites);
	assert_int_equal(types, 13);
	assert_int_equal(sites, 15);
	for (size_t bytes = 0; bytes < blobs.extra.bytes; bytes++) {
		/* A block of exactly this length, so that a sanitizer sees a read past its end. */
		void *cut = malloc(bytes + !bytes);

		assert_non_null(cut);
		memcpy(cut, blobs.extra.data, bytes);
		walk_blob(&blobs, cut, bytes, &types, &sites);
		assert_int_equal(types, 0);
		free(cut);
	}
	/* Counts that are far too large, and those that are so by little. */
	for (size_t i = 0; i < 4 * blobs.extra.bytes; i++) {
		static const uint8_t flips[] = { 0xff, 1, 4, 16 };

		blobs.extra.data[i / 4] ^= flips[i % 4];
		walk_blob(&blobs, blobs.extra.data, blobs.extra.bytes, &types, &sites);
		opened += types != 0;
		blobs.extra.data[i / 4] ^= flips[i % 4];
	}
	assert_in_range(opened, blobs.extra.bytes, 4 * blobs.extra.bytes - 10);
	btf_blob_swap(&blobs.extra);
	walk_blob(&blobs, blobs.extra.data, blobs.extra.bytes, &types, &sites);
	assert_int_equal(types, 0);
	records_blobs_release(&blobs);
}
