/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/function_list.h"

#include <string.h>

#include "base/sort.h"
#include "btf/dedup/c_declaration.h"
#include "kernel/trampoline.h"
#include "kernel/module_name.h"
#include "commands/stats/stats.h"

#define X(id, code, ...) code,
const char *const function_columns[COLUMN_COUNT] = { FUNCTION_COLUMN_LIST(X) };
const char *const function_marks[MARK_COUNT] = { FUNCTION_MARK_LIST(X) };
const char *const function_reasons[VERDICT_COUNT] = { VERDICT_LIST(X) };
#undef X
#define X(id, text, class) "." text,
const char *const function_suffixes[SUFFIX_COUNT] = { SUFFIX_LIST(X) };
#undef X

void function_list_put_head(struct text *out)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		text_add_string(out, function_columns[i]);
		text_add_char(out, i + 1 < COLUMN_COUNT ? '\t' : '\n');
	}
}

void function_list_put_field(struct text *out, const char *text)
{
	text_add_clean(out, text);
	text_add_char(out, '\t');
}

/* The words of a set with commas, "-" if it is empty, and a tab. */
static void put_words(struct text *out, uint32_t set, const char *const *words)
{
	size_t first = out->count;

	for (uint32_t left = set; left; left &= left - 1)
		text_add_item(out, first, ",", words[__builtin_ctz(left)]);
	text_add_string(out, set ? "\t" : "-\t");
}

void function_list_put_end(struct text *out, const struct function_sites *sites,
			   const uint32_t *callers, const char *module)
{
	const uint32_t *numbers[] = { sites ? &sites->count : NULL,
				      sites ? &sites->parameters : NULL,
				      sites ? &sites->locations : NULL, callers };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i])
			text_add_number(out, *numbers[i]);
		else
			text_add_char(out, '?');
		text_add_char(out, '\t');
	}
	function_list_put_field(out, module ? module : "-");
}

/*
 * The unit where the function was written, not where its code was put together: an LTO link has all
 * code in units called "<artificial>". A partial unit of dwz has no name. "-": neither has one.
 */
static const char *source_unit_name(const struct program *program, struct group_id group,
				    uint32_t declared_die, uint32_t die)
{
	const uint32_t dies[] = { declared_die, die };

	for (int i = 0; i < 2; i++) {
		const struct unit *unit = unit_list_find(&program->units,
			program->groups.groups.data[group.index].begin + dies[i]);
		const char *name =
			unit ? program->unit_names[unit - program->units.data] : NULL;

		if (name && *name && strcmp(name, "-") != 0)
			return name;
	}
	return "-";
}

char *function_list_module(const struct program *program)
{
	return object_is_module(&program->object)
		       ? module_name_of(&program->object, program->options->path) : NULL;
}

/* ---- names ---- */

struct listed_name {
	uint32_t suffixes;		/* bits of enum suffix */
	uint32_t marks;			/* bits of enum function_mark: kfunc, exported */
};

struct listed_function {
	struct function_sites sites;
	const struct site_function *first;	/* that has sites; NULL: none has */
};

struct list {
	const struct program *program;
	struct text *out;
	const char *module;		/* or NULL */
	struct attach_image image;
	struct attach_tables tables;	/* of the image */
	uint32_t *callers;		/* by judged function; NULL: not known */
	struct listed_function *functions;	/* by judged function */
	struct listed_name *names;	/* by pool id */
	struct sort_item *order;	/* instances by judged function */
	size_t next;			/* the first that has not been printed */
	ARRAY_OF(struct attach_state) states;	/* of the name's instances */
	struct text name_fields;	/* of the name that is printed */
};

static void find_kfuncs(struct list *list)
{
	const struct program *program = list->program;

	for (size_t i = 0; i < program->kfuncs.kfuncs.count; i++) {
		const struct judged_function *judged =
			selection_find(&program->selection, &program->pool,
				       program->kfuncs.kfuncs.data[i].name);

		if (judged && program->kfuncs.kfuncs.data[i].is_callable)
			list->names[judged->name.index].marks |= 1u << MARK_KFUNC;
	}
}

