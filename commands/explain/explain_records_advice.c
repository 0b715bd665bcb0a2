/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The answer in a line, and what to do: for records, as advice.c does it for DWARF. */
#include <stdio.h>
#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "commands/explain/explain_place.h"
#include "commands/explain/explain_records.h"
#include "commands/records/record_layout.h"

static void advise(struct record_explanation *explanation, const char *tool, char *text)
{
	array_push(&explanation->advice, ((struct advice){ tool, text }));
}

static void note(struct record_explanation *explanation, char *text)
{
	advise(explanation, "note", text);
}

/* Is the place in code that is freed when booting, or loading the module, is done? */
static bool is_init_code(const struct records *records, const struct record_place *place)
{
	return strncmp(records->sections.data[place->site.section].name, ".init.text", 10) == 0;
}

static bool is_init(const struct record_explanation *explanation)
{
	const struct record_places *instances = &explanation->instances;

	return instances->places.count &&
	       is_init_code(explanation->records, &instances->places.data[0]);
}

/* ---- can fentry take it? ---- */

static struct trampoline_type type_of(const struct records *records, uint32_t id)
{
	struct value_type type = record_value_type(records, id);

	return (struct trampoline_type){ type.kind, type.size_bytes };
}

static struct trampoline_answer ask_trampoline(const struct record_explanation *explanation)
{
	const struct records *records = explanation->records;
	const uint32_t *words =
		records_type(records, explanation->prototype_id, BTF_FUNC_PROTO);
	uint32_t count = words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;
	bool has_binding = records->symbols == &records->elf.symbols;
	const struct trampoline_kernel kernel = {
		.abi = records->abi,
		.version = records->is_elf ? kernel_version_of_image(records->elf.object.elf,
								     &records->elf.symbols)
					   : (struct kernel_version){ 0 },
		.is_module = records->module,
		.built_in = (uint8_t)trampoline_built_in(records->symbols, has_binding),
	};
	struct trampoline_view view = { 0 };

	if (words)
		trampoline_see_result(&view, type_of(records, words[BTF_WORD_TYPE]));
	for (uint32_t i = 0; i < count; i++)
		trampoline_see_parameter(&view,
					 type_of(records, words[BTF_HEAD_WORDS + 2 * i + 1]));
	return trampoline_answer(&kernel, &view);
}

/* ---- BPF ---- */

static bool has_struct_parameter(const struct records *records, const uint32_t *first,
				 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (record_is_compound(records, first[2 * i + 1]))
			return true;
	}
	return false;
}

static void advise_fentry(struct record_explanation *explanation)
{
	const struct records *records = explanation->records;
	const uint32_t *words =
		records_type(records, explanation->prototype_id, BTF_FUNC_PROTO);
	uint32_t count = btf_info_vlen(words[BTF_WORD_INFO]);
	const uint32_t *first = words + BTF_HEAD_WORDS;
	struct text_buffer buffer;
	FILE *out;

	if (has_struct_parameter(records, first, count)) {
		note(explanation, text_of("fentry/%s takes a struct by value: that needs BPF_PROG2",
					  explanation->name));
		return;
	}
	out = text_begin(&buffer);
	fprintf(out, "SEC(\"fentry/%s\") int BPF_PROG(on_%s", explanation->name,
		explanation->name);
	for (uint32_t i = 0; i < count; i++) {
		fputs(", ", out);
		c_declaration_print_btf(out, records->btf, first[2 * i + 1],
					records_string(records, first[2 * i]));
	}
	fputc(')', out);
	advise(explanation, "bpf", text_end(&buffer));
	if (count && first[0])
		advise(explanation, "bpftrace", text_of("fentry:%s { print(args.%s); }",
			explanation->name, records_string(records, first[0])));
	else
		advise(explanation, "bpftrace",
		       text_of("fentry:%s { @[comm] = count(); }", explanation->name));
}

/* ---- tracefs ---- */

static void print_event(FILE *out, const char *name, size_t number, const char *suffix)
{
	fprintf(out, "%.45s", name);
	if (number)
		fprintf(out, "_%zu", number);
	fputs(suffix, out);
}

static void advise_return(struct record_explanation *explanation, const struct record_place *place,
			  size_t number)
{
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	fputs("r:", out);
	print_event(out, explanation->name, number, "_return");
	fprintf(out, " %s", place->place);
	/* A copy may have lost what nobody uses, and the records do not say. */
	if (place->result.sign && place->result.words == 1 && place->symbol &&
	    symbol_is_found_as(place->symbol, explanation->name)) {
		fputs(" result=$retval", out);
		place_print_type(out, place->result);
	}
	advise(explanation, "tracefs", text_end(&buffer));
}

