/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/attach.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "elf/section_header.h"

/* ---- symbols ---- */

/* Aliases share an address: the strongest name, as kallsyms would show it, is not worth a rule. */
const struct symbol *attach_symbol_at(const struct attach_image *image, uint64_t address)
{
	const struct symbol_table *symbols = image->symbols;
	size_t i = symbol_table_at(symbols, address + 1);

	for (int step = 0; i-- > 0 && step < 16; step++) {
		const struct symbol *symbol = &symbols->symbols.data[i];

		/* Assembler functions may have no size. */
		if (symbol_is_function(symbol) && (symbol->address == address ||
						   address - symbol->address < symbol->size))
			return symbol;
	}
	return NULL;
}

void attach_address(const struct object *object, uint64_t address, char text[ATTACH_PROBE_BYTES])
{
	const struct section_header *section =
		object && object->relocatable ? attach_section_at(object, address) : NULL;

	if (section)
		snprintf(text, ATTACH_PROBE_BYTES, "%s+0x%" PRIx64, section->name,
			 address - section->address);
	else
		snprintf(text, ATTACH_PROBE_BYTES, "0x%" PRIx64, address);
}

const struct symbol *attach_only_symbol(const struct symbol_table *symbols, const char *name)
{
	struct symbol_search search = symbol_table_search(symbols, name);
	const struct symbol *found = symbol_table_only_code(symbols, name), *symbol;

	while (found && (symbol = symbol_search_next(&search))) {
		if (symbol->address != found->address && symbol->type != STT_FILE)
			return NULL;
	}
	return found;
}

void attach_probe(const struct attach_image *image, const struct symbol *symbol, uint64_t address,
		  uint64_t running, char text[ATTACH_PROBE_BYTES])
{
	uint64_t offset = symbol ? address - symbol->address : 0;
	uint64_t local = symbol && !offset ? symbol->local_entry_bytes : 0;
	const struct symbol *start = NULL;

	*text = '\0';
	/* The text goes into scripts and lines for shells. */
	if (symbol && text_is_made_of(symbol->name, "_.$") &&
	    attach_only_symbol(image->symbols, symbol->name)) {
		int length = snprintf(text, ATTACH_PROBE_BYTES, "%.63s%s%.511s",
				      image->module ? image->module : "", image->module ? ":" : "",
				      symbol->name);

		if (offset)
			snprintf(text + length, ATTACH_PROBE_BYTES - (size_t)length,
				 "+0x%" PRIx64, offset);
		return;
	}
	if (!offset && !image->object && abi_is(image->abi, ABI_PPC64LE))
		return;
	if (!image->is_module)
		start = attach_only_symbol(image->symbols, "_stext");
	if (!image->is_module && !start)
		start = attach_only_symbol(image->symbols, "_text");
	if (start && start->address <= address)
		snprintf(text, ATTACH_PROBE_BYTES, "%s+0x%" PRIx64, start->name,
			 address + local - start->address);
	else if (running != ATTACH_NOWHERE)
		attach_address(running == address ? image->object : NULL, running + local, text);
}

/* ---- the table of hooks ---- */

/* Of a symbol without a size: an endbr64 and a call. */
#define ENTRY_BYTES 16

static void add_hook(struct hook_addresses *hooks, uint64_t address)
{
	if (address)
		array_push(hooks, address);
}

/* Of a kernel that moves itself when it boots: see relocated_word(). */
static void add_relocations(struct hook_addresses *hooks, const struct hook_table *table,
			    Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Ehdr header;
	GElf_Rela rela;

	if (!data || !gelf_getehdr(table->elf, &header))
		return;
	for (int i = 0; gelf_getrela(data, i, &rela); i++) {
		if (rela.r_offset - table->address < table->size &&
		    GELF_R_TYPE(rela.r_info) == attach_relative_type(header.e_machine))
			add_hook(hooks, (uint64_t)rela.r_addend);
	}
}

