"""How a search in rounds went, in words."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.text import counted, few
from dse.search.context import Evolution
from dse.search.exact.exact import bounds_text
from dse.search.heuristic.search import evolution_text
from dse.search.rounds.schedule import COMBINATIONS_AT_MOST, ROUNDS, Schedule

SPENT = "then the budget was spent"
SETTLED_FRONT = "then the front had settled"
BEATEN = "then designs with other splits were better by an estimate than all of these"
INTERRUPTED = "then it was interrupted"


@dataclass(frozen=True)
class Course:
    """Rounds that were done, why the search ended if it was not done, seconds of predicted work, and designs left out.

    `around` are the designs of groups around which it searched. `longest` is the longest piece of work in
    seconds, where that is more than one may take: tables of a group with many tasks, which are not split. `estimated`
    are the single tasks of which nothing is priced but what an estimate says to be best.
    """

    rounds: int
    cut: str
    spent: float
    budget: float
    left_out: int
    around: int
    evolution: Evolution | None
    longest: float | None
    exact: bool
    estimated: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether it ended by itself or by the budget, which are the same on every machine."""
        return self.cut in ("", SPENT, SETTLED_FRONT, BEATEN)

    def text(self, schedule: Schedule) -> str:
        """In a sentence, with every bound."""
        space = schedule.space
        groups = (
            "all groups"
            if schedule.takes_all_groups
            else f"groups that are intervals of {counted(len(schedule.orders), 'order')} of the tasks"
        )
        text = f"{self.rounds} of {len(ROUNDS)} rounds; {groups}"
        if self.evolution is not None:
            text += f"; then {evolution_text(self.evolution)}"
        if self.around:
            text += f"; also what differs in one decision from {counted(self.around, 'design')} of groups of the front"
        text += f"{self.cut and ', '}{self.cut}; {self.spent:.1f} s of predicted work of a budget of {self.budget:g} s"
        if schedule.thinned:
            text += f"; of the many blocks and scans of {few(sorted(schedule.thinned))} each round took some"
        if self.longest is not None:
            text += (
                f"; what a group needs before its first evaluation took up to {self.longest:.1f} s, which is not split"
            )
        if self.estimated:
            text += (
                f"; of {counted(self.estimated, 'task')} outside of fusions the blocks that an estimate says to be best"
            )
        if self.exact:
            text += "; everything was evaluated"
        elif self.rounds == len(ROUNDS) and self.left_out:
            text += f"; {counted(self.left_out, 'group design')} left out, which take too long each"
        elif self.rounds == len(ROUNDS) and schedule.takes_all_groups:
            text += f"; fronts on the way were thinned, or of rates at most {COMBINATIONS_AT_MOST:,} combinations tried"
        if space.study.has_options and not self.exact:
            text += "; options of the study tried one at a time on structures of groups"
        return text + bounds_text(space, around=True)
