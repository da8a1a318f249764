"""The house holds: imports run one way, every module has a layer, and heavy packages stay out of light commands."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HEAVY = {"pymoo", "moocore", "matplotlib", "scipy", "networkx"}
EDITORS = {"lsprotocol", "pygls", "pycparser", "pcpp", "pygments", "dask", "distributed"}
SMALL = """\
elementary twice(x: u8) -> (y: u8) { y = u8(x >> 1) }
task halved(x: u8[4]) -> (y: u8[4]) {
  repeat [4] of twice { x <- x at origin [0] paving [1] fitting []  y -> y }
}
"""
LISTED = """
import json, sys
from arrayol.cli.main import run
code = run(sys.argv[1:])
print()
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def loaded(*arguments: str) -> set[str]:
    """The top-level packages in sys.modules after a command that must succeed."""
    done = subprocess.run([sys.executable, "-c", LISTED, *arguments], capture_output=True, text=True, check=True)
    code, names = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    return set(names)


def test_help_loads_only_click() -> None:
    bare = subprocess.run(
        [sys.executable, "-c", "import click, json, sys; print(json.dumps(sorted(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    with_click = {name.partition(".")[0] for name in json.loads(bare.stdout)}
    assert loaded("--help") - with_click <= sys.stdlib_module_names | {"arrayol"}


@pytest.mark.parametrize("arguments", [["example"], ["check", "--help"]])
def test_light_commands_stay_light(arguments: list[str]) -> None:
    assert not loaded(*arguments) & HEAVY


def test_check_leaves_the_heavy_packages_out(checkout: Path) -> None:
    assert not loaded("check", str(checkout / "specs" / "lpsf.aol")) & HEAVY


def test_transfers_and_layout_leave_the_exploration_out(checkout: Path) -> None:
    spec = str(checkout / "specs" / "polyprod.aol")
    for words in (("transfers", spec, "products"), ("layout", spec, "polyprod")):
        assert not loaded(*words) & (HEAVY | {"dse", "multiprocessing", "sqlite3"}), words


def test_a_small_exploration_loads_only_what_it_uses(tmp_path: Path) -> None:
    """It draws its front, but solves no equations, reads no styles of pictures, and has no editor."""
    (tmp_path / "small.aol").write_text(SMALL, encoding="utf-8")
    listed = LISTED.replace('.partition(".")[0]', "")
    words = ("explore", str(tmp_path / "small.aol"), "--quiet", "--out", str(tmp_path / "out"))
    done = subprocess.run([sys.executable, "-c", listed, *words], capture_output=True, text=True, check=True)
    code, names = json.loads(done.stdout.splitlines()[-1])
    assert (code, done.stderr) == (0, "")
    assert not {name.partition(".")[0] for name in names} & (HEAVY - {"matplotlib", "moocore"} | EDITORS)
    assert not {"matplotlib.style", "matplotlib.pyplot"} & {*names}
    assert not [name for name in names if name.startswith(("arrayol.c_import", "arrayol.lsp"))]


def test_import_contracts(checkout: Path) -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " 0 broken." in done.stdout


def test_every_module_has_a_layer(checkout: Path) -> None:
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    layered = {name.strip(" ()") for layer in layers for name in layer.split("|")}
    parts = {
        f"{package}.{path.stem}"
        for package in ("arrayol", "hwmodel", "dse")
        for path in (checkout / package).iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()
    }
    assert parts == layered


def test_an_init_holds_no_code(checkout: Path) -> None:
    for package in ("arrayol", "hwmodel", "dse"):
        for path in (checkout / package).rglob("__init__.py"):
            if path.parent.name != "api":  # which has the table of public names
                assert "import" not in path.read_text(encoding="utf-8").split(), path
