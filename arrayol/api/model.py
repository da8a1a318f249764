"""The model of a specification: the classes that a specification in Python is built of.

For example::

    from arrayol import api
    from arrayol.api import model as m

    double = m.Elementary("double", m.Signature([m.Port("x", "i32")], [m.Port("y", "i32")]), [
        m.Assign("y", {"operator": "*", "left": 2, "right": "x"}),
    ])
    each = m.Tiler(origin=[0], paving=[[1]], fitting=[])
    links = [m.InputLink("x", "a", each), m.OutputLink("y", "b", each)]
    ports = m.Signature([m.Port("a", "i32", ["N"])], [m.Port("b", "i32", ["N"])])
    row = m.Task("row", ports, m.Repeat(["N"], "double", links))
    spec = api.load(m.Specification([m.Const("N", 8), double, row]))

A call validates its arguments, and raises ArrayolError with every mistake. In the place of nodes it takes what JSON has
there: numbers, truth values, names, lists and dictionaries, ``"*"`` for an infinite dimension and ``".."`` for a whole
one. What needs other definitions is checked by ``api.load``.
"""

from __future__ import annotations

from arrayol.ir.syntax import (
    Apply,
    Array,
    Assign,
    Binary,
    BorderMode,
    Call,
    Conditional,
    Const,
    ConstArray,
    DataFile,
    DelayLink,
    Elementary,
    Import,
    Infinite,
    InputLink,
    Local,
    Loop,
    Matrix,
    Name,
    Number,
    OutputLink,
    Part,
    Port,
    Range,
    Ref,
    Repeat,
    Signature,
    Specification,
    Strided,
    Table,
    Task,
    TiledDefault,
    Tiler,
    TilerDef,
    Truth,
    Unary,
    Vector,
    Whole,
)

__all__ = [
    "Apply",
    "Array",
    "Assign",
    "Binary",
    "BorderMode",
    "Call",
    "Conditional",
    "Const",
    "ConstArray",
    "DataFile",
    "DelayLink",
    "Elementary",
    "Import",
    "Infinite",
    "InputLink",
    "Local",
    "Loop",
    "Matrix",
    "Name",
    "Number",
    "OutputLink",
    "Part",
    "Port",
    "Range",
    "Ref",
    "Repeat",
    "Signature",
    "Specification",
    "Strided",
    "Table",
    "Task",
    "TiledDefault",
    "Tiler",
    "TilerDef",
    "Truth",
    "Unary",
    "Vector",
    "Whole",
]
