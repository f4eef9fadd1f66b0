"""The oracle alone, held against the worked examples and single sentences of the documents."""

from typing import Any

import pytest

from tests.oracle.interaction_oracle import measure

POLICY = {"response_deadline_ms": 5000, "yield_window_ms": 2000, "backchannel_window_ms": 1000}

type Spans = list[tuple[int, int]]


def run(
    extent: int,
    *,
    caller: Spans | None = None,
    assistant: Spans | None = None,
    utterances: list[tuple[int, int, str]] | None = None,
    work: list[dict[str, Any]] | None = None,
    is_cut: bool = False,
    **policy: int,
) -> dict[str, Any]:
    """Measure one conversation; without annotations every caller span is a SPEAK of its own."""
    caller = caller or []
    if utterances is None:
        utterances = [(start, end, "SPEAK") for start, end in caller]
    conversation = {
        "extent_ms": extent,
        "is_cut": is_cut,
        "caller": caller,
        "assistant": assistant or [],
        "utterances": utterances,
        "work": work or [],
    }
    return measure(conversation, {**POLICY, **policy})


def outcomes(result: dict[str, Any]) -> list[tuple[str, str, int | None]]:
    return [(turn["outcome"], turn["reason"], turn["latency_ms"]) for turn in result["turns"]]


# events of work


def delegation(
    at: int, d: str = "d", target: str = "responses", response: str | None = None
) -> dict[str, Any]:
    return {
        "kind": "delegation_began",
        "at_ms": at,
        "delegation_id": d,
        "target": target,
        "response_id": response,
    }


def began(
    at: int, r: str = "r", d: str | None = None, previous: str | None = None
) -> dict[str, Any]:
    return {
        "kind": "response_began",
        "at_ms": at,
        "response_id": r,
        "delegation_id": d,
        "previous_response_id": previous,
    }


def called(
    at: int, c: str = "c", r: str | None = "r", d: str | None = None, name: str = "look_up"
) -> dict[str, Any]:
    return {
        "kind": "tool_called",
        "at_ms": at,
        "call_id": c,
        "name": name,
        "response_id": r,
        "delegation_id": d,
    }


def returned(at: int, c: str = "c", name: str = "look_up") -> dict[str, Any]:
    return {"kind": "tool_returned", "at_ms": at, "call_id": c, "name": name}


def continued(at: int, r: str = "r", d: str | None = None) -> dict[str, Any]:
    return {"kind": "work_continued", "at_ms": at, "response_id": r, "delegation_id": d}


def ended(at: int, r: str = "r", d: str | None = None, status: str = "completed") -> dict[str, Any]:
    return {
        "kind": "response_ended",
        "at_ms": at,
        "response_id": r,
        "delegation_id": d,
        "status": status,
    }


def case(sentence: str, *values: object) -> Any:
    return pytest.param(*values, id=sentence)


# response rate


def test_one_answer_and_then_89_seconds_of_silence_is_one_half() -> None:
    result = run(4000 + 89_000, caller=[(0, 1000), (3000, 4000)], assistant=[(1500, 2500)])
    assert result["response_rate"] == (1, 2)
    assert outcomes(result) == [
        ("answered", "response_received", 500),
        ("missed", "deadline_expired", None),
    ]


def test_a_20_ms_tail_censors_the_last_request() -> None:
    result = run(4020, caller=[(0, 1000), (3000, 4000)], assistant=[(1500, 2500)])
    assert result["response_rate"] == (1, 1)
    assert result["response_censored_count"] == 1
    assert outcomes(result)[1] == ("censored", "observation_ended_before_deadline", None)


ONE_REQUEST = [
    case(
        "audio in the millisecond of the request's end is an answer without delay",
        1000,
        ("answered", "response_received", 0),
    ),
    case("audio exactly at the deadline is timely", 6000, ("answered", "response_received", 5000)),
    case(
        "audio one millisecond past the deadline is late and does not undo the miss",
        6001,
        ("missed", "deadline_expired", 5001),
    ),
]


@pytest.mark.parametrize(("audio_at", "expected"), ONE_REQUEST)
def test_first_audio(audio_at: int, expected: tuple[str, str, int]) -> None:
    result = run(20_000, caller=[(500, 1000)], assistant=[(audio_at, audio_at + 300)])
    assert outcomes(result) == [expected]
    assert result["response_late_count"] == (1 if expected[0] == "missed" else 0)
    assert result["late_response_latencies_ms"] == ([5001] if expected[0] == "missed" else [])


