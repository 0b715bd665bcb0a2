#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# `btfenc stats`: the numbers add up and are those of encode, the list of functions has each name
# under one verdict, all three outputs are the same at every -j, and the command line.
# usage: stats.sh [VARIANT]...
. tests/lib.sh

# shellcheck disable=SC2046 # the names of variants have no blanks
[ $# -gt 0 ] || set -- $(ls "$FIXTURES")

# rows HEADING PAGE: the lines of one table, without commas.
rows()
{
	awk -v heading="$1" '
		!NF { inside = 0 }
		inside { gsub(/,/, ""); print }
		index($0, heading) == 1 { inside = 1 }
	' "$2"
}

# verdicts PAGE: "code names" for each row of the verdicts' table.
verdicts()
{
	rows FUNCTIONS "$1" | awk '
		$1 ~ /^[0-9]+$/ && $3 == "%" && $4 != "with" { print $4, $1 }
		$1 ~ /^[0-9]+$/ && $2 == "inlined-only" { print $2, $1 }
	'
}

check_sums()
{
	rows FUNCTIONS "$1" | awk '
		$1 !~ /^[0-9]+$/ { next }	# the rest of a sentence
		/ with code$/ { with_code = $1; next }
		/ all names$/ { all = $1; next }
		$2 == "inlined-only" { inlined = $1; next }
		{ sum += $1 }
		END {
			printf "%d of %d with code, %d inlined, %d in all\n", sum, with_code, inlined, all
			exit !(sum > 0 && sum == with_code && sum + inlined == all)
		}' || return 1
	rows PARAMETERS "$1" | awk '
		$1 !~ /^[0-9]+$/ { next }
		/ all parameters$/ { all = $1; next }
		{ sum += $1 }
		END { printf "%d of %d parameters\n", sum, all; exit sum != all }' || return 1
	# A missing number is blank: the first column is 11 wide.
	rows TYPES "$1" | awk '
		$1 !~ /^[0-9]+$/ || / BTF can express$/ { next }
		/ all types$/ { all_dwarf = $1; all_btf = $2; next }
		$2 ~ /^[0-9]+$/ { dwarf += $1; btf += $2; next }
		/^            / { btf += $1; next }
		{ dwarf += $1 }
		END {
			printf "%d of %d, %d of %d types\n", dwarf, all_dwarf, btf, all_btf
			exit !(dwarf == all_dwarf && btf == all_btf)
		}' || return 1
}

# Two tables under one heading: sites, and the parameters of all of them.
check_inline_sites()
{
	rows 'INLINE SITES' "$1" | awk '
		$1 !~ /^[0-9]+$/ { next }
		/ all sites$/ { all = $1; of_sites = sum; sum = 0; next }
		/ all parameters$/ { parameters = $1; of_parameters = sum; next }
		{ sum += $1 }
		END {
			printf "%d of %d sites, %d of %d parameters\n", of_sites, all, of_parameters,
				parameters
			exit !(all > 0 && of_sites == all && of_parameters == parameters)
		}'
}

# sites_json JSON: "code count" of the object inline_sites and of its places.
sites_json()
{
	sed -n '/^  "inline_sites": {/,/^  }/s/^ *"\([a-z_-]*\)": \([0-9]*\),*$/\1 \2/p' "$1"
}

# The figures of the page, in the words of JSON.
sites_page()
{
	rows 'INLINE SITES' "$1" | awk '
		$1 !~ /^[0-9]+$/ || / all parameters$/ { next }
		/ all parameters have a location$/ { print "complete", $1; next }
		/ some have one$/ { print "partial", $1; next }
		/ none has one$/ { print "empty", $1; next }
		/ there are no parameters$/ { print "without_parameters", $1; next }
		/ all sites$/ { print "total", $1; next }
		{ print $4, $1 }'
}

# check_list_sites LIST PAGE JSON: the sites of all names are those of the page, without those that
# are in the function's own code.
check_list_sites()
{
	in_itself=$(sites_json "$3" | sed -n 's/^in_itself //p')
	awk -F '\t' '
		NR > 1 && ($1 " " $5 != last || $3 == "-") { sites += $11; parameters += $12; places += $13 }
		{ last = $1 " " $5 }
		END { print sites, parameters, places }' "$1" >"$work/list-sites"
	cat "$work/list-sites"
	rows 'INLINE SITES' "$2" | awk '
		/ all sites$/ { sites = $1 }
		/ all parameters$/ { parameters = $1 }
		END { print sites, parameters }' >"$work/page-sites"
	paste -d ' ' "$work/list-sites" "$work/page-sites" | awk -v in_itself="$in_itself" '
		{ exit !($1 + in_itself == $4 && (in_itself ? $2 <= $5 : $2 == $5) && $3 <= $2) }'
}

# check_inline_json JSON PAGE
check_inline_json()
{
	sites_json "$1" | grep -v -e '^without_code ' -e '^in_itself ' -e ' 0$' |
		sort >"$work/json-sites"
	[ -s "$work/json-sites" ] && sites_page "$2" | grep -v ' 0$' | sort |
		diff "$work/json-sites" -
}

# The list by name has to agree with the page's counts by verdict.
check_list()
{
	awk -F '\t' '
		/^#/ { next }
		NR == 1 {
			bad += $0 != "name\tsymbol\taddress\tunit\tverdict\treasons\tprototype" \
				"\tparameters\tmarks\tsuffixes\tsites\tsite_parameters\tsite_places" \
				"\tcallers\tmodule\thook"
			next
		}
		NF != 16 { print "line " NR ": " NF " columns"; bad++ }
		$3 !~ /^0x[0-9a-f]+$/ && $5 != "inlined-only" { print "line " NR ": address " $3; bad++ }
		$13 > $12 || ($12 && !$11) { print "line " NR ": " $11 " sites"; bad++ }
		$5 == "inlined-only" && !$11 { print $1 ": inlined nowhere"; bad++ }
		$16 !~ ($3 == "-" ? "^-$" : "^(yes|no|[?])$") { print "line " NR ": hook " $16; bad++ }
		$15 != "-" { print "line " NR ": module " $15; bad++ }
		$14 != "?" && ($14 !~ /^[0-9]+$/ || ($5 != "ok" && $14)) {
			print "line " NR ": " $14 " callers"; bad++
		}
		# Another function of the name, of another file, has no symbol of this name.
		$1 in verdict && verdict[$1] != $5 && $1 == $2 { print $1 ": " verdict[$1] " and " $5; bad++ }
		!($1 in verdict) { verdict[$1] = $5; names[$5]++ }
		$1 < last { print "not sorted: " $1; bad++ }
		$5 == "ok" && $1 == $2 && $6 != "-" { print $1 ": ok and " $6; bad++ }
		{ last = $1 }
		END {
			for (code in names)
				print code, names[code] >"/dev/stderr"
			exit bad > 0
		}
	' "$1" 2>"$work/by-name" || return 1
	verdicts "$2" | grep -v ' 0$' | sort >"$work/by-verdict"
	sort "$work/by-name" | diff "$work/by-verdict" -
}

check_encode()
{
	"$BTFENC" encode -v -o "$work/btf" "$1" 2>"$work/verbose" || return 1
	verdicts "$2" | grep -v '^inlined-only ' | sort >"$work/by-verdict"
	sed '1,/^functions:/d' "$work/verbose" | awk '/^  [a-z]/ { print $1, $2 }' | sort |
		diff "$work/by-verdict" - || return 1
	funcs=$("$BTFENC" dump "$work/btf" | grep -c '^\[[0-9]*\] FUNC ')
	[ "$(verdicts "$2" | sed -n 's/^ok //p')" = "$funcs" ] && return
	echo "$funcs FUNCs"
	return 1
}

# judged LIST VERDICT NAME...: none of the names is missing from the list, all have the verdict.
judged()
{
	list=$1 wanted=$2
	shift 2
	for name in "$@"; do
		awk -F '\t' -v name="$name" -v wanted="$wanted" '
			$1 == name { found = 1; print; bad += $5 !~ "^(" wanted ")$" }
			END { exit !found || bad }' "$list" >"$work/judged" && continue
		echo "$name is not $wanted:"
		cat "$work/judged"
		return 1
	done
}

changed='reordered|param-[a-z]*|stack-layout|reg-mismatch|return-removed|signature-changed|clone'

# The verdicts by the comments of clones.c; a compiler may leave a function as it is if that is listed.
check_known()
{
	judged "$1" "$changed" both_ways drop_middle scale_by vprintk || return 1
	judged "$1" ok check_frame keep_all || return 1
	# No call in clang's Thumb code shows that an argument is set.
	case $2 in
	clang*-thumb) judged "$1" param-removed unused_kept || return 1 ;;
	*) judged "$1" ok unused_kept || return 1 ;;
	esac
	case $2 in
	gcc*)
		judged "$1" "$changed" sum_first && judged "$1" partial table_grow || return 1
		awk -F '\t' '$1 == "sum_first" { exit $2 !~ /^sum_first\.isra\./ }' "$1" || return 1
		;;
	esac
	# Three levels of inlining: no code, so no symbol and no address.
	grep '^level_one	' "$1" >"$work/level_one"
	lacks_line '^level_one	-	-	-	inlined-only	' "$work/level_one" -v
}

