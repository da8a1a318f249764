"""Figures of many structures, of which some are priced by themselves: those that are no products after all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.machine.built.figures import BuiltFigures, joined_figures
from hwmodel.machine.priced import FRAME, LATENCY, RESIDENT, Figures, OfDesigns, Places, Priced, PricedMemories


def corrected(priced: Priced, wrong: NDArray[np.int64], exact: Sequence[Priced]) -> Priced:
    """The same with other figures of the structures `wrong`, each priced by itself, under combinations of its own.

    Where these are more or fewer, what a structure lacks is illegal.
    """
    if not exact:
        return priced
    mixed = _Mixed(priced, wrong, exact)
    shared = len(priced.combinations) < len(priced.legal)
    return Priced(
        legal=mixed.legal,
        combinations=priced.combinations if shared else mixed.put(lambda one: one.combinations),
        latency_cycles=mixed.column(LATENCY),
        addressed_data=mixed.put(lambda one: _wide(one.addressed_data, one)),
        addressed_bits=mixed.put(lambda one: _wide(one.addressed_bits, one)),
        counted_blocks=None if priced.counted_blocks is None else mixed.put(_counted_blocks),
        traffic_bytes=mixed.column("traffic_bytes"),
        units=mixed.column("units"),
        unit_costs={name: mixed.put(partial(_unit_cost, name)) for name in priced.unit_costs},
        frame=lambda: mixed.column(FRAME),
        port=lambda: mixed.column("port_bytes"),
        left_out=priced.left_out + sum(other.left_out for other in exact),
        untried=priced.untried + sum(other.untried for other in exact),
        energy=priced.energy and replace(priced.energy, femtojoules=lambda: mixed.put(_femtojoules)),
        built=priced.built and replace(priced.built, figures=mixed.built_figures, least=mixed.least_figures),
        refusal=next((one.refusal for one in (priced, *exact) if one.refusal), None),
        resident=lambda: np.stack([mixed.column(name) for name in RESIDENT]),
    )


@dataclass(frozen=True, eq=False)
class _Mixed:
    """Structures in a batch, of which those that are `wrong` there are priced by themselves."""

    priced: Priced
    wrong: NDArray[np.int64]
    exact: Sequence[Priced]

    def put(self, of: Callable[[Priced], NDArray[Any]]) -> NDArray[Any]:
        """What all have of something (S, U, ...), as wide as the widest; the last of the others is there again."""
        wide = self._wide

        def widened(values: NDArray[Any]) -> NDArray[Any]:
            more = wide - values.shape[1]
            return np.concatenate([values, np.repeat(values[:, -1:], more, axis=1)], axis=1) if more else values

        values = np.array(widened(of(self.priced)))
        others = np.concatenate([widened(of(other)) for other in self.exact])
        values = values.astype(np.result_type(values, others))
        values[self.wrong] = others
        return values

    def column(self, name: str) -> Figures:
        """A figure by its name."""
        return self.put(lambda one: one.objective(name))

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Which are legal: nothing that only others have."""

        def legal(of: Priced) -> NDArray[np.bool_]:
            padded = np.zeros((len(of.legal), self._wide), np.bool_)
            padded[:, : of.legal.shape[1]] = of.legal
            return padded

        return self.put(legal)

    @property
    def _wide(self) -> int:
        wide: int = max(one.legal.shape[1] for one in (self.priced, *self.exact))
        return wide

    def built_figures(self, places: Places, columns: Places) -> BuiltFigures:
        """What the memories of designs take, by structure and combination (n,)."""
        return self._built(lambda built: built.figures, places, columns)

    def least_figures(self, places: Places, columns: Places) -> BuiltFigures:
        """What these have no less of."""
        return self._built(lambda built: built.least, places, columns)

    def _built(self, of: Callable[[PricedMemories], OfDesigns], places: Places, columns: Places) -> BuiltFigures:
        def figures(priced: Priced, some: Places, rows: Places) -> tuple[Places, BuiltFigures]:
            assert priced.built is not None, "all are priced on one platform"
            return some, of(priced.built)(rows, np.minimum(columns[some], priced.legal.shape[1] - 1))

        plain = np.flatnonzero(~np.isin(places, self.wrong))
        parts = [figures(self.priced, plain, places[plain])]
        for one, row in zip(self.exact, self.wrong.tolist(), strict=True):
            some = np.flatnonzero(places == row)
            if len(some):
                parts.append(figures(one, some, np.zeros(len(some), np.intp)))
        order = np.argsort(np.concatenate([some for some, _ in parts]))
        return joined_figures([own for _, own in parts]).changed(lambda own: own[order])


def _counted_blocks(priced: Priced) -> Figures:
    assert priced.counted_blocks is not None, "all are priced on one platform"
    return _wide(priced.counted_blocks, priced)


def _femtojoules(priced: Priced) -> Figures:
    assert priced.energy is not None, "all are priced on one platform"
    return _wide(priced.energy.femtojoules(), priced)


def _wide(figures: Figures, priced: Priced) -> Figures:
    return np.broadcast_to(figures, priced.legal.shape)


def _unit_cost(name: str, priced: Priced) -> Figures:
    return _wide(priced.unit_costs[name], priced)
