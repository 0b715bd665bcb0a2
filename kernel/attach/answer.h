/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What a kernel or an image of it answers: yes, no or not known, and why it is not yes. */
#ifndef BTFENC_KERNEL_ATTACH_ANSWER_H
#define BTFENC_KERNEL_ATTACH_ANSWER_H

#include <stddef.h>

enum attach_answer {
	ATTACH_UNKNOWN,		/* the image has no such table */
	ATTACH_NO,
	ATTACH_YES,
};

struct answer {
	enum attach_answer is;
	const char *why;	/* of NO and UNKNOWN: half a sentence; NULL: nothing says it */
};

#define ANSWER_YES ((struct answer){ ATTACH_YES, NULL })
#define ANSWER_NO(why) ((struct answer){ ATTACH_NO, why })
#define ANSWER_MAYBE(why) ((struct answer){ ATTACH_UNKNOWN, why })

#endif
