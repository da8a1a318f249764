"""Rules of this code: names that say something, docstrings that stand by themselves, small folders, one name a thing.

Class names that stand in several modules of a package are listed still; the list may only shrink, and the test fails as
well where an entry is no longer needed.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from house_rules_left import CLASS_NAMES_LEFT

ROOT = Path(__file__).parents[1]
PACKAGES = ("arrayol", "hwmodel", "dse")
VAGUE = {"told", "asked", "alone", "around", "taken", "made", "found", "left", "rest", "apart", "beside", "own"}
VAGUE |= {"one", "some", "how", "dear"}
ALWAYS_VAGUE = {"told", "asked", "alone", "beside", "dear"}
LITTLE = {"by", "of", "in", "to", "is", "on", "at", "the", "each", "all", "its", "it", "not", "are"}
BACK_REFERENCE = re.compile(r"(The same|Those|Of)\b")
ALGORITHMS = (
    *(
        "arrayol/c_import",
        "arrayol/execute",
        "arrayol/ir",
        "arrayol/polyhedral",
        "arrayol/tiling",
        "arrayol/transforms",
    ),
    *("dse/pareto", "dse/search", "dse/space"),
    *("hwmodel/banks", "hwmodel/cost_model", "hwmodel/datapath", "hwmodel/emit", "hwmodel/local_memory"),
    *("hwmodel/simulator", "hwmodel/transfers"),
)
MODULES_IN_A_FOLDER = 20
COMMENTS_IN_1000_LINES = 10


def is_vague(name: str) -> bool:
    """Whether a name has a word that is always vague, or vague and little words only."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_")
    words = set(parts)
    return bool(words & ALWAYS_VAGUE) or (bool(words & VAGUE) and words <= VAGUE | LITTLE)


@cache
def sources() -> dict[str, ast.Module]:
    """The syntax tree of every module of the packages, by path."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """All functions and classes of a module, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef))


@pytest.mark.parametrize("name", ["_told", "some_of", "OneByOne", "asked_mhz", "made"])
def test_vague_names_are_seen(name: str) -> None:
    assert is_vague(name)


@pytest.mark.parametrize("name", ["in_one_level", "one_frame", "shifted_left", "own_array", "target_mhz"])
def test_names_with_a_noun_are_not_vague(name: str) -> None:
    assert not is_vague(name)


def test_no_function_class_or_module_has_a_vague_name() -> None:
    vague = [(path, node.name) for path, tree in sources().items() for node in definitions(tree) if is_vague(node.name)]
    vague += [(path, Path(path).stem) for path in sources() if is_vague(Path(path).stem)]
    assert vague == []


def test_docstrings_do_not_begin_with_what_refers_to_another() -> None:
    referring = [
        (path, getattr(node, "name", ""))
        for path, tree in sources().items()
        for node in (tree, *definitions(tree))
        if BACK_REFERENCE.match(ast.get_docstring(node) or "")
    ]
    assert referring == []


def test_a_class_name_stands_in_one_module_of_a_package() -> None:
    """Classes of one module alone, with a leading underscore, may share a name."""
    places: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path, tree in sources().items():
        for node in definitions(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[path.partition("/")[0], node.name].add(path)
    several: dict[str, set[str]] = defaultdict(set)
    for (package, name), paths in places.items():
        if len(paths) > 1:
            several[package].add(name)
    assert dict(several) == CLASS_NAMES_LEFT


def test_a_folder_has_few_modules() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path in sources():
        counts[Path(path).parent.as_posix()] += not path.endswith("__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MODULES_IN_A_FOLDER} == {}


def test_the_type_of_integer_arrays_has_one_name() -> None:
    alias = re.compile(r"^(?:type )?(\w+)(?:: \w+)? = NDArray\[np\.int64\]$", re.MULTILINE)
    places = [path for path in sources() if alias.search((ROOT / path).read_text(encoding="utf-8"))]
    assert places == ["arrayol/arrays.py"]


def comments_in_1000_lines(room: str) -> int:
    """Comments in 1,000 lines of a room's code, those to tools left out; formatted code has two blanks before one."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / room).rglob("*.py")]
    comments = sum(
        len(re.findall(r"^ *# (?!noqa|type:|ruff:|pragma)|  # (?!noqa|type:)", text, re.MULTILINE)) for text in texts
    )
    return 1000 * comments // sum(text.count("\n") for text in texts)


@pytest.mark.parametrize("room", ALGORITHMS)
def test_algorithms_have_comments_that_say_why(room: str) -> None:
    assert comments_in_1000_lines(room) >= COMMENTS_IN_1000_LINES
