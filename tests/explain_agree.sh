#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# btfenc explain gives the same answers by DWARF and by the records that encode makes of it: the
# probe arguments of every instance and inline site of every fixture (tests/tool_explain.c).
. tests/lib.sh

for image in "$FIXTURES"/*/vmlinux; do
	variant=${image%/vmlinux}
	variant=${variant##*/}
	[ -s "$image" ] || continue
	cp "$image" "$work/encoded"
	"$BTFENC" encode --features +func_secinfo=inline "$work/encoded" >"$work/log" 2>&1 &&
		"$TEST_PROGRAMS/tool_explain" "$image" "$work/encoded" >>"$work/log" 2>&1
	outcome $? "explain_agree: $variant: $(tail -n 1 "$work/log")" "$work/log"
done

# Text and JSON say the same of every function.
image=$FIXTURES/gcc12-dwarf5/vmlinux
if [ -s "$image" ] && have python3 "explain_agree: text and JSON"; then
	"$BTFENC" list -f "$image" --format names >"$work/names"
	expect "explain_agree: text and JSON" python3 tests/explain_text.py "$BTFENC" "$work/names" "$image"
	cp "$work/expect.log" "$work/facts"
	expect "explain_agree: with sites that take no kprobe" grep -q ' [1-9][0-9]* no probe' "$work/facts"
fi

# The records of one image are not those of another.
image=$FIXTURES/gcc12-dwarf5/vmlinux other=$FIXTURES/clang19-dwarf5/vmlinux
if [ -s "$image" ] && [ -s "$other" ]; then
	cp "$other" "$work/encoded"
	"$BTFENC" encode --features +func_secinfo=inline "$work/encoded" >"$work/log" 2>&1
	"$TEST_PROGRAMS/tool_explain" "$image" "$work/encoded" >"$work/log" 2>&1
	expect "explain_agree: another image's records differ" [ $? -eq 1 ]
fi
