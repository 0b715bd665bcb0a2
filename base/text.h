/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Text that grows at its end: what lists of a hundred thousand lines are made with, for which a
 * FILE costs more than what is printed. Not terminated; release it with array_release(), or take it
 * by text_finish().
 */
#ifndef BTFENC_BASE_TEXT_H
#define BTFENC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text_clean.h"

/* What a row of a list is called where programs read it, and what it means. */
struct code_text {
	const char *code;
	const char *sentence;
};

/* Of lists X(identifier, code, ...): the codes alone, in one string, with their texts. */
#define LIST_CODE(id, code, ...) code,
#define LIST_WORD(id, code, ...) " " code
#define LIST_CODE_TEXT(id, code, text) { code, text },

/* A file of the sources as a string that ends with a NUL. */
#define EMBED(name, path)                                                                          \
	extern const char name[];                                                                  \
	__asm__(".section .rodata\n.globl " #name "\n" #name ":\n.incbin \"" path "\"\n.byte 0\n"  \
		".previous\n")

struct text {
	char *data;
	size_t count;		/* bytes */
	size_t capacity;
};

static inline void text_add(struct text *text, const char *bytes, size_t count)
{
	array_reserve(text, count);
	if (count)
		memcpy(text->data + text->count, bytes, count);
	text->count += count;
}

static inline void text_add_char(struct text *text, char c)
{
	array_push(text, c);
}

static inline void text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

/* By base/text_clean.h. */
void text_add_clean(struct text *text, const char *string);
void text_add_clean_bytes(struct text *text, const char *bytes, size_t count);
void text_add_clean_in(struct text *text, const char *before, const char *string,
		       const char *after);
/* As a word for a shell: in quotes, unless it is plain. */
void text_add_quoted(struct text *text, const char *string);
/* Prints it, which may be empty, and releases it. */
void text_print(struct text *text, FILE *out);
void text_print_clean(FILE *out, const char *bytes, size_t count);

/*
 * For text_read(): a FIFO is not waited for here. -1: errno is set. The status, if it is not NULL,
 * is that of file_open_regular().
 */
int text_open(const char *path, struct stat *status);

/*
 * Adds all of a file, of which the size is not known if it is a pipe or in /proc; closes it. A NUL
 * is behind it, which does not count. False: err is filled, the text empty; -1 could not be opened.
 * is_wanted is asked from two bytes on: no more is read of what is not wanted. If it is NULL, that
 * is what has a NUL: the hole of a sparse file. A FIFO without a writer is waited for some seconds.
 */
bool text_read(struct text *text, int fd, const char *path, const char *advice,
	       bool (*is_wanted)(const uint8_t *bytes, size_t count), struct error *err);

/* The same of a text at a path. */
bool text_read_file(struct text *text, const char *path, const char *advice, struct error *err);

/* An item of a list that begins at byte `first` of the text, with `between` before the others. */
static inline void text_add_item(struct text *text, size_t first, const char *between,
				 const char *item)
{
	text_add_string(text, text->count > first ? between : "");
	text_add_string(text, item);
}

/* Breaks lines before column `columns`; the cursor is in column `indent`, where lines begin. */
void text_add_wrapped(struct text *out, const char *string, size_t indent, size_t columns);

/* What follows the prefix; NULL: the string does not begin with it. */
static inline const char *text_after(const char *string, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(string, prefix, length) == 0 ? string + length : NULL;
}

/* Does it end with that, and is it longer? */
static inline bool text_ends_with(const char *string, const char *end)
{
	size_t length = strlen(string), bytes = strlen(end);

	return length > bytes && strcmp(string + length - bytes, end) == 0;
}

/* Ends it with a NUL and hands it over: the caller frees it, and *text is empty again. */
char *text_finish(struct text *text);

void text_add_number(struct text *text, uint64_t number);

/* The index of a word, which needs no end, in a list; `count`: it is not there. */
size_t text_find_word(const char *const *list, size_t count, const char *word, size_t length);

/* Is it made of letters, digits and these marks alone? */
bool text_is_made_of(const char *string, const char *marks);

/* A number in decimal digits alone. False: it is not one (NULL, too), or greater than `max`. */
bool text_parse_number(const char *string, uint32_t max, uint32_t *number);

__attribute__((format(printf, 2, 3)))
void text_add_format(struct text *text, const char *format, ...);
void text_add_vformat(struct text *text, const char *format, va_list args);
/* A string of its own, for the caller to free. */
__attribute__((format(printf, 1, 2)))
char *text_format(const char *format, ...);

#endif
