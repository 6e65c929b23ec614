"""Turns tokens into text as they arrive: only whole characters, and no part of a stop string."""

from __future__ import annotations

from typing import Any

_INCOMPLETE = "\ufffd"


class Detokenizer:
    """Decodes one token after another; a character made up of several tokens is returned with the last of them."""

    def __init__(self, tokenizer: Any, hidden: frozenset[int] = frozenset()) -> None:
        """`hidden` are the tokens without text, such as the special ones."""
        self._tokenizer = tokenizer
        self._hidden = hidden
        self._ids: list[int] = []
        # A token's text depends on the ones before it, so a few of those are decoded again with it.
        self._from = 0
        self._done = 0

    def push(self, token: int) -> str:
        """Returns the text that this token completes."""
        if token in self._hidden:
            return ""
        self._ids.append(token)
        text = self._pending()
        if text.endswith(_INCOMPLETE):
            return ""
        self._from, self._done = self._done, len(self._ids)
        return text

    def rest(self) -> str:
        """Returns the text that no further token will complete."""
        text = self._pending()
        self._from = self._done = len(self._ids)
        return text

    def _pending(self) -> str:
        before = self._decode(self._ids[self._from : self._done])
        return self._decode(self._ids[self._from :])[len(before) :]

    def _decode(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))


class StopStrings:
    """Passes text on until one of the strings appears in it; holds back what may become one."""

    def __init__(self, stops: list[str]) -> None:
        self._stops = stops
        self._held = ""
        self.found = False

    def push(self, text: str) -> str:
        """Returns the text that certainly comes before any stop string."""
        if self.found:
            return ""
        self._held += text
        places = [place for stop in self._stops if (place := self._held.find(stop)) >= 0]
        if places:
            self.found = True
            before, self._held = self._held[: min(places)], ""
            return before
        keep = max((self._overlap(stop) for stop in self._stops), default=0)
        certain, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return certain

    def rest(self) -> str:
        """Returns the text that was held back and did not become a stop string."""
        text, self._held = self._held, ""
        return text

    def _overlap(self, stop: str) -> int:
        longest = min(len(stop) - 1, len(self._held))
        return next((n for n in range(longest, 0, -1) if self._held.endswith(stop[:n])), 0)
