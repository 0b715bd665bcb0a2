/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * How fuzzers change an input: one of its parts, by what it is. Also for AFL++, which takes it as a
 * shared object (AFL_CUSTOM_MUTATOR_LIBRARY).
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "btf/format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/mutate.h"

/* Not there in AFL++, nor in a program without a fuzzer. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t max_bytes);

struct fuzz_input fuzz_split(const uint8_t *data, size_t bytes)
{
	struct fuzz_input input = { 0 };

	if (!bytes)
		return input;
	input.flags = *data++;
	bytes--;
	for (uint32_t i = 0; i < fuzz_parts; i++) {
		size_t part = bytes;

		if (i + 1 < fuzz_parts) {
			if (bytes < 4)
				break;
			part = (size_t)bytes_load_number(data, 4, false);
			data += 4;
			bytes -= 4;
		}
		if (part > bytes)
			part = bytes;
		input.parts[i] = (struct fuzz_part){ data, part };
		data += part;
		bytes -= part;
	}
	return input;
}

static size_t mutate_bytes(struct random *random, uint8_t *data, size_t bytes, size_t capacity)
{
	struct mutate_map map = { .regions = { { 0, bytes, 1 } }, .count = 1, .total_weight = 1,
				  .file_bytes = bytes };

	if (LLVMFuzzerMutate)
		return LLVMFuzzerMutate(data, bytes, capacity);
	if (bytes)
		mutate_flip(&map, random, data);
	return bytes;
}

static size_t mutate_part(struct random *random, uint8_t *data, size_t bytes, size_t capacity)
{
	bool structured = random_below(random, 8) && bytes > SELFMAG;

	if (structured && memcmp(data, ELFMAG, SELFMAG) == 0)
		return mutate_dwarf(random, data, bytes, capacity);
	if (structured && bytes_load_u16(data, false) == BTF_MAGIC)
		return mutate_btf(random, data, bytes, capacity);
	return mutate_bytes(random, data, bytes, capacity);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t max_bytes, unsigned int seed)
{
	struct random random = { seed };
	struct fuzz_input input = fuzz_split(data, bytes);
	uint32_t choice = (uint32_t)random_below(&random, 64), i = choice % fuzz_parts;
	const struct fuzz_part *part = &input.parts[i];
	size_t room, at, tail, size;
	uint8_t *copy;

	if (!part->data || !choice)
		return mutate_bytes(&random, data, bytes, max_bytes);
	if (choice < 4) {
		data[0] ^= (uint8_t)(1u << random_below(&random, 8));
		return bytes;
	}
	/* The BTF is asked about more often than its name. */
	if (part->bytes < 8 && random_below(&random, 2)) {
		i = fuzz_parts - 1;
		part = &input.parts[i];
	}
	if (!part->data || max_bytes < bytes)
		return mutate_bytes(&random, data, bytes, max_bytes);
	at = (size_t)(part->data - data);
	tail = bytes - at - part->bytes;
	room = part->bytes + (max_bytes - bytes);
	if (room > part->bytes + 4096)
		room = part->bytes + 4096;
	copy = calloc(1, room + 1);
	memcpy(copy, part->data, part->bytes);
	size = mutate_part(&random, copy, part->bytes, room);
	memmove(data + at + size, data + at + part->bytes, tail);
	if (size)
		memcpy(data + at, copy, size);
	if (i + 1 < fuzz_parts)
		bytes_store_number(data + at - 4, 4, false, size);
	free(copy);
	return at + size + tail;
}

#ifdef AFL_PARTS
const uint32_t fuzz_parts = AFL_PARTS;

static uint8_t *afl_buffer;

void *afl_custom_init(void *afl, unsigned int seed);
size_t afl_custom_fuzz(unsigned int *state, uint8_t *data, size_t bytes, uint8_t **out,
		       uint8_t *other, size_t other_bytes, size_t max_bytes);
void afl_custom_deinit(void *state);

void *afl_custom_init(void *afl, unsigned int seed)
{
	static unsigned int state;

	(void)afl;
	state = seed;
	return &state;
}

size_t afl_custom_fuzz(unsigned int *state, uint8_t *data, size_t bytes, uint8_t **out,
		       uint8_t *other, size_t other_bytes, size_t max_bytes)
{
	(void)other;
	(void)other_bytes;
	afl_buffer = realloc(afl_buffer, max_bytes + 1);
	if (bytes > max_bytes)
		bytes = max_bytes;
	memcpy(afl_buffer, data, bytes);
	*out = afl_buffer;
	return LLVMFuzzerCustomMutator(afl_buffer, bytes, max_bytes, ++*state);
}

void afl_custom_deinit(void *state)
{
	(void)state;
	free(afl_buffer);
	afl_buffer = NULL;
}
#endif
