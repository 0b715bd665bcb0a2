/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A diff for people: the summary and the most important losses first, then a line for each change.
 * Prototypes are printed once, with the differences marked as git's --word-diff does. As Markdown,
 * for comments and job summaries of forges, changes are rows of tables, one folded table a class.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "commands/diff/diff.h"
#include "commands/diff/diff_words.h"

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

enum { TEXT, COLOURED_TEXT, MARKDOWN };

static const struct markup {
	const char *bold, *plain;
	const char *arrow;
	const char *removed[2], *added[2];	/* around words of a prototype */
	const char *detail;			/* between the details of a type */
	const char *allowed;			/* before the reason */
	const char *summary;			/* before a line of the summary */
	const char *row;			/* before a change */
	const char *end_row;
	const char *important;			/* heading of the most important losses */
} markups[] = {
#define TEXT_LINES "; ", "  # allowed: ", "  ", "  ", "\n", "  the most important losses:\n"
	[TEXT] = { "", "", " -> ", { "[-", "-]" }, { "{+", "+}" }, TEXT_LINES },
	[COLOURED_TEXT] = { "\033[1m", PLAIN, " -> ", { RED "[-", "-]" PLAIN },
			    { GREEN "{+", "+}" PLAIN }, TEXT_LINES },
	[MARKDOWN] = { "", "", " → ", { "<del>", "</del>" }, { "<ins>", "</ins>" }, "<br>",
		       " <br>allowed: ", "- ", "| ", " |\n",
		       "\nThe most important losses:\n\n| name | what |\n|---|---|\n" },
};

struct report {
	const struct diff *diff;
	const struct diff_style *style;
	const struct markup *markup;
	FILE *out;
	size_t more;			/* modules with the same change of a type */
};

/*
 * What GitHub makes a mention, a link or a picture of without markup ends there: "@", "#",
 * "https:", ":smile", "www", "GH-", "CVE-", and one in six digits of a commit's number, which has
 * seven.
 */
static bool is_linked(const char *text, size_t length, size_t i)
{
	unsigned char next = i + 1 < length ? (unsigned char)text[i + 1] : ' ';
	unsigned char before = i ? (unsigned char)text[i - 1] : ' ';
	size_t first = i, last = i;

	while (first && i - first < 6 && isxdigit((unsigned char)text[first - 1]))
		first--;
	while (last + 1 < length && last - i < 6 && isxdigit((unsigned char)text[last + 1]))
		last++;
	return text[i] == '@' || text[i] == '#' || (text[i] == ':' && next != ' ') ||
	       (text[i] == '-' && isalpha(before) && (isdigit(next) || isupper(before))) ||
	       (i % 6 == 5 && last > i && last - first >= 6 && isxdigit((unsigned char)text[i])) ||
	       (i >= 2 && strncasecmp(text + i - 2, "www", 3) == 0);
}

/* Text from outside: it must not forge a line, and in Markdown no cell, markup, HTML or link. */
static void put_bytes(const struct report *report, const char *text, size_t length)
{
	size_t end = 0;

	for (size_t i = 0; i < length; i++) {
		char c = text_clean_at(text, length, i, &end);

		if (report->style->is_markdown && c == '<')
			fputs("&lt;", report->out);
		else if (report->style->is_markdown && c == '&')
			fputs("&amp;", report->out);
		else if (report->style->is_markdown && c == '$')
			fputs("<span>$</span>", report->out);	/* or there is a formula */
		else if (report->style->is_markdown && strchr("\\`*_{}[]#+!|~>", c))
			fprintf(report->out, "\\%c", c);
		else
			putc(c, report->out);
		if (report->style->is_markdown && is_linked(text, length, i))
			fputs("<!-- -->", report->out);
	}
}

static void put(const struct report *report, const char *text)
{
	put_bytes(report, text, strlen(text));
}

