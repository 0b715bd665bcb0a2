#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What is given to others: the tarball, the Debian package and its test, the RPM, the action for GitHub.
# The last commit is packaged, not what has been changed since.
# KERNEL=path: a vmlinux for the package's own test; default: what fetch-kernel.sh has fetched.
# shellcheck disable=SC2016,SC1003 # for inner shells, sed and tr
. tests/lib.sh

source=$PWD
version=$("$BTFENC" --version | sed 's/btfenc //')

# run NAME COMMAND...: a good case if it succeeds; what it says is in $work/log.
run()
{
	run_name=$1
	shift
	"$@" >"$work/log" 2>&1
	run_status=$?
	tail -n 20 "$work/log" >"$work/end"
	outcome $run_status "package: $run_name" "$work/end"
	return $run_status
}

# ---- one version ----

expect "package: debian/changelog has the version of the program" \
	grep -q "^btfenc ($version) " debian/changelog
expect "package: CHANGELOG.md has it" grep -qx "## $version" CHANGELOG.md
expect "package: the Makefile has it once, and no other file sets it" \
	test "$(grep -c "^VERSION := $version\$" Makefile)" = 1

# ---- the tarball ----

make_dist()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "${MAKE:-make}" -s dist OUT="$1"
}

if ! git rev-parse --git-dir >/dev/null 2>&1; then
	skip "package" "this is not a git repository"
	exit 0
fi
# Elsewhere, with another umask, time zone and user name: the same bytes.
run "make dist" make_dist "$work/first" || exit 0
run "make dist, elsewhere" env TZ=Asia/Tokyo USER=other sh -c \
	'umask 077 && git clone -q "$1" "$2" && cd "$2" && env -u MAKEFLAGS -u MAKELEVEL make -s dist OUT="$3"' \
	sh "$source" "$work/clone" "$work/second"
tarball=$work/first/btfenc-$version.tar.gz
expect "package: both are the same bytes" cmp "$tarball" "$work/second/btfenc-$version.tar.gz"
mkdir "$work/unpacked" && tar -xzf "$tarball" -C "$work/unpacked"
tree=$work/unpacked/btfenc-$version
expect "package: it is one folder" test "$(ls "$work/unpacked")" = "btfenc-$version"
expect "package: it has what git has" sh -c \
	'git ls-files | LC_ALL=C sort >"$2.git" && (cd "$1" && find . -type f -o -type l | sed "s,^\./,," | LC_ALL=C sort) >"$2.tar" &&
	test "$(diff "$2.git" "$2.tar")" = "$(diff "$2.git" "$2.tar" | grep -e "^[0-9]" -e btfenc.spec$)" && grep -q btfenc.spec$ "$2.tar"' \
	sh "$tree" "$work/files"
zcat "$tarball" | tar -tv --full-time >"$work/listing"
expect "package: no user, group or time of this machine" \
	test "$(awk '{ print $2, $4, $5 }' "$work/listing" | sort -u | wc -l)" = 1 -a \
	"$(awk '{ print $2 }' "$work/listing" | sort -u)" = 0/0
expect "package: no path of this machine" sh -c '! zcat "$1" | grep -aqF -e "$2/" -e "$3/"' sh "$tarball" "$work" "$source"

# ---- the Debian package ----

if have dpkg-buildpackage "package: .deb" && have dh "package: .deb"; then
	cp -r "$tree" "$work/deb"
	if run "dpkg-buildpackage" sh -c 'cd "$1" && exec dpkg-buildpackage -us -uc' sh "$work/deb"; then
		package=$(ls "$work"/btfenc_*.deb)
		expect "package: a package of its debugging symbols" test -s "$(ls "$work"/btfenc-dbgsym_*.deb)"
		if have lintian "package: lintian"; then
			lintian --fail-on error,warning "$work"/btfenc_*.changes >"$work/lintian" 2>&1
			expect "package: lintian has no errors and no warnings" sh -c \
				'! grep -e "^[EW]:" "$1"' sh "$work/lintian"
		fi
		mkdir "$work/root" && dpkg-deb -x "$package" "$work/root"
		expect "package: the same files as make install" sh -c \
			'make -s install DESTDIR="$1" PREFIX=/usr OUT="$3" >/dev/null 2>&1 && (cd "$1" && find . ! -type d | grep -v "\.txt$") | sort >"$1.list" &&
			(cd "$2" && find . ! -type d | grep -v -e /changelog -e /copyright | sed "s/\.1\.gz$/.1/") | sort | diff "$1.list" -' \
			sh "$work/made" "$work/root" "${BTFENC%/btfenc}"
		expect "package: it has the functions that check sizes (_FORTIFY_SOURCE)" sh -c \
			'nm -D "$1" | grep -qE "__(mem|str|v?s?n?printf|v?fprintf|read|realpath)[a-z]*_chk"' sh "$work/root/usr/bin/btfenc"
		dpkg-deb -f "$package" Depends Recommends >"$work/depends"
		for library in libdw1 libelf1 libjansson4; do
			expect "package: it depends on $library" grep -q "$library" "$work/depends"
		done
		! grep -aq libcapstone.so "$BTFENC" ||
			expect "package: Depends libcapstone" grep -q '^Depends:.* libcapstone[0-9]' "$work/depends"
		expect "package: the packaged program runs" test "$("$work/root/usr/bin/btfenc" --version)" = "btfenc $version"
		expect "package: and under pahole's name" test \
			"$("$work/root/usr/libexec/btfenc/pahole" --numeric_version)" = 132
		run "it encodes" "$work/root/usr/bin/btfenc" encode -o "$work/btf" "$FIXTURES/gcc12-dwarf5/vmlinux"
		kernel=${KERNEL:-$(sh vmlinux-fixtures/fetch-kernel.sh --cached 2>/dev/null || find "${BTFENC_CACHE:-$HOME/.cache/btfenc}"/vmlinux-* -name 'vmlinux*' -type f 2>/dev/null | head -n 1)}
		if [ -s "$kernel" ]; then
			mkdir "$work/autopkgtest"
			run "the package's test on a kernel of Debian" env PATH="$work/root/usr/bin:$PATH" \
				VMLINUX="$kernel" AUTOPKGTEST_TMP="$work/autopkgtest" sh debian/tests/encode-debug-kernel
		else
			skip "package: the package's test" "no kernel has been fetched (make check-kernel does)"
		fi
	fi