OBSERVATION_ENDS = [
    case(
        "observation ending exactly at the deadline is a miss",
        6000,
        False,
        ("missed", "deadline_expired", None),
    ),
    case(
        "observation ending a millisecond before the deadline censors",
        5999,
        False,
        ("censored", "observation_ended_before_deadline", None),
    ),
    case(
        "a lost socket censors a last request whose silence ran past the deadline",
        9000,
        True,
        ("censored", "connection_lost", None),
    ),
    case(
        "a lost socket exactly at the deadline censors for the lost connection",
        6000,
        True,
        ("censored", "connection_lost", None),
    ),
    case(
        "a lost socket before the deadline is an observation that ended",
        5999,
        True,
        ("censored", "observation_ended_before_deadline", None),
    ),
]


@pytest.mark.parametrize(("extent", "is_cut", "expected"), OBSERVATION_ENDS)
def test_the_end_of_observation(
    extent: int, is_cut: bool, expected: tuple[str, str, int | None]
) -> None:
    assert outcomes(run(extent, caller=[(500, 1000)], is_cut=is_cut)) == [expected]


def test_a_lost_socket_leaves_earlier_requests_and_answers_alone() -> None:
    result = run(
        30_000,
        caller=[(0, 1000), (9000, 9500), (20_000, 20_500)],
        assistant=[(20_600, 20_700)],
        is_cut=True,
    )
    assert [turn["outcome"] for turn in result["turns"]] == ["missed", "missed", "answered"]


def test_a_lost_socket_keeps_a_miss_that_late_audio_proves() -> None:
    result = run(30_000, caller=[(0, 1000)], assistant=[(9000, 9100)], is_cut=True)
    assert outcomes(result) == [("missed", "deadline_expired", 8000)]


def test_a_lost_socket_censors_the_last_request_although_a_backchannel_follows() -> None:
    result = run(
        30_000,
        caller=[(0, 1000), (3000, 3200)],
        utterances=[(0, 1000, "SPEAK"), (3000, 3200, "BACKCHANNEL")],
        is_cut=True,
    )
    assert outcomes(result)[0] == ("censored", "connection_lost", None)


def test_audio_exactly_at_the_next_request_start_answers_the_earlier_one_only() -> None:
    result = run(20_000, caller=[(0, 1000), (3000, 4000)], assistant=[(3000, 3500)])
    assert outcomes(result) == [
        ("answered", "response_received", 2000),
        ("missed", "deadline_expired", None),
    ]


def test_audio_after_the_next_request_start_answers_the_later_one_only() -> None:
    result = run(20_000, caller=[(0, 1000), (3000, 4000)], assistant=[(4200, 4500)])
    assert outcomes(result) == [
        ("missed", "next_eligible_request", None),
        ("answered", "response_received", 200),
    ]


def test_late_audio_exactly_at_the_next_request_start_is_late_for_the_earlier_one() -> None:
    result = run(30_000, caller=[(0, 1000), (8000, 9000)], assistant=[(8000, 8300)])
    assert outcomes(result) == [
        ("missed", "deadline_expired", 7000),
        ("missed", "deadline_expired", None),
    ]
    assert result["late_response_latencies_ms"] == [7000]


def test_audio_after_the_next_request_start_is_not_late_audio_of_the_earlier_one() -> None:
    result = run(30_000, caller=[(0, 1000), (8000, 9000)], assistant=[(9100, 9300)])
    assert outcomes(result)[0] == ("missed", "deadline_expired", None)
    assert result["response_late_count"] == 0


def test_a_next_request_exactly_at_the_deadline_leaves_the_deadline_as_the_reason() -> None:
    assert outcomes(run(30_000, caller=[(0, 1000), (6000, 7000)]))[0] == (
        "missed",
        "deadline_expired",
        None,
    )


def test_a_next_request_closes_the_earlier_one_even_when_observation_ends_before_its_deadline() -> (
    None
):
    result = run(3000, caller=[(0, 1000), (2000, 2500)])
    assert [turn["outcome"] for turn in result["turns"]] == ["missed", "censored"]


