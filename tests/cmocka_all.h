/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* cmocka.h with the headers that it needs before it. */
#ifndef BTFENC_TESTS_CMOCKA_ALL_H
#define BTFENC_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
