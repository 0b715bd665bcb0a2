/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_sites [-a] [-v] [-s N] FILE BTF EXTRA
 *
 * Differential test: the inline sites of a file, as encode has written them (BTF, EXTRA:
 * docs/format.md), against the DW_TAG_inlined_subroutine that libdw finds. A record is looked up by
 * the name of the function and its address; each of its parameters is compared with what
 * tests/site_expression.h makes of the site's own DIE. Several sites of one function may begin at
 * one address: each takes the record that fits best.
 *
 *	-a	units in all languages; else those in C++ and Rust, which encode leaves out, are
 *		only counted
 *	-v	every difference and every place that a record leaves out
 *	-s N	one unit of N
 *
 * A contradiction is: a place that is another one; a place where there is none; a site that
 * .BTF.extra does not have; a record without a DIE (not with -s). What a record leaves out is
 * counted by reason. So are locations in a frame where libdw has no backend for the machine.
 *
 * Exit status: 0 no contradiction, 1 some, 3 a file cannot be read.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/libdw_file.h"
#include "tests/site_expression.h"

#define MAX_DEPTH	1024
#define MAX_DIFFERENCES 20
#define CHAIN_MAX	16
#define PARAMETERS_MAX	64
#define REASONS_MAX	64

/* A record by where it is. */
struct entry {
	const struct site_record *record;
	uint64_t address;
	bool is_used;
	bool may_be_used;	/* by a site with a parameter that is not judged */
};

/* libdw's reading of one parameter of a site. */
struct reading {
	enum site_reading kind;
	struct record_place place;
	uint32_t size_bytes;
	const char *why;
};

struct reason {
	char text[120];
	uint64_t count;
};

struct session {
	const char *path;
	struct object object;
	struct libdw_file theirs;
	struct site_records records;
	struct site_scope scope;
	ARRAY_OF(struct entry) entries[RECORD_ENCODINGS];
	ARRAY_OF(const char *) symbols;		/* names, sorted */
	bool is_verbose, takes_all_languages;
	unsigned int stride;
	uint64_t units_left_out;
	uint64_t sites, without_code, not_placed;
	uint64_t found[RECORD_ENCODINGS], missing[RECORD_ENCODINGS];
	uint64_t parameters[RECORD_ENCODINGS], agreed[RECORD_ENCODINGS][RECORD_PLACE_KINDS];
	uint64_t unknown[RECORD_ENCODINGS], entry_values[RECORD_ENCODINGS];
	uint64_t left_out[RECORD_ENCODINGS], contradictions;
	struct reason reasons[REASONS_MAX];
	unsigned int reason_count;
};

static const char *const encoding_names[RECORD_ENCODINGS] = { "inline", "extra" };

