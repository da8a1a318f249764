"""From a file and what people ask of a nest in it to its transfers: report, picture and C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.checks.pipeline import load_checked
from arrayol.checks.tiling import NestRequest, open_nest, open_program
from arrayol.ir.model import Spec
from arrayol.language.loader import Settings
from arrayol.polyhedral.tiles.nest import TiledNest, Traffic
from arrayol.polyhedral.tiles.traffic import traffic
from hwmodel.platform import Platform, check_against, find_platform
from hwmodel.transfers.emit_c.tiles import emit_c
from hwmodel.transfers.picture import save_picture
from hwmodel.transfers.report import Report, report

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Transfers:
    """The transfers of a tiled nest. `remark` says what was chosen for the user, or is empty."""

    spec: Spec
    traffic: Traffic
    remark: str

    def report(self, platform: Platform | Path | None = None, *, trees: bool = False) -> Report:
        """Sets, sizes, allocations and costs on a platform (by default the file beside the spec or the shipped one)."""
        taken, origin = self._platform(platform)
        return report(self.spec, self.traffic, taken, origin, trees=trees)

    def c(self) -> str:
        """The tiled nest in C: see `emit_c`."""
        return emit_c(self.spec, self.traffic, shown(self.traffic.nest))

    def plot(self, path: Path, platform: Platform | Path | None = None) -> None:
        """Draw which tile moves which element, and the overlap in time: see `save_picture`."""
        taken, _ = self._platform(platform)
        save_picture(self.spec, self.traffic, taken, path)

    def _platform(self, platform: Platform | Path | None) -> tuple[Platform, str]:
        if isinstance(platform, Platform):
            taken, origin = platform, "given as an object"
        else:
            taken, origin = find_platform(Path(self.spec.name), platform)
        check_against(taken, self.spec)
        return taken, origin


def open_transfers(path: Path, settings: Settings | None, request: NestRequest, *, simplify: bool = False) -> Transfers:
    """The transfers of a nest. Raises ArrayolError where the file or the request is wrong, or the nest too hard.

    One schedule for several statements is taken for the one statement that has all range variables it names.
    """
    request, remark = _chosen(path, settings, request)
    nest = open_nest(path, settings, request)
    return Transfers(load_checked(path, settings), traffic(nest, simplify=simplify), remark)


def _chosen(path: Path, settings: Settings | None, request: NestRequest) -> tuple[NestRequest, str]:
    if request.statements is not None or request.schedules is None or len(request.schedules) != 1:
        return request, ""
    program = open_program(path, settings, request.component, request.symbols)
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
