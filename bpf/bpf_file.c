/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "bpf/bpf_file.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/sort.h"
#include "base/text.h"
#include "btf/inspect.h"
#include "elf/libelf_error.h"

#define SLOT_BYTES 8
#define NO_CODE	   UINT32_MAX
/* Of all programs together: the largest object of check-compat, profiler1.o, has 18,148. */
#define CODE_MAX   (1u << 18)

static bool damaged(const struct bpf_file *file, struct error *err, const char *what)
{
	return error_at(err, file->name, "%s; the file is damaged or cut off", what);
}

/* ---- sections and symbols ---- */

static const uint8_t *section_bytes(const struct bpf_file *file, size_t index, size_t *count)
{
	/* Section 0 is none, whatever a damaged file has there. */
	Elf_Scn *scn = index ? elf_getscn(file->elf, index) : NULL;
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	*count = data && data->d_buf ? data->d_size : 0;
	return *count ? data->d_buf : NULL;
}

/* The first of that name; 0: there is none. */
static uint32_t section_find(const struct bpf_file *file, const char *name)
{
	return hash_table_find(i, &file->by_name, hash_bytes(name, strlen(name)),
			       strcmp(file->sections[i], name) == 0);
}

static bool add_code(struct bpf_file *file, size_t index, struct error *err)
{
	bool swap = file->swapped, big_endian = swap != HOST_IS_BIG_ENDIAN;
	size_t bytes;
	const uint8_t *at = section_bytes(file, index, &bytes);

	if (bytes % SLOT_BYTES)
		return damaged(file, err, "has code that is no BPF program's");
	if (file->code.count + bytes / SLOT_BYTES > CODE_MAX)
		return error_at(err, file->name, "has more than %u instructions, which btfenc does "
				"not follow; give an object with fewer programs", CODE_MAX);
	file->section_first[index] = (uint32_t)file->code.count;
	for (size_t left = bytes; left; left -= SLOT_BYTES, at += SLOT_BYTES) {
		if (at[0] == BPF_JUMP_TABLE)
			return error_at(err, file->name, "has jumps to addresses in tables, which "
					"btfenc does not follow yet; compile it with "
					"-fno-jump-tables");
		array_push(&file->code, ((struct bpf_instruction){
			.code = at[0],
			.to = big_endian ? at[1] >> 4 : at[1] & 15,
			.from = big_endian ? at[1] & 15 : at[1] >> 4,
			.offset = (int16_t)bytes_load_u16(at + 2, swap),
			.immediate = (int32_t)bytes_load_u32(at + 4, swap) }));
	}
	return true;
}

