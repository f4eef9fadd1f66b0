"""Where a credential cannot be masked it is refused: names of files, patterns, fixed words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from assistants.resources import ApplicationResources
from shared.errors import DatasetError, UsageError
from shared.observability.redaction import Masker
from shared.observability.sealing import conceal
from shared.scenarios import Scenario
from shared.values import JsonValue

LONGEST_KEY_BYTES = 200


def refuse_credentials(
    scenarios: Iterable[Scenario],
    keys: Iterable[str],
    application: ApplicationResources,
    run_name: str,
    secrets: Sequence[str],
) -> None:
    """Raise before anything is made when a placeholder could not stand for a credential."""
    masker = Masker(secrets)
    _refuse_in_application(application, masker)
    if masker.prose(run_name) != run_name:
        raise UsageError("--run-name: it holds a credential; choose another name")
    faults = []
    for scenario in scenarios:
        try:
            conceal(scenario, secrets)
        except UsageError as error:
            faults.append(str(error))
    if faults:
        raise DatasetError(faults)
    for key in keys:
        if masker.prose(key) != key:
            raise UsageError(f"{masker.prose(key)}: a script's name is a credential; rename it")
        if len(os.fsencode(key)) > LONGEST_KEY_BYTES:
            raise UsageError(f"{key}: too long to name files by; shorten the id or the script name")


def _refuse_in_application(application: ApplicationResources, masker: Masker) -> None:
    phrases = application.phrases
    fixed: list[JsonValue] = [
        [str(tool["name"]) for tool in application.tools],
        [[*rule.tools, *rule.patterns] for rule in phrases.confirmations],
        list(phrases.refusal_patterns),
    ]
    if masker.texts(fixed) != fixed:
        raise UsageError(
            f"--application: {masker.prose(application.name)}: a tool's name or a phrase is a"
            " credential (perhaps the value of an environment variable); change one"
        )
