"""One loop nest: what its tiles load and store."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.api.spec import Source, loaded_of
from arrayol.checks.nest import NestRequest
from arrayol.language.settings import Settings
from hwmodel.transfers.study import Transfers, open_transfers


def transfers(  # noqa: PLR0913  what people ask of a nest
    spec: Source,
    component: str,
    *,
    schedules: Sequence[str] | None = None,
    statements: Sequence[int] | None = None,
    tile: Sequence[int | str] = (10,),
    symbolic: Sequence[str] = (),
    strip_dims: int = 1,
    simplify: bool = False,
    settings: Settings | None = None,
) -> Transfers:
    """Find which data each tile of a loop nest loads and stores.

    - `component`: an elementary task with a body, or a repetitive task.
    - `schedules`: a text such as `"N-j, i"` for each of `statements` (counted from 1; all of them by default).
    - `tile`: a size for all dimensions of the schedule or one for each. A name in it, or in `symbolic`, stays symbolic.
    - `strip_dims`: along how many dimensions of tiles (1 or 2) a strip runs, in which data are reused.
    - `simplify`: one polyhedron for each array and set: simpler loops, which may move more.

    The result makes a report, a picture and C. Sizes are in elements. Raises ArrayolError if the file or the request is
    wrong, or if the schedule breaks a dependence.

    >>> api.transfers(spec, "filter", tile=[2])
    Transfers('filter' of 'conv3x3.aol')
    """
    request = NestRequest(component, schedules, tuple(map(str, tile)), statements, symbolic, strip_dims)
    return open_transfers(loaded_of(spec, settings), request, simplify=simplify)
