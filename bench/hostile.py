#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
#
# Makes ELF files whose DWARF or symbols are such that a plain loop in their reader is quadratic.
# Each case is one function below: what it makes of a number n.
#
# usage: hostile.py			lists the cases: NAME N, N being the size to measure
#        hostile.py NAME N FILE

import random
import struct
import sys

# ---- DWARF ----

(ARRAY, CLASS_, ENUM, FORMAL, MEMBER, POINTER, CU, STRUCT, TYPEDEF, UNION, INLINED, SUBRANGE,
 BASE, CONST, ENUMERATOR, SUBPROGRAM, VARIABLE, BLOCK, SUBROUTINE, TYPE_UNIT, CALL, CALL_PARAM,
 GNU_ANNOTATION, PARTIAL, IMPORTED) = (
    0x01, 0x02, 0x04, 0x05, 0x0d, 0x0f, 0x11, 0x13, 0x16, 0x17, 0x1d, 0x21, 0x24, 0x26, 0x28, 0x2e,
    0x34, 0x0b, 0x15, 0x41, 0x48, 0x49, 0x6000, 0x3c, 0x3d)

# Attributes with the form that is used here: ref4, strp, ...
NAME, NAME_STR, TYPE, SIZE, ENC = (0x03, 0x0e), (0x03, 0x08), (0x49, 0x13), (0x0b, 0x0b), (0x3e, 0x0b)
SIZE4 = (0x0b, 0x06)
OFFSET, LOW, HIGH, RANGES = (0x38, 0x0f), (0x11, 0x01), (0x12, 0x06), (0x55, 0x17)
ORIGIN, SPEC, LIST, EXPR = (0x31, 0x13), (0x47, 0x13), (0x02, 0x17), (0x02, 0x18)
PROTO, DECL, EXTERN, INLINE_ATTR = (0x27, 0x19), (0x3c, 0x19), (0x3f, 0x19), (0x20, 0x0b)
SIGNATURE, PRODUCER, LANG, CONST_VALUE = (0x49, 0x20), (0x25, 0x08), (0x13, 0x0b), (0x1c, 0x06)
ENTRY, CALL_ORIGIN, CALL_PC, CALL_VALUE = (0x52, 0x01), (0x7f, 0x13), (0x7d, 0x01), (0x7e, 0x18)
TYPE_OF_INFO, FRAME_BASE, IMPORT, CALL_ALL = (0x49, 0x10), (0x40, 0x18), (0x18, 0x10), (0x7a, 0x19)

CODE, DATA, PERCPU = 0x1000000, 0x4000000, 0x8000000

u32 = struct.Struct('<I').pack
u64 = struct.Struct('<Q').pack


