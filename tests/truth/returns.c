/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "returns.h"

void returns_enter(struct returns *returns, struct process *process, struct entered entered,
		   const struct machine_state *state)
{
	const struct entered *last;

	entered.stack_pointer = state->stack_pointer;
	entered.return_address = state->return_address;
	/* The calls below have returned without being seen. */
	while (returns->count &&
	       returns->calls[returns->count - 1].stack_pointer < state->stack_pointer)
		returns->count--;
	if (returns->count == ENTERED_MAX)
		return;
	last = returns->count ? &returns->calls[returns->count - 1] : NULL;
	if ((last && last->stack_pointer == entered.stack_pointer &&
	     last->return_address == entered.return_address) ||
	    process_stop_at(process, entered.return_address))
		returns->calls[returns->count++] = entered;
}

bool returns_leave(struct returns *returns, uint64_t address, const struct machine_state *state,
		   struct entered *entered)
{
	uint64_t back;

	while (returns->count) {
		*entered = returns->calls[returns->count - 1];
		back = entered->stack_pointer + state->machine->return_bytes;
		if (back > state->stack_pointer)
			return false;
		returns->count--;
		if (back == state->stack_pointer && entered->return_address == address)
			return true;
	}
	return false;
}
