"""Pieces that come asynchronously, as those of a response."""

import asyncio
from collections.abc import AsyncIterator

from urisieve import aextract


async def response() -> AsyncIterator[str]:
    yield "see http://exa"
    await asyncio.sleep(0)
    yield "mple.com/a now"


async def main() -> list[str]:
    return [record.uri async for record in aextract(response())]


print(asyncio.run(main()))
# prints:
# ['http://example.com/a']
