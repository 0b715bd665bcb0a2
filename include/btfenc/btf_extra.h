/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The experimental records of btfenc: where functions are entered and inlined, and where their
 * parameters are there. docs/format.md is the specification; this is what reading takes, for C99
 * and C++, without any other header than <stddef.h> and <stdint.h>. It can be included beside
 * <linux/btf.h> and <bpf/btf.h>: all names begin with btf_extra_ or BTF_EXTRA_.
 *
 *	struct btf_extra extra;
 *	const struct btf_extra_type *type = NULL;
 *
 *	if (btf_extra_open(&extra, data, bytes, btf__type_cnt(btf), string_bytes))
 *		return -1;
 *	while ((type = btf_extra_next(&extra, type))) {
 *		uint32_t count;
 *		const struct btf_extra_site *sites = btf_extra_sites(type, &count);
 *
 *		for (uint32_t i = 0; i < count; i++)
 *			use(btf_extra_string(&extra, type->name_off), &sites[i]);
 *	}
 *
 * Everything handed out lies within the blob, whatever its bytes are. References are not checked:
 * ids and string offsets may lead nowhere, and the functions that take them answer NULL then. Only
 * blobs of the native byte order are read.
 */
#ifndef BTFENC_BTF_EXTRA_H
#define BTFENC_BTF_EXTRA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BTF_EXTRA_MAGIC 0xeb9f

/* ---- kinds ---- */

#define BTF_EXTRA_KIND_FUNC	  12	/* as in <linux/btf.h>; type 0: no stable prototype */
#define BTF_EXTRA_KIND_FUNC_PROTO 13
#define BTF_EXTRA_KIND_DATASEC	  15	/* with kind_flag: the sites of a section */
#define BTF_EXTRA_KIND_LOC	  31	/* locations as strings */

/* These are in .BTF.inline (feature inline), or in .BTF as pahole writes it. */
#define BTF_EXTRA_KIND_LOC_PARAM  20	/* where one parameter is */
#define BTF_EXTRA_KIND_LOC_PROTO  21	/* where all are: LOC_PARAMs, 0: not available */
#define BTF_EXTRA_KIND_LOCSEC	  22	/* the inline sites of a section */

/* Flags of a LOC_PARAM. */
#define BTF_EXTRA_LOC_SIGNED	0x01	/* with CONST: negative, to be sign-extended */
#define BTF_EXTRA_LOC_CONST	0x02	/* the value; if size > 4 in two words, low one first */
#define BTF_EXTRA_LOC_ADDR	0x04	/* with CONST: an address, from the base of the image */
#define BTF_EXTRA_LOC_REG	0x08	/* DWARF register; of two values two registers */
#define BTF_EXTRA_LOC_DEREF	0x10	/* in memory at the register (+ offset) */
#define BTF_EXTRA_LOC_OFFSET	0x20	/* the second value is a signed number to add */
#define BTF_EXTRA_LOC_FRAME_BASE 0xffffffffu	/* a register that is none: the frame base */

/* ---- what the bytes are ---- */

struct btf_extra_header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t hdr_len;
	uint32_t type_off;	/* from the end of the header, as str_off */
	uint32_t type_len;
	uint32_t str_off;
	uint32_t str_len;
};

/* Each record begins with this. */
struct btf_extra_type {
	uint32_t name_off;
	uint32_t info;		/* vlen bits 0-23, kind bits 24-30, kind_flag bit 31 */
	uint32_t size_or_type;
};

/*
 * Of a DATASEC with kind_flag; they ascend by offset. It is where `func` is entered when a symbol
 * of that name is there, else an address where `func` was inlined.
 */
struct btf_extra_site {
	uint32_t func;		/* FUNC, of .BTF or of here */
	uint32_t offset;	/* from the start of the section that the DATASEC names */
	uint32_t location;	/* LOC; FUNC_PROTO: by the calling convention; 0: not known */
};

/* Of a LOCSEC; they ascend by func. */
struct btf_extra_inline_site {
	uint32_t func;
	uint32_t loc_proto;
	uint32_t offset;
};

/* Of a FUNC_PROTO. */
struct btf_extra_param {
	uint32_t name_off;
	uint32_t type;
};

static inline uint32_t btf_extra_kind(const struct btf_extra_type *type)
{
	return type->info >> 24 & 0x7f;
}

