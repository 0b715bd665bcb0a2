#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A kernel that calls btfenc where it calls pahole: Debian's source (tests/kbuild/fetch-source.sh)
# is built with its modules and a module from outside, booted in a virtual machine, and asked to
# attach an fentry program to every FUNC (tests/kbuild/fentry_all.c), and what programs see of
# arguments (fentry_args.c).
#
#	FENTRY_STEP	each STEPth function that can be traced is attached to; 100
#
# tests/lib_kbuild.sh has what else can be chosen. What is linked with BTF is made anew each time.
. tests/lib.sh

name=kernel
append=STEP=${FENTRY_STEP:-100}
# The least number of rows of fentry_args: the compiler may have inlined some functions.
least_arguments=20
. tests/lib_kbuild.sh

# The command lines by which the kernel's scripts have called PAHOLE.
calls()
{
	sed -n 's/.*[ /]\(pahole -J [^;]*[a-z0-9]\).*/\1/p' "$directory/build.log" |
		sed 's|/[^ ]*/module/|.../|'
}

begin=$(date +%s)
if ! { build_kernel && build_modules; } >"$directory/build.log" 2>&1; then
	grep -aE 'rror|not taken|BTF' "$directory/build.log" | tail -n 20 >"$work/errors"
	not_ok "$name: built by $pahole" "$work/errors"
	exit 1
fi
ok "$name: built by $pahole"
echo "    $(($(date +%s) - begin)) s; the calls of $("$pahole" --version):"
calls | grep -E '(\.tmp_vmlinux[^ ]*|/ext4\.ko|promise\.ko)$' | sed 's/^/    /'

resolved()
{
	lacks_line '^(WARN|FAILED)|resolve_btfids: (unresolved|.*ailed)' "$directory/build.log" -aE
}
expect "$name: resolve_btfids has found what the kernel looks for" resolved

# A module from outside has a base of its own exactly where the kernel's scripts ask for it: the
# encoder, or resolve_btfids.
distilled()
{
	grep -qE '(pahole|resolve_btfids) .*distill(ed)?_base.*promise\.ko' "$directory/build.log"
	wanted=$?
	readelf -SW "$directory/module/promise.ko" | grep -F ' .BTF'
	readelf -SW "$directory/module/promise.ko" | grep -qF ' .BTF.base '
	[ $? -eq $wanted ]
}
expect "$name: a module from outside has .BTF.base if it is asked for" distilled

# The encoder or resolve_btfids writes these tags, and not both.
kfunc_tags()
{
	"$BTFENC" dump "$build/vmlinux" | sed -n "s/.*DECL_TAG 'bpf_kfunc' type_id=//p" |
		sort >"$work/tags"
	echo "$(grep -c . "$work/tags") kfunc tags"
	[ -z "$(uniq -d "$work/tags")" ] || return
	{ calls | grep -q decl_tag_kfuncs; } ||
		grep -q '"bpf_kfunc"' "$source/tools/bpf/resolve_btfids/main.c" || return 0
	[ -s "$work/tags" ]
}
kfunc_tags | sed 's/^/    /'
expect "$name: kfuncs are tagged once" kfunc_tags

# In a module of Rust alone there is nothing to encode, and the script goes on.
rust_alone()
{
	rustc -g -O --emit=obj -C panic=abort -o "$work/alone.ko" tests/languages/other.rs &&
		PAHOLE="${BTFENC%/*}/pahole" PAHOLE_FLAGS=--lang_exclude=rust RESOLVE_BTFIDS_FLAGS='' \
			RESOLVE_BTFIDS="$build/tools/bpf/resolve_btfids/resolve_btfids" \
			OBJCOPY=objcopy KBUILD_VERBOSE='' objtree="$build" \
			sh "$source/scripts/gen-btf.sh" --btf_base "$build/vmlinux" "$work/alone.ko" &&
		"$BTFENC" check -b "$build/vmlinux" "$work/alone.ko"
}
if [ -e "$source/scripts/gen-btf.sh" ] && have rustc "$name: a module of Rust alone"; then
	expect "$name: the kernel's script goes on with a module of Rust alone" rust_alone
fi

# ---- booting ----

# What the kernel attaches to by one link, in which one refusal is that of all: what list says can be attached to, and
# that with one function whose code is freed.
pack_ids()
{
	"$BTFENC" list -f "$build/vmlinux" --format names bpf_trampoline_multi_attach >/dev/null 2>&1 || return 0
	mkdir "$work/root/ids" &&
		"$BTFENC" list -f "$build/vmlinux" --attachable fentry --format ids >"$work/root/ids/attachable" &&
		{ cat "$work/root/ids/attachable" && "$BTFENC" list -f "$build/vmlinux" --format ids start_kernel; } \
			>"$work/root/ids/and_freed"
}

