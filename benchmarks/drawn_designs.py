"""Designs drawn by chance: what the model says, what their schedule says, and what yosys makes of them.

    .venv/bin/python benchmarks/drawn_designs.py                          # the table, from what was measured
    .venv/bin/python benchmarks/drawn_designs.py draw FOLDER              # the designs to judge by, explored there
    .venv/bin/python benchmarks/drawn_designs.py measure FOLDER [NAME …]  # anew: emitted there, simulated, synthesised
    .venv/bin/python benchmarks/drawn_designs.py logic                    # coefficients of hwmodel/synth/logic.py, anew

The specifications are those of tests of the emission and of streams, at small sizes, each with a shared or with
separate ports of 32 or 64 bits, and in the default space or in that of what has hardware; all of that is drawn. Of each
front up to three designs of blocks are drawn that have at most 4,000 LUT by the model, and of these twenty. None of
them is in the fit of `hwmodel/synth/logic.py`. That is made of designs of shipped specifications, and of former draws
from fronts of some of the same specifications. Others were chosen for their memories: tools
by themselves make other ones of them. Measuring takes 10 seconds to a minute of a free core for a design.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from whole_designs import calibration, modelled

from arrayol import api
from dse.output.calibration import Calibration, Measured, open_measured
from dse.output.emitted_folder import open_emitted
from dse.output.hardware.emission import DOCUMENT, SYNTHESIS
from dse.output.synthesis import FIGURES
from dse.space.study import Study
from hwmodel.emit.verilog.icarus import run_bench
from hwmodel.synth.fit import PARTS_OF_COST, PartSample, Sample, fitted_by_part
from hwmodel.synth.logic import logic_of

STORED = Path(__file__).resolve().with_suffix(".json")
TESTS = Path(__file__).resolve().parents[1] / "tests" / "hwmodel"
FRONTS, STREAMS = TESTS / "emit" / "fronts", TESTS / "stream" / "specs"
SPECS: dict[str, tuple[Path, dict[str, int]]] = {
    "sharpen": (FRONTS, {"H": 24, "W": 32}),
    "band": (FRONTS, {"N": 480}),
    "product": (FRONTS, {"N": 24, "M": 9, "T": 16}),
    "envelope": (FRONTS, {"ROWS": 16, "N": 40}),
    "tone": (FRONTS, {"H": 32, "W": 48}),
    "planes": (FRONTS, {"H": 16, "W": 48}),
    "column": (STREAMS, {"H": 24, "W": 64}),
    "frames": (STREAMS, {"F": 4, "H": 16, "W": 32}),
    "halved": (STREAMS, {"H": 24, "W": 32}),
    "larger": (STREAMS, {}),
    "recursive": (STREAMS, {}),
    "row_sums": (STREAMS, {}),
    "harris_nearest": (STREAMS, {"H": 10, "W": 16}),
    "larger_serial": (STREAMS, {}),
    "pyramid_nearest": (STREAMS, {"H": 16, "W": 24}),
    "two": (STREAMS, {"H": 12, "W": 24}),
    "unsharp": (STREAMS, {"H": 16, "W": 24}),
}
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 9
word_bits = {word_bits}
port = "{port}"
burst = "run"
outstanding = 2
"""
HARDWARE = {"hardware": True, "recompute": [False, True]}
SEED, EACH, COUNT, MOST_LUT, BUDGET = 20261201, 3, 20, 4_000, 3.0
TRIED = 12  # designs of a front that are looked at
COSTS = ("lut", "ff")
HEAD = (
    "| design | cycles: model | Verilog | model, LUT | | with the schedule | | yosys, LUT "
    "| model, FF | | with the schedule | | yosys, FF | DSP | block RAM |\n"
    f"|{'---|' * 15}\n"
)


