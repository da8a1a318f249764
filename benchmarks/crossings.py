"""How often `arrayol explore` calls from one file into another: what goes one by one where arrays could go.

    python benchmarks/crossings.py [FILE] [--most 20] [-- OPTION ...]

FILE is lpsf.aol as it is shipped, and the option `--narrow`, in one process. Counted is each call of a function of our
packages whose caller is a function of them in another file; the busiest pairs of files are told.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("arrayol", "hwmodel", "dse")


class Crossings:
    """Calls between files of our packages, by the files of the caller and of the function, and all calls."""

    def __init__(self) -> None:
        self.calls, self.of_pairs = 0, Counter[tuple[str, str]]()
        self._folders = tuple(f"{ROOT / package}/" for package in PACKAGES)
        self._is_ours: dict[str, bool] = {}

    def _has(self, file: str) -> bool:
        if file not in self._is_ours:
            self._is_ours[file] = file.startswith(self._folders)
        return self._is_ours[file]

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not self._has(file):
            return
        self.calls += 1
        caller = frame.f_back.f_code.co_filename if frame.f_back else file
        if caller != file and self._has(caller):
            self.of_pairs[caller, file] += 1

    def during(self, work: Callable[[], object]) -> None:
        """Count those of some work."""
        sys.setprofile(self._note)
        try:
            work()
        finally:
            sys.setprofile(None)


def explored(file: Path, options: Sequence[str]) -> Crossings:
    """Those of a whole command."""
    crossings, main = Crossings(), importlib.import_module("arrayol.cli.main").main
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["arrayol", "explore", str(file), *options, "--quiet", "--workers", "1", "--out", f"{folder}/out"]

        def run() -> None:
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise

        crossings.during(run)
    return crossings


def main() -> None:
    """Print how many there are, and the busiest pairs."""
    parser = argparse.ArgumentParser(description="calls between files of one exploration")
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "specs" / "lpsf.aol", metavar="FILE")
    parser.add_argument("options", nargs="*", default=("--narrow",), metavar="OPTION", help="after --")
    parser.add_argument("--most", type=int, default=20, metavar="N", help="pairs of files to tell (default 20)")
    asked = parser.parse_args()
    crossings = explored(asked.file.resolve(), asked.options)
    sys.stdout.write(f"{crossings.of_pairs.total():,} calls between files, of {crossings.calls:,} calls in all\n")
    for (caller, file), number in crossings.of_pairs.most_common(asked.most):
        names = " -> ".join(str(Path(each).relative_to(ROOT)) for each in (caller, file))
        sys.stdout.write(f"{number:>10,} {names}\n")


if __name__ == "__main__":
    main()
