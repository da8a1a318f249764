"""Explorations: the front of a specification on a platform, its result, and designs of it opened again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.api.spec import Source, load
from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.ir.spec import Spec
from arrayol.language.diagnose import did_you_mean
from arrayol.language.settings import Settings
from arrayol.pictures import trace
from arrayol.pictures.save import save_timeline
from arrayol.text import listed
from arrayol.transforms.steps import Canonical, Step, canonical_form, split_by
from arrayol.transforms.trace import Transformed
from dse.jobs.jobs import SearchProgress
from dse.jobs.runner import JobRunner, Resources, open_runner
from dse.output import open_design as stored_design
from dse.output.built_memories import BuiltMemories
from dse.output.emitted import draw_breakdown as store_breakdown
from dse.output.emitted import emit_designs as store_designs
from dse.output.folder import Warn, warn_in_python
from dse.output.folder import load_result as load_stored
from dse.output.open_design import Simulated, StoredDesign
from dse.output.partial import remove_partial, write_partial
from dse.output.report import write as report_file
from dse.output.simulated_steps import timeline_of, trace_of
from dse.output.writing import write_result as store_result
from dse.results.compare import Comparison as ComparedResults
from dse.results.compare import compare as compare_results
from dse.results.exploration import Exploration, labels_of
from dse.results.pick import Picked, parse_rule
from dse.results.pick import pick as pick_by_rule
from dse.results.schema import Result
from dse.results.steps import StepFinder
from dse.search.context import AUTO, BUDGET, MACHINE, MODEL_NAMES, Method, Model, SearchRequest, method_names
from dse.search.machine import explore_mappings
from dse.search.published import MODELS, Progress
from dse.search.published import explore as explore_fusions
from dse.space.copies import for_copies
from dse.space.mappings import MappingSpace
from dse.space.objectives import DEFAULT, chosen
from dse.space.splits import split_networks
from dse.space.study import Study, load_study, narrowed, with_constraints
from dse.verify.verify import Verdict, Verifier
from hwmodel.design import Design
from hwmodel.machine.model import MachineModel
from hwmodel.platform import Platform, platform_of

__all__ = [
    "ComparedResults",
    "Space",
    "compare",
    "design_steps",
    "draw_breakdown",
    "draw_timeline",
    "emit_designs",
    "explore",
    "load_result",
    "open_design",
    "pick",
    "transform_design",
    "write_report",
    "write_result",
    "write_trace",
]

Judge = Callable[[Sequence[Design], JobRunner], Sequence[Verdict]]


@dataclass(frozen=True)
class Space:
    """What an exploration with the machine model may choose, beside a study's own words.

    `study` is one or a TOML file; `narrow` takes plain designs only; `constraints` are texts as
    "internal_memory_bits <= 65536"; with `reuse_memory` groups share their local memories. `verify` simulates the
    designs of the front, None where they are small. With `assume_datapaths` an elementary of which neither the platform
    nor a technology says anything has an initiation interval of 1, and a remark says so.
    """

    study: Study | Path | str | None = None
    narrow: bool = False
    constraints: Sequence[str] = ()
    reuse_memory: bool = False
    verify: bool | None = None
    assume_datapaths: bool = False

    def on(self, platform: Platform) -> Platform:
        """The platform as the space takes it."""
        return platform.model_copy(update={"assume_datapaths": True}) if self.assume_datapaths else platform

    def whole(self) -> Study:
        """The study with all of it. Raises ArrayolError (`bad-constraint`, those of `load_study`)."""
        study = self.study or Study()
        whole = study if isinstance(study, Study) else load_study(Path(study))
        return with_constraints(
            narrowed(whole) if self.narrow else whole, self.constraints, reuse_memory=self.reuse_memory
        )


def explore(  # noqa: PLR0913  one for each thing that people choose
    spec: Source,
    platform: Platform | Path | str | None = None,
    *,
    settings: Settings | None = None,
    top: str | None = None,
    model: Model = "machine",
    objectives: Sequence[str] | None = None,
    space: Space | None = None,
    method: Method | str = AUTO,
    seed: int = 0,
    budget: float | None = None,
    timeout: float | None = None,
    keep_all: bool = False,
    resources: Resources | None = None,
    report: Callable[[Progress | SearchProgress], None] | None = None,
    announce: Callable[[str], None] | None = None,
) -> Exploration:
    """The Pareto front of the mappings of a task under a model, `machine` or `published`.

    `platform` is one, a TOML file, or None for the file beside the spec or else the shipped default; `top` names the
    task where nothing calls several. `space` is for the machine model. `method` is auto, partition, exhaustive, exact,
    rounds or nsga2; `seed` is for NSGA-II, `budget` for rounds, in seconds of predicted work (None: the usual one).
    With `timeout`, in seconds of the clock, any method ends with the best front so far. `announce` is told the size of
    the space and the method beforehand. With `keep_all` the result holds more than the front: every feasible design of
    the published model, the fronts of all fusions of the machine model. `resources` says what it may work with, for the
    machine model, but the method exhaustive: workers, a cluster, a folder that keeps finished work; what is found does
    not depend on them. A script that takes several workers calls this below `if __name__ == "__main__":`, since worker
    processes load it too.

    Raises ArrayolError where an input is wrong or a resource fails, `unknown-model`, `unknown-method` and
    `unknown-objective` for names that do not exist, InfeasibleError where no design fits the platform.
    """
    _require_known("model", model, MODEL_NAMES)
    _require_known("method", method, method_names())
    names = (objectives,) if isinstance(objectives, str) else objectives
    loaded = load(spec, settings)
    taken, origin = platform_of(loaded, platform)
    chosen_top = choose_top(loaded, top)
    form, labels = canonical_form(loaded, chosen_top), labels_of(loaded, chosen_top, model, origin)
    steps = StepFinder(loaded, form.spec, form.network, form.first)
    request = SearchRequest(
        method,
        seed,
        BUDGET if budget is None else budget,
        timeout,
        report=report or (lambda _: None),
        announce=announce or (lambda _: None),
        keep_all=keep_all,
        has_budget=budget is not None,
    )
    if model != MACHINE:
        published = MODELS[model](form.network, taken)
        return explore_fusions(
            published, chosen(DEFAULT if names is None else names), labels, request=request, steps=steps
        )
    space = space or Space()
    taken, study = space.on(taken), for_copies(space.whole(), form.spec, form.network)
    of_form = MachineModel(form.network, taken, study.loads[0])
    mappings = MappingSpace(of_form, study, (), split_networks(form, study, taken))
    judge = _judge(mappings, form, request, space.verify)
    wanted = tuple((study.objectives or DEFAULT) if names is None else names)
    resources = _resources(resources)
    if (folder := resources.folder) is not None:
        request = replace(request, write=lambda result: write_partial(result, folder))
    with open_runner(resources) as runner:
        return explore_mappings(mappings, wanted, labels, request=request, steps=steps, judge=judge, runner=runner)


def _require_known(what: str, name: str, known: Sequence[str]) -> None:
    """Raises ArrayolError (`unknown-model`, `unknown-method`)."""
    if name not in known:
        hint = did_you_mean(str(name), known) or f"choose {listed(known, 'or')}"
        raise error(f"unknown-{what}", f"there is no {what} '{name}'", hint=hint, file=f"explore, {what}")


def _judge(space: MappingSpace, form: Canonical, request: SearchRequest, verify: bool | None) -> Judge | None:
    """What simulates the designs of the front, if anything does."""
    if verify is False:
        return None
    platform = space.model.platform

    def judge(designs: Sequence[Design], runner: JobRunner) -> Sequence[Verdict]:
        verdicts: dict[Design, Verdict] = {}
        for loads, splits in dict.fromkeys(design.choice for design in designs):
            own = [design for design in designs if design.choice == (loads, splits)]
            verifier = Verifier(split_by(form, splits), platform, dict(loads))
            judged = verifier.all(own, runner, request.report, asked=verify is True)
            verdicts.update(zip(own, judged, strict=True))
        return [verdicts[design] for design in designs]

    return judge


def _resources(resources: Resources | None) -> Resources:
    if resources is None or resources.folder is None:
        return resources or Resources()
    return replace(resources, folder=Path(resources.folder))


def pick(result: Result, rule: str) -> Picked:
    """One design of a result: by `knee`, or the fastest within bounds as "internal_memory_bits <= 1e6, lut <= 400".

    Raises ValueError for a text that is no rule, ArrayolError (`unknown-objective`) for a figure that designs do not
    have, InfeasibleError where no design keeps the bounds.
    """
    return pick_by_rule(result, parse_rule(rule))


def compare(first: Result, second: Result, warn: Warn = warn_in_python) -> ComparedResults:
    """Two results in the objectives that both have; `warn` is told where they solve different problems.

    Raises ArrayolError (`other-objectives`) where they have no objective in common.
    """
    comparison = compare_results(first, second)
    for warning in comparison.warnings:
        warn(warning)
    return comparison


def write_result(exploration: Exploration, folder: Path | str, *, report: bool = True) -> tuple[Path, ...]:
    """Write a result folder, with its report, and return its files: see `dse.output.writing.write_result`."""
    files = store_result(exploration, Path(folder), report=report)
    remove_partial(Path(folder))
    return files


def load_result(folder: Path | str) -> Result:
    """Read back what `write_result` stored. Raises ArrayolError (`not-a-result`) for anything else."""
    return load_stored(Path(folder))


def write_report(
    folder: Path | str, target: Path | str | None = None, *, designs: Sequence[str] = ()
) -> report_file.Written:
    """Write the result in a folder as one HTML file, by default report.html in it: see `dse.output.report.write`.

    It tells more of the best designs, and of those that are named.
    """
    return report_file.write_report(Path(folder), None if target is None else Path(target), designs=designs)


def open_design(
    spec: Source,
    folder: Path | str,
    identifier: str,
    settings: Settings | None = None,
    top: str | None = None,
    warn: Warn = warn_in_python,
) -> StoredDesign:
    """The design of that name in a result folder, of the specification that was explored.

    Raises ArrayolError as `load` and `dse.output.open_design.open_design` do.
    """
    return stored_design.open_design(load(spec, settings), Path(folder), identifier, top, warn)


def transform_design(
    spec: Source,
    folder: Path | str,
    identifier: str,
    settings: Settings | None = None,
    top: str | None = None,
    warn: Warn = warn_in_python,
) -> Transformed:
    """The specification of a design in a result folder, made by its steps as `transform` makes one.

    Raises ArrayolError as `load` and `dse.output.open_design.transform_design` do.
    """
    return stored_design.transform_design(load(spec, settings), Path(folder), identifier, top, warn)


def design_steps(
    spec: Source,
    folder: Path | str,
    identifier: str,
    settings: Settings | None = None,
    top: str | None = None,
    warn: Warn = warn_in_python,
) -> tuple[Spec, tuple[Step, ...]]:
    """The specification of a result with the result's consts, and the steps that make a design of it.

    Raises ArrayolError as `transform_design` does.
    """
    return stored_design.design_steps(load(spec, settings), Path(folder), identifier, top, warn)


def emit_designs(
    spec: Source,
    folder: Path | str,
    identifiers: Sequence[str],
    settings: Settings | None = None,
    top: str | None = None,
    warn: Warn = warn_in_python,
) -> tuple[Path, ...]:
    """Write specification and picture of designs of a result beside its others: see `dse.output.emitted.emit_designs`.

    Raises ArrayolError as `load` and that do.
    """
    return store_designs(load(spec, settings), Path(folder), identifiers, top, warn)


def draw_breakdown(folder: Path | str, path: Path | str, warn: Warn = warn_in_python) -> None:
    """Draw where cycles, bits, energy and costs go, of the designs that tell most of the front in a result folder.

    The picture is .svg or .png. Raises ArrayolError as `load_result`, `published-result` for the published model.
    """
    store_breakdown(Path(folder), Path(path), warn)


def memories(opened: StoredDesign) -> BuiltMemories | None:
    """What each memory of a design is built of: banks, copies, windows, with blocks, LUT and FF, and why.

    They are beside the design's costs. None where the platform has no technology with kinds of memories.
    """
    return opened.memories


def draw_timeline(opened: StoredDesign, simulated: Simulated, path: Path | str) -> None:
    """Write the picture of a simulation: loads, computations and stores of its first and last steps (.svg or .png)."""
    save_timeline(_title(opened), timeline_of(simulated.simulation), Path(path))


def write_trace(opened: StoredDesign, simulated: Simulated, path: Path | str) -> None:
    """Write all loads, computations and stores of a simulation as a trace for Perfetto (.json)."""
    trace.write_trace(_title(opened), trace_of(simulated.simulation), opened.platform.clock_mhz, Path(path))


def _title(opened: StoredDesign) -> str:
    return f"{opened.top}, design {opened.record.id}, on {opened.platform_name}"
