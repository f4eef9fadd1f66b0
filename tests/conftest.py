"""Settings of every test: property tests have no deadline, because a busy machine is no defect."""

from __future__ import annotations

from hypothesis import Phase, settings

settings.register_profile("steady", deadline=None, print_blob=True)
# A mutant lives or dies by the same examples every time, and nobody reads how it died.
settings.register_profile(
    "mutation",
    deadline=None,
    derandomize=True,
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),
    report_multiple_bugs=False,
)
settings.load_profile("steady")
