#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: job.sh OUT SEED CONFIG COMPILER FLAGS
# Builds the program of a seed in one configuration, encodes its sites, compares them with libdw's
# and runs the program under the tracer. OUT/CONFIG/SEED/result gets the tracer's lines, each behind
# "CONFIG SEED"; a step that fails is one line with the verdict "failed".
set -u
out=$1 seed=$2 config=$3 compiler=$4 flags=$5
source=$out/seed-$seed
here=$out/$config/$seed
program=$here/program

# As tests/truth/job.sh; and what overflows wraps, as in a kernel.
kernel_flags='-std=gnu11 -w -ffreestanding -fno-pie -fno-stack-protector -fno-strict-aliasing
	-fno-asynchronous-unwind-tables -fno-common -fno-jump-tables -mno-red-zone -fno-plt
	-fno-delete-null-pointer-checks -fwrapv'

# failed STEP
failed()
{
	printf '%s\t%s\t-\t%s\t-\t0x0\t0\t-\t-\tfailed\t0\t0\t%s\n' "$config" "$seed" "$1" \
		"$(tail -n 1 "$here/log" | tr '\t' ' ')" >>"$here/result"
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
"$out/trace" "$program" "$source/truth.txt" "$here/btf" "$here/btf.extra" >"$here/trace" \
	2>"$here/log"
status=$?
if [ $status -eq 77 ]; then
	failed untraceable
elif [ $status -ne 0 ]; then
	failed trace
fi
sed "s/^/$config	$seed	/" "$here/trace" >>"$here/result"
