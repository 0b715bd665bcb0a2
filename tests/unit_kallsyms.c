/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Symbol suffixes, the symbol table, producers, and the list of features. */
#include "tests/cmocka_all.h"

#include <gelf.h>
#include <string.h>

#include "dwarf/unit_model.h"
#include "encoder/encode_options.h"
#include "kallsyms/symbol_table.h"
#include "tests/dwarf_reading.h"

TEST(test_suffixes)
{
#define BIT(name) (1u << SUFFIX_##name)
	static const struct {
		const char *name;
		size_t base;
		uint32_t suffixes;
		enum suffix_class class;
	} rows[] = {
		{ "plain", 5, 0, SUFFIX_SAME },
		{ "", 0, 0, SUFFIX_SAME },
		{ ".L123", 5, 0, SUFFIX_SAME },
		{ "f.isra.0", 1, BIT(ISRA), SUFFIX_CHANGES },
		{ "f.constprop.12", 1, BIT(CONSTPROP), SUFFIX_CHANGES },
		{ "f.isra.0.constprop.1", 1, BIT(ISRA) | BIT(CONSTPROP), SUFFIX_CHANGES },
		{ "f.specialized.3", 1, BIT(SPECIALIZED), SUFFIX_CHANGES },
		{ "f.argprom", 1, BIT(ARGPROM), SUFFIX_CHANGES },
		{ "f.argelim", 1, BIT(ARGELIM), SUFFIX_CHANGES },
		{ "f.retelim", 1, BIT(RETELIM), SUFFIX_CHANGES },
		{ "f.part.0", 1, BIT(PART), SUFFIX_PIECE },
		{ "f.cold", 1, BIT(COLD), SUFFIX_PIECE },
		{ "f.cold.2", 1, BIT(COLD), SUFFIX_PIECE },
		{ "f.part.0.cold", 1, BIT(PART) | BIT(COLD), SUFFIX_PIECE },
		{ "f.cold.isra.0", 1, BIT(COLD) | BIT(ISRA), SUFFIX_PIECE },
		{ "f.warm", 1, BIT(WARM), SUFFIX_SAME },
		{ "f.llvm.123456789", 1, BIT(LLVM), SUFFIX_SAME },
		{ "f.lto_priv.0", 1, BIT(LTO_PRIV), SUFFIX_SAME },
		{ "f.localalias", 1, BIT(LOCALALIAS), SUFFIX_SAME },
		{ "f.__uniq.99.llvm.1", 1, BIT(UNIQ) | BIT(LLVM), SUFFIX_SAME },
		{ "f.1234", 1, BIT(NUMBER), SUFFIX_SAME },
		{ "f.llvm.1.2", 1, BIT(LLVM) | BIT(NUMBER), SUFFIX_SAME },
		/* An unknown word: nothing is promised, the name is all base. */
		{ "f.unknown", 9, 0, SUFFIX_SAME },
		{ "f.isra.0.unknown.1", 18, 0, SUFFIX_SAME },
		{ "f.isra0", 7, 0, SUFFIX_SAME },
		{ "f.", 2, 0, SUFFIX_SAME },
		{ "f..cold", 7, 0, SUFFIX_SAME },
		{ "f.12a", 5, 0, SUFFIX_SAME },
	};
#undef BIT

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct symbol_base parsed = symbol_parse(rows[i].name);

		if (parsed.base_length != rows[i].base || parsed.suffixes != rows[i].suffixes ||
		    parsed.class != rows[i].class)
			fail_msg("%s: base of %zu, suffixes 0x%x, class %d", rows[i].name,
				 parsed.base_length, parsed.suffixes, parsed.class);
	}
}

static uint32_t count_named(const struct symbol_table *table, const char *name)
{
	struct symbol_search search = symbol_table_search(table, name);
	const struct symbol *symbol;
	uint32_t count = 0;

	while ((symbol = symbol_search_next(&search))) {
		assert_string_equal(symbol->name, name);
		count++;
	}
	return count;
}

static uint32_t count_based(const struct symbol_table *table, const char *base)
{
	struct symbol_search search = symbol_table_search_base(table, base);
	const struct symbol *symbol;
	uint32_t count = 0;

	while ((symbol = symbol_search_next(&search))) {
		assert_memory_equal(symbol->name, base, strlen(base));
		count++;
	}
	return count;
}

