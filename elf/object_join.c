/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * DWARF that is not in one .debug_info: type units of DWARF 4 (.debug_types), or in groups of an
 * object file, each with its own .debug_info; the supplementary file of dwz -m. All of it is copied
 * together, so that the readers see one section of each kind. Or it is in a debug file.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "elf/build_id.h"
#include "elf/object_internal.h"

/* What is in the file's own section is copied before the first other one. */
static void append(struct object *object, int id, const struct section *from)
{
	struct section *section = &object->sections[id];
	uint8_t *end;

	if (!from->size)
		return;
	if (!object->joined[id].data) {
		array_reserve(&object->joined[id], section->size + from->size);
		assert(object->joined[id].data);
		if (section->size)
			memcpy(object->joined[id].data, section->data, section->size);
		object_forget(object, (enum section_id)id, 0, SIZE_MAX);
		object->joined[id].count = section->size;
	}
	array_reserve(&object->joined[id], from->size);
	assert(object->joined[id].data);
	end = object->joined[id].data + object->joined[id].count;
	memcpy(end, from->data, from->size);
	object->joined[id].count += from->size;
	section->data = object->joined[id].data;
	section->size = object->joined[id].count;
	section->mapped = false;
}

/* Appends units; the rest of the new piece is for the caller to fill. */
static struct dwarf_piece *append_piece(struct object *object, const struct section *info)
{
	struct dwarf_piece *piece = memory_zeroed(1, sizeof(*piece));

	piece->begin = piece->starts[SECTION_INFO] = object->sections[SECTION_INFO].size;
	append(object, SECTION_INFO, info);
	piece->end = object->sections[SECTION_INFO].size;
	array_push(&object->pieces, piece);
	return piece;
}

/* Appends the pieces of another one, which may be closed then. Sections of `object` move. */
static void join(struct object *object, const struct object *other)
{
	uint64_t starts[SECTION_FIRST_LATE];

	for (int id = SECTION_INFO; id < SECTION_FIRST_LATE; id++) {
		starts[id] = object->sections[id].size;
		if (id != SECTION_INFO && other->sections[id].size)
			append(object, id, &other->sections[id]);
	}
	for (size_t i = 0; i < other->pieces.count; i++) {
		const struct dwarf_piece *from = other->pieces.data[i];
		struct section info = { .data = other->sections[SECTION_INFO].data + from->begin,
					.size = from->end - from->begin };
		struct dwarf_piece *piece = append_piece(object, &info);

		piece->has_type_units = from->has_type_units;
		for (int id = SECTION_INFO + 1; id < SECTION_FIRST_LATE; id++)
			piece->starts[id] = starts[id] + from->starts[id];
	}
}

static bool join_own(struct object *object, struct error *err)
{
	size_t info = object->sections[SECTION_INFO].header;
	struct dwarf_piece *piece = memory_zeroed(1, sizeof(*piece));
	struct section section;

	piece->end = object->sections[SECTION_INFO].size;
	array_push(&object->pieces, piece);
	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		bool is_types = object_is_named(header->name, ".debug_types");

		if (header->type == SHT_NOBITS || i == info ||
		    !(is_types || object_is_named(header->name, ".debug_info")))
			continue;
		if (!object_read_section(object, i, &section, err))
			return false;
		if (section.size)
			append_piece(object, &section)->has_type_units = is_types;
	}
	return true;
}

bool object_load_dwarf(struct object *object, struct error *err)
{
	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		struct section *section;
		int id = 0;

		while (id < SECTION_COUNT &&
		       !object_is_named(header->name, object_section_names[id]))
			id++;
		section = &object->sections[id];
		if (id == SECTION_COUNT || header->type == SHT_NOBITS || section->data)
			continue;
		if (id >= SECTION_FIRST_LATE)
			section->header = section->header ? section->header : i;
		else if (!object_read_section(object, i, section, err))
			return false;
		/* After this any offset below the size is the start of a terminated string. */
		if ((id == SECTION_STR || id == SECTION_LINE_STR) && section->size &&
		    section->data[section->size - 1] != '\0')
			return error_at(err, object->path, "section %s does not end with a NUL "
					"byte; the file is damaged", object_section_names[id]);
	}
	return join_own(object, err);
}

/* ---- other files ---- */

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* A file with (a part of) another file's DWARF. */
struct debug_link {
	const char *name;	/* NULL: none */
	const uint8_t *build_id;	/* which it must have */
	size_t build_id_bytes;	/* 0: any will do */
	const uint8_t *checksum;	/* or else this one; NULL: any will do */
};

