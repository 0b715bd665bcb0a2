#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: job.sh OUT SEED CONFIG COMPILER FLAGS
# Builds the program of a seed in one configuration, encodes its sites, compares them with libdw's,
# asks explain for each function, by DWARF and by records, and runs the program under the tracer.
# OUT/CONFIG/SEED/result gets the tracer's lines, each after "CONFIG SEED"; a step that fails is one
# line with the verdict "failed".
set -u
out=$1 seed=$2 config=$3 compiler=$4 flags=$5
source=$out/seed-$seed
here=$out/$config/$seed
program=$here/program

. tests/truth/job_lib.sh
# Overflows wrap, as in a kernel.
kernel_flags="$kernel_flags -mno-red-zone -fwrapv"

# failed STEP
failed()
{
	printf '%s\t%s\t-\t%s\t-\t0x0\t0\t-\t-\tfailed\t0\t0\t%s\n' "$config" "$seed" "$1" \
		"$(last_words)" >>"$here/result"
}

mkdir -p "$here"
: >"$here/result"
rm -f "$here"/btf*
# shellcheck disable=SC2086 # flags are words
if ! "$compiler" $kernel_flags -O1 -fno-builtin -c -o "$here/memory.o" tests/truth/memory.c \
	>"$here/log" 2>&1 ||
   ! "$compiler" $kernel_flags $flags -I"$source" -Itests/truth/machines/x86-64 -nostdlib -static \
	-no-pie -Wl,--build-id=none -o "$program" "$source"/*.c "$source"/*.S "$here/memory.o" \
	>"$here/log" 2>&1; then
	failed build
	exit 0
fi
if ! "$BTFENC" encode --features +func_secinfo=inline,+inline -o "$here/btf" "$program" \
	>"$here/log" 2>&1; then
	failed encode
	exit 0
fi
"$TEST_PROGRAMS/tool_sites" "$program" "$here/btf" "$here/btf.extra" >"$here/log" 2>&1 ||
	failed libdw
# 1: nothing is left of the function.
sed -n 's/^function \([^ ]*\).*/\1/p' "$source/truth.txt" | while read -r name; do
	echo "function $name"
	"$BTFENC" explain -j1 "$name" "$program" || [ $? -eq 1 ] || exit 1
done >"$here/probes" 2>"$here/log" || failed explain
cp "$program" "$here/encoded"
{ "$BTFENC" encode --features +func_secinfo=inline "$here/encoded" &&
	"$TEST_PROGRAMS/tool_explain" "$program" "$here/encoded"; } >"$here/log" 2>&1 ||
	failed explain-records
"$out/trace" "$program" "$source/truth.txt" "$here/btf" "$here/btf.extra" "$here/probes" \
	>"$here/trace" 2>"$here/log"
traced $?
sed "s/^/$config	$seed	/" "$here/trace" >>"$here/result"