def leb(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class File:
    """Units of DWARF 5 that share one abbreviation table; DIEs are bytes that the cases append."""

    def __init__(self):
        self.info, self.str, self.abbrev = bytearray(), bytearray(b'\0'), bytearray()
        self.codes, self.unit_begin = {}, 0
        self.extra = []		# (name, bytes, address, flags, type): further sections
        self.symbols = []	# (name, value, size, info, section): 1 is .text, 2 .data..percpu
        self.text = b''
        self.machine, self.kind = 62, 2

    def code(self, tag, children, *attributes):
        """The bytes of the abbreviation code."""
        key = (tag, children, attributes)
        if key not in self.codes:
            self.codes[key] = leb(len(self.codes) + 1)
            self.abbrev += self.codes[key] + leb(tag) + bytes([children])
            self.abbrev += b''.join(leb(at) + leb(form) for at, form in attributes) + b'\0\0'
        return self.codes[key]

    def name(self, text):
        at = len(self.str)
        self.str += text.encode() + b'\0'
        return u32(at)

    def die(self, tag, children, *values):
        """Values are (attribute, bytes). Returns the reference to the DIE: bytes of DW_FORM_ref4."""
        at = self.here()
        self.info += self.code(tag, children, *[value[0] for value in values])
        for value in values:
            self.info += value[1]
        return at

    def here(self):
        return u32(len(self.info) - self.unit_begin)

    def open(self, producer=b'GNU C', abbrev=0, type_unit=None, tag=CU, attributes=()):
        self.unit_begin = len(self.info)
        self.info += b'\0\0\0\0' + struct.pack('<HBBI', 5, 2 if type_unit else 1, 8, abbrev)
        if type_unit:
            self.info += u64(type_unit) + b'\0\0\0\0'
        self.die(tag, 1, (PRODUCER, producer + b'\0'), (LANG, b'\x0c'), *attributes)

    def end(self):
        """Of children, the unit's too."""
        self.info.append(0)

    def close(self):
        self.end()
        struct.pack_into('<I', self.info, self.unit_begin, len(self.info) - self.unit_begin - 4)

    def int_type(self):
        return self.die(BASE, 0, (NAME, self.name('int')), (SIZE, b'\4'), (ENC, b'\5'))

    def function(self, name, address, children=0, *values):
        return self.die(SUBPROGRAM, children, (NAME, self.name(name)), (LOW, u64(address)),
                        (HIGH, u32(16)), (PROTO, b''), *values)

    def symbol(self, name, value, size=16, info=0x12, section=1):
        self.symbols.append((name, value, size, info, section))

    def write(self, path):
        strings, table = bytearray(b'\0'), bytearray(24)
        for name, value, size, info, section in self.symbols:
            table += struct.pack('<IBBHQQ', len(strings), info, 0, section, value, size)
            strings += name.encode() + b'\0'
        text = self.text or b'\xc3' * 16
        sections = [('.text', text, CODE, 6, 1), ('.data..percpu', bytes(4096), PERCPU, 3, 1),
                    ('.debug_info', self.info, 0, 0, 1),
                    ('.debug_abbrev', self.abbrev + b'\0', 0, 0, 1),
                    ('.debug_str', self.str, 0, 0, 1)] + self.extra
        sections += [('.strtab', strings, 0, 0, 3), ('.symtab', table, 0, 0, 2)]
        names, headers, body = bytearray(b'\0'), bytearray(64), bytearray(64)
        for name, data, address, flags, kind in sections + [('.shstrtab', None, 0, 0, 3)]:
            at = len(names)
            names += name.encode() + b'\0'
            data = names if data is None else data
            body += bytes(-len(body) % 16)
            is_symbols = kind == 2
            headers += struct.pack('<IIQQQQIIQQ', at, kind, flags, address, len(body), len(data),
                                   len(sections) - 1 if is_symbols else 0,
                                   is_symbols, 1, 24 if is_symbols else 0)
            body += data
        body += bytes(-len(body) % 16)
        count = len(sections) + 2
        if count >= 0xff00:
            struct.pack_into('<QI', headers, 32, count, count - 1)
        struct.pack_into('<4sBBB9xHHIQQQIHHHHHH', body, 0, b'\x7fELF', 2, 1, 1, self.kind,
                         self.machine, 1, 0, 0, len(body), 0, 64, 0, 0, 64,
                         count if count < 0xff00 else 0,
                         count - 1 if count < 0xff00 else 0xffff)
        with open(path, 'wb') as out:
            out.write(body + headers)


# ---- cases ----

cases = {}


def case(size):
    def add(make):
        cases[make.__name__] = size, make
        return make
    return add


@case(100000)
def names_at_address(f, n):
    """Functions of different names, and their symbols, at one address."""
    f.open()
    for i in range(n):
        f.function(f'function_{i}', CODE)
        f.symbol(f'function_{i}', CODE)
    f.close()


@case(20000)
def suffixed(f, n):
    """Symbols of one base name, functions of that name at none of them."""
    f.open()
    for i in range(n):
        f.symbol(f'f.constprop.{i}', CODE + 32 * i)
        f.function('f', CODE + 32 * i + 8)
    f.close()


@case(20000)
def suffixed_by_dwarf(f, n):
    """Functions that have their suffixes by DWARF, too."""
    f.open()
    for i in range(n):
        f.symbol(f'f.isra.{i}', CODE + 32 * i, info=2)
        f.function(f'f.isra.{i}', CODE + 32 * i)
    f.close()


@case(20000)
def suffixed_instances(f, n):
    """One function with a parameter, whose instances are the clones."""
    f.open()
    reference = f.int_type()
    for i in range(n):
        f.symbol(f'f.isra.{i}', CODE + 32 * i, info=2)
        f.function('f', CODE + 32 * i, 1)
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
        f.end()
    f.close()


@case(40000)
def sections_of_btf(f, n):
    """Sections named .BTF, of which encode leaves one."""
    f.extra += [('.BTF', bytes(24), 0, 0, 1)] * n


@case(10000)
def long_types(f, n):
    """Instances with parameters whose types are long: pointers to functions with many parameters."""
    f.open()
    named = f.die(POINTER, 0, (TYPE, f.die(STRUCT, 0, (NAME, f.name('s' * 500)), (SIZE, b'\4'))))
    reference = f.die(SUBROUTINE, 1, (PROTO, b''))
    for _ in range(130):
        f.die(FORMAL, 0, (TYPE, named))
    f.end()
    reference = f.die(POINTER, 0, (TYPE, reference))
    names = f.name('f'), f.name('p')
    for i in range(n):
        f.die(SUBPROGRAM, 1, (NAME, names[0]), (LOW, u64(CODE + 16 * i)), (HIGH, u32(16)),
              (PROTO, b''))
        for _ in range(3):
            f.die(FORMAL, 0, (NAME, names[1]), (TYPE, reference))
        f.end()
        f.symbol('f', CODE + 16 * i)
    f.close()


@case(100000)
def long_clones(f, n):
    """Clones of one function, whose prototype is long, without symbols: 17 bytes each."""
    f.open()
    named = f.die(POINTER, 0, (TYPE, f.die(STRUCT, 0, (NAME, f.name('s' * 500)), (SIZE, b'\4'))))
    abstract = f.die(SUBPROGRAM, 1, (NAME, f.name('f')), (PROTO, b''), (INLINE_ATTR, b'\1'))
    for _ in range(10):
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, named))
    f.end()
    for i in range(n):
        f.die(SUBPROGRAM, 0, (ORIGIN, abstract), (LOW, u64(CODE + 16 * i)), (HIGH, u32(16)))
    f.close()


@case(20000)
def suffixed_only(f, n):
    """The same, and one function, at none of the symbols."""
    f.open()
    f.function('f', CODE + 8)
    for i in range(n):
        f.symbol(f'f.isra.{i}', CODE + 32 * i, info=2)
    f.close()


@case(20000)
def suffixed_joined(f, n):
    """The same, but each function is at a symbol."""
    f.open()
    for i in range(n):
        f.symbol(f'f.constprop.{i}', CODE + 32 * i)
        f.function('f', CODE + 32 * i)
    f.close()


@case(20000)
def folded(f, n):
    """Definitions without code, of one name, and as many symbols and ranges of code."""
    f.open(attributes=((RANGES, u32(12)),))
    ranges = bytearray(12)
    for i in range(n):
        f.symbol('f', CODE + 32 * i)
        f.die(SUBPROGRAM, 0, (NAME, f.name('f')), (PROTO, b''))
        ranges += b'\7' + u64(DATA + 32 * i) + leb(16)
    f.extra.append(('.debug_rnglists', ranges + b'\0', 0, 0, 1))
    f.close()


@case(20000)
def folded_in_turn(f, n):
    """Units with and without code in turn, and between their code symbols of the name that each without has."""
    f.open()
    shared = len(f.info)
    f.int_type()
    f.close()
    for i in range(n):
        f.symbol('f', CODE + 32 * i + 16)
        f.open(attributes=((LOW, u64(CODE + 32 * i)), (HIGH, u32(1))) if i % 2 else ())
        f.die(POINTER, 0, (TYPE_OF_INFO, u32(shared)))
        f.die(SUBPROGRAM, 0, (NAME, f.name('f')), (PROTO, b''))
        f.close()


