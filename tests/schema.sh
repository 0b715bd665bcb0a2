#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# What the commands print as JSON is what docs/schema says, of all fixtures: the schemas leave no
# key open, so a key that is not in one is found here.
. tests/lib.sh

python3 -c 'import jsonschema' 2>/dev/null || {
	skip "schema" "$(not_installed python3-jsonschema)"
	exit 0
}

count=0
# keep SCHEMA COMMAND...: keeps the answer, which is to be JSON of that schema.
keep()
{
	schema=$1
	shift
	count=$((count + 1))
	mkdir -p "$work/$schema"
	"$BTFENC" "$@" >"$work/$schema/$count" 2>"$work/log"
	[ $? -le 1 ] || not_ok "schema: $*" "$work/log"
}

first=$FIXTURES/gcc12-dwarf5/vmlinux
echo 'drop_* # no tracer of ours
nothing # either' >"$work/allow"
"$BTFENC" stats --functions "$work/functions" "$first" >"$work/log"
for variant in gcc12-dwarf5 clang19-dwarf5 gcc12-lto gcc12-s390x; do
	image=$FIXTURES/$variant/vmlinux
	[ -s "$image" ] || continue
	keep stats stats --json "$image"
	keep diff diff --types --allow "$work/allow" --format json "$first" "$image"
	keep explain explain --json drop_middle "$image"
	keep explain explain --json drop_middle "$image" "$first"
	keep explain explain --json ticket_sold "$image"
	keep explain explain --json 'struct device' "$image"
	keep explain explain --json no_such_name "$image"
	keep list list --format json -f "$image"
	"$BTFENC" encode --features +inline,+func_secinfo=inline -o "$work/btf" "$image" \
		2>"$work/log"
	keep stats stats --json "$work/btf"
	keep explain explain --json --records drop_middle "$work/btf"
	keep explain explain --json ticket_sold "$work/btf"
	keep list list --format json -f "$work/btf"
	keep diff diff --format json "$work/btf" "$work/functions"
done
keep explain explain --json device.name "$first" "$work/btf"
keep explain explain --json 'struct no_such' "$first" "$work/btf"
keep explain explain --json 'struct device' "$first" "$work/btf"
keep explain explain --json flavor_t.FLAVOR_SALT "$first" "$work/btf"
for schema in stats diff explain list; do
	expect "schema: $schema" valid_json $schema "$work/$schema"/*
done

# The checks find what they are for.
"$BTFENC" list --format json -f "$first" drop_middle >"$work/json"
sed 's/"kfunc"/"other"/' "$work/json" >"$work/other"
expect "schema: another key is found" sh -c "! python3 tests/json_schema.py docs/schema/list.json \
	'$work/other' >'$work/log' && grep -q \"'kfunc' is a required\\|'other' was unex\" '$work/log'"
sed 's/"additionalProperties": false,//' docs/schema/list.json >"$work/list.json"
expect "schema: a schema that leaves keys open is found" sh -c "! python3 tests/json_schema.py \
	'$work/list.json' '$work/json' >'$work/log' && grep -q 'has no \"additional' '$work/log'"
