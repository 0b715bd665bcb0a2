/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The memo of instructions (dwarf/code/instruction_memo.c) against a decoder that remembers
 * nothing: leading bytes at random, each followed by several displacements and immediates, cut off
 * anywhere.
 */
#include <elf.h>
#include <string.h>

#include "dwarf/code/instruction_decoder.h"
#include "tests/cmocka_all.h"

#define BYTES 16

struct decoders {
	struct instruction_decoder *remembering;
	struct instruction_decoder *forgetful;
};

static int open_decoders(void **state)
{
	static struct decoders decoders;

	decoders.remembering = instruction_decoder_new(EM_X86_64);
	decoders.forgetful = instruction_decoder_new(EM_X86_64);
	if (decoders.forgetful)
		instruction_decoder_forget(decoders.forgetful);
	*state = &decoders;
	return 0;
}

static int close_decoders(void **state)
{
	struct decoders *decoders = *state;

	instruction_decoder_free(decoders->remembering);
	instruction_decoder_free(decoders->forgetful);
	return 0;
}

static void fail_at(const uint8_t *bytes, size_t size, const char *what)
{
	for (size_t i = 0; i < size && i < BYTES; i++)
		print_error("%02x ", bytes[i]);
	fail_msg("%s", what);
}

static void compare_accesses(const struct decoders *decoders, const uint8_t *bytes, size_t size,
			     const struct instruction *insn)
{
	struct instruction_access found, wanted;

	instruction_decode_access(decoders->remembering, bytes, size, insn, &found);
	instruction_decode_access(decoders->forgetful, bytes, size, insn, &wanted);
	if (found.displacement != wanted.displacement || found.size != wanted.size ||
	    found.access != wanted.access || found.base != wanted.base ||
	    found.index != wanted.index || found.is_move != wanted.is_move ||
	    found.target != wanted.target || found.source != wanted.source ||
	    found.constant != wanted.constant || found.writes != wanted.writes)
		fail_at(bytes, size, "is remembered as another access to memory");
}

/* Returns the length. */
static size_t compare(const struct decoders *decoders, const uint8_t *bytes, size_t size,
		      uint64_t address)
{
	struct instruction found, wanted;

	memset(&found, 0, sizeof(found));
	memset(&wanted, 0, sizeof(wanted));
	instruction_decode(decoders->remembering, bytes, size, address, &found);
	instruction_decode(decoders->forgetful, bytes, size, address, &wanted);
	if (found.kind != wanted.kind || found.length != wanted.length ||
	    found.target != wanted.target || found.reads != wanted.reads ||
	    found.writes != wanted.writes || found.maybe_reads != wanted.maybe_reads ||
	    found.saves != wanted.saves || found.restores != wanted.restores ||
	    found.loads_pointer != wanted.loads_pointer || found.flags != wanted.flags) {
		for (size_t i = 0; i < size && i < BYTES; i++)
			print_error("%02x ", bytes[i]);
		fail_msg("is remembered as kind %u, length %u, but is kind %u, length %u",
			 found.kind, found.length, wanted.kind, wanted.length);
	}
	compare_accesses(decoders, bytes, size, &wanted);
	return wanted.length;
}

static uint32_t random_word(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Every other one begins with what compilers use most: REX.W, 0f, a prefix. */
static void random_bytes(uint8_t *bytes, size_t from, uint32_t *seed)
{
	static const uint8_t begins[] = { 0x48, 0x0f, 0x66, 0xf2, 0xf3, 0x65, 0x67, 0x4c };

	for (size_t i = from; i < BYTES; i++)
		bytes[i] = (uint8_t)random_word(seed);
	if (!from && random_word(seed) & 1)
		bytes[0] = begins[random_word(seed) % sizeof(begins)];
	if (!from && (random_word(seed) & 7) == 0)
		bytes[1] = 0x0f;
}

TEST_WITH(test_random, open_decoders, close_decoders)
{
	const struct decoders *decoders = *state;
	uint32_t seed = 1;

	if (!decoders->forgetful)
		skip();
	for (uint32_t i = 0; i < 60000; i++) {
		uint8_t bytes[BYTES];

		random_bytes(bytes, 0, &seed);
		for (size_t kept = BYTES; kept > 0; kept -= 2) {
			random_bytes(bytes, kept, &seed);
			compare(decoders, bytes, 1 + random_word(&seed) % BYTES, i);
			compare(decoders, bytes, BYTES, UINT64_C(0xffffffff81000000) + i);
		}
	}
}

/* The constants that and, or make; zeros and ones after any opcode. */
TEST_WITH(test_all_opcodes, open_decoders, close_decoders)
{
	const struct decoders *decoders = *state;
	uint8_t bytes[BYTES];

	if (!decoders->forgetful)
		skip();
	for (uint32_t i = 0; i < 4 * 0x10000; i++) {
		size_t at = 0;

		if (i >> 16 & 1)
			bytes[at++] = 0x48;
		if (i >> 17 & 1)
			bytes[at++] = 0x0f;
		bytes[at++] = (uint8_t)(i >> 8);
		bytes[at++] = (uint8_t)i;
		for (int fill = 0; fill < 4; fill++) {
			static const uint8_t fills[] = { 0x01, 0x00, 0xff, 0x80 };

			memset(bytes + at, fills[fill], BYTES - at);
			compare(decoders, bytes, BYTES, 0x400000);
		}
	}
}
