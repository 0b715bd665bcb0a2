/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Distilled bases: their contents by hand; and on random texts, that a module split from one, when
 * it is fitted to another build of the base (other order, larger structs), has the types that it
 * has as an ordinary split; and that the verifier's rules for such bases are libbpf's, from 1.6 on.
 *
 * usage: unit_distill [PROGRAMS [FIRST_SEED]]
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "btf/verify/verify.h"
#include "tests/libbpf_relocation.h"
#include "tests/random_types.h"
#include "tests/seeds.h"
#include "tests/split_types.h"

static uint32_t random_programs = 3000;
static uint32_t first_seed;

static enum btf_kind kind_of(const struct btf_reader *btf, uint32_t id)
{
	return btf_info_kind(btf_reader_type(btf, id)[BTF_WORD_INFO]);
}

static const char *name_of(const struct btf_reader *btf, uint32_t id)
{
	return btf_reader_string(btf, btf_reader_type(btf, id)[BTF_WORD_NAME]);
}

/* ---- by hand ---- */

/* "STRUCT a 8, INT int 4" for the types from an id on. */
static void print_types(const struct btf_reader *btf, uint32_t first_id, char *out, size_t bytes)
{
	size_t n = 0;

	*out = '\0';
	for (uint32_t id = first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);
		enum btf_kind kind = kind_of(btf, id);
		const char *name = name_of(btf, id);

		n += (size_t)snprintf(out + n, bytes - n, "%s%s%s%s", n ? ", " : "",
				      btf_kinds[kind].name, *name ? " " : "", name);
		if (btf_kinds[kind].has_size)
			n += (size_t)snprintf(out + n, bytes - n, " %u", words[BTF_WORD_SIZE]);
	}
}

static const struct {
	const char *what;
	const char *base;
	const char *module;
	const char *distilled;
	const char *split;
} cases[] = {
	{ "what is not referred to is not there", "sa:i sb:i sc:Psa", "sa:i sb:i sd:sa",
	  "STRUCT a 8", "STRUCT d 8" },
	{ "nothing at all", "sa:i", "sa:i", "", "" },
	{ "nothing of the base", "sa:i", "sb:u", "", "STRUCT b 8, INT unsigned 4" },
	{ "in the order of the base", "sc:i sa:i nb:i,i Psc Psa Pnb", "sz:Psa,nb,Psc,i",
	  "INT int 4, STRUCT c 8, STRUCT a 8, UNION b 16", "PTR, PTR, STRUCT z 32" },
	{ "enums without values", "ma:2 mb:2L sc:ma,mb", "sd:ma,mb ma:2 mb:2L",
	  "ENUM a 4, ENUM b 8", "STRUCT d 16" },
	{ "INT and FLOAT as they are", "sa:i,u,d", "sb:i,d", "INT int 4, FLOAT double 8",
	  "STRUCT b 16" },
	{ "a declaration", "sa:Psb", "sc:Psb", "FWD b", "PTR, STRUCT c 8" },
	{ "a declaration of a union", "sa:Pnb", "sc:Pnb", "FWD b", "PTR, STRUCT c 8" },
	{ "a module's declaration, the base's definition", "sa:i Psa", "sb:Psa", "STRUCT a 8",
	  "PTR, STRUCT b 8" },
	{ "nameless types, pointers, typedefs, prototypes are the split's own",
	  "sa:i Tsa PTsa Xi Ue FPsa Asa CTsa", "sb:PTsa,Xi,UPsa,PFPsa,Asa,CTsa sa:i",
	  "INT int 4, STRUCT a 8",
	  "PTR, STRUCT 8, PTR, UNION 8, FUNC_PROTO, PTR, ARRAY, CONST, STRUCT b 48, TYPEDEF t" },
	{ "a typedef of the module alone is not a root", "sa:i Tsa", "sa:i Tsa =fFi", "INT int 4",
	  "FUNC_PROTO, FUNC f" },
	{ "an anonymous enum", "sa:e", "sb:e", "", "ENUM 4, STRUCT b 8" },
	{ "two of a name and size", "sa:i sa1:u", "sa:i sb:sa", "INT int 4",
	  "STRUCT a 8, STRUCT b 8" },
	{ "two of a name, of two sizes", "sa:i sa1:u,u", "sa:i sb:sa", "STRUCT a 8", "STRUCT b 8" },
	{ "the other of the two", "sa:i sa1:u,u", "sa:u,u sb:sa", "STRUCT a 16", "STRUCT b 8" },
	{ "a declaration and a definition", "sa:i Psa?", "sa:i sb:sa", "INT int 4",
	  "STRUCT a 8, STRUCT b 8" },
	{ "declarations of a struct and of a union", "Psa Pna", "sb:Psa,Pna", "",
	  "PTR, PTR, FWD a, FWD a, STRUCT b 16" },
	{ "what contains a type without a place stays in the base",
	  "sa:i sa1:u sb:Psa", "sa:i sb:Psa =fFsb =vPsa", "INT int 4, STRUCT b 8",
	  "PTR, FUNC_PROTO, STRUCT a 8, FUNC f, VAR v" },
	{ "two INTs of a name", "i j", "sb:i,j", "", "STRUCT b 16, INT int 4, INT int 4" },
	{ "a chain leads through the split", "sa:i sb:Psa PPsb", "=fFPPsb sa:i sb:Psa",
	  "INT int 4, STRUCT b 8", "PTR, PTR, FUNC_PROTO, FUNC f" },
	{ "a tag of the base", "sa:i Tsa =gsa", "sa:i =gsa", "", "" },
	{ "a new tag on a member of the base has no place", "sa:i sb:i", "sa:i =hsa sc:sb",
	  "STRUCT b 8", "STRUCT c 8" },
	{ "one on a member of the module", "sb:i", "sa:i =hsa", "INT int 4",
	  "STRUCT a 8, DECL_TAG g" },
	{ "a new tag on a type of the base", "sa:i", "sa:i =gsa", "STRUCT a 8", "DECL_TAG g" },
};