@pytest.mark.parametrize(
    ("second_start", "first_outcome"),
    [
        case("a request beginning exactly at this one's end is the next one", 1000, "missed"),
        case("a request beginning a millisecond earlier is not the next one", 999, "answered"),
    ],
)
def test_overlapping_requests(second_start: int, first_outcome: str) -> None:
    result = run(
        20_000,
        caller=[(0, 1500)],
        assistant=[(1600, 2000)],
        utterances=[(0, 1000, "SPEAK"), (second_start, 1500, "SPEAK")],
    )
    assert [turn["outcome"] for turn in result["turns"]] == [first_outcome, "answered"]


def test_a_backchannel_between_does_not_close_the_opportunity() -> None:
    result = run(
        20_000,
        caller=[(0, 1000), (2000, 2200)],
        assistant=[(3000, 4000)],
        utterances=[(0, 1000, "SPEAK"), (2000, 2200, "BACKCHANNEL")],
    )
    assert outcomes(result) == [
        ("answered", "response_received", 2000),
        ("excluded", "backchannel", None),
    ]
    assert result["response_exclusion_reasons"] == {"backchannel": 1}
    assert result["turns"][1]["deadline_at_ms"] is None


def test_a_named_farewell_is_excluded_as_caller_closing() -> None:
    result = run(20_000, caller=[(0, 1000)], utterances=[(0, 1000, "STOP")])
    assert result["response_exclusion_reasons"] == {"caller_closing": 1}
    assert result["response_rate"] == (0, 0)


SPOKEN_THROUGH = [
    case("a segment over the request's end excludes it", (500, 1200), True),
    case("a segment ending exactly at the request's end excludes it", (500, 1000), True),
    case(
        "a segment ending a millisecond before the request's end does not exclude it",
        (500, 999),
        False,
    ),
    case("a segment beginning exactly at the request's end answers it", (1000, 1200), False),
]


@pytest.mark.parametrize(("segment", "is_excluded"), SPOKEN_THROUGH)
def test_assistant_active_at_request_end(segment: tuple[int, int], is_excluded: bool) -> None:
    result = run(20_000, caller=[(0, 1000)], assistant=[segment])
    assert (result["turns"][0]["reason"] == "assistant_active_at_request_end") == is_excluded


def test_touching_segments_are_one_and_cover_the_request_end() -> None:
    result = run(20_000, caller=[(0, 1000)], assistant=[(800, 1000), (1000, 1500)])
    assert result["turns"][0]["reason"] == "assistant_active_at_request_end"


def test_the_request_end_is_the_last_voiced_instant_and_not_the_annotation_end() -> None:
    result = run(
        20_000,
        caller=[(100, 400), (600, 900)],
        assistant=[(1000, 1100)],
        utterances=[(0, 5000, "SPEAK")],
    )
    turn = result["turns"][0]
    assert (turn["start_ms"], turn["end_ms"], turn["latency_ms"], turn["user_speech_ms"]) == (
        100,
        900,
        100,
        600,
    )


def test_an_annotation_without_sound_opens_no_opportunity() -> None:
    result = run(20_000, caller=[(100, 200)], utterances=[(0, 300, "SPEAK"), (300, 900, "SPEAK")])
    assert result["caller_turn_count"] == 1


def test_the_counts_add_up() -> None:
    result = run(
        30_000,
        caller=[(0, 500), (3000, 3300), (5000, 6000), (9000, 9300), (28_000, 29_000)],
        assistant=[(700, 900), (5500, 6500)],
        utterances=[
            (0, 500, "OPENING"),
            (3000, 3300, "BACKCHANNEL"),
            (5000, 6000, "SPEAK"),
            (9000, 9300, "INTERRUPT"),
            (28_000, 29_000, "SPEAK"),
        ],
    )
    assert result["response_total"] == result["response_count"] + result["no_response_count"] == 2
    assert (
        result["response_eligible_count"]
        == result["response_total"] + result["response_censored_count"]
        == 3
    )
    assert (
        result["caller_turn_count"]
        == result["response_eligible_count"] + result["response_excluded_count"]
        == 5
    )
    assert result["response_latencies_ms"] == [200]


# interruptions


@pytest.mark.parametrize("shift", [0, 100])
def test_segments_on_either_side_of_the_caller_neither_interrupt_nor_are_yielded(
    shift: int,
) -> None:
    result = run(
        2000,
        caller=[(350 + shift, 370 + shift)],
        assistant=[(200 + shift, 220 + shift), (580 + shift, 600 + shift)],
    )
    assert result["interruption_count"] == 0
    assert result["yield_rate"] == (0, 0)
    assert result["turns"][0]["overlap_ms"] == 0


