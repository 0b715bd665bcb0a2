/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/tracepoint.h"
#include "commands/explain/explain_argument.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/attach/machine.h"
#include "kernel/attach/attach.h"

/* A prefix and a name fit, or it is not a name of the kernel's (KSYM_NAME_LEN). */
#define NAME_BYTES 512

/* ---- finding symbols by name ---- */

static const struct symbol *find_symbol(const struct attach_image *image, const char *prefix,
					const char *name)
{
	char whole[NAME_BYTES];

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	return symbol_table_find(image->symbols, whole);
}

/* ---- prototypes ---- */

static uint32_t parameter_count(const struct type_source *types, uint32_t prototype)
{
	const uint32_t *words =
		prototype ? type_words_of(types, prototype, BTF_FUNC_PROTO) : NULL;

	return words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;
}

/*
 * The FUNC_PROTO of `typedef void (*btf_trace_NAME)(void *__data, ...)`. DWARF has no names for the
 * parameters in a pointer's type, but __traceiter_NAME() has them.
 */
static void set_prototype(struct tracepoint *tracepoint, const struct explanation *explanation)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *type = type_named(types, BTF_TYPEDEF, "btf_trace_", tracepoint->name);
	const uint32_t *pointer = type ? type_words_of(types, type[BTF_WORD_TYPE], BTF_PTR) : NULL;
	uint32_t prototype = type ? (pointer ? pointer : type)[BTF_WORD_TYPE] : 0;
	char iterator[NAME_BYTES];
	uint32_t named;
	struct text text = { 0 };

	snprintf(iterator, sizeof(iterator), "__traceiter_%s", tracepoint->name);
	named = explain_find_function(explanation, iterator);
	if (!parameter_count(types, prototype))
		prototype = named;
	if (!parameter_count(types, prototype))
		return;
	if (parameter_count(types, named) != parameter_count(types, prototype))
		named = 0;
	type_add_parameters(&text, types, prototype, named, 1, 0);
	tracepoint->parameters = text_finish(&text);
	tracepoint->prototype = text_format("void %s(%s)", tracepoint->name,
					    tracepoint->parameters);
	tracepoint_arguments(tracepoint, explanation, prototype, named);
}

/* ---- event and class ---- */

static uint32_t member_offset_bytes(const struct type_source *types, const char *record,
				    const char *member, uint32_t otherwise)
{
	const uint32_t *words = type_named(types, BTF_STRUCT, record, "");
	uint32_t byte;

	return type_member_byte(types, words, member, &byte) ? byte : otherwise;
}

