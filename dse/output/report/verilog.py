"""The Verilog of a report's designs: what `arrayol emit verilog` writes of modules, or why there are none.

A design is simulated for it, so that of the best designs only small ones have it; any that is asked for by name has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from arrayol.errors import ArrayolError
from arrayol.text import counted
from dse.output.open_design import StoredDesign

AT_MOST = 60_000  # repetitions of all designs that are simulated without being asked for
_MODULES = "rtl/"


@dataclass
class Modules:
    """Verilog by design, each text once: files as pairs of a path and the place of its text in `texts`.

    `room` are the bytes that are left for texts, `work` the repetitions of designs that nobody asked for.
    """

    room: int
    work: int = AT_MOST
    texts: dict[str, int] = field(default_factory=dict)

    def of(self, opened: StoredDesign, *, asked: bool) -> dict[str, Any]:
        """The files of a design, or why there are none; `large` where it takes too much to be here unasked."""
        from dse.output.hardware.verilog import emit_verilog  # noqa: PLC0415  loads what prints Verilog

        work = sum(math.prod(side or 1 for side in own.repetition) for own in opened.network.processes.values())
        if not asked and work > self.work:
            reason = f"it takes a simulation of {counted(work, 'repetition')}, too many for a report"
            return {"refused": reason, "large": True}
        if not asked:
            self.work -= work
        try:
            files = emit_verilog(opened).files
        except ArrayolError as refused:
            return {"refused": "; ".join(diagnostic.message for diagnostic in refused.diagnostics), "large": False}
        modules = {name: str(text) for name, text in files.items() if name.startswith(_MODULES)}
        size = sum(len(text) for text in modules.values() if text not in self.texts)
        if size > self.room:
            return {"refused": f"its {counted(size, 'byte')} are left out for the size of this file", "large": True}
        self.room -= size
        return {"files": [[name, self.texts.setdefault(text, len(self.texts))] for name, text in modules.items()]}
