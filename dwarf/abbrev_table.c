/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Tables of abbreviations: from codes to programs. A declaration that an earlier table had is
 * recognized by its bytes and not compiled again.
 */
#include "dwarf/abbrev_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/search.h"
#include "dwarf/byte_cursor.h"

/* Codes up to here are an index; a table of a kernel has some hundred. */
#define DENSE_CODE_LIMIT (1u << 12)

/* Compiles what is at p, and after it, NULL when it makes no sense. */
static const uint8_t *compile_declaration(struct abbrev_table *table, const uint8_t *p,
					  const uint8_t *end, const char **problem,
					  uint64_t *value)
{
	struct declaration declaration = { .bytes = (uint32_t)table->declared_bytes.count };
	struct compiled_abbrev compiled = { 0 };
	struct abbrev *abbrev = &compiled.abbrev;
	const uint8_t *begin = p;
	uint64_t tag;

	abbrev->first_step = (uint32_t)table->steps.count;
	*problem = "ends in the middle of an abbreviation";
	*value = 0;
	p = leb128_unsigned(p, end, &tag);
	if (!p || p == end)
		return NULL;
	*problem = "has an abbreviation with an impossible tag";
	*value = tag;
	if (tag == 0 || tag > UINT16_MAX)
		return NULL;
	abbrev->tag = (uint16_t)tag;
	abbrev->has_children = *p++ != 0;
	p = abbrev_compile(table, &declaration, &compiled, p, end, problem, value);
	if (!p)
		return NULL;
	declaration.length = (uint32_t)(p - begin);
	array_reserve(&table->declared_bytes, declaration.length);
	memcpy(table->declared_bytes.data + declaration.bytes, begin, declaration.length);
	table->declared_bytes.count += declaration.length;
	array_push(&table->declarations, declaration);
	array_push(&table->compiled, compiled);
	return p;
}

/* 0x80 in each byte of a word that is 0. */
static uint64_t zero_bytes(uint64_t word)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fu;

	return ~(((word & low) + low) | word | low);
}

/*
 * The hash of what is at p up to the first two zero bytes: they may belong to a constant, but
 * they are not after the end of the declaration, which two zeros are. NULL near the section's end.
 */
static uint32_t *declaration_head(const struct abbrev_table *table, const uint8_t *p,
				  const uint8_t *end)
{
	uint64_t hash = 0;

	while (end - p >= 8) {
		uint64_t word, zeros;

		memcpy(&word, p, sizeof(word));
		zeros = zero_bytes(word);
		zeros &= HOST_IS_BIG_ENDIAN ? zeros << 8 : zeros >> 8;
		if (zeros) {
			/* Up to and with the first zero, in the order of memory. */
			if (HOST_IS_BIG_ENDIAN)
				word &= ~((UINT64_C(1) << 63 >> __builtin_clzll(zeros)) - 1);
			else
				word &= zeros ^ (zeros - 1);
			return &table->heads[hash_finish(hash_mix(hash, word)) &
					     (DECLARATION_HEADS - 1)];
		}
		hash = hash_mix(hash, word);
		p += 7;		/* the zeros may be the last byte and the next */
	}
	return NULL;
}

/* A chain is one or two long unless it was made long on purpose; a miss is only slow. */
#define MAX_LINKS 32

/*
 * The declaration at p, 0 when it has not been met. A declaration tells where it ends, so one whose
 * bytes are here is the one that is here.
 */
static uint32_t find_declaration(const struct abbrev_table *table, const uint32_t *head,
				 const uint8_t *p, const uint8_t *end)
{
	uint32_t index = head ? *head : 0;

	for (int links = 0; index; index = table->declarations.data[index].next) {
		const struct declaration *known = &table->declarations.data[index];

		if (known->length <= (uint64_t)(end - p) &&
		    memcmp(table->declared_bytes.data + known->bytes, p, known->length) == 0)
			break;
		if (++links == MAX_LINKS)
			return 0;
	}
	return index;
}

/* The first of equal codes counts. */
static void store_code(struct abbrev_table *table, uint64_t code, uint32_t index)
{
	if (code >= DENSE_CODE_LIMIT) {
		array_push(&table->sparse, ((struct sort_item){ code, index }));
		return;
	}
	while (table->abbrevs.count <= code) {
		array_push(&table->abbrevs, (struct abbrev){ 0 });
		array_push(&table->fixed_dies, (struct fixed_die){ .action = FIXED_NOT });
	}
	if (table->abbrevs.data[code].tag)
		return;
	table->abbrevs.data[code] = table->compiled.data[index].abbrev;
	table->fixed_dies.data[code] = table->compiled.data[index].fixed;
}

