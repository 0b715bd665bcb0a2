#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# The command line as a table: what a command prints, and its exit status.
# Status 0 done, 1 the answer is no, 2 usage, 3 failure; a failure is exactly one line on stderr.
. tests/lib.sh

run_group=cli
image=$FIXTURES/gcc12-dwarf5/vmlinux
files=$work/files
mkdir "$files" && cd "$files" || exit 1
cp "$image" vmlinux
objcopy --strip-debug vmlinux no-debug
strip -o stripped vmlinux
: >empty
mkdir directory
head -c 40 vmlinux >cut-in-header
head -c 3000 vmlinux >cut-early
head -c $(($(wc -c <vmlinux) * 3 / 4)) vmlinux >cut-late
echo "an old file" >old
awk 'BEGIN { for (i = 0; i < 100; i++) print "not an ELF file" }' >text
"$BTFENC" encode -o good vmlinux || exit 1
head -c 700 good >cut-btf

run "no arguments" 2 '' 'usage: btfenc COMMAND*'
run "--help" 0 'usage: btfenc COMMAND*btfenc encode *btfenc check *btfenc dump *' '' --help
run "--version" 0 'btfenc [0-9]*' '' --version
run "unknown command" 2 '' "btfenc: 'make' is not a command; see btfenc --help" make
run "a command with an error" 2 '' "btfenc: 'encod' is not a command; near encod is encode; see btfenc --help" encod

run "help" 0 'usage: btfenc COMMAND*btfenc encode *' '' help
run "help of a command" 0 'usage: btfenc diff *' '' help diff
run "help --help" 0 'usage: btfenc COMMAND*' '' help --help
run "help of what is no command" 2 '' "btfenc: 'make' is not a command; see btfenc --help" help make
for command in $("$BTFENC" help | sed -n 's/^  btfenc \([a-z]*\) .*/\1/p'); do
	[ "$command" = help ] && continue
	"$BTFENC" "$command" --help >wanted
	expect "cli: help $command is $command --help" sh -c "'$BTFENC' help $command | cmp - wanted"
done
rm wanted

run "encode --help" 0 'usage: btfenc encode *features:*enum64*' '' encode --help
expect "cli: encode: options after FILE, whatever the C library would do" \
	env POSIXLY_CORRECT=1 "$BTFENC" encode vmlinux -j 2 -o after
expect "cli: encode: options after FILE: the same BTF" cmp good after
cp good ./-j
run "check: operands before and after --" 0 'good: *-j: *' '' check good -- -j
rm after ./-j

cp vmlinux in-place
cp vmlinux itself
ln -s itself symlink-to-itself
refusals 2 encode <<'EOT'
unknown long option|encode: --what is not an option; see *|--what -o out vmlinux
an option with an error|encode: --jbs=3 is not an option; near jbs is jobs; see *|--jbs=3 -o out vmlinux
unknown short option|encode: -z is not an option; see *|-z -o out vmlinux
-o without a name|encode: -o needs an argument; see *|vmlinux -o
no file|encode: no FILE is given; see *|-o out
-o and two files|encode: out cannot take the BTF of more than one *|-o out vmlinux vmlinux
-j text|encode: -j needs a number up to 256, not 'x'; *|-jx -o out vmlinux
-j text, apart|encode: -j needs a number up to 256, not 'x'; *|-j x in-place
-j negative|encode: -j needs a number *, not '-1'; *|-j-1 -o out vmlinux
-j too big|encode: -j needs a number *, not '257'; *|-j 257 -o out vmlinux
unknown language|encode: unknown language in 'cobol'; *|--lang-exclude cobol -o out vmlinux
over its own input|encode: OUT is FILE itself*|-o symlink-to-itself itself
EOT
for feature in nope func_secinfo=what inline=inline; do
	run "encode: unknown feature $feature" 2 '' \
		"btfenc: *'$feature' is unknown; known are default, all, *" \
		encode --features="var,$feature" -o out vmlinux
