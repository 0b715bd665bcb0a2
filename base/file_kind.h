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

#define FILE_KIND_BYTES 6	/* how many bytes tell */

/*
 * What a file claims to have, compressed or in holes, may be FILE_FREE_MIB and FILE_EXPANSION
 * times what is stored of it. Deflate ends at 1032, zstd nowhere; sections of Debian's kernels and
 * modules have less than 5, but for file names of large modules (25) and .debug_str of `ld -r`
 * with zstd --long (32).
 */
#define FILE_FREE_MIB  64
#define FILE_EXPANSION 64

static inline uint64_t file_limit(uint64_t stored_bytes)
{
	return ((uint64_t)FILE_FREE_MIB << 20) + stored_bytes * FILE_EXPANSION;
}

/* The format of compressed bytes ("xz", "zstd", "gzip"); NULL: they have none of these. */
const char *file_kind_compression(const uint8_t *data, size_t bytes);

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
 * Opens (O_RDONLY or O_RDWR) what may be named by a file of others, with its status. -1: errno says
 * why; ENODEV: it is not a regular file. To open a device can do things (/dev/watchdog), and a FIFO
 * may never have a writer: so what is there is looked at first, and the same is opened. Without
 * /proc (a sandbox), whoever can replace the file between the two can have a device opened.
 */
int file_open_regular(const char *path, int access, struct stat *status);

/* False: it is a pipe, a device or a folder, as err says. What is not there is left to open(). */
bool file_is_regular(const char *path, const char *advice, struct error *err);

/* Is it the same file with the same contents, as far as its inode can tell? */
bool file_is_unchanged(const struct stat *a, const struct stat *b);

/*
 * Is the file another one, or longer, than when it was opened? Another process may encode it in
 * place meanwhile: it is read again once, before anything is said of it.
 */
bool file_has_changed(const char *path, const struct stat *opened);

/* Do two paths lead to one file that exists? */
bool is_same_file(const char *a, const char *b);

#endif
