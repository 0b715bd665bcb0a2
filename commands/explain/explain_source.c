/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain_source.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/late_library.h"
#include "base/memory.h"

#define LIBDW_FUNCTIONS(X)                                                                         \
	X(dwarf_attr) X(dwarf_attr_integrate) X(dwarf_begin) X(dwarf_child) X(dwarf_cu_die)        \
	X(dwarf_decl_line) X(dwarf_diecu) X(dwarf_diename) X(dwarf_end) X(dwarf_filesrc)           \
	X(dwarf_formref_die) X(dwarf_formstring) X(dwarf_formudata) X(dwarf_getsrcfiles)           \
	X(dwarf_new_oom_handler) X(dwarf_offdie) X(dwarf_siblingof) X(dwarf_tag)                   \
	X(dwfl_begin) X(dwfl_build_id_find_elf) X(dwfl_end) X(dwfl_module_getdwarf)           \
	X(dwfl_offline_section_address) X(dwfl_report_end) X(dwfl_report_offline)

LATE_LIBRARY(libdw, LIBDW_FUNCTIONS);

/* Line tables of other files, or of a server, are not looked for. */
static int find_no_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			     Dwarf_Addr base, const char *file, const char *link,
			     GElf_Word checksum, char **found)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)link;
	(void)checksum, (void)found;
	return -1;
}

/* libdw reads a file as it is; libdwfl relocates it first, into memory of its own. */
static void open_relocated(struct source_lines *lines, const struct object *object)
{
	static Dwfl_Callbacks callbacks = { .find_debuginfo = find_no_debuginfo };
	Dwfl_Module *module;
	Dwarf_Addr bias;

	callbacks.find_elf = libdw.dwfl_build_id_find_elf;
	callbacks.section_address = libdw.dwfl_offline_section_address;
	lines->relocated = libdw.dwfl_begin(&callbacks);
	if (!lines->relocated)
		return;
	module = libdw.dwfl_report_offline(lines->relocated, "", object->path,
					   fcntl(object->fd, F_DUPFD_CLOEXEC, 0));
	libdw.dwfl_report_end(lines->relocated, NULL, NULL);
	lines->dwarf = module ? libdw.dwfl_module_getdwarf(module, &bias) : NULL;
}

/* libdw's own ends the process with status 1, which is that of a name that does not exist. */
static __attribute__((noreturn)) void out_of_memory(void)
{
	memory_exhausted(SIZE_MAX);
}

/* dwarf_getsrclines() has 4,096 lines and files on the stack before it asks for memory. */
#define LIBDW_STACK_BYTES ((rlim_t)1 << 20)

static bool has_stack(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LIBDW_STACK_BYTES;
}

void source_lines_open(struct source_lines *lines, const struct object *object)
{
	*lines = (struct source_lines){ 0 };
	if (!has_stack())
		print_warning("the stack may not have 1 MiB, which libdw needs; lines of "
			      "source code are not known; raise the limit (ulimit -s)");
	else if (!LATE_LOAD(libdw, LIBDW_FUNCTIONS, "libdw.so.1"))
		print_warning("cannot load libdw.so.1 (%s); lines of source code are not known; "
			      "install that library", dlerror());
	else if (object->relocatable)
		open_relocated(lines, object);
	else
		/* By the descriptor libdw knows the folder, where a supplementary file is. */
		lines->dwarf = libdw.dwarf_begin(object->fd, DWARF_C_READ);
	if (lines->dwarf)
		libdw.dwarf_new_oom_handler(lines->dwarf, out_of_memory);
}

void source_lines_close(struct source_lines *lines)
{
	if (lines->relocated)
		libdw.dwfl_end(lines->relocated);
	else if (lines->dwarf)
		libdw.dwarf_end(lines->dwarf);
	*lines = (struct source_lines){ 0 };
}

