"""The exact text about every mistake in a platform file."""

from __future__ import annotations

from pathlib import Path

import pytest
from platform_files import SMALLEST, first_lines, load, refused
from schemas import fits

from arrayol.errors import ArrayolError
from arrayol.limits import AT_MOST, LARGEST
from hwmodel.platform import load_platform

RECURRENCE = "a whole number of cycles, 1 or more, or a table of such by input port, as { left = 4, up = 2 }"
INTERVALS = "a whole number of cycles, 1 or more, or a list of such, each once"


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_misspelt_key() -> None:
    assert refused("[memory]\nlatncy = 30\ndata_per_word = 4\n") == (
        "board.toml:2:1: error[unknown-key]: unknown key 'memory.latncy'\n"
        "    2 | latncy = 30\n"
        "      | ^^^^^^\n"
        "  hint: did you mean 'latency'?"
    )


def test_a_key_of_other_digits_is_no_number_of_a_table() -> None:
    """`"²".isdigit()` holds, and `int("²")` raises."""
    assert refused('"²" = 1\n' + SMALLEST).startswith("board.toml:1:1: error[unknown-key]: unknown key '²'\n")


def test_a_misspelt_table() -> None:
    assert refused(SMALLEST.replace("memory", "memry")) == (
        "board.toml:1:2: error[unknown-key]: unknown key 'memry'\n"
        "    1 | [memry]\n"
        "      |  ^^^^^\n"
        "  hint: did you mean 'memory'?"
    )


@pytest.mark.parametrize("line", ['enable = "ce"', 'verilog = ["core.v"]'])
def test_what_a_module_has_without_one(line: str) -> None:
    Path("core.v").write_text("module core (); endmodule\n", encoding="utf-8")
    key = line.split(maxsplit=1)[0]
    assert refused(f"{SMALLEST}[elementary.smooth]\n{line}\n") == (
        f"board.toml:5:1: error[bad-value]: 'elementary.smooth.{key}' is given without 'module'\n"
        f"    5 | {line}\n"
        f"      | {'^' * len(key)}\n"
        "  hint: name the module that it belongs to, or delete it"
    )


def test_what_a_module_says_itself() -> None:
    Path("core.v").write_text("module core (); endmodule\n", encoding="utf-8")
    assert refused(f'{SMALLEST}[elementary.smooth]\nmodule = "core"\nrecurrence = 4\n') == (
        "board.toml:6:1: error[bad-value]: 'elementary.smooth.recurrence' is given beside 'module'\n"
        "    6 | recurrence = 4\n"
        "      | ^^^^^^^^^^\n"
        "  hint: delete it: interval and latency of a module say when its states are there"
    )


def test_an_unknown_key() -> None:
    assert refused(SMALLEST + "[local]\nwires = 2\n") == (
        "board.toml:5:1: error[unknown-key]: unknown key 'local.wires'\n"
        "    5 | wires = 2\n"
        "      | ^^^^^\n"
        "  hint: known here: banks, access_cycles, block_bits, fetch_cycles, store_cycles, write_width, read_width, "
        "register_bits, copies_most, banks_most, bank_power_of_two, ports, price"
    )


def test_a_negative_value() -> None:
    assert refused("[memory]\n  latency = -3  # cycles\ndata_per_word = 4\n") == (
        "board.toml:2:3: error[bad-value]: 'memory.latency' is -3; it must be a whole number of cycles, 0 or more\n"
        "    2 |   latency = -3  # cycles\n"
        "      |   ^^^^^^^"
    )


