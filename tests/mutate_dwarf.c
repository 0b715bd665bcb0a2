/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The sections of an ELF file are walked as far as they make sense; abbreviations and forms are
 * read here by themselves, so that a reader's mistake is not the mutator's, too.
 */
#include "tests/mutate.h"

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/bytes.h"

#define VALUES_MAX 4096
#define DIES_MAX   1024
#define DEPTH_MAX  64
#define CODES_MAX  256

struct span {
	size_t begin, end;
};

struct value {
	size_t at;
	size_t bytes;
	uint16_t attribute, form;
	uint32_t die;
};

struct die {
	size_t begin, end;	/* its own bytes */
	size_t subtree;		/* the end of those of its children */
	uint32_t unit;
	uint32_t parent;
	size_t abbreviation;	/* the file offset of its tag */
};

struct unit {
	size_t begin, dies, end;
	uint16_t version;
	uint8_t offset_bytes, address_bytes;
	size_t table;		/* its abbreviations */
};

/* Shared by all inputs: thousands of values would not fit on a stack. */
static struct image {
	uint8_t *data;
	size_t bytes, capacity;
	bool big, is_64;
	size_t headers;
	uint32_t header_count, header_bytes;
	size_t info_header;
	struct span info, abbrev, strings;
	struct unit units[64];
	struct die dies[DIES_MAX];
	struct value values[VALUES_MAX];
	uint32_t unit_count, die_count, value_count;
	/* By code, of the table that was read last: the place of the tag, 0: there is none. */
	size_t table, tags[CODES_MAX];
} image;

static uint64_t get(size_t at, size_t bytes)
{
	return at <= image.bytes && bytes <= image.bytes - at
		       ? bytes_load_number(image.data + at, bytes, image.big) : 0;
}

static void put(size_t at, size_t bytes, uint64_t value)
{
	if (bytes <= 8 && at <= image.bytes && bytes <= image.bytes - at)
		bytes_store_number(image.data + at, bytes, image.big, value);
}

static uint64_t get_uleb(size_t *at, size_t end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; *at < end; shift += 7) {
		uint8_t byte = image.data[(*at)++];

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static uint32_t below(struct random *random, uint64_t limit)
{
	return (uint32_t)random_below(random, limit);
}

/* ---- ELF ---- */

/* Where a field of a section header is: of ELF64 or ELF32. */
#define FIELD(at, field) ((at) + (image.is_64 ? offsetof(Elf64_Shdr, field)                        \
					      : offsetof(Elf32_Shdr, field)))
#define WORD (image.is_64 ? 8u : 4u)

static bool find_sections(void)
{
	size_t names, name_bytes;

	if (image.bytes < sizeof(Elf64_Ehdr) || memcmp(image.data, ELFMAG, SELFMAG) != 0)
		return false;
	image.big = image.data[EI_DATA] == ELFDATA2MSB;
	image.is_64 = image.data[EI_CLASS] == ELFCLASS64;
	image.headers = get(image.is_64 ? offsetof(Elf64_Ehdr, e_shoff)
					: offsetof(Elf32_Ehdr, e_shoff), WORD);
	image.header_bytes = image.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	image.header_count = (uint32_t)get(image.is_64 ? offsetof(Elf64_Ehdr, e_shnum)
						       : offsetof(Elf32_Ehdr, e_shnum), 2);
	names = get(image.is_64 ? offsetof(Elf64_Ehdr, e_shstrndx)
				: offsetof(Elf32_Ehdr, e_shstrndx), 2);
	if (image.headers > image.bytes || names >= image.header_count ||
	    (image.bytes - image.headers) / image.header_bytes < image.header_count)
		return false;
	names = get(FIELD(image.headers + names * image.header_bytes, sh_offset), WORD);
	image.info = image.abbrev = image.strings = (struct span){ 0 };
	for (uint32_t i = 0; i < image.header_count; i++) {
		static const char *const wanted[] = { ".debug_info", ".debug_abbrev",
						      ".debug_str" };
		struct span *const spans[] = { &image.info, &image.abbrev, &image.strings };
		size_t header = image.headers + (size_t)i * image.header_bytes;
		size_t begin = get(FIELD(header, sh_offset), WORD);
		size_t size = get(FIELD(header, sh_size), WORD);
		size_t name = names + get(FIELD(header, sh_name), 4);

		if (begin > image.bytes || size > image.bytes - begin || name >= image.bytes ||
		    get(FIELD(header, sh_flags), WORD) & SHF_COMPRESSED)
			continue;
		for (int k = 0; k < 3; k++) {
			name_bytes = strlen(wanted[k]) + 1;
			if (spans[k]->end || name_bytes > image.bytes - name ||
			    memcmp(image.data + name, wanted[k], name_bytes) != 0)
				continue;
			*spans[k] = (struct span){ begin, begin + size };
			if (k == 0)
				image.info_header = header;
		}
	}
	return image.info.end > image.info.begin && image.abbrev.end > image.abbrev.begin;
}

