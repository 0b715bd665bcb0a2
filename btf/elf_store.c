/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * First everything is decided and made in memory (struct store); the file is only read. Then
 * elf/file_update writes it.
 */
#include "btf/elf_store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file_kind.h"
#include "btf/format.h"
#include "elf/elf_table.h"
#include "elf/file_update.h"

/* Of what is appended; enough for both tables and for BTF. */
#define TAIL_ALIGNMENT 8

/* The last bytes of a signed module (scripts/sign-file, MODULE_SIG_STRING). */
#define SIGNATURE_MARK "~Module signature appended~\n"

struct store {
	struct held_file file;
	struct elf_table table;			/* as it shall be */
	/* Of sections that were overwritten: names from `first` on have moved. */
	ARRAY_OF(struct padding { uint32_t first; size_t bytes; }) paddings;
	bool table_changed;
	size_t old_names_bytes;
	ARRAY_OF(uint8_t) tail;			/* what comes after the file's end */
	ARRAY_OF(struct file_patch) patches;	/* their data is owned */
};

/* ---- padding ---- */

#define FIELD(name) offsetof(struct btf_file_header, name)

void *btf_padded(const void *data, size_t bytes, size_t wanted_bytes)
{
	const uint8_t *header = data;
	size_t string_bytes, end;
	uint32_t stored;
	uint8_t *padded;
	bool swap;

	assert(bytes <= wanted_bytes);
	if (bytes < sizeof(struct btf_file_header))
		return NULL;
	swap = bytes_load_u16(header, false) != BTF_MAGIC;
	if (bytes_load_u16(header, swap) != BTF_MAGIC)
		return NULL;
	string_bytes = bytes_load_u32(header + FIELD(string_bytes), swap);
	end = (size_t)bytes_load_u32(header + FIELD(header_bytes), swap) +
	      bytes_load_u32(header + FIELD(string_offset), swap) + string_bytes;
	string_bytes += wanted_bytes - bytes;
	if (end != bytes || string_bytes > (size_t)BTF_NAME_OFFSET_MAX + 1)
		return NULL;
	padded = memory_zeroed(wanted_bytes, 1);
	memcpy(padded, data, bytes);
	stored = bytes_order_u32((uint32_t)string_bytes, swap);
	memcpy(padded + FIELD(string_bytes), &stored, sizeof(stored));
	return padded;
}

void *btf_moved(const void *data, size_t bytes, uint32_t first, size_t padding_bytes)
{
	uint8_t *moved = memcpy(memory_alloc(bytes), data, bytes);
	bool swap = bytes_load_u16(data, false) != BTF_MAGIC;
	uint8_t *record = moved + bytes_load_u32(moved + FIELD(header_bytes), swap) +
			  bytes_load_u32(moved + FIELD(type_offset), swap);
	uint8_t *end = record + bytes_load_u32(moved + FIELD(type_bytes), swap);

	while (record < end) {
		uint32_t head[BTF_HEAD_WORDS] = {
			[BTF_WORD_INFO] = bytes_load_u32(record + 4 * BTF_WORD_INFO, swap) };

		btf_each_name(word, head) {
			uint32_t name = bytes_load_u32(record + (size_t)word * 4, swap);

			if (name < first)
				continue;
			name = bytes_order_u32(name + (uint32_t)padding_bytes, swap);
			memcpy(record + (size_t)word * 4, &name, sizeof(name));
		}
		record += (size_t)btf_record_words(head[BTF_WORD_INFO]) * 4;
	}
	return moved;
}

/* ---- the tail ---- */

/* Appends; *offset is where in the file. False: the file would get too big for its class. */
static bool tail_add(struct store *store, const void *data, size_t bytes, uint64_t *offset,
		     struct error *err)
{
	uint64_t end = store->file.bytes + store->tail.count;
	uint64_t limit = store->table.is_64 ? INT64_MAX : UINT32_MAX;
	size_t gap = -end % TAIL_ALIGNMENT;

	if (end > limit || bytes + TAIL_ALIGNMENT > limit - end)
		return error_at(err, store->file.path,
				"%zu bytes more would make it 4 GiB, too big for a 32-bit ELF "
				"file; it was left as it is; write the BTF to a file of its own",
				bytes);
	array_reserve(&store->tail, TAIL_ALIGNMENT + bytes);
	memset(store->tail.data + store->tail.count, 0, gap);
	store->tail.count += gap;
	*offset = store->file.bytes + store->tail.count;
	if (bytes)
		memcpy(store->tail.data + store->tail.count, data, bytes);
	store->tail.count += bytes;
	return true;
}

/* ---- sections ---- */

static bool is_linked(const struct store *store)
{
	return store->table.file_type != ET_REL;
}

/* The index of the first section of this name after `after`; 0: there is none. */
static uint32_t find_section(const struct elf_table *table, const char *name, uint32_t after)
{
	for (uint32_t i = after + 1; i < table->entries.count; i++) {
		const Elf64_Shdr *entry = &table->entries.data[i];

		if (entry->sh_type != SHT_NULL && strcmp(elf_table_name(table, entry), name) == 0)
			return i;
	}
	return 0;
}