def test_a_decimal_for_a_whole_number() -> None:
    assert refused("[memory]\nlatency = 30.0\ndata_per_word = 4\n") == (
        "board.toml:2:1: error[bad-value]: 'memory.latency' is 30.0; it must be a whole number of cycles, 0 or more\n"
        "    2 | latency = 30.0\n"
        "      | ^^^^^^^\n"
        "  hint: write 30"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('clock_mhz = "fast"', "'clock_mhz' is \"fast\"; it must be a number of megahertz above 0"),
        ("clock_mhz = 0", "'clock_mhz' is 0; it must be a number of megahertz above 0"),
        ("clock_mhz = inf", "'clock_mhz' is inf; it must be a number of megahertz above 0, and at most 1,000,000,000"),
        (
            "clock_mhz = 1e400",
            "'clock_mhz' is inf; it must be a number of megahertz above 0, and at most 1,000,000,000",
        ),
        (
            "clock_mhz = 1e-300",
            "'clock_mhz' is 1e-300; it must be a number of megahertz above 0, and at least 0.000000001",
        ),
        (
            f"local.banks = {10**19}",
            f"'local.banks' is {10**19}; it must be a whole number of banks, 1 or more, and at most 1,000,000,000",
        ),
        (
            f"elementary.f.latency = {10**400}",
            f"'elementary.f.latency' is 1{'0' * 36}...; it must be a whole number of cycles, 0 or more, and {AT_MOST}",
        ),
        (
            "elementary.f.cost.lut = 1e300",
            "'elementary.f.cost.lut' is 1e+300; it must be a number, 0 or more, and at most 1,000,000,000",
        ),
        ("clock_mhz = nan", "'clock_mhz' is nan; it must be a number of megahertz above 0"),
        ("clock_mhz = true", "'clock_mhz' is true; it must be a number of megahertz above 0"),
        ("local.banks_most = 1025", "'local.banks_most' is 1025; it must be a whole number of banks, 1 to 1,024"),
        ("local.banks = true", "'local.banks' is true; it must be a whole number of banks, 1 or more"),
        ("local.banks = [8]", "'local.banks' is [8]; it must be a whole number of banks, 1 or more"),
        ("local.block_bits = 0", "'local.block_bits' is 0; it must be a whole number of bits, 1 or more"),
        ("local.access_cycles = 0", "'local.access_cycles' is 0; it must be a whole number of cycles, 1 or more"),
        ("local = 8", "'local' is 8; it must be a table, [local]"),
        ("elementary = []", "'elementary' is an empty list; it must be tables, [elementary.NAME]"),
        ("elementary.f = 1", "'elementary.f' is 1; it must be a table, [elementary.f]"),
        ("elementary.f.cost = 1", "'elementary.f.cost' is 1; it must be numbers by name, as { lut = 96, dsp = 2 }"),
        ("elementary.f.cost.lut = -1", "'elementary.f.cost.lut' is -1; it must be a number, 0 or more"),
        ("elementary.f.cost.lut = true", "'elementary.f.cost.lut' is true; it must be a number, 0 or more"),
        ("elementary.f.cost.lut = nan", "'elementary.f.cost.lut' is nan; it must be a number, 0 or more"),
        (
            "elementary.f.initiation_interval = 0",
            "'elementary.f.initiation_interval' is 0; it must be a whole number of cycles, 1 or more",
        ),
        ("elementary.f.latency = -1", "'elementary.f.latency' is -1; it must be a whole number of cycles, 0 or more"),
        (
            "elementary.f.recurrence = 0",
            f"'elementary.f.recurrence' is 0; it must be {RECURRENCE}",
        ),
        ("elementary.f.recurrence = { x = 0 }", f"'elementary.f.recurrence' is a table; it must be {RECURRENCE}"),
        ("elementary.f.recurrence = {}", f"'elementary.f.recurrence' is a table; it must be {RECURRENCE}"),
        ("elementary.f.interval = 0", f"'elementary.f.interval' is 0; it must be {INTERVALS}"),
        ("elementary.f.interval = []", f"'elementary.f.interval' is an empty list; it must be {INTERVALS}"),
        ("elementary.f.interval = [2, 2]", f"'elementary.f.interval' is [2, 2]; it must be {INTERVALS}"),
        ("elementary.f.interval = [true]", f"'elementary.f.interval' is [true]; it must be {INTERVALS}"),
        ("elementary.f.energy_pj = -1", "'elementary.f.energy_pj' is -1; it must be a number of picojoules, 0 or more"),
        ("elementary.f.clock_mhz = 0", "'elementary.f.clock_mhz' is 0; it must be a number of megahertz above 0"),
        (
            "elementary.f.measured = 1",
            "'elementary.f.measured' is 1; it must be a list of tables, [[elementary.NAME.measured]]",
        ),
        (
            "elementary.f.measured = [1]",
            "'elementary.f.measured[1]' is 1; it must be a table, [[elementary.f.measured]]",
        ),
        (
            "elementary.f.measured = [{ interval = 1, latency = -1 }]",
            "'elementary.f.measured[1].latency' is -1; it must be a whole number of cycles, 0 or more",
        ),
        ("local.fetch_cycles = -1", "'local.fetch_cycles' is -1; it must be a whole number of cycles, 0 or more"),
        ("assume_datapaths = 1", "'assume_datapaths' is 1; it must be true or false"),
    ],
)
def test_impossible_values(line: str, message: str) -> None:
    assert first_lines(f"{line}\n{SMALLEST}") == [f"board.toml:1:1: error[bad-value]: {message}"]
    whole = line.endswith(".0")  # for JSON 30.0 is a whole number
    assert fits("platform", f"{line}\n{SMALLEST}") == whole


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("data_per_word = 0", "'memory.data_per_word' is 0; it must be a whole number of data, 1 or more"),
        ("word_bits = 0", "'memory.word_bits' is 0; it must be a whole number of bits, 1 or more"),
        (
            "channels = 1025\nword_bits = 8",
            "'memory.channels' is 1025; it must be a whole number of channels, 1 to 1,024",
        ),
    ],
)
def test_impossible_words(line: str, message: str) -> None:
    assert first_lines(f"[memory]\n{line}\nlatency = 1\n") == [f"board.toml:2:1: error[bad-value]: {message}"]
    assert not fits("platform", f"[memory]\n{line}\nlatency = 1\n")


