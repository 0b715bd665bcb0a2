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
char event_enter__thing, event_exit__thing, event_enter__exit, event_exit__exit;
__attribute__((used)) static const struct { const char *func; unsigned long mask; }
raw_tp_null_args[] = { { "other", 0x111111 }, { "begun", 0x200011 }, { 0, 0 } };

OUTSIDE int __traceiter_begun(void *__data, struct item *item, int extra, void *cookie,
			      struct item **items, struct item *error, struct opaque *opaque)
{
	return item->count + extra + !cookie + !items + !error + !opaque + record.ent;
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
OUTSIDE long __x64_sys_other(const struct item *regs) { return regs->count + 2; }
int _start(void) { return first(0) + second(0) + third(0); }
EOT
cat >ids.s <<'EOT'
.section .BTF_ids, "a"
.globl __BTF_ID__set__bpf_lsm_disabled_hooks
.type __BTF_ID__set__bpf_lsm_disabled_hooks, @object
__BTF_ID__set__bpf_lsm_disabled_hooks: .zero 4
__BTF_ID__func__bpf_lsm_item_free__1: .zero 4
.size __BTF_ID__set__bpf_lsm_disabled_hooks, 8
.type __BTF_ID__set__sleepable_lsm_hooks, @object
__BTF_ID__set__sleepable_lsm_hooks: .zero 4
__BTF_ID__func__bpf_lsm_item_open__2: .zero 4
.size __BTF_ID__set__sleepable_lsm_hooks, 8
.type __BTF_ID__set8__test_kfunc_ids, @object
__BTF_ID__set8__test_kfunc_ids: .zero 8
__BTF_ID__func__second__3: .zero 8
.size __BTF_ID__set8__test_kfunc_ids, 16
.type __BTF_ID__set8__test_fmodret_ids, @object
__BTF_ID__set8__test_fmodret_ids: .zero 8
test_fmodret_ids = __BTF_ID__set8__test_fmodret_ids
__BTF_ID__func__fourth__4: .zero 8
__BTF_ID__func__third__5: .zero 8
.size __BTF_ID__set8__test_fmodret_ids, 24
list_of_ids:
__BTF_ID__func__kept__7: .zero 4
.type __BTF_ID__set__bpf_lsm_hooks, @object
__BTF_ID__set__bpf_lsm_hooks: .zero 4
bpf_lsm_hooks = __BTF_ID__set__bpf_lsm_hooks
__BTF_ID__func__bpf_lsm_item_open__8: .zero 4
__BTF_ID__func__bpf_lsm_item_check_security__9: .zero 4
__BTF_ID__func__bpf_lsm_item_close__10: .zero 4
__BTF_ID__func__bpf_lsm_item_free__11: .zero 4
__BTF_ID__func__bpf_lsm_file_open__13: .zero 4
.size __BTF_ID__set__bpf_lsm_hooks, 24
.type __BTF_ID__set8__test_modify_return_ids, @object
__BTF_ID__set8__test_modify_return_ids: .zero 8
__BTF_ID__func__sixth__12: .zero 8
.size __BTF_ID__set8__test_modify_return_ids, 16
EOT
gcc -g -O2 -ffreestanding -fno-toplevel-reorder -c image.c && gcc -c ids.s &&
	ld -Ttext=0xffffffff81000000 -o image image.o ids.o || exit 1
cp image both && "$BTFENC" encode --features +inline both 2>stderr && objcopy --strip-debug both records ||
	exit 1

# ---- lines of a function ----

for file in image records; do
	says "$file: entry and exit" 0 "drop $file" '^drop: yes, by fentry' \
		'SEC("fentry/drop") int BPF_PROG(on_drop, struct sk_buff \*skb, int reason)$' \
		'SEC("fexit/drop") int BPF_PROG(on_drop_exit, struct sk_buff \*skb, int reason, int result)$' \
		'fentry:drop { print(args.skb); }' 'fexit:drop { print(retval); }' \
		"bpfsnoop -k 'drop'" "retsnoop -e 'drop'" "pwru --filter-func '^drop\$'" \
		'!fmod_ret' 'p:drop drop skb=%di:x64' 'r:drop_return drop result=$retval:s32' '!better' '!calls '
	says "$file: ALLOW_ERROR_INJECTION" 0 "keep $file" \
		'SEC("fmod_ret/keep") int BPF_PROG(on_keep_change, struct sk_buff \*skb, int ret)$'
	says "$file: of which the result is a pointer" 0 "peer $file" 'SEC("fexit/peer")' '!fmod_ret'
	says "$file: no ALLOW_ERROR_INJECTION" 0 "fmod_ret/drop $file" '!fmod_ret/' \
		'^drop: not by fmod_ret: it takes only security_\*, functions with ALLOW_ERROR_INJECTION, and those of sets for it; yes, by fentry'
	says "$file: a set for fmod_ret" 0 "fmod_ret/third $file" '^third: yes, by fentry' 'SEC("fmod_ret/third")'
	says "$file: another set" 0 "fmod_ret/second $file" '!SEC("fmod_ret/' \
		'^second: not known whether by fmod_ret: BTF ids name it, and some of them are for such programs; yes, by fentry'
	says "$file: a set for fmod_ret, by its other name" 0 "fmod_ret/sixth $file" '^sixth: yes, by fentry' 'SEC("fmod_ret/sixth")'
	for name in kept bpf_lsm_item_close; do
		says "$file: fmod_ret of an id that is in no set of kfuncs: $name" 0 "fmod_ret/$name $file" "^$name: not by fmod_ret: it takes only "
	done
	says "$file: fmod_ret without a result" 0 "fmod_ret/security_void $file" '^security_void: yes, by fentry' \
		'SEC("fmod_ret/security_void") int BPF_PROG(on_security_void_change, struct item \*item)$'
	says "$file: fmod_ret of a pointer" 0 "fmod_ret/security_pointer $file" '^security_pointer: not by fmod_ret: .* no integer; yes, by fentry'
	says "$file: no integer" 0 "fmod_ret.s/peer $file" '^peer: not by fmod_ret.s: programs that read the result are refused, as it is no integer; yes, by fentry'
	for word in fexit kretprobe; do
		says "$file: $word of what does not return" 0 "$word/do_exit $file" "^do_exit: not by $word: the function never returns; yes, by fentry"
	done
	says "$file: kprobe where only fentry is taken" 0 "kprobe/kept $file" \
		'^kept: not by kprobe: the kernel keeps kprobes away from it (NOKPROBE_SYMBOL); yes, by fentry'
	says "$file: a function of the security modules" 0 "security_item_close $file" \
		'SEC("fmod_ret/security_item_close") int BPF_PROG(on_security_item_close_change, struct item \*item, int how, int ret)$'
	says "$file: no packet" 0 "starts_nothing $file" 'retsnoop' '!pwru' '!better'

	# ---- what is better ----

