"""The requests of `#pragma HLS`, each with a remark on who decides here what it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pycparser import c_ast

from arrayol.c_import.reading.syntax import Places
from arrayol.source import Span

_STUDY = "--study FILE writes what it asks for"
_DECIDED = {
    "unroll": f"how many iterations run at once is chosen by explore: units repeat an unrolled body; {_STUDY}",
    "pipeline": f"the initiation interval is chosen by explore, from those that the platform offers; {_STUDY}",
    "array_partition": "the banks of a local memory are chosen by explore",
    "array_reshape": "the words of a local memory are chosen by explore",
    "dataflow": f"which tasks run together in one group is chosen by explore; {_STUDY}",
    "inline": "functions are always inlined",
    "loop_flatten": "a repetition has no order of loops: explore chooses the scan",
    "loop_tripcount": "the sizes are those of the loops",
    "interface": "how data come to the chip is chosen by the platform, and by explore",
    "dependence": "which iterations depend on each other is decided exactly",
    "resource": "what a datapath is built of is chosen by the platform's technology",
    "bind_storage": "what a local memory is built of is chosen by the platform",
    "bind_op": "what an operator is built of is chosen by the platform's technology",
    "stream": "which arrays go through FIFOs is chosen by explore",
    "latency": "the latency of a datapath is derived from its body",
    "allocation": "how often an operator is built is chosen by explore",
    "expression_balance": "operations keep the order of the C, so that the bits do",
}


@dataclass(frozen=True)
class Request:
    """One `#pragma HLS`: its kind, its options by name, its place, and that of the `for` it stands in, if it does."""

    text: str
    kind: str
    options: Mapping[str, str]
    span: Span
    loop: Span | None

    @property
    def remark(self) -> str:
        """A sentence for the user: the pragma, and who decides here what it asks for."""
        decided = _DECIDED.get(self.kind, "it has no counterpart and changes nothing here")
        return f"#pragma {self.text}: {decided}"

    def number(self, option: str) -> int | None:
        """The whole number, 1 or more, that an option gives; None without one."""
        text = self.options.get(option, "")
        return int(text) if re.fullmatch(r"0*[1-9]\d{0,6}", text) else None


def requests_of(function: c_ast.FuncDef, places: Places) -> tuple[Request, ...]:
    """The pragmas HLS of a function, in the order of the text."""
    return tuple(_requests(function.body, places, None))


def _requests(node: c_ast.Node, places: Places, loop: Span | None) -> Iterator[Request]:
    if isinstance(node, c_ast.For):
        loop = places.span(node)
    if isinstance(node, c_ast.Pragma):
        text = " ".join(node.string.split())
        words = re.sub(r"\s*=\s*", "=", text).split()
        if words and words[0].upper() == "HLS":
            options = dict(word.lower().partition("=")[::2] for word in words[2:])
            yield Request(text, words[1].lower() if len(words) > 1 else "", options, places.span(node), loop)
    for _, child in node.children():
        yield from _requests(child, places, loop)
