/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "write_body.h"

#include <string.h>

/* The kinds of TRUTH_BEFORE_CALL() in fill.h; the last one leaves the registers alone. */
#define FILL_KINDS 7

const char *result_name(const struct function *function)
{
	return function->result ? function->result->name : "void";
}

void write_prototype(FILE *out, const struct function *function, const char *name)
{
	fprintf(out, "%s %s(", result_name(function), name);
	for (unsigned int i = 0; i < function->parameter_count; i++)
		fprintf(out, "%s%s p%u", i ? ", " : "", function->parameters[i].type->name, i);
	fprintf(out, "%s)", function->variadic		 ? ", ..."
			    : function->parameter_count ? ""
							: "void");
}

/* ---- what a parameter is used for ---- */

static void write_member_use(FILE *out, const struct parameter *parameter, unsigned int index,
			     unsigned int member)
{
	static const char *const of_node[] = { "a", "b", "c", "in.y", "next->b", "s", "flag",
					       "in.x" };
	const struct type *type = parameter->type;

	if (type->kind == TYPE_NODE)
		fprintf(out, "\tacc = acc * 29 + (truth_word)p%u->%s;\n", index,
			of_node[member % 8]);
	else if (type->kind == TYPE_AGGREGATE)
		fprintf(out, "\tacc = acc * 27 + (truth_word)p%u%s;\n", index,
			type->members[member].path);
	else if (strcmp(type->name, "void *") == 0)
		fprintf(out, "\tacc += *(unsigned char *)p%u;\n", index);
	else
		fprintf(out, "\tacc += (truth_word)*p%u;\n", index);
}

static void write_value_use(FILE *out, const struct parameter *parameter, unsigned int index)
{
	if (parameter->type->kind == TYPE_CALLBACK)
		fprintf(out, "\tacc += (truth_word)p%u((int)acc & 15);\n", index);
	else if (parameter->type->kind == TYPE_AGGREGATE)
		for (unsigned int i = 0; i < type_member_count(parameter->type); i++)
			write_member_use(out, parameter, index, i);
	else
		fprintf(out, "\tacc = acc * 33 + (truth_word)p%u;\n", index);
}

/* True of all that callers pass: so nothing is left of it in the end. */
static void write_assumption(FILE *out, const struct parameter *parameter, unsigned int index)
{
	if (strchr(parameter->type->name, '*') || parameter->type->kind == TYPE_CALLBACK)
		fprintf(out, "\tif (!p%u)\n\t\t__builtin_unreachable();\n", index);
	else
		fprintf(out, "\tif (p%u != p%u)\n\t\ttruth_cold(acc);\n", index, index);
}

static void write_use(FILE *out, const struct function *function, unsigned int index)
{
	const struct parameter *parameter = &function->parameters[index];

	switch (parameter->use) {
	case USE_ONE_MEMBER:
		/* Draws that differ reach different members of a node. */
		write_member_use(out, parameter, index,
				 parameter->type->kind == TYPE_NODE ? function->id :
								      parameter->member);
		break;
	case USE_MEMBERS:
		write_member_use(out, parameter, index, 0);
		write_member_use(out, parameter, index, type_member_count(parameter->type) / 2);
		if (parameter->type->kind == TYPE_NODE)
			write_member_use(out, parameter, index, 3);
		break;
	case USE_WRITE:
		fprintf(out, "\tp%u->d = (double)(acc & 255);\n", index);
		break;
	case USE_ADDRESS:
		fprintf(out, "\ttruth_touch(&p%u);\n", index);
		break;
	case USE_ASSUMED:
		write_assumption(out, parameter, index);
		break;
	default:
		write_value_use(out, parameter, index);
	}
}

static void write_uses(FILE *out, const struct function *function, enum use use)
{
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		if (function->parameters[i].use == use)
			write_use(out, function, i);
	}
}

/* ---- calls ---- */

