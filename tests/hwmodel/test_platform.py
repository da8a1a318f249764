"""Platform files: what they give, and which one a specification takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from networks import NOWHERE
from platform_files import SMALLEST, load
from pydantic import ValidationError

from arrayol.errors import ArrayolError
from arrayol.ir.spec import Elementary, Port, RepetitiveTask, Spec
from arrayol.ir.types import ElementType
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.platform import (
    ExternalMemory,
    LocalMemory,
    Platform,
    RowModel,
    check_against,
    find_platform,
    load_platform,
)

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
    assert found.entry("smooth").initiation_interval == 1


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
