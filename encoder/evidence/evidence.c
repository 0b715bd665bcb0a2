/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/evidence/evidence.h"

#include <elf.h>

#include "base/search.h"

void shared_code_init(struct shared_code *shared, struct object *object)
{
	*shared = (struct shared_code){ .object = object };
	pthread_mutex_init(&shared->lock, NULL);
}

void shared_code_release(struct shared_code *shared)
{
	if (shared->is_open)
		machine_code_close(&shared->code);
	if (shared->has_frames)
		call_frames_close(&shared->frames);
	if (shared->has_pads)
		code_pads_close(&shared->pads);
	if (shared->object)
		pthread_mutex_destroy(&shared->lock);
	*shared = (struct shared_code){ 0 };
}

const struct machine_code *evidence_code(struct evidence *evidence)
{
	struct shared_code *shared = evidence->shared;

	if (evidence->code.object)
		return &evidence->code;
	/* Opening calls libelf, which is not for two threads at once; no other code does by now. */
	pthread_mutex_lock(&shared->lock);
	if (!shared->is_open)
		machine_code_open(&shared->code, shared->object);
	shared->is_open = true;
	pthread_mutex_unlock(&shared->lock);
	machine_code_share(&evidence->code, &shared->code);
	return &evidence->code;
}

const struct code_pads *evidence_pads(struct evidence *evidence)
{
	struct shared_code *shared = evidence->shared;

	pthread_mutex_lock(&shared->lock);
	if (!shared->has_pads)
		code_pads_open(&shared->pads, shared->object);
	shared->has_pads = true;
	pthread_mutex_unlock(&shared->lock);
	return &shared->pads;
}

const struct call_frames *evidence_frames(struct evidence *evidence)
{
	struct shared_code *shared = evidence->shared;

	pthread_mutex_lock(&shared->lock);
	if (!shared->has_frames)
		call_frames_open(&shared->frames, shared->object);
	shared->has_frames = true;
	pthread_mutex_unlock(&shared->lock);
	return &shared->frames;
}

void evidence_init(struct evidence *evidence, const struct object *object,
		   const struct symbol_table *symbols, struct shared_code *shared)
{
	*evidence = (struct evidence){ .object = object,
				       .symbols = symbols,
				       .abi = abi_of(object),
				       .shared = shared,
				       .lists = { UINT64_MAX, 0 } };
	evidence->calls.abi = evidence->abi;
	type_layout_init(&evidence->layout, object->address_bytes);
}

void evidence_release(struct evidence *evidence)
{
	if (evidence->code.object)
		machine_code_close(&evidence->code);
	type_layout_release(&evidence->layout);
	call_sites_release(&evidence->calls);
	array_release(&evidence->types);
	array_release(&evidence->locations);
	array_release(&evidence->functions);
	parameter_findings_release(&evidence->findings);
	array_release(&evidence->argument_order);
}

void evidence_begin_group(struct evidence *evidence, const struct dwarf_model *model)
{
	type_layout_reset(&evidence->layout, model);
	evidence->functions.count = evidence->findings.count = evidence->findings.pieces.count = 0;
	evidence->any_needs_call_sites = false;
}

/* ---- findings ---- */

void parameter_findings_release(struct parameter_findings *findings)
{
	array_release(findings);
	array_release(&findings->pieces);
}

void parameter_findings_add(struct parameter_findings *findings, struct parameter_finding finding,
			    const struct location_piece *pieces)
{
	finding.first_piece = (uint32_t)findings->pieces.count;
	for (uint32_t i = 0; i < finding.piece_count; i++)
		array_push(&findings->pieces, pieces[i]);
	array_push(findings, finding);
}

struct location parameter_findings_location(const struct parameter_findings *findings,
					    const struct parameter_finding *finding)
{
	const struct location_piece *whole = &finding->found;
	struct location location = { .kind = whole->kind,
				     .reg = whole->reg,
				     .value_bytes = whole->value_bytes,
				     .first_byte = whole->first_byte,
				     .piece_count = finding->piece_count,
				     .offset = whole->offset,
				     .constant = whole->constant };

	for (uint32_t i = 0; i < finding->piece_count; i++)
		location.pieces[i] = findings->pieces.data[finding->first_piece + i];
	return location;
}

/* ---- argument locations ---- */