TEST(test_cases)
{
	static const uint32_t masks[] = { UINT32_MAX, 0 };

	for (size_t i = 0; i < LENGTH(cases) * LENGTH(masks); i++) {
		size_t c = i / LENGTH(masks);
		struct base_types base;
		struct type_text module;
		struct split_types split;
		char line[2][400];

		hash_mask = masks[i % LENGTH(masks)];
		base_types_init(&base, cases[c].base);
		type_text_read(&module, cases[c].module);
		split_types_init(&split, &base, &module, true);
		print_types(&split.distilled, 1, line[0], sizeof(line[0]));
		print_types(&split.reader, btf_reader_end_id(&split.distilled), line[1],
			    sizeof(line[1]));
		if (strcmp(line[0], cases[c].distilled) != 0 ||
		    strcmp(line[1], cases[c].split) != 0)
			fail_msg("%s:\n  distilled: %s\n  not:       %s\n  split: %s\n  not:   %s",
				 cases[c].what, line[0], cases[c].distilled, line[1],
				 cases[c].split);
		split_types_release(&split);
		type_text_release(&module);
		base_types_release(&base);
	}
	hash_mask = UINT32_MAX;
}

/* The records word by word: no elements, no kind_flag but a declaration's, strings once. */
TEST(test_records)
{
	static const char strings[] = "\0int\0a\0b\0c\0f";
	static const uint32_t wanted[] = {
		1, BLOB_INFO(BTF_INT, 0, 0), 4, BTF_INT_SIGNED << 24 | 32,
		5, BLOB_INFO(BTF_STRUCT, 0, 0), 16,
		7, BLOB_INFO(BTF_ENUM, 0, 0), 8,
		9, BLOB_INFO(BTF_UNION, 0, 0), 8,
		5, BLOB_INFO(BTF_UNION, 0, 0), 40,
		11, BLOB_INFO(BTF_FWD, 0, 1), 0,
	};
	struct base_types base;
	struct type_text module;
	struct split_types split;

	base_types_init(&base, "sa!:i,mb mb:2L nc:q.d na#40:i sz:Pnf,nc");
	type_text_read(&module, "sx:sa,mb,i,nc,na,Pnf");
	split_types_init(&split, &base, &module, true);
	assert_int_equal(split.distilled.word_count, LENGTH(wanted));
	assert_memory_equal(split.distilled.words, wanted, sizeof(wanted));
	assert_int_equal(split.distilled.string_bytes, sizeof(strings));
	assert_memory_equal(split.distilled.strings, strings, sizeof(strings));
	/* The split continues its ids and strings. */
	assert_int_equal(split.reader.first_id, 7);
	assert_int_equal(split.reader.first_string, sizeof(strings));
	assert_memory_equal(split.reader.strings, "x\0m", 4);
	split_types_release(&split);
	type_text_release(&module);
	base_types_release(&base);
}

