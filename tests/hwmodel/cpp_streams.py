"""Designs in C++ that are one streaming group, several in one program of g++."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from stream_designs import stream_design, write_files
from stream_networks import Case

from hwmodel.emit.hls.compiler import BUILDS, FLAGS, SANITIZED
from hwmodel.emit.hls.streams.design import StreamHlsFiles
from hwmodel.emit.hls.streams.group import CppLiterals
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream

_HEADS = """\
#include <unistd.h>
#include "n0/src/stream.hpp"
#include "n0/tb/frames.hpp"
#include <ap_axi_sdata.h>
"""
_DESIGN = """\
#undef ARRAYOL_DESIGN_HPP
namespace n{number} {{
#include "n{number}/src/stream.cpp"
#define main run
#include "n{number}/tb/main.cpp"
#undef main
}}
"""
_RUN = '  if (!chdir("n{number}")) std::printf("design {number}\\n"), n{number}::run(), (void)!chdir("..");\n'


def stream_hls(case: Case, stream: Stream) -> StreamHlsFiles:
    """A case whose whole network is one group, with two frames of other numbers."""
    design = stream_design(case, stream)
    model = StreamModel(design.model.accesses, design.model.tasks)
    return StreamHlsFiles(replace(design, model=model, literals=CppLiterals()))


def wrong_words(
    designs: Sequence[Mapping[str, str]], options: Sequence[str] = ("-Werror", "-In0/shim", *BUILDS[SANITIZED])
) -> list[tuple[int, ...]]:
    """By design of some files, and by frame, how many words of outputs differ: all in one program of g++."""
    numbers = range(len(designs))
    parts = [_HEADS, *(_DESIGN.format(number=number) for number in numbers)]
    parts += ["int main() {\n", *(_RUN.format(number=number) for number in numbers), "}\n"]
    flags = [flag for flag in FLAGS if not flag.startswith("-I")]
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number, files in enumerate(designs):
            write_files(files, folder / f"n{number}")
        (folder / "all.cpp").write_text("".join(parts), encoding="utf-8")
        command = ["g++", *flags, *options, "-In0/src", "-I.", "-o", "all.exe", "all.cpp"]
        subprocess.run(command, cwd=folder, check=True)
        done = subprocess.run([folder / "all.exe"], cwd=folder, check=True, capture_output=True, text=True)
    wrong: dict[int, list[int]] = defaultdict(list)
    for line in done.stdout.splitlines():
        if found := re.fullmatch(r"design (\d+)", line):
            current = int(found[1])
        elif found := re.fullmatch(r"frame \d+ wrong (\d+)", line):
            wrong[current].append(int(found[1]))
    return [tuple(wrong[number]) for number in numbers]
