"""The part of a study's space that Verilog is emitted for, which `--hardware` searches."""

from __future__ import annotations

from typing import Any

from arrayol.errors import error
from dse.space.study import STREAM_STYLE, Study
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.streamed import Interface

AXIS: Interface = "axis"


def emitted_only(study: Study, coverage: Coverage) -> Study:
    """The study without bank layouts, and without a memory port where only AXI4-Streams are emitted.

    Streams that are not emitted are left out where they are priced. Raises ArrayolError: `not-emitted` and
    `not-in-hardware` where nothing of the specification is emitted on the platform, `study-misfit` where the study asks
    for layouts alone.
    """
    if (refusal := coverage.why_nothing(axi_streams=study.has_streams and AXIS in study.interfaces)) is not None:
        raise refusal
    if "none" not in study.layouts:
        message = "the study wants each buffer with a bank layout, and designs with one are not emitted"
        hint = 'add "none" to layouts, or leave out --hardware'
        raise error("study-misfit", message, study.place("layouts"), hint=hint)
    changed: dict[str, Any] = {"layouts": ("none",)}
    if coverage.why_no_port is not None:
        changed |= {"styles": (STREAM_STYLE,), "interfaces": (AXIS,)}
    return study.model_copy(update=changed)
