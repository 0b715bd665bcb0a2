/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The second step of evidence.h: the callers' evidence about a parameter without a location in the
 * callee's own DWARF.
 *
 * Only callers of the same group are examined. That is enough: a compiler drops an argument only
 * at calls that it sees together with the callee, in one unit, or in one group when units were
 * linked before (LTO). A caller from elsewhere, or through a pointer, follows the prototype.
 */
#include "encoder/evidence/evidence.h"

#include <elf.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"

/* A parameter in question: DWARF shows it neither where the ABI wants it nor elsewhere. */
struct question {
	struct evidence *evidence;
	const struct dwarf_model *model;
	struct examined_function *examined;
	struct parameter_finding *finding;
	uint8_t registers[ABI_MAX_REGISTERS];	/* all that the ABI wants, or those of the missing
						   parts; none for one on the stack */
	uint8_t count;
};

static bool is_on_stack(const struct parameter_finding *finding)
{
	return finding->expected.kind == ABI_STACK ||
	       finding->expected.kind == ABI_REFERENCE_STACK;
}

/* False: the parameter is not in question. */
static bool make_question(struct question *q, struct evidence *evidence,
			  const struct dwarf_model *model, struct examined_function *examined,
			  uint32_t parameter)
{
	struct parameter_finding *finding =
		&evidence->findings.data[examined->first_finding + parameter];
	const struct abi_location *expected = &finding->expected;

	if (!finding->expected_known || finding->state == PARAMETER_ELSEWHERE ||
	    (finding->state == PARAMETER_IN_PLACE && !finding->may_be_unfilled))
		return false;
	*q = (struct question){ .evidence = evidence, .model = model, .examined = examined,
				.finding = finding };
	for (uint8_t word = 0; !is_on_stack(finding) && word < expected->register_count; word++) {
		if (finding->state != PARAMETER_PARTLY || finding->missing_words >> word & 1)
			q->registers[q->count++] = expected->registers[word];
	}
	return true;
}

/*
 * LLVM passes one of at most 8 bytes as an integer, unless it is packed; so it does on arm64 with
 * all that are not passed by reference.
 */
static bool is_struct_in_memory(const struct question *q)
{
	return q->finding->expected.kind == ABI_STACK &&
	       q->finding->passed_type == PASSED_AGGREGATE &&
	       (q->finding->size_bytes > 8 || q->finding->is_packed) &&
	       evidence_code(q->evidence)->machine != EM_AARCH64;
}

