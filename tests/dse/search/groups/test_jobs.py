"""Jobs of a search: in parts of any size it finds the same, and with rows of another one what it finds by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from signal_chains import PLATFORM, chain, space_of
from strategies_changes import Wanted, changed, wanteds

from arrayol.errors import ArrayolError
from dse.jobs import runner
from dse.jobs.cache import CacheRows, JobCache, open_rows
from dse.jobs.jobs import InProcess, Job, Pool, processes
from dse.jobs.runner import JobRunner
from dse.search.batch_pricer import BatchEvaluator
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.group_front import Counts, GroupPart, dump_part, joined, load_part, nothing
from dse.search.groups import job_cost
from dse.search.groups.search import GroupJobs, group_front, search_group
from dse.search.pricing import RateChoices, plain_structure
from dse.space.options import mapping_options
from dse.space.study import NARROW, Study
from hwmodel.platform import Platform
from hwmodel.platform_memories import LocalMemory

seen: Counter[str] = Counter()


class Idle(InProcess):
    """Must not be asked."""

    def submit(self, context: Any, jobs: Any) -> Future[Any]:
        raise AssertionError(jobs)


class Counting(JobCache):
    """Counts the results that it finds and keeps."""

    found = kept = 0

    def known(self, jobs: Sequence[Job], keys: Sequence[bytes | None]) -> dict[int, Any]:
        known = super().known(jobs, keys)
        self.found += len(known)
        return known

    def keep(self, job: Job, key: bytes | None, result: Any) -> None:
        self.kept += 1
        super().keep(job, key, result)


@contextmanager
def new_rows() -> Iterator[CacheRows]:
    """An empty cache of which no file is left, and none made where it is used but a moment."""
    with TemporaryDirectory() as folder, open_rows(Path(folder), resume=True) as rows:
        yield rows
        rows.discard()


def outcome(wanted: Wanted, job_runner: JobRunner, counted: Callable[[Counts], object] = lambda counts: counts) -> Any:
    """All that an exact search finds, with what is told of its counts, or why it is refused."""
    try:
        found = search_exactly(wanted.context(), SearchRequest(), job_runner)
    except ArrayolError as refused:
        return str(refused)
    points = [(found.front.values.tolist(), found.front.units.tolist())]
    designs = [found.design(row) for row in range(len(found.front))]
    groups = {
        group: (front.front.values.tolist(), front.front.units.tolist(), front.designs, counted(front.counts))
        for group, front in found.groups.items()
    }
    sizes = (counted(found.counts), found.group_designs, found.whole_designs, found.exact, found.description)
    refusals = [front.refusal for front in found.groups.values()]
    return points, designs, groups, sizes, (*refusals, found.refusal)


def resuming(rows: CacheRows) -> Counting:
    return Counting(rows)


@settings(max_examples=case_count(50))
@given(st.data())
def test_rows_of_another_search_change_nothing(data: st.DataObject) -> None:
    """With one thing changed no row is used that would now be another; the search's own rows are all found again."""
    former = data.draw(wanteds())
    what, wanted = data.draw(changed(former))
    with new_rows() as rows:
        outcome(former, JobRunner(cache=resuming(rows)))
        cache = resuming(rows)
        fresh = outcome(wanted, JobRunner())
        assert outcome(wanted, JobRunner(cache=cache)) == fresh, what
        assert outcome(wanted, JobRunner(Idle(), resuming(rows))) == fresh
    seen[what] += 1
    seen["found"] += bool(cache.found)
    seen["new"] += bool(cache.kept)


@settings(max_examples=case_count(40))
@given(st.data())
def test_prices_of_another_search_change_nothing(data: st.DataObject) -> None:
    """The same for figures of single designs, as heuristic searches ask for them."""
    former = data.draw(wanteds())
    what, wanted = data.draw(changed(former))
    with new_rows() as rows:
        for one in (former, wanted):
            fresh = prices(one, JobRunner())
            assert prices(one, JobRunner(cache=resuming(rows))) == fresh, what
        assert prices(wanted, JobRunner(Idle(), resuming(rows))) == fresh


