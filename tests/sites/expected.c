/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "expected.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s\n", path, what);
	exit(2);
}

static void *grown(void *array, size_t count, size_t size)
{
	array = realloc(array, (count + 1) * size);
	if (!array)
		abort();
	memset((char *)array + count * size, 0, size);
	return array;
}

static void read_function(struct expected *expected)
{
	struct expected_function *function;
	char *word;

	expected->functions = grown(expected->functions, expected->function_count,
				    sizeof(*expected->functions));
	function = &expected->functions[expected->function_count++];
	snprintf(function->name, sizeof(function->name), "%s", strtok(NULL, " \n"));
	while ((word = strtok(NULL, " \n"))) {
		if (function->parameter_count == EXPECTED_PARAMETERS)
			abort();
		function->sizes[function->parameter_count++] = (unsigned int)atoi(word);
	}
}

static void read_value(struct expected_value *value, char *word, expected_symbol *symbol,
		       const void *context)
{
	char *rest = word + 2, *plus = strchr(word, '+');
	uint64_t size;

	value->base = word[0];
	switch (word[0]) {
	case 'N':
		for (unsigned int i = 0; i < EXPECTED_WORDS; i++) {
			value->words[i] = strtoull(rest, &rest, 16);
			if (*rest++ != ',')
				break;
		}
		break;
	case 'S':
		*plus = 0;
		if (!symbol(context, rest, &value->address, &size))
			fail(rest, "no such symbol");
		value->words[0] = strtoull(plus + 1, NULL, 10);
		break;
	case 'L':
		if (!symbol(context, "sites_log", &value->address, &size))
			fail("sites_log", "no such symbol");
		value->address += 8 * strtoull(rest, NULL, 10);
		value->words[0] = strtoull(plus + 1, NULL, 10);
		break;
	default:
		fail(word, "no value");
	}
}

static void read_context(struct expected *expected, expected_symbol *symbol, const void *from)
{
	struct expected_function *function = &expected->functions[expected->function_count - 1];
	struct expected_context *context;
	uint64_t size;

	function->contexts = grown(function->contexts, function->context_count,
				   sizeof(*function->contexts));
	context = &function->contexts[function->context_count++];
	if (symbol(from, strtok(NULL, " \n"), &context->driver_begin, &size))
		context->driver_end = context->driver_begin + size;
	context->iteration = atoi(strtok(NULL, " \n"));
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		char *word = strtok(NULL, " \n");
		char *changed = word ? strchr(word, '~') : NULL;

		if (!changed)
			fail(function->name, "a value is missing");
		*changed++ = 0;
		read_value(&context->values[i], word, symbol, from);
		read_value(&context->changed[i], changed, symbol, from);
	}
}

void expected_read(struct expected *expected, const char *path, expected_symbol *symbol,
		   const void *context)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	*expected = (struct expected){ 0 };
	if (!file)
		fail(path, strerror(errno));
	while (getline(&line, &room, file) > 0) {
		char *word = strtok(line, " \n");

		if (word && strcmp(word, "function") == 0)
			read_function(expected);
		else if (word && strcmp(word, "context") == 0 && expected->function_count)
			read_context(expected, symbol, context);
		else
			fail(path, "an unknown line");
	}
	free(line);
	fclose(file);
}

void expected_release(struct expected *expected)
{
	for (size_t i = 0; i < expected->function_count; i++)
		free(expected->functions[i].contexts);
	free(expected->functions);
}

const struct expected_function *expected_function(const struct expected *expected, const char *name)
{
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < expected->function_count; i++) {
		const struct expected_function *function = &expected->functions[i];

		if (strlen(function->name) == length &&
		    strncmp(function->name, name, length) == 0)
			return function;
	}
	return NULL;
}
