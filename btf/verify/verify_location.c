/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The experimental records of docs/format.md: LOC_PARAM, LOC_PROTO and LOCSEC in .BTF, LOC and the
 * DATASEC of functions in .BTF.extra. First each by itself, then what they refer to.
 *
 * Nothing else refers to them, and they refer to each other only downwards (LOCSEC, LOC_PROTO,
 * LOC_PARAM), so there is nothing to walk: each reference is looked at once.
 */
#include <string.h>

#include "btf/location_text.h"
#include "btf/verify/verify_state.h"

/* ---- each by itself ---- */

/* The sites of a LOCSEC ascend by function, offset, LOC_PROTO. */
static bool check_locsec(struct verifier *v, uint32_t id, const uint32_t *record)
{
	bool ok = true;

	for (uint32_t i = 1; i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
		const uint32_t *a = btf_element(record, i - 1), *b = btf_element(record, i);

		if (a[0] != b[0] ? a[0] > b[0] : a[2] != b[2] ? a[2] > b[2] : a[1] >= b[1])
			ok = verify_report(v, BTF_RULE_LOCSEC_ORDER, id, i, b[2]);
	}
	return ok;
}

/* Is it a probe argument, or several with blanks between? */
static bool is_probe_argument(const char *c)
{
	struct btf_probe_value value;

	do {
		if (!btf_probe_value_scan(&c, &value))
			return false;
	} while (*c);
	return c[-1] != ' ';
}

static bool check_loc(struct verifier *v, uint32_t id, const uint32_t *record)
{
	bool ok = true;

	for (uint32_t i = 0; i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
		uint32_t argument = record[BTF_HEAD_WORDS + i];

		if (!argument)
			continue;
		/* A string longer than a name may be is not printable here: each costs little. */
		if (!verify_name(v, id, i, argument, NAME_CLASS_PRINTABLE))
			ok = false;
		else if (!is_probe_argument(btf_reader_string(v->btf, argument)))
			ok = verify_report(v, BTF_RULE_LOC_PLACE, id, i, argument);
	}
	return ok;
}

static bool check_sites(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t section_bytes = record[BTF_WORD_SIZE];
	uint32_t last = 0;
	bool ok = true;

	if (section_bytes == 0)
		return verify_fail(v, BTF_RULE_DATASEC_SIZE, id, 0);
	for (uint32_t i = 0; i < btf_info_vlen(record[BTF_WORD_INFO]); i++) {
		uint32_t offset = btf_element(record, i)[1];

		if (offset >= section_bytes)
			ok = verify_report(v, BTF_RULE_SITE_OFFSET, id, i, offset);
		else if (offset < last)
			ok = verify_report(v, BTF_RULE_SITE_ORDER, id, i, offset);
		last = offset;
	}
	return ok;
}

bool verify_location(struct verifier *v, uint32_t id, const uint32_t *record)
{
	enum btf_kind kind = btf_info_kind(record[BTF_WORD_INFO]);
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]);
	uint32_t size = record[BTF_WORD_SIZE], flags;

	switch (kind) {
	case BTF_LOC_PARAM:
		flags = record[BTF_HEAD_WORDS];
		if (size == 0 || size > BTF_LOC_MAX_SIZE)
			return verify_fail(v, BTF_RULE_LOC_SIZE, id, size);
		if (!btf_location_flags_fit(flags))
			return verify_fail(v, BTF_RULE_LOC_FLAGS, id, flags);
		return btf_location_values_fit(flags, size, count) ||
		       verify_fail(v, BTF_RULE_LOC_VALUES, id, count);
	case BTF_LOC_PROTO:
	case BTF_LOCSEC:
		if (size)
			return verify_fail(v, BTF_RULE_SIZE_NONZERO, id, size);
		return kind == BTF_LOC_PROTO || check_locsec(v, id, record);
	case BTF_LOC:
		return check_loc(v, id, record);
	default:
		return check_sites(v, id, record);
	}
}

/* ---- what they refer to ---- */

static bool is_of_kind(const struct verifier *v, uint32_t id, uint32_t kinds)
{
	return id < v->end_id && type_bit(v, id) & kinds;
}

/* Locations, words of which 0 is none, against the FUNC_PROTO's parameters. */
static void check_parameters(struct verifier *v, uint32_t id, uint32_t element,
			     const uint32_t *location, const uint32_t *proto)
{
	const uint32_t *words = location + BTF_HEAD_WORDS;
	uint32_t count = btf_info_vlen(location[BTF_WORD_INFO]);

	if (count != btf_info_vlen(proto[BTF_WORD_INFO]))
		verify_report(v, BTF_RULE_LOC_COUNT, id, element, count);
	else if (count && words[count - 1] && !proto[BTF_HEAD_WORDS + 2 * (count - 1) + 1])
		verify_report(v, BTF_RULE_LOC_VARARG, id,
			      element == BTF_NO_ELEMENT ? count - 1 : element, words[count - 1]);
}

