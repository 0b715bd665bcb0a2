/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The types that generated parameters have, with what the tracer needs to know of their bytes. */
#ifndef BTFENC_TESTS_TRUTH_TYPES_H
#define BTFENC_TESTS_TRUTH_TYPES_H

#include <stdbool.h>

enum type_kind {
	TYPE_INTEGER,
	TYPE_FLOAT,
	TYPE_NODE,	/* struct node * */
	TYPE_POINTER,	/* to something else */
	TYPE_CALLBACK,
	TYPE_AGGREGATE,
};

#define MEMBERS_MAX 8

/* A scalar inside of it: what the generated program assigns, one by one. */
struct type_member {
	const char *path;	/* ".a"; "" of a scalar itself */
	const char *type;
	char class;		/* i or f, as the calling convention looks at it */
	unsigned int offset, size;
};

struct type {
	const char *name;
	enum type_kind kind;
	unsigned int size;
	unsigned int weight;	/* how often it is chosen */
	const char *value;	/* of TYPE_POINTER and TYPE_CALLBACK: an expression of nonce n */
	const char *constant;	/* of pointers: what is always passed */
	struct type_member members[MEMBERS_MAX];
};

extern struct type types[];
extern const unsigned int type_count;

/* From now on pointers have 4 bytes; a long still has 8. */
void types_for_32_bits(void);

unsigned int type_words(const struct type *type);
unsigned int type_member_count(const struct type *type);
bool type_is_scalar(const struct type *type);

#endif