	says "$file: a tracepoint inlined into it" 0 "starts $file" \
		'inside  .*begun, a tracepoint in the code of starts, perhaps not on all of its paths:$' '!better' 'SEC("tp_btf/begun")'
	says "$file: the events of a system call" 0 "__x64_sys_thing $file" \
		'better  *syscalls:sys_enter_thing, ' 'SEC("ksyscall/thing")' 'SEC("kretsyscall/thing")' \
		'else  *__x64_sys_thing itself:$' 'SEC("fentry/__x64_sys_thing")'
	says "$file: the events of a system call that does not return" 0 "__x64_sys_exit $file" \
		'better  *syscalls:sys_enter_exit, ' 'SEC("ksyscall/exit")' '!sys_exit_exit' '!kretsyscall'
	says "$file: the event that it has not" 0 "kretsyscall/exit $file" \
		'^sys_exit_exit: no: the system call exit never returns, so this event never comes; ' '!SEC('
	says "$file: a script of that event" 0 "--script libbpf sys_exit_exit $file" '^#error' '!SEC('
	says "$file: another machine's entry" 0 "__ia32_sys_thing $file" '!better' '!else'
	says "$file: no event of that system call" 0 "__x64_sys_other $file" '!better'
	says "$file: a LSM hook" 0 "security_item_open $file" 'better  *lsm/item_open, ' \
		'SEC("lsm/item_open") int BPF_PROG(on_item_open, struct item \*item, int ret)$' '!takes no programs'
	says "$file: a LSM hook of the longer name" 0 "security_item_check $file" \
		'SEC("lsm/item_check_security")'
	says "$file: other parameters" 0 "security_item_close $file" '!lsm/'
	says "$file: no such hook" 0 "security_nothing $file" '!lsm/'
	says "$file: lsm/" 0 "lsm/item_open $file" '^bpf_lsm_item_open: yes, by LSM programs' \
		'SEC("lsm/item_open")' '!fentry'
	says "$file: lsm.s/" 0 "lsm.s/item_open $file" '^bpf_lsm_item_open: yes, by LSM programs' \
		'SEC("lsm.s/item_open") int BPF_PROG(on_item_open, struct item \*item, int ret)$' '!SEC("lsm/'
	says "$file: lsm.s/ where programs may not sleep" 0 "lsm.s/item_check_security $file" \
		'^bpf_lsm_item_check_security: not by lsm.s: it is not in sleepable_lsm_hooks; yes, by LSM programs' \
		'SEC("lsm/item_check_security")' '!SEC("lsm.s'
	says "$file: lsm_cgroup/" 0 "lsm_cgroup/item_open $file" \
		'^bpf_lsm_item_open: not known whether by lsm_cgroup: kernels take it from 6.0 on; yes, by LSM programs' \
		'SEC("lsm_cgroup/item_open") int BPF_PROG(on_item_open, struct item \*item)$'
	says "$file: iter.s/" 0 "iter.s/item $file" 'SEC("iter.s/item") int on_item(struct bpf_iter__item \*ctx)$' \
		'^bpf_iter_item: not known whether by iter.s: only iterators with BPF_ITER_RESCHED take it; yes, it is an iterator'
	says "$file: iter/ of another function" 1 "iter/nothing $file" '^bpf_iter_nothing: no iterator of that name is in .*, only a function$'
	says "$file: a hook without programs" 0 "lsm/item_free $file" '^bpf_lsm_item_free: no: ' '!SEC('
	says "$file: a function that is not among the hooks" 0 "lsm/item_shim $file" '^bpf_lsm_item_shim: no: it is not in bpf_lsm_hooks, ' '!SEC('
	says "$file: no LSM hook" 1 "lsm/nothing $file" '^bpf_lsm_nothing: no LSM hook of that name is in '
	says "$file: iter/" 0 "iter/item $file" '^bpf_iter_item: yes, it is an iterator' \
		'SEC("iter/item") int on_item(struct bpf_iter__item \*ctx)'
	says "$file: no iterator" 0 "bpf_iter_nothing $file" '!iter/'
done
says "a tracepoint that it calls" 0 'ends image' 'inside  *ended, a tracepoint in the code of ends, '
says "a tracepoint of a name alone" 0 'starts_nothing image' '!better'
for file in image records; do
	says "$file: a script that iterates" 0 "--script libbpf iter/item $file" '^SEC("iter/item")$' \
		'^int BPF_PROG(on_bpf_iter_item, struct item \*item)$' 'BPF_SEQ_PRINTF(meta->seq, "' \
		'bpftool iter pin FILE.bpf.o' '^ \* This is a program on the iterator item\.$' '!autoattach' '!kprobe' '!fentry'
	for language in bpftrace tracefs libbpf; do
		says "$file: the condition of a LSM hook for $language" 0 "--script $language lsm/item_open $file" \
			'^[/*# ]* It is called only if /sys/kernel/security/lsm has "bpf"\.$'
	done
	says "$file: a script of a LSM hook" 0 "--script libbpf lsm/item_open $file" '^SEC("lsm/item_open")$' \
		'^int BPF_PROG(on_bpf_lsm_item_open, struct item \*item, int ret)$' '	return ret;$' '!fentry/' '!kprobe'
	says "$file: a script of a hook without programs" 0 "--script libbpf lsm/item_free $file" \
		' No call can be seen this way\.$' ' bpf_lsm_item_free: no: bpf_lsm_disabled_hooks' '^#error' '!SEC(' '!lsm has'
done
says "a system call's arguments" 0 'sys_enter_thing image' \
	'BPF_KSYSCALL(on_thing, int fd, const char \* path)  // after #include <bpf/bpf_core_read.h>'
for name in 'pa\\033th' 'path) { hacked(' 'pa-th' ''; do
	sed "s/\"fd\", \"path\"/\"fd\", \"$name\"/" image.c >named.c
	gcc -g -O2 -ffreestanding -c named.c && ld -Ttext=0xffffffff81000000 -o named named.o
	says "an argument of the name '$name'" 0 'sys_enter_thing named' 'BPF_KSYSCALL(on_thing)  // after'
	says "an argument of the name '$name' in bpftrace" 0 '--script bpftrace sys_enter_thing named' \
		'^// Its arguments, if any, are not printed' '!args.'
done
says "in a script" 0 '--script libbpf __x64_sys_thing image' '^SEC("tp/syscalls/sys_enter_thing")$' \
	'"sys_enter_thing: fd=0x%lx path=0x%lx", (u64)ctx->args\[0\], (u64)ctx->args\[1\]);'
says "in bpftrace" 0 '--script bpftrace __x64_sys_thing image' ', comm, pid, args.fd, args.path);'
says "with strings" 0 '--script libbpf begun image' '^SEC("tp/mine/begun")$' \
	'"begun: count=%ld comm=%s name=%s", (s64)ctx->count, ctx->comm, (void \*)ctx + (ctx->__data_loc_name & 0xffff));' \
	'name is printed as a string'
says "with strings in bpftrace" 0 '--script bpftrace begun image' ', args.count, args.comm, str(args.name));'
says "a parameter ctx" 0 '--script libbpf with_ctx image' '^int BPF_PROG(on_with_ctx, struct item \*ctx_)$' '(u64)ctx_);'
says "a parameter that the verifier refuses" 0 '--script libbpf with_pointers image' '^SEC("kprobe/with_pointers")$'
says "twelve values in a line" 0 '--script libbpf many image' 'n11=%ld", ' '"many: n12=%ld", (s64)ctx->n12);'
says "what a wrapper calls" 0 'wrapper image' '^wrapper: no: every call was inlined; .*; probe the addresses below (what its code calls' \
	'calls  *drop at 2 of 2 addresses where wrapper was inlined, perhaps not on all paths; others may call it, too:$' 'SEC("fentry/drop")'
says "what is called from few places comes first" 0 'guarded image' \
	'calls  *guarded_slow at 2 of 2 addresses where guarded was inlined, ' 'calls  *a_helper at 2 of 2 addresses where '
expect "hooks: in that order" test "$(sed -n 's/^  calls  *\([a-z_]*\) .*/\1/p' stdout | tr '\n' ' ')" = 'guarded_slow a_helper '
says "what is called seldom" 0 'seldom image' '^seldom: no: ' '!calls  *drop' '!calls  *keep'
says "a tracepoint in what is inlined" 0 'starts_inline image' \
	'inside  *mine:begun, a tracepoint in its code at 1 of 1 addresses where starts_inline was inlined, '
says "trace_NAME is the tracepoint" 0 'trace_begun image' 'inside  *mine:begun, ' 'SEC("tp_btf/begun")'
says "and not by its name alone" 0 'trace_nothing image' '!better'

cat >notrace.c <<'EOT'
#define OUTSIDE __attribute__((noinline, noclone, noipa))
OUTSIDE int callee(int a) { return a * 3; }
static inline __attribute__((always_inline)) int body(int a) { return callee(a) + 5; }
OUTSIDE int hooked(int a) { return body(a) * 7; }
OUTSIDE int unhooked(int a) { return body(a) * 9; }
__asm__(".section .init.data, \"aw\"\n.globl __start_mcount_loc, __stop_mcount_loc\n"
	"__start_mcount_loc: .quad hooked\n__stop_mcount_loc: .quad 1\n.previous");
EOT
gcc -g -O2 -ffreestanding -c notrace.c && ld -Ttext=0xffffffff81000000 -e hooked -o notrace notrace.o
says "probes that some kernels refuse" 0 'body notrace' \
	'; do this instead (1 of the 2 probes only where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE):$' \
	"p:callee callee  # refused without CONFIG_KPROBE_EVENTS_ON_NOTRACE: no tracer's hook is in the function around it\$"
says "kprobe.multi needs the tracer's hook, too" 0 'kprobe.multi/unhooked notrace' '!SEC("kprobe.multi' \
	"^unhooked: not by kprobe.multi: it has no tracer's hook (notrace); by kprobe only where "
says "a kprobe does not" 0 'kprobe/unhooked notrace' "^unhooked: not by fentry: it has no tracer's hook (notrace); by kprobe only where "

# ---- arguments of tracepoints ----

says "arguments" 0 'begun image' '^begun: yes, it is a tracepoint' \
	'tp_btf/begun: item may be NULL: the verifier wants it compared first (raw_tp_null_args)$' \
	'tp_btf/begun: cookie is a number to the verifier: ' \
	'tp_btf/begun: items (it does not point to a struct), opaque (the struct .* not in this BTF) cannot be read' \
	'!: .*extra.* \(is\|are\|may\|cannot\) ' '!raw_tp_null_args (6.13' '!no raw_tp_null_args'
{ cat image.c; echo 'const char linux_banner[] = "Linux version 6.12.1 (a@b) (gcc) #1 SMP";'; } >backport.c
gcc -g -O2 -ffreestanding -c backport.c && ld -Ttext=0xffffffff81000000 -o backport backport.o
says "the table of a stable release" 0 'begun backport' 'item may be NULL: the verifier wants it compared first' '!no raw_tp_null_args'
# The number of arguments is an int, or 7 bits, in both byte orders.
sed 's/int number, count;/int number; unsigned char count : 7, is_string : 1; signed char size; short mask;/
	s/"sys_thing", 1, 2, types/"sys_thing", 1, 2, 0, -1, 0, types/' image.c >bits.c
for source in image bits; do
	if have s390x-linux-gnu-gcc-12 "hooks: a system call of s390x, $source"; then
		s390x-linux-gnu-gcc-12 -g -O2 -ffreestanding -c -o s390x.o $source.c &&
			s390x-linux-gnu-ld -Ttext=0x100000 -o s390x s390x.o || exit 1
		says "a system call of s390x, $source" 0 'ksyscall/thing s390x' \
			'SEC("ksyscall/thing") int BPF_KSYSCALL(on_thing, int fd, const char \* path)'
	fi
	gcc -g -O2 -ffreestanding -c -o call.o $source.c && ld -Ttext=0xffffffff81000000 -o call call.o || exit 1
	says "a system call, $source" 0 'ksyscall/thing call' \
		'SEC("ksyscall/thing") int BPF_KSYSCALL(on_thing, int fd, const char \* path)'
done
says "without a row in the table" 0 'ended image' '!may be NULL' '!number' '!raw_tp_null_args'
"$BTFENC" explain --json begun image >json
have python3 "hooks: arguments in JSON" && expect "hooks: arguments in JSON" python3 - json <<'EOT'
import json, sys
t = json.load(open(sys.argv[1]))["tracepoint"]
assert t["null_table"] is True, t
assert [(a["name"], a["state"]) for a in t["arguments"]] == [("item", "null"), ("extra", "plain"),
    ("cookie", "number"), ("items", "refused"), ("error", "plain"), ("opaque", "refused")], t
EOT
sed 's/0x200011/0x020000/; s/raw_tp_null_args\[\]/raw_tp_null_args[64]/' image.c >error.c
gcc -g -O2 -ffreestanding -c error.c && ld -Ttext=0xffffffff81000000 -o error error.o
says "an error" 0 'begun error' 'tp_btf/begun: error may be an error: to the verifier it is a number' \
	'!may be NULL'
sed '/raw_tp_null_args/d; /used/d' image.c >before.c
gcc -g -O2 -ffreestanding -c before.c && ld -Ttext=0xffffffff81000000 -o before before.o
says "a kernel without the table" 0 'begun before' 'assumes that no pointer is NULL: it has no raw_tp_null_args' \
	'!may be NULL'
says "no pointer to a struct, no word of the table" 0 'sys_enter_thing before' '!raw_tp_null_args'
"$BTFENC" encode -o raw image
for name in iter/item lsm/item_open; do
	for language in libbpf bpftrace; do
		says "$language: $name is not inlined" 0 "--script $language $name raw" 'bpf_' '!inlined'
	done
done
# Lists of symbols have no sizes, nor the order of the file at one address.
nm -n image >map && grep -v __BTF_ID__ map >without-ids && grep -v __BTF_ID__func map >only-sets || exit 1
unless=', unless bpf_lsm_disabled_hooks has it or bpf_lsm_hooks does not, which nothing here shows'
says "a list: a LSM hook" 0 'lsm/item_open raw --symbols map' 'SEC("lsm/item_open")' '!unless' \
	'^bpf_lsm_item_open: yes, by LSM programs, if /sys/kernel/security/lsm has "bpf"$'
says "a list: a hook without programs" 0 'lsm/item_free raw --symbols map' '^bpf_lsm_item_free: no: bpf_lsm_disabled_hooks has it' '!SEC('
says "a list: no hook" 0 'lsm/item_shim raw --symbols map' '^bpf_lsm_item_shim: no: it is not in bpf_lsm_hooks, ' '!SEC('
says "a list: lsm.s" 0 'lsm.s/item_open raw --symbols map' '^bpf_lsm_item_open: yes, ' 'SEC("lsm.s/item_open")'
says "a list: no lsm.s" 0 'lsm.s/item_check_security raw --symbols map' \
	'^bpf_lsm_item_check_security: not by lsm.s: it is not in sleepable_lsm_hooks; yes, '
for name in fourth third sixth; do
	says "a list: a set for fmod_ret, $name" 0 "fmod_ret/$name raw --symbols map" "^$name: yes, by fentry" "SEC(\"fmod_ret/$name\")"
done
for name in drop kept; do
	says "a list: no set for fmod_ret, $name" 0 "fmod_ret/$name raw --symbols map" \
		"^$name: not known whether by fmod_ret: nothing here shows ALLOW_ERROR_INJECTION "
done
for options in '' ' --symbols without-ids' ' --symbols only-sets'; do
	for name in open free; do
		says "sets that nothing shows, lsm/item_$name$options" 0 "lsm/item_$name raw$options" 'SEC("lsm/item_' \
			"^bpf_lsm_item_$name: yes, by LSM programs, if /sys/kernel/security/lsm has \"bpf\"$unless (an image's symbols do)\$"
	done
	says "a script of a hook in sets that nothing shows$options" 0 "--script libbpf lsm/item_free raw$options" "has \"bpf\"$unless "
	says "the hook of a function$options" 0 "security_item_open raw$options" "better  *lsm/item_open, .*$unless "
done
says "fmod_ret by BTF alone" 0 'fmod_ret/keep raw' '^keep: not known whether by fmod_ret: nothing here shows ALLOW_ERROR_INJECTION '
says "BTF alone" 0 'begun raw' 'which pointers must be compared with NULL is not known' 'items (it does not'

echo 'const char linux_banner[] = "Linux version 5.4.0 (a@b) (gcc) #1 SMP"; struct file { int flags; };
__attribute__((noipa)) int bpf_lsm_file_open(struct file *file) { return file->flags; }
int security_file_open(struct file *file) { return bpf_lsm_file_open(file) + 1; }' >old.c
gcc -g -O2 -ffreestanding -c old.c && ld -e 0 -o old old.o || exit 1
says "LSM programs before trampolines" 0 'lsm/file_open old' '!SEC(' \
	'^bpf_lsm_file_open: no: LSM programs need BPF trampolines: x86-64 takes it from 5.5 on, this is 5.4$'
says "which are not better then" 0 'security_file_open old' '!SEC("lsm' '!better' 'no lsm/file_open: LSM programs need BPF'

# ---- programs that some kernels take, or that may sleep ----

cat >kernel.s <<'EOT'
.text
.ifdef WHOLE
.globl rest_init, register_kprobe
.type rest_init, @function
rest_init: nop
.type register_kprobe, @function
register_kprobe: nop
.endif
.ifdef FPROBE
.globl register_fprobe_ips
.type register_fprobe_ips, @function
register_fprobe_ips: nop
.endif
.ifdef INJECTION
.globl within_error_injection_list
.type within_error_injection_list, @function
within_error_injection_list: nop
.endif
.ifdef HOOKS
.section .init.data, "aw"
.globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc: .quad drop, keep, __ia32_sys_thing, __x64_sys_thing
__stop_mcount_loc: .quad 1
.endif
.section .BTF_ids, "a"
.ifdef ASLEEP
.type __BTF_ID__set__btf_non_sleepable_error_inject, @object
__BTF_ID__set__btf_non_sleepable_error_inject: .zero 4
__BTF_ID__func__peer__6: .zero 4
.size __BTF_ID__set__btf_non_sleepable_error_inject, 8
.endif
.ifdef DENY
.type __BTF_ID__set__btf_id_deny, @object
__BTF_ID__set__btf_id_deny: .zero 8
.size __BTF_ID__set__btf_id_deny, 8
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
		ld -Ttext=0xffffffff81000000 -o "$out" "$out.o" ids.o "$out-kernel.o" || exit 1
}
sed '1,/^struct opaque;/s/^struct opaque;/&\nenum bpf_attach_type { BPF_TRACE_KPROBE_MULTI = 42, BPF_TRACE_FSESSION = 58,\n\tBPF_TRACE_FEXIT_MULTI } attach_type;/' \
	image.c >newer.c
