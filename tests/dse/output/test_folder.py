"""Result folders: what they hold, what they replace and what they refuse."""

from __future__ import annotations

import copy
import csv
import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest
from explored import leave_undrawn, mapped

from arrayol import api
from arrayol.errors import ArrayolError, render
from dse.jobs.cache import CACHE_NAME, FORMER_NAME
from dse.output import writing as store
from dse.output.folder import load_result, require_writable
from dse.output.open_design import record_of
from dse.output.plots.save import save_front
from dse.output.writing import write_result
from dse.results.consistency import EXPLORE_AGAIN
from dse.results.exploration import Exploration

SPECS = Path(__file__).resolve().parents[3] / "specs"
RESULT_FILES = {"result.json", "designs.csv", "pareto.png", "pareto.svg", "README.txt", "specs/4.aol", "specs/2+2.aol"}
FILES = RESULT_FILES | {"report.html"}


@pytest.fixture(scope="module")
def lpsf() -> Exploration:
    return api.explore(api.load(SPECS / "lpsf.aol"), model="published")


@pytest.fixture(scope="module")
def everything() -> Exploration:
    return api.explore(api.load(SPECS / "lpsf.aol"), model="published", keep_all=True)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder; tests that are not about pictures draw none."""
    monkeypatch.chdir(tmp_path)
    leave_undrawn(monkeypatch)


def names(folder: Path) -> set[str]:
    """Its files and folders; of arrayol's own folder of specifications the files."""
    specs = {f"specs/{path.name}" for path in (folder / "specs").glob("*")}
    return {path.name for path in folder.iterdir()} - {"specs"} | specs


def test_it_is_read_back_as_it_was(lpsf: Exploration, everything: Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "save_front", save_front)
    for found in (lpsf, everything):
        written = write_result(found, Path("out"))
        assert {path.relative_to("out").as_posix() for path in written} == names(Path("out")) == FILES
        assert load_result(Path("out")) == found.result
    assert names(Path()) == {"out"}


def test_it_says_what_it_holds_and_how_to_get_the_rest() -> None:
    found = mapped(8, 16)
    written = write_result(found, Path("out"))
    text = Path("out/README.txt").read_text(encoding="utf-8")
    for path in written:
        assert path.name in text or path.parent.name == "specs"
    specs = sum(path.parent.name == "specs" for path in written)
    assert f"the specifications of {specs} designs of the front, which represent its " in text
    assert f"arrayol transform {found.result.spec} --result DIR --design ID" in text


def test_the_same_bytes_twice(lpsf: Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "save_front", save_front)
    for folder in (Path("one/out"), Path("two/out")):  # the report says the name of its folder
        folder.parent.mkdir()
        write_result(lpsf, folder)
    for name in FILES:
        assert Path("one/out", name).read_bytes() == Path("two/out", name).read_bytes()
    svg = Path("one/out/pareto.svg").read_text(encoding="utf-8")
    assert "dc:date" not in svg
    assert not re.search(r"[Mm]atplotlib v", svg)


def test_the_table(lpsf: Exploration, everything: Exploration) -> None:
    write_result(lpsf, Path("front"))
    write_result(everything, Path("all"))
    texts = (Path(name, "designs.csv").read_text(encoding="utf-8") for name in ("front", "all"))
    front, rows = (list(csv.DictReader(text.splitlines())) for text in texts)
    assert [(row["id"], row["pareto"]) for row in front] == [("4", "yes"), ("2+2", "yes")]
    assert len(rows) == 8
    assert [row["id"] for row in rows if row["pareto"] == "yes"] == ["4", "2+2"]
    assert front[1] == rows[3]
    assert front[1] == {
        "id": "2+2",
        "pareto": "yes",
        "groups": "2",
        "fusion": "hflr vftd | hfrl vfbu",
        "latency_cycles": "4147200",
        "internal_memory_elements": "15360",
        "internal_memory_bits": "491520",
        "units": "16",
        "latency_microseconds": "41472.0",
        **{f"units[{task}]": "4" for task in ("hflr", "vftd", "hfrl", "vfbu")},
        **{f"block_data[{task}]": "480" for task in ("hflr", "vftd", "hfrl", "vfbu")},
    }


