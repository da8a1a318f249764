"""Technology tables: what is shipped, which row a clock takes, and every mistake with its place."""

import pytest
from schemas import fits

from arrayol.errors import ArrayolError
from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.technology.rows import COSTS, OPERATORS, Operators, rows_of
from hwmodel.datapath.technology.technology import load_technology, shipped_technologies


def _integer(operator, bits, k=0):
    return Operation(operator, bits, bits, bits, bits, k)


def _written(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text)
    return path


def test_four_technologies_are_shipped():
    assert shipped_technologies() == ("asic45", "ecp5-6", "ecp5-6-whole", "series7")


@pytest.mark.parametrize("name", shipped_technologies())
def test_every_formula_of_a_shipped_table_has_a_value_at_every_width(name):
    technology = load_technology(name)
    assert technology.table.title
    assert technology.table.source
    for operator, rows in technology.table.operators.rows.items():
        for bits in (1, 2, 8, 17, 32, 64, 100):
            for row in rows:
                price = technology.price(_integer(operator, bits, 3), row)
                assert price.ns > 0 or price.cycles > 0 or operator in {"not", "shl", "shr"}
    assert all(technology.mux_in(8, sources)[1] for sources in range(2, 70))
    assert technology.control(4)
    assert technology.control(1) == {}
    assert {"pj", "leakage"} <= set(technology.table.estimates)


@pytest.mark.parametrize("name", shipped_technologies())
def test_shipped_tables_price_what_they_cost(name):
    technology = load_technology(name)
    assert set(technology.leakage_mw) <= set(technology.costs) | {"bit"}
    assert technology.register_pj > 0
    assert set(technology.register_cost) <= set(COSTS)
    assert technology.local_pj_per_bit(65536) == pytest.approx(0.156)
    assert technology.external_pj_per_bit == 20
    assert technology.memory_kinds
    assert all(kind.source for kind in technology.memory_kinds)


@pytest.mark.parametrize(("bits", "picojoule"), [(8 << 13, 10), (32 << 13, 20), (1 << 23, 100)])
def test_local_energy_is_a_fit_through_the_sources_three_memories(bits, picojoule):
    """64 bits of an 8 KB, 32 KB and 1 MB memory; the page says 2 % off for the first and last."""
    assert load_technology("asic45").local_pj_per_bit(bits) * 64 == pytest.approx(picojoule, rel=0.04)


@pytest.mark.parametrize("name", shipped_technologies())
def test_the_first_row_that_reaches_the_clock_counts(name):
    """Measured rows are compared with the clock itself; with the margin where they are of whole designs."""
    technology = load_technology(name)
    asked = technology.target_mhz(1.0)
    assert asked == (1.1 if name == "ecp5-6-whole" else 1)
    for operator, rows in technology.table.operators.rows.items():
        if all(row.max_mhz is not None for row in rows):
            for row in rows:
                assert technology.row(operator, (row.max_mhz - 1e-9) / asked) is row
            assert technology.row(operator, (rows[-1].max_mhz + 0.1) / asked) is None


def test_the_margin_takes_from_a_cycle():
    technology = load_technology("ecp5-6")
    assert technology.room_ns(100) == pytest.approx(1000 / 110 - 1.03)
    assert technology.room_ns(technology.most_mhz) == pytest.approx(0)


