/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/mutate.h"

#include <string.h>

#include "btf/format.h"

#define TYPES_MAX 4096

/* BTF of the host's byte order, and where its records are. */
struct image {
	uint8_t *data;
	size_t bytes, capacity;
	struct btf_file_header header;
	uint32_t positions[TYPES_MAX + 1];	/* of records, in words; the last: their end */
	uint32_t count;
};

static uint32_t *words_of(const struct image *image)
{
	return (uint32_t *)(void *)(image->data + image->header.header_bytes);
}

/* The records that are whole. */
static bool read_image(struct image *image)
{
	struct btf_file_header *header = &image->header;
	const uint32_t *words;
	uint32_t limit, at = 0;

	memcpy(header, image->data, BTF_SHORT_HEADER_BYTES);
	image->count = 0;
	if (header->magic != BTF_MAGIC || header->header_bytes < BTF_SHORT_HEADER_BYTES ||
	    header->header_bytes % 4 || header->type_offset ||
	    header->header_bytes > image->bytes ||
	    header->type_bytes > image->bytes - header->header_bytes)
		return false;
	words = words_of(image);
	limit = header->type_bytes / 4;
	while (image->count < TYPES_MAX && limit - at >= BTF_HEAD_WORDS &&
	       btf_kind_exists(words[at + BTF_WORD_INFO]) &&
	       btf_info_vlen(words[at + BTF_WORD_INFO]) < limit &&
	       btf_record_words(words[at + BTF_WORD_INFO]) <= limit - at) {
		image->positions[image->count++] = at;
		at += btf_record_words(words[at + BTF_WORD_INFO]);
	}
	image->positions[image->count] = at;
	return image->count;
}

/* Words take the place of others; the sections after them move. */
static void splice(struct image *image, uint32_t at, uint32_t old, const uint32_t *new,
		   uint32_t count)
{
	uint8_t *words = image->data + image->header.header_bytes;
	size_t tail = image->bytes - image->header.header_bytes - 4 * (size_t)(at + old);
	uint32_t change = 4 * (count - old);

	if (image->bytes + 4 * (size_t)count - 4 * (size_t)old > image->capacity)
		return;
	memmove(words + 4 * (size_t)(at + count), words + 4 * (size_t)(at + old), tail);
	if (count)
		memcpy(words + 4 * (size_t)at, new, 4 * (size_t)count);
	image->bytes += (size_t)(int64_t)(int32_t)change;
	image->header.type_bytes += change;
	image->header.string_offset += change;
	memcpy(image->data, &image->header, BTF_SHORT_HEADER_BYTES);
}

static uint32_t below(struct random *random, uint64_t limit)
{
	return (uint32_t)random_below(random, limit);
}

/* A word of the record that a table of words names: the i-th reference, the i-th name. */
static uint32_t pick_word(struct random *random, const uint32_t *record, bool name)
{
	uint32_t info = record[BTF_WORD_INFO];
	uint32_t count = name ? btf_name_count(info) : btf_ref_count(info);
	uint32_t i = below(random, count);

	if (!count)
		return BTF_WORD_TYPE;
	return name ? btf_name_word(btf_kind_of(info), i) : btf_ref_word(btf_kind_of(info), i);
}

static uint32_t pick_id(struct random *random, const struct image *image, uint32_t self)
{
	switch (below(random, 12)) {
	case 0: return 0;
	case 1: return self;
	case 2: return image->count + below(random, 3);
	case 3: return self ? self - 1 : 1;
	case 4: return self + 1;
	default: return 1 + below(random, image->count);
	}
}