INTERRUPTIONS = [
    case("a start strictly inside the voice is an interruption", [(400, 500)], [400]),
    case("a start exactly at the request's start is none", [(0, 100)], []),
    case("a start one millisecond after the request's start is one", [(1, 100)], [1]),
    case("a start exactly at the request's end is none", [(2000, 2100)], []),
    case("a start in a pause counts once the caller resumes under it", [(1100, 1600)], [1100]),
    case("a start in a pause that ends before the caller resumes is none", [(1100, 1500)], []),
    case(
        "a start in a pause that shares one millisecond with the caller counts",
        [(1100, 1501)],
        [1100],
    ),
    case(
        "every start counts however short the gap between them",
        [(400, 500), (501, 600), (602, 700)],
        [400, 501, 602],
    ),
    case("touching spans are one start", [(400, 500), (500, 600)], [400]),
    case("an assistant already speaking does not interrupt", [(-100, 500)], []),
    case(
        "a start that talks past the request's end excludes the request and counts nowhere",
        [(1800, 2500)],
        [],
    ),
]


@pytest.mark.parametrize(("assistant", "expected"), INTERRUPTIONS)
def test_interruption(assistant: Spans, expected: list[int]) -> None:
    result = run(
        20_000,
        caller=[(0, 1000), (1500, 2000)],
        assistant=assistant,
        utterances=[(0, 2000, "SPEAK")],
    )
    assert result["turns"][0]["interruption_starts_ms"] == expected
    assert result["interruption_count"] == len(expected)


def test_an_interrupted_backchannel_is_no_interruption() -> None:
    result = run(
        9000, caller=[(0, 1000)], assistant=[(400, 500)], utterances=[(0, 1000, "BACKCHANNEL")]
    )
    assert result["interruption_rate"] == (0, 0)


def test_a_start_under_two_overlapping_utterances_counts_once_for_the_earlier() -> None:
    result = run(
        9000,
        caller=[(0, 1500)],
        assistant=[(600, 700), (1200, 1300)],
        utterances=[(500, 1500, "SPEAK"), (0, 1000, "SPEAK")],
    )
    assert [turn["interruption_starts_ms"] for turn in result["turns"]] == [[600], [1200]]
    assert result["interruption_rate"] == (2, 2)


def test_a_start_under_an_excluded_and_an_eligible_utterance_counts_for_the_eligible() -> None:
    result = run(
        9000,
        caller=[(0, 1500)],
        assistant=[(600, 700)],
        utterances=[(0, 700, "SPEAK"), (500, 1500, "SPEAK")],
    )
    assert [turn["interruption_starts_ms"] for turn in result["turns"]] == [[], [600]]


# yields, backchannels


YIELDS = [
    case(
        "a cue exactly at the assistant's end with INTERRUPT is a yield without delay",
        "INTERRUPT",
        (100, 1000),
        ("yielded", 0),
    ),
    case(
        "a cue exactly at the assistant's end without INTERRUPT is no exposure",
        "SPEAK",
        (100, 1000),
        None,
    ),
    case(
        "a gap of one millisecond is no exposure even with INTERRUPT", "INTERRUPT", (100, 999), None
    ),
    case("speech beginning together is no exposure", "INTERRUPT", (1000, 1500), None),
    case(
        "speech beginning one millisecond before the caller is exposure",
        "SPEAK",
        (999, 1500),
        ("yielded", 500),
    ),
    case("an end exactly at the window is a yield", "SPEAK", (100, 3000), ("yielded", 2000)),
    case(
        "an end one millisecond past the window is none", "SPEAK", (100, 3001), ("no_yield", 2001)
    ),
    case("an opening can be exposed too", "OPENING", (100, 1500), ("yielded", 500)),
    case("a farewell is ignored", "STOP", (100, 1500), None),
    case("a backchannel does not ask for a yield", "BACKCHANNEL", (100, 1500), None),
]


