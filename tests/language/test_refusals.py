"""Constants, statements and slips of syntax that are refused; the reports are in golden/refusals.txt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arrayol.language.loader import load

GOLDEN = Path(__file__).parents[1] / "golden" / "refusals.txt"
CONSTANTS = [
    "1 < true", "true == 1", "1 + true", "false * 2", "1 / 0", "1 // 0", "1 % 0.0", "1.5 & 2", "true << 1",
    "1 | true", "1 << -1", "1 >> -1", "1 << 4096", "1 << (1 << 80)", "(1 << 4095) * 2", "1e308 * 10",
    "1.0 * (1 << 2000)", "exp(1000)", "sqrt(-1)", "not 1", "~1.5", "-true", "min(1, true)", "u8(256)", "u8(-1)",
    "i8(128.5)", "f32(1e300)", "f32(-1e300)", "f64(1 << 1024)", "c64(1)", "1 and true", "true and 1", "false or 1",
    "1 if 2 else 3", "K[0]", "t", "root(4)", "min(1)", "sqrt(1, 2)", "u8(1, 2)", "7 / -2", "sqr(4)",
]  # fmt: skip
REFUSED = [
    "y = x where n", "y = x if x else 0", "y = x[0]", "y = a[0, 1]", "y = a[b]", "y = K[0]", "y = i[0] for i in 0..2",
    "y = x for i in 0..2, i in 0..2", "y = x for a in 0..2", "y = x for K in 0..2", "y = w", "y = e", "y = root(x)",
    "y = min(x)", "y = x and b", "y = not x", "y = x & x", "y = ~x", "y = b << b", "y = x >> x", "y = n / 2",
    "t = c < c", "z = c % 2", "t = b % b", "t = b + b", "y = min(c, c)", "y = max(c, c)", "y = floor(c)",
    "y = ceil(c)", "y = abs(b)", "y = f32(c)", "t = b == 1", "y = u + n", "t = 1 > 2 or K", "t = 1 < 2 and K",
    "y = true if b else x",
    "y = n", "y = sin(n)", "y = c", "k8 = sin(i) for i in 0..2", "y = 1e300", "z = -1e300", "z = c64(1e300)",
    "y = x + 1e300", "k8 = o & 256", "t = 1", "y = true", "k8 = 2.5", "t += b", "x = 1", "w = 1",
    "y = x for i in 0..x", "y = i for i in 0..j, j in 0..2", "t = K and b",
]  # fmt: skip
SOUND = [
    "y = a[n]", "y = x + b", "y = b", "y = abs(c)", "y = f32(sin(n))", "y = f32(sin(K))", "t = c == c", "t = b == b",
    "t = b & true", "t = not b and (b or n > 3)", "t = (1 if b else 0) > 1", "k8 = ~o", "k8 = o << 7", "k8 = 255",
    "k8 = 0", "z = c * x + 1", "z = 1.5", "y = x // 2 % 3", "y = x / o", "t = x < 1 if b else false",
    "y = min(x, 1.5)", "y = sin(i) for i in 0..2", "y = 3.4028235e38", "y += 1", "t = 1 < 2 or K",
]  # fmt: skip
SLIPS = [
    "const A = 0x10", "const A = 0b1", "const A = 8 H", "const A = 1 < 2 < 3", "const A = true && true",
    "const A = true & & true", "const A = true || true", "const A = 2 ** 3", "const A = !true", "const A = 1 ? 2",
    "const A = 1;", "const A = 1.", "const A = 0 if 1 = 2 else 3", "const A = 1 <-1", "const for = 1", "const A = $",
    "elementary e() -> (y: u8) { y -= 1 }", "elementary e() -> (y: u8) { y = 1 where 2 > 1 for k in 0..1 }",
    "elementary e(x: u8) -> (y: u8) { y = x } task t(x: u8) -> (y: u8) { y = e(e(x)) }",
    "task t(x: u8) -> (y: u8) { repeat [1] of e { } repeat [1] of e { } }", 'import "x', "import x",
]  # fmt: skip
IN_FILE = "tiler t = origin [] paving [] fitting []\nconst K = 3\nconst X = {}\n"
IN_BODY = """\
const K = 3
elementary e(x: f32, a: f32[4], b: bool, n: i32, c: c64, u: u64, o: u8) -> (y: f32, k8: u8, z: c64, t: bool) {
{}
}
"""


def test_each_is_refused_once_with_its_message(tmp_path: Path, golden: Callable[[Path, str], None]) -> None:
    blocks = [_block(tmp_path, text, IN_FILE) for text in CONSTANTS]
    blocks += [_block(tmp_path, text, IN_BODY) for text in REFUSED]
    blocks += [_block(tmp_path, text, "{}") for text in SLIPS]
    golden(GOLDEN, "\n".join(blocks))


@pytest.mark.parametrize("statement", SOUND)
def test_sound_bodies(tmp_path: Path, statement: str) -> None:
    assert not list(_told(tmp_path, IN_BODY.replace("{}", statement)))


def _block(folder: Path, text: str, frame: str) -> str:
    (told,) = _told(folder, frame.replace("{}", text))
    return f"{text}\n  {told}\n"


def _told(folder: Path, text: str) -> Iterator[str]:
    path = folder / "x.aol"
    path.write_text(text, encoding="utf-8")
    for found in load(path).diagnostics:
        if found.code != "unused":
            yield f"{found.code}: {found.message}" + (f"\n  hint: {found.hint}" if found.hint else "")
