"""The one namespace of a specification: every definition of the file and its imports by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from arrayol.ir import syntax
from arrayol.ir.spec import ConstValue
from arrayol.language.diagnose import Mistake, Mistakes, mistake
from arrayol.language.evaluate import Constants
from arrayol.language.hints import did_you_mean
from arrayol.language.walk import names_in

Definition = syntax.Const | syntax.TilerDef | syntax.Elementary | syntax.Task

KINDS = {
    syntax.Const: "a const",
    syntax.TilerDef: "a tiler",
    syntax.Elementary: "an elementary task",
    syntax.Task: "a task",
}


@dataclass(frozen=True, slots=True)
class Definitions:
    """What each name means, and the values of the consts."""

    by_name: Mapping[str, Definition]
    constants: Constants
    broken: frozenset[str]

    def kind(self, name: str) -> str:
        """What a name of the file means, in words."""
        return KINDS[type(self.by_name[name])]

    def tiler(self, name: syntax.Name) -> syntax.Tiler:
        """The tiler of that name. Raises Mistake."""
        found = self.by_name.get(name.text)
        if isinstance(found, syntax.TilerDef):
            return found.tiler
        tilers = [known for known, item in self.by_name.items() if isinstance(item, syntax.TilerDef)]
        raise self.unknown(name, "tiler", tilers)

    def component(self, name: syntax.Name) -> syntax.Elementary | syntax.Task:
        """The elementary or task of that name. Raises Mistake."""
        found = self.by_name.get(name.text)
        if isinstance(found, (syntax.Elementary, syntax.Task)):
            return found
        components = [
            known for known, item in self.by_name.items() if isinstance(item, (syntax.Elementary, syntax.Task))
        ]
        raise self.unknown(name, "task or elementary", components)

    def unknown(self, name: syntax.Name, what: str, candidates: Iterable[str]) -> Exception:
        """The mistake of a name that is not what is needed here; silent where its definition has a mistake itself."""
        if name.text in self.broken:
            return Mistake()
        if name.text in self.by_name:
            return mistake("wrong-kind", f"'{name.text}' is {self.kind(name.text)}; a {what} is needed here", name.span)
        return mistake(
            "unknown-name", f"no {what} is named '{name.text}'", name.span, did_you_mean(name.text, candidates)
        )


def define(
    items: Iterable[syntax.Item], settings: Mapping[str, ConstValue], broken: frozenset[str], mistakes: Mistakes
) -> Definitions:
    """Gather the definitions, refuse names with two meanings, and evaluate the consts under `--set` values.

    `broken` names the definitions whose syntax is wrong: what refers to them is not told again.
    """
    by_name: dict[str, Definition] = {}
    for item in items:
        if isinstance(item, syntax.Import):
            continue
        earlier = by_name.setdefault(item.name.text, item)
        if earlier is not item:
            mistakes.report(
                "defined-twice",
                f"'{item.name.text}' is already {KINDS[type(earlier)]}, defined at {_place(earlier.name)}",
                item.name.span,
                "give one of them another name",
            )
    return Definitions(by_name, _constants(by_name, settings, broken, mistakes), broken)


def _place(name: syntax.Name) -> str:
    file, line, _ = name.span.place
    return f"{file}:{line}"


def _constants(
    by_name: Mapping[str, Definition], settings: Mapping[str, ConstValue], unread: frozenset[str], mistakes: Mistakes
) -> Constants:
    consts = {name: item for name, item in by_name.items() if isinstance(item, syntax.Const)}
    others = {name: KINDS[type(item)] for name, item in by_name.items() if name not in consts}
    values: dict[str, ConstValue] = dict(settings)
    broken = set(unread)
    scope = Constants(values, broken, others)
    for name in _evaluation_order(consts, settings, broken, mistakes):
        value = mistakes.attempt(lambda name=name: scope.evaluate(consts[name].value))  # type: ignore[misc]
        if value is None:
            broken.add(name)
        else:
            values[name] = value
    return Constants({name: values[name] for name in consts if name in values}, broken, others)


def _evaluation_order(
    consts: Mapping[str, syntax.Const], settings: Mapping[str, ConstValue], broken: set[str], mistakes: Mistakes
) -> list[str]:
    """Names of the consts to evaluate, each after those it uses; the members of a cycle are told and left out."""
    uses = {name: sorted(names_in(item.value) & consts.keys()) for name, item in consts.items() if name not in settings}
    while True:
        sorter = TopologicalSorter(uses)
        try:
            return [name for name in sorter.static_order() if name in uses]
        except CycleError as failure:
            cycle = failure.args[1][::-1]
            first = min(cycle, key=lambda name: consts[name].span.place)
            turn = cycle.index(first)
            path = [*cycle[:-1][turn:], *cycle[:-1][:turn], first] if turn < len(cycle) - 1 else cycle
            mistakes.report(
                "const-cycle",
                f"const '{first}' needs its own value: {' -> '.join(path)}",
                consts[first].name.span,
                "give one of them a number",
            )
            broken.update(cycle)
            uses = {name: used for name, used in uses.items() if name not in broken}
