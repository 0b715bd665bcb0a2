#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# btfenc explain: the first line, the probes and the exit status for each kind of function, and the
# same from any number of threads. What GCC 12 makes of clones.c is written at its head.
# shellcheck disable=SC2016 # $retval is a word of tracefs
. tests/lib.sh
. tests/lib_explain.sh

says_group=explain

cd "$work" || exit 1
for variant in gcc12-dwarf5 gcc12-lto gcc12-i386 gcc12-s390x clang22-dwarf5; do
	ln -s "$FIXTURES/$variant/vmlinux" $variant
done
says_file=gcc12-dwarf5

# ---- functions that can be promised ----

says "an ok function" 0 keep_all '^keep_all: yes, by fentry from 5.5 on: ' \
	'^  u32 keep_all(u32 a, u32 b, const u32 \*c)$' '^  vmlinux-fixtures/clones.c:73$' \
	'SEC("fentry/keep_all") int BPF_PROG(on_keep_all, u32 a, u32 b, const u32 \*c)$' \
	'bpftrace  fentry:keep_all { ' \
	'p:keep_all keep_all a=%di:u32 b=%si:u32 c=%dx:x64$' \
	'r:keep_all_return keep_all result=$retval:u32$' \
	'^    c  *const u32 \*  %dx  %dx    in-place$'
expect "explain: a small stack, which libdw would overrun" sh -c "ulimit -s 64; exec '$BTFENC' explain keep_all $says_file >stdout 2>stderr"
expect "explain: the answer is there, without lines" sh -c "grep -q '^keep_all: yes' stdout && ! grep -q clones.c:73 stdout &&
	grep -q 'warning: the stack may not have 1 MiB, .*; lines of source code are not known' stderr"
says "no parameters" 0 clones_run 'SEC("fentry/clones_run") int BPF_PROG(on_clones_run)$' \
	'p:clones_run clones_run$'
says "arguments on the stack" 0 eight_arguments 'p:eight_arguments eight_arguments a=%di:s32 .* g=+8(%sp):u64 h=+0(+16(%sp)):string$' \
	'fentry:eight_arguments { printf("a=%ld b=%ld c=%lu d=0x%lx e=%lu f=%ld g=%lu h=%s.n", args.a, .*(uint64)args.h >> 63 ? str(args.h) : str(uptr(args.h))); }'
says "no result" 0 printk '^printk: not by fentry, which refuses it because it is variadic; a kprobe works:$' 'r:printk_return printk$'
says "code that is freed after booting" 0 start_kernel '^start_kernel: only while booting' \
	'boot      kprobe_event=p:start_kernel,start_kernel$' 'at 0x.*, .init.text+0x' \
	'sees calls from the fs initcalls (level 5) on, none before$' '!SEC('
says "without a table of hooks nothing is said about them" 0 keep_all \
	'does not say whether keep_all has a tracer'
says "an outlined cold part changes nothing" 0 check_frame '^check_frame: yes, by fentry'

# ---- functions that the compiler has changed ----

says ".isra: only what is still passed is fetched" 0 sum_first \
	'^sum_first: no: the used part .*; do this instead:$' \
	'p:sum_first sum_first.isra.0 limit=%si:u32$' '1 parameter is missing in the probe' \
	'^  clone: ' '^    frame  *const struct frame \*  %di  .*scalarized$' '!fentry/sum_first"'
says ".constprop: from where it is passed now" 0 drop_middle \
	'p:drop_middle drop_middle.constprop.0 data=%di:x64 count=%si:u32$' \
	'^    count  *u32  *%dx  %si  *elsewhere$'
says ".constprop: a constant is known" 0 scale_by \
	'p:scale_by scale_by.constprop.0 value=%di:u32 factor=\\10:u32$'
says "both at once" 0 both_ways 'p:both_ways both_ways.constprop.0.isra.0 shift=\\3:u32$'
says ".part: the entry is where it was inlined" 0 table_grow \
	'^table_grow: no: only outlined [a-z]* are left' 'p:table_grow table_grow.part.0 table=%di:x64 want=%si:u32$' \
	'^  inlined at 3 addresses:$' \
	'^  p:table_grow_inline_1 table_insert+0x.* table=%di:x64 want=%si:u32  # 0x.*clones.c:129$' \
	'or trace what it was inlined into: table_insert, table_insert_two, table_reserve$'
says "a symbol of a function means the function" 0 table_grow.part.0 \
	'^table_grow, of which table_grow.part.0 is made: no: '

# ---- several functions of one name ----

# namesakes FILE OPTION...: of names_once (trap_names.c), the one that has code, and the one of
# trap_names_other.c with the same prototype, which was inlined twice.
namesakes()
{
	"$BTFENC" explain --json names_once "$@" | python3 -c 'import json, sys
answer = json.load(sys.stdin)
for one in [answer] + answer["namesakes"]:
	print(one["verdict"]["code"], len(one["instances"]), len(one["inline_sites"]),
	      one["prototype"], (one["declared"] or {}).get("file", "-"))'
}
own="ok 1 0 u32 names_once(u32 a, u32 b)"
# GCC has the beginnings of both calls at one address.
for variant in gcc12-dwarf5 gcc12-lto clang22-dwarf5; do
	if ! [ -s $variant ]; then
		skip "$variant: a function of another file keeps its sites" "$(not_built $variant)"
		continue
	fi
	other="inlined-only 0 $([ $variant = clang22-dwarf5 ] && echo 2 || echo 1) u32 names_once(u32 a, u32 b)"
	expect "$variant: a function of another file keeps its sites" test "$(namesakes $variant)" = \
		"$own vmlinux-fixtures/trap_names.c
$other vmlinux-fixtures/trap_names_other.c"
	"$BTFENC" encode --features +func_secinfo=inline -o other.btf $variant
	nm $variant | grep ' [TtWwDdBb] ' | sort >other.map
	expect "$variant: and in records" test "$(namesakes other.btf --symbols other.map)" = "$own -
