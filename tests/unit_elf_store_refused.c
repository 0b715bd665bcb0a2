/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Files that cannot take a section: one line that says why, and not a byte of them changed.
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "btf/elf_store.h"
#include "tests/elf_blob.h"
#include "tests/file_bytes.h"
#include "tests/scratch.h"

static const char code[] = "machine code";
static const struct elf_section_data wanted = { ".BTF", code, sizeof(code), 0 };

static const struct elf_blob_section plain[] = {
	{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, sizeof(code), 0, 0 },
};

static struct elf_blob_shape shape_of(uint32_t i)
{
	return (struct elf_blob_shape){ i & 1, i & 2, ET_EXEC };
}

/* `what` is printed when it fails. */
static void expect_refused(const char *what, const void *bytes, size_t count, const char *why)
{
	struct error err = { "" };

	scratch_write("file", bytes, count);
	if (elf_store(scratch_path("file"), NULL, &wanted, 1, &err))
		fail_msg("%s: was accepted", what);
	if (!strstr(err.text, why) || strchr(err.text, '\n'))
		fail_msg("%s: '%s' is not in '%s'", what, why, err.text);
	assert_true(scratch_equals("file", bytes, count));
	assert_int_equal(scratch_file_count(), 1);
}

/* A number of the ELF header or of a section header that is made wrong. */
struct damage {
	const char *what;
	bool in_table;
	size_t offset_32, offset_64;	/* in the ELF header, or from the table's start */
	size_t bytes;			/* that are set to `value` */
	uint8_t value;
	const char *why;
};

#define EHDR(field)	   false, offsetof(Elf32_Ehdr, field), offsetof(Elf64_Ehdr, field)
#define SHDR(index, field) true, (index) * sizeof(Elf32_Shdr) + offsetof(Elf32_Shdr, field), \
			   (index) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, field)

static const struct damage damages[] = {
	{ "magic", EHDR(e_ident[1]), 1, 'e', "is not an ELF file; " },
	{ "class 0", EHDR(e_ident[EI_CLASS]), 1, 0, "ELF class 0, " },
	{ "class 3", EHDR(e_ident[EI_CLASS]), 1, 3, "ELF class 3, " },
	{ "byte order", EHDR(e_ident[EI_DATA]), 1, 9, "byte order 9, " },
	{ "version", EHDR(e_ident[EI_VERSION]), 1, 2, "version 2 " },
	{ "core file", EHDR(e_type), 2, 4, "is not an object, program or library " },
	{ "no table", EHDR(e_shoff), 4, 0, "has no section headers " },
	{ "table past the end", EHDR(e_shoff), 4, 0x7f, "the section headers' offset " },
	{ "entry size 0", EHDR(e_shentsize), 2, 0, "the size of a section header (0) " },
	{ "entry size odd", EHDR(e_shentsize), 2, 1, "the size of a section header (257) " },
	{ "entry size big", EHDR(e_shentsize), 2, 0xff, "the size of a section header (65535) " },
	{ "count 0", EHDR(e_shnum), 2, 0, "the number of section headers (0) " },
	{ "count big", EHDR(e_shnum), 2, 0xfe, "the number of section headers (65278) " },
	{ "names 0", EHDR(e_shstrndx), 2, 0, "its sections have no names; " },
	{ "names outside", EHDR(e_shstrndx), 2, 1, "the index of the section names (257) " },
	{ "names in entry 0, 0", EHDR(e_shstrndx), 2, 0xff, "its sections have no names; " },
	{ "section past the end", SHDR(1, sh_offset), 4, 0x7f, "section 1 (offset " },
	{ "section too long", SHDR(1, sh_size), 4, 0x7f, "section 1 (offset " },
	{ "names are not strings", SHDR(2, sh_type), 4, 1, "the type of the section names " },
	{ "names are beyond the names", SHDR(1, sh_name), 4, 0x7f, "the name of a section (" },
	{ "names empty", SHDR(2, sh_size), 4, 0, "the size of the section names (0) " },
	{ "names past the end", SHDR(2, sh_offset), 4, 0x7f, "section 2 (offset " },
	{ "names allocated", SHDR(2, sh_flags), 4, 2, "its section names are part of a segment " },
};

