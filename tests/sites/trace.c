/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: trace PROGRAM TRUTH BTF EXTRA PROBES
 *
 * Runs a generated program, stops at each site that a record describes or that a probe of `btfenc
 * explain` names, reads each parameter where the record or the probe argument says that it is, and
 * compares with what is passed. PROBES has a line "function NAME" per function, and after it what
 * explain prints; the lines with "p:" are read as tracefs reads them. A stop is one call: the one
 * of the function's calls (in the driver that the code belongs to, and in that iteration of its
 * loop) whose values agree with most of the parameters. Those that do not agree with it are wrong.
 *
 * One line per record and parameter, separated by tabs:
 *
 *	ENCODING SITE FUNCTION ADDRESS PARAMETER KIND PLACE VERDICT STOPS BAD REASON
 *
 * ENCODING: inline, extra, explain; SITE: site, instance; KIND: of the place, as in site_records.h,
 * "convention" where the record says that all is as in a call; VERDICT:
 *
 *	right		at each stop
 *	changed		at some stop it is what the function makes of it in its first statement
 *	late		the memory is filled later, by the code of the site
 *	narrow		of 8 bytes only the low 4 are right, which were widened
 *	bit		of a bool only the lowest bit is right
 *	wrong		at some stop
 *	none		the record does not say where it is, or the probe has no argument for it
 *	frame		relative to a frame base, which only DWARF knows
 *	unreached	nothing stopped there
 *	lost		nothing is known of the calls that get there
 *
 * Exit status: 0, 77 if nothing can be traced here, others for failures.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../site_records.h"
#include "../truth/process.h"
#include "../truth/symbols.h"
#include "expected.h"

#define HITS_MAX     400
#define SECTIONS_MAX 64
#define PENDING_MAX  64
#define LATE_STEPS   100
#define VALUE_BYTES  (8 * EXPECTED_WORDS)
#define RETURN_WORDS 1	/* what a call pushes */

struct finding {
	unsigned int stops, bad, changed, bit, narrow, late;
	char reason[160];	/* the first */
};

/* A parameter that was not yet in memory where it should be: is it a few instructions later? */
struct pending {
	struct finding *finding;	/* NULL: none */
	const struct expected_function *function;
	const struct expected_context *context;
	unsigned int parameter, steps_left;
	uint64_t address;
};

/* A record or a probe of a function that the program's author knows. */
struct site {
	uint64_t address;
	const char *encoding, *name;
	size_t number;			/* in the order of the files */
	const struct expected_function *function;
	struct record_place places[EXPECTED_PARAMETERS];
	bool by_convention, is_probe, is_instance, is_judged_again;
	unsigned int stops, lost;
	struct finding findings[EXPECTED_PARAMETERS];
};

struct section {
	char name[32];
	uint64_t address;
};

struct session {
	struct symbols symbols;
	struct expected expected;
	struct site_records records;
	struct section sections[SECTIONS_MAX];
	unsigned int section_count;
	uint64_t base;		/* of the image: CONST, ADDR counts from there */
	uint64_t iteration;	/* address of sites_iteration */
	struct site *sites;	/* by address */
	size_t site_count, site_room;
	struct breakpoint *breakpoints;
	size_t breakpoint_count;
	struct pending pending[PENDING_MAX];
	unsigned int pending_next;
};

static bool find_symbol(const void *context, const char *name, uint64_t *address, uint64_t *size)
{
	const struct symbols *symbols = context;
	const struct symbol *symbol = symbols_object(symbols, name);

	if (!symbol)
		return false;
	*address = symbol->address;
	*size = symbol->size;
	return true;
}

static void read_sections(struct session *session, const char *path)
{
	int file = open(path, O_RDONLY);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	session->base = UINT64_MAX;
	if (!elf || elf_getshdrstrndx(elf, &names))
		exit(2);
	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header)) {
		struct section *ours = &session->sections[session->section_count];

		if (!(header.sh_flags & SHF_ALLOC) || session->section_count == SECTIONS_MAX)
			continue;
		snprintf(ours->name, sizeof(ours->name), "%s",
			 elf_strptr(elf, names, header.sh_name));
		ours->address = header.sh_addr;
		session->section_count++;
		if (header.sh_addr && header.sh_addr < session->base)
			session->base = header.sh_addr;
	}
	elf_end(elf);
	close(file);
}

