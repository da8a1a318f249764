"""How many units can work at once (docs/machine.md, section 6)."""

from __future__ import annotations

from collections.abc import Mapping

from arrayol.errors import error


def require_units(most: Mapping[str, int], units: Mapping[str, int]) -> None:
    """Raises ArrayolError (`too-many-units`) where a processor has more than can ever work at once.

    `most` is by task the largest number of repetitions that run at once; 0 for one that never runs, which any number
    of units suits.
    """
    for task, number in most.items():
        if units[task] < 1:
            raise ValueError(f"'{task}' has {units[task]} units")
        if units[task] > number > 0:
            raise error(
                "too-many-units",
                f"processor '{task}' has {units[task]} units, but never more than {number} of its repetitions can run "
                "at once",
                hint=f"give it at most {number}, or larger blocks",
            )
