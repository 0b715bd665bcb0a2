/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Tracepoints and the events of tracefs, as far as an image, its types and a running kernel tell
 * about them (include/linux/tracepoint.h, trace/bpf_probe.h, trace/trace_events.h):
 *
 *	btf_trace_NAME			typedef: a pointer to its prototype, `void *__data` first
 *	__traceiter_NAME()		a function of that prototype, whose parameters have names
 *	__bpf_trace_tp_map_NAME		bpf_raw_event_map; .bpf_func is __bpf_trace_CLASS()
 *	event_class_CLASS		trace_event_class; .system is "sched"
 *	event_NAME, __event_NAME	trace_event_call, and a pointer to it: it has an event
 *	struct trace_event_raw_CLASS	the record in the ring buffer; BPF programs get it, too
 *
 * TRACE_EVENT(x) makes a class x; DEFINE_EVENT(class, x) uses another's; DECLARE_TRACE(x) has none.
 * sys_enter_openat and sys_exit_openat are events without a tracepoint of their own
 * (SYSCALL_METADATA() in include/linux/syscalls.h): event_enter__openat, event_exit__openat.
 */
#ifndef BTFENC_KERNEL_EVENTS_H
#define BTFENC_KERNEL_EVENTS_H

#include "kernel/attach/attach_image.h"
#include "kernel/type_source.h"

#define TRACEPOINT_TYPE	    "btf_trace_"
#define TRACEPOINT_ITERATOR "__traceiter_"

struct event {
	enum attach_answer is;	/* in tracefs: of a system call, has that a number? */
	const char *class_name;	/* NULL: there is no event, or that is not known */
	const char *group;	/* "sched"; NULL: the same */
};

/* A struct trace_event_raw_CLASS. */
struct event_record {
	const char *class_name;
	const uint32_t *words;
};

/* Of one image: the first three are to be set. What follows is read when it is asked for. */
struct events {
	const struct attach_image *image;
	const struct type_source *types;
	bool by_dwarf;		/* the types are a program's, whose symbols show all events */

	bool is_read;
	uint32_t function_byte, group_byte;	/* bpf_func and system in their structs */
	bool has_pointers;		/* there are symbols __event_NAME */
	ARRAY_OF(struct event_record) records;	/* by class */
	bool calls_read, has_all_calls;
	size_t visited;			/* symbols at addresses that the image names */
	ARRAY_OF(const char *) calls;	/* of the table of system calls, by name */
};

void events_release(struct events *events);

/* That of a tracepoint, which is there. */
struct event event_of_tracepoint(struct events *events, const char *name);

/* That called sys_enter_CALL or sys_exit_CALL; false: there is no such event. */
bool event_of_call(struct events *events, const char *name, struct event *event);

/* Calls `visit` for each name that event_of_call() knows. */
void events_visit_calls(struct events *events, void (*visit)(void *context, const char *name),
			void *context);

/* The struct trace_event_raw_CLASS; NULL: there is none. */
const uint32_t *event_record(struct events *events, const char *class_name);

/*
 * The FUNC_PROTO of a tracepoint, by the words of its typedef, which may be NULL, and by that of
 * its iterator; 0: it is not known. *named: that with the names of its parameters, or 0.
 */
uint32_t tracepoint_prototype(const struct type_source *types, const uint32_t *type,
			      uint32_t iterator, uint32_t *named);

/* "__x64_sys_openat", "__do_sys_openat", "sys_openat" -> "openat"; NULL: it is none. */
const char *system_call_of(const char *function);

/* The parameters of a system call, as C. False: they are not known. */
#define CALL_PARAMETERS_MAX 6
struct call_parameters {
	size_t count;
	const char *types[CALL_PARAMETERS_MAX], *names[CALL_PARAMETERS_MAX];
};

bool system_call_parameters(const struct attach_image *image, const char *call,
			    struct call_parameters *found);

#endif
