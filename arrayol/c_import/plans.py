"""A group of statements as one stage: a repetition, a repetition with delays, or one body; see `stages` for the whole.

A repetition begins with all loops that the statements share and that carry no value from one iteration to another. A
loop is dropped if the subscripts that are written do not go over a dimension with it, or if a read of the stage's own
values moves with it in another way than their write. That is repeated until all loops that stay are axes; dropped ones
are loops of the body. For delays, each statement must write one element in each iteration, and all reads of earlier
iterations must have constant distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from arrayol.c_import.forms import extreme, isl_condition, isl_text, without_data
from arrayol.c_import.model import (
    Dynamic,
    ElementAccess,
    ElementGuard,
    ForLoop,
    Form,
    Statement,
    Variable,
    not_negative,
)
from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import Element, Instances, OrderedStatements, Sources


@dataclass(frozen=True, slots=True)
class RepetitionAxis:
    """A dimension of a repetition: its index is `sign * loop + offset`, an index of the arrays that are written."""

    loop: ForLoop
    sign: int
    offset: Form
    extent: Form

    @property
    def loop_value(self) -> Form:
        """The loop in terms of the index, which has the loop's name."""
        own: Form = Affine(((self.loop.name, 1),))
        return (own - self.offset).scaled(self.sign)


@dataclass(frozen=True, slots=True)
class WrittenDim:
    """How an instance writes one dimension of an array.

    `strides` are the elements that an axis, by the name of its loop, moves it by; `extent` is how many elements it has
    from there, `step` apart, None for a single one.
    """

    strides: tuple[tuple[str, int], ...]
    extent: Form | None
    step: int = 1

    @property
    def is_plain(self) -> bool:
        """Whether it is one element, at the index of one axis."""
        return self.extent is None and [stride for _, stride in self.strides] == [1]


Places = dict[str, tuple[WrittenDim, ...]]


@dataclass(frozen=True)
class Stage:
    """Statements that become one task.

    `axes` are its repetition, `private` arrays are locals of the body, `places` says how an instance writes each array.
    `old` and `delays` are reads, by identity, of what was there before the stage and of earlier instances; all others
    read what the instance itself has. `steps` are the stages of a loop in time, `sliced` the dimension and offset of
    arrays of which each step reads one slice.
    """

    statements: tuple[Statement, ...]
    axes: tuple[RepetitionAxis, ...] = ()
    private: frozenset[str] = frozenset()
    places: Places = field(default_factory=dict)
    old: frozenset[int] = frozenset()
    delays: dict[int, tuple[int, ...]] = field(default_factory=dict)
    states: frozenset[str] = frozenset()  # arrays that only later instances of the stage read, by delays
    unread: frozenset[str] = frozenset()  # arrays of which nothing is read that the stage has not written before
    filled: frozenset[str] = frozenset()  # arrays of which it writes each element
    steps: tuple[Stage, ...] = ()
    time: ForLoop | None = None
    sliced: dict[str, tuple[int, Form]] = field(default_factory=dict)

    @property
    def written(self) -> list[str]:
        """The arrays that get a new version, in order."""
        names = dict.fromkeys(statement.target.array for statement in self.statements)
        return [name for name in names if name not in self.private and name not in self.states]

    @property
    def is_body(self) -> bool:
        """Whether all of it is the body of one elementary task that nothing repeats."""
        return not self.axes and not self.steps

    @property
    def lines(self) -> list[int]:
        """The lines of its statements in the C file."""
        return sorted({statement.line for statement in self.statements})


@dataclass(frozen=True)
class StatementLevel:
    """Statements of the scop or of a step in time; `readers`, by statement and array, are those in the whole scop."""

    statements: tuple[Statement, ...]
    variables: Mapping[str, Variable]
    consts: Mapping[str, str]
    readers: Mapping[tuple[int, str], set[int]]

    @cached_property
    def program(self) -> OrderedStatements:
        """Their order and what they touch."""
        return program_of(self.statements, self.consts, self.variables)


def program_of(
    statements: Sequence[Statement], consts: Iterable[str], variables: Mapping[str, Variable]
) -> OrderedStatements:
    """The statements as isl takes them."""
    return OrderedStatements([_instances(one, variables) for one in statements], list(consts))


def name_of(statement: Statement) -> str:
    return f"S{statement.number}"