enum reaching_definition evidence_reaching(const struct machine_code *code,
					   const struct symbol *caller, uint64_t call,
					   unsigned int reg)
{
	enum reaching_definition reaching = machine_code_reaching_at_call(
		code, caller->address, caller->address + caller->size, call, reg);

	if (reaching != REACHING_SET && symbol_parse(caller->name).class == SUFFIX_PIECE)
		return REACHING_UNKNOWN;
	return reaching;
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

/*
 * A zero may be in a callee-saved register, which is copied at each call: clang for arm64 makes it
 * before a loop in which something else needs a zero, too (mov w20, wzr), and clang 19 for arm
 * takes the upper half of a pair that is zero.
 */
static bool may_load_zero(const struct machine_code *code, const struct call_load *load,
			  const struct symbol *caller)
{
	bool is_whole = caller && symbol_parse(caller->name).class != SUFFIX_PIECE;

	return load->is_zero ||
	       (load->is_register &&
		machine_code_may_hold_zero(code, is_whole ? caller->address : 0,
					   is_whole ? caller->address + caller->size : 0,
					   load->value_register));
}

/*
 * One call, one parameter. For an argument that is not read, LLVM before 20 passes zero
 * (DeadArgumentElimination); later ones pass nothing, and a zero is a zero. But where the
 * convention wants a narrow argument extended, nothing, extended, is zero (arm64: a bool).
 */
static void collect_parameter(const struct question *q, const struct call_site *site,
			      const struct direct_call *call, const struct symbol *caller)
{
	uint32_t unit = q->model->functions.data[site->caller].unit;
	const struct producer *producer = &q->model->units.data[unit].producer;
	const struct machine_code *code = evidence_code(q->evidence);
	struct parameter_finding *finding = q->finding;
	struct call_site_counts *call_sites = &finding->call_sites;
	bool described = q->count > 0, set = q->count > 0, unset = false;
	bool zeroed = q->count > 0 &&
		      (producer->family != PRODUCER_CLANG || producer->version < 20 ||
		       finding->size_bytes < q->evidence->abi->extended_bytes);

	if (call_sites->calls == UINT16_MAX)
		return;
	call_sites->calls++;
	for (uint8_t i = 0; i < q->count; i++) {
		uint8_t reg = q->registers[i];
		const struct call_load *load = find_load(&q->evidence->calls, site, reg);
		enum reaching_definition reaching = REACHING_UNKNOWN;

		/* Where the code reads one of several, callers are asked about the others only. */
		if (call_sites->use != USE_READ && finding->read_registers >> i & 1)
			continue;
		zeroed &= load && may_load_zero(code, load, caller);
		if (load)
			continue;
		described = false;
		if (caller && call)
			reaching = evidence_reaching(code, caller, call->address, reg);
		set &= reaching == REACHING_SET;
		unset |= reaching == REACHING_UNSET;
	}
	if (zeroed)
		call_sites->zeroed++;
	else if (described)
		call_sites->described++;
	else if (set)
		call_sites->set++;
	call_sites->unset += unset;
}

/* What is known of a function of the group; NULL: it was not examined. */
static const struct examined_function *find_examined(const struct evidence *evidence,
						     uint32_t number)
{
	return sorted_find(&evidence->functions, function, number);
}

/*
 * Is what the call leaves in the registers of its result the caller's own result? At a tail call it
 * is, and where it is still there when the caller returns; but GCC (-fipa-ra) may know that the
 * callee leaves the register alone, in which the caller has its result already.
 */
static bool is_callers_result(const struct evidence *evidence, const struct dwarf_model *model,
			      const struct call_site *site, const struct direct_call *direct,
			      const struct abi_location *result)
{
	const struct examined_function *caller = find_examined(evidence, site->caller);
	uint32_t unit = model->functions.data[site->caller].unit;

	return caller && caller->call_known && caller->call.result.kind == ABI_REGISTERS &&
	       (direct->is_jump || model->units.data[unit].producer.family == PRODUCER_CLANG) &&
	       (!caller->may_drop_result || caller->result == RESULT_USED) &&
	       caller->call.result.register_count >= result->register_count &&
	       !memcmp(caller->call.result.registers, result->registers, result->register_count);
}

/*
 * Does the caller read the result? One that is still there when the caller itself returns may be
 * read, unless the caller returns nothing. Of a result in two registers LLVM may drop one: it is
 * delivered only where both are read.
 */
static void collect_result(struct evidence *evidence, const struct dwarf_model *model,
			   const struct call_site *site, const struct direct_call *direct,
			   const struct symbol *caller, struct examined_function *examined)
{
	const struct abi_location *result = &examined->call.result;
	uint32_t declared = dwarf_model_declaring(model, site->caller);
	bool caller_returns = model->functions.data[declared].type != REF_NONE;
	bool is_own = caller_returns && is_callers_result(evidence, model, site, direct, result);
	bool dropped = true;

	for (uint8_t i = 0; i < result->register_count; i++) {
		enum register_use use = USE_PASSED;

		if (!direct->is_jump)
			use = machine_code_use_after(evidence_code(evidence), caller->address,
						      caller->address + caller->size,
						      site->return_pc, result->registers[i]);
		if (use == USE_READ || (use == USE_PASSED && is_own))
			examined->result_words_read |= (uint8_t)(1u << i);
		dropped &= use == USE_DEAD || (use == USE_PASSED && !caller_returns);
	}
	examined->results_dropped += dropped;
	if (examined->result_words_read == (1u << result->register_count) - 1)
		examined->result = RESULT_USED;
}

/* `direct` is NULL for a call through a pointer, or one that cannot be decoded. */
static void collect_call(struct evidence *evidence, const struct dwarf_model *model,
			 const struct call_site *site,
			 const struct direct_call *direct, struct examined_function *examined)
{
	const struct symbol *caller =
		direct ? symbol_table_enclosing(evidence->symbols, direct->address) : NULL;

	examined->seen_calls++;
	if (caller && examined->may_drop_result && examined->result != RESULT_USED)
		collect_result(evidence, model, site, direct, caller, examined);
	if (site->load_count)
		examined->described_calls++;
	for (uint32_t i = 0; i < site->load_count; i++) {
		const struct call_load *load = &evidence->calls.loads.data[site->first_load + i];

		if (!load->on_stack && load->reg < 32)
			examined->loaded_registers |= 1u << load->reg;
	}
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		struct question q;

		if (make_question(&q, evidence, model, examined, i))
			collect_parameter(&q, site, direct, caller);
	}
}

