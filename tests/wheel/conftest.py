"""One build and one installation for all of these tests, whichever worker runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.once import once
from tests.support.shipping import Room, Shipped, ship


@pytest.fixture(scope="session")
def shipped(of_all_workers: Path) -> Shipped:
    return Shipped(once(of_all_workers / "shipped", ship))


@pytest.fixture
def room(shipped: Shipped, tmp_path: Path) -> Room:
    return Room.furnished(shipped, tmp_path / "room")
