#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Runs tests, as many at a time as there are cores, and counts their cases.

usage: run.py TEST...

A TEST is a script (NAME.sh), a compiled program of cmocka (unit_*), or one that compares two ways of
reading a file (compare_*), whose cases are the fixtures. Cases are cmocka's lines, or a script's "ok - ",
"not ok - " and "skip - ". The output of each test is kept together; of several tests the cases that are
good are only counted. Every half minute a line says what is at work. At the end: seconds per test, the
slowest last; why cases were skipped; what failed, and the command that repeats it; the total.

	CASE=PATTERN		only these cases, as the shell matches names; of a script, "SCRIPT: " before them may be left out
	TEST_JOBS=N		so many at a time
	TEST_LIMIT=SECONDS	a test that takes longer is ended, with all that it started
	AGAIN=COMMAND		what repeats a case, if "make test T=NAME" does not
	VERBOSE=1		all lines of all tests

Exit status: 0 all passed, 1 otherwise.
"""
import collections
import fnmatch
import glob
import os
import re
import selectors
import shlex
import signal
import subprocess
import sys
import time

HEARTBEAT_S = 30
GRACE_S = 10	# between SIGTERM, at which scripts remove their files, and SIGKILL
CASE = os.environ.get("CASE", "")
LIMIT_S = int(os.environ.get("TEST_LIMIT") or 900)
JOBS = int(os.environ.get("TEST_JOBS") or len(os.sched_getaffinity(0)))
RESULT = re.compile(r"(?P<script>ok|not ok|skip) - (?P<case>.*)"
                    r"|\[ +(?P<cmocka>OK|FAILED|SKIPPED) +\] (?P<test>[A-Za-z_]\w*)$")
OUTCOME = {"ok": "passed", "not ok": "failed", "skip": "skipped",
           "OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
# What this make tells its children is not for the makes that tests run.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
ENVIRONMENT["CMOCKA_MESSAGE_OUTPUT"] = "STDOUT"


class Failure:
    """A case that failed, and the lines that say why."""

    def __init__(self, case, lines):
        self.case, self.lines = case, lines


class Test:
    """One test while it runs, and what it has printed."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.cases = {}		# name: outcome; cmocka prints a failure twice
        self.skips, self.failures, self.lines = [], [], []
        self.begun, self.seconds, self.timed_out, self.process = 0.0, 0.0, False, None

    def command(self):
        if self.name.endswith(".sh"):
            return ["sh", self.path]
        if self.name.startswith("compare_"):
            return [sys.executable, os.path.abspath(__file__), "--fixtures", self.path]
        return [self.path]

    def start(self):
        self.begun = time.monotonic()
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=ENVIRONMENT, start_new_session=True)

    def age(self):
        return time.monotonic() - self.begun

    def take(self, line):
        # A script goes on after what it cannot run: its cases would be missed by nobody.
        if re.fullmatch(re.escape(self.path) + r": \d+: .*: not found", line):
            line = f"not ok - {line}"
        self.lines.append(line)
        match = RESULT.match(line)
        if match:
            case = match["case"] if match["script"] else match["test"]
            if self.cases.get(case) != "failed":
                self.cases[case] = OUTCOME[match["script"] or match["cmocka"]]
            if match["script"] == "skip":
                self.skips.append(case.rpartition(": ")[2])

    def kill(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def count(self, outcome):
        return sum(each == outcome for each in self.cases.values())

    def finish(self):
        """After the end of its output."""
        status = self.process.wait()
        self.kill(signal.SIGKILL)	# what it has left behind
        self.seconds = self.age()
        problem = None
        if self.timed_out:
            problem = f"it did not end within {LIMIT_S} s"
        elif status and not self.count("failed"):
            # A crash, or a script that stops half-way, must not pass for its last good case.
            problem = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        elif not self.cases and not CASE:
            problem = "it ran no cases"
        if problem:
            self.take(f"not ok - {self.name}: {problem}")
        self.failures = list(self.why_failed())

    def why_failed(self):
        """A script says why below the case, cmocka above it."""
        for at, line in enumerate(self.lines):
            match = RESULT.match(line)
            if not match or (match["script"] or match["cmocka"]) not in ("not ok", "FAILED"):
                continue
            if match["script"]:
                end = at + 1
                while end < len(self.lines) and self.lines[end].startswith("    "):
                    end += 1
                yield Failure(match["case"], self.lines[at + 1:end] or self.lines[max(at - 8, 0):at])
            else:
                begin = at
                while begin and not self.lines[begin - 1].startswith("[") and at - begin < 40:
                    begin -= 1
                if begin < at or self.lines[at - 1].startswith("[ RUN"):
                    yield Failure(match["test"], self.lines[begin:at])

    def again(self, case):
        # What make or the shell would read in it is any character.
        pattern = re.sub(r"[^\w .,:;=+/<>()-]", "?", case)
        short = self.name[:-len(".sh")] if self.name.endswith(".sh") else self.name
        command = os.environ.get("AGAIN") or f"make test T={short}"
        return command if case.startswith(self.name) else f"{command} CASE={shlex.quote(pattern)}"

    def summary(self):
        return (f"{self.name}: {self.count('passed')} passed, {self.count('failed')} failed, "
                f"{self.count('skipped')} skipped in {self.seconds:.0f} s")


def uninteresting(line):
    match = RESULT.match(line)
    return line.startswith("[ RUN ") or (match and (match["script"] == "ok" or match["cmocka"] == "OK"))


def say(text):
    print(text, flush=True)


class Run:
    def __init__(self, paths):
        self.waiting = collections.deque(Test(path) for path in paths)
        self.everything = list(self.waiting)
        self.running = {}	# the descriptor of its output: (test, what of a line has come)
        self.selector = selectors.DefaultSelector()
        self.streams = len(paths) == 1
        self.verbose = self.streams or bool(os.environ.get("VERBOSE")) or bool(CASE)

    def start(self):
        test = self.waiting.popleft()
        test.start()
        if self.streams:
            say(f"== {test.name}")
        descriptor = test.process.stdout.fileno()
        self.running[descriptor] = [test, b""]
        self.selector.register(descriptor, selectors.EVENT_READ)

    def read(self, descriptor):
        entry = self.running[descriptor]
        data = os.read(descriptor, 1 << 16)
        *lines, entry[1] = (entry[1] + data).split(b"\n")
        if not data and entry[1]:
            lines.append(entry[1])
        for line in lines:
            text = line.decode(errors="backslashreplace")
            entry[0].take(text)
            if self.streams and not text.startswith("[ RUN "):
                say(text)
        if not data:
            self.end(descriptor)

    def end(self, descriptor):
        test = self.running.pop(descriptor)[0]
        self.selector.unregister(descriptor)
        known = len(test.lines)
        test.finish()
        if self.streams:
            shown = test.lines[known:]
        else:
            shown = [line for line in test.lines if not uninteresting(line) or self.verbose]
            if shown:
                say(f"== {test.name}")
        for line in shown:
            say(line)
        test.process.stdout.close()
        say(f"== {test.summary()}")

    def check_limits(self):
        for test, _ in self.running.values():
            if test.age() > LIMIT_S + GRACE_S:
                test.kill(signal.SIGKILL)
            elif test.age() > LIMIT_S and not test.timed_out:
                test.timed_out = True
                test.kill(signal.SIGTERM)

    def go(self):
        begun = beaten = time.monotonic()
        while self.waiting or self.running:
            while self.waiting and len(self.running) < JOBS:
                self.start()
            for key, _ in self.selector.select(timeout=1):
                self.read(key.fd)
                beaten = time.monotonic() if self.streams else beaten
            self.check_limits()
            if time.monotonic() - beaten > HEARTBEAT_S and self.running:
                beaten = time.monotonic()
                at_work = ", ".join(f"{test.name} ({test.age():.0f} s, {len(test.cases)} cases)"
                                    for test, _ in self.running.values())
                say(f"== {beaten - begun:.0f} s: {at_work}; {len(self.waiting)} to come")

    def stop(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            for test, _ in self.running.values():
                test.kill(number)
            time.sleep(0.3)

    def report(self):
        tests = sorted(self.everything, key=lambda test: test.seconds)
        if len(tests) > 1:
            say("== seconds")
            quick = [test for test in tests if test.seconds < 1]
            if quick:
                say(f"    {sum(test.seconds for test in quick):5.0f}  {len(quick)} others")
            for test in tests[len(quick):]:
                say(f"    {test.seconds:5.0f}  {test.name}")
        skips = collections.Counter(reason for test in self.everything for reason in test.skips)
        if skips:
            say("== skipped, by reason")
            for reason, count in skips.most_common():
                say(f"    {count:5}  {reason}")
        # Indented, since whoever counts the lines of the cases has counted them.
        if any(test.failures for test in self.everything):
            say("== failed")
            for test in self.everything:
                for failure in test.failures:
                    say(f"    {test.name}: {failure.case}")
                    for line in failure.lines[-20:]:
                        say(f"        {line.strip()}")
                    say(f"      again: {test.again(failure.case)}")
        total = [sum(test.count(outcome) for test in self.everything)
                 for outcome in ("passed", "failed", "skipped")]
        if CASE and not any(total):
            say(f"not ok - no case matches {CASE!r}")
            total[1] = 1
        say("{} passed, {} failed, {} skipped".format(*total))
        return 1 if total[1] else 0


def compare_fixtures(program):
    """Each fixture is one case of a compare_* program."""
    failed = False
    name = os.path.basename(program)
    for image in sorted(glob.glob(os.path.join(os.environ["FIXTURES"], "*", "vmlinux"))):
        case = f"{name}: {os.path.basename(os.path.dirname(image))}"
        if CASE and not any(fnmatch.fnmatchcase(each, CASE) for each in (case, case.partition(": ")[2])):
            continue
        ran = subprocess.run([program, image], stdout=subprocess.PIPE, text=True, errors="backslashreplace",
                             check=False)
        if ran.returncode == 0:
            say(f"ok - {case}")
            continue
        failed = True
        say(f"not ok - {case}")
        say(f"    {program} {image}: exit status {ran.returncode}")
        for line in ran.stdout.splitlines()[:20]:
            say(f"    {line}")
    return failed


def main():
    if sys.argv[1:2] == ["--fixtures"]:
        return compare_fixtures(sys.argv[2])
    if not sys.argv[1:]:
        print("usage: run.py TEST... (no test has a name like T, which is a pattern)", file=sys.stderr)
        return 2
    run = Run(sys.argv[1:])

    def stop(number, _):
        run.stop()
        sys.exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    run.go()
    return run.report()


sys.exit(main())
