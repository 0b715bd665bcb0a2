/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/unit_worker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "encoder/evidence/entry.h"
#include "encoder/evidence/true_signature.h"

void collected_instances_release(struct collected_instances *instances)
{
	array_release(&instances->functions);
	array_release(&instances->variables);
	array_release(&instances->annotations);
	array_release(&instances->findings);
	*instances = (struct collected_instances){ 0 };
}

void unit_worker_init(struct unit_worker *worker, const struct object *object,
		      const struct unit_list *units, const struct unit_groups *groups,
		      const struct symbol_table *symbols, struct shared_code *code,
		      const struct features *features, const struct language_set *excluded,
		      struct site_options options)
{
	memset(worker, 0, sizeof(*worker));
	worker->object = object;
	worker->units = units;
	worker->groups = groups;
	worker->symbols = symbols;
	worker->features = features;
	worker->excluded = excluded;
	unit_reader_init(&worker->reader, object, units);
	evidence_init(&worker->evidence, object, symbols, code);
	collector_init(&worker->collector);
	lowering_init(&worker->lowering, object, features_for_lowering(features),
		      &worker->reader.names, &worker->collector);
	site_collector_init(&worker->sites, object, &worker->lowering, &worker->evidence, options);
}

void unit_worker_release(struct unit_worker *worker)
{
	unit_reader_release(&worker->reader);
	evidence_release(&worker->evidence);
	array_release(&worker->subjects);
	array_release(&worker->producers);
	array_release(&worker->has_code);
	name_set_release(&worker->inlined);
	dwarf_model_release(&worker->model);
	collector_release(&worker->collector);
	lowering_release(&worker->lowering);
	collected_instances_release(&worker->instances);
	site_collector_release(&worker->sites);
	array_release(&worker->annotation_heads);
	array_release(&worker->annotation_next);
	for (size_t i = 0; i < worker->problems.count; i++)
		free(worker->problems.data[i].text);
	array_release(&worker->problems);
}

/* DWARF 5 section 7.12 and later registrations. Unknown languages are read like C. */
static bool is_excluded(const struct language_set *excluded, uint64_t language)
{
	switch (language) {
	case DW_LANG_Rust: return excluded->rust;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x002b:	/* DW_LANG_C_plus_plus_17 */
	case 0x002c:	/* DW_LANG_C_plus_plus_20 */
	case 0x003a:	/* DW_LANG_C_plus_plus_23 */
		return excluded->cxx;
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x0029:	/* DW_LANG_C17 */
	case 0x003e:	/* DW_LANG_C23 */
		return excluded->c;
	case DW_LANG_Mips_Assembler:
	case 0x0031:	/* DW_LANG_Assembly */
		return excluded->assembler;
	default: return excluded->other;
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
	if (!worker->features->feature_decl_tag || !worker->annotation_heads.count)
		return;
	for (uint32_t i = worker->annotation_heads.data[head]; i;
	     i = worker->annotation_next.data[i - 1]) {
		const struct dwarf_annotation *annotation =
			&worker->model.annotations.data[i - 1];

		array_push(&worker->instances.annotations, ((struct collected_annotation){
			{ annotation->value }, annotation->component }));
	}
	*count = (uint32_t)worker->instances.annotations.count - *first;
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

/* ---- instances ---- */

static void set_join(struct function_instance *instance, const struct unit_worker *worker,
		     const struct entry_join *join)
{
	instance->join = (uint8_t)join->class;
	instance->symbol = join->symbol;
	if (join->class != JOIN_NONE)
		instance->address = worker->symbols->symbols.data[join->symbol].address;
}

static const char *name_of(const struct unit_worker *worker, struct name_key name)
{
	return name_table_text(&worker->reader.names, name.value);
}

/* An instance without its code; false when its prototype cannot be read. */
static bool make_instance(struct unit_worker *worker, uint32_t group, uint32_t index,
			  struct collected_function *collected)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];
	uint32_t declared = dwarf_model_declaring(model, index);
	struct dwarf_function function = model->functions.data[declared];
	struct function_instance *instance = &collected->instance;
	uint8_t flags = function.flags | code->flags;
	bool unnamed;

	*collected = (struct collected_function){ .name = { function.name } };
	*instance = (struct function_instance){
		.group = group,
		.die = code->offset,
		.declared_die = function.offset,
		.symbol = NO_SYMBOL,
		.external = flags & FUNCTION_EXTERNAL,
	};
	function.flags = flags;
	if (flags & FUNCTION_ASSEMBLER || says_nothing(&function))
		instance->reasons |= REASON(NO_PROTOTYPE);
	if (!btf_is_identifier(name_table_text(&worker->reader.names, function.name)))
		instance->reasons |= REASON(INVALID_NAME);
	collect_annotations(worker, ANNOTATES_FUNCTION, declared, &instance->first_annotation,
			    &instance->annotation_count);
	/* The code's DIE may be the only one to say that the function is variadic (clang). */
	if (!lower_prototype(&worker->lowering, &function, &collected->prototype, &unnamed))
		return false;
	if (unnamed)
		instance->reasons |= REASON(UNNAMED_PARAM);
	return true;
}

