"""Exhaustive exploration of the fusions under the published model, subspace by subspace (paper A, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from time import monotonic
from types import MappingProxyType

import numpy as np

from arrayol import __version__
from arrayol.errors import Diagnostic, InfeasibleError
from arrayol.text import counted
from dse.pareto.fronts import COMPARED_AT_MOST, Candidate, GrowingFront, counted_front, points_of
from dse.pareto.hypervolume import RisingVolume
from dse.results.designs import Design, GroupRecord, MemoryRecord, ProcessorRecord
from dse.results.exploration import Exploration, Labels
from dse.results.pick import TELLING, telling_designs
from dse.results.rows import identifier
from dse.results.schema import FORMAT, Comparisons, Refusal, Result, SpaceSummary, SubspaceSummary
from dse.results.steps import StepFinder
from dse.results.volume import volume_of
from dse.search.context import ASKED, AUTO, EXHAUSTIVE, PARTITION, SEARCHED, Chosen, SearchRequest, refused
from dse.search.integer_partitions import Coverage, code_of
from dse.search.shown.plotted_points import Collector
from dse.space.fusions import Subspace, count_by_groups, expand, subspaces
from dse.space.objectives import Objective, available, require_available
from dse.space.task_graph import task_graph
from hwmodel import memory_kinds
from hwmodel.accesses import Accesses
from hwmodel.assumptions import assumed_by_published
from hwmodel.design import Fusion
from hwmodel.published.group import Infeasible, ProcessorEstimate, PublishedDesign
from hwmodel.published.model import PublishedModel
from hwmodel.residence import ONCE, ROM

# One search through the space of fusions, priced as it goes: subspace fronts, then the front among their survivors.

_REPORT_EVERY = 64  # fusions


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is; `total` is None where the space is too tangled to be counted beforehand.

    `hypervolume` gives that of the front so far (`RisingVolume`), None before the first feasible fusion; it is computed
    when asked for, while the search waits.
    """

    evaluated: int
    total: int | None
    subspace: int
    subspaces: int
    hypervolume: Callable[[], float | None] = field(default=lambda: None, compare=False)


