/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain_scan.h"

#include <stdatomic.h>
#include <string.h>

#include "base/workers.h"

/* ---- the walk over all groups ---- */

/* Groups are handed out by as many at a time. */
#define GROUPS_AT_ONCE 8

typedef void (*group_function)(void *context, unsigned int worker, uint32_t group);

struct group_walk {
	uint32_t count;
	_Atomic uint32_t next;
	group_function function;
	void *context;
};

static void walk_groups(void *context, unsigned int worker)
{
	struct group_walk *walk = context;
	uint32_t first;

	while ((first = atomic_fetch_add(&walk->next, GROUPS_AT_ONCE)) < walk->count) {
		for (uint32_t g = first; g < first + GROUPS_AT_ONCE && g < walk->count; g++)
			walk->function(walk->context, worker, g);
	}
}

static void for_each_group(const struct program *program, group_function function, void *context)
{
	struct group_walk walk = { .count = (uint32_t)program->groups.groups.count,
				   .function = function, .context = context };

	workers_run(program->options->jobs, walk_groups, &walk);
}

static const struct unit *unit_of_group(const struct program *program,
					const struct unit_group *group, uint32_t i)
{
	return &program->units.data[program->groups.members.data[group->first + i]];
}

/* ---- names only ---- */

static struct unit_reader *new_reader(const struct program *program)
{
	struct unit_reader *reader = memory_zeroed(1, sizeof(*reader));

	unit_reader_init(reader, &program->object, &program->units);
	return reader;
}

static void free_reader(struct unit_reader *reader)
{
	unit_reader_release(reader);
	free(reader);
}

/* Reads names of DIEs, and what is needed to read names. */
static struct unit_reader *new_name_reader(const struct program *program)
{
	struct unit_reader *reader = new_reader(program);
	uint64_t read = UINT64_C(1) << SLOT_NAME | UINT64_C(1) << SLOT_STR_OFFSETS_BASE |
			UINT64_C(1) << SLOT_DWO_NAME;

	reader->plans.ignored_slots = ~read;
	return reader;
}

/* The next function with a name in the opened unit; NULL at its end. */
static const char *next_function_name(struct unit_reader *reader)
{
	enum die_status status;
	struct die die;
	uint64_t ignored;

	while ((status = die_cursor_next(&reader->cursor, &die)) == DIE_READ ||
	       status == DIE_NULL) {
		if (status == DIE_READ && die.tag == DW_TAG_subprogram &&
		    die_has(&die, SLOT_NAME))
			return die_cursor_string(&reader->cursor, &die, SLOT_NAME, &ignored);
	}
	return NULL;
}

struct name_walk {
	const struct program *program;
	struct unit_reader **readers;	/* by worker */
	scan_visitor visit;
	void *context;
};

static void walk_names(void *context, unsigned int worker, uint32_t number)
{
	const struct name_walk *walk = context;
	const struct unit_group *group = &walk->program->groups.groups.data[number];
	struct unit_reader *reader = walk->readers[worker];
	uint64_t language;
	struct error ignored;

	for (uint32_t i = 0; i < group->count; i++) {
		const char *name;

		if (!unit_reader_open(reader, unit_of_group(walk->program, group, i), &language,
				      &ignored))
			continue;
		while ((name = next_function_name(reader)))
			walk->visit(walk->context, worker, name);
	}
}

void scan_names(const struct program *program, scan_visitor visit, void *context)
{
	unsigned int jobs = program->options->jobs;
	struct name_walk walk = { program, memory_zeroed(jobs, sizeof(*walk.readers)), visit,
				  context };

	for (unsigned int i = 0; i < jobs; i++)
		walk.readers[i] = new_name_reader(program);
	for_each_group(program, walk_names, &walk);
	for (unsigned int i = 0; i < jobs; i++)
		free_reader(walk.readers[i]);
	free(walk.readers);
}

/* ---- fetch types ---- */

static struct fetch_type fetch_of_size(char sign, uint64_t bytes, uint8_t word_bytes)
{
	if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
		return (struct fetch_type){ sign, (uint8_t)(bytes * 8),
					    (uint8_t)(bytes > word_bytes ? 2 : 1) };
	return (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8),
				    (uint8_t)((bytes + word_bytes - 1) / word_bytes) };
}