$other -"
	"$BTFENC" encode --features +inline -o other.btf $variant
	"$BTFENC" dump other.btf.inline --base other.btf >other.dump
	expect "$variant: which .BTF.inline leaves out" lacks_line "'names_once'" other.dump
done
says "another function of the name follows" 0 names_once '^names_once: yes, by fentry' \
	'^another function names_once: no: every call was inlined' \
	'^  vmlinux-fixtures/trap_names_other.c:15$' '^  p:names_once_other_1_inline_1 names_other_run+'
says "a script is for one function, and says so" 0 '--script tracefs names_once' \
	'^# Calls of other functions of that name, as vmlinux-fixtures/trap_names_other.c:15, are not seen' \
	'!_inline_'

# ---- an image with BTF of its own, by which programs go ----

cat >own.c <<'EOF'
#define CALLEE __attribute__((noinline)) int
CALLEE follow(PARAMETERS) { __asm__ volatile(""); return 1; }
CALLEE same(int a) { __asm__ volatile("" : : "r"(a)); return 2; }
#ifdef OWN
CALLEE look(int **a) { __asm__ volatile("" : : "r"(a)); return 4; }
CALLEE fewer(int a, int b) { __asm__ volatile("" : : "r"(a), "r"(b)); return 5; }
__asm__(".globl again\n.set again, same\n");
#else
CALLEE again(int a) { __asm__ volatile("" : : "r"(a)); return 5; }
CALLEE look(int a) { __asm__ volatile("" : : "r"(a)); return 4; }
CALLEE fewer(int a) { __asm__ volatile("" : : "r"(a)); return 5; }
#endif
CALLEE MISSING(int a) { __asm__ volatile("" : : "r"(a)); return 3; }
EOF
# Of the module's names the base has one in its strings, another as a FUNC.
echo 'struct kept { int follow; } kept; int missing(int a) { return a; } int twice(long a) { return a; }' | gcc -g -O1 -c -o kernel.o -x c - &&
	"$BTFENC" encode -o kernel.btf kernel.o || exit 1
for side in 'own -DPARAMETERS=int\ a -DMISSING=missing -DOWN' 'other -DPARAMETERS=int\ a,long\ b -DMISSING=present'; do
	eval "gcc -g -O1 -nostdlib -static -Wl,-e,same -o ${side%% *} ${side#* } own.c"
	eval "gcc -g -O1 -c -o ${side%% *}.ko ${side#* } own.c"
done
"$BTFENC" encode -o other.btf other && "$BTFENC" encode -b kernel.btf -o split.btf other.ko &&
	"$BTFENC" encode -b kernel.btf --features default,distilled_base other.ko || exit 1
objcopy --dump-section .BTF=cut.btf --dump-section .BTF.base=cut.base other.ko
objcopy --add-section .BTF=cut.btf --add-section .BTF.base=cut.base own.ko distilled.ko
objcopy --add-section .BTF=other.btf own
objcopy --add-section .BTF=split.btf own.ko
# shellcheck disable=SC2086 # options
for says_file in own 'own.ko -b kernel.btf' distilled.ko; do
	says "what programs take is its own prototype: $says_file" 0 follow '^follow: yes, by fentry' \
		'^  int follow(int a)$' 'SEC("fentry/follow") int BPF_PROG(on_follow, int a, long int b)$' \
		'^  bpftrace  fentry:follow { print' 'p:follow follow a=' "own .BTF has int follow(int a, long int b): " \
		'!is not known: give'
	says "so is what they can read: $says_file" 0 look 'BPF_PROG(on_look, int a)$' '!cannot be read'
	says "a script goes by registers there: $says_file" 0 '--script libbpf follow' \
		'own .BTF has int follow(int a, long int b)' '^SEC("kprobe/follow")$'
	says "the same prototype is not mentioned: $says_file" 0 same 'fentry/same' '!own .BTF'
	says "another name has a FUNC there: $says_file" 0 again \
		"^again: another name of same: ask for that; fentry finds this one, too, by a FUNC in the file's own BTF$"
	expect "explain: list has it, too: $says_file" test \
		"$("$BTFENC" list --format names --attachable fentry again -f $says_file)" = again
	says "without a FUNC in it there is no fentry: $says_file" 0 missing \
		"^missing: yes, by kprobe (not by fentry: the file's own .BTF has no FUNC of that name)" '!fentry/missing'
	says "with fewer parameters in it, a trampoline would lose the others: $says_file" 0 fewer \
		"^fewer: yes, by kprobe (not by fentry: the file's own .BTF gives it fewer parameters" '!fentry/fewer' "^  note      FILE's own .BTF has int fewer(int a)$"
	expect "explain: nor is it in the list: $says_file" test \
		"$("$BTFENC" list --attachable fentry --format names -f $says_file | tr '\n' ' ')" = 'again follow look same '
	expect "explain: stats has as many: $says_file" sh -c \
		'"$0" stats '"$says_file"' | grep -qx " *4 *others, 1 of them by other names, .* (btfenc list .*"' "$BTFENC"
	expect "explain: and stats counts it: $says_file" test "$("$BTFENC" stats --json $says_file | python3 -c 'import json, sys
