"""Generated specifications explored with every option, and their results opened by all that opens results.

For a long run, in the repository with the folders of `pythonpath` in pyproject.toml on the path:

    .venv/bin/python tests/dse/everything_reopened.py 500
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from explored import write_undrawn
from hypothesis import assume
from hypothesis import strategies as st
from many_cases import on_many
from spec_data import loaded
from strategies_designs import streams
from strategies_scalars import scalar_specs
from strategies_spaces import SCANS
from strategies_transforms import linked_specs

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, Diagnostic, InfeasibleError, render
from arrayol.ir.network import Network
from arrayol.transforms.steps import canonical_form
from dse.jobs.runner import Resources
from dse.output.folder import load_result
from dse.output.hardware.cpp import EmittedHls
from dse.output.hardware.emission import emit_hardware
from dse.output.hardware.verilog import EmittedVerilog
from dse.output.open_design import StoredDesign
from dse.results.exploration import Exploration
from dse.results.schema import Result
from dse.space.study import Study
from dse.verify.testbench import accepted_data, random_data
from hwmodel.accesses import Accesses
from hwmodel.frame_steps import require_in_step

TECHNOLOGIES = tuple(
    sorted(file.name.removesuffix(".toml") for file in files("hwmodel.datapath.technology.tables").iterdir())
)
OBJECTIVES = (
    "latency_cycles", "internal_memory_elements", "internal_memory_bits", "traffic_bytes", "port_bytes", "units",
    "frame_cycles", "memory_blocks", "setup_cycles", "rom_bits", "local_bits", "latency_microseconds",
    "frames_per_second", "energy_nj", "power_mw", "lut", "ff", "dsp", "bram", "area",
)  # fmt: skip
USUAL = OBJECTIVES[:7]
SURE = ("latency_cycles", "internal_memory_elements")  # figures of every design
NO_FIGURE = ("no-block-size", "nothing-resident", "no-energy", "missing-cost", "unknown-objective", "no-clock")
REFUSED = ("not-emitted", "not-in-hardware", "missing-operator")  # what has no hardware, with its reason
SIMULATED = 3  # designs of a result
SECONDS = 8.0  # of the clock, for one exploration: what is left then opens too

seen: Counter[str] = Counter()


@dataclass(frozen=True)
class AskedExploration:
    """A specification with a platform, both as texts, and what is asked of the exploration."""

    spec: str
    platform: str
    study: Mapping[str, Any]
    objectives: tuple[str, ...]
    options: Mapping[str, Any]
    narrow: bool
    verify: bool | None
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
        "burst": draw(st.sampled_from(('"run"', '"run"', '"box"'))),
    }
    lines = [f"clock_mhz = {draw(st.sampled_from((33.3, 50, 100)))}", f'technology = "{technology}"']
    for name, table in (("memory", memory), ("local", local)):
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in table.items() if value is not None)]
    if draw(st.booleans()):
        lines += ["[cost]", "rom_bits = { area = 0.0625 }", "local_bits = { lut = 0.3 }"]
    return "\n".join(lines) + "\n", technology


@st.composite
def asked(draw: st.DrawFn) -> AskedExploration:
    """Few tasks, any technology, and options of every kind."""
    linked = draw(st.one_of(streams(), linked_specs(), linked_specs(), scalar_specs(most=3)))
    platform, technology = draw(platform_texts())
    narrow = draw(st.booleans())
    published = draw(st.integers(0, 7)) == 7
    method = draw(st.sampled_from(("auto", "exact", "rounds", "nsga2", "exhaustive")))
    spec = loaded(linked.text)
    try:
        network = canonical_form(spec, choose_top(spec, None)).network
        require_in_step(Accesses(network))
    except ArrayolError:  # what is refused before anything is explored
        assume(False)
    study = draw(studies(network, narrow=narrow))
    usual = st.lists(st.sampled_from(USUAL), min_size=1, max_size=3)
    chosen = draw(st.one_of(usual, st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=4)))
    options = {
        "model": "published" if published else "machine",
        "method": "auto" if published else method,
        "seed": draw(st.integers(0, 3)),
        "budget": draw(st.sampled_from((0.1, 0.5))) if method == "rounds" and not published else None,
        "keep_all": draw(st.booleans()),
        "timeout": SECONDS,
    }
    opened = {name for name, values in OPENED.items() if study.get(name, values[0]) != values[0]}
    return AskedExploration(
        linked.text,
        platform,
        study,
        tuple(dict.fromkeys(chosen)),
        options,
        narrow=narrow,
        verify=draw(st.sampled_from((None, False, True))),
        features=frozenset(linked.features | opened | {technology, "narrow" if narrow else "open"})
        if not published
        else frozenset(linked.features | {"published"}),
    )


OPENED: dict[str, tuple[Any, ...]] = {  # plain, and what else may be chosen
    "cuts": (("none",), ("none", "lines")),
    "links": (("buffer",), ("buffer", "fifo")),
    "layouts": (("none",), ("none", "linear"), ("linear",)),
    "policies": (("reuse",), ("reuse", "strip", "whole", "tile"), ("tile",), ("levels",)),
    "recompute": ((False,), (False, True)),
    "splits": ("none", "ladder"),
    "reuse_memory": (False, True),
    "longest_group": (None, 1, 2),
    "epsilon": (0.0, 0.1),
    "slack": (0.0, 0.05),
}


@st.composite
def studies(draw: st.DrawFn, network: Network, *, narrow: bool) -> dict[str, Any]:
    """Few blocks and scans; at most two of the other choices are open, so that explorations end soon."""
    opened = draw(st.lists(st.sampled_from(list(OPENED)), max_size=2, unique=True))
    study = {name: draw(st.sampled_from(OPENED[name][1:])) if name in opened else OPENED[name][0] for name in OPENED}
    study["units"] = draw(st.sampled_from(((1,), (1, 2), (1, 2))))
    if study["splits"] != "none" or (narrow and draw(st.integers(0, 3)) == 0):
        return {**study, "blocks": "ladder"}  # splits give tasks of other names
    ranks = {len(process.repetition) for process in network.processes.values()}
    study["blocks"] = {name: draw(block_shapes(process.repetition)) for name, process in network.processes.items()}
    if draw(st.booleans()):
        study["orders"] = tuple(text for rank in sorted(ranks) for text in SCANS.get(rank, ())[:2]) or "legal"
    loads = draw(st.lists(st.sampled_from(("frame", "once")), max_size=2, unique=True))
    finite = [name for name in network.inputs if None not in network.arrays[name].shape]
    return {**study, "array": {finite[0]: {"load": loads}} if loads and finite else {}}


@st.composite
def block_shapes(draw: st.DrawFn, repetition: Sequence[int | None]) -> list[list[int]]:
    """The smallest block of a repetition, and another."""
    other = [draw(st.integers(1, extent or 1)) for extent in repetition]
    return [list(shape) for shape in dict.fromkeys([(1,) * len(other), tuple(other)])]


def check(case: AskedExploration) -> None:
    """What is explored is opened again by everything that opens results, whole and design by design."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        spec = folder / "t.aol"
        spec.write_text(case.spec, encoding="utf-8")
        spec.with_suffix(".toml").write_text(case.platform, encoding="utf-8")
        try:
            case, found = _explored_somehow(spec, case)
        except InfeasibleError:
            seen["infeasible"] += 1
            return
        except ArrayolError as refused:
            seen[f"refused: {refused.diagnostics[0].code}"] += 1
            return
        write_undrawn(found, folder / "result")
        _require_opened(spec, folder / "result", found.result)
        if case.options["method"] != "exhaustive" and case.options["model"] == "machine" and found.result.complete:
            assert _explored(spec, case, resume=True).result == found.result
            seen["resumed"] += 1
        seen["explored"] += 1
        seen.update(case.features | {f"method {found.result.method}"})
        seen.update(f"objective {objective}" for objective in case.objectives)


