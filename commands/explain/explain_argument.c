/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The parameters of an instance or inline site: names and types by the FUNC_PROTO, where they are
 * by a record of encoder/sites or by the calling convention, and tracefs' fetch arguments
 * (Documentation/trace/kprobetrace.rst): `%di`, `+8(%sp)`, `\10`. Only this file makes these.
 */
#include "commands/explain/explain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "btf/location_text.h"

/* tracefs allows this much in the name of an argument (MAX_ARG_NAME_LEN). */
#define MAX_NAME 31

#define ARGUMENT_BYTES 96

/* ---- in words ---- */

static void add_register(struct text *out, const struct abi *abi, unsigned int reg)
{
	const char *name = abi ? abi_register_name(abi, reg) : NULL;

	if (name)
		text_add_format(out, "%%%s", name);
	else
		text_add_format(out, "DWARF register %u", reg);
}

static void add_memory(struct text *out, const struct abi *abi, unsigned int reg, int64_t offset)
{
	text_add_format(out, "%+" PRId64 "(", offset);
	add_register(out, abi, reg);
	text_add_char(out, ')');
}

static void add_value(struct text *out, const struct abi *abi, unsigned int reg, int64_t offset)
{
	add_register(out, abi, reg);
	if (offset)
		text_add_format(out, " %c %" PRIu64, offset < 0 ? '-' : '+',
				offset < 0 ? -(uint64_t)offset : (uint64_t)offset);
}

static void add_argument_location(struct text *out, const struct abi *abi,
				  const struct abi_location *location)
{
	static const struct {
		const char *text;
		bool has_registers, has_memory;
	} words[] = {
		[ABI_NOWHERE] = { "nowhere", false, false },
		[ABI_REGISTERS] = { "", true, false },
		[ABI_STACK] = { "", false, true },
		[ABI_SPLIT] = { "", true, true },
		[ABI_REFERENCE] = { "address in ", true, false },
		[ABI_REFERENCE_STACK] = { "address at ", false, true },
	};
	uint8_t count = words[location->kind].has_registers ? location->register_count : 0;

	text_add_string(out, words[location->kind].text);
	for (uint8_t i = 0; i < count; i++) {
		text_add_string(out, i ? ", " : "");
		add_register(out, abi, location->registers[i]);
	}
	if (words[location->kind].has_registers && words[location->kind].has_memory)
		text_add_string(out, ", ");
	if (words[location->kind].has_memory)
		add_memory(out, abi, abi->stack_register, location->stack_offset);
}

/* All but pieces, at a function's first instruction, where the CFA is known. */
static void add_whole(struct text *out, const struct abi *abi,
		      const struct location_piece *location)
{
	int64_t offset = location->offset;

	switch ((enum location_kind)location->kind) {
	case LOCATION_NONE: break;
	case LOCATION_REGISTER: add_register(out, abi, location->reg); break;
	case LOCATION_ENTRY_VALUE:
	case LOCATION_REGISTER_VALUE: add_value(out, abi, location->reg, offset); break;
	case LOCATION_REGISTER_BIT:
		text_add_string(out, "a bit of ");
		add_register(out, abi, location->reg);
		break;
	case LOCATION_MEMORY: add_memory(out, abi, location->reg, offset); break;
	case LOCATION_MEMORY_VALUE:
		text_add_string(out, "value of ");
		add_memory(out, abi, location->reg, offset);
		break;
	case LOCATION_FRAME: text_add_format(out, "*(frame%+" PRId64 ")", offset); break;
	case LOCATION_FRAME_VALUE: text_add_format(out, "frame%+" PRId64, offset); break;
	case LOCATION_CFA_VALUE:
		if (abi)
			add_value(out, abi, abi->stack_register, offset + abi->entry_cfa_offset);
		else
			text_add_format(out, "CFA%+" PRId64, offset);
		break;
	case LOCATION_CFA:
		if (abi)
			add_memory(out, abi, abi->stack_register, offset + abi->entry_cfa_offset);
		else
			text_add_format(out, "*(CFA%+" PRId64 ")", offset);
		break;
	case LOCATION_ADDRESS: text_add_format(out, "*0x%" PRIx64, location->constant); break;
	case LOCATION_ADDRESS_VALUE: text_add_format(out, "0x%" PRIx64, location->constant); break;
	case LOCATION_CONSTANT:
		text_add_format(out, "constant %" PRId64, (int64_t)location->constant);
		break;
	case LOCATION_IMPLICIT_POINTER: text_add_string(out, "only what it points to"); break;
	case LOCATION_PARAMETER_REF: text_add_string(out, "only its caller has it"); break;
	case LOCATION_PIECES:
	case LOCATION_OTHER: text_add_string(out, "computed"); break;
	}
}

