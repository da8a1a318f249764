"""Figures of one buffer as built, in many structures of a group at many rates (docs/machine.md, section 13).

The idea. Many rates need the same ways to serve the ports of a buffer, and a way depends on the structure only by the
depth of its banks. So each way is evaluated once for each structure, when it is first needed.

The depth of banks has a lower bound: live data lie in different words of each copy, so with `banks` banks one is at
least live / banks deep, rounded up. A single bank has the known addressed size. The least over all ways is then a lower
bound for each design, whichever way it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.cost_model.memories.bank_figures import SizeTable
from hwmodel.cost_model.memories.figures import FIGURES, PRICE, Figures
from hwmodel.cost_model.memories.layout_ports import LayoutPorts
from hwmodel.cost_model.memories.local_ports import Rates
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.cost_model.memories.row_cache import RowCache
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.organisations import Candidate, Ways, organise_layout

Mask = NDArray[np.bool_]
Kind = Ways | LayoutPorts  # what serves the ports
Sized = Callable[[IntArray], IntArray]  # of some structures, by their rows (n,), so many words
Depths = Callable[[BankFunction, IntArray], IntArray]  # of such the words of the deepest bank
_MOST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class BufferFigures:
    """The buffer of an array in S structures, with addressed sizes `words` in one bank and `live` counts."""

    builder: Builder
    array: str
    structures: int
    words: Sized
    live: Sized
    depths: Depths
    _known: dict[Ways, RowCache] = field(default_factory=dict, repr=False)
    _ways: dict[Candidate, RowCache] = field(default_factory=dict, repr=False)

    def kind(self, rates: Rates) -> Kind:
        """The ways to serve the ports, or the layout's ports, at some rates."""
        if self.array in self.builder.layouts:
            return self.builder.layout_ports(self.array, rates)
        return self.builder.ports.ways(self.array, rates)[1]

    def figures(self, kind: Kind, which: IntArray) -> Figures:
        """The ROWS of figures (9, n) of a kind of buffer in some structures."""
        if isinstance(kind, Ways):
            if kind not in self._known:
                own = replace(self, _known={})  # without what it is to hold, so that nothing large holds itself
                self._known[kind] = RowCache(self.structures, partial(own.cheapest, kind))
            return self._known[kind](which).T

        def layout(deep: int) -> tuple[float, ...]:
            organisation = organise_layout(kind.function, kind.copies, deep, self._bits, self.builder.terms)
            return self.builder.figures(organisation, self._bits)

        return SizeTable(layout)(self.depths(kind.function, which))

    def needs(self, kind: Kind, which: IntArray) -> Iterator[tuple[BankFunction, IntArray]]:
        """The bank functions whose depths the figures of a kind depend on, and the structures without known figures."""
        if not isinstance(kind, Ways):
            yield kind.function, which
            return
        new = self._known[kind].new(which) if kind in self._known else which
        for candidate in kind.candidates if len(new) else ():
            if candidate.banks > 1 and candidate.function is not None:
                yield candidate.function, self._ways[candidate].new(new) if candidate in self._ways else new

    def least(self, kind: Kind, which: IntArray) -> Figures:
        """Lower bounds of data and bits (2, n) over all designs."""
        data = self._least_data(kind, which)
        return np.stack([data, data * self._bits])

    def _least_data(self, kind: Kind, which: IntArray) -> IntArray:
        """Lower bounds of data (n,) over all designs."""
        words, live = self.words(which), self.live(which)
        if not isinstance(kind, Ways):
            banks = kind.function.banks
            return kind.copies * banks * -(-live // banks)
        if not kind.candidates:
            return words
        least = np.where(self._may_be_registers(kind, words), words, _MOST)
        for candidate in kind.candidates:
            deep = words if candidate.banks == 1 else -(-live // candidate.banks)
            least = np.minimum(
                least,
                _known_data(
                    self._ways.get(candidate), which, candidate.copies * candidate.banks * deep + candidate.window
                ),
            )
        return _known_data(self._known.get(kind), which, least)

    @property
    def _bits(self) -> int:
        return self.builder.bits(self.array)

    def _may_be_registers(self, ways: Ways, words: IntArray) -> Mask:
        """In which structures registers may serve the ports."""
        return np.asarray(words * self._bits <= ways.register_bits(self.builder.terms))

    def cheapest(self, ways: Ways, which: IntArray) -> Figures:
        """The ROWS of figures (n, 9) of the cheapest way to serve the ports in some structures."""
        words = self.words(which)
        options = [self.builder.figures_of_registers(self._bits, words, ways.routes)]
        prices = [np.where(self._may_be_registers(ways, words), options[0][PRICE], math.inf)]
        for candidate in ways.candidates:
            options.append(self._of_way(candidate)(which).T)
            prices.append(options[-1][PRICE])
        best = np.stack(prices).argmin(axis=0)  # where none can be built the design is not legal (`served`)
        chosen: Figures = np.stack(options)[best, :, np.arange(len(words))]
        return chosen

    def _of_way(self, one: Candidate) -> RowCache:
        """The ROWS of figures (n, 9) of one way to serve the ports, which several kinds may share."""
        if one not in self._ways:
            words, depths, figures, bits = self.words, self.depths, self.builder.figures_of_way, self._bits

            def of_rows(which: IntArray) -> Figures:
                assert one.function is not None, "registers are no candidate"
                deep = words(which) if one.banks == 1 else depths(one.function, which)
                return figures(one, bits, deep).T

            self._ways[one] = RowCache(self.structures, of_rows)
        return self._ways[one]


def _known_data(figures: RowCache | None, which: IntArray, data: IntArray) -> IntArray:
    """The data (n,) of some structures, replaced by known figures where there are any."""
    if figures is None:
        return data
    there, known_figures = figures.known(which)
    data[there] = known_figures[:, FIGURES.index("data")]
    return data