/* Who asks about one name does not wait for the call sites of others. */
static bool is_wanted(const struct unit_worker *worker, struct name_key name)
{
	return !worker->keep_findings ||
	       strcmp(name_of(worker, name), worker->keep_findings) == 0;
}

/* Places at the entry, and the entries of the function's other pieces. */
static void collect_entry_sites(struct unit_worker *worker, uint32_t group, uint32_t index,
				uint64_t described, struct collected_function *collected)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];

	collected->places = site_places_at_entry(&worker->sites, index, described,
						 collected->instance.join != JOIN_COLD);
	for (uint32_t i = 0; i < code->entry_count; i++) {
		struct entry_join join = { JOIN_NONE, NO_SYMBOL, 0 };

		entry_join_symbol(&worker->evidence, worker->features->feature_optimized_func,
				  name_of(worker, collected->name),
				  model->entries.data[code->first_entry + i], &join);
		if (join.class != JOIN_NONE && join.described != described)
			site_collector_add_fragment(&worker->sites, group, index, &join);
	}
}

static bool collect_function(struct unit_worker *worker, uint32_t group, uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];
	uint32_t declared = dwarf_model_declaring(model, index);
	struct name_key name = { model->functions.data[declared].name };
	struct entry_join join = { JOIN_NONE, NO_SYMBOL,
				   model->entries.data[code->first_entry] };
	struct collected_function collected;
	struct examined_instance subject = { (uint32_t)worker->instances.functions.count, 0 };

	if (!name.value)
		return true;
	if (!make_instance(worker, group, index, &collected))
		return false;
	collected.instance.address = join.described;
	for (uint32_t i = 0; i < code->entry_count; i++)
		entry_join_symbol(&worker->evidence, worker->features->feature_optimized_func,
				  name_of(worker, name),
				  model->entries.data[code->first_entry + i], &join);
	set_join(&collected.instance, worker, &join);
	if (join.class >= JOIN_CLONE) {
		const struct evidence_question question = {
			.function = index, .declared = declared,
			.symbol = &worker->symbols->symbols.data[join.symbol],
			.described = join.described, .changes = join.class == JOIN_CLONE,
			.want_call_sites = (join.class == JOIN_SAME || worker->examine_clones) &&
					  is_wanted(worker, name),
		};

		subject.examined = evidence_examine(&worker->evidence, model, &question);
		array_push(&worker->subjects, subject);
	}
	if (worker->sites.options.instances && site_collector_options(&worker->sites, declared))
		collect_entry_sites(worker, group, index, join.described, &collected);
	array_push(&worker->instances.functions, collected);
	worker->counts.functions++;
	return true;
}

/* Copies; code that its compiler changed; and what only has another name (f.lto_priv.0). */
static bool wants_true_prototype(const struct unit_worker *worker,
				 const struct collected_function *collected)
{
	const struct function_instance *instance = &collected->instance;

	return instance->join == JOIN_CLONE || instance->reasons ||
	       !symbol_is_found_as(&worker->symbols->symbols.data[instance->symbol],
				   name_of(worker, collected->name));
}

/*
 * The prototype that is left, for a copy, and for code whose own compiler changed it under its
 * name. The parameters that are left go behind those of the model, where lowering finds them.
 */
