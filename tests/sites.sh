#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Are the records of docs/format.md true? The fixtures' against libdw's reading of their DWARF
# (tests/tool_sites.c); those of generated programs also against the machine: a tracer stops at each
# site and looks whether the parameters are where the records say, and where the probe arguments
# that explain prints say (tests/sites/README.md).
#
#	SITES=all	all configurations of tests/sites/configs, more programs
#	SEEDS		which programs
#	SITES_OUT	where everything is built; build/sites
. tests/lib.sh

out=${SITES_OUT:-build/sites}
features=+func_secinfo=inline,+inline
if [ "${SITES-}" = all ]; then
	seeds=${SEEDS:-1 2 3 4 5 6}
else
	seeds=${SEEDS:-1 2 3}
fi

# ---- libdw ----

# encoded IMAGE: $work/btf and $work/btf.extra
encoded()
{
	rm -f "$work"/btf*
	"$BTFENC" encode --features $features -o "$work/btf" "$1" >"$work/log" 2>&1 &&
		! [ -s "$work/log" ]
}

fixtures()
{
	for image in "$FIXTURES"/*/vmlinux; do
		variant=${image%/vmlinux}
		variant=${variant##*/}
		name="sites: $variant: the records are what libdw reads"
		encoded "$image" && "$TEST_PROGRAMS/tool_sites" "$image" "$work/btf" \
			"$work/btf.extra" >"$work/log" 2>&1
		outcome $? "$name" "$work/log"
	done
}

# The records of one image are not those of another.
libdw_control()
{
	image=$FIXTURES/gcc12-dwarf5/vmlinux other=$FIXTURES/clang19-dwarf5/vmlinux
	if ! [ -s "$image" ] || ! [ -s "$other" ]; then
		skip "sites: libdw contradicts the records of another image" "$(not_built clang19-dwarf5)"
		return
	fi
	encoded "$image"
	"$TEST_PROGRAMS/tool_sites" "$other" "$work/btf" "$work/btf.extra" >"$work/log" 2>&1
	expect "sites: libdw contradicts the records of another image" [ $? -eq 1 ]
}

# ---- the machine ----

generate()
{
	for seed in $seeds; do
		rm -rf "$out/seed-$seed"
		mkdir -p "$out/seed-$seed"
		"$out/generate" "$seed" "$out/seed-$seed" || exit 1
		cp tests/sites/sites.h tests/truth/runtime.S "$out/seed-$seed/"
	done
}

# Writes the arguments of job.sh for xargs, and which results to expect. Without SITES=all: the
# first compiler of each family that is here.
list_jobs()
{
	: >"$work/jobs"
	: >"$work/results"
	families=
	grep -v '^#' tests/sites/configs >"$work/configs"
	while IFS='|' read -r config compiler flags; do
		command -v "$compiler" >/dev/null 2>&1 || continue
		if [ "${SITES-}" != all ]; then
			case " $families " in
			*" ${compiler%-*} "*) continue ;;
			esac
			families="$families ${compiler%-*}"
		fi
		for seed in $seeds; do
			printf '%s\0' "$out" "$seed" "$config" "$compiler" "$flags" >>"$work/jobs"
			echo "$out/$config/$seed/result" >>"$work/results"
		done
	done <"$work/configs"
}

# total_of WHOSE: explain's probes or the records; for judge
total_of()
{
	whose=$1
	totals=$(awk -v totals=1 -v only="$1" -f tests/sites/table.awk "$out/results")
}

# judge NAME CONDITION VERDICTS: an awk condition on the totals, and whose lines break it
judge()
{
	awk -F '\t' -v verdicts="^($3)\$" -v whose="$whose" '$10 ~ verdicts &&
		(whose == "explain") == ($3 == "explain")' "$out/results" >"$work/offenders"
	echo "$totals" | awk "{ instances = \$1; right = \$2; changed = \$3; late = \$4
		bit = \$5; narrow = \$6; wrong = \$7; viewed = \$8; failed = \$9
		described = \$10; none = \$11
		said = right + changed + late + bit + narrow + wrong
		exit !($2) }"
	outcome $? "sites: $1" "$work/offenders"
}