kernel newer newer.c WHOLE FPROBE
kernel whole newer.c WHOLE
kernel part newer.c
cp newer newer-records && "$BTFENC" encode newer-records && objcopy --strip-debug newer-records || exit 1
for file in newer newer-records; do
	says "$file: kprobe.multi" 0 "kprobe.multi/drop $file" '^drop: yes, by fentry' \
		'SEC("kprobe.multi/drop") int BPF_KPROBE(on_drop_kprobe, struct sk_buff \*skb, int reason)$'
	says "$file: kretprobe.multi" 0 "kretprobe.multi/drop $file" '^drop: yes, by fentry' \
		'SEC("kretprobe.multi/drop") int BPF_KRETPROBE(on_drop_return, int result)$'
	says "$file: kprobe.session" 0 "kprobe.session/drop $file" '!SEC("kprobe' \
		'^drop: not by kprobe.session: kernels take it from 6.10 on; yes, by fentry'
	says "$file: fsession" 0 "fsession/drop $file" '^drop: yes, by fentry' \
		'SEC("fsession/drop") int BPF_PROG(on_drop_session, struct sk_buff \*skb, int reason, int result)$'
	says "$file: fsession of what does not return" 0 "fsession/do_exit $file" \
		'^do_exit: not by fsession: the function never returns; yes, by fentry' '!SEC("fsession'
	says "$file: fexit.multi" 0 "fexit.multi/drop $file" '^drop: yes, by fentry' \
		'SEC("fexit.multi/drop") int BPF_PROG(on_drop_exit, struct sk_buff \*skb, int reason)$'
	for word in fentry.multi fsession.multi; do
		says "$file: $word" 0 "$word/drop $file" "!SEC(\"$word" \
			"^drop: not by $word: only kernels with BPF_TRACE_F[A-Z]*_MULTI take it; yes, by fentry"
	done
