/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/location_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REGISTER_FLAGS (BTF_LOC_REG | BTF_LOC_DEREF | BTF_LOC_OFFSET)
#define KNOWN_FLAGS    (BTF_LOC_SIGNED | BTF_LOC_CONST | BTF_LOC_ADDR | REGISTER_FLAGS)
#define REGISTER_BYTES 32

bool btf_location_flags_fit(uint32_t flags)
{
	if (flags & ~(uint32_t)KNOWN_FLAGS)
		return false;
	if (flags & BTF_LOC_CONST)
		return !(flags & REGISTER_FLAGS);
	return flags & BTF_LOC_REG && !(flags & BTF_LOC_ADDR);
}

bool btf_location_values_fit(uint32_t flags, uint32_t size, uint32_t values)
{
	if (flags & BTF_LOC_CONST)
		return values == (size > 4 ? 2 : 1);
	if (flags & BTF_LOC_OFFSET)
		return values == 2;
	return values == 1 || (values == 2 && !(flags & BTF_LOC_DEREF));
}

static bool has_name(uint32_t number, btf_register_name name, const void *context)
{
	return number != BTF_LOC_FRAME_BASE && name && name(context, number);
}

bool btf_location_is_fetched(const uint32_t *loc_param, btf_register_name name,
			     const void *context)
{
	const uint32_t *values = loc_param + BTF_HEAD_WORDS + 1;
	uint32_t count = btf_info_vlen(loc_param[BTF_WORD_INFO]);
	uint32_t flags = loc_param[BTF_HEAD_WORDS];

	if (!btf_location_flags_fit(flags) ||
	    !btf_location_values_fit(flags, loc_param[BTF_WORD_SIZE], count))
		return false;
	if (flags & BTF_LOC_CONST)
		return !(flags & BTF_LOC_ADDR);
	if (flags & BTF_LOC_OFFSET)
		return flags & BTF_LOC_DEREF && has_name(values[0], name, context);
	return has_name(values[0], name, context) &&
	       (count == 1 || has_name(values[1], name, context));
}

/* With its %, or the word for a frame base that is not a register. */
static const char *register_text(uint32_t number, btf_register_name name, const void *context,
				 char *buffer)
{
	const char *known = name ? name(context, number) : NULL;

	if (number == BTF_LOC_FRAME_BASE)
		return "frame";
	if (known)
		snprintf(buffer, REGISTER_BYTES, "%%%s", known);
	else
		snprintf(buffer, REGISTER_BYTES, "%%reg%" PRIu32, number);
	return buffer;
}

uint64_t btf_location_constant(const uint32_t *loc_param)
{
	const uint32_t *values = loc_param + BTF_HEAD_WORDS + 1;
	uint32_t flags = loc_param[BTF_HEAD_WORDS], size = loc_param[BTF_WORD_SIZE];
	uint64_t value = size > 4 ? (uint64_t)values[1] << 32 | values[0] : values[0];
	unsigned int unused = size && size < 8 ? 64 - 8 * size : 0;

	return flags & BTF_LOC_SIGNED && !(flags & BTF_LOC_ADDR)
		       ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static int constant_text(const uint32_t *loc_param, uint32_t flags, char *buffer, size_t bytes)
{
	uint64_t value = btf_location_constant(loc_param);

	if (flags & BTF_LOC_ADDR)
		return snprintf(buffer, bytes, "base+0x%" PRIx64, value);
	if (flags & BTF_LOC_SIGNED)
		return snprintf(buffer, bytes, "%" PRId64, (int64_t)value);
	return snprintf(buffer, bytes, "%" PRIu64, value);
}

/* Of register plus number, in memory there or not. */
static int offset_text(const char *reg, bool is_frame, int32_t offset, bool in_memory,
		       char *buffer, size_t bytes)
{
	uint32_t distance = offset < 0 ? -(uint32_t)offset : (uint32_t)offset;
	char sign = offset < 0 ? '-' : '+';

	if (in_memory)
		return snprintf(buffer, bytes, "%c%" PRIu32 "(%s)", sign, distance, reg);
	return snprintf(buffer, bytes, is_frame ? "%s%c%" PRIu32 : "%s %c %" PRIu32, reg, sign,
			distance);
}

int btf_location_text(const uint32_t *loc_param, btf_register_name name, const void *context,
		      char *buffer, size_t bytes)
{
	const uint32_t *values = loc_param + BTF_HEAD_WORDS + 1;
	uint32_t count = btf_info_vlen(loc_param[BTF_WORD_INFO]);
	uint32_t flags = loc_param[BTF_HEAD_WORDS];
	char first[REGISTER_BYTES], second[REGISTER_BYTES];
	const char *reg;

	if (!btf_location_flags_fit(flags) ||
	    !btf_location_values_fit(flags, loc_param[BTF_WORD_SIZE], count))
		return snprintf(buffer, bytes, "?");
	if (flags & BTF_LOC_CONST)
		return constant_text(loc_param, flags, buffer, bytes);
	reg = register_text(values[0], name, context, first);
	if (flags & (BTF_LOC_DEREF | BTF_LOC_OFFSET))
		return offset_text(reg, values[0] == BTF_LOC_FRAME_BASE,
				   flags & BTF_LOC_OFFSET ? (int32_t)values[1] : 0,
				   flags & BTF_LOC_DEREF, buffer, bytes);
	if (count == 1)
		return snprintf(buffer, bytes, "%s", reg);
	return snprintf(buffer, bytes, "%s %s", reg,
			register_text(values[1], name, context, second));
}

/* ---- probe arguments ---- */

/* The end of the number; NULL: there is none. */
static const char *scan_number(const char *at, uint64_t *number)
{
	size_t digits = strspn(at, "0123456789");

	*number = strtoull(at, NULL, 10);
	return digits ? at + digits : NULL;
}

/* The same of a register with its %. */
static const char *scan_register(const char *at, char reg[BTF_PROBE_REGISTER_BYTES])
{
	size_t length = *at == '%' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;

	/* %reg17 is what a register without a name is called here. */
	if (!length || length >= BTF_PROBE_REGISTER_BYTES || strncmp(at + 1, "reg", 3) == 0)
		return NULL;
	memcpy(reg, at + 1, length);
	reg[length] = '\0';
	return at + 1 + length;
}

bool btf_probe_value_scan(const char **cursor, struct btf_probe_value *value)
{
	const char *at = *cursor;

	*value = (struct btf_probe_value){ .kind = BTF_PROBE_REGISTER };
	if (*at == '%') {
		at = scan_register(at, value->reg);
	} else if (*at == '\\') {
		value->kind = BTF_PROBE_CONSTANT;
		value->is_negative = at[1] == '-';
		at = scan_number(at + 1 + value->is_negative, &value->number);
	} else if (*at == '+' || *at == '-') {
		value->kind = BTF_PROBE_MEMORY;
		value->is_negative = *at == '-';
		at = scan_number(at + 1, &value->number);
		at = at && *at == '(' ? scan_register(at + 1, value->reg) : NULL;
		at = at && *at == ')' ? at + 1 : NULL;
	} else {
		return false;
	}
	if (!at || (*at && *at != ' '))
		return false;
	*cursor = at + (*at == ' ');
	return true;
}