bool evidence_layout(struct evidence *evidence, const struct dwarf_model *model,
		     uint32_t reference, struct abi_type *type)
{
	uint32_t link = dwarf_model_link_of(model, reference);

	return link != LINK_INVALID && type_layout_of(&evidence->layout, link, type);
}

/* In BTF it is an array, and a struct of arrays travels in other registers. */
static bool hides_vector(const struct abi_type *type)
{
	uint32_t i = 0;

	while (type->is_record && i < type->leaf_count && type->leaves[i].class != ABI_VECTOR)
		i++;
	return type->is_record && i < type->leaf_count;
}

static bool assign_locations(struct evidence *evidence, const struct dwarf_model *model,
			  struct examined_function *examined)
{
	const struct dwarf_function *declared = &model->functions.data[examined->declared];
	uint32_t count = declared->parameter_count;
	struct abi_prototype prototype = {
		.parameter_count = count,
		.is_variadic = examined->is_variadic,
		.is_int128_whole = examined->is_int128_whole,
	};
	struct abi_type result = { 0 };

	if (!evidence->abi || !evidence_layout(evidence, model, declared->type, &result))
		return false;
	evidence->types.count = evidence->locations.count = 0;
	array_reserve(&evidence->types, count);
	array_reserve(&evidence->locations, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct dwarf_parameter *parameter =
			&model->parameters.data[declared->first_parameter + i];

		if (parameter->type == REF_NONE ||
		    !evidence_layout(evidence, model, parameter->type, &evidence->types.data[i]))
			return false;
		if (hides_vector(&evidence->types.data[i]))
			examined->reasons |= REASON(UNKNOWN_LAYOUT);
	}
	prototype.result = &result;
	prototype.parameters = evidence->types.data;
	return abi_assign(evidence->abi, &prototype, &examined->call, evidence->locations.data);
}

/* ---- one function ---- */

void evidence_note_list(struct evidence *evidence, const struct location_source *source)
{
	if (source->form_class != LOCATION_FORM_LIST)
		return;
	if (source->value < evidence->lists.begin)
		evidence->lists.begin = source->value;
	if (source->value > evidence->lists.end)
		evidence->lists.end = source->value;
}

uint32_t evidence_entry_pad(struct evidence *evidence, uint64_t entry)
{
	const struct machine_code *code = evidence_code(evidence);
	const struct symbol *symbol;
	uint64_t limit;

	if (code->machine)
		return machine_code_entry_pad(code, entry);
	symbol = symbol_table_enclosing(evidence->symbols, entry);
	if (!symbol)
		return 0;
	limit = symbol->address + symbol->size - entry;
	if (limit > CODE_PADS_MAX)
		limit = CODE_PADS_MAX;
	return (uint32_t)(code_pads_end(evidence_pads(evidence), symbol->section, entry,
					entry + limit) - entry);
}

/*
 * Compilers let a location begin after what precedes the prologue: the call of the tracer's hook
 * (clang with -mfentry or -pg), NOPs to patch, endbr64. That, and only that, is tolerated. (GCC's
 * lists begin at the entry; its clones may have other gaps there.)
 */
static void locate(struct evidence *evidence, const struct dwarf_model *model,
		   const struct examined_function *examined,
		   const struct dwarf_argument *argument, struct location *found)
{
	const struct dwarf_function *code = &model->functions.data[examined->function];
	const struct location_unit *unit = &model->units.data[code->unit].location;
	struct location_moment moment = { .pc = examined->described, .is_entry = true };
	enum frame_base frame_base;
	uint8_t reg;

	evidence_note_list(evidence, &argument->location);
	frame_base = frame_base_of(unit, &code->frame_base, &reg);
	location_at(unit, &argument->location, frame_base, &moment, found);
	if (found->kind != LOCATION_NONE || argument->location.form_class < LOCATION_FORM_LIST ||
	    (model->units.data[code->unit].producer.family == PRODUCER_GCC &&
	     !(examined->changes && examined->want_call_sites)))
		return;
	moment.pad_bytes = evidence_entry_pad(evidence, examined->described);
	if (moment.pad_bytes)
		location_at(unit, &argument->location, frame_base, &moment, found);
}

uint64_t evidence_body(struct evidence *evidence, const struct examined_function *examined)
{
	return examined->entry + evidence_entry_pad(evidence, examined->entry);
}

