/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/running_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/search.h"
#include "base/sort.h"

/* Where tracefs may be: by itself since 4.1, or where debugfs has it. */
static const char *const tracing[2] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static void note_source(struct running_kernel *kernel, const char *path)
{
	struct text *sources = &kernel->sources;

	text_add_format(sources, "%s%s", sources->count ? ", " : "", path);
}

static void note_unread(struct running_kernel *kernel, const char *path, const char *cost)
{
	struct error err;

	error_at(&err, path, "cannot open: %s; %s is not known", strerror(errno), cost);
	array_push(&kernel->unread, memory_copy(err.text));
}

static void release_btf(struct running_btf *btf)
{
	btf_reader_release(&btf->sites);
	btf_reader_release(&btf->btf);
	free(btf->path);
	free(btf->module);
	free(btf);
}

/* The first folder that has the file; of none the path of the first one. To be freed. */
static char *find_file(const struct running_kernel *kernel, const char *const folders[2],
		       const char *file)
{
	for (size_t i = 0; i < 2 && folders[i]; i++) {
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
	readme = find_file(kernel, tracing, "README");
	if (file_exists(folder) && !file_exists(readme) && errno == ENOENT)
		array_push(&kernel->unread, text_format("tracefs is not mounted; as root: mount -t "
							"tracefs tracefs %s", folder));
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

/* "xfs 1536000 1 - Live 0xffffffffc0a01000" */
char *running_kernel_module_at(const struct running_kernel *kernel, uint64_t address)
{
	char *path = text_format("%s/proc/modules", kernel->root), *found = NULL;
	uint64_t nearest = 0;
	struct text text = { 0 };
	struct error ignored;

	/* Since 6.4 the size is that of several ranges of addresses: the nearest counts. */
	if (text_read_file(&text, path, "", &ignored)) {
		for (char *rest = text.data, *line; (line = strsep(&rest, "\n"));) {
			uint64_t size, begin;
			int length = 0;

			if (sscanf(line, "%*s%n %" SCNu64 " %*s %*s %*s %" SCNx64, &length, &size,
				   &begin) != 2 || address - begin >= size || begin < nearest)
				continue;
			free(found);
			found = memory_string(line, (size_t)length);
			nearest = begin;
		}
	}
	array_release(&text);
	free(path);
	return found;
}

bool running_kernel_find_section(const struct running_kernel *kernel, const char *module,
				 const char *section, uint64_t *start)
{
	char address[32] = "";

	if (!text_is_made_of(section, "._-$") || text_after(section, ".init."))
		return false;
	read_some(text_format("%s/sys/module/%s/sections/%s", kernel->root, module, section),
		  address, sizeof(address) - 1);
	*start = strtoull(address, NULL, 16);
	return *start;
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
	/* MODULE.inline belongs to MODULE. */
	while (folder && (entry = readdir(folder))) {
		if (!text_ends_with(entry->d_name, btf_part_suffix(BTF_PART_INLINE)))
			array_push(&kernel->modules, memory_copy(entry->d_name));
	}
	array_sort(&kernel->modules, compare_strings);
	if (folder)
		closedir(folder);
}

struct running_btf *running_kernel_next_btf(struct running_kernel *kernel, const char *only,
					    struct error *err)
{
	struct running_btf *btf = NULL;

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
			array_push(&kernel->unread, text_format("%s; what is in this module is not "
								"known", why.text));
	}
	return btf;
}

const struct btf_reader *running_kernel_sites(struct running_kernel *kernel,
					      struct running_btf *btf)
{
	char *path = text_format("%s%s", btf->path, btf_part_suffix(BTF_PART_INLINE));
	struct error err;

	if (!btf->sites_asked && file_exists(path) &&
	    !(file_is_regular(path, "check the file", &err) &&
	      btf_reader_open(&btf->sites, path, NULL, &btf->btf, &err) &&
	      btf_reader_check_complete(&btf->sites, &err))) {
		array_push(&kernel->unread, text_format("%s; its sites are not known", err.text));
		btf_reader_release(&btf->sites);
	}
	btf->sites_asked = true;
	free(path);
	return btf->sites.name ? &btf->sites : NULL;
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
	char *path = list->is_asked ? NULL : find_file(kernel, folders, file);
	struct error err;

	if (path) {
		list->is_asked = true;
		list->is_read = file_is_regular(path, cost, &err) &&
				text_read_file(&list->text, path, cost, &err);
		/* tracefs may be mounted, and yet have a file without a line. */
		if (list->is_read && !list->text.count)
			list->is_read = error_at(&err, path, "is empty; %s", cost);
		if (list->is_read) {
			note_source(kernel, path);
			index_list(list);
		} else {
			array_push(&kernel->unread, memory_copy(err.text));
		}
		if (!list->is_read && folders == tracing)
			note_mount(kernel);
		free(path);
	}
	if (!list->is_read)
		return ATTACH_UNKNOWN;
	return array_find(&list->names, &name, compare_strings) ? ATTACH_YES : ATTACH_NO;
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
	char *readme, *events;

	if (!kernel->kprobes_asked) {
		readme = find_file(kernel, tracing, "README");
		events = find_file(kernel, tracing, "kprobe_events");
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

static int compare_events(const void *a, const void *b)
{
	const struct running_event *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->group, y->group);
}

/* The root may be copies from anywhere: what is no name of the kernel's is none. */
static void read_group(struct running_kernel *kernel, const char *path, const char *group)
{
	char *folder = text_format("%s/%s", path, group);
	DIR *events = text_is_made_of(group, "_-") ? file_open_folder(folder) : NULL;
	struct dirent *entry;

	while (events && (entry = readdir(events))) {
		if (*entry->d_name != '.')
			array_push(&kernel->events, ((struct running_event){
				memory_copy(entry->d_name), memory_copy(group) }));
	}
	if (events)
		closedir(events);
	free(folder);
}

static void read_events(struct running_kernel *kernel)
{
	static const char *const dynamic[] = { "kprobes", "uprobes", "synthetic", "eprobes" };
	char *path = find_file(kernel, tracing, "events");
	DIR *groups = file_open_folder(path);
	struct dirent *entry;

	kernel->events_asked = true;
	kernel->events_read = groups;
	/* Events that users have made may have the name of a tracepoint. */
	while (groups && (entry = readdir(groups))) {
		if (text_find_word(dynamic, 4, entry->d_name, strlen(entry->d_name)) == 4)
			read_group(kernel, path, entry->d_name);
	}
	array_sort(&kernel->events, compare_events);
	if (groups) {
		note_source(kernel, path);
		closedir(groups);
	} else {
		note_unread(kernel, path, "which event it has");
		note_mount(kernel);
	}
	free(path);
}

const char *running_kernel_event_group(struct running_kernel *kernel, const char *event)
{
	size_t at;

	if (!kernel->events_asked)
		read_events(kernel);
	at = lower_bound(i, kernel->events.count, strcmp(kernel->events.data[i].name, event) < 0);
	return at < kernel->events.count && strcmp(kernel->events.data[at].name, event) == 0
		       ? kernel->events.data[at].group : NULL;
}

void running_kernel_warn_unread(const struct running_kernel *kernel)
{
	for (size_t i = 0; i < kernel->unread.count; i++)
		print_warning("%s", kernel->unread.data[i]);
}

void running_kernel_release(struct running_kernel *kernel)
{
	/* Modules were opened after what they are split from. */
	while (kernel->btfs.count)
		release_btf(kernel->btfs.data[--kernel->btfs.count]);
	array_release(&kernel->btfs);
	array_free(&kernel->modules);
	for (size_t i = 0; i < kernel->events.count; i++) {
		free(kernel->events.data[i].name);
		free(kernel->events.data[i].group);
	}
	array_release(&kernel->events);
	array_release(&kernel->hooks.text);
	array_release(&kernel->hooks.names);
	array_release(&kernel->injection.text);
	array_release(&kernel->injection.names);
	array_release(&kernel->blacklist.text);
	array_release(&kernel->blacklist.names);
	array_release(&kernel->sources);
	array_free(&kernel->unread);
}
