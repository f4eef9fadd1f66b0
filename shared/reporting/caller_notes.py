"""What a simulated caller did that its scenario does not have, in one line for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from shared.reporting.schema import AttemptResult, CallerFidelityReport, StrayFactReport


def caller_notes(row: AttemptResult) -> Iterator[str]:
    """One line about a row whose caller left its part, none about any other."""
    fidelity = row.caller_fidelity
    findings = [] if fidelity is None else list(_findings(fidelity))
    if findings:
        yield f"{row.attempt.key}: its caller {', '.join(findings)}"


def _findings(fidelity: CallerFidelityReport) -> Iterator[str]:
    if fidelity.never_spoke:
        yield "was never heard"
    if fidelity.drifted_into_assistant_role:
        yield "took the assistant's part"
    if fidelity.contradicted_facts:
        yield f"named {' and '.join(map(_said, fidelity.contradicted_facts))} of its own"
    if fidelity.planned_interruptions_missed:
        missed, planned = fidelity.planned_interruptions_missed, fidelity.planned_interruptions
        yield f"left out {missed} of {planned} planned interruptions"


def _said(fact: StrayFactReport) -> str:
    return f'"{fact.said}" at {fact.at_ms / 1_000:.1f} s'
