"""Derived datapaths: worked examples by hand, what is refused, and what a remark says.

The examples are those on which the derivation was designed. At interval 1 their operators, depth, recurrence and LUT
are the design's. Differences: registers of operands are counted; operands come ceil(p / I) a cycle from the start on
and results leave ceil(k / I) a cycle at the end, so folded bodies hold more and some take longer; ECP5 is scheduled for
1.1 times the clock, so conv3x3 at 100 MHz has depth 3, not 2.
"""

import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from hwmodel.datapath.derive import LONGEST, derivation_of
from hwmodel.datapath.technology.rows import Operators, rows_of
from hwmodel.datapath.technology.technology import load_technology

BODIES = """
elementary fdot64(x: f32[64], w: f32[64]) -> (y: f32) {
  y += x[i] * w[i]  for i in 0..64
}
elementary dot16(x: i16[16], w: i16[16]) -> (y: i32) {
  y += i32(x[i]) * w[i]  for i in 0..16
}
elementary roots(x: f32[4]) -> (y: f32[4]) {
  y[i] = sqrt(x[i])  for i in 0..4
}
elementary smallest(x: f32[2]) -> (y: f32) {
  y = min(x[0], x[1]) + sqrt(x[0])
}
elementary box(a: u8) -> (b: u8)
elementary called(a: u8) -> (b: u8) extern "pkg.module:function"
"""
DELAYS = frozenset({("last", "prev")})

# Floats as they were when the examples were worked out; those of the shipped table are faster (docs/technologies.md).
_PRODUCTS = [
    {"max_mhz": 51, "cycles": 3, "lut": 992, "ff": 135, "dsp": 4, "pj": 26},
    {"max_mhz": 59, "cycles": 5, "lut": 943, "ff": 286, "dsp": 4, "pj": 26},
]
_FLOATS = {
    "add.f32": [
        {"max_mhz": 51, "cycles": 3, "lut": 787, "ff": 146, "pj": 13},
        {"max_mhz": 110, "cycles": 7, "lut": 827, "ff": 328, "pj": 13},
    ],
    "mul.f32": _PRODUCTS,
    "mulc.f32": _PRODUCTS,
    "fscale.f32": {"ns": 4.3, "lut": 89, "pj": 0.7},
}
DESIGNED = Operators({name: rows_of(name, rows)[0] for name, rows in _FLOATS.items()})


def _technology(name):
    technology = load_technology(name)
    return technology.overridden(DESIGNED) if name == "ecp5-6" else technology


def _derived(spec, name, technology, clock, interval, delays=frozenset(), **settings):
    elementary = api.load(spec, settings).elementaries[name]
    return derivation_of(elementary, _technology(technology), clock, delays).at(interval)


def _units(derived):
    return {use.name: use.units for use in derived.operators}


@pytest.mark.parametrize(
    ("half", "technology", "clock", "interval", "units", "figures", "cost"),
    [
        # The design: 4020 LUT, 4640 FF without the 5 x 32 of the operands.
        ("0.5", "ecp5-6", 100, 1, {"add.f32": 4, "fscale.f32": 8}, (32, 31, 32), {"lut": 4020, "ff": 4800, "dsp": 0}),
        # The design: 35, 1074 LUT with two multiplexers, 458 FF. Operands wait (384), so do results (384); chosen: 64.
        ("0.5", "ecp5-6", 100, 4, {"add.f32": 1, "fscale.f32": 2}, (36, 32, 36), {"lut": 1042, "ff": 1290, "dsp": 0}),
        # 11084 LUT, 3968 FF and 160 of the operands.
        ("0.4", "ecp5-6", 50, 1, {"add.f32": 4, "mulc.f32": 8}, (24, 23, 24), {"lut": 11084, "ff": 4128, "dsp": 32}),
        # Not in the design: a cycle more for each of eight whose operands are chosen, and registers for these.
        ("0.4", "ecp5-6", 50, 4, {"add.f32": 1, "mulc.f32": 2}, (35, 31, 35), {"lut": 2808, "ff": 1442, "dsp": 8}),
    ],
)
def test_the_filter_of_lpsf(half, technology, clock, interval, units, figures, cost):
    derived = _derived("specs/lpsf.aol", "smooth", technology, clock, interval, DELAYS, A=half)
    assert _units(derived) == units
    assert (derived.depth, derived.latency, derived.recurrence["last", "prev"]) == figures
    assert derived.cost == cost


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    path = tmp_path_factory.mktemp("bodies") / "bodies.aol"
    path.write_text(BODIES)
    return path


