#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# btfenc explain by records of sites: for the made-up kernel of tests/records_blob.c, with each kind
# of question and input; for the fixtures, compared with their DWARF; and btf_extra.h with its example.
# shellcheck disable=SC2016 # $retval is a word of tracefs
. tests/lib.sh
. tests/lib_explain.sh

says_group=records

root=$(pwd)
"$TEST_PROGRAMS/tool_records" "$work" || exit 1
cd "$work" || exit 1

# ---- what a function is ----

golden "records: a promised function" explain/a-promised-function explain whole kernel --symbols System.map
golden "records: a copy and its cold part" explain/a-copy-and-its-cold-part explain copied kernel --symbols System.map
golden "records: asked for by its symbol" explain/asked-for-by-its-symbol explain copied.isra.0 kernel --symbols System.map
golden "records: an outlined part does not return" explain/an-outlined-part-does-not-return explain parted kernel --symbols System.map
golden "records: inlined everywhere" explain/inlined-everywhere explain inlined kernel --symbols System.map
golden "records: namesakes are told by their distance" explain/namesakes-are-told-by-their-distance explain twice kernel --symbols System.map
golden "records: without a prototype" explain/without-a-prototype explain assembled kernel --symbols System.map
golden "records: freed after booting" explain/freed-after-booting explain starter kernel --symbols System.map
golden "records: a FUNC without a symbol" explain/a-func-without-a-symbol explain unseen kernel --symbols System.map
golden "records: a symbol without records" explain/a-symbol-without-records explain first kernel --symbols System.map
golden "records: a name near it" explain/a-name-near-it explain wole kernel --symbols System.map

# ---- addresses ----

golden "records: symbols of the running kernel" explain/symbols-of-the-running-kernel explain whole kernel --symbols kallsyms
golden "records: linked and running" explain/linked-and-running explain whole kernel --symbols System.map --running=kallsyms
awk '{ if ($3 ~ /isra|part|caller|assembled/) sub(/.$/, substr("4567", ++n, 1), $1); print }' \
	System.map >other
fails "symbols of another kernel" 3 \
	'other: these symbols belong to another kernel: of 6 functions .*; give --symbols the System.map' \
	whole kernel --symbols other
fails "running another kernel" 3 'other: these symbols belong to another kernel: .*; give --running ' \
	whole kernel --symbols System.map --running=other
sed 's/^[0-9a-f]*/0000000000000000/' kallsyms >hidden
fails "hidden addresses" 3 'hidden: all addresses are 0.*kptr_restrict.*--symbols System.map' \
	whole kernel --symbols hidden
fails "no such module" 3 'kallsyms: has no symbols of module absent: ' \
	whole kernel --symbols kallsyms --module absent
fails "the symbols of a module" 3 'no function .* compared .*; give --symbols the /proc/kallsyms' \
	whole kernel --symbols kallsyms --module other

# ---- hooks ----

# hooked NAME TABLE: the made-up kernel as an ELF file whose __mcount_loc is that.
hooked()
{
	{
		echo ".globl _start; _start: .org 0x40; .type whole, @function; whole: .skip 0x40"
		echo ".size whole, 0x40; .section .init.data, \"aw\"; .quad 1"
		echo "__start_mcount_loc: $2"
		echo "__stop_mcount_loc: .quad 1"
	} | gcc -x assembler -c -o hooked.o - &&
	ld -Ttext=0xffffffff81000000 -o "$1" hooked.o &&
	objcopy --add-section .BTF=kernel --add-section .BTF.extra=kernel.extra "$1"
}

hooked hooked ".quad whole + 4"
hooked notrace ".quad whole + 64"
hooked zeros ".quad 0"
says "a function with a hook" 0 'whole hooked' '^whole: yes, by fentry from 5.5 on, but not the one address' \
	'SEC("fentry/whole")'
says "a function without a hook" 0 'whole notrace' "^whole: not by fentry: it has no tracer's hook" \
	'!SEC(' 'p:whole whole bus='
says "hooks that relocations write" 0 'whole zeros' '^whole: yes, by fentry from 5.5 on where it has a hook, but'

# ---- modules ----

sed 's/$/	[some]/' System.map >module
says "a module's places" 0 'whole kernel --symbols module --module some' \
	'p:whole some:whole bus=%di:x64 ' 'p:whole_inline_1 some:caller+0x18 '
says "a module's namesakes are told by the address" 0 'twice kernel --symbols module --module some' \
	'p:twice_1 0xffffffff81000140 bus=' 'p:twice_inline_1 0xffffffff81000180 '
grep -v ' starter' module | sed '/_sinittext/d' >loaded
says "a module whose .init.text is gone" 0 'starter kernel --symbols loaded --module some' \
	'^starter: no: its code is in a section that is not there any more' '^  # .init.text+0x10: starter'
