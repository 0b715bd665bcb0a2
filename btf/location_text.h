/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A LOC_PARAM record: is it well-formed, and its text.
 */
#ifndef BTFENC_BTF_LOCATION_TEXT_H
#define BTFENC_BTF_LOCATION_TEXT_H

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

/*
 * Can tracefs fetch it, by registers that have a name? It cannot add, nor count from a frame base,
 * nor knows it where the image is (Documentation/trace/kprobetrace.rst). As a fetch argument a
 * constant has a backslash before its text.
 */
bool btf_location_is_fetched(const uint32_t *loc_param, btf_register_name name,
			     const void *context);

#endif