class FusionSearch:
    """Counts and keeps what an exploration's result needs; `run` fills it.

    With `keep_all` the candidates stay in `kept`, in the order of the space. After so many `seconds` of the clock, of
    fusions that are left, none is priced; then it is not `complete`.
    """

    def __init__(
        self,
        model: PublishedModel,
        objectives: tuple[Objective, ...],
        *,
        keep_all: bool = False,
        report: Callable[[Progress], None] | None = None,
        seconds: float = inf,
    ) -> None:
        self.model = model
        self.objectives = objectives
        self.graph = task_graph(model.network)
        self.plotted = Collector(self.graph)
        self.summaries: list[SubspaceSummary] = []
        self.front: list[Candidate] = []
        self.kept: list[Candidate] = []
        self.evaluated = 0
        self.infeasible = 0
        self.example: Infeasible | None = None
        self.comparisons_by_subspaces: int | None = 0
        self.comparisons_of_all_pairs: int | None = 0
        self._every_value: list[tuple[int, ...]] = []
        self._keep_all = keep_all
        self._report = report or (lambda _: None)
        self._survivors = GrowingFront()
        self._volume = RisingVolume()
        self.complete = True
        self._ends = monotonic() + seconds

    def run(self) -> None:
        """Walk the subspaces, then compare their survivors, then (where they are few enough) all with all."""
        counts = count_by_groups(self.graph)
        total = sum(counts.values()) if counts else None
        spaces = list(subspaces(self.graph))
        for place, subspace in enumerate(spaces, 1):
            for candidate in self._front_of(subspace, Progress(0, total, place, len(spaces))):
                self._survivors.add(candidate)
            if not self.complete:
                break
        self.front = self._survivors.finish()
        self._count(self._survivors)
        if self.complete:
            self._compare_all_pairs()
        else:
            self.comparisons_of_all_pairs = None

    def _front_of(self, subspace: Subspace, progress: Progress) -> list[Candidate]:
        front, partitions = GrowingFront(), Counter[str]()
        infeasible = self.infeasible
        for sizes, fusion in _fusions(subspace):
            if self.evaluated and monotonic() > self._ends:
                self.complete = False
                break
            partitions["+".join(map(str, sizes))] += 1
            candidate = self._price(fusion)
            if candidate:
                front.add(candidate)
            if self.evaluated % _REPORT_EVERY == 0:
                self._tell(progress, front)
        survivors = front.finish()
        self._count(front)
        self._tell(progress, front)
        self.summaries.append(
            SubspaceSummary(
                groups=subspace.groups,
                fusions=partitions.total(),
                infeasible=self.infeasible - infeasible,
                pareto=len(survivors),
                partitions=dict(partitions),
            )
        )
        return survivors

    def _price(self, fusion: Fusion) -> Candidate | None:
        """The fusion as a candidate, or None and a note where it is infeasible."""
        self.evaluated += 1
        design = self.model.evaluate(fusion)
        if isinstance(design, Infeasible):
            self.infeasible += 1
            self.example = self.example or design
            return None
        candidate = Candidate(fusion, tuple(objective.exact(design) for objective in self.objectives))
        self.plotted.add(candidate)
        if self._keep_all:
            self.kept.append(candidate)
        if len(self._every_value) <= COMPARED_AT_MOST:
            self._every_value.append(candidate.values)
        return candidate

    def _count(self, front: GrowingFront) -> None:
        if self.comparisons_by_subspaces is None or front.comparisons is None:
            self.comparisons_by_subspaces = None
        else:
            self.comparisons_by_subspaces += front.comparisons

    def _compare_all_pairs(self) -> None:
        """What the paper's subspaces save, counted by doing it: every feasible design against every other."""
        if len(self._every_value) > COMPARED_AT_MOST:
            self.comparisons_of_all_pairs = None
        elif self._every_value:
            self.comparisons_of_all_pairs = counted_front(points_of(self._every_value)).comparisons

    def _tell(self, progress: Progress, front: GrowingFront) -> None:
        self._report(replace(progress, evaluated=self.evaluated, hypervolume=partial(self._hypervolume, front)))

    def _hypervolume(self, front: GrowingFront) -> float | None:
        """Hypervolume of the survivors of former subspaces and the candidates of the present one so far."""
        candidates = [*self._survivors.held, *front.held]
        values = np.array([candidate.values for candidate in candidates], np.float64).reshape(-1, len(self.objectives))
        return self._volume.with_points(values)


def _fusions(subspace: Subspace) -> Iterator[tuple[tuple[int, ...], Fusion]]:
    """The fusions of a subspace with the integer partition that each stands for."""
    for sizes in subspace.partitions:
        for fusion in expand(subspace.graph, sizes):
            yield sizes, fusion


MODELS = MappingProxyType({"published": PublishedModel})  # by the names that users give them
METHOD = "every legal fusion under the published model of Corvino, Gamatié, Boulet (2010)"
ALL_PAIRS = f"{METHOD}, each compared with every other"


def explore(
    model: PublishedModel,
    objectives: Sequence[Objective],
    labels: Labels,
    *,
    request: SearchRequest | None = None,
    steps: StepFinder | None = None,
) -> Exploration:
    """Price every legal fusion and keep the Pareto front: by the paper's subspaces (`partition`), or `exhaustive`.

    Memory holds fronts, points for the plot and what is being compared, not every design, unless `request` says so.
    With `steps` the designs that tell most of the front carry the transformations that make its specification. Raises
    InfeasibleError (`infeasible`) where no fusion fits the platform, ArrayolError (`no-clock`) where an objective needs
    one, or (`method-refused`) for another method.
    """
    require_available(objectives, model.platform, model.accesses)
    request = request or SearchRequest()
    method = choose_published(request.method, model)
    request.announce(f"{_size(model)}; {method.text}")
    remarks = (*assumed_by_published(model.network, model.platform, labels.platform), *model.remarks)
    remarks = (*remarks, *request.idle_remarks(method.name))
    request.announce_all(remarks)
    all_pairs = method.name == EXHAUSTIVE
    seconds = inf if request.timeout is None else SEARCHED * request.timeout
    keep_all = request.keep_all or all_pairs
    search = FusionSearch(model, tuple(objectives), keep_all=keep_all, report=request.report, seconds=seconds)
    search.run()
    _require_feasible(search)
    if all_pairs:
        rows = counted_front(points_of([candidate.values for candidate in search.kept])).rows
        search.front = [search.kept[row] for row in rows]
    candidates = sorted(search.front, key=lambda candidate: (candidate.values, len(candidate.fusion.groups)))
    front = _designs(search, candidates)
    if steps:
        names = [objective.name for objective in search.objectives]
        front = steps.described_at(front, telling_designs(front, names, TELLING), lambda _: None)
    how = ALL_PAIRS if all_pairs else METHOD
    if not search.complete:
        how += f", {request.clock_text}: {_priced_text(search)}"
    result = _result(search, front, labels, remarks, (method, how), keep_all=request.keep_all)
    plotted = search.plotted.finish(search.objectives, model.platform)
    return Exploration(result, search.objectives, plotted, steps=steps)


