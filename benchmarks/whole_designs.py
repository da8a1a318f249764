"""Whole designs on an ECP5: what the model says of their LUT and FF with all that steers them, and what yosys makes.

    .venv/bin/python benchmarks/whole_designs.py                          # the table, from what was measured
    .venv/bin/python benchmarks/whole_designs.py measure FOLDER [NAME …]  # anew: emitted there, simulated, synthesised
    .venv/bin/python benchmarks/whole_designs.py technology               # technologies/ecp5-6-whole.toml, fitted anew
    .venv/bin/python benchmarks/whole_designs.py draw FOLDER              # the designs to keep out, before they are

Designs are of shipped specifications at the size of their platform's [verify] table, and of its plain front. Those of
HELD are kept out of the fit, which is also made of some of `drawn_designs.py`. `draw` drew them by chance, before any
of them was measured and when features and coefficients were what they are: of each specification in POOL one of the
designs that had never been measured and have
at most 9,000 LUT by the model, more of which take long. Ten have any. (With up to 6,000 only seven have; that was tried
first, and nothing was measured of it.) No design of `dct`, `fir`, `flow`, `lpsf`, `polyprod`, `stencil2d` and
`thumbnail` has so few; `mobilenet` was not looked at. Measuring takes half a minute to three minutes
for a design, where `synthesis` in its folder does not have the figures already; LUTs are those before packing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from arrayol import api
from arrayol.files import shipped_folder
from dse.output.calibration import Calibration, Measured, open_measured, write_calibration
from dse.output.hardware.emission import DOCUMENT, SYNTHESIS
from dse.output.open_design import StoredDesign
from dse.output.synthesis import FIGURES
from hwmodel.cost_model.costs import parts_of
from hwmodel.datapath.derive import derivation_of
from hwmodel.datapath.technology.overhead import total_features
from hwmodel.datapath.technology.technology import TABLES
from hwmodel.emit.verilog.icarus import run_bench
from hwmodel.synth.fit import Sample, predicted

STORED = Path(__file__).resolve().with_suffix(".json")
FITTED = (
    "camera 5:11",
    "camera 5:18",
    "conv3x3 2:3",
    "conv3x3 2:5",
    "demosaic 1:10",
    "demosaic 1:11",
    "firbank 1:12",
    "firbank 1:16",
    "firbank 1:7",
    "firbank 1:9",
    "harris 8:11",
    "harris 8:15",
    "jacobi 1:11",
    "pattern 1:6",
    "pattern 1:7",
    "pattern 1:9",
    "pyramid 1+1:4",
    "pyramid 2:3",
    "pyramid 2:5",
    "pyramid 2:6",
    "sobel 2+1:1",
    "sobel 3:25",
    "splitmatmul 1:12",
    "splitmatmul 1:15",
    "splitmatmul 1:7",
    "splitmatmul 1:9",
    "stereo 1:5",
    "stereo 1:6",
    "stereo 1:7",
    "stereo 1:8",
    "wavelet 2:13",
    "wavelet 2:17",
    "wavelet 2:20",
    "wavelet 2:9",
)
HELD = (
    "camera 5:15",
    "conv3x3 2:12",
    "downscaler 2:11",
    "firbank 1:15",
    "jacobi 1:12",
    "pattern 1:4",
    "pyramid 1+1:13",
    "splitmatmul 1:10",
    "stereo 1:3",
    "wavelet 1+1:9",
)
# Designs of drawn_designs.py that were measured before the features were what they are.
DRAWN = Path(__file__).resolve().with_name("drawn_designs.json")
FITTED_DRAWN = (
    "band 2:10",
    "column 1:17",
    "envelope 2:6",
    "recursive 1+1:12",
    "row_sums 1+1:19",
    "tone 2:15",
)
BEFORE = (  # measured in former versions of this file
    "conv3x3 2:10",
    "conv3x3 2:8",
    "demosaic 1:5",
    "demosaic 1:7",
    "firbank 1:11",
    "firbank 1:14",
    "firbank 1:5",
    "pattern 1:8",
    "pyramid 1+1:11",
    "pyramid 1+1:14",
    "splitmatmul 1:16",
    "splitmatmul 1:2",
    "wavelet 1+1:14",
    "wavelet 1+1:5",
    "wavelet 2:11",
)
POOL = (
    "camera",
    "conv3x3",
    "demosaic",
    "downscaler",
    "firbank",
    "harris",
    "jacobi",
    "pattern",
    "pyramid",
    "sobel",
    "splitmatmul",
    "stereo",
    "wavelet",
)
# Predicted seconds of a search in rounds.
BUDGETS = {"camera": 10.0, "downscaler": 1.0, "harris": 10.0, "stereo": 2.0}
SEED, MOST_LUT = 20261126, 9_000
TECHNOLOGY = TABLES / "ecp5-6-whole.toml"
HEAD = (
    "| design | cycles: model | simulated | Verilog | units and memories, LUT | model, LUT | yosys, LUT | "
    "| model, FF | yosys, FF | |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True)
class Whole:
    """A design: its cycles by the model, on the simulated machine and in both frames in Verilog, and its samples."""

    model: int
    simulated: int
    verilog: tuple[int, ...]
    wrong: int
    tools: tuple[str, ...]
    lut: Sample
    ff: Sample

    def measured(self, name: str) -> Measured:
        """As a calibration takes it."""
        return Measured(Path(name), name, "ecp5-6", self.model, None, self.tools, {"lut": self.lut, "ff": self.ff})


def measure(name: str, folder: Path) -> Whole:
    """Explore, emit, simulate and synthesise a design, in folders of a folder."""
    spec_name, identifier = name.split()
    opened = api.open_design(*explored(spec_name, folder), identifier)
    target = folder / name.replace(" ", "-").replace(":", "_").replace("+", "_")
    if not (target / DOCUMENT).exists():
        api.emit_verilog(opened, target)
    if not (target / SYNTHESIS / FIGURES).exists():
        api.synthesise(target, places=False)
    frames, own = run_bench(target), open_measured(target)
    model = opened.estimate.latency_cycles
    wrong = sum(frame.wrong for frame in frames)
    cycles = tuple(frame.cycles for frame in frames)
    return Whole(model, own.cycles, cycles, wrong, own.tools, own.samples["lut"], own.samples["ff"])


def explored(spec_name: str, folder: Path) -> tuple[api.Spec, Path]:
    """A specification and the folder of its front, which is made if it is not there."""
    path, result = shipped_folder() / f"{spec_name}.aol", folder / f"{spec_name}-explore"
    sizes = {const: str(value) for const, value in api.load_platform(path.with_suffix(".toml")).verify.items()}
    spec = api.load(path, sizes)
    if not result.exists():
        method = {"method": "rounds", "budget": BUDGETS[spec_name]} if spec_name in BUDGETS else {}
        api.write_result(api.explore(spec, space=api.Space(narrow=True, verify=False), **method), result)  # type: ignore[arg-type]
    return spec, result


def drawn(folder: Path) -> Iterator[str]:
    """Designs by chance, of each specification one that is small and was never measured, if it has any."""
    chance, fit, known = Random(SEED), calibration(), {*FITTED, *BEFORE}
    for spec_name in chance.sample(POOL, len(POOL)):
        spec, result = explored(spec_name, folder)
        names = [f"{spec_name} {one['id']}" for one in json.loads((result / "result.json").read_text())["pareto"]]
        opened = {name: api.open_design(spec, result, name.split()[1]) for name in names if name not in known}
        small = [name for name, own in opened.items() if modelled(fit, own) <= MOST_LUT]
        if small:
            yield chance.choice(small)


def modelled(fit: Calibration, opened: StoredDesign) -> float:
    """The LUT of a design by the model, as before it is emitted."""
    platform, groups = opened.platform, opened.estimate.groups
    assert platform.prices is not None and platform.clock_mhz is not None  # noqa: PT018
    parts = parts_of(groups)
    for own in (processor for group in groups for processor in group.processors):
        process = opened.network.processes[own.task]
        delays = frozenset((delay.output, delay.port) for delay in process.delays)
        assert process.definition is not None
        derivation = derivation_of(process.definition, platform.prices, platform.clock_mhz, delays)
        parts += [derivation.at(own.interval).waiting_lut] * own.units
    sample = Sample(total_features(parts), float(opened.estimate.costs["lut"]), 0.0)
    return predicted(sample, fit.coefficients["lut"])


def stored() -> dict[str, Whole]:
    """What was measured, by name."""
    if not STORED.exists():
        return {}
    return {name: _whole(own) for name, own in json.loads(STORED.read_text(encoding="utf-8")).items()}


def _whole(own: dict[str, Any]) -> Whole:
    lists = {name: tuple(own[name]) for name in ("verilog", "tools")}
    return Whole(**{**own, **lists, "lut": Sample(**own["lut"]), "ff": Sample(**own["ff"])})


def calibration() -> Calibration:
    """The fit, to those of the designs that were measured."""
    found = stored()
    fitted_to, held = (tuple(found[name].measured(name) for name in names if name in found) for names in (FITTED, HELD))
    return Calibration((*fitted_to, *_drawn()), held)


def _drawn() -> Iterator[Measured]:
    """The designs of specifications that are not shipped which the fit is made of."""
    fitted_to = json.loads(DRAWN.read_text(encoding="utf-8"))["fitted"]
    for name in FITTED_DRAWN:
        own = fitted_to[name]
        samples = {
            cost: Sample(own["features"], own["modelled"][cost], sum(own["parts"][cost].values()))
            for cost in ("lut", "ff")
        }
        yield Measured(Path(name), name, "ecp5-6", own["model"], None, tuple(own["tools"]), samples)


def table() -> str:
    """A line for each design, those that were kept out last, and what both kinds are off by."""
    fit, found, lines = calibration(), stored(), list[str]()
    shipped = tuple(one for one in fit.fitted_to if one.name in found)
    for kind, group in (("fitted to", shipped), ("kept out", fit.held)):
        if not group:
            continue
        errors = []
        for one in group:
            own, cells = found[one.name], list[str]()
            for cost in ("lut", "ff"):
                said, sample = fit.predicted(one, cost), one.samples[cost]
                cells += [f"{sample.modelled:,.0f}"] if cost == "lut" else []
                cells += [f"{said:,.0f}", f"{sample.found:,.0f}", f"{said / sample.found - 1:+.0%}"]
            errors.append(abs(fit.predicted(one, "lut") / one.samples["lut"].found - 1))
            equal = f"{own.verilog[0]:,}" if len(set(own.verilog)) == 1 and not own.wrong else "differs"
            named = one.name if kind == "fitted to" else f"**{one.name}**"
            lines.append(f"| {named} | {own.model:,} | {own.simulated:,} | {equal} | {' | '.join(cells)} |")
        within = sum(error <= 0.2 for error in errors)
        mean = sum(errors) / len(errors)
        lines.append(f"| {kind}: {within} of {len(errors)} within 20%, {mean:.0%} off on the mean |{' |' * 10}")
    return HEAD + "\n".join(lines)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["measure"]:
        folder, found = Path(arguments[1]), stored()
        for name in arguments[2:] or (*FITTED, *HELD):
            found[name] = measure(name, folder)
            print(name, found[name], file=sys.stderr)  # noqa: T201
            kept = {known: asdict(own) for known, own in sorted(found.items())}
            STORED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    elif arguments == ["technology"]:
        write_calibration(calibration(), TECHNOLOGY)
    elif arguments[:1] == ["draw"]:
        print("\n".join(sorted(drawn(Path(arguments[1])))))  # noqa: T201
        return
    print(table())  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
