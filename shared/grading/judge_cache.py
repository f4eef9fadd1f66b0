"""Judgments kept on disk, so that the same question about the same dossier is paid for once.

An entry is a file named by the SHA-256 of all that a judgment depends on: rubric version, prompt,
model, effort, dossier and dimension. Where the service is does not count, but one on this machine
is likely to be a fixture, whose word must never be taken for the real one's. Only replies that are
judgments are kept, and an entry that has ceased to be one is as good as none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from shared.grading.fitting import compact
from shared.grading.judge import Judge, Judgment, Question, Reply, read_reply
from shared.grading.rubric import RUBRIC_VERSION
from shared.places import make_private, write_whole
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class CachedJudge:
    """A judge in front of another. ``refresh`` asks every question anew and keeps the answer.

    ``is_loopback`` says that the other one is on this machine. ``mask`` goes over what is kept: a
    reply comes from outside and may echo anything.
    """

    judge: Judge
    directory: Path
    mask: Callable[[str], str]
    refresh: bool = False
    is_loopback: bool = False

    @property
    def model(self) -> str:
        return self.judge.model

    @property
    def reasoning_effort(self) -> str:
        return self.judge.reasoning_effort

    async def ask(self, question: Question) -> Reply:
        """Answer from disk, or else by the judge, and keep what is a judgment."""
        entry = self.entry(question)
        if not self.refresh:
            kept = _kept(entry)
            if kept is not None:
                return kept
        reply = await self.judge.ask(question)
        if isinstance(read_reply(reply), Judgment):
            _keep(entry, replace(reply, text=self.mask(reply.text or "")))
        return reply

    def entry(self, question: Question) -> Path:
        """The file that holds the answer to a question, whether or not it exists."""
        asked: JsonObject = {
            "rubric_version": RUBRIC_VERSION,
            "prompt_sha256": question.prompt_sha256,
            "model": self.model,
            "is_loopback": self.is_loopback,
            "reasoning_effort": self.reasoning_effort,
            "dossier_sha256": question.dossier_sha256,
            "dimension": question.dimension,
            **({"repetition": question.repetition} if question.repetition else {}),
        }
        return self.directory / f"{hashlib.sha256(compact(asked).encode()).hexdigest()}.json"


_REPLY = TypeAdapter(Reply)


def _kept(entry: Path) -> Reply | None:
    """What the entry holds, as a reply that consumes nothing now."""
    try:
        reply = _REPLY.validate_json(entry.read_bytes(), strict=True)
    except (OSError, ValidationError):
        return None
    if not isinstance(read_reply(reply), Judgment):
        return None
    return Reply(text=reply.text, is_cached=True, original_usage=reply.usage)


def _keep(entry: Path, reply: Reply) -> None:
    """Write a whole entry or none. A judgment that cannot be kept is still a judgment."""
    try:
        make_private(entry.parent)
        write_whole(entry, _REPLY.dump_json(reply))
    except OSError:
        return
