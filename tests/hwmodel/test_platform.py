"""Platform files: what they give, and which one a specification takes."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest
from networks import NOWHERE
from platform_files import SMALLEST, load
from pydantic import ValidationError

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import Process, flatten
from arrayol.ir.spec import Elementary, Port, RepetitiveTask, Spec
from arrayol.ir.types import ElementType
from dse.jobs.digest import digest
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.platform import Platform, check_against, find_platform, load_platform
from hwmodel.platform_memories import ExternalMemory, LocalMemory, RowModel

SPECS = Path(__file__).resolve().parents[2] / "specs"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_whole_platform() -> None:
    assert load(
        """
        clock_mhz = 133.3
        [memory]
        latency = 30
        word_bits = 64
        port = "separate"
        [memory.rows]
        row_bytes = 4096
        banks = 4
        word_ns = 6.1
        row_change_ns = 32
        same_bank_activate_ns = 52
        [local]
        banks = 16
        access_cycles = 2
        block_bits = 18432
        [elementary.smooth]
        initiation_interval = 2
        latency = 5
        recurrence = 4
        cost = { lut = 96, dsp = 1.5 }
        energy_pj = 3.25
        """
    ) == Platform(
        clock_mhz=133.3,
        memory=ExternalMemory(
            latency=30,
            word_bits=64,
            port="separate",
            rows=RowModel(row_bytes=4096, banks=4, word_ns=6.1, row_change_ns=32.0, same_bank_activate_ns=52.0),
        ),
        local=LocalMemory(banks=16, access_cycles=2, block_bits=18432),
        elementary={
            "smooth": ElementaryEntry(
                initiation_interval=2, latency=5, recurrence=4, cost={"lut": 96, "dsp": 1.5}, energy_pj=3.25
            )
        },
    )


def test_defaults() -> None:
    found = load(SMALLEST)
    assert found.clock_mhz is None
    assert (found.memory.port, found.memory.rows) == ("shared", None)
    assert found.local == LocalMemory(banks=8, access_cycles=1, block_bits=None, fetch_cycles=3, store_cycles=0)
    assert not found.assume_datapaths
    assert found.elementary == {}
    assert found.entry("unheard") == ElementaryEntry()


def test_windows_line_ends_and_a_byte_order_mark_are_fine() -> None:
    assert load(b"\xef\xbb\xbf" + SMALLEST.replace("\n", "\r\n").encode()) == load(SMALLEST)


def test_rows_replace_the_latency() -> None:
    rows = "[memory.rows]\nrow_bytes = 8192\nword_ns = 6.1\nrow_change_ns = 32\nsame_bank_activate_ns = 52\n"
    found = load("clock_mhz = 100\n[memory]\nword_bits = 64\n" + rows)
    assert found.memory.latency is None
    assert found.memory.rows is not None
    assert found.memory.rows.banks == 8


def test_a_platform_made_in_python_keeps_the_same_rules() -> None:
    with pytest.raises(ValidationError, match="neither 'latency' nor 'rows'"):
        Platform(memory=ExternalMemory(data_per_word=4))


def test_which_platform() -> None:
    given, beside, spec = Path("given.toml"), Path("blur.toml"), Path("blur.aol")
    given.write_text(SMALLEST.replace("30", "31"))
    found, name = find_platform(spec, None)
    assert (found, name) == (
        load_platform(SPECS / "platforms" / "default.toml"),
        "default (shipped with arrayol)",
    )
    beside.write_text(SMALLEST)
    found, name = find_platform(spec, None)
    assert (found.memory.latency, name) == (30, "blur.toml")
    found, name = find_platform(spec, given)
    assert (found.memory.latency, name) == (31, "given.toml")


def blur() -> Spec:
    smooth = Elementary("smooth", (), (), None, None, NOWHERE)
    task = RepetitiveTask("rows", (), (), (4,), "smooth", (), (), (), NOWHERE)
    return Spec("blur", {}, {"smooth": smooth, "rows": task})


def test_entries_fit_the_spec() -> None:
    check_against(load(SMALLEST + "[elementary.smooth]\nlatency = 4\n"), blur())


def test_entries_of_elementaries_that_the_spec_lacks() -> None:
    text = SMALLEST + "[elementary.smoth]\nlatency = 4\n[elementary.rows]\n[elementary.unheard]\n"
    with pytest.raises(ArrayolError) as caught:
        check_against(load(text), blur())
    assert str(caught.value) == (
        "board.toml:4:2: error[unknown-elementary]: 'elementary.smoth' is no elementary of the spec\n"
        "    4 | [elementary.smoth]\n"
        "      |  ^^^^^^^^^^^^^^^^\n"
        "  hint: did you mean 'smooth'?\n"
        "board.toml:6:2: error[unknown-elementary]: 'elementary.rows' is a task; only elementaries have a datapath\n"
        "    6 | [elementary.rows]\n"
        "      |  ^^^^^^^^^^^^^^^\n"
        "  hint: elementaries of 'blur': smooth\n"
        "board.toml:7:2: error[unknown-elementary]: 'elementary.unheard' is no elementary of the spec\n"
        "    7 | [elementary.unheard]\n"
        "      |  ^^^^^^^^^^^^^^^^^^\n"
        "  hint: elementaries of 'blur': smooth"
    )


@pytest.mark.parametrize("path", sorted(SPECS.rglob("*.toml")), ids=lambda path: path.stem)
def test_shipped_platforms(path: Path) -> None:
    load_platform(path)


def test_the_platform_of_the_2010_paper() -> None:
    found = load_platform(SPECS / "lpsf.toml")
    assert (found.memory.latency, found.memory.data_per_word, found.memory.port) == (30, 4, "shared")
    assert found.technology == load_technology("ecp5-6")
    assert found.elementary == {}


def test_consts_of_the_reduced_size() -> None:
    text = SMALLEST + "[verify]\nH = 20\nscale = 0.5\nfast = true\n"
    assert load(text).verify == {"H": 20, "scale": 0.5, "fast": True}
    with pytest.raises(ArrayolError) as caught:
        check_against(load(text), replace(blur(), constants={"H": 1080, "scale": 0.25}))
    assert str(caught.value) == (
        "board.toml:7:1: error[unknown-setting]: 'verify.fast' is no const of the spec\n"
        "    7 | fast = true\n"
        "      | ^^^^\n"
        "  hint: consts of 'blur': H, scale"
    )


def test_recurrences_name_inputs() -> None:
    port = Port("above", ElementType.U8, (), NOWHERE)
    smooth = Elementary("smooth", (port,), (), None, None, NOWHERE)
    spec = replace(blur(), components={**blur().components, "smooth": smooth})
    text = SMALLEST + "[elementary.smooth]\nrecurrence = { above = 3 }\n"
    check_against(load(text), spec)
    text += "[[elementary.smooth.measured]]\ninterval = 2\nrecurrence = { abov = 3 }\n"
    with pytest.raises(ArrayolError) as caught:
        check_against(load(text), spec)
    assert str(caught.value) == (
        "board.toml:8:1: error[unknown-port]: 'elementary.smooth.measured[1].recurrence' names 'abov', which is no "
        "input of 'smooth'\n"
        "    8 | recurrence = { abov = 3 }\n"
        "      | ^^^^^^^^^^\n"
        "  hint: did you mean 'above'?"
    )


TECHNOLOGY = "[path]\nns = 1\n[operators]\nadd = { ns = 2, lut = 9 }\n"


def test_technologies_by_name_and_by_path_from_the_platforms_file(tmp_path: Path) -> None:
    shipped = load(f'technology = "ecp5-6"\nclock_mhz = 100\n{SMALLEST}')
    assert shipped.technology is not None
    assert (shipped.technology.name, shipped.technology) == ("ecp5-6", load_technology("ecp5-6"))
    folder = tmp_path / "boards"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "own.toml").write_text(TECHNOLOGY, encoding="utf-8")
    text = f'technology = "parts/own.toml"\nclock_mhz = 100\n{SMALLEST}'
    (folder / "board.toml").write_text(text, encoding="utf-8")
    own = load_platform("boards/board.toml").technology
    assert own is not None
    assert own.name == "own"
    assert own.rows("add")[0].lut.text == "9"


def test_a_technology_is_known_by_its_content() -> None:
    texts = [TECHNOLOGY, TECHNOLOGY.replace("9", "10"), TECHNOLOGY]
    platforms = []
    for text in texts:
        Path("own.toml").write_text(text, encoding="utf-8")
        platforms.append(load(f'technology = "./own.toml"\nclock_mhz = 100\n{SMALLEST}'))
    first, other, again = platforms
    assert first == again
    assert first != other
    assert digest(first) == digest(again)
    assert digest(first) != digest(other)
    assert pickle.loads(pickle.dumps(first)) == first


def test_single_rows_are_overridden() -> None:
    plain = load(f'technology = "ecp5-6"\nclock_mhz = 100\n{SMALLEST}')
    rows = 'add = { ns = 3, lut = 7 }\nmul = [{ ns = "0.1*w if w > 4 else 2", dsp = 1 }]\nmux_in = { lut = "w*k" }\n'
    text = f'technology = "ecp5-6"\nclock_mhz = 100\n{SMALLEST}[operators]\n{rows}'
    board = load(text)
    assert board.prices is not None
    assert plain.prices is not None
    assert board.prices.rows("add")[0].lut.text == "7"
    assert board.prices.rows("sub") == plain.prices.rows("sub")
    assert digest(board) != digest(plain)
    assert digest(board) != digest(load(text.replace("w > 4", "w > 5")))
    assert board != load(text.replace("w*k", "w + k"))
    assert board == pickle.loads(pickle.dumps(board)) == load(text)
    assert plain.model_copy(update={"operators": board.operators}).prices == board.prices


def test_a_copy_asks_anew() -> None:
    process = _process()
    board = load(f"{SMALLEST}[elementary.smooth]\ninterval = 2\n")
    assert board.datapath(process).interval == 2
    other = board.model_copy(update={"elementary": {"smooth": ElementaryEntry(interval=(3,))}})
    assert (board.datapath(process).interval, other.datapath(process).interval) == (2, 3)
    assert pickle.loads(pickle.dumps(other)).datapath(process).interval == 3


def _process() -> Process:
    return Process("rows", "rows", "smooth", (4,), (), (), (), (), ())


def test_every_elementary_without_a_datapath_is_named() -> None:
    spec = api.load(SPECS / "harris.aol")
    network = flatten(spec, "harris")
    with pytest.raises(ArrayolError) as caught:
        load(SMALLEST + "[elementary.box]\nlatency = 2\n[elementary.score]\ninterval = 4\n").require_datapaths(network)
    assert [mistake.code for mistake in caught.value.diagnostics] == ["no-datapath"] * 3
    lines = str(caught.value).splitlines()
    assert lines[0].endswith(
        "harris.aol:9:12: error[no-datapath]: the elementary 'differences' has no datapath: the platform names no "
        "technology and gives it no interval"
    )
    assert lines[3] == (
        '  hint: name a technology in the platform, as technology = "ecp5-6", give [elementary.differences] with '
        "interval = CYCLES, or take --assume-datapaths"
    )


def test_extern_and_black_boxes_need_an_entry(tmp_path: Path) -> None:
    text = 'elementary far(x: u8) -> (y: u8) extern "math:sqrt"\nelementary dark(x: u8) -> (y: u8)\n'
    text += "task both(a: u8) -> (b: u8, c: u8) { b = far(a) c = dark(a) }\n"
    (tmp_path / "both.aol").write_text(text, encoding="utf-8")
    network = flatten(api.load(tmp_path / "both.aol"), "both")
    board = load(f'technology = "ecp5-6"\nclock_mhz = 50\n{SMALLEST}')
    with pytest.raises(ArrayolError) as caught:
        board.require_datapaths(network)
    assert [mistake.message for mistake in caught.value.diagnostics] == [
        f"the elementary '{name}' has no datapath: it is {kind}, of which nothing can be derived, and the platform "
        "gives it no interval"
        for name, kind in (("far", "extern"), ("dark", "a black box"))
    ]
    board.model_copy(update={"assume_datapaths": True}).require_datapaths(network)


TABLE_LOOK_UP = """
elementary gamma(x: u8, t: u8[256]) -> (y: u8) { y = t[x] }
task top(x: u8[4], t: u8[256]) -> (y: u8[4]) {
  repeat [4] of gamma {
    x <- x at origin [0] paving [1] fitting []
    t <- t
    y -> y at origin [0] paving [1] fitting []
  }
}
"""


@pytest.mark.parametrize(
    ("keys", "latency"),
    [  # the operand, the element at its place, the result's register
        ("[local]\nfetch_cycles = 3", 3 + 3),
        ("[local]\nfetch_cycles = 4", 4 + 4),
        ("[local]\nfetch_cycles = 0", 3 + 3),  # as in hardware
        ("[local]\nfetch_cycles = 2\nstore_cycles = 2", 4 + 3),
        ('[local]\nfetch_cycles = 2\n[operators]\naccess = { cycles = 5, pj = "1" }', 3 + 5),
    ],
)
def test_a_read_at_a_place_of_data_takes_the_fetch_cycles(keys: str, latency: int) -> None:
    platform = load(f'clock_mhz = 50\ntechnology = "ecp5-6"\n{SMALLEST}\n{keys}')
    Path("gamma.aol").write_text(TABLE_LOOK_UP)
    network = flatten(api.load("gamma.aol"), "top")
    (process,) = network.processes.values()
    assert platform.datapath(process, 1).latency == latency - 1  # of an interval, the cycle of the start is part


def test_memory_is_the_one_channel_of_all_arrays() -> None:
    platform = Platform(memory=ExternalMemory(latency=30, word_bits=128))
    assert platform.channels == (platform.memory,)
    assert platform.channel_of("any") is platform.memory
    assert not platform.has_rows


def test_what_needs_a_channel_asks_for_that_of_an_array_or_for_all() -> None:
    """So that a second channel is found by whoever reads one."""
    root = SPECS.parent
    files = [path for package in ("hwmodel", "dse", "arrayol") for path in (root / package).rglob("*.py")]
    readers = [path.name for path in files if re.search(r"platform\.memory\b", path.read_text(encoding="utf-8"))]
    assert readers == []