for function in whole:0x40 caller:0x100 twice:0x140 again:0x180; do
	echo ".org ${function#*:}; .type ${function%:*}, @function; ${function%:*}: .skip 0x40"
	echo ".size ${function%:*}, 0x40"
done | gcc -x assembler -c -o some-module.ko -
objcopy --redefine-sym again=twice --add-section .BTF=kernel --add-section .BTF.extra=kernel.extra \
	some-module.ko
says "a module that is not loaded" 0 'whole some-module.ko' '^whole: yes' '^  at .text+0x40: whole$' \
	'p:whole some_module:whole bus=%di:x64' \
	'p:whole_inline_1 some_module:caller+0x18 .*  # .text+0x118, in caller$'
says "namesakes of a module that is not loaded" 0 'twice some-module.ko' \
	'^twice: no: several functions have this name; do this instead:$' 'no probe: .*; give --running$' '!p:twice '
grep -v other kallsyms | sed 's/$/	[some_module]/' >running
says "namesakes of a module where it runs" 0 'twice some-module.ko --running=running' \
	'^twice: no: several functions have this name; do this instead:$' \
	'p:twice_1 0xffffffff9d000140 ' 'p:twice_2 0xffffffff9d000180 '
says "a module where it runs" 0 'whole some-module.ko --running=running' \
	'^  at 0xffffffff9d000040, .text+0x40: whole$' '# 0xffffffff9d000118, .text+0x118'

# ---- LOCSEC ----

says "LOCSEC: the places of inline sites" 0 'inlined inlined --symbols System.map' \
	'^inlined: no: every call was inlined' 'there is a FUNC inlined, but no symbol' \
	'p:inlined_inline_1 caller+0x10 bus=%bx:x64 count=\\42:u32 sign=-16(%bp):s8  #' \
	'p:inlined_inline_2 _stext+0x190  # .*, count in %bx + 16$'

says "LOCSEC: a promised function" 0 'whole inlined --symbols System.map' '^whole: yes, by fentry from 5.5 on where it has a hook: ' \
	'p:whole whole bus=%di:x64 count=%si:u32 sign=%dx:s8$' 'r:whole_return whole result=$retval:u32$'
sed 's/^ffffffff81000000 t first/ffffffff81000010 t whole/' System.map >ambiguous
says "LOCSEC: a name of several addresses" 0 'whole inlined --symbols ambiguous' \
	'^whole: no: several functions have this name, and BTF does not say which of them its FUNC is$' \
	'no probe: several functions have the name whole' '!p:whole' '!SEC('
grep -v starter System.map >incomplete
fails "LOCSEC: symbols of another kernel" 3 \
	'incomplete: these .* another kernel: of 2 functions that BTF promises no more than 1 have a symbol' \
	inlined inlined --symbols incomplete
grep -v -e isra -e part -e caller -e assembled -e cold -e starter System.map >incomplete
fails "no function to compare" 3 \
	'incomplete: no function in the records could be compared .*; give --symbols the System.map' \
	twice kernel --symbols incomplete

# ---- the running kernel ----

# A folder as / of a machine has it: a kernel, a module, and what they say of themselves.
running=machine/sys/kernel
mkdir -p $running/btf $running/tracing/events/mine/begun $running/debug/kprobes \
	$running/tracing/events/syscalls/sys_exit_thing machine/proc/sys/kernel
cat >image.c <<'EOT'
struct item { int count; };
struct trace_event_raw_begun { int ent; int count; } record;
typedef void (*btf_trace_begun)(void *, struct item *, int);
btf_trace_begun pointer;
int __traceiter_begun(void *__data, struct item *item, int extra) { return extra + record.ent; }
int plain(struct item *item, int extra) { return item->count + extra; }
int bare(struct item *item) { return item->count; }
int banned(int extra) { return extra + 1; }
EOT
echo 'struct item { int count; }; int inside(struct item *item) { return item->count + 1; }' >some.c
gcc -g -O1 -c image.c && gcc -g -O1 -c some.c &&
	ld -Ttext=0xffffffff81000000 -e plain -o image image.o &&
	"$BTFENC" encode -o $running/btf/vmlinux image &&
	"$BTFENC" encode -b $running/btf/vmlinux -o $running/btf/some some.o || exit 1
nm image >machine/proc/kallsyms
printf 'ffffffffc0000000 t inside\t[some]\n' >>machine/proc/kallsyms
echo 6.1.0-1-made-up >machine/proc/sys/kernel/osrelease
printf '%s\n' plain banned 'inside [some]' >$running/tracing/available_filter_functions
printf '0xffffffff81000000-0xffffffff81000010\tbanned\n' >$running/debug/kprobes/blacklist

