#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# btfenc explain: what serves better than a function (tracepoints in its code, system calls, LSM
# hooks, iterators, what a wrapper calls), how tracepoints' arguments reach BPF programs, and names as
# tracers write them. Of a small kernel, by its DWARF and by records.
# shellcheck disable=SC2016 # $retval is a word of tracefs
. tests/lib.sh
. tests/lib_explain.sh

says_group=hooks

root=$(pwd)
cd "$work" || exit 1
cat >image.c <<'EOT'
#define OUTSIDE __attribute__((noinline, noclone, noipa))
#define INSIDE static inline __attribute__((always_inline))
struct item { int count; };
struct sk_buff { int len; };
struct opaque;
struct bpf_iter__item { struct item *item; } iterator;
struct trace_event_raw_begun { int ent; int count; char comm[16]; unsigned __data_loc_name; char __data[]; } record;
struct trace_event_raw_many { int ent, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12; } many_record;
typedef void (*btf_trace_many)(void *, struct item *);
btf_trace_many many_pointer;
char __tracepoint_many, event_many;
struct { const char *system; } event_class_begun = { "mine" }, event_class_many = { "mine" };
static const char *const types[] = { "int", "const char *" }, *const names[] = { "fd", "path" };
struct { const char *name; int number, count; const char *const *types, *const *names; } __syscall_meta__thing = {
	"sys_thing", 1, 2, types, names };
typedef void (*btf_trace_begun)(void *, struct item *, int, void *, struct item **, struct item *,
				struct opaque *);
typedef void (*btf_trace_ended)(void *, struct item *);
btf_trace_begun begun;
btf_trace_ended ended;
char __tracepoint_begun, __tracepoint_ended, event_begun;
char event_enter__thing, event_exit__thing, event_enter__exit, event_exit__exit, event_enter__gone,
	event_exit__gone, event_enter__newgone;

OUTSIDE int __traceiter_begun(void *__data, struct item *item, int extra, void *cookie,
			      struct item **items, struct item *may__nullable, struct opaque *opaque)
{
	return item->count + extra + !cookie + !items + !may__nullable + !opaque + record.ent;
}
OUTSIDE int __traceiter_ended(void *__data, struct item *item) { return item->count; }
INSIDE void trace_begun(struct item *item)
{
	__traceiter_begun(0, item, item->count, 0, 0, item, 0);
}
INSIDE void trace_nothing(struct item *item) { item->count++; }

OUTSIDE int starts(struct item *item) { trace_begun(item); return item->count; }
OUTSIDE int starts_nothing(struct item *item) { trace_nothing(item); return item->count; }
OUTSIDE int ends(struct item *item) { return __traceiter_ended(0, item) + 1; }
OUTSIDE int drop(struct sk_buff *skb, int reason) { return skb->len += reason; }
__asm__(".text; .type __pfx_drop, @function; __pfx_drop: .skip 16; .size __pfx_drop, 16\n"
	".type __cfi_keep.isra.0, @function; __cfi_keep.isra.0: .skip 16; .size __cfi_keep.isra.0, 16\n"
	".pushsection _error_injection_whitelist, \"aw\"; .globl __start_error_injection_whitelist\n"
	".globl __stop_error_injection_whitelist; __start_error_injection_whitelist: .quad first, 0, keep, 1, peer, 2\n"
	"__stop_error_injection_whitelist: .quad drop; .popsection");
OUTSIDE int do_exit(long code) { return code != 1; }
__asm__(".pushsection _kprobe_blacklist, \"aw\"; .globl __start_kprobe_blacklist, __stop_kprobe_blacklist\n"
	"__start_kprobe_blacklist: .quad kept\n__stop_kprobe_blacklist: .quad drop; .popsection");
OUTSIDE int kept(struct sk_buff *skb) { return skb->len * 7; }
OUTSIDE int keep(struct sk_buff *skb) { return skb->len++; }
OUTSIDE struct sk_buff *peer(struct sk_buff *skb) { return skb + 1; }
INSIDE int wrapper(struct sk_buff *skb) { return drop(skb, 3) + 1; }
INSIDE int seldom(struct sk_buff *skb, int how)
{
	return how == 1 ? drop(skb, how) : how == 2 ? keep(skb) : how;
}
OUTSIDE int a_helper(void) { return iterator.item != 0; }
OUTSIDE int guarded_slow(struct sk_buff *skb) { return skb->len * 5; }
INSIDE int guarded(struct sk_buff *skb) { int a = a_helper(); return guarded_slow(skb) + a + a_helper(); }
OUTSIDE int fifth(struct sk_buff *skb) { return guarded(skb) + a_helper(); }
OUTSIDE int sixth(struct sk_buff *skb) { return guarded(skb) * 3; }
INSIDE int starts_inline(struct item *item) { trace_begun(item); return item->count + 7; }
OUTSIDE int first(struct sk_buff *skb) { return wrapper(skb) + seldom(skb, 1) + 1; }
OUTSIDE int second(struct sk_buff *skb) { return wrapper(skb) * 2 + seldom(skb, 2); }
OUTSIDE int third(struct sk_buff *skb) { return seldom(skb, 3) + skb->len; }
OUTSIDE int fourth(struct item *item) { return starts_inline(item) * 3; }

