/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/sites/sites.h"

#include <elf.h>
#include <string.h>

#include "base/search.h"

/* ---- where code is ---- */

size_t site_section(const struct object *object, uint64_t address)
{
	const struct section_header *header = section_index_at(&object->index, address);

	return header && header->flags & SHF_EXECINSTR && header->type != SHT_NOBITS
		       ? (size_t)(header - object->headers) : 0;
}

static bool find_cfa(void *context, uint8_t *reg, int64_t *offset)
{
	struct site_collector *collector = context;

	if (!collector->frames)
		collector->frames = evidence_frames(collector->evidence);
	return call_frames_cfa(collector->frames, collector->pc, reg, offset);
}

/*
 * The code around `pc` has to be entered at the start of its symbol, with the function's arguments.
 */
static bool keeps_entry(void *context, uint8_t reg)
{
	struct site_collector *collector = context;
	const struct dwarf_model *model = collector->model;
	const struct dwarf_function *function = &model->functions.data[collector->frame_of];
	const struct symbol *around =
		symbol_table_enclosing(collector->evidence->symbols, collector->pc);

	if (!around || symbol_parse(around->name).suffixes & 1u << SUFFIX_COLD)
		return false;
	for (uint32_t i = 0; i < function->entry_count; i++) {
		if (entry_is_described_at(collector->evidence, around,
					  model->entries.data[function->first_entry + i]))
			return machine_code_keeps_entry(evidence_code(collector->evidence),
							around->address,
							around->address + around->size,
							collector->pc, reg);
	}
	return false;
}

/* False: sites are only counted. */
static bool keeps_records(const struct site_collector *collector)
{
	return collector->options.sites || collector->options.instances;
}

/* ---- life ---- */

void site_collector_init(struct site_collector *collector, const struct object *object,
			 struct lowering *lowering, struct evidence *evidence,
			 struct site_options options)
{
	struct loc_param_site *site = &collector->loc_param_site;

	*collector = (struct site_collector){
		.object = object, .lowering = lowering, .evidence = evidence, .options = options,
		.loc_param_site = {
			.abi = evidence->abi,
			.big_endian = object->big_endian,
			.word_bytes = object->address_bytes,
			.find_cfa = find_cfa,
			.keeps_entry = keeps_entry,
			.context = collector,
		},
	};
	if (keeps_records(collector)) {
		node_table_init(&collector->nodes);
		collector->known = memory_zeroed(1u << SITE_KNOWN_LOG2,
						 sizeof(*collector->known));
	}
	/*
	 * Addresses in records count from the lowest of what is loaded. Older x86-64 kernels have
	 * their per-CPU data at 0, which stay there wherever the kernel is. A module's addresses
	 * are not known before it is loaded.
	 */
	site->image_base = UINT64_MAX;
	for (size_t i = 1; !object->relocatable && i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];

		if (!(header->flags & SHF_ALLOC) || !header->size || !header->address)
			continue;
		if (header->address < site->image_base)
			site->image_base = header->address;
		if (header->address + header->size > site->image_end)
			site->image_end = header->address + header->size;
	}
	site->has_image_base = site->image_base != UINT64_MAX;
}

void collected_sites_release(struct collected_sites *sites)
{
	array_release(&sites->functions);
	array_release(&sites->sites);
	array_release(&sites->sources);
	array_release(&sites->fragments);
}

void site_list_release(struct site_list *list)
{
	array_release(&list->functions);
	array_release(&list->sites);
	array_release(&list->sources);
	array_release(&list->fragments);
}

void site_collector_take_back(struct site_collector *collector,
			      const struct collected_sites *before, uint32_t nodes)
{
	struct collected_sites *list = &collector->list;

	list->functions.count = before->functions.count;
	list->sites.count = before->sites.count;
	list->sources.count = before->sources.count;
	list->fragments.count = before->fragments.count;
	list->counts = before->counts;
	/* Nor has `known` anything of the group. */
	if (collector->nodes.nodes.count == nodes)
		return;
	node_table_truncate(&collector->nodes, nodes);
	memset(collector->known, 0, sizeof(*collector->known) << SITE_KNOWN_LOG2);
}

