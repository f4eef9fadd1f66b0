from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import CallerAction, Cue, LabelSource
from shared.observability.observations import Caption
from shared.observability.turns import (
    ANSWERS_ACROSS_MS,
    CAPTION_LEAD_MS,
    NEW_SPEECH_AFTER_MS,
    PAUSE_MS,
    SENTENCE_GAP_MS,
    assistant_turns,
    caller_turns,
    heard_caller_turns,
    is_answer,
)
from tests.support.builders import a_caption, an_utterance, spans


def test_the_declared_times() -> None:
    assert (PAUSE_MS, CAPTION_LEAD_MS, SENTENCE_GAP_MS) == (1_000, 2_000, 600)
    assert (NEW_SPEECH_AFTER_MS, ANSWERS_ACROSS_MS) == (300, 1_000)


@pytest.mark.parametrize(
    ("heard", "is_one"),
    [
        pytest.param((1_000, 1_001), True, id="begun-at-its-end-however-short"),
        pytest.param((1_001, 1_002), True, id="begun-after-its-end"),
        pytest.param((999, 1_999), False, id="begun-before-it-and-one-ms-too-short"),
        pytest.param((999, 2_000), True, id="begun-before-it-and-lasting-a-second-past-it"),
        pytest.param((0, 9_000), True, id="lasting-long-past-it"),
        pytest.param((0, 1_000), False, id="ending-with-it"),
    ],
)
def test_speech_answers_a_request_that_ended_at_one_second(heard, is_one: bool) -> None:
    assert is_answer(Interval(*heard), 1_000) is is_one


def edges(turns) -> list[tuple[int, int]]:
    return [(turn.span.start_ms, turn.span.end_ms) for turn in turns]


def test_a_caller_turn_runs_from_its_first_to_its_last_voiced_instant() -> None:
    (turn,) = caller_turns([an_utterance(0, 5_000)], spans((400, 900), (2_000, 3_100)))
    assert turn.span == Interval(400, 3_100)
    assert turn.voiced == spans((400, 900), (2_000, 3_100))


def test_voiced_audio_outside_the_annotation_is_not_in_the_turn() -> None:
    (turn,) = caller_turns([an_utterance(500, 2_500)], spans((400, 900), (2_000, 3_100)))
    assert turn.voiced == spans((500, 900), (2_000, 2_500))


def test_text_invents_no_speech() -> None:
    assert caller_turns([an_utterance(1_000, 2_000)], spans((0, 1_000), (2_000, 3_000))) == ()


def test_sound_without_an_utterance_is_no_turn() -> None:
    assert caller_turns([], spans((0, 1_000))) == ()


def test_caller_turns_come_in_order_of_onset_with_their_words_and_actions() -> None:
    later = an_utterance(2_000, 3_000, CallerAction.BACKCHANNEL, "mm-hm")
    turns = caller_turns([later, an_utterance(0, 1_000)], spans((100, 900), (2_100, 2_300)))
    assert [(turn.text, turn.action) for turn in turns] == [
        ("request", CallerAction.SPEAK),
        ("mm-hm", CallerAction.BACKCHANNEL),
    ]


@pytest.mark.parametrize(
    ("action", "expects_reply"),
    [
        (CallerAction.OPENING, True),
        (CallerAction.SPEAK, True),
        (CallerAction.INTERRUPT, True),
        (CallerAction.BACKCHANNEL, False),
        (CallerAction.STOP, False),
    ],
)
def test_which_actions_expect_a_reply(action: CallerAction, expects_reply: bool) -> None:
    (turn,) = caller_turns([an_utterance(0, 1_000, action)], spans((0, 1_000)))
    assert turn.expects_reply is expects_reply