@pytest.mark.parametrize(("action", "segment", "expected"), YIELDS)
def test_yield(action: str, segment: tuple[int, int], expected: tuple[str, int] | None) -> None:
    result = run(
        20_000, caller=[(1000, 4000)], assistant=[segment], utterances=[(900, 4100, action)]
    )
    assert result["turns"][0]["yield"] == expected
    assert result["yield_rate"] == (
        int(expected is not None and expected[0] == "yielded"),
        int(expected is not None),
    )
    assert result["yield_latencies_ms"] == (
        [expected[1]] if expected and expected[0] == "yielded" else []
    )


def test_a_segment_cut_off_by_the_end_of_observation_ends_there() -> None:
    result = run(1500, caller=[(1000, 1200)], assistant=[(100, 9000)])
    assert result["turns"][0]["yield"] == ("yielded", 500)


def test_a_segment_reaching_back_before_the_observation_began_with_it() -> None:
    result = run(5000, caller=[(0, 1000)], assistant=[(-500, 300)])
    assert result["turns"][0]["yield"] is None


BACKCHANNELS = [
    case(
        "an assistant running past the caller's end continued",
        "BACKCHANNEL",
        (100, 1201),
        "continued",
    ),
    case(
        "an assistant stopping exactly at the caller's end yielded falsely",
        "BACKCHANNEL",
        (100, 1200),
        "false_yield",
    ),
    case("an assistant that was silent was not tested", "BACKCHANNEL", (100, 1000), None),
    case("a request is no backchannel", "SPEAK", (100, 1500), None),
]


@pytest.mark.parametrize(("action", "segment", "expected"), BACKCHANNELS)
def test_backchannel(action: str, segment: tuple[int, int], expected: str | None) -> None:
    result = run(
        9000, caller=[(1000, 1200)], assistant=[segment], utterances=[(1000, 1200, action)]
    )
    assert result["turns"][0]["backchannel"] == expected
    assert result["backchannel_rate"] == (int(expected == "continued"), int(expected is not None))


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        case("lasting the whole window under a long backchannel continued", 2000, "continued"),
        case(
            "lasting a millisecond less than the window under a long backchannel is a false yield",
            1999,
            "false_yield",
        ),
    ],
)
def test_long_backchannel(end: int, expected: str) -> None:
    result = run(
        9000,
        caller=[(1000, 4000)],
        assistant=[(100, end)],
        utterances=[(1000, 4000, "BACKCHANNEL")],
    )
    assert result["turns"][0]["backchannel"] == expected


# speaking


SPEAKING = [
    case("a silence under a second stays in the turn", [], [(0, 100), (1099, 1199)], (200, 200)),
    case("a silence of exactly a second parts the turns", [], [(0, 100), (1100, 1300)], (300, 200)),
    case(
        "a caller in the silence parts the turns", [(300, 400)], [(0, 100), (600, 800)], (300, 200)
    ),
    case(
        "a caller up to exactly the first span's end does not part them",
        [(50, 100)],
        [(0, 100), (600, 800)],
        (300, 300),
    ),
    case(
        "a caller from exactly the second span's start does not part them",
        [(600, 700)],
        [(0, 100), (600, 800)],
        (300, 300),
    ),
    case(
        "a caller reaching one millisecond into the silence parts them",
        [(50, 101)],
        [(0, 100), (600, 800)],
        (300, 200),
    ),
    case("overlapping spans are counted once", [], [(0, 100), (50, 150)], (150, 150)),
    case("no speech is nothing", [], [], (0, 0)),
]


@pytest.mark.parametrize(("caller", "assistant", "expected"), SPEAKING)
def test_speaking(caller: Spans, assistant: Spans, expected: tuple[int, int]) -> None:
    speaking = run(5000, caller=caller, assistant=assistant)["speaking_ms"]
    assert (speaking["cumulative"], speaking["maximum"]) == expected


def test_the_assistant_speech_of_a_turn_runs_from_its_start_to_the_next_turn_of_any_kind() -> None:
    result = run(
        6000,
        caller=[(1000, 1500), (3000, 3200)],
        assistant=[(500, 1100), (2900, 3100), (5900, 7000)],
        utterances=[(1000, 1500, "SPEAK"), (3000, 3200, "BACKCHANNEL")],
    )
    first, second = result["turns"]
    assert (first["window_end_ms"], first["assistant_speech_ms"], first["overlap_ms"]) == (
        3000,
        200,
        100,
    )
    assert (second["window_end_ms"], second["assistant_speech_ms"], second["overlap_ms"]) == (
        6000,
        200,
        100,
    )