def test_a_former_result_is_replaced_and_what_lies_beside_it_stays(lpsf: Exploration) -> None:
    write_result(lpsf, Path("out"))
    Path("out/notes.txt").write_text("mine")
    Path("out/more").mkdir()
    Path("out/more/deep.txt").write_text("mine too")
    Path("out/pareto.png").write_bytes(b"stale")
    Path("out/specs/former.aol").write_text("stale")
    Path("out/specs/notes.txt").write_text("mine here")
    write_result(lpsf, Path("out"))
    assert names(Path("out")) == FILES | {"notes.txt", "more", "specs/notes.txt"}
    assert Path("out/notes.txt").read_text() == "mine"
    assert Path("out/more/deep.txt").read_text() == "mine too"
    assert Path("out/pareto.png").read_bytes() != b"stale"


def test_a_report_that_is_not_wanted_is_not_there_and_a_former_one_goes(lpsf: Exploration) -> None:
    write_result(lpsf, Path("out"))
    assert "report.html" in Path("out/README.txt").read_text(encoding="utf-8")
    written = write_result(lpsf, Path("out"), report=False)
    assert names(Path("out")) == RESULT_FILES
    assert "report.html" not in [path.name for path in written]
    assert "report.html" not in Path("out/README.txt").read_text(encoding="utf-8")


def test_a_result_of_another_version_is_replaced_too(lpsf: Exploration) -> None:
    Path("out").mkdir()
    Path("out/result.json").write_text('{"arrayol": "99", "pareto": [], "new": 1}')
    write_result(lpsf, Path("out"))
    assert load_result(Path("out")) == lpsf.result


def test_an_empty_folder_is_taken(lpsf: Exploration) -> None:
    Path("out").mkdir()
    write_result(lpsf, Path("out"))
    assert names(Path("out")) == FILES


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"pareto": []}', "\udcff"])
def test_another_folder_is_refused_and_left_as_it_is(lpsf: Exploration, content: str) -> None:
    Path("out").mkdir()
    Path("out/result.json").write_text(content, errors="surrogateescape")
    with pytest.raises(ArrayolError) as caught:
        write_result(lpsf, Path("out"))
    assert str(caught.value) == (
        "out: error[not-a-result]: this folder is not empty and holds no former result\n"
        "  hint: name another folder with --out"
    )
    assert names(Path("out")) == {"result.json"}
    assert names(Path()) == {"out"}


def test_what_cannot_become_a_result_folder() -> None:
    Path("file").touch()
    Path("link").symlink_to("nowhere")
    messages = {}
    for name in ("file", "no/where", "file/below", ".", "..", "link"):
        with pytest.raises(ArrayolError) as caught:
            require_writable(Path(name))
        (messages[name],) = [found.message for found in caught.value.diagnostics]
    assert messages == {
        "file": "this is a file, and results go to a folder",
        "no/where": "there is no folder 'no' to write to",
        "file/below": "there is no folder 'file' to write to",
        ".": "this is the folder you are in, which cannot be replaced as a whole",
        "..": "this is the folder you are in, which cannot be replaced as a whole",
        "link": "this is a link to nothing",
    }


def test_a_folder_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    with pytest.raises(ArrayolError, match=r"out: error\[cannot-write\]: the folder '\.' may not be written to"):
        require_writable(Path("out"))


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), OSError("odd"), ValueError("odd")])
def test_a_failure_leaves_the_former_result(
    lpsf: Exploration, monkeypatch: pytest.MonkeyPatch, raised: BaseException
) -> None:
    write_result(lpsf, Path("out"))
    before = {name: Path("out", name).read_bytes() for name in FILES}

    def fail(exploration: Exploration, *paths: Path) -> None:
        paths[0].write_bytes(b"half")
        raise raised

    monkeypatch.setattr(store, "save_front", fail)
    with pytest.raises(type(raised)):
        write_result(lpsf, Path("out"))
    assert {name: Path("out", name).read_bytes() for name in FILES} == before
    assert names(Path()) == {"out"}


