/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/held_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/output_file.h"

#define RETRY_MILLISECONDS 5
#define RETRIES		   (HELD_FILE_WAIT_SECONDS * 1000 / RETRY_MILLISECONDS)

static bool check_changeable(const char *path, const struct stat *st, struct error *err)
{
	if (!S_ISREG(st->st_mode))
		return error_at(err, path, "is not a regular file; give an ELF file");
	if (!(st->st_mode & 0222))
		return error_at(err, path,
				"is read-only (mode %04o) and was left as it is; make it writable "
				"(chmod u+w) or choose another output",
				st->st_mode & 07777);
	return true;
}

/* What cannot be changed is not opened, also by root. */
static bool open_once(struct held_file *file, struct error *err)
{
	struct stat st;

	if (stat(file->path, &st) != 0)
		return error_at(err, file->path, "cannot open: %s; check the name",
				strerror(errno));
	if (!check_changeable(file->path, &st, err))
		return false;
	file->fd = file_open_regular(file->path, O_RDWR, &st);
	if (file->fd < 0 && errno == ENODEV)
		return check_changeable(file->path, &st, err);
	return file->fd >= 0 ||
	       error_at(err, file->path,
			"cannot open for writing: %s; it was left as it is; %s, or choose another "
			"output",
			strerror(errno), output_hint(errno));
}

bool held_file_open(struct held_file *file, const char *path, struct error *err)
{
	static const struct timespec pause = { .tv_nsec = RETRY_MILLISECONDS * 1000000L };
	struct stat named;

	*file = (struct held_file){ .path = path, .fd = -1 };
	for (int i = 0; i < RETRIES; i++, nanosleep(&pause, NULL)) {
		if (file->fd < 0 && !open_once(file, err))
			return false;
		if (flock(file->fd, LOCK_EX | LOCK_NB) != 0 &&
		    (errno == EWOULDBLOCK || errno == EINTR))
			continue;
		/* The name may mean another file by now: the file that was opened was replaced. */
		if (fstat(file->fd, &file->status) != 0 || stat(path, &named) != 0 ||
		    named.st_dev != file->status.st_dev || named.st_ino != file->status.st_ino) {
			held_file_close(file);
			continue;
		}
		file->bytes = (uint64_t)file->status.st_size;
		if (check_changeable(path, &file->status, err))
			return true;
		held_file_close(file);
		return false;
	}
	held_file_close(file);
	return error_at(err, path,
			"another process has had it locked for %d seconds; it was left as it is; "
			"try again when that is done",
			HELD_FILE_WAIT_SECONDS);
}

void held_file_close(struct held_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

bool held_file_read(const struct held_file *file, void *to, uint64_t offset, size_t bytes)
{
	char *at = to;

	while (bytes) {
		ssize_t done = pread(file->fd, at, bytes, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			errno = done ? errno : 0;
			return false;
		}
		at += done;
		offset += (uint64_t)done;
		bytes -= (size_t)done;
	}
	return true;
}
