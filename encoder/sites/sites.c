/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/sites/sites.h"

#include <elf.h>
#include <string.h>

/* ---- where code is ---- */

size_t site_section(const struct object *object, uint64_t address)
{
	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];

		if (header->flags & SHF_EXECINSTR && address - header->address < header->size)
			return header->flags & SHF_ALLOC && header->type != SHT_NOBITS ? i : 0;
	}
	return 0;
}

/*
 * What addresses in records count from: the lowest of what is loaded. Older x86-64 kernels have
 * their per-CPU data at 0, which stay there wherever the kernel is. A module's addresses are not
 * known before it is loaded.
 */
static bool find_image(const struct object *object, struct place_site *site)
{
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
	return site->image_base != UINT64_MAX;
}

static bool find_cfa(void *context, uint8_t *reg, int64_t *offset)
{
	struct site_collector *collector = context;

	if (!collector->frames)
		collector->frames = evidence_frames(collector->evidence);
	return call_frames_cfa(collector->frames, collector->pc, reg, offset);
}

/* Is the code around `pc` entered at the start of its symbol, with the function's arguments? */
static bool is_entered_at(const struct site_collector *collector, const struct symbol *symbol)
{
	const struct dwarf_model *model = collector->model;
	const struct dwarf_function *function = &model->functions.data[collector->frame_of];

	if (symbol_parse(symbol->name).suffixes & 1u << SUFFIX_COLD)
		return false;
	for (uint32_t i = 0; i < function->entry_count; i++) {
		if (entry_is_described_at(collector->evidence, symbol,
					  model->entries.data[function->first_entry + i]))
			return true;
	}
	return false;
}

static bool keeps_entry(void *context, uint8_t reg)
{
	struct site_collector *collector = context;
	const struct symbol *around =
		symbol_table_enclosing(collector->evidence->symbols, collector->pc);

	if (!around || !is_entered_at(collector, around))
		return false;
	return machine_code_keeps_entry(evidence_code(collector->evidence), around->address,
					around->address + around->size, collector->pc, reg);
}

/* Or is only counted? */
static bool keeps_records(const struct site_collector *collector)
{
	return collector->options.sites || collector->options.instances;
}

/* ---- life ---- */

void site_collector_init(struct site_collector *collector, const struct object *object,
			 struct lowering *lowering, struct evidence *evidence,
			 struct site_options options)
{
	*collector = (struct site_collector){
		.object = object, .lowering = lowering, .evidence = evidence, .options = options,
		.place_site = {
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
	collector->place_site.has_image_base = find_image(object, &collector->place_site);
}

void site_list_release(struct site_list *list)
{
	array_release(&list->functions);
	array_release(&list->sites);
	array_release(&list->sources);
	array_release(&list->fragments);
}

void site_collector_take_back(struct site_collector *collector, const struct site_list *before,
			      uint32_t nodes)
{
	struct site_list *list = &collector->list;

	list->functions.count = collector->names.count = before->functions.count;
	list->sites.count = before->sites.count;
	list->sources.count = before->sources.count;
	list->fragments.count = before->fragments.count;
	list->counts = before->counts;
	if (!collector->known)
		return;
	node_table_truncate(&collector->nodes, nodes);
	memset(collector->known, 0, sizeof(*collector->known) << SITE_KNOWN_LOG2);
	memset(collector->in_register, 0, sizeof(collector->in_register));
}

void site_collector_release(struct site_collector *collector)
{
	site_list_release(&collector->list);
	array_release(&collector->names);
	inline_sites_release(&collector->read);
	array_release(&collector->of_function);
	array_release(&collector->first_type);
	array_release(&collector->types);
	array_release(&collector->words);
	array_release(&collector->is_wanted);
	node_table_release(&collector->nodes);
	free(collector->known);
}

/* What the DIE itself says; "" where it leaves that to the one that declares it. */
static const char *function_name(const struct site_collector *collector, uint32_t function)
{
	return name_table_text(collector->lowering->names,
			       collector->model->functions.data[function].name);
}

void site_collector_begin(struct site_collector *collector, const struct dwarf_model *model)
{
	size_t count = model->functions.count;

	collector->model = model;
	collector->frame_of = UINT32_MAX;
	collector->first_function = (uint32_t)collector->list.functions.count;
	collector->first_type.count = collector->types.count = 0;
	collector->of_function.count = 0;
	array_reserve(&collector->of_function, count);
	collector->of_function.count = count;
	if (count)
		memset(collector->of_function.data, 0, count * sizeof(uint32_t));
	collector->is_wanted.count = 0;
	for (uint32_t i = 0; collector->options.name && i < count; i++)
		array_push(&collector->is_wanted,
			   strcmp(function_name(collector, i), collector->options.name) == 0);
}

static struct node_ref intern_new(struct site_collector *collector, const uint32_t *words)
{
	uint64_t first_seen = SITE_FIRST_SEEN | collector->lowering->first_seen_base |
			      collector->nodes.nodes.count;

	return ref_to_node(node_table_intern(&collector->nodes, words, first_seen));
}

/* The site node with these words. */
static struct node_ref intern(struct site_collector *collector, const uint32_t *words)
{
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]), hash = 0;
	struct site_known *known, wanted = { 0 };

