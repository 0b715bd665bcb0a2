/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/frame_entry.h"

#include <dwarf.h>

#include "base/bytes.h"
#include "dwarf/leb128.h"

/* Longer than any that there is. Each FDE may name another CIE: reading one has to stay cheap. */
#define MAX_AUGMENTATION 16

/* An encoding: how the number is stored, what it is relative to; above, DW_EH_PE_indirect. */
#define ENCODING_FORMAT 0x0fu
#define ENCODING_BASE	0x70u

/* ---- numbers ---- */

static void poison(struct frame_cursor *cursor)
{
	cursor->p = cursor->end;
	cursor->is_bad = true;
}

uint64_t frame_number(struct frame_cursor *cursor, uint8_t bytes)
{
	const uint8_t *p = cursor->p;

	if (cursor->end - p < bytes) {
		poison(cursor);
		return 0;
	}
	cursor->p += bytes;
	switch (bytes) {
	case 1: return *p;
	case 2: return bytes_load_u16(p, cursor->swap);
	case 4: return bytes_load_u32(p, cursor->swap);
	default: return bytes_load_u64(p, cursor->swap);
	}
}

uint64_t frame_uleb(struct frame_cursor *cursor)
{
	uint64_t value = 0;
	const uint8_t *next = leb128_unsigned(cursor->p, cursor->end, &value);

	if (next)
		cursor->p = next;
	else
		poison(cursor);
	return next ? value : 0;
}

int64_t frame_sleb(struct frame_cursor *cursor)
{
	int64_t value = 0;
	const uint8_t *next = leb128_signed(cursor->p, cursor->end, &value);

	if (next)
		cursor->p = next;
	else
		poison(cursor);
	return next ? value : 0;
}

void frame_skip(struct frame_cursor *cursor, uint64_t bytes)
{
	if (bytes > (uint64_t)(cursor->end - cursor->p))
		poison(cursor);
	else
		cursor->p += bytes;
}

/* ---- addresses ---- */

/* The number of an address or of a length; signed ones fill all 64 bits. */
static uint64_t encoded_number(struct frame_cursor *cursor, uint8_t encoding, uint8_t address_bytes)
{
	switch (encoding & ENCODING_FORMAT) {
	case DW_EH_PE_absptr: return frame_number(cursor, address_bytes);
	case DW_EH_PE_uleb128: return frame_uleb(cursor);
	case DW_EH_PE_udata2: return frame_number(cursor, 2);
	case DW_EH_PE_udata4: return frame_number(cursor, 4);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: return frame_number(cursor, 8);
	case DW_EH_PE_sleb128: return (uint64_t)frame_sleb(cursor);
	case DW_EH_PE_sdata2: return (uint64_t)(int16_t)frame_number(cursor, 2);
	case DW_EH_PE_sdata4: return (uint64_t)(int32_t)frame_number(cursor, 4);
	default: poison(cursor); return 0;
	}
}

