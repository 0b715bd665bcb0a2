/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/unit_worker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/search.h"
#include "base/text.h"
#include "encoder/evidence/evidence.h"
#include "encoder/unit_references.h"

void collected_instances_release(struct collected_instances *instances)
{
	array_release(&instances->functions);
	array_release(&instances->variables);
	array_release(&instances->annotations);
	parameter_findings_release(&instances->findings);
	*instances = (struct collected_instances){ 0 };
}

void unit_worker_init(struct unit_worker *worker, struct object *object,
		      const struct unit_list *units, const struct unit_groups *groups,
		      const struct symbol_table *symbols, struct shared_code *code,
		      const struct encode_options *options)
{
	const struct features *features = &options->features;
	const struct lower_options lower_options = {
		.floats = features->feature_float,
		.enum64 = features->feature_enum64,
		.type_tags = features->feature_type_tag,
		.decl_tags = features->feature_decl_tag,
	};
	bool some_names = options->keep_findings;
	size_t line_bytes;
	const struct site_options site_options = {
		.sites = some_names || features->feature_inline || features->func_secinfo_inline,
		.counts = !some_names && options->count_sites,
		.instances = some_names || features->feature_func_secinfo,
		.names = options->keep_findings,
	};

	*worker = (struct unit_worker){ .object = object, .units = units, .groups = groups,
					.symbols = symbols, .options = options };
	worker->model.object = object;
	unit_reader_init(&worker->reader, object, units);
	worker->reader.names.copies = true;
	/* Only explain says where a function was inlined. */
	if (!some_names)
		worker->reader.abbrevs.ignored_slots = INLINE_SITE_CALL_SLOTS;
	if (!site_options_want_lines(&site_options))
		worker->reader.abbrevs.ignored_slots |= DECLARED_SLOTS;
	else
		object_late_bytes(object, SECTION_LINE, &line_bytes);
	if (options->kabi_prefix) {
		worker->reader.names.prefix = options->kabi_prefix;
		worker->reader.names.prefix_length = strlen(options->kabi_prefix);
	}
	evidence_init(&worker->evidence, object, symbols, code);
	worker->folded = (struct folded_code){ .evidence = &worker->evidence };
	collector_init(&worker->collector);
	lowering_init(&worker->lowering, object, lower_options, &worker->reader.names,
		      &worker->collector);
	worker->lowering.count_kinds = options->count_inlined;
	site_collector_init(&worker->sites, object, &worker->lowering, &worker->evidence,
			    site_options);
}

void unit_worker_release(struct unit_worker *worker)
{
	unit_reader_release(&worker->reader);
	evidence_release(&worker->evidence);
	array_release(&worker->examined);
	array_release(&worker->producers);
	array_release(&worker->has_code);
	folded_code_release(&worker->folded);
	array_release(&worker->inlined);
	hash_table_release(&worker->inlined_numbers);
	dwarf_model_release(&worker->model);
	collector_release(&worker->collector);
	lowering_release(&worker->lowering);
	collected_instances_release(&worker->instances);
	site_collector_release(&worker->sites);
	array_release(&worker->annotations);
	array_release(&worker->registrations);
	for (size_t i = 0; i < worker->problems.count; i++)
		free(worker->problems.data[i].text);
	array_release(&worker->problems);
}

static uint64_t annotation_key(enum annotation_owner kind, uint32_t owner)
{
	return (uint64_t)kind << 32 | owner;
}

static void index_annotations(struct unit_worker *worker)
{
	const struct dwarf_model *model = &worker->model;

	worker->annotations.count = 0;
	for (uint32_t i = 0; i < model->annotations.count; i++) {
		const struct dwarf_annotation *annotation = &model->annotations.data[i];
		enum annotation_owner kind = annotation->owner_kind;

		if (kind != ANNOTATES_TYPE && !annotation->is_type_tag)
			array_push(&worker->annotations, ((struct sort_item){
				annotation_key(kind, annotation->owner), i }));
	}
	sort_by_key(worker->annotations.data, worker->annotations.count);
}

