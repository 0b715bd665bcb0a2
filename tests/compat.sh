#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc compat` on two releases of a kernel of its own (compat/kernel.c) and an object that needs something of each
# kind (compat/needs.bpf.c): each answer, formats, other forms of the object, damaged ones. Real objects and kernels are in
# compat_oracle.sh.
. tests/lib.sh

source=$PWD/tests/compat
cd "$work" || exit 1
have clang compat || exit 0

[ "$(uname -m)" = x86_64 ] || { skip compat 'its kernel is one for x86-64'; exit 0; }
hooks='-fipa-cp-clone --param ipa-cp-eval-threshold=1 -fcf-protection=none -pg -mfentry -mrecord-mcount
	-Wl,--defsym=__start_mcount_loc=__start___mcount_loc
	-Wl,--defsym=__stop_mcount_loc=__stop___mcount_loc'
compiler=gcc-12
command -v $compiler >/dev/null || compiler=gcc
for release in old new bare; do
	case $release in
	old) defined='' ;;
	new) defined=-DNEW ;;
	bare) defined='-DNEW -DBARE' ;;
	esac
	# shellcheck disable=SC2086 # words
	$compiler -g -O2 $hooks -nostdlib -static -Wl,-e,main $defined -o $release "$source/kernel.c" "$source/namesakes.c" && "$BTFENC" encode $release && "$BTFENC" encode -o $release.btf $release || exit 1
done
clang -g -O2 -target bpf -c -o beyond.o "$source/beyond.bpf.c" || exit 1
for machine in bpfel bpfeb; do
	clang -g -O2 -target $machine -c -o $machine.o "$source/needs.bpf.c" || exit 1
done
clang -g -O2 -target bpf -c -o attach.o "$source/attach.bpf.c" || exit 1

# state KIND NAME FILE...: of the kernels, in a line
state()
{
	kind=$1 need=$2
	shift 2
	"$BTFENC" compat --json "$@" 2>err | python3 -c '
import json, sys
needs = json.load(sys.stdin)["needs"]
print(*(kernel["state"] for need in needs if [need["kind"], need["name"]] == sys.argv[1:] for kernel in need["kernels"]))' \
		"$kind" "$need"
}

# is CASE STATES KIND NAME FILE...
is()
{
	is_case=$1 is_states=$2
	shift 2
	expect "compat: $is_case" test "$(state "$@")" = "$is_states"
}

golden 'compat: the page' compat/page compat bpfel.o old new
golden 'compat: Markdown' compat/markdown compat --format markdown bpfel.o old new old.btf
while read -r kind states need; do
	is "$kind $need" "$(echo "$states" | tr , ' ')" "$kind" "$need" bpfel.o old new
	is "$kind $need, the other byte order" "$(echo "$states" | tr , ' ')" "$kind" "$need" bpfeb.o old new