/* ---- DWARF ---- */

/* How many bytes a form takes at a place. SIZE_MAX: not known. */
static size_t form_bytes(const struct unit *unit, uint64_t form, size_t at)
{
	size_t end = unit->end, from = at, length;

	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_addr: return unit->address_bytes;
	case DW_FORM_ref_addr: return unit->version < 3 ? unit->address_bytes : unit->offset_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_sec_offset: return unit->offset_bytes;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		get_uleb(&at, end);
		return at - from;
	case DW_FORM_string:
		length = at < end ? strnlen((char *)image.data + at, end - at) : 0;
		return at + length < end ? length + 1 : SIZE_MAX;
	case DW_FORM_block1: length = 1 + get(at, 1); break;
	case DW_FORM_block2: length = 2 + get(at, 2); break;
	case DW_FORM_block4: length = 4 + get(at, 4); break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		length = get_uleb(&at, end);
		length += at - from;
		break;
	default: return SIZE_MAX;
	}
	return length <= end - from ? length : SIZE_MAX;
}

/* Of small codes; compilers count from 1, and an input has few. */
static void read_abbreviations(const struct unit *unit)
{
	size_t at = unit->table, end = image.abbrev.end;

	image.table = at;
	memset(image.tags, 0, sizeof(image.tags));
	while (at < end) {
		uint64_t code = get_uleb(&at, end), attribute, form;

		if (!code)
			return;
		if (code < CODES_MAX && !image.tags[code])
			image.tags[code] = at;
		get_uleb(&at, end);
		at++;
		do {
			attribute = get_uleb(&at, end);
			form = get_uleb(&at, end);
			if (form == DW_FORM_implicit_const)
				get_uleb(&at, end);
		} while (at < end && (attribute || form));
	}
}

/* Adds a DIE and its values. Returns where it ends, 0: it cannot be read. */
static size_t read_die(const struct unit *unit, size_t at, uint32_t parent, bool *children)
{
	size_t begin = at, end = image.abbrev.end, abbreviation;
	uint64_t code = get_uleb(&at, unit->end), attribute, form;
	uint32_t index = image.die_count++;

	abbreviation = code < CODES_MAX ? image.tags[code] : 0;
	image.dies[index] = (struct die){ .begin = begin, .unit = image.unit_count,
					  .parent = parent, .abbreviation = abbreviation };
	if (!abbreviation)
		return 0;
	get_uleb(&abbreviation, end);
	*children = abbreviation < end && image.data[abbreviation++];
	while (abbreviation < end) {
		size_t bytes;

		attribute = get_uleb(&abbreviation, end);
		form = get_uleb(&abbreviation, end);
		if (!attribute && !form)
			break;
		if (form == DW_FORM_implicit_const)
			get_uleb(&abbreviation, end);
		bytes = form_bytes(unit, form, at);
		if (at > unit->end || bytes > unit->end - at)
			return 0;
		if (bytes && image.value_count < VALUES_MAX)
			image.values[image.value_count++] = (struct value){
				at, bytes, (uint16_t)attribute, (uint16_t)form, index };
		at += bytes;
	}
	image.dies[index].end = image.dies[index].subtree = at;
	return at;
}

