"""Designs of shipped specifications at the sizes of their platforms' [verify] tables, judged by the referee."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arrayol import api
from arrayol.checks.pipeline import choose_top
from arrayol.shipped import shipped_folder
from dse.mapping import Mapped
from dse.reduce import reduced
from dse.verify import Verifier, mismatches
from hwmodel.design import Design
from hwmodel.platform import find_platform


def shipped() -> list[str]:
    """The names of all shipped specifications."""
    return sorted(path.stem for path in shipped_folder().glob("*.aol"))


@dataclass(frozen=True)
class Judged:
    """How many designs agreed, of how many simulations, and the range of their cycles."""

    name: str
    designs: int
    simulations: int
    least: int
    most: int

    def __str__(self) -> str:
        counts = f"{self.designs:,} designs, {self.simulations:,} simulations"
        return f"{self.name}: {counts} of {self.least:,} to {self.most:,} cycles, all as the model says"


@dataclass(frozen=True)
class Shipped:
    """A shipped specification with its platform; whatever is simulated is at the reduced size."""

    name: str

    @property
    def path(self) -> Path:
        return shipped_folder() / f"{self.name}.aol"

    @cached_property
    def verifier(self) -> Verifier:
        spec = api.load(self.path)
        return Verifier(spec, choose_top(spec, None), find_platform(self.path, None)[0])

    def front(self, *, at_reduced_size: bool) -> Sequence[Design]:
        """The designs on the front of the default exploration, at the shipped size or at the reduced one."""
        settings = dict(self.verifier.platform.verify) if at_reduced_size else {}
        found = api.explore(api.load(self.path, settings), space=api.Space(verify=False))
        assert isinstance(found, Mapped)
        return found.designs

    def reduced(self, design: Design) -> Iterator[Design]:
        """A design of the reduced size with five blocks along each axis that it does not span, and one partial."""
        extents = {name: self.verifier.accesses.extents(name) for name in self.verifier.small.processes}
        for partial in (False, True):
            yield reduced(design, extents, extents, self.verifier.model, partial=partial)

    def require_agreement(self, variant: Design) -> int:
        """The cycles of a design of the reduced size. Fails where model and referee disagree."""
        found, estimate = self.verifier.compare(variant)
        assert not list(mismatches(found, estimate)), f"{self.name}: {variant}"
        assert found.identical is (None if self.verifier.inputs is None else True)
        for run, group in zip(found.groups, variant.groups, strict=True):
            assert run.lengths == self.verifier.model.step_cycles(group)
        return found.cycles


def judge_front(name: str, *, at_reduced_size: bool = False, most: int | None = None) -> Judged:
    """Simulate every design on a front in every variant, or some spread evenly. Fails where one disagrees."""
    one = Shipped(name)
    front = one.front(at_reduced_size=at_reduced_size)
    if most is not None and len(front) > most:
        front = [front[round(place * (len(front) - 1) / (most - 1))] for place in range(most)]
    variants = {
        variant: None
        for design in front
        for variant in ((design, *one.reduced(design)) if at_reduced_size else one.verifier.variants(design))
    }
    cycles = [one.require_agreement(variant) for variant in variants]
    return Judged(name, len(front), len(cycles), min(cycles), max(cycles))
