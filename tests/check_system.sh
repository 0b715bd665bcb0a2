#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# btfenc check --system below a root that is made here: a kernel, and modules for it, damaged, of another build, of
# another release. tests/system_boot.sh asks real kernels about the same.
. tests/lib.sh

release=6.12.0-9-some
root=$work/root
modules=$root/lib/modules/$release
mkdir -p "$modules/kernel" "$modules/updates" "$root/boot"

# The kernel has what is asked of it: what it takes of modules, and the last kind that it knows.
cat >"$work/source.c" <<'EOT'
struct leaf { int reached, of_module; };
struct inside { long a, b; };
#ifdef MODULE
struct own { struct inside inside; struct leaf *leaf; unsigned long long more; };
__attribute__((section(".modinfo"), used)) static const char info[] =
	"license=GPL\0" MODULE "vermagic=" RELEASE " SMP mod_unload ";
__attribute__((section(".gnu.linkonce.this_module"), used)) static char this_module[64];
#ifdef VERSIONS
__attribute__((section("__versions"), used)) static const char versions[64] = "symbol";
#endif
enum wide { WIDE = 0x100000000 };
int of_module(struct own *own, enum wide wide) { return own->leaf->reached + (int)wide; }
#else
struct module { struct leaf *leaf; TAKES } __attribute__((aligned(64)));
struct btf_header { unsigned int magic; };
enum { BTF_KIND_UNKN, BTF_KIND_MAX = LAST } last;
#ifdef BEFORE
struct before { char *name; } before;
enum earlier { EARLIER } earlier;
#endif
struct module *module;
struct inside inside;
unsigned long long more;
const char vermagic[] = RELEASE " SMP mod_unload ";
const char linux_banner[] = "Linux version " RELEASE " (a@b) (gcc) #1 SMP";
int of_kernel(struct module *module) { return module->leaf != 0; }
#endif
EOT
# compile OUT RELEASE [FLAG]...
compile()
{
	out=$1 of=$2
	shift 2
	built "check_system: compiler" "$out" -O1 -ffreestanding "-DRELEASE=\"$of\"" "$@" "$work/source.c"
}
# kernel OUT RELEASE MEMBERS LAST [FLAG]...
kernel()
{
	out=$1 of=$2 takes=$3 last=$4
	shift 4
	compile "$out" "$of" -nostdlib -Wl,-e,of_kernel "-DTAKES=$takes" "-DLAST=$last" "$@" && "$BTFENC" encode "$out"
}
kernel "$root/boot/vmlinuz-$release" $release 'void *btf_data, *btf_base_data;' 19
kernel "$work/early" $release 'void *btf_data;' 18
kernel "$work/deaf" $release '' 19
kernel "$work/other" $release 'void *btf_data, *btf_base_data;' 19 -DBEFORE
kernel "$work/newer" 6.13.0 'void *btf_data, *btf_base_data;' 19
vmlinuz=$root/boot/vmlinuz-$release

# module NAME RELEASE MODINFO BASE [FLAG]...
module()
{
	out=$modules/$1.ko of=$2 info=$3 base=$4
	shift 4
	compile "$out" "$of" -c "-DMODULE=\"$info\"" && "$BTFENC" encode --force -b "$base" "$@" "$out" && strip -g "$out"
}
module kernel/good $release 'intree=Y\0' "$vmlinuz"
module updates/good $release '' "$vmlinuz"
module kernel/other $release 'intree=Y\0' "$work/other"
module updates/distilled $release '' "$work/other" --features +distilled_base
module kernel/wide $release 'intree=Y\0' "$work/early"
module updates/release 6.11.0 '' "$vmlinuz"
cp "$modules/kernel/good.ko" "$modules/kernel/none.ko" && objcopy -R .BTF "$modules/kernel/none.ko"
cp "$modules/updates/good.ko" "$modules/updates/none.ko" && objcopy -R .BTF "$modules/updates/none.ko"
for how in magic kind name missing tail; do
	cp "$modules/kernel/good.ko" "$modules/kernel/$how.ko" &&
		python3 "$tests/damage_btf.py" "$modules/kernel/$how.ko" .BTF $how