def _instances(statement: Statement, variables: Mapping[str, Variable]) -> Instances:
    conditions = [*statement.conditions]
    for loop in statement.loops:
        own: Form = Affine(((loop.name, 1),))
        conditions += [not_negative(own - loop.low), not_negative(loop.high - 1 - own)]
    dims = (dim for access in (statement.target, *statement.reads) for dim in variables[access.array].dims)
    conditions += dict.fromkeys(not_negative(dim - 1) for dim in dims if dim.number is None)  # C has no empty arrays
    return Instances(
        name_of(statement),
        tuple(loop.name for loop in statement.loops),
        tuple(map(isl_condition, conditions)),
        statement.position,
        element_of(statement, statement.target, variables),
        tuple(element_of(statement, one, variables) for one in statement.reads),
    )


def element_of(statement: Statement, access: ElementAccess, variables: Mapping[str, Variable]) -> Element:
    """The elements that an access touches: where data decide a subscript, the whole dimension."""
    conditions = [isl_condition(one) for one in guards_of(statement, access)]
    subscripts: list[str] = []
    for place, (form, dim) in enumerate(zip(access.subscripts, variables[access.array].dims, strict=True)):
        exact = without_data(form)
        if exact is None:
            subscripts.append(f"any_{place}")
            conditions.append(f"0 <= any_{place} < {isl_text(dim)}")
        else:
            subscripts.append(isl_text(exact))
    is_certain = all(without_data(form) is not None for form in access.subscripts)
    return Element(access.array, tuple(subscripts), tuple(conditions), is_certain)


def guards_of(statement: Statement, access: ElementAccess) -> list[ElementGuard]:
    """Where a statement reads an element, beside its own conditions."""
    known = set(map(id, statement.conditions))
    return [one for one in access.guards if id(one) not in known]


def is_dynamic(form: Form) -> bool:
    """Whether a subscript depends on data."""
    return any(isinstance(term, Dynamic) for term, _ in form.terms)


