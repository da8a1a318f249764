"""How many designs a heuristic search may have priced element by element, which takes long where arrays are large."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace

from dse.search.exact.exact import LEAST_ELEMENTS
from dse.space.mappings import SLOW_ELEMENTS, MappingSpace
from hwmodel.design import GroupDesign, structure_of

PACE = 40  # generations over which they are spread: the first ones know little


@dataclass
class SlowDesigns:
    """Grants structures (group designs but for their units) that the model prices slowly, more with each generation.

    Over PACE generations as many as the exact search allows each group; it goes on at that pace. None are denied where
    the study holds no plain designs to take instead.
    """

    space: MappingSpace
    priced: Container[GroupDesign]
    granted: int = 0
    denied: int = 0
    generation: int = 0
    _now: set[GroupDesign] = field(default_factory=set)

    def next_generation(self) -> None:
        """What is granted from here on belongs to the next generation."""
        self.generation += 1
        self._now.clear()

    def granted_or_without(self, design: GroupDesign) -> GroupDesign:
        """The design, or without its cuts, FIFOs and recomputing where too many have been priced so far."""
        is_quick = self.space.model.takes_by_counts(structure_of(design))
        if is_quick or design in self.priced or not self.space.study.holds_plain:
            return design
        structure = structure_of(design)
        if structure not in self._now:
            if self.granted * PACE >= self._most * self.generation:
                self.denied += 1
                processors = tuple(replace(processor, cut=None) for processor in design.processors)
                return replace(design, processors=processors, fifos=frozenset(), recompute=False)
            self.granted += 1
            self._now.add(structure)
        return design

    @property
    def _most(self) -> int:
        elements = sum(self.space.accesses.size(array) for array in self.space.model.network.arrays)
        return SLOW_ELEMENTS // max(elements, LEAST_ELEMENTS)

    def text(self) -> str:
        """What was denied, for how a front was found."""
        if not self.denied:
            return ""
        what = f"{self.granted:,} structures evaluated element by element"
        return f"; {what}, and cuts, FIFOs and recomputing left out of {self.denied:,} group designs beyond them"
