/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/attach/running_kernel.h"

#include <dirent.h>
#include <errno.h>
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

static void note_unread(struct running_kernel *kernel, const char *path, const char *why,
			const char *cost)
{
	text_add_format(&kernel->unread, "%s cannot be read (%s): %s\n", path, why, cost);
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

/* Has the file such a line? -1: it cannot be read. */
static int has_line(struct running_kernel *kernel, const char *path, const char *name,
		    const char *module, const char *cost,
		    bool (*is_line)(const char *line, const char *name, const char *module))
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t capacity = 0, lines = 0;
	ssize_t length;
	int found = 0;

	while (file && !found && (length = getline(&line, &capacity, file)) > 0) {
		line[length - (line[length - 1] == '\n')] = '\0';
		found = is_line(line, name, module);
		lines++;
	}
	/* tracefs may be mounted, and yet have a file without a line. */
	if (!file || ferror(file) || !lines) {
		note_unread(kernel, path, !file || ferror(file) ? strerror(errno) : "it is empty",
			    cost);
		found = -1;
	} else {
		note_source(kernel, path);
	}
	if (file)
		fclose(file);
	free(line);
	return found;
}

int running_kernel_has_hook(struct running_kernel *kernel, const char *name, const char *module)
{
	char *path = find_file(kernel, tracing, sizeof(tracing) / sizeof(*tracing),
			       "available_filter_functions");
	int found = has_line(kernel, path, name, module, "whether fentry finds a hook is not known",
			     is_function_line);

	free(path);
	return found;
}

bool running_kernel_forbids(struct running_kernel *kernel, const char *name)
{
	char *path = find_file(kernel, blacklist, 1, "blacklist");
	int found = has_line(kernel, path, name, NULL, "whether kprobes may go there is not known",
			     is_blacklist_line);

	free(path);
	return found > 0;
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
		note_unread(kernel, path, strerror(errno), "which event it has is not known");
	if (systems)
		closedir(systems);
	free(path);
	return found;
}

void running_kernel_release(struct running_kernel *kernel)
{
	array_release(&kernel->sources);
	array_release(&kernel->unread);
}