static void write_tag(FILE *out, const struct type_member *member, uint32_t id, unsigned int word)
{
	if (member->class == 'f')
		fprintf(out, "(%s)(TRUTH_MIX(n, %u) & 0xffffff)", member->type, word);
	else if (strcmp(member->type, "_Bool") == 0)
		fprintf(out, "(TRUTH_MIX(n, %u) >> 9 & 1) != 0", word);
	else if (strchr(member->type, '*'))
		fprintf(out, "(%s)&truth_nodes[TRUTH_MIX(n, %u) >> 5 & 7]", member->type, word);
	else if (member->size == 16)
		fprintf(out, "(%s)TRUTH_TAG64(%uUL, %u, n) << 64 | TRUTH_TAG64(%uUL, %u, n)",
			member->type, id, word + 1, id, word);
	else if (member->size == 8)
		fprintf(out, "(%s)TRUTH_TAG64(%uUL, %u, n)", member->type, id, word);
	else if (member->size == 4 && !strchr(member->type, ':'))
		fprintf(out, "(%s)TRUTH_TAG32(%u, n)", member->type, word);
	else if (strchr(member->type, ':'))
		fprintf(out, "(unsigned int)TRUTH_TAG32(%u, n)", word + member->offset);
	else
		fprintf(out, "(%s)(TRUTH_MIX(n, %u) >> 7)", member->type, word + member->offset);
}

static void write_constant(FILE *out, const struct parameter *parameter, uint32_t id,
			   unsigned int index, bool other)
{
	const struct type *type = parameter->type;

	if (type->constant)
		fputs(type->constant, out);
	else if (type->size == 1)
		fprintf(out, "(%s)%u", type->name, (id + index + other) & 1);
	else
		fprintf(out, "(%s)%u", type->name, id * 37 % 90 + index * 100 + (other ? 50 : 2));
}

/* Declares aN and gives it a value. */
static void write_argument(FILE *out, struct program *program, const struct function *callee,
			   unsigned int index)
{
	const struct parameter *parameter = &callee->parameters[index];
	const struct type *type = parameter->type;

	fprintf(out, "\t\t%s a%u", type->name, index);
	if (type_is_scalar(type)) {
		fputs(" = ", out);
		if (parameter->use == USE_DEPTH)
			fputs("(int)(1 + (n & 1))", out);
		else if (parameter->feed != FEED_TAG)
			write_constant(out, parameter, callee->id, index,
				       parameter->feed == FEED_FEW && percent(program, 50));
		else if (type->value)
			fputs(type->value, out);
		else
			write_tag(out, &type->members[0], callee->id, parameter->word);
		fputs(";\n", out);
		return;
	}
	fputs(";\n", out);
	for (unsigned int i = 0; i < type_member_count(type); i++) {
		fprintf(out, "\t\ta%u%s = ", index, type->members[i].path);
		write_tag(out, &type->members[i], callee->id,
			  parameter->word + type->members[i].offset / 8);
		fputs(";\n", out);
	}
}

/* id: an expression, because a table has several callees. */
static void write_expectation(FILE *out, const struct parameter *parameter, unsigned int index,
			      const char *id)
{
	const struct type *type = parameter->type;
	bool one_store = type->kind != TYPE_AGGREGATE && type->kind != TYPE_FLOAT &&
			 type->size <= 8;

	if (one_store) {
		fprintf(out, "\t\tTRUTH_WORD(%s, %u) = (truth_word)a%u;\n", id, parameter->word,
			index);
		return;
	}
	for (unsigned int i = 0; i < type_words(type); i++)
		fprintf(out, "\t\tTRUTH_WORD(%s, %u) = 0;\n", id, parameter->word + i);
	for (unsigned int i = 0; i < type_member_count(type); i++) {
		const char *path = type->members[i].path;

		if (strchr(type->members[i].type, ':'))
			fprintf(out, "\t\tTRUTH_AT(%s, %s, %u, 0)%s = a%u%s;\n", type->name, id,
				parameter->word, path, index, path);
		else
			fprintf(out, "\t\tTRUTH_AT(%s, %s, %u, %u) = a%u%s;\n",
				type->members[i].type, id, parameter->word,
				type->members[i].offset, index, path);
	}
}

