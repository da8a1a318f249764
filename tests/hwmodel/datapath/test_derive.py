"""Derived datapaths: worked examples by hand, what is refused, and what a remark says.

The examples are those on which the derivation was designed. At interval 1 their operators, depth, recurrence and LUT
are the design's. Differences: registers of operands are counted; operands come ceil(p / I) a cycle from the start on
and results leave ceil(k / I) a cycle at the end, so folded bodies hold more and some take longer; ECP5 is scheduled for
1.1 times the clock, so conv3x3 at 100 MHz has depth 3, not 2.
"""

import pytest

from arrayol import api
from hwmodel.datapath.derive import derivation_of
from hwmodel.datapath.technology.rows import Operators, rows_of
from hwmodel.datapath.technology.technology import load_technology

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
        # The design: 1074 LUT with two multiplexers, 458 FF. The operands wait (384), so do the results (384).
        ("0.5", "ecp5-6", 100, 4, {"add.f32": 1, "fscale.f32": 2}, (35, 31, 35), {"lut": 1042, "ff": 1226, "dsp": 0}),
        # 11084 LUT, 3968 FF and 160 of the operands.
        ("0.4", "ecp5-6", 50, 1, {"add.f32": 4, "mulc.f32": 8}, (24, 23, 24), {"lut": 11084, "ff": 4128, "dsp": 32}),
        ("0.4", "ecp5-6", 50, 4, {"add.f32": 1, "mulc.f32": 2}, (25, 21, 25), {"lut": 2808, "ff": 994, "dsp": 8}),
    ],
)
def test_the_filter_of_lpsf(half, technology, clock, interval, units, figures, cost):
    derived = _derived("specs/lpsf.aol", "smooth", technology, clock, interval, DELAYS, A=half)
    assert _units(derived) == units
    assert (derived.depth, derived.latency, derived.recurrence["last", "prev"]) == figures
    assert derived.cost == cost