/* Appends the annotations of one function or variable to the instances. */
static void collect_annotations(struct unit_worker *worker, enum annotation_owner kind,
				uint32_t owner, uint32_t *first, uint32_t *count)
{
	const struct sort_item *items = worker->annotations.data;
	uint64_t key = annotation_key(kind, owner);
	size_t end = worker->annotations.count;

	*first = (uint32_t)worker->instances.annotations.count;
	if (!worker->options->features.feature_decl_tag)
		return;
	for (size_t at = lower_bound(i, end, items[i].key < key); at < end && items[at].key == key;
	     at++) {
		const struct dwarf_annotation *annotation =
			&worker->model.annotations.data[items[at].value];

		array_push(&worker->instances.annotations, ((struct collected_annotation){
			{ annotation->value }, annotation->component }));
	}
	*count = (uint32_t)worker->instances.annotations.count - *first;
}

static const char *name_of(const struct unit_worker *worker, uint32_t key)
{
	return name_table_text(&worker->reader.names, key);
}

static void set_join(struct function_instance *instance, const struct unit_worker *worker,
		     const struct entry_join *join)
{
	instance->join = (uint8_t)join->class;
	instance->symbol = join->symbol;
	instance->address = join->class == JOIN_NONE
		? join->described : worker->symbols->symbols.data[join->symbol].address;
}

/* An instance without its code. False: its prototype cannot be read. */
static bool make_instance(struct unit_worker *worker, struct group_id group, uint32_t index,
			  struct collected_function *collected)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];
	uint32_t declared = dwarf_model_declaring(model, index);
	struct dwarf_function function = model->functions.data[declared];
	struct function_instance *instance = &collected->instance;
	uint8_t flags = function.flags | code->flags;
	const char *name = name_of(worker, function.name);
	bool unnamed;

	*collected = (struct collected_function){ .name = { function.name } };
	*instance = (struct function_instance){
		.group = group,
		.die = code->offset,
		.declared_die = function.offset,
		.symbol = NO_SYMBOL,
		.number = function_number(function.flags & FUNCTION_EXTERNAL, function.declared_at),
		.external = flags & FUNCTION_EXTERNAL,
	};
	/* The code's DIE may be the only one to say that the function is variadic (clang). */
	function.flags = flags;
	/*
	 * `void old() {}` before C23, and everything under gcc -g1, has no DW_AT_prototyped and no
	 * parameters: its parameters are not known. (C++ has no such attribute, but there a
	 * function without parameters takes none; its units are read only on demand.)
	 */
	if (flags & FUNCTION_ASSEMBLER ||
	    (!(flags & (FUNCTION_PROTOTYPED | FUNCTION_VARIADIC)) && !function.parameter_count))
		instance->reasons |= REASON(NO_PROTOTYPE);
	if (!btf_is_identifier(name)) {
		instance->reasons |= REASON(INVALID_NAME);
		if (!object_share(worker->object, SECTION_STR, strlen(name)))
			return false;
	}
	collect_annotations(worker, ANNOTATES_FUNCTION, declared, &instance->first_annotation,
			    &instance->annotation_count);
	if (!lower_prototype(&worker->lowering, &function, &collected->prototype, &unnamed))
		return false;
	if (unnamed)
		instance->reasons |= REASON(UNNAMED_PARAM);
	return true;
}

/* With names asked for, the call sites of other functions are not examined. */
static bool is_wanted(const struct unit_worker *worker, struct name_key name)
{
	const struct string_set *wanted = worker->options->keep_findings;

	return !wanted || string_set_has(wanted, name_of(worker, name.value));
}

