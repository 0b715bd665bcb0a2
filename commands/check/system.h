/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc check --system`: what the kernel that will boot makes of the BTF of the modules that are
 * installed for it.
 */
#ifndef BTFENC_COMMANDS_CHECK_SYSTEM_H
#define BTFENC_COMMANDS_CHECK_SYSTEM_H

#include "kernel/btf_input.h"

struct system_arguments {
	const char *root;	/* DIR of --root; NULL: / */
	const char *release;	/* NULL: that of the running kernel */
	unsigned int jobs;
};

/*
 * Prints a line for each module that is not plainly well, and a summary. `base` has the BTF of the
 * kernel; none: that is looked for. *status is EXIT_ANSWER_NO if a module fails.
 */
bool check_system(const struct system_arguments *system, const struct base_list *base,
		  enum exit_status *status, struct error *err);

#endif
