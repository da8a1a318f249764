"""Which datapaths a task is offered, and where each of their figures is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from networks import NOWHERE

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Process
from arrayol.ir.spec import Delay, Elementary, Port
from arrayol.ir.types import ElementType
from hwmodel.datapath.choices import DatapathChoices, Ground
from hwmodel.datapath.entry import ElementaryEntry, Measured

LOCAL = 7
FIGURES = ("latency", "cost", "energy_pj", "recurrence")


@dataclass(frozen=True)
class Derived:
    """What a technology would say: figures that tell their interval."""

    latency: int
    recurrence: Mapping[tuple[str, str], int]
    through_memory: Mapping[tuple[str, str], int]
    cost: Mapping[str, float]
    energy_operators_pj: float
    energy_registers_pj: float
    estimated: bool = False
    built_in: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Derivation:
    """Two intervals worth trying; any from 2 on can be built."""

    intervals: tuple[int, ...] = (2, 6)

    def at(self, interval: int) -> Derived:
        if interval < 2:
            raise error("operator-too-slow", "one is not enough")
        costs = {"lut": 100.0 + interval, "ff": 200.0 + interval}
        return Derived(
            10 + interval, {("y", "p"): 20 + interval}, {("y", "p"): 25 + interval}, costs, 30.0 + interval, 0.5
        )

    def within(self, interval: int, latency: int) -> Derived | None:
        return self.at(interval) if interval > 1 and latency > 0 else None


@dataclass
class Technology:
    """Counts how often it is asked."""

    asked: int = 0
    derivation: Derivation = field(default_factory=Derivation)

    def __call__(self, _: Elementary, delays: frozenset[tuple[str, str]]) -> Derivation:
        assert delays == {("y", "p")}
        self.asked += 1
        return self.derivation


def _port(name: str, *shape: int) -> Port:
    return Port(name, ElementType.U8, shape, NOWHERE)


ELEMENTARY = Elementary("e", (_port("x"), _port("p")), (_port("y", 3),), (), None, NOWHERE)
DELAY = Delay("p", "y", (1,), 0, True, NOWHERE)


def _process(elementary: Elementary | None = ELEMENTARY, *, delayed: bool = True) -> Process:
    ports = ELEMENTARY.inputs, ELEMENTARY.outputs
    return Process("t", "t", "e", (4,), (), (), (DELAY,) if delayed else (), *ports, 0, elementary)


def _choices(
    entry: ElementaryEntry, *, derived: bool = False, assumed: bool = False, process: Process | None = None
) -> DatapathChoices:
    return DatapathChoices(process or _process(), entry, Ground(Technology() if derived else None, LOCAL, assumed))


_MEASUREMENTS = st.builds(
    lambda interval, parts: Measured.model_validate({"interval": interval, **parts}),
    st.integers(2, 7),
    st.fixed_dictionaries(
        {},
        optional={
            "latency": st.just(1001),
            "cost": st.sampled_from([{"lut": 1002}, {"dsp": 1003}]),
            "energy_pj": st.just(1004),
            "recurrence": st.sampled_from([1005, {"p": 1006}, {"q": 1007}]),
        },
    ),
)
_ENTRIES = st.builds(
    lambda parts, measured: ElementaryEntry.model_validate(
        {**parts, "measured": list({one.interval: one for one in measured}.values())}
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "initiation_interval": st.integers(2, 3),
            "interval": st.sampled_from([4, [2], [5, 2], [3, 9]]),
            "latency": st.just(51),
            "cost": st.sampled_from([{"lut": 52}, {"dsp": 53}, {"lut": 52, "ff": 54}]),
            "energy_pj": st.just(55),
            "recurrence": st.sampled_from([56, {"p": 57}, {"q": 58}]),
        },
    ),
    st.lists(_MEASUREMENTS, max_size=2),
)


def _expected_intervals(entry: ElementaryEntry, *, derived: bool, assumed: bool) -> tuple[int, ...]:
    if entry.measured or entry.interval:
        return tuple(sorted({*[one.interval for one in entry.measured], *(entry.interval or ())}))
    if entry.initiation_interval:
        return (3 * entry.initiation_interval,)
    return (2, 6) if derived else (3,) if assumed else ()


@given(_ENTRIES, st.booleans(), st.booleans())
def test_each_figure_is_from_the_first_that_says_it(entry: ElementaryEntry, derived: bool, assumed: bool) -> None:
    intervals = _expected_intervals(entry, derived=derived, assumed=assumed)
    choices = _choices(entry, derived=derived, assumed=assumed)
    if not intervals:
        with pytest.raises(ArrayolError) as caught:
            _ = choices.intervals
        assert caught.value.diagnostics[0].code == "no-datapath"
        return
    assert choices.intervals == intervals
    for interval in intervals:
        path = choices.at(interval)
        assert path.interval == interval
        measured = [one for one in entry.measured if one.interval == interval]
        sources = [("measured", measured[0])] if measured else []
        sources.append(("given", entry))
        _check_plain(path, sources, derived)
        _check_costs(path, sources, derived)
        _check_recurrence(path, sources, derived)


def _check_plain(path, sources, derived) -> None:
    for figure in ("latency", "energy_pj"):
        value, origin = next(
            ((getattr(part, figure), origin) for origin, part in sources if getattr(part, figure) is not None),
            (None, None),
        )
        if origin is None and derived:
            by_body = {"latency": 10 + path.interval + LOCAL, "energy_pj": 30.5 + path.interval}
            value, origin = by_body[figure], "derived"
        if origin is None and figure == "latency":
            value, origin = 0, "assumed"
        assert (getattr(path, figure), path.origins.get(figure)) == (value, origin)
    assert path.register_pj == (0.5 if path.origins.get("energy_pj") == "derived" else 0)


def _check_costs(path, sources, derived) -> None:
    amounts = [(origin, part.cost) for origin, part in sources]
    if derived:
        amounts.append(("derived", {"lut": 100 + path.interval, "ff": 200 + path.interval}))
    for name in ("lut", "ff", "dsp"):
        found = [(cost[name], origin) for origin, cost in amounts if name in cost]
        assert (name in path.cost) == bool(found)
        if found:
            assert (path.cost[name], path.origins[f"cost.{name}"]) == found[0]


def _check_recurrence(path, sources, derived) -> None:
    found = []
    for origin, part in sources:
        wait = part.recurrence
        cycles = wait.get("p") if isinstance(wait, Mapping) else wait
        if cycles is not None:
            found.append((cycles, origin, 0))
    if derived:
        found.append((20 + path.interval, "derived", 5 + LOCAL))
    found.append((0, "assumed", 0))
    cycles, origin, more = found[0]
    pair = ("y", "p")
    waits = (path.recurrence.get(pair, 0), path.origins["recurrence"], path.through_memory.get(pair, 0))
    assert waits == (cycles, origin, more)


@given(st.integers(1, 40), st.integers(0, 30), st.integers(0, 9))
def test_operands_come_at_multiples_of_the_occupancy(occupancy: int, wait: int, more: int) -> None:
    path = replace(
        _choices(ElementaryEntry(interval=(4,))).at(4), recurrence={("y", "p"): wait}, through_memory={("y", "p"): more}
    )
    for in_register, least in ((True, wait), (False, wait + more)):
        delay = path.operand_delay("y", "p", occupancy, in_register=in_register)
        assert delay % occupancy == 0
        assert delay >= max(occupancy, least)
        assert delay - occupancy < max(least, 1)
    assert path.operand_delay("y", "other", occupancy, in_register=False) == occupancy


@given(st.integers(1, 5), st.integers(3, 9), st.integers(1, 7))
def test_a_module_takes_a_state_after_it_has_left(interval: int, latency: int, size: int) -> None:
    """Element e leaves at the end of a cycle, and may be read in the one after it, in its chunk of the repetition."""
    own = replace(ELEMENTARY, inputs=(_port("x"), _port("p", size)), outputs=(_port("y", size),))
    process = replace(_process(own), input_ports=own.inputs, output_ports=own.outputs)
    entry = ElementaryEntry(interval=(interval,), latency=latency, cost={"lut": 1}, module="core")
    path = _choices(entry, derived=True, process=process).at(interval)
    chunk = -(-size // interval)
    ends = [latency - 1 + next(t for t in range(interval + 1) if size * t // interval > e) for e in range(size)]
    least = next(wait for wait in range(99) if all(ends[e] < wait + e // chunk for e in range(size)))
    assert (path.recurrence, path.through_memory) == ({("y", "p"): least}, {})


def test_a_datapath_that_waits_longer_has_what_was_measured_below() -> None:
    measured = [{"interval": 2, "latency": 9, "cost": {"lut": 5}}, {"interval": 4, "latency": 11}]
    choices = _choices(ElementaryEntry.model_validate({"measured": measured}), derived=True)
    assert [choices.at(interval).latency for interval in (2, 3, 4, 9)] == [9, 9, 11, 11]
    assert [choices.at(interval).cost["lut"] for interval in (2, 3, 4)] == [5, 5, 104]
    assert choices.at(3).cost["ff"] == 203


def test_what_is_wholly_given_needs_no_derivation() -> None:
    given_parts = {"interval": 1, "latency": 2, "recurrence": 3, "cost": {"lut": 4}}
    whole = _choices(ElementaryEntry.model_validate(given_parts), derived=True)
    assert whole.at(1).cost == {"lut": 4}
    for left_out in ("latency", "recurrence", "cost"):
        part = {name: value for name, value in given_parts.items() if name != left_out}
        with pytest.raises(ArrayolError) as caught:
            _choices(ElementaryEntry.model_validate(part), derived=True).at(1)
        assert caught.value.diagnostics[0].code == "operator-too-slow"


@pytest.mark.parametrize(
    ("elementary", "derived", "why"),
    [
        (ELEMENTARY, False, "the platform names no technology and gives it no interval"),
        (
            replace(ELEMENTARY, body=None, extern="pkg.mod:run"),
            True,
            "it is extern, of which nothing can be derived, and the platform gives it no interval",
        ),
        (
            replace(ELEMENTARY, body=None),
            True,
            "it is a black box, of which nothing can be derived, and the platform gives it no interval",
        ),
    ],
)
def test_a_task_without_a_datapath_is_refused(elementary: Elementary, derived: bool, why: str) -> None:
    choices = _choices(ElementaryEntry(latency=3), derived=derived, process=_process(elementary))
    with pytest.raises(ArrayolError) as caught:
        choices.at(1)
    (mistake,) = caught.value.diagnostics
    assert (mistake.code, mistake.message) == ("no-datapath", f"the elementary 'e' has no datapath: {why}")
    assert mistake.span == elementary.span
    assert mistake.hint is not None
    assert mistake.hint.endswith("or take --assume-datapaths")
    assumed = _choices(ElementaryEntry(latency=3), derived=derived, assumed=True, process=_process(elementary))
    assert (assumed.intervals, assumed.at(3).latency, assumed.at(3).origins["interval"]) == ((3,), 3, "assumed")


def test_a_body_is_derived_once() -> None:
    technology = Technology()
    choices = DatapathChoices(_process(), ElementaryEntry(), Ground(technology, LOCAL, assumed=False))
    assert [choices.at(interval).interval for interval in (*choices.intervals, 4)] == [2, 6, 4]
    assert technology.asked == 1
