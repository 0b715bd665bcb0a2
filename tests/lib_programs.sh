# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# BPF programs of each type on functions of each kind: does a kernel take those that explain says it
# does, and refuse the others? After tests/lib.sh; $name is what cases are called.
# shellcheck disable=SC2154 # these

# explain_programs VMLINUX [NAMES]: of the image with records of sites; $work/programs is for program_load,
# $work/answers what explain says. fentry is tried on NAMES, too.
explain_programs()
{
	nm -n "$1" | awk -v names="${2:-}" -f tests/kbuild/program_lines.awk >"$work/programs" &&
		"$TEST_PROGRAMS/tool_probes" "$1" <"$work/programs" >"$work/explained.programs" &&
		awk -f tests/kbuild/program_answers.awk "$work/explained.programs" >"$work/answers"
}

# judge_programs REPORT TRIED AGREED: at least so many were tried, and so many of both answers are as said;
# of each type some are, but of struct_ops: before 6.10 the image does not show them.
judge_programs()
{
	awk -F '\t' -v tried="$2" -v agreed="$3" '
		FNR == NR {
			if ($1 == "program" && $2 == "tried")
				count = $3
			else if ($1 == "program") {
				said[$3] = $2
				type[$3] = $3
				sub(/\/.*/, "", type[$3])
				of_type[type[$3]] += $2 != "unknown"
				why[$3] = $4 " " $5 ": " $6
			}
			next
		}
		!($2 in said) || said[$2] == "unknown" { next }
		$1 == "maybe" { n["maybe"]++; next }
		{
			judged[type[$2]]++
			is_right = (said[$2] == "accepted") == ($1 == "yes")
			n[$1 " " said[$2]]++
			if (!is_right) {
				print $2 ": " said[$2] ", " why[$2] "\n    " $3
				wrong++
			}
		}
		END {
			for (i in of_type) {
				if (of_type[i] && !judged[i] && i != "struct_ops") {
					print i ": tried, and explain does not answer"
					wrong++
				}
			}
			for (i in n)
				print "    " i ": " n[i]
			exit wrong || count < tried || n["yes accepted"] < agreed || n["no refused"] < agreed
		}' "$1" "$work/answers"
}

# running_names VMLINUX: FUNCs of its own BTF for fentry, each 4th of those with several symbols of that name,
# and others
running_names()
{
	"$BTFENC" dump "$1" | sed -n "s/^\[[0-9]*\] FUNC '\([^']*\)'.*/\1/p" | sort -u >"$work/funcs"
	nm "$1" | awk '$2 ~ /[tTwW]/ { print $3 }' | sort | uniq -d | comm -12 - "$work/funcs" | awk 'NR % 4 == 0'
	"$BTFENC" list --attachable fentry --format names -f "$1" | sort | comm -12 - "$work/funcs" |
		awk 'NR % 1000 == 0'
}

# judge_running REPORT VMLINUX SEVERAL: what explain says of the kernel that ran, by its own files: each "yes" is
# taken, and what is refused is a "no". A name of several functions may be taken; which of them is not said.
judge_running()
{
	root=$work/running
	mkdir -p "$root/proc/sys/kernel" "$root/sys/kernel/tracing" "$root/sys/kernel/btf" || return
	for file in proc/kallsyms sys/kernel/tracing/available_filter_functions; do
		awk -F '\t' -v wanted="/$file" '$1 == "file" { on = $2 == wanted; next } on' "$1" | base64 -d |
			gzip -d >"$root/$file" || return
	done
	sed -n 's/^version\tLinux version \([^ ]*\) .*/\1/p' "$1" >"$root/proc/sys/kernel/osrelease"
	# shellcheck disable=SC2046 # three words
	set -- "$1" "$2" "$3" $(readelf -SW "$2" | sed -n 's/.* \.BTF  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/0x\1 0x\2/p')
	tail -c +$(($4 + 1)) "$2" | head -c $(($5)) >"$root/sys/kernel/btf/vmlinux"
	while read -r function; do
		said=$("$BTFENC" explain --json --root "$root" "$function" |
			sed -n 's/^ *"answer": "\(.*\)",*$/\1/p')
		printf 'said\t%s\t%s\n' "$function" "$said"
	done <"$work/running_names" >"$work/said"
	awk -F '\t' -v several="$3" '
		$1 == "program" && $3 ~ /^fentry\// { sub(/.*\//, "", $3); kernel[$3] = $2 }
		$1 != "said" { next }
		{
			said = $3 ~ /^yes, by fentry/ ? "yes" : $3 ~ /several functions/ ? "several" : "no"
			n[said " " kernel[$2]]++
			if (!kernel[$2] || (said == "yes" && kernel[$2] != "accepted") ||
			    (said == "no" && kernel[$2] != "refused")) { print; wrong++ }
		}
		END {
			for (i in n)
				print "    " i ": " n[i]
			exit wrong || n["yes accepted"] < 30 || n["several accepted"] < several
		}' "$1" "$work/said"
}

