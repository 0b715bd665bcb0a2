/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/build_files.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_kind.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/workers.h"
#include "btf/reader.h"
#include "kernel/elf_input.h"
#include "kallsyms/kernel_version.h"

/* The best is the last one. */
enum vmlinux_name {
	VMLINUX_NOT,
	VMLINUX_PACKED,		/* "vmlinuz", "vmlinuz-6.1": without DWARF and symbols */
	VMLINUX_OF_RELEASE,	/* "vmlinux-6.1" */
	VMLINUX_EXACT		/* "vmlinux", "vmlinux.debug" */
};

struct walk {
	struct build_files *build;
	bool wants_vmlinux;
	bool wants_all;			/* links, too; and nothing is opened */
	bool follows;			/* links to directories */
	int level;			/* of the vmlinux that was found, */
	enum vmlinux_name name;		/* and how well it is named */
	char *rival;			/* another one that fits as well, or NULL */
};

bool is_directory(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

static void add_module(struct build_files *build, const char *path, bool is_opened)
{
	struct module_file module = { .path = memory_copy(path) };
	struct object object;
	struct error ignored;
	bool is_elf = is_opened && file_kind_of(path) == FILE_ELF &&
		      object_open_bare(&object, path, &ignored);

	module.name = module_name_of(is_elf ? &object : NULL, path);
	if (is_elf)
		object_close(&object);
	array_push(&build->modules, module);
}

static enum vmlinux_name vmlinux_name_of(const char *name)
{
	if (strcmp(name, "vmlinux") == 0 || strcmp(name, "vmlinux.debug") == 0)
		return VMLINUX_EXACT;
	if (strncmp(name, "vmlinux-", 8) == 0)
		return VMLINUX_OF_RELEASE;
	return strcmp(name, "vmlinuz") == 0 || strncmp(name, "vmlinuz-", 8) == 0
		       ? VMLINUX_PACKED : VMLINUX_NOT;
}

/*
 * The one nearest to the top: build trees have others, of which the boot loader's image is made.
 * That one is the last to be taken, wherever it is.
 */
static void consider_vmlinux(struct walk *walk, const FTSENT *entry, enum vmlinux_name name)
{
	enum file_kind kind = file_kind_of(entry->fts_accpath);
	int nearer = (name != VMLINUX_PACKED) - (walk->name != VMLINUX_PACKED);

	if ((kind != FILE_ELF && kind != FILE_RAW_BTF) ||
	    (walk->build->vmlinux && is_same_file(entry->fts_path, walk->build->vmlinux) &&
	     entry->fts_level == walk->level))
		return;
	nearer = nearer ? nearer : walk->level - entry->fts_level;
	nearer = nearer ? nearer : (int)name - (int)walk->name;
	if (!walk->build->vmlinux || nearer > 0) {
		free(walk->build->vmlinux);
		free(walk->rival);
		walk->build->vmlinux = memory_copy(entry->fts_path);
		walk->rival = NULL;
		walk->level = entry->fts_level;
		walk->name = name;
	} else if (!nearer && !walk->rival) {
		walk->rival = memory_copy(entry->fts_path);
	}
}

static void consider(struct walk *walk, const FTSENT *entry)
{
	const char *name = entry->fts_name;
	enum vmlinux_name vmlinux = vmlinux_name_of(name);

	if (walk->wants_vmlinux && vmlinux)
		consider_vmlinux(walk, entry, vmlinux);
	else if (text_ends_with(name, ".ko") || text_ends_with(name, ".ko.debug") ||
		 text_ends_with(name, ".ko.xz") || text_ends_with(name, ".ko.zst") ||
		 text_ends_with(name, ".ko.gz"))
		add_module(walk->build, entry->fts_path, !walk->wants_all);
}

static void forget_modules(struct build_files *build)
{
	while (build->modules.count) {
		free(build->modules.data[--build->modules.count].name);
		free(build->modules.data[build->modules.count].path);
	}
}

/*
 * As depmod does it: links to directories are followed, and the sources' are left out. Behind a
 * link another one is not followed, for there may be ever more; like those that must not be, it is
 * listed.
 */
static void consider_directory(struct walk *walk, FTS *tree, FTSENT *entry)
{
	bool is_source =
		strcmp(entry->fts_name, "build") == 0 || strcmp(entry->fts_name, "source") == 0;
	bool follows = walk->follows;

	for (const FTSENT *at = entry; at->fts_level > 0; at = at->fts_parent)
		follows &= !at->fts_number;
	if (is_source) {
		fts_set(tree, entry, FTS_SKIP);
	} else if (entry->fts_info == FTS_SL && follows) {
		entry->fts_number = 1;
		fts_set(tree, entry, FTS_FOLLOW);
	} else if (entry->fts_info == FTS_SL) {
		add_module(walk->build, entry->fts_path, false);
	}
}

static bool walk_directory(struct walk *walk, const char *path, struct error *err)
{
	char *roots[] = { (char *)path, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	bool good = true;

	if (!tree)
		return error_at(err, path, "cannot read the directory: %s", strerror(errno));
	while (good && (errno = 0, entry = fts_read(tree))) {
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
			good = error_at(err, entry->fts_path, "cannot read it: %s",
					strerror(entry->fts_errno));
		else if (walk->wants_all && entry->fts_level > 0 &&
			 (entry->fts_info == FTS_D || entry->fts_info == FTS_SL) &&
			 is_directory(entry->fts_path))
			consider_directory(walk, tree, entry);
		else if (entry->fts_info == FTS_F ||
			 (entry->fts_info == FTS_SL &&
			  (walk->wants_all || vmlinux_name_of(entry->fts_name))))
			consider(walk, entry);
	}
	if (good && errno)
		good = error_at(err, path, "cannot read the directory: %s", strerror(errno));
	fts_close(tree);
	return good;
}

/* As /sys/kernel/btf has them: a module's name is the file's. */
static void add_raw_modules(struct build_files *build)
{
	const char *slash = strrchr(build->vmlinux, '/');
	char *directory = slash ? memory_string(build->vmlinux, (size_t)(slash - build->vmlinux))
				: memory_copy(".");
	struct dirent **entries;
	int count = scandir(*directory ? directory : "/", &entries, NULL, NULL);

	for (int i = 0; i < count; i++) {
		char *path = text_format("%s/%s", directory, entries[i]->d_name);

		if (!strchr(entries[i]->d_name, '.') && !is_same_file(path, build->vmlinux) &&
		    file_kind_of(path) == FILE_RAW_BTF)
			add_module(build, path, true);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(directory);
}

static int compare_modules(const void *a, const void *b)
{
	const struct module_file *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->path, y->path);
}

static void sort_modules(struct build_files *build)
{
	size_t count = 0;

	array_sort(&build->modules, compare_modules);
	array_each(struct module_file, module, &build->modules) {
		if (!count || strcmp(build->modules.data[count - 1].name, module->name) != 0) {
			build->modules.data[count++] = *module;
			continue;
		}
		print_warning("%s: a module of that name is also %s, which is taken", module->path,
			      build->modules.data[count - 1].path);
		free(module->name);
		free(module->path);
	}
	build->modules.count = count;
}

/* Another machine or release is another kernel; what they do not say is not asked. */
static bool are_of_one_kernel(const struct build_files *build, struct error *err)
{
	const char *module = build->modules.count ? build->modules.data[0].path : NULL;
	struct kernel_version of_kernel, of_module;
	struct elf_input elf = { .object.fd = -1 }, other = elf;
	struct error ignored;
	bool good = true;

	if (module && elf_input_open(&elf, build->vmlinux, &ignored) &&
	    elf_input_open(&other, module, &ignored)) {
		of_kernel = kernel_version_of_image(&elf.object);
		of_module = kernel_version_of_image(&other.object);
		if (elf.object.machine != other.object.machine)
			good = error_at(err, module, "is for another machine than %.300s; give the "
					"modules of that kernel", build->vmlinux);
		else if (of_kernel.major && of_module.major &&
			 kernel_version_compare(of_kernel, of_module) != 0)
			good = error_at(err, module, "is of Linux %u.%u, and %.300s of %u.%u; give "
					"the modules of that kernel", of_module.major,
					of_module.minor, build->vmlinux, of_kernel.major,
					of_kernel.minor);
	}
	elf_input_close(&other);
	elf_input_close(&elf);
	return good;
}

bool build_files_find(struct build_files *build, const char *path, const char *modules,
		      struct error *err)
{
	bool is_tree = is_directory(path);
	struct walk walk = { .build = build, .wants_vmlinux = is_tree };
	bool good;

	*build = (struct build_files){ 0 };
	if (!is_tree)
		build->vmlinux = memory_copy(path);
	good = !is_tree || walk_directory(&walk, path, err);
	if (good && is_tree && !build->vmlinux)
		good = error_at(err, path, "no vmlinux is in this directory; give the file; the "
				"command's --help says how to give its modules");
	if (good && walk.rival)
		good = error_at(err, walk.rival, "is a second vmlinux, next to %.300s; give the "
				"file; the command's --help says how to give its modules",
				build->vmlinux);
	if (good && modules) {
		forget_modules(build);
		walk.wants_vmlinux = false;
		good = walk_directory(&walk, modules, err);
	}
	if (good && is_tree && !build->modules.count &&
	    file_kind_of(build->vmlinux) == FILE_RAW_BTF)
		add_raw_modules(build);
	if (good && modules && !build->modules.count)
		good = error_at(err, modules, "no modules (*.ko) are in this directory");
	if (good)
		sort_modules(build);
	good = good && are_of_one_kernel(build, err);
	free(walk.rival);
	return good;
}

bool build_files_find_all(struct build_files *build, const char *directory, bool follows,
			  struct error *err)
{
	struct walk walk = { .build = build, .wants_all = true, .follows = follows };
	bool good;

	*build = (struct build_files){ 0 };
	good = walk_directory(&walk, directory, err);
	array_sort(&build->modules, compare_strings);
	return good;
}

struct file_visit {
	char *warnings;
	size_t warning_bytes;
	struct error err;
	bool failed;
};

struct file_visits {
	size_t count;
	visit_file *visit;
	void *context;
	struct file_visit *visits;	/* by file */
	_Atomic size_t next;
	_Atomic bool failed;
};

static void visit_some(void *context, unsigned int worker)
{
	struct file_visits *all = context;
	size_t i;

	(void)worker;
	while (!all->failed && (i = atomic_fetch_add(&all->next, 1)) < all->count) {
		struct file_visit *visit = &all->visits[i];
		FILE *warnings = open_memstream(&visit->warnings, &visit->warning_bytes);

		workers_start_more();
		warnings_keep(warnings);
		visit->failed = !all->visit(all->context, i, &visit->err);
		warnings_keep(NULL);
		if (warnings)
			fclose(warnings);
		if (visit->failed)
			all->failed = true;
		progress_done("files", 1);
	}
}

bool files_visit(const char *progress, size_t count, unsigned int jobs, visit_file *visit,
		 void *context, struct error *err)
{
	struct file_visits all = { .count = count, .visit = visit, .context = context };
	bool good = true;

	if (progress)
		progress_begin(progress, "files");
	progress_expect("files", (uint32_t)count);
	all.visits = memory_zeroed(count, sizeof(*all.visits));
	workers_run(jobs < count ? jobs : (unsigned int)count, visit_some, &all);
	for (size_t i = 0; i < count; i++) {
		if (good && all.visits[i].warning_bytes) {
			progress_hide();
			fputs(all.visits[i].warnings, stderr);
		}
		if (good && all.visits[i].failed) {
			*err = all.visits[i].err;
			good = false;
		}
		free(all.visits[i].warnings);
	}
	free(all.visits);
	if (progress)
		progress_end();
	return good;
}

bool is_or_belongs_to(const char *path, const char *file)
{
	bool is = is_same_file(file, path);

	for (int i = 0; !is && i < BTF_PART_COUNT; i++) {
		char *part = text_format("%s%s", file, btf_part_suffix((enum btf_part)i));

		is = is_same_file(part, path);
		free(part);
	}
	return is;
}

bool build_files_have(const struct build_files *build, const char *path)
{
	bool has = build->vmlinux && is_or_belongs_to(path, build->vmlinux);

	for (size_t i = 0; !has && i < build->modules.count; i++)
		has = is_or_belongs_to(path, build->modules.data[i].path);
	return has;
}

void build_files_release(struct build_files *build)
{
	forget_modules(build);
	array_release(&build->modules);
	free(build->vmlinux);
	build->vmlinux = NULL;
}
