/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The entries of .debug_frame (DWARF 5 section 6.4.1) and .eh_frame (LSB Core 5.0 section 10.6):
 * CIEs, which many functions have in common, and FDEs, one for each piece of code. Of both what
 * says how their instructions are read; the instructions themselves are dwarf/call_frame.c's.
 *
 * Whatever the bytes say, no function here reads outside of the section.
 */
#ifndef BTFENC_DWARF_FRAME_ENTRY_H
#define BTFENC_DWARF_FRAME_ENTRY_H

#include "dwarf/byte_cursor.h"
#include "elf/object.h"

struct frame_section {
	const struct object *object;	/* for object_share(); or NULL */
	enum section_id id;
	const uint8_t *data;	/* NULL: there is none */
	size_t size;
	uint64_t address;	/* of its first byte in memory: some pointers are relative to it */
	uint8_t address_bytes;	/* 4 or 8, where no CIE says otherwise */
	bool is_eh;		/* .eh_frame */
	bool swap;
};

enum frame_kind {
	FRAME_NOTHING,		/* too short for anything */
	FRAME_COMMON,		/* a CIE */
	FRAME_ENTRY,		/* an FDE */
};

struct frame_head {
	enum frame_kind kind;
	uint64_t common;	/* of an FDE: the section offset of its CIE */
	uint64_t next;		/* section offset of the next entry */
	struct byte_cursor rest;	/* what follows the head */
};

struct frame_common {
	uint64_t code_alignment;
	int64_t data_alignment;
	uint8_t address_bytes;
	uint8_t encoding;		/* of addresses: DW_EH_PE_* */
	bool has_augmentation_data;	/* in each FDE: its length and the data */
	struct byte_cursor instructions;
};

struct frame_entry {
	uint64_t begin;		/* addresses of the code; begin is not 0 and below end */
	uint64_t end;
	struct byte_cursor instructions;
};

/* False: at this section offset nothing begins that can be read, nor after it. */
bool frame_head_read(const struct frame_section *section, uint64_t offset, struct frame_head *head);

/* False: there is no CIE, or one of a kind that is not known. Costs the same for any. */
bool frame_common_read(const struct frame_section *section, uint64_t offset,
		       struct frame_common *common);

/* False: damaged, without code, or for code that the linker has thrown away. */
bool frame_entry_read(const struct frame_section *section, const struct frame_head *head,
		      const struct frame_common *common, struct frame_entry *entry);

/* An address in the encoding of the CIE. One that is not known poisons the cursor. */
uint64_t frame_address(const struct frame_section *section, const struct frame_common *common,
		       struct byte_cursor *cursor);

#endif
