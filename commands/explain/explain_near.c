/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Names that are similar to one that does not exist: functions of DWARF, symbols (variables, too,
 * which are marked) and tracepoints that differ by little, begin with it, or contain it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/workers.h"
#include "commands/explain/explain.h"

/* Longer names are compared by their beginning. */
#define MAX_LENGTH 128

#define NOT_NEAR UINT32_MAX

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Edit distance with neighbours exchanged as one step; NOT_NEAR above `limit`. Three rows of the
 * usual table.
 */
static uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length,
			      uint32_t limit)
{
	uint32_t rows[3][MAX_LENGTH + 1];
	uint32_t *before = rows[0], *last = rows[1], *row = rows[2];

	for (uint32_t k = 0; k <= b_length; k++)
		last[k] = k;
	for (uint32_t i = 1; i <= a_length; i++) {
		uint32_t best = row[0] = i, *spare;

		for (uint32_t k = 1; k <= b_length; k++) {
			uint32_t change = last[k - 1] + (a[i - 1] != b[k - 1]);

			row[k] = least(least(last[k], row[k - 1]) + 1, change);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
			best = least(best, row[k]);
		}
		if (best > limit)
			return NOT_NEAR;
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[b_length] <= limit ? last[b_length] : NOT_NEAR;
}

/* Typing errors come first, then names that begin with this one, then those that contain it. */
static uint32_t distance(const char *wanted, size_t wanted_length, const char *name)
{
	size_t length = strlen(name);
	/* A third of the letters may be wrong, but not more than three. */
	uint32_t limit = wanted_length < 4 ? 1 : wanted_length < 9 ? 2 : 3, edits = NOT_NEAR;
	uint32_t extra = (uint32_t)(length > wanted_length ? length - wanted_length : 0);

	if (!length || length > MAX_LENGTH || wanted_length > MAX_LENGTH)
		return NOT_NEAR;
	if (length <= wanted_length + limit && wanted_length <= length + limit)
		edits = edit_distance(wanted, wanted_length, name, length, limit);
	if (edits != NOT_NEAR)
		return edits;
	if (wanted_length >= 4 && extra && strncmp(name, wanted, wanted_length) == 0)
		return 100 + extra;
	if (wanted_length >= 5 && extra && strstr(name, wanted))
		return 200 + extra;
	if (length >= 5 && length < wanted_length && strncmp(name, wanted, length) == 0)
		return 300 + (uint32_t)(wanted_length - length);
	return NOT_NEAR;
}

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

/* By distance, then by name: the order does not depend on who found it first. */
static void offer(struct near_names *near, const char *name, const char *what, uint32_t far)
{
	uint32_t at = near->count;

	for (uint32_t i = 0; i < near->count; i++) {
		if (strcmp(near->names[i].name, name) == 0)
			return;
	}
	while (at > 0 && (near->names[at - 1].distance > far ||
			  (near->names[at - 1].distance == far &&
			   strcmp(near->names[at - 1].name, name) > 0)))
		at--;
	if (at == NEAR_NAMES)
		return;
	if (near->count == NEAR_NAMES)
		free(near->names[--near->count].name);
	memmove(&near->names[at + 1], &near->names[at],
		(near->count - at) * sizeof(*near->names));
	near->names[at] = (struct near_name){ memory_string(name, strlen(name)), what, far };
	near->count++;
}

/* ---- names of functions in DWARF ---- */

/* Units are handed out by as many at a time. */
#define UNITS_AT_ONCE 8

struct search {
	const struct program *program;
	const char *wanted;
	size_t length;
	_Atomic size_t next;		/* unit */
	pthread_mutex_t lock;		/* of `near`, in which few names end up */
	struct near_names *near;
};

static void consider(struct search *search, const char *name, const char *what)
{
	uint32_t far;

	name = without_padding(name);
	far = distance(search->wanted, search->length, name);
	if (far == NOT_NEAR)
		return;
	pthread_mutex_lock(&search->lock);
	offer(search->near, name, what, far);
	pthread_mutex_unlock(&search->lock);
}

/* Reads names of DIEs, and what is needed to read names. Damaged units are skipped. */
static void consider_unit(struct search *search, struct unit_reader *reader,
			  const struct unit *unit)
{
	enum die_status status;
	uint64_t ignored;
	struct error err;
	struct die die;

	if (!unit_reader_open(reader, unit, &ignored, &err))
		return;
	while ((status = die_cursor_next(&reader->cursor, &die)) == DIE_READ ||
	       status == DIE_NULL) {
		const char *name = NULL;

		if (status == DIE_READ && die.tag == DW_TAG_subprogram && die_has(&die, SLOT_NAME))
			name = die_cursor_string(&reader->cursor, &die, SLOT_NAME, &ignored);
		if (name)
			consider(search, name, "function");
	}
}

static void consider_units(void *context, unsigned int worker)
{
	struct search *search = context;
	const struct program *program = search->program;
	struct unit_reader *reader = memory_zeroed(1, sizeof(*reader));
	size_t first;

	(void)worker;
	unit_reader_init(reader, &program->object, &program->units);
	reader->abbrevs.ignored_slots = ~(UINT64_C(1) << SLOT_NAME |
					  UINT64_C(1) << SLOT_STR_OFFSETS_BASE |
					  UINT64_C(1) << SLOT_DWO_NAME);
	while ((first = atomic_fetch_add(&search->next, UNITS_AT_ONCE)) < program->units.count) {
		for (size_t i = first; i < first + UNITS_AT_ONCE && i < program->units.count; i++)
			consider_unit(search, reader, &program->units.data[i]);
	}
	unit_reader_release(reader);
	free(reader);
}

/* ---- symbols ---- */

static void consider_symbol(struct search *search, const struct symbol *symbol)
{
	const char *tracepoint = text_after(symbol->name, "__tracepoint_");
	char base[MAX_LENGTH + 1];

	if (tracepoint)
		consider(search, tracepoint, "tracepoint");
	if (symbol->base_length > MAX_LENGTH)
		return;
	memcpy(base, symbol->name, symbol->base_length);
	base[symbol->base_length] = '\0';
	consider(search, base, symbol_is_function(symbol) ? "function"
				  : symbol->type == STT_OBJECT ? "variable" : "symbol");
}

/*
 * openat, sys_openat and sys_enter_openat are __x64_sys_openat, or by whatever name the
 * architecture enters system calls; the name alone also means the events.
 */
static void offer_system_call(struct near_names *near, const struct explanation *explanation,
			      const char *name)
{
	static const char *const prefixes[] = { "__x64_", "__arm64_", "__s390x_", "__riscv_",
						"__loongarch_", "__ia32_", "__se_" };
	static const char *const hooks[] = { "sys_enter_", "sys_exit_", "sys_" };
	char *event = text_format("syscalls:sys_enter_%s", name);
	struct tracepoint *tracepoint;
	size_t length = 0;

	for (size_t i = 0; !length && i < sizeof(hooks) / sizeof(*hooks); i++)
		length = text_after(name, hooks[i]) ? strlen(hooks[i]) : 0;
	for (size_t i = 0; !near->count && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		char *full = text_format("%ssys_%s", prefixes[i], name + length);

		if (symbol_table_find(explanation->image.symbols, full))
			offer(near, full, "function", 0);
		free(full);
	}
	near->is_system_call = !length && near->count;
	tracepoint = near->is_system_call
			     ? tracepoint_find(explanation, strchr(event, ':') + 1) : NULL;
	if (tracepoint) {
		char *section = text_format("ksyscall/%s", name);

		offer(near, event, "tracepoint", 0);
		offer(near, section, "system call", 0);
		free(section);
	}
	tracepoint_free(tracepoint);
	free(event);
}

static void consider_type(struct search *search, const struct btf_reader *btf,
			  const uint32_t *words)
{
	const char *name = btf_type_name(btf, words), *tracepoint = text_after(name, "btf_trace_");

	if (btf_record_kind(words) == BTF_FUNC)
		consider(search, name, "function");
	else if (btf_record_kind(words) == BTF_TYPEDEF && tracepoint)
		consider(search, tracepoint, "tracepoint");
}

void near_names_find(struct near_names *near, const struct explanation *explanation,
		     const char *name)
{
	const struct program *program = explanation->program;
	const struct btf_reader *btf = explanation->types.btf;
	const struct symbol_table *symbols = explanation->image.symbols;
	struct search search = { .program = program, .wanted = without_padding(name),
				 .lock = PTHREAD_MUTEX_INITIALIZER, .near = near };

	*near = (struct near_names){ 0 };
	search.length = strlen(search.wanted);
	offer_system_call(near, explanation, name);
	if (program)
		workers_run(program->options->jobs, consider_units, &search);
	for (uint32_t id = 1; btf && id < btf_reader_end_id(btf); id++)
		consider_type(&search, btf, btf_reader_type(btf, id));
	for (size_t i = 0; i < symbols->symbols.count; i++)
		consider_symbol(&search, &symbols->symbols.data[i]);
}

void near_names_release(struct near_names *near)
{
	for (uint32_t i = 0; i < near->count; i++)
		free(near->names[i].name);
	near->count = 0;
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

void near_names_print_text(FILE *file, const struct near_names *near,
			   const struct explanation *explanation, const char *path)
{
	const char *name = explanation->asked, *folder = explanation->folder;
	struct symbol_search search =
		symbol_table_search_base(explanation->image.symbols, explanation->name);
	const char *first = near->count ? near->names[0].name : "", *own = without_padding(name);
	const char *what = strcmp(first, name) == 0 ? near->names[0].what : NULL;
	struct text out = { 0 };

	text_add_clean(&out, name);
	/* The clone that it may be of is the function's. */
	if (own != name && symbol_search_next(&search) &&
	    strncmp(first, own, symbol_parse(own).base_length) == 0 &&
	    !first[symbol_parse(own).base_length]) {
		text_add_clean_in(&out, ": not a function, but what is before one (padding, or the "
				  "type for CFI); ask for ", own, "\n");
		fwrite(out.data, 1, out.count, file);
		array_release(&out);
		return;
	}
	text_add_format(&out, ": %sno %s of that name is in ",
			!near->is_system_call && is_unknown(explanation)
			? "not known: the events of tracefs cannot be read, and " : "",
			kinds[explanation->kind]);
	text_add_clean(&out, folder ? folder : path);
	if (what && folder) {
		text_add_clean_in(&out, ", but in ",
				  explanation->tracepoint && explanation->tracepoint->system
				  ? explanation->tracepoint->system : path, "");
		text_add_format(&out, " is a %s: leave out ", what);
		text_add_clean(&out, folder);
	} else if (near->is_system_call) {
		text_add_string(&out, ", only a system call");
	} else if (what && explanation->program) {
		text_add_format(&out, ", only a %s", strcmp(what, "symbol") ? what : "variable");
	}
	text_add_char(&out, '\n');
	if (!near->count && folder && explanation->kind == ASKED_EVENT)
		text_add_clean_in(&out, "\n  to look for it: btfenc list --tracepoints '", folder,
				  "*'\n");
	for (uint32_t i = 0; i < near->count; i++) {
		what = near->names[i].what;
		text_add_clean_in(&out, i ? "  " : "\n  near it are:\n  ", near->names[i].name,
				  "");
		if (strcmp(what, "function") != 0)
			text_add_format(&out, ", a %s", what);
		text_add_char(&out, '\n');
	}
	fwrite(out.data, 1, out.count, file);
	array_release(&out);
}

void near_names_print_json(const struct near_names *near, const struct explanation *explanation)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < near->count; i++)
		json_array_append_new(array, json_pack("{s:o, s:s}", "name",
			json_text(near->names[i].name), "what", near->names[i].what));
	json_write(json_pack("{s:i, s:o, s:o, s:b, s:o}", "version", 1,
			     "name", json_text(explanation->name),
			     "asked", json_text(explanation->asked), "known", 0, "similar", array),
		   JSON_INDENT(2), stdout);
}
