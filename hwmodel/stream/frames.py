"""Frames inside of a streaming group: which tasks may meet data of other frames."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.ir.spec import TiledDefault, Tiler
from hwmodel.accesses import Accesses, tilers_of
from hwmodel.stream.refusals import not_streamed


def require_frame_by_frame(accesses: Accesses, tasks: Sequence[str]) -> None:
    """Raises ArrayolError (`not-streamed`) unless every tiler passes its array frame by frame."""
    for task in tasks:
        process = accesses.network.processes[task]
        over_frames = process.repetition.index(None) if None in process.repetition else None
        for array, tiler in tilers_of(process):
            _require_one_by_one(accesses, (task, array), tiler, over_frames)
        for touch in accesses.writes[task]:
            if touch.ahead:
                raise not_streamed(f"'{task}' makes '{touch.array}' of other frames than its own", touch.tiler.span)
        for delay in accesses.delays_over_frames(task):
            if isinstance(delay.default, TiledDefault):
                text = f"'{task}' reads what the first frames have in place of its results"
                raise not_streamed(text, delay.span, hint="give the delay a constant")


def require_no_earlier(accesses: Accesses, tasks: Sequence[str], reason: str) -> None:
    """Raises ArrayolError (`not-streamed`) where a task takes states that lie in the external memory."""
    for touch in (touch for task in tasks for touch in accesses.reads[task]):
        earlier = accesses.network.arrays[touch.array].earlier
        if earlier is not None:
            text = f"'{touch.process}' takes '{touch.port}' from the external memory, and {reason}"
            raise not_streamed(text, earlier.delay.span, hint=f"let '{touch.array}' have load = \"once\" in the study")


def _require_one_by_one(accesses: Accesses, names: tuple[str, str], tiler: Tiler, over_frames: int | None) -> None:
    """Frames of an array pass as those of the repetition, and nothing else moves with them."""
    task, array = names
    for extent, row in zip(accesses.network.arrays[array].shape, tiler.paving, strict=True):
        with_frames = tuple(int(extent is None and at == over_frames) for at in range(len(row)))
        moves = row if extent is None else tuple(step if at == over_frames else 0 for at, step in enumerate(row))
        if moves != with_frames or (extent is None and over_frames is None):
            text = f"'{task}' does not pass '{array}' frame by frame"
            raise not_streamed(text, tiler.span, hint="let frames lie outside of the group")
