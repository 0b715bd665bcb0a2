/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Writes, for each function of a linked program, what registers and stack have to hold when it is
 * called, and what is to be found where afterwards, if this project is right about the convention.
 * The result is C for runner.c.
 *
 *	tables PROGRAM >tables.c
 */
#include "tests/abi/prototypes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/abi/machine.h"

#define MAX_VALUE 4096

struct image {
	char integers[INTEGERS][40];		/* as C; a number, or an address */
	uint8_t floats[FLOATS][16];
	uint8_t stack[BUFFER_BYTES];
	char stack_addresses[BUFFER_BYTES / 4][40];
	size_t stack_bytes;
	uint32_t checks[4096];
	size_t check_count;
};

static struct program program;
static struct image image;
static struct prototype proto;
static size_t copies, refused, skipped;

static bool is(const char *name)
{
	return strcmp(program.abi->name, name) == 0;
}

/* ---- values ---- */

/* Some bytes for all of a value; where a number is floating point, one that survives a load. */
static void fill(const struct abi_type *type, uint32_t seed, uint8_t *bytes)
{
	for (uint64_t i = 0; i < type->size_bytes; i++)
		bytes[i] = (uint8_t)((seed * 2654435761u + (uint32_t)i * 40503u) >> 7 ^ i);
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];
		uint8_t *at = bytes + leaf->offset_bytes;
		uint32_t top = leaf->size_bytes - 1u;

		if (leaf->class != ABI_FLOAT)
			continue;
		if (leaf->size_bytes > 8 && is("x86-64")) {
			at[9] = 0x40;
			at[8] = 1;
			at[7] |= 0x80;
		} else {
			at[program.abi->big_endian ? 0 : top] = 0x40;
		}
	}
}

/* Does a byte belong to one leaf alone? Bitfields share theirs with padding. */
static bool is_visible(const struct abi_type *type, uint64_t byte)
{
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];
		uint32_t bytes = leaf->size_bytes;

		if (leaf->class == ABI_FLOAT && bytes > 10 && is("x86-64"))
			bytes = 10;
		if (byte >= leaf->offset_bytes && byte < leaf->offset_bytes + bytes)
			return !leaf->is_bitfield && !(type->is_union && byte > 3);
	}
	return false;
}

static void add_check(uint32_t where, uint32_t item, uint8_t value)
{
	if (image.check_count < sizeof(image.checks) / sizeof(*image.checks))
		image.checks[image.check_count++] = where << 16 | item << 8 | value;
}

/* ---- registers ---- */

struct slot {
	bool is_float, is_x87;
	uint32_t index;
	uint32_t bytes;		/* of the value that it holds */
};

static uint32_t float_base(void)
{
	return is("x86-64") ? 17 : is("arm64") ? 64 : is("s390x") ? 16 : is("ppc64le") ? 33 : 255;
}

/* The register as an index into struct call's arrays. For results the first integer one is 0. */
static struct slot slot_of(const struct abi_type *type, uint32_t reg, bool is_result)
{
	struct slot slot = { .bytes = program.abi->word_bytes };

	if (is("x86-64") && reg >= 33)
		return (struct slot){ true, true, reg - 33, 16 };
	if (reg >= float_base()) {
		slot.is_float = true;
		slot.index = reg - float_base();
		if (!is("x86-64") || type->leaves->class == ABI_VECTOR)
			slot.bytes = type->leaves->size_bytes;
		return slot;
	}
	if (is_result) {
		if (is("x86-64"))
			slot.index = reg;	/* rax 0, rdx 1 */
		else if (is("i386"))
			slot.index = reg / 2;	/* eax 0, edx 2 */
		else
			slot.index = reg - program.abi->argument_registers[0];
		return slot;
	}
	for (slot.index = 0; slot.index < program.abi->argument_register_count; slot.index++) {
		if (program.abi->argument_registers[slot.index] == reg)
			return slot;
	}
	slot.index = 8;
	return slot;
}

/* powerpc holds each float as a double. */
static void widen(uint8_t *bytes)
{
	float narrow;
	double wide;

	memcpy(&narrow, bytes, 4);
	wide = narrow;
	memcpy(bytes, &wide, 8);
}

