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

static enum join_class class_of_symbol(const struct symbol *symbol, const char *name,
				       size_t name_length, bool strips_llvm)
{
	enum join_class class;

	if (!symbol_is_function(symbol) || strncmp(symbol->name, name, name_length) != 0)
		return JOIN_NONE;
	if (!symbol->name[name_length])
		return JOIN_SAME;
	if (symbol->base_length != name_length)
		return JOIN_NONE;
	class = join_by_suffix(symbol->name, name);
	return class == JOIN_RENAMED && symbol_is_found(symbol, name_length, strips_llvm)
		       ? JOIN_SAME : class;
}

/*
 * Symbols at the address itself come first; then those of the name before it with pads in between.
 * Nearly every function of GCC's arm64 kernels is of the second kind, none of an x86-64 kernel.
 */
void entry_join_symbol(struct evidence *evidence, const char *name, uint64_t described,
		       struct entry_join *join)
{
	const struct symbol *symbols = evidence->symbols->symbols.data, *symbol;
	bool strips_llvm = evidence->symbols->strips_llvm;
	size_t count = evidence->symbols->symbols.count, length = strlen(name);
	struct symbol_search search;
	bool found = false;

	for (size_t i = symbol_table_at(evidence->symbols, described);
	     i < count && symbols[i].address == described; i++) {
		enum join_class class = class_of_symbol(&symbols[i], name, length, strips_llvm);

		found |= class != JOIN_NONE;
		if (class > join->class)
			*join = (struct entry_join){ class, (uint32_t)i, described };
	}
	if (found)
		return;
	search = symbol_table_search_base(evidence->symbols, name);
	while ((symbol = symbol_search_next(&search))) {
		enum join_class class = class_of_symbol(symbol, name, length, strips_llvm);

		if (class > join->class && entry_is_described_at(evidence, symbol, described))
			*join = (struct entry_join){ class, (uint32_t)(symbol - symbols),
						     described };
	}
}
