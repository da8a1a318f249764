"""The steps of groups as jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from arrayol.transforms.refusal import Sizes
from dse.jobs.digest import digest
from dse.jobs.piece import JobPlan
from dse.jobs.progress import DESCRIBING, Report, SearchProgress
from dse.jobs.runner import JobRunner, Share
from dse.results.steps import Found, Group, StepFinder
from hwmodel.design import Design

_FUSION_SECONDS = 0.005  # roughly, of a step
_FOUND: TypeAdapter[Found] = TypeAdapter(Found)


@dataclass(frozen=True)
class StepsJob:
    """One group by blocks of its last task."""

    group: Group
    sizes: Sizes
    finder_key: bytes = field(repr=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "steps of a group"

    @property
    def cost(self) -> float:
        """Roughly how many seconds it takes."""
        return _FUSION_SECONDS * len(self.group)

    def key(self, _: StepFinder) -> bytes:
        """What it depends on."""
        return digest(self.kind, self.finder_key, self.group, self.sizes)

    def run(self, finder: StepFinder) -> Found:
        """Find them."""
        return finder.by_blocks(self.group, self.sizes)

    def dump(self, found: Found) -> str:
        """Steps as text."""
        return _FOUND.dump_json(found).decode()

    def load(self, text: str) -> Found:
        """Steps from their text."""
        return _FOUND.validate_json(text)


def find_steps(finder: StepFinder, designs: Sequence[Design], runner: JobRunner, report: Report) -> None:
    """Let the finder know the steps of all groups of some designs."""
    pairs, done = finder.needed(designs), 0

    def watch(share: Share, results: Sequence[Found]) -> None:
        nonlocal done
        done += len(results)
        report(SearchProgress(DESCRIBING, done, len(pairs), "groups", work=share.of_all))

    (found,) = runner.do(finder, [_found(finder, pairs)], watch)
    finder.learn(pairs, found)


def _found(finder: StepFinder, pairs: Sequence[tuple[Group, Sizes]]) -> JobPlan[Sequence[Found]]:
    key = finder.key
    return (yield [StepsJob(group, sizes, key) for group, sizes in pairs])
