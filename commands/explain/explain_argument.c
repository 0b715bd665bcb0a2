/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain_argument.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "btf/location_text.h"

/* tracefs allows this much in the name of an argument (MAX_ARG_NAME_LEN). */
#define MAX_NAME 31

#define ARGUMENT_BYTES 96

/* ---- in words ---- */

static void print_register(FILE *out, const struct abi *abi, unsigned int reg)
{
	const char *name = abi ? abi_register_name(abi, reg) : NULL;

	if (name)
		fprintf(out, "%%%s", name);
	else
		fprintf(out, "DWARF register %u", reg);
}

static void print_memory(FILE *out, const struct abi *abi, unsigned int reg, int64_t offset)
{
	fprintf(out, "%+" PRId64 "(", offset);
	print_register(out, abi, reg);
	fputc(')', out);
}

static void print_registers(FILE *out, const struct abi *abi, const struct abi_place *place)
{
	for (uint8_t i = 0; i < place->register_count; i++) {
		fputs(i ? ", " : "", out);
		print_register(out, abi, place->registers[i]);
	}
}

static void print_abi_place(FILE *out, const struct abi *abi, const struct abi_place *place)
{
	switch ((enum abi_place_kind)place->kind) {
	case ABI_NOWHERE: fputs("nowhere", out); break;
	case ABI_REGISTERS: print_registers(out, abi, place); break;
	case ABI_STACK: print_memory(out, abi, abi->stack_register, place->stack_offset); break;
	case ABI_SPLIT:
		print_registers(out, abi, place);
		fputs(", ", out);
		print_memory(out, abi, abi->stack_register, place->stack_offset);
		break;
	case ABI_REFERENCE:
		fputs("address in ", out);
		print_registers(out, abi, place);
		break;
	case ABI_REFERENCE_STACK:
		fputs("address at ", out);
		print_memory(out, abi, abi->stack_register, place->stack_offset);
		break;
	}
}

static void print_value(FILE *out, const struct abi *abi, unsigned int reg, int64_t offset)
{
	print_register(out, abi, reg);
	if (offset)
		fprintf(out, " %c %" PRIu64, offset < 0 ? '-' : '+',
			offset < 0 ? -(uint64_t)offset : (uint64_t)offset);
}

/* All but pieces, at a function's first instruction, where the CFA is known. */
static void print_whole(FILE *out, const struct abi *abi, const struct location *location)
{
	switch ((enum location_kind)location->kind) {
	case LOCATION_NONE: break;
	case LOCATION_REGISTER: print_register(out, abi, location->reg); break;
	case LOCATION_REGISTER_VALUE:
		print_value(out, abi, location->reg, location->offset);
		break;
	case LOCATION_REGISTER_BIT:
		fputs("a bit of ", out);
		print_register(out, abi, location->reg);
		break;
	case LOCATION_MEMORY: print_memory(out, abi, location->reg, location->offset); break;
	case LOCATION_MEMORY_VALUE:
		fputs("value of ", out);
		print_memory(out, abi, location->reg, location->offset);
		break;
	case LOCATION_FRAME: fprintf(out, "*(frame%+" PRId64 ")", location->offset); break;
	case LOCATION_FRAME_VALUE: fprintf(out, "frame%+" PRId64, location->offset); break;
	case LOCATION_CFA_VALUE:
		if (abi)
			print_value(out, abi, abi->stack_register,
				    location->offset + abi->entry_cfa_offset);
		else
			fprintf(out, "CFA%+" PRId64, location->offset);
		break;
	case LOCATION_CFA:
		if (abi)
			print_memory(out, abi, abi->stack_register,
				     location->offset + abi->entry_cfa_offset);
		else
			fprintf(out, "*(CFA%+" PRId64 ")", location->offset);
		break;
	case LOCATION_ADDRESS: fprintf(out, "*0x%" PRIx64, location->constant); break;
	case LOCATION_ADDRESS_VALUE: fprintf(out, "0x%" PRIx64, location->constant); break;
	case LOCATION_CONSTANT:
		fprintf(out, "constant %" PRId64, (int64_t)location->constant);
		break;
	case LOCATION_ENTRY_VALUE:
		print_value(out, abi, location->reg, location->offset);
		break;
	case LOCATION_IMPLICIT_POINTER: fputs("only what it points to", out); break;
	case LOCATION_PARAMETER_REF: fputs("only its caller has it", out); break;
	case LOCATION_PIECES:
	case LOCATION_OTHER: fputs("computed", out); break;
	}
}

static void print_location(FILE *out, const struct abi *abi, const struct location *location)
{
	if (location->kind != LOCATION_PIECES)
		print_whole(out, abi, location);
	for (uint8_t i = 0; location->kind == LOCATION_PIECES && i < location->piece_count; i++) {
		const struct location_piece *piece = &location->pieces[i];
		struct location part = { .kind = piece->kind, .reg = piece->reg,
					 .value_bytes = piece->value_bytes,
					 .offset = piece->offset, .constant = piece->constant };

		fputs(i ? " | " : "", out);
		if (part.kind == LOCATION_NONE)
			fputs("-", out);
		else
			print_whole(out, abi, &part);
	}
}

