/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf_prototypes.h"

/* Each site of a program is reached five times. The emulator's stops take longer. */
#define HITS_MAX	  120
#define HITS_MAX_EMULATED 40

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
	for (size_t i = 0; &session->symbols.data[i] < symbol; i++) {
		const struct symbol *other = &session->symbols.data[i];

		if (other->is_entry && other->address == symbol->address &&
		    strcmp(other->name, symbol->name) == 0)
			return;
	}
	name->addresses++;
	if (!name->subject)
		name->subject = symbol;
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
		(struct breakpoint){ .address = address,
				     .hits_left = session->machine->emulator ? HITS_MAX_EMULATED :
									       HITS_MAX };
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

/* ---- what BTFs say ---- */

static void read_promises(struct session *session, unsigned int label, const char *path)
{
	struct btf *btf = btf_open(path, session->machine->word_bytes);

	for (uint32_t i = 0; i < session->source.name_count; i++) {
		struct promise *promise = &session->names[i].promises[label];

		btf_prototype(btf, session->source.names[i], &promise->prototype, &promise->count);
		prototype_place(session->machine, &promise->prototype, promise->placements);
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
	struct btf *btf = btf_open(path, session->machine->word_bytes);
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
		if (name->addresses > 1)
			session->changed[session->changed_count - 1].addresses = 2;
	}
	for (size_t i = 0; i < session->changed_count; i++) {
		struct changed *changed = &session->changed[i];
		struct promise *promise = &changed->promise;

		btf_prototype(btf, changed->name, &promise->prototype, &promise->count);
		prototype_place(session->machine, &promise->prototype, promise->placements);
	}
}

static void place_source(struct session *session)
{
	struct source *source = &session->source;

	session->placements = zeroed(source->function_count, sizeof(*session->placements));
	for (uint32_t i = 0; i < source->function_count; i++)
		prototype_place(session->machine, &source->functions[i].prototype,
				session->placements[i]);
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

void session_open(struct session *session, const char *program, const char *truth)
{
	*session = (struct session){ 0 };
	session->machine = machine_of(program);
	source_read(&session->source, truth);
	place_source(session);
	symbols_read(&session->symbols, program);
	session->expect = address_of(session, "truth_expect");
	session->called = address_of(session, "truth_called");
	session->left = address_of(session, "truth_left");
	session->left_by = address_of(session, "truth_left_by");
	session->nonce = address_of(session, "truth_nonce");
	session->objects = address_of(session, "truth_nodes");
	session->objects_end = address_of(session, "truth_data");
	find_functions(session);
}

void session_close(struct session *session)
{
	plain_release(&session->plain);
	symbols_release(&session->symbols);
	source_release(&session->source);
	free(session->names);
	free(session->sites);
	free(session->breakpoints);
	free(session->placements);
	free(session->changed);
}

void session_add_btf(struct session *session, const char *label, const char *path)
{
	if (*label == '+') {
		read_changed(session, label, path);
		return;
	}
	session->labels[session->label_count] = label;
	read_promises(session, session->label_count++, path);
}

/* ---- at a stop ---- */

struct site *session_site(struct session *session, uint64_t address)
{
	for (size_t i = 0; i < session->site_count; i++) {
		if (session->sites[i].address == address)
			return &session->sites[i];
	}
	abort();
}

static void add_claim(struct claim claims[CLAIMS_MAX], unsigned int *count,
		      struct promise *promise, bool by_name)
{
	if (!promise->count)
		return;
	if (*count == CLAIMS_MAX)
		abort();
	claims[(*count)++] = (struct claim){ &promise->prototype, promise->placements, by_name,
					     &promise->finding };
}

unsigned int session_claims(struct session *session, struct site *site,
			    struct claim claims[CLAIMS_MAX])
{
	unsigned int count = 0;

	claims[count++] = (struct claim){ site->truth, site->placements, false, &site->finding };
	for (uint32_t i = 0; i < session->source.name_count; i++) {
		struct name *name = &session->names[i];

		if (!name->subject || name->subject->address != site->address)
			continue;
		for (unsigned int label = 0; label < session->label_count; label++)
			add_claim(claims, &count, &name->promises[label], false);
	}
	for (size_t i = 0; i < session->changed_count; i++) {
		if (session->changed[i].address == site->address)
			add_claim(claims, &count, &session->changed[i].promise, true);
	}
	return count;
}