@case(40000)
def folded_units(f, n):
    """The same, of as many names in one unit, and of one in each of as many units after it."""
    def unit(names):
        f.open(attributes=((LOW, u64(CODE + 1)), (HIGH, u32(1))))
        for name in names:
            f.die(SUBPROGRAM, 0, (NAME, name), (PROTO, b''))
        f.close()
    unit([f.name(f'f{i}') for i in range(n)])
    name = f.name('g')
    for _ in range(n):
        unit([name])


@case(1000000)
def parameters(f, n):
    """Of functions with 60,000 each."""
    f.open()
    reference = f.int_type()
    formal = f.code(FORMAL, 0, NAME, TYPE) + f.name('p') + reference
    while n > 0:
        f.function(f'f{n}', CODE + 16 * n, 1)
        f.symbol(f'f{n}', CODE + 16 * n)
        f.info += formal * min(n, 60000)
        f.end()
        n -= 60000
    f.close()


@case(1000000)
def arguments(f, n):
    """As before, with locations, of code whose parameters are in the opposite order."""
    f.open()
    reference = f.int_type()
    formal = f.code(FORMAL, 0, NAME, TYPE) + f.name('p') + reference
    argument = f.code(FORMAL, 0, ORIGIN, EXPR)
    n //= 2
    while n > 0:
        abstract = f.die(SUBPROGRAM, 1, (NAME, f.name(f'f{n}')), (PROTO, b''),
                         (INLINE_ATTR, b'\1'))
        first = len(f.info) - f.unit_begin
        count = min(n, 60000)
        f.info += formal * count
        f.end()
        f.die(SUBPROGRAM, 1, (ORIGIN, abstract), (LOW, u64(CODE + 16 * n)), (HIGH, u32(16)))
        for i in reversed(range(count)):
            f.info += argument + u32(first + i * len(formal)) + b'\1\x55'
        f.end()
        f.symbol(f'f{n}', CODE + 16 * n)
        n -= count
    f.close()


@case(1000000)
def parameters_of_one(f, n):
    """More than BTF can say."""
    f.open()
    reference = f.int_type()
    formal = f.code(FORMAL, 0, NAME, TYPE) + f.name('p') + reference
    f.function('f', CODE, 1)
    f.symbol('f', CODE)
    f.info += formal * n
    f.end()
    f.close()


def chain(f, n, next_of, last_sizes, shuffle=1):
    names = [f.name(f's{i * shuffle % n}') for i in range(n)]
    for last in last_sizes:
        f.open()
        # What a pointer refers to is the struct 5 bytes after the pointer before it.
        f.member = f.name('next')
        begin = 0
        for i, name in enumerate(names):
            if not i:
                begin = len(f.info) - f.unit_begin
            target = next_of(i)
            f.info += f.code(POINTER, 0, TYPE)
            f.info += u32(begin + target * 22 + 5 if target is not None else 0)
            f.info += f.code(STRUCT, 1, NAME, SIZE) + name
            f.info += bytes([last if i == n - 1 else 8])
            f.info += f.code(MEMBER, 0, NAME, TYPE, OFFSET) + f.member
            f.info += u32(begin + 22 * i) + b'\0'
            f.end()
        f.close()


@case(20000)
def chain_two_units(f, n):
    """Structs in a chain; the last one differs in the second unit."""
    chain(f, n, lambda i: (i + 1) % n, (8, 16))


@case(20000)
def rings(f, n):
    """Rings of a thousand; in the second unit one struct differs."""
    chain(f, n, lambda i: i - 999 if i % 1000 == 999 or i == n - 1 else i + 1, (8, 16))


@case(20000)
def chain_shuffled(f, n):
    """Far jumps."""
    chain(f, n, lambda i: (i * 7919 + 1) % n, (8, 16), 7919)


def chain_of_turns(f, n, last):
    order = list(range(n))
    random.Random(1).shuffle(order)
    after = {order[i]: order[(i + 1) % n] for i in range(n)}
    chain(f, n, after.get, (last,))


@case(20000)
def turns_in_base(f, n):
    """A chain in any order, of which the base and the module differ in one struct."""
    chain_of_turns(f, n, 16)


@case(20000)
def turns_in_module(f, n):
    chain_of_turns(f, n, 8)


def variant_chain(f, n, link):
    """In one unit every name has two variants."""
    f.open()
    f.member = f.name('next')
    begin = len(f.info) - f.unit_begin
    names = [f.name(f's{i}') for i in range(n)]
    for variant in range(2):
        for i, name in enumerate(names):
            at = variant * n + i
            f.info += f.code(POINTER, 0, TYPE) + u32(begin + link(variant, i) * 22 + 5)
            f.info += f.code(STRUCT, 1, NAME, SIZE) + name
            f.info += bytes([8 + 8 * variant if i == n - 1 else 8])
            f.info += f.code(MEMBER, 0, NAME, TYPE, OFFSET) + f.member
            f.info += u32(begin + 22 * at) + b'\0'
            f.end()
    f.close()


@case(20000)
def chain_two_variants(f, n):
    variant_chain(f, n, lambda variant, i: variant * n + (i + 1) % n)


@case(20000)
def variants_crossed(f, n):
    """The variants refer to each other."""
    variant_chain(f, n, lambda variant, i: (1 - variant) * n + (i + 1) % n)