/* "/build/linux/./net/tcp.c" -> "net/tcp.c": compilers are called in the root of the source. */
static const char *relative_to_unit(Dwarf_Die *die, const char *file)
{
	Dwarf_Attribute attribute;
	Dwarf_Die unit;
	const char *directory = NULL;
	size_t length;

	if (file && libdw.dwarf_diecu(die, &unit, NULL, NULL))
		directory = libdw.dwarf_formstring(
			libdw.dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
	length = directory ? strlen(directory) : 0;
	if (length && strncmp(file, directory, length) == 0 && file[length] == '/')
		file += length + 1;
	while (file && file[0] == '.' && file[1] == '/')
		file += 2;
	return file;
}

const char *source_unit_of_die(const struct source_lines *lines, uint64_t offset)
{
	Dwarf_Die die, unit;

	if (!lines->dwarf || !libdw.dwarf_offdie(lines->dwarf, offset, &die) ||
	    !libdw.dwarf_diecu(&die, &unit, NULL, NULL))
		return NULL;
	return relative_to_unit(&die, libdw.dwarf_diename(&unit));
}

/* File 0 is the unit's own since DWARF 5, none before: dwarf_decl_file() knows only the latter. */
static const char *file_of_unit(Dwarf_CU *cu, Dwarf_Word number)
{
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Die unit;
	size_t count;

	if (!libdw.dwarf_cu_die(cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    (number == 0 && version < 5) || libdw.dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
	    number >= count)
		return NULL;
	return relative_to_unit(&unit, libdw.dwarf_filesrc(files, number, NULL, NULL));
}

struct source_line source_line_of_die(const struct source_lines *lines, uint64_t offset)
{
	struct source_line found = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Word file;
	Dwarf_Die die;

	if (!lines->dwarf || !libdw.dwarf_offdie(lines->dwarf, offset, &die))
		return found;
	if (libdw.dwarf_formudata(
		    libdw.dwarf_attr_integrate(&die, DW_AT_decl_file, &attribute), &file) == 0)
		found.file = file_of_unit(attribute.cu, file);
	if (libdw.dwarf_decl_line(&die, &found.line) != 0)
		found.line = 0;
	return found;
}

struct source_line source_line_in_unit(const struct source_lines *lines, uint64_t offset,
				       uint32_t file, uint32_t line)
{
	struct source_line found = { .line = (int)line };
	Dwarf_Die die;

	if (lines->dwarf && libdw.dwarf_offdie(lines->dwarf, offset, &die))
		found.file = file_of_unit(die.cu, file);
	return found;
}

/* The deepest nesting of a kernel's blocks and inlined functions is some forty. */
#define WALK_DEPTH 256
/* DIEs of one function: the largest of a kernel has some ten thousand. */
#define WALK_DIES  1000000

static void visit_die(Dwarf_Die *die, void (*visit)(void *, const char *, bool), void *context)
{
	int tag = libdw.dwarf_tag(die);
	bool is_call = tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
	Dwarf_Attribute attribute;
	Dwarf_Die target;
	const char *name = NULL;

	if (tag == DW_TAG_inlined_subroutine)
		name = libdw.dwarf_diename(die);
	else if (is_call && libdw.dwarf_formref_die(libdw.dwarf_attr(die, tag == DW_TAG_call_site
							 ? DW_AT_call_origin
							 : DW_AT_abstract_origin, &attribute),
					      &target))
		name = libdw.dwarf_diename(&target);
	if (name)
		visit(context, name, is_call);
}

/* A damaged file may have siblings in a circle. */
void source_walk_code(const struct source_lines *lines, uint64_t offset,
		      void (*visit)(void *context, const char *name, bool is_call), void *context)
{
	Dwarf_Die path[WALK_DEPTH];
	size_t depth = 1;

	if (!lines->dwarf || !libdw.dwarf_offdie(lines->dwarf, offset, &path[0]) ||
	    libdw.dwarf_child(&path[0], &path[1]) != 0)
		return;
	for (uint32_t count = 0; depth && count < WALK_DIES; count++) {
		Dwarf_Die *die = &path[depth];

		visit_die(die, visit, context);
		if (depth + 1 < WALK_DEPTH && libdw.dwarf_tag(die) != DW_TAG_call_site &&
		    libdw.dwarf_tag(die) != DW_TAG_GNU_call_site &&
		    libdw.dwarf_child(die, die + 1) == 0) {
			depth++;
			continue;
		}
		while (depth && libdw.dwarf_siblingof(&path[depth], &path[depth]) != 0)
			depth--;
	}
}
