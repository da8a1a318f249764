"""What each mapping option, form of addresses and stage of the search is worth: fronts without it beside the whole one.

    nice .venv/bin/python benchmarks/ablation.py [--graphs 50] [--most 6] [--seconds 600] [--write]

Cases are the shipped specifications at the size of their platform's [verify] table, and graphs of one to three filters
drawn at random, on the shipped default platform. Each is explored in the default space with objectives time and memory
in bits; those whose exploration takes more than `--most` processor seconds are left out. Then it is explored again
with one thing switched off at a time: options by the study, forms of addresses and, in every fourth case, stages of the
search in rounds, in the code. Where the front is exact and no design on it uses an option, switching that off cannot
change it, and is not run.

The table has, for each thing, how many cases were run without it, and the largest loss of hypervolume (on logarithmic
axes, as everywhere) and of a least figure. What loses less than 0.5% and 1% in all of them is a candidate to go. Cases
come in an order drawn at random, so those before the end of `--seconds` of processor time are a sample; `--write` puts
the table into docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from graphs import Graph, environment
from numpy.typing import NDArray

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from dse.pareto.hypervolume import share_of
from dse.results.exploration import Exploration
from dse.search.rounds import neighbourhood
from dse.search.rounds.neighbourhood import DECISIONS, Neighbourhood
from dse.search.rounds.search import _Search
from dse.space.study import Study
from hwmodel.cost_model.counted.buffer_size.line_words import Pairs, _Choice
from hwmodel.design import POLICIES, GroupDesign
from hwmodel.local_memory import bank_depths, forms
from hwmodel.local_memory.lines import BufferLines
from hwmodel.platform import Platform, find_platform

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
HEAD = "| without | cases | hypervolume, at most | least figure, at most | candidate |\n|---|---|---|---|---|\n"
OBJECTIVES = ("latency_cycles", "internal_memory_bits")
BUDGET = 0.5  # predicted seconds of the search in rounds
HUGE = 1 << 40  # words of a form that is switched off
VOLUME, FIGURE = 0.005, 0.01  # a smaller loss is none
SEED = 21
STAGES_EVERY = 4  # cases


@dataclass(frozen=True)
class Thing:
    """What is switched off: by a study, or `off` around an exploration; `is_used` says of a group that it has it."""

    name: str
    study: Mapping[str, object] = field(default_factory=dict)
    off: Callable[[], AbstractContextManager[object]] = nullcontext
    is_used: Callable[[GroupDesign], bool] | None = None
    in_rounds: bool = False


def _without_policy(word: str) -> Mapping[str, object]:
    return {"policies": tuple(each for each in (*POLICIES, "levels") if each != word)}


def _keeps_levels(group: GroupDesign) -> bool:
    return bool(group.keeps)


OPTIONS = (
    Thing("cuts", {"cuts": ("none",)}, is_used=lambda group: any(one.cut for one in group.processors)),
    Thing("FIFOs", {"links": ("buffer",)}, is_used=lambda group: bool(group.fifos)),
    Thing("bank layouts", {"layouts": ("none",)}, is_used=lambda group: bool(group.layouts)),
    *(
        Thing(f"policy {word}", _without_policy(word), is_used=partial(lambda word, group: group.policy == word, word))
        for word in POLICIES
    ),
    Thing("reuse levels of single arrays", _without_policy("levels"), is_used=_keeps_levels),
    Thing("blocks of blocks", {"outer_blocks": {}}, is_used=lambda group: bool(group.blocks.outer)),
    Thing("splits of sums", {"splits": "none"}),
)


def _without_form(number: int) -> AbstractContextManager[object]:
    """No buffer takes the form of this number: box, linear, ring."""
    whole, listed = Pairs.forms, forms.forms_of

    def sizes(pairs: Pairs, outer: Any, inner: Any) -> NDArray[np.int64]:
        own: NDArray[np.int64] = whole(pairs, outer, inner).copy()
        own[number] = HUGE
        return own

    def others(lines: BufferLines) -> tuple[forms.Form, ...]:
        return tuple(form for place, form in enumerate(listed(lines)) if place != number)

    stack = ExitStack()
    stack.enter_context(patch.object(Pairs, "forms", sizes))
    for module in (forms, bank_depths):
        stack.enter_context(patch.object(module, "forms_of", others))
    return stack


def _without_parts() -> AbstractContextManager[object]:
    """All data of a buffer are in one part, whatever their lives."""
    stack = ExitStack()
    stack.enter_context(patch.object(_Choice, "is_several", property(lambda _: False)))
    stack.enter_context(patch.object(BufferLines, "by_class", lambda lines: iter([((0, 0), lines)])))
    return stack


FORMS = (
    *(
        Thing(f"{name} addresses", off=partial(_without_form, number))
        for number, name in enumerate(("box", "linear", "ring"))
    ),
    Thing("parts by life", off=_without_parts),
)


def _without_stage(name: str) -> AbstractContextManager[object]:
    return patch.object(_Search, name, lambda *_: None)


def _without_decision(number: int) -> AbstractContextManager[object]:
    kept = tuple(one for place, one in enumerate(DECISIONS) if place != number)
    return patch.object(neighbourhood, "DECISIONS", kept)


STAGES = (
    Thing("first sketch of a front", off=partial(_without_stage, "_sketch"), in_rounds=True),
    Thing("blocks that promise most", off=partial(_without_stage, "_promise"), in_rounds=True),
    Thing("options between rounds", off=partial(_without_stage, "_search_options"), in_rounds=True),
    Thing("search around the front", off=partial(_without_stage, "_search_neighbours"), in_rounds=True),
    *(
        Thing(
            f"around the front: {one.__name__.replace('_', ' ')}",
            off=partial(_without_decision, number),
            in_rounds=True,
        )
        for number, one in enumerate(DECISIONS)
    ),
)
assert Neighbourhood().varied.keys() == set(DECISIONS)


@dataclass(frozen=True)
class Case:
    """A specification on a platform; both keep what they know of datapaths from one exploration to the next."""

    name: str
    spec: Spec
    platform: Platform

    def explored(self, thing: Thing | None = None, *, in_rounds: bool = False) -> Exploration:
        """The front without a thing. Raises ArrayolError."""
        study = Study.model_validate({**(thing.study if thing else {}), "slack": 0.0})
        space, method = api.Space(study=study, verify=False), "rounds" if in_rounds else "auto"
        with thing.off() if thing else nullcontext():
            return api.explore(
                self.spec,
                self.platform,
                objectives=OBJECTIVES,
                space=space,
                method=method,
                budget=BUDGET,
                device="none",
                resources=api.Resources(workers=1),
            )


def cases(folder: Path, graphs: int) -> Iterator[Case]:
    """The shipped specifications, and so many graphs of filters."""
    for path in sorted(shipped_folder().glob("*.aol")):
        platform = find_platform(path, None)[0]
        yield Case(path.stem, api.load(path, dict(platform.verify)), platform)
    drawn, default = random.Random(SEED), api.load_platform(shipped_folder() / "platforms" / "default.toml")
    for number in range(graphs):
        tasks = 1 + number * 3 // graphs
        reads = [sorted({drawn.randrange(task), task - 1}) if task else [] for task in range(tasks)]
        name = f"graph{number}"
        path = folder / f"{name}.aol"
        path.write_text(Graph(reads, (drawn.randint(4, 12), drawn.randint(4, 16))).text(name))
        yield Case(name, api.load(path), default)


def shuffled(every: Iterator[Case]) -> list[Case]:
    """The cases in an order drawn at random, so that those before the end of the time are a fair sample."""
    drawn = list(every)
    random.Random(SEED).shuffle(drawn)
    return drawn


def figures_of(exploration: Exploration) -> NDArray[np.int64]:
    """The figures of a front, (designs, objectives)."""
    return np.array([[one.objectives[name] for name in OBJECTIVES] for one in exploration.result.pareto], np.int64)


@dataclass
class Losses:
    """What switching something off has lost so far: in how many cases it was run, and the largest losses."""

    runs: int = 0
    certain: int = 0
    volume: float = 0.0
    figure: float = 0.0

    def add(self, whole: NDArray[np.int64], without: NDArray[np.int64]) -> None:
        """Take the fronts of a case, with and without the thing."""
        self.runs += 1
        self.volume = max(self.volume, 1 - share_of(without, whole))
        self.figure = max(self.figure, float((without.min(axis=0) / np.maximum(1, whole.min(axis=0)) - 1).max()))

    def line(self, name: str) -> str:
        """The table's line."""
        idle = "yes" if self.runs + self.certain and self.volume < VOLUME and self.figure < FIGURE else ""
        return f"| {name} | {self.runs + self.certain} | {self.volume:.1%} | {self.figure:.1%} | {idle} |\n"