@case(10000)
def variants_in_units(f, n):
    """Two units with two variants of every name; structs have pointers to both of the next."""
    names = [f.name(f's{i}') for i in range(n)]
    for last in (8, 16):
        f.open()
        f.member = f.name('next')
        begin = len(f.info) - f.unit_begin
        for variant in range(2):
            for i, name in enumerate(names):
                for other in range(2):
                    f.info += f.code(POINTER, 0, TYPE)
                    f.info += u32(begin + (other * n + (i + 1) % n) * 37 + 10)
                f.info += f.code(STRUCT, 1, NAME, SIZE) + name
                f.info += bytes([8 + last + variant if i == n - 1 else 16 + variant])
                for other in range(2):
                    f.info += f.code(MEMBER, 0, NAME, TYPE, OFFSET) + f.member
                    f.info += u32(begin + 37 * (variant * n + i) + 5 * other) + bytes([8 * other])
                f.end()
        f.close()


@case(20000)
def one_name(f, n):
    """Different structs of one name in one unit."""
    f.open()
    reference, name = f.int_type(), f.name('s')
    for i in range(n):
        f.info += f.code(STRUCT, 1, NAME, SIZE) + name + b'\4'
        f.info += f.code(MEMBER, 0, NAME, TYPE, OFFSET) + f.name(f'm{i}') + reference + b'\0'
        f.end()
    f.close()


@case(20000)
def one_name_sizes(f, n):
    """Structs of one name in one unit, each of another size, and its pointer."""
    name = f.name('s')
    f.open()
    for i in range(n):
        reference = f.die(STRUCT, 0, (NAME, name), (SIZE4, u32(i + 1)))
        f.die(POINTER, 0, (TYPE, reference))
    f.close()


@case(20000)
def one_name_self(f, n):
    """Structs of one name in one unit, each pointing to the next."""
    name = f.name('s')
    chain_names = [name] * n
    f.open()
    f.member = f.name('next')
    begin = len(f.info) - f.unit_begin
    for i, name in enumerate(chain_names):
        f.info += f.code(POINTER, 0, TYPE) + u32(begin + (i + 1) % n * 22 + 5)
        f.info += f.code(STRUCT, 1, NAME, SIZE) + name + bytes([16 if i == n - 1 else 8])
        f.info += f.code(MEMBER, 0, NAME, TYPE, OFFSET) + f.member
        f.info += u32(begin + 22 * i) + b'\0'
        f.end()
    f.close()


@case(10000)
def name_in_units(f, n):
    """A different struct of one name in each unit, and one that refers to it."""
    s, t, p = f.name('s'), f.name('t'), f.name('p')
    for i in range(n):
        f.open()
        reference = f.int_type()
        inner = f.die(STRUCT, 1, (NAME, s), (SIZE, b'\4'))
        f.die(MEMBER, 0, (NAME, f.name(f'm{i}')), (TYPE, reference), (OFFSET, b'\0'))
        f.end()
        pointer = f.die(POINTER, 0, (TYPE, inner))
        f.die(STRUCT, 1, (NAME, t), (SIZE, b'\x08'))
        f.die(MEMBER, 0, (NAME, p), (TYPE, pointer), (OFFSET, b'\0'))
        f.end()
        f.close()


@case(20000)
def forward(f, n):
    """Declarations of structs that no unit defines, and one struct per unit that refers to them."""
    s, p = f.name('s'), f.name('p')
    for i in range(n):
        f.open()
        declared = f.die(STRUCT, 0, (NAME, s), (DECL, b''))
        pointer = f.die(POINTER, 0, (TYPE, declared))
        f.die(STRUCT, 1, (NAME, f.name(f't{i}')), (SIZE, b'\x08'))
        f.die(MEMBER, 0, (NAME, p), (TYPE, pointer), (OFFSET, b'\0'))
        f.end()
        f.close()


@case(1000000)
def suffix_strings(f, n):
    """Names that are the ends of one string; an eighth as many structs."""
    f.open()
    begin = len(f.str)
    f.str += b'a' * n + b'\0'
    reference = f.int_type()
    for i in range(0, n, 16):
        f.info += f.code(TYPEDEF, 0, NAME, TYPE) + u32(begin + i) + reference
    f.close()


@case(40000)
def suffix_function_names(f, n):
    """The same with functions."""
    f.open()
    begin = len(f.str)
    f.str += b'a' * n + b'\0'
    for i in range(0, n, 4):
        f.die(SUBPROGRAM, 0, (NAME, u32(begin + i)), (LOW, u64(CODE + i * 16)), (HIGH, u32(16)))
    f.close()


@case(20000)
def location_lists(f, n):
    """All parameters have one list, whose last entry is the one that counts."""
    f.open()
    reference = f.int_type()
    entries = bytearray(12)
    for i in range(n):
        entries += b'\7' + u64(CODE + 16 * i) + u64(CODE + 16 * i + 16) + b'\1\x55'
    f.extra.append(('.debug_loclists', entries + b'\0', 0, 0, 1))
    for i in range(n):
        f.function(f'f{i}', CODE + 16 * i, 1)
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference), (LIST, u32(12)))
        f.end()
        f.symbol(f'f{i}', CODE + 16 * i)
    f.close()


@case(20000)
def location_lists_overlap(f, n):
    """Each parameter has the end of the list that another one has."""
    f.open()
    reference = f.int_type()
    entries = bytearray(12)
    for i in range(n):
        entries += b'\7' + u64(DATA + 16 * i) + u64(DATA + 16 * i + 16) + b'\1\x55'
    f.extra.append(('.debug_loclists', entries + b'\0', 0, 0, 1))
    for i in range(n):
        f.function(f'f{i}', CODE + 16 * i, 1)
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference), (LIST, u32(12 + 19 * i)))
        f.end()
        f.symbol(f'f{i}', CODE + 16 * i)
    f.close()


def range_list(n):
    entries = bytearray(12)
    for i in range(n):
        entries += b'\7' + u64(CODE + 16 * i) + leb(8)
    return '.debug_rnglists', entries + b'\0', 0, 0, 1


@case(20000)
def range_lists(f, n):
    """Functions that share one list."""
    f.open()
    f.extra.append(range_list(n))
    for i in range(n):
        f.die(SUBPROGRAM, 0, (NAME, f.name(f'f{i}')), (RANGES, u32(12)), (PROTO, b''))
        f.symbol(f'f{i}', CODE + 16 * i)
    f.close()