__attribute__((format(printf, 2, 3)))
static void contradict(struct session *s, const char *format, ...)
{
	va_list args;

	if (s->contradictions++ >= MAX_DIFFERENCES && !s->is_verbose)
		return;
	printf("%s: ", s->path);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

__attribute__((format(printf, 2, 3)))
static void count_reason(struct session *s, const char *format, ...)
{
	char text[sizeof(s->reasons[0].text)];
	unsigned int i = 0;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	while (i < s->reason_count && strcmp(s->reasons[i].text, text) != 0)
		i++;
	if (i == REASONS_MAX)
		return;
	if (i == s->reason_count)
		memcpy(s->reasons[s->reason_count++].text, text, sizeof(text));
	s->reasons[i].count++;
}

/* ---- records ---- */

static int compare_entries(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return strcmp(one->record->name, other->record->name);
}

static bool index_records(struct session *s)
{
	for (size_t i = 0; i < s->records.count; i++) {
		const struct site_record *record = &s->records.data[i];
		size_t at = 1;

		while (at < s->object.header_count &&
		       (!(s->object.headers[at].flags & SHF_ALLOC) ||
			strcmp(s->object.headers[at].name, record->section) != 0))
			at++;
		if (at == s->object.header_count || record->offset >= s->object.headers[at].size) {
			contradict(s, "%s: %s + 0x%x is nowhere", record->name, record->section,
				   record->offset);
			continue;
		}
		array_push(&s->entries[record->encoding], ((struct entry){
			record, s->object.headers[at].address + record->offset, false, false }));
	}
	for (int encoding = 0; encoding < RECORD_ENCODINGS; encoding++)
		array_sort(&s->entries[encoding], compare_entries);
	return s->contradictions == 0;
}

/* The records of a function at an address; *count: how many. */
static struct entry *find_entries(struct session *s, int encoding, const char *name,
				  uint64_t address, size_t *count)
{
	const struct site_record key = { .name = name };
	const struct entry wanted = { &key, address, false, false };
	struct entry *first = s->entries[encoding].data;
	size_t low = 0, high = s->entries[encoding].count, end = high;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_entries(&first[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < end && compare_entries(&first[low + *count], &wanted) == 0)
		++*count;
	return array_place(&s->entries[encoding], low);
}

/* ---- symbols ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_symbols(struct session *s)
{
	Elf_Scn *section = libdw_file_symbols(&s->object);
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	gelf_getshdr(section, &header);
	for (int i = 1; gelf_getsym(data, i, &symbol); i++)
		array_push(&s->symbols, elf_strptr(s->object.elf, header.sh_link, symbol.st_name));
	array_sort(&s->symbols, by_name);
}

static bool is_symbol(const struct session *s, const char *name)
{
	return s->symbols.count && bsearch(&name, s->symbols.data, s->symbols.count,
					   sizeof(*s->symbols.data), by_name);
}

/* ---- one site ---- */

static bool origin_of(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, origin);
}

static void last_origin(Dwarf_Die *die, Dwarf_Die *last)
{
	Dwarf_Die next;

	*last = *die;
	for (int steps = 0; steps < CHAIN_MAX && origin_of(last, &next); steps++)
		*last = next;
}

/* DW_AT_entry_pc, else DW_AT_low_pc, else the lowest address of the ranges. */
static bool site_address(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Addr base, from, to, lowest = UINT64_MAX, start;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Word number;

	while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0) {
		if (from < to && from < lowest)
			lowest = from;
	}
	if (dwarf_lowpc(die, &start) != 0)
		start = lowest;
	if (!dwarf_attr(die, DW_AT_entry_pc, &attr)) {
		*address = start;
		return start != UINT64_MAX;
	}
	if (dwarf_formaddr(&attr, address) == 0)
		return true;
	/* Else it counts from the base address of the DIE. */
	if (dwarf_formudata(&attr, &number) || start == UINT64_MAX)
		return false;
	*address = start + number;
	return true;
}

/* Is it in a section that is loaded and holds code? */
static bool is_placed(const struct session *s, uint64_t address)
{
	for (size_t i = 1; i < s->object.header_count; i++) {
		const struct section_header *header = &s->object.headers[i];

		if ((header->flags & SHF_ALLOC) && (header->flags & SHF_EXECINSTR) &&
		    header->address && header->address <= address &&
		    address < header->address + header->size)
			return true;
	}
	return false;
}

static uint32_t size_of(Dwarf_Die *parameter)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	Dwarf_Word bytes;

	if (!dwarf_attr_integrate(parameter, DW_AT_type, &attr) ||
	    !dwarf_formref_die(&attr, &type) || dwarf_aggregate_size(&type, &bytes))
		return 0;
	return (uint32_t)bytes;
}

/* The parameters are the function's, their abstract DIEs. */
static bool read_site(struct session *s, Dwarf_Die *die, Dwarf_Die *parameters,
		      struct reading *readings, int count)
{
	Dwarf_Die child, origin;

	for (int i = 0; i < count; i++)
		readings[i] = (struct reading){ .kind = READING_ABSENT, .why = "no DIE",
						.size_bytes = size_of(&parameters[i]) };
	if (dwarf_child(die, &child) != 0)
		return true;
	do {
		struct reading *reading;
		int number = 0;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		last_origin(&child, &origin);
		while (number < count &&
		       dwarf_dieoffset(&parameters[number]) != dwarf_dieoffset(&origin))
			number++;
		if (number == count)
			return false;
		reading = &readings[number];
		reading->kind = site_read_parameter(&s->scope, &child, reading->size_bytes,
						    &reading->place, &reading->why);
	} while (dwarf_siblingof(&child, &child) == 0);
	return true;
}

