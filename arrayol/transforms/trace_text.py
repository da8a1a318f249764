"""Where old tasks, repetitions and arrays went, in lines to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from arrayol.ir.model import RepetitiveTask, Shape, Spec
from arrayol.transforms.result import Affine, IndexMap, Split, Trace, Transformed


def moved(result: Transformed) -> tuple[str, ...]:
    """A line for each task and array that is not where it was, in the order of the old specification.

    `hflr: repetition [i0, 4 * i1 + i3] is now hflr_vftd[i0, i1] > hflr_block[i2, i3]` says which old repetition of
    `hflr` is done in the repetition (i0, i1) of `hflr_vftd`, by the repetition (i2, i3) of the `hflr_block` inside it.
    """
    return (*_tasks(result), *_arrays(result.trace))


def _tasks(result: Transformed) -> Iterator[str]:
    for name, maps in result.trace.tasks.items():
        if not maps:
            yield f"{name}: nothing needs its repetitions any more"
        for found in maps:
            if found.steps or found.path != (name,):
                yield f"{name}: repetition {old_index(found)} is now {new_index(found, result.spec)}"


def _arrays(trace: Trace) -> Iterator[str]:
    for (task, array), places in trace.arrays.items():
        if task in trace.tasks or (task, array) in places:
            continue  # the ports of a repetitive task go with its repetitions
        there = ", ".join(f"{array} of {task}" for task, array in places)
        yield f"{array} of {task}: {f'is now {there}' if there else 'is kept nowhere as a whole'}"


def new_index(found: IndexMap, spec: Spec) -> str:
    """The repetitions of the new specification around the work: `outer[i0, i1] > inner[i2]`."""
    names = iter(_names(found.extents))
    levels = ((task, spec.components[task]) for task in found.path)
    return " > ".join(
        f"{task}[{', '.join(islice(names, len(component.repetition)))}]"
        for task, component in levels
        if isinstance(component, RepetitiveTask)
    )


def old_index(found: IndexMap) -> str:
    """The old repetition that a new one does, as expressions of the new indices: `[i0, 4 * i1 + i3]`."""
    return f"[{', '.join(map(str, _mapped(found, [_Sum({name: 1}) for name in _names(found.extents)])))}]"


def _names(extents: Shape) -> list[str]:
    return [f"i{place}" for place in range(len(extents))]


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of multiples of indices, and of parts in brackets that are no sums themselves."""

    terms: Mapping[str, int]
    offset: int = 0

    def __str__(self) -> str:
        parts = [
            (name if abs(factor) == 1 else f"{abs(factor)} * {name}", factor) for name, factor in self.terms.items()
        ]
        if len(self.terms) == 1 and not self.offset and set(self.terms.values()) == {1}:
            (name,) = self.terms
            return name[1:-1] if name.startswith("(") else name
        parts += [(str(abs(self.offset)), self.offset)] if self.offset or not parts else []
        parts.sort(key=lambda part: part[1] < 0)
        text = "".join(f" {'+' if factor >= 0 else '-'} {part}" for part, factor in parts)
        return text[3:] if text.startswith(" + ") else f"-{text[3:]}"

    @property
    def is_single(self) -> bool:
        """Whether the text needs no parentheses in front of `//` or `%`."""
        return len(self.terms) + bool(self.offset) <= 1 and all(factor == 1 for factor in self.terms.values())


def _mapped(found: IndexMap, index: Sequence[_Sum]) -> list[_Sum]:
    current = list(index)
    for step in found.steps:
        if isinstance(step, Split):
            current = [entry for part in step.parts for entry in _mapped(part.map, current[part.begin : part.end])]
        else:
            current = _affine(step, current)
    return current


def _affine(step: Affine, index: Sequence[_Sum]) -> list[_Sum]:
    rows = zip(step.origin, step.matrix, step.divisor, step.modulus, strict=True)
    return [
        _rounded(_rounded(_combined(origin, row, index), "//", divisor if divisor != 1 else None), "%", modulus)
        for origin, row, divisor, modulus in rows
    ]


def _combined(origin: int, row: Sequence[int], index: Sequence[_Sum]) -> _Sum:
    terms: dict[str, int] = {}
    for factor, entry in zip(row, index, strict=True):
        for name, own in entry.terms.items():
            terms[name] = terms.get(name, 0) + factor * own
        origin += factor * entry.offset
    return _Sum({name: factor for name, factor in terms.items() if factor}, origin)


def _rounded(value: _Sum, sign: str, by: int | None) -> _Sum:
    """The quotient or remainder as a part of its own."""
    if by is None:
        return value
    return _Sum({f"({value if value.is_single else f'({value})'} {sign} {by})": 1})
