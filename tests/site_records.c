/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE
#include "tests/site_records.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/file_bytes.h"

#define BTF_MAGIC     0xeb9f
#define SECTION_SITES 65535
#define CHAIN_MAX     32

/* Numbers of kinds as in docs/format.md and Documentation/bpf/btf.rst. */
enum {
	KIND_INT = 1, KIND_PTR, KIND_ARRAY, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FWD,
	KIND_TYPEDEF, KIND_VOLATILE, KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO,
	KIND_VAR, KIND_DATASEC, KIND_FLOAT, KIND_DECL_TAG, KIND_TYPE_TAG, KIND_ENUM64,
	KIND_LOC_PARAM, KIND_LOC_PROTO, KIND_LOCSEC, KIND_LOC = 31,
};

enum {
	FLAG_SIGNED = 1, FLAG_CONST = 2, FLAG_ADDR = 4, FLAG_REG = 8, FLAG_DEREF = 0x10,
	FLAG_OFFSET = 0x20,
};

const char *const record_place_names[RECORD_PLACE_KINDS] = {
	"nowhere", "register", "sum", "memory", "constant", "address",
};

__attribute__((format(printf, 2, 3)))
static void complain(struct site_records *records, const char *format, ...)
{
	va_list args;

	if (records->complaints++)
		return;
	va_start(args, format);
	vsnprintf(records->complaint, sizeof(records->complaint), format, args);
	va_end(args);
}

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* The array with room for `more` elements, which are zeros. */
static void *grown(void *data, size_t count, size_t more, size_t *room, size_t element_bytes)
{
	size_t before = *room;

	while (count + more > *room)
		*room = *room ? 2 * *room : 4096;
	if (*room != before)
		data = must(realloc(data, *room * element_bytes));
	memset((char *)data + count * element_bytes, 0, more * element_bytes);
	return data;
}

/* ---- bytes ---- */

static uint32_t word_of(const struct site_records *records, const uint8_t *p)
{
	uint32_t word;

	memcpy(&word, p, sizeof(word));
	return records->swap ? __builtin_bswap32(word) : word;
}

static uint32_t kind_of(const struct site_records *records, const uint8_t *type)
{
	return word_of(records, type + 4) >> 24 & 0x7f;
}

static uint32_t vlen_of(const struct site_records *records, const uint8_t *type)
{
	return word_of(records, type + 4) & 0xffffff;
}

static bool kind_flag_of(const struct site_records *records, const uint8_t *type)
{
	return word_of(records, type + 4) >> 31;
}

/* The bytes that follow the three words of each type. UINT32_MAX: no such kind. */
static uint32_t tail_bytes(uint32_t kind, uint32_t vlen)
{
	switch (kind) {
	case KIND_INT: case KIND_VAR: case KIND_DECL_TAG:
		return 4;
	case KIND_PTR: case KIND_FWD: case KIND_TYPEDEF: case KIND_VOLATILE: case KIND_CONST:
	case KIND_RESTRICT: case KIND_FUNC: case KIND_FLOAT: case KIND_TYPE_TAG:
		return 0;
	case KIND_ARRAY:
		return 12;
	case KIND_STRUCT: case KIND_UNION: case KIND_DATASEC: case KIND_ENUM64: case KIND_LOCSEC:
		return 12 * vlen;
	case KIND_ENUM: case KIND_FUNC_PROTO:
		return 8 * vlen;
	case KIND_LOC_PARAM:
		return 4 + 4 * vlen;
	case KIND_LOC_PROTO: case KIND_LOC:
		return 4 * vlen;
	default:
		return UINT32_MAX;
	}
}

static const uint8_t *type_at(const struct site_records *records, uint32_t id)
{
	return id < records->type_count ? records->types[id] : NULL;
}

static bool is_kind(const struct site_records *records, uint32_t id, uint32_t kind)
{
	const uint8_t *type = type_at(records, id);

	return type && kind_of(records, type) == kind;
}