done
for how in rename size; do
	cp "$modules/updates/distilled.ko" "$modules/updates/$how.ko" &&
		python3 "$tests/damage_btf.py" "$modules/updates/$how.ko" .BTF.base $how
done
compile "$modules/updates/versions.ko" 6.11.0 -c '-DMODULE=""' -DVERSIONS &&
	"$BTFENC" encode --force -b "$work/other" "$modules/updates/versions.ko"
# What else kernels refuse; of damaged or foreign files that are called modules.
objcopy -R .gnu.linkonce.this_module "$modules/kernel/good.ko" "$modules/kernel/object.ko"
sed 's/ SMP mod_unload / SMQ mod_unload /' "$modules/kernel/good.ko" >"$modules/kernel/flags.ko"
python3 -c 'import sys; image = bytearray(open(sys.argv[1], "rb").read()); image[18:20] = (243, 0); open(sys.argv[2], "wb").write(image)' \
	"$modules/kernel/good.ko" "$modules/kernel/machine.ko"
strip -o "$modules/kernel/stripped.ko" "$modules/kernel/good.ko"
head -c 128 /dev/zero >"$work/more"
objcopy --update-section .gnu.linkonce.this_module="$work/more" "$modules/kernel/good.ko" "$modules/kernel/size.ko"
: >"$work/nothing"
objcopy --add-section .BTF.base="$work/nothing" "$modules/updates/good.ko" "$modules/updates/empty-base.ko"
# One base of a name as often as ids are: quadratic, it takes minutes.
python3 "$tests/damage_btf.py" "$modules/updates/distilled.ko" .BTF.base repeat >"$work/base" &&
	objcopy --update-section .BTF.base="$work/base" "$modules/updates/distilled.ko" "$modules/updates/repeated.ko"
# BPF_BTF_LOAD takes 16 MiB, modules may have more.
python3 "$tests/damage_btf.py" "$modules/kernel/good.ko" .BTF large >"$work/btf" &&
	objcopy --update-section .BTF="$work/btf" "$modules/kernel/good.ko" "$modules/kernel/17-MiB.ko"
expect 'check_system: a module with 17 MiB of BTF' test "$(stat -c %s "$modules/kernel/17-MiB.ko")" -gt 17000000
xz --check=crc32 -c "$modules/kernel/good.ko" >"$modules/kernel/packed.ko.xz"
gzip -c "$modules/kernel/name.ko" >"$modules/kernel/packed-name.ko.gz"
head -c 3000 "$modules/kernel/good.ko" | gzip -c >"$modules/kernel/members.ko.gz"
tail -c +3001 "$modules/kernel/good.ko" | gzip -c >>"$modules/kernel/members.ko.gz"
head -c 3000 "$modules/kernel/good.ko" | xz -c >"$modules/kernel/members.ko.xz"
tail -c +3001 "$modules/kernel/good.ko" | xz -c >>"$modules/kernel/members.ko.xz"
head -c 9000000 /dev/zero | cat "$modules/kernel/good.ko" - | xz -c >"$modules/kernel/large.ko.xz"
head -c 100000000 /dev/zero | gzip -c >"$modules/kernel/bomb.ko.gz"
head -c 400 "$modules/kernel/packed.ko.xz" >"$modules/kernel/cut.ko.xz"
echo text >"$modules/kernel/text.ko"
mkdir "$modules/weak" && ln -s ../kernel/good.ko "$modules/weak/link.ko"
ln -s "$modules" "$modules/build"
mkdir "$modules/source" && cp "$modules/kernel/name.ko" "$modules/source" && ln -s ../weak "$modules/updates/folder"

# says STATUS ARGUMENT...: what is printed is in $work/said and $work/errors
says()
{
	says_status=$1
	shift
	"$BTFENC" check --system "$@" >"$work/said" 2>"$work/errors"
	says_got=$?
	cat "$work/said" "$work/errors"
	[ $says_got -eq "$says_status" ]
}
system()
{
	says_wanted=$1
	shift
	says "$says_wanted" --root "$root" --kernel $release "$@"
}

