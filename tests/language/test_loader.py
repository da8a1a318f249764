"""Consts, settings, imports, and that one mistake is told once."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.errors import ArrayolError
from arrayol.language.loader import Settings, load


def constants(folder: Path, text: str, settings: Settings | None = None) -> dict[str, object]:
    path = folder / "x.aol"
    path.write_text(text, encoding="utf-8")
    loaded = load(path, settings)
    assert not loaded.diagnostics
    return dict(loaded.spec.constants)


def test_consts_of_any_order(tmp_path: Path) -> None:
    found = constants(tmp_path, "const AREA = H * W\nconst H = W * 9 / 16\nconst W = 1920\nconst A = 1 - 0.25")
    assert found == {"AREA": 2073600, "H": 1080, "W": 1920, "A": 0.75}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("7 / 7", 1),
        ("7.0 / 2", 3.5),
        ("1 << 70", 1 << 70),
        ("-9 >> 1", -5),
        ("6 & 3 | 8 ^ 1", 11),
        ("~0", -1),
        ("min(3, 2, 5) + max(1, 1.5)", 3.5),
        ("abs(-4)", 4),
        ("floor(2.5)", 2.0),
        ("i32(2.9) + i32(-2.9)", 0),
        ("1 if 2 > 1 else 1 // 0", 1),
        ("false and 1 // 0 > 0", False),
        ("true or 1 // 0 > 0", True),
        ("not 1 == 1.0", False),
        ("f32(0.1)", 0.10000000149011612),
        ("min(1, 1.5)", 1.0),
        ("3 << 0", 3),
        ("-1 >> (1 << 70)", -1),
        ("300000000000000000003 / 3", 100000000000000000001),
        ("(1 << 4095) + ((1 << 4095) - 1)", (1 << 4096) - 1),
        ("i8(-128) + u8(255)", 127),
        ("f32(-3.4028235e38)", -3.4028234663852886e38),
    ],
)
def test_expressions(tmp_path: Path, expression: str, value: object) -> None:
    found = constants(tmp_path, f"const X = {expression}")["X"]
    assert found == value
    assert type(found) is type(value)


def test_long_chain_of_consts(tmp_path: Path) -> None:
    text = "const N0 = 1\n" + "".join(f"const N{k} = N{k - 1} + 1\n" for k in range(1, 3000))
    assert constants(tmp_path, text)["N2999"] == 3000
    assert constants(tmp_path, "const S = " + " + ".join(["1"] * 20_000))["S"] == 20_000


def test_settings_reach_what_depends_on_them(tmp_path: Path) -> None:
    text = "const W = 1920\nconst H = W * 9 / 16"
    assert constants(tmp_path, text, {"W": 640}) == {"W": 640, "H": 360}
    assert constants(tmp_path, text, {"W": "2 * 320"}) == {"W": 640, "H": 360}
    assert constants(tmp_path, text, {"H": "-1"}) == {"W": 1920, "H": -1}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"V": 1}, "error[unknown-setting]: there is no const 'V' to set"),
        (
            {"W": "wide"},
            "error[bad-setting]: 'wide' is not a value for const 'W': no const is named 'wide'",
        ),
        (
            {"W": "3 const X = 4"},
            "error[bad-setting]: '3 const X = 4' is not a value for const 'W'",
        ),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, settings: Settings, message: str) -> None:
    path = tmp_path / "x.aol"
    path.write_text("const W = 4\nconst H = 3\n", encoding="utf-8")
    with pytest.raises(ArrayolError) as caught:
        load(path, settings)
    hint = "its consts are H, W" if "V" in settings else "write a number, as in --set W=64"
    assert str(caught.value) == f"{path}: {message}\n  hint: {hint}"


def test_a_setting_of_a_const_that_could_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text("const W = (4\nconst H = W * 2\n", encoding="utf-8")
    (found,) = load(path, {"W": 3}).diagnostics
    assert found.code == "syntax"


def test_imports_share_one_namespace(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "sizes.aol").write_text("const W = 8\n", encoding="utf-8")
    (tmp_path / "parts" / "more.aol").write_text('import "inner.aol"\nconst H = W / 2\n', encoding="utf-8")
    (tmp_path / "parts" / "inner.aol").write_text("const D = H\n", encoding="utf-8")
    text = 'import "sizes.aol"\nimport "parts/more.aol"\nimport "sizes.aol"\nconst AREA = H * W * D\n'
    assert constants(tmp_path, text) == {"W": 8, "D": 4, "H": 4, "AREA": 128}


def test_mistakes_of_an_import_point_into_it(tmp_path: Path) -> None:
    (tmp_path / "sizes.aol").write_text("const W = 8 8\n", encoding="utf-8")
    path = tmp_path / "x.aol"
    path.write_text('import "sizes.aol"\nconst H = W / 2\n', encoding="utf-8")
    (found,) = load(path).diagnostics
    assert found.span is not None
    assert found.span.place == (str(tmp_path / "sizes.aol"), 1, 13)


def test_a_circle_of_imports(tmp_path: Path) -> None:
    (tmp_path / "b.aol").write_text('import "x.aol"\n', encoding="utf-8")
    path = tmp_path / "x.aol"
    path.write_text('import "b.aol"\nconst H = 1\n', encoding="utf-8")
    (found,) = load(path).diagnostics
    assert found.message == "the file imports itself: x.aol -> b.aol -> x.aol"


def test_what_an_import_offers_may_stay_unused(tmp_path: Path) -> None:
    (tmp_path / "sizes.aol").write_text("const W = 8\nconst H = 9\n", encoding="utf-8")
    path = tmp_path / "x.aol"
    path.write_text(
        'import "sizes.aol"\nconst N = 4\nelementary e(x: u8) -> (y: u8) {\n  y = x\n}\n'
        "task t(x: u8) -> (y: u8) {\n  y = e(x)\n}\n",
        encoding="utf-8",
    )
    (found,) = load(path).diagnostics
    assert (found.code, found.message) == ("unused", "'N' is a const that nothing uses")


def test_imports_outside_the_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside.aol"
    inside.mkdir()
    outside.write_text("const W = 4\n", encoding="utf-8")
    (inside / "link.aol").symlink_to(outside)
    for target in ("../outside.aol", str(outside), "link.aol"):
        path = inside / "x.aol"
        path.write_text(f'import "{target}"\n', encoding="utf-8")
        (found,) = load(path).diagnostics
        assert found.code == "import-outside"
        assert found.message == f"'{target}' lies outside the folder of this file"


def test_tasks_of_a_circle_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    names = {"s": "t", "t": "s", "u": "e"}
    tasks = "".join(f"task {name}(x: u8) -> (y: u8) {{\n  y = {used}(x)\n}}\n" for name, used in names.items())
    path.write_text(f"elementary e(x: u8) -> (y: u8) {{\n  y = x\n}}\n{tasks}", encoding="utf-8")
    loaded = load(path)
    assert [found.code for found in loaded.diagnostics] == ["task-cycle"]
    assert list(loaded.spec.components) == ["e", "u"]


def test_what_depends_on_a_mistake_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text(
        "const W = 8 / 3\nconst H = W\nelementary e(a: u8[W]) -> (b: u8[H]) {\n  b[k] = a[k] + W for k in 0..H\n}\n"
        "task t(x: u8[H]) -> (y: u8[H]) {\n  y = e(x)\n}\n",
        encoding="utf-8",
    )
    (found,) = load(path).diagnostics
    assert found.code == "inexact-division"


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("f64((1 << 1024) - 1)", "constant-does-not-fit"),
        ("max(1 << 2000, 1.5)", "constant-too-large"),
        ("f32(3.4028235677973366e38)", "constant-does-not-fit"),
    ],
)
def test_values_at_the_edge_of_floats(tmp_path: Path, expression: str, code: str) -> None:
    path = tmp_path / "x.aol"
    path.write_text(
        f"const X = {expression}\nelementary e(a: f64) -> (b: f64) {{\n  b = a + {expression}\n}}\n", encoding="utf-8"
    )
    assert {found.code for found in load(path).diagnostics} == {code}
