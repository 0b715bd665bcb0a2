/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * .BTF that is part of a segment, as in a linked vmlinux: it keeps its place and length, by a copy
 * of the file that takes over its name, owner, mode and attributes.
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/bytes.h"
#include "btf/elf_store.h"
#include "btf/reader.h"
#include "tests/btf_blob.h"
#include "tests/elf_blob.h"
#include "tests/file_bytes.h"
#include "tests/scratch.h"

static const char code[] = "machine code";

enum { ROOM_BYTES = 200, TYPE_BYTES = 16 };

/* BTF with one INT; its strings are what is left of `bytes`. */
static uint8_t *make_btf(bool big_endian, size_t bytes)
{
	static const uint32_t words[] = { BLOB_TYPE(BTF_INT, 0, 0, 1, 4), 32 };
	static const char strings[ROOM_BYTES] = "\0int";
	struct btf_blob blob = btf_blob_make(words, LENGTH(words), strings,
					     bytes - BTF_SHORT_HEADER_BYTES - TYPE_BYTES);

	if (big_endian != HOST_IS_BIG_ENDIAN)
		btf_blob_swap(&blob);
	return blob.data;
}

static struct elf_blob_shape shape_of(uint32_t i)
{
	return (struct elf_blob_shape){ i & 1, i & 2, i & 4 ? ET_DYN : ET_EXEC };
}

/* A linked file whose .BTF has ROOM_BYTES. */
static void write_linked(const char *name, uint32_t i, uint32_t type)
{
	const struct elf_blob_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC, code, sizeof(code), 0, 0 },
		{ ".BTF", type, SHF_ALLOC, make_btf(i & 2, ROOM_BYTES), ROOM_BYTES, 0, 0 },
		{ ".data", SHT_PROGBITS, SHF_ALLOC, code, sizeof(code), 0, 0 },
	};
	size_t bytes;
	uint8_t *blob = elf_blob(shape_of(i), sections, LENGTH(sections), 0, false, &bytes);

	scratch_write(name, blob, bytes);
	free(blob);
	free((void *)sections[1].data);
}

static bool store(const char *name, const void *data, size_t bytes, struct error *err)
{
	const struct elf_section_data wanted = { ".BTF", data, bytes, 0 };

	return elf_store(scratch_path(name), NULL, &wanted, 1, err);
}

static GElf_Shdr header_of(const char *name, const char *section)
{
	GElf_Shdr header;
	void *data;

	assert_true(elf_blob_find(scratch_path(name), section, &header, &data));
	free(data);
	return header;
}

SCRATCH_TEST(test_sizes)
{
	static const size_t sizes[] = { 45, 46, 47, 48, 100, ROOM_BYTES - 1, ROOM_BYTES };

	for (uint32_t i = 0; i < 8 * LENGTH(sizes); i++) {
		size_t bytes = sizes[i / 8], old_bytes, new_bytes;
		uint8_t *btf = make_btf(i & 2, bytes), *old, *new;
		struct btf_reader reader;
		GElf_Shdr header;
		struct error err;

		btf[bytes - 2] = 'x';
		write_linked("file", i % 8, SHT_PROGBITS);
		old = file_bytes(scratch_path("file"), &old_bytes);
		header = header_of("file", ".BTF");
		assert_true(store("file", btf, bytes, &err));
		new = file_bytes(scratch_path("file"), &new_bytes);
		assert_int_equal(new_bytes, old_bytes);
		/* Only the section's bytes are others. */
		assert_memory_equal(new, old, header.sh_offset);
		assert_memory_equal(new + header.sh_offset + ROOM_BYTES,
				    old + header.sh_offset + ROOM_BYTES,
				    old_bytes - header.sh_offset - ROOM_BYTES);
		assert_true(btf_reader_open(&reader, scratch_path("file"), NULL, NULL, &err));
		assert_int_equal(reader.type_count, 1);
		assert_int_equal(reader.string_bytes, ROOM_BYTES - 24 - TYPE_BYTES);
		assert_int_equal(reader.strings[bytes - 24 - TYPE_BYTES - 2], 'x');
		btf_reader_release(&reader);
		assert_int_equal(scratch_file_count(), 1);
		free(old);
		free(new);
		free(btf);
	}
}

