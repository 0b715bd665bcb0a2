# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Runs a command with a terminal for its standard error, and prints what arrives there.

usage: terminal.py COMMAND ARGUMENT...

Standard output is the caller's. Control characters are printed as Python writes them.
"""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
with subprocess.Popen(sys.argv[1:], stderr=slave, stdin=subprocess.DEVNULL,
                      stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"}) as process:
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # the last slave was closed
            break
        if not part:
            break
        seen += part
print(repr(seen.decode(errors="replace"))[1:-1])
sys.exit(process.returncode)