/* ---- one stop ---- */

/*
 * Its location at the entry by the System V ABI for x86-64 (3.2.3); the programs pass nothing but
 * integers, pointers and structs of them.
 */
static struct record_place conventional_place(const struct expected_function *function,
					      unsigned int parameter)
{
	static const uint32_t order[] = { 5, 4, 1, 2, 8, 9 };
	struct record_place place = { .kind = RECORD_NOWHERE };
	unsigned int used = 0, stack = 8 * RETURN_WORDS;

	for (unsigned int i = 0; i <= parameter; i++) {
		unsigned int size = function->sizes[i], words = (size + 7) / 8;

		place = (struct record_place){ .kind = RECORD_REGISTER, .size_bytes = size };
		if (words <= 2 && used + words <= sizeof(order) / sizeof(order[0])) {
			place.reg_count = (uint8_t)words;
			for (unsigned int k = 0; k < words; k++)
				place.regs[k] = order[used + k];
			used += words;
		} else {
			place.kind = RECORD_MEMORY;
			place.reg_count = 1;
			place.regs[0] = 7;
			place.number = stack;
			stack += 8 * words;
		}
	}
	return place;
}

/* tracefs shows exactly as many bytes as the argument's type has: a struct's are whole words. */
static bool has_width(const struct site *site, unsigned int parameter)
{
	unsigned int size = site->function->sizes[parameter];

	return !site->is_probe ||
	       site->places[parameter].size_bytes == (size > 8 ? (size + 7) / 8 * 8 : size);
}

/* False: nothing can be read there. */
static bool read_place(const struct session *session, struct process *process,
		       const struct machine_state *state, const struct record_place *place,
		       unsigned int size, uint8_t value[VALUE_BYTES])
{
	uint64_t words[EXPECTED_WORDS] = { 0 };

	if (place->reg_count > 1 && place->regs[1] >= DWARF_REGISTERS)
		return false;
	if (place->reg_count && place->regs[0] >= DWARF_REGISTERS)
		return false;
	switch (place->kind) {
	case RECORD_REGISTER:
		if (size > 8 && place->reg_count == 1 && place->regs[0] < DWARF_XMM0)
			return false;
		memcpy(words, state->dwarf[place->regs[0]], 16);
		if (place->reg_count > 1)
			words[1] = state->dwarf[place->regs[1]][0];
		break;
	case RECORD_SUM:
		words[0] = state->dwarf[place->regs[0]][0] + place->number;
		break;
	case RECORD_MEMORY:
		return process_read(process, state->dwarf[place->regs[0]][0] + place->number, value,
				    size);
	case RECORD_CONSTANT:
		if (size > 8)
			return false;
		words[0] = place->number;
		break;
	case RECORD_ADDRESS:
		words[0] = place->number + session->base;
		break;
	default:
		return false;
	}
	memcpy(value, words, VALUE_BYTES);
	return true;
}

static void expected_bytes(struct process *process, const struct expected_value *expected,
			   uint8_t value[VALUE_BYTES])
{
	uint64_t words[EXPECTED_WORDS], logged;

	memcpy(words, expected->words, sizeof(words));
	if (expected->base == 'S')
		words[0] += expected->address;
	if (expected->base == 'L') {
		process_read(process, expected->address, &logged, sizeof(logged));
		words[0] += logged;
	}
	memcpy(value, words, sizeof(words));
}

struct seen {
	bool is_described, is_readable;
	uint8_t value[VALUE_BYTES];
};

/* Equal bits: of several calls that do not fit the nearest is meant. */
static unsigned int equal_bits(const uint8_t *one, const uint8_t *other, unsigned int bytes)
{
	unsigned int count = 8 * bytes;

	while (bytes--)
		count -= (unsigned int)__builtin_popcount(one[bytes] ^ other[bytes]);
	return count;
}