/* Suffixes and exports, in one walk over the symbols: EXPORT_SYMBOL(f) makes __ksymtab_f. */
static void look_at_symbols(struct list *list)
{
	const struct program *program = list->program;
	const struct symbol_table *symbols = &program->symbols;

	for (size_t i = 0; i < symbols->symbols.count; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		struct pool_string base = { symbol->name, symbol->base_length,
					    symbol->base_hash };
		const char *export = text_after(symbol->name, "__ksymtab_");

		if (export) {
			base = pool_string(export);
			list->names[string_pool_find(&program->pool, &base).index].marks |=
				1u << MARK_EXPORTED;
		} else if (symbol->name[symbol->base_length] && symbol_is_function(symbol)) {
			list->names[string_pool_find(&program->pool, &base).index].suffixes |=
				symbol_parse(symbol->name).suffixes;
		}
	}
}

/* The fields that all lines of a name end with. `end` is that of the name's instances. */
static void set_name_fields(struct list *list, size_t index, size_t end)
{
	const struct program *program = list->program;
	const struct judged_function *judged = &program->selection.functions.data[index];
	/* Kfuncs and exports are found by the name: they are the first. */
	const struct listed_name none = { 0 };
	const struct symbol *symbols = program->symbols.symbols.data;
	const struct listed_name *name = selection_is_first(&program->selection, judged)
						 ? &list->names[judged->name.index] : &none;
	bool is_alone = name != &none && !judged->next;
	uint32_t suffixes = is_alone ? name->suffixes : 0;
	bool global = false, init = end > list->next;
	struct text *out = &list->name_fields;

	list->states.count = 0;
	for (size_t i = list->next; i < end; i++) {
		const struct function_instance *instance =
			&program->instances.functions.data[list->order[i].value];

		global |= instance->external;
		if (!is_alone && instance->symbol != NO_SYMBOL)
			suffixes |= symbol_parse(symbols[instance->symbol].name).suffixes;
		array_push(&list->states,
			   attach_state_for_fentry(&list->image, instance->address));
		init &= list->states.data[i - list->next].init;
	}
	out->count = 0;
	put_words(out, name->marks | (uint32_t)global << MARK_GLOBAL |
				     (uint32_t)init << MARK_INIT, function_marks);
	put_words(out, suffixes & ~(1u << SUFFIX_NUMBER), function_suffixes);
	function_list_put_end(out, &list->functions[index].sites,
			      list->callers ? &list->callers[index] : NULL, list->module);
}

/* ---- lines ---- */

/*
 * Those that are not passed as declared, in the prototype's order. Findings are kept only for
 * instances that have reasons.
 */
static void print_parameters(const struct list *list, const struct function_instance *instance)
{
	const struct program *program = list->program;
	const uint32_t *words = node_words(&program->table, ref_node(instance->prototype));
	uint32_t count = btf_info_vlen(words[BTF_WORD_INFO]);
	size_t first = list->out->count;

	for (uint32_t i = 0; instance->reasons && i < instance->finding_count && i < count; i++) {
		const struct parameter_finding *finding =
			&program->instances.findings.data[instance->first_finding + i];
		enum parameter_state state = (enum parameter_state)finding->state;
		const char *name =
			string_pool_word_text(&program->pool, words[BTF_HEAD_WORDS + 2 * i]);

		if (state < PARAMETER_PARTLY)
			continue;
		text_add_item(list->out, first, ",", "");
		text_add_clean(list->out, *name ? name : "-");
		text_add_char(list->out, ':');
		text_add_string(list->out, parameter_state_texts[state].code);
	}
	text_add_string(list->out, list->out->count > first ? "\t" : "-\t");
}

static void print_instance(const struct list *list, const struct judged_function *judged,
			   const struct function_instance *instance,
			   const struct attach_state *state)
{
	static const char *const hooks[] = {
		[ATTACH_UNKNOWN] = "?", [ATTACH_NO] = "no", [ATTACH_YES] = "yes",
	};
	const struct program *program = list->program;
	const char *name = string_pool_text(&program->pool, instance->name);
	char address[ATTACH_PROBE_BYTES];

	attach_address(&program->object, instance->address, address, sizeof(address));
	function_list_put_field(list->out, name);
	function_list_put_field(list->out, instance->symbol == NO_SYMBOL
		? "-" : program->symbols.symbols.data[instance->symbol].name);
	function_list_put_field(list->out, address);
	function_list_put_field(list->out, source_unit_name(program, instance->group,
				       instance->declared_die, instance->die));
	function_list_put_field(list->out, verdict_texts[judged->verdict].code);
	put_words(list->out, instance->reasons, function_reasons);
	if (instance->reasons & REASON(NO_PROTOTYPE))
		text_add_char(list->out, '-');
	else
		c_declaration_add(list->out, &program->table, &program->pool, instance->prototype,
				  name);
	text_add_char(list->out, '\t');
	print_parameters(list, instance);
	text_add(list->out, list->name_fields.data, list->name_fields.count);
	text_add_string(list->out, hooks[state->ftrace]);
	text_add_char(list->out, '\n');
}

