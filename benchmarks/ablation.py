"""What each mapping option, form of addresses and stage of the search is worth: fronts with and without it.

    nice .venv/bin/python benchmarks/ablation.py RECORD [--graphs 50] [--most 4] [--seconds 600] [--part 0/2] [--write]

Cases are the shipped specifications at the size of their platform's [verify] table, and chains of one or two filters on
frames of 16 to 48 lines, which have six shapes of blocks. (On frames of a few lines that have all shapes, options are
worth less: recomputing gains nothing there, and 4.7% of hypervolume on 48 lines of 48.) What takes more than `--most`
processor seconds is left out.

An option is worth what the narrow space gains by it, with the objectives time and memory in data; no other option can
make up for it there. Forms of addresses are switched off in the code in the narrow space, with memory in bits, and
stages in the search in rounds of the default space, each in every third case. What has lost 0.5% of hypervolume (on
logarithmic axes, as everywhere) or 1% of a least figure in one case has shown its worth, and is not tried again; what
has not in any case is a candidate to go.

Cases come in an order drawn at random, so those before the end of `--seconds` of processor time are a sample. RECORD
gets a line of JSON a case, also of runs side by side (`--part`); the table is made of all its lines. `--write` puts it
into docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from dse.pareto.hypervolume import share_of
from dse.search.rounds import neighbourhood
from dse.search.rounds.neighbourhood import DECISIONS, Neighbourhood
from dse.search.rounds.search import _Search
from dse.space.study import NARROW, Study
from hwmodel.cost_model.counted.buffer_size.line_words import Pairs, _Choice
from hwmodel.local_memory import contents, forms
from hwmodel.local_memory.lines import BufferLines
from hwmodel.platform import Platform, find_platform

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
HEAD = "| thing | cases | hypervolume, at most | least figure, at most | candidate |\n|---|---|---|---|---|\n"
DATA, BITS = ("latency_cycles", "internal_memory_elements"), ("latency_cycles", "internal_memory_bits")
BUDGET = 1.0  # predicted seconds of the search in rounds
HUGE = 1 << 40  # words of a form that is switched off
VOLUME, FIGURE = 0.005, 0.01  # a smaller loss is none
SEED = 21
EVERY = 3  # cases, of which one has forms and one has stages

Front = NDArray[np.int64]  # (designs, objectives)
Loss = tuple[float, float]  # of hypervolume, and of the least figures the largest


@dataclass(frozen=True)
class Thing:
    """An option, with the study that opens it, or what `off` switches off around an exploration."""

    name: str
    study: Mapping[str, object] = field(default_factory=dict)
    off: Callable[[], AbstractContextManager[object]] = nullcontext


OPTIONS = (
    Thing("cuts", {"cuts": ("none", "lines")}),
    Thing("FIFOs", {"links": ("buffer", "fifo")}),
    Thing("bank layouts", {"layouts": ("none", "linear")}),
    *(Thing(f"policy {word}", {"policies": ("reuse", word)}) for word in ("strip", "whole", "tile")),
    Thing("reuse levels of single arrays", {"policies": ("reuse", "levels")}),
    Thing("blocks of blocks", {"outer_blocks": None}),
    Thing("splits of sums", {"splits": "ladder"}),
    Thing("recomputing", {"recompute": (False, True)}),
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
    for module in (forms, contents):
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
    Thing("first sketch of a front", off=partial(_without_stage, "_sketch")),
    Thing("blocks that promise most", off=partial(_without_stage, "_promise")),
    Thing("options between rounds", off=partial(_without_stage, "_search_options")),
    Thing("search around the front", off=partial(_without_stage, "_search_neighbours")),
    *(
        Thing(
            f"around the front: {one.__name__.replace('_', ' ')}",
            off=partial(_without_decision, number),
        )
        for number, one in enumerate(DECISIONS)
    ),
)
assert Neighbourhood().varied.keys() == set(DECISIONS)


@dataclass(frozen=True)
class Case:
    """A specification on a platform, which keep what they know of datapaths, and what limits all its studies."""

    name: str
    spec: Spec
    platform: Platform
    limits: Mapping[str, object] = field(default_factory=dict)

    def front(self, objectives: Sequence[str], thing: Thing | None = None, *, in_rounds: bool = False) -> Front:
        """The front of the narrow space with a thing, in rounds of the default space. Raises ArrayolError."""
        whole = {} if in_rounds else NARROW
        study = Study.model_validate(
            {**whole, "styles": ("block",), "slack": 0.0, **self.limits, **(thing.study if thing else {})}
        )
        with thing.off() if thing else nullcontext():
            found = api.explore(
                self.spec,
                self.platform,
                objectives=objectives,
                space=api.Space(study=study, verify=False),
                method="rounds" if in_rounds else "auto",
                budget=BUDGET if in_rounds else None,
                device="none",
                resources=api.Resources(workers=1),
            )
        return np.array([[one.objectives[name] for name in objectives] for one in found.result.pareto], np.int64)


def cases(folder: Path, graphs: int) -> Iterator[tuple[str, Callable[[], Case]]]:
    """The shipped specifications, and so many chains of filters, each by its name and loaded when it is called."""

    def shipped(path: Path) -> Case:
        platform = find_platform(path, None)[0]
        return Case(path.stem, api.load(path, dict(platform.verify)), platform)

    for path in sorted(shipped_folder().glob("*.aol")):
        yield path.stem, partial(shipped, path)
    drawn, default = random.Random(SEED), api.load_platform(shipped_folder() / "platforms" / "default.toml")
    for number in range(graphs):
        tasks, frame = 1 + number % 2, (drawn.randrange(16, 49, 4), drawn.randrange(16, 49, 4))
        path = folder / f"graph{number}.aol"
        path.write_text(Graph([[task - 1] if task else [] for task in range(tasks)], frame).text(path.stem))
        shapes = ((2, 2), (4, 4), (8, 8), (1, frame[1]), (1, 16), (4, 16))
        limits = {"units": (1, 4), "blocks": {f"stage{task}": shapes for task in range(tasks)}}
        yield path.stem, partial(lambda path, limits: Case(path.stem, api.load(path), default, limits), path, limits)


def loss(better: Front, worse: Front) -> Loss:
    """What one front has less than another."""
    least = worse.min(axis=0) / np.maximum(1, better.min(axis=0)) - 1
    return round(float(1 - share_of(worse, better)), 5), round(float(least.max()), 5)


def within(seconds: float, explored: Callable[[], Front]) -> Front | None:
    """A front that takes at most so many processor seconds; None for one that takes longer."""

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


def measure(case: Case, number: int, most: float, worthy: set[str]) -> dict[str, Loss]:
    """By name what each thing is worth here, without those that have shown their worth or that take too long."""
    found: dict[str, Loss] = {}

    def each(things: Sequence[Thing], objectives: Sequence[str], *, gains: bool = False, rounds: bool = False) -> None:
        base = within(most, partial(case.front, objectives, in_rounds=rounds))
        for thing in () if base is None else things:
            other = None
            if thing.name not in worthy:
                other = within(2 * most, partial(case.front, objectives, thing, in_rounds=rounds))
            if base is not None and other is not None:
                found[thing.name] = loss(other, base) if gains else loss(base, other)

    each(OPTIONS, DATA, gains=True)
    if number % EVERY == 0:
        each(FORMS, BITS)
    if number % EVERY == 1:
        each(STAGES, DATA, rounds=True)
    return found


def recorded(record: Path) -> list[dict[str, Loss]]:
    """What each thing was worth in each case so far."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return [json.loads(line)["worth"] for line in lines]


