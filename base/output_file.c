/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* O_PATH */
#include "base/output_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/file_kind.h"
#include "base/memory.h"

/* <linux/magic.h>, which a C library other than glibc may be without. */
#define NFS_SUPER_MAGIC 0x6969

/* How long a FIFO may be without a reader, and how often it is asked. */
#define READER_WAIT_MS 5000
#define READER_STEP_MS 10

/* Set before the temporary file exists; read by the signal handler, so it is never freed there. */
static char *volatile temporary_paths[OUTPUT_FILES];

static void remove_temporaries(void)
{
	for (size_t i = 0; i < OUTPUT_FILES; i++) {
		if (temporary_paths[i])
			unlink(temporary_paths[i]);
	}
}

bool output_put(int fd, const void *data, size_t size, uint64_t offset)
{
	const char *at = data;

	while (size) {
		ssize_t done = offset == OUTPUT_CURSOR ? write(fd, at, size)
						       : pwrite(fd, at, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		at += done;
		offset += offset == OUTPUT_CURSOR ? 0 : (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

bool output_arrived(int fd)
{
	struct statfs system;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	/* Without a free descriptor only NFS can be asked. */
	if (copy >= 0 && close(copy) != 0)
		return false;
	/* With a write delegation NFS does not even wait at close. EINVAL: a FIFO there. */
	return fstatfs(fd, &system) != 0 || system.f_type != NFS_SUPER_MAGIC || fsync(fd) == 0 ||
	       errno == EINVAL;
}

void output_hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* The lowest that is free is the one asked for. */
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd)
			_exit(EXIT_FAILURE);
	}
}

/*
 * A symbolic link is followed: the file it names is what gets replaced. But not where the kernel
 * would not follow it (fs.protected_symlinks: another user's link in a folder like /tmp), which
 * realpath() does not ask. NULL with errno: it leads nowhere, and must not be replaced itself
 * (/dev/stdout is such a link when its file has been removed).
 */
static char *real_destination(const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return memory_copy(path);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	close(fd);
	return realpath(path, NULL);
}

/* Of a new file. Set-ID bits were for other contents, and permissions of a group for that group. */
static mode_t wanted_mode(const char *path, int fd)
{
	struct stat st, now;
	mode_t mask;

	if (stat(path, &st) == 0 && fstat(fd, &now) == 0 && st.st_uid == now.st_uid)
		return st.st_gid == now.st_gid || fchown(fd, (uid_t)-1, st.st_gid) == 0
			       ? st.st_mode & 0777 : st.st_mode & 0707;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

bool output_stream_write(int fd, const char *shown, const void *data, size_t size,
			 struct error *err)
{
	return (output_put(fd, data, size, OUTPUT_CURSOR) && output_arrived(fd)) ||
	       error_at(err, shown, "cannot write: %s; %s", strerror(errno), output_hint(errno));
}

/* A FIFO that no program reads; who reads it may just have been started. */
static int open_existing(const char *path)
{
	struct stat st;
	int fd, waited;

	for (waited = 0; waited < READER_WAIT_MS; waited += READER_STEP_MS) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 || errno != ENXIO || stat(path, &st) != 0 || !S_ISFIFO(st.st_mode))
			break;
		poll(NULL, 0, READER_STEP_MS);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_WRONLY);
	return fd;
}

static void release(struct output_file *file)
{
	for (size_t i = 0; i < OUTPUT_FILES; i++) {
		if (temporary_paths[i] == file->temporary)
			temporary_paths[i] = NULL;
	}
	free(file->temporary);
	free(file->destination);
	*file = (struct output_file){ .fd = -1 };
}

const char *output_hint(int cause)
{
	switch (cause) {
	case ENOSPC:
	case EDQUOT: return "make room there";
	case EFBIG: return "raise the limit on file sizes (ulimit -f)";
	case EIO: return "check the disk or the server";
	case EBUSY:	/* a directory that is mounted */
	case EISDIR: return "give the name of a file";
	case ENOENT:
	case ENOTDIR: return "check that its folder is there";
	case ENAMETOOLONG: return "give a shorter name";
	case EACCES: return "check its permissions and those of its folder";
	case EPERM: return "run as its owner";
	case ETXTBSY: return "wait until it no longer runs";
	case EROFS: return "choose a file system that can be written to";
	case EBADF: return "open it for writing";
	case EMFILE: return "raise the limit on open files (ulimit -n)";
	case EPIPE: return "keep its reader running";
	case ENXIO: return "have a program read it";
	default: return "try again";
	}
}

