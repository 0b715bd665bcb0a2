/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Tags, for compilers that have them (clang): btf_type_tag on pointers in all positions, and
 * btf_decl_tag on structs, members, typedefs, functions, parameters and variables; several on one
 * thing, too. Without the attributes the same declarations are plain.
 */
#include "kernel.h"

struct BTF_DECL_TAG(on_struct) BTF_DECL_TAG(on_struct_again) tagged_struct {
	int plain;
	int member BTF_DECL_TAG(on_member);
	u32 bits : 3 BTF_DECL_TAG(on_bitfield);
	char __user *buffer;
	struct tagged_struct __rcu *next;
	int __percpu *counter;
	const int __user *__rcu *two_levels;
	int BTF_TYPE_TAG(outer) BTF_TYPE_TAG(inner) *two_tags;
	int BTF_TYPE_TAG(third) BTF_TYPE_TAG(second) BTF_TYPE_TAG(first) *three_tags;
	const volatile u32 __user *qualified;
	u8 __user *const __rcu *volatile levels[2];
	void __user *nothing;
	int (__user *call)(void __user *arg);
};

union BTF_DECL_TAG(on_union) tagged_union {
	int number;
	void __rcu *pointer BTF_DECL_TAG(on_union_member);
};

typedef struct tagged_struct tagged_t BTF_DECL_TAG(on_typedef);
typedef char __user *user_buffer_t;
typedef u32 __user tagged_u32;		/* the tag is on no pointer: clang drops it */

__visible int tagged_variable BTF_DECL_TAG(on_variable);
__visible struct tagged_struct __rcu *tagged_head BTF_DECL_TAG(on_head) BTF_DECL_TAG(once_more);
__visible user_buffer_t __rcu *tagged_buffers[3];
__visible tagged_u32 *tagged_through_typedef;

/* A tagged parameter of several tags, a tagged result. */
__visible noinline void __rcu *tagged_result(const tagged_t __rcu *self BTF_DECL_TAG(on_self)
						     BTF_DECL_TAG(on_self_again),
					     u32 __user *__percpu *words)
{
	barrier();
	return self->member ? self->nothing : *words;
}

__visible BTF_DECL_TAG(on_function) BTF_DECL_TAG(on_function_again)
int tagged_function(int plain, tagged_t *self BTF_DECL_TAG(on_parameter), user_buffer_t buffer)
{
	return plain + self->member + *buffer + tagged_variable;
}

/* The same structure of pointers without any tag: may not be merged with the tagged ones. */
struct untagged_struct {
	char *buffer;
	struct tagged_struct *next;
	int *counter;
};

__visible int untagged_function(struct untagged_struct *self, union tagged_union *other)
{
	return *self->counter + other->number;
}
