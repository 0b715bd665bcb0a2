#compdef btfenc
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Completion for zsh: the body of the function _btfenc. What there is to offer is asked of the
# program: commands and options of its help texts, features of --supported_btf_features.

local program=${(Q)words[1]} command=${words[2]} option=${words[CURRENT - 1]}
local -a found

if (( CURRENT == 2 )); then
	if [[ $PREFIX == -* ]]; then
		compadd -- --help --stats --version --supported_btf_features
		return
	fi
	found=(${(f)"$($program --help 2>/dev/null |
		sed -nE 's/^  btfenc ([a-z]+) +(.*)/\1:\2/p')"})
	_describe -t commands command found
	return
fi
[[ $command == --stats ]] && command=stats
if [[ $PREFIX == --*=* ]]; then
	option=${PREFIX%%=*}
	compset -P 1 '*='
fi

case $option in
--features | --btf_features | --btf_features_strict)
	found=(${(s:,:)"$($program --supported_btf_features 2>/dev/null)"} func_secinfo=inline
		default all)
	compset -P '*,'
	compset -P '[+-]'
	compadd -S '' -a found
	;;
--lang | --lang-exclude | --lang_exclude)
	compset -P '*,'
	compadd -S '' -- c c++ rust asm
	;;
-j | --jobs)
	compadd -- 0 $(nproc)
	;;
--machine)
	compadd -- x86-64 i386 arm64 arm s390x ppc64le riscv64 loongarch64
	;;
--fail-on | --show)
	if [[ $command == compat ]]; then
		compadd -- sees-less not-known fails none
		return
	fi
	compset -P '*,'
	compset -P '-'
	compadd -S '' -- lost ambiguous inconsistent inlined gone new-name changed no-kfunc moved type-gone type-changed \
		partly-inlined clones gained sites other type-moved type-new types all none
	;;
--only)
	compset -P '*,'
	compadd -S '' -- exported kfunc
	;;
--format)
	case $command in
	dump) compadd -- raw c ;;
	compat) compadd -- text json markdown ;;
	list) compadd -- text json names tsv bpftrace ids ;;
	*) compadd -- text json markdown html ;;
	esac
	;;
--script)
	compadd -- bpftrace tracefs libbpf
	;;
--attachable)
	compadd -- fentry kprobe
	;;
--kind)
	compadd -- function kfunc tracepoint lsm iter struct_ops
	;;
--module | --kernel | --limit | --takes | --returns | --field | --verdict | -t | --type) ;;
-o | --output | -f | --file | -b | --base | --old-base | --new-base | --old-modules | --new-modules | --modules | --functions | --extra | --symbols | \
	--running | --root | --names | --allow)
	_files
	;;
*)
	if [[ $PREFIX == -* ]]; then
		found=(${(f)"$($program $command --help 2>/dev/null |
			sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z_-]+)( ?\[?=?[A-Z][A-Za-z.]*\]?)? +(.*)/\2:\4/p')"})
		_describe -o option found
	else
		_files
	fi
	;;
esac
