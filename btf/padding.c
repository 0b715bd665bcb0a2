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

void *btf_moved(const void *data, size_t bytes, uint32_t first, size_t padding_bytes)
{
	uint8_t *moved = memcpy(memory_alloc(bytes), data, bytes);
	bool swap = bytes_load_u16(data, false) != BTF_MAGIC;
	uint8_t *record = moved + bytes_load_u32(moved + FIELD(header_bytes), swap) +
			  bytes_load_u32(moved + FIELD(type_offset), swap);
	uint8_t *end = record + bytes_load_u32(moved + FIELD(type_bytes), swap);

	while (record < end) {
		uint32_t head[BTF_HEAD_WORDS] = {
			[BTF_WORD_INFO] = bytes_load_u32(record + 4 * BTF_WORD_INFO, swap) };

		btf_each_name(word, head) {
			uint32_t name = bytes_load_u32(record + (size_t)word * 4, swap);

			if (name < first)
				continue;
			name = bytes_order_u32(name + (uint32_t)padding_bytes, swap);
			memcpy(record + (size_t)word * 4, &name, sizeof(name));
		}
		record += (size_t)btf_record_words(head[BTF_WORD_INFO]) * 4;
	}
	return moved;
}
