#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc list`: what it finds by name, type and what can attach, in BTF, DWARF and a running kernel
# made up of files; that it agrees with explain about fentry; and its formats.
. tests/lib.sh

cd "$work" || exit 1

cat >image.c <<'EOT'
typedef long ssize_t;
typedef unsigned long size_t;
struct file { int flags; };
union either { long a; };
enum which { ONE };
struct opaque;
struct trace_event_raw_begun { int ent; int count; } record;
typedef void (*btf_trace_begun)(void *, struct file *, int);
btf_trace_begun pointer;
int __traceiter_begun(void *__data, struct file *file, int extra) { return extra + record.ent; }
static inline __attribute__((always_inline)) int small(struct file *file) { return file->flags + 1; }
ssize_t read_it(struct file *file, char *buffer, size_t count) { return count + small(file); }
long write_it(const struct file *const file, unsigned long count) { return count + small((void *)file); }
unsigned int twice(size_t first, const unsigned long second) { return first + second; }
struct file *get_it(union either *which, enum which number) { return number ? (void *)which : 0; }
int hidden_type(struct opaque *opaque) { return opaque != 0; }
void any(int (*call)(struct file *), void *data, ...) { call(data); }
int unsigned_char(unsigned char a, signed char b, char c) { return a + b + c; }
EOT
gcc -g -O2 -c image.c && ld -Ttext=0xffffffff81000000 -e twice -o image image.o &&
	"$BTFENC" encode -o image.btf image || exit 1

# lists CASE NAMES ARGUMENT...: the names that are listed.
lists()
{
	lists_case="list: $1" lists_names=$2
	shift 2
	"$BTFENC" list --format names "$@" >found 2>stderr
	lists_status=$?
	lists_found=$(tr '\n' ' ' <found)
	{ echo "found '$lists_found', exit status $lists_status"; cat stderr; } >wrong
	[ "$lists_found:$lists_status" = "$lists_names${lists_names:+ }:0" ] && [ ! -s stderr ]
	outcome $? "$lists_case" wrong
}

# says CASE STATUS PATTERN ARGUMENT...: a line of the output, or of the error.
says()
{
	says_case="list: $1" says_status=$2 says_pattern=$3
	shift 3
	"$BTFENC" list "$@" >said 2>&1
	[ $? -eq "$says_status" ] && grep -q -e "$says_pattern" said
	outcome $? "$says_case" said
}

for file in image.btf image; do
	lists "$file: patterns" 'read_it twice' -f $file 'tw*' '*_it' --verdict ok \
		--takes size_t
	says "$file: a pattern that is none of find's" 0 "nothing fits '!\[a-z\]'\$" -f $file '![a-z]' twice
	lists "$file: through typedefs" 'read_it write_it' -f $file --returns 'long int'
	lists "$file: a typedef's own name" 'read_it' -f $file --returns ssize_t
	lists "$file: pointers, without qualifiers" 'read_it write_it' -f $file '*_it' \
		--takes 'struct file *'
	lists "$file: the second parameter" 'twice write_it' -f $file --takes '2:unsigned long'
	lists "$file: several parameters" 'read_it' -f $file --takes 'struct file*' --takes '3:size_t'
	lists "$file: other tags" 'get_it' -f $file --takes 'union either *' --takes 'enum which'
	lists "$file: a type that is only declared" 'hidden_type' -f $file --takes 'struct opaque *'
	lists "$file: void and dots" 'any' -f $file --takes '2:void *'
	lists "$file: char is one of three" 'unsigned_char' -f $file --takes '1:unsigned char' \
		--takes '2:signed char' --takes 3:char
	lists "$file: a result that is a pointer" 'get_it' -f $file --returns 'struct file*'
	lists "$file: tracepoints" 'begun' -f $file --kind tracepoint
	lists "$file: a tracepoint's parameters" 'begun' -f $file --kind tracepoint --takes '1:struct file *'
	says "$file: nothing fits" 1 '^btfenc: list: nothing fits$' -f $file --takes '3:struct file *'
done
lists "inlined functions, by DWARF" small -f image --verdict inlined-only
lists "functions with inline sites" small -f image --has-sites
"$BTFENC" encode --features +inline -o sites.btf image || exit 1
lists "and by records" small -f sites.btf --has-sites

