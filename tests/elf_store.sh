#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Sections stored in ELF files in place: what binutils, elfutils and lld make of the result, and
# what is left of the file when writing is cut short: by a full disk, by a limit, by an error of
# each call, by SIGKILL at each call and at 200 moments that are not chosen.
#
# A file is "old" when all of its old bytes are there (bytes after them are never read), and
# "new" when it is what an undisturbed run makes of it.
. tests/lib.sh
. tests/lib_btf.sh

tool=$TEST_PROGRAMS/tool_elf_store
source=$PWD
files=$work/files
mkdir "$files" && cd "$files" || exit 1

# state FILE OLD NEW: prints old, new or broken.
state()
{
	if cmp -s "$1" "$3"; then
		echo new
	elif cmp -s -n "$(wc -c <"$2")" "$1" "$2"; then
		echo old
	else
		echo broken
	fi
}

# has FILE SECTION DATA [OBJCOPY]: are these the section's contents?
has()
{
	rm -f dumped
	"${4:-objcopy}" --dump-section "$2=dumped" "$1" discarded && cmp dumped "$3"
}

cp "$FIXTURES/gcc12-dwarf5/vmlinux" vmlinux
"$BTFENC" encode -o vmlinux.btf vmlinux || exit 1

# Another process has it locked, for longer than the program waits; looked at in the end.
cp vmlinux locked
flock locked sh -c '"$@" 2>lock.log' sh "$tool" locked .BTF=vmlinux.btf &
waiting=$!

# ---- what others make of it ----

# objcopy_of IMAGE: one that knows its machine.
objcopy_of()
{
	for candidate in objcopy s390x-linux-gnu-objcopy llvm-objcopy llvm-objcopy-19; do
		if command -v $candidate >/dev/null && $candidate "$1" discarded 2>/dev/null; then
			echo $candidate
			return
		fi
	done
}

# complaints FILE: what elflint says of it, without what depends on places.
complaints()
{
	eu-elflint --gnu-ld "$1" 2>&1 | grep -v '^No errors$' | sort
}

# accepted IMAGE: everybody reads the image with the new section, and the section is there.
accepted()
{
	cp "$1" image && chmod u+w image && "$BTFENC" encode -o btf image || return 1
	complaints image >lint-before
	"$tool" image .BTF=btf .BTF.base=btf || return 1
	copier=$(objcopy_of image)
	[ -n "$copier" ] || copier=true
	{ readelf -aW image >/dev/null; } 2>&1 | grep . && return 1
	"$BTFENC" check image || return 1
	if command -v eu-elflint >/dev/null; then
		complaints image | comm -13 lint-before - | grep . && return 1
	fi
	[ "$copier" = true ] && return
	has image .BTF btf "$copier" && has image .BTF.base btf "$copier" &&
		"$copier" --strip-debug image stripped && has stripped .BTF btf "$copier" &&
		"$copier" --only-section=.BTF image only && has only .BTF btf "$copier" &&
		"$copier" --remove-section=.BTF image removed && [ -s removed ] &&
		! has removed .BTF btf "$copier"
}
for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	expect "elf_store: ${variant##*/} is accepted by all" accepted "$image"
done


# objects COMPILER...: with the section they can be linked, in part and to a program that runs.
objects()
{
	echo 'int other(void); int main(void) { return other(); }' >main.c
	echo 'int table[9] = { 1 }; int other(void) { return table[8]; }' >other.c
	"$@" -g -O1 -ffunction-sections -c main.c other.c || return 1
	"$tool" main.o .BTF=vmlinux.btf && "$tool" other.o .BTF=vmlinux.btf || return 1
	has main.o .BTF vmlinux.btf && ld -r -o part.o main.o && has part.o .BTF vmlinux.btf &&
		strip -g -o small.o main.o && has small.o .BTF vmlinux.btf &&
		"$@" -o program small.o other.o && ./program || return 1
	"$tool" program .BTF= && ./program && "$tool" program .BTF=vmlinux.btf && ./program &&
		has program .BTF vmlinux.btf && strip program && has program .BTF vmlinux.btf || return 1
	! command -v ld.lld >/dev/null ||
		{ ld.lld -r -o part.o main.o && has part.o .BTF vmlinux.btf; }
}
for compiler in gcc clang-19 clang-22; do
	have $compiler "elf_store: objects of $compiler" &&
		expect "elf_store: objects of $compiler are linked" objects $compiler
