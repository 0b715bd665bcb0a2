#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Compares two BTF files of one image by meaning and names the class of every difference.

usage: parity.py [--list] IMAGE OURS THEIRS [THEIR_LOG [OUR_FUNCTIONS]]
       parity.py [--list] --base BASE MODULE...

The second form compares what two encoders split from raw bases, mostly the same, and sums up: for
each MODULE there are MODULE.ours, MODULE.theirs, MODULE.log and MODULE.functions.

Every type is rendered as text that does not depend on ids or order; the texts of both files are
compared as multisets. A reference to a named type is its name; where either file defines that name
several times, a digest of the definition that is meant is added to it. The classes are described
in docs/parity.md. What decides about functions is read from IMAGE: its symbols (readelf), and its
DWARF (llvm-dwarfdump) for the few names that need it. THEIR_LOG is the output of `pahole -V`, which
says why a function or a variable was left out. With --list every difference is printed with its
class.

Exit status: 0 every difference has a class, 1 some have none, 2 bad input.
"""
import collections
import functools
import hashlib
import os
import re
import struct
import subprocess
import sys

(INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO,
 VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64) = range(1, 20)
KIND = ('VOID INT PTR ARRAY STRUCT UNION ENUM FWD TYPEDEF VOLATILE CONST RESTRICT FUNC FUNC_PROTO '
        'VAR DATASEC FLOAT DECL_TAG TYPE_TAG ENUM64').split()
FIXED_WORDS = {INT: 1, ARRAY: 3, VAR: 1, DECL_TAG: 1}
ITEM_WORDS = {STRUCT: 3, UNION: 3, ENUM: 2, FUNC_PROTO: 2, DATASEC: 3, ENUM64: 3}
TAGS = {STRUCT: 'struct', UNION: 'union', ENUM: 'enum', ENUM64: 'enum'}
PREFIX = {PTR: '*', VOLATILE: 'volatile ', CONST: 'const ', RESTRICT: 'restrict '}
TAG_NAME = re.compile(r'((?:struct|union|enum) \w+)#')
TYPEDEF_NAME = re.compile(r'typedef \w+')


def named_in(text):
    """The names in a text that may mean several types: those with digests, and typedefs."""
    return set(TAG_NAME.findall(text) + TYPEDEF_NAME.findall(text))


def without_digests(text):
    return re.sub('#[0-9a-f]+', '', text)


def all_named_in(text):
    return set(re.findall(r'(?:struct|union|enum|typedef) \w+', text))


class Type:
    def __init__(self, kind, flag, name, size_or_type, fixed, items):
        self.kind, self.flag, self.name = kind, flag, name
        self.type, self.fixed, self.items = size_or_type, fixed, items

    def references(self):
        if self.kind in (STRUCT, UNION, FUNC_PROTO):
            found = [item[1] for item in self.items]
            return found + [self.type] if self.kind == FUNC_PROTO else found
        if self.kind == ARRAY:
            return list(self.fixed[:2])
        if self.kind == DATASEC:
            return [item[0] for item in self.items]
        return [] if self.kind in (INT, ENUM, ENUM64, FLOAT, FWD) else [self.type]


class Btf:
    """A file's types by id; with a base, `first` is the lowest id that is the file's own."""

    def __init__(self, path, base=None):
        with open(path, 'rb') as file:
            data = file.read()
        order = '<' if data[:2] == b'\x9f\xeb' else '>'
        head, type_at, type_bytes, string_at, string_bytes = struct.unpack_from(
            order + '5I', data, 4)
        strings = data[head + string_at:head + string_at + string_bytes]
        self.base = base
        self.strings = strings = base.strings + strings if base else strings
        words = struct.unpack_from(f'{order}{type_bytes // 4}I', data, head + type_at)
        self.types = list(base.types) if base else [Type(0, 0, '', 0, (), [])]
        self.first = len(self.types)
        at = 0

        def text(offset):
            return strings[offset:strings.index(b'\0', offset)].decode(errors='replace')

        while at < len(words):
            name, info, third = words[at:at + 3]
            kind, count = info >> 24 & 31, info & 0xffff
            at += 3
            fixed = words[at:at + FIXED_WORDS.get(kind, 0)]
            at += len(fixed)
            step = ITEM_WORDS.get(kind, 0)
            items = []
            if step:
                items = [words[i:i + step] for i in range(at, at + step * count, step)]
                at += step * count
            if kind != DATASEC:
                items = [(text(item[0]), *item[1:]) for item in items]
            if kind == FUNC:
                fixed = (count,)
            self.types.append(Type(kind, info >> 31, text(name), third, fixed, items))
        self.users = collections.defaultdict(list)
        for type_ in self.types[self.first:]:
            for reference in type_.references():
                self.users[reference].append(type_)

    def entries(self):
        """(section, variable, offset, size) of all DATASECs"""
        return [(section.name, self.types[to].name, *place)
                for section in self.types[self.first:] if section.kind == DATASEC
                for to, *place in section.items]

    # ---- text ----

    @functools.cached_property
    def plain_texts(self):
        return {(kind, without_digests(text)) for kind, text in self.texts}

    @functools.cached_property
    def known_tags(self):
        return set(self.definitions()) | {
            self.tag(type_) for type_ in self.types[1:] if type_.kind == FWD}

    def redefined(self):
        """Tags that the file defines and its base defines otherwise, or only declares."""
        if not self.base:
            return set()
        return {self.tag(self.types[numbers[0]]) for (kind, text), numbers in self.texts.items()
                if kind in TAGS and self.types[numbers[0]].name and
                self.tag(self.types[numbers[0]]) in self.base.known_tags and
                (kind, without_digests(text)) not in self.base.plain_texts}

    def tag(self, type_):
        """Struct, union, enum or a declaration of one: 'struct name'."""
        word = ('union' if type_.flag else 'struct') if type_.kind == FWD else TAGS[type_.kind]
        return f'{word} {type_.name}'

    def definitions(self):
        return collections.Counter(self.tag(t) for t in self.types[self.first:]
                                   if t.kind in TAGS and t.name)

    def reference(self, number):
        if self.base and number < self.first:
            return self.base.reference(number)
        if number not in self.memo:
            self.memo[number] = self.reference_text(number)
        return self.memo[number]

    def reference_text(self, number):
        type_ = self.types[number]
        kind = type_.kind
        if not number:
            return 'void'
        if kind in PREFIX:
            return PREFIX[kind] + self.reference(type_.type)
        if kind == TYPE_TAG:
            return f'{("tag", "attribute")[type_.flag]}({type_.name}) ' + self.reference(type_.type)
        if kind == ARRAY:
            return f'[{type_.fixed[2]}]' + self.reference(type_.fixed[0])
        if kind == FUNC_PROTO or kind in TAGS and not type_.name:
            return self.body(number)
        if kind == FWD or kind in TAGS:
            tag = self.tag(type_)
            return tag + self.meaning.get(number, '#fwd') if tag in self.several else tag
        return f'{KIND[kind].lower()} {type_.name}'

    def member(self, name, to, at, has_bits):
        place = f'{at & 0xffffff}:{at >> 24}' if has_bits and at >> 24 else str(at)
        return f'{name}: {self.reference(to)} @{place}'

    def body(self, number):
        """The type itself, all of it."""
        type_ = self.types[number]
        kind, items = type_.kind, type_.items
        if kind in (STRUCT, UNION):
            return f'{TAGS[kind]} {type_.name} size={type_.type} {{ ' + '; '.join(
                self.member(*item, type_.flag) for item in items) + ' }'
        if kind in (ENUM, ENUM64):
            return (f'{KIND[kind].lower()} {type_.name} size={type_.type} signed={type_.flag} ' +
                    ', '.join(f'{item[0]}={item[1:]}' for item in items))
        if kind == FUNC_PROTO:
            return 'func(' + ', '.join(
                f'{name}: {self.reference(to)}' if to else '...' for name, to in items
            ) + ') -> ' + self.reference(type_.type)
        if kind in (INT, FLOAT):
            return f'{type_.name} size={type_.type} {type_.fixed}'
        if kind == FUNC:
            return f'{type_.name} {self.reference(type_.type)}'
        if kind == VAR:
            return f'{type_.name} {type_.fixed} {self.reference(type_.type)}'
        if kind == DATASEC:
            return f'{type_.name} size={type_.type} ' + ' '.join(
                f'{self.types[to].name}@{at}+{size}' for to, at, size in items)
        if kind == DECL_TAG:
            return (f'{type_.name} {type_.fixed} attribute={type_.flag} on '
                    f'{self.reference(type_.type)}')
        if kind == TYPEDEF:
            return f'{type_.name} = {self.reference(type_.type)}'
        if kind == FWD:
            return self.tag(type_)
        if kind == ARRAY:
            return f'{self.reference(number)} by {self.reference(type_.fixed[1])}'
        return self.reference(number)

    def render(self, several):
        """Fills self.texts: (kind, text) -> ids. Names of `several` are told apart by digests."""
        self.several, self.meaning, self.memo = several, {}, {}
        named = [number for number, type_ in enumerate(self.types[self.first:], self.first)
                 if type_.kind in TAGS and type_.name and self.tag(type_) in several]
        distinct, before = 0, -1
        # A digest covers the digests of the round before: until no more definitions come apart.
        while distinct != before:
            meaning = {n: '#' + hashlib.sha256(self.body(n).encode()).hexdigest()[:8]
                       for n in named}
            self.memo, self.meaning = {}, meaning
            before, distinct = distinct, len(set(meaning.values()))
        self.texts = collections.defaultdict(list)
        for number in range(self.first, len(self.types)):
            self.texts[self.types[number].kind, self.body(number)].append(number)


# ---- the image ----

def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, errors='replace',
                          check=True).stdout


def read_convention(image):
    """The bytes of a register, and of the largest struct that is returned in registers."""
    with open(image, 'rb') as file:
        head = file.read(20)
    machine = struct.unpack_from('<H' if head[5] == 1 else '>H', head, 18)[0]
    if head[4] == 1:
        return 4, {40: 4}.get(machine, 0)       # EM_ARM; i386 returns no struct in registers
    return 8, {22: 0}.get(machine, 16)          # EM_S390


def read_symbols(image):
    """name -> [(address, type)], and base name -> names with a suffix."""
    symbols, suffixed = collections.defaultdict(list), collections.defaultdict(set)
    for line in output('readelf', '-sW', image).splitlines():
        # readelf prints more of st_other on some machines: "DEFAULT [<localentry>: 8] 2 name".
        field = re.sub(r'\[<?\w+>?(: \w+)?\]', '', line).split()
        if len(field) == 8 and field[3] in ('FUNC', 'OBJECT', 'IFUNC') and field[6] != 'UND':
            symbols[field[7]].append((int(field[1], 16), field[3]))
            if '.' in field[7]:
                suffixed[field[7].split('.')[0]].add(field[7])
    return symbols, suffixed


def read_subprograms(image, names):
    """name -> its subprogram DIEs, each as the set of its attributes' names."""
    found = collections.defaultdict(list)
    if not names:
        return found
    tool = os.environ.get('LLVM_DWARFDUMP', 'llvm-dwarfdump')
    for die in output(tool, *(f'--name={name}' for name in sorted(names)), image).split('\n\n'):
        name = re.search(r'DW_AT_name\s+\("(.*)"\)', die)
        if name and re.search(r'^0x\w+:\s+DW_TAG_subprogram', die, re.M):
            found[name[1]].append(set(re.findall(r'DW_AT_(\w+)', die)))
    return found


