/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/named_values.h"

/* cmocka.h needs those before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>


/* ---- expressions ---- */

/* "" if there is none: a number, or what is either true or false. */
static void last_name(const char *expression, char *name, size_t bytes)
{
	static const char *const yes_or_no[] = { "==", "!=", "&&", "||", " < ", " > ", "<=", ">=" };
	const char *choice = strrchr(expression, '?');
	const char *from = choice ? choice : expression;
	size_t begin, end = strlen(from);
	int depth = 0;

	*name = '\0';
	for (size_t i = 0; i < sizeof(yes_or_no) / sizeof((yes_or_no)[0]); i++)
		if (strstr(from, yes_or_no[i]))
			return;
	for (; end && (depth || strchr(" )]", from[end - 1])); end--)
		depth += !!strchr(")]", from[end - 1]) - !!strchr("([", from[end - 1]);
	for (begin = end; begin && (isalnum((unsigned char)from[begin - 1]) ||
				    from[begin - 1] == '_');)
		begin--;
	if (begin < end && !isdigit((unsigned char)from[begin]))
		snprintf(name, bytes, "%.*s", (int)(end - begin), from + begin);
}

/* ---- enumerations ---- */

enum witness { NOTHING, OTHER_FILE, SAME_FILE, ENUMERATOR };

struct search {
	char names[2][128];
	enum witness best;		/* so far, and its enumeration */
	Dwarf_Die enumeration;
	bool is_doubtful;		/* there are others of this rank */
};

static const char *first_enumerator(Dwarf_Die *enumeration)
{
	Dwarf_Die child;

	return dwarf_child(enumeration, &child) == 0 ? dwarf_diename(&child) : NULL;
}

/* Of copies of one enumeration, in several units, the enumerators have the same names. */
static void suggest(struct search *search, enum witness witness, Dwarf_Die *enumeration)
{
	const char *first = first_enumerator(enumeration), *best;

	if (!first || witness < search->best)
		return;
	best = search->best == witness ? first_enumerator(&search->enumeration) : NULL;
	search->is_doubtful = best && (search->is_doubtful || strcmp(best, first) != 0);
	search->enumeration = *enumeration;
	search->best = witness;
}

static bool has_enumeration(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	int tag = DW_TAG_typedef;

	*type = *die;
	while (tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type) {
		if (!dwarf_formref_die(dwarf_attr_integrate(type, DW_AT_type, &attribute), type))
			return false;
		tag = dwarf_tag(type);
	}
	return tag == DW_TAG_enumeration_type;
}

static void search_children(struct search *search, Dwarf_Die *parent, bool is_same_file)
{
	Dwarf_Die die, type;

	for (int end = dwarf_child(parent, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
		const char *name = dwarf_diename(&die);
		int tag = dwarf_tag(&die);

		search_children(search, &die, is_same_file);
		if (!name || (strcmp(name, search->names[0]) != 0 &&
			      strcmp(name, search->names[1]) != 0))
			continue;
		if (tag == DW_TAG_enumerator)
			suggest(search, ENUMERATOR, parent);
		else if ((tag == DW_TAG_subprogram || tag == DW_TAG_variable ||
			  tag == DW_TAG_formal_parameter || tag == DW_TAG_member) &&
			 has_enumeration(&die, &type))
			suggest(search, is_same_file ? SAME_FILE : OTHER_FILE, &type);
	}
}

static void search_program(struct search *search, Dwarf *dwarf, const char *file)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		const char *name = dwarf_diename(&die);

		search_children(search, &die, name && strcmp(name, file) == 0);
	}
}

/* "NAME (5)"; without a name "5", and what may be flags as well in hex: "18 (0x12)". */
static void value_text(struct search *search, uintmax_t value, char *text, size_t bytes)
{
	Dwarf_Attribute constant;
	Dwarf_Word number;
	Dwarf_Die die;
	int end = 1;

	snprintf(text, bytes, value > 9 ? "%jd (0x%jx)" : "%jd", (intmax_t)value, value);
	if (search->best != NOTHING && !search->is_doubtful)
		end = dwarf_child(&search->enumeration, &die);
	for (; end == 0; end = dwarf_siblingof(&die, &die)) {
		if (dwarf_formudata(dwarf_attr(&die, DW_AT_const_value, &constant), &number) == 0 &&
		    number == value) {
			snprintf(text, bytes, "%s (%jd)", dwarf_diename(&die), (intmax_t)value);
			return;
		}
	}
}

/* ---- assertions ---- */

void int_assertion_text(const struct int_assertion *assertion, uintmax_t got, uintmax_t wanted,
			char *text, size_t bytes)
{
	const char *expected = assertion->expected;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct search search = { .best = NOTHING };
	char value[2][160];

	last_name(assertion->asked, search.names[0], sizeof(search.names[0]));
	last_name(expected, search.names[1], sizeof(search.names[1]));
	search_program(&search, dwarf, assertion->file);
	value_text(&search, got, value[0], sizeof(value[0]));
	value_text(&search, wanted, value[1], sizeof(value[1]));
	/* A constant, or its name, need not be there twice. */
	if (strncmp(value[1], expected, strlen(expected)) == 0)
		expected = "";
	snprintf(text, bytes, "asked     %s\nexpected  %s%s%s%s\ngot       %s", assertion->asked,
		 assertion->equal ? "" : "not ", expected, *expected ? " = " : "", value[1],
		 value[0]);
	dwarf_end(dwarf);
	close(fd);
}

void int_assertion_check(const struct int_assertion *assertion, uintmax_t got, uintmax_t wanted)
{
	char text[1000];

	if ((got == wanted) == assertion->equal)
		return;
	int_assertion_text(assertion, got, wanted, text, sizeof(text));
	/* As cmocka begins what it says itself, so that who looks for errors finds this one. */
	print_error("[  ERROR   ] --- %s\n", text);
	_fail(assertion->file, assertion->line);
}
