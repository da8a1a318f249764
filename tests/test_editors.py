"""The extension for Visual Studio Code: what its package holds, and the bundle where its tools are installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import arrayol

LOADED = """
const { Module } = require("node:module");
const load = Module._load;
const traps = { get: (_, name) => (name === "prototype" ? {} : editor), construct: () => ({}) };
const editor = new Proxy(function () {}, traps);
Module._load = (name, ...rest) => (name === "vscode" ? editor : load(name, ...rest));
console.log(Object.keys(require("./dist/extension.js")).sort().join());
"""


@pytest.fixture(scope="module")
def folder(checkout: Path) -> Path:
    return checkout / "editors" / "vscode"


@pytest.fixture(scope="module")
def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    return found


def test_the_package_holds_what_it_names_and_no_packages_of_others(manifest: dict[str, Any], folder: Path) -> None:
    contributes = manifest["contributes"]
    named = [
        manifest["main"],
        *(language["configuration"] for language in contributes["languages"]),
        *(grammar["path"] for grammar in contributes["grammars"]),
    ]
    held = manifest["files"]
    assert {Path(name).parts[0] for name in named} == set(held)
    assert [name for name in held if name != "dist" and not (folder / name).exists()] == []  # dist is made
    assert "dependencies" not in manifest  # of what lies in node_modules only the bundle has parts
    assert "--no-dependencies" in manifest["scripts"]["package"].split()
    assert manifest["scripts"]["vscode:prepublish"] == "node bundle.js"
    assert manifest["version"] == arrayol.__version__


def test_what_is_needed_to_build_it_is_pinned(manifest: dict[str, Any], folder: Path) -> None:
    needs = manifest["devDependencies"]
    assert all(version.replace(".", "").isdigit() for version in needs.values())
    sources = "".join((folder / name).read_text(encoding="utf-8") for name in ("bundle.js", "extension.js"))
    assert [name for name in needs if name != "@vscode/vsce" and name not in sources] == []


def test_the_bundle_is_whole(folder: Path, checkout: Path, tmp_path: Path) -> None:
    """It loads without `node_modules` and has the licences of all that is in it."""
    node = shutil.which("node")
    if node is None or not (folder / "node_modules" / "esbuild").exists():
        pytest.skip("run npm install in editors/vscode")
    copied = tmp_path / "editors" / "vscode"
    shutil.copytree(folder, copied, ignore=shutil.ignore_patterns("node_modules", "dist", "*.vsix"))
    shutil.copy(checkout / "LICENSE", tmp_path)
    (copied / "node_modules").symlink_to(folder / "node_modules")
    subprocess.run([node, "bundle.js"], cwd=copied, check=True)
    assert sorted(path.name for path in (copied / "dist").iterdir()) == ["extension.js", "licences.txt"]
    (copied / "node_modules").unlink()
    done = subprocess.run([node, "-e", LOADED], cwd=copied, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("activate,deactivate\n", "")
    licences = (copied / "dist" / "licences.txt").read_text(encoding="utf-8")
    assert licences.startswith("arrayol\n\nMIT License\n")
    assert {"semver", "vscode-jsonrpc", "vscode-languageclient", "minimatch"} <= {
        line.partition(" ")[0] for line in licences.splitlines()
    }
