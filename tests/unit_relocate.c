/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Relocations one by one, for each machine and type that is known; damaged ones; the addresses that
 * a relocatable object gets.
 */
#include <elf.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/relocate.h"
#include "kallsyms/symbol_table.h"
#include "tests/cmocka_all.h"
#include "tests/dwarf_reading.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define PLACE	 4		/* offset of the field */
#define ADDRESS	 0x20000	/* of the section */
#define SYMBOL	 0x11223344
#define SECTION_BYTES	 16

static const uint64_t values[] = { 0, SYMBOL, 0x20, 0x20000 };

enum file_kind {
	LITTLE,
	BIG,
};

struct row {
	const char *what;
	uint16_t machine;
	enum file_kind kind;
	uint32_t type;
	uint32_t symbol;
	int64_t addend;
	const char *before, *after;	/* bytes at PLACE, eight of them */
};

static void put(uint8_t *p, uint64_t value, size_t bytes, enum file_kind kind)
{
	for (size_t i = 0; i < bytes; i++)
		p[kind == BIG ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Bytes of the entry. */
static size_t put_entry(uint8_t *p, bool elf64, bool has_addend, enum file_kind kind,
			uint64_t offset, uint32_t symbol, uint32_t type, int64_t addend)
{
	size_t word = elf64 ? 8 : 4;

	put(p, offset, word, kind);
	put(p + word, elf64 ? (uint64_t)symbol << 32 | type : symbol << 8 | type, word, kind);
	if (has_addend)
		put(p + 2 * word, (uint64_t)addend, word, kind);
	return word * (has_addend ? 3 : 2);
}

static bool is_elf64(uint16_t machine)
{
	return machine != EM_386 && machine != EM_ARM;
}

static bool apply(uint16_t machine, enum file_kind kind, bool is_loaded, const uint8_t *entries,
		  size_t size, uint8_t *bytes, struct error *err)
{
	struct relocator relocator;
	struct relocation_run run = {
		.entries = entries,
		.size = size,
		.has_addends = is_elf64(machine),
		.is_loaded = is_loaded,
		.values = values,
		.value_count = LENGTH(values),
		.section = ".debug_info",
		.address = ADDRESS,
	};

	assert_true(relocator_init(&relocator, machine, is_elf64(machine),
				   (kind == BIG) != HOST_IS_BIG_ENDIAN));
	return relocate(&relocator, &run, bytes, SECTION_BYTES, "a.ko", err);
}

static void check(const struct row *row, bool is_loaded)
{
	uint8_t bytes[SECTION_BYTES], wanted[SECTION_BYTES], entry[24];
	struct error err = { 0 };
	size_t size;

	memset(bytes, 0xee, sizeof(bytes));
	memcpy(bytes + PLACE, row->before, 8);
	memcpy(wanted, bytes, sizeof(wanted));
	memcpy(wanted + PLACE, row->after, 8);
	size = put_entry(entry, is_elf64(row->machine), is_elf64(row->machine), row->kind, PLACE,
			 row->symbol, row->type, row->addend);
	if (!apply(row->machine, row->kind, is_loaded, entry, size, bytes, &err))
		fail_msg("%s: %s", row->what, err.text);
	if (memcmp(bytes, wanted, sizeof(bytes)) != 0)
		fail_msg("%s: %02x %02x %02x %02x %02x %02x %02x %02x", row->what, bytes[4],
			 bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10], bytes[11]);
}

#define ZEROS "\0\0\0\0\0\0\0\0"
#define LITTLE_4 "\x45\x33\x22\x11\0\0\0\0"		/* SYMBOL + 1 */
#define LITTLE_8 "\x45\x33\x22\x11\0\0\0\0"
#define BIG_4	 "\x11\x22\x33\x45\0\0\0\0"
#define BIG_8	 "\0\0\0\0\x11\x22\x33\x45"
/* 0x20000 + 0x14 - (ADDRESS + PLACE) */
#define NEAR_4	 "\x10\0\0\0\0\0\0\0"
#define NEAR_BIG "\0\0\0\x10\0\0\0\0"

TEST(test_words)
{
	static const struct row rows[] = {
		{ "x86-64 64", EM_X86_64, LITTLE, R_X86_64_64, 1, 1, ZEROS, LITTLE_8 },
		{ "x86-64 32", EM_X86_64, LITTLE, R_X86_64_32, 1, 1, ZEROS, LITTLE_4 },
		{ "x86-64 32S", EM_X86_64, LITTLE, R_X86_64_32S, 1, 1, ZEROS, LITTLE_4 },
		{ "x86-64: what was there does not count", EM_X86_64, LITTLE, R_X86_64_32, 1, 1,
		  "\xff\xff\xff\xff\xaa\0\0\0", "\x45\x33\x22\x11\xaa\0\0\0" },
		{ "x86-64: no symbol", EM_X86_64, LITTLE, R_X86_64_32, 0, 0x55, ZEROS,
		  "\x55\0\0\0\0\0\0\0" },
		{ "x86-64: addend below zero", EM_X86_64, LITTLE, R_X86_64_64, 2, -0x21, ZEROS,
		  "\xff\xff\xff\xff\xff\xff\xff\xff" },
		{ "x86-64 16", EM_X86_64, LITTLE, R_X86_64_16, 1, 1, ZEROS,
		  "\x45\x33\0\0\0\0\0\0" },
		{ "x86-64 PC32", EM_X86_64, LITTLE, R_X86_64_PC32, 3, 0x14, ZEROS, NEAR_4 },
		{ "x86-64 PC64", EM_X86_64, LITTLE, R_X86_64_PC64, 3, 0, ZEROS,
		  "\xfc\xff\xff\xff\xff\xff\xff\xff" },
		{ "x86-64 NONE", EM_X86_64, LITTLE, R_X86_64_NONE, 99, 1, ZEROS, ZEROS },
		{ "x86-64 DTPOFF32", EM_X86_64, LITTLE, R_X86_64_DTPOFF32, 1, 8, ZEROS,
		  "\x08\0\0\0\0\0\0\0" },
		{ "arm64 ABS64", EM_AARCH64, LITTLE, R_AARCH64_ABS64, 1, 1, ZEROS, LITTLE_8 },
		{ "arm64 ABS32", EM_AARCH64, LITTLE, R_AARCH64_ABS32, 1, 1, ZEROS, LITTLE_4 },
		{ "arm64 PREL32", EM_AARCH64, LITTLE, R_AARCH64_PREL32, 3, 0x14, ZEROS, NEAR_4 },
		{ "arm64, big-endian", EM_AARCH64, BIG, R_AARCH64_ABS32, 1, 1, ZEROS, BIG_4 },
		{ "arm64, old NONE", EM_AARCH64, LITTLE, 256, 1, 1, ZEROS, ZEROS },
		{ "s390x 64", EM_S390, BIG, R_390_64, 1, 1, ZEROS, BIG_8 },
		{ "s390x 32", EM_S390, BIG, R_390_32, 1, 1, ZEROS, BIG_4 },
		{ "s390x PC32", EM_S390, BIG, R_390_PC32, 3, 0x14, ZEROS, NEAR_BIG },
		{ "ppc64le ADDR64", EM_PPC64, LITTLE, R_PPC64_ADDR64, 1, 1, ZEROS, LITTLE_8 },
		{ "ppc64le ADDR32", EM_PPC64, LITTLE, R_PPC64_ADDR32, 1, 1, ZEROS, LITTLE_4 },
		{ "ppc64le REL32", EM_PPC64, LITTLE, R_PPC64_REL32, 3, 0x14, ZEROS, NEAR_4 },
		{ "ppc64 ADDR64", EM_PPC64, BIG, R_PPC64_ADDR64, 1, 1, ZEROS, BIG_8 },
		{ "riscv64 64", EM_RISCV, LITTLE, R_RISCV_64, 1, 1, ZEROS, LITTLE_8 },
		{ "riscv64 32", EM_RISCV, LITTLE, R_RISCV_32, 1, 1, ZEROS, LITTLE_4 },
		{ "loongarch64 64", EM_LOONGARCH, LITTLE, R_LARCH_64, 1, 1, ZEROS, LITTLE_8 },
		{ "i386 32: addend in place", EM_386, LITTLE, R_386_32, 1, 0,
		  "\x01\0\0\0\0\0\0\0", LITTLE_4 },
		{ "i386 32: addend below zero", EM_386, LITTLE, R_386_32, 2, 0,
		  "\xf0\xff\xff\xff\0\0\0\0", "\x10\0\0\0\0\0\0\0" },
		{ "i386 PC32", EM_386, LITTLE, R_386_PC32, 3, 0, "\x14\0\0\0\0\0\0\0", NEAR_4 },
		{ "arm ABS32", EM_ARM, LITTLE, R_ARM_ABS32, 1, 0, "\x01\0\0\0\0\0\0\0", LITTLE_4 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		check(&rows[i], false);
}

/* Differences of labels: the linker may still move one of them. */
TEST(test_differences)
{
	static const struct row rows[] = {
		{ "ADD8", EM_RISCV, LITTLE, R_RISCV_ADD8, 2, 1, "\xf0\x11\0\0\0\0\0\0",
		  "\x11\x11\0\0\0\0\0\0" },
		{ "ADD16", EM_RISCV, LITTLE, R_RISCV_ADD16, 2, 1, "\xf0\x11\0\0\0\0\0\0",
		  "\x11\x12\0\0\0\0\0\0" },
		{ "ADD32", EM_RISCV, LITTLE, R_RISCV_ADD32, 2, 1, "\xf0\xff\xff\xff\x77\0\0\0",
		  "\x11\0\0\0\x77\0\0\0" },
		{ "ADD64", EM_RISCV, LITTLE, R_RISCV_ADD64, 2, 1, "\xf0\xff\xff\xff\x77\0\0\0",
		  "\x11\0\0\0\x78\0\0\0" },
		{ "SUB8", EM_RISCV, LITTLE, R_RISCV_SUB8, 2, 1, "\x10\x11\0\0\0\0\0\0",
		  "\xef\x11\0\0\0\0\0\0" },
		{ "SUB16", EM_RISCV, LITTLE, R_RISCV_SUB16, 2, 1, "\x10\x11\0\0\0\0\0\0",
		  "\xef\x10\0\0\0\0\0\0" },
		{ "SUB32", EM_RISCV, LITTLE, R_RISCV_SUB32, 2, 1, "\x10\0\0\0\x77\0\0\0",
		  "\xef\xff\xff\xff\x77\0\0\0" },
		{ "SUB64", EM_RISCV, LITTLE, R_RISCV_SUB64, 2, 1, "\x10\0\0\0\x77\0\0\0",
		  "\xef\xff\xff\xff\x76\0\0\0" },
		{ "SET6", EM_RISCV, LITTLE, R_RISCV_SET6, 2, 0x65, "\x4f\0\0\0\0\0\0\0",
		  "\x45\0\0\0\0\0\0\0" },
		{ "SUB6", EM_RISCV, LITTLE, R_RISCV_SUB6, 2, 1, "\x42\0\0\0\0\0\0\0",
		  "\x61\0\0\0\0\0\0\0" },
		{ "SET8", EM_RISCV, LITTLE, R_RISCV_SET8, 2, 1, "\x42\x01\0\0\0\0\0\0",
		  "\x21\x01\0\0\0\0\0\0" },
		{ "SET16", EM_RISCV, LITTLE, R_RISCV_SET16, 2, 1, "\x42\x01\0\0\0\0\0\0",
		  "\x21\0\0\0\0\0\0\0" },
		{ "SET32", EM_RISCV, LITTLE, R_RISCV_SET32, 1, 1, ZEROS, LITTLE_4 },
		{ "SET_ULEB128: one byte", EM_RISCV, LITTLE, 60, 2, 1, "\x00\x33\0\0\0\0\0\0",
		  "\x21\x33\0\0\0\0\0\0" },
		{ "SET_ULEB128 keeps the length", EM_RISCV, LITTLE, 60, 2, 1,
		  "\x80\x80\x00\x33\0\0\0\0", "\xa1\x80\x00\x33\0\0\0\0" },
		{ "SET_ULEB128: two bytes", EM_RISCV, LITTLE, 60, 0, 0x1234,
		  "\x80\x00\x33\0\0\0\0\0", "\xb4\x24\x33\0\0\0\0\0" },
		{ "SUB_ULEB128", EM_RISCV, LITTLE, 61, 2, 1, "\xb4\x24\x33\0\0\0\0\0",
		  "\x93\x24\x33\0\0\0\0\0" },
		{ "LARCH_ADD_ULEB128", EM_LOONGARCH, LITTLE, 107, 2, 1, "\xb4\x24\x33\0\0\0\0\0",
		  "\xd5\x24\x33\0\0\0\0\0" },
		{ "LARCH_ADD6", EM_LOONGARCH, LITTLE, 105, 2, 1, "\x42\0\0\0\0\0\0\0",
		  "\x63\0\0\0\0\0\0\0" },
		{ "RELAX", EM_RISCV, LITTLE, R_RISCV_RELAX, 0, 0, ZEROS, ZEROS },
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		check(&rows[i], false);
}

/* A difference takes two entries; in between the field may not hold what is there. */
TEST(test_pair)
{
	uint8_t entries[2 * 24], bytes[SECTION_BYTES] = { [PLACE] = 0x80, 0x00 };
	struct error err;
	size_t size;

	size = put_entry(entries, true, true, LITTLE, PLACE, 1, 60, 0x100);
	size += put_entry(entries + size, true, true, LITTLE, PLACE, 1, 61, 0x10);
	assert_true(apply(EM_RISCV, LITTLE, false, entries, size, bytes, &err));
	assert_int_equal(bytes[PLACE], 0xf0);
	assert_int_equal(bytes[PLACE + 1], 0x01);
}

/* Instructions of sections that are loaded. */
TEST(test_code)
{
	static const struct row rows[] = {
		{ "PLT32", EM_X86_64, LITTLE, R_X86_64_PLT32, 3, 0x14, ZEROS, NEAR_4 },
		{ "GOTPCREL", EM_X86_64, LITTLE, R_X86_64_GOTPCREL, 1, -4, ZEROS, ZEROS },
		/* bl, b.eq, tbz to ADDRESS + 0x14, from ADDRESS + 4 */
		{ "CALL26", EM_AARCH64, LITTLE, R_AARCH64_CALL26, 3, 0x14,
		  "\x00\x00\x00\x94\0\0\0\0", "\x04\x00\x00\x94\0\0\0\0" },
		{ "CALL26 of big-endian data", EM_AARCH64, BIG, R_AARCH64_CALL26, 3, 0x14,
		  "\x00\x00\x00\x94\0\0\0\0", "\x04\x00\x00\x94\0\0\0\0" },
		{ "JUMP26 back", EM_AARCH64, LITTLE, R_AARCH64_JUMP26, 3, 0,
		  "\x00\x00\x00\x14\0\0\0\0", "\xff\xff\xff\x17\0\0\0\0" },
		{ "CONDBR19", EM_AARCH64, LITTLE, R_AARCH64_CONDBR19, 3, 0x14,
		  "\x00\x00\x00\x54\0\0\0\0", "\x80\x00\x00\x54\0\0\0\0" },
		{ "TSTBR14", EM_AARCH64, LITTLE, R_AARCH64_TSTBR14, 3, 0x14,
		  "\x01\x00\x08\x36\0\0\0\0", "\x81\x00\x08\x36\0\0\0\0" },
		{ "ADR_PREL_PG_HI21", EM_AARCH64, LITTLE, R_AARCH64_ADR_PREL_PG_HI21, 1, 0,
		  "\x00\x00\x00\x90\0\0\0\0", "\x00\x00\x00\x90\0\0\0\0" },
		{ "LDST64_ABS_LO12_NC", EM_AARCH64, LITTLE, R_AARCH64_LDST64_ABS_LO12_NC, 1, 0,
		  "\x00\x00\x40\xf9\0\0\0\0", "\x00\x00\x40\xf9\0\0\0\0" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		check(&rows[i], true);
}

TEST(test_damaged)
{
	static const struct {
		uint16_t machine;
		bool is_loaded;
		uint64_t offset;
		uint32_t symbol, type;
		int64_t addend;
		const char *wanted;
	} rows[] = {
		{ EM_X86_64, false, 0, 4, R_X86_64_32, 0,
		  "a.ko: section .debug_info has a relocation with symbol 4 of 4; the file is" },
		{ EM_X86_64, false, 0, UINT32_MAX, R_X86_64_64, 0, "symbol 4294967295 of 4" },
		{ EM_X86_64, false, SECTION_BYTES - 3, 1, R_X86_64_32, 0,
		  "a relocation at 0xd, outside of its 0x10 bytes; the file is damaged" },
		{ EM_X86_64, false, SECTION_BYTES - 7, 1, R_X86_64_64, 0, "at 0x9, outside" },
		{ EM_X86_64, false, UINT64_MAX - 1, 1, R_X86_64_32, 0, "outside" },
		{ EM_X86_64, false, SECTION_BYTES, 1, R_X86_64_8, 0, "outside" },
		{ EM_RISCV, false, SECTION_BYTES, 1, 60, 0, "outside" },
		/* A number whose last byte is missing. */
		{ EM_RISCV, false, SECTION_BYTES - 2, 1, 60, 0, "outside" },
		{ EM_X86_64, false, 0, 1, 5, 0,
		  "section .debug_info has a relocation of type 5 at 0x0, which is not known for "
		  "this machine; link the object, or report its compiler and assembler" },
		{ EM_X86_64, false, 0, 1, R_X86_64_GOTPCREL, 0, "type 9 at 0x0" },
		{ EM_X86_64, false, 0, 1, UINT32_MAX, 0, "type 4294967295" },
		{ EM_AARCH64, false, 0, 1, R_AARCH64_CALL26, 0, "type 283" },
		{ EM_AARCH64, true, 0, 3, R_AARCH64_CALL26, 1 << 28, "too far away" },
		{ EM_AARCH64, true, 0, 3, R_AARCH64_CALL26, 2, "too far away" },
		{ EM_AARCH64, true, 0, 3, R_AARCH64_TSTBR14, 1 << 15, "too far away" },
		{ EM_X86_64, true, 0, 3, R_X86_64_PLT32, INT64_C(1) << 40, "too far away" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		uint8_t entry[24], bytes[SECTION_BYTES];
		struct error err;
		size_t size = put_entry(entry, true, true, LITTLE, rows[i].offset, rows[i].symbol,
					rows[i].type, rows[i].addend);

		memset(bytes, 0xee, sizeof(bytes));
		if (apply(rows[i].machine, LITTLE, rows[i].is_loaded, entry, size, bytes, &err))
			fail_msg("row %zu is taken", i);
		if (!strstr(err.text, rows[i].wanted))
			fail_msg("row %zu: %s", i, err.text);
	}
}

TEST(test_machines)
{
	struct relocator relocator;

	assert_false(relocator_init(&relocator, EM_MIPS, true, false));
	assert_false(relocator_init(&relocator, EM_386, true, false));
	assert_false(relocator_init(&relocator, EM_X86_64, false, false));
	assert_true(relocator_init(&relocator, EM_X86_64, true, false));
	assert_int_equal(relocator_entry_bytes(&relocator, true), sizeof(Elf64_Rela));
	assert_int_equal(relocator_entry_bytes(&relocator, false), sizeof(Elf64_Rel));
	assert_true(relocator_init(&relocator, EM_386, false, false));
	assert_int_equal(relocator_entry_bytes(&relocator, true), sizeof(Elf32_Rela));
	assert_int_equal(relocator_entry_bytes(&relocator, false), sizeof(Elf32_Rel));
}

/* Sections get addresses, one after the other; symbols are relative to them. */
TEST(test_layout)
{
	struct symbol_table table;
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct error err;
	const struct section_header *text, *percpu;
	const GElf_Sym undefined = { .st_shndx = SHN_UNDEF };

	dwarf_blob_init(&b);
	b.elf_type = ET_REL;
	dwarf_blob_unit(&b, 5);
	dwarf_blob_end_unit(&b);
	dwarf_blob_symbol(&b, "first", 0, STT_FUNC, 1);
	dwarf_blob_symbol(&b, "variable", 8, STT_OBJECT, 2);
	dwarf_blob_symbol(&b, "label", 0, STT_NOTYPE, 3);	/* in .debug_info */
	dwarf_blob_symbol(&b, "printk", 0, STT_NOTYPE, SHN_UNDEF);
	dwarf_blob_symbol(&b, "panic", 0, STT_NOTYPE, SHN_UNDEF);
	assert_true(dwarf_reading_open(&r, &b));
	text = &r.object.headers[1];
	percpu = &r.object.headers[2];
	assert_true(text->address > 0);
	assert_true(percpu->address > text->address + text->size);
	assert_int_equal(r.object.headers[3].address, 0);
	assert_int_equal(r.object.section_bases[1], text->address);
	assert_int_equal(r.object.section_bases[3], 0);

	assert_true(symbol_table_read(&table, r.object.elf, r.object.section_bases, b.path, &err));
	assert_int_equal(table.symbols.count, 2);
	assert_int_equal(table.symbols.data[0].address, text->address);
	assert_int_equal(table.symbols.data[1].address, percpu->address + 8);
	symbol_table_release(&table);

	for (size_t i = 1; i < r.object.header_count; i++) {
		uint64_t printk, panic;

		if (r.object.headers[i].type != SHT_SYMTAB)
			continue;
		printk = object_symbol_address(&r.object, i, 4, &undefined);
		panic = object_symbol_address(&r.object, i, 5, &undefined);
		assert_true(printk && panic && printk != panic);
		assert_true(printk < text->address && panic < text->address);
		assert_int_equal(object_symbol_address(&r.object, i, 6, &undefined), 0);
	}
	dwarf_reading_end(&r, &b);
}