def _explored_somehow(spec: Path, case: AskedExploration) -> tuple[AskedExploration, Exploration]:
    """The exploration; in figures that every design has where the platform does not say what others cost.

    By the method that suits where the drawn one is refused.
    """
    try:
        return case, _explored(spec, case)
    except ArrayolError as refused:
        code = refused.diagnostics[0].code
        if code == "method-refused" and case.options["method"] != "auto":
            return _explored_somehow(spec, replace(case, options={**case.options, "method": "auto", "budget": None}))
        if code in NO_FIGURE and case.objectives != SURE:
            return _explored_somehow(spec, replace(case, objectives=SURE))
        raise


def _explored(spec: Path, case: AskedExploration, *, resume: bool = False) -> Exploration:
    options: dict[str, Any] = dict(case.options)
    if options["model"] == "machine":
        study = Study.model_validate(dict(case.study))
        options["space"] = api.Space(study, narrow=case.narrow, verify=case.verify, assume_datapaths=True)
        options["resources"] = (
            Resources(folder=spec.parent / "work", resume=resume) if options["method"] != "exhaustive" else None
        )
    return api.explore(spec, objectives=case.objectives, **options)


def _require_opened(spec: Path, folder: Path, result: Result) -> None:
    """By the commands that open a result; no design of it is left out."""
    assert load_result(folder, _no_warning) == result
    _require_same_numbers(folder, result)
    api.compare(result, load_result(folder, _no_warning), _no_warning)
    api.write_report(folder, designs=[result.pareto[-1].id] if result.is_mapped else ())
    for design in _some(result.pareto):
        if design.steps is not None:
            api.transform_design(spec, folder, design.id, warn=_no_warning)
            seen["transformed"] += 1
    for design in _some(result.stored) if result.is_mapped else ():
        opened = api.open_design(spec, folder, design.id, warn=_no_warning)
        data = accepted_data(opened.spec, opened.accesses) or random_data(opened.spec, opened.accesses)
        opened.simulate(data.inputs).require_agreement()
        seen["simulated"] += 1
    if result.is_mapped:
        _require_emitted(partial(api.open_design, spec, folder, warn=_no_warning), result)


def _require_emitted(open_design: Callable[[str], StoredDesign], result: Result) -> None:
    """One design is emitted in each form, or refused with the reason why it has no hardware."""
    opened = open_design(result.stored[len(result.stored) // 2].id)
    for form in (EmittedVerilog, EmittedHls):
        try:
            assert emit_hardware(form, opened).files
            seen[f"emitted as {form.__name__}"] += 1
        except ArrayolError as refused:
            if refused.diagnostics[0].code not in REFUSED:
                raise
            seen[f"{form.__name__}: {refused.diagnostics[0].code}"] += 1


def _some(designs: Sequence[Any]) -> Sequence[Any]:
    return [designs[at] for at in sorted({at * (len(designs) - 1) // (SIMULATED - 1) for at in range(SIMULATED)})]


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
