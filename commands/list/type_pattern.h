/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A type as a user writes it, to look for among parameters and results: "struct sk_buff *",
 * "size_t", "unsigned long". It is found through typedefs and qualifiers: `long` is what a ssize_t
 * is, and `struct file *` also a `struct file *const`.
 */
#ifndef BTFENC_COMMANDS_LIST_TYPE_PATTERN_H
#define BTFENC_COMMANDS_LIST_TYPE_PATTERN_H

#include "base/near_names.h"
#include "kernel/type_source.h"

#define TYPE_PATTERN_BYTES 256

struct type_pattern {
	char name[TYPE_PATTERN_BYTES];	/* integers by one spelling: "unsigned long" */
	enum btf_kind kind;		/* STRUCT, UNION, ENUM; BTF_VOID: what has no such word */
	uint32_t pointers;
};

/* False: it is no name of a type with asterisks after it. */
bool type_pattern_parse(struct type_pattern *pattern, const char *text);

bool type_pattern_matches(const struct type_pattern *pattern, const struct type_source *types,
			  uint32_t ref);

/*
 * Is there a type of that name and kind, without the asterisks, in BTF from that id on, 0 being
 * void? If not, names of types are near it.
 */
bool type_pattern_exists(const struct type_pattern *pattern, const struct type_source *types,
			 uint32_t first, struct near_names *near);

#endif
