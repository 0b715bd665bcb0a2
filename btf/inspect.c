/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/inspect.h"

#include <string.h>

const uint32_t *btf_under(const struct btf_reader *btf, uint32_t *id, uint32_t kinds,
			  uint32_t *passed)
{
	const uint32_t *record = btf_reader_type(btf, *id);

	for (uint32_t i = 0; i < BTF_LAYERS_MAX && kinds >> btf_record_kind(record) & 1; i++) {
		enum btf_kind kind = btf_record_kind(record);

		*passed |= 1u << kind;
		*id = record[kind == BTF_ARRAY ? BTF_HEAD_WORDS : BTF_WORD_TYPE];
		record = btf_reader_type(btf, *id);
	}
	return record;
}

uint64_t btf_type_bits(const struct btf_reader *btf, uint32_t id, uint32_t pointer_bytes,
		       const uint32_t **bit_int)
{
	const uint32_t *record = btf_reader_type(btf, id);
	uint64_t elements = 1, bits = 0;
	bool is_array = false;

	for (uint32_t i = 0; i < BTF_LAYERS_MAX; i++) {
		enum btf_kind kind = btf_record_kind(record);

		if (kind == BTF_ARRAY) {
			if (__builtin_mul_overflow(elements, record[BTF_HEAD_WORDS + 2], &elements))
				return UINT64_MAX;
			is_array = true;
		} else if (!btf_kind_is_modifier(kind) && kind != BTF_TYPEDEF) {
			break;
		}
		record = btf_reader_type(btf, record[kind == BTF_ARRAY ? BTF_HEAD_WORDS
								       : BTF_WORD_TYPE]);
	}
	if (btf_record_kind(record) == BTF_PTR)
		bits = 8 * (uint64_t)pointer_bytes;
	else if (record && btf_kind_of(record[BTF_WORD_INFO])->has_size)
		bits = 8 * (uint64_t)record[BTF_WORD_SIZE];
	if (btf_record_kind(record) == BTF_INT && !is_array && record[BTF_HEAD_WORDS] & 0xff &&
	    (record[BTF_HEAD_WORDS] & 0xff) < bits)
		*bit_int = record;
	return __builtin_mul_overflow(elements, bits, &bits) ? UINT64_MAX : bits;
}

/* What follows a pointer within a struct or union, in bits. UINT64_MAX: member `i` is none. */
static uint64_t room_of_pointer(const struct btf_reader *btf, const uint32_t *record, uint32_t i)
{
	uint32_t info = record[BTF_WORD_INFO];
	const uint32_t *member = record + BTF_HEAD_WORDS + 3 * i;
	uint64_t begin = btf_member_offset(info, member), end = 8ull * record[BTF_WORD_SIZE];

	if (btf_record_kind(btf_skip_modifiers(btf, member[1])) != BTF_PTR)
		return UINT64_MAX;
	if (btf_record_kind(record) == BTF_STRUCT && i + 1 < btf_info_vlen(info))
		end = btf_member_offset(info, member + 3);
	return end > begin ? end - begin : 0;
}

/* Has a struct room for no more than 4 bytes at a pointer? With more room, it may be padding. */
static bool has_short_pointers(const struct btf_reader *btf)
{
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);

		for (uint32_t i = 0; btf_kind_is_aggregate(btf_record_kind(record)) &&
				     i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
			uint64_t room = room_of_pointer(btf, record, i);

			if (room >= 32 && room < 64)
				return true;
		}
	}
	return false;
}

uint32_t btf_pointer_bytes(const struct btf_reader *btf)
{
	static const char *const longs[] = { "long unsigned int", "unsigned long", "long int",
					     "long" };

	for (const struct btf_reader *file = btf; file; file = file->base) {
		if (file->elf_word_bytes)
			return file->elf_word_bytes;
	}
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);

		for (int i = 0; btf_record_kind(record) == BTF_INT && i < 4; i++) {
			if (strcmp(btf_type_name(btf, record), longs[i]) == 0 &&
			    (record[BTF_WORD_SIZE] == 4 || record[BTF_WORD_SIZE] == 8))
				return record[BTF_WORD_SIZE];
		}
	}
	return has_short_pointers(btf) ? 4 : 0;
}

const char *const btf_keywords[BTF_KIND_COUNT] = {
	[BTF_CONST] = "const", [BTF_VOLATILE] = "volatile", [BTF_RESTRICT] = "restrict",
	[BTF_STRUCT] = "struct", [BTF_UNION] = "union", [BTF_ENUM] = "enum",
	[BTF_ENUM64] = "enum",
};

enum btf_kind btf_keyword_kind(const char *word, size_t length)
{
	for (enum btf_kind kind = BTF_VOID; kind < BTF_KIND_COUNT; kind++) {
		if (btf_keywords[kind] && !btf_kind_is_modifier(kind) &&
		    strlen(btf_keywords[kind]) == length &&
		    strncmp(word, btf_keywords[kind], length) == 0)
			return kind;
	}
	/* In front of a typedef's name C has none. */
	return length == 7 && strncmp(word, "typedef", 7) == 0 ? BTF_TYPEDEF : BTF_VOID;
}
