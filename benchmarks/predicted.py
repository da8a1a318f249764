"""Work that an exploration says it will take beside the processor seconds that it takes.

    nice .venv/bin/python benchmarks/predicted.py [--cases 24] [--from 0] [--most 60] [--only TEXT] [--budget 120]

Cases are shipped specifications at several sizes and graphs of 2 to 100 tasks, repeated over 1 to 6 dimensions, with
two to four objectives; of all of them `--cases` are taken, spread evenly. Each is searched by one process of its own,
as `arrayol explore` searches it (method `auto`). `said` is what is announced before the search; a search in rounds says
the most that it may take. `predicted` is the work that it then counts: for rounds what was done of it, else what was
said. `took` are the processor seconds of search and worker processes, without imports, the choice of a method, before
anything is said, and what comes after the search. A case that takes more than `--most` processor seconds is ended, and
`cut` after its method; of it counts what was predicted of the work that was done by then. One that had done no piece of
work by then is `unknown`, and counts for nothing. Seconds below 1 count as 1, since nobody waits for them. Processes
that share the machine make each other slower: so before and after each case a fixed piece of work is done, and seconds
are those of a machine that does it in STEADY seconds. Below the table stand the share of cases within a factor of 2,
and the worst factor (aims: 0.9 of them, and 5).
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from graphs import Graph, camera, chain, environment, fork, lanes, network

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.jobs.jobs import SEARCHING, SearchProgress
from dse.jobs.runner import Resources, open_runner
from dse.search.context import BUDGET, ROUNDS, SearchRequest
from dse.search.methods import choose_method, with_filled_gaps
from dse.search.shown.variants import contexts_of, joined, search_each
from dse.space.mappings import MappingSpace
from dse.space.networks.splits import split_networks
from dse.space.options import spread
from dse.space.remarks import size_of
from dse.space.study import Study
from dse.space.study_checks import for_copies
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import platform_of

OBJECTIVES = (
    ("latency_cycles", "internal_memory_elements"),
    ("latency_cycles", "internal_memory_bits", "lut"),
    ("latency_cycles", "internal_memory_bits", "traffic_bytes", "units"),
)
SIZES: Mapping[str, Sequence[Mapping[str, str]]] = {
    "attention": ({}, {"N": "16", "D": "8"}),
    "conv3x3": ({}, {"H": "64", "W": "64"}),
    "dct": ({}, {"H": "64", "W": "64"}),
    "downscaler": ({}, {"H": "72", "W": "128"}),
    "fir": ({}, {"N": "1024"}),
    "firbank": ({"N": "256"},),
    "harris": ({}, {"H": "72", "W": "128"}),
    "jacobi": ({},),
    "lpsf": ({}, {"H": "240", "W": "320"}),
    "matmul": ({}, {"M": "32", "N": "32", "K": "32"}),
    "mobilenet": ({},),
    "pyramid": ({}, {"H": "64", "W": "64"}),
    "radar": ({},),
    "sobel": ({}, {"H": "64", "W": "64"}),
    "splitmatmul": ({},),
    "stencil2d": ({},),
    "thumbnail": ({}, {"H": "72", "W": "128"}),
    "wavelet": ({}, {"H": "64", "W": "64"}),
}
FRAMES = ((64, 64), (480, 640), (4096, 4096))
GRAPHS: Mapping[str, Graph] = {
    "chain2": chain(2),
    "chain4": chain(4),
    "chain8": chain(8),
    "chain32": chain(32),
    "chain100": chain(100),
    "fork3": fork(3),
    "fork8": fork(8),
    "lanes3": lanes(3, 2),
    "camera20": camera(),
    "cnn8": network(8),
    "cnn20": network(20),
}
EXTENTS = {1: (64, 4096), 2: (64, 512), 3: (16, 64), 4: (8, 24), 5: (8,), 6: (6,)}  # of a task, by its dimensions


UNKNOWN = "unknown"  # after the method of a case that was ended before its first piece of work was done
STEADY = 0.19  # seconds of the fixed piece of work on a machine that does nothing else


@dataclass(frozen=True)
class Case:
    """A specification by its name or text, its settings and objectives."""

    name: str
    objectives: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None

    @property
    def label(self) -> str:
        """For people."""
        size = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return " ".join(filter(None, (self.name, size, f"{len(self.objectives)} objectives")))


@dataclass(frozen=True)
class Measured:
    """Of one case: seconds said before, counted as work, and taken by processors; the most memory of a process, MiB.

    `choice` are the seconds before anything is said. `slower` is how many times as long as on a machine of its own
    everything took.
    """

    method: str
    choice: float
    said: float
    predicted: float
    took: float
    memory: float
    slower: float

    @property
    def is_known(self) -> bool:
        """Whether it ended, or had done some work."""
        return UNKNOWN not in self.method

    @property
    def quotient(self) -> float:
        """Seconds taken by seconds predicted, where less than one counts as one."""
        return max(1.0, self.took) / max(1.0, self.predicted)

    @property
    def factor(self) -> float:
        """By how much that is off, in either direction."""
        return max(self.quotient, 1 / self.quotient)


def smoothing(dimensions: int, extent: int) -> str:
    """Two tasks one after the other that smooth along the last of so many dimensions."""
    shape = ", ".join([str(extent)] * dimensions)
    rows = ["; ".join(", ".join(str(int(i == j)) for j in range(dimensions)) for i in range(dimensions))]
    rows.append("; ".join(str(int(i == dimensions - 1)) for i in range(dimensions)))
    origin = ", ".join([*["0"] * (dimensions - 1), "-1"])
    tasks = [
        f"task smooth{number}(x: u8[{shape}]) -> (y: u8[{shape}]) {{\n  repeat [{shape}] of mean {{\n"
        f"    x <- x at origin [{origin}]  paving [{rows[0]}]  fitting [{rows[1]}] else nearest\n    y -> y\n  }}\n}}"
        for number in range(2)
    ]
    mean = "elementary mean(x: u8[3]) -> (y: u8) {\n  y = u8(u16(x[0]) + x[1] + x[2] >> 2)\n}"
    top = f"task smoothing(x: u8[{shape}]) -> (y: u8[{shape}]) {{\n  between = smooth0(x)\n  y = smooth1(between)\n}}"
    return "\n".join([mean, *tasks, top, ""])


def all_cases() -> Iterator[Case]:
    """Shipped specifications, graphs, and tasks of many dimensions, each with all objectives."""
    for name, sizes in SIZES.items():
        for settings, objectives in product(sizes, OBJECTIVES):
            yield Case(name, objectives, settings)
    for (name, graph), (rows, columns), objectives in product(GRAPHS.items(), FRAMES, OBJECTIVES):
        text = Graph(graph.reads, (rows, columns)).text(name)
        yield Case(f"{name}-{rows}x{columns}", objectives, text=text)
    for dimensions, extents in EXTENTS.items():
        for extent, objectives in product(extents, OBJECTIVES):
            yield Case(f"rank{dimensions}-{extent}", objectives, text=smoothing(dimensions, extent))


def space_of(case: Case, folder: Path) -> MappingSpace:
    """What `arrayol explore` searches for a case without further options."""
    path, platform = shipped_folder() / f"{case.name}.aol", None
    if case.text is not None:
        path, platform = folder / f"{case.name}.aol", shipped_folder() / "platforms" / "default.toml"
        path.write_text(case.text)
    spec = api.load(path, dict(case.settings))
    taken, _ = platform_of(spec, platform)
    form = canonical_form(spec, choose_top(spec, None))
    study = for_copies(Study(), form.spec, form.network)
    splits = split_networks(form, study, taken, case.objectives)
    return MappingSpace(MachineModel(form.network, taken, study.loads[0]), study, (), splits)


def _seconds(ended: int) -> float:
    """Processor seconds of this process, or of its children that have ended."""
    used = resource.getrusage(ended)
    return used.ru_utime + used.ru_stime


def fixed_work() -> float:
    """Processor seconds of what is the same each time: sorted numbers, and a dictionary."""
    began = _seconds(resource.RUSAGE_SELF)
    numbers = np.arange(300_000) % 977
    for _ in range(15):
        np.unique(np.sort(numbers * 7919 % 10_007))
    counts: dict[int, int] = {}
    for number in range(400_000):
        counts[number % 5003] = counts.get(number % 4001, 0) + number
    return _seconds(resource.RUSAGE_SELF) - began


@dataclass
class _Course:
    """The share of the work that a search has done, and the processor seconds of this process by then."""

    share: float = 0.0
    seconds: float = 0.0

    def note(self, record: SearchProgress) -> None:
        """What a search reports."""
        if record.phase == SEARCHING and record.work is not None:
            self.share, self.seconds = record.work, _seconds(resource.RUSAGE_SELF)


def measure(case: Case, most: float, budget: float) -> Measured:
    """Search a case in this process; it may take so many processor seconds."""
    with TemporaryDirectory() as folder:
        space = space_of(case, Path(folder))
    slower = fixed_work()
    began = _seconds(resource.RUSAGE_SELF)
    contexts = contexts_of(space, case.objectives)
    filled = with_filled_gaps("auto", space, contexts[0].columns)
    if filled is not space:
        space, contexts = filled, contexts_of(filled, case.objectives)
    chosen = choose_method("auto", space, contexts[0].columns, size_of(space))
    said = budget if chosen.seconds is None else chosen.seconds
    chose, began = began, _seconds(resource.RUSAGE_SELF)
    course, predicted, method = _Course(), said, chosen.name

    def over(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        with open_runner(Resources()) as runner:
            found = joined(
                search_each(contexts, chosen, SearchRequest(budget=budget, report=course.note), runner), contexts
            )
        if chosen.name == ROUNDS and found.work is not None:
            predicted = found.work
        ended = _seconds(resource.RUSAGE_SELF)
    except TimeoutError:
        whole = budget if chosen.name == ROUNDS else said
        predicted, ended, method = whole * course.share, course.seconds, f"{method}, cut"
        if not ended:
            ended, method = began, f"{method}, {UNKNOWN}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    took = ended - began + _seconds(resource.RUSAGE_CHILDREN)
    slower = (slower + fixed_work()) / 2 / STEADY
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(method, (began - chose) / slower, said, predicted, took / slower, memory, slower)


def in_own_process(number: int, asked: argparse.Namespace) -> Measured:
    """The same, so that memory and what is remembered are those of one case."""
    options = ["--number", str(number), "--most", str(asked.most), "--budget", str(asked.budget)]
    done = subprocess.run([sys.executable, __file__, *options], check=True, stdout=subprocess.PIPE, text=True)
    return Measured(**json.loads(done.stdout))


def main() -> int:
    """A line for each case, and a summary."""
    parser = argparse.ArgumentParser(description="Predicted beside measured processor seconds of explorations")
    parser.add_argument("--cases", type=int, default=24, help="how many, spread over all")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="leave out so many of these")
    parser.add_argument("--most", type=float, default=60.0, help="processor seconds that a case may take")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose line begins so")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of predicted work in rounds")
    parser.add_argument("--number", type=int, help="this case alone, in this process, as JSON")
    asked = parser.parse_args()
    cases = list(all_cases())
    if asked.number is not None:
        sys.stdout.write(json.dumps(vars(measure(cases[asked.number], asked.most, asked.budget))))
        return 0
    chosen = [number for number, case in enumerate(cases) if case.label.startswith(asked.only)]
    chosen = spread(chosen, asked.cases)[asked.first :]
    heads = ("method", "choice, s", "said, s", "predicted, s", "took, s", "took/predicted", "MiB", "slower")
    sys.stdout.write(f"{'':44}" + "".join(f"{head:>15}" for head in heads) + "\n")
    factors = list[float]()
    for number in chosen:
        one = in_own_process(number, asked)
        figures = (
            f"{one.choice:.1f}",
            f"{one.said:.1f}",
            f"{one.predicted:.1f}",
            f"{one.took:.1f}",
            f"{one.quotient:.2f}",
        )
        cells = (one.method, *figures, f"{one.memory:,.0f}", f"{one.slower:.2f}")
        sys.stdout.write(f"{cases[number].label:44}" + "".join(f"{cell:>15}" for cell in cells) + "\n")
        sys.stdout.flush()
        factors += [one.factor] if one.is_known else []
    within = sum(factor <= 2 for factor in factors)
    sys.stdout.write(
        f"\n{within} of {len(factors)} cases within a factor of 2, the worst is off by {max(factors, default=1):.1f}\n"
    )
    sys.stdout.write(f"{environment()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
