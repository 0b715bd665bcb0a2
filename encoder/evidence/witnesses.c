/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The second step of evidence.h: what callers do for a parameter of which the callee's own DWARF
 * says nothing.
 *
 * Only callers of the same group are heard. That is enough: a compiler drops an argument only at
 * calls that it sees together with the callee, in one unit, or in one group when units were linked
 * before (LTO). A caller from elsewhere, or through a pointer, passes what the prototype says.
 */
#include "encoder/evidence/evidence.h"

#include <elf.h>
#include <stdlib.h>

#include "base/search.h"

static bool is_on_stack(const struct parameter_finding *finding)
{
	return finding->expected.kind == ABI_STACK ||
	       finding->expected.kind == ABI_REFERENCE_STACK;
}

/*
 * LLVM passes one of at most 8 bytes as an integer; so it does on arm64 with all that are not
 * passed by reference.
 */
static bool is_struct_in_memory(struct evidence *evidence, const struct parameter_finding *finding)
{
	return finding->expected.kind == ABI_STACK && finding->shape == SHAPE_RECORD &&
	       finding->size_bytes > 8 && evidence_code(evidence)->machine != EM_AARCH64;
}

/* The registers in question: all that the ABI wants, or those of the missing parts. */
static uint8_t questioned_registers(const struct parameter_finding *finding,
				    uint8_t registers[ABI_MAX_REGISTERS])
{
	const struct abi_place *expected = &finding->expected;
	uint8_t count = 0;

	if (is_on_stack(finding))
		return 0;
	if (finding->state == PARAMETER_PARTLY) {
		for (uint8_t word = 0; word < expected->register_count; word++) {
			if (finding->missing_words >> word & 1)
				registers[count++] = expected->registers[word];
		}
		return count;
	}
	for (; count < expected->register_count; count++)
		registers[count] = expected->registers[count];
	return count;
}

enum register_fate evidence_fate(const struct machine_code *code, const struct symbol *caller,
				 uint64_t call, unsigned int reg)
{
	enum register_fate fate = machine_code_fate_at_call(
		code, caller->address, caller->address + caller->size, call, reg);

	if (fate != FATE_SET && symbol_parse(caller->name).class == SUFFIX_PIECE)
		return FATE_UNKNOWN;
	return fate;
}

static const struct call_load *find_load(const struct call_sites *calls,
					 const struct call_site *site, uint8_t reg)
{
	for (uint32_t i = 0; i < site->load_count; i++) {
		const struct call_load *load = &calls->loads.data[site->first_load + i];

		if (!load->on_stack && load->reg == reg)
			return load;
	}
	return NULL;
}

/* Does the code read this one of several? Then callers are asked about the others only. */
static bool is_read(const struct parameter_finding *finding, uint8_t reg)
{
	return reg < 32 && finding->read_registers >> reg & 1;
}

/*
 * For an argument that nobody reads, LLVM before 20 passes zero (DeadArgumentElimination); later
 * ones pass nothing, and a zero is a zero. But where the convention wants a narrow argument
 * extended, nothing, extended, is zero (arm64: a bool).
 */
static bool zero_may_be_nothing(const struct evidence *evidence, const struct dwarf_model *model,
				const struct call_site *site,
				const struct parameter_finding *finding)
{
	uint32_t unit = model->functions.data[site->caller].unit;
	const struct producer *producer = &model->units.data[unit].producer;

	return producer->family != PRODUCER_CLANG || producer->version < 20 ||
	       finding->size_bytes < evidence->abi->extended_bytes;
}