@case(20000)
def range_lists_inlined(f, n):
    """Inline sites in one function that share one list."""
    f.open()
    reference = f.int_type()
    f.extra.append(range_list(n))
    abstract = f.die(SUBPROGRAM, 1, (NAME, f.name('in')), (PROTO, b''), (INLINE_ATTR, b'\1'))
    parameter = f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
    f.end()
    f.function('f', CODE, 1)
    f.symbol('f', CODE, 16 * n)
    for _ in range(n):
        f.die(INLINED, 1, (ORIGIN, abstract), (RANGES, u32(12)))
        f.die(FORMAL, 0, (ORIGIN, parameter), (EXPR, b'\1\x55'))
        f.end()
    f.end()
    f.close()


@case(20000)
def range_lists_of_units(f, n):
    """Units that share one list."""
    f.extra.append(range_list(n))
    for i in range(n):
        f.open(attributes=((RANGES, u32(12)),))
        f.close()


@case(20000)
def abbreviation_tables(f, n):
    """Units whose tables are the ends of one."""
    f.abbrev += b'\0'
    begin = len(f.abbrev)
    for i in range(n):
        f.abbrev += leb(i + 2) + leb(CU) + b'\0' + leb(0x3) + leb(0x8) + b'\0\0'
        f.info += struct.pack('<IHBBI', 11 if i + 2 < 128 else 12 if i + 2 < 16384 else 13, 5, 1, 8,
                              begin)
        begin = len(f.abbrev)
        f.info += leb(i + 2) + b'x\0'