@pytest.mark.parametrize(
    ("name", "clock", "interval", "units", "cycles", "cost"),
    [
        # The design has 205,326 FF without the 128 words of the operands, and those in front of the chain's `fpos0`.
        ("fdot64", 50, 1, {"mul.f32": 64, "fpos0.f32": 1, "add.f32": 63}, (193, 192), (113082, 211470, 256)),
        # 1851 LUT, with a multiplexer of an accumulator that starts from `fpos0`, for which each sum takes a cycle more
        # than in the design; 1375 FF with operands read late.
        ("fdot64", 50, 64, {"mul.f32": 1, "fpos0.f32": 1, "add.f32": 1}, (259, 195), (1852, 3423, 4)),
        # 555 LUT, 800 FF at depth 2 without the margin; at I = 16 written by hand and synthesised 71 LUT for 80 here.
        ("dot16", 100, 1, {"mul": 16, "add": 15}, (3, 2), (540, 1120, 16)),
        ("dot16", 100, 16, {"mul": 1, "add": 1}, (17, 1), (80, 100, 1)),
    ],
)
def test_sums_of_products(bodies, name, clock, interval, units, cycles, cost):
    derived = _derived(bodies, name, "ecp5-6", clock, interval)
    assert _units(derived) == units
    assert (derived.depth, derived.latency) == cycles
    assert tuple(derived.cost.values()) == cost


@pytest.mark.parametrize(
    ("spec", "name", "interval", "units", "depth", "cost"),
    [
        ("harris", "box", 1, {"add": 8}, 2, (288, 384, 0)),  # the design's 96 FF, and 288 of nine operands
        ("harris", "box", 8, {"add": 1}, 8, (76, 163, 0)),  # its chain: one adder and one multiplexer
        ("conv3x3", "convolve", 1, {"mul": 9, "add": 8}, 3, (244, 513, 9)),  # depth 2 without the margin
        # The design reads its operands as late as it needs them: 10 cycles. The weights come in the other order.
        ("conv3x3", "convolve", 9, {"mul": 1, "add": 1}, 17, (66, 248, 1)),
        ("demosaic", "cell", 1, {"add": 13}, 1, (182, 210, 0)),  # measured 184 LUT, 208 FF
    ],
)
def test_windows_of_images(spec, name, interval, units, depth, cost):
    derived = _derived(f"specs/{spec}.aol", name, "ecp5-6", 100, interval)
    assert _units(derived) == units
    assert derived.depth == depth
    assert tuple(derived.cost.values()) == cost


@pytest.mark.parametrize(("clock", "cycles", "ff"), [(95, 4, 183), (100, 5, 235), (130, 7, 372), (158, 8, 367)])
def test_what_a_shared_pipeline_takes_is_chosen_in_a_cycle_of_its_own(tmp_path, clock, cycles, ff):
    body = "elementary two(a: f32, b: f32, c: f32, d: f32) -> (x: f32, y: f32) {\n  x = a + b\n  y = c + d\n}\n"
    (tmp_path / "two.aol").write_text(body)
    elementary = api.load(tmp_path / "two.aol").elementaries["two"]
    (use,) = derivation_of(elementary, load_technology("ecp5-6"), clock).at(2).operators
    assert (use.units, use.muxes, use.cycles, use.cost["ff"]) == (1, 2, cycles + 1, ff + 2 * 32)


@pytest.mark.parametrize(("technology", "alone", "shared"), [("ecp5-6", 5, 6), ("ecp5-6-whole", 6, 7)])
def test_in_a_whole_design_measured_rows_need_the_margin(technology, alone, shared):
    """Products of f32 at 100 MHz: rows of 105 and 119 MHz, and a cycle to choose among operands."""
    for interval, cycles in ((1, alone), (2, shared)):
        uses = _derived_as_shipped("specs/harris.aol", "score", technology, interval).operators
        assert next(use.cycles for use in uses if use.name == "mul.f32") == cycles


def _derived_as_shipped(spec, name, technology, interval):
    return derivation_of(api.load(spec).elementaries[name], load_technology(technology), 100).at(interval)


@pytest.mark.parametrize(("interval", "units", "recurrence"), [(1, (8, 4), 8), (4, (2, 1), 9)])
def test_cells_of_45_nm(interval, units, recurrence):
    """The design: 78,336 and 19,584 um2 without registers, multiplexers and control; R 8 and 9."""
    derived = _derived("specs/lpsf.aol", "smooth", "asic45", 400, interval, DELAYS, A="0.4")
    assert tuple(use.units for use in derived.operators) == units
    assert derived.recurrence["last", "prev"] == recurrence
    assert sum(use.cost["area"] for use in derived.operators) == units[0] * 7700 + units[1] * 4184
    assert derived.cost["area"] > sum(use.cost["area"] for use in derived.operators) + 6 * derived.registers - 1