/* ---- the callee ---- */

/*
 * clang for arm64 makes one argument of LLVM of what takes several registers ([2 x i64],
 * [3 x float], i128), and LLVM passes all of an argument or nothing. So one register that the code
 * reads, or that DWARF shows, tells of all. (For x86-64 there is an argument for each register.)
 */
static bool is_passed_whole(const struct question *q)
{
	uint32_t unit = q->model->functions.data[q->examined->function].unit;

	return evidence_code(q->evidence)->machine == EM_AARCH64 && !q->examined->changes &&
	       q->model->units.data[unit].producer.family == PRODUCER_CLANG &&
	       (q->finding->state == PARAMETER_PARTLY || q->finding->read_registers);
}

/*
 * READ: all registers in question; one of two may be read alone. Of an argument on the stack it is
 * only asked whether it is surely read. LLVM knows whether the function, and the functions that it
 * passes a struct on to, perhaps itself, read it. If not, the struct is copied from call to call
 * all the same, and callers do not fill it. A scalar that is copied was passed.
 */
static void ask_callee(const struct question *q)
{
	uint64_t body = evidence_body(q->evidence, q->examined);
	enum register_use use = q->count ? USE_READ : USE_UNKNOWN;

	if (is_on_stack(q->finding) &&
	    machine_code_reads_stack(evidence_code(q->evidence), body, q->examined->end,
				     q->finding->expected.stack_offset, q->finding->size_bytes,
				     is_struct_in_memory(q)))
		use = USE_READ;
	for (uint8_t i = 0; i < q->count; i++) {
		enum register_use one =
			machine_code_entry_use(evidence_code(q->evidence), body, q->examined->end,
					       q->registers[i]);

		if (one != USE_READ)
			use = one;
		else
			q->finding->read_registers |= (uint8_t)(1u << i);
	}
	if (is_passed_whole(q))
		use = USE_READ;
	q->finding->call_sites.use = (uint8_t)use;
}

/* ---- judging ---- */

/* The tests of judge(), in the order of its rows. */

/*
 * No call from here: then callers elsewhere, or through a pointer, follow the prototype. Unless
 * there may be calls that were not seen: LLVM describes no calls in Thumb code, whose
 * first operand is a predicate, not the callee (DwarfDebug.cpp, constructCallSiteEntryDIEs); and of
 * calls without a name of the callee, which LTO leaves, only instructions tell who it is.
 */
static bool is_called_elsewhere(const struct question *q)
{
	enum parameter_state state = (enum parameter_state)q->finding->state;
	bool may_be_unseen = q->examined->is_thumb ||
			     (q->examined->internal && q->evidence->unnamed_calls);

	return !q->finding->call_sites.calls &&
	       (!may_be_unseen || state == PARAMETER_STORED || state == PARAMETER_NOT_COMPARED);
}

static bool is_left_unset(const struct question *q)
{
	return q->finding->call_sites.unset;
}

/* The address of a struct is where DWARF says, and the code reads the struct: callers fill it. */
static bool is_filled(const struct question *q)
{
	return q->finding->state == PARAMETER_IN_PLACE && q->finding->call_sites.use == USE_READ;
}