done
expect "cli: nothing was encoded in place" cmp vmlinux in-place
expect "cli: the input is still there" cmp vmlinux itself
run "encode: -j before a file" 0 '' '' encode -j in-place
expect "cli: that was" sh -c '! cmp -s vmlinux in-place'
run "pahole: an option that is refused" 2 '' "btfenc: *-X is not supported in pahole's place; *" -J -X c vmlinux
run "encode: a newline in an argument" 2 '' 'btfenc: *not a?command*' "not a
command"
refusals 3 encode <<'EOT'
missing file|missing: *No such file or directory*|-o out missing
text|text: is not an ELF file; *|-o out text
empty file|empty: is empty; *|-o out empty
directory|directory: is not a regular file; *|-o out directory
no debug sections|no-debug: has no DWARF*; *|-o out no-debug
stripped|stripped: has no DWARF*; *|-o out stripped
output into a missing directory|nowhere/out: *No such file*|-o nowhere/out vmlinux
output is a directory|*directory: cannot write: Is a directory*|-o directory vmlinux
output is full|/dev/full: cannot write: No space left*|-o /dev/full vmlinux
cut in the ELF header|cut-in-header: is truncated: it ends in its ELF header; *|-o out cut-in-header
cut early|cut-early: is truncated: *|-o out cut-early
cut late|cut-late: is truncated: *|-o out cut-late
EOT
expect "cli: none of these wrote a file" test ! -e out
echo 'ffffffff81000000 T _text' >System.map
run "explain: a list of symbols" 3 '' 'btfenc: System.map: is a list of symbols, which has no types; give a *' \
	explain vfs_read System.map
for text in deadbeef 'deadbeef is text'; do
	echo "$text" >words
	run "explain: $text" 3 '' 'btfenc: words: is not an ELF file; *' explain vfs_read words
done
[ ! -r /proc/uptime ] || run "explain: a file of /proc" 3 '' 'btfenc: /proc/uptime: is not an ELF file; *' \
	explain vfs_read /proc/uptime
for command in check dump 'list -f' 'explain vfs_read' 'explain struct sock'; do
	# shellcheck disable=SC2086 # words
	run "$command: FILE is its own base" 3 '' \
		'btfenc: ./good: cannot be its own base; give --base the BTF that it is split from, or leave that out' \
		$command ./good -b good
done
run "encode: raw BTF" 3 '' 'btfenc: good: is raw BTF, and has no DWARF; *' encode good
run "stats: raw BTF" 0 '*WHERE THE BYTES ARE*LARGEST TYPES*' '' stats good
for suffix in xz zst gz; do
	case $suffix in
	xz) magic='\3757zXZ\0' ;;
	zst) magic='\050\265\057\375' ;;
	gz) magic='\037\213' ;;
	esac
	# shellcheck disable=SC2059 # it is meant as a format
	printf "$magic and more" >module.ko.$suffix
	for command in encode stats 'explain main' check dump; do
		# shellcheck disable=SC2086 # words
		run "$command: .ko.$suffix" 3 '' \
			"btfenc: module.ko.$suffix: cannot open: what is packed in it is damaged or cut off; copy it again; *" \
			$command module.ko.$suffix
	done
done
mkfifo fifo
for command in 'encode -o out' stats 'explain main'; do
	# shellcheck disable=SC2086 # words
	run "$command: a FIFO" 3 '' 'btfenc: fifo: is not a regular file; *' $command fifo
done

# What is read from front to back may be a FIFO, but nothing waits for ever for a writer.
"$BTFENC" encode -o some.btf vmlinux
i=0
while IFS= read -r arguments; do
	i=$((i + 1))
	mkfifo fifo$i
	# shellcheck disable=SC2046 # words
	{
		timeout 60 "$BTFENC" $(echo "$arguments" | sed "s/FIFO/fifo$i/") >waited$i 2>&1 </dev/null
		echo "exit status $?" >>waited$i
	} &
done <<'EOT'
check FIFO
check -b FIFO some.btf
dump FIFO
dump -b FIFO some.btf
diff FIFO vmlinux
diff vmlinux FIFO
diff --allow FIFO vmlinux vmlinux
diff --old-base FIFO vmlinux vmlinux
list -b FIFO -f some.btf
stats -b FIFO vmlinux
encode -b FIFO -o out vmlinux
explain -b FIFO main some.btf
EOT
# Meanwhile: one whose writer takes longer than that, and one that nobody reads.
mkfifo fifo.slow fifo.unread
{
	"$BTFENC" encode -o fifo.unread vmlinux >unread.log 2>&1
	echo "$?$(cat unread.log)" >unread
} &
{ sleep 6; cat some.btf; } >fifo.slow &
"$BTFENC" dump fifo.slow >out.slow 2>&1 &
wait
while [ $i -gt 0 ]; do
	printf 'btfenc: fifo%d: is a FIFO that no program writes to; check the name and the permissions\nexit status 3\n' \
		$i >wanted
	expect "cli: a FIFO without a writer, $i" cmp wanted waited$i
	rm fifo$i waited$i
	i=$((i - 1))