static bool lower_true_prototype(struct unit_worker *worker,
				 const struct examined_function *examined,
				 struct collected_function *collected)
{
	struct dwarf_model *model = &worker->model;
	struct dwarf_function function = model->functions.data[examined->declared];
	struct true_signature signature;
	bool unnamed;

	if (!wants_true_prototype(worker, collected) ||
	    !is_wanted(worker, collected->name) ||
	    collected->instance.reasons & (REASON(NO_PROTOTYPE) | REASON(UNNAMED_PARAM)) ||
	    !true_signature_find(&worker->evidence, model, examined, &signature))
		return true;
	if (signature.returns_void)
		function.type = REF_NONE;
	array_reserve(&model->parameters, signature.parameter_count);
	for (uint32_t i = 0; i < signature.parameter_count; i++)
		model->parameters.data[model->parameters.count + i] =
			model->parameters.data[function.first_parameter + signature.parameters[i]];
	function.first_parameter = (uint32_t)model->parameters.count;
	function.parameter_count = signature.parameter_count;
	model->parameters.count += signature.parameter_count;
	return lower_prototype(&worker->lowering, &function, &collected->true_prototype, &unnamed);
}

/* Reasons of functions that still have open registers come from callers elsewhere, later. */
static bool keeps_findings(const struct unit_worker *worker,
			   const struct collected_function *collected)
{
	const struct function_instance *instance = &collected->instance;

	if (worker->keep_findings)
		return is_wanted(worker, collected->name);
	return worker->keep_changes &&
	       (instance->reasons || instance->open_registers || instance->open_struct);
}

/* Takes over what was found about the functions of the group. False: as lower_types(). */
static bool take_evidence(struct unit_worker *worker)
{
	struct evidence *evidence = &worker->evidence;
	struct collected_instances *instances = &worker->instances;

	for (size_t i = 0; i < worker->subjects.count; i++) {
		const struct examined_instance *subject = &worker->subjects.data[i];
		const struct examined_function *examined =
			&evidence->functions.data[subject->examined];
		struct collected_function *collected =
			&instances->functions.data[subject->instance];
		struct function_instance *instance = &collected->instance;
		bool keeps;

		instance->reasons |= examined->reasons;
		instance->result_in_doubt = examined_result_in_doubt(examined);
		instance->open_registers = examined->reasons ? 0 : examined->open_registers;
		instance->open_struct = !examined->reasons && examined->open_struct;
		if (worker->features->feature_true_signature &&
		    !lower_true_prototype(worker, examined, collected))
			return false;
		keeps = keeps_findings(worker, collected);
		instance->first_finding = (uint32_t)instances->findings.count;
		instance->finding_count = keeps ? examined->finding_count : 0;
		for (uint32_t k = 0; k < examined->finding_count; k++) {
			const struct parameter_finding *finding =
				&evidence->findings.data[examined->first_finding + k];

			worker->counts.parameters[finding->state]++;
			if (keeps)
				array_push(&instances->findings, *finding);
		}
	}
	return true;
}

/* Does the symbol's code lie in that of its unit? A range may begin after the pads of an entry. */
static bool in_code(struct unit_worker *worker, const struct symbol *symbol)
{
	const struct dwarf_model *model = &worker->model;

	for (size_t i = 0; i < model->code.count; i++) {
		const struct address_range *range = &model->code.data[i];

		if ((symbol->address >= range->begin && symbol->address < range->end) ||
		    entry_is_described_at(&worker->evidence, symbol, range->begin))
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
	struct entry_join join = { JOIN_NONE, NO_SYMBOL, 0 };
	struct collected_function collected;
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		uint32_t at = (uint32_t)(symbol - worker->symbols->symbols.data);

		/* Several are judged by name; the lowest address stands for this one. */
		if (symbol_is_function(symbol) && at < join.symbol && in_code(worker, symbol))
			join = (struct entry_join){ JOIN_SAME, at, symbol->address };
	}
	if (join.class == JOIN_NONE)
		return true;
	if (!make_instance(worker, group, index, &collected))
		return false;
	set_join(&collected.instance, worker, &join);
	collected.instance.folded = true;
	array_push(&worker->instances.functions, collected);
	worker->counts.functions++;
	return true;
}

/* GCC's LTO has the longest chain: storage, its abstract instance, the declaration of that. */
#define VARIABLE_CHAIN_MAX 3

