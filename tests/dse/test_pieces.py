"""Pieces of a search: in parts of any size it finds the same, and with rows of another one what it finds by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_changes import Wanted, changed, wanteds

from arrayol.errors import ArrayolError
from dse.exact import search_exactly
from dse.work.crew import Crew
from dse.work.keeper import Keeper
from dse.work.piece import Piece
from dse.work.pools import InProcess
from dse.work.store import WorkStore, open_store

seen: Counter[str] = Counter()


class Idle(InProcess):
    """Must not be asked."""

    def submit(self, context: Any, pieces: Any) -> Future[Any]:
        raise AssertionError(pieces)


class Counting(Keeper):
    """Counts the results that it finds and keeps."""

    found = kept = 0

    def known(self, pieces: Sequence[Piece], keys: Sequence[bytes | None]) -> dict[int, Any]:
        known = super().known(pieces, keys)
        self.found += len(known)
        return known

    def keep(self, piece: Piece, key: bytes | None, result: Any) -> None:
        self.kept += 1
        super().keep(piece, key, result)


@contextmanager
def new_store() -> Iterator[WorkStore]:
    """An empty store of which no file is left, and none made where it is used but a moment."""
    with TemporaryDirectory() as folder, open_store(Path(folder), resume=True) as store:
        yield store
        store.discard()


def outcome(wanted: Wanted, crew: Crew) -> Any:
    """All that an exact search finds, or why it is refused."""
    try:
        found = search_exactly(wanted.context(), crew, lambda _: None)
    except ArrayolError as refused:
        return str(refused)
    points = [(found.front.values.tolist(), found.front.units.tolist())]
    designs = [found.design(row) for row in range(len(found.front))]
    groups = {
        group: (front.front.values.tolist(), front.front.units.tolist(), front.designs, front.counts, front.refusal)
        for group, front in found.groups.items()
    }
    sizes = (found.counts, found.group_designs, found.whole_designs, found.exact, found.how, found.refusal)
    return points, designs, groups, sizes


def resuming(store: WorkStore) -> Counting:
    return Counting(store, resume=True)


@settings(max_examples=150)
@given(st.data())
def test_rows_of_another_search_change_nothing(data: st.DataObject) -> None:
    """With one thing changed no row is used that would now be another; the search's own rows are all found again."""
    former = data.draw(wanteds())
    what, wanted = data.draw(changed(former))
    with new_store() as store:
        outcome(former, Crew(keeper=resuming(store)))
        keeper = resuming(store)
        fresh = outcome(wanted, Crew())
        assert outcome(wanted, Crew(keeper=keeper)) == fresh, what
        assert outcome(wanted, Crew(Idle(), resuming(store))) == fresh
    seen[what] += 1
    seen["found"] += bool(keeper.found)
    seen["new"] += bool(keeper.kept)
