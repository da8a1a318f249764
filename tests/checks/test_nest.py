"""What `open_nest` makes of schedules, statements, tile sizes and symbols, and every refusal with its exact text."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest, open_program
from arrayol.errors import ArrayolError
from arrayol.tiling import tile as tiling
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest

SPECS = Path(__file__).parents[2] / "specs"

KERNELS = """
const N = 8
const R = 0.5
const S = 4
elementary chain(x: f32[N]) -> (y: f32[N], z: f32[N]) {
  z[0] = 0
  loop t in 1..N {
    y[t] = z[t - 1] + x[t]
    z[t] = y[t] + 1
  }
  y[0] = x[0]
}
elementary diamond(x: f32[N, N]) -> (y: f32[N, N]) {
  y[i, j] = x[i, j]                              for i in 0..N, j in 0..N
  y[i, j] = y[i, j - 1] + y[i - 1, j + 1]        for i in 1..N, j in 1..N - 1
}
elementary hollow(x: f32[N]) -> (y: f32[N]) {
  y[i] = x[i]  for i in 0..N
  y[i] = x[i]  for i in 3..3
}
elementary odd(x: f32[N]) -> (y: f32[N]) {
  y[i] = 0  for i in 0..N
  y[i] = x[j] for i in 0..2, j in 0..i * i
}
elementary box(x: f32) -> (y: f32)
elementary copy(x: f32[S]) -> (y: f32[S]) {
  y[i] = x[i] for i in 0..S
}
task endless(a: f32[*]) -> (b: f32[*]) {
  repeat [*] of copy {
    x <- a at origin [0] paving [S] fitting [1]
    y -> b at origin [0] paving [S] fitting [1]
  }
}
task blocks(a: f32[N]) -> (b: f32[N]) {
  repeat [N / S] of copy {
    x <- a at origin [0] paving [S] fitting [1]
    y -> b at origin [0] paving [S] fitting [1]
  }
}
task around(a: f32[N]) -> (b: f32[N]) {
  repeat [N / S] of copy {
    x <- a at origin [1] paving [S] fitting [1] wrap
    y -> b at origin [0] paving [S] fitting [1]
  }
}
task both(a: f32[N]) -> (c: f32[N]) {
  b = blocks(a)
  c = around(b)
}
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("kernels.aol")
    path.write_text(KERNELS, encoding="utf-8")
    return path


def polyprod(*schedules: str, **more: object) -> TiledNest:
    request = NestRequest("polyprod", schedules or None, **{"statements": (2,), **more})  # type: ignore[arg-type]
    return open_nest(load_sound(SPECS / "polyprod.aol"), request)


def refusal(path: Path, *words: object, **more: object) -> str:
    with pytest.raises(ArrayolError) as refused:
        open_nest(load_sound(path), NestRequest(*words, **more))  # type: ignore[arg-type]
    return str(refused.value)


def test_what_a_nest_says_of_itself() -> None:
    nest = polyprod("N - j, i", tile=("b", "2 * 5"), symbols=("N",), strip_dims=2)
    assert (nest.sizes, nest.by_origin, nest.tile_names) == (("b", 10), (True, False), ("i0", "T"))
    assert (nest.symbols, dict(nest.values)) == (("N", "b"), {"N": 100})
    assert (nest.before, nest.after, nest.text) == ((1,), (), (("N - j", "i"),))
    assert [array.shape for array in nest.arrays.values()] == [(101,), (101,), (201,)]


def test_one_size_counts_for_every_dimension_and_consts_are_numbers() -> None:
    assert polyprod("N-j, i", tile=("N // 3",)).sizes == (33, 33)
    assert polyprod("N-j, i", tile=("N",), symbols=("N",)).sizes == ("N", "N")


def test_without_a_schedule_the_ranges_give_the_order() -> None:
    nest = open_nest(load_sound(SPECS / "fir.aol"), NestRequest("fir"))
    assert nest.text == (("n", "k"),)