/* ---- comparing ---- */

static uint64_t low_bytes(uint64_t number, uint32_t bytes)
{
	return bytes && bytes < 8 ? number & ((1UL << 8 * bytes) - 1) : number;
}

/* A register, and a register + 0, are one place. */
static bool same_place(const struct record_place *one, const struct record_place *other,
		       uint32_t size_bytes)
{
	if (one->kind == RECORD_REGISTER && one->reg_count == 1 && other->kind == RECORD_SUM)
		return one->regs[0] == other->regs[0] && other->number == 0;
	if (one->kind != other->kind)
		return false;
	switch (one->kind) {
	case RECORD_REGISTER:
		return one->reg_count == other->reg_count && one->regs[0] == other->regs[0] &&
		       (one->reg_count < 2 || one->regs[1] == other->regs[1]);
	case RECORD_SUM:
	case RECORD_MEMORY:
		return one->regs[0] == other->regs[0] && one->number == other->number;
	case RECORD_CONSTANT:
		return low_bytes(one->number, size_bytes) == low_bytes(other->number, size_bytes);
	default:
		return one->number == other->number;
	}
}

/* Can the encoding say it at all? */
static const char *why_not_said(const struct session *s, int encoding,
				const struct reading *reading)
{
	const struct record_place *place = &reading->place;

	if (!reading->size_bytes)
		return "a parameter of no size";
	if ((place->kind == RECORD_SUM || place->kind == RECORD_MEMORY) &&
	    place->number != (uint64_t)(int64_t)(int32_t)place->number)
		return "a number of more than 32 bits";
	if (encoding == RECORD_LOCSEC)
		return NULL;
	if (place->kind == RECORD_SUM)
		return "register + number has no string";
	if (place->kind == RECORD_ADDRESS)
		return "an address has no string";
	if (place->reg_count && place->regs[0] == RECORD_FRAME_BASE)
		return "the frame base has no string";
	if (place->reg_count && place->regs[0] > 15 && s->records.machine == EM_X86_64)
		return "the register has no name";
	return NULL;
}

enum comparison {
	COMPARISON_SAME,
	COMPARISON_LEFT_OUT,
	COMPARISON_UNKNOWN,
	COMPARISON_DIFFERENT,
};

static enum comparison compare(const struct reading *reading, const struct record_place *place)
{
	switch (reading->kind) {
	case READING_UNKNOWN:
		return COMPARISON_UNKNOWN;
	case READING_ABSENT:
	case READING_NO_PLACE:
		return place->kind == RECORD_NOWHERE ? COMPARISON_SAME : COMPARISON_DIFFERENT;
	case READING_ENTRY:
		if (place->kind == RECORD_NOWHERE)
			return COMPARISON_SAME;
		break;
	default:
		if (place->kind == RECORD_NOWHERE)
			return COMPARISON_LEFT_OUT;
	}
	if (place->size_bytes && place->size_bytes != reading->size_bytes)
		return COMPARISON_DIFFERENT;
	return same_place(&reading->place, place, reading->size_bytes) ? COMPARISON_SAME :
									 COMPARISON_DIFFERENT;
}

static struct record_place place_in(const struct session *s, const struct site_record *record,
				    int parameter)
{
	struct record_place place = { .kind = RECORD_NOWHERE };

	if (record->says == RECORD_PLACES)
		place = s->records.places[record->first_place + (uint32_t)parameter];
	return place;
}

/* Rates how well it fits: differences weigh most. */
static uint64_t distance(const struct session *s, const struct entry *entry,
			 const struct reading *readings, int count)
{
	uint64_t sum = entry->is_used;

	if (entry->record->says != RECORD_PLACES)
		return 1UL << 40;
	for (int i = 0; i < count; i++) {
		struct record_place place = place_in(s, entry->record, i);

		switch (compare(&readings[i], &place)) {
		case COMPARISON_DIFFERENT:
			sum += 1 << 20;
			break;
		case COMPARISON_LEFT_OUT:
			sum += 1 << 8;
			break;
		default:
			break;
		}
	}
	return sum;
}

