"""`arrayol explore --emit`: specification and picture of a design of a result that is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine

from arrayol import api
from arrayol.files import shipped_folder

TASKS = ("hflr", "vftd", "hfrl", "vfbu")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with LPSF, and in `out` beside it a result."""
    place = tmp_path_factory.mktemp("place")
    for name in ("lpsf.aol", "lpsf.toml"):
        (place / name).write_text((shipped_folder() / name).read_text())
    study = api.Study(units=(1,), blocks=dict.fromkeys(TASKS, ((2, 2), (4, 4))))
    space = api.Space(study=study, narrow=True, verify=False)
    api.write_result(api.explore(place / "lpsf.aol", settings={"H": 8, "W": 16}, space=space), place / "out")
    return place


@pytest.fixture
def tmp_path(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, which tests work in."""
    monkeypatch.chdir(place)
    return place


def test_it_writes_what_belongs_to_a_design(arrayol: CommandLine, tmp_path: Path) -> None:
    design = next(one for one in api.load_result("out").pareto if one.steps)
    spec, picture = (tmp_path / "out/specs" / f"{design.id.replace(':', '-')}.{end}" for end in ("aol", "png"))
    before, stored = spec.read_text(), (tmp_path / "out/result.json").read_bytes()
    spec.unlink()
    done = arrayol("explore", "lpsf.aol", "--out", "out", "--emit", design.id)
    names = [path.relative_to(tmp_path) for path in (spec, picture)]
    assert (done.stdout, done.stderr) == ("", "".join(f"wrote {name}\n" for name in names))
    assert spec.read_text() == before
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out/result.json").read_bytes() == stored


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--emit", "9:1"), "error[unknown-design]: there is no design '9:1'"),
        (("--emit", "9:1", "--narrow"), "--narrow is not for --emit, which takes a result as it is"),
        (("--emit", "9:1", "--budget", "5"), "--budget is not for --emit, which takes a result as it is"),
    ],
)
def test_what_it_refuses(arrayol: CommandLine, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    before = sorted((tmp_path / "out").rglob("*"))
    done = arrayol("explore", "lpsf.aol", "--out", "out", *arguments)
    assert told in done.stderr
    assert done.returncode != 0
    assert sorted((tmp_path / "out").rglob("*")) == before


@pytest.mark.usefixtures("tmp_path")
def test_there_is_nothing_to_take_from(arrayol: CommandLine) -> None:
    done = arrayol("explore", "lpsf.aol", "--emit", "4:1")
    assert "error[not-a-result]" in done.stderr
    assert done.returncode == 1


def test_where_the_cycles_of_the_front_go(arrayol: CommandLine, tmp_path: Path) -> None:
    done = arrayol("report", "out", "--breakdown", "where.svg")
    assert (done.stdout, done.stderr) == ("wrote where.svg\n", "")
    text = (tmp_path / "where.svg").read_text(encoding="utf-8")
    assert "<svg" in text
    done = arrayol("report", "out", "--breakdown", "where.png", "--out", "page.html")
    assert "--out and --breakdown exclude each other" in done.stderr
    assert not (tmp_path / "where.png").exists()


def test_the_published_model_does_not_say_where_they_go(arrayol: CommandLine, tmp_path: Path) -> None:
    assert arrayol("explore", "lpsf.aol", "--model", "published", "--quiet", "--out", "plain").returncode == 0
    done = arrayol("report", "plain", "--breakdown", "nowhere.svg")
    assert "error[published-result]: this is a result of the published model" in done.stderr
    assert "a breakdown needs the machine model" in done.stderr
    assert (done.returncode, (tmp_path / "nowhere.svg").exists()) == (1, False)
