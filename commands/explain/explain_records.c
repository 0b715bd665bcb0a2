/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Collects what records say about a name; the command `explain` for files with records. */
#include "commands/explain/explain_records.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "btf/dedup/c_declaration.h"

/* ---- FUNCs ---- */

static bool is_of_base(const char *name, const char *base)
{
	size_t length = strlen(base);

	return strncmp(name, base, length) == 0 &&
	       (!name[length] || (name[length] == '.' && symbol_parse(name).base_length == length));
}

/* By id: is it a FUNC whose name without suffixes this is? To be freed. */
static bool *find_functions(const struct records *records, const char *name)
{
	uint32_t end = btf_reader_end_id(records->btf);
	bool *wanted = memory_zeroed(end, sizeof(*wanted));

	for (uint32_t id = 1; id < end; id++)
		wanted[id] = is_of_base(records_function_name(records, id), name);
	return wanted;
}

/* The FUNC with exactly this name in the BTF of the file itself, not of its base. */
static void find_promise(struct record_explanation *explanation)
{
	const struct records *records = explanation->records;
	const struct btf_reader *btf = &records->input.btf;

	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		if (strcmp(records_function_name(records, id), explanation->name) != 0)
			continue;
		explanation->function = id;
		explanation->prototype_id = record_prototype_of(records, id);
		if (explanation->prototype_id)
			break;
	}
	explanation->is_promised = explanation->prototype_id && explanation->symbol;
}

/* ---- symbols ---- */

/* A symbol that a kernel finds by this name; `address`: only there, UINT64_MAX: anywhere. */
static const struct symbol *find_symbol(const struct records *records, const char *name,
					uint64_t address)
{
	struct base_search search = symbol_table_search_base(records->symbols, name);
	const struct symbol *symbol;

	while ((symbol = base_search_next(&search))) {
		if (symbol_is_found_as(symbol, name) &&
		    (address == UINT64_MAX || symbol->address == address))
			return symbol;
	}
	return NULL;
}

static bool is_ambiguous(const struct records *records, const struct symbol *symbol)
{
	struct base_search search = symbol_table_search_base(records->symbols, symbol->name);
	const struct symbol *other;

	while ((other = base_search_next(&search))) {
		if (symbol_is_function(other) && other->address != symbol->address &&
		    strcmp(other->name, symbol->name) == 0)
			return true;
	}
	return false;
}

/* ---- places ---- */

static uint8_t join_of(const char *function, const char *name)
{
	struct symbol_base parsed = symbol_parse(function);

	if (strcmp(function, name) == 0)
		return RECORD_SAME;
	if (parsed.suffixes >> SUFFIX_COLD & 1)
		return RECORD_COLD;
	if (parsed.class == SUFFIX_PIECE)
		return RECORD_PART;
	return parsed.class == SUFFIX_SAME ? RECORD_SAME : RECORD_COPY;
}

/*
 * An instance has a symbol of its FUNC's name at its address. A second entry of the FUNC there is a
 * site inside the function itself, and so are all of a LOCSEC.
 */
static const struct symbol *symbol_of_instance(const struct record_explanation *explanation,
					       const struct record_place *place)
{
	size_t count = explanation->instances.places.count;
	const struct record_place *last =
		count ? &explanation->instances.places.data[count - 1] : NULL;

	if (last && last->address == place->address && last->site.function == place->site.function)
		return NULL;
	return find_symbol(explanation->records, place->function, place->address);
}

static void add_site(struct record_explanation *explanation, const struct record_site *site,
		     bool is_inline)
{
	const struct records *records = explanation->records;
	const struct record_section *section = &records->sections.data[site->section];
	struct record_place place = {
		.site = *site, .is_known = section->is_known,
		.address = section->address + site->offset,
		.function = records_function_name(records, site->function) };
	const struct symbol *own = NULL;

	place.join = join_of(place.function, explanation->name);
	record_place_parameters(&place, records);
	if (!place.is_known) {
		array_push(&explanation->unplaced.places, place);
		return;
	}
	if (!is_inline)
		own = symbol_of_instance(explanation, &place);
	record_place_attach(&place, records, own);
	if (own)
		array_push(&explanation->instances.places, place);
	else
		array_push(&explanation->sites.places, place);
}

static void add_sites(struct record_explanation *explanation, struct site_walk walk,
		      const bool *wanted, bool are_inline)
{
	uint32_t end = btf_reader_end_id(explanation->records->btf);
	struct record_site site;

	while (site_walk_next(&walk, &site)) {
		if (site.function < end && wanted[site.function])
			add_site(explanation, &site, are_inline);
	}
}

