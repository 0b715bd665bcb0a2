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

/* Its place among the judged functions; false for one that DWARF does not know. */
static bool find_kfunc(const struct program *program, const struct kfunc *kfunc, size_t *index)
{
	const struct judged_function *judged =
		selection_find(&program->selection, &program->pool, kfunc->name);

	*index = judged ? (size_t)(judged - program->selection.functions.data) : 0;
	return judged;
}

static void add_kfunc_tags(struct program *program, const struct kfunc_list *list,
			   const uint32_t *func_shapes, struct encode_report *report)
{
	uint32_t kfunc_tag = string_pool_add(&program->pool, "bpf_kfunc");
	uint32_t fastcall_tag = string_pool_add(&program->pool, "bpf_fastcall");
	size_t index;

	for (size_t i = 0; i < list->kfuncs.count; i++) {
		const struct kfunc *kfunc = &list->kfuncs.data[i];

		if (!find_kfunc(program, kfunc, &index) || !func_shapes[index])
			continue;
		program_add_decl_tag(program, func_shapes[index], kfunc_tag, -1);
		if (kfunc->flags & KFUNC_FASTCALL)
			program_add_decl_tag(program, func_shapes[index], fastcall_tag, -1);
		report->kfuncs++;
	}
}

/* By judged function, the flags of all sets that it is in. */
static uint32_t *collect_kfunc_flags(const struct program *program, const struct kfunc_list *list)
{
	uint32_t *flags = memory_zeroed(program->selection.functions.count, sizeof(*flags));
	size_t index;

	for (size_t i = 0; i < list->kfuncs.count; i++) {
		if (find_kfunc(program, &list->kfuncs.data[i], &index))
			flags[index] |= list->kfuncs.data[i].flags;
	}
	return flags;
}

/*
 * PTR -> T becomes PTR -> TYPE_TAG "address_space(1)" -> T, where kind_flag says that the text is
 * an attribute: this is how BPF programs declare pointers into an arena. What is no pointer stays.
 */
static shape_ref to_arena(struct program *program, shape_ref ref)
{
	const uint32_t *words = ref && !ref_is_tag(ref) ? shape_words(&program->table, ref) : NULL;
	uint32_t attribute;

	if (!words || btf_info_kind(words[BTF_WORD_INFO]) != BTF_PTR)
		return ref;
	attribute = program_intern(program, (uint32_t[]){
		string_pool_add(&program->pool, "address_space(1)"),
		btf_info(BTF_TYPE_TAG, 0, true), words[BTF_WORD_TYPE] });
	return program_intern(program, (uint32_t[]){ 0, btf_info(BTF_PTR, 0, false), attribute });
}

/* A kfunc's prototype with what its flags say of pointers into an arena. */
static uint32_t arena_prototype(struct program *program, uint32_t prototype, uint32_t flags)
{
	static const uint32_t of_parameter[] = { KFUNC_ARENA_ARG1, KFUNC_ARENA_ARG2 };
	const uint32_t *old = shape_words(&program->table, prototype);
	uint32_t parameters = btf_info_vlen(old[BTF_WORD_INFO]);
	size_t bytes = btf_record_words(old[BTF_WORD_INFO]) * sizeof(uint32_t);
	uint32_t *words;

	if (!(flags & (KFUNC_ARENA_RET | KFUNC_ARENA_ARG1 | KFUNC_ARENA_ARG2)))
		return prototype;
	words = memory_alloc(bytes);
	memcpy(words, old, bytes);
	if (flags & KFUNC_ARENA_RET)
		words[BTF_WORD_TYPE] = to_arena(program, words[BTF_WORD_TYPE]);
	for (uint32_t i = 0; i < 2 && i < parameters; i++) {
		uint32_t *type = &words[BTF_HEAD_WORDS + 2 * i + 1];

		if (flags & of_parameter[i])
			*type = to_arena(program, *type);
	}
	prototype = program_intern(program, words);
	free(words);
	return prototype;
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

/* The FUNCs of what was judged ok, by judged function; 0 for the others. */
static uint32_t *add_promised(struct program *program, const struct kfunc_list *list)
{
	size_t count = program->selection.functions.count;
	uint32_t *func_shapes = memory_zeroed(count, sizeof(uint32_t));
	uint32_t *kfunc_flags = program->options->features.feature_attributes
					? collect_kfunc_flags(program, list) : NULL;

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
			kfunc_flags ? arena_prototype(program, instance->prototype, kfunc_flags[i])
				    : instance->prototype });
		add_annotations(program, func_shapes[i], instance->first_annotation,
				instance->annotation_count);
	}
	free(kfunc_flags);
	return func_shapes;
}

bool program_add_functions(struct program *program, struct encode_report *report,
			   struct error *err)
{
	const struct features *features = &program->options->features;
	struct kfunc_list list = { 0 };
	uint32_t *func_shapes;

	if (features->feature_decl_tag_kfuncs &&
	    !kfuncs_read(&list, &program->object, &program->symbols, err))
		return false;
	func_shapes = add_promised(program, &list);
	if (features->feature_true_signature)
		add_true_signatures(program, report);
	add_kfunc_tags(program, &list, func_shapes, report);
	memcpy(report->verdicts, program->selection.counts, sizeof(report->verdicts));
	free(func_shapes);
	kfuncs_release(&list);
	return true;
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
typedef ARRAY_OF(uint32_t) section_list;

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
static void find_sections(const struct program *program, section_list *sections)
{
	const struct features *features = &program->options->features;

	for (uint32_t i = 1; i < program->object.header_count; i++) {
		const struct section_header *header = &program->object.headers[i];
		bool is_percpu = strcmp(header->name, PERCPU_SECTION) == 0;
		bool has_data = header->type == SHT_PROGBITS || header->type == SHT_NOBITS;

		if (!(header->flags & SHF_ALLOC) || header->flags & SHF_TLS || !has_data ||
		    !is_datasec_name(header->name))
			continue;
		if (features->feature_global_var || (features->feature_var && is_percpu))
			array_push(sections, i);
	}
}

/* The section, among those looked at, that an address lies in; 0: none. */
static uint32_t section_of(const struct program *program, const section_list *sections,
			   uint64_t address)
{
	for (size_t i = 0; i < sections->count; i++) {
		const struct section_header *header = &program->object.headers[sections->data[i]];

		if (address - header->address < header->size)
			return sections->data[i];
	}
	return 0;
}

static bool wanted_variable(const struct program *program, const section_list *sections,
			    const struct variable_instance *variable, struct section_entry *entry)
{
	const struct section_header *header;
	uint64_t offset, size;

	entry->variable = variable;
	entry->section = section_of(program, sections, variable->address);
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
		variable->name, btf_info(BTF_VAR, 0, false), variable->type,
		variable->external ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC };
	uint32_t shape = shape_table_append(&program->table, words, UINT64_MAX);

	program->table.shapes.data[shape].is_root = true;
	add_annotations(program, shape, variable->first_annotation, variable->annotation_count);
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
					       program->object.headers[last->section].name);
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
	section_list sections = { 0 };

	find_sections(program, &sections);
	for (size_t i = 0; sections.count && i < program->instances.variables.count; i++) {
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
	array_release(&sections);
}