static bool collect_function(struct unit_worker *worker, struct group_id group, uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *code = &model->functions.data[index];
	const uint64_t *entries = &model->entries.data[code->first_entry];
	uint32_t declared = dwarf_model_declaring(model, index);
	struct name_key name = { model->functions.data[declared].name };
	const char *text = name_of(worker, name.value);
	struct entry_join join = { JOIN_NONE, NO_SYMBOL, entries[0] };
	struct collected_function collected;

	if (!name.value)
		return true;
	if (!make_instance(worker, group, index, &collected))
		return false;
	for (uint32_t i = 0; i < code->entry_count; i++)
		entry_join_symbol(&worker->evidence, text, entries[i], &join);
	set_join(&collected.instance, worker, &join);
	if (join.class >= JOIN_CLONE) {
		const struct examined_function examined = {
			.function = index, .declared = declared,
			.described = join.described, .changes = join.class == JOIN_CLONE,
			.want_call_sites =
				(join.class >= JOIN_RENAMED || worker->options->examine_clones ||
				 worker->options->features.feature_true_signature) &&
				is_wanted(worker, name),
		};

		evidence_examine(&worker->evidence, model, examined,
				 &worker->symbols->symbols.data[join.symbol]);
		array_push(&worker->examined, (uint32_t)worker->instances.functions.count);
	}
	if (worker->sites.options.instances && site_collector_wants(&worker->sites, declared)) {
		collected.locations = site_locations_at_entry(&worker->sites, index, join.described,
							join.class != JOIN_COLD);
		/* The entries of the function's other fragments. */
		for (uint32_t i = 0; i < code->entry_count; i++) {
			struct entry_join other = { JOIN_NONE, NO_SYMBOL, 0 };

			entry_join_symbol(&worker->evidence, text, entries[i], &other);
			if (other.class != JOIN_NONE && other.described != join.described)
				site_collector_add_fragment(&worker->sites, index, &other);
		}
	}
	array_push(&worker->instances.functions, collected);
	worker->counts.functions++;
	return true;
}

/*
 * The prototype that is left of a clone, of code whose own compiler changed it under its name, and
 * of code with only another name (f.lto_priv.0). The parameters that are left are added to the
 * model, where lowering finds them.
 */
static bool lower_true_prototype(struct unit_worker *worker,
				 const struct examined_function *examined,
				 struct collected_function *collected)
{
	const struct function_instance *instance = &collected->instance;
	struct dwarf_model *model = &worker->model;
	struct dwarf_function function = model->functions.data[examined->declared];
	struct true_signature signature;
	bool unnamed;

	if ((instance->join == JOIN_SAME && !instance->reasons) ||
	    !is_wanted(worker, collected->name) ||
	    instance->reasons & (REASON(NO_PROTOTYPE) | REASON(UNNAMED_PARAM)) ||
	    !true_signature_find(&worker->evidence, model, examined, &signature))
		return true;
	if (signature.returns_void)
		function.type = REF_NONE;
	array_reserve(&model->parameters, signature.parameter_count);
	for (uint32_t i = 0; i < signature.parameter_count; i++) {
		const struct true_parameter *left = &signature.parameters[i];
		struct dwarf_parameter parameter =
			model->parameters.data[function.first_parameter + left->number];

		if (left->member) {
			const struct dwarf_member *member = &model->members.data[left->member - 1];
			char *name = text_format("%s__%s", name_of(worker, parameter.name),
						 name_of(worker, member->name));

			parameter.name = name_table_copy(&worker->reader.names, name);
			parameter.type = member->type;
			free(name);
		}
		model->parameters.data[model->parameters.count + i] = parameter;
	}
	function.first_parameter = (uint32_t)model->parameters.count;
	function.parameter_count = signature.parameter_count;
	model->parameters.count += signature.parameter_count;
	return lower_prototype(&worker->lowering, &function, &collected->true_prototype, &unnamed);
}

