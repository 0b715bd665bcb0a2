/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The passes of encode that add what is not a type: FUNC, VAR, DATASEC and the DECL_TAGs on them.
 */
#include <elf.h>
#include <string.h>

#include "encoder/kfuncs.h"
#include "encoder/program.h"

#define PERCPU_SECTION ".data..percpu"

uint32_t program_intern(struct program *program, const uint32_t *words)
{
	uint32_t shape = shape_table_intern(&program->table, words, UINT64_MAX);

	program->table.shapes.data[shape].is_root = true;
	return shape;
}

void program_add_decl_tag(struct program *program, uint32_t shape, uint32_t value,
			  int32_t component)
{
	uint32_t words[BTF_HEAD_WORDS + 1] = {
		value, btf_info(BTF_DECL_TAG, 0, false), shape, (uint32_t)component };

	program_intern(program, words);
}

static void add_annotations(struct program *program, uint32_t shape, uint32_t first,
			    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct decl_annotation *annotation =
			&program->instances.annotations.data[first + i];

		program_add_decl_tag(program, shape, annotation->value, annotation->component);
	}
}

/* ---- functions ---- */

static bool add_kfunc_tags(struct program *program, const uint32_t *func_shapes,
			   struct encode_report *report, struct error *err)
{
	uint32_t kfunc_tag = string_pool_add(&program->pool, "bpf_kfunc");
	uint32_t fastcall_tag = string_pool_add(&program->pool, "bpf_fastcall");
	struct kfunc_list list;

	if (!kfuncs_read(&list, &program->object, &program->symbols, err))
		return false;
	for (size_t i = 0; i < list.kfuncs.count; i++) {
		const struct judged_function *judged =
			selection_find(&program->selection, &program->pool,
				       list.kfuncs.data[i].name);
		uint32_t func;

		if (!judged)
			continue;
		func = func_shapes[judged - program->selection.functions.data];
		if (!func)
			continue;
		program_add_decl_tag(program, func, kfunc_tag, -1);
		if (list.kfuncs.data[i].flags & KFUNC_FASTCALL)
			program_add_decl_tag(program, func, fastcall_tag, -1);
		report->kfuncs++;
	}
	kfuncs_release(&list);
	return true;
}

/* Reasons that are about this code's signature, not about its name. */
#define SIGNATURE_REASONS                                                                          \
	(REASON(REORDERED) | REASON(PARAM_SCALARIZED) | REASON(PARAM_CONSTANT) |                   \
	 REASON(PARAM_REMOVED) | REASON(PARAM_UNSET) | REASON(STACK_LAYOUT) |                      \
	 REASON(REG_MISMATCH) | REASON(RETURN_REMOVED) | REASON(SIGNATURE_CHANGED))

static bool symbol_is_unique(const struct program *program, const char *name)
{
	struct symbol_search search = symbol_table_search(&program->symbols, name);
	const struct symbol *first = symbol_search_next(&search), *other;

	while ((other = symbol_search_next(&search))) {
		if (other->address != first->address)
			return false;
	}
	return first;
}

/*
 * The name under which a true prototype may be promised: a copy's own symbol, or the function's
 * name when its signature is the only thing that stands against it. NULL: none.
 */
static const char *true_name(const struct program *program,
			     const struct function_instance *instance)
{
	const char *symbol = program->symbols.symbols.data[instance->symbol].name;
	const char *name = string_pool_text(&program->pool, instance->name);
	const struct judged_function *judged;

	if (!symbol_is_unique(program, symbol) || !btf_is_identifier(symbol))
		return NULL;
	if (instance->join == JOIN_COPY || !instance->reasons)
		return symbol;
	judged = selection_find(&program->selection, &program->pool, name);
	return judged && !(judged->reasons & ~SIGNATURE_REASONS) ? name : NULL;
}

static void add_true_signatures(struct program *program, struct encode_report *report)
{
	for (size_t i = 0; i < program->instances.functions.count; i++) {
		const struct function_instance *instance = &program->instances.functions.data[i];
		const char *name = instance->true_prototype ? true_name(program, instance) : NULL;

		if (!name)
			continue;
		program_intern(program, (uint32_t[]){
			string_pool_add(&program->pool, name),
			btf_info(BTF_FUNC, instance->external && instance->join == JOIN_SAME
						   ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC,
				 false),
			instance->true_prototype });
		report->true_signatures++;
	}
}

bool program_add_functions(struct program *program, struct encode_report *report,
			   struct error *err)
{
	size_t count = program->selection.functions.count;
	uint32_t *func_shapes = memory_zeroed(count, sizeof(uint32_t));
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		const struct judged_function *judged = &program->selection.functions.data[i];
		const struct function_instance *instance;

