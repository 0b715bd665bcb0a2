#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# btfenc explain --script: which calls and parameters the programs have and which they say they have
# not, for the made-up kernel of tests/records_blob.c and a fixture; and what shells and compilers say of
# them. tests/probes.sh runs them in a kernel.
# shellcheck disable=SC2016 # words of shells and bpftrace
. tests/lib.sh
. tests/lib_explain.sh

says_group=scripts
cd "$work" || exit 1
image=$FIXTURES/gcc12-dwarf5/vmlinux
"$TEST_PROGRAMS/tool_records" "$work" || exit 1
kernel="$work/kernel --symbols $work/System.map"

# script FOR NAME FILE: into $work/script
script()
{
	# shellcheck disable=SC2086 # options
	"$BTFENC" explain --script "$1" "$2" $3 >"$work/script" 2>"$work/stderr" &&
		[ -s "$work/script" ] && [ ! -s "$work/stderr" ]
}

# has CASE FOR NAME FILE LINE...: all these lines, "!LINE": not that one
has()
{
	has_case="scripts: $1" has_for=$2 has_name=$3 has_file=$4
	shift 4
	{
		script "$has_for" "$has_name" "$has_file" || cat "$work/stderr"
		for line; do
			case $line in
			!*) ! grep -qxF -e "${line#!}" "$work/script" || echo "there is '${line#!}'" ;;
			*) grep -qxF -e "$line" "$work/script" || echo "there is no '$line'" ;;
			esac
		done
	} >"$work/wrong"
	[ ! -s "$work/wrong" ]
	has_status=$?
	cat "$work/script" >>"$work/wrong"
	outcome $has_status "$has_case" "$work/wrong"
}

# ---- calls ----

has "all inline sites" tracefs inlined "$kernel" '# Calls are seen at 3 addresses.' \
	"probe inlined_inline_1 'caller+0x10 bus=%bx:x64 count=\\42:u32 sign=-16(%bp):s8'" \
	"probe inlined_inline_2 'caller+0x1c bus_1=%di:x64 bus_2=%si:x64'" \
	"probe inlined_inline_3 '_stext+0x190 bus=%bx:x64 count=\\42:u32 sign=-16(%bp):s8'"
has "the entry and a site" tracefs whole "$kernel" '# Calls are seen at 2 addresses.' \
	"probe whole 'whole bus=%di:x64 count=%si:u32 sign=%dx:s8'" \
	"probe whole_inline_1 'caller+0x18 bus=%si:x64 count=+8(%sp):u32'"
has "a site in the function itself is not counted twice" tracefs twice "$kernel" \
	'# Calls are seen at 2 addresses.' \
	"#   calls inlined at _stext+0x180 (.text+0x180): the function's own code; the call is seen elsewhere, too, unless it is recursive"
has "the rest of an inlined call is not one" tracefs table_grow "$image" \
	'# Calls are seen at 3 addresses.' \
	"probe table_grow_inline_1 'table_insert+0xc table=%di:x64 want=%si:u32'"
expect "scripts: and its place is in the comment" \
	grep -q '^#   calls of table_grow.part.0 (.text+0x.*): what is called there is the rest of' "$work/script"
has "code that is gone" tracefs starter "$kernel" \
	'# No call can be seen this way.' \
	'# starter: only while booting, and only calls from the fs initcalls (level 5) on: its code is freed afterwards; do this:' \
	'#   calls of starter (.init.text+0x10): it is freed when booting is done (.init.text)'
"$BTFENC" encode -o "$work/plain" "$image"
nm "$image" | sort >"$work/map"
for language in bpftrace libbpf; do
	has "code that is gone, for $language" $language starter "$kernel" '!kprobe:starter' '!SEC("kprobe/starter")' \
		'!SEC("fentry/starter")' '!fentry:starter'
	expect "scripts: it says so" grep -qx '[/*# ]* starter: only while booting, .*' "$work/script"
done
has "BTF without sites" tracefs keep_all "$work/plain --symbols $work/map" \
	'#   calls that were inlined: nothing here says where they are (btfenc encode --features +inline does)'

