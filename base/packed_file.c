/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* memfd_create(), memmem() */
#include "base/packed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#ifdef WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/bytes.h"
#include "base/late_library.h"

#define ZLIB_FUNCTIONS(X) X(inflateInit2_) X(inflate) X(inflateEnd)
LATE_LIBRARY(zlib, ZLIB_FUNCTIONS);
#define LZMA_FUNCTIONS(X) X(lzma_stream_decoder) X(lzma_code) X(lzma_end)
LATE_LIBRARY(lzma, LZMA_FUNCTIONS);
/* As lz4.h has it, which need not be there. */
int LZ4_decompress_safe(const char *in, char *out, int in_bytes, int out_bytes);
#define LZ4_FUNCTIONS(X) X(LZ4_decompress_safe)
LATE_LIBRARY(lz4, LZ4_FUNCTIONS);

/* ---- compressed bytes: of modules and, with something after them, in images ---- */

struct bytes {
	uint8_t *data;
	size_t count;
};

/*
 * Of the first member of a file. EFBIG: it does not fit into `to`. EBADMSG: it is damaged, or cut
 * off. 0: `to` and `from` are shortened to it.
 */
typedef int unpack_bytes(struct bytes *from, struct bytes *to);

static int unpack_gzip(struct bytes *from, struct bytes *to)
{
	z_stream stream = { .next_in = from->data, .next_out = to->data };
	int status;

	if (!zlib.inflate)
		return ELIBACC;
	stream.avail_in = (uInt)(from->count < UINT32_MAX ? from->count : UINT32_MAX);
	stream.avail_out = (uInt)(to->count < UINT32_MAX ? to->count : UINT32_MAX);
	status = zlib.inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, sizeof(stream));
	if (status == Z_OK)
		status = zlib.inflate(&stream, Z_FINISH);
	zlib.inflateEnd(&stream);
	to->count = stream.total_out;
	from->count = stream.total_in;
	return status == Z_STREAM_END ? 0 : stream.avail_out ? EBADMSG : EFBIG;
}

/* A dictionary of 128 MiB is the largest that the kernel's build asks for. */
static int unpack_xz(struct bytes *from, struct bytes *to)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status;

	if (!lzma.lzma_code)
		return ELIBACC;
	stream.next_in = from->data;
	stream.avail_in = from->count;
	stream.next_out = to->data;
	stream.avail_out = to->count;
	status = lzma.lzma_stream_decoder(&stream, 192u << 20, 0);
	if (status == LZMA_OK)
		status = lzma.lzma_code(&stream, LZMA_FINISH);
	lzma.lzma_end(&stream);
	to->count -= stream.avail_out;
	from->count -= stream.avail_in;
	return status == LZMA_STREAM_END ? 0 : stream.avail_out ? EBADMSG : EFBIG;
}

static int unpack_zstd(struct bytes *from, struct bytes *to)
{
#ifdef WITH_ZSTD
	size_t frame = ZSTD_findFrameCompressedSize(from->data, from->count);

	if (ZSTD_isError(frame))
		return EBADMSG;
	from->count = frame;
	to->count = ZSTD_decompress(to->data, to->count, from->data, frame);
	return !ZSTD_isError(to->count) ? 0
	       : ZSTD_getErrorCode(to->count) == ZSTD_error_dstSize_tooSmall ? EFBIG : EBADMSG;
#else
	return ELIBACC;
#endif
}

/* As `lz4 -l` makes it: blocks of 8 MiB after their lengths. The kernel's build adds the size. */
static int unpack_lz4(struct bytes *from, struct bytes *to)
{
	const int block = 8 << 20;
	size_t read = 4, written = 0;
	int got = block;

	if (!lz4.LZ4_decompress_safe)
		return ELIBACC;
	while (got == block && from->count - read > 4) {
		uint32_t length = bytes_load_u32(from->data + read, HOST_IS_BIG_ENDIAN);

		read += 4;
		if (to->count - written < (size_t)block)
			return EFBIG;
		if (length > from->count - read || length > INT32_MAX)
			return EBADMSG;
		got = lz4.LZ4_decompress_safe((char *)from->data + read,
					      (char *)to->data + written, (int)length, block);
		if (got < 0)
			return EBADMSG;
		read += length;
		written += (size_t)got;
	}
	to->count = written;
	return 0;
}