/* The checksum of .gnu_debuglink: the CRC-32 of ISO 3309, over the whole file. */
static uint32_t file_checksum(const struct object *object)
{
	uint32_t table[256], value = UINT32_MAX;
	size_t size;
	const char *data = elf_rawfile(object->elf, &size);

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (size_t i = 0; data && i < size; i++)
		value = value >> 8 ^ table[(value ^ (uint8_t)data[i]) & 0xff];
	return ~value;
}

/* Takes the path's memory unless it is the file: a stripped one has the same build id. */
static bool is_it(struct object *found, struct object *object, const struct debug_link *link,
		  char *path)
{
	const uint8_t *build_id;
	bool has_dwarf = false, is_same;
	struct error ignored;
	size_t bytes;

	if (object_open_named(found, path, true, &ignored)) {
		for (size_t i = 1; i < found->header_count; i++)
			has_dwarf |= object_is_named(found->headers[i].name, ".debug_info");
		build_id = object_find_build_id(found, &bytes);
		if (link->build_id_bytes)
			is_same = build_id && bytes == link->build_id_bytes &&
				  memcmp(build_id, link->build_id, bytes) == 0;
		else
			is_same = has_dwarf &&
				  (!link->checksum || file_checksum(found) ==
				   bytes_load_u32(link->checksum, object->swap));
		if (has_dwarf && is_same)
			return true;
		object_close(found);
		if (has_dwarf)
			snprintf(object->other_debug, sizeof(object->other_debug),
				 "; not of this build, by its %s, is %.220s",
				 link->build_id_bytes ? "build id" : "checksum", path);
	}
	free(path);
	return false;
}

/*
 * Opens it, bare, where gdb searches it: by the name that the file has for it, relative to its
 * directory, as given and without links (/lib is one), or below .debug/ there, and by its build id.
 * The caller closes it and frees its path.
 */
