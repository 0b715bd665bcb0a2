/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The tests of a program, which add themselves before its main(): TEST() in cmocka_all.h. */
#include "tests/cmocka_all.h"

#include <assert.h>

static struct CMUnitTest tests[64];
static size_t test_count;

void test_list_add(const struct CMUnitTest *test)
{
	assert(test_count < LENGTH(tests));
	tests[test_count++] = *test;
}

int test_list_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests("tests", tests, test_count, setup, teardown);
}

int __attribute__((weak)) main(void)
{
	return test_list_run(NULL, NULL);
}
