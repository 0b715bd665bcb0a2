/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that adds variables: a DATASEC for each section that has some, with a VAR for
 * each of them, and their DECL_TAGs.
 */
#include <elf.h>
#include <string.h>

#include "encoder/passes.h"

/* Size of a resolved type in bytes; false for what has none. Walks down one chain. */
static bool size_of(const struct program *program, struct node_ref ref, uint64_t *size)
{
	uint64_t factor = 1;

	for (size_t steps = 0; steps <= program->table.nodes.count; steps++) {
		const uint32_t *words;
		enum btf_kind kind;

		if (ref_is_tag(ref))
			ref = ref_to_node(program->table.tags.data[ref_tag(ref)].definition);
		if (ref_is_void(ref))
			return false;
		words = node_words(&program->table, ref_node(ref));
		kind = btf_info_kind(words[BTF_WORD_INFO]);
		switch (kind) {
		case BTF_PTR:
			return !__builtin_mul_overflow(factor, program->object.address_bytes, size);
		case BTF_ARRAY:
			if (__builtin_mul_overflow(factor, words[BTF_HEAD_WORDS + 2], &factor))
				return false;
			ref = ref_of_word(words[BTF_HEAD_WORDS]);
			break;
		default:
			if (btf_kinds[kind].has_size)
				return !__builtin_mul_overflow(factor, words[BTF_WORD_SIZE], size);
			if (!(BTF_MODIFIERS >> kind & 1))
				return false;
			ref = ref_of_word(words[BTF_WORD_TYPE]);
			break;
		}
	}
	return false;
}

struct section_entry {
	const struct variable_instance *variable;
	const char *name;
	uint32_t offset;
	uint32_t size;
};

/* Prefixes of names that macros and the compiler make up: thousands in other sections. */
static const char *const generated_names[] = {
	"__UNIQUE_ID", "__tpstrtab_", "__exitcall_", "__gendwarfksyms_ptr_",
	"__func_stack_frame_non_standard_",
};

/* Is the variable's name that of an object at its address, in its section? */
static bool has_symbol(const struct program *program, const struct variable_instance *variable,
		       const char *name)
{
	const struct symbol_table *table = &program->symbols;
	struct symbol_search search = symbol_table_search(table, name);
	const struct symbol *symbol;

	symbol_search_from(&search, name[symbol_parse(name).base_length] ? KIN_SUFFIXED_OBJECT
									: KIN_OBJECT,
			   variable->address);
	while ((symbol = symbol_search_next(&search)) && symbol->address == variable->address) {
		if (symbol->section == variable->section && symbol->type == STT_OBJECT)
			return true;
	}
	return false;
}

/*
 * False: the variable is not written. Per-CPU sections were linked at address 0 before 6.15, and
 * variables that the linker discarded have address 0, too: at the very start of the section a
 * symbol has to confirm the name.
 */
static bool make_entry(const struct program *program, const struct variable_instance *variable,
		       struct section_entry *entry)
{
	const char *name = string_pool_text(&program->pool, variable->name);
	const struct section_header *header = &program->object.headers[variable->section];
	uint64_t offset = variable->address - header->address, size;

	if (ref_is_void(variable->type) || !btf_is_identifier(name))
		return false;
	for (size_t i = 0; i < sizeof(generated_names) / sizeof(*generated_names); i++) {
		if (strncmp(name, generated_names[i], strlen(generated_names[i])) == 0)
			return false;
	}
	if (offset == 0 && !has_symbol(program, variable, name))
		return false;
	if (!size_of(program, variable->type, &size) || size == 0 || size > header->size - offset)
		return false;
	*entry = (struct section_entry){ variable, name, (uint32_t)offset, (uint32_t)size };
	return offset <= UINT32_MAX && offset + size <= UINT32_MAX;
}

/* Namesakes at one address (a weak definition and the one that won) stay in the order of units. */
static int compare_entries(const void *a, const void *b)
{
	const struct section_entry *x = a, *y = b;
	int order = order_of(x->variable->section, y->variable->section);

	order = order ? order : order_of(x->offset, y->offset);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : order_of(x->variable, y->variable);
}

/* A section's DATASEC with a VAR for each entry, up to the largest number that BTF can count. */
static uint32_t add_datasec(struct program *program, const struct section_entry *entries,
			    size_t entry_count)
{
	uint32_t count = entry_count < BTF_VLEN_MAX ? (uint32_t)entry_count : BTF_VLEN_MAX;
	const struct section_entry *last = &entries[count - 1];
	const char *section = program->object.headers[last->variable->section].name;
	uint32_t *words = memory_alloc((BTF_HEAD_WORDS + 3 * (size_t)count) * sizeof(*words));

	words[BTF_WORD_NAME] = string_pool_add(&program->pool, section).index;
	words[BTF_WORD_INFO] = btf_info(BTF_DATASEC, count, false);
	words[BTF_WORD_SIZE] = last->offset + last->size;
	for (uint32_t i = 0; i < count; i++) {
		const struct variable_instance *variable = entries[i].variable;
		uint32_t *element = words + BTF_HEAD_WORDS + 3 * i;

		/* Namesakes of two units are two variables: interning must not join them. */
		element[0] = program_append(program, (uint32_t[]){
			variable->name.index, btf_info(BTF_VAR, 0, false), variable->type.word,
			variable->external ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC });
		element[1] = entries[i].offset;
		element[2] = entries[i].size;
		program_add_annotations(program, element[0], variable->first_annotation,
					variable->annotation_count);
	}
	program_intern(program, words);
	free(words);
	return count;
}

void program_add_variables(struct program *program, struct encode_report *report)
{
	ARRAY_OF(struct section_entry) entries = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < program->instances.variables.count; i++) {
		struct section_entry entry;

		if (make_entry(program, &program->instances.variables.data[i], &entry))
			array_push(&entries, entry);
	}
	array_sort(&entries, compare_entries);
	/* Entries must not overlap (an alias does): the first name at an address stays. */
	array_each(const struct section_entry, entry, &entries) {
		const struct section_entry *last = &entries.data[kept ? kept - 1 : 0];

		if (!kept || entry->variable->section != last->variable->section ||
		    entry->offset >= last->offset + last->size)
			entries.data[kept++] = *entry;
	}
	entries.count = kept;
	report->variables = 0;
	for (size_t first = 0, end; first < entries.count; first = end) {
		for (end = first + 1; end < entries.count; end++) {
			if (entries.data[end].variable->section !=
			    entries.data[first].variable->section)
				break;
		}
		report->variables += add_datasec(program, &entries.data[first], end - first);
	}
	array_release(&entries);
}