static void compare_parameter(struct session *s, int encoding, const char *name, uint64_t offset,
			      int number, const struct reading *reading,
			      const struct record_place *place)
{
	char ours[64], theirs[64];
	const char *excuse;

	s->parameters[encoding]++;
	record_place_text(place, ours, sizeof(ours));
	record_place_text(&reading->place, theirs, sizeof(theirs));
	switch (compare(reading, place)) {
	case COMPARISON_SAME:
		s->agreed[encoding][place->kind]++;
		s->entry_values[encoding] += reading->kind == READING_ENTRY &&
					     place->kind != RECORD_NOWHERE;
		break;
	case COMPARISON_UNKNOWN:
		s->unknown[encoding]++;
		count_reason(s, "%s: not judged: %s", encoding_names[encoding], reading->why);
		break;
	case COMPARISON_LEFT_OUT:
		excuse = why_not_said(s, encoding, reading);
		count_reason(s, "%s: left out: %s", encoding_names[encoding],
			     excuse ? excuse : record_place_names[reading->place.kind]);
		if (excuse)
			break;
		s->left_out[encoding]++;
		if (s->is_verbose)
			printf("left out: %s, DIE 0x%" PRIx64 ", pc 0x%" PRIx64
			       ", parameter %d of %s: %s\n", encoding_names[encoding], offset,
			       s->scope.pc, number, name, theirs);
		break;
	case COMPARISON_DIFFERENT:
		contradict(s, "%s: DIE 0x%" PRIx64 ", pc 0x%" PRIx64
			   ", parameter %d (%u bytes) of %s: %s, libdw has %s %s (%s)",
			   encoding_names[encoding], offset, s->scope.pc, number,
			   reading->size_bytes, name, ours,
			   site_reading_names[reading->kind],
			   reading->kind <= READING_ENTRY ? theirs : "", reading->why);
	}
}

/* Clang describes "..." only for functions out of line. */
static bool has_parameters(const struct session *s, const struct site_record *record, int count,
			   bool is_variadic)
{
	uint32_t given = record->parameter_count, wanted = (uint32_t)(count + is_variadic);

	if (!is_variadic && record->prototype && given == wanted + 1)
		return !*site_records_name(&s->records, record, given - 1) &&
		       !site_records_size(&s->records, record, given - 1);
	return given == wanted;
}

static void compare_site(struct session *s, int encoding, const char *name, Dwarf_Die *die,
			 const struct reading *readings, int count, bool is_variadic)
{
	uint64_t best_distance = UINT64_MAX;
	struct entry *best = NULL, *entries;
	size_t entry_count;

	entries = find_entries(s, encoding, name, s->scope.pc, &entry_count);
	for (size_t i = 0; i < entry_count; i++) {
		uint64_t this = has_parameters(s, entries[i].record, count, is_variadic) ?
				distance(s, &entries[i], readings, count) : UINT64_MAX - 1;

		if (this < best_distance) {
			best_distance = this;
			best = &entries[i];
		}
	}
	if (!best) {
		s->missing[encoding]++;
		if (encoding == RECORD_LOCSEC)
			count_reason(s, "%s: no record: %s", encoding_names[encoding],
				     is_symbol(s, name) ? "there is a symbol of that name" :
							  "there is none");
		else
			contradict(s, "%s: DIE 0x%" PRIx64 ", pc 0x%" PRIx64 ", %s: no record",
				   encoding_names[encoding], dwarf_dieoffset(die), s->scope.pc,
				   name);
		return;
	}
	s->found[encoding]++;
	best->is_used = true;
	for (int i = 0; i < count; i++) {
		for (size_t k = 0; readings[i].kind == READING_UNKNOWN && k < entry_count; k++)
			entries[k].may_be_used = true;
	}
	if (!has_parameters(s, best->record, count, is_variadic)) {
		contradict(s, "%s: DIE 0x%" PRIx64 ", %s: %u parameters, not %d",
			   encoding_names[encoding], dwarf_dieoffset(die), name,
			   best->record->parameter_count, count + is_variadic);
		return;
	}
	if (best->record->says != RECORD_PLACES && count) {
		count_reason(s, "%s: %s instead of places", encoding_names[encoding],
			     best->record->says == RECORD_NOTHING ? "nothing" : "the convention");
		return;
	}
	for (int i = 0; i < count; i++) {
		struct record_place place = place_in(s, best->record, i);

		compare_parameter(s, encoding, name, dwarf_dieoffset(die), i, &readings[i],
				  &place);
	}
}