print(json.load(sys.stdin)["functions"]["ok_no_func"]["names"])')" = 1
done
# Of two FUNCs of one name libbpf takes the kernel's, whatever is known of the module.
cat >twice.c <<'EOF'
__attribute__((noinline)) int twice(int a) { __asm__ volatile("" : : "r"(a)); return 2; }
__attribute__((section(".gnu.linkonce.this_module"))) char this_module[8];
__attribute__((section(".modinfo"))) char info[] = "license=GPL\0name=twice";
EOF
gcc -g -O1 -c -o twice.o twice.c && "$BTFENC" encode -b kernel.btf -o twice.btf twice.o &&
	objcopy --add-section .BTF=twice.btf twice.o renamed.ko && strip -g -o stripped.ko renamed.ko &&
	mkdir -p twice.d root.d/sys/kernel/btf && cp kernel.btf root.d/sys/kernel/btf/vmlinux &&
	cp twice.btf root.d/sys/kernel/btf/twice && cp twice.o twice.d/other.ko &&
	"$BTFENC" encode -b kernel.btf --features default,distilled_base twice.d/other.ko &&
	cp kernel.o kernel.elf && objcopy --add-section .BTF=kernel.btf kernel.elf || exit 1
shared="not by fentry: the kernel's BTF has a FUNC of that name, which libbpf finds first"
for says_file in 'renamed.ko -b kernel.btf' 'stripped.ko -b kernel.btf' 'renamed.ko -b kernel.btf --records' \
	'twice.o -b kernel.btf' 'twice.btf -b kernel.btf' '--root root.d' 'kernel.elf --modules twice.d'; do
	says "of two FUNCs of one name libbpf takes the kernel's: $says_file" 0 fentry/twice:twice \
		"$shared" '!fentry/twice"'
done
for says_file in 'renamed.ko -b kernel.btf' 'stripped.ko -b kernel.btf' 'twice.btf -b kernel.btf'; do
	# shellcheck disable=SC2086 # options
	expect "explain: nor has list it: $says_file" test -z \
		"$("$BTFENC" list --attachable fentry --format names -f $says_file 2>log)"
done
expect "explain: nor has list it: --root" test -z \
	"$("$BTFENC" list --attachable fentry --module twice --format names --root root.d 2>log)"
expect "explain: nor has list it: --modules" test -z \
	"$("$BTFENC" list --attachable fentry --module twice --format names -f kernel.elf --modules twice.d 2>log)"
says_file='renamed.ko -b kernel.btf'
says "the module's name is that of .modinfo" 0 twice 'kprobe:twice:twice ' 'p:twice twice:twice a=' '!^  bpf ' \
	'bpf_program__attach_kprobe(program, false, "twice:twice")$'
says "and libbpf cannot say it" 0 '--script libbpf twice' "by that name libbpf finds the kernel's function$" '!^SEC'
fails "a base that is not there" 3 'none: cannot open' -b none twice twice.o
printf 'not BTF' >damaged.btf && objcopy --add-section .BTF=damaged.btf twice.o damaged.ko
says_file=damaged.ko
says "a .BTF that cannot be read" 0 twice "^  note      which prototype the file's own .BTF has, .* cannot be read, and btfenc check tells why$"
mkdir own.d && cp own.ko own.d || exit 1
says_file='kernel.elf --modules own.d'
says "the base is that of --modules" 0 follow "own .BTF has int follow(int a, long int b): "
# shellcheck disable=SC2086 # options
expect "explain: for list, too" test \
	"$("$BTFENC" list --attachable fentry --module own --format names -f $says_file | tr '\n' ' ')" = 'again follow look same '
says_file=own.ko
says "without a base it is not known" 0 follow 'SEC("fentry/follow") int BPF_PROG(on_follow, int a)$' \
	"^  note      which prototype the file's own .BTF has, .* is not known: give the kernel's BTF with -b$"
"$BTFENC" list --attachable fentry -f own.ko >/dev/null 2>log
expect "explain: nor to list" grep -q "own.ko: which FUNCs its own .BTF has, .* give the kernel's BTF with -b$" log
says "nor to scripts" 0 '--script libbpf follow' '^SEC("fentry/follow")$' '^ [*] Which prototype .* is not known: give '
fails "the base of another module" 3 'own.ko: is not split from cut.base ' -b cut.base follow own.ko
says_file=kernel.o
says "without .BTF there is nothing to be known" 0 missing 'fentry/missing' '!is not known: give'
says_file=gcc12-dwarf5

# Two FUNCs of one name, which btfenc does not write: another name in the strings becomes it.
echo 'int twin_1(int a) { return a; } int twin_2(char *a) { return *a; } int lone(int a) { return a; }' |
	gcc -g -O1 -fno-ipa-icf -c -o twins.o -x c - && "$BTFENC" encode -o twins.btf twins.o || exit 1
sed -i 's/twin_2/twin_1/' twins.btf
says_file=twins.btf
says "of two FUNCs of one name BTF does not say which it is" 0 twin_1 '^twin_1: no: several functions have this name' '!fentry'
expect "explain: nor are they in the list" test \
	"$("$BTFENC" list --attachable fentry --format names -f twins.btf 2>log)" = lone
expect "explain: a kprobe needs no FUNC" test \
	"$("$BTFENC" list --attachable kprobe --format names -f twins.btf 2>log | tr '\n' ' ')" = "lone twin_1 "
says_file=gcc12-dwarf5

# ---- structs by value: trampolines read slots of 8 bytes one after the other ----

