"""Specifications as JSON: the same model as the text, mistakes at their places, and a schema that sees them too."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from schemas import validator
from strategies import body_texts, small_specs
from strategies_models import models
from strategies_parts import part_specs

from arrayol.api import model as m
from arrayol.checks.check import check_source
from arrayol.errors import render
from arrayol.language.json.json_parser import parse_json
from arrayol.language.json.json_writer import document_of, json_text
from arrayol.language.namespace import model_text
from arrayol.language.syntax.parser import parse
from arrayol.source import SourceFile

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*.aol"))


def of_text(text: str) -> m.Specification:
    parsed = parse(SourceFile("x.aol", text))
    assert not parsed.diagnostics
    return parsed.tree


def of_json(text: str) -> m.Specification:
    parsed = parse_json(SourceFile("x.json", text))
    assert [render(found) for found in parsed.diagnostics] == []
    return parsed.tree


def agree(model: m.Specification) -> None:
    """Text and JSON give the model back, and what they give is written as they are."""
    text, document = model_text(model), json_text(document_of(model))
    assert of_text(text) == model == of_json(document)
    assert model_text(of_json(document)) == text
    assert json_text(document_of(of_text(text))) == document
    assert json.loads(document) == document_of(model)
    assert validator("specification").is_valid(json.loads(document))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_shipped_specifications(path: Path) -> None:
    agree(of_text(path.read_text(encoding="utf-8")))


@settings(max_examples=case_count(40), deadline=None)
@given(models())
def test_models_of_every_form(model: m.Specification) -> None:
    agree(model)


@settings(max_examples=case_count(60), deadline=None)
@given(small_specs().map(lambda spec: spec.text) | body_texts() | part_specs().map(lambda spec: spec.text))
def test_generated_specifications(text: str) -> None:
    agree(of_text(text))


def test_long_chains_are_no_matter_of_stacks() -> None:
    signs = ("+", "-", "*")
    text = "const S = " + "1" + "".join(f" {signs[place % 3]} {place}" for place in range(2_000)) + "\n"
    document = json_text(document_of(of_text(text)))
    assert model_text(of_json(document)) == text.replace("1", "1", 1)


def test_signs_and_kinds_of_numbers_stay() -> None:
    numbers = [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "1.0",
        "-1",
        "-1.5",
        "--1",
        "1e300",
        "12345678901234567890",
        "-(2 + 1)",
        "true",
    ]
    agree(of_text("".join(f"const d{place} = {number}\n" for place, number in enumerate(numbers))))


def test_words_of_borders_are_names_too() -> None:
    links = "    a <- x else (nearest)\n    a <- x else nearest\n"
    text = f"task t(x: u8[4]) -> (y: u8[4]) {{\n  repeat [nearest] of e {{\n{links}  }}\n}}\n"
    model = of_text(text)
    agree(model)
    borders = [link["border"] for link in document_of(model)["definitions"][0]["content"]["links"]]
    assert borders == [{"name": "nearest"}, "nearest"]


# Mistakes, by what is changed in a sound document: the code, the JSON pointer, and whether the schema sees it too.

SOUND: dict[str, Any] = {
    "arrayol": "specification",
    "format": 1,
    "definitions": [
        {"kind": "const", "name": "N", "value": 8},
        {
            "kind": "elementary",
            "name": "double",
            "signature": {"inputs": [{"name": "x", "type": "i32"}], "outputs": [{"name": "y", "type": "i32"}]},
            "body": [{"kind": "assign", "target": "y", "value": {"operator": "*", "left": 2, "right": "x"}}],
        },
        {
            "kind": "task",
            "name": "row",
            "signature": {
                "inputs": [{"name": "a", "type": "i32", "shape": ["N"]}],
                "outputs": [{"name": "b", "type": "i32", "shape": ["N"]}],
            },
            "content": {
                "shape": ["N"],
                "callee": "double",
                "links": [
                    {"kind": "input", "port": "x", "array": "a",
                     "tiler": {"origin": [0], "paving": [[1]], "fitting": []}},
                    {"kind": "output", "port": "y", "array": "b",
                     "tiler": {"origin": [0], "paving": [[1]], "fitting": []}},
                ],
            },
        },
    ],
}  # fmt: skip
TILER = "/definitions/2/content/links/0/tiler"
VALUE = "/definitions/1/body/0/value"
MISTAKES: list[tuple[str, Any, str, str, bool]] = [
    ("/arrayol", "result", "bad-json", "/arrayol", True),
    ("/format", 2, "other-format", "/format", True),
    ("/format", True, "other-format", "/format", True),
    ("/more", 1, "unknown-key", "/more", True),
    ("/definitions", {}, "bad-value", "/definitions", True),
    ("/definitions/0", 3, "bad-value", "/definitions/0", True),
    ("/definitions/0/kind", "constant", "bad-value", "/definitions/0", True),
    ("/definitions/0/name", "2N", "bad-value", "/definitions/0/name", True),
    ("/definitions/0/name", "for", "bad-value", "/definitions/0/name", False),
    ("/definitions/0/name", {"text": "N"}, "bad-value", "/definitions/0/name", True),
    ("/definitions/0/name", "row", "defined-twice", "/definitions/2/name", False),
    ("/definitions/0/value", None, "bad-value", "/definitions/0/value", True),
    ("/definitions/0/value", {"operand": 1}, "missing-key", "/definitions/0/value", True),
    ("/definitions/0/values", 3, "unknown-key", "/definitions/0/values", True),
    ("/definitions/0/span", 3, "unknown-key", "/definitions/0/span", True),
    ("/definitions/1/signature/inputs/0/type", "i999", "bad-width", "/definitions/1/signature/inputs/0/type", False),
    ("/definitions/1/signature/inputs/0/type", "int", "unknown-type", "/definitions/1/signature/inputs/0/type", False),
    ("/definitions/1/signature/inputs/0/shape", 3, "bad-value", "/definitions/1/signature/inputs/0/shape", True),
    ("/definitions/1/signature/inputs/0/shape", [0], "empty-dimension",
     "/definitions/1/signature/inputs/0/shape/0", False),
    ("/definitions/1/signature/inputs/0/shape", [1.5], "not-an-integer",
     "/definitions/1/signature/inputs/0/shape/0", False),
    ("/definitions/1/signature/outputs/0/name", "x", "defined-twice", "/definitions/1/signature/outputs/0/name", False),
    ("/definitions/1/extern", "a:b", "bad-value", "/definitions/1", False),
    (f"{VALUE}/operator", "**", "bad-value", f"{VALUE}/operator", True),
    (f"{VALUE}/left", {"operator": "-", "left": {"operator": "?", "left": 1, "right": 2}, "right": 3}, "bad-value",
     f"{VALUE}/left/left/operator", True),
    (f"{VALUE}/right", "z", "unknown-name", f"{VALUE}/right", False),
    (f"{VALUE}/right", {"function": "min", "arguments": []}, "bad-value", f"{VALUE}/right", False),
    (f"{VALUE}/right", {"name": "x", "subscripts": 3}, "bad-value", f"{VALUE}/right/subscripts", True),
    ("/definitions/2/content/callee", "doubel", "unknown-name", "/definitions/2/content/callee", False),
    ("/definitions/2/content/links/0/kind", "delay", "missing-key", "/definitions/2/content/links/0", True),
    (f"{TILER}/origin", [0, 0], "rank-mismatch", TILER, False),
    (f"{TILER}/paving", [[1], [1, 2]], "ragged-matrix", f"{TILER}/paving", False),
    (f"{TILER}/paving", [[1, 0]], "rank-mismatch", TILER, False),
    (f"{TILER}/paving", [1], "bad-value", f"{TILER}/paving/0", True),
    (f"{TILER}/paving", [[2]], "out-of-bounds", TILER, False),
    (f"{TILER}/wrap", 1, "bad-value", f"{TILER}/wrap", True),
]  # fmt: skip


def changed(pointer: str, value: object) -> dict[str, Any]:
    """The sound document with another value at a place."""
    document = deepcopy(SOUND)
    *steps, last = pointer.split("/")[1:]
    part: Any = document
    for step in steps:
        part = part[int(step) if step.isdigit() else step]
    part[int(last) if last.isdigit() else last] = value
    return document


def test_the_document_is_sound_but_for_what_is_changed() -> None:
    assert check_source(SourceFile("x.json", json.dumps(SOUND))).diagnostics == ()
    assert validator("specification").is_valid(SOUND)
    agree(of_json(json.dumps(SOUND)))


@pytest.mark.parametrize(("pointer", "value", "code", "place", "seen"), MISTAKES)
def test_mistakes_are_told_at_their_place(pointer: str, value: object, code: str, place: str, *, seen: bool) -> None:
    document = changed(pointer, value)
    for indent in (None, 2):
        found = check_source(SourceFile("x.json", json.dumps(document, indent=indent))).diagnostics
        assert (found[0].code, found[0].pointer, found[0].to_json()["pointer"]) == (code, place, place)
        assert f"\n  at: {place}" in render(found[0])
    assert validator("specification").is_valid(document) is not seen


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "bad-json", 1),
        ("[]", "bad-json", 1),
        ('{\n"arrayol": ', "bad-json", 2),
        ('{"arrayol": "specification",\n}', "bad-json", 2),
        ('{"arrayol": "specification",\n"format": 1,\n"format": 1}', "bad-json", 3),
        ('{"arrayol": "specification", "definitions": []}', "other-format", 1),
        ('{"arrayol": "specification", "format": 1,\n"definitions": [NaN]}', "bad-json", 2),
        ('{"arrayol": "specification", "format": 1,\n"definitions": [01]}', "bad-json", 2),
        (f'{{"arrayol": "specification", "format": 1,\n"definitions": [{"1" * 500}]}}', "number-too-long", 2),
        ('{"arrayol": "specification", "format": 1, "definitions": [\n{"kind": "const", "name": "N", "value": 1e999}]}',
         "number-too-large", 2),
        ('{"arrayol": "specification", "format": 1, "definitions": []}', "empty-file", 1),
        ('{"arrayol": "specification", "format": 1, "definitions": ["\\ud800\n"]}', "bad-json", 1),
    ],
)  # fmt: skip
def test_documents_that_are_none(text: str, code: str, line: int) -> None:
    (found,) = check_source(SourceFile("x.json", text)).diagnostics
    assert found.span is not None
    assert (found.code, found.span.place[1]) == (code, line)


def test_what_nests_too_deep_is_refused() -> None:
    value = "1"
    for _ in range(150):
        value = f'{{"operator": "-", "left": 1, "right": {value}}}'
    text = json.dumps(changed("/definitions/0/value", "HERE")).replace('"HERE"', value)
    assert [found.code for found in check_source(SourceFile("x.json", text)).diagnostics] == ["nested-too-deep"]
    loops = '{"kind": "loop", "ranges": [{"name": "k", "low": 0, "high": 1}], "body": ['
    deep = json.dumps(changed("/definitions/1/body", "HERE")).replace('"HERE"', f"[{loops * 300}{']}' * 300}]")
    assert check_source(SourceFile("x.json", deep)).diagnostics[0].code in ("nested-too-deep", "bad-value")
    lists = json.dumps(changed("/definitions/0", "HERE")).replace('"HERE"', "[" * 20_000 + "]" * 20_000)
    assert check_source(SourceFile("x.json", lists)).diagnostics[0].code == "bad-value"


WORDS: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "x", "N", "for", "*", "..", "nearest", [], {}, [[]], {"kind": "loop"}, "u8",
    {"name": "x", "subscripts": [0]}, {"operator": "-", "operand": 1}, {"kind": "call", "results": []}, "i4.12",
)  # fmt: skip


def damaged(document: Any, random: Random) -> Any:
    """A document in which one value, or a key, is another."""
    document = deepcopy(document)
    part: Any = document
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = random.choice(keys)
        if isinstance(part[key], dict | list) and part[key] and random.random() < 0.8:
            part = part[key]
            continue
        if isinstance(part, dict) and random.random() < 0.3:
            part[random.choice(("name", "kind", "shape", "tiler", "value", "span", "left"))] = part.pop(key)
        elif random.random() < 0.2:
            del part[key]
        else:
            part[key] = random.choice(WORDS)
        return document


@settings(max_examples=case_count(120), deadline=None)
@given(st.sampled_from(SPECS), st.integers(0, 2**32))
def test_damaged_documents_are_refused_in_our_words(path: Path, seed: int) -> None:
    """Whatever the schema refuses is refused; what is read agrees with its text."""
    random = Random(seed)
    document = document_of(of_text(path.read_text(encoding="utf-8")))
    for _ in range(random.choice((1, 1, 2, 4))):
        document = damaged(document, random)
    parsed = parse_json(SourceFile("x.json", json.dumps(document)))
    assert all(found.span is not None and render(found) for found in parsed.diagnostics)
    if not parsed.diagnostics:
        agree(parsed.tree)