TEST(test_symbol_table)
{
	static const struct {
		const char *name;
		uint64_t value;
		uint8_t type;
		uint16_t section;
	} rows[] = {
		{ "twice", 0x1020, STT_FUNC, 1 },   { "b", 0x1010, STT_FUNC, 1 },
		{ "a.cold", 0x1010, STT_FUNC, 1 },  { "twice", 0x1000, STT_FUNC, 1 },
		{ "data", 0x8000, STT_OBJECT, 2 },  { "undefined", 0, STT_FUNC, SHN_UNDEF },
		{ "absolute", 0x5, STT_FUNC, SHN_ABS }, { "file.c", 0, STT_FILE, SHN_ABS },
		{ "section", 0x1000, STT_SECTION, 1 }, { "", 0x1000, STT_FUNC, 1 },
		{ "label", 0x8010, STT_NOTYPE, 2 },
		/* kallsyms has none of these. */
		{ "$d", 0x1018, STT_NOTYPE, 1 }, { "$x.1", 0x101c, STT_NOTYPE, 1 },
		{ ".L3", 0x1024, STT_NOTYPE, 1 },
	};
	static const struct {
		const char *name;
		uint64_t address;
	} sorted[] = { { "twice", 0x1000 }, { "b", 0x1010 },	{ "a.cold", 0x1010 },
		       { "twice", 0x1020 }, { "data", 0x8000 }, { "label", 0x8010 } };
	struct symbol_table table;
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct error err;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 5);
	dwarf_blob_end_unit(&b);
	for (size_t i = 0; i < LENGTH(rows); i++)
		dwarf_blob_symbol(&b, rows[i].name, rows[i].value, rows[i].type, rows[i].section);
	assert_true(dwarf_reading_open(&r, &b));
	assert_true(symbol_table_read(&table, r.object.elf, NULL, b.path, &err));
	assert_int_equal(table.symbols.count, LENGTH(sorted));
	for (size_t i = 0; i < LENGTH(sorted); i++) {
		assert_string_equal(table.symbols.data[i].name, sorted[i].name);
		assert_int_equal(table.symbols.data[i].address, sorted[i].address);
		assert_int_equal(table.symbols.data[i].size, 16);
	}
	assert_int_equal(symbol_table_at(&table, 0), 0);
	assert_int_equal(symbol_table_at(&table, 0x1010), 1);
	assert_int_equal(symbol_table_at(&table, 0x1011), 3);
	assert_int_equal(symbol_table_at(&table, 0x8011), LENGTH(sorted));
	assert_int_equal(count_named(&table, "twice"), 2);
	assert_int_equal(count_named(&table, "a.cold"), 1);
	assert_int_equal(count_named(&table, "a"), 0);
	assert_int_equal(count_based(&table, "a"), 1);
	assert_int_equal(count_based(&table, "twice"), 2);
	assert_int_equal(count_named(&table, "undefined"), 0);
	assert_int_equal(count_named(&table, ""), 0);
	assert_int_equal(count_based(&table, "zzz"), 0);
	symbol_table_release(&table);
	dwarf_reading_end(&r, &b);
}

/* Symbols of "f" by kin, then by address; "f.part" is one of them, "fg" and "f.unknown" not. */
TEST(test_kin)
{
	static const struct symbol rows[] = {
		{ .name = "f.part.0.cold", .address = 0x10, .type = STT_FUNC },
		{ .name = "f.llvm.7", .address = 0x20, .type = STT_FUNC },
		{ .name = "f", .address = 0x30, .type = STT_OBJECT },
		{ .name = "f.isra.0", .address = 0x40, .type = STT_FUNC },
		{ .name = "fg", .address = 0x40, .type = STT_FUNC },
		{ .name = "f", .address = 0x50, .type = STT_FUNC },
		{ .name = "f.part", .address = 0x60, .type = STT_FUNC },
		{ .name = "f.1", .address = 0x70, .type = STT_OBJECT },
		{ .name = "f", .address = 0x80, .type = STT_GNU_IFUNC },
		{ .name = "f.unknown", .address = 0x80, .type = STT_FUNC },
		{ .name = "f.lto_priv.0", .address = 0x90, .type = STT_FUNC },
		{ .name = "f.constprop.1", .address = 0xa0, .type = STT_FUNC },
	};
	static const struct {
		const char *name;
		enum symbol_kin kin;
		uint64_t address;
	} walk[] = {
		{ "f", KIN_FUNCTION, 0x50 },	{ "f", KIN_FUNCTION, 0x80 },
		{ "f", KIN_OBJECT, 0x30 },	{ "f.llvm.7", KIN_LLVM, 0x20 },
		{ "f.lto_priv.0", KIN_RENAMED, 0x90 }, { "f.isra.0", KIN_CLONE, 0x40 },
		{ "f.constprop.1", KIN_CLONE, 0xa0 }, { "f.part", KIN_FRAGMENT, 0x60 },
		{ "f.part.0.cold", KIN_COLD, 0x10 }, { "f.1", KIN_SUFFIXED_OBJECT, 0x70 },
	};
	struct symbol_table table = { 0 };
	struct symbol_search search;
	const struct symbol *symbol;
	uint32_t found;

	for (size_t i = 0; i < LENGTH(rows); i++)
		array_push(&table.symbols, rows[i]);
	symbol_table_index(&table);
	search = symbol_table_search_base(&table, "f");
	for (size_t i = 0; i < LENGTH(walk); i++) {
		symbol = symbol_search_next(&search);
		assert_string_equal(symbol->name, walk[i].name);
		assert_int_equal(symbol->kin, walk[i].kin);
		assert_int_equal(symbol->address, walk[i].address);
	}
	assert_null(symbol_search_next(&search));

	search = symbol_table_search_base(&table, "f");
	found = symbol_search_from(&search, KIN_FUNCTION, 0x51);
	assert_int_equal(table.symbols.data[found].address, 0x80);
	assert_int_equal(symbol_search_from(&search, KIN_FUNCTION, 0x81), NO_SYMBOL);
	found = symbol_search_from(&search, KIN_CLONE, 0x40);
	assert_int_equal(table.symbols.data[found].address, 0x40);
	found = symbol_search_from(&search, KIN_CLONE, 0x41);
	assert_int_equal(table.symbols.data[found].address, 0xa0);
	assert_int_equal(symbol_search_from(&search, KIN_FRAGMENT, 0x61), NO_SYMBOL);
	search = symbol_table_search_base(&table, "none");
	assert_int_equal(symbol_search_from(&search, KIN_FUNCTION, 0), NO_SYMBOL);
	symbol_table_release(&table);
}