def prices(wanted: Wanted, job_runner: JobRunner) -> Any:
    """Figures of designs of all kinds, and an example of a refusal."""
    try:
        context = wanted.context()
    except ArrayolError as refused:
        return str(refused)
    pricer, space = BatchEvaluator(context, job_runner), context.space
    for group in space.groups[:4]:
        last = space.last(group)
        for blocks in list(space.blocks(last))[:2] if last else ():
            plain = plain_structure(space.tasks(group), blocks)
            pricer.price([plain, *islice(mapping_options(space, plain), 4)])
    return pricer.figures, pricer.refusal


def three(platform: Platform = PLATFORM, **study: Any) -> Wanted:
    """A chain of three filters, plain but for what is said."""
    with TemporaryDirectory() as folder:
        network = space_of(chain(3, 16), 3, Path(folder)).model.network
    return Wanted(network, platform, Study.model_validate({**NARROW, "units": (1, 2), **study}), ("traffic_bytes",), ())


def test_the_order_of_arrays_counts() -> None:
    """Of equal designs the first stays, and a design lists its layouts in the network's order."""
    wanted = three(PLATFORM.model_copy(update={"local": LocalMemory(banks=2, block_bits=64)}), layouts=("linear",))
    turned = replace(wanted.network, arrays=dict(reversed(wanted.network.arrays.items())))
    other = replace(wanted, network=turned)
    with new_rows() as rows:
        found = outcome(wanted, JobRunner(cache=resuming(rows)))
        fresh = outcome(other, JobRunner())
        assert found != fresh
        assert outcome(other, JobRunner(cache=resuming(rows))) == fresh


@pytest.mark.parametrize(
    ("what", "former", "now"),
    [
        ("policies", ("reuse", "whole"), ("reuse", "tile")),
        ("links", ("fifo",), ("buffer", "fifo")),
        ("layouts", ("linear",), ("none", "linear")),
        ("recompute", (True,), (False, True)),
        ("outer_blocks", {"window@s3": {"0,0": [[4]]}}, {"window@s3": {"0,0": [[8]]}}),
        ("cuts", ("lines",), {"window@s1": [[2]]}),
    ],
)
def test_options_count(what: str, former: tuple[str, ...], now: Any) -> None:
    """On the same blocks too."""
    platform = PLATFORM.model_copy(update={"local": LocalMemory(banks=2, block_bits=64)})
    objectives = ("latency_cycles", "internal_memory_elements")
    wanted, other = (replace(three(platform, **{what: ways}), objectives=objectives) for ways in (former, now))
    with new_rows() as rows:
        outcome(wanted, JobRunner(cache=resuming(rows)))
        fresh = outcome(other, JobRunner())
        assert outcome(other, JobRunner(cache=resuming(rows))) == fresh


def test_what_the_last_task_is_concerns_its_groups_alone() -> None:
    wanted = three()
    name, last = list(wanted.network.processes.items())[-1]
    processes = {**wanted.network.processes, name: replace(last, elementary="another")}
    other = replace(wanted, network=replace(wanted.network, processes=processes))
    with new_rows() as rows:
        outcome(wanted, JobRunner(cache=resuming(rows)))
        cache = resuming(rows)
        assert outcome(other, JobRunner(cache=cache)) == outcome(other, JobRunner())
        assert cache.found >= 3  # the first two tasks, singly and together
        assert cache.kept >= 3


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 3e-2])
@settings(max_examples=case_count(15))
@given(data=st.data())
def test_jobs_of_any_size_find_the_same(seconds: float, data: st.DataObject) -> None:
    """What bounds leave out hangs on what its job has priced before: so do refusals; designs in all are as many."""
    wanted = data.draw(wanteds())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_cost, "JOB_SECONDS", 1e9)
        whole = outcome(wanted, JobRunner(), lambda counts: counts.size)[:-1]
        patch.setattr(job_cost, "JOB_SECONDS", seconds)
        assert outcome(wanted, JobRunner(), lambda counts: counts.size)[:-1] == whole


