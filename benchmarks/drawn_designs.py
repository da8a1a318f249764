"""Designs drawn by chance: what the model says, what their schedule says, and what yosys makes of them.

    .venv/bin/python benchmarks/drawn_designs.py                          # the table, from what was measured
    .venv/bin/python benchmarks/drawn_designs.py draw FOLDER              # the designs to judge by, explored there
    .venv/bin/python benchmarks/drawn_designs.py measure FOLDER [NAME …]  # anew: emitted there, simulated, synthesised
    .venv/bin/python benchmarks/drawn_designs.py logic                    # coefficients of hwmodel/synth/logic.py, anew
    .venv/bin/python benchmarks/drawn_designs.py emit FOLDER              # what the search's model is fitted to, anew
    .venv/bin/python benchmarks/drawn_designs.py technology               # technologies/ecp5-6-whole.toml, fitted anew

The specifications are those of tests of the emission and of streams, at small sizes, each with a shared or with
separate ports of 32 or 64 bits, in the default space or in that of what has hardware, and with block RAM at the usual
price or at a fifth of it; all of that is drawn. Of each front up to three designs of blocks are drawn that have at most
2,500 LUT by the model, and of these twenty. Measuring takes 10 seconds to a minute of a free core for a design.

The coefficients of `hwmodel/synth/logic.py` are fitted to designs of shipped specifications, and of former draws, that
were synthesised. The search's model is fitted to what these then say of many more designs that were emitted. Both were
at other sizes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from arrayol import api
from arrayol.errors import ArrayolError
from dse.output.calibration import Calibration, Measured, open_measured, write_calibration
from dse.output.emitted_folder import open_emitted
from dse.output.hardware.emission import DOCUMENT, SYNTHESIS
from dse.output.open_design import StoredDesign
from dse.output.synthesis import FIGURES
from dse.space.study import Study
from hwmodel.cost_model.costs import parts_of
from hwmodel.datapath.derive import derivation_of
from hwmodel.datapath.technology.overhead import total_features
from hwmodel.datapath.technology.technology import TABLES
from hwmodel.emit.verilog.icarus import run_bench
from hwmodel.synth.fit import Sample, least_errors, predicted, rounded
from hwmodel.synth.logic import logic_of, logic_of_model

STORED = Path(__file__).resolve().with_suffix(".json")
TESTS = Path(__file__).resolve().parents[1] / "tests" / "hwmodel"
FRONTS, STREAMS = TESTS / "emit" / "fronts", TESTS / "stream" / "specs"
Sizes = dict[str, int]
SPECS: dict[str, tuple[Path, Sizes, Sizes]] = {  # where it is, the sizes to fit to, and those to judge by
    "sharpen": (FRONTS, {"H": 24, "W": 32}, {"H": 20, "W": 40}),
    "band": (FRONTS, {"N": 480}, {"N": 360}),
    "product": (FRONTS, {"N": 24, "M": 9, "T": 16}, {"N": 20, "M": 9, "T": 12}),
    "envelope": (FRONTS, {"ROWS": 16, "N": 40}, {"ROWS": 12, "N": 48}),
    "tone": (FRONTS, {"H": 32, "W": 48}, {"H": 24, "W": 40}),
    "planes": (FRONTS, {"H": 16, "W": 48}, {"H": 12, "W": 40}),
    "column": (STREAMS, {"H": 24, "W": 64}, {"H": 20, "W": 48}),
    "frames": (STREAMS, {"F": 4, "H": 16, "W": 32}, {"F": 3, "H": 12, "W": 24}),
    "halved": (STREAMS, {"H": 24, "W": 32}, {"H": 16, "W": 40}),
    "larger": (STREAMS, {}, {"H": 12, "W": 16}),
    "recursive": (STREAMS, {}, {"H": 16, "W": 40}),
    "row_sums": (STREAMS, {}, {"H": 16, "W": 40}),
    "harris_nearest": (STREAMS, {"H": 10, "W": 16}, {"H": 8, "W": 12}),
    "pyramid_nearest": (STREAMS, {"H": 16, "W": 24}, {"H": 24, "W": 32}),
    "two": (STREAMS, {"H": 12, "W": 24}, {"H": 16, "W": 20}),
    "unsharp": (STREAMS, {"H": 16, "W": 24}, {"H": 12, "W": 32}),
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

[local.price]
block = {block}
"""
HARDWARE = {"hardware": True, "recompute": [False, True]}
FIT_SEED, SEED = 20261201, 20261202
EACH, COUNT, MOST_LUT, BUDGET = 3, 20, 2_500, 3.0
FIT_EACH, FIT_MOST_LUT = 14, 4_000  # of a front, and LUT of units and memories
TRIED = 30  # designs of a front that are looked at
TECHNOLOGY = TABLES / "ecp5-6-whole.toml"
COSTS = ("lut", "ff")
LEAST = {"lut": 0.2, "ff": 0.25}  # what is aimed at
HEAD = (
    "| design | cycles: model | Verilog | model, LUT | | with the schedule | | yosys, LUT "
    "| model, FF | | with the schedule | | yosys, FF | DSP | block RAM |\n"
    f"|{'---|' * 15}\n"
)


