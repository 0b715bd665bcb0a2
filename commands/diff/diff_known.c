/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Functions that are known by name: what tools trace, and what only tests call. */
#include <fnmatch.h>
#include <stdlib.h>

#include "commands/diff/diff_known.h"
#include "base/sort.h"
#include "commands/stats/function_list.h"

/*
 * To these the tools of BCC (tools/, libbpf-tools/) and bpftrace attach by kprobe or fentry, in
 * August 2026. By strcmp().
 */
static const char *const traced[] = {
	"__blk_account_io_done", "__blk_account_io_start", "__kmalloc", "__page_cache_alloc",
	"__scm_send", "__vfs_read", "__vfs_write", "account_page_dirtied",
	"add_to_page_cache_lru", "blk_account_io_done", "blk_account_io_merge_bio",
	"blk_account_io_start", "blk_mq_start_request", "blk_start_request",
	"btrfs_file_write_iter", "btrfs_sync_file", "cap_capable", "compact_zone",
	"compaction_suitable", "d_lookup", "do_page_cache_ra", "down_read",
	"down_read_interruptible", "down_read_killable", "down_read_killable_nested",
	"down_read_nested", "down_read_trylock", "down_write", "down_write_killable",
	"down_write_killable_nested", "down_write_nested", "down_write_trylock", "ext4_file_open",
	"ext4_file_read_iter", "ext4_file_write_iter", "ext4_sync_file", "f2fs_file_open",
	"f2fs_file_read_iter", "f2fs_file_write_iter", "f2fs_sync_file", "filemap_add_folio",
	"filemap_alloc_folio", "filemap_alloc_folio_noprof", "finish_task_switch",
	"folio_account_dirtied", "folio_mark_accessed", "fragmentation_index",
	"generic_file_open", "generic_file_read_iter", "handle_irq_event_percpu", "inet6_bind",
	"inet_bind", "inet_csk_accept", "inet_listen", "kfree", "kmem_cache_alloc",
	"kmem_cache_alloc_noprof", "lookup_fast", "mark_buffer_dirty", "mark_page_accessed",
	"md_flush_request", "migrate_misplaced_folio", "migrate_misplaced_page", "mutex_lock",
	"mutex_lock_interruptible", "mutex_lock_interruptible_nested", "mutex_lock_killable",
	"mutex_lock_killable_nested", "mutex_lock_nested", "mutex_trylock", "mutex_unlock",
	"netlink_dump", "nfs4_file_open", "nfs_commit_done", "nfs_file_open", "nfs_file_read",
	"nfs_file_write", "nfs_getattr", "nfs_initiate_commit", "oom_kill_process",
	"rtnetlink_rcv_msg", "sched_fork", "schedule", "scm_detach_fds", "security_inode_create",
	"skb_copy_datagram_iter", "sock_do_ioctl", "swap_read_folio", "swap_readpage",
	"tcp_cleanup_rbuf", "tcp_close", "tcp_connect", "tcp_drop", "tcp_enter_cwr",
	"tcp_enter_loss", "tcp_enter_recovery", "tcp_fastretrans_alert", "tcp_process_tlp_ack",
	"tcp_rcv_established", "tcp_rcv_state_process", "tcp_recvmsg", "tcp_retransmit_skb",
	"tcp_send_loss_probe", "tcp_sendmsg", "tcp_sendpage", "tcp_set_state", "tcp_v4_connect",
	"tcp_v4_syn_recv_sock", "tcp_v6_connect", "tcp_v6_syn_recv_sock", "try_to_wake_up",
	"ttwu_do_wakeup", "tty_write", "ucma_event_handler", "udp_recvmsg",
	"udpv6_queue_rcv_one_skb", "unix_dgram_recvmsg", "unix_stream_recvmsg", "up_read",
	"up_write", "vfs_create", "vfs_fsync", "vfs_fsync_range", "vfs_mkdir", "vfs_open",
	"vfs_read", "vfs_rename", "vfs_rmdir", "vfs_unlink", "vfs_write", "virtqueue_add_inbuf",
	"virtqueue_add_inbuf_ctx", "virtqueue_add_outbuf", "virtqueue_add_sgs",
	"wake_up_new_task", "xfs_file_fsync", "xfs_file_open", "xfs_file_read_iter",
	"xfs_file_write_iter",
};

bool diff_is_traced(const char *name)
{
	return bsearch(&name, traced, sizeof(traced) / sizeof(*traced), sizeof(*traced),
		       compare_strings);
}

static bool matches(const char *const *globs, const char *text)
{
	while (*globs && fnmatch(*globs, text, 0) != 0)
		globs++;
	return *globs;
}

bool diff_is_test(const char *name, const char *file)
{
	static const char *const names[] = { "bpf_kfunc_call_*", "bpf_testmod_*",
					     "bpf_fentry_test*", "bpf_modify_return_test*", NULL };
	static const char *const files[] = { "test[_-]*", "*[_-]test.c", "*[_-]tests.c",
					     "*selftest*", "*kunit*", "*_testmod*", NULL };

	return matches(names, name) || (file && matches(files, file));
}
