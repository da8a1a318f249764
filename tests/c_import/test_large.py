"""Scops that a program or a mutation wrote: many loops around a statement, many equal lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arrayol.c_import.import_c import import_source
from arrayol.errors import ArrayolError
from arrayol.polyhedral.flow import Element, Instances, OrderedStatements, Sources
from arrayol.source import SourceFile

SCOP = "void f(float a[3], float s[3]) {\n#pragma scop\n%s\n#pragma endscop\n}\n"
LOOP = "for (int i = 0; i < 3; i++)\n"


def test_more_loops_than_are_read() -> None:
    """Refused before isl is asked, at the first loop too many."""
    text = SCOP % f"{LOOP * 200}s[i] += a[0];"
    with pytest.raises(ArrayolError) as caught:
        import_source(SourceFile("f.c", text))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("scop-too-large", "a statement stands in 200 loops; 20 are the most")
    assert found.hint == "make fewer loops of them"
    assert found.span is not None
    assert found.span.place[1] == 23


def test_isl_reads_each_statement_once() -> None:
    """All pairs of statements are compared, so that reading them again and again was most of the work."""
    written = Element("s", ("i",))
    statements = [
        Instances(f"S{number}", ("i",), ("0 <= i < 3",), (number, 0), written, (written,)) for number in range(5)
    ]
    program = OrderedStatements(statements, ())
    for one in statements:
        assert program.time(one) is program.time(one)
        assert program.access(one, written) is program.access(one, written)
    assert program.follows("S0", "S1")
    assert not program.follows("S1", "S0")
    assert program.sources("S3", 0, [one.name for one in statements]).statements == {"S2"}


def test_equal_lines_are_merged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged one after the other, each would ask again where all reads before it come from."""
    asked: list[str] = []
    sources = OrderedStatements.sources

    def counted(self: OrderedStatements, reader: str, read: int, writers: Sequence[str]) -> Sources:
        asked.append(reader)
        return sources(self, reader, read, writers)

    monkeypatch.setattr(OrderedStatements, "sources", counted)
    lines = 40
    import_source(SourceFile("f.c", SCOP % ("s[0] = s[1] * 2 + a[0];\n" * lines)))
    assert len(asked) <= 6 * lines