@pytest.mark.parametrize(
    ("voiced", "caller", "expected"),
    [
        pytest.param(spans(), spans(), [], id="silence-is-no-turn"),
        pytest.param(spans((0, 500), (1_499, 2_000)), spans(), [(0, 2_000)], id="pause-of-999"),
        pytest.param(
            spans((0, 500), (1_500, 2_000)), spans(), [(0, 500), (1_500, 2_000)], id="pause-of-1000"
        ),
        pytest.param(
            spans((0, 500), (1_500, 2_000), (2_500, 3_000), (3_500, 4_000)),
            spans(),
            [(0, 500), (1_500, 4_000)],
            id="each-pause-is-measured-from-the-span-before-it",
        ),
        pytest.param(
            spans((0, 500), (700, 900)),
            spans((100, 200)),
            [(0, 900)],
            id="the-caller-spoke-under-the-first-span-only",
        ),
        pytest.param(
            spans((0, 500), (700, 900)),
            spans((550, 600)),
            [(0, 500), (700, 900)],
            id="the-caller-spoke-in-between",
        ),
        pytest.param(
            spans((0, 500), (700, 900)),
            spans((450, 501)),
            [(0, 500), (700, 900)],
            id="the-caller-outlasted-the-first-span",
        ),
        pytest.param(
            spans((0, 500), (700, 900)),
            spans((450, 500), (700, 800)),
            [(0, 900)],
            id="the-caller-was-never-alone",
        ),
        pytest.param(
            spans((0, 500), (700, 900)),
            spans((699, 750)),
            [(0, 500), (700, 900)],
            id="the-caller-began-one-ms-before-the-second-span",
        ),
    ],
)
def test_assistant_speech_is_gathered_into_turns(
    voiced: IntervalSet, caller: IntervalSet, expected: list[tuple[int, int]]
) -> None:
    turns = assistant_turns(voiced, caller, ())
    assert edges(turns) == expected
    assert IntervalSet.of(span for turn in turns for span in turn.voiced) == voiced


FIRST, SECOND = (5_000, 6_000), (9_000, 10_000)


@pytest.mark.parametrize(
    ("caption", "owner"),
    [
        pytest.param((5_000, 5_200), 0, id="within-a-turn"),
        pytest.param((4_800, 5_001), 0, id="reaching-one-ms-into-a-turn"),
        pytest.param((5_999, 6_200), 0, id="overlapping-the-last-ms-of-a-turn"),
        pytest.param((4_200, 4_400), 0, id="ahead-of-its-voice"),
        pytest.param((2_800, 3_000), 0, id="ahead-by-2000"),
        pytest.param((2_799, 2_999), None, id="ahead-by-2001-with-nothing-before"),
        pytest.param((2_300, 2_500), None, id="ahead-by-as-much-as-the-turn-is-late"),
        pytest.param((6_799, 6_999), 0, id="ahead-by-2001-belongs-to-the-turn-before"),
        pytest.param((6_800, 7_000), 1, id="between-turns-ahead-by-2000"),
        pytest.param((6_000, 6_200), 0, id="touching-the-end-and-far-from-the-next"),
        pytest.param((6_000, 7_000), 1, id="touching-a-turn-is-not-overlapping-it"),
        pytest.param((5_500, 9_000), 0, id="overlapping-a-turn-and-touching-the-next"),
        pytest.param((5_500, 9_001), 1, id="of-two-overlapped-turns-the-later"),
        pytest.param((10_000, 10_200), 1, id="after-the-last-turn"),
        pytest.param((60_000, 60_200), 1, id="long-after-the-last-turn"),
        pytest.param((9_000, 9_000), 1, id="an-instant-at-the-start-of-a-turn"),
        pytest.param((5_500, 5_400), 0, id="an-end-before-its-start-is-an-instant"),
        pytest.param((6_000, 6_000), 0, id="an-instant-at-the-end-of-a-turn"),
    ],
)
def test_a_caption_belongs_to(caption: tuple[int, int], owner: int | None) -> None:
    turns = assistant_turns(spans(FIRST, SECOND), spans(), [a_caption(*caption, "word")])
    texts = ["word" if index == owner else "" for index in range(2)]
    assert [turn.text for turn in turns] == texts


def test_a_caption_after_three_turns_belongs_to_the_last() -> None:
    three = spans((0, 500), (2_000, 2_500), (4_000, 4_500))
    turns = assistant_turns(three, spans(), [a_caption(4_600, 4_700, "word")])
    assert [turn.text for turn in turns] == ["", "", "word"]