/* Adds the findings about the group's functions to their instances. False: as lower_types(). */
static bool add_findings(struct unit_worker *worker)
{
	const struct encode_options *options = worker->options;
	struct evidence *evidence = &worker->evidence;
	struct collected_instances *instances = &worker->instances;

	for (size_t i = 0; i < worker->examined.count; i++) {
		const struct examined_function *examined = &evidence->functions.data[i];
		struct collected_function *collected =
			&instances->functions.data[worker->examined.data[i]];
		struct function_instance *instance = &collected->instance;
		bool keeps;

		instance->reasons |= examined->reasons;
		instance->result_in_doubt =
			examined->may_drop_result && examined->result != RESULT_USED;
		instance->open_registers = examined->reasons ? 0 : examined->open_registers;
		instance->open_struct = !examined->reasons && examined->open_struct;
		if (options->features.feature_true_signature &&
		    !lower_true_prototype(worker, examined, collected))
			return false;
		/* Of open registers, callers elsewhere may give a reason later. */
		keeps = options->keep_findings
			? is_wanted(worker, collected->name)
			: options->keep_changes && (instance->reasons || instance->open_struct ||
						    instance->open_registers);
		instance->first_finding = (uint32_t)instances->findings.count;
		instance->finding_count = keeps ? examined->finding_count : 0;
		for (uint32_t k = 0; k < examined->finding_count; k++) {
			const struct parameter_finding *finding =
				&evidence->findings.data[examined->first_finding + k];

			worker->counts.parameters[finding->state]++;
			if (keeps)
				parameter_findings_add(&instances->findings, *finding,
						       parameter_finding_pieces(
							       &evidence->findings, finding));
		}
	}
	return true;
}

/* Is the code of a function in a unit that may be of another group? */
static bool has_distant_code(const struct unit_worker *worker,
			     const struct dwarf_function *function)
{
	uint64_t die = worker->model.begin + function->offset;

	return array_find(&worker->groups->coded, &die, compare_u64);
}

/*
 * GCC folds functions with equal bodies (-fipa-icf): what is left of all but one is an alias, or a
 * stub that jumps to the one. Its definition is complete but has no address. It is joined with the
 * symbol of its name, if that is in the code of its unit: a symbol elsewhere (another unit's alias,
 * a weak stub that lost) is not what this DIE describes. GCC's LTO has units without code, and the
 * code in any of those that are connected with them.
 */
