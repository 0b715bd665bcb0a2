/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Prints a type as a C declaration on one line: `int tcp_v4_rcv(struct sk_buff *skb)`.
 *
 * For people: structs, unions and enums are referred to by name, one without a name is `struct
 * {...}`; type tags look like the kernel's annotations (`char __user *`). Works on resolved nodes,
 * so that functions without a FUNC can be shown, too.
 */
#ifndef BTFENC_BTF_DEDUP_C_DECLARATION_H
#define BTFENC_BTF_DEDUP_C_DECLARATION_H

#include "base/text.h"
#include "btf/reader.h"
#include "btf/dedup/node_table.h"
#include "btf/string_pool.h"

/* Printed in place of what goes beyond a limit. */
#define C_DECLARATION_CUT "/* ... */"

/* How deep prototypes may nest. */
#define C_DECLARATION_MAX_DEPTH 16
/*
 * And how long it may be, of which kernels have 452; the name that goes beyond it is the last, and
 * ends there if it is as long itself. A damaged file may repeat a long one from everywhere.
 */
#define C_DECLARATION_MAX_BYTES 4096
/* What is left out is seen so far, and told by a hash at the end: two that differ there differ. */
#define C_DECLARATION_COMPARED_BYTES (1u << 16)
/* How many pointers, arrays, qualifiers and prototypes may stand between a name and its type. */
#define C_DECLARATION_MAX_LAYERS 64

/*
 * `what` is any type or prototype of the table, REF_VOID included; `name` may be empty. What goes
 * beyond a limit is printed as `...` in a comment.
 */
void c_declaration_add(struct text *out, const struct node_table *table,
		       const struct string_pool *pool, struct node_ref what, const char *name);

/*
 * The same of a type in BTF, damaged or not; ids that do not exist are printed as `?`. Of a name
 * that is too long for BTF the end is missing. Returns how many bytes it looked at.
 */
size_t c_declaration_add_btf(struct text *out, const struct btf_reader *btf, uint32_t what,
			   const char *name);

#endif
