"""How long programs become: what is derived is what is emitted, and no bound is below it."""

from __future__ import annotations

import pytest
from generated_designs import DECISIONS
from hardware_designs import PLATFORM, bench_of
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from scheduled_cases import scheduled
from strategies_designs import MappedSpec

from arrayol.errors import ArrayolError
from dse.verify.programs import longest_bound, longest_program
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.emit.schedule import design as schedules
from hwmodel.emit.schedule.frames.program_bound import most_by_kinds

WINDOW = """\
elementary sum(x: u8[3, 3]) -> (y: i16) {{
  y += i16(x[i, j]) for i in 0..3, j in 0..3
}}

elementary scale(y: i16) -> (z: u8) {{
  z = sat(u8, (y - 420) // 8)
}}

task both(x: u8[{rows}, {columns}]) -> (z: u8[{height}, {width}]) {{
  y = blurred(x)
  z = scaled(y)
}}

task blurred(x: u8[{rows}, {columns}]) -> (y: i16[{height}, {width}]) {{
  repeat [{height}, {width}] of sum {{
    x <- x at origin [{origin}, {origin}] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]{border}
    y -> y
  }}
}}

task scaled(y: i16[{height}, {width}]) -> (z: u8[{height}, {width}]) {{
  repeat [{height}, {width}] of scale {{
    y <- y
    z -> z
  }}
}}
"""


@settings(max_examples=case_count(40), suppress_health_check=list(HealthCheck))
@given(DECISIONS)
def test_what_is_derived_is_what_is_emitted_and_within_the_bound(case: MappedSpec) -> None:
    try:
        _, emitted = scheduled(case)
    except ArrayolError:
        assume(False)
        return
    assert emitted is not None
    model = MachineModel(case.network, case.platform, case.loads)
    estimate = model.evaluate(case.design)
    derived = longest_program(model.accesses, case.platform, case.design, estimate)
    blocks = [group for group, own in zip(emitted.groups, case.design.groups, strict=True) if own.stream is None]
    lengths = [len(agent.program.instructions) for group in blocks for agent in group.agents]
    assert (derived.instructions if derived is not None else None) == max(lengths, default=None)
    assert max(lengths, default=0) <= longest_bound(model.accesses, case.platform, case.design, estimate)


@settings(max_examples=case_count(60), suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_kinds_of_blocks_and_rows_are_no_fewer_than_instructions(data: st.DataObject) -> None:
    """Windows over frames of many blocks: most programs are far shorter than the frame has cycles."""
    height, width = data.draw(st.integers(8, 24)), data.draw(st.integers(16, 48))
    outside = data.draw(st.booleans())
    text = WINDOW.format(
        rows=height + 2 * (not outside),
        columns=width + 2 * (not outside),
        height=height,
        width=width,
        origin=-1 if outside else 0,
        border=" else nearest" if outside else "",
    )
    bench = bench_of(text, PLATFORM)
    shape = (data.draw(st.integers(1, height)), data.draw(st.integers(1, width)))
    scan = Scan(data.draw(st.sampled_from([(0, 1), (1, 0)])), (data.draw(st.booleans()), data.draw(st.booleans())))
    units = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    processors = tuple(Processor(task, most) for task, most in zip(("blurred", "scaled"), units, strict=True))
    policy = data.draw(st.sampled_from(["reuse", "strip", "tile"]))
    design = Design((GroupDesign(processors, Blocks(shape, scan), policy=policy),))
    try:
        estimate = bench.model.evaluate(design)
        derived = longest_program(bench.accesses, bench.platform, design, estimate)
    except ArrayolError:
        assume(False)
        return
    assert derived is not None
    most = most_by_kinds(bench.accesses, bench.platform, design.groups[0], estimate.groups[0])
    assert most is not None
    assert derived.instructions <= most
    assert derived.instructions <= longest_bound(bench.accesses, bench.platform, design, estimate)


def test_a_program_is_refused_by_its_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    text = WINDOW.format(rows=12, columns=18, height=10, width=16, origin=0, border="")
    bench = bench_of(text, PLATFORM)
    group = GroupDesign((Processor("blurred"), Processor("scaled")), Blocks((1, 8), Scan((0, 1), (False, False))))
    design = Design((group,))
    longest = longest_program(bench.accesses, bench.platform, design, bench.model.evaluate(design))
    assert longest is not None
    longest.require_short()
    monkeypatch.setattr(schedules, "MOST_INSTRUCTIONS", longest.instructions - 1)
    with pytest.raises(ArrayolError, match=f"'{longest.agent}' would have {longest.instructions} instructions"):
        longest.require_short()