	if (count > SITE_KNOWN_WORDS)
		return intern_new(collector, words);
	for (uint32_t i = BTF_WORD_INFO; i < count; i++) {
		wanted.words[i] = words[i];
		hash = (hash ^ words[i]) * 0x9e3779b1u;
	}
	known = &collector->known[hash >> (32 - SITE_KNOWN_LOG2)];
	if (memcmp(known->words, wanted.words, sizeof(known->words)) != 0) {
		wanted.node = intern_new(collector, words);
		*known = wanted;
	}
	return known->node;
}

/* ---- functions ---- */

static void add_types(struct site_collector *collector, const struct dwarf_function *declared)
{
	const struct dwarf_model *model = collector->model;

	array_push(&collector->first_type, (uint32_t)collector->types.count);
	for (uint32_t i = 0; i < declared->parameter_count; i++) {
		const struct dwarf_parameter *parameter =
			&model->parameters.data[declared->first_parameter + i];
		struct place_type type = { 0 };
		struct abi_type layout;

		if (parameter->type != REF_NONE &&
		    evidence_layout(collector->evidence, model, parameter->type, &layout) &&
		    layout.size_bytes <= UINT32_MAX)
			type = (struct place_type){ (uint32_t)layout.size_bytes,
						    layout.is_signed && !layout.is_record };
		array_push(&collector->types, type);
	}
}

/* The list's function for one of the model, whose prototype stands in `declared`. */
static uint32_t list_function(struct site_collector *collector, uint32_t group, uint32_t function,
			      uint32_t declared)
{
	const struct dwarf_model *model = collector->model;
	struct dwarf_function prototype = model->functions.data[declared];
	struct site_function added = {
		.group = group, .declared_die = prototype.offset,
		.is_declaration = prototype.flags & FUNCTION_DECLARATION };
	const uint32_t *words = NULL;
	bool unnamed = false;

	if (collector->of_function.data[declared])
		return collector->of_function.data[declared] - 1;
	prototype.flags |= model->functions.data[function].flags;
	if (keeps_records(collector) && !(prototype.flags & FUNCTION_ASSEMBLER) &&
	    (prototype.flags & (FUNCTION_PROTOTYPED | FUNCTION_VARIADIC) ||
	     prototype.parameter_count))
		words = lower_prototype_words(collector->lowering, &prototype, &unnamed);
	if (words)
		added.prototype = intern(collector, words);
	added.has_named_parameters = words && !unnamed;
	array_push(&collector->list.functions, added);
	array_push(&collector->names, ((struct name_key){ prototype.name }));
	add_types(collector, &prototype);
	collector->of_function.data[declared] = (uint32_t)collector->list.functions.count;
	return (uint32_t)collector->list.functions.count - 1;
}

/* ---- places ---- */

/* The frame base of the function whose code is looked at. */
static void set_frame(struct site_collector *collector, uint32_t function)
{
	const struct dwarf_function *code = &collector->model->functions.data[function];
	const struct location_unit *unit =
		&collector->model->units.data[code->unit].location;

	if (collector->frame_of == function)
		return;
	collector->frame_of = function;
	collector->place_site.frame_base =
		frame_base_of(unit, &code->frame_base, &collector->place_site.frame_register);
}

