"""Explorations: the front of a specification on a platform, its result, and designs of it opened again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.api.spec import Source, load
from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.ir.spec import Spec
from arrayol.language.settings import Settings
from arrayol.language.syntax.diagnose import did_you_mean
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
from dse.output.report import write as report_file
from dse.output.simulated_steps import timeline_of, trace_of
from dse.output.writing import remove_partial, write_partial
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
from dse.space.mappings import MappingSpace
from dse.space.networks.rewrites import rewritten_networks
from dse.space.networks.splits import split_networks
from dse.space.objectives import DEFAULT, chosen
from dse.space.study import Study, load_study, narrowed, with_constraints
from dse.space.study_checks import emitted_only, for_copies, with_choices_of_states
from dse.verify.verify import Verdict, Verifier
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.platform import Platform, on_device, platform_of

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
    "internal_memory_bits <= 65536"; with `reuse_memory` groups share their local memories; `hardware` takes only
    designs that Verilog is emitted for. `verify` simulates the designs of the front, None where they are small. With
    `assume_datapaths` an elementary of which neither the platform nor a technology says anything has an initiation
    interval of 1, and a remark says so.
    """

    study: Study | Path | str | None = None
    narrow: bool = False
    constraints: Sequence[str] = ()
    reuse_memory: bool = False
    hardware: bool = False
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
            narrowed(whole) if self.narrow else whole,
            self.constraints,
            reuse_memory=self.reuse_memory,
            hardware=self.hardware,
        )