def is_worthy(one: Loss) -> bool:
    """Whether so much is a loss."""
    return one[0] >= VOLUME or one[1] >= FIGURE


def table(found: Sequence[Mapping[str, Loss]]) -> str:
    """The lines of the table."""
    lines = []
    for thing in (*OPTIONS, *FORMS, *STAGES):
        own = [case[thing.name] for case in found if thing.name in case]
        volume, figure = (max((one[place] for one in own), default=0.0) for place in (0, 1))
        idle = "yes" if own and not any(map(is_worthy, own)) else ""
        lines.append(f"| {thing.name} | {len(own)} | {volume:.1%} | {figure:.1%} | {idle} |\n")
    return "".join(lines)


def write_table(lines: str) -> None:
    """Put the lines in place of those of the page's table."""
    before, head, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    assert head, f"{PAGE} has no such table"
    PAGE.write_text(f"{before}{head}{lines}\n{rest.partition(chr(10) * 2)[2]}", encoding="utf-8")


def main() -> int:
    """Measure cases and print the table."""
    parser = argparse.ArgumentParser(description="what each option, form of addresses and stage is worth")
    parser.add_argument("record", type=Path, metavar="RECORD", help="a file with a line of JSON a case")
    parser.add_argument("--graphs", type=int, default=50, metavar="N", help="random chains (default 50)")
    parser.add_argument("--most", type=float, default=4.0, metavar="S", help="processor seconds of an exploration")
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="processor seconds of all")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="every Nth case, from the Ith on")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    first, parts = map(int, options.part.split("/"))
    with TemporaryDirectory() as folder:
        drawn = list(cases(Path(folder), options.graphs))
        random.Random(SEED).shuffle(drawn)
        for number, (name, loaded) in enumerate(drawn[first::parts]):
            if time.process_time() > options.seconds:
                break
            worthy = {name for case in recorded(options.record) for name, one in case.items() if is_worthy(one)}
            try:
                worth = measure(loaded(), number, options.most, worthy)
            except ArrayolError as refused:
                sys.stderr.write(f"{name}: {refused.diagnostics[0].message}\n")
                continue
            with options.record.open("a", encoding="utf-8") as record:
                record.write(json.dumps({"case": name, "worth": worth}) + "\n")
            sys.stderr.write(f"{name}: {time.process_time():.0f} s\n")
    found = recorded(options.record)
    lines = table(found)
    sys.stdout.write(f"{HEAD}{lines}{len(found)} cases, {sum(map(bool, found))} measured; {environment()}\n")
    if options.write:
        write_table(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