def test_overlapping_spans_of_the_caller_are_counted_once() -> None:
    assert (
        run(2000, caller=[(0, 300), (200, 500)], utterances=[(0, 600, "SPEAK")])["turns"][0][
            "user_speech_ms"
        ]
        == 500
    )


# delegated-work silence


WORK = [
    case(
        "a handoff from 150 to 450 is 300 ms",
        [delegation(150, response="r"), ended(450)],
        [[150, 450]],
    ),
    case(
        "a handoff from 150 to 190 is 40 ms",
        [delegation(150, response="r"), ended(190)],
        [[150, 190]],
    ),
    case("no work holds no floor", [], []),
    case("work begun and ended in one instant holds nothing", [began(300), ended(300)], []),
    case("what never ended runs to the end of observation", [began(300)], [[300, 1000]]),
    case("what begins exactly at the end of observation holds nothing", [began(1000)], []),
    case(
        "what ends beyond the observation holds to its end",
        [began(300), ended(4000)],
        [[300, 1000]],
    ),
    case(
        "a delegation is work before a response is bound to it",
        [delegation(100), began(200, d="d"), ended(300)],
        [[100, 300]],
    ),
    case("a delegation without a response never ends", [delegation(100)], [[100, 1000]]),
    case(
        "a response of no delegation does not bind one",
        [delegation(100), began(200), ended(300)],
        [[100, 1000]],
    ),
    case(
        "a call naming delegation and response binds them",
        [delegation(100), began(150), called(200, d="d"), ended(300, status="failed")],
        [[100, 300]],
    ),
    case(
        "a client delegation never ends",
        [delegation(100, target="client", response="r"), ended(200)],
        [[100, 1000]],
    ),
    case(
        "a response named by its delegation is open before it begins",
        [delegation(100, response="r"), began(200), ended(300)],
        [[100, 300]],
    ),
    case(
        "an end of something unknown ends nothing",
        [began(100), ended(200, "x"), returned(250, "y"), ended(300)],
        [[100, 300]],
    ),
    case(
        "an end that came before its response ends nothing", [ended(50), began(100)], [[100, 1000]]
    ),
    case(
        "a repeated beginning does not reopen", [began(100), ended(200), began(300)], [[100, 200]]
    ),
    case(
        "a delegation naming an ended response does not reopen it",
        [began(100, d="d"), ended(200), delegation(300, response="r")],
        [[100, 200]],
    ),
    case(
        "a repeated call does not reopen",
        [called(100, r=None), returned(200), called(300, r=None)],
        [[100, 200]],
    ),
    case(
        "a late second ending changes nothing",
        [began(100), called(120), ended(200), ended(250, status="failed"), returned(300)],
        [[100, 1000]],
    ),
    case(
        "completing one call does not clear another of the same name",
        [
            called(100, "c1", r=None),
            called(150, "c2", r=None),
            returned(200, "c1"),
            returned(400, "c2"),
        ],
        [[100, 400]],
    ),
    case(
        "the name of a returning call does not matter",
        [called(100, r=None, name="one"), returned(200, name="another")],
        [[100, 200]],
    ),
    case(
        "a returned call keeps its response at work until the follow-up begins",
        [
            began(100),
            called(150),
            ended(200),
            returned(300),
            continued(310),
            began(500, "r2", previous="r"),
            ended(600, "r2"),
        ],
        [[100, 600]],
    ),
    case(
        "a follow-up that names another response settles nothing",
        [
            began(100),
            began(110, "x"),
            called(150),
            ended(200),
            ended(210, "x"),
            returned(300),
            began(500, "r2", previous="x"),
            ended(600, "r2"),
        ],
        [[100, 1000]],
    ),
    case(
        "the next response of the delegation settles those sent back",
        [
            began(100, d="d"),
            called(150),
            ended(200),
            returned(300),
            continued(310),
            began(500, "r2", d="d"),
            ended(600, "r2"),
        ],
        [[100, 600]],
    ),
    case(
        "the next response of the delegation does not settle what was not sent back",
        [
            began(100, d="d"),
            called(150),
            ended(200),
            returned(300),
            began(500, "r2", d="d"),
            ended(600, "r2"),
        ],
        [[100, 1000]],
    ),
    case(
        "a follow-up naming an unknown response counts as the delegation's next",
        [
            began(100, d="d"),
            called(150),
            ended(200),
            returned(300),
            continued(310),
            began(500, "r2", d="d", previous="x"),
            ended(600, "r2"),
        ],
        [[100, 600]],
    ),
    case(
        "the next response of another delegation settles nothing",
        [
            began(100, d="d"),
            called(150),
            ended(200),
            returned(300),
            continued(310),
            began(500, "r2", d="e"),
            ended(600, "r2"),
        ],
        [[100, 1000]],
    ),
    case(
        "a failed response closes itself and its own calls",
        [
            began(100),
            called(150, "c1"),
            called(160, "c2"),
            returned(200, "c1"),
            ended(400, status="failed"),
        ],
        [[100, 400]],
    ),
    case(
        "an incomplete response closes its continuation",
        [began(100), called(150), returned(200), ended(400, status="incomplete")],
        [[100, 400]],
    ),
    case(
        "a failed response leaves another's call open",
        [
            began(100),
            began(110, "s"),
            called(150, "c", "s"),
            ended(300, status="failed"),
            ended(350, "s"),
            ended(360, "s", status="failed"),
        ],
        [[100, 1000]],
    ),
    case(
        "a failed response leaves a call that names no response open",
        [began(100), called(150, r=None), ended(300, status="failed"), returned(500)],
        [[100, 500]],
    ),
    case(
        "a call that returns after its response failed changes nothing",
        [began(100), called(150), ended(300, status="failed"), returned(500)],
        [[100, 300]],
    ),
    case(
        "a completed response leaves its call open",
        [
            began(100),
            called(150),
            ended(300),
            returned(500),
            began(500, "r2", previous="r"),
            ended(500, "r2"),
        ],
        [[100, 500]],
    ),
    case("work before the observation is work at its start", [began(-50), ended(70)], [[0, 70]]),
]


