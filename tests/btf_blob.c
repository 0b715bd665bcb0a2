/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/btf_blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/cmocka_all.h"

static void copy_inside(struct btf_blob *blob, size_t at, const void *from, size_t bytes)
{
	if (at < blob->bytes && bytes)
		memcpy(blob->data + at, from, bytes < blob->bytes - at ? bytes : blob->bytes - at);
}

struct btf_blob btf_blob_place(const struct btf_file_header *header, size_t bytes,
			       const uint32_t *words, size_t word_count, const char *strings,
			       size_t string_bytes)
{
	struct btf_blob blob = { .data = memory_zeroed(bytes, 1), .bytes = bytes };
	size_t start = header->header_bytes;

	copy_inside(&blob, start + header->type_offset, words, word_count * sizeof(*words));
	copy_inside(&blob, start + header->string_offset, strings, string_bytes);
	copy_inside(&blob, 0, header,
		    header->header_bytes < sizeof(*header) ? BTF_SHORT_HEADER_BYTES
							   : sizeof(*header));
	return blob;
}

struct btf_blob btf_blob_make(const uint32_t *words, size_t word_count, const char *strings,
			      size_t string_bytes)
{
	uint32_t type_bytes = (uint32_t)(word_count * sizeof(*words));
	struct btf_file_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.header_bytes = BTF_SHORT_HEADER_BYTES,
		.type_bytes = type_bytes,
		.string_offset = type_bytes,
		.string_bytes = (uint32_t)string_bytes,
	};

	return btf_blob_place(&header, BTF_SHORT_HEADER_BYTES + type_bytes + string_bytes, words,
			      word_count, strings, string_bytes);
}

void btf_blob_swap(struct btf_blob *blob)
{
	uint32_t *words = (uint32_t *)(void *)blob->data;
	struct btf_file_header header;
	uint8_t byte = blob->data[0];

	memcpy(&header, blob->data, sizeof(header));
	blob->data[0] = blob->data[1];
	blob->data[1] = byte;
	/* Words 1-5 are the header's, the type section follows. */
	for (size_t i = 1; i < (BTF_SHORT_HEADER_BYTES + header.type_bytes) / sizeof(*words); i++)
		words[i] = __builtin_bswap32(words[i]);
}

void btf_blob_damage(struct btf_blob *blob, struct random *random, uint32_t limit)
{
	size_t at = 4 * random_below(random, blob->bytes / 4);
	uint32_t word;

	memcpy(&word, blob->data + at, sizeof(word));
	word = random_below(random, 2) ? word ^ 1u << random_below(random, 32)
				       : (uint32_t)random_below(random, limit);
	memcpy(blob->data + at, &word, sizeof(word));
}

void btf_blob_release(struct btf_blob *blob)
{
	free(blob->data);
	*blob = (struct btf_blob){ 0 };
}

void btf_open(struct btf_reader *btf, const void *data, size_t bytes, const struct btf_reader *base)
{
	struct error err;

	if (!btf_reader_from_memory(btf, data, bytes, "test", base, &err))
		fail_msg("%s", err.text);
}

char *btf_dump(const struct btf_reader *btf, const struct btf_print_words *words)
{
	/* Not on the stack: GCC takes what strstr() finds in the text for a pointer to this. */
	static char *text;
	static size_t bytes;
	FILE *out;

	text = NULL;
	out = open_memstream(&text, &bytes);
	if (!out)
		abort();
	btf_print(btf, NULL, words, out);
	if (fclose(out))
		abort();
	return text;
}