# ---- parameters ----

has "a parameter without a location" tracefs copied "$kernel" '# Parameters that are not printed:' \
	'#   copied: bus (struct bus *, no location)' "probe copied 'copied.isra.0 count=%di:u32 sign=\\-1:s8'"
has "a parameter that only the caller has" bpftrace drop_middle "$image" \
	'#   drop_middle: unused (int: only its caller has it)'
has "registers, memory and constants in bpftrace" bpftrace inlined "$kernel" 'kprobe:caller+0x10' \
	'	printf("%s %d inlined_inline_1: bus=0x%lx count=%lu sign=%ld\n", comm, pid, reg("bx"), 42, *(int8 *)(reg("bp") - 16));'
has "and for libbpf" libbpf inlined "$kernel" 'SEC("kprobe/caller+0x10")' \
	'int on_inlined_inline_1(struct pt_regs *ctx)' \
	'	bpf_printk("inlined_inline_1: bus=0x%lx count=%lu sign=%ld", (u64)ctx->bx, (u64)42ull, (s64)READ(s8, ctx->bp - 16));'

echo 'int in_module(int a) { return a + 1; }' | gcc -g -O2 -xc -c -o "$work/some.ko" - || exit 1
has "a module's types" libbpf in_module "$work/some.ko" \
	' *   bpftool btf dump file /sys/kernel/btf/MODULE format c >vmlinux.h'

# ---- tracepoints ----

has "an event for bpftrace" bpftrace ticket_sold "$image" 'tracepoint:box_office:ticket_sold' \
	'	printf("%s %d ticket_sold: seat=%lu owner=%s price=%lu\n", comm, pid, args.seat, args.owner, args.price);'
has "for tracefs" tracefs ticket_sold "$image" \
	'for event in "$here"/events/box_office/ticket_sold/enable; do'
has "for libbpf" libbpf ticket_sold "$image" 'SEC("tp/box_office/ticket_sold")' \
	'int on_ticket_sold(struct trace_event_raw_ticket_template *ctx)'

# ---- a promise with a hook ----

label='^  note .*: the kernel patches a jump label there'
bug='^  note .*: the instruction there is that of a BUG() or WARN()'
if ! have gcc "scripts: fentry"; then
	exit 0
fi
cat >"$work/hooked.c" <<'END'
struct bus { long first; };
__attribute__((noipa)) int hooked(struct bus *bus, int count) { return bus->first + count; }
int main(void) { struct bus bus = { 1 }; return hooked(&bus, 2); }
/* What the image of a kernel of 6.1 shows of itself. */
const char linux_banner[] = "Linux version 6.1.0 (gcc)";
void arch_prepare_bpf_trampoline(void) { }
void register_ftrace_direct(void) { }
void ftrace_stub_direct_tramp(void) { }
int *key;
__attribute__((naked)) void jumping(void) { __asm__("jmp *key(%rip)"); }
void trapped(void) { __builtin_trap(); }
void keyed(void) { *(volatile int *)key = 1; __asm__ volatile("label: nop"); *(volatile int *)key = 2; }
__asm__(".pushsection __mcount_loc, \"aw\"; .globl __start_mcount_loc, __stop_mcount_loc\n"
	"__start_mcount_loc: .quad hooked\n__stop_mcount_loc: .popsection\n"
	".pushsection __jump_table, \"aw\"; .globl __start___jump_table, __stop___jump_table\n"
	"__start___jump_table: .long keyed - .; .long 0; .quad 0\n__stop___jump_table: .popsection\n");
END
if [ "$(uname -m)" = x86_64 ] && gcc -g -O2 -no-pie -o "$work/hooked" "$work/hooked.c" >"$work/log" 2>&1; then
	has "no hook in the function around it" tracefs main "$work/hooked" \
		'# No call can be seen this way.' '# main: not by fentry: it has no tracer'"'"'s hook (notrace); by kprobe only where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE:'
	says "a jump label at the entry" 0 'keyed hooked' "$label"
	says "a jump through memory" 0 'jumping hooked' \
		'^  note .*: the kernel cannot emulate a call or jump through memory'
	says "a BUG()" 0 'trapped hooked' "$bug"
	says "and in the script" 0 '--script tracefs keyed hooked' \
		'^#   calls of keyed (.text+0x.*): the kernel patches a jump label there'
	says "a line that kernels refuse says so" 0 'main hooked' \
		'p:main main  # refused without CONFIG_KPROBE_EVENTS_ON_NOTRACE: no tracer'
