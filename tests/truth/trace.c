/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: trace PROGRAM TRUTH LABEL=BTF... [+LABEL=BTF]
 *
 * Runs a generated program, looks at each function's arguments where it is entered and at its result
 * where it is back, and says of each BTF which of its promises hold. One line per function that was
 * called:
 *
 *	LABEL VERDICT FUNCTION SYMBOL CALLS BAD_CALLS PARAMETER REASON
 *
 * separated by tabs; VERDICT is
 *
 *	correct, result, unset, misplaced	of a FUNC, as in judge.h
 *	unproven	a FUNC with correct arguments whose result nobody knows
 *	ambiguous	a FUNC whose name several functions have
 *	missed		no FUNC, though arguments and result are there in each call, and the name is
 *			unique
 *	unknown		so it would be, but nobody knows the result
 *	rightly-absent	no FUNC, and not all of it is there
 *	namesake	no FUNC of a name that several functions have
 *	other-copies	a FUNC that is correct, beside renamed functions of that name
 *
 * +LABEL is a BTF with changed prototypes. Looked at are the functions that have no FUNC in LABEL's,
 * and the copies, by the parameters that are promised there: correct, result, unset, misplaced, or
 * absent.
 *
 * Exit status: 0, 77 if nothing can be traced here, others for failures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf_prototypes.h"
#include "judge.h"
#include "returns.h"
#include "symbols.h"

#define LABELS_MAX    4
#define HITS_MAX      120
#define REFERENCE_TAG 0xf0a6	/* TRUTH_REF of truth.h */
#define NOBODY	      UINT64_MAX	/* TRUTH_NOBODY */

struct site {
	uint64_t address;
	const struct prototype *truth;	/* of the source; NULL until it is called */
	struct finding finding;
};

struct promise {
	unsigned int count;	/* of FUNCs */
	struct prototype prototype;
	struct placement placements[PARAMETERS_MAX];
	struct finding finding;
};

/* What is known of a name. subject: the symbol that a FUNC of that name is about. */
struct name {
	const struct symbol *subject;
	unsigned int exact, renamed;	/* how many addresses */
	struct promise promises[LABELS_MAX];
};

/* A function that may have another prototype than the source: the copies of one name. */
struct changed {
	const char *name;
	uint64_t address;
	unsigned int addresses;
	unsigned int calls;
	struct promise promise;
};

struct session {
	struct source source;
	struct placement (*placements)[PARAMETERS_MAX];	/* of the source's functions */
	struct symbols symbols;
	struct site *sites;
	struct breakpoint *breakpoints;
	size_t site_count;
	struct name *names;
	const char *labels[LABELS_MAX];
	unsigned int label_count;
	/* What is left of prototypes: FUNCs that the BTF before has not. */
	struct changed *changed;
	size_t changed_count;
	const char *changed_label;
	struct returns returns;
	uint64_t expect, called, objects, objects_end;
	uint64_t left, left_by, key;
};

static void *zeroed(size_t count, size_t size)
{
	void *data = calloc(count ? count : 1, size);

	if (!data)
		abort();
	return data;
}

/* ---- names, symbols, breakpoints ---- */

/* Several symbols at one address are one function. */
static void add_subject(struct session *session, struct name *name, const struct symbol *symbol)
{
	bool exact = !symbol->name[symbol->base_length];

	for (size_t i = 0; &session->symbols.data[i] < symbol; i++) {
		const struct symbol *other = &session->symbols.data[i];

		if (other->is_entry && other->address == symbol->address &&
		    other->base_length == symbol->base_length &&
		    strncmp(other->name, symbol->name, symbol->base_length) == 0) {
			/* Only the name that is a FUNC's own makes it the subject. */
			if (exact && other->name[other->base_length]) {
				name->exact++;
				name->renamed--;
				name->subject = symbol;
			}
			return;
		}
	}
	*(exact ? &name->exact : &name->renamed) += 1;
	if (!name->subject || (exact && name->subject->name[name->subject->base_length]))
		name->subject = symbol;
}

static bool is_ambiguous(const struct name *name)
{
	return name->exact > 1 || (!name->exact && name->renamed > 1);
}