/* One element of a record more or less. */
static void change_length(struct image *image, struct random *random, uint32_t at)
{
	uint32_t element[3] = { 0 }, *record = words_of(image) + at;
	const struct btf_kind_info *kind = btf_kind_of(record[BTF_WORD_INFO]);
	uint32_t vlen = btf_info_vlen(record[BTF_WORD_INFO]), i = below(random, vlen);
	uint32_t words = kind->element_words;
	uint32_t first = BTF_HEAD_WORDS + kind->fixed_words + i * words;

	if (!words)
		return;
	if (vlen)
		memcpy(element, record + first, words * sizeof(*element));
	if (vlen && below(random, 2)) {
		record[BTF_WORD_INFO]--;
		splice(image, at + first, words, NULL, 0);
	} else if (vlen < BTF_VLEN_MAX && image->bytes + 4 * words <= image->capacity) {
		record[BTF_WORD_INFO]++;
		splice(image, at + first, 0, element, words);
	}
}

static void mutate_word(uint32_t *word, struct random *random, uint32_t other)
{
	switch (below(random, 5)) {
	case 0: *word ^= 1u << below(random, 32); break;
	case 1: *word = below(random, 48); break;
	case 2: *word = other; break;
	case 3: *word += below(random, 17) - 8; break;
	default: *word ^= (uint32_t)random_next(random);
	}
}

static void mutate_record(struct image *image, struct random *random)
{
	uint32_t index = below(random, image->count), at = image->positions[index];
	uint32_t length = image->positions[index + 1] - at;
	uint32_t other = image->positions[below(random, image->count)];
	uint32_t *words = words_of(image), *record = words + at, copy[64];

	switch (below(random, 12)) {
	case 0:
	case 1:
	case 2:
		record[pick_word(random, record, false)] = pick_id(random, image, index + 1);
		break;
	case 3:
		record[pick_word(random, record, true)] =
			below(random, 4) ? words[other] : below(random, image->header.string_bytes);
		break;
	case 4:
		record[BTF_WORD_INFO] = btf_info((enum btf_kind)below(random, BTF_KIND_COUNT),
						 btf_info_vlen(record[BTF_WORD_INFO]),
						 btf_info_kind_flag(record[BTF_WORD_INFO]));
		break;
	case 5:
		record[BTF_WORD_INFO] ^= 1u << 31;
		break;
	case 6:
		record[BTF_WORD_SIZE] = below(random, 2) ? words[other + BTF_WORD_SIZE]
							 : record[BTF_WORD_SIZE] * 2 + 1;
		break;
	case 7:
		change_length(image, random, at);
		break;
	case 8:
		if (length <= sizeof(copy) / sizeof(*copy)) {
			memcpy(copy, record, length * sizeof(*copy));
			splice(image, other, 0, copy, length);
		}
		break;
	case 9:
		splice(image, at, length, NULL, 0);
		break;
	default:
		mutate_word(record + below(random, length), random,
			    words[below(random, image->header.type_bytes / 4)]);
	}
}

size_t mutate_btf(struct random *random, uint8_t *data, size_t bytes, size_t capacity)
{
	static const char characters[] = { 0, 1, '.', '0', 'a', ' ', (char)0xc3, '-' };
	struct image image = { .data = data, .bytes = bytes, .capacity = capacity };
	uint32_t rounds = 1 + below(random, 3);

	if (bytes < BTF_SHORT_HEADER_BYTES)
		return bytes;
	while (rounds--) {
		uint32_t strings, header_words = BTF_SHORT_HEADER_BYTES / 4;

		if (!read_image(&image) || !below(random, 24)) {
			uint32_t word, i = below(random, header_words);

			memcpy(&word, data + 4 * (size_t)i, sizeof(word));
			mutate_word(&word, random, (uint32_t)image.bytes);
			memcpy(data + 4 * (size_t)i, &word, sizeof(word));
			continue;
		}
		strings = image.header.header_bytes + image.header.type_bytes;
		if (!below(random, 16) && strings < image.bytes)
			data[strings + below(random, image.bytes - strings)] =
				(uint8_t)characters[below(random, sizeof(characters))];
		else
			mutate_record(&image, random);
	}
	return image.bytes;
}
