/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain.h"

#include <elf.h>
#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "commands/explain/explain_place.h"

static const struct abi *abi_of_program(const struct explanation *explanation)
{
	return explanation->program->workers[0].evidence.abi;
}

static char *declaration(const struct explanation *explanation, struct node_ref type,
			 const char *name)
{
	struct text_buffer buffer;

	c_declaration_print(text_begin(&buffer), &explanation->program->table,
			    &explanation->program->pool, type, name);
	return text_end(&buffer);
}

/* ---- parameters ---- */

/* Nothing says that callers call it in another way than it is declared. */
static bool is_called_as_declared(const struct function_instance *instance)
{
	const reason_set harmless = REASON(INVALID_NAME) | REASON(NO_PROTOTYPE) |
				    REASON(UNNAMED_PARAM);

	return instance->join == JOIN_SAME && !(instance->reasons & ~harmless);
}

/*
 * In a function that is called as it is declared, a parameter of which nothing is known is still
 * where the ABI wants it. In others only what DWARF shows is true.
 */
static bool print_fetch(FILE *out, const struct explanation *explanation,
			const struct function_instance *instance,
			const struct parameter_finding *finding,
			const struct scanned_parameter *scanned, uint32_t number)
{
	const struct abi *abi = abi_of_program(explanation);

	if (!abi)
		return false;
	switch ((enum parameter_state)finding->state) {
	case PARAMETER_STORED:
	case PARAMETER_NOT_COMPARED:
	case PARAMETER_ABSENT:
		if (!is_called_as_declared(instance))
			return false;
		/* fall through */
	case PARAMETER_IN_PLACE:
		return finding->expected_known &&
		       place_print_fetch_expected(out, abi, &finding->expected, scanned, number);
	case PARAMETER_ELSEWHERE:
	case PARAMETER_CONSTANT:
		return place_print_fetch_found(out, abi, &finding->found, true, scanned, number);
	default: return false;
	}
}

static void examine_parameter(struct explained_parameter *parameter,
			      const struct explanation *explanation,
			      const struct function_instance *instance,
			      const struct scanned_parameter *scanned, uint32_t number)
{
	const struct abi *abi = abi_of_program(explanation);
	const struct parameter_finding *finding = parameter->finding;
	struct text_buffer expected, found, fetch;

	text_begin(&expected);
	text_begin(&found);
	text_begin(&fetch);
	if (finding && finding->expected_known && abi)
		place_print_expected(expected.stream, abi, &finding->expected);
	if (finding)
		place_print_found(found.stream, abi, &finding->found, true);
	if (finding && scanned)
		print_fetch(fetch.stream, explanation, instance, finding, scanned, number);
	parameter->expected = text_end(&expected);
	parameter->found = text_end(&found);
	parameter->fetch = text_end(&fetch);
}

static const struct scanned_parameter *scanned_parameter(const struct scan *scan,
							const struct scanned_function *function,
							uint32_t number)
{
	if (!function || number >= function->parameter_count)
		return NULL;
	return &scan->parameters.data[function->first_parameter + number];
}

static void add_parameters(struct explained_instance *explained,
			   const struct explanation *explanation,
			   const struct scanned_function *scanned)
{
	const struct program *program = explanation->program;
	const struct function_instance *instance = explained->instance;
	const uint32_t *words = node_words(&program->table, ref_node(instance->prototype));
	uint32_t count = btf_info_vlen(words[BTF_WORD_INFO]);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *element = words + BTF_HEAD_WORDS + 2 * i;
		struct explained_parameter parameter = {
			.name = string_pool_word_text(&program->pool, element[0]) };

		if (!element[0] && !element[1])
			break;		/* the dots of a variadic function */
		if (i < instance->finding_count)
			parameter.finding =
				&program->instances.findings.data[instance->first_finding + i];
		parameter.type = declaration(explanation, ref_of_word(element[1]), "");
		examine_parameter(&parameter, explanation, instance,
				  scanned_parameter(&explanation->scan, scanned, i), i);
		explained->unknown_parameters += !*parameter.fetch;
		array_push(&explained->parameters, parameter);
	}
}

/* ---- instances ---- */