static const char *string_at(struct site_records *records, uint32_t offset)
{
	for (int i = IMAGE_COUNT - 1; i >= 0; i--) {
		const struct record_image *image = &records->images[i];

		if (!image->strings || offset < image->first_string)
			continue;
		if (offset - image->first_string < image->string_bytes)
			return (const char *)image->strings + (offset - image->first_string);
		break;
	}
	complain(records, "string offset %u is outside", offset);
	return "";
}

/* ---- one file ---- */

static void add_type(struct site_records *records, const uint8_t *type)
{
	records->types = grown(records->types, records->type_count, 1, &records->type_room,
			       sizeof(*records->types));
	records->types[records->type_count++] = type;
}

static bool index_types(struct site_records *records, struct record_image *image,
			const uint8_t *at, const uint8_t *end)
{
	image->first_type = records->type_count;
	while (at < end) {
		uint32_t tail;

		if (end - at < 12)
			return false;
		tail = tail_bytes(kind_of(records, at), vlen_of(records, at));
		if (tail == UINT32_MAX || tail > end - at - 12)
			return false;
		add_type(records, at);
		at += 12 + tail;
	}
	image->type_count = records->type_count - image->first_type;
	return true;
}

static bool open_image(struct site_records *records, int index, const char *path)
{
	struct record_image *image = &records->images[index];
	uint32_t header, type_offset, type_bytes, string_offset;
	uint16_t magic;

	errno = 0;
	image->data = file_bytes(path, &image->bytes);
	if (!image->data || image->bytes < 24) {
		complain(records, "%s: %s", path, errno ? strerror(errno) : "too short");
		return false;
	}
	memcpy(&magic, image->data, sizeof(magic));
	records->swap = magic != BTF_MAGIC;
	if (records->swap && __builtin_bswap16(magic) != BTF_MAGIC) {
		complain(records, "%s: no BTF", path);
		return false;
	}
	header = word_of(records, image->data + 4);
	type_offset = word_of(records, image->data + 8);
	type_bytes = word_of(records, image->data + 12);
	string_offset = word_of(records, image->data + 16);
	image->string_bytes = word_of(records, image->data + 20);
	if ((uint64_t)header + type_offset + type_bytes > image->bytes ||
	    (uint64_t)header + string_offset + image->string_bytes > image->bytes ||
	    !image->string_bytes) {
		complain(records, "%s: its header is wrong", path);
		return false;
	}
	image->strings = image->data + header + string_offset;
	if (image->strings[image->string_bytes - 1] != 0)
		complain(records, "%s: the last string does not end", path);
	if (!index_types(records, image, image->data + header + type_offset,
			 image->data + header + type_offset + type_bytes)) {
		complain(records, "%s: a type of unknown kind", path);
		return false;
	}
	return true;
}

/* ---- places ---- */

static uint32_t add_places(struct site_records *records, uint32_t count)
{
	uint32_t first = (uint32_t)records->place_count;

	records->places = grown(records->places, first, count, &records->place_room,
				sizeof(*records->places));
	records->place_count += count;
	return first;
}

