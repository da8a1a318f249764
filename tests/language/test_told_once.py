"""What follows from a mistake is not told as well, and what does not follow from it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.checks.check import check

COPY = "elementary copy(a: u8, p: u8) -> (b: u8) {\n  b = a + p\n}\n"
ELEMENTARY = "elementary e(a: u8[4]) -> (y: u8[4]) {{\n{}\n}}\n"
ONE = "elementary two(a: u8) -> (b: u8) {\n  b = a\n}\n"
BAD = "elementary copy(a: u8[8 / 3], p: u8) -> (b: u8) {\n  b = a[0] + p\n}\n"
TASK = "task t(x: u8[4, 6]) -> (y: u8[4, 6]) {{\n  repeat [4, {space}] of {callee} {{\n{links}\n  }}\n}}\n"
PLAIN = "origin [0, 0] paving [1, 0; 0, 1] fitting []"


def task(links: str, callee: str = "copy", space: str = "6") -> str:
    return TASK.format(links=links, callee=callee, space=space)


READ, DELAY, WRITE = f"a <- x at {PLAIN}", "p <- b delay [0, 1] else 0", f"b -> y at {PLAIN}"
INEXACT = "inexact-division: 8 / 3 is not an integer"
CASES = {
    "uses of a broken tiler": (
        "tiler s = origin [0 paving [1] fitting []\n" + COPY + task(f"a <- x at s\n{DELAY}\nb -> y at s"),
        ["syntax: unexpected 'paving'; expected ',' or ']'"],
    ),
    "uses of a broken elementary": (
        COPY.replace("a + p", "a +") + task(f"{READ}\n{DELAY}\n{WRITE}"),
        ["syntax: unexpected '}'; expected an expression"],
    ),
    "uses of a broken const": (
        f"const N = 8 / 3\nconst M = N\n{COPY}" + task(f"{READ}\n{DELAY}\n{WRITE}", space="N + M"),
        [INEXACT],
    ),
    "uses of a broken const in a body": (
        "const N = 8 / 3\n" + ELEMENTARY.format("y[k] = a[k] + N for k in 0..4"), [INEXACT],
    ),
    "names beside broken ports of the repeated elementary": (
        BAD + task(f"a <- v at rows\n{DELAY}\nb -> y at {PLAIN}"),
        [INEXACT, "unknown-name: 't' has no input named 'v'", "unknown-name: no tiler is named 'rows'"],
    ),
    "output arrays beside broken ports of the repeated elementary": (
        BAD + task("a <- x at rows\np <- b delay [0, 1] else v at rows\nb -> w at rows"),
        [INEXACT, *["unknown-name: no tiler is named 'rows'"] * 3, "unknown-name: 't' has no input named 'v'",
         "unknown-name: 't' has no output named 'w'"],
    ),
    "links in a broken space": (
        COPY + task(f"{READ}\np <- b delay [0, 0] else 300\nb -> w at {PLAIN}", space="8 / 3"),
        [INEXACT, "output-unwritten: output 'y' is written by no link", "unknown-name: 't' has no output named 'w'",
         "zero-delay: a delay of zero would make an instance wait for itself"],
    ),
    "a circle beside a broken delay": (
        "elementary sum(a: u8, p: u8, q: u8) -> (b: u8) {\n  b = a + p + q\n}\n"
        + task(f"{READ}\np <- b delay [0, 1] else 0\nq <- c delay [0, -1] else 0\n{WRITE}", callee="sum"),
        ["unknown-name: 'sum' has no output named 'c'"],
    ),
    "holes beside a broken output link": (
        COPY + task(f"{READ}\n{DELAY}\n{WRITE}\nc -> y at {PLAIN}", space="3"),
        ["unknown-name: 'copy' has no output named 'c'"],
    ),
    "holes beside an output without a link": (
        ONE + "task t(x: u8[4]) -> (y: u8[5], z: u8[4]) {\n"
        "  repeat [4] of two {\n    a <- x at origin [0] paving [1] fitting []\n"
        "    b -> y at origin [0] paving [1] fitting []\n  }\n}\n",
        ["output-unwritten: output 'z' is written by no link"],
    ),
    "the order of a body with a mistake": (
        "elementary e(a: u8[4]) -> (y: u8[4]) {\n  y[k] = v for k in 0..3\n  y[k] = y[k] for k in 0..4\n}\n",
        ["unknown-name: no port, range variable or const is named 'v'"],
    ),
    "bounds of a body with a mistake": (
        "elementary e(a: u8[4]) -> (y: u8[4]) {\n  y[k] = v for k in 0..4\n  y[k] = a[k + 1] for k in 0..4\n}\n",
        ["subscript-out-of-range: 'a[4]' lies outside 'a' of 4 (at k = 3)",
         "unknown-name: no port, range variable or const is named 'v'"],
    ),
    "one hole and one early read of each output": (
        "elementary e() -> (y: u8[4], z: u8) {\n  y[k] = y[k + 1] + y[0] for k in 0..1\n}\n",
        ["never-written: 'z' is never written in 'e'",
         "read-before-write: 'y[1]' is read before anything is written there (at k = 0)"],
    ),
    "results of a call with a mistake": (
        COPY + "task t(x: u8, z: u8) -> (y: u8) {\n  v = copy(x)\n  y = copy(v, z)\n}\n",
        ["wrong-arguments: 'copy' has 2 arguments, not 1"],
    ),
    "calls of a task whose ports are broken": (
        BAD + "task t(x: u8) -> (y: u8) {\n  y = copy(x, x, x)\n}\n", [INEXACT],
    ),
    "calls of a task with broken ports of its own": (
        COPY + "task t(x: u8[8 / 3], z: u8) -> (y: u8) {\n  y = kopy(x, z)\n}\n",
        [INEXACT, "unknown-name: no task or elementary is named 'kopy'"],
    ),
    "a result of another type": (
        COPY + "task t(x: u8) -> (y: u16) {\n  y = copy(x, x)\n}\n",
        ["type-mismatch: 'y' holds u16, port 'b' has u8"],
    ),
    "a result of another shape": (
        COPY + "task t(x: u8) -> (y: u8[2]) {\n  y = copy(x, x)\n}\n",
        ["shape-mismatch: 'y' is [2], port 'b' is scalar"],
    ),
    "an array that takes the name of a definition": (
        "const N = 4\n" + COPY + "task t(x: u8) -> (y: u8) {\n  N = copy(x, x)\n  y = copy(N, N)\n}\n",
        ["name-reused: 'N' is already a const of this file"],
    ),
    "members of a circle of tasks": (
        "".join(f"task {name}(x: u8) -> (y: u8) {{\n  y = {used}(x)\n}}\n" for name, used in ("st", "ts", "ut")),
        ["task-cycle: tasks call each other in a circle: s -> t -> s"],
    ),
    "a default of another type": (
        COPY + "task t(x: u8[4], w: u16[4]) -> (y: u8[4]) {\n  repeat [4] of copy {\n"
        "    a <- x at origin [0] paving [1] fitting []\n"
        "    p <- b delay [1] else w at origin [0] paving [1] fitting []\n"
        "    b -> y at origin [0] paving [1] fitting []\n  }\n}\n",
        ["type-mismatch: 'w' holds u16, port 'p' takes u8"],
    ),
    "delays as long as the space, of either sign": (
        COPY + task(f"{READ}\np <- b delay [0, -6] else 0\n{WRITE}"),
        ["delay-never-acts: the delay is as long as the repetition space [4, 6]: every instance takes the default"],
    ),
    "a delay that never acts and would make a circle": (
        "elementary sum(a: u8, p: u8, q: u8) -> (b: u8) {\n  b = a + p + q\n}\n"
        + task(f"{READ}\n{DELAY}\nq <- b delay [0, -6] else 0\n{WRITE}", callee="sum"),
        ["delay-never-acts: the delay is as long as the repetition space [4, 6]: every instance takes the default"],
    ),
    "an infinite array that a finite repetition cannot follow": (
        COPY.replace(", p: u8", "").replace(" + p", "")
        + "task t(x: u8[*]) -> (y: u8[4]) {\n  repeat [4] of copy {\n    a <- x at origin [0] paving [1] fitting []\n"
        "    b -> y at origin [0] paving [1] fitting []\n  }\n}\n",
        ["infinite-not-followed: dimension 0 of 'x' is infinite, and the tiler does not go along it"],
    ),
    "an empty paving where there is something to pave": (
        ONE + "task t(x: u8[4]) -> (y: u8[4]) {\n  repeat [4] of two {\n    a <- x at origin [0] paving [] fitting []\n"
        "    b -> y at origin [0] paving [1] fitting []\n  }\n}\n",
        ["rank-mismatch: the paving is 0 x 0; array 'x' of rank 1 and a repetition space of rank 1 need 1 x 1"],
    ),
    "accesses that data decide": (
        ELEMENTARY.format("y[k] = y[k + 1] for k in 0..4 where a[k] > 2\ny[k] = 0 for k in 0..4"),
        [],
    ),
    "indices that become values": (
        ELEMENTARY.replace("y: u8", "y: f32").format("y[k] = k - 3 for k in 0..4"),
        [],
    ),
    "indices that just fit, and those that data keep out": (
        ELEMENTARY.format("y[k % 4] = u8(k) for k in 0..256\ny[k % 4] = u8(k) for k in 0..999 where a[0] > 2"),
        [],
    ),
    "a read whose element data decide": (
        ELEMENTARY.format("y[0] = 0\ny[k] = y[a[k]] for k in 1..4"),
        ["subscript-may-leave: subscript 0 of 'y' can be 0 to 255, and inside is 0..4"],
    ),
    "a read in a loop of what its later turns write": (
        "elementary e() -> (y: u8[3], z: u8[2]) {\ny[0] = 0\nloop i in 0..2 {\ny[i + 1] = 0\nz[i] = y[2]\n}\n}\n",
        ["read-before-write: 'y[2]' is read before anything is written there (at i = 0)"],
    ),
    "a port that is delayed and of another shape": (
        "elementary e(a: u8, p: u8[2]) -> (b: u8) {\n  b = a + p[0]\n}\n"
        + task(f"{READ}\n{DELAY}\n{WRITE}", callee="e"),
        ["delay-mismatch: 'p: u8[2]' cannot take 'b: u8' of an earlier instance"],
    ),
    "a port that is delayed and of another type": (
        "elementary e(a: u8, p: u16) -> (b: u8) {\n  b = a + u8(p)\n}\n"
        + task(f"{READ}\n{DELAY}\n{WRITE}", callee="e"),
        ["delay-mismatch: 'p: u16' cannot take 'b: u8' of an earlier instance"],
    ),
    "right operands as deep as allowed": (f"const X = {'1 - (' * 100}1{')' * 100}\n", []),
    "right operands that nest deeper": (
        f"const X = {'1 - (' * 101}1{')' * 101}\n", ["nested-too-deep: this nests deeper than 100 levels"],
    ),
    "loops that nest too deep": (
        ELEMENTARY.format("".join(f"loop i{k} in 0..2 {{\n" for k in range(101)) + "y[0] = 1\n" + "}" * 101),
        ["nested-too-deep: this nests deeper than 100 levels"],
    ),
    "a circle of consts, told from the first of them": (
        "const C = A\nconst A = B\nconst B = C\n", ["const-cycle: const 'C' needs its own value: C -> A -> B -> C"],
    ),
    "a circle of consts, met from outside": (
        "const D = B\nconst A = B\nconst B = A\n", ["const-cycle: const 'A' needs its own value: A -> B -> A"],
    ),
    "a number longer than Python reads": (
        f"const X = {'9' * 5000}\nconst Y = X\n", ["number-too-long: a number of 5000 digits; at most 400 are allowed"],
    ),
    "uses of what nests too deep": (
        f"const X = {'1 - (' * 101}1{')' * 101}\nconst Y = X\n",
        ["nested-too-deep: this nests deeper than 100 levels"],
    ),
    "the inside of a loop whose head is wrong": (
        ELEMENTARY.format("loop i in 0.. {\ny[i] = a[i]\n}\ny[0] = = 1"),
        ["syntax: unexpected '{'; expected an expression", "syntax: unexpected '='; expected an expression"],
    ),
    "consts of two circles, and what uses them": (
        "const A = B\nconst B = A\nconst C = C\nconst D = A + C\n",
        ["const-cycle: const 'A' needs its own value: A -> B -> A",
         "const-cycle: const 'C' needs its own value: C -> C"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "told"), CASES.values(), ids=CASES)
def test_told_once(tmp_path: Path, text: str, told: list[str]) -> None:
    path = tmp_path / "x.aol"
    path.write_text(text, encoding="utf-8")
    found = [f"{one.code}: {one.message}" for one in check(path).diagnostics if one.code != "unused"]
    assert sorted(found) == sorted(told)
