#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: job.sh OUT SEED CONFIG COMPILER FLAGS MACHINE
# Builds the program of a seed in one configuration, encodes it, and runs it under the
# tracer. OUT/CONFIG/SEED/result gets its lines, each after "CONFIG SEED"; a step that fails is
# one line with the verdict "failed". A program whose sources and flags are the same is not built again.
set -u
out=$1 seed=$2 config=$3 compiler=$4 flags=$5 machine=$6
source=$out/seed-$seed
parts=tests/truth/machines/$machine
here=$out/$config/$seed
program=$here/program

. tests/truth/job_lib.sh
libraries=
case $machine in
x86-64) kernel_flags="$kernel_flags -mno-red-zone -Wl,--section-start=.truth_stack=0x20000000" ;;
arm)
	kernel_flags="$kernel_flags -march=armv7-a -mfloat-abi=soft"
	libraries=$(arm-linux-gnueabi-gcc-12 -print-libgcc-file-name)
	source=$source-32
	;;
# Registers for floats within functions, but not in calls.
riscv64) kernel_flags="$kernel_flags -march=rv64gc -mabi=lp64" ;;
esac

# failed STEP [ENCODER]
failed()
{
	printf '%s\t%s\t%s\tfailed\t%s\t-\t0\t0\t-\t%s\n' "$config" "$seed" "${2:-btfenc}" "$1" \
		"$(last_words)" >>"$here/result"
}

# build DIRECTORY FLAGS: DIRECTORY/program
build()
{
	# shellcheck disable=SC2086 # flags are words
	$compiler $kernel_flags -I"$parts" -c -o "$1/runtime.o" "$source/runtime.S" &&
		$compiler $kernel_flags -O1 -fno-builtin -c -o "$1/memory.o" \
			tests/truth/memory.c &&
		$compiler $kernel_flags $2 -I"$source" -I"$parts" -nostdlib -static -no-pie \
			-Wl,--build-id=none -Wl,--section-start=.truth_objects=0x30000000 \
			-o "$1/program.tmp" "$source"/unit_*.c "$source/main.c" \
			"$1/runtime.o" "$1/memory.o" $libraries &&
		mv "$1/program.tmp" "$1/program"
}

# Records what the program returns when the same compiler does not optimize: $plain/results, which other
# configurations share.
record_plain()
{
	[ "$plain_key" != "$(cat "$plain/key" 2>/dev/null)" ] || return 0
	rm -f "$plain/key"
	linker=$(echo "$flags" | grep -o -e '-fuse-ld=[^ ]*')
	build "$plain" "-O0 $linker" >"$plain/log" 2>&1 &&
		"$out/trace" "$plain/program" "$source/truth.txt" >"$plain/results" \
			2>>"$plain/log" && echo "$plain_key" >"$plain/key"
}

# btfenc's verdict on each function that it left out becomes the reason in its lines.
explain()
{
	"$BTFENC" stats --functions "$here/functions" "$program" >/dev/null 2>&1 ||
		: >"$here/functions"
	awk -F '\t' -v OFS='\t' '
		NR == FNR { why[$1] = why[$1] ? why[$1] "; " $5 " (" $6 ")" : $5 " (" $6 ")"; next }
		$1 == "btfenc" && $2 == "missed" { $8 = why[$3] }
		{ print }
	' "$here/functions" "$here/trace"
}

peer()
{
	case $("$PAHOLE" --version) in
	v1.1?|v1.2[0-4]) options='-J --btf_gen_floats' ;;
	*) options=--btf_features=default ;;
	esac
	# shellcheck disable=SC2086 # options are words
	"$PAHOLE" $options --btf_encode_detached="$here/pahole.btf" "$program"
}

mkdir -p "$here"
: >"$here/result"
sources=$(cat "$source"/* "$parts"/* tests/truth/memory.c tests/truth/job.sh tests/truth/job_lib.sh | cksum)
key="$compiler $flags $sources"
plain_key="$compiler $sources $(cksum <"$out/trace")"
plain=$out/plain/$(echo "$machine-$compiler" | tr -c 'a-z0-9\n' -)/$seed
if ! [ -x "$program" ] || [ "$key" != "$(cat "$here/key" 2>/dev/null)" ]; then
	rm -f "$program" "$here/key"
	build "$here" "$flags" >"$here/log" 2>&1 && echo "$key" >"$here/key"
fi
rm -f "$here"/*.btf
if ! [ -x "$program" ]; then
	failed build
	exit 0
fi
mkdir -p "$plain"
if ! (flock 9 && record_plain) 9>"$plain/lock"; then
	cp "$plain/log" "$here/log"
	failed plain
	exit 0
fi
if "$BTFENC" encode -o "$here/btfenc.btf" "$program" >"$here/log" 2>&1; then
	set -- "@$plain/results" "btfenc=$here/btfenc.btf"
else
	failed encode
	exit 0
fi
# The prototypes that the compiler has changed.
if "$BTFENC" encode --features +true_signature -o "$here/changed.btf" "$program" >"$here/log" 2>&1
then
	set -- "$@" "+btfenc=$here/changed.btf"
else
	failed encode +btfenc
fi
if [ -n "${PAHOLE-}" ] && peer >"$here/log" 2>&1 && [ -s "$here/pahole.btf" ]; then
	set -- "$@" "pahole=$here/pahole.btf"
fi
"$out/trace" "$program" "$source/truth.txt" "$@" >"$here/trace" 2>"$here/log"
traced $? && explain | sed "s/^/$config	$seed	/" >>"$here/result"
exit 0
