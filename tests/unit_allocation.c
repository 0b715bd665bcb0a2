/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc encode` while each allocation fails in turn, in a child process: exit status 3, one line
 * on stderr, the old output file untouched, no other file left. Then growable arrays.
 */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include "commands/command_line.h"
#include "tests/dwarf_blob.h"
#include "tests/file_bytes.h"
#include "tests/scratch.h"

#define MAX_ALLOCATIONS 100000

#if defined(__SANITIZE_THREAD__)
/*
 * Out of memory, a process ends while its other threads are still at work. ThreadSanitizer would
 * report them as threads that were not joined.
 */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "report_thread_leaks=0";
}
#endif

/* Types of several kinds, of which one differs between the two units, and a function in each. */
static void build(struct dwarf_blob *b)
{
	dwarf_blob_init(b);
	for (uint32_t unit = 0; unit < 2; unit++) {
		dwarf_blob_unit(b, 4);
		DIE(b, 1, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
		OPEN(b, 2, DW_TAG_structure_type, STRING(DW_AT_name, DW_FORM_strp, "s"), SIZE(16));
		DIE(b, 0, DW_TAG_member, NAME(unit ? "next" : "last"), TYPE(3), AT(8 * unit));
		CLOSE(b);
		DIE(b, 3, DW_TAG_pointer_type, TYPE(2));
		OPEN(b, 4, DW_TAG_array_type, TYPE(1));
		DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data1, 3));
		CLOSE(b);
		OPEN(b, 0, DW_TAG_enumeration_type, NAME("e"), SIZE(4));
		DIE(b, 0, DW_TAG_enumerator, NAME("E"), ATTR(DW_AT_const_value, DW_FORM_data1, 1));
		CLOSE(b);
		OPEN(b, 0, DW_TAG_subprogram, NAME(unit ? "g" : "f"), TYPE(1), FLAG(DW_AT_external),
		     ATTR(DW_AT_low_pc, DW_FORM_addr, 0x1000 + 16 * unit));
		DIE(b, 0, DW_TAG_formal_parameter, NAME("p"), TYPE(3));
		CLOSE(b);
		dwarf_blob_end_unit(b);
	}
	dwarf_blob_symbol(b, "f", 0x1000, STT_FUNC, 1);
	dwarf_blob_symbol(b, "g", 0x1010, STT_FUNC, 1);
}

/* In the child. */
static int run_encode(const char *input, const char *output, uint64_t failing)
{
	char *argv[] = { (char *)"encode", (char *)"-j", (char *)"2", (char *)"-o",
			 (char *)(uintptr_t)output, (char *)(uintptr_t)input, NULL };

	memory_fail_after(failing);
	return cmd_encode(6, argv);
}

SCRATCH_TEST(test_each_allocation)
{
	struct dwarf_blob b;
	const char *input;
	uint32_t failing, named = 0, unnamed = 0;
	char head[256], *text;
	size_t bytes = 0;

	build(&b);
	input = dwarf_blob_write(&b);
	snprintf(head, sizeof(head), "btfenc: %s: reading its DWARF: out of memory", input);
	scratch_write("out", "old", 3);
	for (failing = 1; failing < MAX_ALLOCATIONS; failing++) {
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			int fd = open(scratch_path("log"), O_RDWR | O_CREAT | O_TRUNC, 0600);

			dup2(fd, STDERR_FILENO);
			close(fd);
			_exit(run_encode(input, scratch_path("out"), failing));
		}
		waitpid(pid, &status, 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(scratch_file_count(), 2);
		if (WEXITSTATUS(status) == EXIT_DONE)
			break;
		assert_int_equal(WEXITSTATUS(status), EXIT_FAILED);
		text = file_bytes(scratch_path("log"), &bytes);
		assert_non_null(text);
		/* From the first one that the input asks for, each is in its name. */
		assert_non_null(strstr(text, "out of memory (asked for "));
		named += strncmp(text, head, strlen(head)) == 0;
		unnamed += strstr(text, input) == NULL;
		assert_true(!named || strstr(text, input));
		if (strchr(text, '\n') != text + strlen(text) - 1)
			fail_msg("%u: %s", failing, text);
		free(text);
		assert_true(scratch_equals("out", "old", 3));
	}
	/* It did fail often, and in the end it did not. */
	assert_true(failing > 50 && failing < MAX_ALLOCATIONS);
	assert_true(named > 50 && unnamed < 10);
	assert_true(scratch_equals("log", "", 0));
	free(file_bytes(scratch_path("out"), &bytes));
	assert_true(bytes > 100);
	dwarf_blob_release(&b);
}

TEST(test_array)
{
	ARRAY_OF(uint32_t) array = { 0 };
	size_t moves = 0, capacity = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		array_push(&array, i);
		assert_true(array.count == i + 1 && array.count <= array.capacity);
		moves += array.capacity != capacity;
		capacity = array.capacity;
	}
	for (uint32_t i = 0; i < array.count; i++)
		assert_int_equal(array.data[i], i);
	assert_true(moves < 20);
	array_reserve(&array, 1000000);
	assert_true(array.capacity >= 1100000);
	assert_int_equal(array.count, 100000);
	array_release(&array);
	assert_null(array.data);
	assert_int_equal(array_capacity(0, 1), 16);
	assert_int_equal(array_capacity(16, 17), 32);
	assert_int_equal(array_capacity(16, 1000), 1000);
}