static bool calls_itself(const struct call *call)
{
	return call->caller &&
	       (call->caller == call->callee || call->caller->partner == call->callee->id);
}

/*
 * Returns the parameter of the caller that is passed on as argument `index`, or -1. In a recursion
 * the prototypes are the same.
 */
static int passed_on(struct program *program, const struct call *call, unsigned int index)
{
	const struct parameter *wanted = &call->callee->parameters[index];

	if (!call->caller)
		return -1;
	if (calls_itself(call))
		return wanted->through && wanted->use != USE_DEPTH ? (int)index : -1;
	for (unsigned int i = 0; i < call->caller->parameter_count; i++) {
		const struct parameter *have = &call->caller->parameters[i];

		if (have->type != wanted->type || wanted->use == USE_DEPTH)
			continue;
		if (have->use == USE_PASS || percent(program, 25))
			return (int)i;
	}
	return -1;
}

static void write_passed_on(FILE *out, const struct call *call, unsigned int index,
			    unsigned int from)
{
	const struct parameter *to = &call->callee->parameters[index];
	const struct parameter *parameter = &call->caller->parameters[from];

	/* All calls of a recursion pass what the first one passes. */
	if (call->caller == call->callee || call->caller->is_partner)
		return;
	for (unsigned int i = 0; i < type_words(to->type); i++)
		fprintf(out, "\t\tTRUTH_WORD(%u, %u) = TRUTH_REF(%u, %u);\n", call->callee->id,
			to->word + i, call->caller->id, parameter->word + i);
}

static void write_callee_name(FILE *out, const struct call *call)
{
	switch (call->kind) {
	case CALL_DIRECT:
		fputs(call->callee->name, out);
		break;
	case CALL_ALIAS:
		fprintf(out, "%s_alias", call->callee->name);
		break;
	case CALL_HOOK:
		fprintf(out, "hook_%u", call->callee->id);
		break;
	case CALL_TABLE:
		fprintf(out, "table_%u[n %% %u]", call->callee->id, call->callee->table_count);
		break;
	}
}

/* Writes the use of a result. */
static void write_consumption(FILE *out, const struct function *callee, const char *to)
{
	if (callee->result->kind == TYPE_AGGREGATE)
		fprintf(out, "\t\t%s (truth_word)r%s + (truth_word)r%s;\n", to,
			callee->result->members[0].path,
			callee->result->members[type_member_count(callee->result) - 1].path);
	else
		fprintf(out, "\t\t%s (truth_word)r;\n", to);
}

void write_call(FILE *out, struct program *program, const struct call *call)
{
	const struct function *callee = call->callee;
	bool used = callee->result && (callee->result_used || call->caller) && !call->is_tail;
	int from[PARAMETERS_MAX];
	char id[64];

	if (call->kind == CALL_TABLE)
		snprintf(id, sizeof(id), "%u + n %% %u", callee->id, callee->table_count);
	else
		snprintf(id, sizeof(id), "%u", callee->id);
	fputs("\t{\n\t\ttruth_word n = truth_nonce + 1;\n", out);
	for (unsigned int i = 0; i < callee->parameter_count; i++) {
		from[i] = passed_on(program, call, i);
		if (calls_itself(call) && callee->parameters[i].use == USE_DEPTH)
			fprintf(out, "\t\tint a%u = p%u - 1;\n", i, i);
		else if (from[i] < 0)
			write_argument(out, program, callee, i);
	}
	if (used)
		fprintf(out, "\t\t%s r;\n", callee->result->name);
	fputs("\t\ttruth_nonce = n;\n", out);
	for (unsigned int i = 0; i < callee->parameter_count; i++) {
		if (from[i] < 0)
			write_expectation(out, &callee->parameters[i], i, id);
		else
			write_passed_on(out, call, i, (unsigned int)from[i]);
	}
	fprintf(out, "\t\ttruth_called = %s;\n", id);
	fprintf(out, "\t\tTRUTH_TRASH();\n\t\tTRUTH_BEFORE_CALL(%u);\n\t\t%s",
		(callee->id % 2 ? callee->id / 2 : program->call_count++) % FILL_KINDS,
		call->is_tail && callee->result ? "return " : used ? "r = " : "");
	write_callee_name(out, call);
	for (unsigned int i = 0; i < callee->parameter_count; i++) {
		fputs(i ? ", " : "(", out);
		if (from[i] < 0)
			fprintf(out, "a%u", i);
		else
			fprintf(out, "p%d", from[i]);
	}
	fprintf(out, "%s%s);\n", callee->parameter_count ? "" : "(",
		callee->variadic ? ", 17, (truth_word)18" : "");
	if (call->is_tail && !callee->result)
		fputs("\t\treturn;\n", out);
	if (used)
		write_consumption(out, callee, call->caller ? "acc +=" : "truth_sink =");
	fputs("\t}\n", out);
}

