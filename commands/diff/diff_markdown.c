/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A diff as Markdown, as forges show it in comments and job summaries: a table of the classes, and
 * a folded table of changes for each of them.
 */
#include <string.h>

#include "base/text_clean.h"
#include "commands/diff/diff.h"
#include "commands/diff/diff_words.h"

/* What would end a cell, begin markup or be taken for HTML. */
static void put_escaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = text_clean_char(text[i]);

		if (c == '<')
			fputs("&lt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (strchr("\\`*_{}[]#+!|~>", c))
			fprintf(out, "\\%c", c);
		else
			putc(c, out);
	}
}

static void put_text(FILE *out, const char *text)
{
	put_escaped(out, text, strlen(text));
}

static void put_marked(FILE *out, const struct diff_change *change)
{
	struct marked_lines marked;

	marked_lines_make(&marked, change->old->prototype, change->new->prototype);
	for (size_t i = 0; i < marked.runs.count; i++) {
		const struct word_run *run = &marked.runs.data[i];

		if (run->op != '=')
			fputs(run->op == '-' ? "<del>" : "<ins>", out);
		put_escaped(out, run->text, run->length);
		if (run->op != '=')
			fputs(run->op == '-' ? "</del>" : "</ins>", out);
	}
	marked_lines_release(&marked);
}

static void put_what(FILE *out, const struct diff_change *change)
{
	if (change->class == DIFF_CHANGED) {
		put_marked(out, change);
		return;
	}
	for (size_t i = 0; change->type && i < change->type->details.count; i++) {
		fputs(i ? "<br>" : "", out);
		put_text(out, change->type->details.data[i]);
	}
	if (change->from) {
		put_text(out, change->from);
		fputs(" → ", out);
	}
	if (change->to)
		put_text(out, change->to);
}

static void put_change(FILE *out, const struct diff_change *change)
{
	uint32_t marks = change->marks & (1u << MARK_KFUNC | 1u << MARK_EXPORTED | 1u << MARK_INIT);

	fprintf(out, "| %s", change->type ? change->type->keyword : "");
	fputs(change->type ? " " : "", out);
	put_text(out, change->name);
	for (uint32_t left = marks; left; left &= left - 1)
		fprintf(out, " (%s)",
			function_mark_code((enum function_mark)__builtin_ctz(left)));
	fputs(" | ", out);
	put_what(out, change);
	if (change->allowed) {
		fputs(" <br>allowed: ", out);
		put_text(out, change->allowed->why);
	}
	fputs(" |\n", out);
}

static void put_class(FILE *out, const struct diff *diff, const struct diff_style *style,
		      enum diff_class class, size_t *next)
{
	uint32_t found = 0;

	for (; *next < diff->changes.count && diff->changes.data[*next].class == class; ++*next) {
		if (!found++) {
			fprintf(out, "\n<details%s><summary><b>%s</b> (%u): ",
				diff->options->fail_on >> class & 1 ? " open" : "",
				diff_class_code(class), diff->counts[class]);
			put_text(out, diff_class_sentence(class));
			fputs("</summary>\n\n| name | what |\n|---|---|\n", out);
		}
		if (!style->limit || found <= style->limit)
			put_change(out, &diff->changes.data[*next]);
	}
	if (!found)
		return;
	if (style->limit && found > style->limit)
		fprintf(out, "\n... and %u more\n", found - style->limit);
	fputs("\n</details>\n", out);
}

static void put_classes(FILE *out, const struct diff *diff)
{
	fputs("\n| class | changes | allowed | counts as a regression |\n|---|--:|--:|---|\n", out);
	for (int c = 0; c < DIFF_CLASS_COUNT; c++) {
		if (diff->counts[c])
			fprintf(out, "| %s | %u | %u | %s |\n",
				diff_class_code((enum diff_class)c), diff->counts[c],
				diff->allowed[c], diff->options->fail_on >> c & 1 ? "yes" : "");
	}
}

static void put_summary_line(void *context, const char *line)
{
	fputs("- ", context);
	put_text(context, line);
	fputs("\n", context);
}

static void put_unused(FILE *out, const struct allow_list *allow)
{
	bool any = false;

	for (size_t i = 0; allow && i < allow->rules.count; i++) {
		const struct allow_rule *rule = &allow->rules.data[i];

		if (rule->used)
			continue;
		fputs(any ? "" : "\nAllowed, but nothing is like that:\n\n", out);
		any = true;
		fprintf(out, "- line %u: ", rule->line);
		put_text(out, rule->glob);
		fputs(" (", out);
		put_text(out, rule->why);
		fputs(")\n", out);
	}
}

void diff_print_markdown(const struct diff *diff, const struct diff_style *style, FILE *out)
{
	size_t next = 0;

	fputs("### ", out);
	put_text(out, diff->old->path);
	fputs(" → ", out);
	put_text(out, diff->new->path);
	if (diff->fails)
		fprintf(out, ": %u regression%s\n\n", diff->fails, diff->fails == 1 ? "" : "s");
	else
		fputs(": no regressions\n\n", out);
	diff_summarize(diff, put_summary_line, out);
	put_classes(out, diff);
	if (diff->important.count) {
		fputs("\nThe most important losses:\n\n| name | what |\n|---|---|\n", out);
		for (size_t i = 0; i < diff->important.count; i++)
			put_change(out, &diff->changes.data[diff->important.data[i]]);
	}
	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		put_class(out, diff, style, (enum diff_class)c, &next);
	put_unused(out, diff->options->allow);
}
