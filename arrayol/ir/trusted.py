"""Constructors of nodes that check nothing: for the parser, and for what makes nodes of sound ones."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from arrayol.ir import syntax
from arrayol.ir.checked import trusted

Node = TypeVar("Node")

Name = trusted(syntax.Name)
Number = trusted(syntax.Number)
Truth = trusted(syntax.Truth)
Unary = trusted(syntax.Unary)
Binary = trusted(syntax.Binary)
Conditional = trusted(syntax.Conditional)
Apply = trusted(syntax.Apply)
Ref = trusted(syntax.Ref)
Infinite = trusted(syntax.Infinite)
Vector = trusted(syntax.Vector)
Matrix = trusted(syntax.Matrix)
Tiler = trusted(syntax.Tiler)
Import = trusted(syntax.Import)
Const = trusted(syntax.Const)
Table = trusted(syntax.Table)
DataFile = trusted(syntax.DataFile)
ConstArray = trusted(syntax.ConstArray)
TilerDef = trusted(syntax.TilerDef)
Port = trusted(syntax.Port)
Range = trusted(syntax.Range)
Assign = trusted(syntax.Assign)
Loop = trusted(syntax.Loop)
Local = trusted(syntax.Local)
Signature = trusted(syntax.Signature)
Elementary = trusted(syntax.Elementary)
BorderMode = trusted(syntax.BorderMode)
InputLink = trusted(syntax.InputLink)
OutputLink = trusted(syntax.OutputLink)
TiledDefault = trusted(syntax.TiledDefault)
DelayLink = trusted(syntax.DelayLink)
Repeat = trusted(syntax.Repeat)
Strided = trusted(syntax.Strided)
Whole = trusted(syntax.Whole)
Part = trusted(syntax.Part)
Array = trusted(syntax.Array)
Call = trusted(syntax.Call)
Task = trusted(syntax.Task)
Specification = trusted(syntax.Specification)


def replace(node: Node, **changes: Any) -> Node:
    """A node with other values of some fields."""
    return trusted(type(node))(**{part.name: getattr(node, part.name) for part in fields(node)} | changes)  # type: ignore[arg-type]
