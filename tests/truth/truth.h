/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Included by the generated programs. A caller of a function under test first records what it is
 * going to pass, in truth_expect[function], then lets truth_trash() fill every register that a call
 * may clobber, and the stack below, with poison, and only then calls. An argument's register at the
 * entry was set for this call, or it has poison.
 *
 * A function stores its result in truth_left, too. The tracer looks at the registers of
 * results when the call is back.
 *
 * A word of truth_expect is the value, or TRUTH_REF: "what that function was called with". So a
 * parameter that is only passed on can be expected without being used.
 */
#ifndef BTFENC_TESTS_TRUTH_H
#define BTFENC_TESTS_TRUTH_H

/* The machine's part: TRUTH_TRASH(), TRUTH_POISON_RESULT(). */
#include "truth_machine.h"

typedef unsigned long truth_word;
typedef int (*truth_callback)(int);

#define TRUTH_WORDS 48

struct truth_expected {
	truth_word words[TRUTH_WORDS];
};

/* All of this is in runtime.S, so that no optimizer knows what is in it. */
extern volatile struct truth_expected truth_expect[];
extern volatile truth_word truth_called;	/* the function whose call comes next */
extern volatile truth_word truth_nonce, truth_sink;
extern truth_word truth_data[16];
extern volatile truth_word truth_left_by, truth_left[2]; /* what a function has returned */
extern int truth_never;
extern int truth_ints[8];
extern char truth_text[64];
void truth_touch(const void *object);
__attribute__((cold)) void truth_cold(truth_word value);
int truth_callback_a(int value);
int truth_callback_b(int value);

#define TRUTH_MIX(nonce, word)	 (((nonce) + 0x1234567UL * (word)) * 0x9e3779b1UL)
#define TRUTH_TAG64(id, word, n) ((truth_word)0x7a << 56 | (truth_word)(id) << 44 | \
				  (truth_word)(word) << 38 | (TRUTH_MIX(n, word) & 0x3fffffffffUL))
#define TRUTH_TAG32(word, n)	 (0x6b000000UL | (TRUTH_MIX(n, word) >> 5 & 0xffffff))
#define TRUTH_REF(id, word)	 ((truth_word)0xf0a6 << 48 | (truth_word)(id) << 16 | (word))
#define TRUTH_WORD(id, word)	 (truth_expect[id].words[word])
#define TRUTH_AT(type, id, word, offset)                                                           \
	(*(volatile type *)((volatile char *)&truth_expect[id].words[word] + (offset)))

/*
 * Returns, and leaves what it returns in truth_left: so it is computed even where the compiler
 * does not deliver it any more. Then the registers of results are poisoned, or the value would be
 * there by accident. It has at most two words.
 */
#define TRUTH_RETURN(id, type, what)                                                               \
	do {                                                                                       \
		union {                                                                            \
			truth_word words[2];                                                       \
			type whole;                                                                \
		} returned = { { 0, 0 } };                                                         \
		returned.whole = (what);                                                           \
		truth_left[0] = returned.words[0];                                                 \
		truth_left[1] = returned.words[1];                                                 \
		truth_left_by = (id);                                                              \
		TRUTH_POISON_RESULT();                                                             \
		return returned.whole;                                                             \
	} while (0)

/* Returns, and records no value: it may stay uncomputed. */
#define TRUTH_NOBODY (~(truth_word)0)
#define TRUTH_RETURN_SILENTLY(what)                                                                \
	do {                                                                                       \
		truth_left_by = TRUTH_NOBODY;                                                      \
		return (what);                                                                     \
	} while (0)

/* ---- types of parameters ---- */

enum color { RED, GREEN = 0x6b000001, BLUE = 0x6b7fffff };

struct node {
	long a;
	int b;
	short s;
	char c;
	_Bool flag;
	struct node *next;
	double d;
	struct {
		unsigned int x, y;
	} in;
};
extern struct node truth_nodes[8];

struct s1 { unsigned char a; };
struct s3 { unsigned char a, b, c; };
struct s4 { short a, b; };
struct s6 { unsigned short a, b, c; };
struct s8 { int a, b; };
struct s8_long { long a; };
struct s8_bits { unsigned int a : 12, b : 20, c : 32; };
struct s8_array { unsigned char a[8]; };
struct s12 { int a, b, c; };
struct s16 { long a, b; };
struct s16_pointer { struct node *a; int b; };
struct s16_nested { struct s8 a; struct s4 b; int c; };
struct s8_floats { float a, b; };
struct s8_mixed { float a; int b; };
struct s8_double { double a; };
struct s16_double_long { double a; long b; };
struct s16_long_double { long a; double b; };
struct s12_floats { float a, b, c; };
struct s16_floats { float a, b; int c; float d; };
struct s24 { long a, b, c; };
struct s20 { int a, b, c, d, e; };
struct s64 { long a[8]; };
struct s5_packed { char a; int b; } __attribute__((packed));
struct s9_packed { long a; char b; } __attribute__((packed));
union u8 { long a; double b; int c; };
union u16 { struct s16 a; struct s8_double b; };

#endif