cat >by_value.c <<'EOF'
#define CALLEE __attribute__((noinline)) long
struct packed { char c; long l; } __attribute__((packed));
struct aligned { int i; } __attribute__((aligned(16)));
struct two { long a, b; };
struct inner { long a, b; };
struct { long a; struct inner b; } outer;
struct wide { long a, b; } __attribute__((aligned(16)));
/* It does not show how the type in it is aligned elsewhere. */
struct __attribute__((packed)) { char a; struct wide b; } around;
struct parts { int a : 3, b : 5; struct { short x, y; } c; void *p; };
struct text { char text[16]; };
CALLEE packed(struct packed s, long b) { asm(""); return s.l + b; }
CALLEE aligned(long a, long b, long c, long d, long e, long g, long h, struct aligned s) { asm(""); return h + s.i; }
CALLEE in_registers(struct two s, long b) { asm(""); return s.a + b; }
CALLEE ninth(long a, long b, long c, long d, long e, long g, long h, struct two s) { asm(""); return h + s.a; }
CALLEE seventh(long a, long b, long c, long d, long e, struct two s, long h) { asm(""); return h + s.a; }
CALLEE tenth(long a, long b, long c, long d, long e, long g, long h, struct inner s) { asm(""); return h + s.a; }
CALLEE twelfth(long a, long b, long c, long d, long e, long g, long h, struct wide s) { asm(""); return h + s.a; }
CALLEE parts(struct parts s) { asm(""); return s.a + s.c.x; }
CALLEE text(struct text s) { asm(""); return s.text[3]; }
EOF
if [ "$(uname -m)" = x86_64 ] && gcc -O2 -g -pg -mfentry -c by_value.c; then
	first_line()
	{
		"$BTFENC" explain "$2" by_value.o | head -n 1 | grep -e "$1"
	}
	for function in packed aligned ninth twelfth; do
		expect "explain: $function: no fentry" first_line 'trampolines may take from the wrong place' $function
	done
	for function in in_registers seventh tenth parts text; do
		expect "explain: $function: fentry" first_line 'yes, by fentry' $function
	done
fi

# ---- namesakes, inlined functions, assembler ----

says "static namesakes are told apart by offsets" 0 list_count \
	'^list_count: no: several functions have this name; do this instead:$' \
	'p:list_count_1 _stext+0x.* head=%di:x64  # list_count of .*/inline_address.c$' \
	'p:list_count_2 _stext+0x.* head=%di:x64  # list_count of .*/inline_mixed.c$' \
	'^  inlined at 3 addresses:$'
says "an inlined function" 0 level_two '^level_two: no: every call was inlined' \
	'^  int level_two(int value)$' '^  p:level_two_inline_1 inline_mixed_run+0x.*, in level_one()$'
says "an assembler's function, declared in C" 0 asm_identity \
	'^asm_identity: no: its code has no prototype' '^  long int asm_identity(long int)$' \
	'p:asm_identity asm_identity$' 'r:asm_identity_return asm_identity$'
says "an assembler's function, not declared" 0 asm_local 'p:asm_local asm_local$'
# GNU as writes no DW_AT_external for a weak symbol.
says "an assembler's local function is static" 0 asm_local '^  at .*: asm_local, static, of '
if have gcc-12 "explain: a weak function of an assembler"; then
	printf '%s\n' .text '.weak asm_weak' '.type asm_weak, @function' 'asm_weak: ret' '.size asm_weak, .-asm_weak' \
		>weak.s
	echo 'int caller(int value) { return value; }' >weak.c
	gcc-12 -g -nostdlib -static -Wl,-e,caller -o weak weak.s weak.c >log 2>&1
	"$BTFENC" explain asm_weak weak >log
	expect "explain: a weak function of an assembler is global" grep -q '^  at .*: asm_weak, global, of ' log
fi

# ---- tracepoints ----

says "an event of another's class" 0 ticket_sold '^ticket_sold: yes, it is a tracepoint' \
	'SEC("tp_btf/ticket_sold") int BPF_PROG(on_ticket_sold_tp, const struct ticket \*ticket, u64 price)$' \
	'SEC("tp/box_office/ticket_sold") int on_ticket_sold_event(struct trace_event_raw_ticket_template \*ctx)' \
	'tracepoint:box_office:ticket_sold { print(args.seat); }$' \
	'echo 1 > events/box_office/ticket_sold/enable$' \
	'tracepoint box_office:ticket_sold of class ticket_template$' \
	'struct trace_event_raw_ticket_template, 32 bytes:$' '^       12  char owner\[12\]$' \
	'^       24  u64 price$'
says "an event of its own" 0 ticket_refused 'struct trace_event_raw_ticket_refused, 16 bytes:$' \
	'^        8  int reason$' 'tracepoint box_office:ticket_refused$'
says "a tracepoint without an event" 0 ticket_counted_tp 'SEC("tp_btf/ticket_counted_tp")' \
	'rawtracepoint:ticket_counted_tp ' 'it has no event in tracefs' '!tracefs  '

# ---- machines and releases ----

says_file=gcc12-i386
if [ -s "$says_file" ]; then
	says "a machine without trampolines" 0 keep_all \
		'^keep_all: yes, by kprobe (not by fentry: i386 has no BPF trampoline): one prototype' \
		'p:keep_all keep_all a=%ax:u32 b=%dx:u32 c=%cx:x32$' \
		'!SEC("fentry/\|bpftrace  fentry\|hook' '!BPF_KPROBE'
	says "more arguments than registers" 0 eight_arguments 'p:eight_arguments eight_arguments ' \
		'!SEC('
	says "a copy that may have lost its result" 0 sum_first \
		'r:sum_first_return sum_first.isra.0$' \
		'it is not known whether sum_first.isra.0 still returns its value' \
		'  BTF has no FUNC sum_first, because no code has that name$'
	says ".constprop alone drops no result" 0 scale_by \
		'r:scale_by_return scale_by.constprop.0 result=$retval:u32$'
else
	skip "explain: a machine without trampolines" "gcc12-i386 was not built"
fi
# BTF does not tell how a struct is aligned, nor thus where the parameters are behind it.
cat >wide.c <<'EOT'
struct triple { long a, b, c; };
__attribute__((noipa)) struct triple returned(int *from, long long wide)
{
	return (struct triple){ *from, (long)wide, (long)(wide >> 32) };
}
int _start(void) { int x = 0; return (int)returned(&x, 5).a; }
EOT
says_file=wide
if gcc -m32 -mregparm=3 -g -O2 -ffreestanding -nostdlib -static -no-pie -o wide wide.c 2>stderr; then
	says "a struct returned, and a number of two words in memory" 0 returned \
		'p:returned returned from=%dx:x32 wide=+4(%sp):s64$' '!missing in the probe'
