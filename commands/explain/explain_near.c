/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Names that are similar to one that does not exist: functions of DWARF, symbols (variables, too,
 * which are marked) and tracepoints that differ by little, begin with it, or contain it.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain_near.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"

/* objtool's padding before a function and clang's for kCFI are no functions of their own. */
static const char *without_padding(const char *name)
{
	bool is_padding = text_after(name, "__pfx_") || text_after(name, "__cfi_");

	return name + (is_padding && name[6] ? 6 : 0);
}

bool explanation_is_of_padding(const struct explanation *explanation)
{
	return without_padding(explanation->name) != explanation->name &&
	       !explanation->is_described && !explanation->tracepoint;
}

static void consider(struct near_names *near, const char *name, const char *what)
{
	near_names_offer(near, without_padding(name), what);
}

void explain_offer_symbols(struct near_names *near, const struct symbol_table *symbols,
			   const char *module)
{
	array_each(const struct symbol, symbol, &symbols->symbols) {
		if (symbol->type == STT_FUNC && !symbol->name[symbol->base_length])
			near_names_offer_in(near, module, without_padding(symbol->name),
					    "function");
	}
}

void explain_offer_functions(struct near_names *near, const struct btf_reader *btf,
			     const char *module)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		if (btf_record_kind(words) == BTF_FUNC)
			near_names_offer_in(near, module, btf_type_name(btf, words), "function");
	}
}

/* ---- symbols ---- */

static void consider_symbol(struct near_names *near, const struct symbol *symbol)
{
	const char *tracepoint = text_after(symbol->name, "__tracepoint_");
	char base[NEAR_LENGTH_MAX + 1];

	if (tracepoint)
		consider(near, tracepoint, "tracepoint");
	if (symbol->base_length > NEAR_LENGTH_MAX)
		return;
	memcpy(base, symbol->name, symbol->base_length);
	base[symbol->base_length] = '\0';
	consider(near, base, symbol_is_function(symbol) ? "function"
				: symbol->type == STT_OBJECT ? "variable" : "symbol");
}

/*
 * openat, sys_openat and sys_enter_openat are __x64_sys_openat, or by whatever name the
 * architecture enters system calls; the name alone also means the events.
 */
static void offer_system_call(struct near_names *near, struct explanation *explanation)
{
	static const char *const prefixes[] = { "__x64_", "__arm64_", "__s390x_", "__riscv_",
						"__loongarch_", "__ia32_", "__se_" };
	static const char *const hooks[] = { "sys_enter_", "sys_exit_", "sys_" };
	const char *name = explanation->name;
	char *event = text_format("syscalls:sys_enter_%s", name);
	struct tracepoint *tracepoint;
	size_t length = 0;

	for (size_t i = 0; !length && i < sizeof(hooks) / sizeof(*hooks); i++)
		length = text_after(name, hooks[i]) ? strlen(hooks[i]) : 0;
	for (size_t i = 0; !near->count && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		char *full = text_format("%ssys_%s", prefixes[i], name + length);

		if (symbol_table_find(explanation->image.symbols, full))
			near_names_add(near, full, "function", 0);
		free(full);
	}
	explanation->is_system_call = !length && near->count;
	tracepoint = explanation->is_system_call
			     ? tracepoint_find(explanation, strchr(event, ':') + 1) : NULL;
	if (tracepoint && tracepoint->event != ATTACH_NO) {
		char *section = text_format("ksyscall/%s", name);

		near_names_add(near, event, "tracepoint", 0);
		near_names_add(near, section, "system call", 0);
		free(section);
	}
	tracepoint_free(tracepoint);
	free(event);
}

static void consider_type(struct near_names *near, const struct type_source *types,
			  const uint32_t *words)
{
	const char *name = type_string(types, words[BTF_WORD_NAME]);
	const char *tracepoint = text_after(name, "btf_trace_");
	enum btf_kind kind = btf_record_kind(words);
	bool is_enum = btf_kind_is_enum(kind);

	if (kind == BTF_FUNC)
		consider(near, name, "function");
	else if (kind == BTF_TYPEDEF && tracepoint)
		consider(near, tracepoint, "tracepoint");
	else if (kind == BTF_VAR)
		consider(near, name, "variable");
	else if (btf_kind_is_aggregate(kind) || is_enum)
		near_names_offer(near, name, btf_keywords[is_enum ? BTF_ENUM : kind]);
	for (uint32_t i = 0; is_enum && i < btf_element_count(words); i++)
		near_names_offer(near, type_string(types, *btf_element(words, i)), "enumerator");
}