OUTSIDE int bpf_lsm_item_open(struct item *item) { return !item; }
OUTSIDE int security_item_open(struct item *item) { return bpf_lsm_item_open(item) + 1; }
OUTSIDE int bpf_lsm_item_check_security(struct item *item) { return !item; }
OUTSIDE int security_item_check(struct item *item) { return bpf_lsm_item_check_security(item) + 1; }
OUTSIDE int bpf_lsm_item_close(struct item *item) { return !item; }
OUTSIDE int security_item_close(struct item *item, int how) { return bpf_lsm_item_close(item) + how; }
OUTSIDE int security_nothing(struct item *item) { return item->count; }
OUTSIDE void security_void(struct item *item) { item->count++; }
OUTSIDE struct item *security_pointer(struct item *item) { return item + 1; }
OUTSIDE int bpf_lsm_item_shim(struct item *item) { return !item; }
OUTSIDE int bpf_lsm_item_free(struct item *item) { return !item; }
OUTSIDE int with_ctx(struct item *ctx) { return ctx->count + 4; }
OUTSIDE int with_pointers(struct item **items) { return items[0]->count + many_record.n1; }
OUTSIDE int bpf_iter_item(struct item *item) { return !item; }
OUTSIDE int many_values(const char *format, ...) { return *format; }
OUTSIDE int bpf_iter_nothing(struct item *item) { return !item; }
OUTSIDE long __x64_sys_thing(const struct item *regs) { return regs->count; }
OUTSIDE long __ia32_sys_thing(const struct item *regs) { return regs->count + 1; }
OUTSIDE long __x64_sys_exit(const struct item *regs) { return regs->count + 5; }
OUTSIDE long __x64_sys_gone(const struct item *regs) { return regs->count + 6; }
OUTSIDE long __x64_sys_newgone(const struct item *regs) { return regs->count + 7; }
long (*const sys_call_table[])(const struct item *) = { __x64_sys_thing, 0, __x64_sys_exit, __x64_sys_newgone };
OUTSIDE long __x64_sys_other(const struct item *regs) { return regs->count + 2; }
enum bpf_prog_type { BPF_PROG_TYPE_UNSPEC, BPF_PROG_TYPE_XDP = 6 };
union security_list_options { int (*item_open)(struct item *), (*item_free)(struct item *); } options;
struct thing_ops { int (*start)(void); };
struct bpf_struct_ops_thing_ops { int common; struct thing_ops data; } implemented;
struct bpf_struct_ops_mismatch { struct thing_ops data; } not_implemented;
struct btf_kfunc_id_set { void *owner, *set; };
extern char __BTF_ID__set8__test_kfunc_ids[] __attribute__((weak));
static const struct btf_kfunc_id_set test_set = { 0, __BTF_ID__set8__test_kfunc_ids };
OUTSIDE int register_btf_kfunc_id_set(enum bpf_prog_type type, const struct btf_kfunc_id_set *set)
{
	return type + (set->set == 0);
}
OUTSIDE int registers_xdp(void) { return register_btf_kfunc_id_set(6, &test_set) + 1; }
OUTSIDE int registers_all(void *set) { return register_btf_kfunc_id_set(0, &test_set) + !set; }
int _start(void) { return first(0) + second(0) + third(0); }
EOT
# A set's name, bytes of its head, and of all of it.
cat >sets.s <<'EOT'
.section .BTF_ids, "a"
.macro set name, head, bytes
.type __BTF_ID__\name, @object
.size __BTF_ID__\name, \bytes
__BTF_ID__\name: .zero \head
.endm
EOT
cat sets.s - >ids.s <<'EOT'
.globl __BTF_ID__set__bpf_lsm_disabled_hooks
set set__bpf_lsm_disabled_hooks, 4, 8
__BTF_ID__func__bpf_lsm_item_free__1: .zero 4
set set__sleepable_lsm_hooks, 4, 8
__BTF_ID__func__bpf_lsm_item_open__2: .zero 4
.globl __BTF_ID__set8__test_kfunc_ids
set set8__test_kfunc_ids, 8, 16
__BTF_ID__func__second__3: .long 0, 5
set set8__test_fmodret_ids, 8, 24
test_fmodret_ids = __BTF_ID__set8__test_fmodret_ids; .size test_fmodret_ids, 0
__BTF_ID__func__fourth__4: .zero 8
__BTF_ID__func__third__5: .zero 8
list_of_ids:
__BTF_ID__func__kept__7: .zero 4
set set__bpf_lsm_hooks, 4, 24
bpf_lsm_hooks = __BTF_ID__set__bpf_lsm_hooks; .size bpf_lsm_hooks, 0
__BTF_ID__func__bpf_lsm_item_open__8: .zero 4
__BTF_ID__func__bpf_lsm_item_check_security__9: .zero 4
__BTF_ID__func__bpf_lsm_item_close__10: .zero 4
__BTF_ID__func__bpf_lsm_item_free__11: .zero 4
__BTF_ID__func__bpf_lsm_file_open__13: .zero 4
set set8__test_modify_return_ids, 8, 16
__BTF_ID__func__sixth__12: .zero 8
EOT
# linked NAME [ARGUMENT...]: the image NAME of NAME.c, and of what else ld is given
linked()
{
	linked=$1
	shift
	gcc -g -O2 -ffreestanding -fno-toplevel-reorder -c "$linked.c" &&
		ld -e 0 -Ttext=0xffffffff81000000 -o "$linked" "$linked.o" "$@" || exit 1
}

# changed NAME SCRIPT: the image of image.c, which sed has changed
changed()
{
	sed "$2" image.c >"$1.c" && linked "$1"
}

gcc -c ids.s && linked image ids.o
expect "hooks: sets for fmod_ret hold no kfuncs" test "$("$BTFENC" list --kind kfunc --format names -f image)" = second

# ---- list --kind ----

# kind KIND FILE LINE...: what `list --kind KIND -f FILE` prints
kind()
{
	kind_case="hooks: list --kind $1: $2"
	"$BTFENC" list --kind "$1" -f "$2" >stdout 2>stderr
	shift 2
	printf '%s\n' "$@" | diff - stdout >wrong && [ ! -s stderr ]
	outcome $? "$kind_case" wrong
}

"$BTFENC" encode -o image.btf image || exit 1
says "a kfunc" 0 'second image' '^second: a kfunc, which BPF programs call; to trace it: yes, by fentry' \
	'^  bpf       extern int second(struct sk_buff \*skb) __ksym;  // test_kfunc_ids: KF_ACQUIRE KF_RET_NULL, registered for ALL XDP$'
kind kfunc image 'int second(struct sk_buff *skb)  test_kfunc_ids:KF_ACQUIRE|KF_RET_NULL:ALL|XDP'
for file in image image.btf; do
	kind iter $file 'int item(struct item *item)  iter'
	kind struct_ops $file 'struct thing_ops  struct_ops'
done
kind lsm image 'int item_check_security(struct item *item)  lsm' 'int item_close(struct item *item)  lsm' \
	'int item_open(struct item *item)  lsm'
kind lsm image.btf 'int item_free(struct item *item)  lsm' 'int item_open(struct item *item)  lsm'
begun='void begun(struct item *item, int extra, void *cookie, struct item **items, struct item *may__nullable, struct opaque *opaque)'
kind tracepoint image "$begun  tracepoint mine:begun" 'void ended(struct item *item)  tracepoint' \
	'void many(struct item *arg1)  tracepoint mine:many' 'sys_enter_exit(?)  tracepoint syscalls:sys_enter_exit' \
	'sys_enter_newgone(?)  tracepoint syscalls:sys_enter_newgone' \
	'void sys_enter_thing(int fd, const char * path)  tracepoint syscalls:sys_enter_thing' \
	'sys_exit_exit(?)  tracepoint syscalls:sys_exit_exit' 'sys_exit_thing(?)  tracepoint syscalls:sys_exit_thing'
kind tracepoint image.btf "$begun  tracepoint" 'void ended(struct item *item)  tracepoint' 'void many(struct item *arg1)  tracepoint'
sed "/registers_all/s/&test_set/set/" image.c >another.c && linked another ids.o
kind kfunc another 'int second(struct sk_buff *skb)  test_kfunc_ids:KF_ACQUIRE|KF_RET_NULL:XDP|?'
id=$("$BTFENC" dump image.btf | sed -n "s/^\[\([0-9]*\)\] FUNC 'second'.*/\1/p")
for flags in "$id:KF_ACQUIRE|KF_RET_NULL" '1:?'; do
	sed "s/second__3: .long 0,/second__3: .long ${flags%%:*},/" ids.s >resolved.s && gcc -c resolved.s &&
		ld -e 0 -Ttext=0xffffffff81000000 -o resolved image.o resolved.o && "$BTFENC" encode resolved 2>stderr || exit 1
	kind kfunc resolved "int second(struct sk_buff *skb)  test_kfunc_ids:${flags#*:}:ALL|XDP"
	"$BTFENC" encode -o again.btf resolved 2>stderr
	expect "hooks: encode says whether flags of ids $flags are known" \
		test "$(grep -c 'the flags of 1 kfuncs are not known' stderr)" = "$(echo "$flags" | grep -c '?')"