/* ---- fitting to another base ---- */

struct fitting {
	const struct base_types *from;		/* what it was split from */
	const struct base_types *to;
	const struct split_types *split;	/* on its distilled base */
	uint32_t *ids;				/* of the distilled base -> in `to` */
	bool *is_embedded;			/* by id of the distilled base: size matters */
	const char *wrong;
};

static bool has_chain(enum btf_kind kind)
{
	return kind == BTF_INT || kind == BTF_FLOAT || kind == BTF_STRUCT || kind == BTF_UNION ||
	       kind == BTF_ENUM || kind == BTF_ENUM64 || kind == BTF_FWD;
}

static bool is_transparent(enum btf_kind kind)
{
	return kind == BTF_CONST || kind == BTF_VOLATILE || kind == BTF_TYPEDEF;
}

/* Marks the types that composites, arrays and variables hold by value. */
static void mark_embedded(struct fitting *f)
{
	const struct btf_reader *btf = &f->split->reader;

	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);
		enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);

		if (kind != BTF_STRUCT && kind != BTF_UNION && kind != BTF_ARRAY && kind != BTF_VAR)
			continue;
		btf_each_ref(word, words) {
			uint32_t ref = words[word];

			while (ref >= btf->first_id && is_transparent(kind_of(btf, ref)))
				ref = btf_reader_type(btf, ref)[BTF_WORD_TYPE];
			if (ref < btf->first_id)
				f->is_embedded[ref] = true;
		}
	}
}

static bool is_compatible(const struct fitting *f, uint32_t id, uint32_t other)
{
	const uint32_t *a = btf_reader_type(&f->split->distilled, id);
	const uint32_t *b = btf_reader_type(&f->to->reader, other);
	enum btf_kind kind = btf_info_kind(b[BTF_WORD_INFO]);

	switch (btf_info_kind(a[BTF_WORD_INFO])) {
	case BTF_FWD:
		if (kind == BTF_FWD)
			return a[BTF_WORD_INFO] == b[BTF_WORD_INFO];
		return kind == (btf_info_kind_flag(a[BTF_WORD_INFO]) ? BTF_UNION : BTF_STRUCT);
	case BTF_ENUM: return kind == BTF_ENUM || kind == BTF_ENUM64;
	case BTF_INT: return kind == BTF_INT && a[BTF_HEAD_WORDS] == b[BTF_HEAD_WORDS];
	default: return kind == btf_info_kind(a[BTF_WORD_INFO]);
	}
}

static uint32_t fit_one(struct fitting *f, uint32_t id)
{
	const uint32_t *words = btf_reader_type(&f->split->distilled, id);
	const struct btf_reader *to = &f->to->reader;
	uint32_t names = 0, found = 0;

	for (uint32_t other = 1; other < btf_reader_end_id(to); other++)
		names += has_chain(kind_of(to, other)) &&
			 strcmp(name_of(to, other), name_of(&f->split->distilled, id)) == 0;
	for (uint32_t other = 1; other < btf_reader_end_id(to); other++) {
		if (strcmp(name_of(to, other), name_of(&f->split->distilled, id)) != 0 ||
		    !is_compatible(f, id, other))
			continue;
		if ((names > 1 || f->is_embedded[id]) &&
		    btf_reader_type(to, other)[BTF_WORD_SIZE] != words[BTF_WORD_SIZE])
			continue;
		if (found)
			f->wrong = "a distilled type fits two";
		found = other;
	}
	if (!found)
		f->wrong = "a distilled type fits none";
	return found;
}

/* ---- the fitted split compared with the ordinary one ---- */

struct pair {
	uint32_t ours;		/* in the ordinary split */
	uint32_t theirs;	/* in the one on the distilled base */
};