/* "__bpf_trace_CLASS", by the address in the tracepoint's bpf_raw_event_map. */
static const char *class_of_map(const struct attach_image *image, const struct type_source *types,
				const char *name)
{
	const struct symbol *map =
		image->object ? find_symbol(image, "__bpf_trace_tp_map_", name) : NULL;
	const struct symbol_table *symbols = image->symbols;
	uint64_t function;
	uint32_t offset;

	if (!map)
		return NULL;
	offset = member_offset_bytes(types, "bpf_raw_event_map", "bpf_func",
				     image->object->address_bytes);
	if (!attach_word(image->object, map->address + offset, &function) || !function)
		return NULL;
	for (size_t i = symbol_table_at(symbols, function);
	     i < symbols->symbols.count && symbols->symbols.data[i].address == function; i++) {
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
static void set_class(struct tracepoint *tracepoint, const struct explanation *explanation)
{
	const struct attach_image *image = &explanation->image;
	const struct type_source *types = &explanation->types;
	const struct symbol *class;
	const char *name;
	uint64_t system;

	tracepoint->class_name = class_of_map(image, types, tracepoint->name);
	if (!tracepoint->class_name &&
	    (find_symbol(image, "event_class_", tracepoint->name) ||
	     (!explanation->program &&
	      type_named(types, BTF_STRUCT, "trace_event_raw_", tracepoint->name))))
		tracepoint->class_name = tracepoint->name;
	if (!tracepoint->class_name)
		return;
	class = find_symbol(image, "event_class_", tracepoint->class_name);
	if (class && attach_word(image->object, class->address +
					  member_offset_bytes(types, "trace_event_class",
							      "system", 0), &system) &&
	    (name = attach_string(image->object, system)) && btf_is_identifier(name))
		tracepoint->system = memory_copy(name);
}

static void set_record(struct tracepoint *tracepoint, const struct type_source *types)
{
	const uint32_t *words;

	if (!tracepoint->class_name || tracepoint->event != ATTACH_YES)
		return;
	words = type_named(types, BTF_STRUCT, "trace_event_raw_", tracepoint->class_name);
	if (!words)
		return;
	tracepoint->record = type_string(types, words[BTF_WORD_NAME]);
	tracepoint->record_bytes = words[BTF_WORD_SIZE];
	for (uint32_t i = 0; i < btf_info_vlen(words[BTF_WORD_INFO]); i++) {
		const uint32_t *element = words + BTF_HEAD_WORDS + 3 * i;
		struct tracepoint_member member = {
			.name = type_string(types, element[0]),
			.offset_bits = btf_member_offset(words[BTF_WORD_INFO], element),
			.size_bits = btf_member_bits(words[BTF_WORD_INFO], element),
			.value = explain_fetch_type(types, element[1]),
			.is_string = type_is_string(types, element[1]),
		};
		struct text text = { 0 };

		type_add(&text, types, element[1], member.name);
		member.declaration = text_finish(&text);
		array_push(&tracepoint->members, member);
	}
}

/* What symbols say; lists for people without CONFIG_KALLSYMS_ALL have functions alone. */
static enum attach_answer event_by_symbols(const struct attach_image *image, const char *name)
{
	const struct symbol_table *symbols = image->symbols;
	const struct symbol *event = find_symbol(image, "event_", name);

	if ((event && !symbol_is_function(event)) || find_symbol(image, "__event_", name))
		return ATTACH_YES;
	if (!find_symbol(image, "__tracepoint_", name))
		return ATTACH_UNKNOWN;
	for (size_t i = 0; i < symbols->symbols.count; i++) {
		if (text_after(symbols->symbols.data[i].name, "__event_"))
			return ATTACH_NO;
	}
	return ATTACH_UNKNOWN;
}

/*
 * Without DWARF only an event of its own class has a record of its name, but those of other classes
 * are events, too.
 */
static void set_event(struct tracepoint *tracepoint, const struct explanation *explanation)
{
	struct running_kernel *running = explanation->image.running;

	set_class(tracepoint, explanation);
	tracepoint->event = event_by_symbols(&explanation->image, tracepoint->name);
	if (explanation->program) {
		if (tracepoint->event == ATTACH_UNKNOWN)
			tracepoint->event = ATTACH_NO;
		return;
	}
	if (running && !tracepoint->system)
		tracepoint->system = running_kernel_event_system(running, tracepoint->name);
	if (tracepoint->class_name || tracepoint->system)
		tracepoint->event = ATTACH_YES;
	else if (running && running->events_read && tracepoint->event == ATTACH_UNKNOWN)
		tracepoint->event = ATTACH_NO;
}

/*
 * Names and types of a system call's arguments by its syscall_metadata (include/trace/syscall.h),
 * which has not moved its pointers since 4.x. Not on 32 bits: BPF_KSYSCALL() takes one register for
 * an argument, of i386 those of x86-64.
 */
static void set_call_arguments(struct tracepoint *tracepoint, const struct attach_image *image)
{
	enum { COUNT = 12, TYPES = 16, NAMES = 24, MOST = 6 };
	const struct symbol *meta = find_symbol(image, "__syscall_meta__", tracepoint->system_call);
	const struct object *object = image->object;
	uint64_t count, types, names, type, name;
	struct text text = { 0 };
	bool good = meta && object && object->address_bytes == 8 &&
		    attach_word(object, meta->address + COUNT, &count) &&
		    attach_word(object, meta->address + TYPES, &types) &&
		    attach_word(object, meta->address + NAMES, &names);

	/* An int, and in later kernels the first 7 bits of a byte. */
	if (good && object->big_endian)
		count = count >> 56 ? count >> 57 : count >> 32;
	count = good ? count & 0x7f : 0;
	good = count <= MOST;
	for (uint64_t i = 0; good && i < count; i++) {
		struct tracepoint_argument argument = { .value = { 'x', 64, 1 } };
		const char *as_c = attach_word(object, types + 8 * i, &type)
					   ? attach_string(object, type) : NULL;

		argument.name = attach_word(object, names + 8 * i, &name)
					? attach_string(object, name) : NULL;
		good = as_c && argument.name && type_is_code(as_c, strlen(as_c)) &&
		       type_is_plain_name(argument.name);
		if (!good)
			break;
		text_add_format(&text, "%s%s %s", i ? ", " : "", as_c, argument.name);
		array_push(&tracepoint->arguments, argument);
	}
	if (!good)
		tracepoint->arguments.count = 0;
	tracepoint->parameters = text_finish(&text);
}

const char *tracepoint_system_call(const char *function)
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

/* Is a symbol at the address a function of the call? `is_any`: or of any other. */
static bool is_entry_of(const struct attach_image *image, uint64_t address, const char *call,
			bool *is_any)
{
	const struct symbol_table *symbols = image->symbols;
	bool is_arm = abi_is(image->abi, ABI_ARM), is_its = false;

	/* Thumb code has the lowest bit set in pointers. */
	address &= ~(uint64_t)is_arm;
	for (size_t i = symbol_table_at(symbols, address);
	     i < symbols->symbols.count && symbols->symbols.data[i].address == address; i++) {
		const char *own = tracepoint_system_call(symbols->symbols.data[i].name);

		for (size_t k = 0; own && is_arm && k < ARM_WRAPPERS; k++)
			own = strcmp(own, arm_wrappers[k][0]) == 0 ? arm_wrappers[k][1] : own;
		*is_any |= own != NULL;
		is_its |= own && strcmp(own, call) == 0;
	}
	return is_its;
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
static enum attach_answer has_number(const struct attach_image *image, const char *call)
{
	const struct machine *machine = machine_of(image->abi);
	const struct symbol *table =
		image->object ? symbol_table_find(image->symbols, "sys_call_table") : NULL;
	uint64_t word = image->object ? image->object->address_bytes : 0, address;
	uint64_t end = table ? end_of(image->symbols, table) : 0;
	bool is_any = false;

	if (strcmp(call, "ni_syscall") == 0)
		return ATTACH_NO;
	for (uint64_t at = table ? table->address : 0; at < end; at += word) {
		if (!attach_word(image->object, at, &address))
			return ATTACH_UNKNOWN;
		if (address && is_entry_of(image, address, call, &is_any))
			return ATTACH_YES;
	}
	return is_any && machine && machine->has_call_table ? ATTACH_NO : ATTACH_UNKNOWN;
}

/*
 * sys_enter_openat and sys_exit_openat are events without a tracepoint of their own
 * (SYSCALL_METADATA() in include/linux/syscalls.h): event_enter__openat, event_exit__openat.
 */
static bool set_system_call(struct tracepoint *tracepoint, const struct explanation *explanation)
{
	const struct attach_image *image = &explanation->image;
	struct running_kernel *running = image->running;
	const char *exits = text_after(tracepoint->name, "sys_exit_");
	const char *call = exits ? exits : text_after(tracepoint->name, "sys_enter_");
	char whole[NAME_BYTES], *system;
	bool is_kept;

	if (!call)
		return false;
	system = running ? running_kernel_event_system(running, tracepoint->name) : NULL;
	is_kept = system && strcmp(system, "syscalls") == 0;
	free(system);
	if (!is_kept && !find_symbol(image, exits ? "event_exit__" : "event_enter__", call))
		return false;
	tracepoint->system_call = call;
	tracepoint->is_exit = exits;
	tracepoint->class_name = exits ? "sys_exit" : "sys_enter";
	tracepoint->system = memory_copy("syscalls");
	snprintf(whole, sizeof(whole), "__x64_sys_%s", call);
	tracepoint->never_comes = exits && !trampoline_returns(whole);
	tracepoint->event = is_kept ? ATTACH_YES
			    : running && running->events_read ? ATTACH_NO : has_number(image, call);
	if (!exits)
		set_call_arguments(tracepoint, image);
	return true;
}

struct tracepoint *tracepoint_find(const struct explanation *explanation, const char *name)
{
	const struct program *program = explanation->program;
	const struct type_source *types = &explanation->types;
	struct tracepoint *tracepoint = memory_zeroed(1, sizeof(*tracepoint));

	tracepoint->name = name;
	if (program ? find_symbol(&explanation->image, "__tracepoint_", name) != NULL
		    : type_named(types, BTF_TYPEDEF, "btf_trace_", name) != NULL) {
		set_prototype(tracepoint, explanation);
		set_event(tracepoint, explanation);
	} else if (!set_system_call(tracepoint, explanation)) {
		tracepoint_free(tracepoint);
		return NULL;
	}
	if (!tracepoint->system && tracepoint->event != ATTACH_NO && explanation->folder &&
	    explanation->kind != ASKED_FUNCTION &&
	    text_is_made_of(explanation->folder, "_-") && strcmp(name, explanation->name) == 0) {
		tracepoint->system = memory_copy(explanation->folder);
		tracepoint->is_said = true;
	}
	set_record(tracepoint, types);
	return tracepoint;
}

void tracepoint_free(struct tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	for (size_t i = 0; i < tracepoint->members.count; i++)
		free(tracepoint->members.data[i].declaration);
	array_release(&tracepoint->members);
	array_release(&tracepoint->arguments);
	free(tracepoint->system);
	free(tracepoint->prototype);
	free(tracepoint->parameters);
	free(tracepoint);
}
