/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Hand-made ELF files with DWARF for tests: any tag, any attribute, any form, DWARF 2 to 5, 32-bit
 * and 64-bit offsets, both byte orders, both ELF classes. Nothing is checked, so that tests can
 * build what is wrong; for damage beyond that a test may change the section bytes by itself.
 *
 *	struct dwarf_blob b;
 *
 *	dwarf_blob_init(&b);
 *	dwarf_blob_unit(&b, 5);
 *	DIE(&b, L_INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
 *	OPEN(&b, 0, DW_TAG_structure_type, NAME("s"), SIZE(4));
 *	DIE(&b, 0, DW_TAG_member, NAME("a"), TYPE(L_INT), AT(0));
 *	CLOSE(&b);
 *	dwarf_blob_end_unit(&b);
 *	path = dwarf_blob_write(&b);
 *
 * Labels are small numbers above zero that name DIEs, for references in both directions. Each unit
 * may use the same ones again; references by DW_FORM_ref_addr see the last DIE of that label.
 */
#ifndef BTFENC_TESTS_DWARF_BLOB_H
#define BTFENC_TESTS_DWARF_BLOB_H

#include "base/memory.h"
#include "dwarf/die.h"
#include "elf/object.h"

#define BLOB_LABELS	1024
#define BLOB_MAX_PERCPU 0x20000

typedef ARRAY_OF(uint8_t) blob_bytes;

struct blob_attr {
	uint16_t attribute;	/* 0 ends a list */
	uint16_t form;
	uint64_t value;		/* a label where `labelled`; the length of a block */
	const char *text;	/* of a string form; the bytes of a block */
	bool labelled;
};

struct blob_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t info;		/* GELF_ST_INFO */
	uint16_t section;	/* 1: .text, 2: .data..percpu, SHN_ABS, SHN_UNDEF */
};

struct blob_fixup {
	size_t at;		/* in .debug_info */
	uint64_t base;		/* subtracted from the label's offset */
	uint32_t label;
	uint8_t bytes;
	bool absolute;		/* not relative to the unit */
};

struct dwarf_blob {
	/* To be set before the first unit. */
	bool big_endian;
	bool elf32;
	uint16_t elf_type;	/* ET_EXEC */
	uint16_t machine;	/* 0: x86-64, i386, or s390 where that fits */
	const void *text;		/* of .text, executable then; NULL: zeros */
	uint32_t text_bytes;
	uint32_t percpu_bytes;	/* of .data..percpu, 0x1000; at most BLOB_MAX_PERCPU */
	/* To be set before a unit. */
	uint8_t address_bytes;
	uint8_t offset_bytes;

	uint16_t version;
	uint64_t unit_begin;
	uint64_t next_code;
	blob_bytes sections[SECTION_COUNT];
	ARRAY_OF(struct blob_symbol) symbols;
	ARRAY_OF(struct blob_fixup) fixups;
	uint64_t labels[BLOB_LABELS];	/* section offsets */
	int fd;
	char path[64];
};

void dwarf_blob_init(struct dwarf_blob *b);	/* the host's byte order, ELF64 */
void dwarf_blob_release(struct dwarf_blob *b);

/* Opens a unit and its DW_TAG_compile_unit, which gets the attributes (NULL: none). */
void dwarf_blob_unit(struct dwarf_blob *b, uint16_t version);
void dwarf_blob_unit_with(struct dwarf_blob *b, uint16_t version, const struct blob_attr *attrs);
/* A header of another type: its extra fields are `signature` and, in a type unit, the label. */
void dwarf_blob_header(struct dwarf_blob *b, uint16_t version, uint8_t unit_type,
		       uint64_t signature, uint32_t label);
/* Ends the children of the unit DIE, the abbreviations and the unit; fixes all references. */
void dwarf_blob_end_unit(struct dwarf_blob *b);
/* The same without the null entry of the unit DIE. */
void dwarf_blob_finish_unit(struct dwarf_blob *b);

void dwarf_blob_die(struct dwarf_blob *b, uint32_t label, uint16_t tag, bool children,
		    const struct blob_attr *attrs);
void dwarf_blob_symbol(struct dwarf_blob *b, const char *name, uint64_t value, uint8_t type,
		       uint16_t section);

/* Writes the file into memory; the path is good until the blob is released or written again. */
const char *dwarf_blob_write(struct dwarf_blob *b);

#define BLOB_ATTRS(...) ((const struct blob_attr[]){ __VA_ARGS__ __VA_OPT__(, ) { 0 } })
#define DIE(b, label, tag, ...)	 dwarf_blob_die(b, label, tag, false, BLOB_ATTRS(__VA_ARGS__))
#define OPEN(b, label, tag, ...) dwarf_blob_die(b, label, tag, true, BLOB_ATTRS(__VA_ARGS__))
#define CLOSE(b)		 blob_put_uleb(&(b)->sections[SECTION_INFO], 0)

#define ATTR(at, form_, number) { .attribute = (at), .form = (form_), .value = (uint64_t)(number) }
#define STRING(at, form_, string) { .attribute = (at), .form = (form_), .text = (string) }
#define REFERENCE(at, form_, label_)                                                               \
	{ .attribute = (at), .form = (form_), .value = (label_), .labelled = true }
#define BLOCK(at, form_, bytes)                                                                    \
	{ .attribute = (at), .form = (form_), .value = sizeof(bytes) - 1, .text = (bytes) }
#define NAME(string)	 STRING(DW_AT_name, DW_FORM_string, string)
#define TYPE(label)	 REFERENCE(DW_AT_type, DW_FORM_ref4, label)
#define SIZE(bytes)	 ATTR(DW_AT_byte_size, DW_FORM_udata, bytes)
#define ENCODING(number) ATTR(DW_AT_encoding, DW_FORM_data1, number)
#define AT(offset)	 ATTR(DW_AT_data_member_location, DW_FORM_udata, offset)
#define FLAG(at)	 ATTR(at, DW_FORM_flag, 1)

/* Bytes in the blob's byte order. */
void blob_put(blob_bytes *out, const void *bytes, size_t count);
void blob_put_number(const struct dwarf_blob *b, blob_bytes *out, uint64_t value, uint8_t bytes);
void blob_put_uleb(blob_bytes *out, uint64_t value);
void blob_put_sleb(blob_bytes *out, int64_t value);
void blob_set_number(const struct dwarf_blob *b, uint8_t *at, uint64_t value, uint8_t bytes);
/* The offset of a string in .debug_str or .debug_line_str, where it is added if need be. */
uint64_t blob_string(struct dwarf_blob *b, enum section_id section, const char *text);

#endif