done <<'EOT'
field poisoned,ok struct file.f_pos
field guarded,ok struct task_struct.__state
field ok,guarded struct task_struct___old.state
enumerator guarded,ok enum bpf_func_id___new::BPF_FUNC_loop___new
helper not-known,ok BPF_FUNC_loop
kfunc guarded,ok bpf_new
kfunc ok,ok bpf_always
attach-type missing,ok BPF_TRACE_KPROBE_MULTI
struct-ops missing,ok queue_ops
map-type ok,ok BPF_MAP_TYPE_HASH
attach missing,ok kprobe.multi/t*l
attach ok,ok fentry
EOT
# A call that is inlined, arguments that change places; BTF alone does not tell who has a hook.
is 'an attach point that is inlined' 'ok missing' attach fentry/close_file bpfel.o old new
cp new bare-image && strip -s bare-image
is 'an image without symbols' "$(state attach fentry/write_file bpfel.o new.btf)" attach fentry/write_file bpfel.o bare-image
is 'nothing is missing in it' 'not-known' attach fentry/write_file bpfel.o bare-image
is 'arguments at other places' 'ok changed' attach fentry/write_file bpfel.o old new
is 'the first kernel counts' 'ok changed' attach fentry/write_file bpfel.o new old
is 'arguments in other registers' 'ok changed' attach kprobe/write_file bpfel.o old new
is 'arguments of a tracepoint' 'ok changed' attach tp_btf/file_end bpfel.o old new
is 'a result is where it was' 'ok ok' attach fexit/write_file bpfel.o old new
is 'an argument that is not there' 'not-known changed' attach tp_btf/file_end beyond.o old new
is 'what never returns' 'ok-but ok-but' attach kretprobe/do_exit beyond.o old new
is 'a system call without a number' 'missing ok-but not-known' attach ksyscall/lost beyond.o bare new new.btf
is 'an offset' 'not-known not-known' attach kprobe/read_file+4 beyond.o old new.btf
is 'an offset of a return' 'missing missing' attach kretprobe/read_file+4 beyond.o old new
is 'a system call is no raw tracepoint' 'missing missing' attach raw_tp/sys_enter_thing beyond.o old new
is 'a kprobe, by BTF alone' 'ok not-known' attach kprobe/tell bpfel.o new new.btf
while read -r states need; do
	is "what is read of the context of $need" "$(echo "$states" | tr , ' ')" attach "$need" beyond.o old new
done <<'EOT'
not-known,not-known tp/files/file_end
not-known,not-known tp/syscalls/sys_exit_thing
not-known,not-known tracepoint/syscalls/sys_exit_thing
ok,ok tp/syscalls/sys_enter_thing
not-known,not-known kprobe/tell
ok,ok kprobe/read_file
not-known,not-known uprobe
not-known,not-known raw_tp/file_end
not-known,changed raw_tp.w/file_end
ok,ok raw_tracepoint.w/file_end
EOT
is 'programs of another type' 'ok changed' struct-ops queue_ops beyond.o old new
is 'calls of a clone are not seen' 'ok ok-but' attach fentry/scale bpfel.o old new

# loads CASE ANSWERS PROGRAM FILE KERNEL...
loads()
{
	loads_case=$1 loads_answers=$2 loads_program=$3
	shift 3
	expect "compat: $loads_case" test "$loads_answers" = "$("$BTFENC" compat --json "$@" 2>err | python3 -c '
import json, sys
print(*(program["load"] for kernel in json.load(sys.stdin)["kernels"] for program in kernel["programs"] if program["name"] == sys.argv[1]))' \
		"$loads_program")"
}
sed 's/Linux version 6.18.0-test/Linux version 7.3-testing/' new >two-numbers
for trap in global map optional version instructions; do
	clang -g -O2 -target bpf -c -o $trap.o "$source/traps/$trap.bpf.c" || exit 1
done
cat map.o global.o >both
loads 'global functions are looked at until 6.7, called or not' 'False True' caller global.o old new
loads 'a map that the kernel does not have' 'False False' other map.o old new
loads 'it stops its own object alone' 'False True' caller both old new
loads 'a helper that is not called' 'True True' guarded_helper optional.o old new
loads 'the other byte order' False helper bpfeb.o new
says_order()
{
	"$BTFENC" compat bpfeb.o new | grep -q 'the object as a whole: libbpf loads objects of the kernel.s byte order alone'
}
expect 'compat: why nothing is loaded' says_order
is 'a helper that is not called' guarded helper 999 optional.o new
is 'a release of three numbers' ok kconfig LINUX_KERNEL_VERSION version.o new
is 'a release of two numbers' not-known kconfig LINUX_KERNEL_VERSION version.o two-numbers
# Each member of a struct of operations, as libbpf compares them.
while IFS='|' read -r answers why flags; do
	# shellcheck disable=SC2086 # words
	eval "clang -g -O2 -target bpf $flags -c -o ops.o '$source/ops.bpf.c'"
	loads "struct_ops $flags" "$answers" on_push ops.o new
	"$BTFENC" compat ops.o new >said
	[ -z "$why" ] || expect "compat: struct_ops $flags: why" grep -qF "the object as a whole: $why" said
