/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *resize(void *data, size_t bytes)
{
	data = realloc(data, bytes);
	if (!data)
		abort();
	return data;
}

int source_find(const struct source *source, const char *name, size_t length)
{
	for (uint32_t i = 0; i < source->name_count; i++) {
		if (strncmp(source->names[i], name, length) == 0 && !source->names[i][length])
			return (int)i;
	}
	return -1;
}

static uint32_t add_name(struct source *source, const char *name, bool is_alias)
{
	int found = source_find(source, name, strlen(name));
	uint32_t index = source->name_count;

	if (found >= 0)
		return (uint32_t)found;
	source->names = resize(source->names, (index + 1) * sizeof(*source->names));
	source->is_alias = resize(source->is_alias, (index + 1) * sizeof(*source->is_alias));
	snprintf(source->names[index], sizeof(*source->names), "%s", name);
	source->is_alias[index] = is_alias;
	source->name_count++;
	return index;
}

static void read_scalars(struct value *value, const char *line)
{
	char class;
	int length;

	for (;; line += length) {
		struct scalar *scalar = &value->scalars[value->scalar_count];

		if (sscanf(line, " %c:%u:%u%n", &class, &scalar->offset, &scalar->size,
			   &length) != 3)
			break;
		if (class == 'a') {
			value->is_aggregate = true;
			continue;
		}
		scalar->is_float = class == 'f';
		if (line[length] == ':')
			sscanf(line + length, ":%7[^ \n]", scalar->member);
		length += (int)strcspn(line + length, " \n");
		value->scalar_count++;
	}
}

static void add_function(struct source *source, const char *line)
{
	char name[64];

	if (sscanf(line, "%63s", name) != 1)
		abort();
	source->functions = resize(source->functions,
				   (source->function_count + 1) * sizeof(*source->functions));
	source->functions[source->function_count++] =
		(struct source_function){ .name = add_name(source, name, false) };
}

static void add_result(struct prototype *prototype, const char *line)
{
	int length;

	if (sscanf(line, "%u%n", &prototype->result.size, &length) != 1)
		abort();
	read_scalars(&prototype->result, line + length);
}

static void add_parameter(struct prototype *prototype, const char *line)
{
	struct value *value = &prototype->parameters[prototype->parameter_count++];
	int length;

	if (prototype->parameter_count > PARAMETERS_MAX ||
	    sscanf(line, "%31s %u %u%n", value->name, &value->word, &value->size, &length) != 3)
		abort();
	read_scalars(value, line + length);
}

void source_read(struct source *source, const char *path)
{
	FILE *file = fopen(path, "r");
	struct prototype *prototype = NULL;
	char line[1024], word[32];
	int length;

	*source = (struct source){ 0 };
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%31s%n", word, &length) != 1)
			continue;
		if (source->function_count)
			prototype = &source->functions[source->function_count - 1].prototype;
		if (strcmp(word, "function") == 0)
			add_function(source, line + length);
		else if (strcmp(word, "result") == 0)
			add_result(prototype, line + length);
		else if (strcmp(word, "parameter") == 0)
			add_parameter(prototype, line + length);
		else if (strcmp(word, "alias") == 0 && sscanf(line + length, "%31s", word) == 1)
			add_name(source, word, true);
	}
	fclose(file);
}

void source_release(struct source *source)
{
	free(source->functions);
	free(source->names);
	free(source->is_alias);
}
