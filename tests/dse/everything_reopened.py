"""Generated specifications explored with every option, and their results opened by all that opens results.

For a long run, in the repository with the folders of `pythonpath` in pyproject.toml on the path:

    .venv/bin/python tests/dse/everything_reopened.py 500
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from explored import write_undrawn
from hypothesis import strategies as st
from many_cases import on_many
from strategies_designs import streams
from strategies_transforms import linked_specs

from arrayol import api
from arrayol.errors import ArrayolError, Diagnostic, InfeasibleError, render
from dse.jobs.runner import Resources
from dse.output.folder import load_result
from dse.results.exploration import Exploration
from dse.results.schema import Result
from dse.space.study import Study
from dse.verify.testbench import bench_inputs

TECHNOLOGIES = tuple(
    sorted(file.name.removesuffix(".toml") for file in files("hwmodel.datapath.technology.tables").iterdir())
)
OBJECTIVES = (
    "latency_cycles", "internal_memory_data", "internal_memory_bits", "traffic_bytes", "port_bytes", "units",
    "frame_cycles", "memory_blocks", "setup_cycles", "rom_bits", "local_bits", "latency_microseconds",
    "frames_per_second", "energy_nj", "power_mw", "lut", "ff", "area",
)  # fmt: skip
SELDOM = ("memory_blocks", "setup_cycles", "rom_bits", "local_bits", "lut", "ff", "area")
SURE = ("latency_cycles", "internal_memory_data")  # figures of every design
NO_FIGURE = ("no-block-size", "nothing-resident", "no-energy", "missing-cost", "unknown-objective", "no-clock")
DESIGNS = 4  # of a result that are opened and simulated

seen: Counter[str] = Counter()


@dataclass(frozen=True)
class Asked:
    """A specification with a platform, both as texts, and what is asked of the exploration."""

    spec: str
    platform: str
    study: Mapping[str, Any]
    objectives: tuple[str, ...]
    options: Mapping[str, Any]
    narrow: bool
    verify: bool | None
    loads: tuple[str, ...]
    features: frozenset[str]


@st.composite
def platform_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A platform's file, and its technology."""
    technology = draw(st.sampled_from(TECHNOLOGIES))
    local = {
        "banks": 4,
        "access_cycles": draw(st.integers(1, 2)),
        "block_bits": draw(st.sampled_from((None, 200))),
        "register_bits": draw(st.sampled_from((0, 64, 512))),
        "ports": draw(st.sampled_from(('"1w1r"', '"1w2r"'))),
    }
    memory = {
        "latency": draw(st.integers(0, 30)),
        "word_bits": draw(st.sampled_from((64, 64, 128))),
        "port": draw(st.sampled_from(('"shared"', '"separate"'))),
        "burst": draw(st.sampled_from(('"box"', '"run"'))),
    }
    lines = [f"clock_mhz = {draw(st.sampled_from((33.3, 50, 100)))}", f'technology = "{technology}"']
    for name, table in (("memory", memory), ("local", local)):
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in table.items() if value is not None)]
    if draw(st.booleans()):
        lines += ["[cost]", "rom_bits = { area = 0.0625 }", "local_bits = { lut = 0.3 }"]
    return "\n".join(lines) + "\n", technology


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """Few tasks, any technology, and options of every kind."""
    linked = draw(st.one_of(streams(), linked_specs()))
    platform, technology = draw(platform_texts())
    narrow = draw(st.booleans())  # with all options open only rounds end soon
    method = draw(st.sampled_from(("auto", "exact", "rounds", "nsga2", "exhaustive") if narrow else ("rounds",)))
    study: dict[str, Any] = {
        "blocks": draw(st.sampled_from(("ladder", "divisors"))),
        "cuts": draw(st.sampled_from((("none",), ("none", "lines")))),
        "links": draw(st.sampled_from((("buffer",), ("buffer", "fifo")))),
        "layouts": draw(st.sampled_from((("none",), ("none", "linear"), ("linear",)))),
        "policies": draw(st.sampled_from((("reuse",), ("reuse", "strip", "whole", "tile", "levels"), ("tile",)))),
        "recompute": draw(st.sampled_from(((False,), (False, True)))),
        "splits": draw(st.sampled_from(("none", "ladder"))),
        "units": draw(st.sampled_from(((1,), (1, 2, 3)))),
        "reuse_memory": draw(st.booleans()),
        "epsilon": draw(st.sampled_from((0.0, 0.0, 0.1))),
        "longest_group": draw(st.sampled_from((None, None, 1, 2))),
    }
    usual = st.lists(st.sampled_from([name for name in OBJECTIVES if name not in SELDOM]), min_size=1, max_size=4)
    chosen = draw(st.one_of(usual, usual, st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=4)))
    published = draw(st.integers(0, 5)) == 0
    options = {
        "model": "published" if published else "machine",
        "method": "auto" if published else method,
        "seed": draw(st.integers(0, 3)),
        "budget": 1.0,
        "keep_all": draw(st.booleans()),
    }
    return Asked(
        linked.text,
        platform,
        study,
        tuple(dict.fromkeys(chosen)),
        options,
        narrow=narrow,
        verify=draw(st.sampled_from((None, False, True))),
        loads=tuple(draw(st.lists(st.sampled_from(("frame", "once")), max_size=2, unique=True))),
        features=linked.features | {technology, method, "published" if published else "machine"},
    )


