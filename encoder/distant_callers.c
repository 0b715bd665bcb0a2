/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/passes.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/workers.h"

struct asking {
	const struct program *program;
	ARRAY_OF(struct sort_item) questions;	/* instances in doubt, by address */
	direct_call_array calls;		/* by address, so that a caller is decoded once */
	bool *unset;				/* by call: a register in question is left unset */
	_Atomic size_t next;
};

/* Calls are handed out in runs, because the last callers are kept decoded. */
#define RUN 64

static size_t find_questions(const struct asking *asking, uint64_t entry)
{
	return lower_bound(i, asking->questions.count, asking->questions.data[i].key < entry);
}

static bool leaves_unset(const struct asking *asking, const struct machine_code *code,
			 const struct direct_call *call)
{
	const struct symbol *caller =
		symbol_table_enclosing(&asking->program->symbols, call->address);
	uint64_t open = 0;
	bool open_struct = false;

	/* A jump inside a function does not call it. */
	if (!caller || (call->is_jump && caller->address == call->target))
		return false;
	for (size_t i = find_questions(asking, call->target);
	     i < asking->questions.count && asking->questions.data[i].key == call->target; i++) {
		const struct function_instance *instance =
			&asking->program->instances.functions
				 .data[asking->questions.data[i].value];

		open |= instance->open_registers;
		open_struct |= instance->open_struct;
	}
	/* Units that were linked before they were compiled (LTO) refer to each other. */
	if ((open_struct || (open && machine_code_lacks_decoder(code))) &&
	    asking->program->groups.groups.count < asking->program->groups.members.count)
		return true;
	for (unsigned int reg = 0; reg < 64; reg++) {
		if (open >> reg & 1 &&
		    evidence_reaching(code, caller, call->address, reg) == REACHING_UNSET)
			return true;
	}
	return false;
}

static void ask_callers(void *context, unsigned int number)
{
	struct asking *asking = context;
	const struct machine_code *code =
		evidence_code(&asking->program->workers[number].evidence);
	size_t first;

	while ((first = atomic_fetch_add(&asking->next, RUN)) < asking->calls.count) {
		for (size_t i = first; i < first + RUN && i < asking->calls.count; i++)
			asking->unset[i] = leaves_unset(asking, code, &asking->calls.data[i]);
	}
}

void program_ask_distant_callers(struct program *program)
{
	struct asking asking = { .program = program };
	uint64_t *targets;
	size_t count = 0;

	for (size_t i = 0; i < program->instances.functions.count; i++) {
		const struct function_instance *instance = &program->instances.functions.data[i];

		if (instance->open_registers || instance->open_struct)
			array_push(&asking.questions,
				   ((struct sort_item){ instance->address, (uint32_t)i }));
	}
	if (!asking.questions.count)
		return;
	sort_by_key(asking.questions.data, asking.questions.count);
	targets = memory_alloc(asking.questions.count * sizeof(*targets));
	for (size_t i = 0; i < asking.questions.count; i++) {
		if (!count || targets[count - 1] != asking.questions.data[i].key)
			targets[count++] = asking.questions.data[i].key;
	}
	machine_code_find_calls(evidence_code(&program->workers[0].evidence), targets, count,
				&asking.calls);
	asking.unset = memory_zeroed(asking.calls.count, sizeof(bool));
	workers_run(program->options->jobs, ask_callers, &asking);
	for (size_t i = 0; i < asking.calls.count; i++) {
		uint64_t target = asking.calls.data[i].target;

		for (size_t k = find_questions(&asking, target);
		     asking.unset[i] && k < asking.questions.count &&
		     asking.questions.data[k].key == target; k++)
			program->instances.functions.data[asking.questions.data[k].value]
				.reasons |= REASON(PARAM_UNSET);
	}
	free(targets);
	free(asking.unset);
	array_release(&asking.calls);
	array_release(&asking.questions);
}

uint32_t *program_count_callers(const struct program *program)
{
	const struct machine_code *code = evidence_code(&program->workers[0].evidence);
	const struct selection *selection = &program->selection;
	ARRAY_OF(struct sort_item) entries = { 0 };	/* by address */
	uint64_t *targets;
	uint32_t *counts, *callers;

	if (code->machine != EM_X86_64 && code->machine != EM_AARCH64)
		return NULL;
	for (size_t i = 0; i < selection->functions.count; i++) {
		const struct judged_function *judged = &selection->functions.data[i];

		if (judged->verdict == VERDICT_OK)
			array_push(&entries, ((struct sort_item){
				program->instances.functions.data[judged->instance].address,
				(uint32_t)i }));
	}
	sort_by_key(entries.data, entries.count);
	targets = memory_alloc(entries.count * sizeof(*targets));
	for (size_t i = 0; i < entries.count; i++)
		targets[i] = entries.data[i].key;
	counts = memory_zeroed(entries.count, sizeof(*counts));
	machine_code_count_callers(code, targets, entries.count, counts);
	callers = memory_zeroed(selection->functions.count, sizeof(*callers));
	for (size_t i = 0; i < entries.count; i++) {
		/* Functions that were folded into one have the same callers. */
		if (i && targets[i] == targets[i - 1])
			counts[i] = counts[i - 1];
		callers[entries.data[i].value] = counts[i];
	}
	free(counts);
	free(targets);
	array_release(&entries);
	return callers;
}
