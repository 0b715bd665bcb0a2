/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Programs that see every call of a function: at its entry, in its clones and where it was inlined.
 * They are for bpftrace, for tracefs (a shell script) and for libbpf (C). What they cannot see, and
 * parameters that they cannot print, are in a comment at the head.
 *
 * Only plain names get into the code: nothing in an image can make a shell or a compiler do
 * anything else.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain.h"

/* A place where calls are seen, or would be. */
struct script_probe {
	const struct probe_point *point;
	char *event;		/* "vfs_read_inline_1" */
	const char *missed;	/* why nothing is seen there; NULL: it is */
	bool is_site;
	bool by_fentry;
};

struct script {
	const struct explanation *explanation;
	enum script_kind kind;
	const char *blank;	/* in front of each line of a comment */
	ARRAY_OF(struct script_probe) probes;
	struct text out;
};

/* ---- which probes ---- */

/* What may be written between quotes in all three languages. */
static bool is_plain(const char *probe)
{
	while (isalnum((unsigned char)*probe) || (*probe && strchr("_.$+:", *probe)))
		probe++;
	return !*probe;
}

/* Has libbpf's SEC("kprobe/...") such names? It takes no module, and no $. bpftrace no address. */
static bool is_named_by(const char *probe, enum script_kind kind)
{
	if (kind == SCRIPT_TRACEFS)
		return true;
	if (isdigit((unsigned char)*probe) || *probe == '.')
		return false;
	return !strchr(probe, '$');
}

/* Are there names for all, and does each have one register, as fentry's programs see them? */
static bool is_fentry_better(const struct script *script, const struct probe_point *point)
{
	const struct trampoline_view *view = &point->view;

	if (script->kind == SCRIPT_TRACEFS || script->explanation->func != FUNC_PROMISED ||
	    point->join != JOIN_SAME || point->attach.ftrace != ATTACH_YES ||
	    point->fentry.answer != ATTACH_YES || view->has_struct || view->has_float)
		return false;
	for (size_t i = 0; i < point->parameters.count; i++) {
		if (!*point->parameters.data[i].name || !point->parameters.data[i].value.sign)
			return false;
	}
	return true;
}

static void add_probe(struct script *script, const struct probe_point *point, size_t number,
		      bool is_site)
{
	const struct explanation *explanation = script->explanation;
	const struct script_probe *last = script->probes.count
		? &script->probes.data[script->probes.count - 1] : NULL;
	struct script_probe probe = { .point = point, .is_site = is_site };
	struct text event = { 0 };

	if (is_site)
		explain_add_site_event(&event, explanation->name, number);
	else
		explain_add_event(&event, explanation->name, number, "");
	probe.event = text_finish(&event);
	probe.by_fentry = !is_site && is_fentry_better(script, point);
	if (point->join == JOIN_FRAGMENT && !is_site && explanation->outer_sites)
		probe.missed = "what is called there is the rest of an inlined call";
	else if (point->in_itself)
		probe.missed = "the function's own code; the call is seen elsewhere, too, unless it "
			       "is recursive";
	else if (is_site && last && last->is_site && last->point->address == point->address)
		probe.missed = "the probe before it is at the same address";
	else if (!probe.by_fentry)
		probe.missed = explain_refusal(explanation, point);
	if (!probe.missed && !is_plain(point->probe))
		probe.missed = "its name is not one to write in a script";
	if (!probe.missed && !is_named_by(point->probe, script->kind))
		probe.missed = script->kind == SCRIPT_LIBBPF
			? "libbpf has no such name" : "bpftrace has no such name";
	if (!probe.missed && !probe.by_fentry && point->attach.notrace)
		probe.missed = "kprobes are refused there without CONFIG_KPROBE_EVENTS_ON_NOTRACE: "
			       "no tracer's hook is in the function around it";
	array_push(&script->probes, probe);
}

