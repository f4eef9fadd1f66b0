from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import Recipe
from shared.errors import DatasetError, UsageError
from shared.scenario_types import AcousticCondition, Recording
from walk_harness.generation.plan import (
    Files,
    Held,
    Order,
    Plan,
    Source,
    Take,
    planned,
    scenario_of,
)

CLEAN, NOISY = AcousticCondition.CLEAN, AcousticCondition.NOISY
AN_ORDER = Order(NOISY, PRESETS[NOISY], seed=7)
VARIED = Order(CLEAN, Recipe(), seed=41, is_varied=True, is_appended=True)
IN_PLACE = Order(CLEAN, Recipe(), seed=7, is_in_place=True)


def scenario(name: str, *recordings: Recording) -> dict[str, Any]:
    return {
        "id": name,
        "title": "T",
        "interaction": "single_turn",
        "tags": ["one"],
        "input": {
            "text": f"words of {name}",
            "recordings": [one.model_dump(mode="json") for one in recordings],
        },
        "expected": {"answer": "A"},
    }


def recording(
    name: str = "theirs",
    place: str = "audio/a.wav",
    condition: AcousticCondition = CLEAN,
    **metadata: Any,
) -> Recording:
    return Recording(id=name, path=place, condition=condition, metadata=metadata)


def source(name: str, *own: Recording, position: int = 0, found: Sequence[str] = ()) -> Source:
    places = {one.id: f"/elsewhere/{one.path}" for one in own if one.id in found}
    return Source(position, name, f"words of {name}", scenario(name, *own), own, places)


def held(name: str, *recordings: Recording, clean: str | None = None) -> Held:
    return Held(name, scenario(name, *recordings), recordings, clean)


def variant(of: str, condition: AcousticCondition, place: str | None = None) -> Held:
    name = f"{of}_{condition}"
    made = recording(
        "synthetic_recording",
        place or f"audio/conditioned/{name}.wav",
        condition,
        generation={"source_scenario_id": of},
    )
    return held(name, made)


def files(places: dict[str, str]) -> Files:
    return Files(
        frozenset(places), {place: frozenset(filter(None, [who])) for place, who in places.items()}
    )


def by_force(order: Order) -> Order:
    return replace(order, is_forced=True)


def only(plan: Plan) -> Take:
    (take,) = plan.takes
    return take


def test_a_scenario_without_a_recording_gets_one() -> None:
    take = only(planned(AN_ORDER, [source("a")], (), Files()))
    assert (take.scenario_id, take.seed, take.recipe) == ("a", 7, PRESETS[NOISY])
    assert take.recording == recording("synthetic_recording", "audio/a_noisy.wav", NOISY)
    assert take.existing is None


def test_its_own_clean_recording_is_what_a_condition_is_made_of() -> None:
    own = recording(language="en", generation={"seed": 1})
    take = only(planned(AN_ORDER, [source("a", own, found=["theirs"])], (), Files()))
    assert take.recording.id == "theirs_noisy"
    assert take.recording.metadata == {"language": "en"}
    assert take.existing == "/elsewhere/audio/a.wav"


def test_a_clean_recording_that_is_named_but_not_there_is_spoken() -> None:
    take = only(planned(AN_ORDER, [source("a", recording())], (), Files()))
    assert (take.recording.id, take.existing) == ("theirs_noisy", None)


def test_a_conditioned_recording_is_no_start() -> None:
    own = recording(condition=NOISY)
    take = only(planned(AN_ORDER, [source("a", own, found=["theirs"])], (), Files()))
    assert (take.recording.id, take.existing) == ("synthetic_recording", None)


def test_a_given_file_is_the_start_whatever_there_is() -> None:
    order = Order(NOISY, PRESETS[NOISY], seed=7, has_given_file=True)
    take = only(planned(order, [source("a", recording(), found=["theirs"])], (), Files()))
    assert take.existing is None


def test_variants_go_through_the_seven_conditions_and_count_their_seeds() -> None:
    sources = [source(f"s{n}", position=n) for n in range(9)]
    takes = planned(VARIED, sources, (), Files()).takes
    assert [take.scenario_id for take in takes] == [
        "s0_clean",
        "s1_noisy",
        "s2_telephony",
        "s3_background_speech",
        "s4_echo",
        "s5_packet_loss",
        "s6_realistic",
        "s7_clean",
        "s8_noisy",
    ]
    assert [take.seed for take in takes] == list(range(41, 50))
    assert [take.recipe for take in takes[:7]] == list(PRESETS.values())
    assert takes[8].recording.path == "audio/conditioned/s8_noisy.wav"


def test_one_scenario_alone_gets_the_variant_it_has_among_all() -> None:
    take = only(planned(VARIED, [source("s5", position=5)], (), Files()))
    assert (take.scenario_id, take.seed) == ("s5_packet_loss", 46)


