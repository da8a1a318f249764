"""Names of a network in hardware: letters, digits and underscores, and a `$`, which no name of a specification has."""

from __future__ import annotations

import re

from hwmodel.emit.schedule.activity import Agent


def plain(name: str) -> str:
    """A name with `$` for each character that tools refuse, as in the names of calls: "t2@y" becomes "t2$y"."""
    return re.sub(r"\W", "$", name)


def column_names(agent: Agent) -> dict[int, str]:
    """The names of an agent's columns, by their use; a column with several uses is named by the first."""
    names = dict[int, str]()

    def name(column: int | None, text: str) -> None:
        if column is not None:
            names.setdefault(column, text)

    name(agent.last, "ends")
    for control, column in agent.controls.items():
        name(column, control)
    lanes = [lane for every in agent.lanes.values() for lane in every]
    for number, lane in enumerate(lanes):
        name(lane.valid, f"touches{number}")
        name(lane.section, f"section{number}")
    counters = [counter for lane in lanes for counter in (*lane.digits, *lane.sections) if counter is not None]
    for place, own in agent.places.items():
        name(own.which, f"which_{place}")
        counters += own.counters
    for number, counter in enumerate(counters):
        name(counter.column, f"ahead{number}")
    return names
