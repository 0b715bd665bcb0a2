/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/denied_functions.h"

#include <string.h>

#include "base/text.h"
#include "kernel/attach/btf_ids.h"

/*
 * Names that a kernel refuses because a program there hangs, for kernels that take them. What an
 * image has in its own btf_id_deny is refused in any case.
 */

/*
 * btf_id_deny of kernel/bpf/verifier.c: a trampoline calls these before it knows that its program
 * runs already, so the program calls itself. Sets of images of Debian:
 *	6.1.0-56		migrate_disable, migrate_enable; rcu_read_unlock_strict on arm64
 *	6.12.118		and __rcu_read_lock, __rcu_read_unlock
 *	7.2.13, 7.3		and ___migrate_enable
 * preempt_count_add and preempt_count_sub are in the source where CONFIG_DEBUG_PREEMPT is. An empty
 * fentry or fexit program on __rcu_read_lock or __rcu_read_unlock hung 6.1.0-56. 25,000 others of
 * that kernel had an empty fexit program while processes, files and sockets were used: mm_init()
 * brought it down (own_btf.h), nothing else.
 */
static const char *const around_programs[] = {
	"migrate_disable", "migrate_enable", "rcu_read_unlock_strict", "___migrate_enable",
	"preempt_count_add", "preempt_count_sub", "__rcu_read_lock", "__rcu_read_unlock",
};

static const char *const why_around[] = {
	[ATTACH_UNKNOWN] = "it runs around each BPF program, so kernels refuse it or may hang "
			   "(btf_id_deny)",
	[ATTACH_NO] = "it runs around each BPF program, so the machine may hang; later kernels "
		      "refuse it (btf_id_deny)",
	[ATTACH_YES] = "it runs around each BPF program, so the verifier refuses it (btf_id_deny)",
};

/*
 * kernel/bpf/Makefile takes the hooks from these files (6.12.118 has them, 7.2.13 not): a program
 * there may run while a map's lock is held, and want it. Programs that use each kind of map were
 * tried on each: 19 hung 5.10.223, where programs interrupt themselves, too; four 6.1.0-56, with an
 * LRU map's lock held (__bpf_lru_list_rotate_active and _inactive, __bpf_lru_node_move and
 * _to_free). A kprobe alone does not: programs of kprobes interrupt neither each other nor bpf().
 */
static const char *const map_locks[] = {
	/* percpu_freelist.c */
	"pcpu_freelist_destroy", "pcpu_freelist_init", "__pcpu_freelist_pop",
	"___pcpu_freelist_pop", "pcpu_freelist_pop", "___pcpu_freelist_pop_nmi",
	"pcpu_freelist_populate", "pcpu_freelist_push", "__pcpu_freelist_push",
	"___pcpu_freelist_push_nmi",
	/* bpf_lru_list.c */
	"bpf_lru_destroy", "bpf_lru_init", "__bpf_lru_list_rotate", "__bpf_lru_list_rotate_active",
	"__bpf_lru_list_rotate_inactive", "__bpf_lru_list_shrink", "__bpf_lru_node_move",
	"__bpf_lru_node_move_in", "__bpf_lru_node_move_to_free", "bpf_lru_pop_free",
	"bpf_lru_populate", "bpf_lru_push_free",
	/* queue_stack_maps.c */
	"__queue_map_get", "queue_map_peek_elem", "queue_map_pop_elem", "queue_stack_map_alloc",
	"queue_stack_map_alloc_check", "queue_stack_map_delete_elem", "queue_stack_map_free",
	"queue_stack_map_get_next_key", "queue_stack_map_lookup_elem", "queue_stack_map_mem_usage",
	"queue_stack_map_push_elem", "queue_stack_map_update_elem", "__stack_map_get",
	"stack_map_peek_elem", "stack_map_pop_elem",
	/* lpm_trie.c */
	"longest_prefix_match", "trie_alloc", "trie_check_btf", "trie_delete_elem", "trie_free",
	"trie_get_next_key", "trie_lookup_elem", "trie_mem_usage", "trie_update_elem",
	/* ringbuf.c */
	"bpf_ringbuf_commit", "bpf_ringbuf_discard", "bpf_ringbuf_discard_dynptr",
	"bpf_ringbuf_notify", "bpf_ringbuf_output", "bpf_ringbuf_query", "bpf_ringbuf_reserve",
	"__bpf_ringbuf_reserve", "bpf_ringbuf_reserve_dynptr", "bpf_ringbuf_submit",
	"bpf_ringbuf_submit_dynptr", "bpf_user_ringbuf_drain", "ringbuf_map_alloc",
	"ringbuf_map_delete_elem", "ringbuf_map_free", "ringbuf_map_get_next_key",
	"ringbuf_map_lookup_elem", "ringbuf_map_mem_usage", "ringbuf_map_mmap_kern",
	"ringbuf_map_mmap_user", "ringbuf_map_poll_kern", "ringbuf_map_poll_user",
	"ringbuf_map_update_elem",
};

#define WORDS(list) list, sizeof(list) / sizeof(*list)

static bool is_one_of(const char *const *list, size_t count, const char *name)
{
	return text_find_word(list, count, name, strlen(name)) < count;
}

const char *denied_why(const struct attach_image *kernel, const char *name)
{
	enum attach_answer listed = btf_ids_have(kernel->symbols, BTF_ID_SET "btf_id_deny", name);

	/* A module's function may have the name of one of the kernel's. */
	if (kernel->is_module)
		return NULL;
	if (is_one_of(WORDS(around_programs), name))
		return why_around[listed];
	if (listed == ATTACH_YES)
		return "the verifier refuses it by name (btf_id_deny)";
	/*
	 * No kernel refuses this one. It ends what was preempted: an empty fentry program hung
	 * 6.1.0-56 and 6.12.118 within a second with preempt=full, and 7.2.13 without the option.
	 */
	if (strcmp(name, "rcu_read_unlock_special") == 0)
		return "it may run after each BPF program, so the machine may hang";
	if (is_one_of(WORDS(map_locks), name))
		return "of its source file, which locks BPF maps, later kernels have no hooks: a "
		       "program may hang there";
	return NULL;
}
