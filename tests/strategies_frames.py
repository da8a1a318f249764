"""Specifications in which delays hand values from frame to frame: recursive filters and differences over time.

Each is valid by construction.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies_transforms import LinkedSpec


@st.composite
def frame_specs(draw: DrawFn) -> LinkedSpec:
    """A task with one or two states of earlier frames, at times of several elements, alone or between others.

    Most are of the frame before and of the repetition itself.
    """
    kind = draw(st.sampled_from(("u8", "i16", "f32")))
    shape = draw(st.sampled_from(((5,), (2, 6), (3, 4), (4, 9))))
    wide, second = draw(st.sampled_from((1, 1, 3))), draw(st.booleans())
    default = draw(st.sampled_from(("0", "7", f"x at {_pixels(len(shape), wide)}")))
    features = {"tiled default"} if "at" in default else set()
    if "at" in default and wide > 1 and draw(st.booleans()):
        default = f"x at {_pixels(len(shape), wide, slides=True)} wrap"
        features.add("sliding default")
    features |= {"two frames back"} if second else set()
    features |= {"wide state"} if wide > 1 else set()
    port = f"{kind}[{wide}]" if wide > 1 else kind
    at = "[k]" if wide > 1 else ""
    each = f" for k in 0..{wide}" if wide > 1 else ""
    states = f", q: {port}" if second else ""
    value = f"x{at}" if kind == "f32" else f"i32(x{at})"
    lines = [f"y{at} = {kind}({value} + 3 * p{at}{f' - q{at}' if second else ''}){each}"]
    lines += [f"r{at} = p{at}{each}"] if second else []
    outputs = f"y: {port}" + (f", r: {port}" if second else "")
    zeros = ", ".join("0" * len(shape))
    frames, beside = draw(st.sampled_from((1, 1, 1, 2, 3))), draw(st.sampled_from(("0", "0", "0", "-1", "1")))
    features |= {"several frames"} if frames > 1 else set()
    features |= {"another repetition"} if beside != "0" else set()
    vector = f"[{frames}, {', '.join([*['0'] * (len(shape) - 1), beside])}]"
    links = ["x <- x", f"p <- y delay {vector} else {default}", "y -> y"]
    links += [f"q <- r delay [1, {zeros}] else 1"] if second else []
    space = f"[{', '.join(['*', *map(str, shape)])}]"
    every = space if wide == 1 else f"{space[:-1]}, {wide}]"
    array = f"{kind}{every}"
    parts = [
        f"elementary mix(x: {port}, p: {port}{states}) -> ({outputs}) {_block(lines)}",
        f"task mixes(x: {array}) -> (y: {array}) {_repeated(space, 'mix', links)}",
        f"elementary turn(a: {kind}) -> (b: {kind}) {_block(['b = 100 - a'])}",
        f"task turns(a: {array}) -> (b: {array}) {_repeated(every, 'turn', ['a <- a', 'b -> b'])}",
    ]
    around = draw(st.sampled_from(("alone", "after", "before")))
    features.add(f"task {around}")
    calls = {
        "alone": ["y = mixes(v)"],
        "after": ["x = turns(v)", "y = mixes(x)"],
        "before": ["m = mixes(v)", "y = turns(m)"],
    }
    texts = parts[:2] if around == "alone" else parts
    return LinkedSpec(
        "\n".join([*texts, f"task top(v: {array}) -> (y: {array}) {_block(calls[around])}"]), frozenset(features)
    )


def _block(lines: Sequence[str]) -> str:
    return "{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _repeated(space: str, callee: str, links: Sequence[str]) -> str:
    return f"{{\n  repeat {space} of {callee} {{\n{''.join(f'    {link}' + chr(10) for link in links)}  }}\n}}\n"


def _pixels(rank: int, wide: int, *, slides: bool = False) -> str:
    """The plain tiler of the input, a pattern for each repetition; or one that slides along the last pixels."""
    axes = 1 + rank + (wide > 1)
    paving = "; ".join(", ".join("1" if axis == own else "0" for own in range(1 + rank)) for axis in range(axes))
    fitted = rank if slides else 1 + rank
    fitting = "; ".join("1" if axis == fitted else "0" for axis in range(axes)) if wide > 1 else ""
    return f"origin [{', '.join('0' * axes)}] paving [{paving}] fitting [{fitting}]"