class Plan:
    """One group: from where its reads get their values, and the stages that it can become."""

    def __init__(self, level: StatementLevel, group: tuple[Statement, ...]) -> None:
        self.level, self.group = level, group
        self.targets = {one.target.array for one in group}
        names = [name_of(one) for one in group]
        self.sources: dict[int, Sources] = {}  # by identity of a read, of arrays that the group writes
        self.accesses: dict[int, ElementAccess] = {}
        for statement in group:
            for place, access in enumerate(statement.reads):
                if access.array in self.targets:
                    self.sources[id(access)] = level.program.sources(name_of(statement), place, names)
                    self.accesses[id(access)] = access
        self.private = frozenset(name for name in self.targets if self._is_private(name))

    def _is_private(self, name: str) -> bool:
        """Whether nobody else sees the values of an array that lives in the function only."""
        numbers = {one.number for one in self.group}
        readers = set().union(*(self.level.readers.get((number, name), set()) for number in numbers))
        return (
            self.level.variables[name].local
            and readers <= numbers
            and all(self.sources[key].always_inside for key, access in self.accesses.items() if access.array == name)
        )

    @cached_property
    def filled(self) -> frozenset[str]:
        """The arrays of which the group writes each element, at all sizes."""
        return frozenset(name for name in self.targets if self._is_filled(name))

    def _is_filled(self, name: str) -> bool:
        certain = [
            one for one in self.group if one.target.array == name and not any(map(is_dynamic, one.target.subscripts))
        ]
        extents = [isl_text(dim) for dim in self.level.variables[name].dims]
        return self.level.program.fills(name, [name_of(one) for one in certain], extents)

    def _unread(self, old: frozenset[int], delays: dict[int, tuple[int, ...]]) -> frozenset[str]:
        before = {
            access.array
            for key, access in self.accesses.items()
            if key not in old and key not in delays and not self.sources[key].always_inside
        }
        return frozenset(self.targets - before)

    def whole(self) -> Stage:
        """The group as one body."""
        places: Places = {
            name: tuple(WrittenDim((), dim) for dim in self.level.variables[name].dims)
            for name in self.targets - self.private
        }
        unread = self._unread(frozenset(), {})
        return Stage(self.group, private=self.private, places=places, unread=unread, filled=self.filled)

    def repeated(self) -> Stage:
        """The group as a repetition over the loops that can be axes; as one body where none can."""
        loops = [loop for place, loop in enumerate(self._chain()) if self._passes_nothing(place)]
        while True:
            demoted, axes, places = self._axes(loops)
            if not demoted:
                old, demoted = self._old(loops, places)
            if not demoted:
                break
            loops = [loop for loop in loops if loop.name not in demoted]
        if not loops:
            return self.whole()
        return Stage(self.group, axes, self.private, places, old, unread=self._unread(old, {}), filled=self.filled)

    def _chain(self) -> list[ForLoop]:
        """The loops around all statements; of a single statement all of its own."""
        lists = [one.loops for one in self.group]
        chain = []
        for together in zip(*lists, strict=False):
            if any(loop is not together[0] for loop in together):
                break
            chain.append(together[0])
        return chain

    def _passes_nothing(self, place: int) -> bool:
        return all(source.same(place, place) for source in self.sources.values())

    def _axes(self, loops: Sequence[ForLoop]) -> tuple[set[str], tuple[RepetitionAxis, ...], Places]:
        """Loops that cannot be axes; or the axes, and by array the axis of each dimension."""
        found = self._placed(loops, in_blocks=False)
        in_blocks = self._placed(loops, in_blocks=True) if found[0] else found
        return found if in_blocks[0] else in_blocks

    def _placed(
        self, loops: Sequence[ForLoop], *, in_blocks: bool
    ) -> tuple[set[str], tuple[RepetitionAxis, ...], Places]:
        """The axes, where a loop by itself goes over all of a dimension, or `in_blocks` over a part of it."""
        axes: dict[str, RepetitionAxis] = {}
        places: Places = {}
        names = [loop.name for loop in loops]
        for statement in self.group:
            target = statement.target
            if target.array in self.private:
                held = {name for form in target.subscripts for name in names if form.factor(name)}
                if held:
                    return held, (), {}
                continue
            wrong, own, row = self._placed_axes(statement, loops, in_blocks=in_blocks)
            wrong |= {name for name, axis in own.items() if axes.setdefault(name, axis) != axis}
            if wrong:
                return wrong, (), {}
            if places.setdefault(target.array, row) != row:
                return {name for dim in (*row, *places[target.array]) for name, _ in dim.strides}, (), {}
        return set(), tuple(axes[name] for name in names if name in axes), places

    def _placed_axes(
        self, statement: Statement, loops: Sequence[ForLoop], *, in_blocks: bool = False
    ) -> tuple[set[str], dict[str, RepetitionAxis], tuple[WrittenDim, ...]]:
        """How one write places loops: loops that it does not place, the axes of the others, and its dimensions."""
        dims = self.level.variables[statement.target.array].dims
        found: dict[str, RepetitionAxis] = {}
        row: list[WrittenDim] = []
        wrong: set[str] = set()
        for form, dim in zip(statement.target.subscripts, dims, strict=True):
            held = [loop for loop in loops if form.factor(loop.name)]
            if not held:
                row.append(WrittenDim((), dim))
                continue
            placed = None if in_blocks else self._plain_axis(held, form, dim)
            for count in range(len(held), 0, -1):  # inner loops may stay inside, as those over a block's elements
                placed = placed or _block_axes(held[:count], form, dim, statement.loops)
            placed = placed or _step_axis(held, form, dim)
            if placed is None or any(axis.loop.name in found for axis in placed[0]):
                wrong |= {one.name for one in held}
                continue
            found |= {axis.loop.name: axis for axis in placed[0]}
            row.append(placed[1])
        return wrong | {loop.name for loop in loops if loop.name not in found}, found, tuple(row)

    def _plain_axis(
        self, held: Sequence[ForLoop], form: Form, dim: Form
    ) -> tuple[list[RepetitionAxis], WrittenDim] | None:
        """One loop whose number, but for a sign and an offset, is the subscript."""
        loop, offset = held[0], form.without(held[0].name)
        if len(held) > 1 or abs(form.factor(loop.name)) != 1:
            return None
        if any(name not in self.level.consts for name, _ in offset.terms):
            return None
        return [RepetitionAxis(loop, form.factor(loop.name), offset, dim)], WrittenDim(((loop.name, 1),), None)

    def _old(self, loops: Sequence[ForLoop], places: Places) -> tuple[frozenset[int], set[str]]:
        """Reads, by identity, of what was there before the stage; or loops to drop, where there are any.

        In a loop to drop, a read of the stage's own values has other subscripts than their write.
        """
        names, old = [loop.name for loop in loops], set()
        writes = {one.target.array: one.target for one in self.group}
        for key, access in self.accesses.items():
            own = writes[access.array]
            differ = {
                name
                for mine, theirs in zip(access.subscripts, own.subscripts, strict=True)
                for name in names
                if (mine.factor(name) or theirs.factor(name)) and mine != theirs
            }
            if differ and access.array not in self.private and not self.sources[key].statements:
                old.add(key)
            elif differ:
                return frozenset(), differ
        return frozenset(old), set()

    def delayed(self) -> Stage | None:
        """The group as a repetition with delays, if values pass by constant distances; None for another group."""
        within = frozenset(name for name in self.private if self._stays_within(name))
        placed = self._placed_once([one for one in self.group if one.target.array not in within])
        if placed is None:
            return None
        axes, places, targets = placed
        old, delays = set[int](), dict[int, tuple[int, ...]]()
        for key, access in self.accesses.items():
            if access.array in within:
                continue
            target = targets[access.array]
            steps = [(one - two).number for one, two in zip(target.subscripts, access.subscripts, strict=True)]
            if not self.sources[key].statements:
                if any(step != 0 for step in steps):
                    old.add(key)
            elif None in steps:
                return None
            elif any(steps):
                delays[key] = tuple(step for step in steps if step is not None)
        kept = frozenset(old)
        handed_on = {self.accesses[key].array for key in delays}
        states = frozenset(self.private & handed_on)
        return Stage(
            self.group,
            axes,
            within,
            places,
            kept,
            delays,
            states=states,
            unread=self._unread(kept, delays),
            filled=self.filled,
        )

    def _placed_once(
        self, statements: Sequence[Statement]
    ) -> tuple[tuple[RepetitionAxis, ...], Places, dict[str, ElementAccess]] | None:
        """The axes, and by array how an instance writes one element of it; None where statements do not share them."""
        axes: tuple[RepetitionAxis, ...] | None = None
        places: Places = {}
        targets: dict[str, ElementAccess] = {}
        for statement in statements:
            target = statement.target
            wrong, found, row = self._placed_axes(statement, statement.loops)
            if wrong or not all(dim.is_plain for dim in row) or target.array in targets:
                return None
            if statement.loops != self.group[0].loops or (axes is not None and tuple(found.values()) != axes):
                return None
            axes = tuple(found.values())  # in the order of the array
            targets[target.array] = target
            places[target.array] = row
        return (axes, places, targets) if axes else None

    def _stays_within(self, name: str) -> bool:
        """Whether a scalar is written by all instances, and each reads what it has written itself."""
        if self.level.variables[name].dims:
            return False
        loops = self.group[0].loops
        writers = [one for one in self.group if one.target.array == name]
        if any(one.loops != loops or one.conditions for one in writers):
            return False
        sources = [self.sources[key] for key, access in self.accesses.items() if access.array == name]
        return all(one.same(place, place) for one in sources for place in range(len(loops)))


