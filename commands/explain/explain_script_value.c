/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Parameters at their locations, in bpftrace and in C. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain_argument.h"
#include "commands/explain/explain_script_value.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "kernel/attach/machine.h"

/* ---- registers ---- */

const char *program_target(const struct explanation *explanation)
{
	const struct machine *machine = machine_of(explanation->image.abi);

	return machine ? machine->bpf_target : NULL;
}

/* Of a machine whose registers have names in the language. */
static void add_register(struct text *out, const struct script_program *program, const char *reg)
{
	const struct machine *names = machine_of(program->explanation->image.abi);
	const char *number, *member = machine_register(names, reg, &number);

	if (program->kind == SCRIPT_BPFTRACE)
		text_add_format(out, "reg(\"%s%s\")", number ? names->bpftrace_prefix : "",
				number ? number : reg);
	else
		text_add_format(out, number ? "ctx->%s[%s]" : "ctx->%s", member, number);
}

/* ---- values ---- */

/* A constant as a value of the type: the cast is done here. */
static void add_constant(struct text *out, const struct btf_probe_value *value,
			 struct fetch_type type, const char *suffix)
{
	uint64_t number = value->is_negative ? -value->number : value->number;
	unsigned int unused = 64 - type.bits;
	bool is_negative = type.sign == 's' && number << unused >> 63;

	number = (is_negative ? -number : number) << unused >> unused;
	text_add_format(out, "%s%" PRIu64 "%s", is_negative ? "-" : "", number, suffix);
}

/* As an integer of that type in bpftrace, of 64 bits in C. bpftrace warns of needless casts. */
static void add_value(struct text *out, struct script_program *program,
		      const struct btf_probe_value *value, struct fetch_type type)
{
	bool is_bpftrace = program->kind == SCRIPT_BPFTRACE;
	char name[16];

	snprintf(name, sizeof(name), is_bpftrace ? "%sint%u" : "%s%u",
		 type.sign == 's' ? (is_bpftrace ? "" : "s") : "u", type.bits);
	if (!is_bpftrace)
		text_add_string(out, type.sign == 's' ? "(s64)" : "(u64)");
	if (value->kind == BTF_PROBE_CONSTANT) {
		add_constant(out, value, type, is_bpftrace ? "" : "ull");
		return;
	}
	program->reads_memory |= value->kind == BTF_PROBE_MEMORY;
	if (value->kind == BTF_PROBE_MEMORY)
		text_add_format(out, is_bpftrace ? "*(%s *)(" : "READ(%s, ", name);
	else if (type.bits < 64)
		text_add_format(out, "(%s)", name);
	if (value->kind == BTF_PROBE_SUM)
		text_add_char(out, '(');
	add_register(out, program, value->reg);
	if (value->kind != BTF_PROBE_REGISTER)
		text_add_format(out, " %c %" PRIu64 ")", value->is_negative ? '-' : '+',
				value->number);
}

/* ---- lines ---- */

/* Does it print by bpf_printk(), in a kernel before that release? */
static bool prints_before(const struct script_program *program, uint16_t major, uint16_t minor)
{
	struct kernel_version version = program->explanation->image.version;

	return !program->is_iterator && version.major &&
	       !kernel_version_is_from(version, major, minor);
}

/*
 * bpf_printk() and the iterators' BPF_SEQ_PRINTF() take no more than 12; before bpf_trace_vprintk()
 * (5.16) the former takes 3, and before 5.13 one string.
 */
static size_t values_in_a_line(const struct script_program *program)
{
	return prints_before(program, 5, 16) ? 3 : 12;
}

void program_finish_line(struct script_program *program)
{
	program->lines = program->lines ? program->lines : json_array();
	json_array_append_new(program->lines, json_pack("{s:o, s:o}",
		"format", json_text_bytes(program->format.data, program->format.count),
		"values", json_text_bytes(program->values.data, program->values.count)));
	program->format.count = program->values.count = program->count = 0;
	program->has_string = false;
}

