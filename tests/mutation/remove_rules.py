"""Removes each rule's check in turn, and changes each decision that matters, to see a test fail each time.

Works in copies of the packages in a temporary folder, never in the checkout. Prints what survives; the exit code is 1
where anything does, 2 where the script itself is at fault: the tests fail without a change, or a mutant is no Python.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from decisions import DECISIONS
from forks import Outcome, Run, start
from rules import Mutant, find_rules, replaced

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("arrayol", "hwmodel", "dse", "specs", "tests", "docs", "editors", "pyproject.toml")
FIRST = ("error_files", "refusals", "told_once", "typed", "loader", "pipeline", "nests")  # catch most, soonest
EXAMPLES = "tests/docs/test_language.py::test_files_give_the_report_that_follows_them"
SELECTION = ("tests/language", "tests/polyhedral", "tests/checks", "tests/ir")
LONG = ("test_ten_thousand_lines_and_long_chains", "test_long_chain_of_consts")  # about size, not about rules
PATIENCE = 6  # a mutant that takes so many times what the tests take without a change has no end
CAUGHT, HUNG, SURVIVED, AT_FAULT = "caught", "hung", "survived", "script at fault"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant, and the test or message that says so."""

    outcome: str
    reason: str


Judged = tuple[Mutant, Verdict]


def main() -> int:
    """List, run, print the table."""
    options = _options()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [Path(folder) / str(number) for number in range(options.workers)]
        _copy(ROOT, copies[0])
        for copy in copies[1:]:
            _copy(copies[0], copy)
        mutants, faults = _mutants(copies[0], options.only or [""])
        if options.list:
            sys.stdout.writelines(f"{_shown(mutant)}\n" for mutant in mutants)
            return 0
        verdicts = [*faults, *_run_all(mutants, copies)]
    sys.stdout.write(_table(verdicts))
    sys.stdout.write(f"{(time.monotonic() - started) / 60:.0f} minutes\n")
    outcomes = {verdict.outcome for _, verdict in verdicts}
    return 2 if AT_FAULT in outcomes else int(SURVIVED in outcomes)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Remove each rule in turn; at least one test must fail.")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only mutants whose place or text holds this")
    parser.add_argument("--list", action="store_true", help="name the mutants and run nothing")
    parser.add_argument("--workers", type=int, choices=(1, 2), default=2)
    return parser.parse_args()


def _mutants(root: Path, only: list[str]) -> tuple[list[Mutant], list[Judged]]:
    """All of them whose place or text holds one of `only`, and apart those that cannot be made."""
    mutants, faults = find_rules(root), list[Judged]()
    for path, old, new in DECISIONS:
        try:
            mutants.append(replaced(root, path, old, new))
        except ValueError as failure:
            faults.append((Mutant(path, 0, old, "", "decision"), Verdict(AT_FAULT, str(failure))))
    for mutant in mutants:
        try:
            compile(mutant.source, mutant.path, "exec")
        except SyntaxError as failure:
            faults.append((mutant, Verdict(AT_FAULT, str(failure))))
    broken = {mutant for mutant, _ in faults}
    named = {mutant: f"{mutant.path}:{mutant.line} {mutant.text}" for mutant in mutants if mutant not in broken}
    return [mutant for mutant, name in named.items() if any(text in name for text in only)], faults


def _run_all(mutants: list[Mutant], copies: list[Path]) -> list[Judged]:
    """Each mutant in one of the copies, which must pass without a change."""
    started = time.monotonic()
    sound = _verdict(start(copies[0], _arguments(copies[0], Path()), compiled=True).wait())
    limit = PATIENCE * (time.monotonic() - started) + 30
    if sound.outcome != SURVIVED:
        return [(Mutant("tests", 0, "nothing is changed", "", "none"), Verdict(AT_FAULT, sound.reason))]
    verdicts: list[Judged] = []
    waiting, running, free = mutants[::-1], dict[Run, Mutant](), list(copies)
    while waiting or running:
        while waiting and free:
            mutant, copy = waiting.pop(), free.pop()
            _change(copy, mutant)
            running[start(copy, _arguments(copy, Path(mutant.path)), limit=limit)] = mutant
        ended = [run for run in running if run.ended]
        for run in ended:
            mutant, verdict = running.pop(run), _verdict(run.wait())
            _restore(run.copy, mutant)
            free.append(run.copy)
            verdicts.append((mutant, verdict))
            sys.stderr.write(f"{len(verdicts)}/{len(mutants)} {verdict.outcome}: {_shown(mutant)}: {verdict.reason}\n")
        time.sleep(0 if ended else 0.02)
    return sorted(verdicts, key=lambda pair: (pair[0].path, pair[0].line))