static uint64_t highest_address(const struct frame_common *common)
{
	return common->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

uint64_t frame_address(const struct frame_section *section, const struct frame_common *common,
		       struct frame_cursor *cursor)
{
	uint64_t base = 0, value;

	switch (common->encoding & ~ENCODING_FORMAT) {
	case 0: break;
	case DW_EH_PE_pcrel: base = section->address + (uint64_t)(cursor->p - section->data); break;
	/* Relative to the code or the data of something, or after a pointer in memory. */
	default: poison(cursor); return 0;
	}
	value = encoded_number(cursor, common->encoding, common->address_bytes);
	return cursor->is_bad ? 0 : (base + value) & highest_address(common);
}

/* ---- heads ---- */

bool frame_head_read(const struct frame_section *section, uint64_t offset, struct frame_head *head)
{
	struct frame_cursor *rest = &head->rest;
	uint8_t id_bytes = 4;
	uint64_t length, id, id_offset;

	if (offset >= section->size)
		return false;
	*rest = (struct frame_cursor){ section->data + offset, section->data + section->size,
				       section->swap, false };
	length = frame_number(rest, 4);
	if (length == UINT32_MAX) {
		length = frame_number(rest, 8);
		/* That of .eh_frame has four bytes in both formats. */
		id_bytes = section->is_eh ? 4 : 8;
	}
	if (rest->is_bad || length > (uint64_t)(rest->end - rest->p) ||
	    (section->is_eh && length == 0))
		return false;
	rest->end = rest->p + length;
	head->next = (uint64_t)(rest->end - section->data);
	id_offset = (uint64_t)(rest->p - section->data);
	id = frame_number(rest, id_bytes);
	if (section->is_eh) {
		head->kind = id ? FRAME_ENTRY : FRAME_COMMON;
		head->common = id_offset - id;
	} else {
		head->kind = id == (id_bytes == 8 ? UINT64_MAX : UINT32_MAX) ? FRAME_COMMON
									     : FRAME_ENTRY;
		head->common = id;
	}
	if (rest->is_bad)
		head->kind = FRAME_NOTHING;
	return true;
}

/* ---- CIEs ---- */

static bool read_augmentation(struct frame_cursor *rest, char *text)
{
	for (int i = 0; i < MAX_AUGMENTATION; i++) {
		text[i] = (char)frame_number(rest, 1);
		if (!text[i])
			return !rest->is_bad;
	}
	return false;
}

/*
 * What the letters say, from the data that they have there. After a letter that is not known none
 * is: it may have data, or change what instructions mean.
 */
static bool apply_augmentation(const char *text, struct frame_cursor *data,
			       struct frame_common *common)
{
	for (; *text; text++) {
		switch (*text) {
		case 'R': common->encoding = (uint8_t)frame_number(data, 1); break;
		case 'L': frame_skip(data, 1); break;
		case 'P': {
			uint8_t encoding = (uint8_t)frame_number(data, 1);

			/* Only to get after it. Aligned ones have an unknown length. */
			if ((encoding & ENCODING_BASE) == DW_EH_PE_aligned)
				return false;
			encoded_number(data, encoding, common->address_bytes);
			break;
		}
		/* A signal's frame; the key of, or the tags in, arm64's pointers: no data. */
		case 'S':
		case 'B':
		case 'G': break;
		default: return false;
		}
	}
	return !data->is_bad;
}

bool frame_common_read(const struct frame_section *section, uint64_t offset,
		       struct frame_common *common)
{
	char augmentation[MAX_AUGMENTATION];
	struct frame_cursor *rest, data;
	const char *letters = augmentation;
	struct frame_head head;
	uint64_t version;

	if (!frame_head_read(section, offset, &head) || head.kind != FRAME_COMMON)
		return false;
	rest = &head.rest;
	*common = (struct frame_common){ .address_bytes = section->address_bytes };
	version = frame_number(rest, 1);
	if ((version != 1 && version != 3 && version != 4) ||
	    !read_augmentation(rest, augmentation))
		return false;
	if (version == 4) {
		common->address_bytes = (uint8_t)frame_number(rest, 1);
		if (common->address_bytes != 4 && common->address_bytes != 8)
			return false;
		/* A pc without its segment is none. */
		if (frame_number(rest, 1) != 0)
			return false;
	}
	common->code_alignment = frame_uleb(rest);
	common->data_alignment = frame_sleb(rest);
	if (version == 1)
		frame_number(rest, 1);	/* the register of the return address */
	else
		frame_uleb(rest);
	data = *rest;
	if (*letters == 'z') {
		uint64_t bytes = frame_uleb(rest);

		letters++;
		common->has_augmentation_data = true;
		data.p = rest->p;
		frame_skip(rest, bytes);
	}
	data.end = rest->p;
	common->instructions = *rest;
	return !rest->is_bad && apply_augmentation(letters, &data, common);
}

/* ---- FDEs ---- */

bool frame_entry_read(const struct frame_section *section, const struct frame_head *head,
		      const struct frame_common *common, struct frame_entry *entry)
{
	struct frame_cursor rest = head->rest;
	uint64_t bytes;

	entry->begin = frame_address(section, common, &rest);
	bytes = encoded_number(&rest, common->encoding, common->address_bytes);
	if (common->has_augmentation_data)
		frame_skip(&rest, frame_uleb(&rest));
	entry->end = entry->begin + bytes;
	entry->instructions = rest;
	/*
	 * Where code is thrown away linkers leave 0 or, some of them, the highest address. Kernels
	 * have no code at 0.
	 */
	return !rest.is_bad && entry->begin && bytes &&
	       bytes <= highest_address(common) - entry->begin;
}
