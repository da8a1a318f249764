"""Whole C files: what they include, their helpers, and a `main` for raw arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from arrayol.ir.spec import Component, Port
from hwmodel.emit.c.bodies import parameters, sizes
from hwmodel.emit.c.expressions import Helpers
from hwmodel.emit.c.helpers import FAIL
from hwmodel.emit.c.lines import Lines, block, declared
from hwmodel.emit.c.types import c_type, function_name

_INCLUDES = ("complex", "math", "stdbool", "stdint", "stdio", "stdlib", "string")


def c_file(remark: Sequence[str], helpers: Helpers, parts: Sequence[Lines], component: Component, lines: Lines) -> str:
    """A C file: a function named as the component, on arrays, and a `main` behind WITH_MAIN that tries it."""
    name = function_name(component.name)
    text: Lines = [f"/* {remark[0]}", *(f"   {line}" for line in remark[1:])]
    text[-1] += " */"
    code: Lines = []
    if any("fail(" in one for one in helpers.texts.values()):
        code += ["", *FAIL.splitlines()]
    for one in helpers.texts.values():
        code += ["", *one.splitlines()]
    for part in parts:
        code += ["", *part]
    code += ["", *block(f"void {name}({parameters(component.inputs, component.outputs)})", lines)]
    code += ["", *_main(component, name), ""]
    complex_too = any(" complex" in line for line in code)
    text += [f"#include <{one}.h>" for one in _INCLUDES if one != "complex" or complex_too]
    return "\n".join([*text, *code])


def _main(component: Component, name: str) -> Lines:
    """Reads the inputs as raw arrays from stdin, in the order of the signature, and writes the outputs to stdout."""
    ports = (*component.inputs, *component.outputs)
    lines = [f"static {declared(f'arg_{port.name}', port.type, sizes(port.shape))};" for port in ports]
    lines += [f"if ({_moved('fread', port, 'stdin')}) return 1;" for port in component.inputs]
    lines.append(f"{name}({', '.join(f'arg_{port.name}' for port in ports)});")
    lines += [f"if ({_moved('fwrite', port, 'stdout')}) return 1;" for port in component.outputs]
    return ["#ifdef WITH_MAIN", *block("int main(void)", [*lines, "return 0;"]), "#endif"]


def _moved(function: str, port: Port, stream: str) -> str:
    count = prod(sizes(port.shape))
    return f"{function}(arg_{port.name}, sizeof({c_type(port.type)}), {count}, {stream}) != {count}"