/* Moves *at to the end, or to what cannot be used. */
static bool compile_table(struct abbrev_table *table, const uint8_t **at, const uint8_t *end,
			  const char **problem, uint64_t *value)
{
	for (;;) {
		const uint8_t *p;
		uint32_t *head, index;
		uint64_t code;

		*problem = "ends in the middle of an abbreviation";
		*value = 0;
		p = leb128_unsigned(*at, end, &code);
		if (!p || code == 0)
			return p != NULL;
		head = declaration_head(table, p, end);
		index = find_declaration(table, head, p, end);
		if (index) {
			p += table->declarations.data[index].length;
		} else {
			p = compile_declaration(table, p, end, problem, value);
			if (!p)
				return false;
			index = (uint32_t)table->declarations.count - 1;
			if (head && table->declared_bytes.count <= UINT32_MAX) {
				table->declarations.data[index].next = *head;
				*head = index;
			}
		}
		table->crosses_units |= table->declarations.data[index].crosses_units;
		store_code(table, code, index);
		*at = p;
	}
}

bool abbrev_table_compile(struct abbrev_table *table, const struct object *object,
			const struct unit *unit, struct error *err)
{
	const struct section *abbrev = &object->sections[SECTION_ABBREV];
	bool same_sizes = table->rules && table->version == unit->version &&
			  table->address_bytes == unit->address_bytes &&
			  table->offset_bytes == unit->offset_bytes;
	const uint8_t *begin, *at;
	const char *problem;
	uint64_t value;

	if (table->valid && same_sizes && table->abbrev_offset == unit->abbrev_offset)
		return true;
	/* Forget the declarations: what a form means depends on the sizes in a unit's header. */
	if (!same_sizes) {
		if (!table->heads)
			table->heads = memory_alloc(DECLARATION_HEADS * sizeof(*table->heads));
		memset(table->heads, 0, DECLARATION_HEADS * sizeof(*table->heads));
		table->declarations.count = table->steps.count = table->loads.count = 0;
		table->compiled.count = table->declared_bytes.count = 0;
		array_push(&table->declarations, (struct declaration){ 0 });
		array_push(&table->compiled, (struct compiled_abbrev){ 0 });
		abbrev_make_rules(table, unit);
		table->version = unit->version;
		table->address_bytes = unit->address_bytes;
		table->offset_bytes = unit->offset_bytes;
	}
	/* No codes but 0, which ends a list; all of one byte can be looked up without a check. */
	table->sparse.count = 0;
	array_zero(&table->abbrevs, 128);
	array_zero(&table->fixed_dies, 128);
	table->fixed_dies.data[0].action = FIXED_NULL;
	table->crosses_units = false;
	table->abbrev_offset = unit->abbrev_offset;
	table->has_supplement = unit->piece && unit->piece->supplement;
	table->valid = false;
	begin = abbrev->data + unit->abbrev_offset;
	at = begin;
	if (!object_share(object, SECTION_ABBREV, 0))
		return object_check_shared(object, err);
	table->valid = compile_table(table, &at, abbrev->data + abbrev->size, &problem, &value);
	object_share(object, SECTION_ABBREV, (uint64_t)(at - begin));
	if (!table->valid) {
		char where[600];

		snprintf(where, sizeof(where), "%.500s: unit 0x%" PRIx64, object->path,
			 unit->offset);
		return error_at(err, where, "its abbreviation table at 0x%" PRIx64 " in "
				".debug_abbrev %s (0x%" PRIx64 "); the file is damaged, or newer "
				"than this program", unit->abbrev_offset, problem, value);
	}
	sort_by_key(table->sparse.data, table->sparse.count);
	return true;
}

void abbrev_table_release(struct abbrev_table *table)
{
	array_release(&table->fixed_dies);
	array_release(&table->abbrevs);
	array_release(&table->declarations);
	array_release(&table->compiled);
	array_release(&table->declared_bytes);
	array_release(&table->steps);
	array_release(&table->loads);
	array_release(&table->sparse);
	free(table->heads);
	free(table->rules);
	table->heads = NULL;
	table->rules = NULL;
	table->valid = false;
}

const struct abbrev *abbrev_table_sparse_lookup(const struct abbrev_table *table, uint64_t code)
{
	const struct sort_item *found = sorted_find(&table->sparse, key, code);

	return found ? &table->compiled.data[found->value].abbrev : NULL;
}

uint16_t abbrev_form(const struct abbrev_table *table, const struct abbrev *abbrev,
		     enum die_slot slot)
{
	struct abbrev_step lead = { .load_count = abbrev->lead_load_count,
				    .first = abbrev->lead_first_load };
	const struct abbrev_step *step = &lead;

	if (!(abbrev->present >> slot & 1))
		return 0;
	for (uint32_t i = 0; i <= abbrev->step_count; i++) {
		if (step->code != STEP_FIXED && step->slot == slot)
			return step->form;
		for (uint32_t j = 0; j < step->load_count; j++) {
			if (table->loads.data[step->first + j].slot == slot)
				return table->loads.data[step->first + j].form;
		}
		step = &table->steps.data[abbrev->first_step + i];
	}
	return 0;
}