void hook_table_read(struct hook_addresses *hooks, const struct hook_table *table)
{
	Elf_Scn *scn = NULL;
	size_t sorted = 1;

	for (uint64_t i = 0; i + table->word_bytes <= table->size; i += table->word_bytes)
		add_hook(hooks, table->word_bytes == 8
					? bytes_load_u64(table->words + i, table->swap)
					: bytes_load_u32(table->words + i, table->swap));
	while (table->elf && !hooks->count && (scn = elf_nextscn(table->elf, scn))) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA &&
		    header.sh_flags & SHF_ALLOC)
			add_relocations(hooks, table, scn);
	}
	/* Since 5.17 the build sorts the table. */
	while (sorted < hooks->count && hooks->data[sorted - 1] <= hooks->data[sorted])
		sorted++;
	if (sorted < hooks->count)
		qsort(hooks->data, hooks->count, sizeof(*hooks->data), compare_u64);
}

enum attach_answer hook_addresses_ask(const struct hook_addresses *hooks, const struct abi *abi,
				      uint64_t entry, uint64_t size_bytes)
{
	uint64_t begin = entry - (abi ? abi->hook_bytes_before : 0);
	uint64_t end = entry + (size_bytes ? size_bytes : ENTRY_BYTES);
	size_t first;

	if (end < entry)
		end = UINT64_MAX;
	if (!hooks->count)
		return ATTACH_UNKNOWN;
	first = lower_bound(i, hooks->count, hooks->data[i] < begin);
	return first < hooks->count && hooks->data[first] < end ? ATTACH_YES : ATTACH_NO;
}

/* ---- what may be attached ---- */

/* What lies between two symbols of a kernel is a section of its own in a module. */
struct extent {
	const char *begin, *end;
	const char *section;
};

static bool find_span(const struct attach_image *image, const struct extent *extent,
		      struct attach_span *span)
{
	const struct symbol *begin = symbol_table_find(image->symbols, extent->begin);
	const struct symbol *end = symbol_table_find(image->symbols, extent->end);
	const struct object *object = image->object;
	bool found = begin && end;
	size_t size;

	*span = (struct attach_span){ .first = found ? begin->address : 0,
				      .last = found ? end->address : 0 };
	for (size_t i = 1; !found && object && object->relocatable && i < object->header_count;
	     i++) {
		if (strcmp(object->headers[i].name, extent->section) != 0)
			continue;
		span->first = object->headers[i].address;
		span->last = span->first + object->headers[i].size;
		found = true;
	}
	if (found && span->last > span->first) {
		span->words = attach_bytes(object, span->first, &size);
		if (span->words && span->last - span->first > size)
			span->words = NULL;
	}
	return found;
}

/* ---- reading the tables ---- */

static void read_hooks(struct attach_tables *tables, const struct attach_image *image)
{
	static const struct extent whole = { "__start_mcount_loc", "__stop_mcount_loc",
					     "__mcount_loc" };
	static const struct extent patch_areas = { "", "", "__patchable_function_entries" };
	const struct object *object = image->object;
	struct hook_table table;
	struct attach_span span;

	if ((!find_span(image, &whole, &span) && !find_span(image, &patch_areas, &span)) ||
	    !span.words)
		return;
	table = (struct hook_table){
		.elf = object->relocatable ? NULL : attach_elf(object),
		.address = span.first,
		.words = span.words, .size = span.last - span.first,
		.word_bytes = object->address_bytes, .swap = object->swap };
	hook_table_read(&tables->hooks, &table);
}

/*
 * A table whose rows begin with an address: a word of the machine, or the distance from itself in
 * 32 bits, for jump labels (struct jump_entry; arm has words) and static calls (struct
 * static_call_site, x86-64 alone).
 */
struct address_table {
	struct extent extent;
	uint8_t distances, words;	/* of a row, in this order */
	const char *why;
};

