/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A library for LD_PRELOAD that makes one call fail that changes a file: the INJECT_AT-th (from 1)
 * of write, pwrite, copy_file_range, ftruncate, fchmod, fsync, fdatasync and rename. INJECT_HOW:
 *
 *	error	it fails: ENOSPC for data, EIO for the others, or INJECT_ERRNO, a number
 *	half	of data a half is written, the next call fails
 *	broken	it fails, and all after it
 *	end	the process is asked to end before it (SIGTERM); mkstemp counts, too: after it
 *	kill	the process is killed before it
 *	torn	of data a half is written, then the process is killed
 *	late	data is taken and lost, and the next close of the file fails, or its fsync
 *	nfs	the same, but only fsync fails, and the file system says that it is NFS
 *	foreign	another user writes '?' into the file INJECT_FILE before it, at FOREIGN_OFFSET
 *	unmapped	nothing fails but to map a file, of which there is no count
 *
 * No half of SMALL_BYTES or less is written: no file system takes those in two steps.
 * unlink counts, too, where the process is to be killed.
 * INJECT_MARK is the name of a file that is made when that has happened.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL_BYTES 64
#define FOREIGN_OFFSET 9	/* padding of the ELF header */
#define NOBODY 65534

static unsigned long calls;

enum outcome { PASSES, FAILS, IS_HALVED, IS_LOST };

static struct stat lost;	/* the file, until it is told */

static void mark(void)
{
	const char *name = getenv("INJECT_MARK");
	int fd = name ? open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
}

/* Without this library's own calls. */
static void write_as_another(void)
{
	pid_t child = fork();

	if (child == 0) {
		int fd = setuid(NOBODY) == 0 ? open(getenv("INJECT_FILE"), O_WRONLY) : -1;

		if (fd < 0 || lseek(fd, FOREIGN_OFFSET, SEEK_SET) < 0 ||
		    syscall(SYS_write, fd, "?", 1) != 1)
			_exit(1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* `size`: of the data; 0: none. */
static enum outcome next_outcome(size_t size)
{
	const char *at_text = getenv("INJECT_AT"), *how = getenv("INJECT_HOW");
	unsigned long at = at_text ? strtoul(at_text, NULL, 10) : 0;

	calls++;
	if (!at || !how || calls < at)
		return PASSES;
	mark();
	if (calls > at) {
		if (strcmp(how, "torn") == 0)
			raise(SIGKILL);
		if (strcmp(how, "half") == 0)
			return calls == at + 1 ? FAILS : PASSES;
		return strcmp(how, "broken") == 0 ? FAILS : PASSES;
	}
	if (strcmp(how, "foreign") == 0) {
		write_as_another();
		return PASSES;
	}
	if (strcmp(how, "end") == 0) {
		raise(SIGTERM);
		return PASSES;
	}
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "late") == 0 || strcmp(how, "nfs") == 0)
		return size ? IS_LOST : PASSES;
	if (strcmp(how, "half") == 0 || strcmp(how, "torn") == 0)
		return size > SMALL_BYTES ? IS_HALVED : PASSES;
	return FAILS;
}

static int error_number(int usual)
{
	const char *wanted = getenv("INJECT_ERRNO");

	return wanted ? atoi(wanted) : usual;
}

/* Is it time to tell that data of this file was lost? */
static bool is_late(int fd)
{
	struct stat now;

	if (!lost.st_ino || fstat(fd, &now) != 0 || now.st_ino != lost.st_ino ||
	    now.st_dev != lost.st_dev)
		return false;
	lost.st_ino = 0;
	return true;
}

/* The C library's own; a function pointer has no conversion from what dlsym() returns. */
#define REAL(result, name, ...)                                                                    \
	result (*real)(__VA_ARGS__);                                                               \
	*(void **)&real = dlsym(RTLD_NEXT, name)

#define DATA_CALL(fd, call)                                                                        \
	switch (next_outcome(size)) {                                                              \
	case FAILS: errno = error_number(ENOSPC); return -1;                                       \
	case IS_HALVED: size /= 2; break;                                                          \
	case IS_LOST: fstat(fd, &lost); return (ssize_t)size;                                      \
	case PASSES: break;                                                                        \
	}                                                                                          \
	return (call)

#define OTHER_CALL(call)                                                                           \
	if (next_outcome(0) == FAILS) {                                                        \
		errno = error_number(EIO);                                                         \
		return -1;                                                                         \
	}                                                                                          \
	return (call)

int mkstemp(char *template)
{
	REAL(int, "mkstemp", char *);
	const char *how = getenv("INJECT_HOW");
	int fd = real(template);

	if (how && strcmp(how, "end") == 0)
		next_outcome(0);
	return fd;
}

ssize_t write(int fd, const void *data, size_t size)
{
	REAL(ssize_t, "write", int, const void *, size_t);
	DATA_CALL(fd, real(fd, data, size));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
	DATA_CALL(fd, real(fd, data, size, offset));
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
			unsigned int flags)
{
	REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned int);
	DATA_CALL(to, real(from, from_at, to, to_at, size, flags));
}

int ftruncate(int fd, off_t size)
{
	REAL(int, "ftruncate", int, off_t);
	OTHER_CALL(real(fd, size));
}

int fchmod(int fd, mode_t mode)
{
	REAL(int, "fchmod", int, mode_t);
	OTHER_CALL(real(fd, mode));
}

int fsync(int fd)
{
	REAL(int, "fsync", int);

	if (is_late(fd)) {
		errno = error_number(ENOSPC);
		return -1;
	}
	OTHER_CALL(real(fd));
}

int fdatasync(int fd)
{
	REAL(int, "fdatasync", int);
	OTHER_CALL(real(fd));
}

int close(int fd)
{
	const char *how = getenv("INJECT_HOW");
	REAL(int, "close", int);
	bool fails = how && strcmp(how, "late") == 0 && is_late(fd);

	if (real(fd) != 0 || !fails)
		return fails ? -1 : 0;
	errno = error_number(ENOSPC);
	return -1;
}

int fstatfs(int fd, struct statfs *system)
{
	const char *how = getenv("INJECT_HOW");
	REAL(int, "fstatfs", int, struct statfs *);
	int result = real(fd, system);

	if (how && strcmp(how, "nfs") == 0)
		system->f_type = NFS_SUPER_MAGIC;
	return result;
}

int rename(const char *from, const char *to)
{
	REAL(int, "rename", const char *, const char *);
	OTHER_CALL(real(from, to));
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	const char *how = getenv("INJECT_HOW");
	REAL(void *, "mmap", void *, size_t, int, int, int, off_t);

	if (fd < 0 || !how || strcmp(how, "unmapped") != 0)
		return real(address, size, protection, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

int unlink(const char *path)
{
	const char *how = getenv("INJECT_HOW");
	REAL(int, "unlink", const char *);

	if (how && (strcmp(how, "kill") == 0 || strcmp(how, "torn") == 0))
		next_outcome(0);
	return real(path);
}