struct comparison {
	const struct fitting *fitting;
	const struct btf_reader *ordinary;
	ARRAY_OF(struct pair) pairs;	/* each is looked at once */
};

static uint32_t variant_of(const struct type_text *types, uint32_t id)
{
	for (size_t t = 0; t < types->table.tags.count; t++) {
		if (types->table.tags.data[t].definition == id)
			return types->table.tags.data[t].variant;
	}
	return UINT32_MAX;
}

/* Was a type of the one base what this one is in the other? */
static bool same_origin(const struct fitting *f, uint32_t from, uint32_t to)
{
	const uint32_t *a = btf_reader_type(&f->from->reader, from);
	const uint32_t *b = btf_reader_type(&f->to->reader, to);
	enum btf_kind kind = btf_info_kind(a[BTF_WORD_INFO]);

	if (btf_info_kind(b[BTF_WORD_INFO]) != kind ||
	    btf_info_kind_flag(a[BTF_WORD_INFO]) != btf_info_kind_flag(b[BTF_WORD_INFO]) ||
	    strcmp(name_of(&f->from->reader, from), name_of(&f->to->reader, to)) != 0)
		return false;
	if (kind == BTF_INT)
		return a[BTF_HEAD_WORDS] == b[BTF_HEAD_WORDS];
	return variant_of(&f->from->text, from) == variant_of(&f->to->text, to);
}

static bool is_declaration(const uint32_t *words)
{
	uint32_t info = words[BTF_WORD_INFO];

	return btf_info_kind(info) == BTF_FWD ||
	       (btf_info_kind(info) == BTF_ENUM && btf_info_vlen(info) == 0);
}

static void add_pair(struct comparison *c, uint32_t ours, uint32_t theirs)
{
	for (size_t i = 0; i < c->pairs.count; i++) {
		if (c->pairs.data[i].ours == ours && c->pairs.data[i].theirs == theirs)
			return;
	}
	array_push(&c->pairs, ((struct pair){ ours, theirs }));
}

static bool same_words(struct comparison *c, const uint32_t *a, const uint32_t *b)
{
	uint32_t info = a[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);
	uint32_t names = 0, refs = 0;

	if (b[BTF_WORD_INFO] != info)
		return false;
	for (uint32_t word = 0; word < btf_record_words(info); word++) {
		if (names < btf_name_count(info) && btf_name_word(kind, names) == word) {
			names++;
			if (strcmp(btf_reader_string(c->ordinary, a[word]),
				   btf_reader_string(&c->fitting->split->reader, b[word])) != 0)
				return false;
		} else if (refs < btf_ref_count(info) && btf_ref_word(kind, refs) == word) {
			refs++;
			add_pair(c, a[word], b[word]);
		} else if (a[word] != b[word]) {
			return false;
		}
	}
	return true;
}

/* A declaration matches each definition of its name, as in btf/dedup/base.h. */
static bool same_type(struct comparison *c, struct pair pair)
{
	const struct fitting *f = c->fitting;
	bool is_fitted = pair.theirs && pair.theirs < f->split->reader.first_id;
	const struct btf_reader *theirs = is_fitted ? &f->to->reader : &f->split->reader;
	uint32_t id = is_fitted ? f->ids[pair.theirs] : pair.theirs;
	const uint32_t *a = btf_reader_type(c->ordinary, pair.ours);
	const uint32_t *b = btf_reader_type(theirs, id);

	if (!pair.ours || !pair.theirs)
		return pair.ours == pair.theirs;
	if (is_declaration(a) != is_declaration(b))
		return strcmp(name_of(c->ordinary, pair.ours), name_of(theirs, id)) == 0;
	if (is_fitted)
		return pair.ours < c->ordinary->first_id && same_origin(f, pair.ours, id);
	return same_words(c, a, b);
}

