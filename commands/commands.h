/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The subcommands. argv[0] is the subcommand's name; the return value is the program's exit status
 * (enum exit_status). Each prints its own one line on stderr when it fails.
 */
#ifndef BTFENC_COMMANDS_COMMANDS_H
#define BTFENC_COMMANDS_COMMANDS_H

/* The Makefile says which; linters do not ask it. */
#ifndef BTFENC_VERSION
#define BTFENC_VERSION "unknown"
#endif

int cmd_check(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_encode(int argc, char **argv);
int cmd_pahole(int argc, char **argv);	/* encode, as pahole would be called for it */
int cmd_explain(int argc, char **argv);
int cmd_stats(int argc, char **argv);

#endif