/* One call, one parameter. */
static void hear(struct evidence *evidence, const struct dwarf_model *model,
		 const struct call_site *site, const struct direct_call *call,
		 const struct symbol *caller, struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(finding, registers);
	struct witness_counts *witnesses = &finding->witnesses;
	bool described = count > 0, zeroed = count > 0;
	bool set = count > 0, unset = false;

	if (witnesses->calls == UINT16_MAX)
		return;
	witnesses->calls++;
	zeroed &= zero_may_be_nothing(evidence, model, site, finding);
	for (uint8_t i = 0; i < count; i++) {
		const struct call_load *load = find_load(&evidence->calls, site, registers[i]);
		enum register_fate fate = FATE_UNKNOWN;

		if (witnesses->use != USE_READ && is_read(finding, registers[i]))
			continue;
		zeroed &= load && load->is_zero;
		if (load)
			continue;
		described = false;
		if (caller && call)
			fate = evidence_fate(evidence_code(evidence), caller, call->address,
					     registers[i]);
		set &= fate == FATE_SET;
		unset |= fate == FATE_UNSET;
	}
	if (zeroed)
		witnesses->zeroed++;
	else if (described)
		witnesses->described++;
	else if (set)
		witnesses->set++;
	if (unset)
		witnesses->unset++;
}

static bool in_question(const struct parameter_finding *finding)
{
	return finding->expected_known && finding->state != PARAMETER_IN_PLACE &&
	       finding->state != PARAMETER_ELSEWHERE;
}

/*
 * The instruction that a call site means. LLVM gives a tail call its own address, not what is
 * behind it; its length is then to be tried.
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

/*
 * Does the caller look at the result? One that is still there when the caller itself returns is
 * looked at, perhaps, unless the caller returns nothing. Of a result in two registers LLVM may drop
 * one: only where both are looked at it is delivered.
 */
static void hear_result(struct evidence *evidence, const struct dwarf_model *model,
			const struct call_site *site, const struct direct_call *direct,
			const struct symbol *caller, struct examined_function *examined)
{
	const struct abi_place *result = &examined->call.result;
	uint32_t declared = dwarf_model_declaring(model, site->caller);
	bool caller_returns = model->functions.data[declared].type != REF_NONE;
	bool dropped = true;

	for (uint8_t i = 0; i < result->register_count; i++) {
		enum register_use use = USE_PASSED;

		if (!direct->is_jump)
			use = machine_code_use_behind(evidence_code(evidence), caller->address,
						      caller->address + caller->size,
						      site->return_pc, result->registers[i]);
		if (use == USE_READ)
			examined->result_words_read |= (uint8_t)(1u << i);
		dropped &= use == USE_DEAD || (use == USE_PASSED && !caller_returns);
	}
	examined->results_dropped += dropped;
	if (examined->result_words_read == (1u << result->register_count) - 1)
		examined->result = RESULT_USED;
}

/* `direct` is NULL for a call through a pointer, or one that cannot be decoded. */
static void hear_call(struct evidence *evidence, const struct dwarf_model *model,
		      const struct call_site *site,
		      const struct direct_call *direct, struct examined_function *examined)
{
	const struct symbol *caller =
		direct ? symbol_table_enclosing(evidence->symbols, direct->address) : NULL;

	examined->heard_calls++;
	if (caller && examined->may_drop_result && examined->result != RESULT_USED)
		hear_result(evidence, model, site, direct, caller, examined);
	if (site->load_count)
		examined->described_calls++;
	for (uint32_t i = 0; i < site->load_count; i++) {
		const struct call_load *load = &evidence->calls.loads.data[site->first_load + i];

		if (!load->on_stack && load->reg < 32)
			examined->loaded_registers |= 1u << load->reg;
	}
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (in_question(finding))
			hear(evidence, model, site, direct, caller, finding);
	}
}

/* ---- what the callee does ---- */

/*
 * READ: of all that is in question. Of what is passed in two registers one may be read alone. Of
 * what is on the stack it is only asked whether it is surely read. LLVM knows whether the function,
 * and whatever it passes a struct on to, itself perhaps, looks at it. If not, the struct is copied
 * from call to call all the same, and callers do not fill it. A scalar that is copied was passed.
 */
static void ask_callee(struct evidence *evidence, const struct examined_function *examined,
		       struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(finding, registers);
	uint64_t body = evidence_body(evidence, examined);
	enum register_use use = count ? USE_READ : USE_UNKNOWN;

	if (is_on_stack(finding) &&
	    machine_code_reads_stack(evidence_code(evidence), body, examined->end,
				     finding->expected.stack_offset, finding->size_bytes,
				     is_struct_in_memory(evidence, finding)))
		use = USE_READ;
	for (uint8_t i = 0; i < count; i++) {
		enum register_use one = USE_UNKNOWN;

		/* Of floating point registers the instructions are not understood. */
		if (abi_passes_integers(evidence->abi, registers[i]))
			one = machine_code_entry_use(evidence_code(evidence), body, examined->end,
						     registers[i]);
		if (one != USE_READ)
			use = one;
		else if (registers[i] < 32)
			finding->read_registers |= 1u << registers[i];
	}
	finding->witnesses.use = (uint8_t)use;
}

