/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/running_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/sort.h"

/* Where tracefs may be: by itself since 4.1, or where debugfs has it. */
static const char *const tracing[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static void note_source(struct running_kernel *kernel, const char *path)
{
	struct text *sources = &kernel->sources;

	text_add_format(sources, "%s%s", sources->count ? ", " : "", path);
}

static void note_unread(struct running_kernel *kernel, const char *path, const char *cost)
{
	struct error err;

	error_at(&err, path, "cannot open: %s; %s is not known", strerror(errno), cost);
	text_add_format(&kernel->unread, "%s\n", err.text);
}

static void release_btf(struct running_btf *btf)
{
	btf_reader_release(&btf->btf);
	free(btf->path);
	free(btf->module);
	free(btf);
}

/* The first folder that has the file; of none the path of the first one. To be freed. */
static char *find_file(const struct running_kernel *kernel, const char *const *folders,
		       size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++) {
		char *path = text_format("%s%s/%s", kernel->root, folders[i], file);

		if (file_exists(path))
			return path;
		free(path);
	}
	return text_format("%s%s/%s", kernel->root, folders[0], file);
}

/* The kernel has made the folder, but nothing is mounted there. */
static void note_mount(struct running_kernel *kernel)
{
	char *folder, *readme;

	if (kernel->is_mount_noted)
		return;
	kernel->is_mount_noted = true;
	folder = text_format("%s%s", kernel->root, tracing[0]);
	readme = find_file(kernel, tracing, sizeof(tracing) / sizeof(*tracing), "README");
	if (file_exists(folder) && !file_exists(readme) && errno == ENOENT)
		text_add_format(&kernel->unread, "tracefs is not mounted; as root: mount -t "
				"tracefs tracefs %s\n", folder);
	free(folder);
	free(readme);
}

/* Takes the path's memory. */
static size_t read_some(char *path, void *to, size_t size)
{
	struct stat status;
	int fd = file_open_regular(path, O_RDONLY, &status);
	ssize_t got = fd >= 0 ? read(fd, to, size) : 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return got > 0 ? (size_t)got : 0;
}

char *running_kernel_notes(const char *module)
{
	return module ? text_format("/sys/module/%s/notes/.note.gnu.build-id", module)
		      : memory_copy("/sys/kernel/notes");
}

struct kernel_identity running_kernel_identity(const struct running_kernel *kernel,
					       const char *module)
{
	struct kernel_identity identity = { 0 };
	char *notes = running_kernel_notes(module);
	uint8_t bytes[8192];
	size_t size = read_some(text_format("%s%s", kernel->root, notes), bytes, sizeof(bytes));

	read_some(text_format("%s/proc/sys/kernel/osrelease", kernel->root), identity.release,
		  sizeof(identity.release) - 1);
	identity.release[strcspn(identity.release, "\n")] = '\0';
	build_id_of_notes(bytes, size, identity.build_id);
	free(notes);
	return identity;
}

/* NULL: it cannot be read. */
static struct running_btf *open_btf(struct running_kernel *kernel, const char *module,
				    struct error *err)
{
	const struct btf_reader *base = kernel->btfs.count ? &kernel->btfs.data[0]->btf : NULL;
	struct running_btf *btf = memory_zeroed(1, sizeof(*btf));

	btf->path = text_format("%s" RUNNING_BTF_DIRECTORY "/%s", kernel->root,
				module ? module : "vmlinux");
	if (module && !text_is_made_of(module, "_-"))
		error_at(err, btf->path, "is not the name of a module");
	else if (file_is_regular(btf->path, "check the file", err) &&
	    btf_reader_open(&btf->btf, btf->path, NULL, base, err)) {
		btf->module = module ? memory_copy(module) : NULL;
		array_push(&kernel->btfs, btf);
		if (btf_reader_check_complete(&btf->btf, err))
			return btf;
		kernel->btfs.count--;
	}
	release_btf(btf);
	return NULL;
}

static void read_modules(struct running_kernel *kernel, const char *path)
{
	DIR *folder = file_open_folder(path);
	struct dirent *entry;

	if (!folder)
		note_unread(kernel, path, "which modules there are");
	while (folder && (entry = readdir(folder)))
		array_push(&kernel->modules, memory_copy(entry->d_name));
	array_sort(&kernel->modules, compare_strings);
	if (folder)
		closedir(folder);
}

const struct running_btf *running_kernel_next_btf(struct running_kernel *kernel, const char *only,
						  struct error *err)
{
	const struct running_btf *btf = NULL;

	if (!kernel->btfs.count) {
		btf = open_btf(kernel, NULL, err);
		if (btf) {
			char *path = text_format("%s" RUNNING_BTF_DIRECTORY, kernel->root);

			read_modules(kernel, path);
			free(path);
		}
		return btf;
	}
	while (!btf && kernel->next_module < kernel->modules.count) {
		const char *name = kernel->modules.data[kernel->next_module++];
		struct error why;

		if (*name == '.' || strcmp(name, "vmlinux") == 0 ||
		    (only && strcmp(only, name) != 0))
			continue;
		btf = open_btf(kernel, name, &why);
		if (!btf)
			text_add_format(&kernel->unread, "%s; what is in this module is not "
					"known\n", why.text);
	}
	return btf;
}

/*
 * Of "tcp_connect" and "nf_nat_inet_fn [nf_nat]" the whole line; of "should_failslab\tERRNO" what
 * is before the tab; of "0xffffffff81a00000-0xffffffff81a00011\tasm_exc_divide_error" what follows.
 */