static void read_dies(const struct unit *unit)
{
	uint32_t stack[DEPTH_MAX], depth = 0;
	size_t at = unit->dies;

	while (at < unit->end && image.die_count < DIES_MAX) {
		bool children = false;

		if (!image.data[at]) {
			at++;
			if (!depth)
				return;
			image.dies[stack[--depth]].subtree = at;
			continue;
		}
		at = read_die(unit, at, depth ? stack[depth - 1] : UINT32_MAX, &children);
		if (!at) {
			image.die_count--;
			return;
		}
		if (children && depth == DEPTH_MAX)
			return;
		if (children)
			stack[depth++] = image.die_count - 1;
		else if (!depth)
			return;
	}
}

static void read_units(void)
{
	size_t at = image.info.begin;

	image.unit_count = image.die_count = image.value_count = 0;
	image.table = SIZE_MAX;
	while (image.info.end - at > 12 && image.unit_count < 64) {
		struct unit *unit = &image.units[image.unit_count];
		uint64_t length = get(at, 4);
		uint8_t type = 0;

		*unit = (struct unit){ .begin = at, .offset_bytes = 4 };
		at += 4;
		if (length == 0xffffffff) {
			length = get(at, 8);
			unit->offset_bytes = 8;
			at += 8;
		}
		if (length > image.info.end - at)
			return;
		unit->end = at + length;
		unit->version = (uint16_t)get(at, 2);
		at += 2;
		if (unit->version >= 5) {
			type = (uint8_t)get(at, 1);
			unit->address_bytes = (uint8_t)get(at + 1, 1);
			at += 2;
		}
		unit->table = image.abbrev.begin + get(at, unit->offset_bytes);
		at += unit->offset_bytes;
		if (unit->version < 5)
			unit->address_bytes = (uint8_t)get(at++, 1);
		if (type == DW_UT_skeleton || type == DW_UT_split_compile)
			at += 8;
		if (type == DW_UT_type || type == DW_UT_split_type)
			at += 8 + unit->offset_bytes;
		unit->dies = at;
		if (unit->table != image.table)
			read_abbreviations(unit);
		if (unit->address_bytes <= 8)
			read_dies(unit);
		image.unit_count++;
		at = unit->end;
	}
}

/* ---- changes ---- */

static bool is_reference(const struct value *value)
{
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr: return true;
	default: return false;
	}
}

static bool is_leb(const struct value *value)
{
	return value->form == DW_FORM_udata || value->form == DW_FORM_sdata ||
	       value->form == DW_FORM_ref_udata || value->form == DW_FORM_strx ||
	       value->form == DW_FORM_addrx || value->form == DW_FORM_loclistx ||
	       value->form == DW_FORM_rnglistx;
}

static uint64_t get_value(const struct value *value)
{
	size_t at = value->at;

	return is_leb(value) ? get_uleb(&at, at + value->bytes) : get(at, value->bytes);
}

/* In the bytes that it has. */
static void put_value(const struct value *value, uint64_t number)
{
	if (!is_leb(value)) {
		put(value->at, value->bytes, number);
		return;
	}
	for (size_t i = 0; i < value->bytes; i++, number >>= 7)
		image.data[value->at + i] = (uint8_t)((number & 0x7f) |
						      (i + 1 < value->bytes ? 0x80 : 0));
}

/* What a reference to this place says. */
static uint64_t reference_to(const struct value *value, size_t place)
{
	if (value->form == DW_FORM_ref_addr)
		return place - image.info.begin;
	return place - image.units[image.dies[value->die].unit].begin;
}

