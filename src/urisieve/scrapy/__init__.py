"""Requests and items of a crawl by Scrapy, each fetched and kept once.

Scrapy loads these classes by the names in its settings. Requests are compared by their key, by default that of the
profile `request`; `URISIEVE_MERGE` has the names of other profiles and steps (`docs/merging.md`).

>>> SETTINGS = {
...     "REQUEST_FINGERPRINTER_CLASS": "urisieve.scrapy.RequestFingerprinter",
...     "DUPEFILTER_CLASS": "urisieve.scrapy.StoreFilter",
...     "URISIEVE_STORE": "fetched.db",
...     "ITEM_PIPELINES": {"urisieve.scrapy.UniqueItems": 300},
...     "URISIEVE_ITEM_FIELD": "url",
... }
"""

from __future__ import annotations

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.dupefilters import RFPDupeFilter
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.settings import BaseSettings

from urisieve.dedupe.key_store import Store
from urisieve.dedupe.keyset import KeySet, digest
from urisieve.finding_options import Options
from urisieve.identifiers import key
from urisieve.lean import Any, Final, Self
from urisieve.records.masking import masked_text

# After how many responses what was fetched is written to the store.
_RESPONSES: Final = 1_000


def _options(settings: BaseSettings) -> Options:
    """Return the options of keys by the setting `URISIEVE_MERGE`, in which commas separate names."""
    merge = settings.get("URISIEVE_MERGE", "request")
    return Options(merge=merge.split(",") if isinstance(merge, str) else merge)


def _key_of(request: Request, options: Options) -> str:
    """Return what two requests have in common only if one of them need not be sent.

    It is the key of the URL; of what is not valid, the URL itself. Another method than GET, or a body, makes another
    key (RFC 9110 9.3).
    """
    is_verbatim = bool(request.meta.get("verbatim_url"))
    url = request.url if is_verbatim else key(request.url, options=options, default=request.url)
    if request.method == "GET" and not request.body:
        return url
    return f"{url}\n {request.method}\n {digest(request.body.decode('latin-1')).hex()}"


class RequestFingerprinter:
    """The value of `REQUEST_FINGERPRINTER_CLASS` by which Scrapy filters, and names what it caches.

    >>> from scrapy import Request
    >>> from urisieve.scrapy import RequestFingerprinter
    >>> prints = RequestFingerprinter()
    >>> one, other = Request("http://a.example/?b=2&a=1#top"), Request("http://A.example:80/%3Fx/../?a=1&b=2")
    >>> prints.fingerprint(one) == prints.fingerprint(other), len(prints.fingerprint(one))
    (True, 16)

    Args:
        options: how URLs are compared; by default by the profile `request`.
    """

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options(merge="request")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return one by the settings of a crawler."""
        return cls(_options(crawler.settings))

    def fingerprint(self, request: Request) -> bytes:
        """Return the fingerprint of a request: 16 bytes."""
        return digest(_key_of(request, self._options))


class StoreFilter(RFPDupeFilter):  # type: ignore[misc] # whose types may not be there
    """The value of `DUPEFILTER_CLASS` that also knows what crawls before this one fetched, by a store.

    It filters as Scrapy does, by the fingerprinter and the folder of the job, and leaves out what is in the store of
    the setting `URISIEVE_STORE`: `urisieve store info` shows it, and `urisieve dedupe --store` adds to it. A request is
    added once its response is there, with those that led to it by redirects, so that what a crawl that ended did not
    fetch is fetched by the next. Requests with `dont_filter` are sent in any case, and added.
    """

    _options: Options
    _store: Store
    _fetched: list[str]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return one by the settings of a crawler.

        Raises:
            NotConfigured: there is no setting `URISIEVE_STORE`.
            StoreError: the store cannot be opened, or its keys were made by other options.
        """
        path = crawler.settings.get("URISIEVE_STORE")
        if not path:
            raise NotConfigured("StoreFilter needs the setting URISIEVE_STORE, the path of a file")
        made: Self = super().from_crawler(crawler)
        made._options = _options(crawler.settings)
        made._store = Store(path, options=made._options)
        made._fetched = []
        crawler.signals.connect(made._take, signals.response_received)
        return made

    def request_seen(self, request: Request) -> bool:
        """Report whether a request was made before, in this crawl or an earlier one."""
        is_seen: bool = super().request_seen(request)
        return is_seen or _key_of(request, self._options) in self._store

    def _take(self, response: Response, request: Request) -> None:
        led = [Request(url) for url in request.meta.get("redirect_urls", ())]
        self._fetched += [_key_of(one, self._options) for one in (request, *led)]
        if len(self._fetched) >= _RESPONSES:
            self._write()

    def _write(self) -> None:
        self._store.unseen(self._fetched)
        self._store.commit()
        self._fetched = []

    def close(self, reason: str) -> None:
        """Write what was fetched, and close the store."""
        self._write()
        self._store.close()
        super().close(reason)


class UniqueItems:
    """A pipeline that drops items whose field has a key that came before.

    The setting `URISIEVE_ITEM_FIELD` names the field, "url" by default. An item without it, or with a value that is no
    identifier, stays. Keys are those of `URISIEVE_MERGE`.

    >>> from urisieve.scrapy import UniqueItems
    >>> pipeline = UniqueItems("link")
    >>> pipeline.process_item({"link": "http://a.example/#top"}), pipeline.process_item({"link": None})
    ({'link': 'http://a.example/#top'}, {'link': None})
    >>> pipeline.process_item({"link": "HTTP://A.example"})
    Traceback (most recent call last):
        ...
    scrapy.exceptions.DropItem: http://a.example/ came before

    Args:
        field: the name of the field.
        options: how its values are compared; by default by the profile `request`.
    """

    def __init__(self, field: str = "url", options: Options | None = None) -> None:
        self._field = field
        self._options = options or Options(merge="request")
        self._keys = KeySet()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return one by the settings of a crawler."""
        return cls(crawler.settings.get("URISIEVE_ITEM_FIELD", "url"), _options(crawler.settings))

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """Return an item that is the first of its key.

        Raises:
            DropItem: one with an equal key came before.
        """
        value = ItemAdapter(item).get(self._field)
        found = key(value, options=self._options, default=None) if isinstance(value, str) else None
        if found is not None and not self._keys.add(found):
            raise DropItem(f"{masked_text(found)} came before")
        return item