done
for word in kprobe kretprobe; do
	says "$word.multi without fprobes" 0 "$word.multi/drop whole" "!SEC(\"$word" \
		"^drop: not by $word.multi: the kernel is built without fprobes (CONFIG_FPROBE); yes, by fentry"
	says "$word.multi of part of a kernel" 0 "$word.multi/drop part" "SEC(\"$word.multi/drop\")" \
		"^drop: not known whether by $word.multi: nothing here shows fprobes (CONFIG_FPROBE); yes, by fentry"
done
says "kprobe.multi without fprobes, where fentry is refused" 0 'kprobe.multi/many_values whole' \
	'^many_values: not by kprobe.multi: the kernel is built without fprobes (CONFIG_FPROBE); not by fentry, which refuses it because '
says "fexit.multi.s" 0 'fexit.multi.s/keep newer' '^keep: yes, by fentry' 'SEC("fexit.multi.s/keep")'
says "fentry.multi without the enum" 0 'fentry.multi/drop image' 'SEC("fentry.multi/drop")' \
	'^drop: not known whether by fentry.multi: only kernels with BPF_TRACE_FENTRY_MULTI take it; yes, by fentry'
says "a reason that is certain" 0 'fsession/do_exit image' '^do_exit: not by fsession: the function never returns; '
# Of arm64 and riscv64: their numbers in the ELF header.
cp newer riscv64 && printf '\363' | dd of=riscv64 bs=1 seek=18 conv=notrunc 2>/dev/null
cp newer arm64 && printf '\267' | dd of=arm64 bs=1 seek=18 conv=notrunc 2>/dev/null
says "fsession of another machine" 0 'fsession/drop riscv64' 'SEC("fsession/drop")' \
	'^drop: not known whether by fsession: the JIT may lack it (bpf_jit_supports_fsession); yes, by fentry'