static void ask_callees(struct evidence *evidence, const struct examined_function *examined)
{
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (in_question(finding))
			ask_callee(evidence, examined, finding);
	}
}

/* ---- judging ---- */

/* Has another parameter moved up into the register where this one was wanted? */
static bool is_taken(const struct evidence *evidence, const struct examined_function *examined,
		     const struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(finding, registers);

	for (uint32_t i = 0; i < examined->finding_count; i++) {
		const struct parameter_finding *other =
			&evidence->findings.data[examined->first_finding + i];

		for (uint8_t k = 0; k < count && other->state == PARAMETER_ELSEWHERE; k++) {
			if (other->found.kind != LOCATION_CFA && other->found.reg == registers[k])
				return true;
		}
	}
	return false;
}

/*
 * Is an argument register read that the prototype does not fill? Then it is another prototype:
 * what a pointer pointed to takes more registers than the pointer.
 */
static bool reads_beyond(struct evidence *evidence, const struct examined_function *examined)
{
	uint64_t body = evidence_body(evidence, examined);
	uint32_t filled = 0;

	if (examined->call.has_result_address && examined->call.result_address.register_count)
		filled |= 1u << examined->call.result_address.registers[0];
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		const struct abi_place *place =
			&evidence->findings.data[examined->first_finding + i].expected;

		for (uint32_t k = 0; k < place->register_count; k++)
			filled |= place->registers[k] < 32 ? 1u << place->registers[k] : 0;
	}
	for (uint32_t i = 0; i < evidence->abi->argument_register_count; i++) {
		uint8_t reg = evidence->abi->argument_registers[i];

		if (!(filled >> reg & 1) && machine_code_entry_use(evidence_code(evidence), body,
								   examined->end, reg) == USE_READ)
			return true;
	}
	return false;
}

/*
 * A pointer that the code reads, of which LLVM says nothing: has it lost track, or is passed what
 * the pointer pointed to? It does not describe arguments that are loaded from memory at the call,
 * only what a register or a constant holds.
 */
static bool is_pointer_still(struct evidence *evidence,
			     const struct examined_function *examined,
			     const struct parameter_finding *finding)
{
	const struct witness_counts *heard = &finding->witnesses;

	return (finding->known_later || heard->described + heard->zeroed == heard->calls) &&
	       (examined->is_variadic || !reads_beyond(evidence, examined));
}

/* What DWARF says of a parameter that is not passed is kept; else this is what is known of it. */
static void set_gone(struct parameter_finding *finding, enum parameter_state state)
{
	if (finding->state != PARAMETER_CONSTANT && finding->state != PARAMETER_REMOVED)
		finding->state = (uint8_t)state;
}

/*
 * Nobody reads the register. At calls that it sees LLVM passes nothing for such a parameter, or,
 * before LLVM 20, zero (DeadArgumentElimination), unless it found out too late: then calls show it.
 *
 * Only DWARF can show it. LLVM describes no register that it leaves undefined (DwarfDebug.cpp,
 * collectCallSiteParameters), so what is described was passed. That instructions write the register
 * proves nothing: inline assembler may have needed it, or a computation that has nothing to do with
 * the call, and what they leave looks like an argument. A call whose argument is passed but not
 * described, because it is loaded from memory or computed, cannot be told from these.
 */
static bool callers_set_it(const struct parameter_finding *finding)
{
	const struct witness_counts *heard = &finding->witnesses;

	return heard->described && heard->described + heard->zeroed == heard->calls;
}

/* Of floating point registers nothing is ever known, which is no reason to doubt them. */
static bool is_decodable(const struct evidence *evidence, const struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(finding, registers);

	for (uint8_t i = 0; i < count; i++) {
		if (!abi_passes_integers(evidence->abi, registers[i]))
			return false;
	}
	return true;
}

