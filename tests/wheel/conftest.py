"""One build and one installation for all of these tests, whichever worker runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.shipping import Room, Shipped, once, ship


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Shipped:
    place = tmp_path_factory.getbasetemp()
    of_all_workers = place if worker_id == "master" else place.parent
    return Shipped(once(of_all_workers / "shipped", ship))


@pytest.fixture
def room(shipped: Shipped, tmp_path: Path) -> Room:
    return Room.furnished(shipped, tmp_path / "room")