static void add_probes(struct script *script)
{
	const struct explanation *explanation = script->explanation;
	size_t entries = 0, number = 0;

	for (size_t i = 0; i < explanation->instances.count; i++)
		entries += explanation->instances.data[i].is_entry_probe;
	for (size_t i = 0; i < explanation->instances.count; i++) {
		if (explanation->instances.data[i].is_entry_probe)
			add_probe(script, &explanation->instances.data[i],
				  entries > 1 ? ++number : 0, false);
	}
	if (explanation->has_entry)
		add_probe(script, &explanation->entry, 0, false);
	number = 0;
	for (size_t i = 0; i < explanation->sites.count; i++) {
		number += !explain_refusal(explanation, &explanation->sites.data[i]);
		add_probe(script, &explanation->sites.data[i], number, true);
	}
}

/* ---- the head ---- */

static void add_place(struct text *out, const struct probe_point *point)
{
	text_add_clean(out, *point->probe ? point->probe : point->where);
	if (*point->section) {
		text_add_string(out, " (");
		text_add_clean(out, point->section);
		text_add_format(out, "+0x%" PRIx64 ")", point->section_offset);
	}
}

/* A line of the comment; what is in it may be anything but its end. */
__attribute__((format(printf, 2, 3)))
static void comment(struct script *script, const char *format, ...)
{
	struct text line = { 0 };
	char *text;
	va_list args;

	va_start(args, format);
	text_add_vformat(&line, format, args);
	va_end(args);
	text = text_finish(&line);
	for (char *c = strstr(text, "*/"); c; c = strstr(c, "*/"))
		*c = '?';
	text_add_string(&script->out, script->blank);
	text_add_clean(&script->out, text);
	text_add_char(&script->out, '\n');
	free(text);
}

static void comment_missed(struct script *script)
{
	const struct explanation *explanation = script->explanation;
	bool any = explanation->unplaced.count || explanation->sites_unknown;

	for (size_t i = 0; i < script->probes.count; i++)
		any |= script->probes.data[i].missed != NULL;
	if (!any)
		return;
	comment(script, "Not seen:");
	for (size_t i = 0; i < script->probes.count; i++) {
		const struct script_probe *probe = &script->probes.data[i];
		struct text place = { 0 };

		if (!probe->missed)
			continue;
		add_place(&place, probe->point);
		comment(script, "  calls %s %.*s: %s", probe->is_site ? "inlined at" : "of",
			(int)place.count, place.data, probe->missed);
		array_release(&place);
	}
	for (size_t i = 0; i < explanation->unplaced.count; i++) {
		struct text place = { 0 };

		add_place(&place, &explanation->unplaced.data[i]);
		comment(script, "  calls at %.*s: it is not known where that section is",
			(int)place.count, place.data);
		array_release(&place);
	}
	if (explanation->sites_unknown)
		comment(script, "  calls that were inlined: nothing here says where they are "
			"(btfenc encode --features +inline does)");
}

/* ---- values ---- */

struct value {
	enum { IN_REGISTER, IN_MEMORY, IS_SUM, IS_CONSTANT } kind;
	char reg[16];		/* without the % */
	char number[24];	/* with its sign, "+16" */
};

static bool take_register(const char **cursor, struct value *value)
{
	size_t length = 0;

	if (**cursor != '%')
		return false;
	++*cursor;
	while (isalnum((unsigned char)(*cursor)[length]))
		length++;
	if (!length || length >= sizeof(value->reg) || strncmp(*cursor, "reg", 3) == 0)
		return false;
	memcpy(value->reg, *cursor, length);
	value->reg[length] = '\0';
	*cursor += length;
	return true;
}

static bool take_number(const char **cursor, char sign, struct value *value)
{
	size_t length = strspn(*cursor, "0123456789");

	if (!length || length + 2 > sizeof(value->number))
		return false;
	snprintf(value->number, sizeof(value->number), "%c%.*s", sign, (int)length, *cursor);
	*cursor += length;
	return true;
}

