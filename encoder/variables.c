/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that adds variables: a DATASEC for each section that has some, with a VAR for
 * each of them, and their DECL_TAGs.
 */
#include "encoder/variables.h"

#include <elf.h>
#include <string.h>

#include "encoder/program.h"

#define PERCPU_SECTION ".data..percpu"

/* ---- sections ---- */

/* Can a DATASEC be called so? The kernel wants printable characters, and not too many. */
static bool is_datasec_name(const char *name)
{
	size_t length = 0;

	for (; name[length]; length++) {
		if (name[length] <= ' ' || name[length] > '~')
			return false;
	}
	return length > 0 && length < BTF_NAME_BYTES_MAX;
}

/* Sections without SHF_ALLOC have no addresses, even if they say 0; SHF_TLS is a template only. */
void variable_sections_find(struct variable_sections *sections, const struct object *object,
			    const struct features *features)
{
	*sections = (struct variable_sections){ 0 };
	for (uint32_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		bool is_percpu = strcmp(header->name, PERCPU_SECTION) == 0;
		bool has_data = header->type == SHT_PROGBITS || header->type == SHT_NOBITS;

		if (!(header->flags & SHF_ALLOC) || header->flags & SHF_TLS || !has_data ||
		    !is_datasec_name(header->name))
			continue;
		if (features->feature_global_var || (features->feature_var && is_percpu))
			array_push(&sections->indices, i);
	}
}

void variable_sections_release(struct variable_sections *sections)
{
	array_release(&sections->indices);
}

uint32_t variable_section(const struct variable_sections *sections, const struct object *object,
			  uint64_t address)
{
	for (size_t i = 0; i < sections->indices.count; i++) {
		const struct section_header *header = &object->headers[sections->indices.data[i]];

		if (address - header->address < header->size)
			return sections->indices.data[i];
	}
	return 0;
}

/* ---- variables ---- */

/* Size of a resolved type in bytes; false for what has none. Walks down one chain. */
static bool size_of(const struct program *program, shape_ref ref, uint64_t *size)
{
	uint64_t factor = 1;

	for (size_t steps = 0; steps <= program->table.shapes.count; steps++) {
		const uint32_t *words;

		if (ref_is_tag(ref))
			ref = program->table.tags.data[ref_tag(ref)].definition;
		if (!ref)
			return false;
		words = shape_words(&program->table, ref);
		switch (btf_info_kind(words[BTF_WORD_INFO])) {
		case BTF_PTR:
			return !__builtin_mul_overflow(factor, program->object.address_bytes, size);
		case BTF_ARRAY:
			if (__builtin_mul_overflow(factor, words[BTF_HEAD_WORDS + 2], &factor))
				return false;
			ref = words[BTF_HEAD_WORDS];
			break;
		case BTF_TYPEDEF:
		case BTF_CONST:
		case BTF_VOLATILE:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
			ref = words[BTF_WORD_TYPE];
			break;
		default:
			if (!btf_kinds[btf_info_kind(words[BTF_WORD_INFO])].has_size)
				return false;
			return !__builtin_mul_overflow(factor, words[BTF_WORD_SIZE], size);
		}
	}
	return false;
}

/*
 * Names that macros and the compiler make up; nobody looks for them, and there are thousands of
 * them in other sections.
 */
static bool is_generated_name(const char *name)
{
	static const char *const prefixes[] = {
		"__UNIQUE_ID", "__tpstrtab_", "__exitcall_", "__gendwarfksyms_ptr_",
		"__func_stack_frame_non_standard_",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	}
	return false;
}

/*
 * Per-CPU sections were linked at address 0 before 6.15, and variables that the linker discarded
 * have address 0, too: at the very start of the section a symbol has to confirm the name.
 */
static bool symbol_confirms(const struct program *program, const char *name, uint32_t section)
{
	struct symbol_search search = symbol_table_search(&program->symbols, name);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		if (symbol->section == section && symbol->type == STT_OBJECT)
			return true;
	}
	return false;
}

struct section_entry {
	const struct variable_instance *variable;
	const char *name;
	uint32_t section;	/* ELF section index */
	uint32_t offset;
	uint32_t size;
};

typedef ARRAY_OF(struct section_entry) section_entries;

