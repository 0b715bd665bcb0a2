/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Draws a program: its functions, and what is special about each. A function calls only earlier
 * ones of a lower level, so that the program ends, but for recursion, which counts down.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define UNITS		   5
#define FUNCTIONS_PER_UNIT 44

/* splitmix64: the same programs everywhere. */
uint32_t random_below(struct program *program, uint32_t limit)
{
	uint64_t z = program->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) % limit);
}

bool percent(struct program *program, uint32_t chance)
{
	return random_below(program, 100) < chance;
}

static const struct type *random_type(struct program *program)
{
	unsigned int sum = 0, drawn;

	for (unsigned int i = 0; i < type_count; i++)
		sum += types[i].weight;
	drawn = random_below(program, sum);
	for (unsigned int i = 0;; i++) {
		if (drawn < types[i].weight)
			return &types[i];
		drawn -= types[i].weight;
	}
}

static enum use random_use(struct program *program, const struct type *type)
{
	uint32_t drawn = random_below(program, 100);
	bool members = type->kind == TYPE_NODE || type->kind == TYPE_AGGREGATE;

	if (drawn < 19)
		return USE_NONE;
	if (drawn < 22)
		return type->kind == TYPE_AGGREGATE ? USE_NONE : USE_ASSUMED;
	if (drawn < 28)
		return USE_COLD;
	if (drawn < 33)
		return USE_SOMETIMES;
	if (drawn < 36)
		return USE_ADDRESS;
	if (drawn < 42)
		return USE_LATE;
	if (drawn < 50)
		return USE_PASS;
	if (members && drawn < 72)
		return USE_ONE_MEMBER;
	if (members && drawn < 82)
		return USE_MEMBERS;
	if (type->kind == TYPE_NODE && type->name[0] != 'c' && drawn < 88)
		return USE_WRITE;
	if (type->kind == TYPE_POINTER && drawn < 82)
		return USE_ONE_MEMBER;
	return USE_VALUE;
}

static struct parameter random_parameter(struct program *program)
{
	const struct type *type = random_type(program);
	struct parameter parameter = {
		.type = type,
		.use = random_use(program, type),
		.through = percent(program, 60),
	};
	uint32_t feed = random_below(program, 100);

	if (type_is_scalar(type))
		parameter.feed = feed < 12 ? FEED_CONSTANT : feed < 17 ? FEED_FEW : FEED_TAG;
	parameter.member = random_below(program, type_member_count(type));
	return parameter;
}

/* Most functions have few parameters; enough have some on the stack. */
static unsigned int random_parameter_count(struct program *program)
{
	uint32_t drawn = random_below(program, 100);

	if (drawn < 4)
		return 0;
	if (drawn < 64)
		return 1 + random_below(program, 4);
	return 5 + random_below(program, 6);
}

static void number_words(struct function *function)
{
	unsigned int word = 0;

	for (unsigned int i = 0; i < function->parameter_count; i++) {
		unsigned int words = type_words(function->parameters[i].type);

		if (word + words > WORDS_MAX) {
			function->parameter_count = i;
			break;
		}
		function->parameters[i].word = word;
		word += words;
	}
}

static void draw_signature(struct program *program, struct function *function)
{
	function->parameter_count = random_parameter_count(program);
	for (unsigned int i = 0; i < function->parameter_count; i++)
		function->parameters[i] = random_parameter(program);
	number_words(function);
	if (percent(program, 65))
		function->result = random_type(program);
	function->result_used = percent(program, 70);
	function->variadic = function->parameter_count && percent(program, 3);
}

static const struct type *type_int(void)
{
	return &types[0];
}

static void make_recursive(struct program *program, struct function *function)
{
	struct parameter *depth;

	if (function->variadic)
		return;
	if (!function->parameter_count)
		function->parameter_count = 1;
	depth = &function->parameters[random_below(program, function->parameter_count)];
	*depth = (struct parameter){ .type = type_int(), .use = USE_DEPTH };
	number_words(function);
}

static bool is_recursive(const struct function *function)
{
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		if (function->parameters[i].use == USE_DEPTH)
			return true;
	}
	return false;
}

static void copy_signature(struct function *to, const struct function *from)
{
	to->parameter_count = from->parameter_count;
	memcpy(to->parameters, from->parameters, sizeof(to->parameters));
	to->result = from->result;
	to->variadic = from->variadic;
}

/* The same types; what the body does with them is drawn again. */
static void redraw_uses(struct program *program, struct function *function)
{
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		struct parameter *parameter = &function->parameters[i];

		if (parameter->use != USE_DEPTH)
			parameter->use = random_use(program, parameter->type);
	}
}

static void draw_body(struct program *program, struct function *function)
{
	function->noinline_ = percent(program, 55);
	function->impure = percent(program, 60);
	function->early_exit = percent(program, 14);
	function->cold_path = percent(program, 20);
	function->tail_call = percent(program, 40);
	function->loops = percent(program, 25);
	function->filler = random_below(program, function->early_exit ? 25 : 12);
}