def choose_published(asked: str, model: PublishedModel) -> Chosen:
    """The method for the published model. Raises ArrayolError (`method-refused`) for those that make no sense there."""
    hint = "take --method partition, which evaluates every fusion, or --model machine"
    if asked == AUTO:
        return Chosen(PARTITION, "the published model evaluates fusions, and the paper goes through them like that")
    if asked == EXHAUSTIVE:
        counts = count_by_groups(task_graph(model.network))
        if counts is None or sum(counts.values()) > COMPARED_AT_MOST:
            raise refused(asked, f"it compares all fusions with all, at most {COMPARED_AT_MOST:,}", hint)
    elif asked != PARTITION:
        reason = "a fusion is a whole design of the published model, its figures are no sums over groups"
        raise refused(asked, reason if asked == "exact" else f"{reason}, and all fusions can be evaluated", hint)
    return Chosen(asked, ASKED)


def _size(model: PublishedModel) -> str:
    graph = task_graph(model.network)
    counts = count_by_groups(graph)
    fusions = "fusions" if counts is None else counted(sum(counts.values()), "fusion")
    return f"{model.network.name}: {fusions} of {counted(len(graph), 'task')}"


def _priced_text(search: FusionSearch) -> str:
    """How many fusions were priced, and what is left out."""
    counts = count_by_groups(search.graph)
    of_all = f" of {sum(counts.values()):,}" if counts else ""
    fusions = "fusion" if counts and sum(counts.values()) == 1 else "fusions"
    return f"{search.evaluated:,}{of_all} {fusions} evaluated, those of few groups first; the others are left out"


def _require_feasible(search: FusionSearch) -> None:
    if search.front:
        return
    if not search.complete:
        name = search.model.network.name
        message = f"none of the {search.evaluated:,} fusions of '{name}' that were evaluated in time fits"
        raise InfeasibleError([Diagnostic("infeasible", message, hint="give it more with --timeout")])
    assert search.example is not None, "a network has at least one legal fusion"
    raise InfeasibleError(
        [
            Diagnostic(
                "infeasible",
                f"none of the {search.evaluated:,} legal fusions of '{search.model.network.name}' fits the platform; "
                f"[{search.example.fusion}]: {search.example.reason}",
                hint="a larger memory.data_per_word or other initiation intervals change what fits",
            )
        ]
    )


def _designs(search: FusionSearch, candidates: Sequence[Candidate]) -> tuple[Design, ...]:
    """The candidates priced once more, as records: the search keeps no design."""
    return tuple(_design(search, _priced(search, candidate.fusion)) for candidate in candidates)


def _design(search: FusionSearch, design: PublishedDesign) -> Design:
    """The chosen objectives come first, then all others that the model gives."""
    platform = search.model.platform
    known = available(platform, search.model.accesses)
    others = (objective for objective in known if objective not in search.objectives)
    processors = {processor.process: processor for processor in design.processors}
    return Design(
        id=identifier(design.fusion, search.graph),
        fusion=design.fusion.groups,
        objectives={objective.name: objective.value(design, platform) for objective in (*search.objectives, *others)},
        verified=None,
        verification=None,
        bottleneck=None,
        live_bits=None,
        addressed_bits=None,
        energy_pj=None,
        flows=design.flows,
        loads={},
        groups=tuple(_group([processors[task] for task in group]) for group in design.fusion.groups),
        resident=tuple(_resident(search.model.accesses, design)),
        steps=None,
        steps_remark=None,
    )