def _copy(root: Path, copy: Path) -> None:
    copy.mkdir()
    for name in COPIED:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "node_modules"))
        else:
            shutil.copy2(source, copy / name)


def _change(copy: Path, mutant: Mutant) -> None:
    target = copy / mutant.path
    target.rename(target.with_suffix(".saved"))
    target.write_text(mutant.source, encoding="utf-8")
    os.utime(target, (0, 0))  # no compiled file has this time


def _restore(copy: Path, mutant: Mutant) -> None:
    """The file as it was, its time included, so that its compiled form serves again."""
    target = copy / mutant.path
    target.with_suffix(".saved").replace(target)


def _verdict(outcome: Outcome) -> Verdict:
    failed = re.search(r"^FAILED (\S+)", outcome.text, re.MULTILINE)
    if outcome.code is None:
        return Verdict(HUNG, "no end")
    if outcome.code == 0:
        return Verdict(SURVIVED, "every test passed")
    if outcome.code == 1 and failed:
        return Verdict(CAUGHT, failed[1])
    return Verdict(AT_FAULT, outcome.text.strip()[-1000:] or f"exit code {outcome.code}")


def _arguments(copy: Path, changed: Path) -> list[str]:
    options = ["-x", "-q", "--no-header", "--tb=no", "-rfE", "-p", "no:cacheprovider"]
    options += ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]  # hypothesis, before the fork
    return [*options, "-p", "quiet_cases", "-k", f"not ({' or '.join(LONG)})", *_tests(copy, changed)]


def _tests(copy: Path, changed: Path) -> list[str]:
    """The files of tests, and the manual's examples; first those that are most likely to catch a change of a module."""
    files = [file.relative_to(copy) for part in SELECTION for file in (copy / part).glob("test_*.py")]

    def order(file: Path) -> tuple[int, bool, bool, Path]:
        stem = file.stem.removeprefix("test_")
        soon = FIRST.index(stem) if stem in FIRST else len(FIRST)
        return soon, stem != changed.stem, file.parent.name != changed.parent.name, file

    first, *others = (file.as_posix() for file in sorted(files, key=order))
    return [first, EXAMPLES, *others]


def _shown(mutant: Mutant) -> str:
    text = mutant.text if len(mutant.text) <= 110 else f"{mutant.text[:107]}..."
    return f"{mutant.path}:{mutant.line}: {text}"


def _table(verdicts: list[Judged]) -> str:
    """Counts by file, then every mutant that was not caught."""
    counts = Counter((mutant.kind, mutant.path, verdict.outcome) for mutant, verdict in verdicts)
    lines = [f"{'':<40} {'mutants':>8} {CAUGHT:>8} {HUNG:>8} {SURVIVED:>8}"]
    for kind, path in sorted({(kind, path) for kind, path, _ in counts}, reverse=True):
        several = [counts[kind, path, outcome] for outcome in (CAUGHT, HUNG, SURVIVED, AT_FAULT)]
        lines.append(f"{f'{kind} {path}':<40} {sum(several):>8} {several[0]:>8} {several[1]:>8} {several[2]:>8}")
    totals = Counter(verdict.outcome for _, verdict in verdicts)
    lines.append(f"{'all':<40} {len(verdicts):>8} {totals[CAUGHT]:>8} {totals[HUNG]:>8} {totals[SURVIVED]:>8}")
    rest = [(mutant, verdict) for mutant, verdict in verdicts if verdict.outcome != CAUGHT]
    return "\n".join(
        [*lines, *(f"{verdict.outcome}: {_shown(mutant)}\n  {verdict.reason}" for mutant, verdict in rest), ""]
    )


if __name__ == "__main__":
    sys.exit(main())