static unpack_bytes *unpacker_of(struct bytes in)
{
	static const struct {
		size_t magic_bytes;
		const char *magic;
		unpack_bytes *unpack;
	} formats[] = {
		{ 6, "\xfd" "7zXZ", unpack_xz },
		{ 4, "\x28\xb5\x2f\xfd", unpack_zstd },
		{ 2, "\x1f\x8b", unpack_gzip },
		{ 4, "\x02\x21\x4c\x18", unpack_lz4 },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (in.count >= formats[i].magic_bytes &&
		    memcmp(in.data, formats[i].magic, formats[i].magic_bytes) == 0)
			return formats[i].unpack;
	return NULL;
}

/* ---- images ---- */

static uint64_t field(const uint8_t *data, size_t offset)
{
	return bytes_load_u32(data + offset, HOST_IS_BIG_ENDIAN);
}

/* The largest whose header and strings are as they must be: code has that magic number, too. */
static struct bytes find_btf(struct bytes in)
{
	uint8_t *at = in.data, *end = in.data + in.count;
	struct bytes found = { in.data, 0 };

	for (; (at = memmem(at, (size_t)(end - at), "\x9f\xeb\1", 4)) && end - at >= 24; at++) {
		uint64_t strings = field(at, 4) + field(at, 16);
		uint64_t count = strings + field(at, 20);

		if (count > found.count && count <= (uint64_t)(end - at) && count > strings &&
		    !field(at, 8) && field(at, 12) == field(at, 16) && field(at, 12) &&
		    !at[strings] && !at[count - 1])
			found = (struct bytes){ at, count };
	}
	return found;
}

/*
 * What is in it, still packed. NULL: it is not packed. No bytes: there is no BTF, or, at the end,
 * the payload was cut off.
 */
static struct bytes find_payload(struct bytes in)
{
	uint8_t *data = in.data;
	uint64_t begin, count;

	if (unpacker_of(in))
		return in;
	if (in.count < 0x250 || memcmp(data, "\x7f" "ELF", 4) == 0)
		return (struct bytes){ 0 };
	/* bzImage, the kernel's Documentation/arch/x86/boot.rst, since 2.08. */
	if (memcmp(data + 0x202, "HdrS", 4) == 0 && data[0x207] >= 2) {
		begin = (data[0x1f1] ? data[0x1f1] + 1u : 5u) * 512 + field(data, 0x248);
		count = field(data, 0x24c);
	/* drivers/firmware/efi/libstub/zboot-header.S */
	} else if (memcmp(data, "MZ\0\0zimg", 8) == 0) {
		begin = field(data, 8);
		count = field(data, 12);
	} else {
		/* Image of arm64, riscv64, loongarch64, by what is before the offset of the PE. */
		data += 56;
		return memcmp(data, "ARM\x64", 4) == 0 || memcmp(data, "RSC\x05", 4) == 0 ||
				       memcmp(data, "\xcd\x23\x82\x81", 4) == 0
			       ? find_btf(in) : (struct bytes){ 0 };
	}
	if (begin >= in.count || count > in.count - begin)
		return (struct bytes){ data + in.count, 0 };
	return (struct bytes){ data + begin, count };
}

/* ---- files ---- */

bool file_is_unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void load_libraries(void)
{
	LATE_LOAD(zlib, ZLIB_FUNCTIONS, "libz.so.1");
	LATE_LOAD(lzma, LZMA_FUNCTIONS, "liblzma.so.5");
	LATE_LOAD(lz4, LZ4_FUNCTIONS, "liblz4.so.1");
}

/* Unpacks it into memory, *inside, which may be of no use: an error number, or 0. */
static int unpack(struct bytes payload, uint64_t limit, int *inside)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unpack_bytes *unpacker = unpacker_of(payload);
	struct bytes to = { MAP_FAILED, limit };
	size_t written = 0;
	int problem = 0;

	*inside = memfd_create("btfenc", MFD_CLOEXEC);
	if (*inside >= 0 && ftruncate(*inside, (off_t)limit) == 0)
		to.data = mmap(NULL, limit, PROT_READ | PROT_WRITE, MAP_SHARED, *inside, 0);
	if (to.data == MAP_FAILED)
		return ENOMEM;
	pthread_once(&once, load_libraries);
	if (!unpacker && payload.count > limit)
		problem = EFBIG;
	else if (!unpacker)
		memcpy(to.data, payload.data, written = payload.count);
	/* Parallel packers (pigz, pixz) write several members. */
	while (!problem && payload.count && unpacker && unpacker_of(payload) == unpacker) {
		struct bytes member = payload, room = { to.data + written, limit - written };

		problem = unpacker(&member, &room);
		written += room.count;
		payload.data += member.count;
		payload.count -= member.count;
	}
	munmap(to.data, limit);
	return !problem && ftruncate(*inside, (off_t)written) != 0 ? ENOMEM : problem;
}

