"""Many texts, searched by threads."""

from concurrent.futures import ThreadPoolExecutor

from urisieve import Options, extract

options = Options(schemes="web")


def links(text: str) -> list[str]:
    return [record.uri for record in extract(text, options=options)]


with ThreadPoolExecutor(4) as pool:
    found = list(pool.map(links, (f"see http://a.example/{number}" for number in range(1_000))))
print(len(found), found[999])
# prints:
# 1000 ['http://a.example/999']
