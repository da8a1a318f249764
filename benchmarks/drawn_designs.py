"""Designs of specifications that are not shipped, drawn by chance: what the model says, and what yosys makes of them.

    .venv/bin/python benchmarks/drawn_designs.py                          # the table, from what was measured
    .venv/bin/python benchmarks/drawn_designs.py draw FOLDER              # the designs, explored there
    .venv/bin/python benchmarks/drawn_designs.py measure FOLDER [NAME …]  # anew: emitted there, simulated, synthesised

The specifications are those of tests of the emission, at small sizes, each with a shared or with separate ports, and
in the default space or in that of what has hardware; both were drawn too. Of each front two designs of blocks were
drawn that have at most 9,000 LUT by the model; larger ones take long. None of them is in the fit of the model. Smaller
ones are measured first. Measuring takes 20 seconds to two minutes of a free core for a design.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from whole_designs import FITTED_DRAWN, calibration, modelled

from arrayol import api
from dse.output.calibration import Calibration, Measured, open_measured
from dse.output.hardware.emission import DOCUMENT, SYNTHESIS
from dse.output.synthesis import FIGURES
from dse.space.study import Study
from hwmodel.emit.verilog.icarus import run_bench
from hwmodel.synth.fit import Sample

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
}
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 9
word_bits = 64
port = "{port}"
burst = "run"
outstanding = 2
"""
HARDWARE = {"hardware": True, "recompute": [False, True]}
SEED, EACH, MOST_LUT, BUDGET = 20261130, 2, 9_000, 3.0
HEAD = (
    "| design | cycles: model | Verilog | model, LUT | yosys, LUT | | model, FF | yosys, FF | | DSP | block RAM |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True)
class DrawnDesign:
    """A design: cycles by the model and of both frames in Verilog; DSP and block RAM have what the model says first."""

    model: int
    verilog: tuple[int, ...]
    wrong: int
    tools: tuple[str, ...]
    lut: Sample
    ff: Sample
    dsp: tuple[int, int]
    blocks: tuple[int, int]


def explored(name: str, folder: Path) -> tuple[api.Spec, Path, Random]:
    """A specification, its front in a folder, which is made if it is not there, and what goes on with the draw."""
    source, sizes = SPECS[name]
    chance, own = Random(f"{SEED} {name}"), folder / name
    port, in_hardware = chance.choice(("shared", "shared", "separate")), chance.random() < 0.5
    path, result = own / f"{name}.aol", own / "result"
    if not result.exists():
        own.mkdir(parents=True, exist_ok=True)
        text = (source / f"{name}.aol").read_text(encoding="utf-8")
        for const, value in sizes.items():
            text = re.sub(rf"const {const} = \d+", f"const {const} = {value}", text)
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".toml").write_text(PLATFORM.format(port=port), encoding="utf-8")
        study = Study.model_validate(HARDWARE) if in_hardware else None
        found = api.explore(path, space=api.Space(study=study, verify=False), method="rounds", budget=BUDGET)
        api.write_result(found, result, report=False)
    return api.load(path), result, chance


def drawn(folder: Path) -> Iterator[str]:
    """The names of the designs."""
    fit = calibration()
    for name in SPECS:
        spec, result, chance = explored(name, folder)
        names = [row["id"] for row in json.loads((result / "result.json").read_text(encoding="utf-8"))["pareto"]]
        chance.shuffle(names)
        found = 0
        for own in names:
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
    return _measured(opened.estimate.latency_cycles, target)


def _measured(cycles: int, target: Path) -> DrawnDesign:
    """What a folder with an emitted and synthesised design says of it."""
    frames, own = run_bench(target), open_measured(target)
    figures: dict[str, Any] = json.loads((target / SYNTHESIS / FIGURES).read_text(encoding="utf-8"))
    total, model = figures["total"], figures["model"]
    return DrawnDesign(
        cycles,
        tuple(frame.cycles for frame in frames),
        sum(frame.wrong for frame in frames),
        own.tools,
        own.samples["lut"],
        own.samples["ff"],
        (round(model["costs"].get("dsp", 0)), total["dsp"]),
        (round(model["memories"].get("blocks", 0)), total["blocks"]),
    )


def stored() -> dict[str, DrawnDesign]:
    """What was measured, by name."""
    if not STORED.exists():
        return {}
    found = json.loads(STORED.read_text(encoding="utf-8"))
    return {name: _design(own) for name, own in found.items()}


def _design(own: dict[str, Any]) -> DrawnDesign:
    lists = {name: tuple(own[name]) for name in ("verilog", "tools", "dsp", "blocks")}
    return DrawnDesign(**{**own, **lists, "lut": Sample(**own["lut"]), "ff": Sample(**own["ff"])})


def table() -> str:
    """A line for each design, and how many of them are within what was aimed at."""
    fit, lines = calibration(), list[str]()
    held = {name: own for name, own in stored().items() if name not in FITTED_DRAWN}
    for kind, group in (("fitted to", {name: stored()[name] for name in FITTED_DRAWN}), ("kept out", held)):
        within = [0, 0, 0]
        for name, own in group.items():
            text, found = _line(fit, f"**{name}**" if kind == "kept out" else name, own)
            lines.append(text)
            within = [count + is_within for count, is_within in zip(within, found, strict=True)]
        told = f"{within[0]} within 20% of LUT, {within[1]} within 25% of FF, {within[2]} with all DSP and block RAM"
        lines.append(f"| {kind}, of {len(group)}: {told} |{' |' * 10}\n")
    return HEAD + "".join(lines).rstrip()


def _line(fit: Calibration, name: str, own: DrawnDesign) -> tuple[str, tuple[bool, bool, bool]]:
    """The line of a design, and whether its LUT, its FF, its DSP and block RAM are within what is aimed at."""
    one = Measured(Path(name), name, "ecp5-6", own.model, None, own.tools, {"lut": own.lut, "ff": own.ff})
    cells, errors = list[str](), list[float]()
    for cost in ("lut", "ff"):
        said, found = fit.predicted(one, cost), one.samples[cost].found
        errors.append(abs(said / found - 1))
        cells += [f"{said:,.0f}", f"{found:,.0f}", f"{said / found - 1:+.0%}"]
    equal = f"{own.verilog[0]:,}" if len(set(own.verilog)) == 1 and not own.wrong else "differs"
    pairs = (own.dsp, own.blocks)
    cells += [str(found) if said == found else f"{said} of {found}" for said, found in pairs]
    exact = all(said == found for said, found in pairs)
    return f"| {name} | {own.model:,} | {equal} | {' | '.join(cells)} |\n", (errors[0] <= 0.2, errors[1] <= 0.25, exact)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["draw"]:
        print("\n".join(drawn(Path(arguments[1]))))  # noqa: T201
        return
    if arguments[:1] == ["measure"]:
        folder, found = Path(arguments[1]), stored()
        for name in arguments[2:] or drawn(folder):
            found[name] = measure(name, folder)
            kept = {known: asdict(own) for known, own in sorted(found.items())}
            STORED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(table())  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