NOT_A_NAME = "has the name {name}, which is no name"
A_FIGURE = "has the name {name}, which is a figure of every design"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("'=cmd'", NOT_A_NAME),
        ("'energy pJ'", NOT_A_NAME),
        ("'é'", NOT_A_NAME),
        ("''", NOT_A_NAME),
        ("'units'", A_FIGURE),
    ],
)
def test_names_of_costs(name: str, why: str) -> None:
    told = f"board.toml:5:1: error[bad-value]: 'elementary.f.cost' {why.format(name=name)}"
    text = f"{SMALLEST}[elementary.f]\ncost = {{ lut = 1, {name} = 2 }}\n"
    assert first_lines(text) == [told]
    assert not fits("platform", text)


def test_names_of_costs_that_were_measured() -> None:
    text = f"{SMALLEST}[[elementary.f.measured]]\ninterval = 1\ncost = {{ energy_nj = 2 }}\n"
    told = (
        f"board.toml:6:1: error[bad-value]: 'elementary.f.measured[1].cost' {A_FIGURE.format(name=repr('energy_nj'))}"
    )
    assert first_lines(text) == [told]


@pytest.mark.parametrize("name", ["cycles", "memory_bits", "memory_data", "energy_pj", "energy_nj", "power_mw"])
def test_keys_of_the_breakdown_are_no_costs(name: str) -> None:
    told = f"board.toml:5:1: error[bad-value]: 'elementary.f.cost' {A_FIGURE.format(name=repr(name))}"
    assert first_lines(f"{SMALLEST}[elementary.f]\ncost = {{ {name} = 2 }}\n") == [told]


def test_datapaths_that_do_not_reach_the_clock() -> None:
    entries = "[elementary.f]\nclock_mhz = 99.5\n[[elementary.f.measured]]\ninterval = 2\nclock_mhz = 100\n"
    assert refused(f"clock_mhz = 100\n{SMALLEST}{entries}") == (
        "board.toml:6:1: error[bad-value]: 'elementary.f.clock_mhz' is 99.5, and the platform's clock is 100\n"
        "    6 | clock_mhz = 99.5\n"
        "      | ^^^^^^^^^\n"
        "  hint: lower the platform's clock_mhz, or give the figures of a datapath that reaches it"
    )
    assert first_lines(f"clock_mhz = 101\n{SMALLEST}{entries}") == [
        f"board.toml:{place}: error[bad-value]: 'elementary.f.{key}' is {mhz}, and the platform's clock is 101"
        for place, key, mhz in (("6:1", "clock_mhz", "99.5"), ("9:1", "measured[1].clock_mhz", "100"))
    ]


def test_one_interval_measured_twice() -> None:
    text = SMALLEST + "[[elementary.f.measured]]\ninterval = 2\n" * 2 + "[[elementary.g.measured]]\ninterval = 2\n"
    assert refused(text) == (
        "board.toml:6:3: error[bad-value]: 'elementary.f.measured' has the interval 2 twice\n"
        "    6 | [[elementary.f.measured]]\n"
        "      |   ^^^^^^^^^^^^^^^^^^^^^\n"
        "  hint: keep one of the two"
    )


def test_an_impossible_port() -> None:
    message = '\'memory.port\' is "both"; it must be "shared" or "separate"'
    assert first_lines(SMALLEST + 'port = "both"\n') == [f"board.toml:4:1: error[bad-value]: {message}"]


def test_no_memory() -> None:
    assert refused("clock_mhz = 100\n") == (
        "board.toml: error[missing-key]: 'memory' is missing\n  hint: give a table, [memory]"
    )


