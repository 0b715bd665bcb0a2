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

/* A float in a register that has it as a double. */
static uint64_t narrowed(uint64_t word)
{
	uint32_t bits;
	double wide;
	float value;

	memcpy(&wide, &word, sizeof(wide));
	value = (float)wide;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t word_at(const struct machine_state *state, struct place place)
{
	size_t bytes = state->machine->word_bytes;

	switch (place.kind) {
	case PLACE_INTEGER:
		return state->integer[place.index];
	case PLACE_FLOAT:
		return process_floating(state->process, place.index);
	case PLACE_STACK:
		if ((place.index + 1) * bytes > STACK_BYTES)
			return 0;
		return machine_number(state->machine, state->stack + place.index * bytes, bytes);
	case PLACE_RESULT:
		return state->result[place.index];
	case PLACE_NOWHERE:
		break;
	}
	return 0;
}

/* The place of the byte at `offset` of the piece. */
static struct place loc_param_of(const struct machine_state *state, const struct piece *piece,
			     unsigned int offset)
{
	struct place place = piece->place;

	if (place.kind == PLACE_STACK && !piece->by_reference)
		place.index += (piece->at + offset) / state->machine->word_bytes;
	return place;
}

/* A byte of a value that is not passed by reference. */
static unsigned char byte_at(const struct machine_state *state, const struct piece *piece,
			     unsigned int offset)
{
	struct place place = loc_param_of(state, piece, offset);
	uint64_t word = word_at(state, place);
	unsigned int size = state->machine->word_bytes;
	unsigned char bytes[8] = { 0 };

	if (place.kind == PLACE_FLOAT && piece->size == 4 && state->machine->widens_floats) {
		word = narrowed(word);
		size = 4;
	}
	machine_bytes(state->machine, word, bytes, size);
	return bytes[(piece->at + offset) % size];
}

static const struct piece *piece_at(const struct placement *placement, unsigned int offset)
{
	for (unsigned int i = 0; i < placement->count; i++) {
		const struct piece *piece = &placement->pieces[i];

		if (offset >= piece->offset && offset < piece->offset + piece->size)
			return piece;
	}
	return NULL;
}

/*
 * Compares the bytes of a value from `offset` on; returns how many are as they should be. process:
 * NULL of a result, which is never passed by reference.
 */
static unsigned int same_bytes(const struct machine_state *state, struct process *process,
			       const struct placement *placement, unsigned int offset,
			       const unsigned char *bytes, unsigned int size)
{
	const struct piece *piece = piece_at(placement, offset);
	unsigned char copy[16] = { 0 };

	if (piece && piece->by_reference)
		process_read(process, word_at(state, piece->place) + offset, copy, size);
	for (unsigned int i = 0; i < size; i++) {
		piece = piece_at(placement, offset + i);
		if (!piece)
			return i;
		if (!piece->by_reference)
			copy[i] = byte_at(state, piece, offset + i - piece->offset);
		if (copy[i] != bytes[i])
			return i;
	}
	return size;
}

/* The poison of truth_trash(). */
static bool is_poison(const struct machine_state *state, uint64_t word)
{
	if (state->machine->word_bytes == 4)
		return word >> 8 == 0xbad0ba;
	return word >> 8 == 0xbad0bad0bad0ba || word >> 16 == 0xbad1bad1bad1;
}

static bool looks_like_tag(uint64_t word)
{
	return word >> 56 == 0x7a || (word & 0xff000000) == 0x6b000000;
}

/* A scalar of up to 8 bytes is written down as a whole word, members where they are in memory. */
static const unsigned char *expected_bytes(const struct call *call, const struct value *value,
					   const struct scalar *scalar)
{
	unsigned int offset = scalar->offset;

	if (call->state->machine->big_endian && !value->is_aggregate && !scalar->is_float &&
	    value->size < 8)
		offset += 8 - value->size;
	return call->expected[value->word] + offset;
}

static uint64_t expected_scalar(const struct call *call, const struct value *value,
				const struct scalar *scalar)
{
	return machine_number(call->state->machine, expected_bytes(call, value, scalar),
			      scalar->size < 8 ? scalar->size : 8);
}

/* Is the word this scalar, as a register has it? Small numbers occur anywhere by accident. */
static bool holds(uint64_t word, uint64_t value, unsigned int bytes)
{
	if (bytes >= 4)
		return value > 4096 && low_bytes(word, bytes) == low_bytes(value, bytes);
	return value && (word == value || word == sign_extended(value, bytes));
}

/* The same of a register that may have a part of it. */
static bool holds_part(const struct call *call, uint64_t word, uint64_t value, unsigned int bytes)
{
	unsigned int part = call->state->machine->word_bytes;

	if (bytes <= part || bytes > 8)
		return holds(word, value, bytes);
	return holds(word, low_bytes(value, part), part) || holds(word, value >> 8 * part, part);
}

/* Which parameter has this value? */
static const struct value *other_parameter(const struct call *call, uint64_t word,
					   const struct value *but)
{
	const struct prototype *prototype = &call->function->prototype;

	for (unsigned int i = 0; i < prototype->parameter_count; i++) {
		const struct value *value = &prototype->parameters[i];

		for (unsigned int j = 0; j < value->scalar_count; j++) {
			const struct scalar *scalar = &value->scalars[j];

			if (value != but &&
			    holds_part(call, word, expected_scalar(call, value, scalar),
				       scalar->size))
				return value;
		}
	}
	return NULL;
}

/*
 * Is the word in another place that the convention fills, too? Then the caller left it here when it
 * filled that place: it copies to the stack through registers.
 */
static bool is_copy(const struct call *call, uint64_t word, struct place here)
{
	for (unsigned int i = 0; i < call->function->prototype.parameter_count; i++) {
		const struct placement *placement = &call->placements[i];
		const struct value *value = &call->function->prototype.parameters[i];

		for (unsigned int offset = 0; offset < value->size; offset++) {
			const struct piece *piece = piece_at(placement, offset);
			struct place place;

			if (!piece)
				continue;
			place = loc_param_of(call->state, piece, offset - piece->offset);
			if (word_at(call->state, place) == word &&
			    (place.kind != here.kind || place.index != here.index))
				return true;
		}
	}
	return false;
}

/* Is it something that a pointer leads to? */
static bool is_target(const struct call *call, uint64_t word, uint64_t pointer)
{
	unsigned char bytes[48];

	if (pointer < call->objects || pointer >= call->objects_end ||
	    !process_read(call->process, pointer, bytes, sizeof(bytes)))
		return false;
	for (unsigned int size = 8; size; size /= 2) {
		for (unsigned int offset = 0; offset + size <= sizeof(bytes); offset += size) {
			if (holds(word, machine_number(call->state->machine, bytes + offset, size),
				  size))
				return true;
		}
	}
	return false;
}

/*
 * Does the value arrive in a register that the convention does not give it? Only a tag says so, and
 * only if no other parameter has it, too: other values may occur anywhere.
 */
static bool arrives_elsewhere(const struct call *call, const struct value *value, uint64_t expected,
			      unsigned int *where)
{
	if (!looks_like_tag(expected) || other_parameter(call, expected, value))
		return false;
	for (*where = 0; *where < call->state->machine->integer_count; ++*where) {
		if (call->state->integer[*where] == expected)
			return true;
	}
	return false;
}

/*
 * Poison is all that a register has that was not set for this call, so whatever looks like a value
 * of the program was put there. The stack above truth_trash()'s pointer is not poisoned: a slot
 * that is not filled holds what the caller has left there, which has no meaning for this call.
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

		snprintf(detail, size, "it is in %s",
			 place_name(call->state->machine, found, text, sizeof(text)));
		return OUTCOME_MISPLACED;
	}
	if (is_poison(call->state, word)) {
		snprintf(detail, size, "nothing was put there");
		return OUTCOME_UNSET;
	}
	if (!is_copy(call, word, place)) {
		if (other) {
			snprintf(detail, size, "%s is there", other->name);
			return OUTCOME_MISPLACED;
		}
		if (is_target(call, word, expected)) {
			snprintf(detail, size, "what it points to is there");
			return OUTCOME_MISPLACED;
		}
		if (place.kind != PLACE_STACK && (looks_like_tag(word) || is_address)) {
			snprintf(detail, size, "0x%llx is there, not 0x%llx",
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
			struct place place = { PLACE_NOWHERE };
			const struct piece *piece;
			enum outcome outcome;
			unsigned int same;

			if (part.size > 8)
				part.size = 8;
			same = same_bytes(call->state, call->process, placement, part.offset,
					  expected_bytes(call, value, &part), part.size);
			if (same == part.size)
				continue;
			piece = piece_at(placement, part.offset + same);
			if (piece)
				place = loc_param_of(call->state, piece,
						 part.offset + same - piece->offset);
			outcome = diagnose(call, place, value, expected_scalar(call, value, &part),
					   text, sizeof(text));
			snprintf(detail, size, "%s: %s",
				 place_name(call->state->machine, place, place_text,
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

/*
 * "p3__b": the member b is passed in place of the struct p3. It has to be whole words of it. False:
 * there is none.
 */
static bool find_member(const struct prototype *prototype, const char *name, struct value *member)
{
	const char *between = strstr(name, "__");
	const struct value *value;
	char whole[32];

	snprintf(whole, sizeof(whole), "%.*s", between ? (int)(between - name) : 0, name);
	value = find_parameter(prototype, whole);
	if (!value)
		return false;
	*member = (struct value){ .is_aggregate = true };
	snprintf(member->name, sizeof(member->name), "%s", name);
	for (unsigned int i = 0; i < value->scalar_count; i++) {
		struct scalar scalar = value->scalars[i];

		if (strcmp(scalar.member, between + 2) != 0)
			continue;
		if (!member->scalar_count)
			member->word = value->word + scalar.offset / 8;
		scalar.offset -= 8 * (member->word - value->word);
		member->size = scalar.offset + scalar.size;
		member->scalars[member->scalar_count++] = scalar;
	}
	return member->scalar_count && !member->scalars[0].offset;
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
		struct value member;

		if (!value && find_member(truth, claimed->name, &member))
			value = &member;
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

bool judge_read_result(const struct machine_state *state, const struct prototype *prototype,
		       unsigned char value[RESULT_BYTES])
{
	struct placement placement;

	memset(value, 0, RESULT_BYTES);
	if (!prototype_place_result(state->machine, prototype, &placement))
		return false;
	for (unsigned int i = 0; i < prototype->result.scalar_count; i++) {
		const struct scalar *scalar = &prototype->result.scalars[i];

		for (unsigned int k = scalar->offset; k < scalar->offset + scalar->size; k++) {
			const struct piece *piece = piece_at(&placement, k);

			if (piece)
				value[k] = byte_at(state, piece, k - piece->offset);
		}
	}
	return true;
}

void judge_result(const struct machine_state *state, const struct prototype *truth,
		  const struct prototype *prototype, const unsigned char value[RESULT_BYTES],
		  struct finding *finding)
{
	struct placement placement;
	char detail[160], text[16];

	/* A changed prototype may promise none. */
	if (!prototype_place_result(state->machine, prototype, &placement))
		return;
	finding->results++;
	for (unsigned int i = 0; i < truth->result.scalar_count; i++) {
		const struct scalar *scalar = &truth->result.scalars[i];
		unsigned int same = same_bytes(state, NULL, &placement, scalar->offset,
					       value + scalar->offset, scalar->size);
		struct place place = { PLACE_NOWHERE };
		const struct piece *piece;

		if (prototype->result.size == truth->result.size && same == scalar->size)
			continue;
		piece = piece_at(&placement, scalar->offset + (same < scalar->size ? same : 0));
		if (piece)
			place = loc_param_of(state, piece, 0);
		snprintf(detail, sizeof(detail), "%s: a result 0x%llx, not 0x%llx",
			 place_name(state->machine, place, text, sizeof(text)),
			 (unsigned long long)word_at(state, place),
			 (unsigned long long)machine_number(state->machine, value + scalar->offset,
							    scalar->size < 8 ? scalar->size : 8));
		add(finding, OUTCOME_RESULT, "-", detail);
		finding->bad_calls++;
		return;
	}
}
