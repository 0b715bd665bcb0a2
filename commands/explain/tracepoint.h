/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Tracepoints, as far as an image tells about them (include/linux/tracepoint.h, trace/bpf_probe.h,
 * trace/trace_events.h):
 *
 *	btf_trace_NAME			typedef: a pointer to its prototype, `void *__data` first
 *	__traceiter_NAME()		a function of that prototype, whose parameters have names
 *	__bpf_trace_tp_map_NAME		bpf_raw_event_map; .bpf_func is __bpf_trace_CLASS()
 *	event_class_CLASS		trace_event_class; .system is "sched"
 *	struct trace_event_raw_CLASS	the record in the ring buffer; BPF programs get it, too
 *
 * TRACE_EVENT(x) makes a class x; DEFINE_EVENT(class, x) uses another's; DECLARE_TRACE(x) has none.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_TRACEPOINT_H
#define BTFENC_COMMANDS_EXPLAIN_TRACEPOINT_H

#include "commands/records/type_source.h"
#include "encoder/result.h"

struct tracepoint_member {
	char *declaration;	/* as C, without the semicolon */
	const char *name;
	uint32_t offset_bits;
	uint32_t size_bits;	/* of a bitfield, else 0 */
};

struct tracepoint {
	const char *name;
	char *prototype;		/* without `__data`: `void NAME(...)`; NULL: not known */
	char *parameters;		/* the text in the parentheses */
	const char *class_name;		/* NULL: it has no event in tracefs, or it is not known */
	const char *system;		/* "sched", or NULL: not known */
	bool has_event;			/* in tracefs */
	const char *record;		/* "trace_event_raw_CLASS", or NULL: no such struct */
	uint32_t record_bytes;
	ARRAY_OF(struct tracepoint_member) members;
};

/* NULL: no tracepoint has that name. `types`: the program's. Freed by tracepoint_free(). */
struct tracepoint *tracepoint_find(const struct program *program,
				   const struct type_source *types, const char *name);
void tracepoint_free(struct tracepoint *tracepoint);

#endif