		if (judged->verdict != VERDICT_OK)
			continue;
		instance = &program->instances.functions.data[judged->instance];
		func_shapes[i] = program_intern(program, (uint32_t[]){
			judged->name,
			btf_info(BTF_FUNC, instance->external ? BTF_LINKAGE_GLOBAL
							      : BTF_LINKAGE_STATIC, false),
			instance->prototype });
		add_annotations(program, func_shapes[i], instance->first_annotation,
				instance->annotation_count);
	}
	if (program->options->features.feature_true_signature)
		add_true_signatures(program, report);
	if (program->options->features.feature_decl_tag_kfuncs)
		good = add_kfunc_tags(program, func_shapes, report, err);
	memcpy(report->verdicts, program->selection.counts, sizeof(report->verdicts));
	free(func_shapes);
	return good;
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
	uint32_t var;		/* shape */
	uint32_t offset;
	uint32_t size;
	const char *name;
};

typedef ARRAY_OF(struct section_entry) section_entries;

static bool wanted_variable(const struct program *program,
			    const struct variable_instance *variable, uint32_t section,
			    struct section_entry *entry)
{
	const struct section_header *header = &program->object.headers[section];
	uint64_t offset = variable->address - header->address;
	uint64_t size;

	entry->name = string_pool_text(&program->pool, variable->name);
	if (offset >= header->size || !variable->type ||
	    is_generated_name(entry->name) || !btf_is_identifier(entry->name))
		return false;
	if (offset == 0 && !symbol_confirms(program, entry->name, section))
		return false;
	if (!size_of(program, variable->type, &size) || size == 0 || size > header->size - offset)
		return false;
	entry->offset = (uint32_t)offset;
	entry->size = (uint32_t)size;
	return offset <= UINT32_MAX - size;
}

static int compare_entries(const void *a, const void *b)
{
	const struct section_entry *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Entries must not overlap (an alias of a variable does): the first name at an address stays. */
static size_t drop_overlaps(section_entries *entries)
{
	size_t kept = 0;
	uint32_t end = 0;

	for (size_t i = 0; i < entries->count; i++) {
		if (entries->data[i].offset < end)
			continue;
		end = entries->data[i].offset + entries->data[i].size;
		entries->data[kept++] = entries->data[i];
	}
	return kept;
}

static void add_datasec(struct program *program, const section_entries *entries)
{
	const struct section_entry *last = &entries->data[entries->count - 1];
	uint32_t count = (uint32_t)entries->count;
	uint32_t *words = memory_alloc((BTF_HEAD_WORDS + 3 * (size_t)count) * sizeof(*words));

	words[BTF_WORD_NAME] = string_pool_add(&program->pool, PERCPU_SECTION);
	words[BTF_WORD_INFO] = btf_info(BTF_DATASEC, count, false);
	words[BTF_WORD_SIZE] = last->offset + last->size;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *element = words + BTF_HEAD_WORDS + 3 * i;

		element[0] = entries->data[i].var;
		element[1] = entries->data[i].offset;
		element[2] = entries->data[i].size;
	}
	program_intern(program, words);
	free(words);
}

static uint32_t add_var(struct program *program, const struct variable_instance *variable)
{
	/* The address makes namesakes of two units two variables: interning must not join them. */
	uint32_t words[BTF_HEAD_WORDS + 1] = {
		variable->name, btf_info(BTF_VAR, 0, false), variable->type,
		variable->external ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC };
	uint32_t shape = shape_table_append(&program->table, words, UINT64_MAX);

	program->table.shapes.data[shape].is_root = true;
	add_annotations(program, shape, variable->first_annotation, variable->annotation_count);
	return shape;
}

void program_add_variables(struct program *program, struct encode_report *report)
{
	section_entries entries = { 0 };
	ARRAY_OF(const struct variable_instance *) variables = { 0 };
	uint32_t section = 0;

	for (uint32_t i = 1; i < program->object.header_count; i++) {
		if (strcmp(program->object.headers[i].name, PERCPU_SECTION) == 0)
			section = i;
	}
	for (size_t i = 0; section && i < program->instances.variables.count; i++) {
		const struct variable_instance *variable = &program->instances.variables.data[i];
		struct section_entry entry = { .var = (uint32_t)variables.count };

		if (!wanted_variable(program, variable, section, &entry))
			continue;
		array_push(&variables, variable);
		array_push(&entries, entry);
	}
	if (entries.count) {
		qsort(entries.data, entries.count, sizeof(*entries.data), compare_entries);
		entries.count = drop_overlaps(&entries);
		for (size_t i = 0; i < entries.count; i++)
			entries.data[i].var = add_var(program, variables.data[entries.data[i].var]);
		if (entries.count > BTF_MAX_VLEN)
			entries.count = BTF_MAX_VLEN;
		add_datasec(program, &entries);
	}
	report->variables = (uint32_t)entries.count;
	array_release(&entries);
	array_release(&variables);
}
