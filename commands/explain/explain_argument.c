/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The parameters of an instance or inline site: names and types by the FUNC_PROTO, where they are
 * by a record of encoder/sites or by the calling convention, in words and as tracers find them, and
 * tracefs' fetch arguments (Documentation/trace/kprobetrace.rst): `%di`, `+8(%sp)`, `\10`.
 */
#include "commands/explain/explain_argument.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/location_text.h"

/* tracefs allows this much in the name of an argument (MAX_ARG_NAME_LEN). */
#define MAX_NAME 31

#define LOCATION_BYTES 96

/* ---- in words ---- */

static void add_register(struct text *out, const struct abi *abi, unsigned int reg)
{
	const char *name = abi_register_of(abi, reg);

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
	enum form { NOTHING, REGISTER, VALUE, MEMORY, OFFSET, ADDRESS, CONSTANT };
	static const struct {
		uint8_t form;
		const char *before, *after;
	} forms[] = {
		[LOCATION_NONE] = { NOTHING, "", "" },
		[LOCATION_REGISTER] = { REGISTER, "", "" },
		[LOCATION_ENTRY_VALUE] = { VALUE, "", "" },
		[LOCATION_REGISTER_VALUE] = { VALUE, "", "" },
		[LOCATION_REGISTER_BIT] = { REGISTER, "a bit of ", "" },
		[LOCATION_MEMORY] = { MEMORY, "", "" },
		[LOCATION_MEMORY_VALUE] = { MEMORY, "value of ", "" },
		[LOCATION_FRAME] = { OFFSET, "*(frame", ")" },
		[LOCATION_FRAME_VALUE] = { OFFSET, "frame", "" },
		[LOCATION_CFA] = { OFFSET, "*(CFA", ")" },
		[LOCATION_CFA_VALUE] = { OFFSET, "CFA", "" },
		[LOCATION_ADDRESS] = { ADDRESS, "*", "" },
		[LOCATION_ADDRESS_VALUE] = { ADDRESS, "", "" },
		[LOCATION_CONSTANT] = { CONSTANT, "constant ", "" },
		[LOCATION_IMPLICIT_POINTER] = { NOTHING, "only what it points to", "" },
		[LOCATION_PARAMETER_REF] = { NOTHING, "only its caller has it", "" },
		[LOCATION_PIECES] = { NOTHING, "computed", "" },
		[LOCATION_OTHER] = { NOTHING, "computed", "" },
	};
	struct location_piece whole = *location;

	if (abi && (whole.kind == LOCATION_CFA || whole.kind == LOCATION_CFA_VALUE)) {
		whole.kind = whole.kind == LOCATION_CFA ? LOCATION_MEMORY : LOCATION_REGISTER_VALUE;
		whole.reg = abi->stack_register;
		whole.offset += abi->entry_cfa_offset;
	}
	text_add_string(out, forms[whole.kind].before);
	switch ((enum form)forms[whole.kind].form) {
	case NOTHING: break;
	case REGISTER: add_register(out, abi, whole.reg); break;
	case VALUE: add_value(out, abi, whole.reg, whole.offset); break;
	case MEMORY: add_memory(out, abi, whole.reg, whole.offset); break;
	case OFFSET: text_add_format(out, "%+" PRId64, whole.offset); break;
	case ADDRESS: text_add_format(out, "0x%" PRIx64, whole.constant); break;
	case CONSTANT: text_add_format(out, "%" PRId64, (int64_t)whole.constant); break;
	}
	text_add_string(out, forms[whole.kind].after);
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

void explain_add_fetched(struct text *out, struct fetch_type type, const char *location)
{
	if (type.string)
		text_add_format(out, "+0(%s):%sstring", location, type.string == 'u' ? "u" : "");
	else
		text_add_format(out, "%s:%c%u", location, type.sign, type.bits);
}

void explain_add_parameter_fetch(struct text *out, const struct explained_parameter *parameter,
				 size_t number, char blank)
{
	bool has_parts = parameter->values.count > 1;

	for (size_t i = 0; parameter->fetched.sign && i < parameter->values.count; i++) {
		const struct btf_probe_value *value = &parameter->values.data[i];
		char sign = value->is_negative ? '-' : '+', location[64];

		if (i)
			text_add_char(out, blank);
		if (type_is_plain_name(parameter->name))
			text_add_format(out, "%.*s", has_parts ? MAX_NAME - 2 : MAX_NAME,
					parameter->name);
		else
			text_add_format(out, "arg%zu", number + 1);
		if (has_parts)
			text_add_format(out, "_%zu", i + 1);
		text_add_char(out, '=');
		if (value->kind == BTF_PROBE_REGISTER)
			snprintf(location, sizeof(location), "%%%s", value->reg);
		else if (value->kind == BTF_PROBE_MEMORY)
			snprintf(location, sizeof(location), "%c%" PRIu64 "(%%%s)", sign,
				 value->number, value->reg);
		else
			snprintf(location, sizeof(location), "\\%s%" PRIu64,
				 value->is_negative ? "-" : "", value->number);
		explain_add_fetched(out, parameter->fetched, location);
	}
}

void explain_add_fetch(struct text *out, const struct probe_point *point, char blank)
{
	for (size_t i = 0; i < point->parameters.count; i++) {
		const struct explained_parameter *parameter = &point->parameters.data[i];

		if (parameter->fetched.sign)
			text_add_char(out, blank);
		explain_add_parameter_fetch(out, parameter, i, blank);
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
	char string = type_points_to_string(types, ref);

	if (type.kind == BTF_VOID || type.kind == BTF_FWD || type.kind == BTF_FLOAT ||
	    type.kind == BTF_ARRAY)
		return (struct fetch_type){ 0 };
	/* An address of s390x may be of either space, and bpftrace's words are of 64 bits. */
	if (string == 's' && (!types->abi || word_bytes != 8 || abi_is(types->abi, ABI_S390X)))
		string = '\0';
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return (struct fetch_type){ sign, (uint8_t)(size * 8), words, string };
	return (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8), words, '\0' };
}

bool explain_is_length(const char *name)
{
	return strstr(name, "len") || strstr(name, "count") || strstr(name, "size") ||
	       strstr(name, "bytes") || strcmp(name, "n") == 0 || strcmp(name, "nr") == 0 ||
	       strcmp(name, "cnt") == 0;
}

struct fetch_type explain_parameter_type(const struct type_source *types, const uint32_t *prototype,
					 uint32_t number)
{
	struct fetch_type type = explain_fetch_type(types, btf_element(prototype, number)[1]);

	for (uint32_t i = number + 1; type.string && i < btf_element_count(prototype); i++) {
		if (explain_is_length(type_string(types, *btf_element(prototype, i))))
			type.string = '\0';
	}
	return type;
}

/* By its values: does tracefs fetch them, and as what? */
static void set_fetched(struct explained_parameter *parameter, uint8_t word_bytes)
{
	struct fetch_type type = parameter->value;
	bool has_parts = parameter->values.count > 1, has_sum = false, is_whole;

	for (size_t i = 0; i < parameter->values.count; i++) {
		has_sum |= parameter->values.data[i].kind == BTF_PROBE_SUM;
		/* tracefs follows no constant. */
		if (parameter->values.data[i].kind == BTF_PROBE_CONSTANT)
			type.string = '\0';
	}
	/* Two words are fetched whole from memory, if they are a number. */
	is_whole = type.words == 1 || (parameter->values.count == 1 &&
				       parameter->values.data[0].kind == BTF_PROBE_MEMORY &&
				       type.bits > word_bytes * 8);
	if (!parameter->values.count || has_sum || is_whole == has_parts)
		type.sign = '\0';
	else if (has_parts && type.sign)
		type = (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8), 1, '\0' };
	parameter->fetched = type;
}