answers of-a-running-kernel
# A symbol is there, and its event was not kept.
cp machine/proc/kallsyms shown
echo 'ffffffff82000000 d event_exit__other' >>machine/proc/kallsyms
says "running: a system call without a number" 0 'sys_exit_other --root machine' \
	'^sys_exit_other: no: the system call other has no number in this kernel, and without one there is no event$' \
	'!SEC(' '!enable'
mv $running/tracing/events away
says "running: a system call without tracefs's events" 0 'sys_exit_other --root machine' \
	'^sys_exit_other: not known whether there is an event: '
mv away $running/tracing/events
mv shown machine/proc/kallsyms
# The folders of tracefs say what they like.
hostile='x"$(touch hacked)'
mv $running/tracing/events/mine "$running/tracing/events/$hostile"
for script in bpftrace tracefs libbpf; do
	says "running: no folder's name in a script for $script" 0 "--script $script begun --root machine" '!hacked'
done
says "running: nor in the lines" 0 'begun --root machine' '^begun: yes, it is a tracepoint' '!hacked'
mv "$running/tracing/events/$hostile" $running/tracing/events/mine
says "running: without an event BPF has the arguments" 0 '--script libbpf begun --root machine' \
	'^SEC("tp/mine/begun")$' '"begun: count=%ld", (s64)ctx->count);'
mv $running/tracing/events away
says "running: without tracefs, too" 0 '--script libbpf begun --root machine' '^SEC("tp_btf/begun")$' \
	'^int BPF_PROG(on_begun, struct item \*item, int extra)$' \
	'"begun: item=0x%lx extra=%ld", (u64)item, (s64)extra);' '!printed'
mv away $running/tracing/events
mv $running/tracing/available_filter_functions hooks
says "running: fentry where a hook is not known not to be there" 0 '--script libbpf plain --root machine' \
	'^ \* fentry sees plain if it has a tracer.s hook, which is not known here.$' '^SEC("fentry/plain")$' '!kprobe'
mv hooks $running/tracing/available_filter_functions
says "running: no system call's arguments without an image" 0 \
	'--script libbpf syscalls:sys_exit_thing --root machine' '"sys_exit_thing: ret=%ld", (s64)ctx->ret);'
for name in fentry/plain kprobe:plain p:kprobes/plain; do
	says "running: $name" 0 "$name --root machine" '^plain: yes, by fentry: '
done
for name in tp_btf/begun tracepoint:mine:begun mine:begun; do
	says "running: $name" 0 "$name --root machine" '^begun: yes, it is a tracepoint'
done
printf '%s\n' 'before 1536000 0 - Live 0xffffffffbfff0000' 'some 4096 0 - Live 0xffffffffc0000000' \
	'after 4096 0 - Live 0xffffffffc0002000' >machine/proc/modules
"$BTFENC" explain 0xffffffffc0000004 --root machine >stdout 2>stderr
expect "running: an address in a module" grep -q '^  at 0xffffffffc0000000$' stdout
echo 'ffffffff81000100 t inlined.isra.0' >>machine/proc/kallsyms
says "running: only a clone has the name" 0 'inlined --root machine' \
	'^inlined: no fentry: only clones under names of their own are left' '^  at 0xffffffff81000100$'
for name in fentry/some:inside kprobe:some:inside fentry:some:inside some:inside fexit/inside; do
	says "running: $name" 0 "$name --root machine" '^inside: yes, by fentry: ' "retsnoop -e 'inside \[some\]'" \
		"bpfsnoop -k 'inside' --kfunc-kmods some"
done
mv $running/tracing/events/mine $running/tracing/events/xhci-hcd
says "running: a folder of events with a hyphen" 0 'tracepoint:xhci-hcd:begun --root machine' 'events/xhci-hcd/begun/'
mv $running/tracing/events/xhci-hcd $running/tracing/events/mine
"$BTFENC" list --kind tracepoint 'mine*' --root machine >stdout 2>stderr
expect "records: running: no hint for list, which finds nothing there" test $? -eq 1
"$BTFENC" explain nosuch --script bpftrace --root machine >stdout 2>stderr
expect "records: --script of what is not there" sh -c 'test $1 -eq 1 && test ! -s stdout && grep -q "^nosuch: no " stderr' sh $?
fails "--script of a type" 2 'for functions and tracepoints, and item is neither; leave --script out' item --script tracefs --root machine
fails "a pattern" 2 'btfenc list lists those that fit a pattern' 'pl*' --root machine
"$BTFENC" explain plain --root machine - <$running/btf/vmlinux >stdout 2>stderr
expect "records: standard input" grep -q '^plain: yes, by fentry' stdout
printf '%s\n' 'ffffffff81000000 T __x64_sys_open' >>machine/proc/kallsyms
says "running: a system call that is near" 1 'open --root machine' '^  __x64_sys_open$'
touch $running/tracing/README
says "running: no kprobes" 0 'plain --root machine' '^plain: yes, by fentry' 'SEC("fexit/plain")' 'bpfsnoop' \
	'no kprobe at plain: the running kernel has no kprobes (no kprobe_events in tracefs)$' '!p:plain' '!retsnoop'
