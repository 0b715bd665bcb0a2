/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Fills an explanation by DWARF: a program that has been judged, with the sites of the name that
 * is asked for (encoder/sites/sites.h).
 */
#include <elf.h>
#include <string.h>

#include "commands/explain/explain_dwarf.h"
#include "commands/explain/explain_argument.h"

static uint64_t die_offset(const struct program *program, struct group_id group, uint32_t die)
{
	return program->groups.groups.data[group.index].begin + die;
}

/*
 * What instances, sites and a lone symbol have in common. If no other symbol has the instance's
 * name, that is the symbol, and not whatever alias comes first at the address.
 */
static struct probe_point point_at(const struct explanation *explanation, uint64_t address,
				       bool is_entry, const struct symbol *symbol)
{
	const struct attach_image *image = &explanation->image;
	const struct section_header *section = attach_section_at(image->object, address);
	struct probe_point point = {
		.address = address, .section = section ? section->name : "",
		.section_offset = section ? address - section->address : 0,
		.function = symbol ? symbol->name : explanation->name, .symbol = symbol,
	};

	if (!symbol || !symbol_table_only_code(image->symbols, symbol->name))
		symbol = attach_symbol_at(image, address);
	if (!image->object->relocatable)
		attach_address(image->object, address, point.where);
	attach_probe(image, symbol, address, address, point.probe);
	point.attach = attach_state_at(image, address, point.section, is_entry);
	return point;
}

static void add_arguments(struct probe_point *point, const struct explanation *explanation,
			  bool by_convention, struct node_ref points)
{
	const struct argument_source source = {
		.room = explanation->room,
		.by_convention = by_convention,
		.loc_proto = type_words(&explanation->types, points.word) };

	explain_arguments(point, &explanation->types, &source);
}

/* ---- instances ---- */

/*
 * A definition without an address that was taken for the code under its symbol, although another
 * DIE describes just that code: GCC leaves such definitions of functions that it has split.
 */
static bool is_shadow(const struct instances *instances, const struct function_instance *instance)
{
	for (size_t i = 0; instance->folded && i < instances->functions.count; i++) {
		const struct function_instance *other = &instances->functions.data[i];

		if (other->name.index == instance->name.index &&
		    other->address == instance->address &&
		    other->group.index == instance->group.index &&
		    !other->folded)
			return true;
	}
	return false;
}

void explain_dwarf_instance(struct explanation *explanation,
			    const struct function_instance *instance)
{
	const struct program *program = explanation->program;
	uint64_t die = die_offset(program, instance->group, instance->declared_die);
	struct probe_point point;

	if (!*explanation->room || is_shadow(&program->instances, instance))
		return;
	point = point_at(explanation, instance->address, true,
			 instance->symbol == NO_SYMBOL
				 ? NULL : &program->symbols.symbols.data[instance->symbol]);
	point.instance = instance;
	point.join = instance->join;
	/* Assembler code has no DW_AT_external; ThinLTO makes static functions global by suffix. */
	point.is_global = instance->external ||
			  (point.symbol && point.symbol->binding != STB_LOCAL &&
			   !point.symbol->name[point.symbol->base_length]);
	point.unit = source_unit_of_die(&explanation->lines, die);
	point.declared = source_line_of_die(&explanation->lines, die);
	point.true_prototype = instance_true_prototype(instance).word;
	/* GCC's .isra drops results; that a caller reads it shows that this one did not. */
	point.result_in_doubt = instance->join == JOIN_CLONE &&
				(instance->result_in_doubt || instance->folded);
	if (!(instance->reasons & REASON(NO_PROTOTYPE)))
		point.prototype = instance->prototype.word;
	add_arguments(&point, explanation, instance_is_by_convention(instance),
		      instance->locations);
	for (uint32_t i = 0; i < instance->finding_count && i < point.parameters.count; i++)
		explain_evidence(&point, i, &explanation->types,
				 &program->instances.findings, instance->first_finding + i);
	array_push(&explanation->instances, point);
}

