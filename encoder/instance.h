/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The seam between reading and judging: function instances in, verdicts out.
 *
 * A function instance is a DW_TAG_subprogram with code, before anybody has decided what may be
 * said about it; its code may be known by its symbol only (collect_folded_function()). Workers
 * collect them, name and prototype in their own key spaces (btf/collector.h); encode.c brings them
 * into the merged spaces; select.c judges.
 */
#ifndef BTFENC_ENCODER_INSTANCE_H
#define BTFENC_ENCODER_INSTANCE_H

#include <stdbool.h>

#include "base/memory.h"
#include "btf/shape_table.h"

/* A btf_decl_tag of a function or variable. */
struct decl_annotation {
	uint32_t value;		/* name */
	int32_t component;	/* parameter, or -1 */
};

struct function_instance {
	uint32_t group;
	uint32_t name;
	shape_ref prototype;		/* a FUNC_PROTO shape */
	uint32_t first_entry;		/* in entries: addresses where it may be entered */
	uint32_t entry_count;
	uint32_t first_annotation;
	uint32_t annotation_count;
	bool external;
	bool unnamed_parameter;
	bool no_call;			/* DW_CC_nocall: the compiler changed how it is called */
	bool no_prototype;		/* an assembler's function */
};

struct variable_instance {
	uint32_t group;
	uint32_t name;
	shape_ref type;
	uint64_t address;
	uint32_t first_annotation;
	uint32_t annotation_count;
	bool external;
};

/* In the order of groups and DIEs once merged. */
struct instances {
	ARRAY_OF(struct function_instance) functions;
	ARRAY_OF(struct variable_instance) variables;
	ARRAY_OF(uint64_t) entries;
	ARRAY_OF(struct decl_annotation) annotations;
};

void instances_release(struct instances *instances);

#endif
