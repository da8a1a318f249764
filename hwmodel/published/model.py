"""The published model of paper A on any network (docs/published.md)."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.ir.network import Network
from hwmodel.accesses import Accesses
from hwmodel.design import Fusion
from hwmodel.platform import Platform
from hwmodel.published.group import (
    GroupPlan,
    Infeasible,
    ProcessorEstimate,
    PublishedDesign,
    data_per_word,
    memory_latency,
    plan_group,
    process_rates,
    size_blocks,
)
from hwmodel.published.residents import residents_of

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _EvaluatedGroup:
    processors: tuple[ProcessorEstimate, ...]
    memory_data: int
    memory_bits: int


class PublishedModel:
    """Prices fusions of one network on one platform; what groups have in common is computed once.

    `data_per_word` is m, `memory_latency` L_m in cycles; `remarks` says what was derived rather than given. Raises
    ArrayolError where the platform or the network lacks what the model needs.
    """

    def __init__(self, network: Network, platform: Platform) -> None:
        self.network = network
        self.platform = platform
        self.accesses = Accesses(network)
        self.memory_latency = memory_latency(platform)
        self.data_per_word, remark = data_per_word(self.accesses, platform)
        self.remarks: tuple[str, ...] = (remark,) if remark else ()
        self.residents = residents_of(self.accesses, self.data_per_word, self.memory_latency)
        load = self.accesses.load
        self._rates = {name: process_rates(process, platform, load) for name, process in network.processes.items()}
        self._plans: dict[Group, GroupPlan] = {}
        self._priced: dict[tuple[Group, int], _EvaluatedGroup] = {}

    def evaluate(self, fusion: Fusion) -> PublishedDesign | Infeasible:
        """N_cu, X_out, IM and AL of a fusion, or why criteria 2 and 3 have no solution.

        Raises ValueError where the groups are not a partition of the network's processes.
        """
        self._require_partition(fusion)
        plans = [self._plan(group) for group in fusion.groups]
        reasons = [plan.reason for plan in plans if plan.reason]
        if reasons:
            return Infeasible(fusion, "; ".join(reasons))
        flows = sum(plan.flows for plan in plans)  # N_k counts over the whole network, not per group
        priced = [self._price(group, plan, flows) for group, plan in zip(fusion.groups, plans, strict=True)]
        return PublishedDesign(
            fusion,
            tuple(processor for group in priced for processor in group.processors),
            sum(plan.latency_cycles for plan in plans),
            sum(group.memory_data for group in priced) + self.residents.data,
            sum(group.memory_bits for group in priced) + self.residents.bits,
            flows,
            self.residents,
        )

    def _require_partition(self, fusion: Fusion) -> None:
        names = [name for group in fusion.groups for name in group]
        if len(names) != len(self._rates) or self._rates.keys() != set(names):
            raise ValueError(f"not a partition of the processes of '{self.network.name}': {fusion}")

    def _plan(self, group: Group) -> GroupPlan:
        if group not in self._plans:
            self._plans[group] = plan_group(self.network, self._rates, group, self.data_per_word)
        return self._plans[group]

    def _price(self, group: Group, plan: GroupPlan, flows: int) -> _EvaluatedGroup:
        key = group, flows
        if key not in self._priced:
            processors = size_blocks(plan, flows, self.memory_latency)
            # LM_j = 2 N_cu x_j (double buffering), and once the arrays whose scans disagree.
            buffers = [
                (buffer.array, 2 * processor.units * buffer.block + buffer.whole_array)
                for processor in processors
                for buffer in processor.inputs
            ]
            bits = sum(data * self.network.arrays[array].type.bits for array, data in buffers)
            self._priced[key] = _EvaluatedGroup(processors, sum(data for _, data in buffers), bits)
        return self._priced[key]
