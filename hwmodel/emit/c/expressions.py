"""Expressions of bodies as C with the language's own arithmetic: types are explicit, the order is the written one.

What C computes otherwise goes through a helper; integers of 8 and 16 bits, which C computes as int, are cut to their
type. Sums, products and bitwise operators give the same result modulo the type's range whenever they are cut, so they
are cut once, at the end (`Text.modular`). Integers of no type yet are int64_t, and refused where interval analysis
cannot show that they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.errors import error
from arrayol.ir.expressions import Constant, Convert, Expr, Function, Index, Operation, Range, Read, Select, chain_of
from arrayol.ir.intervals import UnboundedError, interval
from arrayol.ir.spec import Local
from arrayol.ir.types import ElementType, Kind, Weak
from arrayol.operators.record import CForm, Fixed, Gives, Interval, Operator
from arrayol.operators.registry import C_HELPERS, FUNCTIONS, INFIX, PREFIX
from arrayol.polyhedral.pieces import value_pieces
from hwmodel.emit.c.helpers import bound, c_type, element_type, helper, identifier, literal
from hwmodel.emit.c.lines import element
from hwmodel.emit.c.names import Named
from hwmodel.emit.c.stored import helper_between, moved, name_between

ATOM = 100
_UNARY, _QUESTION = 90, 10
_SUM, _PRODUCT, _MASK, _UNEQUAL = (INFIX[sign].c.level for sign in ("+", "*", "&", "!="))
_COMPONENTS = {ElementType.C64: ElementType.F32, ElementType.C128: ElementType.F64}


@dataclass(frozen=True)
class Text:
    """C and how tightly its outermost operator binds.

    `modular` is shorter C whose value is only right modulo the type's range: enough for operands of + - * & ^ | ~
    and for what is stored, since all these cut to the type in the end.
    """

    code: str
    level: int = ATOM
    modular: Text | None = None

    @property
    def cut_later(self) -> Text:
        """The C where the result is cut to the type anyway."""
        return self.modular or self

    def inside(self, level: int) -> str:
        """The C as an operand of something that binds at `level`."""
        return self.code if self.level >= level else f"({self.code})"


@dataclass
class Helpers:
    """The helpers that a program uses, in order of their first use."""

    texts: dict[str, str] = field(default_factory=dict)

    def call(self, name: str, kind: ElementType, *arguments: str) -> Text:
        """A call of a helper for an element type. Those of complex numbers join parts."""
        if kind.kind is Kind.COMPLEX and name in C_HELPERS and not C_HELPERS[name].gives_part:
            self.texts.setdefault(f"join_{identifier(kind)}", helper("join", kind))
        self.texts.setdefault(f"{name}_{identifier(kind)}", helper(name, kind))
        return Text(f"{name}_{identifier(kind)}({', '.join(arguments)})")

    def between(self, name: str, target: ElementType, source: ElementType, argument: str) -> Text:
        """A call of a helper that gives one type and takes another."""
        called = name_between(name, target, source)
        self.texts.setdefault(called, helper_between(name, target, source))
        return Text(f"{called}({argument})")


Element = Callable[[str, Sequence[str]], str]


def plain_element(array: str, subscripts: Sequence[str]) -> str:
    """An element of an array of the specification that is a C array of its name."""
    return element(Named.ARRAY.of(array), subscripts)


@dataclass(frozen=True)
class Scope:
    """What names mean: range variables with their bounds, the lengths of arrays, and how an element is written in C.

    `locals` are those that blocks declare.
    """

    shapes: Mapping[str, tuple[int, ...]]
    helpers: Helpers
    element: Element = plain_element
    locals: Sequence[Local] = ()
    variables: Mapping[str, Interval] = field(default_factory=dict)

    def within(self, item: Range) -> Scope:
        """A scope with the variable of one more range; that of an empty range has its first index."""
        (first, _), (_, end) = self._interval(item.low), self._interval(item.high)
        return replace(self, variables={**self.variables, item.name: (first, max(first, end - 1))})

    def read(self, port: str, subscripts: tuple[Expr, ...]) -> Text:
        """An element of a port, its subscripts checked where only the execution knows them."""
        dimensions = zip(subscripts, self.shapes[port], strict=True)
        return Text(self.element(port, tuple(self._subscript(node, length) for node, length in dimensions)))

    def _subscript(self, node: Expr, length: int) -> str:
        text = self.text(node)
        names = {name: name for name in self.variables}
        if isinstance(node.type, Weak) and value_pieces(node, names) is not None:  # the checks have proved it
            return text.code
        return self.helpers.call("at", ElementType.I64, text.code, str(length)).code

    def text(self, node: Expr) -> Text:
        """The C of an expression. Raises ArrayolError (`too-wide-for-c`)."""
        match node:
            case Constant() | Index():
                return _leaf(node)
            case Read():
                return self.read(node.port, node.subscripts)
            case Operation():
                return self._operation(node)
            case Function():
                return self._function(node)
            case Convert():
                return self._convert(node)
            case Select():
                parts = [self.text(part).inside(_QUESTION + 1) for part in (node.condition, node.then, node.otherwise)]
                return Text(f"{parts[0]} ? {parts[1]} : {parts[2]}", _QUESTION)

    def _operation(self, node: Operation) -> Text:
        """A chain a + b + c + ... by a loop, since it may be longer than any stack."""
        left, chain = chain_of(node)
        text = self.text(left)
        for operation in chain:
            self._bound(operation)
            if len(operation.operands) == 1:
                text = self._unary(operation, text)
            else:
                text = self._binary(operation, text, self.text(operation.operands[1]))
        return text

    def _bound(self, node: Expr) -> None:
        """Refuse what int64_t may not hold."""
        if node.type is Weak.INTEGER:
            self._interval(node)

    def _interval(self, node: Expr) -> Interval:
        """Bounds on an integer that has no element type yet; those of its parts are within 64 bits too."""
        try:
            return interval(node, self.variables)
        except UnboundedError as failure:
            raise error(
                "too-wide-for-c",
                "this integer may be beyond 64 bits, which C has no type for",
                failure.part.span,
                hint="convert to f64 first, as in f64(k) * f64(k)",
            ) from None

    def _unary(self, node: Operation, operand: Text) -> Text:
        operator, kind = PREFIX[node.operator], element_type(node.operands[0].type)
        if kind is ElementType.BOOL:
            return Text(f"!{operand.inside(_UNARY)}", _UNARY)
        sign = operator.c.sign
        return self._wrapped(kind, Text(f"{sign}{_spaced(sign, operand.cut_later)}", _UNARY))

    def _binary(self, node: Operation, left: Text, right: Text) -> Text:
        operator, kind = INFIX[node.operator], element_type(node.operands[0].type)
        form, result = operator.c, element_type(node.type)
        if operator.fixed is Fixed.PRODUCT and result.is_fixed:
            return exact_product(result, left, right)
        if operator.fixed is Fixed.SHIFT and kind.is_fixed:
            right = self._amount(right, element_type(node.operands[1].type), kind)
        called = form.of_complex if kind.kind is Kind.COMPLEX else form.helper
        if called is not None:
            text = self.helpers.call(called.name, kind, left.code, right.code)
            return self._wrapped(kind, text) if operator.leaves else text
        if form.modular:
            left, right = left.cut_later, right.cut_later
        left_level, right_level = _operand_levels(form, left)
        code = f"{left.inside(left_level)} {form.sign} {right.inside(right_level)}"
        text = Text(code, form.level)
        return self._wrapped(kind, text) if form.modular else text

    def _amount(self, amount: Text, source: ElementType, kind: ElementType) -> Text:
        """The amount of a shift in the type that is shifted, as large as what that refuses where it is too large."""
        return self.helpers.between("amount", kind, source, amount.code)

    def _wrapped(self, kind: ElementType, text: Text) -> Text:
        return wrapped(kind, text, self.helpers)

    def _function(self, node: Function) -> Text:
        kind = element_type(node.arguments[0].type)
        arguments = [self.text(argument).code for argument in node.arguments]
        self._bound(node)
        if node.name not in FUNCTIONS:  # c64 and c128 of their parts
            return self.helpers.call("join", element_type(node.type), *arguments)
        function = FUNCTIONS[node.name]
        if function.gives in (Gives.ROUNDED, Gives.NAMED):
            return self._rounding(function, node, kind, arguments)
        if kind.wraps and function.gives is Gives.FLOAT:  # a number of no type yet
            kind = ElementType.F64
            arguments = [f"(double){Text(arguments[0], 0).inside(ATOM)}"]
        if function.c.same_unsigned and kind.kind is Kind.UNSIGNED:
            return Text(arguments[0], 0)
        return self._called(function, kind, arguments)

    def _called(self, function: Operator, kind: ElementType, arguments: Sequence[str]) -> Text:
        """A call of a helper, of several values from the left, or of a function of the mathematical library."""
        form, is_complex = function.c, kind.kind is Kind.COMPLEX
        if form.single is not None and kind is ElementType.F32:
            return self.helpers.call(form.single.name, kind, arguments[0])
        library = form.complex_call if is_complex else form.call if kind.kind is Kind.FLOAT else ""
        called = form.of_complex if is_complex else form.helper
        if called is None or library:
            single = "f" if kind in (ElementType.F32, ElementType.C64) else ""
            return Text(f"{library}{single}({arguments[0]})")
        if len(called.parameters) == 1:
            text = self.helpers.call(called.name, kind, arguments[0])
        else:
            text = Text(arguments[0])
            for argument in arguments[1:]:
                text = self.helpers.call(called.name, kind, text.code, argument)
        return self._wrapped(kind, text) if function.leaves and kind.wraps else text

    def _rounding(self, function: Operator, node: Function, kind: ElementType, arguments: Sequence[str]) -> Text:
        if function.gives is Gives.NAMED:
            return self.helpers.between("saturate", element_type(node.type), kind, arguments[0])
        if kind.wraps:
            return self.helpers.between("round", element_type(node.type), kind, arguments[0])
        return self.helpers.call("nearest", kind, *arguments)

    def _convert(self, node: Convert) -> Text:
        operand, source, target = self.text(node.operand), node.operand.type, node.type
        if target is element_type(source) and source is not Weak.INTEGER:
            return operand
        if target is ElementType.BOOL:
            return Text(f"{operand.inside(56)} != 0", _UNEQUAL)
        if isinstance(source, ElementType) and source.is_fixed and not target.wraps:
            part = _COMPONENTS.get(target, target)
            operand, source = scaled(part, source, operand), part
        if target.kind is Kind.COMPLEX:
            return self._to_complex(operand, source, target)
        if target.wraps:
            return self._to_integer(node, operand)
        if target is source:
            return operand
        exact = "(double)" if source is Weak.INTEGER and target is ElementType.F32 else ""  # rounds twice, as NumPy
        return Text(f"({c_type(target)}){exact}{operand.inside(ATOM)}", _UNARY)

    def _to_integer(self, node: Convert, operand: Text) -> Text:
        source, target = element_type(node.operand.type), node.type
        if source.kind is Kind.FLOAT:
            name = "truncate_single" if source is ElementType.F32 and not target.is_fixed else "truncate"
            return self.helpers.call(name, target, operand.code)
        if node.operand.type is Weak.INTEGER:
            low, high = self._interval(node.operand)
            least, most = target.whole_range
            if not (least <= low and high <= most):
                return self.helpers.call("fit", target, operand.code)
        if source.fraction != target.fraction:
            return self._wrapped(target, placed(target, source, operand))
        modular = operand.cut_later if source.bits >= target.bits else operand
        if not target.is_numpys and not holds(target, source):
            return self._wrapped(target, modular if target.stored_bits <= source.stored_bits else operand)
        text = Text(f"({c_type(target)}){operand.inside(ATOM)}", _UNARY)
        return text if target.bits >= 32 else replace(text, modular=modular)

    def _to_complex(self, operand: Text, source: object, target: ElementType) -> Text:
        if isinstance(source, ElementType) and source.kind is Kind.COMPLEX:
            return Text(f"({c_type(target)}){operand.inside(ATOM)}", _UNARY)
        part = "float" if target is ElementType.C64 else "double"
        return Text(f"({c_type(target)})({part}){operand.inside(ATOM)}", _UNARY)


def _operand_levels(form: CForm, left: Text) -> tuple[int, int]:
    """How tightly operands must bind to stand without parentheses."""
    if form.bare:  # sums under comparisons, and these under and, read well so
        return form.level + 1, form.level + 1
    if form.confusing:  # between unlike ones
        return (form.level if left.level == form.level else _UNARY), _UNARY
    return form.level, form.level + 1


def total(kind: ElementType, target: Text, value: Text, helpers: Helpers) -> Text:
    """What `+=` stores: the target and the value."""
    level = _SUM
    return wrapped(kind, Text(f"{target.code} + {value.cut_later.inside(level + 1)}", level), helpers)


def wrapped(kind: ElementType, text: Text, helpers: Helpers) -> Text:
    """C computes 8 and 16 bits as int, and other widths in the next type: the result cut to its type."""
    if kind.wraps and kind.stored_bits != kind.bits:
        if kind.is_signed:
            return replace(helpers.call("wrap", kind, text.code), modular=text)
        mask = bound(kind.integer_range[1], kind)
        cut = Text(f"{text.inside(_UNARY)} & {mask}", _MASK)
        return Text(f"({c_type(kind)})({cut.code})", _UNARY, text)
    if kind.wraps and kind.bits < 32:
        return Text(f"({c_type(kind)}){text.inside(ATOM)}", _UNARY, text)
    return text


def exact_product(kind: ElementType, left: Text, right: Text) -> Text:
    """The product of stored integers in a type that has their bits together."""
    factors = (f"({c_type(kind)}){factor.inside(ATOM)}" for factor in (left, right))
    text = Text(" * ".join(factors), _PRODUCT)
    return Text(f"({c_type(kind)})({text.code})", _UNARY) if kind.stored_bits < 32 else text


def placed(target: ElementType, source: ElementType, operand: Text) -> Text:
    """A stored integer with the point moved to that of another type, right modulo its range."""
    places = target.fraction - source.fraction
    code = moved(operand.inside(ATOM), places, signed=source.is_signed)
    return Text(f"({c_type(target)})({code})", _UNARY)


def scaled(part: ElementType, source: ElementType, operand: Text) -> Text:
    """A stored integer of a fixed-point type as a float: rounded once, then scaled exactly."""
    f = "f" if part is ElementType.F32 else ""
    return Text(f"ldexp{f}(({c_type(part)}){operand.inside(ATOM)}, {-source.fraction})")


def holds(target: ElementType, source: ElementType) -> bool:
    """Whether an integer type has all values of another one, or of bool."""
    if not source.wraps:
        return True
    (low, high), (least, most) = source.integer_range, target.integer_range
    return least <= low and high <= most


def _leaf(node: Constant | Index) -> Text:
    if isinstance(node, Index):
        return Text(Named.INDEX.of(node.name))
    code = literal(node.value, node.type)
    return Text(code, _UNARY if code.startswith(("-", "(")) else ATOM)


def _spaced(sign: str, operand: Text) -> str:
    """An operand of a sign; `- -a` is not `--a`."""
    code = operand.inside(_UNARY)
    return f"({code})" if code.startswith(sign) else code
