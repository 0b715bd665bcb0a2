/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Sections put into ELF files of all classes, byte orders and types: what libelf reads of the
 * result. Files that are refused: unit_elf_store_refused.c; interrupted writing: elf_store.sh.
 */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "btf/elf_store.h"
#include "tests/elf_blob.h"
#include "tests/file_bytes.h"
#include "tests/scratch.h"

static const char code[] = "machine code";
static const char old_btf[] = "an old BTF section";
static const char new_btf[] = "the BTF of this file, and longer than the old one was";

static const struct elf_blob_section plain[] = {
	{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, sizeof(code), 0, 0 },
	{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, NULL, 1 << 20, 0, 0 },
};

static const struct elf_blob_section with_btf[] = {
	{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, sizeof(code), 0, 0 },
	{ ".BTF", SHT_PROGBITS, 0, old_btf, sizeof(old_btf), 0, 0 },
	{ ".comment", SHT_PROGBITS, 0, code, sizeof(code), 0, 0 },
};

enum { SHAPES = 12 };

static struct elf_blob_shape shape_of(uint32_t i)
{
	static const uint16_t types[] = { ET_REL, ET_EXEC, ET_DYN };

	return (struct elf_blob_shape){ .is_64 = i & 1, .big_endian = i & 2, .type = types[i / 4] };
}

#define WRITE(name, shape, sections, fillers)                                                      \
	write_file(name, shape, sections, LENGTH(sections), fillers)

static void write_file(const char *name, struct elf_blob_shape shape,
		       const struct elf_blob_section *sections, size_t count, uint32_t fillers)
{
	size_t bytes;
	uint8_t *blob = elf_blob(shape, sections, count, fillers, false, &bytes);

	scratch_write(name, blob, bytes);
	free(blob);
}

static void store(const char *name, const char *section, const char *data, size_t bytes)
{
	const struct elf_section_data wanted = { section, data, bytes, 0 };
	struct error err;

	if (!elf_store(scratch_path(name), NULL, &wanted, 1, &err))
		fail_msg("%s", err.text);
}

static void expect_section(const char *name, const char *section, const void *data, size_t bytes,
			   uint64_t flags)
{
	GElf_Shdr header;
	void *found;

	assert_true(elf_blob_find(scratch_path(name), section, &header, &found));
	assert_int_equal(header.sh_size, bytes);
	assert_memory_equal(found, data, bytes);
	assert_int_equal(header.sh_flags, flags);
	assert_int_equal(header.sh_type, SHT_PROGBITS);
	free(found);
}

static void expect_none(const char *name, const char *section)
{
	GElf_Shdr header;
	void *found;

	assert_false(elf_blob_find(scratch_path(name), section, &header, &found));
}

/* The number of entries in the table; the index of the names in *names. */
static size_t table_count(const char *name, size_t *names)
{
	int fd = open(scratch_path(name), O_RDONLY);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t count;

	assert_int_equal(elf_getshdrnum(elf, &count), 0);
	assert_int_equal(elf_getshdrstrndx(elf, names), 0);
	elf_end(elf);
	close(fd);
	return count;
}

static struct stat status_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(scratch_path(name), &st), 0);
	return st;
}