# compile_libbpf VMLINUX NAME...: $work/root/scripts/NAME.o of the script that script_for prints, as the script
# says. Each file includes the same headers: one object for each name.
compile_libbpf()
{
	bpftool btf dump file "$1" format c >"$work/vmlinux.h" || return
	shift
	for script_name; do
		script_for libbpf "$script_name" >"$work/$script_name.bpf.c" || return
		clang -g -O2 -Wall -Werror -fms-extensions -Wno-microsoft -target bpf -D__TARGET_ARCH_x86 -I "$work" \
			"-DKERNEL_$(sed -n 's/^#ifndef KERNEL_//p' "$work/$script_name.bpf.c")" \
			-c "$work/$script_name.bpf.c" -o "$work/root/scripts/$script_name.o" || return
	done
}

# judge_scripts REPORT NAME:CALLS...: of each function so many calls were seen by tracefs and by libbpf; of map
# operations (htab_*) none by a script that says that it does not see them.
judge_scripts()
{
	sed -n 's/^calls\t//p; /^error\t/p' "$1" | sort >"$work/seen"
	shift
	for script; do
		script_name=${script%:*} calls=${script#*:}
		printf 'tracefs\t%s\t%s\n' "$script_name" "$calls"
		case $script_name in
		htab_*) ! grep -q 'Not seen: calls while bpf() .* a map' "$work/$script_name.bpf.c" || calls=0 ;;
		esac
		printf 'libbpf\t%s\t%s\n' "$script_name" "$calls"
	done | sort >"$work/wanted"
	sed 's/^/    /' "$work/seen"
	diff "$work/seen" "$work/wanted"
}

# crc VMLINUX NAME: the version of an exported symbol, "" if the kernel has none
crc()
{
	nm "$1" | awk -v name="__crc_$2" '$3 == name { print "--start-address=0x" $1 }' >"$work/address"
	[ ! -s "$work/address" ] || objdump -s -j __kcrctab "$(cat "$work/address")" "$1" | awk '/^ / {
		print "0x" substr($2, 7, 2) substr($2, 5, 2) substr($2, 3, 2) substr($2, 1, 2); exit }'
}

# type_number VMLINUX TYPE KEY: of the JSON of explain
type_number()
{
	"$BTFENC" explain --json "$2" "$1" | sed -n "s/^ *\"$3\": \([0-9]*\),*$/\1/p"
}

# arguments_module VMLINUX OPTION...: $work/root/arguments.ko for that kernel, $work/arguments.ko with
# DWARF. The kernel's headers would be a package more, and want its own compiler.
arguments_module()
{
	of=$1
	shift
	magic=$(strings -n 20 "$of" | grep -m 1 '^[0-9][^ ]* .*mod_unload')
	layout=$(crc "$of" module_layout) fentry=$(crc "$of" __fentry__)
	# shellcheck disable=SC2086 # words
	${compiler:-${CC:-cc}} -std=gnu11 -O2 -g -w -ffreestanding -fno-pic -fno-pie -mgeneral-regs-only \
		-fno-stack-protector -fno-asynchronous-unwind-tables "$@" -DRELEASE_MAGIC="\"$magic\"" \
		-DMODULE_BYTES="$(type_number "$of" 'struct module' bytes)" \
		-DMODULE_NAME="$(type_number "$of" module.name offset_bits) / 8" \
		-DMODULE_INIT="$(type_number "$of" module.init offset_bits) / 8" \
		${layout:+-DCRC_module_layout=$layout} ${fentry:+-DCRC_fentry=$fentry} \
		-c -o "$work/arguments.ko" tests/kbuild/arguments.c &&
		"$BTFENC" encode -b "$of" "$work/arguments.ko" &&
		"${objcopy:-objcopy}" --strip-debug "$work/arguments.ko" "$work/root/arguments.ko" &&
		"$BTFENC" list --attachable fentry --format names -f "$work/arguments.ko" >"$work/by_dwarf" &&
		"$BTFENC" list --attachable fentry --format names -f "$work/root/arguments.ko" -b "$of" \
			>"$work/by_btf"
}

# judge_arguments REPORT LIST RIGHT WRONG: at least so many functions of the list, and all of them, have
# arguments where programs look for them; and so many others have not, though the kernel takes the programs.
judge_arguments()
{
	awk -F '\t' -v right="$3" -v wrong="$4" '
		FNR == NR { promised[$1]; next }
		$1 != "arguments" { next }
		$2 in promised {
			n["promised, " $3]++
			if ($3 != "right") { print; broken++ }
			delete promised[$2]
			next
		}
		{ n["not promised, " $3]++ }
		END {
			for (i in promised) { print i ": not tried"; broken++ }
			for (i in n)
				print "    " i ": " n[i]
			exit broken || n["promised, right"] < right || n["not promised, wrong"] < wrong
		}' "$2" "$1"
}
