/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An ELF file that is not read as DWARF. */
#ifndef BTFENC_KERNEL_ELF_INPUT_H
#define BTFENC_KERNEL_ELF_INPUT_H

#include "elf/object.h"
#include "kallsyms/symbol_table.h"

/* What an ELF file without DWARF still says: machine, sections, symbols. */
struct elf_input {
	struct object object;
	struct symbol_table symbols;
};

/* Close it in any case. */
bool elf_input_open(struct elf_input *elf, const char *path, struct error *err);
void elf_input_close(struct elf_input *elf);

/* Has it a section of that name, which is not empty? Has it DWARF? */
bool elf_has_section(const struct object *object, const char *name);
bool elf_has_dwarf(const struct object *object);

/*
 * Is the file asked by BTF rather than by DWARF: raw BTF, or an ELF file without .debug_info that
 * has records of sites, or no debug file? The rule for all commands.
 */
bool is_asked_by_btf(const char *path);

/* ---- the name of a module ---- */

/*
 * As kallsyms has it: "nf_tables" of "net/nf-tables.ko.xz". Letters, digits and _ are all that the
 * build of a kernel puts there; it is printed in lines for shells. To be freed.
 */
char *module_name_of_path(const char *path);

/* That of .modinfo, whatever the file is called, else by the path. `object` may be NULL. */
char *module_name_of(const struct object *object, const char *path);

/* The same of a file with the struct module that the kernel's build adds; NULL: it has none. */
char *module_name_of_object(const struct object *object);

#endif