/* The module that has it; where it has moved and that is not the change itself, both. */
static void put_modules(const struct report *report, const struct diff_change *change)
{
	bool has_moved = diff_has_moved(report->diff, change);
	const char *is;

	if (!report->diff->has_modules || change->class == DIFF_MOVED ||
	    change->class == DIFF_TYPE_MOVED)
		return;
	is = diff_change_module(change);
	if (!has_moved && strcmp(is, "vmlinux") == 0)
		return;
	fputs(" [", report->out);
	if (has_moved) {
		put(report, diff_module(change->old));
		fputs(report->markup->arrow, report->out);
	}
	put(report, is);
	if (report->more)
		fprintf(report->out, " and %zu more", report->more);
	fputs("]", report->out);
}

static void put_change(const struct report *report, const struct diff_change *change)
{
	const struct markup *markup = report->markup;
	const struct type_change *type = change->type;
	struct word_runs runs = { 0 };
	FILE *out = report->out;
	uint32_t marks = change->marks & (1u << MARK_KFUNC | 1u << MARK_EXPORTED | 1u << MARK_INIT);

	fprintf(out, "%s%s%s%s", markup->row, type ? type->keyword : "", type ? " " : "",
		markup->bold);
	put(report, change->name);
	fputs(markup->plain, out);
	for (uint32_t left = marks; left; left &= left - 1)
		fprintf(out, " (%s)", function_marks[__builtin_ctz(left)]);
	put_modules(report, change);
	if (report->style->is_markdown)
		fputs(" | ", out);
	else if (!type || type->details.count)
		fputs(": ", out);
	if (change->class == DIFF_CHANGED)
		word_runs_make(&runs, change->old->prototype, change->new->prototype);
	for (size_t i = 0; i < runs.count; i++) {
		const struct word_run *run = &runs.data[i];
		const char *const *around = run->op == '-' ? markup->removed : markup->added;

		fputs(run->op == '=' ? "" : around[0], out);
		put_bytes(report, run->text, run->length);
		fputs(run->op == '=' ? "" : around[1], out);
	}
	word_runs_release(&runs);
	for (size_t i = 0; type && i < type->details.count; i++) {
		fputs(i ? markup->detail : "", out);
		put(report, type->details.data[i]);
	}
	if (change->from) {
		put(report, change->from);
		fputs(markup->arrow, out);
	}
	if (change->to)
		put(report, change->to);
	if (change->allowed) {
		fputs(markup->allowed, out);
		put(report, change->allowed->why);
	}
	fputs(markup->end_row, out);
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

/* Changes are sorted by class; *next is the first of this class. */
static void put_class(struct report *report, enum diff_class class, size_t *next)
{
	const struct diff *diff = report->diff;
	bool is_markdown = report->style->is_markdown;
	uint32_t limit = report->style->limit, lines = 0, left = 0;
	FILE *out = report->out;

	if (*next == diff->changes.count || diff->changes.data[*next].class != class)
		return;
	if (is_markdown) {
		fprintf(out, "\n<details%s><summary><b>%s</b> (%u): ",
			diff->options->fail_on >> class & 1 ? " open" : "",
			diff_classes[class].code, diff->counts[class]);
	} else {
		fprintf(out, "\n%s%s (%u", report->markup->bold, diff_classes[class].code,
			diff->counts[class]);
		if (diff->allowed[class])
			fprintf(out, ", %u allowed", diff->allowed[class]);
		fprintf(out, ")%s: ", report->markup->plain);
	}
	put(report, diff_classes[class].sentence);
	fputs(is_markdown ? "</summary>\n\n| name | what |\n|---|---|\n" : "\n", out);
	while (*next < diff->changes.count && diff->changes.data[*next].class == class) {
		const struct diff_change *change = &diff->changes.data[*next];

		for (report->more = 0; ++*next < diff->changes.count; report->more++) {
			if (!is_same_type(change, &diff->changes.data[*next]))
				break;
		}
		if (!limit || lines++ < limit)
			put_change(report, change);
		else
			left += 1 + (uint32_t)report->more;
	}
	report->more = 0;
	if (left)
		fprintf(out, is_markdown ? "\n... and %u more\n"
					 : "  ... and %u more (--limit 0 lists all)\n",
			left);
	fputs(is_markdown ? "\n</details>\n" : "", out);
}

static void put_summary(const struct report *report, bool all)
{
	const struct diff *diff = report->diff;

	for (size_t i = 0; i < diff->summary.count; i++) {
		if (!all && !diff->summary.data[i].is_always_said)
			continue;
		fputs(report->markup->summary, report->out);
		put(report, diff->summary.data[i].text);
		fputs("\n", report->out);
	}
}

/* The end of the line with the two paths, and the summary. */
static void put_text_head(struct report *report)
{
	const struct diff *diff = report->diff;
	uint32_t total = 0, allowed = 0;

	for (int c = 0; c < DIFF_CLASS_COUNT; c++) {
		total += diff->counts[c];
		allowed += diff->allowed[c];
	}
	if (!total) {
		fprintf(report->out, ": no differences%s, %u FUNCs\n",
			diff->options->only.count ? " in the names asked for (--only)" : "",
			diff->verdicts[1][VERDICT_OK]);
		put_summary(report, false);
		return;
	}
	fprintf(report->out, ": %u change%s, %u of them %s", total, total == 1 ? "" : "s",
		diff->fails, diff->fails == 1 ? "a regression" : "regressions");
	if (allowed)
		fprintf(report->out, ", %u allowed", allowed);
	fputs("\n", report->out);
	put_summary(report, true);
}

static void put_markdown_head(struct report *report)
{
	const struct diff *diff = report->diff;

	if (diff->fails)
		fprintf(report->out, ": %u regression%s\n\n", diff->fails,
			diff->fails == 1 ? "" : "s");
	else
		fputs(": no regressions\n\n", report->out);
	put_summary(report, true);
	fputs("\n| class | changes | allowed | counts as a regression |\n|---|--:|--:|---|\n",
	      report->out);
	for (int c = 0; c < DIFF_CLASS_COUNT; c++) {
		if (diff->counts[c])
			fprintf(report->out, "| %s | %u | %u | %s |\n",
				diff_classes[c].code, diff->counts[c],
				diff->allowed[c], diff->options->fail_on >> c & 1 ? "yes" : "");
	}
}

void diff_print_report(const struct diff *diff, const struct diff_style *style, FILE *out)
{
	bool is_markdown = style->is_markdown;
	int markup = is_markdown ? MARKDOWN : style->colour ? COLOURED_TEXT : TEXT;
	struct report report = { diff, style, &markups[markup], out, 0 };
	const struct allow_list *allow = &diff->options->allow;
	const char *heading = is_markdown ? "\nAllowed, but no change is like that:\n\n" : "\n";
	size_t next = 0;

	fputs(is_markdown ? "### " : "", out);
	put(&report, diff->old->path);
	fputs(report.markup->arrow, out);
	put(&report, diff->new->path);
	if (is_markdown)
		put_markdown_head(&report);
	else
		put_text_head(&report);
	if (diff->important.count)
		fputs(report.markup->important, out);
	for (size_t i = 0; i < diff->important.count; i++) {
		fputs(is_markdown ? "" : "  ", out);
		put_change(&report, diff->important.data[i]);
	}
	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		put_class(&report, (enum diff_class)c, &next);
	for (size_t i = 0; i < allow->rules.count; i++) {
		const struct allow_rule *rule = &allow->rules.data[i];

		if (rule->used)
			continue;
		fprintf(out, is_markdown ? "%s- line %u: "
					 : "%sline %u of --allow allows nothing: ",
			heading, rule->line);
		heading = "";
		put(&report, rule->glob);
		fputs(is_markdown ? " (" : " # ", out);
		put(&report, rule->why);
		fputs(is_markdown ? ")\n" : "\n", out);
	}
}