done
"$BTFENC" list --kind tracepoint -f image --field comm --format bpftrace 'mine:*' >stdout
expect "hooks: list --field, of a group, for bpftrace" test "$(cat stdout)" = 'tracepoint:mine:begun { @[probe] = count(); }'
"$BTFENC" list --kind tracepoint -f image --field path --format names >stdout
expect "hooks: list --field of a system call" test "$(cat stdout)" = syscalls:sys_enter_thing

cp image both && "$BTFENC" encode --features +inline both 2>stderr && objcopy --strip-debug both records ||
	exit 1

# ---- lines of a function, and what is better ----

for file in image records; do
	answers of-a-small-kernel $file
done
says "a variable" 0 'iterator image' '^iterator: a variable of 8 bytes, at 0x[0-9a-f]*, .bss; from image' '^  struct bpf_iter__item iterator$'

for name in 'pa\\033th' 'path) { hacked(' 'pa-th' ''; do
	changed named "s/\"fd\", \"path\"/\"fd\", \"$name\"/"
	says "an argument of the name '$name'" 0 'sys_enter_thing named' 'BPF_KSYSCALL(on_thing)  // after'
	says "an argument of the name '$name' in bpftrace" 0 '--script bpftrace sys_enter_thing named' \
		'^# Its arguments, if any, are not printed' '!, args[.]'
done
# Without the table nothing says which system calls there are.
changed tableless 's/sys_call_table/other_table/'
says "whether a system call has a number" 0 'ksyscall/thing tableless' \
	'^sys_enter_thing: not known whether there is an event: nothing here shows whether the system call thing has a number'
says "a function that may be a system call" 0 '__x64_sys_thing tableless' \
	'finds in registers, unless the system call has no number, which nothing here shows'
says "an event that may not exist" 0 '--script bpftrace sys_enter_thing tableless' '^tracepoint:syscalls:sys_enter_thing$' \
	'^# Whether it has an event in tracefs is not known\.$'
changed sizeless '/^long (\*const sys_call_table/c\
__asm__(".data; .globl sys_call_table; sys_call_table: .quad __x64_sys_thing, 0; next: .quad __x64_sys_gone; .text");'
says "a table in assembler" 0 'ksyscall/thing sizeless' '^sys_enter_thing: yes'
says "it ends at the next symbol" 0 'ksyscall/gone sizeless' '^sys_enter_gone: no: the system call gone has no number'
if have arm-linux-gnueabi-gcc-12 "hooks: a system call of arm"; then
	echo 'long sys_mmap2(void) { return 1; } long (*const sys_call_table[])(void) = { sys_mmap2 };
char event_enter__mmap_pgoff, event_enter__gone;' >arm.c
	arm-linux-gnueabi-gcc-12 -g -O1 -ffreestanding -c arm.c && arm-linux-gnueabi-ld -e 0 -Ttext=0x100000 -o arm arm.o || exit 1
	says "a system call of arm by its wrapper" 0 'ksyscall/mmap_pgoff arm' '^sys_enter_mmap_pgoff: yes'
	says "none of arm" 0 'ksyscall/gone arm' '^sys_enter_gone: no: '
fi
cp image riscv && printf '\363' | dd of=riscv bs=1 seek=18 conv=notrunc 2>/dev/null
says "machines whose tables nobody has compared" 0 'ksyscall/gone riscv' '^sys_enter_gone: not known whether there is an event'
cat >notrace.c <<'EOT'
#define OUTSIDE __attribute__((noinline, noclone, noipa))
OUTSIDE int callee(int a) { return a * 3; }
static inline __attribute__((always_inline)) int body(int a) { return callee(a) + 5; }
OUTSIDE int hooked(int a) { return body(a) * 7; }
OUTSIDE int unhooked(int a) { return body(a) * 9; }
__asm__(".section .init.data, \"aw\"\n.globl __start_mcount_loc, __stop_mcount_loc\n"
	"__start_mcount_loc: .quad hooked\n__stop_mcount_loc: .quad 1\n.previous");
EOT
linked notrace
banner='const char linux_banner[] = "Linux version 6.12.1 (a@b) (gcc) #1 SMP";'
changed backport "\$a $banner"
changed before-sets "\$a $(echo "$banner" | sed 's/6\.12/5.15/')"
# Both have the name: what is asked for is what is said.
changed twice 's/^OUTSIDE int ends(/OUTSIDE int ended(struct item *item) { return !item; }\n&/
	s/btf_trace_ended ended;/btf_trace_ended ended_pointer;/'
cat >old.c <<'EOT'
const char linux_banner[] = "Linux version 5.4.0 (a@b) (gcc) #1 SMP"; struct file { int flags; };
__attribute__((noipa)) int bpf_lsm_file_open(struct file *file) { return file->flags; }
int security_file_open(struct file *file) { return bpf_lsm_file_open(file) + 1; }
EOT
echo '__attribute__((noipa)) int four(int a, int b, int c, int d) { return a + b + c + d; }' >>old.c
linked old
says "before bpf_trace_vprintk()" 0 '--script libbpf four old' 'bpf_printk("four: a=%ld b=%ld c=%ld", ' 'bpf_printk("four: d=%ld", '
"$BTFENC" encode -o raw image
# Lists of symbols have no sizes, nor the order of the file at one address.
nm -n image >map && grep -v __BTF_ID__ map >without-ids && grep -v __BTF_ID__func map >only-sets || exit 1
answers of-other-files
for options in '' ' --symbols without-ids' ' --symbols only-sets'; do
	answers sets-that-nothing-shows "raw$options"
done
says "probes that some kernels refuse" 0 'body notrace' \
	'; do this instead (1 of the 2 probes only where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE):$' \
	"p:callee callee  # refused without CONFIG_KPROBE_EVENTS_ON_NOTRACE: no tracer's hook is in the function around it\$"
echo 'OUTSIDE int within_notrace_func(int a) { return a * 11; }' | cat notrace.c - >decided.c && linked decided
says "probes that this kernel refuses" 0 'body decided' 'each line below is a probe for one' \
	"^  # no kprobe at unhooked, .*this kernel refuses such kprobes (within_notrace_func)" '!p:callee' '!CONFIG_KPROBE'
