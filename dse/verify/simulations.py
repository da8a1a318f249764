"""Simulations of groups as jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from dse.jobs.digest import digest
from dse.jobs.piece import JobPlan
from dse.jobs.progress import SIMULATING, Report, SearchProgress
from dse.jobs.runner import JobRunner, Share
from dse.verify.testbench import Judgement, Testbench
from hwmodel.design import GroupDesign

_GROUP_SECONDS = 0.01  # roughly, before the first step
_REPETITION_SECONDS = 1e-5  # of one repetition of one task
_JUDGEMENTS = TypeAdapter(Judgement)


@dataclass(frozen=True)
class SimulationJob:
    """One group on a bench."""

    group: GroupDesign
    cost: float = field(compare=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "simulation of a group"

    def key(self, testbench: Testbench) -> bytes:
        """What it depends on."""
        return digest(self.kind, testbench.key, self.group)

    def run(self, testbench: Testbench) -> Judgement:
        """Simulate it."""
        return testbench.judge(self.group)

    def dump(self, judgement: Judgement) -> str:
        """A judgement as text."""
        return _JUDGEMENTS.dump_json(judgement).decode()

    def load(self, text: str) -> Judgement:
        """A judgement from its text."""
        return _JUDGEMENTS.validate_json(text)


def judge_all(
    testbench: Testbench, groups: Sequence[GroupDesign], runner: JobRunner, report: Report
) -> dict[GroupDesign, Judgement]:
    """A judgement on each group."""
    done = 0

    def watch(share: Share, results: Sequence[Judgement]) -> None:
        nonlocal done
        done += len(results)
        report(SearchProgress(SIMULATING, done, len(groups), "groups", work=share.of_all))

    (judgements,) = runner.do(testbench, [_simulated(testbench, groups)], watch)
    return dict(zip(groups, judgements, strict=True))


def _simulated(testbench: Testbench, groups: Sequence[GroupDesign]) -> JobPlan[Sequence[Judgement]]:
    seconds = [_GROUP_SECONDS + _REPETITION_SECONDS * testbench.repetitions_of(group) for group in groups]
    return (yield [SimulationJob(*pair) for pair in zip(groups, seconds, strict=True)])