/* A LOC_PARAM. */
static void read_parameter(struct site_records *records, uint32_t id, struct record_place *place)
{
	const uint8_t *type = type_at(records, id);
	uint32_t vlen = vlen_of(records, type), flags = word_of(records, type + 12);
	const uint8_t *values = type + 16;
	uint32_t low = vlen > 0 ? word_of(records, values) : 0;
	uint32_t next = vlen > 1 ? word_of(records, values + 4) : 0;

	place->size_bytes = word_of(records, type + 8);
	place->is_signed = flags & FLAG_SIGNED;
	if (word_of(records, type) || kind_flag_of(records, type) || !place->size_bytes)
		complain(records, "LOC_PARAM %u: name, kind_flag or size", id);
	if (place->is_signed && !(flags & FLAG_CONST))
		complain(records, "LOC_PARAM %u: a place with a sign", id);
	if (flags & FLAG_REG) {
		place->regs[0] = low;
		place->reg_count = 1;
	}
	switch (flags & ~(uint32_t)FLAG_SIGNED) {
	case FLAG_CONST:
	case FLAG_CONST | FLAG_ADDR:
		place->kind = flags & FLAG_ADDR ? RECORD_ADDRESS : RECORD_CONSTANT;
		place->number = (uint64_t)next << 32 | low;
		if (vlen != (place->size_bytes <= 4 ? 1 : 2))
			complain(records, "LOC_PARAM %u: %u words of a constant", id, vlen);
		if (place->is_signed && ((flags & FLAG_ADDR) || place->size_bytes > 8 ||
					 !(place->number >> (8 * place->size_bytes - 1) & 1)))
			complain(records, "LOC_PARAM %u: it is not negative", id);
		return;
	case FLAG_REG:
		place->kind = RECORD_REGISTER;
		place->reg_count = (uint8_t)vlen;
		place->regs[1] = next;
		if (vlen < 1 || vlen > 2)
			complain(records, "LOC_PARAM %u: %u registers", id, vlen);
		return;
	case FLAG_REG | FLAG_OFFSET:
		place->kind = RECORD_SUM;
		place->number = (uint64_t)(int64_t)(int32_t)next;
		break;
	case FLAG_REG | FLAG_DEREF:
		place->kind = RECORD_MEMORY;
		if (vlen != 1)
			complain(records, "LOC_PARAM %u: %u words of memory", id, vlen);
		return;
	case FLAG_REG | FLAG_DEREF | FLAG_OFFSET:
		place->kind = RECORD_MEMORY;
		place->number = (uint64_t)(int64_t)(int32_t)next;
		break;
	default:
		complain(records, "LOC_PARAM %u: flags 0x%x", id, flags);
		return;
	}
	if (vlen != 2)
		complain(records, "LOC_PARAM %u: %u words of register and number", id, vlen);
}

/*
 * Names of struct pt_regs (regs_query_register_name() of the kernel), by DWARF number: the name
 * here, or the letters and the number.
 */
