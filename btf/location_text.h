/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A LOC_PARAM record: is it well-formed, its text and constant; and probe arguments of tracefs
 * (Documentation/trace/kprobetrace.rst), which the strings of a LOC are.
 */
#ifndef BTFENC_BTF_LOCATION_TEXT_H
#define BTFENC_BTF_LOCATION_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "btf/format.h"

/* The register's name without '%'; NULL: it has none. */
typedef const char *(*btf_register_name)(const void *context, uint32_t dwarf_number);

/*
 * As snprintf(): the text of a LOC_PARAM, whatever its words are. Registers have the names that
 * `name` gives them (NULL: none is known), else their numbers.
 *
 *	%di		in a register		%di %si		in two, the low bytes first
 *	%bx + 16	that sum		-16(%bx)	in memory there
 *	frame+16	the same with the	+16(frame)	frame base
 *	5, -1		a constant		base+0x1234	one that is an address in the image
 *	%reg17		no name is known	?		malformed
 */
int btf_location_text(const uint32_t *loc_param, btf_register_name name, const void *context,
		      char *buffer, size_t bytes);

/* Do the flags go together? They say what the values are. */
bool btf_location_flags_fit(uint32_t flags);

/* Has a parameter of `size` bytes that many values with these flags, which fit? */
bool btf_location_values_fit(uint32_t flags, uint32_t size, uint32_t values);

/* The constant, of `size` bytes, of a LOC_PARAM that has one; a signed one with its sign. */
uint64_t btf_location_constant(const uint32_t *loc_param);

/*
 * Can tracefs fetch it, by registers that have a name? It cannot add, nor count from a frame base,
 * nor knows it where the image is. As a fetch argument a constant has a backslash before its text.
 */
bool btf_location_is_fetched(const uint32_t *loc_param, btf_register_name name,
			     const void *context);

enum btf_probe_kind {
	BTF_PROBE_REGISTER,		/* %di */
	BTF_PROBE_MEMORY,		/* +8(%sp) */
	BTF_PROBE_SUM,			/* %bx + 16, which tracefs cannot fetch */
	BTF_PROBE_CONSTANT,		/* \10 */
};

#define BTF_PROBE_REGISTER_BYTES 8

/* Where a word of a parameter is, or what it is. */
struct btf_probe_value {
	uint64_t number;		/* that is added, or the constant: */
	bool is_negative;		/* minus that */
	uint8_t kind;			/* enum btf_probe_kind */
	char reg[BTF_PROBE_REGISTER_BYTES];	/* as tracefs calls it, without the % */
};

/* Takes one, but no sum, and the blank after it. False: it is none. */
bool btf_probe_value_scan(const char **cursor, struct btf_probe_value *value);

#endif