static const struct address_table kept_tables[] = {
	{ { "__start_kprobe_blacklist", "__stop_kprobe_blacklist", "_kprobe_blacklist" }, 0, 1,
	  "the kernel keeps kprobes away from it (NOKPROBE_SYMBOL)" },
	{ { "__start___jump_table", "__stop___jump_table", "__jump_table" }, 2, 1,
	  "the kernel patches a jump label there (a static key)" },
	{ { "__start_static_call_sites", "__stop_static_call_sites", ".static_call_sites" }, 2, 0,
	  "the kernel patches a static call there" },
};

/* struct error_injection_entry of ALLOW_ERROR_INJECTION() */
static const struct address_table modifiable_table = {
	{ "__start_error_injection_whitelist", "__stop_error_injection_whitelist",
	  "_error_injection_whitelist" }, 0, 2, "" };

static void read_table(struct table_rows *rows, const struct attach_image *image,
		       const struct address_table *table)
{
	const struct object *object = image->object;
	bool is_arm = abi_is(image->abi, ABI_ARM);
	size_t word_bytes = object ? object->address_bytes : 0;
	size_t row_bytes = table->distances * (is_arm ? word_bytes : 4) + table->words * word_bytes;
	struct attach_span span;

	if (!find_span(image, &table->extent, &span) || !span.words)
		return;
	for (uint64_t at = span.first; span.last - at >= row_bytes; at += row_bytes) {
		const uint8_t *row = span.words + (at - span.first);
		uint64_t address =
			at + (uint64_t)(int64_t)(int32_t)bytes_load_u32(row, object->swap);

		if ((!table->distances || is_arm) && !attach_word(object, at, &address))
			break;
		array_push(rows, ((struct table_row){ .address = address, .why = table->why,
						      .whole_function = !table->distances }));
	}
	array_sort(rows, compare_u64);
}

static void read_patches(struct patches *patches, const struct attach_image *image)
{
	static const struct extent alternatives[] = {
		{ "__alt_instructions", "__alt_instructions_end", ".altinstructions" },
		{ "__alt_start", "__alt_end", ".alternative" },		/* riscv64 */
	}, paravirt = { "__parainstructions", "__parainstructions_end", ".parainstructions" };
	struct attach_span span, calls;

	if (!find_span(image, &alternatives[0], &span))
		find_span(image, &alternatives[1], &span);
	find_span(image, &paravirt, &calls);
	patches_read(patches, image, &span, &calls);
}

/* Code that kprobes are kept away from: between two symbols of a kernel, a section of a module. */
struct forbidden_text {
	uint8_t machine;	/* ABI_MACHINES: on every one */
	struct extent extent;
	const char *why;
	bool is_notrace;	/* nor has it hooks, as arm64's gic_handle_irq() has */
};

/*
 * What register_kprobe() refuses: kernel/kprobes.c and each machine's
 * arch_populate_kprobe_blacklist() or arch_within_kprobe_blacklist(), the same from 6.1 to 7.2.
 */
static const struct forbidden_text forbidden_texts[] = {
#define TEXT(name) { "__" name "_text_start", "__" name "_text_end", "." name ".text" }
	{ ABI_MACHINES, TEXT("noinstr"), "it must not be instrumented (noinstr)", true },
	{ ABI_MACHINES, TEXT("entry"), "it is entry code, where no tracer may run (.entry.text)",
	  true },
	{ ABI_MACHINES, TEXT("kprobes"), "kprobes themselves run it (.kprobes.text)", false },
	{ ABI_ARM64, TEXT("irqentry"), "interrupts enter there (.irqentry.text)", false },
	{ ABI_ARM, TEXT("irqentry"), "interrupts enter there (.irqentry.text)", false },
	{ ABI_RISCV64, TEXT("irqentry"), "interrupts enter there (.irqentry.text)", false },
	{ ABI_ARM64, TEXT("idmap"), "it runs without the kernel's page tables (.idmap.text)",
	  true },
	{ ABI_ARM, TEXT("idmap"), "it runs without the kernel's page tables (.idmap.text)", true },
	{ ABI_ARM64, TEXT("hyp"), "it belongs to the hypervisor (.hyp.text)", true },
};