@dataclass(frozen=True)
class DrawnDesign:
    """A design: cycles by the model and of both frames in Verilog; DSP and block RAM have what the model says first.

    `features` are those of the search, `scheduled` those of the schedule. By cost `modelled` are units and memories by
    the model, and `parts` what yosys found.
    """

    model: int
    verilog: tuple[int, ...]
    wrong: int
    tools: tuple[str, ...]
    features: dict[str, float]
    scheduled: dict[str, float]
    modelled: dict[str, float]
    parts: dict[str, dict[str, int]]
    dsp: tuple[int, int]
    blocks: tuple[int, int]

    def found(self, cost: str) -> int:
        """What yosys made of all."""
        return sum(self.parts[cost].values())

    def measured(self, name: str) -> Measured:
        """As a calibration of the search's features takes it."""
        samples = {cost: Sample(self.features, self.modelled[cost], self.found(cost)) for cost in COSTS}
        return Measured(Path(name), name, "ecp5-6", self.model, None, self.tools, samples)

    def by_part(self, cost: str) -> PartSample:
        """As a fit of the schedule's features takes it."""
        return PartSample({**self.features, **self.scheduled}, self.modelled[cost], dict(self.parts[cost]))


def explored(name: str, folder: Path) -> tuple[api.Spec, Path, Random]:
    """A specification, its front in a folder, which is made if it is not there, and what goes on with the draw."""
    source, sizes = SPECS[name]
    chance, own = Random(f"{SEED} {name}"), folder / name
    port, word_bits = chance.choice(("shared", "shared", "separate")), chance.choice((32, 64, 64))
    in_hardware = chance.random() < 0.5
    path, result = own / f"{name}.aol", own / "result"
    if not result.exists():
        own.mkdir(parents=True, exist_ok=True)
        text = (source / f"{name}.aol").read_text(encoding="utf-8")
        for const, value in sizes.items():
            text = re.sub(rf"const {const} = \d+", f"const {const} = {value}", text)
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".toml").write_text(PLATFORM.format(port=port, word_bits=word_bits), encoding="utf-8")
        study = Study.model_validate(HARDWARE) if in_hardware else None
        found = api.explore(path, space=api.Space(study=study, verify=False), method="rounds", budget=BUDGET)
        api.write_result(found, result, report=False)
    return api.load(path), result, chance


def drawn(folder: Path) -> Sequence[str]:
    """The names of the designs to judge by, by chance: of each front a few, and of these so many."""
    chance, names = Random(SEED), list[str]()
    for name in SPECS:
        names += _of_front(name, folder)
    chance.shuffle(names)
    return names[:COUNT]


def _of_front(name: str, folder: Path) -> Iterator[str]:
    """The designs of a front that are small and in blocks, as many as there may be of each."""
    fit, (spec, result, chance) = calibration(), explored(name, folder)
    names = [row["id"] for row in json.loads((result / "result.json").read_text(encoding="utf-8"))["pareto"]]
    chance.shuffle(names)
    found = 0
    for own in names[:TRIED]:
        opened = api.open_design(spec, result, own)
        in_blocks = all(group.stream is None for group in opened.design.groups)
        if found < EACH and in_blocks and modelled(fit, opened) <= MOST_LUT:
            found += 1
            yield f"{name} {own}"


def measure(name: str, folder: Path) -> DrawnDesign:
    """Explore, emit, simulate and synthesise a design, in folders of a folder."""
    spec_name, identifier = name.split()
    spec, result, _ = explored(spec_name, folder)
    opened = api.open_design(spec, result, identifier)
    target = folder / name.replace(" ", "-").replace(":", "_").replace("+", "_")
    if not (target / DOCUMENT).exists():
        api.emit_verilog(opened, target)
    if not (target / SYNTHESIS / FIGURES).exists():
        api.synthesise(target, places=False)
    return read_measured(opened.estimate.latency_cycles, target)


def read_measured(cycles: int, target: Path) -> DrawnDesign:
    """What a folder with an emitted and synthesised design says of it."""
    frames, own, model = run_bench(target), open_measured(target), open_emitted(target).model
    figures: dict[str, Any] = json.loads((target / SYNTHESIS / FIGURES).read_text(encoding="utf-8"))
    return DrawnDesign(
        cycles,
        tuple(frame.cycles for frame in frames),
        sum(frame.wrong for frame in frames),
        own.tools,
        own.samples["lut"].features,
        dict(model["scheduled"]),
        {cost: own.samples[cost].modelled for cost in COSTS},
        {cost: {part: amounts[cost] for part, amounts in figures["parts"].items()} for cost in COSTS},
        (round(model["costs"].get("dsp", 0)), figures["total"]["dsp"]),
        (round(model["memories"].get("blocks", 0)), figures["total"]["blocks"]),
    )


