# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Completion for bash. What there is to offer is asked of the program: commands and options of its
# help texts, features of --supported_btf_features. It needs nothing of the bash-completion package.

_btfenc_commands()
{
	"$1" --help 2>/dev/null | sed -n 's/^  btfenc \([a-z][a-z]*\) .*/\1/p'
}

# _btfenc_options PROGRAM COMMAND
_btfenc_options()
{
	"$1" "$2" --help 2>/dev/null | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z_-]+).*/\2/p'
}

_btfenc_features()
{
	"$1" --supported_btf_features 2>/dev/null | tr ',' '\n'
}

# _btfenc_list TEXT NAME...: the last name of a list with commas, which may have a sign.
_btfenc_list()
{
	local last=${1##*,} sign='' name
	local before=${1%"$last"}

	case $last in
	[+-]*) sign=${last:0:1} last=${last:1} ;;
	esac
	for name in "${@:2}"; do
		if [[ $name == "$last"* && ",$before" != *",$sign$name,"* ]]; then
			COMPREPLY+=("$before$sign$name")
		fi
	done
	compopt -o nospace 2>/dev/null
}

# No reply: bash offers files (-o default below).
_btfenc()
{
	local program=$1 current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]}

	COMPREPLY=()
	# --features=LIST arrives as three words.
	if [[ $current == = ]]; then
		current=
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if ((COMP_CWORD == 1)) || [[ $command == help ]]; then
		if [[ $current == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W '--help --stats --version
				--supported_btf_features' -- "$current")
		else
			mapfile -t COMPREPLY < <(compgen -W "$(_btfenc_commands "$program")" \
				-- "$current")
		fi
		return
	fi
	[[ $command == --stats ]] && command=stats
	case $option in
	--features | --btf_features | --btf_features_strict)
		# shellcheck disable=SC2046 # a list of words
		_btfenc_list "$current" $(_btfenc_features "$program") func_secinfo=inline \
			default all
		;;
	--lang | --lang-exclude | --lang_exclude) _btfenc_list "$current" c c++ rust asm ;;
	-j | --jobs) mapfile -t COMPREPLY < <(compgen -W "0 $(nproc)" -- "$current") ;;
	--machine)
		mapfile -t COMPREPLY < <(compgen -W \
			'x86-64 i386 arm64 arm s390x ppc64le riscv64 loongarch64' -- "$current")
		;;
	--fail-on | --show)
		if [[ $command == compat ]]; then
			mapfile -t COMPREPLY < <(compgen -W 'sees-less not-known fails none' -- "$current")
			return
		fi
		_btfenc_list "$current" lost ambiguous inconsistent inlined gone new-name changed no-kfunc moved type-gone \
			type-changed partly-inlined clones gained sites other type-moved type-new types all none
		;;
	--only) _btfenc_list "$current" exported kfunc ;;
	--format)
		local formats='text json markdown html'
		[[ $command != list ]] || formats='text json names tsv bpftrace ids'
		[[ $command != compat ]] || formats='text json markdown'
		[[ $command != dump ]] || formats='raw'
		mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
		;;
	--script) mapfile -t COMPREPLY < <(compgen -W 'bpftrace tracefs libbpf' -- "$current") ;;
	--attachable) mapfile -t COMPREPLY < <(compgen -W 'fentry kprobe' -- "$current") ;;
	--kind) mapfile -t COMPREPLY < <(compgen -W 'function kfunc tracepoint lsm iter struct_ops' -- "$current") ;;
	--takes | --returns | --field | --verdict | -t | --type) ;;
	-o | --output | -f | --file | -b | --base | --old-base | --new-base | --old-modules | --new-modules | --modules | --functions | --extra | --symbols | \
		--running | --root | --kernel | --module | --names | --allow | --limit) ;;
	*)
		if [[ $current == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W \
				"$(_btfenc_options "$program" "$command")" -- "$current")
		fi
		;;
	esac
}

complete -o default -F _btfenc btfenc