static const struct judged_function *judged_of(const struct program *program,
					       const struct function_instance *instance)
{
	return selection_of_function(&program->selection, instance->name, instance->number);
}

/* The instances in the order of their judged functions. */
static struct sort_item *order_by_name(const struct program *program)
{
	const struct instances *instances = &program->instances;
	struct sort_item *order = memory_alloc(instances->functions.count * sizeof(*order));

	for (uint32_t i = 0; i < instances->functions.count; i++) {
		const struct judged_function *judged =
			judged_of(program, &instances->functions.data[i]);

		/* That of a function without code is a namesake's, and is not printed. */
		order[i] = (struct sort_item){
			judged->instance == NO_INSTANCE
				? UINT64_MAX
				: (uint64_t)(judged - program->selection.functions.data), i };
	}
	sort_by_key(order, instances->functions.count);
	return order;
}

/*
 * A function of a header is of no unit: only where several functions have the name is it said, to
 * tell them apart.
 */
static const char *unit_of_inlined(const struct list *list, size_t index)
{
	const struct judged_function *judged = &list->program->selection.functions.data[index];
	const struct judged_function *first = selection_of(&list->program->selection, judged->name);
	const struct site_function *function = list->functions[index].first;

	return first->next && function
		       ? source_unit_name(list->program, function->group, function->declared_die,
					  function->declared_die) : "-";
}

/* Lines of a kernel have 129 bytes on average; most names have no line but those of instances. */
#define LINE_BYTES 128

bool function_list_too_long(const char *path, struct error *err)
{
	return error_at(err, path, "its prototypes are out of all proportion to the file; "
			"is it intact?");
}

bool function_list_print(const struct program *program, const char *module, struct text *out,
			 struct error *err)
{
	const size_t limit = function_list_limit(out, program->object.stored_bytes);
	const struct instances *instances = &program->instances;
	struct list list = { .program = program, .out = out, .module = module,
			     .order = order_by_name(program),
			     .callers = program_count_callers(program) };

	list.image.module = module;
	attach_image_of_file(&list.image, &list.tables, &program->object, &program->symbols,
			     program_base(program));
	/* It is rarely moved then; unused room costs nothing. */
	array_reserve(out, LINE_BYTES * (instances->functions.count +
					 program->selection.functions.count));
	list.functions = memory_zeroed(program->selection.functions.count,
				       sizeof(*list.functions));
	list.names = memory_zeroed(program->pool.strings.count, sizeof(*list.names));
	for (size_t i = 0; i < program->sites.functions.count; i++) {
		const struct site_function *function = &program->sites.functions.data[i];
		const struct judged_function *judged = selection_of_function(
			&program->selection, function->name, function->number);
		struct listed_function *listed;

		if (!function->sites || !judged)
			continue;
		listed = &list.functions[judged - program->selection.functions.data];
		listed->first = listed->first ? listed->first : function;
		listed->sites.count += function->sites;
		listed->sites.parameters += function->parameters;
		listed->sites.locations += function->known;
	}
	find_kfuncs(&list);
	look_at_symbols(&list);
	function_list_put_head(out);
	for (size_t i = 0; i < program->selection.functions.count && out->count < limit; i++) {
		const struct judged_function *judged = &program->selection.functions.data[i];
		size_t end = list.next;

		while (end < instances->functions.count && list.order[end].key == i)
			end++;
		set_name_fields(&list, i, end);
		if (end == list.next) {
			function_list_put_field(out,
						string_pool_text(&program->pool, judged->name));
			text_add_string(out, "-\t-\t");
			function_list_put_field(out, unit_of_inlined(&list, i));
			text_add_string(out, verdict_texts[judged->verdict].code);
			text_add_string(out, "\t-\t-\t-\t");
			text_add(out, list.name_fields.data, list.name_fields.count);
			text_add_string(out, "-\n");
		}
		for (size_t k = 0; list.next < end && out->count < limit; list.next++, k++)
			print_instance(&list, judged,
				       &instances->functions.data[list.order[list.next].value],
				       &list.states.data[k]);
	}
	free(list.order);
	free(list.names);
	free(list.functions);
	free(list.callers);
	array_release(&list.name_fields);
	array_release(&list.states);
	attach_tables_release(&list.tables);
	return out->count < limit || function_list_too_long(program->object.path, err);
}
