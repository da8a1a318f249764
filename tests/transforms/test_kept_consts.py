"""What `transform` prints keeps consts: with other values it is what the steps make there, and computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from proof import same_bits
from spec_data import loaded

from arrayol import api
from arrayol.checks.check import check_again, check_source
from arrayol.ir.spec import ConstValue, Spec
from arrayol.source import SourceFile
from arrayol.transforms.kept_consts import KeptText, text_with_consts
from arrayol.transforms.steps import parse_step, run_steps

SPECS = Path(__file__).resolve().parents[2] / "specs"
MANY = """
const N = 12
const M = N / 2  # follows from another
const T = 2
const G = 1.5
const OFF = false
elementary scaled(x: f32) -> (y: f32) {
  y = 0 if OFF else x * G + (1 - G)
}
elementary pairs(x: f32[2]) -> (y: f32) {
  y = 3 * x[0] + x[1] * T
}
task scale(x: f32[N, M]) -> (y: f32[N, M]) {
  repeat [N, M] of scaled { x <- x  y -> y }
}
task pair(x: f32[N, M]) -> (y: f32[N, M / 2]) {
  repeat [N, M / 2] of pairs {
    x <- x at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
    y -> y
  }
}
task line(x: f32[N, M]) -> (y: f32[N * M]) {
  repeat [N, M] of scaled { x <- x  y -> y at origin [0] paving [M, 1] fitting [] }
}
task both(x: f32[N, M]) -> (y: f32[N, M / 2]) {
  s = scale(x)
  y = pair(s)
}
task top(x: f32[N, M]) -> (z: f32[N, M / 2], w: f32[N * M]) {
  z = both(x)
  w = line(x)
}
"""


def kept(spec: Spec, *steps: str) -> KeptText:
    parsed = [parse_step(step) for step in steps]
    return text_with_consts(spec, parsed, run_steps(spec, parsed).spec)


def agrees(spec: Spec, text: str, top: str, values: dict[str, ConstValue]) -> None:
    """The printed text with other consts computes what the original does with them."""
    found = check_source(SourceFile("printed.aol", text), {name: str(value) for name, value in values.items()})
    assert found.ok, found.diagnostics
    same_bits(check_again(spec, {**spec.settings, **values}), found.spec, top)


@pytest.mark.parametrize(
    "steps",
    [
        ["tile line 3,2"],
        ["fuse scale pair"],
        ["fuse scale pair 2,1", "pave line 2,3"],
        ["pave scale 2,1", "inline top", "tile line 1,3"],
        ["tile line 3,2", "collapse line"],
    ],
)
def test_the_text_computes_the_same_with_other_consts(steps: list[str]) -> None:
    spec = loaded(MANY)
    found = kept(spec, *steps)
    assert found.applied == ("OFF",)
    for values in ({}, {"N": 24}, {"N": 36, "T": 5}, {"M": 12}, {"N": 48, "M": 6, "G": 0.25}):
        agrees(spec, found.text, "top", values)


def test_numbers_are_written_as_what_they_follow_from() -> None:
    text = kept(loaded(MANY), "tile line 3,2").text
    assert text.startswith("const N = 12\nconst M = N / 2\nconst T = 2\nconst G = 1.5\n\nelementary scaled")
    assert "  y = x * G + (1 - G)\n" in text
    assert "  y = 3 * x[0] + x[1] * T\n" in text
    assert "  repeat [N / 3, M / 2] of line_block {\n" in text
    assert "    y -> y at origin [0]     paving [3 * M, 2]    fitting [M, 1]\n" in text


def test_what_is_set_is_the_value_of_the_const() -> None:
    text = kept(check_again(loaded(MANY), {"N": "24"}), "tile line 3,2").text
    assert text.startswith("const N = 24\nconst M = N / 2\n")
    text = kept(check_again(loaded(MANY), {"M": "8"}), "tile line 3,2").text
    assert text.startswith("const N = 12\nconst M = 8\n")


def test_a_const_on_which_more_depends_than_numbers_is_applied() -> None:
    """All of W is one block: with another W there would be several."""
    spec = api.load(SPECS / "lpsf.aol", {"H": 16, "W": 32})
    found = kept(spec, "tile hflr 4,8")
    assert found.applied == ("W",)
    assert "  repeat [H / 4, 1] of hflr_block {\n" in found.text
    agrees(spec, found.text, "lpsf", {"H": 32})


@pytest.mark.parametrize(
    ("name", "step", "applied"),
    [("lpsf", "fuse hflr vftd", ()), ("downscaler", "", ()), ("mobilenet", "pave depthwise 1,2", ("C", "INNER"))],
)
def test_shipped(name: str, step: str, applied: tuple[str, ...]) -> None:
    spec = api.load(SPECS / f"{name}.aol")
    found = kept(spec, *([step] if step else []))
    assert found.applied == applied


def test_blocks_that_divide_less_than_the_size() -> None:
    """Of 16 lines 14 are written, in blocks of 7: twice as many lines would leave a rest."""
    spec = api.load(SPECS / "conv3x3.aol", {"H": 16, "W": 23})
    found = kept(spec, "fuse filter threshold 7,7")
    assert found.applied == ()
    assert "  repeat [(H - 2) / 7, (W - 2) / 7] of filter_threshold_body {\n" in found.text
    agrees(spec, found.text, "conv3x3", {"H": 30, "W": 37})


def test_a_const_that_only_another_one_follows_from_is_kept() -> None:
    spec = loaded(MANY.replace("const N = 12", "const L = 3\nconst N = 4 * L"))
    found = kept(spec, "tile line 3,2")
    assert found.text.startswith("const L = 3\nconst N = 4 * L\nconst M = N / 2\n")
    agrees(spec, found.text, "top", {"L": 6})