cp image extra.elf && "$BTFENC" encode --features +func_secinfo=inline extra.elf && objcopy --strip-debug extra.elf || exit 1
lists "and by .BTF.extra and symbols" small -f extra.elf --has-sites
says "with their prototypes" 0 '^int small(struct file \*file)  inlined-only$' -f extra.elf --verdict inlined-only
expect "list: and nothing else" test "$(wc -l <said)" -eq 1
"$BTFENC" list --format tsv -f image >found
"$BTFENC" list --format tsv -f extra.elf >by-records
expect "list: .BTF.extra has what DWARF has" cmp found by-records
objcopy --strip-all --keep-section=.BTF --keep-section=.BTF.extra extra.elf unnamed.elf
says ".BTF.extra without symbols" 1 'nothing fits$' -f unnamed.elf --verdict inlined-only
says "C" 0 '^ssize_t read_it(struct file \*file, char \*buffer, size_t count)$' -f image.btf 'read*'
says "C of a tracepoint" 0 '^void begun(struct file \*file, int extra)  tracepoint$' -f image.btf \
	--kind tracepoint
says "C of what is inlined" 0 '^int small(struct file \*file)  inlined-only$' -f image small
says "columns" 0 '^write_it	-	function	ok	-	0	long int write_it(' -f image --format tsv
says "bpftrace: a script" 0 '^fentry:write_it { @\[probe\] = count(); }$' -f image.btf '*_it' \
	--format bpftrace
says "no records of sites" 3 'image.btf: has no records of inline sites' -f image.btf --has-sites
says "no type" 2 "--takes needs a type.*'struct'" --takes struct
says "no position" 2 "--takes needs a type" --takes 0:int
says "no such verdict" 2 "unknown verdict 'good'" --verdict ok,good
says "no such format" 2 "--format takes text|names|tsv|json|bpftrace|ids, not 'xml'" --format xml
says "no way to attach" 2 "--attachable takes fentry|kprobe, not 'uprobe'" --attachable uprobe
says "no BTF" 3 '^btfenc: image.c: ' -f image.c
head -c 700 image.btf >shortened
says "cut off" 3 '^btfenc: shortened: ' -f shortened
"$BTFENC" encode --features +func_secinfo -o parted image && cp parted.extra apart || exit 1
says "a part" 3 '^btfenc: parted.extra: is the .BTF.extra of another file; give that file, this one is found' -f parted.extra
says "a part under another name" 3 '^btfenc: apart: is the .BTF.extra of another file; give that file, and' -b parted -f apart

"$BTFENC" list -f image --format json >list.json
have python3 "list: json" && expect "list: json" python3 - list.json <<'EOT'
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["version"] == 1
rows = {f["name"]: f for f in answer["functions"]}
assert rows["small"]["verdict"] == "inlined-only" and rows["small"]["inline_sites"] == 2
assert rows["twice"] == {"name": "twice", "module": None, "kind": "function", "group": None,
    "tracepoint": False, "kfunc": False, "sets": None, "verdict": "ok", "hook": None, "inline_sites": 0,
    "prototype": "unsigned int twice(size_t first, const long unsigned int second)"}, rows["twice"]
EOT

# ---- modules, messages ----

mkdir -p build/kernel raw
ln -s ../image build/vmlinux
echo 'struct file { int flags; }; struct part { int a; } part; int inside(struct file *file) { return file->flags + 1; }' >some.c
gcc -g -O1 -c some.c && cp some.o build/kernel/some.ko && cp some.o raw/some.ko &&
	"$BTFENC" encode -b image.btf raw/some.ko && objcopy --strip-debug raw/some.ko || exit 1
mkdir with-btf without && cp image with-btf/vmlinux && "$BTFENC" encode with-btf/vmlinux &&
	ln -s ../image without/vmlinux || exit 1
for i in 1 2 3; do
	echo "int inside_$i(int a) { return a; }" | gcc -g -O1 -xc -c -o with-btf/m$i.ko - &&
		"$BTFENC" encode -b with-btf/vmlinux with-btf/m$i.ko &&
		objcopy --strip-debug with-btf/m$i.ko && cp with-btf/m$i.ko without || exit 1
done
lists "modules by DWARF, of a linked vmlinux" 'read_it inside' -f build inside read_it
lists "modules by BTF" 'read_it inside' -f image.btf --modules raw inside read_it
says "a name of a module" 0 '^int inside(struct file \*file)  \[some\]$' -f image.btf --modules raw inside
lists "modules: only one" inside -f image.btf --modules raw --module some
ln -sf vmlinux build/kernel/vmlinux
lists "modules by BTF, of a vmlinux with DWARF and BTF" 'read_it inside_1 inside_2 inside_3' -f with-btf \
	'inside_?' read_it
