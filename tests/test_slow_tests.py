"""The lists of the tests that take long, and the plug-in that names those which they lack."""

from __future__ import annotations

from pathlib import Path

import pytest
from cpu_seconds import NIGHT_TESTS, SLOW_TESTS, listed
from hypothesis import settings
from many_cases import case_count, draws_all_cases, full_count
from many_cases import profile as loaded_profile

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("tests", [SLOW_TESTS, NIGHT_TESTS], ids=lambda path: path.stem)
def test_a_list_is_sorted_and_each_test_in_it_is_there(tests: Path) -> None:
    lines = tests.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
    gone = []
    for name in lines:
        path, _, test = name.partition("::")
        file = FOLDER / path
        if not file.is_file() or f"def {test.partition('[')[0]}(" not in file.read_text(encoding="utf-8"):
            gone.append(name)
    assert gone == []


def test_no_test_is_in_both_lists() -> None:
    assert listed(SLOW_TESTS).isdisjoint(listed(NIGHT_TESTS))


def test_tests_of_the_night_are_no_longer_run_by_day(pytester: pytest.Pytester) -> None:
    """Of a function whose cases are slow, one may be for the night."""
    pytester.makeini(f"[pytest]\nmarkers =\n  slow: long\n  night: longer\npythonpath = {FOLDER}\n{ASYNCIO}")
    pytester.makeconftest(MARKING)
    pytester.makepyfile(test_some="import pytest\n@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_n(n): pass\n")
    for marked, count in (("night", 1), ("slow and not night", 2)):
        run = pytester.runpytest_inprocess("-m", marked)
        run.assert_outcomes(passed=count, deselected=3 - count)


ASYNCIO = "asyncio_default_fixture_loop_scope = function\n"  # unset it warns
MARKING = """\
from pathlib import Path
import cpu_seconds
from pytest import MonkeyPatch

def pytest_collection_modifyitems(items):
    with MonkeyPatch.context() as patch:
        for name, text in (("SLOW_TESTS", "test_some.py::test_n"), ("NIGHT_TESTS", "test_some.py::test_n[2]")):
            path = Path(name)
            path.write_text(text)
            patch.setattr(cpu_seconds, name, path)
        cpu_seconds.mark_slow(items)
"""
PLUGIN = """\
import time
import cpu_seconds
import many_cases
import pytest

many_cases.register_profiles()
cpu_seconds.LIMIT = 0.05
pytest_runtest_call = pytest.hookimpl(wrapper=True)(lambda item: (yield from cpu_seconds.measured(item)))
pytest_addoption = lambda parser: cpu_seconds.add_options(parser)


def pytest_terminal_summary(terminalreporter, config):
    cpu_seconds.summarise(terminalreporter, config.getoption("--cpu-seconds"))
"""
TESTS = """\
import subprocess
import sys
import time
import pytest

BUSY = "import time\\nwhile time.process_time() < 0.2: pass"


def test_in_the_process():
    exec(BUSY.replace("0.2", str(time.process_time() + 0.2)))


def test_in_a_child():
    subprocess.run([sys.executable, "-c", BUSY], check=True)


@pytest.mark.slow
def test_marked():
    exec(BUSY.replace("0.2", str(time.process_time() + 0.2)))


def test_asleep():
    time.sleep(0.2)
"""


UNMARKED = {"test_some.py::test_in_the_process", "test_some.py::test_in_a_child"}


@pytest.mark.parametrize(("profile", "expected"), [("quick", UNMARKED), ("landing", set())])
def test_a_slow_test_without_the_marker_is_named(pytester: pytest.Pytester, profile: str, expected: set[str]) -> None:
    """Also where its time is that of a child, or it runs in a process of `-n`; not one that waits, nor of all cases."""
    pytester.makeini(f"[pytest]\nmarkers = slow: long\npythonpath = {FOLDER}\n")
    pytester.makeconftest(PLUGIN)
    pytester.makepyfile(test_some=TESTS)
    run = pytester.runpytest_subprocess("-n", "1", "--cpu-seconds", "figures.txt", f"--hypothesis-profile={profile}")
    named = {line.split()[-1] for line in run.outlines if " s  test_some.py::" in line}
    assert named == expected
    assert len((pytester.path / "figures.txt").read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.parametrize(("profile", "count"), [("quick", 12), ("landing", 60), ("explore", 60), ("nightly", 600)])
def test_a_profile_says_how_many_cases_are_drawn(profile: str, count: int) -> None:
    before = loaded_profile()
    try:
        settings.load_profile(profile)
        assert (case_count(60), case_count(1)) == (count, max(1, count // 60))
        assert (full_count(60), draws_all_cases()) == (max(60, count), count >= 60)
    finally:
        settings.load_profile(before)
