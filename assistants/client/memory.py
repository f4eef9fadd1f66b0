"""What was said in a call, as an application remembers it: one conversation, with a mark for news.

A delegation carries no words, so whoever is to do the work needs the conversation. Captions come in
fragments, coarse, late, and those of both voices mixed; here they are joined to passages of one
voice and put in the order in which they were spoken. Everything a passage holds is kept verbatim,
and every fragment knows whether a task has told of it, so that what came late is news to the next.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from shared.observability.observations import Caption, Speaker
from shared.plain_text import one_line
from shared.scenario_types import HistoryMessage

SAME_PASSAGE_MS = 500
"""A fragment so close to a passage of the same voice goes on with it."""
LOOKED_BACK = 64
"""A fragment for a passage longer ago than this many opens one of its own."""


@dataclass(slots=True)
class _Fragment:
    start_ms: int
    end_ms: int
    text: str
    told_in: str | None = None


@dataclass(slots=True)
class _Passage:
    """What one voice said without a longer pause. There is at least one fragment."""

    speaker: Speaker
    end_ms: int
    fragments: list[_Fragment] = field(default_factory=list)

    @property
    def start_ms(self) -> int:
        return self.fragments[0].start_ms

    @property
    def is_news(self) -> bool:
        return any(fragment.told_in is None and fragment.text for fragment in self.fragments)

    @property
    def text(self) -> str:
        return _flat("".join(fragment.text for fragment in self.fragments))

    def takes(self, fragment: _Fragment) -> bool:
        return (
            fragment.start_ms <= self.end_ms + SAME_PASSAGE_MS
            and fragment.end_ms >= self.start_ms - SAME_PASSAGE_MS
        )

    def add(self, fragment: _Fragment) -> None:
        insort(self.fragments, fragment, key=attrgetter("start_ms"))
        self.end_ms = max(self.end_ms, fragment.end_ms)


class Memory:
    """The conversation of one session. Instants are the provider's, in ms of the session."""

    def __init__(self, history: Sequence[HistoryMessage] = ()) -> None:
        self._earlier = tuple(f"{_voice(past.role)}: {_flat(past.text)}" for past in history)
        self._passages: list[_Passage] = []

    def hear(self, caption: Caption) -> None:
        """Take in a fragment, in whatever order they come."""
        fragment = _Fragment(caption.start_ms, caption.end_ms, caption.text)
        passage = next(
            (
                one
                for one in self._passages[: -LOOKED_BACK - 1 : -1]
                if one.speaker is caption.speaker and one.takes(fragment)
            ),
            None,
        )
        if passage is None:
            passage = _Passage(caption.speaker, caption.end_ms)
            self._passages.append(passage)
        passage.add(fragment)

    def has_answered_between(self, start_ms: int, end_ms: int) -> bool:
        """Whether the assistant began to say something from one instant to before another."""
        return any(
            passage.speaker is Speaker.ASSISTANT and start_ms <= passage.start_ms < end_ms
            for passage in self._passages
        )

    @property
    def caller_has_more(self) -> bool:
        """Whether the caller has said anything that no task has told."""
        return any(one.speaker is Speaker.CALLER and one.is_news for one in self._passages)

    def whole(self) -> str:
        """Everything that was said, a line for each passage; what is news is marked as new."""
        passages = sorted(self._passages, key=attrgetter("start_ms"))
        return "\n".join((*self._earlier, *_lines(passages)))

    def tell(self, task: str) -> str:
        """Return the passages that hold news, whole, and count them as told in a task."""
        news = sorted((one for one in self._passages if one.is_news), key=attrgetter("start_ms"))
        lines = "\n".join(_lines(news))
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
        return (fragment for passage in self._passages for fragment in passage.fragments)


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