# What it returns is read from %rdi by a tracer that knows the struct by BTF alone.
echo 'typedef int vector __attribute__((vector_size(16))); struct held { vector v; };
OUTSIDE int takes_vector(vector v, int b) { return v[0] + b; }
OUTSIDE int takes_held(struct held h, int b) { return h.v[0] + b; }
OUTSIDE int takes_number(int a) { return a + 1; }' | sed '1i #define OUTSIDE __attribute__((noipa))' >vectors.c && linked vectors
expect "hooks: no fentry on vectors" test "$("$BTFENC" list -f vectors --format names --attachable fentry)" = takes_number
expect "hooks: a struct with a vector has no FUNC" \
	test "$("$BTFENC" list -f vectors --format names --verdict unknown-layout)" = takes_held
LC_ALL=C sed 's/btf_trace_begun/btf_trace_be\x7fun/' raw >bent
"$BTFENC" explain "$(printf 'be\177un')" bent >stdout 2>stderr
expect "hooks: no control byte of a tracepoint's name" sh -c 'grep -q "tracepoint be?un" stdout && ! LC_ALL=C grep -q "$(printf "\177")" stdout'
mkdir -p kernel/bpf && cp vectors.c kernel/bpf/map.c
gcc -g -O1 -c -o map kernel/bpf/map.c
says "calls that may all be map operations" 0 '--script libbpf takes_held map' 'a kprobe. Of kernel/bpf they may be all: --script tracefs'

# ---- arguments of tracepoints ----

# The number of arguments is an int, or 7 bits, in both byte orders.
sed 's/int number, count;/int number; unsigned char count : 7, is_string : 1; signed char size; short mask;/
	s/"sys_thing", 1, 2, types/"sys_thing", 1, 2, 0, -1, 0, types/' image.c >bits.c
for source in image bits; do
	for compiler in s390x-linux-gnu-gcc-12 gcc; do
		have $compiler "hooks: a system call of $compiler, $source" || continue
		$compiler -g -O2 -ffreestanding -c -o call.o $source.c &&
			"${compiler%gcc*}ld" -e 0 -Ttext=0x100000 -o call call.o || exit 1
		says "a system call of $compiler, $source" 0 'ksyscall/thing call' \
			'SEC("ksyscall/thing") int BPF_KSYSCALL(on_thing, int fd, const char \* path)'
	done
done
"$BTFENC" explain --json begun image >json
have python3 "hooks: arguments in JSON" && expect "hooks: arguments in JSON" python3 - json <<'EOT'
import json, sys
t = json.load(open(sys.argv[1]))["tracepoint"]
assert [(a["name"], a["state"]) for a in t["arguments"]] == [("item", "plain"), ("extra", "plain"),
    ("cookie", "number"), ("items", "unknown"), ("may__nullable", "null"), ("opaque", "unknown")], t
EOT

# ---- names that are code ----

