/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/evidence/instance.h"

#include <string.h>

bool entry_is_described_at(struct evidence *evidence, const struct symbol *symbol,
			   uint64_t described)
{
	return symbol->address == described ||
	       (symbol->address < described &&
		described - symbol->address <= CODE_PADS_MAX &&
		code_pads_end(evidence_pads(evidence), symbol->section, symbol->address,
			      described) == described);
}

enum join_class join_by_suffix(const char *symbol, const char *name)
{
	struct symbol_base base;

	if (strcmp(symbol, name) == 0)
		return JOIN_SAME;
	base = symbol_parse(symbol);
	if (base.suffixes & 1u << SUFFIX_COLD)
		return JOIN_COLD;
	if (base.suffixes & 1u << SUFFIX_PART)
		return JOIN_FRAGMENT;
	return base.class == SUFFIX_CHANGES ? JOIN_CLONE : JOIN_RENAMED;
}

static enum join_class join_of_kin(enum symbol_kin kin, bool strips_llvm)
{
	static const enum join_class classes[] = {
		[KIN_FUNCTION] = JOIN_SAME, [KIN_OBJECT] = JOIN_NONE,
		[KIN_LLVM] = JOIN_RENAMED, [KIN_RENAMED] = JOIN_RENAMED,
		[KIN_CLONE] = JOIN_CLONE, [KIN_FRAGMENT] = JOIN_FRAGMENT,
		[KIN_COLD] = JOIN_COLD, [KIN_SUFFIXED_OBJECT] = JOIN_NONE,
	};

	return kin == KIN_LLVM && strips_llvm ? JOIN_SAME : classes[kin];
}

/* Moves the walk to the first symbol of a kin at an address; NO_SYMBOL: there is none. */
static uint32_t symbol_at(struct symbol_search *search, enum symbol_kin kin, uint64_t address)
{
	uint32_t symbol = symbol_search_from(search, kin, address);

	return symbol != NO_SYMBOL && search->table->symbols.data[symbol].address == address
		       ? symbol : NO_SYMBOL;
}

/* The same for an address before the described one, with nothing but pads in between. */
static uint32_t symbol_before_pads(struct evidence *evidence, struct symbol_search *search,
				   enum symbol_kin kin, uint64_t described)
{
	uint64_t address = described < CODE_PADS_MAX ? 0 : described - CODE_PADS_MAX;
	uint32_t symbol;

	while ((symbol = symbol_search_from(search, kin, address)) != NO_SYMBOL) {
		const struct symbol *found = &search->table->symbols.data[symbol];

		if (found->address >= described)
			return NO_SYMBOL;
		if (entry_is_described_at(evidence, found, described))
			return symbol;
		address = found->address + 1;
	}
	return NO_SYMBOL;
}

/* Of one address; the others are found by name. */
#define FEW_ALIASES 4

/*
 * Symbols at the address itself come first; then those of the name before it with pads in between.
 * Nearly every function of GCC's arm64 kernels is of the second kind, none of an x86-64 kernel.
 *
 * The kinds of symbols are in the order of the classes, and each has its symbols by address. So
 * neither thousands of clones nor thousands of names at one address have to be looked at.
 */
static void join_base_name(struct evidence *evidence, const char *name, uint64_t described,
			   struct entry_join *join)
{
	const struct symbol_table *symbols = evidence->symbols;
	size_t at = symbol_table_at(symbols, described), end = at + FEW_ALIASES;
	struct symbol_search all;

	for (; at < symbols->symbols.count && at < end &&
	       symbols->symbols.data[at].address == described; at++) {
		const struct symbol *symbol = &symbols->symbols.data[at];

		if (symbol->kin == KIN_FUNCTION && strcmp(symbol->name, name) == 0) {
			if (JOIN_SAME > join->class)
				*join = (struct entry_join){ JOIN_SAME, (uint32_t)at, described };
			return;
		}
	}
	all = symbol_table_search_base(symbols, name);
	for (int pads = 0; pads < 2; pads++) {
		struct symbol_search search = all;

		for (int kin = KIN_FUNCTION; kin <= KIN_COLD && search.next < search.end; kin++) {
			enum join_class class =
				join_of_kin((enum symbol_kin)kin, symbols->strips_llvm);
			uint32_t symbol = class == JOIN_NONE ? NO_SYMBOL
				: pads ? symbol_before_pads(evidence, &search,
							    (enum symbol_kin)kin, described)
				       : symbol_at(&search, (enum symbol_kin)kin, described);

			if (symbol == NO_SYMBOL)
				continue;
			if (class > join->class)
				*join = (struct entry_join){ class, symbol, described };
			return;
		}
	}
}

void entry_join_symbol(struct evidence *evidence, const char *name, uint64_t described,
		       struct entry_join *join)
{
	const struct symbol *symbols = evidence->symbols->symbols.data;
	size_t count = evidence->symbols->symbols.count;

	if (!name[symbol_parse(name).base_length]) {
		join_base_name(evidence, name, described, join);
		return;
	}
	/* DWARF names it with its suffixes: no other symbol is meant. */
	for (size_t i = symbol_table_at(evidence->symbols, described);
	     i < count && symbols[i].address == described && join->class < JOIN_SAME; i++) {
		if (symbol_is_function(&symbols[i]) && strcmp(symbols[i].name, name) == 0)
			*join = (struct entry_join){ JOIN_SAME, (uint32_t)i, described };
	}
}
