"""Designs of a front judged by the simulator at a reduced size (docs/machine.md): a mismatch is an error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arrayol.checks.pipeline import load_checked
from arrayol.errors import ArrayolError, error
from arrayol.execute.extern import Functions
from arrayol.execute.run import execute
from arrayol.execute.synthetic import noise
from arrayol.ir.model import Spec
from arrayol.ir.network import Network, flatten
from arrayol.transforms.canonical import canonical_steps
from arrayol.transforms.pipeline import run_steps
from dse.reduce import reduced
from hwmodel.access import Accesses
from hwmodel.design import Design
from hwmodel.machine.estimate import DesignEstimate
from hwmodel.machine.model import MachineModel
from hwmodel.platform import Platform
from hwmodel.referee.errors import RefereeError
from hwmodel.referee.run import Sizes
from hwmodel.referee.simulate import Simulation, simulate

WHOLE_AT_MOST = 1_000_000  # repetitions; a spec without a reduced size is simulated whole up to so many
BY_DEFAULT_AT_MOST = 2_000_000  # repetitions over all designs of the front that are simulated unasked
SEED = 1  # of the data


@dataclass(frozen=True)
class Verdict:
    """Whether a design was simulated (None: not), and at which size or why not."""

    verified: bool | None
    text: str


@dataclass
class Verifier:
    """Simulates designs of a spec's top task on a platform, at the size that its `[verify]` consts give."""

    spec: Spec
    top: str
    platform: Platform
    _done: dict[Design, bool | None] = field(default_factory=dict)  # whether the output is identical, None for tokens

    def __post_init__(self) -> None:
        self.whole = _network(self.spec, self.top)
        consts = dict(self.platform.verify)
        self.is_reduced = bool(consts)
        if consts:
            self.small_spec = load_checked(Path(self.spec.name), {**self.spec.settings, **consts})
        else:
            self.small_spec = self.spec
        self.small_spec = run_steps(self.small_spec, canonical_steps(self.small_spec, self.top)).spec
        self.small = flatten(self.small_spec, self.top)
        self.accesses = Accesses(self.small)
        self.model = MachineModel(self.small, self.platform)
        self.inputs = self._inputs()

    def _inputs(self) -> dict[str, NDArray[Any]] | None:
        """Random data; None where the bodies have no result for them, and tokens must do."""
        arrays = self.small.arrays
        found = {name: noise(arrays[name].type, self.accesses.shape(name), SEED) for name in self.small.inputs}
        try:
            execute(self.small_spec, self.top, found)
        except ArrayolError:
            return None
        return found

    @property
    def size(self) -> str:
        """The size of the simulation, in words."""
        consts = ", ".join(f"{name} = {value}" for name, value in self.platform.verify.items())
        return f"at the reduced size {consts}" if consts else "at its whole size"

    @property
    def repetitions(self) -> int:
        """How many repetitions one design has at that size."""
        return sum(math.prod(self.accesses.extents(task)) for task in self.small.processes)

    @property
    def too_large(self) -> str | None:
        """Why nothing can be simulated, if so."""
        if self.is_reduced or self.repetitions <= WHOLE_AT_MOST:
            return None
        return f"unverified: more than {WHOLE_AT_MOST:,} repetitions, and the platform has no [verify] table"

    def all(self, designs: Sequence[Design], *, asked: bool) -> tuple[Verdict, ...]:
        """The verdict on each design; without being asked to, only where they are few and small enough."""
        if self.too_large is None and not asked and len(designs) * self.repetitions > BY_DEFAULT_AT_MOST:
            limit = f"{BY_DEFAULT_AT_MOST:,} repetitions in all"
            return (Verdict(None, f"not simulated unasked above {limit}; --verify does it"),) * len(designs)
        return tuple(self.verify(design) for design in designs)

    def verify(self, design: Design) -> Verdict:
        """Simulate a design, in two variants where it is reduced.

        Raises ArrayolError (`verification-failed`) where the simulation and the model disagree.
        """
        if self.too_large:
            return Verdict(None, self.too_large)
        try:
            variants = self.variants(design)
            for variant in variants:
                if variant not in self._done:
                    self._done[variant] = self._require_agreement(design, variant)
        except NotReducibleError as reason:
            return Verdict(None, f"unverified: {reason}")
        data = ", data as tokens" if any(self._done[variant] is None for variant in variants) else ""
        return Verdict(True, f"simulated {self.size}{data}")

    def variants(self, design: Design) -> tuple[Design, ...]:
        """What is simulated for a design: at a reduced size it in whole blocks, and with partial ones.

        One of the two may be refused, as where smaller blocks break a FIFO's order. Raises NotReducibleError where
        both are.
        """
        return tuple(dict.fromkeys(self._variants(design)))

    def compare(self, variant: Design) -> tuple[Simulation, DesignEstimate]:
        """The simulation of a variant beside its estimate. Raises RefereeError where it cannot run."""
        estimate = self.model.evaluate(variant)
        return run_simulation(self.small_spec, self.small, self.platform, variant, estimate, self.inputs), estimate

    def _variants(self, design: Design) -> Iterator[Design]:
        if not self.is_reduced:
            yield design
            return
        whole, small = (
            {name: Accesses(network).extents(name) for name in network.processes}
            for network in (self.whole, self.small)
        )
        refusals = []
        for partial in (False, True):
            try:
                yield reduced(design, whole, small, self.model, partial=partial)
            except ArrayolError as refused:
                refusals.append(refused.diagnostics[0].message)
        if len(refusals) == 2:
            raise NotReducibleError(f"{self.size}, {refusals[0]}")

    def _require_agreement(self, design: Design, variant: Design) -> bool | None:
        try:
            found, estimate = self.compare(variant)
        except RefereeError as stopped:
            raise _failed(design, self.size, stopped.diagnostics[0].message) from None
        reasons = list(mismatches(found, estimate))
        if reasons:
            raise _failed(design, self.size, "; ".join(reasons))
        return found.identical


def run_simulation(
    spec: Spec,
    network: Network,
    platform: Platform,
    design: Design,
    estimate: DesignEstimate,
    inputs: Mapping[str, NDArray[Any]] | None,
    functions: Functions | None = None,
) -> Simulation:
    """Simulate a design with memories of the sizes that the model gives it."""
    sizes: list[Sizes] = [{(use.kind, use.name): use.data for use in group.memories} for group in estimate.groups]
    return simulate(spec, network, platform, design, sizes, inputs, functions)


def mismatches(found: Simulation, estimate: DesignEstimate) -> Iterator[str]:
    """What simulation and model disagree about."""
    if found.identical is False:
        yield "its output differs from the reference execution's"
    if found.cycles != estimate.latency_cycles:
        yield f"it takes {found.cycles:,} cycles, where the model says {estimate.latency_cycles:,}"
    for run, group in zip(found.groups, estimate.groups, strict=True):
        for use in group.memories:
            peak = run.peaks.get((use.kind, use.name), 0)
            if peak != use.data:
                yield f"the {use.kind} of {use.name} holds at most {peak:,} data, where the model gives it {use.data:,}"


class NotReducibleError(Exception):
    """Why a design has no counterpart at the reduced size."""


def _network(spec: Spec, top: str) -> Network:
    return flatten(run_steps(spec, canonical_steps(spec, top)).spec, top)


def _failed(design: Design, size: str, reason: str) -> ArrayolError:
    message = f"the simulation of [{design.fusion}] {size} does not agree with the model: {reason}"
    hint = "this is a mistake in arrayol; please report it with the spec and the platform"
    return error("verification-failed", message, hint=hint)
