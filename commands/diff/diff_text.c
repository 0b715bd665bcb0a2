/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A diff for people: the summary and the most important losses first, then a line for each change.
 * Prototypes are shown once, with what is different marked as git's --word-diff does.
 */
#include <string.h>

#include "commands/diff/diff.h"
#include "commands/diff/diff_words.h"
#include "commands/explain/explain_print.h"

struct text_report {
	const struct diff *diff;
	const struct diff_style *style;
	FILE *out;
};

static const char *colour(const struct text_report *report, const char *code)
{
	return report->style->colour ? code : "";
}

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define RED   "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

static void put_marked(const struct text_report *report, const struct diff_change *change)
{
	struct marked_lines marked;

	marked_lines_make(&marked, change->old->prototype, change->new->prototype);
	for (size_t i = 0; i < marked.runs.count; i++) {
		const struct word_run *run = &marked.runs.data[i];
		char *text = memory_string(run->text, run->length);

		if (run->op != '=')
			fprintf(report->out, "%s%s", colour(report, run->op == '-' ? RED : GREEN),
				run->op == '-' ? "[-" : "{+");
		explain_put(report->out, text);
		if (run->op != '=')
			fprintf(report->out, "%s%s", run->op == '-' ? "-]" : "+}",
				colour(report, PLAIN));
		free(text);
	}
	marked_lines_release(&marked);
}

static void put_type(const struct text_report *report, const struct type_change *type)
{
	for (size_t i = 0; i < type->details.count; i++) {
		fputs(i ? "; " : "", report->out);
		explain_put(report->out, type->details.data[i]);
	}
}

static void put_what(const struct text_report *report, const struct diff_change *change)
{
	if (change->class == DIFF_CHANGED) {
		put_marked(report, change);
	} else if (change->type) {
		put_type(report, change->type);
	} else {
		if (change->from) {
			explain_put(report->out, change->from);
			fputs(" -> ", report->out);
		}
		explain_put(report->out, change->to);
	}
}

static void put_change(const struct text_report *report, const struct diff_change *change)
{
	FILE *out = report->out;
	uint32_t marks = change->marks & (1u << MARK_KFUNC | 1u << MARK_EXPORTED | 1u << MARK_INIT);

	fprintf(out, "  %s%s%s", change->type ? change->type->keyword : "",
		change->type ? " " : "", colour(report, BOLD));
	explain_put(out, change->name);
	fputs(colour(report, PLAIN), out);
	for (uint32_t left = marks; left; left &= left - 1)
		fprintf(out, " (%s)",
			function_mark_code((enum function_mark)__builtin_ctz(left)));
	if (change->class == DIFF_CHANGED || !change->type || change->type->details.count)
		fputs(": ", out);
	put_what(report, change);
	if (change->allowed) {
		fputs("  # allowed: ", out);
		explain_put(out, change->allowed->why);
	}
	fputs("\n", out);
}

static void put_class(const struct text_report *report, enum diff_class class, size_t *next)
{
	const struct diff *diff = report->diff;
	uint32_t shown = 0, found = 0;

	for (; *next < diff->changes.count && diff->changes.data[*next].class == class; ++*next) {
		if (!found++) {
			fprintf(report->out, "\n%s%s (%u", colour(report, BOLD),
				diff_class_code(class), diff->counts[class]);
			if (diff->allowed[class])
				fprintf(report->out, ", %u allowed", diff->allowed[class]);
			fprintf(report->out, ")%s: %s\n", colour(report, PLAIN),
				diff_class_sentence(class));
		}
		if (report->style->limit && shown == report->style->limit)
			continue;
		put_change(report, &diff->changes.data[*next]);
		shown++;
	}
	if (shown < found)
		fprintf(report->out, "  ... and %u more (--limit 0 lists all)\n", found - shown);
}

static void put_summary_line(void *context, const char *line)
{
	const struct text_report *report = context;

	fputs("  ", report->out);
	explain_put(report->out, line);
	fputs("\n", report->out);
}

static void put_important(const struct text_report *report)
{
	const struct diff *diff = report->diff;

	if (!diff->important.count)
		return;
	fputs("  the most important losses:\n", report->out);
	for (size_t i = 0; i < diff->important.count; i++) {
		fputs("  ", report->out);
		put_change(report, &diff->changes.data[diff->important.data[i]]);
	}
}

static void put_unused(const struct text_report *report)
{
	const struct allow_list *allow = report->diff->options->allow;
	const char *before = "\n";

	for (size_t i = 0; allow && i < allow->rules.count; i++) {
		const struct allow_rule *rule = &allow->rules.data[i];

		if (rule->used)
			continue;
		fprintf(report->out, "%sline %u of --allow allows nothing: ", before, rule->line);
		before = "";
		explain_put(report->out, rule->glob);
		fputs(" # ", report->out);
		explain_put(report->out, rule->why);
		fputs("\n", report->out);
	}
}

void diff_print_text(const struct diff *diff, const struct diff_style *style, FILE *out)
{
	struct text_report report = { diff, style, out };
	uint32_t total = 0, allowed = 0;
	size_t next = 0;

	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		total += diff->counts[c];
	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		allowed += diff->allowed[c];
	explain_put(out, diff->old->path);
	fputs(" -> ", out);
	explain_put(out, diff->new->path);
	if (total)
		fprintf(out, ": %u change%s, %u of them %s", total, total == 1 ? "" : "s",
			diff->fails, diff->fails == 1 ? "a regression" : "regressions");
	if (allowed)
		fprintf(out, ", %u allowed", allowed);
	if (total)
		fputs("\n", out);
	else
		fprintf(out, ": no differences%s, %u FUNCs\n", diff->options->only_count
			? " in the names asked for (--only)" : "",
			diff->verdicts[1][VERDICT_OK]);
	if (total) {
		diff_summarize(diff, put_summary_line, &report);
		put_important(&report);
	} else {
		diff_put_machines(diff, put_summary_line, &report);
	}
	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		put_class(&report, (enum diff_class)c, &next);
	put_unused(&report);
}
