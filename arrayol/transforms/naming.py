"""Names for new definitions, ports and arrays: a name has one meaning in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arrayol.ir.expressions import ranges
from arrayol.ir.spec import CompoundTask, Elementary, Spec


class Names:
    """Hands out names that are free: PREFERRED, else PREFERRED_2, PREFERRED_3 and so on."""

    def __init__(self, spec: Spec) -> None:
        self._definitions = {*spec.components, *spec.constants}
        self._taken = self._definitions | set(_local_names(spec))

    def definition(self, preferred: str) -> str:
        """A name for a task or elementary."""
        name = _free(preferred, self._taken)
        self._taken.add(name)
        self._definitions.add(name)
        return name

    def local(self, preferred: str, used: Iterable[str]) -> str:
        """A name for a port or array beside those `used` in the same task."""
        name = _free(preferred, self._definitions | set(used))
        self._taken.add(name)
        return name


def _free(preferred: str, taken: set[str]) -> str:
    number, name = 1, preferred
    while name in taken:
        number += 1
        name = f"{preferred}_{number}"
    return name


def _local_names(spec: Spec) -> Iterator[str]:
    for component in spec.components.values():
        yield from (port.name for port in (*component.inputs, *component.outputs))
        if isinstance(component, CompoundTask):
            yield from component.arrays
        elif isinstance(component, Elementary):
            yield from (item.name for item in ranges(component.body or ()))