static void visit_site(struct session *s, Dwarf_Die *die)
{
	struct reading readings[PARAMETERS_MAX];
	Dwarf_Die function, parameters[PARAMETERS_MAX];
	Dwarf_Attribute attr;
	const char *name;
	bool is_variadic;
	int count;

	s->sites++;
	if (!site_address(die, &s->scope.pc)) {
		s->without_code++;
		return;
	}
	if (!is_placed(s, s->scope.pc)) {
		s->not_placed++;
		return;
	}
	s->scope.has_view = dwarf_attr(die, DW_AT_GNU_entry_view, &attr) &&
			    dwarf_formudata(&attr, &s->scope.view) == 0;
	last_origin(die, &function);
	name = dwarf_diename(&function);
	count = libdw_parameters(&function, parameters, PARAMETERS_MAX, &is_variadic);
	if (!name || count < 0 || !read_site(s, die, parameters, readings, count)) {
		count_reason(s, "not judged: a function without name, or with other parameters");
		return;
	}
	for (int encoding = 0; encoding < RECORD_ENCODINGS; encoding++)
		compare_site(s, encoding, name, die, readings, count, is_variadic);
}

/* ---- the walk ---- */

/* Does encode leave units in this language out, unless told otherwise? */
static bool is_left_out(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_Rust:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2a:	/* DW_LANG_C_plus_plus_17 */
	case 0x2b:	/* DW_LANG_C_plus_plus_20 */
	case 0x3a:	/* DW_LANG_C_plus_plus_23 */
		return true;
	default: return false;
	}
}

static void visit_unit(struct session *s, Dwarf_Die *unit)
{
	static Dwarf_Die dies[MAX_DEPTH], functions[MAX_DEPTH];
	unsigned int depth = 0;

	if (dwarf_child(unit, &dies[0]) != 0)
		return;
	functions[0] = *unit;
	for (;;) {
		Dwarf_Die *die = &dies[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_inlined_subroutine) {
			s->scope.function = functions[depth];
			visit_site(s, die);
		}
		if (depth + 1 < MAX_DEPTH &&
		    (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_inlined_subroutine) && dwarf_child(die, &dies[depth + 1]) == 0) {
			functions[depth + 1] = tag == DW_TAG_subprogram ? *die : functions[depth];
			depth++;
			continue;
		}
		while (dwarf_siblingof(&dies[depth], &dies[depth]) != 0) {
			if (depth == 0)
				return;
			depth--;
		}
	}
}

static void visit_file(struct session *s)
{
	Dwarf_CU *unit = NULL;
	unsigned int number = 0;
	Dwarf_Die die;

	while (dwarf_get_units(s->theirs.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (number++ % s->stride != 0)
			continue;
		if (!s->takes_all_languages && is_left_out(&die))
			s->units_left_out++;
		else
			visit_unit(s, &die);
	}
}

/* The lowest address of what is loaded, but for sections at 0 (docs/format.md). */
static uint64_t image_base(const struct object *object)
{
	uint64_t base = UINT64_MAX;

	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];

		if ((header->flags & SHF_ALLOC) && header->address && header->address < base)
			base = header->address;
	}
	return base;
}