void site_collector_release(struct site_collector *collector)
{
	collected_sites_release(&collector->list);
	inline_sites_release(&collector->read);
	array_release(&collector->of_function);
	array_release(&collector->first_type);
	array_release(&collector->types);
	array_release(&collector->words);
	array_release(&collector->is_wanted);
	node_table_release(&collector->nodes);
	free(collector->known);
	free(collector->merged);
}

/* The name in the DIE itself; "" if only the declaration has it. */
static const char *function_name(const struct site_collector *collector, uint32_t function)
{
	return name_table_text(collector->lowering->names,
			       collector->model->functions.data[function].name);
}

void site_collector_begin(struct site_collector *collector, const struct dwarf_model *model,
			  struct group_id group)
{
	collector->model = model;
	collector->group = group;
	collector->frame_of = UINT32_MAX;
	collector->first_function = (uint32_t)collector->list.functions.count;
	collector->first_type.count = collector->types.count = 0;
	array_zero(&collector->of_function, model->functions.count);
	collector->is_wanted.count = 0;
	for (uint32_t i = 0; collector->options.names && i < model->functions.count; i++)
		array_push(&collector->is_wanted,
			   string_set_has(collector->options.names, function_name(collector, i)));
}

/* The site node with these words. */
static struct site_node intern(struct site_collector *collector, const uint32_t *words)
{
	uint64_t first_seen = SITE_FIRST_SEEN | collector->lowering->first_seen_base |
			      collector->nodes.nodes.count;
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]), hash = 0;
	struct site_known *known;
	struct site_node node;

	if (count > SITE_KNOWN_WORDS)
		return (struct site_node){
			node_table_intern(&collector->nodes, words, first_seen) };
	for (uint32_t i = BTF_WORD_INFO; i < count; i++)
		hash = (hash ^ words[i]) * 0x9e3779b1u;
	known = &collector->known[hash >> (32 - SITE_KNOWN_LOG2)];
	if (memcmp(known->words, words, count * sizeof(*words)) == 0)
		return known->node;
	node.index = node_table_intern(&collector->nodes, words, first_seen);
	memcpy(known->words, words, count * sizeof(*words));
	known->node = node;
	return node;
}

/* ---- functions ---- */

/* Appends one of the model's functions, by the DIE with its name and prototype, to the list. */
static void add_function(struct site_collector *collector, uint32_t function, uint32_t declared)
{
	const struct dwarf_model *model = collector->model;
	struct dwarf_function prototype = model->functions.data[declared];
	struct collected_site_function added = {
		.name = { prototype.name },
		.function = { .group = collector->group, .declared_die = prototype.offset,
			      .number = function_number(prototype.flags & FUNCTION_EXTERNAL,
							prototype.declared_at),
			      .is_declaration = prototype.flags & FUNCTION_DECLARATION } };
	const uint32_t *words = NULL;
	bool unnamed = false;

	prototype.flags |= model->functions.data[function].flags;
	if (keeps_records(collector) && !(prototype.flags & FUNCTION_ASSEMBLER) &&
	    (prototype.flags & (FUNCTION_PROTOTYPED | FUNCTION_VARIADIC) ||
	     prototype.parameter_count))
		words = lower_prototype_words(collector->lowering, &prototype, &unnamed);
	if (words)
		added.prototype = intern(collector, words);
	added.function.has_named_parameters = words && !unnamed;
	array_push(&collector->list.functions, added);
	array_push(&collector->first_type, (uint32_t)collector->types.count);
	for (uint32_t i = 0; i < prototype.parameter_count; i++) {
		uint32_t type = model->parameters.data[prototype.first_parameter + i].type;
		struct abi_type layout = { 0 };

		if (type == REF_NONE ||
		    !evidence_layout(collector->evidence, model, type, &layout) ||
		    layout.size_bytes > UINT32_MAX)
			layout = (struct abi_type){ 0 };
		array_push(&collector->types, ((struct loc_param_type){
			(uint32_t)layout.size_bytes, layout.is_signed && !layout.is_record }));
	}
}