else
	skip "explain: a struct returned on i386" "gcc has no -m32"
fi
says_file=gcc12-s390x
if [ -s "$says_file" ]; then
	says "a release that is not known" 0 keep_all '^keep_all: yes, by fentry from 6.3 on: ' \
		'SEC("fentry/keep_all")'
	says "another copy that may have lost its result" 0 sum_first \
		'r:sum_first_return sum_first.isra.0$'
else
	skip "explain: a release that is not known" "gcc12-s390x was not built"
fi
says_file=gcc12-dwarf5
says "a copy whose result a caller reads" 0 sum_first \
	'r:sum_first_return sum_first.isra.0 result=$retval:u32$'
says "arguments on the stack, a release that is not known" 0 eight_arguments \
	'^eight_arguments: yes, by fentry from 6.6 on (more than 6 arguments): '

cat >kernel.c <<'EOT'
struct pair { long a, b; };
#ifdef MODULE
static const char magic[] __attribute__((section(".modinfo"), used)) =
	"license=GPL\0vermagic=" RELEASE " SMP mod_unload";
#else
const char linux_banner[] = "Linux version " RELEASE " (somebody@somewhere) #1";
#endif
int traced(int a, const char *b) { return a + *b; }
long nine(long a, long b, long c, long d, long e, long f, long g, long h, long i) { return a + i; }
long paired(struct pair p) { return p.a + p.b; }
void trapping(void) { __builtin_trap(); }
long called(struct pair p, int (*f)(int)) { return f(p.a) + p.b; }
long named(struct pair p, void *ctx, long result) { return p.a + result + (long)ctx; }
long resulting(long *result) { return *result; }
#ifdef HOOKS
__asm__(".section .init.data, \"aw\"\n.globl __start_mcount_loc, __stop_mcount_loc\n"
	"__start_mcount_loc: .quad traced, nine\n__stop_mcount_loc: .quad 1\n.previous");
#endif
#ifdef ATTACHES
int register_ftrace_direct(void) { return 0; }
__attribute__((ATTACHES)) int arch_prepare_bpf_trampoline(void) { return 0; }
#endif
EOT

# built_for COMPILER RELEASE ARGUMENT...: an image of that release is $says_file; or false.
built_for()
{
	built_compiler=$1 built_release=$2 says_file=kernel
	shift 2
	command -v "$built_compiler" >/dev/null 2>&1 || return 1
	"$built_compiler" -g -O2 -ffreestanding -fno-pie -nostdlib -static -Wl,-e,traced \
		-Wl,--build-id=none "-DRELEASE=\"$built_release\"" "$@" -o "$says_file" kernel.c
}

built_for gcc 5.3.18 -fcf-protection=none
says "an instruction that some kernels of a release refuse" 0 trapping '^trapping: yes, by kprobe' \
	'^  note .*it is not known whether a kprobe at trapping is taken: of the releases before 5.4 only late stable'
built_for gcc 5.4.0 -fcf-protection=none
says "an instruction that the kernel refuses" 0 trapping \
	'^trapping: no: not by fentry: .*; not by kprobe: the instruction there is that of a BUG() or WARN()$'
built_for gcc 6.5.13 -DATTACHES=used
says "a kernel that attaches by fentry" 0 traced '^traced: yes, by fentry: one prototype'
says "a kernel before more than 6 arguments" 0 nine \
	'^nine: yes, by kprobe (not by fentry: x86-64 takes more than 6 arguments from 6.6 on, this is 6.5): ' \
	'p:nine nine a=%di:s64 .* i=+24(%sp):s64$'
says "structs by value" 0 paired '^paired: yes, by fentry: ' \
	'SEC("fentry/paired") int BPF_PROG2(on_paired, struct pair, p)$' \
	'SEC("fexit/paired") int BPF_PROG2(on_paired_exit, struct pair, p, long int, result)$' \
	'kprobe:paired { printf("p_1=0x%lx p_2=0x%lx.n", reg("di"), reg("si")); }$' 'bpfsnoop -k .paired'
says "structs by value, and a function" 0 called \
	'BPF_PROG2(on_called, struct pair, p, __typeof__(int (\*)(int)), f)$'
says "names that the macros have" 0 named \
	'BPF_PROG2(on_named_exit, struct pair, p, void \*, ctx_, long int, result, long int, result_)$'
says "a parameter called result" 0 resulting \
	'BPF_PROG(on_resulting_exit, long int \*result, long int result_)$'
built_for gcc 6.0.19 -DATTACHES=used
says "a kernel before structs by value" 0 paired \
	'^paired: yes, by kprobe (not by fentry: x86-64 takes structs by value from 6.1 on, this is 6.0): '
built_for gcc 6.6.0-1-amd64 -DATTACHES=used
says "a kernel with more than 6 arguments" 0 nine '^nine: yes, by fentry: ' 'SEC("fentry/nine")'
built_for gcc 6.12.1
says "a kernel built without" 0 traced \
	'^traced: yes, by kprobe (not by fentry: this kernel is built without what it needs there, '
built_for gcc 6.12.1 -DATTACHES=weak
says "a kernel with the function that refuses" 0 traced '^traced: yes, by kprobe (not by fentry: '
# The table of a kernel that moves itself is zeros, and relocations, which the debug file does not have.
for moves in '' '-fpie -static-pie'; do
	# shellcheck disable=SC2086 # two options
	built_for gcc 6.5.13 -DATTACHES=used -DHOOKS -Wl,--build-id $moves
	[ -z "$moves" ] || head -c 24 /dev/zero >zeros
	[ -z "$moves" ] || objcopy --update-section ".init.data=zeros" "$says_file"
	objcopy --only-keep-debug "$says_file" kernel.debug
	strip "$says_file"
	objcopy --add-gnu-debuglink=kernel.debug "$says_file"
	says "a stripped kernel: its release${moves:+, $moves}" 0 nine 'takes more than 6 arguments from 6.6 on, this is 6.5): '
	says "a stripped kernel: a function in its table of hooks${moves:+, $moves}" 0 traced '^traced: yes, by fentry: '
	says "a stripped kernel: one that is not${moves:+, $moves}" 0 paired '^paired: not by fentry: it has no tracer.s hook'
