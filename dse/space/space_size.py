"""How large a space is, counted before anything of it is searched."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.text import counted, rounded
from dse.space.mappings import MappingSpace
from dse.space.size import count_fusions, count_wholes


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """Fusions (None: too many to be counted), groups, and designs without what a study has beyond plain ones."""

    fusions: int | None
    groups: int
    structures: int  # group designs but for their units
    group_designs: int
    whole_designs: int | None

    def text(self, space: MappingSpace) -> str:
        """The size for people."""
        fusions = "fusions" if self.fusions is None else counted(self.fusions, "fusion")
        whole = "" if self.whole_designs is None else f", {rounded(self.whole_designs)} whole designs"
        plain = f"{counted(self.groups, 'group')}, {rounded(self.group_designs)} plain group designs{whole}"
        more = "; beside them the options of the study" if space.study.has_options else ""
        return f"{space.model.network.name}: {fusions} of {counted(len(space.graph), 'task')}, {plain}{more}"


def size_of(space: MappingSpace) -> SpaceSize:
    """The size of a space; a group with several last tasks counts as one design, an infeasible one."""
    blocks: dict[str, int] = {}
    structures = 0
    sizes = {}
    for group in space.groups:
        last = space.last(group)
        if last is None:
            sizes[group] = 1
            continue
        if last not in blocks:
            blocks[last] = sum(len(shapes) for _, shapes in space.structures(last))
        structures += blocks[last]
        sizes[group] = blocks[last] * len(space.units) ** group.bit_count()
    return SpaceSize(
        count_fusions(space), len(space.groups), structures, sum(sizes.values()), count_wholes(space, sizes)
    )
