/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/mutate.h"

#include <gelf.h>
#include <string.h>

/* splitmix64 */
uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void add_region(struct mutate_map *map, uint64_t begin, uint64_t size, uint32_t weight)
{
	if (map->count == MUTATE_MAX_REGIONS || size == 0 || begin >= map->file_bytes ||
	    size > map->file_bytes - begin)
		return;
	map->regions[map->count++] =
		(struct mutate_region){ (size_t)begin, (size_t)(begin + size), weight };
	map->total_weight += weight;
}

static uint32_t section_weight(const char *name)
{
	static const struct {
		const char *name;
		uint32_t weight;
	} rows[] = {
		{ ".debug_info", 40 },	  { ".debug_abbrev", 20 },   { ".debug_str", 4 },
		{ ".debug_ranges", 4 },	  { ".debug_rnglists", 4 },  { ".debug_addr", 4 },
		{ ".debug_loc", 4 },	  { ".debug_loclists", 4 },
		{ ".debug_line_str", 2 }, { ".debug_str_offsets", 6 }, { ".zdebug_info", 40 },
		{ ".zdebug_abbrev", 20 }, { ".symtab", 4 },	     { ".strtab", 2 },
		{ ".shstrtab", 2 },	  { ".BTF_ids", 3 },	     { ".text", 6 },
	};

	for (size_t i = 0; name && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].weight;
	}
	return 0;
}

void mutate_map_elf(struct mutate_map *map, const void *data, size_t bytes)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	size_t names;
	Elf *elf;

	*map = (struct mutate_map){ .file_bytes = bytes };
	add_region(map, 0, bytes, 2);
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)data, bytes);
	if (elf && gelf_getehdr(elf, &ehdr) && elf_getshdrstrndx(elf, &names) == 0) {
		add_region(map, 0, ehdr.e_ehsize, 6);
		add_region(map, ehdr.e_shoff, (uint64_t)ehdr.e_shnum * ehdr.e_shentsize, 12);
		while ((scn = elf_nextscn(elf, scn))) {
			GElf_Shdr header;
			uint32_t weight = 0;

			if (gelf_getshdr(scn, &header))
				weight = section_weight(elf_strptr(elf, names, header.sh_name));
			if (weight)
				add_region(map, header.sh_offset, header.sh_size, weight);
		}
	}
	if (elf)
		elf_end(elf);
}

static const struct mutate_region *pick_region(const struct mutate_map *map,
					       struct random *random)
{
	uint32_t left = (uint32_t)random_below(random, map->total_weight);
	size_t i = 0;

	while (i + 1 < map->count && left >= map->regions[i].weight)
		left -= map->regions[i++].weight;
	return &map->regions[i];
}

size_t mutate_position(const struct mutate_map *map, struct random *random)
{
	const struct mutate_region *region = pick_region(map, random);

	return region->begin + random_below(random, region->end - region->begin);
}

size_t mutate_cut(const struct mutate_map *map, struct random *random, uint32_t number,
		  uint32_t count)
{
	if (number % 2)
		return mutate_position(map, random);
	return (size_t)((uint64_t)map->file_bytes * number / count);
}

void mutate_flip(const struct mutate_map *map, struct random *random, uint8_t *data)
{
	static const uint8_t limits[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x40, 0x3f };
	uint32_t count = 1 + (uint32_t)random_below(random, 8);
	size_t near = mutate_position(map, random);

	for (uint32_t i = 0; i < count; i++) {
		/* Half of the changes keep together, as one broken field would. */
		size_t at = random_below(random, 2) ? near + i : mutate_position(map, random);
		uint64_t choice = random_next(random);

		if (at >= map->file_bytes)
			continue;
		if (choice & 0x100)
			data[at] ^= (uint8_t)(1u << (choice & 7));
		else if (choice & 0x200)
			data[at] = limits[choice & 7];
		else
			data[at] = (uint8_t)choice;
	}
}