done
built_for gcc 5.4.0 -DMODULE -c
says "a module before trampolines" 0 traced \
	'^traced: yes, by kprobe (not by fentry: x86-64 takes it from 5.5 on, this is 5.4): '
built_for gcc 6.12.1 -DMODULE -c
says "a module's release" 0 nine '^nine: yes, by fentry: '

# What the kernel replaces when it boots: by alternatives of some processors and of all (117), of no
# bytes, and by a call of paravirt_ops.
cat >patched.c <<'EOT'
static const char magic[] __attribute__((section(".modinfo"), used)) = "license=GPL\0vermagic=6.1.0 SMP";
int use(int a);
#ifdef __x86_64__
#define LOAD "call *use(%rip)"
#define PLAIN ".byte 0x66, 0x0f, 0x1f, 0x44, 0, 0"
__asm__(".section __mcount_loc, \"a\"\n.quad caller, changed\n.previous");
void paravirt(void)
{
	__asm__ volatile("1: " LOAD "\n2:\n.section .parainstructions, \"a\"\n.quad 1b\n.byte 1, 2b - 1b\n.previous");
}
#else
#define LOAD "hvc #0"
#define PLAIN "nop"
#endif
#define ALTERNATIVE(old, new, feature) __asm__ volatile("1: " old "\n2:\n" \
	".section .altinstructions, \"a\"\n.long 1b - ., 3f - .\n.short " #feature "\n.byte 2b - 1b, 4f - 3f\n" \
	".previous\n.section .altinstr_replacement, \"ax\"\n3: " new "\n4:\n.previous")
void changed(void) { ALTERNATIVE(LOAD, PLAIN, 7); }
void kept(void) { ALTERNATIVE(PLAIN, PLAIN, 7); }
static inline __attribute__((always_inline)) void inlined(int a) { ALTERNATIVE(PLAIN, LOAD, 7); }
int caller(int a) { a = use(a); inlined(a); return a + use(a); }
#ifdef __x86_64__
void always(void) { ALTERNATIVE(LOAD, PLAIN, 117); }
void without(void) { ALTERNATIVE(".byte 0xe9; .long 4", "", 7); }
#endif
EOT
not_known='it is not known whether a kprobe at .* is taken: the kernel replaces the code there when it boots'
for compiler in gcc aarch64-linux-gnu-gcc-12; do
	says_file=patched
	if ! command -v $compiler >/dev/null || { [ $compiler = gcc ] && [ "$(uname -m)" != x86_64 ]; } ||
		! $compiler -g -O2 -ffreestanding -fcf-protection=none -c -o patched patched.c 2>stderr &&
			! $compiler -g -O2 -ffreestanding -c -o patched patched.c 2>stderr; then
		skip "explain: code that is replaced: $compiler" "$compiler is not installed, or of another machine"
		continue
	fi
	says "code that some processors replace: $compiler" 0 changed "$not_known" 'p:changed changed  # not known whether it is taken$' \
		'r:changed_return changed  # not known, either$'
	says "code that is replaced by what is as good: $compiler" 0 kept '!not known whether' 'p:kept kept'
	says "an inlined call there: $compiler" 0 inlined '^  p:inlined_inline_1 caller+.*, not known whether it is taken: '
	says "an inlined call there, for tracefs: $compiler" 0 '--script tracefs inlined' '^# Calls are seen at 1 address' \
		"^probe inlined_inline_1 'caller+.*' # not known whether it is taken$"
	says "an inlined call there, for bpftrace: $compiler" 0 '--script bpftrace inlined' \
		'calls inlined at caller+.*: the kernel replaces the code there'
	says "an inlined call there, in JSON: $compiler" 0 '--json inlined' '"kprobe": null'
	[ $compiler = gcc ] || continue
	says "code that all processors replace" 0 always '!known whether a kprobe' 'p:always always'
	says "a call of paravirt_ops" 0 paravirt '!no kprobe' '!known whether a kprobe' 'p:paravirt paravirt'
	says "a NOP at the entry of some processors" 0 without '^without: not known whether by fentry: it has no tracer.s hook' \
		'!no fentry at'
	says "which is for programs on one function alone" 0 kprobe.multi/without '^without: not by kprobe.multi: it has no tracer.s hook (notrace);'
done

# machine COMPILER OLD-RELEASE NEW-RELEASE WHY FETCH: `traced` of a module of that machine.
machine()
{
	if ! built_for "$1" "$2" -DMODULE -c; then
		skip "explain: $1" "$1 is not installed"
		return
	fi
	says "$1, $2" 0 traced "^traced: yes, by kprobe (not by fentry: $4): " "p:traced traced $5\$"
	says "$1, $2: a program that needs a trampoline" 0 fmod_ret/traced "^traced: not by fmod_ret: $4; yes, by kprobe: "
	says "$1, $2: one that does not" 0 kretprobe/traced "^traced: yes, by kprobe (not by fentry: $4): "
	built_for "$1" "$3" -DMODULE -c
	says "$1, $3" 0 traced '^traced: yes, by fentry: ' 'SEC("fentry/traced")' \
		"p:traced traced $5\$"
}

machine aarch64-linux-gnu-gcc-12 6.1.0-56-cloud-arm64 6.12.117+deb12-arm64 \
	'arm64 takes it from 6.4 on, this is 6.1' 'a=%x0:s32 b=+0(%x1):string'