# Verdicts of encoder/evidence/verdict.h that are about where arguments are and what is returned.
SIGNATURE = ('reordered', 'param-scalarized', 'param-constant', 'param-removed', 'param-unset',
             'stack-layout', 'reg-mismatch', 'return-removed', 'signature-changed')


def read_verdicts(path):
    """name -> verdict, of `btfenc stats --functions`."""
    with open(path, encoding='utf-8') as lines:
        return {row[0]: row[4] for row in (line.split('\t') for line in lines if line[0] != '#')}


def read_log(path):
    """function -> why pahole left it out, and the variables that have no size for it"""
    reasons, sizeless = {}, set()
    with open(path, errors='replace') as file:
        for line in file:
            match = re.match(r'(\S+) : skipping BTF encoding of function due to (.*)', line)
            if match:
                reasons.setdefault(match[1], match[2])
            match = re.match(r"Ignoring zero-sized variable '(.*)'", line)
            if match:
                sizeless.add(match[1])
    return reasons, sizeless


# ---- classes ----

class Comparison:
    def __init__(self, image, ours, theirs, log, verdicts, list_all):
        self.verdicts = verdicts
        self.image, self.ours, self.theirs, self.list_all = image, ours, theirs, list_all
        self.symbols, self.suffixed = read_symbols(image)
        self.register, self.largest_result = read_convention(image)
        self.reasons, self.sizeless = read_log(log) if log else ({}, set())
        self.entries = [btf.entries() for btf in (ours, theirs)]
        self.found = collections.defaultdict(lambda: [0, 0, ''])   # class -> ours, theirs, example
        several = {name for side in (ours, theirs)
                   for name, count in side.definitions().items() if count > 1}
        ours.render(several)
        theirs.render(several)
        redefined = ours.redefined() | theirs.redefined()
        if redefined - several:
            ours.render(several | redefined)
            theirs.render(several | redefined)
        self.only = [self.surplus(ours, theirs), self.surplus(theirs, ours)]
        self.tainted = self.merged_names()
        self.redefining = self.redefined_names()

    @staticmethod
    def surplus(one, other):
        """[(kind, text, id)] of the texts that `one` has more often."""
        return [(*key, number) for key, numbers in one.texts.items()
                for number in numbers[len(other.texts.get(key, ())):]]

    def note(self, side, name, example):
        entry = self.found[name]
        entry[side] += 1
        entry[2] = min(entry[2] or example, example)
        if self.list_all:
            print(f'{name}\t{("ours", "theirs")[side]}\t{example}')

    def merged_names(self):
        """Names whose definitions their deduplication merged, and what leads to them."""
        ours, theirs = self.ours, self.theirs
        self.merged_arrays, self.merged_forwards = set(), set()
        for kind, text, number in self.only[0]:
            type_ = ours.types[number]
            if kind in (STRUCT, UNION) and type_.name and self.arrays_differ(type_):
                self.merged_arrays.add(ours.tag(type_))
            if (kind == FWD or kind == ENUM and type_.name and not type_.items) and \
               ours.definitions()[ours.tag(type_)] > 1:
                self.merged_forwards.add(ours.tag(type_))
        names, before = self.merged_arrays | self.merged_forwards, None
        while names and names != before:
            before = set(names)
            for side, btf in enumerate((ours, theirs)):
                for kind, text, number in self.only[side]:
                    type_ = btf.types[number]
                    if type_.name and named_in(text) & names:
                        if kind in TAGS:
                            names.add(btf.tag(type_))
                        elif kind == TYPEDEF:
                            names.add(f'typedef {type_.name}')
        return names

    def redefined_names(self):
        """Tags that the module defines and the base defines otherwise, or only declares, and what
        leads to them."""
        ours, before = self.ours, None
        if not ours.base:
            return set()
        names, self.base_texts = ours.redefined(), ours.base.plain_texts
        own = [(kind, without_digests(text), ours.types[numbers[0]])
               for (kind, text), numbers in ours.texts.items()]
        while names and names != before:
            before = set(names)
            for kind, text, type_ in own:
                if type_.name and kind in (*TAGS, TYPEDEF) and all_named_in(text) & names:
                    names.add(ours.tag(type_) if kind in TAGS else f'typedef {type_.name}')
        return names

    def arrays_differ(self, type_):
        """Is there another definition of the name that differs in an array's element type only?"""
        def outline(members):
            return [(name, at) for name, to, at in members]
        for other in self.ours.types:
            if other is type_ or other.kind != type_.kind or other.name != type_.name or \
               outline(other.items) != outline(type_.items) or other.type != type_.type:
                continue
            pairs = [(a[1], b[1]) for a, b in zip(type_.items, other.items)
                     if self.ours.reference(a[1]) != self.ours.reference(b[1])]
            if pairs and all(self.ours.types[n].kind == ARRAY for pair in pairs for n in pair):
                return True
        return False

    def type_class(self, side, kind, text, number):
        btf = (self.ours, self.theirs)[side]
        type_ = btf.types[number]
        if side == 1 and kind == INT and not btf.users[number] and \
           re.match(r'DW_ATE_|__SANITIZED_FAKE_INT__', type_.name):
            return 'location-base-type'
        if side == 1 and kind == FWD and not btf.users[number]:
            return 'unused-forward'
        if kind in (STRUCT, UNION, FWD) and type_.name:
            if btf.tag(type_) in self.merged_arrays:
                return 'merged-arrays'
        if (kind == FWD or kind == ENUM and not type_.items) and type_.name and \
           btf.tag(type_) in self.merged_forwards:
            return 'merged-forward'
        if kind in (ENUM, ENUM64) and self.is_sign_only(1 - side, type_):
            return 'enum-sign'
        if kind == STRUCT and self.is_enum_bits_only(type_):
            return 'packed-enum-bits'
        if side == 1 and self.base_has(kind, text):
            return 'repeats-base'
        if side == 1 and self.ours.base and (kind, text) in self.ours.texts:
            return 'repeats-itself'
        if kind == VAR:
            return self.variable_class(side, number)
        if kind == DATASEC:
            return self.section_class(type_)
        if kind != FUNC and (named_in(text) & self.tainted or
                             type_.name and kind in TAGS and btf.tag(type_) in self.tainted):
            return 'leads-to-merged'
        if self.redefining and (kind, without_digests(text)) in self.base_texts and \
           all_named_in(text) & self.redefining:
            return 'leads-to-redefined'
        users = btf.users[number]
        if kind == FUNC_PROTO and users and \
           all(user.kind == FUNC and user.name in self.lone[side] | self.other_results
               for user in users):
            return 'prototype-of-lone-function'
        if kind == DECL_TAG and btf.types[type_.type].name in self.lone[side]:
            return 'tag-of-lone-function'
        return ''

    def base_has(self, kind, text):
        base = self.theirs.base
        return base and kind not in (FUNC, VAR, DATASEC) and (kind, text) in base.texts

    def variable_class(self, side, number):
        """Of a VAR that only this side has."""
        btf = (self.ours, self.theirs)[side]
        type_ = btf.types[number]
        places = [[entry for entry in entries if entry[1] == type_.name]
                  for entries in self.entries]
        if named_in(btf.body(number)) & self.tainted:
            return 'leads-to-merged'
        if side == 1:
            twice = len(places[1]) > len(set(places[1])) and set(places[1]) == set(places[0])
            return 'variable-defined-twice' if twice else ''
        if not self.is_object(type_.name) or places[1]:
            return ''
        if not self.entries[1]:
            return 'variable-by-reference' if not btf.base else \
                   'module-variable' if all(map(self.is_at_symbol, places[0])) else ''
        is_array = self.value_type(type_.type).kind == ARRAY
        return 'array-completed' if is_array and type_.name in self.sizeless else ''

    def section_class(self, section):
        """Of a DATASEC: have all VARs with entries that only one side has a class?"""
        entries = [collections.Counter(entry for entry in side if entry[0] == section.name)
                   for side in self.entries]
        if not self.entries[1]:
            return 'variable-by-reference' if not self.ours.base else \
                   'module-variable' if all(map(self.is_at_symbol, entries[0])) else ''
        classes = set()
        for side, btf in enumerate((self.ours, self.theirs)):
            variables = {entry[1] for entry in entries[side] - entries[1 - side]}
            classes |= {self.variable_class(side, number) for number, type_ in enumerate(btf.types)
                        if type_.kind == VAR and type_.name in variables}
        return 'variables-of-section' if classes and '' not in classes else ''

    def is_object(self, name):
        return any(symbol[1] == 'OBJECT' for full in {name} | self.suffixed[name]
                   for symbol in self.symbols[full])

    def is_at_symbol(self, entry):
        return (entry[2], 'OBJECT') in self.symbols[entry[1]]

    def is_sign_only(self, side, type_):
        """Does the other file have this enum with all but the signedness equal?"""
        return any(t.kind == type_.kind and t.name == type_.name and t.items == type_.items and
                   t.flag != type_.flag for t in (self.ours, self.theirs)[side].types)

    def is_enum_bits_only(self, type_):
        """Do the two files' structs differ only in the bits said for members that are enums?"""
        def plain(struct):
            return [(name, at & 0xffffff, at >> 24 if at >> 24 not in (8, 16) else 0)
                    for name, to, at in struct.items]
        ours, theirs = ([t for t in btf.types if t.kind == STRUCT and t.name == type_.name]
                        for btf in (self.ours, self.theirs))
        return len(ours) == len(theirs) == 1 and ours[0].flag and theirs[0].flag and \
            plain(ours[0]) == plain(theirs[0])

    def is_void_result(self, mine, other):
        """Is pahole's result a typedef or qualifier of void, ours void, and all else the same?"""
        protos = self.ours.types[mine.type], self.theirs.types[other.type]
        parameters = [[(name, btf.reference(to)) for name, to in proto.items]
                      for btf, proto in zip((self.ours, self.theirs), protos)]
        number = protos[1].type
        while number and self.theirs.types[number].kind in (TYPEDEF, CONST, VOLATILE):
            number = self.theirs.types[number].type
        return protos[1].type and not number and not protos[0].type and \
            parameters[0] == parameters[1]

    def one_function(self, name):
        return len({s[0] for s in self.symbols[name] if s[1] in ('FUNC', 'IFUNC')}) == 1

    def only_ours_class(self, name, number):
        reason = self.reasons.get(name, '')
        if self.ours.base and (FUNC, self.ours.body(number)) in self.ours.base.texts:
            return 'function-of-base'
        prototype = self.ours.types[self.ours.types[number].type]
        if not self.one_function(name):
            return ''
        if reason.startswith('ambiguous address') and self.suffixed[name]:
            return 'clone-beside-function'
        if reason.startswith('reordered parameters') and self.suffixed[name]:
            return 'clone-confused-with-function'
        if reason.startswith('uncertain parameter location'):
            return 'struct-on-stack'
        if reason.startswith('unexpected register'):
            if self.kind(prototype.type) in (STRUCT, UNION) and \
               self.size(prototype.type) > self.largest_result:
                return 'memory-return'
            if any(self.kind(to) == FLOAT or self.size(to) > self.register
                   for _, to in prototype.items):
                return 'not-one-register'
            return 'location-not-of-entry'
        return 'namesake-without-symbol' if 'mismatch' in reason else ''

    def value_type(self, number):
        while self.ours.types[number].kind in (TYPEDEF, CONST, VOLATILE):
            number = self.ours.types[number].type
        return self.ours.types[number]

    def kind(self, number):
        return self.value_type(number).kind

    def size(self, number):
        type_ = self.value_type(number)
        return type_.type if type_.kind in (INT, FLOAT, STRUCT, UNION) else 0

    def only_theirs_class(self, name, number):
        prototype = self.theirs.types[self.theirs.types[number].type]
        if not any(s[1] == 'FUNC' for s in self.symbols[name]):
            suffixes = ' '.join(self.suffixed[name])
            if re.search(r'\.(isra|constprop|lto_priv|llvm|specialized|arg|ret)', suffixes):
                return 'clone-under-base-name'
            return 'part-under-base-name' if suffixes else ''
        if self.verdicts.get(name) == 'ambiguous-address' and not self.one_function(name):
            return 'ambiguous-address'
        dies = self.subprograms[name]
        if not prototype.items and not prototype.type and \
           any('low_pc' in die and 'prototyped' not in die for die in dies):
            return 'assembler-function'
        if self.one_function(name) and \
           not any('low_pc' in die or 'ranges' in die for die in dies) and \
           any('declaration' not in die for die in dies):
            return 'definition-without-address'
        return 'evidence-against' if self.verdicts.get(name) in SIGNATURE else ''

    def other_definition(self, name, mine, other):
        """Several units define the function, and parameters' names differ only or one is inlined?"""
        protos = self.ours.types[mine.type], self.theirs.types[other.type]
        types = [[btf.reference(item[1]) for item in proto.items] + [btf.reference(proto.type)]
                 for btf, proto in zip((self.ours, self.theirs), protos)]
        definitions = [die for die in self.subprograms[name] if 'declaration' not in die]
        with_code = [die for die in definitions if 'low_pc' in die or 'ranges' in die]
        return len(definitions) > 1 and self.one_function(name) and \
            (types[0] == types[1] or
             len(with_code) == 1 and any('inline' in die for die in definitions))

    def compare_functions(self):
        lists = [{type_.name: number
                  for number, type_ in enumerate(btf.types[btf.first:], btf.first)
                  if type_.kind == FUNC} for btf in (self.ours, self.theirs)]
        for side, btf in enumerate((self.ours, self.theirs)):
            for (kind, text), numbers in btf.texts.items():
                # One of a name is compared below.
                if kind == FUNC and [lists[side][btf.types[numbers[0]].name]] != numbers:
                    self.note(side, 'UNCLASSIFIED', f'one more FUNC {text}')
        self.other_results = set()
        self.lone = [set(lists[0]) - set(lists[1]), set(lists[1]) - set(lists[0])]
        changed = {name for name, number in lists[0].items() if name in lists[1] and
                   self.ours.body(number) != self.theirs.body(lists[1][name])}
        self.subprograms = read_subprograms(self.image, self.lone[0] | changed | {
            name for name in self.lone[1] if any(s[1] == 'FUNC' for s in self.symbols[name])})
        for name, number in lists[0].items():
            if name in self.lone[0]:
                self.note(0, self.only_ours_class(name, number) or 'UNCLASSIFIED', f'FUNC {name}')
                continue
            mine, other = self.ours.types[number], self.theirs.types[lists[1][name]]
            texts = self.ours.body(number), self.theirs.body(lists[1][name])
            if texts[0] != texts[1]:
                known = 'leads-to-merged' if named_in(texts[0]) & self.tainted else \
                        'void-result' if self.is_void_result(mine, other) else \
                        'other-definition' if self.other_definition(name, mine, other) else ''
                if known in ('void-result', 'other-definition'):
                    self.other_results.add(name)
                for side in (0, 1):
                    self.note(side, known or 'UNCLASSIFIED', 'FUNC ' + texts[0])
            elif mine.fixed != other.fixed:
                known = mine.fixed == (1,) and other.fixed == (0,)
                for side in (0, 1):
                    self.note(side, 'linkage' if known else 'UNCLASSIFIED', f'FUNC {name}')
        for name in self.lone[1]:
            self.note(1, self.only_theirs_class(name, lists[1][name]) or 'UNCLASSIFIED',
                      f'FUNC {name}')

    def compare(self):
        self.compare_functions()
        for side in (0, 1):
            for kind, text, number in self.only[side]:
                if kind != FUNC:
                    name = self.type_class(side, kind, text, number)
                    self.note(side, name or 'UNCLASSIFIED', f'{KIND[kind]} {text}')

    def run(self):
        self.compare()
        total = [len(btf.types) - 1 for btf in (self.ours, self.theirs)]
        print(f'{self.image}: {total[0]} types and functions, {total[1]} theirs')
        print(f'  {"class":30}{"ours":>7}{"theirs":>8}  example')
        for name in sorted(self.found):
            ours, theirs, example = self.found[name]
            print(f'  {name:30}{ours:7}{theirs:8}  {example[:100]}')
        return 'UNCLASSIFIED' in self.found