@case(20000)
def abbreviation_tables_in_turn(f, n):
    """Two long tables, which units have in turn."""
    tables = []
    f.abbrev += b'\0'
    for table in range(2):
        tables.append(len(f.abbrev))
        for i in range(n // 2):
            f.abbrev += leb(i + 1) + leb(CU) + bytes([table]) + leb(0x3) + leb(0x8) + b'\0\0'
        f.abbrev += b'\0'
    for i in range(n):
        f.info += struct.pack('<IHBBI', 12 if i % 2 else 11, 5, 1, 8, tables[i % 2])
        f.info += b'\1x\0' + b'\0' * (i % 2)


@case(20000)
def abbreviations_alike(f, n):
    """Units with a table each, of declarations that begin in the same way."""
    tables = []
    f.abbrev += b'\0'
    for i in range(n):
        tables.append(len(f.abbrev))
        # The tag is padded: two zeros before anything differs.
        f.abbrev += b'\1\x91\0\0\x03\x08' + leb(0x2000 + i) + b'\x0b\0\0\0'
    for i in range(n):
        f.info += struct.pack('<IHBBI', 12, 5, 1, 8, tables[i]) + b'\1x\0\0'


@case(100000)
def units(f, n):
    """Units of nothing."""
    for _ in range(n):
        f.open()
        f.close()


@case(20000)
def units_linked(f, n):
    """Each unit refers to the one before."""
    before = None
    p = f.name('p')
    for i in range(n):
        f.open()
        here = len(f.info)
        f.die(STRUCT, 1, (NAME, f.name(f's{i}')), (SIZE, b'\x08'))
        f.die(MEMBER, 0, (NAME, p), (TYPE_OF_INFO, u32(before or here)), (OFFSET, b'\0'))
        f.end()
        before = here
        f.close()


@case(20000)
def type_units(f, n):
    """Each with a pointer to the next."""
    p = f.name('p')
    for i in range(n):
        f.open(type_unit=0x1000 + i, tag=TYPE_UNIT)
        pointer = f.die(POINTER, 0, (SIGNATURE, u64(0x1000 + (i + 1) % n)))
        at = f.here()
        f.die(STRUCT, 1, (NAME, f.name(f's{i}')), (SIZE, b'\x08'))
        f.die(MEMBER, 0, (NAME, p), (TYPE, pointer), (OFFSET, b'\0'))
        f.end()
        f.info[f.unit_begin + 20:f.unit_begin + 24] = at
        f.close()


@case(20000)
def type_units_one(f, n):
    """All with one signature, and units that refer to it."""
    for i in range(n // 2):
        f.open(type_unit=0x1000, tag=TYPE_UNIT)
        f.info[f.unit_begin + 20:f.unit_begin + 24] = f.here()
        f.die(STRUCT, 0, (NAME, f.name(f's{i}')), (SIZE, b'\x08'))
        f.close()
    for i in range(n // 2):
        f.open()
        f.die(TYPEDEF, 0, (NAME, f.name(f't{i}')), (SIGNATURE, u64(0x1000)))
        f.close()


@case(20000)
def btf_sections(f, n):
    """Sections named .BTF."""
    f.open()
    f.int_type()
    f.close()
    f.extra += [('.BTF', b'', 0, 0, 1)] * n


@case(200000)
def blocks(f, n):
    """Blocks in blocks, 500 deep."""
    f.open()
    f.function('f', CODE, 1)
    f.symbol('f', CODE)
    f.info += (f.code(BLOCK, 1) * 500 + bytes(500)) * (n // 500)
    f.end()
    f.close()


@case(100000)
def pointers(f, n):
    """Pointers to constant pointers."""
    f.open()
    begin = len(f.info) - f.unit_begin
    f.info += f.code(TYPEDEF, 0, NAME, TYPE) + f.name('t') + u32(begin + 9)
    for i in range(n):
        at = len(f.info) - f.unit_begin
        f.info += f.code((POINTER, CONST)[i & 1], 0, TYPE) + u32(at + 5)
    f.int_type()
    f.close()


@case(100000)
def typedefs(f, n):
    """Of typedefs; parameters of them all."""
    f.open()
    reference = f.int_type()
    for i in range(n):
        reference = f.die(TYPEDEF, 0, (NAME, f.name(f't{i}')), (TYPE, reference))
        f.die(SUBPROGRAM, 1, (NAME, f.name(f'f{i}')), (LOW, u64(CODE + 16 * i)), (HIGH, u32(16)),
              (PROTO, b''))
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference), (EXPR, b'\1\x55'))
        f.end()
        f.symbol(f'f{i}', CODE + 16 * i)
    f.close()


@case(50000)
def nested_structs(f, n):
    """A struct in a struct, by value; functions that take each."""
    f.open()
    reference = f.int_type()
    member = f.name('m')
    for i in range(n):
        at = f.die(STRUCT, 1, (NAME, f.name(f's{i}')), (SIZE, b'\4'))
        f.die(MEMBER, 0, (NAME, member), (TYPE, reference), (OFFSET, b'\0'))
        f.end()
        reference = at
        f.function(f'f{i}', CODE + 16 * i, 1)
        f.die(FORMAL, 0, (NAME, member), (TYPE, reference), (EXPR, b'\1\x55'))
        f.end()
        f.symbol(f'f{i}', CODE + 16 * i)
    f.close()


@case(60000)
def members(f, n):
    """Of one struct, and functions that take it."""
    f.open()
    reference = f.int_type()
    at = f.die(STRUCT, 1, (NAME, f.name('s')), (SIZE, b'\4'))
    for i in range(n):
        f.die(MEMBER, 0, (NAME, f.name(f'm{i}')), (TYPE, reference), (OFFSET, b'\0'))
    f.end()
    for i in range(n // 2):
        f.function(f'f{i}', CODE + 16 * i, 1)
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, at), (EXPR, b'\1\x55'))
        f.end()
        f.symbol(f'f{i}', CODE + 16 * i)
    f.close()


@case(200000)
def anonymous_members(f, n):
    """Structs without a name, each a member of the one before."""
    f.open()
    for i in range(n):
        at = len(f.info) - f.unit_begin
        f.info += f.code(STRUCT, 1, SIZE) + b'\4'
        f.info += f.code(MEMBER, 0, TYPE, OFFSET) + u32(at + 9) + b'\0'
        f.end()
    f.int_type()
    f.close()


@case(200000)
def inline_tree(f, n):
    """Inline sites in one another, 500 deep."""
    f.open()
    abstract = f.die(SUBPROGRAM, 0, (NAME, f.name('in')), (PROTO, b''), (INLINE_ATTR, b'\1'))
    f.function('f', CODE, 1)
    f.symbol('f', CODE)
    site = f.code(INLINED, 1, ORIGIN, LOW, HIGH) + abstract + u64(CODE) + u32(8)
    f.info += (site * 500 + bytes(500)) * (n // 500)
    f.end()
    f.close()


@case(100000)
def inline_sites(f, n):
    """Of different functions at one address, with parameters relative to the frame."""
    f.open()
    reference = f.int_type()
    f.function('f', CODE, 1, (FRAME_BASE, b'\1\x9c'))
    f.symbol('f', CODE, 16 * n)
    sites = len(f.info)
    f.info += bytes(n * 26)
    f.end()
    for i in range(n):
        abstract = f.die(SUBPROGRAM, 1, (NAME, f.name(f'in{i}')), (PROTO, b''),
                         (INLINE_ATTR, b'\1'))
        parameter = f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
        f.end()
        site = f.code(INLINED, 1, ORIGIN, LOW, HIGH) + abstract + u64(CODE + 16) + u32(8)
        site += f.code(FORMAL, 0, ORIGIN, EXPR) + parameter + b'\2\x91\0' + b'\0'
        f.info[sites + 26 * i:sites + 26 * i + 26] = site
    f.close()


def call_frames(n, length):
    """A CIE, and n FDEs for the same code."""
    cie = u32(0xffffffff) + b'\4\0\x08\0\1\x78\x10\x0c\7\x08\x90\1\0\0\0\0\0\0'
    out = bytearray(u32(len(cie)) + cie)
    for _ in range(n):
        fde = u32(0) + u64(CODE) + u64(length) + b'\0\0\0\0'
        out += u32(len(fde)) + fde
    return '.debug_frame', out, 0, 0, 1


@case(20000)
def frames_at_address(f, n):
    """Call frames for one address, and inline sites that want one."""
    inline_sites(f, n)
    f.extra.append(call_frames(n, 16 * n))


@case(20000)
def frame_instructions(f, n):
    """One call frame with an instruction for each site."""
    f.extra.append(frame_rows(n))
    f.open()
    reference = f.int_type()
    abstract = f.die(SUBPROGRAM, 1, (NAME, f.name('in')), (PROTO, b''), (INLINE_ATTR, b'\1'))
    parameter = f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
    f.end()
    f.function('f', CODE, 1, (FRAME_BASE, b'\1\x9c'))
    f.symbol('f', CODE, n)
    f.text = b'\x90' * n
    for i in range(n):
        f.die(INLINED, 1, (ORIGIN, abstract), (LOW, u64(CODE + i)), (HIGH, u32(8)))
        f.die(FORMAL, 0, (ORIGIN, parameter), (EXPR, b'\2\x91\0'))
        f.end()
    f.end()
    f.close()


def frame_rows(n):
    cie = u32(0xffffffff) + b'\4\0\x08\0\1\x78\x10\x0c\7\x08\x90\1\0\0\0\0\0\0'
    fde = u32(0) + u64(CODE) + u64(n) + b'\x41\x0e\x08\x41\x0e\x10' * (n // 2)
    fde += bytes(-len(fde) % 8 + 4)
    return '.debug_frame', bytearray(u32(len(cie)) + cie + u32(len(fde)) + fde), 0, 0, 1


def calls(f, n, names, addresses, text):
    """Functions of clang's with a parameter, and a function with as many calls."""
    f.open(b'clang version 17.0.0')
    f.text = text
    reference = f.int_type()
    caller = CODE
    f.function('caller', caller, 1)
    f.symbol('caller', caller, n * 8 + 16)
    calls_at = len(f.info)
    f.info += bytes(n * 13)
    f.end()
    origin = []
    for i in range(n):
        origin.append(f.function(names(i), addresses(i), 1))
        f.symbol(names(i), addresses(i), info=2)
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
        f.end()
    for i in range(n):
        site = f.code(CALL, 0, CALL_ORIGIN, CALL_PC) + origin[i] + u64(CODE + 8 * i + 8)
        f.info[calls_at + 13 * i:calls_at + 13 * i + 13] = site
    f.close()


@case(20000)
def calls_of_one_name(f, n):
    calls(f, n, lambda i: 'f', lambda i: CODE + 8 * n + 16 + 16 * i, b'\xc3' * (24 * n + 64))


@case(20000)
def calls_of_one_address(f, n):
    """Functions of many names at one address, called often."""
    target = CODE + 8 * n + 16
    text = b''
    for i in range(n):
        text += b'\x90\x90\x90\xe8' + struct.pack('<i', target - CODE - 8 * i - 8)
    calls(f, n, lambda i: f'f{i}', lambda i: target, text + b'\xc3' * 64)


@case(50000)
def calls_of_many(f, n):
    """A caller with many calls of one function each."""
    text = b''
    for i in range(n):
        target = 8 * n + 16 + 16 * i
        text += b'\x90\x90\x90\xe8' + struct.pack('<i', target - 8 * i - 8)
    calls(f, n, lambda i: f'f{i}', lambda i: CODE + 8 * n + 16 + 16 * i,
          text + b'\xc3' * (16 * n + 64))


@case(50000)
def calls_in_jumps(f, n):
    """The same between jumps: calls without anything before that sets a register."""
    text = b''
    for i in range(n):
        target = 8 * n + 16 + 16 * i
        text += b'\x90\x74\xfd\xe8' + struct.pack('<i', target - 8 * i - 8)
    calls(f, n, lambda i: f'f{i}', lambda i: CODE + 8 * n + 16 + 16 * i,
          text + b'\xc3' * (16 * n + 64))


@case(100000)
def long_functions(f, n):
    """Code that is described as that of many functions, each to the end of it."""
    f.open(b'clang version 17.0.0')
    f.text = b'\x90' * n + b'\xc3'
    reference = f.int_type()
    for i in range(0, n, 16):
        f.die(SUBPROGRAM, 1, (NAME, f.name(f'f{i}')), (LOW, u64(CODE + i)), (HIGH, u32(n - i)),
              (PROTO, b''))
        f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
        f.end()
        f.symbol(f'f{i}', CODE + i, n - i, 2)
    f.close()


@case(100000)
def variables(f, n):
    """Per-CPU variables and symbols of one name at one address."""
    f.open()
    reference, name = f.int_type(), f.name('v')
    for _ in range(n):
        f.die(VARIABLE, 0, (NAME, name), (TYPE, reference), (EXPR, b'\x09\x03' + u64(PERCPU)))
        f.symbol('v', PERCPU, 4, 0x12, 2)
    f.close()


@case(34000)
def functions_in_sections(f, n):
    """Functions with an inline site, each in a section of its own, as with -ffunction-sections."""
    f.open()
    reference = f.int_type()
    abstract = f.die(SUBPROGRAM, 1, (NAME, f.name('in')), (PROTO, b''), (INLINE_ATTR, b'\1'))
    parameter = f.die(FORMAL, 0, (NAME, f.name('p')), (TYPE, reference))
    f.end()
    for i in range(n):
        name, address = f'f{i}' if i else 'f', CODE + 16 * (i + 1)
        f.function(name, address, 1)
        f.die(FORMAL, 0, (NAME, f.name('a')), (TYPE, reference), (EXPR, b'\1\x55'))
        f.die(INLINED, 1, (ORIGIN, abstract), (LOW, u64(address + 4)), (HIGH, u32(8)))
        f.die(FORMAL, 0, (ORIGIN, parameter), (EXPR, b'\1\x55'))
        f.end()
        f.end()
        f.extra.append((f'.text.{name}', b'\xc3' * 16, address, 6, 1))
        f.symbol(name, address, section=5 + len(f.extra))
    f.close()


@case(40000)
def aliases(f, n):
    """Symbols of one function, with FUNCs of another prototype in the file's own BTF: list looked at all for each."""
    f.open()
    reference = f.int_type()
    f.function('f', CODE, 0, (TYPE, reference))
    f.symbol('f', CODE)
    names = bytearray(b'\0int\0')
    # INT int, FUNC_PROTO int (int)
    types = [u32(1) + u32(1 << 24) + u32(4) + u32(1 << 24 | 32), u32(0) + u32(13 << 24 | 1) + u32(1) + u32(0) + u32(1)]
    for i in range(n):
        f.symbol(f'g{i}', CODE)
        types.append(u32(len(names)) + u32(12 << 24 | 1) + u32(2))
        names += f'g{i}'.encode() + b'\0'
    data = b''.join(types)
    f.extra.append(('.BTF', struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(data), len(data), len(names)) +
                    data + bytes(names), 0, 0, 1))
    f.close()


@case(20000)
def sections(f, n):
    """Sections, with a variable in each."""
    f.open()
    reference = f.int_type()
    for i in range(n):
        f.die(VARIABLE, 0, (NAME, f.name(f'v{i}')), (TYPE, reference),
              (EXPR, b'\x09\x03' + u64(DATA + 16 * i)))
        f.symbol(f'v{i}', DATA + 16 * i, 4, 0x11, 3)
        f.extra.append((f'.data.v{i}', bytes(16), DATA + 16 * i, 3, 1))
    f.close()


@case(65000)
def kfunc_sets(f, n):
    """A BTF_ID set with symbols of one function."""
    f.open()
    f.function('f', CODE)
    f.symbol('f', CODE)
    f.symbol('__BTF_ID__set8__s', DATA, 8 + 8 * n, 1, 8)
    for i in range(n):
        f.symbol(f'__BTF_ID__func__f__{i}', DATA + 8 + 8 * i, 4, 1, 8)
    f.extra.append(('.BTF_ids', u32(n) + u32(1) + bytes(8 * n), DATA, 2, 1))
    f.close()


@case(100000)
def kfunc_sets_at_address(f, n):
    """Sets that are all at one address."""
    f.open()
    f.function('f', CODE)
    f.symbol('f', CODE)
    f.extra.append(('.BTF_ids', u32(n) + u32(1) + bytes(8 * n), DATA, 2, 1))
    for i in range(n):
        f.symbol(f'__BTF_ID__set8__s{i}', DATA, 8 + 8 * n, 1, 6)
        f.symbol(f'__BTF_ID__func__f__{i}', DATA + 8, 4, 1, 6)
    f.close()


@case(20000)
def annotations(f, n):
    """Annotations of one struct, and of one function."""
    f.open()
    value = (0x1c, 0x0e)
    kind = f.name('btf_decl_tag')
    for tag in (STRUCT, SUBPROGRAM):
        f.die(tag, 1, (NAME, f.name('s')), (SIZE, b'\4'))
        for i in range(n):
            f.die(GNU_ANNOTATION, 0, (NAME, kind), (value, f.name(f'value {i}')))
        f.end()
    f.close()


@case(20000)
def type_tags(f, n):
    """Of pointers to pointers."""
    f.open()
    value = (0x1c, 0x0e)
    kind = f.name('btf_type_tag')
    pointer = f.int_type()
    for i in range(n):
        pointer = f.die(POINTER, 1, (TYPE, pointer))
        f.die(GNU_ANNOTATION, 0, (NAME, kind), (value, f.name(f'value {i}')))
        f.end()
    f.close()


@case(100000)
def enumerators(f, n):
    """More than BTF can say, of one name."""
    f.open()
    f.die(ENUM, 1, (NAME, f.name('e')), (SIZE, b'\4'))
    f.info += (f.code(ENUMERATOR, 0, NAME, CONST_VALUE) + f.name('x') + u32(1)) * n
    f.end()
    f.close()


@case(100000)
def dimensions(f, n):
    """Of one array."""
    f.open()
    reference = f.int_type()
    f.die(TYPEDEF, 0, (NAME, f.name('t')), (TYPE, u32(int.from_bytes(f.here(), 'little') + 9)))
    f.die(ARRAY, 1, (TYPE, reference))
    f.info += (f.code(SUBRANGE, 0, (0x2f, 0x0b)) + b'\0') * n
    f.end()
    f.close()


@case(20000)
def producers(f, n):
    """A producer for each unit."""
    for i in range(n):
        f.open(b'GNU C%d' % i)
        f.close()


@case(20000)
def damaged(f, n):
    """Units of an unknown version, each one a warning."""
    for _ in range(n):
        f.open()
        f.close()
        f.info[f.unit_begin + 4] = 9


@case(20000)
def too_large(f, n):
    """Types that BTF cannot say, so that the image is repaired: names of 600 characters."""
    f.open()
    reference = f.int_type()
    for i in range(n):
        reference = f.die(TYPEDEF, 0, (NAME, f.name('x' * 130 + str(i))), (TYPE, reference))
    f.close()


@case(20000)
def array_of_arrays(f, n):
    """Structs by value in arrays, so deep that the kernel does not resolve them."""
    f.open()
    reference = f.int_type()
    for i in range(n):
        array = f.die(ARRAY, 1, (TYPE, reference))
        f.die(SUBRANGE, 0, ((0x2f, 0x0b), b'\0'))
        f.end()
        reference = f.die(STRUCT, 1, (NAME, f.name(f's{n - i}')), (SIZE, b'\4'))
        f.die(MEMBER, 0, (NAME, f.name('m')), (TYPE, array), (OFFSET, b'\0'))
        f.end()
    f.close()


@case(20000)
def origins(f, n):
    """Functions each of which has the one before as its origin."""
    f.open()
    before = f.die(SUBPROGRAM, 0, (NAME, f.name('f')), (PROTO, b''))
    for i in range(n):
        before = f.die(SUBPROGRAM, 0, (ORIGIN, before), (LOW, u64(CODE + 16 * i)), (HIGH, u32(16)))
    f.symbol('f', CODE)
    f.close()


@case(20000)
def instances(f, n):
    """Units with one function at one address."""
    for _ in range(n):
        f.open()
        f.function('f', CODE)
        f.close()
    f.symbol('f', CODE)


@case(20000)
def instances_folded(f, n):
    """Units that define a function without code and have that function's address."""
    for i in range(n):
        f.open(attributes=((LOW, u64(CODE)), (HIGH, u32(16 * n))))
        f.die(SUBPROGRAM, 0, (NAME, f.name('f')), (PROTO, b''))
        f.close()
        f.symbol('f', CODE + 16 * i)


@case(20000)
def imports(f, n):
    """Partial units, which a unit imports."""
    p = f.name('p')
    places = []
    for i in range(n):
        f.open(tag=PARTIAL)
        places.append(len(f.info))
        f.die(STRUCT, 0, (NAME, f.name(f's{i}')), (SIZE, b'\4'))
        f.close()
    f.open()
    for i in range(n):
        f.die(IMPORTED, 0, (IMPORT, u32(places[i] - 17)))
        f.die(TYPEDEF, 0, (NAME, p), (TYPE_OF_INFO, u32(places[n - 1 - i])))
    f.close()


def main():
    if len(sys.argv) == 1:
        for name, (size, _) in cases.items():
            print(name, size)
        return
    f = File()
    # Without any type a file is refused.
    f.open()
    f.int_type()
    f.close()
    cases[sys.argv[1]][1](f, int(sys.argv[2]))
    f.write(sys.argv[3])


main()
