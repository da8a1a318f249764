"""Whatever a specification calls its parts, its C compiles: names of compilers, headers and the programs are tried."""

from __future__ import annotations

import re
import subprocess
from itertools import permutations
from pathlib import Path

import pytest
from c_programs import WARNINGS, whole
from loading import unchecked_spec_of

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.syntax import KEYWORDS
from hwmodel.emit.c.names import Named, identifiers
from hwmodel.emit.c.nest import _INCLUDES

# Keywords stand in no header: those of C to 2023, of C++ to 2023, and of gcc.
KEYWORDS_OF_C = """
alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float for
goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct switch
thread_local true typedef typeof typeof_unqual union unsigned void volatile while asm _Alignas _Alignof _Atomic _BitInt
_Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local
and and_eq bitand bitor catch class co_await co_return co_yield compl concept consteval constinit const_cast char8_t
char16_t char32_t decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator
or or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid typename using
virtual wchar_t xor xor_eq __int128 __float128 __thread __label__ __attribute__ main unix linux i386
"""


def named_by_the_compiler(standard: str) -> frozenset[str]:
    """Every identifier of the headers, after the preprocessor, and every macro, predefined ones included."""
    text = "".join(f"#include <{header}.h>\n" for header in _INCLUDES)
    command = ["gcc", f"-std={standard}", "-D_GNU_SOURCE", "-E", "-dD", "-x", "c", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return identifiers(line for line in done.stdout.splitlines() if not line.startswith("# "))


def named_by_the_programs() -> frozenset[str]:
    """Every identifier of some programs."""
    nests = [("matmul", ["i, j, k"], [3, 4, 5]), ("polyprod", ["N-j, i"], [10])]
    texts = [
        api.transfers(shipped_folder() / f"{name}.aol", name, schedules=schedules, tile=tile).c()
        for name, schedules, tile in nests
    ]
    return identifiers("\n".join(texts).splitlines())


@pytest.fixture(scope="module")
def taken() -> list[str]:
    names = named_by_the_compiler("gnu17") | named_by_the_compiler("c99") | named_by_the_programs()
    assert {"M_PI", "INT32_MAX", "UINT64_C", "__SIZE_TYPE__", "fread", "y1", "tiles_waiting"} <= names
    return sorted((names | set(KEYWORDS_OF_C.split())) - KEYWORDS)


def compiled(text: str, tmp_path: Path) -> None:
    """By gcc, in the oldest standard and in the one with most names of its own."""
    source = tmp_path / "program.c"
    source.write_text(text, encoding="utf-8")
    for standard in ("c99", "gnu17"):
        command = ["gcc", f"-std={standard}", *WARNINGS, "-D_GNU_SOURCE", "-fsyntax-only", "-DWITH_MAIN", source]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr[:2000]


def test_any_name_may_be_a_port(taken: list[str], tmp_path: Path) -> None:
    ports, sums = (", ".join(f"{name}: i32" for name in taken)), " + ".join(taken)
    text = whole(unchecked_spec_of(f"elementary e({ports}) -> (all_of_them: i32) {{ all_of_them = {sums} }}\n"), "e")
    compiled(text, tmp_path)


def test_any_name_may_be_a_range_variable(taken: list[str], tmp_path: Path) -> None:
    lines = "\n".join(f"  yy[{name}] += xx[{name}]  for {name} in 0..2" for name in taken if name not in ("xx", "yy"))
    text = whole(unchecked_spec_of(f"elementary e(xx: i32[2]) -> (yy: i32[2]) {{\n{lines}\n}}\n"), "e")
    compiled(text, tmp_path)


def test_any_name_may_be_a_task(taken: list[str], tmp_path: Path) -> None:
    taken = [name for name in taken if not name.startswith("_")]  # tasks take time to read, and the rest is like these
    tasks = "\n".join(f"elementary {name}(in_: i32) -> (out_: i32) {{ out_ = in_ }}" for name in taken)
    calls = "\n".join(f"  z{number}_ = {name}(in_)" for number, name in enumerate(taken))
    outputs = ", ".join(f"z{number}_: i32" for number in range(len(taken)))
    text = whole(unchecked_spec_of(f"{tasks}\ntask top_(in_: i32) -> ({outputs}) {{\n{calls}\n}}\n"), "top_")
    compiled(text, tmp_path)


def test_words_in_front_are_ours(taken: list[str]) -> None:
    """No word begins another one, and nothing that others name begins with one."""
    words = [f"{word}_" for word in Named]
    assert [pair for pair in permutations(words, 2) if pair[0].startswith(pair[1])] == []
    others = named_by_the_compiler("gnu17") | named_by_the_compiler("c99")
    assert [name for name in others if name.startswith(tuple(words))] == []
    emitted = [name for name in named_by_the_programs() if name.startswith(tuple(words))]
    known = re.compile(r"(run_matmul|run_polyprod|tile_[A-Z]|(a|arg|local|slots)_[abcxy]|i_[ijkmn])")
    assert [name for name in emitted if not known.fullmatch(name)] == []