/* "0xffffffff8134cc58" */
static const struct symbol *symbol_of_address(const struct attach_image *image, const char *name)
{
	char *end;
	uint64_t address;

	if (!text_after(name, "0x"))
		return NULL;
	address = strtoull(name, &end, 16);
	return *end ? NULL : attach_symbol_at(image, address);
}

char *explain_profiled(const struct explanation *explanation)
{
	char *name = text_format("%s_noprof", explanation->name);

	if (symbol_table_find(explanation->image.symbols, name) ||
	    explain_find_function(explanation, name))
		return name;
	free(name);
	return NULL;
}

char *explain_meant(struct explanation *explanation, const char **what)
{
	const char *name = explanation->name;
	const struct symbol *symbol = symbol_of_address(&explanation->image, name);
	char *macro = explain_profiled(explanation), *meant = NULL;
	const char *word = explanation->word;
	struct near_names near = { 0 };

	*what = "is a macro in this kernel";
	if (explanation->kind == ASKED_ANY)
		offer_system_call(&near, explanation);
	if (macro) {
		meant = text_format("%s%s%s", word ? word : "", word ? "/" : "", macro);
	} else if (symbol && explanation->kind == ASKED_ANY) {
		meant = memory_string(symbol->name, symbol->base_length);
		*what = "is in a function";
	} else if (near.count > 1) {	/* its event, too */
		meant = text_format("ksyscall/%s", name);
		*what = "is a system call";
	}
	near_names_release(&near);
	free(macro);
	return meant;
}

void explain_find_near(struct near_names *near, struct explanation *explanation)
{
	const struct program *program = explanation->program;
	const struct type_source *types = &explanation->types;
	const struct symbol_table *symbols = explanation->image.symbols;

	near_names_init(near, without_padding(explanation->name));
	offer_system_call(near, explanation);
	/* Not the tracepoint of that name. */
	if (explanation->kind == ASKED_FUNCTION &&
	    records_find_symbol(symbols, explanation->name, RECORDS_ANYWHERE))
		near_names_add(near, explanation->name, "function", 0);
	/* Those that were inlined, which may have no symbol. */
	for (unsigned int i = 0; program && i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		for (size_t k = 0; k < worker->inlined.count; k++)
			consider(near, name_table_text(&worker->reader.names,
						       worker->inlined.data[k].value), "function");
	}
	for (uint32_t i = 1; type_nth(types, i); i++)
		consider_type(near, types, type_nth(types, i));
	for (size_t i = 0; i < symbols->symbols.count; i++)
		consider_symbol(near, &symbols->symbols.data[i]);
}

/* Where else to look for NAME of the folder of events, or of the module, FOLDER. */
static void add_hint(struct text *out, const struct explanation *explanation, bool has_near,
		     bool searched, const char *list_options)
{
	const struct attach_image *image = &explanation->image;
	const char *folder = explanation->folder;
	char *pattern = text_format("btf_trace_%s*", folder);
	const uint32_t *words;
	bool is_known = false;

	for (uint32_t i = 1; !is_known && (words = type_nth(&explanation->types, i)); i++)
		is_known = strncmp(type_string(&explanation->types, words[BTF_WORD_NAME]), pattern,
				   strlen(pattern) - 1) == 0;
	if (is_known && !has_near) {
		text_add_string(out, "\n  to look for it: btfenc list --kind tracepoint ");
		text_add_quoted(out, pattern + strlen("btf_trace_"));
		text_add_clean_in(out, "", list_options, "\n");
	} else if (!is_known && !image->is_module && !image->running && !searched &&
		   type_is_plain_name(folder) && strcmp(folder, "vmlinux") != 0) {
		text_add_clean_in(out, "\n  for the module ", folder,
				  " its file is needed, or --modules DIR\n");
	}
	free(pattern);
}

static const char *article(const char *what)
{
	return *what == 'e' ? "an" : "a";
}

static const char *const kinds[] = {
	[ASKED_ANY] = "function or tracepoint", [ASKED_EVENT] = "function or tracepoint",
	[ASKED_FUNCTION] = "function", [ASKED_TRACEPOINT] = "tracepoint",
	[ASKED_SYSTEM_CALL] = "event of a system call", [ASKED_LSM] = "LSM hook",
	[ASKED_ITERATOR] = "iterator",
};

