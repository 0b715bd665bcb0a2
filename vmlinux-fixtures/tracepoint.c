/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Tracepoints, with the names and the data that a kernel's macros define:
 *
 *	ticket_sold		DEFINE_EVENT(ticket_template): the record is another name's
 *	ticket_refused		TRACE_EVENT: a class of its own
 *	ticket_counted_tp	DECLARE_TRACE: no class, no event
 *
 * These structs are shorter than a kernel's, and in another order: readers must go by
 * the names of members.
 */
#include "kernel.h"

struct ticket {
	u32 seat;
	char owner[12];
};

struct tracepoint {
	const char *name;
	int enabled;
};

struct bpf_raw_event_map {
	u32 num_args;
	struct tracepoint *tp;
	void *bpf_func;
};

struct trace_event_class {
	void *probe;
	const char *system;
};

struct trace_event_call {
	struct trace_event_class *class;
	struct tracepoint *tp;
};

struct trace_entry {
	u16 type;
	u8 flags;
	u8 preempt_count;
	int pid;
};

struct trace_event_raw_ticket_template {
	struct trace_entry ent;
	u32 seat;
	char owner[12];
	u64 price;
	char __data[];
};

struct trace_event_raw_ticket_refused {
	struct trace_entry ent;
	int reason;
	u32 __data_loc_message;
	char __data[];
};

#define PROTO(...)  __VA_ARGS__
#define TRACEPOINT(call, class, proto)                                                             \
	typedef void (*btf_trace_##call)(void *__data, proto);                                     \
	__visible struct tracepoint __tracepoint_##call = { #call, 0 };                            \
	__visible noinline int __traceiter_##call(void *__data, proto)                             \
	{                                                                                          \
		barrier();                                                                         \
		return __tracepoint_##call.enabled;                                                \
	}                                                                                          \
	__visible union {                                                                          \
		struct bpf_raw_event_map event;                                                    \
		btf_trace_##call handler;                                                          \
	} __bpf_trace_tp_map_##call __section("__bpf_raw_tp_map") = {               \
		.event = { 2, &__tracepoint_##call, (void *)__bpf_trace_##class }                  \
	}

#define CLASS(class, proto)                                                                        \
	__visible noinline void __bpf_trace_##class(void *__data, proto)                           \
	{                                                                                          \
		barrier();                                                                         \
	}

#define EVENT(call, class)                                                                         \
	__visible struct trace_event_call event_##call = { &event_class_##class,                   \
							   &__tracepoint_##call }

#define RECORD(class)                                                                              \
	__visible noinline int trace_event_raw_event_##class(struct trace_event_raw_##class *to)   \
	{                                                                                          \
		to->ent.pid = 1;                                                                   \
		return to->ent.type;                                                               \
	}                                                                                          \
	__visible struct trace_event_class event_class_##class = {                                 \
		(void *)trace_event_raw_event_##class, "box_office" }

CLASS(ticket_template, PROTO(const struct ticket *ticket, u64 price))
CLASS(ticket_refused, PROTO(const struct ticket *ticket, int reason))
CLASS(ticket_counted_tp, PROTO(int count))

TRACEPOINT(ticket_sold, ticket_template, PROTO(const struct ticket *ticket, u64 price));
TRACEPOINT(ticket_refused, ticket_refused, PROTO(const struct ticket *ticket, int reason));
TRACEPOINT(ticket_counted_tp, ticket_counted_tp, PROTO(int count));

RECORD(ticket_template);
RECORD(ticket_refused);

EVENT(ticket_sold, ticket_template);
EVENT(ticket_refused, ticket_refused);
