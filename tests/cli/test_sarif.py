"""`arrayol check --format sarif`: the log against the format and what GitHub needs of it, and against `--json`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import jsonschema
from conftest import CommandLine

from arrayol import __version__
from arrayol.source import visible

TEXT = {"type": "string", "minLength": 1}
LEVEL = {"enum": ["error", "warning"]}
NUMBER = {"type": "integer", "minimum": 1}


def closed(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    properties = {**required, **optional}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def each(schema: dict[str, Any], **bounds: int) -> dict[str, Any]:
    return {"type": "array", "items": schema, **bounds}


MESSAGE = closed({"text": TEXT})
RULE = closed(
    {
        "id": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
        "defaultConfiguration": closed({"level": LEVEL}),
    }
)
REGION = closed({"startLine": NUMBER}, startColumn=NUMBER, endLine=NUMBER, endColumn=NUMBER)
ARTIFACT = closed({"uri": {"type": "string", "pattern": r"^[\w./%:~-]+$"}}, uriBaseId={"const": "%SRCROOT%"})
RESULT = closed(
    {
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": each(
            closed({"physicalLocation": closed({"artifactLocation": ARTIFACT, "region": REGION})}),
            minItems=1,
            maxItems=1,
        ),
    }
)
DRIVER = closed({"name": {"const": "arrayol"}, "version": TEXT, "semanticVersion": TEXT, "rules": each(RULE)})
RUN = closed(
    {
        "tool": closed({"driver": DRIVER}),
        "columnKind": {"const": "unicodeCodePoints"},
        "results": each(RESULT),
    }
)
LOG = closed({"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": each(RUN, minItems=1, maxItems=1)})


def log_of(arrayol: CommandLine, *arguments: str) -> tuple[dict[str, Any], int]:
    """The one run of the log, which has the form above and whose results name their rules."""
    done = arrayol("check", "--format", "sarif", *arguments)
    log = json.loads(done.stdout)
    jsonschema.validate(log, LOG)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    assert len({rule["id"] for rule in rules}) == len(rules)
    return run, done.returncode


def read_as_sarif(text: str) -> str:
    """A message as a reader of the format shows it."""
    assert not re.search(r"(?<!{){\d+}", text), f"a placeholder: {text}"
    assert not re.search(r"(?<!\\)\[[^\]]*\]\(", text), f"a link: {text}"
    for written, shown in (("{{", "{"), ("}}", "}"), ("\\[", "["), ("\\]", "]")):
        text = text.replace(written, shown)
    return text


def test_all_mistakes_there_are(arrayol: CommandLine, checkout: Path, tmp_path: Path) -> None:
    """Results are what `--json` has, in its order."""
    shutil.copytree(checkout / "tests" / "errors", tmp_path, dirs_exist_ok=True)
    names = sorted(path.name for path in tmp_path.glob("*.aol"))
    run, code = log_of(arrayol, *names)
    told = json.loads(arrayol("check", "--json", *names).stdout)["diagnostics"]
    assert len(told) == len(run["results"]) > 150
    for diagnostic, result in zip(told, run["results"], strict=True):
        place = result["locations"][0]["physicalLocation"]
        assert (result["ruleId"], result["level"]) == (diagnostic["code"], diagnostic["severity"])
        assert place["artifactLocation"] == {"uri": diagnostic["file"], "uriBaseId": "%SRCROOT%"}
        region = [diagnostic[name] for name in ("line", "column", "end_line", "end_column")]
        assert list(place["region"].values()) == ([1] if region[0] is None else region)
        hint = "" if diagnostic["hint"] is None else f"\nhint: {diagnostic['hint']}"
        assert read_as_sarif(result["message"]["text"]) == visible(diagnostic["message"] + hint)
    assert (run["tool"]["driver"]["version"], code) == (__version__, 1)


def test_nothing_is_wrong(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "one.aol").write_text("const N = 1\n")
    run, code = log_of(arrayol, "one.aol")
    assert (run["results"], run["tool"]["driver"]["rules"], code) == ([], [], 0)


def test_places(arrayol: CommandLine, tmp_path: Path) -> None:
    """Columns count characters, names of files are escaped, and what has no line stands at the first one."""
    folder = tmp_path / "my specs"
    folder.mkdir()
    (folder / "é.aol").write_text("const A = B\n", encoding="utf-8")
    (tmp_path / "astral.aol").write_text('import "\U0001f600.aol" const A = B\n', encoding="utf-8")
    run, _ = log_of(arrayol, "my specs/é.aol", "astral.aol", str(tmp_path / "gone.aol"))
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    uris = [place["artifactLocation"] for place in places]
    assert uris[0] == {"uri": "my%20specs/%C3%A9.aol", "uriBaseId": "%SRCROOT%"}
    assert uris[-1] == {"uri": (tmp_path / "gone.aol").as_uri()}
    assert places[-1]["region"] == {"startLine": 1}
    missing, unknown = places[1]["region"], places[2]["region"]
    assert missing == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 15}
    assert unknown == {"startLine": 1, "startColumn": 26, "endLine": 1, "endColumn": 27}


def test_braces_and_brackets_of_a_message(arrayol: CommandLine, tmp_path: Path) -> None:
    """In SARIF {0} would be a placeholder, and [N](...) a link."""
    (tmp_path / "open.aol").write_text("elementary copy(a: u8) -> (b: u8) {\n  b = a\n")
    run, _ = log_of(arrayol, "open.aol")
    text = run["results"][0]["message"]["text"]
    assert text.startswith("'{{' of line 1 is never closed in elementary 'copy'; ")
    assert text.endswith("\nhint: close it with '}}'")
    (tmp_path / "pairs.aol").write_text(
        "elementary pairs[N](x: u8[2 * N]) -> (y: u8[N]) {\n  y[k] = x[2 * k]  for k in 0..N\n}\n"
        "task t(x: u8[8]) -> (y: u8[4]) {\n  y = pairs(x)\n}\n"
    )
    run, _ = log_of(arrayol, "pairs.aol")
    assert any("pairs\\[N\\](...)" in result["message"]["text"] for result in run["results"])


def test_one_form_at_a_time(arrayol: CommandLine) -> None:
    done = arrayol("check", "--json", "--format", "sarif", "one.aol")
    assert done.stderr.endswith("\n\nError: --json and --format sarif exclude each other.\n")
    assert done.returncode == 2


def test_a_mistake_of_a_file_that_two_import_is_there_once(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "wrong.aol").write_text("const N = M\n")
    for name in ("one.aol", "two.aol"):
        (tmp_path / name).write_text('import "wrong.aol"\n')
    run, _ = log_of(arrayol, "one.aol", "two.aol")
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert uris == ["wrong.aol"]
