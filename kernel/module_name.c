/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/module_name.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

char *module_name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *copy = memory_string(name, strcspn(name, "."));

	for (char *c = copy; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	return copy;
}

char *module_name_of(const struct object *object, const char *path)
{
	size_t size = 0;
	const uint8_t *section = object ? object_section_named(object, ".modinfo", &size) : NULL;
	const char *info = (const char *)section, *end = info ? info + size : NULL, *name;

	for (; info < end && memchr(info, '\0', (size_t)(end - info)); info += strlen(info) + 1) {
		name = text_after(info, "name=");
		if (name && *name && text_is_made_of(name, "_"))
			return memory_copy(name);
	}
	return module_name_of_path(path);
}

char *module_name_of_object(const struct object *object)
{
	return object->relocatable && object_find_section(object, ".gnu.linkonce.this_module")
		       ? module_name_of(object, object->path) : NULL;
}
