"""What of C is refused: the whole report of each, with line, column and remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol import api
from arrayol.c_import.import_c import import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

GOLDEN = Path(__file__).parent.parent / "golden" / "import-refusals.txt"

INSIDE = (  # statements of a function with A, b, idx and k
    "while (1) b[0] = 1;",
    "while (k > 1) { if (idx[0] == 3) break; k = k / 2; } b[0] = 1.0;",
    "for (int i = 0; i <= 8; i++) b[i] = 1.0;",
    "for (int i = 0; i < 8; i++) b[i] = A[i][i - 1];",
    "for (int i = 0; i < k; i++) b[i] = 1.0;",
    "for (int i = 0; i < idx[0]; i++) b[i] = 1.0;",
    "for (int i = 0; i < 8; i += k) b[i] = 1.0;",
    "for (int i = 0; i != 7; i += 2) b[i] = 1.0;",
    "for (unsigned i = 7; i >= 0; i--) b[i] = 1.0;",
    "for (unsigned char i = 0; i < 300; i++) b[0] = 1.0;",
    "for (int i = 0; i < 8; i++ b[i] = 1.0;",
    "float q = 1.5f; idx[0] = *(int *)&q;",
    "for (int i = 0; i < 8; i++) idx[i] = idx[i] >> 32;",
    "for (int i = 0; i < 8; i++) idx[i] = idx[i] / 0;",
    "for (int i = 0; i < 8; i++) b[i] = b[i] % 2;",
    "for (int i = 0; i < 8; i++) b[i] = cbrt(b[i]);",
    "b[0] = pow(b[1], k); b[1] = round(b[2], 1.0);",
    "for (int i = 0; i < 8; i++) A[i] = 1.0;",
    "int n = 0; b[n++] = n;",
    "b[0] = zz;",
    'b[0] = "abc";',
    "b[99999999999999999999999] = 1.0;",
    "foo(3);",
    "b[0] = 1(2);",
    "double t; b[0] = t;",
    "double b[9]; b[0] = 1.0;",
    "double *p; b[0] = *p;",
    "double *p = k > 3 ? b : A[0]; b[0] = *p;",
    "k = 3;",
    "for (uint8_t i = 0; i < 8; i++) b[i] = 1.0;",
    "for (i = 0; i < 8; i++) b[i] = 1.0;",
    "int i; for (; i < 8; i++) b[i] = 1.0;",
    "for (idx[0] = 0; idx[0] < 8; idx[0]++) b[0] = 1.0;",
    "for (double f = b[0]; f < 8; f++) b[0] = 1.0;",
    "for (int i = 0; i < k; i++) i += idx[0];",
    "extern double s; b[1] = 1.0;",
    "for (int i = idx[0]; i < 8; i++) b[i] = 1.0;",
    "do k = k / 2; while (k > 1); b[0] = k;",
    "int *p = malloc(k); idx[0] = *p;",
    "int (*g)(int) = 0; idx[0] = g(1);",
    "static struct { int a; int c[2]; } s; s.c[0] = k; idx[0] = s.a;",
    "b[0] = 1e400;",
    "b[0] = 1.5L;",
    "b[0] = 0x1p99999;",
    "idx[0] = 2147483647 + 1;",
    "idx[0] = (int)3e10;",
    "switch (k) { b[0] = 2.0; case 1: b[0] = 1.0; }",
    "again: b[0] = 1.0; goto again;",
    "",
    f"b[0] = {'(' * 3000}1{')' * 3000};",
    "b[0] = 1.0;" * 601,
    "while (1) b[0] = 1.0;\n  b[1] = zz;\n  b[2] = cbrt(b[1]);\n  b[3] = 1.0;",
)
SCOP = "void f(double b[3]) {\n#pragma scop\n%s\n#pragma endscop\n%s}"
WHOLE = (
    "#define M (100000 * 100000)\n" + SCOP % ("b[1] = M;", ""),
    "#define M 089\n" + SCOP % ("b[1] = M;", ""),
    SCOP % ("b[1] = N;\n#define N 3", ""),
    "#define N 2\n#undef N\n" + SCOP % ("b[1] = N;", ""),
    "void f(double b[3]) {\n  return;\n#pragma scop\nb[0] = 1.0;\n#pragma endscop\n}",
    "int f[2] {\n#pragma scop\nf[0] = 1;\n#pragma endscop\n}",
    "#pragma scop\nint x;\n#pragma endscop",
    "#define N M\n#define M N\nvoid f(double b[N]) {\n#pragma scop\nb[0] = 1.0;\n#pragma endscop\n}",
    "struct s { int a : 3; };\nvoid f(struct s b[3]) {\nb[0].a = 1;\n}",
    "union u { int a; float c; };\nvoid f(union u b[3]) {\nb[0].a = 1;\n}",
    "void f(float **b) {\nb[0][0] = 1;\n}",
    "void f(float *b, int n[4]) {\nfor (int i = 0; i < 4; i++) b[n[i]] = 1;\n}",
    "int f(int n) { return n < 2 ? 1 : n * f(n - 1); }\nvoid g(int b[3]) {\nb[0] = f(b[1]);\n}",
    "void f(float b[3]) {\nb[0] = 1;\n}\nvoid g(float b[3]) {\nb[0] = 2;\n}",
    '#include "none.h"\nvoid f(float b[3]) {\nb[0] = 1;\n}',
    "#if 1\nvoid f(float b[3]) {\nb[0] = 1;\n}",
    "#include <hls_stream.h>\nvoid f(hls::stream<int> &in, int b[3]) {\nb[0] = in.read();\n}",
    "template <int N> void f(int b[N]) {\nb[0] = 1;\n}",
    "void f(long double b[3]) {\nb[0] = 1;\n}",
)


def _whole(inside: str) -> str:
    return f"void f(double A[8][8], double b[8], int k, int idx[8]) {{\n#pragma scop\n{inside}\n#pragma endscop\n}}"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the reports of the preprocessor are gcc's")
def test_every_report(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDEN, "\n".join(f"{_report(text)}\n" for text in (*map(_whole, INSIDE), *WHOLE)))


def _report(text: str) -> str:
    with pytest.raises(ArrayolError) as refused:
        import_source(SourceFile("t.c", text))
    assert all(one.hint and (one.file or one.span) for one in refused.value.diagnostics)
    return str(refused.value)


def test_sizes_are_set(tmp_path: Path) -> None:
    file = tmp_path / "f.c"
    file.write_text("#define M 3\nvoid f(int n, float x[n][M]) {\n#pragma scop\nx[n - 1][0] = 2;\n#pragma endscop\n}")
    assert api.import_c(file, {"n": 5}).spec.constants == {"n": 5, "M": 3}
    assert api.import_c(file, {"n": 5, "M": 4}).spec.constants == {"n": 5, "M": 4}
    for settings, code in (({}, "no-value"), ({"n": 5, "K": 1}, "unknown-setting"), ({"n": "x"}, "bad-setting")):
        with pytest.raises(ArrayolError) as refused:
            api.import_c(file, settings)
        assert [one.code for one in refused.value.diagnostics] == [code]


def test_lines_may_end_as_on_windows() -> None:
    lines = ("#define N \\", "  \\", " 3", "void f(float x[N]) {", "// one", "#pragma scop", "x[N - 1] = 2;")
    text = "\n".join((*lines, "#pragma endscop", "}", ""))
    plain, other = (import_source(SourceFile("f.c", one)) for one in (text, text.replace("\n", "\r\n")))
    assert plain.text == other.text
    assert plain.spec.constants == {"N": 3}


def test_the_command(arrayol: CommandLine, tmp_path: Path) -> None:
    lines = ["for (int i = 0; i < 8; i++)", "  for (int j = 0; j < i; j++)", "    b[i] += b[j];"]
    (tmp_path / "t.c").write_text(_whole("\n".join(lines)), encoding="utf-8")
    done = arrayol("import", "t.c")
    assert (done.returncode, done.stdout) == (0, api.import_c(tmp_path / "t.c").text)
    assert done.stderr == (
        "t.c:3:1: warning[one-body]: these loops stay the body of one elementary task\n"
        "    3 | for (int i = 0; i < 8; i++)\n"
        "      | ^^^\n"
        "  hint: what they write of 'b' is read again in other iterations, at no constant distance\n"
        "stages: 0 repetitions and 1 body\n"
        "dimensions: none\n"
        "delays: none\n"
        "loops that stay in bodies: line 5: i, j\n"
    )
    written = arrayol("import", "t.c", "--out", "t.aol")
    assert (written.stdout, written.stderr) == ("", f"{done.stderr}wrote t.aol\n")
    assert (tmp_path / "t.aol").read_text(encoding="utf-8") == done.stdout
    assert arrayol("check", "t.aol").returncode == 0
    assert arrayol("import", "gone.c").stderr.startswith("gone.c: error[no-such-file]: ")