def test_an_empty_memory() -> None:
    assert refused("[memory]\n") == (
        "board.toml:1:2: error[missing-key]: 'memory' has neither 'latency' nor 'rows'\n"
        "    1 | [memory]\n"
        "      |  ^^^^^^\n"
        "  hint: give latency = CYCLES, or a table [memory.rows]\n"
        "board.toml:1:2: error[missing-key]: 'memory' has neither 'data_per_word' nor 'word_bits'\n"
        "    1 | [memory]\n"
        "      |  ^^^^^^\n"
        "  hint: give data_per_word = DATA, or word_bits = BITS"
    )


def test_two_sizes_of_a_word() -> None:
    assert refused(SMALLEST + "word_bits = 64\n") == (
        "board.toml:4:1: error[bad-value]: 'memory' has both 'data_per_word' and 'word_bits'\n"
        "    4 | word_bits = 64\n"
        "      | ^^^^^^^^^\n"
        "  hint: keep word_bits where arrays have several element types, else data_per_word"
    )


def test_rows_without_a_clock_or_most_of_their_keys() -> None:
    assert first_lines(SMALLEST + "[memory.rows]\nrow_bytes = 8192\nword_ns = 0\n") == [
        "board.toml:4:2: error[missing-key]: 'memory.rows' is in nanoseconds, and 'clock_mhz' is missing",
        "board.toml:4:2: error[missing-key]: 'memory.rows.row_change_ns' is missing",
        "board.toml:4:2: error[missing-key]: 'memory.rows.same_bank_activate_ns' is missing",
        "board.toml:6:1: error[bad-value]: 'memory.rows.word_ns' is 0; it must be a number of nanoseconds above 0",
    ]


def test_every_mistake_at_once() -> None:
    text = (
        'clock_mhz = 0\n[memory]\nlatency = -1\nport = "x"\nspeed = 3\n[elementary.smooth]\nlatancy = 4\n'
        "cost = { lut = true }\n"
    )
    assert first_lines(text) == [
        "board.toml:1:1: error[bad-value]: 'clock_mhz' is 0; it must be a number of megahertz above 0",
        "board.toml:2:2: error[missing-key]: 'memory' has neither 'data_per_word' nor 'word_bits'",
        "board.toml:3:1: error[bad-value]: 'memory.latency' is -1; it must be a whole number of cycles, 0 or more",
        'board.toml:4:1: error[bad-value]: \'memory.port\' is "x"; it must be "shared" or "separate"',
        "board.toml:5:1: error[unknown-key]: unknown key 'memory.speed'",
        "board.toml:7:1: error[unknown-key]: unknown key 'elementary.smooth.latancy'",
        "board.toml:8:1: error[bad-value]: 'elementary.smooth.cost.lut' is true; it must be a number, 0 or more",
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("[memory]\nlatency =\n", "2:10", "no value can be read here"),
        ("[memory]\nlatency 30\n", "2:9", "a key needs '=' and a value here"),
        ("[memory\n", "1:8", "the name of a table needs its closing bracket here"),
        ("[memory]\n[memory]\n", "2:8", "this table or key is given a second time"),
        ("[memory]\nlatency = 1\nlatency = 2\n", "3:12", "this key is given a second time"),
        ('[memory]\nport = "shared\n', "2:15", "this text has no closing quote or holds a control character"),
        ("[memory]\nlatency = 3 0\n", "2:13", "something stands after the value"),
        ("[memory]\n?\n", "2:1", "this is neither a [table] nor a key = value line"),
        ("x = '''a\n", "1:9", "this text has no closing quotes"),
        ('x = "\\q"\n', "1:8", "a backslash in text starts an escape, and this is none"),
        ("x = [1\ny = 2\n", "2:1", "this list or table is not closed"),
    ],
)
def test_syntax(text: str, place: str, message: str) -> None:
    assert first_lines(text) == [f"board.toml:{place}: error[toml-syntax]: {message}"]


def test_syntax_shows_the_line() -> None:
    assert refused("[memory]\nlatency 30\n") == (
        "board.toml:2:9: error[toml-syntax]: a key needs '=' and a value here\n"
        "    2 | latency 30\n"
        "      |         ^\n"
        "  hint: write it as latency = 30"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = " + "[" * 10000, "arrays or tables are nested too deeply"),
        ("x = " + "9" * 5000, "a number has too many digits"),
    ],
)
def test_documents_beyond_reason(text: str, message: str) -> None:
    assert refused(text) == f"board.toml: error[toml-syntax]: {message}"


