/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Changing an existing file so that it is the old or the new one at every instant.
 *
 *  in place	New bytes are appended, where nothing refers to them yet; then one small write to
 *		the header makes them count. Inode, hard links, owner and mode stay, and only new
 *		bytes are written. A process that is killed before the header changes leaves the old
 *		file, with bytes after its end that nothing refers to.
 *  by a copy	Where bytes in use change, or the file has set-ID bits or capabilities, which the
 *		kernel takes when others write to it: a complete copy in the same folder gets all
 *		changes, then takes the file's name. Owner, mode and extended attributes are copied;
 *		a file with several names (hard links) cannot be changed this way.
 *
 * Either way failures before the end are undone; the error says so. Signals wait for the end of a
 * change in place, and remove an unfinished copy. The program ignores SIGXFSZ: a limit on file
 * sizes is an error like a full disk.
 *
 * On a local file system nothing is synced: "instant" is about processes, not about power. A linker
 * has just left 600 MB of dirty pages in a vmlinux, which a sync would have to wait for; what it
 * wrote is as volatile. On a network the data has to arrive before the header (output_arrived()).
 */
#ifndef BTFENC_ELF_FILE_UPDATE_H
#define BTFENC_ELF_FILE_UPDATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/held_file.h"

/* The longest `flip`: from the file's start it shares a disk's sector and is written at once. */
#define FILE_FLIP_BYTES 64

struct file_patch {
	uint64_t offset;
	const void *data;	/* borrowed */
	size_t bytes;
};

struct file_update {
	const struct file_patch *patches; /* of bytes in use: only by a copy */
	size_t patch_count;
	const void *tail;	/* put at the file's end */
	size_t tail_bytes;
	struct file_patch flip;	/* within the first FILE_FLIP_BYTES; makes the tail count */
};

/* The file becomes the new one. False: err is filled; it is the old one if that can be. */
bool file_update(const struct held_file *file, const struct file_update *update,
		 struct error *err);

#endif