# Of the lengths that they replace. What people paste has none of them; what they read says what is there.
cat >names.c <<'EOT'
struct tttttttttttttttttttttttt { int v; };
enum eeeeeeeeeeeeeeeeeeeeeeeee { LONE_ONE = 3 } e;
OUTSIDE int parameter(int aaaaaaaaaaaaaaaaaaaaaaaa) { return aaaaaaaaaaaaaaaaaaaaaaaa + e; }
OUTSIDE int type(int first, struct tttttttttttttttttttttttt *b) { return b->v + first; }
struct my_ops { int (*go)(struct tttttttttttttttttttttttt *); };
struct bpf_struct_ops_my_ops { int c; struct my_ops data; } ops;
struct mmmmmmmm { int v; } member;
enum named { rrrrrrrr = 4 } named;
typedef void (*btf_trace_uuuuuuuu)(void *, int);
typedef void (*btf_trace_fired)(void *, struct tttttttttttttttttttttttt *);
btf_trace_uuuuuuuu odd;
OUTSIDE int ffffffff(struct mmmmmmmm *m) { return m->v; }
btf_trace_fired fires;
EOT
sed -i '1i #define OUTSIDE __attribute__((noinline, noclone, noipa))' names.c
linked names
LC_ALL=C sed "s/a\{24\}/x);system(\"touch PWNED\")/g; s/t\{24\}/x;system('touch PWNED');/g
	s/e\{25\}/x);system(\"touch PWNED\");/g" names >names_evil
# Encode leaves none of them in BTF; others may.
"$BTFENC" encode -o names_odd names
LC_ALL=C sed -i "s/t\{24\}/x;system('touch PWNED');/g; s/\([fmru]\)\1\{7\}/\1\`PWNED\`/g" names_odd
"$BTFENC" encode -o names_raw names_evil 2>/dev/null
for asked in 'parameter names_evil' 'type names_evil' 'LONE_ONE names_evil' 'my_ops.go names_evil' 'type names_raw' \
	'm`PWNED`.v names_odd' 'r`PWNED` names_odd' 'u`PWNED` names_odd' 'fired names_odd' 'f`PWNED` names_odd'; do
	# shellcheck disable=SC2086 # two words
	"$BTFENC" explain $asked >said
	expect "hooks: no code from names: $asked" sh -c "! grep -E '(SEC|print\(|core_enum|BPF_CORE|args|arg0|echo|p:|rawtracepoint:|-[ket]).*PWNED' said &&
		grep -Eq 'PWNED|none in C|in C\$|invalid-name' said"
done
says "a program is left out" 0 'type names_evil' 'no program for fentry is printed: a name in its prototype is none in C' \
	'bpftrace  fentry:type { printf("first=%ld b=0x%lx.n", args.first, args.b); }'
gcc -g -O2 -ffreestanding -c -o 'x; touch PWNED; #.ko' image.c
"$BTFENC" encode 'x; touch PWNED; #.ko'
says "the file of a module" 0 '--records drop x;*PWNED;*.ko' "bpfsnoop -k 'drop' --kfunc-kmods x__touch_PWNED___\$"
gcc -g -O2 -ffreestanding -c -o 'vmlinux:vfs_read { system("id") } BEGIN { } kprobe:b.ko' image.c
"$BTFENC" encode 'vmlinux:vfs_read { system("id") } BEGIN { } kprobe:b.ko'
strip -g 'vmlinux:vfs_read { system("id") } BEGIN { } kprobe:b.ko'
"$BTFENC" list --format bpftrace -f 'vmlinux:vfs_read { system("id") } BEGIN { } kprobe:b.ko' drop keep >said
expect "hooks: a script has no code from a file's name" sh -c "grep -q '^fentry:vmlinux_vfs_read_[a-zA-Z_]*:drop,' said && ! grep -q 'BEGIN {' said"
rm -f ./*PWNED* ./vmlinux:*
fails "a module that is none" 2 "takes the name of a module, not 'a;b'" drop image --module 'a;b'

# ---- what an image registers ----

registered='struct bpf_iter_reg { const char *target; int cookie; unsigned int feature; }'
changed sleeping "\$a $registered other_reg = { \"other\", 0, 0 }, item_reg = { \"item\", 0, 3 };"
changed awake "\$a $registered other_reg = { \"other\", 0, 1 }, item_reg = { \"item\", 1, 2 };"
says "an iterator whose programs sleep" 0 'iter.s/item sleeping' 'SEC("iter.s/item")'
says "one whose programs do not" 0 'iter.s/item awake' '^bpf_iter_item: not by iter.s: the iterator has no BPF_ITER_RESCHED; yes' \
	'SEC("iter/item")' '!iter.s/item"'
cat >ops.c <<'EOT'
struct turn_ops { int (*left)(int); int (*right)(void); int count; };
struct bpf_struct_ops_turn_ops { int common; struct turn_ops data; } value;
struct bpf_struct_ops { int (*check)(void); void *cfi_stubs; const char *name; };
static int left(int by) { return by; }
static struct turn_ops stubs = { .left = left };
__attribute__((used)) static struct bpf_struct_ops other = { .name = "turn", .cfi_stubs = &value },
	turn = { .name = "turn_ops", .cfi_stubs = &stubs };
int bpf_struct_ops_supported(void) { return 1; }
EOT
linked ops
sed 's/ops_supported/ops_others/' ops.c >ops_before.c && linked ops_before
says "what programs can implement" 0 'turn_ops.left ops' '  bpf        SEC("struct_ops/left") int BPF_PROG(left, int arg1)'
says "what they cannot" 0 'turn_ops.right ops' "no struct_ops program: the kernel's cfi_stubs lack it" '!SEC('
says "before 6.10" 0 'turn_ops.right ops_before' 'not known whether the kernel takes it: .*; if so:'
for answer in 'left ops true' 'right ops false' 'right ops_before null'; do
	says "struct_ops in JSON: $answer" 0 "--json turn_ops.${answer% *}" \
		"\"struct_ops\": ${answer##* }"
done
says "no struct_ops in JSON" 0 '--json turn_ops.count ops' '!struct_ops"'

# ---- programs that some kernels take, or that may sleep ----

# Without other tracers' commands, and what another machine makes of these instructions.
others='/^  (bpftrace|bpfsnoop|retsnoop|pwru|tracefs)  /d; /^ {12}([a-z]+:[^ ]* \{|r:)/d
	/ no kprobe at /d'

cat sets.s - >kernel.s <<'EOT'
.macro function name
.globl \name
.type \name, @function
\name: nop
.endm
.text
.ifdef WHOLE
function rest_init
function register_kprobe
.endif
.ifdef FPROBE
function register_fprobe_ips
.endif
.ifdef MULTI
function bpf_trampoline_multi_attach
.endif
.ifdef WEAK_JIT
.weak bpf_jit_supports_fsession
.set JIT, 1
.endif
.ifdef JIT
.ifndef WEAK_JIT
.globl bpf_jit_supports_fsession
.endif
.type bpf_jit_supports_fsession, @function
bpf_jit_supports_fsession: nop
.endif
.ifdef INJECTION
function within_error_injection_list
.endif
.ifdef HOOKS
.section .init.data, "aw"
.globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc: .quad drop, keep, __ia32_sys_thing, __x64_sys_thing
__stop_mcount_loc: .quad 1
.endif
.section .BTF_ids, "a"
.ifdef ASLEEP
set set__btf_non_sleepable_error_inject, 4, 8
__BTF_ID__func__peer__6: .zero 4
.endif
.ifdef DENY
set set__btf_id_deny, 8, 8
.ifdef LISTED
__BTF_ID__func__listed__7: .zero 4
__BTF_ID__func____rcu_read_lock__8: .zero 4
.endif
.ifdef OTHERS
__BTF_ID__func__migrate_disable__9: .zero 4
.endif
.endif
.section .note.GNU-stack
EOT
# kernel OUT SOURCE WORD...: with what these words of kernel.s are for.
kernel()
{
	out=$1
	gcc -g -O2 -ffreestanding -fno-toplevel-reorder -c "$2" -o "$out.o" || exit 1
	shift 2
	for word; do echo ".set $word, 1"; done | cat - kernel.s | as -o "$out-kernel.o" - &&
		ld -e 0 -Ttext=0xffffffff81000000 -o "$out" "$out.o" ids.o "$out-kernel.o" || exit 1
}
# arm64 FILE: in the ELF header
arm64()
{
	printf '\267' | dd of="$1" bs=1 seek=18 conv=notrunc 2>/dev/null
}
sed '1,/^struct opaque;/s/^struct opaque;/&\nenum bpf_attach_type { BPF_TRACE_KPROBE_MULTI = 42, BPF_TRACE_FSESSION = 58,\n\tBPF_TRACE_FEXIT_MULTI } attach_type;/' \
	image.c >newer.c
kernel newer newer.c WHOLE FPROBE MULTI
kernel whole newer.c WHOLE
kernel part newer.c
cp newer arm64 && arm64 arm64
for jit in '' JIT WEAK_JIT; do
	file=riscv64${jit:+-$jit}
	kernel "$file" newer.c WHOLE FPROBE $jit
	printf '\363' | dd of="$file" bs=1 seek=18 conv=notrunc 2>/dev/null
done
cp newer newer-records && "$BTFENC" encode newer-records && objcopy --strip-debug newer-records || exit 1
for file in newer newer-records; do
	answers of-a-newer-kernel $file "$others"
done
echo 'const char linux_banner[] = "Linux version 6.1.0 (a@b) (gcc) #1 SMP"; int drop(int how) { return how + 1; }' >early.c
kernel early early.c && arm64 early
sed '/_error_injection_whitelist/d; /size __cfi_keep/s/$/);/' image.c >without.c
kernel syscalls without.c HOOKS DENY
kernel refused without.c HOOKS DENY ASLEEP
kernel injected without.c HOOKS DENY INJECTION
kernel unknown without.c HOOKS
kernel asleep image.c ASLEEP
sed 's/set__sleepable_lsm_hooks/set__btf_sleepable_lsm_hooks/' ids.s | as -o other-ids.o - &&
	ld -e 0 -Ttext=0xffffffff81000000 -o other-set image.o other-ids.o &&
	ld -e 0 -Ttext=0xffffffff81000000 -o no-set image.o || exit 1
sed 's/5\.4\.0/5.9.0/; 1s/$/ void arch_prepare_bpf_trampoline(void) { } void register_ftrace_direct(void) { }/' old.c >older.c &&
	kernel older older.c
answers of-other-kernels '' "$others"
for name in __add_to_page_cache_locked __filemap_add_folio should_fail_alloc_page should_failslab filemap_add_folio; do
	sed "s/\bkeep\b/$name/g" image.c >named.c
	case $name in
	filemap_*) answer="yes, by fentry" ;;
	*) answer="not by fentry.s: its callers may not sleep " ;;
	esac
	kernel named named.c ASLEEP
	says "$name, not in the set" 0 "fentry.s/$name named" "^$name: yes, by fentry"
	kernel named named.c
	says "$name, by its name" 0 "fentry.s/$name named" "^$name: $answer"
done

# ---- functions on which programs hang ----

# As btf_id_deny has them, or by their names alone.
while read -r name words answer; do
	sed "s/\bkeep\b/$name/g" image.c >named.c
	# shellcheck disable=SC2046 # words
	kernel named named.c $(echo "$words" | tr , ' ')
	says "$name, $words" 0 "$name named" "^$name: yes, by kprobe (not by fentry: $answer" '!fentry/'
	"$BTFENC" list -f named --attachable fentry --format names >listed
	expect "hooks: $name, $words: it is not in the list" lacks_line "^$name\$" listed
	expect "hooks: $name, $words: others are" grep -q . listed
	says "$name, $words: nor is it in scripts" 0 "--script bpftrace $name named" '!^fentry:'
done <<'EOT'
__rcu_read_lock DENY,LISTED it runs around each BPF program, so the verifier refuses it
__rcu_read_lock DENY,OTHERS it runs around each BPF program, so the machine may hang; later kernels refuse it
__rcu_read_lock DENY it runs around each BPF program, so kernels refuse it or may hang
listed DENY,LISTED the verifier refuses it by name
trie_update_elem DENY,LISTED of its source file, which locks BPF maps, later kernels have no hooks
EOT

# ---- arguments that some kernels refuse ----

# One parameter and argument of each kind that some release refuses; states by release, in this order.
cat >arguments.c <<'EOT'
struct item { long a; };
union either { int a; char b; };
struct unknown;
#define PARAMETERS struct item by_value, union either one, const char *text, unsigned *number, void *any, \
	const void *fixed, int (*call)(void), struct unknown *gone, struct item *plain
typedef void (*btf_trace_all)(void *, PARAMETERS);
btf_trace_all pointer;
char __tracepoint_all;
void __traceiter_all(void *__data, PARAMETERS) { (void)__data; }
int all(PARAMETERS) { return by_value.a + one.a + *text + *number + !any + !fixed + !call + !gone + plain->a; }
int first(const void *fixed, int count) { return !fixed + count; }
const void *gives(int count) { return count ? 0 : &pointer; }
void arch_prepare_bpf_trampoline(void) { }
void register_ftrace_direct(void) { }
EOT
refused='refused refused number refused number refused refused refused plain'
while read -r release states; do
	cp arguments.c released.c
	[ "$release" = - ] ||
		echo "const char linux_banner[] = \"Linux version $release.3 (a@b) (gcc) #1 SMP\";" >>released.c
	gcc -g -O1 -c released.c -o released.o && ld -e 0 -Ttext=0xffffffff81000000 -o released released.o || exit 1
	"$BTFENC" explain --json all released | python3 -c '
import json, sys
answer = json.load(sys.stdin)
of_function = [p["bpf"] for p in answer["instances"][0]["parameters"]]
of_tracepoint = [a["state"] for a in answer["tracepoint"]["arguments"]]
assert of_function == of_tracepoint, (of_function, of_tracepoint)
print(*of_function)' >stated 2>&1
	echo "$states" | diff - stated >wrong
	expect "hooks: what the verifier of $release lets programs read" test ! -s wrong
done <<EOT
5.9 $refused
5.10 $refused
5.15 unknown refused number unknown number refused refused refused plain
6.1 plain refused number number number refused refused refused plain
6.12 plain refused number number number refused refused refused plain
6.14 plain refused number number number unknown refused refused plain
6.16 plain refused number number number number refused refused plain
6.18 plain plain number number number number refused refused plain
7.0 plain plain number number number number refused refused plain
7.1 plain plain number number number number number number plain
- unknown unknown number unknown number unknown unknown unknown plain
EOT
sed '$s/$/\nconst char linux_banner[] = "Linux version 6.1.3 (a@b) (gcc)";/' arguments.c >refusing.c
linked refusing
says "what fentry cannot read" 0 'first refusing' 'SEC("fentry/first")' 'fentry:first { printf("count=%ld.n", args.count); }' \
	'note  *fentry/first: fixed (it points to const void: refused up to 6.12, taken from 6.16 on) cannot be read: '
says "a result that programs cannot read" 0 'gives refusing' 'SEC("fexit/gives")' '!retval);'
says "what fentry perhaps cannot read" 0 'first released' 'fixed (.*) perhaps cannot be read: it is not known'
says "a script by what can be read" 0 '--script bpftrace first refusing' '^kprobe:first$'

# ---- events of a class with another name ----

cat >events.c <<'EOT'
struct item { int count; };
typedef void (*btf_trace_shared)(void *, struct item *);
typedef void (*btf_trace_bare)(void *, struct item *);
btf_trace_shared shared;
btf_trace_bare bare;
char __tracepoint_shared, __tracepoint_bare, event_shared, event_class_group, *__event_shared = &event_shared;
int __traceiter_shared(void *__data, struct item *item) { return item->count; }
int __traceiter_bare(void *__data, struct item *item) { return item->count + 1; }
int event_bare(struct item *item) { return item->count + 2; }
EOT
linked events
mkdir -p host/sys/kernel/btf host/proc/sys/kernel host/sys/kernel/tracing
"$BTFENC" encode -o events.btf events && nm -n events >events.map &&
	grep ' T ' events.map >events.text && grep -v ' event_shared$' events.map >events.pointer &&
	cp events described && "$BTFENC" encode described && objcopy --strip-debug described &&
	cp events.btf host/sys/kernel/btf/vmlinux &&
	echo 6.1.0 >host/proc/sys/kernel/osrelease && cp events.text host/proc/kallsyms || exit 1
for file in events.btf 'events.btf --symbols events.text' '--root host'; do
	answers of-events-not-known "$file" '/is not mounted|cannot open|^ {12}from /d'
done
for file in events 'events.btf --symbols events.map' described 'events.btf --symbols events.pointer'; do
	answers of-events-that-symbols-show "$file"
done
says "an event that is not known, in JSON" 0 '--json shared events.btf' '"event": null'
mkdir -p host/sys/kernel/tracing/events/mine/shared && touch host/sys/kernel/tracing/README
says "tracefs has the event" 0 'shared --root host' 'echo 1 > events/mine/shared/enable' '!rawtracepoint' '!no event'
says "tracefs has no event" 0 'bare --root host' 'it has no event in tracefs (DECLARE_TRACE)$' '!not known: symbols'

# Words that ask for the event, and those that do not.
for name in tp/mine/bare tracepoint:mine:bare mine:bare; do
	says "$name: there is no event" 0 "$name events" '^bare: no: this tracepoint has no event; ' '!mine' 'SEC("tp_btf/bare")'
	says "$name: it is not known" 0 "$name events.btf" '^bare: not known whether this tracepoint has an event: '
done
for name in tp_btf/bare raw_tp/bare bare; do
	says "$name: a tracepoint is enough" 0 "$name events" '^bare: yes, it is a tracepoint'
done

# ---- pointers that a relocation writes ----

# Of image, the words are zero as in a kernel that moves itself; what has a symbol is below them, and
# comes after them in .rela.dyn.
cat >moved.c <<'EOT'
extern const int outside;
const int *const below[9] = { &outside, &outside, &outside, &outside, &outside, &outside, &outside, &outside, &outside };
struct item { int count; };
typedef void (*btf_trace_begun)(void *, struct item *);
btf_trace_begun begun;
char __tracepoint_begun, event_begun;
static int __bpf_trace_group(void *__data, struct item *item) { return item->count; }
struct { void *first, *last; } other = { &event_begun, &begun };
struct { void *tp, *bpf_func; } __bpf_trace_tp_map_begun = { &__tracepoint_begun, (void *)__bpf_trace_group };
static struct { const char *system; } event_class_group __attribute__((used)) = { "mine" };
EOT
gcc -g -O1 -ffreestanding -fPIC -shared -nostdlib -Wl,-Bsymbolic -o moved moved.c || exit 1
place=$(readelf -SW moved | sed -n 's/.* \.data  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
dd if=/dev/zero of=moved bs=8 seek=$((0x$place / 8)) count=8 conv=notrunc 2>stderr || exit 1
says "a group by what relocations write" 0 '--json begun moved' '"system": "mine"' '"class": "group"'

# ---- names as tracers write them ----

# They are pasted from code, programs and logs. Of the answer the first line, and what is on stderr.
answers names-as-tracers-write-them image '2,$d'
for name in 0:qqqq other/qqqq.o other/qqqq ./qqqq mine:drop kprobe:vmlinux:qqqq; do
	says "no hint for $name" 1 "$name image" ': no .* of that name is in ' '!is needed' '!list'
done
echo 'int init_task; int drop(int how) { return how + 1; }' >whole.c
linked whole
says "a name that nothing is near" 1 'xfs_file_fsync whole' "a module's function is in the module's file, or is found with --modules DIR"
for name in dorp lsm/nosuch iter/nosuch; do
	says "a name that something is near, or of another kind: $name" 1 "$name whole" "!module's"
done

# Hints are commands that can be pasted: with the options of the command that printed them.
mkdir -p "of it's" machine/sys/kernel/btf && cp image "of it's/kernel" &&
	"$BTFENC" encode -o machine/sys/kernel/btf/vmlinux image || exit 1
hint()
{
	printf '%s\n' "\"$BTFENC\" $1" >hint
	sh hint >out 2>&1
}
# hint_of ARGUMENT...: of explain, which finds nothing.
hint_of()
{
	"$BTFENC" explain beg:qqqqqqq "$@" >stdout 2>&1
	hint "$(sed -n 's/^  to look for it: btfenc //p' stdout)"
	expect "hooks: the hint with $*" test "$? $(grep -cm1 begun out)" = '0 1'
}
hint_of "of it's/kernel"
"$BTFENC" explain beg:qqqqqqq - <image >stdout 2>&1
expect "hooks: no hint with standard input" sh -c 'grep -q "^qqqqqqq: no " stdout && ! grep -q "look for it" stdout'
echo 'int alone(int a) { return a; }' | gcc -g -c -o "of it's/some.ko" -x c - &&
	hint_of image --modules "of it's"
hint_of --root machine
cp "$FIXTURES/gcc12-dwarf5/vmlinux" "of it's"
"$BTFENC" stats "of it's/vmlinux" >stdout
hint "$(sed -n 's/^ .* others (btfenc \(.*\))$/\1/p' stdout)"
expect "hooks: the hint of stats" test "$(wc -l <out)" -eq "$(awk '$2 == "others" { print $1 }' stdout)"

# ---- modules ----

mkdir -p tree/deep stripped
echo 'struct item { int count; }; struct part { struct item item; int more; } the_part;
int inside(struct item *item) { return item->count; }
static int __attribute__((section(".init.text"))) setup(void) { return the_part.more; }
int init_module(void) __attribute__((alias("setup")));' >some.c
gcc -g -O2 -ffreestanding -c -o tree/deep/some.ko some.c && cp tree/deep/some.ko stripped/some.ko &&
	"$BTFENC" encode -b records stripped/some.ko && objcopy --strip-debug stripped/some.ko || exit 1
mkdir with-both && cp tree/deep/some.ko with-both && "$BTFENC" encode -b records with-both/some.ko || exit 1
says "a module's BTF where it has DWARF, too" 0 '--records inside records --modules with-both' '^inside: yes, by fentry' \
	'from with-both/some.ko'
for inputs in 'image --modules tree' 'records --modules stripped'; do
	for name in inside fentry/some:inside some:inside; do
		says "$name $inputs" 0 "$name $inputs" '^inside: yes, by fentry' \
			'^  int inside(struct item \*item)$' 'p:inside \(some:\)*inside ' 'retsnoop -e' \
			"from ${inputs##* }.*/some.ko\$"
	done
	says "the file in JSON: $inputs" 0 "--json inside $inputs" '"file": "[a-z]*/.*some.ko",'
	says "near in a module: $inputs" 1 "insidde $inputs" '^  some:inside$'
	says "in FILE: $inputs" 0 "drop $inputs" '^drop: yes, by fentry' '!some'
	says "nowhere: $inputs" 1 "outside $inputs" \
		"^outside: no function or tracepoint of that name is in [a-z]*, nor in the modules below ${inputs##* } (1)\$"
	says "struct part: $inputs" 0 "struct part $inputs" "part: 8 bytes; from ${inputs##* }.*/some.ko\$" '^    struct item item; '
	says "a module's init: $inputs" 0 "init_module $inputs" '^init_module: another name of setup: ask for that$' \
		'init_module is in .init.text: it is freed when the module is loaded'
	says "a member: $inputs" 0 "part.more $inputs" '^part.more: int, at byte 4, 4 bytes; from .*some.ko$'
	says "a type of both: $inputs" 0 "struct item $inputs" "^struct item: 4 bytes; from ${inputs%% *}\$"
	says "a variable of a module: $inputs" 0 "the_part $inputs" '^the_part: a variable of 8 bytes, .*at .bss+0x0; from .*some.ko$'
	says "no type: $inputs" 1 "struct parts $inputs" "^struct parts: no such type; from [a-z]*, nor in the modules below ${inputs##* } (1)\$"
	says "in another module: $inputs" 1 "fentry/other:inside $inputs" '^inside: no function .* in other$'
done
mkdir built && cp image built/vmlinux && cp tree/deep/some.ko built
says "several kernels, in a module of one" 1 'inside built image' '^ *built/some.ko  *yes$' '^! is there$' '^  name *inside$'

says "a type by its name alone, of a module with BTF" 0 'part records --modules stripped' '^part: no function or tracepoint, but struct part: 8 bytes; from stripped/some.ko$'
says "not by the DWARF of all modules" 1 'part image --modules tree' '^part: no function .* is in image, nor in the modules below tree (1)$'

for name in drop fentry/drop; do
	says "$name of a module's base" 1 "$name stripped/some.ko -b records" \
		'^drop: no .* is in stripped/some.ko, but its base has that function: give the base as FILE$'
done
says "a module, looked for in vain" 1 'other:qqqq records --modules stripped' '!is needed'

mkdir twins && cp tree/deep/some.ko twins/first.ko && cp tree/deep/some.ko twins/second.ko
"$BTFENC" explain --modules twins inside image >stdout 2>stderr
expect "hooks: other modules with a function of that name" grep -q \
	'the module first; ask for fentry/MODULE:inside: second has that name, too$' stderr
cp image alone && "$BTFENC" encode alone && strip -K init_task alone
"$BTFENC" explain drop alone >stdout
expect "hooks: no symbol is of a function" test "$? $(grep -c 'not known .*alone: has no symbol table; give its System.map' stdout)" = '0 1'

# What cannot be read, or is of another kernel, is not counted.
mkdir torn && cp stripped/some.ko torn/a.ko && head -c 700 stripped/some.ko >torn/b.ko && cp torn/b.ko torn/c.ko
echo 'enum early { EARLY }; struct late { enum early e; int f[7]; } late; int only(struct late *l) { return l->f[1]; }' >other.c
gcc -g -O2 -ffreestanding -c -o other.o other.c && "$BTFENC" encode -o other other.o || exit 1
mkdir renamed && objcopy --redefine-sym inside=inside.isra.0 stripped/some.ko renamed/some.ko
says "a module whose function has a suffix" 0 'struct part records --modules renamed' '^struct part: 8 bytes; from renamed/some.ko$'
# left_out CASE ARGUMENTS ANSWER WARNING
left_out()
{
	# shellcheck disable=SC2086 # words
	"$BTFENC" explain $2 >stdout 2>stderr
	status=$?
	expect "hooks: $1" test $status = 1 -a "$(grep -c -e "$3" stdout)$(grep -c -e "$4" stderr)$(grep -c '' stderr)" = 111
}
left_out "modules that cannot be read" 'outside records --modules torn' \
	'^outside: no function .* is in records, nor in the modules below torn (1)$' \
	'^btfenc: warning: torn/b.ko: .*; it is left out, and 1 more is$'
"$BTFENC" explain --json outside records --modules torn >json 2>stderr
expect "hooks: what was searched, in JSON" test "$(grep -c -e '"file": "records",' -e '"modules": 1,' json)" = 2
left_out "a type, not in a module of another kernel" 'struct part other --modules stripped' \
	'^struct part: no such type; from other, nor in the modules below stripped (0)$' \
	'^btfenc: warning: stripped/some.ko: is not split from other (.*; it is left out$'

# ---- events of tracefs by BTF ----

cat >fprobes.c <<'EOT'
struct device { int more; char name[16]; };
struct packet { struct packet *next; union { struct device *dev; long scratch; }; unsigned int bits : 3, len; };
struct task { int pid; char comm[16]; struct device *dev; };
struct open { const struct packet *packet; };
#define OUTSIDE __attribute__((noinline, noclone, noipa))
OUTSIDE int receive(struct packet *packet) { return packet->len + packet->dev->more; }
OUTSIDE int wake(struct task *task, int pid) { return task->pid + task->comm[0] + pid; }
OUTSIDE int named(const char *path, int flags, struct open *open) { return path[flags] + !open; }
OUTSIDE int by_value(struct device device) { return device.more; }
OUTSIDE double half(double number) { return number / 2; }
OUTSIDE int none(void) { return 1; }
OUTSIDE int many(int a, int b, int c, int d, int e, int f, int g) { return a + b + c + d + e + f + g; }
OUTSIDE int long_name(int a_name_that_is_longer_than_tracefs_takes) { return a_name_that_is_longer_than_tracefs_takes; }
OUTSIDE int variadic(int count, ...) { return count; }
__attribute__((no_instrument_function)) OUTSIDE int hookless(int count) { return count + 1; }
#ifdef EVENTS
OUTSIDE int trace_fprobe_create(void) { return 2; }
#endif
OUTSIDE int btf_find_struct_member(void) { return 3; }
struct packet packet;
struct task task;
__asm__(".globl __fentry__; __fentry__: ret");
int main(void)
{

	return receive(&packet) + wake(&task, 1) + named("x", 0, 0) + by_value((struct device){ 0 }) + (int)half(2) + none() +
	       many(1, 2, 3, 4, 5, 6, 7) + long_name(1) + variadic(1, 2) + hookless(3) + btf_find_struct_member();
}
EOT
event_lines()
{
	for name in receive wake named by_value half none many long_name variadic hookless; do
		"$BTFENC" explain $name "$1" | sed -n 's/^  *\(tracefs *\)*\(f:.*\)/\2/p'
	done
}
if [ "$(uname -m)" = x86_64 ]; then
	for defined in -DEVENTS -DNONE; do
		gcc -g -O2 $defined -fcf-protection=none -pg -mfentry -mrecord-mcount -nostdlib -static -Wl,-e,main \
			-Wl,--defsym=__start_mcount_loc=__start___mcount_loc \
			-Wl,--defsym=__stop_mcount_loc=__stop___mcount_loc -o fprobes$defined fprobes.c 2>stderr &&
			"$BTFENC" encode fprobes$defined
		event_lines fprobes$defined >fprobes$defined.said
	done
	expect 'hooks: events of tracefs by BTF' diff - fprobes-DEVENTS.said <<-'EOT'
		f:receive receive $arg* len=packet->len dev_name=packet->dev->name:string  # instead of p:, in dynamic_events: by BTF, so without registers
		f:wake wake $arg* comm=task->comm:string  # instead of p:, in dynamic_events: by BTF, so without registers
		f:named named $arg* path_string=path:string  # instead of p:, in dynamic_events: by BTF, so without registers
	EOT
	strip -g -o fprobes.stripped fprobes-DEVENTS
	event_lines fprobes.stripped >fprobes.stripped.said
	expect 'hooks: events of tracefs by BTF, without DWARF' cmp fprobes-DEVENTS.said fprobes.stripped.said
	expect 'hooks: a kernel without such events' test ! -s fprobes-DNONE.said
	"$BTFENC" explain --json receive fprobes-DEVENTS >json
	expect 'hooks: events of tracefs by BTF, in JSON' grep -qF '"f:receive receive $arg* len=packet->len' json
fi

# ---- the verifier of the running kernel ----

# With a pointer to void, to a function and to structs.
known=$("$BTFENC" list --kind tracepoint --format names consume_skb contention_begin cpuhp_enter sched_process_fork 2>stderr | sed 's/.*://')
if have python3 "hooks: the verifier of this kernel"; then
	# shellcheck disable=SC2086 # names
	python3 "$root/tests/tracepoint_args.py" "$BTFENC" $known >said 2>&1
	status=$?
	case ${known:+$status} in
	0) ok "hooks: the verifier of this kernel: $(head -n 1 said)" ;;
	75 | '') skip "hooks: the verifier of this kernel" "no BPF program can be loaded here" ;;
	*) not_ok "hooks: the verifier of this kernel" said ;;
	esac
fi
