"""Cases by kind, seed and number: the same three always give the same case."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from random import Random

import bases
import click
import foreign
import strangers
from case import Case, Command, command_of
from deep import deep
from foreign import edited
from gentle import changed
from texts import NUMBERS, as_bytes, damaged, mutate

AOL_WORDS = (
    "const", "tiler", "elementary", "extern", "task", "repeat", "of", "at", "delay", "else", "origin", "paving",
    "fitting", "wrap", "for", "in", "where", "loop", "if", "and", "or", "not", "true", "false", "bool", "u8", "u16",
    "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "c64", "c128", "abs", "sqrt", "exp", "log", "floor", "min",
    "max", "sin", "N", "x", "int", "float", "*", "nearest", "reflect", "mirror", "sat", "round", "real", "imag", "conj",
    "u12", "i5", "u64", "i4.12", "u0.8", "i1.63", "i0.4", "u99.99", "[..]", "[0]", "[0..2]", "[.., 0..4 : 2]", "[1, 0]",
    "[u8, 3]", "const K: i8[2] = [1, 2]\n", "const K: u4[2, 2] = [i + j for i in 0..2, j in 0..2]\n",
    'const K: i8[3] = "k.npy"\n', "y: i16[4, 4]\n", "a: i32 = 0\n", "else nearest", "else mirror", "else reflect",
    "else -1", "y delay [0, 1] -> y", "K[0]", "x <- K",
)  # fmt: skip
TOML_WORDS = (
    "true", "false", "inf", "nan", "[]", "{}", '""', '"x"', "[1]", '"reuse"', '"all"', '"shared"', "1979-05-27",
    "-1", "-0.0", "[[1]]", "[[[1, 2]]]", '["0,1"]', '["lut <= 1"]', "latency", "memory", "rows", "cost", "verify",
    "H", "W", "clock_mhz", "word_bits", "data_per_word", "banks", "units", "blocks", "orders", "epsilon", "smooth",
    "recurrence", "initiation_interval", '["latency_cycles"]', "array", "load", "src", "weights", '"once"', '"rom"',
    '"frame"', "[array.weights]", '["setup_bytes <= 1"]',
    "technology", "operators", "measured", "interval", "energy_pj", "assume_datapaths", '["energy_nj"]', "[[measured]]",
    '["latency_cycles", "rom_bits"]', '["local_bits"]', '["\u00a0"]', '["0,0"]', '["-0,1"]', '["1,0,2"]',
)  # fmt: skip
EXPLORE = ("--quiet", "--workers", "1", "--no-verify", "--set", "H=4", "--set", "W=4")
PICTURES = 0.05  # the share of explorations that draw theirs


def drawn(kind: str, seed: int, place: int) -> Case:
    """The case of a kind, a seed and a number."""
    return KINDS[kind](Random(f"{kind}:{seed}:{place}"))


def _spec(rng: Random) -> Case:
    texts = bases.specifications()
    return _reprinted(rng, mutate(rng, rng.choice(texts), AOL_WORDS, texts))


def _sound(rng: Random) -> Case:
    """Changes of right ones that mostly leave them right."""
    return _reprinted(rng, changed(rng, rng.choice((*bases.shipped(), *bases.shipped(), *bases.specifications()))))


def _deep(rng: Random) -> Case:
    text = deep(rng)
    return _reprinted(rng, mutate(rng, text, AOL_WORDS, [text]) if rng.random() < 0.3 else text)


def _reprinted(rng: Random, text: str) -> Case:
    return Case({"main.aol": as_bytes(rng, text)}, reprinted="main.aol")


def _tools(rng: Random) -> Case:
    """The commands that look into a specification, on one that is nearly right."""
    texts = bases.shipped()
    text = mutate(rng, rng.choice(texts), AOL_WORDS, texts) if rng.random() < 0.6 else deep(rng)
    names = _names(text)
    name, other = rng.choice(names), rng.choice(names)
    sizes = ",".join(rng.choice(("1", "2", "3", "4")) for _ in range(rng.choice((1, 2, 2, 3))))
    commands = (
        ("show", "main.aol", name, "--out", "p.svg"),
        ("transform", "main.aol", rng.choice((f"pave {name} {sizes}", f"tile {name} {sizes}", f"fuse {name} {other}"))),
        ("transform", "main.aol", f"collapse {name}"),
        ("layout", "main.aol", name, "--unroll", sizes),
        ("layout", "main.aol", name, "--json"),
        (
            "cost",
            "main.aol",
            name,
            "--technology",
            rng.choice(("ecp5-6", "asic45")),
            "--clock",
            rng.choice(("9", "90")),
        ),
        ("transfers", "main.aol", name, "--tile", sizes),
        ("transfers", "main.aol", name, "--emit", "c"),
    )
    return Case({"main.aol": text.encode("utf-8", "replace")}, (rng.choice(commands),))


def _names(text: str) -> list[str]:
    words = text.split()
    follows = [after.partition("(")[0] for word, after in pairwise(words) if word in ("task", "elementary")]
    return follows or ["t"]


def _platform(rng: Random) -> Case:
    text = mutate(rng, rng.choice(bases.platforms()), TOML_WORDS, bases.platforms())
    files = {"chain.aol": bases.CHAIN.encode(), "p.toml": as_bytes(rng, text)}
    narrow = ("--narrow",) if rng.random() < 0.8 else ()
    explore = (
        "explore",
        "chain.aol",
        "--platform",
        "p.toml",
        *EXPLORE,
        *narrow,
        "--top",
        rng.choice(("rows", "rows", "rows", "chain")),
    )
    published = (*explore[:4], *EXPLORE[:1], "--top", "rows", "--model", "published")
    layout = ("layout", "chain.aol", "mean")  # takes the platform beside the specification
    transfers = ("transfers", "chain.aol", "mean", "--platform", "p.toml")
    cost = ("cost", "chain.aol", "--platform", "p.toml", *rng.choice(((), ("--technology", "p.toml"))))
    command = rng.choice((explore, explore, published, layout, transfers, cost, cost))
    return Case(
        files | ({"chain.toml": files["p.toml"]} if command[0] == "layout" else {}),
        (command,),
        pictures=rng.random() < PICTURES,
    )


def _study(rng: Random) -> Case:
    text = mutate(rng, rng.choice(bases.STUDIES), TOML_WORDS, bases.STUDIES)
    top = rng.choice(("rows", "rows", "chain"))
    platform = rng.choice((bases.PLATFORM, bases.PLAIN_PLATFORM)) if top == "rows" else bases.PLAIN_PLATFORM
    files = {"chain.aol": bases.CHAIN.encode(), "chain.toml": platform.encode(), "s.toml": as_bytes(rng, text)}
    command = ("explore", "chain.aol", "--study", "s.toml", *EXPLORE, "--top", top)
    return Case(files, (command,), pictures=rng.random() < PICTURES)


STEPS = (
    "pave rows 2,1", "tile rows 2,1", "pave means 2,4", "tile means 1,3", "fuse rows means 2,4", "fuse rows means",
    "split means i 3", "split means j 1", "split rows k 3", "collapse chain", "collapse rows_means",
    "pave rows_means 1,2", "tile rows_means 2,2", "fuse rows@smoothed means", "inline chain", "inline rows",
)  # fmt: skip


def _steps(rng: Random) -> Case:
    words = (
        "fuse",
        "pave",
        "tile",
        "collapse",
        "split",
        "inline",
        "rows",
        "means",
        "chain",
        "smoothed",
        "1,1",
        "2,",
        "@",
        "rows_means",
    )
    steps = [rng.choice(STEPS) for _ in range(rng.choice((1, 2, 3, 6)))]
    place = rng.randrange(len(steps))
    if rng.random() < 0.7:
        steps[place] = mutate(rng, steps[place], words, STEPS)
    return Case({"chain.aol": bases.CHAIN.encode()}, (("transform", "chain.aol", *_arguments(steps)),))


LINES: tuple[Command, ...] = (
    ("check", "chain.aol", "--set", "H=8"),
    ("check", "chain.aol", "--json"),
    ("check", "chain.aol", "chain.toml", "--format", "sarif"),
    ("fmt", "chain.aol", "--check"),
    ("export", "chain.aol", "--out", "c.json"),
    ("export", "chain.aol", "--to", "text"),
    ("fmt", "chain.aol", "-", "--check"),
    ("show", "chain.aol", "rows", "--out", "p.svg"),
    ("show", "chain.aol", "--top", "chain", "--out", "p.png"),
    ("show", "chain.aol", "--out", "p.dot"),
    ("run", "chain.aol", "--in", "image=random:1", "--in", "weights=ramp", "--out", "out=o.npy"),
    ("run", "chain.aol", "--top", "rows", "--in", "src=x.npz:dst", "--check", "dst=x.npy"),
    ("run", "chain.aol", "--top", "rows", "--in", "src=x.png", "--out", "dst=o.png", "--set", "GAIN=0.25"),
    ("transform", "chain.aol", "fuse rows means 2,4"),
    ("transform", "chain.aol", "tile rows 1,1", "--out", "t.aol"),
    ("cost", "chain.aol", "--technology", "ecp5-6", "--clock", "20", "--platform", "chain.toml"),
    ("cost", "chain.aol", "smooth", "--technology", "asic45", "--clock", "100", "--interval", "4", "--json"),
    ("cost", "chain.aol", "smooth", "--technology", "asic45", "--clock", "100", "--plot", "p.svg", "--set", "H=8"),
    ("explore", "chain.aol", *EXPLORE, "--narrow", "--pick", "knee", "--objectives", "latency_cycles,lut"),
    ("explore", "chain.aol", *EXPLORE, "--narrow", "--constraint", "internal_memory_bits <= 65536", "--json"),
    ("explore", "chain.aol", *EXPLORE, "--narrow", "--assume-datapaths", "--objectives", "energy_nj,power_mw"),
    ("explore", "chain.aol", *EXPLORE, "--study", "study.toml", "--platform", "chain.toml", "--out", "q"),
    (
        "explore",
        "chain.aol",
        "--quiet",
        "--top",
        "rows",
        "--verbose",
        "--model",
        "published",
        "--platform",
        "chain.toml",
    ),
    ("explore", "chain.aol", *EXPLORE, "--narrow", "--method", "nsga2", "--seed", "3", "--top", "rows"),
    ("simulate", "chain.aol", "--result", "r", "--design", "2:1", "--trace", "t.json"),
    ("simulate", "chain.aol", "--result", "r", "--design", "2:2", "--in", "image=random:3", "--json"),
    ("emit", "verilog", "chain.aol", "--result", "r", "--design", "2:1", "--out", "v"),
    ("emit", "verilog", "chain.aol", "--result", "r", "--pick", "knee", "--in", "image=random:3", "--json"),
    ("calibrate", "v", "v", "v", "--held", "v", "--out", "mine.toml", "--json"),
    ("synth", "v", "--device", "25k", "--clock", "100", "--seed", "3", "--no-place", "--json"),
    ("schema", "study", "--out", "s.json"),
    ("layout", "chain.aol", "mean", "--unroll", "3,1", "--banks", "4", "--rule", "list"),
    ("layout", "chain.aol", "smooth", "--partition", "finer", "--replicate", "--json"),
    ("layout", "chain.aol", "mean", "--emit", "l.aol", "--emit-ports", "banks", "--scalar-replacement"),
    ("transfers", "chain.aol", "mean", "--tile", "2,2", "--platform", "chain.toml"),
    ("transfers", "chain.aol", "mean", "--schedule", "i,j", "--tile", "B,2", "--symbolic", "W", "--json"),
    ("transfers", "chain.aol", "smooth", "--statement", "2", "--emit", "c", "--out", "c.c"),
    ("report", "r", "--out", "r.html"),
    ("compare", "r", "r", "--out", "c"),
    ("import", "sum.c", "--set", "N=4", "--out", "s.aol"),
    ("completion", "zsh"),
    ("example", "fir"),
    ("example", "--list"),
)
VALUES = (
    *NUMBERS[:36], "-1", "", " ", ",", "1,1", "2,0", "0,0,0", "x", "H=4", "H=", "=4", "H=1/0", "H=2**99", "H=true",
    "GAIN=nan", "GAIN=1e308", "H=100000000000000000000", "UNUSED=3", "chain.aol", "chain.toml", "study.toml", "r",
    "x.npy", "missing", "latency_cycles", "lut", "lut,dsp", "latency_cycles,latency_cycles", "memory_bits", "i,j",
    "i+j,i-j", "i*j", "-i,j", "i//2,j", "9999999999999999999999*i,j", "i,i", "r0,r1", "image=ramp", "image=", "out=-",
    "nan", "inf", "knee", "internal_memory_bits <= 1e6", "lut <= 1e400", "lut >= 0", "lut < -1", "1e9", "rows",
    "mean", "chain", "ecp5-6", "series7", "./own.toml", "energy_nj", "power_mw <= 9", "frames_per_second >= 60",
)  # fmt: skip
LEFT_ALONE = {"--cluster", "--workers", "--allow-extern", "--help", "--quiet", "--verify", "--resume"}


def _options(rng: Random) -> Case:
    command = list(rng.choice(LINES))
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = rng.randrange(1, len(command))
        match rng.randrange(5):
            case 0 | 1 if command[place - 1] not in LEFT_ALONE:
                command[place] = mutate(rng, command[place], VALUES, VALUES) if rng.random() < 0.5 else _value(rng)
            case 2:
                del command[place]
            case 3:
                command[place:place] = command[rng.randrange(1, len(command)) :][:2]
            case _:
                command += _option(rng, command)
        if len(command) == 1:
            break
    if command[0] == "explore" and "--narrow" not in command:
        command += ["--timeout", "5"]  # the default space is minutes of work
    return Case(bases.folder(), (tuple(_arguments(command)),), pictures=rng.random() < PICTURES)


def _value(rng: Random) -> str:
    return rng.choice((rng.choice(VALUES), foreign.word(rng)))


def _option(rng: Random, words: list[str]) -> list[str]:
    """An option that the command has, with a value that it may or may not take."""
    command = command_of(words)
    assert command is not None
    options = [
        option for option in command.params if isinstance(option, click.Option) and option.opts[0] not in LEFT_ALONE
    ]
    if not options:
        return []
    option = rng.choice(options)
    if option.is_flag:
        return [option.opts[0]]
    choices = option.type.choices if isinstance(option.type, click.Choice) else VALUES
    return [option.opts[0], str(rng.choice(list(choices))) if rng.random() < 0.7 else _value(rng)]


def _arguments(words: list[str]) -> list[str]:
    """What a shell can hand over: no zero byte, nothing beyond Unicode."""
    return [word.replace("\0", "")[:100_000] for word in words]


def _result(rng: Random) -> Case:
    files = dict(bases.folder())
    if rng.random() < 0.2:
        files["r/result.json"] = damaged(rng, files["r/result.json"])
    else:
        document = json.loads(files["r/result.json"])
        edited(rng, document, rng.choice((1, 1, 2)))
        files["r/result.json"] = json.dumps(document).encode()
    design = json.loads(bases.folder()["r/result.json"])["pareto"][0]["id"]
    commands: tuple[Command, ...] = (
        ("report", "r"), ("compare", "r", "r"), ("simulate", "chain.aol", "--result", "r", "--design", design),
    )  # fmt: skip
    return Case(files, (rng.choice(commands),))


def _data(rng: Random) -> Case:
    files = dict(bases.folder())
    name = rng.choice(("x.npy", "x.png", "x.npz"))
    files[name] = damaged(rng, files[name])
    if name == "x.npy" and rng.random() < 0.5:
        header = mutate(
            rng, "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 8), }", ("True", "'|O'", "'<c16'"), ("",)
        )
        data = header.encode("latin-1", "replace")[:60_000]
        files[name] = b"\x93NUMPY\x01\x00" + len(data).to_bytes(2, "little") + data + bytes(6 * 8 * 4)
    return Case(files, (("run", "chain.aol", "--top", "rows", "--in", f"src={name}", "--out", "dst=o.npy"),))


KINDS: dict[str, Callable[[Random], Case]] = {
    "spec": _spec,
    "sound": _sound,
    "deep": _deep,
    "tools": _tools,
    "platform": _platform,
    "study": _study,
    "steps": _steps,
    "options": _options,
    "result": _result,
    "data": _data,
    "emitted": foreign.emitted,
    "stored": foreign.stored,
    "places": foreign.places,
    "plugin": strangers.plugin,
    "extern": strangers.extern,
}
