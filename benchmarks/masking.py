"""How the time for masking grows with the text: eight times the text may take 12 times as long.

The texts are the worst we know. ``uv run python benchmarks/masking.py``
"""

from __future__ import annotations

import base64
import random
import sys
import time

from shared.observability.redaction import Masker

SHORT = 50_000
TIMES = 8
AT_MOST = 12
NOISE = base64.b64encode(random.Random(1).randbytes(SHORT * TIMES)).decode()  # noqa: S311 - noise
TEXTS = {
    "backslashes": ":" + "\\" * SHORT * TIMES,
    "quotes that open": '"a":\\"' * SHORT * TIMES,
    "a file in base64": NOISE,
    "base64 in lines": "\n".join(NOISE[at : at + 76] for at in range(0, len(NOISE), 76)),
    "percent encoding": "%41" * SHORT * TIMES,
    "ordinary words": "The table is booked: eight at half past six. " * SHORT,
}


def main() -> None:
    worst = 0.0
    for name, text in TEXTS.items():
        long = text[: SHORT * TIMES]
        short_s, long_s = _seconds(long[:SHORT]), _seconds(long)
        ratio = long_s / short_s
        worst = max(worst, ratio)
        print(f"{name}: {long_s / len(long) * 1e6:.2f} us per character, {ratio:.1f} times")
    print(f"ratio: {worst:.1f} (at most {AT_MOST})")
    sys.exit(worst > AT_MOST)


def _seconds(text: str) -> float:
    def once() -> float:
        masker = Masker(["a-secret-nobody-wrote"])
        began = time.perf_counter()
        masker.machine_text(text)
        return time.perf_counter() - began

    return min(once() for _ in range(3))


if __name__ == "__main__":
    main()