static void add_instance(struct explanation *explanation,
			 const struct function_instance *instance)
{
	const struct program *program = explanation->program;
	const struct unit_group *group = &program->groups.groups.data[instance->group];
	const struct section_header *section = attach_section_at(program, instance->address);
	const struct scanned_function *scanned =
		scan_find(&explanation->scan, group->begin + instance->declared_die);
	struct explained_instance explained = {
		.instance = instance,
		.section = section ? section->name : "",
		.unit = source_unit_of_die(&explanation->lines,
					   group->begin + instance->declared_die),
		.declared = source_line_of_die(&explanation->lines,
					       group->begin + instance->declared_die),
		.prototype = instance->reasons & REASON(NO_PROTOTYPE)
				     ? NULL : declaration(explanation, instance->prototype,
							  explanation->name),
		.attach = attach_state_at(program, instance->address),
		.trampoline = trampoline_view(program, ref_is_void(instance->true_prototype)
								? instance->prototype
								: instance->true_prototype),
	};

	explained.fentry = trampoline_answer(&explanation->kernel, &explained.trampoline);
	if (instance->symbol != NO_SYMBOL)
		explained.symbol = &program->symbols.symbols.data[instance->symbol];
	if (!ref_is_void(instance->true_prototype))
		explained.true_prototype = declaration(explanation, instance->true_prototype,
						       explained.symbol ? explained.symbol->name
									: explanation->name);
	if (scanned)
		explained.result = scanned->result;
	/* The symbol of its name, not whatever alias comes first at the address. */
	if (explained.symbol && attach_only_symbol(program, explained.symbol->name))
		snprintf(explained.place, sizeof(explained.place), "%s", explained.symbol->name);
	else
		attach_place(program, instance->address, explained.place,
			     sizeof(explained.place));
	add_parameters(&explained, explanation, scanned);
	array_push(&explanation->instances, explained);
}

/*
 * A definition without an address that was taken for the code under its symbol, although another
 * DIE describes just that code: GCC leaves such definitions of functions that it has split.
 */
static bool is_shadow(const struct instances *instances, const struct function_instance *instance)
{
	if (instance->die != instance->declared_die || instance->finding_count)
		return false;
	for (size_t i = 0; i < instances->functions.count; i++) {
		const struct function_instance *other = &instances->functions.data[i];

		if (other->name.index == instance->name.index &&
		    other->address == instance->address && other->group == instance->group && other->die != other->declared_die)
			return true;
	}
	return false;
}

static void add_instances(struct explanation *explanation)
{
	const struct program *program = explanation->program;
	const struct instances *instances = &program->instances;

	if (!explanation->judged)
		return;
	for (size_t i = 0; i < instances->functions.count; i++) {
		const struct function_instance *instance = &instances->functions.data[i];

		if (instance->name.index == explanation->judged->name.index &&
		    !is_shadow(instances, instance))
			add_instance(explanation, instance);
	}
}

/* ---- inline sites ---- */

static const struct scanned_argument *find_argument(const struct scan *scan,
						    const struct scanned_site *site,
						    uint32_t number)
{
	for (uint32_t i = 0; i < site->argument_count; i++) {
		const struct scanned_argument *argument =
			&scan->arguments.data[site->first_argument + i];

		if (argument->parameter == number)
			return argument;
	}
	return NULL;
}

/* In the order of the parameters: compilers describe them in another one here. */
static char *site_fetch(const struct explanation *explanation, const struct scanned_site *site)
{
	const struct scan *scan = &explanation->scan;
	const struct scanned_function *function = scan_find(scan, site->declared);
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);
	bool any = false;

	for (uint32_t i = 0; function && i < function->parameter_count; i++) {
		const struct scanned_argument *argument = find_argument(scan, site, i);
		struct text_buffer one;
		char *fetch;

		if (!argument)
			continue;
		place_print_fetch_found(text_begin(&one), abi_of_program(explanation),
					&argument->location, false,
					&scan->parameters.data[function->first_parameter + i], i);
		fetch = text_end(&one);
		fprintf(out, "%s%s", any && *fetch ? " " : "", fetch);
		any |= *fetch != '\0';
		free(fetch);
	}
	return text_end(&buffer);
}

/* Of what the linker threw away, DWARF keeps sites at 0 and other addresses without code. */
static void add_sites(struct explanation *explanation)
{
	const struct program *program = explanation->program;

	for (size_t i = 0; i < explanation->scan.sites.count; i++) {
		const struct scanned_site *site = &explanation->scan.sites.data[i];
		const struct section_header *section = attach_section_at(program, site->address);
		struct explained_site explained = { .site = site };

		if (!section || !(section->flags & SHF_EXECINSTR))
			continue;
		explained.symbol = attach_symbol_at(program, site->address);
		explained.in_itself =
			site->in_itself || strcmp(site->caller, explanation->name) == 0;
		explanation->outer_sites += !explained.in_itself;
		attach_place(program, site->address, explained.place, sizeof(explained.place));
		explained.fetch = site_fetch(explanation, site);
		explained.forbidden = attach_kprobe_forbidden(program, site->address);
		array_push(&explanation->sites, explained);
	}
}

void explain_locate_sites(struct explanation *explanation, size_t count)
{
	for (size_t i = 0; i < count && i < explanation->sites.count; i++) {
		struct explained_site *explained = &explanation->sites.data[i];
		const struct scanned_site *site = explained->site;

		if (site->call_line && !explained->call.line)
			explained->call = source_line_in_unit(&explanation->lines, site->die,
							      site->call_file, site->call_line);
	}
}

