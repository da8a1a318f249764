"""From a specification and what people ask of a nest in it to its transfers: report, picture and C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.checks.nest import NestRequest, open_program, tile_program
from arrayol.ir.spec import Spec
from arrayol.language.loader import Loaded
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.program import Program
from hwmodel.emit.c.nest import emit_c
from hwmodel.platform import Platform, platform_of
from hwmodel.transfers.report import Report, report, save_picture

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Transfers:
    """The transfers of a tiled nest. `remark` says what was chosen for the user, or is empty."""

    spec: Spec
    traffic: Traffic
    remark: str

    def report(self, platform: Platform | Path | str | None = None, *, trees: bool = False) -> Report:
        """Sets, sizes, allocations and costs on a platform (by default the file beside the spec or the shipped one)."""
        taken, origin = platform_of(self.spec, platform)
        return report(self.spec, self.traffic, taken, origin, trees=trees)

    def c(self) -> str:
        """The tiled nest in C: see `emit_c`."""
        return emit_c(self.spec, self.traffic, shown(self.traffic.nest))

    def plot(self, path: Path | str, platform: Platform | Path | str | None = None) -> None:
        """Draw which tile moves which element, and the overlap in time: see `save_picture`."""
        taken, _ = platform_of(self.spec, platform)
        save_picture(self.spec, self.traffic, taken, Path(path))


def open_transfers(loaded: Loaded, request: NestRequest, *, simplify: bool = False) -> Transfers:
    """The transfers of a nest of a sound specification. Raises ArrayolError for a wrong request or too hard a nest.

    One schedule for several statements is taken for the one statement that has all range variables it names.
    """
    program = open_program(loaded, request.component, request.symbols)
    request, remark = _chosen(program, request)
    return Transfers(loaded.spec, traffic(tile_program(program, loaded, request), simplify=simplify), remark)


def _chosen(program: Program, request: NestRequest) -> tuple[NestRequest, str]:
    if request.statements is not None or request.schedules is None or len(request.schedules) != 1:
        return request, ""
    known = {name for one in program.statements for name in one.indices}
    wanted = [name for name in dict.fromkeys(_NAME.findall(request.schedules[0])) if name in known]
    fitting = [one.number for one in program.statements if set(wanted) <= set(one.indices)]
    if len(program.statements) == 1 or not wanted or len(fitting) != 1:
        return request, ""
    remark = f"tiling statement {fitting[0]}, the one with the range {_listed('variable', wanted)}"
    return replace(request, statements=fitting), remark


def _listed(noun: str, names: Sequence[str]) -> str:
    return f"{noun} {names[0]}" if len(names) == 1 else f"{noun}s {', '.join(names[:-1])} and {names[-1]}"


def shown(nest: TiledNest) -> str:
    """How a nest is tiled, in a line."""
    schedules = [
        f"statement {one.number} by ({', '.join(text)})"
        if len(nest.statements) > 1 or nest.before or nest.after
        else f"by ({', '.join(text)})"
        for one, text in zip(nest.statements, nest.text, strict=True)
    ]
    return f"{', '.join(schedules)}, in tiles of {' x '.join(map(str, nest.sizes))}"
