"""C as its preprocessor leaves it: by the compiler of the machine where there is one, else by pcpp.

Macros, conditions and includes are the preprocessor's business; line marks keep the places. Macros that are plain
numbers keep their names, as the consts of a specification: the first pass takes directives only, then the definitions
of those macros are left out, and the second pass puts the text of all others where their names stand.

Headers of the C library come from `headers/`: what it declares is known by name, and no extension of a compiler
enters. They have the types and limits of x86-64 Linux.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from arrayol.c_import.constants import CConstant, literal
from arrayol.errors import error
from arrayol.source import SourceFile, Span

HEADERS = Path(__file__).parent / "headers"
SECONDS = 20.0  # for one run of a compiler's preprocessor: it reads a text of some MB in one

_MARK = re.compile(r'#(?:line)? *(\d+) "((?:[^"\\]|\\.)*)".*')
_DEFINE = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)(\(?)(.*)", re.DOTALL)
_UNDEF = re.compile(r"\s*#\s*undef\s+([A-Za-z_]\w*)")
_NUMBER = re.compile(r"(?:0|[1-9]\d*|0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_GIVEN = re.compile(r"-D([A-Za-z_]\w*)(?:=.*)?", re.DOTALL)
_MESSAGE = re.compile(r"(.*?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)")
_FORM = """write it as --cc "gcc -Iinc -DN=64", and what has blanks in quotes, as --cc "gcc '-Imy inc'\""""
_QUIET = {
    "__attribute__(x)": "",
    "__extension__": "",
    "__restrict": "restrict",
    "__inline": "inline",
    "__const": "const",
}


@dataclass(frozen=True)
class Macro:
    """A macro that stands for one number, where it was defined; `text` is the number as it is written there."""

    constant: CConstant
    text: str
    span: Span | None


@dataclass(frozen=True)
class Preprocessed:
    """The text with line marks, `macros` that kept their names, and the program that made it."""

    text: str
    macros: dict[str, Macro]
    by: str


def preprocess(file: SourceFile, command: str | None = None, settings: Mapping[str, str] | None = None) -> Preprocessed:
    """The text of a file after its preprocessor; `command` is the user's own, as "gcc -Iinc -DN=64".

    `settings` give macros of the file other values. Raises ArrayolError with the place of what is refused.
    """
    text = _with_settings(file.text, settings or {})
    words = _compiler(command, file)
    if words is None:
        library = import_module("arrayol.c_import.reading.library")  # it imports this module, and pcpp takes a while
        made: Preprocessed = library.by_library(SourceFile(file.name, text), HEADERS, _QUIET, settings or {})
        return made
    asked = re.findall(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)$", text, re.MULTILINE)
    words_asked = set(re.findall(r"[A-Za-z_]\w*", " ".join(asked)))
    given = [f"-D{name}={value}" for name, value in (settings or {}).items() if name in words_asked]
    words = [*_with_values(words, settings or {}), *given]
    run = _Compiler(file, tuple(words))
    first = run("-fdirectives-only", text)
    if first is None:
        return Preprocessed(_checked(run("", text), file), {}, words[0])
    macros = plain_macros(marked_lines(first), file)
    run = _Compiler(file, (*words, *(f"-U{name}" for name in macros)))  # those of the command keep their names
    return Preprocessed(_checked(run("", "\n".join(_without(first, macros))), file), macros, words[0])


def _with_settings(text: str, settings: Mapping[str, str]) -> str:
    """The text with other numbers in the definitions of macros that have a setting."""
    for name, value in settings.items():
        text = re.sub(rf"^([ \t]*#[ \t]*define[ \t]+{re.escape(name)}[ \t]+)\S.*$", rf"\g<1>{value}", text, flags=re.M)
    return text


def _with_values(words: Sequence[str], settings: Mapping[str, str]) -> Iterator[str]:
    """The words of a command with other values for the macros that it defines."""
    waiting = iter(words)
    for word in waiting:
        whole = f"-D{next(waiting, '')}" if word == "-D" else word
        found = _GIVEN.fullmatch(whole)
        yield f"-D{found[1]}={settings[found[1]]}" if found is not None and found[1] in settings else whole


def _compiler(command: str | None, file: SourceFile) -> list[str] | None:
    """The words of the command; without one those of the compiler of the machine, None where it has none."""
    if command is None:
        found = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)
        return None if found is None else [found]
    try:
        words = shlex.split(command)
    except ValueError as wrong:
        raise error("no-preprocessor", f"'{command}': {str(wrong).lower()}", hint=_FORM, file=file.name) from None
    if not words:
        raise error("no-preprocessor", "the command of the compiler is empty", hint=_FORM, file=file.name)
    if shutil.which(words[0]) is None:
        hint = f"name an installed compiler; {_FORM}"
        raise error("no-preprocessor", f"there is no program '{words[0]}'", hint=hint, file=file.name)
    return words


