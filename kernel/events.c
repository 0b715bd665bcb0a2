/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/events.h"

#include <ctype.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "kernel/attach/machine.h"

/* A prefix and a name fit, or it is not a name of the kernel's (KSYM_NAME_LEN). */
#define NAME_BYTES 512

static const struct symbol *find_symbol(const struct attach_image *image, const char *prefix,
					const char *name)
{
	char whole[NAME_BYTES];

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	return image->symbols ? symbol_table_find(image->symbols, whole) : NULL;
}

/* ---- prototypes ---- */

static uint32_t parameter_count(const struct type_source *types, uint32_t prototype)
{
	return btf_element_count(type_words_of(types, prototype, BTF_FUNC_PROTO));
}

/* DWARF has no names for the parameters in a pointer's type, but __traceiter_NAME() has them. */
uint32_t tracepoint_prototype(const struct type_source *types, const uint32_t *type,
			      uint32_t iterator, uint32_t *named)
{
	const uint32_t *pointer = type ? type_words_of(types, type[BTF_WORD_TYPE], BTF_PTR) : NULL;
	uint32_t prototype = type ? (pointer ? pointer : type)[BTF_WORD_TYPE] : 0;
	uint32_t count;

	if (!parameter_count(types, prototype))
		prototype = iterator;
	count = parameter_count(types, prototype);
	*named = parameter_count(types, iterator) == count ? iterator : 0;
	return count ? prototype : 0;
}

/* ---- what all events share ---- */

static uint32_t member_offset_bytes(const struct type_source *types, const char *record,
				    const char *member, uint32_t otherwise)
{
	const uint32_t *words = type_named(types, BTF_STRUCT, record, "");
	uint32_t byte;

	return type_member_byte(types, words, member, &byte) ? byte : otherwise;
}

static void read_records(struct events *events)
{
	const uint32_t *words;

	for (uint32_t i = 1; (words = type_nth(events->types, i)); i++) {
		const char *class_name =
			btf_record_kind(words) == BTF_STRUCT
				? text_after(type_string(events->types, words[BTF_WORD_NAME]),
					     "trace_event_raw_") : NULL;

		if (class_name)
			array_push(&events->records, ((struct event_record){ class_name, words }));
	}
	array_sort(&events->records, compare_strings);
}

static void read_events(struct events *events)
{
	const struct attach_image *image = events->image;
	const struct symbol_table *symbols = image->symbols;

	if (events->is_read)
		return;
	events->is_read = true;
	events->function_byte =
		member_offset_bytes(events->types, "bpf_raw_event_map", "bpf_func",
				    image->object ? image->object->address_bytes : 0);
	events->group_byte = member_offset_bytes(events->types, "trace_event_class", "system", 0);
	for (size_t i = 0; symbols && i < symbols->symbols.count && !events->has_pointers; i++)
		events->has_pointers = text_after(symbols->symbols.data[i].name, "__event_");
	read_records(events);
}

void events_release(struct events *events)
{
	array_release(&events->records);
	array_release(&events->calls);
}

const uint32_t *event_record(struct events *events, const char *class_name)
{
	const struct event_record *records;
	size_t at;

	read_events(events);
	records = events->records.data;
	at = lower_bound(i, events->records.count, strcmp(records[i].class_name, class_name) < 0);
	return at < events->records.count && strcmp(records[at].class_name, class_name) == 0
		       ? records[at].words : NULL;
}

/* ---- those of tracepoints ---- */

/* A damaged image may lead to one address, which many symbols have, again and again. */
#define VISITS_PER_SYMBOL 64

/* Is the symbol at the address? */
static bool is_at(struct events *events, size_t i, uint64_t address)
{
	const struct symbol_table *symbols = events->image->symbols;

	return i < symbols->symbols.count && symbols->symbols.data[i].address == address &&
	       events->visited++ < VISITS_PER_SYMBOL * symbols->symbols.count;
}

/* "__bpf_trace_CLASS", by the address in the tracepoint's bpf_raw_event_map. */
static const char *class_of_map(struct events *events, const char *name)
{
	const struct attach_image *image = events->image;
	const struct symbol *map =
		image->object ? find_symbol(image, "__bpf_trace_tp_map_", name) : NULL;
	const struct symbol_table *symbols = image->symbols;
	uint64_t function;

	if (!map || !attach_word(image->object, map->address + events->function_byte, &function) ||
	    !function)
		return NULL;
	for (size_t i = symbol_table_at(symbols, function);
	     is_at(events, i, function); i++) {
		const char *class = text_after(symbols->symbols.data[i].name, "__bpf_trace_");

		if (class)
			return class;
	}
	return NULL;
}