/* ---- bodies ---- */

/*
 * A result in memory is not looked at. Some functions keep theirs to themselves: what is computed
 * for an unused result may go, too, and with it parameters.
 */
static void write_return(FILE *out, const struct function *function, const char *value)
{
	const struct type *type = function->result;

	if (!type)
		fputs("return;\n", out);
	else if (type->size > 16)
		fprintf(out, "return %s;\n", value);
	else if (!function->impure && function->id % 2)
		fprintf(out, "TRUTH_RETURN_SILENTLY(%s);\n", value);
	else
		fprintf(out, "TRUTH_RETURN(%u, %s, %s);\n", function->id, type->name, value);
}

static void write_early_exit(FILE *out, const struct function *function, const char *result)
{
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		const struct parameter *parameter = &function->parameters[i];

		if (parameter->use == USE_NONE || parameter->use == USE_PASS ||
		    parameter->use == USE_DEPTH || !type_is_scalar(parameter->type))
			continue;
		if (parameter->type->kind == TYPE_NODE)
			fprintf(out, "\tif (!p%u->flag)\n\t\t", i);
		else
			fprintf(out, "\tif (((truth_word)p%u & 7) == 5)\n\t\t", i);
		write_return(out, function, result);
		return;
	}
	fputs("\tif (truth_data[3] == 5)\n\t\t", out);
	write_return(out, function, result);
}

static void write_filler(FILE *out, struct program *program, const struct function *function)
{
	for (unsigned int i = 0; i < function->filler; i++) {
		switch (random_below(program, 4)) {
		case 0:
			fprintf(out, "\tacc ^= truth_data[%u] + (acc >> %u);\n",
				random_below(program, 16), 1 + random_below(program, 30));
			break;
		case 1:
			fprintf(out, "\tacc = acc * %uUL + %u;\n",
				3 + 2 * random_below(program, 999), random_below(program, 1000));
			break;
		case 2:
			fprintf(out, "\tif (acc & %u)\n\t\tacc += truth_data[acc & 15];\n",
				1U << random_below(program, 12));
			break;
		default:
			fprintf(out, "\tacc -= acc / %u;\n", 3 + random_below(program, 50));
		}
	}
	if (function->loops)
		fputs("\tfor (truth_word i = 0; i < (acc & 7); i++)\n"
		      "\t\tacc = acc * 5 + truth_data[(acc + i) & 15];\n", out);
}

static void write_rare_paths(FILE *out, const struct function *function)
{
	fputs("\tif (acc & 4) {\n", out);
	write_uses(out, function, USE_SOMETIMES);
	fputs("\tacc++;\n\t}\n", out);
	if (!function->cold_path)
		fputs("\tif (__builtin_expect(truth_never, 0)) {\n", out);
	else
		fputs("\tif (__builtin_expect(truth_never, 0)) {\n\ttruth_cold(acc);\n", out);
	write_uses(out, function, USE_COLD);
	if (function->cold_path)
		fputs("\ttruth_cold(acc);\n", out);
	fputs("\t}\n", out);
}

