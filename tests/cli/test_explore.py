"""`arrayol explore`, through the installed command."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import CommandLine
from manual import timeless

FILES = ["README.txt", "designs.csv", "pareto.png", "pareto.svg", "report.html", "result.json", "specs"]
USAGE = "Usage: arrayol explore [OPTIONS] FILE\nTry 'arrayol explore --help' for help.\n\nError: "
PUBLISHED = ("--model", "published")
OBJECTIVES = "Invalid value for '--objectives': "
KNOWN = (
    "latency_cycles, internal_memory_elements, internal_memory_bits, units, latency_microseconds, "
    "setup_cycles, setup_bytes, rom_bits, local_bits"
)
LPSF = """\
lpsf: 2 of 8 designs on the Pareto front of latency_cycles, internal_memory_elements

                                      N_cu       X_out            AL            IM
design   group and its tasks         units   data/unit        cycles          data
──────────────────────────────────────────────────────────────────────────────────
4        1: hflr, vftd, hfrl, vfbu       4         240     2,073,600     2,081,280
         p2 kept whole                                   20,736.0 µs   8,130.0 KiB

2+2      1: hflr, vftd                   4         480     4,147,200        15,360
         2: hfrl, vfbu                   4         480   41,472.0 µs      60.0 KiB

quality  exact: no design of the searched space is better
took     some time; 8 fusions
report   open lpsf-explore/report.html in a browser

space        8 legal fusions of 4 tasks, in 4 subspaces by number of groups
             5 integer partitions of 4 tasks: 5 covered
evaluated    8 designs, 0 of them infeasible
compared     32 ordered pairs subspace by subspace, against 56 all with all
hypervolume  17.4% of the box up to 4,444,858.9 cycles, 3,400,356.4 elements, on logarithmic axes
platform     lpsf.toml
             no datapath is given for smooth: assuming an initiation interval of 1 cycle; give [elementary.NAME] in the
             platform
model        published; exact: every legal fusion under the published model of Corvino, Gamatié, Boulet (2010)
steps        4: fuse hfrl vfbu 4,15; fuse vftd hfrl_vfbu; fuse hflr vftd_hfrl_vfbu
             2+2: fuse hflr vftd 4,30; fuse hfrl vfbu 4,30
written      lpsf-explore: result.json, designs.csv, pareto.png, pareto.svg, report.html, README.txt, specs/4.aol,
             specs/2+2.aol
"""


@pytest.fixture
def lpsf(arrayol: CommandLine, tmp_path: Path) -> Path:
    arrayol("example", "lpsf")
    return tmp_path


def run_with(variables: dict[str, str], script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Explore the one specification of a folder."""
    (spec,) = folder.glob("*.aol")
    command, environment = [script, "explore", *PUBLISHED, "--verbose", spec.name], os.environ | variables
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", errors="replace", check=True
    )


def chain(length: int) -> str:
    """A specification of equal filters in a row."""
    tiler = "at origin [0] paving [4] fitting [1]"
    filters = [
        f"task a_filter_{place}(src: f32[64]) -> (dst: f32[64]) {{\n"
        f"  repeat [16] of f {{ x <- src {tiler}  y -> dst {tiler} }}\n}}"
        for place in range(length)
    ]
    calls = "\n".join(f"  p{place + 1} = a_filter_{place}(p{place})" for place in range(length))
    top = f"task chain(p0: f32[64]) -> (p{length}: f32[64]) {{\n{calls}\n}}"
    return "\n".join(["elementary f(x: f32[4]) -> (y: f32[4])", *filters, top])


def test_the_front_of_lpsf(script: Path, lpsf: Path) -> None:
    done = run_with({"COLUMNS": "120"}, script, lpsf)
    assert done.stderr.startswith("lpsf: 8 fusions of 4 tasks; method partition: ")
    assert timeless(done.stdout) == LPSF
    assert sorted(path.name for path in (lpsf / "lpsf-explore").iterdir()) == FILES
    assert sorted(path.name for path in lpsf.iterdir()) == ["lpsf-explore", "lpsf.aol", "lpsf.toml"]