/* Bytes of .debug_info take the place of others: headers, lengths and references follow. */
static void splice(uint32_t unit_index, size_t at, size_t old, const uint8_t *new, size_t count)
{
	struct unit *unit = &image.units[unit_index];
	size_t change = count - old;

	if (count > old && count - old > image.capacity - image.bytes)
		return;
	for (uint32_t i = 0; i < image.value_count; i++) {
		const struct value *value = &image.values[i];
		size_t base = value->form == DW_FORM_ref_addr
				      ? image.info.begin
				      : image.units[image.dies[value->die].unit].begin;

		if (is_reference(value) && base <= at && get_value(value) + base >= at + old)
			put_value(value, get_value(value) + change);
	}
	put(unit->begin + (unit->offset_bytes == 8 ? 4 : 0), unit->offset_bytes,
	    get(unit->begin + (unit->offset_bytes == 8 ? 4 : 0), unit->offset_bytes) + change);
	for (uint32_t i = 0; i < image.header_count; i++) {
		size_t field = FIELD(image.headers + (size_t)i * image.header_bytes, sh_offset);

		if (get(field, WORD) > at)
			put(field, WORD, get(field, WORD) + change);
	}
	put(FIELD(image.info_header, sh_size), WORD, image.info.end - image.info.begin + change);
	if (image.headers > at)
		put(image.is_64 ? offsetof(Elf64_Ehdr, e_shoff) : offsetof(Elf32_Ehdr, e_shoff),
		    WORD, image.headers + change);
	memmove(image.data + at + count, image.data + at + old, image.bytes - at - old);
	if (count)
		memcpy(image.data + at, new, count);
	image.bytes += change;
}

/* A subtree goes, or a copy of it comes before another DIE of the same unit. */
static void change_tree(struct random *random)
{
	const struct die *die = &image.dies[below(random, image.die_count)];
	const struct die *to = &image.dies[below(random, image.die_count)];
	size_t bytes = die->subtree - die->begin;
	uint8_t copy[2048];

	if (die->parent == UINT32_MAX)
		return;
	if (below(random, 2)) {
		splice(die->unit, die->begin, bytes, NULL, 0);
	} else if (to->parent != UINT32_MAX && to->unit == die->unit && bytes <= sizeof(copy)) {
		memcpy(copy, image.data + die->begin, bytes);
		splice(die->unit, to->begin, 0, copy, bytes);
	}
}

/* Two DIEs change places if they are equally long: the same tree of other facts. */
static void exchange_dies(struct random *random)
{
	const struct die *a = &image.dies[below(random, image.die_count)];
	uint32_t from = below(random, image.die_count);

	for (uint32_t i = 0; i < image.die_count; i++) {
		const struct die *b = &image.dies[(from + i) % image.die_count];

		if (b == a || b->end - b->begin != a->end - a->begin ||
		    (b->subtree == b->end) != (a->subtree == a->end))
			continue;
		for (size_t k = 0; k < a->end - a->begin; k++) {
			uint8_t byte = image.data[a->begin + k];

			image.data[a->begin + k] = image.data[b->begin + k];
			image.data[b->begin + k] = byte;
		}
		return;
	}
}

/* Tag, children, an attribute, or a form becomes another one of the same length. */
static void change_abbreviation(struct random *random)
{
	static const uint8_t tags[] = {
		DW_TAG_base_type, DW_TAG_pointer_type, DW_TAG_structure_type, DW_TAG_union_type,
		DW_TAG_enumeration_type, DW_TAG_enumerator, DW_TAG_typedef, DW_TAG_member,
		DW_TAG_array_type, DW_TAG_subrange_type, DW_TAG_const_type, DW_TAG_volatile_type,
		DW_TAG_restrict_type, DW_TAG_subprogram, DW_TAG_subroutine_type, DW_TAG_variable,
		DW_TAG_formal_parameter, DW_TAG_unspecified_parameters, DW_TAG_lexical_block,
		DW_TAG_inlined_subroutine, DW_TAG_class_type, DW_TAG_inheritance, DW_TAG_namespace,
		DW_TAG_reference_type, DW_TAG_atomic_type, DW_TAG_unspecified_type,
		DW_TAG_imported_unit, DW_TAG_call_site, DW_TAG_call_site_parameter, DW_TAG_label,
	};
	static const uint8_t forms[][6] = {
		{ DW_FORM_data1, DW_FORM_ref1, DW_FORM_flag, DW_FORM_strx1, DW_FORM_addrx1,
		  DW_FORM_udata },
		{ DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2, DW_FORM_data2,
		  DW_FORM_data2 },
		{ DW_FORM_data4, DW_FORM_ref4, DW_FORM_sec_offset, DW_FORM_strp, DW_FORM_line_strp,
		  DW_FORM_ref_addr },
		{ DW_FORM_data8, DW_FORM_ref8, DW_FORM_addr, DW_FORM_ref_sig8, DW_FORM_data8,
		  DW_FORM_data8 },
		{ DW_FORM_udata, DW_FORM_sdata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx,
		  DW_FORM_loclistx },
		{ DW_FORM_exprloc, DW_FORM_block, DW_FORM_block1, DW_FORM_exprloc, DW_FORM_block,
		  DW_FORM_block1 },
	};
	size_t end = image.abbrev.end;
	size_t at = image.dies[below(random, image.die_count)].abbreviation, tag = at;
	uint32_t steps = below(random, 12);
	uint64_t attribute, form;

	get_uleb(&at, end);
	if (at + 3 > end)
		return;
	if (steps < 3) {
		if (at - tag == 1)
			image.data[tag] = tags[below(random, sizeof(tags))];
		return;
	}
	if (steps == 3) {
		image.data[at] ^= 1;
		return;
	}
	at++;
	for (steps = below(random, 8);; steps--) {
		size_t place = at, form_place;

		attribute = get_uleb(&at, end);
		form_place = at;
		form = get_uleb(&at, end);
		if (at >= end || (!attribute && !form))
			return;
		if (form == DW_FORM_implicit_const)
			get_uleb(&at, end);
		if (steps)
			continue;
		if (below(random, 2) && form_place - place == 1)
			image.data[place] = image.value_count && below(random, 2)
				? (uint8_t)(image.values[below(random, image.value_count)]
					    .attribute & 0x7f)
				: (uint8_t)below(random, 0x80);
		for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++)
			if (form && memchr(forms[k], (int)form, sizeof(*forms)))
				image.data[form_place] = forms[k][below(random, sizeof(*forms))];
		return;
	}
}

