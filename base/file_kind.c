/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* O_PATH */
#include "base/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/packed_file.h"

bool file_kind_is_raw_btf(const uint8_t *data, size_t bytes)
{
	return bytes >= 2 && ((data[0] == 0x9f && data[1] == 0xeb) ||
			      (data[0] == 0xeb && data[1] == 0x9f));
}

/* errno is kept. */
static void close_quietly(int fd)
{
	int why = errno;

	close(fd);
	errno = why;
}

/* Without '/' at its end; "": none. */
static char root[4096];

const char *file_set_root(const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	while (length && folder[length - 1] == '/')
		length--;
	/* Threads set it again. A longer one does not exist. */
	if (strlen(root) != length || strncmp(root, folder ? folder : "", length) != 0)
		snprintf(root, sizeof(root), "%.*s", (int)length, folder ? folder : "");
	return length ? folder : "";
}

bool file_is_of_root(const char *path)
{
	size_t length = strlen(root);

	if (!length || strncmp(path, root, length) != 0 || path[length] != '/')
		return false;
	path += length + strspn(path + length, "/");
	return strncmp(path, "sys/", 4) == 0 || strncmp(path, "proc/", 5) == 0;
}

int file_open(const char *path, int flags)
{
	bool is_below = file_is_of_root(path);
	const char *at = path + strlen(root);
	char name[256];
	int fd;

	if (!is_below)
		return open(path, flags | O_CLOEXEC);
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && *(at += strspn(at, "/"))) {
		size_t length = strcspn(at, "/");
		int above = fd;

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		at += length;
		errno = length < sizeof(name) ? EXDEV : ENAMETOOLONG;
		fd = length < sizeof(name) && strcmp(name, "..") != 0
			     ? openat(above, name, O_NOFOLLOW | O_CLOEXEC |
					      (*at ? O_PATH | O_DIRECTORY : flags))
			     : -1;
		close_quietly(above);
	}
	return fd;
}

bool file_stat(const char *path, struct stat *status)
{
	int fd = file_is_of_root(path) ? file_open(path, O_PATH) : -1;
	bool good = fd >= 0 ? fstat(fd, status) == 0
			    : !file_is_of_root(path) && stat(path, status) == 0;

	if (fd >= 0)
		close_quietly(fd);
	return good;
}

DIR *file_open_folder(const char *path)
{
	int fd = file_open(path, O_RDONLY | O_DIRECTORY);

	return fd >= 0 ? fdopendir(fd) : NULL;
}

static bool is_regular(int fd, struct stat *status)
{
	if (fstat(fd, status) != 0)
		return false;
	errno = ENODEV;
	return S_ISREG(status->st_mode);
}

/*
 * The blocks that are stored of the file: a hole must not raise limits. Their count does not say it
 * (ZFS has one for what was just written), but that there may be a hole.
 */
static void count_stored(int fd, struct stat *status)
{
	off_t at = 0, stored = 0, begin, end;

	if ((uint64_t)status->st_blocks * 512 >= (uint64_t)status->st_size)
		return;
	for (uint32_t extents = 0; extents < (1u << 16); extents++) {
		begin = lseek(fd, at, SEEK_DATA);
		if (begin < 0 && errno == ENXIO)
			break;
		end = begin < 0 ? -1 : lseek(fd, begin, SEEK_HOLE);
		/* The file system does not know. */
		if (end <= begin) {
			stored = status->st_size;
			break;
		}
		stored += end - begin;
		at = end;
	}
	lseek(fd, 0, SEEK_SET);
	status->st_blocks = (stored + 511) / 512;
}

int file_open_regular(const char *path, int access, struct stat *status)
{
	int found = file_open(path, O_PATH), fd = -1;
	char same[32];

	if (found < 0)
		return -1;
	snprintf(same, sizeof(same), "/proc/self/fd/%d", found);
	if (is_regular(found, status)) {
		/* A lease of another program (NFS, Samba) is waited for. */
		fd = open(same, access | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			fd = file_open(path, access | O_NONBLOCK | O_NOCTTY);
		if (fd >= 0 && !is_regular(fd, status)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0 && S_ISLNK(status->st_mode))
		errno = ELOOP;
	close_quietly(found);
	if (fd >= 0 && access == O_RDONLY && status->st_size) {
		count_stored(fd, status);
		fd = packed_file_open(fd, status);
	}
	return fd;
}

enum file_kind file_kind_of(const char *path)
{
	struct stat file;
	int fd = file_open_regular(path, O_RDONLY, &file);
	uint8_t start[FILE_KIND_BYTES];
	/* One of procfs is as if it was empty; reading /proc/kmsg takes what others wait for. */
	ssize_t got = fd >= 0 && file.st_size ? pread(fd, start, sizeof(start), 0) : -1;

	if (fd >= 0)
		close(fd);
	if (got >= 4 && memcmp(start, "\x7f" "ELF", 4) == 0)
		return FILE_ELF;
	if (got >= 5 && memcmp(start, "name\t", 5) == 0)
		return FILE_FUNCTION_LIST;
	return got > 0 && file_kind_is_raw_btf(start, (size_t)got) ? FILE_RAW_BTF : FILE_OTHER;
}

bool file_is_regular(const char *path, const char *advice, struct error *err)
{
	struct stat file;

	return !file_stat(path, &file) || S_ISREG(file.st_mode) ||
	       error_at(err, path, "is not a regular file; %s", advice);
}

bool file_has_changed(const char *path, const struct stat *opened)
{
	struct stat now;

	return file_stat(path, &now) && !file_is_unchanged(&now, opened);
}

bool file_is_packed(const char *path)
{
	struct stat file, inside;
	int fd = file_open_regular(path, O_RDONLY, &file);
	bool is = fd >= 0 && fstat(fd, &inside) == 0 && !file_is_unchanged(&file, &inside);

	if (fd >= 0)
		close(fd);
	return is;
}

bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return file_stat(a, &x) && file_stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
