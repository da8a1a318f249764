"""Cases of programs of others: plug-ins and functions that `extern` names, which raise or give what they should not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import bases
from case import SPECIAL, Case
from texts import mutate

NONSENSE = (
    "None",
    "5",
    "'x'",
    "[]",
    "{}",
    "nan",
    "1/0",
    "undefined",
    "raise_(ValueError('odd'))",
    "raise_(SystemExit(3))",
    "raise_(Odd())",
    "Unspeakable()",
    "(yield)",
    "iter(())",
    "10**400",
    "-1",
    "True",
    "np.array([[1.5]])",
    "np.zeros(0)",
    "np.array(['x'])",
    "np.full(3, np.nan)",
    "print",
    "object()",
    "1j",
    "b'x'",
    "float('inf')",
    "lambda *_: None",
)
VALUES = (
    "f[0]",
    "f[0] * 2",
    "f[0] + 1j",
    "1 / f[0]",
    "-f[0]",
    "f[0] * nan",
    "f[0].sum()",
    "f[0].astype(object)",
    "f[0].__imul__(0)",
    "f[0] * 1e300",
    "np.zeros_like(f[0])",
    "f[0].astype('i8')",
    "f[0] > 3",
    "f",
    "[None] * len(f[0])",
)
FIELDS = (
    "front",
    "design",
    "counts",
    "exact",
    "description",
    "group_designs",
    "whole_designs",
    "counts_wholes",
    "complete",
    "refusal",
    "groups",
    "comparisons",
    "evolution",
    "coverage",
)
CHANGED = (
    "replace(found, {field}={nonsense})",
    "{nonsense}",
    "replace(found, front=replace(found.front, {part}={nonsense}))",
    "replace(found, front=found.front.at(np.array([], int)))",
    "replace(found, front=found.front.at(np.array([0, 0])))",
    "replace(found, front=replace(found.front, values=found.front.values + 1))",
    "replace(found, front=replace(found.front, values=found.front.values * 1.5))",
    "replace(found, design=lambda row: {nonsense})",
    "replace(found, design=lambda row: replace(found.design(row), {own}={nonsense}))",
    "replace(found, design=lambda row: found.design(0))",
    "found",
    "replace(found, exact=False, description='mine')",
    "replace(found, counts=replace(found.counts, evaluated={nonsense}))",
)
PLUGIN = """\
from dataclasses import replace
from math import nan
import numpy as np
from dse.search.exact.exact import search_exactly

class Odd(Exception):
    def __str__(self): raise ValueError

class Unspeakable:
    def __repr__(self): raise ValueError

def raise_(raised): raise raised

def method(context, request, runner):
    found = search_exactly(context, request, runner)
    return {method}

def model(process, interval, cost):
    return {model}

class Own:
    title, unit, figures = {title}, {unit}, {figures}
    def value(self, *f): return {value}