/* What one DIE says of a parameter, at collector->pc. */
struct said {
	const struct location_source *location;	/* NULL: nothing */
	bool has_constant;
	uint64_t constant;
};

static void find_location(struct site_collector *collector, const struct said *said,
			  struct location *location)
{
	const struct dwarf_model *model = collector->model;
	const struct dwarf_function *code = &model->functions.data[collector->frame_of];
	const struct dwarf_unit *unit = &model->units.data[code->unit];
	enum frame_base base = collector->place_site.frame_base;
	uint32_t pad;

	evidence_note_list(collector->evidence, said->location);
	if (collector->inlined) {
		location_at_inline_entry(
			&unit->location, said->location, base, collector->pc,
			collector->inlined->has_view ? &collector->inlined->view : NULL, location);
		return;
	}
	location_at_entry(&unit->location, said->location, base, collector->pc, 0, location);
	if (location->kind != LOCATION_NONE || !collector->place_site.is_entry ||
	    unit->producer.family == PRODUCER_GCC)
		return;
	pad = evidence_entry_pad(collector->evidence, collector->pc);
	if (pad)
		location_at_entry(&unit->location, said->location, base, collector->pc, pad,
				  location);
}

/* In the frame, where there is a slot for it; elsewhere it is what a pointer leads to. */
static bool is_own_slot(const struct place_site *site, const struct location *location)
{
	switch ((enum location_kind)location->kind) {
	case LOCATION_FRAME:
	case LOCATION_CFA: return true;
	case LOCATION_MEMORY:
		return (site->abi && location->reg == site->abi->stack_register) ||
		       (site->frame_base == FRAME_BASE_REGISTER &&
			location->reg == site->frame_register);
	default: return false;
	}
}

/*
 * A parameter in memory may be on its way there: the inlined code begins with the instructions that
 * store it, or with a jump or a call to them. A lone expression is said of the whole scope, so
 * nothing says that it holds at its start. A list says when it begins; but the compiler may have
 * moved the store behind that.
 */
static bool is_filled_later(struct site_collector *collector, const struct said *said,
			    const uint32_t words[PLACE_WORDS])
{
	const uint32_t *values = words + BTF_HEAD_WORDS + 1;
	bool fills;

	if (said->location->form_class < LOCATION_FORM_LIST)
		return true;
	return machine_code_fills_slot(evidence_code(collector->evidence), collector->pc,
				       values[0], (int32_t)values[1], words[BTF_WORD_SIZE],
				       &fills) &&
	       fills;
}

static enum place_kind make_place(struct site_collector *collector, const struct said *said,
				  const struct place_type *type, const struct location *location,
				  struct node_ref *place)
{
	uint32_t words[PLACE_WORDS];
	enum place_kind kind;

	kind = place_of(&collector->place_site, type, location, words);
	if (kind == PLACE_MEMORY && collector->inlined &&
	    is_own_slot(&collector->place_site, location) &&
	    is_filled_later(collector, said, words))
		kind = PLACE_LATER;
	if (place_is_known(kind) && location->kind == LOCATION_ENTRY_VALUE)
		collector->list.counts.entries_kept++;
	if (kind == PLACE_MEMORY || kind == PLACE_SUM)
		collector->list.counts.frames_resolved +=
			location->kind >= LOCATION_FRAME && location->kind <= LOCATION_CFA_VALUE;
	if (place_is_known(kind) && keeps_records(collector))
		*place = intern(collector, words);
	return kind;
}

/* Where a parameter is; *place is its LOC_PARAM, if its place is known. */
static enum place_kind find_place(struct site_collector *collector, const struct said *said,
				  const struct place_type *type, struct node_ref *place)
{
	uint32_t size = type->size_bytes, words[PLACE_WORDS];
	struct location location;
	struct node_ref *known;

	if (said->has_constant) {
		enum place_kind kind = place_of_constant(type, said->constant, words);

		if (place_is_known(kind) && keeps_records(collector))
			*place = intern(collector, words);
		return kind;
	}
	if (!said->location || said->location->form_class == LOCATION_FORM_ABSENT)
		return PLACE_NOT_SAID;
	find_location(collector, said, &location);
	if (location.kind != LOCATION_REGISTER || location.reg >= SITE_REGISTERS || !size ||
	    size > 8 || size & (size - 1) || !keeps_records(collector))
		return make_place(collector, said, type, &location, place);
	known = &collector->in_register[location.reg][__builtin_ctz(size)];
	if (ref_is_void(*known) &&
	    !place_is_known(make_place(collector, said, type, &location, known)))
		return make_place(collector, said, type, &location, place);
	*place = *known;
	return PLACE_REGISTER;
}

