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
    """What each tile of an elementary's loop nest, or of a repetitive task, loads and stores.

    `schedules` has a text such as "N-j, i" for each of `statements` (counted from 1; all of them by default), `tile`
    one size for all dimensions of the schedule or one for each; a name in `symbolic`, or as a size, stays symbolic.
    The result makes a report, a picture and C. Raises ArrayolError where the file or the request is wrong.
    """
    request = NestRequest(component, schedules, tuple(map(str, tile)), statements, symbolic, strip_dims)
    return open_transfers(loaded_of(spec, settings), request, simplify=simplify)