static const char *wrong_types(const struct fitting *f, const struct split_types *ordinary)
{
	struct comparison c = { .fitting = f, .ordinary = &ordinary->reader };
	const char *wrong = NULL;

	for (uint32_t i = 0; i < ordinary->image.type_count && !wrong; i++) {
		uint32_t k = 0;

		while (k < f->split->image.type_count &&
		       !ref_equal(f->split->image.nodes[k], ordinary->image.nodes[i]))
			k++;
		if (k == f->split->image.type_count)
			wrong = "a type is missing";
		else
			add_pair(&c, ordinary->image.first_id + i, f->split->image.first_id + k);
	}
	for (size_t i = 0; i < c.pairs.count && !wrong; i++) {
		if (!same_type(&c, c.pairs.data[i]))
			wrong = "a type is another one";
	}
	array_release(&c.pairs);
	return wrong;
}

/* ---- another build of the base ---- */

/* May it have more members in the other base? Not when its size tells it from others. */
static bool may_grow(const struct fitting *f, uint32_t id)
{
	const struct base_types *from = f->from;
	uint32_t end = btf_reader_end_id(&f->split->distilled);
	const char *name = name_of(&from->reader, id);
	struct pool_string own = pool_string(name);
	uint32_t at = 0;

	if (btf_base_next_of_name(&from->base, &at, &own) != id ||
	    btf_base_next_of_name(&from->base, &at, &own))
		return false;
	for (uint32_t d = 1; d < end; d++) {
		if (f->is_embedded[d] && strcmp(name_of(&f->split->distilled, d), name) == 0)
			return false;
	}
	return true;
}

/* The base in another order, with a type more, and with more members where that may be. */
static void change_base(struct random *random, const struct fitting *f, const char *from,
			char text[RANDOM_TEXT_BYTES])
{
	char grown[RANDOM_TEXT_BYTES] = "sz:u";
	size_t n = strlen(grown);

	while (*from) {
		size_t length = strcspn(from, " ");
		enum btf_kind kind = *from == 's' ? BTF_STRUCT : BTF_UNION;

		n += (size_t)snprintf(grown + n, sizeof(grown) - n, " %.*s", (int)length, from);
		for (uint32_t id = 1; (*from == 's' || *from == 'n') && id < f->from->base.end_id;
		     id++) {
			if (kind_of(&f->from->reader, id) == kind &&
			    *name_of(&f->from->reader, id) == from[1] && may_grow(f, id) &&
			    random_below(random, 2))
				n += (size_t)snprintf(grown + n, sizeof(grown) - n, "%sy.u",
						      from[length - 1] == ':' ? "" : ",");
		}
		from += length;
		from += *from == ' ';
	}
	random_order(random, grown, text);
}

struct totals {
	uint32_t distilled;	/* types in distilled bases */
	uint32_t moved;		/* that got another id */
};

static void check_fitting(const char *base_text, const char *module_text, struct random *random,
			  struct totals *totals)
{
	char changed[RANDOM_TEXT_BYTES];
	struct base_types base, other;
	struct type_text module;
	struct split_types ordinary, split;
	struct fitting f = { .from = &base, .to = &other, .split = &split };
	uint32_t end;

	base_types_init(&base, base_text);
	type_text_read(&module, module_text);
	split_types_init(&ordinary, &base, &module, false);
	split_types_init(&split, &base, &module, true);
	end = btf_reader_end_id(&split.distilled);
	f.ids = memory_zeroed(end, sizeof(uint32_t));
	f.is_embedded = memory_zeroed(end, sizeof(bool));
	mark_embedded(&f);
	change_base(random, &f, base_text, changed);
	base_types_init(&other, changed);
	for (uint32_t id = 1; id < end; id++) {
		f.ids[id] = fit_one(&f, id);
		totals->distilled++;
		totals->moved += f.ids[id] != id;
	}
	if (!f.wrong)
		f.wrong = wrong_types(&f, &ordinary);
	if (f.wrong)
		fail_msg("%s\n  base:    %s\n  changed: %s\n  module:  %s", f.wrong, base_text,
			 changed, module_text);
	free(f.ids);
	free(f.is_embedded);
	base_types_release(&other);
	split_types_release(&split);
	split_types_release(&ordinary);
	type_text_release(&module);
	base_types_release(&base);
}