/* ---- for tracefs ---- */

#define MAX_EVENT 63

void explain_add_event(struct text *out, const char *name, size_t number, const char *suffix)
{
	char tail[32] = "";
	int room;

	if (number)
		snprintf(tail, sizeof(tail), "_%zu", number);
	room = MAX_EVENT - (int)strlen(tail) - (int)strlen(suffix);
	for (; *name && room > 0; name++, room--)
		text_add_char(out, isalnum((unsigned char)*name) ? *name : '_');
	text_add_string(out, tail);
	text_add_string(out, suffix);
}

void explain_add_fetch(struct text *out, const struct probe_point *point, char blank)
{
	for (size_t i = 0; i < point->parameters.count; i++) {
		const char *fetch = point->parameters.data[i].fetch;

		if (*fetch)
			text_add_char(out, blank);
		for (; *fetch; fetch++)
			text_add_char(out, *fetch == ' ' ? blank : *fetch);
	}
}

void explain_add_instance_event(struct text *out, const struct explanation *explanation,
				size_t number, const char *suffix)
{
	char ending[64];

	if (explanation->rank) {
		snprintf(ending, sizeof(ending), "_other_%zu%s", explanation->rank, suffix);
		suffix = ending;
	}
	explain_add_event(out, explanation->name, number, suffix);
}

void explain_add_site_event(struct text *out, const struct explanation *explanation,
			    size_t number)
{
	char suffix[32];

	snprintf(suffix, sizeof(suffix), "_inline_%zu", number);
	explain_add_instance_event(out, explanation, 0, suffix);
}

struct fetch_type explain_fetch_type(const struct type_source *types, uint32_t ref)
{
	struct value_type type = value_type_of(types, ref);
	uint8_t word_bytes = types->word_bytes;
	uint32_t size = type.size_bytes;
	char sign = btf_kind_is_aggregate(type.kind) || type.kind == BTF_PTR ? 'x'
		    : type.is_signed ? 's' : 'u';
	uint8_t words = size > word_bytes ? 2 : 1;	/* that there are several matters */

	if (type.kind == BTF_VOID || type.kind == BTF_FWD || type.kind == BTF_FLOAT ||
	    type.kind == BTF_ARRAY)
		return (struct fetch_type){ 0 };
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return (struct fetch_type){ sign, (uint8_t)(size * 8), words };
	return (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8), words };
}

/* "%di" is "flags=%di:u32", "%di %si" "key_1=%di:x64 key_2=%si:x64". */
static char *fetch_text(const char *name, uint32_t number, struct fetch_type type,
			uint8_t word_bytes, const char *argument)
{
	bool has_parts = strchr(argument, ' ');
	/* Two words are fetched whole from memory, if they are a number. */
	bool is_whole = type.words == 1 ||
			(strchr("+-", *argument) && type.bits > word_bytes * 8);
	struct text text = { 0 };

	if (!*argument || !type.sign || is_whole == has_parts)
		return text_finish(&text);
	if (has_parts)
		type = (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8), 1 };
	for (uint32_t part = 1; *argument; part++) {
		size_t length = strcspn(argument, " ");

		text_add_string(&text, part > 1 ? " " : "");
		if (type_is_plain_name(name))
			text_add_format(&text, "%.*s", has_parts ? MAX_NAME - 2 : MAX_NAME, name);
		else
			text_add_format(&text, "arg%u", number + 1);
		if (has_parts)
			text_add_format(&text, "_%u", part);
		text_add_format(&text, "=%.*s:%c%u", (int)length, argument, type.sign, type.bits);
		argument += length + (argument[length] == ' ');
	}
	return text_finish(&text);
}

/* ---- where the convention puts them ---- */

struct prototype {
	const uint32_t *words;
	uint32_t count;			/* of parameters, without the dots */
	bool is_variadic;
};

