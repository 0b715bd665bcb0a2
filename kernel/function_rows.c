/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/function_rows.h"

#include <string.h>

#include "base/sort.h"
#include "btf/dedup/c_declaration.h"
#include "btf/inspect.h"
#include "kernel/attach/trampoline.h"

const char *const function_columns[COLUMN_COUNT] = { FUNCTION_COLUMN_LIST(LIST_CODE) };
const char *const function_marks[MARK_COUNT] = { FUNCTION_MARK_LIST(LIST_CODE) };
const char *const function_reasons[VERDICT_COUNT] = { VERDICT_LIST(LIST_CODE) };

/* ---- what rows point to ---- */

#define BLOCK_BYTES ((size_t)1 << 16)
#define ALIGNMENT   _Alignof(struct row_parameter)

void *function_rows_keep(struct function_rows *rows, const void *bytes, size_t count)
{
	size_t rounded = (count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	char *kept;

	if (!count)
		return NULL;
	if (rounded > rows->room) {
		rows->room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
		rows->free = memory_alloc(rows->room);
		array_push(&rows->blocks, rows->free);
	}
	kept = rows->free;
	rows->free += rounded;
	rows->room -= rounded;
	rows->bytes += count;
	return memcpy(kept, bytes, count);
}

char *function_rows_keep_text(struct function_rows *rows, const char *text)
{
	struct text clean = { 0 };
	char *kept;

	text_add_clean(&clean, text);
	text_add_char(&clean, '\0');
	kept = function_rows_keep(rows, clean.data, clean.count);
	array_release(&clean);
	return kept;
}

void function_rows_append(struct function_rows *rows, struct function_rows *from)
{
	array_reserve(rows, from->count);
	for (size_t i = 0; i < from->count; i++)
		rows->data[rows->count++] = from->data[i];
	for (size_t i = 0; i < from->blocks.count; i++)
		array_push(&rows->blocks, from->blocks.data[i]);
	/* Of these the last is the one with room. */
	rows->free = from->free;
	rows->room = from->room;
	rows->bytes += from->bytes;
	from->blocks.count = 0;
	function_rows_release(from);
}

void function_rows_release(struct function_rows *rows)
{
	array_free(&rows->blocks);
	array_release(rows);
	*rows = (struct function_rows){ 0 };
}

/* Rows of kernels have one and a half times the size of their BTF. */
bool function_rows_are_too_long(const struct function_rows *rows, uint64_t file_bytes,
				const char *path, struct error *err)
{
	return rows->bytes > ((size_t)64 << 20) + file_bytes * 64 &&
	       !error_at(err, path, "its prototypes are out of all proportion to the file; is it "
			 "intact?");
}

/* ---- names ---- */

/*
 * The unit where the function was written, not where its code was put together: an LTO link has all
 * code in units called "<artificial>". A partial unit of dwz has no name. NULL: neither has one.
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
	return NULL;
}

struct listed_name {
	uint32_t suffixes;		/* bits of enum suffix */
	uint32_t marks;			/* bits of enum function_mark: kfunc, exported */
};

struct listed_function {
	struct function_sites sites;
	const struct site_function *first;	/* that has sites; NULL: none has */
};

struct listing {
	const struct program *program;
	struct function_rows *rows;
	struct attach_image image;
	struct attach_tables tables;	/* of the image */
	uint32_t *callers;		/* by judged function; NULL: not known */
	struct listed_function *functions;	/* by judged function */
	struct listed_name *names;	/* by pool id */
	struct sort_item *order;	/* instances by judged function */
	size_t next;			/* the first that has no row */
	const char *module;		/* of the rows; or NULL */
	struct text text;		/* of a prototype */
};