def test_tasks_of_a_group_that_differ_have_lines_of_their_own(arrayol: CommandLine, tmp_path: Path) -> None:
    arrayol("example", "thumbnail")
    shown = [line.split() for line in arrayol("explore", *PUBLISHED, "thumbnail.aol").stdout.splitlines()]
    assert ["3", "1:", "hfilter,", "52", "851", "345,600", "350,332"] in shown
    assert ["vfilter,", "14", "240", "3,456.0", "µs", "417.6", "KiB"] in shown
    assert ["sharpen", "4", "80"] in shown


def test_json_is_one_document_and_the_stored_one(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", *PUBLISHED, "lpsf.aol", "--json", "--out", "found", "--quiet")
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == (lpsf / "found" / "result.json").read_text(encoding="utf-8")
    document = json.loads(done.stdout)
    assert (document["spec"], document["platform"], document["model"]) == ("lpsf.aol", "lpsf.toml", "published")
    assert document["comparisons"] == {"subspaces": 32, "all_pairs": 56}
    assert [design["fusion"] for design in document["pareto"]] == [
        [["hflr", "vftd", "hfrl", "vfbu"]],
        [["hflr", "vftd"], ["hfrl", "vfbu"]],
    ]
    assert "designs" not in document


def test_all_designs(arrayol: CommandLine, lpsf: Path) -> None:
    document = json.loads(arrayol("explore", *PUBLISHED, "lpsf.aol", "--json", "--all").stdout)
    assert len(document["designs"]) == 8
    assert len((lpsf / "lpsf-explore" / "designs.csv").read_text(encoding="utf-8").splitlines()) == 9


def test_settings_platform_top_and_objectives_are_used(arrayol: CommandLine, lpsf: Path) -> None:
    slow = (lpsf / "lpsf.toml").read_text(encoding="utf-8").replace("data_per_word = 4", "data_per_word = 2")
    (lpsf / "slow.toml").write_text(slow, encoding="utf-8")
    done = arrayol(
        *(
            "explore",
            *PUBLISHED,
            "lpsf.aol",
            "--platform",
            "slow.toml",
            "--top",
            "vftd",
            "--set",
            "W=64",
            "--set",
            "H=32",
        ),
        *("--objectives", "units, latency_microseconds", "--model", "published", "--json"),
    )
    document = json.loads(done.stdout)
    assert (document["top"], document["platform"]) == ("vftd", "slow.toml")
    assert document["objectives"] == ["units", "latency_microseconds"]
    (design,) = document["pareto"]
    # One task: N_cu = m = 2; AL = 64 x 32 cycles at 100 MHz.
    ((processor,),) = (group["processors"] for group in design["groups"])
    assert (processor["task"], processor["units"], design["objectives"]["latency_microseconds"]) == ("vftd", 2, 20.48)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--objectives", "latncy_cycles"],
            f"{OBJECTIVES}there is no objective 'latncy_cycles'; did you mean 'latency_cycles'?",
        ),
        (
            ["--objectives", "traffic_bytes"],
            f"{OBJECTIVES}'traffic_bytes' needs the machine model; the published model gives {KNOWN}",
        ),
        (
            ["--objectives", "units,units"],
            f"{OBJECTIVES}objective 'units' is given twice; name each objective once",
        ),
        (
            ["--objectives", " "],
            f"{OBJECTIVES}at least one objective is needed; choose of {KNOWN}",
        ),
        (["--workers", "9" * 20], f"Invalid value for '--workers': {'9' * 20} is not in the range 1<=x<=1024."),
        (
            ["--seed", "9" * 20],
            f"Invalid value for '--seed': {'9' * 20} is not in the range 0<=x<=18446744073709551615.",
        ),
        (
            ["--pick", "units <= 1e99999999"],
            (
                "Invalid value for '--pick': 'units <= 1e99999999' is neither 'knee', 'fastest' nor a bound as "
                '"internal_memory_bits <= 1e6"; join several by commas. A number is 0, or from 1e-30 to 1e+30.'
            ),
        ),
        (["--model", "guess"], "Invalid value for '--model': 'guess' is not one of 'machine', 'published'."),
    ],
)
def test_wrong_usage(arrayol: CommandLine, lpsf: Path, arguments: list[str], message: str) -> None:
    done = arrayol("explore", *PUBLISHED, "lpsf.aol", *arguments)
    assert (done.stdout, done.stderr, done.returncode) == ("", f"{USAGE}{message}\n", 2)
    assert not (lpsf / "lpsf-explore").exists()