/* The entry of cold code, or of a part, that has no DIE of its own. */
void explain_dwarf_fragment(struct explanation *explanation, const struct site_fragment *fragment)
{
	const struct program *program = explanation->program;
	struct probe_point point =
		point_at(explanation, fragment->site.address, true,
			 &program->symbols.symbols.data[fragment->symbol]);

	point.prototype = program->sites.functions.data[fragment->site.function].prototype.word;
	point.join = (uint8_t)join_by_suffix(point.function, explanation->name);
	add_arguments(&point, explanation, false, fragment->site.locations);
	array_push(&explanation->instances, point);
}

void explain_dwarf_callee(const struct explanation *explanation,
			  const struct function_instance *instance, struct probe_point *point)
{
	*point = point_at(explanation, instance->address, true,
			  &explanation->program->symbols.symbols.data[instance->symbol]);
	point->view = type_trampoline_view(&explanation->types, instance->prototype.word);
	point->fentry = trampoline_answer(&explanation->image, point->function, &point->view);
}

/* ---- inline sites ---- */

void explain_dwarf_site(struct explanation *explanation, size_t index)
{
	const struct program *program = explanation->program;
	const struct site_list *sites = &program->sites;
	const struct site *site = &sites->sites.data[index];
	const struct site_function *function = &sites->functions.data[site->function];
	struct probe_point point;

	if (!*explanation->room)
		return;
	point = point_at(explanation, site->address, false, NULL);
	point.function = string_pool_text(&program->pool, function->name);
	point.symbol = attach_symbol_at(&explanation->image, site->address);
	point.prototype = function->prototype.word;
	if (index < sites->sources.count) {
		point.source = &sites->sources.data[index];
		point.in_itself = point.source->in_itself ||
				  strcmp(point.source->caller, point.function) == 0;
	}
	add_arguments(&point, explanation, false, site->locations);
	array_push(&explanation->sites, point);
}

void explain_locate_sites(struct explanation *explanation, size_t count)
{
	for (size_t i = 0; i < count && i < explanation->sites.count; i++) {
		struct probe_point *point = &explanation->sites.data[i];
		const struct site_source *source = point->source;

		if (source && source->call_line && !point->call.line)
			point->call = source_line_in_unit(&explanation->lines, source->die,
							  source->call_file, source->call_line);
	}
	for (size_t i = 0; i < explanation->namesake_count; i++)
		explain_locate_sites(&explanation->namesakes[i], count);
}

/* ---- the name as a whole ---- */

/* Where DWARF knows no code: the symbol of that name. */
static void find_entry(struct explanation *explanation)
{
	const struct program *program = explanation->program;
	struct symbol_search search = symbol_table_search(&program->symbols, explanation->name);
	const struct symbol *symbol, *found = NULL;

	while ((symbol = symbol_search_next(&search))) {
		const struct section_header *section =
			attach_section_at(&program->object, symbol->address);

		if (symbol_is_function(symbol) || (symbol->type == STT_NOTYPE && section &&
						   section->flags & SHF_EXECINSTR))
			found = symbol;
	}
	if (!found)
		return;
	explanation->has_entry = true;
	explanation->entry = point_at(explanation, found->address, true, NULL);
	explanation->entry.symbol = found;
	explanation->entry.join = JOIN_SAME;
}

/* Of what is found in no unit that was read, the code aside. */
static void find_excluded(struct explanation *explanation)
{
	const struct program *program = explanation->program;
	struct excluded_query query = {
		.name = explanation->name,
		.types = !explanation->has_entry && explanation->kind == ASKED_ANY,
		.functions = true,
		.has_address = explanation->has_entry,
		.address = explanation->entry.address,
	};

	if (program->excluded_units && !explanation->instances.count &&
	    !explanation->sites.count)
		explanation->excluded = program_find_excluded(program, &query);
}

/* By the judged instance, or by a definition rather than one of all callers' declarations. */
struct described {
	struct explanation *explanation;
	const struct judged_function *judged;	/* NULL: no code, and no inline site */
	const struct site_function *best;
};

static const struct function_instance *instance_of(const struct described *described)
{
	const struct instances *instances = &described->explanation->program->instances;
	const struct judged_function *judged = described->judged;

	return judged && judged->instance != NO_INSTANCE
		       ? &instances->functions.data[judged->instance] : NULL;
}