/* A number that its attribute may not like, or one of another DIE. */
static void change_value(struct random *random)
{
	static const uint64_t limits[] = { 0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 127, 128, 255,
					   0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
					   INT64_MAX, UINT64_MAX };
	const struct value *value = &image.values[below(random, image.value_count)];
	uint32_t from = below(random, image.value_count);

	if (is_reference(value) && below(random, 4)) {
		const struct die *die = &image.dies[below(random, image.die_count)];

		put_value(value, reference_to(value, below(random, 16) ? die->begin : die->end));
		return;
	}
	if (value->form == DW_FORM_strp && image.strings.end > image.strings.begin &&
	    below(random, 2)) {
		put_value(value, below(random, image.strings.end - image.strings.begin));
		return;
	}
	if (value->form == DW_FORM_exprloc || value->form == DW_FORM_block1 || below(random, 3)) {
		for (uint32_t i = 0; i < image.value_count; i++) {
			const struct value *other = &image.values[(from + i) % image.value_count];

			if (other == value || other->form != value->form ||
			    other->bytes != value->bytes ||
			    (other->attribute != value->attribute && below(random, 16)))
				continue;
			memcpy(image.data + value->at, image.data + other->at, value->bytes);
			return;
		}
	}
	if (value->bytes > 1 && (value->form == DW_FORM_exprloc || value->form == DW_FORM_block1 ||
				 value->form == DW_FORM_string))
		image.data[value->at + 1 + below(random, value->bytes - 1)] =
			(uint8_t)random_next(random);
	else if (below(random, 2))
		put_value(value, get_value(value) + below(random, 9) - 4);
	else
		put_value(value, limits[below(random, sizeof(limits) / sizeof(*limits))]);
}

size_t mutate_dwarf(struct random *random, uint8_t *data, size_t bytes, size_t capacity)
{
	uint32_t rounds = 1 + below(random, 4);

	image.data = data;
	image.bytes = bytes;
	image.capacity = capacity;
	while (rounds--) {
		if (find_sections())
			read_units();
		else
			image.die_count = image.value_count = 0;
		if (!image.die_count || !image.value_count || !below(random, 8)) {
			struct mutate_map map;

			mutate_map_elf(&map, data, image.bytes);
			mutate_flip(&map, random, data);
			continue;
		}
		switch (below(random, 10)) {
		case 0:
		case 1: change_tree(random); break;
		case 2: exchange_dies(random); break;
		case 3:
		case 4: change_abbreviation(random); break;
		default: change_value(random);
		}
	}
	return image.bytes;
}
