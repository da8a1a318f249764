"""What tests of pages share."""

from __future__ import annotations

import pytest
from manual import Agree, Block, replace, timeless


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Agree:
    """Compare a block with what is true; `--update-golden` puts that in the page instead."""

    def compare(block: Block, text: str) -> None:
        if not request.config.getoption("--update-golden"):
            assert timeless(text) == timeless(block.text)
        elif timeless(text) != timeless(block.text):  # seconds alone are no reason to touch a page
            replace(block, text)

    return compare