static inline uint32_t btf_extra_vlen(const struct btf_extra_type *type)
{
	return type->info & 0xffffff;
}

static inline int btf_extra_kind_flag(const struct btf_extra_type *type)
{
	return (int)(type->info >> 31);
}

/* Words behind the first three; UINT64_MAX: the kind is not known. */
static inline uint64_t btf_extra_words(const struct btf_extra_type *type)
{
	uint64_t vlen = btf_extra_vlen(type);

	switch (btf_extra_kind(type)) {
	case 2: case 7: case 8: case 9: case 10: case 11:	/* PTR, FWD, TYPEDEF, modifiers */
	case BTF_EXTRA_KIND_FUNC:
	case 16: case 18:					/* FLOAT, TYPE_TAG */
		return 0;
	case 1: case 14: case 17:				/* INT, VAR, DECL_TAG */
		return 1;
	case 3:							/* ARRAY */
		return 3;
	case 6:							/* ENUM */
	case BTF_EXTRA_KIND_FUNC_PROTO:
		return 2 * vlen;
	case 4: case 5: case 19:				/* STRUCT, UNION, ENUM64 */
	case BTF_EXTRA_KIND_DATASEC:
	case BTF_EXTRA_KIND_LOCSEC:
		return 3 * vlen;
	case BTF_EXTRA_KIND_LOC:
	case BTF_EXTRA_KIND_LOC_PROTO:
		return vlen;
	case BTF_EXTRA_KIND_LOC_PARAM:
		return 1 + vlen;
	default:
		return UINT64_MAX;
	}
}

/* ---- the blob ---- */

struct btf_extra {
	const unsigned char *types, *types_end;
	const char *strings;
	uint32_t string_bytes;
	uint32_t first_id;	/* ids below are .BTF's */
	uint32_t first_string;	/* string offsets below are, too */
};

/* How long the string section of a BTF (or a .BTF.extra) is; 0: it is damaged. */
static inline uint32_t btf_extra_string_bytes(const void *data, size_t bytes)
{
	const struct btf_extra_header *header = (const struct btf_extra_header *)data;

	return bytes >= sizeof(*header) && header->magic == BTF_EXTRA_MAGIC ? header->str_len : 0;
}

/*
 * The id of a .BTF by its contents: FNV-1a (64 bits) of its type section, then of its string section
 * without zeros at the end. 0: it is damaged.
 */
static inline uint64_t btf_extra_id_of(const void *btf, size_t bytes)
{
	const struct btf_extra_header *header = (const struct btf_extra_header *)btf;
	const unsigned char *part[2], *end;
	uint64_t id = 0xcbf29ce484222325u;
	size_t length[2], room, i, k;

	if (bytes < sizeof(*header) || header->magic != BTF_EXTRA_MAGIC ||
	    header->hdr_len > bytes)
		return 0;
	room = bytes - header->hdr_len;
	if (header->type_off > room || header->type_len > room - header->type_off ||
	    header->str_off > room || header->str_len > room - header->str_off)
		return 0;
	end = (const unsigned char *)btf + header->hdr_len;
	part[0] = end + header->type_off;
	length[0] = header->type_len;
	part[1] = end + header->str_off;
	length[1] = header->str_len;
	while (length[1] && !part[1][length[1] - 1])
		length[1]--;
	for (i = 0; i < 2; i++) {
		for (k = 0; k < length[i]; k++)
			id = (id ^ part[i][k]) * 0x100000001b3u;
	}
	return id ? id : 1;
}

/* The id of the .BTF that a .BTF.extra belongs to. 0: it does not say. */
static inline uint64_t btf_extra_belongs_to(const void *data, size_t bytes)
{
	const struct btf_extra_header *header = (const struct btf_extra_header *)data;
	const uint32_t *words = (const uint32_t *)data;

	/* After the header of a .BTF and the place of its layout section. */
	if (bytes < 40 || header->magic != BTF_EXTRA_MAGIC || header->hdr_len < 40)
		return 0;
	return words[8] | (uint64_t)words[9] << 32;
}

/*
 * The blob belongs to the caller, begins at a multiple of 4 and outlives `extra`. base_end_id: one
 * more than the highest id of .BTF (btf__type_cnt()). base_string_bytes: what
 * btf_extra_string_bytes() says of .BTF; of a module's the sum of its own and its base's.
 *
 * Returns 0; -1: this is not such a blob, not in native byte order, or damaged.
 */
