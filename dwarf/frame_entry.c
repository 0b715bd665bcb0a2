/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/frame_entry.h"

#include <dwarf.h>
#include <string.h>

/* Longer than any that there is. Each FDE may name another CIE: reading one has to stay cheap. */
#define MAX_AUGMENTATION 16

/* An encoding: how the number is stored, what it is relative to; above, DW_EH_PE_indirect. */
#define ENCODING_FORMAT 0x0fu
#define ENCODING_BASE	0x70u

/* The number of an address or of a length; signed ones fill all 64 bits. */
static uint64_t encoded_number(struct byte_cursor *cursor, uint8_t encoding, uint8_t address_bytes)
{
	switch (encoding & ENCODING_FORMAT) {
	case DW_EH_PE_absptr: return cursor_number(cursor, address_bytes);
	case DW_EH_PE_uleb128: return cursor_uleb(cursor);
	case DW_EH_PE_udata2: return cursor_number(cursor, 2);
	case DW_EH_PE_udata4: return cursor_number(cursor, 4);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: return cursor_number(cursor, 8);
	case DW_EH_PE_sleb128: return (uint64_t)cursor_sleb(cursor);
	case DW_EH_PE_sdata2: return (uint64_t)(int16_t)cursor_number(cursor, 2);
	case DW_EH_PE_sdata4: return (uint64_t)(int32_t)cursor_number(cursor, 4);
	default: cursor_poison(cursor); return 0;
	}
}

static uint64_t highest_address(const struct frame_common *common)
{
	return common->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

uint64_t frame_address(const struct frame_section *section, const struct frame_common *common,
		       struct byte_cursor *cursor)
{
	uint64_t base = 0, value;

	switch (common->encoding & ~ENCODING_FORMAT) {
	case 0: break;
	case DW_EH_PE_pcrel: base = section->address + (uint64_t)(cursor->p - section->data); break;
	/* Relative to the code or the data of something, or after a pointer in memory. */
	default: cursor_poison(cursor); return 0;
	}
	value = encoded_number(cursor, common->encoding, common->address_bytes);
	return cursor->is_bad ? 0 : (base + value) & highest_address(common);
}

bool frame_head_read(const struct frame_section *section, uint64_t offset, struct frame_head *head)
{
	struct byte_cursor *rest = &head->rest;
	uint64_t length, id, id_offset;
	uint8_t id_bytes;

	if (offset >= section->size)
		return false;
	*rest = (struct byte_cursor){ section->data + offset, section->data + section->size,
				       section->swap, false };
	length = cursor_initial_length(rest, &id_bytes);
	/* That of .eh_frame has four bytes in both formats. */
	if (section->is_eh)
		id_bytes = 4;
	if (rest->is_bad || length > (uint64_t)(rest->end - rest->p) ||
	    (section->is_eh && length == 0))
		return false;
	rest->end = rest->p + length;
	head->next = (uint64_t)(rest->end - section->data);
	id_offset = (uint64_t)(rest->p - section->data);
	id = cursor_number(rest, id_bytes);
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

bool frame_common_read(const struct frame_section *section, uint64_t offset,
		       struct frame_common *common)
{
	struct byte_cursor *rest, data;
	struct frame_head head;
	const uint8_t *letter, *letters_end;
	uint64_t version;
	size_t left;

	if (!frame_head_read(section, offset, &head) || head.kind != FRAME_COMMON)
		return false;
	rest = &head.rest;
	*common = (struct frame_common){ .address_bytes = section->address_bytes };
	version = cursor_number(rest, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letter = rest->p;
	left = (size_t)(rest->end - letter);
	left = left < MAX_AUGMENTATION ? left : MAX_AUGMENTATION;
	cursor_skip(rest, strnlen((const char *)letter, left));
	letters_end = rest->p;
	cursor_skip(rest, 1);
	if (rest->is_bad || letters_end - letter >= MAX_AUGMENTATION)
		return false;
	if (version == 4) {
		common->address_bytes = (uint8_t)cursor_number(rest, 1);
		if (common->address_bytes != 4 && common->address_bytes != 8)
			return false;
		/* Segments are not supported. */
		if (cursor_number(rest, 1) != 0)
			return false;
	}
	common->code_alignment = cursor_uleb(rest);
	common->data_alignment = cursor_sleb(rest);
	if (version == 1)
		cursor_number(rest, 1);	/* the register of the return address */
	else
		cursor_uleb(rest);
	data = *rest;
	common->has_augmentation_data = *letter == 'z';
	if (*letter == 'z') {
		struct byte_range block = cursor_block(rest, 0);

		data.p = block.begin;
		letter++;
	}
	data.end = rest->p;
	common->instructions = *rest;
	/* An unknown letter may have data, or change what instructions mean. */
	for (; letter < letters_end; letter++) {
		uint8_t encoding;

		switch (*letter) {
		case 'R': common->encoding = (uint8_t)cursor_number(&data, 1); break;
		case 'L': cursor_skip(&data, 1); break;
		case 'P':
			encoding = (uint8_t)cursor_number(&data, 1);
			/* Only to get past it. Aligned ones have an unknown length. */
			if ((encoding & ENCODING_BASE) == DW_EH_PE_aligned)
				return false;
			encoded_number(&data, encoding, common->address_bytes);
			break;
		/* A signal's frame; the key of, or the tags in, arm64's pointers: no data. */
		case 'S':
		case 'B':
		case 'G': break;
		default: return false;
		}
	}
	return !rest->is_bad && !data.is_bad;
}

bool frame_entry_read(const struct frame_section *section, const struct frame_head *head,
		      const struct frame_common *common, struct frame_entry *entry)
{
	struct byte_cursor rest = head->rest;
	uint64_t bytes;

	entry->begin = frame_address(section, common, &rest);
	bytes = encoded_number(&rest, common->encoding, common->address_bytes);
	if (common->has_augmentation_data)
		cursor_skip(&rest, cursor_uleb(&rest));
	entry->end = entry->begin + bytes;
	entry->instructions = rest;
	/*
	 * Where code is thrown away linkers leave 0 or, some of them, the highest address. Kernels
	 * have no code at 0.
	 */
	return !rest.is_bad && entry->begin && bytes &&
	       bytes <= highest_address(common) - entry->begin;
}