def test_statements_may_be_named_in_any_order_and_the_rest_runs_around(kernels: Path) -> None:
    nest = open_nest(load_sound(kernels), NestRequest("chain", ("2 * t + 1", "2 * t"), ("2",), (3, 2)))
    assert [one.number for one in nest.statements] == [2, 3]
    assert nest.text == (("2 * t",), ("2 * t + 1",))
    assert (nest.before, nest.after) == ((1,), (4,))
    assert [one.number for one in open_program(load_sound(kernels), "chain").statements] == [1, 2, 3, 4]


def test_statements_of_one_time_run_in_the_order_of_the_text(kernels: Path) -> None:
    assert open_nest(load_sound(kernels), NestRequest("chain", ("t", "t"), ("2",), (2, 3))).sizes == (2,)
    assert refusal(kernels, "chain", ("t", "t + 1"), ("2",), (2, 3)) == (
        "error[schedule-breaks-dependence]: the schedule breaks a dependence: statement 3 at t = 1 must run before "
        "statement 2 at t = 2, since both touch z[1]\n  hint: reverse or skew a dimension, or exchange two of them"
    )


def test_exact_division_is_assumed_of_symbols(kernels: Path) -> None:
    nest = open_nest(load_sound(kernels), NestRequest("blocks", None, ("b",), symbols=("N",)))
    assert str(nest.context) == "[p_N, p_b] -> {  : (p_N) mod 4 = 0 and p_N >= 4 and p_b > 0 }"


ORDER = "reverse or skew a dimension, or exchange two of them"
LIST = 'write one affine expression of range variables per dimension, as in "N - j, i"'
SIZE = "write a number of iterations, as 10, or a name that stays symbolic"
REFUSED_SCHEDULES = [
    (
        "j, i",
        (
            "error[schedule-breaks-dependence]: the schedule breaks a dependence: statement 2 at (i, j) = (0, "
            "1) must run "
            "before statement 2 at (i, j) = (1, 0), since both touch c[1]"
        ),
        ORDER,
    ),
    (
        "i + j, 0",
        (
            "error[schedule-not-one-to-one]: the schedule is not one-to-one: statement 2 at (i, j) = (1, 0) "
            "and statement "
            "2 at (i, j) = (0, 1) run at the same time"
        ),
        "use every range variable: instances of one time would have no order",
    ),
    (
        "i, j",
        "error[tiles-out-of-order]: the tile (0, 0) needs the tile (0, 1), which runs after it",
        "reverse or skew a dimension of the schedule: tiles run in the order of their coordinates",
    ),
    ("N-j,, i", "error[bad-schedule]: 'N-j,, i' is not a schedule", LIST),
    ("", "error[bad-schedule]: '' is not a schedule", LIST),
    ("i] paving [1", "error[bad-schedule]: 'i] paving [1' is not a schedule", LIST),
    ("i, i * j", "error[bad-schedule]: 'i * j' in a schedule is not affine", None),
    ("i, 0.5 * j", "error[bad-schedule]: 'i, 0.5 * j' is not a schedule: '0.5 * j' is no integer", LIST),
    (
        "i, k",
        "error[bad-schedule]: 'i, k' is not a schedule: no port, range variable or const is named 'k'",
        "the range variables here are i, j",
    ),
]


@pytest.mark.parametrize(("schedule", "message", "hint"), REFUSED_SCHEDULES)
def test_refused_schedules(schedule: str, message: str, hint: str | None) -> None:
    hint = hint or "a schedule is made of range variables, consts, + and -, and multiplication by numbers"
    found = refusal(SPECS / "polyprod.aol", "polyprod", (schedule,), ("10",), (2,))
    assert found == f"{message}\n  hint: {hint}"


