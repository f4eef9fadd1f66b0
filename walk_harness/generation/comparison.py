"""Whether a recording that exists is the one that was asked for, and if not, in what it differs."""

from __future__ import annotations

from dataclasses import dataclass

from shared.audio.effects.recipe import Recipe
from shared.audio.sidecar import Sidecar, Voice
from walk_harness.generation.clean import is_said_by
from walk_harness.generation.plan import Take


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for. ``None`` is asked of nothing.

    ``origin_sha256`` is of the clean speech to be recorded, ``background_sha256`` of voices that
    are not the bundled ones.
    """

    take: Take
    origin_sha256: str | None = None
    voice: Voice | None = None
    background_sha256: str | None = None

    def difference(self, sidecar: Sidecar | None) -> str | None:
        """In what a recording with this sidecar differs; nothing if it is what was asked for.

        One without a sidecar can only be a clean recording that nobody asked anything else of.
        """
        recipe, source = self.take.recipe, self.take.source
        if sidecar is None:
            is_unknown = recipe != Recipe() or self.origin_sha256 is not None
            return "a recording that no sidecar knows" if is_unknown else None
        said = sidecar.source
        is_by_chance = recipe != Recipe()
        background = self.background_sha256 if recipe.background_speech else None
        differs = {
            "another recording": self.origin_sha256 not in {None, said.pcm_sha256},
            "other words": said.text not in {None, source.text},
            "other effects": sidecar.effects != recipe,
            "other background speech": sidecar.background_speech_sha256 != background,
            "effects of another seed": is_by_chance and sidecar.seed != self.take.seed,
            "another voice": self._is_another_voice(sidecar),
        }
        return next((what for what, is_so in differs.items() if is_so), None)

    def _is_another_voice(self, sidecar: Sidecar) -> bool:
        if self.voice is None or self.origin_sha256 is not None:
            return False
        return not is_said_by(sidecar.source, self.voice)
