"""How a search in rounds went, in words."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.text import counted
from dse.search.exact import bounds_text
from dse.search.rounds.schedule import COMBINATIONS_AT_MOST, ROUNDS, Schedule

SPENT = "then the budget was spent"
CLOCK = "then the time of {:g} s was over"
INTERRUPTED = "then it was interrupted"


@dataclass(frozen=True)
class Course:
    """Rounds that were done, why it ended before the last, seconds of predicted work, and designs left out."""

    rounds: int
    cut: str
    spent: float
    budget: float
    left_out: int
    exact: bool

    @property
    def is_complete(self) -> bool:
        """Whether it ended by itself or by the budget, which is the same on every machine."""
        return self.cut in ("", SPENT)

    def text(self, schedule: Schedule) -> str:
        """In a sentence, with every bound."""
        space = schedule.space
        rounds = f"{self.rounds} of {len(ROUNDS)} rounds" + (f", {self.cut}" if self.cut else "")
        groups = (
            "all groups"
            if schedule.takes_all_groups
            else f"groups that are intervals of {counted(len(schedule.orders), 'order')} of the tasks"
        )
        text = f"{rounds}; {groups}; {self.spent:.1f} s of predicted work of a budget of {self.budget:g} s"
        if self.exact:
            text += "; everything was priced"
        elif not self.cut and self.left_out:
            text += f"; {counted(self.left_out, 'group design')} left out, which take too long each"
        elif not self.cut and schedule.takes_all_groups:
            text += f"; fronts on the way were thinned, or of rates at most {COMBINATIONS_AT_MOST:,} combinations tried"
        if space.study.has_options and not self.exact:
            text += "; options of the study tried one at a time on structures of groups"
        return text + bounds_text(space)