says "fsession of arm64" 0 'fsession/drop arm64' '^drop: yes, by fentry' 'SEC("fsession/drop")'
echo 'const char linux_banner[] = "Linux version 6.1.0 (a@b) (gcc) #1 SMP"; int drop(int how) { return how + 1; }' >early.c
kernel early early.c && printf '\267' | dd of=early bs=1 seek=18 conv=notrunc 2>/dev/null
for word in fsession kprobe.session; do
	says "$word before fentry" 0 "$word/drop early" '!SEC("fsession' '!SEC("kprobe.session' \
		"^drop: not by $word: kernels take it from [67][.01]* on; yes, by kprobe (not by fentry: arm64 takes it from 6.4 on, this is 6.1)"
done
says "without the enum" 0 'fsession/drop image' 'SEC("fsession/drop")' \
	'^drop: not known whether by fsession: kernels take it from 7.0 on; yes, by fentry'
for word in fentry.s fexit.s; do
	says "$word, ALLOW_ERROR_INJECTION" 0 "$word/keep image" '^keep: yes, by fentry' "SEC(\"$word/keep\")"
	says "$word of another function" 0 "$word/drop image" "!SEC(\"$word" \
		"^drop: not by $word: sleepable programs are only for functions with ALLOW_ERROR_INJECTION; yes, by fentry"
done
says "fmod_ret.s" 0 'fmod_ret.s/keep image' '^keep: yes, by fentry' 'SEC("fmod_ret.s/keep")'
says "fmod_ret.s by BTF ids" 0 'fmod_ret.s/third image' 'SEC("fmod_ret.s/third")' \
	'^third: not known whether by fmod_ret.s: BTF ids name it, and some of them are for such programs; '

sed '/_error_injection_whitelist/d; /size __cfi_keep/s/$/);/' image.c >without.c
kernel syscalls without.c HOOKS DENY
kernel refused without.c HOOKS DENY ASLEEP
kernel injected without.c HOOKS DENY INJECTION
kernel unknown without.c HOOKS
for word in fentry.s fexit.s fmod_ret fmod_ret.s; do
	says "$word of a system call" 0 "$word/__x64_sys_thing syscalls" '^__x64_sys_thing: yes, by fentry' \
		"SEC(\"$word/__x64_sys_thing\")"
	for file in refused injected; do
		says "$word of a system call, $file" 0 "$word/__x64_sys_thing $file" "^__x64_sys_thing: not by $word: " \
			'ALLOW_ERROR_INJECTION' "!SEC(\"$word"
	done
	says "$word of a system call, not known" 0 "$word/__x64_sys_thing unknown" \
		"^__x64_sys_thing: not known whether by $word: .*ALLOW_ERROR_INJECTION"
	for name in drop __ia32_sys_thing; do
		says "$word of another function: $name" 0 "$word/$name syscalls" "^$name: not by $word: "
	done
done
kernel asleep image.c ASLEEP
says "what may not sleep, by the set" 0 'fexit.s/peer asleep' '^peer: not by fexit.s: its callers may not sleep (btf_non_'
for name in __add_to_page_cache_locked __filemap_add_folio should_fail_alloc_page should_failslab filemap_add_folio; do
	sed "s/\bkeep\b/$name/g" image.c >named.c
	kernel named named.c ASLEEP
	says "$name, not in the set" 0 "fentry.s/$name named" "^$name: yes, by fentry"
	kernel named named.c
	case $name in
	filemap_*) says "$name, by its name" 0 "fentry.s/$name named" "^$name: yes, by fentry" ;;
	*) says "$name, by its name" 0 "fentry.s/$name named" "^$name: not by fentry.s: its callers may not sleep " ;;
	esac
done
sed 's/__set__sleepable_lsm_hooks/__set__btf_sleepable_lsm_hooks/' ids.s | as -o other-ids.o - &&
	ld -Ttext=0xffffffff81000000 -o other-set image.o other-ids.o && ld -Ttext=0xffffffff81000000 -o no-set image.o
says "lsm.s by the set's other name" 0 'lsm.s/item_open other-set' '^bpf_lsm_item_open: yes, by LSM programs' 'SEC("lsm.s/'
sed 's/version 6\.12/version 5.15/' backport.c >before-sets.c && gcc -g -O2 -ffreestanding -c before-sets.c && ld -Ttext=0xffffffff81000000 -o before-sets before-sets.o
says "a release without bpf_lsm_disabled_hooks" 0 'lsm/item_open before-sets' '^bpf_lsm_item_open: ' '!unless'
says "lsm.s without the set" 0 'lsm.s/item_open no-set' 'SEC("lsm.s/' \
	'^bpf_lsm_item_open: not known whether by lsm.s: nothing here shows sleepable_lsm_hooks '
