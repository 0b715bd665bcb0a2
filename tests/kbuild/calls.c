/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/kbuild/calls.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/kbuild/module/inlined.h"

enum {
	NO_FD = 0x1234,
	FAMILY = AF_UNIX,
	NO_TYPE = 0x77,
	PROTOCOL = 0x5a5a,
	SOCKET_LEVEL = 0x3141,
	SOCKET_OPTION = 0x2718,
	SOCKET_BYTES = 0x33,
	SOCKET_FLAGS = 0x4040,
	ADDRESS_BYTES = 0x55,
	MAP_BYTES = 0x7000,
	READ_BYTES = 0x123,
	NO_COMMAND = 0x0badcafe,
	FILE_OFFSET = 0x3000,
	FILE_BYTES = 0x5000,
};

#define COMMAND_ARGUMENT 0x123456789abcul

static char buffer[4096];
static const char no_path[] = "no/such/path";
static int file;

/* Most of these calls fail: what counts is what they passed. */
static void call_openat(void)
{
	syscall(SYS_openat, NO_FD, no_path, O_RDONLY, 0);
}

static void call_read(void)
{
	syscall(SYS_read, file, buffer, READ_BYTES);
}

static void call_socket(void)
{
	syscall(SYS_socket, FAMILY, NO_TYPE, PROTOCOL);
}

static void call_setsockopt(void)
{
	syscall(SYS_setsockopt, NO_FD, SOCKET_LEVEL, SOCKET_OPTION, buffer, SOCKET_BYTES);
}

static void call_sendto(void)
{
	syscall(SYS_sendto, NO_FD, buffer, SOCKET_BYTES, SOCKET_FLAGS, buffer + 1, ADDRESS_BYTES);
}

static void call_mmap(void)
{
	void *pages = mmap(NULL, MAP_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages != MAP_FAILED)
		munmap(pages, MAP_BYTES);
}

static void call_ioctl(void)
{
	syscall(SYS_ioctl, file, NO_COMMAND, COMMAND_ARGUMENT);
}

static void call_fallocate(void)
{
	syscall(SYS_fallocate, file, FALLOC_FL_KEEP_SIZE, FILE_OFFSET, FILE_BYTES);
}

static void call_lseek(void)
{
	syscall(SYS_lseek, file, FILE_OFFSET, SEEK_END);
}

static void run_module(const char *parameter)
{
	int run = open(parameter, O_WRONLY);

	if (run >= 0) {
		syscall(SYS_write, run, "1", 1);
		close(run);
	}
}

/* module/promise.c has the values. */
static void call_promise(void)
{
	run_module("/sys/module/promise/parameters/run");
}

static void call_inlined(void)
{
	run_module("/sys/module/inlined/parameters/run");
}