done <<'EOT'
True||
True||-DMEMBER='int limit'
True||-DSECTION='".struct_ops.link"'
True||-DALONE='"?struct_ops/pop"'
True||-DALONE='"struct_ops/pop"' -DPOP=on_pop
None|a struct_ops program is in no map: libbpf fails, unless the loader sets it|-DALONE='"struct_ops/pop"'
False|one program is of two members, which libbpf refuses|-DPOP=on_push
False|member limit of struct queue_ops is of another size here|-DMEMBER='unsigned long limit'
False|member limit of struct queue_ops is of another kind of type here|-DMEMBER='int *limit'
False|member limit of struct queue_ops is of another kind of type here|-DMEMBER='char limit[4]'
False|member limit of struct queue_ops is a bit-field, which libbpf does not set|-DMEMBER='unsigned limit : 8'
True||-DMEMBER='long gone'
EOT
clang -g -O2 -target bpf -DSECTION='".struct_ops.link"' -c -o ops.o "$source/ops.bpf.c"
sed 's/Linux version 6.18.0-/Linux version 6.3.00-/' new >early
loads 'no link has operations before 6.4' False on_push ops.o early
sed 's/Linux version 6.18.0-test/Linux version 5.14.0-.el9/' new >backports
while read -r program answers; do
	loads "instructions: $program" "$(echo "$answers" | tr , ' ')" "$program" instructions.o early new backports new.btf
done <<'EOT'
swaps False,True,None,None
extends False,True,None,None
fetches True,True,True,None
swaps_never False,True,None,None
plain True,True,True,True
EOT
# Of a kernel, of one without kprobes, and of BTF alone.
while read -r states need; do
	is "attach $need" "$(echo "$states" | tr , ' ')" attach "$need" attach.o new bare new.btf
