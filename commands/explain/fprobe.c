/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/fprobe.h"

#include <stdlib.h>
#include <string.h>

#include "btf/members.h"
#include "commands/explain/explain_argument.h"

/* tracefs allows this much in the name of an argument (MAX_ARG_NAME_LEN, with its NUL). */
#define NAME_BYTES 32

/*
 * trace_fprobe.c (6.5, CONFIG_FPROBE_EVENTS), and members of what parameters point to (6.6,
 * CONFIG_PROBE_EVENTS_BTF_ARGS). kernel/trace/trace_probe.c of 7.3 takes the n-th argument register
 * (regs_get_kernel_argument()) for the n-th parameter. Only kernels of these machines were asked.
 */
static bool has_event(const struct explanation *explanation, const struct probe_point *point)
{
	const struct symbol_table *symbols = explanation->image.symbols;
	const struct abi *abi = explanation->image.abi;

	return abi && (abi->machine == ABI_X86_64 || abi->machine == ABI_ARM64) &&
	       !explanation->image.is_module && !explanation->own_prototype &&
	       point->attach.ftrace == ATTACH_YES && symbols &&
	       symbol_table_find(symbols, "trace_fprobe_create") &&
	       symbol_table_find(symbols, "btf_find_struct_member") && point->view.parameters &&
	       probe_point_is_of_registers(point, abi);
}

/* ---- members ---- */

struct member {
	const char *name;
	uint32_t type;
};

/* A damaged union may contain itself. */
#define MEMBERS_MAX 4096

struct member_walk {
	struct btf_members members;
	uint32_t steps;
};

/* The next that a number of whole bytes has, also in unnamed structs. False: there are no more. */
static bool next_member(struct member_walk *walk, const struct type_source *types,
			struct member *member)
{
	while (walk->steps++ < MEMBERS_MAX && btf_members_next(&walk->members)) {
		const struct btf_members *at = &walk->members;
		struct value_type value;

		if (at->has_ended)
			continue;
		*member = (struct member){ type_string(types, *at->words), at->words[1] };
		value = value_type_of(types, member->type);
		if (!*member->name && btf_kind_is_aggregate(value.kind))
			btf_members_enter(&walk->members, value.words, at->offset_bits);
		else if (type_is_plain_name(member->name) && !btf_member_bits(at->info, at->words))
			return true;
	}
	return false;
}

static bool ends_with_one_of(const char *name, const char *const *ends)
{
	bool does = false;

	for (; *ends && !does; ends++)
		does = strcmp(name, *ends) == 0 || text_ends_with(name, *ends);
	return does;
}

/* The first that is a name, or else a number that tells something by what it is called. */
static bool find_member(const struct type_source *types, const uint32_t *record, bool is_name,
			struct member *found)
{
	static const char *const names[] = { "name", "comm", NULL };
	static const char *const numbers[] = { "len", "size", "flags", "mode", "state", "count",
					       "pid", "ino", "nr", NULL };
	struct member_walk walk = { 0 };

	btf_members_enter(&walk.members, record, 0);
	while (next_member(&walk, types, found)) {
		struct value_type value = value_type_of(types, found->type);

		if ((is_name ? type_is_string(types, found->type)
			     : value.kind == BTF_INT && value.size_bytes <= types->word_bytes) &&
		    ends_with_one_of(found->name, is_name ? names : numbers))
			return true;
	}
	return false;
}

/* The struct or union that a pointer leads to; NULL: none that is known. */
static const uint32_t *record_behind(const struct type_source *types, uint32_t type)
{
	struct value_type value = value_type_of(types, type);

	if (value.kind != BTF_PTR)
		return NULL;
	value = value_type_of(types, value.words[BTF_WORD_TYPE]);
	return btf_kind_is_aggregate(value.kind) ? value.words : NULL;
}

/* The first that points to something with a name, which is *name. */
static bool find_owner(const struct type_source *types, const uint32_t *record,
		       struct member *found, struct member *name)
{
	struct member_walk walk = { 0 };

	btf_members_enter(&walk.members, record, 0);
	while (next_member(&walk, types, found)) {
		const uint32_t *behind = record_behind(types, found->type);

		if (behind && find_member(types, behind, true, name))
			return true;
	}
	return false;
}

/* ---- the line ---- */

static const char *name_of(const struct type_source *types, const uint32_t *prototype, uint32_t i)
{
	return type_string(types, *btf_element(prototype, i));
}

/* " NAME=VALUE", which is freed, unless a parameter has that name. */
static void add_value(struct text *out, const struct type_source *types, const uint32_t *prototype,
		      const char *name, char *value)
{
	bool is_free = strlen(name) < NAME_BYTES && !text_after(name, "common_");

	for (uint32_t i = 0; i < btf_element_count(prototype); i++)
		is_free &= strcmp(name_of(types, prototype, i), name) != 0;
	if (is_free)
		text_add_format(out, " %s=%s", name, value);
	free(value);
}

static void add_members(struct text *out, const struct type_source *types,
			const uint32_t *prototype, const char *parameter, const uint32_t *record)
{
	struct member member, owner;
	char name[2 * NAME_BYTES];

	if (find_member(types, record, false, &member))
		add_value(out, types, prototype, member.name,
			  text_format("%s->%s", parameter, member.name));
	if (find_member(types, record, true, &member)) {
		add_value(out, types, prototype, member.name,
			  text_format("%s->%s:string", parameter, member.name));
	} else if (find_owner(types, record, &owner, &member)) {
		snprintf(name, sizeof(name), "%s_%s", owner.name, member.name);
		add_value(out, types, prototype, name,
			  text_format("%s->%s->%s:string", parameter, owner.name, member.name));
	}
}

void fprobe_add(struct text *out, const struct explanation *explanation,
		const struct probe_point *point)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *prototype = type_words_of(types, point->prototype, BTF_FUNC_PROTO);
	uint32_t count = btf_element_count(prototype);
	const uint32_t *record = NULL;
	/* resolve_btfids takes them from the kernel's BTF (scx_bpf_cpu_node of 7.2). */
	uint32_t implicit =
		point->prototype == explanation->prototype_id ? explanation->implicit : 0;
	bool are_plain = prototype && has_event(explanation, point);

	for (uint32_t i = 0; are_plain && i < count; i++) {
		const char *name = name_of(types, prototype, i);

		are_plain = type_is_plain_name(name) && strlen(name) < NAME_BYTES &&
			    !text_after(name, "common_");
	}
	if (!are_plain || count == implicit)
		return;
	count -= implicit;
	text_add_string(out, "f:");
	explain_add_instance_event(out, explanation, 0, "");
	text_add_format(out, " %s $arg*", explanation->name);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t type = btf_element(prototype, i)[1];
		const char *name = name_of(types, prototype, i);
		char string = type_points_to_string(types, type);
		char label[2 * NAME_BYTES];

		snprintf(label, sizeof(label), "%s_string", name);
		if (string)
			add_value(out, types, prototype, label,
				  text_format("%s:%sstring", name, string == 'u' ? "u" : ""));
		if (!record && (record = record_behind(types, type)))
			add_members(out, types, prototype, name, record);
	}
}