@dataclass(frozen=True)
class _Compiler:
    """Runs a compiler's preprocessor on texts of one file."""

    file: SourceFile
    words: tuple[str, ...]

    def __call__(self, option: str, text: str) -> str | None:
        """The preprocessed text; None where the compiler does not know the option. Raises ArrayolError for errors."""
        quiet = [] if option else [f"-D{name}={value}" for name, value in _QUIET.items()]
        folder = Path(self.file.name).parent
        options = ["-E", "-x", "c", "-nostdinc", "-w", "-isystem", str(HEADERS), "-iquote", str(folder)]
        command = [*self.words, *options, *([option] if option else []), *quiet, "-"]
        try:
            done = subprocess.run(
                command,
                input=text,
                capture_output=True,
                encoding="utf-8",
                timeout=SECONDS,
                check=False,
                errors="replace",
                env={**os.environ, "LC_ALL": "C"},  # messages in English, with plain quotes
            )
        except subprocess.TimeoutExpired:
            message = f"'{self.words[0]}' did not end within {SECONDS:g} s"
            raise error("no-preprocessor", message, hint=_FORM, file=self.file.name) from None
        except OSError as wrong:
            message = f"'{self.words[0]}' did not start: {wrong.strerror}"
            raise error("no-preprocessor", message, hint=_FORM, file=self.file.name) from None
        if done.returncode == 0:
            name = self.file.name.replace("\\", "\\\\").replace('"', '\\"')
            return done.stdout.replace('"<stdin>"', f'"{name}"')
        for line in done.stderr.splitlines():
            found = _MESSAGE.fullmatch(line)
            if found is not None:
                raise self._refused(found)
        if option:
            return None
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}, and no message"]
        message = next((line for line in lines if "error" in line), lines[0])
        hint = "run it yourself with -E, and import what it writes"
        raise error("no-preprocessor", f"'{self.words[0]}' failed: {message}", hint=hint, file=self.file.name)

    def _refused(self, found: re.Match[str]) -> Exception:
        message = f"the preprocessor: {found[4]}"
        missing = re.match(r"(\S+): No such file", found[4])
        hint = header_hint("" if missing is None else missing[1])
        if found[1] != "<stdin>":
            return error("c-syntax", f"{found[1]}:{found[2]}: {message}", hint=hint, file=self.file.name)
        line = min(int(found[2]), self.file.text.count("\n") + 1)
        start = sum(len(one) + 1 for one in self.file.text.split("\n")[: line - 1])
        return error("c-syntax", message, Span(self.file, start, start + len(self.file.line(line))), hint=hint)


def header_hint(name: str) -> str:
    """What to do where a header is missing."""
    if re.search(r"intrin|arm_neon|arm_acle|altivec|arm_sve", name):
        return "intrinsics of a processor are not read: write the loops that they stand for"
    if name and "." not in name:
        return "headers of C++ are not read: include C's, as stdint.h for cstdint, and write in C what others give"
    return 'give your include folders and macros, as --cc "gcc -Iinc -DN=64"'


def _checked(text: str | None, file: SourceFile) -> str:
    if text is None:
        raise error("c-syntax", "the preprocessor gave nothing", file=file.name)
    return text


def marked_lines(text: str) -> Iterator[tuple[str, int, str]]:
    """The lines of a text with line marks, each with its file and number there; marks are left out."""
    name, number = "", 0
    for line in text.split("\n"):
        mark = _MARK.fullmatch(line)
        if mark is not None:
            name, number = mark[2], int(mark[1])
            continue
        yield name, number, line
        number += 1


def plain_macros(lines: Iterator[tuple[str, int, str]], file: SourceFile) -> dict[str, Macro]:
    """Macros of the user's files that are one number of type int or double, defined once.

    There are none if a macro pastes or quotes its arguments, since there the name would show. A name that stands in the
    text before its definition means something else there.
    """
    found: dict[str, Macro] = {}
    left_out: set[str] = set()
    for name, number, line in lines:
        if not line.lstrip().startswith("#"):
            left_out.update(word for word in re.findall(r"[A-Za-z_]\w*", line) if word not in found)
            continue
        undone = _UNDEF.match(line)
        if undone is not None:
            left_out.add(undone[1])
        define = _DEFINE.match(line)
        if define is None or name.startswith("<built-in") or Path(name).parent == HEADERS:
            continue
        if "#" in define[3]:
            return {}
        text = re.sub(r"/\*.*?\*/|//.*", " ", define[3]).strip()
        if define[1] in found or define[2] or not _NUMBER.fullmatch(text):
            left_out.add(define[1])
            continue
        constant = literal(text)
        span = line_span(file, number) if name == file.name else None
        found[define[1]] = Macro(constant, text, span)
    kinds = {"i32", "f64"}
    return {name: macro for name, macro in found.items() if name not in left_out and macro.constant.type in kinds}


def line_span(file: SourceFile, number: int) -> Span | None:
    """The text of a line, without the blanks around it; None beyond the end."""
    if number > file.text.count("\n") + 1:
        return None
    text = file.line(number)
    start = sum(len(one) + 1 for one in file.text.split("\n")[: number - 1]) + len(text) - len(text.lstrip())
    return Span(file, start, start + len(text.strip()))


def _without(text: str, macros: Mapping[str, Macro]) -> Iterator[str]:
    """The lines without what every compiler has built in; blank ones in place of the definitions of these macros."""
    built_in = False
    for line in text.split("\n"):
        mark = _MARK.fullmatch(line)
        if mark is not None:
            built_in = mark[2].startswith("<built-in")
        define = _DEFINE.match(line)
        if not built_in:
            yield "" if define is not None and define[1] in macros else line