/* The kernel's command line has commas where tracefs has blanks. */
static void print_probe(FILE *out, const struct record_explanation *explanation,
			const struct record_place *place, size_t number, char blank)
{
	fputs("p:", out);
	print_event(out, explanation->name, number, "");
	fprintf(out, "%c%s", blank, place->place);
	for (size_t i = 0; i < place->parameters.count; i++) {
		const char *fetch = place->parameters.data[i].fetch;

		if (*fetch)
			fputc(blank, out);
		for (; *fetch; fetch++)
			fputc(*fetch == ' ' ? blank : *fetch, out);
	}
}

static void advise_boot(struct record_explanation *explanation, const struct record_place *place,
			size_t number)
{
	struct text_buffer buffer;

	text_begin(&buffer);
	fputs("kprobe_event=", buffer.stream);
	print_probe(buffer.stream, explanation, place, number, ',');
	advise(explanation, "boot", text_end(&buffer));
}

/* Pieces of functions do not return from them. */
static void advise_kprobe(struct record_explanation *explanation, const struct record_place *place,
			  size_t number)
{
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	print_probe(out, explanation, place, number, ' ');
	if (!strstr(place->place, place->function))
		fprintf(out, "  # %s", place->function);
	advise(explanation, "tracefs", text_end(&buffer));
	if (place->join <= RECORD_COPY)
		advise_return(explanation, place, number);
}

static void advise_instances(struct record_explanation *explanation)
{
	size_t number = 0;

	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		const struct record_place *place = &explanation->instances.places.data[i];

		/* Cold code is run now and then by those who are in the function already. */
		if (place->join == RECORD_COLD || place->forbidden || !*place->place)
			continue;
		if (is_init_code(explanation->records, place) && !explanation->records->module)
			advise_boot(explanation, place, number);
		else
			advise_kprobe(explanation, place, number);
		number += number ? 1 : 2;
	}
}

/* Without instances: by the name, and what a promise says of it. */
static void advise_entry(struct record_explanation *explanation)
{
	const struct record_place *entry = &explanation->entry;

	if (explanation->instances.places.count || !*entry->place || entry->forbidden)
		return;
	if (explanation->is_promised)
		advise_kprobe(explanation, entry, 0);
	else
		advise(explanation, "tracefs", text_of("p:%.45s %s", explanation->name,
						       entry->place));
}

/* ---- notes ---- */

static void note_missing(struct record_explanation *explanation)
{
	uint32_t missing = explanation->instances.places.count
				   ? 0 : explanation->entry.unknown_parameters;

	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		const struct record_place *place = &explanation->instances.places.data[i];

		missing += place->join == RECORD_COLD ? 0 : place->unknown_parameters;
	}
	if (missing)
		note(explanation, text_of("%u parameter%s missing in the probe%s: the records do "
			"not say where, or tracefs cannot fetch from there", missing,
			missing == 1 ? " is" : "s are",
			explanation->instances.places.count > 1 ? "s" : ""));
}

static void note_forbidden(struct record_explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		const struct record_place *place = &explanation->instances.places.data[i];

		if (place->forbidden)
			note(explanation, text_of("no kprobe at %s: %s", place->function,
						  place->forbidden));
	}
}

/* Has an instance a name for tracefs? */
static bool has_named_place(const struct record_explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		if (*explanation->instances.places.data[i].place)
			return true;
	}
	return false;
}

/* Only their addresses tell namesakes apart, which a module has only where it is loaded. */
static void note_ambiguous(struct record_explanation *explanation)
{
	const struct record_places *instances = &explanation->instances;

	if (!explanation->is_ambiguous || has_named_place(explanation))
		return;
	note(explanation, text_of("no probe: the name %s stands for several addresses, %s",
				  explanation->name,
		instances->places.count && !explanation->records->module
		? "and only the kernel's ELF file says where direct calls enter each (ppc64le's "
		  "local entry)"
		: instances->places.count
		? "which are known where the module is loaded; give --running"
		: "and these records do not say which it is (+func_secinfo does)"));
}

static bool is_in_section(const struct record_places *list, uint32_t section)
{
	for (size_t i = 0; i < list->places.count; i++) {
		if (list->places.data[i].site.section == section)
			return true;
	}
	return false;
}

/* How sure the addresses are. */
static void note_anchors(struct record_explanation *explanation)
{
	const struct records *records = explanation->records;

	for (uint32_t i = 0; i < records->sections.count; i++) {
		const struct record_section *section = &records->sections.data[i];

		if (!is_in_section(&explanation->instances, i) &&
		    !is_in_section(&explanation->sites, i))
			continue;
		if (section->anchors.count)
			note(explanation, text_of("%s starts at 0x%llx: %u of %u functions in %s "
				"agree", section->name, (unsigned long long)section->address,
				section->anchors.agreeing, section->anchors.count,
				records->symbols_path));
		else if (records->symbols == &records->file.symbols)
			note(explanation, text_of("%s starts at 0x%llx, if %s is of this kernel: "
				"no function shows it", section->name,
				(unsigned long long)section->address, records->symbols_path));
	}
}