SCRATCH_TEST(test_new)
{
	for (uint32_t i = 0; i < SHAPES; i++) {
		struct elf_blob_shape shape = shape_of(i);
		size_t old_bytes, new_bytes, names;
		uint8_t *old = elf_blob(shape, plain, LENGTH(plain), 0, false, &old_bytes);
		size_t header_bytes = shape.is_64 ? 64 : 52;
		GElf_Shdr header;
		uint8_t *new;
		void *found;

		scratch_write("file", old, old_bytes);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		expect_section("file", ".BTF", new_btf, sizeof(new_btf), 0);
		expect_section("file", ".text", code, sizeof(code), SHF_ALLOC | SHF_EXECINSTR);
		assert_true(elf_blob_find(scratch_path("file"), ".BTF", &header, &found));
		assert_int_equal(header.sh_addralign, 8);
		assert_int_equal(header.sh_offset % 8, 0);
		assert_int_equal(header.sh_addr, 0);
		free(found);
		/* It is the last entry; nothing else moved, in the table or in the file. */
		assert_int_equal(table_count("file", &names), 5);
		assert_int_equal(names, 3);
		new = file_bytes(scratch_path("file"), &new_bytes);
		assert_true(new_bytes > old_bytes);
		assert_memory_equal(new, old, shape.is_64 ? 40 : 32);
		assert_memory_equal(new + header_bytes, old + header_bytes,
				    old_bytes - header_bytes);
		free(new);
		free(old);
	}
}

SCRATCH_TEST(test_replaced)
{
	for (uint32_t i = 0; i < SHAPES; i++) {
		struct stat first, second;
		size_t names;

		WRITE("file", shape_of(i), with_btf, 0);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		expect_section("file", ".BTF", new_btf, sizeof(new_btf), 0);
		first = status_of("file");
		store("file", ".BTF", new_btf, sizeof(new_btf));
		second = status_of("file");
		assert_int_equal(first.st_size, second.st_size);
		assert_int_equal(first.st_mtim.tv_nsec, second.st_mtim.tv_nsec);
		store("file", ".BTF", "x", 1);
		expect_section("file", ".BTF", "x", 1, 0);
		store("file", ".BTF", "", 0);
		expect_section("file", ".BTF", "", 0, 0);
		expect_section("file", ".comment", code, sizeof(code), 0);
		assert_int_equal(table_count("file", &names), 5);
	}
}

/* A section that was compressed, or had other attributes, becomes plain. */
SCRATCH_TEST(test_compressed_replaced)
{
	struct elf_blob_section sections[LENGTH(with_btf)];

	memcpy(sections, with_btf, sizeof(sections));
	sections[1].flags = SHF_COMPRESSED | SHF_STRINGS;
	for (uint32_t i = 0; i < SHAPES; i++) {
		WRITE("file", shape_of(i), sections, 0);
		store("file", ".BTF", old_btf, sizeof(old_btf));
		expect_section("file", ".BTF", old_btf, sizeof(old_btf), 0);
	}
}

SCRATCH_TEST(test_removed)
{
	for (uint32_t i = 0; i < SHAPES; i++) {
		size_t names;

		/* In the middle: the entry stays, so that indices do. */
		WRITE("file", shape_of(i), with_btf, 0);
		store("file", ".BTF", NULL, 0);
		expect_none("file", ".BTF");
		assert_int_equal(table_count("file", &names), 5);
		assert_int_equal(names, 4);
		expect_section("file", ".comment", code, sizeof(code), 0);
		/* At the end: it goes, and the empty one before it. */
		WRITE("file", shape_of(i), plain, 0);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		store("file", ".BTF.base", old_btf, sizeof(old_btf));
		assert_int_equal(table_count("file", &names), 6);
		store("file", ".BTF", NULL, 0);
		assert_int_equal(table_count("file", &names), 6);
		expect_section("file", ".BTF.base", old_btf, sizeof(old_btf), 0);
		store("file", ".BTF.base", NULL, 0);
		assert_int_equal(table_count("file", &names), 4);
		/* A missing section need not be removed. */
		store("file", ".BTF", NULL, 0);
		assert_int_equal(table_count("file", &names), 4);
	}
}

SCRATCH_TEST(test_several)
{
	for (uint32_t i = 0; i < SHAPES; i++) {
		const struct elf_section_data wanted[] = {
			{ ".BTF", new_btf, sizeof(new_btf), 0 },
			{ ".BTF.base", code, sizeof(code), 0 },
			{ ".comment", NULL, 0, 0 },
		};
		struct error err;

		WRITE("file", shape_of(i), with_btf, 0);
		assert_true(elf_store(scratch_path("file"), NULL, wanted, LENGTH(wanted), &err));
		expect_section("file", ".BTF", new_btf, sizeof(new_btf), 0);
		expect_section("file", ".BTF.base", code, sizeof(code), 0);
		expect_none("file", ".comment");
	}
}

