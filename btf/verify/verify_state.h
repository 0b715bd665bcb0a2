/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The state that the parts of the verifier share.
 *
 *	verify.c		header, order; runs the passes
 *	verify_finding.c	findings
 *	verify_name.c		the string section and the names in it
 *	verify_record.c		each record by itself
 *	verify_resolve.c	the references between records
 *	verify_member.c		sizes, and a member against that of its type
 *	verify_location.c	sites and locations: the experimental records
 *	verify_base.c		a distilled base against the BTF of a kernel
 */
#ifndef BTFENC_BTF_VERIFY_VERIFY_STATE_H
#define BTFENC_BTF_VERIFY_VERIFY_STATE_H

#include "btf/inspect.h"
#include "btf/verify/verify.h"

#define MAX_DEPTH 32	/* types on the stack of the walk */

enum visit {
	VISIT_NEW,
	VISIT_OPEN,			/* on the stack of the walk */
	VISIT_DONE,
	VISIT_BAD,			/* already reported; what refers to it is not blamed */
};

struct verifier {
	const struct btf_reader *btf;
	const struct btf_verify_options *options;
	struct btf_findings *findings;
	uint32_t known_kinds;		/* kind bits: what the dialect has */
	uint32_t pointer_bytes;
	uint32_t first_id;		/* what is below is in the base, or void */
	uint32_t end_id;

	/* By id - first_id. The bytes of a kernel stay in the cache, so they are apart. */
	uint8_t *kinds;
	uint8_t *visits;		/* enum visit */
	bool *named;			/* FUNC_PROTO: its parameters were found to have names */
	uint32_t *ends;			/* of modifiers, PTR, VAR: what has the size in the end */
	uint32_t *sizes;		/* 0 where there is none; ARRAY: 0 until it was walked */

	uint8_t *names;			/* by offset in the BTF's own strings: enum name_class */
};

/* The following take any id that exists; no state is kept for void and the types of the base. */
static inline enum btf_kind type_kind(const struct verifier *v, uint32_t id)
{
	if (__builtin_expect(id < v->first_id, 0))
		return btf_record_kind(btf_reader_type(v->btf, id));
	return (enum btf_kind)v->kinds[id - v->first_id];
}

static inline enum visit type_visit(const struct verifier *v, uint32_t id)
{
	return id < v->first_id ? VISIT_NEW : (enum visit)v->visits[id - v->first_id];
}

static inline uint32_t type_end(const struct verifier *v, uint32_t id)
{
	return id < v->first_id ? 0 : v->ends[id - v->first_id];
}

/* NULL for void. */
static inline const uint32_t *type_words(const struct verifier *v, uint32_t id)
{
	if (__builtin_expect(id < v->first_id, 0))
		return btf_reader_type(v->btf, id);
	return v->btf->words + v->btf->positions[id - v->first_id];
}

static inline uint32_t kind_bit(enum btf_kind kind)
{
	return UINT32_C(1) << kind;
}

#define BTF_LOCATIONS                                                                              \
	(1u << BTF_LOC_PARAM | 1u << BTF_LOC_PROTO | 1u << BTF_LOCSEC | 1u << BTF_LOC)
#define BTF_RECORDS (1u << BTF_STRUCT | 1u << BTF_UNION)
#define SIZELESS                                                                                   \
	(1u << BTF_VOID | 1u << BTF_FWD | 1u << BTF_FUNC | 1u << BTF_FUNC_PROTO |                  \
	 1u << BTF_DECL_TAG)

/* The kind as a bit. */
static inline uint32_t type_bit(const struct verifier *v, uint32_t id)
{
	return kind_bit(type_kind(v, id));
}

/* Adds a finding of the header (id 0) or a type, or counts it if the list is full. False. */
bool verify_report(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t element,
		   uint32_t value);
static inline bool verify_fail(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t value)
{
	return verify_report(v, rule, id, BTF_NO_ELEMENT, value);
}

/* The same with the offending string. */
bool verify_report_text(struct verifier *v, enum btf_rule rule, uint32_t id, uint32_t element,
			uint32_t value, const char *text);

/* Where a string may be used. */
enum name_class {
	NAME_CLASS_IDENTIFIER = 1,
	NAME_CLASS_PRINTABLE = 2,
	NAME_CLASS_FIRST = 4,		/* of a character: may be an identifier's first */
	NAME_CLASS_TEXT = 8,		/* not empty */
	NAME_CLASS_SEEN = 16,
};

/* verify_name.c: all strings of the BTF itself. */
void verify_strings(struct verifier *v);

/* The cold part of verify_name(): offsets inside of strings, in the base or nowhere; errors. */
bool verify_odd_name(struct verifier *v, uint32_t id, uint32_t element, uint32_t name,
		     unsigned wanted);

/* False: reported that the name is not inside the string section or not of that class. */
static inline bool verify_name(struct verifier *v, uint32_t id, uint32_t element, uint32_t name,
			       unsigned wanted)
{
	uint32_t own = name - v->btf->first_string;	/* huge for a name in the base */

	wanted |= NAME_CLASS_SEEN;
	if (__builtin_expect(own < v->btf->string_bytes && (v->names[own] & wanted) == wanted, 1))
		return true;
	return verify_odd_name(v, id, element, name, wanted);
}

/* verify_record.c: each record of the BTF itself; sets VISIT_BAD. */
void verify_records(struct verifier *v);

/* verify_resolve.c: all references of the BTF itself. */
void verify_references(struct verifier *v);
void verify_tag_order(struct verifier *v);

/* verify_member.c */
uint32_t verify_record_size(const struct verifier *v, const uint32_t *words);
uint32_t verify_end_in_base(const struct verifier *v, uint32_t id);
bool verify_int_is_plain(const uint32_t *record);

enum sized {
	SIZED_NO,
	SIZED_YES,
	SIZED_UNKNOWN,			/* depends on a type that was reported */
};

/* What has the size of type *id, which may be a modifier; *id becomes that type. */
enum sized verify_sized(const struct verifier *v, uint32_t *id, uint32_t *size);

/* Member `element` of struct `id`; false: reported. */
bool verify_member(struct verifier *v, uint32_t id, uint32_t element);

/* verify_location.c: a record of BTF_LOCATIONS, or a DATASEC of functions, by itself. */
bool verify_location(struct verifier *v, uint32_t id, const uint32_t *record);
/* Their references, when those of everything else have been verified. */
void verify_location_references(struct verifier *v);

#endif
