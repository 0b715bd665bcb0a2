#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The addresses of a function's entry and their uses, on machines where there are several: NOPs of
# -fpatchable-function-entry, after which GCC's DW_AT_low_pc points; ppc64le's local entry; the
# Thumb bit. readelf says where the symbols are.
. tests/lib.sh

have readelf "entries" || exit 0

# symbols IMAGE: name, address in hex without the Thumb bit, bytes to the local entry.
symbols()
{
	readelf -sW "$1" | sed 's/\[<localentry>: \([0-9]*\)\]/\1/' | awk '
		$4 == "FUNC" && $7 != "UND" {
			address = tolower($2)
			if (thumb && address ~ /[13579bdf]$/) {
				digit = index("13579bdf", substr(address, length(address)))
				address = substr(address, 1, length(address) - 1) \
					  substr("02468ace", digit, 1)
			}
			sub(/^0+/, "", address)
			print $NF, "0x" address, NF == 9 ? $7 : 0
		}' thumb="$2"
}

for variant in gcc12-arm64-patchable gcc12-riscv64-patchable gcc12-ppc64le-patchable \
	       gcc12-s390x-patchable clang19-thumb; do
	image=$FIXTURES/$variant/vmlinux
	if ! [ -s "$image" ]; then
		skip "entries: $variant" "$(not_built "$variant")"
		continue
	fi
	thumb=0 least=140
	# Arguments that are not read are not promised in clang's Thumb code: its DWARF has no calls.
	case $variant in *thumb) thumb=1 least=110 ;; esac
	symbols "$image" $thumb >"$work/symbols"
	rm -f "$work/list"
	"$BTFENC" stats --functions "$work/list" "$image" >/dev/null
	awk -F '\t' '$5 == "ok" && $2 == $1 { print $1, $3 }' "$work/list" | sort -u >"$work/ok"
	expect "entries: $variant: at least $least FUNCs" test "$(wc -l <"$work/ok")" -ge $least
	cut -f 5 "$work/list" >"$work/verdicts"
	expect "entries: $variant: none is without its symbol" lacks_line no-symbol "$work/verdicts" -x
	awk '{ print $1, $2 }' "$work/symbols" | sort -u | comm -13 - "$work/ok" >"$work/moved"
	expect "entries: $variant: the address of a FUNC is its symbol's" \
		diff /dev/null "$work/moved"

	"$BTFENC" explain keep_all "$image" >"$work/dwarf" 2>&1
	address=$(awk '$1 == "keep_all" { print $2 }' "$work/symbols")
	expect "entries: $variant: explain is about the symbol" \
		grep -qE "^  at $address, \.text\+0x[0-9a-f]+: keep_all, " "$work/dwarf"
done

