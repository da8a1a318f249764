"""Types of expressions in bodies: names bound, constants folded, promotions made explicit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from arrayol.ir import expressions, syntax
from arrayol.ir.spec import ConstValue, Local, Port, written_name
from arrayol.ir.types import ElementType, Kind, ValueType, Weak, is_type, operands_of
from arrayol.language import constants
from arrayol.language.constants import check_function, saturated_type
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import Mistake, mistake, shown_port
from arrayol.language.syntax.tree import chain_of, names_in, nodes_in
from arrayol.language.typing.promotion import fixed_operation, meet, rounded
from arrayol.operators.record import Gives, Operands, Operator
from arrayol.operators.registry import FUNCTIONS, INFIX, PREFIX
from arrayol.source import Span
from arrayol.text import counted, listed


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean inside a body: ports, range variables, locals, and the consts of the file.

    A local whose declaration has a mistake is None. `declared` collects the locals of the whole body. `symbols` are
    consts that stay symbolic, among the `indices`, with their values.
    """

    ports: Mapping[str, Port]
    indices: tuple[str, ...]
    definitions: Definitions
    locals: Mapping[str, Local | None] = field(default_factory=dict)
    declared: list[Local] = field(default_factory=list)
    symbols: Mapping[str, int] = field(default_factory=dict)

    @property
    def known(self) -> Definitions:
        """The definitions with a number for each const, those that stay symbolic among them."""
        return self.definitions

    def with_index(self, name: syntax.Name) -> Scope:
        """The scope inside a range. Raises where its variable's name is taken."""
        self.check_free(name)
        return replace(self, indices=(*self.indices, name.text))

    def with_local(self, name: syntax.Name, local: Local | None) -> Scope:
        """The scope after the declaration of a local; None for one with a mistake."""
        return replace(self, locals={**self.locals, name.text: local})

    def check_free(self, name: syntax.Name) -> None:
        """Raise where a name has a meaning here."""
        kinds = ((self.ports, "a port"), (self.indices, "a range variable"), (self.locals, "a local"))
        what = next((f"{kind} here" for names, kind in kinds if name.text in names), None)
        if what is None and name.text in self.definitions.by_name:
            what = f"{self.definitions.kind(name.text)} of this file"
        if what:
            raise mistake("name-reused", f"'{name.text}' is already {what}", name.span, "choose another name")

    def typed(self, expr: syntax.Expr) -> expressions.Expr:
        """The typed form of an expression. Raises Mistake."""
        match expr:
            case syntax.Number() | syntax.Truth():
                return constant(expr.value, expr.span)
            case syntax.Ref():
                return self._ref(expr)
            case syntax.Binary():
                return self._chain(expr)
            case syntax.Unary():
                return _unary(expr.operator, self.typed(expr.operand), expr.span)
            case syntax.Conditional():
                return self._conditional(expr)
            case syntax.Apply():
                return self._apply(expr)

    def truth(self, expr: syntax.Expr, word: str) -> expressions.Expr:
        """A condition. Raises where it is no truth value."""
        condition = self.typed(expr)
        if condition.type not in (ElementType.BOOL, Weak.BOOL):
            message = f"'{word}' takes a condition, not {shown(condition.type)}"
            raise mistake("wrong-operand", message, expr.span, "compare it, as in x != 0")
        return condition

    def bound(self, expr: syntax.Expr, later: Set[str] = frozenset()) -> expressions.Expr:
        """A bound of a range: an integer of consts and earlier range variables; `later` names the others."""
        early = next((name for name in sorted(names_in(expr) & later) if name not in self.indices), None)
        if early is not None:
            raise mistake(
                "range-bound", f"'{early}' has no value yet", expr.span, "a range uses earlier variables only"
            )
        for ref in nodes_in(expr):
            if isinstance(ref, syntax.Ref) and ref.name.text in self.definitions.tables:
                hint = "a bound is made of consts and earlier range variables"
                raise mistake("not-a-const", f"'{ref.name.text}' is a const array, not a const", ref.span, hint)
        value = self.typed(expr)
        if value.type is not Weak.INTEGER:
            hint = "bounds are integers made of consts and earlier range variables; use 'where' for conditions on data"
            raise mistake(
                "range-bound", f"a bound of a range is a constant integer, not {shown(value.type)}", expr.span, hint
            )
        return value

    def subscripts(self, ref: syntax.Ref, array: Port | Local) -> tuple[expressions.Expr, ...]:
        """The subscripts of an element of a port or local, one per dimension; those of the loops around a local first.

        Raises Mistake.
        """
        count, rank = len(ref.subscripts), len(array.shape)
        if count != rank:
            message = f"'{shown_port(array)}' takes {counted(rank, 'subscript')}, not {count}"
            raise mistake("rank-mismatch", message, ref.span, "a body computes element by element")
        typed = tuple(self.typed(subscript) for subscript in ref.subscripts)
        for subscript in typed:
            integral = isinstance(subscript.type, ElementType) and subscript.type.is_integer
            if subscript.type is not Weak.INTEGER and not integral:
                message = f"a subscript is an integer, not {shown(subscript.type)}"
                raise mistake("not-an-integer", message, subscript.span, "convert it: i64(...)")
        around = array.around if isinstance(array, Local) else ()
        return (*(expressions.Index(outer.name, ref.span) for outer in around), *typed)

    def check_alive(self, name: syntax.Name) -> None:
        """Raise where a name is that of a local of a loop that has ended."""
        if any(written_name(local.name) == name.text for local in self.declared):
            message, hint = f"local '{name.text}' ends with its loop", "declare it before the loop"
            raise mistake("unknown-name", message, name.span, hint)

    def array(self, name: str) -> Port | Local | None:
        """The port or local of that name. Raises a silent Mistake for a local whose declaration has one."""
        if name in self.locals and self.locals[name] is None:
            raise Mistake
        return self.locals.get(name) or self.ports.get(name)

    def _ref(self, ref: syntax.Ref) -> expressions.Expr:
        name, array = ref.name.text, self.array(ref.name.text)
        table = self.definitions.tables.get(name)
        if table and table.number is not None and not ref.subscripts:
            return expressions.Constant(table.number, table.type, ref.span)
        if array:
            around = len(array.around) if isinstance(array, Local) else 0
            return expressions.Read(array.name, self.subscripts(ref, array), array.type, ref.span, around)
        if name in self.indices or name in self.definitions.constants.values:
            if ref.subscripts:
                raise mistake("rank-mismatch", f"'{name}' is a number and takes no subscript", ref.span)
            if name in self.indices:
                return expressions.Index(name, ref.span)
            return constant(self.definitions.constants.values[name], ref.span)
        if name in self.definitions.constants.broken:
            raise Mistake
        self.check_alive(ref.name)
        known = {*self.ports, *self.indices, *self.locals, *self.definitions.constants.values}
        raise self.definitions.unknown(ref.name, "port, range variable or const", known)

    def _apply(self, expr: syntax.Apply) -> expressions.Expr:
        name = expr.function
        if name.text in self.ports:
            hint = f"subscripts go in square brackets, as in {name.text}[0]"
            raise mistake("unknown-function", f"'{name.text}' is a port, no function", name.span, hint)
        check_function(expr)
        function = FUNCTIONS.get(name.text)
        if function is not None and function.gives is Gives.NAMED:
            return saturated(saturated_type(expr), self.typed(expr.arguments[1]), expr.span)
        arguments = [self.typed(argument) for argument in expr.arguments]
        if len(arguments) == 2 and name.text in ("c64", "c128"):
            return _complex(ElementType(name.text), arguments, expr.span)
        if is_type(name.text):
            return _convert(ElementType(name.text), arguments[0], expr.span)
        return _applied(FUNCTIONS[name.text], arguments, expr.span)

    def _chain(self, expr: syntax.Binary) -> expressions.Expr:
        left, chain = chain_of(expr)
        value = self.typed(left)
        for node in chain:
            if not _decided(node.operator, value):
                value = self.operation(node.operator, value, self.typed(node.right), node.span)
        return value

    def operation(self, sign: str, left: expressions.Expr, right: expressions.Expr, span: Span) -> expressions.Expr:
        """Two typed operands joined by an operator. Raises Mistake."""
        return _binary(sign, left, right, span)

    def _conditional(self, expr: syntax.Conditional) -> expressions.Expr:
        condition = self.truth(expr.condition, "if")
        if isinstance(condition, expressions.Constant):
            return self.typed(expr.then if condition.value else expr.otherwise)
        branches = [self.typed(expr.then), self.typed(expr.otherwise)]
        common = _common(branches, "the branches of 'if'", expr.span)
        then, otherwise = (settle(branch, common) for branch in branches)
        return expressions.Select(condition, then, otherwise, common, expr.span)


