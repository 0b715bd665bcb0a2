# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What program_load is to try, TYPE/NAME, from what `nm -n` prints of a kernel: each type of program on
# functions of each kind that makes a difference, and fentry and fexit on `names`.

BEGIN {
	split("fentry fexit fmod_ret fsession", may_sleep)
	split("kprobe kretprobe kprobe.multi kretprobe.multi kprobe.session", others)
	# Ordinary; variadic; without a result; which do not return, or take no kretprobe; of lists of functions
	# that may fail, and that may not sleep; without a hook, or kprobes; other BTF ids.
	functions = "vfs_read tcp_v4_rcv kfree do_sys_openat2 panic _printk do_exit __switch_to" \
		" __x64_sys_read __x64_sys_exit __ia32_sys_read security_file_open security_bprm_check" \
		" security_cred_free should_failslab should_fail_alloc_page __filemap_add_folio" \
		" __add_to_page_cache_locked filemap_add_folio rcu_read_lock sched_clock update_rq_clock" \
		" get_kprobe __schedule bpf_lsm_file_open bpf_fentry_test1 rest_init"
	hooks = "file_open task_free bprm_check_security getprocattr inode_free_security" \
		" find_cgroup_shim"
	# Without those that need a map or cgroup.
	iterators = "task bpf_map tcp netlink"
}

# After a set come its ids.
$3 ~ /^__BTF_ID__set8?__/ { set = $3; members = 0; next }
$3 ~ /^__BTF_ID__func__/ && set ~ /id_deny$|noreturn_deny$|fmodret|modify_return|rstat_kfunc|cubic/ &&
	(++members <= 2 || set ~ /id_deny$/) {
	name = $3
	sub(/^__BTF_ID__func__/, "", name)
	sub(/__[0-9]+$/, "", name)
	functions = functions " " name
}
$3 == "__noinstr_text_start" { noinstr = 3 }
noinstr && $2 ~ /[tT]/ && $3 !~ /^__pfx_|^__noinstr/ { functions = functions " " $3; noinstr-- }
# Of each 6000 functions one.
$2 ~ /[tT]/ && $3 !~ /^__pfx_|^__S|\./ && ++count % 6000 == 0 { functions = functions " " $3 }

function put(types, names, suffix,    type, name, n, m, i, k)
{
	n = split(types, type)
	m = split(names, name)
	for (i = 1; i <= n; i++) {
		for (k = 1; k <= m; k++) {
			line = type[i] suffix "/" name[k]
			if (!seen[line]++)
				print line
		}
	}
}

END {
	for (i in may_sleep) {
		put(may_sleep[i], functions)
		put(may_sleep[i], functions, ".s")
	}
	put("fentry.multi fexit.multi fsession.multi fentry.multi.s", functions)
	for (i in others)
		put(others[i], functions)
	put("fentry fexit", names)
	put("lsm lsm.s lsm_cgroup", hooks)
	put("iter iter.s", iterators)
}
