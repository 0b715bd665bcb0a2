/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The command line of `check` and `dump`: `FILE [-b BASE]...`, `--help`. */
#ifndef BTFENC_COMMANDS_BTF_ARGUMENTS_H
#define BTFENC_COMMANDS_BTF_ARGUMENTS_H

#include "commands/records/btf_input.h"

/*
 * Returns an exit status (a usage error, or --help was answered with `help`), or -1 to go on. What
 * help says nothing of is no option: --machine.
 */
int btf_input_parse(struct btf_input *input, int argc, char **argv, const char *help);

#endif