/*
 * A parameter without a location at the entry. Its later locations may tell in what it was passed
 * (DW_OP_entry_value). A register or memory there tells nothing: it may hold it, or what was
 * assigned to it first.
 */
static void examine_later(struct evidence *evidence, const struct dwarf_model *model,
			  const struct examined_function *examined,
			  const struct dwarf_argument *argument, struct parameter_finding *finding,
			  struct location *found)
{
	const struct dwarf_function *code = &model->functions.data[examined->function];
	const struct location_unit *unit = &model->units.data[code->unit].location;
	struct location_moment moment = { .pc = examined->described, .or_later = true };
	struct location later;

	location_at(unit, &argument->location, FRAME_BASE_NONE, &moment, &later);
	if (later.kind != LOCATION_ENTRY_VALUE)
		return;
	*found = later;
	finding->state = (uint8_t)parameter_compare(evidence->abi, &finding->expected, &later,
						    &finding->missing_words);
}

/* Code in which a prologue must have ended. */
#define MAX_PROLOGUE 4096

bool evidence_stack_offset(struct evidence *evidence, const struct dwarf_model *model,
			   const struct examined_function *examined,
			   const struct location_piece *found, int64_t *stack_offset)
{
	const struct dwarf_function *code = &model->functions.data[examined->function];
	uint64_t begin = evidence_body(evidence, examined), end = begin + MAX_PROLOGUE;
	int64_t frame_size = -1, cfa_offset;
	uint8_t base, reg;

	/* Damaged files have any number here. */
	if (found->offset < -INT16_MAX || found->offset > INT16_MAX)
		return false;
	if (found->kind == LOCATION_CFA) {
		*stack_offset = found->offset + evidence->abi->entry_cfa_offset;
		return found->offset >= 0;
	}
	if (found->kind != LOCATION_FRAME ||
	    frame_base_of(&model->units.data[code->unit].location, &code->frame_base, &base) !=
		    FRAME_BASE_REGISTER)
		return false;
	for (uint64_t pc = begin; pc < end && pc < examined->end; pc++)
		if (call_frames_cfa(evidence_frames(evidence), pc, &reg, &cfa_offset) &&
		    reg == base && cfa_offset > frame_size && cfa_offset <= INT16_MAX)
			frame_size = cfa_offset;
	*stack_offset = found->offset - frame_size + evidence->abi->entry_cfa_offset;
	return frame_size >= 0 && *stack_offset >= evidence->abi->entry_stack_offset;
}

static enum passed_type passed_type_of(const struct dwarf_model *model, uint32_t reference,
				       const struct abi_type *type)
{
	const struct dwarf_type *passed = dwarf_model_behind(model, reference);

	if (type->is_record)
		return PASSED_AGGREGATE;
	return passed && passed->kind == DWARF_POINTER ? PASSED_POINTER : PASSED_SCALAR;
}

/* So few are looked through; more are sorted, once for a function. */
#define FEW_ARGUMENTS 16

/* The first of the code's DIEs for a parameter; NULL: it has none. */
static const struct dwarf_argument *find_argument(const struct evidence *evidence,
						  const struct dwarf_model *model,
						  const struct dwarf_function *code,
						  uint32_t parameter)
{
	const struct dwarf_argument *arguments = model->arguments.data + code->first_argument;
	const struct sort_item *found = sorted_find(&evidence->argument_order, key, parameter);

	if (evidence->argument_order.count)
		return found ? &arguments[found->value] : NULL;
	for (uint32_t i = 0; i < code->argument_count; i++) {
		if (arguments[i].parameter == parameter)
			return &arguments[i];
	}
	return NULL;
}

static void examine_parameter(struct evidence *evidence, const struct dwarf_model *model,
			      const struct examined_function *examined, uint32_t number,
			      struct parameter_finding *finding, struct location *found)
{
	const struct dwarf_function *code = &model->functions.data[examined->function];
	const struct dwarf_function *declared = &model->functions.data[examined->declared];
	const struct dwarf_parameter *parameter =
		&model->parameters.data[declared->first_parameter + number];
	const struct dwarf_argument *argument =
		find_argument(evidence, model, code, parameter->offset);
	const struct abi_type *type;

