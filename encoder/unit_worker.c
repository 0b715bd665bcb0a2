/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/unit_worker.h"

#include <stdlib.h>
#include <string.h>

/* DW_AT_abstract_origin of a DW_AT_specification: longer chains are damage. */
#define MAX_ORIGIN_STEPS 8

void instances_release(struct instances *instances)
{
	array_release(&instances->functions);
	array_release(&instances->variables);
	array_release(&instances->entries);
	array_release(&instances->annotations);
}

void unit_worker_init(struct unit_worker *worker, const struct object *object,
		      const struct unit_list *units, const struct unit_groups *groups,
		      const struct symbol_table *symbols, const struct features *features,
		      const struct language_set *languages, size_t expected_types)
{
	memset(worker, 0, sizeof(*worker));
	worker->object = object;
	worker->units = units;
	worker->groups = groups;
	worker->symbols = symbols;
	worker->languages = languages;
	unit_reader_init(&worker->reader, object, units);
	collector_init(&worker->collector, expected_types);
	lowering_init(&worker->lowering, object, features, &worker->reader.names,
		      &worker->collector);
}

void unit_worker_release(struct unit_worker *worker)
{
	unit_reader_release(&worker->reader);
	dwarf_model_release(&worker->model);
	collector_release(&worker->collector);
	lowering_release(&worker->lowering);
	instances_release(&worker->instances);
	array_release(&worker->annotation_heads);
	array_release(&worker->annotation_next);
	for (size_t i = 0; i < worker->problems.count; i++)
		free(worker->problems.data[i].text);
	array_release(&worker->problems);
}

/* DWARF 5 section 7.12 and later registrations. Unknown languages are read like C. */
static bool is_excluded(const struct language_set *languages, uint64_t language)
{
	switch (language) {
	case DW_LANG_Rust: return languages->exclude_rust;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x002b:	/* DW_LANG_C_plus_plus_17 */
	case 0x002c:	/* DW_LANG_C_plus_plus_20 */
	case 0x003a:	/* DW_LANG_C_plus_plus_23 */
		return languages->exclude_cxx;
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x0029:	/* DW_LANG_C17 */
	case 0x003e:	/* DW_LANG_C23 */
		return languages->exclude_c;
	case DW_LANG_Mips_Assembler:
	case 0x0031:	/* DW_LANG_Assembly */
		return languages->exclude_assembler;
	default: return false;
	}
}

/* ---- functions and variables ---- */

/*
 * Chains the group's annotations by function and by variable, each chain in the order of the
 * model: filled from the end, so that the heads are the first ones.
 */
static void index_annotations(struct unit_worker *worker)
{
	const struct dwarf_model *model = &worker->model;
	size_t functions = model->functions.count;

	worker->annotation_heads.count = 0;
	if (!model->annotations.count)
		return;
	array_reserve(&worker->annotation_heads, functions + model->variables.count);
	worker->annotation_heads.count = functions + model->variables.count;
	array_reserve(&worker->annotation_next, model->annotations.count);
	memset(worker->annotation_heads.data, 0,
	       worker->annotation_heads.count * sizeof(uint32_t));
	for (size_t i = model->annotations.count; i-- > 0;) {
		const struct dwarf_annotation *annotation = &model->annotations.data[i];
		size_t owner = annotation->owner;

		if (annotation->owner_kind == ANNOTATES_TYPE || annotation->is_type_tag)
			continue;
		if (annotation->owner_kind == ANNOTATES_VARIABLE)
			owner += functions;
		worker->annotation_next.data[i] = worker->annotation_heads.data[owner];
		worker->annotation_heads.data[owner] = (uint32_t)i + 1;
	}
}

/* The annotations of one function or variable, appended to the instances. */
static void collect_annotations(struct unit_worker *worker, enum annotation_owner kind,
				uint32_t owner, uint32_t *first, uint32_t *count)
{
	size_t head = kind == ANNOTATES_VARIABLE ? worker->model.functions.count + owner : owner;

	*first = (uint32_t)worker->instances.annotations.count;
	if (!worker->lowering.features->feature_decl_tag || !worker->annotation_heads.count)
		return;
	for (uint32_t i = worker->annotation_heads.data[head]; i;
	     i = worker->annotation_next.data[i - 1]) {
		const struct dwarf_annotation *annotation =
			&worker->model.annotations.data[i - 1];

		array_push(&worker->instances.annotations, ((struct decl_annotation){
			annotation->value, annotation->component }));
	}
	*count = (uint32_t)worker->instances.annotations.count - *first;
}

