"""What a response of the Responses API says it consumed, alone or inside a session's events."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from shared.observability.observations import TokenUsage


def _possible(figure: int | None) -> int | None:
    """The figure, unless no count can be that: nobody consumes less than nothing."""
    return None if figure is None or figure < 0 else figure


Figure = Annotated[int | None, AfterValidator(_possible)]


class _Part(BaseModel):
    """Nothing is coerced, and fields we do not know are dropped."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class InputTokenDetails(_Part):
    cached_tokens: Figure = None
    cache_write_tokens: Figure = None


class OutputTokenDetails(_Part):
    reasoning_tokens: Figure = None


class ReportedUsage(_Part):
    """Tokens of one response; a figure that is not given stays absent."""

    input_tokens: Figure = None
    input_tokens_details: InputTokenDetails | None = None
    output_tokens: Figure = None
    output_tokens_details: OutputTokenDetails | None = None
    total_tokens: Figure = None

    def tokens(self) -> TokenUsage:
        inputs = self.input_tokens_details or InputTokenDetails()
        outputs = self.output_tokens_details or OutputTokenDetails()
        return TokenUsage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            total_tokens=self.total_tokens,
            cached_input_tokens=inputs.cached_tokens,
            cache_write_tokens=inputs.cache_write_tokens,
            reasoning_tokens=outputs.reasoning_tokens,
        )
