"""Content hashes: equal just where the content is, the same in every process, and new with every change of the code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import OrderedDict
from dataclasses import dataclass, field, make_dataclass, replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, PrivateAttr
from strategies_digest import ATOMS, content_values, told_apart

from arrayol.checks.check import load_checked
from arrayol.ir.network import flatten
from dse.jobs import digest as content
from dse.jobs.digest import LIBRARIES, PACKAGES, code_digest, digest
from dse.space.study import parse_constraint
from hwmodel.design import Blocks, GroupDesign, Processor, ReuseLevel, row_major
from hwmodel.platform import load_platform

SPECS = Path(__file__).resolve().parents[3] / "specs"


@given(content_values(), content_values())
def test_equal_just_where_the_content_is(one: Any, other: Any) -> None:
    assert (digest(one) == digest(other)) == (told_apart(one) == told_apart(other))
    assert len(digest(one)) == 32


def test_no_two_of_many_small_values_meet() -> None:
    """Where one value ends and the next begins is never open."""
    parts = [*ATOMS, (), ((),), {}, frozenset(), ("a", "b"), {"a": "b"}, frozenset({"a", "b"})]
    values = [*parts, *((one,) for one in parts), *product(parts, parts), *((pair,) for pair in product(parts, parts))]
    assert len({digest(value) for value in values}) == len({told_apart(value) for value in values}) > 7000
    assert len({digest(*value) for value in product(parts, repeat=2)}) == len({*map(told_apart, product(parts, parts))})


def test_texts_may_hold_what_the_encoding_puts_around_them() -> None:
    texts = ["".join(letters) for length in range(5) for letters in product("as", repeat=length)]
    values = [*product(texts, repeat=2), *product((text.encode() for text in texts), repeat=2)]
    values += [(one.replace("s", "b").encode(), other) for one, other in values[: len(texts) ** 2]]
    assert len({digest(*value) for value in {*values}}) == len({*values}) > 2000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({0, 8}, {8, 0}),  # Python walks them in these orders
        ((1, [2]), [1, (2,)]),
        ({1, 2}, frozenset({2, 1})),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, MappingProxyType({"a": 1})),
        ({"a": 1}, OrderedDict(a=1)),
        (np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3))),
        (np.arange(3), np.arange(0, 6)[:3]),
        (np.array([0, 2]), np.arange(4)[::2]),
    ],
)
def test_what_does_not_count(one: object, other: object) -> None:
    assert digest(one) == digest(other)


def test_places_in_files_do_not_count(tmp_path: Path) -> None:
    text = (SPECS / "lpsf.aol").read_text(encoding="utf-8")
    (tmp_path / "lpsf.aol").write_text("# moved\n\n" + text, encoding="utf-8")
    (tmp_path / "lpsf.toml").write_text("# moved\n" + (SPECS / "lpsf.toml").read_text(encoding="utf-8"), "utf-8")
    networks = [flatten(load_checked(folder / "lpsf.aol", {}), "lpsf") for folder in (SPECS, tmp_path)]
    platforms = [load_platform(folder / "lpsf.toml") for folder in (SPECS, tmp_path)]
    assert digest(networks[0]) == digest(networks[1])
    assert digest(platforms[0]) == digest(platforms[1])
    assert platforms[0].place("memory") != platforms[1].place("memory")
    smaller = flatten(load_checked(SPECS / "lpsf.aol", {"W": "64"}), "lpsf")
    assert digest(smaller) != digest(networks[0])


def test_every_field_of_a_design_and_of_a_platform_counts() -> None:
    design = GroupDesign((Processor("a", 2),), Blocks((1, 2), row_major(2)))
    changed = {
        "processors": (Processor("a", 3),),
        "schedule": Blocks((2, 1), row_major(2)),
        "fifos": frozenset({"x"}),
        "layouts": ("y",),
        "policy": "tile",
        "recompute": True,
        "keeps": (("x", ReuseLevel(1)),),
        "single_buffers": frozenset({"z"}),
    }
    designs = [design, *(replace(design, **{name: value}) for name, value in changed.items())]  # type: ignore[arg-type]
    assert changed.keys() == set(GroupDesign.__slots__)
    assert len({digest(one) for one in designs}) == len(designs)
    platform = load_platform(SPECS / "lpsf.toml")
    faster = platform.model_copy(update={"memory": platform.memory.model_copy(update={"latency": 7})})
    assert digest(platform) != digest(faster)
    assert digest(parse_constraint("lut <= 1")) != digest(parse_constraint("lut <= 2"))


@dataclass(frozen=True)
class Noted:
    """One field counts."""

    value: object
    note: str = field(default="", compare=False)


class Other(Noted):
    """Another class of equal fields."""


class Open(BaseModel):
    """Fields that are not declared count too, private ones do not."""

    model_config = ConfigDict(extra="allow")
    value: int = 0
    _note: str = PrivateAttr(default="")


def test_dataclasses_and_models() -> None:
    assert digest(Noted(1, "a")) == digest(Noted(1, "b"))
    apart = (Noted(1), Noted(2), Noted((1,)), Noted(Noted(1)), Other(1), (1,), {"value": 1})
    assert len({digest(one) for one in apart}) == len(apart)
    renamed = [make_dataclass("Same", [name])(1) for name in ("one", "other")]
    assert digest(renamed[0]) != digest(renamed[1])
    models = [Open(), Open(value=1), Open.model_validate({"more": 1}), Open.model_validate({"more": 2})]
    assert len({digest(one) for one in models}) == 4
    noted = Open()
    noted._note = "x"  # noqa: SLF001
    assert digest(noted) == digest(Open())


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (object(), "builtins.object"),
        (1j, "builtins.complex"),
        (Decimal(1), "decimal.Decimal"),
        (Path("a"), "pathlib."),
        (int, "builtins.type"),
        (Noted, "builtins.type"),
        (len, "builtins.builtin_function_or_method"),
        (bytearray(), "builtins.bytearray"),
        (iter(()), "builtins.tuple_iterator"),
        (np.ma.masked_array([1], [True]), "numpy.ma"),
        (np.array([None]), "object"),
        (np.zeros(1, [("a", "u1"), ("b", "i8")]), "'b', '<i8'"),
        (np.longdouble(1), "float128"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_other_types_are_refused_by_name(value: object, name: str) -> None:
    for holder in (value, (1, value), {"a": value}, Noted([value])):
        with pytest.raises(TypeError, match=f"^(values|arrays) of the type .*{name}.* have no content hash$"):
            digest(holder)


ELSEWHERE = """
from pathlib import Path
from strategies_digest import ATOMS
from dse.jobs.digest import code_digest, digest
from hwmodel.platform import load_platform
words = [str(number) for number in range(50)]
values = ATOMS, set(words), {word: frozenset(words[:5]) for word in words}
print(digest(values, load_platform(Path("lpsf.toml"))).hex(), code_digest().hex())
"""


def test_the_same_in_every_process() -> None:
    def run(seed: str) -> str:
        variables = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        command = [sys.executable, "-c", ELSEWHERE]
        return subprocess.run(command, env=variables, cwd=SPECS, capture_output=True, text=True, check=True).stdout

    found = {run("1"), run("2")}
    assert len(found) == 1
    assert found.pop().split()[1] == code_digest().hex()


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of a few files, taken for this one."""
    for name in (
        "arrayol/language/syntax/grammar.lark",
        "arrayol/errors.py",
        "hwmodel/design.py",
        "dse/space/task_graph.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SPECS.parent / name, tmp_path / name)
    monkeypatch.setattr(content, "files", lambda package: tmp_path / package)
    return tmp_path


def hashed() -> bytes:
    return code_digest.__wrapped__()


def test_every_change_of_the_code_counts(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = [hashed()]
    (copied / "dse" / "graph.py").write_text("changed", encoding="utf-8")
    seen.append(hashed())
    (copied / "arrayol" / "language" / "syntax" / "grammar.lark").write_text("changed", encoding="utf-8")
    seen.append(hashed())
    (copied / "hwmodel" / "more").mkdir()
    (copied / "hwmodel" / "design.py").rename(copied / "hwmodel" / "more" / "design.py")
    seen.append(hashed())
    (copied / "dse" / "new.json").touch()
    seen.append(hashed())
    for library in LIBRARIES:
        with monkeypatch.context() as patched:
            patched.setattr(content, "version", lambda name, new=library: "9" if name == new else "1")
            seen.append(hashed())
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    seen.append(hashed())
    assert len(set(seen)) == len(seen)


def test_what_python_leaves_beside_the_code_does_not_count(copied: Path) -> None:
    before = hashed()
    for name in ("dse/__pycache__/graph.cpython-311.pyc", "dse/.graph.py.swp", "arrayol/specs/lpsf.aol"):
        (copied / name).parent.mkdir(exist_ok=True)
        (copied / name).touch()
    assert hashed() == before


def test_all_of_this_program_is_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, object]] = []
    monkeypatch.setattr(content, "digest", lambda *values: seen.extend(values) or b"")
    hashed()
    command = ["git", "-c", "safe.directory=*", "ls-files", *PACKAGES]
    tracked = subprocess.run(command, cwd=SPECS.parent, capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in tracked if (SPECS.parent / name).exists()} <= seen[0].keys()
    assert seen[1].keys() == {*LIBRARIES}


@given(st.integers())
def test_integers_of_any_size(value: int) -> None:
    assert len({digest(value), digest(value + 1), digest(-value - 1), digest(str(value))}) == 4
