"""The Python interface, for notebooks and scripts: what the commands do, without the terminal.

from pathlib import Path
from arrayol import api

spec = api.load(Path("lpsf.aol"), {"W": 640, "H": 480})
smooth = api.run(spec, {"p0": picture})["p4"]
fused = api.transform(spec, ["fuse hflr vftd 4,1", "pave hfrl 1,8"])
Path("fused.aol").write_text(api.spec_text(fused.spec))
found = api.explore(spec)
for design in found.result.pareto:
    print(design.id, design.objectives)
api.write_result(found, Path("lpsf-explore"))
design = api.open_design(Path("lpsf.aol"), Path("lpsf-explore"), "2+2:1")
print(design.simulate({"p0": picture}).mismatches)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arrayol.checks.pipeline import choose_top, load_checked
from arrayol.checks.tiling import NestRequest
from arrayol.errors import ArrayolError, InfeasibleError
from arrayol.execute.extern import Functions
from arrayol.execute.run import execute
from arrayol.files import atomic_file, writing
from arrayol.ir.model import Spec
from arrayol.ir.network import flatten
from arrayol.language.emitter import spec_text
from arrayol.language.loader import Settings
from arrayol.show.layout import save_layout
from arrayol.show.timeline import save_timeline
from arrayol.transforms.canonical import canonical_steps
from arrayol.transforms.pipeline import Step, run_steps
from arrayol.transforms.result import Transformed
from arrayol.transforms.step_text import parse_step
from dse.compare import Comparison as ComparedResults
from dse.compare import compare
from dse.explore import MODELS
from dse.explore import explore as explore_fusions
from dse.mapping import explore_mappings
from dse.mapping_space import MappingSpace
from dse.method_names import Search
from dse.objectives import DEFAULT, chosen
from dse.pick import Picked, parse_rule
from dse.pick import pick as pick_by_rule
from dse.progress import SearchProgress
from dse.report.write import write_report
from dse.result import Design, Result
from dse.results.exploration import Exploration, Labels
from dse.steps import StepFinder
from dse.store import load_result, write_result
from dse.stored_design import Simulated, StoredDesign, open_design
from dse.study import Study, load_study, narrowed, with_constraints
from dse.timeline import timeline_of
from dse.verify import Verifier
from dse.walk import Progress
from dse.work.resources import Resources, open_crew
from hwmodel.banks.analysis import lay_out
from hwmodel.banks.layouts import Choices, Comparison
from hwmodel.banks.picture import picture
from hwmodel.banks.rewriting.rewrite import rewritten as on_layout
from hwmodel.machine.model import MachineModel
from hwmodel.platform import GIVEN_AS_OBJECT, Platform, check_against, find_platform, load_platform
from hwmodel.transfers.study import Transfers, open_transfers

__all__ = [
    "ArrayolError",
    "Choices",
    "ComparedResults",
    "Comparison",
    "Design",
    "Exploration",
    "InfeasibleError",
    "Picked",
    "Platform",
    "Progress",
    "Resources",
    "Result",
    "Simulated",
    "Space",
    "Spec",
    "StoredDesign",
    "Study",
    "Transfers",
    "Transformed",
    "compare",
    "draw_layout",
    "draw_timeline",
    "emit_layout",
    "explore",
    "layout",
    "load",
    "load_platform",
    "load_result",
    "local_banks",
    "open_design",
    "pick",
    "run",
    "spec_text",
    "transfers",
    "transform",
    "write_report",
    "write_result",
]


def load(path: Path, settings: Settings | None = None) -> Spec:
    """A specification without errors, with consts set by name. Raises ArrayolError with every mistake."""
    return load_checked(path, settings)


def run(
    spec: Spec,
    inputs: Mapping[str, NDArray[Any]],
    *,
    top: str | None = None,
    frames: int | None = None,
    functions: Functions | None = None,
) -> dict[str, NDArray[Any]]:
    """The output arrays of a task by port, for input arrays by port: see `arrayol.execute.run.execute`.

    `top` names the task where nothing calls several.
    """
    return execute(spec, choose_top(spec, top), inputs, frames=frames, functions=functions)


def transform(spec: Spec, steps: Sequence[Step | str]) -> Transformed:
    """A specification that computes the same arrays: each step in turn, as an object or a text, `"pave hflr 1,8"`.

    The result holds it with remarks and a trace of where tasks, their repetitions and arrays went; `spec_text` gives
    its .aol. Raises ArrayolError where a step is refused, StepTextError (a ValueError) for a text that is no step.
    """
    return run_steps(spec, [parse_step(step) if isinstance(step, str) else step for step in steps])


@dataclass(frozen=True)
class Space:
    """What an exploration with the machine model may choose, beside a study's own words.

    `study` is one or a TOML file; `narrow` takes plain designs only; `constraints` are texts as
    "internal_memory_bits <= 65536"; with `reuse_memory` groups share their local memories. `verify` simulates the
    designs of the front, None where they are small.
    """

    study: Study | Path | None = None
    narrow: bool = False
    constraints: Sequence[str] = ()
    reuse_memory: bool = False
    verify: bool | None = None

    def whole(self) -> Study:
        """The study with all of it. Raises ArrayolError (`bad-constraint`, those of `load_study`)."""
        found = self.study if isinstance(self.study, Study) else load_study(self.study) if self.study else Study()
        if self.narrow:
            found = narrowed(found)
        return with_constraints(found, self.constraints, reuse_memory=self.reuse_memory)


def explore(  # noqa: PLR0913  one for each thing that people choose
    spec: Spec,
    platform: Platform | Path | None = None,
    *,
    top: str | None = None,
    model: str = "machine",
    objectives: Sequence[str] | None = None,
    space: Space | None = None,
    method: str = "auto",
    seed: int = 0,
    keep_all: bool = False,
    resources: Resources | None = None,
    report: Callable[[Progress | SearchProgress], None] | None = None,
    announce: Callable[[str], None] | None = None,
) -> Exploration:
    """The Pareto front of the mappings of a task under a model, `machine` or `published`.

    `platform` is one, a TOML file, or None for the file beside the spec or else the shipped default; `top` names the
    task where nothing calls several. `space` is for the machine model. `method` is auto, partition, exhaustive, exact
    or nsga2, and `seed` for the last; `announce` is told the size of the space and the method beforehand. With
    `keep_all` the result holds more than the front: every feasible design of the published model, the fronts of all
    fusions of the machine model. `resources` says what it may work with, for the machine model, but the method
    exhaustive: workers, a cluster, a folder that keeps finished work; what is found does not depend on them. A script
    that takes several workers calls this below `if __name__ == "__main__":`, since worker processes load it too.

    Raises ArrayolError where an input is wrong or a resource fails, KeyError for a model or method that does not exist,
    InfeasibleError where no design fits the platform.
    """
    if isinstance(platform, Platform):
        taken, origin = platform, GIVEN_AS_OBJECT
    else:
        taken, origin = find_platform(Path(spec.name), platform)
    check_against(taken, spec)
    chosen_top = choose_top(spec, top)
    first = canonical_steps(spec, chosen_top)
    canonical = run_steps(spec, first).spec
    network = flatten(canonical, chosen_top)
    labels = Labels(spec.name, model, origin, spec.constants)
    steps = StepFinder(spec, canonical, network, first)
    how = Search(method, seed, report or (lambda _: None), announce or (lambda _: None), keep_all)
    if model == "machine":
        study = (space or Space()).whole()
        wanted = tuple(objectives or study.objectives or DEFAULT)
        mappings = MappingSpace(MachineModel(network, taken), study)
        verify = space.verify if space else None
        judge = (
            None
            if verify is False
            else lambda designs, crew: Verifier(spec, chosen_top, taken).all(
                designs, crew, how.report, asked=verify is True
            )
        )
        with open_crew(resources or Resources()) as crew:
            return explore_mappings(mappings, wanted, labels, how=how, steps=steps, judge=judge, crew=crew)
    wanted_figures = chosen(objectives if objectives is not None else DEFAULT)
    published = MODELS[model](network, taken)
    return explore_fusions(published, wanted_figures, labels, how=how, steps=steps)


def pick(result: Result, rule: str) -> Picked:
    """One design of a result: by `knee`, or the fastest within bounds as "internal_memory_bits <= 1e6, lut <= 400".

    Raises ValueError for a text that is no rule, ArrayolError (`unknown-objective`) for a figure that designs do not
    have, InfeasibleError where no design keeps the bounds.
    """
    return pick_by_rule(result, parse_rule(rule))


def transfers(  # noqa: PLR0913  what people ask of a nest
    path: Path,
    component: str,
    *,
    schedules: Sequence[str] | None = None,
    statements: Sequence[int] | None = None,
    tile: Sequence[int | str] = (10,),
    symbolic: Sequence[str] = (),
    strip_dims: int = 1,
    simplify: bool = False,
    settings: Settings | None = None,
) -> Transfers:
    """What each tile of an elementary's loop nest, or of a repetitive task, loads and stores.

    `schedules` has a text such as "N-j, i" for each of `statements` (counted from 1; all of them by default), `tile`
    one size for all dimensions of the schedule or one for each; a name in `symbolic`, or as a size, stays symbolic.
    The result makes a report, a picture and C. Raises ArrayolError where the file or the request is wrong.
    """
    request = NestRequest(component, schedules, tuple(map(str, tile)), statements, symbolic, strip_dims)
    return open_transfers(path, settings, request, simplify=simplify)


def layout(spec: Spec, task: str, unroll: Sequence[int] | None = None, choices: Choices | None = None) -> Comparison:
    """How the arrays of a repetitive task or an elementary can lie in memory banks, its loops unrolled by factors.

    Without `choices` there are as many banks as the platform has, and the rule is `ports`. Raises ArrayolError where
    the nest or the factors cannot be used: see `hwmodel.banks.analysis.lay_out`.
    """
    return lay_out(spec, task, unroll, choices if choices is not None else Choices(local_banks(spec)))


def local_banks(spec: Spec) -> int:
    """The banks of the local memory, from the platform file beside the spec or else the shipped default."""
    return find_platform(Path(spec.name), None)[0].local.banks


def draw_layout(spec: Spec, found: Comparison, path: Path) -> None:
    """Write the picture of a comparison: arrays by bank, and what layouts save by unroll factors (.svg or .png)."""
    save_layout(picture(spec, found), path)


def emit_layout(spec: Spec, found: Comparison, path: Path, *, by_bank: bool = False) -> None:
    """Write the elementary of a comparison, unrolled and on its custom layout, as a specification of its own.

    Its task NAME_laid_out computes what the elementary does; with `by_bank` each bank is a port, else each virtual
    memory. Raises ArrayolError: `no-nest` for a task, `cannot-write`.
    """
    rewritten = on_layout(spec, found.nest.name, found.factors, found.custom, physical=by_bank)
    with atomic_file(path) as temporary, writing(path):
        temporary.write_text(spec_text(rewritten), encoding="utf-8")


def draw_timeline(opened: StoredDesign, found: Simulated, path: Path) -> None:
    """Write the picture of a simulation: loads, computations and stores of its first and last steps (.svg or .png)."""
    save_timeline(f"{opened.top}, design {opened.record.id}, on {opened.platform_name}", timeline_of(found.found), path)