/*
 * The map is there when BPF is configured, and in an image. Without it, a class of the tracepoint's
 * own name is told by its symbol, or by its record; another's cannot be found out.
 */
static void set_class(struct events *events, const char *name, struct event *event)
{
	const struct attach_image *image = events->image;
	const struct symbol *class;
	const char *group;
	uint64_t address;

	event->class_name = class_of_map(events, name);
	if (!event->class_name && (find_symbol(image, "event_class_", name) ||
				   (!events->by_dwarf && event_record(events, name))))
		event->class_name = name;
	if (!event->class_name)
		return;
	class = find_symbol(image, "event_class_", event->class_name);
	if (class && attach_word(image->object, class->address + events->group_byte, &address) &&
	    (group = attach_string(image->object, address)) && btf_is_identifier(group))
		event->group = group;
}

/* What symbols say; lists for people without CONFIG_KALLSYMS_ALL have functions alone. */
static enum attach_answer event_by_symbols(const struct events *events, const char *name)
{
	const struct symbol *event = find_symbol(events->image, "event_", name);

	if ((event && !symbol_is_function(event)) || find_symbol(events->image, "__event_", name))
		return ATTACH_YES;
	return events->has_pointers && find_symbol(events->image, "__tracepoint_", name)
		       ? ATTACH_NO : ATTACH_UNKNOWN;
}

/*
 * Without DWARF only an event of its own class has a record of its name, but those of other classes
 * are events, too.
 */
struct event event_of_tracepoint(struct events *events, const char *name)
{
	struct running_kernel *running = events->image->running;
	struct event event = { 0 };

	read_events(events);
	set_class(events, name, &event);
	event.is = event_by_symbols(events, name);
	if (events->by_dwarf) {
		if (event.is == ATTACH_UNKNOWN)
			event.is = ATTACH_NO;
		return event;
	}
	if (running && !event.group)
		event.group = running_kernel_event_group(running, name);
	if (event.class_name || event.group)
		event.is = ATTACH_YES;
	else if (running && running->events_read && event.is == ATTACH_UNKNOWN)
		event.is = ATTACH_NO;
	return event;
}

/* ---- those of system calls ---- */

/*
 * Names and types of a system call's arguments by its syscall_metadata (include/trace/syscall.h),
 * which has not moved its pointers since 4.x. Not on 32 bits: BPF_KSYSCALL() takes one register for
 * an argument, of i386 those of x86-64.
 */
bool system_call_parameters(const struct attach_image *image, const char *call,
			    struct call_parameters *found)
{
	enum { COUNT = 12, TYPES = 16, NAMES = 24 };
	const struct symbol *meta = find_symbol(image, "__syscall_meta__", call);
	const struct object *object = image->object;
	uint64_t count, types, names, type, name;
	bool good = meta && object && object->address_bytes == 8 &&
		    attach_word(object, meta->address + COUNT, &count) &&
		    attach_word(object, meta->address + TYPES, &types) &&
		    attach_word(object, meta->address + NAMES, &names);

	/* An int, and in later kernels the first 7 bits of a byte. */
	if (good && object->big_endian)
		count = count >> 56 ? count >> 57 : count >> 32;
	found->count = good ? count & 0x7f : 0;
	good = good && found->count <= CALL_PARAMETERS_MAX;
	for (uint64_t i = 0; good && i < found->count; i++) {
		const char *as_c = attach_word(object, types + 8 * i, &type)
					   ? attach_string(object, type) : NULL;

		found->types[i] = as_c;
		found->names[i] = attach_word(object, names + 8 * i, &name)
					  ? attach_string(object, name) : NULL;
		good = as_c && found->names[i] && type_is_code(as_c, strlen(as_c)) &&
		       type_is_plain_name(found->names[i]);
	}
	return good;
}

const char *system_call_of(const char *function)
{
	const char *rest = function;

	if (text_after(function, "__")) {
		for (rest = function + 2; isalnum((unsigned char)*rest);)
			rest++;
		if (rest == function + 2 || *rest++ != '_')
			return NULL;
	}
	return text_after(rest, "sys_");
}

/* Wrappers in arm's table, for which the calls are kept (arch_syscall_match_sym_name()). */
enum { ARM_WRAPPERS = 4 };
static const char *const arm_wrappers[ARM_WRAPPERS][2] = {
	{ "mmap2", "mmap_pgoff" }, { "statfs64_wrapper", "statfs64" },
	{ "fstatfs64_wrapper", "fstatfs64" }, { "arm_fadvise64_64", "fadvise64_64" },
};

