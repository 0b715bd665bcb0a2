/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/evidence/evidence.h"

#include <stdlib.h>

#define NOT_PASSED  (-1)
#define NOT_KNOWN   (-2)
#define STACK_ORDER 256		/* the stack comes after all registers */

/* A parameter that still arrives, or a member of it. */
struct arrival {
	int32_t order;		/* of a register, or STACK_ORDER + stack_offset */
	int64_t stack_offset;	/* from the stack pointer at the entry */
	struct location found;
	struct true_parameter parameter;
};

/* The member of a struct that begins a word of it, as a link (dwarf/unit_model.h); 0: none. */
static uint32_t find_member(const struct dwarf_model *model, uint32_t type, uint32_t word_bits,
			    uint32_t word)
{
	const struct dwarf_type *record = dwarf_model_behind(model, type);

	for (uint32_t i = 0; record && record->kind == DWARF_STRUCT && i < record->count; i++) {
		const struct dwarf_member *member = &model->members.data[record->first + i];

		if (member->offset_bits == word * word_bits && !member->size_bits && member->name)
			return record->first + i + 1;
	}
	return 0;
}

/*
 * Of a value in parts: the register of the only word that arrives. LLVM passes one word of a struct
 * without the other. *words: how many of them arrive. False: a part is computed.
 */
static bool find_only_word(const struct abi *abi, const struct location *found, uint32_t *words,
			   uint32_t *word, struct location_piece *only)
{
	uint32_t at = 0, last = UINT32_MAX;

	*words = 0;
	for (uint32_t i = 0; i < found->piece_count; at += found->pieces[i++].size_bytes) {
		const struct location_piece *piece = &found->pieces[i];

		/* What shares a word with its first part is in the same register. */
		if (piece->kind == LOCATION_NONE || at / abi->word_bytes == last)
			continue;
		last = at / abi->word_bytes;
		if (at % abi->word_bytes || piece->offset || piece->first_byte ||
		    (piece->kind != LOCATION_REGISTER && piece->kind != LOCATION_REGISTER_VALUE &&
		     piece->kind != LOCATION_ENTRY_VALUE))
			return false;
		*word = last;
		*only = *piece;
		++*words;
	}
	return true;
}

/* Finds whether and where a parameter still arrives. */
static void find_arrival(struct evidence *evidence, const struct dwarf_model *model,
			 const struct examined_function *examined, uint32_t number,
			 struct arrival *arrival)
{
	const struct dwarf_function *declared = &model->functions.data[examined->declared];
	const struct parameter_finding *finding =
		&evidence->findings.data[examined->first_finding + number];
	const struct dwarf_parameter *parameter =
		&model->parameters.data[declared->first_parameter + number];
	const struct abi *abi = evidence->abi;
	uint32_t words = 0, word = 0;
	struct location_piece only = { 0 };
	int order = -1;

	*arrival = (struct arrival){
		.order = NOT_KNOWN,
		.found = parameter_findings_location(&evidence->findings, finding),
		.parameter.number = (uint8_t)number,
	};
	if (evidence_stack_offset(evidence, model, examined, &finding->found,
			      &arrival->stack_offset)) {
		/* Where DWARF's states do not tell, the code does: LLVM copies unread structs. */
		if (finding->found.kind == LOCATION_CFA ||
		    machine_code_reads_stack(evidence_code(evidence),
					     evidence_body(evidence, examined), examined->end,
					     arrival->stack_offset, finding->size_bytes,
					     finding->passed_type == PASSED_AGGREGATE))
			arrival->order = STACK_ORDER + (int32_t)arrival->stack_offset;
		if (finding->found.kind != LOCATION_CFA)
			return;
	}
	if (finding->found.kind == LOCATION_PIECES && finding->size_bytes > abi->word_bytes) {
		if (!find_only_word(abi, &arrival->found, &words, &word, &only))
			return;
		if (words == 1) {
			arrival->parameter.member =
				find_member(model, parameter->type, 8u * abi->word_bytes, word);
			order = abi_argument_order(abi, only.reg);
			arrival->found = (struct location){ .kind = only.kind, .reg = only.reg };
			/* To a global function callers elsewhere pass all of it. */
			if (order >= 0 && arrival->parameter.member && examined->internal)
				arrival->order = order;
			return;
		}
	}
	switch ((enum parameter_state)finding->state) {
	case PARAMETER_ABSENT:
	case PARAMETER_CONSTANT:
	case PARAMETER_REMOVED:
	case PARAMETER_UNSET: arrival->order = NOT_PASSED; return;
	case PARAMETER_IN_PLACE:
	case PARAMETER_ELSEWHERE: break;
	default: return;
	}
	if (finding->found.kind == LOCATION_REGISTER ||
	    finding->found.kind == LOCATION_REGISTER_VALUE ||
	    finding->found.kind == LOCATION_ENTRY_VALUE)
		order = abi_argument_order(abi, finding->found.reg);
	if (finding->found.kind == LOCATION_PIECES &&
	    arrival->found.pieces[0].kind == LOCATION_REGISTER)
		order = abi_argument_order(abi, arrival->found.pieces[0].reg);
	if (order >= 0)
		arrival->order = order;
}

static int compare_arrivals(const void *left, const void *right)
{
	const struct arrival *a = left, *b = right;

	return order_of(a->order, b->order);
}

