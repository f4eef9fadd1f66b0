"""How figures are rounded on their way into a report: rates to 4 decimals, milliseconds to 3."""

from __future__ import annotations

from shared.metrics.percentiles import Spread
from shared.reporting.schema import Percentiles


def rounded_rate(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def rounded_ms(value_ms: float | None) -> float | None:
    return None if value_ms is None else round(value_ms, 3)


def percentiles[N: (int, float)](spread: Spread[N], *, per: int = 1) -> Percentiles:
    """A spread in units of ``per`` of its own."""

    def scaled(value: N | None) -> float | None:
        return None if value is None else rounded_ms(value / per)

    return Percentiles(
        count=spread.count,
        p50=scaled(spread.p50),
        p90=scaled(spread.p90),
        p99=scaled(spread.p99),
        maximum=scaled(spread.maximum),
    )
