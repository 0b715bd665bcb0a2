/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_probes PART PARTS FILE
 *        tool_probes FILE <LINES
 *        tool_probes EVERY FILE
 *
 * Explains all functions of which FILE has records, each as `btfenc explain --records` does: after
 * a line "== NAME" the text, after a line "-- script" the script for tracefs. PART 0 of 2 is every
 * other name. Or what the lines ask for, "fentry/vfs_read": the text alone. Or each EVERYth address
 * at which the kernel replaces code when it boots: whether it takes a kprobe there, as lines of
 * probe_lines.awk, accepted or refused "patched"; those of which that is not known are left out.
 *
 * Exit status: 0 done, 2 usage, 3 the file cannot be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain.h"
#include "commands/explain/explain_print.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void explain_name(const struct kernel *kernel, const char *name)
{
	struct explanation explanation;

	printf("== %s\n", name);
	if (explanation_make(&explanation, kernel, name,
			     &(struct asked){ .name = (char *)name })) {
		explain_print_text(&explanation);
		printf("-- script\n");
		explain_print_script(&explanation, SCRIPT_TRACEFS);
	}
	explanation_release(&explanation);
}

static void explain_line(const struct kernel *kernel, const char *line)
{
	struct explanation explanation;
	struct asked asked;

	printf("== %s\n", line);
	asked_parse(&asked, line);
	if (explanation_make(&explanation, kernel, asked.name, &asked))
		explain_print_text(&explanation);
	explanation_release(&explanation);
	asked_release(&asked);
}

static void explain_lines(const struct kernel *kernel)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		explain_line(kernel, line);
	}
	free(line);
}

static void ask_patches(const struct kernel *kernel, size_t every)
{
	const struct attach_image *image = &kernel->image;

	for (size_t i = 0; i < kernel->tables.patches.count; i += every) {
		uint64_t address = kernel->tables.patches.data[i].address;
		const struct section_header *section = attach_section_at(image->object, address);
		struct attach_state state = attach_state_at(image, address,
							    section ? section->name : "", false);
		char probe[ATTACH_PROBE_BYTES];

		attach_probe(image, attach_symbol_at(image, address), address, ATTACH_NOWHERE,
			     probe);
		if (*probe && !state.init && state.kprobe.is != ATTACH_UNKNOWN)
			printf("%s\tpatched\t%s\tp %s\n",
			       state.kprobe.is == ATTACH_NO || state.notrace ? "refused"
									     : "accepted",
			       probe, probe);
	}
}

int main(int argc, char **argv)
{
	struct kernel_options options = {
		.records = { .path = argv[argc - 1], .records_only = true } };
	ARRAY_OF(char *) names = { 0 };
	struct kernel kernel;
	struct error err;
	size_t parts = argc > 3 ? strtoul(argv[2], NULL, 10) : 0, different = 0;

	size_t every = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc != 2 && !every && (argc != 4 || !parts)) {
		fprintf(stderr, "usage: tool_probes [PART PARTS | EVERY] FILE\n");
		return 2;
	}
	if (!kernel_open(&kernel, &options, &err)) {
		fprintf(stderr, "tool_probes: %s\n", err.text);
		return 3;
	}
	if (argc == 2)
		explain_lines(&kernel);
	if (every)
		ask_patches(&kernel, every);
	for (uint32_t id = 1; argc > 3 && id < btf_reader_end_id(kernel.records->btf); id++) {
		const char *name = records_function_name(kernel.records, id);

		if (*name)
			array_push(&names, memory_string(name, symbol_parse(name).base_length));
	}
	if (names.count)
		qsort(names.data, names.count, sizeof(*names.data), compare_names);
	for (size_t i = 0; i < names.count; i++) {
		if ((!i || strcmp(names.data[i - 1], names.data[i]) != 0) &&
		    different++ % parts == strtoul(argv[1], NULL, 10))
			explain_name(&kernel, names.data[i]);
	}
	for (size_t i = 0; i < names.count; i++)
		free(names.data[i]);
	array_release(&names);
	kernel_close(&kernel);
	return 0;
}