sed 's/5\.4\.0/5.9.0/; 1s/$/ void arch_prepare_bpf_trampoline(void) { } void register_ftrace_direct(void) { }/' old.c >older.c &&
	kernel older older.c
says "sleepable programs before 5.10" 0 'lsm.s/file_open older' 'SEC("lsm/file_open")' '!SEC("lsm.s' \
	'^bpf_lsm_file_open: not by lsm.s: kernels take sleepable programs from 5.10 on; yes, by LSM programs'

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
gcc -g -O2 -ffreestanding -c events.c && ld -e event_bare -Ttext=0xffffffff81000000 -o events events.o &&
	"$BTFENC" encode -o events.btf events && nm -n events >events.map && grep ' T ' events.map >events.text &&
	grep -v ' event_shared$' events.map >events.pointer && cp events described && "$BTFENC" encode described &&
	objcopy --strip-debug described || exit 1
mkdir -p host/sys/kernel/btf host/proc/sys/kernel host/sys/kernel/tracing && cp events.btf host/sys/kernel/btf/vmlinux &&
	echo 6.1.0 >host/proc/sys/kernel/osrelease && cp events.text host/proc/kallsyms || exit 1
for name in shared bare; do
	for file in events.btf 'events.btf --symbols events.text' '--root host'; do
		says "$name: an event is not known, $file" 0 "$name $file" "^$name: yes, it is a tracepoint" '!it has no event' \
			"SEC(\"tp_btf/$name\")" "rawtracepoint:$name " "tracepoint:\*:$name " "echo 1 > events/SYSTEM/$name/enable" \
			"whether it has an event in tracefs is not known: symbols show it (__event_$name)"
		says "$name: by its folder, $file" 0 "tp/mine/$name $file" '!it has no event' "rawtracepoint:$name " \
			"tracepoint:mine:$name " "echo 1 > events/mine/$name/enable" 'whether it has an event in tracefs is not known'
		says "$name: a script for tracefs, $file" 0 "--script tracefs $name $file" "/events/\*/$name/enable; do" \
			'# Whether it has an event in tracefs is not known'
		says "$name: a script for libbpf, $file" 0 "--script libbpf tp/mine/$name $file" "^SEC(\"tp_btf/$name\")"
		says "$name: a script for bpftrace, $file" 0 "--script bpftrace $name $file" "^rawtracepoint:$name\$"
	done
done
for file in events 'events.btf --symbols events.map' described 'events.btf --symbols events.pointer'; do
	says "symbols show an event, $file" 0 "shared $file" '!rawtracepoint' '!no event' '!not known: symbols' \
		'echo 1 > events/SYSTEM/shared/enable' "nothing here says it\$"
	says "symbols show that there is none, $file" 0 "bare $file" 'it has no event in tracefs (DECLARE_TRACE)$' \
		'rawtracepoint:bare ' '!not known: symbols' '!echo'
	says "a script of an event that symbols show, $file" 0 "--script tracefs shared $file" '!not known' '/events/\*/shared/enable; do'
done
"$BTFENC" explain --json shared events.btf >json
expect "hooks: an event that is not known, in JSON" grep -q '"event": null' json
mkdir -p host/sys/kernel/tracing/events/mine/shared && touch host/sys/kernel/tracing/README
says "tracefs has the event" 0 'shared --root host' 'echo 1 > events/mine/shared/enable' '!rawtracepoint' '!no event'
says "tracefs has no event" 0 'bare --root host' 'it has no event in tracefs (DECLARE_TRACE)$' '!not known: symbols'

# ---- names as tracers write them ----

for name in fentry/drop fexit/drop fentry.s/keep fmod_ret/keep kprobe/drop kretprobe/drop \
	    kprobe:drop kretprobe:drop fentry:drop fentry:vmlinux:drop kfunc:vmlinux:drop k:drop \
	    p:drop p:kprobes/drop; do
	says "$name" 0 "$name image" '^\(drop\|keep\): yes, by fentry'
done
for name in tp_btf/begun raw_tp/begun raw_tracepoint/begun raw_tp.w/begun rawtracepoint:begun \
	    tp/mine/begun tracepoint/mine/begun tracepoint:mine:begun t:mine:begun mine:begun; do
	says "$name" 0 "$name image" '^begun: yes, it is a tracepoint'
done
for name in ksyscall/thing sys_enter_thing syscalls:sys_enter_thing tracepoint:syscalls:sys_enter_thing; do
	says "$name" 0 "$name image" '^sys_enter_thing: yes, it is an event of the system call thing$'
done
says "kretsyscall/thing" 0 'kretsyscall/thing image' '^sys_exit_thing: yes, it is an event'
for file in image records; do
	says "$file: a system call's name alone" 1 "thing $file" \
		"^thing: no function or tracepoint of that name is in $file, only a system call\$" \
		'^  __x64_sys_thing$' '^  ksyscall/thing, a system call$' '^  syscalls:sys_enter_thing, a tracepoint$' '!__ia32'
	says "$file: a system call without events" 1 "other $file" ', only a system call$' '^  __x64_sys_other$' '!ksyscall/'
	for name in __pfx_drop __cfi_keep.isra.0; do
		says "$file: $name" 1 "$name $file" \
			"^$name: not a function, but what is before one (padding, or the type for CFI); ask for [dk]" '!near'
	done
	says "$file: a function without padding" 1 "__pfx_starts $file" '^__pfx_starts: no function' '^  starts$'
	says "$file: no such padding" 1 "__pfx_keepp $file" '^__pfx_keepp: no function' '^  keep$'
done
for file in image records; do
	says "$file: a variable" 1 "iterator $file" "^iterator: no function or tracepoint of that name is in $file, only a variable\$"
done
says "ksyscall/other" 1 'ksyscall/other image' '^sys_enter_other: no event of a system call of that name'
says "a tracepoint that is a function" 1 'tp_btf/drop image' '^drop: no tracepoint of that name is in image, only a function$'
says "a tracepoint that is a function, by records" 1 'tp_btf/drop records' '^drop: no tracepoint of that name is in records, only a function$'
says "a function that is a tracepoint" 0 'kprobe:begun image' \
	'^begun: no function has that name, but a tracepoint has:$'
says "a function of another module" 1 'fentry/other:drop image' \
	'^drop: no function of that name is in other, but in image is a function: leave out other$'
says "a word that is no folder" 1 'mine:drop image' \
	'^drop: no function or tracepoint of that name is in mine, but in image is a function: leave out mine$'
