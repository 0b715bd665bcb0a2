/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The extra image of an image: which types are in which, their ids and strings, in both byte
 * orders, alone and on bases; what is left of it when the image is padded. Read back and checked.
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "btf/elf_store.h"
#include "btf/verify/verify.h"
#include "tests/split_types.h"

/* ---- a table in two parts ---- */

struct parts {
	struct type_text types;
	uint32_t extra_from;
};

static uint32_t add(struct parts *p, const uint32_t *words, bool is_root)
{
	uint32_t node = node_table_intern(&p->types.table, words, UINT64_MAX);

	if (is_root)
		p->types.table.nodes.data[node].is_root = true;
	return node;
}

#define ADD(p, is_root, ...) add(p, (const uint32_t[]){ __VA_ARGS__ }, is_root)

static uint32_t name(struct parts *p, const char *text)
{
	return string_pool_add(&p->types.pool, text).index;
}

static uint32_t find(struct parts *p, enum btf_kind kind, const char *text)
{
	for (uint32_t s = 1; s < p->types.table.nodes.count; s++) {
		if (node_kind(&p->types.table, s) == kind &&
		    node_words(&p->types.table, s)[BTF_WORD_NAME] == name(p, text))
			return s;
	}
	fail_msg("there is no %s", text);
	return 0;
}

/* Four sites, by offset; of f at 16 there are two, the one with the later LOC_PROTO in front. */
static void add_sites(struct parts *p)
{
	uint32_t f = find(p, BTF_FUNC, "f"), g = find(p, BTF_FUNC, "g");
	uint32_t di = ADD(p, false, 0, btf_info(BTF_LOC_PARAM, 1, false), 4, BTF_LOC_REG, 5);
	uint32_t first = ADD(p, false, 0, btf_info(BTF_LOC_PROTO, 1, false), 0, di);
	uint32_t second = ADD(p, false, 0, btf_info(BTF_LOC_PROTO, 1, false), 0, 0);

	ADD(p, true, name(p, ".text"), btf_info(BTF_LOCSEC, 4, false), 0, f, second, 4, g, first,
	    16, f, second, 16, f, first, 16);
}

/*
 * Only the extra part needs `const int`, a node of the first part that is not a root there, and the
 * declaration of e; both need that of a. "d" is a string of the first part, too.
 */
static void add_extra(struct parts *p, uint32_t const_int)
{
	uint32_t f = find(p, BTF_FUNC, "f"), proto, bare, loc;
	uint32_t a = type_text_tag(&p->types, "sa");
	uint32_t e = node_table_tag(&p->types.table, BTF_STRUCT, name(p, "e"), 0);

	p->types.table.tags.data[e].base = e;
	p->extra_from = (uint32_t)p->types.table.nodes.count;
	proto = node_words(&p->types.table, f)[BTF_WORD_TYPE];
	ADD(p, true, 0, BTF_INFO(BTF_PTR), const_int);
	ADD(p, true, 0, BTF_INFO(BTF_VOLATILE), ref_to_tag(a).word);
	ADD(p, true, 0, BTF_INFO(BTF_CONST), ref_to_tag(e).word);
	ADD(p, true, name(p, "d"), BTF_INFO(BTF_TYPEDEF), find(p, BTF_STRUCT, "d"));
	bare = ADD(p, false, name(p, "z.part.0"), BTF_INFO(BTF_FUNC), 0);
	loc = ADD(p, false, 0, btf_info(BTF_LOC, 1, false), proto, name(p, "%di"));
	ADD(p, true, name(p, ".text"), btf_info(BTF_DATASEC, 2, true), 0x100, f, 0, proto, bare, 16,
	    loc);
}

