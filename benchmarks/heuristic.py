"""How near NSGA-II comes to the exact front on the shipped specifications, and how long both take.

    nice .venv/bin/python benchmarks/heuristic.py [SPEC ...] [--shipped-size] [--open] [--seeds 0 1 2]

explores plain designs at the size of the platform's [verify] table, at the shipped size with `--shipped-size`, with
`--open` also cuts, FIFOs and the like. `share` is the least hypervolume over the seeds as a share of the exact front's
(axes normalised to that front, reference 1.1 times its worst), `looked at` the most group designs that a seed priced.
Times are processor seconds, of NSGA-II in the mean. Where mapping options are too many to be tried everywhere, the
exact method tries them one at a time: marked `~`, and a share may exceed 1. The exit code is 1 where one is below 0.99.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from chains import environment, timed

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.transforms.steps import canonical_steps, run_steps
from dse.jobs.runner import JobRunner
from dse.pareto.hypervolume import share_of
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.figures import Columns, columns_of
from dse.search.heuristic.search import search_heuristically
from dse.space.mappings import MappingSpace
from dse.space.size import size_of
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import load_platform

OBJECTIVES = ("latency_cycles", "internal_memory_data")
LEAST = 0.99  # of the exact front's hypervolume
UNITS = {"harris": (1, 4)}  # eight tasks with up to four units each are too many for the exact search
HEADS = ("tasks", "group designs", "exact, s", "front", "NSGA-II, s", "share", "looked at", "generations", "front")


@dataclass(frozen=True)
class Line:
    """What was measured of one specification."""

    space: MappingSpace
    exact: Searched
    exactly: float
    by_seed: tuple[Searched, ...]
    heuristically: float

    @property
    def share(self) -> float:
        """The least of the seeds."""
        return min(share_of(search.front.values, self.exact.front.values) for search in self.by_seed)

    def cells(self) -> tuple[str, ...]:
        """The line's text."""
        looked = max(search.counts.evaluated + search.counts.infeasible for search in self.by_seed)
        generations = [len(search.evolution.generations) - 1 for search in self.by_seed if search.evolution]
        return (
            f"{len(self.space.graph)}",
            f"{size_of(self.space).group_designs:,}",
            f"{'' if self.exact.exact else '~'}{self.exactly:.2f}",
            f"{len(self.exact.front):,}",
            f"{self.heuristically:.2f}",
            f"{self.share:.5f}",
            f"{looked:,}",
            f"{max(generations)}",
            f"{min(len(search.front) for search in self.by_seed):,}",
        )


def shipped_space(name: str, *, narrow: bool = True, at_shipped_size: bool = False) -> MappingSpace:
    """The space of a shipped specification on its own platform."""
    path = shipped_folder() / f"{name}.aol"
    platform = load_platform(path.with_suffix(".toml"))
    spec = api.load(path, {} if at_shipped_size else dict(platform.verify))
    top = choose_top(spec, None)
    network = flatten(run_steps(spec, canonical_steps(spec, top)).spec, top)
    study = Study(units=UNITS.get(name))
    return MappingSpace(MachineModel(network, platform), narrowed(study) if narrow else study)


def columns_for(space: MappingSpace) -> Columns:
    """Latency and memory."""
    return columns_of(OBJECTIVES, (), space.model, reuse_memory=space.study.reuse_memory)


def measured(name: str, seeds: list[int], *, narrow: bool, at_shipped_size: bool) -> Line:
    """Search a space exactly and by NSGA-II, each with a model of its own."""
    space = shipped_space(name, narrow=narrow, at_shipped_size=at_shipped_size)
    columns = columns_for(space)
    exact, exactly = timed(lambda: search_exactly(SearchContext(space, columns), SearchRequest(), JobRunner()))
    by_seed, total = list[Searched](), 0.0
    for seed in seeds:
        own = shipped_space(name, narrow=narrow, at_shipped_size=at_shipped_size)
        search, seconds = timed(
            lambda own=own, seed=seed: search_heuristically(
                SearchContext(own, columns), seed, JobRunner(), lambda _: None
            )
        )
        by_seed.append(search)
        total += seconds
    return Line(space, exact, exactly, tuple(by_seed), total / len(seeds))


def main() -> int:
    """Print a line for each specification."""
    parser = argparse.ArgumentParser(description="NSGA-II beside the exact search on the shipped specifications")
    parser.add_argument("names", metavar="SPEC", nargs="*", help="shipped specifications, by default all")
    parser.add_argument("--shipped-size", action="store_true", help="at the shipped size")
    parser.add_argument("--open", action="store_true", help="with cuts, FIFOs, layouts and policies")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    asked = parser.parse_args()
    near = True
    sys.stdout.write(f"{'':14}" + "".join(f"{head:>15}" for head in HEADS) + "\n")
    for name in asked.names or sorted(path.stem for path in shipped_folder().glob("*.aol")):
        line = measured(name, asked.seeds, narrow=not asked.open, at_shipped_size=asked.shipped_size)
        near &= line.share >= LEAST
        sys.stdout.write(f"{name:14}" + "".join(f"{cell:>15}" for cell in line.cells()) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{environment()}\n")
    return 0 if near else 1


if __name__ == "__main__":
    sys.exit(main())
