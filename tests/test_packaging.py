"""The wheel, what it needs, and what may stand in a tracked file."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from installing import pip_install, site_packages

import arrayol

PACKAGES = ("arrayol", "hwmodel", "dse")
HOSTS = [f"{name}.org" for name in ("pypi", "pythonhosted", "anaconda", "npmjs", "conda-forge")]
BUILD_MACHINE = re.compile(r"(?<![\w.~>}$])/(home|root|work|opt|tmp|Users|mnt|builds?)/\w|file:/{3}")


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout, built without a network."""
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=checkout)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment that holds the wheel; its dependencies are those of this environment."""
    environment = tmp_path_factory.mktemp("environment")
    _run(sys.executable, "-m", "venv", "--without-pip", str(environment))
    scripts = environment / "bin"
    pip_install(str(wheel), python=scripts / "python")
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(site_packages(), encoding="utf-8")
    return scripts


def _run(*command: str, cwd: Path | None = None) -> str:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_the_packages_and_the_specs_and_nothing_else(wheel: Path, checkout: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {
        "arrayol/specs/lpsf.aol",
        "arrayol/specs/lpsf.toml",
        "arrayol/language/syntax/grammar.lark",
        "dse/output/report/page/page.html",
        "hwmodel/emit/verilog/library/bank.v",
    } <= held
    sources = {path.relative_to(checkout).as_posix() for package in PACKAGES for path in _files(checkout / package)}
    specs = {"arrayol/" + path.relative_to(checkout).as_posix() for path in _files(checkout / "specs")}
    assert held == sources | specs
    suffixes = {".py", ".typed", ".lark", ".aol", ".toml", ".html", ".css", ".js", ".npy", ".v", ".cpp", ".hpp", ".h"}
    assert {Path(name).suffix for name in held} <= suffixes


@pytest.fixture(scope="module")
def source(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder), cwd=checkout)
    (built,) = folder.iterdir()
    with tarfile.open(built) as opened:
        opened.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def test_the_source_distribution_builds_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path), cwd=source)
    (again,) = tmp_path.glob("*.whl")
    assert again.name == wheel.name
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert first.namelist() == second.namelist()
        assert all(first.read(name) == second.read(name) for name in first.namelist())


def test_the_source_distribution_holds_all_that_is_tracked(source: Path, checkout: Path) -> None:
    if not (checkout / ".git").exists():
        pytest.skip("not a git checkout")
    tracked = _run("git", "-c", "safe.directory=*", "ls-files", "-z", cwd=checkout).split("\0")[:-1]
    there = {name for name in tracked if (checkout / name).is_file()}  # one may be removed and not yet committed
    held = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    assert there - held == set()
    assert "PKG-INFO" in held


def test_the_citation_says_what_the_project_says(checkout: Path) -> None:
    cited = yaml.safe_load((checkout / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cited["cff-version"], cited["type"], cited["title"]) == ("1.2.0", "software", project["name"])
    assert (cited["version"], cited["license"], cited["abstract"], cited["keywords"]) == (
        arrayol.__version__,
        project["license"],
        project["description"],
        project["keywords"],
    )
    assert [author["name"] for author in cited["authors"]] == ["the arrayol authors"]
    glossary = " ".join((checkout / "docs" / "glossary.md").read_text(encoding="utf-8").split())
    assert len(cited["references"]) == 3
    for paper in cited["references"]:
        names = ", ".join(f"{author['given-names']} {author['family-names']}" for author in paper["authors"])
        assert f"{names}, *{paper['title']}*" in glossary
        assert str(paper["year"]) in glossary


def test_the_changes_begin_with_this_version(checkout: Path) -> None:
    headings = re.findall(r"^## (\S+)", (checkout / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == arrayol.__version__


def test_the_wheel_says_its_licence_and_what_it_is_for(wheel: Path, checkout: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (folder,) = {name.split("/")[0] for name in opened.namelist() if ".dist-info/" in name}
        metadata = Parser().parsestr(opened.read(f"{folder}/METADATA").decode("utf-8"))
        licence = opened.read(f"{folder}/licenses/LICENSE")
    assert metadata["Version"] == arrayol.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert licence == (checkout / "LICENSE").read_bytes()
    assert licence.startswith(b"MIT License\n")
    assert b"the arrayol authors" in licence
    assert {"array-ol", "design space exploration", "hardware accelerators"} <= set(metadata["Keywords"].split(","))
    python = "Programming Language :: Python :: "
    versions = {each.removeprefix(python) for each in metadata.get_all("Classifier", []) if each.startswith(python)}
    assert versions == {"3 :: Only", "3.11", "3.12", "3.13", "3.14"}
    assert metadata["Requires-Python"] == ">=3.11"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__")


def test_the_installed_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    where = "import arrayol, hwmodel, dse; print(*(package.__file__ for package in (arrayol, hwmodel, dse)))"
    for place in _run(str(installed / "python"), "-c", where, cwd=tmp_path).split():
        assert Path(place).is_relative_to(installed.parent)


def test_the_installed_wheel_works_away_from_the_checkout(installed: Path, checkout: Path, tmp_path: Path) -> None:
    command = str(installed / "arrayol")
    assert _run(command, "--help", cwd=tmp_path).startswith("Usage: arrayol ")
    _run(command, "example", "lpsf", cwd=tmp_path)
    for name in ("lpsf.aol", "lpsf.toml"):
        assert (tmp_path / name).read_bytes() == (checkout / "specs" / name).read_bytes()
    _run(command, "check", "lpsf.aol", cwd=tmp_path)


def test_every_import_is_a_declared_dependency_and_every_dependency_is_imported(checkout: Path) -> None:
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = settings["dependencies"] + [
        need for name in ("cluster", "lsp") for need in settings["optional-dependencies"][name]
    ]
    declared = {_normal(re.split(r"[<>=!~;\[ ]", need)[0]) for need in needs}
    imported = {
        name
        for package in PACKAGES
        for path in (checkout / package).rglob("*.py")
        if path.parent != checkout / "hwmodel/emit/system/library"
        for name in _imports(path)
    }
    distributions = packages_distributions()
    third_party = imported - set(PACKAGES) - sys.stdlib_module_names
    assert {_normal(distributions[name][0]) for name in third_party} == declared


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_constraints_pin_every_dependency_exactly(checkout: Path) -> None:
    lines = (checkout / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = settings["optional-dependencies"]
    assert {*extras["cluster"], *extras["lsp"]} < set(extras["test"])  # one command installs all that tests need
    needs = settings["dependencies"] + extras["test"] + extras["docs"]
    assert {_normal(need.partition(">=")[0]) for need in needs} <= {_normal(name) for name in pins}


def test_no_tracked_file_names_a_registry_or_a_build_machine(checkout: Path) -> None:
    if not (checkout / ".git").exists():
        pytest.skip("not a git checkout")
    # The clone may belong to another user than the one who runs the tests, as in a container.
    tracked = _run("git", "-c", "safe.directory=*", "ls-files", "-z", cwd=checkout).split("\0")
    found = [
        f"{name}: {reason}" for name in tracked if (checkout / name).is_file() for reason in _strangers(checkout / name)
    ]
    assert found == []


def _strangers(path: Path) -> Iterator[str]:
    text = path.read_bytes().decode("utf-8", "ignore")
    yield from (host for host in HOSTS if host in text)
    yield from (match.group() for match in BUILD_MACHINE.finditer(text))
