#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Does btfenc check --system say of damaged modules what kernels do with them? Debian's kernels are booted, one that
# lets modules load without their BTF and one that does not, and load each.
#
#	SYSTEM_KERNEL	keys of vmlinux-fixtures/kernels; cloud-amd64 cloud-amd64-7.3
#
# What is not cached is fetched.
. tests/lib.sh

for tool in objcopy qemu-system-x86_64 busybox cpio python3; do
	have "$tool" 'system' || exit 0
done

# A copy of each module for each kind of damage; encoded again they are split from a distilled base, or another kernel.
# break_modules FOLDER MODULE...
break_modules()
{
	folder=$1
	shift
	mkdir -p "$folder"
	for module; do
		copy=$folder/$(basename "$module" .ko)
		cp "$module" "$copy.ko"
		for how in magic strings kind id missing chain name tail; do
			cp "$module" "$copy.$how.ko" && python3 tests/damage_btf.py "$copy.$how.ko" .BTF $how || return
		done
		python3 tests/damage_btf.py "$module" .BTF large >"$work/btf" &&
			objcopy --update-section .BTF="$work/btf" "$module" "$copy.large.ko" || return
		cp "$module" "$copy.vermagic.ko" &&
			python3 tests/damage_btf.py "$copy.vermagic.ko" .modinfo vermagic &&
			objcopy -R .BTF "$module" "$copy.none.ko" &&
			objcopy --rename-section __versions=.no_versions "$copy.vermagic.ko" "$copy.release.ko" &&
			strip -o "$copy.stripped.ko" "$module" && objcopy -O binary -j .gnu.linkonce.this_module \
			--set-section-flags .gnu.linkonce.this_module=alloc "$module" "$work/this" &&
			head -c 64 /dev/zero >>"$work/this" && objcopy --update-section \
			.gnu.linkonce.this_module="$work/this" "$module" "$copy.this.ko" || return
		for how in good rename size kind; do
			cp "$module" "$copy.base-$how.ko" &&
				"$BTFENC" encode --force --features +distilled_base -b "$vmlinux" "$copy.base-$how.ko" ||
				return
			[ $how = good ] || python3 tests/damage_btf.py "$copy.base-$how.ko" .BTF.base $how || return
		done
		cp "$module" "$copy.other.ko" && "$BTFENC" encode --force -b "$work/other.btf" "$copy.other.ko" || return
	done
}

# The modules, by FILE, LOADED and BTF of the report, or what is claimed: "will not load" and the rest. A kernel
# compares versions of symbols before a release.
judge()
{
	awk -F '\t' '
		FNR == NR {
			if (split($0, parts, ": ") > 2 && parts[1] ~ /\.ko$/)
				claims[parts[1]] = parts[2]
			next
		}
		/^end/ { ended = 1 }
		$2 == "loaded" || $2 == "refused" {
			claim = $1 in claims ? claims[$1] : "fits"
			is = $2 " " $3
			wanted = claim == "will not load" ? "refused none" \
				: claim == "has no BTF" || claim == "will lose its BTF" ? "loaded none" : "loaded btf"
			count++
			if (is != wanted) {
				print $1 ": " claim ", but it is " is ": " $4
				wrong++
			} else
				printf "    %-28s %-26s %s\n", $1, claim, is
		}
		END { exit wrong || !ended || count < 26 }' "$1" "$2"
}

for key in ${SYSTEM_KERNEL:-cloud-amd64 cloud-amd64-7.3}; do
	name="system: $key"
	sh vmlinux-fixtures/fetch-image.sh "$key" >"$work/files" 2>"$work/log"
	fetched $? "$name" "$work/log" || continue
	vmlinux=$(head -n 1 "$work/files") image=$(tail -n 1 "$work/files")
	release=${vmlinux##*/vmlinux-} modules=${vmlinux%/*}/modules-${vmlinux##*/vmlinux-}
	# Debian's configurations of 6.1 and 6.12 have it, those of 7.2 and 7.3 do not.
	case $key in
	*-7.[23]) config='# CONFIG_MODULE_ALLOW_BTF_MISMATCH is not set' ;;
	*) config=CONFIG_MODULE_ALLOW_BTF_MISMATCH=y ;;
	esac
	system=$work/$key
	mkdir -p "$system/boot" "$system/lib/modules" "$work/root"
	cp "$image" "$system/boot/vmlinuz-$release" && printf '\n%s\n' "$config" >"$system/boot/config-$release"
	# Of another build: it has less types, and their order is another.
	"$BTFENC" encode --features -var -o "$work/other.btf" "$vmlinux"
	# shellcheck disable=SC2046 # no name has blanks
	break_modules "$system/lib/modules/$release" \
		$(find "$modules" -name nls_cp1251.ko -o -name md-mod.ko) >"$work/log" 2>&1
	broken=$?
	outcome $broken "$name: modules are damaged" "$work/log"
	[ $broken -eq 0 ] || continue
	"$BTFENC" check --system --root "$system" --kernel "$release" >"$work/claims"
	rm -rf "$work/root"
	mkdir -p "$work/root" && cp -r "$system/lib/modules/$release" "$work/root/modules"
	arch=x86 compiler='' busybox='' append='loglevel=4' directory=$system
	. tests/lib_machine.sh
	if ! { pack_programs "$here/modules_init" && boot; } >"$work/log" 2>&1; then
		not_ok "$name: boots" "$work/log"
		continue
	fi
	judge "$work/claims" "$directory/report" >"$work/judged"
	judged=$?
	grep '^    ' "$work/judged"
	grep -v '^    ' "$work/judged" >"$work/wrong"
	grep '^#' "$directory/report" >>"$work/wrong"
	outcome $judged "$name: modules load as claimed" "$work/wrong"
	[ -z "${SYSTEM_OUT-}" ] || cp "$work/claims" "$directory/report" "$SYSTEM_OUT"
done
