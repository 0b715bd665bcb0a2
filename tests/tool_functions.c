/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_functions [-v] FILE BTF [BASE]
 *
 * Each FUNC of BTF (read by libbpf) against the symbols of FILE (read by libelf) and its DWARF
 * (read by libdw), by code that shares nothing with the encoder:
 *
 *	symbol		one address has function symbols of exactly that name
 *	entry		a DW_TAG_subprogram of that name is entered there. Its low_pc may be past
 *			what runs before the body: NOPs of a patch area, a landing pad; ELFv2's
 *			global entry; bit 0 of a Thumb symbol is not part of the address. GCC
 *			merges equal functions: one becomes a jump to the other, or its alias, and
 *			its DIE has no low_pc. So it will do that definitions of that name have no
 *			code at all ("without")
 *	parameters	one of these has as many parameters as the FUNC_PROTO, and as variadic
 *	place		a parameter that has a location at low_pc, which is a register, is in the
 *			one that the psABI gives it. A location without a list is of the whole body,
 *			not of the entry, and is only counted; so is what a frame holds.
 *
 * The psABI here is of integers, pointers, structs and unions; what follows a parameter of another
 * type is not judged.
 *
 *	-v	every FUNC that fails, not the first 20
 *
 * Exit status: 0 all hold, 1 some do not, 3 a file cannot be read, 77 a module of a machine for
 * which libdw has no backend, so that it cannot relocate the DWARF.
 */
#include <bpf/btf.h>
#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/libdw_file.h"

#define MAX_FAILURES	20
#define PARAMETERS_MAX	64
#define PATCH_MAX	256
#define CHAIN_MAX	16

struct symbol {
	char *name;		/* own; without the .lto_priv.N of GCC's LTO */
	uint64_t address;
	bool is_code;		/* STT_FUNC; else of assembler, without a type */
};

/* A DW_TAG_subprogram with code. */
struct code {
	uint64_t low_pc;
	Dwarf_Off offset;
};

/* One without. */
struct definition {
	const char *name;
	Dwarf_Off offset;
};

enum { SYMBOL, ENTRY, PARAMETERS, PLACE, CHECKS };
static const char *const check_names[CHECKS] = { "symbol", "entry", "parameters", "place" };

/* A machine's registers for integers; DWARF numbers. */
struct convention {
	uint16_t machine;
	uint8_t word_bytes;
	uint8_t registers[8];
	uint8_t count;
	uint8_t struct_limit;	/* bytes: larger structs are passed by reference; 0: in memory */
	uint8_t return_limit;	/* bytes: for larger structs the first register has the address */
	bool has_return_register;	/* arm64: it is in one of its own */
	bool is_pair_aligned;	/* what is aligned to two words takes an even register ... */
	bool is_struct_aligned;	/* ... if it is a struct or union */
	bool is_struct_split;	/* between registers and stack */
	bool is_power_of_two;	/* s390: other sizes of structs are passed by reference */
};

static const struct convention conventions[] = {
	{ EM_X86_64, 8, { 5, 4, 1, 2, 8, 9 }, 6, 16, 16, .is_pair_aligned = false },
	{ EM_386, 4, { 0, 2, 1 }, 3, 255, 8, .is_pair_aligned = false },
	{ EM_AARCH64, 8, { 0, 1, 2, 3, 4, 5, 6, 7 }, 8, 16, 16, .has_return_register = true,
	  .is_pair_aligned = true },
	{ EM_ARM, 4, { 0, 1, 2, 3 }, 4, 255, 4, .is_pair_aligned = true, .is_struct_split = true },
	{ EM_S390, 8, { 2, 3, 4, 5, 6 }, 5, 8, 0, .is_power_of_two = true },
	{ EM_PPC64, 8, { 3, 4, 5, 6, 7, 8, 9, 10 }, 8, 255, 16, .is_struct_aligned = true,
	  .is_struct_split = true },
	{ EM_RISCV, 8, { 10, 11, 12, 13, 14, 15, 16, 17 }, 8, 16, 16, .is_struct_split = true },
	{ EM_LOONGARCH, 8, { 4, 5, 6, 7, 8, 9, 10, 11 }, 8, 16, 16, .is_struct_split = true },
};

