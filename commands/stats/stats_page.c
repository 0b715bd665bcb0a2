/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The page of `btfenc stats`. The rows of all tables have a number first, aligned right, then a
 * code to search for, then words; long sentences are wrapped under themselves. The most asked
 * questions come first: what was read, which functions get a FUNC, and why the others do not.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "commands/stats/stats.h"

#define PAGE_COLUMNS 100
#define COSTLY_SHOWN 10

struct page {
	const struct stats *stats;
	const char *bold, *dim, *plain;
};

/* ---- pieces ---- */

struct number {
	char text[28];
};

/* 3325431 -> 3,325,431 */
static struct number grouped(uint64_t value)
{
	struct number number;
	char *p = number.text + sizeof(number.text) - 1;
	int digits = 0;

	*p = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + value % 10);
		digits++;
		value /= 10;
	} while (value);
	memmove(number.text, p, strlen(p) + 1);
	return number;
}

/* "97.1 %", or "<0.1 %". */
static struct number share(uint64_t part, uint64_t whole)
{
	uint64_t tenths = whole ? (part * 1000 + whole / 2) / whole : 0;
	struct number number;

	if (part && !tenths)
		snprintf(number.text, sizeof(number.text), "<0.1 %%");
	else
		snprintf(number.text, sizeof(number.text), "%" PRIu64 ".%" PRIu64 " %%",
			 tenths / 10, tenths % 10);
	return number;
}

static void heading(const struct page *page, const char *text, const char *note)
{
	printf("\n%s%s%s%s%s%s%s\n", page->bold, text, page->plain,
		*note ? "  " : "", *note ? page->dim : "", note, *note ? page->plain : "");
}

/* From column `indent` on, where the cursor is; ends the line. */
static void sentence(const struct page *page, int indent, const char *text)
{
	fputs(page->dim, stdout);
	text_print_wrapped(stdout, text, indent, PAGE_COLUMNS);
	printf("%s\n", page->plain);
}

/* A number, its share of a total (0: none), a code, a sentence; nothing for 0. */
static void put_count(const struct page *page, uint64_t count, uint64_t total, const char *code,
		      const char *text)
{
	if (!count)
		return;
	printf("%11s  %7s  %-20s", grouped(count).text,
		total ? share(count, total).text : "", code);
	sentence(page, 42, text);
}

static void put_total(const struct page *page, uint64_t count, const char *percent,
		      const char *label)
{
	printf("%s%11s  %7s  %s%s\n", page->bold, grouped(count).text, percent, label, page->plain);
}

static void put_clean(const char *text)
{
	text_print_clean(stdout, text, strlen(text));
}

/* ---- the input ---- */

static void print_input(const struct page *page)
{
	const struct stats *stats = page->stats;
	const struct program *program = stats->program;
	const struct worker_counts *units = &stats->report->units;
	const struct abi *abi = abi_of(&program->object);

	fputs(page->bold, stdout);
	put_clean(program->options->path);
	printf("%s\n  %s, %d bits, %s-endian\n", page->plain,
		abi ? abi->name : "a machine whose calling convention btfenc does not know",
		program->object.address_bytes * 8, program->object.big_endian ? "big" : "little");
	printf("  %s units read, %s of excluded languages, %s unusable\n",
		grouped(units->units).text, grouped(units->excluded).text,
		grouped(units->unusable).text);
	for (size_t i = 0; i < stats->producers.count; i++) {
		const struct producer_count *count = &stats->producers.data[i];

		printf("%11s  ", grouped(count->units).text);
		if (count->producer.name_length)
			text_print_clean(stdout, count->producer.text,
					 count->producer.name_length);
		else
			fputs("an unnamed compiler", stdout);
		putchar('\n');
	}
}

/* ---- functions ---- */

static void print_lost_kfuncs(const struct page *page)
{
	const struct program *program = page->stats->program;
	bool any = false;

	for (size_t i = 0; i < program->kfuncs.kfuncs.count; i++) {
		char *text = program_lost_kfunc(program, &program->kfuncs.kfuncs.data[i]);

		if (text && !any)
			heading(page, "LOST KFUNCS", "in a set of .BTF_ids, and without a FUNC");
		if (text)
			printf("  %s\n", text);
		any |= text != NULL;
		free(text);
	}
}

