"""Python functions in the place of bodies: found without importing, called for each repetition, held to their ports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loading import spec_of

from arrayol.errors import ArrayolError
from arrayol.execute.extern import externs_of, importable_here, load_function, origin_of
from arrayol.execute.run import execute
from arrayol.ir.spec import Elementary

WINDOWS = """elementary f(x: u8[2], k: i32) -> (y: f32[2], n: u8) extern "tools.box:window"
task t(a: u8[3, 4], k: i32[3]) -> (b: f32[3, 3, 2], c: u8[3, 3]) {
  repeat [3, 3] of f {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    k <- k at origin [0] paving [1, 0] fitting []
    y -> b at origin [0, 0, 0] paving [1, 0; 0, 1; 0, 0] fitting [0; 0; 1]
    n -> c at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}"""
A = np.arange(12, dtype=np.uint8).reshape(3, 4)
K = np.array([5, 6, 7], np.int32)


def run(function: Callable[..., Any]) -> dict[str, Any]:
    return execute(spec_of(WINDOWS), "t", {"a": A, "k": K}, functions={"tools.box:window": function})


def test_a_function_gets_patterns_in_the_order_of_the_ports() -> None:
    seen = []

    def window(x: Any, k: Any) -> Any:
        seen.append((type(x), x.dtype.name, x.shape, type(k), k.dtype.name, k.shape))
        return x[::-1] * np.float32(k), x.sum(dtype=np.uint8)

    found = run(window)
    assert set(seen) == {(np.ndarray, "uint8", (2,), np.ndarray, "int32", ())}
    assert len(seen) == 9
    expected = np.stack([A[:, 1:], A[:, :-1]], axis=-1) * K[:, None, None].astype(np.float32)
    assert np.array_equal(found["b"], expected)
    assert np.array_equal(found["c"], A[:, 1:] + A[:, :-1])


def test_delays_hand_on_what_a_function_has_put_out() -> None:
    text = """elementary f(x: i64, before: i64) -> (y: i64) extern "m:f"
task t(a: i64[5]) -> (b: i64[5]) {
  repeat [5] of f {
    x      <- a at origin [0] paving [1] fitting []
    before <- y delay [1] else 100
    y      -> b at origin [0] paving [1] fitting []
  }
}"""
    found = execute(spec_of(text), "t", {"a": np.arange(5)}, functions={"m:f": lambda x, before: x + before})
    assert found["b"].tolist() == [100, 101, 103, 106, 110]


def test_a_function_called_by_itself_gets_the_whole_array_uncopied() -> None:
    text = 'elementary f(x: f64[2, 3]) -> (y: f64[3, 2]) extern "m:f"'
    x, seen = np.arange(6.0).reshape(2, 3), []
    found = execute(spec_of(text), "f", {"x": x}, functions={"m:f": lambda x: seen.append(x) or x.T})
    assert found["y"].tolist() == x.T.tolist()
    assert np.shares_memory(seen[0], x)


@pytest.mark.parametrize(
    ("function", "code", "said", "hint"),
    [
        (lambda x, k: 1 / 0, "failed", "raised ZeroDivisionError: division by zero", "ARRAYOL_TRACEBACK=1 shows where"),
        (lambda x, k: sys.exit("no\nmore"), "failed", "raised SystemExit: no more", "ARRAYOL_TRACEBACK=1 shows where"),
        (lambda x: x, "failed", "raised TypeError: ", None),
        (
            lambda x, k: x.fill(0),
            "failed",
            "raised ValueError: assignment destination is read-only",
            "ARRAYOL_TRACEBACK=1 shows where",
        ),
        (lambda x, k: x, "result", "returned one ndarray, expected a tuple of 2 arrays (y, n)", None),
        (lambda x, k: [x, x], "result", "returned one list, expected a tuple of 2 arrays (y, n)", None),
        (lambda x, k: (x, x, x), "result", "returned a tuple of 3, expected a tuple of 2 arrays (y, n)", None),
        (
            lambda x, k: (x, x),
            "result",
            "returned uint8 for output 'y', expected float32 (f32)",
            "convert it, as astype('float32') does",
        ),
        (
            lambda x, k: (np.zeros((2, 1), "f4"), x),
            "result",
            "returned the shape (2, 1) for output 'y', expected (2,)",
            None,
        ),
        (
            lambda x, k: (np.zeros(2, "f4"), 7),
            "result",
            "returned the int 7 for output 'n', expected a NumPy array",
            "numpy.array(..., 'uint8') makes one",
        ),
        (
            lambda x, k: (None, None),
            "result",
            "returned None for output 'y', expected a NumPy array",
            "numpy.array(..., 'float32') makes one",
        ),
    ],
)
def test_what_a_function_does_wrong(function: Callable[..., Any], code: str, said: str, hint: str | None) -> None:
    with pytest.raises(ArrayolError) as caught:
        run(function)
    (found,) = caught.value.diagnostics
    assert found.code == f"extern-{code}"
    assert found.message.startswith(f"'tools.box:window' {said}")
    assert found.message.endswith(", in repetition (0, 0) of task 't'")
    assert hint is None or found.hint == hint


def test_the_repetition_is_the_one_that_went_wrong() -> None:
    def window(x: Any, k: Any) -> Any:
        return x.astype("f4"), np.uint8(0) if x[0] != 6 else np.uint16(0)

    with pytest.raises(
        ArrayolError, match=r"for output 'n', expected uint8 \(u8\), in repetition \(1, 2\) of task 't'"
    ):
        run(window)


def test_an_interrupt_passes() -> None:
    def window(x: Any, k: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(window)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a package and a module, importable in the test."""
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "tried_package"
    package.mkdir()
    (package / "__init__.py").write_text("open('imported', 'w').close()")
    (package / "good.py").write_text("class Box:\n  @staticmethod\n  def twice(x): return 2 * x\nNUMBER = 1\n")
    (package / "bad.py").write_text("raise RuntimeError('not today')")
    (package / "leaves.py").write_text("raise SystemExit(3)")
    (package / "needs.py").write_text("import nothing_of_this_name")
    before = set(sys.modules)
    with importable_here():
        yield tmp_path
    assert str(tmp_path) not in sys.path
    for name in set(sys.modules) - before:
        if name.startswith("tried_package"):
            del sys.modules[name]


def extern(name: str) -> Elementary:
    return spec_of(f'elementary f(x: u8) -> (y: u8) extern "{name}"').elementaries["f"]


def test_a_function_is_located_without_importing_anything(here: Path) -> None:
    assert origin_of(extern("tried_package.good:Box.twice")) == str(here / "tried_package" / "good.py")
    assert origin_of(extern("tried_package:f")) == str(here / "tried_package" / "__init__.py")
    assert origin_of(extern("math:sqrt")) in {"built-in", origin_of(extern("math:cos"))}
    assert not (here / "imported").exists()
    assert load_function(extern("tried_package.good:Box.twice"))(3) == 6
    assert (here / "imported").exists()


@pytest.mark.parametrize("name", ["tried_package.gone:f", "tried_package.good.inner:f", "no_such_package.mod:f"])
def test_a_module_that_is_not_there(here: Path, name: str) -> None:
    missing = {"no_such_package.mod:f": "no_such_package"}.get(name, name.partition(":")[0])
    with pytest.raises(ArrayolError) as caught:
        origin_of(extern(name))
    (found,) = caught.value.diagnostics
    assert found.message == f"there is no module '{missing}' for '{name}'"
    assert (here / "tried_package").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        (
            "tried_package.bad:f",
            "importing 'tried_package.bad' failed: RuntimeError: not today",
            "ARRAYOL_TRACEBACK=1 shows where",
        ),
        (
            "tried_package.leaves:f",
            "importing 'tried_package.leaves' failed: SystemExit: 3",
            "ARRAYOL_TRACEBACK=1 shows where",
        ),
        (
            "tried_package.needs:f",
            "importing 'tried_package.needs' failed: ModuleNotFoundError: No module named 'nothing_of_this_name'",
            "ARRAYOL_TRACEBACK=1 shows where",
        ),
        ("tried_package.good:Boxx", "module 'tried_package.good' has no 'Boxx'", "did you mean 'Box'?"),
        ("tried_package.good:Box.once", "module 'tried_package.good' has no 'Box.once'", None),
        (
            "tried_package.good:NUMBER",
            "'tried_package.good:NUMBER' is no function, but of type int",
            "name something that can be called",
        ),
        (
            "tried_package.gone:f",
            "there is no module 'tried_package.gone' for 'tried_package.gone:f'",
            "modules of the current folder and installed packages are found",
        ),
    ],
)
def test_what_cannot_be_imported(name: str, said: str, hint: str | None) -> None:
    with pytest.raises(ArrayolError) as caught:
        load_function(extern(name))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message, found.hint) == ("extern-import", said, hint)