def explore(  # noqa: PLR0913  one for each thing that people choose
    spec: Source,
    platform: Platform | Path | str | None = None,
    *,
    settings: Settings | None = None,
    top: str | None = None,
    model: Model = "machine",
    objectives: Sequence[str] | None = None,
    device: str | None = None,
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
    """Search for the Pareto front of the hardware designs of a task.

    - `platform`: a Platform, a TOML file, or None for the file beside the specification, or else the shipped default.
    - `settings`: see `load`. `top`: the task, needed if there are several that no other task calls.
    - `model`: `machine`, or `published`, that of Corvino, Gamatié and Boulet (2010).
    - `objectives`: names of figures, such as `("lut", "latency_cycles")`.
    - `device`: the device that designs have to fit, "none" for designs of any size; without it that of the platform.
    - `space`: what designs may look like, and constraints; for the machine model.
    - `method`: `auto`, `partition`, `exhaustive`, `exact`, `rounds` or `nsga2`. `seed` is for NSGA-II. `budget` is for
      `rounds`, in seconds of predicted work; without it they end once the front has settled. `timeout`, in seconds of
      wall time, ends any method with the best front so far.
    - `keep_all`: keep more than the front: the front of each fusion, or every design of the published model.
    - `resources`: workers, a cluster, and a folder for finished work; for the machine model, but not for the method
      `exhaustive`. The result does not depend on them. A script that takes several workers must call this below `if
      __name__ == "__main__":`, since worker processes load it too.
    - `report` gets the progress, see `progress`. `announce` gets a line with the size of the space and the method.

    The `result` of the Exploration has the designs of the front in `pareto`, each with its figures in `objectives`.
    Raises ArrayolError if an input is wrong or a resource fails, `unknown-model`, `unknown-method` and
    `unknown-objective` for unknown names, and InfeasibleError if no design is feasible.

    >>> fastest = api.explore(spec, objectives=["latency_cycles"], space=api.Space(narrow=True, verify=False))
    >>> len(fastest.result.pareto)
    1
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
    space, taken = space or Space(), on_device(taken, device)
    taken, study = space.on(taken), for_copies(space.whole(), form.spec, form.network)
    study = study if space.narrow else with_choices_of_states(study, form.network)
    of_form = MachineModel(form.network, taken, study.loads[0])
    wanted = tuple((study.objectives or DEFAULT) if names is None else names)
    compared = (*wanted, *(constraint.figure for constraint in study.constraints))
    if study.hardware:
        study = emitted_only(study, Coverage(of_form.accesses, taken))
    others = (*split_networks(form, study, taken, compared), *rewritten_networks(form, study))
    mappings = MappingSpace(of_form, study, (), others)
    judge = _judge(mappings, form, request, space.verify)
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
        for loads, splits, channels in dict.fromkeys(design.choice for design in designs):
            own = [design for design in designs if design.choice == (loads, splits, channels)]
            verifier = Verifier(split_by(form, splits), platform, dict(loads), channels)
            judged = verifier.all(own, runner, request.report, asked=verify is True)
            verdicts.update(zip(own, judged, strict=True))
        return [verdicts[design] for design in designs]

    return judge


def _resources(resources: Resources | None) -> Resources:
    if resources is None or resources.folder is None:
        return resources or Resources()
    return replace(resources, folder=Path(resources.folder))


def pick(result: Result, rule: str) -> Picked:
    """Take one design of a result by a rule.

    `rule` is `"knee"`, or bounds on figures: `"internal_memory_bits <= 1e6, lut <= 400"` takes the fastest design
    within them. The result names the `design` and says `why`. Raises ValueError for a text that is no rule,
    ArrayolError (`unknown-objective`) for a figure that designs do not have, InfeasibleError if no design keeps the
    bounds.

    >>> api.pick(found.result, "latency_cycles <= 1e6").design.id == found.result.pareto[0].id
    True
    """
    return pick_by_rule(result, parse_rule(rule))


def compare(first: Result, second: Result, warn: Warn = warn_in_python) -> ComparedResults:
    """Compare the fronts of two results in the objectives that both have.

    Says which points the front of `second` gains and loses beside that of `first`, and both hypervolumes up to one
    corner. `warn` gets a warning if the results solve different problems. Raises ArrayolError (`other-objectives`) if
    they have no objective in common.

    >>> len(api.compare(found.result, found.result).gained)
    0
    """
    comparison = compare_results(first, second)
    for warning in comparison.warnings:
        warn(warning)
    return comparison


def write_result(exploration: Exploration, folder: Path | str, *, report: bool = True) -> tuple[Path, ...]:
    """Write a result folder: `result.json`, `designs.csv`, pictures, specifications; with `report` also `report.html`.

    A former result in the folder is replaced once the new one is complete. Returns the paths of the files. Raises
    ArrayolError: `not-a-result` for a folder that holds anything else, `cannot-write`.

    >>> sorted(path.suffix for path in api.write_result(found, "again", report=False) if path.name.startswith("pareto"))
    ['.png', '.svg']
    """
    files = store_result(exploration, Path(folder), report=report)
    remove_partial(Path(folder))
    return files


def load_result(folder: Path | str) -> Result:
    """Read the result in a folder that `write_result` or `arrayol explore` wrote.

    Raises ArrayolError: `not-a-result`, `other-format` for the format of another version, `wrong-result` for a result
    that does not agree with itself.

    >>> api.load_result("explored").top
    'conv3x3'
    """
    return load_stored(Path(folder))


def write_report(
    folder: Path | str, target: Path | str | None = None, *, designs: Sequence[str] = ()
) -> report_file.Written:
    """Write the result in a folder as one HTML file: `target`, or else `report.html` in the folder.

    The knee and the best designs have full details, and so have those whose names are in `designs`. Returns the path,
    the size in bytes and the number of designs. Raises ArrayolError as `load_result`, `unknown-design`, `cannot-write`.

    >>> api.write_report("explored", "page.html").path.name
    'page.html'
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
    """Open one design of a result folder, to simulate or emit it.

    - `spec`, `settings`, `top`: the specification that was explored. Its consts may be left out: they come from the
      result.
    - `identifier`: the name of the design, such as `"2+2:1"`.
    - `warn`: gets warnings about the result; by default they are Python warnings.

    Raises ArrayolError as `load` and `load_result`, `unknown-design`, `published-result` for the published model,
    `not-as-explored` for other settings, `stale-result` if specification or platform have changed since.

    >>> api.open_design("conv3x3.aol", "explored", design.record.id).simulate(None).mismatches
    ()
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
    """Make the specification of a design in a result folder, by the steps that fuse its groups and make its blocks.

    - `spec`, `settings`: the specification that was explored, see `load`. `folder`: the result folder.
    - `identifier`: the name of a design, such as `"2:1"`, of any model. `top`: the task, if there are several.
    - `warn`: gets warnings about the result; by default they are Python warnings.

    Raises ArrayolError as `open_design`, and `no-steps` if no steps make the design.

    >>> "filter_threshold" in api.transform_design(spec, "explored", "2:1").spec.components
    True
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
    """Return the specification of a result, with the consts of the result, and the steps that make a design of it.

    Parameters and errors are those of `transform_design`.

    >>> [str(step).split()[0] for step in api.design_steps(spec, "explored", "2:1")[1]]
    ['fuse']
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
    """Add specification and picture of designs to a result folder: `specs/DESIGN.aol` and `specs/DESIGN.png`.

    `identifiers` are names of designs; the other parameters are those of `open_design`. Returns the paths. Raises
    ArrayolError as `open_design` and `transform_design`, before anything is written.

    >>> [path.suffix for path in api.emit_designs(spec, "explored", ["2:1"])]
    ['.aol', '.png']
    """
    return store_designs(load(spec, settings), Path(folder), identifiers, top, warn)


def draw_breakdown(folder: Path | str, path: Path | str, warn: Warn = warn_in_python) -> None:
    """Draw where cycles, bits, energy and costs go, for the designs that represent the front of a result folder best.

    `path` is a .svg or .png. Raises ArrayolError as `load_result`, and `published-result` for the published model.

    >>> api.draw_breakdown("explored", "breakdown.png")
    """
    store_breakdown(Path(folder), Path(path), warn)


def memories(opened: StoredDesign) -> BuiltMemories | None:
    """Say what each memory of a design is built of: banks, copies or windows, with blocks, LUT and FF, and why.

    The costs are part of the design's costs. Returns None if the platform has no technology with kinds of memories.

    >>> {memory.name for memory in api.memories(design).memories} >= {"image", "kernel"}
    True
    """
    return opened.memories


def draw_timeline(opened: StoredDesign, simulated: Simulated, path: Path | str) -> None:
    """Draw the loads, computations and stores of the first and last steps of a simulation, over cycles.

    `opened` and `simulated` belong together: see `open_design` and its `simulate`. `path` is a .svg or .png.

    >>> api.draw_timeline(design, design.simulate(None), "timeline.svg")
    """
    save_timeline(_title(opened), timeline_of(simulated.simulation), Path(path))


def write_trace(opened: StoredDesign, simulated: Simulated, path: Path | str) -> None:
    """Write all loads, computations and stores of a simulation as a trace (.json) that Perfetto opens.

    `opened` and `simulated` are those of `draw_timeline`. Raises ArrayolError (`cannot-write`).

    >>> api.write_trace(design, design.simulate(None), "trace.json")
    """
    trace.write_trace(_title(opened), trace_of(simulated.simulation), opened.platform.clock_mhz, Path(path))


def _title(opened: StoredDesign) -> str:
    return f"{opened.top}, design {opened.record.id}, on {opened.platform_name}"