machine s390x-linux-gnu-gcc-12 6.1.0-50-s390x 6.3.0 \
	's390x takes it from 6.3 on, this is 6.1' 'a=%r2:s32 b=%r3:x64'
machine powerpc64le-linux-gnu-gcc-12 6.1.0-50-powerpc64le 6.13.1 \
	'ppc64le takes it from 6.13 on, this is 6.1' 'a=%gpr3:s32 b=+0(%gpr4):string'
machine riscv64-linux-gnu-gcc-12 6.7.1 7.2.13+deb14-riscv64 \
	'riscv64 takes it from 6.8 on, this is 6.7' 'a=%a0:s32 b=+0(%a1):string'
if built_for arm-linux-gnueabi-gcc-12 7.2.0 -DMODULE -c; then
	says "arm" 0 traced '^traced: yes, by kprobe (not by fentry: arm has no BPF trampoline): ' \
		'p:traced traced a=%r0:s32 b=%r1:x32$'
	# GCC's lists for ARM have the frame 8 bytes too low after the entry; for Thumb they are right.
	cat >frame.c <<'EOT'
int use(void *, int), both(int *, int *, int);
static inline __attribute__((always_inline)) int callee(int *to, int count)
{
	asm volatile("nop");
	return both(to, to + 1, count) + use(to, count);
}
int outer(int a, int b)
{
	int numbers[10];
	use(numbers, a);
	return callee(numbers + 2, b) + use(numbers, a);
}
EOT
	for mode in -marm -mthumb; do
		arm-linux-gnueabi-gcc-12 -march=armv7-a $mode -g -O2 -c -o frame.o frame.c
		says_file=frame.o
		says "arm $mode: only what is certain" 0 callee 'p:callee_inline_1 outer+0x[0-9a-f]* count=%r[0-9]:s32  #'
	done
else
	skip "explain: arm" "arm-linux-gnueabi-gcc-12 is not installed"
fi

# ---- namesakes that are freed ----

cat >setup.c <<'EOT'
static __attribute__((noinline, section(".init.text"))) int setup(int flags) { return flags * N; }
int NAME(int flags);
__attribute__((section(".init.text"))) int NAME(int flags) { return setup(flags + 1) + 1; }
EOT
gcc -g -O2 -ffreestanding -fno-pie -c -DN=3 -DNAME=one -o one.o setup.c
gcc -g -O2 -ffreestanding -fno-pie -c -DN=5 -DNAME=two -o two.o setup.c
says_file=setup
ld -e one --defsym _stext=0x400000 -o "$says_file" one.o two.o
says "two functions that are freed have two events" 0 setup \
	'kprobe_event=p:setup_1,[^,]*,flags=%di:s32$' \
	'kprobe_event=p:setup_2,[^,]*,flags=%di:s32$'

# ---- what callers do ----

says_file=clang22-dwarf5
if [ -s "$says_file" ]; then
	says "a register that callers leave as it is" 0 unread_here \
		'^unread_here: no: ' '^    unused  *u32  *%si  *-  *unset$' ', 2 leave it clobbered;'
	says "a register that callers use for another one" 0 unread_static \
		'^    unused  *u32  *%si  *-  *removed$' '^    more  *u32  *%dx  *%si  *elsewhere$'
	says "a register that callers set for nothing" 0 unread_late '^unread_late: yes' \
		'1 call site: 1 describe the argument'
else
	skip "explain: what callers do" "$(not_built clang22-dwarf5)"
fi
says_file=gcc12-dwarf5

# ---- names that are not there ----

says "a typing error" 1 sum_firts '^sum_firts: no function or tracepoint of that name' '^  sum_first$'
says "a beginning" 1 table_inser '^  table_insert$'
says "a variable" 0 sink '^sink: a variable of [0-9]* bytes, at 0x[0-9a-f]*, .bss; from ' '^  .* sink$'
says "a macro" 1 QQQ_QQQ 'if it is a macro'
says "a tracepoint's near miss" 1 ticket_sol '^  ticket_sold, a tracepoint$'
says "an event's near miss" 1 tp/box_office/ticket_sol '^ticket_sol: no tracepoint of that name is in box_office' '^  ticket_sold, a tracepoint$'
says "nothing near" 1 qqqqqqqqqqqqqqqq '^qqqqqqqqqqqqqqqq: no function' '!near it'

# A system call has the name of its entry, and no variable has its own. The nearest name comes first.
cat >call.c <<'EOT'
struct pt_regs { long di, si, dx; };
long __x64_sys_read(const struct pt_regs *regs);
long __x64_sys_read(const struct pt_regs *regs) { return regs->di + regs->dx; }
EOT
gcc -g -O2 -c -o call.o call.c
says_file=call.o
says "a system call" 1 sys_read "^sys_read: no function or tracepoint of that name is in call.o\$" \
	'^  __x64_sys_read$' '!variable'
says_file=gcc12-dwarf5

# ---- every variant: threads, JSON ----

names='keep_all sum_first table_grow list_count level_two asm_identity start_kernel ticket_sold no_such_name'
mkdir answers
for file in "$FIXTURES"/*/vmlinux; do
	variant=${file%/vmlinux}
	variant=${variant##*/}
	for name in $names; do
		wanted=0
		[ "$name" != no_such_name ] || wanted=1
		for form in --json ''; do
			out=answers/$variant$form-$name
			for jobs in 1 3; do
				# shellcheck disable=SC2086 # an empty form is not an argument
				"$BTFENC" explain -j $jobs $form "$name" "$file" >"$out.$jobs"
				status=$?
				[ $status -eq $wanted ] && [ -s "$out.$jobs" ] ||
					echo "$name: exit status $status, or nothing is printed"
			done
			cmp "$out.1" "$out.3" || echo "$name $form: not the same from several threads"
		done
	done >wrong 2>&1
	[ ! -s wrong ]
	outcome $? "explain: $variant" wrong
