"""A scop in stages: statements that depend on each other in a circle stay together, all others part.

The groups are the strongly connected components of the dependence graph, in a topological order. `plans` decides what
becomes of each. A stage is one of three:

- A repetition. A loop is one of its dimensions, over the whole array, where no value passes from one of its iterations
  to another and each writes elements of its own. A value that passes by a constant distance is a delay.
- A loop in time around such stages. It repeats a step, which hands its arrays on to the next one by delays.
- The body of one elementary task, with its loops as they are.

Neighbours that can share a repetition are merged. Arrays get a new version in each stage that writes them, so an
element that is read before the stage writes it comes from the version before. All of that is decided by isl from the
flow of values, for all sizes at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from arrayol.c_import.expansion.forwarding import with_forwarded_values
from arrayol.c_import.expansion.renaming import Renaming
from arrayol.c_import.forms import isl_condition, names_of
from arrayol.c_import.graphs import mapped, with_accesses, zero_of
from arrayol.c_import.model import COperation, ElementAccess, ForLoop, Form, Scop, Statement, data_of, not_negative
from arrayol.c_import.plans import Plan, Stage, StatementLevel, name_of, program_of
from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import OrderedStatements
from arrayol.polyhedral.origins import ValueOrigins, form_of

# Loops in time: the arrays of which each step reads one slice, and the statements of a step.


def sliced_arrays(group: Sequence[Statement], time: ForLoop) -> dict[str, tuple[int, Form]] | None:
    """Dimension and offset of the slice that a step reads, by array; None where steps need their number otherwise."""
    targets = {one.target.array for one in group}
    found: dict[str, tuple[int, Form]] = {}
    for statement in group:
        if any(time.name in names_of(form) for form in _forms(statement)):
            return None
        for access in _reads(statement):
            held = [(place, form) for place, form in enumerate(access.subscripts) if form.factor(time.name)]
            if not held:
                continue
            place, form = held[0]
            slice_ = (place, form.without(time.name))
            if len(held) > 1 or form.factor(time.name) != 1 or access.array in targets:
                return None
            if found.setdefault(access.array, slice_) != slice_:
                return None
    reads = [access for one in group for access in _reads(one)]
    if any(
        access.array in found and not access.subscripts[found[access.array][0]].factor(time.name) for access in reads
    ):
        return None
    inner = {loop.name for one in group for loop in one.loops}
    return None if any(form.factor(name) for _, form in found.values() for name in inner) else found


def _reads(statement: Statement) -> Iterator[ElementAccess]:
    """All that a statement reads, also in its target's subscripts, but for what `+=` reads."""
    for value in (statement.value, *data_of(statement.target)):
        yield from value.reads()


def _forms(statement: Statement) -> Iterator[Form]:
    """All forms but the subscripts of what is read."""
    yield from statement.target.subscripts
    for condition in statement.conditions:
        yield from condition.forms()
    for access in _reads(statement):
        for condition in access.guards:
            yield from condition.forms()
    for loop in statement.loops:
        yield from (loop.low, loop.high)
    for value in (statement.value, *data_of(statement.target)):
        yield from (node.form for node in value.nodes() if node.form is not None)


def without_time(statement: Statement, sliced: dict[str, tuple[int, Form]]) -> Statement:
    """The statement inside its first loop, with slices of arrays in place of them."""

    def change(access: ElementAccess) -> ElementAccess:
        if access.array not in sliced:
            return access
        return replace(access, subscripts=dropped(access.subscripts, sliced[access.array][0]))

    inside = replace(statement, loops=statement.loops[1:], position=statement.position[1:])
    return with_accesses(inside, change)


def dropped(items: tuple[Form, ...], place: int) -> tuple[Form, ...]:
    return items[:place] + items[place + 1 :]


def stages_of(scop: Scop) -> tuple[Scop, tuple[Stage, ...]]:
    """The scop as its stages have it, and these in an order that keeps its meaning, without idle statements."""
    program = program_of(scop.statements, scop.consts, scop.variables)
    statements = [_without_idle_reads(one, program) for one in scop.statements if program.runs(name_of(one))]
    program = program_of(statements, scop.consts, scop.variables)
    statements = [_with_moving_reads(one, program) for one in statements]
    scop = _without_scratch(with_forwarded_values(scop, statements))
    readers = _readers(scop)
    needed = _needed(scop, readers)
    statements = [one for one in scop.statements if one.number in needed]
    readers = {source: ends & needed for source, ends in readers.items()}  # what is left out reads nothing
    return scop, tuple(_stages(StatementLevel(tuple(statements), scop.variables, scop.consts, readers)))


