/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/file_table.h"

#include <dwarf.h>
#include <string.h>

#include "base/hash.h"

void file_table_open(struct file_table *table, const struct die_cursor *cursor,
		     const struct die *unit_die)
{
	const struct section *line = &cursor->object->sections[SECTION_LINE];
	uint64_t unused;

	table->is_read = false;
	table->files.count = table->directories.count = 0;
	/* A supplementary file has a .debug_line of its own, which is not read. */
	table->is_there = line->data && die_has(unit_die, SLOT_STMT_LIST) &&
			  !cursor->unit->piece->is_supplement;
	if (!table->is_there)
		return;
	table->cursor = *cursor;
	table->offset = unit_die->value[SLOT_STMT_LIST];
	table->compiled_in = die_has(unit_die, SLOT_COMP_DIR)
				     ? die_cursor_string(&table->cursor, unit_die, SLOT_COMP_DIR,
							 &unused)
				     : NULL;
}

void file_table_release(struct file_table *table)
{
	array_release(&table->directories);
	array_release(&table->files);
	array_release(&table->path);
}

/* ---- the header ---- */

/* Of a path as the format says, at the cursor. NULL: it is in another form, or in no section. */
static const char *read_string(const struct file_table *table, struct byte_cursor *at,
			       uint64_t form, uint8_t offset_bytes)
{
	const struct object *object = table->cursor.object;
	enum section_id id = form == DW_FORM_strp ? SECTION_STR : SECTION_LINE_STR;
	const struct section *section = &object->sections[id];
	const char *text = (const char *)at->p;
	uint64_t offset;

	if (form == DW_FORM_string) {
		const char *end = memchr(text, '\0', (size_t)(at->end - at->p));

		cursor_skip(at, end ? (uint64_t)(end - text) + 1 : UINT64_MAX);
		return end ? text : NULL;
	}
	offset = cursor_number(at, offset_bytes) + table->cursor.unit->piece->starts[id];
	return offset < section->size ? (const char *)section->data + offset : NULL;
}

/* A value that is no string; of other forms nothing is known. */
static uint64_t read_number(struct byte_cursor *at, uint64_t form)
{
	switch (form) {
	case DW_FORM_udata: return cursor_uleb(at);
	case DW_FORM_data1: return cursor_number(at, 1);
	case DW_FORM_data2: return cursor_number(at, 2);
	case DW_FORM_data4: return cursor_number(at, 4);
	case DW_FORM_data8: return cursor_number(at, 8);
	case DW_FORM_data16: cursor_skip(at, 16); return 0;
	case DW_FORM_block: cursor_block(at, 0); return 0;
	default: cursor_poison(at); return 0;
	}
}

#define MAX_FORMATS 16

/* Directories, or files: what each entry has, how many there are, and the entries. */
static void read_entries(struct file_table *table, struct byte_cursor *at, uint8_t offset_bytes,
			 bool is_files)
{
	uint64_t content[MAX_FORMATS], form[MAX_FORMATS], count;
	uint8_t formats = (uint8_t)cursor_number(at, 1);

	for (uint8_t i = 0; i < formats && !at->is_bad; i++) {
		content[i % MAX_FORMATS] = cursor_uleb(at);
		form[i % MAX_FORMATS] = cursor_uleb(at);
	}
	count = cursor_uleb(at);
	/* Each value takes a byte at least. */
	for (uint64_t i = 0; i < count && formats && formats <= MAX_FORMATS && !at->is_bad; i++) {
		struct file_name entry = { 0 };

		for (uint8_t k = 0; k < formats; k++) {
			if (form[k] == DW_FORM_string || form[k] == DW_FORM_line_strp ||
			    form[k] == DW_FORM_strp) {
				const char *text = read_string(table, at, form[k], offset_bytes);

				entry.name = content[k] == DW_LNCT_path ? text : entry.name;
			} else {
				uint64_t number = read_number(at, form[k]);

				entry.directory = content[k] == DW_LNCT_directory_index
							  ? number : entry.directory;
			}
		}
		if (at->is_bad)
			return;
		if (is_files)
			array_push(&table->files, entry);
		else
			array_push(&table->directories, entry);
	}
}