/* Functions first, then copies, parts, cold code; each by address. */
static int compare_places(const void *a, const void *b)
{
	const struct record_place *x = a, *y = b;

	if (x->join != y->join)
		return x->join < y->join ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->site.offset < y->site.offset ? -1 : x->site.offset > y->site.offset;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct record_place *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* A LOCSEC orders its sites by FUNC, and several sections need not ascend. */
static void sort_places(struct record_explanation *explanation)
{
	struct record_places *instances = &explanation->instances, *sites = &explanation->sites;

	if (instances->places.count)
		qsort(instances->places.data, instances->places.count,
		      sizeof(*instances->places.data), compare_places);
	if (sites->places.count)
		qsort(sites->places.data, sites->places.count, sizeof(*sites->places.data),
		      compare_addresses);
}

/* Records of inline sites alone do not tell of entries: the symbol and the promise do. */
static void find_entry(struct record_explanation *explanation)
{
	const struct records *records = explanation->records;
	struct record_place *entry = &explanation->entry;

	if (!explanation->symbol || !symbol_is_function(explanation->symbol))
		return;
	explanation->is_ambiguous = is_ambiguous(records, explanation->symbol);
	entry->function = explanation->symbol->name;
	entry->site.function = explanation->function;
	entry->site.location = explanation->is_promised ? explanation->prototype_id : 0;
	if (explanation->is_promised)
		record_place_parameters(entry, records);
	record_entry_attach(entry, records, explanation->symbol);
	if (explanation->is_promised && records->symbols == &records->elf.symbols)
		explanation->hook = (uint8_t)record_hook_at(records, entry->address);
}

static uint32_t any_prototype(const struct record_places *list)
{
	for (size_t i = 0; i < list->places.count; i++) {
		if (list->places.data[i].prototype_id)
			return list->places.data[i].prototype_id;
	}
	return 0;
}

static void print_prototype(struct record_explanation *explanation)
{
	uint32_t id = explanation->prototype_id;
	struct text_buffer buffer;

	id = id ? id : any_prototype(&explanation->instances);
	id = id ? id : any_prototype(&explanation->sites);
	explanation->prototype_id = id = id ? id : any_prototype(&explanation->unplaced);
	if (!id)
		return;
	c_declaration_print_btf(text_begin(&buffer), explanation->records->btf, id,
				explanation->name);
	explanation->prototype = text_end(&buffer);
}

bool explain_records(struct record_explanation *explanation, const struct records *records,
		     const char *name, const char *asked)
{
	bool *wanted = find_functions(records, name);

	*explanation = (struct record_explanation){ .records = records, .name = name,
						    .asked = asked };
	explanation->symbol = find_symbol(records, name, UINT64_MAX);
	find_promise(explanation);
	add_sites(explanation, records_walk_extra(records), wanted, false);
	/* The same sites, where the extra part has some. */
	if (!explanation->sites.places.count)
		add_sites(explanation, records_walk_inline(records), wanted, true);
	free(wanted);
	sort_places(explanation);
	find_entry(explanation);
	print_prototype(explanation);
	record_advice_give(explanation);
	return explanation->function || explanation->symbol ||
	       explanation->instances.places.count || explanation->sites.places.count ||
	       explanation->unplaced.places.count;
}

static void release_place(struct record_place *place)
{
	for (size_t i = 0; i < place->parameters.count; i++) {
		free(place->parameters.data[i].type);
		free(place->parameters.data[i].place);
		free(place->parameters.data[i].fetch);
	}
	array_release(&place->parameters);
}

static void release_places(struct record_places *list)
{
	for (size_t i = 0; i < list->places.count; i++)
		release_place(&list->places.data[i]);
	array_release(&list->places);
}

void record_explanation_release(struct record_explanation *explanation)
{
	release_places(&explanation->instances);
	release_places(&explanation->sites);
	release_places(&explanation->unplaced);
	release_place(&explanation->entry);
	for (size_t i = 0; i < explanation->advice.count; i++)
		free(explanation->advice.data[i].text);
	array_release(&explanation->advice);
	free(explanation->headline);
	free(explanation->prototype);
}

/* ---- the command ---- */

void record_near_names_find(struct near_names *near, const struct records *records,
			    const char *name)
{
	uint32_t end = btf_reader_end_id(records->btf);

	*near = (struct near_names){ 0 };
	for (uint32_t id = 1; id < end; id++)
		near_names_consider(near, name, records_function_name(records, id), "function");
	for (size_t i = 0; i < records->symbols->symbols.count; i++) {
		const struct symbol *symbol = &records->symbols->symbols.data[i];

		near_names_consider(near, name, symbol->name,
				    symbol_is_function(symbol) ? "function" : "symbol");
	}
}

static bool print_near_names(const struct records *records, const char *asked, bool json)
{
	struct near_names near;
	bool good = true;

	record_near_names_find(&near, records, asked);
	if (json) {
		good = near_names_print_json(&near, asked, stdout);
	} else {
		printf("%s: no function of that name is in %s\n", asked, records->options->path);
		for (uint32_t i = 0; i < near.count; i++)
			printf("%s  %s%s\n", i ? "" : "\n  near it are:\n", near.names[i].name,
			       strcmp(near.names[i].what, "function") == 0 ? "" : ", a symbol");
	}
	near_names_release(&near);
	return good;
}

static int answer(const struct records *records, const char *name, const char *asked, bool json)
{
	struct record_explanation explanation;
	bool known = explain_records(&explanation, records, name, asked);
	bool good = true;

	if (!known)
		good = print_near_names(records, asked, json);
	else if (json)
		good = record_explanation_print_json(&explanation, stdout);
	else
		record_explanation_print_text(&explanation, stdout);
	record_explanation_release(&explanation);
	if (!good || fflush(stdout) != 0) {
		fprintf(stderr, "btfenc: cannot write the explanation: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return known ? EXIT_DONE : EXIT_ANSWER_NO;
}

int explain_records_run(const struct records_options *options, const char *name,
			const char *asked, bool json)
{
	struct records records;
	struct error err;
	int status = EXIT_FAILED;

	if (records_open(&records, options, &err))
		status = answer(&records, name, asked, json);
	else
		fprintf(stderr, "btfenc: %s\n", err.text);
	records_release(&records);
	return status;
}