def constant(value: ConstValue, span: Span) -> expressions.Constant:
    """A constant with its weak type."""
    kind = Weak.BOOL if isinstance(value, bool) else Weak.FLOAT if isinstance(value, float) else Weak.INTEGER
    return expressions.Constant(value, kind, span)


def settle(expr: expressions.Expr, target: ValueType) -> expressions.Expr:
    """The expression in a type that `meet` has allowed; a constant must fit it."""
    if expr.type is target or isinstance(target, Weak):
        return expr
    if isinstance(expr, expressions.Constant):
        hint = "convert what it meets to a wider type first"
        known = expr.number
        constants.check_fits(known, target, expr.span, hint)
        value = known if target.wraps or target is ElementType.BOOL else float(known)
        return replace(expr, value=target.held(value), type=target)
    if expr.type is Weak.FLOAT and target.is_fixed:
        return _exactly(expr, target)
    return expressions.Convert(expr, target, expr.span)


def _exactly(expr: expressions.Expr, target: ElementType) -> expressions.Expr:
    """A float that range variables decide, in a fixed-point type: only constants can be known to be exact there."""
    if isinstance(expr, expressions.Select):
        then, otherwise = (settle(branch, target) for branch in (expr.then, expr.otherwise))
        return replace(expr, then=then, otherwise=otherwise, type=target)
    message = f"this float is not known to be a value of {target}"
    raise mistake("wrong-operand", message, expr.span, f"convert it: {target}(...)")