done
for command in check dump; do
	cat some.btf >fifo &
	"$BTFENC" $command fifo 2>&1 | sed 's/^fifo/some.btf/' >out.fifo
	wait
	expect "cli: $command: a FIFO with a writer" sh -c "'$BTFENC' $command some.btf | cmp - out.fifo"
done
expect "cli: encode: a FIFO that no program reads" grep -qx \
	'3btfenc: fifo.unread: cannot write: No such device or address; have a program read it' unread
{ sleep 1; timeout 60 cat fifo >from.fifo; } &
run "encode: a FIFO with a reader" 0 '' '' encode -o fifo vmlinux
wait
expect "cli: encode: what was read from the FIFO" cmp some.btf from.fifo
sed 's/^fifo.slow/some.btf/' out.slow >out.renamed
expect "cli: a FIFO with a slow writer" cmp out.fifo out.renamed
rm some.btf out.* fifo.* unread*

units=$("$BTFENC" encode -v -o /dev/null vmlinux 2>&1 | sed -n 's/^vmlinux: \([0-9]*\) units.*/\1/p')

# A name that BTF cannot hold costs the name.
LC_ALL=C sed 's/bits_then_enum/bits>then_enum/' vmlinux >bad-name
no_name="*warning: bad-name: 1 names, members, elements or lengths cannot be expressed in BTF*'bits>then_enum'*"
run "encode: a name that the kernel would reject" 0 '' "$no_name" encode -o left bad-name
"$BTFENC" dump left >left.dump
expect "cli: the other units are kept" grep -q list_head left.dump
expect "cli: the bad type is gone" lacks_line then_enum left.dump
run "encode --strict: no unit is lost by a name" 0 '' "$no_name" encode --strict -o out bad-name

run "encode: into /dev/null" 0 '' '' encode -o /dev/null vmlinux
expect "cli: /dev/null is still a device" test -c /dev/null
"$BTFENC" encode -o /dev/stdout vmlinux | cat >piped
expect "cli: /dev/stdout gets the same bytes" cmp good piped
run "encode: -v" 0 '' "*: $units units *types*STRUCT *functions:*ok *" encode -v -o out vmlinux
expect "cli: -v changes nothing" cmp good out
run "encode: -j0, other spellings" 0 '' '' encode --jobs=0 --output=out2 -- vmlinux
expect "cli: -j0 gives the same bytes" cmp good out2

# A failure must not touch the contents, nor the inode that others may have open.
cp old before
for bad in cut-late no-debug text; do
	"$BTFENC" encode -o old $bad 2>/dev/null
	expect "cli: a failure leaves the old output alone ($bad)" cmp before old
done
(
	trap '' XFSZ
	ulimit -f 1
	exec "$BTFENC" encode -o old vmlinux
) >stdout 2>stderr
[ $? -eq 3 ] && [ "$(wc -l <stderr)" -eq 1 ] && cmp -s before old
outcome $? "cli: a full disk leaves the old output alone" stderr
(
	ulimit -f 1
	exec "$BTFENC" encode -o old vmlinux
) >stdout 2>stderr
expect "cli: a limit on file sizes: exit status" test $? -eq 3
expect "cli: a limit on file sizes: a line" same_text stderr - <<'EOT'
btfenc: old: cannot write: File too large; nothing was written; raise the limit on file sizes (ulimit -f)
EOT
expect "cli: a limit on file sizes leaves the old output alone" cmp before old
for out in directory missing/out; do
	"$BTFENC" encode -o $out vmlinux && echo "$out: written"
done >stdout 2>stderr
expect "cli: outputs that cannot be written, and what to do" same_text stderr - <<'EOT'
btfenc: directory: cannot write: Is a directory; nothing was written; give the name of a file
btfenc: missing/out: cannot create a file next to it: No such file or directory; nothing was written; check that its folder is there
EOT
expect "cli: none of them is written" test ! -s stdout
(
	ulimit -f 1
	exec "$BTFENC" dump good >dumped
) 2>stderr
expect "cli: a limit on file sizes: dump" grep -qx 'btfenc: standard output: cannot write all of it; is it closed, or the disk full?' stderr
mkdir no-leftovers
for bad in cut-late text vmlinux; do
	"$BTFENC" encode -o no-leftovers/out $bad 2>/dev/null
