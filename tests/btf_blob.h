/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Hand-made BTF for tests: words and strings in, a blob with a header out. Nothing is checked, so
 * that tests can build what is wrong.
 */
#ifndef BTFENC_TESTS_BTF_BLOB_H
#define BTFENC_TESTS_BTF_BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "btf/printer.h"
#include "tests/mutate.h"

struct btf_blob {
	uint8_t *data;
	size_t bytes;
};

/* Info word and head of a record as constant expressions, for tables of words. */
#define BLOB_INFO(kind, vlen, flag)                                                                \
	((uint32_t)(flag) << 31 | (uint32_t)(kind) << 24 | (uint32_t)(vlen))
#define BLOB_TYPE(kind, vlen, flag, name, word) (name), BLOB_INFO(kind, vlen, flag), (word)

/* The usual layout: header, types, strings. Host byte order. */
struct btf_blob btf_blob_make(const uint32_t *words, size_t word_count, const char *strings,
			      size_t string_bytes);

/* The sections where `header` puts them, in `bytes` bytes; what is not covered is zero. */
struct btf_blob btf_blob_place(const struct btf_file_header *header, size_t bytes,
			       const uint32_t *words, size_t word_count, const char *strings,
			       size_t string_bytes);

/* Turns a blob of the usual layout into the other byte order. */
void btf_blob_swap(struct btf_blob *blob);

/* One word becomes another one, of one bit or below `limit`. */
void btf_blob_damage(struct btf_blob *blob, struct random *random, uint32_t limit);

void btf_blob_release(struct btf_blob *blob);

/* For BTF that can be read; else the test fails with the reason. */
void btf_open(struct btf_reader *btf, const void *data, size_t bytes,
	      const struct btf_reader *base);

/* What btf_print() says, to be freed. */
char *btf_dump(const struct btf_reader *btf, const struct btf_print_words *words);

#endif