def test_a_folder_of_others_is_refused_before_the_work(arrayol: CommandLine, lpsf: Path) -> None:
    (lpsf / "lpsf-explore").mkdir()
    (lpsf / "lpsf-explore" / "mine").touch()
    done = arrayol(
        "explore", *PUBLISHED, "lpsf.aol", "--platform", "missing.toml"
    )  # what is told first is looked at first
    message = "lpsf-explore: error[not-a-result]: this folder is not empty and holds no former result\n"
    hint = "  hint: name another folder with --out\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", message + hint, 1)
    assert [path.name for path in (lpsf / "lpsf-explore").iterdir()] == ["mine"]


def test_a_platform_of_another_specification(arrayol: CommandLine, lpsf: Path) -> None:
    (lpsf / "other.toml").write_text("[memory]\nlatency = 30\ndata_per_word = 4\n[elementary.smoth]\n")
    done = arrayol("explore", *PUBLISHED, "lpsf.aol", "--platform", "other.toml")
    assert done.stderr == (
        "other.toml:4:2: error[unknown-elementary]: 'elementary.smoth' is no elementary of the spec\n"
        "    4 | [elementary.smoth]\n"
        "      |  ^^^^^^^^^^^^^^^^\n"
        "  hint: did you mean 'smooth'?\n"
    )
    assert done.returncode == 1


def test_a_clock_is_needed_for_microseconds(arrayol: CommandLine, lpsf: Path) -> None:
    (lpsf / "lpsf.toml").write_text("[memory]\nlatency = 30\ndata_per_word = 4\n")
    done = arrayol("explore", *PUBLISHED, "lpsf.aol", "--objectives", "latency_microseconds")
    assert done.stderr.startswith("error[no-clock]: 'latency_microseconds' needs a clock, and the platform has none\n")
    assert done.returncode == 1
    assert "µs" not in arrayol("explore", *PUBLISHED, "lpsf.aol").stdout


def test_wide_fusions_fit_a_terminal(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "chain.aol").write_text(chain(12))
    done = arrayol("explore", *PUBLISHED, "chain.aol")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    words = done.stdout.replace(",", " ").split()
    assert all(f"a_filter_{place}" in words for place in range(12))


def test_an_encoding_that_lacks_a_name_s_letters(script: Path, lpsf: Path) -> None:
    (lpsf / "lpsf.aol").rename(lpsf / "\u03bb.aol")
    done = run_with({"PYTHONIOENCODING": "iso-8859-1"}, script, lpsf)
    assert "written      \\u03bb-explore: result.json" in done.stdout
    assert (lpsf / "\u03bb-explore" / "result.json").exists()


def test_a_bar_on_a_terminal_only(script: Path, tmp_path: Path) -> None:
    (tmp_path / "chain.aol").write_text(chain(14))
    for quiet in (False, True):
        leader, follower = pty.openpty()
        command = [script, "explore", *PUBLISHED, "chain.aol", "--json", *(["--quiet"] if quiet else [])]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=follower) as process:
            os.close(follower)
            said = b"".join(iter(lambda: _read(leader), b""))  # noqa: B023
            assert process.stdout is not None
            json.loads(process.stdout.read())
        os.close(leader)
        assert (b"/8,192" in said) is not quiet


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other end is closed
        return b""


def test_ctrl_c_leaves_nothing(script: Path, tmp_path: Path) -> None:
    (tmp_path / "chain.aol").write_text(chain(24))
    leader, follower = pty.openpty()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [script, "explore", *PUBLISHED, "chain.aol"], cwd=tmp_path, stdout=follower, stderr=follower
        )
    finally:
        signal.signal(signal.SIGINT, before)
    os.close(follower)
    said = b""
    while b"/8,388,608" not in said:  # the bar of 2^23 fusions is there: the work is under way
        said += _read(leader)
    process.send_signal(signal.SIGINT)
    said += b"".join(iter(lambda: _read(leader), b""))
    os.close(leader)
    assert process.wait(60) == 130
    assert said.endswith(b"interrupted\r\n")
    assert [path.name for path in tmp_path.iterdir()] == ["chain.aol"]