/*
 * Empty entries at the end go as well; they are what removing another section has left. No symbol
 * refers to them: linkers and objcopy put the symbol table after all sections that have symbols.
 */
static void remove_entry(struct store *store, uint32_t index)
{
	static const Elf64_Shdr empty;
	struct elf_table *table = &store->table;

	table->entries.data[index] = empty;
	store->table_changed = true;
	while (table->entries.count > 1 && memcmp(&table->entries.data[table->entries.count - 1],
						  &empty, sizeof(empty)) == 0)
		table->entries.count--;
}

/*
 * An object's relocations were for the old contents and would damage the new ones: those of all
 * sections of that name from index `first` on, in one walk.
 */
static void remove_relocations_of(struct store *store, const char *name, uint32_t first)
{
	struct elf_table *table = &store->table;

	for (size_t i = table->entries.count - 1; i > 0; i--) {
		const Elf64_Shdr *entry = &table->entries.data[i];

		if (i < table->entries.count && entry->sh_info >= first &&
		    entry->sh_info < table->entries.count &&
		    (entry->sh_type == SHT_REL || entry->sh_type == SHT_RELA) &&
		    strcmp(elf_table_name(table, &table->entries.data[entry->sh_info]), name) == 0)
			remove_entry(store, (uint32_t)i);
	}
}

static bool refuse_allocated(const struct store *store, const char *name, const char *why,
			     struct error *err)
{
	return error_at(err, store->file.path,
			"its %s is part of a segment and cannot %s; it was left as it is; "
			"link it again",
			name, why);
}

static bool remove_section(struct store *store, const char *name, uint32_t after, struct error *err)
{
	uint32_t index = find_section(&store->table, name, after);

	if (!index)
		return true;
	remove_relocations_of(store, name, index);
	for (; index; index = find_section(&store->table, name, index)) {
		if (is_linked(store) && store->table.entries.data[index].sh_flags & SHF_ALLOC)
			return refuse_allocated(store, name, "be removed", err);
		remove_entry(store, index);
	}
	return true;
}

/* `index`: of what the file has; 0: it has none. */
static bool replace_section(struct store *store, const struct elf_section_data *section,
			    uint32_t index, struct error *err)
{
	struct elf_table *table = &store->table;
	Elf64_Shdr entry = {
		.sh_type = SHT_PROGBITS,
		.sh_size = section->size,
		.sh_addralign = TAIL_ALIGNMENT,
	};

	if (!index && table->entries.count == UINT32_MAX)
		return error_at(err, store->file.path, "has as many sections as there can be");
	if (!tail_add(store, section->data, section->size, &entry.sh_offset, err))
		return false;
	if (index) {
		entry.sh_name = table->entries.data[index].sh_name;
		if (!is_linked(store))
			entry.sh_flags = table->entries.data[index].sh_flags & SHF_ALLOC;
		remove_relocations_of(store, section->name, index);
		table->entries.data[index] = entry;
	} else {
		entry.sh_name = (uint32_t)table->names.count;
		text_add(&table->names, section->name, strlen(section->name) + 1);
		array_push(&table->entries, entry);
	}
	store->table_changed = true;
	return true;
}

/* Are these the section's contents? Compressed ones are not. */
static bool has_contents(const struct store *store, const Elf64_Shdr *entry, const void *data,
			 size_t bytes)
{
	bool same;
	void *old;

	if (entry->sh_type != SHT_PROGBITS || entry->sh_flags & SHF_COMPRESSED ||
	    entry->sh_size != bytes)
		return false;
	old = memory_alloc(bytes + 1);
	same = held_file_read(&store->file, old, entry->sh_offset, bytes) &&
	       (bytes == 0 || memcmp(old, data, bytes) == 0);
	free(old);
	return same;
}

static bool overwrite_section(struct store *store, const struct elf_section_data *section,
			      const Elf64_Shdr *entry, struct error *err)
{
	struct file_patch patch = { .offset = entry->sh_offset };

	if (entry->sh_type == SHT_NOBITS)
		return error_at(err, store->file.path,
				"its %s has no contents here; it was left as it is; take the file "
				"that the debug information was split from",
				section->name);
	if (section->size > entry->sh_size)
		return error_at(err, store->file.path,
				"its %s is part of a segment and has %llu bytes, %zu are needed; "
				"it was left as it is; link it again with the new BTF",
				section->name, (unsigned long long)entry->sh_size, section->size);
	patch.bytes = (size_t)entry->sh_size;
	if (entry->sh_flags & SHF_COMPRESSED)
		return refuse_allocated(store, section->name, "be compressed", err);
	patch.data = btf_padded(section->data, section->size, patch.bytes);
	if (!patch.data)
		return error_at(err, store->file.path,
				"its %s is part of a segment and has %zu bytes, to which the new "
				"contents cannot be padded; it was left as it is; link it again",
				section->name, patch.bytes);
	array_push(&store->paddings, ((struct padding){ 0, patch.bytes - section->size }));
	if (has_contents(store, entry, patch.data, patch.bytes))
		free((void *)patch.data);
	else
		array_push(&store->patches, patch);
	return true;
}