# A probe on one of ppc64le's namesakes is an offset from _stext, and direct calls enter at the local entry.
image=$FIXTURES/gcc12-ppc64le-patchable/vmlinux
if [ -s "$image" ]; then
	symbols "$image" 0 >"$work/symbols"
	name=$("$BTFENC" stats --functions - "$image" | awk -F '\t' '
		$5 == "ambiguous-address" && $2 == $1 { print $1; exit }')
	start=$(readelf -sW "$image" | awk '$8 == "_stext" { print "0x" $2 }')
	"$BTFENC" explain "$name" "$image" >"$work/said"
	awk -v name="$name" '$1 == name { print $2, $3 }' "$work/symbols" |
	while read -r address bytes; do
		printf '_stext+0x%x\n' $((address + bytes - start))
	done | sort >"$work/wanted"
	sed -n 's/.*\(p:\|r:\)[^ ]* \(_stext+0x[0-9a-f]*\).*/\2/p' "$work/said" | sort -u >"$work/got"
	expect "entries: ppc64le: probes of $name are at the local entries" \
		cmp "$work/wanted" "$work/got"
	expect "entries: ppc64le: there are at least two" test "$(wc -l <"$work/wanted")" -ge 2
else
	skip "entries: ppc64le: probes at the local entries" "$(not_built gcc12-ppc64le-patchable)"
fi

# The function's own symbol comes first among several at one entry, on either side of the NOPs.
cat >"$work/alias.c" <<'EOT'
int global;
__attribute__((noinline, used)) static int own(int a, int b) { global += b; return a * 3; }
EOT
for flags in -fpatchable-function-entry=2 -fpatchable-function-entry=0; do
	have aarch64-linux-gnu-gcc-12 "entries: an alias with a suffix" || break
	aarch64-linux-gnu-gcc-12 -O2 -g -S $flags -o "$work/alias.s" "$work/alias.c"
	printf '\t.text\n\t.set own.constprop.0, own\n\t.type own.constprop.0, %%function\n' \
		>>"$work/alias.s"
	aarch64-linux-gnu-gcc-12 -c -o "$work/alias.o" "$work/alias.s"
	"$BTFENC" encode -o "$work/btf" "$work/alias.o" && "$BTFENC" dump "$work/btf" >"$work/dump"
	expect "entries: an alias with a suffix is not taken for the function ($flags)" \
		grep -q "FUNC 'own'" "$work/dump"
done

# Every cross compiler that is installed, with what kernels pass to it. All four functions of an
# object get their FUNC. (With GCC 11 to 16 of all these machines: tried by hand.)
cat >"$work/four.c" <<'EOT'
struct pair { int a; long b; };
extern int outside(struct pair *, long, int);
__attribute__((noinline)) int plain(struct pair *p, long b, int c) { return outside(p, b, c) + p->a; }
__attribute__((noinline)) static int quiet(struct pair *p) { return outside(p, p->b, 1) * 3; }
int leaf(int a) { return a * 3; }
int user(struct pair *p) { return plain(p, 2, 3) + quiet(p); }
EOT

four()
{
	if ! "$@" -O2 -g -ffreestanding -c -o "$work/four.o" "$work/four.c" 2>"$work/cc"; then
		skip "entries: four FUNCs by $*" "$(head -n 1 "$work/cc")"
		return
	fi
	"$BTFENC" encode -o "$work/btf" "$work/four.o" && "$BTFENC" dump "$work/btf" >"$work/dump"
	expect "entries: four FUNCs by $*" test "$(grep -c "FUNC '" "$work/dump")" -eq 4
}

for compiler in $(echo "$PATH" | tr : '\n' | while read -r folder; do
		ls "$folder" 2>/dev/null
	done | grep -E '^((aarch64|riscv64|powerpc64le|s390x|loongarch64)-linux-gnu|arm-linux-gnueabi(hf)?)-gcc-[0-9]+$' |
	sort -u); do
	case $compiler in
	aarch64*)
		four "$compiler" -fpatchable-function-entry=2
		four "$compiler" -fpatchable-function-entry=4,2 -mbranch-protection=standard
		;;
	riscv64*)
		four "$compiler" -fpatchable-function-entry=8
		four "$compiler" -fpatchable-function-entry=8,4
		four "$compiler" -march=rv64ima -mabi=lp64 -fpatchable-function-entry=4
		;;
	powerpc64le*)
		four "$compiler" -fpatchable-function-entry=2
		four "$compiler" -pg -mprofile-kernel
		;;
	s390x*)
		four "$compiler" -fpatchable-function-entry=3
		four "$compiler" -mhotpatch=0,3
		four "$compiler" -pg -mfentry -mnop-mcount -mrecord-mcount
		;;
	loongarch64*) four "$compiler" -fpatchable-function-entry=2 ;;
	arm*)
		four "$compiler" -marm -march=armv7-a -mfloat-abi=soft -pg
		four "$compiler" -mthumb -march=armv7-a -mfloat-abi=soft
		four "$compiler" -mthumb -march=armv7-a -mfloat-abi=soft \
			-fpatchable-function-entry=2
		;;
	esac
done
for compiler in clang-19 clang-22; do
	have "$compiler" "entries: four FUNCs by $compiler" || continue
	four $compiler --target=aarch64-linux-gnu -fpatchable-function-entry=4,2
	four $compiler --target=riscv64-linux-gnu -fpatchable-function-entry=8,4
	four $compiler --target=s390x-linux-gnu -pg -mfentry
	four $compiler --target=powerpc64le-linux-gnu -fpatchable-function-entry=2
	four $compiler --target=loongarch64-linux-gnu -fpatchable-function-entry=2
	four $compiler --target=armv7-linux-gnueabi -mthumb
done

# A base of another byte order is one of another kernel.
if [ -s "$FIXTURES/gcc12-s390x/vmlinux" ]; then
	"$BTFENC" encode -o "$work/big" "$FIXTURES/gcc12-s390x/vmlinux"
	"$BTFENC" encode -b "$work/big" -o "$work/split" "$FIXTURES/gcc12-arm64-patchable/vmlinux" \
		>"$work/said" 2>&1
	expect "entries: a base of another byte order: exit status 3" test $? -eq 3
	expect "entries: a base of another byte order is named" \
		grep -q 'its byte order is not that of the base .*big' "$work/said"
else
	skip "entries: a base of another byte order" "$(not_built gcc12-s390x)"
fi
