"""Fixtures of the tests of the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture(scope="module")
def new_folder() -> Iterator[Callable[[], Path]]:
    """Makes empty folders, in memory where the system has such: generated cases need not wait for a disk."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        numbers = count()

        def make() -> Path:
            made = Path(folder) / str(next(numbers))
            made.mkdir()
            return made

        yield make
