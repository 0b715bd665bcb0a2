/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Symbol names of compiler-made copies: `vprintk.constprop.0`, `f.part.0.cold`, `g.llvm.1234`.
 *
 * A name is a base and a chain of suffixes; what the chain says about the code at the address:
 *	the whole function, its signature untouched	llvm lto_priv localalias uniq, a mere number
 *	the whole function, perhaps called differently	isra constprop specialized argprom ...
 *	a fragment of the function, not its entry	part cold
 */
#ifndef BTFENC_KALLSYMS_SUFFIX_H
#define BTFENC_KALLSYMS_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(identifier, text, class) */
#define SUFFIX_LIST(X)                                                                             \
	X(ISRA, "isra", SUFFIX_CHANGES)		/* GCC: parameters split up or removed */          \
	X(CONSTPROP, "constprop", SUFFIX_CHANGES)	/* GCC: constants, parameters removed */   \
	X(SPECIALIZED, "specialized", SUFFIX_CHANGES)	/* clang: the same */                      \
	X(ARGPROM, "argprom", SUFFIX_CHANGES)	/* clang */                                        \
	X(ARGELIM, "argelim", SUFFIX_CHANGES)	/* clang, dead arguments */                        \
	X(RETELIM, "retelim", SUFFIX_CHANGES)	/* clang, dead return value */                     \
	X(PART, "part", SUFFIX_PIECE)		/* GCC: outlined part */                           \
	X(COLD, "cold", SUFFIX_PIECE)		/* the unlikely paths, in another section */       \
	X(WARM, "warm", SUFFIX_SAME)                                                               \
	X(LLVM, "llvm", SUFFIX_SAME)		/* ThinLTO: a promoted static */                   \
	X(LTO_PRIV, "lto_priv", SUFFIX_SAME)	/* GCC LTO: the same */                            \
	X(LOCALALIAS, "localalias", SUFFIX_SAME)                                                   \
	X(UNIQ, "__uniq", SUFFIX_SAME)		/* clang -funique-internal-linkage-names */        \
	X(NUMBER, "", SUFFIX_SAME)		/* full LTO: a namesake of another unit */

enum suffix_class {
	SUFFIX_SAME,
	SUFFIX_CHANGES,
	SUFFIX_PIECE,
};

enum suffix {
#define X(id, text, class) SUFFIX_##id,
	SUFFIX_LIST(X)
#undef X
	SUFFIX_COUNT,
};

/* By enum suffix. With their dots: ".isra"; "." of SUFFIX_NUMBER. */
extern const char *const suffix_texts[SUFFIX_COUNT];
extern const enum suffix_class suffix_classes[SUFFIX_COUNT];

struct symbol_base {
	size_t base_length;	/* of the name without suffixes */
	uint32_t suffixes;	/* bit per enum suffix */
	enum suffix_class class;	/* the worst of them */
};

/*
 * Takes a symbol name apart. A name in which an unknown word follows a dot is all base: nothing is
 * promised about it.
 */
struct symbol_base symbol_parse(const char *name);

#endif
