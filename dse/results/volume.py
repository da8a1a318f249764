"""Hypervolumes of designs (`dse.pareto.hypervolume`), and the designs of a front that tell most of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.pareto.hypervolume import Octaves, corner_of, hypervolume, octaves_of, telling_rows
from dse.results.designs import Design
from dse.results.schema import Hypervolume
from dse.space.objectives import grows, known_figure

_FRACTIONS = 10**6  # of a figure that is no integer: its smallest unit, as fJ of energies in nJ
_RATES = 10**12  # a rate counts by its inverse: frames/s by picoseconds per frame


@dataclass(frozen=True)
class Axes:
    """The logarithmic axes of objectives: with `scales`, figures are in their smallest units."""

    objectives: tuple[str, ...]
    scales: tuple[int, ...]

    @classmethod
    def of(cls, figures: Mapping[str, float], objectives: Sequence[str]) -> Axes:
        """Axes for points that have figures of the same kinds as these."""
        whole = [isinstance(figures[name], int) for name in objectives]
        known = [figure.scale if (figure := known_figure(name)) is not None else 1 for name in objectives]
        scales = [1 if is_whole else max(_FRACTIONS, scale) for is_whole, scale in zip(whole, known, strict=True)]
        return cls(tuple(objectives), tuple(scales))

    def octaves(self, points: Iterable[Mapping[str, float]]) -> Octaves:
        """Where points stand, each figures by name; of shape (points, objectives)."""
        listed = list(points)
        columns = [self._sizes(*axis, listed) for axis in self._axes]
        return octaves_of(np.array(columns, np.float64).reshape(len(self.objectives), -1).T)

    def figures(self, octaves: Octaves) -> dict[str, float]:
        """The figures that stand at a place."""
        sizes = zip(self._axes, np.exp2(octaves).tolist(), strict=True)
        return {name: _RATES / size if grows(name) else size / scale for (name, scale), size in sizes}

    @property
    def _axes(self) -> list[tuple[str, int]]:
        return list(zip(self.objectives, self.scales, strict=True))

    @staticmethod
    def _sizes(name: str, scale: int, points: Sequence[Mapping[str, float]]) -> list[float]:
        if grows(name):
            return [_RATES / point[name] if point[name] else float(_RATES) for point in points]
        return [point[name] * scale for point in points]


def share_of_any(
    front: Sequence[Design], objectives: Sequence[str], volume: Hypervolume, bounds: Mapping[str, float]
) -> float:
    """The least share that the volume has of any front's up to the same corner, if nothing is below the bounds."""
    axes = Axes.of(front[0].objectives, objectives)
    least, corner = axes.octaves([bounds, volume.reference])
    return volume.value / float((corner - least).prod())


def volume_of(front: Sequence[Mapping[str, float]], objectives: Sequence[str]) -> Hypervolume:
    """The hypervolume of a front, of points with their figures by name, up to its corner."""
    axes = Axes.of(front[0], objectives)
    octaves = axes.octaves(front)
    corner = corner_of(octaves)
    return Hypervolume(value=hypervolume(octaves, corner), reference=axes.figures(corner))


def filled(front: Sequence[Design], objectives: Sequence[str], volume: Hypervolume) -> float:
    """How much a front fills of the box between the best of each objective and the reference, 0 to 1."""
    axes = Axes.of(front[0].objectives, objectives)
    octaves = axes.octaves(design.objectives for design in front)
    (corner,) = axes.octaves([volume.reference])
    return volume.value / float((corner - octaves.min(axis=0)).prod())


def telling(designs: Sequence[Design], objectives: Sequence[str], count: int, first: Sequence[int] = ()) -> list[int]:
    """The places, ascending, of at most so many designs of a front that tell most of it (`telling_rows`)."""
    return telling_rows(
        Axes.of(designs[0].objectives, objectives).octaves(design.objectives for design in designs), count, first
    )
