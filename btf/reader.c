/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Opening BTF: find the bytes (raw file, ELF section, memory), check the header as far as reading
 * needs it, bring the type section into host order, index the records.
 *
 * The type section is copied only when it must be: other byte order, or not aligned to 4 bytes.
 */
#include "btf/reader.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file_kind.h"
#include "base/memory.h"
#include "base/text.h"
#include "elf/libelf_error.h"
#include "elf/object.h"

/* In a command. */
#define BASES_SHOWN 8

/* The fields from offset `from` up to `end`; those after the first four bytes are 32-bit words. */
static void decode_header(struct btf_reader *reader, size_t from, size_t end)
{
	for (size_t at = from; at < end; at += sizeof(uint32_t)) {
		uint32_t word = bytes_load_u32(reader->data + at, reader->swapped);

		memcpy((uint8_t *)&reader->header + at, &word, sizeof(word));
	}
}

static bool check_section(const struct btf_reader *reader, const char *what, uint32_t offset,
			  uint32_t bytes, struct error *err)
{
	size_t room = reader->data_bytes - reader->header.header_bytes;

	if (offset <= room && bytes <= room - offset)
		return true;
	return error_at(err, reader->name,
			"BTF header: the %s section (offset %u, %u bytes) ends after the data "
			"(%zu bytes after the header); the file is damaged or cut off",
			what, offset, bytes, room);
}

static bool read_header(struct btf_reader *reader, struct error *err)
{
	struct btf_file_header *header = &reader->header;
	uint16_t magic = 0;

	if (reader->data_bytes >= sizeof(magic))
		magic = bytes_load_u16(reader->data, false);
	reader->swapped = magic == __builtin_bswap16(BTF_MAGIC);
	if (magic != BTF_MAGIC && !reader->swapped)
		return error_at(err, reader->name,
				"not BTF (no magic number 0x%x); give an ELF file with a .BTF "
				"section or a raw BTF file", BTF_MAGIC);
	if (reader->data_bytes < BTF_SHORT_HEADER_BYTES)
		return error_at(err, reader->name,
				"BTF header: only %zu bytes; the file is damaged or cut off",
				reader->data_bytes);
	header->magic = BTF_MAGIC;
	header->version = reader->data[2];
	header->flags = reader->data[3];
	decode_header(reader, 4, BTF_SHORT_HEADER_BYTES);
	if (header->version != BTF_VERSION)
		return error_at(err, reader->name,
				"BTF version %u is not supported; only version %u is known",
				header->version, BTF_VERSION);
	if (header->header_bytes < BTF_SHORT_HEADER_BYTES ||
	    header->header_bytes > reader->data_bytes)
		return error_at(err, reader->name,
				"BTF header: length %u is outside %d..%zu; the file is damaged",
				header->header_bytes, BTF_SHORT_HEADER_BYTES, reader->data_bytes);
	if (header->header_bytes >= sizeof(*header))
		decode_header(reader, BTF_SHORT_HEADER_BYTES, sizeof(*header));
	return check_section(reader, "type", header->type_offset, header->type_bytes, err) &&
	       check_section(reader, "string", header->string_offset, header->string_bytes, err);
}

/* "btfenc check -b BASE FILE", to be freed. */
static char *check_command(const struct btf_reader *reader)
{
	const struct btf_reader *bases[BASES_SHOWN];
	struct text command = { 0 };
	uint32_t count = 0;

	/* ".BTF.extra" of a file is checked with its ".BTF". */
	while (reader->base && strncmp(reader->name, reader->base->name,
				       strlen(reader->base->name)) == 0)
		reader = reader->base;
	for (const struct btf_reader *base = reader->base; base && count < BASES_SHOWN;
	     base = base->base)
		bases[count++] = base;
	text_add_string(&command, "btfenc check ");
	while (count) {
		text_add_string(&command, "-b ");
		text_add_quoted(&command, bases[--count]->name);
		text_add_char(&command, ' ');
	}
	text_add_quoted(&command, reader->name);
	return text_finish(&command);
}