/* Rates how well it fits: wide values that agree count most. wrong[i]: the ith does not. */
static uint64_t compare(struct process *process, const struct site *site, const struct seen *seen,
			const struct expected_context *context, bool *wrong)
{
	uint64_t score = 0;

	for (unsigned int i = 0; i < site->function->parameter_count; i++) {
		unsigned int bytes = site->function->sizes[i];
		uint8_t value[VALUE_BYTES];

		wrong[i] = false;
		if (!seen[i].is_described)
			continue;
		expected_bytes(process, &context->values[i], value);
		wrong[i] = !seen[i].is_readable || memcmp(value, seen[i].value, bytes) != 0;
		if (!wrong[i])
			score += (uint64_t)bytes << 20;
		else if (seen[i].is_readable)
			score += equal_bits(value, seen[i].value, bytes);
		if (!wrong[i] || !seen[i].is_readable)
			continue;
		expected_bytes(process, &context->changed[i], value);
		score += memcmp(value, seen[i].value, bytes) == 0 ? bytes << 19 : 0;
	}
	return score;
}

/* Was it an int that should have been widened, and are the bytes above it wrong? */
static bool is_narrow(const uint8_t *expected, const uint8_t *seen, unsigned int bytes)
{
	uint64_t word;

	memcpy(&word, expected, sizeof(word));
	return bytes == 8 && memcmp(expected, seen, 4) == 0 &&
	       (word == (uint32_t)word || word == (uint64_t)(int64_t)(int32_t)word);
}

static bool is_possible(const struct expected_context *context, const struct site *site,
			uint64_t iteration)
{
	/* Code of its own (.isra, .cold, .part, another function) may belong to any driver. */
	if (!site->is_instance && context->driver_begin <= site->address &&
	    site->address < context->driver_end)
		return context->iteration < 0 || (uint64_t)context->iteration == iteration ||
		       (uint64_t)context->iteration == iteration + 1;
	return false;
}

static void text_of(const uint8_t *value, unsigned int size, char *text)
{
	for (unsigned int i = 0; i < size; i += 8) {
		uint64_t word = 0;

		memcpy(&word, value + i, size - i < 8 ? size - i : 8);
		text += sprintf(text, "%s%" PRIx64, i ? "," : "", word);
	}
}

static void await(struct session *session, const struct machine_state *state,
		  const struct record_place *place, const struct pending *what)
{
	struct pending *pending = &session->pending[session->pending_next++ % PENDING_MAX];

	if (place->kind != RECORD_MEMORY || place->regs[0] >= DWARF_REGISTERS)
		return;
	*pending = *what;
	pending->address = state->dwarf[place->regs[0]][0] + place->number;
	pending->steps_left = LATE_STEPS;
}

static bool is_passed(struct process *process, const struct expected_context *context,
		      unsigned int parameter, const uint8_t *now, unsigned int bytes)
{
	uint8_t value[VALUE_BYTES];

	expected_bytes(process, &context->values[parameter], value);
	if (memcmp(now, value, bytes) == 0)
		return true;
	expected_bytes(process, &context->changed[parameter], value);
	return memcmp(now, value, bytes) == 0;
}

/* While it was not there, which call it is may have been mistaken: of wide values any is good. */
static bool is_there(struct process *process, const struct pending *pending)
{
	unsigned int bytes = pending->function->sizes[pending->parameter];
	uint8_t now[VALUE_BYTES];

	if (!process_read(process, pending->address, now, bytes))
		return false;
	if (bytes < 4)
		return is_passed(process, pending->context, pending->parameter, now, bytes);
	for (size_t i = 0; i < pending->function->context_count; i++) {
		if (is_passed(process, &pending->function->contexts[i], pending->parameter, now,
			      bytes))
			return true;
	}
	return false;
}

static void look_again(struct session *session, struct process *process)
{
	for (unsigned int i = 0; i < PENDING_MAX; i++) {
		struct pending *pending = &session->pending[i];

		if (!pending->finding)
			continue;
		if (is_there(process, pending)) {
			pending->finding->late++;
			pending->finding = NULL;
		} else if (!--pending->steps_left) {
			pending->finding = NULL;
		}
	}
}

