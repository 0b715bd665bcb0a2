/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What is in a file that is compressed (xz, zstd, gzip, LZ4), or is a kernel's image: bzImage, EFI
 * zboot, Image. That is ELF, or the BTF in an Image, which has no sections. It is in memory, behind
 * a descriptor, so as good as a file: file_open_regular() (base/file_kind.h) opens that instead.
 */
#ifndef BTFENC_BASE_PACKED_FILE_H
#define BTFENC_BASE_PACKED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

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

/* Of what file_open_regular() opened: without holes, and as it is stored. */
static inline uint64_t file_stored_bytes(const struct stat *file)
{
	uint64_t blocks = (uint64_t)file->st_blocks * 512, bytes = (uint64_t)file->st_size;

	return blocks < bytes ? blocks : bytes;
}

/* Is it the same file with the same contents, as far as its inode can tell? */
bool file_is_unchanged(const struct stat *a, const struct stat *b);

/*
 * Takes a descriptor of a file with that status, which is not empty, and returns it, if the file is
 * not packed, or that of what is in it. That is no more than file_limit() of what is stored. The
 * last file that a thread has asked for is not unpacked again. -1: errno says why it cannot be.
 */
int packed_file_open(int fd, const struct stat *file);

/* As strerror(), also for these numbers. */
const char *packed_file_problem(int error);

#endif