# The ids of FUNCs, by which the kernel attaches: those of one BTF, and no other names.
ids()
{
	"$BTFENC" list --format ids "$@" >found 2>stderr && [ ! -s stderr ] || return
	"$BTFENC" dump with-btf/"$ids_of" ${ids_base:+-b "$ids_base"} | sed -n "s/^\\[\\([0-9]*\\)\\] FUNC '\\($ids_names\\)' .*/\\1/p" |
		sort -n >wanted
	sort -n found | cmp - wanted && [ -s found ]
}
ids_of=vmlinux ids_names='[a-z_0-9]*' ids_base=
expect "list: ids of a vmlinux with DWARF" ids -f with-btf/vmlinux
expect "list: ids are those of the kernel alone" ids -f with-btf
ids_names='read_it\|twice'
expect "list: ids of patterns" ids -f with-btf read_it tw*
ids_of=m2.ko ids_names=inside_2 ids_base=with-btf/vmlinux
expect "list: ids of a module" ids -f with-btf --module m2
says "ids of a file without BTF" 3 'image: has no BTF' -f image --format ids
says "ids of tracepoints" 2 '--format ids is not for --kind tracepoint' -f image --kind tracepoint --format ids
mkdir many
for i in $(seq 60); do
	cp with-btf/m1.ko "many/n$i.ko" || exit 1
done
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -n 32 && "$BTFENC" list -f with-btf/vmlinux --modules many inside_1 --format names) >found 2>stderr
expect "list: a module is closed when its answer is known" test "$(wc -l <found)" = 60 -a ! -s stderr
# A module of another build of the kernel, whose types came out wrong.
mkdir stale && cp with-btf/m1.ko stale && echo 'enum first { FIRST }; struct second { enum first f; int g[7]; } s;
int read_other(struct second *s) { return s->f; }' | gcc -g -O1 -xc -c -o other.o - &&
	mv other.o stale/vmlinux && "$BTFENC" encode stale/vmlinux || exit 1
"$BTFENC" list -f stale --format names >found 2>stderr
expect "list: a module of another vmlinux is left out" test "$(cat found)" = read_other
expect "list: which is said" grep -qE '^btfenc: warning: stale/m1.ko: is not split from stale/vmlinux \(.*its functions are left out$' stderr
# Modules of another release, or machine: their answers would be about another kernel.
mkdir other-release other-machine && echo 'const char linux_banner[] = "Linux version 6.1.0 (by us)"; int f(int n) { return n; }' |
	gcc -g -O1 -xc -c -o kernel -
echo 'static const char magic[] __attribute__((section(".modinfo"), used)) = "vermagic=7.3.0 SMP";
int f(int n) { return n; }' >module.c
gcc -g -O1 -c -o other-release/m.ko module.c && sed 's/7.3.0/6.1.9/' module.c | gcc -g -O1 -xc -c -o other-machine/m.ko - || exit 1
lists "modules of another patch level" 'f f' -f kernel --modules other-machine f
# e_machine: of arm64, or there of x86-64
case $(uname -m) in aarch64) printf '\076' ;; *) printf '\267' ;; esac |
	dd of=other-machine/m.ko bs=1 seek=18 conv=notrunc 2>/dev/null
for other in other-release:'is of Linux 7.3, and kernel of 6.1' other-machine:'is for another machine than kernel'; do
	for command in 'list f -f kernel --modules' 'explain nothing kernel --modules' \
		'diff kernel kernel --new-modules'; do
		# shellcheck disable=SC2086 # words
		"$BTFENC" $command "${other%%:*}" >found 2>stderr
		expect "${command%% *}: ${other%%:*}" sh -c "[ $? -eq 3 ] && [ ! -s found ] &&
			grep -qx 'btfenc: ${other%%:*}/m.ko: ${other#*:}; give the modules of that kernel' stderr"
	done
done
"$BTFENC" list -f without 'inside_?' read_it --format names >found 2>stderr
expect "list: one warning, where the vmlinux has no BTF" test "$(grep -c '' stderr)" = 3 -a "$(cat found)" = read_it
expect "list: it says why" grep -qx 'btfenc: warning: without/m1.ko: is split BTF; .*; its functions are left out' stderr
expect "list: and of how many" grep -qx 'btfenc: warning: 2 more modules are left out, for the .*' stderr
# Each has a unit without types, and a warning.
mkdir untyped && echo 'int typeless(int a) { return a + 2; }' | gcc -g1 -O1 -xc -c -o typeless.o - &&
	ld -r -o untyped/n10.ko some.o typeless.o || exit 1