/* Before DWARF 5: strings up to an empty one; what has number 0 is not in the list. */
static void read_old_entries(struct file_table *table, struct byte_cursor *at)
{
	struct file_name entry = { .name = table->compiled_in };

	array_push(&table->directories, entry);
	while ((entry.name = read_string(table, at, DW_FORM_string, 0)) && *entry.name)
		array_push(&table->directories, entry);
	array_push(&table->files, ((struct file_name){ 0 }));
	while ((entry.name = read_string(table, at, DW_FORM_string, 0)) && *entry.name) {
		entry.directory = cursor_uleb(at);
		cursor_uleb(at);	/* when it was changed, and its size */
		cursor_uleb(at);
		array_push(&table->files, entry);
	}
}

static void read_table(struct file_table *table)
{
	const struct object *object = table->cursor.object;
	const struct section *line = &object->sections[SECTION_LINE];
	struct byte_cursor at = { line->data, line->data + line->size, object->swap, false };
	uint8_t offset_bytes;
	uint64_t length;
	uint16_t version;

	table->is_read = true;
	cursor_skip(&at, table->offset);
	length = cursor_initial_length(&at, &offset_bytes);
	if (length < (uint64_t)(at.end - at.p))
		at.end = at.p + length;
	version = (uint16_t)cursor_number(&at, 2);
	if (version == 5)
		cursor_skip(&at, 2);	/* sizes of addresses and selectors */
	length = cursor_number(&at, offset_bytes);
	if (at.is_bad || version < 2 || version > 5 ||
	    !object_share(object, SECTION_LINE, length))
		return;
	if (length < (uint64_t)(at.end - at.p))
		at.end = at.p + length;
	cursor_skip(&at, version >= 4 ? 5 : 4);
	cursor_skip(&at, cursor_number(&at, 1) - 1);	/* lengths of opcodes */
	if (version < 5) {
		read_old_entries(table, &at);
		return;
	}
	read_entries(table, &at, offset_bytes, false);
	read_entries(table, &at, offset_bytes, true);
}

/* ---- paths ---- */

/* Goes on with another path, relative to what is there. */
static void add_path(struct file_table *table, const char *text)
{
	size_t length;

	if (*text == '/')
		table->path.count = 0;
	for (; *text; text += length + (text[length] == '/')) {
		size_t last = table->path.count;

		length = strcspn(text, "/");
		while (last && table->path.data[last - 1] != '/')
			last--;
		if (!length || (length == 1 && *text == '.'))
			continue;
		if (length == 2 && memcmp(text, "..", 2) == 0 && table->path.count &&
		    strncmp(table->path.data + last, "..", table->path.count - last) != 0) {
			table->path.count = last ? last - 1 : 0;
			continue;
		}
		array_reserve(&table->path, length + 1);
		if (table->path.count)
			table->path.data[table->path.count++] = '/';
		memcpy(table->path.data + table->path.count, text, length);
		table->path.count += length;
	}
}

uint32_t file_table_hash(struct file_table *table, uint64_t number)
{
	const struct file_name *directory;
	struct file_name *file;

	if (!table->is_there)
		return 0;
	if (!table->is_read)
		read_table(table);
	if (number >= table->files.count || !table->files.data[number].name)
		return 0;
	file = &table->files.data[number];
	if (file->hash)
		return file->hash;
	table->path.count = 0;
	directory = file->directory < table->directories.count
			    ? &table->directories.data[file->directory] : NULL;
	if (table->directories.count && table->directories.data[0].name)
		add_path(table, table->directories.data[0].name);
	if (directory && directory->name && file->directory)
		add_path(table, directory->name);
	add_path(table, file->name);
	if (!object_share(table->cursor.object, SECTION_LINE, table->path.count))
		return 0;
	file->hash = hash_bytes(table->path.data, table->path.count);
	file->hash += !file->hash;
	return file->hash;
}
