/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The second step of evidence.h: what callers do for a parameter of which the callee's own DWARF
 * says nothing.
 *
 * Only callers of the same group are heard. That is enough: a compiler drops an argument only at
 * calls that it sees together with the callee, in one unit, or in one group when units were linked
 * before (LTO). A caller from elsewhere, or through a pointer, passes what the prototype says.
 */
#include "encoder/evidence.h"

#include <stdlib.h>

/* The registers in question: all that the ABI wants, or those of the missing parts. */
static uint8_t questioned_registers(const struct evidence *evidence,
				    const struct parameter_finding *finding,
				    uint8_t registers[ABI_MAX_REGISTERS])
{
	const struct abi_place *expected = &finding->expected;
	uint8_t count = 0;
	uint32_t at = 0;

	if (!finding->expected_known || expected->kind == ABI_STACK ||
	    expected->kind == ABI_REFERENCE_STACK)
		return 0;
	if (finding->state == PARAMETER_PARTLY) {
		for (uint32_t i = 0; i < finding->found.piece_count; i++) {
			const struct location_piece *piece = &finding->found.pieces[i];
			uint32_t word = at / evidence->abi->word_bytes;

			if (piece->kind == LOCATION_NONE && word < expected->register_count)
				registers[count++] = expected->registers[word];
			at += piece->size_bytes;
		}
		return count;
	}
	for (; count < expected->register_count; count++)
		registers[count] = expected->registers[count];
	return count;
}

/* The function symbol whose extent holds an address. */
static const struct symbol *enclosing_function(const struct symbol_table *symbols, uint64_t address)
{
	size_t i = symbol_table_at(symbols, address + 1);

	/* Aliases and labels share an extent; a few steps back are enough to find one with a size. */
	for (int step = 0; i-- > 0 && step < 16; step++) {
		const struct symbol *symbol = &symbols->symbols.data[i];

		if (symbol_is_function(symbol) && address - symbol->address < symbol->size)
			return symbol;
	}
	return NULL;
}

static bool describes_load(const struct call_sites *calls, const struct call_site *site,
			   uint8_t reg)
{
	for (uint32_t i = 0; i < site->load_count; i++) {
		const struct call_load *load = &calls->loads.data[site->first_load + i];

		if (!load->on_stack && load->reg == reg)
			return true;
	}
	return false;
}

/* One call, one parameter. */
static void hear(struct evidence *evidence, const struct call_site *site,
		 const struct direct_call *call, const struct symbol *caller,
		 struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(evidence, finding, registers);
	struct witness_counts *witnesses = &finding->witnesses;
	bool described = count > 0, set = count > 0, unset = false;

	if (witnesses->calls == UINT16_MAX)
		return;
	witnesses->calls++;
	for (uint8_t i = 0; i < count; i++) {
		enum register_fate fate = FATE_UNKNOWN;

		if (describes_load(&evidence->calls, site, registers[i]))
			continue;
		described = false;
		if (caller && call)
			fate = machine_code_fate_at_call(&evidence->code, caller->address,
							 caller->address + caller->size,
							 call->address, registers[i]);
		set &= fate == FATE_SET;
		unset |= fate == FATE_UNSET;
	}
	witnesses->described = (uint16_t)(witnesses->described + described);
	witnesses->set = (uint16_t)(witnesses->set + (set && !described));
	witnesses->unset = (uint16_t)(witnesses->unset + unset);
}

static bool in_question(const struct parameter_finding *finding)
{
	return finding->expected_known && finding->state != PARAMETER_IN_PLACE &&
	       finding->state != PARAMETER_STORED && finding->state != PARAMETER_ELSEWHERE;
}

/*
 * The instruction that a call site means. LLVM gives a tail call its own address, not what is behind
 * it; its length is then to be tried.
 */
static bool find_call(const struct machine_code *code, const struct call_site *site,
		      struct direct_call *call)
{
	if (site->return_pc)
		return machine_code_direct_call(code, site->return_pc, call);
	for (uint64_t length = 2; site->call_pc && length <= 6; length++) {
		if (machine_code_direct_call(code, site->call_pc + length, call) &&
		    call->address == site->call_pc)
			return true;
	}
	return false;
}

static void hear_call(struct evidence *evidence, const struct call_site *site,
		      struct examined_function *examined)
{
	struct direct_call call;
	bool direct = find_call(&evidence->code, site, &call);
	const struct symbol *caller;

