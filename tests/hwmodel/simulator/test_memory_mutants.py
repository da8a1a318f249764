"""Local memories with one thing less: what needs it stops the machine by its rule, on shipped and generated designs."""

from __future__ import annotations

import pytest
from judging import local_of
from many_cases import full_count, on_many
from memory_mutants import RULES, Caught
from strategies_designs import MappedSpec, mapped_specs
from test_banks import Bench, fused, with_layout
from test_fifos import through_a_fifo

from arrayol.errors import ArrayolError
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import BankLayout

ALWAYS = {"a datum fewer", "a state's bank fewer"}  # whatever the design


@pytest.fixture(scope="module")
def shipped_designs() -> list[Bench]:
    return [
        Bench.of("conv3x3", 2, {"filter": (3, 32), "threshold": (7, 32)}, {"H": 9, "W": 34}),
        Bench.of("lpsf", 2),
        fused("harris"),
        fused("wavelet"),
        through_a_fifo("conv3x3", "sums", 2),
        with_layout(BankLayout("image", 9, (1, 3)), 2),
    ]


def require(caught: Caught, share: float) -> None:
    """Fail unless so many of each kind stop the machine: some designs have more than they need."""
    assert caught.unexpected == []
    assert set(caught.tried) <= set(RULES)
    for kind in caught.tried:
        assert caught.stopped[kind] >= caught.tried[kind] * (1 if kind in ALWAYS else share), kind


def test_memories_of_shipped_designs_with_one_thing_less(shipped_designs: list[Bench]) -> None:
    caught = Caught()
    for bench in shipped_designs:
        caught.judge(bench.model, bench.design, bench.local)
    print("\n".join(caught.lines()))  # noqa: T201  shown with -s, and where the test fails
    require(caught, 0.5)
    assert set(caught.tried) == set(RULES)


def test_memories_of_generated_designs_with_one_thing_less() -> None:
    caught = Caught()

    def one(case: MappedSpec) -> None:
        model = MachineModel(case.network, case.platform, case.loads)
        try:
            local = local_of(model, case.design, model.evaluate(case.design))
        except ArrayolError:
            return
        caught.judge(model, case.design, local)

    on_many(full_count(25), 5, one, mapped_specs(built=True))
    print("\n".join(caught.lines()))  # noqa: T201
    require(caught, 0.1)