static void expect_refused(const char *name, const void *data, size_t bytes, const char *why)
{
	size_t old_bytes;
	void *old = file_bytes(scratch_path(name), &old_bytes);
	uint32_t files = scratch_file_count();
	struct error err;

	assert_false(store(name, data, bytes, &err));
	if (!strstr(err.text, why))
		fail_msg("'%s' is not in '%s'", why, err.text);
	assert_true(scratch_equals(name, old, old_bytes));
	assert_int_equal(scratch_file_count(), files);
	free(old);
}

SCRATCH_TEST(test_refused)
{
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t *btf = make_btf(i & 2, ROOM_BYTES + 1);

		write_linked("file", i, SHT_PROGBITS);
		expect_refused("file", btf, ROOM_BYTES + 1,
			       "has 200 bytes, 201 are needed; it was left as it is; link ");
		expect_refused("file", btf, 100, "cannot be padded; ");
		expect_refused("file", code, sizeof(code), "cannot be padded; ");
		expect_refused("file", NULL, 0, "cannot be removed; ");
		write_linked("debug", i, SHT_NOBITS);
		expect_refused("debug", btf, 100, "has no contents here; ");
		free(btf);
	}
}

SCRATCH_TEST(test_hard_link)
{
	uint8_t *btf = make_btf(false, 100);
	struct error err;

	btf[99 - 1] = 'x';
	write_linked("file", 1, SHT_PROGBITS);
	assert_int_equal(link(scratch_path("file"), scratch_path("other")), 0);
	expect_refused("file", btf, 100, "has 2 names (hard links), ");
	/* The same contents need no copy. */
	free(btf);
	btf = make_btf(false, ROOM_BYTES);
	assert_true(store("file", btf, ROOM_BYTES, &err));
	free(btf);
}

SCRATCH_TEST(test_attributes)
{
	/* What is made in the folder has u:65534:rwx: permissions and tag, and whose. */
	static const uint32_t given[] = { 2, 7 << 16 | 1, UINT32_MAX, 7 << 16 | 2, 65534,
		5 << 16 | 4, UINT32_MAX, 7 << 16 | 16, UINT32_MAX, 5 << 16 | 32, UINT32_MAX };
	uint8_t *btf = make_btf(false, 100);
	bool attributes;
	char value[8] = "";
	struct error err;
	struct stat before, st;

	/* Other contents, or there would be no copy. */
	btf[100 - 2] = 'x';
	write_linked("file", 1, SHT_PROGBITS);
	assert_int_equal(symlink("file", scratch_path("link")), 0);
	setxattr(scratch_path("."), "system.posix_acl_default", given, sizeof(given), 0);
	attributes = setxattr(scratch_path("file"), "user.color", "red", 3, 0) == 0;
	if (geteuid() == 0)
		assert_int_equal(chown(scratch_path("file"), 65533, 65534), 0);
	assert_int_equal(chmod(scratch_path("file"), 06751), 0);
	assert_int_equal(lstat(scratch_path("file"), &before), 0);
	assert_true(store("link", btf, 100, &err));
	assert_int_equal(lstat(scratch_path("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(scratch_path("file"), &st), 0);
	assert_int_not_equal(st.st_ino, before.st_ino);
	assert_int_equal(st.st_mode & 07777, 06751);
	assert_true(getxattr(scratch_path("file"), "system.posix_acl_access", NULL, 0) < 0);
	if (geteuid() == 0) {
		assert_int_equal(st.st_uid, 65533);
		assert_int_equal(st.st_gid, 65534);
	}
	if (attributes) {
		assert_int_equal(getxattr(scratch_path("file"), "user.color", value, 8), 3);
		assert_string_equal(value, "red");
	}
	free(btf);
}

/* A section that is not allocated is appended to the same copy. */
SCRATCH_TEST(test_base_next_to_it)
{
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t *btf = make_btf(i & 2, 100);
		const struct elf_section_data wanted[] = {
			{ ".BTF", btf, 100, 0 },
			{ ".BTF.base", code, sizeof(code), 0 },
		};
		struct error err;

		write_linked("file", i, SHT_PROGBITS);
		assert_true(elf_store(scratch_path("file"), NULL, wanted, 2, &err));
		assert_int_equal(header_of("file", ".BTF").sh_size, ROOM_BYTES);
		assert_int_equal(header_of("file", ".BTF.base").sh_flags, 0);
		assert_int_equal(header_of("file", ".BTF.base").sh_size, sizeof(code));
		free(btf);
	}
}