def _block_axes(
    held: Sequence[ForLoop], form: Form, dim: Form, around: Sequence[ForLoop]
) -> tuple[list[RepetitionAxis], WrittenDim] | None:
    """Loops that go over a dimension in blocks, as `8 * by + u`: each as an axis; None where they leave elements out.

    Each stride times its iterations is the next longer one, and the longest one's the extent, but for one gap, which
    the elements of a block fill: those of `2 * h * k + j` and `2 * h * k + j + h` are h apart.
    """
    strides = sorted((form.factor(loop.name), loop.name, loop) for loop in held)
    reach: Form = Affine(constant=1)
    rest, axes, count, step = form, [], 1, 1
    for stride, name, loop in strides:
        low = loop.low.number
        if low is None or stride <= 0 or not reach.number or stride % reach.number:
            return None
        if stride != reach.number:
            if count > 1:
                return None
            count, step = stride // reach.number, reach.number
        reach = (loop.high - low).scaled(stride)
        rest = rest.without(name) + stride * low
        axes.append(RepetitionAxis(loop, 1, Affine(constant=-low), loop.high - low))
    if dim != reach:
        if count > 1 or not reach.number or dim.number is None or dim.number % reach.number:
            return None
        count, step = dim.number // reach.number, reach.number
    if any(not isinstance(name, str) or factor % step for name, factor in rest.terms) or rest.constant % step:
        return None
    least, most = (extreme(rest, around, greatest=end).number for end in (False, True))
    if least is None or most is None or least < 0 or most >= count * step:
        return None
    extent: Form | None = Affine(constant=count) if count > 1 else None
    return axes, WrittenDim(tuple((name, stride) for stride, name, _ in strides), extent, step)


def _step_axis(held: Sequence[ForLoop], form: Form, dim: Form) -> tuple[list[RepetitionAxis], WrittenDim] | None:
    """The axis of a loop over every other element, as `2 * i + 1`: instances have blocks, over all of the dimension.

    Some of them may write nothing, as where the loop leaves out the ends.
    """
    loop = held[0]
    stride, own = form.factor(loop.name), form.without(loop.name)
    if len(held) > 1 or stride < 2 or own.number is None or dim.number is None or dim.number % stride:
        return None
    axis = RepetitionAxis(loop, 1, Affine(constant=own.number // stride), Affine(constant=dim.number // stride))
    return [axis], WrittenDim(((loop.name, stride),), Affine(constant=stride))
