#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# make install and uninstall into a directory of their own, what is there then, and the manual:
# does it say all that the help texts say?
. tests/lib.sh

make=${MAKE:-make}
out=${BTFENC%/btfenc}

# make_target TARGET DESTDIR PREFIX: as a call by hand, whatever make runs this.
make_target()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES \
		"$make" -s "$1" OUT="$out" DESTDIR="$2" PREFIX="$3"
}

# matches NAME PATTERN COMMAND...: the output is like the shell pattern, and nothing is on stderr.
matches()
{
	matches_name=$1 pattern=$2
	shift 2
	# shellcheck disable=SC2254 # it is meant as a pattern
	"$@" >"$work/stdout" 2>"$work/stderr" && [ ! -s "$work/stderr" ] &&
		case $(cat "$work/stdout") in
		$pattern) true ;;
		*) false ;;
		esac
	matches_status=$?
	cat "$work/stdout" >>"$work/stderr"
	outcome $matches_status "$matches_name" "$work/stderr"
}

# ---- what is installed ----

files='bin/btfenc
include/btfenc/btf_extra.h
libexec/btfenc/compare-builds.sh
libexec/btfenc/pahole
share/bash-completion/completions/btfenc
share/doc/btfenc/BSD-2-Clause.txt
share/doc/btfenc/LGPL-2.1.txt
share/doc/btfenc/README.md
share/doc/btfenc/architecture.md
share/doc/btfenc/check-modules.sh
share/doc/btfenc/compat.json
share/doc/btfenc/compat.md
share/doc/btfenc/compiler-upgrade.md
share/doc/btfenc/diff.json
share/doc/btfenc/diff.png
share/doc/btfenc/explain.json
share/doc/btfenc/find_sites.c
share/doc/btfenc/format.md
share/doc/btfenc/functions.md
share/doc/btfenc/fuzzing.md
share/doc/btfenc/installed-modules.md
share/doc/btfenc/kernel-build.md
share/doc/btfenc/list.json
share/doc/btfenc/parity.md
share/doc/btfenc/performance.md
share/doc/btfenc/security.md
share/doc/btfenc/stats.json
share/man/man1/btfenc.1
share/zsh/site-functions/_btfenc'

for prefix in /usr /opt/of-its-own; do
	destdir="$work/a root"
	root=$destdir$prefix
	expect "install: PREFIX=$prefix" make_target install "$destdir" $prefix
	expect "install: PREFIX=$prefix, a second time" make_target install "$destdir" $prefix
	found=$(cd "$root" && find . -type f -o -type l | sed 's,^\./,,' | sort)
	expect "install: PREFIX=$prefix: these files, no others" test "$found" = "$files"
	expect "install: PREFIX=$prefix: the link is relative" \
		test "$(readlink "$root/libexec/btfenc/pahole")" = ../../bin/btfenc
	matches "install: PREFIX=$prefix: btfenc runs" 'btfenc [0-9]*' \
		"$root/bin/btfenc" --version
	matches "install: PREFIX=$prefix: pahole runs" 'v[0-9].[0-9]*' \
		"$root/libexec/btfenc/pahole" --version
	expect "install: PREFIX=$prefix: DESTDIR is in no text" \
		sh -c "test -d '$root/share' && ! grep -rl 'a root' '$root/share'"
	mv "$destdir" "$work/moved"
	matches "install: PREFIX=$prefix: the link works where the tree was moved" 'v[0-9].[0-9]*' \
		"$work/moved$prefix/libexec/btfenc/pahole" --version
	expect "install: PREFIX=$prefix: uninstall" make_target uninstall "$work/moved" $prefix
	expect "install: PREFIX=$prefix: uninstall, a second time" \
		make_target uninstall "$work/moved" $prefix
	expect "install: PREFIX=$prefix: uninstall leaves no file, and no directory of its own" \
		test -z "$(find "$work/moved" ! -type d -o -name btfenc)"
	rm -rf "$work/moved"
done

root=$work/installed
make_target install "$root" '' || exit 1

