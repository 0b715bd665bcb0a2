#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# docs/kernel-build.md, "Interruptions, full disks and power loss", for `encode -o OUT` with its
# side files (tests/elf_store.sh: for a change in place): errors and SIGKILL at each call that
# changes a file, pairs that do not belong together, several runs on one OUT, a full disk, and where
# the program writes at all.
# shellcheck disable=SC2016,SC1003 # for inner shells, sed and tr
. tests/lib.sh

source=$PWD
cd "$work" || exit 1
new_image=$FIXTURES/gcc12-dwarf5/vmlinux old_image=
for variant in gcc11-dwarf5 clang19-dwarf5 clang14-dwarf5; do
	[ ! -s "$FIXTURES/$variant/vmlinux" ] || old_image=$FIXTURES/$variant/vmlinux
done
if [ -z "$old_image" ]; then
	skip "interrupt" "$(not_installed clang-19)"
	exit 0
fi
features=+func_secinfo=inline,+inline
mkdir old new
"$BTFENC" encode --features $features -o old/out "$old_image" &&
	"$BTFENC" encode --features $features -o new/out "$new_image" || exit 1
expect "interrupt: the two differ in each file" sh -c 'for f in out out.inline out.extra; do
	test -s old/$f && test -s new/$f && ! cmp -s old/$f new/$f || exit 1; done'

# ---- pairs ----

# refuses NAME FILE COMMAND...: status 3, and a line with the file.
refuses()
{
	refused_name=$1 refused_file=$2
	shift 2
	"$BTFENC" "$@" >stdout 2>stderr
	status=$?
	{ echo "exit status $status"; cat stderr; } >wrong
	[ $status -eq 3 ] && [ "$(grep -c . stderr)" -eq 1 ] &&
		grep -qE "^btfenc: .*$refused_file.*(was made with another BTF|does not fit)" stderr
	outcome $? "interrupt: $refused_name" wrong
}

mkdir pair
# The same types and sites; only the name of one type differs, and nothing else could tell.
LC_ALL=C sed 's/bits_then_enum/bits_then_Enum/g' "$new_image" >near-image
"$BTFENC" encode --features +func_secinfo=inline -o pair/out near-image
"$BTFENC" encode --features +func_secinfo=inline -o pair/other "$new_image"
expect "interrupt: OUT.extra but for its id is the same" \
	cmp -i 40:40 pair/out.extra pair/other.extra
objcopy --add-section .BTF=pair/out --add-section .BTF.extra=pair/other.extra \
	--remove-section .debug_info "$new_image" pair/elf
cp pair/other.extra pair/out.extra
for command in check dump 'explain keep_all' 'list -f'; do
	file=pair/out
	case $command in check | dump) file=pair/out.extra ;; esac
	# shellcheck disable=SC2086 # words
	{
		refuses "${command%% *}: OUT.extra of another OUT" out.extra $command $file
		refuses "${command%% *}: .BTF.extra of another .BTF" .BTF.extra $command pair/elf
	}
done
cp old/out.inline pair/out.inline && cp new/out pair/out && rm pair/out.extra
refuses "explain: OUT.inline of another OUT" out.inline explain keep_all pair/out
# Without an id, as earlier versions wrote it: what can be seen is looked at.
python3 - new/out.extra pair/other.extra <<'EOT' && cp new/out pair/other && cp new/out.inline pair/other.inline &&
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
data[32:40] = bytes(8)
open(sys.argv[2], 'wb').write(data)
EOT
expect "interrupt: OUT.extra without an id" "$BTFENC" explain keep_all pair/other

# ---- each call ----

# "--root none": without the 120,000 symbols of the running kernel.

shim=$work/file_calls.so
built "interrupt: the library that makes calls fail" "$shim" \
	-shared -fPIC "$source/tests/inject/file_calls.c" -ldl

# state FILE
state()
{
	if [ ! -e "at/$1" ]; then
		echo none
	elif cmp -s "at/$1" "old/$1"; then
		echo old
	elif cmp -s "at/$1" "new/$1"; then
		echo new
	else
		echo broken
	fi
}