static void draw_linkage(struct program *program, struct function *function)
{
	function->is_static = percent(program, 58);
	if (!function->is_static) {
		function->weak = percent(program, 5);
		function->has_alias = !function->weak && !function->variadic && percent(program, 5);
		function->elsewhere_only = percent(program, 30);
	}
	function->hooked = percent(program, 14);
}

static void draw_callees(struct program *program, struct function *function)
{
	uint32_t drawn = random_below(program, 100);
	unsigned int wanted = 1 + random_below(program, CALLEES_MAX);

	function->level = drawn < 60 ? 0 : drawn < 88 ? 1 : 2;
	if (!function->level || is_recursive(function))
		return;
	for (unsigned int tries = 0; tries < 20 && function->callee_count < wanted; tries++) {
		uint32_t id = random_below(program, function->id + 1);
		const struct function *callee = &program->functions[id];

		if (id == function->id || callee->level >= function->level || callee->is_partner ||
		    callee->table_count || callee->table_first != NO_FUNCTION ||
		    (callee->is_static && callee->unit != function->unit))
			continue;
		function->callees[function->callee_count++] = id;
	}
	if (function->tail_call && function->callee_count)
		function->result =
			program->functions[function->callees[function->callee_count - 1]].result;
}

static void name_function(struct program *program, struct function *function)
{
	static const char *const verbs[] = { "get", "put", "probe", "read", "write", "scan", "fold",
					     "drop", "attach", "flush", "merge", "walk" };
	static const char *const nouns[] = { "node", "ring", "page", "slot", "queue", "clock",
					     "route", "group", "token", "frame" };

	function->name_id = program->name_count++;
	snprintf(function->name, sizeof(function->name), "%s_%s_%u",
		 verbs[random_below(program, sizeof(verbs) / sizeof(verbs[0]))],
		 nouns[random_below(program, sizeof(nouns) / sizeof(nouns[0]))], function->id);
}

/* A static function of another unit lends its name, half of the time its prototype, too. */
static bool borrow_name(struct program *program, struct function *function)
{
	struct function *other;

	if (!function->unit || !function->is_static)
		return false;
	other = &program->functions[random_below(program, function->unit * FUNCTIONS_PER_UNIT)];
	if (!other->is_static || other->table_first != NO_FUNCTION)
		return false;
	for (uint32_t id = 0; id < function->id; id++) {
		if (program->functions[id].name_id == other->name_id &&
		    program->functions[id].unit == function->unit)
			return false;
	}
	memcpy(function->name, other->name, sizeof(function->name));
	function->name_id = other->name_id;
	function->namesake = other->namesake = true;
	if (percent(program, 50) && !is_recursive(other)) {
		copy_signature(function, other);
		redraw_uses(program, function);
	}
	return true;
}

static struct function *new_function(struct program *program, unsigned int unit)
{
	struct function *function = &program->functions[program->function_count];

	*function = (struct function){ .id = program->function_count++, .unit = unit,
				       .partner = NO_FUNCTION, .table_first = NO_FUNCTION };
	draw_body(program, function);
	draw_linkage(program, function);
	draw_signature(program, function);
	return function;
}

static void new_plain(struct program *program, unsigned int unit)
{
	struct function *function = new_function(program, unit);

	if (percent(program, 12))
		make_recursive(program, function);
	if (!percent(program, 9) || !borrow_name(program, function))
		name_function(program, function);
	draw_callees(program, function);
}

/* `first` calls `second`, which calls `first`. */
static void new_pair(struct program *program, unsigned int unit)
{
	struct function *second = new_function(program, unit);
	struct function *first = new_function(program, unit);

	second->variadic = first->variadic = false;
	make_recursive(program, first);
	copy_signature(second, first);
	redraw_uses(program, second);
	second->is_static = first->is_static;
	second->weak = second->has_alias = second->hooked = second->elsewhere_only = false;
	second->is_partner = true;
	second->partner = first->id;
	first->partner = second->id;
	name_function(program, second);
	name_function(program, first);
}

/* Functions of one prototype whose addresses are in an array. */
static void new_table(struct program *program, unsigned int unit)
{
	unsigned int count = 2 + random_below(program, 3);
	struct function *first = new_function(program, unit);

	first->table_count = count;
	first->table_first = first->id;
	first->hooked = first->variadic = first->weak = first->has_alias = false;
	name_function(program, first);
	for (unsigned int i = 1; i < count; i++) {
		struct function *next = new_function(program, unit);

		copy_signature(next, first);
		redraw_uses(program, next);
		next->is_static = first->is_static;
		next->elsewhere_only = first->elsewhere_only;
		next->table_first = first->id;
		next->hooked = next->weak = next->has_alias = false;
		name_function(program, next);
	}
}

void program_plan(struct program *program)
{
	program->unit_count = UNITS;
	program->functions = calloc(UNITS * (FUNCTIONS_PER_UNIT + 8), sizeof(struct function));
	if (!program->functions)
		abort();
	for (unsigned int unit = 0; unit < UNITS; unit++) {
		while (program->function_count < (unit + 1) * FUNCTIONS_PER_UNIT) {
			uint32_t drawn = random_below(program, 100);

			if (drawn < 3)
				new_pair(program, unit);
			else if (drawn < 6)
				new_table(program, unit);
			else
				new_plain(program, unit);
		}
	}
}
