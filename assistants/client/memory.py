"""What was said in a call, as an application remembers it: one conversation, with a mark for news.

A delegation carries no words, so whoever is to do the work needs the conversation. Captions come in
fragments, coarse, late, and those of both voices mixed; here they are joined to passages of one
voice and put in the order in which they were spoken. Everything a passage holds is kept verbatim,
and every fragment knows whether a task has told of it, so that what came late is news to the next.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from shared.observability.observations import Caption, Speaker
from shared.plain_text import one_line
from shared.scenario_types import HistoryMessage

SAME_PASSAGE_MS = 500
"""A fragment so close to a passage of the same voice goes on with it."""


@dataclass(slots=True)
class _Fragment:
    start_ms: int
    end_ms: int
    text: str
    told_in: str | None = None


@dataclass(frozen=True, slots=True)
class _Passage:
    """What one voice said without a longer pause, in order of speech; never without a fragment."""

    speaker: Speaker
    fragments: tuple[_Fragment, ...]

    @property
    def start_ms(self) -> int:
        return self.fragments[0].start_ms

    @property
    def is_news(self) -> bool:
        return any(fragment.told_in is None and fragment.text for fragment in self.fragments)

    @property
    def text(self) -> str:
        return _flat("".join(fragment.text for fragment in self.fragments))


class Memory:
    """The conversation of one session. Instants are the provider's, in ms of the session."""

    def __init__(self, history: Sequence[HistoryMessage] = ()) -> None:
        self._earlier = tuple(f"{_voice(past.role)}: {_flat(past.text)}" for past in history)
        self._said: dict[Speaker, list[_Fragment]] = {speaker: [] for speaker in Speaker}

    def hear(self, caption: Caption) -> None:
        """Take in a fragment, in whatever order they come."""
        fragment = _Fragment(caption.start_ms, caption.end_ms, caption.text)
        insort(self._said[caption.speaker], fragment, key=attrgetter("start_ms", "end_ms"))

    def has_answered_between(self, start_ms: int, end_ms: int) -> bool:
        """Whether the assistant began to say something from one instant to before another."""
        return any(
            start_ms <= passage.start_ms < end_ms for passage in self._passages(Speaker.ASSISTANT)
        )

    @property
    def caller_has_more(self) -> bool:
        """Whether the caller has said anything that no task has told."""
        return any(passage.is_news for passage in self._passages(Speaker.CALLER))

    def whole(self) -> str:
        """Everything that was said, a line for each passage; what is news is marked as new."""
        return "\n".join((*self._earlier, *_lines(self._conversation())))

    def tell(self, task: str) -> str:
        """Return the passages that hold news, whole, and count them as told in a task."""
        lines = "\n".join(_lines(one for one in self._conversation() if one.is_news))
        for fragment in self._fragments():
            if fragment.told_in is None:
                fragment.told_in = task
        return lines

    def forget(self, task: str) -> None:
        """What was told in a task that came to nothing is news again."""
        for fragment in self._fragments():
            if fragment.told_in == task:
                fragment.told_in = None

    def _fragments(self) -> Iterator[_Fragment]:
        return (fragment for said in self._said.values() for fragment in said)

    def _conversation(self) -> list[_Passage]:
        passages = [one for speaker in Speaker for one in self._passages(speaker)]
        return sorted(passages, key=attrgetter("start_ms"))

    def _passages(self, speaker: Speaker) -> Iterator[_Passage]:
        together: list[_Fragment] = []
        until_ms = 0
        for fragment in self._said[speaker]:
            if together and fragment.start_ms > until_ms + SAME_PASSAGE_MS:
                yield _Passage(speaker, tuple(together))
                together = []
            until_ms = max(until_ms, fragment.end_ms)
            together.append(fragment)
        if together:
            yield _Passage(speaker, tuple(together))


def _lines(passages: Iterable[_Passage]) -> Iterator[str]:
    for passage in passages:
        if passage.text:
            mark = " (new)" if passage.is_news else ""
            voice = passage.speaker.value.upper()
            yield f"[{passage.start_ms / 1_000:.1f} s] {voice}{mark}: {passage.text}"


def _voice(role: str) -> str:
    return {"user": "CALLER", "assistant": "ASSISTANT"}.get(role, role.upper())


def _flat(text: str) -> str:
    return one_line(" ".join(text.split()))
