#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A FUNC has a name that a tracer finds: an exact symbol, or f.llvm.HASH if the kernel strips that.
# usage: func_names.sh [IMAGE]...	also of these
. tests/lib.sh

have objcopy "func_names" || exit 0

# With what a kernel says of itself: linux_banner, and the function of kernel/kallsyms.c that strips,
# which is inlined there, too.
cat >"$work/kernel.c" <<'EOF'
#ifdef RELEASE
const char linux_banner[] = "Linux version " RELEASE " (builder@host)\n";
#endif

#ifdef STRIPS
static void cleanup_symbol_name(char *name)
{
	while (*name && *name != '.')
		name++;
	*name = 0;
}

void lookup(char *name)
{
	cleanup_symbol_name(name);
}
#endif

/* What fentry needs. */
void arch_prepare_bpf_trampoline(void)
{
}

void register_ftrace_direct(void)
{
}

static __attribute__((noinline)) int promoted(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

static __attribute__((noinline)) int private(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

static __attribute__((noinline)) int plain(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 2;
}

int start(int value)
{
	return promoted(value) + private(value) + plain(value);
}
EOF

# build IMAGE OPTION...: what LTO would have renamed is renamed.
build()
{
	build_image=$1
	shift
	"${CC:-cc}" -O2 -g -nostdlib -static -Wl,-e,start "$@" -o "$build_image" "$work/kernel.c" &&
		objcopy --redefine-sym promoted=promoted.llvm.1234 \
			--redefine-sym private=private.lto_priv.0 "$build_image"
}

# funcs FEATURES IMAGE: the names of its FUNCs on one line.
funcs()
{
	"$BTFENC" encode --features "$1" -o "$work/btf" "$2" && "$BTFENC" check "$work/btf" >/dev/null &&
		"$BTFENC" dump "$work/btf" | sed -n "s/^.* FUNC '\([^']*\)'.*/\1/p" | sort | tr '\n' ' '
}

# Name, features, whether f.llvm.HASH is found as f, compiler's options.
while IFS='|' read -r name features found options; do
	# shellcheck disable=SC2086 # they are several
	if ! build "$work/image" $options 2>"$work/log"; then
		not_ok "func_names: $name" "$work/log"
		continue
	fi
	wanted="plain "
	[ "$found" = no ] || wanted="plain promoted "
	got=$(funcs "$features" "$work/image" | tr ' ' '\n' | grep -E '^(plain|promoted|private)' |
		tr '\n' ' ')
	echo "$got" >"$work/got"
	if [ "$got" = "$wanted" ]; then ok "func_names: $name"; else not_ok "func_names: $name" "$work/got"; fi
done <<'EOF'
Linux 6.1 strips|default|yes|-DSTRIPS -DRELEASE="6.1.0"
Linux 5.16 is the first|default|yes|-DSTRIPS -DRELEASE="5.16.0-rc1"
5.15 strips something else|default|no|-DSTRIPS -DRELEASE="5.15.99"
6.10.5 is the last|default|yes|-DSTRIPS -DRELEASE="6.10.5"
6.10.6 compares exactly|default|no|-DRELEASE="6.10.6"
6.12 compares exactly|default|no|-DRELEASE="6.12.1"
no release, it strips|default|yes|-DSTRIPS
nothing is known|default|no|
nothing is known, the user says it|+strips_llvm|yes|
all features do not say it|all,-true_signature|no|
without optimized_func|default,-optimized_func|no|-DSTRIPS
a module is searched exactly|+strips_llvm|no|-c -DSTRIPS
EOF

# ---- what becomes of the others ----

build "$work/image" -DRELEASE='"6.12.1"'
"$BTFENC" stats --functions "$work/list" "$work/image" >"$work/page"
renamed()
{
	awk -F '\t' '$5 == "renamed" { printf "%s=%s:%s ", $1, $2, $6 }' "$work/list" >"$work/got"
	cat "$work/got"
	[ "$(cat "$work/got")" = "private=private.lto_priv.0:- promoted=promoted.llvm.1234:- " ]
}
expect "func_names: stats --functions has the verdict" renamed
expect "func_names: stats counts them" grep -qE '^ +2 .* renamed  ' "$work/page"
expect "func_names: +true_signature: FUNCs of the symbols' names" test \
	"$(funcs +true_signature "$work/image" | tr ' ' '\n' | grep -c \
		-e '^promoted\.llvm\.1234$' -e '^private\.lto_priv\.0$')" = 2
"$BTFENC" explain promoted "$work/image" >"$work/explained"
expect "func_names: explain: why" grep -q '^promoted: no: its symbol has a suffix' "$work/explained"
expect "func_names: explain: a kprobe on the symbol" \
	grep -q '^  tracefs   p:promoted promoted\.llvm\.1234 value=%di:s32$' "$work/explained"
expect "func_names: explain: a FUNC of the symbol" \
	grep -qF 'SEC("fentry/promoted.llvm.1234") int BPF_PROG(on_promoted_llvm_1234, int value)' \
	"$work/explained"
"$BTFENC" explain --json promoted "$work/image" >"$work/explained"
expect "func_names: explain --json" grep -q '"joined": "renamed"' "$work/explained"

# From a kernel that strips to one that does not: both sides as images, and the new one as a list.
build "$work/old" -DSTRIPS -DRELEASE='"6.6.1"'
"$BTFENC" explain promoted "$work/old" >"$work/explained"
expect "func_names: explain: by the name where the kernel strips" \
	grep -qF 'SEC("fentry/promoted") int BPF_PROG(on_promoted, int value)' "$work/explained"
for new in "$work/image" "$work/list"; do
	"$BTFENC" diff "$work/old" "$new" >"$work/diff"
	expect "func_names: diff: the FUNC is lost" \
		grep -qE '^  promoted: ok -> \.llvm\.1234: ' "$work/diff"
done

# ---- whole programs ----

# Linked by LTO, and not kernels that strip anything.
for image in "$FIXTURES"/gcc12-lto/vmlinux "$FIXTURES"/clang22-lto/vmlinux "$@"; do
	name=${image%/vmlinux}
	name=${name##*/}
	if ! [ -s "$image" ]; then
		skip "func_names: $name" "$(not_built "$name")"
		continue
	fi
	nm "$image" | awk '{ print $3 }' | sort -u >"$work/symbols"
	funcs default "$image" | tr ' ' '\n' | grep . >"$work/funcs"
	expect "func_names: $name: there are FUNCs" test "$(grep -c . "$work/funcs")" -gt 100
	comm -23 "$work/funcs" "$work/symbols" >"$work/lost"
	expect "func_names: $name: each has a symbol of its name" diff "$work/lost" /dev/null
done
