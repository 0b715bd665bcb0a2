# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""usage: explain_text.py BTFENC NAMES ARGUMENT...: does the text of `explain NAME ARGUMENT...` say what its JSON says?

NAMES is a file with a name in each line. Exit status: 0 it does; 1 it does not, or nothing was compared."""
import collections
import json
import subprocess
import sys

btfenc, names, *arguments = sys.argv[1:]
counts = collections.Counter()
wrong = []


def explained(*options):
    return subprocess.run([btfenc, "explain", "-j1", *options, *arguments], capture_output=True, text=True).stdout


def check(kind, name, good):
    counts[kind] += 1
    if not good:
        wrong.append(f"{name}: {kind}")


def compare(name, text, answer):
    head, _, inlined = text.partition("\n  inlined at ")
    lines = head.splitlines()
    sites = [line for line in inlined.splitlines() if line.startswith(("  p:", "  # no kprobe"))]
    entries = [line for line in lines if line.startswith("  at ")]
    check("answer", name, lines[0].endswith(answer["answer"]))
    if answer["prototype"]:
        check("prototype", name, "  " + answer["prototype"] in lines)
    if answer["declared"] and answer["declared"]["line"]:
        check("declared", name, f"  {answer['declared']['file']}:{answer['declared']['line']}" in lines)
    for reason in answer["reasons"] if len(answer["reasons"]) > 1 else ():
        check("reason", name, any(line.startswith(f"  {reason['code']}: ") for line in lines))
    for advice in answer["advice"]:
        check("advice", name, any(line[12:] == advice["text"] for line in lines))
    check("instances", name, len(entries) == len(answer["instances"]))
    for entry, instance in zip(entries, answer["instances"]):
        check("address", name, f" {instance['address']}" in entry)
        for parameter in instance["parameters"]:
            cells = [parameter[key] for key in ("name", "found", "state") if parameter[key]]
            check("parameter", name, any(all(cell in line for cell in cells) for line in lines))
    check("sites", name, len(sites) == len(answer["inline_sites"][:20]))
    for line, site in zip(sites, answer["inline_sites"]):
        check("probe" if site["kprobe"] else "no probe", name, line.startswith("  p:") == (site["kprobe"] is not False))
        if site["kprobe"]:
            check("fetch", name, all(f" {value}" in line for value in (site["place"], site["fetch"]) if value))
            check("notrace", name, site["notrace"] == ("CONFIG_KPROBE_EVENTS_ON_NOTRACE" in line))


for name in open(names).read().split():
    parts = explained(name).split("\nanother function ")
    answer = json.loads(explained("--json", name))
    for text, one in zip(parts, [answer, *answer["namesakes"]]):
        compare(name, text, one)
    check("functions", name, len(parts) == 1 + len(answer["namesakes"]))
print("\n".join(wrong[:20]))
print(f"{sum(counts.values())} facts, {len(wrong)} wrong:", ", ".join(f"{counts[kind]} {kind}" for kind in sorted(counts)))
sys.exit(bool(wrong) or not counts["probe"] or not counts["advice"])
