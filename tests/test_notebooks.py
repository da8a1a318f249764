"""What a notebook shows: short texts, tables and pictures; and the notebooks of the manual, run whole."""

from __future__ import annotations

import re
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import nbformat
import pytest
from explored import SPECS
from IPython.core.formatters import DisplayFormatter
from nbclient import NotebookClient

from arrayol import api
from arrayol.api.notebook import register_in
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten

PROGRESS = re.compile(r"(searching|simulating|describing): \d")
NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "docs" / "notebooks").glob("*.ipynb"))
PNG = b"\x89PNG\r\n"


@pytest.fixture(scope="module")
def spec() -> api.Spec:
    return api.load(SPECS / "conv3x3.aol", {"H": 6, "W": 8})


@pytest.fixture(scope="module")
def explored(spec: api.Spec) -> api.Exploration:
    return api.explore(spec, space=api.Space(narrow=True, verify=False))


def shown(value: object) -> dict[str, Any]:
    """What IPython would send to a notebook, by type."""
    display = DisplayFormatter()
    display.active_types = display.format_types
    register_in(display)
    data, _ = display.format(value)
    return dict(data)


@pytest.mark.parametrize("path", sorted(SPECS.glob("*.aol")), ids=lambda path: path.stem)
def test_specifications_and_what_is_in_them_say_who_they_are_in_a_line(path: Path) -> None:
    spec = api.load(path)
    parts = [part for top in spec.tops for part in _of_network(spec, top)]
    for value in (spec, *spec.components.values(), *parts):
        assert len(repr(value)) <= 300
        assert "\n" not in repr(value)


def _of_network(spec: api.Spec, top: str) -> list[object]:
    network = flatten(spec, top)
    return [network, *network.processes.values()]


def test_the_short_texts(spec: api.Spec, explored: api.Exploration) -> None:
    assert repr(spec).removeprefix(f"Spec('{SPECS}/") == (
        "conv3x3.aol': tasks filter, threshold, conv3x3; elementaries convolve, compare; H = 6, W = 8, LIMIT = 128)"
    )
    assert repr(spec.components["filter"]) == "RepetitiveTask('filter': image, kernel -> sums, [4, 6] of convolve)"
    assert repr(spec.components["convolve"]) == "Elementary('convolve': window, weights -> sum)"
    assert repr(spec.components["conv3x3"]) == "CompoundTask('conv3x3': image, kernel -> mask, 2 calls)"
    network = flatten(spec, "conv3x3")
    assert repr(network) == "Network('conv3x3': image, kernel -> mask, 2 processes, 4 arrays)"
    assert repr(network.processes["filter"]) == "Process('filter': image, kernel -> sums, [4, 6] of convolve)"
    result = explored.result
    front = f"'conv3x3': {len(result.pareto)} designs on the front of latency_cycles, internal_memory_elements"
    assert repr(explored) == f"Exploration({front}; machine model, exact)"
    assert repr(result) == str(result) == f"Result({front}; machine model, exact)"
    first = result.pareto[0]
    assert repr(first).startswith(f"Design({first.id!r}: latency_cycles = {first.objectives['latency_cycles']:,}, ")
    same = api.compare(result, result)
    assert repr(same) == (
        f"Comparison(0 points gained, 0 lost, {len(result.pareto)} on both fronts of "
        "latency_cycles, internal_memory_elements)"
    )


def test_specifications_show_their_graphs(spec: api.Spec, tmp_path: Path) -> None:
    network = flatten(spec, "conv3x3")
    for value in (spec, network, api.transform(spec, ["fuse filter threshold"])):
        data = shown(value)
        assert data["image/png"].startswith(PNG)
        assert data["text/plain"] == repr(value)
        assert "text/html" not in data
    pair = "".join(f"elementary {name}(a: u8) -> (b: u8) {{\n  b = a\n}}\n" for name in ("one", "two"))
    (tmp_path / "pair.aol").write_text(pair, encoding="utf-8")
    assert "image/png" not in shown(api.load(tmp_path / "pair.aol"))


def test_tasks_show_their_tilers(spec: api.Spec, tmp_path: Path) -> None:
    graph, tilers = api.show(spec), api.show(spec, "filter")
    assert "filter" in repr(graph)
    assert "paving" in repr(tilers)
    assert shown(graph)["image/png"].startswith(PNG)
    assert shown(tilers)["image/png"] != shown(graph)["image/png"]
    tilers.save(tmp_path / "tilers.svg")
    assert "<svg" in (tmp_path / "tilers.svg").read_text(encoding="utf-8")


def test_fronts_and_comparisons_show_tables_with_a_picture(explored: api.Exploration) -> None:
    result = explored.result
    for value in (explored, result):
        html = shown(value)["text/html"]
        for design in result.pareto:
            assert f'<td style="text-align: left">{design.id}</td>' in html
            assert f">{design.objectives['latency_cycles']:,}</td>" in html
        assert _pictures(html) == 1
    html = shown(api.compare(result, result))["text/html"]
    assert f"{len(result.pareto)} on both fronts" in html
    assert _pictures(html) == 1
    design = result.pareto[0]
    html = shown(design)["text/html"]
    assert "<th>design</th>" in html
    assert f">{design.objectives['internal_memory_bits']:,}</td>" in html
    assert "internal_memory_bits" in html
    assert "knee" in shown(api.pick(result, "knee"))["text/html"]


def _pictures(html: str) -> int:
    found = re.findall(r'<img src="data:image/png;base64,([^"]*)"', html)
    assert all(b64decode(text).startswith(PNG) for text in found)
    return len(found)


def test_a_front_becomes_a_data_frame(explored: api.Exploration) -> None:
    frame = explored.to_dataframe()
    headers, *rows = explored.result.rows
    assert list(frame.columns) == list(headers)
    assert [tuple(row) for row in frame.itertuples(index=False)] == rows
    assert frame["latency_cycles"].dtype.kind == "i"


def test_a_data_frame_becomes_parquet(explored: api.Exploration, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow, which pandas writes Parquet with, is not installed")
    frame = explored.to_dataframe()
    frame.to_parquet(tmp_path / "front.parquet")
    pandas = sys.modules["pandas"]
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "front.parquet"), frame)


def test_without_a_library_the_remedy_is_told(explored: api.Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ArrayolError, match=r"no-dataframes.*pandas or polars, which is not installed") as caught:
        explored.to_dataframe()
    assert "pip install pandas" in str(caught.value)
    with pytest.raises(ArrayolError, match="a data frame needs polars"):
        explored.to_dataframe("polars")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebooks_of_the_manual_run(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    said = "".join(output["text"] for output in outputs if output.get("name") == "stderr")
    assert [line for line in said.splitlines() if not PROGRESS.match(line)] == []  # which a slow machine shows
    assert {"text/html", "image/png"} <= {kind for output in outputs for kind in output.get("data", ())}
    assert all(len(output["data"]["text/plain"]) < 5_000 for output in outputs if "data" in output)
    assert all(cell.outputs == [] for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["compare", "front"]