static bool attach_base(struct btf_reader *reader, const struct btf_reader *base, struct error *err)
{
	reader->first_id = 1;
	if (!base)
		return true;
	if (!base->complete || base->string_bytes != base->header.string_bytes) {
		char *command = check_command(base);

		error_at(err, base->name, "is damaged and cannot be a base; run: %s", command);
		free(command);
		return false;
	}
	if (base->swapped != reader->swapped)
		return error_at(err, reader->name, "its byte order is not that of the base %.300s; "
				"give the BTF of the same kernel", base->name);
	reader->base = base;
	reader->first_id = btf_reader_end_id(base);
	if (__builtin_add_overflow(base->first_string, base->header.string_bytes,
				   &reader->first_string))
		return error_at(err, reader->name, "the bases' strings exceed 4 GiB");
	return true;
}

/* Most of those that are three words, the last of them a reference. */
#define THREE_WORDS                                                                                \
	(1u << BTF_PTR | 1u << BTF_TYPEDEF | 1u << BTF_VOLATILE | 1u << BTF_CONST |                \
	 1u << BTF_RESTRICT | 1u << BTF_FUNC | 1u << BTF_TYPE_TAG)

/*
 * A process of its own for each module goes once through a kernel's 100,000 types. Where each
 * begins depends on the one before. Most are three words long: with a branch for these the
 * processor does not wait for one record to find the next.
 */
static void index_records(struct btf_reader *reader)
{
	const uint32_t *all = reader->words;
	uint32_t at = 0, count = 0, last_name = 0, last_ref = 0, word_count = reader->word_count;
	uint32_t *positions = memory_alloc((size_t)word_count / BTF_HEAD_WORDS *
					   sizeof(*positions));
	bool has_signs = reader->base && reader->base->has_signs;

	while (word_count - at >= BTF_HEAD_WORDS) {
		const uint32_t *record = all + at;
		uint32_t info = record[BTF_WORD_INFO], words = BTF_HEAD_WORDS;
		uint32_t name = record[BTF_WORD_NAME], ref = 0;

		if (__builtin_expect(btf_info_kind(info) < 32 &&
				     THREE_WORDS >> btf_info_kind(info) & 1, 1)) {
			ref = record[BTF_WORD_TYPE];
		} else {
			const struct btf_kind_info *kind;

			if (!btf_kind_exists(info))
				break;
			kind = btf_kind_of(info);
			words += kind->fixed_words + kind->element_words * btf_info_vlen(info);
			if (words > word_count - at)
				break;
			has_signs |= btf_info_kind(info) == BTF_ENUM64 ||
				     (btf_info_kind(info) == BTF_ENUM && btf_info_kind_flag(info));
			if (kind->head_refs)
				ref = record[kind->ref_word];
			if (kind->head_refs > 1 && record[kind->ref_word + 1] > ref)
				ref = record[kind->ref_word + 1];
		}
		positions[count++] = at;
		at += words;
		last_name = name > last_name ? name : last_name;
		last_ref = ref > last_ref ? ref : last_ref;
	}
	/* Most types are longer than the shortest; the rest was not touched yet. */
	reader->positions = memory_resize(positions, count, sizeof(*positions));
	reader->last_name = last_name;
	reader->last_ref = last_ref;
	reader->has_signs = has_signs;
	reader->type_count = count;
	reader->indexed_words = at;
	reader->complete = (size_t)at * sizeof(uint32_t) == reader->header.type_bytes;
}

/* The name is set and the data is in place. */
static bool open_data(struct btf_reader *reader, const struct btf_reader *base, struct error *err)
{
	const struct btf_file_header *header = &reader->header;
	const uint8_t *types;

	if (!read_header(reader, err) || !attach_base(reader, base, err)) {
		btf_reader_release(reader);
		return false;
	}
	types = reader->data + header->header_bytes + header->type_offset;
	reader->word_count = header->type_bytes / (uint32_t)sizeof(uint32_t);
	reader->words = (const uint32_t *)(const void *)types;
	if (reader->swapped || (uintptr_t)types % _Alignof(uint32_t)) {
		reader->owned_words = memory_alloc(reader->word_count * sizeof(uint32_t) + 1);
		for (uint32_t i = 0; i < reader->word_count; i++)
			reader->owned_words[i] =
				bytes_load_u32(types + (size_t)i * 4, reader->swapped);
		reader->words = reader->owned_words;
	}
	/* Bytes after the last NUL are not a string: no pointer leads into them. */
	reader->strings =
		(const char *)reader->data + header->header_bytes + header->string_offset;
	reader->string_bytes = header->string_bytes;
	while (reader->string_bytes && reader->strings[reader->string_bytes - 1])
		reader->string_bytes--;
	index_records(reader);
	return true;
}