/*
 * May calls have changed it without having been heard? LLVM describes no calls in Thumb code: their
 * first operand is a predicate, not the callee (DwarfDebug.cpp, constructCallSiteEntryDIEs). Of
 * calls without a name of the callee, which LTO leaves, only instructions tell who it is.
 */
static bool may_be_unheard(const struct evidence *evidence,
			   const struct examined_function *examined,
			   const struct parameter_finding *finding)
{
	return (examined->is_thumb || (examined->internal && evidence->unnamed_calls)) &&
	       finding->state != PARAMETER_STORED && finding->state != PARAMETER_NOT_COMPARED;
}

/*
 * What follows for one parameter. Nobody calls it from here: then whoever does, through a pointer
 * or from another unit, passes what the prototype says.
 */
static reason_set judge(struct evidence *evidence, const struct examined_function *examined,
			struct parameter_finding *finding)
{
	const struct witness_counts *witnesses = &finding->witnesses;
	bool on_stack = is_on_stack(finding);
	reason_set missing = examined->internal ? REASON(PARAM_REMOVED) : REASON(PARAM_UNSET);

	if (!witnesses->calls && !may_be_unheard(evidence, examined, finding))
		return 0;
	if (witnesses->unset) {
		set_gone(finding, PARAMETER_UNSET);
		return missing;
	}
	/* What is computed from one register says nothing of a second one. */
	if (finding->state == PARAMETER_NOT_COMPARED &&
	    (finding->expected.register_count < 2 || witnesses->use == USE_UNKNOWN))
		return 0;
	/*
	 * What is stored is passed, unless it is stored for nothing: that the code shows.
	 */
	if (finding->state == PARAMETER_STORED &&
	    (witnesses->use == USE_READ ||
	     (witnesses->use == USE_UNKNOWN && !is_decodable(evidence, finding))))
		return 0;
	if (is_taken(evidence, examined, finding)) {
		set_gone(finding, PARAMETER_REMOVED);
		return missing;
	}
	if (witnesses->use == USE_READ) {
		/*
		 * Somebody reads the register. It is the parameter, of which LLVM has lost track,
		 * or, in a function whose callers are all known, what a pointer pointed to.
		 */
		if (!examined->internal || finding->shape != SHAPE_POINTER ||
		    (!examined->changes && is_pointer_still(evidence, examined, finding)))
			return 0;
		finding->state = PARAMETER_SCALARIZED;
		return REASON(PARAM_SCALARIZED);
	}
	if (!on_stack && callers_set_it(finding))
		return 0;
	set_gone(finding, PARAMETER_REMOVED);
	return missing;
}

/*
 * A link that optimizes (LTO) lets a compiler see calls in other groups, too, and DWARF may leave
 * out calls: the registers that stay in doubt are asked about once more when all is read.
 */
static void leave_open(struct evidence *evidence, struct examined_function *examined,
		       const struct parameter_finding *finding)
{
	uint8_t registers[ABI_MAX_REGISTERS];
	uint8_t count = questioned_registers(finding, registers);

	if (is_struct_in_memory(evidence, finding) && finding->witnesses.use != USE_READ)
		examined->open_struct = true;
	if (finding->witnesses.use == USE_READ || finding->state == PARAMETER_STORED ||
	    finding->state == PARAMETER_NOT_COMPARED)
		return;
	for (uint8_t i = 0; i < count; i++) {
		if (registers[i] < 64)
			examined->open_registers |= UINT64_C(1) << registers[i];
	}
}

/*
 * Compilers drop a return value when no caller looks at it (IPA-SRA, DeadArgumentElimination):
 * where they may have done so and all calls agree, they did.
 */
static void conclude_result(struct examined_function *examined)
{
	if (!examined->may_drop_result || examined->result == RESULT_USED ||
	    !examined->heard_calls || examined->results_dropped != examined->heard_calls)
		return;
	examined->result = RESULT_REMOVED;
	if (examined->internal)
		examined->reasons |= REASON(RETURN_REMOVED);
}

