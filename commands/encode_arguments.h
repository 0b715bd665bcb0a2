/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The command line of encode, in two dialects:
 *
 *  btfenc encode		the features start with the default set, unknown ones are errors
 *  pahole, btfenc -J		as pahole 1.32 understands its encoder's options, for kernel
 *				builds. The features are pahole's defaults
 *
 * All options are known in both; options of pahole's other tools are refused in one line.
 */
#ifndef BTFENC_COMMANDS_ENCODE_ARGUMENTS_H
#define BTFENC_COMMANDS_ENCODE_ARGUMENTS_H

#include "commands/command_line.h"
#include "encoder/result.h"

enum encode_dialect {
	DIALECT_BTFENC,
	DIALECT_PAHOLE,
};

struct encode_arguments {
	enum encode_dialect dialect;
	struct encode_options options;		/* without path and base; jobs are set */
	const char *output;			/* raw BTF; NULL: into the files themselves */
	bool to_stdout;				/* output is "-", or standard output's name */
	char *base_output;			/* of a distilled base, or NULL; owned */
	char *part_outputs[BTF_PART_COUNT];	/* of what is split from OUT, or NULL; owned */
	struct base_list bases;
	char **paths;				/* the files, argv's */
	uint32_t path_count;			/* at least 1 */
	bool verbose;
};

/*
 * argv[0] is not looked at. Returns -1 to go on, or an exit status: everything was printed. Release
 * them in any case.
 */
int encode_arguments_parse(struct encode_arguments *arguments, enum encode_dialect dialect,
			   int argc, char **argv);
void encode_arguments_release(struct encode_arguments *arguments);

#endif