static void parts_init(struct parts *p, bool with_sites, bool with_extra)
{
	uint32_t const_int, f;

	*p = (struct parts){ 0 };
	type_text_read(&p->types, "sb:Psa,i =fFi sd:i");
	f = find(p, BTF_FUNC, "f");
	ADD(p, true, name(p, "g"), BTF_INFO(BTF_FUNC),
	    node_words(&p->types.table, f)[BTF_WORD_TYPE]);
	const_int = ADD(p, false, 0, BTF_INFO(BTF_CONST), find(p, BTF_INT, "int"));
	if (with_sites)
		add_sites(p);
	if (with_extra)
		add_extra(p, const_int);
}

/* ---- reading it back ---- */

static void open_btf(struct btf_reader *reader, const void *data, size_t bytes,
		     const struct btf_reader *base)
{
	btf_open(reader, data, bytes, base);
	assert_true(reader->complete);
}

static void open_part(struct btf_reader *reader, const struct btf_image *image, enum btf_part part,
		      const struct btf_reader *below)
{
	open_btf(reader, image->parts[part].data, image->parts[part].size, below);
}

static void check(const struct btf_reader *reader, enum btf_dialect dialect)
{
	const struct btf_verify_options options = { .dialect = dialect, .pointer_bytes = 8,
						    .layout = true };
	struct btf_findings findings;
	char text[200];

	btf_verify(reader, &options, &findings);
	if (findings.errors) {
		btf_finding_text(reader, &findings.data[0], text, sizeof(text));
		fail_msg("%s", text);
	}
	btf_findings_release(&findings);
}

static void expect_dump(const struct btf_reader *reader, const char *wanted)
{
	char *text = btf_dump(reader, NULL);

	assert_string_equal(text, wanted);
	free(text);
}

static uint32_t layout_kinds(const struct btf_reader *reader)
{
	return reader->header.header_bytes > BTF_SHORT_HEADER_BYTES
		       ? reader->header.layout_bytes / (uint32_t)sizeof(struct btf_layout_entry)
		       : 0;
}

/* ---- which image has which type ---- */

static const char wanted_main[] =
	"[1] PTR '(anon)' type_id=3\n"
	"[2] FUNC_PROTO '(anon)' ret_type_id=8 vlen=1\n"
	"\t'p' type_id=8\n"
	"[3] FWD 'a' fwd_kind=struct\n"
	"[4] STRUCT 'b' size=16 vlen=2\n"
	"\t'm' type_id=1 bits_offset=0\n"
	"\t'm' type_id=8 bits_offset=64\n"
	"[5] STRUCT 'd' size=8 vlen=1\n"
	"\t'm' type_id=8 bits_offset=0\n"
	"[6] FUNC 'f' type_id=2 linkage=global\n"
	"[7] FUNC 'g' type_id=2 linkage=static\n"
	"[8] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n";

/* The ids of the lines, and then of what else they refer to. */
#define EXTRA_TEXT(constant, pointer, is_volatile, is_const, loc, section, alias, fwd, part,       \
		   integer, a, proto, f, d)                                                        \
	"[" #constant "] CONST '(anon)' type_id=" #integer "\n"                                    \
	"[" #pointer "] PTR '(anon)' type_id=" #constant "\n"                                      \
	"[" #is_volatile "] VOLATILE '(anon)' type_id=" #a "\n"                                    \
	"[" #is_const "] CONST '(anon)' type_id=" #fwd "\n"                                        \
	"[" #loc "] LOC '(anon)' type_id=" #proto " vlen=1\n"                                      \
	"\t'p' location=%di\n"                                                                     \
	"[" #section "] DATASEC '.text' size=256 vlen=2\n"                                         \
	"\ttype_id=" #f " offset=0x0 location_type_id=" #proto " (.text+0x0: f by convention)\n"   \
	"\ttype_id=" #part " offset=0x10 location_type_id=" #loc " (.text+0x10: z.part.0 p=%di)\n" \
	"[" #alias "] TYPEDEF 'd' type_id=" #d "\n"                                                \
	"[" #fwd "] FWD 'e' fwd_kind=struct\n"                                                     \
	"[" #part "] FUNC 'z.part.0' type_id=0 linkage=static\n"