def _without_scratch(scop: Scop) -> Scop:
    """The scop with locals in place of static arrays that each call fills before it reads them."""
    program = program_of(scop.statements, scop.consts, scop.variables)
    names = [name_of(one) for one in scop.statements]
    kept = {
        access.array
        for one in scop.statements
        for place, access in enumerate(one.reads)
        if scop.variables[access.array].hidden and not program.sources(name_of(one), place, names).always_inside
    }
    written = {one.target.array for one in scop.statements}
    scratch = {name for name, one in scop.variables.items() if one.hidden and name in written - kept}
    variables = {name: replace(one, local=one.local or name in scratch) for name, one in scop.variables.items()}
    return replace(scop, variables=variables)


def _needed(scop: Scop, readers: Mapping[tuple[int, str], set[int]]) -> set[int]:
    """The statements whose values reach an array that outlives the function; last values of counters do not."""
    sources: dict[int, set[int]] = {}
    for (source, _), ends in readers.items():
        for end in ends:
            sources.setdefault(end, set()).add(source)
    open_ends = [one.number for one in scop.statements if not scop.variables[one.target.array].local]
    needed = set(open_ends)
    while open_ends:
        new = sources.get(open_ends.pop(), set()) - needed
        needed |= new
        open_ends += new
    return needed


def _without_idle_reads(statement: Statement, program: OrderedStatements) -> Statement:
    """The statement with 0 for what its conditions never let it read."""
    reads = enumerate(statement.reads)
    idle = {id(one) for place, one in reads if one.guards and not program.reads(name_of(statement), place)}
    if not idle:
        return statement

    known = {id(node): zero_of(node.type) for node in statement.value.nodes() if id(node.access) in idle}
    return replace(statement, value=mapped(statement.value, lambda node: node, known))


def _with_moving_reads(statement: Statement, program: OrderedStatements) -> Statement:
    """The statement with `x[i]` for `x[0]` where a condition says that i is 0, so that it is in a window."""
    moving = {
        (access.array, place, loop.name)
        for access in statement.value.reads()
        for place, form in enumerate(access.subscripts)
        for loop in statement.loops
        if form.factor(loop.name)
    }
    reads = {id(access): number for number, access in enumerate(statement.reads)}
    known: dict[int, COperation] = {}
    for node in statement.value.nodes():
        access = node.access
        if access is None or not access.guards or data_of(access):
            continue
        subscripts = list(access.subscripts)
        for place, form in enumerate(subscripts):
            for loop in statement.loops if form.number is not None else ():
                if (access.array, place, loop.name) in moving:
                    step = ValueOrigins(program).distance(name_of(statement), reads[id(access)], place, loop.name)
                    own: Form = Affine(((loop.name, 1),))
                    subscripts[place] = subscripts[place] if step is None else own + step
        if tuple(subscripts) != access.subscripts:
            known[id(node)] = replace(node, access=replace(access, subscripts=tuple(subscripts)))
    return replace(statement, value=mapped(statement.value, lambda node: node, known)) if known else statement


def _readers(scop: Scop) -> dict[tuple[int, str], set[int]]:
    """By statement and array: the statements that read its values."""
    program, found = program_of(scop.statements, scop.consts, scop.variables), dict[tuple[int, str], set[int]]()
    names = [name_of(one) for one in scop.statements]
    for statement in scop.statements:
        for place, access in enumerate(statement.reads):
            for source in program.sources(name_of(statement), place, names).statements:
                found.setdefault((int(source[1:]), access.array), set()).add(statement.number)
    return found


def _stages(level: StatementLevel) -> list[Stage]:
    """The stages of a level; neighbours that can share their repetition are one, and those that are no repetitions."""
    found: list[Stage] = []
    for is_body, stages in groupby((_stage(level, group) for group in _groups(level)), lambda one: one.is_body):
        if is_body:
            found.append(_joined_body(level, list(stages)))
            continue
        for stage in stages:
            merged = _merged(level, found[-1], stage) if found else None
            if merged is not None:
                found.pop()
            found.append(merged or stage)
    return [_with_known_iterators(stage) for stage in found if stage.written]  # others write what nobody reads


