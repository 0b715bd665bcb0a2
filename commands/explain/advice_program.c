/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/advice.h"

#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain_print.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

void advise_text(struct explanation *explanation, const char *tool, struct text *text)
{
	array_push(&explanation->advice, ((struct advice){ tool, text_finish(text) }));
}

void advise(struct explanation *explanation, const char *tool, const char *format, ...)
{
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	advise_text(explanation, tool, &text);
}

void advise_row(struct explanation *explanation, const char **rows, json_t *facts)
{
	static const char *const tools[] = { "better", "bpf", "bpfsnoop", "bpftrace", "calls",
					     "inside", "note", "pwru", "retsnoop", "tracefs" };
	char *line = template_sentence(rows, facts);
	size_t length = line ? strcspn(line, " ") : 0;

	if (line)
		advise(explanation, tools[text_find_word(tools, sizeof(tools) / sizeof(*tools),
							 line, length)],
		       "%s", line + length + 1);
	free(line);
}

void advise_rows(struct explanation *explanation, const char *rows, json_t *facts)
{
	while (*rows)
		advise_row(explanation, &rows, facts);
	json_decref(facts);
}

/*
 * `SEC("fentry/tcp_v4_rcv") int BPF_PROG(on_tcp_v4_rcv, struct sk_buff *skb)`. Names are the
 * file's: what would not be one in C is not printed to be compiled.
 */
void advise_program(struct explanation *explanation, const char *section, const char *symbol,
		    uint32_t prototype)
{
	struct text head = { 0 };

	explain_add_signature(&head, explanation, section, symbol, prototype);
	if (text_is_made_of(symbol, "_.$") && type_is_code(head.data, head.count))
		advise(explanation, "bpf", "SEC(\"%s/%s\") %.*s", section, symbol, (int)head.count,
		       head.data);
	else
		note(explanation, "no program for %s is printed: a name in its prototype is none "
		     "in C", section);
	array_release(&head);
}

EMBED(advice_tools, "commands/explain/advice_tools.txt");

static void advise_tools(struct explanation *explanation, const char *name, uint32_t prototype)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	bool has_packet = false;

	for (uint32_t i = 0; i < btf_element_count(words) && i < 5; i++)
		has_packet |= strcmp(explain_pointed_struct(types, btf_element(words, i)[1]),
				     "sk_buff") == 0;
	advise_rows(explanation, advice_tools, json_pack("{s:o, s:o, s:b, s:b}",
		"name", json_text(name), "module", json_text(explanation->image.module),
		"has_kprobes", !attach_no_kprobes(&explanation->image), "has_packet", has_packet));
}

void advise_bpftrace(struct explanation *explanation, const struct probe_point *point,
		     const char *by_fentry)
{
	struct text text = { 0 };

	if (explain_add_bpftrace(&text, explanation, point, by_fentry))
		advise_text(explanation, "bpftrace", &text);
}

void advise_fentry(struct explanation *explanation, const char *name,
		   const struct probe_point *point, uint32_t prototype)
{
	const uint32_t *words = type_words_of(&explanation->types, prototype, BTF_FUNC_PROTO);
	uint32_t implicit = prototype == explanation->prototype_id ? explanation->implicit : 0;
	const char *module = explanation->image.module;
	char *target = text_format("%s%s%s", module ? module : "", module ? ":" : "", name);
	bool has_exit = trampoline_returns(name);
	const char *section = strcmp(name, explanation->name) == 0
				      ? advise_section(explanation, point) : NULL;
	struct probe_point entry = *point;

	entry.prototype = prototype;
	if (section)
		advise_program(explanation, section, name, prototype);
	advise_program(explanation, "fentry", name, prototype);
	if (has_exit)
		advise_program(explanation, "fexit", name, prototype);
	if (has_exit && explain_takes_change(explanation, name, point, prototype).is == ATTACH_YES)
		advise_program(explanation, "fmod_ret", name, prototype);
	advise_bpftrace(explanation, &entry, point->view.has_struct ? NULL : target);
	/* bpftrace goes by the FUNC's prototype, and reads another argument if that has not all. */
	if (words && words[BTF_WORD_TYPE] && has_exit &&
	    implicit == explain_hidden(explanation, prototype) &&
	    explain_argument_by_type(explanation, words[BTF_WORD_TYPE]).is < ARGUMENT_REFUSED)
		advise(explanation, "bpftrace", "fexit:%s { print(retval); }", target);
	free(target);
	advise_tools(explanation, name, prototype);
}
