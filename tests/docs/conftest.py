"""What tests of pages share."""

from __future__ import annotations

import pytest
from manual import Agree, Block, replace


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Agree:
    """Compare a block with what is true; `--update-golden` puts that in the page instead."""

    def compare(block: Block, text: str) -> None:
        if request.config.getoption("--update-golden"):
            replace(block, text)
        else:
            assert text == block.text

    return compare