for i in $(seq 11 40); do
	cp untyped/n10.ko "untyped/n$i.ko" || exit 1
done
for i in 1 2 3; do
	"$BTFENC" list -j 8 -f image --modules untyped inside >found 2>stderr
	sort stderr | cmp - stderr
done >wrong 2>&1
expect "list: warnings come in the order of modules" test ! -s wrong -a "$(grep -c -e '-g1' stderr)" = 31
lists "a link to itself is no vmlinux" inside -f build inside
rm build/kernel/vmlinux
LC_ALL=C sed 's/read_it/r{s()}t/' image.btf >hostile
lists "a name that is none" 'r{s()}t twice' -f hostile 'r*' twice
"$BTFENC" list -f hostile --format bpftrace 'r*' twice >found 2>stderr
expect "list: names that are none are not in a script" cmp - found <<'EOT'
fentry:twice { @[probe] = count(); }
EOT
says "a type that is not there" 1 'nothing fits; no type is called misspelt$' -f image.btf \
	--takes 'struct misspelt *'
for file in image.btf image; do
	says "$file: a type's name with an error" 1 'nothing fits; no type is called opaqe; near opaqe is struct opaque$' -f $file \
		--returns 'struct opaqe *'
	says "$file: a type without its word" 1 'nothing fits; no type is called file; near file is struct file$' -f $file --takes 'file *'
	says "$file: a type of that word" 1 'nothing fits; no type is called size_t; near size_t are size_t, ssize_t$' -f $file \
		--takes 'struct size_t'
	says "$file: a name with an error" 1 'nothing fits; near raed_it is read_it$' -f $file raed_it
	says "$file: one of two" 0 "nothing fits 'write_i'; near write_i is write_it\$" -f $file write_i read_it
	says "$file: a pattern has no names near it" 1 'nothing fits$' -f $file 'raed_i?'
	says "$file: a name that is there" 1 'nothing fits; read_it is there, but is not what the options ask for$' -f $file read_it \
		--returns void
	says "$file: a struct that only pointers lead to" 1 "nothing fits; try --takes 'struct file \*'\$" -f $file \
		--takes '3:struct file'
	says "$file: what is no longer a hint" 1 'nothing fits$' -f $file --takes 'struct file **'
	says "$file: a module that is not there" 1 'nothing fits; no module is called vmlinx; near vmlinx is vmlinux$' -f $file \
		--module vmlinx
	says "$file: of tracepoints" 1 'nothing fits; near begin is begun$' -f $file --kind tracepoint begin
done
says "a name near one of a module" 1 'nothing fits; near insyde is inside$' -f image.btf --modules raw insyde
while IFS='|' read -r pattern try; do
	says "$pattern" 1 "nothing fits; try $try\$" -f image.btf "$pattern"
done <<'EOT2'
fentry/x*|--attachable fentry 'x\*'
fentry.s/read_i|--attachable fentry read_i
kretprobe:some:x*|--attachable kprobe 'x\*' --module some
sched:x*|--kind tracepoint 'x\*'
tp_btf/x|--kind tracepoint x
lsm/x*|--kind lsm 'x\*'
EOT2
says "a pattern with a word, next to one that fits" 0 "nothing fits 'fentry/r\*'; try --attachable fentry 'r\*'\$" -f image.btf \
	'fentry/r*' read_it
says "a word that is not for functions" 1 'nothing fits$' -f image.btf 'uprobe:x*'
says "a module near one of a build" 1 'nothing fits; no module is called sme; near sme is some$' -f image.btf --modules raw \
	--module sme
says "a type that a module may have" 1 'nothing fits; no type of the kernel itself is called part$' -f image.btf --modules raw \
	--returns 'struct part'
says "a file as a pattern" 2 '^btfenc: list: image is a file or directory, and no pattern: give it with -f; see ' --root nowhere 'r*' image
says "a pattern that nothing fits, next to one that something does" 0 "^btfenc: list: nothing fits 'no\*'\$" \
	-f image.btf read_it 'no*'
says "the same in JSON" 0 '^btfenc: list: nothing fits .absent.$' -f image.btf read_it absent --format json
"$BTFENC" list -f image.btf read_it absent 'w*' >found 2>stderr
expect "list: standard output has what was found" grep -c . found
expect "list: only that is missing" cmp - stderr <<'EOT'
btfenc: list: nothing fits 'absent'
EOT
says "options that are gone" 2 'list: --tracepoints and --kfuncs are --kind tracepoint and --kind kfunc; see' --tracepoints
says "no such kind" 2 "--kind takes function|kfunc|tracepoint|lsm|iter|struct_ops, not 'tracepoints'; see" --kind tracepoints
says "tracepoints have no result" 2 '--returns is not for --kind tracepoint; see' --kind tracepoint --returns int
says "modules of nothing" 2 '^btfenc: .*--modules needs --file' --modules raw
says "two kernels" 2 '--root is for the running kernel' -f image --root machine
lists "standard input" read_it -f - read_it <image.btf