/* Two sections of the name become one; relocations of an old .BTF do not apply to the new one. */
SCRATCH_TEST(test_leftovers)
{
	const struct elf_blob_section sections[] = {
		{ ".BTF", SHT_PROGBITS, 0, old_btf, sizeof(old_btf), 0, 0 },
		{ ".rel.BTF", SHT_REL, 0, code, sizeof(code), 0, 1 },
		{ ".BTF", SHT_PROGBITS, 0, code, sizeof(code), 0, 0 },
		{ ".rela.BTF", SHT_RELA, 0, code, sizeof(code), 0, 3 },
		{ ".rela.text", SHT_RELA, 0, code, sizeof(code), 0, 4 },
	};

	for (uint32_t i = 0; i < SHAPES; i++) {
		GElf_Shdr header;
		void *found;

		WRITE("file", shape_of(i), sections, 0);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		expect_section("file", ".BTF", new_btf, sizeof(new_btf), 0);
		expect_none("file", ".rel.BTF");
		expect_none("file", ".rela.BTF");
		assert_true(elf_blob_find(scratch_path("file"), ".rela.text", &header, &found));
		free(found);
	}
}

/* clang's objects have one string table: symbols keep their names when it moves. */
SCRATCH_TEST(test_shared_names)
{
	static const char symbols[48];
	struct elf_blob_section sections[] = {
		{ ".symtab", SHT_SYMTAB, 0, symbols, sizeof(symbols), 1, 0 },
	};

	for (uint32_t i = 0; i < SHAPES; i++) {
		size_t bytes, names;
		uint8_t *blob = elf_blob(shape_of(i), sections, 1, 0, true, &bytes);
		GElf_Shdr header;
		void *found;

		scratch_write("file", blob, bytes);
		free(blob);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		assert_int_equal(table_count("file", &names), 4);
		assert_int_equal(names, 1);
		assert_true(elf_blob_find(scratch_path("file"), ".shstrtab", &header, &found));
		assert_string_equal((char *)found + 1, ".symtab");
		free(found);
	}
}

/* From SHN_LORESERVE (0xff00) sections on, entry 0 says how many there are. */
SCRATCH_TEST(test_many_sections)
{
	static const uint32_t counts[] = { 0xfefe, 0xfeff, 0xff00, 0xff01, 0x10000, 0x11170 };

	for (uint32_t i = 0; i < 4 * LENGTH(counts); i++) {
		uint32_t count = counts[i / 4];
		size_t names;

		WRITE("file", shape_of(i % 4), plain, count - 4);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		expect_section("file", ".BTF", new_btf, sizeof(new_btf), 0);
		expect_section("file", ".text", code, sizeof(code), SHF_ALLOC | SHF_EXECINSTR);
		assert_int_equal(table_count("file", &names), count + 1);
		assert_int_equal(names, count - 1);
		store("file", ".BTF.base", code, sizeof(code));
		assert_int_equal(table_count("file", &names), count + 2);
		store("file", ".BTF.base", NULL, 0);
		store("file", ".BTF", NULL, 0);
		assert_int_equal(table_count("file", &names), count);
		assert_int_equal(names, count - 1);
		expect_section("file", ".text", code, sizeof(code), SHF_ALLOC | SHF_EXECINSTR);
	}
}

/* In an object no address refers to an allocated section: it may grow, and stays allocated. */
SCRATCH_TEST(test_allocated_in_object)
{
	struct elf_blob_section sections[LENGTH(with_btf)];

	memcpy(sections, with_btf, sizeof(sections));
	sections[1].flags = SHF_ALLOC;
	for (uint32_t i = 0; i < 4; i++) {
		WRITE("file", shape_of(i), sections, 0);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		expect_section("file", ".BTF", new_btf, sizeof(new_btf), SHF_ALLOC);
	}
}

