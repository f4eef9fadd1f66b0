"""The terminal's streams in this process; ``tests/attack`` arranges them for whole runs."""

from __future__ import annotations

import io
import sys

import pytest

from shared.streams import prepare_streams, stdout_for_results


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_stream_that_was_closed_leads_nowhere(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, name, None)
    prepare_streams()

    with getattr(sys, name) as stream:
        stream.write("Grüße\n")


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_letter_the_terminal_has_not_becomes_a_question_mark(
    errors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding="ascii", errors=errors))
    prepare_streams()
    print("Grüße", flush=True)  # noqa: T201 - to see what becomes of it

    assert content.getvalue() == b"Gr??e\n"


def test_a_choice_of_the_users_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="xmlcharrefreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_streams()

    assert stream.errors == "xmlcharrefreplace"


def test_what_others_print_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    with stdout_for_results() as out:
        print("noise")  # noqa: T201 - as an application would
        out.write("a result\n")
    print("afterwards")  # noqa: T201 - as anybody may again

    assert capsys.readouterr() == ("a result\nafterwards\n", "noise\n")
