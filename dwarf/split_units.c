/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Split DWARF (-gsplit-dwarf; DWARF 5 section 7.3.2, and GNU's form of it in DWARF 4): the image
 * has skeleton units with addresses, and a .dwo file for each unit, or a .dwp file for all, has the
 * rest. Their sections are joined to the image's.
 */
#include "dwarf/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/text.h"
#include "dwarf/die_cursor.h"

struct skeleton {
	struct unit unit;
	uint64_t id;
	char *directory;	/* of the compiler */
	char *name;		/* of the .dwo file */
	bool is_found;
	/* Of several with one id they are found in turn: */
	uint32_t next;		/* index + 1 of the one after; 0: none */
	uint32_t left, last;	/* of the first of them: the next to be found, 0: none; the last */
};

struct splitting {
	struct unit_list *units;
	struct object *object;
	struct abbrev_table abbrevs;
	ARRAY_OF(struct skeleton) skeletons;
	struct hash_table by_id;	/* index + 1, of the first with the id */
	ARRAY_OF(struct stat) files;	/* that were opened */
	struct hash_table by_number;
};

static uint32_t id_hash(uint64_t id)
{
	return hash_finish(hash_mix(id, 1));
}

static char *copy_string(struct die_cursor *cursor, const struct die *die, enum die_slot slot)
{
	uint64_t ignored;
	const char *text = die_has(die, slot) ? die_cursor_string(cursor, die, slot, &ignored)
					      : NULL;

	return text_format("%s", text ? text : "");
}

/* The first with the id, or NULL. */
static struct skeleton *first_with_id(const struct splitting *s, uint64_t id)
{
	const uint64_t *slot = hash_table_first(&s->by_id, id_hash(id));

	for (; *slot; slot = hash_table_next(&s->by_id, slot)) {
		struct skeleton *skeleton = &s->skeletons.data[hash_table_value(slot) - 1];

		if (skeleton->id == id)
			return skeleton;
	}
	return NULL;
}

static void add_skeleton(struct splitting *s, struct skeleton skeleton)
{
	uint32_t number = (uint32_t)s->skeletons.count + 1;
	struct skeleton *first = first_with_id(s, skeleton.id);

	if (first) {
		s->skeletons.data[first->last - 1].next = number;
		first->last = number;
	} else {
		skeleton.left = skeleton.last = number;
		hash_table_add(&s->by_id, id_hash(skeleton.id), number);
	}
	array_push(&s->skeletons, skeleton);
}

/* The next that has the id and was not found; NULL: there is none. */
static struct skeleton *take_skeleton(const struct splitting *s, uint64_t id)
{
	struct skeleton *first = first_with_id(s, id), *taken;

	if (!first || !first->left)
		return NULL;
	taken = &s->skeletons.data[first->left - 1];
	first->left = taken->next;
	taken->is_found = true;
	return taken;
}

/*
 * In DWARF 4 only an attribute tells a skeleton from others, and reading all unit DIEs costs time.
 * A skeleton has no children and few attributes; its addresses are in .debug_addr.
 */
#define SKELETON_BYTES_MAX 128

static void find_skeletons(struct splitting *s)
{
	bool has_addresses = s->object->sections[SECTION_ADDR].size > 0;

	for (size_t i = 0; i < s->units->count; i++) {
		const struct unit *unit = &s->units->data[i];
		struct skeleton skeleton = { .unit = *unit, .id = unit->signature };
		struct die_cursor cursor;
		struct error ignored;
		struct die die;

		if (unit->version >= 5 ? unit->unit_type != DW_UT_skeleton
				       : !has_addresses &&
						 unit->end - unit->offset > SKELETON_BYTES_MAX)
			continue;
		/* What cannot be read is for the unit reader to report. */
		if (!die_cursor_open(&cursor, s->object, s->units, unit, &s->abbrevs, &die,
				     &ignored) ||
		    !die_has(&die, SLOT_DWO_NAME))
			continue;
		skeleton.id = die_value(&die, SLOT_DWO_ID, skeleton.id);
		skeleton.name = copy_string(&cursor, &die, SLOT_DWO_NAME);
		skeleton.directory = copy_string(&cursor, &die, SLOT_COMP_DIR);
		add_skeleton(s, skeleton);
	}
}

/* ---- the index of a .dwp file: DWARF 5 section 7.3.5 ---- */

/* Its numbers of sections. Version 2 is GNU's, with .debug_types and .debug_loc. */
static const uint8_t index_sections[2][9] = {
	{ [1] = SECTION_INFO + 1, [2] = SECTION_INFO + 1, [3] = SECTION_ABBREV + 1,
	  [5] = SECTION_LOC + 1, [6] = SECTION_STR_OFFSETS + 1 },
	{ [1] = SECTION_INFO + 1, [3] = SECTION_ABBREV + 1, [5] = SECTION_LOCLISTS + 1,
	  [6] = SECTION_STR_OFFSETS + 1, [8] = SECTION_RNGLISTS + 1 },
};

/* Each unit gets a piece of its own, with the starts of its row. */
static bool read_index(struct splitting *s, struct object *file, const char *name,
		       size_t first_piece, struct error *err)
{
	struct byte_cursor at = { NULL, NULL, s->object->swap, false };
	uint64_t version, columns, rows, slots;
	struct section section;
	struct byte_cursor ids;

	if (!object_read_named(file, name, &section, err))
		return false;
	if (!section.size)
		return true;
	at.p = section.data;
	at.end = at.p + section.size;
	version = cursor_number(&at, 4) & 0xffff;
	columns = cursor_number(&at, 4);
	rows = cursor_number(&at, 4);
	slots = cursor_number(&at, 4);
	cursor_skip(&at, slots * 12);
	ids = at;
	cursor_skip(&at, columns * 4);
	for (uint64_t row = 0; row < rows && !at.is_bad; row++) {
		uint64_t starts[SECTION_FIRST_LATE] = { 0 };
		struct byte_cursor id = ids;
		const struct dwarf_piece *whole = s->object->pieces.data[first_piece];
		struct dwarf_piece *piece;
		const struct unit *found;
		struct unit *unit;

		for (uint64_t i = 0; i < columns && !at.is_bad; i++) {
			uint64_t number = cursor_number(&id, 4);
			uint64_t start = cursor_number(&at, 4);
			uint8_t part = number < 9 ? index_sections[version >= 5][number] : 0;

			if (number == 2 && s->object->pieces.count > first_piece + 1)
				whole = s->object->pieces.data[first_piece + 1];
			if (part)
				starts[part - 1] = start;
		}
		found = unit_list_find(s->units, whole->begin + starts[SECTION_INFO]);
		if (at.is_bad)
			break;
		if (!found || found->piece != whole)
			return error_at(err, file->path, "section %s has an entry for which there "
					"is no unit; the file is damaged", name);
		unit = &s->units->data[found - s->units->data];
		piece = memory_alloc(sizeof(*piece));
		*piece = *whole;
		array_push(&s->object->pieces, piece);
		for (int id_ = SECTION_ABBREV; id_ < SECTION_FIRST_LATE; id_++)
			piece->starts[id_] += starts[id_];
		unit->abbrev_offset += starts[SECTION_ABBREV];
		unit->piece = piece;
	}
	return !at.is_bad || error_at(err, file->path, "section %s ends in the middle of an entry; "
				      "the file is truncated or damaged", name);
}

/* ---- files ---- */

/* Joins its sections and finds the skeletons of its units. */
static bool join_file(struct splitting *s, struct object *file, struct error *err)
{
	size_t first_piece = s->object->pieces.count, first_unit = s->units->count;

	object_join(s->object, file);
	if (!unit_list_append(s->units, s->object, first_piece, err) ||
	    !read_index(s, file, ".debug_cu_index", first_piece, err) ||
	    !read_index(s, file, ".debug_tu_index", first_piece, err))
		return false;
	for (size_t i = first_unit; i < s->units->count; i++) {
		struct unit *unit = &s->units->data[i];
		uint64_t id = unit->signature;
		struct skeleton *skeleton;
		struct die_cursor cursor;
		struct error ignored;
		struct die die;

		if (unit->type_die)
			continue;
		if (unit->version < 5 && die_cursor_open(&cursor, s->object, s->units, unit,
							 &s->abbrevs, &die, &ignored))
			id = die_value(&die, SLOT_DWO_ID, 0);
		skeleton = take_skeleton(s, id);
		/* Without one it is of another image, or older than this one. */
		if (!skeleton) {
			unit->end = unit->offset;
			continue;
		}
		array_push(&s->units->skeletons, skeleton->unit);
		unit->skeleton = (uint32_t)s->units->skeletons.count;
	}
	return true;
}

/*
 * Takes the path. A file that is not there, or without split DWARF, is none. Skeletons may name one
 * file in many ways ("x", "./x"): it is read once.
 */
static bool try_file(struct splitting *s, char *path, struct error *err)
{
	const uint64_t *slot;
	struct stat status;
	struct object file;
	struct error ignored;
	bool good = true, is_new = stat(path, &status) == 0;
	uint32_t hash = is_new ? hash_number((uint32_t)status.st_ino) : 0;

	for (slot = hash_table_first(&s->by_number, hash); is_new && *slot;
	     slot = hash_table_next(&s->by_number, slot)) {
		const struct stat *other = &s->files.data[hash_table_value(slot) - 1];

		is_new = other->st_ino != status.st_ino || other->st_dev != status.st_dev;
	}
	if (is_new) {
		array_push(&s->files, status);
		hash_table_add(&s->by_number, hash, (uint32_t)s->files.count);
	}
	if (is_new && object_open_bare(&file, path, &ignored)) {
		good = object_load_dwarf(&file, ".dwo", err) &&
		       (!file.sections[SECTION_INFO].size || join_file(s, &file, err));
		object_close(&file);
	}
	free(path);
	return good;
}

/* Next to a file: as the compiler named it, and without folders. */
static bool try_beside(struct splitting *s, const char *path, const struct skeleton *skeleton,
		       struct error *err)
{
	const char *slash = strrchr(path, '/'), *name = skeleton->name;
	const char *base = strrchr(name, '/');
	int directory = slash ? (int)(slash - path) : 1;
	const char *own = slash ? path : ".";

	return (skeleton->is_found || *name == '/' ||
		try_file(s, text_format("%.*s/%s", directory, own, name), err)) &&
	       (skeleton->is_found || !base ||
		try_file(s, text_format("%.*s%s", directory, own, base), err));
}

/* A debug file's may be next to the stripped file, and have its name. */
static bool join_files(struct splitting *s, struct error *err)
{
	for (const struct object *file = s->object; file; file = file->image) {
		if (!try_file(s, text_format("%s.dwp", file->path), err))
			return false;
	}
	for (size_t i = 0; i < s->skeletons.count; i++) {
		const struct skeleton *skeleton = &s->skeletons.data[i];
		const char *name = skeleton->name;

		/* Where the compiler has put it, or elsewhere if the tree was moved. */
		if (!skeleton->is_found &&
		    !try_file(s, *name == '/' ? text_format("%s", name)
					      : text_format("%s/%s", skeleton->directory, name),
			      err))
			return false;
		for (const struct object *file = s->object; file; file = file->image) {
			if (!try_beside(s, file->path, skeleton, err))
				return false;
		}
	}
	return true;
}

/* Without the skeletons that were found, and without units of other images. */
static void remove_replaced(struct splitting *s)
{
	size_t count = 0, next = 0;

	for (size_t i = 0; i < s->units->count; i++) {
		const struct unit *unit = &s->units->data[i];
		const struct skeleton *skeleton =
			next < s->skeletons.count ? &s->skeletons.data[next] : NULL;

		if (skeleton && skeleton->unit.offset == unit->offset) {
			next++;
			if (skeleton->is_found)
				continue;
		}
		if (unit->end > unit->offset)
			s->units->data[count++] = *unit;
	}
	s->units->count = count;
}

/* Replaces each skeleton by its unit, with the type units of the same file. */
static bool replace_skeletons(struct unit_list *units, struct object *object, struct error *err)
{
	struct splitting s = { .units = units, .object = object };
	bool good;

	find_skeletons(&s);
	good = !s.skeletons.count || join_files(&s, err);
	if (good && s.skeletons.count)
		remove_replaced(&s);
	for (size_t i = 0; i < s.skeletons.count; i++) {
		free(s.skeletons.data[i].name);
		free(s.skeletons.data[i].directory);
	}
	array_release(&s.files);
	hash_table_release(&s.by_number);
	array_release(&s.skeletons);
	hash_table_release(&s.by_id);
	abbrev_table_release(&s.abbrevs);
	return good;
}

bool unit_list_read(struct unit_list *units, struct object *object, struct error *err)
{
	*units = (struct unit_list){ 0 };
	if (!unit_list_append(units, object, 0, err) || !replace_skeletons(units, object, err)) {
		unit_list_release(units);
		return false;
	}
	unit_list_index(units);
	return true;
}