def test_witnesses_name_the_values_of_symbols() -> None:
    found = refusal(SPECS / "polyprod.aol", "polyprod", ("j, i",), ("10",), (2,), ("N",))
    assert "(0, 1) must run before statement 2 at (i, j) = (1, 0), since both touch c[1] (at N = 100)" in found


@pytest.mark.parametrize(
    ("tile", "message", "hint"),
    [
        (("0",), "a tile has at least one iteration along each dimension, not 0", SIZE),
        (("N - 101",), "a tile has at least one iteration along each dimension, not -1", SIZE),
        (("3 4",), "'3 4' is not a tile size", SIZE),
        (("1.5",), "'1.5' is not a tile size: it is no integer number", SIZE),
        (("b + 1",), "'b + 1' is not a tile size: no port, range variable or const is named 'b'", SIZE),
        (("i",), "'i' is a range variable, not a tile size", "choose another name"),
        (
            ("1", "2", "3"),
            "3 tile sizes, but the schedule has 2 dimensions",
            "give one size for all dimensions, or one for each",
        ),
    ],
)
def test_refused_tiles(tile: tuple[str, ...], message: str, hint: str) -> None:
    found = refusal(SPECS / "polyprod.aol", "polyprod", ("N-j, i",), tile, (2,))
    assert found == f"error[bad-tile]: {message}\n  hint: {hint}"


def test_first_accesses_need_numbers_as_sizes() -> None:
    with pytest.raises(ArrayolError, match="first accesses and last writes need tile sizes that are numbers"):
        traffic(polyprod("N-j, i", tile=("b",)), method="lexicographic")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"statements": (3,)},
            (
                "error[bad-statement]: 'polyprod' has no statement 3\n  hint: they count from 1 to 2 in the order of "
                "the text"
            ),
        ),
        (
            {"statements": (2, 2)},
            "error[bad-statement]: statement 2 is named twice\n  hint: a statement has one schedule",
        ),
        (
            {"statements": None},
            (
                "error[bad-schedule]: 2 statements of 'polyprod' to tile, and one schedule\n  hint: give one "
                "--schedule for "
                "each statement, in the order of the text, or choose some with --statement"
            ),
        ),
        (
            {"statements": None, "schedules": ("m", "N-j, i")},
            (
                "error[bad-schedule]: the schedules have different numbers of dimensions\n  hint: pad the "
                "shorter ones with "
                'numbers, as in "i, 0"'
            ),
        ),
        (
            {"strip_dims": 3},
            (
                "error[bad-strip]: a strip cannot run along 3 tile dimensions\n  hint: 1, or 2 where the "
                "schedule has that "
                "many dimensions"
            ),
        ),
        (
            {"symbols": ("n",)},
            "error[unknown-symbol]: there is no const 'n' to keep symbolic\n  hint: its consts are N, PAIRS",
        ),
    ],
)
def test_refused_requests(more: dict[str, object], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SPECS)
    found = refusal(Path("polyprod.aol"), "polyprod", **{"schedules": ("N-j, i",), "statements": (2,), **more})
    assert found.removeprefix("polyprod.aol: ") == message


CIRCLE = "skew the schedule until no dependence goes backwards in any dimension"


