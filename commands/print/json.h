/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What all commands that print JSON share. */
#ifndef BTFENC_COMMANDS_PRINT_JSON_H
#define BTFENC_COMMANDS_PRINT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "base/text.h"
#include "kernel/attach/answer.h"

/*
 * A string, which JSON wants in UTF-8: U+FFFD for each byte that is not; jansson is the judge. NULL
 * becomes null. There is one out-of-memory path (base/memory.h).
 */
json_t *json_text(const char *text);
json_t *json_text_bytes(const char *text, size_t length);
json_t *json_take(struct text *text);	/* of which the memory is released */
json_t *json_known(const char *text);	/* "" becomes null, too */

/* null: not known. */
json_t *json_number(bool is_known, uint64_t number);
json_t *json_answer(enum attach_answer answer);

/* The words of a set, by the bits. */
json_t *json_words(uint32_t set, const char *const *words);

/* Puts a value, which it takes over, under a key of an object. */
static inline void json_set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* Strings of that key become as wide as the widest among the rows, for columns of a page. */
void json_align(json_t *rows, const char *key);

/* For json_pack()'s I. */
#define INTEGER(value) ((json_int_t)(value))

/* Writes a text, by flags of json_dumpf(), and a line feed; ends the value. */
void json_write(json_t *root, size_t flags, FILE *out);

struct kfunc_table;

/*
 * The sets of kfuncs with the function, of each its name, flags and types of programs, null where
 * these are not known; NULL: no set is known. The caller's.
 */
json_t *kfunc_sets_json(const struct kfunc_table *table, const char *name);

#endif