"$BTFENC" explain kprobe/drop+0x4 image >stdout 2>stderr
expect "hooks: an offset is not passed over" grep -q 'not about the offset$' stderr
expect "hooks: the function with an offset" grep -q '^drop: yes, by fentry' stdout
# Hints are commands that can be pasted: with the options of the command that printed them.
mkdir "of it's" machine machine/sys machine/sys/kernel machine/sys/kernel/btf && cp image "of it's/kernel" &&
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
	expect "hooks: the hint with $*" sh -c "[ $? -eq 0 ] && grep -q begun out"
}
hint_of "of it's/kernel"
"$BTFENC" explain beg:qqqqqqq - <image >stdout 2>&1
expect "hooks: no hint with standard input" sh -c 'grep -q "^qqqqqqq: no " stdout && ! grep -q "look for it" stdout'
gcc -g -c -o "of it's/some.ko" -x c - <<-EOT && hint_of image --modules "of it's"
	int alone(int a) { return a; }
EOT
hint_of --root machine
cp "$FIXTURES/gcc12-dwarf5/vmlinux" "of it's"
"$BTFENC" stats "of it's/vmlinux" >stdout
hint "$(sed -n 's/^ .* others (btfenc \(.*\))$/\1/p' stdout)"
expect "hooks: the hint of stats" test "$(wc -l <out)" -eq "$(awk '$2 == "others" { print $1 }' stdout)"
# As they are pasted from code, programs and logs.
while IFS= read -r name; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" grep -q '^drop: yes, by fentry' stdout
done <<'EOT'
drop()
drop ( struct sk_buff *skb )
int drop(struct sk_buff *skb, int reason);
static struct list_head *drop(int reason)
static int drop
static struct list_head *drop;
EXPORT_SYMBOL(drop);
EXPORT_SYMBOL_GPL(drop)
EXPORT_SYMBOL_NS_GPL( drop , "NET");
 #3 [ffffb1a2c0a3fd60] drop at ffffffff81000010
#12 [ffffb1a2c0a3fd60] drop+16 at ffffffff81000010
Nov 25 10:00:00 host kernel: [    1.2] RIP: 0010:drop+0x10/0x20
Nov 25 10:00:00 host kernel:  ? drop+0x10/0x20
2026-11-25T10:00:00.000000+00:00 host kernel: drop+0x10/0x20
[    1.200000] pc : drop+0x10/0x20
lr : drop+0x10/0x20
 drop
SEC("fentry/drop")
SEC("?fexit/drop") int BPF_PROG(on_drop)
fentry:drop { print(args.skb); }
p:drop drop skb=%di:x64 reason=%si:s32
r:kprobes/drop_return drop result=$retval:s32
ffffffff81000010 T drop
? drop+0x10/0x40
RIP: 0010:drop+0x10/0x40
[  123.456789]  ? drop+0x10/0x40
[<ffffffff81000010>] drop+0x10/0x40
 => drop
81000010 t drop
f:event drop
f:event drop%return
p8:event drop skb=%di:x64
r10:kprobes/event drop
p drop
f:drop { print(args.skb); }
kprobe:drop /pid == 1/ { }
<4>[   12.3]  drop+0x1/0x2
BUG: KASAN: slab-out-of-bounds in drop+0x1/0x2
BUG: unable to handle page fault for address: ffff at drop+0x4/0x300
WARNING: CPU: 0 PID: 1 at fs/read_write.c:450 drop+0x1/0x2
WARNING: fs/read_write.c:450 at drop+0x1/0x2, CPU#0: bash/12
PC is at drop+0x1/0x2
[<c0101234>] (drop+0x1/0x2) from [<c0101234>] (keep+0x1/0x2)
Krnl PSW : 0704c00180000000 0000000000000000 (drop+0x1/0x2)
NIP [c000000000123456] drop+0x1/0x2
epc : drop+0x1/0x2 ra : keep+0x1/0x2
#0: ffff888000000000 (&lock){++++}-{3:3}, at: drop+0x1/0x2
kprobe:drop { print(arg0+8, 1); }
     bash-123     [000] d..1.    12.345678: drop <-keep
@[drop]: 123
@calls[kprobe:drop, 3]: 123
__attribute__((noinline)) int drop(struct sk_buff *skb)
static __attribute__ ((section(".text"), noinline)) int drop(int reason)
int (*drop)(struct sk_buff *skb, int reason);
probe:drop
perf probe drop
perf probe -a 'drop skb reason'
perf probe --add "first=drop:12 skb"
perf probe --add=drop+16
perf probe -k vmlinux -s /src -a 'drop skb'
perf probe --max-probes=128 drop
drop:12 skb
drop@net/core/drop.c
first=drop@net/core/drop.c:12
drop+12 skb=%di
p:probe/drop _text+12345
p:drop _stext+0x10 skb=%di:x64
p:kprobes/drop_inline_12 _stext+0x10 skb=%di:x64
Line 11 of "net/core/drop.c" starts at address 0xffffffff81000010 <drop+16> and ends at 0xffffffff81000012 <drop+18>.
ffffffff81000010 <drop>:
ffffffff81000014:	e8 00 00 00 00	call   ffffffff81000010 <drop>
EOT
echo 'int init_task; int drop(int how) { return how + 1; }' >whole.c
gcc -g -O2 -ffreestanding -c whole.c && ld -e drop -o whole whole.o
says "a name that nothing is near" 1 'xfs_file_fsync whole' "a module's function is in the module's file, or is found with --modules DIR"
says "a name that something is near" 1 'dorp whole' "!module's"
for name in 'perf probe -m other drop' 'perf probe --module=other -a "drop skb"'; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" grep -q '^drop: no function of that name is in other, ' stdout
done
for name in 'perf probe -x /bin/ls drop' profile:hz:99 interval:s:1; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" sh -c "[ $? -eq 2 ] && grep -q ' is not about functions of the kernel; ' stderr"
done
for name in 'perf probe -' 'perf probe -a' 'perf probe -m' 'perf probe --exec='; do
	"$BTFENC" explain -- "$name" image >stdout 2>stderr
	expect "hooks: $name" sh -c "[ $? -eq 1 ] && grep -q '^perf probe -.*: no function or tracepoint of that name ' stdout"
done
for name in lsm/nosuch iter/nosuch; do
	says "$name" 1 "$name whole" "!a module's function"
done
for name in drop%return 'perf probe -a drop%return' 'r:probe/drop__return _text+12345'; do
	"$BTFENC" explain "$(echo "$name" | sed 's/drop/kept/')" image >stdout 2>stderr
	expect "hooks: $name" grep -q '^kept: not by k*r[a-z]*: ' stdout