def test_a_variant_borrows_the_clean_recording_held_under_its_sources_id() -> None:
    own = recording("caller_recording", "audio/a.wav", language="en")
    baseline = held("a", own, clean="audio/a.wav")
    plan = planned(VARIED, [source("a", position=1)], [baseline], Files())
    take = only(plan)
    assert take.recording.id == "caller_recording_noisy"
    assert (take.recording.metadata, take.existing) == ({"language": "en"}, "audio/a.wav")
    assert plan.document == (baseline, take)


def test_what_is_held_stays_in_its_place_and_new_versions_take_the_old_ones() -> None:
    before = [held("x"), variant("a", CLEAN), held("y")]
    places = files({"audio/conditioned/a_clean.wav": "a_clean"})
    sources = [source("a"), source("b", position=1)]
    plan = planned(VARIED, sources, before, places)
    assert [each if isinstance(each, Held) else each.scenario_id for each in plan.document] == [
        before[0],
        "a_clean",
        before[2],
        "b_noisy",
    ]
    assert [take.is_kept for take in plan.takes] == [True, False]


def test_a_stale_variant_is_given_up_by_force_alone() -> None:
    before = [variant("a", NOISY)]
    with pytest.raises(UsageError, match="would lose the scenario a_noisy; --force gives it up"):
        planned(VARIED, [source("a")], before, Files())
    plan = planned(by_force(VARIED), [source("a")], before, Files())
    assert [each.scenario_id for each in plan.takes] == ["a_clean"]
    assert len(plan.document) == 1
    assert plan.discarded == ("audio/conditioned/a_noisy.wav",)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([variant("a", NOISY, "audio/own.wav")], id="under-another-name"),
        pytest.param(
            [
                variant("a", NOISY),
                held("z", recording(place="audio/conditioned/a_noisy.wav")),
            ],
            id="that-another-scenario-names-too",
        ),
    ],
)
def test_no_recording_is_thrown_away(before: list[Held]) -> None:
    assert planned(by_force(VARIED), [source("a")], before, Files()).discarded == ()


def test_without_append_no_scenario_is_lost_unasked() -> None:
    with pytest.raises(UsageError, match="would lose the scenario x; --append"):
        planned(AN_ORDER, [source("a")], [held("x")], Files())
    assert len(planned(by_force(AN_ORDER), [source("a")], [held("x")], Files()).document) == 1


def test_another_recording_under_the_same_id_is_not_replaced_unasked() -> None:
    before = [held("a", recording())]
    with pytest.raises(UsageError, match=r"a without audio/a_noisy\.wav; --append adds the rec"):
        planned(AN_ORDER, [source("a")], before, Files())
    planned(by_force(AN_ORDER), [source("a")], before, Files())


APPENDED = replace(AN_ORDER, is_appended=True)


