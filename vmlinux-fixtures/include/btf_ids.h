/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Sets of BTF ids, laid out in .BTF_ids as kernels do, for resolve_btfids to fill in later and
 * for BTF encoders to find kfuncs by. Each word that gets an id carries a local symbol of 4
 * bytes:
 *
 *	__BTF_ID__func__NAME__N		one function; in a set8 followed by a word of kfunc flags
 *	__BTF_ID__struct__NAME__N	one struct
 *	__BTF_ID__set8__SET		head of a set: u32 count, u32 flags; sized as the whole set
 *
 * The flags word of a set that holds kfuncs is BTF_SET8_KFUNCS; a set8 without it is something
 * else.
 */
#ifndef FIXTURE_BTF_IDS_H
#define FIXTURE_BTF_IDS_H

#include "types.h"

#define BTF_SET8_KFUNCS 1

#define KF_ACQUIRE	1
#define KF_RELEASE	2
#define KF_RET_NULL	4
#define KF_TRUSTED_ARGS	16
#define KF_FASTCALL	4096
#define KF_ARENA_RET	8192
#define KF_ARENA_ARG1	16384
#define KF_ARENA_ARG2	32768

struct btf_id_set8 {
	u32 cnt;
	u32 flags;
	struct {
		u32 id;
		u32 flags;
	} pairs[];
};

struct btf_kfunc_id_set {
	void *owner;
	struct btf_id_set8 *set;
};

#define __BTF_ID_ASM(lines)	\
	__asm__(".pushsection .BTF_ids,\"a\"\n" lines ".popsection\n")

#define __BTF_ID_WORD(symbol, more)		\
	__BTF_ID_ASM(".local " symbol "\n"	\
		     ".type " symbol ", %object\n"	\
		     ".size " symbol ", 4\n"	\
		     symbol ":\n"		\
		     ".zero 4\n" more)

#define __BTF_ID_SYMBOL(kind, name)	\
	"__BTF_ID__" #kind "__" #name "__" __stringify(__COUNTER__)

#define BTF_ID(kind, name)	\
	__BTF_ID_WORD(__BTF_ID_SYMBOL(kind, name), "")
#define BTF_ID_FLAGS(kind, name, flags)	\
	__BTF_ID_WORD(__BTF_ID_SYMBOL(kind, name), ".long " __stringify(flags) "\n")

#define BTF_ID_LIST(name)			\
	extern u32 name[];			\
	__BTF_ID_ASM(".local " #name "\n"	\
		     #name ":\n")

#define __BTF_SET8_START(name, flags)		\
	extern struct btf_id_set8 name;		\
	__BTF_ID_ASM(".local " #name "\n"	\
		     #name ":\n"		\
		     ".local __BTF_ID__set8__" #name "\n"	\
		     "__BTF_ID__set8__" #name ":\n"		\
		     ".zero 4\n"		\
		     ".long " __stringify(flags) "\n")

#define BTF_SET8_END(name)	\
	__BTF_ID_ASM(".size __BTF_ID__set8__" #name ", . - " #name "\n")

#define BTF_SET8_START(name)	__BTF_SET8_START(name, 0)
#define BTF_KFUNCS_START(name)	__BTF_SET8_START(name, BTF_SET8_KFUNCS)
#define BTF_KFUNCS_END(name)	BTF_SET8_END(name)

#define __bpf_kfunc __used noinline

#endif