# What is said of each module by name.
claims()
{
	while IFS='|' read -r file claim; do
		if [ -z "$claim" ]; then
			expect "check_system: $1: $file fits" lacks_line "^[a-z]*/$file: " "$work/said"
		else
			expect "check_system: $1: $file: $claim" grep -qE "^[a-z]*/$file: $claim" "$work/said"
		fi
	done
}

expect 'check_system: a name 400000 times: in time' \
	sh -c "timeout 30 '$BTFENC' check --system --root '$root' --kernel $release >'$work/said' || [ \$? -eq 1 ]"
expect 'check_system: without a configuration: exit status 1' system 1
claims 'without a configuration' <<'EOT'
good.ko|
packed.ko.xz|
distilled.ko|
name.ko|will not load, or lose its BTF: \.BTF: \[[0-9]*\] .*: name-offset: .*; install the package of this kernel again$
EOT
expect 'check_system: what no configuration says' grep -q "^$release: by the BTF of $vmlinuz; whether modules load .* there is no $root/boot/config-$release\$" "$work/said"

echo '# CONFIG_MODULE_ALLOW_BTF_MISMATCH is not set' | cat - "$work/source.c" >"$root/boot/config-$release"
expect 'check_system: a kernel that refuses: exit status 1' system 1
claims 'a kernel that refuses' <<'EOT'
good.ko|
packed.ko.xz|
members.ko.gz|
members.ko.xz|
large.ko.xz|
17-MiB.ko|
bomb.ko.gz|not known: unpacked it exceeds the limit \(64 MiB and 64 times its size\)$
distilled.ko|
none.ko|has no BTF: it was built without, or stripped$
none.ko|has no BTF: it was built outside of the kernel's tree, perhaps where that had no vmlinux, or stripped$
magic.ko|will not load: .*not BTF
kind.ko|will not load: \.BTF: .*kind-unknown: .*; install the package of this kernel again$
name.ko|will not load: \.BTF: .*name-offset:
packed-name.ko.gz|will not load: \.BTF: .*name-offset:
missing.ko|will have BTF of wrong types: \.BTF: .*func-proto:
tail.ko|will have BTF of wrong types: it is split from the BTF of another build;
other.ko|will (have BTF of wrong types|not load):
rename.ko|will not load: \.BTF\.base: .*base-missing: .*; build it again for this kernel$
size.ko|will not load: \.BTF\.base: .*base-missing:
release.ko|will not load: it has another release; it is built for 6\.11\.0; build it again for this kernel$
versions.ko|will .*; it is built for 6\.11\.0; build it again for this kernel$
cut.ko.xz|will not load: .*damaged or cut off; [^;]*$
object.ko|will not load: it is no module of Linux;
stripped.ko|will not load: its symbols are stripped; install
size.ko|will not load: its struct module has 128 bytes, not 64: it is built for another kernel;
flags.ko|will not load: its version magic is "6.12.0-9-some SMQ mod_unload ", not "6.12.0-9-some SMP mod_unload ";
machine.ko|will not load: it is for another machine;
empty-base.ko|will not load: \.BTF\.base: not BTF [^;]*; build it again for this kernel$
repeated.ko|will
folder|not known: it is a link, which is not followed below --root$
text.ko|will not load: .*not an ELF file
link.ko|not known: it is a link, which is not followed below --root$
EOT
total=$(find "$modules" -name source -prune -o \( -name '*.ko*' -o -name folder \) -print | wc -l)
adds_up()
{
	tail -n 1 "$work/said"
	tail -n 1 "$work/said" | awk -v total="$total" '{
		for (i = 4; i <= NF; i++)
			sum += $(i - 1) ~ /,$/ ? $i : 0
		exit $2 != total || $3 != "modules," || sum != total }'
}
expect 'check_system: the summary adds up' adds_up
cp "$work/said" "$work/first"
expect 'check_system: -j 1: exit status 1' system 1 -j 1
expect 'check_system: -j 1 says the same' cmp "$work/first" "$work/said"
rm "$modules/kernel/17-MiB.ko"