TEST(test_fitting)
{
	char base[RANDOM_TEXT_BYTES], module[RANDOM_TEXT_BYTES];
	struct totals totals = { 0 };

	for (uint32_t i = 0; i < random_programs; i++) {
		struct random random = { first_seed + i };

		hash_mask = i % 4 == 3 ? 3 : UINT32_MAX;
		random_types(&random, base);
		random_module(&random, base, module);
		check_fitting(base, module, &random, &totals);
	}
	hash_mask = UINT32_MAX;
	assert_true(totals.distilled > random_programs);
	assert_true(totals.moved > random_programs / 2);
}

/* ---- on any base: what libbpf says ---- */

static bool has_errors(const struct btf_reader *btf)
{
	const struct btf_verify_options options = { .pointer_bytes = 8, .errors_only = true };
	struct btf_findings findings;
	bool has;

	btf_verify(btf, &options, &findings);
	has = findings.errors;
	btf_findings_release(&findings);
	return has;
}

/* Adds to counts[0] if the kernel's types are not those that are wanted, else to counts[1]. */
static void check_answer(const struct btf_reader *module, const struct btf_blob *distilled,
			 const struct split_types *split, const struct base_types *kernel,
			 uint32_t counts[2])
{
	const struct libbpf_bytes bytes[] = {
		{ distilled->data, distilled->bytes },
		{ split->image.data, split->image.size },
		{ kernel->blob.data, kernel->blob.bytes },
	};
	enum libbpf_answer answer = libbpf_relocates(bytes[0], bytes[1], bytes[2]);
	struct btf_findings findings;

	btf_verify_base(module, &kernel->reader, &findings);
	if (answer == (findings.errors ? LIBBPF_TAKES : LIBBPF_REFUSES))
		fail_msg("%s: ours, and libbpf says otherwise",
			 findings.errors ? btf_rules[findings.data[0].rule].code : "no errors");
	counts[!findings.errors] += answer != LIBBPF_CANNOT_READ;
	btf_findings_release(&findings);
}

static void check_relocation(const char *base_text, const char *module_text,
			     const char *kernel_text, struct random *random, uint32_t counts[2])
{
	struct base_types base, kernel;
	struct type_text module;
	struct split_types split;
	struct btf_blob distilled;
	struct btf_reader reader, on;
	struct error err;

	base_types_init(&base, base_text);
	base_types_init(&kernel, kernel_text);
	type_text_read(&module, module_text);
	split_types_init(&split, &base, &module, true);
	distilled = (struct btf_blob){ memory_alloc(split.image.base_size), split.image.base_size };
	memcpy(distilled.data, split.image.base_data, distilled.bytes);
	if (distilled.bytes && random_below(random, 4) == 0)
		btf_blob_damage(&distilled, random, 32);
	if (distilled.bytes &&
	    btf_reader_from_memory(&on, distilled.data, distilled.bytes, "test", NULL, &err)) {
		if (!has_errors(&on) && btf_reader_end_id(&on) == split.reader.first_id &&
		    btf_reader_from_memory(&reader, split.image.data, split.image.size, "test", &on,
					   &err)) {
			if (!has_errors(&reader))
				check_answer(&reader, &distilled, &split, &kernel, counts);
			btf_reader_release(&reader);
		}
		btf_reader_release(&on);
	}
	btf_blob_release(&distilled);
	split_types_release(&split);
	type_text_release(&module);
	base_types_release(&kernel);
	base_types_release(&base);
}

TEST(test_relocation)
{
	char base[RANDOM_TEXT_BYTES], module[RANDOM_TEXT_BYTES], kernel[RANDOM_TEXT_BYTES];
	uint32_t counts[2] = { 0 };

	if (!libbpf_can_relocate()) {
		print_message("libbpf is older than 1.6\n");
		skip();
	}
	for (uint32_t i = 0; i < random_programs; i++) {
		struct random random = { first_seed + i };

		random_types(&random, base);
		random_module(&random, base, module);
		if (random_below(&random, 2))
			random_module(&random, base, kernel);
		else
			random_order(&random, base, kernel);
		check_relocation(base, module, kernel, &random, counts);
	}
	assert_true(counts[0] > random_programs / 100);
	assert_true(counts[1] > random_programs / 100);
}

int main(int argc, char **argv)
{
	seeds_read(argc, argv, &random_programs, &first_seed);
	return test_list_run(NULL, NULL);
}
