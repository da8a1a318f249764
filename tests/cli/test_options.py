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
    assert received == {"spec": Path("a.aol"), "settings": {"W": "4", "A": "0.5"}, "top": "hflr", "as_json": True}


@pytest.mark.parametrize(
    ("text", "settings"), [(" W = 4 ", {"W": "4"}), ("A=1 - 0.5", {"A": "1 - 0.5"}), ("W==4", {"W": "=4"})]
)
def test_blanks_around_the_sign_are_no_matter(text: str, settings: dict[str, str]) -> None:
    assert given("a.aol", "--set", text)[0]["settings"] == settings


@pytest.mark.parametrize("text", ["W", "=3", "3W=1", "W=", "W= ", "W-H=1", ""])
def test_malformed_settings(text: str) -> None:
    received, result = given("a.aol", "--set", text)
    assert (received, result.exit_code) == ({}, 2)
    assert f"'{text}' is not NAME=VALUE, as in W=640 or A=0.5." in result.output