def check(case: Asked) -> None:
    """What is explored is opened again by everything that opens results, whole and design by design."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        spec = folder / "t.aol"
        spec.write_text(case.spec, encoding="utf-8")
        spec.with_suffix(".toml").write_text(case.platform, encoding="utf-8")
        try:
            try:
                found = _explored(spec, case, Resources(folder=folder / "work"))
            except ArrayolError as refused:
                if refused.diagnostics[0].code not in NO_FIGURE:
                    raise
                case = replace(case, objectives=SURE)
                found = _explored(spec, case, Resources(folder=folder / "work"))
        except InfeasibleError:
            seen["infeasible"] += 1
            return
        except ArrayolError as refused:
            seen[f"refused: {refused.diagnostics[0].code}"] += 1
            return
        write_undrawn(found, folder / "result")
        _opened(spec, folder / "result", found.result)
        if case.options["method"] != "exhaustive":
            again = _explored(spec, case, Resources(folder=folder / "work", resume=True))
            assert again.result == found.result
        seen["explored"] += 1
        seen.update(case.features)


def _explored(spec: Path, case: Asked, resources: Resources) -> Exploration:
    options: dict[str, Any] = dict(case.options)
    if options["model"] == "machine":
        top = api.load(spec)
        arrays = top.components[list(top.components)[-1]].inputs
        table = (
            {arrays[0].name: {"load": list(case.loads)}}
            if case.loads and arrays and None not in arrays[0].shape
            else {}
        )
        study = Study.model_validate({**case.study, "array": table})
        options["space"] = api.Space(study, narrow=case.narrow, verify=case.verify, assume_datapaths=True)
        options["resources"] = resources if options["method"] != "exhaustive" else None
    return api.explore(spec, objectives=case.objectives, **options)


def _opened(spec: Path, folder: Path, result: Result) -> None:
    """By the commands that open a result; no design of it is left out."""
    assert load_result(folder, _no_warning) == result
    _require_same_numbers(folder, result)
    api.compare(result, load_result(folder, _no_warning), _no_warning)
    api.write_report(folder, designs=[result.pareto[-1].id] if result.is_mapped else ())
    for design in result.pareto[:DESIGNS]:
        if design.steps is not None:
            api.transform_design(spec, folder, design.id, warn=_no_warning)
    for design in _some(result.stored) if result.is_mapped else ():
        opened = api.open_design(spec, folder, design.id, warn=_no_warning)
        opened.simulate(bench_inputs(opened.spec, opened.accesses)).require_agreement()


def _some(designs: Sequence[Any]) -> Sequence[Any]:
    return [designs[at] for at in sorted({at * (len(designs) - 1) // (DESIGNS - 1) for at in range(DESIGNS)})]


def _require_same_numbers(folder: Path, result: Result) -> None:
    """The table has the figures of the document, to the last digit."""
    with (folder / "designs.csv").open(encoding="utf-8", newline="") as table:
        rows = {row["id"]: row for row in csv.DictReader(table)}
    for design in result.stored:
        for name, value in design.objectives.items():
            column = next(key for key in rows[design.id] if key == name or key.startswith(f"{name} "))
            assert float(rows[design.id][column]) == value


def _no_warning(warning: Diagnostic) -> None:
    raise AssertionError(render(warning))


def run(cases: int, seed: int | None = None) -> str:
    """Check so many, and say what they were."""
    seen.clear()
    on_many(cases, seed, check, asked())
    return ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))


@click.command()
@click.argument("cases", type=click.IntRange(1))
@click.option("--seed", type=int, help="Other cases than those of the tests.")
def main(cases: int, seed: int | None) -> None:
    """Explore so many generated specifications with every option, and open what that writes."""
    click.echo(run(cases, seed))


if __name__ == "__main__":
    sys.exit(main())