done
expect "cli: no file is left but the output" test "$(ls -A no-leftovers)" = out

# Replacing keeps the permissions and follows a symbolic link.
echo old >linked
chmod 640 linked
ln -s linked link
run "encode: through a symbolic link" 0 '' '' encode -o link vmlinux
expect "cli: the link is still one" test -L link
expect "cli: what it names was replaced" cmp good linked
expect "cli: with its permissions" test "$(stat -c %a linked)" = 640

# What is next to OUT: only what an earlier run wrote there is removed, and only files are written.
mkfifo side.extra side.inline
run "encode: OUT.extra is a FIFO, and not wanted" 0 '' '' encode -o side vmlinux
for feature in func_secinfo inline; do
	case $feature in inline) name=side.inline ;; *) name=side.extra ;; esac
	run "encode: $name is a FIFO" 3 '' "btfenc: $name: is not a regular file; remove it*" \
		encode --features +$feature -o side vmlinux
done
expect "cli: they are still FIFOs" test -p side.extra -a -p side.inline
rm side.extra side.inline
printf '\237\353 and more' >side.extra
cp good side.inline
cp side.extra own
run "encode: OUT.extra and OUT.inline of the user" 0 '' '' encode -o side vmlinux
expect "cli: the one that only begins like BTF is kept" cmp own side.extra
expect "cli: the one that is BTF is kept" cmp good side.inline
rm side.inline
run "encode: with records" 0 '' '' encode --features +func_secinfo,+inline -o side vmlinux
expect "cli: they are there" test -s side.extra -a -s side.inline
run "encode: and without" 0 '' '' encode -o side vmlinux
expect "cli: records of an earlier run are gone" test ! -e side.extra -a ! -e side.inline

# Who reads the warnings may go (`| head`): all files are encoded nevertheless.
for name in one two three; do
	cp bad-name $name
done
{
	"$BTFENC" encode -j1 one two three 2>&1
	echo $? >status
} | :
for name in one two three; do
	# shellcheck disable=SC2016 # of that shell
	expect "cli: nobody reads what is printed: $name" sh -c '"$1" check "$2" >check.log' sh "$BTFENC" $name
done
expect "cli: nobody reads what is printed: exit status" test "$(cat status)" = 0

# A list is read up to its first NUL, and of a file of 3 GiB of zeros no more than that.
truncate -s 3G hole
"$BTFENC" encode --features +func_secinfo -o sites vmlinux
printf 'name\tsymbol\tverdict\treasons\tprototype\n' >list
cp list long-hole && truncate -s 3G long-hole
for arguments in 'diff long-hole long-hole' 'diff --allow hole list list' 'explain --symbols hole keep_all sites'; do
	(
		limit_memory 300000
		# shellcheck disable=SC2086 # words
		exec "$BTFENC" $arguments
	) >stdout 2>stderr
	expect "cli: $arguments: status" test $? = 3
	expect "cli: $arguments" grep -q '^btfenc: [a-z-]*hole: .*\(has zero bytes\|has a NUL\)' stderr
done
rm hole long-hole

run "check --help" 0 'usage: btfenc check *' '' check --help
refusals 2 check <<'EOT'
no file|check: no FILE is given; see btfenc check --help|
unknown option|check: --what is not an option; see btfenc check --help|--what good
--base without a file|check: --base needs an argument; see btfenc check --help|--base
-b without a file|check: -b needs an argument; see *|good -b
too many bases|check: there are more than 8 bases (9); *|-b1 -b2 -b3 -b4 -b5 -b6 -b7 -b8 -b9 good
EOT
run "check: good" 0 'good: [0-9]* types, no errors' '' check good
run "check: missing file" 3 '' 'btfenc: missing: *No such file or directory*' check missing
run "check: no BTF in the ELF file" 3 '' 'btfenc: vmlinux: has no .BTF section; *' check vmlinux
run "check: not BTF" 3 '' 'btfenc: text: not BTF *' check text
run "check: empty file" 3 '' 'btfenc: empty: not BTF *' check empty
run "dump: a device without an end" 3 '' 'btfenc: /dev/zero: not BTF *' dump /dev/zero
run "check: directory" 3 '' 'btfenc: directory: cannot read: Is a directory*' check directory
run "check: cut" 3 '' 'btfenc: cut-btf: BTF header: *' check cut-btf
objcopy --add-section .BTF=good vmlinux with-btf
run "check: the .BTF section of an ELF file" 0 'with-btf: [0-9]* types, no errors' '' \
	check with-btf
