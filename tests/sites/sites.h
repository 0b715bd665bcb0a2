/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The runtime of the generated programs, together with tests/truth/runtime.S. */
#ifndef BTFENC_TESTS_SITES_H
#define BTFENC_TESTS_SITES_H

typedef unsigned long site_word;

/* All of this is in assembler files, so that no optimizer knows what is in it. */
extern volatile site_word sites_in[];
extern volatile site_word sites_log[];		/* addresses of locals */
extern volatile site_word sites_iteration;	/* of the loop that runs; ~0: before the first */
extern volatile site_word truth_sink;
extern long sites_objects[];
void truth_touch(const void *object);
__attribute__((cold)) void truth_cold(site_word value);

enum site_color { SITE_RED, SITE_GREEN = 0x7fffffff, SITE_BLUE = 0xffffffff };

struct site_s8 { int a, b; };
struct site_s12 { int a, b, c; };
struct site_s16 { long a, b; };
struct site_s24 { long a, b, c; };

#endif
