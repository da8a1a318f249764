"""Figures of what is resident, asked for where nothing is: the same words, wherever they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CommandLine

PLAIN = """\
elementary twice(a: i16) -> (b: i16) {
  b = 2 * a
}

task all(x: i16[4]) -> (y: i16[4]) {
  repeat [4] of twice {
    a <- x
    b -> y
  }
}
"""
NOTHING = {
    "setup_cycles": "nothing is loaded once",
    "setup_bytes": "nothing is loaded once",
    "rom_bits": "no task reads a const array from a ROM",
    "local_bits": "no elementary has locals",
}


@pytest.mark.parametrize("model", ["machine", "published"])
@pytest.mark.parametrize("figure", NOTHING)
def test_nothing_resident(arrayol: CommandLine, tmp_path: Path, figure: str, model: str) -> None:
    (tmp_path / "t.aol").write_text(PLAIN, encoding="utf-8")
    asked = [("--objectives", f"latency_cycles,{figure}"), ("--pick", f"{figure} <= 10")]
    asked += [("--constraint", f"{figure} <= 10")] if model == "machine" else []
    for option, value in asked:
        done = arrayol("explore", "t.aol", "--quiet", "--model", model, option, value)
        assert (done.returncode, done.stdout) == (1, ""), option
        told = done.stderr[done.stderr.index("error") :]
        assert told == (
            f"error[nothing-resident]: '{figure}' is no figure of designs here: {NOTHING[figure]}\n"
            "  hint: leave it out: it would be 0 for every design\n"
        ), option


def test_bounds_on_a_clock_and_on_blocks_say_what_is_missing(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "t.aol").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "t.toml").write_text(
        "[memory]\nlatency = 3\ndata_per_word = 1\n[elementary.twice]\ninterval = 1\n", encoding="utf-8"
    )
    for figure, code in {"latency_microseconds": "no-clock", "memory_blocks": "no-block-size"}.items():
        done = arrayol("explore", "t.aol", "--quiet", "--pick", f"{figure} <= 10")
        assert done.returncode == 1
        assert f"error[{code}]: '{figure}' needs " in done.stderr