static bool open_debug_file(struct object *found, struct object *object,
			    const struct debug_link *link, char **path, struct error *err)
{
	char canonical[PATH_MAX], id[BUILD_ID_TEXT_BYTES];
	const char *paths[] = { object->path, realpath(object->path, canonical) ? canonical : "" };
	bool is_absolute = link->name && *link->name == '/';

	build_id_text(link->build_id, link->build_id_bytes, id);
	for (int at = 0; at < 7; at++) {
		const char *own = paths[at % 2], *slash = strrchr(own, '/');
		int length = slash && !is_absolute ? (int)(slash - own) : 0;
		bool is_global = at / 2 == 2;

		if (at == 6 ? !*id : !link->name || (is_absolute && at) ||
				     (is_global && *own != '/'))
			continue;
		if (at == 6)
			*path = text_format(DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", id, id + 2);
		else
			*path = text_format("%s%.*s%s/%s", is_global ? DEBUG_DIRECTORY : "",
					    slash || is_absolute ? length : 1, slash ? own : ".",
					    at / 2 == 1 ? "/.debug" : "", link->name);
		if (is_it(found, object, link, *path))
			return true;
	}
	return error_at(err, object->path, "needs the supplementary file of dwz -m, '%s' with "
			"build id %s, which is not there nor below " DEBUG_DIRECTORY "; add it",
			link->name ? link->name : "", *id ? id : "(none)");
}

/* ---- the supplementary file ---- */

/*
 * .gnu_debugaltlink is a file name and a build id; .debug_sup (DWARF 5 section 7.3.6) has two bytes
 * of version and a flag before the name, and a length before what is a build id, too.
 */
static bool read_link(struct object *object, size_t index, struct debug_link *link,
		      struct error *err)
{
	bool is_standard = strcmp(object->headers[index].name, ".debug_sup") == 0;
	struct section section;
	const uint8_t *p, *end;

	if (!object_read_section(object, index, &section, err))
		return false;
	if (is_standard && section.size >= 3 && section.data[2])
		return true;		/* it is a supplementary file itself */
	end = section.data ? section.data + section.size : NULL;
	p = is_standard && section.size >= 3 ? section.data + 3 : section.data;
	link->name = (const char *)p;
	p = p ? memchr(p, 0, (size_t)(end - p)) : NULL;
	if (p && is_standard)
		p++;			/* the length is one byte */
	if (!p || p >= end)
		return error_at(err, object->path, "section %s does not name a file; the file is "
				"damaged", object->headers[index].name);
	link->build_id = p + 1;
	link->build_id_bytes = (size_t)(end - p - 1);
	return true;
}

static bool join_supplement(struct object *object, struct error *err)
{
	struct debug_link link = { 0 };
	size_t own = object->pieces.count;
	struct object other;
	char *path;
	bool good;

	for (size_t i = 1; i < object->header_count; i++) {
		const char *name = object->headers[i].name;

		if ((strcmp(name, ".gnu_debugaltlink") == 0 || strcmp(name, ".debug_sup") == 0) &&
		    !read_link(object, i, &link, err))
			return false;
	}
	if (!link.name)
		return true;
	if (!open_debug_file(&other, object, &link, &path, err))
		return false;
	good = object_load_dwarf(&other, err);
	if (good && other.sections[SECTION_INFO].size)
		join(object, &other);
	for (size_t i = own; i < object->pieces.count; i++)
		object->pieces.data[i]->is_supplement = true;
	for (size_t i = 0; i < own && own < object->pieces.count; i++)
		object->pieces.data[i]->supplement = object->pieces.data[own];
	object_close(&other);
	free(path);
	return good;
}

/* ---- the debug file of a stripped one ---- */

/*
 * objcopy --only-keep-debug leaves the headers of sections and takes their contents, strip takes
 * sections that are not loaded: those that are loaded keep their order.
 */
static void find_contents(struct object *debug, const struct object *image)
{
	size_t next = 1, i;

	for (size_t at = 1; at < image->header_count; at++) {
		const struct section_header *from = &image->headers[at];

		if (!(from->flags & SHF_ALLOC))
			continue;
		/* One that the debug file does not have hides no other, and costs little. */
		for (i = next; i < debug->header_count && i < next + 64; i++)
			if (debug->headers[i].address == from->address &&
			    debug->headers[i].size == from->size &&
			    strcmp(debug->headers[i].name, from->name) == 0)
				break;
		if (i == debug->header_count || i == next + 64)
			continue;
		next = i + 1;
		if (debug->headers[i].type == SHT_NOBITS) {
			debug->headers[i].type = from->type;
			debug->headers[i].in_image = (uint32_t)at;
		}
	}
}

bool object_open_debug_file(struct object *object)
{
	struct debug_link link = { 0 };
	struct object debug;
	struct error ignored;
	const uint8_t *section;
	size_t size, at;
	char *path;

	/* A name and, at the next multiple of 4, a checksum; a build id proves more. */
	section = object_section_named(object, ".gnu_debuglink", &size);
	if (section && memchr(section, '\0', size)) {
		link.name = (const char *)section;
		at = (strlen(link.name) + 4) & ~(size_t)3;
		link.checksum = at + 4 <= size ? section + at : NULL;
	}
	link.build_id = object_find_build_id(object, &link.build_id_bytes);
	if ((!link.build_id_bytes && !link.checksum) ||
	    !open_debug_file(&debug, object, &link, &path, &ignored))
		return false;
	debug.image = memory_alloc(sizeof(*debug.image));
	*debug.image = *object;
	debug.own_path = path;
	debug.status = object->status;
	*object = debug;
	find_contents(object, object->image);
	return true;
}

bool object_open(struct object *object, const char *path, struct error *err)
{
	const struct section *info = &object->sections[SECTION_INFO];
	bool good, no_dwarf = false;

	if (!object_open_bare(object, path, err))
		return false;
	good = object_load_dwarf(object, err);
	if (good && !info->size && object_open_debug_file(object))
		good = object_load_dwarf(object, err);
	good = good && join_supplement(object, err);
	if (good && !info->size && object_has_gcc_lto(object)) {
		good = error_at(err, path, "is GCC's intermediate code (-flto), which has no DWARF "
				"yet; give what the linker makes of it, or compile with "
				"-ffat-lto-objects");
	} else if (good && (!info->size || !object->sections[SECTION_ABBREV].size)) {
		no_dwarf = true;
		good = error_at(err, object->path, "has no DWARF (%s is missing or empty%s); "
				"build with CONFIG_DEBUG_INFO, give the unstripped file, or "
				"install its debug file below /usr/lib/debug",
				info->size ? ".debug_abbrev" : ".debug_info",
				object->other_debug);
	}
	if (!good)
		object_close(object);
	object->no_dwarf = no_dwarf;
	return good;
}