done

# A program with .BTF in a segment, as the kernel's link makes it.
cat >linked.c <<'EOT'
extern const unsigned char __start_BTF[], __stop_BTF[];
int main(void) { return __start_BTF[0] != 0x9f || __stop_BTF - __start_BTF != ROOM; }
EOT
cp vmlinux.btf room && truncate -s %4 room
echo 'SECTIONS { .BTF : { __start_BTF = .; KEEP(*(.BTF)) __stop_BTF = .; } } INSERT AFTER .rodata;' >lds
allocated()
{
	gcc -g "-DROOM=$(wc -c <room)" -c linked.c && : >empty.c && gcc -c empty.c -o room.o &&
		objcopy --add-section .BTF=room --set-section-flags .BTF=alloc,readonly room.o &&
		gcc -o linked linked.o room.o -Wl,-T,lds && ./linked
}
printf '\237\353\001\000\030\0\0\0\0\0\0\0\020\0\0\0\020\0\0\0\005\0\0\0' >small.btf
printf '\001\0\0\0\0\0\0\001\004\0\0\0\040\0\0\001\0int\0' >>small.btf
cat vmlinux.btf small.btf >large.btf
expect "elf_store: .BTF in a segment: the program is linked" allocated
# ld.lld keeps the section of such a script where there is no .BTF yet: what pahole is called for.
empty()
{
	echo 'extern const char __start_BTF[]; int main(void) { return !__start_BTF; }' >none.c
	gcc -g -c none.c && gcc -fuse-ld=lld -o none none.o -Wl,-T,lds &&
		readelf -SW none | grep -q '\.BTF .* 000000 00 ' && "$tool" none .BTF=large.btf &&
		has none .BTF large.btf && "$tool" none .BTF=small.btf && has none .BTF small.btf
}
PATH=$PATH:/usr/lib/llvm-22/bin
have ld.lld "elf_store: an empty .BTF of ld.lld" &&
	expect "elf_store: an empty .BTF of ld.lld is filled" empty
cp linked linked.old
expect "elf_store: .BTF in a segment: more than there is room for is refused" \
	sh -c "'$tool' linked .BTF=large.btf; [ \$? -eq 1 ] && cmp linked linked.old"
expect "elf_store: .BTF in a segment: shorter BTF is stored" "$tool" linked .BTF=small.btf
expect "elf_store: .BTF in a segment: the program still runs, and is as long" \
	sh -c "./linked && cmp -s -n 16 linked linked.old && ! cmp linked linked.old &&
		[ \$(wc -c <linked) -eq \$(wc -c <linked.old) ]"
expect "elf_store: .BTF in a segment: the rules still hold" "$BTFENC" check linked
objcopy --dump-section .BTF=padded linked discarded
check_kernel "elf_store: .BTF in a segment, padded" padded linked

# ---- two ways to write, cut short ----
#
# append: vmlinux gets a big .BTF; copy: in `linked` .BTF is overwritten and a big section added.

cp vmlinux append.old && cp linked.old copy.old

# choose WAY: $wanted is what the tool is asked to store, a list of words.
choose()
{
	case $1 in
	append) wanted='.BTF=big' ;;
	copy) wanted='.BTF=small.btf .BTF.base=big' ;;
	esac
}