check_prototypes()
{
	while IFS='|' read -r name unit prototype; do
		awk -F '\t' -v name="$name" -v unit="$unit" -v prototype="$prototype" '
			$1 == name { print; found += $4 ~ unit "$"; bad += $7 != prototype }
			END { exit !found || bad }' "$1" >"$work/prototype" && continue
		echo "not '$prototype' in '$unit':"
		cat "$work/prototype"
		return 1
	done <<-'EOT'
		list_del|inline_address.c|void list_del(struct list_head *entry)
		sum_variadic|functions.c|int sum_variadic(int count, ...)
		start_kernel|main.c|void start_kernel(void)
		handle_first|function_pointers.c|int handle_first(struct list_head *node, void *arg)
		table_insert|clones.c|int table_insert(struct table *table, u32 value)
		choose_plain|function_pointers.c|int (*choose_plain(int which, chooser_t chooser))(struct list_head *, void *)
	EOT
}

for variant in "$@"; do
	image=$FIXTURES/$variant/vmlinux
	if ! [ -s "$image" ]; then
		skip "stats: $variant" "$(not_built "$variant")"
		continue
	fi
	rm -f "$work/list" "$work/json"
	"$BTFENC" stats -j1 --functions "$work/list" "$image" >"$work/page" 2>"$work/err" &&
		"$BTFENC" stats -j1 --json "$image" >"$work/json" 2>>"$work/err"
	if [ -s "$work/err" ] || ! [ -s "$work/json" ]; then
		not_ok "stats: $variant" "$work/err"
		continue
	fi
	expect "stats: $variant: the sums add up" check_sums "$work/page"
	expect "stats: $variant: inline sites add up" check_inline_sites "$work/page"
	expect "stats: $variant: inline sites in JSON" check_inline_json "$work/json" "$work/page"
	expect "stats: $variant: each name has one verdict" check_list "$work/list" "$work/page"
	expect "stats: $variant: the list has the sites of the page" \
		check_list_sites "$work/list" "$work/page" "$work/json"
	expect "stats: $variant: encode says the same" check_encode "$image" "$work/page"
	expect "stats: $variant: clones are what they are" check_known "$work/list" "$variant"
	case $variant in
	# Units that dwz has made carry no name.
	*dwz) ;;
	*) expect "stats: $variant: prototypes" check_prototypes "$work/list" ;;
	esac
	for jobs in 2 3; do
		"$BTFENC" stats -j$jobs --functions "$work/list$jobs" "$image" >"$work/page$jobs"
		"$BTFENC" stats -j$jobs --json "$image" >"$work/json$jobs"
		expect "stats: $variant: -j$jobs: the same page" same_text "$work/page" "$work/page$jobs"
		expect "stats: $variant: -j$jobs: the same list" cmp "$work/list" "$work/list$jobs"
		expect "stats: $variant: -j$jobs: the same JSON" same_text "$work/json" "$work/json$jobs"
	done
