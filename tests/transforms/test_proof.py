"""Generated pipelines of transformations keep the meaning; tests/transforms/long_run.py proves many more."""

from __future__ import annotations

from many_cases import full_count
from proof import run


def test_pipelines_keep_the_meaning() -> None:
    """Bit-identical outputs, the same elements read, text that reads back equal, indices that fit."""
    tally = run(full_count(100))
    print("\n".join(tally.lines()))  # noqa: T201  shown with -s, and where the test fails
    assert not tally.missing()
