/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The records of sites in a BTF (docs/format.md), read a second time. Written for the tests alone,
 * from that document, with nothing of btf/, of libbpf or of dwarf/ in it, so that it checks
 * btfenc's own reading of the format. Both encodings, LOCSEC in .BTF and kind_flag
 * DATASEC in .BTF.extra, become one list.
 *
 * The document's promises about the bytes (kinds, flags, orders, counts) are checked on the way;
 * each broken promise is a complaint.
 */
#ifndef BTFENC_TESTS_SITE_RECORDS_H
#define BTFENC_TESTS_SITE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_FRAME_BASE UINT32_MAX
#define RECORD_REGISTERS  2

enum record_place_kind {
	RECORD_NOWHERE,
	RECORD_REGISTER,	/* in regs[0], or in regs[0] and regs[1] */
	RECORD_SUM,		/* the value is regs[0] + number */
	RECORD_MEMORY,		/* at regs[0] + number */
	RECORD_CONSTANT,	/* number */
	RECORD_ADDRESS,		/* number + base of the image */
	RECORD_PLACE_KINDS,
};

extern const char *const record_place_names[RECORD_PLACE_KINDS];

struct record_place {
	uint8_t kind;		/* enum record_place_kind */
	uint8_t reg_count;
	bool is_signed;		/* said by LOC_PARAM only, as size_bytes */
	uint32_t size_bytes;	/* 0: not said */
	uint32_t regs[RECORD_REGISTERS];	/* DWARF's numbers, or RECORD_FRAME_BASE */
	uint64_t number;
};

enum record_encoding {
	RECORD_LOCSEC,
	RECORD_EXTRA,
	RECORD_ENCODINGS,
};

enum record_says {
	RECORD_PLACES,		/* where each parameter is */
	RECORD_CONVENTION,	/* all are where the calling convention puts them */
	RECORD_NOTHING,		/* no prototype is known */
};

struct site_record {
	const char *name, *section;
	uint8_t encoding;	/* enum record_encoding */
	uint8_t says;		/* enum record_says */
	bool is_promised;	/* the FUNC has a prototype */
	uint32_t offset;	/* in the section */
	uint32_t prototype;	/* type id of the FUNC_PROTO; 0: none */
	uint32_t parameter_count;
	uint32_t first_place;	/* of RECORD_PLACES: in the places */
};

/* BTF, BTF.inline if there is one, and EXTRA, each split from the one before. */
enum { IMAGE_BTF, IMAGE_INLINE, IMAGE_EXTRA, IMAGE_COUNT };

struct record_image {
	uint8_t *data;
	size_t bytes;
	const uint8_t *strings;
	uint32_t string_bytes, first_string, first_type, type_count;
};

struct site_records {
	struct site_record *data;
	size_t count, room;
	struct record_place *places;
	size_t place_count, place_room;
	uint32_t *loc_param_of;		/* by type id: the first place + 1 of a LOC_PROTO or LOC */
	const uint8_t **types;		/* by type id */
	uint32_t type_count;
	size_t type_room;
	struct record_image images[IMAGE_COUNT];
	bool swap;
	uint16_t machine;
	unsigned int complaints;
	char complaint[256];		/* the first */
};

/*
 * btf: OUT of encode, extra: its OUT.extra or NULL. machine: EM_*, whose
 * registers the strings name. False: a file cannot be read, or there was a complaint.
 */
bool site_records_read(struct site_records *records, const char *btf, const char *extra,
		       uint16_t machine);
void site_records_release(struct site_records *records);

/* Bytes of the nth parameter by the BTF's own types; 0: not known. */
uint32_t site_records_size(const struct site_records *records, const struct site_record *record,
			   uint32_t parameter);

/* Is it something that a general register holds: a number, a pointer, an enumeration? */
bool site_records_is_scalar(const struct site_records *records, const struct site_record *record,
			    uint32_t parameter);

/* "" for the parameter "...". */
const char *site_records_name(const struct site_records *records, const struct site_record *record,
			      uint32_t parameter);

/* A fetch argument without a type, "+8(%sp)", or two registers, "%di %si". False: it is neither. */
bool record_place_read(struct record_place *place, const char *text, uint16_t machine);

/* The place as a text: "reg5", "reg5 reg4", "reg5+8", "[reg7+8]", "42", "base+42". */
const char *record_place_text(const struct record_place *place, char *text, size_t bytes);

#endif
