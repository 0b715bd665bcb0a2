/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/libelf_error.h"

#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool libelf_lacked_memory(void)
{
	const char *problem = elf_errmsg(-1);

	return problem && strcmp(problem, "out of memory") == 0;
}

bool libelf_error(struct error *err, const char *path, const char *what, ...)
{
	const char *problem = elf_errmsg(-1);
	char part[128];
	va_list arguments;

	va_start(arguments, what);
	vsnprintf(part, sizeof(part), what, arguments);
	va_end(arguments);
	return error_at(err, path, "cannot read %s: %s; %s", part, problem,
			libelf_lacked_memory() ? "give it more memory" :
			"the file may be damaged or truncated");
}