# undisturbed BYTES: what each way makes of it when `big` has so many bytes.
undisturbed()
{
	head -c "$1" /dev/urandom >big
	for way in append copy; do
		cp $way.old $way.new
		choose $way
		# shellcheck disable=SC2086 # a list of words
		"$tool" $way.new $wanted || not_ok "elf_store: $way: an undisturbed run"
	done
}
undisturbed 2500000

# refused NAME COMMAND...: it fails with one line, and `victim` is `before`, byte by byte.
refused()
{
	refused_name=$1
	shift
	"$@" >/dev/null 2>stderr
	status=$?
	{
		[ $status -eq 1 ] || echo "exit status $status"
		[ "$(wc -l <stderr)" -eq 1 ] || echo "not one line"
		cmp victim before || echo "the file is another"
		find . -name '*.btfenc*'
	} >wrong 2>&1
	[ ! -s wrong ]
	status=$?
	cat stderr >>wrong
	outcome $status "$refused_name" wrong
}

for way in append copy; do
	choose $way
	cp $way.old before && cp before victim
	# shellcheck disable=SC2086
	refused "elf_store: $way: a limit on file sizes" sh -c 'ulimit -f 1000; exec "$@"' sh \
		"$tool" victim $wanted
	mkdir full
	if mount -t tmpfs -o size=1m tmpfs full 2>/dev/null; then
		trap 'umount "$work/files/full"; rm -rf "$work"' EXIT
		cp before full/victim && rm victim && ln -s full/victim victim
		# shellcheck disable=SC2086
		refused "elf_store: $way: a full disk" "$tool" victim $wanted
		umount full
		trap 'rm -rf "$work"' EXIT
	else
		skip "elf_store: $way: a full disk" "no tmpfs can be mounted"
	fi
	rm -rf full victim
done

shim=$work/file_calls.so
built "elf_store: the library that makes calls fail" "$shim" \
	-shared -fPIC "$source/tests/inject/file_calls.c" -ldl


# injected WAY HOW: with each call in turn. "old" must be exact unless undoing fails as well.
injected()
{
	choose "$1"
	# What has a set-user-ID bit is copied.
	mode=751 least=2 call=1 refused=0
	[ "$1" = append ] || mode=4755 least=3
	while [ $call -lt 100 ]; do
		rm -rf mark victim*
		cp "$1.old" victim && chmod $mode victim
		# shellcheck disable=SC2086
		INJECT_AT=$call INJECT_HOW=$2 INJECT_MARK=mark LD_PRELOAD=$shim \
			"$tool" victim $wanted >/dev/null 2>stderr
		status=$?
		[ -e mark ] || break
		found=$(state victim "$1.old" "$1.new")
		where="call $call: exit status $status, the file is $found"
		case $1,$2,$status,$found in
		*,error,1,old | *,half,1,old | *,late,1,old | *,nfs,1,old)
			cmp -s victim "$1.old" || echo "$where, but longer"
			refused=$((refused + 1))
			;;
		# A change in place is brought to its end; a copy is given up.
		append,end,143,new | copy,end,143,old | copy,end,143,new) ;;
		*,broken,1,old | *,broken,1,new) ;;
		*,kill,137,old | *,kill,137,new | *,torn,137,old | *,torn,137,new) ;;
		# Not data, or too little of it.
		*,half,0,new | *,torn,0,new | *,late,0,new | *,nfs,0,new) ;;
		*) echo "$where" ;;
		esac
		[ "$(stat -c %a victim)" = $mode ] || echo "$where; mode $(stat -c %a victim)"
		[ $status -ne 1 ] || [ "$(wc -l <stderr)" -eq 1 ] || echo "$where: not one line"
		[ $status -eq 137 ] || ! ls victim.btfenc* 2>/dev/null || echo "$where: is left"
		{ readelf -SW victim >/dev/null; } 2>&1
		call=$((call + 1))
	done >injected.log
	[ $((call - 1)) -ge $least ] || echo "only $((call - 1)) calls" >>injected.log
	case $2 in
	late | nfs) [ $refused -ge 2 ] || echo "only $refused refused" >>injected.log ;;
	esac
	[ ! -s injected.log ]
	outcome $? "elf_store: $1: $2 at each of $((call - 1)) calls" injected.log
}
for way in append copy; do
	for how in error half broken end kill torn late nfs; do
		injected $way $how
	done
