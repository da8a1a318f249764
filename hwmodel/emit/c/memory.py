"""External and local memory of a tiled nest in C: how an element of each is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from arrayol.tiling.allocation import Allocation
from arrayol.tiling.nest import NestArray
from hwmodel.emit.c.bodies import sizes
from hwmodel.emit.c.lines import Lines, declared, element, sum_text
from hwmodel.emit.c.types import c_name, c_type

MOD = ["static inline int64_t mod(int64_t a, int64_t b) {", "  return (a % b + b) % b;", "}"]


@dataclass(frozen=True)
class Memory:
    """The arrays of a nest, and where local memory holds their elements.

    Local memory of array x is `x_slots`, and `local_x(e0, e1)` is the place of an element in it.
    """

    arrays: Mapping[str, NestArray]
    allocations: Mapping[str, Allocation]
    carried: Collection[str]  # the delayed arrays that pass from strip to strip

    def external(self, array: str, subscripts: Sequence[str]) -> str:
        """An element in external memory."""
        return element(self.name(array), subscripts)

    def local(self, array: str, subscripts: Sequence[str]) -> str:
        """An element in local memory."""
        return f"local_{self._stem(array)}({', '.join(subscripts)})"

    def name(self, array: str) -> str:
        """The C array in external memory."""
        return f"kept_{self._stem(array)}" if self.arrays[array].role == "delayed" else c_name(array)

    def slots(self, array: str) -> str:
        """The C array in local memory."""
        return f"{self._stem(array)}_slots"

    def parameters(self, *, written: bool) -> str:
        """The arrays in external memory as parameters; only what is `written` may change."""
        found = []
        for array in self.arrays.values():
            if array.role != "delayed":
                fixed = "" if written and array.role == "output" else "const "
                found.append(f"{fixed}{declared(c_name(array.name), array.type, sizes(array.shape))}")
        return ", ".join(found)

    def arguments(self) -> str:
        """The same arrays as arguments."""
        return ", ".join(self.name(array.name) for array in self.arrays.values() if array.role != "delayed")

    def definitions(self) -> Lines:
        """Local memory, and external memory for what delays carry from strip to strip."""
        lines: Lines = []
        for name, array in self.arrays.items():
            if name in self.carried:
                text = declared(self.name(name), array.type, sizes(array.shape))
                lines += ["/* External memory for what delays carry. */", f"static {text};", ""]
        for name, allocation in self.allocations.items():
            lines += self._local(name, allocation)
        return lines[:-1]

    def _local(self, name: str, allocation: Allocation) -> Lines:
        array, stem = self.arrays[name], self._stem(name)
        axes = [f"e{axis}" for axis in range(len(array.shape))]
        inside = [f"({axis})" for axis in axes]
        places = [
            f"mod({sum_text(0, row, inside)}, {modulus})"
            for row, modulus in zip(allocation.matrix, allocation.moduli, strict=True)
        ]
        bounds = "".join(f"[{modulus}]" for modulus in allocation.moduli or (1,))
        return [
            f"/* {stem}: {allocation.size} of {_count(array)}; {allocation.reason}. */",
            f"static {c_type(array.type)} {self.slots(name)}{bounds};",
            f"#define local_{stem}({', '.join(axes)}) {element(self.slots(name), places)}",
            "",
        ]

    def _stem(self, array: str) -> str:
        return array.replace("'", "_carried")


def _count(array: NestArray) -> str:
    count = 1
    for length in sizes(array.shape):
        count *= length
    return f"{count} element{'' if count == 1 else 's'} at once"
