"""A task cut in blocks: the repetition inside a block, and what feeds it from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arrayol.ir.spec import ConstValue, Elementary, Port, RepetitiveTask, TiledDefault, Tiler
from arrayol.transforms.naming import Names


@dataclass(frozen=True, slots=True)
class Reach:
    """An array of the old task, read or written by each block through a tiler."""

    array: str
    tiler: Tiler


@dataclass(frozen=True, slots=True)
class State:
    """What an output of the inner repetition was in block R - vector."""

    output: str
    vector: tuple[int, ...]
    default: ConstValue | TiledDefault


@dataclass(frozen=True, slots=True)
class Local:
    """An array inside the block."""

    name: str


@dataclass(frozen=True, slots=True)
class Gathered:
    """What an elementary puts together from several sources."""

    elementary: Elementary
    feeds: tuple[Feed, ...]


@dataclass(frozen=True, slots=True)
class Feed:
    """An input port and where its data come from."""

    port: Port
    source: Reach | State | Local | Gathered


@dataclass(frozen=True, slots=True)
class Sink:
    """An output port of the inner repetition, the arrays it is written to, and its name inside the block, if any."""

    port: Port
    targets: tuple[Reach, ...]
    local: str | None = None


@dataclass(slots=True)
class Ports:
    """The ports of an inner repetition while they are made."""

    names: Names
    owner: str  # the task whose ports they are, for names
    feeds: list[Feed] = field(default_factory=list)
    sinks: list[Sink] = field(default_factory=list)

    def fresh(self, preferred: str, used: Iterable[str] = ()) -> str:
        """A name for a port beside those made, and `used` ones."""
        inner = [feed for one in self.feeds if isinstance(one.source, Gathered) for feed in one.source.feeds]
        made = {one.port.name for one in (*self.feeds, *inner)} | {one.port.name for one in self.sinks}
        return self.names.local(preferred, made | set(used))


@dataclass(frozen=True, slots=True)
class BlockPart:
    """A task's share of a block."""

    inner: RepetitiveTask
    feeds: tuple[Feed, ...]
    sinks: tuple[Sink, ...]


@dataclass(frozen=True, slots=True)
class Inside:
    """How `block_part` treats arrays that stay inside the block: by the old task's array, the shape and tilers there.

    `reads` holds the inner tiler of each link (by its port), `writes` that of each output link (by its place).
    """

    arrays: Mapping[str, Port]
    reads: Mapping[str, Tiler]
    writes: Mapping[int, Tiler]


NOTHING_INSIDE = Inside({}, {}, {})