/* What is in it, in memory. -1: errno says why; 0: it is not packed. */
static int open_payload(int fd, uint64_t limit)
{
	struct bytes in = { MAP_FAILED, 0 }, payload = { 0 };
	int inside = -1, problem = 0;
	struct stat status;

	if (fstat(fd, &status) == 0) {
		in.count = (size_t)status.st_size;
		in.data = mmap(NULL, in.count, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (in.data != MAP_FAILED)
		payload = find_payload(in);
	if (payload.count)
		problem = unpack(payload, limit, &inside);
	else if (payload.data)
		problem = payload.data == in.data ? ENODATA : EBADMSG;
	if (in.data != MAP_FAILED)
		munmap(in.data, in.count);
	if (problem && inside >= 0)
		close(inside);
	errno = problem;
	return problem ? -1 : inside;
}

int packed_file_open(int fd, const struct stat *file)
{
	/* Commands look at a file several times, and at those of a directory one by one. */
	static _Thread_local struct {
		struct stat file;
		int inside;
	} last;
	uint64_t limit = file_limit(file_stored_bytes(file));
	int layer = 0;

	if (last.inside > 0 && file_is_unchanged(&last.file, file)) {
		close(fd);
		lseek(last.inside, 0, SEEK_SET);
		return fcntl(last.inside, F_DUPFD_CLOEXEC, 0);
	}
	/* An image in gzip, what unpacks itself, its payload, the BTF in that. */
	for (; layer < 4; layer++) {
		int inside = open_payload(fd, limit);

		if (inside < 0 && !errno)
			break;
		close(fd);
		if (inside < 0)
			return -1;
		fd = inside;
	}
	if (layer) {
		if (last.inside > 0)
			close(last.inside);
		last.file = *file;
		last.inside = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	}
	return fd;
}

const char *packed_file_problem(int error)
{
	return error == EBADMSG ? "what is packed in it is damaged or cut off; copy it again"
	       : error == EFBIG ? "unpacked it exceeds the limit (64 MiB and 64 times its size); "
				  "if it is not damaged, unpack it"
	       : error == ENODATA ? "it is an image without BTF (CONFIG_DEBUG_INFO_BTF)"
	       : error == ELIBACC ? "the library that unpacks it is missing (libz.so.1, "
				    "liblzma.so.5, liblz4.so.1, or libzstd at build time)"
				  : strerror(error);
}
