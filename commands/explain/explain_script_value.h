/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What a script prints of a call, in the words of bpftrace and of BPF in C. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_SCRIPT_VALUE_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_SCRIPT_VALUE_H

#include <jansson.h>

#include "commands/explain/explain_print.h"

/* One program of a script. */
struct script_program {
	const struct explanation *explanation;
	enum script_kind kind;
	const char *event;	/* what its lines begin with */
	bool is_iterator;	/* its lines go where the iterator is read */
	/* Of the line that is not finished: " file=0x%lx count=%lu", ", args.file, args.count" */
	struct text format, values;
	size_t count;
	bool has_string;
	json_t *lines;		/* finished: of each its "format" and "values" */
	bool reads_memory;	/* by READ(), in C */
};

/*
 * Prints a value of the type, whose sign may be VALUE_STRING, too, and frees it. Without a plain
 * name it is called arg1 and so on by its `number` from 0; a `part` from 1, 0: all of it.
 */
#define VALUE_STRING 't'
void program_print(struct script_program *program, const char *name, size_t number, size_t part,
		   struct fetch_type type, char *value);

/*
 * A parameter of a program by fentry by its name; not those that bpftrace, which goes by the FUNC's
 * prototype, and the verifier do not let it read. False: it is not printed.
 */
bool program_print_named(struct script_program *program, const struct probe_point *point,
			 size_t number);

/* One by its location. */
bool program_print_parameter(struct script_program *program, const struct probe_point *point,
			     size_t number);

void program_finish_line(struct script_program *program);
void program_release(struct script_program *program);

/* libbpf's __TARGET_ARCH_ of the image's machine; NULL: it has none. */
const char *program_target(const struct explanation *explanation);

#endif