static void finish(const struct described *described)
{
	struct explanation *explanation = described->explanation;
	const struct program *program = explanation->program;
	const struct judged_function *judged = described->judged;
	const struct function_instance *instance = instance_of(described);
	const struct site_function *best = described->best;
	uint64_t die = 0;

	if (instance && !(judged->reasons & REASON(NO_PROTOTYPE))) {
		explanation->prototype_id = instance->prototype.word;
		die = die_offset(program, instance->group, instance->declared_die);
	} else if (best && !ref_is_void(best->prototype)) {
		explanation->prototype_id = best->prototype.word;
		die = die_offset(program, best->group, best->declared_die);
	}
	if (explanation->prototype_id)
		explanation->declared = source_line_of_die(&explanation->lines, die);
	explanation->is_described = best;
	explanation->has_function = judged || best || explanation->has_entry;
	if (explanation->has_function)
		explanation->reasons = instance ? judged->reasons
				       : explanation->has_entry ? REASON(NO_PROTOTYPE)
								: REASON(INLINED_ONLY);
	explanation->func = instance && !judged->reasons ? FUNC_PROMISED : FUNC_NONE;
}

static bool is_better(const struct site_function *function, const struct site_function *best)
{
	if (!best || ref_is_void(best->prototype))
		return true;
	return !ref_is_void(function->prototype) && best->is_declaration &&
	       !function->is_declaration;
}

/* The functions of a name, the first before its namesakes. */
struct described_name {
	const struct program *program;
	struct pool_id name;
	struct described *described;
	uint32_t *number;		/* by judged function: of `described` */
};

/* Whose an instance or site is; NULL: of another name. */
static struct described *whose(const struct described_name *name, struct pool_id id,
			       uint32_t number)
{
	const struct selection *selection = &name->program->selection;
	const struct judged_function *judged;

	if (id.index != name->name.index)
		return NULL;
	judged = selection_of_function(selection, id, number);
	return &name->described[judged ? name->number[judged - selection->functions.data] : 0];
}

static void take_all(const struct described_name *name)
{
	const struct instances *instances = &name->program->instances;
	const struct site_list *sites = &name->program->sites;
	struct described *described;

	array_each(const struct site_function, function, &sites->functions) {
		described = whose(name, function->name, function->number);
		if (described && is_better(function, described->best))
			described->best = function;
	}
	array_each(const struct function_instance, instance, &instances->functions) {
		described = whose(name, instance->name, instance->number);
		/* That of a function without code is a namesake's. */
		if (described && instance_of(described))
			explain_dwarf_instance(described->explanation, instance);
	}
	array_each(const struct site_fragment, fragment, &sites->fragments) {
		const struct site_function *function =
			&sites->functions.data[fragment->site.function];

		described = whose(name, function->name, function->number);
		if (described && instance_of(described))
			explain_dwarf_fragment(described->explanation, fragment);
	}
	for (size_t i = 0; i < sites->sites.count; i++) {
		const struct site_function *function =
			&sites->functions.data[sites->sites.data[i].function];

		described = whose(name, function->name, function->number);
		if (described)
			explain_dwarf_site(described->explanation, i);
	}
}

void explain_dwarf_fill(struct explanation *explanation)
{
	const struct program *program = explanation->program;
	const char *name = explanation->name;
	const struct judged_function *functions = program->selection.functions.data;
	const struct judged_function *judged =
		selection_find(&program->selection, &program->pool, name);
	const struct pool_string string = pool_string(name);
	struct described_name all = { .program = program,
				      .name = string_pool_find(&program->pool, &string) };
	size_t count = 1;

	for (const struct judged_function *other = judged; other && other->next; count++)
		other = &functions[other->next - 1];
	explanation_add_namesakes(explanation, count - 1);
	all.described = memory_zeroed(count, sizeof(*all.described));
	all.number = memory_zeroed(program->selection.functions.count + 1, sizeof(*all.number));
	for (size_t i = 0; i < count; i++) {
		all.described[i].explanation = i ? &explanation->namesakes[i - 1] : explanation;
		all.described[i].judged = judged;
		if (judged)
			all.number[judged - functions] = (uint32_t)i;
		judged = judged && judged->next ? &functions[judged->next - 1] : NULL;
	}
	if (!instance_of(&all.described[0]))
		find_entry(explanation);
	if (all.name.index)
		take_all(&all);
	for (size_t i = 0; i < count; i++)
		finish(&all.described[i]);
	find_excluded(explanation);
	free(all.described);
	free(all.number);
}
