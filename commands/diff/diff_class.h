/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The classes of changes. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_CLASS_H
#define BTFENC_COMMANDS_DIFF_DIFF_CLASS_H

#include <stdbool.h>
#include <stdint.h>

/* X(identifier, code, sentence), the most important first; those up to NEW_NAME are losses. */
#define DIFF_CLASS_LIST(X)                                                                         \
	X(LOST, "lost",                                                                            \
	  "had a FUNC: what is left is not called as declared, or has another symbol, or only "    \
	  "BTF is known")                                                                          \
	X(AMBIGUOUS, "ambiguous", "had a FUNC: several functions have this name now")              \
	X(INCONSISTENT, "inconsistent", "had a FUNC: the name has several prototypes now")         \
	X(INLINED, "inlined", "had a FUNC: every call is inlined now")                             \
	X(GONE, "gone", "had a FUNC: the DWARF of NEW does not describe it")                       \
	X(NEW_NAME, "new-name",                                                                    \
	  "had a FUNC: there is a new one of its prototype, whose name has another word at its "  \
	  "end or other underscores before it")                                                    \
	X(CHANGED, "changed", "has a FUNC with another prototype")                                 \
	X(NO_KFUNC, "no-kfunc",                                                                    \
	  "has its FUNC, but is no kfunc any more: BPF programs cannot call it")                   \
	X(MOVED, "moved", "moved into a module, out of one, or into another")                      \
	X(TYPE_GONE, "type-gone", "a type that does not exist any more")                           \
	X(TYPE_CHANGED, "type-changed", "a type with another layout")                              \
	X(PARTLY_INLINED, "partly-inlined",                                                        \
	  "has its FUNC, but some calls are inlined now, which tracers do not see")                \
	X(CLONES, "clones",                                                                        \
	  "has its FUNC; clones, which take calls away, fragments or aliases came or went")        \
	X(GAINED, "gained", "has a FUNC now")                                                      \
	X(SITES, "sites", "inlined at other sites, or with other parameter locations there")       \
	X(OTHER, "other", "no FUNC before or now: for another reason, new, or gone")               \
	X(TYPE_MOVED, "type-moved", "a type that is in another file of the build now") \
	X(TYPE_NEW, "type-new", "a type that did not exist before")

enum diff_class {
#define X(id, code, text) DIFF_##id,
	DIFF_CLASS_LIST(X)
#undef X
	DIFF_CLASS_COUNT,
};

#define DIFF_BIT(id)  (1u << DIFF_##id)
#define DIFF_LOSSES   (DIFF_BIT(NEW_NAME) * 2 - 1)
#define DIFF_TYPES    (DIFF_BIT(TYPE_GONE) | DIFF_BIT(TYPE_CHANGED) | DIFF_BIT(TYPE_MOVED) | \
		       DIFF_BIT(TYPE_NEW))
#define DIFF_ALL      ((1u << DIFF_CLASS_COUNT) - 1)
#define DIFF_DEFAULT_FAILS (DIFF_LOSSES | DIFF_BIT(CHANGED) | DIFF_BIT(TYPE_GONE) | \
			    DIFF_BIT(TYPE_CHANGED) | DIFF_BIT(NO_KFUNC))

struct diff_class_row {
	const char *code;
	const char *sentence;
	uint32_t mask;
};

extern const struct diff_class_row diff_classes[];	/* by enum diff_class */

/*
 * Classes by their codes, with commas: "lost" means all losses, "types" all of types, "all" and
 * "none"; "-CODE" removes one. A text that begins with it changes *mask, any other text replaces
 * it. Returns the unknown word, which goes up to a comma or the end; NULL: there is none.
 */
const char *diff_classes_parse(const char *text, uint32_t *mask);

#endif
