"""Generated streaming groups; tests/hwmodel/stream/long_run.py judges many more."""

from __future__ import annotations

from judging_streams import run
from many_cases import full_count


def test_the_simulator_agrees_with_the_model_and_the_specification() -> None:
    """Identical outputs, as many cycles and words as the model says, and no segment with a word to spare."""
    tally = run(full_count(100), 1, lambda _: None)
    print("\n".join(tally.lines()))  # noqa: T201  shown with -s, and where the test fails
    assert not tally.missing()
