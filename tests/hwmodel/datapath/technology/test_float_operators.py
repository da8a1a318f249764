"""The circuits whose measurements stand in the table of the ECP5: simulated, they equal NumPy bit for bit."""

import json
import shutil

import float_operators
import pytest
from floats.catalogue import STEP, entries, variants
from floats.rows import shown, written

from hwmodel.datapath.numbers import Number
from hwmodel.emit.verilog.datapaths.floats.formats import F32, F64
from hwmodel.emit.verilog.datapaths.floats.netlist import COMBINATIONAL, Circuit
from hwmodel.emit.verilog.datapaths.floats.operators import FloatOperator, circuit_of

MEASURED = json.loads(float_operators.MEASURED.read_text(encoding="utf-8"))
ENTRIES = {entry.name: entry for entry in (*entries(), *variants()) if not (entry.form is F32 and entry.steps)}
PIPELINED = ["add.f32", "mul.f32", "div.f32", "sqrt.f32", "min.f32", "max.f32", "cvt.i.f32.32", "mul.f64"]
PIPELINED += ["exp.f32", "log.f32"]
simulated = pytest.mark.skipif(not shutil.which("iverilog"), reason="Icarus Verilog is not installed")


def test_the_table_and_the_page_have_what_was_measured() -> None:
    """As `float_operators.py rows` writes them."""
    table, page = (path.read_text(encoding="utf-8") for path in (float_operators.TABLE, float_operators.PAGE))
    assert written(table, MEASURED) == table
    assert shown(page, MEASURED) == page


def test_what_was_measured_is_what_is_printed_now() -> None:
    """A circuit of each row has as many stages as the row says, cut for the same period."""
    for name, rows in MEASURED.items():
        for row in rows:
            circuit = ENTRIES[name].circuit(row["period"], row["steps"])
            assert (circuit.cycles, circuit.every) == (row["cycles"], row["every"]), (name, row)


@simulated
@pytest.mark.parametrize("name", [name for name in ENTRIES if not name.startswith(("div.f64", "sqrt.f64"))])
def test_uncut_they_equal_numpy(name: str) -> None:
    entry = ENTRIES[name]
    vectors, wrong = float_operators.mistakes(entry, entry.circuit(COMBINATIONAL), 300, edges=10)
    assert vectors > 100
    assert wrong == 0


@simulated
@pytest.mark.parametrize("period", [20.0, 7.0])
@pytest.mark.parametrize("name", PIPELINED)
def test_cut_they_equal_numpy(name: str, period: float) -> None:
    entry = ENTRIES[name]
    assert float_operators.mistakes(entry, entry.circuit(period), 300, edges=10)[1] == 0


@simulated
@pytest.mark.parametrize("steps", [1, 2, 3])
@pytest.mark.parametrize("name", ["div", "sqrt"])
@pytest.mark.parametrize("form", [F32, F64])
def test_digit_by_digit_they_equal_numpy(form, name: str, steps: int) -> None:
    entry = ENTRIES[f"{name}.{form.name}"]
    circuit = entry.circuit(STEP * steps, steps)
    assert circuit.every > form.digits // steps
    assert float_operators.mistakes(entry, circuit, 60, edges=4)[1] == 0


@pytest.mark.parametrize("operator", ["add", "mul", "div", "sqrt", "lt", "fpos0", "cvt"])
def test_a_datapath_gets_the_stages_that_it_asks_for(operator: str) -> None:
    """Those that were measured are the circuits that were; the result is left to a register of the datapath."""
    single, whole = Number("float", 32), Number("signed", 16)
    own = FloatOperator(operator, single, whole if operator == "cvt" else single)
    for stages in (1, 2, 3, 5, 9):
        circuit = circuit_of(own, stages)
        assert (circuit.cycles, circuit.registered) == (stages, False)
        assert circuit.verilog().startswith(f"module {own.module(stages)}(input clk, ")
    for row in MEASURED.get(f"{operator}.f32", []):
        if row["every"] == 1 and row["cycles"] > 1:
            assert circuit_of(own, row["cycles"]).period == row["period"]


def test_cuts_follow_the_period() -> None:
    """Three steps of 3 ns: in one stage of 9 ns, in two of 6, in three of 3; a value that waits takes a register."""
    cycles = []
    for period in (9.0, 6.0, 3.0):
        circuit = Circuit("op", period)
        value = operand = circuit.operand("a", 4)
        for _ in range(3):
            value = circuit.let(4, "{0} + {1}", value, operand, ns=3.0)
        circuit.result(value)
        cycles.append(circuit.cycles)
        assert circuit.verilog().count("reg [") == {1: 1, 2: 3, 3: 5}[circuit.cycles]
    assert cycles == [1, 2, 3]


def test_a_step_must_fit_a_cycle() -> None:
    circuit = Circuit("op", 5.0)
    start = circuit.let(4, "{0}", circuit.operand("a", 4))

    def step(into, state):
        return [into.let(4, "{0} + 1", into.let(4, "{0} + 1", state[0], ns=3.0), ns=3.0)]

    with pytest.raises(ValueError, match="a step takes more than a cycle"):
        circuit.iterate(4, [start], step)
