"""Values of parameters: as they are written, as numbers or types, and as they are made of the consts of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from arrayol.ir import syntax, trusted
from arrayol.ir.spec import ConstValue
from arrayol.language.emitter import number
from arrayol.language.namespace import Definitions
from arrayol.language.parameters.substitution import substituted
from arrayol.language.syntax.diagnose import Mistake, mistake
from arrayol.language.syntax.printer import expression
from arrayol.language.syntax.tree import nodes_in
from arrayol.language.tasks import resolve_element_type

_LARGEST = 300  # nodes of an expression that is kept as it is made of consts


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """A number or the name of a type; `made_of` has it by consts of the file, None where that is too long."""

    text: str
    expr: syntax.Expr
    made_of: syntax.Expr | None

    @property
    def integer(self) -> int:
        """The number that an extent is."""
        return int(self.text)


def value_of(constant: ConstValue, made_of: syntax.Expr | None) -> ParameterValue:
    """A number as a value."""
    text = str(constant).lower() if isinstance(constant, bool) else str(constant)
    if made_of is not None and sum(1 for _ in islice(nodes_in(made_of), _LARGEST)) == _LARGEST:
        made_of = None
    return ParameterValue(text, number(constant), made_of)


def type_of(name: syntax.Name) -> ParameterValue:
    """A type as a value. Raises Mistake."""
    text = str(resolve_element_type(name))
    ref = trusted.Ref(trusted.Name(text, name.span), (), name.span)
    return ParameterValue(text, ref, ref)


@dataclass(frozen=True, slots=True)
class Binding:
    """What stands for the parameters of a copy."""

    exprs: Mapping[str, syntax.Expr] = field(default_factory=dict)
    made_of: Mapping[str, syntax.Expr | None] = field(default_factory=dict)

    def number(self, expr: syntax.Expr, what: str, definitions: Definitions) -> ParameterValue:
        """An integer of consts and parameters; `what` names its role. Raises Mistake."""
        return value_of(definitions.constants.integer(substituted(expr, self.exprs), what), self.consts_of(expr))

    def consts_of(self, expr: syntax.Expr) -> syntax.Expr | None:
        """The expression by consts of the file alone."""
        known = {name: value for name, value in self.made_of.items() if value is not None}
        return substituted(expr, known) if len(known) == len(self.made_of) else None


NOTHING = Binding()


def binding(parameters: Sequence[syntax.Name], values: Sequence[ParameterValue]) -> Binding:
    """The values by the names of the parameters."""
    pairs = [(name.text, value) for name, value in zip(parameters, values, strict=True)]
    return Binding({name: value.expr for name, value in pairs}, {name: value.made_of for name, value in pairs})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a definition."""

    name: str
    is_type: bool
    owner: str

    def read(self, written: syntax.Expr, own: Binding, definitions: Definitions) -> ParameterValue:
        """The value that is written for it, in a task with parameters of its own. Raises Mistake."""
        if self.is_type:
            return self._type(substituted(written, own.exprs))
        try:
            constant = definitions.constants.evaluate(substituted(written, own.exprs))
        except Mistake as failure:
            if failure.diagnostic and failure.diagnostic.code == "unknown-name" and not failure.diagnostic.hint:
                hint = f"'{self.name}' of '{self.owner}' is a number: an expression of consts"
                raise Mistake(replace(failure.diagnostic, hint=hint)) from None
            raise
        return value_of(constant, own.consts_of(written))

    def _type(self, written: syntax.Expr) -> ParameterValue:
        if isinstance(written, syntax.Ref) and not written.subscripts:
            return type_of(trusted.Name(written.name.text, written.span))
        message = f"'{self.name}' of '{self.owner}' is a type, and '{expression(written)}' is none"
        raise mistake("wrong-arguments", message, written.span, "name an element type, as i8")


def as_type(name: syntax.Name, own: Binding) -> syntax.Name:
    """The name of a type with that of a parameter replaced."""
    value = own.exprs.get(name.text)
    return syntax.Name(value.name.text, name.span) if isinstance(value, syntax.Ref) else name
