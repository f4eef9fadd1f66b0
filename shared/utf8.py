"""The text of a file in UTF-8, marked as such or not, and what to say of any other file."""

from __future__ import annotations

_WIDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


class NotUtf8Error(ValueError):
    """Why a file is no text in UTF-8 and how to mend it; ``line`` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def text_of(content: bytes) -> str:
    """The text without its byte order mark; :class:`NotUtf8Error` for anything else."""
    if content.startswith(_WIDER_MARKS) or b"\0" in content:
        raise NotUtf8Error(1, "looks like UTF-16 or UTF-32; save the file as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise NotUtf8Error(line, problem) from None
