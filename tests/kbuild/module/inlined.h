/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What inlined.c passes to inner_N() at its two calls, and tests/kbuild/calls.c expects. */
#ifndef BTFENC_TESTS_KBUILD_MODULE_INLINED_H
#define BTFENC_TESTS_KBUILD_MODULE_INLINED_H

#define INLINED_SMALL(n, site)	  (1000 * (site) - 7 * (n))
#define INLINED_WIDE(n, site)	  (0x100000000ul * (site) + (n))
#define INLINED_BYTE(n, site)	  ((n) + 50 * (site))
#define INLINED_FIRST(n, site)	  (0x5000ul + 16 * (n) + (site))
#define INLINED_SECOND(n, site)	  (0x70000ul + 16 * (n) + (site))
#define INLINED_NEGATIVE(n, site) (-(n) - (site))

#define INLINED_TEN(macro, tens)                                                                   \
	macro(tens##0) macro(tens##1) macro(tens##2) macro(tens##3) macro(tens##4)                 \
	macro(tens##5) macro(tens##6) macro(tens##7) macro(tens##8) macro(tens##9)

#define INLINED_ALL(macro)                                                                         \
	INLINED_TEN(macro, 1) INLINED_TEN(macro, 2) INLINED_TEN(macro, 3) INLINED_TEN(macro, 4)    \
	INLINED_TEN(macro, 5) INLINED_TEN(macro, 6) INLINED_TEN(macro, 7) INLINED_TEN(macro, 8)    \
	INLINED_TEN(macro, 9)

#endif