static const char wanted_extra[] = EXTRA_TEXT(9, 10, 11, 12, 13, 14, 15, 16, 17, 8, 3, 2, 6, 5);

#define SITES_TEXT(pointer, proto, param, first, second, section, a, b, f, g, integer)             \
	"[" #pointer "] PTR '(anon)' type_id=" #a "\n"                                             \
	"[" #proto "] FUNC_PROTO '(anon)' ret_type_id=" #integer " vlen=1\n"                       \
	"\t'p' type_id=" #integer "\n"                                                             \
	"[" #param "] LOC_PARAM '(anon)' size=4 vlen=1 flags=0x8 values=5 (%reg5)\n"               \
	"[" #first "] LOC_PROTO '(anon)' vlen=1\n"                                                 \
	"\ttype_id=" #param " (%reg5)\n"                                                           \
	"[" #second "] LOC_PROTO '(anon)' vlen=1\n"                                                \
	"\ttype_id=0 (?)\n"                                                                        \
	"[" #section "] LOCSEC '.text' vlen=4\n"                                                   \
	"\tfunc_id=" #f " loc_proto_id=" #second " offset=0x4 (.text+0x4: f p=?)\n"                \
	"\tfunc_id=" #f " loc_proto_id=" #first " offset=0x10 (.text+0x10: f p=%reg5)\n"           \
	"\tfunc_id=" #f " loc_proto_id=" #second " offset=0x10 (.text+0x10: f p=?)\n"              \
	"\tfunc_id=" #g " loc_proto_id=" #first " offset=0x10 (.text+0x10: g p=%reg5)\n"           \
	"[" #a "] FWD 'a' fwd_kind=struct\n"                                                       \
	"[" #b "] STRUCT 'b' size=16 vlen=2\n"                                                     \
	"\t'm' type_id=" #pointer " bits_offset=0\n"                                               \
	"\t'm' type_id=" #integer " bits_offset=64\n"

static const char wanted_sites[] =
	SITES_TEXT(1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12)
	"[9] STRUCT 'd' size=8 vlen=1\n"
	"\t'm' type_id=12 bits_offset=0\n"
	"[10] FUNC 'f' type_id=2 linkage=global\n"
	"[11] FUNC 'g' type_id=2 linkage=static\n"
	"[12] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n";

static const char wanted_sites_extra[] =
	EXTRA_TEXT(13, 14, 15, 16, 17, 18, 19, 20, 21, 12, 7, 2, 10, 9);

static const char wanted_split[] =
	"[4] PTR '(anon)' type_id=6\n"
	"[5] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1\n"
	"\t'p' type_id=1\n"
	"[6] FWD 'a' fwd_kind=struct\n"
	"[7] STRUCT 'b' size=16 vlen=2\n"
	"\t'm' type_id=4 bits_offset=0\n"
	"\t'm' type_id=1 bits_offset=64\n"
	"[8] FUNC 'f' type_id=5 linkage=global\n"
	"[9] FUNC 'g' type_id=5 linkage=static\n";

static const char wanted_split_extra[] =
	EXTRA_TEXT(10, 11, 12, 13, 14, 15, 16, 17, 18, 1, 6, 5, 8, 2);

static const char wanted_split_sites[] =
	SITES_TEXT(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1)
	"[11] FUNC 'f' type_id=4 linkage=global\n"
	"[12] FUNC 'g' type_id=4 linkage=static\n";

static const char wanted_split_sites_extra[] =
	EXTRA_TEXT(13, 14, 15, 16, 17, 18, 19, 20, 21, 1, 9, 4, 11, 2);

