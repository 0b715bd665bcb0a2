/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/padding.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "btf/format.h"

#define FIELD(name) offsetof(struct btf_file_header, name)

void *btf_padded(const void *data, size_t bytes, size_t wanted_bytes)
{
	const uint8_t *header = data;
	size_t string_bytes, end;
	uint32_t stored;
	uint8_t *padded;
	bool swap;

	assert(bytes <= wanted_bytes);
	if (bytes < sizeof(struct btf_file_header))
		return NULL;
	swap = bytes_load_u16(header, false) != BTF_MAGIC;
	if (bytes_load_u16(header, swap) != BTF_MAGIC)
		return NULL;
	string_bytes = bytes_load_u32(header + FIELD(string_bytes), swap);
	end = (size_t)bytes_load_u32(header + FIELD(header_bytes), swap) +
	      bytes_load_u32(header + FIELD(string_offset), swap) + string_bytes;
	string_bytes += wanted_bytes - bytes;
	if (end != bytes || string_bytes > (size_t)BTF_MAX_NAME_OFFSET + 1)
		return NULL;
	padded = memory_zeroed(wanted_bytes, 1);
	memcpy(padded, data, bytes);
	stored = bytes_order_u32((uint32_t)string_bytes, swap);
	memcpy(padded + FIELD(string_bytes), &stored, sizeof(stored));
	return padded;
}

static uint32_t word_at(const uint8_t *words, uint32_t i, bool swap)
{
	return bytes_load_u32(words + (size_t)i * 4, swap);
}

static void move_name(uint8_t *word, uint32_t first, uint32_t distance, bool swap)
{
	uint32_t name = bytes_load_u32(word, swap);

	if (name < first)
		return;
	name = bytes_order_u32(name + distance, swap);
	memcpy(word, &name, sizeof(name));
}

void *btf_moved(const void *data, size_t bytes, uint32_t first, size_t padding_bytes)
{
	uint8_t *moved = memory_alloc(bytes);
	bool swap = bytes_load_u16(data, false) != BTF_MAGIC;
	uint32_t count, next;
	uint8_t *words;

	memcpy(moved, data, bytes);
	words = moved + bytes_load_u32(moved + FIELD(header_bytes), swap) +
		bytes_load_u32(moved + FIELD(type_offset), swap);
	count = bytes_load_u32(moved + FIELD(type_bytes), swap) / 4;
	for (uint32_t at = 0; at < count; at = next) {
		uint32_t info = word_at(words, at + BTF_WORD_INFO, swap);
		const struct btf_kind_info *kind = btf_kind_of(info);

		next = at + btf_record_words(info);
		for (uint32_t i = 0, n = btf_name_count(info); i < n; i++)
			move_name(words + (size_t)(at + btf_name_word(kind, i)) * 4, first,
				  (uint32_t)padding_bytes, swap);
	}
	return moved;
}
