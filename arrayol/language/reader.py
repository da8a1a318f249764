"""Reading a source file: whatever lies there, the outcome is text or a clear error."""

from __future__ import annotations

from pathlib import Path

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.language.hints import closest
from arrayol.source import SourceFile, Span

MAXIMUM_BYTES = 64 * 1024 * 1024


def read_source(path: Path, name: str | None = None) -> SourceFile:
    """The text of `path`, without a byte order mark, under the name that messages show.

    Raises ArrayolError: `no-such-file`, `not-a-file`, `unreadable`, `too-large`, `binary-file`, `not-utf8`.
    """
    name = name or str(path)
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise error(
                "too-large", f"the file is larger than {MAXIMUM_BYTES >> 20} MiB; this is no .aol file", file=name
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise _missing(path, name) from None
    except (IsADirectoryError, NotADirectoryError):
        raise error("not-a-file", "this is not a file; name an .aol file", file=name) from None
    except OSError as failure:
        raise error("unreadable", f"the file cannot be read: {failure.strerror}", file=name) from None
    if b"\0" in data:
        raise error("binary-file", "this is a binary file, not the text of an .aol file", file=name)
    return _decoded(data, name)


def _missing(path: Path, name: str) -> ArrayolError:
    known = sorted(found.name for found in path.parent.glob("*.aol")) if path.parent.is_dir() else []
    near = closest(path.stem, (Path(name).stem for name in known))
    hint = f"did you mean '{near}.aol'?" if near else None
    if not hint and 0 < len(known) <= 5:
        hint = f"its folder holds {', '.join(known)}"
    return error("no-such-file", "no such file", hint=hint, file=name)


def _decoded(data: bytes, name: str) -> SourceFile:
    try:
        return SourceFile(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        before = SourceFile(name, data[: failure.start].decode("utf-8-sig") + "\N{REPLACEMENT CHARACTER}")
        end = len(before.text)
        found = Diagnostic(
            "not-utf8",
            f"byte 0x{data[failure.start]:02x} is not UTF-8",
            Span(before, end - 1, end),
            "save the file as UTF-8",
        )
        raise ArrayolError([found]) from None