fi

# Rows of a jump table have three words of 32 bits there.
cat >"$work/i386.c" <<'END'
void keyed(void) { __asm__ volatile("nop"); }
int second(int a) { __asm__ volatile("nop; nop"); return a; }
int _start(void) { keyed(); return second(1); }
__asm__(".pushsection __jump_table, \"aw\"; .globl __start___jump_table, __stop___jump_table\n"
	"__start___jump_table: .long _start - ., 0, 0, keyed - ., 0, 0\n__stop___jump_table: .popsection\n");
END
if [ "$(uname -m)" = x86_64 ] && gcc -m32 -g -O2 -fno-inline -nostdlib -static -no-pie -o "$work/i386" \
	"$work/i386.c" >"$work/log" 2>&1; then
	says "a jump label of i386" 0 'keyed i386' "$label"
	says "and none" 0 'second i386' '!jump label'
else
	skip "scripts: a jump label of i386" "gcc has no -m32"
fi

# ---- instructions of another machine ----

cat >"$work/arm64.c" <<'END'
#define BEGINS_WITH(name, code) int name(int a) { __asm__ volatile(code ::: "memory"); return a; }
BEGINS_WITH(trapped, "brk #0x800")
BEGINS_WITH(masked, "msr daifset, #2")
BEGINS_WITH(fine, "mrs x0, tpidr_el0")
static inline int loaded(int *p) { __asm__ volatile("nop" ::: "memory"); return *p; }
const char linux_banner[] = "Linux version 6.1.0 (a@b) (gcc) #1 SMP";
int locked(int *p) { int a; __asm__ volatile("ldxr %w0, %1" : "=r"(a) : "Q"(*p)); return a + loaded(p); }
END
if have aarch64-linux-gnu-gcc-12 "scripts: instructions of arm64"; then
	aarch64-linux-gnu-gcc-12 -g -O2 -nostdlib -static -Wl,-e,0 -o "$work/arm64" "$work/arm64.c" || exit 1
	says "arm64: a WARN()" 0 'trapped arm64' "$bug"
	says "arm64: msr" 0 'masked arm64' '^  note .*: the instruction there cannot be single-stepped'
	says "arm64: mrs" 0 'fine arm64' '!the instruction'
	says "arm64: a program on a kprobe, without trampolines" 0 'fine arm64' \
		'SEC("kprobe/fine") int BPF_KPROBE(on_fine_kprobe, int a)$'
	says "arm64: a site after an exclusive load" 0 '--script tracefs loaded arm64' \
		'^#   calls inlined at locked+0x.*: the kernel takes the code there for an atomic sequence'
fi

# ---- names that want to be code ----

