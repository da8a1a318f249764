"""What slack leaves out of a front, in words."""

from __future__ import annotations

from arrayol.text import counted, listed
from dse.results.schema import Result
from dse.results.totals import NAMES

_LOGIC = ("lut", "area")  # of which slack makes one as small as may be


def slack_text(result: Result) -> str:
    """Which designs were found and are not shown for their logic; empty where all are shown."""
    if result.searched is None or result.space.study is None:
        return ""
    logic = next((NAMES[name] for name in _LOGIC if name in result.pareto[0].objectives), "logic")
    share, found = f"{100 * result.space.study['slack']:.3g}%", counted(result.searched, "design")
    gain = f"at most {share} in {listed(result.objectives, 'or')}"
    return f"those that take more {logic} for {gain}, of {found} found"
