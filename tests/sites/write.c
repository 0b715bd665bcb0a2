/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A program as C. What it passes has to be what expect.c says. */
#include <inttypes.h>
#include <stdlib.h>

#include "program.h"

static FILE *create(const char *name)
{
	FILE *out = fopen(name, "w");

	if (!out)
		abort();
	return out;
}

static bool is_struct(enum type type)
{
	return type >= TYPE_S8;
}

static void write_words(FILE *out, const struct argument *argument, bool is_constant)
{
	enum type type = argument->type;
	unsigned int words = types[type].words;

	fprintf(out, is_struct(type) ? "(%s){" : "(%s)(", types[type].name);
	for (unsigned int i = 0; i < words; i++) {
		const char *cast = type == TYPE_S8 || type == TYPE_S12 ? "(int)" : "";

		fprintf(out, "%s%s", i ? ", " : "", is_struct(type) ? cast : "");
		if (is_constant)
			fprintf(out, "0x%" PRIx64 "UL", argument->constant[i]);
		else
			fprintf(out, "sites_in[%u]", argument->index + i);
	}
	/* A number becomes a bool by its lowest bit or by its highest, not by any bit. */
	if (type == TYPE_BOOL)
		fprintf(out, argument->index % 4 ? " > 0x7fffffffffffffffUL" : " & 1");
	fprintf(out, is_struct(type) ? "}" : ")");
}

static void write_argument(FILE *out, const struct program *program, const struct function *caller,
			   const struct argument *argument)
{
	const char *type = types[argument->type].name;
	unsigned int unit = caller ? caller->unit : program->unit_count;

	switch (argument->feed) {
	case FEED_LOADED:
		write_words(out, argument, false);
		break;
	case FEED_CONSTANT:
		write_words(out, argument, true);
		break;
	case FEED_COMPUTED:
		fprintf(out, "(%s)(sites_in[%u] * 3 + 7)", type, argument->index);
		break;
	case FEED_LOOP:
		fprintf(out, "(%s)(sites_in[%u] + (site_word)i * %" PRIu64 ")", type,
			argument->index, argument->constant[0]);
		break;
	case FEED_VARIABLE:
		fprintf(out, "(%s)(v%u + %" PRIu64 ")", type, argument->index,
			argument->constant[0]);
		break;
	case FEED_OBJECT:
		fprintf(out, "&sites_objects[%u]", argument->index);
		break;
	case FEED_STATIC:
		fprintf(out, "&site_static_%u[%u]", unit, argument->index);
		break;
	case FEED_LOCAL:
		fprintf(out, "local_%u", argument->index);
		break;
	case FEED_PARAMETER:
		if (is_struct(argument->type))
			fprintf(out, "p%u", argument->index);
		else
			fprintf(out, "(%s)p%u", type, argument->index);
		break;
	case FEED_SUM:
		fprintf(out, "(%s)(p%u + %" PRIu64 ")", type, argument->index,
			argument->type == TYPE_POINTER ? argument->constant[0] / 8 :
							 argument->constant[0]);
		break;
	}
}

static void write_head(FILE *out, const struct function *function, const char *end)
{
	static const char *const linkages[] = {
		[LINKAGE_ALWAYS] = "static inline __attribute__((always_inline)) long",
		[LINKAGE_INLINE] = "static inline long",
		[LINKAGE_STATIC] = "static long",
		[LINKAGE_NOINLINE] = "__attribute__((noinline)) long",
	};

	fprintf(out, "%s %s(", linkages[function->linkage], function->name);
	for (unsigned int i = 0; i < function->parameter_count; i++)
		fprintf(out, "%s%s p%u", i ? ", " : "", types[function->parameters[i].type].name,
			i);
	fprintf(out, ")%s\n", end);
}

static void write_change(FILE *out, enum type type, unsigned int i)
{
	if (type == TYPE_BOOL)
		fprintf(out, "\tp%u = !p%u;\n", i, i);
	else if (type == TYPE_VOID_POINTER)
		fprintf(out, "\tp%u = (char *)p%u + 24;\n", i, i);
	else if (type == TYPE_POINTER)
		fprintf(out, "\tp%u += 3;\n", i);
	else if (is_struct(type))
		fprintf(out, "\tp%u.a += 5;\n", i);
	else
		fprintf(out, "\tp%u += 5;\n", i);
}

static void write_use(FILE *out, const struct function *function, unsigned int i, bool late)
{
	enum type type = function->parameters[i].type;
	enum use use = function->parameters[i].use;
	const char *member = is_struct(type) ? ".a" : "";

	if ((use == USE_LATE) != late)
		return;
	/* A driver calls all that it was planned to call. */
	if (use == USE_EARLY && function->level == LEVELS)
		use = USE_SINK;
	switch (use) {
	case USE_RESULT:
		if (type == TYPE_POINTER)
			fprintf(out, "\tresult += *p%u;\n", i);
		else
			fprintf(out, "\tresult += (long)p%u%s * 3;\n", i, member);
		break;
	case USE_CHANGE:
		write_change(out, type, i);
		if (function->is_pure)
			fprintf(out, "\tresult ^= (long)p%u%s;\n", i, member);
		else
			fprintf(out, "\ttruth_sink = (site_word)p%u%s;\n", i, member);
		break;
	case USE_MASK:
		if (types[type].is_number)
			fprintf(out, "\tp%u &= ~7;\n", i);
		else if (type == TYPE_VOID_POINTER || type == TYPE_POINTER)
			fprintf(out, "\tp%u = (void *)((site_word)p%u & ~7UL);\n", i, i);
		else
			break;
		fprintf(out, "\tresult += (long)p%u;\n", i);
		break;
	case USE_COLD:
		fprintf(out, "\tif ((site_word)p%u%s == 0x5aa51234)\n"
			     "\t\ttruth_cold((site_word)p%u%s);\n", i, member, i, member);
		break;
	case USE_EARLY:
		fprintf(out, "\tif ((site_word)p%u%s == 0x5aa51235)\n\t\treturn result;\n", i,
			member);
		break;
	case USE_SINK:
	case USE_LATE:
		fprintf(out, "\ttruth_sink = (site_word)p%u%s;\n", i, member);
		break;
	case USE_ADDRESS:
		fprintf(out, "\ttruth_touch(&p%u);\n", i);
		break;
	case USE_NONE:
	case USE_COUNT:
		break;
	}
}