/* One of "%di", "%bx + 16", "+8(%sp)", "\10", and the blank after it. False: it is none. */
static bool take_value(const char **cursor, struct value *value)
{
	const char *at = *cursor;
	bool good;

	*value = (struct value){ .kind = IN_REGISTER };
	if (*at == '\\') {
		value->kind = IS_CONSTANT;
		at++;
		good = take_number(&at, *at == '-' ? (char)*at++ : '+', value);
	} else if (*at == '+' || *at == '-') {
		value->kind = IN_MEMORY;
		at++;
		good = take_number(&at, at[-1], value) && *at++ == '(' &&
		       take_register(&at, value) && *at++ == ')';
	} else {
		good = take_register(&at, value);
		if (good && *at == ' ' && (at[1] == '+' || at[1] == '-') && at[2] == ' ') {
			value->kind = IS_SUM;
			at += 3;
			good = take_number(&at, at[-2], value);
		}
	}
	if (!good || (*at && *at != ' '))
		return false;
	*cursor = at + (*at == ' ');
	return true;
}

/*
 * How registers are called by bpftrace (src/arch in its sources) and in struct pt_regs: x86's as by
 * tracefs, others have an array.
 */
static const struct register_names {
	const char *abi;
	const char *target;		/* libbpf's __TARGET_ARCH_ */
	const char *prefix;		/* of tracefs' names with a number */
	const char *bpftrace;		/* instead of it */
	const char *array;		/* the member; NULL: each has its own */
} register_names[] = {
	{ "x86-64", "x86", "", "", NULL },
	{ "arm64", "arm64", "x", "r", "regs" },
	{ "riscv64", "riscv", "", "", NULL },
	{ "s390x", "s390", "r", "r", "gprs" },
	{ "ppc64le", "powerpc", "gpr", "r", "gpr" },
	{ "loongarch64", "loongarch", "r", "r", "regs" },
};

static const struct register_names *register_names_of(const struct explanation *explanation)
{
	const struct abi *abi = explanation->image.abi;

	for (size_t i = 0; abi && i < sizeof(register_names) / sizeof(*register_names); i++) {
		if (strcmp(register_names[i].abi, abi->name) == 0)
			return &register_names[i];
	}
	return NULL;
}

/* False: the language has no such register. */
static bool add_register(struct text *out, const struct script *script, const char *reg)
{
	const struct register_names *names = register_names_of(script->explanation);
	size_t length = names ? strlen(names->prefix) : 0;
	bool has_number = length && strncmp(reg, names->prefix, length) == 0 &&
			  isdigit((unsigned char)reg[length]);

	if (!names)
		return false;
	if (script->kind == SCRIPT_BPFTRACE)
		text_add_format(out, "reg(\"%s%s\")", has_number ? names->bpftrace : "",
				has_number ? reg + length : reg);
	else if (has_number)
		text_add_format(out, "ctx->%s[%s]", names->array, reg + length);
	else
		text_add_format(out, "ctx->%s", reg);
	return true;
}

/* As an integer of that type in bpftrace, of 64 bits in C. */
static bool add_value(struct text *out, const struct script *script, const struct value *value,
		      struct fetch_type type)
{
	bool is_bpftrace = script->kind == SCRIPT_BPFTRACE;
	char name[16];

	snprintf(name, sizeof(name), is_bpftrace ? "%sint%u" : "%s%u",
		 type.sign == 's' ? (is_bpftrace ? "" : "s") : "u", type.bits);
	if (!is_bpftrace)
		text_add_string(out, type.sign == 's' ? "(s64)" : "(u64)");
	switch (value->kind) {
	case IS_CONSTANT:
		text_add_format(out, "(%s)%s%s", name, value->number + (*value->number == '+'),
				is_bpftrace || *value->number == '-' ? "" : "ull");
		return true;
	case IN_MEMORY:
		text_add_format(out, is_bpftrace ? "*(%s *)(" : "READ(%s, ", name);
		break;
	case IS_SUM:
		text_add_format(out, "(%s)(", name);
		break;
	case IN_REGISTER:
		if (is_bpftrace || type.bits < 64)
			text_add_format(out, "(%s)", name);
		break;
	}
	if (!add_register(out, script, value->reg))
		return false;
	if (value->kind != IN_REGISTER)
		text_add_format(out, " %c %s)", *value->number, value->number + 1);
	return true;
}