static const struct image_case {
	const char *what;
	const char *base;	/* NULL: none */
	bool distill;
	bool with_sites;
	const char *main;
	const char *extra;
} cases[] = {
	{ "alone", NULL, false, false, wanted_main, wanted_extra },
	{ "with sites", NULL, false, true, wanted_sites, wanted_sites_extra },
	{ "on a base", "sd:i sx:i", false, false, wanted_split, wanted_split_extra },
	{ "with sites on a base", "sd:i i", false, true, wanted_split_sites,
	  wanted_split_sites_extra },
	/* Without x it is the base above. */
	{ "on a distilled base", "sx:i sd:i", true, true, wanted_split_sites,
	  wanted_split_sites_extra },
};

static const char wanted_inline_main[] =
	"[1] PTR '(anon)' type_id=4\n"
	"[2] FUNC_PROTO '(anon)' ret_type_id=9 vlen=1\n"
	"\t'p' type_id=9\n"
	"[3] CONST '(anon)' type_id=9\n"
	"[4] FWD 'a' fwd_kind=struct\n"
	"[5] STRUCT 'b' size=16 vlen=2\n"
	"\t'm' type_id=1 bits_offset=0\n"
	"\t'm' type_id=9 bits_offset=64\n"
	"[6] STRUCT 'd' size=8 vlen=1\n"
	"\t'm' type_id=9 bits_offset=0\n"
	"[7] FUNC 'f' type_id=2 linkage=global\n"
	"[8] FUNC 'g' type_id=2 linkage=static\n"
	"[9] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n";

static const char wanted_inline[] =
	"[10] FUNC_PROTO '(anon)' ret_type_id=0 vlen=1\n"
	"\t'd' type_id=3\n"
	"[11] LOC_PARAM '(anon)' size=4 vlen=1 flags=0x8 values=5 (%reg5)\n"
	"[12] LOC_PROTO '(anon)' vlen=1\n"
	"\ttype_id=11 (%reg5)\n"
	"[13] FUNC 'h' type_id=10 linkage=static\n"
	"[14] LOCSEC 'inline.text' vlen=2\n"
	"\tfunc_id=7 loc_proto_id=12 offset=0x10 (.text+0x10: f p=%reg5)\n"
	"\tfunc_id=13 loc_proto_id=12 offset=0x8 (.text+0x8: h d=%reg5)\n";

static const char wanted_inline_extra[] =
	"[15] DATASEC '.text' size=256 vlen=1\n"
	"\ttype_id=13 offset=0x8 location_type_id=10 (.text+0x8: h by convention)\n";

static void build(struct btf_image *image, const struct parts *p,
		  const struct btf_image_options *options)
{
	struct error err;

	if (!btf_image_build(image, &p->types.table, &p->types.pool, options, &err))
		fail_msg("%s", err.text);
}

/* Extra types change no byte of the image. */
static void check_main(const struct image_case *c, const struct btf_image_options *options,
		       const struct btf_image *image)
{
	struct btf_image_options alone = *options;
	struct btf_image other;
	struct parts p;

	parts_init(&p, c->with_sites, false);
	alone.part_from[BTF_PART_EXTRA] = 0;
	build(&other, &p, &alone);
	assert_null(other.parts[BTF_PART_EXTRA].data);
	assert_int_equal(other.size, image->size);
	assert_memory_equal(other.data, image->data, other.size);
	assert_int_equal(other.type_count, image->type_count);
	assert_memory_equal(other.kind_counts, image->kind_counts, sizeof(other.kind_counts));
	btf_image_release(&other);
	type_text_release(&p.types);
}

