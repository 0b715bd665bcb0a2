# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""usage: compat_judge.py ANSWERS OBJECTS KERNEL WHOLE

What btfenc compat says of each object by KERNEL, and of each eighth by WHOLE, the same with DWARF, which takes longer,
or '', the running kernel with all it has, against ANSWERS, what libbpf and that kernel said (kbuild/object_load.c).
Prints counts and each disagreement; exit status 1 if there is one. A program that compat takes and the kernel refuses for
a reason that BTF does not show is counted apart, by the kernel's message; one that is not known is a disagreement.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

APART = (
    ("the object's user prepares it", r"no BTF-based attach target|missing BPF prog type|attach program FD|isn't referenced"
     r"|No such device|requires device-bound|failed to create|failed to initialize slot|\(strong\): not resolved"
     r"|is missing|elf: |failed to open|pattern is invalid|specification|is invalid |iterator: -E"),
    ("the machine", r"load failed: -EPERM$|failed to add legacy kprobe event|-ENOMEM|is not sleepable|system Kconfig|failed to get kernel version"),
    ("a helper or kfunc for other programs", r"cannot use helper|unknown func bpf_|calling kernel function .* is not allowed|program of this type"
     r"|not allowed in|helper call is not allowed"),
    ("the license", r"GPL"),
    # From 7.3 on the last line is what the verifier advises.
    ("the verifier", r"^ +(Add|Call|Make|Move|Pass|Use|destroy) |^(R\d|At program exit|arg#|Caller|BPF_EXIT|value |variable |tracing progs|function calls|dereference of|fp|a non-sleep)"
     r"|invalid (mem|bpf_context|access|read|write|indirect|size|argument)|irq|lock|leak|[Ss]leepable|unreleased|too (large|many|complex)"
     r"|RCU|kptr|tail_call|unknown opcode|call stack of|combined stack size|beyond the end of|timer pointer|infinite loop|back-edge|math between|must be|must have|exceed|are missing|use static function|BTF loading error|other operations that|Do not change|cannot |can't |expected|unsupported|reference"
     r"|[Uu]nreachable|not supported|allowed|The sequence|bounds|misaligned|min value|max value|jump out|verifier"),
)
# What libbpf says by itself: of that only the first two count.
LIBBPF = r"(prog|map|sec|extern|kernel) ?['(]|libbpf"
# Programs that hang where the kernel does not decide.
ELSEWHERE = r"u(ret)?probe|usdt|lirc_mode2"
# What BTF shows, though it looks like one of these.
SHOWN = r"CO-RE|kfunc .* wasn't resolved|not found|failed to find|Cannot find|unknown func unknown"


def apart(text, section):
    if re.match(ELSEWHERE, section):
        return APART[0][0]
    if not re.search(SHOWN, text):
        for name, pattern in APART[:2] if re.match(LIBBPF, text) else APART:
            if re.search(pattern, text):
                return name
    return None


def read(path):
    programs, values, closed = {}, collections.defaultdict(dict), set()
    for line in open(path, errors="replace"):
        row = line.rstrip("\n").split("\t")
        if row[0] == "open" and row[2] == "no":
            closed.add(row[1])
        elif row[0] == "program":
            programs[row[1], row[2]] = {"section": row[3]}
        elif row[0] in ("load", "attach"):
            programs[row[1], row[2]][row[0]] = (row[3], row[5] or "error " + row[4])
        elif row[0] == "value":
            value = None if row[5] == "poisoned" else int(row[5]) % 2**64
            values[row[1]][row[2], int(row[3])] = value, row[4]
    return programs, values, closed


def ask(job):
    run = subprocess.run([os.environ["BTFENC"], "compat", "--json", "--relocations", *filter(None, job)], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return run.stderr or f"exit status {run.returncode}, and no JSON"


class Table:
    def __init__(self):
        self.counts, self.wrong = collections.Counter(), []

    def add(self, what, outcome, why=""):
        self.counts[what, outcome] += 1
        if outcome.startswith("WRONG"):
            self.wrong.append(f"{what}: {outcome}: {why}")

    def judge(self, what, name, section, said, why, kernel):
        answer, text = kernel
        said = {True: "yes", False: "no", None: "not known"}[said]
        group = apart(text, section) if answer == "no" else None
        where = f"{name} ({section}): kernel: {text if answer == 'no' else answer}; compat: {why}"
        if said == "not known":
            self.add(what, f"not known, kernel {answer}")
        elif group == "the machine" or (said == "yes" and group):
            self.add(what, f"apart: {said}, refused by {group}")
        else:
            self.add(what, f"{said}, right" if said == answer else f"WRONG {said}", where)


def main(answers, objects, kernel, whole):
    programs, values, closed = read(answers)
    names = sorted({name for name, _ in programs} | closed)
    table = Table()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(os.path.join(objects, name), kernel if i % 8 else whole) for i, name in enumerate(names)]
        said = dict(zip(names, pool.map(ask, jobs)))
    for name in names:
        if name in closed or isinstance(said[name], str):
            ok = name in closed
            table.add("object", f"libbpf does not open it, compat {'refuses' if isinstance(said[name], str) else 'reads'} it"
                      if ok else "WRONG refused", f"{name}: {said[name]}")
    for (name, program), kernel_said in programs.items():
        if isinstance(said[name], str):
            continue
        row = next((p for p in said[name]["kernels"][0]["programs"] if p["name"] == program), None)
        if not row or row["section"] != kernel_said["section"]:
            table.add("program", "WRONG absent", f"{name} {program}: {row}")
            continue
        for what in ("load", "attach"):
            if kernel_said.get(what, "-")[0] != "-":
                table.judge(what, f"{name} {program}", row["section"], row[what], row["why"], kernel_said[what])
    for name, expected in values.items():
        if isinstance(said[name], str):
            continue
        found = {(r["section"], r["index"]): r for r in said[name]["relocations"]}
        for key, (value, kind) in expected.items():
            row = found.get(key)
            own = row and row["kernels"][0]["value"]
            own = own if own is None else own % 2**64
            table.add("relocation", "WRONG absent" if not row else "WRONG kind" if row["kind"] != kind else
                      ("poisoned, right" if own is None else "right") if own == value else "WRONG value",
                      f"{name} {key[0]} #{key[1]} {kind}: libbpf {value}, compat {own}, {row and row['spec']}")
    for (what, outcome), count in sorted(table.counts.items()):
        print(f"    {what:10} {outcome:60} {count:6}")
    print("\n".join(table.wrong))
    right = sum(count for (_, outcome), count in table.counts.items() if outcome.endswith("right"))
    return bool(table.wrong) or right < len(programs)


sys.exit(main(*sys.argv[1:5]))