mkdir $running/debug/error_injection
printf 'other\tEI_ETYPE_ERRNO\nplain\tEI_ETYPE_ERRNO\n' >$running/debug/error_injection/list
says "running: a result that programs may set" 0 'plain --root machine' 'SEC("fmod_ret/plain") int BPF_PROG(' \
	'debug/error_injection/list'
rm -r $running/debug/error_injection
says "running: a script of kprobes without any" 0 '--script tracefs plain --root machine' '^# No call can be seen this way\.$' \
	'^# plain: yes, by fentry' '^#   calls of plain: the running kernel has no kprobes'
says "running: a system call without kprobes" 0 'syscalls:sys_exit_thing --root machine' 'SEC("tp/syscalls/sys_exit_thing")' \
	'!retsyscall'
touch $running/tracing/kprobe_events
says "running: kprobes" 0 'plain --root machine' 'p:plain plain ' 'retsnoop'
says "running: names that are near" 1 'plan --root machine' '^plan: no function or tracepoint of that name' \
	'^  plain$'
says "running: a tracepoint that is near" 1 'begin --root machine' '^  begun, a tracepoint$'
mv $running/tracing $running/debug/kprobes .
says "running: what cannot be read" 0 'plain --root machine' '^plain: yes, by fentry where it has a hook: ' \
	'available_filter_functions: cannot open: No such file or directory; whether fentry finds a hook' \
	'blacklist: cannot open: No such file or directory; whether kprobes may go there is not known$' '!mount'
mkdir $running/tracing
says "running: tracefs is not mounted" 0 'plain --root machine' \
	"tracefs is not mounted; as root: mount -t tracefs tracefs $running/tracing\$"
rmdir $running/tracing
says "running: a tracepoint without tracefs" 0 'begun --root machine' 'tracepoint:\*:begun' \
	'events: cannot open: No such file or directory; which event it has is not known$'
"$BTFENC" explain ksyscall/thing --root machine >stdout 2>stderr
expect "records: running: a system call without tracefs" sh -c 'test $1 -eq 1 && grep -q "^sys_enter_thing: not known: " stdout &&
	grep -q "^btfenc: warning: .*/events: cannot open: No such file or directory; which event it has" stderr' sh $?
says "running: a folder of events that cannot be checked" 0 'other:begun --root machine' 'tracepoint:other:begun' \
	'that the event is in other is as you wrote it' '!SYSTEM'
cp machine/proc/kallsyms shown
sed 's/^[0-9a-f]*/0000000000000000/' shown >machine/proc/kallsyms
says "running: hidden addresses" 0 'plain --root machine' '^plain: yes, by fentry from 5.5 on where it has a hook: ' \
	'p:plain plain item=%di:x64 extra=%si:s32$' 'without symbols it is not known .*all addresses are 0'
"$BTFENC" explain --json --root machine plain >json
have python3 "records: running: --json" && expect "records: running: --json" python3 - json <<'EOT'
import json, sys
e = json.load(open(sys.argv[1]))
assert e["promised"] and e["symbols"] is None and not e["instances"], e
assert any("without symbols" in a["text"] for a in e["advice"] if a["tool"] == "note"), e
EOT
says "running: a module without addresses" 0 'inside --root machine' 'p:inside some:inside item=%di:x64$'
# With symbols alone: what is between the borders of init and noinstr code.
{
	nm image | grep -v -e ' plain$' -e ' bare$'
	printf 'ffffffff8200%s\n' '0000 T __noinstr_text_start' '0010 T bare' '0020 T __noinstr_text_end' \
		'1000 T __init_begin' '1000 T _sinittext' '1010 T plain' '1020 T _einittext' '1040 T __init_end'
} >machine/proc/kallsyms
cp machine/proc/kallsyms borders
mkdir -p $running/tracing
touch $running/tracing/README
[ ! -e $running/tracing/kprobe_events ] || mv $running/tracing/kprobe_events kprobe_events
says "running: init code without kprobes" 0 'plain --root machine' '^plain: no: its code is freed .* the running kernel has no kprobes' \
	'!kprobe_event=' 'booting is done$'
touch $running/tracing/kprobe_events
for given in '--root machine' "$running/btf/vmlinux --symbols borders"; do
	says "init code by symbols, $given" 0 "plain $given" '^plain: only while booting' '!SEC(' 'plain is in .init.text'
	for script in bpftrace tracefs libbpf; do
		says "init code by symbols, $given, for $script" 0 "--script $script plain $given" 'No call can be seen' \
			'calls of plain: it is freed when booting is done' '!on_plain' '!^kprobe:' '!^probe plain'
	done
	says "noinstr code by symbols, $given" 0 "bare $given" '^bare: no: it must not be instrumented' '!fentry:' '!p:'
