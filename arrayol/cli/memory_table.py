"""The memories of one design as a table, and why each is built as it is, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from arrayol.cli.tables import facts_table, headed_table
from dse.output.built_memories import BuiltMemories, BuiltMemory


def memory_parts(design: str, built: BuiltMemories) -> Iterator[str | Table]:
    """A heading, the table, the reasons and the totals."""
    yield f"memories of design {design}"
    has_area = any(one.area for one in built.memories)
    costs = ("blocks", "LUT", "FF", "um2") if has_area else ("blocks", "LUT", "FF")
    table = headed_table("memory", "organisation", "built of", right=("data", "bits", *costs))
    for one in built.memories:
        amounts = (one.blocks, one.lut, one.ff, one.area)[: len(costs)]
        table.add_row(
            one.title,
            one.organisation,
            f"{one.built_of} (estimate)" if one.estimate else one.built_of,
            f"{one.data:,}" if one.data else "-",
            f"{one.bits:,}",
            *(f"{amount:,.6g}" for amount in amounts),
        )
    yield table
    yield facts_table([*_reasons(built.memories), ("in all", built.summary)])


def _reasons(memories: tuple[BuiltMemory, ...]) -> Iterator[tuple[str, str]]:
    """The sentences of each memory, those of several alike once."""
    names: dict[tuple[str, ...], list[str]] = {}
    for one in memories:
        names.setdefault(one.sentences, []).append(one.title)
    for sentences, alike in names.items():
        yield ", ".join(dict.fromkeys(alike)), " ".join(sentences)