/* The number in the list of one of the model's functions. */
static uint32_t list_function(struct site_collector *collector, uint32_t function)
{
	uint32_t declared = dwarf_model_declaring(collector->model, function);
	uint32_t *number = &collector->of_function.data[declared];

	if (!*number) {
		add_function(collector, function, declared);
		*number = (uint32_t)collector->list.functions.count;
	}
	return *number - 1;
}

/* The types of a listed function's parameters, until another one is listed. */
static const struct loc_param_type *types_of(const struct site_collector *collector,
					     uint32_t number)
{
	return array_place(&collector->types,
			   collector->first_type.data[number - collector->first_function]);
}

/* ---- parameter locations ---- */

/* The frame base of the function whose code is read. */
static void set_frame(struct site_collector *collector, uint32_t function)
{
	const struct dwarf_function *code = &collector->model->functions.data[function];
	const struct location_unit *unit =
		&collector->model->units.data[code->unit].location;

	if (collector->frame_of == function)
		return;
	collector->frame_of = function;
	collector->loc_param_site.frame_base =
		frame_base_of(unit, &code->frame_base, &collector->loc_param_site.frame_register);
}

static void find_location(struct site_collector *collector, const struct location_source *source,
			  struct location *location)
{
	const struct dwarf_model *model = collector->model;
	const struct dwarf_function *code = &model->functions.data[collector->frame_of];
	const struct dwarf_unit *unit = &model->units.data[code->unit];
	struct loc_param_site *site = &collector->loc_param_site;
	struct location_moment moment = { .pc = collector->pc, .is_entry = true };
	bool is_gcc = unit->producer.family == PRODUCER_GCC;

	/* GCC 12's for ARM, not Thumb, is 8 too low after the entry; lone expressions are right. */
	site->is_frame_wrong = collector->object->machine == EM_ARM && is_gcc && !site->is_entry &&
			       source->form_class >= LOCATION_FORM_LIST;
	evidence_note_list(collector->evidence, source);
	if (collector->inlined) {
		moment.has_view = collector->inlined->has_view;
		moment.view = collector->inlined->view;
	}
	location_at(&unit->location, source, site->frame_base, &moment, location);
	if (location->kind != LOCATION_NONE || !site->is_entry || is_gcc)
		return;
	moment.pad_bytes = evidence_entry_pad(collector->evidence, collector->pc);
	if (moment.pad_bytes)
		location_at(&unit->location, source, site->frame_base, &moment, location);
}

/*
 * A parameter whose slot in the frame is its location may be on its way there: the inlined code
 * begins with the instructions that store it, or with a jump or a call to them. A lone expression
 * is valid for the whole scope, which does not mean that it holds at its start. A list has a start;
 * but the compiler may have moved the store past that. Other memory is what a pointer leads to.
 */
static bool is_filled_later(struct site_collector *collector, const struct location_source *source,
			    const struct location *location, const uint32_t words[LOC_PARAM_WORDS])
{
	const struct loc_param_site *site = &collector->loc_param_site;
	const uint32_t *values = words + BTF_HEAD_WORDS + 1;
	bool by_stack = site->abi && location->reg == site->abi->stack_register;
	bool by_frame = site->frame_base == FRAME_BASE_REGISTER &&
			location->reg == site->frame_register;
	bool fills;

	if (location->kind != LOCATION_FRAME && location->kind != LOCATION_CFA &&
	    !(location->kind == LOCATION_MEMORY && (by_stack || by_frame)))
		return false;
	return source->form_class < LOCATION_FORM_LIST ||
	       (machine_code_fills_slot(evidence_code(collector->evidence), collector->pc,
					values[0], (int32_t)values[1], words[BTF_WORD_SIZE],
					&fills) &&
		fills);
}

/*
 * The location of a parameter at collector->pc; *loc_param is its LOC_PARAM, if it is known.
 * `argument` is NULL if it has no DIE there.
 */
static enum loc_param_kind find_loc_param(struct site_collector *collector,
					  const struct dwarf_argument *argument,
					  const struct loc_param_type *type,
					  struct site_node *loc_param)
{
	uint32_t words[LOC_PARAM_WORDS];
	struct location location;
	enum loc_param_kind kind;

