/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: fentry_all STEP TRACEABLE
 *
 * Loads an fentry program for every FUNC of the kernel and its modules, and attaches it to each
 * STEPth of those that the file TRACEABLE (tracefs: available_filter_functions) lists. On stdout,
 * separated by tabs and in no order:
 *
 *	load OBJECT FUNCTION ERROR EMPTY LOG	a program that was refused; EMPTY: how many
 *						parameters are structs of no size
 *	attach OBJECT FUNCTION ERROR		a program that could not be attached
 *	loaded OBJECT TRIED TRACEABLE ATTACHED	totals; one line per object and worker
 *
 * classify.awk judges the meaning of a refusal. Exit status: 0 when all were tried.
 */
#include "tests/kbuild/fentry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_LINE = 1024, LOG_BYTES = 1 << 16 };

/* Lines of TRACEABLE, "function" or "function [module]", sorted. */
struct traceable {
	char **lines;
	size_t count;
};

struct totals {
	size_t tried, traceable, attached;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool traceable_read(struct traceable *list, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[MAX_LINE];
	size_t capacity = 0;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (list->count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			list->lines = realloc(list->lines, capacity * sizeof(*list->lines));
			if (!list->lines)
				abort();
		}
		list->lines[list->count++] = strdup(line);
	}
	fclose(file);
	if (!list->lines)
		return false;
	qsort(list->lines, list->count, sizeof(*list->lines), compare_lines);
	return true;
}

static bool is_traceable(const struct traceable *list, const struct kernel_btf *target,
			 const char *function)
{
	char line[MAX_LINE];
	char *key = line;
	int length;

	if (target->fd == 0)
		length = snprintf(line, sizeof(line), "%s", function);
	else
		length = snprintf(line, sizeof(line), "%s [%s]", function, target->object);
	return length < MAX_LINE && bsearch(&key, list->lines, list->count, sizeof(*list->lines),
					    compare_lines);
}

static size_t empty_parameters(const struct btf *btf, const struct btf_type *func)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	size_t count = 0;

	for (uint16_t i = 0; i < btf_vlen(proto); i++) {
		int id = btf__resolve_type(btf, btf_params(proto)[i].type);

		if (id > 0 && btf_is_struct(btf__type_by_id(btf, (uint32_t)id)))
			count += btf__type_by_id(btf, (uint32_t)id)->size == 0;
	}
	return count;
}

static void try_function(const struct kernel_btf *target, uint32_t func_id,
			 const struct traceable *list, size_t step, struct totals *totals)
{
	static const struct bpf_insn return_zero[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static char log[LOG_BYTES];
	const struct btf_type *type = btf__type_by_id(target->btf, func_id);
	const char *name = btf__name_by_offset(target->btf, type->name_off);
	int program, link;

	totals->tried++;
	program = fentry_load(target, func_id, return_zero, 2, log, sizeof(log));
	if (program < 0) {
		log[strcspn(log, "\n")] = '\0';
		dprintf(STDOUT_FILENO, "load\t%s\t%s\t%d\t%zu\t%s\n", target->object, name,
			-program, empty_parameters(target->btf, type), log);
		return;
	}
	if (is_traceable(list, target, name) && totals->traceable++ % step == 0) {
		link = fentry_attach(program);
		if (link < 0) {
			dprintf(STDOUT_FILENO, "attach\t%s\t%s\t%d\n", target->object, name, -link);
		} else {
			totals->attached++;
			close(link);
		}
	}
	close(program);
}

/* Worker WORKER of WORKERS takes each WORKERSth function. */
static void work(const struct kernel_btfs *btfs, const struct traceable *list, size_t step,
		 size_t worker, size_t workers)
{
	const struct kernel_btf *target;

	for (target = btfs->items; target < btfs->items + btfs->count; target++) {
		struct totals totals = { 0 };
		uint32_t end = btf__type_cnt(target->btf);
		size_t functions = 0;

		for (uint32_t id = target->first_id; id < end; id++) {
			if (!btf_is_func(btf__type_by_id(target->btf, id)))
				continue;
			if (functions++ % workers == worker)
				try_function(target, id, list, step, &totals);
		}
		dprintf(STDOUT_FILENO, "loaded\t%s\t%zu\t%zu\t%zu\n", target->object, totals.tried,
			totals.traceable, totals.attached);
	}
}

int main(int argc, char **argv)
{
	size_t workers = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	size_t step = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	struct traceable list = { 0 };
	struct kernel_btfs btfs;
	int status, result = EXIT_SUCCESS;

	if (step == 0) {
		fprintf(stderr, "usage: fentry_all STEP TRACEABLE\n");
		return EXIT_FAILURE;
	}
	if (!traceable_read(&list, argv[2])) {
		fprintf(stderr, "fentry_all: cannot read %s\n", argv[2]);
		return EXIT_FAILURE;
	}
	if (!kernel_btfs_open(&btfs))
		return EXIT_FAILURE;
	for (size_t worker = 0; worker < workers; worker++) {
		if (fork() == 0) {
			work(&btfs, &list, step, worker, workers);
			_exit(EXIT_SUCCESS);
		}
	}
	for (size_t worker = 0; worker < workers; worker++) {
		if (wait(&status) < 0 || status != 0)
			result = EXIT_FAILURE;
	}
	return result;
}