# injected HOW [ERRNO MESSAGE]
injected()
{
	call=1 unchanged=0
	while [ $call -lt 100 ]; do
		rm -rf mark at && mkdir at && cp -r old/. at
		env INJECT_AT=$call INJECT_HOW="$1" INJECT_MARK=mark LD_PRELOAD="$shim" \
			${2:+INJECT_ERRNO=$2} "$BTFENC" encode -j1 --features $features -o at/out "$new_image" \
			>/dev/null 2>stderr
		status=$?
		[ -e mark ] || break
		found="$(state out) $(state out.inline) $(state out.extra)"
		where="call $call: exit status $status, $found"
		case $1,$status,$found in
		# A signal between two renames waits for the last one.
		*,0,'new new new' | end,143,'new new new') ;;
		late,3,'old old old' | nfs,3,'old old old' | error,3,'old old old' | half,3,'old old old' | broken,3,'old old old' | end,143,'old old old')
			unchanged=$((unchanged + 1))
			;;
		# A rename failed, or the process was killed between two: no side files, but never others.
		error,3,*' none' | half,3,*' none' | broken,3,*' none' | kill,137,* | torn,137,*)
			case $found in
			'old '*new* | 'new '*old* | *broken*) echo "$where" ;;
			esac
			;;
		*) echo "$where" ;;
		esac
		[ $status -ne 3 ] || [ "$(wc -l <stderr)" -eq 1 ] || echo "$where: not one line"
		# What is new is said, and what is gone; or nothing was written.
		case $status,$found in
		'3,new '*) grep -q '; at/out is new' stderr ;;
		'3,old none '* | '3,old '*' none') grep -q '; nothing was written, but .*at/out.* removed; ' stderr ;;
		3,*) lacks_line ' removed; |is new' stderr -E ;;
		esac || { echo "$where:" && cat stderr; }
		[ $status -ne 3 ] || [ -z "${3-}" ] || grep -q "$3" stderr || echo "$where: not $3"
		[ $status -eq 137 ] || ! ls at/*.btfenc* 2>/dev/null || echo "$where: is left"
		# Whatever is there can be read, and is one or the other.
		"$BTFENC" explain --root none keep_all at/out >/dev/null 2>explained || {
			echo "$where: explain:"
			cat explained
		}
		call=$((call + 1))
	done >injected.log
	[ $call -gt 9 ] || echo "only $((call - 1)) calls" >>injected.log
	case $1 in
	error | broken) [ $unchanged -ge 6 ] || echo "only $unchanged times all were left unchanged" >>injected.log ;;
	late | nfs) [ $unchanged -eq 3 ] || echo "$unchanged times all were left unchanged, not 3" >>injected.log ;;
	esac
	[ ! -s injected.log ]
	outcome $? "interrupt: $*: at each of $((call - 1)) calls" injected.log
}

injected error
injected error 122 'uota exceeded'
injected error 5 'I[a-z]*/[oO][a-z]* error'
for how in half broken end kill torn late nfs; do
	injected $how
done

# ---- files that cannot be mapped ----

# For want of address space (`ulimit -v`), or by a file system: they are read, and pages of what was
# read are not the file's, to be given back and read again.
for variant in gcc12-dwarf5 gcc12-type-units gcc12-zdebug gcc12-i386 clang19-dwarf5 clang19-o3; do
	image=$FIXTURES/$variant/vmlinux
	[ -s "$image" ] || continue
	rm -rf at && mkdir at
	"$BTFENC" encode --features $features -o at/out "$image" 2>at/log
	for jobs in 1 2 4; do
		INJECT_HOW=unmapped LD_PRELOAD="$shim" "$BTFENC" encode -j$jobs --features $features \
			-o at/read "$image" 2>at/read.log || echo "$variant: exit status $?"
		for suffix in '' .inline .extra; do
			cmp "at/out$suffix" "at/read$suffix" || echo "$variant: -j$jobs"
		done
		cmp at/log at/read.log || cat at/read.log
	done
done >unmapped.log 2>&1
[ ! -s unmapped.log ]
outcome $? "interrupt: files that cannot be mapped: the same BTF" unmapped.log

# ---- a real full disk ----