/* ---- features ---- */

TEST(test_features)
{
	static const struct {
		const char *list;
		bool var, decl_tag;
		const char *wanted;	/* part of the error; NULL: none */
	} rows[] = {
		{ "", false, false, NULL },
		{ "var", true, false, NULL },
		{ "decl_tag,var", true, true, NULL },
		{ "-var", false, true, NULL },
		{ "+var", true, true, NULL },
		{ "all,-decl_tag", true, false, NULL },
		{ "default", true, true, NULL },
		{ "var,-var", false, false, NULL },
		{ ",,var,", true, false, NULL },
		{ "va", false, false,
		  "'va' is unknown; known are default, all, encode_force, var, " },
		{ "variable", false, false, "'variable' is unknown" },
		{ "+nothing", false, false, "'nothing' is unknown" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct features features;
		struct error err;
		bool good;

		features_default(&features);
		good = features_parse(&features, rows[i].list, &err);
		assert_int_equal(good, !rows[i].wanted);
		if (!good) {
			assert_non_null(strstr(err.text, rows[i].wanted));
			continue;
		}
		if (features.feature_var != rows[i].var ||
		    features.feature_decl_tag != rows[i].decl_tag ||
		    !features.feature_reproducible_build)
			fail_msg("%s", rows[i].list);
	}
}

/* What a kernel finds by a name: the symbol itself, or one whose .llvm.HASH it strips. */
TEST(test_found_as)
{
	static const struct {
		const char *symbol;
		size_t name_length;
		bool found[2];		/* exactly, with .llvm.HASH stripped */
	} rows[] = {
		{ "f", 1, { true, true } },		{ "f.llvm.12", 1, { false, true } },
		{ "f.lto_priv.0", 1, { false, false } },	{ "f.isra.0", 1, { false, false } },
		{ "ff", 1, { false, false } },		{ "f.llvm.12", 9, { true, true } },
		{ "f.llvm", 1, { false, false } },	{ "f.isra.0", 8, { true, true } },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct symbol symbol = { .name = rows[i].symbol };

		for (int strips = 0; strips < 2; strips++)
			if (symbol_is_found(&symbol, rows[i].name_length, strips) !=
			    rows[i].found[strips])
				fail_msg("%s as %.*s", rows[i].symbol, (int)rows[i].name_length,
					 rows[i].symbol);
	}
}

TEST(test_producers)
{
	static const struct {
		const char *text;
		enum producer_family family;
		uint16_t version;
		const char *name;
	} rows[] = {
		{ "GNU C11 12.2.0 -mno-sse -O2", PRODUCER_GCC, 12, "GNU C11 12.2.0" },
		{ "GNU GIMPLE 11.3.0 -flto", PRODUCER_GCC, 11, "GNU GIMPLE 11.3.0" },
		{ "GNU AS 2.40", PRODUCER_ASSEMBLER, 2, "GNU AS 2.40" },
		{ "clang version 19.1.7", PRODUCER_CLANG, 19, "clang version 19.1.7" },
		{ "Debian clang version 22.1.8 (1~deb12u1)", PRODUCER_CLANG, 22,
		  "Debian clang version 22.1.8 (1~deb12u1)" },
		{ "clang LLVM (rustc version 1.78.0)", PRODUCER_RUSTC, 1,
		  "clang LLVM (rustc version 1.78.0)" },
		{ "tcc", PRODUCER_UNKNOWN, 0, "tcc" },
		{ "", PRODUCER_UNKNOWN, 0, "" },
	};

	assert_int_equal(producer_parse(NULL).family, PRODUCER_UNKNOWN);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct producer producer = producer_parse(rows[i].text);

		assert_int_equal(producer.family, rows[i].family);
		assert_int_equal(producer.version, rows[i].version);
		assert_int_equal(producer.name_length, strlen(rows[i].name));
		assert_memory_equal(producer.text, rows[i].name, producer.name_length);
	}
}