PARTS_OF_COST = {  # of an emitted design's parts the features of its schedule that each may take
    "lut": (
        (("agents",), ("agents", "instructions", "wraps")),
        (("port", "others"), ("queued", "agents")),
        (("units", "memories"), ("joined", "rows", "waiting", "chosen")),
    ),
    "ff": (
        (("agents",), ("agents", "states", "counters")),
        (("port", "others"), ("queued", "agents")),
        (("units", "memories"), ("stages", "counters")),
    ),
}
MODELLED = ("units", "memories")  # the parts of which the machine model has a cost of its own


@dataclass(frozen=True)
class PartSample:
    """An emitted design: its features, what the model says of a cost without them, and what its parts take."""

    features: dict[str, float]
    modelled: float
    parts: dict[str, float]

    @property
    def whole(self) -> Sample:
        """All parts together."""
        return Sample(self.features, self.modelled, sum(self.parts.values()))


def fitted_by_part(samples: Sequence[PartSample], cost: str) -> dict[str, float]:
    """By feature the coefficient that makes the sum of the errors of all parts the least, each relative to its design.

    Parts say which feature takes what, where designs are few and their features grow together.
    """
    found = dict[str, float]()
    for parts, names in PARTS_OF_COST[cost]:
        own = [
            Sample(sample.features, sample.modelled * (parts == MODELLED), sum(sample.parts[part] for part in parts))
            for sample in samples
        ]
        values = least_errors([one.whole.found for one in samples], own, names)
        for name, value in zip(names, values.tolist(), strict=True):
            found[name] = found.get(name, 0.0) + value
    return rounded(found)


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


@dataclass(frozen=True)
class EmittedDesign:
    """A design that was emitted: its search's features, and by cost units and memories and all `by_schedule`."""

    features: dict[str, float]
    modelled: dict[str, float]
    by_schedule: dict[str, float]

    def measured(self, name: str) -> Measured:
        """As a calibration takes it."""
        samples = {cost: Sample(self.features, self.modelled[cost], self.by_schedule[cost]) for cost in COSTS}
        return Measured(Path(name), name, "ecp5-6", 0, None, ("by their schedules",), samples)


def explored(name: str, folder: Path, *, to_fit: bool = False) -> tuple[api.Spec, Path, Random]:
    """A specification, its front in a folder, which is made if it is not there, and what goes on with the draw."""
    source, fit_sizes, sizes = SPECS[name]
    chance, own = Random(f"{FIT_SEED if to_fit else SEED} {name}"), folder / name
    port, word_bits = chance.choice(("shared", "shared", "separate")), chance.choice((32, 64, 64))
    in_hardware = chance.random() < 0.5
    block = 300 if to_fit else Random(f"{SEED} {name} block").choice((60, 300))
    path, result = own / f"{name}.aol", own / "result"
    if not result.exists():
        own.mkdir(parents=True, exist_ok=True)
        text = (source / f"{name}.aol").read_text(encoding="utf-8")
        for const, value in (fit_sizes if to_fit else sizes).items():
            text = re.sub(rf"const {const} = \d+", f"const {const} = {value}", text)
        path.write_text(text, encoding="utf-8")
        platform = PLATFORM.format(port=port, word_bits=word_bits, block=block)
        path.with_suffix(".toml").write_text(platform, encoding="utf-8")
        study = Study.model_validate(HARDWARE) if in_hardware else None
        found = api.explore(path, space=api.Space(study=study, verify=False), method="rounds", budget=BUDGET)
        api.write_result(found, result, report=False)
    return api.load(path), result, chance


