"""What the shared options hand to a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from arrayol.cli.options import json_option, set_option, spec_argument, top_option


def given(*arguments: str) -> tuple[dict[str, Any], Result]:
    """The values that a command with all shared options receives."""
    received: dict[str, Any] = {}

    @click.command()
    @spec_argument
    @set_option
    @top_option
    @json_option
    def command(**values: object) -> None:
        received.update(values)

    return received, CliRunner().invoke(command, arguments)


def test_without_options() -> None:
    received, result = given("nowhere.aol")
    assert result.exit_code == 0
    assert received == {"spec": Path("nowhere.aol"), "settings": {}, "top": None, "as_json": False}


def test_with_all_options() -> None:
    received, _ = given("a.aol", "--set", "W=4", "--top", "hflr", "--json", "--set", "A=0.5")
    assert received == {"spec": Path("a.aol"), "settings": {"W": 4, "A": 0.5}, "top": "hflr", "as_json": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [("640", 640), ("-4", -4), ("+4", 4), ("0.25", 0.25), ("-1e-3", -0.001), ("2E2", 200.0), ("true", True)],
)
def test_values_keep_their_kind(text: str, value: float | bool) -> None:
    received, _ = given("a.aol", "--set", f"A={text}")
    assert received["settings"] == {"A": value}
    assert type(received["settings"]["A"]) is type(value)


def test_blanks_around_the_sign_are_no_matter() -> None:
    assert given("a.aol", "--set", " W = 4 ")[0]["settings"] == {"W": 4}


@pytest.mark.parametrize(
    "text", ["W", "=3", "3W=1", "W=", "W=abc", "W=1.", "W=.5", "W=1e999", "W=nan", "W==1", "W=1_0", "W=" + "9" * 5000]
)
def test_malformed_settings(text: str) -> None:
    received, result = given("a.aol", "--set", text)
    assert (received, result.exit_code) == ({}, 2)
    assert f"'{text}' is not NAME=NUMBER, as in W=640 or A=0.5." in " ".join(result.output.split())