static void judge(struct session *session, struct process *process, struct site *site,
		  const struct machine_state *state)
{
	const struct expected_function *function = site->function;
	const struct expected_context *best = NULL;
	bool wrong[EXPECTED_PARAMETERS], best_wrong[EXPECTED_PARAMETERS] = { false };
	struct seen seen[EXPECTED_PARAMETERS] = { 0 };
	uint64_t most = 0;
	uint64_t iteration = 0;

	site->stops++;
	process_read(process, session->iteration, &iteration, sizeof(iteration));
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		const struct record_place *place = &site->places[i];

		seen[i].is_described = place->kind != RECORD_NOWHERE &&
				       place->regs[0] != RECORD_FRAME_BASE;
		seen[i].is_readable = has_width(site, i) &&
				      read_place(session, process, state, place,
						 function->sizes[i], seen[i].value);
	}
	for (int pass = 0; pass < 2 && !best; pass++) {
		for (size_t i = 0; i < function->context_count; i++) {
			const struct expected_context *context = &function->contexts[i];
			uint64_t score;

			if (pass == 0 && !is_possible(context, site, iteration))
				continue;
			score = compare(process, site, seen, context, wrong);
			if (best && score <= most)
				continue;
			best = context;
			most = score;
			memcpy(best_wrong, wrong, sizeof(wrong));
		}
	}
	if (!best) {
		site->lost++;
		return;
	}
	for (unsigned int i = 0; i < function->parameter_count; i++) {
		struct finding *finding = &site->findings[i];
		uint8_t value[VALUE_BYTES], changed[VALUE_BYTES];
		char is[64] = "?", should[64];

		finding->stops++;
		if (!best_wrong[i])
			continue;
		finding->bad++;
		expected_bytes(process, &best->values[i], value);
		text_of(value, function->sizes[i], should);
		if (seen[i].is_readable)
			text_of(seen[i].value, function->sizes[i], is);
		expected_bytes(process, &best->changed[i], changed);
		struct pending pending = { .finding = finding, .function = function,
					   .context = best, .parameter = i };

		await(session, state, &site->places[i], &pending);
		finding->changed += memcmp(changed, seen[i].value, function->sizes[i]) == 0;
		finding->bit += function->sizes[i] == 1 && value[0] < 2 &&
				(seen[i].value[0] & 1) == value[0];
		finding->narrow += is_narrow(value, seen[i].value, function->sizes[i]);
		if (finding->bad == 1)
			snprintf(finding->reason, sizeof(finding->reason),
				 "%s instead of %s (stop %u)", is, should, site->stops);
	}
}

static void at_stop(void *context, struct process *process, enum stop_kind kind, uint64_t address,
		    const struct machine_state *state)
{
	struct session *session = context;

	if (kind == STOP_STEP)
		look_again(session, process);
	for (size_t i = 0; i < session->site_count; i++) {
		struct site *site = &session->sites[i];

		if (site->address == address && (kind != STOP_STEP || site->is_judged_again) &&
		    site->stops < HITS_MAX)
			judge(session, process, site, state);
	}
}

/* Once more, step by step, those that had something in memory that was not there. */
static bool judge_again(struct session *session, const char *path)
{
	bool any = false;

	memset(session->pending, 0, sizeof(session->pending));
	for (size_t i = 0; i < session->site_count; i++) {
		struct site *site = &session->sites[i];

		for (unsigned int k = 0; k < site->function->parameter_count; k++)
			site->is_judged_again |= site->findings[k].bad &&
						 site->places[k].kind == RECORD_MEMORY;
		if (site->is_judged_again) {
			memset(site->findings, 0, sizeof(site->findings));
			site->stops = site->lost = 0;
			any = true;
		}
	}
	return !any || process_step(path, at_stop, session);
}

/* ---- before and after ---- */