done
sed 's/ [^ ]*$/ another_&/; s/_ /_/' shown >machine/proc/kallsyms
says "running: BTF of another kernel" 0 "plain $running/btf/vmlinux --root machine" \
	'SEC("fentry/plain")' 'without symbols .*these symbols belong to another kernel: '
nm image >map
says "running: no records, but symbols" 0 "bare $running/btf/vmlinux --symbols map" \
	'^bare: yes, by fentry .*where it has a hook: ' '!  from '
fails "running: there is no such kernel" 2 \
	"no FILE is given, and the running kernel's BTF cannot be read: nowhere/sys/kernel/btf/vmlinux: " \
	plain --root nowhere
if [ -r /sys/kernel/btf/vmlinux ]; then
	says "running: this kernel" 0 vfs_read '^vfs_read: ' '^  ssize_t vfs_read(struct file \*'
else
	skip "records: running: this kernel" "it has no BTF"
fi

# ---- JSON ----

"$BTFENC" explain --json copied kernel --symbols System.map --running=kallsyms >json
have python3 "records: --json: the keys" &&
	expect "records: --json: the keys" python3 - json <<'EOT'
import json, sys
e = json.load(open(sys.argv[1]))
assert e["name"] == "copied" and e["known"] and e["promised"] is False
assert e["prototype"] == "u32 copied(struct bus *bus, u32 count, signed char sign)"
copy, cold = e["instances"]
assert copy["symbol"] == "copied.isra.0" and copy["joined"] == "copy", copy
assert copy["address"] == "0xffffffff9d000080" and copy["section_offset"] == 0x80, copy
assert copy["place"] == "copied.isra.0" and copy["by_convention"] is False, copy
assert [p["fetch"] for p in copy["parameters"]] == [None, "count=%di:u32", "sign=\\-1:s8"]
assert [p["found"] for p in copy["parameters"]] == [None, "%di", "\\-1"]
assert cold["joined"] == "cold" and e["inline_sites"] == [] and e["unplaced"] == []
assert e["sections"][0] == {"name": ".text", "address": "0xffffffff9d000000", "anchors": 5,
			    "agreeing": 5}
EOT
"$BTFENC" explain --json inlined kernel --symbols System.map >json
have python3 "records: --json: inline sites" &&
	expect "records: --json: inline sites" python3 - json <<'EOT'
import json, sys
e = json.load(open(sys.argv[1]))
first = e["inline_sites"][0]
assert len(e["inline_sites"]) == 3 and first["symbol"] == "caller" and first["offset"] == 0x10
assert first["place"] == "caller+0x10" and first["kprobe"] is True
assert first["fetch"] == "bus=%bx:x64 count=\\42:u32 sign=-16(%bp):s8"
EOT
expect "records: --json: nothing of that name" sh -c \
	'"$0" explain --json wole kernel --symbols System.map | grep -q "\"known\": false"' "$BTFENC"

# ---- what cannot be read ----

cp kernel alone
{ cat System.map; echo "ffffffff81000300 T unseen"; } >all
says "raw BTF without records" 0 'whole alone --symbols all' '^whole: yes, by fentry' \
	'^  u32 whole(struct bus \*bus, u32 count, signed char sign)$' '!inlined'
says "records in a file of another name" 0 'whole alone --extra kernel.extra --symbols System.map' '^whole: yes'
fails "no file of records" 3 'nothing: cannot open' whole alone --extra nothing
head -c 300 kernel.extra >shortened
fails "records are cut off" 3 'shortened: .*cut off' whole kernel --extra shortened --symbols System.map
fails "records of another BTF" 3 \
	'kernel.extra: does not fit inlined (.*): it was made with another BTF, or is damaged' \
	whole inlined --extra kernel.extra --symbols System.map
fails "records are no BTF" 3 'System.map: not BTF' whole kernel --extra System.map
fails "no symbols" 3 'nothing: cannot open' whole kernel --symbols nothing
fails "symbols are none" 3 'kernel: line 1 ' whole kernel --symbols kernel
fails "an option without its file" 2 '--symbols needs an argument' whole kernel --symbols

# ---- the fixtures ----

# functions_of IMAGE: names without suffixes.
functions_of()
{
	nm "$1" | sed -n 's/^[0-9a-f]* [tTwW] \([a-z_0-9]*\)\(\..*\)*$/\1/p' | sort -u
}