def shown(value_type: ValueType) -> str:
    """A type in a message."""
    if isinstance(value_type, ElementType):
        return f"a value of type {value_type}"
    return f"{'an' if value_type is Weak.INTEGER else 'a'} {value_type.value}"


def _common(operands: Sequence[expressions.Expr], what: str, span: Span) -> ValueType:
    common: ValueType = operands[0].type
    for operand in operands[1:]:
        met = meet(common, operand.type)
        if met is None:
            names = listed(sorted({_type_name(operand.type) for operand in operands}))
            hint = "convert one of them, as in i64(e) or f64(e)"
            raise mistake("no-common-type", f"{what} have no common type: {names}", span, hint)
        common = met
    return common


def _type_name(value_type: ValueType) -> str:
    return str(value_type) if isinstance(value_type, ElementType) else f"{value_type.value}s"


def _binary(sign: str, left: expressions.Expr, right: expressions.Expr, span: Span) -> expressions.Expr:
    operator = INFIX[sign]
    if _weak_constants(left, right):
        return constant(_folded(operator, left, right, span), span)
    special = fixed_operation(operator, left, right, span)
    if special is not None:
        return special
    common = _common((left, right), f"the operands of '{sign}'", span)
    _check_operator(operator, common, span)
    operands = (settle(left, common), settle(right, common))
    return expressions.Operation(sign, operands, _result_type(operator, common), span)


def _decided(sign: str, left: expressions.Expr) -> bool:
    """Whether a constant left operand of `and` or `or` leaves the right one out."""
    decides = INFIX[sign].decides
    return isinstance(left, expressions.Constant) and left.type is Weak.BOOL and left.value is decides


def _weak_constants(*operands: expressions.Expr) -> bool:
    return all(isinstance(operand, expressions.Constant) and isinstance(operand.type, Weak) for operand in operands)


def _folded(operator: Operator, left: expressions.Expr, right: expressions.Expr, span: Span) -> ConstValue:
    assert isinstance(left, expressions.Constant)
    assert isinstance(right, expressions.Constant)
    if operator.is_connective:
        for operand in (left, right):
            if operand.type is not Weak.BOOL:
                message = f"'{operator.name}' takes conditions, not {shown(operand.type)}"
                raise mistake("wrong-operand", message, operand.span)
    return constants.binary(operator.name, left.value, right.value, span)


def _result_type(operator: Operator, common: ValueType) -> ValueType:
    if not operator.is_comparison:
        return common
    return Weak.BOOL if isinstance(common, Weak) else ElementType.BOOL


def _check_operator(operator: Operator, common: ValueType, span: Span) -> None:
    """Raise where an operator or a function is not defined on a type."""
    operands = operands_of(common)
    if operands not in operator.domain.defined:
        message = f"'{operator.name}' is not defined on {_type_name(common)}"
        raise mistake("wrong-operand", message, span, operator.domain.hint_for(operands))


