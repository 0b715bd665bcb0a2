#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Divides BTF with inline sites as `resolve_btfids --inline` of Linux 7.4 does, to the byte.

usage: split_inline.py DIRECTORY...
Each has `btf`, raw BTF with a layout section, or split from `base`, and `symbols`, names of functions, one
on each line; it gets `split` and `split.inline`.

Main are all types but LOC_PARAM, LOC_PROTO, LOCSEC, FUNC_PROTO and the FUNCs that only sites have:
a LOCSEC names them, no DECL_TAG, no symbol. What these refer to is main, too. The rest goes to
split.inline, which is split from `split`. Both keep the order of the types, take each string where a type
first needs it, and have the header of a libbpf that knows the layout section.
"""
import os
import struct
import sys

(INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO,
 VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64, LOC_PARAM, LOC_PROTO, LOCSEC) = range(1, 23)
# Words after the head: fixed, and for each of vlen.
FIXED = {INT: 1, ARRAY: 3, VAR: 1, DECL_TAG: 1, LOC_PARAM: 1}
EACH = {STRUCT: 3, UNION: 3, ENUM: 2, FUNC_PROTO: 2, DATASEC: 3, ENUM64: 3, LOC_PARAM: 1,
        LOC_PROTO: 1, LOCSEC: 3}
# Which words are references: in the head and what is fixed, in each element.
FIXED_REFS = {ARRAY: [3, 4]}
for with_type in (PTR, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO, VAR, DECL_TAG, TYPE_TAG):
    FIXED_REFS[with_type] = [2]
REFS = {STRUCT: [1], UNION: [1], FUNC_PROTO: [1], DATASEC: [0], LOC_PROTO: [0], LOCSEC: [0, 1]}
# Elements that begin with a name
NAMED = {STRUCT, UNION, ENUM, FUNC_PROTO, ENUM64}


class Record:
    def __init__(self, words):
        self.words = list(words)
        self.kind = words[1] >> 24 & 127
        self.refs = list(FIXED_REFS.get(self.kind, ()))
        self.names = [0]
        for start in range(3 + FIXED.get(self.kind, 0), len(words), EACH.get(self.kind, 1)):
            self.refs += [start + word for word in REFS.get(self.kind, ())]
            self.names += [start] if self.kind in NAMED else []


class Part:
    """`base` is what it is split from, or None."""

    def __init__(self, base=None):
        self.base, self.records, self.strings, self.offsets = base, [], b'', {}
        self.next_id = base.next_id if base else 1
        self.first_string = base.first_string + len(base.strings) if base else 0
        if not base:
            self.offset(b'')

    def offset(self, text):
        part = self
        while part:
            if text in part.offsets:
                return part.offsets[text]
            part = part.base
        self.offsets[text] = self.first_string + len(self.strings)
        self.strings += text + b'\0'
        return self.offsets[text]

    def text(self, offset):
        if offset < self.first_string:
            return self.base.text(offset)
        offset -= self.first_string
        return self.strings[offset:self.strings.index(b'\0', offset)]

    def write(self, path, order, layout):
        words = [word for record in self.records for word in record.words]
        types = struct.pack(f'{order}{len(words)}I', *words)
        at = len(types)
        head = struct.pack(f'{order}HBB7I', 0xeb9f, 1, 0, 32, 0, at, at + len(layout),
                           len(self.strings), at if layout else 0, len(layout))
        with open(path, 'wb') as file:
            file.write(head + types + layout + self.strings)


def read(path, base=None):
    """A part, the order of its bytes, and its layout section."""
    with open(path, 'rb') as file:
        data = file.read()
    order = '<' if data[:2] == b'\x9f\xeb' else '>'
    head, types, type_bytes, strings, string_bytes = struct.unpack_from(order + '5I', data, 4)
    layout, layout_bytes = struct.unpack_from(order + '2I', data, 24) if head == 32 else (0, 0)
    words = struct.unpack_from(f'{order}{type_bytes // 4}I', data, head + types)
    part, at = Part(base), 0
    part.strings = data[head + strings:][:string_bytes]
    offset = part.first_string
    for text in part.strings[:-1].split(b'\0'):
        part.offsets.setdefault(text, offset)
        offset += len(text) + 1
    while at < len(words):
        kind, count = words[at + 1] >> 24 & 127, words[at + 1] & 0xffffff
        end = at + 3 + FIXED.get(kind, 0) + EACH.get(kind, 0) * count
        part.records.append(Record(words[at:end]))
        part.next_id += 1
        at = end
    return part, order, data[head + layout:][:layout_bytes]


def main_records(part, first, symbols):
    """Indexes of the records that go to the first part."""
    tagged = {record.words[2] for record in part.records if record.kind == DECL_TAG}
    sites = {site for record in part.records if record.kind == LOCSEC for site in record.words[3::3]}
    pending = [i for i, record in enumerate(part.records)
               if record.kind < LOC_PARAM and record.kind != FUNC_PROTO and
               (first + i not in sites or first + i in tagged or part.text(record.words[0]) in symbols)]
    found = set(pending)
    while pending:
        record = part.records[pending.pop()]
        for target in (record.words[at] - first for at in record.refs):
            if target >= 0 and target not in found:
                found.add(target)
                pending.append(target)
    return found


def divide(folder):
    base = read(f'{folder}/base')[0] if os.path.exists(f'{folder}/base') else None
    source, order, layout = read(f'{folder}/btf', base)
    first = base.next_id if base else 1
    with open(f'{folder}/symbols', 'rb') as file:
        in_main = main_records(source, first, set(file.read().split()))
    ids = {}
    part, parts = base, []
    for is_main in (True, False):
        part = Part(part)
        parts.append(part)
        for i, record in enumerate(source.records):
            if (i in in_main) != is_main:
                continue
            for at in record.names:
                record.words[at] = part.offset(source.text(record.words[at]))
            ids[first + i] = part.next_id
            part.next_id += 1
            part.records.append(record)
        # libbpf has none; cilium/ebpf wants one.
        part.strings = part.strings or b'\0'
    for record in source.records:
        for at in record.refs:
            record.words[at] = ids.get(record.words[at], record.words[at])
        if record.kind == LOCSEC:
            sites = sorted(zip(record.words[3::3], record.words[5::3], record.words[4::3]))
            record.words[3:] = [word for site in sites for word in (site[0], site[2], site[1])]
    parts[0].write(f'{folder}/split', order, layout)
    parts[1].write(f'{folder}/split.inline', order, b'')


for name in sys.argv[1:]:
    divide(name)