def _in_blocks(name: str, folder: Path, *, to_fit: bool = False) -> Iterator[tuple[str, StoredDesign]]:
    """Designs of a front in blocks, by chance."""
    spec, result, chance = explored(name, folder, to_fit=to_fit)
    names = [row["id"] for row in json.loads((result / "result.json").read_text(encoding="utf-8"))["pareto"]]
    chance.shuffle(names)
    for own in names[:TRIED]:
        opened = api.open_design(spec, result, own)
        if all(group.stream is None for group in opened.design.groups):
            yield f"{name} {own}", opened


def drawn(folder: Path) -> Sequence[str]:
    """The names of the designs to judge by, by chance: of each front a few, and of these so many."""
    chance, names, fit = Random(SEED), list[str](), calibration()
    for spec in SPECS:
        small = (name for name, opened in _in_blocks(spec, folder) if modelled(fit, opened) <= MOST_LUT)
        names += islice(small, EACH)
    chance.shuffle(names)
    return names[:COUNT]


def features_of(opened: StoredDesign) -> dict[str, float]:
    """The features of a design that the search knows, as before it is emitted."""
    platform, groups = opened.platform, opened.estimate.groups
    assert platform.prices is not None and platform.clock_mhz is not None  # noqa: PT018
    parts = parts_of(groups)
    for own in (processor for group in groups for processor in group.processors):
        process = opened.network.processes[own.task]
        delays = frozenset((delay.output, delay.port) for delay in process.delays)
        assert process.definition is not None
        derivation = derivation_of(process.definition, platform.prices, platform.clock_mhz, delays)
        parts += [derivation.at(own.interval).waiting_lut] * own.units
    return total_features(parts)


def modelled(fit: Calibration, opened: StoredDesign) -> float:
    """The LUT of a design by the model."""
    sample = Sample(features_of(opened), float(opened.estimate.costs["lut"]), 0.0)
    return predicted(sample, fit.coefficients["lut"])


def emit(folder: Path) -> Iterator[tuple[str, EmittedDesign]]:
    """The designs that the search's model is fitted to, emitted in a folder; those that are refused are left out."""
    for spec in SPECS:
        found = 0
        for name, opened in _in_blocks(spec, folder, to_fit=True):
            target = target_of(name, folder)
            if found == FIT_EACH or opened.estimate.costs["lut"] > FIT_MOST_LUT:
                continue
            try:
                if not (target / DOCUMENT).exists():
                    api.emit_verilog(opened, target)
            except ArrayolError as refused:
                print(name, refused, file=sys.stderr)  # noqa: T201
                continue
            found += 1
            model = json.loads((target / DOCUMENT).read_text(encoding="utf-8"))["model"]
            own = {cost: model["costs"][cost] for cost in COSTS}
            yield name, EmittedDesign(features_of(opened), own, logic_of_model(model))


def calibration() -> Calibration:
    """The fit of the search's model, to what the schedules of emitted designs say."""
    found = json.loads(STORED.read_text(encoding="utf-8"))["emitted"]
    return Calibration(tuple(EmittedDesign(**own).measured(name) for name, own in found.items()), ())


def target_of(name: str, folder: Path) -> Path:
    """Where a design is emitted."""
    return folder / name.replace(" ", "-").replace(":", "_").replace("+", "_")


