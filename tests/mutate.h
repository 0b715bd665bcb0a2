/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Damage for robustness tests: where to cut a file, which bytes to change. The same seed gives the
 * same damage everywhere.
 */
#ifndef BTFENC_TESTS_MUTATE_H
#define BTFENC_TESTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);

static inline uint64_t random_below(struct random *random, uint64_t limit)
{
	return limit ? random_next(random) % limit : 0;
}

/* A part of the file and how often damage goes there. */
struct mutate_region {
	size_t begin;
	size_t end;
	uint32_t weight;
};

#define MUTATE_MAX_REGIONS 96

struct mutate_map {
	struct mutate_region regions[MUTATE_MAX_REGIONS];
	size_t count;
	uint32_t total_weight;
	size_t file_bytes;
};

/*
 * Weighs the parts of an ELF file by what a reader of DWARF depends on: the headers and the
 * .debug_ sections most. A file that is not ELF is one region.
 */
void mutate_map_elf(struct mutate_map *map, const void *data, size_t bytes);

/* A position in the file, by weight. */
size_t mutate_position(const struct mutate_map *map, struct random *random);

/* The `number`-th of `count` sizes to cut the file to: half spread evenly, half by weight. */
size_t mutate_cut(const struct mutate_map *map, struct random *random, uint32_t number,
		  uint32_t count);

/* Changes one to eight bytes of `data`: flipped bits, or a value that is often a limit. */
void mutate_flip(const struct mutate_map *map, struct random *random, uint8_t *data);

/*
 * Structures that stay whole and say something else, in `bytes` of `capacity` bytes: references to
 * other types, numbers at their limits, records and DIEs that are copied, exchanged or gone, kinds,
 * tags and forms that are others. Of BTF in the host's byte order; of an ELF file with DWARF, whose
 * other sections are flipped now and then. What cannot be read is damaged anywhere. Returns the new
 * size.
 */
size_t mutate_btf(struct random *random, uint8_t *data, size_t bytes, size_t capacity);
size_t mutate_dwarf(struct random *random, uint8_t *data, size_t bytes, size_t capacity);

#endif