static struct fetch_type fetch_of_base(const struct dwarf_type *type, uint8_t word_bytes)
{
	switch (type->encoding) {
	case DW_ATE_float:
	case DW_ATE_complex_float:
		return (struct fetch_type){ 0 };
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return fetch_of_size('s', type->size_bytes, word_bytes);
	default:
		return fetch_of_size('u', type->size_bytes, word_bytes);
	}
}

/* Typedefs of qualifiers of typedefs: more than this is damage. */
#define MAX_CHAIN 100

static struct fetch_type fetch_type_of(const struct dwarf_model *model, uint32_t reference,
				       uint8_t word_bytes)
{
	uint32_t index = reference == REF_NONE ? OFFSET_INDEX_NONE
					       : dwarf_model_find_type(model, reference);

	for (int i = 0; i < MAX_CHAIN && index != OFFSET_INDEX_NONE; i++) {
		const struct dwarf_type *type = &model->types.data[index];

		switch ((enum dwarf_type_kind)type->kind) {
		case DWARF_BASE: return fetch_of_base(type, word_bytes);
		case DWARF_ENUM:
			return fetch_of_size(type->flags & TYPE_NEGATIVE ? 's' : 'u',
					     type->size_bytes, word_bytes);
		case DWARF_STRUCT:
		case DWARF_UNION: return fetch_of_size('x', type->size_bytes, word_bytes);
		case DWARF_CONST:
		case DWARF_VOLATILE:
		case DWARF_RESTRICT:
		case DWARF_ATOMIC:
		case DWARF_ALIAS:
		case DWARF_TYPEDEF: index = dwarf_model_find_type(model, type->type); break;
		default: return fetch_of_size('x', word_bytes, word_bytes);
		}
	}
	return (struct fetch_type){ 0 };
}

/* ---- reading a group again ---- */

struct scanner {
	const char *name;
	const struct program *program;
	struct unit_reader *names;
	struct unit_reader *reader;
	struct dwarf_model model;
	struct inline_sites sites;
	struct scan found;
};

struct scanning {
	struct scanner *scanners;	/* by worker */
};

static bool group_has_name(struct scanner *scanner, uint32_t number)
{
	const struct unit_group *group = &scanner->program->groups.groups.data[number];
	uint8_t presence = scanner->program->name_presence[number];
	uint64_t language;
	struct error ignored;

	if (presence != NAME_UNKNOWN)
		return presence == NAME_PRESENT;

	for (uint32_t i = 0; i < group->count; i++) {
		const char *name;

		if (!unit_reader_open(scanner->names, unit_of_group(scanner->program, group, i),
				      &language, &ignored))
			continue;
		while ((name = next_function_name(scanner->names))) {
			if (strcmp(name, scanner->name) == 0)
				return true;
		}
	}
	return false;
}

/* Everything in the group, not yet linked. */
static bool read_group(struct unit_reader *reader, struct dwarf_model *model,
		       const struct program *program, const struct unit_group *group)
{
	struct error ignored;
	uint64_t language;

	if (group->end - group->begin >= UINT32_MAX)
		return false;
	reader->names.intern_all = group->count > 1;
	dwarf_model_reset(model, group->begin, group->end);
	for (uint32_t i = 0; i < group->count; i++) {
		if (!unit_reader_open(reader, unit_of_group(program, group, i), &language,
				      &ignored) ||
		    !unit_reader_read(reader, model, &ignored))
			return false;
	}
	return true;
}

static const char *function_name(const struct scanner *scanner, uint32_t function)
{
	uint32_t declared = dwarf_model_declaring(&scanner->model, function);

	return name_table_text(&scanner->reader->names,
			       scanner->model.functions.data[declared].name);
}

static void add_function(struct scanner *scanner, uint32_t group, uint32_t index)
{
	const struct dwarf_model *model = &scanner->model;
	const struct dwarf_function *function = &model->functions.data[index];
	uint8_t word_bytes = scanner->program->object.address_bytes;
	struct scanned_function found = {
		.die = model->begin + function->offset,
		.group = group,
		.first_parameter = (uint32_t)scanner->found.parameters.count,
		.parameter_count = function->parameter_count,
		.result = fetch_type_of(model, function->type, word_bytes),
		.flags = function->flags,
	};

	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct dwarf_parameter *parameter =
			&model->parameters.data[function->first_parameter + i];

		array_push(&scanner->found.parameters, ((struct scanned_parameter){
			name_table_text(&scanner->reader->names, parameter->name),
			fetch_type_of(model, parameter->type, word_bytes) }));
	}
	array_push(&scanner->found.functions, found);
}