done

# What another user has written before the end is not in a file with a set-user-ID bit.
foreign()
{
	choose "$1"
	call=1
	while [ $call -lt 100 ]; do
		rm -rf mark victim*
		cp "$1.old" victim && chmod 4777 victim
		# shellcheck disable=SC2086
		INJECT_AT=$call INJECT_HOW=foreign INJECT_FILE=$PWD/victim INJECT_MARK=mark LD_PRELOAD=$shim \
			"$tool" victim $wanted >/dev/null 2>stderr || cat stderr
		mode=$(stat -c %a victim)
		[ -e mark ] || break
		[ "$(od -An -c -j 9 -N 1 victim | tr -d ' ')" = '?' ] || mode=777
		[ "$mode" = 777 ] || echo "call $call: it has the other's byte, and mode $mode"
		call=$((call + 1))
	done >injected.log
	[ "$mode" = 4777 ] || echo "mode $mode without another" >>injected.log
	[ $call -gt 3 ] && [ ! -s injected.log ]
	outcome $? "elf_store: $1: another user writes at each of $((call - 1)) calls" injected.log
}
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$work" .
	foreign append
	foreign copy
else
	skip "elf_store: another user writes" "it takes root"
fi

# killed WAY COUNT: SIGKILL at moments from the start to a bit after the end.
killed()
{
	choose "$1"
	begin=$(date +%s%N)
	# shellcheck disable=SC2086
	for _ in 1 2 3 4 5; do cp "$1.old" victim && "$tool" victim $wanted; done
	spent=$((($(date +%s%N) - begin) / 5))
	awk -v count="$2" -v spent=$spent 'BEGIN {
		srand(count)
		for (i = 0; i < count; i++)
			printf "%.6f\n", 0.0005 + rand() * spent * 1.2 / 1e9
	}' >moments
	while read -r moment; do
		rm -f victim*
		cp "$1.old" victim
		# In the foreground it is not killed itself, and waits until the program is gone.
		# shellcheck disable=SC2086
		timeout --foreground -s KILL "$moment" "$tool" victim $wanted
		found=$(state victim "$1.old" "$1.new")
		[ "$found" != old ] || cmp -s victim "$1.old" || found='old with a tail'
		echo "$found"
		{ readelf -SW victim >/dev/null; } 2>&1
	done <moments 2>/dev/null | sort | uniq -c | sort -rn >outcomes
	summary=$(awk '{ printf "%s%s", (NR > 1 ? "," : ""), $0 }' outcomes | tr -s ' ')
	lacks_line ' (old|old with a tail|new)$' outcomes -vE
	outcome $? "elf_store: $1: killed at $2 moments:$summary"
}
undisturbed 4000000
killed append 200
killed copy 50

# ---- several at once ----

cp vmlinux shared
for i in 1 2 3 4 5 6 7 8; do
	head -c 3000000 /dev/urandom >"data.$i"
	"$tool" shared ".BTF=data.$i" 2>>shared.log &
done
wait
one_of_them()
{
	for i in 1 2 3 4 5 6 7 8; do
		has shared .BTF "data.$i" && return
	done
	return 1
}
expect "elf_store: eight at once: one of them is last" one_of_them
expect "elf_store: eight at once: all are done" test ! -s shared.log

wait $waiting
not_waited()
{
	cat lock.log && cmp locked vmlinux && grep -q 'has had it locked for 10 seconds; ' lock.log
}
expect "elf_store: another program's lock is not waited for without end" not_waited
