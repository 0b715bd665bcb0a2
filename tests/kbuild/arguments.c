// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
/*
 * A module for a kernel as a distribution ships it, made without that kernel's headers: functions
 * TYPE_after_N(), with N longs, one argument of the type, and a long. All are called when something
 * is written to the parameter "run". Byte K of argument I is 16 * (I + 1) + K, of one byte 1, which
 * a bool can be; arguments_load.c expects that.
 *
 *	RELEASE_MAGIC	what the kernel's vermagic is
 *	MODULE_BYTES, MODULE_NAME, MODULE_INIT	size of struct module, and offsets in it
 *	CRC_module_layout, CRC_fentry		where symbols have versions
 */
typedef struct { char a; } struct_1;
typedef struct { short a; } struct_2;
typedef struct { char a[3]; } struct_3;
typedef struct { int a; } struct_4;
typedef struct { char a[5]; } struct_5;
typedef struct { short a[3]; } struct_6;
typedef struct { long a; } struct_8;
typedef struct { int a; char b; } struct_5_of_8;
typedef struct { char a[9]; } struct_9;
typedef struct { int a, b, c; } struct_12;
typedef struct { char a[15]; } struct_15;
typedef struct { long a, b; } struct_16;
typedef struct { char a; long b; } struct_9_of_16;
typedef struct { long a; char b; } struct_16_less_7;
typedef struct { long a[2]; char b; } __attribute__((packed)) struct_17;
typedef struct { long a, b, c; } struct_24;
typedef struct { } struct_0;
typedef struct { struct { short a, b; } a; struct { int b; } b; } struct_nested;
typedef struct { int a : 3, b : 29; long c : 64; } struct_bits;
typedef struct { long a : 64; long : 64; } struct_hole;
typedef struct { long a; char b[]; } struct_flexible;
typedef struct { __int128 a; } struct_wide;
typedef struct { int a; } __attribute__((packed)) packed_4;
typedef struct { short a; int b; } __attribute__((packed)) packed_6;
typedef struct { int a, b; } __attribute__((packed)) packed_8;
typedef struct { char a; long b; } __attribute__((packed)) packed_9;
typedef struct { long a; int b; } __attribute__((packed)) packed_12;
typedef struct { int a; long b; int c; } __attribute__((packed)) packed_16;
typedef struct { long a, b; } __attribute__((packed)) packed_16_even;
typedef struct { __int128 a; } __attribute__((packed)) packed_wide;
typedef struct { int a; } __attribute__((aligned(8))) aligned_4;
typedef struct { int a; } __attribute__((aligned(16))) aligned_4_of_16;
typedef struct { long a; } __attribute__((aligned(16))) aligned_8_of_16;
typedef struct { long e, f; } __attribute__((aligned(16))) aligned_16;
typedef struct { long g __attribute__((aligned(16))), h; } aligned_member;
typedef struct { struct_16 a __attribute__((aligned(16))); } aligned_nested;
typedef union { int a; char b; } union_4;
typedef union { long a; char b; } union_8;
typedef union { long a[2]; char b; } union_16;
typedef union { char a; short b[4]; char c[9]; } union_10;
typedef union { long a[2]; __int128 b; } union_wide;
typedef union { long i[2]; } __attribute__((aligned(16))) union_aligned;
typedef long aligned_long __attribute__((aligned(16)));
typedef __int128 int_16;
typedef int vector_8 __attribute__((vector_size(8)));
typedef int vector_16 __attribute__((vector_size(16)));
typedef _Complex int complex_8;
typedef struct { vector_8 a; } struct_vector_8;
typedef struct { vector_16 a; } struct_vector_16;
typedef _Bool bool_1;
typedef char char_1;
typedef short short_2;
typedef int int_4;
typedef enum { enum_one = 1, enum_big = 0x7fffffff } enum_4;

/*
 * Who only reads BTF sees that these are not aligned to 16 bytes. Unnamed ones with the same
 * members would be one type in BTF, however each is aligned: those above have others.
 */
struct others {
	long a;
	struct_16 b;
	struct_9_of_16 c;
	union_16 d;
} others;

#define TYPES(X)                                                                                   \
	X(struct_1) X(struct_2) X(struct_3) X(struct_4) X(struct_5) X(struct_6) X(struct_8)        \
	X(struct_5_of_8) X(struct_9) X(struct_12) X(struct_15) X(struct_16) X(struct_9_of_16)      \
	X(struct_16_less_7) X(struct_17) X(struct_24) X(struct_0) X(struct_nested) X(struct_bits)  \
	X(struct_hole) X(struct_flexible) X(struct_wide) X(packed_4) X(packed_6) X(packed_8)       \
	X(packed_9) X(packed_12) X(packed_16) X(packed_16_even) X(packed_wide) X(aligned_4)        \
	X(aligned_4_of_16) X(aligned_8_of_16) X(aligned_16) X(aligned_member) X(aligned_nested)    \
	X(union_4) X(union_8) X(union_16) X(union_10) X(union_wide) X(union_aligned)               \
	X(aligned_long) X(int_16) X(complex_8) X(bool_1) X(char_1) X(short_2) X(int_4) X(enum_4)

