"""Bodies of elementaries in C++: those of C, where all tools compute the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arrayol.errors import error
from arrayol.ir.expressions import Function, assigns, expressions, inside
from arrayol.ir.spec import Elementary
from arrayol.ir.types import ElementType
from arrayol.operators.registry import FUNCTIONS
from hwmodel.emit.c.expressions import Helpers
from hwmodel.emit.c.names import Named
from hwmodel.emit.c.tasks import function_of


def bodies_of(elementaries: Iterable[Elementary]) -> Iterator[list[str]]:
    """The bodies of elementaries, each once, after what they call. Const arrays are read as all other inputs."""
    helpers, found = Helpers(), dict[str, list[str]]()
    for own in elementaries:
        if own.name not in found:
            found[own.name] = _body_of(own, helpers)
    texts = (text for name, text in helpers.texts.items() if not name.startswith("join_"))  # schedule.hpp has these
    yield [line for text in texts for line in text.splitlines()]
    yield from found.values()


def _body_of(elementary: Elementary, helpers: Helpers) -> list[str]:
    """The function of a body, const arrays as parameters too. Raises ArrayolError (`not-in-hardware`)."""
    _require_exact(elementary)
    head, *lines = function_of(elementary, Named.DO.of(elementary.name), helpers, ())
    return [head, "#pragma HLS INLINE", *lines]


def _is_inexact(node: Function) -> bool:
    """Whether neither the language nor a standard says how it is rounded."""
    function = FUNCTIONS.get(node.name)
    return (
        function is not None and function.by_library and (function.single is None or node.type is not ElementType.F32)
    )


def _require_exact(elementary: Elementary) -> None:
    """Raise ArrayolError (`not-in-hardware`) for a function whose last bit depends on who computes it."""
    for assign in assigns(elementary.body or ()):
        for node in (node for expr in expressions(assign) for node in inside(expr)):
            if isinstance(node, Function) and _is_inexact(node):
                raise error(
                    "not-in-hardware",
                    f"'{elementary.name}' cannot be printed: tools round '{node.name}' in ways of their own",
                    node.span,
                    hint="only what is rounded exactly is printed",
                )