static void check_locsec_site(struct verifier *v, uint32_t id, uint32_t i, const uint32_t *site)
{
	uint32_t proto;

	if (!is_of_kind(v, site[0], kind_bit(BTF_FUNC))) {
		verify_report(v, BTF_RULE_LOCSEC_FUNC, id, i, site[0]);
		return;
	}
	if (!is_of_kind(v, site[1], kind_bit(BTF_LOC_PROTO))) {
		verify_report(v, BTF_RULE_LOCSEC_PROTO, id, i, site[1]);
		return;
	}
	/* A FUNC without one has been reported, or is of a base, which is taken as good. */
	proto = type_words(v, site[0])[BTF_WORD_TYPE];
	if (is_of_kind(v, proto, kind_bit(BTF_FUNC_PROTO)))
		check_parameters(v, id, i, type_words(v, site[1]), type_words(v, proto));
}

/* A DATASEC that goes on where the one before it, of the same section, was full. */
static void check_continuation(struct verifier *v, uint32_t id, const uint32_t *record)
{
	const uint32_t *before = id > v->first_id ? type_words(v, id - 1) : NULL;
	const char *names[2];
	uint32_t count;

	if (!before || !btf_info_vlen(record[BTF_WORD_INFO]) ||
	    btf_kind_of(before[BTF_WORD_INFO]) != &btf_kinds[BTF_FUNC_DATASEC] ||
	    type_visit(v, id - 1) == VISIT_BAD)
		return;
	count = btf_info_vlen(before[BTF_WORD_INFO]);
	if (!count || btf_element(before, count - 1)[1] <= btf_element(record, 0)[1])
		return;
	names[0] = btf_reader_string(v->btf, before[BTF_WORD_NAME]);
	names[1] = btf_reader_string(v->btf, record[BTF_WORD_NAME]);
	if (before[BTF_WORD_NAME] == record[BTF_WORD_NAME] ||
	    (names[0] && names[1] && strncmp(names[0], names[1], BTF_NAME_BYTES_MAX) == 0))
		verify_report(v, BTF_RULE_SITE_ORDER, id, 0, btf_element(record, 0)[1]);
}

static void check_references(struct verifier *v, uint32_t id, const uint32_t *record)
{
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]), type = record[BTF_WORD_TYPE];
	const uint32_t *site, *params = record + BTF_HEAD_WORDS;

	switch (type_kind(v, id)) {
	case BTF_LOC_PROTO:
		for (uint32_t i = 0; i < count; i++) {
			if (params[i] && !is_of_kind(v, params[i], kind_bit(BTF_LOC_PARAM)))
				verify_report(v, BTF_RULE_LOC_PARAM, id, i, params[i]);
		}
		break;
	case BTF_LOCSEC:
		for (uint32_t i = 0; i < count; i++)
			check_locsec_site(v, id, i, btf_element(record, i));
		break;
	case BTF_LOC:
		if (is_of_kind(v, type, kind_bit(BTF_FUNC_PROTO)))
			check_parameters(v, id, BTF_NO_ELEMENT, record, type_words(v, type));
		else
			verify_fail(v, BTF_RULE_LOC_PROTO, id, type);
		break;
	case BTF_DATASEC:
		if (!btf_info_kind_flag(record[BTF_WORD_INFO]))
			break;
		for (uint32_t i = 0; i < count; i++) {
			site = btf_element(record, i);
			if (!is_of_kind(v, site[0], kind_bit(BTF_FUNC)))
				verify_report(v, BTF_RULE_SITE_FUNC, id, i, site[0]);
			else if (site[2] && !is_of_kind(v, site[2], kind_bit(BTF_FUNC_PROTO) |
									    kind_bit(BTF_LOC)))
				verify_report(v, BTF_RULE_SITE_LOCATION, id, i, site[2]);
		}
		check_continuation(v, id, record);
		break;
	default:
		break;
	}
}

void verify_location_references(struct verifier *v)
{
	bool warned = false;

	for (uint32_t id = v->first_id; id < v->end_id; id++) {
		uint32_t bit = type_bit(v, id);

		if (!(bit & v->known_kinds & (BTF_LOCATIONS | kind_bit(BTF_DATASEC))))
			continue;
		if (!warned && v->options->dialect == BTF_DIALECT_INLINE && bit & BTF_LOCATIONS) {
			verify_report(v, BTF_RULE_LOC_KINDS, id, BTF_NO_ELEMENT, type_kind(v, id));
			warned = true;
		}
		if (type_visit(v, id) != VISIT_BAD)
			check_references(v, id, type_words(v, id));
	}
}