# Documents lead to installed ones only, whatever folders they have in the tree.
for document in "$root"/share/doc/btfenc/*.md; do
	grep -oE '\]\([^)#]+' "$document" | grep -v '://' | while read -r link; do
		echo "${document##*/} $link"
		[ -e "${document%/*}/${link#??}" ] || echo "${document##*/}: $link" >&2
	done
done >"$work/links" 2>"$work/dead"
# shellcheck disable=SC2016 # for the inner shell
expect "install: links of the documents lead to what is installed" \
	sh -c 'test "$(wc -l <"$1")" -ge 6 && ! grep . "$2"' sh "$work/links" "$work/dead"

# As a kernel build has it: encode in place under pahole's name.
cp "$FIXTURES/gcc12-dwarf5/vmlinux" "$work/vmlinux"
"$root/libexec/btfenc/pahole" -J -j --btf_features=encode_force,var --lang_exclude=rust \
	"$work/vmlinux"
matches "install: the installed link encodes" '*: [0-9]* types, no errors' \
	"$root/bin/btfenc" check "$work/vmlinux"

# ---- the manual ----

manual=$root/share/man/man1/btfenc.1
if have groff "install: the manual has no warnings of groff"; then
	groff -man -Tutf8 -ww -z "$manual" >"$work/groff" 2>&1
	expect "install: the manual has no warnings of groff" test ! -s "$work/groff"
	# Examples and tables (.nf), and headings, which are not indented as far as text, do not count.
	sed '/^\.nf/,/^\.fi/d' "$manual" | groff -man -Tascii -P-cbou -rLL=100n |
		awk '/^ ? ? ?[^ ]/ || !NF { n = 0; next } ++n == 9' >"$work/long"
	expect "install: no paragraph of the manual has more than 8 lines" test ! -s "$work/long"
fi
if have man "install: man shows the manual"; then
	matches "install: man shows the manual" '*BTFENC(1)*KERNEL BUILDS*EXIT STATUS*' \
		man -l "$manual"
fi

# FILES: each file below PREFIX that is installed, by itself or by its folder, and no others.
sed -n '/^\.SH FILES/,/^\.SH SEE ALSO/p' "$manual" | tr -d '\134' |
	grep -o 'PREFIX *\/[a-zA-Z0-9_./-]*' | sed 's/PREFIX *\///' | sort -u >"$work/named"
for file in $files; do
	grep -qxF -e "$file" -e "${file%/*}" "$work/named" || echo "$file is installed"
done >"$work/unlike"
while read -r name; do
	[ -e "$root/$name" ] || echo "$name is named"
done <"$work/named" >>"$work/unlike"
# shellcheck disable=SC2016 # for the inner shell
expect "install: FILES of the manual and what is installed agree" \
	sh -c 'test "$(wc -l <"$1")" -ge 6 && ! grep . "$2"' sh "$work/named" "$work/unlike"

# The manual without its hyphens' backslashes and fonts, one word per line.
sed 's/\\-/-/g; s/\\f[A-Z]//g' "$manual" | tr -cs 'a-zA-Z0-9_+-' '\n' | sort -u >"$work/words"