/*
 * A pointer, or a struct in memory, that the code reads, in a function whose callers are all known:
 * has LLVM lost track of it, or does it pass the target, or members of the struct? The first member
 * that is passed on the stack is where the struct was. What DWARF says of it after the entry, or
 * computes from the register, may be what the function has made of the target ("p = p->next +
 * 1"), and that callers describe the register tells as little: they may keep the target in one.
 */
static bool is_replaced(const struct question *q)
{
	bool is_pointer = q->finding->passed_type == PASSED_POINTER ||
			  q->finding->expected.kind == ABI_REFERENCE ||
			  q->finding->expected.kind == ABI_REFERENCE_STACK ||
			  is_struct_in_memory(q);

	return is_pointer && q->examined->internal && q->finding->state != PARAMETER_STORED &&
	       (q->finding->call_sites.use == USE_READ ||
		machine_code_lacks_decoder(evidence_code(q->evidence)));
}

/* A value computed from one register says nothing about a second one. */
static bool is_computed(const struct question *q)
{
	return q->finding->state == PARAMETER_NOT_COMPARED && !is_replaced(q) &&
	       (q->finding->expected.register_count < 2 ||
		(q->finding->call_sites.use == USE_UNKNOWN &&
		 !machine_code_lacks_decoder(evidence_code(q->evidence))));
}

/*
 * What is stored is passed, unless it is never read: the code shows that. Of floating point
 * registers the code shows at most that they are read, which is not a reason to doubt the others.
 */
static bool is_stored_for_use(const struct question *q)
{
	enum register_use use = (enum register_use)q->finding->call_sites.use;
	bool decodable = true;

	for (uint8_t i = 0; i < q->count; i++)
		decodable &= abi_passes_integers(q->evidence->abi, q->registers[i]);
	return q->finding->state == PARAMETER_STORED &&
	       (use == USE_READ || (use == USE_UNKNOWN && !decodable &&
				    !machine_code_lacks_decoder(evidence_code(q->evidence))));
}

/* Another parameter has moved up to where this one was wanted, a register or the stack. */
static bool is_taken(const struct question *q)
{
	int64_t begin = q->finding->expected.stack_offset, offset;

	for (uint32_t i = 0; i < q->examined->finding_count; i++) {
		const struct parameter_finding *other =
			&q->evidence->findings.data[q->examined->first_finding + i];

		if (is_struct_in_memory(q) && other != q->finding &&
		    evidence_stack_offset(q->evidence, q->model, q->examined, &other->found,
					  &offset) &&
		    offset >= begin && offset - begin < q->finding->size_bytes)
			return true;

		for (uint8_t k = 0; k < q->count && other->state == PARAMETER_ELSEWHERE; k++) {
			if (other->found.kind != LOCATION_CFA &&
			    other->found.reg == q->registers[k])
				return true;
		}
	}
	return false;
}

/* The code reads the register: it is the parameter, of which LLVM has lost track. */
static bool is_read(const struct question *q)
{
	return q->finding->call_sites.use == USE_READ;
}

/*
 * The code does not read the register. At calls that it sees LLVM passes nothing for such a
 * parameter, or, before LLVM 20, zero (DeadArgumentElimination), unless it found out too late: then
 * calls show it.
 *
 * Only DWARF can show it. LLVM describes no register that it leaves undefined (DwarfDebug.cpp,
 * collectCallSiteParameters), so what is described was passed. That instructions write the register
 * proves nothing: inline assembler may have needed it, or a computation that has nothing to do with
 * the call, and what they leave looks like an argument. A call whose argument is passed but not
 * described, because it is loaded from memory or computed, cannot be told from these.
 *
 * That the address of a struct is passed does not show that the struct is filled: where LLVM knows
 * that it is not read (an attribute, which ThinLTO carries into other units), it drops the stores.
 */
static bool is_set_by_callers(const struct question *q)
{
	const struct call_site_counts *seen = &q->finding->call_sites;

	return !is_on_stack(q->finding) && !q->finding->may_be_unfilled && seen->described &&
	       seen->described + seen->zeroed == seen->calls;
}