/*
 * Where a function's name and prototype stand. The concrete copy of a function that is also inlined
 * has neither: they are in the abstract instance it refers to.
 */
static uint32_t declaring_function(const struct dwarf_model *model, uint32_t index)
{
	for (int step = 0; step < MAX_ORIGIN_STEPS; step++) {
		const struct dwarf_function *function = &model->functions.data[index];
		uint32_t origin;

		if (function->name || function->origin == REF_NONE)
			break;
		origin = dwarf_model_find_function(model, function->origin);
		if (origin == OFFSET_INDEX_NONE)
			break;
		index = origin;
	}
	return index;
}

/*
 * `void old() {}` before C23, and everything under gcc -g1, comes without DW_AT_prototyped and
 * without parameters: that is not "takes none", it is "nobody says". (C++ has no such attribute,
 * but there a function without parameters takes none; its units are read only on demand.)
 */
static bool says_nothing(const struct dwarf_function *function)
{
	return !(function->flags & (FUNCTION_PROTOTYPED | FUNCTION_VARIADIC)) &&
	       !function->parameter_count;
}

/* An instance without its entries; false when its prototype cannot be read. */
static bool make_instance(struct unit_worker *worker, uint32_t group, uint32_t index,
			  struct function_instance *instance)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];
	uint32_t declared = declaring_function(model, index);
	const struct dwarf_function *function = &model->functions.data[declared];
	uint8_t flags = function->flags | code->flags;

	*instance = (struct function_instance){
		.group = group,
		.name = function->name,
		.first_entry = (uint32_t)worker->instances.entries.count,
		.external = flags & FUNCTION_EXTERNAL,
		.no_call = flags & FUNCTION_NO_CALL,
		.no_prototype = flags & FUNCTION_ASSEMBLER || says_nothing(function),
	};
	collect_annotations(worker, ANNOTATES_FUNCTION, declared, &instance->first_annotation,
			    &instance->annotation_count);
	return lower_prototype(&worker->lowering, function, &instance->prototype,
			       &instance->unnamed_parameter);
}

static bool collect_function(struct unit_worker *worker, uint32_t group, uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];
	struct function_instance instance;

	if (!model->functions.data[declaring_function(model, index)].name)
		return true;
	if (!make_instance(worker, group, index, &instance))
		return false;
	instance.entry_count = code->entry_count;
	for (uint32_t i = 0; i < code->entry_count; i++)
		array_push(&worker->instances.entries, model->entries.data[code->first_entry + i]);
	array_push(&worker->instances.functions, instance);
	worker->counts.functions++;
	return true;
}

static bool in_code(const struct dwarf_model *model, uint64_t address)
{
	for (size_t i = 0; i < model->code.count; i++) {
		if (address >= model->code.data[i].begin && address < model->code.data[i].end)
			return true;
	}
	return false;
}

/*
 * GCC folds functions with equal bodies (-fipa-icf): what is left of all but one is an alias, or a
 * stub that jumps to the one. Its definition is complete but has no address. It is taken for the
 * code under the symbol of its name, if that lies in the code of its unit: a symbol elsewhere
 * (another unit's alias, a weak stub that lost) is not what this DIE describes.
 */
static bool collect_folded_function(struct unit_worker *worker, uint32_t group, uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *function = &model->functions.data[index];
	struct symbol_search search = symbol_table_search(
		worker->symbols, name_table_text(&worker->reader.names, function->name));
	struct function_instance instance;
	const struct symbol *symbol;
	bool made = false;

	while ((symbol = symbol_search_next(&search))) {
		if (!symbol_is_function(symbol) || !in_code(model, symbol->address))
			continue;
		if (!made && !make_instance(worker, group, index, &instance))
			return false;
		made = true;
		instance.entry_count++;
		array_push(&worker->instances.entries, symbol->address);
	}
	if (made) {
		array_push(&worker->instances.functions, instance);
		worker->counts.functions++;
	}
	return true;
}