def ids_and_places(plan: Plan) -> list[tuple[str, str]]:
    (take,) = plan.document
    assert isinstance(take, Take)
    request = scenario_of(take, {})["input"]
    assert isinstance(request, dict)
    return [(one["id"], one["path"]) for one in request["recordings"]]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([], [("synthetic_recording", "audio/a_noisy.wav")], id="the-first"),
        pytest.param(
            [("synthetic_recording", "audio/a_echo.wav")],
            [
                ("synthetic_recording", "audio/a_echo.wav"),
                ("synthetic_recording_noisy", "audio/a_noisy.wav"),
            ],
            id="a-second-under-an-id-of-its-own",
        ),
        pytest.param(
            [("one", "audio/a_noisy.wav"), ("two", "audio/a_echo.wav")],
            [("one", "audio/a_noisy.wav"), ("two", "audio/a_echo.wav")],
            id="a-new-version-in-the-place-and-under-the-id-of-the-old",
        ),
    ],
)
def test_appended_to_its_scenario_a_recording_is(
    before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    there = held("a", *(recording(name, place, NOISY) for name, place in before))
    plan = planned(APPENDED, [source("a")], [there], files({"audio/a_noisy.wav": "a"}))
    assert ids_and_places(plan) == after
    assert [take.recording for take in plan.takes] == [
        one.recording for one in plan.document if isinstance(one, Take)
    ]


def test_without_append_no_other_recording_of_a_scenario_is_lost_unasked() -> None:
    there = held("a", recording("one", "audio/a_noisy.wav"), recording("two", "audio/a_echo.wav"))
    with pytest.raises(UsageError, match=r"would lose audio/a_echo\.wav, a recording of a; --app"):
        planned(AN_ORDER, [source("a")], [there], files({"audio/a_noisy.wav": "a"}))


def test_nothing_is_appended_to_another_scenario_of_the_same_id() -> None:
    there = replace(held("a", recording()), raw={**scenario("a", recording()), "title": "Another"})
    with pytest.raises(UsageError, match="holds another scenario a than --data"):
        planned(APPENDED, [source("a")], [there], Files())


def test_a_recording_that_was_given_is_not_called_synthetic() -> None:
    order = replace(AN_ORDER, has_given_file=True)
    assert only(planned(order, [source("a")], (), Files())).recording.id == "recording"


@pytest.mark.parametrize(
    ("owner", "complaint"),
    [
        pytest.param("", "audio/a_noisy.wav: exists and has no matching owner", id="nobody"),
        pytest.param("b", "audio/a_noisy.wav: exists and belongs to b", id="somebody-else"),
    ],
)
@pytest.mark.parametrize("order", [AN_ORDER, by_force(AN_ORDER)])
def test_a_recording_is_never_taken_from(owner: str, complaint: str, order: Order) -> None:
    with pytest.raises(UsageError, match=complaint):
        planned(order, [source("a")], (), files({"audio/a_noisy.wav": owner}))


def test_a_place_is_taken_whatever_its_case() -> None:
    with pytest.raises(UsageError, match="belongs to b"):
        planned(AN_ORDER, [source("A")], (), files({"audio/a_noisy.wav": "b"}))


@pytest.mark.parametrize(("order", "is_kept"), [(AN_ORDER, True), (by_force(AN_ORDER), False)])
def test_ones_own_recording_stays_unless_forced(order: Order, is_kept: bool) -> None:
    take = only(planned(order, [source("a")], (), files({"audio/a_noisy.wav": "a"})))
    assert take.is_kept is is_kept


def test_two_takes_for_one_place_are_a_collision() -> None:
    with pytest.raises(UsageError, match="collision of the scenarios a and A"):
        planned(AN_ORDER, [source("a"), source("A", position=1)], (), Files())


def test_a_variant_that_would_be_no_scenario_is_refused_before_anything_is_made() -> None:
    long = "x" * 95
    with pytest.raises(DatasetError, match="is no artifact id"):
        planned(VARIED, [source(long, position=3)], (), Files())


def test_a_variant_with_the_id_of_a_scenario_held_is_refused() -> None:
    with pytest.raises(UsageError, match="holds the scenario a_clean without audio/conditioned"):
        planned(VARIED, [source("a")], [held("a_clean")], Files())


def test_in_place_every_missing_recording_is_made_in_its_own_condition() -> None:
    own = [recording("one", "audio/1.wav"), recording("two", "audio/2.wav", NOISY)]
    plan = planned(IN_PLACE, [source("a", *own, found=["one"])], (), files({"audio/1.wav": "a"}))
    assert [(take.recording, take.is_kept) for take in plan.takes] == [
        (own[0], True),
        (own[1], False),
    ]
    assert [take.recipe for take in plan.takes] == [Recipe(), PRESETS[NOISY]]
    assert plan.document == ()


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("a.wav", id="beside-the-scenarios"),
        pytest.param("audio/../a.wav", id="up-and-out"),
        pytest.param("/audio/a.wav", id="anywhere-else"),
        pytest.param("audio/a.flac", id="of-another-kind"),
        pytest.param("audio\\a.wav", id="written-for-one-system"),
        pytest.param("audio//a.wav", id="with-an-empty-part"),
    ],
)
def test_in_place_nothing_is_made(place: str) -> None:
    own = recording(place=place)
    with pytest.raises(UsageError, match=r"does not exist, and only \.wav files in audio/"):
        planned(IN_PLACE, [source("a", own)], (), Files())
    forced = by_force(IN_PLACE)
    assert only(planned(forced, [source("a", own, found=["theirs"])], (), Files())).is_kept


def test_a_file_is_not_given_to_a_place_that_is_not_ours() -> None:
    order = Order(CLEAN, Recipe(), 7, is_in_place=True, has_given_file=True)
    elsewhere = source("a", recording(place="/calls/a.wav"), found=["theirs"])
    with pytest.raises(UsageError, match=r"--from-audio: a has a recording, /calls/a\.wav"):
        planned(order, [elsewhere], (), Files())


def test_one_file_is_not_given_to_several_recordings() -> None:
    own = [recording("one", "audio/1.wav"), recording("two", "audio/2.wav")]
    order = Order(CLEAN, Recipe(), 7, is_in_place=True, has_given_file=True)
    with pytest.raises(UsageError, match="--from-audio: is one recording, and a names 2"):
        planned(order, [source("a", *own)], (), Files())


def test_the_scenario_to_be_is_its_source_but_for_id_and_recording() -> None:
    take = only(planned(VARIED, [source("a", position=1)], (), Files()))
    made = scenario_of(take, {"language": "en"})
    expected = scenario("a")
    assert list(made) == list(expected)
    assert made == {
        **expected,
        "id": "a_noisy",
        "input": {
            "text": "words of a",
            "recordings": [
                {
                    "id": "synthetic_recording",
                    "path": "audio/conditioned/a_noisy.wav",
                    "condition": "noisy",
                    "metadata": {"language": "en"},
                }
            ],
        },
    }