/* What is freed when the kernel has booted, and the code in it that ran: vmlinux.lds.h. */
static const struct extent freed_texts[] = { { "__init_begin", "__init_end", ".init.text" },
					     { "_sinittext", "_einittext", ".init.text" } };

/* In the tables' spans after the forbidden texts. */
enum { FREED = sizeof(forbidden_texts) / sizeof(*forbidden_texts), INIT_TEXT, SPANS };
_Static_assert(SPANS == ATTACH_SPANS, "a span for each text");

void attach_tables_read(struct attach_tables *tables, const struct attach_image *image)
{
	*tables = (struct attach_tables){ 0 };
	for (size_t i = 0; i < SPANS; i++) {
		const struct extent *extent =
			i < FREED ? &forbidden_texts[i].extent : &freed_texts[i - FREED];

		find_span(image, extent, &tables->spans[i]);
	}
	read_hooks(tables, image);
	for (size_t i = 0; i < sizeof(kept_tables) / sizeof(*kept_tables); i++)
		read_table(&tables->kept, image, &kept_tables[i]);
	read_table(&tables->modifiable, image, &modifiable_table);
	read_patches(&tables->patches, image);
}

void attach_tables_release(struct attach_tables *tables)
{
	array_release(&tables->hooks);
	array_release(&tables->kept);
	array_release(&tables->modifiable);
	own_btf_release(&tables->own);
	func_names_release(&tables->kernel_funcs);
	array_release(&tables->patches);
}

/* ---- asking ---- */

/* As kallsyms has it: the first of the symbols at the last address up to this one. */
static const struct symbol *symbol_around(const struct symbol_table *symbols, uint64_t address)
{
	size_t i = symbol_table_at(symbols, address + 1);

	return i ? &symbols->symbols.data[symbol_table_at(symbols,
							  symbols->symbols.data[i - 1].address)]
		 : NULL;
}

/* The function that a suffixed one (f.isra.0) is made of; NULL: none. */
static const struct symbol *base_of(const struct symbol_table *symbols,
				    const struct symbol *symbol)
{
	size_t length = strcspn(symbol->name, ".");
	const struct symbol *base;
	char *name;

	if (!length || !symbol->name[length])
		return NULL;
	name = memory_string(symbol->name, length);
	base = symbol_table_find(symbols, name);
	free(name);
	return base;
}

/* Is there a hook between the symbol and the next one? */
static enum attach_answer hook_in(const struct attach_image *image, const struct symbol *symbol)
{
	const struct symbol_table *symbols = image->symbols;
	size_t next = symbol_table_at(symbols, symbol->address + 1);
	uint64_t before = image->abi ? image->abi->hook_bytes_before : 0;
	uint64_t extent = next < symbols->symbols.count
		? symbols->symbols.data[next].address - symbol->address : symbol->size;

	if (image->tables->hooks.count)
		return hook_addresses_ask(&image->tables->hooks, image->abi, symbol->address,
					  extent > before ? extent - before : extent);
	return image->running
		? running_kernel_has_hook(image->running, symbol->name, image->module)
		: ATTACH_UNKNOWN;
}

/* within_notrace_func() of kernel/trace/trace_kprobe.c */
static bool is_notrace(const struct attach_image *image, uint64_t address)
{
	const struct symbol *symbol = symbol_around(image->symbols, address);
	const struct symbol *base;

	if (!symbol || hook_in(image, symbol) != ATTACH_NO)
		return false;
	base = base_of(image->symbols, symbol);
	return !base || hook_in(image, base) == ATTACH_NO;
}

/* The address in the rows, as that of a function or as it is; NULL: it is not there. */
static const char *why_listed(const struct table_rows *rows, uint64_t address, bool whole_function)
{
	size_t i = lower_bound(k, rows->count, rows->data[k].address < address);

	for (; i < rows->count && rows->data[i].address == address; i++) {
		if (rows->data[i].whole_function == whole_function)
			return rows->data[i].why;
	}
	return NULL;
}

