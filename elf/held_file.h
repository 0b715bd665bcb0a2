/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An existing regular file, open for changing, with an advisory lock (flock) on it, so that two
 * btfencs change one file one after the other. The lock goes with the process. Another program's
 * lock is waited for HELD_FILE_WAIT_SECONDS, no longer: its holder may be waiting for this process
 * (`flock FILE btfenc encode FILE`). File systems without locks are used without.
 *
 * A file without any write permission is refused here, also for root, whom the kernel would let
 * through.
 */
#ifndef BTFENC_ELF_HELD_FILE_H
#define BTFENC_ELF_HELD_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

#define HELD_FILE_WAIT_SECONDS 10

struct held_file {
	const char *path;	/* borrowed; a symbolic link is followed */
	int fd;			/* for reading and writing */
	uint64_t bytes;		/* size when the lock was taken */
	struct stat status;	/* of that moment */
};

/* False: err is filled, nothing is open. */
bool held_file_open(struct held_file *file, const char *path, struct error *err);

void held_file_close(struct held_file *file);

/* Reads exactly these bytes. False with errno set (0: the file ends before). */
bool held_file_read(const struct held_file *file, void *to, uint64_t offset, size_t bytes);

#endif