	*finding = (struct parameter_finding){ .state = PARAMETER_NOT_COMPARED,
					       .expected_known = examined->call_known };
	location_set(found, LOCATION_NONE);
	if (argument) {
		finding->from_list = argument->location.form_class >= LOCATION_FORM_LIST;
		locate(evidence, model, examined, argument, found);
	}
	if (!examined->call_known)
		return;
	type = &evidence->types.data[number];
	finding->expected = evidence->locations.data[number];
	finding->size_bytes =
		type->size_bytes < UINT32_MAX ? (uint32_t)type->size_bytes : UINT32_MAX;
	finding->passed_type = (uint8_t)passed_type_of(model, parameter->type, type);
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];

		finding->is_packed |= !leaf->is_bitfield && leaf->offset_bytes % leaf->size_bytes;
	}
	finding->state = finding->expected.kind == ABI_NOWHERE
		? PARAMETER_IN_PLACE
		: (uint8_t)parameter_compare(evidence->abi, &finding->expected, found,
					     &finding->missing_words);
	finding->may_be_unfilled = (finding->expected.kind == ABI_REFERENCE ||
				    finding->expected.kind == ABI_REFERENCE_STACK) &&
				   model->units.data[code->unit].producer.family != PRODUCER_GCC;
	/*
	 * LLVM calls static functions by conventions of its own where it gains from it: on riscv64
	 * the ninth argument is in %t3 (fastcc). A list that covers the entry shows it.
	 */
	if (finding->from_list && finding->state == PARAMETER_STORED &&
	    found->kind == LOCATION_REGISTER &&
	    model->units.data[code->unit].producer.family != PRODUCER_GCC)
		finding->state = PARAMETER_ELSEWHERE;
	if (finding->state == PARAMETER_ABSENT && argument) {
		if (argument->has_constant)
			finding->state = PARAMETER_CONSTANT;
		else
			examine_later(evidence, model, examined, argument, finding, found);
	}
}

/*
 * The reasons of parameters that arrive elsewhere: on the stack, or in registers in another order.
 * A lone expression of GCC's (not a list) may hold after the prologue only. But above the CFA no
 * prologue stores anything: the caller has put it there, and has not loaded the register (i386:
 * asmlinkage, stdcall).
 */
static reason_set displacement(const struct evidence *evidence,
			       const struct examined_function *examined, bool only_lists)
{
	const struct parameter_finding *findings =
		array_place(&evidence->findings, examined->first_finding);
	reason_set reasons = 0;
	int last = -1;

	for (uint32_t i = 0; i < examined->finding_count; i++) {
		const struct location_piece *found = &findings[i].found;
		bool is_elsewhere = findings[i].state == PARAMETER_ELSEWHERE;
		bool by_caller = found->kind == LOCATION_CFA && found->offset >= 0 &&
				 findings[i].expected.kind == ABI_REGISTERS;
		int order;

		if (only_lists && !findings[i].from_list && !by_caller)
			continue;
		if (is_elsewhere)
			reasons |= findings[i].expected.kind == ABI_STACK ||
						   found->kind == LOCATION_CFA
					   ? REASON(STACK_LAYOUT) : REASON(REG_MISMATCH);
		if (found->kind != LOCATION_REGISTER)
			continue;
		order = abi_argument_order(evidence->abi, found->reg);
		if (order >= 0 && order < last && is_elsewhere)
			reasons |= REASON(REORDERED);
		last = order > last ? order : last;
	}
	return reasons;
}

static const reason_set reason_of_state[PARAMETER_STATE_COUNT] = {
	[PARAMETER_CONSTANT] = REASON(PARAM_CONSTANT),
	[PARAMETER_SCALARIZED] = REASON(PARAM_SCALARIZED),
	[PARAMETER_PARTLY] = REASON(PARAM_SCALARIZED),
	[PARAMETER_REMOVED] = REASON(PARAM_REMOVED),
	[PARAMETER_UNSET] = REASON(PARAM_UNSET),
};

/*
 * What follows from the locations alone. GCC changes how a function is called only in a clone with
 * a suffix of its own, so without one a missing location means that the parameter is not read, not
 * that it is not passed. Other compilers change the function itself, so there it is in doubt, and
 * call sites have to show whether a parameter that is not in place is passed.
 */