def _unary(sign: str, operand: expressions.Expr, span: Span) -> expressions.Expr:
    if isinstance(operand, expressions.Constant) and isinstance(operand.type, Weak):
        return constant(constants.unary(sign, operand.value, span), span)
    _check_operator(PREFIX[sign], ElementType.BOOL if operand.type is Weak.BOOL else operand.type, span)
    return expressions.Operation(sign, (operand,), operand.type, span)


def _convert(target: ElementType, operand: expressions.Expr, span: Span) -> expressions.Expr:
    if isinstance(operand, expressions.Constant) and isinstance(operand.type, Weak):
        if target.kind is Kind.COMPLEX:
            return settle(replace(operand, span=span), target)
        return expressions.Constant(target.held(constants.convert(target, operand.value, span)), target, span)
    if isinstance(operand.type, ElementType) and operand.type.kind is Kind.COMPLEX and target.kind is not Kind.COMPLEX:
        hint = "real(e) gives its real part, abs(e) its magnitude"
        raise mistake("wrong-operand", f"a complex number does not convert to {target}", span, hint)
    return expressions.Convert(operand, target, span)


def _applied(function: Operator, arguments: Sequence[expressions.Expr], span: Span) -> expressions.Expr:
    if function.gives is Gives.ROUNDED:
        return _rounded(function, arguments, span)
    if function.domain.defined == {Operands.COMPLEX}:
        return _of_complex(function, arguments, span)
    name = function.name
    if _weak_constants(*arguments):
        values = [argument.value for argument in arguments if isinstance(argument, expressions.Constant)]
        return constant(constants.apply(name, values, span), span)
    common = _common(arguments, f"the arguments of '{name}'", span)
    _check_operator(function, common, span)
    if function.gives is Gives.FLOAT:
        if common is Weak.INTEGER:
            return expressions.Function(name, tuple(arguments), Weak.FLOAT, span)
        common = ElementType.F64 if isinstance(common, ElementType) and common.wraps else common
    settled = tuple(settle(argument, common) for argument in arguments)
    result = common
    if function.gives is Gives.MAGNITUDE and isinstance(common, ElementType):
        result = _COMPONENTS.get(common, common)
    return expressions.Function(name, settled, result, span)


def saturated(target: ElementType, operand: expressions.Expr, span: Span) -> expressions.Expr:
    """The value of a type that is nearest to an operand. Raises Mistake where that is no real number."""
    if isinstance(operand, expressions.Constant) and isinstance(operand.type, Weak):
        return expressions.Constant(target.held(constants.saturate(target, operand.value, span)), target, span)
    if operand.type is Weak.BOOL or not (isinstance(operand.type, Weak) or operand.type.is_real):
        raise mistake("wrong-operand", f"'sat' is not defined on {_type_name(operand.type)}", span)
    return expressions.Function("sat", (operand,), target, span)


def _rounded(function: Operator, arguments: Sequence[expressions.Expr], span: Span) -> expressions.Expr:
    (operand, last), name = arguments, function.name
    bits = constants.rounding_bits(last.number if isinstance(last, expressions.Constant) else None, last.span)
    if isinstance(operand, expressions.Constant) and isinstance(operand.type, Weak):
        return constant(constants.apply(name, (operand.value, bits), span), span)
    if operand.type is Weak.INTEGER:
        return operand
    if isinstance(operand.type, ElementType) and operand.type.wraps:
        return expressions.Function(name, (operand, constant(bits, last.span)), rounded(operand.type, bits, span), span)
    _check_operator(function, operand.type, span)
    return expressions.Function(name, (operand, constant(bits, last.span)), operand.type, span)


_COMPONENTS = {ElementType.C64: ElementType.F32, ElementType.C128: ElementType.F64}


def _of_complex(function: Operator, arguments: Sequence[expressions.Expr], span: Span) -> expressions.Expr:
    (operand,) = arguments
    _check_operator(function, operand.type, span)
    assert isinstance(operand.type, ElementType)
    result = _COMPONENTS[operand.type] if function.gives is Gives.PART else operand.type
    return expressions.Function(function.name, (operand,), result, span)


def _complex(target: ElementType, parts: Sequence[expressions.Expr], span: Span) -> expressions.Expr:
    """The complex number of two parts, each converted to the type of a part."""
    component = _COMPONENTS[target]
    settled = (part if part.type is component else _convert(component, part, part.span) for part in parts)
    return expressions.Function(str(target), tuple(settled), target, span)