def test_only_what_a_task_calls_is_found() -> None:
    text = WINDOWS + '\nelementary other(x: u8) -> (y: u8) extern "m:other"'
    assert [one.name for one in externs_of(spec_of(text), "t")] == ["f"]
    assert [one.name for one in externs_of(spec_of(text), "other")] == ["other"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys\nsys.modules[__name__] = 5", "module 'foreign_one' has no 'f'"),
        ("def __getattr__(name): raise KeyError(name)", "looking for 'f' in 'foreign_one' failed: KeyError: 'f'"),
        (
            "class Odd(Exception):\n  def __str__(self): raise ValueError\nraise Odd",
            "importing 'foreign_one' failed: Odd",
        ),
    ],
)
def test_a_module_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str) -> None:
    (tmp_path / "foreign_one.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "foreign_one", raising=False)
    elementary = spec_of('elementary e(x: u8) -> (y: u8) extern "foreign_one:f"\n').elementaries["e"]
    try:
        with pytest.raises(ArrayolError) as caught:
            load_function(elementary)
    finally:
        sys.modules.pop("foreign_one", None)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("extern-import", said)


def test_a_result_that_cannot_say_what_it_is() -> None:
    class Unspeakable:
        def __repr__(self) -> str:
            raise ValueError

    with pytest.raises(ArrayolError, match="returned the Unspeakable an object of type Unspeakable for output 'y'"):
        run(lambda x, k: (Unspeakable(), x))


def test_of_an_array_of_a_class_of_its_own_the_data_count() -> None:
    class Odd(np.ndarray):
        @property
        def shape(self) -> Any:  # type: ignore[override]
            raise KeyError

    outputs = run(lambda x, k: (x.astype("f4").view(Odd), np.uint8(1)))
    assert outputs is not None