static void note_promise(struct record_explanation *explanation)
{
	const struct trampoline_answer *fentry = &explanation->fentry;
	/* Where nothing can be attached by fentry, it is not what is missing. */
	const char *no_fentry =
		fentry->answer == ATTACH_NO && !fentry->refused ? "" : "no fentry: ";

	if (explanation->is_promised)
		return;
	if (explanation->function && !explanation->prototype_id)
		note(explanation, text_of("%sFUNC %s has no prototype", no_fentry,
					  explanation->name));
	else if (explanation->function && !explanation->symbol)
		note(explanation, text_of("%sthere is a FUNC %s, but no symbol has the name",
					  no_fentry, explanation->name));
	else if (!explanation->function)
		note(explanation, text_of("%sBTF has no FUNC %s", no_fentry, explanation->name));
}

/* ---- the answer ---- */

static bool has_join(const struct record_explanation *explanation, enum record_join join)
{
	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		if (explanation->instances.places.data[i].join == join)
			return true;
	}
	return false;
}

static char *headline_attached(const struct record_explanation *explanation)
{
	const struct trampoline_answer *fentry = &explanation->fentry;
	size_t sites = explanation->sites.places.count;
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	fputs("yes", out);
	if (fentry->answer == ATTACH_NO)
		fprintf(out, ", by kprobe (not by fentry: %s)", fentry->why);
	else if (explanation->hook == ATTACH_YES)
		fputs(", by fentry", out);
	if (explanation->hook == ATTACH_YES)
		trampoline_print_since(out, fentry);
	if (sites == 1)
		fputs(", but not the one place where it was inlined", out);
	else if (sites)
		fprintf(out, ", but not the %zu places where it was inlined", sites);
	else
		fputs(": BTF promises its prototype", out);
	if (explanation->hook != ATTACH_YES && fentry->answer != ATTACH_NO) {
		fputs("; fentry works", out);
		trampoline_print_since(out, fentry);
		fputs(" where it has a hook (see available_filter_functions)", out);
	}
	return text_end(&buffer);
}

static char *headline_promised(const struct record_explanation *explanation)
{
	const struct trampoline_answer *fentry = &explanation->fentry;

	if (is_init(explanation))
		return text_of("only while %s", explanation->records->module
			? "the module is loaded: then its code is freed"
			: "booting: then its code is freed");
	if ((explanation->hook == ATTACH_NO || fentry->answer == ATTACH_NO) &&
	    explanation->entry.forbidden)
		return text_of("no: %s", explanation->entry.forbidden);
	if (fentry->refused)
		return text_of("not by fentry, which refuses it because %s; a kprobe works:",
			       fentry->why);
	if (explanation->hook == ATTACH_NO)
		return text_of("not by fentry: it has no tracer's hook (notrace); by kprobe only "
			       "where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE:");
	return headline_attached(explanation);
}

static char *headline(const struct record_explanation *explanation)
{
	if (explanation->is_promised)
		return headline_promised(explanation);
	if (explanation->is_ambiguous)
		return text_of("no: the name stands for several addresses%s",
			       has_named_place(explanation) ? "; do this instead:" : "");
	if (has_join(explanation, RECORD_SAME))
		return text_of("no: BTF does not promise its prototype; do this instead:");
	if (has_join(explanation, RECORD_COPY))
		return text_of("no: only copies under names of their own are left "
			       "(.isra, .constprop); do this instead:");
	if (has_join(explanation, RECORD_PART) || has_join(explanation, RECORD_COLD))
		return text_of("no: only outlined pieces are left (.part, .cold), not the entry; "
			       "do this instead:");
	if (explanation->sites.places.count)
		return text_of("no: it was inlined everywhere; do this instead:");
	if (explanation->unplaced.places.count)
		return text_of("no: its code is in a section that is not there any more, or whose "
			       "address is not known");
	if (explanation->symbol)
		return text_of("no: only its symbol is known, nothing describes it");
	return text_of("no: it has a FUNC, but no code in this image");
}

void record_advice_give(struct record_explanation *explanation)
{
	explanation->fentry = ask_trampoline(explanation);
	explanation->headline = headline(explanation);
	if (explanation->is_promised && !is_init(explanation) &&
	    explanation->fentry.answer != ATTACH_NO && explanation->hook != ATTACH_NO)
		advise_fentry(explanation);
	advise_instances(explanation);
	advise_entry(explanation);
	note_missing(explanation);
	note_ambiguous(explanation);
	note_forbidden(explanation);
	note_promise(explanation);
	note_anchors(explanation);
}
