# SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
"""Checks JSON against a schema of docs/schema, and that the schema leaves nothing open.

usage: json_schema.py SCHEMA FILE...

Says which value is wrong. A schema must name all keys of an object that has keys of its own and
must need those that are not listed in OPTIONAL, so that a key that is added, removed or forgotten
is an error. Exit status: 0 good, 1 not, 77 python3-jsonschema is not here.
"""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

# Of a type, of a member, of an enumerator, of a file that has none of them.
OPTIONAL = {"explain.json": {"bytes", "declaration", "namesakes", "in", "offset_bits", "size_bits",
                             "bitfield", "struct_ops", "differs", "value", "value_low_32_bits"},
            "compat.json": {"advice", "relocations"}}


def open_places(schema, optional, where="#"):
    if isinstance(schema, list):
        for i, item in enumerate(schema):
            yield from open_places(item, optional, f"{where}/{i}")
    if not isinstance(schema, dict):
        return
    keys = schema.get("properties")
    if isinstance(keys, dict) and where.rsplit("/", 1)[-1] != "properties":
        if schema.get("additionalProperties") is not False:
            yield f"{where}: has no \"additionalProperties\": false"
        if set(keys) - optional - set(schema.get("required", [])):
            yield f"{where}: \"required\" lacks {set(keys) - optional - set(schema['required'])}"
    for key, value in schema.items():
        yield from open_places(value, optional, f"{where}/{key}")


def main(path, files):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    wrong = list(open_places(schema, OPTIONAL.get(path.rsplit("/", 1)[-1], set())))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in files:
        with open(name, encoding="utf-8") as file:
            error = jsonschema.exceptions.best_match(validator.iter_errors(json.load(file)))
        if error:
            wrong.append(f"{name}: {error.json_path}: {error.message[:400]}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