static bool wanted_variable(const struct program *program,
			    const struct variable_sections *sections,
			    const struct variable_instance *variable, struct section_entry *entry)
{
	const struct section_header *header;
	uint64_t offset, size;

	entry->variable = variable;
	entry->section = variable_section(sections, &program->object, variable->address);
	entry->name = string_pool_text(&program->pool, variable->name);
	if (!entry->section || !variable->type || is_generated_name(entry->name) ||
	    !btf_is_identifier(entry->name))
		return false;
	header = &program->object.headers[entry->section];
	offset = variable->address - header->address;
	if (offset == 0 && !symbol_confirms(program, entry->name, entry->section))
		return false;
	if (!size_of(program, variable->type, &size) || size == 0 || size > header->size - offset)
		return false;
	entry->offset = (uint32_t)offset;
	entry->size = (uint32_t)size;
	return offset <= UINT32_MAX && offset + size <= UINT32_MAX;
}

/* Namesakes at one address (a weak definition and the one that won) stay in the order of units. */
static int compare_entries(const void *a, const void *b)
{
	const struct section_entry *x = a, *y = b;
	int names;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	names = strcmp(x->name, y->name);
	return names ? names : (x->variable > y->variable) - (x->variable < y->variable);
}

/* Entries must not overlap (an alias of a variable does): the first name at an address stays. */
static size_t drop_overlaps(section_entries *entries)
{
	size_t kept = 0;
	uint32_t end = 0;

	for (size_t i = 0; i < entries->count; i++) {
		if (kept && entries->data[i].section != entries->data[kept - 1].section)
			end = 0;
		if (entries->data[i].offset < end)
			continue;
		end = entries->data[i].offset + entries->data[i].size;
		entries->data[kept++] = entries->data[i];
	}
	return kept;
}

static uint32_t add_var(struct program *program, const struct variable_instance *variable)
{
	/* The address makes namesakes of two units two variables: interning must not join them. */
	uint32_t words[BTF_HEAD_WORDS + 1] = {
		variable->name.index, btf_info(BTF_VAR, 0, false), variable->type,
		variable->external ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC };
	uint32_t shape = shape_table_append(&program->table, words, UINT64_MAX);

	program->table.shapes.data[shape].is_root = true;
	program_add_annotations(program, shape, variable->first_annotation,
				variable->annotation_count);
	return shape;
}

/* A section's DATASEC with a VAR for each entry; what is behind the last that fits is left out. */
static uint32_t add_datasec(struct program *program, const struct section_entry *entries,
			    size_t entry_count)
{
	uint32_t count = entry_count < BTF_MAX_VLEN ? (uint32_t)entry_count : BTF_MAX_VLEN;
	const struct section_entry *last = &entries[count - 1];
	uint32_t *words = memory_alloc((BTF_HEAD_WORDS + 3 * (size_t)count) * sizeof(*words));

	words[BTF_WORD_NAME] = string_pool_add(&program->pool,
					       program->object.headers[last->section].name).index;
	words[BTF_WORD_INFO] = btf_info(BTF_DATASEC, count, false);
	words[BTF_WORD_SIZE] = last->offset + last->size;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *element = words + BTF_HEAD_WORDS + 3 * i;

		element[0] = add_var(program, entries[i].variable);
		element[1] = entries[i].offset;
		element[2] = entries[i].size;
	}
	program_intern(program, words);
	free(words);
	return count;
}

void program_add_variables(struct program *program, struct encode_report *report)
{
	section_entries entries = { 0 };
	struct variable_sections sections;

	variable_sections_find(&sections, &program->object, &program->options->features);
	for (size_t i = 0; i < program->instances.variables.count; i++) {
		struct section_entry entry;

		if (wanted_variable(program, &sections, &program->instances.variables.data[i],
				    &entry))
			array_push(&entries, entry);
	}
	if (entries.count)
		qsort(entries.data, entries.count, sizeof(*entries.data), compare_entries);
	entries.count = drop_overlaps(&entries);
	report->variables = 0;
	for (size_t first = 0, end; first < entries.count; first = end) {
		for (end = first + 1; end < entries.count; end++) {
			if (entries.data[end].section != entries.data[first].section)
				break;
		}
		report->variables += add_datasec(program, &entries.data[first], end - first);
	}
	array_release(&entries);
	variable_sections_release(&sections);
}
