"""Cases of what others have made: damaged folders and results, files that are none; and odd values of options."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import bases
from case import SPECIAL, Case, Command, Files
from texts import ODD, damaged, number

ATOMS = (
    0,
    1,
    -1,
    2**63,
    10**23,
    10**400,
    1e308,
    -1e-320,
    0.5,
    "",
    "x",
    True,
    None,
    [],
    {},
    [1],
    {"x": 1},
    "\u2028",
    float("nan"),
    float("inf"),
    "../elsewhere",
    "/elsewhere",
    "a; log hi",
    "a\nb",
    'x"\ny = 1',
    "[/red]",
    "$x^^$",
    "\ud800",
    ["x"],
    [[]],
    {"": []},
    "n" * 300,
)


def edited(rng: Random, document: Any, times: int) -> Any:
    """A document in which values are changed, dropped or doubled, anywhere."""
    for _ in range(times):
        _edit(rng, document)
    return document


def _edit(rng: Random, document: Any) -> None:
    node, parent, key = document, None, None
    while isinstance(node, dict | list) and node and (parent is None or rng.random() < 0.9):
        parent, key = node, rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        node = node[key]
    if parent is None:
        return
    match rng.randrange(4):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, list):
            parent.append(node)
        case 1:
            parent[f"{key}_"] = node
        case _:
            parent[key] = rng.choice(ATOMS)


def broken_json(rng: Random, data: bytes) -> bytes:
    """A JSON document with values changed, cut off, of another kind, or none at all."""
    if rng.random() < 0.2:
        return rng.choice((b"", b"[]", b"{}", b"null", b"7", b'"x"', b"[" * 99_999, b"{", b"\xff", damaged(rng, data)))
    return json.dumps(edited(rng, json.loads(data), rng.choice((1, 1, 2, 5)))).encode()


EMITTED: tuple[Command, ...] = (
    ("synth", "v"),
    ("synth", "v", "--no-place", "--json"),
    ("calibrate", "v", "v", "v"),
    ("calibrate", "v", "v", "v", "--held", "v", "--json"),
    ("calibrate", "v", "v", "v", "--out", "mine.toml"),
    ("emit", "verilog", "pair.aol", "--result", "p", "--design", "2:1", "--out", "v"),
    ("emit", "hls", "pair.aol", "--result", "p", "--design", "2:1", "--out", "h"),
)


def emitted(rng: Random) -> Case:
    """A folder of an emitted design of which something is missing, cut off or of another kind."""
    files = dict(bases.emitted())
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(
            ("v/design.json", "v/design.json", "v/synthesis/synthesis.json", "v/synthesis/synthesis.json")
        )
        if name in files:
            files[name] = broken_json(rng, bases.emitted()[name])
    if rng.random() < 0.2:
        del files[rng.choice([name for name in files if name.startswith("v/")])]
    if rng.random() < 0.2:
        files[rng.choice(("v/rtl/a; log hi.v", "v/rtl/-p.v", "v/rtl/a b.v", "v/rtl/\u00e9.v", "v/rtl/.v"))] = b"module"
    command = rng.choice(EMITTED)
    if command[0] == "calibrate" and b"nothing" not in files:
        files["later.aol"] = b"elementary e(x: u8) -> (y: u8) { y = x }\n"
        platform = ("cost", "later.aol", "--technology", "./mine.toml", "--clock", "20")
        return Case(files, (command, platform) if "--out" in command else (command,))
    return Case(files, (command,))


RESULT: tuple[Command, ...] = (
    ("report", "p"),
    ("report", "p", "--breakdown", "b.png"),
    ("compare", "p", "p"),
    ("compare", "p", "p", "--out", "c"),
    ("simulate", "pair.aol", "--result", "p", "--design", "2:1"),
    ("transform", "pair.aol", "--result", "p", "--design", "2:1"),
    ("emit", "verilog", "pair.aol", "--result", "p", "--design", "2:1"),
    ("emit", "verilog", "pair.aol", "--result", "p", "--pick", "latency_cycles <= 1e9", "--json"),
    ("emit", "hls", "pair.aol", "--result", "p", "--design", "../elsewhere"),
    ("explore", "pair.aol", "--out", "p", "--emit", "2:1"),
    ("explore", "pair.aol", "--out", "p", "--emit", "../elsewhere"),
    ("explore", "pair.aol", "--narrow", "--quiet", "--workers", "1", "--no-verify", "--out", "p", "--resume"),
    ("explore", "pair.aol", "--narrow", "--quiet", "--workers", "1", "--no-verify", "--out", "p"),
)


def stored(rng: Random) -> Case:
    """A result that somebody changed, for all that is done with one."""
    files = dict(bases.emitted())
    document = json.loads(files["p/result.json"])
    if rng.random() < 0.3:
        rng.choice(document["pareto"])["id"] = rng.choice(
            ("../elsewhere", "/elsewhere", "a/b", "", ".", "a; log hi", "2:1\n")
        )
    if rng.random() < 0.3:
        document[rng.choice(("spec", "platform", "top"))] = rng.choice(
            ("/dev/null", "..", "", "x", "a\nb", "p", "n" * 300)
        )
    files["p/result.json"] = json.dumps(edited(rng, document, rng.choice((0, 1, 1, 2)))).encode()
    return Case(files, (rng.choice(RESULT),), pictures=rng.random() < 0.05)


CONST_FILE = b"""const K: u8[4] = "k.npy"
elementary e(x: u8) -> (y: u8) { y = x + K[0] }
task t(a: u8[4]) -> (b: u8[4]) { repeat [4] of e { x <- a  y -> b } }
"""
PLACES: tuple[tuple[Command, tuple[str, ...]], ...] = (
    (("check", "chain.aol"), ("chain.aol",)),
    (("check", "const.aol"), ("k.npy", "const.aol")),
    (("check", "imports.aol"), ("chain.aol", "imports.aol")),
    (("check", "const.aol", "--set", "K=x.npy"), ("x.npy",)),
    (("fmt", "chain.aol"), ("chain.aol",)),
    (("show", "chain.aol", "--out", "p.svg"), ("chain.aol", "chain.toml", "p.svg")),
    (("run", "chain.aol", "--top", "rows", "--in", "src=x.npy", "--out", "dst=o.npy"), ("x.npy", "o.npy")),
    (("run", "chain.aol", "--top", "rows", "--in", "src=x.png", "--out", "dst=o.png"), ("x.png", "o.png")),
    (("run", "chain.aol", "--top", "rows", "--in", "src=x?.png", "--out", "dst=o.png"), ("x1.png", "x2.png")),
    (("run", "chain.aol", "--top", "rows", "--in", "src=x.npz", "--check", "dst=x.npz:dst"), ("x.npz",)),
    (("cost", "chain.aol", "--technology", "./own.toml", "--clock", "20"), ("own.toml", "chain.toml")),
    (("transfers", "chain.aol", "mean", "--platform", "chain.toml"), ("chain.toml",)),
    (("layout", "chain.aol", "mean", "--emit", "l.aol"), ("l.aol", "chain.toml")),
    (("transform", "chain.aol", "tile rows 1,1", "--out", "t.aol"), ("t.aol", "chain.aol")),
    (
        ("explore", "chain.aol", "--study", "study.toml", "--quiet", "--no-verify", "--out", "r"),
        ("study.toml", "chain.toml", "r"),
    ),
    (("import", "sum.c", "--out", "s.aol"), ("sum.c", "s.aol")),
    (("report", "r"), ("r", "r/result.json", "r/report.html", "chain.aol", "chain.toml", "r/specs", "r/specs/2-1.aol")),
    (("compare", "r", "r", "--out", "c"), ("r/result.json", "c")),
    (("simulate", "chain.aol", "--result", "r", "--design", "2:1"), ("r/result.json", "chain.toml", "chain.aol")),
    (("transform", "chain.aol", "--result", "r", "--design", "2:1"), ("r/result.json",)),
    (("example", "fir"), ("fir.aol", "fir.toml")),
    (("explore", "pair.aol", "--out", "p", "--emit", "2:1"), ("p/specs", "p/specs/2-1.aol", "p/specs/2-1.png")),
    (
        ("explore", "pair.aol", "--narrow", "--quiet", "--workers", "1", "--no-verify", "--out", "p", "--resume"),
        ("p/work.sqlite", "p/work.sqlite-wal", "p/work.sqlite-journal", "p/former-work.sqlite", "p/partial", "p/other"),
    ),
    (
        ("explore", "pair.aol", "--narrow", "--quiet", "--no-verify", "--out", "p"),
        ("p/result.json", "p/specs", "p/x", "p/work.sqlite"),
    ),
    (
        ("emit", "verilog", "pair.aol", "--result", "p", "--design", "2:1", "--out", "v"),
        ("v", "v/design.json", "v/x", "v/rtl"),
    ),
    (("synth", "v"), ("v/design.json", "v/rtl", "v/rtl/first_unit.v", "v/synthesis", "v/synthesis/synthesis.json")),
    (("calibrate", "v", "v", "v", "--out", "m.toml"), ("v/synthesis/synthesis.json", "v/rtl", "m.toml")),
)


def places(rng: Random) -> Case:
    """Something else where a file is read or written: a folder, a pipe, a device, a link in a circle, a huge file."""
    command, names = rng.choice(PLACES)
    files: Files = {**bases.folder(), "const.aol": CONST_FILE, "k.npy": npy(), "imports.aol": b'import "chain.aol"\n'}
    if any(word in ("pair.aol", "v") for word in command):
        files = dict(bases.emitted())
    kind = rng.choice(list(SPECIAL))
    name = rng.choice(names)
    files = {own: data for own, data in files.items() if own != name and not own.startswith(f"{name}/")}
    return Case(files, (command,), special={name: kind}, pictures=False)


def npy() -> bytes:
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(4)


# Values of options.

WORDS = (
    "",
    " ",
    ".",
    "..",
    "/",
    "-",
    "--",
    "r/",
    "chain.aol/",
    "../elsewhere",
    "a; log hi",
    "$x^^$",
    "[/red]",
    "[b]",
    "n" * 300,
    "\uff11",
    "\u00b2",
    "\u0661",
    "1_000",
    "+1",
    "1e999",
    "-1e999",
    "0x10",
    "1e-999",
    "-0",
    "--help",
    "2:1",
    "2:1,2:2",
    "knee",
    "2:1;",
    "@x",
    "~",
    "%d",
    "*",
    "[a-",
    "\\",
    "a\tb",
    "x=",
    "=x",
    "image=random:-1",
    "image=random:\u0661",
    "image=random:99999999999999999999999",
    "image=x.npz:",
    "image=:",
    "shared",
    "tile",
    "latency_cycles <= 1e9",
    "<= 1",
    "latency_cycles <= nan",
    "latency_cycles <=",
    "\u202e",
    "'",
    '"',
    "e\u0301",
)


def word(rng: Random) -> str:
    """A value for an option that it may or may not take."""
    return rng.choice((rng.choice(WORDS), number(rng), rng.choice(ODD), f"-{number(rng)}"))
