/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/section_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"

static size_t place_of(const struct section_index *index, uint64_t address)
{
	return lower_bound(i, index->count, index->stretches[i].key < address);
}

/* Where it is loaded; what would be beyond the last address is cut off. */
static bool is_loaded(const struct section_header *header, uint64_t *end)
{
	*end = header->address + header->size < header->address ? UINT64_MAX
								: header->address + header->size;
	return header->flags & SHF_ALLOC && *end > header->address;
}

/*
 * Sections may overlap (the first is the one that counts): each takes the stretches between two
 * starts or ends that are free. `next`: the first free one from each on, with the path shortened.
 */
static void index_addresses(struct section_index *index, size_t count)
{
	struct sort_item *stretches = memory_alloc(2 * count * sizeof(*stretches));
	uint32_t *next;
	uint64_t end;
	size_t all = 0, kept = 0;

	for (size_t i = 1; i < count; i++) {
		if (is_loaded(&index->headers[i], &end)) {
			stretches[all++].key = index->headers[i].address;
			stretches[all++].key = end;
		}
	}
	sort_by_key(stretches, all);
	for (size_t i = 0; i < all; i++) {
		if (!i || stretches[i].key != stretches[i - 1].key)
			stretches[kept++] = (struct sort_item){ stretches[i].key, 0 };
	}
	index->stretches = stretches;
	index->count = kept;
	next = memory_alloc((kept + 1) * sizeof(*next));
	for (size_t i = 0; i <= kept; i++)
		next[i] = (uint32_t)i;
	for (size_t i = 1; i < count; i++) {
		size_t at = is_loaded(&index->headers[i], &end)
				    ? place_of(index, index->headers[i].address) : kept;

		while (at < kept && stretches[at].key < end) {
			if (next[at] == at) {
				stretches[at].value = (uint32_t)i;
				next[at]++;
			} else {
				next[at] = next[next[at]];
			}
			at = next[at];
		}
	}
	free(next);
}

/* Of names that a section of a kernel has: a damaged file's may be of megabytes, all one string. */
#define NAME_BYTES_MAX 512

static uint32_t hash_name(const char *name)
{
	return hash_bytes(name, strnlen(name, NAME_BYTES_MAX));
}

static bool is_named(const struct section_header *header, const char *name)
{
	return header->name == name || strncmp(header->name, name, NAME_BYTES_MAX) == 0;
}

static const struct section_header *find_named(const struct section_index *index, uint32_t hash,
					       const char *name, const uint64_t *size)
{
	const struct section_header *headers = index->headers;
	uint32_t at = hash_table_find(i, &index->names, hash, is_named(&headers[i], name) &&
		(!size || (headers[i].flags & SHF_ALLOC && headers[i].size == *size)));

	return at ? &headers[at] : NULL;
}

/* Apart from that of the name alone. */
static uint32_t hash_with_size(uint32_t hash, uint64_t size)
{
	return hash_finish(hash_mix(hash + UINT64_C(1), size + UINT64_C(0x9e3779b97f4a7c15)));
}

static void index_names(struct section_index *index, size_t count)
{
	hash_table_reserve(&index->names, 2 * count);
	for (size_t i = 1; i < count; i++) {
		const struct section_header *header = &index->headers[i];
		uint32_t hash = hash_name(header->name);
		uint32_t sized = hash_with_size(hash, header->size);

		if (!find_named(index, hash, header->name, NULL))
			hash_table_add(&index->names, hash, (uint32_t)i);
		if (header->flags & SHF_ALLOC &&
		    !find_named(index, sized, header->name, &header->size))
			hash_table_add(&index->names, sized, (uint32_t)i);
	}
}

void section_index_make(struct section_index *index, const struct section_header *headers,
			size_t count)
{
	*index = (struct section_index){ .headers = headers };
	index_addresses(index, count);
	index_names(index, count);
}

void section_index_release(struct section_index *index)
{
	free(index->stretches);
	hash_table_release(&index->names);
	*index = (struct section_index){ 0 };
}

const struct section_header *section_index_at(const struct section_index *index, uint64_t address)
{
	size_t at = place_of(index, address);
	uint32_t owner;

	/* The stretch that begins there, or before. */
	if (at == index->count || index->stretches[at].key != address)
		at--;
	owner = at < index->count ? index->stretches[at].value : 0;
	return owner ? &index->headers[owner] : NULL;
}

const struct section_header *section_index_named(const struct section_index *index,
						 const char *name, uint64_t size)
{
	uint32_t hash = hash_name(name);
	const struct section_header *found =
		find_named(index, hash_with_size(hash, size), name, &size);

	return found ? found : find_named(index, hash, name, NULL);
}
