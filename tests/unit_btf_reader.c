/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The reader: every way to the bytes (memory, raw file, ELF section, compressed section), both
 * byte orders, split BTF, and what each refusal says.
 */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "btf/reader.h"
#include "tests/btf_blob.h"
#include "tests/elf_blob.h"
#include "tests/scratch.h"

static const char strings[] = "\0int\0s";
static const uint32_t words[] = {
	BLOB_TYPE(BTF_INT, 0, 0, 1, 4),	   0x01000020,	    /* 1 */
	BLOB_TYPE(BTF_STRUCT, 1, 0, 5, 4), 5, 1, 0,	    /* 2 */
	BLOB_TYPE(BTF_PTR, 0, 0, 0, 2),			    /* 3 */
};

static struct btf_blob plain_blob(void)
{
	return btf_blob_make(words, LENGTH(words), strings, sizeof(strings));
}

static void check_contents(const struct btf_reader *btf)
{
	assert_true(btf->complete);
	assert_int_equal(btf->first_id, 1);
	assert_int_equal(btf_reader_end_id(btf), 4);
	assert_int_equal(btf->word_count, LENGTH(words));
	assert_memory_equal(btf->words, words, sizeof(words));
	assert_null(btf_reader_type(btf, 0));
	assert_ptr_equal(btf_reader_type(btf, 1), btf->words);
	assert_ptr_equal(btf_reader_type(btf, 3), btf->words + 10);
	assert_null(btf_reader_type(btf, 4));
	assert_null(btf_reader_type(btf, UINT32_MAX));
	assert_string_equal(btf_reader_string(btf, 0), "");
	assert_string_equal(btf_reader_string(btf, 1), "int");
	assert_string_equal(btf_reader_string(btf, 6), "");
	assert_null(btf_reader_string(btf, sizeof(strings)));
	assert_null(btf_reader_string(btf, UINT32_MAX));
}