/* Both calls of module/inlined.c. */
#define INLINED_ROWS_AT(n, site)                                                                   \
	{ call_inlined, "inner_" #n, "small", (uint64_t)INLINED_SMALL(n, site) },                  \
	{ call_inlined, "inner_" #n, "wide", INLINED_WIDE(n, site) },                              \
	{ call_inlined, "inner_" #n, "byte", INLINED_BYTE(n, site) },                              \
	{ call_inlined, "inner_" #n, "pair_1", INLINED_FIRST(n, site) },                           \
	{ call_inlined, "inner_" #n, "pair_2", INLINED_SECOND(n, site) },                          \
	{ call_inlined, "inner_" #n, "negative", (uint64_t)INLINED_NEGATIVE(n, site) },            \
	{ call_inlined, "changed_" #n, "used", INLINED_WIDE(n, site) },

#define INLINED_ROWS(n) INLINED_ROWS_AT(n, 1) INLINED_ROWS_AT(n, 2)

#define PROMISE_SIX_ROWS                                                                           \
	{ call_promise, "promise_six", "one", (uint64_t)-1 },                                      \
	{ call_promise, "promise_six", "two", 2 },                                                 \
	{ call_promise, "promise_six", "three", 3 },                                               \
	{ call_promise, "promise_six", "four", 4 },                                                \
	{ call_promise, "promise_six", "five", (uint64_t)-5 },                                     \
	{ call_promise, "promise_six", "six", 0x600000006 },

const struct expectation expectations[] = {
	{ call_openat, "do_sys_openat2", "dfd", NO_FD },
	{ call_openat, "do_sys_openat2", "filename", (uintptr_t)no_path },
	{ call_read, "vfs_read", "buf", (uintptr_t)buffer },
	{ call_read, "vfs_read", "count", READ_BYTES },
	{ call_socket, "__sys_socket", "family", FAMILY },
	{ call_socket, "__sys_socket", "type", NO_TYPE },
	{ call_socket, "__sys_socket", "protocol", PROTOCOL },
	{ call_setsockopt, "__sys_setsockopt", "level", SOCKET_LEVEL },
	{ call_setsockopt, "__sys_setsockopt", "optname", SOCKET_OPTION },
	{ call_setsockopt, "__sys_setsockopt", "user_optval", (uintptr_t)buffer },
	{ call_setsockopt, "__sys_setsockopt", "optlen", SOCKET_BYTES },
	{ call_sendto, "__sys_sendto", "fd", NO_FD },
	{ call_sendto, "__sys_sendto", "buff", (uintptr_t)buffer },
	{ call_sendto, "__sys_sendto", "len", SOCKET_BYTES },
	{ call_sendto, "__sys_sendto", "flags", SOCKET_FLAGS },
	{ call_sendto, "__sys_sendto", "addr", (uintptr_t)(buffer + 1) },
	{ call_sendto, "__sys_sendto", "addr_len", ADDRESS_BYTES },
	{ call_mmap, "vm_mmap_pgoff", "file", 0 },
	{ call_mmap, "vm_mmap_pgoff", "len", MAP_BYTES },
	{ call_mmap, "vm_mmap_pgoff", "prot", PROT_READ },
	{ call_mmap, "vm_mmap_pgoff", "flag", MAP_PRIVATE | MAP_ANONYMOUS },
	{ call_mmap, "vm_mmap_pgoff", "pgoff", 0 },
	{ call_ioctl, "ext4_ioctl", "cmd", NO_COMMAND },
	{ call_ioctl, "ext4_ioctl", "arg", COMMAND_ARGUMENT },
	{ call_fallocate, "ext4_fallocate", "mode", FALLOC_FL_KEEP_SIZE },
	{ call_fallocate, "ext4_fallocate", "offset", FILE_OFFSET },
	{ call_fallocate, "ext4_fallocate", "len", FILE_BYTES },
	{ call_lseek, "ext4_llseek", "offset", FILE_OFFSET },
	{ call_lseek, "ext4_llseek", "whence", SEEK_END },
	{ call_promise, "promise_pair", "before", 11 },
	{ call_promise, "promise_pair", "pair", 12 },
	{ call_promise, "promise_pair", "after", 14 },
	{ call_promise, "promise_unread", "unread", 21 },
	{ call_promise, "promise_unread", "read", 22 },
	{ call_promise, "promise_untyped", "untyped", 42 },
	{ call_promise, "promise_removed", "removed", 32 },
	{ call_promise, "promise_stack", "six", 56 },
	{ call_promise, "promise_stack", "seven", 57 },
	{ call_promise, "promise_stack", "split", 58 },
	{ call_promise, "promise_stack", "nine", 59 },
	{ call_promise, "promise_stack", "ten", 60 },
	PROMISE_SIX_ROWS
};

const size_t expectation_count = sizeof(expectations) / sizeof(*expectations);

const struct expectation script_expectations[] = {
	{ call_fallocate, "sys_enter_fallocate", "mode", FALLOC_FL_KEEP_SIZE },
	{ call_fallocate, "sys_enter_fallocate", "offset", FILE_OFFSET },
	{ call_fallocate, "sys_enter_fallocate", "len", FILE_BYTES },
	{ call_fallocate, "ext4_fallocate_enter", "mode", FALLOC_FL_KEEP_SIZE },
	{ call_fallocate, "ext4_fallocate_enter", "offset", FILE_OFFSET },
	{ call_fallocate, "ext4_fallocate_enter", "len", FILE_BYTES },
	PROMISE_SIX_ROWS
	INLINED_ALL(INLINED_ROWS)
};

const size_t script_expectation_count =
	sizeof(script_expectations) / sizeof(*script_expectations);

bool calls_begin(const char *path)
{
	file = open(path, O_RDWR);
	return file >= 0;
}