def test_control_of_a_folded_datapath():
    """2 ceil(log2 I) + I div 4 LUT and ceil(log2 I) FF."""
    technology = load_technology("ecp5-6")
    for interval in range(2, 70):
        bits = (interval - 1).bit_length()
        assert technology.control(interval) == {"lut": 2 * bits + interval // 4, "ff": bits}


def test_the_weight_of_costs():
    assert load_technology("ecp5-6").weight({"lut": 10, "ff": 6, "dsp": 2}) == 10 + 3 + 400
    assert load_technology("asic45").weight({"area": 70}) == 70


def test_single_rows_are_overridden():
    shipped = load_technology("ecp5-6")
    rows, broken = rows_of("add", {"ns": 2, "lut": "w"})
    assert not broken
    own = shipped.overridden(Operators({"add": rows}))
    assert own.price(_integer("add", 9), own.row("add", 100)).cost == {"lut": 9}
    assert own.rows("sub") == shipped.rows("sub")
    assert own.mux_in(8, 4) == shipped.mux_in(8, 4)
    assert own != shipped
    assert own == shipped.overridden(Operators({"add": rows}))
    assert shipped.overridden(Operators({})) is shipped


def test_a_technology_of_a_file(tmp_path):
    path = _written(tmp_path, '[path]\nns = 1\n[operators]\nadd = { ns = "0.1*w", lut = "w", pj = 2 }\n')
    technology = load_technology(str(path))
    assert technology.name == "own"
    price = technology.price(_integer("add", 20), technology.row("add", 10))
    assert (price.ns, dict(price.cost), price.pj) == (2.0, {"lut": 20.0}, 2.0)
    assert technology.room_ns(100) == 9  # the margin is 1 where none is given
    assert technology.register_cost == {"ff": 1}
    assert not technology.is_estimate("pj")
    assert technology.mux_in(8, 4) == (0.0, {})


def test_an_unknown_technology_is_told_the_nearest():
    with pytest.raises(ArrayolError) as wrong:
        load_technology("ecp5")
    assert str(wrong.value) == (
        "error[unknown-technology]: there is no technology 'ecp5'\n"
        "  hint: did you mean 'ecp5-6'? shipped are asic45, ecp5-6, ecp5-6-whole and series7; "
        "a file is named as ./ecp5.toml"
    )


def test_a_formula_without_a_value_is_told(tmp_path):
    path = _written(tmp_path, '[path]\nns = 1\n[operators]\nadd = { ns = "log2(w - 8)" }\n')
    technology = load_technology(path)
    with pytest.raises(ArrayolError) as wrong:
        technology.price(_integer("add", 8), technology.row("add", 10))
    assert str(wrong.value) == ("error[bad-formula]: 'add' of technology 'own': 'log2(w - 8)' has no value for w = 8")


_KNOWN = "known are w, a, b, n, k, inputs, bits, adders, adder_bits, luts, chain, ceil, log2, sqrt, min and max"
_MISTAKES = [
    ('[path]\nns = 1\nregster = 2', "unknown-key", "unknown key 'path.regster'"),
    ('[path]\nns = "fast"', "bad-value", "'path.ns' is fast; it must be a number of nanoseconds, 0 or more"),
    ('[path]\nns = 1\nmargin = 0.5', "bad-value", "'path.margin' is 0.5; it must be a number, 1 or more"),
    ('estimates = ["pj"]', "missing-key", "'path' is missing"),
    ('estimates = ["speed"]\n[path]\nns = 1', "bad-value",
     "'estimates' is [\"speed\"]; it must be a list of ns, lut, ff, dsp, area, pj or leakage"),
    ('[path]\nns = 1\n[operators]\nadd = { ns = "1 + q" }', "bad-value",
     f"'operators.add.ns' is no formula: there is no 'q' in formulas, as in '1 + q'; {_KNOWN}"),
    ('[path]\nns = 1\n[operators]\nadd = { lut = 2 }', "missing-key",
     "a row of 'operators.add' has neither 'ns' nor 'cycles'"),
    ('[path]\nns = 1\n[operators]\nadd = []', "bad-value", "'operators.add' is an empty list"),
    ('[path]\nns = 1\n[operators]\nadd = [3]', "bad-value", "'operators.add' is no table"),
    ('[path]\nns = 1\n[operators]\nadd = { ns = 1, luts = 2 }', "unknown-key", "unknown key 'operators.add.luts'"),
    ('[path]\nns = 1\n[operators]\nadd = { cycles = 0 }', "bad-value",
     "'operators.add.cycles' is 0; it must be a whole number of cycles, 1 or more"),
    ('[path]\nns = 1\n[operators]\n"add.f16" = { ns = 1 }', "unknown-key", "there is no operator 'add.f16'"),
    ('[path]\nns = 1\n[operators]\nplus = { ns = 1 }', "unknown-key", "there is no operator 'plus'"),
    ('[path]\nns = 1\n[operators]\nmux_in = { every = 1 }', "unknown-key", "unknown key 'operators.mux_in.every'"),
    ('[path]\nns = 1\n[memory.local]\npj_per_bit = "2 *"', "bad-value",
     "'memory.local.pj_per_bit' is no formula: a number, a variable or '(' is missing at the end of '2 *'"),
    ('[path]\nns = 1\n[[memory.local.kind]]\nshapes = [[1, 2]]', "missing-key",
     "'memory.local.kind.name' is missing"),
    ('[path]\nns = 1\n[[memory.local.kind]]\nname = "ram"\nshapes = [[1]]', "bad-value",
     "'memory.local.kind.shapes' is [[1]]; it must be a list of [words, bits], as [[512, 36], [1024, 18]]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message"), _MISTAKES)
def test_mistakes_of_a_table(tmp_path, text, code, message):
    with pytest.raises(ArrayolError) as wrong:
        load_technology(_written(tmp_path, text))
    (told,) = wrong.value.diagnostics
    assert (told.code, told.message) == (code, message)
    assert told.span is not None or code == "missing-key"
    assert fits("technology", text) == ("is no formula" in message)


def test_operators_have_names_of_the_language_of_graphs():
    assert "add" in OPERATORS
    assert "mux_in" not in OPERATORS
