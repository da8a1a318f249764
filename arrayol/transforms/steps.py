"""Steps as the command line and notebooks write them, `fuse hflr vftd 4,12`: read, run one after another, and chosen.

`str(step)` gives the text again. What each step gives is checked before the next. The steps that are chosen here are
those that bring a task into paper A's canonical form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from arrayol.checks.check import check_body, check_delays, check_tilers
from arrayol.checks.elements import check_parts
from arrayol.errors import ArrayolError, Diagnostic, Severity, error
from arrayol.ir.network import Network, flatten
from arrayol.ir.spec import CompoundTask, Elementary, RepetitiveTask, Spec, callees
from arrayol.language.syntax.diagnose import closest
from arrayol.language.tasks import TaskSignature
from arrayol.text import counted
from arrayol.transforms.again import Again
from arrayol.transforms.collapse.collapse import Collapse
from arrayol.transforms.fuse import Fuse
from arrayol.transforms.inline import Inline
from arrayol.transforms.pave import Pave
from arrayol.transforms.rewrite import CallName
from arrayol.transforms.serial import Serial
from arrayol.transforms.split.split import Split
from arrayol.transforms.tile import Tile
from arrayol.transforms.trace import Transformed, identity

NetworkStep = Split | Serial | Again  # what designs choose beside their groups
Step = Fuse | Pave | Tile | Collapse | NetworkStep | Inline


class BrokenStepError(Exception):
    """A step gave a specification with mistakes: one of arrayol itself."""


def run_steps(spec: Spec, steps: Sequence[Step]) -> Transformed:
    """All steps in turn, their traces composed and their remarks in order.

    Raises ArrayolError where a step is refused, BrokenStepError where a result does not check.
    """
    transformed = Transformed(spec, identity(spec))
    for step in steps:
        following = run_step(transformed.spec, step)
        remarks = (*transformed.remarks, *following.remarks)
        transformed = Transformed(following.spec, transformed.trace.then(following.trace), remarks, following.task)
    return transformed


def run_step(spec: Spec, step: Step) -> Transformed:
    """One step. Raises ArrayolError where it is refused, BrokenStepError where its result does not check."""
    following = _named(step, spec).apply(spec)
    mistakes = [one for one in _new_findings(spec, following.spec) if one.severity is Severity.ERROR]
    if mistakes:
        told = "; ".join(f"[{mistake.code}] {mistake.message}" for mistake in mistakes)
        raise BrokenStepError(f"'{step}' gave a wrong specification: {told}")
    return following


def _named(step: Step, spec: Spec) -> Step:
    """The step with the names that the specification has for what it names."""
    if isinstance(step, Fuse | Again):
        return replace(step, producer=step.producer.of(spec), consumer=step.consumer.of(spec))
    return replace(step, task=step.task.of(spec))


def _new_findings(before: Spec, after: Spec) -> Iterator[Diagnostic]:
    """What the checks say about all definitions that were not there before."""
    for name, component in after.components.items():
        if before.components.get(name) is component:
            continue
        if isinstance(component, Elementary):
            yield from check_body(component, after.tables)
        elif isinstance(component, RepetitiveTask):
            callee = after.components[component.callee]
            yield from check_tilers(component, TaskSignature(callee.inputs, callee.outputs))
            yield from check_delays(component)
        else:
            yield from check_parts(component, after.components)


# The texts of steps.

FORMS = {
    "fuse": "fuse PRODUCER CONSUMER [BLOCK]",
    "pave": "pave TASK FACTORS",
    "tile": "tile TASK SIZES",
    "collapse": "collapse TASK",
    "split": "split TASK RANGE N",
    "serial": "serial TASK RESULT",
    "again": "again PRODUCER CONSUMER",
    "inline": "inline TASK",
}
EXAMPLES = {
    "fuse": "fuse hflr vftd 4,12",
    "pave": "pave hflr 1,8",
    "tile": "tile hflr 4,12",
    "collapse": "collapse hflr",
    "split": "split product k 16",
    "serial": "serial larger a",
    "again": "again hflr vftd",
    "inline": "inline camera",
}
_ALL = ", ".join(f'"{form}"' for form in FORMS.values())

_CALL = re.compile(r"([A-Za-z_]\w*(?:\[[^\[\]]*\])?)(?:@([A-Za-z_]\w*))?", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SIZES = re.compile(r"[0-9]+(,[0-9]+)*", re.ASCII)
_DIGITS = 19  # more would be beyond any repetition space


class StepTextError(ValueError):
    """A text that no step is written like: wrong usage, told with the form that the step has."""


def parse_step(text: str) -> Step:
    """The step that a text means. Raises StepTextError."""
    joined = re.sub(r"[ \t\r\n]*([,\[])[ \t\r\n]*|[ \t\r\n]+(?=\])", r"\1", text)
    words = re.findall(r"[^ \t\r\n]+", joined)
    if not words:
        raise StepTextError(f"A step is empty. The steps are {_ALL}.")
    verb, *arguments = words
    if verb not in FORMS:
        near = closest(verb, FORMS)
        hint = f"Did you mean '{near}'?" if near else f"The steps are {_ALL}."
        raise StepTextError(f"There is no step '{verb}'. {hint}")
    if verb == "fuse":
        _require_words(text, arguments, (2, 3), "two tasks and at most one list of sizes")
        producer, consumer = (_call(text, word) for word in arguments[:2])
        return Fuse(producer, consumer, _sizes(text, arguments[2]) if len(arguments) == 3 else None)
    if verb in ("collapse", "inline"):
        _require_words(text, arguments, (1,), "one task")
        return (Collapse if verb == "collapse" else Inline)(_call(text, arguments[0]))
    if verb == "split":
        _require_words(text, arguments, (3,), "a task, a range and a number")
        return _split(text, arguments)
    if verb == "again":
        _require_words(text, arguments, (2,), "two tasks")
        return Again(_call(text, arguments[0]), _call(text, arguments[1]))
    if verb == "serial":
        _require_words(text, arguments, (2,), "a task and one of its results")
        return Serial(_call(text, arguments[0]), _name(text, arguments[1], "a result"))
    _require_words(text, arguments, (2,), "a task and a list of sizes")
    return (Pave if verb == "pave" else Tile)(_call(text, arguments[0]), _sizes(text, arguments[1]))


def _split(text: str, arguments: Sequence[str]) -> Split:
    call, variable = _call(text, arguments[0]), _name(text, arguments[1], "a range variable")
    sizes = _sizes(text, arguments[2])
    if len(sizes) != 1:
        raise _wrong(text, f"takes one number of iterations, not '{arguments[2]}'")
    return Split(call, variable, sizes[0])


def _name(text: str, word: str, what: str) -> str:
    if not _NAME.fullmatch(word):
        raise _wrong(text, f"names {what}, not '{word}'")
    return word


def _require_words(text: str, arguments: Sequence[str], counts: tuple[int, ...], what: str) -> None:
    if len(arguments) not in counts:
        count = {0: "nothing", 1: "one word"}.get(len(arguments)) or counted(len(arguments), "word")
        raise _wrong(text, f"takes {what}, not {count}")


def _call(text: str, word: str) -> CallName:
    match = _CALL.fullmatch(word)
    if match is None:
        raise _wrong(text, f"names a task as TASK or TASK@RESULT, not '{word}'")
    return CallName(match[1], match[2])


def _sizes(text: str, word: str) -> tuple[int, ...]:
    """Whole numbers of at least 1; the step itself knows how many there must be."""
    if not _SIZES.fullmatch(word):
        raise _wrong(text, f"takes sizes as whole numbers with commas, as in 4,12, not '{word}'")
    if any(len(digits) > _DIGITS for digits in word.split(",")):
        raise _wrong(text, f"takes sizes of at most {_DIGITS} digits")
    sizes = tuple(map(int, word.split(",")))
    if 0 in sizes:
        raise _wrong(text, f"takes sizes of at least 1, not '{word}'")
    return sizes


def _wrong(text: str, what: str) -> StepTextError:
    verb = text.split(maxsplit=1)[0]
    return StepTextError(f"In '{text}': {verb} {what}. Its form is {FORMS[verb]}, as in \"{EXAMPLES[verb]}\".")


# Paper A's canonical form (section 2): compositions of repetitions of elementary tasks, reached by collapse.


@dataclass(frozen=True, slots=True)
class Canonical:
    """A task in canonical form: `spec` is what the steps `first` make of `original`, `network` that form flattened."""

    original: Spec
    first: tuple[Step, ...]
    spec: Spec
    network: Network


def canonical_form(spec: Spec, top: str) -> Canonical:
    """What exploration, simulation and reports start from. Raises ArrayolError (`not-canonical`)."""
    first = canonical_steps(spec, top)
    canonical = run_steps(spec, first).spec
    return Canonical(spec, first, canonical, flatten(canonical, top))


def with_splits(form: Canonical, splits: Sequence[NetworkStep]) -> Canonical:
    """The form after steps that leave it canonical. Raises ArrayolError where a step is refused."""
    if not splits:
        return form
    made = run_steps(form.spec, splits).spec
    return Canonical(form.original, (*form.first, *splits), made, flatten(made, form.network.name))


def split_by(form: Canonical, texts: Sequence[str]) -> Canonical:
    """The form after such steps, given as texts. Raises StepTextError, or ArrayolError where a step is refused."""
    return with_splits(form, [step for text in texts if isinstance(step := parse_step(text), NetworkStep)])


def canonical_steps(spec: Spec, top: str) -> tuple[Collapse, ...]:
    """The steps that bring what `top` calls into the canonical form; none where it has it.

    Raises ArrayolError (`not-canonical`) with the task that stops it and the reason.
    """
    steps: list[Collapse] = []
    while (nested := _nested(spec, top)) is not None:
        step = Collapse(CallName(nested.name))
        try:
            spec = step.apply(spec).spec
        except ArrayolError as refusal:
            raise _stopped(nested, refusal) from None
        steps.append(step)
    return tuple(steps)


def _nested(spec: Spec, name: str) -> RepetitiveTask | None:
    """A task below `name`, or itself, that repeats something else than an elementary."""
    component = spec.components[name]
    if isinstance(component, RepetitiveTask):
        return None if isinstance(spec.components[component.callee], Elementary) else component
    if isinstance(component, CompoundTask):
        nested = (_nested(spec, callee) for callee in callees(component))
        return next((task for task in nested if task is not None), None)
    return None


def _stopped(task: RepetitiveTask, refusal: ArrayolError) -> ArrayolError:
    (reason,) = refusal.diagnostics
    return error(
        "not-canonical",
        f"task '{task.name}' repeats '{task.callee}', which is not an elementary task; {reason.message}",
        task.span,
        hint=f"explore one repetition of it, as --top {task.callee}, or put the repetition inside elementary tasks",
    )
