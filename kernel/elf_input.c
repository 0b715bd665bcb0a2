/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/elf_input.h"

#include <ctype.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/text.h"
#include "elf/section_header.h"
#include "kallsyms/kernel_version.h"

void elf_input_close(struct elf_input *elf)
{
	symbol_table_release(&elf->symbols);
	object_close(&elf->object);
}

bool elf_has_section(const struct object *object, const char *name)
{
	const struct section_header *header = section_index_named(&object->index, name, 0);

	return header && header->size;
}

bool elf_input_open(struct elf_input *elf, const char *path, struct error *err)
{
	*elf = (struct elf_input){ 0 };
	if (!object_open_bare(&elf->object, path, err))
		return false;
	/* strip --strip-all leaves the symbols to the debug file. */
	if (!elf_has_section(&elf->object, ".symtab"))
		object_open_debug_file(&elf->object);
	if (!symbol_table_read(&elf->symbols, elf->object.elf, elf->object.section_bases, path,
			       err))
		return false;
	/* Those around .BTF that objcopy --only-section leaves tell nothing of code. */
	for (size_t i = 0; i < elf->symbols.symbols.count; i++) {
		if (elf->object.relocatable || symbol_is_function(&elf->symbols.symbols.data[i]))
			return true;
	}
	elf->symbols.symbols.count = 0;
	return true;
}

bool elf_has_dwarf(const struct object *object)
{
	return elf_has_section(object, ".debug_info") || elf_has_section(object, ".zdebug_info");
}

bool is_asked_by_btf(const char *path)
{
	enum file_kind kind = file_kind_of(path);
	struct object object;
	struct error err;
	bool is;

	if (kind != FILE_ELF)
		return kind == FILE_RAW_BTF;
	/* What is damaged gets the messages that it always got. */
	if (!object_open_bare(&object, path, &err))
		return false;
	is = object.header_count > 1 && !elf_has_dwarf(&object) &&
	     (elf_has_section(&object, ".BTF.extra") ||
	      elf_has_section(&object, ".BTF.inline") ||
	      (!object_has_gcc_lto(&object) && !object_open_debug_file(&object)));
	object_close(&object);
	return is;
}

/* ---- modules ---- */

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
	const char *name = object ? object_modinfo(object, "name") : NULL;

	return name && *name && text_is_made_of(name, "_") ? memory_copy(name)
							   : module_name_of_path(path);
}

char *module_name_of_object(const struct object *object)
{
	return object->relocatable && object_find_section(object, ".gnu.linkonce.this_module")
		       ? module_name_of(object, object->path) : NULL;
}