# Names of a kernel and of its records that are longer than what takes their place.
cat >"$work/hostile.c" <<'END'
#define OUTSIDE __attribute__((noinline, noclone, noipa))
struct TYPE_________________________________ { int first; };
struct plain { int first; };
OUTSIDE int taker(struct TYPE_________________________________ *bus) { return bus->first; }
struct CLOSES______ { int first; };
OUTSIDE int closer(struct CLOSES______ *bus) { return bus->first + 2; }
typedef int RESULT_______________________________;
OUTSIDE RESULT_______________________________ bpf_lsm_opened(struct plain *file) { return file->first + 3; }
OUTSIDE int named(struct plain *PARAMETER____________________________) { return PARAMETER____________________________->first + 1; }
OUTSIDE int FUNCTION_____________________________(int count) { return count + 2; }
static inline int inlined(int count) { return count * 3; }
struct trace_event_raw_begun { int ent; int MEMBER_______________________________; } record;
typedef void (*btf_trace_begun)(void *, struct TYPE_________________________________ *);
btf_trace_begun begun;
char __tracepoint_begun, event_begun;
struct { const char *system; } event_class_begun = { "SYSTEM_______________________________" };
OUTSIDE int CALLER_______________________________(int a) { return inlined(a) + record.ent; }
int _start(void)
{
	struct TYPE_________________________________ a = { 1 };
	struct plain b = { 2 };
	struct CLOSES______ c = { 3 };

	return taker(&a) + named(&b) + closer(&c) + bpf_lsm_opened(&b) + FUNCTION_____________________________(2) + CALLER_______________________________(3);
}
END
# hostile FILE NAME...: `*/`, a line, quotes and calls of a shell; and the end of a list of parameters
hostile()
{
	LC_ALL=C sed -i 's/CLOSES______/a),hacked(cc/g' "$1"
	for word in TYPE RESULT PARAMETER FUNCTION MEMBER SYSTEM CALLER; do
		# Nobody can ask for a name with a slash or a star.
		end='*/'
		[ "$word" != FUNCTION ] || end=';;'
		# As long as that, 29 bytes.
		LC_ALL=C sed -i "s|$(printf '%-29s' $word | tr ' ' _)|\"'\$(touch hacked);$end\n\`hacked\`|g" "$1"
	done
}
# no_code FILE NAME: the word is in no line but comments, and in the name of an event, which has _ for what is
# no letter
no_code()
{
	for language in bpftrace tracefs libbpf; do
		"$BTFENC" explain --script $language "$2" "$1" >"$work/script" 2>"$work/stderr"
		[ -s "$work/script" ] || { cat "$work/stderr"; return 1; }
		! sed 's/^probe [A-Za-z_]* //' "$work/script" | grep -n hacked | grep -vE '^[0-9]+:(#|//| \*) ' || return
		! grep -n '[*]/.*hacked\|hacked.*[*]/' "$work/script" || return
	done
}
if gcc -g -O2 -ffreestanding -nostdlib -no-pie -o "$work/hostile" "$work/hostile.c" >"$work/log" 2>&1; then
	cp "$work/hostile" "$work/hostile.records"
	"$BTFENC" encode "$work/hostile.records" 2>"$work/stderr"
	objcopy --strip-debug "$work/hostile.records"
	for file in hostile hostile.records; do
		hostile "$work/$file"
		expect "scripts: $file has the names" grep -qF 'touch hacked' "$work/$file"
		name=$(printf "\"'\$(touch hacked);;;\n\`hacked\`________")
		"$BTFENC" explain "$name" "$work/$file" >"$work/script" 2>"$work/stderr"
		expect "scripts: $file: it is no name to ask for" test "$? $(wc -c <"$work/script")" = '2 0'
		# Without DWARF and records of sites nothing is known of what is only inlined.
		inlined=inlined
		[ $file = hostile ] || inlined=
		for asked in taker closer bpf_lsm_opened named $inlined begun; do
			expect "scripts: $file: no code of $asked" no_code "$work/$file" "$asked"
		done
	done
else
	skip "scripts: names that want to be code" "gcc cannot link here"
fi

# ---- the kernel that they are for, and bpftrace's releases ----

