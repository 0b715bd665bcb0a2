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
	if "$BTFENC" encode --features +func_secinfo=inline "$work/encoded" >"$work/log" 2>&1 &&
	   "$TEST_PROGRAMS/tool_explain" "$image" "$work/encoded" >>"$work/log" 2>&1; then
		ok "explain_agree: $variant: $(tail -n 1 "$work/log")"
	else
		not_ok "explain_agree: $variant" "$work/log"
	fi
done

# Text and JSON agree on each site: no kprobe there (.init.text is freed), or one, or it is not known.
agree()
{
	"$BTFENC" list -f "$1" --format names >"$work/names" && python3 - "$BTFENC" "$1" "$work/names" <<'EOT'
import json, subprocess, sys
btfenc, image, names = sys.argv[1:]
sites = refused = wrong = 0
for name in open(names).read().split():
    text, answer = (subprocess.run([btfenc, "explain", "-j1", *option, name, image], capture_output=True, text=True).stdout
                    for option in ([], ["--json"]))
    _, _, lines = text.partition("\n  inlined at ")
    said = lines.count("\n  # no kprobe")
    shown = [site["kprobe"] for site in json.loads(answer)["inline_sites"][:20]]
    sites, refused = sites + len(shown), refused + said
    if said != shown.count(False):
        wrong += 1
        print(f"{name}: {said} refused in the text, in JSON {shown}")
print(f"{sites} sites, {refused} without a kprobe, {wrong} names with other answers")
sys.exit(wrong > 0 or not refused)
EOT
}
image=$FIXTURES/gcc12-dwarf5/vmlinux
[ ! -s "$image" ] || ! have python3 "explain_agree: text and JSON" || expect "explain_agree: text and JSON" agree "$image"

# The records of one image are not those of another.
image=$FIXTURES/gcc12-dwarf5/vmlinux other=$FIXTURES/clang19-dwarf5/vmlinux
if [ -s "$image" ] && [ -s "$other" ]; then
	cp "$other" "$work/encoded"
	"$BTFENC" encode --features +func_secinfo=inline "$work/encoded" >"$work/log" 2>&1
	"$TEST_PROGRAMS/tool_explain" "$image" "$work/encoded" >"$work/log" 2>&1
	expect "explain_agree: another image's records differ" [ $? -eq 1 ]
fi