/* ---- for tracefs ---- */

void explain_print_fetch_type(FILE *out, struct fetch_type type)
{
	fprintf(out, ":%c%u", type.sign, type.bits);
}

void explain_print_fetch(FILE *out, const struct explained_place *place, char blank)
{
	for (size_t i = 0; i < place->parameters.count; i++) {
		const char *fetch = place->parameters.data[i].fetch;

		if (*fetch)
			fputc(blank, out);
		for (; *fetch; fetch++)
			fputc(*fetch == ' ' ? blank : *fetch, out);
	}
}

static struct fetch_type fetch_type_of(struct value_type type, uint8_t word_bytes)
{
	uint32_t size = type.size_bytes;
	char sign = value_type_is_record(type) || type.kind == BTF_PTR ? 'x'
		    : type.is_signed ? 's' : 'u';
	uint8_t words = size > word_bytes ? 2 : 1;	/* that there are several matters */

	if (type.kind == BTF_VOID || type.kind == BTF_FWD || type.kind == BTF_FLOAT ||
	    type.kind == BTF_ARRAY)
		return (struct fetch_type){ 0 };
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return (struct fetch_type){ sign, (uint8_t)(size * 8), words };
	return (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8), words };
}

static bool is_plain_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

/* "%di" is "flags=%di:u32", "%di %si" "key_1=%di:x64 key_2=%si:x64". */
static char *fetch_text(const char *name, uint32_t number, struct fetch_type type,
			uint8_t word_bytes, const char *argument)
{
	const char *blank = strchr(argument, ' ');
	bool fits = *argument && type.sign && (type.words > 1) == (blank != NULL);
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	if (blank)
		type = (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8), 1 };
	for (uint32_t part = 1; fits; part++) {
		if (is_plain_name(name))
			fprintf(out, "%.*s", blank || part > 1 ? MAX_NAME - 2 : MAX_NAME, name);
		else
			fprintf(out, "arg%u", number + 1);
		if (blank || part > 1)
			fprintf(out, "_%u", part);
		fprintf(out, "=%.*s", (int)strcspn(argument, " "), argument);
		explain_print_fetch_type(out, type);
		if (!blank)
			break;
		fputc(' ', out);
		argument = blank + 1;
		blank = strchr(argument, ' ');
	}
	return text_end(&buffer);
}

/* ---- prototypes ---- */

struct prototype {
	const uint32_t *words;		/* NULL: not known */
	uint32_t count;			/* of parameters, without the dots */
	bool is_variadic;
};

static struct prototype prototype_of(const struct type_source *types, uint32_t ref)
{
	const uint32_t *words = ref ? type_words_of(types, ref, BTF_FUNC_PROTO) : NULL;
	struct prototype prototype = { .words = words };

	if (!words)
		return prototype;
	prototype.count = btf_info_vlen(words[BTF_WORD_INFO]);
	if (prototype.count && !words[BTF_HEAD_WORDS + 2 * prototype.count - 2] &&
	    !words[BTF_HEAD_WORDS + 2 * prototype.count - 1]) {
		prototype.is_variadic = true;
		prototype.count--;
	}
	return prototype;
}

/* ---- where the convention puts them ---- */

/* How many parameters from the first on have a place in `places`. */
static uint32_t assign(const struct type_source *types, const struct prototype *prototype,
		       struct abi_place *places, struct abi_type *abi_types,
		       struct abi_leaf *leaves)
{
	const uint32_t *words = prototype->words;
	struct abi_prototype wanted = { .parameters = abi_types + 1, .result = abi_types,
					.is_variadic = prototype->is_variadic };
	struct abi_call call;

	for (uint32_t i = 0; i <= prototype->count; i++) {
		uint32_t ref = i ? words[BTF_HEAD_WORDS + 2 * i - 1] : words[BTF_WORD_TYPE];

		if (!value_abi_type(types, ref, &abi_types[i], &leaves[i * VALUE_MAX_LEAVES]) ||
		    (i && !abi_types[i].size_bytes))
			break;
		wanted.parameter_count = i;
	}
	return wanted.parameter_count && abi_assign(types->abi, &wanted, &call, places)
		       ? wanted.parameter_count
		       : 0;
}