def stored(kind: str) -> dict[str, DrawnDesign]:
    """What was measured, by name: designs `fitted` to, `judged` by, or chosen since they have memories `in blocks`."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(STORED.read_text(encoding="utf-8"))
    tuples = ("verilog", "tools", "dsp", "blocks")
    return {
        name: DrawnDesign(**{**own, **{key: tuple(own[key]) for key in tuples}}) for name, own in found[kind].items()
    }


def write(designs: Mapping[str, Mapping[str, DrawnDesign]]) -> None:
    """Store designs by kind and name."""
    kept = {kind: {name: asdict(own) for name, own in sorted(group.items())} for kind, group in designs.items()}
    STORED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def table() -> str:
    """A line for each design, and how many of them are within what was aimed at."""
    fit, lines = calibration(), list[str]()
    for kind, said in (
        ("fitted", "fitted to"),
        ("in blocks", "chosen for their memories"),
        ("judged", "kept out"),
    ):
        group, within = stored(kind), [0, 0, 0, 0, 0]
        for name, own in group.items():
            text, found = _line(fit, name if kind == "fitted" else f"**{name}**", own)
            lines.append(text)
            within = [count + is_within for count, is_within in zip(within, found, strict=True)]
        lines.append(f"| {said}, of {len(group)}: {_counted(within)} |{' |' * 14}\n")
    return HEAD + "".join(lines).rstrip()


def _counted(within: Sequence[int]) -> str:
    of_search, lut, ff_of_search, ff, exact = within
    return (
        f"{lut} within 20% of LUT with the schedule ({of_search} by the model), "
        f"{ff} within 25% of FF ({ff_of_search}), {exact} with all DSP and block RAM"
    )


def _line(fit: Calibration, name: str, own: DrawnDesign) -> tuple[str, list[bool]]:
    """The line of a design, and whether its LUT, its FF, its DSP and block RAM are within what is aimed at."""
    by_schedule = logic_of({**own.features, **own.scheduled}, own.modelled)
    cells, within = list[str](), list[bool]()
    for cost, least in (("lut", 0.2), ("ff", 0.25)):
        found = own.found(cost)
        for said in (fit.predicted(own.measured(name), cost), by_schedule[cost]):
            cells += [f"{said:,.0f}", f"{said / found - 1:+.0%}"]
            within.append(abs(said / found - 1) <= least)
        cells.append(f"{found:,}")
    equal = f"{own.verilog[0]:,}" if len(set(own.verilog)) == 1 and not own.wrong else "differs"
    pairs = (own.dsp, own.blocks)
    cells += [str(found) if said == found else f"{said} of {found}" for said, found in pairs]
    text = f"| {name} | {own.model:,} | {equal} | {' | '.join(cells)} |\n"
    return text, [*within, all(said == found for said, found in pairs)]


def coefficients() -> dict[str, dict[str, float]]:
    """By cost and feature what `hwmodel/synth/logic.py` has, fitted anew."""
    fit_to = stored("fitted").values()
    return {cost: fitted_by_part([own.by_part(cost) for own in fit_to], cost) for cost in PARTS_OF_COST}


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["draw"]:
        print("\n".join(drawn(Path(arguments[1]))))  # noqa: T201
        return
    if arguments == ["logic"]:
        print(json.dumps(coefficients(), indent=4))  # noqa: T201
        return
    if arguments[:1] == ["measure"]:
        folder, found = Path(arguments[1]), {kind: stored(kind) for kind in ("fitted", "in blocks", "judged")}
        for name in arguments[2:] or drawn(folder):
            found["judged"][name] = measure(name, folder)
            write(found)
    print(table())  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
