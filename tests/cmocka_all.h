/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * cmocka.h with the headers that it needs before it. Integers are compared as its own assertions
 * do, but what a failure says names the expressions, and enumerators (tests/named_values.h).
 *
 * A test is TEST(test_name) { ... }. The program runs those of its file in their order; it has a
 * main() of its own only if there is more to do around test_list_run().
 */
#ifndef BTFENC_TESTS_CMOCKA_ALL_H
#define BTFENC_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/named_values.h"

#undef assert_int_equal
#undef assert_int_not_equal
#define assert_int_equal(got, wanted)                                                              \
	int_assertion_check(INT_ASSERTION(true, #got, #wanted), (uintmax_t)(got),                  \
			    (uintmax_t)(wanted))
#define assert_int_not_equal(got, wanted)                                                          \
	int_assertion_check(INT_ASSERTION(false, #got, #wanted), (uintmax_t)(got),                 \
			    (uintmax_t)(wanted))
#define INT_ASSERTION(equal, asked, expected)                                                      \
	(&(const struct int_assertion){ asked, expected, equal, __FILE__, __LINE__ })

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)                                                           \
	static void name(void **state);                                                            \
	static void __attribute__((constructor)) add_##name(void)                                  \
	{                                                                                          \
		test_list_add(&(struct CMUnitTest){ #name, name, setup, teardown, NULL });         \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))

void test_list_add(const struct CMUnitTest *test);
/* All tests, between a setup and a teardown of all, which may be NULL. */
int test_list_run(CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