# compare_probes NAME IMAGE ENCODED: the probe arguments of each instance and inline site are the
# same by DWARF and by records, or absent in both, but for those that only DWARF can tell.
compare_probes()
{
	rm -rf answers
	mkdir answers
	for function in $(functions_of "$2"); do
		if "$BTFENC" explain -j1 --json "$function" "$2" >by-dwarf 2>/dev/null; then
			mv by-dwarf "answers/$function.dwarf"
			"$BTFENC" explain --records --json "$function" "$3" >"answers/$function.records"
		fi
	done 2>wrong
	python3 - >>wrong 2>&1 <<'EOT'
import glob, json, os, re
def fetches(place):
    return [(p["name"], p["type"], p["fetch"]) for p in place["parameters"]]
# BTF alone does not tell where parameters are behind a struct that is passed or returned.
def agree(mine, theirs, prototype):
    behind = re.match(r"(struct|union) \w+ \w", prototype) is not None
    for m, t in zip(mine, theirs):
        if m != t and not (behind and m[:2] == t[:2] and m[2] is None):
            return False
        behind |= m[2] is None and re.match(r"(struct|union) \w+$", m[1]) is not None
    return len(mine) == len(theirs)
def compare(name, dwarf, records):
    # DWARF's instances have no symbol where the symbol is from assembler.
    there = {i["address"]: i for i in records["instances"]}
    for i in dwarf["instances"]:
        if i["symbol"] is None:
            continue
        mine = there.get(i["address"])
        if mine is None:
            print(name, "no instance at", i["address"])
        elif not agree(fetches(mine), fetches(i), records["prototype"] or ""):
            print(name, fetches(mine), "by DWARF", fetches(i))
    ok = dwarf["verdict"] and dwarf["verdict"]["code"] == "ok"
    if bool(ok) != records["promised"]:
        print(name, "promised:", records["promised"], "by DWARF:", dwarf["verdict"])
    there = [(s["address"], fetches(s)) for s in records["inline_sites"]]
    for site in dwarf["inline_sites"]:
        if (site["address"], fetches(site)) not in there:
            print(name, "no inline site at", site["address"], fetches(site))
    if len(set(map(str, there))) != len({str((s["address"], fetches(s))) for s in dwarf["inline_sites"]}):
        print(name, "more inline sites by records")
checked = 0
for path in glob.glob("answers/*.dwarf"):
    name = os.path.basename(path)[:-len(".dwarf")]
    checked += 1
    try:
        compare(name, json.load(open(path)), json.load(open(f"answers/{name}.records")))
    except ValueError as error:
        print(f"{name}: not known by records: {error}")
if checked <= 20:
    print("only", checked, "functions are known")
EOT
	[ ! -s wrong ]
	outcome $? "records: $1: each function has by records what DWARF says" wrong
}

for variant in gcc12-dwarf5 clang19-dwarf5; do
	image=$FIXTURES/$variant/vmlinux
	cp "$image" encoded
	"$BTFENC" encode --features +func_secinfo=inline encoded 2>stderr || cat stderr
	compare_probes "$variant" "$image" encoded
	objcopy --strip-debug encoded stripped
	"$BTFENC" explain --records keep_all encoded >with 2>&1
	expect "records: $variant: without DWARF the records answer" sh -c \
		'"$1" explain keep_all stripped >without && test -s with && cmp with without' sh "$BTFENC"
	"$BTFENC" explain keep_all encoded >with
	expect "records: $variant: with DWARF it answers" sh -c \
		'"$1" explain keep_all "$2" >without && test -s with && cmp without with' \
		sh "$BTFENC" "$image"
	"$BTFENC" encode --features +func_secinfo=inline -o raw "$image"
	nm "$image" | sort >map
	# One namesake of a weak function has no symbol: not all agree.
	says "$variant: raw BTF, its FILE.extra, and System.map" 0 'keep_all raw --symbols map' \
		'^keep_all: yes, by fentry from 5.5 on where it has a hook: ' \
		'.text starts at 0xffffffff81000000: [0-9]* of [0-9]* functions in map agree'
done

# Inline sites alone, in .BTF.inline or in FILE.inline next to FILE.
image=$FIXTURES/gcc12-dwarf5/vmlinux
cp "$image" stored && "$BTFENC" encode --features +inline stored && "$BTFENC" encode --features +inline -o apart "$image"
objcopy --strip-debug stored stripped
nm "$image" | sort >map
site='p:called_once_inline_1 inline_mixed_run+0x[0-9a-f]* entry=%dx:x64 depth=\\4:s32'
no_func='no fentry: BTF has no FUNC called_once'
says ".BTF.inline" 0 'called_once stripped' '^called_once: no: every call was inlined' "$no_func" "$site"
"$BTFENC" encode -o plain "$image" && cp "$image" with_both && "$BTFENC" encode with_both || exit 1
no_sites='^  functions that were inlined at each call are not in BTF: DWARF has them'
says "BTF without sites" 1 'called_once plain' '^called_once: no function .* is in plain$' "$no_sites, and records of sites$"
says "BTF without sites next to DWARF" 1 '--records called_once with_both' "$no_sites (leave out --records), and records of sites$"
says "records have the sites" 1 'called_onc apart --symbols map' "!not in BTF" '^  called_once$'
says "FILE.inline next to FILE" 0 'called_once apart --symbols map' "$no_func" "$site"
says "a promised function with FILE.inline" 0 'inline_mixed_run apart --symbols map' '^inline_mixed_run: yes'
cp apart.inline elsewhere
says "FILE.inline is given, and next to FILE" 0 'called_once apart --extra apart.inline --symbols map' "$site"
fails "FILE.inline by itself" 3 'apart.inline: is the .BTF.inline of another file; give that file' \
	called_once apart.inline --symbols map