static void conclude(struct evidence *evidence, struct examined_function *examined)
{
	conclude_result(examined);
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (!in_question(finding))
			continue;
		examined->reasons |= judge(evidence, examined, finding);
		leave_open(evidence, examined, finding);
	}
}

/* ---- all of a group ---- */

/* Suspicious functions by name or by entry, to find those that a call site may mean. */
struct suspect {
	uint64_t key;
	uint32_t examined;
};

typedef ARRAY_OF(struct suspect) suspects;

static int compare_suspects(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->examined < y->examined ? -1 : x->examined > y->examined;
}

static void sort_suspects(suspects *list)
{
	if (list->count)
		qsort(list->data, list->count, sizeof(*list->data), compare_suspects);
}

static size_t find_suspects(const suspects *list, uint64_t key)
{
	return lower_bound(i, list->count, list->data[i].key < key);
}

/*
 * DW_AT_call_origin may lead to a declaration in the caller's unit, so the name is what counts
 * first. LLVM's LTO leaves out even that: a subprogram without anything. Which code is called, of
 * copies and namesakes, only the target of the call says; a call that cannot be decoded is not
 * heard by a copy, which has callers of its own.
 */
static void hear_site(struct evidence *evidence, const struct dwarf_model *model,
		      const suspects *by_name, const suspects *by_entry,
		      const struct call_site *site)
{
	struct direct_call call = { 0 };
	const suspects *list = by_name;
	uint64_t key;
	bool direct;

	key = model->functions.data[dwarf_model_declaring(model, site->callee)].name;
	direct = find_call(evidence_code(evidence), site, &call);
	if (direct) {
		list = by_entry;
		key = call.target;
	} else if (!key) {
		evidence->unnamed_calls = true;
		return;
	}
	for (size_t i = find_suspects(list, key);
	     i < list->count && list->data[i].key == key; i++) {
		struct examined_function *examined =
			&evidence->functions.data[list->data[i].examined];

		if (direct || !examined->changes)
			hear_call(evidence, model, site, direct ? &call : NULL, examined);
	}
}

/* Whom calls are heard of. One without a name may be any. */
struct wanted_callees {
	const struct dwarf_model *model;
	const suspects *by_name;
};

static bool wants_call(const void *context, uint32_t callee)
{
	const struct wanted_callees *wanted = context;
	const struct dwarf_model *model = wanted->model;
	uint64_t key = model->functions.data[dwarf_model_declaring(model, callee)].name;
	size_t at = find_suspects(wanted->by_name, key);

	return !key || (at < wanted->by_name->count && wanted->by_name->data[at].key == key);
}

void evidence_hear_witnesses(struct evidence *evidence, const struct dwarf_model *model,
			     struct unit_reader *reader)
{
	suspects by_name = { 0 }, by_entry = { 0 };
	const struct wanted_callees wanted = { model, &by_name };
	const struct call_filter filter = { wants_call, &wanted };
	struct error ignored;

	if (!evidence->any_suspicious)
		return;
	for (uint32_t i = 0; i < evidence->functions.count; i++) {
		const struct examined_function *examined = &evidence->functions.data[i];

		if (!examined->suspicious)
			continue;
		ask_callees(evidence, examined);
		array_push(&by_name, ((struct suspect){ examined->name, i }));
		array_push(&by_entry, ((struct suspect){ examined->entry, i }));
	}
	sort_suspects(&by_name);
	sort_suspects(&by_entry);
	evidence->unnamed_calls = false;
	evidence->calls.sites.count = evidence->calls.loads.count = 0;
	/* A unit whose calls cannot be read has no witnesses; its DIEs have been read before. */
	for (uint32_t unit = 0; unit < model->units.count; unit++)
		call_sites_read(&evidence->calls, reader, model, unit, &filter, &ignored);
	for (size_t i = 0; i < evidence->calls.sites.count; i++)
		hear_site(evidence, model, &by_name, &by_entry, &evidence->calls.sites.data[i]);
	for (size_t i = 0; i < by_name.count; i++)
		conclude(evidence, &evidence->functions.data[by_name.data[i].examined]);
	array_release(&by_name);
	array_release(&by_entry);
}
