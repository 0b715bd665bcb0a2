/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/attach/running_kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Where tracefs may be: by itself since 4.1, or where debugfs has it. */
static const char *const tracing[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
static const char *const blacklist[] = { "/sys/kernel/debug/kprobes" };

static void note_source(struct running_kernel *kernel, const char *path)
{
	struct text *sources = &kernel->sources;

	text_add_format(sources, "%s%s", sources->count ? ", " : "", path);
}

/* The first folder that has the file; of none the path of the first one. To be freed. */
static char *find_file(const struct running_kernel *kernel, const char *const *folders,
		       size_t count, const char *file)
{
	for (size_t i = 0; i < count; i++) {
		char *path = text_format("%s%s/%s", kernel->root, folders[i], file);

		if (access(path, F_OK) == 0)
			return path;
		free(path);
	}
	return text_format("%s%s/%s", kernel->root, folders[0], file);
}

char *running_kernel_release_name(const struct running_kernel *kernel)
{
	char *path = text_format("%s/proc/sys/kernel/osrelease", kernel->root);
	FILE *file = fopen(path, "re");
	char line[128] = "";

	if (file) {
		if (fgets(line, sizeof(line), file))
			line[strcspn(line, "\n")] = '\0';
		fclose(file);
	}
	free(path);
	return memory_string(line, strlen(line));
}

/* "tcp_connect", "nf_nat_inet_fn [nf_nat]" */
static bool is_function_line(const char *line, const char *name, const char *module)
{
	size_t length = strlen(name);

	if (strncmp(line, name, length) != 0)
		return false;
	line += length;
	if (!module)
		return !*line;
	length = strlen(module);
	return strncmp(line, " [", 2) == 0 && strncmp(line + 2, module, length) == 0 &&
	       strcmp(line + 2 + length, "]") == 0;
}

/* "0xffffffff81a00000-0xffffffff81a00011\tasm_exc_divide_error" */
static bool is_blacklist_line(const char *line, const char *name, const char *module)
{
	const char *tab = strchr(line, '\t');

	(void)module;
	return tab && strcmp(tab + 1, name) == 0;
}

/* Reads the file once; `cost` is what is not known without it. */
static bool read_list(struct running_kernel *kernel, struct running_list *list,
		      const char *const *folders, size_t count, const char *file, const char *cost)
{
	char *path;
	struct error err;

	if (list->is_asked)
		return list->is_read;
	list->is_asked = true;
	path = find_file(kernel, folders, count, file);
	list->is_read = text_read(&list->text, open(path, O_RDONLY | O_CLOEXEC), path, cost, NULL,
				  &err);
	/* tracefs may be mounted, and yet have a file without a line. */
	if (list->is_read && !list->text.count)
		list->is_read = error_at(&err, path, "is empty; %s", cost);
	if (list->is_read)
		note_source(kernel, path);
	else
		text_add_format(&kernel->unread, "%s\n", err.text);
	/* Lines become strings. */
	for (size_t i = 0; i < list->text.count; i++) {
		if (list->text.data[i] == '\n')
			list->text.data[i] = '\0';
	}
	if (list->is_read)
		text_add_char(&list->text, '\0');
	free(path);
	return list->is_read;
}

static bool has_line(const struct running_list *list, const char *name, const char *module,
		     bool (*is_line)(const char *line, const char *name, const char *module))
{
	for (size_t at = 0; at < list->text.count; at += strlen(list->text.data + at) + 1) {
		if (is_line(list->text.data + at, name, module))
			return true;
	}
	return false;
}

int running_kernel_has_hook(struct running_kernel *kernel, const char *name, const char *module)
{
	if (!read_list(kernel, &kernel->hooks, tracing, sizeof(tracing) / sizeof(*tracing),
		       "available_filter_functions", "whether fentry finds a hook is not known"))
		return -1;
	return has_line(&kernel->hooks, name, module, is_function_line);
}

bool running_kernel_forbids(struct running_kernel *kernel, const char *name)
{
	return read_list(kernel, &kernel->blacklist, blacklist, 1, "blacklist",
			 "whether kprobes may go there is not known") &&
	       has_line(&kernel->blacklist, name, NULL, is_blacklist_line);
}

char *running_kernel_event_system(struct running_kernel *kernel, const char *event)
{
	char *path = find_file(kernel, tracing, sizeof(tracing) / sizeof(*tracing), "events");
	DIR *systems = opendir(path);
	struct dirent *entry;
	char *found = NULL;

	while (systems && !found && (entry = readdir(systems))) {
		char *folder = text_format("%s/%s/%s", path, entry->d_name, event);

		if (entry->d_name[0] != '.' && access(folder, F_OK) == 0)
			found = memory_string(entry->d_name, strlen(entry->d_name));
		free(folder);
	}
	if (systems)
		note_source(kernel, path);
	else
		text_add_format(&kernel->unread, "%s: cannot open: %s; which event it has is not "
				"known\n", path, strerror(errno));
	if (systems)
		closedir(systems);
	free(path);
	return found;
}

void running_kernel_release(struct running_kernel *kernel)
{
	array_release(&kernel->hooks.text);
	array_release(&kernel->blacklist.text);
	array_release(&kernel->sources);
	array_release(&kernel->unread);
}