static void check_case(const struct image_case *c, const struct base_types *base, bool swap,
		       bool layout)
{
	struct btf_image_options options = { .swap = swap, .layout = layout,
					     .base = c->base ? &base->base : NULL,
					     .distill = c->distill };
	const struct btf_reader *on = c->base ? &base->reader : NULL;
	struct btf_reader distilled = { 0 }, reader, extra;
	struct btf_image image;
	struct parts p;

	parts_init(&p, c->with_sites, true);
	options.part_from[BTF_PART_EXTRA] = p.extra_from;
	build(&image, &p, &options);
	/* (A distilled base has what the extra image needs, too.) */
	if (!c->distill)
		check_main(c, &options, &image);
	if (c->distill) {
		open_btf(&distilled, image.base_data, image.base_size, NULL);
		on = &distilled;
	}
	open_btf(&reader, image.data, image.size, on);
	open_part(&extra, &image, BTF_PART_EXTRA, &reader);
	assert_int_equal(reader.swapped, swap);
	assert_int_equal(extra.swapped, swap);
	assert_int_equal(extra.first_id, image.first_id + image.type_count);
	assert_int_equal(layout_kinds(&reader), !layout || c->base ? 0
					      : c->with_sites ? BTF_INLINE_KIND_COUNT
							      : BTF_CLASSIC_KIND_COUNT);
	assert_int_equal(layout_kinds(&extra), 0);
	expect_dump(&reader, c->main);
	expect_dump(&extra, c->extra);
	check(&reader, c->with_sites ? BTF_DIALECT_INLINE : BTF_DIALECT_CLASSIC);
	check(&extra, BTF_DIALECT_EXTRA);
	btf_reader_release(&extra);
	btf_reader_release(&reader);
	btf_reader_release(&distilled);
	btf_image_release(&image);
	type_text_release(&p.types);
}

/*
 * h has only sites: with its prototype it is in the inline part; `const int`, which only that uses,
 * is not. The extra part refers to both.
 */
TEST(test_inline_part)
{
	struct btf_image_options options = { .layout = true };
	struct btf_reader reader, inlined, extra;
	struct btf_image image;
	struct parts p;
	uint32_t f, h, proto, location, locations, integer, constant;

	parts_init(&p, false, false);
	integer = find(&p, BTF_INT, "int");
	constant = ADD(&p, false, 0, BTF_INFO(BTF_CONST), integer);
	options.part_from[BTF_PART_INLINE] = (uint32_t)p.types.table.nodes.count;
	f = find(&p, BTF_FUNC, "f");
	proto = ADD(&p, false, 0, btf_info(BTF_FUNC_PROTO, 1, false), 0, name(&p, "d"), constant);
	h = ADD(&p, true, name(&p, "h"), BTF_INFO(BTF_FUNC), proto);
	location = ADD(&p, false, 0, btf_info(BTF_LOC_PARAM, 1, false), 4, BTF_LOC_REG, 5);
	locations = ADD(&p, false, 0, btf_info(BTF_LOC_PROTO, 1, false), 0, location);
	ADD(&p, true, name(&p, "inline.text"), btf_info(BTF_LOCSEC, 2, false), 0, h, locations, 8,
	    f, locations, 16);
	options.part_from[BTF_PART_EXTRA] = (uint32_t)p.types.table.nodes.count;
	ADD(&p, true, name(&p, ".text"), btf_info(BTF_DATASEC, 1, true), 0x100, h, 8, proto);
	build(&image, &p, &options);
	open_btf(&reader, image.data, image.size, NULL);
	open_part(&inlined, &image, BTF_PART_INLINE, &reader);
	open_part(&extra, &image, BTF_PART_EXTRA, &inlined);
	expect_dump(&reader, wanted_inline_main);
	expect_dump(&inlined, wanted_inline);
	expect_dump(&extra, wanted_inline_extra);
	assert_int_equal(image.all_types, image.type_count + inlined.type_count + extra.type_count);
	assert_int_equal(image.end_strings[BTF_PART_INLINE], btf_reader_end_string(&reader));
	assert_int_equal(image.end_strings[BTF_PART_EXTRA], btf_reader_end_string(&inlined));
	/* The layout says how long the records of the part are, whose header has room for one. */
	assert_int_equal(layout_kinds(&reader), BTF_INLINE_KIND_COUNT);
	assert_int_equal(inlined.header.header_bytes, sizeof(struct btf_file_header));
	assert_int_equal(layout_kinds(&inlined), 0);
	check(&reader, BTF_DIALECT_CLASSIC);
	check(&inlined, BTF_DIALECT_INLINE);
	check(&extra, BTF_DIALECT_EXTRA);
	btf_reader_release(&extra);
	btf_reader_release(&inlined);
	btf_reader_release(&reader);
	btf_image_release(&image);
	type_text_release(&p.types);
}