static void set_register(const struct abi_type *type, uint32_t reg, const uint8_t *value,
			 uint64_t size)
{
	struct slot slot = slot_of(type, reg, false);
	bool extend = !type->is_record && type->is_signed &&
		      value[program.abi->big_endian ? 0 : size - 1] & 0x80;
	uint64_t number = 0;

	if (slot.is_float) {
		memcpy(image.floats[slot.index], value, size);
		if (is("ppc64le") && slot.bytes == 4)
			widen(image.floats[slot.index]);
		return;
	}
	if (extend && size < 8)
		number = ~0ull;
	for (uint64_t i = 0; i < size; i++)
		number = number << 8 | value[program.abi->big_endian ? i : size - 1 - i];
	if (program.abi->word_bytes == 4)
		number &= UINT32_MAX;
	snprintf(image.integers[slot.index], sizeof(image.integers[0]), "0x%llx",
		 (unsigned long long)number);
}

static void set_address(const struct abi_type *type, uint32_t reg, const char *address)
{
	snprintf(image.integers[slot_of(type, reg, false).index], sizeof(image.integers[0]), "%s",
		 address);
}

static void set_stack(int32_t offset, const uint8_t *bytes, uint64_t size)
{
	uint64_t at = (uint64_t)offset;

	/* x86 calls push the return address. */
	if (is("x86-64") || is("i386"))
		at -= program.abi->word_bytes;
	if (bytes)
		memcpy(image.stack + at, bytes, size);
	if (at + size > image.stack_bytes)
		image.stack_bytes = at + size;
}

static void set_stack_address(int32_t offset, const char *address)
{
	uint64_t at = (uint64_t)offset;

	set_stack(offset, NULL, program.abi->word_bytes);
	if (is("x86-64") || is("i386"))
		at -= program.abi->word_bytes;
	snprintf(image.stack_addresses[at / program.abi->word_bytes],
		 sizeof(image.stack_addresses[0]), "%s", address);
}

/* ---- arguments ---- */

static void print_bytes(const char *name, size_t number, const uint8_t *bytes, uint64_t size)
{
	printf("static const unsigned char %s%zu[] __attribute__((aligned(32))) = {", name, number);
	for (uint64_t i = 0; i < size; i++)
		printf("%u,", bytes[i]);
	printf("0};\n");
}

static void set_parameter(uint32_t number)
{
	const struct abi_type *type = &proto.parameters[number];
	const struct abi_location *place = &proto.places[number];
	uint8_t bytes[MAX_VALUE] = { 0 };
	uint64_t done = 0;
	char address[40];

	fill(type, number + 1, bytes);
	for (uint64_t i = 0; i < type->size_bytes && i < SLOT_BYTES; i++) {
		if (is_visible(type, i))
			add_check(IN_SEEN + number * SLOT_BYTES + (uint32_t)i, number, bytes[i]);
	}
	if (place->kind == ABI_REFERENCE || place->kind == ABI_REFERENCE_STACK) {
		print_bytes("copy", copies, bytes, type->size_bytes);
		snprintf(address, sizeof(address), "(word)copy%zu", copies++);
		if (place->kind == ABI_REFERENCE)
			set_address(type, place->registers[0], address);
		else
			set_stack_address(place->stack_offset, address);
		return;
	}
	for (uint32_t i = 0; i < place->register_count; i++) {
		uint64_t chunk = slot_of(type, place->registers[i], false).bytes;

		if (chunk > type->size_bytes - done)
			chunk = type->size_bytes - done;
		set_register(type, place->registers[i], bytes + done, chunk);
		done += chunk;
	}
	if (place->kind == ABI_STACK || place->kind == ABI_SPLIT)
		set_stack(place->stack_offset, bytes + done, type->size_bytes - done);
}

/* ---- results ---- */

/* Byte `byte` of what register number `i` of the result holds. */
static void check_result_byte(const struct slot *slot, uint64_t size, uint32_t byte, uint8_t value)
{
	uint32_t word = program.abi->word_bytes;
	uint32_t where = IN_OUT;

	if (slot->is_float)
		where += 4 * word + slot->index * 16 + byte;
	else
		where += slot->index * word +
			 (program.abi->big_endian ? word - (uint32_t)size : 0) + byte;
	add_check(where, RESULT_ITEM, value);
}