static void judge_locations(struct evidence *evidence, const struct dwarf_model *model,
			    struct examined_function *examined)
{
	const struct dwarf_function *code = &model->functions.data[examined->function];
	const struct producer *producer = &model->units.data[code->unit].producer;
	uint8_t flags = code->flags | model->functions.data[examined->declared].flags;
	bool is_changed = examined->changes || flags & FUNCTION_NO_CALL;
	bool is_gcc = producer->family == PRODUCER_GCC;
	bool needs_call_sites = is_changed;
	/* Before it had DW_CC_nocall, LLVM dropped return values, too (clang 14 does). */
	bool drops_silently = producer->family == PRODUCER_CLANG && producer->version < 19 &&
			      examined->internal;

	if (flags & FUNCTION_NO_CALL)
		examined->reasons |= REASON(SIGNATURE_CHANGED);
	if (!examined->call_known) {
		/* Nothing can be compared. With GCC, no suffix means no change; with LLVM not. */
		if (evidence->abi && !is_gcc)
			examined->reasons |= REASON(UNKNOWN_LAYOUT);
		return;
	}
	examined->reasons |= displacement(evidence, examined, is_gcc && !is_changed);
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		const struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (is_changed)
			examined->reasons |= reason_of_state[finding->state];
		needs_call_sites |= !is_gcc && (finding->state != PARAMETER_IN_PLACE ||
						finding->may_be_unfilled);
	}
	examined->may_move_up = producer->family == PRODUCER_CLANG && examined->internal &&
				examined->call.has_result_address &&
				!abi_passes_integers(evidence->abi,
					examined->call.result_address.registers[0]);
	examined->may_drop_result &= (is_changed || drops_silently) &&
				     examined->call.result.kind == ABI_REGISTERS;
	examined->needs_call_sites =
		(needs_call_sites || examined->may_drop_result) && examined->want_call_sites;
	evidence->any_needs_call_sites |= examined->needs_call_sites;
}

void evidence_examine(struct evidence *evidence, const struct dwarf_model *model,
		      struct examined_function examined, const struct symbol *symbol)
{
	const struct dwarf_function *declared = &model->functions.data[examined.declared];
	const struct dwarf_function *code = &model->functions.data[examined.function];
	uint32_t suffixes = symbol_parse(symbol->name).suffixes;
	/* clang may mark a function as variadic in the code's own DIE only. */
	uint8_t flags = declared->flags | code->flags;

	examined.name = declared->name;
	examined.entry = symbol->address;
	examined.end = symbol->address + symbol->size;
	/*
	 * A compiler sees all callers of what is static, and, when units were linked before (LTO),
	 * of what the link made local.
	 */
	examined.internal = !(flags & FUNCTION_EXTERNAL) || symbol->binding == STB_LOCAL;
	examined.is_thumb = symbol->is_thumb;
	examined.is_variadic = flags & FUNCTION_VARIADIC;
	examined.is_int128_whole =
		producer_keeps_int128_whole(&model->units.data[code->unit].producer);
	/* IPA-CP takes constants out of the parameters and keeps the return value. */
	examined.may_drop_result = !(suffixes & 1u << SUFFIX_CONSTPROP) ||
				   suffixes & 1u << SUFFIX_ISRA;
	/* Weak functions, which a linker may replace, are called by the convention. */
	examined.want_call_sites &= symbol->binding != STB_WEAK;
	examined.first_finding = (uint32_t)evidence->findings.count;
	examined.finding_count = declared->parameter_count;
	examined.call_known = assign_locations(evidence, model, &examined);
	evidence->argument_order.count = 0;
	for (uint32_t i = 0; code->argument_count > FEW_ARGUMENTS && i < code->argument_count; i++)
		array_push(&evidence->argument_order, ((struct sort_item){
			model->arguments.data[code->first_argument + i].parameter, i }));
	sort_by_key(evidence->argument_order.data, evidence->argument_order.count);
	for (uint32_t i = 0; i < examined.finding_count; i++) {
		struct parameter_finding finding;
		struct location found;

		examine_parameter(evidence, model, &examined, i, &finding, &found);
		finding.found = (struct location_piece){ .kind = found.kind,
							 .reg = found.reg,
							 .value_bytes = found.value_bytes,
							 .first_byte = found.first_byte,
							 .offset = found.offset,
							 .constant = found.constant };
		finding.piece_count = found.piece_count;
		parameter_findings_add(&evidence->findings, finding, found.pieces);
	}
	judge_locations(evidence, model, &examined);
	array_push(&evidence->functions, examined);
}
