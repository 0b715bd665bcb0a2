#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Makes a kernel's image, as far as it is read without booting it.

pack_image.py bzimage|zboot|image IN OUT

IN is the payload, compressed or not; of image, the BTF that is in it.
"""
import struct
import sys

kind, source, out = sys.argv[1:]
with open(source, "rb") as file:
    payload = file.read()
if kind == "bzimage":
    # One sector for booting and three of setup; in what follows the payload begins at 0x2cc.
    head = bytearray(4 * 512 + 0x2CC)
    head[0x1F1] = 3
    head[0x1FE:0x208] = b"\x55\xaa\xeb\x6aHdrS\x0f\x02"
    # Since 6.6 the mark of images of arm64 is there, too.
    head[0:2], head[56:60] = b"MZ", b"\xcd\x23\x82\x81"
    # The size that comes out is after it, and the end of the program.
    payload += struct.pack("<I", 1 << 20)
    struct.pack_into("<II", head, 0x248, 0x2CC, len(payload))
    image = bytes(head) + payload + bytes(64)
elif kind == "zboot":
    head = bytearray(1024)
    head[0:8], head[24:28], head[56:60] = b"MZ\0\0zimg", b"gzip", b"\xcd\x23\x82\x81"
    struct.pack_into("<II", head, 8, len(head), len(payload))
    image = bytes(head) + payload + bytes(64)
else:
    head = bytearray(64)
    head[0:2], head[56:60] = b"MZ", b"ARM\x64"
    # What only looks like BTF: too long, without types, with other strings.
    traps = [struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, *rest) + bytes(8) for rest in
             ((0, 1 << 30, 1 << 30, 8), (0, 4, 4, 0), (4, 4, 4, 4), (0, 8, 4, 4), (0, 0, 0, 1))]
    traps.append(struct.pack("<HBBIIIII", 0xEB9F, 1, 0, 24, 0, 4, 4, 4) + b"\0\0\0\0\0abc" + bytes(4096))
    image = bytes(head) + b"code" * 1000 + b"".join(traps) + payload + b"more code"
with open(out, "wb") as file:
    file.write(image)