begin=$(date +%s)
if ! { pack_root "$here/init" fentry_all fentry_args fentry_multi && pack_ids && boot; } >"$work/log" 2>&1; then
	not_ok "$name: boots" "$work/log"
	exit 1
fi
ok "$name: boots"
echo "    $(($(date +%s) - begin)) s, $accelerator"

# ---- the report ----

report=$directory/report

has_btf()
{
	awk -F '\t' -v wanted=$((2 + $(find "$build" -name '*.ko' | wc -l))) '
		$1 == "btf" { print; n += $3 > 0 } $1 == "error" { print; errors++ }
		END { exit n != wanted || errors }' "$report"
}
expect "$name: vmlinux, its modules and one from outside have their BTF" has_btf
grep -aE 'BTF|BPF: |WARNING: CPU|BUG:|Oops' "$directory/console.log" >"$work/complaints"
expect "$name: the kernel does not complain" cmp "$work/complaints" /dev/null

# init_functions OBJECT FILE: "OBJECT FUNCTION" of all in its .init sections
init_functions()
{
	readelf -SW "$2" | sed -n 's/^ *\[ *\([0-9]*\)\] \.init\.text .*/\1/p' >"$work/sections"
	readelf -sW "$2" | awk -v object="$1" 'FNR == NR { init[$1]; next }
		$4 == "FUNC" && $7 in init { print object "\t" $8 }' "$work/sections" -
}

# function_names FILE: of all FUNCs
function_names()
{
	"$BTFENC" dump "$1" | sed -n "s/^\[[0-9]*\] FUNC '\([^']*\)'.*/\1/p" | sort -u
}

"$pahole" -J --btf_features=default --btf_encode_detached="$work/encoded" "$build/vmlinux"
function_names "$work/encoded" >"$work/encoded.functions"
function_names "$build/vmlinux" | comm -13 "$work/encoded.functions" - |
	sed 's/^/resolve_btfids\t/' >"$work/known"
find "$build" -name '*.ko' | while read -r module; do
	init_functions "$(basename "$module" .ko)" "$module"
done >>"$work/known"
sort "$report" | awk -f "$here/classify.awk" "$work/known" - |
	sort -k 1,1 -k 3,3 -k 2,2nr >"$work/classes"
echo "    FUNCs:"
awk -F '\t' '$1 == "loaded" { tried[$2] += $3; traceable[$2] += $4; attached[$2] += $5 }
	END {
		for (object in tried)
			printf "    %-10s %6d, of which %d can be traced, %d have been\n", object,
				tried[object], traceable[object], attached[object]
	}' "$report" | sort -k 2,2nr
echo "    refused:"
sed 's/^/    /' "$work/classes"

# none CLASS: no FUNC is refused for what BTF has got wrong
none()
{
	grep "$1" "$work/classes"
	[ $? -eq 1 ]
}
expect "$name: each FUNC has a symbol" none '^bad .* no symbol of that name'
grep -v ' no symbol of that name:' "$work/classes" | grep '^bad' >"$work/bad"
expect "$name: what is refused is beyond the trampoline" cmp "$work/bad" /dev/null

enough_attached()
{
	awk -F '\t' -v arch="$arch" '$1 == "loaded" { n[$2] += $5 } END {
		exit !(n["vmlinux"] >= 100 && n["ext4"] && n["promise"] && (arch == "arm64" || n["xfs"]))
	}' "$report"
}
expect "$name: enough has been attached to" enough_attached

# one_link FILE ERROR
one_link()
{
	awk -F '\t' -v file="$1" -v error="$2" '$1 == "multi" && $2 == "./" file { print; found = $3 >= 1000 && $4 == error }
		END { exit !found }' "$report"
}
if [ -d "$work/root/ids" ]; then
	one_link attachable 0 | sed 's/^/    /'
	expect "$name: what list can attach to, by one link" one_link attachable 0
	expect "$name: with one function that is freed nothing" one_link and_freed 2
fi

argument_rows()
{
	# x86-64 has trampolines for arguments on the stack since 6.6; arm64 in all that are built here.
	awk -F '\t' -v least=$least_arguments -v arch="$arch" '
		$1 == "argument" && $6 == "absent" { next }
		$1 == "argument" && $6 == "unsupported" && $3 == "promise_stack" && arch == "x86" { next }
		$1 == "argument" && $5 == $6 { right++; next }
		$1 == "argument" { print; wrong++ }
		END {
			print right " seen as passed"
			exit wrong || right < least
		}' "$report"
}
argument_rows | tail -n 1 | sed 's/^/    /'
expect "$name: arguments are where the FUNC says" argument_rows