TEST(test_images)
{
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct base_types base;

		base_types_init(&base, cases[i].base ? cases[i].base : "i");
		for (int round = 0; round < 4; round++) {
			/* A base has the byte order of what is split from it. */
			if (round & 1 && cases[i].base && !cases[i].distill)
				continue;
			check_case(&cases[i], &base, round & 1, round & 2);
		}
		base_types_release(&base);
	}
}

/* Everything is extra: the image is empty, and what is split from it is all there is. */
TEST(test_all_extra)
{
	struct btf_image_options options = { .part_from[BTF_PART_EXTRA] = 1 };
	struct btf_reader reader, extra;
	struct btf_image image;
	struct parts p;

	parts_init(&p, false, true);
	build(&image, &p, &options);
	assert_int_equal(image.type_count, 0);
	assert_int_equal(image.string_bytes, 1);
	open_btf(&reader, image.data, image.size, NULL);
	open_part(&extra, &image, BTF_PART_EXTRA, &reader);
	assert_int_equal(extra.first_id, 1);
	assert_int_equal(extra.first_string, 1);
	check(&extra, BTF_DIALECT_EXTRA);
	btf_reader_release(&extra);
	btf_reader_release(&reader);
	btf_image_release(&image);
	type_text_release(&p.types);
}

/* ---- when the image is padded ---- */

/* The offsets of names in each kind, in a record of two elements, if it has elements. */
static const struct {
	enum btf_kind kind;
	bool kind_flag;
	uint32_t vlen, words;
	uint32_t names[3];
	uint32_t name_count;
} kinds[] = {
	{ BTF_INT, false, 0, 4, { 0 }, 1 },
	{ BTF_PTR, false, 0, 3, { 0 }, 1 },
	{ BTF_ARRAY, false, 0, 6, { 0 }, 1 },
	{ BTF_STRUCT, false, 2, 9, { 0, 3, 6 }, 3 },
	{ BTF_STRUCT, true, 2, 9, { 0, 3, 6 }, 3 },
	{ BTF_UNION, false, 2, 9, { 0, 3, 6 }, 3 },
	{ BTF_ENUM, false, 2, 7, { 0, 3, 5 }, 3 },
	{ BTF_FWD, true, 0, 3, { 0 }, 1 },
	{ BTF_TYPEDEF, false, 0, 3, { 0 }, 1 },
	{ BTF_VOLATILE, false, 0, 3, { 0 }, 1 },
	{ BTF_CONST, false, 0, 3, { 0 }, 1 },
	{ BTF_RESTRICT, false, 0, 3, { 0 }, 1 },
	{ BTF_FUNC, false, 1, 3, { 0 }, 1 },	/* vlen is its linkage */
	{ BTF_FUNC_PROTO, false, 2, 7, { 0, 3, 5 }, 3 },
	{ BTF_VAR, false, 0, 4, { 0 }, 1 },
	{ BTF_DATASEC, false, 2, 9, { 0 }, 1 },
	{ BTF_DATASEC, true, 2, 9, { 0 }, 1 },
	{ BTF_FLOAT, false, 0, 3, { 0 }, 1 },
	{ BTF_DECL_TAG, false, 0, 4, { 0 }, 1 },
	{ BTF_TYPE_TAG, true, 0, 3, { 0 }, 1 },
	{ BTF_ENUM64, false, 2, 9, { 0, 3, 6 }, 3 },
	{ BTF_LOC_PARAM, false, 2, 6, { 0 }, 1 },
	{ BTF_LOC_PROTO, false, 2, 5, { 0 }, 1 },
	{ BTF_LOCSEC, false, 2, 9, { 0 }, 1 },
	{ BTF_LOC, false, 2, 5, { 0, 3, 4 }, 3 },
};