/*
 * Name, type and annotations may stand in the declaration that the definition completes. The type
 * is the first on the way there: a definition may complete an array that the declaration left open.
 */
static bool collect_variable(struct unit_worker *worker, uint32_t group, uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_variable *code = &model->variables.data[index];
	const struct dwarf_variable *variable = code;
	uint32_t declared = index, type = code->type;
	struct collected_variable collected = {
		.instance = { .group = group, .address = code->address } };
	struct variable_instance *instance = &collected.instance;

	for (int i = 1; i < VARIABLE_CHAIN_MAX && variable->specification != REF_NONE; i++) {
		declared = dwarf_model_find_variable(model, variable->specification);
		if (declared == OFFSET_INDEX_NONE)
			return true;
		variable = &model->variables.data[declared];
		if (type == REF_NONE)
			type = variable->type;
	}
	if (!variable->name || code->flags & VARIABLE_ARTIFICIAL)
		return true;
	collected.name.value = variable->name;
	instance->external = variable->flags & VARIABLE_EXTERNAL;
	if (!lower_ref(&worker->lowering, type, variable->offset, &collected.type))
		return false;
	collect_annotations(worker, ANNOTATES_VARIABLE, declared, &instance->first_annotation,
			    &instance->annotation_count);
	array_push(&worker->instances.variables, collected);
	return true;
}

/* Which declarations have code in this group: what is left without any may have been folded. */
static void find_declarations_with_code(struct unit_worker *worker)
{
	const struct dwarf_model *model = &worker->model;

	worker->has_code.count = 0;
	array_reserve(&worker->has_code, model->functions.count);
	if (model->functions.count)
		memset(worker->has_code.data, 0, model->functions.count * sizeof(bool));
	for (uint32_t i = 0; i < model->functions.count; i++) {
		if (model->functions.data[i].entry_count)
			worker->has_code.data[dwarf_model_declaring(model, i)] = true;
	}
}

static bool collect_instances(struct unit_worker *worker, uint32_t group, struct error *err)
{
	const struct dwarf_model *model = &worker->model;

	if (site_options_any(&worker->sites.options))
		site_collector_begin(&worker->sites, model);

	find_declarations_with_code(worker);
	index_annotations(worker);
	evidence_begin_group(&worker->evidence, model);
	worker->subjects.count = 0;
	for (uint32_t i = 0; i < model->functions.count; i++) {
		const struct dwarf_function *function = &model->functions.data[i];
		uint8_t no_code = FUNCTION_DECLARATION | FUNCTION_INLINE;

		if (function->entry_count ? !collect_function(worker, group, i)
					  : function->name && !(function->flags & no_code) &&
						    !worker->has_code.data[i] &&
					    !collect_folded_function(worker, group, i))
			return false;
	}
	for (uint32_t i = 0; i < model->variables.count; i++) {
		if (model->variables.data[i].flags & VARIABLE_HAS_ADDRESS &&
		    !collect_variable(worker, group, i))
			return false;
	}
	evidence_collect_call_sites(&worker->evidence, model, &worker->reader);
	return take_evidence(worker) &&
	       (!(worker->sites.options.sites || worker->sites.options.counts) ||
		site_collector_add_inlined(&worker->sites, group, &worker->reader, err));
}

/* ---- groups ---- */

static void count_producer(struct unit_worker *worker, const struct producer *producer)
{
	for (size_t i = 0; i < worker->producers.count; i++) {
		struct producer_count *known = &worker->producers.data[i];

		if (known->producer.name_length == producer->name_length &&
		    (!producer->name_length || memcmp(known->producer.text, producer->text,
						      producer->name_length) == 0)) {
			known->units++;
			return;
		}
	}
	array_push(&worker->producers, ((struct producer_count){ *producer, 1 }));
}

