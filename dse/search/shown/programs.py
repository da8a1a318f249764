"""Found designs that only a schedule shows to be refused, for long programs or for what a bank layout needs.

A bound of the programs' lengths takes milliseconds for a design. A schedule is derived in seconds, so that is done only
with `hardware` in the study, and only of designs with a bank layout, or whose bound is above what emission takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from arrayol.errors import ArrayolError
from arrayol.text import counted, few
from dse.results.designs import ProgramsRecord
from dse.space.mappings import MappingSpace
from dse.verify.programs import longest_bound, longest_program
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.design import Design
from hwmodel.emit.schedule import program
from hwmodel.emit.verilog.coverage import reason_text

ENOUGH = 4  # programs in succession that are short enough, after which those of lower bounds are taken for short


@dataclass(frozen=True)
class LongPrograms:
    """Designs whose programs may be too long: how long, and why the schedules of some are refused, each by design."""

    lengths: Mapping[Design, ProgramsRecord] = field(default_factory=dict)
    refused: Mapping[Design, str] = field(default_factory=dict)
    in_doubt: int = 0  # designs whose schedules were not derived, for want of time or as longer ones are short enough

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, and what was not derived."""
        found: list[str] = []
        if self.refused:
            reasons = few(list(dict.fromkeys(self.refused.values())))
            found.append(f"{counted(len(self.refused), 'design')} left out: {reasons}")
        if self.in_doubt:
            designs = counted(self.in_doubt, "design")
            found.append(f"schedules of {designs} were not derived: others have longer programs, or the time was over")
        return tuple(found)


def long_programs(
    space: MappingSpace, designs: Sequence[Design], announce: Callable[[str], None], seconds: float | None
) -> LongPrograms:
    """The designs with blocks whose bound is above what emission takes; with `hardware` in the study, derived.

    Those of the greatest bounds come first, until `ENOUGH` in succession are short enough, then those with bank
    layouts, until so many seconds are over.
    """
    variants = {one.choice: one for one in space.variants}
    estimates, lengths = dict[Design, DesignEstimate](), dict[Design, ProgramsRecord]()
    for design in designs:
        variant = variants[design.choice]
        if variant.coverage.why_not(design) is None:
            groups = variant.model.estimates(list(design.groups))
            estimate = variant.model.whole(design, groups, reuse_memory=space.study.reuse_memory)
            bound = longest_bound(variant.accesses, variant.model.platform, design, estimate)
            if bound > program.MOST_INSTRUCTIONS:
                lengths[design] = ProgramsRecord(instructions=bound, exact=False)
            if design in lengths or _has_layouts(design):
                estimates[design] = estimate
    if not space.study.hardware or not estimates:
        return LongPrograms(lengths)
    announce(f"deriving schedules of {counted(len(estimates), 'design')}, the longest first, which takes seconds each")
    refused, began, short, in_doubt = dict[Design, str](), monotonic(), 0, 0
    for design in sorted(estimates, key=lambda own: -lengths[own].instructions if own in lengths else 0):
        enough = short == ENOUGH and not _has_layouts(design)
        if enough or (seconds is not None and monotonic() - began > seconds):
            in_doubt += 1
            continue
        short += design in lengths
        variant = variants[design.choice]
        try:
            longest = longest_program(variant.accesses, variant.model.platform, design, estimates[design])
            if longest is not None and design in lengths:
                lengths[design] = ProgramsRecord(instructions=longest.instructions, exact=True)
                longest.require_short()
        except ArrayolError as refusal:
            refused[design], short = reason_text(refusal), 0
    return LongPrograms(lengths, refused, in_doubt)


def _has_layouts(design: Design) -> bool:
    return any(group.layouts for group in design.groups)
