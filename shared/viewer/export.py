"""A run as pages on the disk: ``viewer.html``, and further ones beside it where sounds are many.

All pages are written beside their places before the first one takes its own, and the first page is
last: what cannot be finished leaves what was there. No page takes the place of a file that is not a
page of ours, and a further page left by an earlier, larger export is removed only when it begins as
that very page does.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from shared.errors import UsageError
from shared.places import draft
from shared.viewer.document import (
    Assets,
    Index,
    Sound,
    SoundPlace,
    document,
    is_first_page,
    opening,
)
from shared.viewer.pages import FIRST, Load, page_name, page_number, shares
from shared.viewer.recording import Recording, RecordingError, Spool, recording
from shared.viewer.view import AttemptView, RunView, Standing

PAGE_LIMIT_BYTES = 100_000_000
MOST_THREADS = 4
"""The sounds of twice as many recordings may wait in memory for one that is longer."""
_SPARE_BYTES = 128
"""What an attempt may take in company beyond what it takes alone: commas, digits, an element."""
_OPENING_BYTES = 4_096

type Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """An attempt to be shown: its view, yet without a waveform, and the file of its recording."""

    view: AttemptView
    recording: Path | None


@dataclass(frozen=True, slots=True)
class _Heard:
    """An attempt as its pages show it."""

    view: AttemptView
    sound: Sound | None

    @property
    def is_passed(self) -> bool:
        entry = self.view.entry
        return entry.standing is Standing.PASSED and entry.is_valid is not False


def export(
    run: RunView,
    attempts: Sequence[Shown],
    path: Path,
    assets: Assets,
    *,
    setting: str = "--output",
    page_limit_bytes: int = PAGE_LIMIT_BYTES,
    on_progress: Progress = lambda _done, _total: None,
) -> tuple[Path, ...]:
    """Write the page of a run to ``path`` and further ones beside it; return them all in order.

    A page holds at most ``page_limit_bytes``, unless what cannot be divided is larger.
    ``on_progress`` is told of how many attempts, of all, the recording is compressed. One that
    cannot be shown is named among what is missing of its attempt. A place that cannot be written,
    or is taken, is a ``UsageError`` that begins with ``setting``; it leaves everything as it was.
    """
    try:
        _refuse_taken(path, FIRST, path, setting)
        with Spool() as spool, contextlib.ExitStack() as drafts:
            first = drafts.enter_context(draft(path))
            heard = list(_heard(attempts, spool, on_progress))
            book = _Book(run, heard, assets, path.name, page_limit_bytes)
            places = tuple(path.with_name(name) for name in book.names)
            for number, place in enumerate(places, FIRST):
                _refuse_taken(place, number, path, setting)
                file = first if number == FIRST else drafts.enter_context(draft(place))
                file.writelines(book.page(number))
                file.flush()
        _remove_left_over(path, len(places))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{setting}: {path}: cannot be written: {reason}") from error
    return places


class _Book:
    """The attempts of a run over its pages, which have ``names`` and numbers from ``FIRST``."""

    def __init__(
        self, run: RunView, heard: Sequence[_Heard], assets: Assets, first_page: str, limit: int
    ) -> None:
        self._run, self._heard, self._assets = run, heard, assets
        self._shares = (FIRST,) * len(heard)
        self.names = [first_page]
        if _size(self._page(FIRST, _silent)) + sum(map(_sound_bytes, heard)) > limit:
            # No list of pages is longer than with each sound on one of its own.
            self.names = [page_name(first_page, FIRST + n) for n in range(len(heard) + 1)]
            self._shares = shares(list(self._loads()), _size(self._document(FIRST, ())), limit)
            self.names = self.names[: max(self._shares, default=FIRST)]

    def page(self, number: int) -> Iterator[bytes]:
        return self._page(number, lambda sound: sound)

    def _page(self, number: int, voiced: Callable[[Sound], Sound]) -> Iterator[bytes]:
        told = [
            (one.view, None if one.sound is None else voiced(one.sound), share)
            for one, share in zip(self._heard, self._shares, strict=True)
            if number in {FIRST, share}
        ]
        return self._document(number, told)

    def _document(
        self, number: int, told: Sequence[tuple[AttemptView, Sound | None, int]]
    ) -> Iterator[bytes]:
        """A page of attempts, each with the number of the page that has its sound."""
        index = Index(
            self._run,
            [view.entry for view, _, _ in told],
            [
                None if sound is None else self._place(sound, share, number)
                for _, sound, share in told
            ],
            self.names if len(self.names) > 1 else (),
            number,
        )
        here = ((view, sound if share == number else None) for view, sound, share in told)
        return document(self._assets, index, here)

    def _place(self, sound: Sound, share: int, number: int) -> SoundPlace:
        elsewhere = None if share == number else self.names[share - FIRST]
        return SoundPlace(sound.mime, sound.size_bytes, elsewhere)

    def _loads(self) -> Iterator[Load]:
        empty, last = _size(self._document(FIRST, ())), len(self.names)
        for one in self._heard:
            alone = _size(self._document(FIRST, [(one.view, one.sound, last)]))
            yield Load(alone - empty + _SPARE_BYTES, _sound_bytes(one), one.is_passed)


def _size(pieces: Iterable[bytes]) -> int:
    return sum(map(len, pieces))


def _silent(sound: Sound) -> Sound:
    return replace(sound, base64=())


def _sound_bytes(one: _Heard) -> int:
    """How long its sound is as base64."""
    return 0 if one.sound is None else -(-one.sound.size_bytes // 3) * 4


def _heard(attempts: Sequence[Shown], spool: Spool, on_progress: Progress) -> Iterator[_Heard]:
    """The attempts with what their recordings hold, put away in the spool."""
    on_progress(0, len(attempts))
    with _recordings([one.recording for one in attempts]) as found:
        for done, (one, heard) in enumerate(zip(attempts, found, strict=True), 1):
            match heard:
                case Recording():
                    yield _Heard(_with(one.view, heard), spool.keep(heard.content))
                case RecordingError():
                    reason = f"The recording cannot be shown: {heard}."
                    missing = (*one.view.missing, reason)
                    yield _Heard(replace(one.view, missing=missing), None)
                case None:
                    yield _Heard(one.view, None)
            on_progress(done, len(attempts))


def _with(view: AttemptView, heard: Recording) -> AttemptView:
    """The view with its waveform. How long an attempt was is the recording's to say only where
    nothing else does."""
    return replace(
        view,
        entry=replace(view.entry, duration_ms=view.entry.duration_ms or heard.duration_ms),
        course=replace(view.course, extent_ms=view.course.extent_ms or heard.duration_ms),
        waveform=heard.waveform,
        missing=(*view.missing, *heard.remarks),
    )


type _Found = Recording | RecordingError | None


@contextlib.contextmanager
def _recordings(paths: Sequence[Path | None]) -> Iterator[Iterator[_Found]]:
    """What the files hold, in their order, some of them read at once and few ahead."""
    is_over = Event()
    threads = min(MOST_THREADS, os.cpu_count() or 1)
    pool = ThreadPoolExecutor(threads, "viewer-sound")

    def found(path: Path | None) -> _Found:
        try:
            return None if path is None else recording(path, is_wanted=lambda: not is_over.is_set())
        except RecordingError as error:
            return error

    def in_order() -> Iterator[_Found]:
        waiting: deque[Future[_Found]] = deque()
        for path in paths:
            waiting.append(pool.submit(found, path))
            if len(waiting) == 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    try:
        yield in_order()
    finally:
        is_over.set()
        pool.shutdown(cancel_futures=True)


def _refuse_taken(place: Path, number: int, first: Path, setting: str) -> None:
    """Whatever stands in a place is a page of ours, or a ``UsageError``. A link is none."""
    if os.path.lexists(place) and not _is_page(place, number, first.name):
        raise UsageError(
            f"{setting}: {place}: what stands there is no page of a viewer: remove it or choose"
            " another place"
        )


def _is_page(place: Path, number: int, first_page: str) -> bool:
    """Whether a file is what an export would have written there: a first page, which may have had
    another name, or the further page of that number and that first page."""
    if place.is_symlink() or not place.is_file():
        return False
    with place.open("rb") as file:
        head = file.read(_OPENING_BYTES)
    return is_first_page(head) if number == FIRST else head.startswith(opening(number, first_page))


def _remove_left_over(path: Path, pages: int) -> None:
    """Further pages that an earlier export needed and this one did not."""
    for place in path.parent.iterdir():
        number = page_number(path.name, place.name)
        if number is not None and number > pages and _is_page(place, number, path.name):
            place.unlink()