static void print_verdicts(const struct page *page)
{
	const struct stats *stats = page->stats;
	const uint32_t *counts = stats->program->selection.counts;

	heading(page, "FUNCTIONS", "names by verdict, each in one row; ok ones get a FUNC");
	printf("%11s  %7s  %s%-20s%s", grouped(counts[VERDICT_OK]).text,
		share(counts[VERDICT_OK], stats->names_with_code).text, page->bold,
		verdict_texts[VERDICT_OK].code, page->plain);
	sentence(page, 42, verdict_texts[VERDICT_OK].sentence);
	for (enum verdict v = VERDICT_OK + 1; v < VERDICT_COUNT; v++) {
		if (v != VERDICT_INLINED_ONLY)
			put_count(page, counts[v], stats->names_with_code, verdict_texts[v].code,
				    verdict_texts[v].sentence);
	}
	put_total(page, stats->names_with_code, "100.0 %", "with code");
	put_count(page, counts[VERDICT_INLINED_ONLY], 0, verdict_texts[VERDICT_INLINED_ONLY].code,
		  verdict_texts[VERDICT_INLINED_ONLY].sentence);
	put_total(page, stats->names, "", "all names");
}

static void print_reasons(const struct page *page)
{
	const struct stats *stats = page->stats;
	uint32_t others = stats->names_with_code - stats->program->selection.counts[VERDICT_OK];
	char note[120];

	if (!others)
		return;
	snprintf(note, sizeof(note), "why the other %s have no FUNC; a name may have several "
		 "reasons", grouped(others).text);
	heading(page, "WHY NOT", note);
	printf("%s%11s  %9s  %-20s%s%s\n", page->dim, "names", "only this", "reason",
		"for example", page->plain);
	for (uint32_t i = 0; i < stats->costly_count && i < COSTLY_SHOWN; i++) {
		const struct reason_count *count = &stats->reasons[stats->costly[i]];

		printf("%11s  %9s  %-20s", grouped(count->names).text,
			grouped(count->alone).text, verdict_texts[stats->costly[i]].code);
		put_clean(count->example);
		putchar('\n');
	}
}

static void print_promises(const struct page *page)
{
	static const char *const sentences[] = {
#define X(id, code, sentence) sentence,
		FENTRY_OBSTACLE_LIST(X)
#undef X
	};
	const struct stats *stats = page->stats;
	uint32_t left = stats->program->selection.counts[VERDICT_OK], ok = left;

	for (int i = 0; i < FENTRY_OBSTACLE_COUNT; i++) {
		const struct promised_count *count = &stats->obstacles[i];

		if (!count->names)
			continue;
		if (left == ok)
			heading(page, "OK, BUT", "names with a FUNC that fentry cannot attach to");
		left -= count->names;
		printf("%11s  ", grouped(count->names).text);
		sentence(page, 13, sentences[i]);
	}
	if (left != ok) {
		struct text others = { 0 };
		char *text;

		text_add_string(&others, "others");
		if (stats->aliases)
			text_add_format(&others, ", %u of them by other names, which the file's "
					"own .BTF has", stats->aliases);
		text_add_string(&others, " (btfenc list --attachable fentry -f ");
		text_add_quoted(&others, stats->program->options->path);
		text_add_char(&others, ')');
		text = text_finish(&others);
		put_total(page, left + stats->aliases, "", text);
		free(text);
	}
}

/* ---- symbols and parameters ---- */

static void print_suffixes(const struct page *page)
{
	static const char *const texts[] = {
		[SUFFIX_SAME] = "the whole function as it was written",
		[SUFFIX_CHANGES] = "a clone, which may have another signature",
		[SUFFIX_PIECE] = "a fragment of the function, not its entry",
	};
	static const enum suffix_class classes[SUFFIX_COUNT] = {
#define X(id, text, class) [SUFFIX_##id] = class,
		SUFFIX_LIST(X)
#undef X
	};
	bool any = false;

	for (int i = 0; i < SUFFIX_COUNT; i++) {
		const struct suffix_count *count = &page->stats->suffixes[i];

		if (!count->symbols)
			continue;
		if (!any) {
			heading(page, "SUFFIXES", "of function symbols; one may have several");
			printf("%s%11s  %8s%s\n", page->dim, "symbols", "in DWARF", page->plain);
		}
		any = true;
		printf("%11s  %8s  %-18s", grouped(count->symbols).text,
			grouped(count->instances).text,
			i == SUFFIX_NUMBER ? ".NUMBER" : suffix_text((enum suffix)i));
		sentence(page, 41, texts[classes[i]]);
	}
}