static void add_argument(struct scanner *scanner, const struct inline_site *site,
			 const struct dwarf_function *origin,
			 const struct inline_argument *argument)
{
	const struct dwarf_model *model = &scanner->model;
	const struct dwarf_function *code = &model->functions.data[site->function];
	const struct location_unit *unit = &model->units.data[code->unit].location;
	struct scanned_argument found = { 0 };
	uint8_t reg;

	for (; found.parameter < origin->parameter_count; found.parameter++) {
		if (model->parameters.data[origin->first_parameter + found.parameter].offset ==
		    argument->parameter)
			break;
	}
	if (found.parameter == origin->parameter_count)
		return;
	location_at_inline_entry(unit, &argument->location,
				 frame_base_of(unit, &code->frame_base, &reg), site->entry,
				 site->has_view ? &site->view : NULL, &found.location);
	if (argument->has_constant) {
		location_set(&found.location, LOCATION_CONSTANT);
		found.location.constant = argument->constant;
	}
	array_push(&scanner->found.arguments, found);
}

static void add_site(struct scanner *scanner, const struct inline_site *site)
{
	const struct dwarf_model *model = &scanner->model;
	uint32_t declared = dwarf_model_declaring(model, site->origin);
	const struct dwarf_function *origin = &model->functions.data[declared];
	struct scanned_site found = {
		.declared = model->begin + origin->offset,
		.die = model->begin + site->offset,
		.address = site->entry,
		.caller = function_name(scanner, site->function),
		.call_file = site->call_file,
		.call_line = site->call_line,
		.in_itself = inline_site_is_in_itself(&scanner->sites, model, site),
		.first_argument = (uint32_t)scanner->found.arguments.count,
	};

	if (site->parent != INLINE_SITE_NONE) {
		const struct inline_site *parent = &scanner->sites.sites.data[site->parent];

		if (parent->origin != OFFSET_INDEX_NONE)
			found.parent = function_name(scanner, parent->origin);
	}
	for (uint32_t i = 0; i < site->argument_count; i++)
		add_argument(scanner, site, origin,
			     &scanner->sites.arguments.data[site->first_argument + i]);
	found.argument_count = (uint32_t)scanner->found.arguments.count - found.first_argument;
	array_push(&scanner->found.sites, found);
}

static void scan_group(void *context, unsigned int worker, uint32_t number)
{
	struct scanner *scanner = &((struct scanning *)context)->scanners[worker];
	const struct unit_group *group = &scanner->program->groups.groups.data[number];
	struct dwarf_model *model = &scanner->model;
	struct error ignored;

	if (!group_has_name(scanner, number) ||
	    !read_group(scanner->reader, model, scanner->program, group))
		return;
	scanner->sites.sites.count = scanner->sites.arguments.count = 0;
	for (uint32_t i = 0; i < model->units.count; i++)
		inline_sites_read(&scanner->sites, scanner->reader, model, i, &ignored);
	for (uint32_t i = 0; i < model->functions.count; i++) {
		if (model->functions.data[i].name &&
		    strcmp(function_name(scanner, i), scanner->name) == 0)
			add_function(scanner, number, i);
	}
	for (size_t i = 0; i < scanner->sites.sites.count; i++) {
		const struct inline_site *site = &scanner->sites.sites.data[i];

		if (site->has_entry && site->origin != OFFSET_INDEX_NONE &&
		    strcmp(function_name(scanner, site->origin), scanner->name) == 0)
			add_site(scanner, site);
	}
}

/* ---- bringing the workers' findings together ---- */

static int compare_functions(const void *a, const void *b)
{
	const struct scanned_function *x = a, *y = b;

	return x->die < y->die ? -1 : x->die > y->die;
}