/* The start of the table, which is the last thing in the file. */
static size_t table_offset(struct elf_blob_shape shape, size_t bytes)
{
	return bytes - 3 * (shape.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

SCRATCH_TEST(test_damaged)
{
	for (uint32_t i = 0; i < 4 * LENGTH(damages); i++) {
		const struct damage *damage = &damages[i / 4];
		struct elf_blob_shape shape = shape_of(i % 4);
		size_t bytes;
		uint8_t *blob = elf_blob(shape, plain, LENGTH(plain), 0, false, &bytes);
		size_t at = shape.is_64 ? damage->offset_64 : damage->offset_32;

		if (damage->in_table)
			at += table_offset(shape, bytes);
		/* The low half of a wide number in big endian. */
		if (shape.big_endian && shape.is_64 && damage->bytes == 4 &&
		    strncmp(damage->what, "names are", 9) != 0)
			at += 4;
		memset(blob + at, damage->value, damage->bytes);
		expect_refused(damage->what, blob, bytes, damage->why);
		free(blob);
	}
}

/* The names' last byte is not NUL, so the last one does not end. */
SCRATCH_TEST(test_endless_names)
{
	for (uint32_t i = 0; i < 4; i++) {
		struct elf_blob_shape shape = shape_of(i);
		size_t bytes, names_bytes = 1 + sizeof(".text") + sizeof(".shstrtab");
		uint8_t *blob = elf_blob(shape, plain, LENGTH(plain), 0, false, &bytes);

		blob[(shape.is_64 ? 64 : 52) + names_bytes - 1] = 'x';
		expect_refused("endless names", blob, bytes, "the section names do not end; ");
		free(blob);
	}
}

SCRATCH_TEST(test_cut_off)
{
	for (uint32_t i = 0; i < 4; i++) {
		size_t bytes;
		uint8_t *blob = elf_blob(shape_of(i), plain, LENGTH(plain), 0, false, &bytes);

		for (size_t left = 0; left < bytes; left++)
			expect_refused("cut off", blob, left, "; ");
		free(blob);
	}
}

/* Any byte of either header changed: refused with a line, and the file as it was, or done. */
SCRATCH_TEST(test_any_byte)
{
	static const uint8_t values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	uint32_t stored = 0, refused = 0;

	for (uint32_t i = 0; i < 4; i++) {
		struct elf_blob_shape shape = shape_of(i);
		size_t bytes, header_bytes = shape.is_64 ? 64 : 52;
		uint8_t *blob = elf_blob(shape, plain, LENGTH(plain), 0, false, &bytes);

		for (size_t at = 0; at < bytes; at++) {
			uint8_t kept = blob[at];

			if (at >= header_bytes && at < table_offset(shape, bytes))
				continue;
			for (size_t v = 0; v < LENGTH(values); v++) {
				struct error err;

				blob[at] = values[v];
				scratch_write("file", blob, bytes);
				if (elf_store(scratch_path("file"), NULL, &wanted, 1, &err)) {
					stored++;
					continue;
				}
				refused++;
				assert_non_null(strstr(err.text, "/file: "));
				assert_null(strchr(err.text, '\n'));
				assert_true(scratch_equals("file", blob, bytes));
			}
			blob[at] = kept;
		}
		free(blob);
	}
	assert_true(stored > 1000 && refused > 500);
}

SCRATCH_TEST(test_read_only)
{
	size_t bytes;
	uint8_t *blob = elf_blob(shape_of(1), plain, LENGTH(plain), 0, false, &bytes);
	struct error err;

	scratch_write("file", blob, bytes);
	assert_int_equal(chmod(scratch_path("file"), 0444), 0);
	assert_false(elf_store(scratch_path("file"), NULL, &wanted, 1, &err));
	assert_non_null(strstr(err.text, "/file: is read-only (mode 0444) and was left as it is; "
			       "make it writable (chmod u+w) or choose another output"));
	assert_true(scratch_equals("file", blob, bytes));
	free(blob);
}

SCRATCH_TEST(test_signed)
{
	static const char mark[] = "~Module signature appended~\n";
	size_t bytes;
	uint8_t *blob = elf_blob(shape_of(1), plain, LENGTH(plain), 0, false, &bytes);

	blob = memory_resize(blob, bytes + sizeof(mark), 1);
	memcpy(blob + bytes, mark, sizeof(mark));
	expect_refused("signed", blob, bytes + sizeof(mark) - 1, "is a signed module, ");
	free(blob);
}

/* The file has changed since it was read: another size, time, or inode. */
SCRATCH_TEST(test_changed)
{
	struct stat st, read;
	struct error err;

	scratch_write("file", "\177ELF", 4);
	assert_int_equal(stat(scratch_path("file"), &st), 0);
	for (int i = 0; i < 4; i++) {
		read = st;
		read.st_size += i == 0;
		read.st_mtim.tv_nsec ^= i == 1;
		read.st_ino += i == 2;
		read.st_dev += i == 3;
		assert_false(elf_store(scratch_path("file"), &read, &wanted, 1, &err));
		assert_non_null(strstr(err.text, "has changed since its DWARF was read; "));
	}
	assert_false(elf_store(scratch_path("file"), &st, &wanted, 1, &err));
	assert_null(strstr(err.text, "has changed"));
}

SCRATCH_TEST(test_no_such_file)
{
	struct error err;

	assert_false(elf_store(scratch_path("none"), NULL, &wanted, 1, &err));
	assert_non_null(strstr(err.text, "/none: cannot open: No such file or directory; "));
	assert_false(elf_store(scratch_path("."), NULL, &wanted, 1, &err));
	assert_non_null(strstr(err.text, "is not a regular file; "));
	assert_false(elf_store("/dev/null", NULL, &wanted, 1, &err));
	assert_non_null(strstr(err.text, "is not a regular file; "));
	assert_int_equal(scratch_file_count(), 0);
}

/* A 32-bit ELF file ends before 4 GiB; what it has is a hole here. */
SCRATCH_TEST(test_32_bit_limit)
{
	static const off_t sizes[] = { 0xffffff80, 0xffffffff, (off_t)1 << 32, (off_t)5 << 30 };
	size_t bytes;
	uint8_t *blob = elf_blob(shape_of(0), plain, LENGTH(plain), 0, false, &bytes);
	struct error err;

	for (size_t i = 0; i < LENGTH(sizes); i++) {
		struct stat st;

		scratch_write("file", blob, bytes);
		assert_int_equal(truncate(scratch_path("file"), sizes[i]), 0);
		assert_false(elf_store(scratch_path("file"), NULL, &wanted, 1, &err));
		assert_non_null(strstr(err.text, "too big for a 32-bit ELF file; "));
		assert_int_equal(stat(scratch_path("file"), &st), 0);
		assert_int_equal(st.st_size, sizes[i]);
	}
	assert_int_equal(truncate(scratch_path("file"), 0xfffffe00), 0);
	assert_true(elf_store(scratch_path("file"), NULL, &wanted, 1, &err));
	free(blob);
}

/* All sections or none. */
SCRATCH_TEST(test_second_refused)
{
	const struct elf_section_data sections[] = { wanted, { ".text", NULL, 0, false } };
	size_t bytes;
	uint8_t *blob = elf_blob(shape_of(1), plain, LENGTH(plain), 0, false, &bytes);
	struct error err;

	scratch_write("file", blob, bytes);
	assert_false(elf_store(scratch_path("file"), NULL, sections, LENGTH(sections), &err));
	assert_non_null(strstr(err.text, "its .text is part of a segment and cannot be removed; "));
	assert_true(scratch_equals("file", blob, bytes));
	free(blob);
}