/* Name, type and annotations may stand in the declaration that the definition completes. */
static bool collect_variable(struct unit_worker *worker, uint32_t group, uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_variable *code = &model->variables.data[index];
	uint32_t declared = index;
	const struct dwarf_variable *variable = code;
	struct variable_instance instance = { .group = group, .address = code->address };

	if (code->specification != REF_NONE) {
		declared = dwarf_model_find_variable(model, code->specification);
		if (declared == OFFSET_INDEX_NONE)
			return true;
		variable = &model->variables.data[declared];
	}
	if (!variable->name || code->flags & VARIABLE_ARTIFICIAL)
		return true;
	instance.name = variable->name;
	instance.external = variable->flags & VARIABLE_EXTERNAL;
	/* The definition may complete an array type that the declaration left open. */
	if (!lower_ref(&worker->lowering, code->type != REF_NONE ? code->type : variable->type,
		       variable->offset, &instance.type))
		return false;
	collect_annotations(worker, ANNOTATES_VARIABLE, declared, &instance.first_annotation,
			    &instance.annotation_count);
	array_push(&worker->instances.variables, instance);
	return true;
}

static bool collect_instances(struct unit_worker *worker, uint32_t group)
{
	const struct dwarf_model *model = &worker->model;

	index_annotations(worker);
	for (uint32_t i = 0; i < model->functions.count; i++) {
		const struct dwarf_function *function = &model->functions.data[i];
		uint8_t no_code = FUNCTION_DECLARATION | FUNCTION_INLINE;

		if (function->entry_count ? !collect_function(worker, group, i)
					  : function->name && !(function->flags & no_code) &&
					    !collect_folded_function(worker, group, i))
			return false;
	}
	for (uint32_t i = 0; i < model->variables.count; i++) {
		if (model->variables.data[i].flags & VARIABLE_HAS_ADDRESS &&
		    !collect_variable(worker, group, i))
			return false;
	}
	return true;
}

/* ---- groups ---- */

static bool read_units(struct unit_worker *worker, const struct unit_group *group,
		       uint32_t *read, struct error *err)
{
	dwarf_model_reset(&worker->model, group->begin, group->end);
	*read = 0;
	for (uint32_t i = 0; i < group->count; i++) {
		const struct unit *unit =
			&worker->units->data[worker->groups->members.data[group->first + i]];
		uint64_t language;

		if (!unit_reader_open(&worker->reader, unit, &language, err))
			return false;
		if (is_excluded(worker->languages, language)) {
			worker->counts.excluded++;
			continue;
		}
		if (!unit_reader_read(&worker->reader, &worker->model, err))
			return false;
		(*read)++;
	}
	return true;
}

static bool too_large(const struct unit_group *group, const struct object *object,
		      struct error *err)
{
	return error_set(err, "%.300s: units 0x%llx to 0x%llx refer to each other over more than "
			 "4 GiB of .debug_info; that is more than this program can read",
			 object->path, (unsigned long long)group->begin,
			 (unsigned long long)group->end);
}

void unit_worker_take(struct unit_worker *worker, uint32_t number)
{
	const struct unit_group *group = &worker->groups->groups.data[number];
	size_t functions = worker->instances.functions.count;
	size_t variables = worker->instances.variables.count;
	struct error err;
	uint32_t read = 0;
	bool good;

	/* A pair of names in one group must be one key, and only a unit's own strings are. */
	worker->reader.names.intern_all = group->count > 1;
	collector_begin_group(&worker->collector, number);
	good = group->end - group->begin < UINT32_MAX || too_large(group, worker->object, &err);
	good = good && read_units(worker, group, &read, &err) &&
	       lower_types(&worker->lowering, &worker->model, number, &err) &&
	       collect_instances(worker, number);
	if (good) {
		worker->counts.units += read;
	} else {
		struct group_problem problem = { number, memory_string(err.text,
								       strlen(err.text)) };

		collector_drop_group(&worker->collector);
		worker->instances.functions.count = functions;
		worker->instances.variables.count = variables;
		worker->counts.unusable += group->count;
		array_push(&worker->problems, problem);
	}
	collector_end_group(&worker->collector);
}