static inline int btf_extra_open(struct btf_extra *extra, const void *data, size_t bytes,
				 uint32_t base_end_id, uint32_t base_string_bytes)
{
	const struct btf_extra_header *header = (const struct btf_extra_header *)data;
	const unsigned char *sections;
	size_t room;

	if (bytes < sizeof(*header) || (uintptr_t)data % sizeof(uint32_t) ||
	    header->magic != BTF_EXTRA_MAGIC || header->version != 1 ||
	    header->hdr_len < sizeof(*header) || header->hdr_len > bytes ||
	    header->hdr_len % sizeof(uint32_t) || header->type_off % sizeof(uint32_t))
		return -1;
	sections = (const unsigned char *)data + header->hdr_len;
	room = bytes - header->hdr_len;
	if (header->type_off > room || header->type_len > room - header->type_off ||
	    header->str_off > room || header->str_len > room - header->str_off)
		return -1;
	extra->types = sections + header->type_off;
	extra->types_end = extra->types + header->type_len;
	extra->strings = (const char *)sections + header->str_off;
	extra->string_bytes = header->str_len;
	if (extra->string_bytes && extra->strings[extra->string_bytes - 1])
		return -1;
	extra->first_id = base_end_id;
	extra->first_string = base_string_bytes;
	return 0;
}

/*
 * The record behind `type`, the first one behind NULL; NULL: there is none, or it is damaged. Ids
 * ascend from extra->first_id.
 */
static inline const struct btf_extra_type *btf_extra_next(const struct btf_extra *extra,
							  const struct btf_extra_type *type)
{
	const unsigned char *next = extra->types;
	const struct btf_extra_type *found;
	size_t room;

	if (type)
		next = (const unsigned char *)(type + 1) +
		       (size_t)btf_extra_words(type) * sizeof(uint32_t);
	room = (size_t)(extra->types_end - next);
	if (room < sizeof(*found))
		return NULL;
	found = (const struct btf_extra_type *)(const void *)next;
	if (btf_extra_words(found) > (room - sizeof(*found)) / sizeof(uint32_t))
		return NULL;
	return found;
}

/* NULL: the id is .BTF's, or there is no such record. It walks: make an array of many. */
static inline const struct btf_extra_type *btf_extra_type_by_id(const struct btf_extra *extra,
								uint32_t id)
{
	const struct btf_extra_type *type = NULL;
	uint32_t at = extra->first_id;

	if (id < at)
		return NULL;
	while ((type = btf_extra_next(extra, type)) && at++ != id)
		;
	return type;
}

/* NULL: the offset is .BTF's (btf__str_by_offset()), or there is no such string. */
static inline const char *btf_extra_string(const struct btf_extra *extra, uint32_t offset)
{
	if (offset < extra->first_string || offset - extra->first_string >= extra->string_bytes)
		return NULL;
	return extra->strings + (offset - extra->first_string);
}

/* ---- what follows a record's first words; 0 and NULL for records of another kind ---- */

static inline const struct btf_extra_site *btf_extra_sites(const struct btf_extra_type *type,
							   uint32_t *count)
{
	int good = btf_extra_kind(type) == BTF_EXTRA_KIND_DATASEC && btf_extra_kind_flag(type);

	*count = good ? btf_extra_vlen(type) : 0;
	return good ? (const struct btf_extra_site *)(const void *)(type + 1) : NULL;
}

/* Of a LOC: string offsets, one for each parameter of its FUNC_PROTO; 0: not available. */
static inline const uint32_t *btf_extra_locations(const struct btf_extra_type *type,
					       uint32_t *count)
{
	int good = btf_extra_kind(type) == BTF_EXTRA_KIND_LOC;

	*count = good ? btf_extra_vlen(type) : 0;
	return good ? (const uint32_t *)(const void *)(type + 1) : NULL;
}

static inline const struct btf_extra_param *btf_extra_params(const struct btf_extra_type *type,
							     uint32_t *count)
{
	int good = btf_extra_kind(type) == BTF_EXTRA_KIND_FUNC_PROTO;

	*count = good ? btf_extra_vlen(type) : 0;
	return good ? (const struct btf_extra_param *)(const void *)(type + 1) : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
