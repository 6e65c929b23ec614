"""Shows the exact strings that are trained on, with the trained tokens marked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..manifest import Row
from ..training.chat_rendering import Encoded
from ..training.examples import Reader, TokenRow
from ..validation_report import RenderedExample, Segment


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
        trained = row.trained[part]
        found.append(
            RenderedExample(
                example_id=row.example_id,
                reason=reason,  # type: ignore[arg-type]
                part=part,
                tokens=len(trained),
                trained_tokens=int(trained[:max_length].sum()),
                cut_tokens=max(0, len(trained) - max_length),
                segments=segments(encoded, trained, max_length),
            )
        )
    return found


def segments(encoded: Encoded, trained: NDArray[np.bool_], max_length: int) -> list[Segment]:
    """Splits the rendered string into runs that, joined, are the string again."""
    runs: list[Segment] = []
    position = 0
    for index, (_, end) in enumerate(encoded.offsets):
        cut = index >= max_length
        marked = bool(trained[index]) and not cut
        # One character's bytes may span several tokens; its text is assigned to the last of them.
        text = encoded.text[position:end] if end > position else ""
        position = max(position, end)
        if runs and runs[-1].trained == marked and runs[-1].cut == cut:
            runs[-1] = Segment(text=runs[-1].text + text, trained=marked, cut=cut)
        elif text:
            runs.append(Segment(text=text, trained=marked, cut=cut))
    if position < len(encoded.text):
        runs.append(Segment(text=encoded.text[position:], trained=False, cut=len(encoded.offsets) > max_length))
    return runs
