#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# usage: answers.sh BTFENC [NAMES]
#
# Prints what a binary answers, to be compared with what an older one did (diff): of fixtures, of NAMES (600) names of a
# real kernel by DWARF and twice as many by BTF, of 60 modules. Variables: FIXTURES (build/fixtures), CACHE (~/.cache/btfenc),
# where vmlinux-RELEASE and modules-RELEASE are, and KERNEL, the release (the first of 6.1 there).
set -u
LC_ALL=C
export LC_ALL

btfenc=${1-} names=${2-600}
[ -x "$btfenc" ] || { echo "usage: answers.sh BTFENC [NAMES]" >&2; exit 2; }
cache=${CACHE-$HOME/.cache/btfenc}
KERNEL=${KERNEL-$(cd "$cache" && set -- vmlinux-6.1.*-cloud-amd64 && echo "${1#vmlinux-}")}
vmlinux=$cache/vmlinux-$KERNEL
[ -s "$vmlinux" ] || { echo "answers.sh: there is no $vmlinux" >&2; exit 1; }
btfenc=$(realpath "$btfenc") fixtures=$(realpath "${FIXTURES-build/fixtures}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
# Paths are in answers: they are the same for each binary.
cd "$work" || exit 1
ln -s "$fixtures" fixtures
ln -s "$vmlinux" vmlinux

# ask ARGUMENT...
ask()
{
	echo "\$ $*"
	"$btfenc" "$@" 2>&1 </dev/null
	echo "= $?"
}

# spread COUNT: so many lines of standard input, spread evenly.
spread()
{
	awk -v wanted="$1" '{ line[NR] = $0 }
		END { for (i = 0; i < wanted && i < NR; i++)
			print line[int((i + 0.5) * NR / (wanted < NR ? wanted : NR)) + 1] }'
}

# names_of BTF BASE...: of its functions, tracepoints, structs, unions and enums.
names_of()
{
	names_part=$1
	shift
	[ ! -e "$names_part" ] || "$btfenc" dump "$@" "$names_part" | sed -nE "s/^\[[0-9]+\] (FUNC|STRUCT|UNION|ENUM) '([A-Za-z_0-9]+)' .*/\2/p
		s/^\[[0-9]+\] TYPEDEF 'btf_trace_([A-Za-z_0-9]+)' .*/\1/p" | sort -u
}

# explain_all COUNT FILE ARGUMENT...: names from standard input.
explain_all()
{
	explain_file=$2 count=0
	spread "$1" >names
	shift 2
	while read -r name; do
		count=$((count + 1))
		ask explain "$@" --json "$name" "$explain_file"
		case $count in
		*0) ask explain "$@" "$name" "$explain_file" ;;
		*3) ask explain "$@" "fentry/$name" "$explain_file" ;;
		*5) ask explain "$@" --script bpftrace "$name" "$explain_file" ;;
		*6) ask explain "$@" --script tracefs "$name" "$explain_file" ;;
		*7) ask explain "$@" --script libbpf "$name" "$explain_file" ;;
		esac
	done <names
}

# of_image COUNT FILE ARGUMENT...: `list -b` and others take ARGUMENTs, too.
of_image()
{
	image_count=$1 image=$2
	shift 2
	rm -f extra*
	"$btfenc" encode "$@" --features +func_secinfo=inline -o extra "$image" 2>/dev/null
	{ names_of extra "$@"; names_of extra.extra "$@" -b extra; echo no_such_name; } | sort -u >all
	explain_all "$image_count" "$image" "$@" <all
	explain_all $((2 * image_count)) extra "$@" <all
	for source in "$image" extra; do
		ask list "$@" -f "$source" --format json
		ask list "$@" -f "$source" --format tsv --attachable fentry
		ask list "$@" -f "$source" --format json --attachable kprobe --takes 'struct sk_buff *'
		ask list "$@" -f "$source" --format json --kind tracepoint
	done
	ask stats "$@" --json "$image"
	ask stats "$@" --functions - "$image"
}

for image in fixtures/*/vmlinux; do
	of_image 20 "$image"
	ask diff --types --format json "${first:=$image}" "$image"
	ask diff --format json "$image" extra
	ask diff --types --limit 0 "$first" "$image"
done
of_image "$names" vmlinux
ask diff --types --format json vmlinux extra
"$btfenc" stats --functions list vmlinux >/dev/null
ask diff --types --format json list vmlinux
find "$cache/modules-$KERNEL" -name '*.ko' | sort | spread 60 >modules
while read -r module <&3; do
	of_image 10 "$module" -b vmlinux
done 3<modules
mkdir build
ln -s ../vmlinux build/vmlinux
spread 12 <modules | while read -r module; do cp "$module" build; done
ask stats --functions - build
ask list -f vmlinux --modules build --format json '*init*'
ask diff --types --format json vmlinux build
for name in ext4_iget nf_conntrack_in no_such_name 'struct nf_conn' tcp_v4_rcv; do
	ask explain --json --modules build "$name" vmlinux
done
for name in vfs_read tcp_v4_rcv sched_switch no_such_name task_struct.se.vruntime; do
	ask explain --json "$name"
done
ask list --format json