done
expect "explain: --json is JSON" python3 -c 'import json, sys
for path in sys.argv[1:]:
    try:
        json.load(open(path))
    except ValueError as error:
        sys.exit(f"{path}: {error}")' answers/*--json-*.1

"$BTFENC" explain --json scale_by "$says_file" >json
have python3 "explain --json: the keys" &&
	expect "explain --json: the keys" python3 - json <<'EOT'
import json, sys
e = json.load(open(sys.argv[1]))
assert e["name"] == "scale_by" and e["known"] and e["verdict"]["code"] == "param-constant"
assert {r["code"] for r in e["reasons"]} == {"param-constant", "param-removed", "clone"}
assert e["prototype"] == "u32 scale_by(u32 value, u32 factor)"
assert e["declared"] == {"file": "vmlinux-fixtures/clones.c", "line": 57}
assert e["inline_sites"] == [] and e["tracepoint"] is None
(i,) = e["instances"]
assert i["symbol"] == "scale_by.constprop.0" and i["joined"] == "copy" and i["section"] == ".text"
assert [p["fetch"] for p in i["parameters"]] == ["value=%di:u32", "factor=\\10:u32"]
assert i["ftrace"] is None and i["kprobe"] is True
EOT

# ---- what a name stands for ----

ln -s "$FIXTURES/gcc12-dwarf5/vmlinux" gcc12
address=0x$(nm gcc12 | sed -n 's/ [tT] keep_all$//p')
echo 'int kept_noprof(int a) { return a + 1; }' | gcc -g -O2 -xc -c -o macro.o - || exit 1
for asked in "$address gcc12 is in a function: the answer is about keep_all" \
	"kept macro.o is a macro in this kernel: the answer is about kept_noprof"; do
	# shellcheck disable=SC2086 # words
	set -- $asked
	"$BTFENC" explain "$1" "$2" >stdout 2>stderr
	expect "explain: $asked" test "$(cat stderr) $(sed -n '1s/:.*//p' stdout)" = \
		"btfenc: warning: $1 ${asked#"$1 $2 "} ${asked##* }"
done

# ---- names of a list ----

printf 'keep_all\n# none\nticket_sold\n\nno name\n fentry/drop_middle\r\nno_such\nstruct device\nkprobe:scale_by\n' >names
"$BTFENC" explain --json --names names gcc12 >many 2>stderr
expect "explain: --names: the worst of all is the status" test $? -eq 2 -a "$(cat stderr)" = \
	'btfenc: explain: no name is no name: give the one that is in it; see btfenc explain --help'
for asked in keep_all ticket_sold fentry/drop_middle no_such 'struct device' kprobe:scale_by; do
	"$BTFENC" explain --json "$asked" gcc12 2>>log
done >each
expect "explain: --names: each is as alone" cmp each many
grep -v ' ' names | "$BTFENC" explain --names - gcc12 >many 2>stderr
expect "explain: --names: as text" test $? -eq 1 -a "$(grep -c '^[a-z_]*: ' many)" -eq 4 -a ! -s stderr
echo in_module >names2 && mkdir some.d && echo 'int in_module(int a) { return a; }' | gcc -g -O2 -xc -c -o some.d/some.ko - || exit 1
expect "explain: --names: of a module" sh -c '"$BTFENC" explain --names names2 gcc12 --modules some.d | grep "^in_module: "'
expect "explain: --names: no script" sh -c '! "$BTFENC" explain --script tracefs --names names2 gcc12 2>log'
"$BTFENC" encode -o gcc12.btf gcc12
"$BTFENC" explain --names names gcc12 lto >many 2>stderr
expect "explain: --names: of one file" test $? -eq 2 -a ! -s many -a "$(wc -l <stderr)" -eq 1

# ---- several kernels ----

ln -s "$FIXTURES/gcc12-lto/vmlinux" lto
mkdir a-build && ln -s ../gcc12 a-build/vmlinux
if [ -s lto ]; then
	for asked in "stack_weak gcc12 lto" "drop_middle a-build gcc12.btf" "ticket_sold gcc12 lto" "level_one gcc12 gcc12.btf" \
		"no_such gcc12 lto" "FLAVOR_SALT gcc12 gcc12.btf"; do
		# shellcheck disable=SC2086 # words
		golden "explain: of several kernels: $asked" explain/several-kernels."${asked%% *}" explain $asked
	done
else
	skip "explain: of several kernels" "$(not_built gcc12-lto)"
fi

# ---- the command line ----

fails "no name" 2 'btfenc: explain: no NAME is given; see '
fails "no file" 2 "btfenc: explain: no FILE is given, and the running kernel's BTF cannot be read: " \
	--root . keep_all
fails "a script of several files" 2 'btfenc: explain: --script is for one FILE' --script tracefs a b c
fails "symbols of several files" 2 'btfenc: explain: --extra, --symbols, --running and --module are for one FILE' --symbols a b c d
fails "an empty name" 2 'btfenc: explain: NAME is empty' '' "$says_file"
fails "unknown option" 2 'btfenc: explain: --what is not an option; see ' --what a b
fails "-j text" 2 "btfenc: explain: -j needs a number" -j x a b
fails "unknown feature" 2 "'nope' is unknown" --features nope a b
fails "missing file" 3 'btfenc: missing: ' keep_all missing
objcopy --strip-debug "$says_file" stripped
fails "no DWARF" 3 'has no DWARF' keep_all stripped
"$BTFENC" encode -o base "$says_file"
cp "$says_file" split && "$BTFENC" encode -b base split && objcopy --strip-debug split
fails "the base is what is missing" 3 '^btfenc: split: is split BTF; give its base with --base' \
	--records keep_all split
if [ -w /dev/full ]; then
	"$BTFENC" explain keep_all "$says_file" >/dev/full 2>stderr
	expect "explain: output is full" test $? -eq 3 -a -s stderr
fi
