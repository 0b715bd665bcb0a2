/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A diff for people: the summary and the most important losses first, then a line for each other
 * change. Prototypes are printed once, with the differences marked as git's --word-diff does. As
 * Markdown, for comments and job summaries of forges, changes are items of lists, one folded list a
 * class. Lines are broken before column LINE_COLUMNS.
 */
#include <string.h>

#include "base/text.h"
#include "commands/diff/diff.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

#define LINE_COLUMNS 200
#define MARKS_SHOWN  (1u << MARK_KFUNC | 1u << MARK_EXPORTED | 1u << MARK_INIT)

EMBED(diff_text, "commands/diff/diff_text.txt");
EMBED(diff_markdown, "commands/diff/diff_markdown.txt");

struct report {
	const struct diff *diff;
	const struct diff_style *style;
	FILE *out;
	size_t important;		/* changes at the head; few need none */
};

/* Text from outside. In Markdown it is code, where nothing is markup. */
static json_t *quoted_bytes(const struct report *report, const char *bytes, size_t length)
{
	size_t fence = report->style->is_markdown, run = 0;
	const char *pad = fence && memchr(bytes, '`', length) ? " " : "";
	struct text text = { 0 };

	/* A fence is longer than the backticks within. */
	for (size_t i = 0; *pad && i < length; i++) {
		run = bytes[i] == '`' ? run + 1 : 0;
		fence = run >= fence ? run + 1 : fence;
	}
	for (size_t i = 0; i < fence; i++)
		text_add_char(&text, '`');
	text_add_string(&text, pad);
	text_add(&text, bytes, length);
	text_add_string(&text, pad);
	for (size_t i = 0; i < fence; i++)
		text_add_char(&text, '`');
	return json_take(&text);
}

static json_t *quoted(const struct report *report, const char *text)
{
	return text ? quoted_bytes(report, text, strlen(text)) : json_null();
}

/* The words of both prototypes. */
static json_t *words_json(const struct report *report, const struct diff_change *change)
{
	json_t *words = json_array();
	struct word_runs runs = { 0 };

	if (change->class == DIFF_CHANGED)
		word_runs_make(&runs, change->old->prototype, change->new->prototype);
	array_each(const struct word_run, run, &runs) {
		json_array_append_new(words, json_pack("{s:o}",
			run->op == '-' ? "removed" : run->op == '+' ? "added" : "kept",
			quoted_bytes(report, run->text, run->length)));
	}
	word_runs_release(&runs);
	return words;
}

/* `is_loss`: at the head; `more`: modules with the same change of a type. */
static json_t *change_json(const struct report *report, const struct diff_change *change,
			   bool is_loss, size_t more)
{
	const struct type_change *type = change->type;
	const char *module = diff_change_module(change);
	bool has_moved = diff_has_moved(report->diff, change);
	/* Where it has moved and that is not the change itself, both are said. */
	bool has_module = report->diff->has_modules && change->class != DIFF_MOVED &&
			  change->class != DIFF_TYPE_MOVED &&
			  (has_moved || strcmp(module, "vmlinux") != 0);
	json_t *details = json_array();

	for (size_t i = 0; type && i < type->details.count; i++)
		json_array_append_new(details, json_pack("{s:b, s:o}", "follows", i != 0,
			"text", quoted(report, type->details.data[i])));
	return json_pack("{s:s?, s:o, s:o, s:o, s:o, s:I, s:b, s:o, s:o, s:b, s:o, s:o, s:o, s:b}",
		"keyword", type ? type->keyword : NULL,
		"name", quoted(report, change->name),
		"marks", json_words(change->marks & MARKS_SHOWN, function_marks),
		"was", quoted(report, has_moved ? diff_module(change->old->module) : NULL),
		"module", quoted(report, has_module ? module : NULL),
		"more", INTEGER(more),
		"says", !type || type->details.count,
		"words", words_json(report, change),
		"details", details,
		"has_from", change->from != NULL,
		"from", quoted(report, change->from),
		"to", quoted(report, change->to),
		"allowed", quoted(report, change->allowed ? change->allowed->why : NULL),
		"is_loss", is_loss);
}

/* Of one type, which several modules have, with the same details? */
static bool is_same_type(const struct diff_change *a, const struct diff_change *b)
{
	const struct type_change *x = a->type, *y = b->type;

	if (!x || !y || !x->module || !y->module || a->class != b->class ||
	    strcmp(x->keyword, y->keyword) != 0 || strcmp(x->name, y->name) != 0 ||
	    x->details.count != y->details.count)
		return false;
	for (size_t i = 0; i < x->details.count; i++) {
		if (strcmp(x->details.data[i], y->details.data[i]) != 0)
			return false;
	}
	return true;
}