# ---- what the linker left nothing of ----

cat >dropped.c <<'EOT'
static inline __attribute__((always_inline)) int in_dropped(int a) { return a * 3; }
static inline __attribute__((always_inline)) int in_both(int a) { return a * 5; }
int dropped(int a) { return in_dropped(a) + in_both(a); }
int kept(int a) { return in_both(a); }
EOT
gcc -g -O2 -ffunction-sections -c dropped.c && ld --gc-sections -e kept -o left dropped.o || exit 1
lists "functions that were inlined nowhere are not there" 'dropped in_both kept' -f left
"$BTFENC" stats --functions - left | cut -f 1,5,11 | grep -v '^dropped	\|^#' >found
expect "list: nor in the list of stats" cmp - found <<'EOT'
name	verdict	sites
in_both	inlined-only	1
kept	ok	0
EOT

# ---- hooks, and what stats says of them ----

cat >hooked.c <<'EOT'
static inline __attribute__((always_inline)) int data_elsewhere(int a) { return a * 3; }
int traced(int a) { return data_elsewhere(a) + 1; }
int without_hook(int a) { return a + 2; }
int variadic(int a, ...) { return a + 3; }
int without_symbol(int a) { return a + 4; }
__attribute__((section(".init.text"))) int at_boot(int a) { return a + 5; }
__attribute__((section(".exit.text"))) int never(int a) { return a + 6; }
__asm__(".section .init.data, \"aw\"\n.globl __start_mcount_loc, __stop_mcount_loc\n"
	"__start_mcount_loc: .quad traced, variadic, at_boot, never\n__stop_mcount_loc: .quad 1\n.previous");
EOT
echo 'int data_elsewhere = 1;' >data.c
gcc -g -O2 -ffreestanding -c hooked.c && gcc -g -c data.c &&
	ld -Ttext=0xffffffff81000000 -e traced -o hooked hooked.o data.o &&
	objcopy -N without_symbol hooked || exit 1
"$BTFENC" list -f hooked --format tsv >all
"$BTFENC" stats --functions functions.tsv --json hooked >stats.json
expect "list: hooks, as stats --functions says" same_hooks functions.tsv all
says "a name of data and of an inlined function" 0 '^data_elsewhere	-	function	inlined-only	-	' \
	-f hooked --format tsv data_elsewhere
lists "the only one that fentry takes" traced -f hooked --attachable fentry
lists "with kprobes, too" 'traced variadic' -f hooked --attachable kprobe
says "bpftrace: only what it can attach to" 0 '^fentry:traced { @' -f hooked --format bpftrace
says "bpftrace: by kprobes" 0 '^kprobe:variadic { @' -f hooked --format bpftrace --attachable kprobe
says "bpftrace: nothing" 1 '^btfenc: list: nothing fits that bpftrace can attach to; variadic is there, ' -f hooked \
	--format bpftrace variadic
have python3 "list: the others, as stats counts them" &&
	expect "list: the others, as stats counts them" python3 - stats.json <<'EOT'
import json, sys
functions = json.load(open(sys.argv[1]))["functions"]
assert functions["verdicts"]["ok"] == 5, functions
for obstacle, name in ("init", "at_boot"), ("exit", "never"), ("no_hook", "without_hook"), \
                      ("no_trampoline", "variadic"):
    row = functions["ok_" + obstacle]
    assert row == {"names": 1, "example": name, "symbol": name}, (obstacle, row)
EOT
"$BTFENC" stats hooked >page
expect "list: and on stats' page" grep -qE \
	'^ +1 +others \(btfenc list --attachable fentry -f hooked\)$' page

# ---- the running kernel ----

running=machine/sys/kernel
mkdir -p $running/btf $running/tracing $running/debug/kprobes machine/proc/sys/kernel
cp image.btf $running/btf/vmlinux &&
	"$BTFENC" encode -b $running/btf/vmlinux -o $running/btf/some some.o || exit 1
echo 6.1.0-1-made-up >machine/proc/sys/kernel/osrelease
printf '%s\n' write_it twice get_it 'inside [some]' any >$running/tracing/available_filter_functions
printf '0xffffffff81000000-0xffffffff81000010\ttwice\n' >$running/debug/kprobes/blacklist

