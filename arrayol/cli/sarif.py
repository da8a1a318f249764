"""What `check` found as a log in SARIF 2.1.0, the format of static analysis that code hosts and editors read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arrayol import __version__
from arrayol.errors import Diagnostic
from arrayol.source import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LINK = re.compile(r"\[([^\[\]]*)\]\(")  # as in pairs[N](...)


def sarif_log(found: Iterable[tuple[str, Diagnostic]]) -> dict[str, Any]:
    """A log with one run: diagnostics, each with the name of the file that was checked.

    A result stands at its span, lines and columns counted from 1 and columns in characters of Unicode, or else at the
    first line of the file that it is about. Relative names are relative to the current folder (`%SRCROOT%`).
    """
    rules: dict[str, dict[str, Any]] = {}
    results: list[dict[str, Any]] = []
    for name, diagnostic in found:
        rule = rules.setdefault(diagnostic.code, {**_rule(diagnostic), "index": len(rules)})
        results.append(_result(name, diagnostic, rule["index"]))
    driver = {
        "name": "arrayol",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [{key: value for key, value in rule.items() if key != "index"} for rule in rules.values()],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(diagnostic: Diagnostic) -> dict[str, Any]:
    """A kind of mistake. GitHub shows nothing of a rule without these texts."""
    words = diagnostic.code.replace("-", " ")
    return {
        "id": diagnostic.code,
        "shortDescription": {"text": f"{words[0].upper()}{words[1:]}."},
        "fullDescription": {"text": f"{words[0].upper()}{words[1:]}, in a specification in Array-OL or what it reads."},
        "help": {"text": f"The section {diagnostic.code} of arrayol's docs/errors.md has the reason and the remedy."},
        "defaultConfiguration": {"level": diagnostic.severity.value},
    }


def _result(name: str, diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    text = diagnostic.message if diagnostic.hint is None else f"{diagnostic.message}\nhint: {diagnostic.hint}"
    place = {"artifactLocation": _artifact(_file(name, diagnostic)), "region": _region(diagnostic)}
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": diagnostic.severity.value,
        "message": {"text": _literal(visible(text))},
        "locations": [{"physicalLocation": place}],
    }


def _file(name: str, diagnostic: Diagnostic) -> str:
    if diagnostic.span is not None:
        return diagnostic.span.file.name
    return diagnostic.file or name


def _region(diagnostic: Diagnostic) -> dict[str, int]:
    """The span; columns end after the last character. GitHub refuses a result without a line."""
    if diagnostic.span is None:
        return {"startLine": 1}
    (_, line, column), (end_line, end_column) = diagnostic.span.place, diagnostic.span.end_place
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _artifact(name: str) -> dict[str, str]:
    path = Path(name)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": "%SRCROOT%"}


def _literal(text: str) -> str:
    """A message as SARIF writes it: doubled braces are no placeholders, and escaped brackets no links."""
    return _LINK.sub(r"\\[\1\\](", text.replace("{", "{{").replace("}", "}}"))
