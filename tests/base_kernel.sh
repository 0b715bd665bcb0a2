#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# A base of another kernel than the module's: by their releases, by the size of struct module, by
# what struct module leads to, by machine, or of a kernel. An error for encode, a warning with --force and under pahole's name.
. tests/lib.sh

# Kernel and module have what is asked of them: a release, and a struct module with what it leads to.
cat >"$work/source.c" <<'EOT'
struct leaf { MEMBER reached; };
struct module { struct leaf *leaf; char room[ROOM]; };
struct own { struct module *module; };
#ifdef VERMAGIC
__attribute__((section(".modinfo"), used)) static const char magic[] =
	"license=GPL\0vermagic=" VERMAGIC " SMP mod_unload ";
__attribute__((section(".gnu.linkonce.this_module"))) struct module __this_module;
int of_module(struct own *own) { return own != 0; }
#else
#ifdef ARM64
struct user_pt_regs { long pstate; } regs;
#endif
struct module *module;
const char *odd = "Linux version %s";
const char linux_banner[] = "Linux version " BANNER " (a@b) (gcc) #1 SMP";
int of_kernel(struct module *module) { return module->leaf != 0; }
#endif
EOT
# compile OUT MEMBER ROOM [FLAG]...
compile()
{
	out=$work/$1 member=$2 room=$3
	shift 3
	built "base_kernel: compiler" "$out" -O1 -ffreestanding "-DMEMBER=$member" "-DROOM=$room" "$@" "$work/source.c"
}
compile module int 56 -c '-DVERMAGIC="6.1.0-9-some"'
compile nameless int 56 -c '-DVERMAGIC=""'
compile right int 56 -nostdlib -Wl,-e,of_kernel '-DBANNER="6.1.0-9-some"'
compile later int 56 -nostdlib -Wl,-e,of_kernel '-DBANNER="6.1.0-10-some"'
compile smaller int 48 -nostdlib -Wl,-e,of_kernel '-DBANNER="6.1.0-9-some"'
compile rebuilt long 56 -nostdlib -Wl,-e,of_kernel '-DBANNER="6.1.0-9-some"'
compile arm64 int 56 -nostdlib -Wl,-e,of_kernel -DARM64 '-DBANNER="6.1.0-9-some"'
compile narrow int 56 -m32 -c '-DVERMAGIC=""'
for kernel in right later smaller rebuilt arm64; do
	"$BTFENC" encode "$work/$kernel" && "$BTFENC" encode -o "$work/$kernel.btf" "$work/$kernel"
done

# encodes STATUS [FLAG]... BASE MODULE: what it says is in $work/said.
encodes()
{
	encodes_status=$1
	shift
	rm -f "$work/out"
	(cd "$work" && "$BTFENC" encode -o out -b "$@" >said 2>&1)
	[ $? -eq "$encodes_status" ] && { [ "$encodes_status" -ne 0 ] || [ -s "$work/out" ]; }
}

# The status, base and module, and what is said ("-": nothing).
while read -r status base module said; do
	expect "base_kernel: $module on $base: exit status $status" encodes "$status" "$base" "$module"
	if [ "$said" = - ]; then
		expect "base_kernel: $module on $base: not a word" test ! -s "$work/said"
	else
		expect "base_kernel: $module on $base: $said" grep -q -e "$said" "$work/said"
	fi
done <<'EOT'
0 right module -
0 right.btf module -
0 later.btf module -
0 right nameless -
0 later nameless -
3 later module module: is of Linux 6.1.0-9-some, and the base later of 6.1.0-10-some; give the BTF of 6.1.0-9-some (encode --force takes this one)$
3 smaller module module: its struct module has 64 bytes, and in the base smaller 56, which is of another kernel; give the BTF of its own, 6.1.0-9-some (encode --force takes this one)$
3 smaller.btf nameless module has 64 bytes, and in the base smaller.btf 56, .* give the BTF of its own (encode --force takes this one)$
0 rebuilt.btf module warning: module: the base rebuilt.btf describes struct module otherwise
2 right right BASE is FILE itself (right)
3 arm64.btf module module: its machine is not that of the base arm64.btf; give the BTF of the same kernel (encode --force takes this one)$
3 right narrow narrow: its machine is not that of the base right;
3 right.btf narrow narrow: its size of pointers is not that of the base right.btf;
3 right.btf right right: is a kernel, whose BTF is split from no other; leave the base right.btf out (encode --force takes this one)$
3 later right right: is a kernel, whose BTF is split from no other
EOT
# BTF in sysfs is that of the running kernel.
if [ -r /sys/kernel/btf/vmlinux ]; then
	expect "base_kernel: the running kernel is another: exit status 3" encodes 3 /sys/kernel/btf/vmlinux module
	expect "base_kernel: the running kernel's release" grep -qF "the base /sys/kernel/btf/vmlinux of $(uname -r);" "$work/said"
else
	skip "base_kernel: the running kernel" "it has no BTF"
fi
for base in later smaller.btf arm64.btf; do
	expect "base_kernel: --force takes $base" encodes 0 "$base" --force module
	expect "base_kernel: --force warns of $base" grep -q '^btfenc: warning: module: it*s [^(]*$' "$work/said"
done
ln -s "$(command -v "$BTFENC")" "$work/pahole"
cp "$work/module" "$work/in-place.ko"
"$work/pahole" -J --btf_base "$work/later" "$work/in-place.ko" 2>"$work/said"
expect "base_kernel: under pahole's name: exit status 0" test $? -eq 0
expect "base_kernel: under pahole's name: a warning" grep -q 'warning: .*/in-place.ko: is of Linux 6.1.0-9-some' "$work/said"
"$work/pahole" -J --btf_base "$work/right.btf" "$work/right" 2>"$work/said"
expect "base_kernel: a kernel on a base, under pahole's name: exit status 0" test $? -eq 0
expect "base_kernel: a kernel on a base, under pahole's name: a warning" grep -q 'warning: .*/right: is a kernel' "$work/said"
