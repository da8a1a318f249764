"""Our search beside others on the same model: share of hypervolume against processor seconds.

    OTHER/bin/python benchmarks/rivals.py [SPACE ...] [--seconds 60] [--seeds 0 1] [--open] [--plot FILE.png]

random search, pymoo's NSGA-II as it comes, and Optuna's TPE and NSGA-II, each on integer genes of whole designs (those
of our own NSGA-II: fusion, blocks, scans, rates), priced by the function that prices our designs, with what it
remembers of groups. Ours is the search in rounds, and `auto`, which takes it or the exact one; their times hold all
that they do, pricing and making whole designs. OTHER is an environment with Optuna beside arrayol; it is no dependency.

A space is a shipped specification on its platform or one of `graphs.py` on the shipped default, plain designs, with
`--open` also policies, cuts, FIFOs and the like; objectives are latency and internal memory in data. The share is that
of the front of all that any of them found here, on logarithmic axes (`dse/pareto/hypervolume.py`). Of several seeds the
table has the median. Where ours is behind at some moment from the first second on, the last lines say when, and the
exit code is 1.

Random search and pymoo's NSGA-II price 200 designs at a time, so they have nothing before that many are priced. On
camera20 that takes them 42.5 and 39.3 s of CPU (seed 0, a busy machine): give them more `--seconds` there.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
from graphs import environment, text_of
from numpy.typing import NDArray

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.jobs.runner import JobRunner
from dse.pareto.fronts import front_of
from dse.pareto.hypervolume import share_of
from dse.search.batch_pricer import BatchEvaluator
from dse.search.context import AUTO, ROUNDS, SearchContext, Searched, SearchRequest
from dse.search.figures import columns_of
from dse.search.heuristic.encoding import Coding
from dse.search.methods import choose_method, search
from dse.space.mappings import MappingSpace
from dse.space.remarks import size_of
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import find_platform

OBJECTIVES = ("latency_cycles", "internal_memory_elements")
SPACES = ("lpsf", "harris", "camera20")
MOMENTS = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0)
BATCH = 200  # designs at a time: of random search, and in a population
_REFUSED = 1e15  # the figures of what is no design

Ask = Callable[[NDArray[np.int64]], NDArray[np.float64]]  # figures of rows of genes; those of what is none are huge
Rival = Callable[[Ask, NDArray[np.int64], int], None]


class OverError(Exception):
    """The time is up."""


@dataclass
class Course:
    """What one search has found after how many processor seconds: the front after each step."""

    seconds: float
    began: float = field(default_factory=time.process_time)
    fronts: list[tuple[float, IntArray]] = field(default_factory=list)

    def add(self, values: IntArray) -> None:
        """Take feasible figures (n, figures). Raises OverError when the time is up."""
        known = self.fronts[-1][1] if self.fronts else values[:0]
        together = np.concatenate([known, values])
        front = front_of(together, np.zeros(len(together), np.int64))
        self.fronts.append((time.process_time() - self.began, front.values))
        if self.fronts[-1][0] > self.seconds:
            raise OverError

    def until(self, moment: float) -> IntArray:
        """The front at a moment; empty before the first."""
        there = [front for seconds, front in self.fronts if seconds <= moment]
        return there[-1] if there else np.zeros((0, len(OBJECTIVES)), np.int64)


def pricing(context: SearchContext, coding: Coding, course: Course) -> Ask:
    """Prices rows of genes, and tells the course of what is feasible."""
    pricer, combination = BatchEvaluator(context), context.columns.combination

    def ask(genes: NDArray[np.int64]) -> NDArray[np.float64]:
        designs = [coding.design(row) for row in genes]
        pricer.price(group for design in designs if design for group in design.values())
        figures = np.full((len(genes), len(OBJECTIVES)), _REFUSED)
        feasible = []
        for row, design in enumerate(designs):
            priced = [pricer.figures[group] for group in design.values()] if design else [None]
            each = [np.array(one, np.int64) for one in priced if one is not None]
            whole = reduce(combination.whole, each) if len(each) == len(priced) else None
            if whole is not None and combination.within(whole[None])[0]:
                figures[row] = whole
                feasible.append(whole)
        course.add(np.array(feasible, np.int64).reshape(-1, len(OBJECTIVES)))
        return figures

    return ask


def random_search(ask: Ask, most: NDArray[np.int64], seed: int) -> None:
    """Genes drawn evenly."""
    random = np.random.default_rng(seed)
    while True:
        ask(random.integers(0, most + 1, (BATCH, len(most))))


def pymoo_nsga2(ask: Ask, most: NDArray[np.int64], seed: int) -> None:
    """As pymoo's pages have it for integers: random sampling, SBX, polynomial mutation, rounded."""
    from pymoo.algorithms.moo.nsga2 import NSGA2  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.core.problem import Problem  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.operators.crossover.sbx import SBX  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.operators.mutation.pm import PM  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.operators.repair.rounding import RoundingRepair  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.operators.sampling.rnd import IntegerRandomSampling  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.optimize import minimize  # type: ignore[import-untyped]  # noqa: PLC0415
    from pymoo.termination import get_termination  # type: ignore[import-untyped]  # noqa: PLC0415

    class Designs(Problem):  # type: ignore[misc]
        """Genes to figures."""

        def _evaluate(self, x: NDArray[np.int64], out: dict[str, object], *_: object, **__: object) -> None:
            out["F"] = ask(np.asarray(x, np.int64))

    problem = Designs(n_var=len(most), n_obj=len(OBJECTIVES), xl=np.zeros(len(most), int), xu=most, vtype=int)
    algorithm = NSGA2(
        pop_size=BATCH,
        sampling=IntegerRandomSampling(),
        crossover=SBX(prob=0.9, eta=15, vtype=float, repair=RoundingRepair()),
        mutation=PM(eta=20, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    minimize(problem, algorithm, get_termination("n_gen", 1_000_000), seed=seed, verbose=False)


def optuna_with(sampler: str) -> Rival:
    """One of Optuna's samplers, trial by trial, as its pages have it."""

    def run(ask: Ask, most: NDArray[np.int64], seed: int) -> None:
        import optuna  # type: ignore[import-not-found]  # noqa: PLC0415

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.create_study(
            directions=["minimize"] * len(OBJECTIVES), sampler=getattr(optuna.samplers, sampler)(seed=seed)
        )

        def figures(trial: object) -> tuple[float, ...]:
            genes = [trial.suggest_int(f"g{number}", 0, int(top)) for number, top in enumerate(most)]  # type: ignore[attr-defined]
            return tuple(ask(np.array([genes], np.int64))[0].tolist())

        study.optimize(figures, n_trials=None)

    return run


RIVALS: dict[str, Rival] = {
    "random search": random_search,
    "pymoo NSGA-II": pymoo_nsga2,
    "Optuna TPE": optuna_with("TPESampler"),
    "Optuna NSGA-II": optuna_with("NSGAIISampler"),
}


def course_of_rival(context: SearchContext, rival: str, seconds: float, seed: int) -> Course:
    """What another search finds in so many processor seconds."""
    course = Course(seconds)
    coding = Coding(context.space)
    with suppress(OverError):
        RIVALS[rival](pricing(context, coding, course), coding.most, seed)
    return course


def course_of_ours(space: MappingSpace, method: str, seconds: float) -> Course:
    """What ours finds, by the rounds or by what `auto` takes: of the exact search the front when it is done."""
    course = Course(seconds)

    def keep(_: SearchContext, searched: Callable[[], Searched]) -> None:
        course.add(searched().front.values[:, : len(OBJECTIVES)])

    context = context_of(space)
    request = SearchRequest(method, budget=1.25 * seconds, keep=keep)
    chosen = choose_method(method, space, context.columns, size_of(space))
    with suppress(OverError):
        found = search(context, chosen, request, JobRunner())
        keep(context, lambda: found)
    return course


def context_of(space: MappingSpace) -> SearchContext:
    """In the objectives."""
    return SearchContext(space, columns_of(OBJECTIVES, (), space.model, reuse_memory=False, known=space.figures))


def space_of(name: str, *, is_open: bool) -> MappingSpace:
    """A shipped specification on its platform, or a graph on the default one; nothing is remembered in it."""
    with TemporaryDirectory() as folder:
        path = shipped_folder() / f"{name}.aol"
        if (text := text_of(name)) is not None:
            path = Path(folder) / f"{name}.aol"
            path.write_text(text, encoding="utf-8")
        spec = api.load(path)
        platform = find_platform(path, None)[0]
    network = canonical_form(spec, choose_top(spec, None)).network
    study = Study() if is_open else narrowed(Study())
    if text is not None:
        platform = platform.model_copy(update={"assume_datapaths": True})
    return MappingSpace(MachineModel(network, platform), study)


@dataclass(frozen=True)
class Line:
    """One search on one space, of each seed."""

    name: str
    courses: Sequence[Course]

    def shares(self, best: IntArray, moments: Sequence[float]) -> list[float]:
        """The median share of hypervolume at some moments."""
        return [
            statistics.median(share_of(course.until(moment), best) for course in self.courses) for moment in moments
        ]


def measured(name: str, seconds: float, seeds: Sequence[int], *, is_open: bool) -> list[Line]:
    """All searches of a space; each starts with nothing remembered."""
    lines = [
        Line(f"ours ({method})", [course_of_ours(space_of(name, is_open=is_open), method, seconds)])
        for method in (ROUNDS, AUTO)
    ]
    for rival in RIVALS:
        courses = [course_of_rival(context_of(space_of(name, is_open=is_open)), rival, seconds, seed) for seed in seeds]
        lines.append(Line(rival, courses))
    return lines


def best_of(lines: Sequence[Line]) -> IntArray:
    """The front of all that any search found."""
    every = np.concatenate([course.fronts[-1][1] for line in lines for course in line.courses if course.fronts])
    return front_of(every, np.zeros(len(every), np.int64)).values


def behind(lines: Sequence[Line], best: IntArray, seconds: float) -> Iterator[str]:
    """Where the better of ours is behind a rival, at moments a tenth apart."""
    moments = [moment for moment in (1.1**power for power in range(80)) if moment <= seconds]
    ours = np.max([line.shares(best, moments) for line in lines[:2]], axis=0)
    for line in lines[2:]:
        ahead = [
            moment for moment, own, other in zip(moments, ours, line.shares(best, moments), strict=True) if other > own
        ]
        if ahead:
            yield f"{line.name} is ahead at {', '.join(f'{moment:.1f}' for moment in ahead)} s"


def draw(found: dict[str, tuple[list[Line], IntArray]], seconds: float, path: Path) -> None:
    """A chart for each space."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(4.6 * len(found), 3.8), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    moments = np.geomspace(0.1, seconds, 120).tolist()
    charts = np.atleast_1d(figure.subplots(1, len(found), sharey=True))
    for axes, (name, (lines, best)) in zip(charts, found.items(), strict=True):
        for line in lines:
            wide = 2.2 if line.name.startswith("ours") else 1.1
            axes.plot(moments, line.shares(best, moments), label=line.name, linewidth=wide)
        axes.set_xscale("log")
        axes.set_title(name, loc="left", fontsize=10)
        axes.set_xlabel("processor seconds", fontsize=9)
        axes.grid(color="0.92")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    charts[0].set_ylabel("share of the hypervolume", fontsize=9)
    charts[0].legend(fontsize=8, frameon=False)
    figure.savefig(path)


def main() -> int:
    """Print a table for each space."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spaces", nargs="*", default=SPACES)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--plot", type=Path)
    asked = parser.parse_args()
    click.echo(environment())
    moments, found, said = [moment for moment in MOMENTS if moment <= asked.seconds], {}, []
    for name in asked.spaces:
        lines = measured(name, asked.seconds, asked.seeds, is_open=asked.open)
        best = best_of(lines)
        found[name] = lines, best
        click.echo(f"\n{name:<18}" + "".join(f"{moment:>8g} s" for moment in moments))
        for line in lines:
            click.echo(f"{line.name:<18}" + "".join(f"{share:>10.4f}" for share in line.shares(best, moments)))
        said += [f"{name}: {text}" for text in behind(lines, best, asked.seconds)]
    click.echo("\n" + ("\n".join(said) or "ours is ahead at every moment from the first second on"))
    if asked.plot:
        draw(found, asked.seconds, asked.plot)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