/* The conclusion about one parameter: the first row whose test holds. */
static reason_set judge(const struct question *q)
{
	static const struct {
		bool (*test)(const struct question *q);
		enum parameter_state becomes;	/* IN_PLACE: it is passed, as far as is known */
	} rows[] = {
		{ is_called_elsewhere, PARAMETER_IN_PLACE },
		{ is_left_unset, PARAMETER_UNSET },
		{ is_filled, PARAMETER_IN_PLACE },
		{ is_computed, PARAMETER_IN_PLACE },
		{ is_stored_for_use, PARAMETER_IN_PLACE },
		{ is_taken, PARAMETER_REMOVED },
		{ is_replaced, PARAMETER_SCALARIZED },
		{ is_read, PARAMETER_IN_PLACE },
		{ is_set_by_callers, PARAMETER_IN_PLACE },
		{ NULL, PARAMETER_REMOVED },	/* it is not used */
	};
	struct parameter_finding *finding = q->finding;
	size_t row = 0;

	while (rows[row].test && !rows[row].test(q))
		row++;
	switch (rows[row].becomes) {
	case PARAMETER_IN_PLACE: return 0;
	case PARAMETER_SCALARIZED:
		finding->state = PARAMETER_SCALARIZED;
		return REASON(PARAM_SCALARIZED);
	default:
		/* DWARF's state of a parameter that is not passed is kept. */
		if (finding->state != PARAMETER_CONSTANT && finding->state != PARAMETER_REMOVED)
			finding->state = (uint8_t)rows[row].becomes;
		return q->examined->internal ? REASON(PARAM_REMOVED) : REASON(PARAM_UNSET);
	}
}

/*
 * Where LLVM knows all callers, it passes the address of a result in memory as an ordinary first
 * argument (ArgumentPromotion replaces sret by noalias): on arm64 in x0, not in x8, and arguments
 * move up. DWARF shows it, or the code: it has to read x8 for its result.
 */
static bool arguments_moved_up(struct evidence *evidence, const struct examined_function *examined)
{
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		const struct parameter_finding *finding =
			&evidence->findings.data[examined->first_finding + i];

		if (finding->state == PARAMETER_IN_PLACE && finding->expected.register_count &&
		    abi_passes_integers(evidence->abi, finding->expected.registers[0]))
			return false;
	}
	return machine_code_entry_use(evidence_code(evidence), evidence_body(evidence, examined),
				      examined->end,
				      examined->call.result_address.registers[0]) != USE_READ;
}

/*
 * Compilers drop a return value that no caller reads (IPA-SRA, DeadArgumentElimination): where they
 * may have done so and all calls agree, they did. Where no call can be looked at, they may have.
 *
 * A link that optimizes (LTO) lets a compiler see calls in other groups, too, and DWARF may leave
 * out calls: registers that stay in doubt are left open, to be asked about when all is read.
 */
static void conclude(struct evidence *evidence, const struct dwarf_model *model,
		     struct examined_function *examined)
{
	if (examined->may_drop_result && examined->result != RESULT_USED &&
	    examined->seen_calls && examined->results_dropped == examined->seen_calls) {
		examined->result = RESULT_REMOVED;
		examined->reasons |= examined->internal ? REASON(RETURN_REMOVED) : 0;
	}
	if (examined->may_drop_result && examined->internal &&
	    machine_code_lacks_decoder(evidence_code(evidence)))
		examined->reasons |= REASON(RETURN_REMOVED);
	if (examined->may_move_up && arguments_moved_up(evidence, examined))
		examined->reasons |= REASON(REG_MISMATCH);
	for (uint32_t i = 0; i < examined->finding_count; i++) {
		const struct parameter_finding *finding;
		struct question q;

		if (!make_question(&q, evidence, model, examined, i))
			continue;
		examined->reasons |= judge(&q);
		finding = q.finding;
		if (finding->call_sites.use == USE_READ)
			continue;
		examined->open_struct |= is_struct_in_memory(&q) || finding->may_be_unfilled;
		if (finding->state == PARAMETER_IN_PLACE || finding->state == PARAMETER_STORED ||
		    finding->state == PARAMETER_NOT_COMPARED)
			continue;
		for (uint8_t k = 0; k < q.count; k++) {
			if (q.registers[k] < 64)
				examined->open_registers |= UINT64_C(1) << q.registers[k];
		}
	}
}