/* What is counted of a group that has turned out to be usable. */
static void count_group(struct unit_worker *worker, uint32_t group, uint32_t units)
{
	const struct dwarf_model *model = &worker->model;
	bool is_lto = worker->groups->groups.data[group].count > 1;

	worker->counts.units += units;
	for (size_t i = 0; i < model->units.count; i++)
		count_producer(worker, &model->units.data[i].producer);
	for (size_t i = 0; worker->count_inlined && i < model->functions.count; i++) {
		const struct dwarf_function *function = &model->functions.data[i];
		bool defined = !(function->flags & FUNCTION_DECLARATION) && !function->entry_count;

		/*
		 * Was it inlined somewhere? GCC's LTO units do not have the attribute: there it is
		 * a definition without code, as one is that nothing calls.
		 */
		if (function->name && (function->flags & FUNCTION_ABSTRACT || (defined && is_lto)))
			name_set_add(&worker->inlined,
				     (struct name_key){ function->name });
	}
}

/* A name that cannot be read costs the name, not the unit. */
static void note_unit_name(struct unit_worker *worker, const struct unit *unit)
{
	struct unit_reader *reader = &worker->reader;
	struct die_cursor cursor = reader->cursor;
	uint64_t str_offset;

	if (worker->unit_names && die_has(&reader->unit_die, SLOT_NAME))
		worker->unit_names[unit - worker->units->data] = die_cursor_string(
			&cursor, &reader->unit_die, SLOT_NAME, &str_offset);
}

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
		if (worker->reader.abbrevs.crosses_units && !worker->groups->are_final) {
			worker->wants_groups = true;
			return true;
		}
		if (is_excluded(worker->excluded, language)) {
			worker->counts.excluded++;
			continue;
		}
		note_unit_name(worker, unit);
		if (!unit_reader_read(&worker->reader, &worker->model, err))
			return false;
		(*read)++;
	}
	return true;
}

/* Seconds since the last call with this `last`; 0 when nobody asks. */
static double lap(const struct unit_worker *worker, double *last)
{
	struct timespec t;
	double before = *last;

	if (!worker->timed)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &t);
	*last = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	return *last - before;
}

/* The three steps of a group, one after the other. */
static bool take_steps(struct unit_worker *worker, uint32_t number, uint32_t *read,
		       struct error *err)
{
	const struct unit_group *group = &worker->groups->groups.data[number];
	double last = 0;
	bool good;

	if (group->end - group->begin >= UINT32_MAX)
		return error_set(err, "%.300s: units 0x%llx to 0x%llx refer to each other over "
				 "more than 4 GiB of .debug_info; that is more than this program "
				 "can read", worker->object->path, (unsigned long long)group->begin,
				 (unsigned long long)group->end);
	lap(worker, &last);
	good = read_units(worker, group, read, err);
	worker->times.dies += lap(worker, &last);
	if (!good || worker->wants_groups)
		return good;
	good = lower_types(&worker->lowering, &worker->model, number, err);
	worker->times.types += lap(worker, &last);
	good = good && collect_instances(worker, number, err);
	worker->times.functions += lap(worker, &last);
	return good;
}

void unit_worker_take(struct unit_worker *worker, uint32_t number)
{
	const struct unit_group *group = &worker->groups->groups.data[number];
	size_t functions = worker->instances.functions.count;
	size_t variables = worker->instances.variables.count;
	struct site_list sites = worker->sites.list;
	uint32_t site_nodes = (uint32_t)worker->sites.nodes.nodes.count;
	uint32_t nodes = (uint32_t)worker->collector.table.nodes.count;
	struct error err;
	uint32_t read = 0;
	bool good;

	/*
	 * A pair of names in one group must be one key, and only a unit's own strings are. ld -r
	 * does not merge strings: keys by offset would make each unit's types nodes of their own
	 * (mlx5_core.ko: 0.17 s and 73 MB in place of 0.31 s and 149 MB).
	 */
	worker->reader.names.intern_all = group->count > 1 || worker->object->relocatable;
	collector_begin_group(&worker->collector, number);
	good = take_steps(worker, number, &read, &err);
	if (worker->wants_groups)
		return;
	if (good) {
		count_group(worker, number, read);
	} else {
		struct group_problem problem = { number, memory_string(err.text,
								       strlen(err.text)) };

		lower_take_back(&worker->lowering, nodes);
		worker->instances.functions.count = functions;
		worker->instances.variables.count = variables;
		site_collector_take_back(&worker->sites, &sites, site_nodes);
		worker->counts.unusable += group->count;
		array_push(&worker->problems, problem);
	}
	collector_end_group(&worker->collector);
}
