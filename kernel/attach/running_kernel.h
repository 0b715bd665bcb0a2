/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What a running kernel says of its functions in tracefs and debugfs. A list is read when it is
 * asked for the first time. Which files answered is kept, and which could not be read.
 */
#ifndef BTFENC_KERNEL_ATTACH_RUNNING_KERNEL_H
#define BTFENC_KERNEL_ATTACH_RUNNING_KERNEL_H

#include "base/text.h"
#include "btf/reader.h"
#include "kallsyms/kernel_version.h"
#include "kernel/attach/answer.h"

#define RUNNING_BTF_DIRECTORY "/sys/kernel/btf"

/* A file with a name in each line. */
struct running_list {
	struct text text;
	ARRAY_OF(const char *) names;	/* sorted */
	bool is_asked;		/* it has been read, or cannot be */
	bool is_read;
};

/* Its own BTF, or that of a module, which is split from it. */
struct running_btf {
	struct btf_reader btf;
	struct btf_reader sites;	/* running_kernel_sites() */
	bool sites_asked;
	char *path;
	char *module;		/* NULL: its own */
};

/* "sched_switch" in "sched". */
struct running_event {
	char *name, *group;
};

struct running_kernel {
	const char *root;	/* goes before its paths: "", or a folder with copies */
	struct running_list hooks, blacklist, injection;
	bool events_asked, events_read, is_mount_noted;
	ARRAY_OF(struct running_event) events;	/* by name and group */
	bool kprobes_asked;
	const char *no_kprobes;			/* why; NULL: it may have some */
	ARRAY_OF(struct running_btf *) btfs;	/* that running_kernel_next_btf() has opened */
	ARRAY_OF(char *) modules;		/* by name, of which the next is to be opened: */
	size_t next_module;
	struct text sources;	/* the files that answered: "A, B" */
	/* A line for each that did not, and what therefore is not known. */
	ARRAY_OF(char *) unread;
};

/* What the answer leaves open, because a file could not be read. */
void running_kernel_warn_unread(const struct running_kernel *kernel);
void running_kernel_release(struct running_kernel *kernel);

/*
 * Opens the next BTF: first the kernel's own, then those of its modules by name, if `only` is not
 * NULL that of this module alone. What cannot be read of a module is said in `unread`. NULL: there
 * are no more; or err is filled, because there is none at all. The kernel owns it.
 */
struct running_btf *running_kernel_next_btf(struct running_kernel *kernel, const char *only,
					    struct error *err);

/* MODULE.inline, its inline sites; NULL: none, perhaps because of what is said in `unread`. */
const struct btf_reader *running_kernel_sites(struct running_kernel *kernel,
					      struct running_btf *btf);

/* The module whose code is at the address, by /proc/modules, to be freed; NULL: not known. */
char *running_kernel_module_at(const struct running_kernel *kernel, uint64_t address);

/* Where a section of the module is; false: only root sees that, or it was freed. */
bool running_kernel_find_section(const struct running_kernel *kernel, const char *module,
				 const char *section, uint64_t *start);

/* Where the notes of the kernel are, or, if it is not NULL, those of a module. To be freed. */
char *running_kernel_notes(const char *module);

/* Its release, and the build id in these notes. */
struct kernel_identity running_kernel_identity(const struct running_kernel *kernel,
					       const char *module);

/* Has a function a tracer's hook (available_filter_functions)? `module`: NULL for the kernel. */
enum attach_answer running_kernel_has_hook(struct running_kernel *kernel, const char *name,
					   const char *module);

/* Why it has no kprobes (kprobe_events in tracefs); NULL: it has, or tracefs is not there. */
const char *running_kernel_no_kprobes(struct running_kernel *kernel);

/* Do kprobes keep away from a function (kprobes/blacklist)? False, too, if that is not known. */
bool running_kernel_forbids(struct running_kernel *kernel, const char *name);

/* May BPF programs set a function's result (error_injection/list)? False, too, if not known. */
bool running_kernel_lets_modify(struct running_kernel *kernel, const char *name);

/* The folder of tracefs' events that has this one; NULL: none, or not known. */
const char *running_kernel_event_group(struct running_kernel *kernel, const char *event);

#endif
