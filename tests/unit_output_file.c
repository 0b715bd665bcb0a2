/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Output files: replaced as a whole or left alone; mode, symbolic links, special files. */
#include "tests/cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"

static char directory[64];

static const char *path_of(const char *name)
{
	static char path[2][sizeof(directory) + 256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

static int setup(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/unit_output_file.XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int teardown(void **state)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	(void)state;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			remove(path_of(entry->d_name));
	}
	closedir(dir);
	return rmdir(directory);
}

static uint32_t file_count(void)
{
	DIR *dir = opendir(directory);
	uint32_t count = 0;
	const struct dirent *entry;

	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void expect(const char *name, const char *contents)
{
	char text[64];
	int fd = open(path_of(name), O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text));

	close(fd);
	assert_int_equal(n, strlen(contents));
	assert_memory_equal(text, contents, strlen(contents));
}

static void put(const char *name, const char *contents)
{
	struct error err;

	if (!output_file_write(path_of(name), contents, strlen(contents), &err))
		fail_msg("%s", err.text);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(path_of(name), &st), 0);
	return st.st_mode;
}

TEST_WITH(test_create_and_replace, setup, teardown)
{
	mode_t mask = umask(027);

	put("new", "one");
	expect("new", "one");
	assert_int_equal(mode_of("new") & 07777, 0640);
	chmod(path_of("new"), 0604);
	put("new", "two");
	expect("new", "two");
	assert_int_equal(mode_of("new") & 07777, 0604);
	assert_int_equal(file_count(), 1);
	umask(mask);
}

/* The old file may be another user's, who would run the new one as its owner. */
TEST_WITH(test_privileges, setup, teardown)
{
	mode_t mask = umask(027);

	put("file", "old");
	chmod(path_of("file"), 06755);
	put("file", "new");
	assert_int_equal(mode_of("file") & 07777, 0755);
	if (geteuid() == 0) {
		assert_int_equal(chown(path_of("file"), 65534, 65534), 0);
		assert_int_equal(chmod(path_of("file"), 06777), 0);
		put("file", "newer");
		assert_int_equal(mode_of("file") & 07777, 0640);
	}
	umask(mask);
}

/* Where the kernel does not follow another user's link, in a folder like /tmp, nobody here does. */
TEST_WITH(test_protected_link, setup, teardown)
{
	int setting = open("/proc/sys/fs/protected_symlinks", O_RDWR);
	struct error err;
	bool written;
	char old = 0;

	if (geteuid() != 0)
		skip();
	put("target", "old");
	assert_int_equal(chmod(directory, 01777), 0);
	assert_int_equal(symlink("target", path_of("link")), 0);
	assert_int_equal(lchown(path_of("link"), 65534, 65534), 0);
	if (setting < 0 || read(setting, &old, 1) != 1 || pwrite(setting, "1", 1, 0) != 1)
		skip();
	written = output_file_write(path_of("link"), "new", 3, &err);
	assert_int_equal(pwrite(setting, &old, 1, 0), 1);
	close(setting);
	assert_false(written);
	assert_non_null(strstr(err.text, "cannot follow the symbolic link: Permission denied"));
	expect("target", "old");
}

/* A reader of the old file keeps reading the old file. */
TEST_WITH(test_old_readers, setup, teardown)
{
	char text[8] = "";
	int fd;

	put("file", "old");
	fd = open(path_of("file"), O_RDONLY);
	put("file", "newer");
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
	close(fd);
}

TEST_WITH(test_symbolic_link, setup, teardown)
{
	put("target", "old");
	assert_int_equal(symlink("target", path_of("link")), 0);
	put("link", "new");
	assert_true(S_ISLNK(mode_of("link")));
	expect("target", "new");
	assert_int_equal(file_count(), 2);
}

TEST_WITH(test_failures, setup, teardown)
{
	struct error err;

	assert_false(output_file_write(path_of("no/such"), "x", 1, &err));
	assert_non_null(strstr(err.text, "cannot create a file next to it: No such file"));
	/* A directory cannot be replaced; no other file is left. */
	assert_int_equal(mkdir(path_of("dir"), 0700), 0);
	assert_false(output_file_write(path_of("dir"), "x", 1, &err));
	assert_non_null(strstr(err.text, "/dir: "));
	assert_int_equal(file_count(), 1);
	assert_false(output_file_write("/dev/full", "x", 1, &err));
	assert_string_equal(err.text, "/dev/full: cannot write: No space left on device; "
			    "make room there");
}

TEST_WITH(test_special_file, setup, teardown)
{
	struct error err;

	assert_true(output_file_write("/dev/null", "x", 1, &err));
	assert_int_equal(file_count(), 0);
}
