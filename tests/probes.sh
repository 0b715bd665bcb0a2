#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does a kernel take the probes that explain prints? The kernel of tests/kbuild.sh is booted, and
#
# - all lines of `explain` and `explain --script tracefs` about all functions of its records are
#   loaded (tests/kbuild/probe_load.c): those that explain calls refused are, the others are not;
# - hundreds of them are enabled while values are passed that are known (probe_args.c);
# - BPF programs of each type are loaded on functions of each kind (lib_programs.sh);
# - scripts for tracefs, bpftrace and libbpf are run;
# - what `list --attachable` lists is in available_filter_functions, or is taken as a kprobe.
#
#	PROBE_NAMES	each NAMESth name is tried; 20. All: 1. Of its inline sites beyond the first 20
#			it is each 50th
#
# tests/lib_kbuild.sh has what else can be chosen. The kernel is built if it is not there, or is of other
# files than tests/kbuild has now.
. tests/lib.sh

name='probes: kernel'
if [ "${KBUILD_ARCH:-x86}" != x86 ]; then
	skip "$name" "KBUILD_ARCH is for check-kbuild; check-machines probes kernels of other machines"
	exit 0
fi
# Taking an event away would wait for each processor each time.
append='rcupdate.rcu_expedited=1 loglevel=4'
memory=3072
# The least number of values that are seen as they were passed.
least_values=500
names=${PROBE_NAMES:-20}
. tests/lib_kbuild.sh
. tests/lib_programs.sh
. tests/lib_probes.sh

if ! { { is_built || build_kernel; } && build_modules; } >"$work/build.log" 2>&1; then
	grep -aE 'rror|not taken|BTF' "$work/build.log" | tail -n 20 >"$work/errors"
	not_ok "$name: built" "$work/errors"
	exit 1
fi

# ---- what explain says ----

# with_records FILE COPY
with_records()
{
	cp "$1" "$2" && "$BTFENC" encode --force --features default,+inline,+func_secinfo "$2"
}

# Two processes, each for its part of the names.
explain_all()
{
	with_records "$build/vmlinux" "$work/vmlinux" &&
		with_records "$directory/module/inlined.ko" "$work/inlined.ko" || return
	"$TEST_PROGRAMS/tool_probes" 0 $((2 * names)) "$work/vmlinux" >"$work/explained.0" &
	half=$!
	"$TEST_PROGRAMS/tool_probes" 1 $((2 * names)) "$work/vmlinux" >"$work/explained.1" || return
	wait $half || return
	"$TEST_PROGRAMS/tool_probes" 0 1 "$work/inlined.ko" >"$work/explained.module" &&
		explain_programs "$work/vmlinux"
}

begin=$(date +%s)
if ! explain_all >"$work/log" 2>&1; then
	not_ok "$name: explain answers for all names" "$work/log"
	exit 1
fi
ok "$name: explain answers for all names"
echo "    $(cat "$work"/explained.* | grep -c '^== ') names, $(($(date +%s) - begin)) s"

for by in fentry kprobe; do
	"$BTFENC" list --attachable $by --format names --file "$build/vmlinux" |
		sort -u >"$work/attachable.$by"
done
expected_lines "$names" "$work/explained.0" "$work/explained.1" "$work/explained.module" >"$work/expected"
event_lines "$work/expected" >"$work/lines"
awk '$1 == "probe" { event = $2; sub(/^probe [^ ]* ./, ""); sub(/.$/, ""); print event " " $0 }' \
	"$work"/explained.* >"$work/events"

# ---- BPF ----

# Of module/inlined.c what is inlined, and a clone; a promised function of a module; a system call's event.
bpf_names='inner_10 inner_37 inner_59 changed_21 promise_six sys_enter_fallocate'
mkdir -p "$work/root/scripts"

# script_for LANGUAGE NAME
script_for()
{
	case $2 in
	vfs_read | sys_enter_fallocate) file=$build/vmlinux ;;
	promise_six) file=$directory/module/promise.ko ;;
	ext4_fallocate_enter) file=$build/fs/ext4/ext4.ko ;;
	*) file=$directory/module/inlined.ko ;;
	esac
	"$BTFENC" explain --script "$1" "$2" "$file"
}

script_for tracefs inner_10 >"$work/root/scripts/tracefs"

# shellcheck disable=SC2086 # words
expect "$name: clang compiles the scripts for libbpf" \
	compile_libbpf "$build/vmlinux" $bpf_names vfs_read
expect "$name: for a module's function it is fentry" grep -qx 'SEC("fentry/promise_six")' "$work/promise_six.bpf.c"

