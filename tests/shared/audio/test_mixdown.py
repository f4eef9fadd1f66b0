from __future__ import annotations

import numpy as np
import pytest

from shared.audio.mixdown import stereo


def pcm(*samples: int) -> np.ndarray:
    return np.array(samples, np.int16)


@pytest.mark.parametrize(
    ("caller", "assistant", "expected"),
    [
        pytest.param(pcm(1, 2), pcm(3, 4), [[1, 3], [2, 4]], id="caller-left-assistant-right"),
        pytest.param(pcm(1, 2), pcm(3), [[1, 3], [2, 0]], id="a-shorter-assistant-ends-in-zeros"),
        pytest.param(pcm(1), pcm(3, 4), [[1, 3], [0, 4]], id="a-shorter-caller-ends-in-zeros"),
        pytest.param(pcm(), pcm(3), [[0, 3]], id="a-silent-caller-is-zeros"),
        pytest.param(pcm(), pcm(), [], id="nothing-beside-nothing"),
        pytest.param(pcm(-32_768), pcm(32_767), [[-32_768, 32_767]], id="full-scale-is-kept"),
    ],
)
def test_side_by_side(caller: np.ndarray, assistant: np.ndarray, expected: list[object]) -> None:
    both = stereo(caller, assistant)
    assert both.dtype == np.int16
    assert both.tolist() == expected