/* To be freed: the argument locations of the first *known parameters. */
static struct abi_location *assign(const struct type_source *types,
				const struct prototype *prototype, uint32_t *known)
{
	size_t room = prototype->count + 1u;
	struct abi_location *locations = memory_zeroed(room, sizeof(*locations));
	struct abi_type *abi_types = memory_zeroed(room, sizeof(*abi_types));
	struct abi_leaf *leaves = memory_zeroed(room * VALUE_MAX_LEAVES, sizeof(*leaves));
	struct abi_prototype wanted = { .parameters = abi_types + 1, .result = abi_types,
					.is_variadic = prototype->is_variadic };
	const uint32_t *words = prototype->words;
	struct abi_call call;

	for (uint32_t i = 0; types->abi && i <= prototype->count; i++) {
		uint32_t ref = i ? words[BTF_HEAD_WORDS + 2 * i - 1] : words[BTF_WORD_TYPE];

		if (!value_abi_type(types, ref, i == 0, &abi_types[i],
				    &leaves[i * VALUE_MAX_LEAVES]) ||
		    (i && !abi_types[i].size_bytes))
			break;
		wanted.parameter_count = i;
	}
	*known = wanted.parameter_count && abi_assign(types->abi, &wanted, &call, locations)
			 ? wanted.parameter_count : 0;
	free(abi_types);
	free(leaves);
	return locations;
}

/* As a fetch argument; "" for what tracefs cannot fetch. */
static void probe_argument_of(const struct abi *abi, const struct abi_location *location,
				  char argument[ARGUMENT_BYTES])
{
	size_t used = 0;

	if (location->kind == ABI_STACK && abi_register_name(abi, abi->stack_register))
		snprintf(argument, ARGUMENT_BYTES, "%+" PRId32 "(%%%s)", location->stack_offset,
			 abi_register_name(abi, abi->stack_register));
	if (location->kind != ABI_REGISTERS && location->kind != ABI_REFERENCE)
		return;
	for (uint8_t i = 0; i < location->register_count; i++) {
		const char *name = abi_register_name(abi, location->registers[i]);

		if (!name) {
			argument[0] = '\0';
			return;
		}
		used += (size_t)snprintf(argument + used, ARGUMENT_BYTES - used, "%s%%%s",
					 i ? " " : "", name);
	}
}

/* At the entry, by the convention. */
static void set_place(struct explained_parameter *parameter, const struct type_source *types,
		      uint32_t number, const struct abi_location *location)
{
	char argument[ARGUMENT_BYTES] = "";

	probe_argument_of(types->abi, location, argument);
	if (location->kind == ABI_REFERENCE)
		parameter->value = (struct fetch_type){ parameter->value.sign,
							(uint8_t)(types->word_bytes * 8), 1 };
	free(parameter->fetch);
	free(parameter->argument);
	parameter->fetch = fetch_text(parameter->name, number, parameter->value,
				      types->word_bytes, argument);
	parameter->argument = memory_copy(argument);
}

void explain_evidence(struct probe_point *point, uint32_t i, const struct type_source *types,
		      const struct parameter_findings *findings, size_t number)
{
	struct explained_parameter *parameter = &point->parameters.data[i];
	const struct parameter_finding *finding = &findings->data[number];
	const struct abi *abi = types->abi;
	const struct location_piece *pieces = parameter_finding_pieces(findings, finding);
	struct text expected = { 0 }, found = { 0 };

	if (finding->expected_known && abi)
		add_argument_location(&expected, abi, &finding->expected);
	if (finding->found.kind != LOCATION_PIECES)
		add_whole(&found, abi, &finding->found);
	for (uint8_t k = 0; k < finding->piece_count; k++) {
		text_add_string(&found, k ? " | " : "");
		text_add_string(&found, pieces[k].kind == LOCATION_NONE ? "-" : "");
		add_whole(&found, abi, &pieces[k]);
	}
	free(parameter->expected);
	free(parameter->found);		/* by convention, which DWARF need not confirm */
	parameter->expected = text_finish(&expected);
	parameter->found = text_finish(&found);
	parameter->finding = finding;
	/* DWARF tells how a struct is aligned, and so where the next ones are; BTF does not. */
	if (point->by_convention && finding->expected_known && abi && !*parameter->fetch) {
		set_place(parameter, types, i, &finding->expected);
		point->unknown_parameters -= *parameter->fetch != 0;
	}
}

/* ---- where a record puts them ---- */

static const char *register_name(const void *context, uint32_t number)
{
	return context ? abi_register_name(context, number) : NULL;
}

