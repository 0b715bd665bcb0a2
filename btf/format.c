/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/format.h"

#include <string.h>

#include "base/bytes.h"

#define NONE BTF_NO_WORD

/* A reference in word 2, no elements: PTR, TYPEDEF, the modifiers, FUNC, VAR, the tags. */
#define REFERS(label, fixed) { label, fixed, 0, 1, BTF_WORD_TYPE, 0, 0, 0, NONE, false }
/* A size in word 2 and nothing that refers. */
#define SIZED(label, fixed, words, name) { label, fixed, words, 0, 0, 0, 0, 0, name, true }
/* A size in word 2 and elements of three words, of which one refers. */
#define REFERRING(label, ref, name) { label, 0, 3, 0, BTF_HEAD_WORDS + ref, 3, 1, 0, name, true }

const struct btf_kind_info btf_kinds[BTF_ROW_COUNT] = {
	[BTF_INT] = SIZED("INT", 1, 0, NONE),
	[BTF_PTR] = REFERS("PTR", 0),
	[BTF_ARRAY] = { "ARRAY", 3, 0, 2, BTF_HEAD_WORDS, 1, 0, 0, NONE, false },
	[BTF_STRUCT] = REFERRING("STRUCT", 1, 0),
	[BTF_UNION] = REFERRING("UNION", 1, 0),
	[BTF_ENUM] = SIZED("ENUM", 0, 2, 0),
	[BTF_FWD] = { "FWD", 0, 0, 0, 0, 0, 0, 0, NONE, false },
	[BTF_TYPEDEF] = REFERS("TYPEDEF", 0),
	[BTF_VOLATILE] = REFERS("VOLATILE", 0),
	[BTF_CONST] = REFERS("CONST", 0),
	[BTF_RESTRICT] = REFERS("RESTRICT", 0),
	[BTF_FUNC] = REFERS("FUNC", 0),
	/* What it returns, and the second word of each parameter: 2, 4, 6 ... */
	[BTF_FUNC_PROTO] = { "FUNC_PROTO", 0, 2, 1, BTF_WORD_TYPE, 2, 1, 0, 0, false },
	[BTF_VAR] = REFERS("VAR", 1),
	[BTF_DATASEC] = REFERRING("DATASEC", 0, NONE),
	[BTF_FLOAT] = SIZED("FLOAT", 0, 0, NONE),
	[BTF_DECL_TAG] = REFERS("DECL_TAG", 1),
	[BTF_TYPE_TAG] = REFERS("TYPE_TAG", 0),
	[BTF_ENUM64] = SIZED("ENUM64", 0, 3, 0),
	[BTF_LOC_PARAM] = SIZED("LOC_PARAM", 1, 1, NONE),
	[BTF_LOC_PROTO] = { "LOC_PROTO", 0, 1, 0, BTF_HEAD_WORDS, 1, 1, 0, NONE, false },
	/* Function and LOC_PROTO; the offset comes after them. */
	[BTF_LOCSEC] = { "LOCSEC", 0, 3, 0, BTF_HEAD_WORDS, 3, 2, 1, NONE, false },
	[BTF_LOC] = { "LOC", 0, 1, 1, BTF_WORD_TYPE, 0, 0, 0, 0, false },
	/* Function and, after the offset, FUNC_PROTO or LOC. */
	[BTF_FUNC_DATASEC] = { "DATASEC", 0, 3, 0, BTF_HEAD_WORDS, 3, 2, 2, NONE, true },
};

bool btf_is_identifier(const char *name)
{
	static const bool may_be_in[256] = {
		['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true,
		['_'] = true, ['.'] = true,
	};
	size_t length = 0;

	while (length < BTF_NAME_BYTES_MAX && may_be_in[(uint8_t)name[length]])
		length++;
	return length > 0 && length < BTF_NAME_BYTES_MAX && !name[length] &&
	       !(name[0] >= '0' && name[0] <= '9');
}

size_t btf_name_length(const char *name)
{
	return strnlen(name, BTF_NAME_BYTES_MAX);
}

const char *const btf_part_sections[] = { ".BTF.inline", ".BTF.extra" };

const char *btf_site_section(const char *name)
{
	size_t prefix = sizeof(BTF_LOCSEC_PREFIX) - 1;

	return strncmp(name, BTF_LOCSEC_PREFIX, prefix) == 0 ? name + prefix : name;
}

void btf_put_header(uint8_t *out, uint32_t header_bytes, uint32_t type_bytes, uint32_t layout_bytes,
		    uint32_t string_bytes, bool swap)
{
	struct btf_file_header header = {
		.magic = swap ? __builtin_bswap16(BTF_MAGIC) : BTF_MAGIC,
		.version = BTF_VERSION,
		.header_bytes = bytes_order_u32(header_bytes, swap),
		.type_bytes = bytes_order_u32(type_bytes, swap),
		.string_offset = bytes_order_u32(type_bytes + layout_bytes, swap),
		.string_bytes = bytes_order_u32(string_bytes, swap),
		.layout_offset = layout_bytes ? bytes_order_u32(type_bytes, swap) : 0,
		.layout_bytes = bytes_order_u32(layout_bytes, swap),
	};

	memcpy(out, &header, sizeof(header) < header_bytes ? sizeof(header) : header_bytes);
}

uint64_t btf_id(const uint8_t *types, size_t type_bytes, const uint8_t *strings,
		size_t string_bytes)
{
	uint64_t id = UINT64_C(0xcbf29ce484222325);

	while (string_bytes && !strings[string_bytes - 1])
		string_bytes--;
	for (size_t i = 0; i < type_bytes; i++)
		id = (id ^ types[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < string_bytes; i++)
		id = (id ^ strings[i]) * UINT64_C(0x100000001b3);
	return id ? id : 1;
}

void btf_put_layout(uint8_t *out, uint32_t kind_count)
{
	for (uint32_t kind = 0; kind < kind_count; kind++) {
		struct btf_layout_entry entry = {
			.fixed_bytes = (uint8_t)(btf_kinds[kind].fixed_words * 4),
			.element_bytes = (uint8_t)(btf_kinds[kind].element_words * 4),
		};

		memcpy(out + (size_t)kind * sizeof(entry), &entry, sizeof(entry));
	}
}
