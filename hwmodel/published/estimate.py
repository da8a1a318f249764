"""What the published model says about one fusion."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hwmodel.design import Fusion


@dataclass(frozen=True, slots=True)
class InputBuffer:
    """The double buffer of one input link: 2 `units` `block` data (paper A, LM_j), beside `whole_array`.

    `block` is x_in, in data of `array` per unit. `whole_array` is the size in data of a fused array that is kept whole
    because its scans disagree, else 0; of several such links to one array the first carries it.
    """

    array: str
    block: int
    from_outside: bool
    whole_array: int


@dataclass(frozen=True, slots=True)
class ProcessorEstimate:
    """One process as a processor.

    `initiation` is C in cycles per datum of the largest linked output port, `units` is N_cu, `block` is X_out in data
    of that port per unit.
    """

    process: str
    initiation: Fraction
    units: int
    block: int
    inputs: tuple[InputBuffer, ...]


@dataclass(frozen=True, slots=True)
class PublishedDesign:
    """A feasible fusion: AL in cycles, IM in data and in bits, N_k blocks exchanged with the external memory."""

    fusion: Fusion
    processors: tuple[ProcessorEstimate, ...]
    latency_cycles: int
    internal_memory_data: int
    internal_memory_bits: int
    flows: int

    @property
    def units(self) -> int:
        """Computation units of all processors together."""
        return sum(processor.units for processor in self.processors)


@dataclass(frozen=True, slots=True)
class Infeasible:
    """A fusion for which no N_cu satisfies criteria 2 and 3, and why."""

    fusion: Fusion
    reason: str
