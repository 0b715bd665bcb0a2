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