def _resident(accesses: Accesses, design: PublishedDesign) -> Iterator[MemoryRecord]:
    """What stands beside all groups; banks and blocks are none of this model."""
    arrays = accesses.network.arrays
    for name, load in accesses.load.items():
        data, readers, rom_bits = accesses.size(name), len(arrays[name].readers), arrays[name].rom_bits or 0
        if load == ONCE:
            width = arrays[name].type.bits
            yield _memory(memory_kinds.ONCE.name, name, data * width, width=width, data=data)
        elif load == ROM and rom_bits and readers:
            yield _memory(memory_kinds.ROM.name, name, rom_bits * readers)
    for processor in design.processors:
        if bits := design.resident.local_bits[processor.process]:
            yield _memory(memory_kinds.LOCAL.name, processor.process, processor.units * bits)


def _memory(kind: str, name: str, bits: int, *, width: int = 0, data: int = 0) -> MemoryRecord:
    return MemoryRecord(
        kind=kind,
        name=name,
        data=data,
        bits=bits,
        banks=1,
        blocks=None,
        width=width,
        live=data,
        addressed=data,
        costs={},
    )


def _group(processors: Sequence[ProcessorEstimate]) -> GroupRecord:
    buffers = [buffer for processor in processors for buffer in processor.inputs]
    return GroupRecord(
        tasks=tuple(processor.process for processor in processors),
        processors=tuple(
            ProcessorRecord(
                task=processor.process,
                units=processor.units,
                interval=None,
                occupancy=None,
                block_data=processor.block,
                cut=None,
                cycles=None,
                costs=None,
            )
            for processor in processors
        ),
        whole_arrays_data={buffer.array: buffer.whole_array for buffer in buffers if buffer.whole_array},
        mapping=None,
    )


def _priced(search: FusionSearch, fusion: Fusion) -> PublishedDesign:
    design = search.model.evaluate(fusion)
    assert isinstance(design, PublishedDesign), "only feasible fusions are candidates"
    return design


def _result(
    search: FusionSearch,
    front: tuple[Design, ...],
    labels: Labels,
    remarks: tuple[str, ...],
    how: tuple[Chosen, str],
    *,
    keep_all: bool,
) -> Result:
    method, description = how
    names = tuple(objective.name for objective in search.objectives)
    return Result(
        format=FORMAT,
        arrayol=__version__,
        spec=labels.spec,
        top=search.model.network.name,
        constants=dict(labels.constants),
        elements=dict(labels.elements),
        components=dict(labels.components),
        model=labels.model,
        platform=labels.platform,
        technology=None,
        estimates=(),
        datapaths=(),
        remarks=remarks,
        objectives=names,
        constraints=(),
        method=method.name,
        method_reason=method.why,
        method_description=description,
        exact=search.complete,
        complete=search.complete,
        space=_space(search),
        counted="whole designs",
        evaluated=search.evaluated - search.infeasible,
        infeasible=search.infeasible,
        pruned=0,
        infeasible_example=Refusal(groups=search.example.fusion.groups, reason=search.example.reason)
        if search.example
        else None,
        comparisons=Comparisons(subspaces=search.comparisons_by_subspaces, all_pairs=search.comparisons_of_all_pairs),
        evolution=None,
        hypervolume=volume_of([design.objectives for design in front], names),
        partitions=_covered(search).counts(),
        pareto=front,
        designs=_designs(search, search.kept) if keep_all else None,
    )


def _covered(search: FusionSearch) -> Coverage:
    """All partitions that have a legal fusion."""
    tasks = len(search.graph)
    sizes = (map(int, text.split("+")) for summary in search.summaries for text in summary.partitions)
    codes = frozenset(code_of(one, tasks) for one in sizes)
    return Coverage(tasks, None, codes, codes, is_whole=True)


def _space(search: FusionSearch) -> SpaceSummary:
    fusions = sum(summary.fusions for summary in search.summaries)
    return SpaceSummary(
        tasks=search.graph.names,
        fusions=fusions,
        subspaces=tuple(search.summaries),
        groups=None,
        group_designs=None,
        whole_designs=fusions,
        intervals=None,
        study=None,
    )