/* ---- what is printed of a call ---- */

/* Two lists: `file=%lx count=%lu`, and the values after a comma each. */
struct printed {
	struct text format, values;
	size_t count;
};

static void print_value(struct printed *printed, const char *name, size_t number, size_t part,
			char sign, const char *value)
{
	bool is_plain_name = *name && strspn(name, "abcdefghijklmnopqrstuvwxyz_"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == strlen(name);

	if (is_plain_name)
		text_add_format(&printed->format, " %s", name);
	else
		text_add_format(&printed->format, " arg%zu", number + 1);
	if (part)
		text_add_format(&printed->format, "_%zu", part);
	text_add_format(&printed->format, sign == 's' ? "=%%ld" : sign == 'u' ? "=%%lu" : "=0x%%lx");
	text_add_format(&printed->values, ", %s", value);
	printed->count++;
}

/* False: it cannot be printed. */
static bool print_argument(struct printed *printed, const struct script *script,
			   const struct script_probe *probe, size_t i)
{
	const struct explained_parameter *parameter = &probe->point->parameters.data[i];
	const char *cursor = parameter->argument;
	struct fetch_type type = parameter->value;
	bool is_bpftrace = script->kind == SCRIPT_BPFTRACE;
	struct value values[4];
	size_t count = 0;
	bool good = type.sign;

	if (probe->by_fentry) {
		char *value = text_format("%s%s", is_bpftrace ? "args." : type.sign == 's'
					  ? "(s64)" : "(u64)", parameter->name);

		print_value(printed, parameter->name, i, 0, type.sign, value);
		free(value);
		return true;
	}
	while (good && *cursor && count < sizeof(values) / sizeof(*values))
		good = take_value(&cursor, &values[count++]);
	/* As for tracefs: a type of two words has two parts, others one. */
	if (!good || !count || *cursor || (type.words > 1) != (count > 1))
		return false;
	if (count > 1)
		type = (struct fetch_type){ 'x', script->explanation->types.word_bytes * 8, 1 };
	for (size_t part = 0; good && part < count; part++) {
		struct text value = { 0 };
		char *text;

		good = add_value(&value, script, &values[part], type);
		text = text_finish(&value);
		if (good)
			print_value(printed, parameter->name, i, count > 1 ? part + 1 : 0,
				    type.sign, text);
		free(text);
	}
	return good;
}

static void printed_release(struct printed *printed)
{
	array_release(&printed->format);
	array_release(&printed->values);
}

/* The parameters that cannot be printed at one probe: "buf (char *), 2 ..."; to be freed. */
static char *left_out(const struct script *script, const struct script_probe *probe)
{
	const struct probe_point *point = probe->point;
	struct printed ignored = { 0 };
	struct text text = { 0 };

	for (size_t i = 0; i < point->parameters.count; i++) {
		const struct explained_parameter *parameter = &point->parameters.data[i];
		bool is_printed = script->kind == SCRIPT_TRACEFS
			? *parameter->fetch : print_argument(&ignored, script, probe, i);

		if (is_printed)
			continue;
		text_add_string(&text, text.count ? ", " : "");
		text_add_string(&text, *parameter->name ? parameter->name : "(unnamed)");
		text_add_format(&text, " (%s%s%s)", parameter->type,
				*parameter->found ? ", in " : ", no location",
				parameter->found);
	}
	printed_release(&ignored);
	return text_finish(&text);
}

static void comment_parameters(struct script *script)
{
	const struct explanation *explanation = script->explanation;
	bool any = false;

	for (size_t i = 0; i < script->probes.count; i++) {
		const struct script_probe *probe = &script->probes.data[i];
		char *list = probe->missed ? NULL : left_out(script, probe);

		if (!any && list && *list)
			comment(script, "Parameters that are not printed:");
		if (list && *list)
			comment(script, "  %s: %s", probe->event, list);
		any |= list && *list;
		if (!probe->missed && !probe->point->prototype && !any)
			comment(script, "No parameters: no prototype of %s is known.",
				explanation->name);
		any |= !probe->missed && !probe->point->prototype;
		free(list);
	}
}

/* Bitfields have no address, but C and bpftrace print them all the same. */
static bool is_printed_member(const struct tracepoint_member *member)
{
	return member->value.sign && member->value.words == 1 && *member->name &&
	       strncmp(member->name, "__data", 6) != 0 &&
	       strncmp(member->name, "__rel_loc", 9) != 0 && is_plain(member->name);
}

static void comment_tracepoint(struct script *script, const char *const *usage)
{
	const struct tracepoint *tracepoint = script->explanation->tracepoint;
	bool any = script->kind == SCRIPT_TRACEFS;

	comment(script, "%s", tracepoint->prototype ? tracepoint->prototype : tracepoint->name);
	if (script->kind != SCRIPT_TRACEFS && tracepoint->system_call && !tracepoint->is_exit &&
	    script->kind == SCRIPT_BPFTRACE)
		comment(script, "Its fields are not printed: bpftrace -lv tracepoint:syscalls:%s "
			"lists them", tracepoint->name);
	else if (!any && !tracepoint->members.count && tracepoint->parameters &&
		 !tracepoint->system_call)
		comment(script, "Not printed: %s", tracepoint->parameters);
	for (size_t i = 1; !any && !tracepoint->system_call && i < tracepoint->members.count; i++) {
		const struct tracepoint_member *member = &tracepoint->members.data[i];

		if (!is_printed_member(member) && strcmp(member->name, "__data") != 0)
			comment(script, "Not printed: %s", member->declaration);
	}
	while (*usage)
		comment(script, "%s", *usage++);
}

/* ---- the three languages ---- */

static void comment_head(struct script *script, const char *const *usage)
{
	const struct explanation *explanation = script->explanation;
	size_t seen = 0;

	for (size_t i = 0; i < script->probes.count; i++)
		seen += !script->probes.data[i].missed;
	if (explanation->prototype)
		comment(script, "%s", explanation->prototype);
	else
		comment(script, "%s", explanation->name);
	if (seen)
		comment(script, "Calls are seen at %zu address%s.", seen, seen == 1 ? "" : "es");
	else
		comment(script, "No call can be seen. %s", explanation->headline);
	comment_missed(script);
	comment_parameters(script);
	while (*usage)
		comment(script, "%s", *usage++);
}

static void write_bpftrace(struct script *script)
{
	struct text *out = &script->out;
	bool any = false;

	text_add_string(out, "#!/usr/bin/env bpftrace\n");
	comment_head(script, (const char *const[]){ "As root: bpftrace FILE", NULL });
	for (size_t i = 0; i < script->probes.count; i++) {
		const struct script_probe *probe = &script->probes.data[i];
		const struct probe_point *point = probe->point;
		struct printed printed = { 0 };

		if (probe->missed)
			continue;
		for (size_t k = 0; k < point->parameters.count; k++)
			print_argument(&printed, script, probe, k);
		text_add_format(out, "\n%s:%s\n{\n\tprintf(\"%%s %%d %s:%.*s\\n\", comm, pid%.*s);\n"
				"}\n", probe->by_fentry ? "fentry" : "kprobe", point->probe,
				probe->event, (int)printed.format.count, printed.format.data,
				(int)printed.values.count, printed.values.data);
		printed_release(&printed);
		any = true;
	}
	if (!any)
		text_add_string(out, "\nBEGIN\n{\n\tprintf(\"no call can be seen\\n\");\n\texit();\n"
				     "}\n");
}

bool explain_add_bpftrace(struct text *out, const struct explanation *explanation,
			  const struct probe_point *point)
{
	const struct script script = { .explanation = explanation, .kind = SCRIPT_BPFTRACE };
	const struct script_probe probe = { .point = point };
	struct printed printed = { 0 };
	bool good = is_plain(point->probe) && is_named_by(point->probe, SCRIPT_BPFTRACE);

	for (size_t i = 0; good && i < point->parameters.count; i++)
		print_argument(&printed, &script, &probe, i);
	if (good && printed.count)
		text_add_format(out, "kprobe:%s { printf(\"%.*s\\n\"%.*s); }", point->probe,
				(int)printed.format.count - 1, printed.format.data + 1,
				(int)printed.values.count, printed.values.data);
	else if (good)
		text_add_format(out, "kprobe:%s { @[comm] = count(); }", point->probe);
	printed_release(&printed);
	return good;
}

static void write_shell(struct script *script, const char *enable)
{
	struct text *out = &script->out;

	text_add_string(out,
		"set -u\n"
		"tracing=/sys/kernel/tracing\n"
		"[ -e $tracing/instances ] || tracing=/sys/kernel/debug/tracing\n"
		"group=btfenc_$$\n"
		"here=$tracing/instances/$group\n"
		"reader=\n"
		"\n"
		"finish()\n"
		"{\n"
		"\t[ -z \"$reader\" ] || kill $reader\n"
		"\techo 0 >\"$here/events/enable\"\n"
		"\t[ ! -e $tracing/kprobe_events ] ||\n"
		"\t\tsed -n \"s|^p[^:]*:\\($group/[^ ]*\\) .*|-:\\1|p\" $tracing/kprobe_events |\n"
		"\t\twhile read -r event; do echo \"$event\" >>$tracing/kprobe_events; done\n"
		"\trmdir \"$here\"\n"
		"}\n"
		"\n"
		"mkdir \"$here\" || exit\n"
		"trap finish EXIT\n"
		"trap 'exit 130' INT TERM HUP\n");
	if (!enable)
		text_add_string(out,
			"\n"
			"# probe EVENT PLACE_AND_ARGUMENTS\n"
			"probe()\n"
			"{\n"
			"\tprintf 'p:%s/%s %s\\n' $group \"$1\" \"$2\" >>$tracing/kprobe_events ||\n"
			"\t\techo \"the kernel refuses $1, see $tracing/error_log\" >&2\n"
			"}\n"
			"\n");
	for (size_t i = 0; i < script->probes.count; i++) {
		const struct script_probe *probe = &script->probes.data[i];

		if (probe->missed)
			continue;
		text_add_format(out, "probe %s '%s", probe->event, probe->point->probe);
		explain_add_fetch(out, probe->point, ' ');
		text_add_string(out, "'\n");
	}
	text_add_format(out,
		"for event in \"$here\"/events/%s/enable; do\n"
		"\techo 1 >\"$event\" || exit\n"
		"done\n"
		"cat \"$here/trace_pipe\" &\n"
		"reader=$!\n"
		"wait\n", enable ? enable : "$group");
}

static const char *const shell_usage[] = {
	"As root: sh FILE. Ctrl-C ends it, and removes its events.", NULL };

static void write_tracefs(struct script *script)
{
	text_add_string(&script->out, "#!/bin/sh\n");
	comment_head(script, shell_usage);
	write_shell(script, NULL);
}

static void write_head(struct script *script, const char *const *usage)
{
	if (script->explanation->has_function)
		comment_head(script, usage);
	else
		comment_tracepoint(script, usage);
}

static void write_c_head(struct script *script)
{
	const struct register_names *names = register_names_of(script->explanation);
	struct text *out = &script->out;
	char compile[128];

	snprintf(compile, sizeof(compile), "  clang -g -O2 -target bpf -D__TARGET_ARCH_%s -c "
		 "FILE.bpf.c -o FILE.bpf.o", names ? names->target : "MACHINE");
	text_add_string(out, "/*\n");
	write_head(script, (const char *const[]){
		"As root, where this is FILE.bpf.c:",
		"  bpftool btf dump file /sys/kernel/btf/vmlinux format c >vmlinux.h", compile,
		"  bpftool prog loadall FILE.bpf.o /sys/fs/bpf/FILE autoattach",
		"  cat /sys/kernel/tracing/trace_pipe",
		"  rm -r /sys/fs/bpf/FILE", NULL });
	text_add_string(out,
		" */\n"
		"#include \"vmlinux.h\"\n"
		"#include <bpf/bpf_helpers.h>\n"
		"#include <bpf/bpf_tracing.h>\n"
		"\n"
		"char LICENSE[] SEC(\"license\") = \"Dual BSD/GPL\";\n"
		"\n"
		"#define READ(type, address) \\\n"
		"\t({ type value = 0; bpf_probe_read_kernel(&value, sizeof(value), \\\n"
		"\t\t\t\t\t\t(void *)(address)); value; })\n");
}

static void write_libbpf(struct script *script)
{
	const struct explanation *explanation = script->explanation;
	struct text *out = &script->out;

	write_c_head(script);
	for (size_t i = 0; i < script->probes.count; i++) {
		const struct script_probe *probe = &script->probes.data[i];
		const struct probe_point *point = probe->point;
		/* Without "MODULE:". */
		const char *colon = strchr(point->probe, ':');
		const char *name = colon ? colon + 1 : point->probe;
		struct printed printed = { 0 };

		if (probe->missed)
			continue;
		for (size_t k = 0; k < point->parameters.count; k++)
			print_argument(&printed, script, probe, k);
		text_add_format(out, "\nSEC(\"%s/%s\")\n", probe->by_fentry ? "fentry" : "kprobe",
				name);
		if (probe->by_fentry) {
			text_add_format(out, "int BPF_PROG(on_%s", probe->event);
			explain_add_parameters(out, explanation, point->prototype);
			text_add_string(out, ")\n");
		} else {
			text_add_format(out, "int on_%s(struct pt_regs *ctx)\n", probe->event);
		}
		text_add_format(out, "{\n\tbpf_printk(\"%s:%.*s\"%.*s);\n\treturn 0;\n}\n",
				probe->event, (int)printed.format.count, printed.format.data,
				(int)printed.values.count, printed.values.data);
		printed_release(&printed);
	}
}

/* ---- tracepoints ---- */

/* The members after the entry; what cannot be printed is in the comment. */
static void print_members(struct printed *printed, const struct script *script)
{
	const struct tracepoint *tracepoint = script->explanation->tracepoint;
	bool is_bpftrace = script->kind == SCRIPT_BPFTRACE;

	for (size_t i = 1; i < tracepoint->members.count; i++) {
		const struct tracepoint_member *member = &tracepoint->members.data[i];
		char *value;

		if (!is_printed_member(member))
			continue;
		value = text_format("%s%s", is_bpftrace ? "args." : member->value.sign == 's'
				    ? "(s64)ctx->" : "(u64)ctx->", member->name);
		print_value(printed, member->name, i, 0, member->value.sign, value);
		free(value);
	}
}

static void write_tracepoint_bpftrace(struct script *script)
{
	const struct tracepoint *tracepoint = script->explanation->tracepoint;
	struct text *out = &script->out;
	struct printed printed = { 0 };

	if (tracepoint->system_call && tracepoint->is_exit)
		print_value(&printed, "ret", 0, 0, 's', "args.ret");
	else if (!tracepoint->system_call)
		print_members(&printed, script);
	text_add_string(out, "#!/usr/bin/env bpftrace\n");
	comment_tracepoint(script, (const char *const[]){ "As root: bpftrace FILE", NULL });
	if (tracepoint->has_event)
		text_add_format(out, "\ntracepoint:%s:%s\n",
				tracepoint->system ? tracepoint->system : "*", tracepoint->name);
	else
		text_add_format(out, "\nrawtracepoint:%s\n", tracepoint->name);
	text_add_format(out, "{\n\tprintf(\"%%s %%d %s:%.*s\\n\", comm, pid%.*s);\n}\n",
			tracepoint->name, (int)printed.format.count, printed.format.data,
			(int)printed.values.count, printed.values.data);
	printed_release(&printed);
}

static void write_tracepoint_tracefs(struct script *script)
{
	const struct tracepoint *tracepoint = script->explanation->tracepoint;
	char *enable = text_format("%s/%s", tracepoint->system ? tracepoint->system : "*",
				   tracepoint->name);

	text_add_string(&script->out, "#!/bin/sh\n");
	comment_tracepoint(script, shell_usage);
	if (tracepoint->has_event)
		write_shell(script, enable);
	else
		text_add_string(&script->out, "echo 'it has no event in tracefs' >&2\nexit 1\n");
	free(enable);
}

/* By the record of its event; a tracepoint without one shows only that it was reached. */
static void write_tracepoint_libbpf(struct script *script)
{
	const struct tracepoint *tracepoint = script->explanation->tracepoint;
	bool has_record = tracepoint->has_event && tracepoint->system &&
			  (tracepoint->record || tracepoint->system_call);
	struct text *out = &script->out;
	struct printed printed = { 0 };
	char value[32];

	write_c_head(script);
	for (int i = 0; tracepoint->system_call && !tracepoint->is_exit && i < 6; i++) {
		snprintf(value, sizeof(value), "(u64)ctx->args[%d]", i);
		print_value(&printed, "", (size_t)i, 0, 'x', value);
	}
	if (tracepoint->system_call && tracepoint->is_exit)
		print_value(&printed, "ret", 0, 0, 's', "(s64)ctx->ret");
	else if (has_record && !tracepoint->system_call)
		print_members(&printed, script);
	if (has_record)
		text_add_format(out, "\nSEC(\"tp/%s/%s\")\nint on_%s(struct trace_event_raw_%s "
				"*ctx)\n", tracepoint->system, tracepoint->name, tracepoint->name,
				tracepoint->class_name);
	else
		text_add_format(out, "\nSEC(\"raw_tp/%s\")\nint on_%s(void *ctx)\n",
				tracepoint->name, tracepoint->name);
	text_add_format(out, "{\n\tbpf_printk(\"%s:%.*s\"%.*s);\n\treturn 0;\n}\n",
			tracepoint->name, (int)printed.format.count, printed.format.data,
			(int)printed.values.count, printed.values.data);
	printed_release(&printed);
}

void explain_print_script(const struct explanation *explanation, enum script_kind kind)
{
	static void (*const writers[][2])(struct script *) = {
		[SCRIPT_BPFTRACE] = { write_tracepoint_bpftrace, write_bpftrace },
		[SCRIPT_TRACEFS] = { write_tracepoint_tracefs, write_tracefs },
		[SCRIPT_LIBBPF] = { write_tracepoint_libbpf, write_libbpf },
	};
	struct script script = { .explanation = explanation, .kind = kind,
				 .blank = kind == SCRIPT_LIBBPF ? " * "
					  : kind == SCRIPT_TRACEFS ? "# " : "// " };

	if (explanation->has_function)
		add_probes(&script);
	writers[kind][explanation->has_function](&script);
	fwrite(script.out.data, 1, script.out.count, stdout);
	for (size_t i = 0; i < script.probes.count; i++)
		free(script.probes.data[i].event);
	array_release(&script.probes);
	array_release(&script.out);
}