static void index_list(struct running_list *list)
{
	char *line, *rest = list->text.data;

	while ((line = strsep(&rest, "\n")) && *line) {
		bool has_range = strncmp(line, "0x", 2) == 0;
		char *name = strsep(&line, "\t");

		array_push(&list->names, has_range && line ? line : name);
	}
	array_sort(&list->names, compare_strings);
}

/*
 * Has the list, a file in one of the folders, the name? -1: it cannot be read, which has `cost`. It
 * is read once.
 */
static enum attach_answer ask_list(struct running_kernel *kernel, struct running_list *list,
				   const char *const folders[2], const char *file,
				   const char *cost, const char *name)
{
	size_t count = folders[1] ? 2 : 1;
	char *path = list->is_asked ? NULL : find_file(kernel, folders, count, file);
	struct error err;

	if (path) {
		list->is_asked = true;
		list->is_read = file_is_regular(path, cost, &err) &&
				text_read(&list->text, text_open(path), path, cost, NULL, &err);
		/* tracefs may be mounted, and yet have a file without a line. */
		if (list->is_read && !list->text.count)
			list->is_read = error_at(&err, path, "is empty; %s", cost);
		if (list->is_read) {
			note_source(kernel, path);
			text_add_char(&list->text, '\0');
			index_list(list);
		} else {
			text_add_format(&kernel->unread, "%s\n", err.text);
		}
		if (!list->is_read && folders == tracing)
			note_mount(kernel);
		free(path);
	}
	if (!list->is_read)
		return ATTACH_UNKNOWN;
	return list->names.count && bsearch(&name, list->names.data, list->names.count,
					    sizeof(*list->names.data), compare_strings)
		       ? ATTACH_YES : ATTACH_NO;
}

enum attach_answer running_kernel_has_hook(struct running_kernel *kernel, const char *name,
					   const char *module)
{
	char *line = module ? text_format("%s [%s]", name, module) : NULL;
	enum attach_answer has =
		ask_list(kernel, &kernel->hooks, tracing, "available_filter_functions",
			 "whether fentry finds a hook is not known", line ? line : name);

	free(line);
	return has;
}

/* tracefs has its README whatever the kernel has; who cannot read the folder knows nothing. */
const char *running_kernel_no_kprobes(struct running_kernel *kernel)
{
	size_t count = sizeof(tracing) / sizeof(*tracing);
	char *readme, *events;

	if (!kernel->kprobes_asked) {
		readme = find_file(kernel, tracing, count, "README");
		events = find_file(kernel, tracing, count, "kprobe_events");
		if (file_exists(readme) && !file_exists(events))
			kernel->no_kprobes =
				"the running kernel has no kprobes (no kprobe_events in tracefs)";
		kernel->kprobes_asked = true;
		free(readme);
		free(events);
	}
	return kernel->no_kprobes;
}

bool running_kernel_forbids(struct running_kernel *kernel, const char *name)
{
	static const char *const folders[2] = { "/sys/kernel/debug/kprobes" };

	return ask_list(kernel, &kernel->blacklist, folders, "blacklist",
			"whether kprobes may go there is not known", name) == ATTACH_YES;
}

bool running_kernel_lets_modify(struct running_kernel *kernel, const char *name)
{
	static const char *const folders[2] = { "/sys/kernel/debug/error_injection" };
	char *path = kernel->injection.is_asked
			     ? NULL : text_format("%s%s/list", kernel->root, folders[0]);

	/* Most kernels have none, of which nothing is to be said. */
	if (path)
		kernel->injection.is_asked = !file_exists(path);
	free(path);
	return ask_list(kernel, &kernel->injection, folders, "list",
			"which results may be set is not known", name) == ATTACH_YES;
}

char *running_kernel_event_system(struct running_kernel *kernel, const char *event)
{
	char *path = find_file(kernel, tracing, sizeof(tracing) / sizeof(*tracing), "events");
	DIR *systems = file_open_folder(path);
	struct dirent *entry;
	char *found = NULL;

	while (systems && !found && (entry = readdir(systems))) {
		char *folder = text_format("%s/%s/%s", path, entry->d_name, event);

		/* The root may be copies from anywhere: what is no name of the kernel's is none. */
		if (text_is_made_of(entry->d_name, "_-") && file_exists(folder))
			found = memory_copy(entry->d_name);
		free(folder);
	}
	if (systems && !kernel->events_asked)
		note_source(kernel, path);
	else if (!kernel->events_asked)
		note_unread(kernel, path, "which event it has");
	if (!systems)
		note_mount(kernel);
	kernel->events_asked = true;
	kernel->events_read = systems;
	if (systems)
		closedir(systems);
	free(path);
	return found;
}

void running_kernel_warn_unread(const struct running_kernel *kernel)
{
	for (size_t at = 0, length; at < kernel->unread.count; at += length + 1) {
		const char *line = kernel->unread.data + at;

		length = strcspn(line, "\n");
		print_warning("%.*s", (int)length, line);
	}
}

void running_kernel_release(struct running_kernel *kernel)
{
	/* Modules were opened after what they are split from. */
	while (kernel->btfs.count)
		release_btf(kernel->btfs.data[--kernel->btfs.count]);
	array_release(&kernel->btfs);
	while (kernel->modules.count)
		free(kernel->modules.data[--kernel->modules.count]);
	array_release(&kernel->modules);
	array_release(&kernel->hooks.text);
	array_release(&kernel->hooks.names);
	array_release(&kernel->injection.text);
	array_release(&kernel->injection.names);
	array_release(&kernel->blacklist.text);
	array_release(&kernel->blacklist.names);
	array_release(&kernel->sources);
	array_release(&kernel->unread);
}
