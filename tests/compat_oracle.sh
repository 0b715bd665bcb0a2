#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does btfenc compat say of real BPF objects what libbpf and real kernels say? Each program is loaded
# alone and attached (kbuild/object_load.c), and each CO-RE relocation is compared: compat_judge.py.
#
#	COMPAT_KERNEL	"running", the kernel of this machine, and keys of vmlinux-fixtures/kernels for x86-64;
#			running cloud-amd64 amd64-6.12 cloud-amd64-7.2 cloud-amd64-7.3
#	COMPAT_OUT	a folder where what kernels say stays, KEY.tsv, which is judged without a boot if it is there, and
#			KEY.judged
#	COMPAT_OBJECTS	a pattern of PROJECT/NAME.o
#
# What is not cached is fetched.
. tests/lib.sh

# A process has its parent's BTF of the kernel: else most of the time is spent on reading it for each program.
loader()
{
	echo "${CC:-cc} -std=gnu11 -O2 -D_GNU_SOURCE -I$objects/libbpf/include -L$objects/libbpf/lib" \
		-Wl,--wrap=btf__load_vmlinux_btf
}

# load_here TSV: nothing is attached that changes what the machine does.
load_here()
{
	# shellcheck disable=SC2046,SC2086 # words
	$(loader) -static -o "$work/object_load" tests/kbuild/object_load.c -lbpf -lelf -lz &&
		unshare -m sh -c 'mount -t tracefs trace /sys/kernel/tracing; exec "$@"' sh \
		"$work/object_load" -t "$work/root/objects" $chosen <"$work/root/denied" >"$1" && echo end >>"$1"
}

# put_modules FOLDER NAME...: those of the kernel, and what they depend on
put_modules()
{
	folder=$1
	shift
	rm -rf "$folder" && mkdir -p "$folder" || return
	while [ $# -gt 0 ]; do
		file=$(find "$modules" -name "$(echo "$1" | sed 's/[-_]/[-_]/g').ko" | head -n 1)
		shift
		[ -n "$file" ] || continue
		cp "$file" "$folder"
		# shellcheck disable=SC2046 # words
		set -- "$@" $(objcopy -O binary --only-section=.modinfo "$file" /dev/stdout | tr '\0' '\n' |
			sed -n 's/^depends=//p' | tr , ' ')
	done
}

# load_there TSV: in a machine that has nothing else to do.
load_there()
{
	append='rcupdate.rcu_expedited=1 loglevel=4 lsm=bpf'
	compiler=$(loader)
	. tests/lib_machine.sh
	for file in "$TEST_PROGRAMS/unit_reach_verifier" $(ldd "$TEST_PROGRAMS/unit_reach_verifier" | grep -o '/[^ ]*'); do
		mkdir -p "$work/root${file%/*}" && cp -L "$file" "$work/root$file" || return
	done
	mkdir -p "$work/root/bin" && mv "$work/root$TEST_PROGRAMS/unit_reach_verifier" "$work/root/bin/" || return
	# shellcheck disable=SC2086 # words
	if put_modules "$work/root/modules" $loaded && pack_programs "$here/objects_init" object_load && boot; then
		cp "$directory/report" "$1"
	else
		echo "it ends after:"
		tail -n 3 "$directory/report"
		return 1
	fi
}

# ask KEY: "answer" has what the kernel says
ask()
{
	name="compat: $1" answer=$out/$1.tsv vmlinux=/sys/kernel/btf/vmlinux load=load_here
	if [ "$1" != running ]; then
		load=load_there
		sh vmlinux-fixtures/fetch-image.sh "$1" >"$work/files" 2>"$work/log"
		fetched $? "$name" "$work/log" || return 0
		vmlinux=$(head -n 1 "$work/files")
		modules=${vmlinux%/*}/modules-${vmlinux##*/vmlinux-}
		image=$(tail -n 1 "$work/files")
	elif [ "$(id -u)" -ne 0 ] || ! bpftool prog >/dev/null 2>&1; then
		skip "$name" 'bpf() is not allowed here'
		return
	fi
	begin=$(date +%s)
	if ! [ -s "$answer" ] && ! $load "$work/answer" >"$work/log" 2>&1; then
		not_ok "$name: loads" "$work/log"
		return
	fi
	[ -s "$answer" ] || mv "$work/answer" "$answer"
	ok "$name: loads"
	echo "    $(($(date +%s) - begin)) s, $(grep -c ^program "$answer") programs"
	# The running kernel is asked by make test.
	[ "$1" = running ] || expect "$name: random programs" grep -q '^reach.*PASSED.* 1 test' "$answer"
	if ! "$BTFENC" compat --help >/dev/null 2>&1; then
		skip "$name: compat" 'btfenc has no compat'
		return
	fi
	# With DWARF it takes seconds. The running kernel is asked by its BTF and by all it has.
	plain=$vmlinux whole=''
	if [ "$1" != running ]; then
		plain=$work/plain whole=$work/whole
		for folder in "$plain" "$whole"; do
			# shellcheck disable=SC2086 # words
			put_modules "$folder" $loaded && ln -s "$vmlinux" "$folder/vmlinux"
		done
		rm "$plain/vmlinux" && objcopy --strip-debug "$vmlinux" "$plain/vmlinux"
	fi
	python3 tests/compat_judge.py "$answer" "$objects" "$plain" "$whole" >"$out/$1.judged" 2>&1
	judged=$?
	grep '^    ' "$out/$1.judged"
	grep -v '^    ' "$out/$1.judged" >"$work/wrong"
	outcome $judged "$name: compat" "$work/wrong"
}

for tool in clang objcopy qemu-system-x86_64 busybox cpio python3 bpftool unshare; do
	have "$tool" compat || exit 0
done
sh vmlinux-fixtures/fetch-objects.sh >"$work/files" 2>"$work/log"
fetched $? 'compat: objects' "$work/log" || exit 0
objects=$(tail -n 1 "$work/files")
mkdir -p "$objects/traps"
for source in tests/compat/traps/*.bpf.c; do
	clang -g -O2 -target bpf -c -o "$objects/traps/$(basename "$source" .bpf.c).o" "$source" || exit 1
done
if "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -I. "-I$objects/libbpf/include" "-L$objects/libbpf/lib" -o "$work/names" \
	tests/unit_bpf_section.c "${BTFENC%/*}/obj/libbtfenc.a" -lcmocka -lbpf -lelf -lz; then
	expect "compat: the table of sections has those of this libbpf" "$work/names"
else
	skip 'compat: the table of sections' 'cmocka is not there'
fi
out=${COMPAT_OUT:-$work}
directory=$work/machine
mkdir -p "$directory" "$out" "$work/root/objects"
(cd "$objects" && find . -path "./${COMPAT_OBJECTS:-*}" -name '*.o' ! -path './embedded/*' \
	-exec cp --parents -t "$work/root/objects" {} +)
sed -n 's/^\(around\|after\|locks\) //p' kernel/attach/known_functions.txt >"$work/root/denied"
chosen=$(cd "$work/root/objects" && find . -name '*.o' | sed 's|^\./||' | sort)
memory=2048
# Of several, an emulated one may run code that another one is just changing.
processors=1
arch=x86 busybox=''
# Modules that the objects trace or call, and one without which Debian's 6.12 takes none of these.
loaded='md-mod nf_flow_table crc32c_generic'
for key in ${COMPAT_KERNEL:-running cloud-amd64 amd64-6.12 cloud-amd64-7.2 cloud-amd64-7.3}; do
	ask "$key"
done