static void write_calls(FILE *out, struct program *program, const struct function *function)
{
	for (unsigned int i = 0; i < function->callee_count; i++) {
		struct call call = { .caller = function,
				     .callee = &program->functions[function->callees[i]] };

		call.is_tail = function->tail_call && i + 1 == function->callee_count &&
			       call.callee->result == function->result;
		write_call(out, program, &call);
	}
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		uint32_t partner = function->partner;
		struct call call = { .caller = function,
				     .callee = partner == NO_FUNCTION ?
						       function :
						       &program->functions[partner],
				     .is_tail = function->tail_call };

		if (function->parameters[i].use != USE_DEPTH)
			continue;
		fprintf(out, "\tif (p%u > 0)\n", i);
		write_call(out, program, &call);
	}
}

static void write_result(FILE *out, const struct function *function)
{
	const struct type *type = function->result;
	char value[64];

	if (!type)
		return;
	snprintf(value, sizeof(value), "(%s)acc", type->name);
	if (type->kind == TYPE_AGGREGATE) {
		snprintf(value, sizeof(value), "result");
		for (unsigned int i = 0; i < type_member_count(type); i++) {
			const char *member = type->members[i].type;

			fprintf(out, "\tresult%s = (%s)(acc + %u);\n", type->members[i].path,
				strchr(member, ':') ? "unsigned int" : member, i);
		}
	} else if (type->kind == TYPE_NODE) {
		snprintf(value, sizeof(value), "&truth_nodes[acc & 7]");
	}
	fputc('\t', out);
	write_return(out, function, value);
}

void write_function(FILE *out, struct program *program, const struct function *function)
{
	const struct type *type = function->result;
	bool aggregate = type && type->kind == TYPE_AGGREGATE;
	char early[64];

	fprintf(out, "\n%s%s%s", function->noinline_ ? "__attribute__((noinline)) " : "",
		function->weak ? "__attribute__((weak)) " : "",
		function->is_static ? "static " : "");
	write_prototype(out, function, function->name);
	fprintf(out, "\n{\n\ttruth_word acc = %u;\n", function->id * 7 + 1);
	if (aggregate)
		fprintf(out, "\t%s result;\n", type->name);
	snprintf(early, sizeof(early), "%s%s%s", aggregate ? "" : "(",
		 aggregate ? "result" : result_name(function), aggregate ? "" : ")0");
	if (aggregate)
		fprintf(out, "\t__builtin_memset(&result, 0, sizeof(result));\n");
	if (function->early_exit)
		write_early_exit(out, function, early);
	write_uses(out, function, USE_ASSUMED);
	write_uses(out, function, USE_VALUE);
	write_uses(out, function, USE_ONE_MEMBER);
	write_uses(out, function, USE_MEMBERS);
	write_uses(out, function, USE_WRITE);
	write_uses(out, function, USE_ADDRESS);
	write_filler(out, program, function);
	write_rare_paths(out, function);
	if (function->variadic)
		fprintf(out, "\t{\n\t\t__builtin_va_list list;\n"
			"\t\t__builtin_va_start(list, p%u);\n"
			"\t\tacc += (truth_word)__builtin_va_arg(list, int);\n"
			"\t\t__builtin_va_end(list);\n\t}\n", function->parameter_count - 1);
	write_calls(out, program, function);
	write_uses(out, function, USE_LATE);
	if (function->impure || !type)
		fputs("\ttruth_sink = acc;\n", out);
	write_result(out, function);
	fputs("}\n", out);
	if (function->has_alias) {
		char alias[48];

		snprintf(alias, sizeof(alias), "%s_alias", function->name);
		write_prototype(out, function, alias);
		fprintf(out, " __attribute__((alias(\"%s\")));\n", function->name);
	}
}