def _with_known_iterators(stage: Stage) -> Stage:
    """A repetition without the loops of its one statement whose iterators its axes decide.

    `y[i / 8]` for each i with `i % 8 == 7` is written in a loop over the elements of y, each of which knows its i.
    """
    if len(stage.statements) != 1 or stage.steps or stage.old or stage.delays:
        return stage
    (statement,) = stage.statements
    for loop in statement.loops:
        if any(axis.loop is loop for axis in stage.axes):
            continue
        form = form_of([one.name for one in statement.loops], _where(statement), loop.name)
        if form is not None and not any(loop.name in names_of(one.low) | names_of(one.high) for one in statement.loops):
            at = statement.loops.index(loop)
            own: Form = Affine(((loop.name, 1),))
            bounds = (not_negative(own - loop.low), not_negative(loop.high - 1 - own))
            inside = replace(statement, conditions=(*statement.conditions, *bounds))
            position = (*statement.position[:at], *statement.position[at + 1 :])
            value: Form = Affine(tuple(form.terms), form.constant)
            renaming = Renaming({loop.name: value})
            statement = renaming.statement(inside, (*statement.loops[:at], *statement.loops[at + 1 :]), position)
    return replace(stage, statements=(statement,))


def _where(statement: Statement) -> list[str]:
    """The bounds of a statement's loops and its conditions, of those that name no const."""
    conditions, names = [*statement.conditions], {loop.name for loop in statement.loops}
    for loop in statement.loops:
        own: Form = Affine(((loop.name, 1),))
        conditions += [not_negative(own - loop.low), not_negative(loop.high - 1 - own)]
    return [isl_condition(one) for one in conditions if all(names_of(form) <= names for form in one.forms())]


def _joined_body(level: StatementLevel, stages: Sequence[Stage]) -> Stage:
    """Bodies that follow each other as one."""
    if len(stages) == 1:
        return stages[0]
    together = sorted((one for stage in stages for one in stage.statements), key=lambda one: one.position)
    return Plan(level, tuple(together)).whole()


def _groups(level: StatementLevel) -> list[tuple[Statement, ...]]:
    """The strongly connected components of the dependence graph, in an order that keeps all dependences."""
    statements = level.statements
    count, names = len(statements), [name_of(one) for one in statements]
    after = [  # for each statement, as bits, those that must follow it; below also through others (Warshall)
        sum(1 << two for two in range(count) if level.program.follows(names[one], names[two])) for one in range(count)
    ]
    for middle in range(count):
        for one in range(count):
            if after[one] >> middle & 1:
                after[one] |= after[middle]
    before = [sum(1 << one for one in range(count) if after[one] >> two & 1) for two in range(count)]
    groups: list[tuple[Statement, ...]] = []
    left = (1 << count) - 1
    while left:
        first = next(one for one in range(count) if left >> one & 1 and not before[one] & left & ~after[one])
        group = (1 << first) | (after[first] & before[first] & left)
        groups.append(tuple(statements[one] for one in range(count) if group >> one & 1))
        left &= ~group
    return groups


def _stage(level: StatementLevel, group: tuple[Statement, ...]) -> Stage:
    plan = Plan(level, group)
    repeated = plan.repeated()
    if len(repeated.axes) < max(len(one.loops) for one in group):
        delayed = plan.delayed()
        if delayed is not None:
            return delayed
    return repeated if repeated.axes else _stepped(level, group) or repeated


def _merged(level: StatementLevel, first: Stage, second: Stage) -> Stage | None:
    """Both as one; None where one of them would lose a dimension of its repetition."""
    if first.steps or second.steps or first.is_body or len(first.axes) != len(second.axes):
        return None
    together = tuple(sorted((*first.statements, *second.statements), key=lambda one: one.position))
    plan = Plan(level, together)
    if first.delays or second.delays:
        return plan.delayed()
    stage = plan.repeated()
    return stage if len(stage.axes) == len(first.axes) else None


def _stepped(level: StatementLevel, group: tuple[Statement, ...]) -> Stage | None:
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
