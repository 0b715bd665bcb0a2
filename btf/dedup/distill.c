/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/base.h"

#include <string.h>

#include "base/bytes.h"
#include "base/text.h"

struct writer {
	struct btf_distilled *out;
	const struct btf_base *base;
	ARRAY_OF(uint32_t) words;
	struct text strings;
};

static uint32_t string_offset(struct writer *writer, uint32_t name)
{
	const char *text = btf_reader_string(writer->base->reader, name);
	uint32_t *offset = &writer->out->offset_of_name[name];

	if (!*offset) {
		*offset = (uint32_t)writer->strings.count;
		text_add(&writer->strings, text, strlen(text) + 1);
	}
	return *offset;
}

/* A record with what names, sizes and scalars say, and nothing of its elements. */
static void add_type(struct writer *writer, uint32_t id)
{
	const uint32_t *record = btf_reader_type(writer->base->reader, id);
	uint32_t info = record[BTF_WORD_INFO];

	switch (btf_info_kind(info)) {
	case BTF_STRUCT:
	case BTF_UNION: info = btf_info(btf_info_kind(info), 0, false); break;
	case BTF_ENUM:
	case BTF_ENUM64: info = btf_info(BTF_ENUM, 0, false); break;
	default: break;
	}
	array_push(&writer->words, string_offset(writer, record[BTF_WORD_NAME]));
	array_push(&writer->words, info);
	array_push(&writer->words, record[BTF_WORD_SIZE]);
	if (btf_info_kind(info) == BTF_INT)
		array_push(&writer->words, record[BTF_HEAD_WORDS]);
	writer->out->ids[id] = ++writer->out->type_count;
}

void btf_distill(struct btf_distilled *out, const struct btf_base *base, const bool *wanted,
		 bool swap)
{
	struct writer writer = { .out = out, .base = base };
	uint32_t type_bytes;
	uint8_t *at;

	*out = (struct btf_distilled){
		.ids = memory_zeroed(base->end_id, sizeof(uint32_t)),
		.offset_of_name = memory_zeroed(btf_reader_end_string(base->reader),
						sizeof(uint32_t)),
	};
	text_add_char(&writer.strings, '\0');
	for (uint32_t id = 1; id < base->end_id; id++) {
		if (wanted[id])
			add_type(&writer, id);
	}
	type_bytes = (uint32_t)(writer.words.count * 4);
	out->string_bytes = (uint32_t)writer.strings.count;
	out->size = BTF_SHORT_HEADER_BYTES + (size_t)type_bytes + out->string_bytes;
	out->data = memory_zeroed(out->size, 1);
	btf_put_header(out->data, BTF_SHORT_HEADER_BYTES, type_bytes, 0, out->string_bytes, swap);
	at = out->data + BTF_SHORT_HEADER_BYTES;
	for (size_t i = 0; i < writer.words.count; i++, at += 4) {
		uint32_t word = bytes_order_u32(writer.words.data[i], swap);

		memcpy(at, &word, 4);
	}
	memcpy(at, writer.strings.data, writer.strings.count);
	array_release(&writer.words);
	array_release(&writer.strings);
}

void btf_distilled_release(struct btf_distilled *distilled)
{
	free(distilled->ids);
	free(distilled->offset_of_name);
	free(distilled->data);
	*distilled = (struct btf_distilled){ 0 };
}