# said WHAT WORD...: each is a word of the manual.
said()
{
	said_what=$1
	shift
	printf '%s\n' "$@" | sort -u >"$work/wanted"
	comm -23 "$work/wanted" "$work/words" >"$work/missing"
	[ $# -gt 3 ] && [ ! -s "$work/missing" ]
	outcome $? "install: the manual has each $said_what" "$work/missing"
}

commands=$("$BTFENC" --help | sed -n 's/^  btfenc \([a-z]*\) .*/\1/p')
for command in '' $commands; do
	# shellcheck disable=SC2086 # nothing, or a word
	"$BTFENC" $command --help
done >"$work/help"
# shellcheck disable=SC2046,SC2086 # lists of words
{
	said "command and option of the help texts" $commands $(grep -oE -e \
		'(^|[ [])(-[a-zA-Z]|--[a-z_-]+)([],; ]|$)' "$work/help" | tr -d '[],; ')
	said "option that encode takes" \
		$(sed -n 's/^	{ "\([a-z0-9_-]*\)", .*/--\1/p' commands/encode_arguments.c)
	said "feature" $("$BTFENC" --supported_btf_features | tr ',' ' ')
	said "rule of warnings" $(sed -n 's/^	X([A-Z_]*, "\([a-z-]*\)", WARNING.*/\1/p' btf/verify/rules.h)
	said "verdict" $(sed -n 's/^	X([A-Z_]*, "\([a-z-]*\)".*/\1/p' encoder/evidence/verdict.h)
}

# ---- completion ----

PATH=$root/bin:$PATH
features=$("$BTFENC" --supported_btf_features | tr ',' '\n')

# offers SHELL LINE WORD...: the completion of the line's end has these words.
offers()
{
	shell=$1 line=$2
	shift 2
	"complete_$shell" "$line" | sort -u >"$work/offered"
	printf '%s\n' "$@" | sort -u >"$work/wanted"
	[ $# -gt 0 ] && [ -z "$(comm -23 "$work/wanted" "$work/offered")" ]
	outcome $? "install: $shell: $line" "$work/offered"
}

# As readline splits a line: at blanks, and around "=".
complete_bash()
{
	bash --norc --noprofile -c '
		. "$1/share/bash-completion/completions/btfenc" || exit 1
		read -ra COMP_WORDS <<<"${2//=/ = }"
		[[ $2 != *[\ =] ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_btfenc btfenc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
	' bash "$root" "$1"
}

# An interactive zsh on a terminal of its own; compadd writes down what it is about to offer.
complete_zsh()
{
	rm -f "$work/zsh-hits" "$work/zsh-done"
	cat >"$work/zsh-init" <<EOT
PS1= PS2=
LISTMAX=1000
fpath=("$root/share/zsh/site-functions" \$fpath)
autoload -Uz compinit
compinit -u -D
compadd()
{
	local -a hits
	if [[ "\${@[1,(i)--]}" != *-[OAD]* ]]; then
		builtin compadd -O hits "\$@"
		print -rl -- \$hits >>"$work/zsh-hits"
	fi
	builtin compadd "\$@"
}
finish() { : >"$work/zsh-done" }
zle -N finish
bindkey -e
bindkey '^T' finish
bindkey '^I' complete-word
EOT
	zsh -f -c '
		zmodload zsh/zpty || exit 1
		zpty -b shell zsh -f -i
		zpty -w shell "source $1"
		zpty -w -n shell "$2"$'\''\t\C-t'\''
		for try in {1..600}; do
			[[ -e $3 ]] && break
			zpty -r -t shell ignored
			sleep 0.1
		done
		zpty -d shell
	' zsh "$work/zsh-init" "$1" "$work/zsh-done" </dev/null >"$work/zsh-log" 2>&1
	cat "$work/zsh-hits" 2>/dev/null
}

cd "$work" || exit 1
: >a-file.ko
for shell in bash zsh; do
	have $shell "install: completion for $shell" || continue
	# shellcheck disable=SC2086 # lists of words
	{
		offers $shell 'btfenc ' $commands
		offers $shell 'btfenc enc' encode
		offers $shell 'btfenc --s' --stats --supported_btf_features
		offers $shell 'btfenc encode --' --output --base --features --lang-exclude --help
		offers $shell 'btfenc stats --f' --functions --features
		offers $shell 'btfenc check --' --base --help
		offers $shell 'btfenc diff --' --types --fail-on --allow
		offers $shell 'btfenc encode --features ' $features default all
		offers $shell 'btfenc encode --features=' $features default all
	}
done
if have bash "install: completion for bash"; then
	expect "install: bash: complete -p" bash --norc --noprofile -c \
		". '$root/share/bash-completion/completions/btfenc' && complete -p btfenc"
	offers bash 'btfenc encode --features +var,-fl' '+var,-float'
	offers bash 'btfenc encode --lang-exclude=c++,r' 'c++,rust'
	offers bash 'btfenc diff --fail-on lost,-inl' 'lost,-inlined'
	matches "install: bash: files are left to bash" '' complete_bash 'btfenc check a-f'
fi
if have zsh "install: completion for zsh"; then
	offers zsh 'btfenc encode --features +var,-fl' float
	offers zsh 'btfenc encode --lang-exclude=c++,r' rust
	offers zsh 'btfenc check a-f' a-file.ko
fi