TEST(test_memory)
{
	struct btf_blob blob = plain_blob();
	struct btf_reader btf;

	btf_open(&btf, blob.data, blob.bytes, NULL);
	check_contents(&btf);
	assert_false(btf.swapped);
	assert_null(btf.owned_words);
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

TEST(test_byte_order)
{
	struct btf_blob blob = plain_blob();
	struct btf_reader btf;

	btf_blob_swap(&blob);
	btf_open(&btf, blob.data, blob.bytes, NULL);
	assert_true(btf.swapped);
	check_contents(&btf);
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

TEST(test_misaligned)
{
	struct btf_blob blob = plain_blob();
	uint8_t *moved = malloc(blob.bytes + 1);
	struct btf_reader btf;

	assert_non_null(moved);
	memcpy(moved + 1, blob.data, blob.bytes);
	btf_open(&btf, moved + 1, blob.bytes, NULL);
	assert_non_null(btf.owned_words);
	check_contents(&btf);
	btf_reader_release(&btf);
	free(moved);
	btf_blob_release(&blob);
}

SCRATCH_TEST(test_raw_file)
{
	const char *path = scratch_path("file");
	struct btf_blob blob = plain_blob();
	struct btf_reader btf;
	struct error err;

	scratch_write("file", blob.data, blob.bytes);
	assert_true(btf_reader_open(&btf, path, NULL, NULL, &err));
	assert_string_equal(btf.name, path);
	check_contents(&btf);
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

static void compress_section(const char *path)
{
	int fd = open(path, O_RDWR);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_RDWR, NULL);
	assert_true(elf_compress(elf_getscn(elf, 1), ELFCOMPRESS_ZLIB, ELF_CHF_FORCE) >= 0);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	close(fd);
}

/* A file with one section. */
static void write_elf(const char *section, uint32_t type, bool is_compressed)
{
	const struct elf_blob_shape shape = { true, HOST_IS_BIG_ENDIAN, ET_REL };
	struct btf_blob blob = plain_blob();
	const struct elf_blob_section sections[] = {
		{ .name = section, .type = type, .data = blob.data, .bytes = blob.bytes } };
	size_t bytes;
	uint8_t *file = elf_blob(shape, sections, 1, 0, false, &bytes);

	scratch_write("file", file, bytes);
	free(file);
	btf_blob_release(&blob);
	if (is_compressed)
		compress_section(scratch_path("file"));
}

SCRATCH_TEST(test_elf)
{
	static const struct {
		const char *section;
		uint32_t type;
		bool is_compressed;
		const char *asked;	/* NULL: the usual name */
		const char *wanted;	/* the error, after the file name; NULL: none */
	} cases[] = {
		{ ".BTF", SHT_PROGBITS, false, NULL, NULL },
		{ ".BTF", SHT_PROGBITS, true, NULL, NULL },
		{ ".other", SHT_PROGBITS, false, ".other", NULL },
		{ ".BTF", SHT_NOBITS, false, NULL,
		  ": section .BTF has no contents in this file; take the file that the debug "
		  "information was split from" },
		{ ".other", SHT_PROGBITS, false, NULL,
		  ": has no .BTF section, nor DWARF to make one from; " DEBUG_PACKAGES },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const char *path = scratch_path("file");
		struct btf_reader btf;
		struct error err;

		write_elf(cases[i].section, cases[i].type, cases[i].is_compressed);
		if (!cases[i].wanted) {
			assert_true(btf_reader_open(&btf, path, cases[i].asked, NULL, &err));
			check_contents(&btf);
			btf_reader_release(&btf);
		} else {
			assert_false(btf_reader_open(&btf, path, cases[i].asked, NULL, &err));
			assert_string_equal(err.text + strlen(path), cases[i].wanted);
		}
	}
}

TEST(test_refusals)
{
	static const struct {
		struct btf_file_header header;
		size_t bytes;
		const char *wanted;
	} cases[] = {
		{ { 0 }, 0,
		  "m: not BTF (no magic number 0xeb9f); give an ELF file with a .BTF section or a "
		  "raw BTF file" },
		{ { .magic = 0xeb9e }, 24,
		  "m: not BTF (no magic number 0xeb9f); give an ELF file with a .BTF section or a "
		  "raw BTF file" },
		{ { .magic = BTF_MAGIC }, 23,
		  "m: BTF header: only 23 bytes; the file is damaged or cut off" },
		{ { .magic = BTF_MAGIC, .version = 2 }, 24,
		  "m: BTF version 2 is not supported; only version 1 is known" },
		{ { .magic = BTF_MAGIC, .version = 1, .header_bytes = 20 }, 24,
		  "m: BTF header: length 20 is outside 24..24; the file is damaged" },
		{ { .magic = BTF_MAGIC, .version = 1, .header_bytes = 25 }, 24,
		  "m: BTF header: length 25 is outside 24..24; the file is damaged" },
		{ { .magic = BTF_MAGIC, .version = 1, .header_bytes = 24, .type_bytes = 4 }, 24,
		  "m: BTF header: the type section (offset 0, 4 bytes) ends after the data "
		  "(0 bytes after the header); the file is damaged or cut off" },
		{ { .magic = BTF_MAGIC, .version = 1, .header_bytes = 24, .string_offset = 8,
		    .string_bytes = UINT32_MAX }, 40,
		  "m: BTF header: the string section (offset 8, 4294967295 bytes) ends after the "
		  "data (16 bytes after the header); the file is damaged or cut off" },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct btf_blob blob =
			btf_blob_place(&cases[i].header, cases[i].bytes, NULL, 0, NULL, 0);
		struct btf_reader btf;
		struct error err;

		assert_false(btf_reader_from_memory(&btf, blob.data, blob.bytes, "m", NULL, &err));
		assert_string_equal(err.text, cases[i].wanted);
		btf_blob_release(&blob);
	}
}

TEST(test_no_file)
{
	struct btf_reader btf;
	struct error err;

	assert_false(btf_reader_open(&btf, "/nowhere/x", NULL, NULL, &err));
	assert_string_equal(err.text, "/nowhere/x: cannot open: No such file or directory; check "
				      "the name and the permissions");
	assert_false(btf_reader_open(&btf, "/tmp", NULL, NULL, &err));
	assert_string_equal(err.text, "/tmp: cannot read: Is a directory; check the file");
}

/* Lenient: what can be read is there, and nothing else. */
TEST(test_damaged)
{
	static const struct {
		size_t words;		/* how many are left of them */
		uint32_t last_info;	/* of type 3; 0: leave it */
		const char *strings;
		size_t string_bytes;
		uint32_t types;
		uint32_t usable_strings;
		bool complete;
	} cases[] = {
		{ 13, 0, strings, sizeof(strings), 3, 7, true },
		{ 12, 0, strings, sizeof(strings), 2, 7, false },
		{ 9, 0, strings, sizeof(strings), 1, 7, false },
		{ 0, 0, strings, sizeof(strings), 0, 7, true },
		{ 13, BLOB_INFO(20, 0, 0), strings, sizeof(strings), 2, 7, false },
		{ 13, BLOB_INFO(BTF_STRUCT, 1, 0), strings, sizeof(strings), 2, 7, false },
		{ 13, 0, strings, sizeof(strings) - 1, 3, 5, true },
		{ 13, 0, "abc", 3, 3, 0, true },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		uint32_t copy[LENGTH(words)];
		struct btf_blob blob;
		struct btf_reader btf;

		memcpy(copy, words, sizeof(copy));
		if (cases[i].last_info)
			copy[11] = cases[i].last_info;
		blob = btf_blob_make(copy, cases[i].words, cases[i].strings,
				     cases[i].string_bytes);
		btf_open(&btf, blob.data, blob.bytes, NULL);
		assert_int_equal(btf.type_count, cases[i].types);
		assert_int_equal(btf.string_bytes, cases[i].usable_strings);
		assert_int_equal(btf.complete, cases[i].complete);
		assert_null(btf_reader_string(&btf, cases[i].usable_strings));
		btf_reader_release(&btf);
		btf_blob_release(&blob);
	}
}

TEST(test_split)
{
	static const uint32_t more[] = { BLOB_TYPE(BTF_TYPEDEF, 0, 0, 7, 3) };
	static const uint32_t most[] = { BLOB_TYPE(BTF_TYPEDEF, 0, 0, 11, 4) };
	struct btf_blob blobs[] = {
		plain_blob(),
		btf_blob_make(more, LENGTH(more), "mid", 4),
		btf_blob_make(most, LENGTH(most), "top", 4),
	};
	struct btf_reader readers[LENGTH(blobs)];

	for (size_t i = 0; i < LENGTH(blobs); i++)
		btf_open(&readers[i], blobs[i].data, blobs[i].bytes, i ? &readers[i - 1] : NULL);
	assert_int_equal(readers[2].first_id, 5);
	assert_int_equal(readers[2].first_string, 11);
	assert_int_equal(btf_reader_end_id(&readers[2]), 6);
	assert_int_equal(btf_reader_end_string(&readers[2]), 15);
	assert_null(btf_reader_type(&readers[2], 0));
	assert_ptr_equal(btf_reader_type(&readers[2], 2), readers[0].words + 4);
	assert_ptr_equal(btf_reader_type(&readers[2], 4), readers[1].words);
	assert_ptr_equal(btf_reader_type(&readers[2], 5), readers[2].words);
	assert_null(btf_reader_type(&readers[2], 6));
	assert_string_equal(btf_reader_string(&readers[2], 1), "int");
	assert_string_equal(btf_reader_string(&readers[2], 7), "mid");
	assert_string_equal(btf_reader_string(&readers[2], 11), "top");
	assert_null(btf_reader_string(&readers[2], 15));
	for (size_t i = LENGTH(blobs); i-- > 0;) {
		btf_reader_release(&readers[i]);
		btf_blob_release(&blobs[i]);
	}
}

TEST(test_damaged_base)
{
	struct btf_blob good = plain_blob();
	struct btf_blob cut = btf_blob_make(words, 12, strings, sizeof(strings));
	struct btf_reader base;
	struct btf_reader btf;
	struct error err;

	assert_true(btf_reader_from_memory(&base, cut.data, cut.bytes, "base", NULL, &err));
	assert_false(btf_reader_from_memory(&btf, good.data, good.bytes, "m", &base, &err));
	assert_string_equal(err.text,
			    "base: is damaged and cannot be a base; run: btfenc check base");
	btf_reader_release(&base);
	btf_blob_release(&good);
	btf_blob_release(&cut);
}

/* A file that lacks its base has strings like split BTF's, and refers outside; damage is either. */
TEST(test_lacking_base)
{
	static const uint32_t inside[] = { BLOB_TYPE(BTF_TYPEDEF, 0, 0, 0, 0) };
	static const uint32_t type_outside[] = { BLOB_TYPE(BTF_TYPEDEF, 0, 0, 0, 9) };
	static const uint32_t name_outside[] = { BLOB_TYPE(BTF_TYPEDEF, 0, 0, 99, 0) };
	static const struct {
		const uint32_t *words;
		const char *strings;
		size_t string_bytes;
		bool lacks, is_base;
	} cases[] = {
		{ inside, "\0a", 3, false, true },
		{ inside, "ab", 3, false, false },
		{ type_outside, "\0a", 3, false, false },
		{ type_outside, "ab", 3, true, false },
		{ type_outside, "", 0, true, false },
		{ name_outside, "\0a", 3, false, false },
		{ name_outside, "ab", 3, true, false },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct btf_blob blob = btf_blob_make(cases[i].words, 3, cases[i].strings,
						     cases[i].string_bytes);
		struct btf_reader btf;
		struct error err;

		btf_open(&btf, blob.data, blob.bytes, NULL);
		assert_int_equal(btf_reader_lacks_base(&btf), cases[i].lacks);
		assert_int_equal(btf_reader_is_base(&btf, &err), cases[i].is_base);
		btf_reader_release(&btf);
		btf_blob_release(&blob);
	}
}