@pytest.mark.parametrize(
    ("first", "gap_ms", "second", "text"),
    [
        pytest.param("Yes.", 599, "No.", "Yes.No.", id="one-ms-short-of-a-new-sentence"),
        pytest.param("Yes.", 600, "No.", "Yes. No.", id="a-new-sentence"),
        pytest.param("Yes.", 700, "No.", "Yes. No.", id="long-after"),
        pytest.param("Yes. ", 600, "No.", "Yes. No.", id="after-a-blank"),
        pytest.param("Yes.", 600, " No.", "Yes. No.", id="before-a-blank"),
        pytest.param("Yes.", 600, "\nNo.", "Yes.\nNo.", id="before-a-new-line"),
        pytest.param("Yes. ", 600, " No.", "Yes.  No.", id="between-blanks-that-both-stay"),
    ],
)
def test_sentences_are_joined_with_a_blank(first, gap_ms: int, second, text: str) -> None:
    captions = [
        a_caption(5_000, 5_200, first),
        a_caption(5_200 + gap_ms, 5_300 + gap_ms, second),
    ]
    (turn,) = assistant_turns(spans((5_000, 9_000)), spans(), captions)
    assert turn.text == text


def test_captions_are_joined_letter_for_letter_in_order_of_receipt() -> None:
    words = ["Book", " a ta", "ble", " for Ma", "ya"]
    captions = [a_caption(5_000 + 200 * n, 5_200 + 200 * n, word) for n, word in enumerate(words)]
    late_comma = a_caption(5_000, 5_200, ",", received_ms=9_000)
    (turn,) = assistant_turns(spans(FIRST), spans(), [*captions, late_comma])
    assert turn.text == "Book a table for Maya,"


def test_captions_without_voice_make_no_turn() -> None:
    captions: list[Caption] = [a_caption(0, 200, "hello")]
    assert assistant_turns(spans(), spans(), captions) == ()


# A caller with a session of its own annotates nothing: its turns are heard.


def a_cue(start_ms: int, end_ms: int, source: LabelSource = LabelSource.SCRIPT) -> Cue:
    return Cue(start_ms, end_ms, CallerAction.SPEAK, source)


@pytest.mark.parametrize(
    ("voiced", "assistant", "expected"),
    [
        pytest.param(spans(), spans((0, 900)), [], id="silence-is-no-turn"),
        pytest.param(spans((0, 500), (1_499, 2_000)), spans(), [(0, 2_000)], id="pause-of-999"),
        pytest.param(
            spans((0, 500), (1_500, 2_000)), spans(), [(0, 500), (1_500, 2_000)], id="pause-of-1000"
        ),
        pytest.param(
            spans((0, 500), (1_400, 2_000)),
            spans((500, 1_400)),
            [(0, 500), (1_400, 2_000)],
            id="a-reply-that-fills-the-pause",
        ),
        pytest.param(
            spans((0, 500), (1_400, 2_000)),
            spans((499, 1_400)),
            [(0, 2_000)],
            id="one-begun-1-ms-before-the-pause-is-no-reply-in-it",
        ),
        pytest.param(
            spans((0, 500), (1_400, 2_000)),
            spans((500, 1_401)),
            [(0, 2_000)],
            id="one-that-lasts-1-ms-into-the-callers-next-word-interrupts",
        ),
        pytest.param(
            spans((0, 500), (1_400, 2_000)),
            spans((600, 900), (1_199, 2_500)),
            [(0, 2_000)],
            id="one-with-a-word-gap-of-299-is-one-stretch",
        ),
        pytest.param(
            spans((0, 500), (1_400, 2_000)),
            spans((600, 900), (1_200, 2_500)),
            [(0, 500), (1_400, 2_000)],
            id="after-300-ms-of-silence-the-reply-was-whole",
        ),
        pytest.param(
            spans((0, 100), (180, 300), (380, 600)),
            spans((0, 5_000)),
            [(0, 600)],
            id="word-gaps-under-a-talking-assistant-part-nothing",
        ),
        pytest.param(
            spans((1_000, 1_200), (1_800, 2_900)),
            spans((0, 1_500)),
            [(1_000, 2_900)],
            id="the-assistant-yielded-in-the-pause",
        ),
    ],
)
def test_caller_speech_is_gathered_into_turns(
    voiced: IntervalSet, assistant: IntervalSet, expected: list[tuple[int, int]]
) -> None:
    turns = heard_caller_turns(voiced, assistant, ())
    assert edges(turns) == expected
    assert IntervalSet.of(span for turn in turns for span in turn.voiced) == voiced
    assert {(turn.action, turn.source) for turn in turns} <= {(None, None)}


