"""Verifying designs group by group: what is simulated, in which jobs, and what a mistake leads to."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import mutants
import pytest
from explored import GIVEN, SPECS
from hypothesis import given
from hypothesis import strategies as st
from mutants import changed
from strategies_machine import in_outer_blocks

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.ir.spec import Spec
from arrayol.transforms.steps import canonical_form
from dse.verify.reduce import Reducer
from dse.verify.testbench import Judgement, Testbench, mismatches
from dse.verify.verify import BY_DEFAULT_AT_MOST, Verdict, Verifier, unordered
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.model import MachineModel, counted_estimates
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Processor, Scan
from hwmodel.platform import Platform, load_platform

SIZE = "at the reduced size H = 20, W = 40"
AGREE = Judgement(identical=True)


def verifier_of(spec: Spec, platform: Platform) -> Verifier:
    return Verifier(canonical_form(spec, "lpsf"), platform)


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return verifier_of(api.load(SPECS / "lpsf.aol", {"H": 60, "W": 120}), load_platform(GIVEN))


@pytest.fixture(scope="module")
def designs(verifier: Verifier) -> Sequence[Design]:
    """Some of the plain front at three times the reduced size, the first and the last among them."""
    found = api.explore(verifier.form.original, GIVEN, space=api.Space(narrow=True, verify=False))
    return [*found.decisions[::12], found.decisions[-1]]


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ({"H": 60, "W": 40}, SIZE),
        ({"H": 20, "W": 40}, "at its whole size"),
        ({"H": 20, "W": 20}, f"at the {SIZE[15:]}"),
    ],
)
def test_a_size_is_called_reduced_only_if_it_is_smaller(size: dict[str, int], said: str) -> None:
    assert verifier_of(api.load(SPECS / "lpsf.aol", size), load_platform(GIVEN)).size == said


def test_the_plan_lists_each_group_once(verifier: Verifier, designs: Sequence[Design]) -> None:
    plan = verifier.plan(designs, asked=True)
    variants = [variant for design in designs for variant in verifier.variants(design)]
    assert plan == tuple(dict.fromkeys(group for variant in variants for group in variant.groups))
    assert plan == verifier.plan([*designs, *designs], asked=True)
    assert len(plan) < sum(len(one.groups) for one in set(variants))
    fresh = Verifier(verifier.form, verifier.platform)
    assert plan == fresh.plan(designs, asked=True)
    assert set(plan) == set(fresh.plan(designs[::-1], asked=True))


def test_estimates_are_made_once(
    verifier: Verifier, designs: Sequence[Design], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What tells whether a smaller design is legal is what its simulation is held against."""
    groups, model = verifier.plan(designs, asked=True), verifier.testbench.model
    assert all(model.estimate(group) is model.estimate(group) for group in groups)
    monkeypatch.setattr("hwmodel.cost_model.model.ESTIMATES_KEPT", 2)
    fresh = MachineModel(model.network, model.platform)
    assert fresh.estimates([*groups, groups[0]]) == model.estimates([*groups, groups[0]])
    assert fresh.estimate(groups[0]) == model.estimate(groups[0])