static void check_unused(struct session *s)
{
	for (int encoding = 0; encoding < RECORD_ENCODINGS; encoding++) {
		for (size_t i = 0; i < s->entries[encoding].count; i++) {
			const struct entry *entry = &s->entries[encoding].data[i];

			/* An instance has its symbol's name. */
			if (entry->is_used || is_symbol(s, entry->record->name))
				continue;
			if (entry->may_be_used)
				count_reason(s, "%s: not judged: two records of one "
					     "function and address", encoding_names[encoding]);
			else
				contradict(s, "%s: %s at 0x%" PRIx64 " has no DIE",
					   encoding_names[encoding], entry->record->name,
					   entry->address);
		}
	}
}

static void report(const struct session *s)
{
	printf("%s: %" PRIu64 " sites, %" PRIu64 " without code, %" PRIu64 " nowhere\n", s->path,
	       s->sites, s->without_code, s->not_placed);
	if (s->units_left_out)
		printf("%" PRIu64 " units in C++ and Rust are left out\n", s->units_left_out);
	if (!s->theirs.has_backend) {
		libdw_file_print_no_backend(&s->object);
		printf(": what is in a frame\n");
	}
	for (int encoding = 0; encoding < RECORD_ENCODINGS; encoding++) {
		printf("%s: %" PRIu64 " found, %" PRIu64 " missing; %" PRIu64 " parameters:",
		       encoding_names[encoding], s->found[encoding], s->missing[encoding],
		       s->parameters[encoding]);
		for (int kind = 0; kind < RECORD_PLACE_KINDS; kind++)
			printf(" %s %" PRIu64 ",", record_place_names[kind],
			       s->agreed[encoding][kind]);
		printf(" (%" PRIu64 " from entry values), left out %" PRIu64 ", not judged %" PRIu64
		       "\n", s->entry_values[encoding], s->left_out[encoding],
		       s->unknown[encoding]);
	}
	for (unsigned int i = 0; i < s->reason_count; i++)
		printf("    %8" PRIu64 " %s\n", s->reasons[i].count, s->reasons[i].text);
	printf("%" PRIu64 " contradictions\n", s->contradictions);
}

int main(int argc, char **argv)
{
	static struct session session;
	struct session *s = &session;
	struct error err;
	GElf_Ehdr header;
	int option;

	s->stride = 1;
	while ((option = getopt(argc, argv, "avs:")) != -1) {
		s->takes_all_languages |= option == 'a';
		s->is_verbose |= option == 'v';
		if (option == 's')
			s->stride = (unsigned int)atoi(optarg);
	}
	if (argc - optind != 3 || !s->stride) {
		fprintf(stderr, "usage: tool_sites [-a] [-v] [-s N] FILE BTF EXTRA\n");
		return EXIT_FAILED;
	}
	s->path = argv[optind];
	if (!object_open(&s->object, s->path, &err)) {
		printf("tool_sites: %s\n", err.text);
		return EXIT_FAILED;
	}
	libdw_file_open(&s->theirs, &s->object);
	if (!s->theirs.dwarf || !gelf_getehdr(s->object.elf, &header))
		return EXIT_FAILED;
	if (!site_records_read(&s->records, argv[optind + 1], argv[optind + 2], header.e_machine)) {
		printf("%s: %s (%u complaints)\n", s->path, s->records.complaint,
		       s->records.complaints);
		return EXIT_ANSWER_NO;
	}
	s->scope.dwarf = s->theirs.dwarf;
	s->scope.object = &s->object;
	s->scope.cfi = dwarf_getcfi(s->theirs.dwarf);
	if (!s->scope.cfi)
		s->scope.cfi = dwarf_getcfi_elf(s->object.elf);
	s->scope.has_frames = s->theirs.has_backend;
	s->scope.base = image_base(&s->object);
	s->scope.address_bytes = s->object.address_bytes;
	s->scope.is_big_endian = s->object.big_endian;
	read_symbols(s);
	if (index_records(s))
		visit_file(s);
	if (s->stride == 1)
		check_unused(s);
	report(s);
	for (int encoding = 0; encoding < RECORD_ENCODINGS; encoding++)
		array_release(&s->entries[encoding]);
	array_release(&s->symbols);
	site_records_release(&s->records);
	libdw_file_close(&s->theirs);
	object_close(&s->object);
	return s->contradictions ? EXIT_ANSWER_NO : EXIT_DONE;
}
