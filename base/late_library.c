/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/late_library.h"

#include <dlfcn.h>
#include <string.h>

bool late_library_load(const char *file, const char *const *names, void *functions)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *found = library;
	size_t count = 0;

	for (; found && names[count]; count++) {
		found = dlsym(library, names[count]);
		memcpy((char *)functions + count * sizeof(found), &found, sizeof(found));
	}
	if (!found)
		memset(functions, 0, count * sizeof(found));
	return found;
}