static struct answer ask_instruction(const struct attach_image *image, const struct symbol *symbol,
				     uint64_t address)
{
	const struct section_header *section = attach_section_at(image->object, address);
	/* The symbol before may be of another section. */
	bool is_around = symbol && section && symbol->address >= section->address;
	uint64_t start = is_around ? symbol->address : address;
	size_t size = 0;
	bool is_known = image->abi && !(symbol && symbol->is_thumb);
	const uint8_t *code = is_known ? attach_bytes(image->object, start, &size) : NULL;

	return code ? patched_code_is_taken(&image->tables->patches, image, address, code, size,
					    address - start) : ANSWER_YES;
}

static bool is_in(const struct attach_image *image, size_t span, uint64_t address)
{
	return address >= image->tables->spans[span].first &&
	       address < image->tables->spans[span].last;
}

/* The text around an address that kprobes are kept away from; NULL: it is in none. */
static const struct forbidden_text *text_around(const struct attach_image *image,
						uint64_t address, const char *section)
{
	for (size_t i = 0; i < FREED; i++) {
		const struct forbidden_text *text = &forbidden_texts[i];

		if (text->machine != ABI_MACHINES && !abi_is(image->abi, text->machine))
			continue;
		if (strcmp(section, text->extent.section) == 0 || is_in(image, i, address))
			return text;
	}
	return NULL;
}

/* Can kprobes go there? `text`: what they are kept away from around it, or NULL. */
static struct answer ask_address(const struct attach_image *image, uint64_t address,
				 const struct forbidden_text *text)
{
	const struct symbol *symbol = symbol_around(image->symbols, address);
	const struct symbol *base = symbol ? base_of(image->symbols, symbol) : NULL;
	const char *why = text ? text->why : NULL;

	if (!why)
		why = why_listed(&image->tables->kept, symbol ? symbol->address : address, true);
	if (!why && base)
		why = why_listed(&image->tables->kept, base->address, true);
	if (!why)
		why = why_listed(&image->tables->kept, address, false);
	return why ? ANSWER_NO(why) : ask_instruction(image, symbol, address);
}

const char *attach_no_kprobes(const struct attach_image *image)
{
	struct running_kernel *running = image->running;
	const char *why = running ? running_kernel_no_kprobes(running) : NULL;

	/* Not of an image that is only part of a kernel. */
	if (!why && (running || image->object) && image->symbols &&
	    symbol_table_find(image->symbols, "rest_init") &&
	    !symbol_table_find(image->symbols, "register_kprobe"))
		why = "the kernel is built without kprobes (it has no register_kprobe)";
	/* Its modules have not its symbols. */
	if (running)
		running->no_kprobes = why;
	return why;
}

/* Whatever the place. */
static void ask_for_kprobes(const struct attach_image *image, struct attach_state *state)
{
	const char *why = state->kprobe.is == ATTACH_NO ? NULL : attach_no_kprobes(image);

	if (why)
		state->kprobe = ANSWER_NO(why);
}

/*
 * A kernel that lists the function was built without CONFIG_KPROBE_EVENTS_ON_NOTRACE; in one that
 * does not, it may have been inlined.
 */
static void ask_for_notrace(const struct attach_image *image, struct attach_state *state)
{
	if (!state->notrace || !image->symbols ||
	    !symbol_table_find(image->symbols, "within_notrace_func"))
		return;
	state->notrace = false;
	if (state->kprobe.is != ATTACH_NO)
		state->kprobe = ANSWER_NO("no tracer's hook is in the function around it, and this "
					  "kernel refuses such kprobes (within_notrace_func)");
}

static void ask_hook(const struct attach_image *image, const char *name,
		     struct attach_state *state)
{
	enum attach_answer hook = state->ftrace;

	if (hook != ATTACH_YES)
		hook = running_kernel_has_hook(image->running, name, image->module);
	if (hook != ATTACH_UNKNOWN)
		state->ftrace = hook;
}