printf '\nCONFIG_MODULE_ALLOW_BTF_MISMATCH=y\n' >"$root/boot/config-$release"
expect 'check_system: a kernel that lets them load: exit status 1' system 1
claims 'a kernel that lets them load' <<'EOT'
name.ko|will lose its BTF: \.BTF: .*name-offset:
rename.ko|will lose its BTF: \.BTF\.base:
release.ko|will not load: it has another release
EOT

expect 'check_system: a kernel before distilled bases and ENUM64: exit status 1' system 1 -b "$work/early"
claims 'a kernel before distilled bases and ENUM64' <<'EOT'
distilled.ko|will lose its BTF: \.BTF:
wide.ko|will lose its BTF: \.BTF: .*ENUM64 'wide': kind-unknown:
EOT
expect 'check_system: a kernel that takes no BTF of modules: exit status 1' system 1 -b "$work/deaf"
claims 'a kernel that takes no BTF of modules' <<'EOT'
name.ko|
release.ko|will not load:
EOT

compile "$work/program" $release -nostdlib -Wl,-e,of_module '-DMODULE=""' && "$BTFENC" encode "$work/program"
expect 'check_system: a program as the kernel' system 3 -b "$work/program"
expect 'check_system: its error' grep -q "^btfenc: $work/program: is no kernel that takes modules: it has no struct module; give" "$work/errors"
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 "$modules/kernel/good.ko"
	expect 'check_system: what only root may read' system 1
	claims 'what only root may read' <<'EOT'
good.ko|not known: only another user may read it; run this as root$
EOT
	chmod 644 "$modules/kernel/good.ko"
fi

# A kernel without BTF: that of modules does not matter.
mv "$vmlinuz" "$work/with" && objcopy -R .BTF "$work/with" "$vmlinuz"
expect 'check_system: a kernel without BTF: exit status 1' system 1
claims 'a kernel without BTF' <<'EOT'
name.ko|
release.ko|will not load:
EOT
mv "$work/with" "$vmlinuz"
expect 'check_system: the kernel of another release' system 3 -b "$work/newer"
expect 'check_system: its error' grep -qx "btfenc: $work/newer: is the kernel 6.13.0, not $release; give another one with --base" "$work/errors"

escaped=$root/$(printf 'vm\033linux')
cp "$vmlinuz" "$escaped"
expect 'check_system: a kernel with an escape in its name: exit status 1' system 1 -b "$escaped"
expect 'check_system: no escape is printed' lacks_line "$(printf '\033')" "$work/said"
rm "$escaped"

