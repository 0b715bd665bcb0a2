/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * .text			.init.text
 *	0x040 whole		0x10 starter
 *	0x080 copied.isra.0
 *	0x0c0 parted.part.0
 *	0x100 caller	at 0x110 inlined twice, at 0x118 whole, at 0x11c inlined
 *	0x140 twice, 0x180 twice, at 0x190 inlined
 *	0x1c0 assembled, without a prototype
 *	0x200 copied.cold
 *
 * whole and starter are promised; `unseen` is a FUNC that no symbol has.
 */
#include "tests/records_blob.h"

#include <string.h>

#include "base/memory.h"

struct maker {
	ARRAY_OF(uint32_t) words;
	ARRAY_OF(char) strings;
	uint32_t first_string;
	uint32_t next_id;
};

static uint32_t text(struct maker *maker, const char *string)
{
	uint32_t offset = maker->first_string + (uint32_t)maker->strings.count;

	for (const char *c = string;; c++) {
		array_push(&maker->strings, *c);
		if (!*c)
			return offset;
	}
}

static void put(struct maker *maker, uint32_t word)
{
	array_push(&maker->words, word);
}

static uint32_t type(struct maker *maker, enum btf_kind kind, uint32_t vlen, bool flag,
		     const char *name, uint32_t word)
{
	put(maker, *name ? text(maker, name) : 0);
	put(maker, btf_info(kind, vlen, flag));
	put(maker, word);
	return maker->next_id++;
}

static uint32_t integer(struct maker *maker, const char *name, uint32_t bytes, bool is_signed)
{
	uint32_t id = type(maker, BTF_INT, 0, false, name, bytes);

	put(maker, (is_signed ? BTF_INT_SIGNED : 0u) << 24 | bytes * 8);
	return id;
}

static void pair(struct maker *maker, const char *name, uint32_t id)
{
	put(maker, text(maker, name));
	put(maker, id);
}

static struct btf_blob finish(struct maker *maker)
{
	struct btf_blob blob = btf_blob_make(maker->words.data, maker->words.count,
					     maker->strings.data, maker->strings.count);

	array_release(&maker->words);
	array_release(&maker->strings);
	return blob;
}

/* ---- the BTF ---- */

struct ids {
	uint32_t unsigned_int, u32, bus, bus_pointer, s8, long_type;
	uint32_t proto;		/* int (struct bus *bus, u32 count, s8 sign) */
	uint32_t long_proto;	/* void (struct bus bus) */
	uint32_t whole, starter;
};

static void make_types(struct maker *maker, struct ids *ids)
{
	text(maker, "");
	ids->unsigned_int = integer(maker, "unsigned int", 4, false);
	ids->u32 = type(maker, BTF_TYPEDEF, 0, false, "u32", ids->unsigned_int);
	ids->s8 = integer(maker, "signed char", 1, true);
	ids->long_type = integer(maker, "long int", 8, true);
	ids->bus = type(maker, BTF_STRUCT, 2, false, "bus", 16);
	pair(maker, "first", ids->long_type);
	put(maker, 0);
	pair(maker, "second", ids->long_type);
	put(maker, 64);
	ids->bus_pointer = type(maker, BTF_PTR, 0, false, "", ids->bus);
	ids->proto = type(maker, BTF_FUNC_PROTO, 3, false, "", ids->u32);
	pair(maker, "bus", ids->bus_pointer);
	pair(maker, "count", ids->u32);
	pair(maker, "sign", ids->s8);
	ids->long_proto = type(maker, BTF_FUNC_PROTO, 1, false, "", 0);
	pair(maker, "bus", ids->bus);
	ids->whole = type(maker, BTF_FUNC, BTF_LINKAGE_STATIC, false, "whole", ids->proto);
	ids->starter = type(maker, BTF_FUNC, BTF_LINKAGE_STATIC, false, "starter",
			    ids->long_proto);
	/* By this it is of x86-64. */
	type(maker, BTF_STRUCT, 1, false, "pt_regs", 8);
	pair(maker, "di", ids->long_type);
	put(maker, 0);
}

/* ---- .BTF.extra ---- */

static void site(struct maker *maker, uint32_t function, uint32_t offset, uint32_t location)
{
	put(maker, function);
	put(maker, offset);
	put(maker, location);
}

static uint32_t loc(struct maker *maker, uint32_t proto, const char *bus, const char *count,
		    const char *sign)
{
	/* Strings come after the records, but their offsets are known before. */
	uint32_t places[] = { *bus ? text(maker, bus) : 0, *count ? text(maker, count) : 0,
			      *sign ? text(maker, sign) : 0 };
	uint32_t id = type(maker, BTF_LOC, 3, false, "", proto);

	for (int i = 0; i < 3; i++)
		put(maker, places[i]);
	return id;
}

static uint32_t function(struct maker *maker, const char *name)
{
	return type(maker, BTF_FUNC, BTF_LINKAGE_STATIC, false, name, 0);
}

