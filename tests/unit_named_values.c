/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What a failing assert_int_equal() says: the names of enumerators, by the kind of expression. */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum fruit { FRUIT_APPLE, FRUIT_PEAR = 300, FRUIT_NONE = -2 };
enum tool { TOOL_SAW, TOOL_AXE };
enum bits { BIT_ONE = 1, BIT_TWO = 2, BIT_HIGH = 0x80000000 };
typedef const enum fruit fruit_t;

static struct basket {
	enum fruit member;
	volatile fruit_t by_typedef;
	enum bits flags;
	enum fruit of_two;
	int plain;
} basket;

static struct shed {
	enum tool of_two;
} shed;

static enum fruit variable;

/* Called, so that no compiler leaves it out. */
static __attribute__((noinline)) enum fruit function(enum tool parameter)
{
	return parameter == TOOL_AXE ? FRUIT_PEAR : variable;
}

static const struct {
	const char *asked, *expected;
	intmax_t got, wanted;
	const char *got_text, *wanted_text;
} rows[] = {
	{ "x", "FRUIT_PEAR", 0, 300, "FRUIT_APPLE (0)", "FRUIT_PEAR (300)" },
	{ "FRUIT_PEAR", "x", 0, 300, "FRUIT_APPLE (0)", "x = FRUIT_PEAR (300)" },
	{ "x", "FRUIT_PEAR", -2, 300, "FRUIT_NONE (-2)", "FRUIT_PEAR (300)" },
	{ "x", "FRUIT_PEAR", 7, 300, "7", "FRUIT_PEAR (300)" },
	{ "b->member", "0", 300, 0, "FRUIT_PEAR (300)", "0 = FRUIT_APPLE (0)" },
	{ "b[f(1)].member [i + (1)]", "0", 300, 0, "FRUIT_PEAR (300)", "0 = FRUIT_APPLE (0)" },
	{ "b.by_typedef", "0", 300, 0, "FRUIT_PEAR (300)", "0 = FRUIT_APPLE (0)" },
	{ "variable", "y", 300, 5, "FRUIT_PEAR (300)", "y = 5" },
	{ "function(TOOL_AXE)", "y", 300, 0, "FRUIT_PEAR (300)", "y = FRUIT_APPLE (0)" },
	{ "parameter", "f(FRUIT_PEAR)", 1, 0, "TOOL_AXE (1)", "f(FRUIT_PEAR) = TOOL_SAW (0)" },
	{ "x", "a == b ? c : TOOL_AXE", 0, 1, "TOOL_SAW (0)",
	  "a == b ? c : TOOL_AXE = TOOL_AXE (1)" },
	{ "x", "BIT_ONE | BIT_TWO", 18, 3, "18 (0x12)", "BIT_ONE | BIT_TWO = 3" },
	{ "b.flags", "x", UINT32_C(1) << 31, 1, "BIT_HIGH (2147483648)", "x = BIT_ONE (1)" },
	/* Two structs have it, with types of their own; an enumerator tells which it is. */
	{ "b.of_two", "0", 1, 0, "1", "0" },
	{ "b.of_two", "TOOL_SAW", 1, 0, "TOOL_AXE (1)", "TOOL_SAW (0)" },
	/* Nothing is known of these. */
	{ "b.plain", "0", 1, 0, "1", "0" },
	{ "unknown_name(3)", "1", -1, 1, "-1 (0xffffffffffffffff)", "1" },
	{ "x == FRUIT_PEAR", "true", 0, 1, "0", "true = 1" },
	{ "", ")](", 0, 1, "0", ")]( = 1" },
};

TEST(test_texts)
{
	variable = FRUIT_APPLE;
	assert_true(function(TOOL_AXE) == FRUIT_PEAR && basket.member == 0 && shed.of_two == 0);
	for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
		const bool equal = i % 2;
		const struct int_assertion assertion = { rows[i / 2].asked, rows[i / 2].expected,
							 equal, __FILE__, 1 };
		char wanted[300], text[300];

		snprintf(wanted, sizeof(wanted), "asked     %s\nexpected  %s%s\ngot       %s",
			 assertion.asked, equal ? "" : "not ", rows[i / 2].wanted_text,
			 rows[i / 2].got_text);
		int_assertion_text(&assertion, (uintmax_t)rows[i / 2].got,
				   (uintmax_t)rows[i / 2].wanted, text, sizeof(text));
		assert_string_equal(text, wanted);
	}
}

static const int failing_line = __LINE__ + 5;

static void failing_case(void **state)
{
	(void)state;
	assert_int_equal(function(TOOL_AXE), FRUIT_APPLE);
}

/* In a child, which runs a case that fails, as cmocka does. */
TEST(test_failing)
{
	const struct CMUnitTest failing[] = { cmocka_unit_test(failing_case) };
	static char output[4000];
	char place[100];
	size_t bytes = 0;
	ssize_t count;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		_exit(cmocka_run_group_tests(failing, NULL, NULL));
	}
	close(ends[1]);
	while ((count = read(ends[0], output + bytes, sizeof(output) - 1 - bytes)) > 0)
		bytes += (size_t)count;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(output, "asked     function(TOOL_AXE)\n"
				       "expected  FRUIT_APPLE (0)\n"
				       "got       FRUIT_PEAR (300)\n"));
	snprintf(place, sizeof(place), "%s:%d: error: ", __FILE__, failing_line);
	assert_non_null(strstr(output, place));
}

/* Equal or not by all 64 bits, negative numbers and pointers as well. */
TEST(test_passing)
{
	assert_int_equal(-1, UINT64_MAX);
	assert_int_not_equal(-1, UINT32_MAX);
	assert_int_not_equal(0, UINT64_C(1) << 32);
	assert_int_equal(&variable, &variable);
	assert_int_equal(function(TOOL_SAW), variable);
}
