"""What kind of file some bytes begin: for messages about files that are not what they should be."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD_BYTES = 64
"""So many bytes tell."""

_CONVERT_ELSEWHERE = "make a WAV file of it with another program, such as ffmpeg"
_UNPACK = "unpack it"


@dataclass(frozen=True, slots=True)
class Container:
    """A kind of file, and what to do with it unless we can convert it ourselves."""

    name: str
    remedy: str | None = None


def _starts(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.DOTALL)


# The first that fits. Raw MP3 and AAC have no name: their frames start with eleven or twelve ones.
_KINDS = (
    (_starts(rb"RIFF.{4}WAVE"), Container("a WAV file")),
    (_starts(rb"(RF64|BW64).{4}WAVE"), Container("an RF64 file")),
    (_starts(rb"RIFX.{4}WAVE"), Container("a RIFX file (big-endian WAV)")),
    (_starts(rb"riff\x2e\x91\xcf\x11"), Container("a Wave64 file")),
    (_starts(rb"fLaC"), Container("a FLAC file")),
    (_starts(rb"OggS"), Container("an Ogg file")),
    (_starts(rb"FORM.{4}AIF[FC]"), Container("an AIFF file")),
    (_starts(rb"\.snd|dns\."), Container("an AU file")),
    (_starts(rb"caff"), Container("a CAF file")),
    (_starts(rb"NIST_1A"), Container("a NIST SPHERE file")),
    (_starts(rb"ID3"), Container("an MP3 file")),
    (_starts(rb"\xff[\xf0\xf1\xf8\xf9]"), Container("an AAC file", _CONVERT_ELSEWHERE)),
    (_starts(rb"\xff[\xe2-\xe5\xf2-\xf5\xfa-\xfd][^\xf0-\xff]"), Container("an MP3 file")),
    (_starts(rb".{4}ftyp"), Container("an MP4 or M4A file", _CONVERT_ELSEWHERE)),
    (_starts(rb"\x1a\x45\xdf\xa3"), Container("a WebM or Matroska file", _CONVERT_ELSEWHERE)),
    (_starts(rb"#!AMR"), Container("an AMR file", _CONVERT_ELSEWHERE)),
    (_starts(rb"\x30\x26\xb2\x75"), Container("a WMA file", _CONVERT_ELSEWHERE)),
    (_starts(rb"RIFF.{4}AVI "), Container("an AVI file", _CONVERT_ELSEWHERE)),
    (_starts(rb"PK\x03\x04"), Container("a ZIP archive", _UNPACK)),
    (_starts(rb"\x1f\x8b"), Container("a gzip archive", _UNPACK)),
    (
        _starts(rb"version https://git-lfs"),
        Container("a Git LFS pointer", "fetch what it points to: git lfs pull"),
    ),
    (
        _starts(rb"\s*(<[!?\w]|[{\[]\s*[\"{\[\]}])"),
        Container("text", "it may be the error page of a download; fetch it again"),
    ),
)


def container(head: bytes) -> Container | None:
    """The kind of file that begins so, where it is one that we know."""
    return next((kind for start, kind in _KINDS if start.match(head[:HEAD_BYTES])), None)