/* Begins a LOC_PROTO with a slot for each parameter of the prototype, the dots included. */
static uint32_t *begin_places(struct site_collector *collector, uint32_t function)
{
	struct node_ref prototype = collector->list.functions.data[function].prototype;
	uint32_t count = 0;

	if (!ref_is_void(prototype))
		count = btf_info_vlen(node_words(&collector->nodes,
						 ref_node(prototype))[BTF_WORD_INFO]);
	collector->words.count = 0;
	array_reserve(&collector->words, BTF_HEAD_WORDS + count);
	collector->words.count = BTF_HEAD_WORDS + count;
	memset(collector->words.data, 0, collector->words.count * sizeof(uint32_t));
	collector->words.data[BTF_WORD_INFO] = btf_info(BTF_LOC_PROTO, count, false);
	return collector->words.data + BTF_HEAD_WORDS;
}

struct node_ref site_places_at_entry(struct site_collector *collector, uint32_t function,
			       uint64_t described, bool is_entry)
{
	const struct dwarf_model *model = collector->model;
	const struct dwarf_function *code = &model->functions.data[function];
	uint32_t declared = dwarf_model_declaring(model, function);
	const struct dwarf_function *prototype = &model->functions.data[declared];
	uint32_t group = (uint32_t)(collector->lowering->first_seen_base >> 32);
	uint32_t listed = list_function(collector, group, function, declared);
	const struct place_type *types = collector->types.data +
		collector->first_type.data[listed - collector->first_function];
	uint32_t *places = begin_places(collector, listed);
	uint32_t count = btf_info_vlen(collector->words.data[BTF_WORD_INFO]);

	set_frame(collector, function);
	collector->inlined = NULL;
	collector->pc = described;
	collector->place_site.is_entry = is_entry;
	for (uint32_t i = 0; i < code->argument_count; i++) {
		const struct dwarf_argument *argument =
			&model->arguments.data[code->first_argument + i];
		const struct said said = { &argument->location, argument->is_number,
					   argument->constant };

		for (uint32_t k = 0; k < prototype->parameter_count && k < count; k++) {
			struct node_ref place = ref_of_word(places[k]);

			if (model->parameters.data[prototype->first_parameter + k].offset ==
			    argument->parameter)
				find_place(collector, &said, &types[k], &place);
			places[k] = place.word;
		}
	}
	return intern(collector, collector->words.data);
}

void site_collector_add_fragment(struct site_collector *collector, uint32_t group,
				 uint32_t function, const struct entry_join *join)
{
	uint32_t declared = dwarf_model_declaring(collector->model, function);
	const struct symbol_table *symbols = collector->evidence->symbols;
	struct site_fragment fragment = {
		.site = { .address = symbols->symbols.data[join->symbol].address,
			  .function = list_function(collector, group, function, declared),
			  .places = site_places_at_entry(collector, function, join->described,
							 false) },
		.symbol = join->symbol,
	};

	array_push(&collector->list.fragments, fragment);
}

/* ---- inline sites ---- */

static void count_site(struct site_counts *counts, uint32_t parameters, uint32_t known)
{
	counts->sites++;
	if (!parameters)
		counts->without_parameters++;
	else if (known == parameters)
		counts->complete++;
	else if (known)
		counts->partial++;
	else
		counts->empty++;
}

/* More are not looked through for one parameter. */
#define MAX_ARGUMENTS 256