static int by_address(const void *a, const void *b)
{
	const struct breakpoint *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

static void add_breakpoint(struct session *session, uint64_t address)
{
	for (size_t i = 0; i < session->site_count; i++) {
		if (session->breakpoints[i].address == address)
			return;
	}
	session->breakpoints[session->site_count++] =
		(struct breakpoint){ .address = address, .hits_left = HITS_MAX };
}

static void find_functions(struct session *session)
{
	session->names = zeroed(session->source.name_count, sizeof(*session->names));
	session->breakpoints = zeroed(session->symbols.count, sizeof(*session->breakpoints));
	for (size_t i = 0; i < session->symbols.count; i++) {
		const struct symbol *symbol = &session->symbols.data[i];
		int name;

		if (!symbol->is_entry && !symbol->is_copy)
			continue;
		name = source_find(&session->source, symbol->name, symbol->base_length);
		if (name < 0)
			continue;
		if (symbol->is_entry)
			add_subject(session, &session->names[name], symbol);
		add_breakpoint(session, symbol->address);
	}
	qsort(session->breakpoints, session->site_count, sizeof(*session->breakpoints), by_address);
	session->sites = zeroed(session->site_count, sizeof(*session->sites));
	for (size_t i = 0; i < session->site_count; i++)
		session->sites[i].address = session->breakpoints[i].address;
}

static struct site *site_at(struct session *session, uint64_t address)
{
	for (size_t i = 0; i < session->site_count; i++) {
		if (session->sites[i].address == address)
			return &session->sites[i];
	}
	abort();
}

/* ---- what the program and the BTFs say ---- */

static void read_promises(struct session *session, unsigned int label, const char *path)
{
	struct btf *btf = btf_open(path);

	for (uint32_t i = 0; i < session->source.name_count; i++) {
		struct promise *promise = &session->names[i].promises[label];

		btf_prototype(btf, session->source.names[i], &promise->prototype, &promise->count);
		prototype_place(&promise->prototype, promise->placements);
	}
}

/* ---- changed prototypes ---- */

static void add_changed(struct session *session, const char *name, uint64_t address)
{
	for (size_t i = 0; i < session->changed_count; i++) {
		if (strcmp(session->changed[i].name, name) == 0) {
			session->changed[i].addresses += session->changed[i].address != address;
			return;
		}
	}
	session->changed[session->changed_count++] =
		(struct changed){ .name = name, .address = address, .addresses = 1 };
}

/*
 * base: the label of the BTF without them. Copies have FUNCs under their own names; a function that
 * was changed itself has none there.
 */
static void read_changed(struct session *session, const char *base, const char *path)
{
	struct btf *btf = btf_open(path);
	unsigned int label = 0;

	while (label < session->label_count && strcmp(session->labels[label], base + 1) != 0)
		label++;
	session->changed_label = base;
	session->changed = zeroed(session->symbols.count, sizeof(*session->changed));
	for (size_t i = 0; i < session->symbols.count; i++) {
		const struct symbol *symbol = &session->symbols.data[i];

		if (symbol->is_copy &&
		    source_find(&session->source, symbol->name, symbol->base_length) >= 0)
			add_changed(session, symbol->name, symbol->address);
	}
	for (uint32_t i = 0; label < session->label_count && i < session->source.name_count; i++) {
		const struct name *name = &session->names[i];

		if (!name->subject || name->promises[label].count || session->source.is_alias[i])
			continue;
		add_changed(session, session->source.names[i], name->subject->address);
		if (is_ambiguous(name))
			session->changed[session->changed_count - 1].addresses = 2;
	}
	for (size_t i = 0; i < session->changed_count; i++) {
		struct changed *changed = &session->changed[i];
		struct promise *promise = &changed->promise;

		btf_prototype(btf, changed->name, &promise->prototype, &promise->count);
		prototype_place(&promise->prototype, promise->placements);
	}
}

static void place_source(struct session *session)
{
	struct source *source = &session->source;

	session->placements = zeroed(source->function_count, sizeof(*session->placements));
	for (uint32_t i = 0; i < source->function_count; i++)
		prototype_place(&source->functions[i].prototype, session->placements[i]);
}

static uint64_t address_of(const struct session *session, const char *name)
{
	const struct symbol *symbol = symbols_object(&session->symbols, name);

	if (!symbol) {
		fprintf(stderr, "the program has no symbol %s\n", name);
		exit(2);
	}
	return symbol->address;
}

/* ---- at a stop ---- */

static uint64_t expected_word(const struct session *session, struct process *process, uint64_t id,
			      uint64_t word)
{
	uint64_t value = 0;

	for (unsigned int steps = 0; steps < 32; steps++) {
		word += id * EXPECTED_WORDS;
		process_read(process, session->expect + word * 8, &value, 8);
		if (value >> 48 != REFERENCE_TAG)
			break;
		id = value >> 16 & 0xffffffff;
		word = value & 0xffff;
	}
	return value;
}

static void at_entry(struct session *session, struct process *process, uint64_t address,
		     const struct machine_state *state)
{
	struct site *site = site_at(session, address);
	uint64_t id = 0;
	struct call call = { .state = state, .process = process, .objects = session->objects,
			     .objects_end = session->objects_end };

	process_read(process, session->called, &id, 8);
	if (id >= session->source.function_count)
		abort();
	call.function = &session->source.functions[id];
	call.placements = session->placements[id];
	process_read(process, session->expect + id * sizeof(call.expected), call.expected,
		     sizeof(call.expected));
	for (uint64_t i = 0; i < EXPECTED_WORDS; i++) {
		if (call.expected[i] >> 48 == REFERENCE_TAG)
			call.expected[i] = expected_word(session, process, id, i);
	}
	site->truth = &call.function->prototype;
	judge_call(&call, site->truth, call.placements, false, &site->finding);
	for (uint32_t i = 0; i < session->source.name_count; i++) {
		struct name *name = &session->names[i];

		if (!name->subject || name->subject->address != address)
			continue;
		for (unsigned int label = 0; label < session->label_count; label++) {
			struct promise *promise = &name->promises[label];

			if (promise->count)
				judge_call(&call, &promise->prototype, promise->placements, false,
					   &promise->finding);
		}
	}
	for (size_t i = 0; i < session->changed_count; i++) {
		struct changed *changed = &session->changed[i];

		if (changed->address != address)
			continue;
		changed->calls++;
		if (changed->promise.count)
			judge_call(&call, &changed->promise.prototype, changed->promise.placements,
				   true, &changed->promise.finding);
	}
	returns_enter(&session->returns, process, address, id, state);
}

/* Is the one's result what the other has left? A tail call's is. */
static bool same_result(const struct prototype *one, const struct prototype *other)
{
	return one->result.size == other->result.size &&
	       one->result.scalar_count == other->result.scalar_count;
}

static void judge_return(struct session *session, const struct entered *entered,
			 const uint64_t value[RESULT_REGISTERS], const struct machine_state *state)
{
	const struct prototype *truth = &session->source.functions[entered->id].prototype;

	judge_result(state, truth, truth, value, &site_at(session, entered->address)->finding);
	for (uint32_t i = 0; i < session->source.name_count; i++) {
		struct name *name = &session->names[i];

		if (!name->subject || name->subject->address != entered->address)
			continue;
		for (unsigned int label = 0; label < session->label_count; label++) {
			struct promise *promise = &name->promises[label];

			if (promise->count)
				judge_result(state, truth, &promise->prototype, value,
					     &promise->finding);
		}
	}
	for (size_t i = 0; i < session->changed_count; i++) {
		struct changed *changed = &session->changed[i];

		if (changed->address == entered->address && changed->promise.count)
			judge_result(state, truth, &changed->promise.prototype, value,
				     &changed->promise.finding);
	}
}

static void at_return(struct session *session, struct process *process, uint64_t address,
		      const struct machine_state *state)
{
	uint64_t left_by = NOBODY, key = 0, value[RESULT_REGISTERS] = { 0 };
	const struct prototype *left = NULL;
	struct entered entered;

	process_read(process, session->left_by, &left_by, 8);
	process_read(process, session->key, &key, 8);
	process_read(process, session->left, value, sizeof(value));
	for (unsigned int i = 0; i < RESULT_REGISTERS; i++)
		value[i] ^= key;
	if (left_by < session->source.function_count)
		left = &session->source.functions[left_by].prototype;
	while (returns_leave(&session->returns, address, state, &entered)) {
		if (left && same_result(left, &session->source.functions[entered.id].prototype))
			judge_return(session, &entered, value, state);
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

/* ---- the report ---- */

/* If there is one in registers. */
static bool result_observed(const struct prototype *truth, const struct finding *finding)
{
	struct placement placement;

	return finding->results || !prototype_place_result(truth, &placement);
}

static const char *verdict_of(const struct name *name, const struct prototype *truth,
			      const struct promise *promise, const struct finding *source)
{
	bool observed = result_observed(truth, source);

	if (is_ambiguous(name) || promise->count > 1)
		return promise->count ? "ambiguous" : "namesake";
	if (!promise->count)
		return name->exact + name->renamed > 1	   ? "namesake" :
		       source->outcome != OUTCOME_CORRECT ? "rightly-absent" :
		       observed				   ? "missed" :
							     "unknown";
	switch (promise->finding.outcome) {
	case OUTCOME_RESULT:
		return "result";
	case OUTCOME_UNSET:
		return "unset";
	case OUTCOME_MISPLACED:
	case OUTCOME_PROTOTYPE:
		return "misplaced";
	case OUTCOME_CORRECT:
		break;
	}
	return name->exact + name->renamed > 1 ? "other-copies" : observed ? "correct" : "unproven";
}

static void report(struct session *session)
{
	for (uint32_t i = 0; i < session->source.name_count; i++) {
		const struct name *name = &session->names[i];
		const struct finding *source;
		const struct site *site;

		if (!name->subject)
			continue;
		site = site_at(session, name->subject->address);
		source = &site->finding;
		if (!source->calls)
			continue;
		for (unsigned int label = 0; label < session->label_count; label++) {
			const struct promise *promise = &name->promises[label];
			const struct finding *finding = promise->count ? &promise->finding : source;

			if (session->source.is_alias[i] && !promise->count)
				continue;
			printf("%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\n", session->labels[label],
			       verdict_of(name, site->truth, promise, source), session->source.names[i],
			       name->subject->name, finding->calls, finding->bad_calls,
			       *finding->parameter ? finding->parameter : "-",
			       *finding->detail ? finding->detail : "-");
		}
	}
}

static const char *verdict_of_changed(const struct changed *changed)
{
	if (!changed->promise.count)
		return "absent";
	if (changed->addresses > 1 || changed->promise.count > 1)
		return "ambiguous";
	switch (changed->promise.finding.outcome) {
	case OUTCOME_UNSET:
		return "unset";
	case OUTCOME_MISPLACED:
	case OUTCOME_PROTOTYPE:
		return "misplaced";
	case OUTCOME_RESULT:
		return "result";
	case OUTCOME_CORRECT:
		break;
	}
	return "correct";
}

static void report_changed(const struct session *session)
{
	for (size_t i = 0; i < session->changed_count; i++) {
		const struct changed *changed = &session->changed[i];
		const struct finding *finding = &changed->promise.finding;

		if (!changed->calls)
			continue;
		printf("%s\t%s\t%s\t%s\t%u\t%u\t%s\t%s\n", session->changed_label,
		       verdict_of_changed(changed), changed->name, changed->name, changed->calls,
		       finding->bad_calls, *finding->parameter ? finding->parameter : "-",
		       *finding->detail ? finding->detail : "-");
	}
}

int main(int argc, char **argv)
{
	struct session session = { 0 };

	if (argc < 4 || argc > 3 + LABELS_MAX) {
		fprintf(stderr, "usage: trace PROGRAM TRUTH LABEL=BTF... [+LABEL=BTF]\n");
		return 2;
	}
	source_read(&session.source, argv[2]);
	place_source(&session);
	symbols_read(&session.symbols, argv[1]);
	session.expect = address_of(&session, "truth_expect");
	session.called = address_of(&session, "truth_called");
	session.left = address_of(&session, "truth_left");
	session.left_by = address_of(&session, "truth_left_by");
	session.key = address_of(&session, "truth_key");
	session.objects = address_of(&session, "truth_nodes");
	session.objects_end = address_of(&session, "truth_data");
	find_functions(&session);
	for (int i = 3; i < argc; i++) {
		char *path = strchr(argv[i], '=');

		if (!path)
			return 2;
		*path++ = 0;
		if (*argv[i] == '+') {
			read_changed(&session, argv[i], path);
			continue;
		}
		session.labels[session.label_count] = argv[i];
		read_promises(&session, session.label_count++, path);
	}
	if (!process_trace(argv[1], session.breakpoints, session.site_count, at_stop, &session))
		return 77;
	report(&session);
	report_changed(&session);
	symbols_release(&session.symbols);
	source_release(&session.source);
	free(session.names);
	free(session.sites);
	free(session.breakpoints);
	free(session.placements);
	free(session.changed);
	return ferror(stdout) != 0;
}