	if (!argument || (!argument->is_number &&
			  argument->location.form_class == LOCATION_FORM_ABSENT))
		return LOC_PARAM_NOT_SAID;
	if (argument->is_number) {
		kind = loc_param_of_constant(type, argument->constant, words);
	} else {
		find_location(collector, &argument->location, &location);
		kind = loc_param_of(&collector->loc_param_site, type, &location, words);
		if (kind == LOC_PARAM_MEMORY && collector->inlined &&
		    is_filled_later(collector, &argument->location, &location, words))
			kind = LOC_PARAM_LATER;
	}
	if (loc_param_is_known(kind) && keeps_records(collector))
		*loc_param = intern(collector, words);
	return kind;
}

/*
 * Begins a LOC_PROTO with a slot for each parameter of the prototype, the dots included. Without a
 * prototype there are none.
 */
static uint32_t *begin_locations(struct site_collector *collector, uint32_t function,
				 uint32_t *count)
{
	uint32_t prototype = collector->list.functions.data[function].prototype.index;

	*count = prototype ? btf_info_vlen(node_words(&collector->nodes, prototype)[BTF_WORD_INFO])
			   : 0;
	array_zero(&collector->words, BTF_HEAD_WORDS + *count);
	collector->words.data[BTF_WORD_INFO] = btf_info(BTF_LOC_PROTO, *count, false);
	return collector->words.data + BTF_HEAD_WORDS;
}

struct site_node site_locations_at_entry(struct site_collector *collector, uint32_t function,
				      uint64_t described, bool is_entry)
{
	const struct dwarf_model *model = collector->model;
	const struct dwarf_function *code = &model->functions.data[function];
	const struct dwarf_function *prototype =
		&model->functions.data[dwarf_model_declaring(model, function)];
	uint32_t number = list_function(collector, function);
	const struct loc_param_type *types = types_of(collector, number);
	uint32_t count, *locations = begin_locations(collector, number, &count);

	set_frame(collector, function);
	collector->inlined = NULL;
	collector->pc = described;
	collector->loc_param_site.is_entry = is_entry;
	count = prototype->parameter_count < count ? prototype->parameter_count : count;
	for (uint32_t i = 0; i < code->argument_count; i++) {
		const struct dwarf_argument *argument =
			&model->arguments.data[code->first_argument + i];
		const struct dwarf_parameter *parameters =
			&model->parameters.data[prototype->first_parameter];
		size_t at = lower_bound(k, count, parameters[k].offset < argument->parameter);
		struct site_node loc_param = { 0 };

		if (at == count || parameters[at].offset != argument->parameter)
			continue;
		find_loc_param(collector, argument, &types[at], &loc_param);
		locations[at] = loc_param.index ? loc_param.index : locations[at];
	}
	return intern(collector, collector->words.data);
}

void site_collector_add_fragment(struct site_collector *collector, uint32_t function,
				 const struct entry_join *join)
{
	const struct symbol_table *symbols = collector->evidence->symbols;

	array_push(&collector->list.fragments, ((struct collected_fragment){
		.site = { .address = symbols->symbols.data[join->symbol].address,
			  .function = list_function(collector, function),
			  .locations = site_locations_at_entry(collector, function, join->described,
							 false) },
		.symbol = join->symbol }));
}

/* ---- inline sites ---- */

/* The limit of arguments that are searched for one parameter. */
#define MAX_ARGUMENTS 256

/* The site's own DIE of a parameter, or NULL; nearly always they are in the same order. */
static const struct dwarf_argument *find_argument(const struct site_collector *collector,
						  const struct inline_site *site,
						  uint32_t parameter, uint32_t *next)
{
	const struct dwarf_argument *arguments =
		array_place(&collector->read.arguments, site->first_argument);

	for (uint32_t tried = 0; tried < site->argument_count && tried < MAX_ARGUMENTS;
	     tried++) {
		const struct dwarf_argument *argument = &arguments[*next];

		*next = *next + 1 < site->argument_count ? *next + 1 : 0;
		if (argument->parameter == parameter)
			return argument;
	}
	return NULL;
}