i=100
for name in _stext read_it write_it twice get_it any __noinstr_text_start hidden_type __noinstr_text_end \
	_sinittext unsigned_char _einittext; do
	i=$((i + 16))
	printf 'ffffffff81000%d T %s\n' $i $name
done >machine/proc/kallsyms

lists "running: kernel and modules" 'hidden_type inside' --root machine 'hidden*' inside
says "running: a type of a module alone" 1 'nothing fits$' --root machine --takes 'struct part *'
says "running: void is a type" 1 'nothing fits$' --root machine --takes '2:void *' --module some
says "running: a type of no module" 1 'nothing fits; no type is called absent$' --root machine --takes 'struct absent *'
lists "running: a module" inside --root machine --module some
says "running: a module near one" 1 'nothing fits; no module is called sme; near sme is some$' --root machine --module sme
lists "running: only the kernel" read_it --root machine --module vmlinux 're*'
says "running: not of its modules" 1 'nothing fits$' --root machine --module vmlinux 'in*'
lists "running: fentry needs a hook, and no dots" 'get_it twice write_it inside' --root machine \
	--attachable fentry
sed -i.whole 's/ get_it$/ get_it.constprop.0/' machine/proc/kallsyms
lists "running: fentry needs a symbol of the name" 'twice write_it inside' --root machine \
	--attachable fentry
mv machine/proc/kallsyms.whole machine/proc/kallsyms
lists "running: kprobes are kept away" 'any get_it write_it inside' --root machine --attachable kprobe
mv $running/debug/kprobes/blacklist .
lists "running: fentry does not ask for what kprobes are kept from" 'get_it twice write_it inside' --root machine --attachable fentry
says "running: kprobes do" 0 'blacklist: cannot open: ' --root machine --attachable kprobe
mv blacklist $running/debug/kprobes
# Of several symbols of a name, data too, a kernel takes none.
echo 'ffffffff81000900 D any' >>machine/proc/kallsyms
lists "running: a kprobe wants the only symbol of a name" 'get_it write_it inside' --root machine \
	--attachable kprobe
sed -i '$d' machine/proc/kallsyms
says "running: a module's name" 0 '^int inside(struct file \*file)  \[some\]$' --root machine
says "running: the hook's column" 0 '^read_it	-	function	ok	no	-	' --root machine --format tsv
says "running: bpftrace with a module" 0 '^kprobe:some:inside { ' --root machine --format bpftrace \
	--attachable kprobe
# Links below the root lead nowhere: each answer is that of a root which has nothing there.
mkdir -p $running/tracing/events/mine/begun $running/debug/error_injection
echo 'read_it	ERRNO' >$running/debug/error_injection/list
: >machine/proc/modules
for place in proc/kallsyms proc/sys/kernel/osrelease proc sys/kernel/btf/some sys/kernel/btf sys sys/kernel/tracing/events \
	sys/kernel/tracing/events/mine sys/kernel/tracing/available_filter_functions sys/kernel/debug/kprobes \
	sys/kernel/debug/error_injection/list; do
	mv machine/$place outside || exit 1
	for said in nothing link; do
		{
			[ $said = nothing ] || ln -s "$work/outside" machine/$place
			"$BTFENC" list --root machine --attachable fentry --format tsv
			"$BTFENC" list --root machine/ --attachable kprobe --format tsv
			for name in begun fmod_ret/read_it fentry/inside; do
				"$BTFENC" explain --root machine $name
			done
		} 2>stderr | grep -v 'without symbols it is not known' >$said.answer
	done
	rm machine/$place && mv outside machine/$place || exit 1
	expect "list: running: a link below the root: $place" cmp nothing.answer link.answer
