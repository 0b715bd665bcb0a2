/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The files of a program: units with functions and with the drivers that call them, a main, and
 * truth.txt, which says what the tracer has to know:
 *
 *	function NAME					the IDs are 0, 1, ...
 *	result SIZE CLASS:OFFSET:SIZE...		of the function before, if it has one
 *	parameter NAME WORD SIZE CLASS:OFFSET:SIZE...
 *	alias NAME
 *
 * CLASS is i or f of the scalars in it, and a before those of an aggregate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "write_body.h"

#define ROUNDS		 5
#define CALLS_PER_DRIVER 6

struct site {
	uint32_t callee;
	enum call_kind kind;
};

struct sites {
	struct site *data;
	size_t count;
};

static FILE *create(const char *name)
{
	FILE *out = fopen(name, "w");

	if (!out) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		exit(1);
	}
	return out;
}

static void close_checked(FILE *out, const char *name)
{
	if (ferror(out) || fclose(out)) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		exit(1);
	}
}

/* ---- who is called from where ---- */

static void add_sites(struct sites *sites, uint32_t callee, enum call_kind kind, uint32_t count)
{
	while (count--) {
		sites->data = realloc(sites->data, (sites->count + 1) * sizeof(*sites->data));
		if (!sites->data)
			abort();
		sites->data[sites->count++] = (struct site){ callee, kind };
	}
}

static void draw_sites(struct program *program, struct sites *sites,
		       const struct function *function)
{
	struct sites *own = &sites[function->unit];
	struct sites *other = &sites[(function->unit + 1 + random_below(program, UINT32_MAX) %
				      (program->unit_count - 1)) % program->unit_count];

	if (function->is_partner)
		return;
	if (function->table_count)
		add_sites(own, function->id, CALL_TABLE, 1 + random_below(program, 2));
	if (function->table_first != NO_FUNCTION && percent(program, 60))
		return;
	if (function->hooked)
		add_sites(own, function->id, CALL_HOOK, 1);
	if (function->hooked && percent(program, 40))
		return;
	if (function->has_alias)
		add_sites(own, function->id, CALL_ALIAS, 1);
	if (!function->elsewhere_only || function->is_static)
		add_sites(own, function->id, CALL_DIRECT, 1 + random_below(program, 3));
	if (!function->is_static)
		add_sites(other, function->id, CALL_DIRECT,
			  function->elsewhere_only ? 1 + random_below(program, 2) :
						     random_below(program, 2));
}

static void shuffle(struct program *program, struct sites *sites)
{
	for (size_t i = sites->count; i > 1; i--) {
		size_t j = random_below(program, (uint32_t)i);
		struct site site = sites->data[i - 1];

		sites->data[i - 1] = sites->data[j];
		sites->data[j] = site;
	}
}

/* ---- units ---- */

static void write_header(const struct program *program)
{
	FILE *out = create("program.h");

	fputs("#include \"fill.h\"\n", out);
	for (uint32_t id = 0; id < program->function_count; id++) {
		const struct function *function = &program->functions[id];

		if (function->is_static)
			continue;
		write_prototype(out, function, function->name);
		fputs(";\n", out);
	}
	close_checked(out, "program.h");
}

static void write_declarations(FILE *out, const struct program *program, unsigned int unit)
{
	for (uint32_t id = 0; id < program->function_count; id++) {
		const struct function *function = &program->functions[id];

		if (function->unit != unit)
			continue;
		if (function->is_static) {
			fputs("static ", out);
			write_prototype(out, function, function->name);
			fputs(";\n", out);
		}
		if (function->has_alias) {
			char alias[48];

			snprintf(alias, sizeof(alias), "%s_alias", function->name);
			write_prototype(out, function, alias);
			fputs(";\n", out);
		}
	}
}

static void write_pointers(FILE *out, const struct program *program,
			   const struct function *function)
{
	char declarator[64];

	if (function->hooked) {
		snprintf(declarator, sizeof(declarator), "(*volatile hook_%u)", function->id);
		fputs("static ", out);
		write_prototype(out, function, declarator);
		fprintf(out, " = %s;\n", function->name);
	}
	if (function->table_count) {
		snprintf(declarator, sizeof(declarator), "(*const table_%u[%u])", function->id,
			 function->table_count);
		fputs("static ", out);
		write_prototype(out, function, declarator);
		fputs(" = {", out);
		for (unsigned int i = 0; i < function->table_count; i++)
			fprintf(out, "%s %s", i ? "," : "",
				program->functions[function->id + i].name);
		fputs(" };\n", out);
	}
}

