"""From a specification and what people ask of a nest in it to its transfers: report, picture and C."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.checks.nest import NestRequest, open_program, tile_program
from arrayol.ir.spec import Spec
from arrayol.language.loader import Loaded
from arrayol.text import listed
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.program import Program
from hwmodel.platform import Platform, platform_of
from hwmodel.transfers.report import Report, report

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Transfers:
    """The transfers of a tiled nest. `remark` says what was chosen for the user, or is empty."""

    spec: Spec
    traffic: Traffic
    remark: str

    def __repr__(self) -> str:
        return f"Transfers({self.traffic.nest.name!r} of {self.spec.name!r})"

    def report(
        self, platform: Platform | Path | str | None = None, *, trees: bool = False, keeps: bool = False
    ) -> Report:
        """Sets, sizes, allocations and costs on a platform (by default the file beside the spec or the shipped one)."""
        taken, origin = platform_of(self.spec, platform)
        return report(self.spec, self.traffic, taken, origin, trees=trees, keeps=keeps)

    def c(self) -> str:
        """The tiled nest in C: see `emit_c`."""
        from hwmodel.emit.c.nest import emit_c  # noqa: PLC0415  few ask for it

        return emit_c(self.spec, self.traffic, nest_text(self.traffic.nest))

    def plot(self, path: Path | str, platform: Platform | Path | str | None = None) -> None:
        """Draw which tile moves which element, and the overlap in time: see `save_picture`."""
        from hwmodel.transfers.picture import save_picture  # noqa: PLC0415  few ask for it

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
    known = {name for statement in program.statements for name in statement.indices}
    wanted = [name for name in dict.fromkeys(_NAME.findall(request.schedules[0])) if name in known]
    fitting = [statement.number for statement in program.statements if set(wanted) <= set(statement.indices)]
    if len(program.statements) == 1 or not wanted or len(fitting) != 1:
        return request, ""
    noun = "variable" if len(wanted) == 1 else "variables"
    remark = f"tiling statement {fitting[0]}, the one with the range {noun} {listed(wanted)}"
    return replace(request, statements=fitting), remark


def nest_text(nest: TiledNest) -> str:
    """How a nest is tiled, in a line."""
    several = len(nest.statements) > 1 or nest.before or nest.after
    schedules = [
        f"{f'statement {statement.number} ' if several else ''}by ({', '.join(text)})"
        for statement, text in zip(nest.statements, nest.text, strict=True)
    ]
    return f"{', '.join(schedules)}, in tiles of {' x '.join(map(str, nest.sizes))}"