static void print_parameters(const struct page *page)
{
	const uint64_t *counts = page->stats->report->units.parameters;
	uint64_t total = 0;

	for (int i = 0; i < PARAMETER_STATE_COUNT; i++)
		total += counts[i];
	if (!total)
		return;
	heading(page, "PARAMETERS",
		"of functions with a symbol: where DWARF has them at the entry");
	for (int i = 0; i < PARAMETER_STATE_COUNT; i++)
		put_count(page, counts[i], total, parameter_state_texts[i].code,
			    parameter_state_texts[i].sentence);
	put_total(page, total, "100.0 %", "all parameters");
}

static void print_sites(const struct page *page)
{
	const struct site_counts *counts = &page->stats->report->sites.counts;
	const struct {
		uint64_t count;
		const char *text;
	} rows[] = {
		{ counts->complete, "all parameters have a location" },
		{ counts->partial, "some have one" },
		{ counts->empty, "none has one" },
		{ counts->without_parameters, "there are no parameters" },
	};
	uint64_t total = 0;

	if (!counts->sites)
		return;
	heading(page, "INLINE SITES", "where functions were inlined (--features +inline)");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].count)
			printf("%11s  %7s  %s\n", grouped(rows[i].count).text,
				share(rows[i].count, counts->sites).text, rows[i].text);
	}
	put_total(page, counts->sites, "100.0 %", "all sites");
	for (int i = 0; i < LOC_PARAM_COUNT; i++)
		total += counts->locations[i];
	printf("%s%11s  %7s  their parameters, where the code of the inlined function "
		"begins%s\n", page->dim, "", "", page->plain);
	for (int i = 0; i < LOC_PARAM_COUNT; i++)
		put_count(page, counts->locations[i], total, loc_param_texts[i].code,
			    loc_param_texts[i].sentence);
	put_total(page, total, "100.0 %", "all parameters");
}

/* ---- types and sizes ---- */

static void print_types(const struct page *page)
{
	const struct stats *stats = page->stats;

	heading(page, "TYPES", "in DWARF, and in BTF after deduplication");
	printf("%s%11s  %9s%s\n", page->dim, "DWARF", "BTF", page->plain);
	for (uint32_t i = 0; i < stats->type_rows; i++) {
		const struct type_row *row = &stats->types[i];

		printf("%11s  %9s  %-*s%s%s%s\n", row->dwarf ? grouped(row->dwarf).text : "",
			row->encoded ? grouped(row->encoded).text : "", *row->btf ? 18 : 0,
			row->code, page->dim, row->btf, page->plain);
	}
	printf("%s%11s  %9s  all types%s\n", page->bold,
		grouped(stats->report->dwarf_types).text, grouped(stats->image->type_count).text,
		page->plain);
	if (stats->report->inexpressible)
		printf("%11s  names, members, elements or lengths cannot be "
			"expressed in BTF\n", grouped(stats->report->inexpressible).text);
}

static void put_size(const struct page *page, uint64_t bytes, const char *name, bool is_total)
{
	printf("%s%14s  ", is_total ? page->bold : "", grouped(bytes).text);
	put_clean(name);
	printf("%s\n", is_total ? page->plain : "");
}

static void print_sizes(const struct page *page)
{
	const struct stats *stats = page->stats;

	heading(page, "SIZES", "in bytes");
	for (size_t i = 0; i < stats->sections.count; i++)
		put_size(page, stats->sections.data[i]->size, stats->sections.data[i]->name, false);
	put_size(page, stats->section_bytes, "all of DWARF in the file", true);
	put_size(page, stats->image->type_bytes, "types in BTF", false);
	put_size(page, stats->image->string_bytes, "strings in BTF", false);
	put_size(page, stats->image->size, "all of BTF", true);
}

void stats_print_page(const struct stats *stats, bool colour)
{
	const struct page page = {
		.stats = stats,
		.bold = colour ? "\033[1m" : "",
		.dim = colour ? "\033[2m" : "",
		.plain = colour ? "\033[0m" : "",
	};

	print_input(&page);
	print_lost_kfuncs(&page);
	print_verdicts(&page);
	print_reasons(&page);
	print_promises(&page);
	print_suffixes(&page);
	print_parameters(&page);
	print_sites(&page);
	print_types(&page);
	print_sizes(&page);
}
