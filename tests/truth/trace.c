/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: trace PROGRAM TRUTH [@RESULTS] LABEL=BTF... [+LABEL=BTF]
 *	  trace PROGRAM TRUTH >RESULTS
 *
 * Runs a generated program, looks at each function's arguments where it is entered and at its
 * result where it is back, and says of each BTF which of its promises hold. One line per function
 * that was called:
 *
 *	LABEL VERDICT FUNCTION SYMBOL CALLS BAD_CALLS PARAMETER REASON
 *
 * separated by tabs; VERDICT is
 *
 *	correct, result, unset, misplaced	of a FUNC, as in judge.h
 *	unproven	a FUNC with correct arguments whose result is unknown
 *	ambiguous	a FUNC whose name several functions have
 *	nameless	a FUNC of a name that no symbol has
 *	missed		no FUNC, though arguments and result are there in each call, and the name is
 *			unique
 *	unknown		so it would be, but the result is unknown
 *	rightly-absent	no FUNC, and not all of it is there
 *	namesake	no FUNC of a name that several functions have
 *
 * +LABEL is a BTF with changed prototypes. Looked at are the functions that have no FUNC in
 * LABEL's, and the copies and renamed functions, by the parameters that are promised there:
 * correct, result, unset, misplaced, ambiguous, or absent.
 *
 * Without BTFs the program is an unoptimized build of the same source: what each call returns is
 * written down (plain.h), for @RESULTS.
 *
 * Exit status: 0, 77 if nothing can be traced here, others for failures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

#define REFERENCE_TAG 0xf0a6		/* TRUTH_REF of truth.h */

static uint64_t read_word(struct process *process, uint64_t address)
{
	unsigned char bytes[8] = { 0 };

	process_read(process, address, bytes, sizeof(bytes));
	return machine_number(process->machine, bytes, sizeof(bytes));
}

/* Members of a struct may look like the tag of a reference; then what follows makes no sense. */
static bool is_reference(const struct session *session, uint64_t word)
{
	return word >> 48 == REFERENCE_TAG &&
	       (word >> 16 & 0xffffffff) < session->source.function_count &&
	       (word & 0xffff) < EXPECTED_WORDS;
}

/* The word that a reference leads to. */
static uint64_t expected_word(const struct session *session, struct process *process,
			      uint64_t reference)
{
	for (unsigned int steps = 0; is_reference(session, reference) && steps < 32; steps++) {
		uint64_t id = reference >> 16 & 0xffffffff, word = reference & 0xffff;

		reference = read_word(process, session->expect + (id * EXPECTED_WORDS + word) * 8);
	}
	return reference;
}

static void at_entry(struct session *session, struct process *process, uint64_t address,
		     const struct machine_state *state)
{
	struct site *site = session_site(session, address);
	struct call call = { .state = state, .process = process, .objects = session->objects,
			     .objects_end = session->objects_end };
	struct claim claims[CLAIMS_MAX];
	unsigned int count;
	uint64_t id = read_word(process, session->called);

	if (id >= session->source.function_count)
		abort();
	call.function = &session->source.functions[id];
	call.placements = session->placements[id];
	site->truth = &call.function->prototype;
	site->placements = call.placements;
	process_read(process, session->expect + id * sizeof(call.expected), call.expected,
		     sizeof(call.expected));
	for (uint64_t i = 0; i < EXPECTED_WORDS; i++) {
		uint64_t word = machine_number(process->machine, call.expected[i], 8);

		if (is_reference(session, word))
			machine_bytes(process->machine, expected_word(session, process, word),
				      call.expected[i], 8);
	}
	count = session_claims(session, site, claims);
	for (unsigned int i = 0; i < count; i++)
		judge_call(&call, claims[i].prototype, claims[i].placements, claims[i].by_name,
			   claims[i].finding);
	returns_enter(&session->returns, process,
		      (struct entered){ .address = address, .id = id,
					.nonce = read_word(process, session->nonce) },
		      state);
}

/* Holds a result against what the unoptimized build returned from this very call. */
static void judge_by_plain(struct session *session, const struct entered *entered,
			   const struct machine_state *state)
{
	const struct prototype *truth = &session->source.functions[entered->id].prototype;
	const unsigned char *plain = plain_find(&session->plain, entered->id, entered->nonce);
	struct claim claims[CLAIMS_MAX];
	unsigned int count =
		session_claims(session, session_site(session, entered->address), claims);

	for (unsigned int i = 0; plain && i < count; i++)
		judge_result(state, truth, claims[i].prototype, plain, claims[i].finding);
}

static void record(const struct session *session, const struct entered *entered,
		   const struct machine_state *state)
{
	unsigned char value[RESULT_BYTES];

	if (judge_read_result(state, &session->source.functions[entered->id].prototype, value))
		plain_write(entered->id, entered->nonce, value);
}

/* Is the one's result what the other has left? A tail call's is. */
static bool same_result(const struct prototype *one, const struct prototype *other)
{
	return one->result.size == other->result.size &&
	       one->result.scalar_count == other->result.scalar_count;
}

static void at_return(struct session *session, struct process *process, uint64_t address,
		      const struct machine_state *state)
{
	uint64_t left_by = read_word(process, session->left_by);
	unsigned char value[RESULT_BYTES] = { 0 };
	const struct prototype *left = NULL;
	struct entered entered;

	process_read(process, session->left, value, sizeof(value));
	if (left_by < session->source.function_count)
		left = &session->source.functions[left_by].prototype;
	while (returns_leave(&session->returns, address, state, &entered)) {
		struct site *site = session_site(session, entered.address);
		struct claim claims[CLAIMS_MAX];
		unsigned int count = session_claims(session, site, claims);

		for (unsigned int i = 0; left && same_result(left, site->truth) && i < count; i++)
			judge_result(state, site->truth, claims[i].prototype, value,
				     claims[i].finding);
		if (session->records)
			record(session, &entered, state);
		else
			judge_by_plain(session, &entered, state);
	}
}

static void at_stop(void *context, struct process *process, enum stop_kind kind, uint64_t address,
		    const struct machine_state *state)
{
	if (kind == STOP_ENTRY)
		at_entry(context, process, address, state);
	else
		at_return(context, process, address, state);
}

int main(int argc, char **argv)
{
	struct session session;

	if (argc < 3 || argc > 4 + LABELS_MAX) {
		fprintf(stderr, "usage: trace PROGRAM TRUTH [@RESULTS] LABEL=BTF... [+LABEL=BTF]\n"
				"       trace PROGRAM TRUTH >RESULTS\n");
		return 2;
	}
	session_open(&session, argv[1], argv[2]);
	session.records = argc == 3;
	for (int i = 3; i < argc; i++) {
		char *path = strchr(argv[i], '=');

		if (i == 3 && *argv[i] == '@') {
			plain_read(&session.plain, argv[i] + 1);
			continue;
		}
		if (!path)
			return 2;
		*path++ = 0;
		session_add_btf(&session, argv[i], path);
	}
	if (!process_trace(argv[1], session.breakpoints, session.site_count, at_stop, &session))
		return 77;
	if (!session.records)
		session_report(&session);
	session_close(&session);
	return ferror(stdout) != 0;
}
