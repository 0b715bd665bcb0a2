/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "judge.h"

#include <stdio.h>
#include <string.h>

static uint64_t low_bytes(uint64_t value, unsigned int bytes)
{
	return bytes < 8 ? value & ((1ULL << 8 * bytes) - 1) : value;
}

static uint64_t sign_extended(uint64_t value, unsigned int bytes)
{
	uint64_t sign = 1ULL << (8 * bytes - 1);

	return bytes < 8 ? (value ^ sign) - sign : value;
}

static uint64_t word_at(const struct machine_state *state, struct place place)
{
	switch (place.kind) {
	case PLACE_INTEGER:
		return state->integer[place.index];
	case PLACE_SSE:
		return state->sse[place.index];
	case PLACE_STACK:
		return place.index < STACK_WORDS ? state->stack[place.index] : 0;
	case PLACE_RESULT:
		return state->result[place.index];
	case PLACE_NOWHERE:
		break;
	}
	return 0;
}

/* The poison of truth_trash(). */
static bool is_poison(uint64_t word)
{
	return word >> 8 == 0xbad0bad0bad0ba || word >> 16 == 0xbad1bad1bad1;
}

static bool looks_like_tag(uint64_t word)
{
	return word >> 56 == 0x7a || (word & 0xff000000) == 0x6b000000;
}

static uint64_t expected_scalar(const struct call *call, const struct value *value,
				const struct scalar *scalar)
{
	uint64_t word = 0;

	memcpy(&word, (const char *)&call->expected[value->word] + scalar->offset,
	       scalar->size < 8 ? scalar->size : 8);
	return word;
}

/* Is the word this scalar, as a register has it? Small numbers stand anywhere by accident. */
static bool holds(uint64_t word, uint64_t value, unsigned int bytes)
{
	if (bytes >= 4)
		return value > 4096 && low_bytes(word, bytes) == low_bytes(value, bytes);
	return value && (word == value || word == sign_extended(value, bytes));
}

/* Which parameter stands here? */
static const struct value *other_parameter(const struct call *call, uint64_t word,
					   const struct value *but)
{
	const struct prototype *prototype = &call->function->prototype;

	for (unsigned int i = 0; i < prototype->parameter_count; i++) {
		const struct value *value = &prototype->parameters[i];

		for (unsigned int j = 0; j < value->scalar_count; j++) {
			const struct scalar *scalar = &value->scalars[j];

			if (value != but && holds(word, expected_scalar(call, value, scalar),
						  scalar->size))
				return value;
		}
	}
	return NULL;
}

/*
 * Does the word stand in another place that the convention fills, too? Then here is what the caller
 * has left behind when it filled that place: it copies to the stack through registers.
 */
static bool is_copy(const struct call *call, uint64_t word, struct place here)
{
	for (unsigned int i = 0; i < call->function->prototype.parameter_count; i++) {
		for (unsigned int j = 0; j < VALUE_BYTES_MAX / 8; j++) {
			struct place place = call->placements[i].words[j];

			if (place.kind != PLACE_NOWHERE && word_at(call->state, place) == word &&
			    (place.kind != here.kind || place.index != here.index))
				return true;
		}
	}
	return false;
}

/* Is it something that a pointer leads to? */
static bool is_behind(const struct call *call, uint64_t word, uint64_t pointer)
{
	unsigned char bytes[48];

	if (pointer < call->objects || pointer >= call->objects_end ||
	    !process_read(call->process, pointer, bytes, sizeof(bytes)))
		return false;
	for (unsigned int size = 8; size; size /= 2) {
		for (unsigned int offset = 0; offset + size <= sizeof(bytes); offset += size) {
			uint64_t value = 0;

			memcpy(&value, bytes + offset, size);
			if (holds(word, value, size))
				return true;
		}
	}
	return false;
}

/*
 * Does the value arrive in a register that the convention does not give it? Only a tag says so, and
 * only if no other parameter has it, too: other values may stand anywhere.
 */
static bool arrives_elsewhere(const struct call *call, const struct value *value, uint64_t expected,
			      unsigned int *where)
{
	if (!looks_like_tag(expected) || other_parameter(call, expected, value))
		return false;
	for (*where = 0; *where < INTEGER_REGISTERS; ++*where) {
		if (call->state->integer[*where] == expected)
			return true;
	}
	return false;
}

/*
 * Poison is all that a register has that was not set for this call, so whatever looks like a value
 * of the program was put there. The stack above truth_trash()'s pointer is not poisoned: in a slot
 * that nobody fills stands what the caller has left there, which is nothing that this call knows.
 */
static enum outcome diagnose(const struct call *call, struct place place, const struct value *value,
			     uint64_t expected, char *detail, size_t size)
{
	uint64_t word = word_at(call->state, place);
	const struct value *other = other_parameter(call, word, value);
	bool is_address = word >= call->objects && word < call->objects_end;
	char text[16];
	unsigned int where;

	if (arrives_elsewhere(call, value, expected, &where)) {
		struct place found = { PLACE_INTEGER, where };

		snprintf(detail, size, "it stands in %s", place_name(found, text, sizeof(text)));
		return OUTCOME_MISPLACED;
	}
	if (is_poison(word)) {
		snprintf(detail, size, "nothing was put there");
		return OUTCOME_UNSET;
	}
	if (!is_copy(call, word, place)) {
		if (other) {
			snprintf(detail, size, "there stands %s", other->name);
			return OUTCOME_MISPLACED;
		}
		if (is_behind(call, word, expected)) {
			snprintf(detail, size, "there stands what it points to");
			return OUTCOME_MISPLACED;
		}
		if (place.kind != PLACE_STACK && (looks_like_tag(word) || is_address)) {
			snprintf(detail, size, "there stands 0x%llx, not 0x%llx",
				 (unsigned long long)word, (unsigned long long)expected);
			return OUTCOME_MISPLACED;
		}
	}
	snprintf(detail, size, "a leftover, 0x%llx, not 0x%llx", (unsigned long long)word,
		 (unsigned long long)expected);
	return OUTCOME_UNSET;
}