"$BTFENC" encode --features +func_secinfo -o apart "$image"
says "no FILE.inline" 0 'inline_mixed_run apart --symbols map' '^inline_mixed_run: yes' '!entry=%dx'
cp elsewhere apart.inline
fails "FILE.extra does not go on top of a FILE.inline that it was not made with" 3 'apart.extra: does not fit apart' \
	called_once apart --symbols map
rm apart.extra
says "FILE.inline has come back" 0 'called_once apart --symbols map' "$site"
rm apart.inline
says "FILE.inline is given" 0 'called_once apart --extra elsewhere --symbols map' "$site"
"$BTFENC" encode --features +inline,+func_secinfo=inline -o apart "$image"
says "FILE.inline and FILE.extra" 0 'called_once apart --symbols map' "$site"

# ---- inline sites of the running kernel ----

# They are in vmlinux.inline and MODULE.inline. called_promised() is inlined in the kernel and a
# promise in the module.
btf=sites.d/sys/kernel/btf at=sites.d/sys/module/some/sections
mkdir -p $btf $at sites.d/proc
cat >some.c <<'EOF'
volatile int seen;
static inline __attribute__((always_inline)) int in_module(int a, int b) { seen = a; seen = b; return a * b; }
__attribute__((noinline)) int module_runs(int a) { return in_module(a, 3) + seen; }
__attribute__((noinline)) int called_once(long a) { return in_module(a + 9, 8) + seen; }
static inline __attribute__((always_inline)) int in_init(int a) { seen = a; return a; }
__attribute__((noinline, section(".init.text"))) int module_init(int a) { return in_init(a) + seen; }
EOF
gcc -g -O2 -ffreestanding -c -o some.o some.c && "$BTFENC" encode --features +inline -o $btf/vmlinux "$image" &&
	"$BTFENC" encode --features +inline -b $btf/vmlinux -o $btf/some some.o && cp some.o some.ko || exit 1
{
	cat map
	nm some.o | sed -n 's/^\(0*\)\([0-9a-f]\{4\}\) T \(.*\)/ffffffffc000\2 T \3	[some]/p'
} >sites.d/proc/kallsyms
echo 0xffffffffc0000000 >$at/.text
echo 0xffffffffc0100000 >$at/.init.text

# sites FILE: the lines of probes.
sites()
{
	sed -n 's/^  p:\([^ ]*\) \(some:\)\{0,1\}\([^#]*[^ #]\) *#.*/\1 \3/p' "$1"
}
for name in level_one __list_add; do
	"$BTFENC" explain $name "$image" >dwarf && "$BTFENC" explain --root sites.d $name >said 2>stderr
	expect "records: running: sites of the kernel: $name" test -n "$(sites dwarf)" -a "$(sites dwarf)" = "$(sites said)" -a ! -s stderr
done
"$BTFENC" explain in_module some.ko >dwarf && "$BTFENC" explain --root sites.d in_module >said 2>stderr
expect "records: running: sites of a module" test -n "$(sites dwarf)" -a "$(sites dwarf)" = "$(sites said)" -a ! -s stderr
says "running: a module's section is where the kernel says" 0 '--root sites.d in_module' \
	'^ *.text starts at 0xffffffffc0000000 (/sys/module/some/sections)$' '# 0xffffffffc0000000, .text+0x0, in module_runs$'
says "running: a module's init code is gone" 0 '--root sites.d in_init' '^  # .init.text+0x0: in_init$' '!^  p:'
says "running: of a module that is named" 0 '--root sites.d fentry/some:in_module' '^in_module: no: every call was inlined'
says "running: a promise of a module goes before inline sites of the kernel" 0 '--root sites.d called_once' \
	'^  int called_once(long int a)$' '!inline_mixed_run'
says "running: a script for a module's sites" 0 '--root sites.d --script tracefs in_module' \
	"^probe in_module_inline_1 'some:module_runs a=%di:s32 b=\\\\3:s32'\$"
