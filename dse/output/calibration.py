"""What steers units and memories, fitted to designs that were synthesised, as a technology file."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from arrayol.errors import ArrayolError, error
from arrayol.files import atomic_file
from arrayol.text import listed
from dse.output.emitted_folder import Amount, StoredRecord, open_emitted, read_document
from dse.output.hardware.emission import SYNTHESIS
from dse.output.synthesis import FIGURES
from dse.results.rows import IDENTIFIER
from hwmodel.datapath.technology.overhead import STEERED
from hwmodel.datapath.technology.technology import shipped_technologies
from hwmodel.synth.fit import FOR_COST, Sample, fitted, predicted
from hwmodel.toml_model import toml_text

FEWEST = 3  # designs that a fit is made of
MESSAGE = "this folder has no synthesis of the Verilog in it"


class _Totals(StoredRecord):
    """Costs of a whole design after synthesis."""

    lut: Amount
    ff: Amount


class _Synthesised(StoredRecord):
    """What is read of a synthesis's figures; `verilog` is the digest of what they are of."""

    spec: str
    design: Annotated[str, Field(pattern=IDENTIFIER)]
    verilog: str
    tools: list[str]
    mhz: Amount | None
    total: _Totals


@dataclass(frozen=True)
class Measured:
    """An emitted design with what synthesis found: by cost a sample. `mhz` is None where it was not placed."""

    folder: Path
    name: str
    technology: str
    cycles: int
    mhz: float | None
    tools: tuple[str, ...]
    samples: Mapping[str, Sample]


@dataclass(frozen=True)
class Calibration:
    """Coefficients by cost and feature, fitted to designs; `held` are others, which they are tried on."""

    fitted_to: tuple[Measured, ...]
    held: tuple[Measured, ...]

    @cached_property
    def coefficients(self) -> dict[str, dict[str, float]]:
        """By cost the coefficients, those of 0 left out."""
        return {
            cost: {
                name: value
                for name, value in fitted([one.samples[cost] for one in self.fitted_to], FOR_COST[cost]).items()
                if value
            }
            for cost in STEERED
        }

    def predicted(self, one: Measured, cost: str) -> float:
        """What the model then says of a design."""
        return predicted(one.samples[cost], self.coefficients[cost])

    @property
    def technology(self) -> str:
        """The technology that the designs were priced with."""
        return self.fitted_to[0].technology

    def toml(self) -> str:
        """The technology file: all of the technology, and the coefficients."""
        specs = Counter(one.name.rsplit(" ", 1)[0] for one in self.fitted_to)
        tools = sorted({tool for one in self.fitted_to for tool in one.tools})
        each = ", ".join(f"{name} ({count})" for name, count in specs.items())
        source = f"arrayol calibrate on {len(self.fitted_to)} designs, {', '.join(tools)}: {each}"
        lines = [
            f"title = {toml_text(f'{self.technology}, with what steers units and memories')}",
            f"source = {toml_text(source)}",
            f"like = {toml_text(self.technology)}",
            "",
            "[path]",
            "whole = true",
        ]
        for cost, values in self.coefficients.items():
            lines += ["", f"[overhead.{cost}]", *(f"{name} = {values.get(name, 0):g}" for name in FOR_COST[cost])]
        return "\n".join([*lines, ""])

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "technology": self.technology,
            "coefficients": self.coefficients,
            "designs": [self._row(one, held=False) for one in self.fitted_to]
            + [self._row(one, held=True) for one in self.held],
        }

    def _row(self, one: Measured, *, held: bool) -> dict[str, Any]:
        figures = {
            cost: {"units_and_memories": own.modelled, "model": self.predicted(one, cost), "synthesised": own.found}
            for cost, own in one.samples.items()
        }
        return {"folder": str(one.folder), "design": one.name, "held": held, "mhz": one.mhz, **figures}


def open_measured(folder: Path) -> Measured:
    """A folder that was emitted and synthesised.

    Raises ArrayolError: `not-emitted-folder`, and `not-synthesised` where there is no synthesis of this Verilog.
    """
    emitted = open_emitted(folder)
    stored = read_document(folder / SYNTHESIS / FIGURES, _Synthesised, lambda: _not_synthesised(folder))
    if stored["verilog"] != emitted.digest:
        raise _not_synthesised(folder)
    model, total = emitted.model, stored["total"]
    features, steering = dict(model.get("features", {})), model.get("steering", {})
    base = {cost: model["costs"].get(cost, 0) - steering.get(cost, 0) for cost in STEERED}
    samples = {cost: Sample(features, base[cost], total[cost]) for cost in STEERED}
    name, tools = f"{Path(stored['spec']).stem} {stored['design']}", tuple(stored["tools"])
    cycles = emitted.document.get("cycles", 0)
    return Measured(folder, name, str(model["technology"]), cycles, stored["mhz"], tools, samples)


def _not_synthesised(folder: Path) -> ArrayolError:
    return error("not-synthesised", MESSAGE, file=str(folder), hint=f"run 'arrayol synth {shlex.quote(str(folder))}'")


def calibrate_folders(folders: Sequence[Path], held: Sequence[Path] = ()) -> Calibration:
    """Fit what steers units and memories to designs, and try it on others.

    Raises ArrayolError: as `open_measured`, `too-few-designs`, `mixed-technologies`.
    """
    if len(folders) < FEWEST:
        hint = f"emit and synthesise {FEWEST} designs or more, of several specifications"
        raise error("too-few-designs", f"{len(folders)} of the {FEWEST} designs that a fit needs", hint=hint)
    fit_to, tried = (tuple(open_measured(folder) for folder in own) for own in (folders, held))
    names = sorted({one.technology for one in (*fit_to, *tried)})
    if len(names) > 1 or names[0] not in shipped_technologies():
        hint = f"take designs that were evaluated with one of {listed(shipped_technologies(), 'or')}"
        raise error("mixed-technologies", f"the designs are of {listed(names)}", hint=hint)
    return Calibration(fit_to, tried)


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Write the technology file. Raises ArrayolError (`cannot-write`)."""
    with atomic_file(path) as temporary:
        temporary.write_text(calibration.toml(), encoding="utf-8", newline="\n")