def compare_modules(base_path, modules, list_all):
    base = Btf(base_path)
    base.render({name for name, count in base.definitions().items() if count > 1})
    found = collections.defaultdict(lambda: [0, 0, 0, ''])   # modules, ours, theirs, example
    types = [0, 0]
    for module in modules:
        ours, theirs = (Btf(f'{module}.{side}', base) for side in ('ours', 'theirs'))
        comparison = Comparison(module, ours, theirs, module + '.log',
                                read_verdicts(module + '.functions'), list_all)
        comparison.compare()
        for side, btf in enumerate((ours, theirs)):
            types[side] += len(btf.types) - btf.first
        for name, (mine, other, example) in comparison.found.items():
            if name == 'UNCLASSIFIED':
                print(f'{module}: {mine} + {other} {example}')
            entry = found[name]
            found[name] = [entry[0] + 1, entry[1] + mine, entry[2] + other,
                           entry[3] or f'{module}: {example}']
    print(f'{len(modules)} modules: {types[0]} types and functions, {types[1]} theirs')
    print(f'  {"class":30}{"modules":>8}{"ours":>8}{"theirs":>8}  example')
    for name in sorted(found):
        count, mine, other, example = found[name]
        print(f'  {name:30}{count:8}{mine:8}{other:8}  {example[:120]}')
    return 'UNCLASSIFIED' in found


def main(arguments):
    list_all = '--list' in arguments
    arguments = [argument for argument in arguments if argument != '--list']
    if len(arguments) not in (3, 4, 5) and arguments[:1] != ['--base']:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if arguments[0] == '--base':
            return compare_modules(arguments[1], arguments[2:], list_all)
        log = arguments[3] if len(arguments) > 3 else None
        verdicts = read_verdicts(arguments[4]) if len(arguments) > 4 else {}
        return Comparison(arguments[0], Btf(arguments[1]), Btf(arguments[2]), log, verdicts,
                          list_all).run()
    except (OSError, subprocess.CalledProcessError, struct.error, LookupError,
            ValueError) as problem:
        print(f'parity.py: {problem}', file=sys.stderr)
        return 2


if __name__ == '__main__':
    sys.setrecursionlimit(10000)
    sys.exit(main(sys.argv[1:]))
