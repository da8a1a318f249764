"""A scop in stages: statements that depend on each other in a circle stay together, all others part.

Arrays get a new version in each stage that writes them, so an element that is read before the stage writes it comes
from the version before. A stage is one of three. Where no value passes from one iteration of a loop to another, and
each iteration writes elements of its own, the loop is a dimension of a repetition, over the whole array; a value that
passes by a constant distance is a delay. A loop in time around such stages repeats a step that hands its arrays on by
delays. What is left is the body of one elementary task, with its loops as they are. All of that is decided by isl from
the values that flow, for all sizes at once.
"""

from __future__ import annotations

from dataclasses import replace

from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import BOOL, Scop, Statement, Value
from arrayol.c_import.plans import Level, Plan, Stage, name_of, program_of
from arrayol.c_import.slices import dropped, sliced_arrays, without_time
from arrayol.polyhedral.flow import Program


def stages_of(scop: Scop) -> list[Stage]:
    """The stages of a scop in an order that keeps its meaning; statements that never run are left out."""
    program = program_of(scop.statements, scop.consts, scop.variables)
    statements = [_without_idle_reads(one, program) for one in scop.statements if program.runs(name_of(one))]
    scop = replace(scop, statements=tuple(statements))
    return _stages(Level(scop.statements, scop.variables, scop.consts, _readers(scop)))


def _without_idle_reads(statement: Statement, program: Program) -> Statement:
    """The statement with 0 for what its conditions never let it read."""
    reads = enumerate(statement.reads)
    idle = {id(one) for place, one in reads if one.guards and not program.reads(name_of(statement), place)}
    if not idle:
        return statement

    known = {id(node): _zero(node.type) for node in statement.value.nodes() if id(node.access) in idle}
    return replace(statement, value=mapped(statement.value, lambda node: node, known))


def _zero(kind: str) -> Value:
    zero = Value("literal", kind, text="false" if kind == BOOL else "0")
    return zero if kind in {"i32", "f64", BOOL} else Value("convert", kind, (zero,))


def _readers(scop: Scop) -> dict[tuple[int, str], set[int]]:
    """By statement and array: the statements that read its values."""
    program, found = program_of(scop.statements, scop.consts, scop.variables), dict[tuple[int, str], set[int]]()
    names = [name_of(one) for one in scop.statements]
    for statement in scop.statements:
        for place, access in enumerate(statement.reads):
            for source in program.sources(name_of(statement), place, names).statements:
                found.setdefault((int(source[1:]), access.array), set()).add(statement.number)
    return found


def _stages(level: Level) -> list[Stage]:
    """The stages of a level; neighbours that can share their repetition are one, and those that are no repetitions."""
    found: list[Stage] = []
    for group in _groups(level):
        stage = _stage(level, group)
        merged = _merged(level, found[-1], stage) if found else None
        if merged is not None:
            found.pop()
        found.append(merged or stage)
    return [stage for stage in found if stage.written]  # others write what nobody reads


def _groups(level: Level) -> list[tuple[Statement, ...]]:
    """Statements that must follow each other in a circle; groups in an order that keeps all dependences."""
    left, groups = list(level.statements), list[tuple[Statement, ...]]()
    after = {one: {two for two in left if level.program.follows(name_of(one), name_of(two))} for one in left}
    for middle in left:
        for one in left:
            if middle in after[one]:
                after[one] |= after[middle]
    while left:
        first = next(one for one in left if all(one not in after[two] or two in after[one] for two in left))
        group = tuple(two for two in left if two is first or (two in after[first] and first in after[two]))
        groups.append(group)
        left = [one for one in left if one not in group]
    return groups


def _stage(level: Level, group: tuple[Statement, ...]) -> Stage:
    plan = Plan(level, group)
    repeated = plan.repeated()
    if len(repeated.axes) < max(len(one.loops) for one in group):
        delayed = plan.delayed()
        if delayed is not None:
            return delayed
    return repeated if repeated.axes else _stepped(level, group) or repeated


def _merged(level: Level, first: Stage, second: Stage) -> Stage | None:
    """Both as one; None where one of them would lose a dimension of its repetition."""
    if first.steps or second.steps or len(first.axes) != len(second.axes):
        return None
    together = tuple(sorted((*first.statements, *second.statements), key=lambda one: one.position))
    plan = Plan(level, together)
    if first.delays or second.delays:
        return plan.delayed()
    stage = plan.repeated() if first.axes else plan.whole()
    return stage if len(stage.axes) == len(first.axes) else None


def _stepped(level: Level, group: tuple[Statement, ...]) -> Stage | None:
    """A loop in time around the group; None where there is none, or where its steps are no repetitions."""
    time = group[0].loops[0] if group[0].loops else None
    if time is None or any(not one.loops or one.loops[0] is not time for one in group):
        return None
    sliced = sliced_arrays(group, time)
    if sliced is None:
        return None
    inner = tuple(without_time(one, sliced) for one in group)
    variables = {
        name: replace(one, dims=dropped(one.dims, sliced[name][0])) if name in sliced else one
        for name, one in level.variables.items()
    }
    steps = _stages(replace(level, statements=inner, variables=variables))
    if all(step.is_body for step in steps):
        return None
    return Stage(group, steps=tuple(steps), time=time, sliced=sliced)