NO_RESULT = (
    "out/result.json: error[not-a-result]: this is not a result of 'arrayol explore', or of another version of it\n"
    "  hint: explore once more"
)
NOTHING = "out: error[not-a-result]: there is no result.json here\n  hint: name the folder that 'arrayol explore' wrote"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, NOTHING),
        (b"{", NO_RESULT),
        (b"\xff", NO_RESULT),
        (b'{"arrayol": "0"}', NO_RESULT),
        (b"[" * 5000, NO_RESULT),
    ],
)
def test_what_is_no_result_cannot_be_loaded(content: bytes | None, message: str) -> None:
    Path("out").mkdir()
    if content is not None:
        Path("out/result.json").write_bytes(content)
    with pytest.raises(ArrayolError) as caught:
        load_result(Path("out"))
    assert str(caught.value) == message


def stored(exploration: Exploration) -> dict[str, Any]:
    """Its document, in the folder `out`."""
    write_result(exploration, Path("out"))
    document: dict[str, Any] = json.loads(Path("out/result.json").read_text(encoding="utf-8"))
    return document


Place = tuple[str | int, ...]


def changed(document: dict[str, Any], place: Place, value: object) -> dict[str, Any]:
    """A copy of a document with another value in one place."""
    copied: dict[str, Any] = copy.deepcopy(document)
    holder: Any = copied
    for part in place[:-1]:
        holder = holder[part]
    holder[place[-1]] = value
    return copied


def store_again(document: object) -> None:
    Path("out/result.json").write_text(json.dumps(document), encoding="utf-8")


def wrong_design(document: dict[str, Any], place: Place, value: object) -> str:
    """What is said of the one wrong design of a document that has this value in a place of a design."""
    store_again(changed(document, place, value))
    warnings: list[str] = []
    result = load_result(Path("out"), lambda warning: warnings.append(render(warning)))
    (warning,), (name,) = warnings, result.unusable
    kept = [design["id"] for design in document["pareto"] if design["id"] != name]
    assert [design.id for design in result.pareto] == kept
    assert record_of(result, Path("out"), kept[0]).id == kept[0]
    with pytest.raises(ArrayolError) as caught:
        record_of(result, Path("out"), name)
    assert f"error[wrong-design]: design {name} cannot be used: {result.unusable[name]}" in str(caught.value)
    return warning


@pytest.mark.parametrize("units", [0, 10**30, 10**4000], ids=["none", "too-many", "far-too-many"])
def test_decisions_that_no_exploration_has(lpsf: Exploration, units: int) -> None:
    warning = wrong_design(stored(lpsf), ("pareto", 0, "groups", 0, "processors", 0, "units"), units)
    assert warning == (
        "out/result.json: warning[wrong-design]: design 4 is left out: its groups[0].processors[0].units is not what "
        f"explore writes\n  hint: {EXPLORE_AGAIN}"
    )


def test_many_wrong_designs_are_told_in_a_few_lines(lpsf: Exploration) -> None:
    document = stored(mapped())
    for design in document["pareto"][1:]:
        design["objectives"]["units"] += 1
    store_again(document)
    warnings: list[str] = []
    result = load_result(Path("out"), lambda warning: warnings.append(warning.message))
    assert [design.id for design in result.pareto] == ["4:1"]
    assert len(warnings) == 6
    assert re.fullmatch(r"design 4:2 is left out: units is \d+, and its groups give \d+", warnings[0])
    assert warnings[5].startswith(f"{len(document['pareto']) - 6} more designs left out: ")
    store_again(changed(document, ("pareto", 0, "objectives", "units"), -1))
    with pytest.raises(ArrayolError, match=r"error\[wrong-result\]: design 4:1: units is -1, and a figure is"):
        load_result(Path("out"))


FORMATS = {
    None: ("has no format number", "explore again"),
    11: ("is in format 11", "explore again"),
    13: ("is in format 13", "read it with the version of arrayol that wrote it, or explore again"),
}


@pytest.mark.parametrize("number", FORMATS)
def test_a_result_in_another_format_is_refused_by_name(lpsf: Exploration, number: int | None) -> None:
    document = stored(lpsf)
    assert next(iter(document.items())) == ("format", 12)
    del document["format"]
    store_again(document if number is None else document | {"format": number, "pareto": "anything"})
    with pytest.raises(ArrayolError) as caught:
        load_result(Path("out"))
    its, hint = FORMATS[number]
    message = f"the result {its}, and this version of arrayol reads and writes format 12"
    assert str(caught.value) == f"out/result.json: error[other-format]: {message}\n  hint: {hint}"


