/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* System.map and /proc/kallsyms: what is taken from which line, what is refused, and how. */
#include "tests/cmocka_all.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "kallsyms/symbol_table.h"
#include "tests/scratch.h"

static struct kallsyms_file file;
static struct error err;

static bool parse(const char *text, const char *module)
{
	scratch_write("map", text, strlen(text));
	return kallsyms_file_read(&file, scratch_path("map"), module, &err);
}

static const struct symbol *find(const char *name)
{
	struct symbol_search search = symbol_table_search(&file.symbols, name);

	return symbol_search_next(&search);
}

SCRATCH_TEST(test_system_map)
{
	assert_true(parse("0000000000000000 A __per_cpu_start\n"
			  "ffffffff81000000 T _stext\n"
			  "ffffffff81000040 t f\n"
			  "ffffffff81000040 W f_alias\n"
			  "ffffffff81000100 D data\n", NULL));
	assert_int_equal(file.symbols.symbols.count, 4);
	assert_null(find("__per_cpu_start"));
	assert_int_equal(find("f")->address, 0xffffffff81000040);
	assert_int_equal(find("f")->size, 0xc0);
	assert_int_equal(find("f_alias")->size, 0xc0);
	assert_int_equal(find("_stext")->size, 0x40);
	assert_int_equal(find("f")->type, STT_FUNC);
	assert_int_equal(find("data")->type, STT_OBJECT);
	assert_string_equal(symbol_table_enclosing(&file.symbols, 0xffffffff81000080)->name,
			    "f_alias");
	assert_null(symbol_table_enclosing(&file.symbols, 0xffffffff81000120));
	kallsyms_file_release(&file);
}

SCRATCH_TEST(test_modules)
{
	static const char text[] = "ffffffff81000000 T f\n"
				   "ffffffffc0000000 t f\t[xfs]\n"
				   "ffffffffc0000010 t g [xfs]\n"
				   "ffffffffc0100000 t f\t[ext4]\n";

	assert_true(parse(text, NULL));
	assert_int_equal(file.symbols.symbols.count, 1);
	kallsyms_file_release(&file);
	assert_true(parse(text, "xfs"));
	assert_int_equal(file.symbols.symbols.count, 2);
	assert_int_equal(find("f")->address, 0xffffffffc0000000);
	kallsyms_file_release(&file);
	assert_true(parse(text, "btrfs"));
	assert_int_equal(file.symbols.symbols.count, 0);
	kallsyms_file_release(&file);
}

SCRATCH_TEST(test_unsorted_and_ambiguous)
{
	struct symbol_search search;
	int count = 0;

	assert_true(parse("00002000 t twice\n00001000 t twice\n00003000 T last\n", NULL));
	for (search = symbol_table_search(&file.symbols, "twice"); symbol_search_next(&search);)
		count++;
	assert_int_equal(count, 2);
	assert_int_equal(file.symbols.symbols.data[0].address, 0x1000);
	assert_int_equal(file.symbols.symbols.data[0].size, 0x1000);
	kallsyms_file_release(&file);
}

SCRATCH_TEST(test_odd_but_good)
{
	static const char *const texts[] = {
		"ffffffff81000000 T f\r\nffffffff81000010 T g\r\n",	/* CRLF */
		"ffffffff81000000 T f\nffffffff81000010 T g",		/* no newline at the end */
		"\nffffffff81000000 T f\n\nffffffff81000010 T g\n\n",	/* empty lines */
		"                 U puts\n w weak\nffffffff81000000 T f\nffffffff81000010 T g\n",
		"FFFFFFFF81000000\tT\tf \nffffffff81000010 T g\t\n",
	};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		assert_true(parse(texts[i], NULL));
		assert_int_equal(file.symbols.symbols.count, 2);
		assert_int_equal(find("f")->address, 0xffffffff81000000);
		assert_int_equal(find("g")->address, 0xffffffff81000010);
		kallsyms_file_release(&file);
	}
}

SCRATCH_TEST(test_refused)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "map: is empty" },
		{ "0000000000000000 T f\n0000000000000000 t g\t[m]\n", "kernel.kptr_restrict" },
		{ "ffffffff81000000 T f\nffffffff8100", "map: line 2 " },
		{ "ffffffff81000000 T f\nffffffff81000010 T\n", "map: line 2 " },
		{ "ffffffff81000000 T f\nffffffff81000010 T \n", "map: line 2 " },
		{ "ffffffff81000000 TT f\n", "map: line 1 " },
		{ "ffffffff81000000ff T f\n", "map: line 1 " },
		{ "ffffffff81000000 T f [m\n", "map: line 1 " },
		{ "ffffffff81000000 T f [m] more\n", "map: line 1 " },
		{ "ffffffff81000000 T f more\n", "map: line 1 " },
		{ "\177ELF\n", "map: line 1 " },
		{ " T f\n", "map: line 1 " },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		assert_false(parse(rows[i].text, NULL));
		if (!strstr(err.text, rows[i].why))
			fail_msg("%s: %s", rows[i].text, err.text);
	}
	scratch_write("map", "1000 T f\0g\n", 11);
	assert_false(kallsyms_file_read(&file, scratch_path("map"), NULL, &err));
	assert_non_null(strstr(err.text, "NUL"));
	assert_false(kallsyms_file_read(&file, "/nowhere/map", NULL, &err));
	assert_non_null(strstr(err.text, "/nowhere/map: cannot open"));
}

/* As many as a distribution's kernel has, through a file. */
SCRATCH_TEST(test_many)
{
	enum { COUNT = 200000 };
	FILE *out = fopen(scratch_path("map"), "w");

	assert_non_null(out);
	for (unsigned int i = 0; i < COUNT; i++)
		fprintf(out, "ffffffff8%07x t function_number_%u\n", i * 32, i);
	fclose(out);
	assert_true(kallsyms_file_read(&file, scratch_path("map"), NULL, &err));
	assert_int_equal(file.symbols.symbols.count, COUNT);
	assert_int_equal(find("function_number_123456")->address,
			 0xffffffff80000000 + 123456 * 32);
	kallsyms_file_release(&file);
}