mkdir full
if mount -t tmpfs -o size=100k tmpfs full 2>/dev/null; then
	cp old/* full
	head -c 100k /dev/zero >full/filler 2>/dev/null
	"$BTFENC" encode --features $features -o full/out "$new_image" 2>stderr
	expect "interrupt: a full disk: exit status" test $? -eq 3
	expect "interrupt: a full disk: a line" grep -q '^btfenc: full/out[.a-z]*: cannot write: No space left' stderr
	rm full/filler
	expect "interrupt: a full disk: all files are as they were" diff -r old full
	umount full
else
	skip "interrupt: a full disk" "no tmpfs can be mounted"
fi

# ---- several runs on one OUT ----

rm -rf at && mkdir at
for round in 1 2 3 4 5 6 7 8; do
	for image in "$old_image" "$new_image" "$old_image" "$new_image"; do
		"$BTFENC" encode -j1 --features $features -o at/out "$image" 2>>at.log &
	done
	wait
	find at -type f ! -name out ! -name out.inline ! -name out.extra
	found=$(state out)
	case $found in
	old | new) ;;
	*) echo "round $round: OUT is $found" ;;
	esac
	# Side files of the other run are refused, and not believed.
	if [ "$found $found $found" = "$(state out) $(state out.inline) $(state out.extra)" ]; then
		"$BTFENC" explain --root none keep_all at/out >/dev/null 2>explained || cat explained
	else
		"$BTFENC" explain --root none keep_all at/out >explained 2>&1 && [ "$(state out.extra)" != none ] && [ "$(state out.extra)" != "$found" ] &&
			echo "round $round: $(state out) $(state out.inline) $(state out.extra) is believed"
	fi
done >concurrent.log
[ ! -s at.log ] || cat at.log >>concurrent.log
[ ! -s concurrent.log ]
outcome $? "interrupt: several runs on one OUT" concurrent.log

# ---- where it writes ----

if have strace "interrupt: where it writes"; then
	rm -rf at && mkdir at && cp "$new_image" at/image
	: >calls
	for arguments in "encode --features $features -o at/out at/image" 'encode at/image' \
		'check at/out' 'dump at/out' 'stats --functions at/list at/image' \
		'diff -o at/report at/list at/list' 'explain keep_all at/out' 'list -f at/image'; do
		# shellcheck disable=SC2086 # words
		strace -f -y -qq -o trace -e trace=open,openat,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,connect,socket,execve \
			"$BTFENC" $arguments >/dev/null 2>&1
		cat trace >>calls
	done
	grep -E 'O_(WRONLY|RDWR|CREAT)|unlink|rename|mkdir|link|truncate' calls |
		grep -v '"at/\|["<]'"$PWD"'/at/' >elsewhere
	expect "interrupt: nothing is written but next to the outputs" test ! -s elsewhere
	grep O_CREAT calls >created
	expect "interrupt: files are created" test "$(wc -l <created)" -ge 5
	expect "interrupt: each by O_EXCL and mode 0600" lacks_line 'O_EXCL.*0600' created -v
	sed 's/.*"\([^"]*\)".*/\1/' created >names
	expect "interrupt: each has another name" test -z "$(sort names | uniq -d)"
	sed -n 's/.*\.btfenc//p' names >suffixes
	expect "interrupt: six characters that differ" sh -c 'test $(wc -l <suffixes) -ge 5 &&
		! grep -vxE "[a-zA-Z0-9]{6}" suffixes && test $(sort -u suffixes | wc -l) -eq $(wc -l <suffixes)'
	expect "interrupt: no network and no other program" test -z \
		"$(grep -c 'socket(\|connect(' calls | grep -v '^0$')" -a "$(grep -c execve calls)" = 8
fi

# ---- a sandbox ----

page=$source/docs/security.md
rm -rf at && mkdir at
sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```' >example
expect "interrupt: docs/security.md has an example" grep -q '^bwrap ' example
if have bwrap "interrupt: the example of docs/security.md" &&
	if bwrap --unshare-all --ro-bind / / true 2>bwrap.log; then true; else
		skip "interrupt: the example of docs/security.md" "$(head -n 1 bwrap.log)"
		false
	fi; then
	export BTFENC VMLINUX="$new_image" OUT="$PWD/at"
	expect "interrupt: the example of docs/security.md" sh example
	"$BTFENC" encode -o plain "$new_image"
	expect "interrupt: the same BTF" cmp plain at/vmlinux.btf
	# The filter: each system call of the page, of this machine; the others kill the process, or get EPERM.
	sed -n '/^```text$/,/^```$/p' "$page" | grep -v '^```' | tr -s ' \n' '\n' >allowed
	if [ "$(uname -m)" = x86_64 ] && have python3 "interrupt: seccomp"; then
		# shellcheck disable=SC2016 # Python's
		echo '#include <sys/syscall.h>' | gcc -E -dM - | grep '^#define __NR_' >numbers
		cat >filter.py <<'EOT'