static int compare_sites(const void *a, const void *b)
{
	const struct scanned_site *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static void take_found(struct scan *scan, const struct scan *found)
{
	uint32_t parameters = (uint32_t)scan->parameters.count;
	uint32_t arguments = (uint32_t)scan->arguments.count;

	for (size_t i = 0; i < found->functions.count; i++) {
		struct scanned_function function = found->functions.data[i];

		function.first_parameter += parameters;
		array_push(&scan->functions, function);
	}
	for (size_t i = 0; i < found->sites.count; i++) {
		struct scanned_site site = found->sites.data[i];

		site.first_argument += arguments;
		array_push(&scan->sites, site);
	}
	for (size_t i = 0; i < found->parameters.count; i++)
		array_push(&scan->parameters, found->parameters.data[i]);
	for (size_t i = 0; i < found->arguments.count; i++)
		array_push(&scan->arguments, found->arguments.data[i]);
}

void scan_function(struct scan *scan, const struct program *program, const char *name)
{
	unsigned int jobs = program->options->jobs;
	struct scanning scanning = { memory_zeroed(jobs, sizeof(*scanning.scanners)) };

	*scan = (struct scan){ 0 };
	for (unsigned int i = 0; i < jobs; i++) {
		scanning.scanners[i].name = name;
		scanning.scanners[i].program = program;
		scanning.scanners[i].names = new_name_reader(program);
		scanning.scanners[i].reader = new_reader(program);
	}
	for_each_group(program, scan_group, &scanning);
	for (unsigned int i = 0; i < jobs; i++) {
		struct scanner *scanner = &scanning.scanners[i];

		take_found(scan, &scanner->found);
		scan_release(&scanner->found);
		inline_sites_release(&scanner->sites);
		dwarf_model_release(&scanner->model);
		free_reader(scanner->names);
		free_reader(scanner->reader);
	}
	free(scanning.scanners);
	if (scan->functions.count)
		qsort(scan->functions.data, scan->functions.count, sizeof(*scan->functions.data),
		      compare_functions);
	if (scan->sites.count)
		qsort(scan->sites.data, scan->sites.count, sizeof(*scan->sites.data),
		      compare_sites);
}

void scan_release(struct scan *scan)
{
	array_release(&scan->functions);
	array_release(&scan->sites);
	array_release(&scan->parameters);
	array_release(&scan->arguments);
}

const struct scanned_function *scan_find(const struct scan *scan, uint64_t die)
{
	const struct scanned_function key = { .die = die };

	if (!scan->functions.count)
		return NULL;
	return bsearch(&key, scan->functions.data, scan->functions.count, sizeof(key),
		       compare_functions);
}

/* ---- a prototype without code ---- */

static const char *reader_name(const void *names, uint32_t key)
{
	return name_table_text(names, key);
}

static bool lower_lone(struct lone_prototype *lone, const struct program *program,
		       const struct scanned_function *function)
{
	uint32_t index = OFFSET_INDEX_NONE;
	struct lowering lowering;
	struct error ignored;
	bool unnamed, good;

	lowering_init(&lowering, &program->object,
		      features_for_lowering(&program->options->features), &lone->reader->names, &lone->collector);
	collector_begin_group(&lone->collector, 0);
	good = lower_types(&lowering, &lone->model, 0, &ignored);
	if (good)
		index = dwarf_model_find_function(&lone->model,
						  (uint32_t)(function->die - lone->model.begin));
	good = index != OFFSET_INDEX_NONE &&
	       lower_prototype(&lowering, &lone->model.functions.data[index], &lone->prototype,
			       &unnamed);
	collector_end_group(&lone->collector);
	lowering_release(&lowering);
	return good;
}

bool lone_prototype_read(struct lone_prototype *lone, const struct program *program,
			 const struct scanned_function *function)
{
	*lone = (struct lone_prototype){ .reader = new_reader(program) };
	collector_init(&lone->collector);
	string_pool_init(&lone->pool);
	node_table_init(&lone->table);
	if (!read_group(lone->reader, &lone->model, program,
			&program->groups.groups.data[function->group]) ||
	    !lower_lone(lone, program, function))
		return false;
	lone->source = (struct merge_source){ .collector = &lone->collector,
					      .names = &lone->reader->names,
					      .name_text = reader_name };
	collectors_merge(&lone->table, &lone->pool, &lone->source, 1);
	lone->resolver = resolver_new(&lone->table, &lone->source, 1, 1);
	lone->prototype = resolver_ref(lone->resolver, 0,
				       merge_map_ref(&lone->source.map, lone->prototype));
	return true;
}

void lone_prototype_release(struct lone_prototype *lone)
{
	if (lone->resolver)
		resolver_free(lone->resolver);
	merge_source_release(&lone->source);
	node_table_release(&lone->table);
	string_pool_release(&lone->pool);
	collector_release(&lone->collector);
	dwarf_model_release(&lone->model);
	if (lone->reader)
		free_reader(lone->reader);
	*lone = (struct lone_prototype){ 0 };
}