/*
 * bpftrace reads with the kernel's helper where kprobes and fentry are; the address tells. (It
 * warns of needless casts.)
 */
static void add_bpftrace_string(struct text *out, char string, const char *value)
{
	if (string == 'u')
		text_add_format(out, ", str(uptr(%s))", value);
	else
		text_add_format(out, ", %s%s >> 63 ? str(%s) : str(uptr(%s))",
				text_after(value, "args.") ? "(uint64)" : "", value, value, value);
}

void program_print(struct script_program *program, const char *name, size_t number, size_t part,
		   struct fetch_type type, char *value)
{
	bool is_bpftrace = program->kind == SCRIPT_BPFTRACE;

	bool is_string = type.string || type.sign == VALUE_STRING;

	if (program->kind == SCRIPT_LIBBPF &&
	    (program->count == values_in_a_line(program) ||
	     (is_string && program->has_string && prints_before(program, 5, 13))))
		program_finish_line(program);
	program->has_string |= is_string;
	if (type_is_plain_name(name))
		text_add_format(&program->format, " %s", name);
	else
		text_add_format(&program->format, " arg%zu", number + 1);
	if (part)
		text_add_format(&program->format, "_%zu", part);
	/* %s is of user space, too, but where the two may overlap. */
	text_add_string(&program->format, type.string == 'u' && !is_bpftrace ? "=%pus"
			: is_string ? "=%s"
			: type.sign == 's' ? "=%ld" : type.sign == 'u' ? "=%lu" : "=0x%lx");
	if (type.string && is_bpftrace)
		add_bpftrace_string(&program->values, type.string, value);
	else
		text_add_format(&program->values, ", %s", value);
	program->count++;
	free(value);
}

bool program_print_named(struct script_program *program, const struct probe_point *point,
			 size_t number)
{
	const struct explanation *explanation = program->explanation;
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, point->prototype, BTF_FUNC_PROTO);
	uint32_t implicit =
		point->prototype == explanation->prototype_id ? explanation->implicit : 0;
	char buffer[TYPE_NAME_BYTES];
	struct fetch_type type;
	const char *name;

	if (!words || number + implicit >= btf_element_count(words))
		return false;
	name = type_string(types, *btf_element(words, number));
	type = explain_parameter_type(types, words, (uint32_t)number);
	if (!type_is_plain_name(name) || !type.sign ||
	    explain_argument_of(explanation, point, number).is >= ARGUMENT_REFUSED)
		return false;
	program_print(program, name, number, 0, type, program->kind == SCRIPT_BPFTRACE
		? text_format("args.%s", name)
		: text_format("(%c64)%s", type.sign == 's' ? 's' : 'u',
			      type_parameter_name(name, (uint32_t)number, buffer)));
	return true;
}

bool program_print_parameter(struct script_program *program, const struct probe_point *point,
			     size_t number)
{
	const struct explained_parameter *parameter = &point->parameters.data[number];
	struct fetch_type type = parameter->value;
	const struct machine *names = machine_of(program->explanation->image.abi);
	size_t count = parameter->values.count;
	/* As for tracefs: a type of two words has two parts, others one. */
	bool good = type.sign && count && (type.words > 1) == (count > 1);

	for (size_t i = 0; i < count; i++)
		good &= parameter->values.data[i].kind == BTF_PROBE_CONSTANT ||
			(names && names->register_prefix);
	if (count > 1)
		type = (struct fetch_type){
			'x', program->explanation->types.word_bytes * 8, 1, '\0' };
	for (size_t i = 0; good && i < count; i++) {
		struct text text = { 0 };

		add_value(&text, program, &parameter->values.data[i], type);
		program_print(program, parameter->name, number, count > 1 ? i + 1 : 0, type,
			      text_finish(&text));
	}
	return good;
}

void program_release(struct script_program *program)
{
	array_release(&program->format);
	array_release(&program->values);
	json_decref(program->lines);
}