/* Each element of a part is printed alone: a report without a limit is large. */
static void put(const struct report *report, const char *part, json_t *element)
{
	bool is_markdown = report->style->is_markdown;
	struct text page = { 0 }, wrapped = { 0 };
	char *all, *rest, *line;

	template_add(&page, is_markdown ? diff_markdown : diff_text,
		     json_pack("{s:[o]}", part, element), report->style->colour);
	rest = all = text_finish(&page);
	/* A line continued four columns to the right of an item begins no block of Markdown. */
	while ((line = strsep(&rest, "\n")) && rest) {
		size_t blanks = strspn(line, " ");

		text_add(&wrapped, line, blanks);
		text_add_wrapped(&wrapped, line + blanks, is_markdown ? 6 : blanks + 2,
				 LINE_COLUMNS);
		text_add_char(&wrapped, '\n');
	}
	text_print(&wrapped, report->out);
	free(all);
}

/* Changes are sorted by class; *next is the first of this class. */
static void put_class(const struct report *report, size_t *next)
{
	const struct diff *diff = report->diff;
	enum diff_class class = diff->changes.data[*next].class;
	uint32_t limit = report->style->limit, lines = 0, above = 0, left = 0;

	put(report, "class", json_pack("{s:s, s:s, s:b}", "code", diff_classes[class].code,
		"sentence", diff_classes[class].sentence,
		"fails", (int)(diff->options->fail_on >> class & 1)));
	while (*next < diff->changes.count && diff->changes.data[*next].class == class) {
		const struct diff_change *change = &diff->changes.data[*next];
		size_t more = 0;

		while (++*next < diff->changes.count &&
		       is_same_type(change, &diff->changes.data[*next]))
			more++;
		if (change->is_important && report->important)
			above++;
		else if (!limit || lines++ < limit)
			put(report, "change", change_json(report, change, false, more));
		else
			left += 1 + (uint32_t)more;
	}
	put(report, "end", json_pack("{s:I, s:I}", "above", INTEGER(above), "left", INTEGER(left)));
}

/* "148 lost, 34 ambiguous (3 allowed)": the changes of the classes in the mask. */
static json_t *counts_json(const struct diff *diff, uint32_t classes)
{
	struct text text = { 0 };

	for (int c = 0; c < DIFF_CLASS_COUNT; c++) {
		if (!diff->counts[c] || !(classes >> c & 1))
			continue;
		text_add_format(&text, "%s%u %s", text.count ? ", " : "", diff->counts[c],
				diff_classes[c].code);
		if (diff->allowed[c])
			text_add_format(&text, " (%u allowed)", diff->allowed[c]);
	}
	return json_take(&text);
}

static json_t *head_json(const struct report *report)
{
	const struct diff *diff = report->diff;
	json_t *summary = json_array(), *lines, *line;
	uint32_t total = 0, allowed = 0;
	size_t i;

	for (int c = 0; c < DIFF_CLASS_COUNT; c++) {
		total += diff->counts[c];
		allowed += diff->allowed[c];
	}
	lines = diff_summary(diff, total != 0, total != 0);
	json_array_foreach(lines, i, line) {
		json_array_append_new(summary, quoted(report, json_string_value(line)));
	}
	json_decref(lines);
	return json_pack("{s:o, s:o, s:I, s:I, s:b, s:I, s:b, s:I, s:o, s:o, s:o, s:b}",
		"old", quoted(report, diff_side_name(diff, 0)),
		"new", quoted(report, diff_side_name(diff, 1)),
		"total", INTEGER(total), "fails", INTEGER(diff->fails),
		"one_fails", diff->fails == 1,
		"allowed", INTEGER(allowed), "only", diff->options->only.count != 0,
		"funcs", INTEGER(diff->verdicts[1][VERDICT_OK]), "summary", summary,
		"regressions", counts_json(diff, diff->options->fail_on),
		"others", counts_json(diff, ~diff->options->fail_on),
		"has_losses", report->important != 0);
}

void diff_print_report(const struct diff *diff, const struct diff_style *style, FILE *out)
{
	const struct report report = { .diff = diff, .style = style, .out = out,
				       .important = diff->important.count < DIFF_IMPORTANT
							    ? 0 : DIFF_IMPORTANT };
	const struct allow_list *allow = &diff->options->allow;
	bool is_first = true;
	size_t next = 0;

	put(&report, "head", head_json(&report));
	for (size_t i = 0; i < report.important; i++)
		put(&report, "change", change_json(&report, diff->important.data[i], true, 0));
	while (next < diff->changes.count)
		put_class(&report, &next);
	array_each(const struct allow_rule, rule, &allow->rules) {
		if (rule->used)
			continue;
		put(&report, "unused", json_pack("{s:b, s:I, s:o, s:o}", "is_first", is_first,
			"line", INTEGER(rule->line), "glob", quoted(&report, rule->glob),
			"why", quoted(&report, rule->why)));
		is_first = false;
	}
}