bool output_file_begin(struct output_file *file, const char *path, struct error *err)
{
	char *destination = real_destination(path);
	size_t bytes, slot = 0;

	while (slot < OUTPUT_FILES && temporary_paths[slot])
		slot++;
	assert(slot < OUTPUT_FILES);
	if (!destination && errno == ENOENT)
		return error_at(err, path, "is a symbolic link that leads to no file; remove it");
	if (!destination)
		return error_at(err, path, "cannot follow the symbolic link: %s; nothing was "
				"written; give the file that it leads to", strerror(errno));
	bytes = strlen(destination) + sizeof(".btfencXXXXXX");
	*file = (struct output_file){
		.shown = path,
		.destination = destination,
		.temporary = memory_alloc(bytes),
	};
	snprintf(file->temporary, bytes, "%s.btfencXXXXXX", destination);
	/* Before the file is there: a signal between the two would leave it. */
	temporary_paths[slot] = file->temporary;
	ending_add(remove_temporaries);
	file->fd = mkstemp(file->temporary);
	if (file->fd < 0) {
		error_at(err, path, "cannot create a file next to it: %s; nothing was written; "
			 "%s", strerror(errno), output_hint(errno));
		release(file);
		return false;
	}
	return true;
}

static bool write_directly(const struct output_file *file, struct error *err)
{
	int fd = file->is_stdout ? STDOUT_FILENO : open_existing(file->shown);
	bool good;

	if (fd < 0)
		return error_at(err, file->shown, "cannot write: %s; %s", strerror(errno),
				output_hint(errno));
	good = output_stream_write(fd, file->shown, file->data, file->size, err);
	if (!file->is_stdout)
		close(fd);
	return good;
}

bool output_file_commit(struct output_file *file, struct error *err)
{
	bool good;

	if (file->is_direct)
		return write_directly(file, err);
	good = close(file->fd) == 0;
	file->fd = -1;
	if (good && rename(file->temporary, file->destination) == 0) {
		release(file);
		return true;
	}
	error_at(err, file->shown, "cannot write: %s; nothing was written; %s", strerror(errno),
		 output_hint(errno));
	output_file_abandon(file);
	return false;
}

void output_file_abandon(struct output_file *file)
{
	int cause = errno;

	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	release(file);
	errno = cause;
}

bool output_file_stage(struct output_file *file, const char *path, const void *data, size_t size,
		       struct error *err)
{
	struct stat st, out;

	*file = (struct output_file){ .shown = path, .fd = -1 };
	if (!*path)
		return error_set(err, "the name of the output file is empty");
	/* /dev/null, a pipe: nothing to rename over. /dev/stdout: perhaps opened to append. */
	if (stat(path, &st) == 0) {
		file->is_stdout = fstat(STDOUT_FILENO, &out) == 0 && st.st_dev == out.st_dev &&
				  st.st_ino == out.st_ino;
		file->is_direct = file->is_stdout ||
				  !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
		if (file->is_direct) {
			file->data = data;
			file->size = size;
			return true;
		}
		/* It may be an input that was not named, as the file with the DWARF. */
		if (file_kind_of(path) == FILE_ELF)
			return error_at(err, path, "is an ELF file, and would be replaced; choose "
					"another OUT, or remove it");
	}
	if (!output_file_begin(file, path, err))
		return false;
	if (output_put(file->fd, data, size, 0) &&
	    fchmod(file->fd, wanted_mode(path, file->fd)) == 0 && output_arrived(file->fd))
		return true;
	error_at(err, path, "cannot write: %s; nothing was written; %s", strerror(errno),
		 output_hint(errno));
	output_file_abandon(file);
	return false;
}

bool output_file_write(const char *path, const void *data, size_t size, struct error *err)
{
	struct output_file file;

	return output_file_stage(&file, path, data, size, err) && output_file_commit(&file, err);
}