# The kind of the first record becomes 127.
cp good bad-kind
printf '\177' | dd of=bad-kind bs=1 seek=31 conv=notrunc 2>/dev/null
run "check: unknown kind" 1 'bad-kind: \[1\] *bad-kind: 1 error, [0-9]* warning*' '' check bad-kind

run "check: several files" 0 'good: * no errors*with-btf: * no errors' '' check good with-btf
run "check: several files: the worst counts" 1 'bad-kind: *good: *' '' check bad-kind good
run "check: one of several is not there" 3 'good: *bad-kind: *' 'btfenc: missing: *' \
	check good missing bad-kind
# Standard input: a file, a pipe, an ELF file through a pipe, in which one has to go back.
"$BTFENC" dump good >wanted
for file in good with-btf; do
	expect "cli: dump - <$file" sh -c "'$BTFENC' dump - <$file | cmp - wanted"
	expect "cli: cat $file | dump -" sh -c "cat $file | '$BTFENC' dump - | cmp - wanted"
done
expect "cli: check -" sh -c "cat with-btf | '$BTFENC' check - | grep -q 'types, no errors\$'"
expect "cli: stats -" sh -c "'$BTFENC' stats --functions - vmlinux >wanted &&
	cat vmlinux | '$BTFENC' stats --functions - - | cmp - wanted"
expect "cli: diff - OLD" sh -c "cat wanted | '$BTFENC' diff - vmlinux | grep -q 'no differences'"
# What a shell makes of <(cat vmlinux), and standard input by its name.
expect "cli: stats of a pipe" sh -c "cat vmlinux | '$BTFENC' stats --functions - /dev/fd/3 3<&0 | cmp - wanted"
expect "cli: stats /dev/stdin of a pipe" sh -c "cat vmlinux | '$BTFENC' stats --functions - /dev/stdin | cmp - wanted"
expect "cli: diff of a pipe" sh -c "cat vmlinux | '$BTFENC' diff /dev/fd/3 vmlinux 3<&0 | grep -q 'no differences'"
expect "cli: a type in a pipe" sh -c "cat good | '$BTFENC' explain --json struct absent /dev/fd/3 3<&0 | grep -q '\"found\": false'"
run "a pipe that is not there" 3 '' 'btfenc: /dev/fd/99: cannot read: *' check /dev/fd/99
expect "cli: standard input that is closed" sh -c "'$BTFENC' check - <&- 2>&1 | grep -q '^btfenc: standard input: cannot read: '"
# Files must not get their numbers: what is printed would go into them.
expect "cli: a list, with closed descriptors" sh -c "! '$BTFENC' stats --functions closed vmlinux <&- >&- 2>error &&
	grep -q '^btfenc: standard output: cannot write: Bad file descriptor' error && test ! -e closed"
rm -f closed error
# No text is dropped without a word.
while read -r command option; do
	run "$command $option twice" 2 '' "btfenc: $command: $option is given twice*; see btfenc $command --help" \
		"$command" "$option" one "$option" two
done <<-'EOT'
	check --kernel
	check --root
	diff --allow
	diff --output
	diff --old-base
	diff --new-base
	diff --old-modules
	diff --new-modules
	dump --machine
	explain --names
	explain --modules
	explain --module
	explain --extra
	explain --symbols
	explain --root
	list --file
	list --returns
	list --field
	list --module
	list --modules
	list --root
	stats --functions
	stats --modules
EOT
run "explain --running twice" 2 '' "btfenc: explain: --running is given twice: *" explain --running --running=two
run "diff - -" 2 '' 'btfenc: diff: standard input (-) is given twice; *' diff - -
rm wanted