static unsigned int write_drivers(FILE *out, struct program *program, unsigned int unit,
				  const struct sites *sites)
{
	unsigned int drivers = 0;

	for (size_t i = 0; i < sites->count; i++) {
		struct call call = { .callee = &program->functions[sites->data[i].callee],
				     .kind = sites->data[i].kind };

		if (i % CALLS_PER_DRIVER == 0)
			fprintf(out, "%s\n__attribute__((noinline)) void drive_%u_%u(void)\n{\n",
				i ? "}\n" : "", unit, drivers++);
		write_call(out, program, &call);
	}
	fputs(sites->count ? "}\n" : "", out);
	return drivers;
}

static unsigned int write_unit(struct program *program, unsigned int unit,
			       const struct sites *sites)
{
	char name[32];
	FILE *out;
	unsigned int drivers;

	snprintf(name, sizeof(name), "unit_%u.c", unit);
	out = create(name);
	fprintf(out, "#include \"program.h\"\n\n");
	write_declarations(out, program, unit);
	for (uint32_t id = 0; id < program->function_count; id++) {
		const struct function *function = &program->functions[id];

		if (function->unit != unit)
			continue;
		write_function(out, program, function);
		/* A table of functions follows the last of them. */
		write_pointers(out, program, function);
	}
	drivers = write_drivers(out, program, unit, sites);
	close_checked(out, name);
	return drivers;
}

static void write_main(const unsigned int *drivers, unsigned int units)
{
	FILE *out = create("main.c");

	for (unsigned int unit = 0; unit < units; unit++)
		for (unsigned int i = 0; i < drivers[unit]; i++)
			fprintf(out, "void drive_%u_%u(void);\n", unit, i);
	fprintf(out, "\nvoid truth_main(void)\n{\n\tfor (int i = 0; i < %d; i++) {\n", ROUNDS);
	for (unsigned int unit = 0; unit < units; unit++)
		for (unsigned int i = 0; i < drivers[unit]; i++)
			fprintf(out, "\t\tdrive_%u_%u();\n", unit, i);
	fputs("\t}\n}\n", out);
	close_checked(out, "main.c");
}

/* ---- truth.txt ---- */

static void write_scalars(FILE *out, const struct type *type)
{
	if (type->kind == TYPE_AGGREGATE)
		fprintf(out, " a:0:%u", type->size);
	for (unsigned int i = 0; i < type_member_count(type); i++) {
		const struct type_member *member = &type->members[i];

		/* Of ".a.b" and ".a[1]" the struct's own member is a. */
		if (member->size)
			fprintf(out, " %c:%u:%u%s%.*s", member->class, member->offset,
				member->size, *member->path ? ":" : "",
				*member->path ? (int)strcspn(member->path + 1, ".[") : 0,
				member->path + !!*member->path);
	}
	fputc('\n', out);
}

static void write_truth(const struct program *program)
{
	FILE *out = create("truth.txt");

	for (uint32_t id = 0; id < program->function_count; id++) {
		const struct function *function = &program->functions[id];

		fprintf(out, "function %s\n", function->name);
		if (function->result) {
			fprintf(out, "result %u", function->result->size);
			write_scalars(out, function->result);
		}
		for (unsigned int i = 0; i < function->parameter_count; i++) {
			const struct parameter *parameter = &function->parameters[i];

			fprintf(out, "parameter p%u %u %u", i, parameter->word,
				parameter->type->size);
			write_scalars(out, parameter->type);
		}
		if (function->has_alias)
			fprintf(out, "alias %s_alias\n", function->name);
	}
	close_checked(out, "truth.txt");
}

void program_write(struct program *program)
{
	struct sites *sites = calloc(program->unit_count, sizeof(*sites));
	unsigned int *drivers = calloc(program->unit_count, sizeof(*drivers));

	if (!sites || !drivers)
		abort();
	for (uint32_t id = 0; id < program->function_count; id++)
		draw_sites(program, sites, &program->functions[id]);
	write_header(program);
	for (unsigned int unit = 0; unit < program->unit_count; unit++) {
		shuffle(program, &sites[unit]);
		drivers[unit] = write_unit(program, unit, &sites[unit]);
		free(sites[unit].data);
	}
	write_main(drivers, program->unit_count);
	write_truth(program);
	free(drivers);
	free(sites);
}