# The bpftrace of each suite with its libraries, as PATH has it; the scripts as one, with the head of one that is
# for the kernel.
suites=
for suite in bookworm trixie sid; do
	if ! bpftrace=$(sh vmlinux-fixtures/fetch-tool.sh $suite bpftrace /usr/bin/bpftrace 2>"$work/fetch"); then
		skip "$name: scripts for the bpftrace of $suite" "$(tail -n 1 "$work/fetch")"
		continue
	fi
	suites="$suites $suite" tool=${bpftrace%/*} folder=$work/root/bpftrace/$suite
	mkdir -p "$folder/lib"
	libraries=$(sed -n 's/.*--library-path "\([^"]*\)".*/\1/p' "$bpftrace" | sed "s|\$here|$tool|g")
	"$tool"/lib64/ld-linux-x86-64.so.2 --library-path "$libraries" --list "$tool/usr/bin/bpftrace" |
		sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | xargs cp -Lt "$folder/lib"
	cp -L "$tool"/lib64/ld-linux-x86-64.so.2 "$tool/usr/bin/bpftrace" "$folder/lib"
	# shellcheck disable=SC2016 # of that script
	printf '#!/bin/sh\nlib=/bpftrace/%s/lib\nexec $lib/ld-linux-x86-64.so.2 --library-path $lib $lib/bpftrace -B line "$@"\n' \
		$suite >"$folder/bpftrace"
	chmod +x "$folder/bpftrace"
done
# combined NAME...: the programs of these after those of one that is for the kernel
combined()
{
	script_for bpftrace sys_enter_fallocate | sed '/^EOF$/d'
	for script_name; do
		script_for bpftrace "$script_name" | sed -n "/^} <<'EOF'/,/^EOF/{//!p}"
	done
	echo EOF
}
# shellcheck disable=SC2086 # words
combined ${bpf_names% *} ext4_fallocate_enter >"$work/root/scripts/bpftrace-sid"
cp "$work/root/scripts/bpftrace-sid" "$work/root/scripts/bpftrace-trixie"
# That of bookworm, 0.17, has no modules in kprobes, as scripts say.
combined promise_six ext4_fallocate_enter >"$work/root/scripts/bpftrace-bookworm"
expect "$name: for bpftrace, too" grep -qx 'fentry:promise:promise_six' "$work/root/scripts/bpftrace-sid"
expect "$name: and a module's tracepoint is one" grep -qx 'tracepoint:ext4:ext4_fallocate_enter' \
	"$work/root/scripts/bpftrace-sid"
script_for bpftrace inner_10 >"$work/script"
expect "$name: kprobes of modules need another than 0.17" grep -q 'it needs bpftrace 0.20 or newer' "$work/script"

# ---- booting ----

cp "$work/lines" "$work/events" "$work/programs" "$work/root/"
begin=$(date +%s)
if ! { pack_root "$here/probes_init" probe_load probe_args program_load && boot; } >"$work/log" 2>&1; then
	not_ok "$name: boots" "$work/log"
	exit 1
fi
ok "$name: boots"
echo "    $(($(date +%s) - begin)) s, $accelerator"
report=$directory/report

# ---- what the kernel says ----

judge_lines "$report" "$work/expected" >"$work/results"
show_results

all_tried()
{
	grep -q '^loaded' "$report" &&
		[ "$(wc -l <"$work/results")" -ge $((100000 / names)) ]
}
expect "$name: all lines were tried" all_tried

# A module that is loaded may have the name, too: then the kernel takes neither.
find "$build" -name '*.ko' -exec nm {} + | awk 'NF == 3 && $2 ~ /[tT]/ { print $3 }' | sort -u >"$work/modules"
awk -F '\t' 'FNR == NR { in_module[$1]; next }
	{ place = $5; sub(/^[pr] /, "", place); sub(/[ +].*/, "", place) }
	$1 != $2 && place in in_module { n++; next }
	{ print }
	END { print "    " n + 0 " lines are refused because a module has the name, too" >"/dev/stderr" }' \
	"$work/modules" "$work/results" >"$work/own" && mv "$work/own" "$work/results"
expect "$name: the kernel takes every line that explain prints" as_said accepted accepted 'text script event'
expect "$name: the kernel refuses what explain says it does" as_said refused refused 'text unseen'
expect "$name: list --attachable kprobe lists what the kernel takes" as_said accepted accepted list

expect "$name: the kernel takes the BPF programs that explain says it does" judge_programs "$report" 600 50

sed -n 's/^function\t//p' "$report" | sort -u >"$work/available"
listed_is_available()
{
	[ -s "$work/available" ] && [ -s "$work/attachable.fentry" ] || return
	comm -23 "$work/attachable.fentry" "$work/available" >"$work/not-available"
	cat "$work/not-available"
	[ ! -s "$work/not-available" ]
}
expect "$name: list --attachable fentry lists what has a hook" listed_is_available

values()
{
	awk -F '\t' -v least=$least_values '$1 == "begin" { exit }
		$1 == "value" || $1 == "error" { print; wrong++ }
		$1 == "right" || $1 == "set" { print; n[$1] = $2 }
		END { exit wrong || n["right"] < least || n["set"] < 200 }' "$report"
}
sed '/^begin/q' "$report" | grep -E '^(set|right)' | sed 's/^/    /'
expect "$name: probes show what was passed" values

# from WHAT LEAST: the values after the line "begin WHAT" of the report are those that were passed.
from()
{
	awk -F '\t' -v what="$1" -v least="$2" '$1 == "begin" { here = $2 == what }
		here && ($1 == "value" || $1 == "error") { print; wrong++ }
		here && $1 == "right" { print; right = $2 }
		END { exit wrong || right < least }' "$report"
}
for script_name in $bpf_names vfs_read; do
	expect "$name: --script libbpf $script_name shows what was passed" from "libbpf $script_name" 2
done
expect "$name: --script tracefs shows what was passed" from tracefs 6
for suite in $suites; do
	least=20
	[ "$suite" != bookworm ] || least=9
	expect "$name: --script bpftrace shows what was passed: $suite" from "bpftrace $suite" $least
	shown_by_bpftrace()
	{
		for script_name in promise_six sys_enter_fallocate ext4_fallocate_enter; do
			awk -F '\t' -v suite="$suite" -v name="$script_name" '
				$1 == "begin" { here = $2 == "bpftrace " suite }
				here && $1 == "seen" && $2 == name { n++ } END { exit n < 3 }' "$report" || return
		done
	}
	expect "$name: a module's function, a system call and a module's tracepoint are among them: $suite" \
		shown_by_bpftrace
done