import struct, sys
numbers = {l.split()[1][5:]: int(l.split()[2]) for l in open(sys.argv[2]) if l.split()[2].isdigit()}
allowed = [numbers[n] for n in open(sys.argv[1]).read().split()]
ins = lambda code, jt, jf, k: struct.pack('<HBBI', code, jt, jf, k)
with open(sys.argv[3], 'wb') as out:
    out.write(ins(0x20, 0, 0, 0))                       # the number
    for n in allowed:
        out.write(ins(0x15, 0, 1, n) + ins(0x06, 0, 0, 0x7fff0000))
    out.write(ins(0x06, 0, 0, int(sys.argv[4], 16)))
EOT
		python3 filter.py allowed numbers filter 80000000
		sed 's/^bwrap /bwrap --as-pid-1 --seccomp 3 /' example >filtered
		rm -f at/*
		expect "interrupt: with a filter of system calls" sh -c '. ./filtered 3<filter'
		expect "interrupt: the same BTF with it" cmp plain at/vmlinux.btf
		# .BTF in a segment, as the kernel's link makes it.
		echo 'struct here { int member; }; int main(void) { struct here here = { 0 }; return here.member; }' >linked.c
		echo 'SECTIONS { .BTF : { KEEP(*(.BTF)) } } INSERT AFTER .rodata;' >lds
		: >empty.c
		expect "interrupt: a program is linked" sh -c 'gcc -g -c linked.c && gcc -c empty.c -o room.o &&
			objcopy --add-section .BTF=plain --set-section-flags .BTF=alloc,readonly room.o &&
			gcc -o linked linked.o room.o -Wl,-T,lds'
		for what in 'encode --features +inline,+func_secinfo,+global_var -o /out/all /in/vmlinux' \
			'check /out/all' 'dump /out/all' 'stats --functions /out/list /in/vmlinux' \
			'diff --types /out/all /out/all' 'diff /out/list /out/list' \
			'explain keep_all /in/vmlinux' 'explain keep_all /out/all' 'list -f /in/vmlinux' \
			'encode /out/linked' 'encode /out/linked -j1' 'stats -' \
			'encode -b /out/vmlinux.btf -o /out/split /out/linked'; do
			case $what in
			'encode /out/linked')
				# A copy takes its place, with its attribute.
				cp linked at/linked
				python3 -c 'import os; os.setxattr("at/linked", b"user.note", b"kept")' 2>/dev/null
				;;
			*-j1)
				# Another process has it locked for a moment.
				flock at/linked sleep 0.3 &
				;;
			esac
			sed "s|encode -o.*|$what|; s|^bwrap |&--proc /proc --dev /dev |" filtered >other
			if [ "$what" = 'stats -' ]; then
				cat "$new_image"
			fi | sh -c '. ./other 3<filter' >log 2>&1
			outcome $? "interrupt: with the filter: $what" log
		done
		for call in ioctl getcwd; do
			grep -vx $call allowed >less
			python3 filter.py less numbers filter 00050001
			# getcwd() is of a name that does not begin with /.
			sed 's|^bwrap |&--chdir /out |; s|-o /out/|-o |' filtered >other
			expect "interrupt: $call() may be refused" sh -c '. ./other 3<filter'
		done
		grep -vx ioctl allowed >less
		python3 filter.py less numbers filter 80000000
		sh -c '. ./filtered 3<filter' >log 2>&1
		expect "interrupt: without ioctl() it is killed" test $? -eq 159
		# It is a filter: a call that is missing in it fails.
		grep -vx rename allowed >less
		python3 filter.py less numbers filter 00050001
		rm -f at/*
		sh -c '. ./filtered 3<filter' >log 2>&1
		expect "interrupt: it is one: without rename() nothing is written" sh -c \
			'grep -q "cannot write: Operation not permitted" log && test -z "$(ls -A at)"'
	fi
fi
