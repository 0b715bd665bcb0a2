# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The rules for the BTF of every image, small or real: NAME is the image's name in the report,
# IMAGE the ELF file, BTF what encode made of it. Each check_* is one case or a few.

: "${work:?lib.sh comes first}"

# A pattern of compiler errors that the types themselves make inevitable; none by default.
known_c_errors='^$'

# Bytes of the image's ELF class and byte order: 1 or 2, 1 or 2.
elf_ident()
{
	od -An -tu1 -j4 -N2 "$1" | tr -s ' ' | sed 's/^ //'
}

# check_encode NAME IMAGE BTF: makes BTF, or the caller cannot go on.
check_encode()
{
	rm -f "$3"
	"$BTFENC" encode -j1 -o "$3" "$2" 2>"$work/encode.err" && ! [ -s "$work/encode.err" ]
	outcome $? "$1: encode, without a warning" "$work/encode.err"
	[ -s "$3" ]
}

# check_same_bytes NAME IMAGE BTF [JOBS...]
check_same_bytes()
{
	same_name=$1 same_image=$2 same_btf=$3
	shift 3
	for jobs in "$@"; do
		"$BTFENC" encode -j"$jobs" -o "$work/same" "$same_image"
		expect "$same_name: -j$jobs gives the bytes of -j1" cmp "$same_btf" "$work/same"
	done
	mkdir -p "$work/elsewhere"
	ln -sf "$same_image" "$work/elsewhere/other-name"
	(cd "$work/elsewhere" && "$BTFENC" encode -o relative other-name)
	expect "$same_name: the same bytes from another directory, by another name" \
		cmp "$same_btf" "$work/elsewhere/relative"
	rm -rf "$work/elsewhere" "$work/same"
}

# encodes_alike IMAGE FEATURES JOBS [OPTION...]: -jJOBS writes what -j1 writes, OUT.inline and
# OUT.extra included.
encodes_alike()
{
	alike_image=$1 alike_features=$2 alike_jobs=$3
	shift 3
	rm -rf "$work/alike"
	for jobs in 1 "$alike_jobs"; do
		mkdir -p "$work/alike/$jobs"
		"$BTFENC" encode -j"$jobs" --features "$alike_features" "$@" \
			-o "$work/alike/$jobs/btf" "$alike_image" || return
	done
	diff -r "$work/alike/1" "$work/alike/$alike_jobs"
}

# sections FILE: those of BTF, but for .BTF_ids.
sections()
{
	readelf -SW "$1" | grep -o ' \.BTF[^ ]*' | grep -v ids | sort | tr -d '\n'
}

# sections_are DIRECTORY FILE: FILE has these sections, each once: .BTF is DIRECTORY/btf,
# .BTF.inline DIRECTORY/btf.inline and so on.
sections_are()
{
	rm -rf "$work/sections"
	mkdir "$work/sections"
	for section in $(sections "$2"); do
		part=$work/sections/btf${section#.BTF}
		[ ! -e "$part" ] || return
		objcopy --dump-section "$section=$part" "$2" "$work/discarded" || return
	done
	diff -r "$1" "$work/sections"
}

# check_same_sites NAME IMAGE: a record of sites that depends on which thread read which unit shows
# only in real kernels, whose units are many batches.
check_same_sites()
{
	for features in +func_secinfo +inline +func_secinfo=inline,+inline,+true_signature; do
		expect "$1: -j3 gives the bytes of -j1 with $features" \
			encodes_alike "$2" "$features" 3
	done
	rm -rf "$work/alike"
	expect "$1: +inline: encoded" "$BTFENC" encode --features +inline -o "$work/alike" "$2"
	check_readers "$1: +inline" "$work/alike" "$2"
	expect "$1: +inline: check finds nothing in .BTF.inline" \
		"$BTFENC" check "$work/alike.inline"
	rm -f "$work"/alike*
}

# check_rules NAME BTF
check_rules()
{
	"$BTFENC" check "$2" >"$work/check" 2>&1
	status=$?
	[ $status -eq 0 ] && [ "$(wc -l <"$work/check")" -eq 1 ] &&
		grep -q ' types, no errors$' "$work/check"
	outcome $? "$1: btfenc check finds nothing" "$work/check"
}

# check_kernel NAME BTF IMAGE
check_kernel()
{
	# The kernel judges by the sizes and the byte order of its own machine.
	if [ "$(elf_ident "$3")" != "$(elf_ident /proc/self/exe)" ]; then
		skip "$1: the running kernel accepts it" "BTF of another byte order or word size"
		return
	fi
	"$TEST_PROGRAMS/tool_btf_load" "$2" >"$work/load" 2>&1
	case $? in
	0) ok "$1: the running kernel accepts it" ;;
	77) skip "$1: the running kernel accepts it" "$(head -n 1 "$work/load")" ;;
	*) not_ok "$1: the running kernel accepts it" "$work/load" ;;
	esac
}

