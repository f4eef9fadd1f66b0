"""How CRAWL and WALK perform: the caller's request over a line to an assistant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from assistants.catalog import FarEnd, factory_for
from assistants.frontend.fixture.library import NamedScript
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript, acknowledging_script, resolve
from assistants.frontend.fixture.voice import assistant_voice
from assistants.suite.detectors import second_for_assistant
from assistants.suite.plan import Plan
from assistants.suite.suite import RequestCaller
from shared.attempts.attempt import Attempt
from shared.attempts.cancellation import Cancellation
from shared.audio.detection.energy_v1 import EnergyV1
from shared.intervals import Interval
from shared.observability.trace import Trace
from shared.participant import Monitor
from shared.single_turn.play import OpenedLine, SingleTurn
from shared.single_turn.session import SpokenRequest


@contextmanager
def single_turns(
    plan: Plan, cancellation: Cancellation, monitor: Monitor | None
) -> Iterator[SingleTurn]:
    """Perform the single turns of a plan."""
    settings, caller = plan.settings, cast("RequestCaller", plan.caller)
    scripts = {planned.attempt.key: planned.script for planned in plan.attempts}
    open_assistant = factory_for(settings.text("assistant_mode"))

    def line_for(attempt: Attempt, request: SpokenRequest, trace: Trace) -> OpenedLine:
        script = _resolved(scripts[attempt.key], request)
        far_end = _far_end(plan, attempt, script)
        brief = attempt.scenario.for_assistant()
        return OpenedLine(
            lambda clock: open_assistant(plan.kit, brief, far_end, clock, trace),
            None if script is None else f"{script.to_json()}\n",
        )

    yield SingleTurn(
        detector=EnergyV1(),
        request_for=caller.request_for,
        line_for=line_for,
        audio_source=caller.source,
        timeout_ms=round(settings.number("response_timeout_seconds") * 1000),
        is_virtual=plan.is_virtual,
        cancellation=cancellation,
        monitor=monitor,
        second_detector=second_for_assistant(settings),
    )


def _resolved(script: NamedScript | None, request: SpokenRequest) -> ResolvedScript | None:
    """Put the script on the caller's track, where its speech truly starts and ends."""
    if script is None:
        return None
    extent = request.track.voiced.extent or Interval(0, 1)
    if script.script is None:
        return acknowledging_script(extent, request.text)
    return resolve(script.script, extent, request.text)


def _far_end(plan: Plan, attempt: Attempt, script: ResolvedScript | None) -> FarEnd:
    if plan.endpoint is not None:
        return plan.endpoint
    # A constant epoch: an offline run knows no date, so that it repeats to the byte.
    return FixtureMachine(
        voice=assistant_voice(), session_name=attempt.key, epoch_s=0, script=script
    )
