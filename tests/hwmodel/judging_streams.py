"""One generated streaming group held against the reference execution, the model and its own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from many_cases import on_many
from strategies_streams import FEATURES, Drawn, streams
from stream_networks import Case, require_whole_run, segments_with_a_word_to_spare

from arrayol.errors import ArrayolError
from hwmodel.streamed import Stream


@dataclass
class Tally:
    """What cases there were."""

    held: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    segments: int = 0

    def lines(self) -> list[str]:
        """The shares of the features, and of the refusals."""
        shares = [f"{name}: {self.features[name] / max(1, self.held):.0%}" for name in FEATURES]
        refused = [f"refused: {count} {message.strip()}" for message, count in self.refused.items()]
        return [f"{self.held} groups hold, {self.segments} segments", *shares, *refused]

    def missing(self) -> list[str]:
        """Features in less than 5% of the cases that hold."""
        return [name for name in FEATURES if self.features[name] < 0.05 * self.held]


def judge(drawn: Drawn, tally: Tally) -> None:
    """Run a case; what only its pace or its scan keeps from streaming runs without them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(drawn.text)
        case = Case.of(path)
    for stream in (drawn.stream, replace(drawn.stream, pace=Stream().pace), replace(drawn.stream, scan=())):
        try:
            case.model.metrics(stream)
        except ArrayolError as refused:
            if {diagnostic.code for diagnostic in refused.diagnostics} != {"not-streamed"}:
                raise
            tally.refused[refused.diagnostics[0].message.split("'")[-1]] += 1
            continue
        require_whole_run(case, stream)
        count, spare = segments_with_a_word_to_spare(case, stream)
        assert spare == []
        tally.held += 1
        tally.segments += count
        tally.features.update(drawn.features)
        tally.features["rotated"] += is_rotated(case, stream)
        return


def is_rotated(case: Case, stream: Stream) -> bool:
    """Whether some node begins with another index than 0."""
    return any(node.firing.first for node in case.model.streamed(stream).nodes.values())


def run(cases: int, seed: int, tell: Callable[[Tally], None]) -> Tally:
    """Judge generated cases."""
    tally = Tally()

    def judged(drawn: Drawn) -> None:
        judge(drawn, tally)
        if tally.held % 100 == 0:
            tell(tally)

    on_many(cases, seed, judged, streams())
    return tally
