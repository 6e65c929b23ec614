"""Shows the exact strings that are trained on, with the trained tokens marked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..manifest import Row
from ..training.chat_rendering import Encoded
from ..training.examples import Reader, TokenRow
from ..validation_report import RenderedExample, Segment, Turn


def choose(rows: list[TokenRow]) -> list[tuple[TokenRow, str]]:
    """Returns the worst row (the longest, so the first to be cut), the median and the shortest."""
    ordered = sorted(rows, key=lambda row: (row.length, row.example_id))
    picks = [(ordered[-1], "worst"), (ordered[len(ordered) // 2], "median"), (ordered[0], "shortest")]
    seen: set[str] = set()
    chosen = []
    for row, reason in picks:
        if row.example_id not in seen:
            seen.add(row.example_id)
            chosen.append((row, reason))
    return chosen


def render(reader: Reader, source: Row, row: TokenRow, reason: str, max_length: int) -> list[RenderedExample]:
    """Returns every sequence of a row, with marks where it is cut."""
    found = []
    for part, (encoded, _) in reader.encodings(source).items():
        weights = row.weights[part] * row.weight
        found.append(
            RenderedExample(
                example_id=row.example_id,
                reason=reason,  # type: ignore[arg-type]
                part=part,
                tokens=len(weights),
                trained_tokens=int((weights[:max_length] > 0).sum()),
                cut_tokens=max(0, len(weights) - max_length),
                segments=segments(encoded, weights, max_length),
                turns=[
                    Turn(role=role, weight=None if weight is None else shown(weight * row.weight))
                    for role, weight in encoded.turns
                ],
            )
        )
    return found


def shown(weight: float) -> float:
    """Returns a weight without the digits that float32 adds."""
    return round(float(weight), 6)


def segments(encoded: Encoded, weights: NDArray[np.float32], max_length: int) -> list[Segment]:
    """Splits the rendered string into runs that, joined, are the string again."""
    runs: list[Segment] = []
    position = 0
    for index, (_, end) in enumerate(encoded.offsets):
        cut = index >= max_length
        weight = 0.0 if cut else shown(weights[index])
        # One character's bytes may span several tokens; its text is assigned to the last of them.
        text = encoded.text[position:end] if end > position else ""
        position = max(position, end)
        if runs and runs[-1].weight == weight and runs[-1].cut == cut:
            runs[-1] = Segment(text=runs[-1].text + text, trained=weight > 0, cut=cut, weight=weight)
        elif text:
            runs.append(Segment(text=text, trained=weight > 0, cut=cut, weight=weight))
    if position < len(encoded.text):
        runs.append(Segment(text=encoded.text[position:], trained=False, cut=len(encoded.offsets) > max_length))
    return runs
