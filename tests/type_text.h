/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types as text: a resolved node table for the code under test, or the same types as BTF, record
 * by record.
 *
 * A type is a chain of letters, read from left to right:
 *	P pointer   C const   V volatile   A array of 2   T typedef "t"   F prototype, one int "p"
 *	X, U anonymous struct or union with one member
 * and at the end
 *	i int   j an int without sign   u unsigned   d double   v void   e anonymous enum
 *	sN struct N   nN union N   mN enum N   (N: one letter, a to z)
 * A tag may be followed by a variant: sa1 is another struct "a", sa? a declaration of a name that
 * is defined as well.
 *
 * A text is a list of words with blanks between them:
 *	sa:i,q.Psb	a definition; members are chains, if need be with a name: here q, _ for
 *			none, else m
 *	sa#16:i  sa!:i	with a size (else 8 bytes for each member); with kind_flag
 *	ma:2  ma:2L	an enum of two values, as ENUM or as ENUM64
 *	=fFi  =vPsa  =sPsa  =gsa	FUNC "f" of a prototype, VAR "v", a DATASEC with such a VAR,
 *			DECL_TAG "g"; with h the same on the first member
 *	Psa  +Psa	any chain: a type of its own; the same once more
 */
#ifndef BTFENC_TESTS_TYPE_TEXT_H
#define BTFENC_TESTS_TYPE_TEXT_H

#include "btf/dedup/node_table.h"
#include "btf/string_pool.h"
#include "tests/btf_blob.h"

struct type_text {
	struct node_table table;	/* all words are roots */
	struct string_pool pool;
};

void type_text_read(struct type_text *types, const char *text);
void type_text_release(struct type_text *types);

/*
 * The types in the order of the text, each chain at its first occurrence, declarations last.
 * Release the blob.
 */
struct btf_blob type_text_btf(const struct type_text *types);

/* The tag that "sa1" means, which must be in the table. */
uint32_t type_text_tag(struct type_text *types, const char *tag);

#endif