/* Whether there is such an event of a system call is asked of tracefs, if symbols do not tell. */
static bool is_unknown(const struct explanation *explanation)
{
	const struct running_kernel *running = explanation->image.running;

	return running && !explanation->has_function && running->events_asked &&
	       !running->events_read;
}

void explain_print_near(FILE *file, const struct near_names *near,
			const struct explanation *explanation, const char *searched,
			const char *list_options)
{
	const char *name = explanation->asked, *folder = explanation->folder;
	struct symbol_search search =
		symbol_table_search_base(explanation->image.symbols, explanation->name);
	const char *first = near->count ? near->names[0].name : "", *own = without_padding(name);
	const char *what = strcmp(first, name) == 0 ? near->names[0].what : NULL;
	bool can_be_in_module = explanation->kind == ASKED_ANY ||
				explanation->kind == ASKED_FUNCTION;
	struct text out = { 0 };

	text_add_clean(&out, name);
	/* The clone that it may be of is the function's. */
	if (own != name && symbol_search_next(&search) &&
	    strncmp(first, own, symbol_parse(own).base_length) == 0 &&
	    !first[symbol_parse(own).base_length]) {
		text_add_clean_in(&out, ": not a function, but what is before one (padding, or the "
				  "type for CFI); ask for ", own, "\n");
		text_print(&out, file);
		return;
	}
	text_add_format(&out, ": %sno %s of that name is in ",
			!explanation->is_system_call && is_unknown(explanation)
			? "not known: the events of tracefs cannot be read, and " : "",
			kinds[explanation->kind]);
	text_add_clean(&out, folder ? folder : explanation->path);
	text_add_clean(&out, folder ? "" : searched);
	if (what && folder) {
		text_add_clean_in(&out, ", but in ",
				  *what == 't' && explanation->tracepoint &&
				  explanation->tracepoint->system
				  ? explanation->tracepoint->system : explanation->path, "");
		text_add_format(&out, " is %s %s: leave out ", article(what), what);
		text_add_clean(&out, folder);
	} else if (explanation->is_system_call) {
		text_add_string(&out, ", only a system call");
	} else if (what && strstr(kinds[explanation->kind], what)) {
		text_add_format(&out, ", but its base has that %s: give the base as FILE", what);
	} else if (what) {
		what = strcmp(what, "symbol") ? what : "variable";
		text_add_format(&out, ", only %s %s", article(what), what);
	}
	if (explanation->excluded)
		text_add_format(&out, "; it is %s", explanation->excluded);
	text_add_char(&out, '\n');
	if (!what && folder && list_options && explanation->kind != ASKED_TRACEPOINT)
		add_hint(&out, explanation, near->count, *searched, list_options);
	else if (!what && !name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")])
		text_add_string(&out, "\n  if it is a macro, as names in capitals are, neither "
				"DWARF nor BTF has it: ask for what\n  it reads or calls\n");
	else if (!what && can_be_in_module && !near->count && !*searched &&
		 !explanation->image.running &&
		 symbol_table_find(explanation->image.symbols, "init_task"))
		text_add_string(&out, "\n  a module's function is in the module's file, or is "
				"found with --modules DIR\n");
	if (!what && explanation->sites_unknown && can_be_in_module)
		text_add_format(&out, "\n  functions that were inlined at each call are not in "
				"BTF: DWARF has them%s, and records of sites\n  (btfenc encode "
				"--features +inline)\n",
				explanation->records->is_elf &&
						elf_has_dwarf(&explanation->records->elf.object)
					? " (leave out --records)" : "");
	for (uint32_t i = 0; i < near->count; i++) {
		what = near->names[i].what;
		text_add_clean_in(&out, i ? "  " : "\n  near it are:\n  ",
				  near->names[i].name, "");
		if (strcmp(what, "function") != 0)
			text_add_format(&out, ", %s %s", article(what), what);
		text_add_char(&out, '\n');
	}
	text_print(&out, file);
}

void explain_print_near_json(const struct near_names *near, const struct explanation *explanation,
			     size_t modules)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < near->count; i++)
		json_array_append_new(array, json_pack("{s:o, s:s}", "name",
			json_text(near->names[i].name), "what", near->names[i].what));
	json_write(json_pack("{s:i, s:o, s:I, s:o, s:o, s:b, s:o, s:o}", "version", 1,
			     "file", json_text(explanation->path), "modules", (json_int_t)modules,
			     "name", json_text(explanation->name),
			     "asked", json_text(explanation->asked), "known", 0,
		     "excluded", json_text(explanation->excluded), "similar", array),
		   JSON_INDENT(2), stdout);
}
