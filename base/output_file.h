/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Whole-file output: written next to the destination, then renamed over it. So the destination is
 * either the old file or the complete new one. The temporary file goes away on every failure,
 * also where lack of memory or a signal ends the process (base/ending.h).
 */
#ifndef BTFENC_BASE_OUTPUT_FILE_H
#define BTFENC_BASE_OUTPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Before anything is opened: standard descriptors that are closed must not become those of files,
 * into which messages would go. They refuse to be read and written as before (EBADF).
 */
void output_hold_standard(void);

#define OUTPUT_FILES 4	/* so many at a time in a process, of one thread */

/* One file that is being written next to its destination. */
struct output_file {
	const char *shown;	/* the destination's name for messages, borrowed */
	char *destination;	/* what a symbolic link named `shown` leads to, owned */
	char *temporary;	/* owned; the file exists until commit or abandon */
	int fd;			/* open for reading and writing, mode 0600, empty at first */
	bool is_direct;		/* no file next to it: a device, a pipe, */
	bool is_stdout;		/* or standard output; written by commit: */
	const void *data;	/* borrowed */
	size_t size;
};

/* False: err is filled, there is nothing to abandon. */
bool output_file_begin(struct output_file *file, const char *path, struct error *err);

/* Renames it over the destination. False: err is filled, the destination was left as it was. */
bool output_file_commit(struct output_file *file, struct error *err);

/* Removes it. errno is kept. */
void output_file_abandon(struct output_file *file);

/* Begins it and writes these bytes; commit makes them count. */
bool output_file_stage(struct output_file *file, const char *path, const void *data, size_t size,
		       struct error *err);

/* What to do about an errno of writing, to end a message with. */
const char *output_hint(int cause);

#define OUTPUT_CURSOR UINT64_MAX	/* an `offset`: where the last write has ended */

/* Writes all of it. False with errno set. */
bool output_put(int fd, const void *data, size_t size, uint64_t offset);

/*
 * Has the file system taken what was written? One on a network may accept data and find later that
 * there is no room; close() makes it tell, and so does this. Local ones do nothing. False: errno.
 */
bool output_arrived(int fd);

/* Writes to what is open already; `shown` is its name for messages. */
bool output_stream_write(int fd, const char *shown, const void *data, size_t size,
			 struct error *err);

/*
 * Replaces or creates `path` with these bytes. The permissions of a file that was there are kept if
 * it was this user's; never its set-ID bits, which were for other contents.
 */
bool output_file_write(const char *path, const void *data, size_t size, struct error *err);

#endif