done

# ---- JSON ----

image=$FIXTURES/gcc12-dwarf5/vmlinux
"$BTFENC" stats --json "$image" >"$work/json"
"$BTFENC" stats --functions "$work/list" "$image" >"$work/page"

# "code names" of one object, which the sorted and indented lines make easy to cut out.
json_verdicts()
{
	sed -n '/^    "verdicts": {/,/}/s/^ *"\([a-z-]*\)": \([0-9]*\),*$/\1 \2/p' "$work/json" |
		grep -v ' 0$' | sort >"$work/json-verdicts"
	[ -s "$work/json-verdicts" ] && verdicts "$work/page" | sort | diff "$work/json-verdicts" -
}
expect "stats: --json has the verdicts of the page" json_verdicts
for key in file machine units functions suffixes parameters inline_sites types bytes; do
	expect "stats: --json has $key" grep -q "^  \"$key\": " "$work/json"
done

# Where the bytes are: of what encode writes the same is said, and bytes of kinds and strings are all of it.
check_sizes()
{
	"$BTFENC" encode -o "$work/btf" "$image" && "$BTFENC" stats --json "$work/btf" >"$work/alone" &&
		"$BTFENC" stats "$work/btf" | sed -n '/^WHERE/,$p' >"$work/alone-page" &&
		sed -n '/^WHERE/,$p' "$work/page" | diff - "$work/alone-page" &&
		python3 -c '
import json, os, sys
whole, alone = (json.load(open(name)) for name in sys.argv[1:3])
sizes = alone["sizes"]
assert sizes == whole["sizes"], sizes
assert sum(row["bytes"] for row in sizes["by_kind"]) == sizes["types"], sizes["types"]
assert sum(row["count"] for row in sizes["by_kind"]) == alone["types"]["btf"]
assert sizes["header"] + sizes["types"] + sizes["strings"] == os.path.getsize(sys.argv[3])
assert sizes["longest_strings"][0]["text"] and len(sizes["largest_types"]) == 10' \
			"$work/json" "$work/alone" "$work/btf"
}
if have python3 "stats: sizes"; then
	expect "stats: sizes" check_sizes
