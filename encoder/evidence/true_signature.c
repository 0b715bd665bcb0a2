/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/evidence/true_signature.h"

#include <string.h>

static int register_order(const struct abi *abi, unsigned int reg)
{
	for (int i = 0; i < abi->argument_register_count; i++) {
		if (abi->argument_registers[i] == reg)
			return i;
	}
	return -1;
}

/*
 * The location of a parameter that still arrives, in the order of arguments: a register's number,
 * then the stack. -1: it is not passed; -2: that is not known.
 */
static int32_t arrival(const struct abi *abi, const struct parameter_finding *finding)
{
	const struct location *found = &finding->found;
	int order = -1;

	switch ((enum parameter_state)finding->state) {
	case PARAMETER_ABSENT:
	case PARAMETER_CONSTANT:
	case PARAMETER_REMOVED:
	case PARAMETER_UNSET: return -1;
	case PARAMETER_IN_PLACE:
	case PARAMETER_ELSEWHERE: break;
	case PARAMETER_STORED:
	case PARAMETER_NOT_COMPARED:
	case PARAMETER_PARTLY:
	case PARAMETER_SCALARIZED:
	case PARAMETER_STATE_COUNT: return -2;
	}
	if (found->kind == LOCATION_REGISTER || found->kind == LOCATION_REGISTER_VALUE ||
	    found->kind == LOCATION_ENTRY_VALUE)
		order = register_order(abi, found->reg);
	if (found->kind == LOCATION_PIECES && found->pieces[0].kind == LOCATION_REGISTER)
		order = register_order(abi, found->pieces[0].reg);
	if (order >= 0)
		return order;
	if (found->kind == LOCATION_CFA && found->offset >= 0 && found->offset < INT16_MAX)
		return 256 + (int32_t)found->offset;
	return -2;
}

/* Those that arrive, by arrival: an insertion sort, there are few. */
static bool order_parameters(const struct evidence *evidence,
			     const struct examined_function *examined,
			     struct true_signature *signature)
{
	int32_t order[TRUE_SIGNATURE_MAX_PARAMETERS];

	if (examined->finding_count > TRUE_SIGNATURE_MAX_PARAMETERS)
		return false;
	signature->parameter_count = 0;
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		int32_t at = arrival(evidence->abi,
				     &evidence->findings.data[examined->first_finding + i]);
		uint32_t k = signature->parameter_count;

		if (at == -2)
			return false;
		if (at == -1)
			continue;
		for (; k && order[k - 1] > at; k--) {
			order[k] = order[k - 1];
			signature->parameters[k] = signature->parameters[k - 1];
		}
		order[k] = at;
		signature->parameters[k] = (uint8_t)i;
		signature->parameter_count++;
	}
	return true;
}

/* Are the remaining parameters where the ABI puts them? *used: mask of argument registers. */
static bool confirm_locations(struct evidence *evidence, const struct dwarf_model *model,
			   const struct examined_function *examined,
			   const struct true_signature *signature, uint32_t *used)
{
	const struct dwarf_function *declared = &model->functions.data[examined->declared];
	struct abi_type types[TRUE_SIGNATURE_MAX_PARAMETERS], result = { 0 };
	struct abi_location locations[TRUE_SIGNATURE_MAX_PARAMETERS];
	struct abi_prototype prototype = {
		.result = &result, .parameters = types,
		.parameter_count = signature->parameter_count,
		.is_int128_whole = examined->is_int128_whole,
	};
	struct abi_call call;
	uint8_t missing;

	if (!signature->returns_void &&
	    !evidence_layout(evidence, model, declared->type, &result))
		return false;
	for (uint32_t i = 0; i < signature->parameter_count; i++) {
		uint32_t number = declared->first_parameter + signature->parameters[i];

		if (!evidence_layout(evidence, model, model->parameters.data[number].type,
				     &types[i]))
			return false;
	}
	if (!abi_assign(evidence->abi, &prototype, &call, locations))
		return false;
	*used = call.has_result_address && call.result_address.register_count
			? 1u << call.result_address.registers[0] : 0;
	for (uint32_t i = 0; i < signature->parameter_count; i++) {
		const struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding +
						 signature->parameters[i]];

		if (parameter_compare(evidence->abi, &locations[i], &finding->found, &missing) !=
		    PARAMETER_IN_PLACE)
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
 * same. Nothing else may arrive: no described caller loads, and the function does not read, another
 * register.
 */
static bool confirm_registers(struct evidence *evidence, const struct examined_function *examined,
			      uint32_t used)
{
	for (int i = 0; i < evidence->abi->argument_register_count; i++) {
		uint8_t reg = evidence->abi->argument_registers[i];
		bool is_used = used >> reg & 1;
		enum register_use use;

		if (is_used && examined->loaded_registers >> reg & 1)
			continue;
		use = machine_code_entry_use(evidence_code(evidence),
					     evidence_body(evidence, examined), examined->end, reg);
		/* Passed on untouched to some callee: then the callers must be known. */
		if (is_used ? use != USE_READ
			    : use == USE_READ || use == USE_UNKNOWN ||
			      (use == USE_PASSED && !examined->described_calls))
			return false;
	}
	return !(examined->loaded_registers & ~used);
}

bool true_signature_find(struct evidence *evidence, const struct dwarf_model *model,
			 const struct examined_function *examined,
			 struct true_signature *signature)
{
	bool returns = model->functions.data[examined->declared].type != REF_NONE;
	uint32_t used;

	*signature = (struct true_signature){ 0 };
	if (!examined->call_known || examined->is_variadic)
		return false;
	if (returns && examined->result == RESULT_UNKNOWN && examined->may_drop_result)
		return false;
	signature->returns_void = returns && examined->result == RESULT_REMOVED;
	return order_parameters(evidence, examined, signature) &&
	       confirm_locations(evidence, model, examined, signature, &used) &&
	       confirm_registers(evidence, examined, used);
}
