/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Output files: replaced as a whole or left alone; mode, symbolic links, special files. */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "tests/scratch.h"

static void expect(const char *name, const char *contents)
{
	assert_true(scratch_equals(name, contents, strlen(contents)));
}

static void put(const char *name, const char *contents)
{
	struct error err;

	if (!output_file_write(scratch_path(name), contents, strlen(contents), &err))
		fail_msg("%s", err.text);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(lstat(scratch_path(name), &st), 0);
	return st.st_mode;
}

SCRATCH_TEST(test_create_and_replace)
{
	mode_t mask = umask(027);

	put("new", "one");
	expect("new", "one");
	assert_int_equal(mode_of("new") & 07777, 0640);
	chmod(scratch_path("new"), 0604);
	put("new", "two");
	expect("new", "two");
	assert_int_equal(mode_of("new") & 07777, 0604);
	assert_int_equal(scratch_file_count(), 1);
	umask(mask);
}

/* The old file may be another user's, who would run the new one as its owner. */
SCRATCH_TEST(test_privileges)
{
	mode_t mask = umask(027);

	put("file", "old");
	chmod(scratch_path("file"), 06755);
	put("file", "new");
	assert_int_equal(mode_of("file") & 07777, 0755);
	if (geteuid() == 0) {
		assert_int_equal(chown(scratch_path("file"), 65534, 65534), 0);
		assert_int_equal(chmod(scratch_path("file"), 06777), 0);
		put("file", "newer");
		assert_int_equal(mode_of("file") & 07777, 0640);
	}
	umask(mask);
}

/* Where the kernel does not follow another user's link, in a folder like /tmp, nobody here does. */
SCRATCH_TEST(test_protected_link)
{
	int setting = open("/proc/sys/fs/protected_symlinks", O_RDWR);
	struct error err;
	bool written;
	char old = 0;

	if (geteuid() != 0)
		skip();
	put("target", "old");
	assert_int_equal(chmod(scratch_path("."), 01777), 0);
	assert_int_equal(symlink("target", scratch_path("link")), 0);
	assert_int_equal(lchown(scratch_path("link"), 65534, 65534), 0);
	if (setting < 0 || read(setting, &old, 1) != 1 || pwrite(setting, "1", 1, 0) != 1)
		skip();
	written = output_file_write(scratch_path("link"), "new", 3, &err);
	assert_int_equal(pwrite(setting, &old, 1, 0), 1);
	close(setting);
	assert_false(written);
	assert_non_null(strstr(err.text, "cannot follow the symbolic link: Permission denied"));
	expect("target", "old");
}

/* A reader of the old file keeps reading the old file. */
SCRATCH_TEST(test_old_readers)
{
	char text[8] = "";
	int fd;

	put("file", "old");
	fd = open(scratch_path("file"), O_RDONLY);
	put("file", "newer");
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
	close(fd);
}

SCRATCH_TEST(test_symbolic_link)
{
	put("target", "old");
	assert_int_equal(symlink("target", scratch_path("link")), 0);
	put("link", "new");
	assert_true(S_ISLNK(mode_of("link")));
	expect("target", "new");
	assert_int_equal(scratch_file_count(), 2);
}

SCRATCH_TEST(test_failures)
{
	struct error err;

	assert_false(output_file_write(scratch_path("no/such"), "x", 1, &err));
	assert_non_null(strstr(err.text, "cannot create a file next to it: No such file"));
	/* A directory cannot be replaced; no other file is left. */
	assert_int_equal(mkdir(scratch_path("dir"), 0700), 0);
	assert_false(output_file_write(scratch_path("dir"), "x", 1, &err));
	assert_non_null(strstr(err.text, "/dir: "));
	assert_int_equal(scratch_file_count(), 1);
	assert_false(output_file_write("/dev/full", "x", 1, &err));
	assert_string_equal(err.text, "/dev/full: cannot write: No space left on device; "
			    "make room there");
}

SCRATCH_TEST(test_special_file)
{
	struct error err;

	assert_true(output_file_write("/dev/null", "x", 1, &err));
	assert_int_equal(scratch_file_count(), 0);
}