fi
expect "stats: --json: early_setup, level_one and others are inlined" \
	grep -q '"inlined-only": [1-9]' "$work/json"
expect "stats: --json: two kinds of suffixes in clones.c" sh -c "tr -d '\n ' <'$work/json' |
	grep -q '\"isra\":{\"instances\":[1-9][0-9]*,\"symbols\":[1-9]'"
if have python3 "stats: --json is JSON"; then
	expect "stats: --json is JSON" python3 -c 'import json, sys; json.load(sys.stdin)' <"$work/json"
	# An umlaut stays; a lone byte and a character without its end become U+FFFD, byte by byte.
	odd=$work/$(printf '\303\274b\351r\343\201')
	ln -s "$image" "$odd"
	"$BTFENC" stats --json "$odd" >"$work/json-odd"
	expect "stats: --json: a name that is not UTF-8" python3 -c '
import json, sys
name = json.loads(open(sys.argv[1], "rb").read().decode("utf-8", "strict"))["file"]
assert name.endswith("/\u00fcb\ufffdr\ufffd\ufffd"), ascii(name)' "$work/json-odd"
fi

# ---- the command line ----

run_group=stats
cp "$image" "$work/itself"
"$BTFENC" encode -o "$work/base" "$image"
cp "$work/base" "$work/base.kept"
run --help 0 '*' '' stats --help
refusals 2 stats <<'EOT'
no file|stats: no FILE is given; see *|
two files|stats: one FILE at a time, not also *; see *|$image $image
unknown long option|stats: --what is not an option; see *|--what $image
unknown short option|stats: -z is not an option; see *|-z $image
-j text|stats: -j needs a number up to 256, not 'x'; *|-j x $image
-j negative|stats: -j needs a number *, not '-1'; *|-j -1 $image
-j too big|stats: -j needs a number *, not '257'; *|-j 257 $image
--functions without a name|stats: --functions needs an argument; *|$image --functions
unknown feature|*'nope' is unknown; *|--features=nope $image
two outputs on stdout|stats: --json and --functions - both need *|--json --functions - $image
the list over the input|stats: OUT is FILE itself *|--functions $work/itself $work/itself
the list over a base|stats: OUT is BASE itself *|-b $work/base --functions $work/base $image
EOT
refusals 3 stats <<'EOT'
missing file|/missing: cannot open: No such file *|/missing
not a vmlinux|*: is not an ELF file; *|tests/stats.sh
a list of BTF alone|*btf: has no DWARF, of which --functions is made; *|--functions $work/l $work/btf
the list in a missing directory|*nowhere/list: *: No such file*|--functions $work/nowhere/list $image
EOT
expect "stats: the input is still there" cmp "$image" "$work/itself"
expect "stats: the base is still there" cmp "$work/base.kept" "$work/base"
run "the list on a full disk" 3 '*' 'btfenc: /dev/full: cannot write: No space left*' \
	stats --functions /dev/full "$image"
for option in '' --json '--functions -'; do
	# shellcheck disable=SC2086 # one or two words
	"$BTFENC" stats $option "$image" 2>"$work/stderr" >/dev/full
	[ $? -eq 3 ] && [ "$(wc -l <"$work/stderr")" -eq 1 ]
	outcome $? "stats $option: a full disk is an error" "$work/stderr"
done

"$BTFENC" stats --functions - "$image" >"$work/stdout"
expect "stats: --functions - prints the list and nothing else" cmp "$work/list" "$work/stdout"
"$BTFENC" --stats "$image" >"$work/stdout"
expect "stats: --stats is a synonym" same_text "$work/page" "$work/stdout"
"$BTFENC" stats --jobs=0 --features default "$image" >"$work/stdout"
expect "stats: other spellings" same_text "$work/page" "$work/stdout"
# A pipe gets no colour; nothing ends in blanks.
expect "stats: no colour in a file" lacks_line "$(printf '\033')" "$work/page"
expect "stats: no blanks at the end of a line" lacks_line ' $' "$work/page"
if script -qec true /dev/null >/dev/null 2>&1; then
	script -qec "'$BTFENC' stats '$image'" /dev/null </dev/null >"$work/stdout"
	expect "stats: colour on a terminal" grep -q "$(printf '\033')" "$work/stdout"
	NO_COLOR=1 script -qec "'$BTFENC' stats '$image'" /dev/null </dev/null >"$work/stdout"
	grep -q functions "$work/stdout" || : >"$work/stdout"
	expect "stats: unless NO_COLOR" lacks_line "$(printf '\033')" "$work/stdout"
else
	skip "stats: colour on a terminal" "script(1) makes none here"
fi