static void find_kfuncs(struct listing *list)
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
static void look_at_symbols(struct listing *list)
{
	const struct program *program = list->program;
	const struct symbol_table *symbols = &program->symbols;

	array_each(const struct symbol, symbol, &symbols->symbols) {
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

/* The instances in the order of their judged functions. */
static struct sort_item *order_by_name(const struct program *program)
{
	const struct instances *instances = &program->instances;
	struct sort_item *order = memory_alloc(instances->functions.count * sizeof(*order));

	for (uint32_t i = 0; i < instances->functions.count; i++) {
		const struct function_instance *instance = &instances->functions.data[i];
		const struct judged_function *judged = selection_of_function(
			&program->selection, instance->name, instance->number);

		/* That of a function without code is a namesake's, and is no row. */
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
static const char *unit_of_inlined(const struct listing *list, size_t index)
{
	const struct judged_function *judged = &list->program->selection.functions.data[index];
	const struct judged_function *first = selection_of(&list->program->selection, judged->name);
	const struct site_function *function = list->functions[index].first;

	return first->next && function
		       ? source_unit_name(list->program, function->group, function->declared_die,
					  function->declared_die) : NULL;
}

/* ---- rows ---- */

/*
 * Those that are not passed as declared, in the prototype's order. Findings are kept only for
 * instances that have reasons.
 */
static void add_parameters(struct listing *list, struct function_row *row,
			   const struct function_instance *instance)
{
	const struct program *program = list->program;
	const uint32_t *words = node_words(&program->table, ref_node(instance->prototype));
	uint32_t count = btf_element_count(words);
	ARRAY_OF(struct row_parameter) parameters = { 0 };

	for (uint32_t i = 0; instance->reasons && i < instance->finding_count && i < count; i++) {
		const struct parameter_finding *finding =
			&program->instances.findings.data[instance->first_finding + i];
		const char *name =
			string_pool_word_text(&program->pool, *btf_element(words, i));
		char *kept;

		if (finding->state < PARAMETER_PARTLY)
			continue;
		kept = function_rows_keep_text(list->rows, *name ? name : "-");
		/* In a list these end it. */
		for (char *c = kept; (c = strpbrk(c, ":,"));)
			*c = '?';
		array_push(&parameters, ((struct row_parameter){ kept, finding->state }));
	}
	row->parameter_count = (uint32_t)parameters.count;
	row->parameters = function_rows_keep(list->rows, parameters.data,
					     parameters.count * sizeof(*parameters.data));
	array_release(&parameters);
}

/* What the name's row has already. */
static void add_instance(struct listing *list, struct function_row row,
			 const struct function_instance *instance, enum attach_answer hook)
{
	const struct program *program = list->program;
	char address[ATTACH_PROBE_BYTES];
	const char *unit = source_unit_name(program, instance->group, instance->declared_die,
					    instance->die);

	attach_address(&program->object, instance->address, address);
	row.address = function_rows_keep_text(list->rows, address);
	if (instance->symbol != NO_SYMBOL) {
		const char *symbol = program->symbols.symbols.data[instance->symbol].name;

		row.symbol = strcmp(symbol, row.name) == 0
				     ? row.name : function_rows_keep_text(list->rows, symbol);
		row.join = (uint8_t)join_by_suffix(row.symbol, row.name);
	}
	row.unit = unit ? function_rows_keep_text(list->rows, unit) : NULL;
	row.reasons = instance->reasons;
	if (!(instance->reasons & REASON(NO_PROTOTYPE))) {
		list->text.count = 0;
		c_declaration_add(&list->text, &program->table, &program->pool,
				  instance->prototype,
				  string_pool_text(&program->pool, instance->name));
		text_add_char(&list->text, '\0');
		row.prototype =
			function_rows_keep(list->rows, list->text.data, list->text.count);
	}
	add_parameters(list, &row, instance);
	row.hook = (uint8_t)hook;
	row.unknown |= (uint32_t)(hook == ATTACH_UNKNOWN) << COLUMN_HOOK;
	array_push(list->rows, row);
}

/* All rows of a name; its instances end there. False: the rows are too long. */
static bool add_name(struct listing *list, size_t index, size_t end, struct error *err)
{
	const struct program *program = list->program;
	const struct judged_function *judged = &program->selection.functions.data[index];
	/* Kfuncs and exports are found by the name: they are the first. */
	const struct listed_name none = { 0 };
	const struct symbol *symbols = program->symbols.symbols.data;
	const struct listed_name *name = selection_is_first(&program->selection, judged)
						 ? &list->names[judged->name.index] : &none;
	bool is_alone = name != &none && !judged->next;
	bool global = false, init = end > list->next;
	const char *unit = end > list->next ? NULL : unit_of_inlined(list, index);
	struct function_row row = {
		.name = function_rows_keep_text(list->rows,
						string_pool_text(&program->pool, judged->name)),
		.unit = unit ? function_rows_keep_text(list->rows, unit) : NULL,
		.verdict = (uint8_t)judged->verdict, .module = list->module,
		.suffixes = is_alone ? name->suffixes : 0, .sites = list->functions[index].sites,
		.callers = list->callers ? list->callers[index] : 0,
		.unknown = (uint32_t)!list->callers << COLUMN_CALLERS };
	ARRAY_OF(uint8_t) hooks = { 0 };
	bool good = true;

	for (size_t i = list->next; i < end; i++) {
		const struct function_instance *instance =
			&program->instances.functions.data[list->order[i].value];
		struct attach_state state =
			attach_state_of_entry(&list->image, instance->address, true);

		global |= instance->external;
		if (!is_alone && instance->symbol != NO_SYMBOL)
			row.suffixes |= symbol_parse(symbols[instance->symbol].name).suffixes;
		init &= state.init;
		array_push(&hooks, (uint8_t)state.ftrace);
	}
	row.suffixes &= ~(1u << SUFFIX_NUMBER);
	row.marks = name->marks | (uint32_t)global << MARK_GLOBAL | (uint32_t)init << MARK_INIT;
	if (end == list->next)
		array_push(list->rows, row);
	/* All instances of one name may share one long prototype. */
	for (size_t i = 0; good && list->next < end; list->next++, i++) {
		add_instance(list, row,
			     &program->instances.functions.data[list->order[list->next].value],
			     (enum attach_answer)hooks.data[i]);
		good = !function_rows_are_too_long(list->rows, program->object.stored_bytes,
						   program->object.path, err);
	}
	array_release(&hooks);
	return good;
}

bool function_rows_add_program(struct function_rows *rows, const struct program *program,
			       const char *module, struct error *err)
{
	const struct instances *instances = &program->instances;
	size_t functions = program->selection.functions.count;
	struct listing list = { .program = program, .rows = rows, .order = order_by_name(program),
				.callers = program_count_callers(program),
				.module = module ? function_rows_keep_text(rows, module) : NULL };
	bool good = true;

	list.image.module = module;
	attach_image_of_file(&list.image, &list.tables, &program->object, &program->symbols,
			     program_base(program));
	array_reserve(rows, instances->functions.count + functions);
	list.functions = memory_zeroed(functions, sizeof(*list.functions));
	list.names = memory_zeroed(program->pool.strings.count, sizeof(*list.names));
	array_each(const struct site_function, function, &program->sites.functions) {
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
	for (size_t i = 0; i < functions && good; i++) {
		size_t end = list.next;

		while (end < instances->functions.count && list.order[end].key == i)
			end++;
		good = add_name(&list, i, end, err);
	}
	free(list.order);
	free(list.names);
	free(list.functions);
	free(list.callers);
	array_release(&list.text);
	attach_tables_release(&list.tables);
	return good;
}