/* As a fetch argument; "" for what tracefs cannot fetch. */
static void argument_of_abi_place(const struct abi *abi, const struct abi_place *place,
				  char argument[ARGUMENT_BYTES])
{
	size_t used = 0;

	argument[0] = '\0';
	if (place->kind == ABI_STACK && abi_register_name(abi, abi->stack_register))
		snprintf(argument, ARGUMENT_BYTES, "%+" PRId32 "(%%%s)", place->stack_offset,
			 abi_register_name(abi, abi->stack_register));
	if (place->kind != ABI_REGISTERS && place->kind != ABI_REFERENCE)
		return;
	for (uint8_t i = 0; i < place->register_count; i++) {
		const char *name = abi_register_name(abi, place->registers[i]);

		if (!name) {
			argument[0] = '\0';
			return;
		}
		used += (size_t)snprintf(argument + used, ARGUMENT_BYTES - used, "%s%%%s",
					 i ? " " : "", name);
	}
}

static void put_convention(struct explained_place *place, const struct type_source *types,
			   const struct prototype *prototype, const struct fetch_type *fetched)
{
	size_t room = prototype->count + 1u;
	struct abi_place *places = memory_zeroed(room, sizeof(*places));
	struct abi_type *abi_types = memory_zeroed(room, sizeof(*abi_types));
	struct abi_leaf *leaves = memory_zeroed(room * VALUE_MAX_LEAVES, sizeof(*leaves));
	uint32_t known = types->abi ? assign(types, prototype, places, abi_types, leaves) : 0;

	for (uint32_t i = 0; i < prototype->count; i++) {
		struct explained_parameter *parameter = &place->parameters.data[i];
		struct fetch_type type = fetched[i];
		char argument[ARGUMENT_BYTES] = "";
		struct text_buffer buffer;

		text_begin(&buffer);
		if (i < known) {
			print_abi_place(buffer.stream, types->abi, &places[i]);
			argument_of_abi_place(types->abi, &places[i], argument);
			if (places[i].kind == ABI_REFERENCE)
				type = (struct fetch_type){
					type.sign, (uint8_t)(types->word_bytes * 8), 1 };
		} else {
			fputs("by convention", buffer.stream);
		}
		parameter->found = text_end(&buffer);
		parameter->fetch = fetch_text(parameter->name, i, type, types->word_bytes,
					      argument);
	}
	free(places);
	free(abi_types);
	free(leaves);
}

/* ---- where a record puts them ---- */

static const char *register_name(const void *context, uint32_t number)
{
	return context ? abi_register_name(context, number) : NULL;
}

/* Can tracefs fetch it? What it cannot is a sum, or counted from something that is no register. */
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

	*text = *argument = '\0';
	if (!list || i >= btf_info_vlen(list[BTF_WORD_INFO]) || !list[BTF_HEAD_WORDS + i])
		return;
	if (source->loc) {
		/* What does not begin like a fetch argument is shown, but not used. */
		snprintf(text, ARGUMENT_BYTES, "%s",
			 type_string(types, list[BTF_HEAD_WORDS + i]));
		if (*text && strchr("%+-\\", *text))
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

void explain_arguments(struct explained_place *place, const struct type_source *types,
		       const struct argument_source *source)
{
	struct prototype prototype = prototype_of(types, place->prototype);
	struct fetch_type *fetched;

	if (!prototype.words)
		return;
	fetched = memory_zeroed(prototype.count + 1u, sizeof(*fetched));
	place->by_convention = source->by_convention;
	place->result = fetch_type_of(value_type_of(types, prototype.words[BTF_WORD_TYPE]),
				      types->word_bytes);
	for (uint32_t i = 0; i < prototype.count; i++) {
		const uint32_t *words = prototype.words + BTF_HEAD_WORDS + 2 * i;
		struct explained_parameter parameter = { .name = type_string(types, words[0]),
							 .expected = text_of("%s", "") };
		struct text_buffer buffer;

		type_print(text_begin(&buffer), types, words[1], "");
		parameter.type = text_end(&buffer);
		fetched[i] = fetch_type_of(value_type_of(types, words[1]), types->word_bytes);
		if (!source->by_convention) {
			char text[ARGUMENT_BYTES], argument[ARGUMENT_BYTES];

			text_of_record(types, source, i, text, argument);
			parameter.found = memory_string(text, strlen(text));
			parameter.fetch = fetch_text(parameter.name, i, fetched[i],
						     types->word_bytes, argument);
		}
		array_push(&place->parameters, parameter);
	}
	if (source->by_convention)
		put_convention(place, types, &prototype, fetched);
	for (size_t i = 0; i < place->parameters.count; i++)
		place->unknown_parameters += !*place->parameters.data[i].fetch;
	free(fetched);
}

void explain_evidence(struct explained_parameter *parameter, const struct abi *abi,
		      const struct parameter_finding *finding)
{
	struct text_buffer buffer;

	parameter->finding = finding;
	free(parameter->expected);
	text_begin(&buffer);
	if (finding->expected_known && abi)
		print_abi_place(buffer.stream, abi, &finding->expected);
	parameter->expected = text_end(&buffer);
	/* What the convention says of a parameter is not what DWARF says. */
	free(parameter->found);
	print_location(text_begin(&buffer), abi, &finding->found);
	parameter->found = text_end(&buffer);
}