# traced_as TRUTH PROBES CONDITION: what the tracer finds in a program, with one of both changed
traced_as()
{
	"$out/trace" "$here/program" "$1" "$here/btf" "$here/btf.extra" "$2" >"$work/found" \
		2>"$work/log"
	awk -F '\t' '{ n[$1, $8]++; n[$8]++; n[$1, $8, $11 ~ /^\?/]++ }
		END { exit !('"$3"') }' "$work/found"
}

# With another truth, or other probe arguments, nearly all that is described has to be wrong.
tracer_control()
{
	first=$(head -n 1 "$work/results")
	here=${first%/result}
	truth=$out/seed-${here##*/}/truth.txt
	if ! [ -s "$here/btf" ]; then
		not_ok "sites: the tracer sees values that are not what is passed" "$here/log"
		return
	fi
	sed 's/N:\([0-9a-f]\)/N:5\1/g; s/S:\(sites_objects\)+/S:\1+1/g' "$truth" \
		>"$work/truth.txt"
	expect "sites: the tracer sees values that are not what is passed" \
		traced_as "$work/truth.txt" "$here/probes" 'n["wrong"] > n["right"]'
	sed 's/=%\([a-z0-9]*\):/=%X\1:/g; s/%Xdi/%si/g; s/%Xsi/%di/g; s/%X[a-z0-9]*/%bp/g
		s/=+\([0-9]*\)(/=+8\1(/g; s/=\\[-0-9]*/=\\77/g' "$here/probes" >"$work/probes"
	expect "sites: the tracer sees probe arguments that are elsewhere" \
		traced_as "$truth" "$work/probes" 'n["explain", "wrong"] > 9 * n["explain", "right"] &&
		n["inline", "right"] > 9 * n["inline", "wrong"]'
	sed 's/:\([us]\)32/:\164/g' "$here/probes" >"$work/probes"
	expect "sites: the tracer sees probe arguments that are too wide" \
		traced_as "$truth" "$work/probes" 'n["explain", "wrong", 1] > 50'
}

machine()
{
	if ! [ "$(uname -m)" = x86_64 ]; then
		skip "sites: parameters are where the records say" "this is not an x86-64"
		return
	fi
	mkdir -p "$out"
	built "sites: the tracer and the programs are built" "$out/generate" tests/sites/generate.c tests/sites/expect.c tests/sites/write.c
	built "sites: the tracer and the programs are built" "$out/trace" tests/sites/trace.c tests/sites/expected.c tests/site_records.c \
		tests/truth/process.c tests/truth/process_ptrace.c tests/truth/process_gdb.c -I. tests/file_bytes.c \
		tests/truth/machine.c tests/truth/conventions.c tests/truth/symbols.c -lelf
	generate
	list_jobs
	if ! [ -s "$work/jobs" ]; then
		skip "sites: parameters are where the records say" "no compiler is installed"
		return
	fi
	xargs -0 -n 5 -P "$(nproc)" sh tests/sites/job.sh <"$work/jobs"
	xargs cat <"$work/results" >"$out/results"
	if grep -q '	untraceable	' "$out/results"; then
		skip "sites: parameters are where the records say" "nothing can be traced here"
		return
	fi
	awk -f tests/sites/table.awk "$out/results" | tee "$out/table"
	total_of records
	judge "every program is built, encoded, read by libdw, explained and run" "failed == 0 && said > 0" \
		failed
	judge "at least 97% of the described parameters are right" "right >= 0.97 * said" \
		'changed|late|bit|narrow|wrong|lost'
	judge "the others for a known reason, but for 0.5%" "wrong <= 0.005 * said" 'wrong|lost'
	judge "with view numbers hardly a value is that after a function's first statement" \
		"viewed <= 0.001 * said" changed
	judge "every instance is entered as described" "instances == 0" \
		'changed|late|bit|narrow|wrong|lost'
	judge "45% of the parameters are described" "described >= 0.45 * (described + none)" none
	total_of explain
	judge "explain: at least 97% of the probe arguments are right" \
		"right >= 0.97 * said && said > 0" 'changed|late|bit|narrow|wrong|lost'
	judge "explain: the others for a known reason, but for 0.5%" "wrong <= 0.005 * said" \
		'wrong|lost'
	judge "explain: every instance is entered as described" "instances == 0" \
		'changed|late|bit|narrow|wrong|lost'
	judge "explain: 40% of the parameters have a probe argument" \
		"described >= 0.4 * (described + none)" none
	tracer_control
}

fixtures
libdw_control
machine