cat >"$work/banner.c" <<'END'
const char linux_banner[] = "Linux version 6.1.0-made-1 (gcc) #1 SMP";
__attribute__((noinline, used)) int traced(int a) { return a + 1; }
int _start(int a) { return traced(a); }
END
# The programs that a script asks, of which these are not this machine's.
mkdir "$work/fakes"
printf '#!/bin/sh\necho "$release"\n' >"$work/fakes/uname"
printf '#!/bin/sh\n[ "$1" = - ] && exec cat\n[ "$1" = -e ] && exec echo "$2"\necho "bpftrace $version"\n' >"$work/fakes/bpftrace"
chmod +x "$work/fakes"/*
printf '\0\0\022\064\253\315' >"$work/notes"

# for_kernel LANGUAGE RELEASE VERSION OF_BPFTRACE STATUS OUTPUT: what it prints where that is so
for_kernel()
{
	"$BTFENC" explain --script "$1" traced "$work/banner" | sed "s|/sys/kernel/notes|$work/notes|g;
		s|^tracing=.*|echo traced; exit|" >"$work/script"
	release=$2 version=$3 PATH=$work/fakes:$PATH sh "$work/script" >"$work/stdout" 2>&1
	[ $? -eq "$4" ] && grep -q "$5" "$work/stdout"
	outcome $? "scripts: $1 on $2${3:+, bpftrace $3}" "$work/stdout"
}
if gcc -g -O2 -ffreestanding -nostdlib -no-pie -Wl,--build-id=0x1234abcd -o "$work/banner" "$work/banner.c" >"$work/log" 2>&1; then
	for_kernel tracefs 6.1.0-made-1 '' 0 '^traced$'
	for_kernel tracefs 6.1.0-made-2 '' 1 '^made for Linux 6.1.0-made-1, build id 1234abcd: this is Linux 6.1.0-made-2, or'
	for_kernel bpftrace 6.1.0-made-1 v0.17.0 0 '^kprobe:traced$'
	for_kernel bpftrace 6.1.0-made-1 v0.27.1 0 '^kprobe:traced$'
	for_kernel bpftrace 6.1.0-made-1 v0.14.0 1 '^it needs bpftrace 0.17 or newer; here is 0.14$'
	printf '\022\064\253\316' >"$work/notes"
	for_kernel bpftrace 6.1.0-made-1 v0.27.1 1 '^made for .* this is Linux 6.1.0-made-1, or another build'
	has "the build is asked when it is compiled" libbpf traced "$work/banner" '#ifndef KERNEL_1234abcd'
else
	skip "scripts: the kernel that they are for" "gcc cannot link here"
fi

# ---- what others say of them ----

# sh -n for all functions of a file; nothing in it may end a quote
all_parse()
{
	"$BTFENC" stats --functions - "$image" | sed 's/[ 	].*//' >"$work/names"
	[ -s "$work/names" ] || return
	head -n 40 "$work/names" | while read -r name; do
		script tracefs "$name" "$image" || continue
		sh -n "$work/script" || echo "$name" >>"$work/bad"
	done
	[ ! -e "$work/bad" ]
}
expect "scripts: shells take those for tracefs" all_parse

if have clang "scripts: clang takes those for libbpf" && have bpftool "scripts: clang takes those for libbpf"; then
	cat >"$work/vmlinux.h" <<'END'
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;
typedef signed char s8; typedef short s16; typedef int s32; typedef long long s64;
typedef u8 __u8; typedef u16 __u16; typedef u32 __u32; typedef u64 __u64; typedef s32 __s32; typedef s64 __s64;
typedef u16 __be16; typedef u32 __be32; typedef u32 __wsum;
enum bpf_map_type { BPF_MAP_TYPE_UNSPEC };
struct pt_regs { unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss; };
END
	compiles()
	{
		for name in table_grow keep_all list_count drop_middle eight_arguments sum_first; do
			script libbpf "$name" "$image" || return
			cp "$work/script" "$work/$name.bpf.c"
			clang -g -O2 -Wall -Werror -target bpf -D__TARGET_ARCH_x86 -I "$work" \
				-c "$work/$name.bpf.c" -o "$work/$name.o" || return
		done
	}
	expect "scripts: clang takes those for libbpf" compiles
fi

for words in '--json keep_all' 'struct bus'; do
	# shellcheck disable=SC2086 # words
	"$BTFENC" explain --script tracefs $words "$image" >"$work/stdout" 2>"$work/stderr"
	expect "scripts: not with $words" test $? -eq 2 -a ! -s "$work/stdout" -a "$(wc -l <"$work/stderr")" -eq 1
done
"$BTFENC" explain --script perl keep_all "$image" >"$work/stdout" 2>"$work/stderr"
expect "scripts: an unknown kind is a usage error" test $? -eq 2 -a ! -s "$work/stdout" \
	-a "$(cat "$work/stderr")" = "btfenc: explain: --script takes bpftrace|tracefs|libbpf, not 'perl'; see btfenc explain --help"