fi

# ---- the RPM ----

if have rpmbuild "package: RPM"; then
	# What it needs to build are Debian's packages here, which rpm does not know.
	if run "rpmbuild" rpmbuild --define "_topdir $work/rpm" --define '_unpackaged_files_terminate_build 1' \
		--nodeps -ta "$tarball"; then
		rpm=$(find "$work/rpm/RPMS" -name 'btfenc-[0-9]*.rpm')
		expect "package: RPM: version" test "$(rpm -qp --qf '%{VERSION}' "$rpm" 2>/dev/null)" = "$version"
		mkdir "$work/rpmroot"
		expect "package: RPM: it unpacks and runs" sh -c \
			'cd "$1" && rpm2cpio "$2" | cpio -idm 2>/dev/null && test "$(usr/bin/btfenc --version)" = "btfenc $3"' \
			sh "$work/rpmroot" "$rpm" "$version"
		expect "package: RPM: man page, completions, header, link" sh -c \
			'cd "$1/usr" && ls share/man/man1/btfenc.1* share/zsh/site-functions/_btfenc include/btfenc/btf_extra.h libexec/btfenc/pahole' \
			sh "$work/rpmroot"
	fi
fi

# ---- the action ----

# What its step does: first nothing to compare with, then no change, then a function that is lost.
mkdir "$work/action" && cd "$work/action" || exit 1
for name in same lost grown; do
	cat >$name.c <<'EOT'
struct item { int member; };
int kept(struct item *item) { return item->member; }
int other(struct item *item) { return item->member + 1; }
EOT
done
sed -i '/kept/d' lost.c
sed -i 's/int member;/int member, another;/' grown.c
for name in same lost grown; do
	gcc -g -O1 -c -o $name.o $name.c || exit 1
done

# step NAME STATUS FILE PATTERN [ALLOW [FAIL_ON [FAIL_ON_TYPES]]]
step()
{
	: >summary
	BTFENC=$BTFENC VMLINUX=$3 ALLOW=${5-} FAIL_ON=${6-} FAIL_ON_TYPES=${7-} BRANCH=main GITHUB_STEP_SUMMARY=$PWD/summary \
		sh "$source/packaging/compare-builds.sh" >log 2>&1
	status=$?
	echo "exit status $status" | cat - summary >>log
	[ $status -eq "$2" ] && { [ -z "$4" ] || grep -q "$4" summary; }
	outcome $? "package: action: $1" log
}

step "the first build" 0 same.o 'There is no list of main'
step "the same build" 0 same.o 'no differences'
cp -r btf-list kept
step "a function is gone" 1 lost.o 'kept'
step "it is still gone in the next run" 1 lost.o 'kept'
BTFENC=$BTFENC VMLINUX=none.o sh "$source/packaging/compare-builds.sh" >log 2>&1
expect "package: action: a run that fails" test $? -eq 3
expect "package: action: leaves what to compare with" diff -r kept btf-list
step "and is still gone after it" 1 lost.o 'kept'
BTFENC=$BTFENC VMLINUX=lost.o GITHUB_STEP_SUMMARY='' sh "$source/packaging/compare-builds.sh" >report
expect "package: action: the report in a file" sh -c 'head -n 1 report | grep -q "^### .btf-list/functions.tsv" && grep -q kept report'
BTFENC=$BTFENC sh "$source/packaging/compare-builds.sh" >log 2>&1
expect "package: action: without a vmlinux" test $? -eq 2
expect "package: action: there is a page" grep -q '<html' btf-diff.html
rm -rf btf-list && cp -r kept btf-list
echo 'kept gone # it is not used' >allow
echo 'not a list' >btf-list/functions.tsv
step "a damaged list" 3 lost.o ''
rm -rf btf-list && cp -r kept btf-list
step "which is allowed" 0 lost.o 'allowed: .it is not used' allow
for case in '1::' '1:none:' '0:none:none' '1:none:types' '1:gone,lost:type-changed'; do
	rm -rf btf-list && cp -r kept btf-list
	types=${case##*:} functions=${case#*:}
	step "a struct has grown, fail-on ${functions%:*}, of types $types" "${case%%:*}" grown.o '' '' \
		"${functions%:*}" "$types"
done
expect "package: action: the type is in the report" grep -q '^- struct .item.: .size 4 ' summary
rm -rf btf-list && cp -r kept btf-list
step "a function is gone, of no account" 0 lost.o '' '' none none
expect "package: action: it runs a script that is there" test -s "$source/packaging/compare-builds.sh"
if have python3 "package: YAML" && python3 -c 'import yaml' 2>/dev/null; then
	for file in "$source"/action.yml "$source"/.github/workflows/*.yml; do
		expect "package: ${file#"$source"/} is YAML" python3 -c \
			'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); assert "jobs" in d or d["runs"]["steps"]' "$file"
	done
else
	skip "package: YAML" "python3 has no yaml (package python3-yaml)"
fi