@settings(max_examples=case_count(15))
@given(wanteds(), st.integers(0, 999))
def test_parts_join_in_any_grouping(wanted: Wanted, seed: int) -> None:
    """Also when they have been stored in between."""
    try:
        context = wanted.context()
    except ArrayolError:
        return
    random = Random(seed)
    for group in context.space.groups:
        parts = parts_of(context, group)
        if not parts:
            continue
        whole = joined(parts, context.columns)
        assert shown(load_part(dump_part(whole))) == shown(whole)
        while len(parts) > 1:
            start, end = sorted(random.sample(range(len(parts) + 1), 2))
            some = joined(parts[start:end], context.columns)
            parts[start:end] = [load_part(dump_part(some)) if random.random() < 0.5 else some]
        assert shown(joined(parts, context.columns)) == shown(whole)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with processes(2) as found:
        found.worth_seconds = 0.0
        yield found


@settings(max_examples=case_count(25))
@given(wanted=wanteds())
def test_two_processes_find_the_same(pool: Pool, wanted: Wanted) -> None:
    """In tasks of single jobs, whichever ends first, under any constraints and ways to share memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_cost, "JOB_SECONDS", 3e-2)
        patch.setattr(runner, "TASK_SECONDS", 1e-9)
        assert outcome(wanted, JobRunner(pool)) == outcome(wanted, JobRunner())
        assert prices(wanted, JobRunner(pool)) == prices(wanted, JobRunner())


def parts_of(context: SearchContext, group: int) -> list[GroupPart]:
    """What the jobs of a group's search find, cut small."""
    parts: list[GroupPart] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job_cost, "JOB_SECONDS", 1e-9)
        work = search_group(context, group, all_options=True)
        try:
            jobs = next(work)
            while True:
                found = [job.run(context) for job in jobs]
                parts += found
                jobs = work.send(found)
        except StopIteration:
            return parts


@settings(max_examples=case_count(25))
@given(wanteds())
def test_structures_find_together_what_they_find_one_by_one(wanted: Wanted) -> None:
    """Those that keep the same are priced in batches."""
    try:
        context = wanted.context()
    except ArrayolError:
        return
    space, columns, batches = context.space, context.columns, list[int]()
    for group in space.groups[:4]:
        if space.last(group) is None:
            continue
        tasks, rates = space.tasks(group), RateChoices(tuple(map(space.rates, space.tasks(group))))
        blocks = list(space.blocks(tasks[-1]))[:3]
        plain = [plain_structure(tasks, own) for own in blocks]
        some = [kept for one in plain for kept in (one, *islice(mapping_options(space, one), 6))]
        some += [replace(one, policy=policy) for one in plain for policy in ("tile", "whole")]
        jobs, empty = GroupJobs(space, columns, tasks, rates), nothing(columns, len(tasks))
        together, apart = (
            joined([empty, *(job.run(context) for each in runs for job in jobs.structures(empty, each))], columns)
            for runs in ([some], [[one] for one in some])
        )
        assert group_front(together, context).front.values.tolist() == group_front(apart, context).front.values.tolist()
        assert together.counts.size == apart.counts.size
        batches.append(len(some))
    event(f"{sum(batches) // 20 * 20} structures and more")


def shown(part: GroupPart) -> Any:
    """All of a part, types and shapes of arrays too."""
    arrays = [(array.dtype.str, array.shape, array.tolist()) for array in (part.values, part.rates, part.place)]
    return part.structures, arrays, part.counts, part.refusal


def test_a_row_in_the_place_of_another_is_no_part() -> None:
    for text in ("", "{}", "[]", '{"structures": []}'):
        with pytest.raises(ValueError, match="validation error"):
            load_part(text)
