"""The designs that stand for a front: its ends, its knee, those nearest to constraints, and few."""

from __future__ import annotations

from dataclasses import dataclass

from explored import mapped
from hypothesis import given
from hypothesis import strategies as st

from dse.results.pick import KNEE, SHOWN_AT_MOST, highlights, knee_of
from dse.results.schema import Result

LIMITS = ("internal_memory_elements <= 500", "latency_cycles <= 300")
NEAR = {LIMITS[0]: "near 500 elements", LIMITS[1]: "near 300 cycles"}
CHAINS = st.lists(st.tuples(st.integers(1, 999), st.integers(1, 999)), min_size=1, max_size=40).map(
    lambda points: list(zip(sorted({x for x, _ in points}), sorted({y for _, y in points}, reverse=True), strict=False))
)


@dataclass(frozen=True)
class Case:
    """A front of two objectives, the first ascending and the second descending, as a result."""

    points: list[tuple[int, int]]
    constraints: tuple[str, ...]

    @property
    def result(self) -> Result:
        base = mapped().result
        pareto = [
            base.pareto[0].model_copy(
                update={"id": f"1:{place}", "objectives": dict(zip(base.objectives, point, strict=True))}
            )
            for place, point in enumerate(self.points, 1)
        ]
        return base.model_copy(update={"pareto": tuple(pareto), "constraints": self.constraints})


CASES = st.builds(Case, CHAINS, st.sampled_from([(), LIMITS[:1], LIMITS]))


@given(CASES)
def test_ends_knee_and_what_constraints_ask_for_are_among_few(case: Case) -> None:
    result = case.result
    shown = highlights(result)
    assert len(shown) == min(len(case.points), SHOWN_AT_MOST)
    places = [result.pareto.index(one.design) for one in shown]
    assert places == sorted(set(places))
    reasons = {reason: one.design.id for one in shown for reason in one.reasons}
    if len(case.points) == 1:
        assert reasons == {}
        return
    last = f"1:{len(case.points)}"
    assert (reasons.pop("fastest"), reasons.pop("least memory")) == ("1:1", last)
    knee = knee_of(result)
    assert reasons.pop(KNEE, None) == (knee.design.id if knee.is_knee else None)
    assert set(reasons) == {NEAR[text] for text in case.constraints}
    for text in case.constraints:
        figure, _, bound = text.split()
        to_spare = {one.id: abs(one.objectives[figure] - int(bound)) for one in result.pareto}
        assert to_spare[reasons[NEAR[text]]] == min(to_spare.values())
