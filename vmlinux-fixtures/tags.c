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
	void __user *nothing;
	int (__user *call)(void __user *arg);
};

union BTF_DECL_TAG(on_union) tagged_union {
	int number;
	void __rcu *pointer BTF_DECL_TAG(on_union_member);
};

typedef struct tagged_struct tagged_t BTF_DECL_TAG(on_typedef);
typedef char __user *user_buffer_t;

__visible int tagged_variable BTF_DECL_TAG(on_variable);
__visible struct tagged_struct __rcu *tagged_head;

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