def within(seconds: float, explored: Callable[[], Exploration]) -> Exploration | None:
    """An exploration that takes at most so many processor seconds; None for one that takes longer."""

    def over(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return explored()
    except TimeoutError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def measure(case: Case, losses: Mapping[str, Losses], most: float, *, stages: bool) -> bool:
    """Explore a case with everything, then without each thing; False for a case that takes too long."""
    whole = within(most, case.explored)
    if whole is None:
        return False
    figures, groups = figures_of(whole), [group for design in whole.decisions for group in design.groups]
    for thing in (*OPTIONS, *FORMS):
        if whole.result.exact and thing.is_used is not None and not any(map(thing.is_used, groups)):
            losses[thing.name].certain += 1
            continue
        losses[thing.name].add(figures, figures_of(case.explored(thing)))
    if stages:
        in_rounds = figures_of(case.explored(in_rounds=True))
        for thing in STAGES:
            losses[thing.name].add(in_rounds, figures_of(case.explored(thing, in_rounds=True)))
    return True


def write_table(lines: str) -> None:
    """Put the lines in place of those of the page's table."""
    before, head, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    assert head, f"{PAGE} has no such table"
    PAGE.write_text(f"{before}{head}{lines}\n{rest.partition(chr(10) * 2)[2]}", encoding="utf-8")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="what each option, form of addresses and stage is worth")
    parser.add_argument("--graphs", type=int, default=50, metavar="N", help="random graphs (default 50)")
    parser.add_argument("--most", type=float, default=6.0, metavar="S", help="processor seconds of a whole exploration")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="processor seconds of all")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    losses, count = {thing.name: Losses() for thing in (*OPTIONS, *FORMS, *STAGES)}, 0
    with TemporaryDirectory() as folder:
        for case in shuffled(cases(Path(folder), options.graphs)):
            if time.process_time() > options.seconds:
                break
            count += measure(case, losses, options.most, stages=count % STAGES_EVERY == 0)
            sys.stderr.write(f"{case.name}: {time.process_time():.0f} s\n")
    lines = "".join(own.line(name) for name, own in losses.items())
    sys.stdout.write(f"{HEAD}{lines}{count} cases; {environment()}\n")
    if options.write:
        write_table(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
