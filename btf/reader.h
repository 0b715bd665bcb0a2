/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Reading BTF: a raw file, the .BTF section of an ELF file, or bytes in memory, of either byte
 * order, alone or split (on top of a base).
 *
 * Opening asks only for what safe reading needs: magic, version, a header of the known length,
 * both sections inside the data. Everything else that the format demands is the verifier's
 * business, so that a damaged file can still be looked at. What opening guarantees:
 *
 *  - `words` is the type section in host order;
 *  - every id in [first_id, first_id + type_count) has its whole record inside `words`, and its
 *    kind is one of btf_kinds. Indexing stops at the first record for which that does not hold
 *    (`complete` is false then; `indexed_words` says where);
 *  - btf_reader_string() never returns an unterminated string.
 *
 * A split BTF's ids and string offsets go on after its base's; a base may have a base. The base is
 * borrowed and must outlive the reader. A reader is constant once it is open: threads may share it.
 */
#ifndef BTFENC_BTF_READER_H
#define BTFENC_BTF_READER_H

#include <libelf.h>
#include <stddef.h>

#include "base/error.h"
#include "btf/format.h"

struct btf_reader {
	char *name;			/* the file's name, for messages */
	const struct btf_reader *base;	/* or NULL */
	const uint8_t *data;		/* the whole blob, in the file's byte order */
	size_t data_bytes;
	struct btf_file_header header;	/* host order */
	bool swapped;			/* the file's byte order is not the host's */
	bool has_base_section;		/* the ELF file has a distilled base, .BTF.base */
	bool has_part_section[BTF_PART_COUNT];	/* the ELF file has .BTF.inline, .BTF.extra */
	bool complete;			/* the index covers the whole type section */

	const uint32_t *words;
	uint32_t word_count;
	uint32_t indexed_words;		/* where the first record starts that is not in the index */
	uint32_t *positions;		/* first word of type first_id + i */
	uint32_t first_id;		/* 1, or the base's end */
	uint32_t type_count;		/* without the base's */
	uint32_t last_name;		/* the greatest name of a type, not of a member or so, */
	uint32_t last_ref;		/* and the greatest reference */
	bool has_signs;			/* it, or its base, has a signed ENUM or an ENUM64 */

	const char *strings;
	uint32_t first_string;		/* offset of strings[0]: 0, or the base's end */
	uint32_t string_bytes;		/* up to and with the last NUL */

	uint8_t elf_word_bytes;		/* by the class of the ELF file; 0: raw BTF */
	bool is_bpf_object;		/* of a BPF program, before libbpf loads it */

	Elf *elf;			/* the file, mapped; NULL: from memory or a pipe */
	void *owned_data;		/* NULL: `data` belongs to the caller or is mapped */
	uint32_t *owned_words;		/* NULL: `words` points into `data` */
};

/*
 * Opens a file, which is mapped until the reader is released, as all input is: nobody may cut it
 * off meanwhile. In an ELF file the section named `section` is taken (NULL: ".BTF"), decompressed
 * if need be. False: err is filled, the reader is empty and need not be released.
 */
bool btf_reader_open(struct btf_reader *reader, const char *path, const char *section,
		     const struct btf_reader *base, struct error *err);

/* The same from bytes that stay the caller's and must outlive the reader. */
bool btf_reader_from_memory(struct btf_reader *reader, const void *data, size_t bytes,
			    const char *name, const struct btf_reader *base, struct error *err);

void btf_reader_release(struct btf_reader *reader);

/* Is the index complete? False: err is filled, and says how to check the file. */
bool btf_reader_check_complete(const struct btf_reader *reader, struct error *err);

/*
 * Is it split from a base that was not given, as far as can be seen? Damage alone does not look
 * so: the strings must begin as only split BTF's do, and types or names that are referred to be
 * missing.
 */
bool btf_reader_lacks_base(const struct btf_reader *reader);

/*
 * Can others be split from it? False, and err is filled, for what is split itself from a base that
 * was not given, or not the right one, and if a type's name or type is not there. Members and
 * parameters are not looked at: that costs as much as all that a module needs of its base.
 */
bool btf_reader_is_base(const struct btf_reader *reader, struct error *err);

/*
 * Does it belong to the BTF that it is split from, or to that one's base, as it says itself? True,
 * too, for what says nothing of it. For .BTF.extra, which alone has room for an id.
 */
bool btf_reader_fits_base(const struct btf_reader *reader);

/* One more than the highest id, the bases' included. */
static inline uint32_t btf_reader_end_id(const struct btf_reader *reader)
{
	return reader->first_id + reader->type_count;
}

/* One more than the highest valid string offset, the bases' included. */
static inline uint32_t btf_reader_end_string(const struct btf_reader *reader)
{
	return reader->first_string + reader->string_bytes;
}

/* The record of a type; NULL for void (id 0) and for ids that do not exist. */
static inline const uint32_t *btf_reader_type(const struct btf_reader *reader, uint32_t id)
{
	while (id < reader->first_id) {
		reader = reader->base;
		if (!reader)
			return NULL;
	}
	if (id - reader->first_id >= reader->type_count)
		return NULL;
	return reader->words + reader->positions[id - reader->first_id];
}

/* The string at an offset; NULL when the offset is outside the string section. */
static inline const char *btf_reader_string(const struct btf_reader *reader, uint32_t offset)
{
	while (offset < reader->first_string)
		reader = reader->base;
	if (offset - reader->first_string >= reader->string_bytes)
		return NULL;
	return reader->strings + (offset - reader->first_string);
}

#endif