/* False: the register has no name. */
static bool add_value_of(struct explained_parameter *parameter, const struct abi *abi,
			 enum btf_probe_kind kind, unsigned int reg, int64_t number)
{
	const char *name = abi_register_of(abi, reg);
	struct btf_probe_value value = {
		.kind = (uint8_t)kind, .is_negative = number < 0,
		.number = number < 0 ? -(uint64_t)number : (uint64_t)number };

	if (!name || strlen(name) >= sizeof(value.reg))
		return false;
	snprintf(value.reg, sizeof(value.reg), "%s", name);
	array_push(&parameter->values, value);
	return true;
}

/* ---- where the convention puts them ---- */

/*
 * To be freed: the argument locations of the first *known parameters. `words`: of the FUNC_PROTO;
 * `count`: of parameters, without the dots.
 */
static struct abi_location *assign(const struct type_source *types, const uint32_t *words,
				   uint32_t count, bool is_variadic, uint32_t *known)
{
	size_t room = count + 1u;
	struct abi_location *locations = memory_zeroed(room, sizeof(*locations));
	struct abi_type *abi_types = memory_zeroed(room, sizeof(*abi_types));
	struct abi_leaf *leaves = memory_zeroed(room * VALUE_MAX_LEAVES, sizeof(*leaves));
	struct abi_prototype wanted = { .parameters = abi_types + 1, .result = abi_types,
					.is_variadic = is_variadic };
	struct abi_call call;

	for (uint32_t i = 0; types->abi && i <= count; i++) {
		uint32_t ref = i ? btf_element(words, i - 1)[1] : words[BTF_WORD_TYPE];

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

/* At the entry, by the convention. */
static void set_values(struct explained_parameter *parameter, const struct type_source *types,
		       const struct abi_location *location)
{
	const struct abi *abi = types->abi;
	bool has_names = true;

	parameter->values.count = 0;
	if (location->kind == ABI_STACK)
		add_value_of(parameter, abi, BTF_PROBE_MEMORY, abi->stack_register,
			     location->stack_offset);
	if (location->kind == ABI_REGISTERS || location->kind == ABI_REFERENCE) {
		for (uint8_t i = 0; i < location->register_count; i++)
			has_names &= add_value_of(parameter, abi, BTF_PROBE_REGISTER,
						  location->registers[i], 0);
	}
	if (!has_names)
		parameter->values.count = 0;
	if (location->kind == ABI_REFERENCE)
		parameter->value = (struct fetch_type){ parameter->value.sign,
							(uint8_t)(types->word_bytes * 8), 1,
							'\0' };
	set_fetched(parameter, types->word_bytes);
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
	if (point->by_convention && finding->expected_known && abi &&
	    !parameter->fetched.sign) {
		set_values(parameter, types, &finding->expected);
		point->unknown_parameters -= parameter->fetched.sign != '\0';
	}
}

/* ---- where a record puts them ---- */

/* The string of a LOC. What is not made of fetch arguments is shown, but not used. */
static void read_string(struct explained_parameter *parameter, const char *text)
{
	struct btf_probe_value value;

	while (*text && btf_probe_value_scan(&text, &value))
		array_push(&parameter->values, value);
	if (*text)
		parameter->values.count = 0;
}

static void read_loc_param(struct explained_parameter *parameter, const struct abi *abi,
			   const uint32_t *words)
{
	const uint32_t *values = words + BTF_HEAD_WORDS + 1;
	uint32_t flags = words[BTF_HEAD_WORDS], size = words[BTF_WORD_SIZE];
	uint32_t count = btf_element_count(words);
	bool is_sum = flags & BTF_LOC_OFFSET && !(flags & BTF_LOC_DEREF);

	if (!btf_location_flags_fit(flags) || !btf_location_values_fit(flags, size, count) ||
	    (!is_sum && !btf_location_is_fetched(words, abi_register_of, abi)))
		return;
	if (flags & BTF_LOC_CONST) {
		uint64_t constant = btf_location_constant(words);
		bool is_negative = flags & BTF_LOC_SIGNED && constant >> 63;

		array_push(&parameter->values, ((struct btf_probe_value){
			.kind = BTF_PROBE_CONSTANT, .is_negative = is_negative,
			.number = is_negative ? -constant : constant }));
	} else if (flags & (BTF_LOC_OFFSET | BTF_LOC_DEREF)) {
		add_value_of(parameter, abi, is_sum ? BTF_PROBE_SUM : BTF_PROBE_MEMORY, values[0],
			     flags & BTF_LOC_OFFSET ? (int32_t)values[1] : 0);
	} else {
		for (uint32_t i = 0; i < count; i++)
			add_value_of(parameter, abi, BTF_PROBE_REGISTER, values[i], 0);
	}
}

/* Parameter i of a record. Returns it in words, in `text` or the BTF. */
static const char *read_record(struct explained_parameter *parameter,
			       const struct type_source *types,
			       const struct argument_source *source, uint32_t i,
			       char text[LOCATION_BYTES])
{
	const uint32_t *list = source->loc ? source->loc : source->loc_proto, *words;

	*text = '\0';
	if (i >= btf_element_count(list) || !*btf_element(list, i))
		return text;
	if (source->loc) {
		const char *string = type_string(types, *btf_element(list, i));

		snprintf(text, LOCATION_BYTES, "%s", string);
		read_string(parameter, string);
	} else if ((words = type_words_of(types, *btf_element(list, i), BTF_LOC_PARAM))) {
		btf_location_text(words, abi_register_of, types->abi, text, LOCATION_BYTES);
		read_loc_param(parameter, types->abi, words);
	}
	set_fetched(parameter, types->word_bytes);
	return text;
}

/* Of one, beside its type, its location, and its name, which a fetch argument has, too. */
#define PARAMETER_BYTES 128

void explain_arguments(struct probe_point *point, const struct type_source *types,
		       const struct argument_source *source)
{
	const uint32_t *prototype = type_words_of(types, point->prototype, BTF_FUNC_PROTO);
	struct abi_location *locations = NULL;
	uint32_t known = 0, count;
	bool is_variadic;

	explain_spend(source->room, sizeof(*point));
	if (!prototype)
		return;
	count = btf_element_count(prototype);
	is_variadic = count && !btf_element(prototype, count - 1)[0] &&
		      !btf_element(prototype, count - 1)[1];
	count -= is_variadic;
	point->by_convention = source->by_convention;
	point->result = explain_fetch_type(types, prototype[BTF_WORD_TYPE]);
	if (source->by_convention)
		locations = assign(types, prototype, count, is_variadic, &known);
	point->unknown_parameters = count;
	for (uint32_t i = 0; i < count && *source->room; i++) {
		const uint32_t *words = btf_element(prototype, i);
		struct explained_parameter parameter = { .name = type_string(types, words[0]),
							 .expected = memory_string("", 0),
							 .value = explain_parameter_type(
								 types, prototype, i) };
		char shown[LOCATION_BYTES];
		struct text type = { 0 }, found = { 0 };

		if (i < known) {
			add_argument_location(&found, types->abi, &locations[i]);
			set_values(&parameter, types, &locations[i]);
		} else if (source->by_convention) {
			text_add_string(&found, "by convention");
		} else {
			text_add_string(&found, read_record(&parameter, types, source, i, shown));
		}
		type_add(&type, types, words[1], "");
		explain_spend(source->room, PARAMETER_BYTES + type.count + found.count +
						    2 * strlen(parameter.name));
		/* Its room may be twice as large. */
		parameter.type = memory_string(type.data, type.count);
		array_release(&type);
		parameter.found = text_finish(&found);
		point->unknown_parameters -= parameter.fetched.sign != '\0';
		array_push(&point->parameters, parameter);
	}
	free(locations);
}
