"""How soon the search in rounds has a front, and how good it is as time goes by.

    nice .venv/bin/python benchmarks/anytime.py [CASE ...] [--budget 120] [--narrow] [--workers N] [--plot anytime.png]

CASE is a shipped specification or a graph of `graphs.py`; by default those that were hard. Each is searched in this
process and one of its own. `first` is when the first whole designs are there, `of it` the share of the last front's
hypervolume that they have (logarithmic axes), `0.99` when that share is reached, `end` when the search ends, all in
processor seconds, beside what was predicted at the end; `MiB` is the most memory. With workers the same by the clock,
and the memory is that of the process that they work for. The aims: first 5 s, 0.99 at 20 s, the end within the budget,
1,024 MiB. `--plot` draws the share of every case over time. The exit code is 1 where an aim is missed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from graphs import environment, text_of

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.jobs.runner import Resources, open_runner
from dse.pareto.hypervolume import share_of
from dse.search.context import BUDGET, SearchContext, Searched, SearchRequest
from dse.search.rounds.search import search_in_rounds
from dse.search.shown.variants import contexts_of
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import platform_of

CASES = (
    "stereo",
    "stereo3",
    "gemm",
    "splitmatmul",
    "camera",
    "camera20",
    "fork32",
    "chain100",
    "mobilenet",
    "cnn20",
    "harris",
    "flow",
    "downscaler",
    "lpsf",
)
OBJECTIVES = ("latency_cycles", "internal_memory_elements")
GOOD = 0.99  # of the last front's hypervolume
AIMS = {"first": 5.0, "good": 20.0, "memory": 1024.0}
HEADS = ("first, s", "of it", "0.99, s", "end, s", "predicted, s", "points", "MiB")


@dataclass(frozen=True)
class Course:
    """Of one case: processor seconds of every look at the front, the shares that it had, and what is in the table."""

    name: str
    seconds: tuple[float, ...]
    shares: tuple[float, ...]
    end: float
    predicted: float
    points: int
    memory: float

    @property
    def first(self) -> float:
        """When there was a front."""
        return next((at for at, share in zip(self.seconds, self.shares, strict=True) if share), self.end)

    @property
    def good(self) -> float:
        """When it was good."""
        return next((at for at, share in zip(self.seconds, self.shares, strict=True) if share >= GOOD), self.end)

    def cells(self) -> tuple[str, ...]:
        """The line's text."""
        share = next((share for share in self.shares if share), 0.0)
        return (
            f"{self.first:.1f}",
            f"{share:.3f}",
            f"{self.good:.1f}",
            f"{self.end:.1f}",
            f"{self.predicted:.1f}",
            f"{self.points:,}",
            f"{self.memory:,.0f}",
        )

    def keeps(self, budget: float) -> bool:
        """Whether it keeps the aims."""
        in_time = self.first <= AIMS["first"] and self.good <= AIMS["good"] and self.end <= budget
        return in_time and self.memory <= AIMS["memory"]


def context_of(name: str, *, narrow: bool) -> SearchContext:
    """A shipped specification on its platform, or a graph on the default one."""
    study = narrowed(Study()) if narrow else Study()
    with TemporaryDirectory() as folder:
        path, platform = shipped_folder() / f"{name}.aol", None
        if (text := text_of(name)) is not None:
            path, platform = Path(folder) / f"{name}.aol", shipped_folder() / "platforms" / "default.toml"
            path.write_text(text)
        spec = api.load(path)
        taken, _ = platform_of(spec, platform)
        network = canonical_form(spec, choose_top(spec, None)).network
    return contexts_of(MappingSpace(MachineModel(network, taken), study), OBJECTIVES)[0]


def searched(name: str, asked: argparse.Namespace) -> Course:
    """Search a case."""
    context, clock = context_of(name, narrow=asked.narrow), time.process_time if asked.workers == 1 else time.monotonic
    began, looks = clock(), list[tuple[float, IntArray]]()

    def note(_: SearchContext, search: Callable[[], Searched]) -> None:
        looks.append((clock() - began, search().front.values))

    with open_runner(Resources(asked.workers)) as runner:
        found = search_in_rounds(context, SearchRequest(budget=asked.budget, keep=note, has_budget=True), runner)
        end, values = clock() - began, found.front.values
    sys.stderr.write(f"{name}: {found.description}\n")
    predicted = float(found.description.split(" s of predicted work")[0].rsplit(" ", 1)[1])
    shares = tuple(share_of(front, values) for _, front in looks)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Course(name, tuple(at for at, _ in looks), shares, end, predicted, len(values), memory)


def in_own_process(name: str, asked: argparse.Namespace) -> Course:
    """The same, so that memory is that of one case."""
    options = ["--budget", str(asked.budget), "--workers", str(asked.workers), *["--narrow"][: asked.narrow]]
    command = [sys.executable, __file__, name, *options, "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Course(**json.loads(done.stdout))


def plot(courses: Sequence[Course], path: Path) -> None:
    """Shares over time."""
    import matplotlib.pyplot as plt  # noqa: PLC0415  heavy, and seldom wanted

    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for place, course in enumerate(courses):
        at, shares = [*course.seconds, course.end], [*course.shares, 1.0]
        axes.step(at, shares, where="post", label=course.name, linestyle=("-", "--", ":")[place // 10 % 3])
    axes.axhline(GOOD, color="grey", linewidth=0.5)
    for name, at in (("first front", AIMS["first"]), (f"{GOOD:g}", AIMS["good"])):
        axes.axvline(at, color="grey", linewidth=0.5)
        axes.annotate(f" {name}: aim", (at, 0.01), fontsize="x-small", color="grey")
    axes.set(xscale="log", xlabel="processor seconds", ylabel="share of the last front's hypervolume", ylim=(0.0, 1.02))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.legend(fontsize="small", loc="center right")
    figure.savefig(path, dpi=150)


def main() -> int:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description="The search in rounds as time goes by")
    parser.add_argument("names", metavar="CASE", nargs="*", help="shipped specifications and graphs")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of predicted work")
    parser.add_argument("--narrow", action="store_true", help="plain designs only")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes that work, beside this one")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it")
    parser.add_argument("--json", action="store_true", help="one case, in this process, as JSON")
    asked = parser.parse_args()
    if asked.json:
        sys.stdout.write(json.dumps(asdict(searched(asked.names[0], asked))))
        return 0
    courses: list[Course] = []
    sys.stdout.write(f"{'':14}" + "".join(f"{head:>14}" for head in HEADS) + "\n")
    for name in asked.names or CASES:
        courses.append(in_own_process(name, asked))
        sys.stdout.write(f"{name:14}" + "".join(f"{cell:>14}" for cell in courses[-1].cells()) + "\n")
        sys.stdout.flush()
    clock = "" if asked.workers == 1 else f", but here by the clock, with {asked.workers} workers"
    sys.stdout.write(f"{environment()}{clock}\n")
    if asked.plot:
        plot(courses, asked.plot)
    return 0 if all(course.keeps(asked.budget) for course in courses) else 1


if __name__ == "__main__":
    sys.exit(main())