@pytest.mark.parametrize(
    ("component", "more", "message"),
    [
        (
            "chain",
            {"statements": (2,)},
            (
                "error[statements-apart]: statement 3 cannot run whole before or after the tiled ones: it "
                "needs some of their "
                "results, and statement 2 at t = 2 needs statement 3 at t = 1\n  hint: tile it with them: --statement "
                "3 and its own schedule"
            ),
        ),
        (
            "diamond",
            {"statements": (2,), "tile": ("2",)},
            (
                "error[tiles-in-circle]: the tiles (1, 0) and (1, 1) depend on each other: neither can run "
                "before the other; statement 2 at (i, j) = (3, 1) runs after statement 2 at (i, j) = (2, 2), since "
                "both touch y[2, 2], and dimension 2 of the schedule goes back between them\n"
                "  hint: add dimension 1 to dimension 2 of every schedule: no dependence goes back in it then"
            ),
        ),
        (
            "diamond",
            {"statements": (2,), "tile": ("b",)},
            (
                "error[tiles-in-circle]: tiles of any size could depend on each other: statement 2 at (i, j) = "
                "(2, 1) needs "
                "statement 2 at (i, j) = (1, 2), which comes later along dimension 2 of the schedule\n"
                f"  hint: {CIRCLE}, or give the size"
            ),
        ),
        (
            "hollow",
            {"statements": (2,)},
            "kernels.aol:17:12: error[empty-nest]: there is nothing to tile in 'hollow': its ranges are empty",
        ),
        (
            "odd",
            {"statements": (2,)},
            (
                "kernels.aol:23:3: error[endless-nest]: the ranges of statement 2 are not affine: nothing bounds its "
                "iterations"
            ),
        ),
        ("box", {}, "kernels.aol:25:12: error[no-nest]: 'box' is without a body: it has no loop nest to tile"),
        ("both", {}, "kernels.aol:47:6: error[no-nest]: 'both' is a composition of calls: it has no loop nest to tile"),
        (
            "endless",
            {},
            "kernels.aol:29:6: error[infinite-nest]: 'endless' repeats without end: a nest to tile is finite",
        ),
        (
            "blocks",
            {"symbols": ("R",)},
            "kernels.aol: error[not-symbolic]: const 'R' cannot stay symbolic: it is no integer",
        ),
        (
            "blocks",
            {"symbols": ("S",)},
            "kernels.aol:36:11: error[not-symbolic]: 'S' cannot stay symbolic: '/' is not defined on integer constants",
        ),
        (
            "endless",
            {"symbols": ("S",)},
            "kernels.aol:29:6: error[infinite-nest]: 'endless' repeats without end: a nest to tile is finite",
        ),
        (
            "around",
            {"symbols": ("N",)},
            "kernels.aol:41:20: error[not-symbolic]: 'N' cannot stay symbolic here: a tiler wraps around this extent",
        ),
    ],
)
def test_refused_components(kernels: Path, component: str, more: dict[str, object], message: str) -> None:
    found = refusal(kernels, component, **more)
    shown = [line for line in found.splitlines() if not line.lstrip()[:1].isdigit() and "^" not in line]
    assert "\n".join(shown if "hint" in message else shown[:1]) == message


def test_a_product_with_a_symbol_is_no_tiler(kernels: Path) -> None:
    text = KERNELS.replace("repeat [N / S]", "repeat [2]")
    kernels.write_text(text, encoding="utf-8")
    assert "'S' cannot stay symbolic here: it multiplies an index" in refusal(kernels, "blocks", symbols=("S",))


def test_questions_beyond_the_bound_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "EFFORT", 100)
    found = refusal(SPECS / "stencil2d.aol", "stencil2d", ("i, i + j",), ("8",), (2,))
    assert "error[nest-too-hard]: the sets of 'stencil2d' are too hard to compute exactly" in found


def test_large_moduli_are_given_up_where_isl_would_not_count(tmp_path: Path) -> None:
    path = tmp_path / "mix.aol"
    place = "b[(123 * k + 71 * l) % 1009, (17 * k + 501 * l) % 997]"
    path.write_text(
        "elementary mix(a: f32[1009, 997]) -> (b: f32[1009, 997]) {\n"
        f"  {place} = a[k, l]  for k in 0..1009, l in 0..997\n}}\n",
        encoding="utf-8",
    )
    nest = open_nest(load_sound(path), NestRequest("mix"))
    assert traffic(nest).exact == {"a": True, "b": True}
    for more in ({"simplify": True}, {"method": "lexicographic"}):
        with pytest.raises(ArrayolError, match="too hard to compute exactly"):
            traffic(nest, **more)  # type: ignore[arg-type]
