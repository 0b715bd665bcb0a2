/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "commands/command_line.h"
#include "commands/diff/diff_types.h"
#include "commands/print/json.h"

static int print_types(const struct types_question *question, const struct type_query *query,
		       const struct type_answer *rows, size_t count)
{
	bool all = true;
	struct error err;

	for (size_t i = 0; i < count; i++)
		all &= type_is_found(&rows[i].found);
	if (!all && count == 1 && question->has_modules)
		return -1;
	if (question->json)
		json_write(type_json(query, rows, count), JSON_INDENT(2), stdout);
	else
		type_print(query, rows, count);
	if (!stdout_flush(&err))
		return command_failed(&err);
	return all ? EXIT_DONE : EXIT_ANSWER_NO;
}

/* Of a type that a file does not have: whether units of its DWARF have it that are left out. */
static char *find_excluded(const struct types_question *question, const char *path)
{
	struct encode_options of_path = question->kernel->encode;
	const struct excluded_query wanted = { .name = question->query->name, .types = true,
					       .kind = question->query->kind };
	struct program program;
	struct error ignored;
	char *found;

	of_path.path = path;
	if (file_kind_of(path) != FILE_ELF || !program_open(&program, &of_path, &ignored))
		return NULL;
	found = program_find_excluded(&program, &wanted);
	program_close(&program);
	return found;
}

/* Whether a type of the name differs between two files, and how. */
static json_t *type_differences(const struct type_query *query, const struct type_found *old,
				const struct type_found *new)
{
	struct type_diff diff = { 0 };
	json_t *lines = json_array();

	type_diff_add(&diff, NULL, old->btf, old->types.word_bytes, new->btf,
		      new->types.word_bytes);
	array_each(const struct type_change, change, &diff.changes) {
		for (size_t k = 0; k < change->details.count; k++) {
			if (strcmp(change->name, query->name) == 0 &&
			    (!query->kind ||
			     strcmp(change->keyword, btf_keywords[query->kind]) == 0))
				json_array_append_new(lines, json_text(change->details.data[k]));
		}
	}
	type_diff_release(&diff);
	return lines;
}

int types_ask(const struct types_question *question, char **files, size_t count)
{
	const struct type_query *query = question->query;
	struct kernel_types *inputs = memory_zeroed(count, sizeof(*inputs));
	struct kernel_options of_path = *question->kernel;
	struct type_answer *rows = memory_zeroed(count, sizeof(*rows));
	struct type_query meant = *query;
	size_t opened = 0;
	bool good = true;
	struct error err;
	int status;

	meant.path = NULL;
	while (good && opened < count) {
		of_path.records.path = files[opened];
		good = kernel_types_open(&inputs[opened], &of_path, &err);
		rows[opened].path = files[opened];
		rows[opened].searched = question->searched ? question->searched : "";
		if (good) {
			type_find(&rows[opened].found, inputs[opened].btf, query);
			if (!opened)
				meant.path = type_find_meant(&rows[0].found, query);
			if (!opened && meant.path) {
				print_warning("%s has no member %s: the answer is about %s",
					      query->name, query->path, meant.path);
				query = &meant;
				type_found_release(&rows[0].found);
				type_find(&rows[0].found, inputs[0].btf, query);
			}
			type_find_operation(&rows[opened], query);
			if (!rows[opened].found.id && !query->is_ops)
				rows[opened].excluded = find_excluded(question, files[opened]);
		}
		if (good && opened && !*query->path && type_is_found(&rows[opened].found) &&
		    !rows[opened].found.enumerator && type_is_found(&rows[opened - 1].found))
			rows[opened].differs = type_differences(query, &rows[opened - 1].found,
								&rows[opened].found);
		opened++;
	}
	status = good ? print_types(question, query, rows, count) : command_failed(&err);
	while (opened--) {
		type_found_release(&rows[opened].found);
		free(rows[opened].excluded);
		json_decref(rows[opened].differs);
		kernel_types_close(&inputs[opened]);
	}
	free(meant.path);
	free(inputs);
	free(rows);
	return status;
}
