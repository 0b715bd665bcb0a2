/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The values that calls pass, by the rules of C alone. Every path of calls from a driver is one
 * context; in a loop, every iteration. truth.txt:
 *
 *	function NAME SIZE...		sizes of its parameters
 *	context DRIVER ITERATION VALUE...	a call of the function named last; -1: in no loop
 *
 * A value is N:WORD[,WORD...] (in memory order, 8 bytes each, hexadecimal), S:SYMBOL+OFFSET, or
 * L:SLOT+OFFSET: what the program has written into sites_log. After ~ comes the value that the
 * function makes of it before anything else.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "program.h"

struct value {
	char base;		/* N, S, L */
	unsigned int index;	/* S: unit of a static object, UINT32_MAX: sites_objects; L: slot */
	uint64_t words[WORDS_MAX];
};

struct context {
	const struct program *program;
	const struct function *driver;
	int iteration;
	FILE *out;	/* of one function, as contexts are found */
};

static uint64_t narrowed(uint64_t word, enum type type)
{
	unsigned int bits = 8 * types[type].size;

	if (type == TYPE_BOOL)
		return word & 1;
	if (bits >= 64)
		return word;
	word &= (1UL << bits) - 1;
	if (types[type].is_signed && word >> (bits - 1))
		word |= ~0UL << bits;
	return word;
}

/* The members of a value that is loaded or constant. */
static struct value composed(const struct argument *argument, const uint64_t *words)
{
	struct value value = { .base = 'N' };
	enum type type = argument->type;

	if (type == TYPE_S8 || type == TYPE_S12) {
		value.words[0] = (words[0] & 0xffffffff) | words[1] << 32;
		value.words[1] = type == TYPE_S12 ? words[2] & 0xffffffff : 0;
	} else if (type == TYPE_S16 || type == TYPE_S24) {
		for (unsigned int i = 0; i < types[type].words; i++)
			value.words[i] = words[i];
	} else if (type == TYPE_BOOL && argument->index % 4) {
		value.words[0] = words[0] >> 63;
	} else {
		value.words[0] = narrowed(words[0], type);
	}
	return value;
}

static struct value evaluate(const struct context *context, const struct function *caller,
			     const struct value *own, const struct argument *argument)
{
	const uint64_t *inputs = context->program->inputs;
	struct value value = { .base = 'N' };

	switch (argument->feed) {
	case FEED_LOADED:
		return composed(argument, &inputs[argument->index]);
	case FEED_CONSTANT:
		return composed(argument, argument->constant);
	case FEED_COMPUTED:
		value.words[0] = narrowed(inputs[argument->index] * 3 + 7, argument->type);
		return value;
	case FEED_LOOP:
		value.words[0] = narrowed(inputs[argument->index] +
					  (uint64_t)context->iteration * argument->constant[0],
					  argument->type);
		return value;
	case FEED_VARIABLE:
		value.words[0] = narrowed(inputs[caller->variables[argument->index]] +
					  argument->constant[0], argument->type);
		return value;
	case FEED_OBJECT:
	case FEED_STATIC:
		value.base = 'S';
		value.index = argument->feed == FEED_OBJECT ? UINT32_MAX :
			      caller ? caller->unit : context->program->unit_count;
		value.words[0] = 8 * argument->index;
		return value;
	case FEED_LOCAL:
		value.base = 'L';
		value.index = caller->first_log + argument->index;
		return value;
	case FEED_PARAMETER:
	case FEED_SUM:
		value = own[argument->index];
		if (argument->feed == FEED_SUM)
			value.words[0] += argument->constant[0];
		if (types[argument->type].is_number)
			value.words[0] = narrowed(value.words[0], argument->type);
		return value;
	}
	abort();
}