struct session {
	const char *path;
	struct object object;
	struct libdw_file theirs;
	const struct convention *convention;
	uint16_t machine;
	struct btf *btf;
	ARRAY_OF(struct symbol) symbols;	/* by name, then address */
	ARRAY_OF(struct code) codes;		/* by low_pc */
	ARRAY_OF(struct definition) definitions;	/* by name */
	uint64_t funcs, failed[CHECKS], placed, whole, elsewhere, past_entry, without_code, merged;
	uint64_t failures;
	bool is_verbose;
};

__attribute__((format(printf, 4, 5)))
static void fail(struct session *s, int check, const char *name, const char *format, ...)
{
	va_list args;

	s->failed[check]++;
	if (s->failures++ >= MAX_FAILURES && !s->is_verbose)
		return;
	printf("%s: %s: ", check_names[check], name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* ---- symbols ---- */

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	return order ? order : one->address < other->address ? -1 : one->address > other->address;
}

static void add_symbol(struct session *s, const GElf_Sym *symbol, const char *name)
{
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	const char *end = strstr(name, ".lto_priv.");
	const struct section_header *home;
	uint64_t address = symbol->st_value;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= s->object.header_count)
		return;
	home = &s->object.headers[symbol->st_shndx];
	if (!(home->flags & SHF_EXECINSTR) ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
		return;
	if (s->object.relocatable)
		address += home->address;
	if (s->machine == EM_ARM && type == STT_FUNC)
		address &= ~1ULL;
	if (end && strspn(end + 10, "0123456789") != strlen(end + 10))
		end = NULL;
	array_push(&s->symbols, ((struct symbol){
		strndup(name, end ? (size_t)(end - name) : strlen(name)), address,
		type != STT_NOTYPE }));
}

static void read_symbols(struct session *s)
{
	Elf_Scn *section = libdw_file_symbols(&s->object);
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	gelf_getshdr(section, &header);
	for (int i = 1; gelf_getsym(data, i, &symbol); i++)
		add_symbol(s, &symbol, elf_strptr(s->object.elf, header.sh_link, symbol.st_name));
	array_sort(&s->symbols, compare_symbols);
}

/* The number of addresses that the name has; *address: the first. */
static unsigned int find_symbol(const struct session *s, const char *name, uint64_t *address)
{
	const struct symbol *end = array_place(&s->symbols, s->symbols.count), *first;
	size_t low = 0, high = s->symbols.count;
	unsigned int count = 0;
	bool has_code = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(s->symbols.data[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	first = array_place(&s->symbols, low);
	for (const struct symbol *at = first; at < end && strcmp(at->name, name) == 0; at++)
		has_code |= at->is_code;
	for (; first < end && strcmp(first->name, name) == 0; first++) {
		if (first->is_code != has_code || (count && first->address == *address))
			continue;
		if (!count)
			*address = first->address;
		count++;
	}
	return count;
}

/* ---- DWARF ---- */

static int compare_codes(const void *a, const void *b)
{
	const struct code *one = a, *other = b;

	if (one->low_pc != other->low_pc)
		return one->low_pc < other->low_pc ? -1 : 1;
	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static int compare_definitions(const void *a, const void *b)
{
	const struct definition *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static void add_definition(struct session *s, Dwarf_Die *function)
{
	const char *name = dwarf_diename(function);

	/* A function that was also inlined has DW_AT_inline. */
	if (name && !dwarf_hasattr(function, DW_AT_declaration))
		array_push(&s->definitions,
			   ((struct definition){ name, dwarf_dieoffset(function) }));
}

/* The entry is the start of one of the ranges, for example if the function is split in two. */
static int add_function(Dwarf_Die *function, void *arg)
{
	struct session *s = arg;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	bool has_code = false;

	while ((at = dwarf_ranges(function, at, &base, &low, &high)) > 0) {
		array_push(&s->codes, ((struct code){ low, dwarf_dieoffset(function) }));
		has_code = true;
	}
	if (!has_code)
		add_definition(s, function);
	return DWARF_CB_OK;
}

static void read_dwarf(struct session *s)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf_get_units(s->theirs.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		dwarf_getfuncs(&die, add_function, s, 0);
	array_sort(&s->codes, compare_codes);
	array_sort(&s->definitions, compare_definitions);
}

/* The bytes of code at an address; NULL: none. */
static const uint8_t *code_at(const struct session *s, uint64_t address, uint64_t size)
{
	for (size_t i = 1; i < s->object.header_count; i++) {
		const struct section_header *header = &s->object.headers[i];
		Elf_Data *data;

		if (!(header->flags & SHF_EXECINSTR) || header->type == SHT_NOBITS ||
		    address < header->address || address + size > header->address + header->size)
			continue;
		data = elf_rawdata(elf_getscn(s->object.elf, i), NULL);
		return data ? (const uint8_t *)data->d_buf + (address - header->address) : NULL;
	}
	return NULL;
}

static uint32_t word_of(const uint8_t *bytes, bool big_endian)
{
	return big_endian ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
				    (uint32_t)bytes[2] << 8 | bytes[3] :
			    (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
				    (uint32_t)bytes[1] << 8 | bytes[0];
}

/* The size of the instruction, if it leaves all registers of arguments alone; else 0. */
static unsigned int idle_bytes(const struct session *s, const uint8_t *at)
{
	uint32_t word = word_of(at, s->object.big_endian);

	switch (s->machine) {
	case EM_AARCH64:	/* nop, bti c, paciasp */
		return word == 0xd503201f || word == 0xd503245f || word == 0xd503233f ? 4 : 0;
	case EM_RISCV:		/* nop, c.nop */
		return word == 0x13 ? 4 : (word & 0xffff) == 1 ? 2 : 0;
	case EM_LOONGARCH:	/* nop; move $t0, $ra */
		return word == 0x03400000 ? 4 : 0;
	case EM_PPC64:		/* nop; lis, addis, addi r2 of the global entry; mflr r0 */
		return word == 0x60000000 || word >> 16 == 0x3c4c || word >> 16 == 0x3842 ||
				       word >> 16 == 0x3c40 || word == 0x7c0802a6 ? 4 : 0;
	case EM_S390:		/* brcl 0,..; nopr; jg to the end of a trampoline's place */
		return at[0] == 0xc0 && at[1] == 4 ? 6 : at[0] == 7 && !(at[1] & 0xf0) ? 2 :
		       at[0] == 0x47 && !(at[1] & 0xf0) ? 4 : 0;
	case EM_ARM:		/* nop of ARM; of Thumb */
		return word == 0xe320f000 || word == 0xe1a00000 ? 4 :
		       (word & 0xffff) == 0xbf00		? 2 : 0;
	case EM_X86_64:
	case EM_386:		/* endbr; nop */
		return word == 0xfa1e0ff3 || word == 0xfb1e0ff3 ? 4 : at[0] == 0x90 ? 1 : 0;
	default:
		return 0;
	}
}

/* Does only what leaves arguments alone run from `entry` up to `low_pc`? */
static bool is_entry_of(const struct session *s, uint64_t entry, uint64_t low_pc)
{
	uint8_t bytes[PATCH_MAX + 8] = { 0 };	/* the last of them may be the section's, too */
	uint64_t at = 0, gap = low_pc - entry;
	const uint8_t *code;

	if (entry == low_pc)
		return true;
	if (low_pc < entry || gap > PATCH_MAX || !(code = code_at(s, entry, gap)))
		return false;
	memcpy(bytes, code, gap);
	while (at < gap) {
		unsigned int size = idle_bytes(s, bytes + at);

		if (!size)
			return false;
		at += size;
	}
	return at == gap;
}

static Dwarf_Die last_origin(Dwarf_Die die)
{
	Dwarf_Attribute attr;
	Dwarf_Die next;

	for (int steps = 0; steps < CHAIN_MAX; steps++) {
		if ((!dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		     !dwarf_attr(&die, DW_AT_specification, &attr)) ||
		    !dwarf_formref_die(&attr, &next))
			break;
		die = next;
	}
	return die;
}

static bool is_named(Dwarf_Die *die, const char *name)
{
	const char *mine = dwarf_diename(die);
	Dwarf_Attribute attr;

	if (mine && strcmp(mine, name) == 0)
		return true;
	/* int f(void) __asm__("g"): the symbol, and so the FUNC, is g. */
	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		return false;
	mine = dwarf_formstring(&attr);
	return mine && strcmp(mine, name) == 0;
}

/* ---- the psABI ---- */

enum { SHAPE_VOID, SHAPE_SCALAR, SHAPE_STRUCT, SHAPE_OTHER };

static int shape_of(Dwarf_Die *holder, uint64_t *size, uint64_t *alignment)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	Dwarf_Word encoding;

	*size = *alignment = 0;
	if (!dwarf_attr_integrate(holder, DW_AT_type, &attr))
		return SHAPE_VOID;
	if (!dwarf_formref_die(&attr, &type) || dwarf_peel_type(&type, &type) < 0)
		return SHAPE_OTHER;
	if (dwarf_aggregate_size(&type, size) != 0)
		return SHAPE_OTHER;
	*alignment = *size;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type:
		return SHAPE_SCALAR;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return SHAPE_STRUCT;
	case DW_TAG_base_type:
		if (!dwarf_attr_integrate(&type, DW_AT_encoding, &attr) ||
		    dwarf_formudata(&attr, &encoding) || encoding == DW_ATE_float ||
		    encoding == DW_ATE_complex_float)
			return SHAPE_OTHER;
		return SHAPE_SCALAR;
	default:
		return SHAPE_OTHER;
	}
}

/* The largest alignment of a member, arrays and structs inside included. */
static uint64_t struct_alignment(Dwarf_Die type, unsigned int depth)
{
	uint64_t largest = 1;
	Dwarf_Die child, member;

	if (depth == 0 || dwarf_child(&type, &child) != 0)
		return largest;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word size;
		uint64_t mine;

		if (dwarf_tag(&child) != DW_TAG_member ||
		    !dwarf_attr(&child, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &member) ||
		    dwarf_peel_type(&member, &member) < 0)
			continue;
		while (dwarf_tag(&member) == DW_TAG_array_type) {
			if (!dwarf_attr(&member, DW_AT_type, &attr) ||
			    !dwarf_formref_die(&attr, &member) ||
			    dwarf_peel_type(&member, &member) < 0)
				return 0;
		}
		if (dwarf_tag(&member) == DW_TAG_structure_type ||
		    dwarf_tag(&member) == DW_TAG_union_type)
			mine = struct_alignment(member, depth - 1);
		else
			mine = dwarf_aggregate_size(&member, &size) == 0 ? size : 0;
		if (!mine)
			return 0;
		largest = mine > largest ? mine : largest;
	} while (dwarf_siblingof(&child, &child) == 0);
	return largest;
}

enum { IN_MEMORY = -1, NOT_JUDGED = -2 };

struct assignment {
	unsigned int next;	/* register */
	bool is_lost;		/* from here on not judged */
	bool is_variadic;
};

/* The first register of the next parameter, by its index in convention->registers. */
static int assign(const struct convention *c, struct assignment *a, Dwarf_Die *parameter)
{
	uint64_t size, alignment, words;
	int shape = shape_of(parameter, &size, &alignment), first;

	if (a->is_lost || shape == SHAPE_OTHER || shape == SHAPE_VOID ||
	    (shape == SHAPE_STRUCT && size == 0)) {
		a->is_lost = true;
		return NOT_JUDGED;
	}
	if (c->machine == EM_386 && a->is_variadic)
		return IN_MEMORY;
	if (shape == SHAPE_STRUCT) {
		Dwarf_Attribute attr;
		Dwarf_Die type;

		dwarf_attr_integrate(parameter, DW_AT_type, &attr);
		dwarf_formref_die(&attr, &type);
		dwarf_peel_type(&type, &type);
		alignment = struct_alignment(type, 8);
		if (!alignment || dwarf_hasattr(&type, DW_AT_alignment)) {
			a->is_lost = true;
			return NOT_JUDGED;
		}
		if (c->machine == EM_X86_64 && size > c->struct_limit)
			return IN_MEMORY;
		if (size > c->struct_limit || (c->is_power_of_two && (size & (size - 1))))
			size = alignment = c->word_bytes;	/* a pointer to it */
	} else if (c->machine == EM_S390 && size > 8) {
		size = alignment = c->word_bytes;
	}
	words = (size + c->word_bytes - 1) / c->word_bytes;
	if ((c->is_pair_aligned || (c->is_struct_aligned && shape == SHAPE_STRUCT)) &&
	    alignment >= 2u * c->word_bytes && a->next % 2 && a->next < c->count)
		a->next++;
	if (a->next >= c->count)
		return IN_MEMORY;
	first = (int)a->next;
	if (a->next + words <= c->count) {
		a->next += (unsigned int)words;
		return first;
	}
	/* It does not fit. x86-64 leaves its registers to those that follow, the others do not. */
	if (c->machine == EM_X86_64)
		return IN_MEMORY;
	a->next = c->count;
	return c->is_struct_split ? first : IN_MEMORY;
}

/* Is the function given the address of its result in the first register? */
static bool has_hidden_first(const struct convention *c, Dwarf_Die *function, struct assignment *a)
{
	uint64_t size, alignment;

	switch (shape_of(function, &size, &alignment)) {
	case SHAPE_STRUCT: return !c->has_return_register && size > c->return_limit;
	case SHAPE_OTHER: a->is_lost = true; return false;
	case SHAPE_SCALAR: return c->machine == EM_S390 && size > 8;
	default: return false;
	}
}

/* ---- one function ---- */

/* Finds the instance's copy of the abstract parameter. */
static bool find_concrete(Dwarf_Die *instance, Dwarf_Die *abstract, Dwarf_Die *found)
{
	if (dwarf_child(instance, found) != 0)
		return false;
	do {
		if (dwarf_tag(found) == DW_TAG_formal_parameter &&
		    dwarf_dieoffset(&(Dwarf_Die[]){ last_origin(*found) }[0]) ==
			    dwarf_dieoffset(abstract))
			return true;
	} while (dwarf_siblingof(found, found) == 0);
	return false;
}

/* The register that the location at low_pc is, or -1. */
static int register_at(struct session *s, Dwarf_Die *parameter, uint64_t low_pc)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(parameter, DW_AT_location, &attr))
		return -1;
	if (dwarf_whatform(&attr) == DW_FORM_exprloc || dwarf_whatform(&attr) == DW_FORM_block1) {
		s->whole++;
		return -1;
	}
	if (dwarf_getlocation_addr(&attr, low_pc, &ops, &count, 1) != 1 || !count)
		return -1;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return ops[0].atom - DW_OP_reg0;
	if (ops[0].atom == DW_OP_regx)
		return (int)ops[0].number;
	s->elsewhere++;
	return -1;
}

static void check_places(struct session *s, const char *name, Dwarf_Die *instance,
			 Dwarf_Die *abstract, Dwarf_Die *parameters, int count, bool is_variadic,
			 uint64_t low_pc)
{
	struct assignment a = { .is_variadic = is_variadic };

	if (has_hidden_first(s->convention, abstract, &a))
		a.next = 1;
	for (int i = 0; i < count; i++) {
		int expected = assign(s->convention, &a, &parameters[i]), found;
		Dwarf_Die concrete = parameters[i];

		if (dwarf_dieoffset(instance) != dwarf_dieoffset(abstract) &&
		    !find_concrete(instance, &parameters[i], &concrete))
			continue;
		found = register_at(s, &concrete, low_pc);
		if (found < 0 || expected == NOT_JUDGED)
			continue;
		s->placed++;
		if (expected == IN_MEMORY || s->convention->registers[expected] != found)
			fail(s, PLACE, name,
			     "parameter %d is in register %d at 0x%" PRIx64 ", the psABI says %d",
			     i + 1, found, low_pc,
			     expected == IN_MEMORY ? -1 : s->convention->registers[expected]);
	}
}

/* Variadic functions end in a parameter of no name and no type. */
static int count_of(const struct btf *btf, const struct btf_type *func, bool *is_variadic)
{
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	int count = btf_vlen(proto);

	*is_variadic = count && !btf_params(proto)[count - 1].type;
	return count - *is_variadic;
}

/* Are there definitions of that name without code, all with such a prototype? */
static bool has_definition(const struct session *s, const char *name, int wanted, bool is_variadic)
{
	const struct definition key = { .name = name };
	const struct definition *end = array_place(&s->definitions, s->definitions.count), *at;

	at = end ? bsearch(&key, s->definitions.data, s->definitions.count, sizeof(key),
			   compare_definitions) : NULL;
	if (!at)
		return false;
	while (at > s->definitions.data && strcmp(at[-1].name, name) == 0)
		at--;
	for (; at < end && strcmp(at->name, name) == 0; at++) {
		Dwarf_Die function, parameters[PARAMETERS_MAX];
		bool mine_variadic;

		dwarf_offdie(s->theirs.dwarf, at->offset, &function);
		if (libdw_parameters(&function, parameters, PARAMETERS_MAX, &mine_variadic) !=
			    wanted ||
		    mine_variadic != is_variadic)
			return false;
	}
	return true;
}

static void check_function(struct session *s, const struct btf_type *func)
{
	const char *name = btf__name_by_offset(s->btf, func->name_off);
	uint64_t address = 0;
	unsigned int addresses = find_symbol(s, name, &address);
	bool is_variadic, has_entry = false, has_prototype = false, has_other = false;
	int wanted = count_of(s->btf, func, &is_variadic), seen = -1;
	size_t low = 0, high = s->codes.count;

	s->funcs++;
	if (addresses != 1) {
		fail(s, SYMBOL, name, "%u addresses have that name", addresses);
		return;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->codes.data[middle].low_pc < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < s->codes.count && s->codes.data[low].low_pc <= address + PATCH_MAX; low++) {
		Dwarf_Die instance, abstract, parameters[PARAMETERS_MAX];
		bool mine_variadic, instance_variadic;
		int count;

		if (!is_entry_of(s, address, s->codes.data[low].low_pc))
			continue;
		dwarf_offdie(s->theirs.dwarf, s->codes.data[low].offset, &instance);
		if (!is_named(&instance, name)) {
			has_other = true;
			continue;
		}
		if (!has_entry && s->codes.data[low].low_pc != address)
			s->past_entry++;
		has_entry = true;
		abstract = last_origin(instance);
		/* clang says "..." of the instance alone. */
		libdw_parameters(&instance, parameters, PARAMETERS_MAX, &instance_variadic);
		count = libdw_parameters(&abstract, parameters, PARAMETERS_MAX, &mine_variadic);
		mine_variadic |= instance_variadic;
		/* A declaration that a definition refers to may lack names, not parameters. */
		seen = count;
		if (count != wanted || mine_variadic != is_variadic)
			continue;
		has_prototype = true;
		check_places(s, name, &instance, &abstract, parameters, count, is_variadic,
			     s->codes.data[low].low_pc);
	}
	if (!has_entry && has_definition(s, name, wanted, is_variadic)) {
		s->without_code += !has_other;
		s->merged += has_other;
	} else if (!has_entry)
		fail(s, ENTRY, name, "no subprogram of that name is entered at 0x%" PRIx64,
		     address);
	else if (!has_prototype)
		fail(s, PARAMETERS, name, "%d%s in BTF, %d in DWARF", wanted,
		     is_variadic ? " and more" : "", seen);
}

static bool find_convention(struct session *s)
{
	for (size_t i = 0; i < sizeof(conventions) / sizeof(*conventions); i++) {
		if (conventions[i].machine == s->machine)
			s->convention = &conventions[i];
	}
	return s->convention;
}

int main(int argc, char **argv)
{
	static struct session session;
	struct session *s = &session;
	struct btf *base = NULL;
	struct error err;
	GElf_Ehdr header;
	uint64_t failed = 0;
	int option;

	while ((option = getopt(argc, argv, "v")) != -1)
		s->is_verbose |= option == 'v';
	if (argc - optind != 2 && argc - optind != 3) {
		fprintf(stderr, "usage: tool_functions [-v] FILE BTF [BASE]\n");
		return EXIT_FAILED;
	}
	s->path = argv[optind];
	if (!object_open(&s->object, s->path, &err)) {
		printf("tool_functions: %s\n", err.text);
		return EXIT_FAILED;
	}
	libdw_file_open(&s->theirs, &s->object);
	if (argc - optind == 3)
		base = btf__parse_raw(argv[optind + 2]);
	s->btf = base ? btf__parse_raw_split(argv[optind + 1], base) :
			btf__parse_raw(argv[optind + 1]);
	if (!s->theirs.dwarf && s->object.relocatable && !s->theirs.has_backend) {
		libdw_file_print_no_backend(&s->object);
		printf("\n");
		return EXIT_NOT_JUDGED;
	}
	if (!s->theirs.dwarf || !gelf_getehdr(s->object.elf, &header) || !s->btf) {
		printf("tool_functions: %s: libdw or libbpf cannot read it\n", s->path);
		return EXIT_FAILED;
	}
	s->machine = header.e_machine;
	if (!find_convention(s)) {
		printf("tool_functions: %s: machine %u is not known here\n", s->path, s->machine);
		return EXIT_FAILED;
	}
	read_symbols(s);
	read_dwarf(s);
	for (uint32_t id = base ? btf__type_cnt(base) : 1; id < btf__type_cnt(s->btf); id++) {
		const struct btf_type *type = btf__type_by_id(s->btf, id);

		if (btf_is_func(type))
			check_function(s, type);
	}
	printf("%" PRIu64 " FUNCs, %" PRIu64 " with low_pc past the entry, %" PRIu64
	       " without (and %" PRIu64 " aliases); %" PRIu64
	       " parameters in registers at the entry (%" PRIu64 " elsewhere, %" PRIu64
	       " with one location for the whole body)\n",
	       s->funcs, s->past_entry, s->without_code, s->merged, s->placed, s->elsewhere,
	       s->whole);
	printf("failed:");
	for (int check = 0; check < CHECKS; check++) {
		failed += s->failed[check];
		printf(" %s %" PRIu64 "%s", check_names[check], s->failed[check],
		       check + 1 < CHECKS ? "," : "\n");
	}
	btf__free(s->btf);
	btf__free(base);
	for (size_t i = 0; i < s->symbols.count; i++)
		free(s->symbols.data[i].name);
	array_release(&s->symbols);
	array_release(&s->codes);
	array_release(&s->definitions);
	libdw_file_close(&s->theirs);
	object_close(&s->object);
	return failed ? EXIT_ANSWER_NO : EXIT_DONE;
}