def test_energy_is_operations_and_bits_times_cycles():
    """156 pJ at interval 1: 56 of operations, and of registers 104 words, here with the five of the operands."""
    derived = _derived("specs/lpsf.aol", "smooth", "ecp5-6", 100, 1, DELAYS)
    assert derived.energy_operators_pj == pytest.approx(4 * 13 + 8 * 0.7)
    assert derived.energy_registers_pj == pytest.approx(109 * 32 * 0.03)
    folded = _derived("specs/lpsf.aol", "smooth", "ecp5-6", 100, 4, DELAYS)
    assert folded.energy_operators_pj == derived.energy_operators_pj
    assert folded.energy_pj == folded.energy_operators_pj + folded.energy_registers_pj


def _derivation(bodies, name, technology="ecp5-6", clock=50):
    return derivation_of(api.load(bodies).elementaries[name], _technology(technology), clock)


def test_intervals_worth_trying(bodies):
    assert _derivation(bodies, "dot16").intervals == (1, 2, 3, 4, 5, 6, 8, 15, 16)
    assert _derivation(bodies, "fdot64").intervals == (1, 2, 5, 13, 32, 64)  # of 128 operations not all


def test_an_operator_that_is_busy_sets_the_least_interval(bodies):
    rows, _ = rows_of("sqrt.f32", {"cycles": 9, "every": 5, "lut": 500})
    technology = _technology("ecp5-6").overridden(Operators({"sqrt.f32": rows}))
    derivation = derivation_of(api.load(bodies).elementaries["roots"], technology, 50)
    assert derivation.intervals == (5, 10, 20)
    assert [derivation.at(interval).operators[0].units for interval in (5, 9, 10, 14, 20)] == [4, 4, 2, 2, 1]
    with pytest.raises(ArrayolError) as refused:
        derivation.at(4)
    assert str(refused.value) == (
        "error[interval-too-short]: 'roots' cannot start a repetition every 4 cycles: 'sqrt.f32' is busy for 5 cycles\n"
        "  hint: its least interval is 5"
    )


def test_an_interval_beyond_all_sense_is_that_of_the_longest(bodies):
    derivation = _derivation(bodies, "dot16")
    assert derivation.at(10**9).cost == derivation.at(LONGEST).cost
    assert derivation.at(10**9).operators[0].units == 1


def test_a_sum_of_floats_that_is_mostly_registers_is_told(bodies):
    derivation = _derivation(bodies, "fdot64")
    assert derivation.at(1).remark == (
        "'fdot64' at interval 1 is mostly registers, 193,632 bits: its floats are added in a chain of 193 cycles"
    )
    assert derivation.at(64).remark is None
    assert _derivation(bodies, "dot16").at(1).remark is None


def test_what_a_technology_lacks_is_told_with_its_places(bodies, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[path]\nns = 1\n[operators]\n"add.f32" = { max_mhz = 30, ns = 9 }\n')
    elementary = api.load(bodies).elementaries["smallest"]
    with pytest.raises(ArrayolError) as refused:
        derivation_of(elementary, load_technology(own), 50)
    assert [(told.code, told.message, told.span.place[1]) for told in refused.value.diagnostics] == [
        ("missing-operator", "technology 'own' has no 'min' of f32, which 'smallest' uses", 12),
        ("operator-too-slow", "'add.f32' of technology 'own' reaches 30 MHz, and 'smallest' needs it at 50 MHz", 12),
        ("missing-operator", "technology 'own' has no 'sqrt' of f32, which 'smallest' uses", 12),
    ]


def test_a_clock_that_leaves_no_room_is_refused(bodies):
    with pytest.raises(ArrayolError) as refused:
        _derivation(bodies, "dot16", clock=900)
    assert refused.value.diagnostics[0].message == (
        "technology 'ecp5-6' reaches 882.613 MHz, and 'dot16' needs it at 900 MHz"
    )


@pytest.mark.parametrize(("name", "what"), [("box", "is a black box"), ("called", "calls Python")])
def test_without_a_body_nothing_is_derived(bodies, name, what):
    with pytest.raises(ArrayolError) as refused:
        _derivation(bodies, name)
    (told,) = refused.value.diagnostics
    assert (told.code, told.message) == ("no-body", f"'{name}' {what}: no datapath can be derived from a body")


def test_a_body_that_is_too_large_is_refused_before_it_is_unrolled():
    with pytest.raises(ArrayolError, match="graph-too-large"):
        _derived("specs/matmul.aol", "matmul", "ecp5-6", 50, 1)


def test_derivations_are_remembered(bodies):
    assert _derivation(bodies, "dot16") is _derivation(bodies, "dot16")
    assert _derivation(bodies, "dot16").at(4) is _derivation(bodies, "dot16").at(4)
