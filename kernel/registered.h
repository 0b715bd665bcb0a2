/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What a kernel registers for BPF programs is in its image: structs that code only passes on. Each
 * is found by its size and by the name that one of its members points to.
 */
#ifndef BTFENC_KERNEL_REGISTERED_H
#define BTFENC_KERNEL_REGISTERED_H

#include "kernel/attach/attach_image.h"
#include "kernel/type_source.h"

/*
 * Are programs taken at the LSM hook whose function is bpf_lsm_NAME(), of that FUNC_PROTO? They
 * come by trampolines. `why` is the caller's to free; that of UNKNOWN begins with ", unless ".
 */
#define LSM_FUNCTION "bpf_lsm_"
struct answer registered_lsm_hook(const struct attach_image *image,
				  const struct type_source *types, const char *function,
				  uint32_t prototype);

/* An iterator NAME has a function and a struct of these names. */
#define ITERATOR_FUNCTION "bpf_iter_"
#define ITERATOR_CONTEXT  "bpf_iter__"

/*
 * The struct that programs implement, by the words of that in which the kernel looks for it,
 * bpf_struct_ops_NAME with `struct NAME data` (bpf_struct_ops_desc_init()); NULL: it is none.
 */
const char *registered_ops_of(const struct type_source *types, const uint32_t *words);

/*
 * Do programs of the iterator sleep? struct bpf_iter_reg has BPF_ITER_RESCHED among its features
 * (bpf_iter_link_attach() in kernel/bpf/bpf_iter.c).
 */
enum attach_answer registered_iterator_sleeps(const struct attach_image *image,
					      const struct type_source *types, const char *name);

/*
 * Do programs implement that member, a pointer to a function, of a struct? Since 6.10 the one that
 * struct bpf_struct_ops has in cfi_stubs has functions for exactly these
 * (bpf_struct_ops_supported()); what else check_member() asks, of the program, does not count.
 */
enum attach_answer registered_ops_take(const struct attach_image *image,
				       const struct type_source *types, const char *name,
				       const char *member);

#endif