/* Adds the calls whose functions are at an address. */
static void add_calls(struct events *events, uint64_t address)
{
	const struct symbol_table *symbols = events->image->symbols;
	bool is_arm = abi_is(events->image->abi, ABI_ARM);

	/* Thumb code has the lowest bit set in pointers. */
	address &= ~(uint64_t)is_arm;
	for (size_t i = symbol_table_at(symbols, address); is_at(events, i, address); i++) {
		const char *own = system_call_of(symbols->symbols.data[i].name);

		for (size_t k = 0; own && is_arm && k < ARM_WRAPPERS; k++)
			own = strcmp(own, arm_wrappers[k][0]) == 0 ? arm_wrappers[k][1] : own;
		if (own && strcmp(own, "ni_syscall") != 0)
			array_push(&events->calls, own);
	}
}

/* In assembler it has no size, and ends at the next symbol. */
static uint64_t end_of(const struct symbol_table *symbols, const struct symbol *table)
{
	size_t next = symbol_table_at(symbols, table->address + 1);

	return table->size ? table->address + table->size
	       : next < symbols->symbols.count ? symbols->symbols.data[next].address
					       : table->address;
}

/*
 * Each SYSCALL_DEFINE() makes events, but a kernel keeps those of its table alone, by the names of
 * the functions in it (find_syscall_meta() in kernel/trace/trace_syscalls.c). x86-64 enters system
 * calls by a switch, and has the table for this. Debian's 6.1 for x86-64, i386, arm64, arm,
 * s390x and ppc64le, and 7.2 for x86-64, have exactly these events in tracefs: of x86-64 345 of 430
 * and 367 of 451 calls.
 */
static void read_calls(struct events *events)
{
	const struct attach_image *image = events->image;
	const struct machine *machine = machine_of(image->abi);
	const struct symbol *table =
		image->object ? symbol_table_find(image->symbols, "sys_call_table") : NULL;
	uint64_t at = table ? table->address : 0, end = table ? end_of(image->symbols, table) : 0;
	uint64_t address;

	if (events->calls_read)
		return;
	events->calls_read = true;
	for (; at < end && events->visited < VISITS_PER_SYMBOL * image->symbols->symbols.count &&
	       attach_word(image->object, at, &address); at += image->object->address_bytes) {
		if (address)
			add_calls(events, address);
	}
	array_sort(&events->calls, compare_strings);
	events->has_all_calls = at >= end && events->calls.count && machine &&
				machine->has_call_table;
}

static enum attach_answer has_number(struct events *events, const char *call)
{
	read_calls(events);
	if (strcmp(call, "ni_syscall") == 0)
		return ATTACH_NO;
	if (array_find(&events->calls, &call, compare_strings))
		return ATTACH_YES;
	return events->has_all_calls ? ATTACH_NO : ATTACH_UNKNOWN;
}

bool event_of_call(struct events *events, const char *name, struct event *event)
{
	struct running_kernel *running = events->image->running;
	const char *exits = text_after(name, "sys_exit_");
	const char *call = exits ? exits : text_after(name, "sys_enter_"), *group;
	bool is_kept;

	if (!call)
		return false;
	group = running ? running_kernel_event_group(running, name) : NULL;
	is_kept = group && strcmp(group, "syscalls") == 0;
	if (!is_kept &&
	    !find_symbol(events->image, exits ? "event_exit__" : "event_enter__", call))
		return false;
	*event = (struct event){
		.class_name = exits ? "sys_exit" : "sys_enter", .group = "syscalls",
		.is = is_kept ? ATTACH_YES
		      : running && running->events_read ? ATTACH_NO : has_number(events, call) };
	return true;
}

void events_visit_calls(struct events *events, void (*visit)(void *context, const char *name),
			void *context)
{
	static const char *const prefixes[2][2] = { { "event_enter__", "sys_enter_" },
						    { "event_exit__", "sys_exit_" } };
	const struct symbol_table *symbols = events->image->symbols;
	struct running_kernel *running = events->image->running;

	if (running)
		running_kernel_event_group(running, "");
	for (size_t i = 0; running && i < running->events.count; i++) {
		if (strcmp(running->events.data[i].group, "syscalls") == 0)
			visit(context, running->events.data[i].name);
	}
	if (!symbols || (running && running->events_read))
		return;
	for (size_t i = 0; i < symbols->symbols.count; i++) {
		for (int k = 0; k < 2; k++) {
			const char *call =
				text_after(symbols->symbols.data[i].name, prefixes[k][0]);
			char *name = call ? text_format("%s%s", prefixes[k][1], call) : NULL;

			if (name)
				visit(context, name);
			free(name);
		}
	}
}