def test_reductions_are_found_once(
    verifier: Verifier, designs: Sequence[Design], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As often as there are groups at the reduced size, and the same as by a verifier that has seen nothing else."""
    asked: list[GroupDesign] = []

    def counted(batch: GroupBatch, groups: Sequence[GroupDesign]) -> tuple[list[int], list[GroupEstimate]]:
        estimates = counted_estimates(batch, groups)
        asked.extend(groups)
        return estimates

    monkeypatch.setattr("hwmodel.cost_model.model.counted_estimates", counted)
    fresh = Verifier(verifier.form, verifier.platform)
    plan = fresh.plan(designs, asked=True)
    assert len(asked) == len(set(asked))
    assert set(plan) == set(asked)
    for design in designs[:4]:
        assert fresh.variants(design) == Verifier(fresh.form, fresh.platform).variants(design)


def test_a_group_agrees_where_each_whole_design_does(verifier: Verifier, designs: Sequence[Design]) -> None:
    assert {verifier.testbench.judge(group) for group in verifier.plan(designs, asked=True)} == {AGREE}
    for variant in {variant for design in designs[:3] for variant in verifier.variants(design)}:
        found, estimate = verifier.testbench.compare(variant)
        assert found.identical
        assert not list(mismatches(found, estimate))
    verdicts = verifier.all(designs, asked=True)
    assert {(one.verified, one.text) for one in verdicts} == {(True, f"simulated {SIZE}")}
    assert len(verdicts) == len(designs)


@given(st.data())
def test_blocks_of_blocks_nest_at_the_reduced_size(data: st.DataObject) -> None:
    """Outer blocks hold several inner ones there if they do at the design's size."""
    model = MachineModel(flatten(api.load(SPECS / "lpsf.aol", {"H": 8, "W": 12}), "lpsf"), load_platform(GIVEN))
    small = model.accesses.extents("hflr")
    whole = tuple(3 * extent for extent in small)
    plain = Blocks(
        tuple(data.draw(st.integers(1, extent)) for extent in whole),
        data.draw(st.sampled_from(model.legal_scans("hflr", small))),
    )
    blocks = data.draw(in_outer_blocks(plain, whole))
    reducer = Reducer({"hflr": whole}, model)
    design = Design((GroupDesign((Processor("hflr"),), blocks),))
    for partial in (False, True):
        try:
            (group,) = reducer.reduced(design, partial=partial).groups
        except ArrayolError:
            continue  # a scan against a delay there
        assert group.blocks.fit(2)
        for side, outer, short, long in zip(
            blocks.shape, blocks.outer, group.blocks.shape, group.blocks.outer, strict=False
        ):
            assert (outer > side) == (long > short)


def test_jobs_are_judged_anywhere(verifier: Verifier, designs: Sequence[Design]) -> None:
    """A worker has what it needs from a few values, and hands a few back."""
    plan = verifier.plan(designs, asked=True)
    testbench, group = pickle.loads(pickle.dumps((verifier.testbench, plan[-1])))
    assert isinstance(testbench, Testbench)
    assert testbench.judge(group) == verifier.testbench.judge(plan[-1])
    given = pickle.loads(pickle.dumps((verifier.form, verifier.platform)))
    assert Verifier(*given).plan(designs, asked=True) == plan
    for one in (AGREE, Judgement(None, ("it takes longer",))):
        assert pickle.loads(pickle.dumps(one)) == one
        stored = json.loads(json.dumps(asdict(one)))
        assert Judgement(stored["identical"], tuple(stored["reasons"])) == one
    judgements = {group: verifier.testbench.judge(group) for group in reversed(plan)}
    assert verifier.verdicts(designs, judgements, asked=True) == verifier.all(designs, asked=True)


def test_the_first_design_that_disagrees_is_told(verifier: Verifier, designs: Sequence[Design]) -> None:
    """By its groups, in its own order."""
    plan = verifier.plan(designs, asked=True)
    judgements = {group: Judgement(False, ("it is wrong", "it is late")) for group in plan}
    with pytest.raises(ArrayolError) as caught:
        verifier.verdicts(designs, judgements, asked=True)
    (found,) = caught.value.diagnostics
    groups = [f"[{' '.join(group.tasks)}]" for one in verifier.variants(designs[0]) for group in one.groups]
    reasons = "; ".join(f"{group}: {reason}" for group in groups for reason in ("it is wrong", "it is late"))
    assert found.code == "verification-failed"
    assert found.message == (f"the simulation of [{designs[0].fusion}] {SIZE} does not agree with the model: {reasons}")
    last = verifier.variants(designs[-1])[0].groups[-1]
    judgements = dict.fromkeys(plan, AGREE) | {last: Judgement(None, ("it is full",))}
    first = next(one for one in designs if any(last in variant.groups for variant in verifier.variants(one)))
    with pytest.raises(ArrayolError) as caught:
        verifier.verdicts(designs, judgements, asked=True)
    assert caught.value.diagnostics[0].message.startswith(f"the simulation of [{first.fusion}] {SIZE} does not")


# What is changed in the simulator: module, line, what stands there instead; and the reason that is then told.
STORED = "return chosen, plan.ticks.own"
READ = 'array.buffer.read(step, data, lambda _: "the storer")'
STORES = f"self.memory[name][elements] = {READ}"
MISTAKES = {
    "an element is not stored": (
        "schedule.moves", STORED, "chosen = chosen[1:]; return chosen, plan.ticks.own",
        "elements of 'p1' that are needed outside the group are never stored",
    ),
    "another array is overwritten": (
        "group", STORES, f"{STORES}; self.memory['p3'][0] = 1",
        "the group stores elements of 'p3', which it does not make",
    ),
    "an element is stored in another's place": (
        "group", STORES, f"self.memory[name][elements] = np.roll({READ}, 1)",
        "what it computes differs from the reference execution's",
    ),
    "a burst takes longer": (
        "port", "begin = asked + self._latency", "begin = asked + self._latency + 1",
        "it takes 560 cycles, where the model says 544",
    ),
    "slots are kept too long": (
        "schedule.moves", "np.maximum.at(last, stored, step)", "np.maximum.at(last, stored, step + 1)",
        "the buffer of 'p1', which has",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def testbench(verifier: Verifier) -> Testbench:
    """A smaller image."""
    small = api.load(SPECS / "lpsf.aol", {"H": 8, "W": 16})
    return Testbench(small, flatten(small, "lpsf"), verifier.platform)


FIRST = GroupDesign((Processor("hflr"),), Blocks((2, 2), Scan((0, 1), (False, False))))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_reasons(mistake: str, testbench: Testbench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert testbench.judge(FIRST) == AGREE
    monkeypatch.setattr(mutants, "PACKAGE", "hwmodel.simulator")
    *change, expected = MISTAKES[mistake]
    with changed(*change):
        found = testbench.judge(FIRST)
    assert expected in "\n".join(found.reasons)
    assert testbench.judge(FIRST) == AGREE


@pytest.mark.parametrize("array", ["p0", "p1", "p2", "p3", "p4"])
def test_one_wrong_value_is_seen(array: str, testbench: Testbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the group that makes the array, and by the one that reads it."""
    judged = {
        task: testbench.judge(replace(FIRST, processors=(Processor(task),))) for task in testbench.network.processes
    }
    assert set(judged.values()) == {AGREE}
    truth = testbench.reference
    assert truth.values is not None
    changed_values = truth.values[array].copy()
    changed_values[37] += 1
    monkeypatch.setattr(testbench, "reference", replace(truth, values={**truth.values, array: changed_values}))
    one = testbench.network.arrays[array]
    for task in judged:
        found = testbench.judge(replace(FIRST, processors=(Processor(task),)))
        wrong = Judgement(False, ("what it computes differs from the reference execution's",))
        assert found == (wrong if task in (*one.producers, *one.readers) else AGREE)


def test_black_boxes_move_tokens(tmp_path: Path, verifier: Verifier) -> None:
    text = (SPECS / "lpsf.aol").read_text(encoding="utf-8")
    head, _, rest = text.partition(") -> (y: f32[4], last: f32) {")
    (tmp_path / "boxes.aol").write_text(f"{head}) -> (y: f32[4], last: f32){rest.partition('}')[2]}", encoding="utf-8")
    boxes = verifier_of(api.load(tmp_path / "boxes.aol", {"H": 60, "W": 120}), verifier.platform)
    design = Design(tuple(replace(FIRST, processors=(Processor(task),)) for task in boxes.testbench.network.processes))
    assert set(map(boxes.testbench.judge, boxes.plan([design], asked=True))) == {Judgement(None)}
    assert boxes.all([design], asked=True) == (Verdict(True, f"simulated {SIZE}, data as tokens"),)


def test_groups_that_cannot_run_one_after_another(verifier: Verifier) -> None:
    network = verifier.testbench.network
    groups = [replace(FIRST, processors=(Processor(task),)) for task in network.processes]
    tasks = tuple(group.tasks for group in groups)
    assert list(unordered(network, tasks)) == []
    swapped = Design((groups[0], groups[2], groups[1], groups[3]))
    early = "[hfrl] reads 'p2' before another group makes it"
    assert list(unordered(network, (tasks[0], tasks[2], tasks[1], tasks[3]))) == [early]
    assert list(unordered(network, (*tasks[:3], tasks[2]))) == [
        "'hfrl' is in two groups",
        "'vfbu' is in no group",
    ]
    judgements = dict.fromkeys(verifier.plan([swapped], asked=True), AGREE)
    with pytest.raises(ArrayolError, match=f"does not agree with the model: {re.escape(early)}"):
        verifier.verdicts([swapped], judgements, asked=True)


def test_what_is_not_simulated(verifier: Verifier) -> None:
    groups = [replace(FIRST, processors=(Processor(task),)) for task in verifier.testbench.network.processes]
    repetitions = verifier.testbench.repetitions(verifier.testbench.network.processes)
    design, many = Design(tuple(groups)), BY_DEFAULT_AT_MOST // repetitions + 1
    assert verifier.plan([design] * many, asked=False) == ()
    unasked = "not simulated unasked above 2,000,000 repetitions in all; --verify does it"
    assert verifier.all([design] * many, asked=False) == (Verdict(None, unasked),) * many
    assert verifier.all([design] * (many - 1), asked=False) == (Verdict(True, f"simulated {SIZE}"),) * (many - 1)
    fused = replace(groups[1], processors=(Processor("hflr"), Processor("vftd")), fifos=frozenset({"p1"}))
    refused = Design((fused, *groups[2:]))
    assert verifier.plan([refused], asked=True) == ()
    (found,) = verifier.all([refused], asked=True)
    assert (found.verified, found.text.split(",")[0]) == (None, "unverified: at the reduced size H = 20")
    assert "FIFO" in found.text
    assert verifier.all([refused], asked=True) == (found,)
    shipped = api.load(SPECS / "lpsf.aol")
    whole = verifier_of(shipped, verifier.platform.model_copy(update={"verify": {}}))
    text = "unverified: more than 1,000,000 repetitions, and the platform has no [verify] table"
    assert whole.all([design], asked=True) == (Verdict(None, text),)
    assert whole.plan([design], asked=True) == ()


# Arrays of one number between tasks, which may have bank layouts and pass through FIFOs too.
ONE_NUMBER = """\
const N = 8
elementary total(x: i32[N]) -> (y: i32) { y += x[i] for i in 0..N }
elementary twice(s: i32) -> (t: i32) { t = s + s }
elementary add(x: i32, s: i32) -> (y: i32) { y = x + s }
task sum(x: i32[N]) -> (s: i32) {
  repeat [1] of total {
    x <- x at origin [0] paving [0] fitting [1]
    y -> s at origin [] paving [] fitting []
  }
}
task doubled(s: i32) -> (t: i32) {
  repeat [1] of twice {
    s <- s at origin [] paving [] fitting []
    t -> t at origin [] paving [] fitting []
  }
}
task shifted(x: i32[N], t: i32) -> (y: i32[N]) {
  repeat [N] of add {
    x <- x at origin [0] paving [1] fitting []
    s <- t at origin [] paving [] fitting []
    y -> y at origin [0] paving [1] fitting []
  }
}
task top(x: i32[N]) -> (y: i32[N]) {
  s = sum(x)
  t = doubled(s)
  y = shifted(x, t)
}
"""


def test_arrays_of_one_number(tmp_path: Path) -> None:
    (tmp_path / "one.aol").write_text(ONE_NUMBER, encoding="utf-8")
    (tmp_path / "one.toml").write_text(
        "assume_datapaths = true\n[memory]\nlatency = 3\ndata_per_word = 2\n"
        "[local]\nblock_bits = 64\naccess_cycles = 2\n",
        encoding="utf-8",
    )
    spec, platform = api.load(tmp_path / "one.aol"), load_platform(tmp_path / "one.toml")
    found = api.explore(spec, space=api.Space(verify=True))
    assert all(design.verified for design in found.result.pareto)
    testbench = Testbench(spec, flatten(spec, "top"), platform)
    blocks = {
        task: Blocks((extent,), Scan((0,), (False,))) for task, extent in (("sum", 1), ("doubled", 1), ("shifted", 8))
    }
    layout = (BankLayout("t", 1, ()),)
    pair = GroupDesign((Processor("sum"), Processor("doubled")), blocks["doubled"], frozenset({"s"}), layout)
    last = GroupDesign((Processor("shifted"),), blocks["shifted"], layouts=layout)
    for group in (pair, last):
        assert testbench.model.estimate(group) == replace(
            testbench.model.estimate_enumerated(group), evaluator=testbench.model.estimate(group).evaluator
        )
        assert testbench.judge(group) == AGREE
