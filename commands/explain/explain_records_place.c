/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The parameters of a site: names and types by the FUNC_PROTO, places by a LOC, a LOC_PROTO or the
 * calling convention, and how tracefs fetches them from there.
 *
 * What the convention says is worked out up to the first parameter of which BTF does not tell
 * enough (commands/records/record_layout.h). The records hold it for all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "btf/location_text.h"
#include "commands/explain/explain_place.h"
#include "commands/explain/explain_records.h"
#include "commands/records/record_layout.h"

#define PLACE_BYTES 96

/* ---- types ---- */

/* As of DWARF: u, s or x, and how many words. */
static struct fetch_type fetch_type_of(struct value_type type, uint8_t word_bytes)
{
	uint32_t size = type.size_bytes;
	bool is_record = type.kind == BTF_STRUCT || type.kind == BTF_UNION;
	char sign = is_record || type.kind == BTF_PTR ? 'x' : type.is_signed ? 's' : 'u';

	if (type.kind == BTF_VOID || type.kind == BTF_FLOAT || type.kind == BTF_ARRAY)
		return (struct fetch_type){ 0 };
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return (struct fetch_type){ sign, (uint8_t)(size * 8), size > word_bytes ? 2 : 1 };
	/* No more than that there are several matters. */
	return (struct fetch_type){ 'x', (uint8_t)(word_bytes * 8),
				    (uint8_t)(size > word_bytes ? 2 : 1) };
}

bool record_is_compound(const struct records *records, uint32_t type)
{
	enum btf_kind kind = record_value_type(records, type).kind;

	return kind == BTF_STRUCT || kind == BTF_UNION;
}

static char *type_text(const struct records *records, uint32_t id)
{
	struct text_buffer buffer;

	c_declaration_print_btf(text_begin(&buffer), records->btf, id, "");
	return text_end(&buffer);
}

/* ---- prototypes ---- */

struct prototype {
	const uint32_t *words;		/* NULL: not known */
	uint32_t count;			/* of parameters, without the dots */
	bool is_variadic;
};

static struct prototype prototype_of(const struct records *records, uint32_t id)
{
	const uint32_t *words = records_type(records, id, BTF_FUNC_PROTO);
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

uint32_t record_prototype_of(const struct records *records, uint32_t function)
{
	const uint32_t *words = records_type(records, function, BTF_FUNC);

	return words && records_type(records, words[BTF_WORD_TYPE], BTF_FUNC_PROTO)
		       ? words[BTF_WORD_TYPE]
		       : 0;
}

/* The prototype of a place, by its location or else by its FUNC. */
static uint32_t prototype_at(const struct records *records, const struct record_site *site)
{
	const uint32_t *loc = records_type(records, site->location, BTF_LOC);

	if (loc && records_type(records, loc[BTF_WORD_TYPE], BTF_FUNC_PROTO))
		return loc[BTF_WORD_TYPE];
	if (records_type(records, site->location, BTF_FUNC_PROTO))
		return site->location;
	return record_prototype_of(records, site->function);
}

/* ---- where the convention puts them ---- */

/* How many parameters from the first on have a place in `places`. */
static uint32_t assign(const struct records *records, const struct prototype *prototype,
		       struct abi_place *places, struct abi_type *types, struct abi_leaf *leaves)
{
	const uint32_t *words = prototype->words;
	struct abi_prototype wanted = { .parameters = types + 1, .result = types,
					.is_variadic = prototype->is_variadic };
	struct abi_call call;

