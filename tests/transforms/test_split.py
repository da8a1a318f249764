"""Split sums: generated bodies keep their bits, alone and under further steps; what is refused, and why."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from proof import prove, same_bits, transformed
from spec_data import loaded

from arrayol.errors import ArrayolError
from arrayol.language.emitter import spec_text
from arrayol.language.syntax.diagnose import shown_shape


@st.composite
def sums(draw: st.DrawFn) -> tuple[str, str, int]:
    """A task that repeats one accumulation with what may stand around it, the range to split, and a size."""
    kind = draw(st.sampled_from(["i32", "u8", "f32", "f64"]))
    terms, size = draw(st.sampled_from([(6, 2), (6, 3), (8, 4), (4, 1), (4, 4)]))
    outputs = draw(st.sampled_from([0, 0, 2, 3]))  # a dimension of the sum beside the range
    low = draw(st.sampled_from([0, 0, 1]))
    looped = outputs > 0 and draw(st.booleans())
    local = draw(st.booleans()) or looped
    after = local or draw(st.booleans())
    sum_of, element = ("a" if local else "y"), ("[o]" if outputs else "")
    inner = "" if looped and local else element
    span = f"k in {low}..{low + terms}"
    if outputs and not looped:
        span = draw(st.sampled_from([f"{span}, o in 0..{outputs}", f"o in 0..{outputs}, {span}"]))
    over = f"  for o in 0..{outputs}" if outputs and not looped else ""
    start = draw(st.sampled_from(["", "3", f"b{element}", f"2 * b{element}", "s + 1"]))
    step = draw(st.sampled_from([1, 1, 2]))
    move = draw(st.integers(0, 1))
    first = draw(st.sampled_from([f"x[{step} * k + {move}]", f"x[{low + terms} - k]"]))
    term = draw(st.sampled_from([first, f"{first} * w[k{', o' if outputs else ''}]", f"{first} * x[k]"]))
    where = f"  where x[{low}] > 2" if start and draw(st.integers(0, 5)) == 0 else ""
    shape = f"[{outputs}]" if outputs else ""
    lines = [f"{sum_of}: {kind}{'' if looped else shape}"] if local else []
    lines += [f"{sum_of}{inner} = {start}{over}"] if start else []
    lines += [f"{sum_of}{inner} += {term}  for {span}{where}"]
    if after:
        value = draw(st.sampled_from([f"2 * {sum_of}{inner} + s", f"{sum_of}{inner}"]))
        lines.append(f"y{element} = {value}{over}")
    tail = [draw(st.sampled_from(["z = s", "z = s * 2"]))]
    body = [f"loop o in 0..{outputs} {{", *lines, "}"] if looped else lines
    body = [*body, *tail] if draw(st.booleans()) else [*tail, *body]
    several = (outputs,) if outputs else ()
    wide, count = step * (low + terms) + 2, draw(st.sampled_from([1, 2, 3]))
    pattern = {"x": (wide,), "w": (low + terms, *several), "b": several, "s": ()}
    arrays = pattern | {"x": (wide + 2 * count,), "s": (count,)}
    results = {"y": (count, *several), "z": (count,)}
    paving = f"at origin [0] paving [{draw(st.sampled_from([1, 2]))}] fitting [1]"
    text = (
        f"elementary e{_signature(kind, pattern, {'y': several, 'z': ()})} {{\n"
        + "".join(f"  {line}\n" for line in body)
        + f"}}\ntask t{_signature(kind, arrays, results)} {{\n"
        f"  repeat [{count}] of e {{ x <- x {paving}  w <- w  b <- b  s <- s  y -> y  z -> z }}\n}}\n"
    )
    if draw(st.booleans()):
        return text + _sliced(draw, kind, arrays, results), "k", size
    return text + f"task top{_signature(kind, arrays, results)} {{\n  (y, z) = t(x, w, b, s)\n}}\n", "k", size


Shapes = dict[str, tuple[int, ...]]


def _signature(kind: str, *sides: Shapes) -> str:
    texts = (", ".join(f"{name}: {kind}{shown_shape(shape)}" for name, shape in side.items()) for side in sides)
    return " -> ".join(f"({text})" for text in texts)


def _sliced(draw: st.DrawFn, kind: str, arrays: Shapes, results: Shapes) -> str:
    """A top task that calls twice: on parts of wider arrays, and each writes a part of the results."""
    wider, read = {}, [list[str](), list[str]()]
    for name, shape in arrays.items():
        steps = [draw(st.sampled_from([1, 2])) for _ in shape]
        reach = [step * (size - 1) + 1 for step, size in zip(steps, shape, strict=True)]
        wider[name] = (2, *(size + 1 for size in reach))
        for place, arguments in enumerate(read):
            ends = zip(reach, steps, strict=True)
            slices = [f"{place}..{place + size} : {step}" for size, step in ends]
            arguments.append(f"{name}[{', '.join([str(1 - place), *slices])}]")
    halves = [("0..{0}", "{0}..{1}"), ("0..{1} : 2", "1..{1} : 2")][draw(st.integers(0, 1))]
    calls = ""
    for half, arguments in zip(halves, read, strict=True):
        written = (
            f"{name}[{', '.join([half.format(shape[0], 2 * shape[0]), *['..'] * (len(shape) - 1)])}]"
            for name, shape in results.items()
        )
        calls += f"  ({', '.join(written)}) = t({', '.join(arguments)})\n"
    made = {name: (2 * shape[0], *shape[1:]) for name, shape in results.items()}
    return f"task top{_signature(kind, wider, made)} {{\n{calls}}}\n"


@given(sums(), st.data())
@settings(max_examples=case_count(60), deadline=None, suppress_health_check=list(HealthCheck))
def test_split_sums_keep_their_bits(case: tuple[str, str, int], data: st.DataObject) -> None:
    """Bit-identical outputs and the same elements read, also under a tiling along the sum; calls keep slices."""
    text, name, size = case
    spec = loaded(text)
    try:
        result = transformed(spec, f"split t {name} {size}")
    except ArrayolError as refusal:
        if refusal.diagnostics[0].code != "step-refused":
            raise
        event("refused: " + refusal.diagnostics[0].message.split(" of ")[0][:40])
        return
    event("split")
    before, after = (re.findall(r"\(y\[.*", spec_text(one)) for one in (spec, result.spec))
    assert before == after, "the calls keep their slices"
    # Where data decide, the relation of the whole body is every input: that of its parts is smaller.
    kept = (lambda before, after: same_bits(before, after.spec, "top")) if "where" in text else prove
    kept(spec, result)
    fold = result.spec.components["t_fold"].repetition  # type: ignore[union-attr]
    sides = [
        data.draw(st.sampled_from([side for side in range(1, extent + 1) if extent % side == 0])) for extent in fold
    ]
    steps = [f"split t {name} {size}", f"tile t_fold {','.join(map(str, sides))}"]
    kept(spec, transformed(spec, *steps))
    kept(spec, transformed(spec, *steps, "collapse t_fold"))


HEAD = "elementary e(x: {kind}[8], s: {kind}) -> (y: {kind}, z: {kind}[8]) {{\n{body}\n}}\n"
TASK = """task t(x: {kind}[8], s: {kind}[4]) -> (y: {kind}[4], z: {kind}[4, 8]) {{
  repeat [4] of e {{ x <- x  s <- s  y -> y  z -> z }}
}}
"""
Z = "z[q] = x[q]  for q in 0..8"


@pytest.mark.parametrize(
    ("kind", "body", "step", "reason"),
    [
        ("i32", f"y += x[k] for k in 0..8\n{Z}", "split t k 3", "3 does not divide the 8 iterations of 'k' in 'e'"),
        (
            "i32",
            f"y = 0\nloop j in 0..8 {{ y += x[k] for k in j..8 }}\n{Z}",
            "split t k 2",
            "the bounds of the range 'k' in 'e' are not constant, or other ranges depend on it",
        ),
        (
            "i32",
            "y += x[k] for k in 0..8\nz[k] += x[k] for k in 0..8",
            "split t k 2",
            "2 statements run over a range 'k' in 'e'",
        ),
        (
            "i32",
            f"y = 1\ny += x[k] * y for k in 0..8\n{Z}",
            "split t k 2",
            "what is added to 'y' in 'e' reads 'y' itself",
        ),
        (
            "i32",
            f"a: i32 = 0\na = a + x[k] for k in 0..8\ny = a\n{Z}",
            "split t k 2",
            "'a' depends on the range 'k' in 'e': it is no sum over it",
        ),
        (
            "i32",
            f"y = 0\nloop k in 0..8 {{ a: i32 = x[k] * x[k]\ny += a }}\n{Z}",
            "split t k 2",
            "2 statements run over a range 'k' in 'e'",
        ),
        (
            "i32",
            "loop k in 0..8 {\ny += x[k]\nz[k] = x[k] + 1\n}",
            "split t k 2",
            "output 'z' depends on the range 'k' in 'e', beside the accumulation",
        ),
        (
            "f32",
            f"loop j in 0..2 {{ y += x[k] for k in 0..8 }}\n{Z}",
            "split t k 2",
            "the terms of 'y' would be added in another order, which floats tell apart",
        ),
        (
            "i32",
            f"y += x[k] * k for k in 0..8\n{Z}",
            "split t k 2",
            "'k' is used otherwise than in subscripts: a block does not know which iterations it has",
        ),
        ("i32", f"y += x[k] for k in 0..8\n{Z}", "split t m 2", "there is no range 'm' in 'e'"),
    ],
)
def test_what_is_refused_and_why(kind: str, body: str, step: str, reason: str) -> None:
    spec = loaded(HEAD.format(kind=kind, body=body) + TASK.format(kind=kind))
    with pytest.raises(ArrayolError) as refusal:
        transformed(spec, step)
    assert (refusal.value.diagnostics[0].code, refusal.value.diagnostics[0].message) == ("step-refused", reason)


def test_a_task_with_delays_is_refused() -> None:
    text = """elementary e(x: i32[8], p: i32) -> (y: i32) {
  y = p
  y += x[k] for k in 0..8
}
task t(x: i32[8]) -> (y: i32[4]) {
  repeat [4] of e { x <- x  p <- y delay [1] else 0  y -> y }
}
"""
    with pytest.raises(ArrayolError) as refusal:
        transformed(loaded(text), "split t k 2")
    expected = "'t' has delays already: its instances wait for others than those of their own sum"
    assert refusal.value.diagnostics[0].message == expected


def test_division_after_the_sum_stays_behind_it() -> None:
    """In every instance it could divide by a partial sum of zero."""
    text = """elementary e(x: i32[8], n: i32) -> (y: i32) {
  y += x[k]  for k in 0..8
  y = n // y
}
task t(x: i32[8], n: i32[4]) -> (y: i32[4]) { repeat [4] of e { x <- x  n <- n  y -> y } }
"""
    result = transformed(loaded(text), "split t k 4")
    assert "y = n // y" in spec_text(result.spec)
    assert {"t_fold", "t_end", "t"} <= result.spec.components.keys()


@pytest.mark.parametrize("size", [2, 4])
def test_collapse_takes_a_split_inside_blocks(size: int) -> None:
    """Also one of the whole range, whose delay never acts."""
    spec = loaded(
        "elementary e(a: i64[4], w: i64[4]) -> (b: i64) {\n  b = 1\n  b += a[k] * w[k]  for k in 0..4\n}\n"
        "task t(x: i64[8], w: i64[4]) -> (y: i64[4]) {\n  repeat [4] of e {\n"
        "    a <- x at origin [0]  paving [1]  fitting [1]\n    w <- w\n    b -> y\n  }\n}\n"
    )
    prove(spec, transformed(spec, "tile t 2", f"split t_block k {size}", "collapse t"), "t")


def test_const_arrays_stay_the_last_inputs() -> None:
    """Also beside ports that the parts hand on, as in what is printed and read again."""
    spec = loaded(
        "const K: i32[8] = [k * k for k in 0..8]\n"
        "elementary e(x: i32[8], s: i32) -> (y: i32) {\n"
        "  y = s * K[2]\n  y += x[k]  for k in 0..8\n  y = y * K[3]\n}\n"
        "task t(x: i32[8], s: i32[4]) -> (y: i32[4]) { repeat [4] of e { x <- x  s <- s  y -> y } }\n"
    )
    result = transformed(spec, "split t k 4")
    assert [port.name for port in result.spec.components["e_end"].inputs] == ["y_so_far", "K"]
    prove(spec, result, "t")
