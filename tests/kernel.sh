#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A real kernel with debug information (vmlinux-fixtures/fetch-kernel.sh gets it) before all judges.
. tests/lib.sh
. tests/lib_btf.sh

image=$(sh vmlinux-fixtures/fetch-kernel.sh 2>"$work/fetch")
status=$?
image=$(printf '%s\n' "$image" | tail -n 1)
[ $status -ne 0 ] || [ -s "$image" ] || status=1
fetched $status "a real kernel" "$work/fetch" || exit $((status != 75))

name=${image##*/}
btf=$work/btf
check_encode "$name" "$image" "$btf" || exit 1
check_same_bytes "$name" "$image" "$btf" 2
check_btf "$name" "$image" "$btf"

for test in "$TEST_PROGRAMS"/compare_*; do
	expect "$name: ${test##*/}" "$test" "$image"
done

"$BTFENC" dump "$btf" >"$work/dump"
echo "    types per kind:"
kind_counts "$work/dump" | awk '{ printf "    %-12s %8d\n", $1, $2 }'

# Names of structs, unions, enums and typedefs, each once. Enums that pahole leaves at 32 bits or
# widens are one kind here.
tag_names()
{
	type_lines | sed -n 's/^ENUM64 /ENUM /; s/ SIGNED$//; /^\(STRUCT\|UNION\|ENUM\|TYPEDEF\) ./p' | sort -u
}

check_pahole()
{
	have pahole "$name: the names of pahole" || return 0
	have bpftool "$name: the names of pahole" || return 0
	pahole -J --btf_gen_floats --btf_encode_detached="$work/theirs.btf" "$image" \
		>"$work/pahole.log" 2>&1 &&
		bpftool btf dump file "$work/theirs.btf" 2>>"$work/pahole.log" |
		tag_names >"$work/theirs"
	tag_names <"$work/dump" >"$work/ours"
	if ! [ -s "$work/theirs" ]; then
		not_ok "$name: the names of $(pahole --version)'s types" "$work/pahole.log"
		return
	fi
	echo "    $(wc -l <"$work/theirs") names of structs, unions, enums and typedefs"
	expect "$name: the names of $(pahole --version)'s types" diff "$work/theirs" "$work/ours"
}
check_pahole

# ---- functions ----

# Each FUNC is promised under a name that the kernel's own symbol table has (without LLVM's
# .llvm.HASH if the kernel has the function that strips it); what +true_signature adds, under the
# name of a copy.
symbols()
{
	strips=0
	! grep -q cleanup_symbol_name "$image" || strips=1
	nm "$image" | awk -v strips=$strips '
		$2 ~ /[tTwW]/ { if (strips) sub(/\.llvm\.[0-9]+$/, "", $3); print $3 }' | sort -u
}

func_names()
{
	sed -n "s/^\[[0-9]*\] FUNC '\([^']*\)'.*/\1/p" "$1" | sort
}

check_names()
{
	func_names "$work/dump" >"$work/funcs"
	symbols >"$work/symbols"
	echo "    $(wc -l <"$work/funcs") FUNCs"
	expect "$name: there are FUNCs" test -s "$work/funcs"
	comm -23 "$work/funcs" "$work/symbols" >"$work/lost"
	expect "$name: each FUNC has a symbol of its name" cmp "$work/lost" /dev/null
	uniq -d "$work/funcs" >"$work/twice"
	expect "$name: no FUNC is there twice" cmp "$work/twice" /dev/null
	"$BTFENC" encode --features +true_signature -o "$work/true" "$image"
	"$BTFENC" dump "$work/true" >"$work/true.dump"
	func_names "$work/true.dump" >"$work/true.funcs"
	comm -13 "$work/funcs" "$work/true.funcs" >"$work/true.more"
	echo "    $(wc -l <"$work/true.more") more with +true_signature"
	comm -23 "$work/true.more" "$work/symbols" >"$work/lost"
	expect "$name: so has each that +true_signature adds" cmp "$work/lost" /dev/null
	comm -23 "$work/funcs" "$work/true.funcs" >"$work/lost"
	expect "$name: +true_signature takes none away" cmp "$work/lost" /dev/null
	expect "$name: and obeys the rules" "$BTFENC" check "$work/true"
}
check_names

"$BTFENC" stats --functions "$work/functions.tsv" "$image" >"$work/stats"
expect "$name: stats: ok is what has a FUNC" sh -c "
	test -s '$work/funcs' && awk -F '\t' '\$5 == \"ok\" { print \$1 }' '$work/functions.tsv' | sort -u |
	diff - '$work/funcs'"
expect "$name: stats: what has a name for its symbol has one verdict" sh -c "
	test -s '$work/functions.tsv' && awk -F '\t' '\$1 == \$2 { print \$1 \"\t\" \$5 }' '$work/functions.tsv' |
	sort -u | cut -f 1 | uniq -d | cmp - /dev/null"

# dwz moves what units have in common to others: 19,000 units that refer to each other.
check_dwz()
{
	have dwz "$name: after dwz" || return 0
	if ! dwz -l none -L none -o "$work/dwz" "$image" 2>"$work/log"; then
		not_ok "$name: dwz" "$work/log"
		return
	fi
	check_encode "$name: after dwz" "$work/dwz" "$work/dwz.btf" || return 0
	check_same_bytes "$name: after dwz" "$work/dwz" "$work/dwz.btf" 2
	"$BTFENC" dump "$work/dwz.btf" >"$work/dwz.dump"
	kind_counts "$work/dump" >"$work/kinds"
	kind_counts "$work/dwz.dump" >"$work/dwz.kinds"
	expect "$name: after dwz: as many types of each kind" diff "$work/kinds" "$work/dwz.kinds"
	func_names "$work/dwz.dump" >"$work/dwz.funcs"
	expect "$name: after dwz: the same FUNCs" diff "$work/funcs" "$work/dwz.funcs"
	rm -f "$work/dwz"
}
check_dwz

# answer NAME PATTERN: the first line of an explanation
answer()
{
	"$BTFENC" explain "$1" "$image" >"$work/explained" 2>&1
	expect "$name: explain $1" grep -q "$2" "$work/explained"
}
nm "$image" >"$work/map.all"
answer tcp_v4_rcv '^tcp_v4_rcv: yes, by fentry'
answer schedule 'SEC("fentry/schedule")'
answer sched_process_fork 'SEC("tp_btf/sched_process_fork")'
answer sched_process_exec 'tracepoint:sched:sched_process_exec { print(args.pid); }'
answer syscalls:sys_enter_openat 'SEC("tp/syscalls/sys_enter_openat")'
answer kmalloc 'every call was inlined'
answer fentry/kfree_skb 'calls  *[a-z_]* at [0-9]* of [0-9]* addresses where kfree_skb was inlined, perhaps not on all paths; others may call it, too:$'
answer tp_btf/kfree_skb '^kfree_skb: yes, it is a tracepoint'
answer tp_btf/kfree_skb 'location is a number to the verifier'
answer tcp_v4_rcv 'inside  *tcp:tcp_bad_csum, a tracepoint in the code of tcp_v4_rcv, perhaps not'
answer trace_sched_switch 'SEC("tp_btf/sched_switch")'
answer __x64_sys_openat 'SEC("ksyscall/openat")'
answer security_file_open 'SEC("lsm/file_open")'
answer security_bprm_check 'SEC("lsm/bprm_check_security")'
answer iter/task 'SEC("iter/task")'
if grep -q ' __tracepoint_block_io_start$' "$work/map.all"; then
	answer blk_account_io_start 'inside  *block:block_io_start, a tracepoint'
fi
answer tcp_v4_rcx 'tcp_v4_rcv'
answer entry_SYSCALL_64 '^entry_SYSCALL_64: no'
"$BTFENC" list -f "$image" --format tsv >"$work/list.tsv"
"$BTFENC" list -j1 -f "$image" --format tsv >"$work/list-j1.tsv"
expect "$name: list says the same for each -j" cmp "$work/list.tsv" "$work/list-j1.tsv"
"$BTFENC" stats --json "$image" >"$work/stats.json"
# Other names of functions, which the image's own .BTF has, are no functions of stats.
"$BTFENC" list -f "$image" --attachable fentry --format names | LC_ALL=C sort >"$work/attachable.names"
cut -f 1 "$work/functions.tsv" | LC_ALL=C sort -u | LC_ALL=C comm -13 - "$work/attachable.names" >"$work/aliases"
expect "$name: hooks, as list says" same_hooks "$work/functions.tsv" "$work/list.tsv" "$work/aliases"
expect "$name: fentry attaches to as many as stats counts, and $(wc -l <"$work/aliases") other names" test \
	"$(wc -l <"$work/attachable.names")" -eq \
	$(($(fentries_by_stats "$work/stats.json") + $(wc -l <"$work/aliases")))
for alias in $(head -n 1 "$work/aliases"); do
	answer "$alias" '^.*: another name of .*; fentry finds this one, too'
done
copy=$(awk -F '\t' '$5 == "clone" && $2 ~ /\.isra\.0$/ { print $1; exit }' "$work/functions.tsv")
[ -z "$copy" ] || answer "$copy" "p:$copy $copy.isra.0"

# ---- memory ----

# encode_peak FEATURES PERCENT: the peak memory of encode -j1, in percent of .debug_info.
encode_peak()
{
	python3 - "$2" "$(size -A "$image" | awk '$1 == ".debug_info" { print $2 }')" \
		"$BTFENC" encode -j1 --features "$1" -o "$work/peak" "$image" <<'EOT'
import os, sys
bound, debug_info, command = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
_, status, used = os.wait4(os.posix_spawn(command[0], command, os.environ), 0)
percent = 100 * 1024 * used.ru_maxrss / debug_info
print(f"{used.ru_maxrss} KiB, {percent:.1f}% of .debug_info, at most {bound:.0f}%")
sys.exit(status != 0 or percent > bound)
EOT
}

# A quarter more than what 6.1 for amd64 takes: 37.3% and 71.7%.
check_memory()
{
	have python3 "$name: peak memory" || return 0
	while read -r features percent; do
		expect "$name: peak memory with $features" encode_peak "$features" "$percent"
		sed 's/^/    /' "$work/expect.log"
	done <<-'EOT'
		default 47
		+inline 90
	EOT
	rm -f "$work"/peak*
}
check_memory

# ---- sites ----

# The records of inline sites against libdw's reading of the same DWARF; they may leave out hardly
# any parameter for which libdw has a location.
check_sites()
{
	sites=$work/sites
	"$BTFENC" encode --features +func_secinfo=inline,+inline -o "$sites" "$image" \
		>"$work/sites.err" 2>&1
	expect "$name: the records of sites are what libdw reads" \
		"$TEST_PROGRAMS/tool_sites" "$image" "$sites" "$sites.extra"
	cp "$work/expect.log" "$work/sites.log"
	sed 's/^/    /' "$work/sites.log"
	# shellcheck disable=SC2016 # these are awk's fields
	expect "$name: at least 10,000 sites, and 99.5% of their places" awk '
		/^inline: / {
			found = $2
			for (i = 1; i <= NF; i++)
				if ($i ~ /^(register|sum|memory|constant|address)$/)
					said += $(i + 1)
			left = $0
			sub(/.*left out /, "", left)
		}
		END { exit !(found >= 10000 && left + 0 <= 0.005 * said) }' "$work/sites.log"
}
check_sites
check_same_sites "$name" "$image"

# explain answers the same by DWARF and by these records, for every function. The answers for a few
# names also come from the command, which reads the sites of one name only.
check_explain()
{
	expect "$name: explain says by DWARF what it says by records" \
		"$TEST_PROGRAMS/tool_explain" "$image" "$work/extra" "$work/map"
	sed 's/^/    /' "$work/expect.log"
	have python3 "$name: explain by DWARF and by records" || return 0
	: >"$work/wrong"
	for function in copy_from_user kmalloc schedule tcp_v4_rcv "$copy"; do
		{
			"$BTFENC" explain --json "$function" "$image" >"$work/by-dwarf" &&
				"$BTFENC" explain --json "$function" "$work/extra" \
					--symbols "$work/map" >"$work/by-records" &&
				python3 - "$work/by-dwarf" "$work/by-records"
		} >>"$work/wrong" 2>&1 <<'EOT'
import json, sys
def arguments(path):
    e = json.load(open(path))
    return {(p["section"], p["section_offset"]) + tuple(a["fetch"] for a in p["parameters"])
            for p in e["instances"] + e["inline_sites"]}
dwarf, records = map(arguments, sys.argv[1:])
for place in dwarf ^ records:
    print(place, "only by", "DWARF" if place in dwarf else "records")
assert dwarf, "nothing is known"
EOT
	done
	expect "$name: the command explain, too" cmp "$work/wrong" /dev/null
	"$BTFENC" list -f "$work/extra" --format names | awk 'NR % 700 == 5' >"$work/some"
	expect "$name: explain says in JSON what it says in text" \
		python3 tests/explain_text.py "$BTFENC" "$work/some" "$work/extra" --symbols "$work/map"
	sed 's/^/    /' "$work/expect.log"
}
"$BTFENC" encode --features +func_secinfo=inline -o "$work/extra" "$image"
nm "$image" | grep -v ' [a-z] \$' | sort >"$work/map"
check_explain