/* Is there code at the address? Nearly all addresses are in one section. */
static bool has_code(struct site_collector *collector, uint64_t address)
{
	const struct section_header *header;
	size_t section;

	if (address - collector->code.begin < collector->code.end - collector->code.begin)
		return true;
	section = site_section(collector->object, address);
	if (!section)
		return false;
	header = &collector->object->headers[section];
	collector->code = (struct address_range){ header->address,
						  header->address + header->size };
	return true;
}

static struct site_source source_of(const struct site_collector *collector,
				    const struct inline_site *site)
{
	const struct dwarf_model *model = collector->model;
	const struct inline_site *parent = site->parent == INLINE_SITE_NONE
		? NULL : &collector->read.sites.data[site->parent];
	const char *with = parent && parent->origin != OFFSET_INDEX_NONE
		? function_name(collector, dwarf_model_declaring(model, parent->origin)) : "";

	return (struct site_source){
		.die = model->begin + site->offset,
		.caller = function_name(collector, dwarf_model_declaring(model, site->function)),
		.parent = *with ? with : NULL,
		.call_file = site->call_file, .call_line = site->call_line,
		.in_itself = inline_site_is_in_itself(&collector->read, model, site) };
}

static void add_site(struct site_collector *collector, const struct inline_site *site)
{
	const struct dwarf_model *model = collector->model;
	struct site_counts *counts = &collector->list.counts;
	uint32_t declared = dwarf_model_declaring(model, site->origin);
	const struct dwarf_function *prototype = &model->functions.data[declared];
	uint32_t parameters = prototype->parameter_count, known = 0, next = 0;
	uint32_t function, slots, *locations;
	const struct loc_param_type *types;

	if (!prototype->name || !site_collector_wants(collector, declared))
		return;
	function = list_function(collector, site->origin);
	types = types_of(collector, function);
	locations = begin_locations(collector, function, &slots);
	set_frame(collector, site->function);
	collector->inlined = site;
	collector->pc = site->entry;
	collector->loc_param_site.is_entry = false;
	for (uint32_t i = 0; i < parameters; i++) {
		const struct dwarf_argument *argument = find_argument(
			collector, site,
			model->parameters.data[prototype->first_parameter + i].offset, &next);
		struct site_node loc_param = { 0 };
		enum loc_param_kind kind =
			find_loc_param(collector, argument, &types[i], &loc_param);

		counts->locations[kind]++;
		known += loc_param_is_known(kind);
		if (i < slots)
			locations[i] = loc_param.index;
	}
	counts->sites++;
	counts->without_parameters += !parameters;
	counts->complete += parameters && known == parameters;
	counts->partial += known && known < parameters;
	counts->empty += parameters && !known;
	/* Not a missed call: callers of the function come by its entry. */
	if (inline_site_is_in_itself(&collector->read, model, site)) {
		counts->in_itself++;
	} else {
		struct site_function *listed = &collector->list.functions.data[function].function;

		listed->sites++;
		listed->parameters += parameters;
		listed->known += known;
	}
	if (!collector->options.sites)
		return;
	array_push(&collector->list.sites,
		   ((struct collected_site){ site->entry, function,
					     intern(collector, collector->words.data) }));
	if (collector->options.names)
		array_push(&collector->list.sources, source_of(collector, site));
}

bool site_collector_add_inlined(struct site_collector *collector, struct unit_reader *reader,
				struct error *err)
{
	const struct dwarf_model *model = collector->model;
	struct inline_sites *read = &collector->read;

	if (collector->options.names &&
	    !(collector->is_wanted.count &&
	      memchr(collector->is_wanted.data, 1, collector->is_wanted.count)))
		return true;
	read->sites.count = read->arguments.count = 0;
	for (uint32_t i = 0; i < model->units.count; i++) {
		if (!model->units.data[i].is_borrowed &&
		    !inline_sites_read(read, reader, model, i, err))
			return false;
	}
	array_each(const struct inline_site, site, &read->sites) {
		if (site->origin == OFFSET_INDEX_NONE)
			continue;
		if (site->has_entry && has_code(collector, site->entry))
			add_site(collector, site);
		else
			collector->list.counts.without_code++;
	}
	/* With a name asked for, functions without code are listed, too. */
	for (uint32_t i = 0; i < collector->is_wanted.count; i++) {
		if (collector->is_wanted.data[i])
			list_function(collector, i);
	}
	return true;
}