static const struct register_names {
	uint16_t machine;
	uint32_t count;
	const char *letters;
	const char *names[32];
} all_names[] = {
	{ EM_X86_64, 16, "r", { "ax", "dx", "cx", "bx", "si", "di", "bp", "sp" } },
	{ EM_386, 8, "", { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" } },
	{ EM_ARM, 16, "r", { [11] = "fp", "ip", "sp", "lr", "pc" } },
	{ EM_AARCH64, 32, "x", { [30] = "lr", "sp" } },
	{ EM_PPC64, 32, "gpr", { NULL } },
	/* pt_regs has no x0. */
	{ EM_RISCV, 32, "", { "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",
			      "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5",
			      "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" } },
	/* s390, and loongarch64, which has 32. */
	{ EM_NONE, 32, "r", { NULL } },
};

/* "%di": its number; *text moves past it. */
static bool read_register(uint16_t machine, const char **text, uint32_t *reg)
{
	const struct register_names *row = all_names;
	size_t length = strcspn(*text, " )");

	while (row->machine != machine && row->machine != EM_NONE)
		row++;
	for (*reg = 0; *reg < row->count; (*reg)++) {
		char name[16];

		if (row->names[*reg])
			snprintf(name, sizeof(name), "%%%s", row->names[*reg]);
		else
			snprintf(name, sizeof(name), "%%%s%u", row->letters, *reg);
		if (strlen(name) == length && strncmp(*text, name, length) == 0) {
			*text += length;
			return true;
		}
	}
	return false;
}

bool record_place_read(struct record_place *place, const char *text, uint16_t machine)
{
	char *rest;

	errno = 0;
	place->reg_count = 1;
	if (*text == '\\') {
		place->reg_count = 0;
		place->kind = RECORD_CONSTANT;
		place->number = text[1] == '-' ? (uint64_t)strtoll(text + 1, &rest, 0) :
						 strtoull(text + 1, &rest, 0);
		return rest > text + 1 && !*rest && !errno;
	}
	if (*text == '+' || *text == '-') {
		place->kind = RECORD_MEMORY;
		place->number = (uint64_t)strtoll(text, &rest, 0);
		if (rest == text || *rest != '(' || errno)
			return false;
		text = rest + 1;
		return read_register(machine, &text, &place->regs[0]) && strcmp(text, ")") == 0;
	}
	place->kind = RECORD_REGISTER;
	if (!read_register(machine, &text, &place->regs[0]))
		return false;
	if (!*text)
		return true;
	place->reg_count = 2;
	text++;
	return read_register(machine, &text, &place->regs[1]) && !*text;
}

/* Reads the locations of each LOC_PROTO and LOC once. */
static uint32_t read_places(struct site_records *records, uint32_t id)
{
	const uint8_t *type = type_at(records, id);
	uint32_t count = vlen_of(records, type), first;
	bool is_text = kind_of(records, type) == KIND_LOC;

	if (records->loc_param_of[id])
		return records->loc_param_of[id] - 1;
	first = add_places(records, count);
	records->loc_param_of[id] = first + 1;
	if (word_of(records, type) || kind_flag_of(records, type) ||
	    (!is_text && word_of(records, type + 8)))
		complain(records, "LOC_PROTO or LOC %u: name, kind_flag or type", id);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t what = word_of(records, type + 12 + 4 * i);
		struct record_place *place = &records->places[first + i];

		if (!what)
			continue;
		if (is_text) {
			const char *text = string_at(records, what);

			if (!record_place_read(place, text, records->machine))
				complain(records, "LOC %u: \"%s\"", id, text);
		} else if (is_kind(records, what, KIND_LOC_PARAM)) {
			read_parameter(records, what, place);
		} else {
			complain(records, "LOC_PROTO %u: parameter %u is not a LOC_PARAM", id, i);
		}
	}
	return first;
}

/* ---- sites ---- */

static struct site_record *add_record(struct site_records *records)
{
	records->data = grown(records->data, records->count, 1, &records->room,
			      sizeof(*records->data));
	return &records->data[records->count++];
}

static uint32_t prototype_of(const struct site_records *records, uint32_t func)
{
	return word_of(records, type_at(records, func) + 8);
}

static void read_locsec(struct site_records *records, uint32_t id)
{
	const uint8_t *type = type_at(records, id), *before = NULL;
	const char *section = string_at(records, word_of(records, type));

	if (strncmp(section, "inline", 6) == 0)
		section += 6;
	if (word_of(records, type + 8) || kind_flag_of(records, type) || !*section)
		complain(records, "LOCSEC %u: type, kind_flag or name", id);
	for (uint32_t i = 0; i < vlen_of(records, type); i++) {
		const uint8_t *site = type + 12 + 12 * i;
		uint32_t func = word_of(records, site), places = word_of(records, site + 4);
		struct site_record *record;
		int order = -1;

		for (int k = 0; before && order == -1 && k < 3; k++) {
			static const int by[] = { 0, 8, 4 };
			uint32_t last = word_of(records, before + by[k]);
			uint32_t this = word_of(records, site + by[k]);

			if (last < this)
				order = -2;
			else if (last > this || k == 2)
				order = 1;
		}
		if (order == 1)
			complain(records, "LOCSEC %u: site %u is not after the last", id, i);
		before = site;
		if (!is_kind(records, func, KIND_FUNC) ||
		    !is_kind(records, prototype_of(records, func), KIND_FUNC_PROTO) ||
		    !is_kind(records, places, KIND_LOC_PROTO)) {
			complain(records, "LOCSEC %u: site %u: FUNC or LOC_PROTO", id, i);
			continue;
		}
		record = add_record(records);
		record->encoding = RECORD_LOCSEC;
		record->says = RECORD_PLACES;
		record->is_promised = true;
		record->section = section;
		record->name = string_at(records, word_of(records, type_at(records, func)));
		record->offset = word_of(records, site + 8);
		record->prototype = prototype_of(records, func);
		record->parameter_count = vlen_of(records, type_at(records, places));
		record->first_place = read_places(records, places);
		if (record->parameter_count !=
		    vlen_of(records, type_at(records, record->prototype)))
			complain(records, "LOCSEC %u: site %u: %u parameters", id, i,
				 record->parameter_count);
	}
}

static void read_datasec(struct site_records *records, uint32_t id)
{
	const uint8_t *type = type_at(records, id);
	const char *section = string_at(records, word_of(records, type));
	uint32_t last = 0;

	if (vlen_of(records, type) > SECTION_SITES || !word_of(records, type + 8) || !*section)
		complain(records, "DATASEC %u: vlen, size or name", id);
	for (uint32_t i = 0; i < vlen_of(records, type); i++) {
		const uint8_t *site = type + 12 + 12 * i;
		uint32_t func = word_of(records, site), what = word_of(records, site + 8);
		struct site_record *record;

		if (!is_kind(records, func, KIND_FUNC) || word_of(records, site + 4) < last ||
		    word_of(records, site + 4) >= word_of(records, type + 8)) {
			complain(records, "DATASEC %u: site %u: FUNC or offset", id, i);
			continue;
		}
		last = word_of(records, site + 4);
		record = add_record(records);
		record->encoding = RECORD_EXTRA;
		record->section = section;
		record->name = string_at(records, word_of(records, type_at(records, func)));
		record->is_promised = prototype_of(records, func) != 0;
		record->offset = last;
		if (!what) {
			record->says = RECORD_NOTHING;
		} else if (is_kind(records, what, KIND_FUNC_PROTO)) {
			record->says = RECORD_CONVENTION;
			record->prototype = what;
		} else if (is_kind(records, what, KIND_LOC)) {
			record->says = RECORD_PLACES;
			record->prototype = word_of(records, type_at(records, what) + 8);
			record->first_place = read_places(records, what);
			if (!is_kind(records, record->prototype, KIND_FUNC_PROTO) ||
			    vlen_of(records, type_at(records, what)) !=
				    vlen_of(records, type_at(records, record->prototype)))
				complain(records, "LOC %u: its prototype", what);
		} else {
			complain(records, "DATASEC %u: site %u: location type", id, i);
		}
		if (is_kind(records, record->prototype, KIND_FUNC_PROTO))
			record->parameter_count =
				vlen_of(records, type_at(records, record->prototype));
	}
}

static int by_content(const void *a, const void *b, void *records)
{
	const uint8_t *one = type_at(records, *(const uint32_t *)a);
	const uint8_t *other = type_at(records, *(const uint32_t *)b);
	uint32_t size = 12 + tail_bytes(kind_of(records, one), vlen_of(records, one));
	uint32_t sizes = 12 + tail_bytes(kind_of(records, other), vlen_of(records, other));

	return size != sizes ? (size < sizes ? -1 : 1) : memcmp(one, other, size);
}

/* Equal LOC_PARAMs are one record, and equal LOC_PROTOs. */
static void check_unique(struct site_records *records)
{
	uint32_t *ids = must(calloc(records->type_count, sizeof(*ids)));
	size_t count = 0;

	for (uint32_t id = 1; id < records->type_count; id++) {
		if (is_kind(records, id, KIND_LOC_PARAM) || is_kind(records, id, KIND_LOC_PROTO))
			ids[count++] = id;
	}
	qsort_r(ids, count, sizeof(*ids), by_content, records);
	for (size_t i = 1; i < count; i++) {
		if (by_content(&ids[i - 1], &ids[i], records) == 0)
			complain(records, "types %u and %u are equal", ids[i - 1], ids[i]);
	}
	free(ids);
}

bool site_records_read(struct site_records *records, const char *btf, const char *extra,
		       uint16_t machine)
{
	struct record_image *images = records->images;
	char inlined[4096];
	bool has_inlined;
	uint32_t end;

	*records = (struct site_records){ .machine = machine };
	add_type(records, NULL);
	if (!open_image(records, IMAGE_BTF, btf))
		return false;
	end = images[IMAGE_BTF].string_bytes;
	snprintf(inlined, sizeof(inlined), "%s.inline", btf);
	has_inlined = access(inlined, F_OK) == 0;
	if (has_inlined) {
		images[IMAGE_INLINE].first_string = end;
		if (!open_image(records, IMAGE_INLINE, inlined))
			return false;
		end += images[IMAGE_INLINE].string_bytes;
	}
	if (extra) {
		images[IMAGE_EXTRA].first_string = end;
		if (!open_image(records, IMAGE_EXTRA, extra))
			return false;
	}
	records->loc_param_of = must(calloc(records->type_count, sizeof(*records->loc_param_of)));
	for (uint32_t id = 1; id < records->type_count; id++) {
		bool is_extra = extra && id >= images[IMAGE_EXTRA].first_type;
		bool is_btf = id <= images[IMAGE_BTF].type_count;
		uint32_t kind = kind_of(records, records->types[id]);

		if (kind == KIND_LOCSEC && !is_extra && is_btf != has_inlined)
			read_locsec(records, id);
		else if (kind == KIND_DATASEC && is_extra &&
			 kind_flag_of(records, records->types[id]))
			read_datasec(records, id);
		else if (kind == KIND_LOCSEC || (kind == KIND_LOC && !is_extra))
			complain(records, "type %u: kind %u is in the other file", id, kind);
	}
	check_unique(records);
	return records->complaints == 0;
}

void site_records_release(struct site_records *records)
{
	for (int i = 0; i < IMAGE_COUNT; i++)
		free(records->images[i].data);
	free(records->data);
	free(records->places);
	free(records->loc_param_of);
	free(records->types);
}

/* ---- types ---- */

/* The type without typedefs and qualifiers; NULL: none. */
static const uint8_t *parameter_type(const struct site_records *records,
				     const struct site_record *record, uint32_t parameter)
{
	const uint8_t *type = type_at(records, record->prototype);
	uint32_t id = word_of(records, type + 12 + 8 * parameter + 4);

	for (int steps = 0; steps < CHAIN_MAX; steps++) {
		type = type_at(records, id);
		if (!type)
			return NULL;
		switch (kind_of(records, type)) {
		case KIND_TYPEDEF: case KIND_VOLATILE: case KIND_CONST: case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			id = word_of(records, type + 8);
			continue;
		default:
			return type;
		}
	}
	return NULL;
}

uint32_t site_records_size(const struct site_records *records, const struct site_record *record,
			   uint32_t parameter)
{
	const uint8_t *type = parameter_type(records, record, parameter);

	switch (type ? kind_of(records, type) : 0) {
	case KIND_PTR:
		return records->machine == EM_386 || records->machine == EM_ARM ? 4 : 8;
	case KIND_INT: case KIND_STRUCT: case KIND_UNION: case KIND_ENUM: case KIND_ENUM64:
	case KIND_FLOAT:
		return word_of(records, type + 8);
	default:
		return 0;
	}
}

bool site_records_is_scalar(const struct site_records *records, const struct site_record *record,
			    uint32_t parameter)
{
	const uint8_t *type = parameter_type(records, record, parameter);
	uint32_t kind = type ? kind_of(records, type) : 0;

	return kind == KIND_PTR || kind == KIND_INT || kind == KIND_ENUM || kind == KIND_ENUM64;
}

const char *site_records_name(const struct site_records *records, const struct site_record *record,
			      uint32_t parameter)
{
	const uint8_t *type = type_at(records, record->prototype);

	/* string_at() complains only of what is wrong, which reading has found before. */
	return string_at((struct site_records *)(uintptr_t)records,
			 word_of(records, type + 12 + 8 * parameter));
}

const char *record_place_text(const struct record_place *place, char *text, size_t bytes)
{
	char base[24], second[24];

	if (place->regs[0] == RECORD_FRAME_BASE)
		snprintf(base, sizeof(base), "frame");
	else
		snprintf(base, sizeof(base), "reg%u", place->regs[0]);
	switch (place->kind) {
	case RECORD_REGISTER:
		snprintf(second, sizeof(second), " reg%u", place->regs[1]);
		snprintf(text, bytes, "%s%s", base, place->reg_count == 2 ? second : "");
		break;
	case RECORD_SUM:
		snprintf(text, bytes, "%s%+" PRId64, base, (int64_t)place->number);
		break;
	case RECORD_MEMORY:
		snprintf(text, bytes, "[%s%+" PRId64 "]", base, (int64_t)place->number);
		break;
	case RECORD_CONSTANT:
		snprintf(text, bytes, "%" PRId64, (int64_t)place->number);
		break;
	case RECORD_ADDRESS:
		snprintf(text, bytes, "base%+" PRId64, (int64_t)place->number);
		break;
	default:
		snprintf(text, bytes, "nowhere");
	}
	return text;
}