# Who waits for more than a second sees what is done, on a terminal only; it is removed at the end.
if have_pty "cli: progress"; then
	"$BTFENC" stats --functions list vmlinux >stdout
	for seconds in 2 0; do
		mkfifo slow$seconds
		{ sleep $seconds; cat list; } >slow$seconds &
		python3 "$tests/terminal.py" "$BTFENC" diff slow$seconds vmlinux >seen$seconds &
	done
	mkfifo slow
	{ sleep 2; cat list; } >slow &
	"$BTFENC" diff slow vmlinux >stdout 2>stderr
	wait
	expect "cli: progress after 2 seconds" grep -qx '.*btfenc: reading.*x1b\[K' seen2
	expect "cli: no progress before" grep -qx '' seen0
	expect "cli: no progress without a terminal" cmp stderr /dev/null
	rm slow* list seen*
fi

run "dump --help" 0 'usage: btfenc dump *' '' dump --help
run "dump: no file" 2 '' 'btfenc: dump: no FILE is given; see btfenc dump --help' dump
run "dump: two files" 2 '' 'btfenc: dump: one FILE at a time, *' dump good good
run "dump: good" 0 "[[]1] *[[]2] *STRUCT 'list_head' *" '' dump good
run "dump: not BTF" 3 '' 'btfenc: text: not BTF *' dump text
run "dump: cut" 3 '' 'btfenc: cut-btf: BTF header: *' dump cut-btf
run "dump: stops at an unknown kind" 3 '*' 'btfenc: bad-kind: type 1: broken record; run: btfenc check bad-kind' \
	dump bad-kind
for command in check dump; do
	"$BTFENC" $command good 2>stderr >/dev/full
	[ $? -eq 3 ] && [ "$(wc -l <stderr)" -eq 1 ]
	outcome $? "cli: $command: a full disk is an error" stderr
done

# The list is a file of its own, which counts when all else is printed.
echo old >list.tsv
"$BTFENC" stats --functions list.tsv vmlinux 2>stderr >/dev/full
expect "cli: stats: a full disk: exit status" test $? -eq 3
expect "cli: stats: a full disk leaves the list alone" test "$(cat list.tsv)" = old

# Names of files, functions, types and units may have control characters: no terminal gets them.
escape=$(printf '\033')
cat >"un${escape}it.c" <<'EOT'
typedef void (*btf_trace_begun)(void *, struct item *, int);
struct item { int member; };
btf_trace_begun pointer;
int plain(struct item *item, int extra) __attribute__((noinline, section("se\033ction")));
int plain(struct item *item, int extra) { return item->member + extra; }
int na_esc_me(int x) { return x; }
int one_c1_(int x) { return x + 1; }
EOT
if gcc -w -g -O1 -c -o plain.o "un${escape}it.c" && nm plain.o | grep -q na_esc_me; then
	LC_ALL=C sed "s/na_esc_me/na${escape}[1m_me/; s/one_c1_/o$(printf '\302\233')_c1_/; s/btf_trace_begun/btf_trace_b${escape}gun/
		s/extra/ex${escape}ra/; s/member/mem${escape}er/; s/item/i${escape}em/" plain.o >"escape.o"
	cp escape.o "e${escape}.o"
	LC_ALL=C sed "s/list_head/list${escape}h\xc2\x9bd/" good >odd.btf
	expect "cli: odd names in BTF" sh -c '! cmp -s good odd.btf'
	: >raw
	# DEL, which JSON may have, and U+202E, which turns the text after it.
	LC_ALL=C sed "s/extra/ex\d127ra/; s/item/i\xe2\x80\xae/; s/btf_trace_begun/btf_trace_b\d127gun/" plain.o >delete.o
	# What is no UTF-8: bytes that go on, or are gone on with, alone, and half of a character.
	LC_ALL=C sed 's/extra/ex\x9bra/; s/item/i\xc2em/; s/member/mem\xe2\x80r/; s/na_esc_me/na_\xed\xa0\x80_me/
		s/btf_trace_begun/btf_trace_b\x85gun/' plain.o >lone.o
	LC_ALL=C sed 's/list_head/list\x9bhead/' good >lone.btf
	for file in escape.o "e${escape}.o" delete.o lone.o; do
		for arguments in "encode -v -o out.btf" stats "stats --json" "stats --functions -" \
			"explain plain" "explain plan" "explain $escape" "explain item.none" list \
			"explain --json plain" "list --format tsv" "list --format json" check dump \
			"diff good" "diff --types --show all plain.o" "diff --format markdown plain.o" \
			"diff --format json --types plain.o" "diff --format html --types plain.o"; do
			# shellcheck disable=SC2086 # words
			case $arguments in
			list*) "$BTFENC" $arguments -f "$file" ;;
			check) cp out.btf "out${escape}.btf" && "$BTFENC" check "out${escape}.btf" ;;
			dump) "$BTFENC" dump odd.btf && "$BTFENC" dump lone.btf ;;
			*) "$BTFENC" $arguments "$file" ;;
			esac >printed 2>&1
			LC_ALL=C grep -q -e "$escape" -e "$(printf '\302\233')" -e "$(printf '\177')" \
				-e "$(printf '\342\200\256')" printed && echo "$arguments"
			iconv -f UTF-8 -t UTF-8 printed >/dev/null || echo "$arguments: no UTF-8"
		done
	done >raw
	expect "cli: control characters of a file reach no terminal" test ! -s raw
	"$BTFENC" stats --functions list escape.o >printed
	expect "cli: a list that is not sorted after that" sh -c "'$BTFENC' diff list list | grep -q ': no differences'"
	"$BTFENC" list -f vmlinux keep_all "none${escape}[0m" >printed 2>&1
	expect "cli: nor do those of a name that list does not find" grep -q "nothing fits 'none?\[0m'" printed
	"$BTFENC" dump odd.btf >printed
	expect "cli: dump prints the others" env LC_ALL=C grep -q "'list?h.?d'" printed
	"$BTFENC" stats --functions - escape.o >printed
	expect "cli: and they were there" grep -q '^na?.1m_me' printed
	expect "cli: those of two bytes, too" env LC_ALL=C grep -q '?_c1_' printed
