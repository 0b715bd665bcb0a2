#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""What explain says of tracepoints' arguments, before the verifier of the running kernel.

usage: tracepoint_args.py BTFENC NAME...

For each argument of each tracepoint a BPF program is loaded that reads it, and one that reads what
it points to. The first is refused if and only if explain says so, unless it does not know; the second is
refused where it says "number". Exit status: 0 all are right, 1 some are not, 75 no program can be loaded here.
"""
import ctypes
import json
import os
import struct
import subprocess
import sys

BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280, "s390x": 351, "ppc64le": 361}
TRACING, RAW_TP = 26, 23
libc = ctypes.CDLL(None, use_errno=True)


def load(btf_id, code):
    """Instructions (opcode, registers, offset, immediate) as a program on btf_trace_NAME."""
    data = b"".join(struct.pack("<BBhi", *i) for i in code)
    instructions, licence = ctypes.create_string_buffer(data), ctypes.create_string_buffer(b"GPL")
    attr = bytearray(144)
    struct.pack_into("<IIQQ", attr, 0, TRACING, len(code), ctypes.addressof(instructions),
                     ctypes.addressof(licence))
    struct.pack_into("<I", attr, 68, RAW_TP)     # expected_attach_type
    struct.pack_into("<I", attr, 108, btf_id)    # attach_btf_id
    buffer = (ctypes.c_char * len(attr)).from_buffer(attr)
    fd = libc.syscall(BPF[os.uname().machine], 5, buffer, len(attr))
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def typedefs(path):
    """Names and ids of all TYPEDEFs."""
    data = open(path, "rb").read()
    head, types, types_bytes, strings = struct.unpack_from("<IIII", data, 4)[:4]
    extra = {1: 4, 3: 12, 14: 4, 17: 4}
    each = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
    at, end, found, number = head + types, head + types + types_bytes, {}, 1
    while at < end:
        name, info = struct.unpack_from("<II", data, at)
        kind, count = info >> 24 & 31, info & 0xffff
        if kind == 8:
            start = head + strings + name
            found[data[start:data.index(b"\0", start)].decode()] = number
        at += 12 + extra.get(kind, 0) + each.get(kind, 0) * count
        number += 1
    return found


def main():
    try:
        ids = typedefs("/sys/kernel/btf/vmlinux")
    except OSError as error:
        print(error)
        return 75
    exits = [(0xb7, 0, 0, 0), (0x95, 0, 0, 0)]
    checked, wrong = 0, []
    if not load(ids.get("btf_trace_sched_switch", 0), exits):
        print("cannot load a BPF program:", os.strerror(ctypes.get_errno()))
        return 75
    for name in sys.argv[2:]:
        answer = json.loads(subprocess.run([sys.argv[1], "explain", "--json", "tp_btf/" + name],
                                           stdout=subprocess.PIPE, check=True).stdout)
        for i, argument in enumerate(answer["tracepoint"]["arguments"]):
            read = (0x79, 0x12, 8 * i, 0)        # r2 = *(u64 *)(r1 + 8 * i)
            btf_id, state = ids["btf_trace_" + name], argument["state"]
            is_read = load(btf_id, [read] + exits)
            is_followed = load(btf_id, [read, (0x71, 0x23, 0, 0)] + exits)
            checked += 1
            if (state != "unknown" and is_read != (state != "refused")) or (state == "number" and is_followed):
                wrong.append(f"{name}: {argument}: read {is_read}, followed {is_followed}")
    print(checked, "arguments")
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
