/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Recognizes a file: its format by its first bytes, itself by its number. */
#ifndef BTFENC_BASE_FILE_KIND_H
#define BTFENC_BASE_FILE_KIND_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/packed_file.h"

#define FILE_KIND_BYTES 5	/* how many bytes tell */

/* Is it raw BTF, of either byte order? */
bool file_kind_is_raw_btf(const uint8_t *data, size_t bytes);

enum file_kind {
	FILE_OTHER,		/* also what cannot be read, and pipes, which are not waited for */
	FILE_RAW_BTF,
	FILE_FUNCTION_LIST,	/* of `btfenc stats --functions` */
	FILE_ELF,
};

enum file_kind file_kind_of(const char *path);

/*
 * What is named in /sys and /proc below this folder (--root) is opened there: no symbolic link and
 * no ".." leads out, for none is followed. What is mounted there, as in a chroot, is part of it.
 * NULL, "/": no folder. Returns what goes before the paths. Set before there are threads.
 */
const char *file_set_root(const char *folder);

bool file_is_of_root(const char *path);

/* As open() and stat(), below that folder as above; a link in the last place is the link itself. */
int file_open(const char *path, int flags);
bool file_stat(const char *path, struct stat *status);
DIR *file_open_folder(const char *path);

/* Is it there, for this user? False: errno. */
static inline bool file_exists(const char *path)
{
	struct stat status;

	return file_stat(path, &status);
}

/*
 * Opens (O_RDONLY or O_RDWR) what may be named by a file of others, with its status. For reading
 * it is what is in it, if it is packed (base/packed_file.h), with the status of the file. -1: errno
 * says why; ENODEV: it is not a regular file. To open a device can do things (/dev/watchdog), and
 * a FIFO may never have a writer: so what is there is looked at first, and the same is opened.
 * Without /proc (a sandbox), whoever can replace the file between the two can have a device opened.
 */
int file_open_regular(const char *path, int access, struct stat *status);

/* False: it is a pipe, a device or a folder, as err says. What is not there is left to open(). */
bool file_is_regular(const char *path, const char *advice, struct error *err);

/*
 * Is the file another one, or longer, than when it was opened? Another process may encode it in
 * place meanwhile: it is read again once, before anything is said of it.
 */
bool file_has_changed(const char *path, const struct stat *opened);

/* Does file_open_regular() open what is in it? */
bool file_is_packed(const char *path);

/* Do two paths lead to one file that exists? */
bool is_same_file(const char *a, const char *b);

#endif