SCRATCH_TEST(test_links)
{
	struct stat before, after;

	WRITE("file", shape_of(5), plain, 0);
	before = status_of("file");
	assert_int_equal(link(scratch_path("file"), scratch_path("hard")), 0);
	assert_int_equal(symlink("file", scratch_path("soft")), 0);
	store("soft", ".BTF", new_btf, sizeof(new_btf));
	after = status_of("file");
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_nlink, 2);
	assert_true(S_ISLNK(status_of("soft").st_mode));
	expect_section("hard", ".BTF", new_btf, sizeof(new_btf), 0);
	assert_int_equal(scratch_file_count(), 3);
}

/* In a process of its own as another user; what it cannot do is a failed assertion here. */
static void store_as(uid_t user, const char *name, bool expected)
{
	const struct elf_section_data wanted = { ".BTF", new_btf, sizeof(new_btf), 0 };
	const char *path = scratch_path(name);
	struct error err;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (setgid(user) != 0 || setuid(user) != 0)
			_exit(2);
		_exit(elf_store(path, NULL, &wanted, 1, &err) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected ? 0 : 1);
}

SCRATCH_TEST(test_mode)
{
	static const mode_t modes[] = { 0644, 0755, 0700, 04755, 06775, 01666 };

	for (size_t i = 0; i < LENGTH(modes); i++) {
		WRITE("file", shape_of(7), plain, 0);
		assert_int_equal(chmod(scratch_path("file"), modes[i]), 0);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		assert_int_equal(status_of("file").st_mode & 07777, modes[i]);
		remove(scratch_path("file"));
	}
}

/* A file with set-ID bits is copied, which only its owner and root can do. */
SCRATCH_TEST(test_owner)
{
	if (geteuid() != 0)
		skip();
	for (uid_t owner = 65533; owner <= 65534; owner++) {
		WRITE("file", shape_of(7), plain, 0);
		assert_int_equal(chown(scratch_path("file"), owner, owner), 0);
		assert_int_equal(chmod(scratch_path("file"), 06776), 0);
		assert_int_equal(chmod(scratch_path("."), 0777), 0);
		store_as(65534, "file", owner == 65534);
		assert_int_equal(status_of("file").st_mode & 07777, 06776);
		assert_int_equal(status_of("file").st_uid, owner);
		if (owner == 65534)
			expect_section("file", ".BTF", new_btf, sizeof(new_btf), 0);
		remove(scratch_path("file"));
	}
}

/* They are copied. Who may not give them leaves the file alone. */
SCRATCH_TEST(test_capability)
{
	/* struct vfs_cap_data, revision 2, effective: CAP_NET_RAW */
	static const uint8_t net_raw[20] = { 1, 0, 0, 2, 0, 0x20 };
	uint8_t found[64];

	for (int in_place = 0; in_place < 2; in_place++) {
		WRITE("file", shape_of(7), plain, 0);
		if (geteuid() != 0 || setxattr(scratch_path("file"), "security.capability", net_raw,
					       sizeof(net_raw), 0) != 0)
			skip();
		assert_int_equal(chmod(scratch_path("."), 0755), 0);
		assert_int_equal(chmod(scratch_path("file"), 0666), 0);
		store_as(65534, "file", false);
		store("file", ".BTF", new_btf, sizeof(new_btf));
		/* The second time it is longer, or there. */
		store("file", ".BTF", new_btf, in_place ? sizeof(new_btf) : sizeof(new_btf) / 2);
		assert_int_equal(getxattr(scratch_path("file"), "security.capability", found,
					  sizeof(found)), sizeof(net_raw));
		assert_memory_equal(found, net_raw, sizeof(net_raw));
		remove(scratch_path("file"));
	}
}