@pytest.mark.parametrize(
    ("cues", "expected"),
    [
        pytest.param([a_cue(0, 3_000)], [(0, 500), (5_000, 6_000)], id="one-annotation"),
        pytest.param([a_cue(0, 6_000)], [(0, 6_000)], id="across-a-long-pause"),
        pytest.param([a_cue(499, 5_001)], [(0, 6_000)], id="that-shares-1-ms-with-either-end"),
        pytest.param([a_cue(500, 5_000)], [(0, 500), (5_000, 6_000)], id="that-only-touches-them"),
        pytest.param(
            [a_cue(0, 6_000, LabelSource.OBSERVER)],
            [(0, 500), (5_000, 6_000)],
            id="an-observer-makes-no-turn",
        ),
        pytest.param(
            [a_cue(0, 6_000, LabelSource.CALLER)], [(0, 6_000)], id="the-callers-own-word"
        ),
        pytest.param([a_cue(0, 6_000), a_cue(0, 6_000)], [(0, 6_000)], id="the-same-one-twice"),
        pytest.param([a_cue(0, 0)], [(0, 500), (5_000, 6_000)], id="an-instant-gathers-nothing"),
        pytest.param([a_cue(0, 3_000), a_cue(3_000, 6_000)], [(0, 500), (5_000, 6_000)], id="two"),
    ],
)
def test_an_annotation_keeps_together_what_is_voiced_in_it(
    cues: list[Cue], expected: list[tuple[int, int]]
) -> None:
    assert edges(heard_caller_turns(spans((0, 500), (5_000, 6_000)), spans(), (), cues)) == expected


def test_two_annotations_keep_apart_what_no_pause_would() -> None:
    voiced = spans((0, 300), (400, 1_000))
    assert edges(heard_caller_turns(voiced, spans(), ())) == [(0, 1_000)]
    cues = [a_cue(0, 350), a_cue(350, 1_100)]
    assert edges(heard_caller_turns(voiced, spans(), (), cues)) == [(0, 300), (400, 1_000)]


def test_what_lies_in_two_annotations_belongs_to_the_one_it_shares_most_with() -> None:
    voiced = spans((0, 300), (400, 1_000))
    late = [a_cue(0, 600), a_cue(600, 1_100)]
    even = [a_cue(0, 700), a_cue(700, 1_100)]
    assert edges(heard_caller_turns(voiced, spans(), (), late)) == [(0, 300), (400, 1_000)]
    assert edges(heard_caller_turns(voiced, spans(), (), even)) == [(0, 1_000)]


def test_an_annotation_where_nobody_spoke_is_no_turn() -> None:
    assert heard_caller_turns(spans(), spans(), [a_caption(0, 900, "Hi")], [a_cue(0, 900)]) == ()


def test_a_callers_words_are_joined_by_the_providers_clock() -> None:
    words = [a_caption(0, 200, "Two "), a_caption(200, 400, "of "), a_caption(400, 600, "us")]
    (turn,) = heard_caller_turns(spans((100, 700)), spans(), reversed(words))
    assert turn.text == "Two of us"


def test_words_of_one_instant_are_joined_as_they_came() -> None:
    words = [a_caption(0, 200, "b"), a_caption(0, 200, "a"), a_caption(0, 200, "c")]
    (turn,) = heard_caller_turns(spans((100, 700)), spans(), words)
    assert turn.text == "bac"


some_spans = st.lists(
    st.tuples(st.integers(0, 9_000), st.integers(1, 900)).map(lambda at: (at[0], sum(at))),
    max_size=6,
).map(lambda pairs: spans(*pairs))
fragments = st.lists(st.integers(0, 9_000), max_size=8, unique=True).map(
    lambda starts: [a_caption(start, start + 100, f"{start} ") for start in starts]
)


@given(some_spans, some_spans, fragments, st.randoms(use_true_random=False))
def test_no_turn_depends_on_the_order_in_which_captions_arrived(
    caller: IntervalSet, assistant: IntervalSet, captions: list[Caption], draw
) -> None:
    shuffled = draw.sample(captions, len(captions))
    turns = heard_caller_turns(caller, assistant, captions)
    assert heard_caller_turns(caller, assistant, shuffled) == turns
    silent = heard_caller_turns(caller, assistant, ())
    assert [(turn.span, turn.voiced) for turn in turns] == [
        (turn.span, turn.voiced) for turn in silent
    ], "words never create speech"