/* ---- all of a group ---- */

/* Functions that need call-site evidence, sorted by name or by entry; the value is their index. */
typedef ARRAY_OF(struct sort_item) callee_list;

static size_t find_callees(const callee_list *list, uint64_t key)
{
	return lower_bound(i, list->count, list->data[i].key < key);
}

/*
 * DW_AT_call_origin may lead to a declaration in the caller's unit, so the name is what counts
 * first. LLVM's LTO leaves out even that: a subprogram without anything. Which code is called, of
 * copies and namesakes, only the target of the call says; a call that cannot be decoded does
 * not count for a clone, which has callers of its own.
 */
#define CALL_BYTES 16	/* about as much code as is looked at */

static void collect_site(struct evidence *evidence, const struct dwarf_model *model,
			 const callee_list *by_name, const callee_list *by_entry,
			 const struct call_site *site)
{
	uint64_t key = model->functions.data[dwarf_model_declaring(model, site->callee)].name;
	const struct machine_code *code = evidence_code(evidence);
	struct direct_call call = { 0 };
	const callee_list *list = by_name;
	/* LLVM gives a tail call its own address, not the one after it. */
	bool direct = site->return_pc
		? machine_code_direct_call(code, site->return_pc, &call)
		: site->call_pc && machine_code_call_at(code, site->call_pc, &call);

	if (direct) {
		list = by_entry;
		key = call.target;
	} else if (!key) {
		evidence->unnamed_calls = true;
		return;
	}
	for (size_t i = find_callees(list, key);
	     i < list->count && list->data[i].key == key &&
	     object_share(evidence->object, SHARED_CODE, CALL_BYTES); i++) {
		struct examined_function *examined =
			&evidence->functions.data[list->data[i].value];

		if (direct || !examined->changes)
			collect_call(evidence, model, site, direct ? &call : NULL, examined);
	}
}

/* A callee without a name may be any. */
struct wanted_callees {
	const struct dwarf_model *model;
	const callee_list *by_name;
};

static bool wants_call(const void *context, uint32_t callee)
{
	const struct wanted_callees *wanted = context;
	const struct dwarf_model *model = wanted->model;
	uint64_t name = model->functions.data[dwarf_model_declaring(model, callee)].name;

	return !name || sorted_find(wanted->by_name, key, name);
}

void evidence_collect_call_sites(struct evidence *evidence, const struct dwarf_model *model,
				 struct unit_reader *reader)
{
	callee_list by_name = { 0 }, by_entry = { 0 };
	const struct wanted_callees wanted = { model, &by_name };
	const struct call_filter filter = { wants_call, &wanted };
	struct error ignored;

	if (!evidence->any_needs_call_sites)
		return;
	for (uint32_t i = 0; i < evidence->functions.count; i++) {
		struct examined_function *examined = &evidence->functions.data[i];

		if (!examined->needs_call_sites)
			continue;
		for (uint32_t k = 0; k < examined->finding_count; k++) {
			struct question q;

			if (make_question(&q, evidence, model, examined, k))
				ask_callee(&q);
		}
		array_push(&by_name, ((struct sort_item){ examined->name, i }));
		array_push(&by_entry, ((struct sort_item){ examined->entry, i }));
	}
	sort_by_key(by_name.data, by_name.count);
	sort_by_key(by_entry.data, by_entry.count);
	evidence->unnamed_calls = false;
	evidence->calls.sites.count = evidence->calls.loads.count = 0;
	/* A unit whose calls cannot be read has none; its DIEs have been read before. */
	for (uint32_t unit = 0; unit < model->units.count; unit++)
		call_sites_read(&evidence->calls, reader, model, unit, &filter, &ignored);
	for (size_t i = 0; i < evidence->calls.sites.count; i++)
		collect_site(evidence, model, &by_name, &by_entry, &evidence->calls.sites.data[i]);
	for (size_t i = 0; i < by_name.count; i++)
		conclude(evidence, model, &evidence->functions.data[by_name.data[i].value]);
	array_release(&by_name);
	array_release(&by_entry);
}