/* Can tracefs fetch it? It cannot add, nor count from what is not a register. */
static bool is_fetched(const struct abi *abi, const uint32_t *loc_param)
{
	uint32_t flags = loc_param[BTF_HEAD_WORDS];
	uint32_t count = btf_info_vlen(loc_param[BTF_WORD_INFO]);
	const uint32_t *values = loc_param + BTF_HEAD_WORDS + 1;

	if (!btf_location_flags_fit(flags) ||
	    !btf_location_values_fit(flags, loc_param[BTF_WORD_SIZE], count))
		return false;
	if (flags & BTF_LOC_CONST)
		return !(flags & BTF_LOC_ADDR);
	if ((flags & BTF_LOC_OFFSET && !(flags & BTF_LOC_DEREF)) || !register_name(abi, values[0]))
		return false;
	return flags & BTF_LOC_OFFSET || count == 1 || register_name(abi, values[1]);
}

/* Of parameter i in words, and the fetch argument that it is, "" when it is none. */
static void text_of_record(const struct type_source *types, const struct argument_source *source,
			   uint32_t i, char text[ARGUMENT_BYTES], char argument[ARGUMENT_BYTES])
{
	const uint32_t *list = source->loc ? source->loc : source->loc_proto, *words;

	if (!list || i >= btf_info_vlen(list[BTF_WORD_INFO]) || !list[BTF_HEAD_WORDS + i])
		return;
	if (source->loc) {
		/* What is not like a fetch argument is shown, but not used. */
		snprintf(text, ARGUMENT_BYTES, "%s",
			 type_string(types, list[BTF_HEAD_WORDS + i]));
		if (*text && strchr("%+-\\", *text) &&
		    !text[strspn(text, "%+-\\() abcdefghijklmnopqrstuvwxyz0123456789")])
			memcpy(argument, text, ARGUMENT_BYTES);
		return;
	}
	words = type_words_of(types, list[BTF_HEAD_WORDS + i], BTF_LOC_PARAM);
	if (!words)
		return;
	btf_location_text(words, register_name, types->abi, text, ARGUMENT_BYTES);
	if (is_fetched(types->abi, words))
		snprintf(argument, ARGUMENT_BYTES, "%s%.*s",
			 words[BTF_HEAD_WORDS] & BTF_LOC_CONST ? "\\" : "", ARGUMENT_BYTES - 2,
			 text);
}

/* Of one, beside its type, its location, and its name, which a fetch argument has, too. */
#define PARAMETER_BYTES 128

void explain_arguments(struct probe_point *point, const struct type_source *types,
		       const struct argument_source *source)
{
	struct prototype prototype = {
		.words = type_words_of(types, point->prototype, BTF_FUNC_PROTO) };
	struct abi_location *locations = NULL;
	const uint32_t *last;
	uint32_t known = 0;

	explain_spend(source->room, sizeof(*point));
	if (!point->prototype || !prototype.words)
		return;
	prototype.count = btf_info_vlen(prototype.words[BTF_WORD_INFO]);
	last = prototype.words + BTF_HEAD_WORDS + 2 * prototype.count - 2;
	if (prototype.count && !last[0] && !last[1]) {
		prototype.is_variadic = true;
		prototype.count--;
	}
	point->by_convention = source->by_convention;
	point->result = explain_fetch_type(types, prototype.words[BTF_WORD_TYPE]);
	if (source->by_convention)
		locations = assign(types, &prototype, &known);
	point->unknown_parameters = prototype.count;
	for (uint32_t i = 0; i < prototype.count && *source->room; i++) {
		const uint32_t *words = prototype.words + BTF_HEAD_WORDS + 2 * i;
		struct explained_parameter parameter = { .name = type_string(types, words[0]),
							 .expected = memory_string("", 0),
							 .value = explain_fetch_type(types,
										     words[1]) };
		char shown[ARGUMENT_BYTES] = "", argument[ARGUMENT_BYTES] = "";
		struct text type = { 0 }, found = { 0 };

		if (i < known) {
			add_argument_location(&found, types->abi, &locations[i]);
			set_place(&parameter, types, i, &locations[i]);
		} else if (source->by_convention) {
			text_add_string(&found, "by convention");
		} else {
			text_of_record(types, source, i, shown, argument);
			text_add_string(&found, shown);
		}
		type_add(&type, types, words[1], "");
		explain_spend(source->room, PARAMETER_BYTES + type.count + found.count +
						    2 * strlen(parameter.name));
		/* Its room may be twice as large. */
		parameter.type = memory_string(type.data, type.count);
		array_release(&type);
		parameter.found = text_finish(&found);
		if (!parameter.fetch) {
			parameter.fetch = fetch_text(parameter.name, i, parameter.value,
						     types->word_bytes, argument);
			parameter.argument = memory_copy(*argument ? argument : shown);
		}
		point->unknown_parameters -= *parameter.fetch != 0;
		array_push(&point->parameters, parameter);
	}
	free(locations);
}