#define BASE_STRINGS  "\0strings of a base"
#define FIRST	      ((uint32_t)sizeof(BASE_STRINGS))	/* offset of the first string after it */
#define PADDING	      20

/* Each word but the infos is `word`: a name, or something that must stay. */
static size_t fill_kinds(uint32_t *words, uint32_t word, uint32_t moved)
{
	size_t count = 0;

	for (size_t i = 0; i < LENGTH(kinds); i++) {
		for (uint32_t k = 0; k < kinds[i].words; k++)
			words[count + k] = word;
		for (uint32_t k = 0; k < kinds[i].name_count; k++)
			words[count + kinds[i].names[k]] = moved;
		words[count + BTF_WORD_INFO] =
			btf_info(kinds[i].kind, kinds[i].vlen, kinds[i].kind_flag);
		count += kinds[i].words;
	}
	return count;
}

static void check_moved(uint32_t word, uint32_t wanted, bool swap)
{
	static const char strings[] = "some";
	uint32_t words[200];
	size_t count = fill_kinds(words, word, word);
	struct btf_blob blob = btf_blob_make(words, count, strings, sizeof(strings)), moved;
	void *found;

	assert_true(count <= LENGTH(words));
	fill_kinds(words, word, wanted);
	moved = btf_blob_make(words, count, strings, sizeof(strings));
	if (swap) {
		btf_blob_swap(&blob);
		btf_blob_swap(&moved);
	}
	found = btf_moved(blob.data, blob.bytes, FIRST, PADDING);
	assert_memory_equal(found, moved.data, moved.bytes);
	free(found);
	btf_blob_release(&blob);
	btf_blob_release(&moved);
}

/* Names after the base's strings move, and nothing else does. */
TEST(test_moved)
{
	bool is_met[BTF_ROW_COUNT] = { false };

	for (int swap = 0; swap < 2; swap++) {
		check_moved(0, 0, swap);
		check_moved(FIRST - 1, FIRST - 1, swap);
		check_moved(FIRST, FIRST + PADDING, swap);
		check_moved(FIRST + 3, FIRST + 3 + PADDING, swap);
	}
	for (size_t i = 0; i < LENGTH(kinds); i++)
		is_met[btf_kind_of(btf_info(kinds[i].kind, 0, kinds[i].kind_flag)) - btf_kinds] =
			true;
	for (int row = 0; row < BTF_ROW_COUNT; row++) {
		if (btf_kinds[row].name && !is_met[row])
			fail_msg("%s is missing", btf_kinds[row].name);
	}
}

/* On the padded image the extra one says what it said. */
TEST(test_padded)
{
	for (int swap = 0; swap < 2; swap++) {
		struct btf_image_options options = { .swap = swap };
		struct btf_reader reader, extra;
		struct btf_image image;
		const struct btf_image_part *part = &image.parts[BTF_PART_EXTRA];
		void *padded, *moved;
		struct parts p;

		parts_init(&p, true, true);
		options.part_from[BTF_PART_EXTRA] = p.extra_from;
		build(&image, &p, &options);
		padded = btf_padded(image.data, image.size, image.size + PADDING);
		assert_non_null(padded);
		moved = btf_moved(part->data, part->size, image.end_strings[BTF_PART_EXTRA],
				  PADDING);
		open_btf(&reader, padded, image.size + PADDING, NULL);
		open_btf(&extra, moved, part->size, &reader);
		expect_dump(&extra, wanted_sites_extra);
		check(&extra, BTF_DIALECT_EXTRA);
		/* The id is of what padding does not change, and of nothing less. */
		assert_true(btf_reader_fits_base(&extra));
		((uint8_t *)padded)[reader.header.header_bytes]++;
		assert_false(btf_reader_fits_base(&extra));
		btf_reader_release(&extra);
		btf_reader_release(&reader);
		free(padded);
		free(moved);
		btf_image_release(&image);
		type_text_release(&p.types);
	}
}