def measure(name: str, folder: Path) -> DrawnDesign:
    """Explore, emit, simulate and synthesise a design, in folders of a folder."""
    spec_name, identifier = name.split()
    spec, result, _ = explored(spec_name, folder)
    opened = api.open_design(spec, result, identifier)
    target = target_of(name, folder)
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
    """What was measured, by name: designs `fitted` to, or `judged` by."""
    found: Mapping[str, Mapping[str, Any]] = json.loads(STORED.read_text(encoding="utf-8"))
    tuples = ("verilog", "tools", "dsp", "blocks")
    return {
        name: DrawnDesign(**{**own, **{key: tuple(own[key]) for key in tuples}}) for name, own in found[kind].items()
    }


def write(kind: str, designs: Mapping[str, DrawnDesign | EmittedDesign]) -> None:
    """Store designs of a kind by name, a line each."""
    kept = json.loads(STORED.read_text(encoding="utf-8"))
    kept[kind] = {name: asdict(own) for name, own in sorted(designs.items())}
    groups = (
        f' "{kind}": {{\n' + ",\n".join(f'  "{name}": {json.dumps(own)}' for name, own in group.items()) + "\n }"
        for kind, group in kept.items()
    )
    STORED.write_text("{\n" + ",\n".join(groups) + "\n}\n", encoding="utf-8")


def table() -> str:
    """A line for each design that was kept out, and how many of each kind are within what was aimed at."""
    fit, lines, within = calibration(), list[str](), [0, 0, 0, 0, 0]
    judged, fitted = stored("judged"), stored("fitted")
    for name, own in judged.items():
        text, found = _line(fit, name, own)
        lines.append(text)
        within = [count + is_within for count, is_within in zip(within, found, strict=True)]
    lines.append(f"| kept out, of {len(judged)}: {_counted(within)} |{' |' * 14}\n")
    lut, ff = (sum(_is_within(by_schedule(own)[cost], own, cost) for own in fitted.values()) for cost in COSTS)
    said = f"{lut} within 20% of LUT with the schedule, {ff} within 25% of FF"
    lines.append(f"| fitted to, of {len(fitted)} that were synthesised: {said} |{' |' * 14}\n")
    lut, ff = (
        sum(abs(fit.predicted(one, cost) / one.samples[cost].found - 1) <= LEAST[cost] for one in fit.fitted_to)
        for cost in COSTS
    )
    said = f"{lut} within 20% of LUT with the schedule by the model, {ff} within 25% of FF"
    lines.append(f"| fitted to, of {len(fit.fitted_to)} that were emitted: {said} |{' |' * 14}\n")
    return HEAD + "".join(lines).rstrip()


def by_schedule(own: DrawnDesign) -> dict[str, float]:
    """LUT and FF with the schedule."""
    return logic_of({**own.features, **own.scheduled}, own.modelled)


def _is_within(said: float, own: DrawnDesign, cost: str) -> bool:
    return abs(said / own.found(cost) - 1) <= LEAST[cost]


def _counted(within: Sequence[int]) -> str:
    of_search, lut, ff_of_search, ff, exact = within
    return (
        f"{lut} within 20% of LUT with the schedule ({of_search} by the model), "
        f"{ff} within 25% of FF ({ff_of_search}), {exact} with all DSP and block RAM"
    )


def _line(fit: Calibration, name: str, own: DrawnDesign) -> tuple[str, list[bool]]:
    """The line of a design, and whether its LUT, its FF, its DSP and block RAM are within what is aimed at."""
    cells, within = list[str](), list[bool]()
    for cost in COSTS:
        found = own.found(cost)
        for said in (fit.predicted(own.measured(name), cost), by_schedule(own)[cost]):
            cells += [f"{said:,.0f}", f"{said / found - 1:+.0%}"]
            within.append(_is_within(said, own, cost))
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
    if arguments[:1] == ["emit"]:
        write("emitted", dict(emit(Path(arguments[1]))))
    if arguments[:1] == ["technology"]:
        write_calibration(calibration(), TECHNOLOGY)
    if arguments[:1] == ["measure"]:
        folder = Path(arguments[1])
        for name in arguments[2:] or drawn(folder):
            write("judged", {**stored("judged"), name: measure(name, folder)})
    print(table())  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
