"""Every shipped specification: sound, canonical, listed, executed and explored."""

from __future__ import annotations

import pytest
from conftest import CommandLine
from shipped import SMALL, any_input, run

from arrayol import api
from arrayol.checks.check import check, load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.language.namespace import read_source
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.printer import print_file
from hwmodel.assumptions import assumed_by_machine
from hwmodel.platform import find_platform

NAMES = sorted(path.stem for path in shipped_folder().glob("*.aol"))
every = pytest.mark.parametrize("name", NAMES)


def test_every_one_has_a_small_size() -> None:
    assert sorted(SMALL) == NAMES


@every
def test_it_is_sound_and_canonical(name: str) -> None:
    path = shipped_folder() / f"{name}.aol"
    assert check(path).diagnostics == ()
    assert check(path, SMALL[name]).diagnostics == ()
    source = read_source(path)
    assert print_file(parse(source)) == source.text
    assert max(map(len, source.text.splitlines())) <= 120


def test_example_lists_it_with_its_first_line(arrayol: CommandLine) -> None:
    listed = dict(line.split(maxsplit=1) for line in arrayol("example").stdout.splitlines())
    texts = {name: (shipped_folder() / f"{name}.aol").read_text(encoding="utf-8").splitlines() for name in NAMES}
    assert listed == {name: lines[0].removeprefix("# ") for name, lines in texts.items()}
    # what it computes, and where it comes from; lpsf.aol says both in one line
    assert [name for name, lines in texts.items() if not lines[1].startswith("# ")] == ["lpsf"]


@every
def test_it_runs(name: str) -> None:
    spec = load_checked(shipped_folder() / f"{name}.aol", SMALL[name])
    component = spec.components[choose_top(spec, None)]
    found = run(name, {port.name: any_input(port, 2) for port in spec.given_inputs(component)}, **SMALL[name])
    assert {output: array.ndim for output, array in found.items()} == {
        port.name: len(port.shape) for port in component.outputs
    }


@every
def test_it_can_be_explored(name: str) -> None:
    """At its full size, on the platform beside it or the default; an infinite dimension counts as one frame."""
    found = api.explore(api.load(shipped_folder() / f"{name}.aol"), model="published")
    assert found.result.exact
    assert found.result.pareto


@every
def test_its_platform_counts_all_that_it_keeps(name: str) -> None:
    """Bits of const arrays and of locals have their costs."""
    path = shipped_folder() / f"{name}.aol"
    spec = load_checked(path)
    platform, origin = find_platform(path, None)
    remarks = assumed_by_machine(flatten(spec, choose_top(spec, None)), platform, origin)
    assert not [remark for remark in remarks if "_bits" in remark and "does not give" in remark]
