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

static void explain_name(struct records *records, const char *name)
{
	struct explanation explanation;

	printf("== %s\n", name);
	if (explanation_make(&explanation, NULL, records, name,
			     &(struct asked){ .name = (char *)name })) {
		explain_print_text(&explanation);
		printf("-- script\n");
		explain_print_script(&explanation, SCRIPT_TRACEFS);
	}
	explanation_release(&explanation);
}

static void explain_line(struct records *records, const char *line)
{
	struct explanation explanation;
	struct asked asked;

	printf("== %s\n", line);
	asked_parse(&asked, line);
	if (explanation_make(&explanation, NULL, records, asked.name, &asked))
		explain_print_text(&explanation);
	explanation_release(&explanation);
	asked_release(&asked);
}

static void explain_lines(struct records *records)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		explain_line(records, line);
	}
	free(line);
}

static void ask_patches(struct records *records, size_t every)
{
	struct explanation explanation;
	const struct attach_image *image = &explanation.image;

	/* Of any name: it has the tables. */
	explanation_make(&explanation, NULL, records, "vfs_read",
			 &(struct asked){ .name = (char *)"" });
	for (size_t i = 0; i < explanation.tables.patches.count; i += every) {
		uint64_t address = explanation.tables.patches.data[i].address;
		const struct section_header *section = attach_section_at(image->object, address);
		struct attach_state state = attach_state_at(image, address,
							    section ? section->name : "", false);
		char probe[ATTACH_PROBE_BYTES];

		attach_probe(image, attach_symbol_at(image, address), address, ATTACH_NOWHERE,
			     probe);
		if (*probe && !state.init && !state.doubt)
			printf("%s\tpatched\t%s\tp %s\n",
			       state.forbidden || state.notrace ? "refused" : "accepted",
			       probe, probe);
	}
	explanation_release(&explanation);
}

int main(int argc, char **argv)
{
	struct records_options options = { .path = argv[argc - 1], .records_only = true };
	ARRAY_OF(char *) names = { 0 };
	struct records records;
	struct error err;
	size_t parts = argc > 3 ? strtoul(argv[2], NULL, 10) : 0, different = 0;

	size_t every = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;

	if (argc != 2 && !every && (argc != 4 || !parts)) {
		fprintf(stderr, "usage: tool_probes [PART PARTS | EVERY] FILE\n");
		return 2;
	}
	if (!records_open(&records, &options, &err)) {
		fprintf(stderr, "tool_probes: %s\n", err.text);
		return 3;
	}
	if (argc == 2)
		explain_lines(&records);
	if (every)
		ask_patches(&records, every);
	for (uint32_t id = 1; argc > 3 && id < btf_reader_end_id(records.btf); id++) {
		const char *name = records_function_name(&records, id);

		if (*name)
			array_push(&names, memory_string(name, symbol_parse(name).base_length));
	}
	if (names.count)
		qsort(names.data, names.count, sizeof(*names.data), compare_names);
	for (size_t i = 0; i < names.count; i++) {
		if ((!i || strcmp(names.data[i - 1], names.data[i]) != 0) &&
		    different++ % parts == strtoul(argv[1], NULL, 10))
			explain_name(&records, names.data[i]);
	}
	for (size_t i = 0; i < names.count; i++)
		free(names.data[i]);
	array_release(&names);
	records_release(&records);
	return 0;
}