done <<'EOT'
ok,missing,not-known kprobe.multi/read_*
ok,missing,not-known kprobe.multi/*_file
missing,missing,not-known kprobe.multi/unhooked_*
not-known,missing,not-known kprobe.multi/nothing_*
missing,missing,missing kprobe.session/read_*
ok,missing,not-known kprobe.multi/read_file
ok,missing,not-known fentry.multi/write_*
missing,missing,not-known fentry.multi/*_file
not-known,missing,not-known fentry.multi/nothing_*
missing,missing,missing fentry/read_*
missing,missing,not-known kprobe/read_*
missing,missing,missing raw_tp/file_*
ok,ok,not-known tp/files/file_end
missing,missing,not-known tp/sched/file_end
missing,missing,missing tp/file_end
ok,missing,not-known ksyscall/thing
ok,missing,not-known kretsyscall/thing
ok,ok,not-known tp/syscalls/sys_enter_thing
not-known,not-known,not-known lsm/file_open
ok,ok,not-known fmod_ret/security_file_open
ok,ok,not-known fentry/vmlinux:read_file
not-known,not-known,not-known fentry/some_module:read_file
missing,missing,not-known kprobe/twin
missing,missing,not-known kretprobe/twin+0
ok,missing,not-known kprobe.multi/twin
not-known,missing,not-known kprobe/shadowed
missing,missing,missing tp_btf.s/file_end
ok,missing,ok tp_btf.s/sys_enter
ok,missing,ok raw_tp.s/sys_enter
missing,missing,missing raw_tracepoint.s/file_end
ok,missing,not-known tp.s/syscalls/sys_enter_thing
missing,missing,missing tracepoint.s/files/file_end
not-known,missing,not-known tp_btf.s/nothing
missing,missing,missing raw_tp/files:file_end
missing,missing,missing tp_btf/files:file_end
ok,ok,ok tp_btf/vmlinux:file_end
ok,ok,not-known fentry/vm:read_file
missing,missing,not-known kprobe/vmlinux:read_file
missing,missing,not-known kprobe.multi/vmlinux:read_file
missing,missing,missing fentry.multi/vmlinux:read_file
not-known,not-known,not-known fentry.multi/some_module:read_*
missing,missing,not-known kprobe.multi/read_[f]*
ok,missing,not-known kprobe.multi/read_file,write_file
ok,missing,not-known kprobe/read_file*
missing,missing,missing fentry/vmlinux/read_file
missing,missing,missing fentry/read_file+4
not-known,not-known,not-known fentry/
not-known,not-known,not-known kprobe/
not-known,not-known,not-known kfunc/read_file
not-known,not-known,not-known tp:files:file_end
EOT
is 'namesakes in an older kernel' not-known attach kprobe/twin attach.o old
is 'sleeping programs in a kernel between those that were asked' 'not-known not-known' attach tp_btf.s/file_end attach.o old old.btf
while IFS='|' read -r kernel need why; do
	"$BTFENC" compat --json attach.o "$kernel" >json
	expect "compat: why $need" python3 -c '
import json, sys
[need] = [need for need in json.load(open("json"))["needs"] if need["name"] == sys.argv[1]]
assert need["kernels"][0]["why"] == sys.argv[2], need' "$need" "$why"
done <<'EOT'
new|fentry.multi/*_file|it takes all that match or none, and unhooked_file matches: it has no tracer's hook (notrace)
bare|fentry.multi/*_file|only kernels built with bpf_trampoline_multi_attach() take it, which up to 7.3 x86-64 alone has
new.btf|lsm/file_open|it is taken, unless bpf_lsm_disabled_hooks has it or bpf_lsm_hooks does not, which nothing here shows (an image's symbols do)
new.btf|fmod_ret/security_file_open|nothing here shows whether it has a tracer's hook
new.btf|tp/files/file_end|nothing here shows in which group the event is
EOT
says_ksyscall()
{
	"$BTFENC" explain ksyscall/thing bare | grep -q '^sys_enter_thing: not by ksyscall: the kernel is built without kprobes.*; yes, '
}
expect 'compat: explain says the same of ksyscall' says_ksyscall
is 'of BTF alone' 'poisoned ok' field 'struct file.f_pos' bpfel.o old.btf new.btf

"$BTFENC" compat --json --relocations bpfel.o old new >json
"$BTFENC" compat --json bpfeb.o old.btf >plain
(cd "${source%/tests/compat}" && expect "compat: the JSON is what its schema says" valid_json compat "$work/json" "$work/plain")

# What is inside of something.
{ cat "$BTFENC" bpfeb.o; echo and more; cat bpfel.o; } >program
is 'a program with two objects' 'poisoned ok poisoned ok' field 'struct file.f_pos' program old new
if have bpftool 'compat: a skeleton' && bpftool gen object linked.bpf.o bpfel.o && bpftool gen skeleton linked.bpf.o >skel.h; then
	is 'what libbpf links' 'poisoned ok' field 'struct file.f_pos' linked.bpf.o old new
	is 'a skeleton' 'poisoned ok' field 'struct file.f_pos' skel.h old new
fi
clang -O2 -target bpf -x c -c -o plain.o - <<'EOT'
__attribute__((section("xdp"), used)) int pass(void *context) { return 2; }
EOT
is 'without BTF' ok program-type BPF_PROG_TYPE_XDP plain.o new

# A directory has modules, too.
mkdir build && cp old build/vmlinux
cat >module.c <<'EOT'
struct in_module { int member; } in_module;
int bpf_new(int value) { return value + in_module.member; }
__attribute__((section(".init.text"))) int begin_module(int value) { return value - in_module.member; }
EOT
# shellcheck disable=SC2086 # words
$compiler -g -O2 $hooks -c -o build/module.ko module.c && "$BTFENC" encode -b build/vmlinux build/module.ko || exit 1
is 'a kfunc of a module' ok kfunc bpf_new bpfel.o build
while read -r name; do
	printf '__attribute__((section("%s"), used)) int program(void *context) { return 0; }' "$name" >one.bpf.c
	clang -g -O2 -target bpf -c -o one.o one.bpf.c || exit 1
	is "what is freed when a module is loaded: $name" missing attach "$name" one.o build
done <<'EOT'
fentry/begin_module
fexit/module:begin_module
kprobe/begin_module
kretprobe/begin_module
fentry/mod-ule:bpf_new
EOT
cat >types.bpf.c <<'EOT'
struct in_module { int member; } __attribute__((preserve_access_index));
struct nowhere { int member; } __attribute__((preserve_access_index));
__attribute__((section("xdp"), used)) int program(void **context)
{
	return ((struct in_module *)context[0])->member + ((struct nowhere *)context[1])->member;
}
EOT
clang -g -O2 -target bpf -c -o types.o types.bpf.c || exit 1
is 'a type of a module' 'not-known ok' field 'struct in_module.member' types.o old build
is 'a type of none' 'not-known poisoned' field 'struct nowhere.member' types.o old build

# ---- exit status and usage ----

expect 'compat: a kernel fails' sh -c "'$BTFENC' compat bpfel.o old >out; [ \$? -eq 1 ]"
expect 'compat: --fail-on none' "$BTFENC" compat --fail-on none bpfel.o old
expect 'compat: --fail-on not-known' sh -c "! '$BTFENC' compat --fail-on not-known types.o old >out"
expect 'compat: not known is not a failure' "$BTFENC" compat types.o old
printf '%s' "$(head -c 3000 bpfel.o | tr '\0' '@')" | tr '@' '\0' >cut.o
clang -target bpf -x c -c -o long.o - <<'EOT'
asm(".section xdp,\"ax\"\n.globl f\n.type f,@function\nf:\n.fill 270000, 8, 0xb7\nexit\n");
EOT
run_group=compat
refusals 2 compat <<'EOT'
--fail-on of another word|compat: --fail-on takes sees-less?not-known?fails?none, not 'all'; *|--fail-on all bpfel.o old
--format of another word|compat: --format takes text?json?markdown, not 'html'; *|--format html bpfel.o old
no program|compat: no PROGRAM is given; *|
EOT
refusals 3 compat <<'EOT'
not an object|old: no object file of BPF programs is in it; *|old new
too many instructions|long.o: has more than 262144 instructions, *|long.o new
a kernel that is none|bpfel.o: *|bpfel.o bpfel.o
an object that is cut off|cut.o: *|cut.o new
EOT
# shellcheck disable=SC2002 # it is about pipes
cat bpfel.o | "$BTFENC" compat --json - old >piped
expect 'compat: standard input' test "$(grep -c state piped)" = "$("$BTFENC" compat --json bpfel.o old | grep -c state)"
# shellcheck disable=SC2002
cat old | "$BTFENC" compat bpfel.o - new | sed 's/test, .*: /test: /' >piped
"$BTFENC" compat bpfel.o old new | sed 's/test, .*: /test: /' >files
expect 'compat: a kernel on standard input' test "$(head -n 3 files)" = "$(head -n 3 piped)"

# Damage costs one line at most: each 16th byte, one at a time.
cp bpfel.o damaged.o
size=$(wc -c <bpfel.o)
python3 - "$BTFENC" "$size" >damage <<'EOT'
import subprocess, sys
good = open("bpfel.o", "rb").read()
for at in range(0, int(sys.argv[2]), 97):
    open("damaged.o", "wb").write(good[:at] + bytes([good[at] ^ (1 + at % 255)]) + good[at + 1:])
    run = subprocess.run([sys.argv[1], "compat", "damaged.o", "new.btf"], capture_output=True, text=True, timeout=60)
    lines = run.stderr.count("\n")
    if run.returncode not in (0, 1, 3) or (run.returncode == 3) != (lines == 1):
        print(at, run.returncode, run.stderr[:200])
EOT
expect 'compat: damaged objects' test ! -s damage