static void write_call(FILE *out, const struct program *program, const struct function *function,
		       const struct call *call)
{
	const char *indent = call->in_loop ? "\t\t" : "\t";

	if (call->touches_first)
		fprintf(out, "\ttruth_touch(0);\n");
	if (call->in_loop)
		fprintf(out, "\tsites_iteration = ~0UL;\n"
			     "\tfor (int i = 0; i < %d; i++) {\n"
			     "\t\tsites_iteration = (site_word)i;\n", LOOPS);
	fprintf(out, "%s%s%s(", indent, call->is_result_used ? "result += " : "",
		call->callee->name);
	for (unsigned int k = 0; k < call->callee->parameter_count; k++) {
		if (k)
			fprintf(out, ", ");
		write_argument(out, program, function, &call->arguments[k]);
	}
	fprintf(out, ");\n%s", call->in_loop ? "\t}\n" : "");
}

static void write_function(FILE *out, const struct program *program,
			   const struct function *function)
{
	/* In every other function nothing at all comes before the changes. */
	bool changes_first = !function->is_pure && function->level < LEVELS &&
			     function->parameter_count % 2;

	write_head(out, function, "");
	fprintf(out, "{\n");
	for (unsigned int i = 0; changes_first && i < function->parameter_count; i++) {
		if (function->parameters[i].use == USE_CHANGE)
			write_use(out, function, i, false);
	}
	fprintf(out, "\tlong result = 0;\n");
	for (unsigned int i = 0; i < function->local_count; i++)
		fprintf(out, "\tlong local_%u[64];\n", i);
	for (unsigned int i = 0; i < function->variable_count; i++)
		fprintf(out, "\tsite_word v%u = sites_in[%u];\n", i, function->variables[i]);
	fprintf(out, "\n");
	for (unsigned int i = 0; i < function->local_count; i++)
		fprintf(out, "\tsites_log[%u] = (site_word)local_%u;\n\ttruth_touch(local_%u);\n",
			function->first_log + i, i, i);
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		if (!changes_first || function->parameters[i].use != USE_CHANGE)
			write_use(out, function, i, false);
	}
	for (unsigned int i = 0; i < function->call_count; i++)
		write_call(out, program, function, &function->calls[i]);
	for (unsigned int i = 0; i < function->parameter_count; i++)
		write_use(out, function, i, true);
	for (unsigned int i = 0; i < function->variable_count; i++)
		fprintf(out, "\ttruth_sink = v%u;\n", i);
	fprintf(out, "\treturn result;\n}\n\n");
}

static void write_unit(const struct program *program, unsigned int unit)
{
	char name[32];
	FILE *out;

	snprintf(name, sizeof(name), "unit_%u.c", unit);
	out = create(name);
	fprintf(out, "#include \"sites.h\"\n\n"
		     "__attribute__((used)) static long site_static_%u[128];\n\n", unit);
	for (unsigned int i = 0; i < program->function_count; i++) {
		if (program->functions[i].unit == unit)
			write_function(out, program, &program->functions[i]);
	}
	fclose(out);
}

static void write_main(const struct program *program)
{
	FILE *out = create("main.c");
	const struct function *drivers = program->functions + program->function_count -
					 program->driver_count;

	fprintf(out, "#include \"sites.h\"\n\n"
		     "__attribute__((used)) static long site_static_%u[128];\n\n",
		program->unit_count);
	for (unsigned int i = 0; i < program->driver_count; i++)
		write_head(out, &drivers[i], ";");
	fprintf(out, "\nvoid truth_main(void)\n{\n");
	for (unsigned int i = 0; i < program->driver_count; i++) {
		fprintf(out, "\ttruth_sink = (site_word)%s(", drivers[i].name);
		for (unsigned int k = 0; k < drivers[i].parameter_count; k++) {
			if (k)
				fprintf(out, ", ");
			write_argument(out, program, NULL, &drivers[i].arguments[k]);
		}
		fprintf(out, ");\n");
	}
	fprintf(out, "}\n");
	fclose(out);
}

static void write_data(const struct program *program)
{
	FILE *out = create("data.S");

	fprintf(out, "\t.data\n\t.balign 64\n"
		     "\t.globl sites_in, sites_log, sites_iteration, sites_objects\n"
		     "sites_in:\n");
	for (unsigned int i = 0; i < program->input_count; i++)
		fprintf(out, "\t.quad 0x%" PRIx64 "\n", program->inputs[i]);
	fprintf(out, "sites_iteration:\n\t.quad -1\n"
		     "sites_log:\n\t.skip 8 * %d\n"
		     "sites_objects:\n\t.skip 8 * 128\n"
		     "\t.section .note.GNU-stack, \"\", @progbits\n", LOGS_MAX);
	fclose(out);
}

void program_write(const struct program *program)
{
	for (unsigned int unit = 0; unit < program->unit_count; unit++)
		write_unit(program, unit);
	write_main(program);
	write_data(program);
}
