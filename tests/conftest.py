"""Settings of every test: property tests have no deadline, because a busy machine is no defect."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", deadline=None, print_blob=True)
settings.load_profile("steady")
