# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Changes the BTF of a module in place, as damage would: damage_btf.py MODULE SECTION HOW

HOW: magic, strings (the section begins elsewhere), kind (of the first type), id (of a type, greater than all ids), missing (a type of a
function), name (that is not there), tail (names begin in the middle of others), rename (a type), size (of a struct),
vermagic (of another release: SECTION is .modinfo), repeat (prints it with the last type 400000 times more),
large (prints it with enums of 17 MiB: few, because Linux 7.3 crashes when it loads a module with more than 1048575 types)
"""
import re
import struct
import subprocess
import sys

path, section, how = sys.argv[1:]
lines = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
at, size = [int(number, 16) for number in re.search(
    r"\] %s +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) " % re.escape(section), lines).groups()]
with open(path, "rb") as file:
    image = bytearray(file.read())
EXTRA_WORDS = {1: 1, 3: 3, 14: 1, 17: 1}
ELEMENT_WORDS = {4: 3, 5: 3, 6: 2, 13: 2, 15: 3, 19: 3}


def word(offset):
    return struct.unpack_from("<I", image, offset)[0]


def records():
    """The offset, name, kind and third word of each type."""
    begin = at + word(at + 4) + word(at + 8)
    end = begin + word(at + 12)
    while begin < end:
        name, info, third = struct.unpack_from("<III", image, begin)
        kind = info >> 24 & 0x1f
        yield begin, name, kind, third
        begin += 4 * (3 + EXTRA_WORDS.get(kind, 0) + ELEMENT_WORDS.get(kind, 0) * (info & 0xffff))


def put(offset, value):
    struct.pack_into("<I", image, offset, value)


def print_with(more):
    """The section, with these types after its own."""
    end = at + word(at + 4) + word(at + 8) + word(at + 12)
    put(at + 12, word(at + 12) + len(more))
    put(at + 16, word(at + 16) + len(more))
    sys.stdout.buffer.write(image[at:end] + more + image[end:at + size])
    sys.exit()


first = True
if how == "repeat":
    *_, (last, _, _, _) = records()
    print_with(bytes(image[last:at + word(at + 4) + word(at + 8) + word(at + 12)]) * 400000)
elif how == "large":
    function = next(name for _, name, kind, _ in records() if kind == 12)
    enum = struct.pack("<III", 0, 6 << 24 | 0xffff, 4) + struct.pack("<II", function, 1) * 0xffff
    print_with(enum * 35)
elif how == "magic":
    image[at] ^= 0xff
elif how == "strings":
    put(at + 16, word(at + 16) + 4)
elif how == "vermagic":
    release = image.index(b"vermagic=", at, at + size) + len("vermagic=")
    image[release] = ord("4")
else:
    strings = at + word(at + 4) + word(at + 16)
    for begin, name, kind, third in list(records()):
        if how == "kind" and first:
            put(begin + 4, 20 << 24)
        elif how == "id" and first and kind in (2, 8, 9, 10):
            put(begin + 8, 0xfffff0)
        elif how == "missing" and first and kind == 12:
            put(begin + 8, 0xffff0)
        elif how == "chain" and first and kind in (8, 9, 10):
            put(begin + 8, 0xffff0)
        elif how == "name" and first and kind in (1, 4, 12) and name:
            put(begin, 0x00fffff0)
        elif how == "tail" and kind in (4, 12) and name:
            put(begin, name + 1)
            continue
        elif how == "rename" and first and kind == 4:
            image[strings + name] = ord("Q")
        elif how == "size" and kind == 4:
            put(begin + 8, third + 4096)
            continue
        else:
            continue
        first = False
with open(path, "wb") as file:
    file.write(image)