	for (uint32_t i = 0; i <= prototype->count; i++) {
		uint32_t id = i ? words[BTF_HEAD_WORDS + 2 * i - 1] : words[BTF_WORD_TYPE];

		if (!record_abi_type(records, id, &types[i], &leaves[i * RECORD_MAX_LEAVES]) ||
		    (i && !types[i].size_bytes))
			break;
		wanted.parameter_count = i;
	}
	return wanted.parameter_count && abi_assign(records->abi, &wanted, &call, places)
		       ? wanted.parameter_count
		       : 0;
}

/* "%di", or "by convention" alone; the fetch argument. */
static void put_convention(struct record_place *place, const struct records *records,
			   const struct prototype *prototype, const struct fetch_type *types)
{
	size_t room = prototype->count + 1u;
	struct abi_place *places = memory_zeroed(room, sizeof(*places));
	struct abi_type *abi_types = memory_zeroed(room, sizeof(*abi_types));
	struct abi_leaf *leaves = memory_zeroed(room * RECORD_MAX_LEAVES, sizeof(*leaves));
	uint32_t known = records->abi ? assign(records, prototype, places, abi_types, leaves) : 0;

	for (uint32_t i = 0; i < prototype->count; i++) {
		struct record_parameter *parameter = &place->parameters.data[i];
		struct scanned_parameter scanned = { parameter->name, types[i] };
		struct text_buffer buffer;

		text_begin(&buffer);
		if (i < known)
			place_print_expected(buffer.stream, records->abi, &places[i]);
		else
			fputs("by convention", buffer.stream);
		parameter->place = text_end(&buffer);
		text_begin(&buffer);
		if (i < known)
			place_print_fetch_expected(buffer.stream, records->abi, &places[i],
						   &scanned, i);
		parameter->fetch = text_end(&buffer);
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
static bool is_fetched(const struct records *records, const uint32_t *loc_param)
{
	uint32_t flags = loc_param[BTF_HEAD_WORDS];
	uint32_t count = btf_info_vlen(loc_param[BTF_WORD_INFO]);
	const uint32_t *values = loc_param + BTF_HEAD_WORDS + 1;

	if (!btf_location_flags_fit(flags) ||
	    !btf_location_values_fit(flags, loc_param[BTF_WORD_SIZE], count))
		return false;
	if (flags & BTF_LOC_CONST)
		return !(flags & BTF_LOC_ADDR);
	if ((flags & BTF_LOC_OFFSET && !(flags & BTF_LOC_DEREF)) ||
	    !register_name(records->abi, values[0]))
		return false;
	return flags & BTF_LOC_OFFSET || count == 1 || register_name(records->abi, values[1]);
}

/* The place in words, and as the fetch argument that it is, "" when it is none. */
static void place_of_loc_param(const struct records *records, uint32_t id, char *text,
			       char *argument)
{
	const uint32_t *words = records_type(records, id, BTF_LOC_PARAM);

	*text = *argument = '\0';
	if (!words)
		return;
	btf_location_text(words, register_name, records->abi, text, PLACE_BYTES);
	if (is_fetched(records, words))
		snprintf(argument, PLACE_BYTES, "%s%.*s",
			 words[BTF_HEAD_WORDS] & BTF_LOC_CONST ? "\\" : "", PLACE_BYTES - 2, text);
}

/* A string of a LOC is one already. What does not begin like one is shown, but not used. */
static void place_of_loc(const struct records *records, uint32_t offset, char *text,
			 char *argument)
{
	snprintf(text, PLACE_BYTES, "%s", offset ? records_string(records, offset) : "");
	snprintf(argument, PLACE_BYTES, "%s", *text && strchr("%+-\\", *text) ? text : "");
}

/* "%di" is "flags=%di:u32", "%di %si" "key_1=%di:x64 key_2=%si:x64". */
static char *fetch_text(const struct records *records, const struct scanned_parameter *parameter,
			uint32_t number, const char *argument)
{
	const char *blank = strchr(argument, ' ');
	struct fetch_type word = { 'x', (uint8_t)(records->word_bytes * 8), 1 };
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	if (*argument && blank && parameter->type.sign && parameter->type.words > 1) {
		place_print_name(out, parameter, number, 1);
		fprintf(out, "%.*s", (int)(blank - argument), argument);
		place_print_type(out, word);
		fputc(' ', out);
		place_print_name(out, parameter, number, 2);
		fputs(blank + 1, out);
		place_print_type(out, word);
	} else if (*argument && !blank && parameter->type.sign && parameter->type.words == 1) {
		place_print_name(out, parameter, number, 0);
		fputs(argument, out);
		place_print_type(out, parameter->type);
	}
	return text_end(&buffer);
}

static void put_recorded(struct record_place *place, const struct records *records,
			 const struct prototype *prototype, const struct fetch_type *types)
{
	const uint32_t *loc = records_type(records, place->site.location, BTF_LOC);
	const uint32_t *proto = records_type(records, place->site.location, BTF_LOC_PROTO);
	const uint32_t *words = loc ? loc : proto;
	uint32_t count = words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;

	for (uint32_t i = 0; i < prototype->count; i++) {
		struct record_parameter *parameter = &place->parameters.data[i];
		struct scanned_parameter scanned = { parameter->name, types[i] };
		char text[PLACE_BYTES] = "", argument[PLACE_BYTES] = "";

		if (loc && i < count)
			place_of_loc(records, loc[BTF_HEAD_WORDS + i], text, argument);
		else if (proto && i < count)
			place_of_loc_param(records, proto[BTF_HEAD_WORDS + i], text, argument);
		parameter->place = memory_string(text, strlen(text));
		parameter->fetch = fetch_text(records, &scanned, i, argument);
	}
}

void record_place_parameters(struct record_place *place, const struct records *records)
{
	struct prototype prototype;
	struct fetch_type *types;

	place->prototype_id = prototype_at(records, &place->site);
	prototype = prototype_of(records, place->prototype_id);
	if (!prototype.words)
		return;
	types = memory_zeroed(prototype.count + 1u, sizeof(*types));
	for (uint32_t i = 0; i < prototype.count; i++) {
		const uint32_t *words = prototype.words + BTF_HEAD_WORDS + 2 * i;

		types[i] = fetch_type_of(record_value_type(records, words[1]), records->word_bytes);
		array_push(&place->parameters, ((struct record_parameter){
			.name = records_string(records, words[0]),
			.type = type_text(records, words[1]) }));
	}
	place->result = fetch_type_of(
		record_value_type(records, prototype.words[BTF_WORD_TYPE]), records->word_bytes);
	place->by_convention = place->site.location &&
			       records_type(records, place->site.location, BTF_FUNC_PROTO);
	if (place->by_convention)
		put_convention(place, records, &prototype, types);
	else
		put_recorded(place, records, &prototype, types);
	for (size_t i = 0; i < place->parameters.count; i++)
		place->unknown_parameters += !*place->parameters.data[i].fetch;
	free(types);
}
