#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does a kernel that is older than some kinds of BTF load what btfenc makes by the options that this kernel's own
# scripts pass? Debian 11's 5.10 is booted and loads the BTF of its own vmlinux, of a module alone, and of
# fixtures. It has no BTF of modules: split BTF is not tried. No later one before 6.0 is in the archive.
#
# What is not cached is fetched.
. tests/lib.sh

key=cloud-amd64-5.10
name="old kernel: 5.10"
for tool in qemu-system-x86_64 busybox cpio; do
	have "$tool" "$name" || exit 0
done
if ! { sh vmlinux-fixtures/fetch-image.sh "$key" >"$work/files" &&
	sh vmlinux-fixtures/fetch-kernel.sh --modules "$key" | head -n 1 >"$work/modules" &&
	source=$(sh tests/kbuild/fetch-source.sh 5.10); } 2>"$work/log"; then
	skip "$name" "$(tail -n 1 "$work/log")"
	exit 0
fi
vmlinux=$(head -n 1 "$work/files")
image=$(tail -n 1 "$work/files")
module=$(find "$(cat "$work/modules")" -name 'nf_conntrack.ko*' | head -n 1)
pahole=${BTFENC%/*}/pahole
options=$(PAHOLE=$pahole sh "$source/scripts/pahole-flags.sh")
directory=$work/machine
append=loglevel=4
arch=x86 compiler='' busybox=''
. tests/lib_machine.sh

# make_btf NAME FILE OPTION...: what the kernel is to load, as NAME
make_btf()
{
	btf_name=$1 btf_file=$2
	shift 2
	"$pahole" -J "$@" --btf_encode_detached="$work/root/btf/$btf_name" "$btf_file"
}

# "NAME" of what has to be taken, "!NAME" of what has to be refused: so the kernel does judge.
make_all()
{
	# shellcheck disable=SC2086 # words
	make_btf vmlinux "$vmlinux" $options && make_btf module "$module" $options || return
	# By default there are ENUM64 and signed ENUMs.
	make_btf '!default' "$vmlinux" || return
	for variant in gcc12-dwarf5 gcc12-lto; do
		# shellcheck disable=SC2086 # words
		make_btf "$variant" "$FIXTURES/$variant/vmlinux" $options || return
	done
}

loader()
{
	"${CC:-cc}" -std=gnu11 -O2 -I. -static -o "$work/root/bin/tool_btf_load" tests/tool_btf_load.c \
		tests/oracle_kernel.c tests/file_bytes.c
}

mkdir -p "$work/root/btf" "$directory"
echo "    options of 5.10: $options"
case " $options " in
*' --skip_encoding_btf_enum64 '*) ok "$name: its script asks for no ENUM64" ;;
*) not_ok "$name: its script asks for no ENUM64" ;;
esac
expect "$name: BTF is made" make_all
begin=$(date +%s)
if ! { pack_programs "$here/old_init" && loader && boot; } >"$work/log" 2>&1; then
	not_ok "$name: boots" "$work/log"
	exit 1
fi
ok "$name: boots"
echo "    $(($(date +%s) - begin)) s, $accelerator"
for btf in "$work"/root/btf/*; do
	btf=${btf##*/}
	case $btf in
	!*) wanted="btf 1 $btf" what=refuses ;;
	*) wanted="btf 0 $btf" what=loads ;;
	esac
	expect "$name: it $what the BTF of ${btf#!}" grep -xF "$wanted" "$directory/report"
done
