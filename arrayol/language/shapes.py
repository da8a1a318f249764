"""Shapes and ports in messages."""

from __future__ import annotations

from arrayol.ir.spec import Port, Shape


def shown_shape(shape: Shape) -> str:
    """A shape as it is written: `[1080, *]`; a scalar has none."""
    return f"[{', '.join('*' if extent is None else str(extent) for extent in shape)}]" if shape else ""


def shown_port(port: Port) -> str:
    """A port as it is written: `src: f32[1080, 1920]`."""
    return f"{port.name}: {port.type}{shown_shape(port.shape)}"