static void ask_running(const struct attach_image *image, const char *name,
			struct attach_state *state)
{
	ask_hook(image, name, state);
	state->modifiable |= running_kernel_lets_modify(image->running, name);
	if (state->kprobe.is != ATTACH_NO && running_kernel_forbids(image->running, name))
		state->kprobe =
			ANSWER_NO("the kernel keeps kprobes away from it (kprobes/blacklist)");
}

struct attach_state attach_state_of_name(const struct attach_image *image, const char *name,
					 bool for_fentry)
{
	struct attach_state state = { .kprobe = ANSWER_YES };

	if (!for_fentry)
		ask_for_kprobes(image, &state);
	(for_fentry ? ask_hook : ask_running)(image, name, &state);
	state.notrace = state.ftrace == ATTACH_NO;
	ask_for_notrace(image, &state);
	return state;
}

static struct attach_state state_for_fentry(const struct attach_image *image, uint64_t address,
					    const char *section, bool is_entry)
{
	const struct symbol *symbol = is_entry ? attach_symbol_at(image, address) : NULL;
	uint64_t size_bytes = symbol && symbol->address == address ? symbol->size : 0;
	struct attach_state state = {
		.ftrace = is_entry ? hook_addresses_ask(&image->tables->hooks, image->abi,
							address, size_bytes) : ATTACH_UNKNOWN,
		.init = strncmp(section, ".init.text", 10) == 0 ||
			is_in(image, INIT_TEXT, address),
		.exit = !image->is_module && strncmp(section, ".exit.text", 10) == 0,
	};
	const struct forbidden_text *text =
		is_entry && state.ftrace == ATTACH_UNKNOWN ? text_around(image, address, section)
							   : NULL;

	if (!*section)
		state.exit = !image->is_module && !state.init && is_in(image, FREED, address);
	if (text && text->is_notrace)
		state.ftrace = ATTACH_NO;
	state.may_have_nop = state.ftrace == ATTACH_NO &&
			     patches_make_nop(&image->tables->patches, image, address);
	return state;
}

/* Any name that the entry has; tracefs lists one of them. */
static void ask_names(const struct attach_image *image, uint64_t address,
		      struct attach_state *state,
		      void (*ask)(const struct attach_image *image, const char *name,
				  struct attach_state *state))
{
	const struct symbol_table *symbols = image->symbols;

	for (size_t i = image->running ? symbol_table_at(symbols, address)
				       : symbols->symbols.count;
	     i < symbols->symbols.count && symbols->symbols.data[i].address == address; i++) {
		if (symbol_is_function(&symbols->symbols.data[i]))
			ask(image, symbols->symbols.data[i].name, state);
	}
}

struct attach_state attach_state_at(const struct attach_image *image, uint64_t address,
				    const char *section, bool is_entry)
{
	const struct symbol_table *symbols = image->symbols;
	struct attach_state state = state_for_fentry(image, address, section, is_entry);
	const struct symbol *symbol = symbol_around(symbols, address);

	state.kprobe = ask_address(image, address, text_around(image, address, section));
	state.notrace = is_notrace(image, address);
	state.modifiable = why_listed(&image->tables->modifiable, address, true);
	/* kretprobe_blacklist of arch/x86/kernel/kprobes/core.c */
	state.no_return = symbol && strcmp(symbol->name, "__switch_to") == 0 &&
			  (abi_is(image->abi, ABI_X86_64) || abi_is(image->abi, ABI_I386));
	ask_for_kprobes(image, &state);
	if (is_entry)
		ask_names(image, address, &state, ask_running);
	ask_for_notrace(image, &state);
	return state;
}

struct attach_state attach_state_of_entry(const struct attach_image *image, uint64_t address,
					  bool for_fentry)
{
	const struct section_header *section = attach_section_at(image->object, address);
	const char *name = section ? section->name : "";
	struct attach_state state;

	if (!for_fentry)
		return attach_state_at(image, address, name, true);
	state = state_for_fentry(image, address, name, true);
	ask_names(image, address, &state, ask_hook);
	return state;
}