/* ---- the name as a whole ---- */

static struct trampoline_kernel kernel_of(const struct program *program)
{
	const struct object *object = &program->object;

	return (struct trampoline_kernel){
		.abi = abi_of(object),
		.version = kernel_version_of_image(object->elf, &program->symbols),
		.is_module = object->relocatable,
		.built_in = (uint8_t)trampoline_built_in(&program->symbols, true),
	};
}

static void find_lone_symbol(struct explanation *explanation)
{
	const struct program *program = explanation->program;
	struct symbol_search search = symbol_table_search(&program->symbols, explanation->name);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		const struct section_header *section = attach_section_at(program, symbol->address);

		if (symbol_is_function(symbol) || (symbol->type == STT_NOTYPE && section &&
						   section->flags & SHF_EXECINSTR))
			explanation->lone_symbol = symbol;
	}
}

/* An assembler's DIE and `extern f()` have no parameters, because nobody knows them. */
static bool says_prototype(const struct scanned_function *function)
{
	return !(function->flags & FUNCTION_ASSEMBLER) &&
	       (function->parameter_count || function->flags & FUNCTION_PROTOTYPED);
}

/* A definition rather than one of the declarations that all who call it have. */
static const struct scanned_function *best_declaration(const struct explanation *explanation)
{
	const struct scanned_function *best = NULL;

	for (size_t i = 0; i < explanation->scan.functions.count; i++) {
		const struct scanned_function *function = &explanation->scan.functions.data[i];

		if (says_prototype(function) &&
		    (!best || (best->flags & FUNCTION_DECLARATION &&
			       !(function->flags & FUNCTION_DECLARATION))))
			best = function;
	}
	return best;
}

static void describe_name(struct explanation *explanation)
{
	const struct scanned_function *best = best_declaration(explanation);
	struct lone_prototype lone;
	struct text_buffer buffer;

	if (explanation->judged && !(explanation->judged->reasons & REASON(NO_PROTOTYPE))) {
		const struct function_instance *instance = &explanation->program->instances
				.functions.data[explanation->judged->instance];

		explanation->prototype = declaration(explanation, instance->prototype,
						     explanation->name);
		explanation->declared = source_line_of_die(
			&explanation->lines, explanation->program->groups.groups
					.data[instance->group].begin + instance->declared_die);
	} else if (best) {
		if (lone_prototype_read(&lone, explanation->program, best)) {
			c_declaration_print(text_begin(&buffer), &lone.table, &lone.pool,
					    lone.prototype, explanation->name);
			explanation->prototype = text_end(&buffer);
		}
		lone_prototype_release(&lone);
		explanation->declared = source_line_of_die(&explanation->lines, best->die);
	}
}

static void set_verdict(struct explanation *explanation)
{
	if (explanation->judged)
		explanation->reasons = explanation->judged->reasons;
	else if (explanation->lone_symbol)
		explanation->reasons = REASON(NO_PROTOTYPE);
	else
		explanation->reasons = REASON(INLINED_ONLY);
	explanation->verdict = reasons_verdict(explanation->reasons);
}

bool explain(struct explanation *explanation, const struct program *program, const char *name,
	     const char *asked)
{
	*explanation = (struct explanation){ .program = program, .name = name, .asked = asked };
	explanation->judged = selection_find(&program->selection, &program->pool, name);
	explanation->tracepoint = tracepoint_find(program, name);
	scan_function(&explanation->scan, program, name);
	if (!explanation->judged)
		find_lone_symbol(explanation);
	if (!explanation_has_function(explanation) && !explanation->tracepoint)
		return false;
	source_lines_open(&explanation->lines, &program->object);
	explanation->kernel = kernel_of(program);
	describe_name(explanation);
	add_instances(explanation);
	add_sites(explanation);
	set_verdict(explanation);
	advice_give(explanation);
	return true;
}

static void release_instance(struct explained_instance *instance)
{
	for (size_t i = 0; i < instance->parameters.count; i++) {
		struct explained_parameter *parameter = &instance->parameters.data[i];

		free(parameter->type);
		free(parameter->expected);
		free(parameter->found);
		free(parameter->fetch);
	}
	array_release(&instance->parameters);
	free(instance->prototype);
	free(instance->true_prototype);
}

void explanation_release(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.count; i++)
		release_instance(&explanation->instances.data[i]);
	for (size_t i = 0; i < explanation->sites.count; i++)
		free(explanation->sites.data[i].fetch);
	for (size_t i = 0; i < explanation->advice.count; i++)
		free(explanation->advice.data[i].text);
	array_release(&explanation->instances);
	array_release(&explanation->sites);
	array_release(&explanation->advice);
	free(explanation->prototype);
	free(explanation->headline);
	tracepoint_free(explanation->tracepoint);
	scan_release(&explanation->scan);
	source_lines_close(&explanation->lines);
}