{points}
"""
POINTS = {"objectives": "own", "cost_models": "model", "methods": "method", "technologies": "own"}


def plugin(rng: Random) -> Case:
    """A distribution whose plug-ins raise, or give something else than they should."""
    nonsense = [rng.choice(NONSENSE) for _ in range(4)]
    kind = rng.choice(("objectives", "objectives", "cost_models", "methods", "methods", "methods", "technologies"))
    own = rng.random() < 0.3
    texts = {
        "method": rng.choice(CHANGED).format(
            field=rng.choice(FIELDS),
            nonsense=nonsense[0],
            part=rng.choice(("values", "units", "origin")),
            own=rng.choice(("groups", "loads", "splits")),
        ),
        "model": nonsense[1],
        "title": nonsense[2] if own else "'own'",
        "unit": nonsense[3] if rng.random() < 0.1 else "'1'",
        "figures": rng.choice(
            ("('latency_cycles',)", "('latency_cycles', 'lut')", "()", "5", "('x',)", "('own',)", "['lut'] * 2")
        ),
        "value": nonsense[1] if own else rng.choice(VALUES),
        "points": "own = Own()"
        if rng.random() < 0.9
        else rng.choice(("raise SystemExit(4)", "own = Own", "own = 5", "(")),
    }
    points = "".join(f"[arrayol.{group}]\nrotten = rotten:{name}\n" for group, name in POINTS.items())
    if rng.random() < 0.1:
        points = mutate(rng, points, ("rotten",), (points,))
    platform = bases.PAIR_PLATFORM
    options: Sequence[str] = {
        "objectives": ("--objectives", rng.choice(("rotten", "rotten,lut", "lut,rotten"))),
        "cost_models": (),
        "methods": ("--method", "rotten"),
        "technologies": (),
    }[kind]
    if kind == "cost_models":
        platform = f'cost_models = ["rotten"]\n{platform}'
    if kind == "technologies":
        platform = platform.replace("ecp5-6", "rotten")
    info = "rotten-2.1.dist-info"
    files: Mapping[str, str] = {
        "rotten.py": PLUGIN.format(**texts),
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: rotten\nVersion: 2.1\n",
        f"{info}/entry_points.txt": points,
        "pair.aol": bases.PAIR,
        "pair.toml": platform,
    }
    line = ("explore", "pair.aol", "--narrow", "--quiet", "--workers", "1", "--no-verify", *options, "--out", "q")
    lines = (line, ("report", "q")) if rng.random() < 0.3 else (line,)
    return Case({name: text.encode() for name, text in files.items()}, lines, pictures=False)


MODULES = (
    "own:f",
    "own:g.h",
    "own.x:f",
    "none:f",
    "os.path:join",
    "math:sqrt",
    "json.decoder:x",
    "folder:f",
    "folder.own:f",
    "__main__:f",
    "builtins:len",
    "own:None",
    "numpy:zeros",
    "sys:exit",
    "own",
    ":f",
    "own:",
    "a b:c",
    "\u00e9:f",
    "..own:f",
)
OWN = """\
import sys
import numpy as np
class Odd(Exception):
    def __str__(self): raise ValueError
class Unspeakable:
    def __repr__(self): raise ValueError
class Own(np.ndarray):
    shape = property(lambda self: raise_(KeyError()))
nan = float("nan")
def raise_(raised): raise raised
{first}
def f(x): return {result}
"""
FIRSTS = (
    "",
    "",
    "",
    "",
    "sys.modules[__name__] = 5",
    "sys.modules[__name__] = None",
    "del sys.modules[__name__]",
    "raise Odd()",
    "raise SystemExit(2)",
    "def __getattr__(name): raise KeyError(name)",
    "def __getattr__(name): return Unspeakable()",
    "(",
)
RESULTS = (
    "x",
    "x + 1",
    "x.view(Own)",
    "np.ma.masked",
    "np.array([None])",
    "np.uint8(7)",
    "np.zeros(3, 'u1')",
    "np.float64(1)",
    "(x, x)",
    "x.__iadd__(1)",
    "np.recarray(1, 'u1,u1')",
    "np.datetime64('now')",
    "np.str_('x')",
)


def extern(rng: Random) -> Case:
    """Functions of others: modules that are none, and functions that raise or give something else than arrays."""
    name = rng.choice(MODULES) if rng.random() < 0.5 else "own:f"
    own = OWN.format(first=rng.choice(FIRSTS), result=rng.choice((*RESULTS, *NONSENSE)))
    task = "task t(a: u8[2]) -> (b: u8[2]) { repeat [2] of e { x <- a  y -> b } }"
    text = f'elementary e(x: u8) -> (y: u8) extern "{name}"\n{task}\n'
    files = {"e.aol": text.encode(), "own.py": own.encode(), "folder/x.txt": b""}
    run = ("run", "e.aol", "--in", "a=ramp", "--out", "b=b.npy", "--allow-extern")
    return Case(
        files,
        (rng.choice((run, run, run, ("check", "e.aol"), run[:-1])),),
        special={} if rng.random() < 0.9 else {"own.py": rng.choice(list(SPECIAL))},
    )