/* value: as the source has it. An __int128 is judged by its halves. */
static enum outcome judge_value(const struct call *call, const struct value *value,
				const struct placement *placement, char *detail, size_t size)
{
	char text[64], place_text[32];

	for (unsigned int i = 0; i < value->scalar_count; i++) {
		struct scalar part = value->scalars[i];
		unsigned int end = part.offset + part.size;

		for (; part.offset < end; part.offset += part.size) {
			uint64_t words[2] = { 0 }, expected;
			unsigned int index = part.offset / 8;
			enum outcome outcome;

			if (part.size > 8)
				part.size = 8;
			expected = expected_scalar(call, value, &part);
			words[0] = word_at(call->state, placement->words[index]);
			/* A packed member may reach into the next word; then both are in memory. */
			if (part.offset % 8 + part.size > 8)
				words[1] = word_at(call->state, placement->words[index + 1]);
			if (memcmp((char *)words + part.offset % 8, &expected, part.size) == 0)
				continue;
			outcome = diagnose(call, placement->words[index], value, expected, text,
					   sizeof(text));
			snprintf(detail, size, "%s: %s",
				 place_name(placement->words[index], place_text,
					    sizeof(place_text)), text);
			return outcome;
		}
	}
	return OUTCOME_CORRECT;
}

static void add(struct finding *finding, enum outcome outcome, const char *parameter,
		const char *detail)
{
	if (outcome <= finding->outcome)
		return;
	finding->outcome = outcome;
	snprintf(finding->parameter, sizeof(finding->parameter), "%s", parameter);
	snprintf(finding->detail, sizeof(finding->detail), "%s", detail);
}

static const struct value *find_parameter(const struct prototype *prototype, const char *name)
{
	for (unsigned int i = 0; i < prototype->parameter_count; i++) {
		if (strcmp(prototype->parameters[i].name, name) == 0)
			return &prototype->parameters[i];
	}
	return NULL;
}

void judge_call(const struct call *call, const struct prototype *prototype,
		const struct placement *placements, bool by_name, struct finding *finding)
{
	const struct prototype *truth = &call->function->prototype;
	char detail[160];
	bool bad = false;

	finding->calls++;
	if (!by_name && prototype->parameter_count != truth->parameter_count) {
		add(finding, OUTCOME_PROTOTYPE, "-", "another number of parameters");
		finding->bad_calls++;
		return;
	}
	for (unsigned int i = 0; i < prototype->parameter_count; i++) {
		const struct value *claimed = &prototype->parameters[i];
		const struct value *value = by_name ? find_parameter(truth, claimed->name) :
						      &truth->parameters[i];
		enum outcome outcome = OUTCOME_PROTOTYPE;

		if (!value || strcmp(value->name, claimed->name) != 0 ||
		    value->size != claimed->size)
			snprintf(detail, sizeof(detail), "promised with %u bytes, it has %u",
				 claimed->size, value ? value->size : 0);
		else
			outcome = judge_value(call, value, &placements[i], detail, sizeof(detail));
		bad |= outcome != OUTCOME_CORRECT;
		add(finding, outcome, claimed->name, detail);
	}
	finding->bad_calls += bad;
}

void judge_result(const struct machine_state *state, const struct prototype *truth,
		  const struct prototype *prototype, const uint64_t value[RESULT_REGISTERS],
		  struct finding *finding)
{
	uint64_t found[RESULT_REGISTERS] = { 0 };
	struct placement placement;
	char detail[160], text[16];

	/* A changed prototype may promise none. */
	if (!prototype_place_result(prototype, &placement))
		return;
	finding->results++;
	for (unsigned int i = 0; i < RESULT_REGISTERS; i++)
		found[i] = word_at(state, placement.words[i]);
	for (unsigned int i = 0; i < truth->result.scalar_count; i++) {
		const struct scalar *scalar = &truth->result.scalars[i];
		const unsigned char *one = (const unsigned char *)found + scalar->offset;
		const unsigned char *other = (const unsigned char *)value + scalar->offset;
		unsigned int word = scalar->offset / 8;

		if (prototype->result.size == truth->result.size &&
		    memcmp(one, other, scalar->size) == 0)
			continue;
		word += scalar->size > 8 && memcmp(one, other, 8) == 0;
		snprintf(detail, sizeof(detail), "%s: a result 0x%llx, not 0x%llx",
			 place_name(placement.words[word], text, sizeof(text)),
			 (unsigned long long)found[word], (unsigned long long)value[word]);
		add(finding, OUTCOME_RESULT, "-", detail);
		finding->bad_calls++;
		return;
	}
}
