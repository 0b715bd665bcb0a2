/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The command line of encode, in two dialects:
 *
 *  btfenc encode		the features start with the default set, unknown ones are errors
 *  pahole, btfenc -J		as pahole 1.31 understands its encoder's options: kernel builds
 *				call it so. The features are those that pahole encodes without any
 *				option
 *
 * All options are known in both; what only pahole's other tools know is refused in one line.
 */
#ifndef BTFENC_COMMANDS_ENCODE_ARGUMENTS_H
#define BTFENC_COMMANDS_ENCODE_ARGUMENTS_H

#include "commands/records/btf_input.h"
#include "encoder/encode.h"

enum encode_dialect {
	DIALECT_BTFENC,
	DIALECT_PAHOLE,
};

struct encode_arguments {
	enum encode_dialect dialect;
	struct encode_options options;		/* without path and base; jobs are set */
	const char *output;			/* raw BTF; NULL: into the files themselves */
	bool to_stdout;				/* output is "-" */
	char *base_output;			/* for a distilled base, or NULL; owned */
	char *extra_output;			/* where OUT's .BTF.extra is, or NULL; owned */
	const char *bases[BTF_INPUT_MAX_BASES];	/* lowest first */
	uint32_t base_count;
	char **paths;				/* the files, argv's */
	uint32_t path_count;			/* at least 1 */
	bool verbose;
};

/*
 * argv[0] is not looked at. Returns -1 to go on, or an exit status: all has been said. Release them
 * in any case.
 */
int encode_arguments_parse(struct encode_arguments *arguments, enum encode_dialect dialect,
			   int argc, char **argv);
void encode_arguments_release(struct encode_arguments *arguments);

#endif