static void set_result(uint8_t *bytes)
{
	const struct abi_location *place = &proto.call.result;
	const struct abi_type *type = &proto.result;
	uint64_t done = 0;

	fill(type, 77, bytes);
	if (proto.call.has_result_address) {
		const struct abi_location *address = &proto.call.result_address;

		if (address->kind == ABI_STACK)
			set_stack_address(address->stack_offset, "(word)result_memory");
		else
			set_address(type, address->registers[0], "(word)result_memory");
		for (uint64_t i = 0; i < type->size_bytes && i < SLOT_BYTES; i++) {
			if (is_visible(type, i))
				add_check(IN_RESULT + (uint32_t)i, RESULT_ITEM, bytes[i]);
		}
		return;
	}
	for (uint32_t i = 0; i < place->register_count && done < type->size_bytes; i++) {
		struct slot slot = slot_of(type, place->registers[i], true);
		uint64_t chunk = slot.bytes;
		uint8_t value[16];

		if (chunk > type->size_bytes - done)
			chunk = type->size_bytes - done;
		memcpy(value, bytes + done, chunk);
		if (slot.is_float && is("ppc64le") && slot.bytes == 4) {
			widen(value);
			for (uint32_t k = 0; k < 8; k++)
				check_result_byte(&slot, 8, k, value[k]);
		}
		for (uint32_t k = 0; k < chunk; k++) {
			if (is_visible(type, done + k) && !(is("ppc64le") && slot.is_float))
				check_result_byte(&slot, chunk, k, value[k]);
		}
		done += chunk;
	}
}

static uint32_t x87_results(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < proto.call.result.register_count && is("x86-64"); i++)
		count += proto.call.result.registers[i] >= 33;
	return count;
}

/* ---- writing ---- */

static void print_stack(size_t number)
{
	uint32_t word = program.abi->word_bytes;
	size_t words = (image.stack_bytes + word - 1) / word;

	printf("static const word stack%zu[] = {", number);
	for (size_t i = 0; i < words; i++) {
		uint64_t value = 0;

		for (uint32_t k = 0; k < word; k++)
			value |= (uint64_t)image.stack[i * word + k]
				 << 8 * (program.abi->big_endian ? word - 1 - k : k);
		if (*image.stack_addresses[i])
			printf("%s,", image.stack_addresses[i]);
		else
			printf("0x%llx,", (unsigned long long)value);
	}
	printf("0};\n");
}

/* Returns the row of calls[] as text, which has to come after all the arrays. */
static void write_function(size_t number, FILE *rows)
{
	uint8_t given[MAX_VALUE] = { 0 };
	uint32_t word = program.abi->word_bytes;

	memset(&image, 0, sizeof(image));
	set_result(given);
	for (uint32_t i = 0; i < proto.prototype.parameter_count; i++)
		set_parameter(i);
	print_bytes("given", number, given, proto.result.size_bytes);
	print_stack(number);
	printf("static const unsigned int checks%zu[] = {", number);
	for (size_t i = 0; i < image.check_count; i++)
		printf("0x%xu,", image.checks[i]);
	printf("0};\nextern void %s(void);\n", proto.name);
	fprintf(rows, "{ %s, %zu, stack%zu, %u, {", proto.name,
		(image.stack_bytes + word - 1) / word, number, x87_results());
	for (size_t i = 0; i < INTEGERS; i++)
		fprintf(rows, "%s,", *image.integers[i] ? image.integers[i] : "0");
	fprintf(rows, "}, {");
	for (size_t i = 0; i < FLOATS; i++) {
		fprintf(rows, "{");
		for (size_t k = 0; k < 16; k++)
			fprintf(rows, "%u,", image.floats[i][k]);
		fprintf(rows, "},");
	}
	fprintf(rows, "}, {0}, {{0}}, \"%s\", given%zu, %llu, checks%zu, %zu, %u },\n", proto.name,
		number, (unsigned long long)proto.result.size_bytes, number, image.check_count,
		proto.prototype.parameter_count);
}

static bool is_too_large(void)
{
	bool large = proto.result.size_bytes > MAX_VALUE;

	for (uint32_t i = 0; i < proto.prototype.parameter_count; i++)
		large |= proto.parameters[i].size_bytes > MAX_VALUE;
	return large;
}

int main(int argc, char **argv)
{
	size_t written = 0, text_bytes;
	char *text;
	FILE *rows = open_memstream(&text, &text_bytes);

	if (argc != 2 || !rows) {
		fprintf(stderr, "usage: tables PROGRAM\n");
		return 2;
	}
	program_open(&program, argv[1]);
	printf("#define ABI_RUNNER\n#include \"tests/abi/machine.h\"\n");
	for (size_t i = 0; i < program.model.functions.count; i++) {
		int known = program_prototype(&program, i, &proto);

		refused += known == 0;
		if (known == 1 && is_too_large())
			skipped++;
		else if (known == 1)
			write_function(written++, rows);
	}
	fclose(rows);
	printf("struct call calls[] = {\n%s};\nconst word call_count = %zu;\n", text, written);
	free(text);
	fprintf(stderr, "%s: %zu functions, %zu refused, %zu too large\n", program.abi->name,
		written, refused, skipped);
	program_close(&program);
	return 0;
}
