"""An emitted design synthesised: its figures beside those of the model, and the folder of what the programs wrote.

They lie in `synthesis` of the design's folder, with a digest of the Verilog that they are of; emitting anew removes it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arrayol import __version__
from arrayol.errors import error
from arrayol.files import atomic_folder
from dse.output.emitted_folder import EmittedFolder, open_emitted
from dse.output.folder import OTHER_FOLDER, require_replaceable
from dse.output.hardware.emission import SYNTHESIS
from hwmodel.emit.system.ecp5_device import PACKAGES, Ecp5Device
from hwmodel.synth.ecp5 import (
    CONFIG,
    NETLIST,
    NEXTPNR_LOG,
    PLACED,
    YOSYS_LOG,
    Amounts,
    Netlist,
    PlacedDesign,
    nextpnr_version,
    place,
    synthesise,
)
from hwmodel.synth.logic import clock_of_model, logic_of_model
from hwmodel.synth.parts import parts_of
from hwmodel.synth.tools import NEXTPNR, YOSYS, tool

FORMAT = 1
FIGURES = "synthesis.json"
FILES = (NETLIST, YOSYS_LOG, PLACED, NEXTPNR_LOG, CONFIG)  # what the programs write
CLOCK_MHZ = 100.0  # asked for where neither the platform nor a caller says one


@dataclass(frozen=True)
class Synthesis:
    """A design after synthesis. `placed` is None where it was not placed; LUTs then are those before packing.

    `parts` has by part what its cells take before packing.
    """

    emitted: EmittedFolder
    device: Ecp5Device
    target_mhz: float
    seed: int
    pins: bool
    tools: tuple[str, ...]
    netlist: Netlist
    placed: PlacedDesign | None

    @cached_property
    def total(self) -> Amounts:
        """What all takes."""
        return Amounts.of(self.netlist.counts) if self.placed is None else Amounts.of_placed(self.placed.used)

    @cached_property
    def parts(self) -> dict[str, Amounts]:
        """By part."""
        found = parts_of(self.netlist.cells, self.emitted.document["groups"])
        return {part: Amounts.of(counts) for part, counts in found.items()}

    @property
    def mhz(self) -> float | None:
        """The clock that is reached."""
        return None if self.placed is None else self.placed.mhz

    @property
    def modelled(self) -> dict[str, Mapping[str, float]]:
        """What the model said of all, and of the parts that it has: units and memories."""
        model = self.emitted.model
        memories = model["memories"]
        units = {name: model["costs"].get(name, 0) - memories.get(name, 0) for name in ("lut", "ff", "dsp")}
        total = {**model["costs"], "blocks": memories.get("blocks", 0)}
        return {"total": total, "units": units, "memories": memories}

    @cached_property
    def scheduled(self) -> dict[str, float]:
        """LUT and FF of all by the schedule; empty for a stream alone, and without a technology of an ECP5."""
        return logic_of_model(self.emitted.model)

    @property
    def scheduled_mhz(self) -> float | None:
        """The clock by units and programs; None for a stream alone, and without a technology of an ECP5."""
        return clock_of_model(self.emitted.model)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "format": FORMAT,
            "arrayol": __version__,
            "design": self.emitted.document["design"],
            "spec": self.emitted.document["spec"],
            "verilog": self.emitted.digest,
            "device": asdict(self.device),
            "seed": self.seed,
            "tools": list(self.tools),
            "pins": self.pins,
            "asked_mhz": self.target_mhz,
            "mhz": self.mhz,
            "placed": self.placed is not None,
            "total": asdict(self.total),
            "parts": {part: asdict(amounts) for part, amounts in self.parts.items()},
            "cells": dict(sorted(self.netlist.counts.items())),
            "model": dict(self.emitted.model),
            "scheduled": self.scheduled,
            "scheduled_mhz": self.scheduled_mhz,
        }


@dataclass(frozen=True)
class SynthesisOptions:
    """What a user asks of synthesis: a size, package and speed grade, a clock and a seed; None for the usual."""

    size: str | None = None
    package: str | None = None
    speed: str | None = None
    mhz: float | None = None
    seed: int = 1
    places: bool = True
    pins: bool = False  # ports are pins, else between registers

    def device(self, usual: Ecp5Device) -> Ecp5Device:
        """The device, with what is asked in place of the usual."""
        size = self.size or usual.size
        return Ecp5Device(size, self.package or PACKAGES[size], self.speed or usual.speed)


def synthesise_folder(folder: Path, asked: SynthesisOptions, out: Path | None = None) -> Synthesis:
    """Synthesise what was emitted to a folder, and write netlist, logs and figures to `out`, else inside it.

    Raises ArrayolError: `not-emitted-folder`, `no-synthesis` without the programs, `synthesis-failed` where one stops,
    `not-synthesis` and `cannot-write` for what `out` is.
    """
    emitted = open_emitted(folder)
    target = out if out is not None else folder / SYNTHESIS
    _require_writable(target)
    for name in (YOSYS, NEXTPNR) if asked.places else (YOSYS,):
        tool(name)
    with TemporaryDirectory() as name:
        work = Path(name)
        (work / "rtl").mkdir()
        for source, module in emitted.modules.items():
            (work / source).write_bytes(module)
        done = _synthesis(emitted, asked, work)
        with atomic_folder(target) as written:
            for own in FILES:
                if (work / own).exists():
                    shutil.copyfile(work / own, written / own)
            text = json.dumps(done.to_json(), indent=1) + "\n"
            (written / FIGURES).write_text(text, encoding="utf-8", newline="\n")
    return done


def _synthesis(emitted: EmittedFolder, asked: SynthesisOptions, work: Path) -> Synthesis:
    device, mhz = asked.device(emitted.default_device), asked.mhz or emitted.model["clock_mhz"] or CLOCK_MHZ
    netlist = synthesise(work, emitted.sources, f"{emitted.document['top']}_top")
    placed, tools = None, [netlist.creator]
    if asked.places:
        placed = place(work, device, mhz, asked.seed, CONFIG if asked.pins else None, registers=not asked.pins)
        tools.append(nextpnr_version(work))
    return Synthesis(emitted, device, mhz, asked.seed, asked.pins, tuple(tools), netlist, placed)


def _require_writable(target: Path) -> None:
    """Raises ArrayolError (`not-synthesis`, `cannot-write`) where a synthesis may not be written there."""
    require_replaceable(target)
    if target.is_dir() and any(target.iterdir()) and not (target / FIGURES).is_file():
        message = "this folder is not empty and holds no former synthesis"
        raise error("not-synthesis", message, file=str(target), hint=OTHER_FOLDER)


def written_files(synthesis: Synthesis) -> Sequence[str]:
    """The names of the files that a synthesis leaves."""
    of_placing = (PLACED, NEXTPNR_LOG, *((CONFIG,) if synthesis.pins else ()))
    return (FIGURES, NETLIST, YOSYS_LOG, *(of_placing if synthesis.placed is not None else ()))
