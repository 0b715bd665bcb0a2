/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Is a file still the one that was read, as far as its inode can tell? */
#ifndef BTFENC_ELF_FILE_STAMP_H
#define BTFENC_ELF_FILE_STAMP_H

#include <stdbool.h>
#include <sys/stat.h>

struct file_stamp {
	dev_t device;
	ino_t inode;
	off_t bytes;
	struct timespec changed;	/* the contents */
};

static inline struct file_stamp file_stamp_of(const struct stat *st)
{
	return (struct file_stamp){ st->st_dev, st->st_ino, st->st_size, st->st_mtim };
}

static inline bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

#endif
