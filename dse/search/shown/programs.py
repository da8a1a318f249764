"""Programs of found designs that may be too long to be emitted: bounded for all, derived where only hardware counts.

The bound takes milliseconds for a design. A program is derived in seconds, so that is done only with `hardware` in the
study, and only of designs whose bound is above what emission takes.
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
    in_doubt: int = 0  # designs whose programs were not derived, for want of time or as longer ones are short enough

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, and what was not derived."""
        found: list[str] = []
        if self.refused:
            reasons = few(list(dict.fromkeys(self.refused.values())))
            found.append(f"{counted(len(self.refused), 'design')} left out: {reasons}")
        if self.in_doubt:
            designs = counted(self.in_doubt, "design")
            found.append(f"programs of {designs} were not derived: their bounds are lower than those of others")
        return tuple(found)


def long_programs(
    space: MappingSpace, designs: Sequence[Design], announce: Callable[[str], None], seconds: float | None
) -> LongPrograms:
    """The designs with blocks whose bound is above what emission takes; with `hardware` in the study, derived.

    Those of the greatest bounds come first, until `ENOUGH` in succession are short enough, or so many seconds are over.
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
                estimates[design], lengths[design] = estimate, ProgramsRecord(instructions=bound, exact=False)
    if not space.study.hardware or not estimates:
        return LongPrograms(lengths)
    announce(f"deriving programs of {counted(len(estimates), 'design')}, the longest first, which takes seconds each")
    refused, began, short = dict[Design, str](), monotonic(), 0
    by_bound = sorted(estimates.items(), key=lambda pair: -lengths[pair[0]].instructions)
    for number, (design, estimate) in enumerate(by_bound):
        if short == ENOUGH or (seconds is not None and monotonic() - began > seconds):
            return LongPrograms(lengths, refused, len(estimates) - number)
        short += 1
        variant = variants[design.choice]
        try:
            longest = longest_program(variant.accesses, variant.model.platform, design, estimate)
            if longest is not None:
                lengths[design] = ProgramsRecord(instructions=longest.instructions, exact=True)
                longest.require_short()
        except ArrayolError as refusal:
            refused[design], short = reason_text(refusal), 0
    return LongPrograms(lengths, refused)