says "running: names near it are in modules' sites" 1 '--root sites.d in_modul' '^  some:in_module$'
"$BTFENC" explain --root sites.d absent >said 2>stderr
expect "records: running: no name in sites, and nothing to warn of" test ! -s stderr
for address in 0x0000000000000000 none; do
	rm $at/.text
	[ $address = none ] || echo $address >$at/.text
	says "running: only root sees where a module's section is: $address" 0 '--root sites.d in_module' \
		'^ *root sees where sections of some are (/sys/module/some/sections)$' '^  # .text+0x0: in_module$' '!^  p:'
done
"$BTFENC" list --root sites.d --format names --has-sites --verdict inlined-only >said 2>stderr
"$BTFENC" list -f apart --format names --has-sites --verdict inlined-only >expected
expect "records: running: list has the sites of both" test "$(cat said)" = "$(cat expected; echo in_init; echo in_module)" -a ! -s stderr
expect "records: running: and no module is called so" \
	sh -c '! "$0" list --root sites.d --module some.inline >said 2>&1 && grep -q "no module is called some.inline$" said' "$BTFENC"
# left_out NAME: list goes on without the module's sites, and says so.
left_out()
{
	"$BTFENC" list --root sites.d --format names --module some >said 2>stderr
	expect "records: running: list: $1" sh -c 'test "$(echo $(cat said))" = "called_once module_init module_runs" && grep -q "$1" stderr && test "$(wc -l <stderr)" = 1' \
		sh "warning: $btf/some.inline: .*\$"
}
cp $btf/some.inline . && head -c 200 some.inline >$btf/some.inline
left_out "sites that cannot be read"
cp $btf/vmlinux.inline $btf/some.inline
left_out "sites of another BTF"
rm $btf/some.inline && mkfifo $btf/some.inline
left_out "a pipe is not waited for"

# Both have the same names, but in another order.
"$BTFENC" encode --features +func_secinfo=inline -o other "$FIXTURES/gcc12-dwarf5/vmlinux"
fails "records of another build" 3 'other.extra: was made with another BTF than that of raw; encode both again' \
	keep_all raw --extra other.extra --symbols map

# ---- the header and the example ----

include=$root/include example=$root/docs/examples/find_sites.c
for compiler in gcc clang; do
	have $compiler "records: the example is compiled by $compiler" || continue
	expect "records: the example is compiled by $compiler" \
		$compiler -Wall -Wextra -Werror -I "$include" -o "find_sites_$compiler" "$example" -lbpf
done
printf '#include <linux/btf.h>\n#include <btfenc/btf_extra.h>\n#include <btfenc/btf_extra.h>\n' >header.cc
for compiler in g++ clang++; do
	have $compiler "records: $compiler takes the header" || continue
	expect "records: $compiler takes the header" \
		$compiler -Wall -Wextra -Werror -fsyntax-only -I "$include" header.cc
done
cat >wanted <<'EOT'
whole .text+0x40: by convention
whole .text+0x118: bus=%si count=+8(%sp) sign=?
EOT
expect "records: the example finds sites" sh -c \
	'./find_sites_gcc kernel kernel.extra whole | cmp - wanted'
expect "records: the example refuses records of another build" sh -c \
	'! ./find_sites_gcc raw other.extra keep_all 2>refused && grep -q "made with another BTF" refused'
"$BTFENC" explain --json table_grow encoded >json --records
./find_sites_gcc encoded raw.extra table_grow >found
have python3 "records: the example finds as many as explain" &&
	expect "records: the example finds as many as explain" python3 - json found <<'EOT'
import json, sys
e = json.load(open(sys.argv[1]))
lines = open(sys.argv[2]).read().splitlines()
assert len(lines) == len(e["instances"]) + len(e["inline_sites"]) > 1, lines
EOT

# ---- whose registers: raw BTF shows its machine by what its pt_regs is ----

# registers MACHINE REGISTER COMPILER MEMBERS: the same functions and a pt_regs as that machine has it
registers()
{
	have "$3" "records: raw BTF of $1" || return 0
	printf '%s\nint taken(struct pt_regs *regs) { return regs != 0; }\n' "$4" >regs.c
	"$3" -g -O1 -ffreestanding -c -o regs.o regs.c &&
		"$BTFENC" encode --features +func_secinfo -o regs.btf regs.o
	echo "0000000000001000 T taken" >regs.map
	expect "records: raw BTF of $1 has its registers" sh -c \
		"'$BTFENC' explain taken regs.btf --symbols regs.map | grep -q 'p:taken taken regs=%$2:x64'"
}
registers arm64 x0 gcc-12 'struct user_pt_regs { unsigned long long regs[31], sp, pc, pstate; };
struct pt_regs { union { struct user_pt_regs user_regs; struct { unsigned long long r[31], sp, pc, pstate; }; }; };'
registers s390x r2 s390x-linux-gnu-gcc-12 \
	'struct pt_regs { union { struct { unsigned long args[1], psw[2], gprs[16]; }; }; unsigned long orig_gpr2; };'
