/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* usage: generate SEED FOLDER: a program and what is passed in its calls (README.md). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

#define UNITS		 3
#define PER_LEVEL	 10
#define DRIVERS_PER_UNIT 12

const struct type_info types[TYPE_COUNT] = {
	[TYPE_CHAR] = { "signed char", 1, 1, true, true },
	[TYPE_UCHAR] = { "unsigned char", 1, 1, false, true },
	[TYPE_SHORT] = { "short", 2, 1, true, true },
	[TYPE_USHORT] = { "unsigned short", 2, 1, false, true },
	[TYPE_INT] = { "int", 4, 1, true, true },
	[TYPE_UINT] = { "unsigned int", 4, 1, false, true },
	[TYPE_LONG] = { "long", 8, 1, true, true },
	[TYPE_ULONG] = { "unsigned long", 8, 1, false, true },
	[TYPE_BOOL] = { "_Bool", 1, 1, false, false },
	[TYPE_ENUM] = { "enum site_color", 4, 1, false, true },
	[TYPE_VOID_POINTER] = { "void *", 8, 1, false, false },
	[TYPE_POINTER] = { "long *", 8, 1, false, false },
	[TYPE_S8] = { "struct site_s8", 8, 2, false, false },
	[TYPE_S12] = { "struct site_s12", 12, 3, false, false },
	[TYPE_S16] = { "struct site_s16", 16, 2, false, false },
	[TYPE_S24] = { "struct site_s24", 24, 3, false, false },
};

uint64_t random_word(struct program *program)
{
	uint64_t z = program->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

unsigned int random_below(struct program *program, unsigned int limit)
{
	return (unsigned int)(random_word(program) >> 33) % limit;
}

bool percent(struct program *program, unsigned int chance)
{
	return random_below(program, 100) < chance;
}

static unsigned int add_inputs(struct program *program, unsigned int count)
{
	unsigned int first = program->input_count;

	if (first + count > INPUTS_MAX)
		abort();
	while (count--)
		program->inputs[program->input_count++] = random_word(program);
	return first;
}

static enum type random_type(struct program *program)
{
	static const enum type often[] = { TYPE_INT, TYPE_LONG, TYPE_POINTER, TYPE_UINT,
					   TYPE_ULONG, TYPE_POINTER };

	if (percent(program, 50))
		return often[random_below(program, sizeof(often) / sizeof(often[0]))];
	return random_below(program, TYPE_COUNT);
}

static void plan_parameters(struct program *program, struct function *function)
{
	unsigned int limit = percent(program, 20) ? PARAMETERS_MAX : 4;

	function->parameter_count = 1 + random_below(program, limit);
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		function->parameters[i].type = random_type(program);
		function->parameters[i].use = random_below(program, USE_COUNT);
	}
}

/* A parameter of the caller that can be passed on as this type, or -1. */
static int find_parameter(struct program *program, const struct function *caller, enum type type)
{
	unsigned int start = random_below(program, PARAMETERS_MAX);

	for (unsigned int i = 0; i < caller->parameter_count; i++) {
		unsigned int at = (start + i) % caller->parameter_count;
		enum type theirs = caller->parameters[at].type;

		if (theirs == type || (types[theirs].is_number && types[type].is_number &&
				       percent(program, 30)))
			return (int)at;
	}
	return -1;
}

static void plan_argument(struct program *program, struct function *caller, enum type type,
			  bool in_loop, struct argument *argument)
{
	int parameter = caller ? find_parameter(program, caller, type) : -1;
	bool is_driver = caller && caller->level == LEVELS;

	argument->type = type;
	for (unsigned int i = 0; i < WORDS_MAX; i++)
		argument->constant[i] = random_word(program);
	if (parameter >= 0 && percent(program, 65)) {
		argument->feed = (types[type].is_number || type == TYPE_POINTER) &&
				 percent(program, 30) ? FEED_SUM : FEED_PARAMETER;
		argument->index = (unsigned int)parameter;
		argument->constant[0] = 16 * (1 + random_below(program, 4));
		return;
	}
	if (type == TYPE_POINTER) {
		argument->feed = FEED_OBJECT + random_below(program, is_driver ? 3 : 2);
		argument->index = random_below(program, OBJECTS);
		if (argument->feed == FEED_LOCAL)
			argument->index = random_below(program, caller->local_count);
		return;
	}
	if (is_driver && types[type].is_number && percent(program, 30)) {
		argument->feed = FEED_VARIABLE;
		argument->index = random_below(program, caller->variable_count);
		argument->constant[0] = percent(program, 50) ? 0 : 8 * random_below(program, 9);
		return;
	}
	if (in_loop && types[type].is_number && percent(program, 60)) {
		argument->feed = FEED_LOOP;
		argument->constant[0] = 16 * (1 + random_below(program, 5));
		argument->index = add_inputs(program, 1);
		return;
	}
	/* If nothing is passed on, constants are frequent: kernels are full of them. */
	argument->feed = FEED_LOADED;
	if (percent(program, 25))
		argument->feed = FEED_CONSTANT;
	else if (types[type].is_number && percent(program, 25))
		argument->feed = FEED_COMPUTED;
	if (argument->feed == FEED_CONSTANT && percent(program, 50))
		argument->constant[0] = random_below(program, 100);
	if (argument->feed != FEED_CONSTANT)
		argument->index = add_inputs(program, types[type].words);
}