	/* A copy has its own callers: DWARF names the function, only the target says which copy. */
	if (direct ? call.target != examined->entry : examined->changes)
		return;
	caller = direct ? enclosing_function(evidence->symbols, call.address) : NULL;
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (in_question(finding))
			hear(evidence, site, direct ? &call : NULL, caller, finding);
	}
}

/* ---- what the callee does ---- */

static void ask_callee(struct evidence *evidence, const struct examined_function *examined,
		       struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(evidence, finding, registers);
	enum register_use worst = USE_UNKNOWN;

	for (uint8_t i = 0; i < count; i++) {
		enum register_use use = machine_code_entry_use(&evidence->code, examined->entry,
							       examined->end, registers[i]);

		if (use == USE_READ)
			worst = USE_READ;
		else if (worst != USE_READ)
			worst = use;
	}
	finding->witnesses.use = (uint8_t)worst;
}

/* ---- judging ---- */

static void judge(const struct examined_function *examined, struct parameter_finding *finding,
		  bool external, reason_set *reasons)
{
	const struct witness_counts *witnesses = &finding->witnesses;
	bool heard = witnesses->described || witnesses->set;

	/* It reads the register, but not as this parameter: of that DWARF would know. */
	if (witnesses->use == USE_READ && finding->state == PARAMETER_ABSENT) {
		finding->state = PARAMETER_SCALARIZED;
		*reasons |= REASON(PARAM_SCALARIZED);
	} else if (witnesses->unset) {
		finding->state = PARAMETER_UNSET;
		*reasons |= examined->changes || !external ? REASON(PARAM_REMOVED)
							   : REASON(PARAM_UNSET);
	} else if (witnesses->calls && !heard && (examined->changes || !external)) {
		finding->state = PARAMETER_REMOVED;
		*reasons |= REASON(PARAM_REMOVED);
	}
}

static void conclude(struct evidence *evidence, const struct dwarf_model *model,
		     struct examined_function *examined)
{
	bool external = (model->functions.data[examined->function].flags |
			 model->functions.data[examined->declared].flags) & FUNCTION_EXTERNAL;

	for (uint32_t i = 0; i < examined->finding_count; i++) {
		struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (!in_question(finding))
			continue;
		ask_callee(evidence, examined, finding);
		judge(examined, finding, external, &examined->reasons);
	}
}

/* ---- all of a group ---- */

/* Suspicious functions by what declares them, to find those that a call site means. */
struct suspect {
	uint32_t declared;
	uint32_t examined;
};

static int compare_suspects(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;

	if (x->declared != y->declared)
		return x->declared < y->declared ? -1 : 1;
	return x->examined < y->examined ? -1 : x->examined > y->examined;
}

static void hear_site(struct evidence *evidence, const struct dwarf_model *model,
		      const struct suspect *suspects, size_t count, const struct call_site *site)
{
	size_t low = 0, high = count;
	uint32_t declared;

	if (site->callee == OFFSET_INDEX_NONE)
		return;
	declared = dwarf_model_declaring(model, site->callee);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (suspects[middle].declared < declared)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && suspects[low].declared == declared; low++)
		hear_call(evidence, site, &evidence->functions.data[suspects[low].examined]);
}

void evidence_hear_witnesses(struct evidence *evidence, const struct dwarf_model *model,
			     struct unit_reader *reader)
{
	ARRAY_OF(struct suspect) suspects = { 0 };
	struct error ignored;

	if (!evidence->any_suspicious)
		return;
	for (uint32_t i = 0; i < evidence->functions.count; i++) {
		const struct examined_function *examined = &evidence->functions.data[i];

		if (examined->suspicious)
			array_push(&suspects, ((struct suspect){ examined->declared, i }));
	}
	qsort(suspects.data, suspects.count, sizeof(*suspects.data), compare_suspects);
	evidence->calls.sites.count = evidence->calls.loads.count = 0;
	/* A unit whose calls cannot be read has no witnesses; its DIEs have been read before. */
	for (uint32_t unit = 0; unit < model->units.count; unit++)
		call_sites_read(&evidence->calls, reader, model, unit, &ignored);
	for (size_t i = 0; i < evidence->calls.sites.count; i++)
		hear_site(evidence, model, suspects.data, suspects.count,
			  &evidence->calls.sites.data[i]);
	for (size_t i = 0; i < suspects.count; i++)
		conclude(evidence, model, &evidence->functions.data[suspects.data[i].examined]);
	array_release(&suspects);
}