def test_binary_and_other_encodings() -> None:
    assert refused(b"\x89PNG\0") == (
        "board.toml: error[binary-file]: this is a binary file, not the text of a TOML file"
    )
    assert refused(b"# ok\n# caf\xe9\n") == (
        "board.toml: error[not-utf8]: byte 0xe9 in line 2 is not UTF-8\n  hint: save the file as UTF-8"
    )


def test_no_such_file_and_a_folder() -> None:
    Path("other.toml").touch()
    with pytest.raises(ArrayolError) as caught:
        load_platform(Path("board.toml"))
    assert str(caught.value) == ("board.toml: error[no-such-file]: no such file\n  hint: this folder holds other.toml")
    Path("folder").mkdir()
    with pytest.raises(ArrayolError) as caught:
        load_platform(Path("folder"))
    assert str(caught.value) == "folder: error[not-a-file]: this is not a file; name a TOML file"


NUMBERS = {
    "memory": ("latency", "data_per_word", "word_bits"),
    "memory.rows": ("row_bytes", "banks", "word_ns", "row_change_ns", "same_bank_activate_ns"),
    "local": ("banks", "access_cycles", "block_bits"),
    "elementary.f": ("initiation_interval", "latency", "recurrence"),
}
TIMES = ("word_ns", "row_change_ns", "same_bank_activate_ns")


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, keys in NUMBERS.items() for key in keys])
def test_every_number_has_a_bound(table: str, key: str) -> None:
    for value in (LARGEST + 1, 10**19, 10**23, 10**400, *((1e-300, 1e300) if key in TIMES else ())):
        said = refused(f"[{table}]\n{key} = {value}\n")
        assert f"'{table}.{key}' is {str(value)[:37]}" in said
        assert f"and {AT_MOST if value > 1 else 'at least 0.000000001'}\n" in said
    assert f"'{table}.{key}' is" not in refused(f"[{table}]\n{key} = {LARGEST}\n[other]\n")


@pytest.mark.parametrize("value", ["inf", "nan", '"many"', "[1]"])
def test_what_is_no_const(value: str) -> None:
    with pytest.raises(ArrayolError) as caught:
        load(SMALLEST + f"[verify]\nH = {value}\n")
    assert "'verify.H' is" in str(caught.value)
    assert "it must be a number, true or false" in str(caught.value)


def test_runs_of_words_that_are_no_bytes() -> None:
    assert refused('[memory]\nlatency = 3\nword_bits = 12\nburst = "run"\n') == (
        "board.toml:3:1: error[bad-value]: 'memory.burst' is \"run\", which counts addresses in bytes, and a word has "
        "12 bits\n"
        "    3 | word_bits = 12\n"
        "      | ^^^^^^^^^\n"
        "  hint: make word_bits a multiple of 8, or give data_per_word instead"
    )


def test_several_channels_of_a_memory_of_rows() -> None:
    text = "clock_mhz = 100\n[memory]\nword_bits = 64\nchannels = 2\n[memory.rows]\nrow_bytes = 64\n"
    text += "word_ns = 6\nrow_change_ns = 3\nsame_bank_activate_ns = 5\n"
    assert first_lines(text) == [
        "board.toml:4:1: error[bad-value]: 'memory.channels' is 2, and 'memory.rows' is about one memory"
    ]
    assert not fits("platform", text)


def test_several_requests_of_a_memory_of_rows() -> None:
    text = 'clock_mhz = 100\n[memory]\nword_bits = 64\nburst = "run"\noutstanding = 4\n[memory.rows]\nrow_bytes = 64\n'
    assert refused(text + "word_ns = 6\nrow_change_ns = 3\nsame_bank_activate_ns = 5\n") == (
        "board.toml:5:1: error[bad-value]: 'memory.outstanding' is 4, and 'memory.rows' serves one burst after "
        "another\n"
        "    5 | outstanding = 4\n"
        "      | ^^^^^^^^^^^\n"
        "  hint: leave 'outstanding' or 'rows' out"
    )


def test_several_requests_of_boxes() -> None:
    assert refused("[memory]\nlatency = 3\nword_bits = 64\noutstanding = 2\n") == (
        "board.toml:4:1: error[bad-value]: 'memory.outstanding' is about requests of runs, and 'memory.burst' is "
        '"box"\n'
        "    4 | outstanding = 2\n"
        "      | ^^^^^^^^^^^\n"
        '  hint: give burst = "run", or leave it out'
    )


def test_no_outstanding_request() -> None:
    assert "'memory.outstanding' is 0; it must be a whole number of requests, 1 or more" in refused(
        '[memory]\nlatency = 3\nword_bits = 64\nburst = "run"\noutstanding = 0\n'
    )