static bool collect_folded_function(struct unit_worker *worker, struct group_id group,
				    uint32_t index)
{
	const struct dwarf_model *model = &worker->model;
	const struct dwarf_function *function = &model->functions.data[index];
	const struct unit_group *read = &worker->groups->groups.data[group.index];
	struct collected_function collected;
	struct entry_join join = { JOIN_SAME, NO_SYMBOL, 0 };

	if (read->is_part && has_distant_code(worker, function))
		return true;
	/* Several are judged by name; this one gets the lowest address. */
	join.symbol = folded_code_symbol(&worker->folded, function,
					 name_of(worker, function->name));
	if (join.symbol == NO_SYMBOL)
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
 * Name, type and annotations may be in the declaration that the definition completes. The type is
 * the first on the way there: a definition may complete an array that the declaration left open.
 */
static bool collect_variable(struct unit_worker *worker, struct group_id group, uint32_t index)
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

static bool collect_instances(struct unit_worker *worker, struct group_id group, struct error *err)
{
	const struct dwarf_model *model = &worker->model;
	const struct site_options *sites = &worker->sites.options;

	if (site_options_want_lines(sites))
		site_collector_begin(&worker->sites, model, group);
	/* A definition without any code in this group may have been folded. */
	array_zero(&worker->has_code, model->functions.count);
	for (uint32_t i = 0; i < model->functions.count; i++) {
		if (model->functions.data[i].entry_count)
			worker->has_code.data[dwarf_model_declaring(model, i)] = true;
	}
	folded_code_begin(&worker->folded, model, worker->groups, group);
	index_annotations(worker);
	evidence_begin_group(&worker->evidence, model);
	worker->examined.count = 0;
	for (uint32_t i = 0; i < model->functions.count; i++) {
		const struct dwarf_function *function = &model->functions.data[i];
		bool may_be_folded = function->name && !worker->has_code.data[i] &&
				     !(function->flags & (FUNCTION_DECLARATION | FUNCTION_INLINE));

		if (model->units.data[function->unit].is_borrowed)
			continue;
		if (function->entry_count
			    ? !collect_function(worker, group, i)
			    : may_be_folded && !collect_folded_function(worker, group, i))
			return false;
	}
	for (uint32_t i = 0; i < model->variables.count; i++) {
		const struct dwarf_variable *variable = &model->variables.data[i];

		if (variable->flags & VARIABLE_HAS_ADDRESS &&
		    !dwarf_model_unit_of(model, variable->offset)->is_borrowed &&
		    !collect_variable(worker, group, i))
			return false;
	}
	evidence_collect_call_sites(&worker->evidence, model, &worker->reader);
	return add_findings(worker) &&
	       (!(sites->sites || sites->counts) ||
		site_collector_add_inlined(&worker->sites, &worker->reader, err));
}

/* ---- groups ---- */

/* Neighbours are mostly of one compiler; compilers_count() counts the rest. */
static void count_producer(struct unit_worker *worker, const struct producer *producer)
{
	size_t count = worker->producers.count, length = producer->name_length;
	struct producer_count *last = count ? &worker->producers.data[count - 1] : NULL;

	if (last && last->producer.name_length == length &&
	    (!length || memcmp(last->producer.text, producer->text, length) == 0))
		last->units++;
	else
		array_push(&worker->producers, ((struct producer_count){ *producer, 1 }));
}

/*
 * gcc -g1 writes functions without types and without DW_AT_prototyped; LLVM's -g1 only those with
 * inlined calls. `void old() {}` before C23 looks the same, where it is all that a unit has.
 */
static bool is_typeless(const struct dwarf_model *model, const struct die *unit)
{
	static const struct language_set c = { .c = true };

	if (model->types.count || !language_is_in(&c, die_value(unit, SLOT_LANGUAGE, 0)) ||
	    !(unit->present & (SLOT_BIT(LOW_PC) | SLOT_BIT(RANGES))))
		return false;
	for (size_t i = 0; i < model->functions.count; i++) {
		if (model->functions.data[i].flags & FUNCTION_PROTOTYPED)
			return false;
	}
	return true;
}

/* Counts a group that is usable. */
static void count_group(struct unit_worker *worker, struct group_id group, uint32_t units)
{
	const struct dwarf_model *model = &worker->model;
	const struct unit_group *read = &worker->groups->groups.data[group.index];
	bool is_lto = read->count > 1 || read->is_part;

	worker->counts.units += units;
	worker->counts.typeless += units && read->count == 1 && !read->is_part &&
				   is_typeless(model, &worker->reader.unit_die);
	for (size_t i = 0; i < model->units.count; i++) {
		if (!model->units.data[i].is_borrowed && !model->units.data[i].is_left_out)
			count_producer(worker, &model->units.data[i].producer);
	}
	for (size_t i = 0; worker->notes_inlined && i < model->functions.count; i++) {
		const struct dwarf_function *function = &model->functions.data[i];
		bool defined = !(function->flags & FUNCTION_DECLARATION) && !function->entry_count;
		uint32_t hash = hash_number(function->name);

		/*
		 * Was it inlined somewhere? GCC's LTO units do not have the attribute: there it is
		 * a definition without code, as one is that nothing calls.
		 */
		if (!function->name || (!(function->flags & FUNCTION_ABSTRACT) &&
					!(defined && is_lto)) ||
		    *hash_table_first(&worker->inlined_numbers, hash))
			continue;
		array_push(&worker->inlined, ((struct name_key){ function->name }));
		hash_table_add(&worker->inlined_numbers, hash, (uint32_t)worker->inlined.count);
	}
}

static bool is_registering(const void *context, uint32_t function)
{
	const struct unit_worker *worker = context;
	uint32_t declared = dwarf_model_declaring(&worker->model, function);

	return strcmp(name_of(worker, worker->model.functions.data[declared].name),
		      "register_btf_kfunc_id_set") == 0;
}

/* Code alone says which types of programs a set of kfuncs is for: by the values at its calls. */
static void find_registrations(struct unit_worker *worker)
{
	const struct call_filter filter = { is_registering, worker };
	const struct dwarf_model *model = &worker->model;
	struct call_sites calls = { .abi = worker->evidence.abi };
	uint32_t function = 0;
	struct error ignored;

	while (function < model->functions.count && !is_registering(worker, function))
		function++;
	for (uint32_t unit = 0; unit < model->units.count && function < model->functions.count;
	     unit++) {
		/* Then one may be missing. */
		if (!call_sites_read(&calls, &worker->reader, model, unit, &filter, &ignored))
			array_push(&worker->registrations, ((struct kfunc_registration){
				.program_type = UINT64_MAX }));
	}
	array_each(const struct call_site, site, &calls.sites) {
		uint64_t values[2] = { UINT64_MAX, 0 };

		for (uint32_t k = site->first_load; k < site->first_load + site->load_count; k++) {
			const struct call_load *load = &calls.loads.data[k];
			int number = load->on_stack || !load->has_value
					     ? -1 : abi_argument_order(calls.abi, load->reg);

			if (number == 0 || number == 1)
				values[number] = load->value;
		}
		array_push(&worker->registrations, ((struct kfunc_registration){
			.program_type = values[0], .set = values[1] }));
	}
	call_sites_release(&calls);
}

/*
 * Leaves of the unit that was read last what others may refer to: its functions and variables have
 * no names, and none of its types is a definition, whose name would get in the way of theirs.
 */
static void leave_out(struct dwarf_model *model)
{
	uint32_t number = (uint32_t)model->units.count - 1;
	struct dwarf_unit *unit = &model->units.data[number];

	unit->is_left_out = true;
	for (size_t i = unit->first_type; i < model->types.count; i++)
		model->types.data[i].flags |= TYPE_LEFT_OUT;
	for (size_t i = model->taggable.count;
	     i-- > 0 && model->taggable.data[i] >= unit->first_type; model->taggable.count--)
		model->types.data[model->taggable.data[i]].kind = DWARF_UNSPECIFIED;
	for (size_t i = dwarf_model_first_function(model, number); i < model->functions.count; i++)
		model->functions.data[i].name = 0;
	for (size_t i = model->variables.count;
	     i-- > 0 && model->variables.data[i].offset >= unit->begin;)
		model->variables.data[i].name = 0;
}

/*
 * The language of a DIE is its unit's, but LTO makes units refer to each other: LLVM writes a type
 * that two have alike into one of them, so what C's void (*)(void) points to may be in Rust's unit;
 * GCC writes the code of C next to C++ into a unit of C++; and calls of C functions are described
 * with the caller. So excluded units that are connected with wanted ones are read, without names.
 */
static bool read_units(struct unit_worker *worker, const struct unit_group *group,
		       uint32_t *read, struct error *err)
{
	dwarf_model_reset(&worker->model, group->begin, group->end);
	*read = 0;
	for (uint32_t i = 0; i < group->count; i++) {
		const struct group_member *member =
			&worker->groups->members.data[group->first + i];
		const struct unit *unit = &worker->units->data[member->unit];
		bool is_left_out;
		uint64_t language;

		if (!unit_reader_open(&worker->reader, unit, &language, err))
			return false;
		if (worker->reader.abbrevs.crosses_units && !worker->groups->are_final) {
			worker->wants_groups = true;
			return true;
		}
		is_left_out = worker->groups->are_final
			? !member->is_wanted
			: language_is_in(&worker->options->languages, language);
		worker->counts.excluded += is_left_out && !member->is_borrowed;
		if (is_left_out && !group->is_wanted)
			continue;
		/* A name that cannot be read costs the name, not the unit. */
		if (worker->unit_names && !member->is_borrowed && !is_left_out &&
		    die_has(&worker->reader.unit_die, SLOT_NAME)) {
			struct die_cursor cursor = worker->reader.cursor;
			uint64_t str_offset;

			worker->unit_names[unit - worker->units->data] = die_cursor_string(
				&cursor, &worker->reader.unit_die, SLOT_NAME, &str_offset);
		}
		if (!unit_reader_read(&worker->reader, &worker->model, err))
			return false;
		worker->model.units.data[worker->model.units.count - 1].is_borrowed =
			member->is_borrowed;
		if (is_left_out)
			leave_out(&worker->model);
		*read += !member->is_borrowed && !is_left_out;
	}
	return true;
}

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The three steps of a group, one after the other. */
static bool take_steps(struct unit_worker *worker, struct group_id id, uint32_t *read,
		       struct error *err)
{
	const struct unit_group *group = &worker->groups->groups.data[id.index];
	double begin = seconds_now(), end;
	bool good;

	if (group->end - group->begin >= UINT32_MAX)
		return error_set(err, "%.300s: units 0x%llx to 0x%llx refer to each other over "
				 "more than 4 GiB of .debug_info; that is more than this program "
				 "can read", worker->object->path, (unsigned long long)group->begin,
				 (unsigned long long)group->end);
	good = read_units(worker, group, read, err);
	end = seconds_now();
	worker->times.dies += end - begin;
	if (!good || worker->wants_groups)
		return good;
	begin = end;
	good = lower_types(&worker->lowering, &worker->model, id, err);
	end = seconds_now();
	worker->times.types += end - begin;
	good = good && collect_instances(worker, id, err);
	if (good && worker->options->keep_registrations && worker->evidence.abi)
		find_registrations(worker);
	worker->times.functions += seconds_now() - end;
	return good;
}

void unit_worker_take(struct unit_worker *worker, struct group_id id)
{
	const struct unit_group *group = &worker->groups->groups.data[id.index];
	size_t functions = worker->instances.functions.count;
	size_t variables = worker->instances.variables.count;
	struct collected_sites sites = worker->sites.list;
	uint32_t site_nodes = (uint32_t)worker->sites.nodes.nodes.count;
	uint32_t nodes = (uint32_t)worker->collector.table.nodes.count;
	struct error err;
	uint32_t read = 0;
	bool good;

	/*
	 * A pair of names in one group must be one key, and only a unit's own strings are. ld -r
	 * does not merge strings: keys by offset would make each unit's types nodes of their own
	 * (mlx5_core.ko: 0.17 s and 73 MB in place of 0.31 s and 149 MB). With groups of several
	 * units the others do the same: two keys for most names would cost the merge twice as much.
	 */
	worker->reader.names.intern_all = worker->groups->are_final ||
					  worker->object->relocatable ||
					  worker->object->pieces.count > 1;
	collector_begin_group(&worker->collector, id);
	good = take_steps(worker, id, &read, &err);
	if (worker->wants_groups)
		return;
	if (good) {
		count_group(worker, id, read);
	} else {
		struct group_problem problem = { id, memory_copy(err.text) };

		lower_take_back(&worker->lowering, nodes);
		worker->instances.functions.count = functions;
		worker->instances.variables.count = variables;
		site_collector_take_back(&worker->sites, &sites, site_nodes);
		worker->counts.unusable += group->own_count;
		array_push(&worker->problems, problem);
	}
	collector_end_group(&worker->collector);
}