# check_readers NAME BTF IMAGE: what reads BTF that has only the kinds of every kernel
check_readers()
{
	check_rules "$@"
	check_kernel "$@"
	check_libbpf "$@"
	check_bpftool "$@"
}

# check_c NAME C-FILE
check_c()
{
	if ! [ -s "$2" ]; then
		not_ok "$1 (it is empty)"
	elif gcc -std=gnu11 -fsyntax-only -w -fmax-errors=0 -x c "$2" 2>"$work/gcc" ||
	     { grep ' error: ' "$work/gcc" >"$work/errors" &&
	       ! grep -qv "$known_c_errors" "$work/errors"; }; then
		ok "$1"
	else
		not_ok "$1" "$work/gcc"
	fi
}

# check_libbpf NAME BTF
check_libbpf()
{
	if "$TEST_PROGRAMS/tool_libbpf" "$2" >"$work/libbpf.c" 2>"$work/libbpf.err"; then
		check_c "$1: the C that libbpf makes of it compiles" "$work/libbpf.c"
	else
		not_ok "$1: the C that libbpf makes of it compiles" "$work/libbpf.err"
	fi
}

# check_bpftool NAME BTF: the dump, line by line, and the header.
check_bpftool()
{
	have bpftool "$1: bpftool reads it" || return 0
	if bpftool btf dump file "$2" >"$work/theirs" 2>"$work/bpftool.err" &&
	   [ -s "$work/theirs" ]; then
		"$BTFENC" dump "$2" >"$work/ours"
		expect "$1: btfenc dump prints what bpftool prints" \
			diff "$work/theirs" "$work/ours"
		check_order "$1" "$work/theirs"
	else
		not_ok "$1: btfenc dump prints what bpftool prints" "$work/bpftool.err"
	fi
	bpftool btf dump file "$2" format c >"$work/header.c" 2>/dev/null
	check_c "$1: the header that bpftool makes of it compiles" "$work/header.c"
}

# check_order NAME DUMP: nameless types first, then by name, as libbpf's binary search wants it.
check_order()
{
	awk '
		/^\[/ {
			name = $3
			if (match($0, /\047[^\047]*\047/))
				name = substr($0, RSTART + 1, RLENGTH - 2)
			if (name == "(anon)")
				name = ""
			if (name < last) {
				print $1 " " name " comes after " last
				exit bad = 1
			}
			last = name
			lines++
		}
		END { exit bad || !lines }
	' "$2" >"$work/order"
	outcome $? "$1: nameless types first, then sorted by name" "$work/order"
}

# check_duplicates NAME BTF
check_duplicates()
{
	expect "$1: nothing is defined twice" "$TEST_PROGRAMS/tool_duplicates" "$2"
}

# check_btf NAME IMAGE BTF: everything that is known about one BTF alone.
check_btf()
{
	check_rules "$1" "$3"
	check_kernel "$1" "$3" "$2"
	check_libbpf "$1" "$3"
	check_bpftool "$1" "$3"
	check_duplicates "$1" "$3"
}

# One line per type of a bpftool dump on stdin, sorted: "KIND name", nameless kinds "KIND"; enums whose kind_flag says
# that they are signed have " SIGNED" at the end.
type_lines()
{
	awk '
		/^\[/ {
			name = ""
			if (match($0, /\047[^\047]*\047/))
				name = " " substr($0, RSTART + 1, RLENGTH - 2)
			if (name == " (anon)")
				name = ""
			print $2 name (/^[^ ]* ENUM.* encoding=SIGNED/ ? " SIGNED" : "")
		}
	' | sort
}

# kind_counts DUMP: "KIND count", most first.
kind_counts()
{
	awk '/^\[/ { count[$2]++ } END { for (kind in count) print kind, count[kind] }' "$1" |
		sort -k2,2nr -k1,1
}

# type_differences THEIRS OURS: what is in one only, as "+2 PTR" (ours) or "-1 STRUCT name".
type_differences()
{
	{
		comm -13 "$1" "$2" | uniq -c | sed 's/^ *\([0-9]*\) /+\1 /'
		comm -23 "$1" "$2" | uniq -c | sed 's/^ *\([0-9]*\) /-\1 /'
	} | sort
}
