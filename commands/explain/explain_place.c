/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/explain_place.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* tracefs allows this much in the name of an argument (MAX_ARG_NAME_LEN). */
#define MAX_NAME 31

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

void place_print_expected(FILE *out, const struct abi *abi, const struct abi_place *place)
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

/* All but pieces. */
static void print_whole(FILE *out, const struct abi *abi, const struct location *location,
			bool at_entry)
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
		if (at_entry && abi)
			print_value(out, abi, abi->stack_register,
				    location->offset + abi->entry_cfa_offset);
		else
			fprintf(out, "CFA%+" PRId64, location->offset);
		break;
	case LOCATION_CFA:
		if (at_entry && abi)
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
		fputs(at_entry ? "" : " at entry", out);
		break;
	case LOCATION_IMPLICIT_POINTER: fputs("only what it points to", out); break;
	case LOCATION_PARAMETER_REF: fputs("only its caller has it", out); break;
	case LOCATION_PIECES:
	case LOCATION_OTHER: fputs("computed", out); break;
	}
}

void place_print_found(FILE *out, const struct abi *abi, const struct location *location,
		       bool at_entry)
{
	if (location->kind != LOCATION_PIECES)
		print_whole(out, abi, location, at_entry);
	for (uint8_t i = 0; location->kind == LOCATION_PIECES && i < location->piece_count; i++) {
		const struct location_piece *piece = &location->pieces[i];
		struct location part = { .kind = piece->kind, .reg = piece->reg,
					 .value_bytes = piece->value_bytes,
					 .offset = piece->offset, .constant = piece->constant };

		fputs(i ? " | " : "", out);
		if (part.kind == LOCATION_NONE)
			fputs("-", out);
		else
			print_whole(out, abi, &part, at_entry);
	}
}

/* ---- for tracefs ---- */

void place_print_type(FILE *out, struct fetch_type type)
{
	unsigned int bits = type.bits ? type.bits : 64;

	fprintf(out, ":%c%u", type.sign ? type.sign : 'x', bits);
}

static bool is_plain_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

void place_print_name(FILE *out, const struct scanned_parameter *parameter, uint32_t number,
		      uint32_t part)
{
	if (is_plain_name(parameter->name))
		fprintf(out, "%.*s", part ? MAX_NAME - 2 : MAX_NAME, parameter->name);
	else
		fprintf(out, "arg%u", number + 1);
	if (part)
		fprintf(out, "_%u", part);
	fputc('=', out);
}

static struct fetch_type word_type(const struct abi *abi)
{
	return (struct fetch_type){ 'x', (uint8_t)(abi->word_bytes * 8), 1 };
}

static bool fetch_registers(FILE *out, const struct abi *abi, const struct abi_place *place,
			    const struct scanned_parameter *parameter, uint32_t number)
{
	for (uint8_t i = 0; i < place->register_count; i++) {
		if (!abi_register_name(abi, place->registers[i]))
			return false;
	}
	for (uint8_t i = 0; i < place->register_count; i++) {
		bool parts = place->register_count > 1;

		fputs(i ? " " : "", out);
		place_print_name(out, parameter, number, parts ? i + 1u : 0);
		print_register(out, abi, place->registers[i]);
		place_print_type(out, parts || place->kind == ABI_REFERENCE ? word_type(abi)
									    : parameter->type);
	}
	return place->register_count > 0;
}

static bool fetch_memory(FILE *out, const struct abi *abi, unsigned int reg, int64_t offset,
			 const struct scanned_parameter *parameter, uint32_t number)
{
	if (!abi_register_name(abi, reg) || parameter->type.words > 1)
		return false;
	place_print_name(out, parameter, number, 0);
	print_memory(out, abi, reg, offset);
	place_print_type(out, parameter->type);
	return true;
}

bool place_print_fetch_expected(FILE *out, const struct abi *abi, const struct abi_place *place,
				const struct scanned_parameter *parameter, uint32_t number)
{
	if (!parameter->type.sign)
		return false;
	switch ((enum abi_place_kind)place->kind) {
	case ABI_REGISTERS:
	case ABI_REFERENCE: return fetch_registers(out, abi, place, parameter, number);
	case ABI_STACK:
		return fetch_memory(out, abi, abi->stack_register, place->stack_offset, parameter,
				    number);
	default: return false;
	}
}

bool place_print_fetch_found(FILE *out, const struct abi *abi, const struct location *location,
			     bool at_entry, const struct scanned_parameter *parameter,
			     uint32_t number)
{
	const struct abi_place in_register = { .kind = ABI_REGISTERS, .register_count = 1,
					       .registers = { location->reg } };

	if (!abi || !parameter->type.sign)
		return false;
	switch ((enum location_kind)location->kind) {
	case LOCATION_ENTRY_VALUE:
		if (!at_entry)
			return false;
		/* fall through */
	case LOCATION_REGISTER:
	case LOCATION_REGISTER_VALUE:
		return !location->offset && parameter->type.words == 1 &&
		       fetch_registers(out, abi, &in_register, parameter, number);
	case LOCATION_MEMORY:
	case LOCATION_MEMORY_VALUE:
		return fetch_memory(out, abi, location->reg, location->offset, parameter, number);
	case LOCATION_CFA:
		return at_entry && fetch_memory(out, abi, abi->stack_register,
						location->offset + abi->entry_cfa_offset,
						parameter, number);
	case LOCATION_CONSTANT:
		place_print_name(out, parameter, number, 0);
		fprintf(out, "\\%" PRId64, (int64_t)location->constant);
		place_print_type(out, parameter->type);
		return true;
	default: return false;
	}
}