/* Is a parameter, or a member of it, where the ABI puts it in the prototype that is left? */
static bool is_at(const struct abi *abi, const struct abi_location *expected,
		  const struct arrival *arrival)
{
	uint8_t missing;

	if (arrival->order >= STACK_ORDER)
		return expected->kind == ABI_STACK &&
		       expected->stack_offset == arrival->stack_offset;
	return parameter_compare(abi, expected, &arrival->found, &missing) == PARAMETER_IN_PLACE;
}

/* Are the remaining parameters where the ABI puts them? *used: mask of argument registers. */
static bool confirm_locations(struct evidence *evidence, const struct dwarf_model *model,
			      const struct examined_function *examined,
			      const struct arrival *arrivals, uint32_t count, bool returns_void,
			      uint32_t *used)
{
	const struct dwarf_function *declared = &model->functions.data[examined->declared];
	struct abi_type types[TRUE_SIGNATURE_MAX_PARAMETERS], result = { 0 };
	struct abi_location locations[TRUE_SIGNATURE_MAX_PARAMETERS];
	struct abi_prototype prototype = {
		.result = &result, .parameters = types, .parameter_count = count,
		.is_int128_whole = examined->is_int128_whole,
	};
	struct abi_call call;

	if (!returns_void && !evidence_layout(evidence, model, declared->type, &result))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct true_parameter *left = &arrivals[i].parameter;
		uint32_t number = declared->first_parameter + left->number;
		uint32_t type = left->member ? model->members.data[left->member - 1].type
					     : model->parameters.data[number].type;

		if (!evidence_layout(evidence, model, type, &types[i]))
			return false;
	}
	if (!abi_assign(evidence->abi, &prototype, &call, locations))
		return false;
	*used = call.has_result_address && call.result_address.register_count
			? 1u << call.result_address.registers[0] : 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_at(evidence->abi, &locations[i], &arrivals[i]))
			return false;
		for (uint32_t k = 0; k < locations[i].register_count; k++)
			*used |= locations[i].registers[k] < 32
					 ? 1u << locations[i].registers[k] : 0;
	}
	return true;
}

/*
 * The remaining parameters must arrive: they are read, or a caller loads them. GCC gives a
 * parameter that a clone has lost (.constprop.0.isra.0) the entry value of its register all the
 * same; LLVM describes no register of a parameter that it has dropped, so it is enough that it is
 * passed on. Nothing else may arrive: no described caller loads another register, and the function
 * does not read it; to pass it on is allowed if all callers are known and no callee reads it.
 */
static bool confirm_registers(struct evidence *evidence, const struct dwarf_model *model,
			      const struct examined_function *examined, uint32_t used)
{
	const struct machine_code *code = evidence_code(evidence);
	uint32_t unit = model->functions.data[examined->function].unit;
	bool is_llvm = model->units.data[unit].producer.family == PRODUCER_CLANG;
	uint64_t body = evidence_body(evidence, examined);

	for (int i = 0; i < evidence->abi->argument_register_count; i++) {
		uint8_t reg = evidence->abi->argument_registers[i];
		bool is_used = used >> reg & 1;
		enum register_use use;

		if (is_used && examined->loaded_registers >> reg & 1)
			continue;
		use = machine_code_entry_use(code, body, examined->end, reg);
		if (is_used ? use != USE_READ && !(is_llvm && use == USE_PASSED)
			    : use == USE_READ || use == USE_UNKNOWN ||
			      (use == USE_PASSED && !examined->described_calls &&
			       !(examined->internal &&
				 machine_code_callees_ignore(code, body, examined->end, reg))))
			return false;
	}
	return !(examined->loaded_registers & ~used);
}

bool true_signature_find(struct evidence *evidence, const struct dwarf_model *model,
			 const struct examined_function *examined,
			 struct true_signature *signature)
{
	bool returns = model->functions.data[examined->declared].type != REF_NONE;
	struct arrival arrivals[TRUE_SIGNATURE_MAX_PARAMETERS];
	uint32_t count = 0, used;
	bool is_changed;

	*signature = (struct true_signature){ 0 };
	if (!examined->call_known || examined->is_variadic ||
	    examined->finding_count > TRUE_SIGNATURE_MAX_PARAMETERS)
		return false;
	if (returns && examined->result == RESULT_UNKNOWN && examined->may_drop_result)
		return false;
	signature->returns_void = returns && examined->result == RESULT_REMOVED;
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		find_arrival(evidence, model, examined, i, &arrivals[count]);
		if (arrivals[count].order == NOT_KNOWN)
			return false;
		count += arrivals[count].order != NOT_PASSED;
	}
	/* Where what is on the stack was declared first, it stays first. */
	if (!confirm_locations(evidence, model, examined, arrivals, count,
			       signature->returns_void, &used)) {
		qsort(arrivals, count, sizeof(*arrivals), compare_arrivals);
		if (!confirm_locations(evidence, model, examined, arrivals, count,
				       signature->returns_void, &used))
			return false;
	}
	if (!confirm_registers(evidence, model, examined, used))
		return false;
	signature->parameter_count = count;
	is_changed = signature->returns_void || count < examined->finding_count;
	for (uint32_t i = 0; i < count; i++) {
		signature->parameters[i] = arrivals[i].parameter;
		is_changed |= arrivals[i].parameter.member || arrivals[i].parameter.number != i;
	}
	/* The compiler has changed something, and nothing is seen of it: "p = p->next", passed. */
	return is_changed || !(examined->reasons & REASON(SIGNATURE_CHANGED));
}
