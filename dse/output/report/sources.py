"""What a report shows beyond its result: the network and model it was explored with, and timelines made by them.

Specification and platform are looked for where the result says, or beside its folder; without them, or where they have
changed, the report says what is missing. A group's timeline is made once, within bounds on time and size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.files import resolved
from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.transforms.steps import Canonical, StepTextError, canonical_form, split_by
from dse.results.compare import assuming_as
from dse.results.designs import GroupRecord
from dse.results.schema import Result
from dse.results.steps import StepFinder
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.timeline import Timeline, group_timeline
from hwmodel.design import Choice, GroupDesign, Splits, is_plain
from hwmodel.platform import DEFAULT_NAME, GIVEN_AS_OBJECT, Platform, default_platform, for_copies, load_platform

Models = Mapping[Choice, MachineModel]
NO_MODELS: Models = {}


@dataclass(frozen=True)
class Origin:
    """The network of a result (None: it is not to be had) and, for the machine model, that model by designs' choices.

    `remarks` say what is missing, in words. `specs` are the specifications in canonical form that models are of, by
    designs' splits.
    """

    network: Network | None
    models: Models
    remarks: tuple[str, ...]
    specs: Mapping[Splits, Spec] = field(default_factory=dict)

    @property
    def split(self) -> Mapping[Splits, Network]:
        """The networks of designs with splits."""
        return {splits: model.network for (_, splits, _), model in self.models.items() if splits}


def open_origin(result: Result, folder: Path, steps: StepFinder | None = None, models: Models = NO_MODELS) -> Origin:
    """Look for the specification and platform that a result names: here, else beside the result's folder.

    What finds the `steps` of an exploration has its specification, and its `models` are taken where there are some.
    """
    form = _form(result, folder) if steps is None else Canonical(steps.original, steps.first, steps.spec, steps.network)
    if isinstance(form, str):
        return Origin(None, {}, (f"{form}: block diagrams are without links, and there are no timelines",))
    if not result.is_mapped:
        return Origin(form.network, {}, ())
    choices = dict.fromkeys(design.choice for design in result.stored)
    try:
        forms = {splits: split_by(form, splits) for _, splits, _ in choices}
    except (ArrayolError, StepTextError):
        return Origin(form.network, {}, ("splits cannot be made any more: there are no timelines",))
    if not models:
        platform = _platform(result, folder)
        if isinstance(platform, str):
            return Origin(form.network, {}, (f"{platform}: there are no timelines",))
        taken = for_copies(assuming_as(result, platform), form.original)
        models = {
            (loads, splits, channels): MachineModel(forms[splits].network, taken, dict(loads), channels=channels)
            for loads, splits, channels in choices
        }
    return Origin(form.network, models, (), {splits: own.spec for splits, own in forms.items()})


def _form(result: Result, folder: Path) -> Canonical | str:
    """The canonical form as it was explored, or why there is none."""
    path = next((path for path in _places(result.spec, folder) if path.is_file()), None)
    if path is None:
        return f"the specification '{result.spec}' is not found"
    try:
        spec = load_checked(path, result.constants)
        if result.top not in spec.components:
            return f"'{path}' has no task '{result.top}' any more"
        form = canonical_form(spec, result.top)
    except ArrayolError:
        return f"'{path}' is no longer the specification that was explored"
    if set(form.network.processes) != set(result.space.tasks):
        return f"'{path}' has other tasks than those that were explored"
    return form


def _platform(result: Result, folder: Path) -> Platform | str:
    if result.platform == GIVEN_AS_OBJECT:
        return "the platform was given as an object"
    try:
        if result.platform == DEFAULT_NAME:
            return default_platform()
        path = next((path for path in _places(result.platform, folder) if path.is_file()), None)
        return load_platform(path) if path else f"the platform '{result.platform}' is not found"
    except ArrayolError:
        return f"the platform '{result.platform}' can no longer be read"


def _places(name: str, folder: Path) -> Iterator[Path]:
    yield Path(name)
    yield resolved(folder).parent / Path(name).name
    yield resolved(folder) / Path(name).name


FIRST, LAST = 12, 6  # steps shown
WHOLE_AT_MOST = 24  # steps of a group that are all shown
EXACT_AT_MOST = 6_000_000  # repetitions and elements of all groups that are enumerated


@dataclass
class Timelines:
    """Makes the timelines of groups; `too_large` counts those that the bound on work left out."""

    models: Models
    too_large: int = 0
    changed: bool = False
    _left: int = field(default=EXACT_AT_MOST)

    def of(self, record: GroupRecord, choice: Choice) -> Mapping[str, Any] | None:
        """The timeline of a group with a mapping, of designs that choose so.

        None where it takes too much, or files have changed since.
        """
        group, mapping = record.decisions, record.mapping
        assert mapping is not None, "decisions come from a mapping"
        try:
            if not self.affordable(group, choice):
                self.too_large += 1
                return None
            totals = mapping.steps, mapping.latency_cycles
            first = FIRST if mapping.steps > WHOLE_AT_MOST else mapping.steps
            return _document(group_timeline(self.models[choice], group, totals, first=first, last=LAST))
        except (ArrayolError, ValueError, KeyError):  # specification or platform are not those of the result
            self.changed = True
            return None

    @property
    def remarks(self) -> Iterable[str]:
        """What is missing, in words."""
        if self.changed:
            yield "specification or platform have changed since the exploration: some timelines are missing"
        if self.too_large:
            yield f"{self.too_large:,} groups are too large for a timeline of their steps"

    def affordable(self, group: GroupDesign, choice: Choice) -> bool:
        """Whether a group may still be enumerated, whose work is then counted; others take no work."""
        model = self.models[choice]
        if is_plain(group) and model.batch(group.tasks) is not None:
            return True
        accesses, network = model.accesses, model.network
        arrays = {name for task in group.tasks for name in _arrays(model, task)}
        work = sum(accesses.size(name) for name in arrays if name in network.arrays)
        if work > self._left:
            return False
        self._left -= work
        return True


def _arrays(model: MachineModel, task: str) -> frozenset[str]:
    process = model.network.processes[task]
    return process.reads | process.writes


def _document(timeline: Timeline) -> dict[str, Any]:
    """Steps as rows: number, start, length, loads, stores, then the cycles of each task.

    Of a stream also the lines of its nodes: name, how many there are, whether the frame is shown as one, and the pulses
    of each that is shown.
    """
    lines = [[own.node, own.lines, own.whole, own.shown] for own in timeline.lines]
    return ({"lines": lines} if lines else {}) | {
        "shared_port": timeline.shared_port,
        "steps": [
            [step.number, step.start, step.length, step.loads, step.stores, *step.busy] for step in timeline.steps
        ],
        "moved": [[moved.array, moved.loaded, moved.stored] for moved in timeline.moved],
    }
