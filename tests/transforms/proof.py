"""The proof of a transformation: same bits out, same elements read, valid text, and indices that fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from drawn_steps import Choose, draw_step
from equivalence import Difference, Verdict, compare
from hypothesis import strategies as st
from index_truth import check_indices
from many_cases import on_many
from spec_data import any_inputs, loaded
from strategies_transforms import LinkedSpec, linked_specs

from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.transforms.steps import parse_step, run_steps
from arrayol.transforms.trace import Transformed


def transformed(spec: Spec, *steps: str) -> Transformed:
    """The result of steps given as texts."""
    return run_steps(spec, [parse_step(step) for step in steps])


def prove(before: Spec, result: Transformed, top: str = "top") -> Verdict:
    """Fail where a result is not what a transformation promises; else what isl says about the elements read."""
    text = spec_text(result.spec)
    again = loaded(text, "transformed.aol")
    assert again.components == result.spec.components, f"the printed text reads differently:\n{text}"
    same_bits(before, again, top)
    verdict = compare(before, again, top)
    assert not isinstance(verdict, Difference), f"{verdict}\n{text}"
    check_indices(before, result)
    return verdict


def same_bits(before: Spec, after: Spec, top: str) -> None:
    """Execute both on the same random data and compare all outputs bit by bit, on as many frames as both give."""
    inputs = any_inputs(before, top)
    expected, found = execute(before, top, inputs), execute(after, top, inputs)
    assert expected.keys() == found.keys()
    for name, array in expected.items():
        common = tuple(slice(0, min(pair)) for pair in zip(array.shape, found[name].shape, strict=True))
        assert array[common].size, f"nothing of {name} can be compared"
        port = next(port for port in before.components[top].outputs if port.name == name)
        assert None in port.shape or array.shape == found[name].shape
        one, other = array[common], found[name][common]
        if one.tobytes() != other.tobytes():
            place = tuple(int(entry) for entry in np.argwhere(one != other)[0]) if (one != other).any() else ()
            raise AssertionError(f"{name}{list(place)} differs\n{spec_text(after)}")


FEATURES = {
    "1 task", "2 tasks", "3 tasks", "4 tasks", "1 dimension", "2 dimensions", "3 dimensions", "window", "wrap", "skew",
    "strided", "reversed", "delay", "negative delay", "delay across", "tiled default", "fork", "join", "scalar port",
    "several outputs", "infinite dimension", "hierarchy", "plain link",
    "border", "exit", "part", "several writers",
    "const array", "const array by a link", "const array in a body", "local",
    "accumulation", "split",
}  # fmt: skip
LEAST_SHARE, MOST_REFUSED = 0.05, 0.30


@dataclass
class Tally:
    """What a run of the proof met."""

    cases: int = 0
    steps: int = 0
    refused: int = 0
    unknown: int = 0
    features: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def missing(self) -> list[str]:
        """What the run met too rarely, or too often."""
        rare = [name for name in sorted(FEATURES) if self.features[name] < LEAST_SHARE * self.cases]
        return rare + (["too many refusals"] if self.refused >= MOST_REFUSED * self.steps else [])

    def lines(self) -> Iterator[str]:
        """The shares, as the long run prints them."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())
        yield f"{self.cases} cases, {self.steps} steps: {kinds}"
        yield f"refused: {self.refused} steps, {self.refused / max(1, self.steps):.1%}"
        yield f"relations beyond isl's bounded effort: {self.unknown}"
        for feature, count in self.features.most_common():
            yield f"  {feature:20} {count / self.cases:6.1%}"
        for reason, count in self.reasons.most_common():
            yield f"  refused {count:4} x  {reason}"


def prove_pipeline(tally: Tally, text: str, features: frozenset[str], choose: Choose) -> None:
    """One case: a pipeline of up to three steps, each proven against the specification as it was at first."""
    spec = loaded(text)
    current = run_steps(spec, [])
    taken: list[str] = []
    for _ in range(choose([1, 1, 2, 2, 3])):
        step = draw_step(choose, current.spec)
        tally.steps += 1
        tally.kinds[step.split()[0]] += 1
        try:
            current = transformed(spec, *taken, step)
        except ArrayolError as failure:
            if failure.diagnostics[0].code not in ("step-refused", "ambiguous-call"):
                raise
            tally.refused += 1
            tally.reasons[failure.diagnostics[0].message[:60]] += 1
        else:
            taken.append(step)
    tally.cases += 1
    tally.features.update(features | {"split" for step in taken if step.startswith("split")})
    try:
        tally.unknown += prove(spec, current) is Verdict.UNKNOWN
    except Exception as failure:
        failure.add_note(f"steps: {taken}\n{text}")
        raise


def from_data(data: st.DataObject) -> Choose:
    """Choices that Hypothesis makes, and shrinks."""
    return lambda options: data.draw(st.sampled_from(list(options)))


def run(cases: int, seed: int | None = None, report: Callable[[Tally], None] | None = None) -> Tally:
    """Prove so many generated pipelines; without a seed always the same ones. Fails at the first that is wrong.

    `report` is called after every hundred cases.
    """
    tally = Tally()

    def one(generated: LinkedSpec, data: st.DataObject) -> None:
        prove_pipeline(tally, generated.text, generated.features, from_data(data))
        if report is not None and tally.cases % 100 == 0:
            report(tally)

    on_many(cases, seed, one, linked_specs(), st.data())
    return tally