bool btf_reader_from_memory(struct btf_reader *reader, const void *data, size_t bytes,
			    const char *name, const struct btf_reader *base, struct error *err)
{
	*reader = (struct btf_reader){
		.name = memory_copy(name),
		.data = data,
		.data_bytes = bytes,
	};
	return open_data(reader, base, err);
}

static bool take_section(struct btf_reader *reader, Elf_Scn *section, const char *name,
			 uint64_t stored, struct error *err)
{
	GElf_Shdr header;
	Elf_Data *data;
	uint64_t claimed = 0;

	if (!gelf_getshdr(section, &header))
		return libelf_error(err, reader->name, "section %s", name);
	if (header.sh_type == SHT_NOBITS)
		return error_at(err, reader->name,
				"section %s has no contents in this file; take the file that the "
				"debug information was split from",
				name);
	if (header.sh_flags & SHF_COMPRESSED &&
	    !object_claim(section, name, header.sh_size < stored ? header.sh_size : stored,
			  &claimed, reader->name, err))
		return false;
	if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
		return error_at(err, reader->name, "%s: cannot decompress: %s", name,
				elf_errmsg(-1));
	data = elf_getdata(section, NULL);
	if (!data)
		return libelf_error(err, reader->name, "section %s", name);
	reader->data_bytes = data->d_size;
	reader->data = data->d_buf;
	return true;
}

/* The file has so many bytes, before it was unpacked. */
static bool read_elf(struct btf_reader *reader, Elf *elf, const char *name, uint64_t stored,
		     struct error *err)
{
	size_t names_index, bytes = 0;
	Elf_Scn *section = NULL, *wanted = NULL;
	bool has_dwarf = false;
	GElf_Ehdr elf_header;

	if (elf_getshdrstrndx(elf, &names_index))
		return libelf_error(err, reader->name, "the section headers");
	/* libelf shows a file without its end as one without sections. */
	if (gelf_getehdr(elf, &elf_header) && elf_rawfile(elf, &bytes) &&
	    elf_header.e_shoff > bytes)
		return error_at(err, reader->name, "is truncated: its section headers are at byte "
				"%llu of %zu; copy or build it again",
				(unsigned long long)elf_header.e_shoff, bytes);
	reader->elf_word_bytes = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
	reader->is_bpf_object = gelf_getehdr(elf, &elf_header) && elf_header.e_machine == EM_BPF;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *found = NULL;

		if (gelf_getshdr(section, &header))
			found = elf_strptr(elf, names_index, header.sh_name);
		if (!found && libelf_lacked_memory())
			return libelf_error(err, reader->name, "the sections' names");
		if (found && !wanted && strcmp(found, name) == 0)
			wanted = section;
		if (found && strcmp(found, ".BTF.base") == 0)
			reader->has_base_section = true;
		for (int p = 0; found && p < BTF_PART_COUNT; p++)
			reader->has_part_section[p] |= strcmp(found, btf_part_sections[p]) == 0;
		has_dwarf |= found && strcmp(found, ".debug_info") == 0;
	}
	if (wanted)
		return take_section(reader, wanted, name, stored, err);
	return error_at(err, reader->name, "has no %s section%s", name, has_dwarf
			? "; `btfenc encode` makes one from DWARF"
			: ", nor DWARF to make one from; " DEBUG_PACKAGES);
}

/* A file that cannot be mapped, for instance a pipe, is read. `fd` is closed. */
static bool read_raw(struct btf_reader *reader, int fd, const char *path, struct error *err)
{
	struct text text = { 0 };
	size_t bytes = 0;

	reader->data = reader->elf ? (const uint8_t *)elf_rawfile(reader->elf, &bytes) : NULL;
	reader->data_bytes = bytes;
	if (reader->data && bytes) {
		close(fd);
		return true;
	}
	if (!text_read(&text, fd, path, "check the name and the permissions",
		       file_kind_is_raw_btf, err))
		return false;
	reader->data = reader->owned_data = text.data;
	reader->data_bytes = text.count;
	return true;
}

