"""Generated designs on the simulated machine; tests/hwmodel/simulator/long_run.py judges many more."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from judging import run
from many_cases import full_count
from strategies_designs import mapped_specs
from strategies_forks import forks
from strategies_machine import with_channels


def test_the_simulator_agrees_with_the_model_and_the_specification() -> None:
    """Identical outputs, every step as long, every memory full at least once and too small with one element less."""
    tally = run(full_count(100), seed=3)  # of the seeds tried, one with a share of every feature
    print("\n".join(tally.lines()))  # noqa: T201  shown with -s, and where the test fails
    assert not tally.missing()


def test_it_agrees_about_groups_that_end_in_several_tasks() -> None:
    tally = run(full_count(40), seed=1, designs=mapped_specs(forks()))
    print("\n".join(tally.lines()))  # noqa: T201
    assert tally.features["several last tasks"] > tally.simulated / 4
    assert min(tally.features[name] for name in ("delay", "window", "recompute", "cut", "several units")) > 1


def test_it_agrees_about_single_buffers() -> None:
    tally = run(full_count(40), seed=2, designs=mapped_specs(single=True))
    print("\n".join(tally.lines()))  # noqa: T201
    assert tally.features["single buffer"] > tally.simulated / 4
    assert min(tally.features[name] for name in ("FIFO", "layout", "cut", "keep at a loop", "several units")) > 1


def test_it_agrees_about_several_channels() -> None:
    drawn = st.tuples(mapped_specs() | mapped_specs(single=True), st.integers(2, 4))
    tally = run(
        full_count(20),
        seed=5,
        designs=drawn.map(lambda own: replace(own[0], platform=with_channels(own[0].platform, own[1]))),
    )
    print("\n".join(tally.lines()))  # noqa: T201
    assert min(tally.features[name] for name in ("shared port", "separate port", "several groups", "load once")) > 1
    assert tally.simulated > 10