static struct function *random_callee(struct program *program, const struct function *caller)
{
	unsigned int per_unit = LEVELS * PER_LEVEL;
	unsigned int level = random_below(program, caller->level);

	if (percent(program, 50))
		level = caller->level - 1;
	return &program->functions[caller->unit * per_unit + level * PER_LEVEL +
				   random_below(program, PER_LEVEL)];
}

static void plan_calls(struct program *program, struct function *caller, unsigned int limit)
{
	unsigned int count = caller->level ? 1 + random_below(program, limit) : 0;

	for (unsigned int i = 0; i < count; i++) {
		struct call *call = &caller->calls[caller->call_count];

		/* The same one twice now and then. */
		if (caller->call_count && percent(program, 25))
			call->callee = caller->calls[caller->call_count - 1].callee;
		else
			call->callee = random_callee(program, caller);
		if (caller->is_pure && !call->callee->is_pure)
			continue;
		call->touches_first = !caller->is_pure && percent(program, 30);
		call->is_result_used = percent(program, 70);
		call->in_loop = caller->level == LEVELS && percent(program, 25);
		for (unsigned int k = 0; k < call->callee->parameter_count; k++)
			plan_argument(program, caller, call->callee->parameters[k].type,
				      call->in_loop, &call->arguments[k]);
		caller->call_count++;
	}
}

static void plan_inline(struct program *program, unsigned int unit, unsigned int level)
{
	static const enum linkage linkages[] = { LINKAGE_ALWAYS, LINKAGE_ALWAYS, LINKAGE_INLINE,
						 LINKAGE_INLINE, LINKAGE_STATIC };
	struct function *function = &program->functions[program->function_count++];

	snprintf(function->name, sizeof(function->name), "site_%u_%u", unit,
		 program->function_count);
	function->unit = unit;
	function->level = level;
	function->linkage = linkages[random_below(program, 5)];
	function->is_pure = level < 2 && percent(program, 30);
	plan_parameters(program, function);
	for (unsigned int i = 0; function->is_pure && i < function->parameter_count; i++) {
		static const enum use pure[] = { USE_NONE, USE_RESULT, USE_CHANGE, USE_MASK };

		function->parameters[i].use = pure[random_below(program, 4)];
	}
	plan_calls(program, function, 2);
}

static void plan_driver(struct program *program, unsigned int unit)
{
	struct function *driver = &program->functions[program->function_count++];

	snprintf(driver->name, sizeof(driver->name), "driver_%u_%u", unit,
		 program->function_count);
	driver->unit = unit;
	driver->level = LEVELS;
	driver->linkage = LINKAGE_NOINLINE;
	plan_parameters(program, driver);
	driver->local_count = 1 + random_below(program, LOCALS_MAX);
	driver->variable_count = 1 + random_below(program, LOCALS_MAX);
	driver->first_log = program->log_count;
	program->log_count += driver->local_count;
	for (unsigned int i = 0; i < driver->variable_count; i++)
		driver->variables[i] = add_inputs(program, 1);
	plan_calls(program, driver, CALLS_MAX);
	for (unsigned int i = 0; i < driver->parameter_count; i++)
		plan_argument(program, NULL, driver->parameters[i].type, false,
			      &driver->arguments[i]);
}

void program_plan(struct program *program, unsigned int units)
{
	program->unit_count = units;
	program->functions = calloc(units * (LEVELS * PER_LEVEL + DRIVERS_PER_UNIT),
				    sizeof(*program->functions));
	for (unsigned int unit = 0; unit < units; unit++) {
		for (unsigned int level = 0; level < LEVELS; level++) {
			for (unsigned int i = 0; i < PER_LEVEL; i++)
				plan_inline(program, unit, level);
		}
	}
	program->driver_count = units * DRIVERS_PER_UNIT;
	for (unsigned int unit = 0; unit < units; unit++) {
		for (unsigned int i = 0; i < DRIVERS_PER_UNIT; i++)
			plan_driver(program, unit);
	}
	if (program->log_count > LOGS_MAX)
		abort();
}

int main(int argc, char **argv)
{
	static struct program program;

	if (argc != 3)
		return 2;
	if (chdir(argv[2])) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		return 2;
	}
	program.random = strtoull(argv[1], NULL, 0);
	program_plan(&program, UNITS);
	program_write(&program);
	program_expect(&program);
	free(program.functions);
	return 0;
}
