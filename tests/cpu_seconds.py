"""The processor time of each test, and the markers `slow` and `night` of long ones; hooks of pytest for conftest.py."""

from __future__ import annotations

import resource
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from many_cases import draws_all_cases

# A test above this many CPU seconds, with those of the processes that it waits for, is in SLOW_TESTS.
LIMIT = 1.0
SLOW_TESTS = Path(__file__).with_name("slow_tests.txt")
NIGHT_TESTS = Path(__file__).with_name("night_tests.txt")  # slow too: what they show, others show by day on less
_PROPERTY = "cpu_seconds"


def add_options(parser: pytest.Parser) -> None:
    """Add `--cpu-seconds FILE`."""
    parser.addoption("--cpu-seconds", metavar="FILE", help="write each test's CPU seconds to FILE, the longest first")


def listed(path: Path) -> frozenset[str]:
    """The names in SLOW_TESTS or NIGHT_TESTS, from the folder of the tests on: of a whole function, or of one case."""
    return frozenset(path.read_text(encoding="utf-8").splitlines())


def mark_slow(items: list[pytest.Item]) -> None:
    """Give `slow` to the tests of both lists and to those that judge all cases, and `night` to those of NIGHT_TESTS.

    Tests that judge all cases are skipped where a run draws fewer.
    """
    slow, night = listed(SLOW_TESTS), listed(NIGHT_TESTS)
    too_few = pytest.mark.skip(reason="this run draws too few cases; --hypothesis-profile=explore draws all")
    for item in items:
        if item.get_closest_marker("all_cases") is not None:
            item.add_marker(pytest.mark.slow)
            if not draws_all_cases():
                item.add_marker(too_few)
            continue
        name = name_of(item.nodeid)
        names = {name, name.partition("[")[0]}
        if names & night:
            item.add_marker(pytest.mark.night)
        if names & (slow | night):
            item.add_marker(pytest.mark.slow)


def name_of(nodeid: str) -> str:
    """The name of a test in SLOW_TESTS: its node id below `tests/`."""
    return nodeid.removeprefix("tests/")


def measured(item: pytest.Item) -> Generator[None, Any, Any]:
    """Run a test, and note its CPU seconds and whether it has the marker, so that they reach the process of `-n`."""
    before = _cpu_seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append((_PROPERTY, _cpu_seconds() - before))
        item.user_properties.append(("slow", item.get_closest_marker("slow") is not None))


def _cpu_seconds() -> float:
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def summarise(reporter: Any, path: str | None) -> None:
    """Name the tests above LIMIT that lack the marker, and write all CPU seconds to the path if there is one.

    Runs that draw all cases name none: the limit holds for a fifth of the cases.
    """
    tests = _measured_tests(reporter)
    unmarked = [(seconds, name) for seconds, name, slow in tests if seconds > LIMIT and not slow]
    if unmarked and not draws_all_cases():
        reporter.section(f"tests above {LIMIT:g} CPU s that are not in tests/{SLOW_TESTS.name}")
        for seconds, name in unmarked:
            reporter.line(f"{seconds:6.2f} s  {name}")
    if path is not None:
        Path(path).write_text("".join(f"{seconds:.3f} {name}\n" for seconds, name, _ in tests), encoding="utf-8")


def _measured_tests(reporter: Any) -> list[tuple[float, str, bool]]:
    """CPU seconds, name and marker of each test that ran, the longest first."""
    tests = []
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                properties = dict(report.user_properties)
                tests.append((properties[_PROPERTY], name_of(report.nodeid), properties["slow"]))
    return sorted(tests, reverse=True)