def test_keys_that_are_not_known_are_left_out_with_a_warning(lpsf: Exploration) -> None:
    document = stored(lpsf)
    document["mood"] = {"today": 1}
    document["space"]["colour"] = None
    for design in document["pareto"]:
        design["groups"][0]["processors"][0]["shade"] = [2]
    store_again(document)
    warnings: list[str] = []
    assert load_result(Path("out"), lambda warning: warnings.append(render(warning))) == lpsf.result
    (warning,) = warnings
    assert warning == (
        "out/result.json: warning[unknown-key]: keys that this version of arrayol does not know are left out: "
        "space.colour, pareto[].groups[].processors[].shade, mood"
    )
    with pytest.warns(UserWarning, match=re.escape(warning)):
        assert load_result(Path("out")) == lpsf.result


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("format",), "2"),
        (("format",), True),
        (("method",), None),
        (("space", "fusions"), "many"),
        (("space", "groups"), "many"),
        (("pareto",), {}),
    ],
)
def test_anything_else_that_is_wrong_is_an_error(lpsf: Exploration, place: tuple[Any, ...], value: object) -> None:
    document = stored(lpsf) | {"mood": 1}
    holder = document
    for part in place[:-1]:
        holder = holder[part]
    holder[place[-1]] = value
    store_again(document)
    with pytest.raises(ArrayolError) as caught:
        load_result(Path("out"))
    assert str(caught.value) == NO_RESULT
    del holder[place[-1]]
    store_again(document)
    if place != ("format",):
        with pytest.raises(ArrayolError) as caught:
            load_result(Path("out"))
        assert str(caught.value) == NO_RESULT


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (
            ("pareto", 0, "groups", 0, "processors", 0, "block_data"),
            None,
            "4 is left out: some of its groups and processors are of another model than those of other designs",
        ),
        (
            ("pareto", 1, "groups", 1, "mapping"),
            {},
            "2+2 is left out: its groups[1].mapping.blocks is not what explore writes",
        ),
        (
            ("pareto", 1, "fusion"),
            [["hflr"]],
            "2+2 is left out: fusion is hflr, and its groups are hflr vftd | hfrl vfbu",
        ),
        (("pareto", 1, "id"), 7, "pareto[1] is left out: its id is not what explore writes"),
        (("pareto", 0), [], "pareto[0] is left out: it is not what explore writes"),
    ],
)
def test_one_wrong_design_does_not_block_the_others(
    lpsf: Exploration, place: Place, value: object, reason: str
) -> None:
    document = stored(lpsf) | {"mood": 1}
    store_again(changed(document, place, value))
    warnings: list[str] = []
    result = load_result(Path("out"), lambda warning: warnings.append(warning.message))
    assert warnings[0].endswith("does not know are left out: mood")
    assert warnings[1:] == [f"design {reason}"]
    assert len(result.pareto) == 1
    assert list(result.unusable) == [reason.split(maxsplit=1)[0]]


def test_a_folder_with_a_deeply_nested_file_is_no_result() -> None:
    Path("out").mkdir()
    Path("out/result.json").write_text("[" * 5000, encoding="utf-8")
    with pytest.raises(ArrayolError, match="is not empty and holds no former result"):
        require_writable(Path("out"))


def test_the_former_store_goes_with_the_former_result(lpsf: Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    write_result(lpsf, Path("out"))
    for name in (CACHE_NAME, FORMER_NAME):
        Path("out", name).write_bytes(name.encode())

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(store, "save_front", full)
        with pytest.raises(ArrayolError, match="No space left on device"):
            write_result(lpsf, Path("out"))
    assert {CACHE_NAME, FORMER_NAME, "result.json"} <= names(Path("out"))
    write_result(lpsf, Path("out"))
    assert names(Path("out")) & {CACHE_NAME, FORMER_NAME} == {CACHE_NAME}