static void make_extra(struct maker *maker, const struct ids *ids)
{
	uint32_t copied = function(maker, "copied.isra.0");
	uint32_t cold = function(maker, "copied.cold");
	uint32_t parted = function(maker, "parted.part.0");
	uint32_t inlined = function(maker, "inlined");
	uint32_t caller = function(maker, "caller");
	uint32_t twice = function(maker, "twice");
	uint32_t assembled = function(maker, "assembled");
	uint32_t in_copy = loc(maker, ids->proto, "", "%di", "\\-1");
	uint32_t in_part = loc(maker, ids->proto, "%si", "+8(%sp)", "");
	uint32_t at_site = loc(maker, ids->proto, "%bx", "\\42", "-16(%bp)");
	uint32_t in_two = type(maker, BTF_LOC, 1, false, "", ids->long_proto);

	put(maker, text(maker, "%di %si"));
	type(maker, BTF_DATASEC, 14, true, ".text", 0x1000);
	site(maker, ids->whole, 0x40, ids->proto);
	site(maker, copied, 0x80, in_copy);
	site(maker, parted, 0xc0, in_part);
	site(maker, caller, 0x100, ids->proto);
	site(maker, inlined, 0x110, in_part);
	site(maker, inlined, 0x110, at_site);
	site(maker, ids->whole, 0x118, in_part);
	site(maker, inlined, 0x11c, in_two);
	site(maker, twice, 0x140, ids->proto);
	site(maker, twice, 0x180, ids->proto);
	site(maker, twice, 0x180, at_site);
	site(maker, inlined, 0x190, at_site);
	site(maker, assembled, 0x1c0, 0);
	site(maker, cold, 0x200, in_copy);
	type(maker, BTF_DATASEC, 1, true, ".init.text", 0x100);
	site(maker, ids->starter, 0x10, ids->long_proto);
}

/* ---- LOCSEC ---- */

static uint32_t loc_param(struct maker *maker, uint32_t bytes, uint32_t flags, uint32_t count,
			  uint32_t first, uint32_t second)
{
	uint32_t id = type(maker, BTF_LOC_PARAM, count, false, "", bytes);

	put(maker, flags);
	put(maker, first);
	if (count == 2)
		put(maker, second);
	return id;
}

static void make_inline(struct maker *maker, const struct ids *ids)
{
	uint32_t inlined = type(maker, BTF_FUNC, BTF_LINKAGE_STATIC, false, "inlined", ids->proto);
	uint32_t in_bx = loc_param(maker, 8, BTF_LOC_REG, 1, 3, 0);
	uint32_t constant = loc_param(maker, 4, BTF_LOC_CONST, 1, 42, 0);
	uint32_t in_memory = loc_param(maker, 1, BTF_LOC_SIGNED | BTF_LOC_REG | BTF_LOC_DEREF |
					       BTF_LOC_OFFSET, 2, 6, (uint32_t)-16);
	uint32_t sum = loc_param(maker, 4, BTF_LOC_REG | BTF_LOC_OFFSET, 2, 3, 16);
	uint32_t all = type(maker, BTF_LOC_PROTO, 3, false, "", 0);
	uint32_t some;

	put(maker, in_bx);
	put(maker, constant);
	put(maker, in_memory);
	some = type(maker, BTF_LOC_PROTO, 3, false, "", 0);
	put(maker, 0);
	put(maker, sum);
	put(maker, 0);
	type(maker, BTF_LOCSEC, 2, false, ".text", 0);
	site(maker, inlined, all, 0x110);
	site(maker, inlined, some, 0x190);
}

void records_blobs_make(struct records_blobs *blobs)
{
	struct maker maker = { .next_id = 1 }, extra = { 0 }, inlined = { .next_id = 1 };
	struct ids ids;

	make_types(&maker, &ids);
	/* With a LOCSEC alone it would show that the symbols are of another kernel. */
	type(&maker, BTF_FUNC, BTF_LINKAGE_STATIC, false, "unseen", ids.proto);
	extra.next_id = maker.next_id;
	extra.first_string = (uint32_t)maker.strings.count;
	make_extra(&extra, &ids);
	blobs->btf = finish(&maker);
	blobs->extra = finish(&extra);
	make_types(&inlined, &ids);
	make_inline(&inlined, &ids);
	blobs->inlined = finish(&inlined);
}

void records_blobs_release(struct records_blobs *blobs)
{
	btf_blob_release(&blobs->btf);
	btf_blob_release(&blobs->extra);
	btf_blob_release(&blobs->inlined);
}

/* ---- symbols ---- */

const char records_system_map[] =
	"0000000000000000 A __per_cpu_start\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 t first\n"
	"ffffffff81000040 t whole\n"
	"ffffffff81000080 t copied.isra.0\n"
	"ffffffff810000c0 t parted.part.0\n"
	"ffffffff81000100 T caller\n"
	"ffffffff81000140 t twice\n"
	"ffffffff81000180 t twice\n"
	"ffffffff810001c0 T assembled\n"
	"ffffffff81000200 t copied.cold\n"
	"ffffffff81001000 T _etext\n"
	"ffffffff81800000 D lonely_variable\n"
	"ffffffff82000000 T _sinittext\n"
	"ffffffff82000010 t starter\n"
	"ffffffff82000100 T _einittext\n";

const char records_kallsyms[] =
	"0000000000000000 A __per_cpu_start\n"
	"ffffffff9d000000 T _stext\n"
	"ffffffff9d000000 T _text\n"
	"ffffffff9d000000 t first\n"
	"ffffffff9d000040 t whole\n"
	"ffffffff9d000080 t copied.isra.0\n"
	"ffffffff9d0000c0 t parted.part.0\n"
	"ffffffff9d000100 T caller\n"
	"ffffffff9d000140 t twice\n"
	"ffffffff9d000180 t twice\n"
	"ffffffff9d0001c0 T assembled\n"
	"ffffffff9d000200 t copied.cold\n"
	"ffffffff9d001000 T _etext\n"
	"ffffffff9e000000 T _sinittext\n"
	"ffffffff9e000010 t starter\n"
	"ffffffff9e000100 T _einittext\n"
	"ffffffffc0100000 t whole\t[other]\n"
	"ffffffffc0100040 t other_whole\t[other]\n";