done
rm -r $running/tracing/events $running/debug/error_injection machine/proc/modules
# The root itself may be one, and what is mounted below it is there.
ln -s machine/../machine elsewhere
ln -s sys/kernel/btf/vmlinux machine/named
expect "list: running: a FILE below the root may be one" "$BTFENC" explain --records --root machine read_it machine/named
lists "running: the root may be a link" read_it --root elsewhere/ --module vmlinux 're*'
if unshare --user --map-root-user --mount true 2>/dev/null; then
	"$BTFENC" list --root machine --attachable fentry --format tsv >mounted.answer 2>stderr
	# shellcheck disable=SC2016 # for the other shell
	cp -r machine mounted && rm -r mounted/proc/* &&
		expect "list: running: what is mounted below the root is read" unshare --user --map-root-user --mount \
			sh -c 'mount --bind machine/proc mounted/proc && "$0" list --root mounted --attachable fentry --format tsv |
				cmp - mounted.answer' "$BTFENC"
else
	skip "list: running: what is mounted below the root" "no user namespaces here"
fi
rm $running/tracing/available_filter_functions
says "running: without tracefs" 0 'warning: machine/.*whether fentry finds a hook is not known$' \
	--root machine --attachable fentry
touch $running/tracing/README
for format in text bpftrace; do
	says "running: no kprobes, $format" 1 \
		'^btfenc: list: nothing fits: the running kernel has no kprobes (no kprobe_events in tracefs)$' \
		--root machine --attachable kprobe --format $format
done
rm $running/tracing/README
echo 'ffffffff81000a00 t rest_init' >>machine/proc/kallsyms
says "running: no kprobes, by symbols" 1 'nothing fits: the kernel is built without kprobes (it has no register_kprobe)$' \
	--root machine --attachable kprobe
sed -i '$d' machine/proc/kallsyms
echo 'int rest_init(int a) { return a; }' >without.c
(cat without.c && echo 'int register_kprobe(void *a) { return !a; }') >with.c
gcc -g -O2 -ffreestanding -c without.c && gcc -g -O2 -ffreestanding -c with.c &&
	ld -e 0 -o no-kprobes without.o && ld -e 0 -o kprobes with.o || exit 1
says "an image without kprobes" 1 '^btfenc: list: nothing fits: the kernel is built without kprobes (it has no register_kprobe)$' \
	-f no-kprobes --attachable kprobe
lists "an image with them" 'register_kprobe rest_init' -f kprobes --attachable kprobe
says "running: and it lists what may have one" 0 '^ssize_t read_it(' --root machine --attachable fentry
for by in fentry kprobe; do
	"$BTFENC" list --root machine --attachable $by --format names >"$by" 2>stderr
	# shellcheck disable=SC2016 # the inner shell's
	expect "list: running: code of init and noinstr is not for $by" sh -c 'grep -q "^read_it$" "$1" &&
		! grep -q -e "^unsigned_char$" -e "^hidden_type$" "$1"' sh "$by"
done
# BTF of pahole 1.24 does not say which of several functions a FUNC is; the kernel looks for the name.
echo 'ffffffff81000b00 t read_it' >>machine/proc/kallsyms
"$BTFENC" list --root machine --attachable fentry --format names >found 2>stderr
expect "list: running: no fentry at a name of two functions" sh -c 'test -s found && ! grep -qx read_it found'
sed -i '$d' machine/proc/kallsyms
mv machine/proc/kallsyms .
says "running: without kallsyms" 0 'warning: machine/proc/kallsyms: cannot open: .*; code that is freed' \
	--root machine --attachable fentry
mkfifo machine/proc/kallsyms $running/tracing/available_filter_functions
says "running: pipes are not waited for" 0 'available_filter_functions: is not a regular file; whether fentry' \
	--root machine --attachable fentry
rm machine/proc/kallsyms $running/tracing/available_filter_functions
cp $running/btf/vmlinux . && head -c 60 $running/btf/some >$running/btf/part
printf 'a\033' >"$running/btf/$(printf 'a\033[31m\nb')"
says "running: a module that cannot be read" 0 '^btfenc: warning: machine.*/part: .*; what is in this module is not known' \
	--root machine read_it
says "running: a name that no module has" 0 '/a?.31m?b: is not the name of a module; ' --root machine read_it
python3 - vmlinux $running/btf/vmlinux <<'EOT'
import struct, sys
btf = bytearray(open(sys.argv[1], "rb").read())
header, types, length = struct.unpack_from("<III", btf, 4)
# The last type record is cut in the middle.
struct.pack_into("<I", btf, 12, length - 4)
open(sys.argv[2], "wb").write(btf)
EOT
says "running: broken BTF" 3 'vmlinux: type [0-9]*: broken record; run' --root machine read_it
says "running: no such kernel" 3 'nowhere/sys/kernel/btf/vmlinux: ' --root nowhere

# ---- the fixtures ----

