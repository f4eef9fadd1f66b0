"""What a row says of a simulated caller: was it fit to call, and did it do its part?"""

from __future__ import annotations

from shared.grading.assessment import Observed
from shared.grading.fidelity import caller_fidelity
from shared.grading.validity import caller_validity
from shared.observability.evidence import Evidence
from shared.plain_text import shortened
from shared.reporting.procedure import LONGEST_REASON
from shared.reporting.schema import CallerFidelityReport, StrayFactReport
from shared.scenarios import Scenario


def validity_report(evidence: Evidence) -> dict[str, object] | None:
    """Of a caller with a session of its own; nothing of another."""
    if not evidence.caller_observations:
        return None
    return dict(caller_validity(evidence).as_json())


def fidelity_report(
    evidence: Evidence, scenario: Scenario, observed: Observed | None
) -> CallerFidelityReport | None:
    """Of a caller with a session of its own whose conversation began; nothing of another."""
    if observed is None or not evidence.caller_observations:
        return None
    timeline = observed.timeline
    found = caller_fidelity(
        scenario,
        evidence.caller.voiced,
        timeline.caller_turns,
        timeline.assistant_turns,
        evidence.decisions,
    )
    drifted_ms, stray = found.out_of_role_ms, found.stray_facts
    return CallerFidelityReport(
        never_spoke=found.is_silent,
        drifted_into_assistant_role=None if drifted_ms is None else bool(drifted_ms),
        drifted_at_ms=list(drifted_ms or ()),
        contradicted_facts=None
        if stray is None
        else [
            StrayFactReport(at_ms=one.start_ms, said=shortened(one.said, LONGEST_REASON))
            for one in stray
        ],
        planned_interruptions=found.planned_interruptions,
        planned_interruptions_missed=found.missed_interruptions,
        interruptions_at_ms=list(found.interruptions_ms),
    )