/* With general registers only GCC for arm64 refuses them, and for x86-64 their results. */
#ifdef __x86_64__
#define VECTORS(X) X(vector_8) X(vector_16) X(struct_vector_8) X(struct_vector_16)
#else
#define VECTORS(X)
#endif

#define EACH(X, type) X(type, 0) X(type, 1) X(type, 5) X(type, 6) X(type, 7) X(type, 8) X(type, 9)

#define VALUE(i) (long)(0x1716151413121110 + 0x1010101010101010u * (i))
#define VALUES_0
#define VALUES_1 VALUE(0),
#define VALUES_5 VALUES_1 VALUE(1), VALUE(2), VALUE(3), VALUE(4),
#define VALUES_6 VALUES_5 VALUE(5),
#define VALUES_7 VALUES_6 VALUE(6),
#define VALUES_8 VALUES_7 VALUE(7),
#define VALUES_9 VALUES_8 VALUE(8),

#define LONGS_0
#define LONGS_1 long a,
#define LONGS_5 LONGS_1 long b, long c, long d, long e,
#define LONGS_6 LONGS_5 long f,
#define LONGS_7 LONGS_6 long g,
#define LONGS_8 LONGS_7 long h,
#define LONGS_9 LONGS_8 long i,

#define NO_HOOK __attribute__((no_instrument_function, patchable_function_entry(0, 0)))

static NO_HOOK void fill(volatile unsigned char *bytes, unsigned long count, int argument)
{
	for (unsigned long i = 0; i < count; i++)
		bytes[i] = (unsigned char)(count == 1 ? 1 : 16 * (argument + 1) + i);
}

#define FUNCTION(type, n)                                                                          \
	__attribute__((noipa)) void type##_after_##n(LONGS_##n type x, long y)                     \
	{                                                                                          \
		__asm__ volatile("");                                                              \
	}                                                                                          \
	static NO_HOOK void call_##type##_##n(void)                                                \
	{                                                                                          \
		type x;                                                                            \
												   \
		fill((void *)&x, sizeof(x), n);                                                    \
		type##_after_##n(VALUES_##n x, VALUE(n + 1));                                      \
	}

/* That of a struct is refused, or has a hidden argument. */
#define RESULT(type)                                                                               \
	__attribute__((noipa)) type type##_result(long a, long b)                                  \
	{                                                                                          \
		type x;                                                                            \
												   \
		fill((void *)&x, sizeof(x), 0);                                                    \
		return x;                                                                          \
	}

#define WITHOUT_RESULT(type) EACH(FUNCTION, type)
#define FUNCTIONS(type)      EACH(FUNCTION, type) RESULT(type)
TYPES(FUNCTIONS)
VECTORS(WITHOUT_RESULT)

static NO_HOOK int run(const char *value, const void *parameter)
{
#define CALL(type, n) call_##type##_##n();
#define CALLS(type)	 EACH(CALL, type)
#define RESULT_TOO(type) CALLS(type) type##_result(VALUE(0), VALUE(1));
	TYPES(RESULT_TOO)
	VECTORS(CALLS)
	return 0;
}

static NO_HOOK int init(void)
{
	return 0;
}

/* ---- what the kernel's headers would make ---- */

#define SECTION(name) __attribute__((section(name), used))

/* struct module, kernel_param_ops, kernel_param and modversion_info */
SECTION(".gnu.linkonce.this_module") struct {
	char head[MODULE_NAME], name[MODULE_INIT - MODULE_NAME];
	int (*init)(void);
	char tail[MODULE_BYTES - MODULE_INIT - sizeof(void *)];
} __attribute__((aligned(64))) __this_module = { .name = "arguments", .init = init };

static const struct {
	unsigned int flags;
	int (*set)(const char *, const void *);
	int (*get)(char *, const void *);
	void (*free)(void *);
} run_ops = { .set = run };

SECTION("__param") static const struct {
	const char *name;
	void *module;
	const void *ops;
	unsigned short mode;
	signed char level;
	unsigned char flags;
	void *argument;
} run_parameter = { "run", &__this_module, &run_ops, 0200, -1, 0, 0 };

SECTION(".modinfo") static const char license[] = "license=Dual BSD/GPL";
SECTION(".modinfo") static const char name[] = "name=arguments";
SECTION(".modinfo") static const char types[] = "parmtype=run:any";
SECTION(".modinfo") static const char magic[] = "vermagic=" RELEASE_MAGIC;

#ifdef CRC_module_layout
SECTION("__versions") static const struct {
	unsigned long crc;
	char name[56];
} versions[] = {
	{ CRC_module_layout, "module_layout" },
#ifdef CRC_fentry
	{ CRC_fentry, "__fentry__" },
#endif
};
#endif

#ifdef __aarch64__
/* Room for jumps, which it does not need and the loader looks for. */
#define ROOM(name) ".pushsection " name ", \"ax\"\n.space 16\n.popsection\n"
__asm__(ROOM(".plt") ROOM(".init.plt") ROOM(".text.ftrace_trampoline")
	ROOM(".init.text.ftrace_trampoline"));
#endif