else
	skip "cli: control characters" "this compiler writes no such names"
fi

# Each option of a help text is one of the command's table.
for command in $("$BTFENC" --help | sed -n 's/^  btfenc \([a-z]*\) .*/\1/p'); do
	for option in $("$BTFENC" "$command" --help | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z-]+).*/\2/p'); do
		"$BTFENC" "$command" "$option" --no-such-option 2>&1 | grep -F -e "$option is not an option"
	done
done >"$work/unknown"
expect "cli: each command knows the options of its help text" test ! -s "$work/unknown"

# The tables of options against the completions: an option with an argument has words or files to
# offer in each of them, and each class of changes and machine is a word of both.
cd - >/dev/null || exit 1
for shell in bash zsh; do
	completion=man/btfenc.$shell
	for command in $("$BTFENC" --help | sed -n 's/^  btfenc \([a-z]*\) .*/\1/p'); do
		"$BTFENC" "$command" --help |
			sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z-]+)( |\[=)[[A-Z].*/\2/p'
	done | sort -u >"$work/options"
	tr -cs 'a-z0-9_-' '\n' <"$completion" | sort -u >"$work/words"
	expect "cli: $completion knows each option with an argument" \
		test -s "$work/options" -a -z "$(comm -23 "$work/options" "$work/words")"
	sed -n 's/^	X([A-Z_]*, "\([a-z-]*\)".*/\1/p' commands/diff/diff_class.h | sort -u >"$work/classes"
	expect "cli: $completion knows each class of changes" \
		test -s "$work/classes" -a -z "$(comm -23 "$work/classes" "$work/words")"
	"$BTFENC" dump --machine nothing good 2>&1 | sed 's/.*known are //; s/; see .*//' |
		tr -d ' ' | tr ',' '\n' | sort -u >"$work/machines"
	expect "cli: $completion knows each machine" \
		test -s "$work/machines" -a -z "$(comm -23 "$work/machines" "$work/words")"
done

# A program with a lease on the file gives way when it is asked to.
"$BTFENC" encode -o "$work/leased" "$image"
have python3 "cli: a file with a lease" && expect "cli: a file with a lease" python3 - "$work/leased" "$BTFENC" <<'EOT'
import fcntl, os, signal, subprocess, sys, time
file = os.open(sys.argv[1], os.O_RDWR)
def give_way(number, frame):
    time.sleep(0.3)
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
signal.signal(signal.SIGIO, give_way)
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
sys.exit(subprocess.call([sys.argv[2], "check", sys.argv[1]], stdout=subprocess.DEVNULL))
EOT
