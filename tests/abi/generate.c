/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Writes C with random prototypes: functions f0, f1, ... which copy each argument to seen[] and
 * return what lies in given[]. The same seed makes the same text.
 *
 *	generate SEED FUNCTIONS FLAVOUR
 *
 * FLAVOUR is a set of letters, what the machine or its compiler has: f float and double, l long
 * double, c complex, q __int128, v vectors of 8 and 16 bytes, a attribute aligned, A only that to
 * 32 bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS		32
#define MAX_PARAMETERS	10
#define SLOT_BYTES	128u	/* of seen[], one for each parameter */
#define FIRST_SIZES	41	/* struct b0 ... b40, of so many chars each */
#define ALIGNED		12	/* struct a0 ..., small ones with an attribute */

static uint64_t state;
static const char *flavour;

static uint32_t below(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % limit;
}

static int chance(uint32_t percent)
{
	return below(100) < percent;
}

static int has(char letter)
{
	return strchr(flavour, letter) != NULL;
}

/* ---- types ---- */

static const char *integer(void)
{
	static const char *const names[] = {
		"char", "signed char", "short", "unsigned short", "int", "unsigned int", "long",
		"unsigned long", "long long", "void *", "enum colour", "word_t",
	};

	return has('q') && chance(6) ? "__int128" : names[below(12)];
}

static int has_aligned(void)
{
	return has('a') || has('A');
}

static unsigned int alignment(void)
{
	return has('a') ? 4u << below(4) : 32;
}

static const char *scalar(void)
{
	if (has('f') && chance(35))
		return has('l') && chance(12) ? "long double" : chance(50) ? "float" : "double";
	return integer();
}

static const char *lonely_scalar(void)
{
	if (has('c') && chance(6))
		return chance(50) ? "_Complex float" : "_Complex double";
	if (has('c') && has('l') && chance(2))
		return "_Complex long double";
	if (has('v') && chance(6))
		return chance(50) ? "v2si" : chance(50) ? "v4si" : "v2df";
	return scalar();
}

static void print_record(void)
{
	if (has_aligned() && chance(60))
		printf("struct a%u", below(ALIGNED));
	else
		printf("struct b%u", below(chance(70) ? 18 : FIRST_SIZES));
}

static void print_member(uint32_t record, uint32_t member, const char *only)
{
	uint32_t kind = below(100);

	printf("\t");
	if (only) {
		printf("%s m%u", only, member);
	} else if (kind < 12) {
		printf("%s m%u : %u", chance(50) ? "int" : "unsigned long", member, 1 + below(31));
	} else if (kind < 20 && record) {
		print_record();
		printf(" m%u", member);
	} else if (kind < 28) {
		printf("union { %s x; %s y; } m%u", scalar(), scalar(), member);
	} else if (kind < 36) {
		printf("struct { %s x; %s y; } m%u", scalar(), scalar(), member);
	} else {
		printf("%s m%u", chance(4) ? "_Bool" : scalar(), member);
	}
	if ((only || kind >= 20) && chance(20))
		printf("[%u]", 1 + below(4));
	printf(";\n");
}

/*
 * A packed one begins with something that is misaligned for sure: DWARF does not show that a
 * record is packed when nothing is out of place.
 */
static void write_record(uint32_t number)
{
	uint32_t count = below(10) ? 1 + below(chance(60) ? 3 : 6) : 0;
	const char *only = has('f') && chance(30) ? (chance(50) ? "float" : "double") : NULL;
	int is_packed = !only && chance(10);
	int is_union = !is_packed && chance(8);

	printf("%s r%u {\n", is_union ? "union" : "struct", number);
	if (is_packed)
		printf("\tchar p0;\n\t%s p1;\n", chance(50) ? "int" : "long");
	for (uint32_t i = 0; i < count; i++)
		print_member(number, i, only);
	printf("}%s", is_packed ? " __attribute__((packed))" : "");
	if (has_aligned() && chance(20))
		printf(" __attribute__((aligned(%u)))", alignment());
	printf(";\ntypedef %s r%u s%u;\n", is_union ? "union" : "struct", number, number);
}

/* For what is inside them: an attribute of a record is not its natural alignment, a member's is. */
static void write_aligned(uint32_t number)
{
	int is_packed = chance(20);

	printf("struct a%u { %s x; ", number, is_packed ? "char" : scalar());
	if (is_packed || chance(30))
		printf("%s y; ", scalar());
	printf("} __attribute__((%saligned(%u)));\n", is_packed ? "packed, " : "", alignment());
}

static void print_type(void)
{
	if (has_aligned() && chance(10)) {
		printf("struct a%u", below(ALIGNED));
	} else if (chance(45)) {
		if (chance(70))
			printf("s%u", below(RECORDS));
		else
			printf("struct b%u", below(chance(70) ? 18 : FIRST_SIZES));
	} else {
		printf("%s", lonely_scalar());
	}
}

/* ---- functions ---- */

static void write_function(uint32_t number)
{
	uint32_t count = below(MAX_PARAMETERS + 1);

	/* Not chosen at once: first all sizes of structs, each as an argument and as a result. */
	if (number < FIRST_SIZES)
		printf("typedef struct b%u t%u;\n", number, number);
	else if (chance(20))
		printf("typedef void t%u;\n", number);
	else
		printf("typedef "), print_type(), printf(" t%u;\n", number);
	printf("t%u f%u(", number, number);
	for (uint32_t i = 0; i < count; i++) {
		printf("%s", i ? ", " : "");
		if (number < FIRST_SIZES && i == 0)
			printf("struct b%u", number);
		else
			print_type();
		printf(" p%u", i);
	}
	printf("%s)\n{\n", !count ? "void" : chance(10) ? ", ..." : "");
	for (uint32_t i = 0; i < count; i++)
		printf("\tcopy(%u, p%u);\n", i * SLOT_BYTES, i);
	printf("\treturn *(t%u *)given;\n}\n\n", number);
}

int main(int argc, char **argv)
{
	uint32_t functions;

	if (argc != 4) {
		fprintf(stderr, "usage: generate SEED FUNCTIONS FLAVOUR\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15 + 1;
	functions = (uint32_t)strtoul(argv[2], NULL, 10);
	flavour = argv[3];
	printf("extern unsigned char seen[], given[];\n"
	       "#define copy(at, p) __builtin_memcpy(seen + (at), &(p), "
	       "sizeof(p) < %u ? sizeof(p) : %u)\n"
	       "enum colour { RED, GREEN };\n"
	       "typedef unsigned long word_t;\n"
	       "typedef int v2si __attribute__((vector_size(8)));\n"
	       "typedef int v4si __attribute__((vector_size(16)));\n",
	       SLOT_BYTES, SLOT_BYTES);
	if (has('f'))
		printf("typedef double v2df __attribute__((vector_size(16)));\n");
	printf("struct b0 { };\n");
	for (int i = 1; i < FIRST_SIZES; i++)
		printf("struct b%d { char c[%d]; };\n", i, i);
	for (uint32_t i = 0; i < ALIGNED && has_aligned(); i++)
		write_aligned(i);
	for (uint32_t i = 0; i < RECORDS; i++)
		write_record(i);
	for (uint32_t i = 0; i < functions; i++)
		write_function(i);
	return 0;
}