# What hooks run: each kernel that has changed since it was found well.
touch "$modules/modules.order" && mkdir "$work/bin" && ln -s "$BTFENC" "$work/bin/btfenc"
hook()
{
	PATH=$work/bin:$PATH ROOT=$root CHECKED=$work/checked sh docs/examples/check-modules.sh "$@" 2>"$work/said"
}
expect 'check_system: hook: succeeds' hook
expect 'check_system: hook: says what fails' grep -q '^kernel/name.ko: will lose its BTF: ' "$work/said"
expect 'check_system: hook: one kernel' hook 9.9
expect 'check_system: hook: says that it is not there' grep -q 'lib/modules/9.9: is not there' "$work/said"
mkdir "$work/kept" && mv "$modules"/kernel/*.ko* "$work/kept" &&
	find "$modules" -mindepth 1 -maxdepth 1 ! -name modules.order -exec rm -rf {} + && mkdir "$modules/kernel"
cp "$work/kept/good.ko" "$modules/kernel"
expect 'check_system: hook: all is well' hook $release
expect 'check_system: hook: nothing is said' test ! -s "$work/said"
cp "$work/kept/name.ko" "$modules/kernel"
touch -d '1 hour ago' "$modules/kernel/name.ko" "$modules/kernel" "$modules" "$root/boot/vmlinuz-$release"
touch "$work/checked/$release"
expect 'check_system: hook: nothing is newer' hook
expect 'check_system: hook: nothing is checked again' test ! -s "$work/said"
touch -d '1 hour' "$modules/kernel/name.ko"
expect 'check_system: hook: a module is newer' hook
expect 'check_system: hook: it is checked again' grep -q '^kernel/name.ko: will lose' "$work/said"
cp "$work/kept/"* "$modules/kernel"

# What the running kernel has is taken where there is no image, or none that this user may read. What is not in BTF is
# not known then.
rm "$modules/kernel/flags.ko" "$modules/kernel/machine.ko"
mkdir -p "$root/proc/sys/kernel" "$root/sys/kernel/btf" && echo $release >"$root/proc/sys/kernel/osrelease"
"$BTFENC" encode --force -o "$root/sys/kernel/btf/vmlinux" "$vmlinuz"
mv "$vmlinuz" "$work/vmlinuz"
expect 'check_system: the running kernel: exit status 1' says 1 --root "$root"
sed 1d "$work/said" >"$work/rest"
mv "$root/boot/config-$release" "$work/config" && gzip -c "$work/config" >"$root/proc/config.gz"
expect 'check_system: the configuration of what runs: exit status 1' says 1 --root "$root"
expect 'check_system: the configuration of what runs is named' \
	grep -q "load without it ($root/proc/config.gz: CONFIG_MODULE_ALLOW_BTF_MISMATCH=y)\$" "$work/said"
expect 'check_system: the configuration of what runs says the same' sh -c "sed 1d '$work/said' | cmp '$work/rest'"
mv "$work/config" "$root/boot/config-$release"
mv "$work/vmlinuz" "$modules/vmlinuz"
expect 'check_system: an image with the modules: exit status 1' says 1 --root "$root"
expect 'check_system: the running kernel says the same' sh -c "sed 1d '$work/said' | cmp '$work/rest'"
expect 'check_system: the image with the modules is named' grep -q "by the BTF of $modules/vmlinuz; " "$work/said"
rm -r "$root/sys" "$modules/vmlinuz" "$root/proc"
expect 'check_system: no image' system 3
expect 'check_system: its error' grep -qx "btfenc: $root/boot/vmlinuz-$release: is not there, nor $modules/vmlinuz; give .* --base" "$work/errors"
rm -r "$modules" && mkdir "$modules"
expect 'check_system: no modules' system 3
expect 'check_system: its error' grep -q "^btfenc: $modules: no modules (\*.ko) are in this directory" "$work/errors"
expect 'check_system: another release' says 3 --root "$root" --kernel 9.9
expect 'check_system: its error' grep -q "^btfenc: $root/lib/modules/9.9: is not there; give another release with --kernel" "$work/errors"
expect 'check_system: nothing runs below the root' says 3 --root "$root"
expect 'check_system: its error' grep -qx "btfenc: $root/proc/sys/kernel/osrelease: does not say which kernel runs; give one of $root/lib/modules with --kernel" "$work/errors"
expect 'check_system: all of the machine' says 3 --root / --kernel ../x
expect 'check_system: its error' grep -qx "btfenc: --kernel: '../x' is no release of a kernel; give one of /lib/modules" "$work/errors"
expect 'check_system: a path as a release' says 3 --root "$root" --kernel ../modules
expect 'check_system: its error' grep -qx "btfenc: --kernel: '../modules' is no release of a kernel; give one of $root/lib/modules" "$work/errors"
for none in '' . ..; do
	expect "check_system: '$none' as a release" says 3 --root "$root" --kernel "$none"
	expect 'check_system: its error' grep -qx "btfenc: --kernel: '$none' is no release of a kernel; give one of $root/lib/modules" "$work/errors"
done
expect 'check_system: a FILE, too' says 2 "$work/other"
"$BTFENC" check --kernel 6.1 "$work/other" 2>"$work/errors"
expect 'check_system: --kernel without --system: exit status 2' test $? -eq 2