# Another machine: why nothing is attachable; no registers of x86-64 for BPF programs on kprobes.
echo 'const char linux_banner[] = "Linux version 6.1.0 (a@b) (gcc) #1 SMP"; int taker(int *a) { return *a; }' >other.c
if gcc -m32 -mregparm=3 -g -O2 -ffreestanding -c other.c 2>stderr && ld -m elf_i386 -e taker -o other other.o; then
	says "i386: no trampoline" 1 'nothing fits: not by fentry: i386 has no BPF trampoline;' -f other --attachable fentry taker
	"$BTFENC" explain taker other >said
	expect "list: i386: no BPF_KPROBE, which takes di and si" sh -c \
		'grep -q "tracefs .*a=%ax" said && ! grep -q BPF_KPROBE said'
	"$BTFENC" explain --script libbpf taker other >said
	expect "list: i386: the script's recipe names a machine that libbpf has" grep -q -e '-D__TARGET_ARCH_x86 ' said
else
	skip "list: i386" "gcc has no -m32"
fi
says "raw BTF tells no hooks" 0 'warning: image.btf: has no symbols and no code: ' -f image.btf --attachable fentry read_it
echo '#define KFUNC __attribute__((noinline, btf_decl_tag("bpf_kfunc")))
KFUNC int bpf_fentry_test1(int a) { return a + 1; }
KFUNC int callable(int a) { return a + 2; }' >tagged.c
if have clang-19 "list: kfuncs that are for fmod_ret"; then
	clang-19 -g -O2 -c tagged.c && "$BTFENC" encode -o tagged.btf tagged.o
	lists "kfuncs that are for fmod_ret" callable --kind kfunc -f tagged.btf
fi
says "raw BTF without tags" 1 'nothing fits: none is known as a kfunc' -f image.btf --kind kfunc 'rea*'

# What explain says of each function, one by one.
for variant in gcc12-dwarf5 clang19-dwarf5; do
	image=$FIXTURES/$variant/vmlinux
	if [ ! -f "$image" ]; then
		skip "list: $variant" "the fixture is not built"
		continue
	fi
	"$BTFENC" list -f "$image" --attachable fentry --format names >by-list 2>stderr
	"$BTFENC" list -f "$image" --format names | while IFS= read -r name; do
		"$BTFENC" explain -j1 "fentry/$name" "$image" | grep -q '^[^ ]*: yes, by fentry' && echo "$name"
	done >by-explain
	expect "list: $variant: fentry, as explain says" cmp by-list by-explain
	"$BTFENC" stats --json "$image" >stats.json
	have python3 "list: $variant: stats counts as many" &&
		expect "list: $variant: stats counts as many" \
			test "$(fentries_by_stats stats.json)" = "$(wc -l <by-list)"
	"$BTFENC" list -f "$image" >all
	expect "list: $variant: some, not all" test "$(wc -l <by-list)" -gt 20 -a \
		"$(wc -l <by-list)" -lt "$(wc -l <all)"
done

# ---- namesakes ----

# Two functions are declared in line 1 of two files, and one in a header that has two paths.
mkdir -p sub
echo 'static __attribute__((noinline)) int shared(int a) { return a * 3; }' >shared.h
echo 'static __attribute__((noinline)) int same(int a) { return a + 1; }
#include "shared.h"
int one(int a) { return same(a) + shared(a); }' >one.c
echo 'long outside(long a); static inline __attribute__((always_inline)) long same(long a, long b) { return outside(a) - b; }
#include "sub/../shared.h"
long two(long a) { return same(a, 2 * a) + shared((int)a); }' >two.c
for compiler in gcc clang-19; do
	have $compiler "namesakes by $compiler" || continue
	for flags in '-gdwarf-4' '-gdwarf-5' '-gdwarf-5 -gz=zlib'; do
		# shellcheck disable=SC2086 # words
		$compiler -O2 $flags -c one.c && $compiler -O2 $flags -c two.c && ld -r -o namesakes one.o two.o || exit 1
		"$BTFENC" list -f namesakes >stdout
		expect "list: namesakes in a line of the same number, $compiler $flags" \
			test "$(grep -c ' same(' stdout) $(grep -c ' shared(' stdout)" = '2 1'
		"$BTFENC" explain same namesakes >stdout
		expect "list: each has its own sites, $compiler $flags" test "$(sed -n 's/^  p:same.* two[ +].*/two/p; s/^another.*/another/p' stdout | tr '\n' ' ')" = 'another two '
		objcopy --decompress-debug-sections --dump-section .debug_line=line namesakes
		for bytes in 0 3 8 11 17 24 31 40 52 60 75 90; do
			head -c $bytes line >part && objcopy --update-section .debug_line=part namesakes damaged
			"$BTFENC" list -f damaged >stdout 2>stderr
			expect "list: $bytes bytes of .debug_line, $compiler $flags" test $? = 0 -a ! -s stderr
		done
	done
done
