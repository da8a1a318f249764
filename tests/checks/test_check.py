"""The door of the checks: what callers get who want a sound specification and one top task."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.checks.check import check, load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Spec

TASK = "task {}(x: u8) -> (y: u8) {{\n  y = e(x)\n}}\n"
ELEMENTARY = "elementary e(x: u8) -> (y: u8) {\n  y = x\n}\n"


def spec(folder: Path, *tasks: str) -> Spec:
    path = folder / "x.aol"
    path.write_text(ELEMENTARY + "".join(TASK.format(name) for name in tasks), encoding="utf-8")
    return load_checked(path)


def refusal(found: Spec, name: str | None) -> str:
    with pytest.raises(ArrayolError) as caught:
        choose_top(found, name)
    return str(caught.value).removeprefix(f"{found.name}: ")


def test_top_task(tmp_path: Path) -> None:
    assert choose_top(spec(tmp_path, "one"), None) == "one"
    assert choose_top(spec(tmp_path, "one", "two"), "two") == "two"
    assert choose_top(spec(tmp_path, "one"), "e") == "e"


def test_no_top_task(tmp_path: Path) -> None:
    two = spec(tmp_path, "one", "two")
    assert refusal(two, "three") == "error[unknown-task]: there is no task 'three'\n  hint: its tasks are one, two"
    assert refusal(two, "onne") == "error[unknown-task]: there is no task 'onne'\n  hint: did you mean 'one'?"
    several = "error[several-top-tasks]: nothing calls one, two\n  hint: name the one you mean with --top"
    assert refusal(two, None) == several
    path = tmp_path / "x.aol"
    path.write_text(ELEMENTARY + ELEMENTARY.replace(" e(", " f("), encoding="utf-8")
    none = "error[no-top-task]: the specification holds no task\n  hint: add one"
    assert refusal(load_checked(path), None) == f"{none}, or name one of its elementaries with --top"
    path.write_text("const N = 4\n", encoding="utf-8")
    assert refusal(load_checked(path), None) == none


def test_one_elementary_and_no_task_is_its_one_call(tmp_path: Path) -> None:
    assert choose_top(spec(tmp_path), None) == "e"


def test_errors_are_raised_without_the_warnings(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text("const N = 4\n" + ELEMENTARY + TASK.format("one"), encoding="utf-8")
    assert [found.code for found in check(path).diagnostics] == ["unused"]
    assert load_checked(path).constants == {"N": 4}
    delayed = (
        "elementary d(x: u8, p: u8) -> (y: u8) {\n  y = x + p\n}\n"
        "task t(x: u8[4]) -> (y: u8[4]) {\n  repeat [4] of d {\n"
        "    x <- x at origin [0] paving [1] fitting []\n    p <- y delay [9] else 0\n"
        "    y -> y at origin [1] paving [1] fitting []\n  }\n}\n"
    )
    path.write_text(delayed, encoding="utf-8")
    assert [found.code for found in check(path).diagnostics] == ["delay-never-acts", "out-of-bounds"]
    with pytest.raises(ArrayolError) as caught:
        load_checked(path)
    assert [found.code for found in caught.value.diagnostics] == ["out-of-bounds"]