@pytest.mark.parametrize(("work", "expected"), WORK)
def test_work(work: list[dict[str, Any]], expected: list[list[int]]) -> None:
    result = run(1000, work=work)
    assert result["floor_hold_intervals_ms"] == expected
    assert result["floor_hold_ms"]["cumulative"] == sum(end - start for start, end in expected)


def test_voice_on_either_track_is_taken_out_of_the_handoff() -> None:
    result = run(
        1000,
        caller=[(100, 200), (250, 260)],
        assistant=[(255, 300), (700, 800)],
        utterances=[],
        work=[began(150), ended(750)],
    )
    assert result["floor_hold_intervals_ms"] == [[200, 250], [300, 700]]
    assert result["floor_hold_ms"] == {"cumulative": 450, "maximum": 400}


def test_work_that_follows_work_without_a_gap_is_one_silent_episode() -> None:
    result = run(1000, work=[began(100), ended(300), began(300, "s"), ended(450, "s")])
    assert result["floor_hold_ms"] == {"cumulative": 350, "maximum": 350}


# shape


def test_the_result_has_exactly_the_promised_parts() -> None:
    result = run(1000, caller=[(0, 100)])
    assert set(result) == {
        *("turns", "caller_turn_count", "response_count", "no_response_count", "response_total"),
        *(
            "response_censored_count",
            "response_eligible_count",
            "response_excluded_count",
            "response_late_count",
        ),
        *(
            "response_exclusion_reasons",
            "response_rate",
            "response_latencies_ms",
            "late_response_latencies_ms",
        ),
        *(
            "interruption_count",
            "interruption_rate",
            "yield_rate",
            "yield_latencies_ms",
            "backchannel_rate",
        ),
        *("speaking_ms", "floor_hold_ms", "floor_hold_intervals_ms"),
    }
    assert set(result["turns"][0]) == {
        *(
            "start_ms",
            "end_ms",
            "outcome",
            "reason",
            "latency_ms",
            "deadline_at_ms",
            "interruption_starts_ms",
        ),
        *(
            "yield",
            "backchannel",
            "user_speech_ms",
            "overlap_ms",
            "window_end_ms",
            "assistant_speech_ms",
        ),
    }


def test_turns_are_ordered_by_their_voiced_start_and_end() -> None:
    result = run(
        9000,
        caller=[(100, 500)],
        utterances=[(300, 500, "SPEAK"), (0, 500, "SPEAK"), (50, 300, "STOP")],
    )
    assert [(turn["start_ms"], turn["end_ms"]) for turn in result["turns"]] == [
        (100, 300),
        (100, 500),
        (300, 500),
    ]
