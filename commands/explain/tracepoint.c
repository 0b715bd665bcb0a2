/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "commands/attach/attach.h"

/* A prefix and a name fit, or it is not a name of the kernel's (KSYM_NAME_LEN). */
#define NAME_BYTES 512

/* ---- finding types and symbols by name ---- */

/* The first type of that kind and name; nodes are many, but few names are asked for. */
static const uint32_t *find_node(const struct type_source *types, enum btf_kind kind,
				 const char *prefix, const char *name)
{
	char whole[NAME_BYTES];

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	for (uint32_t i = 1; i < types->table->nodes.count; i++) {
		const uint32_t *words = node_words(types->table, i);

		if (btf_info_kind(words[BTF_WORD_INFO]) == kind &&
		    strcmp(type_string(types, words[BTF_WORD_NAME]), whole) == 0)
			return words;
	}
	return NULL;
}

static const struct symbol *find_symbol(const struct program *program, const char *prefix,
					const char *name)
{
	char whole[NAME_BYTES];

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	return symbol_table_find(&program->symbols, whole);
}

/* ---- prototypes ---- */

/*
 * The FUNC_PROTO of `typedef void (*btf_trace_NAME)(void *__data, ...)`. DWARF has no names for the
 * parameters in a pointer's type, but __traceiter_NAME() has them.
 */
static void set_prototype(struct tracepoint *tracepoint, const struct program *program,
			  const struct type_source *types)
{
	const uint32_t *type = find_node(types, BTF_TYPEDEF, "btf_trace_", tracepoint->name);
	const uint32_t *pointer = type ? type_words_of(types, type[BTF_WORD_TYPE], BTF_PTR) : NULL;
	const uint32_t *prototype = NULL, *named = NULL;
	const struct judged_function *judged;
	char whole[NAME_BYTES];
	struct text text = { 0 };
	uint32_t count;

	type = pointer ? pointer : type;
	if (type)
		prototype = type_words_of(types, type[BTF_WORD_TYPE], BTF_FUNC_PROTO);
	if (prototype && !btf_info_vlen(prototype[BTF_WORD_INFO]))
		prototype = NULL;
	snprintf(whole, sizeof(whole), "__traceiter_%s", tracepoint->name);
	judged = selection_find(&program->selection, &program->pool, whole);
	if (judged)
		named = type_words(types, program->instances.functions.data[judged->instance]
						  .prototype.word);
	if (!prototype)
		prototype = named;
	if (!prototype)
		return;
	count = btf_info_vlen(prototype[BTF_WORD_INFO]);
	if (named && btf_info_vlen(named[BTF_WORD_INFO]) != count)
		named = NULL;
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t *element = prototype + BTF_HEAD_WORDS + 2 * i;
		char name[32];

		snprintf(name, sizeof(name), "arg%u", i);
		text_add_string(&text, i > 1 ? ", " : "");
		type_add(&text, types, element[1],
			 named ? type_string(types, named[BTF_HEAD_WORDS + 2 * i]) : name);
	}
	text_add_string(&text, count == 1 ? "void" : "");
	tracepoint->parameters = text_finish(&text);
	tracepoint->prototype = text_format("void %s(%s)", tracepoint->name,
					    tracepoint->parameters);
}

/* ---- event and class ---- */

static uint32_t member_offset_bytes(const struct type_source *types, const char *record,
				    const char *member, uint32_t otherwise)
{
	const uint32_t *words = find_node(types, BTF_STRUCT, record, "");
	uint32_t count = words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *element = words + BTF_HEAD_WORDS + 3 * i;

		if (strcmp(type_string(types, element[0]), member) == 0)
			return (element[2] & BTF_MAX_MEMBER_BITS_KFLAG) / 8;
	}
	return otherwise;
}

/* "__bpf_trace_CLASS", by the address in the tracepoint's bpf_raw_event_map. */
static const char *class_of_map(const struct program *program, const struct type_source *types,
				const char *name)
{
	static const char prefix[] = "__bpf_trace_";
	const struct symbol *map = find_symbol(program, "__bpf_trace_tp_map_", name);
	uint32_t offset = member_offset_bytes(types, "bpf_raw_event_map", "bpf_func",
					      program->object.address_bytes);
	const struct symbol_table *symbols = &program->symbols;
	uint64_t function;

	if (!map || !attach_word(&program->object, map->address + offset, &function) || !function)
		return NULL;
	for (size_t i = symbol_table_at(symbols, function);
	     i < symbols->symbols.count && symbols->symbols.data[i].address == function; i++) {
		const char *symbol = symbols->symbols.data[i].name;

		if (strncmp(symbol, prefix, sizeof(prefix) - 1) == 0)
			return symbol + sizeof(prefix) - 1;
	}
	return NULL;
}

/*
 * The map is there when BPF is configured. Without it, a class of the tracepoint's own name is told
 * by its symbol; another's cannot be found out.
 */
static void set_class(struct tracepoint *tracepoint, const struct program *program,
		      const struct type_source *types)
{
	const struct symbol *class;
	uint64_t system;

	tracepoint->has_event = find_symbol(program, "event_", tracepoint->name);
	tracepoint->class_name = class_of_map(program, types, tracepoint->name);
	if (!tracepoint->class_name && find_symbol(program, "event_class_", tracepoint->name))
		tracepoint->class_name = tracepoint->name;
	if (!tracepoint->class_name)
		return;
	class = find_symbol(program, "event_class_", tracepoint->class_name);
	if (class && attach_word(&program->object, class->address +
					  member_offset_bytes(types, "trace_event_class",
							      "system", 0), &system))
		tracepoint->system = attach_string(&program->object, system);
	if (tracepoint->system && !btf_is_identifier(tracepoint->system))
		tracepoint->system = NULL;
}

static void set_record(struct tracepoint *tracepoint, const struct type_source *types)
{
	const uint32_t *words;
	bool bitfields;

	if (!tracepoint->class_name || !tracepoint->has_event)
		return;
	words = find_node(types, BTF_STRUCT, "trace_event_raw_", tracepoint->class_name);
	if (!words)
		return;
	bitfields = btf_info_kind_flag(words[BTF_WORD_INFO]);
	tracepoint->record = type_string(types, words[BTF_WORD_NAME]);
	tracepoint->record_bytes = words[BTF_WORD_SIZE];
	for (uint32_t i = 0; i < btf_info_vlen(words[BTF_WORD_INFO]); i++) {
		const uint32_t *element = words + BTF_HEAD_WORDS + 3 * i;
		struct tracepoint_member member = {
			.name = type_string(types, element[0]),
			.offset_bits = bitfields ? element[2] & BTF_MAX_MEMBER_BITS_KFLAG
						 : element[2],
			.size_bits = bitfields ? element[2] >> 24 : 0,
		};
		struct text text = { 0 };

		type_add(&text, types, element[1], member.name);
		member.declaration = text_finish(&text);
		array_push(&tracepoint->members, member);
	}
}

struct tracepoint *tracepoint_find(const struct program *program,
				   const struct type_source *types, const char *name)
{
	struct tracepoint *tracepoint;

	if (!find_symbol(program, "__tracepoint_", name))
		return NULL;
	tracepoint = memory_zeroed(1, sizeof(*tracepoint));
	tracepoint->name = name;
	set_prototype(tracepoint, program, types);
	set_class(tracepoint, program, types);
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
	free(tracepoint->prototype);
	free(tracepoint->parameters);
	free(tracepoint);
}
