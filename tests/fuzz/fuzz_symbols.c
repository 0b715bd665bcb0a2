/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* System.map and /proc/kallsyms. Parts: the module or nothing, the text. */
#include <stdlib.h>

#include "kallsyms/symbol_table.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 2;

void fuzz_one(const struct fuzz_input *input)
{
	char *module = fuzz_text(&input->parts[0]);
	struct kallsyms_file file;
	struct error err = { "" };

	if (kallsyms_file_read(&file, fuzz_file(0, &input->parts[1]), *module ? module : NULL,
			       &err)) {
		const struct symbol_table *table = &file.symbols;

		for (size_t i = 0; i < table->symbols.count && i < 64; i++) {
			const struct symbol *symbol = &table->symbols.data[i];
			struct symbol_search search = symbol_table_search_base(table, symbol->name);

			while (symbol_search_next(&search))
				;
			if (!symbol_table_find(table, symbol->name))
				abort();
			symbol_table_only_code(table, symbol->name);
			symbol_table_enclosing(table, symbol->address + symbol->size / 2);
		}
		kallsyms_file_release(&file);
	} else {
		fuzz_expect_line(&err);
	}
	free(module);
}