done
for name in net/core/drop.c:12 drop.h:12 'perf probe -a net/core/drop.c:12'; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" sh -c "[ $? -eq 2 ] && grep -q ' is a line of source code: give the function that is there, ' stderr"
done
"$BTFENC" explain 'p:kept kept skb=%di:x64' image >stdout 2>stderr
expect "hooks: a line of tracefs asks for a kprobe" grep -q '^kept: not by p: ' stdout
"$BTFENC" explain 't:event begun' image >stdout 2>stderr
expect "hooks: a tracepoint's event in tracefs" grep -q '^begun: yes, it is a tracepoint' stdout
for name in 'typedef void (*btf_trace_many)(void *);' 'typedef struct item *btf_trace_many;' \
	    'typedef struct { int a; } btf_trace_many[2];'; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" grep -q '^typedef void (\*btf_trace_many)(' stdout
done
for name in 'drop.cold+0x12/0x40' 'RIP: 0010:drop.constprop.0.cold+0x12/0x40'; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: a symbol's address: $name" grep -q '^no symbol drop.* is here; drop: yes, by fentry' stdout
done
for name in 'drop+0x10/0x40 [other]' 'drop+0x1d/0x47 [other] (P)' 'drop+0x10/0x40 [other 0123abcd]' "$(printf 'ffffffffc0a01000 t drop\t[other]')" \
	    "$(printf 'c0a01000 t drop\t[other]')"; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: a line with a module: $name" grep -q '^drop: no function or tracepoint of that name is in other, ' stdout
done
for name in 'SYSCALL_DEFINE2(thing, int, fd, const char __user *, path)' 'SYSCALL_DEFINE0(thing)'; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" grep -q '^sys_enter_thing: yes, it is an event of the system call thing$' stdout
done
"$BTFENC" explain ' #3 [ffffb1a2c0a3fd60] drop at ffffffffc0a3b2c0 [other]' image >stdout 2>stderr
expect "hooks: crash, of a module" grep -q '^drop: no function or tracepoint of that name is in other, ' stdout
"$BTFENC" explain '()' image >stdout 2>stderr
expect "hooks: no name in front of the parameters" grep -q '^(): no function or tracepoint of that name is in image' stdout
"$BTFENC" explain uprobe:drop image >stdout 2>stderr
expect "hooks: uprobe" grep -q '^btfenc: explain: uprobe is not about functions of the kernel; ' stderr
for name in /drop :drop other::drop /proc drop: drop/ fentry/ fentry/drop:; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" sh -c "[ $? -eq 2 ] && grep -q '^btfenc: explain: $name is not the name of a function; ' stderr"
done
for name in kprobe:drop,kprobe:keep 'kprobe:drop, kprobe:keep { }' drop,keep; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: $name" sh -c "[ $? -eq 2 ] && grep -q 'NAME is one name, not several' stderr"
done
for name in other:qqqq 'qqqq+0x1/0x2 [other]' kprobe:other:qqqq; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: the file of a module is needed: $name" \
		grep -q '^  for the module other its file is needed, or --modules DIR$' stdout
done
for name in 0:qqqq other/qqqq.o other/qqqq ./qqqq mine:drop kprobe:vmlinux:qqqq; do
	"$BTFENC" explain "$name" image >stdout 2>stderr
	expect "hooks: no hint for $name" sh -c 'grep -q ": no .* of that name is in " stdout && ! grep -q "is needed\|list" stdout'
done

# Both have the name: what is asked for is what is said.
sed 's/OUTSIDE int starts_nothing/OUTSIDE int ended_(struct item *item) { return item->count; }\n&/' image.c >twice.c
sed -i 's/ended_(/ended(/; s/btf_trace_ended ended;/btf_trace_ended ended_pointer;/' twice.c
gcc -g -O2 -ffreestanding -c twice.c && ld -Ttext=0xffffffff81000000 -o twice twice.o
says "both: the function" 0 'fentry/ended twice' '^ended: yes, by fentry'
says "both: the tracepoint" 0 'tp_btf/ended twice' '^ended: yes, it is a tracepoint' '!SEC("fentry'
says "both: the name alone" 0 'ended twice' '^ended: yes, by fentry' 'a tracepoint has that name, too'

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
# shellcheck disable=SC2086 # words
for inputs in 'image --modules tree' 'records --modules stripped'; do
	for name in inside fentry/some:inside some:inside; do
		says "$name $inputs" 0 "$name $inputs" '^inside: yes, by fentry' \
			'^  int inside(struct item \*item)$' 'p:inside \(some:\)*inside ' 'retsnoop -e' \
			"from ${inputs##* }.*/some.ko\$"
	done
	"$BTFENC" explain --json inside $inputs >json
	expect "hooks: the file in JSON: $inputs" grep -q '"file": "[a-z]*/.*some.ko",' json
	says "near in a module: $inputs" 1 "insidde $inputs" '^  some:inside$'
	says "in FILE: $inputs" 0 "drop $inputs" '^drop: yes, by fentry' '!some'
	says "nowhere: $inputs" 1 "outside $inputs" \
		"^outside: no function or tracepoint of that name is in [a-z]*, nor in the modules below ${inputs##* } (1)\$"
	says "struct part: $inputs" 0 "struct part $inputs" "part: 8 bytes; from ${inputs##* }.*/some.ko\$" '^    struct item item; '
	says "a module's init: $inputs" 0 "init_module $inputs" '^init_module: another name of setup: ask for that$' \
		'init_module is in .init.text: it is freed when the module is loaded'
	says "a member: $inputs" 0 "part.more $inputs" '^part.more: int, at byte 4, 4 bytes; from .*some.ko$'
	says "a type of both: $inputs" 0 "struct item $inputs" "^struct item: 4 bytes; from ${inputs%% *}\$"
	says "a variable of a module: $inputs" 1 "the_part $inputs" '^the_part: no function or '
	says "no type: $inputs" 1 "struct parts $inputs" "^struct parts: no such type; from [a-z]*, nor in the modules below ${inputs##* } (1)\$"
	says "in another module: $inputs" 1 "fentry/other:inside $inputs" '^inside: no function .* in other$'
done

says "a type by its name alone, of a module with BTF" 0 'part records --modules stripped' '^part: 8 bytes; from stripped/some.ko$'
says "not by the DWARF of all modules" 1 'part image --modules tree' '^part: no function .* is in image, nor in the modules below tree (1)$'

for name in drop fentry/drop; do
	says "$name of a module's base" 1 "$name stripped/some.ko -b records" \
		'^drop: no .* is in stripped/some.ko, but its base has that function: give the base as FILE$'
done
says "a module, looked for in vain" 1 'other:qqqq records --modules stripped' '!is needed'

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
left_out "nor a function" 'inside other --modules stripped' \
	'^inside: no function .* is in other, nor in the modules below stripped (0)$' 'is not split from other (.*; it is left out$'

"$BTFENC" explain 'inside [some]' image --modules tree >stdout 2>stderr
expect "hooks: a line of tracefs with a module" grep -q '^inside: yes, by fentry' stdout

# ---- the verifier of the running kernel ----

# With a pointer to void, to a function and to structs.
known=$("$BTFENC" list --tracepoints --format names consume_skb contention_begin cpuhp_enter sched_process_fork 2>stderr)
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
