"""Simulations of groups as pieces of work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from dse.bench import Bench, Judgement
from dse.progress import SIMULATING, Report, SearchProgress
from dse.work.content import digest
from dse.work.crew import Crew, Share
from dse.work.piece import Work
from hwmodel.design import GroupDesign

_GROUP_SECONDS = 0.01  # roughly, before the first step
_REPETITION_SECONDS = 1e-5  # of one repetition of one task
_JUDGEMENTS = TypeAdapter(Judgement)


@dataclass(frozen=True)
class SimulationPiece:
    """One group on a bench."""

    group: GroupDesign
    cost: float = field(compare=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "simulation of a group"

    def key(self, bench: Bench) -> bytes:
        """What it depends on."""
        return digest(self.kind, bench.key, self.group)

    def run(self, bench: Bench) -> Judgement:
        """Simulate it."""
        return bench.judge(self.group)

    def dump(self, judgement: Judgement) -> str:
        """A judgement as text."""
        return _JUDGEMENTS.dump_json(judgement).decode()

    def load(self, text: str) -> Judgement:
        """A judgement from its text."""
        return _JUDGEMENTS.validate_json(text)


def judge_all(bench: Bench, groups: Sequence[GroupDesign], crew: Crew, report: Report) -> dict[GroupDesign, Judgement]:
    """A judgement on each group."""
    done = 0

    def watch(share: Share, results: Sequence[Judgement]) -> None:
        nonlocal done
        done += len(results)
        report(SearchProgress(SIMULATING, done, len(groups), "groups", work=share.of_all))

    (judgements,) = crew.do(bench, [_simulated(bench, groups)], watch)
    return dict(zip(groups, judgements, strict=True))


def _simulated(bench: Bench, groups: Sequence[GroupDesign]) -> Work[Sequence[Judgement]]:
    seconds = [_GROUP_SECONDS + _REPETITION_SECONDS * bench.repetitions_of(group) for group in groups]
    return (yield [SimulationPiece(*pair) for pair in zip(groups, seconds, strict=True)])