static bool open_once(struct btf_reader *reader, const char *path, const char *section,
		      const struct btf_reader *base, struct stat *opened, struct error *err)
{
	bool is_empty, good;
	uint64_t stored;
	int fd;

	*opened = (struct stat){ 0 };
	fd = text_open(path, opened);
	stored = file_stored_bytes(opened);
	/* So are files of procfs, which has no BTF; see file_kind_of(). */
	is_empty = S_ISREG(opened->st_mode) && !opened->st_size;
	memory_set_task(path, "reading its BTF");
	*reader = (struct btf_reader){ .name = memory_copy(path) };
	elf_version(EV_CURRENT);
	if (fd >= 0 && !is_empty)
		reader->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (is_empty) {
		good = true;
		close(fd);
	} else if (S_ISREG(opened->st_mode) && (uint64_t)opened->st_size > file_limit(stored)) {
		good = error_at(err, path, "claims to be %llu bytes, and is a hole but for %llu; "
				"it is damaged", (unsigned long long)opened->st_size,
				(unsigned long long)stored);
		close(fd);
	} else if (fd >= 0 && !reader->elf && libelf_lacked_memory()) {
		good = libelf_error(err, reader->name, "the ELF header");
		close(fd);
	} else if (elf_kind(reader->elf) == ELF_K_ELF) {
		good = read_elf(reader, reader->elf, section ? section : ".BTF", stored, err);
		close(fd);
	} else {
		good = read_raw(reader, fd, path, err);
	}
	if (good)
		return open_data(reader, base, err);
	btf_reader_release(reader);
	return false;
}

bool btf_reader_open(struct btf_reader *reader, const char *path, const char *section,
		     const struct btf_reader *base, struct error *err)
{
	struct stat opened;

	return open_once(reader, path, section, base, &opened, err) ||
	       (S_ISREG(opened.st_mode) && file_has_changed(path, &opened) &&
		open_once(reader, path, section, base, &opened, err));
}

void btf_reader_release(struct btf_reader *reader)
{
	free(reader->name);
	free(reader->owned_data);
	free(reader->owned_words);
	free(reader->positions);
	elf_end(reader->elf);
	*reader = (struct btf_reader){ 0 };
}

bool btf_reader_check_complete(const struct btf_reader *reader, struct error *err)
{
	char *command = reader->complete ? NULL : check_command(reader);

	if (command)
		error_at(err, reader->name, "type %u: broken record; run: %s",
			 btf_reader_end_id(reader), command);
	free(command);
	return !command;
}

/* Only names and types of types: whatever is split has some of its own. */
static bool refers_outside(const struct btf_reader *reader)
{
	return reader->last_name >= btf_reader_end_string(reader) ||
	       reader->last_ref >= btf_reader_end_id(reader);
}

/*
 * The lowest base begins with the empty string. What is above it does not, but may have this
 * one alone.
 */
static bool has_split_strings(const struct btf_reader *reader)
{
	return !reader->base && (!reader->string_bytes || reader->strings[0]);
}

bool btf_reader_lacks_base(const struct btf_reader *reader)
{
	return (has_split_strings(reader) || (!reader->base && reader->string_bytes == 1)) &&
	       refers_outside(reader);
}

bool btf_reader_fits_base(const struct btf_reader *reader)
{
	const uint8_t *id = reader->data + sizeof(struct btf_file_header);
	const struct btf_reader *base = reader->base;
	uint64_t wanted;

	if (!base || reader->header.header_bytes < BTF_EXTRA_HEADER_BYTES)
		return true;
	wanted = bytes_load_u32(id, reader->swapped) |
		 (uint64_t)bytes_load_u32(id + 4, reader->swapped) << 32;
	/* Below it is .BTF, or .BTF.inline and then .BTF. */
	for (int i = 0; wanted && base && i < 2; i++, base = base->base) {
		const struct btf_file_header *header = &base->header;
		const uint8_t *sections = base->data + header->header_bytes;

		if (btf_id(sections + header->type_offset, header->type_bytes,
			   sections + header->string_offset, header->string_bytes) == wanted)
			return true;
	}
	return !wanted;
}

bool btf_reader_is_base(const struct btf_reader *reader, struct error *err)
{
	if (has_split_strings(reader))
		return error_at(err, reader->name, "is split BTF itself (its strings do not begin "
				"with the empty one); give all bases, the lowest first");
	if (refers_outside(reader))
		return error_at(err, reader->name, "refers to types or names that are not there: "
				"it is damaged, or split from another base");
	return true;
}
