"""Sends a model's answer to the web app in parts, as its tokens arrive."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx

from .problems import Problem

# Tokens of this time are sent together.
PART_SECONDS = 0.05
# The web app is told this often that an answer without new tokens is still in progress.
SIGN_OF_LIFE_SECONDS = 10.0
PART_CHARACTERS_MAX = 1_000_000
PART_TRIES = 4


class NobodyWaits(Exception):
    """The web app no longer wants the answer."""


# Sends one part; returns the status of the web app's reply.
SendPart = Callable[[int, str], Awaitable[int]]


class Answer:
    """One answer on its way. `run` it around the model's call, and `send` its text."""

    def __init__(self, send: SendPart) -> None:
        self._send_part = send
        self._seq = 0
        self._gone = asyncio.Event()

    @contextlib.asynccontextmanager
    async def kept_alive(self) -> AsyncIterator[None]:
        """Sends signs of life while the block runs, and ends it with `NobodyWaits` once nobody waits for the answer."""
        block = asyncio.current_task()
        assert block is not None

        async def watch() -> None:
            while True:
                await asyncio.sleep(SIGN_OF_LIFE_SECONDS)
                # Failures other than this one are reported by the parts themselves.
                with contextlib.suppress(httpx.HTTPError):
                    if await self._send_part(self._seq + 1, "") in (404, 410):
                        self._gone.set()
                        block.cancel()
                        return

        watching = asyncio.create_task(watch())
        try:
            yield
        except asyncio.CancelledError:
            if self._gone.is_set() and block.uncancel() == 0:
                raise NobodyWaits from None
            raise
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def send(self, chunks: AsyncIterator[bytes]) -> None:
        """Sends the text as it arrives; while one part is being delivered, the next one collects."""
        arrived: asyncio.Queue[str | None] = asyncio.Queue(1000)

        async def read() -> None:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            try:
                async for chunk in chunks:
                    if text := decoder.decode(chunk):
                        await arrived.put(text)
            finally:
                await arrived.put(None)

        reading = asyncio.create_task(read())
        try:
            is_over = False
            while not is_over:
                texts = [await arrived.get()]
                if self._seq > 0:
                    await asyncio.sleep(PART_SECONDS)
                while not arrived.empty() and texts[-1] is not None:
                    texts.append(arrived.get_nowait())
                is_over = texts[-1] is None
                await self._deliver("".join(text for text in texts if text))
            await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _deliver(self, text: str) -> None:
        for start in range(0, len(text), PART_CHARACTERS_MAX):
            self._seq += 1
            await self._deliver_part(self._seq, text[start : start + PART_CHARACTERS_MAX])

    async def _deliver_part(self, seq: int, text: str) -> None:
        for tries in range(1, PART_TRIES + 1):
            with contextlib.suppress(httpx.HTTPError):
                status = await self._send_part(seq, text)
                if status < 300:
                    return
                if status in (404, 410):
                    raise NobodyWaits
            await asyncio.sleep(tries)
        raise NobodyWaits


def broken_off() -> Problem:
    return Problem(502, "the answer ended early", code="deploy_unhealthy", hint="Repeat the call.")