static bool read_sections(struct bpf_file *file, struct error *err)
{
	size_t names;

	if (elf_getshdrnum(file->elf, &file->section_count) < 0 ||
	    elf_getshdrstrndx(file->elf, &names) < 0)
		return libelf_error(err, file->name, "its sections");
	file->sections = memory_zeroed(file->section_count + 1, sizeof(*file->sections));
	file->section_first = memory_alloc((file->section_count + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < file->section_count; i++) {
		GElf_Shdr header = { 0 };
		const char *name;

		gelf_getshdr(elf_getscn(file->elf, i), &header);
		name = elf_strptr(file->elf, names, header.sh_name);
		file->sections[i] = name = name ? name : "";
		if (i && !section_find(file, name))
			hash_table_add(&file->by_name, hash_bytes(name, strlen(name)),
				       (uint32_t)i);
		file->section_first[i] = NO_CODE;
		if (header.sh_type == SHT_PROGBITS && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_size && !add_code(file, i, err))
			return false;
	}
	/* The last may be half of an instruction of two. */
	array_push(&file->code, (struct bpf_instruction){ 0 });
	file->code.count--;
	return true;
}

static struct bpf_symbol symbol_of(const struct bpf_file *file, const GElf_Sym *elf,
				   const char *name)
{
	struct bpf_symbol symbol = {
		.name = name ? name : "", .section = elf->st_shndx, .value = elf->st_value,
		.is_weak = GELF_ST_BIND(elf->st_info) == STB_WEAK,
		.is_global = GELF_ST_BIND(elf->st_info) != STB_LOCAL &&
			     GELF_ST_VISIBILITY(elf->st_other) == STV_DEFAULT };

	if (symbol.section == SHN_UNDEF || symbol.section >= file->section_count)
		return symbol;
	symbol.kind = BPF_SYMBOL_DATA;
	symbol.is_loader_set = text_after(file->sections[symbol.section], ".rodata");
	if (file->section_first[symbol.section] == NO_CODE)
		return symbol;
	symbol.kind = BPF_SYMBOL_CODE;
	symbol.value = file->section_first[symbol.section] + elf->st_value / SLOT_BYTES;
	return symbol;
}

static int compare_programs(const void *a, const void *b)
{
	const struct bpf_program *x = a, *y = b;

	return order_of(x->first, y->first);
}

/* Functions in .text are called by programs, unless there is only one. */
static void read_symbols(struct bpf_file *file)
{
	ARRAY_OF(struct bpf_program) own = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Sym elf;

	while ((scn = elf_nextscn(file->elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB
				 && !file->symbols.count ? elf_getdata(scn, NULL) : NULL;

		for (int i = 0; data && gelf_getsym(data, i, &elf); i++) {
			struct bpf_symbol symbol = symbol_of(file, &elf,
				elf_strptr(file->elf, header.sh_link, elf.st_name));
			const char *section = file->sections[symbol.kind ? symbol.section : 0];
			struct bpf_program program = {
				.name = symbol.name, .section = section + (*section == '?'),
				.is_loaded = *section != '?', .first = (uint32_t)symbol.value };

			array_push(&file->symbols, symbol);
			if (symbol.kind != BPF_SYMBOL_CODE ||
			    symbol.value >= file->code.count ||
			    GELF_ST_TYPE(elf.st_info) != STT_FUNC)
				continue;
			if (strcmp(section, ".text") == 0)
				array_push(&own, program);
			else
				array_push(&file->programs, program);
		}
	}
	if (own.count == 1 && !file->programs.count)
		array_push(&file->programs, own.data[0]);
	array_release(&own);
	array_sort(&file->programs, compare_programs);
}

typedef void visit_relocation(struct bpf_file *file, void *context, size_t section,
			      uint64_t offset, uint32_t symbol);

/* Of that section, or of all for 0. */
static void visit_relocations(struct bpf_file *file, size_t section, visit_relocation *visit,
			      void *context)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Rel rel;

	while ((scn = elf_nextscn(file->elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &header) && header.sh_type == SHT_REL &&
				 (!section || header.sh_info == section)
				 ? elf_getdata(scn, NULL) : NULL;

		for (int i = 0; data && gelf_getrel(data, i, &rel); i++) {
			if (GELF_R_SYM(rel.r_info) < file->symbols.count)
				visit(file, context, header.sh_info, rel.r_offset,
				      (uint32_t)GELF_R_SYM(rel.r_info));
		}
	}
}

static void refer(struct bpf_file *file, void *context __attribute__((unused)), size_t section,
		  uint64_t offset, uint32_t symbol)
{
	uint32_t first = section < file->section_count ? file->section_first[section] : NO_CODE;

	if (first != NO_CODE && offset / SLOT_BYTES < file->code.count - first)
		file->code.data[first + offset / SLOT_BYTES].symbol = symbol + 1;
}

/* ---- BTF ---- */

/* Calls `visit` for each type of the DATASECs of that name, at its offset. */
#define each_of_section(btf, id, record, entry, wanted)                                            \
	for (uint32_t id = (btf)->first_id; id < btf_reader_end_id(btf); id++)                     \
		for (const uint32_t *record = btf_reader_type(btf, id),                            \
			*entry = btf_record_kind(record) == BTF_DATASEC &&                         \
				 strcmp(btf_type_name(btf, record), wanted) == 0                   \
				 ? record + BTF_HEAD_WORDS : NULL;                                 \
		     entry && entry < record + BTF_HEAD_WORDS +                                    \
				      3 * (size_t)btf_element_count(record);                       \
		     entry += 3)

static void take_externs(struct bpf_file *file, const struct hash_table *by_name,
			 const char *section, enum bpf_symbol_kind kind)
{
	each_of_section(&file->btf, id, record, entry, section) {
		const uint32_t *type = btf_reader_type(&file->btf, entry[0]);
		const char *name = btf_type_name(&file->btf, type);
		struct bpf_symbol *symbols = file->symbols.data;
		uint32_t at = hash_table_find(i, by_name, hash_bytes(name, strlen(name)),
					      strcmp(symbols[i - 1].name, name) == 0);

		if (!at)
			continue;
		symbols[at - 1].type = entry[0];
		symbols[at - 1].kind = btf_record_kind(type) == BTF_FUNC ? BPF_SYMBOL_KFUNC
									 : (uint8_t)kind;
	}
}

static void read_externs(struct bpf_file *file)
{
	struct hash_table by_name = { 0 };

	for (size_t i = 1; i < file->symbols.count; i++) {
		const struct bpf_symbol *symbol = &file->symbols.data[i];

		if (symbol->section == SHN_UNDEF && *symbol->name)
			hash_table_add(&by_name, hash_bytes(symbol->name, strlen(symbol->name)),
				       (uint32_t)i + 1);
	}
	take_externs(file, &by_name, ".kconfig", BPF_SYMBOL_KCONFIG);
	take_externs(file, &by_name, ".ksyms", BPF_SYMBOL_KSYM);
	hash_table_release(&by_name);
}

#define MAP_MEMBERS_MAX 64	/* of a definition; libbpf knows some fifteen */

/* What a pointer member of a map's definition leads to; NULL: there is none. */
static const uint32_t *defined(const struct btf_reader *btf, const uint32_t *map, const char *name)
{
	uint32_t count = btf_record_kind(map) == BTF_STRUCT ? btf_element_count(map) : 0;

	for (uint32_t i = 0; i < count && i < MAP_MEMBERS_MAX; i++) {
		const uint32_t *member = btf_element(map, i);
		const uint32_t *type = btf_skip_modifiers(btf, member[1]);

		if (strcmp(btf_text(btf, member[0]), name) == 0)
			return btf_record_kind(type) == BTF_PTR
				       ? btf_skip_modifiers(btf, type[BTF_WORD_TYPE]) : type;
	}
	return NULL;
}

/* __uint(type, N): a pointer to an array of N. __array(values, struct): of pointers to maps. */
static void read_maps(struct bpf_file *file)
{
	const struct btf_reader *btf = &file->btf;

	each_of_section(btf, id, record, entry, ".maps") {
		const uint32_t *variable = btf_reader_type(btf, entry[0]), *map, *type, *values;

		map = btf_record_kind(variable) == BTF_VAR
			      ? btf_skip_modifiers(btf, variable[BTF_WORD_TYPE]) : NULL;
		for (int depth = 0; map && depth < 2; depth++) {
			type = defined(btf, map, "type");
			if (btf_record_kind(type) == BTF_ARRAY)
				array_push(&file->maps, ((struct bpf_map){
					.type = type[BTF_HEAD_WORDS + 2], .is_created = true }));
			values = defined(btf, map, "values");
			map = btf_record_kind(values) == BTF_ARRAY
				      ? btf_skip_modifiers(btf, values[BTF_HEAD_WORDS]) : NULL;
			if (btf_record_kind(map) == BTF_PTR)
				map = btf_skip_modifiers(btf, map[BTF_WORD_TYPE]);
		}
	}
}

/* ---- struct_ops ---- */

static void set_program(struct bpf_file *file, void *context, size_t section, uint64_t offset,
			uint32_t symbol)
{
	uint32_t *programs = context;
	size_t bytes;

	section_bytes(file, section, &bytes);
	if (file->symbols.data[symbol].kind == BPF_SYMBOL_CODE && offset < bytes)
		programs[offset] = symbol + 1;
}

/* Of a VAR at `begin`; by byte of its value, what it is, and which program. */
static void read_ops_map(struct bpf_file *file, const uint32_t *entry, const char *section,
			 const uint8_t *value, const uint32_t *programs)
{
	const struct btf_reader *btf = &file->btf;
	const uint32_t *variable = btf_reader_type(btf, entry[0]);
	const uint32_t *ops = btf_record_kind(variable) == BTF_VAR
				      ? btf_skip_modifiers(btf, variable[BTF_WORD_TYPE]) : NULL;
	uint32_t count = btf_record_kind(ops) == BTF_STRUCT ? btf_element_count(ops) : 0;
	uint32_t end = entry[2];
	struct bpf_map map = { .ops = ops ? ops : variable, .is_created = *section != '?',
			       .is_link = text_ends_with(section, ".link") };

	/* From the last member on, so that the next one's begin is known. */
	for (uint32_t i = count <= entry[2] ? count : 0; i-- > 0;) {
		const uint32_t *words = btf_element(ops, i);
		uint32_t begin = btf_member_offset(ops[BTF_WORD_INFO], words) / 8, at = begin;
		struct bpf_ops_member member = { words, false, 0 };

		while (at < end && !value[at])
			at++;
		member.program = begin < end ? programs[begin] : 0;
		member.is_set = member.program || at < end;
		array_push(&map.members, member);
		end = begin < end ? begin : end;
	}
	array_push(&file->maps, map);
}

static void read_ops(struct bpf_file *file)
{
	static const char *const names[] = { ".struct_ops", ".struct_ops.link", "?.struct_ops",
					     "?.struct_ops.link" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = names[i];
		uint32_t section = section_find(file, name);
		size_t bytes, done = 0;
		const uint8_t *value = section_bytes(file, section, &bytes);
		uint32_t *programs;

		if (!value)
			continue;
		programs = memory_zeroed(bytes, sizeof(*programs));
		visit_relocations(file, section, set_program, programs);
		each_of_section(&file->btf, id, record, entry, name) {
			if (entry[1] < done || entry[1] > bytes || entry[2] > bytes - entry[1])
				continue;
			read_ops_map(file, entry, name, value + entry[1], programs + entry[1]);
			done = (size_t)entry[1] + entry[2];
		}
		free(programs);
	}
}

/* ---- CO-RE ---- */

/* A list of .BTF.ext: each section's name, a count, and so many records of that many bytes. */
static bool read_core(struct bpf_file *file, const uint8_t *at, size_t bytes, struct error *err)
{
	bool swap = file->swapped;
	uint32_t record_bytes = bytes >= 4 ? bytes_load_u32(at, swap) : 0;
	const uint8_t *end = at + bytes;

	for (at += 4; record_bytes >= 16 && end - at >= 8;) {
		const char *name = btf_text(&file->btf, bytes_load_u32(at, swap));
		uint32_t count = bytes_load_u32(at + 4, swap);
		uint32_t section = section_find(file, name);

		at += 8;
		if (!section || file->section_first[section] == NO_CODE ||
		    count > (size_t)(end - at) / record_bytes)
			return damaged(file, err, ".BTF.ext has a list of relocations that is not "
						  "of its code");
		for (uint32_t i = 0; i < count; i++, at += record_bytes) {
			struct bpf_relocation relocation = { .section = name, .index = i, .core = {
				.instruction_byte = bytes_load_u32(at, swap),
				.type = bytes_load_u32(at + 4, swap),
				.access = bytes_load_u32(at + 8, swap),
				.kind = bytes_load_u32(at + 12, swap) } };
			uint32_t in_section = bytes_load_u32(at, swap) / SLOT_BYTES;

			relocation.in_section = in_section;
			relocation.instruction = file->section_first[section] + in_section;
			if (in_section >= file->code.count - file->section_first[section])
				return damaged(file, err, ".BTF.ext has a relocation outside of "
							  "its section");
			relocation.core.opcode = file->code.data[relocation.instruction].code;
			array_push(&file->relocations, relocation);
			file->code.data[relocation.instruction].relocation =
				(uint32_t)file->relocations.count;
		}
	}
	return at >= end || bytes < 4 ||
	       damaged(file, err, ".BTF.ext ends in the middle of a list of relocations");
}

static bool read_ext(struct bpf_file *file, struct error *err)
{
	enum { MAGIC, HEADER_BYTES, CORE_OFFSET = 6, CORE_BYTES, WORDS };
	uint32_t words[WORDS] = { 0 };
	size_t bytes;
	const uint8_t *at = section_bytes(file, section_find(file, ".BTF.ext"), &bytes);

	for (uint32_t i = 0; i < WORDS && 4 * i + 4 <= bytes; i++)
		words[i] = bytes_load_u32(at + 4 * i, file->swapped);
	/* Older compilers end the header before. */
	if (words[HEADER_BYTES] < 4 * WORDS || !words[CORE_BYTES])
		return true;
	if (words[HEADER_BYTES] > bytes || words[CORE_OFFSET] > bytes - words[HEADER_BYTES] ||
	    words[CORE_BYTES] > bytes - words[HEADER_BYTES] - words[CORE_OFFSET])
		return damaged(file, err, "the relocations in .BTF.ext end after it");
	return read_core(file, at + words[HEADER_BYTES] + words[CORE_OFFSET], words[CORE_BYTES],
			 err);
}

/* ---- files ---- */

static bool open_file(struct bpf_file *file, size_t count, struct error *err)
{
	const uint8_t *btf;
	size_t bytes;

	elf_version(EV_CURRENT);
	file->elf = elf_memory(file->bytes, count);
	if (!file->elf)
		return libelf_error(err, file->name, "the object");
	file->swapped = (file->bytes[EI_DATA] == ELFDATA2MSB) != HOST_IS_BIG_ENDIAN;
	if (!read_sections(file, err))
		return false;
	read_symbols(file);
	visit_relocations(file, 0, refer, NULL);
	btf = section_bytes(file, section_find(file, ".BTF"), &bytes);
	/* Without any libbpf relocates nothing, and has no maps. */
	if (!btf)
		return true;
	if (!btf_reader_from_memory(&file->btf, btf, bytes, file->name, NULL, err) ||
	    !btf_reader_check_complete(&file->btf, err))
		return false;
	read_externs(file);
	read_maps(file);
	read_ops(file);
	return read_ext(file, err);
}

/* How long the object is that begins there; 0: none does. Its section headers are at its end. */
static size_t object_bytes(const char *at, size_t room)
{
	const uint8_t *header = (const uint8_t *)at;
	bool swap;
	uint64_t end;

	if (room < sizeof(Elf64_Ehdr) || memcmp(at, ELFMAG, SELFMAG) != 0 ||
	    header[EI_CLASS] != ELFCLASS64)
		return 0;
	swap = (header[EI_DATA] == ELFDATA2MSB) != HOST_IS_BIG_ENDIAN;
	if (bytes_load_u16(header + offsetof(Elf64_Ehdr, e_machine), swap) != EM_BPF)
		return 0;
	end = bytes_load_u64(header + offsetof(Elf64_Ehdr, e_shoff), swap);
	end += (uint64_t)bytes_load_u16(header + offsetof(Elf64_Ehdr, e_shnum), swap) *
	       sizeof(Elf64_Shdr);
	return end > room ? room : end < sizeof(Elf64_Ehdr) ? sizeof(Elf64_Ehdr) : end;
}

/* "\x7f\x45\x4c\x46\0..." of a skeleton, over several lines: makes the bytes of it. */
static void decode_skeleton(struct text *text)
{
	char *at = text->count ? strstr(text->data, "\\x7f\\x45\\x4c\\x46") : NULL;

	if (!at)
		return;
	for (text->count = 0; *at == '\\' && at[1] && (at[1] != 'x' || (at[2] && at[3]));
	     at += at[1] == 'x' ? 4 : 2) {
		char digits[3] = { at[1], '\0', '\0' };

		if (at[1] == 'x')
			memcpy(digits, at + 2, 2);
		if (at[1] != '\n')
			text_add_char(text, (char)strtoul(digits, NULL, 16));
	}
}

static bool is_any(const uint8_t *bytes, size_t count)
{
	(void)bytes, (void)count;
	return true;
}

bool bpf_files_open(struct bpf_files *files, const char *path, struct error *err)
{
	struct text text = { 0 };
	bool good = text_read(&text, text_open(path, NULL), path, "check the path", is_any, err);

	*files = (struct bpf_files){ 0 };
	if (!good)
		return false;
	if (text.count < SELFMAG || memcmp(text.data, ELFMAG, SELFMAG) != 0)
		decode_skeleton(&text);
	for (size_t at = 0, bytes; good && at < text.count; at += bytes ? bytes : 1) {
		struct bpf_file *file;
		const char *next = memchr(text.data + at, ELFMAG0, text.count - at);

		if (!next)
			break;
		at = (size_t)(next - text.data);
		bytes = object_bytes(next, text.count - at);
		if (!bytes)
			continue;
		file = memory_zeroed(1, sizeof(*file));
		array_push(&files->files, file);
		file->name = at ? text_format("%s: object at byte %zu", path, at)
				: memory_copy(path);
		file->bytes = memory_string(next, bytes);
		good = open_file(file, bytes, err);
	}
	array_release(&text);
	return good && (files->files.count ||
			error_at(err, path, "no object file of BPF programs is in it; give one, or "
				 "a program or skeleton with one inside"));
}

void bpf_files_release(struct bpf_files *files)
{
	for (size_t i = 0; i < files->files.count; i++) {
		struct bpf_file *file = files->files.data[i];

		for (size_t k = 0; k < file->maps.count; k++)
			array_release(&file->maps.data[k].members);
		array_release(&file->maps);
		array_release(&file->code);
		array_release(&file->symbols);
		array_release(&file->programs);
		for (size_t k = 0; k < file->relocations.count; k++)
			free(file->relocations.data[k].name);
		array_release(&file->relocations);
		btf_reader_release(&file->btf);
		elf_end(file->elf);
		hash_table_release(&file->by_name);
		free(file->sections);
		free(file->section_first);
		free(file->bytes);
		free(file->name);
		free(file);
	}
	array_release(&files->files);
}