/* The site's own DIE of a parameter; nearly always they stand in the same order. */
static struct said find_said(const struct site_collector *collector,
			     const struct inline_site *site, uint32_t parameter, uint32_t *next)
{
	const struct inline_argument *arguments =
		collector->read.arguments.data + site->first_argument;

	for (uint32_t tried = 0; tried < site->argument_count && tried < MAX_ARGUMENTS;
	     tried++) {
		const struct inline_argument *argument = &arguments[*next];

		*next = *next + 1 < site->argument_count ? *next + 1 : 0;
		if (argument->parameter == parameter)
			return (struct said){ &argument->location, argument->has_constant,
					      argument->constant };
	}
	return (struct said){ 0 };
}

/* Is there code at the address? Nearly all that is asked about is in one section. */
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

	return (struct site_source){
		.die = model->begin + site->offset,
		.caller = function_name(collector, dwarf_model_declaring(model, site->function)),
		.parent = parent && parent->origin != OFFSET_INDEX_NONE
			? function_name(collector, dwarf_model_declaring(model, parent->origin))
			: NULL,
		.call_file = site->call_file, .call_line = site->call_line,
		.in_itself = inline_site_is_in_itself(&collector->read, model, site) };
}

static void add_site(struct site_collector *collector, uint32_t group,
		     const struct inline_site *site)
{
	const struct dwarf_model *model = collector->model;
	struct site_counts *counts = &collector->list.counts;
	uint32_t declared = dwarf_model_declaring(model, site->origin);
	const struct dwarf_function *prototype = &model->functions.data[declared];
	uint32_t function, known = 0, next = 0, *places;
	const struct place_type *types;

	if (!prototype->name || !site_collector_wants(collector, declared))
		return;
	function = list_function(collector, group, site->origin, declared);
	types = collector->types.data +
		collector->first_type.data[function - collector->first_function];
	places = begin_places(collector, function);
	set_frame(collector, site->function);
	collector->inlined = site;
	collector->pc = site->entry;
	collector->place_site.is_entry = false;
	for (uint32_t i = 0; i < prototype->parameter_count; i++) {
		struct said said = find_said(
			collector, site,
			model->parameters.data[prototype->first_parameter + i].offset, &next);
		struct node_ref place = REF_VOID;
		enum place_kind kind = find_place(collector, &said, &types[i], &place);

		counts->places[kind]++;
		known += place_is_known(kind);
		if (!ref_is_void(collector->list.functions.data[function].prototype))
			places[i] = place.word;
	}
	count_site(counts, prototype->parameter_count, known);
	/* No call is missed there: who calls the function comes by its entry. */
	if (inline_site_is_in_itself(&collector->read, model, site)) {
		counts->in_itself++;
	} else {
		struct site_function *listed = &collector->list.functions.data[function];

		listed->sites++;
		listed->parameters += prototype->parameter_count;
		listed->known += known;
	}
	if (!collector->options.sites)
		return;
	array_push(&collector->list.sites,
		   ((struct site){ site->entry, function,
				   intern(collector, collector->words.data) }));
	if (collector->options.name)
		array_push(&collector->list.sources, source_of(collector, site));
}

/* Whoever asks for a name wants to know of functions without code, too. */
static void add_declarations(struct site_collector *collector, uint32_t group)
{
	for (uint32_t i = 0; i < collector->is_wanted.count; i++) {
		if (collector->is_wanted.data[i])
			list_function(collector, group, i, i);
	}
}

static bool wants_any_here(const struct site_collector *collector)
{
	return collector->is_wanted.count &&
	       memchr(collector->is_wanted.data, true, collector->is_wanted.count);
}

bool site_collector_add_inlined(struct site_collector *collector, uint32_t group,
				struct unit_reader *reader, struct error *err)
{
	const struct dwarf_model *model = collector->model;
	struct inline_sites *read = &collector->read;

	if (collector->options.name && !wants_any_here(collector))
		return true;
	read->sites.count = read->arguments.count = 0;
	for (uint32_t i = 0; i < model->units.count; i++) {
		if (!inline_sites_read(read, reader, model, i, err))
			return false;
	}
	for (size_t i = 0; i < read->sites.count; i++) {
		const struct inline_site *site = &read->sites.data[i];

		if (site->origin == OFFSET_INDEX_NONE)
			continue;
		if (site->has_entry && has_code(collector, site->entry))
			add_site(collector, group, site);
		else
			collector->list.counts.without_code++;
	}
	add_declarations(collector, group);
	return true;
}
