/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Attribute short-hands, spelled as the kernel spells them.
 *
 * Tags (btf_type_tag, btf_decl_tag) become nothing where the compiler has no such attribute, so
 * that one source shows both: a clang image has the tags, a gcc 12 image has the same types
 * without them.
 */
#ifndef FIXTURE_COMPILER_H
#define FIXTURE_COMPILER_H

#define noinline	__attribute__((noinline))
#define __always_inline	inline __attribute__((always_inline))
#define __packed	__attribute__((packed))
#define __aligned(n)	__attribute__((aligned(n)))
#define __section(s)	__attribute__((section(s)))
#define __weak		__attribute__((weak))
#define __alias(name)	__attribute__((alias(name)))
#define __cold		__attribute__((cold))
#define __noreturn	__attribute__((noreturn))
#define __maybe_unused	__attribute__((unused))
#define __used		__attribute__((used))
#define __printf(f, a)	__attribute__((format(printf, f, a)))

/* Link-time optimization must neither drop nor change it: most of the image has no caller. */
#if __has_attribute(externally_visible)
#define __visible	__attribute__((used, externally_visible))
#else
#define __visible	__attribute__((used))
#endif

#define __init		__section(".init.text") __cold
#define __initdata	__section(".init.data")

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define barrier()	__asm__ __volatile__("" : : : "memory")

/* The optimizer must not know where the result points to. */
#define hide_pointer(p)							\
({									\
	__typeof__(p) hidden_ = (p);					\
	__asm__ __volatile__("" : "+r"(hidden_));			\
	hidden_;							\
})

#if __has_attribute(btf_type_tag)
#define BTF_TYPE_TAG(name)	__attribute__((btf_type_tag(#name)))
#else
#define BTF_TYPE_TAG(name)
#endif

#if __has_attribute(btf_decl_tag)
#define BTF_DECL_TAG(name)	__attribute__((btf_decl_tag(#name)))
#else
#define BTF_DECL_TAG(name)
#endif

#define __user		BTF_TYPE_TAG(user)
#define __rcu		BTF_TYPE_TAG(rcu)
#define __percpu	BTF_TYPE_TAG(percpu)

#define __stringify_1(x...)	#x
#define __stringify(x...)	__stringify_1(x)
#define __paste_1(a, b)		a##b
#define __paste(a, b)		__paste_1(a, b)

#endif