static bool put_section(struct store *store, const struct elf_section_data *section,
			struct error *err)
{
	const struct elf_table *table = &store->table;
	const Elf64_Shdr *entry = &table->entries.data[table->names_index];
	uint32_t index;

	if (strcmp(elf_table_name(table, entry), section->name) == 0)
		return error_at(err, store->file.path,
				"%s holds the section names; it is damaged, and was left as it is",
				section->name);
	if (!section->data)
		return remove_section(store, section->name, 0, err);
	index = find_section(table, section->name, 0);
	if (!index)
		return replace_section(store, section, 0, err);
	/* Of two sections with one name readers disagree which one counts. */
	if (!remove_section(store, section->name, index, err))
		return false;
	/* ld.lld keeps the kernel's .BTF where there is none yet: empty, and in no segment. */
	entry = &table->entries.data[index];
	if (is_linked(store) && entry->sh_flags & SHF_ALLOC && entry->sh_size)
		return overwrite_section(store, section, entry, err);
	if (has_contents(store, entry, section->data, section->size))
		return true;
	return replace_section(store, section, index, err);
}

/* Strings that go on after those of sections that were padded have moved with their ends. */
static bool put_after_padding(struct store *store, const struct elf_section_data *section,
			       struct error *err)
{
	struct elf_section_data moved = *section;
	uint32_t first = section->own_strings;
	void *copy = NULL, *before;
	bool good;

	for (size_t i = 0; section->own_strings && i < store->paddings.count; i++) {
		struct padding *padding = &store->paddings.data[i];

		/* What is split from a section has it below; the first such begins at its end. */
		padding->first = padding->first ? padding->first : first;
		first += (uint32_t)padding->bytes;
		if (!section->data)
			continue;
		before = copy;
		moved.data = copy = btf_moved(moved.data, section->size, padding->first,
					      padding->bytes);
		free(before);
	}
	good = put_section(store, &moved, err);
	free(copy);
	return good;
}

/* ---- the file ---- */

/* Appends the table, and the names if some were added. */
static bool add_table(struct store *store, struct file_patch *flip, struct error *err)
{
	struct elf_table *table = &store->table;
	Elf64_Shdr *names = &table->entries.data[table->names_index];
	uint64_t offset = 0;
	uint8_t *encoded;
	size_t bytes;
	bool good;

	if (table->names.count != store->old_names_bytes) {
		/* They may be shared with a symbol table: old names keep their offsets. */
		if (names->sh_flags & SHF_ALLOC)
			return error_at(err, store->file.path,
					"its section names are part of a segment and cannot grow; "
					"it was left as it is; add an empty section with objcopy "
					"first");
		names->sh_size = table->names.count;
		if (!tail_add(store, table->names.data, table->names.count, &names->sh_offset, err))
			return false;
	}
	encoded = elf_table_encode(table, &bytes);
	good = tail_add(store, encoded, bytes, &offset, err);
	free(encoded);
	if (good)
		flip->data = elf_table_locate(table, offset, &flip->offset, &flip->bytes);
	return good;
}

static bool write_file(struct store *store, struct error *err)
{
	struct file_update update = { 0 };

	if (store->table_changed && !add_table(store, &update.flip, err))
		return false;
	update.patches = store->patches.data;
	update.patch_count = store->patches.count;
	update.tail = store->tail.data;
	update.tail_bytes = store->tail.count;
	return !(store->table_changed || update.patch_count) ||
	       file_update(&store->file, &update, err);
}

static bool check_unsigned(const struct store *store, struct error *err)
{
	char end[sizeof(SIGNATURE_MARK) - 1];

	if (store->file.bytes < sizeof(end) ||
	    !held_file_read(&store->file, end, store->file.bytes - sizeof(end), sizeof(end)) ||
	    memcmp(end, SIGNATURE_MARK, sizeof(end)) != 0)
		return true;
	return error_at(err, store->file.path,
			"is a signed module, and would not fit its signature any more; it was left "
			"as it is; encode it before it is signed");
}

bool elf_store(const char *path, const struct stat *read, const struct elf_section_data *sections,
	       size_t count, struct error *err)
{
	struct store store = { 0 };
	bool good;

	if (!held_file_open(&store.file, path, err))
		return false;
	good = !read || file_is_unchanged(read, &store.file.status) ||
	       error_at(err, store.file.path, "has changed since its DWARF was read; it was left "
			"as it is; run again when nothing else writes to it");
	good = good && elf_table_read(&store.table, &store.file, err) &&
	       check_unsigned(&store, err);
	store.old_names_bytes = store.table.names.count;
	for (size_t i = 0; i < count && good; i++)
		good = put_after_padding(&store, &sections[i], err);
	good = good && write_file(&store, err);
	for (size_t i = 0; i < store.patches.count; i++)
		free((void *)store.patches.data[i].data);
	array_release(&store.patches);
	array_release(&store.paddings);
	array_release(&store.tail);
	elf_table_release(&store.table);
	held_file_close(&store.file);
	return good;
}
