"""The fuzz test's own parts: what breaks is told, and made small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from case import Case, read_case
from drawn import KINDS, drawn
from guard import Guard
from minimal import minimal

BREAKING = {
    "error": ("raise KeyError('x')", "exit 70: KeyError in breaks.py: error"),
    "warning": ("warnings.warn('x')", "exit 70: UserWarning in breaks.py: warning"),
    "hang": ("while True: pass", "more than 1 s of processor time"),
    "memory": ("bytearray(1 << 30)", "check takes more memory than the guard allows"),
    "silence": ("context.exit(1)", "check ends with 1 without a word"),
    "code": ("click.echo('no'); context.exit(9)", "exit 9: an internal error"),
    "abort": ("os.abort()", "the process ends by SIGABRT"),
    "file": ("open('half', 'w').close(); click.echo('no'); context.exit(1)", "check changes files and ends with 1"),
    "json": ("click.echo('{\"x\": NaN}')", "--json prints no JSON"),
}
COMMAND = """\
import os, warnings
import click

@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1)
@click.pass_context
def command(context, words):
    globals()[words[0]](context)

"""


def test_what_breaks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a command `check` of its own in the guarded process; the next case is judged all the same."""
    functions = (f"def {name}(context):\n    {body}\n" for name, (body, _) in BREAKING.items())
    (tmp_path / "breaks.py").write_text(COMMAND + "".join(functions), encoding="utf-8")
    table = "from arrayol.cli.command_table import COMMANDS\nCOMMANDS['check'] = ('breaks', '')\n"
    (tmp_path / "sitecustomize.py").write_text(table, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Guard(cpu_seconds=1, memory=1 << 29) as guard:
        told = {name: guard.judge(Case({}, (("check", name, "--json"),))).sort for name in BREAKING}
        assert guard.judge(Case({}, (("--help",),))).wrong is None
    assert told == {name: sort for name, (_, sort) in BREAKING.items()}


def test_a_failing_case_becomes_small() -> None:
    files = {"a": b"one\ntwo three four\nfive\n", "b": b"six"}
    case = Case(files, (("check", "a", "--json"), ("fmt", "b", "--check")))

    def fails(other: Case) -> bool:
        return b"three" in other.files.get("a", b"") and any(command[:2] == ("fmt", "b") for command in other.commands)

    small = minimal(case, fails, tries=200)
    assert small == Case({"a": b"three"}, (("fmt", "b"),))


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_is_the_same_again_and_survives_its_file(kind: str, tmp_path: Path) -> None:
    for place in range(5):
        case = drawn(kind, 3, place)
        assert drawn(kind, 3, place) == case
        (tmp_path / "case.json").write_text(case.to_json(), encoding="ascii")
        assert read_case(tmp_path / "case.json") == case


FORMS = {
    "part": r"\w\[[^\]\n]*\.\.[^\]\n]*\][^{\n]*\)|= *\w+\(\w+\[",
    "exit": r"\w +delay *\[[^\]]*\] *->",
    "parameters": r"\b(?:elementary|task) +\w+\[",
    "fixed point": r"\b[iu]\d+\.\d+",
    "odd width": r"\b[iu](?!8\b|16\b|32\b|64\b)\d+\b(?!\.\d)(?=[\[\),\s(])",
}


@pytest.mark.parametrize("kind", ["sound", "deep"])
def test_the_newer_forms_of_the_language_come_up(kind: str) -> None:
    texts = [drawn(kind, 15, place).files["main.aol"].decode("utf-8", "replace") for place in range(200)]
    shares = {name: sum(bool(re.search(form, text)) for text in texts) / len(texts) for name, form in FORMS.items()}
    assert min(shares.values()) >= 0.05, shares