/* Changes the value as the function itself does before it calls others. */
static void change(const struct parameter *parameter, struct value *value)
{
	uint64_t *word = &value->words[0];

	if (parameter->use == USE_MASK) {
		if (types[parameter->type].is_number || parameter->type == TYPE_VOID_POINTER)
			*word &= ~7UL;
		return;
	}
	if (parameter->use != USE_CHANGE)
		return;
	switch (parameter->type) {
	case TYPE_BOOL:
		*word ^= 1;
		break;
	case TYPE_VOID_POINTER:
	case TYPE_POINTER:
		*word += 24;
		break;
	case TYPE_S8:
	case TYPE_S12:
		*word = (*word & ~0xffffffffUL) | ((*word + 5) & 0xffffffff);
		break;
	case TYPE_S16:
	case TYPE_S24:
		*word += 5;
		break;
	default:
		*word = narrowed(*word + 5, parameter->type);
	}
}

static void write_value(FILE *out, enum type type, const struct value *value)
{
	if (value->base == 'S') {
		if (value->index == UINT32_MAX)
			fprintf(out, "S:sites_objects");
		else
			fprintf(out, "S:site_static_%u", value->index);
		fprintf(out, "+%" PRIu64, value->words[0]);
	} else if (value->base == 'L') {
		fprintf(out, "L:%u+%" PRIu64, value->index, value->words[0]);
	} else {
		for (unsigned int i = 0; i < (types[type].size + 7) / 8; i++)
			fprintf(out, "%s%" PRIx64, i ? "," : "N:", value->words[i]);
	}
}

/* The contexts of `wanted` among those of `function` and what it calls; LEVELS deep at most. */
static void expand(struct context *context, const struct function *function,
		   const struct value *passed, const struct function *wanted)
{
	struct value own[PARAMETERS_MAX];

	for (unsigned int i = 0; i < function->parameter_count; i++)
		own[i] = passed[i];
	if (function == wanted) {
		fprintf(context->out, "context %s %d", context->driver->name, context->iteration);
		for (unsigned int i = 0; i < function->parameter_count; i++) {
			struct value changed = own[i];

			fprintf(context->out, " ");
			write_value(context->out, function->parameters[i].type, &own[i]);
			change(&function->parameters[i], &changed);
			fprintf(context->out, "~");
			write_value(context->out, function->parameters[i].type, &changed);
		}
		fprintf(context->out, "\n");
	}
	for (unsigned int i = 0; i < function->parameter_count; i++)
		change(&function->parameters[i], &own[i]);
	for (unsigned int i = 0; i < function->call_count; i++) {
		const struct call *call = &function->calls[i];

		for (int loop = 0; loop < (call->in_loop ? LOOPS : 1); loop++) {
			struct value arguments[PARAMETERS_MAX];

			if (function->level == LEVELS)
				context->iteration = call->in_loop ? loop : NO_LOOP;
			for (unsigned int k = 0; k < call->callee->parameter_count; k++)
				arguments[k] = evaluate(context, function, own,
							&call->arguments[k]);
			expand(context, call->callee, arguments, wanted);
		}
	}
}

void program_expect(const struct program *program)
{
	FILE *out = fopen("truth.txt", "w");

	if (!out)
		abort();
	for (unsigned int i = 0; i < program->function_count; i++) {
		const struct function *wanted = &program->functions[i];

		fprintf(out, "function %s", wanted->name);
		for (unsigned int k = 0; k < wanted->parameter_count; k++)
			fprintf(out, " %u", types[wanted->parameters[k].type].size);
		fprintf(out, "\n");
		for (unsigned int k = 0; k < program->driver_count; k++) {
			const struct function *driver =
				&program->functions[program->function_count -
						    program->driver_count + k];
			struct context context = { program, driver, NO_LOOP, out };
			struct value arguments[PARAMETERS_MAX];

			for (unsigned int p = 0; p < driver->parameter_count; p++)
				arguments[p] = evaluate(&context, NULL, NULL,
							&driver->arguments[p]);
			expand(&context, driver, arguments, wanted);
		}
	}
	fclose(out);
}
