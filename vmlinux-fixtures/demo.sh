#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What `make demo` shows of the small image: what pahole says of a function and what is true, on one screen; then
# where to go from there, and the statistics. Run at the top of the sources.
set -eu
btfenc=build/btfenc
image=build/fixtures/gcc12-dwarf5/vmlinux

# show FILTER COMMAND...: the command, and of what it prints what the filter of sed leaves. Exit status 1 is an answer.
show()
{
	filter=$1
	shift
	printf '\n$ %s\n' "$*"
	"$@" >build/demo.out || [ $? -eq 1 ]
	sed "$filter" build/demo.out
}

$btfenc encode -o build/demo.btf $image
# The links of the kernel's names are in the build: this pahole is another one.
pahole=
for folder in /usr/local/bin /usr/bin; do
	[ -n "$pahole" ] || [ ! -x $folder/pahole ] || pahole=$folder/pahole
done
if [ -n "$pahole" ]; then
	printf '\n$ pahole -J --btf_encode_detached=build/demo-pahole.btf %s\n' $image
	"$pahole" -J --btf_encode_detached=build/demo-pahole.btf $image
	if $btfenc list -f build/demo-pahole.btf drop_middle >build/demo.out 2>/dev/null; then
		echo "pahole $("$pahole" --version) writes: FUNC $(cat build/demo.out)"
	else
		echo "pahole $("$pahole" --version) writes no FUNC drop_middle, and does not say why"
	fi
fi
show '/^  tracefs/q' $btfenc explain drop_middle $image
if [ -n "$pahole" ]; then
	echo
	echo "FUNCs of pahole whose name has several functions, or only a clone that is called otherwise, or no prototype:"
	# shellcheck disable=SC2016 # of sed
	show '6,$!d; /^$/,$d' $btfenc diff build/demo-pahole.btf $image
fi
cat <<'EOT'

Next: build/btfenc explain vfs_read         a function of the running kernel, by its BTF and symbols (as root)
      build/btfenc list --attachable fentry 'tcp_*'
      build/btfenc stats /sys/kernel/btf/vmlinux
      README.md                             a kernel with DWARF, builds of kernels, comparisons of two
EOT
show '' $btfenc stats $image
show '' $btfenc check build/demo.btf
rm -f build/demo.out