static int by_address(const void *a, const void *b)
{
	const struct site *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static bool is_symbol(const struct session *session, const char *name, uint64_t address)
{
	for (size_t i = 0; i < session->symbols.count; i++) {
		const struct symbol *symbol = &session->symbols.data[i];

		if (symbol->address == address && strcmp(symbol->name, name) == 0)
			return true;
	}
	return false;
}

static struct site *add_site(struct session *session, const struct expected_function *function,
			     const char *encoding, const char *name)
{
	struct site *site;

	if (session->site_count == session->site_room) {
		session->site_room = 2 * session->site_room + 64;
		session->sites =
			realloc(session->sites, session->site_room * sizeof(*session->sites));
		if (!session->sites)
			abort();
	}
	site = &session->sites[session->site_count];
	*site = (struct site){ .encoding = encoding, .name = name, .function = function,
			       .number = session->site_count++ };
	return site;
}

static void find_sites(struct session *session)
{
	for (size_t i = 0; i < session->records.count; i++) {
		const struct site_record *record = &session->records.data[i];
		const struct expected_function *function =
			expected_function(&session->expected, record->name);
		unsigned int section = 0;
		struct site *site;

		if (!function || record->says == RECORD_NOTHING)
			continue;
		/* A renamed copy may have lost parameters; its prototype says which it has. */
		if (record->parameter_count != function->parameter_count) {
			fprintf(stderr, "%s: %u parameters\n", record->name,
				record->parameter_count);
			exit(2);
		}
		while (section < session->section_count &&
		       strcmp(session->sections[section].name, record->section) != 0)
			section++;
		if (section == session->section_count) {
			fprintf(stderr, "%s: no section %s\n", record->name, record->section);
			exit(2);
		}
		site = add_site(session, function,
				record->encoding == RECORD_EXTRA ? "extra" : "inline",
				record->name);
		site->by_convention = record->says == RECORD_CONVENTION;
		site->address = session->sections[section].address + record->offset;
		site->is_instance = is_symbol(session, record->name, site->address);
		for (unsigned int k = 0; k < function->parameter_count; k++)
			site->places[k] = site->by_convention
				? conventional_place(function, k)
				: session->records.places[record->first_place + k];
	}
}

/* ---- what explain prints ---- */

static void fail_probe(const char *what, const char *word)
{
	fprintf(stderr, "explain: %s: '%s'\n", what, word);
	exit(2);
}

/* "caller+0x1c", "0x401000": kprobes find the symbol if no other has its name. */
static uint64_t probed_address(const struct session *session, char *place)
{
	char *plus = strchr(place, '+');
	uint64_t address = UINT64_MAX;

	if (strncmp(place, "0x", 2) == 0)
		return strtoull(place, NULL, 16);
	if (plus)
		*plus = '\0';
	for (size_t i = 0; i < session->symbols.count; i++) {
		const struct symbol *symbol = &session->symbols.data[i];

		if (strcmp(symbol->name, place) != 0)
			continue;
		if (address != UINT64_MAX && address != symbol->address)
			fail_probe("several symbols have this name", place);
		address = symbol->address;
	}
	if (address == UINT64_MAX)
		fail_probe("no symbol has this name", place);
	return address + (plus ? strtoull(plus + 1, NULL, 16) : 0);
}

/* "p2=+56(%sp):x64"; "p1_1=%di:x64" and "p1_2=%si:x64" are the words of one struct. */
static void add_argument(struct site *site, char *argument)
{
	char *value = strchr(argument, '='), *type = value ? strrchr(value, ':') : NULL, *after;
	unsigned long parameter = strtoul(argument + 1, &after, 10), part = 1;
	struct record_place read = { 0 }, *place;
	unsigned long bits;

	if (*argument != 'p' || !type || !strchr("usx", type[1]) ||
	    parameter >= site->function->parameter_count)
		fail_probe("no argument", argument);
	place = &site->places[parameter];
	bits = strtoul(type + 2, NULL, 10);
	*type = '\0';
	if (*after == '_')
		part = strtoul(after + 1, &after, 10);
	if (after != value || !record_place_read(&read, value + 1, EM_X86_64))
		fail_probe("no argument", argument);
	if (part == 1) {
		*place = read;
	} else {
		if (read.kind != RECORD_REGISTER || place->kind != RECORD_REGISTER)
			fail_probe("no second word", argument);
		place->regs[place->reg_count++] = read.regs[0];
	}
	place->size_bytes += (uint32_t)(bits / 8);
}

static void read_probes(struct session *session, const char *path)
{
	const struct expected_function *function = NULL;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		fail_probe("cannot be read", path);
	while (getline(&line, &room, file) > 0) {
		char *word = strtok(line, " \n"), *place;
		struct site *site;

		if (word && strcmp(word, "function") == 0 && (word = strtok(NULL, " \n")))
			function = expected_function(&session->expected, word);
		if (word && strcmp(word, "tracefs") == 0)
			word = strtok(NULL, " \n");
		if (!word || strncmp(word, "p:", 2) != 0)
			continue;
		place = strtok(NULL, " \n");
		if (!function || !place)
			fail_probe("no probe", word);
		site = add_site(session, function, "explain", function->name);
		site->is_probe = true;
		site->is_instance = !strstr(word, "_inline_");
		site->address = probed_address(session, place);
		while ((word = strtok(NULL, " \n")) && *word != '#')
			add_argument(site, word);
	}
	free(line);
	fclose(file);
}

static void set_breakpoints(struct session *session)
{
	session->breakpoints = calloc(session->site_count + 1, sizeof(*session->breakpoints));
	qsort(session->sites, session->site_count, sizeof(*session->sites), by_address);
	for (size_t i = 0; i < session->site_count; i++) {
		if (i && session->sites[i].address == session->sites[i - 1].address)
			continue;
		session->breakpoints[session->breakpoint_count++] =
			(struct breakpoint){ .address = session->sites[i].address,
					     .hits_left = HITS_MAX };
	}
}

/* The error, if it is the same at each bad stop. */
static const char *verdict_of_bad(const struct finding *finding)
{
	return finding->bad == finding->changed ? "changed" :
	       finding->bad == finding->bit ? "bit" :
	       finding->bad == finding->narrow ? "narrow" :
	       finding->bad == finding->late ? "late" : "wrong";
}

static void report(const struct session *session)
{
	for (size_t i = 0; i < session->site_count; i++) {
		const struct site *site = &session->sites[i];

		for (unsigned int k = 0; k < site->function->parameter_count; k++) {
			const struct record_place *place = &site->places[k];
			const struct finding *finding = &site->findings[k];
			char text[64];

			printf("%s\t%s\t%s\t0x%" PRIx64 "\t%u\t%s\t%s\t%s\t%u\t%u\t%s\n",
			       site->encoding, site->is_instance ? "instance" : "site",
			       site->name, site->address, k,
			       site->by_convention ? "convention" :
			       record_place_names[place->kind],
			       record_place_text(place, text, sizeof(text)),
			       place->kind == RECORD_NOWHERE ? "none" :
			       !site->stops ? "unreached" :
			       place->regs[0] == RECORD_FRAME_BASE ? "frame" :
			       finding->bad ? verdict_of_bad(finding) :
			       !finding->stops ? "lost" : "right",
			       finding->stops, finding->bad,
			       finding->reason[0] ? finding->reason : "-");
		}
	}
}

int main(int argc, char **argv)
{
	struct session session = { 0 };
	uint64_t size;

	if (argc != 6) {
		fprintf(stderr, "usage: trace PROGRAM TRUTH BTF EXTRA PROBES\n");
		return 2;
	}
	symbols_read(&session.symbols, argv[1]);
	read_sections(&session, argv[1]);
	expected_read(&session.expected, argv[2], find_symbol, &session.symbols);
	if (!find_symbol(&session.symbols, "sites_iteration", &session.iteration, &size))
		return 2;
	if (!site_records_read(&session.records, argv[3], argv[4], EM_X86_64)) {
		fprintf(stderr, "%s: %s (%u complaints)\n", argv[3], session.records.complaint,
			session.records.complaints);
		return 2;
	}
	find_sites(&session);
	read_probes(&session, argv[5]);
	set_breakpoints(&session);
	if (!process_trace(argv[1], session.breakpoints, session.breakpoint_count, at_stop,
			   &session))
		return 77;
	if (!judge_again(&session, argv[1])) {
		fprintf(stderr, "%s: cannot be stepped through\n", argv[1]);
		return 2;
	}
	report(&session);
	site_records_release(&session.records);
	expected_release(&session.expected);
	symbols_release(&session.symbols);
	free(session.sites);
	free(session.breakpoints);
	return ferror(stdout) != 0;
}
